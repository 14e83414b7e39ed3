"""Workbooks of a site: the template that an engineer fills in, and a site written as one."""

import datetime
import io
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sedcalc.findings import input_error
from sedcalc.io.site_workbook import INSTRUCTIONS, LISTS
from sedcalc.io.workbook import column_letters, need_extra
from sedcalc.io.workbook_layout import Column, Layout, joined, layouts
from sedcalc.limits import refuse_over
from sedcalc.site.parsing import parse_site
from sedcalc.site.starter import starter_text, write_new
from sedcalc.site.submission import Site
from sedcalc.tables import ordinance_names, table

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet

_MADE: Final = datetime.datetime(2000, 1, 1)  # of every workbook: equal content, equal bytes
_ZIPPED: Final = (1980, 1, 1, 0, 0, 0)
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
_BLANK_ROWS: Final = 300  # rows of a list that have drop-downs
_MOST_WIDTH: Final = 44

_TABLES: Final = {
    "covers": ("covers", "cover"),
    "surface conditions": ("support_p", "surface"),
    "textures": ("k_by_texture", "texture"),
    "practices": ("trapping", "name"),
    "kinds of practice": ("trapping", "practice"),
    "mats": ("mat_classes", "mat"),
}
_LIST_OF: Final = {
    "texture": "textures",
    "mat": "mats",
    "catalogue": "practices",
    "kind": "kinds of practice",
    "ordinance": "ordinances",
}
_SHEET_OF: Final = {
    "drainage_area": "Drainage areas",
    "soil": "Soils",
    "unit": "Ground units",
    "ground_unit": "Ground units",
    "phase": "Phases",
    "practice": "Practices",
    "drains_to": "Practices",
}

_INTRODUCTION: Final = (
    "A construction site for sedcalc",
    "Fill in the sheets and save the file as .xlsx; then: sedcalc run FILE.xlsx, or sedcalc verify FILE.xlsx, which "
    "checks the numbers of the sheets Claims and Claimed rows.",
    "It computes as it stands. Replace what is here with your own site. Empty cells state nothing.",
    "Headings are the names of the fields, with their units; columns may be left out and stand in any order. Numbers "
    "are typed as numbers and dates as dates. Lists in one cell are divided by semicolons.",
    "Names of covers, surface conditions, textures and practices are those of the drop-downs (sheet Lists, from the "
    "reference tables; `sedcalc tables` shows their sources). Another C, P, K or efficiency needs its source.",
    "A phase stands in one row with all its ground units, or in one row for each of them: then id and units are given "
    "and the rest may stay empty.",
    "A claim counts with the digits that its cell shows; a text such as 0.80 keeps its zeros.",
    "Sheets whose name begins with Notes are left alone; other sheets of your own are reported.",
)


def site_workbook(site: Site) -> bytes:
    """Return a site as a workbook that `sedcalc.read_site` reads back, with instructions and drop-downs.

    Parameters
    ----------
    site
        The site.

    Returns
    -------
    bytes
        An ``.xlsx`` file; equal sites give equal bytes.

    Raises
    ------
    InputError
        If a text of the site cannot stand in a cell: control characters, carriage returns, over 32,767 characters; or a
        list has more rows than are read.
    EnvironmentFault
        If the extra ``xlsx`` is not installed.
    """
    need_extra()
    from openpyxl import Workbook

    data = site.model_dump(exclude_defaults=True)
    for name in ("format", "units", "ordinance"):
        data[name] = getattr(site, name)
    _name_rows(data)
    book = Workbook()
    book.remove(book.active)
    sheets = [layout for layout in layouts() if layout.sheet not in ("Grid", "Overrides") or _has(data, layout)]
    _instructions(book, sheets)
    lists = _lists()
    for layout in sheets:
        write = _write_list if layout.many else _write_single
        write(book, layout, data, site.units, lists)
    sheet = book.create_sheet(LISTS)
    for k, (name, values) in enumerate(lists.items(), start=1):
        for row, value in enumerate((name, *values), start=1):
            put_text(sheet.cell(row, k), value)
        sheet.column_dimensions[column_letters(k - 1)].width = _MOST_WIDTH
    heading_style(sheet, 1)
    return workbook_bytes(book)


