"""What is wrong with ground units and phases: covers, slopes, dates, and ground that is never stabilized."""

import itertools
from collections import Counter
from typing import Any

from sedcalc.factors.topography import MAX_LENGTH_FT, MAX_SLOPE_PCT
from sedcalc.findings import Finding, count_of
from sedcalc.limits import most
from sedcalc.site.checking import Ids, collect, end_before_start, items
from sedcalc.site.covers import cover_mistakes, cover_value, surface_mistakes, surface_value
from sedcalc.site.design_rules import mat_mistakes
from sedcalc.site.establishment import establishment_findings
from sedcalc.site.schedule import phases_of_units
from sedcalc.site.submission import Cover, GroundUnit, Phase, Site, SurfaceCondition, UnitSlope
from sedcalc.units import FOOT_M


def ground_unit_mistakes(site: Site, ids: Ids, i: int, unit: GroundUnit) -> list[Finding]:
    """Return what is wrong with a ground unit, apart from its dates.

    Parameters
    ----------
    site
        The site, faulty fields as None.
    ids
        Its ids.
    i
        Number of the ground unit.
    unit
        The ground unit.
    """
    where = f"ground_units[{i}]"
    found = ids.unknown(unit.drainage_area, "drainage area", f"{where}.drainage_area")
    found += ids.unknown(unit.soil, "soil", f"{where}.soil")
    found += _cover(unit.existing_cover, f"{where}.existing_cover")
    found += _cover(unit.final_cover, f"{where}.final_cover")
    found += _slope(unit, where, site.units)
    gridded = site.grid is not None
    required = () if gridded else ("drainage_area", "soil", "area")
    for name in required:
        if getattr(unit, name) is None:
            found.append(Finding("missing-field", "error", f"a ground unit needs {name}; add it", f"{where}.{name}"))
    if not gridded and unit.segments is None:
        for name in ("slope_pct", "length"):
            if getattr(unit, name) is None:
                found.append(
                    Finding(
                        "missing-field", "error", f"a ground unit needs {name}; add it, or segments", f"{where}.{name}"
                    )
                )
    if gridded:
        for name in ("area", "slope_pct", "length", "segments"):
            if getattr(unit, name) is not None:
                found.append(
                    Finding(
                        "unused-field",
                        "error",
                        f"on a gridded site {name} comes from the rasters; remove it",
                        f"{where}.{name}",
                    )
                )
    return found


def phase_mistakes(site: Site, ids: Ids, i: int, phase: Phase) -> list[Finding]:
    """Return what is wrong with a phase by itself.

    Parameters
    ----------
    site
        The site, faulty fields as None.
    ids
        Its ids.
    i
        Number of the phase.
    phase
        The phase.
    """
    where = f"phases[{i}]"
    found = []
    longest = most("site_days")
    if phase.start and phase.end:
        if phase.end < phase.start:
            found.append(end_before_start(phase.start, phase.end, f"{where}.end"))
        elif (phase.end - phase.start).days > longest:
            message = (
                f"{phase.start} to {phase.end} is over {longest:,} days ({longest / 366:.3g} years); correct a date"
            )
            found.append(Finding("phase-too-long", "error", message, f"{where}.end"))
    for k, name in enumerate(phase.units or ()):
        found += ids.unknown(name, "ground unit", f"{where}.units[{k}]")
    for name in sorted(n for n, times in Counter(phase.units or ()).items() if times > 1):
        found.append(
            Finding("duplicate-id", "error", f"ground unit {name!r} is named twice; name it once", f"{where}.units")
        )
    found += _cover(phase.cover, f"{where}.cover")
    found += _surface(phase.surface_condition, f"{where}.surface_condition")
    for k, slope in items(phase.slopes):
        path = f"{where}.slopes[{k}]"
        found += _slope(slope, path, site.units)
        if slope.unit is not None and phase.units is not None and slope.unit not in phase.units:
            message = (
                f"ground unit {slope.unit!r} is not among the units of this phase; add it to units, or correct the id"
            )
            found.append(Finding("unknown-ground-unit", "error", message, f"{path}.unit"))
        if slope.segments is None and (slope.slope_pct is None or slope.length is None):
            found.append(
                Finding(
                    "missing-field",
                    "error",
                    "a slope needs slope_pct and length, or segments; add what is missing",
                    path,
                )
            )
    if site.grid is not None and phase.slopes:
        found.append(
            Finding(
                "unused-field",
                "error",
                "on a gridded site a phase's slopes come from its dem; remove slopes",
                f"{where}.slopes",
            )
        )
    if site.grid is None and phase.dem is not None:
        found.append(
            Finding("unused-field", "error", "dem needs a gridded site; add [grid], or remove dem", f"{where}.dem")
        )
    return found


