"""What is wrong with a site beyond shape and type: references, dates, tables, ranges, and what is missing.

Every check runs on whatever parts of the file parsed (faulty fields are None), so that one run reports all mistakes.
Checks that need a raster or polygon file are made when those are opened.
"""

import difflib
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sedcalc.factors.topography import MAX_LENGTH_FT, MAX_SLOPE_PCT
from sedcalc.findings import Finding, InputError
from sedcalc.limits import most
from sedcalc.site.application import application_mistakes
from sedcalc.site.claims import claim_mistakes
from sedcalc.site.covers import cover_mistakes, cover_value, surface_mistakes, surface_value
from sedcalc.site.design_rules import SILT_FENCE, mat_mistakes
from sedcalc.site.erosivity import site_erosivity
from sedcalc.site.establishment import establishment_findings
from sedcalc.site.paths import refused_name
from sedcalc.site.practices import practice_kind, routes, works_by_class
from sedcalc.site.schedule import phases_of_units
from sedcalc.site.sediment import class_mistakes
from sedcalc.site.soils import soil_erodibility
from sedcalc.site.submission import Cover, GroundUnit, Phase, Practice, Site, Soil, SurfaceCondition, UnitSlope
from sedcalc.tables import ordinance_names, table
from sedcalc.units import FOOT_M

_MOST_HINTS = 20  # references to a list for which the nearest id is searched; it takes its time


def check_site(site: Site) -> list[Finding]:
    """Return all mistakes and warnings that the site file itself shows.

    Parameters
    ----------
    site
        A site as `sedcalc.site.parsing.parse_site` returns it, faulty fields as None.
    """
    found: list[Finding] = []
    ids = _Ids(site)
    for what in ("soils", "drainage_areas", "ground_units", "phases", "practices"):
        found += _duplicates(what, getattr(site, what) or ())
    found += _ordinance(site)
    found += _location(site)
    for i, soil in _items(site.soils):
        found += _soil(soil, site.units or "us", f"soils[{i}]")
    for i, unit in _items(site.ground_units):
        found += _ground_unit(site, ids, i, unit)
    for i, phase in _items(site.phases):
        found += _phase(site, ids, i, phase)
    found += _phases_of_each_unit(site)
    for i, practice in _items(site.practices):
        found += _practice(site, ids, i, practice)
    found += routes(_with_lists(site))[1]
    for i, window in _items(site.windows):
        if window.start and window.end and window.end < window.start:
            found.append(_reversed(window.start, window.end, f"windows[{i}].end"))
    found += _grid_or_table(site)
    if site.claims is not None:
        found += claim_mistakes(site.claims, ids.of("phase"), ids.of("ground unit"), ids.of("drainage area"))
    if site.application is not None:
        found += application_mistakes(site.application)
    return found


def _items(parts: Sequence[Any] | None) -> Iterable[tuple[int, Any]]:
    return [(i, part) for i, part in enumerate(parts or ()) if part is not None]


def _with_lists(site: Site) -> Site:
    """Give lists that did not parse as empty, for functions that walk them."""
    lists = {n: getattr(site, n) or () for n in ("drainage_areas", "practices")}
    return site.model_copy(update=lists)


def _collect(call: Callable[[], Iterable[Finding]]) -> list[Finding]:
    try:
        return list(call())
    except InputError as error:
        return list(error.findings)


def _duplicates(what: str, parts: Sequence[Any]) -> list[Finding]:
    seen: dict[str, int] = {}
    found = []
    for i, part in _items(parts):
        if part.id is None:
            continue
        if part.id in seen:
            found.append(
                Finding(
                    "duplicate-id",
                    "error",
                    f"id {part.id!r} stands in {what}[{seen[part.id]}] already; ids must differ",
                    f"{what}[{i}].id",
                )
            )
        seen.setdefault(part.id, i)
    return found


