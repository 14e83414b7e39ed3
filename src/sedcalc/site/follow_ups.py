"""Findings that only follow from another mistake, and would go with it: they are not reported.

A field with a mistake of form is None when the checks run, so a check may miss it, or call unneeded or unknown what
the field would have explained. Only errors are left out, and only where the mistake behind them is reported itself.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from sedcalc.findings import Finding
from sedcalc.site.parsing import near_paths

_INDEX: Final = re.compile(r"\[\d+\]")

_GRID: Final = ("grid",)
_PHASE_UNITS: Final = ("phases", "phases[*]", "phases[*].units", "phases[*].units[*]")
_WAYS: Final = (".name", ".C", ".P", ".raster", ".land_cover")
_CREDIT: Final = ("efficiency", "catalogue", "size_rule", "settling", "class_efficiencies")


def _ids(*lists: str) -> tuple[str, ...]:
    """Return where ids of these lists may be lost."""
    return tuple(path for name in lists for path in (name, f"{name}[*]", f"{name}[*].id"))


# Code, place (a pattern of the path without numbers), and the paths whose mistakes it follows from. "." goes down from
# the place itself, "/" from the table that holds it; [*] is any item of a list.
_FOLLOWS: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("missing-R", r"location\.R", ("location.county",)),
    ("missing-ei-zone", r"location\.ei_zone", ("location.county", "location.ei_distribution")),
    ("missing-K", r"soils\[\*\]", (".K", ".texture", ".silt_vfs_pct", ".sand_pct", ".structure", ".permeability")),
    ("unknown-soil", ".*", _ids("soils")),
    ("unknown-drainage-area", ".*", _ids("drainage_areas")),
    ("unknown-ground-unit", r"phases\[\*\]\.slopes.*", (*_ids("ground_units"), *_PHASE_UNITS)),
    ("unknown-ground-unit", ".*", _ids("ground_units")),
    ("unknown-practice", ".*", _ids("practices")),
    ("unknown-claimed-row", r".*\.phase", _ids("phases")),
    ("unknown-claimed-row", r".*\.unit", _ids("ground_units")),
    ("unknown-claimed-row", r".*\.drainage_area", _ids("drainage_areas")),
    ("missing-field", r"ground_units\[\*\]\.soil", (*_GRID, "grid.K", "grid.soils")),
    ("missing-field", r"ground_units\[\*\]\.drainage_area", (*_GRID, "grid.drainage_areas", "grid.outfalls")),
    ("missing-field", r"ground_units\[\*\]\.area", _GRID),
    ("missing-field", r"ground_units\[\*\]\.(slope_pct|length)", (*_GRID, "/segments")),
    ("missing-field", r"phases\[\*\]\.slopes\[\*\]", (".slope_pct", ".length", ".segments")),
    ("missing-field", r".*cover", (".table",)),
    ("missing-field", r"practices\[\*\]\.texture_group", (*_ids("soils"), "soils[*].texture")),
    ("missing-source", r".*(cover|surface_condition|establishes)", (".source",)),
    ("one-way-only", r".*(cover|surface_condition|establishes)", _WAYS),
    ("one-way-only", r"grid", (".dem", ".LS")),
    ("one-way-only", r"practices\[\*\]", tuple(f".{way}" for way in _CREDIT)),
    ("unused-field", r"ground_units\[\*\]\.(stabilized|final_cover|final_cover_pct)", ("/id", *_PHASE_UNITS)),
    ("unused-field", r"phases\[\*\]\.dem", _GRID),
    ("unused-field", r".*cover", (".land_cover",)),
    ("unused-field", r".*establishes\.steepness.*", ("/shape",)),
    ("unused-field", r"practices\[\*\]\.(fence_length|slope_.*)", ("/kind", "/catalogue", "/size_rule")),
    ("unused-field", r"practices\[\*\]\..*", tuple(f"/{way}" for way in _CREDIT)),
    ("raster-without-grid", ".*", _GRID),
    ("practice-without-inflow", ".*", (*_ids("practices"), "practices[*].drains_to", "practices[*].drainage_areas[*]")),
    ("needs-class-efficiency", r"practices\[\*\]", (".settling", ".class_efficiencies")),
    ("needs-particle-classes", ".*", (*_ids("soils"), "soils[*].separates", "soils[*].particle_classes")),
    ("vertical-unit-missing", ".*", ("grid.z_units",)),
    ("crs-missing", ".*", ("grid.crs",)),
    ("established-in-winter", ".*", ("/winter_credit_source",)),
)
_ABSENT: Final = ("missing-field", "missing-source", "never-stabilized", "missing-R", "missing-ei-zone")
# What checks find themselves, and other checks follow from.
_CAUSES: Final = ("unknown-texture", "unknown-ground-unit", "unknown-practice", "unknown-county")


def without_follow_ups(found: Sequence[Finding], form: Iterable[Finding]) -> list[Finding]:
    """Return what checks found, without the errors that only follow from another mistake.

    Parameters
    ----------
    found
        Findings of the checks.
    form
        Mistakes of form, as `sedcalc.site.parsing.parse_site` returns them; those fields were None for the checks.
    """
    form = [f for f in form if f.where]
    formal = {f.where for f in form}
    misspelt = {path for f in form if f.code == "unknown-field" for path in near_paths(str(f.where))}
    causes = formal | misspelt | {f.where for f in found if f.code in _CAUSES and f.where}
    if not causes:
        return list(found)
    everywhere = {_INDEX.sub("[*]", str(path)) for path in causes}

    def follows(finding: Finding) -> bool:
        where = finding.where or ""
        if any(path in formal for path in _upwards(where)) or (finding.code in _ABSENT and where in misspelt):
            return True
        return _follows_by_rule(finding.code, where, causes, everywhere)

    return [f for f in found if f.severity != "error" or not follows(f)]


def _follows_by_rule(of: str, where: str, causes: Collection[str | None], everywhere: set[str]) -> bool:
    place = _INDEX.sub("[*]", where)
    table = where.rpartition(".")[0]
    for code, pattern, paths in _FOLLOWS:
        if code == of and re.fullmatch(pattern, place):
            for path in paths:
                if path[0] in "./":
                    if (where if path[0] == "." else table) + f".{path[1:]}" in causes:
                        return True
                elif path in everywhere:
                    return True
    return False


def _upwards(path: str) -> Iterable[str]:
    """Yield a path and the paths of the tables and lists that hold it."""
    while path:
        yield path
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
