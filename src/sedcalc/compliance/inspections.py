"""On which days does the code ask for an inspection: after rain, by a daily record, and every week.

A day, or two days together, with the code's depth of rain is a candidate. Whether runoff resulted, which the code asks
for too, is the inspector's question: the log leaves a place for it.
"""

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sedcalc.compliance.ordinance import Ordinance, load_ordinance
from sedcalc.findings import Finding, InputError, count_of
from sedcalc.io.daily_rain import DailyRain
from sedcalc.site.checks import check_site
from sedcalc.site.schedule import Schedule, schedule
from sedcalc.site.submission import Site

if TYPE_CHECKING:
    import pandas

Days = NDArray[np.datetime64]
Reason = Literal["rain", "rain of two days", "weekly", "no observation"]

_DAY = datetime.timedelta(days=1)
_HOURS = 24.0
_DEPTH_TOLERANCE = 1e-6  # in; depths are printed to 0.01 in or 0.1 mm
_MOST_DAY_IN = 20.0  # more than any day in the Upper Midwest; 20 mm is an ordinary rain
_YEARLY_IN = (6.0, 300.0)  # a desert's year, and more than any gauge of the mainland; a unit mistaken is 10 or 25 times
_LEAST_DAYS = 60  # observed: fewer say nothing of a year

LOG_COLUMNS = (
    "inspect_by",
    "reason",
    "rain_day",
    "rain_in",
    "phase",
    "runoff",
    "inspected_on",
    "inspected_by",
    "findings",
    "repairs",
)
"""Columns of the log; from ``runoff`` on the inspector fills them in."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """An inspection that the code asks for, or a day on which the record cannot say.

    Parameters
    ----------
    inspect_by
        Last day of the term: 24 hours after a day of rain end with the next day.
    reason
        ``rain`` (a day with the depth), ``rain of two days`` (two together), ``weekly``, or ``no observation`` (the
        record has none, so that rain cannot be ruled out).
    rain_day
        Day of rain, the later of two; None for a weekly inspection.
    rain_in
        Depth, in, of both days where there are two, to the digits of the record (0.01 in, or 0.001 in where it is in
        mm); None where there is none.
    phase
        Phases under way on that day.
    """

    inspect_by: datetime.date
    reason: Reason
    rain_day: datetime.date | None
    rain_in: float | None
    phase: str


@dataclass(frozen=True, slots=True)
class InspectionLog:
    """The inspections of a site, in order of date, as the first columns of its log.

    Parameters
    ----------
    inspections
        In order of `Inspection.inspect_by`.
    clause
        Clause that asks for them.
    findings
        What a reader must know about the record.
    """

    inspections: tuple[Inspection, ...]
    clause: str
    findings: tuple[Finding, ...]

    def rows(self) -> list[list[Any]]:
        """Return the log's rows in the order of `LOG_COLUMNS`, with None for what the inspector fills in."""
        blank = [None] * (len(LOG_COLUMNS) - 5)
        return [[i.inspect_by, i.reason, i.rain_day, i.rain_in, i.phase, *blank] for i in self.inspections]

    @property
    def table(self) -> "pandas.DataFrame":
        """The log as a table."""
        import pandas

        return pandas.DataFrame(self.rows(), columns=list(LOG_COLUMNS))