def _ordinance(site: Site) -> list[Finding]:
    name, known = site.ordinance, ordinance_names()
    if name is None or name in known:
        return []
    if name.endswith(".toml"):
        refused = refused_name(name)
        if refused is not None:
            return [Finding(refused[0], "error", f"ordinance: {name!r} {refused[1]}", "ordinance")]
        if (site.folder / name).is_file():
            return []
        return [Finding("unknown-ordinance", "error", f"there is no ordinance file {name!r}", "ordinance")]
    near = difflib.get_close_matches(name, known, n=3) or known
    message = f"no ordinance is called {name!r}; there are {', '.join(near)}, or give the path of a .toml file"
    return [Finding("unknown-ordinance", "error", message, "ordinance")]


def _soil(soil: Soil, units: str, where: str) -> list[Finding]:
    return _collect(lambda: soil_erodibility(soil, units, where).findings) + class_mistakes(soil, where)


def _location(site: Site) -> list[Finding]:
    if site.location is None:
        return []
    raster = site.grid is not None and site.grid.R is not None
    found = _collect(lambda: site_erosivity(site.location, site.units or "us", r_raster=raster).findings)
    # without units no value can be called out of range
    return found if site.units is not None else [f for f in found if f.code != "R-out-of-range"]


class _Ids:
    """Ids of the parts of a site, and what is said of those that do not exist."""

    def __init__(self, site: Site) -> None:
        lists = {
            "soil": site.soils,
            "drainage area": site.drainage_areas,
            "ground unit": site.ground_units,
            "phase": site.phases,
            "practice": site.practices,
        }
        self._known = {what: dict.fromkeys(p.id for _, p in _items(parts) if p.id) for what, parts in lists.items()}
        self._feeds = {p.drains_to for _, p in _items(site.practices)}
        self._hints = dict.fromkeys(lists, _MOST_HINTS)

    def of(self, what: str) -> list[str]:
        """Return the ids of a kind of part."""
        return list(self._known[what])

    def is_fed(self, practice: str | None) -> bool:
        """Whether another practice drains to this one."""
        return practice in self._feeds

    def unknown(self, name: str | None, what: str, where: str) -> list[Finding]:
        """Return a mistake where no part has the id."""
        known = self._known[what]
        if name is None or name in known:
            return []
        near: list[str] = []
        if self._hints[what] > 0:
            self._hints[what] -= 1
            near = difflib.get_close_matches(name, known, n=3)
        near = near or list(itertools.islice(known, 8))
        hint = f"; there are {', '.join(map(repr, near))}" if near else "; the file has none"
        return [Finding(f"unknown-{what.replace(' ', '-')}", "error", f"no {what} has the id {name!r}{hint}", where)]


def _cover(cover: Cover | None, where: str) -> list[Finding]:
    if cover is None:
        return []
    found = cover_mistakes(cover, where) or _collect(lambda: _recalled(cover_value(cover, where), "C", where))
    if cover.mat is not None:
        found += mat_mistakes(cover.mat, f"{where}.mat")
    if cover.establishes is not None:
        found += establishment_findings(cover, where)
    return found


def _surface(surface: SurfaceCondition | None, where: str) -> list[Finding]:
    if surface is None:
        return []
    return surface_mistakes(surface, where) or _collect(lambda: _recalled(surface_value(surface, where), "P", where))


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


def _reversed(start: object, end: object, where: str) -> Finding:
    return Finding("end-before-start", "error", f"the end {end} lies before the start {start}", where)


def _ground_unit(site: Site, ids: _Ids, i: int, unit: GroundUnit) -> list[Finding]:
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
            found.append(Finding("missing-field", "error", f"a ground unit needs {name}", f"{where}.{name}"))
    if not gridded and unit.segments is None:
        for name in ("slope_pct", "length"):
            if getattr(unit, name) is None:
                found.append(
                    Finding("missing-field", "error", f"a ground unit needs {name}, or segments", f"{where}.{name}")
                )
    if gridded:
        for name in ("area", "slope_pct", "length", "segments"):
            if getattr(unit, name) is not None:
                found.append(
                    Finding(
                        "unused-field", "error", f"on a gridded site {name} comes from the rasters", f"{where}.{name}"
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
                    f"slope {pct:g} % is over {MAX_SLOPE_PCT:g} %, the limit of the method; a face this steep needs "
                    "a retaining structure or armour, not a soil-loss estimate",
                    path,
                )
            )
    return found


