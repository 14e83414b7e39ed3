"""Design rules of practices and covers: warnings where a fence, mulch or mat is used beyond what it is good for.

Sizes and drained acres of traps and basins are part of their credit (`sedcalc.site.practices`).
"""

import re
from collections.abc import Iterable
from typing import Literal

from sedcalc.findings import Finding, InputError
from sedcalc.site.covers import cover_value
from sedcalc.site.establishment import established_cover
from sedcalc.site.practices import practice_kind
from sedcalc.site.schedule import Schedule, Span
from sedcalc.site.submission import Cover, GroundUnit, Practice, Site, UnitSlope
from sedcalc.tables import table
from sedcalc.units import ACRE_HA, FOOT_M, area_text

SILT_FENCE = "silt fence"
"""The kind of practice that the silt-fence rules are for."""

_TOLERANCE = 1.0 + 1e-9
_DAYS_PER_MONTH = 365.25 / 12.0


def design_findings(site: Site, plan: Schedule) -> list[Finding]:
    """Return warnings on silt fences, mulches and mats beyond their design rules, and on kinds that differ from them.

    Parameters
    ----------
    site
        A checked site.
    plan
        Its schedule, as `sedcalc.site.schedule.schedule` returns it.

    Notes
    -----
    On gridded sites the slopes under covers are checked on the cells; a fence's slope is then `slope_above_pct`.
    """
    found = [] if site.grid is not None else cover_slope_findings(site, plan)
    for number, practice in enumerate(site.practices):
        found += _kind_differs(number, practice)
        if (practice_kind(practice) or "").casefold() == SILT_FENCE:
            found += _fence(site, number, practice)
    return found


def _kind_differs(number: int, practice: Practice) -> list[Finding]:
    """Say where a practice's own word for it is not what its catalogue row or size rule credits."""
    if practice.kind is None:
        return []
    credited = practice_kind(practice.model_copy(update={"kind": None}))
    if credited is None:
        return []
    words = re.findall(r"[a-z]+", practice.kind.casefold())
    nouns = {str(row["practice"]).split()[-1] for row in table("trapping").rows}
    if credited.split()[-1] in words:
        return []
    of = f"size_rule {practice.size_rule!r}" if practice.size_rule is not None else f"catalogue {practice.catalogue!r}"
    message = (
        f"practice {practice.id!r} is called a {practice.kind!r}, and credited as a {credited!r} by {of}; "
        "correct whichever is wrong"
    )
    severity: Literal["warning", "note"] = "warning" if nouns & set(words) else "note"
    return [Finding("kind-differs", severity, message, f"practices[{number}].kind")]


def mat_mistakes(mat: str, where: str) -> list[Finding]:
    """Return what is wrong with the name of an erosion mat's class.

    Parameters
    ----------
    mat
        Name of a class in the table ``mat_classes``.
    where
        Path of the field.
    """
    try:
        table("mat_classes").row(mat, where=where)
    except InputError as error:
        return list(error.findings)
    return []


def cover_slope_findings(site: Site, plan: Schedule) -> list[Finding]:
    """Return warnings where a cover or mat lies on slopes that its source does not give it for.

    Parameters
    ----------
    site
        A checked site without ``grid``.
    plan
        Its schedule.
    """
    found: list[Finding] = []
    for span in plan.spans:
        steepest = _steepest_pct(site, span)
        unit = site.ground_units[span.unit].id
        for cover in _covers(span.cover):
            value = cover_value(cover, span.cover_path)
            if value is not None and value.max_slope_pct is not None and steepest > value.max_slope_pct:
                found.append(
                    Finding(
                        "cover-beyond-slope-limit",
                        "warning",
                        f"{cover.name!r} is given for slopes up to {value.max_slope_pct:g} %, and ground unit "
                        f"{unit!r} has {steepest:g} %",
                        span.cover_path,
                    )
                )
        if span.cover.mat is not None:
            found += _mat(span.cover.mat, steepest, unit, span.cover_path)
    return found


def fence_spacing_ft(slope_pct: float) -> tuple[float, str]:
    """Return the largest slope length above a silt fence, ft, and its source.

    Parameters
    ----------
    slope_pct
        Steepness above the fence, %. A slope on the bound of two classes belongs to the steeper one, but for the
        steepest class, which lies above its bound.
    """
    fitting = [
        row
        for row in table("silt_fence_spacing").rows
        if row["slope_from_pct"] < slope_pct or (row["slope_from_pct"] == slope_pct and row["slope_to_pct"] is not None)
    ]
    row = max(fitting, key=lambda r: float(r["slope_from_pct"]))
    return float(row["spacing_ft"]), str(row["source"])


