"""Results as text for a terminal: rich tables within 80 columns.

Every text that came from a file passes `plain`, so that it cannot carry control sequences into the terminal.
"""

from collections.abc import Iterable

from rich import box
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from sedcalc.compliance.ruling import Ruling
from sedcalc.findings import Finding, count_of
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report.results import window_entries
from sedcalc.units import area_text, percent_text

_MOST_ROWS = 80
_MOST_MEASURES = 8
_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "cyan"}
_STATUS_STYLES = {"meets": "bold green", "exceeds": "bold red"}
_KINDS = {
    "worst_12_months": "worst 12 months",
    "asked": "asked for",
    "whole_project": "whole project",
    "average_year": "average year",
}


def plain(text: object) -> str:
    """Return text with everything that is not printable written as an escape, on one line.

    Parameters
    ----------
    text
        Anything; its ``str`` is used.
    """
    return "".join(c if c.isprintable() else " " if c in "\n\t" else repr(c)[1:-1] for c in str(text))


def run_report(ruling: Ruling, *, with_findings: bool = True) -> Group:
    """Return the report of a run: load table, practices, mass balance, 12-month windows, ruling, findings.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    with_findings
        Whether to list the findings.
    """
    load = ruling.load
    parts: list[RenderableType] = [
        Text(plain(load.site.project.name), style="bold"),
        Text(plain(f"{ruling.ordinance.place}: {ruling.ordinance.title}")),
        Text(plain(_place(load))),
        Rule("Load table", align="left", style="dim"),
        load_table(load),
        Text("A = R f K LS C P, tons/acre over the row's days; f: share of the annual erosivity; tons: short tons."),
        Text(f"LS: {load.ground.methods['LS']}"),
        Rule("Practices and mass balance", align="left", style="dim"),
    ]
    if load.site.practices:
        parts.append(practice_table(load))
    parts += [
        balance_table(load),
        Rule("Discharge by window", align="left", style="dim"),
        window_table(load),
        Rule("Ruling", align="left", style="dim"),
        ruling_text(ruling),
        *measures_text(ruling),
        Rule("The code beside its limit", align="left", style="dim"),
        checks_text(ruling),
    ]
    if with_findings and ruling.findings:
        parts += [Rule("Findings", align="left", style="dim"), finding_list(ruling.findings)]
    return Group(*parts)


def load_table(load: SedimentLoad) -> RenderableType:
    """Return the load table, ground unit by ground unit.

    Parameters
    ----------
    load
        From `sedcalc.sediment_load`.
    """
    columns = load.columns
    parts: list[RenderableType] = [_load_rows(heading=True)]
    count = len(columns["unit"])
    previous, rows = None, _load_rows()
    for i in range(min(count, _MOST_ROWS)):
        head = tuple(columns[n][i] for n in ("unit", "drainage_area", "soil", "acres", "R", "K", "counted"))
        if head != previous:
            rows = _load_rows()
            parts += [_unit_heading(*head), rows]
            previous = head
        names = ("phase", "start", "ei_fraction", "LS", "C", "P", "soil_loss_tons_per_acre")
        phase, start, f, ls, c, p, loss = (columns[n][i] for n in names)
        eroded, leaves = (f"{columns[n][i]:.2f}" for n in ("soil_loss_tons", "discharge_tons"))
        factors = (f"{f:.3f}", f"{ls:.3f}", _number(c, 4), _number(p, 3), f"{loss:.3f}")
        rows.add_row(plain(phase), str(start), *factors, eroded, leaves)
    if count > _MOST_ROWS:
        parts.append(Text(f"... {count_of(count - _MOST_ROWS, 'more row')}: --json and --out DIR have all of them"))
    return Group(*parts)


