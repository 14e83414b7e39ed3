"""From phases and stabilization dates to the spans of days through which each ground unit has one state.

A unit's load counts from its first disturbance (clearing included) to the site's final stabilization. Between phases
it keeps the last cover and surface condition and never returns to undisturbed; after its own stabilization it stays in
at its final cover. Before that, and on land that no phase names, it is background.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sedcalc.site.submission import Cover, GroundUnit, Phase, Site, SurfaceCondition

State = Literal["existing", "phase", "between", "stabilized"]
_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """Days on which one ground unit has one cover, surface condition and slope.

    Parameters
    ----------
    unit
        Index of the ground unit.
    label
        What the load table prints as the phase.
    start, end
        First and last day, both inclusive.
    cover, cover_path
        The cover, and its path in the site file.
    surface_condition, surface_path
        The surface condition (None: P = 1), and its path in the site file.
    slope_phase
        Index of the phase that last set the unit's slope or surface, None for the unit's own.
    state
        ``existing`` (background), ``phase``, ``between`` (idle) or ``stabilized``.
    phase
        Index of the phase that began last on the unit; None before the first.
    course
        C of each day over the C of the span's cover, which is their mean weighted by erosivity; None where C is the
        same on all days.
    laid
        The seedbed and the grown cover where C is a mean of both; otherwise empty.
    """

    unit: int
    label: str
    start: datetime.date
    end: datetime.date
    cover: Cover
    cover_path: str
    surface_condition: SurfaceCondition | None
    surface_path: str
    slope_phase: int | None
    state: State
    phase: int | None = None
    course: tuple[float, ...] | None = None
    laid: tuple[Cover, ...] = ()


@dataclass(frozen=True, slots=True)
class Schedule:
    """The spans of all units, and the days that bound the project.

    Parameters
    ----------
    first_day
        First disturbance of any unit.
    last_day
        The site's final stabilization: the last unit's.
    disturbed
        For each ground unit its first disturbance and its final stabilization, None where it is never disturbed.
    spans
        Unit by unit, each in time order, without gaps from the first disturbance on.
    """

    first_day: datetime.date
    last_day: datetime.date
    disturbed: tuple[tuple[datetime.date, datetime.date] | None, ...]
    spans: tuple[Span, ...]


def phases_of_units(phases: Sequence[Phase]) -> dict[str, list[int]]:
    """Return for each unit id that phases name the indices of its phases, by start."""
    named: dict[str, list[int]] = {}
    for index, phase in enumerate(phases):
        for unit in dict.fromkeys(phase.units):
            named.setdefault(unit, []).append(index)
    for indices in named.values():
        indices.sort(key=lambda i: (phases[i].start, i))
    return named


def schedule(site: Site) -> Schedule:
    """Lay out the schedule of a site that has passed `sedcalc.site.checks`.

    Parameters
    ----------
    site
        A checked site: every disturbed unit has a stabilization date and a final cover.
    """
    named = phases_of_units(site.phases)
    disturbed = tuple(_disturbed(site, unit, named.get(unit.id, [])) for unit in site.ground_units)
    bounds = [d for d in disturbed if d is not None]
    first, last = min(d[0] for d in bounds), max(d[1] for d in bounds)
    spans: list[Span] = []
    for index, unit in enumerate(site.ground_units):
        spans += _spans_of_unit(site, index, unit, named.get(unit.id, []), first, last)
    return Schedule(first, last, disturbed, tuple(spans))


def _disturbed(site: Site, unit: GroundUnit, phases: list[int]) -> tuple[datetime.date, datetime.date] | None:
    if not phases:
        return None
    assert unit.stabilized is not None  # checked
    return site.phases[phases[0]].start, unit.stabilized


def _spans_of_unit(
    site: Site, index: int, unit: GroundUnit, phases: list[int], first: datetime.date, last: datetime.date
) -> list[Span]:
    spans: list[Span] = []
    begin = site.phases[phases[0]].start if phases else last + _DAY
    if unit.existing_cover is not None and begin > first:
        path = f"ground_units[{index}].existing_cover"
        spans.append(
            Span(index, "existing", first, begin - _DAY, unit.existing_cover, path, None, "", None, "existing")
        )
    slope_phase: int | None = None
    for position, number in enumerate(phases):
        phase = site.phases[number]
        if _sets_slope(phase, unit):
            slope_phase = number
        following = site.phases[phases[position + 1]].start if position + 1 < len(phases) else None
        assert unit.stabilized is not None
        idle_until = following - _DAY if following is not None else unit.stabilized
        cover = (phase.cover, f"phases[{number}].cover")
        surface = (phase.surface_condition, f"phases[{number}].surface_condition")
        spans.append(Span(index, phase.id, phase.start, phase.end, *cover, *surface, slope_phase, "phase", number))
        if idle_until > phase.end:
            label = f"after {phase.id}"
            day = phase.end + _DAY
            spans.append(Span(index, label, day, idle_until, *cover, *surface, slope_phase, "between", number))
    if phases and unit.stabilized is not None and unit.stabilized < last:
        assert unit.final_cover is not None
        path = f"ground_units[{index}].final_cover"
        day = unit.stabilized + _DAY
        final = (unit.final_cover, path, None, "", slope_phase)
        spans.append(Span(index, "stabilized", day, last, *final, "stabilized", phases[-1]))
    return spans


def _sets_slope(phase: Phase, unit: GroundUnit) -> bool:
    return phase.dem is not None or any(s.unit == unit.id for s in phase.slopes)