def timing_mistakes(site: Site) -> list[Finding]:
    """Return overlaps in time on one unit, and units that are disturbed and never stabilized.

    Parameters
    ----------
    site
        The site, faulty fields as None.
    """
    found: list[Finding] = []
    longest = most("site_days")
    starts = [p.start for p in site.phases or () if p is not None and p.start]
    ends = [u.stabilized for _, u in items(site.ground_units) if u.stabilized]
    if starts and ends and (max(ends) - min(starts)).days > longest:
        message = (
            f"over {longest:,} days ({longest / 366:.3g} years) from {min(starts)} to {max(ends)}; correct a date, or "
            "divide the project"
        )
        found.append(Finding("project-too-long", "error", message, "ground_units"))
    ever = {u for p in site.phases or () if p is not None for u in p.units or ()}
    whole = [p if p and p.start and p.end and p.units and p.end >= p.start else None for p in site.phases or ()]
    dated = [p for p in whole if p is not None]
    numbers = [i for i, p in enumerate(whole) if p is not None]
    named = phases_of_units(dated)
    for i, unit in items(site.ground_units):
        where = f"ground_units[{i}]"
        own = [(numbers[k], dated[k]) for k in named.get(unit.id, [])]
        for (a, first), (b, second) in itertools.pairwise(own):
            if second.start <= first.end:
                days = (min(first.end, second.end) - second.start).days + 1
                found.append(
                    Finding(
                        "phases-overlap",
                        "error",
                        f"phases {first.id!r} and {second.id!r} are both on ground unit {unit.id!r} from "
                        f"{second.start} on ({count_of(days, 'day')}); end one before the other starts, or "
                        "divide the unit",
                        f"phases[{b}].start" if second.start >= first.start else f"phases[{a}].start",
                    )
                )
        disturbed = unit.id in ever
        if not disturbed:
            for name in ("stabilized", "final_cover", "final_cover_pct"):
                if getattr(unit, name) is not None:
                    message = f"no phase disturbs ground unit {unit.id!r}; remove {name} or name the unit in a phase"
                    found.append(Finding("unused-field", "error", message, f"{where}.{name}"))
            continue
        if unit.stabilized is None:
            found.append(
                Finding(
                    "never-stabilized",
                    "error",
                    f"ground unit {unit.id!r} is disturbed and never finally stabilized; add stabilized, the day on "
                    "which it has its final cover",
                    f"{where}.stabilized",
                )
            )
        elif own and unit.stabilized < (last := max(p.end for _, p in own)):
            found.append(
                Finding(
                    "stabilized-too-early",
                    "error",
                    f"stabilized on {unit.stabilized}, before its last phase ends on {last}; correct one of them",
                    f"{where}.stabilized",
                )
            )
        elif own and (unit.stabilized - min(p.start for _, p in own)).days > longest:
            message = (
                f"over {longest:,} days ({longest / 366:.3g} years) from disturbance to stabilization; correct a date"
            )
            found.append(Finding("project-too-long", "error", message, f"{where}.stabilized"))
        if unit.final_cover is None:
            found.append(
                Finding(
                    "missing-field",
                    "error",
                    f"ground unit {unit.id!r} is disturbed and has no final_cover; add the cover it is stabilized with",
                    f"{where}.final_cover",
                )
            )
    return found


def _slope(slope: GroundUnit | UnitSlope, where: str, units: str | None) -> list[Finding]:
    found = []
    if slope.segments is not None and (slope.slope_pct is not None or slope.length is not None):
        found.append(
            Finding("one-way-only", "error", "segments stand beside slope_pct or length; keep one of them", where)
        )
    foot = FOOT_M if units == "si" else 1.0
    unit_name = "m" if units == "si" else "ft"
    segments = [s for s in slope.segments or () if s is not None]
    lengths = [slope.length] if slope.segments is None else [sum(s.length or 0.0 for s in segments)]
    for value in [v for v in lengths if v is not None]:
        if value / foot > MAX_LENGTH_FT * (1 + 1e-9):
            found.append(
                Finding(
                    "length-over-limit",
                    "error",
                    f"slope length {value:g} {unit_name} is over {MAX_LENGTH_FT * foot:,.4g} {unit_name}, the limit of "
                    "the method; end it where runoff concentrates or is diverted",
                    f"{where}.length" if slope.segments is None else f"{where}.segments",
                )
            )
    steep = [(slope.slope_pct, f"{where}.slope_pct")]
    steep += [(s.slope_pct, f"{where}.segments[{k}].slope_pct") for k, s in enumerate(slope.segments or ()) if s]
    for pct, path in steep:
        if pct is not None and pct > MAX_SLOPE_PCT:
            found.append(
                Finding(
                    "slope-over-limit",
                    "error",
                    f"slope {pct:g} % is over {MAX_SLOPE_PCT:g} %, the limit of the method; leave out "
                    "a face this steep, which needs a retaining structure or armour",
                    path,
                )
            )
    return found


def _cover(cover: Cover | None, where: str) -> list[Finding]:
    if cover is None:
        return []
    found = cover_mistakes(cover, where) or collect(lambda: _recalled(cover_value(cover, where), "C", where))
    if cover.mat is not None:
        found += mat_mistakes(cover.mat, f"{where}.mat")
    if cover.establishes is not None:
        found += establishment_findings(cover, where)
    return found


def _surface(surface: SurfaceCondition | None, where: str) -> list[Finding]:
    if surface is None:
        return []
    return surface_mistakes(surface, where) or collect(lambda: _recalled(surface_value(surface, where), "P", where))


def _recalled(value: Any, symbol: str, where: str) -> list[Finding]:
    if value is None or value.status != "recalled":
        return []
    return [
        Finding(
            "recalled-value",
            "warning",
            f"{symbol} = {value.value:g} is recalled from {value.source} and was not confirmed in a copy of it",
            where,
        )
    ]