def _load_rows(*, heading: bool = False) -> Table:
    """Return an empty table with the load table's columns, 79 wide; with their names only where it is the heading."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_header=heading)
    widths = {"phase": 20, "from": 10, "f": 5, "LS": 6, "C": 5, "P": 4, "A t/ac": 7, "eroded": 7, "leaves": 7}
    for i, (name, width) in enumerate(widths.items()):
        table.add_column(name, width=width, justify="left" if i < 2 else "right", overflow="fold")
    return table


def _unit_heading(unit: str, area: str, soil: str, acres: float, r: float, k: float, counted: bool) -> Text:
    said = f", {soil}" if soil else ""
    text = f"{unit}: {acres:.4g} acres in {area}{said}, R {r:.4g}, K {k:.3g}{'' if counted else ' (background)'}"
    return Text(plain(text), style="bold", overflow="fold")


def practice_table(load: SedimentLoad) -> Table:
    """Return the practices with the credit each earned.

    Parameters
    ----------
    load
        From `sedcalc.sediment_load`.
    """
    table = _table("practice", "from", "to", "efficiency", "by", "trapped", texts=3)
    table.columns[4].justify = "left"
    for practice, credit in zip(load.site.practices, load.network.credits, strict=True):
        trapped = load.totals.trapped[practice.id]
        days = (str(practice.start), str(practice.end))
        table.add_row(plain(practice.id), *days, percent_text(credit.efficiency, 1), credit.method, f"{trapped:.2f}")
    return table


def balance_table(load: SedimentLoad) -> Table:
    """Return where the eroded soil goes, tons: eroded = deposited + trapped + discharged.

    Parameters
    ----------
    load
        From `sedcalc.sediment_load`.
    """
    totals = load.totals
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(justify="right")
    lines = [
        ("eroded", totals.eroded),
        ("- deposited on the slopes", totals.deposited),
        ("- trapped by practices", sum(totals.trapped.values())),
        *((f"= discharged at {name}", tons) for name, tons in totals.outfalls.items()),
        ("with no controls it would be", totals.baseline),
        ("background (land not yet or never disturbed), not counted", totals.background),
    ]
    for name, tons in lines:
        table.add_row(plain(name), f"{tons:,.2f} tons")
    return table


def window_table(load: SedimentLoad) -> Table:
    """Return discharge per acre of the worst 12 months, windows asked for, whole project and average year.

    Parameters
    ----------
    load
        From `sedcalc.sediment_load`.
    """
    table = _table("window", "drainage area", "from", "to", "tons", "acres", "tons/ac", texts=4)
    previous = None
    for window in window_entries(load):
        if window.kind != previous and previous is not None:
            table.add_section()
        table.add_row(
            _KINDS[window.kind] if window.kind != previous else "",
            "whole site" if window.drainage_area is None else plain(window.drainage_area),
            window.start,
            window.end,
            f"{window.discharge_tons:.2f}",
            area_text(window.acres),
            _number(window.discharge_tons_per_acre, None),
        )
        previous = window.kind
    return table


def ruling_text(ruling: Ruling) -> Group:
    """Return the ruling: status, reason, figures.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    title = Text(ruling.status.replace("_", " ").upper(), style=_STATUS_STYLES.get(ruling.status, "bold yellow"))
    lines = [plain(ruling.reason) + (f" [{plain(ruling.clause)}]" if ruling.clause else "")]
    figures = []
    if ruling.tons_per_acre_per_year is not None:
        figures.append(f"{ruling.tons_per_acre_per_year:.2f} tons/acre/year")
    if ruling.limit is not None:
        figures.append(f"limit {ruling.limit:.2f}")
    if ruling.margin is not None:
        figures.append(f"margin {ruling.margin:.2f}")
    if figures:
        lines.append(", ".join(figures))
    if ruling.site_tons_per_acre_per_year is not None:
        lines.append(f"whole site, worst 12 months: {ruling.site_tons_per_acre_per_year:.2f} tons/acre/year")
    reduction = ruling.percent_reduction
    reduced = "undefined" if reduction is None else f"{reduction:.1f} %"
    lines.append(f"reduction of the sediment load against no controls: {reduced}")
    return Group(title, *(Text(line) for line in lines))