def write_site_workbook(site: Site, path: str | Path) -> Path:
    """Write a site as the workbook template, filled: `sedcalc.read_site` reads the same site from it.

    Parameters
    ----------
    site
        From `sedcalc.read_site`.
    path
        An ``.xlsx`` file; one that exists is not touched.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        If the name ends otherwise, there is such a file, its folder does not exist, or a text of the site cannot stand
        in a cell.
    EnvironmentFault
        If the extra ``xlsx`` is not installed, or the file cannot be written.

    Examples
    --------
    The shipped site as a workbook is the same site:

    >>> import tempfile
    >>> import sedcalc as sc
    >>> site = sc.read_site(sc.example("hales_corners_subdivision.toml"))
    >>> path = sc.write_site_workbook(site, Path(tempfile.mkdtemp()) / "site.xlsx")
    >>> sc.read_site(path).content_sha256() == site.content_sha256()
    True
    """
    target = Path(path)
    if target.suffix.lower() != ".xlsx":
        raise input_error("unknown-format", f"{target.suffix or 'no'} ending; name an .xlsx file", str(target))
    write_new(target, site_workbook(site))
    return target


def starter_workbook() -> bytes:
    """Return the workbook that ``sedcalc new site.xlsx`` writes: the site of `sedcalc.site.starter`."""
    site, found = parse_site(tomllib.loads(starter_text()))
    assert site is not None
    assert not found
    return site_workbook(site)


def workbook_bytes(book: "Workbook") -> bytes:
    """Return a workbook as the bytes of an ``.xlsx`` file that depend on its content alone.

    Parameters
    ----------
    book
        The workbook; its dates of creation and change are set.
    """
    from openpyxl.writer.excel import ExcelWriter

    book.properties.creator = "sedcalc"
    book.properties.created = book.properties.modified = _MADE
    first = io.BytesIO()
    ExcelWriter(book, zipfile.ZipFile(first, "w")).save()
    made = io.BytesIO()
    with zipfile.ZipFile(first) as parts, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in parts.namelist():
            info = zipfile.ZipInfo(name, _ZIPPED)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, parts.read(name))
    return made.getvalue()


def put_text(cell: "Cell", text: str) -> None:
    """Write a text that never is a formula, whatever it begins with.

    Parameters
    ----------
    cell
        The cell.
    text
        The text.

    Raises
    ------
    InputError
        If a cell cannot hold it.
    """
    if len(text) > 32_767:
        raise input_error("not-for-a-cell", f"a text of {len(text):,} characters; a cell holds 32,767", text[:60])
    if any(not c.isprintable() and c not in "\n\t" and not c.isspace() for c in text) or "\r" in text:
        message = "a control character, which a cell does not hold; remove it"
        raise input_error("not-for-a-cell", message, repr(text[:60]))
    cell.value = text
    cell.data_type = "s"
    if text.startswith(_FORMULA_STARTS):
        cell.quotePrefix = True  # so that it stays a text where it is typed anew


def put_number(cell: "Cell", value: float) -> None:
    """Write a number with all of its digits; openpyxl by itself writes 16, which do not give every number back.

    Parameters
    ----------
    cell
        The cell.
    value
        A finite number.
    """
    cell.value = repr(value if isinstance(value, int) else float(value))  # plain, of a numpy number too
    cell.data_type = "n"


