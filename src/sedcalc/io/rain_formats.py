"""Rain files of fixed formats: WEPP breakpoints, Japan Meteorological Agency, MeteoSwiss, KMI."""

import math
import os

import numpy as np

from sedcalc.findings import Finding, count_of, input_error
from sedcalc.io.plain_numbers import plain_number
from sedcalc.io.rain_csv import MISSING_MARKS, read_rain_csv
from sedcalc.io.rain_text import rain_path, text_of
from sedcalc.rain.record import HOUR_MS, MINUTE_MS, RainRecord, assemble
from sedcalc.rain.steps import rain_record

_DAY_MS = 24 * HOUR_MS
_WEPP_HEADER_LINES = 15
_MOST_MINUTES = 366 * 24 * 60


def read_wepp_breakpoints(path: str | os.PathLike[str]) -> RainRecord:
    """Read the rain of a WEPP climate file with breakpoints (.cli).

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    RainRecord
        Rain uniform between breakpoints, observed on every day of the file. The temperature of a step is the
        mean of the day's extremes, degrees C.

    Raises
    ------
    InputError
        When the file is not a breakpoint climate file, ends early, or a day's breakpoints do not ascend.

    Notes
    -----
    Hours are printed to four decimals and are read to the nearest second. The times carry no zone.

    References
    ----------
    .. [1] Flanagan, D.C. and Livingston, S.J., eds. (1995). WEPP User Summary. NSERL Report 11, USDA-ARS.
    """
    checked = rain_path(path)
    lines = text_of(checked, "ascii").splitlines()
    flags = lines[1].split() if len(lines) > 1 else []
    is_cut = len(lines) < 2 or (len(lines) == 2 and len(flags) < 2) or flags[1:2] == ["1"]
    if is_cut and len(lines) < _WEPP_HEADER_LINES:
        message = (
            f"the file ends in its header, which has {_WEPP_HEADER_LINES} lines, at line {len(lines)}; get it whole."
        )
        raise input_error("rain-file", message, checked.name)
    if len(flags) < 2 or flags[1] != "1":
        raise input_error(
            "rain-file",
            "is not a WEPP climate file with breakpoints (the second number of its second line must be 1).",
            checked.name,
        )
    start: list[int] = []
    step: list[int] = []
    depth: list[float] = []
    warmth: list[float] = []
    days: list[np.datetime64] = []
    row = _WEPP_HEADER_LINES
    while row < len(lines):
        cells = lines[row].split()
        if not cells:
            row += 1
            continue
        date, mean, hours, total = _wepp_day(lines, row, checked.name)
        midnight = int(date.astype(np.int64))
        seconds = [midnight + round(h * 3600.0) * 1000 for h in hours]
        for k in range(len(hours) - 1):
            if seconds[k + 1] <= seconds[k] or total[k + 1] < total[k] or not 0.0 <= hours[k] <= hours[k + 1] <= 24.0:
                message = f"line {row + 3 + k}: breakpoints must ascend in time (0 to 24 h) and in depth."
                raise input_error("rain-file", message, checked.name)
            start.append(seconds[k])
            step.append(seconds[k + 1] - seconds[k])
            depth.append(total[k + 1] - total[k])
            warmth.append(mean)
        days.append(date)
        row += 1 + len(hours)
    return _days_of_breakpoints(days, start, step, depth, warmth, checked.name)


def _wepp_day(
    lines: list[str], row: int, name: str
) -> tuple[np.datetime64, float, tuple[float, ...], tuple[float, ...]]:
    """Return date, mean temperature, and hours and depths of the breakpoints of the day that starts in a line."""
    try:
        day, month, year, count = (int(c) for c in lines[row].split()[:4])
        date = np.datetime64(f"{year:04d}-{month:02d}-{day:02d}", "ms")
        warmest, coldest = _finite(lines[row].split()[4:6], 2)
    except ValueError:
        count = -1
    if count < 0:
        message = (
            f"line {row + 1} is not a day of the month, month, year, number of breakpoints and two temperatures: "
            f"{lines[row][:60]!r}; correct it."
        )
        raise input_error("rain-file", message, name)
    there = lines[row + 1 : row + 1 + count]
    if len(there) < count:
        has = f"with {len(there)} of its {count_of(count, 'breakpoint')}"
        message = f"the file ends in the day of line {row + 1}, {has}; get it whole."
        raise input_error("rain-file", message, name)
    points = []
    for k, line in enumerate(there):
        try:
            points.append(_finite(line.split(), 2))
        except ValueError:
            message = f"line {row + 2 + k} is not the hour and depth of a breakpoint: {line[:60]!r}; correct it."
            raise input_error("rain-file", message, name) from None
    hours, total = (tuple(p[k] for p in points) for k in (0, 1))
    return date, (warmest + coldest) / 2.0, hours, total


def _finite(cells: list[str], count: int) -> list[float]:
    """Return so many finite numbers, or raise `ValueError`."""
    numbers = [plain_number(c) for c in cells]
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise ValueError
    return numbers