def checks_text(ruling: Ruling) -> Group:
    """Return how the site stands beside the limit: does the code apply, plan items, permit, dates; a line each.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    checks = ruling.checks
    applies = checks.applicability
    lines = [
        f"{applies.result.replace('_', ' ')}: {applies.reason}" + (f" [{applies.clause}]" if applies.clause else "")
    ]
    if applies.standard_clause is not None:
        lines[0] += f"; performance standard {applies.standard_clause}"
    states = [i.state for i in checks.plan_items]
    asked = len(states) - states.count("not_asked")
    if asked:
        found, stated = states.count("in_submission"), states.count("stated")
        lines.append(f"plan items: {found} of {asked} found, {stated} stated, {states.count('missing')} missing")
    if checks.permit is not None:
        permit = checks.permit
        issued = f"issued {permit.issued}" if permit.stated else f"if issued on {permit.issued}"
        lines.append(f"permit {issued}: ends {permit.extended_to}; needed until {permit.needed_until}")
    lines += [f"{d.what} by {d.due}: {d.rule} [{d.clause}]" for d in checks.deadlines]
    return Group(*(Text(plain(line)) for line in lines))


def measures_text(ruling: Ruling) -> list[RenderableType]:
    """Return what would bring a site under the limit; nothing unless it is exceeded.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    found = ruling.measures
    if found is None:
        return []
    table = _table("measure", "where", "value", "tons/ac/yr", "meets", texts=2)
    for measure in found.one_at_a_time[:_MOST_MEASURES]:
        value = percent_text(measure.value) if measure.kind == "practice" else f"C {measure.value:.3g}"
        reached = f"{measure.tons_per_acre_per_year:.2f}"
        table.add_row(plain(measure.name), plain(measure.place), value, reached, "yes" if measure.suffices else "no")
    more = len(found.one_at_a_time) - _MOST_MEASURES
    reached = f"{found.fewest_tons_per_acre_per_year:.2f} tons/acre/year"
    if found.fewest is None:
        last = f"all of them together reach {reached}: they do not suffice"
    else:
        names = ", ".join(f"{m.name} ({m.place}: {m.size})" for m in found.fewest)
        last = f"{found.of_fewest}: {names}: {reached}"
    return [
        Rule("What would meet the limit, one at a time", align="left", style="dim"),
        table,
        *([Text(f"... {more:,} more: --json has all")] if more > 0 else []),
        Text(plain(last)),
    ]


def finding_list(findings: Iterable[Finding]) -> Group:
    """Return findings, each with its severity, place and clause.

    Parameters
    ----------
    findings
        In the order to print.
    """
    parts = []
    for finding in findings:
        text = Text(f"{finding.severity}: ", style=_STYLES[finding.severity])
        text.append(plain(finding), style="default")
        parts.append(text)
    return Group(*parts)


def _table(*names: str, texts: int) -> Table:
    """Return a table whose first columns hold texts and whose others hold numbers."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)
    for i, name in enumerate(names):
        if i < texts:
            table.add_column(name, overflow="fold", no_wrap=name in ("from", "to"))
        else:
            table.add_column(name, justify="right", no_wrap=True)
    return table


def _number(value: float | None, digits: int | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if digits is None else f"{value:.{digits}g}"


def _place(load: SedimentLoad) -> str:
    erosivity = load.erosivity
    where = load.site.location.county
    r = "R from a raster" if erosivity.R is None else f"R {erosivity.R:.4g}"
    if erosivity.R_low is not None and erosivity.R_high is not None:
        r += f" ({erosivity.R_low:.0f} to {erosivity.R_high:.0f})"
    zone = "own EI distribution" if erosivity.ei_zone is None else f"EI zone {erosivity.ei_zone}"
    days = f"{load.schedule.first_day} to {load.schedule.last_day}"
    return ", ".join([*([where] if where else []), r, zone, days])
