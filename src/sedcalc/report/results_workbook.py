"""A run's results as a workbook with live formulas, so that a reviewer can follow the arithmetic in it.

Factors, areas and efficiencies are numbers; what follows from them is a formula: soil loss A = R f K LS C P, tons, what
practices trap, sums, tons per acre, percent reduction, the verdict. The soil loss of a row of a gridded site is a
sum over its cells, which mean factors do not give; there it is a number.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sedcalc.compliance.ordinance import TOLERANCE
from sedcalc.compliance.ruling import Ruling
from sedcalc.findings import input_error
from sedcalc.io.whole_files import write_whole
from sedcalc.io.workbook import column_letters, need_extra
from sedcalc.report.results import keep_site_files, run_object
from sedcalc.report.sheet_governing import contributions
from sedcalc.report.workbook import heading_style, put_number, put_text, workbook_bytes

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_SAME: Final = 1e-9  # a row's soil loss is the product of its factors, but for rounding
_FACTORS: Final = ("R", "ei_fraction", "K", "LS", "C", "P")
_LOAD: Final = "Load table"
_GOVERNING: Final = "Governing window"
_RULING: Final = "Ruling"
_RATIO: Final = f"{_RULING}!$B$5"

_COLUMNS: Final = (
    ("phase", ""),
    ("drainage_area", ""),
    ("unit", ""),
    ("soil", ""),
    ("state", ""),
    ("counted", ""),
    ("start", ""),
    ("end", ""),
    ("R", "hundreds of ft tonf in/(ac h yr)"),
    ("ei_fraction", "share of the annual erosivity"),
    ("K", "ton ac h/(hundreds of ac ft tonf in)"),
    ("LS", ""),
    ("C", ""),
    ("P", ""),
    ("soil_loss_tons_per_acre", "R f K LS C P, short tons/acre"),
    ("acres", ""),
    ("soil_loss_tons", "short tons"),
    ("delivered_tons", "soil loss x delivery ratio, short tons"),
    ("efficiency", "share trapped"),
    ("trapped_tons", "short tons"),
    ("discharge_tons", "short tons"),
    ("discharge_tons_per_acre", "short tons/acre"),
    ("bare_tons", "R f K LS x acres without controls, short tons"),
)
_AT: Final = {name: column_letters(k) for k, (name, _) in enumerate(_COLUMNS)}
_GOVERNING_COLUMNS: Final = (
    *((name, "") for name in ("phase", "unit", "start", "end", "R", "K", "LS", "C", "P")),
    ("A of a year", "R K LS C P, short tons/(acre yr)"),
    ("f in the window", "share of the annual erosivity"),
    ("acres", ""),
    ("delivered", "short tons"),
    ("share that leaves", "after practices; where a cover grows in, times its C over the mean C"),
    ("discharge", "short tons"),
)
_FORMATS: Final = {
    "ei_fraction": "0.00000",
    "R": "0.0",
    "K": "0.000",
    "LS": "0.0000",
    "C": "0.0000",
    "P": "0.00",
    "efficiency": "0.00000",
}


def results_workbook(ruling: Ruling) -> bytes:
    """Return a run's results as a workbook.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.

    Returns
    -------
    bytes
        An ``.xlsx`` file with sheets for ruling, load table, governing window, windows, practices, findings and
        provenance; equal rulings give equal bytes. Formulas have no stored values: a spreadsheet program computes them
        as it opens the file.

    Raises
    ------
    EnvironmentFault
        If the extra ``xlsx`` is not installed.
    """
    need_extra()
    from openpyxl import Workbook

    result = run_object(ruling)
    book = Workbook()
    book.remove(book.active)
    book.calculation.fullCalcOnLoad = True
    for name in (_RULING, _LOAD, _GOVERNING, "Windows", "Practices", "Findings", "Provenance"):
        book.create_sheet(name)
    last = _load_table(book[_LOAD], result["rows"])
    figure = _governing(book[_GOVERNING], ruling, result)
    _ruling(book[_RULING], ruling, result, last, figure)
    _windows(book["Windows"], result, last)
    names = ("id", "kind", "start", "end", "bypass", "efficiency", "method", "source", "trapped_tons")
    _list(book["Practices"], names, result["practices"])
    _list(book["Findings"], ("severity", "code", "message", "where", "clause"), result["findings"])
    _provenance(book["Provenance"], result["provenance"])
    return workbook_bytes(book)


def write_results_workbook(ruling: Ruling, path: Path) -> None:
    """Write a run's results as a workbook; a file that is there is replaced whole.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    path
        An ``.xlsx`` file.

    Raises
    ------
    InputError
        If the name ends otherwise, or the file is one that the site was read from.
    EnvironmentFault
        If it cannot be written, or the extra ``xlsx`` is not installed.
    """
    if path.suffix.lower() != ".xlsx":
        raise input_error("unknown-format", f"{path.suffix or 'no'} ending; a workbook is .xlsx", str(path))
    keep_site_files(ruling, [path])
    write_whole(path, results_workbook(ruling), "workbook")


def _put(sheet: "Worksheet", row: int, column: int, value: Any, number_format: str | None = None) -> None:
    """Write a value: a formula where it is a `_Formula`, otherwise never one."""
    if value is None:
        return
    cell = sheet.cell(row, column)
    if isinstance(value, _Formula):
        cell.value = value.text
    elif isinstance(value, bool):
        put_text(cell, "yes" if value else "no")
    elif isinstance(value, str):
        put_text(cell, _visible(value))
    else:
        put_number(cell, value)
    if number_format is not None:
        cell.number_format = number_format


class _Formula:
    """A formula of ours; texts of a submission never become one."""

    def __init__(self, text: str) -> None:
        self.text = f"={text}"


def _visible(text: str) -> str:
    """Return text with control characters as escapes, at most as long as a cell holds."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)[:32_000]


