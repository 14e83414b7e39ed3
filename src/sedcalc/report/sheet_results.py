"""The sheet's sections of results: ruling, governing figure, load table, windows."""

from sedcalc.findings import count_of
from sedcalc.load.load_table import ROW_COLUMNS
from sedcalc.report.sheet_blocks import (
    DASH,
    Block,
    Column,
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
    as_sentence,
    frac,
    number,
    product,
    row,
    var,
)
from sedcalc.report.sheet_draft import PER_YEAR, Draft, amount
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
        ("Governing figure", "tons_per_acre_per_year", PER_YEAR, 2),
        ("Limit", "limit", PER_YEAR, 2),
        ("Margin", "margin", PER_YEAR, 2),
        ("Load reduction", "percent_reduction", "%", 1),
        ("Disturbed", "disturbed_acres", "acres", 2),
    ]
    for name, path, unit, digits in named:
        if run[path] is not None and (draft.limit is not None or path not in ("limit", "margin")):
            cell = (draft.amount(path),) if unit == "acres" else draft.cell(path, digits)
            figures.append((name, cell, unit))
    return Verdict(run["status"], _TITLES[run["status"]], _sentence(draft), tuple(figures))


def _sentence(draft: Draft) -> Words:
    """Return the ruling in a sentence, with number, limit and margin."""
    run, governing = draft.run, draft.ruling.governing
    clause: Words = (f" ({run['clause']})",) if run["clause"] else ()
    if run["status"] not in ("meets", "exceeds") or governing is None:
        reason = run["reason"]
        return (as_sentence(reason), *clause, ".")
    verb = "meets" if run["status"] == "meets" else "exceeds"
    name = draft.area_name
    averaged = draft.ruling.ordinance.standard is not None and draft.ruling.ordinance.standard.figure == "average_year"
    unit = " tons per acre and year on average from " if averaged else " tons per acre from "
    if governing.by_override:
        unit = " tons per acre of its reference acreage, which counts by override, from "
    by = " with a margin of " if verb == "meets" else " by "
    margin = draft.number("margin", 2)
    shown = number(abs(margin.value), 2)
    return (
        as_sentence(name), " discharges ", draft.word("tons_per_acre_per_year", 2), unit,
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
            draft.amount_cell(f"windows[{i}].discharge_tons"), (draft.amount(f"windows[{i}].acres"),),
            draft.cell(f"windows[{i}].discharge_tons_per_acre", 2), share,
        )  # fmt: skip
        rows.append(Row(cells, "marked" if decides else "plain"))
    columns = (
        Column("Drainage area", weight=1), Column("From"), Column("Through"), Column("Discharge", "tons"),
        Column("Area", "acres"), Column("Figure", PER_YEAR), Column("Of the limit", "%"),
    )  # fmt: skip
    scope = "" if standard is None or draft.limit is None else _SCOPES[standard.scope]
    caption: Words = (f"{_KINDS[wanted]} of each drainage area",)
    marked = "governs" if draft.limit is not None else "is the largest"
    if ruling.governing is not None and ruling.governing.by_override:
        marked = "governs, by override with its figure on the reference acreage in the place of the one shown"
    note: Words = (f"{scope}Figures are compared unrounded. The marked line {marked}.",)
    blocks.append(Table("ruling", caption, columns, (Group((), tuple(rows)),), note))
    serious = sum(f.severity == "warning" for f in ruling.findings)
    said = "No finding asks for a reviewer’s attention before relying on this number."
    if serious:
        they = count_of(serious, "warning asks", "warnings ask")
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
        tons: Words = (amount(part.tons, 4),)
        if whole:
            tons = draft.amount_cell(f"rows[{part.row}].discharge_tons", 4)
        cells: tuple[Words, ...] = (
            (str(part.row + 1),), (own["phase"],), (own["unit"],), (str(part.start),), (str(part.end),),
            (number(part.ei_fraction, 5),), tons,
        )  # fmt: skip
        rows.append(Row(cells, "marked" if part is most else "plain"))
    total = draft.amount_cell("governing.discharge_tons", 4)
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
    whole_tons, acres = draft.amount("governing.discharge_tons", 4), draft.amount("governing.acres", 4)
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
    return table, Step("Governing figure", var("q"), lines, given, PER_YEAR)


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
                draft.amount(f"rows[{i}].acres", 3), " acres,   R ", draft.word(f"rows[{i}].R", 1), ",   K ",
                draft.word(f"rows[{i}].K", 4),
            )  # fmt: skip
        at = f"rows[{i}]."
        label = own["phase"] if own["counted"] else f"{own['phase']} (background)"
        cells: tuple[Words, ...] = (
            (str(i + 1),),
            (label, Muted(f"  {own['start']} – {own['end']}")),
            draft.cell(at + "ei_fraction", 4), draft.cell(at + "LS", 3), draft.cell(at + "C", 4),
            draft.cell(at + "P", 3), draft.cell(at + "soil_loss_tons_per_acre", 3),
            draft.amount_cell(at + "soil_loss_tons"), draft.amount_cell(at + "delivered_tons"),
            draft.amount_cell(at + "trapped_tons"),
            draft.amount_cell(at + "discharge_tons"), draft.cell(at + "discharge_tons_per_acre", 2),
        )  # fmt: skip
        look: Look = "marked" if most is not None and most.row == i else "plain" if own["counted"] else "muted"
        rows.append(Row(cells, look))
    if rows:
        groups.append(Group(heading, tuple(rows)))
    counted = [r for r in run if r["counted"]]
    sums = [
        draft.amount_cell("totals.eroded_tons"),
        (amount(sum(r["delivered_tons"] for r in counted)),),
        draft.amount_cell("totals.trapped_tons"),
        draft.amount_cell("totals.discharged_tons"),
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
            (area or "whole site",), (window["start"],), (window["end"],), draft.amount_cell(at + "discharge_tons"),
            (draft.amount(at + "acres"),), draft.cell(at + "discharge_tons_per_acre", 2),
        )  # fmt: skip
        groups.setdefault(window["kind"], []).append(Row(cells, "plain" if area else "total"))
    made = tuple(Group((_KINDS[kind],), tuple(rows)) for kind, rows in groups.items())
    columns = (
        Column("Drainage area", weight=1), Column("From"), Column("Through"), Column("Discharge", "tons"),
        Column("Area", "acres"), Column("Figure", "tons/acre"),
    )  # fmt: skip
    count = len(draft.load.windows.start)
    days = "The one day" if count == 1 else f"Each of the {count:,} days"
    said = (
        "The project is shorter than 12 months: its one window is the project, not scaled up."
        if draft.load.windows.whole_project
        else f"{days} on which 12 consecutive months inside the project can begin was tried; the worst is exact. The "
        "average year is the project’s discharge divided by its years."
    )
    return Paragraph((said,)), Table("windows", ("Discharge by window",), columns, made)
