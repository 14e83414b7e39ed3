"""From rain as it was measured (steps, breakpoints, tips) to a `RainRecord`."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sedcalc.factors._arrays import check_name
from sedcalc.factors.erosivity import FIRST_YEAR, LAST_YEAR
from sedcalc.findings import Finding, InputError, count_of, input_error
from sedcalc.rain.record import (
    MINUTE_MS,
    AbsentRows,
    Floats,
    Ints,
    RainRecord,
    Times,
    Units,
    assemble,
    drop_bad,
    numbers_of,
    outside_years,
    say,
    stamp,
    to_standard_time,
)
from sedcalc.units import INCH_MM

_RUN_OF_OTHER_STEPS = 6  # this many rows in a row at one other spacing are a change of step, not missing rows
_COARSE_MIN = 30.0


def rain_record(
    times: Any,
    depth: ArrayLike,
    *,
    units: Units = "mm",
    step_minutes: ArrayLike | Literal["between-rows"] | None = None,
    longest_step_minutes: float = 60.0,
    label: Literal["start", "end"] = "start",
    absent_rows: AbsentRows = "auto",
    period: tuple[Any, Any] | None = None,
    temperature_c: ArrayLike | None = None,
    time_zone: str | None = None,
    source: str = "",
) -> RainRecord:
    """Return the record of rain depths given per step.

    Parameters
    ----------
    times
        Time of each row, array-like of ``datetime64`` or a pandas DatetimeIndex, shape (n,).
    depth
        Rain of each row's step, shape (n,), in `units`. NaN: not observed.
    units
        ``"mm"`` or ``"in"``.
    step_minutes
        Length of the steps, minutes: a number, one per row, ``"between-rows"`` (a step reaches to the next row,
        or back to the one before when `label` is ``"end"``), or None: the most common spacing of the rows, which
        all spacings must be multiples of.
    longest_step_minutes
        With ``"between-rows"``, a longer step is a gap, minutes.
    label
        Whether a row's time is the start or the end of its step.
    absent_rows
        What a time without a row means: ``"dry"`` (the file has no zero rows), ``"gap"``, or ``"auto"``: a gap if
        the record has rows of 0, else dry, with a finding.
    period
        Start and end of the observation, ``datetime64`` or text; by default from the first to the last step.
    temperature_c
        Air temperature of each row, shape (n,), degrees C; for the snow rule.
    time_zone
        As in `to_standard_time`.
    source
        Where the record comes from.

    Returns
    -------
    RainRecord
        The wet steps, the period and its gaps.

    Raises
    ------
    InputError
        When lengths differ, a time is missing, a depth is infinite, or the steps cannot be told.

    Notes
    -----
    Rows are sorted. A row that repeats another is dropped; rows of one time with different depths, negative depths,
    and rates above 1,000 mm/h are gaps; rows nearer to each other than a stated step cut it short. Each is a finding
    with its number and first place.

    Examples
    --------
    >>> import numpy as np
    >>> times = np.datetime64("2024-06-01T10:00") + np.timedelta64(10, "m") * np.arange(3)
    >>> record = rain_record(times, [0.0, 2.5, 1.0])
    >>> record.total_mm, record.gaps.shape
    (3.5, (0, 2))
    """
    check_name(label, ("start", "end"), "label")
    stamps, clock = to_standard_time(times, time_zone)
    t: Ints = stamps.astype(np.int64)
    d = _millimetres(depth, units)
    temperature = None if temperature_c is None else numbers_of(temperature_c, "temperature_c")
    _check_rows(stamps, d, temperature)
    findings: list[Finding] = []
    per_row = step_minutes is not None and not isinstance(step_minutes, str) and np.ndim(step_minutes) > 0
    lengths = numbers_of(step_minutes, "step_minutes") * MINUTE_MS if per_row else None
    if lengths is not None and lengths.shape != t.shape:
        raise input_error(
            "rain-shape", f"step_minutes has {count_of(lengths.size, 'value')} for {count_of(t.size, 'row')}."
        )
    if step_minutes is not None and not isinstance(step_minutes, str) and not np.isfinite(step_minutes).all():
        raise input_error("rain-step", "the length of a step must be a finite number of minutes.", "step_minutes")

    keep, conflict = _order(t, d, findings, source)
    t, d = t[keep], d[keep].copy()
    temperature = None if temperature is None else temperature[keep]
    d[conflict] = np.nan
    drop_bad(d, d < 0.0, t, "rain-negative", ("negative depth", "negative depths"), findings, source)

    if lengths is not None:
        step = np.rint(lengths[keep]).astype(np.int64)
    elif isinstance(step_minutes, str):
        step = _between_rows(t, d, step_minutes, longest_step_minutes, label, findings, source)
        stepped = slice(1, None) if label == "end" else slice(None, -1)
        t, d = t[stepped], d[stepped]
        temperature = None if temperature is None else temperature[stepped]
    elif step_minutes is None:
        step = _inferred_step(t, d, findings, source)
    else:
        step = _fixed_step(t, float(np.asarray(step_minutes, dtype=np.float64)), label, findings, source)
    if not (step > 0).all():
        raise input_error("rain-step", "the length of a step must be above 0 minutes.", "step_minutes")
    coarse = float(step.min()) / MINUTE_MS
    if coarse >= _COARSE_MIN:
        message = (
            f"steps of {coarse:g} min and longer flatten the peaks: at five stations in China EI from breakpoints was "
            "1.73 times that from 60-min rain (Yin et al. 2007). Use finer rain if there is any."
        )
        findings.append(Finding("rain-coarse-step", "warning", message, source or None))
    start = t - step if label == "end" else t
    return assemble(
        start,
        step,
        d,
        absent_rows=absent_rows,
        period=period,
        temperature=temperature,
        clock=clock,
        source=source,
        findings=findings,
    )


def record_from_breakpoints(
    times: Any,
    accumulated: ArrayLike,
    *,
    units: Units = "mm",
    on_reset: Literal["gap", "restart"] = "gap",
    period: tuple[Any, Any] | None = None,
    time_zone: str | None = None,
    source: str = "",
) -> RainRecord:
    """Return the record of an accumulating gauge: accumulated depth at points in time, rain uniform between them.

    Parameters
    ----------
    times
        Time of each reading, shape (n,), n at least 2.
    accumulated
        Depth accumulated up to that time, shape (n,), in `units`. NaN: not observed.
    units
        ``"mm"`` or ``"in"``.
    on_reset
        Where the accumulated depth falls: ``"gap"``, the step is not observed; ``"restart"``, the counter was
        emptied at the reading before, and the new reading is the rain since.
    period, time_zone, source
        As in `rain_record`.

    Returns
    -------
    RainRecord
        The wet steps, the period and its gaps.

    Raises
    ------
    InputError
        When lengths differ, a time is missing, or fewer than two readings are given.

    Examples
    --------
    By hand: 6 mm in the first half hour, then none.

    >>> times = np.array(["2020-06-01T10:00", "2020-06-01T10:30", "2020-06-01T11:00"], dtype="datetime64[m]")
    >>> record = record_from_breakpoints(times, [0.0, 6.0, 6.0])
    >>> record.depth_mm.tolist(), record.length.astype("timedelta64[m]").tolist()[0].total_seconds() / 60
    ([6.0], 30.0)
    """
    check_name(on_reset, ("gap", "restart"), "on_reset")
    stamps, clock = to_standard_time(times, time_zone)
    t: Ints = stamps.astype(np.int64)
    a = _millimetres(accumulated, units)
    _check_rows(stamps, a, None)
    findings: list[Finding] = []
    keep, conflict = _order(t, a, findings, source)
    t, a = t[keep], a[keep].copy()
    a[conflict] = np.nan
    if t.size < 2:
        raise input_error("rain-step", "breakpoints need at least two readings at different times.", source or None)
    d = np.diff(a)
    reset = d < 0.0
    if reset.any():
        meaning = "the steps across them are gaps" if on_reset == "gap" else "the counter restarts from 0 there"
        say(findings, "rain-reset", ("fall", "falls"), f"of the accumulated depth; {meaning}", t[1:], reset, source)
        d[reset] = np.nan if on_reset == "gap" else a[1:][reset]
    return assemble(
        t[:-1],
        np.diff(t),
        d,
        absent_rows="gap",
        period=period,
        temperature=None,
        clock=clock,
        source=source,
        findings=findings,
    )


def record_from_tips(
    times: Any,
    tip: ArrayLike,
    *,
    units: Units = "mm",
    spread_minutes: float = 30.0,
    period: tuple[Any, Any] | None = None,
    time_zone: str | None = None,
    source: str = "",
) -> RainRecord:
    """Return the record of a tipping bucket: the depth of a tip fell since the tip before it.

    Parameters
    ----------
    times
        Time of each tip, shape (n,); tips of one time are added.
    tip
        Depth of a tip, scalar or shape (n,), in `units`.
    units
        ``"mm"`` or ``"in"``.
    spread_minutes
        A tip's rain is spread back to the tip before it, but over no more than this, minutes.
    period, time_zone, source
        As in `rain_record`.

    Returns
    -------
    RainRecord
        The wet steps and the period; a tipping bucket shows no gaps by itself.

    Raises
    ------
    InputError
        When lengths differ, a time is missing, or a tip's depth is not above 0.

    Notes
    -----
    When within a long dry spell a tip's rain began is unknown. A spread of 30 minutes is this project's convention:
    a lone tip then counts in full in one 30-minute window, and its own unit energy is low either way.

    Examples
    --------
    By hand: two tips of a hundredth of an inch, the second ten minutes after the first.

    >>> times = np.array(["2020-06-01T10:00", "2020-06-01T10:10"], dtype="datetime64[m]")
    >>> record = record_from_tips(times, 0.01, units="in")
    >>> record.depth_mm.round(3).tolist(), (record.length / np.timedelta64(1, "m")).tolist()
    ([0.254, 0.254], [30.0, 10.0])
    """
    stamps, clock = to_standard_time(times, time_zone)
    t: Ints = stamps.astype(np.int64)
    d = _millimetres(tip, units)
    d = np.full(t.shape, float(d)) if d.ndim == 0 else d
    _check_rows(stamps, d, None)
    if not (d > 0.0).all():
        raise input_error(
            "rain-tip", f"{count_of(int((~(d > 0.0)).sum()), 'tip has', 'tips have')} no depth above 0.", "tip"
        )
    if not spread_minutes > 0.0:
        raise input_error("rain-step", f"spread_minutes is {spread_minutes}; it must be above 0.", "spread_minutes")
    findings: list[Finding] = []
    if (np.diff(t) < 0).any():
        say(
            findings,
            "rain-out-of-order",
            ("tip", "tips"),
            "earlier than the one before, now sorted",
            t[1:],
            np.diff(t) < 0,
            source,
        )
    unique, place = np.unique(t, return_inverse=True)
    summed: Floats = np.bincount(place, weights=d).astype(np.float64)
    spread = round(spread_minutes * MINUTE_MS)
    before = np.concatenate(([unique[0] - spread], unique[:-1]))
    start = np.maximum(before, unique - spread)
    if period is None:
        findings.append(
            Finding(
                "rain-no-period",
                "warning",
                "no period of observation was given: it is taken from the first to the last tip, and dry weather or an "
                "outage before and after is unknown. Give the period.",
                source or None,
            )
        )
    return assemble(
        start,
        unique - start,
        summed,
        absent_rows="dry",
        period=period,
        temperature=None,
        clock=clock,
        source=source,
        findings=findings,
    )


def _millimetres(depth: ArrayLike, units: str) -> Floats:
    check_name(units, get_args(Units), "units")
    d = numbers_of(depth, "depth")
    return d * INCH_MM if units == "in" else d


def _check_rows(stamps: Times, depth: Floats, temperature: Floats | None) -> None:
    if stamps.ndim != 1 or depth.shape != stamps.shape:
        raise input_error(
            "rain-shape",
            f"{count_of(stamps.size, 'time')} and {count_of(depth.size, 'depth')}: one depth for each time.",
        )
    if temperature is not None and temperature.shape != stamps.shape:
        raise input_error(
            "rain-shape", f"{count_of(stamps.size, 'time')} and {count_of(temperature.size, 'temperature')}."
        )
    if stamps.size == 0:
        raise input_error("rain-empty", "the rain record has no rows.")
    problems = []
    for bad, code, what, text in (
        (np.isnat(stamps), "rain-time", ("time is", "times are"), "missing or unreadable"),
        (outside_years(stamps), "rain-year", ("time is", "times are"), f"outside {FIRST_YEAR} to {LAST_YEAR}"),
        (np.isinf(depth), "rain-depth", ("depth is", "depths are"), "infinite"),
    ):
        if bad.any():
            row = int(np.argmax(bad))
            problems.append(
                Finding(code, "error", f"{count_of(int(bad.sum()), *what)} {text}, the first in row {row + 1}.")
            )
    if problems:
        raise InputError(problems)


def _order(
    t: Ints, d: Floats, findings: list[Finding], source: str
) -> tuple[NDArray[np.intp] | slice, NDArray[np.bool_]]:
    """Return the rows to keep, by time, and which of them stand for several rows of different depth."""
    steps = np.diff(t)
    if (steps > 0).all():
        return slice(None), np.zeros(t.size, dtype=bool)
    if (steps < 0).any():
        say(
            findings,
            "rain-out-of-order",
            ("row is", "rows are"),
            "earlier than the row before, now sorted",
            t[1:],
            steps < 0,
            source,
        )
    order = np.argsort(t, kind="stable")
    ts, ds = t[order], d[order]
    first = np.concatenate(([True], ts[1:] != ts[:-1]))
    group = np.cumsum(first) - 1
    keep = order[first]
    differs = ds != ds[first][group]
    differs &= ~(np.isnan(ds) & np.isnan(ds[first][group]))
    conflict = np.bincount(group, weights=differs) > 0
    again = ~first & ~conflict[group]
    if again.any():
        say(
            findings,
            "rain-duplicate",
            ("row repeats", "rows repeat"),
            "a row of the same time and depth; one was kept",
            ts,
            again,
            source,
        )
    if conflict.any():
        say(
            findings,
            "rain-conflict",
            ("time has", "times have"),
            "rows of different depths, taken as a gap (an hour repeated in autumn means daylight saving: "
            "name the time zone)",
            t[keep],
            conflict,
            source,
        )
    return keep, conflict


def _inferred_step(t: Ints, d: Floats, findings: list[Finding], source: str) -> Ints:
    if t.size < 2:
        raise input_error(
            "rain-step", "one row does not show the length of its step: give step_minutes.", "step_minutes"
        )
    spacing = np.diff(t)
    if (spacing == spacing[0]).all():
        return _say_inferred(t, int(spacing[0]), findings, source)
    values, counts = np.unique(spacing, return_counts=True)
    step = int(values[np.argmax(counts)])
    odd = spacing % step != 0
    if odd.any():
        where = stamp(t[int(np.argmax(odd))])
        raise input_error(
            "rain-step",
            f"rows are most often {step / MINUTE_MS:g} min apart, but "
            f"{count_of(int(odd.sum()), 'spacing is no multiple', 'spacings are not multiples')} of "
            f"that, the first after {where}: give step_minutes as a number or as 'between-rows'.",
            "step_minutes",
        )
    if (d == 0.0).any():
        other = np.concatenate(([0], np.cumsum(spacing[1:] != spacing[:-1])))
        runs = np.bincount(other)
        run_step = spacing[np.concatenate(([0], np.cumsum(runs)[:-1]))]
        changed = (runs >= _RUN_OF_OTHER_STEPS) & (run_step != step)
        if changed.any():
            k = int(np.argmax(changed))
            where = stamp(t[int(runs[:k].sum())])
            raise input_error(
                "rain-step",
                f"rows are most often {step / MINUTE_MS:g} min apart, but from {where} "
                f"{count_of(int(runs[k]), 'row')} follow each "
                f"other at {run_step[k] / MINUTE_MS:g} min: if the step changed, give step_minutes as 'between-rows'; "
                "if rows are missing, give step_minutes as a number.",
                "step_minutes",
            )
    return _say_inferred(t, step, findings, source)


def _say_inferred(t: Ints, step: int, findings: list[Finding], source: str) -> Ints:
    message = f"the steps are taken as {step / MINUTE_MS:g} min, the most common spacing of the rows."
    findings.append(Finding("rain-step-inferred", "note", message, source or None))
    return np.full(t.shape, step, dtype=np.int64)


def _fixed_step(t: Ints, minutes: float, label: str, findings: list[Finding], source: str) -> Ints:
    """Return steps of one length, cut short where the next (or, for ends, the last) row is nearer than that."""
    step = np.full(t.shape, round(minutes * MINUTE_MS), dtype=np.int64)
    spacing = np.diff(t)
    near = spacing < step[1:]
    if near.any():
        what = f"the one before by less than the step of {minutes:g} min: the step before is cut short"
        say(findings, "rain-short-step", ("row follows", "rows follow"), what, t[1:], near, source)
        held = step[1:] if label == "end" else step[:-1]
        held[near] = spacing[near]
    return step


def _between_rows(
    t: Ints, d: Floats, word: str, longest_minutes: float, label: str, findings: list[Finding], source: str
) -> Ints:
    if word != "between-rows":
        raise input_error("rain-step", f"step_minutes {word!r} is not a number or 'between-rows'.", "step_minutes")
    if t.size < 2:
        raise input_error("rain-step", "'between-rows' needs at least two rows.", "step_minutes")
    edge = 0 if label == "end" else -1
    if d[edge] > 0.0:
        raise input_error(
            "rain-step",
            f"with 'between-rows' the {'first' if edge == 0 else 'last'} row only marks a time, and it has "
            f"{d[edge]:g} mm: add a row of 0 at the {'start' if edge == 0 else 'end'} of its step, or give "
            "step_minutes as a number.",
            "step_minutes",
        )
    step = np.diff(t)
    long = step > longest_minutes * MINUTE_MS
    if long.any():
        stamps, rows = (t[1:], d[1:]) if label == "end" else (t[:-1], d[:-1])
        say(
            findings,
            "rain-long-step",
            ("step is", "steps are"),
            f"longer than {longest_minutes:g} min, taken as a gap",
            stamps,
            long,
            source,
        )
        rows[long] = np.nan
    return step
