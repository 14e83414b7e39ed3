"""Daily rain of a gauge: GHCN-Daily files of NOAA, and any CSV with a column of dates and one of rain."""

import csv
import datetime
import io
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import check_name
from sedcalc.findings import Finding, InputError, count_of, input_error
from sedcalc.io.gdal_guard import checked_path
from sedcalc.io.plain_numbers import plain_number
from sedcalc.limits import refuse_over
from sedcalc.units import INCH_MM

Units = Literal["in", "mm", "tenths-mm"]

_INCH: Final = {"in": 1.0, "mm": 1.0 / INCH_MM, "tenths-mm": 0.1 / INCH_MM}
_DATE_NAMES: Final = ("date",)
_RAIN_NAMES: Final = ("prcp", "precipitation", "precip", "rain")
_MISSING: Final = ("", "na", "nan", "m", "null", "-9999")
_TRACE: Final = "t"
_MOST_INCHES: Final = 80.0  # the largest daily rain measured anywhere is 73.62 in (1,870 mm, Cilaos, March 1952)
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class DailyRain:
    """Rain of each day of a record.

    Parameters
    ----------
    days
        datetime64[D], ascending, without gaps, (n,).
    inches
        Rain of the day, in; 0 for a trace, NaN where there is no observation, (n,).
    trace
        Days on which rain too little to measure fell, (n,).
    source
        Where the record comes from.
    findings
        What a reader must know about the record.
    """

    days: NDArray[np.datetime64]
    inches: NDArray[np.float64]
    trace: NDArray[np.bool_]
    source: str
    findings: tuple[Finding, ...] = ()


def read_daily_rain(path: str | os.PathLike[str], *, units: Units) -> DailyRain:
    r"""Read a daily rain record.

    Parameters
    ----------
    path
        A CSV file with a heading: a column ``date`` (ISO, or YYYYMMDD) and a column ``PRCP`` (or ``precipitation``,
        ``precip``, ``rain``), in any case; GHCN-Daily's own form of one row per ``ELEMENT`` is read too.
    units
        Of the rain: ``in``, ``mm`` or ``tenths-mm``. GHCN-Daily itself is in tenths of mm, NOAA's order service in the
        unit that was ordered; the file does not say, so it has no default.

    Returns
    -------
    DailyRain
        In order of date. Days without a row or a value, and values that failed a quality check (``QFLAG``, or the
        second of ``PRCP_ATTRIBUTES``), are not observed; a trace (``T`` as value or measurement flag) counts as 0.

    Raises
    ------
    InputError
        If the file cannot be read, has no such columns, no rain, a date twice, or cells that are no date, no number,
        negative or beyond any rain measured; faults are named by line.

    References
    ----------
    Menne, M.J., et al. (2012). An overview of the Global Historical Climatology Network-Daily Database. J. Atmos.
    Oceanic Technol. 29, 897-910; and its readme.txt for the flags.

    Examples
    --------
    Of a made-up record with a day of 12.7 mm, which are 0.5 in exactly:

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "rain.csv")
    >>> _ = path.write_text("DATE,PRCP\n2027-05-01,0\n2027-05-02,12.7\n")
    >>> record = read_daily_rain(path, units="mm")
    >>> folder.cleanup()
    >>> record.inches.round(9).tolist()
    [0.0, 0.5]
    """
    check_name(units, _INCH, "units")
    file = checked_path(path, "daily rain record")
    rows = _rows(file)
    faults: list[Finding] = []
    seen: dict[datetime.date, int] = {}
    values: list[tuple[datetime.date, float, bool]] = []
    failed = 0
    for line, row in rows:
        try:
            day = _date(row["date"])
            inches, trace, bad = _rain(row, _INCH[units])
        except ValueError as error:
            faults.append(Finding("rain-fault", "error", str(error), f"{file.name} line {line}"))
            continue
        if day in seen:
            message = f"{day} stands in line {seen[day]} already; keep one of them"
            faults.append(Finding("rain-fault", "error", message, f"{file.name} line {line}"))
        seen.setdefault(day, line)
        failed += bad
        values.append((day, inches, trace))
    if len(faults) > _SHOWN:
        rest = Finding(
            "rain-fault",
            "error",
            f"and {count_of(len(faults) - _SHOWN, 'more line')} at fault; correct these first",
            file.name,
        )
        faults = [*faults[:_SHOWN], rest]
    if faults:
        raise InputError(faults)
    if not values:
        raise input_error("no-rain", "the record has no row of rain; give one that has", file.name)
    return _record(values, failed, file.name)