def _phase(site: Site, ids: _Ids, i: int, phase: Phase) -> list[Finding]:
    where = f"phases[{i}]"
    found = []
    longest = most("site_days")
    if phase.start and phase.end:
        if phase.end < phase.start:
            found.append(_reversed(phase.start, phase.end, f"{where}.end"))
        elif (phase.end - phase.start).days > longest:
            message = f"{phase.start} to {phase.end} is over {longest:,} days ({longest / 366:.3g} years)"
            found.append(Finding("phase-too-long", "error", message, f"{where}.end"))
    for k, name in enumerate(phase.units or ()):
        found += ids.unknown(name, "ground unit", f"{where}.units[{k}]")
    for name in sorted(n for n, times in Counter(phase.units or ()).items() if times > 1):
        found.append(Finding("duplicate-id", "error", f"ground unit {name!r} is named twice", f"{where}.units"))
    found += _cover(phase.cover, f"{where}.cover")
    found += _surface(phase.surface_condition, f"{where}.surface_condition")
    for k, slope in _items(phase.slopes):
        path = f"{where}.slopes[{k}]"
        found += _slope(slope, path, site.units)
        if slope.unit is not None and phase.units is not None and slope.unit not in phase.units:
            message = f"ground unit {slope.unit!r} is not among the units of this phase"
            found.append(Finding("unknown-ground-unit", "error", message, f"{path}.unit"))
        if slope.segments is None and (slope.slope_pct is None or slope.length is None):
            found.append(Finding("missing-field", "error", "a slope needs slope_pct and length, or segments", path))
    if site.grid is not None and phase.slopes:
        found.append(
            Finding("unused-field", "error", "on a gridded site a phase's slopes come from its dem", f"{where}.slopes")
        )
    if site.grid is None and phase.dem is not None:
        found.append(Finding("unused-field", "error", "dem needs a gridded site ([grid])", f"{where}.dem"))
    return found


def _phases_of_each_unit(site: Site) -> list[Finding]:
    """Overlaps in time on one unit, and units that are disturbed and never stabilized."""
    found: list[Finding] = []
    longest = most("site_days")
    starts = [p.start for p in site.phases or () if p is not None and p.start]
    ends = [u.stabilized for _, u in _items(site.ground_units) if u.stabilized]
    if starts and ends and (max(ends) - min(starts)).days > longest:
        message = f"over {longest:,} days ({longest / 366:.3g} years) from {min(starts)} to {max(ends)}"
        found.append(Finding("project-too-long", "error", message, "ground_units"))
    ever = {u for p in site.phases or () if p is not None for u in p.units or ()}
    whole = [p if p and p.start and p.end and p.units and p.end >= p.start else None for p in site.phases or ()]
    dated = [p for p in whole if p is not None]
    numbers = [i for i, p in enumerate(whole) if p is not None]
    named = phases_of_units(site.model_copy(update={"phases": tuple(dated)}))
    for i, unit in _items(site.ground_units):
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
                        f"{second.start} on ({days} days); end one before the other starts, or divide the unit",
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
                    f"stabilized on {unit.stabilized}, before its last phase ends on {last}",
                    f"{where}.stabilized",
                )
            )
        elif own and (unit.stabilized - min(p.start for _, p in own)).days > longest:
            message = f"over {longest:,} days ({longest / 366:.3g} years) from disturbance to stabilization"
            found.append(Finding("project-too-long", "error", message, f"{where}.stabilized"))
        if unit.final_cover is None:
            found.append(
                Finding(
                    "missing-field",
                    "error",
                    f"ground unit {unit.id!r} is disturbed and has no final_cover, the cover it is stabilized with",
                    f"{where}.final_cover",
                )
            )
    return found


def _practice(site: Site, ids: _Ids, i: int, practice: Practice) -> list[Finding]:
    where = f"practices[{i}]"
    found = []
    if practice.start and practice.end and practice.end < practice.start:
        found.append(_reversed(practice.start, practice.end, f"{where}.end"))
    for k, drained in _items(practice.drainage_areas):
        found += ids.unknown(drained.id, "drainage area", f"{where}.drainage_areas[{k}]")
    if practice.drains_to is not None:
        found += ids.unknown(practice.drains_to, "practice", f"{where}.drains_to")
    if not practice.drainage_areas and not ids.is_fed(practice.id):
        found.append(
            Finding(
                "practice-without-inflow",
                "error",
                f"nothing drains to practice {practice.id!r}; name drainage_areas, or it in drains_to of another",
                f"{where}.drainage_areas",
            )
        )
    return found + _credit(site, i, practice)


