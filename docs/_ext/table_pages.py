"""Pages of the reference tables, as the program reads them."""

import re
import tomllib
from typing import Final

from pages import WIDE, escaped, grid, shown, toctree

from sedcalc.findings import count_of
from sedcalc.tables import Column, Table, data_folder, table, table_names

_MOST_ROWS: Final = 150
_DATE_COLUMN: Final = re.compile(r"d\d\d_\d\d")
_INTRO: Final = """\
The tables that ship with the package, as the program reads them. Every row has a source and a status: *seen* (read in
a public copy of the source), *derived* (computed by this project from a cited source), or *recalled* (general knowledge
of the source, which is never a silent default). `sedcalc tables NAME` prints the same rows; the loader refuses a table
that breaks its own description."""


def tables_index() -> str:
    """Return the list of the reference tables."""
    lines = []
    for name in table_names():
        found = table(name)
        status = ", ".join(sorted({row["status"] for row in found.rows}))
        lines.append((f"[{escaped(found.title)}](tables/{name}.md)", f"`{name}`", str(len(found.rows)), status))
    pages = toctree(f"tables/{name}" for name in table_names())
    return f"# Reference tables\n\n{_INTRO}\n\n" + grid(["table", "name", "rows", "status"], lines) + pages


def table_page(found: Table) -> str:
    """Return the page of a table: what it is, its columns, and its rows with sources and status."""
    with open(data_folder() / "index.toml", "rb") as index:
        file = tomllib.load(index)[found.name]["file"]
    rows = count_of(len(found.rows), "row")
    text = f"{WIDE}# {found.title}\n\n`sedcalc tables {found.name}`, file `data/{file}`, {rows}, "
    text += f"SHA-256 `{found.sha256[:16]}…`\n\n"
    if found.source:
        status = f" Status: **{found.status}**." if found.status else ""
        text += f"Source: {escaped(found.source)}.{status}\n\n"
    if found.notes:
        text += f"{escaped(found.notes)}\n\n"
    columns = [c for c in found.columns if c.name not in ("source", "status") and not _DATE_COLUMN.fullmatch(c.name)]
    text += "## Columns\n\n" + grid(["column", "unit", "range", "meaning"], map(_column, columns)) + "\n## Rows\n\n"
    if found.name == "ls_table_4_3":
        return text + _by_slope_and_length(found)
    if len(found.rows) > _MOST_ROWS:
        download = f"{{download}}`{file.rpartition('/')[2]} <../../../data/{file}>`"
        return text + f"Too many to print: `sedcalc tables {found.name}` lists them, and {download} is the file.\n"
    names = [c.name for c in found.columns]
    return text + grid([n.replace("_", " ") for n in names], ([shown(row[n]) for n in names] for row in found.rows))


def _column(column: Column) -> tuple[str, ...]:
    unit = {"": "text", "1": "–"}.get(column.unit, column.unit)
    limits = "" if column.type == "text" else f"{column.min:g} to {column.max:g}"
    return f"`{column.name}`", escaped(unit), limits, escaped(column.meaning or ", ".join(column.choices))


def _by_slope_and_length(found: Table) -> str:
    value = {(row["slope_pct"], row["length_ft"]): row for row in found.rows}
    slopes, lengths = (sorted({key[k] for key in value}) for k in (0, 1))

    def cell(slope: float, length: float) -> str:
        row = value.get((slope, length))
        mark = "*" if row is not None and row["status"] == "recalled" else ""
        return "" if row is None else f"{mark}{row['ls']:.2f}{mark}"

    lines = ([f"**{s:g}**", *(cell(s, n) for n in lengths)] for s in slopes)
    says = "LS by slope (down, %) and length (across, ft). Cells in italics are *recalled*, the others derived.\n\n"
    return says + grid(["slope", *(f"{n:g}" for n in lengths)], lines)
