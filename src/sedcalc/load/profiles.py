"""Ground of a tabular site: each ground unit is a slope profile."""

from dataclasses import dataclass

import numpy as np

from sedcalc.factors.topography import (
    LONG_LENGTH_FT,
    OVER_3_TO_1_PCT,
    SHORT_LENGTH_FT,
    SegmentedLS,
    SlopeLS,
    profile_ls,
    segmented_ls,
)
from sedcalc.findings import Finding
from sedcalc.load.ground import Ground, Pieces, Rows
from sedcalc.site.covers import FactorValue, cover_value, surface_value
from sedcalc.site.erosivity import SiteErosivity
from sedcalc.site.schedule import Schedule, Span
from sedcalc.site.slopes import short_slope_rows
from sedcalc.site.soils import soil_erodibility
from sedcalc.site.submission import GroundUnit, Site, Topography, UnitSlope
from sedcalc.units import ACRE_HA, FOOT_M, area_text


@dataclass(frozen=True, slots=True)
class Slope:
    """LS of one slope of a ground unit, and where it stands in the site file."""

    ls: SlopeLS | SegmentedLS
    steepest_pct: float
    length_ft: float
    where: str


def profile_ground(site: Site, erosivity: SiteErosivity, plan: Schedule) -> Ground:
    """Return the ground of a tabular site.

    Parameters
    ----------
    site
        A checked site without ``grid``.
    erosivity
        Its R; R of every piece.
    plan
        Its schedule.

    Returns
    -------
    Ground
        One piece for each ground unit, one row for each span.
    """
    assert erosivity.R is not None
    acre = 1.0 if site.units == "us" else ACRE_HA
    areas = {a.id: i for i, a in enumerate(site.drainage_areas)}
    soils = {s.id: soil_erodibility(s, site.units, f"soils[{i}]") for i, s in enumerate(site.soils)}
    units = site.ground_units
    pieces = Pieces(
        unit=np.arange(len(units)),
        drainage_area=np.array([areas[str(u.drainage_area)] for u in units]),
        soil=tuple(str(u.soil) for u in units),
        acres=np.array([float(u.area or 0.0) / acre for u in units]),
        R=np.full(len(units), erosivity.R),
        K=np.array([soils[str(u.soil)].K for u in units]),
    )
    slopes = {key: _slope(site, *key) for key in dict.fromkeys((s.unit, s.slope_phase) for s in plan.spans)}
    values = [(_cover(s), _surface(s)) for s in plan.spans]
    unit = np.array([s.unit for s in plan.spans])
    ls = np.array([float(slopes[s.unit, s.slope_phase].ls.LS) for s in plan.spans])
    bare = pieces.R[unit] * pieces.K[unit] * ls * pieces.acres[unit]
    c = np.array([v[0].value for v in values])
    p = np.array([v[1].value for v in values])
    sources = {s.cover_path: v[0].source for s, v in zip(plan.spans, values, strict=True)}
    sources |= {s.surface_path: v[1].source for s, v in zip(plan.spans, values, strict=True) if s.surface_path}
    sources |= {f"soils[{i}]": soils[s.id].source for i, s in enumerate(site.soils)}
    findings = [f for slope in slopes.values() for f in _slope_findings(slope)]
    findings += _steep(slopes, plan, pieces)
    return Ground(
        pieces,
        Rows(unit, np.arange(len(plan.spans)), ls, c, p, bare * c * p, bare),
        methods={
            "LS": f"slope profile, {ls_equations(site.topography)}",
            "K": ", ".join(sorted({s.method for s in soils.values()})),
        },
        sources=sources,
        findings=tuple(findings),
    )


def ls_equations(topography: Topography) -> str:
    """Return in words whose equations of S and m a site's LS has; only those of RUSLE know a ratio.

    Parameters
    ----------
    topography
        Of the site.
    """
    return f"rusle, {topography.ratio} rill to interrill ratio" if topography.method == "rusle" else "usle"