def _days_of_breakpoints(
    days: list[np.datetime64], start: list[int], step: list[int], depth: list[float], warmth: list[float], name: str
) -> RainRecord:
    dates = np.array(days, dtype="datetime64[ms]")
    if dates.size == 0:
        raise input_error("rain-empty", "has no days.", name)
    one_day = np.timedelta64(_DAY_MS, "ms")
    apart = np.diff(dates)
    if not (apart > np.timedelta64(0, "ms")).all():
        where = dates[1:][int(np.argmax(~(apart > np.timedelta64(0, "ms"))))].astype("datetime64[D]")
        raise input_error("rain-out-of-order", f"days must ascend; {where} does not.", name)
    record = assemble(
        np.array(start, dtype=np.int64),
        np.array(step, dtype=np.int64),
        np.array(depth),
        absent_rows="dry",
        period=(dates[0], dates[-1] + one_day),
        temperature=np.array(warmth),
        clock="as given: no time zone, taken as local standard time without daylight saving",
        source=name,
        findings=[],
    )
    missing = apart > one_day
    if not missing.any():
        return record
    gaps = np.stack((dates[:-1][missing] + one_day, dates[1:][missing]), axis=1)
    message = (
        f"{count_of(int(missing.sum()), 'gap')} between days; the first from {gaps[0, 0].astype('datetime64[D]')}."
    )
    return RainRecord(
        record.start,
        record.length,
        record.depth_mm,
        record.period,
        gaps,
        record.temperature_c,
        record.clock,
        name,
        (*record.findings, Finding("rain-not-observed", "warning", message, name)),
    )


def read_jma_csv(path: str | os.PathLike[str]) -> RainRecord:
    """Read 10-minute rain of the Japan Meteorological Agency, as in the RainErosivity package.

    Parameters
    ----------
    path
        The file: semicolons, columns ``Date.Time``, ``Precipitation_mm``, ``Temperature_C``.

    Returns
    -------
    RainRecord
        The record; temperature in degrees C.

    Notes
    -----
    A time is the end of its ten minutes, Japan Standard Time. ``--`` means that there was no rain (0 is less
    than 0.5 mm), also with ``)``, nearly complete; ``×`` and an empty cell are not observed, ``#`` is
    doubtful and ``]`` incomplete, and they are not used. Midnights are spreadsheet day numbers.
    """
    return read_rain_csv(
        path,
        time="Date.Time",
        depth="Precipitation_mm",
        temperature="Temperature_C",
        separator=";",
        time_format="%d/%m/%Y %H:%M",
        zero_marks=("--", "-- )"),
        missing_marks=(*MISSING_MARKS, "#", "×", "Ã—", "///", "-- ]", "0.0 ]"),
        excel_serials=True,
        step_minutes=10.0,
        label="end",
        absent_rows="gap",
    )


def read_meteoswiss(path: str | os.PathLike[str]) -> RainRecord:
    """Read 10-minute rain of MeteoSwiss (parameter rre150z0).

    Parameters
    ----------
    path
        The file: ``stn; yyyyMMddHHmm; rre150z0``, semicolons; a time is the end of its ten minutes, UTC;
        ``-`` is not observed.

    Returns
    -------
    RainRecord
        The record.
    """
    return read_rain_csv(
        path,
        time="yyyyMMddHHmm",
        depth="rre150z0",
        separator=";",
        time_format="%Y%m%d%H%M",
        missing_marks=(*MISSING_MARKS, "-"),
        step_minutes=10.0,
        label="end",
        absent_rows="gap",
    )


def read_kmi_minutes(path: str | os.PathLike[str], year: int | None = None) -> RainRecord:
    """Read 10-minute rain without zero rows: minute of the year and depth in mm, as KMI delivered it.

    Parameters
    ----------
    path
        The file: two columns without a header.
    year
        Year of the record; by default the last four digits of the file's name.

    Returns
    -------
    RainRecord
        The record, observed the whole year: the format cannot show an outage, and a finding says so.

    Raises
    ------
    InputError
        When the year cannot be told, or a line is not two numbers.
    """
    checked = rain_path(path)
    if year is None:
        ending = checked.stem[-4:]
        if not (len(ending) == 4 and ending.isascii() and ending.isdigit()):
            raise input_error("rain-file", "does not end in a year: give the year.", checked.name)
        year = int(ending)
    rows = []
    for number, line in enumerate(text_of(checked, "ascii").splitlines(), 1):
        if not line.strip():
            continue
        try:
            minute, depth = (plain_number(c) for c in line.split())
        except ValueError as error:
            message = f"line {number} is not a minute of the year and a depth: {line[:60]!r}."
            raise input_error("rain-file", message, checked.name) from error
        rows.append((minute, depth))
    if not rows:
        raise input_error("rain-empty", "has no rows.", checked.name)
    minutes, depths = np.array(rows).T
    outside = ~((minutes >= 0.0) & (minutes <= _MOST_MINUTES))
    if outside.any():
        message = f"{float(minutes[outside][0]):g} is no minute of a year, 0 to {_MOST_MINUTES:,}."
        raise input_error("rain-file", message, checked.name)
    first, after = np.datetime64(f"{year:04d}-01-01", "ms"), np.datetime64(f"{year + 1:04d}-01-01", "ms")
    record = rain_record(
        first + np.rint(minutes * MINUTE_MS).astype("timedelta64[ms]"),
        depths,
        step_minutes=10.0,
        absent_rows="dry",
        period=(first, after),
        source=checked.name,
    )
    message = "the file lists wet steps only: the whole year is taken as observed, and an outage would look dry."
    finding = Finding("rain-no-zero-rows", "warning", message, checked.name)
    return RainRecord(
        record.start,
        record.length,
        record.depth_mm,
        record.period,
        record.gaps,
        None,
        record.clock,
        record.source,
        (*record.findings, finding),
    )