def _credit(site: Site, i: int, practice: Practice) -> list[Finding]:
    where = f"practices[{i}]"
    names = ("efficiency", "catalogue", "size_rule", "settling", "class_efficiencies")
    ways = [n for n in names if getattr(practice, n) is not None]
    if len(ways) != 1:
        said = f"{' and '.join(ways)} are given together" if ways else "nothing gives its efficiency"
        message = f"{said}; a practice needs exactly one of efficiency (with source), {', '.join(names[1:])}"
        return [Finding("one-way-only", "error", message, where)]
    found = []
    sizes = ("surface_area", "texture_group", "peak_outflow", "settling_velocity", "design_storm")
    needed: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    if practice.efficiency is not None and practice.source is None:
        found.append(Finding("missing-source", "error", "efficiency is given without source", f"{where}.source"))
    if practice.catalogue is not None:
        found += _collect(lambda: _catalogue(str(practice.catalogue), where))
    if practice.size_rule == "sediment trap":
        needed, used = ("surface_area",), ("surface_area", "texture_group")
        found += _texture_needed(site, practice, where)
    elif practice.size_rule == "sediment basin":
        needed = used = ("surface_area", "peak_outflow", "settling_velocity", "design_storm")
    elif practice.settling is not None:
        needed = used = ("surface_area", "peak_outflow", "design_storm")
    for name in needed:
        if getattr(practice, name) is None:
            message = f"the {practice.size_rule or practice.settling} rule needs {name}"
            found.append(Finding("missing-field", "error", message, f"{where}.{name}"))
    for name in sizes:
        if name not in used and getattr(practice, name) is not None:
            found.append(
                Finding("unused-field", "error", f"{name} has no effect on this practice's credit", f"{where}.{name}")
            )
    return found + _fence(practice, where) + _classes_needed(site, practice, where)


def _fence(practice: Practice, where: str) -> list[Finding]:
    if (practice_kind(practice) or "").casefold() == SILT_FENCE:
        return []
    return [
        Finding(
            "unused-field",
            "error",
            f'{name} goes with a silt fence; remove it, or write kind = "{SILT_FENCE}"',
            f"{where}.{name}",
        )
        for name in ("fence_length", "slope_length_above", "slope_above_pct")
        if getattr(practice, name) is not None
    ]


def _classes_needed(site: Site, practice: Practice, where: str) -> list[Finding]:
    """What a practice that works by particle class, or a site that combines by class, needs of soils and practices."""
    if not works_by_class(practice):
        if site.combination != "particle-classes":
            return []
        message = (
            "combination by particle class needs an efficiency for each class: settling, or class_efficiencies with "
            "its source"
        )
        return [Finding("needs-class-efficiency", "error", message, where)]
    fields = ("separates",) if practice.settling is not None else ("separates", "particle_classes")
    lacking = [s.id for _, s in _items(site.soils) if s.id and all(getattr(s, n) is None for n in fields)]
    if site.soils and not lacking:
        return []
    why = "clay sets the size of aggregates" if practice.settling is not None else "they say what is carried"
    message = (
        f"soil {', '.join(map(repr, lacking)) or '(none)'} lacks {' or '.join(fields)}, which a practice that works by "
        f"particle class needs ({why})"
    )
    return [Finding("needs-particle-classes", "error", message, where)]


def _catalogue(name: str, where: str) -> list[Finding]:
    row = table("trapping").row(name, where=f"{where}.catalogue")
    if row["needs_size_rule"] == "yes":
        message = f'{row["name"]!r} is earned by size; write size_rule = "{row["practice"]}" and the dimensions'
        return [Finding("needs-size-rule", "error", message, f"{where}.catalogue")]
    return []


