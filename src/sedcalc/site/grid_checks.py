"""What is wrong with which rasters and polygons a site names, and with rasters on a site that is not gridded."""

from typing import Any

from sedcalc.findings import Finding
from sedcalc.site.checking import items
from sedcalc.site.submission import Cover, Site, SurfaceCondition


def grid_mistakes(site: Site) -> list[Finding]:
    """Return what is wrong with the files a gridded site names or lacks, and with rasters where nothing is gridded.

    Parameters
    ----------
    site
        The site, faulty fields as None.
    """
    grid = site.grid
    found = []
    if grid is None:
        return [
            Finding(
                "raster-without-grid",
                "error",
                "a raster needs a gridded site; add [grid], or give name, or a value with its source",
                where,
            )
            for where, spec in _raster_specs(site)
        ]
    if (grid.dem is None) == (grid.LS is None):
        said = "dem and LS are given together" if grid.dem is not None else "neither dem nor LS is given"
        found.append(Finding("one-way-only", "error", f"{said}; give a gridded site exactly one of them", "grid"))
    if grid.LS is not None:
        for name in (
            "z_units",
            "max_length",
            "max_fill",
            "barriers",
            "channels",
            "channel_area",
            "sealed",
            "walls",
            "outfalls",
        ):
            if getattr(grid, name) is not None:
                found.append(
                    Finding(
                        "unused-field",
                        "error",
                        f"{name} goes with dem, not with LS; remove it, or give dem instead of LS",
                        f"grid.{name}",
                    )
                )
        for i, phase in items(site.phases):
            if phase.dem is not None:
                found.append(
                    Finding(
                        "unused-field", "error", "dem does not go with grid.LS; remove one of them", f"phases[{i}].dem"
                    )
                )
    for name in ("K", "R"):
        if getattr(grid, name) is not None and getattr(grid, f"{name}_source") is None:
            found.append(
                Finding(
                    "missing-source",
                    "error",
                    f"the {name} raster is given without {name}_source; add where it comes from",
                    f"grid.{name}_source",
                )
            )
    ways = [n for n in ("K", "soils") if getattr(grid, n) is not None]
    if len(ways) == 2:
        found.append(Finding("one-way-only", "error", "K and soils are given together; keep one of them", "grid"))
    for i, unit in items(site.ground_units):
        if grid.K is None and grid.soils is None and unit.soil is None:
            message = "without grid.K and grid.soils the ground unit needs soil; add one of them"
            found.append(Finding("missing-field", "error", message, f"ground_units[{i}].soil"))
        if (grid.K is not None or grid.soils is not None) and unit.soil is not None:
            message = f"soil comes from {' and '.join(f'grid.{w}' for w in ways)}; remove one of them"
            found.append(Finding("one-way-only", "error", message, f"ground_units[{i}].soil"))
        drawn = [n for n in ("drainage_areas", "outfalls") if getattr(grid, n) is not None]
        if not drawn and unit.drainage_area is None:
            message = "without grid.drainage_areas and grid.outfalls the unit needs drainage_area; add one of them"
            found.append(Finding("missing-field", "error", message, f"ground_units[{i}].drainage_area"))
        if drawn and unit.drainage_area is not None:
            message = f"drainage areas come from grid.{drawn[0]}; remove one of them"
            found.append(Finding("one-way-only", "error", message, f"ground_units[{i}].drainage_area"))
    if grid.drainage_areas is not None and grid.outfalls is not None:
        message = "drainage_areas and outfalls are given together; keep one of them"
        found.append(Finding("one-way-only", "error", message, "grid"))
    if grid.ground_units is None and len(site.ground_units or ()) > 1:
        message = "several ground units need polygons; add grid.ground_units"
        found.append(Finding("missing-field", "error", message, "grid.ground_units"))
    return found


def _raster_specs(site: Site) -> list[tuple[str, Cover | SurfaceCondition]]:
    specs: list[tuple[str, Any]] = []
    for i, phase in items(site.phases):
        specs += [(f"phases[{i}].cover", phase.cover), (f"phases[{i}].surface_condition", phase.surface_condition)]
    for i, unit in items(site.ground_units):
        specs += [(f"ground_units[{i}].{n}", getattr(unit, n)) for n in ("existing_cover", "final_cover")]
    return [
        (where, spec)
        for where, spec in specs
        if spec is not None and (spec.raster is not None or getattr(spec, "land_cover", None) is not None)
    ]
