"""Tables of rain by the names of their columns: CSV and its like into a `RainRecord`."""

import math
import os
import re
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np

from sedcalc.factors._arrays import check_name
from sedcalc.findings import EnvironmentFault, Finding, InputError, count_of, input_error
from sedcalc.io.plain_numbers import plain_number
from sedcalc.io.rain_text import first_line, not_text, rain_path
from sedcalc.limits import most, refuse_over
from sedcalc.rain.record import HOUR_MS, RainRecord
from sedcalc.rain.steps import rain_record, record_from_breakpoints, record_from_tips

MISSING_MARKS: Final = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")
"""Cells that mean "not observed" unless a reader is told otherwise."""

_DAY_MS = 24 * HOUR_MS
_EXCEL_DAY_0 = np.datetime64("1899-12-30", "ms")
_MOST_COLUMNS = 200


def read_rain_csv(
    path: str | os.PathLike[str],
    *,
    time: str | Sequence[str],
    depth: str,
    temperature: str | None = None,
    time_format: str | None = None,
    separator: str = ",",
    encoding: str = "utf-8-sig",
    zero_marks: Sequence[str] = (),
    missing_marks: Sequence[str] = MISSING_MARKS,
    excel_serials: bool = False,
    kind: Literal["steps", "accumulated", "tips"] = "steps",
    **options: Any,
) -> RainRecord:
    """Read a table of rain by the names of its columns.

    Parameters
    ----------
    path
        The file.
    time
        Column of the time, or several that make it up in order (date, clock).
    depth
        Column of the depth of each step, of the depth accumulated, or of the depth of each tip.
    temperature
        Column of the air temperature, degrees C.
    time_format
        `strptime` format of the time; by default ISO 8601.
    separator
        What stands between the cells.
    encoding
        Text encoding of the file.
    zero_marks, missing_marks
        Cells of the depth column that mean 0, and that mean "not observed". Any other cell that is not a
        number is an error.
    excel_serials
        Whether a bare number in the time column is a spreadsheet's day number (1900 system).
    **options
        Passed to `rain_record`: ``units``, ``step_minutes``, ``label``, ``absent_rows``, ``period``,
        ``time_zone``.

    Returns
    -------
    RainRecord
        The record; its source is the file's name.

    Raises
    ------
    InputError
        When the file cannot be read, a column does not exist, or a cell is neither a number nor a known mark;
        all such columns at once.
    """
    check_name(kind, ("steps", "accumulated", "tips"), "kind")
    checked = rain_path(path)
    first = first_line(checked, encoding)
    if first.count(separator) >= _MOST_COLUMNS:
        raise input_error("rain-file", f"has over {_MOST_COLUMNS} columns in its first line.", checked.name)
    import pandas as pd

    columns = [time] if isinstance(time, str) else list(time)
    wanted = [*columns, depth, *([] if temperature is None else [temperature])]
    try:
        table = pd.read_csv(
            checked,
            sep=separator,
            encoding=encoding,
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
            nrows=most("rain_rows") + 1,
        )
    except UnicodeDecodeError as error:
        raise not_text(error, encoding, checked.name) from None
    except OSError as error:
        raise EnvironmentFault(f"{checked.name} cannot be read: {error}") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise input_error("rain-file", _no_table(str(error)), checked.name) from None
    if not isinstance(table.index, pd.RangeIndex):
        message = "its rows have more cells than its first line: is the separator right, or a comma the decimal mark?"
        raise input_error("rain-file", message, checked.name)
    refuse_over("rain_rows", len(table), checked.name, what="the record")
    table = table.fillna("")
    table.columns = table.columns.str.strip()
    absent = [name for name in wanted if name not in table.columns]
    if absent:
        raise input_error(
            "rain-column",
            f"has no column {', '.join(map(repr, absent))}; its first line is "
            f"{first[:200]!r}. Name the columns of time and depth, and the "
            "separator.",
            checked.name,
        )
    problems: list[Finding] = []
    text = table[columns[0]]
    for name in columns[1:]:
        text = text.str.strip() + " " + table[name].str.strip()
    times = _times(text, time_format, excel_serials, checked.name, problems)
    depths = _numbers(table[depth], zero_marks, missing_marks, f"{checked.name}: {depth}", problems)
    warmth = None
    if temperature is not None:
        warmth = _numbers(table[temperature], (), missing_marks, f"{checked.name}: {temperature}", problems)
    if problems:
        raise InputError(problems)
    if kind == "steps":
        return rain_record(times, depths, temperature_c=warmth, source=checked.name, **options)
    if warmth is not None:
        raise input_error("rain-column", f"a temperature is read with steps only, not with {kind}.", "temperature")
    if kind == "accumulated":
        return record_from_breakpoints(times, depths, source=checked.name, **options)
    return record_from_tips(times, depths, source=checked.name, **options)