def _texture_needed(site: Site, practice: Practice, where: str) -> list[Finding]:
    if practice.texture_group is not None:
        return []
    known = {str(row["texture"]) for row in table("size_rules").rows}
    untold = sorted(s.id for _, s in _items(site.soils) if s.id and (s.texture or "") not in known)
    if not untold and site.soils:
        return []
    return [
        Finding(
            "missing-field",
            "error",
            f"the trap rule goes by soil texture, and soil {', '.join(map(repr, untold)) or '(none)'} has no texture "
            "class of the rule; add texture_group (coarse, medium or fine), or the soil's texture",
            f"{where}.texture_group",
        )
    ]


def _grid_or_table(site: Site) -> list[Finding]:
    grid = site.grid
    found = []
    if grid is None:
        return [
            Finding("raster-without-grid", "error", "a raster needs a gridded site ([grid])", where)
            for where, spec in _raster_specs(site)
        ]
    if (grid.dem is None) == (grid.LS is None):
        said = "dem and LS are given together" if grid.dem is not None else "neither dem nor LS is given"
        found.append(Finding("one-way-only", "error", f"{said}; a gridded site needs exactly one of them", "grid"))
    if grid.LS is not None:
        for name in ("z_units", "max_length", "max_fill", "barriers", "channels", "sealed", "walls", "outfalls"):
            if getattr(grid, name) is not None:
                found.append(Finding("unused-field", "error", f"{name} goes with dem, not with LS", f"grid.{name}"))
        for i, phase in _items(site.phases):
            if phase.dem is not None:
                found.append(Finding("unused-field", "error", "dem does not go with grid.LS", f"phases[{i}].dem"))
    for name in ("K", "R"):
        if getattr(grid, name) is not None and getattr(grid, f"{name}_source") is None:
            found.append(
                Finding("missing-source", "error", f"{name} raster without {name}_source", f"grid.{name}_source")
            )
    ways = [n for n in ("K", "soils") if getattr(grid, n) is not None]
    if len(ways) == 2:
        found.append(Finding("one-way-only", "error", "K and soils are given together; keep one of them", "grid"))
    for i, unit in _items(site.ground_units):
        if grid.K is None and grid.soils is None and unit.soil is None:
            message = "no K raster and no soil polygons: the ground unit needs soil"
            found.append(Finding("missing-field", "error", message, f"ground_units[{i}].soil"))
        if (grid.K is not None or grid.soils is not None) and unit.soil is not None:
            message = f"soil comes from {' and '.join(f'grid.{w}' for w in ways)}; remove one of them"
            found.append(Finding("one-way-only", "error", message, f"ground_units[{i}].soil"))
        drawn = [n for n in ("drainage_areas", "outfalls") if getattr(grid, n) is not None]
        if not drawn and unit.drainage_area is None:
            message = "no drainage-area polygons and no outfalls: the ground unit needs drainage_area"
            found.append(Finding("missing-field", "error", message, f"ground_units[{i}].drainage_area"))
        if drawn and unit.drainage_area is not None:
            message = f"drainage areas come from grid.{drawn[0]}; remove one of them"
            found.append(Finding("one-way-only", "error", message, f"ground_units[{i}].drainage_area"))
    if grid.drainage_areas is not None and grid.outfalls is not None:
        message = "drainage_areas and outfalls are given together; keep one of them"
        found.append(Finding("one-way-only", "error", message, "grid"))
    if grid.ground_units is None and len(site.ground_units or ()) > 1:
        message = "several ground units need polygons: add grid.ground_units"
        found.append(Finding("missing-field", "error", message, "grid.ground_units"))
    return found


def _raster_specs(site: Site) -> list[tuple[str, Cover | SurfaceCondition]]:
    specs: list[tuple[str, Any]] = []
    for i, phase in _items(site.phases):
        specs += [(f"phases[{i}].cover", phase.cover), (f"phases[{i}].surface_condition", phase.surface_condition)]
    for i, unit in _items(site.ground_units):
        specs += [(f"ground_units[{i}].{n}", getattr(unit, n)) for n in ("existing_cover", "final_cover")]
    return [
        (where, spec)
        for where, spec in specs
        if spec is not None and (spec.raster is not None or getattr(spec, "land_cover", None) is not None)
    ]
