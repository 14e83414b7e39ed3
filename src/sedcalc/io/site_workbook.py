"""A site in a workbook: its sheets to the plain data of a site file, and mistakes to the cells they stand in."""

import datetime
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sedcalc.findings import Finding
from sedcalc.io.workbook import Cell, Sheet
from sedcalc.io.workbook_layout import Column, Layout, divided, layouts

INSTRUCTIONS: Final = "Instructions"
LISTS: Final = "Lists"
FIELD, VALUE, UNIT, WHAT = range(4)
"""Columns of a sheet of single values."""

_HEADING: Final = re.compile(r"\s*(.*?)\s*(?:\((.*)\))?\s*")
_LONG_HEADING: Final = 200
_MOST_MISTAKES: Final = 1_000
_MOST_HINTS: Final = 20
_PARENTS: Final = ("Segments", "Slopes", "Practice shares")


@dataclass(slots=True)
class WorkbookSite:
    """What a workbook says of a site.

    Parameters
    ----------
    data
        As a TOML file of the site gives it.
    places
        The cell, or row, of each path in the data.
    findings
        What is wrong with cells, and what was assumed.
    """

    data: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def mistake(self, code: str, message: str, ref: str) -> None:
        """Add a mistake.

        Parameters
        ----------
        code, message
            As in `Finding`.
        ref
            The cell.
        """
        if len(self.findings) < _MOST_MISTAKES:
            self.findings.append(Finding(code, "error", message, ref))
        elif len(self.findings) == _MOST_MISTAKES:
            message = f"over {_MOST_MISTAKES:,} mistakes; the rest is not listed: correct these first"
            self.findings.append(Finding("too-many-mistakes", "error", message, ref))

    def located(self, found: Sequence[Finding]) -> list[Finding]:
        """Return findings with the cell in the place of the path; without those of cells that have a mistake already.

        Parameters
        ----------
        found
            Findings on `data`.
        """
        faulty = {f.where for f in self.findings if f.severity == "error"}
        above = {head for path, ref in self.places.items() if ref in faulty for head in _heads(path)}
        kept = []
        for finding in found:
            ref, rest = self._cell(finding.where or "")
            if ref is None or (ref not in faulty and not (rest and finding.where in above)):
                where = finding.where if ref is None else f"{ref}, {_part(rest)}" if rest else ref
                kept.append(replace(finding, where=where))
        return kept

    def _cell(self, path: str) -> tuple[str | None, str]:
        known = path
        while known and known not in self.places:
            known = known[: max(known.rfind("."), known.rfind("["), 0)]
        return self.places.get(known), path[len(known) :].lstrip(".")


def _part(rest: str) -> str:
    """Return what of a cell or row a path goes on to: of a list in a cell ``entry 1`` for ``[0]``."""
    found = re.fullmatch(r"\[(\d+)\]", rest)
    return f"entry {int(found[1]) + 1}" if found else rest


def _heads(path: str) -> list[str]:
    """Return the paths of the parts that hold a field: of ``a[1].b.c`` ``a``, ``a[1]`` and ``a[1].b``."""
    return [path[: m.start()] for m in re.finditer(r"[.\[]", path)]


def is_site_workbook(sheets: Sequence[Sheet]) -> bool:
    """Return whether sheets are those of a site: the first of its layout is there.

    Parameters
    ----------
    sheets
        Of a workbook.
    """
    return any(s.name == layouts()[0].sheet for s in sheets)