def _headings(sheet: "Worksheet", row: int, names: Sequence[str], units: Sequence[str] = ()) -> None:
    for k, name in enumerate(names, start=1):
        unit = units[k - 1] if units else ""
        put_text(sheet.cell(row, k), f"{name} ({unit})" if unit else name)
        sheet.column_dimensions[column_letters(k - 1)].width = 16
    heading_style(sheet, row)


def _product(row: dict[str, Any], value: float, factors: Sequence[str]) -> bool:
    """Whether a value is the product of factors; also where it is nothing."""
    product = 1.0
    for name in factors:
        product *= row[name] or 0.0
    return bool(abs(product - value) <= _SAME * abs(value))


def _load_table(sheet: "Worksheet", rows: Sequence[dict[str, Any]]) -> int:
    """Write the load table and return its last row."""
    _headings(sheet, 1, [n for n, _ in _COLUMNS], [u for _, u in _COLUMNS])
    formulas: dict[str, Callable[[int], str]] = {
        "soil_loss_tons": lambda n: f"{_AT['soil_loss_tons_per_acre']}{n}*{_AT['acres']}{n}",
        "delivered_tons": lambda n: f"{_AT['soil_loss_tons']}{n}*{_RATIO}",
        "trapped_tons": lambda n: f"{_AT['delivered_tons']}{n}*{_AT['efficiency']}{n}",
        "discharge_tons": lambda n: f"{_AT['delivered_tons']}{n}-{_AT['trapped_tons']}{n}",
        "discharge_tons_per_acre": lambda n: f"{_AT['discharge_tons']}{n}/{_AT['acres']}{n}",
    }
    for number, row in enumerate(rows, start=2):
        for k, (name, _) in enumerate(_COLUMNS, start=1):
            value = row[name]
            if name in formulas:
                value = _Formula(formulas[name](number))
            elif name == "soil_loss_tons_per_acre" and _product(row, value, _FACTORS):
                value = _Formula("*".join(f"{_AT[f]}{number}" for f in _FACTORS))
            elif name == "bare_tons" and _product(row, value, (*_FACTORS[:4], "acres")):
                value = _Formula("*".join(f"{_AT[f]}{number}" for f in (*_FACTORS[:4], "acres")))
            _put(sheet, number, k, value, _FORMATS.get(name, "0.0000" if k > 14 else None))
    return len(rows) + 1


def _column(name: str, last: int) -> str:
    return f"'{_LOAD}'!${_AT[name]}$2:${_AT[name]}${last}"


def _sum(name: str, last: int, counted: bool = True) -> _Formula:
    return _Formula(_sum_text(name, last, counted))


def _sum_text(name: str, last: int, counted: bool = True) -> str:
    return f'SUMIFS({_column(name, last)},{_column("counted", last)},"{"yes" if counted else "no"}")'


def _governing(sheet: "Worksheet", ruling: Ruling, result: dict[str, Any]) -> str | None:
    """Write what makes up the governing figure and return the cell that holds it."""
    governing, load = ruling.governing, ruling.load
    if governing is None:
        put_text(sheet.cell(1, 1), "no window has an acre that counts")
        return None
    _headings(sheet, 1, [n for n, _ in _GOVERNING_COLUMNS], [u for _, u in _GOVERNING_COLUMNS])
    rows, ratio = load.ground.rows, load.site.delivery.ratio if load.site.delivery else 1.0
    number = 1
    for part in contributions(load, governing):
        number += 1
        row = {**result["rows"][part.row], "C": float(rows.C[part.row]), "P": float(rows.P[part.row])}
        yearly = float(rows.tons_per_year[part.row]) / row["acres"]
        delivered = yearly * part.ei_fraction * row["acres"] * ratio
        values = [row["phase"], row["unit"], part.start.isoformat(), part.end.isoformat()]
        values += [row[n] for n in ("R", "K", "LS", "C", "P")]
        is_product = _product(row, yearly, ("R", "K", "LS", "C", "P"))
        values.append(_Formula(f"E{number}*F{number}*G{number}*H{number}*I{number}") if is_product else yearly)
        values += [part.ei_fraction, row["acres"], _Formula(f"J{number}*K{number}*L{number}*{_RATIO}")]
        values += [part.tons / delivered if delivered > 0.0 else 0.0, _Formula(f"M{number}*N{number}")]
        for k, value in enumerate(values, start=1):
            _put(sheet, number, k, value, "0.0000" if k > 4 else None)
    end = number + 2
    standard, windows = ruling.ordinance.standard, load.windows
    averaged = standard is not None and standard.figure == "average_year" and not windows.whole_project
    lines = (
        ("discharge, short tons", _Formula(f"SUM(O2:O{number})")),
        ("acres that count", governing.acres),
        ("years that it is divided by", load.totals.years if averaged else 1.0),
        ("tons per acre and year", _Formula(f"O{end}/O{end + 1}/O{end + 2}")),
    )
    for k, (label, value) in enumerate(lines):
        _put(sheet, end + k, 14, label)
        _put(sheet, end + k, 15, value, "0.0000")
    return None if ruling.tons_per_acre_per_year is None else f"'{_GOVERNING}'!$O${end + 3}"


