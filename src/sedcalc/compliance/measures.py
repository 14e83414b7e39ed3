"""What would bring a site under the limit: each practice and cover by itself, and the fewest that suffice.

Only practices and covers of the reference tables that were seen in their source, or derived from it, are proposed. A
practice counts from before the first disturbance to the final stabilization, at the end of its drainage area, at the
low end of its efficiency, and only at the size that its rule asks for. Which are built is for the designer to say.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sedcalc.compliance.fewest import Choice, Options, fewest_measures, low_efficiency
from sedcalc.compliance.ordinance import TOLERANCE, Standard
from sedcalc.compliance.scenario_figures import Group, ScenarioFigures, scenario_figures
from sedcalc.load.load_table import SedimentLoad
from sedcalc.site.practices import practice_kind
from sedcalc.site.submission import GroundUnit, UnitSlope
from sedcalc.tables import table
from sedcalc.units import area_text

_PROVEN = ("seen", "derived")
_LAID = ("mulch", "mat")


@dataclass(frozen=True, slots=True)
class Measure:
    """A practice or cover that is not in the plan, and what it would bring by itself.

    Parameters
    ----------
    kind
        ``practice`` or ``cover``.
    name
        As in the reference table.
    place
        Drainage area of a practice, phase of a cover.
    value
        Efficiency of a practice, C of a cover.
    size
        The size that earns the credit, or the ground that is covered.
    conditions
        What the table, or this package, says of its use.
    source, status
        As in the reference table.
    tons_per_acre_per_year
        The governing figure with it, short tons/(acre yr).
    place_tons_per_acre_per_year
        For a practice the figure of its drainage area; for a cover, and where the site is ruled on, the governing one.
    suffices
        Whether the limit is met with it alone.
    """

    kind: Literal["practice", "cover"]
    name: str
    place: str
    value: float
    size: str
    conditions: str
    source: str
    status: str
    tons_per_acre_per_year: float
    place_tons_per_acre_per_year: float
    suffices: bool


@dataclass(frozen=True, slots=True)
class Measures:
    """What would bring a site under the limit.

    Parameters
    ----------
    one_at_a_time
        Each measure by itself, those that bring most first.
    fewest
        The fewest that meet the limit together; None where all together do not.
    fewest_tons_per_acre_per_year
        The governing figure with these; with all there are where `fewest` is None.
    proven_fewest
        Whether every smaller set was tried.
    worked_ground
        What becomes of covers on ground that is worked, which can lie only while the work rests: ``left out`` of the
        fewest, since the others suffice; ``needed``, since these do not; ``none`` can be laid.
    left_out
        What was not proposed, and why.
    """

    one_at_a_time: tuple[Measure, ...]
    fewest: tuple[Measure, ...] | None
    fewest_tons_per_acre_per_year: float
    proven_fewest: bool
    worked_ground: Literal["left out", "needed", "none"]
    left_out: tuple[str, ...]

    @property
    def of_fewest(self) -> str:
        """What the fewest are, with the rule by which covers on worked ground are among them or not."""
        words = f"the fewest {'' if self.proven_fewest else 'of those tried '}that meet the limit together"
        if self.worked_ground == "left out":
            return (
                f"{words} without a cover on ground that is worked (it can lie only while the work rests, and is taken "
                "only where nothing else suffices)"
            )
        if self.worked_ground == "needed":
            return f"{words}, covers on ground that is worked among them, since without these nothing suffices"
        return words


def measures(load: SedimentLoad, standard: Standard) -> Measures:
    """Return what would bring a site under a limit.

    Parameters
    ----------
    load
        The calculation.
    standard
        The limit, its figure and its scope.

    Notes
    -----
    Covers are mulches and mats, laid for the whole of a phase on ground whose C is higher; not where the table gives
    them, or they were tested, for flatter slopes only. A practice is proposed where none of its kind earns credit, in
    series with what is there. The fewest are searched over all sets of up to three covers, with as few practices as
    these leave necessary; covers on ground that is worked only where practices and covers on resting ground do not
    suffice. Of each cover in the set the highest C that still meets the limit is taken: no more is asked than needed.
    """
    figures = scenario_figures(load, standard.figure, standard.scope)
    limit = standard.limit * (1.0 + TOLERANCE)
    now = figures.by_area({}, {})
    failing = [k for k in range(figures.tons.shape[1]) if figures.by_site or now[k] > limit]
    practices, left_out = _practices(load, failing)
    options = Options(_covers(load, figures), practices)
    made = _Maker(load, figures, limit)
    single = [made.practice(k, row) for k, rows in practices.items() for row in rows]
    worst = float(np.nanmax(now))
    covers = [made.cover(g, row) for g, rows in options.covers.items() for row in rows]
    single += [m for m in covers if m.tons_per_acre_per_year < worst]
    single.sort(key=lambda m: (m.tons_per_acre_per_year, m.place_tons_per_acre_per_year, m.kind, m.name, m.place))
    resting = {g: rows for g, rows in options.covers.items() if figures.groups[g].resting}
    found = fewest_measures(figures, Options(resting, practices), limit)
    worked_ground: Literal["left out", "needed", "none"] = "left out" if len(resting) < len(options.covers) else "none"
    if found[0] is None and worked_ground == "left out":
        found, worked_ground = fewest_measures(figures, options, limit), "needed"
    chosen, reached, proven = found
    fewest = None if chosen is None else tuple(made.of(c) for c in chosen)
    return Measures(tuple(single), fewest, reached, proven, worked_ground, tuple(left_out))


class _Maker:
    """Makes measures with their effect."""

    def __init__(self, load: SedimentLoad, figures: ScenarioFigures, limit: float) -> None:
        self.load, self.figures, self.limit = load, figures, limit

    def of(self, choice: Choice) -> Measure:
        kind, index, row = choice
        return self.practice(index, row) if kind == "practice" else self.cover(index, row)

    def practice(self, area: int, row: Mapping[str, Any]) -> Measure:
        efficiency = low_efficiency(row)
        after = self.figures.by_area({}, {area: 1.0 - efficiency})
        size, conditions = _size(self.load, area, row), str(row["conditions"] or "")
        own = after[0] if self.figures.by_site else after[area]
        place = self.load.site.drainage_areas[area].id
        return self._measure("practice", row["name"], place, efficiency, size, conditions, row, after, float(own))

    def cover(self, group: int, row: Mapping[str, Any]) -> Measure:
        own = self.figures.groups[group]
        after = self.figures.by_area({group: row["c"] / own.C}, {})
        conditions = [str(row["conditions"])] if row["conditions"] else []
        if not own.resting:
            conditions.append("only while the ground is not worked")
        size = f"{area_text(own.acres)} acres, in place of C {own.C:g}"
        figure = float(np.nanmax(after))
        return self._measure(
            "cover", row["cover"], own.label, row["c"], size, "; ".join(conditions), row, after, figure
        )

    def _measure(
        self,
        kind: Literal["practice", "cover"],
        name: str,
        place: str,
        value: float,
        size: str,
        conditions: str,
        row: Mapping[str, Any],
        after: Any,
        own: float,
    ) -> Measure:
        figure = float(np.nanmax(after))
        source, status = str(row["source"]), str(row["status"])
        return Measure(kind, name, place, value, size, conditions, source, status, figure, own, figure <= self.limit)


def _covers(load: SedimentLoad, figures: ScenarioFigures) -> dict[int, list[dict[str, Any]]]:
    """Return for each group the mulches and mats with a lower C, lowest first."""
    laid = [r for r in table("covers").rows if r["kind"] in _LAID and r["status"] in _PROVEN]
    found = {}
    for g, group in enumerate(figures.groups):
        steepest = _steepest(load, group)
        fitting = [r for r in laid if r["c"] < group.C and (steepest is None or steepest <= _steepest_for(r))]
        if fitting:
            found[g] = sorted(fitting, key=lambda r: r["c"])
    return found


def _steepest_for(cover: Mapping[str, Any]) -> float:
    """Return the steepest slope a cover is given for, or was tested on, %; infinity where nothing is said."""
    stated = [v for v in (cover["max_slope_pct"], cover["tested_slope_pct"]) if v is not None]
    return min(stated, default=math.inf)


def _steepest(load: SedimentLoad, group: Group) -> float | None:
    """Return the steepest slope that a group's units have at any time, %; None on grids."""
    if load.site.grid is not None:
        return None
    units = [load.site.ground_units[u] for u in group.units]
    ids = {u.id for u in units}
    slopes: list[GroundUnit | UnitSlope] = [*units, *(s for p in load.site.phases for s in p.slopes if s.unit in ids)]
    return max(
        pct
        for slope in slopes
        for pct in ([s.slope_pct for s in slope.segments] if slope.segments else [slope.slope_pct or 0.0])
    )