def site_of_sheets(sheets: Sequence[Sheet]) -> WorkbookSite:
    """Return what the sheets of a site's workbook say.

    Parameters
    ----------
    sheets
        Of the workbook. ``Instructions``, ``Lists`` and sheets whose name begins with ``Notes`` are not read.

    Returns
    -------
    WorkbookSite
        Data, the cells they come from, and mistakes: unknown sheets and headings, another unit than the site's, text
        where a number or a date is wanted, and numbers where a text is.
    """
    site = WorkbookSite()
    by_name = {layout.sheet: layout for layout in layouts()}
    found: dict[str, Sheet] = {}
    for sheet in sheets:
        if sheet.name in by_name:
            found[sheet.name] = sheet
        elif sheet.name not in (INSTRUCTIONS, LISTS) and not sheet.name.startswith("Notes"):
            near = difflib.get_close_matches(sheet.name[:60], by_name, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            message = f"no sheet of a site is called so{hint} Sheets that begin with Notes are left alone"
            site.mistake("unknown-sheet", message, f"{sheet.name}!A1")
    tables: dict[str, list[tuple[dict[str, Any], str]]] = {}
    for layout in layouts():
        if layout.sheet not in found:
            continue
        if layout.many:
            tables[layout.sheet] = _table(site, layout, found[layout.sheet])
        else:
            _single_values(site, layout, found[layout.sheet])
    for name in ("project", "location"):
        if name in site.places:
            site.data.setdefault(name, {})
    _join(site, tables)
    _check_units(site, found)
    return site


def _single_values(site: WorkbookSite, layout: Layout, sheet: Sheet) -> None:
    columns = {c.name: c for c in layout.columns}
    seen: dict[str, str] = {}
    for number, row in enumerate(sheet.rows[1:], start=1):
        ref = sheet.ref(number, FIELD)
        cell, value = row.get(FIELD), row.get(VALUE)
        if cell is None:
            if value is not None:
                site.mistake("no-field", "a value without the name of its field in column A", ref)
            continue
        column = columns.get(str(cell.value))
        if column is None:
            _unknown(site, str(cell.value), columns, ref, "field")
            continue
        if column.name in seen:
            site.mistake("duplicate-field", f"{column.name} stands in {seen[column.name]} already", ref)
            continue
        seen[column.name] = ref
        path = ".".join(column.path)
        site.places[path] = sheet.ref(number, VALUE)
        for k in range(1, len(column.path)):
            site.places.setdefault(".".join(column.path[:k]), sheet.ref(0, 0))
        if value is not None and (kept := taken(site, column, value)) is not None:
            _put(site.data, column.path, kept)


def _table(site: WorkbookSite, layout: Layout, sheet: Sheet) -> list[tuple[dict[str, Any], str]]:
    """Return the parts of a list with the cell each begins at; note the cells of their fields."""
    columns = _headings(site, layout, sheet)
    parts: list[tuple[dict[str, Any], str]] = []
    by_id: dict[str, int] = {}
    for number, row in enumerate(sheet.rows[1:], start=1):
        if not row:
            continue
        part: dict[str, Any] = {}
        for k, cell in row.items():
            if k not in columns:
                if sheet.rows[0].get(k) is None:
                    site.mistake("no-heading", "a value in a column without heading", cell.ref)
                continue
            value = taken(site, columns[k], cell)
            if value is not None:
                _put(part, columns[k].path, value)
        if layout.sheet == "Phases" and part.get("id") in by_id:
            _same_phase(site, parts[by_id[part["id"]]], part, sheet.ref(number, 0))
            continue
        by_id.setdefault(str(part.get("id")), len(parts))
        base = f"{'.'.join(layout.path)}[{len(parts)}]"
        if layout.sheet not in _PARENTS:
            site.places[base] = sheet.ref(number, 0)
            for k, column in columns.items():
                site.places[f"{base}.{'.'.join(column.path)}"] = sheet.ref(number, k)
        parts.append((part, sheet.ref(number, 0)))
    site.places.setdefault(".".join(layout.path), sheet.ref(0, 0))
    return parts


def _headings(site: WorkbookSite, layout: Layout, sheet: Sheet) -> dict[int, Column]:
    by_name = {c.name: c for c in layout.columns}
    columns: dict[int, Column] = {}
    for k, cell in (sheet.rows[0] if sheet.rows else {}).items():
        name = _name_and_unit(cell)[0]
        if name not in by_name:
            _unknown(site, name, by_name, cell.ref, "heading")
        elif by_name[name] in columns.values():
            site.mistake("duplicate-field", f"two columns are headed {name}", cell.ref)
        else:
            columns[k] = by_name[name]
    return columns


def _check_units(site: WorkbookSite, sheets: dict[str, Sheet]) -> None:
    """Compare the units that headings, and lines of single values, print with those of the site."""
    units = site.data.get("units")
    if units not in ("us", "si"):
        return  # the mistake in units is reported itself
    for layout in layouts():
        sheet = sheets.get(layout.sheet)
        if sheet is None or not sheet.rows:
            continue
        columns = {c.name: c for c in layout.columns}
        if layout.many:
            printed = [(*_name_and_unit(cell), cell.ref) for cell in sheet.rows[0].values()]
        else:
            printed = [
                (str(r[FIELD].value), str(r[UNIT].value), r[UNIT].ref) for r in sheet.rows if {FIELD, UNIT} <= r.keys()
            ]
        for name, unit, ref in printed:
            column = columns.get(name)
            if column is not None and unit and unit != column.unit(units):
                wanted = column.unit(units) or "no unit"
                message = f"this is in {unit[:40]}; with units = {units} of the sheet Project it is in {wanted}"
                site.mistake("unit-differs", message, ref)


def _name_and_unit(cell: Cell) -> tuple[str, str]:
    match = _HEADING.fullmatch(str(cell.value)[:_LONG_HEADING].replace("\n", " "))
    return (match.group(1), match.group(2) or "") if match else (str(cell.value), "")


def _unknown(site: WorkbookSite, name: str, known: dict[str, Column], ref: str, what: str) -> None:
    near = difflib.get_close_matches(name[:60], known, n=2) if len(site.findings) < _MOST_HINTS else []
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    site.mistake("unknown-field", f"{name[:60]!r} is no {what} of this sheet{hint}", ref)


def _put(data: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for step in path[:-1]:
        data = data.setdefault(step, {})
    data[path[-1]] = value


def _join(site: WorkbookSite, tables: dict[str, list[tuple[dict[str, Any], str]]]) -> None:
    """Put the rows of the lists where they belong."""
    for layout in layouts():
        rows = tables.get(layout.sheet)
        if not rows or layout.sheet in _PARENTS:
            continue
        _put(site.data, layout.path, [part for part, _ in rows])
    owners = _Owners(site)
    for part, ref in tables.get("Slopes", ()):
        owner, path = owners.find("phases", part.pop("phase", None), "phase", ref)
        if owner is not None:
            owners.slopes[id(owner), part.get("unit")] = (part, f"{path}.slopes[{len(owner.get('slopes', ()))}]")
            _append(site, owner, "slopes", part, f"{path}.slopes", ref)
    for part, ref in tables.get("Segments", ()):
        owner, path = owners.of_segment(part, ref)
        if owner is not None:
            _append(site, owner, "segments", part, f"{path}.segments", ref)
    whole: set[tuple[int, str]] = set()
    for i, practice in enumerate(site.data.get("practices", ())):
        names = practice.pop("drainage_areas", ())
        whole |= {(i, name) for name in names}
        if names:
            practice["drainage_areas"] = [{"id": name} for name in names]
        site.places.setdefault(f"practices[{i}].drainage_areas", site.places[f"practices[{i}]"])
    for part, ref in tables.get("Practice shares", ()):
        owner, path = owners.find("practices", part.pop("practice", None), "practice", ref)
        if owner is None:
            continue
        drained = {"id" if k == "drainage_area" else k: v for k, v in part.items()}
        if (owners.index["practices"][owner["id"]], drained.get("id")) in whole:
            message = f"{drained['id']!r} stands in the sheet Practices, too, which gives all of it; keep one of them"
            site.mistake("drains-twice", message, ref)
        else:
            _append(site, owner, "drainage_areas", drained, f"{path}.drainage_areas", ref)


class _Owners:
    """Finds the part that a row of another sheet belongs to."""

    def __init__(self, site: WorkbookSite) -> None:
        self.site = site
        self.index: dict[str, dict[Any, int]] = {}
        self.slopes: dict[tuple[int, Any], tuple[dict[str, Any], str]] = {}
        for what in ("ground_units", "phases", "practices"):
            self.index[what] = {}
            for i, part in enumerate(site.data.get(what, ())):
                self.index[what].setdefault(part.get("id"), i)

    def find(self, what: str, name: Any, column: str, ref: str) -> tuple[dict[str, Any] | None, str]:
        """Return a part by its id, and its path; None, with a mistake noted, where there is none."""
        said = column.replace("_", " ")
        if name is None:
            self.site.mistake("missing-field", f"{column} is empty: it says where the row belongs", ref)
        elif name not in self.index[what]:
            self.site.mistake(f"unknown-{said.replace(' ', '-')}", f"no {said} is called {name!r}", ref)
        else:
            i = self.index[what][name]
            return self.site.data[what][i], f"{what}[{i}]"
        return None, ""

    def of_segment(self, part: dict[str, Any], ref: str) -> tuple[dict[str, Any] | None, str]:
        """Return the ground unit, or the slope of a phase, that a segment is of, and its path."""
        unit, phase = part.pop("ground_unit", None), part.pop("phase", None)
        if phase is None:
            return self.find("ground_units", unit, "ground_unit", ref)
        owner, _ = self.find("phases", phase, "phase", ref)
        if owner is None:
            return None, ""
        slope = self.slopes.get((id(owner), unit))
        if slope is None:
            message = f"the sheet Slopes has no row for phase {phase!r} and ground unit {unit!r}; add it"
            self.site.mistake("unknown-slope", message, ref)
            return None, ""
        return slope


def _append(site: WorkbookSite, owner: dict[str, Any], name: str, part: dict[str, Any], path: str, ref: str) -> None:
    parts = owner.setdefault(name, [])
    site.places[f"{path}[{len(parts)}]"] = ref
    parts.append(part)


def _same_phase(site: WorkbookSite, first: tuple[dict[str, Any], str], part: dict[str, Any], ref: str) -> None:
    """Add the ground units of a further row of a phase; its other cells are empty, or say the same."""
    owner, where = first
    differing = sorted(k for k, v in part.items() if k != "units" and owner.get(k) != v)
    if differing:
        message = (
            f"the phase begins in {where}, and here {', '.join(differing)} differs; leave further rows of a phase "
            "empty but for id and units, or give the phase another id"
        )
        site.mistake("phase-differs", message, ref)
    owner.setdefault("units", []).extend(part.get("units", ()))


def taken(site: WorkbookSite, column: Column, cell: Cell) -> Any:
    """Return the value of a cell as its column wants it; None, with a mistake noted, where it is something else.

    Parameters
    ----------
    site
        Takes the mistake.
    column
        What is wanted.
    cell
        The cell.
    """
    if cell.problem is not None:
        site.mistake("no-value", f"{column.name}: {cell.problem}", cell.ref)
        return None
    value = _TAKERS[column.kind](cell)
    if value is None:
        site.mistake("wrong-kind", f"{column.name}: {_said(cell.value)} {_REMEDIES[column.kind]}", cell.ref)
    return value


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return f"the text {value[:60]!r}"
    if isinstance(value, datetime.datetime | datetime.date | datetime.time | datetime.timedelta):
        return f"the date or time {value}"
    return f"the number {value!r}"


def _text(cell: Cell) -> str | None:
    return cell.value if isinstance(cell.value, str) else None


def _number(cell: Cell) -> float | None:
    return cell.value if isinstance(cell.value, int | float) and not isinstance(cell.value, bool) else None


def _integer(cell: Cell) -> int | None:
    value = _number(cell)
    return int(value) if value is not None and value == value // 1 else None


def _date(cell: Cell) -> datetime.date | None:
    value = cell.value
    if isinstance(value, datetime.datetime):
        return value.date() if value.time() == datetime.time() else None
    return value if isinstance(value, datetime.date) else None


def _yes_no(cell: Cell) -> bool | None:
    return cell.value if isinstance(cell.value, bool) else {"yes": True, "no": False}.get(str(cell.value))


def _printed(cell: Cell) -> str | None:
    return cell.value if isinstance(cell.value, str) else cell.printed or None


def _texts(cell: Cell) -> list[str] | None:
    return divided(cell.value) if isinstance(cell.value, str) else None


def _numbers(cell: Cell) -> list[float] | None:
    try:
        return [float(item) for item in _texts(cell) or ()] or None
    except ValueError:
        return None


def _dates(cell: Cell) -> list[datetime.date] | None:
    single = _date(cell)
    if single is not None:
        return [single]
    try:
        items = _texts(cell)
        return None if items is None else [datetime.date.fromisoformat(item) for item in items]
    except ValueError:
        return None


_TAKERS: Final[dict[str, Callable[[Cell], Any]]] = {
    "text": _text,
    "number": _number,
    "integer": _integer,
    "date": _date,
    "yes/no": _yes_no,
    "printed": _printed,
    "texts": _texts,
    "numbers": _numbers,
    "dates": _dates,
}

_REMEDIES: Final = {
    "text": "stands where a text is wanted; format the cell as text, and type it again",
    "number": "stands where a number is wanted; format the cell as a number, and type it again without unit",
    "integer": "stands where a whole number is wanted",
    "date": "stands where a date is wanted; format the cell as a date and type it again",
    "yes/no": "stands where yes or no is wanted",
    "printed": "stands where a number is wanted",
    "texts": 'stands where texts divided by semicolons are wanted; a text with a semicolon is put in quotes (")',
    "numbers": "stands where numbers divided by semicolons are wanted",
    "dates": "stands where dates (YYYY-MM-DD) divided by semicolons are wanted",
}
