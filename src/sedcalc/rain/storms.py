"""Storms of a rain record: where one ends and the next begins, their energy and their peak intensities."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import check_name
from sedcalc.findings import Finding, count_of, input_error
from sedcalc.rain.energy import Energy, unit_energy
from sedcalc.rain.record import HOUR_MS, MINUTE_MS, Floats, Ints, RainRecord, Times

PEAK_MINUTES: Final = (5, 10, 15, 20, 30, 60)
"""Durations of the peak intensities that every storm gets, min."""

_DEPTH_TOLERANCE_MM = 1e-6  # five tips of 0.01 in are 1.27 mm, not less, however they are summed


@dataclass(frozen=True, slots=True)
class StormRule:
    """How rain is divided into storms, and which of them count.

    Parameters
    ----------
    name
        Name of the rule.
    source
        Where the rule comes from.
    window_h
        Length of the break looked for after a spell of rain, h.
    less_than_mm
        A spell ends its storm when less than this falls in the window after it, mm. None: when nothing falls in it.
    erosive_mm
        A storm of this depth or more counts, mm.
    erosive_15min_mm
        A storm with this depth or more in any 15 minutes counts too, mm. None: there is no such rule.
    energy_digits
        Decimals that unit energy is rounded to, MJ/(ha mm). None: it is not rounded.
    within_spells
        Whether a storm may also end after a step that the next one touches. The storms then depend on how finely
        the rain is written down.
    """

    name: str
    source: str
    window_h: float
    less_than_mm: float | None
    erosive_mm: float
    erosive_15min_mm: float | None
    energy_digits: int | None = None
    within_spells: bool = False


_AH703 = "Renard et al. (1997), Agriculture Handbook 703: 6 h with less than 1.27 mm; 12.7 mm, or 6.35 mm in 15 min"

STORM_RULES: Final[dict[str, StormRule]] = {
    rule.name: rule
    for rule in (
        StormRule("sliding-6h", _AH703, 6.0, 1.27, 12.7, 6.35),
        StormRule(
            "sliding-6h-any-step", f"{_AH703}; any wet step may end its storm", 6.0, 1.27, 12.7, 6.35, None, True
        ),
        StormRule("dry-gap-6h", "storms apart by 6 h without rain; thresholds of AH703", 6.0, None, 12.7, 6.35),
        StormRule(
            "rainerosivity-1.1",
            "Chalaux-Clergue (2025), RainErosivity 1.1.0, for 10-min rain: the 37 rows from the first dry one on hold "
            "6 h 10 min; no 15-min threshold; unit energy rounded to three decimals",
            6.0 + 1.0 / 6.0,
            1.27,
            12.7,
            None,
            3,
        ),
        StormRule(
            "verstraeten-2006",
            "Verstraeten et al. (2006), for 10-min rain: wet rows 6 h apart or more, so 5 h 50 min dry between their "
            "steps, start a new storm; storms of 1.27 mm or more count",
            6.0 - 1.0 / 6.0,
            None,
            1.27,
            None,
        ),
    )
}
"""The rules by name."""

SnowRule = Literal["none", "freezing-air"]
"""``"none"``: all precipitation is rain. ``"freezing-air"``: at an air temperature of 0 degrees C or less it is
snow."""


@dataclass(frozen=True, eq=False, slots=True)
class Storms:
    """Storms as columns, in order of time; shape (n,) each.

    Parameters
    ----------
    start, end
        Start of the first and end of the last wet step, ``datetime64[ms]``.
    depth_mm
        Rain, mm.
    energy
        Kinetic energy E, MJ/ha.
    peak_mm_h
        Peak intensity over each of `PEAK_MINUTES`, mm/h, by minutes. Storms shorter than the duration: depth over it.
    ei30
        E times I30, MJ mm/(ha h), whether or not the storm counts.
    erosive
        Whether the storm counts under the rule.
    gap
        Whether the storm touches a gap of the record, so that its depth and EI are lower bounds.
    """

    start: Times
    end: Times
    depth_mm: Floats
    energy: Floats
    peak_mm_h: dict[int, Floats]
    ei30: Floats
    erosive: NDArray[np.bool_]
    gap: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.start)

    @property
    def hours(self) -> Floats:
        """Duration from the first to the last rain, h."""
        return np.asarray((self.end - self.start).astype(np.int64) / HOUR_MS)


@dataclass(frozen=True, eq=False, slots=True)
class WetSteps:
    """The wet steps that storms are made of; shape (m,) each.

    Parameters
    ----------
    start
        Start of the step, ``datetime64[ms]``.
    storm
        Number of its storm, from 0.
    energy
        Kinetic energy of the step, MJ/ha.
    """

    start: Times
    storm: Ints
    energy: Floats


def storm_rule(rule: str | StormRule) -> StormRule:
    """Return the rule of that name; a `StormRule` is returned as it is.

    Raises
    ------
    InputError
        When there is no rule of that name.
    """
    if isinstance(rule, StormRule):
        return rule
    check_name(rule, STORM_RULES, "storm_rule")
    return STORM_RULES[rule]


def find_storms(
    record: RainRecord,
    *,
    energy: Energy = "ah703",
    rule: str | StormRule = "sliding-6h",
    snow: SnowRule = "none",
) -> tuple[Storms, WetSteps, tuple[Finding, ...]]:
    """Return the storms of a record, the wet steps they are made of, and what was found on the way.

    Parameters
    ----------
    record
        The rain.
    energy
        Unit-energy equation, as in `unit_energy`.
    rule
        Name in `STORM_RULES`, or a rule of one's own.
    snow
        How snow is told from rain; ``"freezing-air"`` needs the record's temperature.

    Returns
    -------
    tuple
        `Storms`, `WetSteps`, and findings (snow left out, storms that touch gaps).

    Raises
    ------
    InputError
        When a name is unknown, or the snow rule needs a temperature that the record does not have.

    Notes
    -----
    Rain is uniform within a step. Steps that touch are one spell of rain; a spell ends its storm when less than the
    rule's depth falls in the window after the spell's end (any rain at all in a dry-gap rule), and every wet step
    belongs to exactly one storm. Long unbroken drizzle therefore is not divided, which can only raise EI
    (``"sliding-6h-any-step"`` divides it). So the storms do not depend on the clock, on how finely the same rain is
    written down, or on zero rows. Rain missing in a gap counts as none when storms are separated.

    Peak intensities come from a window that slides over the intensity, not over rows, within the storm: the largest
    window starts where a step starts or ends where a step ends.

    References
    ----------
    .. [1] Renard, K.G. et al. (1997). Predicting soil erosion by water. USDA Agriculture Handbook 703, Appendix B.

    Examples
    --------
    A storm of twelve half hours, 28.9 mm; 11.8 mm/h is twice its largest half hour:

    >>> from sedcalc.rain import rain_record
    >>> times = np.datetime64("2018-01-01T00:00") + np.timedelta64(30, "m") * np.arange(12)
    >>> record = rain_record(times, [1.1, 2.3, 3.2, 1.9, 4.1, 5.9, 2.5, 3.1, 2.9, 1.2, 0.5, 0.2])
    >>> storms, steps, findings = find_storms(record)
    >>> len(storms), round(float(storms.depth_mm[0]), 1), round(float(storms.peak_mm_h[30][0]), 1)
    (1, 28.9, 11.8)
    """
    check_name(energy, get_args(Energy), "energy")
    rule = storm_rule(rule)
    start, length, depth, findings = _rain_only(record, snow)
    if start.size == 0:
        none, hours = np.empty(0), np.empty(0, dtype="datetime64[ms]")
        yes = np.empty(0, dtype=bool)
        storms = Storms(hours, hours, none, none, dict.fromkeys(PEAK_MINUTES, none), none, yes, yes)
        return storms, WetSteps(hours, np.empty(0, dtype=np.int64), none), findings
    origin = int(start[0])
    t0 = (start - origin).astype(np.float64)
    t1 = t0 + length
    total = np.concatenate(([0.0], np.cumsum(depth)))
    knots = np.stack((t0, t1), axis=1).ravel()
    curve = np.stack((total[:-1], total[1:]), axis=1).ravel()

    first = _first_steps(t0, t1, knots, curve, rule)
    last = np.concatenate((first[1:] - 1, [start.size - 1]))
    storm = np.repeat(np.arange(first.size), last - first + 1)
    storm_depth = np.add.reduceat(depth, first)
    per_mm = unit_energy(depth / (length / HOUR_MS), energy)
    if rule.energy_digits is not None:
        per_mm = np.round(per_mm, rule.energy_digits)
    step_energy = per_mm * depth
    storm_energy = np.add.reduceat(step_energy, first)
    begin, finish = t0[first][storm], t1[last][storm]
    peaks = {}
    for minutes in PEAK_MINUTES:
        width = float(minutes * MINUTE_MS)
        ahead = np.interp(np.minimum(t0 + width, finish), knots, curve) - total[:-1]
        behind = total[1:] - np.interp(np.maximum(t1 - width, begin), knots, curve)
        peaks[minutes] = np.maximum.reduceat(np.maximum(ahead, behind), first) * (60.0 / minutes)
    erosive = storm_depth >= rule.erosive_mm - _DEPTH_TOLERANCE_MM
    if rule.erosive_15min_mm is not None:
        erosive |= peaks[15] / 4.0 >= rule.erosive_15min_mm - _DEPTH_TOLERANCE_MM
    starts = start[first].astype("datetime64[ms]")
    ends = (start + length)[last].astype("datetime64[ms]")
    gap = _touches(starts, ends, record.gaps)
    if (gap & erosive).any():
        message = (
            f"{count_of(int((gap & erosive).sum()), 'erosive storm touches', 'erosive storms touch')} a gap of "
            "the record, the first that of "
            f"{starts[gap & erosive][0].astype('datetime64[m]')}: their depth and EI are lower bounds."
        )
        findings = (*findings, Finding("rain-storm-gap", "warning", message, record.source or None))
    storms = Storms(starts, ends, storm_depth, storm_energy, peaks, storm_energy * peaks[30], erosive, gap)
    return storms, WetSteps(start.astype("datetime64[ms]"), storm, step_energy), findings


def _rain_only(record: RainRecord, snow: str) -> tuple[Ints, Ints, Floats, tuple[Finding, ...]]:
    start = record.start.astype(np.int64)
    length = record.length.astype(np.int64)
    depth = record.depth_mm
    check_name(snow, get_args(SnowRule), "snow")
    if snow == "none":
        return start, length, depth, ()
    if record.temperature_c is None:
        raise input_error(
            "rain-no-temperature", "the snow rule 'freezing-air' needs the air temperature, and the record has none."
        )
    findings = []
    unknown = np.isnan(record.temperature_c)
    if unknown.any():
        message = (
            f"{count_of(int(unknown.sum()), 'wet step has', 'wet steps have')} no temperature; their "
            "precipitation counts as rain."
        )
        findings.append(Finding("rain-no-temperature", "warning", message, record.source or None))
    frozen = record.temperature_c <= 0.0
    if frozen.any():
        message = (
            f"{depth[frozen].sum():.1f} mm in {count_of(int(frozen.sum()), 'step')} fell at 0 degrees C or "
            "less: taken as snow "
            "and left out."
        )
        findings.append(Finding("rain-snow", "note", message, record.source or None))
    rain = ~frozen
    return start[rain], length[rain], depth[rain], tuple(findings)


def _first_steps(t0: Floats, t1: Floats, knots: Floats, curve: Floats, rule: StormRule) -> NDArray[np.intp]:
    """Return the number of the first wet step of each storm."""
    touching = t0[1:] <= t1[:-1]
    pause = np.flatnonzero(~touching | rule.within_spells)  # the steps after which a storm may end
    window = rule.window_h * HOUR_MS
    if rule.less_than_mm is None:
        ends = t0[pause + 1] - t1[pause] >= window - 0.5  # times are whole ms
    else:
        after = np.interp(t1[pause] + window, knots, curve) - curve[2 * pause + 1]
        ends = after < rule.less_than_mm - _DEPTH_TOLERANCE_MM
    return np.concatenate(([0], pause[ends] + 1))


def _touches(start: Times, end: Times, gaps: Times) -> NDArray[np.bool_]:
    """Return which of the spans [start, end] meet a gap, at their edges included."""
    if gaps.size == 0:
        return np.zeros(start.shape, dtype=bool)
    reached = np.searchsorted(gaps[:, 0], end, side="right")
    passed = np.searchsorted(gaps[:, 1], start, side="left")
    return np.asarray(reached > passed)
