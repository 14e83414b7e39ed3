"""What the schedule says of idle ground and stockpiles, and the ground of steep slopes, against the code's rules."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from sedcalc.compliance.ordinance import Ordinance, OrdinanceNumber
from sedcalc.findings import Finding, count_of
from sedcalc.load.load_table import SedimentLoad
from sedcalc.site.covers import cover_value
from sedcalc.site.idle import Stretch, idle_gaps, stockpiles
from sedcalc.site.practices import SHARE_TOLERANCE
from sedcalc.site.schedule import Schedule, Span, schedule
from sedcalc.site.submission import GroundUnit, Site, UnitSlope

_BARE_C = 1.0  # C of the unit plot: ground with this C, or more, has no cover


@dataclass(frozen=True, slots=True)
class IdleGround:
    """Ground that rests longer than the code lets it lie bare.

    Parameters
    ----------
    units
        Ids of the ground units.
    first_day, last_day
        Of the stretch, both inclusive.
    covered_from
        First day of the stretch with a cover, or with seed in the ground; None: bare throughout.
    resumes
        Whether work resumes after it; otherwise final stabilization follows.
    """

    units: tuple[str, ...]
    first_day: datetime.date
    last_day: datetime.date
    covered_from: datetime.date | None
    resumes: bool

    @property
    def days(self) -> int:
        """Calendar days, both ends counted."""
        return (self.last_day - self.first_day).days + 1


@dataclass(frozen=True, slots=True)
class StockpileStay:
    """A soil stockpile that stays longer than the code leaves it uncontrolled.

    Parameters
    ----------
    unit
        Id of the ground unit that holds it.
    first_day, last_day
        Both inclusive.
    covered
        Whether it has a cover throughout; None where a raster gives its cover.
    practices
        Ids of the practices that its drainage area drains to and that work throughout.
    """

    unit: str
    first_day: datetime.date
    last_day: datetime.date
    covered: bool | None
    practices: tuple[str, ...]

    @property
    def days(self) -> int:
        """Calendar days, both ends counted."""
        return (self.last_day - self.first_day).days + 1


@dataclass(frozen=True, slots=True)
class SteepGround:
    """Disturbed ground at least as steep as the code names.

    Parameters
    ----------
    units
        Ids of the ground units.
    acres
        Their area on such slopes; segments share a unit's area by length.
    """

    units: tuple[str, ...]
    acres: float


def idle_ground(load: SedimentLoad, number: OrdinanceNumber | None) -> tuple[IdleGround, ...]:
    """Return the ground that rests longer than the code lets it lie bare, and whether it is covered in time.

    Parameters
    ----------
    load
        The calculation.
    number
        The code's number of days; None: it has none.

    Notes
    -----
    Ground counts as covered from the day on which its C is below 1 or seed is in the ground. Of covers from rasters
    nothing is said. Units with the same stretch stand together.
    """
    if number is None:
        return ()
    found: dict[tuple[datetime.date, datetime.date, datetime.date | None, bool], list[str]] = {}
    stabilized = {u.id: u.stabilized for u in load.site.ground_units}
    for stretch in idle_gaps(load.site, _as_written(load)):
        if not number.holds(stretch.days) or not _has_one_c(stretch):
            continue
        days = [d for s in stretch.spans if (d := _covered_from(s)) is not None and d <= stretch.last_day]
        covered = max(stretch.first_day, min(days)) if days else None
        resumes = stretch.last_day != stabilized[stretch.unit]
        found.setdefault((stretch.first_day, stretch.last_day, covered, resumes), []).append(stretch.unit)
    return tuple(IdleGround(tuple(units), *key) for key, units in sorted(found.items(), key=lambda i: i[0][:2]))


def stockpile_stays(load: SedimentLoad, number: OrdinanceNumber | None) -> tuple[StockpileStay, ...]:
    """Return the stockpiles that stay longer than the code leaves them uncontrolled.

    Parameters
    ----------
    load
        The calculation.
    number
        The code's number of days; None: it has none.
    """
    if number is None:
        return ()
    site = load.site
    found = []
    for stretch in stockpiles(site, _as_written(load)):
        if number.holds(stretch.days):
            covered = all(_covered_from(s) == s.start for s in stretch.spans) if _has_one_c(stretch) else None
            practices = _practices(load, stretch)
            found.append(StockpileStay(stretch.unit, stretch.first_day, stretch.last_day, covered, practices))
    return tuple(found)


def steep_ground(load: SedimentLoad, number: OrdinanceNumber | None) -> SteepGround | None:
    """Return the disturbed ground at least as steep as the code names; None where there is none, and on grids.

    Parameters
    ----------
    load
        The calculation.
    number
        The code's slope, %; None: it names none.

    Notes
    -----
    Of the slopes that grading gives a unit while it is disturbed, the one with the largest steep share counts.
    """
    site, plan = load.site, load.schedule
    if number is None or site.grid is not None:
        return None
    share: dict[int, float] = {}
    for span in plan.spans:
        if span.state != "existing":
            steep = _steep_share(_slope(site, span), number)
            share[span.unit] = max(share.get(span.unit, 0.0), steep)
    acres = dict(zip(load.ground.pieces.unit.tolist(), load.ground.pieces.acres.tolist(), strict=True))
    units = [u for u, part in share.items() if part > 0.0]
    if not units:
        return None
    return SteepGround(tuple(site.ground_units[u].id for u in units), sum(acres[u] * share[u] for u in units))


def idle_findings(found: Iterable[IdleGround], ordinance: Ordinance, acres: float) -> list[Finding]:
    """Return a finding for each stretch of idle ground that is not covered from its first day.

    Parameters
    ----------
    found
        From `idle_ground`.
    ordinance, acres
        The code, and the area of the common plan, acres.
    """
    findings = []
    for ground in found:
        if ground.covered_from == ground.first_day:
            continue
        late = "it lies bare throughout"
        if ground.covered_from is not None:
            days = (ground.covered_from - ground.first_day).days
            late = f"it is covered from {ground.covered_from}, {count_of(days, 'day')} late"
        what = "temporary" if ground.resumes else "final"
        message = (
            f"ground units {_listed(ground.units)} rest from {ground.first_day} to {ground.last_day} "
            f"({count_of(ground.days, 'day')}); {what} stabilization starts on the first idle day, and {late}"
        )
        clause = ordinance.clause("idle" if ground.resumes else "stabilization_at_final_grade", acres)
        findings.append(Finding("idle-ground-bare", "warning", message, "phases", clause))
    return findings


def stockpile_findings(found: Iterable[StockpileStay], ordinance: Ordinance, acres: float) -> list[Finding]:
    """Return a finding for each stockpile that has no cover: a warning where it drains to no practice either.

    Parameters
    ----------
    found
        From `stockpile_stays`.
    ordinance, acres
        The code, and the area of the common plan, acres.
    """
    findings = []
    for pile in found:
        if pile.covered is not False:
            continue
        stay = f"from {pile.first_day} to {pile.last_day} ({count_of(pile.days, 'day')})"
        said = f"the stockpile on ground unit {pile.unit!r} stays {stay}"
        clause = ordinance.clause("stockpiles", acres)
        if pile.practices:
            message = f"{said} without a cover; it drains to {_listed(pile.practices)}"
            findings.append(Finding("stockpile-bare", "note", message, "phases", clause))
        else:
            message = f"{said} without a cover and drains to no practice that works throughout"
            findings.append(Finding("stockpile-uncontrolled", "warning", message, "phases", clause))
    return findings


def steep_findings(found: SteepGround | None, number: OrdinanceNumber | None) -> list[Finding]:
    """Return the finding on disturbed steep ground.

    Parameters
    ----------
    found
        From `steep_ground`.
    number
        The code's slope, %.
    """
    if found is None or number is None:
        return []
    message = (
        f"slopes of {number.value:g} % or more lie on {found.acres:.4g} acres of ground units {_listed(found.units)} "
        "that are disturbed; disturbance of such slopes is kept small"
    )
    return [Finding("steep-ground-disturbed", "note", message, "ground_units", number.clause)]


def final_cover_findings(site: Site, number: OrdinanceNumber | None) -> list[Finding]:
    """Return a finding for each ground unit whose stated final cover is too sparse.

    Parameters
    ----------
    site
        The site.
    number
        The code's density of the final cover, %.
    """
    if number is None:
        return []
    found = []
    for i, unit in enumerate(site.ground_units):
        pct = unit.final_cover_pct
        if pct is not None and not number.holds(pct):
            message = f"final cover of {pct:g} % on {unit.id!r}; final stabilization needs {number.value:g} %"
            where = f"ground_units[{i}].final_cover_pct"
            found.append(Finding("final-cover-too-sparse", "warning", message, where, number.clause))
    return found


def _as_written(load: SedimentLoad) -> Schedule:
    """Return the schedule with the covers as the site names them, before those that establish are evaluated."""
    written = all(p.cover.establishes is None for p in load.site.phases)
    return load.schedule if written else schedule(load.site)


def _has_one_c(stretch: Stretch) -> bool:
    """Whether each span of a stretch has one C, not a raster of C."""
    return all(cover_value(s.cover, s.cover_path) is not None for s in stretch.spans)


def _covered_from(span: Span) -> datetime.date | None:
    """Return the day from which the ground of a span has a cover or seed; None: it is bare throughout."""
    value = cover_value(span.cover, span.cover_path)
    assert value is not None
    if value.value < _BARE_C:
        return span.start
    return None if span.cover.establishes is None else max(span.start, span.cover.establishes.sown)


def _practices(load: SedimentLoad, stretch: Stretch) -> tuple[str, ...]:
    """Return the practices that take all of the unit's drainage areas and work on all days of a stretch."""
    pieces, unit = load.ground.pieces, stretch.spans[0].unit
    areas = {int(a) for u, a in zip(pieces.unit, pieces.drainage_area, strict=True) if u == unit}
    found = []
    for number, practice in enumerate(load.site.practices):
        drained = load.network.drained(number)
        throughout = practice.start <= stretch.first_day and practice.end >= stretch.last_day
        if throughout and all(drained[a] >= 1.0 - SHARE_TOLERANCE for a in areas):
            found.append(practice.id)
    return tuple(found)


def _slope(site: Site, span: Span) -> GroundUnit | UnitSlope:
    if span.slope_phase is None:
        return site.ground_units[span.unit]
    unit = site.ground_units[span.unit].id
    return next(s for s in site.phases[span.slope_phase].slopes if s.unit == unit)


def _steep_share(slope: GroundUnit | UnitSlope, number: OrdinanceNumber) -> float:
    if slope.segments is not None:
        total = sum(s.length for s in slope.segments)
        steep = [s.length for s in slope.segments if number.holds(s.slope_pct)]
        return sum(steep) / total
    assert slope.slope_pct is not None
    return 1.0 if number.holds(slope.slope_pct) else 0.0


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
