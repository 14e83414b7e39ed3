"""Rows of a reviewer's soil-loss table: which column holds what, by its heading, and the lines around the table.

A per cent sign counts wherever per cent can stand: ``23.4%`` or ``23.4 %`` as text, and cells that Excel shows so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from sedcalc.findings import Finding
from sedcalc.io.site_workbook import WorkbookSite, taken
from sedcalc.io.workbook import Cell, Sheet
from sedcalc.io.workbook_layout import Column, Kind
from sedcalc.site.claims import Taken

ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "activity": ("activity", "land disturbing activity", "land-disturbing activity", "phase"),
    "start": ("begin", "begin date", "start", "start date"),
    "end": ("end", "end date"),
    "share": ("period % r", "period %r", "period % r factor", "% r", "% of annual r", "period r"),
    "R": ("annual r", "annual r factor", "r", "r factor"),
    "texture": ("soil texture", "sub soil texture", "subsoil texture", "texture"),
    "K": ("k", "k factor", "soil erodibility k factor", "soil erodibility"),
    "slope_pct": ("slope", "slope %"),
    "length": ("slope length", "length"),
    "LS": ("ls", "ls factor"),
    "C": ("c", "c factor", "land cover c factor", "cover factor"),
    "P": ("p", "p factor"),
    "soil_loss": ("soil loss", "soil loss a", "a"),
    "delivery": ("delivery factor", "sediment delivery factor", "sdf"),
    "practice": ("practice", "sediment control practice", "management practice"),
    "discharge": ("discharge", "sediment discharge"),
    "unit": ("ground unit", "unit"),
    "drainage_area": ("drainage area",),
    "area": ("area", "acres"),
    "cover": ("cover", "land cover"),
    "organic_matter": ("organic matter", "organic matter %"),
    "efficiency": ("efficiency", "trapping efficiency"),
}
"""Headings of each column, the usual one first; what stands in brackets does not count."""

_KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("activity", "texture", "practice", "unit", "drainage_area", "cover"), "text"),
    **dict.fromkeys(("start", "end"), "date"),
    **dict.fromkeys(("slope_pct", "length", "area", "organic_matter", "delivery"), "number"),
    **dict.fromkeys(("share", "R", "K", "LS", "C", "P", "soil_loss", "discharge", "efficiency"), "printed"),
}
_LABELS: Final[dict[str, tuple[str, ...]]] = {
    "project": ("project", "project name", "site"),
    "county": ("county",),
    "ei_zone": ("ei zone",),
    "ordinance": ("ordinance",),
    "organic_matter": ("organic matter", "organic matter %"),
    "area": ("area", "disturbed area", "disturbed acres", "acres"),
    "tons_per_acre_per_year": ("tons per acre per year", "tons/acre/year", "tons/ac/yr"),
    "percent_reduction": ("percent reduction", "% reduction"),
    "status": ("status", "verdict"),
}
_LABEL_KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("project", "county", "ordinance", "status"), "text"),
    **dict.fromkeys(("organic_matter", "area"), "number"),
    **dict.fromkeys(("tons_per_acre_per_year", "percent_reduction"), "printed"),
    "ei_zone": "integer",
}
NEEDED: Final = ("activity", "start", "end", "slope_pct", "length")
"""Columns without which nothing can be computed."""
_UNITS_OF: Final = {"length": ("ft", "feet"), "area": ("acres", "ac", "acre")}
_OTHER_UNITS: Final = {  # words of a heading's unit that mean another one than the table is read in
    "soil_loss": ("tons/acre", ("ha", "lb", "lbs", "kg")),
    "discharge": ("tons/acre", ("ha", "lb", "lbs", "kg")),
    "R": ("US customary units", ("mj", "si", "ha", "n/h")),
    "K": ("US customary units", ("mj", "si", "ha")),
}
_REMARKS: Final = ("remark", "remarks", "note", "notes", "comment", "comments", "no.", "no", "#", "row", "line")
_PERCENT: Final = ("slope_pct", "organic_matter", "percent_reduction")  # kept as per cent
_SHARES: Final = ("share", "efficiency")  # kept as shares of 1
_PERCENT_TEXT: Final = re.compile(r"\s*([+-]?\d{1,30}(?:\.\d{0,30})?) ?%\s*")
_LEAST_HEADINGS: Final = 6
_NEAR_HEADINGS: Final = 4  # a row with so many known headings is a table that lacks some
_LONG: Final = 200  # a heading, a label
_DIGITS: Final = re.compile(r"[+-]?\d{0,30}(\.\d{0,30})?")


@dataclass(slots=True)
class Row:
    """A row of a reviewer's table.

    Parameters
    ----------
    values
        By column: texts, dates, numbers; claims as printed.
    refs
        The cell of each column that the table has.
    phase, cover
        Id of its phase, and the cover, once they are known.
    taken
        Factors that follow from nothing but the row's claims.
    """

    values: dict[str, Any]
    refs: dict[str, str]
    phase: str = ""
    cover: dict[str, Any] = field(default_factory=dict)
    taken: list[Taken] = field(default_factory=list)

    def get(self, name: str) -> Any:
        """Return the value of a column; None where its cell is empty."""
        return self.values.get(name)

    def number(self, name: str) -> float | None:
        """Return a claim as a number; ValueError where it is none."""
        value = self.values.get(name)
        return None if value is None else float(value)


class ReviewTable:
    """A reviewer's table and the lines around it.

    Parameters
    ----------
    sheet
        The sheet it stands in.
    heading
        Row of its headings, from 0.
    columns
        By name the column, from 0.
    site
        Takes the mistakes, and what was read as per cent.
    """

    def __init__(self, sheet: Sheet, heading: int, columns: dict[str, int], site: WorkbookSite) -> None:
        self.site = site
        self.percent: dict[str, list[Cell]] = {}
        headings = sheet.rows[heading]
        self.in_percent = {n for n, k in columns.items() if n in _SHARES and "%" in str(headings[k].value)} | {"share"}
        self.sheet = sheet
        self.columns = columns
        self.rows: list[Row] = []
        self.total: Row | None = None
        self.lines: dict[str, tuple[Any, str]] = {}
        for number, cells in enumerate(sheet.rows):
            if number < heading or self.total is not None:
                self._line(cells)
            elif number > heading and cells:
                self._row(number, cells)
        for name, texts in self.percent.items():
            said = " was" if len(texts) == 1 else f" and {len(texts) - 1} more were"
            message = f"{name}: {str(texts[0].value).strip()!r}{said} read as per cent"
            site.findings.append(Finding("read-as-percent", "note", message, texts[0].ref))

    def line(self, name: str) -> Any:
        """Return what a line above or below the table says; None where there is none."""
        return self.lines[name][0] if name in self.lines else None

    def _line(self, cells: dict[int, Cell]) -> None:
        """Take ``label`` and value from neighbouring cells, or from one: ``County: Milwaukee, WI``."""
        ordered = [cells[k] for k in sorted(cells)]
        for k, cell in enumerate(ordered):
            label, _, rest = str(cell.value).partition(":")
            name = _named(label, _LABELS)
            if name is None:
                continue
            column = Column((name,), _LABEL_KINDS[name])
            value = ordered[k + 1] if k + 1 < len(ordered) and not rest.strip() else None
            if value is None and rest.strip():
                value = cell._replace(value=_parsed(rest.strip(), column.kind))
            if value is not None and (kept := taken(self.site, column, self._without_sign(name, value))) is not None:
                self.lines[name] = (kept, value.ref)

    def _row(self, number: int, cells: dict[int, Cell]) -> None:
        first = cells.get(self.columns["activity"])
        label = "" if first is None else str(first.value).strip().casefold()
        is_total = label.startswith("total")
        dated = self.columns["start"] in cells or self.columns["end"] in cells
        if not is_total and not dated and (first is None or _named(label, _LABELS) is not None):
            self._line(cells)
            return
        row = Row({}, {name: self.sheet.ref(number, k) for name, k in self.columns.items()})
        for name, k in self.columns.items():
            if k not in cells or (is_total and name not in ("soil_loss", "discharge")):
                continue
            value = taken(self.site, Column((name,), _KINDS[name]), self._without_sign(name, cells[k]))
            if value is not None:
                row.values[name] = self._share(name, value, cells[k]) if name in _SHARES else value
        if is_total:
            self.total = row
        else:
            self.rows.append(row)

    def _without_sign(self, name: str, cell: Cell) -> Cell:
        """Return a cell that says per cent, by a sign in its text or by its format, as a number of the column."""
        if name not in (*_PERCENT, *_SHARES):
            return cell
        found = _PERCENT_TEXT.fullmatch(cell.value[:_LONG]) if isinstance(cell.value, str) else None
        if found is not None:
            self.percent.setdefault(_heading(name), []).append(cell)
            number = Decimal(found.group(1))
            shown = f"{number.scaleb(-2) if name in _SHARES else number:f}"
            return cell._replace(value=float(shown), printed=shown, percent=name in _SHARES)
        if (
            cell.percent
            and name in _PERCENT
            and isinstance(cell.value, int | float)
            and _DIGITS.fullmatch(cell.printed)
        ):
            shown = f"{Decimal(cell.printed).scaleb(2):f}"
            return cell._replace(value=float(Decimal(repr(cell.value)).scaleb(2)), printed=shown, percent=False)
        return cell

    def _share(self, name: str, printed: str, cell: Cell) -> str:
        """Return a share of 1 as printed, from a percentage where the column is one."""
        signed = isinstance(cell.value, str) and "%" in cell.value
        if cell.percent or signed or name not in self.in_percent:
            return printed
        if not _DIGITS.fullmatch(printed) or not any(c.isdigit() for c in printed):
            return printed  # what is no number is reported with the claim
        if name == "efficiency" and 0.0 < float(printed) <= 1.0:
            message = f"{printed} stands in a column of per cent; write {float(printed) * 100:g} if it is a share of 1"
            self.site.mistake("not-a-percentage", message, cell.ref)
        return f"{Decimal(printed).scaleb(-2):f}"


def find_table(sheets: Sequence[Sheet], site: WorkbookSite) -> ReviewTable | None:
    """Return the first table with a reviewer's headings; None where there is none.

    Parameters
    ----------
    sheets
        Of a workbook.
    site
        Takes the mistakes in headings and cells.
    """
    most: tuple[dict[int, Cell], dict[str, int]] = ({}, {})
    for sheet in sheets:
        for number, cells in enumerate(sheet.rows):
            columns = _columns(cells)
            if len(columns) >= _LEAST_HEADINGS and {"activity", "start", "end"} <= columns.keys():
                _check_headings(site, cells, columns)
                return ReviewTable(sheet, number, columns, site)
            if len(columns) > len(most[1]):
                most = (cells, columns)
    if len(most[1]) >= _NEAR_HEADINGS:
        _check_headings(site, *most)
    return None


def _heading(name: str) -> str:
    """Return how a column or line is called."""
    return (ALIASES.get(name) or _LABELS[name])[0]


def _named(text: str, names: dict[str, tuple[str, ...]]) -> str | None:
    plain = " ".join(re.sub(r"\([^)]*\)", " ", text[:_LONG]).replace(":", " ").split()).casefold()
    return next((name for name, aliases in names.items() if plain in aliases), None)


def _columns(cells: dict[int, Cell]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for k, cell in cells.items():
        name = _named(str(cell.value), ALIASES)
        if name is not None:
            columns.setdefault(name, k)
    return columns


def _check_headings(site: WorkbookSite, cells: dict[int, Cell], columns: dict[str, int]) -> None:
    """Report columns that are unknown, double or in other units, and those that lack: one mistake each."""
    missing = [name for name in NEEDED if name not in columns]
    for k, cell in cells.items():
        text = str(cell.value)[:_LONG]
        name = _named(text, ALIASES)
        if name is None and text.strip().casefold() not in _REMARKS:
            hint = f"; rename it where it is {' or '.join(map(repr, map(_heading, missing)))}" if missing else ""
            message = f"no column of the table is called {text[:60]!r}{hint or '; leave it out, or call it Remarks'}"
            site.mistake("unknown-field", message, cell.ref)
        elif name is not None and columns[name] != k:
            site.mistake("duplicate-field", f"two columns are called {_heading(name)!r}; one may remain", cell.ref)
        unit = re.search(r"\(([^)]*)\)", text)
        said = "" if unit is None else unit.group(1).strip()
        if name in _UNITS_OF and said and said.casefold() not in _UNITS_OF[name]:
            message = f"the table is read in {_UNITS_OF[name][0]}, and the heading says {said[:20]}; convert the column"
            site.mistake("unit-differs", message, cell.ref)
        if name in _OTHER_UNITS and set(re.split(r"[ /·*()-]+", said.casefold())) & set(_OTHER_UNITS[name][1]):
            message = f"the table is read in {_OTHER_UNITS[name][0]}, and the heading says {said[:40]}; convert it"
            site.mistake("unit-differs", message, cell.ref)
    for name in missing:
        known = ", ".join(repr(a) for a in ALIASES[name])
        message = f"no column {_heading(name)!r}, without which nothing can be computed; it may be called {known}"
        site.mistake("missing-field", message, next(iter(cells.values())).ref)


def _parsed(text: str, kind: Kind) -> Any:
    """Return the value of a line that has label and value in one cell."""
    if kind in ("number", "integer"):
        try:
            return float(text)
        except ValueError:
            return text
    return text
