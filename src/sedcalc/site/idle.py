"""Ground that rests, soil stockpiles and final cover: what an ordinance's schedule rules are held against.

These functions report what the schedule says. How many days are too many, and what counts as stabilized, stands in the
ordinance.
"""

import datetime
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sedcalc.site.schedule import Schedule, Span
from sedcalc.site.submission import Site


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days without a break through which a ground unit is in one situation.

    Parameters
    ----------
    unit
        Id of the ground unit.
    first_day, last_day
        Both inclusive.
    spans
        The schedule's spans on these days, in order; each has its cover.
    """

    unit: str
    first_day: datetime.date
    last_day: datetime.date
    spans: tuple[Span, ...]

    @property
    def days(self) -> int:
        """Calendar days, both ends counted."""
        return (self.last_day - self.first_day).days + 1


def idle_gaps(site: Site, plan: Schedule) -> tuple[Stretch, ...]:
    """Return the stretches in which disturbed ground rests before its final stabilization.

    Parameters
    ----------
    site
        A checked site.
    plan
        Its schedule, as `sedcalc.site.schedule.schedule` returns it.

    Returns
    -------
    tuple
        Unit by unit in time order. Ground rests between phases, from its last phase to its final stabilization, and in
        phases marked ``idle``. The cover on the first idle day is ``spans[0].cover``: after a phase it is that phase's
        cover, in an idle phase the cover that phase names. A span that starts later in the stretch is a cover laid
        after the first idle day.
    """
    return _stretches(site, plan, lambda s: s.state == "between" or _in_phase(site, s, "idle"))


def stockpiles(site: Site, plan: Schedule) -> tuple[Stretch, ...]:
    """Return the stretches in which ground units hold soil stockpiles.

    Parameters
    ----------
    site
        A checked site.
    plan
        Its schedule.

    Returns
    -------
    tuple
        Unit by unit in time order: phases marked ``stockpile`` and the days after them, until the unit's next phase or
        its final stabilization.
    """
    return _stretches(
        site, plan, lambda s: s.state in ("phase", "between") and s.phase is not None and site.phases[s.phase].stockpile
    )


def _in_phase(site: Site, span: Span, flag: str) -> bool:
    return span.state == "phase" and span.phase is not None and bool(getattr(site.phases[span.phase], flag))


def _stretches(site: Site, plan: Schedule, belongs: Callable[[Span], bool]) -> tuple[Stretch, ...]:
    found = []
    for unit, spans in itertools.groupby(plan.spans, key=lambda s: s.unit):
        for run in _runs(list(spans), belongs):
            found.append(Stretch(site.ground_units[unit].id, run[0].start, run[-1].end, tuple(run)))
    return tuple(found)


def _runs(spans: list[Span], belongs: Callable[[Span], bool]) -> Iterator[list[Span]]:
    for inside, run in itertools.groupby(spans, key=belongs):
        if inside:
            yield list(run)