def described_slope(site: Site, unit: int, phase: int | None) -> tuple[GroundUnit | UnitSlope, str]:
    """Return the slope of a ground unit as the site describes it, and its path in the site file.

    Parameters
    ----------
    site
        A checked tabular site.
    unit
        Index of the ground unit.
    phase
        Index of the phase that last set its slope, None for the unit's own.
    """
    if phase is None:
        return site.ground_units[unit], f"ground_units[{unit}]"
    name = site.ground_units[unit].id
    number = next(i for i, s in enumerate(site.phases[phase].slopes) if s.unit == name)
    return site.phases[phase].slopes[number], f"phases[{phase}].slopes[{number}]"


def _slope(site: Site, unit: int, phase: int | None) -> Slope:
    described, where = described_slope(site, unit, phase)
    foot = 1.0 if site.units == "us" else FOOT_M
    options = {"ratio": site.topography.ratio, "method": site.topography.method}
    if described.segments is not None:
        lengths = np.array([s.length / foot for s in described.segments])
        steepness = np.array([s.slope_pct for s in described.segments])
        ls_of_all = segmented_ls(steepness, lengths, **options)
        return Slope(ls_of_all, float(steepness.max()), float(lengths.sum()), where)
    assert described.length is not None
    assert described.slope_pct is not None
    length = described.length / foot
    short_rows = short_slope_rows() if length < SHORT_LENGTH_FT else None
    ls = profile_ls(described.slope_pct, length, **options, short_rows=short_rows)
    return Slope(ls, described.slope_pct, length, where)


def _cover(span: Span) -> FactorValue:
    value = cover_value(span.cover, span.cover_path)
    assert value is not None  # rasters are refused without a grid
    return value


def _surface(span: Span) -> FactorValue:
    value = surface_value(span.surface_condition, span.surface_path)
    assert value is not None
    return value


def _slope_findings(slope: Slope) -> list[Finding]:
    found = []
    if slope.length_ft > LONG_LENGTH_FT:
        found.append(
            Finding(
                "long-slope",
                "warning",
                f"slope length {slope.length_ft:,.0f} ft is over {LONG_LENGTH_FT:g} ft; sheet and rill flow rarely "
                "runs so far before it concentrates",
                slope.where,
            )
        )
    if isinstance(slope.ls, SlopeLS) and bool(slope.ls.short):
        found.append(
            Finding(
                "short-slope",
                "warning",
                f"slope of {slope.length_ft:g} ft at {slope.steepest_pct:g} %: LS under 15 ft rests on the 3-ft column "
                "of AH703 Table 4-3, which is recalled and was not confirmed in a copy",
                slope.where,
            )
        )
    return found


def _steep(slopes: dict[tuple[int, int | None], Slope], plan: Schedule, pieces: Pieces) -> list[Finding]:
    """Report ground over 3H:1V once, with acres and share of the disturbed ground."""
    steep = {
        unit
        for (unit, _), slope in slopes.items()
        if slope.steepest_pct > OVER_3_TO_1_PCT and plan.disturbed[unit] is not None
    }
    if not steep:
        return []
    disturbed = np.array([d is not None for d in plan.disturbed])
    acres = float(sum(pieces.acres[u] for u in sorted(steep)))
    return [steep_finding(acres, acres / float(pieces.acres[disturbed].sum()))]


def steep_finding(acres: float, share: float) -> Finding:
    """Return the finding for ground steeper than 3H:1V.

    Parameters
    ----------
    acres
        Disturbed ground over 3H:1V, acres.
    share
        Its share of the disturbed ground, 0-1.
    """
    return Finding(
        "over-3-to-1",
        "warning",
        f"{area_text(acres)} acres ({share:.1%} of the disturbed ground) are steeper than 3H:1V, where the state's "
        "method does not apply; a reviewer decides on prescriptive controls (mats, diversions, benches) for them",
        "ground over 3H:1V",
    )