def _practices(load: SedimentLoad, areas: Sequence[int]) -> tuple[dict[int, list[dict[str, Any]]], list[str]]:
    """Return for each drainage area the practices to add, most efficient first, and what is left out."""
    rows = [r for r in table("trapping").rows if r["status"] in _PROVEN]
    found: dict[int, list[dict[str, Any]]] = {}
    left_out = []
    for area in areas:
        id = load.site.drainage_areas[area].id
        here = [i for i in range(len(load.site.practices)) if load.network.drained(i)[area] > 0.0]
        if here and load.network.combination == "single-best":
            left_out.append(f"drainage area {id!r}: practices in series earn the credit of the best one only")
            continue
        credited = {practice_kind(load.site.practices[i]) for i in here if load.network.credits[i].efficiency > 0.0}
        for row in rows:
            reason = _unfit(load, area, row, credited)
            if reason is None:
                found.setdefault(area, []).append(dict(row))
            else:
                left_out.append(f"drainage area {id!r}: {row['name']}: {reason}")
        found.get(area, []).sort(key=lambda r: -low_efficiency(r))
    return found, left_out


def _unfit(load: SedimentLoad, area: int, row: Mapping[str, Any], credited: set[str | None]) -> str | None:
    if row["practice"] in credited:
        return f"a {row['practice']} earns credit there already"
    if row["texture"] != "any" and any(t != row["texture"] for t in _textures(load, area)):
        return f"its efficiency is for {row['texture']}"
    most = next((r["max_drained_acres"] for r in _size_rows(row)), None)
    acres = _drained_acres(load, area)
    return None if most is None or acres <= most else f"{acres:.1f} acres drain; the rule is for up to {most:g}"