def rain_candidates(inches: NDArray[np.float64], depth_in: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the days that have a depth by themselves, and those that have it together with the day before.

    Parameters
    ----------
    inches
        Rain of consecutive days, in, NaN where there is no observation, (n,).
    depth_in
        The depth, in; it counts when it is reached.

    Returns
    -------
    tuple
        Two boolean arrays, (n,). The second has only days with rain of their own after a day with rain, neither of
        which has the depth by itself.

    Examples
    --------
    Half an inch falls on the second day, and on the fourth and fifth together:

    >>> alone, together = rain_candidates(np.array([0.0, 0.5, 0.0, 0.2, 0.3]), 0.5)
    >>> np.flatnonzero(alone), np.flatnonzero(together)
    (array([1]), array([4]))
    """
    inches = np.asarray(inches, dtype=np.float64)
    least = depth_in - _DEPTH_TOLERANCE
    alone = inches >= least
    together = np.zeros(len(inches), dtype=bool)
    before, after = inches[:-1], inches[1:]
    together[1:] = (before > 0.0) & (after > 0.0) & (before + after >= least) & ~alone[:-1] & ~alone[1:]
    return alone, together


def inspection_log(site: Site, rain: DailyRain, ordinance: Ordinance | str | None = None) -> InspectionLog:
    """Return the inspections that a code asks for on a site, by a daily rain record.

    Parameters
    ----------
    site
        The site. Rain counts on days on which a phase that is not idle is under way ("active construction"); weekly
        inspections run from the first disturbance to the final stabilization, each counted from the one before.
    rain
        Daily rain, in, of a gauge near the site.
    ordinance
        The code, or its name or file; by default the one the site names. Its numbers ``inspection_rain``,
        ``inspection_after_rain`` and ``inspection_interval`` count.

    Returns
    -------
    InspectionLog
        The inspections by date, and what a reader must know about the record.

    Raises
    ------
    InputError
        If the code asks for no inspections, the record has no day of the project, or the site has mistakes.

    Examples
    --------
    445-6.10E(7) asks for an inspection within 24 hours after a rainfall of 0.5 inches or greater:

    >>> import sedcalc as sc
    >>> site = sc.read_site(sc.example("hales_corners_subdivision.toml"))
    >>> days = np.arange("2027-04-05", "2028-06-01", dtype="datetime64[D]")
    >>> rain = DailyRain(days, np.where(days == np.datetime64("2027-05-10"), 0.5, 0.0), days < days[0], "made up")
    >>> [str(i.inspect_by) for i in sc.inspection_log(site, rain).inspections if i.reason == "rain"]
    ['2027-05-11']
    """
    mistakes = [f for f in check_site(site) if f.severity == "error"]
    if mistakes:
        raise InputError(mistakes)
    plan = schedule(site)
    if not isinstance(ordinance, Ordinance):
        folder = site.folder if ordinance in (None, site.ordinance) else None
        ordinance = load_ordinance(ordinance or site.ordinance, folder, "ordinance")
    depth = ordinance.numbers.get("inspection_rain")
    term = ordinance.numbers.get("inspection_after_rain")
    interval = ordinance.numbers.get("inspection_interval")
    asked = depth or interval
    if asked is None:
        message = f"{ordinance.id} has neither inspection_rain nor inspection_interval among its numbers"
        raise InputError(Finding("no-inspections", "error", message, "ordinance"))
    found: list[Inspection] = []
    findings = [*rain.findings, *_plausible(rain)]
    if depth is not None:
        hours = _HOURS if term is None else term.value
        inches, problems = _of_project(plan, rain)
        findings += problems
        inspections, unknown = _after_rain(site, plan, inches, depth.value, hours)
        found += inspections
        findings += unknown
    if interval is not None:
        found += _weekly(site, plan, interval.value)
    found.sort(key=lambda i: (i.inspect_by, i.rain_day or i.inspect_by, i.reason))
    return InspectionLog(tuple(found), asked.clause, tuple(findings))


def _plausible(rain: DailyRain) -> list[Finding]:
    """Say where the amounts of a record look as if they had been read in another unit than they are in."""
    observed = ~np.isnan(rain.inches)
    remedy = "check the unit that the record is in against the one it was read in (--units in, mm or tenths-mm)"
    found = []
    high = np.flatnonzero(observed & (np.nan_to_num(rain.inches) > _MOST_DAY_IN))
    if len(high):
        more = f" and {count_of(len(high) - 1, 'more day')}" if len(high) > 1 else ""
        message = (
            f"{rain.inches[high[0]]:.4g} in on {rain.days[high[0]]}{more}: over {_MOST_DAY_IN:g} in, as if mm had been "
            f"read as inches; {remedy}"
        )
        found.append(Finding("rain-too-high", "warning", message, rain.source))
    if observed.sum() < _LEAST_DAYS:
        return found
    yearly = float(rain.inches[observed].mean()) * 365.25
    least, most = _YEARLY_IN
    said = f"the record has {yearly:.3g} in a year (mean of {count_of(int(observed.sum()), 'day')})"
    if yearly > most and not found:
        found.append(Finding("rain-too-high", "warning", f"{said}, over {most:g} in; {remedy}", rain.source))
    if yearly < least:
        message = f"{said}, under {least:g} in, as if inches had been read as mm, or mm as tenths of mm; {remedy}"
        found.append(Finding("rain-too-low", "warning", message, rain.source))
    return found


def _of_project(plan: Schedule, rain: DailyRain) -> tuple[NDArray[np.float64], list[Finding]]:
    """Return the rain of the day before the project and of each of its days, NaN where the record has none."""
    first, last = np.datetime64(plan.first_day, "D"), np.datetime64(plan.last_day, "D")
    begin = first - np.timedelta64(1, "D")
    inches = np.full(int((last - begin).astype(int)) + 1, np.nan)
    inside = (rain.days >= begin) & (rain.days <= last)
    inches[(rain.days[inside] - begin).astype(np.int64)] = rain.inches[inside]
    if not (rain.days[inside] >= first).any():
        message = f"the record runs from {rain.days[0]} to {rain.days[-1]}, the project from {first} to {last}"
        raise InputError(Finding("rain-of-other-days", "error", message, rain.source))
    found = []
    if rain.days[-1] < last or rain.days[0] > first:
        message = f"the record ({rain.days[0]} to {rain.days[-1]}) does not cover the project ({first} to {last})"
        found.append(Finding("rain-does-not-cover", "warning", message, rain.source))
    return inches, found


def _after_rain(
    site: Site, plan: Schedule, inches: NDArray[np.float64], depth: float, hours: float
) -> tuple[list[Inspection], list[Finding]]:
    alone, together = rain_candidates(inches, depth)
    observed = inches[~np.isnan(inches)]
    digits = 2 if np.allclose(observed, observed.round(2), rtol=0.0, atol=_DEPTH_TOLERANCE) else 3
    found: list[Inspection] = []
    unknown = 0
    for i in range(1, len(inches)):
        day = plan.first_day + (i - 1) * _DAY
        missing = bool(np.isnan(inches[i]))
        if not (alone[i] or together[i] or missing):
            continue
        if not any(p.start <= day <= p.end and not p.idle for p in site.phases):
            continue
        # Rain may end at midnight, so the hours run from the end of its day.
        by = day + datetime.timedelta(days=int(np.ceil(hours / _HOURS)))
        unknown += missing
        reason: Reason = "no observation" if missing else "rain" if alone[i] else "rain of two days"
        fallen = None if missing else round(float(inches[i] + (0.0 if alone[i] else inches[i - 1])), digits)
        found.append(Inspection(by, reason, day, fallen, _phases(site, day)))
    if not unknown:
        return found, []
    message = (
        f"rain of {depth:g} in cannot be ruled out; days of active construction that have no observation: {unknown}"
    )
    return found, [Finding("rain-not-observed", "warning", message, "rain record")]


def _weekly(site: Site, plan: Schedule, days: float) -> list[Inspection]:
    step = datetime.timedelta(days=int(days))
    found, day = [], plan.first_day + step
    while day <= plan.last_day:
        found.append(Inspection(day, "weekly", None, None, _phases(site, day)))
        day += step
    return found


def _phases(site: Site, day: datetime.date) -> str:
    return ", ".join(p.id for p in site.phases if p.start <= day <= p.end)