def _no_table(says: str) -> str:
    """Return why a file is no table, by what pandas says of it."""
    uneven = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", says)
    if uneven:
        has, line, cells = uneven.groups()
        return f"line {line} has {cells} cells, and the first line {has}: is the separator right, or a cell unquoted?"
    quote = re.search(r"EOF inside string starting at row (\d+)", says)
    if quote:
        return f"a quotation mark in line {int(quote[1]) + 1} is never closed; close it, or take it out"
    return "is no table of text with one row for each time; export it as CSV"


def _times(text: Any, time_format: str | None, excel_serials: bool, where: str, problems: list[Finding]) -> Any:
    import pandas as pd

    form = time_format or "ISO8601"
    try:
        values = pd.to_datetime(text, format=form, errors="coerce").to_numpy(dtype="datetime64[ms]").copy()
    except (ValueError, re.error):
        message = f"{form!r} is no strptime format of a time; write one such as %m/%d/%Y %H:%M"
        raise input_error("rain-time-format", message, "time_format") from None
    left = np.flatnonzero(np.isnat(values))  # read again without blanks around, or as day numbers
    cells = text.iloc[left].str.strip()
    again = pd.to_datetime(cells, format=form, errors="coerce").to_numpy(dtype="datetime64[ms]").copy()
    if excel_serials:
        serial = cells.str.fullmatch(r"\d{1,7}(\.\d+)?").to_numpy(dtype=bool)
        days = cells[serial].astype(float).to_numpy()
        again[serial] = _EXCEL_DAY_0 + np.rint(days * _DAY_MS).astype("timedelta64[ms]")
    values[left] = again
    bad = np.isnat(values)
    if bad.any():
        row = int(np.argmax(bad))
        message = (
            f"{count_of(int(bad.sum()), 'time')} cannot be read, the first {text.iloc[row]!r} in line "
            f"{row + 2}: give time_format."
        )
        problems.append(Finding("rain-time", "error", message, where))
    return values


def _numbers(
    cells: Any, zero_marks: Sequence[str], missing_marks: Sequence[str], where: str, problems: list[Finding]
) -> Any:
    import pandas as pd

    values = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64, copy=True)
    numbers = [mark for mark in (*zero_marks, *missing_marks) if _is_number(mark)]  # -99, 999.9: a mark before a number
    if numbers:
        values[cells.str.strip().isin(numbers).to_numpy()] = np.nan
    left = np.flatnonzero(np.isnan(values))
    marks = cells.iloc[left].str.strip()
    zero = marks.isin(list(zero_marks)).to_numpy()
    values[left[zero]] = 0.0
    odd = ~zero & ~marks.isin(list(missing_marks)).to_numpy()
    if odd.any():
        row = int(left[np.argmax(odd)])
        kinds = sorted(set(marks[odd]))
        are = "cell is neither a number nor a known mark", "cells are neither numbers nor known marks"
        message = (
            f"{count_of(int(odd.sum()), *are)}, the first {cells.iloc[row]!r} in line {row + 2} "
            f"({count_of(len(kinds), 'kind')}: {', '.join(map(repr, kinds[:5]))}). Say what they mean with zero_marks "
            "and missing_marks."
        )
        problems.append(Finding("rain-cell", "error", message, where))
    return values


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(plain_number(text))
    except ValueError:
        return False