def _ruling(sheet: "Worksheet", ruling: Ruling, result: dict[str, Any], last: int, figure: str | None) -> None:
    ratio = ruling.load.site.delivery.ratio if ruling.load.site.delivery else 1.0
    lines: list[tuple[str, Any]] = [
        ("project", result["project"]),
        ("ordinance", f"{result['ordinance']['place']}: {result['ordinance']['title']}"),
        ("status", result["status"]),
        ("reason", result["reason"]),
        ("delivery ratio of the slopes", ratio),
        ("eroded, short tons", _sum("soil_loss_tons", last)),
        ("deposited on the slopes, short tons", _Formula(f"B6-{_sum_text('delivered_tons', last)}")),
        ("trapped by practices, short tons", _sum("trapped_tons", last)),
        ("discharged, short tons", _sum("discharge_tons", last)),
        ("balance: eroded - deposited - trapped - discharged", _Formula("B6-B7-B8-B9")),
        ("load with no controls, short tons", _Formula(f"{_sum_text('bare_tons', last)}*B5")),
        ("percent reduction", _Formula('IF(B11=0,"",100*(1-B9/B11))')),
        ("background (not counted), short tons", _sum("discharge_tons", last, counted=False)),
        ("disturbed acres", result["disturbed_acres"]),
    ]
    if figure is not None:
        lines.append(("governing figure, tons/acre/year", _Formula(figure)))
    if figure is not None and result["limit"] is not None:
        limit = len(lines) + 1
        lines.append((f"limit, tons/acre/year [{result['clause']}]", result["limit"]))
        lines.append(("margin", _Formula(f"B{limit}-B{limit - 1}")))
        if result["status"] in ("meets", "exceeds"):
            verdict = f'IF(B{limit - 1}>B{limit}*(1+{TOLERANCE!r}),"exceeds","meets")'
            lines.append(("verdict by these formulas", _Formula(verdict)))
    for row, (label, value) in enumerate(lines, start=1):
        _put(sheet, row, 1, label)
        _put(sheet, row, 2, value, "0.0000" if row > 5 else None)
    sheet.column_dimensions["A"].width = 52
    sheet.column_dimensions["B"].width = 60


def _windows(sheet: "Worksheet", result: dict[str, Any], last: int) -> None:
    names = ("kind", "drainage_area", "start", "end", "discharge_tons", "acres", "discharge_tons_per_acre")
    _headings(sheet, 1, names)
    for number, window in enumerate(result["windows"], start=2):
        for k, name in enumerate(names, start=1):
            value = window[name]
            if name == "drainage_area" and value is None:
                value = "(whole site)"
            if name == "discharge_tons" and window["kind"] == "whole_project":
                value = _sum("discharge_tons", last)
                if window["drainage_area"] is not None:
                    # SUMIFS would take an id such as "<5" for a condition.
                    own = f'EXACT({_column("drainage_area", last)},B{number})*({_column("counted", last)}="yes")'
                    value = _Formula(f"SUMPRODUCT({own}*{_column('discharge_tons', last)})")
            if name == "discharge_tons_per_acre" and value is not None:
                value = _Formula(f"E{number}/F{number}")
            _put(sheet, number, k, value, "0.0000" if k > 4 else None)


def _list(sheet: "Worksheet", names: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    _headings(sheet, 1, names)
    for number, row in enumerate(rows, start=2):
        for k, name in enumerate(names, start=1):
            _put(sheet, number, k, row[name])


def _provenance(sheet: "Worksheet", provenance: dict[str, Any]) -> None:
    lines: list[tuple[str, str]] = []
    for name, value in provenance.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        lines += [(f"{name} {key}".strip(), str(said)) for key, said in inner]
    for row, (label, text) in enumerate(lines, start=1):
        _put(sheet, row, 1, label)
        _put(sheet, row, 2, text)
    sheet.column_dimensions["A"].width = 40
    sheet.column_dimensions["B"].width = 90
