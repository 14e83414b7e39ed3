"""Rain files into a `RainRecord`: CSV with a column map, WEPP breakpoint files, and three national formats."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from sedcalc.findings import EnvironmentFault, Finding, InputError, input_error
from sedcalc.io.gdal_guard import checked_path
from sedcalc.limits import most, refuse_over
from sedcalc.rain.record import HOUR_MS, MINUTE_MS, RainRecord, assemble
from sedcalc.rain.steps import rain_record, record_from_breakpoints, record_from_tips

MISSING_MARKS: Final = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")
"""Cells that mean "not observed" unless a reader is told otherwise."""

_DAY_MS = 24 * HOUR_MS
_EXCEL_DAY_0 = np.datetime64("1899-12-30", "ms")
_WEPP_HEADER_LINES = 15
_MOST_COLUMNS = 200
_MOST_MINUTES = 366 * 24 * 60
_TIME_NAMES = ("datetime", "date_time", "timestamp", "time", "date", "valid")
_DEPTH_NAMES = (
    "rain_mm",
    "precipitation_mm",
    "precip_mm",
    "depth_mm",
    "rain_in",
    "precipitation_in",
    "precip_in",
    "depth_in",
    "rain",
    "precipitation",
    "precip",
    "depth",
)

RainFormat = Literal["auto", "csv", "wepp-breakpoint", "jma", "kmi-minutes", "meteoswiss"]


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
    checked = _rain_path(path)
    first = _first_line(checked, encoding)
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
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise input_error("rain-file", f"cannot be read as a table: {str(error).strip()}", checked.name) from error
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
    if kind == "tips":
        return record_from_tips(times, depths, source=checked.name, **options)
    raise input_error("rain-kind", f"kind {kind!r} is not 'steps', 'accumulated' or 'tips'.", "kind")


def _times(text: Any, time_format: str | None, excel_serials: bool, where: str, problems: list[Finding]) -> Any:
    import pandas as pd

    form = time_format or "ISO8601"
    values = pd.to_datetime(text, format=form, errors="coerce").to_numpy(dtype="datetime64[ms]").copy()
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
            f"{int(bad.sum())} times cannot be read, the first {text.iloc[row]!r} in line {row + 2}: give time_format."
        )
        problems.append(Finding("rain-time", "error", message, where))
    return values


def _numbers(
    cells: Any, zero_marks: Sequence[str], missing_marks: Sequence[str], where: str, problems: list[Finding]
) -> Any:
    import pandas as pd

    values = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64, copy=True)
    left = np.flatnonzero(np.isnan(values))
    marks = cells.iloc[left].str.strip()
    zero = marks.isin(list(zero_marks)).to_numpy()
    values[left[zero]] = 0.0
    odd = ~zero & ~marks.isin(list(missing_marks)).to_numpy()
    if odd.any():
        row = int(left[np.argmax(odd)])
        kinds = sorted(set(marks[odd]))
        message = (
            f"{int(odd.sum())} cells are neither numbers nor known marks, the first {cells.iloc[row]!r} in line "
            f"{row + 2} ({len(kinds)} kinds: {', '.join(map(repr, kinds[:5]))}). Say what they mean with zero_marks "
            "and missing_marks."
        )
        problems.append(Finding("rain-cell", "error", message, where))
    return values


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
    checked = _rain_path(path)
    lines = _text(checked, "ascii").splitlines()
    flags = lines[1].split() if len(lines) > _WEPP_HEADER_LINES else []
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
        try:
            day, month, year, count = (int(c) for c in cells[:4])
            if count < 0:
                raise ValueError(f"{count} breakpoints")
            date = np.datetime64(f"{year:04d}-{month:02d}-{day:02d}", "ms")
            mean = (float(cells[4]) + float(cells[5])) / 2.0
            points = [tuple(float(c) for c in lines[row + 1 + k].split()) for k in range(count)]
            hours, total = zip(*points, strict=True) if points else ((), ())
            if not all(map(math.isfinite, (mean, *hours, *total))):
                raise ValueError("a number in it is not finite")
        except (ValueError, IndexError) as error:
            message = f"line {row + 1} is not a day with its breakpoints: {error}."
            raise input_error("rain-file", message, checked.name) from error
        midnight = int(date.astype(np.int64))
        seconds = [midnight + round(h * 3600.0) * 1000 for h in hours]
        for k in range(count - 1):
            if seconds[k + 1] <= seconds[k] or total[k + 1] < total[k] or not 0.0 <= hours[k] <= hours[k + 1] <= 24.0:
                message = f"line {row + 3 + k}: breakpoints must ascend in time (0 to 24 h) and in depth."
                raise input_error("rain-file", message, checked.name)
            start.append(seconds[k])
            step.append(seconds[k + 1] - seconds[k])
            depth.append(total[k + 1] - total[k])
            warmth.append(mean)
        days.append(date)
        row += 1 + count
    return _days_of_breakpoints(days, start, step, depth, warmth, checked.name)


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
    message = f"{int(missing.sum())} gaps between days; the first from {gaps[0, 0].astype('datetime64[D]')}."
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
    checked = _rain_path(path)
    if year is None:
        ending = checked.stem[-4:]
        if not (len(ending) == 4 and ending.isascii() and ending.isdigit()):
            raise input_error("rain-file", "does not end in a year: give the year.", checked.name)
        year = int(ending)
    rows = []
    for number, line in enumerate(_text(checked, "ascii").splitlines(), 1):
        if not line.strip():
            continue
        try:
            minute, depth = (float(c) for c in line.split())
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


def read_rain(path: str | os.PathLike[str], *, format: RainFormat = "auto", units: str | None = None) -> RainRecord:
    """Read a rain file of any known format.

    Parameters
    ----------
    path
        The file.
    format
        Its format; ``"auto"`` tells it from the content. ``"csv"`` is a table with a header and a time in ISO
        8601, whose columns are known by their names (``time``, ``rain_mm`` and the like); for others
        `read_rain_csv`.
    units
        ``"mm"`` or ``"in"`` for CSV files whose depth column does not name its unit; None: as the column
        says.

    Returns
    -------
    RainRecord
        The record.

    Raises
    ------
    InputError
        When the format is not recognised, a CSV's columns are not, or its unit is neither named nor given.
    """
    checked = _rain_path(path)
    head = _first_line(checked, "utf-8-sig")
    if format == "auto":
        format = _recognised(checked, head)
    if format != "csv":
        if units not in (None, "mm"):
            raise input_error("unknown-units", f"files of format {format} are in mm, not {units!r}.", "units")
        readers = {
            "wepp-breakpoint": read_wepp_breakpoints,
            "jma": read_jma_csv,
            "meteoswiss": read_meteoswiss,
            "kmi-minutes": read_kmi_minutes,
        }
        if format not in readers:
            raise input_error("rain-file", f"format {format!r} is not known.", "format")
        return readers[format](checked)
    separator = max(",;\t", key=head.count)
    names = {name.strip().strip('"').lower(): name.strip().strip('"') for name in head.split(separator)}
    time = next((names[n] for n in _TIME_NAMES if n in names), None)
    depth = next((names[n] for n in _DEPTH_NAMES if n in names), None)
    if time is None or depth is None:
        raise input_error(
            "rain-column",
            f"has no column known as {'time' if time is None else 'rain depth'}: {head[:200]!r}. Rename it "
            "(time, rain_mm), or read the file with a column map.",
            checked.name,
        )
    named = depth.lower().rpartition("_")[2]
    own = named if named in ("mm", "in") else None
    if own and units and own != units:
        raise input_error("unknown-units", f"column {depth!r} is in {own}, and units say {units}.", "units")
    if not (own or units):
        raise input_error("unknown-units", f"column {depth!r} does not name its unit: give units, mm or in.", "units")
    return read_rain_csv(checked, time=time, depth=depth, separator=separator, units=own or units)


def _rain_path(path: str | os.PathLike[str]) -> Path:
    checked = checked_path(path, "rain file")
    refuse_over("rain_bytes", checked.stat().st_size, checked.name, what="the record", code="file-too-large")
    return checked


def _recognised(path: Path, head: str) -> RainFormat:
    if path.suffix.lower() == ".cli":
        return "wepp-breakpoint"
    if "rre150z0" in head:
        return "meteoswiss"
    if "Date.Time" in head and "Precipitation_mm" in head:
        return "jma"
    cells = head.split()
    if len(cells) == 2 and all(_is_number(c) for c in cells):
        return "kmi-minutes"
    if any(mark in head for mark in ",;\t"):
        return "csv"
    raise input_error("rain-file", f"is of no known format; it begins {head[:80]!r}.", path.name)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _text(path: Path, encoding: str) -> str:
    try:
        return path.read_text(encoding=encoding)
    except UnicodeDecodeError as error:
        raise input_error("rain-file", f"is not {encoding} text: {error}.", path.name) from error
    except OSError as error:
        raise EnvironmentFault(f"{path.name} cannot be read: {error}") from error


def _first_line(path: Path, encoding: str) -> str:
    try:
        with path.open(encoding=encoding) as stream:
            return stream.readline(10_000).rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise input_error("rain-file", f"is not {encoding} text: {error}.", path.name) from error
    except OSError as error:
        raise EnvironmentFault(f"{path.name} cannot be read: {error}") from error
