"""Rain files into a `RainRecord`: CSV with a column map, WEPP breakpoint files, and three national formats."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args

from sedcalc.factors._arrays import check_name
from sedcalc.findings import Finding, InputError, input_error
from sedcalc.io.plain_numbers import plain_number
from sedcalc.io.rain_csv import MISSING_MARKS, read_rain_csv
from sedcalc.io.rain_formats import read_jma_csv, read_kmi_minutes, read_meteoswiss, read_wepp_breakpoints
from sedcalc.io.rain_text import first_line, rain_path
from sedcalc.rain.record import RainRecord, Units

__all__ = [
    "MISSING_MARKS",
    "RainFormat",
    "read_jma_csv",
    "read_kmi_minutes",
    "read_meteoswiss",
    "read_rain",
    "read_rain_csv",
    "read_wepp_breakpoints",
]

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

_READERS: Final[dict[str, Callable[[Path], RainRecord]]] = {
    "wepp-breakpoint": read_wepp_breakpoints,
    "jma": read_jma_csv,
    "meteoswiss": read_meteoswiss,
    "kmi-minutes": read_kmi_minutes,
}

RainFormat = Literal["auto", "csv", "wepp-breakpoint", "jma", "kmi-minutes", "meteoswiss"]


def read_rain(
    path: str | os.PathLike[str],
    *,
    format: RainFormat = "auto",
    units: str | None = None,
    year: int | None = None,
    time: str | Sequence[str] | None = None,
    depth: str | None = None,
    separator: str | None = None,
    **csv: Any,
) -> RainRecord:
    """Read a rain file of any known format.

    Parameters
    ----------
    path
        The file.
    format
        Its format; ``"auto"`` tells it from the content. ``"csv"`` is a table with a header and a time in ISO
        8601, whose columns are known by their names (``time``, ``rain_mm`` and the like), or named here.
    units
        ``"mm"`` or ``"in"`` for CSV files whose depth column does not name its unit; None: as the column
        says.
    year
        Year of a file of format ``kmi-minutes`` whose name does not end in it.
    time, depth
        Columns of a CSV file, as in `read_rain_csv`; None: by their names.
    separator
        What stands between the cells of a CSV file; None: comma, semicolon or tab, whichever its first line has most.
    **csv
        More of `read_rain_csv`: ``temperature``, ``time_format``, ``zero_marks``, ``missing_marks``, ``kind``,
        ``time_zone`` and so on. Files of the other formats say these things themselves.

    Returns
    -------
    RainRecord
        The record.

    Raises
    ------
    InputError
        When the format is not recognised, a CSV's columns are not, or its unit is neither named nor given; or an
        option does not go with the format: all of these at once.
    """
    check_name(format, ("auto", "csv", *_READERS), "format")
    if units is not None:
        check_name(units, get_args(Units), "units")
    checked = rain_path(path)
    head = first_line(checked, str(csv.get("encoding", "utf-8-sig")))
    if format == "auto":
        format = "csv" if time is not None and depth is not None else _recognised(checked, head)
    named = {"time": time, "depth": depth, "separator": separator, **csv}
    mistakes = [
        Finding("rain-option", "error", f"files of format {format} say this themselves; leave it out", name)
        for name, value in named.items()
        if format != "csv" and value is not None
    ]
    if format != "kmi-minutes" and year is not None:
        message = f"only files of format kmi-minutes need a year; this one is of format {format}"
        mistakes.append(Finding("rain-option", "error", message, "year"))
    if format != "csv" and units not in (None, "mm"):
        message = f"files of format {format} are in mm, not {units!r}."
        mistakes.append(Finding("unknown-units", "error", message, "units"))
    if mistakes:
        raise InputError(mistakes)
    if format == "kmi-minutes":
        return read_kmi_minutes(checked, year)
    if format != "csv":
        return _READERS[format](checked)
    separator = max(",;\t", key=head.count) if separator is None else separator
    names = {name.strip().strip('"').lower(): name.strip().strip('"') for name in head.split(separator)}
    time = time or next((names[n] for n in _TIME_NAMES if n in names), None)
    depth = depth or next((names[n] for n in _DEPTH_NAMES if n in names), None)
    if time is None or depth is None:
        raise input_error(
            "rain-column",
            f"has no column known as {'time' if time is None else 'rain depth'}: {head[:200]!r}. Name the columns of "
            "time and depth, or rename them (time, rain_mm).",
            checked.name,
        )
    unit = depth.lower().rpartition("_")[2]
    own = unit if unit in ("mm", "in") else None
    if own and units and own != units:
        raise input_error("unknown-units", f"column {depth!r} is in {own}, and units say {units}.", "units")
    if not (own or units):
        raise input_error("unknown-units", f"column {depth!r} does not name its unit: give units, mm or in.", "units")
    return read_rain_csv(checked, time=time, depth=depth, separator=separator, units=own or units, **csv)


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
        plain_number(text)
    except ValueError:
        return False
    return True