def _name_rows(data: dict[str, Any]) -> None:
    """Lay nested lists out as the rows of their own sheets."""
    segments, slopes, shares = [], [], []
    for unit in data["ground_units"]:
        segments += [{"ground_unit": unit["id"], **s} for s in unit.pop("segments", None) or ()]
    for phase in data["phases"]:
        for slope in phase.pop("slopes", ()):
            own = slope.pop("segments", None) or ()
            segments += [{"ground_unit": slope["unit"], "phase": phase["id"], **s} for s in own]
            slopes.append({"phase": phase["id"], **slope})
    for practice in data.get("practices", ()):
        drained = practice.pop("drainage_areas", ())
        if any("share" in d for d in drained):
            for d in drained:
                shares.append({"practice": practice["id"], "drainage_area": d["id"], "share": d.get("share", 1.0)})
        elif drained:
            practice["drainage_areas"] = [d["id"] for d in drained]
    data |= {"segments": segments, "slopes": slopes, "practice_shares": shares}


def _has(data: dict[str, Any], layout: Layout) -> bool:
    return any(_found(data, layout.path if layout.many else c.path) is not None for c in layout.columns)


def _found(data: Any, path: Sequence[str]) -> Any:
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _instructions(book: "Workbook", sheets: Sequence[Layout]) -> None:
    from openpyxl.styles import Alignment, Font

    sheet = book.create_sheet(INSTRUCTIONS)
    lines = [*_INTRODUCTION, "", *(f"{layout.sheet}: {layout.what}." for layout in sheets)]
    further = [f"{layout.sheet}: {', '.join(n)}." for layout in sheets if layout.many and (n := _rare_names(layout))]
    lines += ["", "Further columns, where a site needs them:", *further, "`sedcalc schema` describes every field."]
    for row, line in enumerate(lines, start=1):
        if line:
            put_text(sheet.cell(row, 1), line)
        sheet.cell(row, 1).alignment = Alignment(wrap_text=True, vertical="top")
    sheet.cell(1, 1).font = Font(bold=True, size=14)
    sheet.column_dimensions["A"].width = 110


def _rare_names(layout: Layout) -> list[str]:
    return [c.name for c in layout.columns if c.rare]


def _lists() -> dict[str, tuple[str, ...]]:
    found = {name: tuple(dict.fromkeys(str(row[c]) for row in table(t).rows)) for name, (t, c) in _TABLES.items()}
    by_size = {str(r["name"]) for r in table("trapping").rows if r["needs_size_rule"] == "yes"}
    found["practices"] = tuple(n for n in found["practices"] if n not in by_size)
    found["ordinances"] = tuple(ordinance_names())
    return found


def _write_single(
    book: "Workbook", layout: Layout, data: dict[str, Any], units: str, lists: dict[str, tuple[str, ...]]
) -> None:
    sheet = book.create_sheet(layout.sheet)
    for k, heading in enumerate(("field", "value", "unit", "what it is"), start=1):
        put_text(sheet.cell(1, k), heading)
    row = 1
    for column in layout.columns:
        value = _found(data, column.path)
        if value is None and column.rare and layout.sheet != "Grid":
            continue
        row += 1
        put_text(sheet.cell(row, 1), column.name)
        for k, text in ((3, column.unit(units)), (4, column.what)):
            if text:
                put_text(sheet.cell(row, k), text)
        _style(sheet.cell(row, 2), column)
        if value is not None:
            _put_value(sheet.cell(row, 2), column, value)
        _validate(sheet, column, f"B{row}", lists)
    heading_style(sheet, 1)
    for letter, width in (("A", 36), ("B", 40), ("C", 32), ("D", 70)):
        sheet.column_dimensions[letter].width = width


def _write_list(
    book: "Workbook", layout: Layout, data: dict[str, Any], units: str, lists: dict[str, tuple[str, ...]]
) -> None:
    sheet = book.create_sheet(layout.sheet)
    parts = _found(data, layout.path) or ()
    refuse_over("workbook_rows", len(parts) + 1, ".".join(layout.path), what="the sheet", code="workbook-too-large")
    used = [c for c in layout.columns if not c.rare or any(_found(p, c.path) is not None for p in parts)]
    for k, column in enumerate(used, start=1):
        letter = column_letters(k - 1)
        put_text(sheet.cell(1, k), column.heading(units))
        sheet.column_dimensions[letter].width = min(max(12, len(column.heading(units)) + 2), _MOST_WIDTH)
        for row in range(2, max(len(parts), 1) + 2):
            _style(sheet.cell(row, k), column)
        for row, part in enumerate(parts, start=2):
            value = _found(part, column.path)
            if value is not None:
                _put_value(sheet.cell(row, k), column, value)
        sheet.column_dimensions[letter].number_format = _format(column)
        _validate(sheet, column, f"{letter}2:{letter}{max(len(parts) + 1, _BLANK_ROWS)}", lists)
    heading_style(sheet, 1)


