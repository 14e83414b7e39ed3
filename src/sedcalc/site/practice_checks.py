"""What is wrong with practices: what drains to them, and what gives their efficiency."""

from sedcalc.findings import Finding
from sedcalc.site.checking import Ids, collect, end_before_start, items
from sedcalc.site.design_rules import SILT_FENCE
from sedcalc.site.practices import practice_kind, works_by_class
from sedcalc.site.submission import Practice, Site
from sedcalc.tables import table


def practice_mistakes(site: Site, ids: Ids, i: int, practice: Practice) -> list[Finding]:
    """Return what is wrong with a practice.

    Parameters
    ----------
    site
        The site, faulty fields as None.
    ids
        Its ids.
    i
        Number of the practice.
    practice
        The practice.
    """
    where = f"practices[{i}]"
    found = []
    if practice.start and practice.end and practice.end < practice.start:
        found.append(end_before_start(practice.start, practice.end, f"{where}.end"))
    for k, drained in items(practice.drainage_areas):
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
        message = f"{said}; give a practice exactly one of efficiency (with source), {', '.join(names[1:])}"
        return [Finding("one-way-only", "error", message, where)]
    found = []
    sizes = ("surface_area", "texture_group", "peak_outflow", "settling_velocity", "design_storm")
    needed: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    if practice.efficiency is not None and practice.source is None:
        found.append(
            Finding(
                "missing-source",
                "error",
                "efficiency is given without source; add where it comes from",
                f"{where}.source",
            )
        )
    if practice.catalogue is not None:
        found += collect(lambda: _catalogue(str(practice.catalogue), where))
    if practice.size_rule == "sediment trap":
        needed, used = ("surface_area",), ("surface_area", "texture_group")
        found += _texture_needed(site, practice, where)
    elif practice.size_rule == "sediment basin":
        needed = used = ("surface_area", "peak_outflow", "settling_velocity", "design_storm")
    elif practice.settling is not None:
        needed = used = ("surface_area", "peak_outflow", "design_storm")
    for name in needed:
        if getattr(practice, name) is None:
            message = f"the {practice.size_rule or practice.settling} rule needs {name}; add it"
            found.append(Finding("missing-field", "error", message, f"{where}.{name}"))
    for name in sizes:
        if name not in used and getattr(practice, name) is not None:
            found.append(
                Finding(
                    "unused-field",
                    "error",
                    f"{name} has no effect on this practice's credit; remove it",
                    f"{where}.{name}",
                )
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
            "combination by particle class needs an efficiency for each class; add settling, or class_efficiencies "
            "with its source"
        )
        return [Finding("needs-class-efficiency", "error", message, where)]
    fields = ("separates",) if practice.settling is not None else ("separates", "particle_classes")
    lacking = [s.id for _, s in items(site.soils) if s.id and all(getattr(s, n) is None for n in fields)]
    if site.soils and not lacking:
        return []
    why = "clay sets the size of aggregates" if practice.settling is not None else "they say what is carried"
    message = (
        f"soil {', '.join(map(repr, lacking)) or '(none)'} lacks {' or '.join(fields)}, which a practice that works by "
        f"particle class needs ({why}); add it to the soil"
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
    untold = sorted(s.id for _, s in items(site.soils) if s.id and (s.texture or "") not in known)
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