def _covers(cover: Cover) -> Iterable[Cover]:
    yield cover
    if cover.establishes is not None:
        yield established_cover(cover.establishes)


def _steepest_pct(site: Site, span: Span) -> float:
    unit = site.ground_units[span.unit]
    described: GroundUnit | UnitSlope = unit
    if span.slope_phase is not None:
        described = next(s for s in site.phases[span.slope_phase].slopes if s.unit == unit.id)
    return _steepness(described)


def _steepness(described: GroundUnit | UnitSlope) -> float:
    if described.segments is not None:
        return max(s.slope_pct for s in described.segments)
    assert described.slope_pct is not None
    return described.slope_pct


def _mat(mat: str, steepest: float, unit: str, where: str) -> list[Finding]:
    row = table("mat_classes").row(mat)
    most, least = row["max_slope_pct"], row["min_slope_pct"]
    if (most is None or steepest <= most) and (least is None or steepest >= least):
        return []
    message = f"erosion mat {row['mat']!r} is for slopes {row['slope_as_printed']}, and ground unit {unit!r} has "
    return [Finding("mat-beyond-slope-limit", "warning", f"{message}{steepest:g} % ({row['source']})", f"{where}.mat")]


def _fence(site: Site, number: int, practice: Practice) -> list[Finding]:
    where = f"practices[{number}]"
    life, area = (
        table("silt_fence_limits").row(name, where=where) for name in ("life", "drained area per 100 ft of fence")
    )
    found = []
    days = (practice.end - practice.start).days + 1
    if days > life["value"] * _DAYS_PER_MONTH + 1:
        message = f"silt fence {practice.id!r} stands for {days} days; one is good for {life['value']:g} months"
        found.append(_warning("fence-life", f"{message} ({life['source']})", f"{where}.end"))
    above = [p.id for p in site.practices if p.drains_to == practice.id]
    if above:
        message = (
            f"{', '.join(map(repr, above))} drains to silt fence {practice.id!r}; a silt fence is for sheet flow, not "
            "for the concentrated outflow of another practice"
        )
        found.append(_warning("fence-concentrated-flow", message, f"{where}.drains_to"))
    foot = 1.0 if site.units == "us" else FOOT_M
    if practice.slope_length_above is not None:
        found += _spacing(site, practice, practice.slope_length_above / foot, where)
    if practice.fence_length is not None and site.grid is None:
        found += _area_per_length(site, practice, practice.fence_length / foot, area, where)
    return found


def _spacing(site: Site, practice: Practice, length_ft: float, where: str) -> list[Finding]:
    steepest = practice.slope_above_pct
    if steepest is None:
        ids = {d.id for d in practice.drainage_areas}
        drained = [u for u in site.ground_units if u.drainage_area in ids and site.grid is None]
        if not drained:
            message = (
                f"slope_length_above of silt fence {practice.id!r} is not checked: its slope_above_pct is not given"
            )
            return [Finding("fence-slope-unknown", "warning", message, f"{where}.slope_above_pct")]
        steepest = max(_steepness(u) for u in drained)
    most, source = fence_spacing_ft(steepest)
    if length_ft <= most * _TOLERANCE:
        return []
    message = (
        f"{length_ft:.0f} ft of slope at {steepest:g} % drain to silt fence {practice.id!r}; the spacing is at most "
    )
    return [_warning("fence-spacing", f"{message}{most:g} ft ({source})", f"{where}.slope_length_above")]


def _area_per_length(
    site: Site, practice: Practice, length_ft: float, limit: dict[str, object], where: str
) -> list[Finding]:
    """Compare the ground that drains directly to a fence with its length."""
    acre = 1.0 if site.units == "us" else ACRE_HA
    shares = {d.id: d.share for d in practice.drainage_areas}
    drained = sum(shares.get(str(u.drainage_area), 0.0) * (u.area or 0.0) / acre for u in site.ground_units)
    most = float(str(limit["value"])) * length_ft / 100.0
    if drained <= most * _TOLERANCE:
        return []
    message = (
        f"{area_text(drained)} acres drain to {length_ft:.0f} ft of silt fence {practice.id!r}; that length is for "
        f"{area_text(most)} acres ({limit['source']})"
    )
    return [_warning("fence-area", message, f"{where}.fence_length")]


def _warning(code: str, message: str, where: str) -> Finding:
    return Finding(code, "warning", message, where)
