"""The sheet's sections of results: ruling, governing figure, load table, windows, reduction, practices, balance."""

from sedcalc.load.load_table import ROW_COLUMNS
from sedcalc.report.sheet_blocks import (
    DASH,
    Block,
    Column,
    Facts,
    Group,
    Look,
    Muted,
    Number,
    Paragraph,
    Row,
    Step,
    Strong,
    Table,
    Verdict,
    Words,
    frac,
    group,
    number,
    product,
    row,
    shortest,
    var,
)
from sedcalc.report.sheet_draft import Draft
from sedcalc.report.sheet_governing import Contribution, contributions

_TITLES = {
    "meets": "Meets the limit",
    "exceeds": "Exceeds the limit",
    "cannot_be_determined": "Cannot be determined",
    "not_applicable": "No limit applies",
}
_KINDS = {
    "worst_12_months": "Worst 12 months",
    "asked": "Windows asked for",
    "whole_project": "Whole project",
    "average_year": "Average year",
}
_PER_YEAR = "tons/acre/year"


def verdict(draft: Draft) -> Verdict:
    """Return the ruling as the first page shows it.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    run = draft.run
    figures: list[tuple[str, Words, str]] = []
    named = [
        ("Governing figure", "tons_per_acre_per_year", _PER_YEAR, 2),
        ("Limit", "limit", _PER_YEAR, 2),
        ("Margin", "margin", _PER_YEAR, 2),
        ("Load reduction", "percent_reduction", "%", 1),
        ("Disturbed", "disturbed_acres", "acres", 2),
    ]
    for name, path, unit, digits in named:
        if run[path] is not None and (draft.limit is not None or path not in ("limit", "margin")):
            figures.append((name, draft.cell(path, digits), unit))
    return Verdict(run["status"], _TITLES[run["status"]], _sentence(draft), tuple(figures))


def _sentence(draft: Draft) -> Words:
    """Return the ruling in a sentence, with number, limit and margin."""
    run, governing = draft.run, draft.ruling.governing
    clause: Words = (f" ({run['clause']})",) if run["clause"] else ()
    if run["status"] not in ("meets", "exceeds") or governing is None:
        reason = run["reason"]
        return (reason[0].upper() + reason[1:], *clause, ".")
    verb = "meets" if run["status"] == "meets" else "exceeds"
    name = draft.area_name
    averaged = draft.ruling.ordinance.standard is not None and draft.ruling.ordinance.standard.figure == "average_year"
    unit = " tons per acre and year on average from " if averaged else " tons per acre from "
    by = " with a margin of " if verb == "meets" else " by "
    margin = draft.number("margin", 2)
    shown = number(abs(margin.value), 2)
    return (
        name[0].upper() + name[1:], " discharges ", draft.word("tons_per_acre_per_year", 2), unit,
        governing.window_start, " through ", governing.window_end, f", which {verb} the limit of ",
        draft.word("limit", 2), " tons per acre and year", *clause, by, shown, ".",
    )  # fmt: skip


def ruling_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the section of the ruling: the sentence, and each drainage area against the limit.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    ruling, run = draft.ruling, draft.run
    blocks: list[Block] = [Paragraph((Strong(_TITLES[ruling.status] + ". "), *_sentence(draft)))]
    standard = ruling.ordinance.standard
    if standard is not None:
        blocks.append(Paragraph((f"The code ({standard.clause}): “{standard.text}”",)))
    rows = []
    average = standard is not None and standard.figure == "average_year"
    wanted = "average_year" if average and not draft.load.windows.whole_project else "worst_12_months"
    for i, window in enumerate(run["windows"]):
        if window["kind"] != wanted:
            continue
        figure = window["discharge_tons_per_acre"]
        area = window["drainage_area"]
        decides = ruling.governing is not None and area == ruling.governing.drainage_area
        share: Words = (DASH,)
        if draft.limit is not None and figure is not None:
            share = (number(100.0 * figure / draft.limit, 0),)
        cells: tuple[Words, ...] = (
            (area or "whole site",), (window["start"],), (window["end"],),
            draft.cell(f"windows[{i}].discharge_tons", 2), draft.cell(f"windows[{i}].acres", 2),
            draft.cell(f"windows[{i}].discharge_tons_per_acre", 2), share,
        )  # fmt: skip
        rows.append(Row(cells, "marked" if decides else "plain"))
    columns = (
        Column("Drainage area", weight=1), Column("From"), Column("Through"), Column("Discharge", "tons"),
        Column("Area", "acres"), Column("Figure", _PER_YEAR), Column("Of the limit", "%"),
    )  # fmt: skip
    scope = "" if standard is None or draft.limit is None else _SCOPES[standard.scope]
    caption: Words = (f"{_KINDS[wanted]} of each drainage area",)
    marked = "governs" if draft.limit is not None else "is the largest"
    note: Words = (f"{scope}Figures are compared unrounded. The marked line {marked}.",)
    blocks.append(Table("ruling", caption, columns, (Group((), tuple(rows)),), note))
    serious = sum(f.severity == "warning" for f in ruling.findings)
    said = "No finding asks for a reviewer’s attention before relying on this number."
    if serious:
        they = "1 warning asks" if serious == 1 else f"{serious} warnings ask"
        said = f"{they} for a reviewer’s attention before relying on this number: {draft.section('findings')}."
    blocks.append(Paragraph((said,)))
    return tuple(blocks)


_SCOPES = {
    "each_drainage_area": "Every drainage area must meet the limit. ",
    "site": "The site as a whole must meet the limit. ",
}


def governing_rows(draft: Draft) -> list[Contribution]:
    """Return what makes up the governing figure; nothing where there is none."""
    governing = draft.ruling.governing
    return [] if governing is None else contributions(draft.load, governing)


def figure_blocks(draft: Draft, found: list[Contribution]) -> tuple[Block, ...]:
    """Return how the governing figure is summed from the rows of the load table.

    Parameters
    ----------
    draft
        The sheet in the making.
    found
        From `governing_rows`.
    """
    governing = draft.ruling.governing
    assert governing is not None
    rows = []
    most = max(found, key=lambda c: c.tons, default=None)
    for part in found:
        own = draft.run["rows"][part.row]
        whole = str(part.start) == own["start"] and str(part.end) == own["end"]
        tons: Words = (number(part.tons, 4),)
        if whole:
            tons = draft.cell(f"rows[{part.row}].discharge_tons", 4)
        cells: tuple[Words, ...] = (
            (str(part.row + 1),), (own["phase"],), (own["unit"],), (str(part.start),), (str(part.end),),
            (number(part.ei_fraction, 5),), tons,
        )  # fmt: skip
        rows.append(Row(cells, "marked" if part is most else "plain"))
    total = draft.cell("governing.discharge_tons", 4)
    rows.append(Row(((), ("sum",), (), (), (), (), total), "total"))
    columns = (
        Column("Row"), Column("Phase", weight=1.2), Column("Ground unit", weight=1), Column("From"), Column("Through"),
        Column("f within"), Column("Discharge", "tons"),
    )  # fmt: skip
    caption: Words = (
        f"What {draft.area_name} discharges from {governing.window_start} through {governing.window_end}",
    )
    note: Words = (
        "f within: share of the annual erosivity that falls on the row’s days inside the window. Rows that reach "
        "beyond the window count with these days only. The marked row brings most.",
    )
    table = Table("figure", caption, columns, (Group((), tuple(rows)),), note)
    whole_tons, acres = draft.number("governing.discharge_tons", 4), draft.number("governing.acres", 4)
    result = draft.word("tons_per_acre_per_year", 4)
    if not isinstance(result, Number):
        return (table,)
    above, below = "discharge in the window", "acres that count in it"
    standard = draft.ruling.ordinance.standard
    if standard is not None and standard.figure == "average_year" and not draft.load.windows.whole_project:
        years = draft.number("totals.years", 4)
        lines = (
            frac(above, row(below, " × years")),
            frac(whole_tons, product(acres, years)),
            row(result),
        )
    else:
        lines = (frac(above, below), frac(whole_tons, acres), row(result))
    given: Words = (
        "Acres of the distinct ground units with a day in the window between their first disturbance and their own "
        "final stabilization.",
    )
    return table, Step("Governing figure", var("q"), lines, given, _PER_YEAR)


def load_table_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the load table, piece of ground by piece of ground.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    run = draft.run["rows"]
    groups: list[Group] = []
    head: tuple[object, ...] | None = None
    rows: list[Row] = []
    heading: Words = ()
    most = max(governing_rows(draft), key=lambda c: c.tons, default=None)
    for i, own in enumerate(run):
        key = tuple(own[n] for n in ("unit", "drainage_area", "soil", "acres", "R", "K"))
        if key != head:
            if rows:
                groups.append(Group(heading, tuple(rows)))
            head, rows = key, []
            heading = (
                Strong(own["unit"]), f"   in {own['drainage_area']}", f", {own['soil']}" if own["soil"] else "", ":   ",
                draft.word(f"rows[{i}].acres", 3), " acres,   R ", draft.word(f"rows[{i}].R", 1), ",   K ",
                draft.word(f"rows[{i}].K", 4),
            )  # fmt: skip
        at = f"rows[{i}]."
        label = own["phase"] if own["counted"] else f"{own['phase']} (background)"
        cells: tuple[Words, ...] = (
            (str(i + 1),),
            (label, Muted(f"  {own['start']} – {own['end']}")),
            draft.cell(at + "ei_fraction", 4), draft.cell(at + "LS", 3), draft.cell(at + "C", 4),
            draft.cell(at + "P", 3), draft.cell(at + "soil_loss_tons_per_acre", 3),
            draft.cell(at + "soil_loss_tons", 2), draft.cell(at + "delivered_tons", 2),
            draft.cell(at + "trapped_tons", 2),
            draft.cell(at + "discharge_tons", 2), draft.cell(at + "discharge_tons_per_acre", 2),
        )  # fmt: skip
        look: Look = "marked" if most is not None and most.row == i else "plain" if own["counted"] else "muted"
        rows.append(Row(cells, look))
    if rows:
        groups.append(Group(heading, tuple(rows)))
    counted = [r for r in run if r["counted"]]
    sums = [
        draft.cell("totals.eroded_tons", 2),
        (number(sum(r["delivered_tons"] for r in counted), 2),),
        draft.cell("totals.trapped_tons", 2),
        draft.cell("totals.discharged_tons", 2),
    ]
    total = Row(((), ("Sum of all counted rows",), (), (), (), (), (), *sums, ()), "total")
    groups.append(Group((), (total,)))
    columns = (
        Column("Row"), Column("Phase and days", weight=1), Column("f"), Column("LS"), Column("C"), Column("P"),
        Column("A", "t/ac"), Column("Eroded", "t"), Column("Deliv.", "t"), Column("Trapped", "t"),
        Column("Disch.", "t"), Column("Disch.", "t/ac"),
    )  # fmt: skip
    note: Words = (
        "t: short tons; ac: acres. A = R f K LS C P over the row’s days. Eroded = A × acres. C and P are weighted by "
        "erosivity. Background is in neither the sums nor the ruling. Row n is the n-th row of load_table.csv and of "
        f"“rows” in the run’s JSON, which has all {len(ROW_COLUMNS)} columns with all digits.",
    )
    caption: Words = ("Load table: one row for each piece of ground and span of days",)
    return (Table("load", caption, columns, tuple(groups), note),)


def window_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the windows by kind and drainage area.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    groups: dict[str, list[Row]] = {}
    for i, window in enumerate(draft.run["windows"]):
        at = f"windows[{i}]."
        area = window["drainage_area"]
        cells: tuple[Words, ...] = (
            (area or "whole site",), (window["start"],), (window["end"],), draft.cell(at + "discharge_tons", 2),
            draft.cell(at + "acres", 2), draft.cell(at + "discharge_tons_per_acre", 2),
        )  # fmt: skip
        groups.setdefault(window["kind"], []).append(Row(cells, "plain" if area else "total"))
    made = tuple(Group((_KINDS[kind],), tuple(rows)) for kind, rows in groups.items())
    columns = (
        Column("Drainage area", weight=1), Column("From"), Column("Through"), Column("Discharge", "tons"),
        Column("Area", "acres"), Column("Figure", "tons/acre"),
    )  # fmt: skip
    count = len(draft.load.windows.start)
    said = (
        "The project is shorter than 12 months: its one window is the project, not scaled up."
        if draft.load.windows.whole_project
        else f"Each of the {count:,} days on which 12 consecutive months inside the project can begin was tried; the "
        "worst is exact. The average year is the project’s discharge divided by its years."
    )
    return Paragraph((said,)), Table("windows", ("Discharge by window",), columns, made)


def reduction_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the percent reduction and its baseline.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    clause = draft.code("percent_reduction")
    baseline = (
        f"The percent reduction of the average annual sediment load{clause} compares the whole site over the whole "
        "project with the same ground under no controls: from each unit’s first disturbance to the site’s final "
        "stabilization, with the same R, K, dates and delivery ratio, LS without barriers, C = P = 1 and no practices. "
        "Background is left out of both. The ratio of totals equals the ratio of annual averages."
    )
    discharged, bare = draft.number("totals.discharged_tons", 2), draft.number("totals.baseline_tons", 2)
    if draft.run["percent_reduction"] is None:
        return (Paragraph((baseline, " The baseline is zero, so that the reduction is undefined.")),)
    lines = (
        product("100", group("1 − ", frac("load with controls", "load with none"))),
        product("100", group("1 − ", frac(discharged, bare))),
        row(draft.number("percent_reduction", 2)),
    )
    given: Words = ("Loads over the project: with controls ", discharged, " tons, with none ", bare, " tons.")
    return Paragraph((baseline,)), Step("Percent reduction", var("r"), lines, given, "%")


def practice_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the practices with their efficiencies and sources.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    if not draft.site.practices:
        return (Paragraph(("No practice that traps sediment is in the plan.",)),)
    rows = []
    for i, own in enumerate(draft.run["practices"]):
        practice = draft.site.practices[i]
        drained = "; ".join(
            d["id"] if d["share"] == 1.0 else f"{d['share']:.4g} of {d['id']}" for d in own["drainage_areas"]
        )
        size = {
            "surface_area": ("surface", "ft²", "m²"),
            "peak_outflow": ("peak outflow", "ft³/s", "m³/s"),
            "settling_velocity": ("settling velocity", "ft/s", "m/s"),
            "fence_length": ("fence", "ft", "m"),
            "slope_length_above": ("slope above", "ft", "m"),
            "slope_above_pct": ("slope above", "%", "%"),
        }
        built = [
            f"{what} {shortest(getattr(practice, name)).text} {us if draft.site.units == 'us' else si}"
            for name, (what, us, si) in size.items()
            if getattr(practice, name) is not None
        ]
        built += [f"by-pass {practice.bypass:.0%}"] if practice.bypass else []
        built += [practice.design_storm] if practice.design_storm else []
        to = own["drains_to"] or "outfall"
        cells: tuple[Words, ...] = (
            (Strong(own["id"]), Muted(f"  {own['kind'] or 'practice'}; {drained or 'no area directly'} → {to}")),
            (own["start"], " – ", own["end"]),
            (f"{own['method']}: {own['source']}", Muted(f"  {', '.join(built)}") if built else ""),
            (number(100.0 * own["efficiency"], 1),),
            draft.cell(f"practices[{i}].trapped_tons", 2),
        )  # fmt: skip
        rows.append(Row(cells))
    total = Row((("Trapped by all practices",), (), (), (), draft.cell("totals.trapped_tons", 2)), "total")
    columns = (
        Column("Practice", weight=2), Column("Works from, through", weight=1.25),
        Column("How the efficiency was found", weight=3), Column("Efficiency", "%"), Column("Trapped", "tons"),
    )  # fmt: skip
    combination = draft.load.provenance["methods"]["practices"]
    note: Words = (
        f"Combined {combination}. Efficiency: share trapped of all that reaches the practice while it works, by-pass "
        "included. The credit holds for practices built and maintained as designed.",
    )
    caption: Words = ("Practices, their efficiencies and sources",)
    return (Table("practices", caption, columns, (Group((), (*rows, total)),), note),)


def balance_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the mass balance, and what stands outside it.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    totals = draft.run["totals"]
    eroded = draft.number("totals.eroded_tons", 2)

    def share(tons: float) -> Words:
        return (DASH,) if eroded.value == 0.0 else (number(100.0 * tons / eroded.value, 1),)

    def line(name: str, path: str, value: float) -> Row:
        return Row(((name,), draft.cell(path, 2), share(value)))

    rows = [line("Deposited on the slopes", "totals.deposited_tons", totals["deposited_tons"])]
    for i, own in enumerate(draft.run["practices"]):
        rows.append(line(f"Trapped by {own['id']}", f"practices[{i}].trapped_tons", own["trapped_tons"]))
    for outfall, tons in totals["outfalls"].items():
        rows.append(Row(((f"Discharged at {outfall}",), (number(tons, 2),), share(tons))))
    whole = Row((("Eroded = deposited + trapped + discharged",), (eroded,), share(eroded.value)), "total")
    columns = (Column("Where the soil goes", weight=1), Column("Tons"), Column("Share", "%"))
    parts = [totals["deposited_tons"], *totals["trapped"].values(), *totals["outfalls"].values()]
    left = abs(totals["eroded_tons"] - sum(parts))
    relative = 0.0 if totals["eroded_tons"] == 0.0 else left / totals["eroded_tons"]
    note: Words = (
        f"The balance closes to {relative:.0e} of what is eroded. Short tons over the whole project." if relative
        else "The balance closes exactly. Short tons over the whole project.",
    )  # fmt: skip
    pairs: list[tuple[str, Words]] = [
        (
            "Discharge of background",
            (draft.word("totals.background_tons", 2), " tons, of land not yet or never disturbed; not in the balance"),
        ),
    ]
    pairs += _credit(draft)
    table = Table("balance", ("Mass balance of the project",), columns, (Group((), (*rows, whole)),), note)
    return table, Facts(tuple(pairs))


def _credit(draft: Draft) -> list[tuple[str, Words]]:
    """Return what limiting duration and area saves; the last column is the whole site."""
    credit = draft.load.credit
    by_area, by_duration = float(credit.saved_by_area[-1]), float(credit.saved_by_duration[-1])
    said = draft.code("credit")
    return [
        (
            "Saved by limiting area",
            (
                number(by_area, 2),
                " tons that units would discharge if they lay open from the site’s first disturbance",
                said,
            ),
        ),
        (
            "Saved by limiting duration",
            (
                number(by_duration, 2),
                " tons that units would discharge if they lay open until the site’s last day",
                said,
            ),
        ),
    ]


def measure_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return what would bring a site under the limit, and what the written explanation takes into account.

    Parameters
    ----------
    draft
        The sheet in the making, of a site that exceeds the limit.
    """
    ruling = draft.ruling
    found = ruling.measures
    assert found is not None
    rows = tuple(
        Row(
            (
                (m.name, Muted(f"  {m.size}{'; ' + m.conditions if m.conditions else ''}")),
                (m.place,),
                (shortest(m.value),),
                draft.cited(m.source),
                (number(m.tons_per_acre_per_year, 2),),
                ("yes" if m.suffices else "no",),
            ),
            "marked" if m.suffices else "plain",
        )
        for m in found.one_at_a_time[:_MOST_MEASURES]
    )
    columns = (
        Column("Practice or cover", weight=3), Column("Where", weight=1), Column("e or C"), Column("Source"),
        Column("Figure with it", _PER_YEAR), Column("Meets"),
    )  # fmt: skip
    more = len(found.one_at_a_time) - len(rows)
    tail = f" {more} that bring less are not listed." if more else ""
    blocks: list[Block] = [
        Table(
            "measures",
            ("What each practice or cover of the reference tables would bring by itself",),
            columns,
            (Group((), rows),),
            (
                f"e: efficiency of a practice, at the low end of its range; C: of a cover.{tail} Which are "
                "built is for the designer to say.",
            ),
        )
    ]
    if not rows:
        blocks = [Paragraph(("No practice or cover of the reference tables lowers the figure.",))]
    figure = number(found.fewest_tons_per_acre_per_year, 2)
    if found.fewest is None:
        blocks.append(
            Paragraph(
                (
                    "All practices and covers of the tables together reach ",
                    figure,
                    f" {_PER_YEAR}.",
                )
            )
        )
    elif found.fewest:
        names = "; ".join(f"{m.name} ({m.place})" for m in found.fewest)
        blocks.append(Paragraph((f"The fewest that meet the limit together: {names}: ", figure, f" {_PER_YEAR}.")))
    facts = tuple(
        (f.topic[0].upper() + f.topic[1:], ((f.text,) if f.known else (Muted(f.text),)))
        for f in ruling.explanation_facts
    )
    clause = draft.code("mep_explanation")
    blocks.append(
        Paragraph(
            (
                f"A site that cannot meet the limit needs a written explanation{clause}. What the calculation "
                "knows of it:",
            )
        )
    )
    blocks.append(Facts(facts))
    explanation = draft.site.project.explanation
    if explanation is not None:
        blocks.append(Paragraph((Strong("Explanation as submitted. "),)))
        blocks += [Paragraph((part,)) for part in explanation.splitlines() if part.strip()]
    return tuple(blocks)


_MOST_MEASURES = 20
