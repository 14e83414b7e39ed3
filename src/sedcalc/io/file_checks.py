"""What is wrong with the files that a site names, as far as it can be said while the site file has mistakes itself.

A site without mistakes has its files checked where it is computed, with all that its schedule tells about them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sedcalc.findings import Finding
from sedcalc.io.named_files import NamedFiles
from sedcalc.io.vectors import read_barriers, read_mask, read_places
from sedcalc.site.submission import GridInputs, Polygons, Site
from sedcalc.terrain.grid import Grid


@dataclass(frozen=True, slots=True)
class _Raster:
    name: str
    what: str
    where: str
    elevations: bool = False


def file_mistakes(site: Site) -> list[Finding]:
    """Return what is wrong with the files that a faulty site names.

    Parameters
    ----------
    site
        A site as `sedcalc.site.parsing.parse_site` returns it, faulty fields as None.

    Returns
    -------
    list of Finding
        Files that are missing, lie outside the folder or cannot be read; rasters without a coordinate system or a
        unit, or that do not lie on one another's cells; polygons that overlap or have unknown ids; ground units
        without a value.
    """
    if site.grid is None:
        return []
    files = NamedFiles(site)
    rasters = list(_rasters(site))
    grids = [_open(files, raster) for raster in rasters]
    for where, name in _cover_tables(site):
        files.cover_table(name, where)
    if files.reference is None:
        _existence(files, site.grid)
        return files.mistakes
    _masks(files, site.grid)
    covered = _polygons(files, site)
    if covered is not None:
        for raster, grid in zip(rasters, grids, strict=True):
            if grid is not None and raster.where in ("grid.dem", "grid.LS", "grid.R", "grid.K"):
                files.take(_without_value(raster, grid, covered))
    return files.mistakes


def _rasters(site: Site) -> Iterable[_Raster]:
    grid = site.grid
    assert grid is not None
    if grid.dem is not None:
        yield _Raster(grid.dem, "DEM", "grid.dem", elevations=True)
    if grid.LS is not None:
        yield _Raster(grid.LS, "LS raster", "grid.LS")
    for i, phase in enumerate(site.phases or ()):
        if phase is not None and phase.dem is not None and grid.LS is None:
            yield _Raster(phase.dem, "DEM", f"phases[{i}].dem", elevations=True)
    for symbol in ("R", "K"):
        if getattr(grid, symbol) is not None:
            yield _Raster(getattr(grid, symbol), f"{symbol} raster", f"grid.{symbol}")
    for where, cover in _covers(site):
        symbol = "P" if where.endswith("surface_condition") else "C"
        for field, what in (("raster", f"{symbol} raster"), ("land_cover", "land-cover raster")):
            name = getattr(cover, field, None)
            if name is not None:
                yield _Raster(name, what, f"{where}.{field}")


def _covers(site: Site) -> Iterable[tuple[str, Any]]:
    """Yield path and table of covers and surface conditions."""
    for part, names in (
        ("phases", ("cover", "surface_condition")),
        ("ground_units", ("existing_cover", "final_cover")),
    ):
        for i, item in enumerate(getattr(site, part) or ()):
            for name in names:
                if item is not None and getattr(item, name) is not None:
                    yield f"{part}[{i}].{name}", getattr(item, name)


def _cover_tables(site: Site) -> Iterable[tuple[str, str]]:
    for where, cover in _covers(site):
        if getattr(cover, "table", None) is not None:
            yield f"{where}.table", cover.table


def _open(files: NamedFiles, raster: _Raster) -> Grid | None:
    if raster.elevations:
        found = files.elevations(raster.name, raster.where)
    else:
        found = files.raster(raster.name, raster.what, raster.where)
    if found is None and raster.elevations:
        # Elevations whose unit is not known can still say where the cells lie.
        cells = files.unaligned(raster.name, raster.where)
        if cells is not None:
            files.attempt(lambda: files.lined_up(cells, raster.what, raster.where, raster.name))
    return found


def _existence(files: NamedFiles, grid: GridInputs) -> None:
    """Look for the files that cannot be opened without a raster to bring them to."""
    for name in ("barriers", "channels", "sealed", "walls"):
        file = getattr(grid, name)
        if file is not None:
            _there(files, file, name, f"grid.{name}")
    for name in ("ground_units", "drainage_areas", "soils", "outfalls"):
        spec = getattr(grid, name)
        if spec is not None and spec.file is not None:
            _there(files, spec.file, f"{name} polygons", f"grid.{name}.file")


def _there(files: NamedFiles, name: str, what: str, where: str) -> None:
    files.attempt(lambda: files.path(name, what, where))


def _masks(files: NamedFiles, grid: GridInputs) -> None:
    for name, read in (("barriers", read_barriers), ("channels", read_barriers), ("walls", read_barriers)):
        files.mask(getattr(grid, name), name, read)
    files.mask(grid.sealed, "sealed", read_mask)


def _polygons(files: NamedFiles, site: Site) -> "np.ndarray[Any, np.dtype[np.bool_]] | None":
    """Check the polygons, and return which cells lie in ground units; None where nothing says it."""
    grid = site.grid
    assert grid is not None
    covered = None
    for name, what in (("ground_units", "ground unit"), ("drainage_areas", "drainage area"), ("soils", "soil")):
        spec: Polygons | None = getattr(grid, name)
        if spec is None or spec.file is None or spec.attribute is None:
            continue
        zones = files.zones(
            spec, f"{what.replace(' ', '-') if name == 'ground_units' else what} polygons", f"grid.{name}"
        )
        ids = _ids(getattr(site, name))
        if zones is not None and ids is not None:
            files.unknown_zones([str(v) for v in zones.values], zones.acres, ids, what, f"grid.{name}")
        if zones is not None and name == "ground_units":
            covered = zones.index >= 0
    places = grid.outfalls
    reference = files.reference
    if places is not None and places.file is not None and places.attribute is not None and reference is not None:
        file, attribute = places.file, places.attribute

        def read() -> object:
            path = files.path(file, "outfalls", "grid.outfalls.file")
            return read_places(path, attribute, reference, where="grid.outfalls", inside=files.folder)

        files.attempt(read)
    return covered


def _ids(parts: Sequence[Any] | None) -> list[str] | None:
    """Return the ids of a list; None where some did not parse."""
    ids = [None if part is None else part.id for part in parts or ()]
    return None if not ids or None in ids else [str(i) for i in ids]


def _without_value(raster: _Raster, grid: Grid, covered: Any) -> list[Finding]:
    cells = int(np.count_nonzero(covered & np.isnan(grid.values))) if grid.shape == covered.shape else 0
    if cells == 0:
        return []
    message = (
        f"the {raster.what} has no value (nodata) in {cells * grid.cell_acres:.4g} acres ({cells:,} cells) of ground "
        "units; give one that covers them, or draw the units without that ground"
    )
    return [Finding("cells-without-value", "error", message, raster.where)]
