"""A rain record: wet steps, the period the gauge was watched, and the gaps in it.

However rain arrives (fixed steps with or without zero rows, steps of mixed length, tips of a bucket, breakpoints of
accumulated depth), it is brought into this one form. What is wrong in the data is never repaired in silence: it
becomes a gap, and a finding says so.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import check_name
from sedcalc.factors.erosivity import FIRST_YEAR, LAST_YEAR
from sedcalc.findings import Finding, count_of, input_error

Times = NDArray[np.datetime64]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Units = Literal["mm", "in"]
AbsentRows = Literal["auto", "dry", "gap"]

MAX_RATE_MM_H: Final = 1000.0
"""A rate above this, over the step or over one minute if the step is shorter, is not believed, mm/h."""

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS

_NO_ZONE = "as given: no time zone, taken as local standard time without daylight saving"


@dataclass(frozen=True, eq=False, slots=True)
class RainRecord:
    """Rain of one gauge as wet steps, with the period of observation and its gaps.

    Parameters
    ----------
    start
        Start of each wet step, ``datetime64[ms]``, shape (n,), ascending.
    length
        Length of each wet step, ``timedelta64[ms]``, shape (n,), positive; steps do not overlap.
    depth_mm
        Rain of each wet step, shape (n,), mm, above 0.
    period
        Start and end of the observation, ``datetime64[ms]``.
    gaps
        Start and end of the stretches inside the period without a usable observation, ``datetime64[ms]``, shape (k, 2).
    temperature_c
        Air temperature of each wet step, shape (n,), degrees C, NaN where unknown; or None.
    clock
        What the times mean.
    source
        Where the record comes from.
    findings
        What a reader must know about the data.

    Raises
    ------
    InputError
        When the steps are not ascending, overlap, are not positive, or lie outside the period.
    """

    start: Times
    length: NDArray[np.timedelta64]
    depth_mm: Floats
    period: tuple[np.datetime64, np.datetime64]
    gaps: Times
    temperature_c: Floats | None = None
    clock: str = _NO_ZONE
    source: str = ""
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "start", _frozen(self.start, "datetime64[ms]"))
        put(self, "length", _frozen(self.length, "timedelta64[ms]"))
        put(self, "depth_mm", _frozen(self.depth_mm, "float64"))
        put(self, "gaps", _frozen(np.asarray(self.gaps).reshape(-1, 2), "datetime64[ms]"))
        if self.temperature_c is not None:
            put(self, "temperature_c", _frozen(self.temperature_c, "float64"))
        put(self, "period", tuple(np.array(self.period, dtype="datetime64[ms]")))
        _check_steps(self)

    @property
    def end(self) -> Times:
        """End of each wet step, ``datetime64[ms]``."""
        return self.start + self.length

    @property
    def hours(self) -> Floats:
        """Length of each wet step, h."""
        return np.asarray(self.length.astype(np.int64) / HOUR_MS)

    @property
    def total_mm(self) -> float:
        """Rain of the whole record, mm."""
        return float(self.depth_mm.sum())


def _frozen(values: Any, dtype: str) -> NDArray[Any]:
    array = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


def outside_years(times: Any) -> NDArray[np.bool_]:
    """Return which times lie outside the years that a record can be of: a slip (9027 for 2027) would make millennia."""
    times = np.asarray(times, "datetime64[ms]")
    outside: NDArray[np.bool_] = (times < np.datetime64(f"{FIRST_YEAR}-01-01")) | (
        times > np.datetime64(f"{LAST_YEAR + 1}-01-01")
    )
    return outside


def _check_steps(record: RainRecord) -> None:
    n = len(record.start)
    if len(record.length) != n or len(record.depth_mm) != n:
        raise input_error("rain-shape", "start, length and depth of a rain record must have one length.")
    if record.temperature_c is not None and len(record.temperature_c) != n:
        raise input_error("rain-shape", "temperature_c must have one value for each wet step.")
    begin, finish = record.period
    if not finish > begin:
        raise input_error("rain-period", f"the period of observation ends ({finish}) before it starts ({begin}).")
    if outside_years([begin, finish]).any():
        message = f"the period of observation, {begin} to {finish}, leaves {FIRST_YEAR} to {LAST_YEAR}; correct it."
        raise input_error("rain-year", message)
    if n == 0:
        return
    if not (np.isfinite(record.depth_mm) & (record.depth_mm > 0.0)).all():
        raise input_error("rain-depth", "the wet steps of a rain record must have depths above 0.")
    if not (record.length > np.timedelta64(0, "ms")).all():
        raise input_error("rain-step", "every step of a rain record must be longer than 0.")
    late = np.flatnonzero(record.end[:-1] > record.start[1:])
    if late.size:
        raise input_error(
            "rain-overlap",
            f"{count_of(late.size, 'step reaches', 'steps reach')} into the next one, the first at "
            f"{record.start[late[0]]}: the step lengths do "
            "not fit the times. State the length of the steps.",
        )
    if record.start[0] < begin or record.end[-1] > finish:
        raise input_error(
            "rain-period",
            f"rain from {record.start[0]} to {record.end[-1]} lies outside the period of observation {begin} to "
            f"{finish}. Widen the period or leave those rows out.",
        )


def numbers_of(values: Any, name: str) -> Floats:
    """Return a new array of numbers; text and truth values, which NumPy would turn into some, are refused.

    Parameters
    ----------
    values
        Array-like of numbers; None and NaN are missing.
    name
        Of the values, for the message.
    """
    try:
        given = np.asarray(values)
        if given.dtype.kind == "O":
            odd = [v for v in given.flat if isinstance(v, (str, bytes, bool, np.bool_))]
        else:
            odd = [] if given.dtype.kind in "fiu" else list(given.flat[:1])
        if not odd:
            return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        odd = [values]
    raise input_error("rain-not-numbers", f"must be numbers, not {str(odd[0])!r:.60}; convert them first", name)


def times_of(values: Any, name: str) -> Times:
    """Return values as ``datetime64[ms]``, or refuse what is no time.

    Parameters
    ----------
    values
        Array-like of ``datetime64`` or ISO 8601 text.
    name
        Of the values, for the message.
    """
    try:
        return np.asarray(values, dtype="datetime64[ms]")
    except (TypeError, ValueError):
        message = f"must be times, YYYY-MM-DD or YYYY-MM-DDTHH:MM, not {values!r:.60}"
        raise input_error("rain-time", message, name) from None


def to_standard_time(times: Any, time_zone: str | None = None) -> tuple[Times, str]:
    """Return times on a clock without daylight saving, and a sentence that names that clock.

    Parameters
    ----------
    times
        Array-like of ``datetime64``, or a pandas DatetimeIndex, with or without time zone.
    time_zone
        IANA name (``"America/Chicago"``) of the wall clock that times without a zone were read from, daylight
        saving included. None: the times carry their zone, or are already free of daylight saving.

    Returns
    -------
    tuple
        Times as ``datetime64[ms]`` in the zone's standard time, and the name of the clock.

    Raises
    ------
    InputError
        When the zone is unknown, when times without a zone do not exist in it (the hour skipped in spring), or
        when the hour repeated in autumn cannot be told apart.

    Examples
    --------
    Ten o'clock of a summer day in Chicago is nine o'clock standard time, by definition:

    >>> times, clock = to_standard_time(np.array(["2020-07-01T10:00"], dtype="datetime64[m]"), "America/Chicago")
    >>> str(times[0]), clock
    ('2020-07-01T09:00:00.000', 'standard time of America/Chicago, UTC-06:00')
    """
    zone = getattr(times, "tz", None)
    if zone is None and time_zone is None:
        return times_of(times, "times"), _NO_ZONE
    import pandas as pd

    index = pd.DatetimeIndex(times)
    if zone is None:
        try:
            index = index.tz_localize(time_zone, ambiguous="infer", nonexistent="raise")
        except (ValueError, KeyError, IndexError, OSError):
            raise input_error("rain-time-zone", _off_the_clock(index, str(time_zone)), "time_zone") from None
    year = int(index.min().year)
    seasons = pd.to_datetime([f"{year}-01-01", f"{year}-07-01"])
    walls = seasons.tz_localize("UTC").tz_convert(index.tz).tz_localize(None)
    offset = (walls - seasons).min()  # the standard offset: daylight saving only adds to it
    utc = index.tz_convert("UTC").tz_localize(None)
    minutes = int(offset.total_seconds() // 60)
    sign = "-" if minutes < 0 else "+"
    clock = f"standard time of {index.tz}, UTC{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    return np.asarray(utc + offset, dtype="datetime64[ms]"), clock


def _off_the_clock(index: Any, time_zone: str) -> str:
    """Return which times a wall clock never shows, or shows twice without telling which is meant."""
    remedy = "Give the record in UTC or in standard time."
    try:
        skipped = index.tz_localize(time_zone, ambiguous=np.ones(len(index), bool), nonexistent="NaT").isna()
    except (ValueError, KeyError, IndexError, OSError):
        return f"{time_zone!r} is not a time zone of the IANA list; write one such as America/Chicago."
    skipped &= ~index.isna()
    if skipped.any():
        what, where = "never shows: it skips the hour when daylight saving begins", skipped
    else:
        twice = index.tz_localize(time_zone, ambiguous="NaT", nonexistent="shift_forward").isna() & ~index.isna()
        what, where = "shows twice, when daylight saving ends, and the rows do not tell which is meant", twice
    first = index[int(np.argmax(where))].strftime("%Y-%m-%dT%H:%M:%S")
    number = count_of(int(where.sum()), "such time")
    return f"{first} is a time that the clock of {time_zone} {what} ({number}). {remedy}"


def say(
    findings: list[Finding],
    code: str,
    what: tuple[str, str],
    text: str,
    t: Ints,
    where: NDArray[np.bool_],
    source: str,
) -> None:
    """Add a warning that says how many rows `where` marks, what one is and several are, and when the first was."""
    message = f"{count_of(int(where.sum()), *what)} {text}; the first at {stamp(t[int(np.argmax(where))])}."
    findings.append(Finding(code, "warning", message, source or None))


def stamp(ms: Any) -> str:
    """Return milliseconds since 1970 as a date and time to the second."""
    return str(np.datetime64(int(ms), "ms").astype("datetime64[s]"))


def drop_bad(
    d: Floats, bad: NDArray[np.bool_], t: Ints, code: str, what: tuple[str, str], findings: list[Finding], source: str
) -> None:
    """Turn the depths that `bad` marks into gaps, in place, with a warning."""
    if bad.any():
        worst = float(d[int(np.argmax(bad))])
        say(findings, code, what, f"(the first {worst:g} mm), taken as a gap", t, bad, source)
        d[bad] = np.nan


def assemble(
    start: Ints,
    step: Ints,
    d: Floats,
    *,
    absent_rows: AbsentRows,
    period: tuple[Any, Any] | None,
    temperature: Floats | None,
    clock: str,
    source: str,
    findings: list[Finding],
) -> RainRecord:
    """Return the record of ascending steps; depths of NaN are gaps.

    Parameters
    ----------
    start, step
        Start (since 1970) and length of each step, ms, shape (n,).
    d
        Depth of each step, mm, shape (n,), 0 or more, or NaN; rates above 1,000 mm/h are set to NaN here.
    absent_rows, period
        As in `rain_record`.
    temperature
        Air temperature of each step, degrees C, or None.
    clock, source, findings
        As in `RainRecord`.
    """
    if (d > MAX_RATE_MM_H * MINUTE_MS / HOUR_MS).any():
        most = np.maximum(step, MINUTE_MS) * (MAX_RATE_MM_H / HOUR_MS)
        above = f"a rate above {MAX_RATE_MM_H:,.0f} mm/h"
        what = f"depth means {above}", f"depths mean {above}"
        drop_bad(d, d > most, start, "rain-absurd", what, findings, source)
    end = start + step
    late = end[:-1] > start[1:]
    if late.any():
        raise input_error(
            "rain-overlap",
            f"{count_of(int(late.sum()), 'step reaches', 'steps reach')} into the next one, the first at "
            f"{stamp(start[int(np.argmax(late))])}: the "
            "lengths of the steps do not fit the times. State the length of the steps.",
            source or "step_minutes",
        )
    if period is None:
        begin, finish = int(start[0]), int(end[-1])
    else:
        limits = times_of(period, "period")
        if limits.shape != (2,) or np.isnat(limits).any():
            raise input_error("rain-period", f"{period!r:.80} is not a start and an end; give both", "period")
        begin, finish = limits.astype(np.int64).tolist()
    unknown = np.isnan(d)
    if unknown.any():
        say(findings, "rain-not-observed", ("row has", "rows have"), "no usable depth: a gap", start, unknown, source)
    check_name(absent_rows, get_args(AbsentRows), "absent_rows")
    if absent_rows == "gap" or (absent_rows == "auto" and (d == 0.0).any()):
        known = ~unknown if unknown.any() else slice(None)
        gaps = _complement(start[known], end[known], begin, finish)
    else:
        gaps = _merged(start[unknown], end[unknown])
        if absent_rows == "auto" and _complement(start, end, begin, finish).size:
            message = (
                "the record has no rows of 0: times without a row are taken as dry, and an outage cannot be told from "
                "dry weather. State the period and what absent rows mean."
            )
            findings.append(Finding("rain-no-zero-rows", "warning", message, source or None))
    wet = d > 0.0
    return RainRecord(
        start=start[wet].astype("datetime64[ms]"),
        length=step[wet].astype("timedelta64[ms]"),
        depth_mm=d[wet],
        period=(np.datetime64(begin, "ms"), np.datetime64(finish, "ms")),
        gaps=gaps.astype("datetime64[ms]"),
        temperature_c=None if temperature is None else temperature[wet],
        clock=clock,
        source=source,
        findings=tuple(dict.fromkeys(findings)),
    )


def _complement(start: Ints, end: Ints, begin: int, finish: int) -> Ints:
    """Return the stretches of [begin, finish) that no step covers, shape (k, 2)."""
    if start.size == 0:
        return np.array([[begin, finish]])
    apart = np.flatnonzero(start[1:] > end[:-1])
    before = np.concatenate(([begin], end[:-1][apart], [end[-1]]))
    after = np.concatenate(([start[0]], start[1:][apart], [finish]))
    uncovered = after > before
    return np.stack((before[uncovered], after[uncovered]), axis=1)


def _merged(start: Ints, end: Ints) -> Ints:
    """Return the stretches that touching steps make up, shape (k, 2)."""
    if start.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    new = np.concatenate(([True], start[1:] > end[:-1]))
    last = np.concatenate((np.flatnonzero(new)[1:] - 1, [start.size - 1]))
    return np.stack((start[new], end[last]), axis=1)