def _size_rows(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = table("size_rules").rows if row["needs_size_rule"] == "yes" else ()
    return [r for r in rows if r["practice"] == row["practice"]]


def _textures(load: SedimentLoad, area: int) -> set[str | None]:
    textures = {s.id: s.texture for s in load.site.soils}
    pieces = load.ground.pieces
    return {textures.get(s) for s, a in zip(pieces.soil, pieces.drainage_area, strict=True) if a == area}


def _drained_acres(load: SedimentLoad, area: int) -> float:
    pieces = load.ground.pieces
    return float(pieces.acres[pieces.drainage_area == area].sum())


def _size(load: SedimentLoad, area: int, row: Mapping[str, Any]) -> str:
    """Return the size that earns the credit, in words."""
    rules = _size_rows(row)
    if not rules:
        return "as its source describes it"
    acres = _drained_acres(load, area)
    coefficient = rules[0]["area_coefficient"]
    if coefficient is not None:
        return (
            f"surface area of {coefficient:g} q / v ft2 at least (q: peak outflow of the design storm, ft3/s; "
            f"v: settling velocity of the rule, ft/s); {area_text(acres)} acres drain"
        )
    textures = _textures(load, area)
    own = [r for r in rules if r["texture"] in textures]
    if own and len({r["texture"] for r in own}) == len(textures):
        rule = max(own, key=lambda r: float(r["area_ft2_per_acre"]))
        needed = acres * rule["area_ft2_per_acre"]
        soils = f"{rule['texture_group']} soils"
        return f"surface area of {needed:,.0f} ft2 at least ({soils}, {area_text(acres)} acres drain)"
    rates = {r["texture_group"]: r["area_ft2_per_acre"] * acres for r in rules}
    said = ", ".join(f"{size:,.0f} ft2 on {group} soils" for group, size in rates.items())
    return f"surface area by texture, which is not stated, at least: {said} ({area_text(acres)} acres drain)"