def _record(values: Sequence[tuple[datetime.date, float, bool]], failed: int, name: str) -> DailyRain:
    """Lay the days out without gaps."""
    given = np.array([v[0] for v in values], dtype="datetime64[D]")
    first = given.min()
    refuse_over("rain_days", int((given.max() - first).astype(np.int64)) + 1, name, what="the record")
    days = np.arange(first, given.max() + np.timedelta64(1, "D"))
    inches, trace = np.full(len(days), np.nan), np.zeros(len(days), dtype=bool)
    at = (given - first).astype(np.int64)
    inches[at] = [v[1] for v in values]
    trace[at] = [v[2] for v in values]
    found = []
    missing = int(np.isnan(inches).sum())
    if missing:
        reasons = [f"{len(days) - len(values)} without a row"] if len(values) < len(days) else []
        reasons += [f"{failed} failed a quality check"] if failed else []
        have = "has" if missing == 1 else "have"
        said = f" ({', '.join(reasons)})" if reasons else ""
        message = (
            f"{missing:,} of {count_of(len(days), 'day')} from {days[0]} to {days[-1]} {have} no observation{said}"
        )
        found.append(Finding("rain-days-missing", "note", message, name))
    return DailyRain(days, inches, trace, name, tuple(found))


def _rows(file: Path) -> list[tuple[int, dict[str, str]]]:
    """Return line number and cells (date, rain, flags) of each row of rain."""
    refuse_over("daily_rain_bytes", file.stat().st_size, file.name, what="the record", code="file-too-large")
    try:
        text = file.read_text(encoding="utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""))
        heading = [h.strip().casefold() for h in next(reader, [])]
        columns = _columns(heading, file.name)
        found = []
        for cells in reader:
            if not any(c.strip() for c in cells):
                continue
            row = {k: cells[i].strip() if i < len(cells) else "" for k, i in columns.items()}
            if row.get("element", "PRCP") == "PRCP":
                found.append((reader.line_num, row))
    except (UnicodeDecodeError, csv.Error) as error:
        raise input_error("not-a-table", f"not a CSV file in UTF-8 ({error}); save it as one", file.name) from None
    return found


def _columns(heading: Sequence[str], name: str) -> Mapping[str, int]:
    by_element = "element" in heading and "data_value" in heading
    wanted: dict[str, tuple[str, ...]] = {
        "date": _DATE_NAMES,
        "rain": ("data_value",) if by_element else _RAIN_NAMES,
    }
    optional = {"attributes": ("prcp_attributes",), "m_flag": ("m_flag",), "q_flag": ("q_flag",)}
    optional |= {"element": ("element",)} if by_element else {}
    columns: dict[str, int] = {}
    for key, names in {**wanted, **optional}.items():
        found = [i for i, h in enumerate(heading) if h in names]
        if len(found) > 1:
            raise input_error(
                "two-columns", f"several columns could be the {key}: {', '.join(names)}; keep one of them", name
            )
        if found:
            columns[key] = found[0]
        elif key in wanted:
            has = ", ".join(heading[:12]) or "nothing"
            raise input_error(
                "no-column", f"no column is called {' or '.join(names)}; the heading has {has:.100}: rename one", name
            )
    return columns


def _date(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not a date; write YYYY-MM-DD or YYYYMMDD") from None


def _rain(row: Mapping[str, str], to_inches: float) -> tuple[float, bool, bool]:
    """Return inches, whether it is a trace, and whether it failed a quality check."""
    flags = [f.strip() for f in row.get("attributes", "").split(",")]
    m_flag = row.get("m_flag", "") or flags[0]
    q_flag = row.get("q_flag", "") or (flags[1] if len(flags) > 1 else "")
    text = row["rain"]
    if text.casefold() in _MISSING:
        return math.nan, False, False
    if q_flag:
        return math.nan, False, True
    if text.casefold() == _TRACE or m_flag.casefold() == _TRACE:
        return 0.0, True, False
    try:
        inches = plain_number(text) * to_inches
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not an amount of rain; write a number") from None
    if not 0.0 <= inches <= _MOST_INCHES:
        raise ValueError(
            f"rain of {text[:40]} ({inches:g} in) is outside 0 to {_MOST_INCHES:g} in a day; correct it, or its unit"
        )
    return inches, False, False
