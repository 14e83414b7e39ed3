"""Reference tables and ordinances as text for a terminal, within 80 columns."""

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table as RichTable
from rich.text import Text

from sedcalc.compliance.ordinance import Ordinance
from sedcalc.report.text import plain
from sedcalc.tables import Table

_WIDTH = 80
_GAP = 2
_SIGNS = {"<": "under", "<=": "at most", ">": "over", ">=": "at least"}


def listing(rows: Sequence[dict[str, Any]]) -> RichTable:
    """Return rows with the same keys as a table.

    Parameters
    ----------
    rows
        At least one.
    """
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)
    for name, value in rows[0].items():
        table.add_column(
            name, justify="right" if isinstance(value, int) else "left", overflow="fold", no_wrap=name == "name"
        )
    for row in rows:
        table.add_row(*(plain(value) for value in row.values()))
    return table


def table_text(table: Table) -> Group:
    """Return a reference table: its rows, and of each column the unit, of each row source and status.

    Parameters
    ----------
    table
        From `sedcalc.table`.

    Notes
    -----
    Where the columns do not fit side by side each row is a paragraph. Sources are numbered and follow the rows.
    """
    sources = list(dict.fromkeys(row["source"] for row in table.rows))
    rows = []
    for row in table.rows:
        cells = {c.name: _cell(row[c.name]) for c in table.columns if c.name not in ("source", "status")}
        rows.append({**cells, "status": row["status"], "source": f"[{sources.index(row['source']) + 1}]"})
    widths = [max(len(name), *(len(row[name]) for row in rows)) for name in rows[0]]
    fits = sum(widths) + _GAP * len(widths) <= _WIDTH
    parts: list[RenderableType] = [Text(table.title, style="bold"), Text("")]
    parts += [_side_by_side(rows)] if fits else [_paragraph(row, table.key) for row in rows]
    parts += [Text(""), *(Text(f"[{i}] {plain(source)}") for i, source in enumerate(sources, 1))]
    parts += [Text(""), *(_column_line(c.name, c.unit, c.meaning) for c in table.columns if c.unit or c.meaning)]
    if table.notes:
        parts += [Text(""), Text(table.notes)]
    return Group(*parts)


def ordinance_text(ordinance: Ordinance) -> Group:
    """Return an ordinance: its limit and to what it applies, its numbers, exemptions and how conflicts are read.

    Parameters
    ----------
    ordinance
        From `sedcalc.load_ordinance`.
    """
    parts: list[RenderableType] = [
        Text(ordinance.title, style="bold"),
        Text(f"{ordinance.place}. Read from: {ordinance.text_source}"),
    ]
    standard = ordinance.standard
    if standard is not None:
        said = f"at most {standard.limit:g} {standard.unit}, {standard.figure.replace('_', ' ')}"
        scope = f"{standard.scope.replace('_', ' ')}; from {_quantity(standard.applies_from_acres, 'acre')} on"
        parts += [_heading("Limit"), _entry(standard.clause, f"{said}, {scope}"), Text(f"  {standard.text}")]
    if ordinance.no_standard is not None:
        no_standard = ordinance.no_standard
        parts += [_heading("Limit"), _entry(no_standard.clause, f"none: {no_standard.reason}")]
    parts.append(_heading("Numbers"))
    for number in ordinance.numbers.values():
        said = f"{number.id.replace('_', ' ')} {_SIGNS[number.comparison]} {_quantity(number.value, number.unit)}"
        parts.append(_entry(number.clause, f"{said} ({number.role}): {number.text}"))
    for title, provisions in (("Applies to", ordinance.applicability), ("Exempt", ordinance.exemptions)):
        if provisions:
            parts.append(_heading(title))
            parts += [_entry(p.clause, p.text) for p in provisions]
    if ordinance.notes:
        parts.append(_heading("How it is read"))
        parts += [_entry(note.clause, note.text) for note in ordinance.notes]
    return Group(*parts)


def _quantity(value: float, unit: str) -> str:
    plural = "s" if value != 1 and unit.endswith(("acre", "day", "mile")) else ""
    return f"{value:g} {unit}{plural}"


def _cell(value: object) -> str:
    return "-" if value is None else plain(f"{value:g}" if isinstance(value, float) else value)


def _side_by_side(rows: list[dict[str, str]]) -> RichTable:
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)
    for name in rows[0]:
        table.add_column(name, no_wrap=True)
    for row in rows:
        table.add_row(*row.values())
    return table


def _paragraph(row: dict[str, str], key: tuple[str, ...]) -> Text:
    text = Text(", ".join(row[k] for k in key), style="bold")
    rest = [f"{name} {value}" for name, value in row.items() if name not in key and value != "-"]
    return text.append(": " + "; ".join(rest), style="not bold")


def _column_line(name: str, unit: str, meaning: str) -> Text:
    unit = {"": "", "1": " (dimensionless)"}.get(unit, f" ({unit})")
    return Text(f"{name}{unit}{f': {meaning}' if meaning else ''}")


def _heading(text: str) -> Rule:
    return Rule(text, align="left", style="dim")


def _entry(clause: str, text: str) -> Text:
    return Text(f"{plain(clause)}  ", style="bold").append(plain(text), style="not bold")
