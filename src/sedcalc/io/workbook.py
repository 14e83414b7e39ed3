"""Cells of an Excel workbook (``.xlsx``), read with limits: nothing in it is run, followed or fetched.

Needs the extra ``xlsx`` (openpyxl, and defusedxml, which refuses entities in XML). Values are taken as they are stored:
no text becomes a number, no number a date. A formula counts with the value that the program which saved it stored.
"""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sedcalc.findings import EnvironmentFault, InputError, input_error
from sedcalc.limits import refuse_over

if TYPE_CHECKING:
    from openpyxl import Workbook

_REFUSED: Final = {
    "xl/externallinks/": "links to other workbooks",
    "xl/connections": "data connections",
    "xl/querytables/": "data connections",
    "xl/model/": "data connections",
    "xl/vbaproject": "macros",
    "xl/macrosheets/": "macros",
    "xl/embeddings/": "embedded files",
    "xl/activex/": "embedded controls",
}
_FIXED: Final = re.compile(r"[#,0]*0(\.0+)?(%)?")
_NOT_DIGITS: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|[_*\\].|[ )]')
_LAST_ROW: Final = 1_048_576  # of any sheet
_MAX_PLACES: Final = 20_000_000  # cells and the gaps before them in their rows
_LONG_FORMAT: Final = 255  # Excel's own limit
_TOO_LONG: Final = 40_000  # a cell holds 32,767 characters


class Cell(NamedTuple):
    """A cell that holds something.

    Attributes
    ----------
    ref
        Where it stands: ``Phases!C4``.
    value
        Text, number, bool, date or time as stored; the error (``#REF!``) of an error cell.
    problem
        Why it has no value that can be used; None where it has.
    printed
        A number as its format shows it, where that is a fixed number of decimals, otherwise in full; a percentage as a
        share.
    percent
        Whether the format is a percentage.
    """

    ref: str
    value: Any
    problem: str | None = None
    printed: str = ""
    percent: bool = False


class Sheet(NamedTuple):
    """A sheet and its cells, by row and column from 0; cells that hold nothing are left out.

    Attributes
    ----------
    name
        Its name.
    rows
        For each row its cells by column.
    """

    name: str
    rows: list[dict[int, Cell]]

    def ref(self, row: int, column: int) -> str:
        """Return where a cell stands, whether it holds something or not.

        Parameters
        ----------
        row, column
            From 0.
        """
        return f"{self.name}!{column_letters(column)}{row + 1}"


def column_letters(column: int) -> str:
    """Return the letters of a column.

    Parameters
    ----------
    column
        From 0.

    Examples
    --------
    >>> column_letters(0), column_letters(27)
    ('A', 'AB')
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def need_extra() -> None:
    """Raise `EnvironmentFault` unless openpyxl and defusedxml are there."""
    lacking = [name for name in ("openpyxl", "defusedxml") if find_spec(name) is None]
    if lacking:
        raise EnvironmentFault(f"workbooks need {' and '.join(lacking)}: pip install {' '.join(lacking)}")


def read_sheets(data: bytes, name: str) -> list[Sheet]:
    """Return the sheets of a workbook.

    Parameters
    ----------
    data
        Its bytes.
    name
        Its name, for messages.

    Raises
    ------
    InputError
        If it is no workbook, is damaged, holds links, connections, macros or embedded files, declares entities, or goes
        beyond the limits (`sedcalc.limits`) on what it unpacks to, parts, sheets, rows, columns and cells.
    EnvironmentFault
        If the extra ``xlsx`` is not installed.
    """
    need_extra()
    try:
        has_formulas = _check_archive(data, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of features that are not read: charts, validations, styles
            return _read(data, name, has_formulas)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # openpyxl answers damaged files with errors of every kind
        message = (
            "cannot be read as an Excel workbook (.xlsx): it is damaged, or holds what Excel does not write; "
            "open it in a spreadsheet, and save it anew"
        )
        raise input_error("not-a-workbook", message, name) from error


def _check_archive(data: bytes, name: str) -> bool:
    """Refuse what is too large or reaches outside; return whether there are formulas."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise input_error("not-a-workbook", "not an Excel workbook; save it as .xlsx", name)
    formulas = False
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        _refuse_over("parts", len(parts), name)
        _refuse_over("expanded_bytes", sum(p.file_size for p in parts), name)
        if len({p.filename for p in parts}) < len(parts):
            raise input_error("not-a-workbook", "two parts have one name", name)
        for part in parts:
            low = part.filename.lower()
            for start, what in _REFUSED.items():
                if low.startswith(start):
                    message = f"holds {what} ({part.filename[:80]}), which are not read; save it without them"
                    raise input_error("workbook-refused", message, name)
            if low.endswith((".xml", ".rels", ".vml")):
                # zipfile unpacks no more than the declared size; encodings of two bytes are seen through, too.
                text = archive.read(part).replace(b"\0", b"")
                if b"<!" in text and (b"<!DOCTYPE" in text or b"<!ENTITY" in text):
                    raise input_error(
                        "workbook-refused", f"{part.filename[:80]} declares XML entities; save it anew from Excel", name
                    )
                formulas = formulas or (low.startswith("xl/worksheets/") and b"<f" in text)
    return formulas


