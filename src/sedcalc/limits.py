"""Limits on what is read from files: one table, adjustable by whoever runs sedcalc, never by a file.

Each limit keeps the time and memory that a file can cost within bounds. ``SEDCALC_MAX_`` and the name in capitals is
the environment variable that sets it, for the process and the workers it starts: ``SEDCALC_MAX_SITE_BYTES=20000000``.
"""

import errno
import os
from dataclasses import dataclass
from typing import Final

from sedcalc.findings import EnvironmentFault, InputError, input_error

PREFIX: Final = "SEDCALC_MAX_"


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit.

    Parameters
    ----------
    default
        Its value where no environment variable sets it.
    unit
        What it counts.
    what
        What it holds for.
    """

    default: int
    unit: str
    what: str


LIMITS: Final[dict[str, Limit]] = {
    "site_bytes": Limit(5_000_000, "bytes", "site file: TOML, JSON or workbook"),
    "site_depth": Limit(40, "levels", "nesting of a site file or an ordinance file"),
    "site_parts": Limit(5_000, "entries", "each list of a site file: soils, ground units, phases, practices, ..."),
    "site_rows": Limit(20_000, "rows", "phases times their ground units, practices times what drains to them; claims"),
    "site_practices": Limit(500, "practices", "practices of a site"),
    "site_days": Limit(366 * 30, "days", "a phase, a ground unit and a site, from disturbance to stabilization"),
    "site_steps": Limit(20_000_000, "steps", "practices that each drainage area and soil passes, times the days"),
    "site_files": Limit(200, "files", "files that a site names"),
    "ordinance_bytes": Limit(1_000_000, "bytes", "ordinance file"),
    "cover_table_bytes": Limit(1_000_000, "bytes", "table of C by land-cover code"),
    "cover_table_rows": Limit(10_000, "rows", "table of C by land-cover code"),
    "raster_bytes": Limit(4_000_000_000, "bytes", "raster that a site names"),
    "raster_cells": Limit(100_000_000, "cells", "raster that a site names, from its header"),
    "polygon_bytes": Limit(200_000_000, "bytes", "file of polygons or lines"),
    "polygons": Limit(20_000, "features", "file of polygons or lines"),
    "vertices": Limit(2_000_000, "vertices", "file of polygons or lines, all features together"),
    "workbook_expanded_bytes": Limit(40_000_000, "bytes", "what the parts of a workbook unpack to"),
    "workbook_parts": Limit(500, "parts", "workbook"),
    "workbook_sheets": Limit(50, "sheets", "workbook"),
    "workbook_rows": Limit(25_000, "rows", "each sheet of a workbook"),
    "workbook_columns": Limit(200, "columns", "each sheet of a workbook"),
    "workbook_cells": Limit(500_000, "cells", "workbook"),
    "rain_bytes": Limit(500_000_000, "bytes", "rain record in short steps"),
    "rain_rows": Limit(20_000_000, "rows", "rain record in short steps"),
    "daily_rain_bytes": Limit(50_000_000, "bytes", "daily rain record"),
    "rain_days": Limit(366 * 300, "days", "rain record, from its first day to its last"),
    "survey_bytes": Limit(4_000_000_000, "bytes", "each file of a soil survey"),
    "survey_rows": Limit(5_000_000, "rows", "each table of a soil survey"),
    "record_bytes": Limit(200_000_000, "bytes", "audit record that is replayed"),
    "batch_files": Limit(1_000_000, "files", "submissions of a batch"),
    "seconds": Limit(1_800, "s", "`run`, `report`, `verify`, `replay` or `inspections` of a site, in all"),
    "memory_mb": Limit(16_000, "MB", "address space of the process that computes a site"),
    "batch_memory_mb": Limit(4_300, "MB", "address space of each worker of a batch"),
}


def variable(name: str) -> str:
    """Return the environment variable that sets a limit.

    Parameters
    ----------
    name
        One of `LIMITS`.
    """
    return f"{PREFIX}{name.upper()}"


def most(name: str) -> int:
    """Return a limit as it stands now.

    Parameters
    ----------
    name
        One of `LIMITS`.

    Raises
    ------
    EnvironmentFault
        The environment variable is set to something else than a whole number above 0.

    Examples
    --------
    >>> most("site_depth")
    40
    """
    text = os.environ.get(variable(name))
    if text is None:
        return LIMITS[name].default
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
        raise EnvironmentFault(f"{variable(name)} is {text[:40]!r}: give a whole number above 0, or unset it")
    return int(text)


def refuse_over(
    name: str, amount: int, where: str | None = None, *, what: str = "this", code: str = "over-limit"
) -> None:
    """Refuse what goes beyond a limit.

    Parameters
    ----------
    name
        One of `LIMITS`.
    amount
        How much there is.
    where
        Path into the input, for the finding.
    what
        What has so much, for the message.
    code
        Code of the finding.

    Raises
    ------
    InputError
        There is more than the limit.
    """
    limit = most(name)
    if amount > limit:
        unit = LIMITS[name].unit
        message = f"{what} has {amount:,} {unit}; over {limit:,} are not read, unless {variable(name)} allows more"
        raise input_error(code, message, where)


def limit_memory(memory_bytes: int) -> None:
    """Limit the address space of this process, where the platform has such a limit; a narrower one stays.

    Parameters
    ----------
    memory_bytes
        The limit, bytes.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    most_bytes = resource.getrlimit(resource.RLIMIT_AS)[1]
    allowed = memory_bytes if most_bytes == resource.RLIM_INFINITY else min(memory_bytes, most_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, most_bytes))


def memory_limit() -> int | None:
    """Return the limit on the address space of this process, bytes; None where there is none."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def lift_memory_limit() -> None:
    """End what `limit_memory` began, so that a process that ran out of memory can still say so."""
    try:
        import resource
    except ImportError:
        return
    most_bytes = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))


def ran_out_of_memory(error: BaseException) -> bool:
    """Whether an error, or one that led to it, says that there was no memory for numbers or for a library.

    Parameters
    ----------
    error
        What ended a calculation. pydantic's compiled part panics where it gets none; its error is no `Exception`, and
        of a class that cannot be imported.
    """
    if type(error).__name__ == "PanicException":
        return True
    if not isinstance(error, MemoryError | OSError | ImportError):
        return False
    cause: BaseException | None = error
    while cause is not None:
        full = isinstance(cause, MemoryError) or getattr(cause, "errno", None) == errno.ENOMEM
        if full or (isinstance(cause, ImportError | OSError) and "failed to map segment" in str(cause)):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def out_of_memory(name: str, memory_bytes: int, where: str) -> InputError:
    """Return what is said of an input that takes more memory than is allowed.

    Parameters
    ----------
    name
        The limit, one of `LIMITS`.
    memory_bytes
        How much it allowed, bytes.
    where
        The input.
    """
    message = f"it takes more memory than the {memory_bytes // 1_000_000:,} MB allowed; {variable(name)} allows more"
    return input_error("out-of-memory", message, where)