def _format(column: Column) -> str:
    kinds = {"date": "yyyy-mm-dd", "number": "General", "integer": "0"}
    return kinds.get(column.kind, "@")


def _style(cell: "Cell", column: Column) -> None:
    cell.number_format = _format(column)


def _put_value(cell: "Cell", column: Column, value: Any) -> None:
    if column.kind == "yes/no":
        value = "yes" if value else "no"
    elif column.kind in ("texts", "numbers", "dates"):
        value = joined(
            [v if isinstance(v, str) else v.isoformat() if column.kind == "dates" else repr(v) for v in value]
        )
    if isinstance(value, str):
        put_text(cell, value)
    elif isinstance(value, datetime.date):
        cell.value = value
        cell.number_format = _format(column)  # openpyxl sets its own with a date
    else:
        put_number(cell, value)


def heading_style(sheet: "Worksheet", row: int) -> None:
    """Set a row off as the heading of what stands below it.

    Parameters
    ----------
    sheet, row
        The sheet, and the row from 1.
    """
    from openpyxl.styles import Alignment, Font, PatternFill

    for cell in sheet[row]:
        cell.font = Font(bold=True)
        cell.fill = PatternFill("solid", fgColor="FFE3E8EC")
        cell.alignment = Alignment(wrap_text=True, vertical="top")
    sheet.freeze_panes = sheet.cell(row + 1, 2 if sheet.max_column > 2 else 1)


def _validate(sheet: "Worksheet", column: Column, cells: str, lists: dict[str, tuple[str, ...]]) -> None:
    """Give cells their drop-down, and the meaning of their field where they are chosen."""
    from openpyxl.worksheet.datavalidation import DataValidation

    options: dict[str, Any] = {"allow_blank": True}
    if column.choices and column.kind == "text":
        options |= {"type": "list", "formula1": f'"{",".join(column.choices)}"', "showErrorMessage": True}
    elif column.kind == "yes/no":
        options |= {"type": "list", "formula1": '"yes,no"', "showErrorMessage": True}
    elif (source := _source(column, lists)) is not None:
        options |= {"type": "list", "formula1": source}
    elif column.kind == "date":
        options |= {"type": "date", "operator": "greaterThan", "formula1": "1", "showErrorMessage": True}
    elif column.kind in ("number", "integer"):
        options |= {"type": "decimal", "operator": "greaterThanOrEqual", "formula1": "0", "showErrorMessage": True}
    if column.what:
        options |= {"promptTitle": column.name[:32], "prompt": column.what[:255], "showInputMessage": True}
    if len(options) > 1:
        validation = DataValidation(**options)
        validation.add(cells)
        sheet.add_data_validation(validation)


def _source(column: Column, lists: dict[str, tuple[str, ...]]) -> str | None:
    """Return the cells that hold the names a field may have."""
    last = column.path[-1]
    if column.kind != "text":
        return None
    name = _LIST_OF.get(last)
    if last == "name" and column.path[0] != "project":
        name = "surface conditions" if column.path[0] == "surface_condition" else "covers"
    if name is not None:
        letter = column_letters(list(lists).index(name))
        return f"{LISTS}!${letter}$2:${letter}${len(lists[name]) + 1}"
    if last in _SHEET_OF and len(column.path) == 1:
        return f"'{_SHEET_OF[last]}'!$A$2:$A${_BLANK_ROWS}"
    return None