def _read(data: bytes, name: str, has_formulas: bool) -> list[Sheet]:
    from openpyxl import load_workbook

    options: dict[str, Any] = {"read_only": True, "keep_links": False}
    book = load_workbook(io.BytesIO(data), data_only=True, **options)
    formulas = load_workbook(io.BytesIO(data), data_only=False, **options) if has_formulas else None
    try:
        _refuse_over("sheets", len(book.worksheets), name)
        found, cells = [], 0
        for number, worksheet in enumerate(book.worksheets):
            sheet = Sheet(worksheet.title, [])
            for row, own in enumerate(_rows(book, number, name)):
                sheet.rows.append(
                    {k: _cell(c, sheet.ref(row, k)) for k, c in enumerate(own) if c.value not in (None, "")}
                )
                cells += len(sheet.rows[-1])
                _refuse_over("cells", cells, name)
            if formulas is not None:
                _mark_formulas(sheet, _rows(formulas, number, name))
            found.append(sheet)
        return found
    finally:
        book.close()
        if formulas is not None:
            formulas.close()


def _rows(book: "Workbook", index: int, name: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a sheet to the last that holds something; the dimension it states is not used."""
    sheet = book.worksheets[index]
    sheet.reset_dimensions()
    number = empty = places = 0
    for row in sheet.iter_rows(max_row=_LAST_ROW):
        number += 1
        places += len(row)
        if places > _MAX_PLACES:
            raise input_error(
                "workbook-too-large",
                f"cells spread too far in sheet {sheet.title!r}; delete its empty rows and columns",
                name,
            )
        last = max((k for k, c in enumerate(row) if c.value not in (None, "")), default=-1)
        if last < 0:
            empty += 1
            continue
        _refuse_over("columns", last + 1, f"{name}, sheet {sheet.title}")
        _refuse_over("rows", number, f"{name}, sheet {sheet.title}")
        yield from [()] * empty
        empty = 0
        yield row[: last + 1]


def _refuse_over(what: str, amount: int, name: str) -> None:
    refuse_over(f"workbook_{what}", amount, name, what="the workbook", code="workbook-too-large")


def _cell(cell: Any, ref: str) -> Cell:
    value = cell.value
    if cell.data_type == "e":
        return Cell(ref, value, f"holds the error {value}")
    if isinstance(value, str) and len(value) > _TOO_LONG:
        return Cell(ref, None, f"{len(value):,} characters are more than a cell holds")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell(ref, value)
    printed, percent = printed_number(value, cell.number_format or "General")
    return Cell(ref, value, None, printed, percent)


def _mark_formulas(sheet: Sheet, rows: Iterator[tuple[Any, ...]]) -> None:
    """Note the formulas that have no stored value."""
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if cell.data_type != "f" or (row < len(sheet.rows) and column in sheet.rows[row]):
                continue
            while len(sheet.rows) <= row:
                sheet.rows.append({})
            problem = "a formula without a stored value; open the file in a spreadsheet program and save it"
            sheet.rows[row][column] = Cell(sheet.ref(row, column), None, problem)


def printed_number(value: float, number_format: str) -> tuple[str, bool]:
    """Return a number with the digits that its format shows, and whether that is a percentage.

    Parameters
    ----------
    value
        The number.
    number_format
        Format of the cell.

    Notes
    -----
    Formats with a fixed number of decimals count; every other, ``General`` among them, gives the number in full. A
    percentage is returned as a share. Halves are rounded up, as spreadsheet programs do.

    Examples
    --------
    >>> printed_number(0.8, "0.00"), printed_number(0.431, "0.0%"), printed_number(2.0953, "General")
    (('0.80', False), ('0.431', True), ('2.0953', False))
    """
    shown = _NOT_DIGITS.sub("", number_format[:_LONG_FORMAT].split(";")[0])
    match = _FIXED.fullmatch(shown)
    if match is None:
        return repr(value), "%" in shown
    percent = match.group(2) is not None
    decimals = len(match.group(1) or ".") - 1 + (2 if percent else 0)
    try:
        return f"{Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}", percent
    except InvalidOperation:  # more digits than a decimal of 28 holds: no printed number
        return repr(value), percent
