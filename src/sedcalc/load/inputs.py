"""Files of a gridded site: opens every raster, polygon file and table it names, and checks them together.

All mistakes of all files are collected and raised at once; a raster that cannot be read does not hide what is wrong
with the others.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors.erodibility import K_UPPER_LIMIT
from sedcalc.findings import Finding, InputError
from sedcalc.io.drainage import Drainage, drainage_areas
from sedcalc.io.gdal_guard import site_file
from sedcalc.io.rasters import _read as read_values
from sedcalc.io.rasters import read_grid, read_raster
from sedcalc.io.site_files import read_bytes
from sedcalc.io.vectors import ZoneMap, rasterize_zones, read_barriers, read_mask, read_polygons
from sedcalc.limits import refuse_over
from sedcalc.load.cell_checks import UnitCells, k_zero, missing_values, out_of_range
from sedcalc.load.cells import CellInputs, FlowMasks, Progress, Surface, ground_of_cells
from sedcalc.load.ground import ClassValues, Ground, Pieces
from sedcalc.load.land_cover import MAX_C, codes_without_c, land_cover_classes, parse_cover_table
from sedcalc.load.zonal import Codes, Factor, class_values, combine, zonal_sum
from sedcalc.site.covers import cover_value, surface_value
from sedcalc.site.erosivity import R_RANGE_US, SiteErosivity
from sedcalc.site.schedule import Schedule
from sedcalc.site.soils import soil_erodibility
from sedcalc.site.submission import Cover, GridInputs, Places, Polygons, Site
from sedcalc.terrain.grid import FloatArray, Grid, require_same_cells
from sedcalc.units import FOOT_M, K_US_SI, R_US_SI

_T = TypeVar("_T")


def grid_ground(site: Site, erosivity: SiteErosivity, plan: Schedule, progress: Progress | None = None) -> Ground:
    """Return the ground of a gridded site.

    Parameters
    ----------
    site
        A checked site with ``grid``.
    erosivity
        Its R, where no raster gives it.
    plan
        Its schedule.
    progress
        Called with the name of each step as it starts.

    Returns
    -------
    Ground
        A piece for each ground unit, drainage area and soil that meet on a cell; a row for each of its spans.

    Raises
    ------
    InputError
        With every mistake of every file: what cannot be opened, does not line up, is out of range, has no value on
        the ground units, has no C for a land-cover code; polygons that overlap or leave ground uncovered. Disturbed
        ground over 60 %.

    Notes
    -----
    A cell belongs to the polygon that holds its centre. LS is that of the whole surface, so ground outside the units
    adds slope length. Background over 60 % has no LS and adds no soil loss; a finding says how much there is.
    """
    progress = progress or (lambda _: None)
    progress("reading rasters and polygons")
    files = _Files(site)
    inputs, sources = _open(site, erosivity, plan, files)
    if inputs is None:
        raise InputError([*files.mistakes, *files.findings])
    try:
        ground = ground_of_cells(site, plan, inputs, progress)
    except InputError as error:
        raise InputError([*error.findings, *files.findings]) from None
    return replace(
        ground,
        methods=_methods(site),
        sources=sources,
        files=files.sha256,
        findings=(*files.findings, *ground.findings),
    )


class _Files:
    """Opens files by the names a site gives them, and collects what is wrong with them."""

    def __init__(self, site: Site) -> None:
        assert site.grid is not None
        self.grid: GridInputs = site.grid
        self.folder = site.folder
        self.mistakes: list[Finding] = []
        self.findings: list[Finding] = []
        self.sha256: dict[str, str] = {}
        self.reference: Grid | None = None
        self._reference_name = ""
        self._opened: dict[tuple[str, ...], Any] = {}

    def take(self, findings: Sequence[Finding]) -> None:
        """Keep findings: mistakes apart from the others."""
        self.mistakes += [f for f in findings if f.severity == "error"]
        self.findings += [f for f in findings if f.severity != "error"]

    def attempt(self, call: Callable[[], _T]) -> _T | None:
        """Return what a call returns; None, with its mistakes kept, where it raises `InputError`."""
        try:
            return call()
        except InputError as error:
            self.take(error.findings)
            return None

    def once(self, key: tuple[str, ...], call: Callable[[], _T]) -> _T | None:
        """Return what a call returned the first time for a key; its mistakes are kept once."""
        if key not in self._opened:
            self._opened[key] = self.attempt(call)
        found: _T | None = self._opened[key]
        return found

    def path(self, name: str, what: str, where: str) -> Path:
        """Return the file of a name relative to the site's folder, and note its SHA-256."""
        found = site_file(self.folder, name, what, where)
        if name not in self.sha256:
            refuse_over("site_files", len(self.sha256) + 1, where, what="the site")
            refuse_over("raster_bytes", found.stat().st_size, where, what=what, code="file-too-large")
            with found.open("rb") as handle:
                self.sha256[name] = hashlib.file_digest(handle, "sha256").hexdigest()
        return found

    def elevations(self, name: str, where: str) -> Grid | None:
        """Return a DEM that lies on the cells of the other rasters."""

        def read() -> Grid:
            path = self.path(name, "DEM", where)
            options: dict[str, Any] = {"z_units": self.grid.z_units, "crs": self.grid.crs}
            grid = read_grid(path, **options, what="DEM", where=where, inside=self.folder)
            return self._lined_up(grid, "DEM", where, name)

        return self.once(("DEM", name), read)

    def raster(self, name: str, what: str, where: str) -> Grid | None:
        """Return a factor or class raster that lies on the cells of the other rasters."""

        def read() -> Grid:
            path = self.path(name, what, where)
            options: dict[str, Any] = {"crs": self.grid.crs, "what": what, "where": where, "inside": self.folder}
            if self.reference is None:
                grid, *_ = read_values(path, **options)
            else:
                grid = self._against_reference(lambda like: read_raster(path, like=like, **options))
            self.findings += grid.findings
            return self._lined_up(grid, what, where, name)

        return self.once((what, name), read)

    def unaligned(self, name: str, where: str) -> Grid | None:
        """Return a raster whatever its cells, None where it cannot be read; for checks that need no other raster."""
        try:
            path = site_file(self.folder, name, "raster", where)
            grid, *_ = read_values(path, self.grid.crs, "raster", where, self.folder)
        except InputError:
            return None  # said already
        return grid

    def cover_table(self, name: str, where: str) -> dict[int, tuple[float, str]] | None:
        """Return C and its source by land-cover code."""

        def read() -> dict[int, tuple[float, str]]:
            return parse_cover_table(read_bytes(self.path(name, "cover table", where), "cover_table_bytes"), where)

        return self.once(("table", name), read)

    def _lined_up(self, grid: Grid, what: str, where: str, name: str) -> Grid:
        if any(f.code == "crs-from-sidecar" for f in grid.findings):
            sidecar = Path(name).with_suffix(".prj").as_posix()
            self.sha256[sidecar] = hashlib.sha256((self.folder / sidecar).read_bytes()).hexdigest()
        if self.reference is None:
            self.reference, self._reference_name = grid, what
        self._against_reference(lambda like: require_same_cells(like, grid, what, where))
        return grid

    def _against_reference(self, call: Callable[[Grid], _T]) -> _T:
        """Run a check against the first raster that was read; where that is not the DEM, its messages say which."""
        assert self.reference is not None
        try:
            return call(self.reference)
        except InputError as error:
            cells = f"the cells of the {self._reference_name}"
            told = [replace(f, message=f.message.replace("the DEM's cells", cells)) for f in error.findings]
            raise InputError(told if self._reference_name != "DEM" else error.findings) from None


def _open(
    site: Site, erosivity: SiteErosivity, plan: Schedule, files: _Files
) -> tuple[CellInputs | None, dict[str, str]]:
    """Open and check everything, and return it with the sources of its values; None where there are mistakes."""
    if site.topography.method != "rusle":
        message = "on a gridded site LS follows RUSLE; remove topography.method"
        files.mistakes.append(Finding("unused-field", "error", message, "topography.method"))
    surfaces = _surfaces(site, plan, files)
    grid = files.grid
    r_raster = None if grid.R is None else files.raster(grid.R, "R raster", "grid.R")
    k_raster = None if grid.K is None else files.raster(grid.K, "K raster", "grid.K")
    covers = _Covers(plan, files)
    if files.reference is None:
        return None, {}
    ways = _ways(files)
    cells = _without_channels(_unit_cells(site, files, surfaces), ways, files)
    area_ids = [a.id for a in site.drainage_areas]
    area = (
        _codes_by_polygon_or_unit(site, cells, files, grid.drainage_areas, "drainage area", area_ids, "drainage_area")
        if grid.outfalls is None
        else _codes_by_flow(site, cells, files, grid.outfalls, area_ids, ways)
    )
    soil_ids = [""] if grid.K is not None else [s.id for s in site.soils]
    soil = (
        np.where(cells.unit >= 0, np.int32(0), np.int32(-1))
        if grid.K is not None
        else _codes_by_polygon_or_unit(site, cells, files, grid.soils, "soil", soil_ids, "soil")
    )
    _check_surfaces(cells, surfaces, plan, files)
    covers.check(cells, files)
    R = _site_raster(cells, r_raster, "R", R_RANGE_US, R_US_SI if site.units == "si" else 1.0, site, files)
    K = _site_raster(cells, k_raster, "K", (0.0, K_UPPER_LIMIT), K_US_SI if site.units == "si" else 1.0, site, files)
    if files.mistakes or area is None or soil is None:
        return None, {}
    soils = {s.id: soil_erodibility(s, site.units, f"soils[{i}]") for i, s in enumerate(site.soils)}
    ground, unit_of, area_of = combine(cells.unit, area, len(site.drainage_areas))
    piece, ground_of, soil_of = combine(ground, soil, len(soil_ids))
    named = tuple(soil_ids[s] for s in soil_of)
    k_values: FloatArray | ClassValues = class_values(piece, [soils[s].K for s in named]) if K is None else K
    r_values: float | FloatArray = R if R is not None else float(erosivity.R or 0.0)
    n = len(named)
    count = zonal_sum(piece, n)
    pieces = Pieces(
        unit=unit_of[ground_of],
        drainage_area=area_of[ground_of],
        soil=named,
        acres=count * cells.cell_acres,
        R=zonal_sum(piece, n, r_values) / count,
        K=zonal_sum(piece, n, k_values) / count,
    )
    spans = [(s.unit, covers.C[i]) for i, s in enumerate(plan.spans)]
    files.take(k_zero(cells, k_values, spans, "grid.K" if grid.K else "soils"))
    sources = dict(covers.sources)
    sources |= {f"soils[{i}]": soils[s.id].source for i, s in enumerate(site.soils) if K is None}
    sources |= {k: str(s) for k, s in (("K", grid.K_source), ("R", grid.R_source)) if s is not None}
    inputs = CellInputs(cells, piece, pieces, surfaces, ways, r_values, k_values, covers.C, covers.P)
    return inputs, sources


def _surfaces(site: Site, plan: Schedule, files: _Files) -> dict[int | None, Surface]:
    """Open the DEM or LS and the DEM of each phase that has one; those that cannot be read are left out."""
    named: dict[int | None, tuple[str, str]] = {None: (files.grid.dem or "", "grid.dem")}
    named |= {i: (p.dem, f"phases[{i}].dem") for i, p in enumerate(site.phases) if p.dem is not None}
    found: dict[int | None, Surface] = {}
    if files.grid.LS is not None:
        given = files.raster(files.grid.LS, "LS raster", "grid.LS")
        return {} if given is None else {None: Surface(files.grid.LS, "grid.LS", given)}
    for phase, (name, where) in named.items():
        grid = files.elevations(name, where)
        if grid is not None:
            found[phase] = Surface(name, where, grid)
    return found


class _Covers:
    """C and P of each span: numbers, rasters, or land cover with C by class."""

    def __init__(self, plan: Schedule, files: _Files) -> None:
        self.plan = plan
        self.C: dict[int, Factor] = {}
        self.P: dict[int, float | FloatArray] = {}
        self.sources: dict[str, str] = {}
        self._codes: dict[int, NDArray[np.int64]] = {}
        self._land_cover: dict[tuple[str, str], ClassValues] = {}
        for number, span in enumerate(plan.spans):
            value = cover_value(span.cover, span.cover_path)
            if value is not None:
                self.C[number], self.sources[span.cover_path] = value.value, value.source
            else:
                self._from_raster(number, span.cover, span.cover_path, files)
            surface = surface_value(span.surface_condition, span.surface_path)
            if surface is not None:
                self.P[number] = surface.value
            elif span.surface_condition is not None and span.surface_condition.raster is not None:
                raster = files.raster(span.surface_condition.raster, "P raster", f"{span.surface_path}.raster")
                if raster is not None:
                    self.P[number] = raster.values
            if span.surface_path:
                given = None if span.surface_condition is None else span.surface_condition.source
                self.sources[span.surface_path] = surface.source if surface is not None else str(given)

    def _from_raster(self, number: int, cover: Cover, where: str, files: _Files) -> None:
        if cover.raster is not None:
            raster = files.raster(cover.raster, "C raster", f"{where}.raster")
            self.sources[where] = str(cover.source)
            if raster is not None:
                self.C[number] = raster.values
            return
        assert cover.land_cover is not None
        assert cover.table is not None
        codes = files.raster(cover.land_cover, "land-cover raster", f"{where}.land_cover")
        table = files.cover_table(cover.table, f"{where}.table")
        if table is None:
            return
        if codes is None:
            self._codes_alone(cover.land_cover, cover.table, table, where, files)
            return
        self.sources[where] = "; ".join(dict.fromkeys(source for _, source in table.values()))
        classes = files.once(
            ("land cover", cover.land_cover, cover.table),
            lambda: land_cover_classes(codes.values, table, f"{where}.land_cover"),
        )
        if classes is not None:
            self.C[number], self._codes[id(classes[0])] = classes

    def _codes_alone(
        self, name: str, table_name: str, table: Mapping[int, tuple[float, str]], where: str, files: _Files
    ) -> None:
        """Check the codes of a raster that does not line up, over all its cells."""
        grid = files.unaligned(name, f"{where}.land_cover")
        if grid is None:
            return
        whole = UnitCells(np.where(grid.valid, np.int32(0), np.int32(-1)), ("",), grid.cell_acres)

        def codes() -> bool:
            classes, known = land_cover_classes(grid.values, table, f"{where}.land_cover")
            files.take(codes_without_c(whole, {0}, classes, known, f"{where}.table", table_name))
            return True

        files.once(("codes", name, table_name), codes)

    def check(self, cells: UnitCells, files: _Files) -> None:
        """Check the rasters on the units that use them, each raster once."""
        for symbol, factors in (("C", self.C), ("P", self.P)):
            users: dict[int, list[int]] = {}
            for number, factor in factors.items():
                if not isinstance(factor, float):
                    users.setdefault(id(factor), []).append(number)
            for numbers in users.values():
                spans = [self.plan.spans[i] for i in numbers]
                units = {s.unit for s in spans}
                where = spans[0].cover_path if symbol == "C" else spans[0].surface_path
                factor = factors[numbers[0]]
                if isinstance(factor, ClassValues):
                    codes, table = self._codes[id(factor)], str(spans[0].cover.table)
                    files.take(codes_without_c(cells, units, factor, codes, f"{where}.table", table))
                    index = np.where(factor.index < 0, np.float32(np.nan), np.float32(0.0))
                    what = "the land-cover raster"
                    files.take(missing_values(cells, units, index, what, f"{where}.land_cover"))
                elif not isinstance(factor, float):
                    what = f"the {symbol} raster"
                    files.take(missing_values(cells, units, factor, what, f"{where}.raster"))
                    files.take(out_of_range(cells, factor, 0.0, MAX_C, symbol, f"{where}.raster"))


def _site_raster(
    cells: UnitCells,
    raster: Grid | None,
    symbol: str,
    limits: tuple[float, float],
    us_to_site: float,
    site: Site,
    files: _Files,
) -> FloatArray | None:
    """Check an R or K raster on the site's cells, and return it in US customary units."""
    if raster is None:
        return None
    where = f"grid.{symbol}"
    low, high = (v * us_to_site for v in limits)
    hint = f'; the site says units = "{site.units}"'
    files.take(missing_values(cells, range(len(cells.ids)), raster.values, f"the {symbol} raster", where))
    files.take(out_of_range(cells, raster.values, low, high, symbol, where, hint))
    return raster.values if us_to_site == 1.0 else raster.values / us_to_site


def _check_surfaces(cells: UnitCells, surfaces: Mapping[int | None, Surface], plan: Schedule, files: _Files) -> None:
    for phase, surface in surfaces.items():
        units = {s.unit for s in plan.spans if s.slope_phase == phase}
        what = "the DEM" if surface.grid.z_unit_m is not None else "the LS raster"
        files.take(missing_values(cells, units, surface.grid.values, what, surface.where))
        if surface.grid.z_unit_m is None:
            files.take(out_of_range(cells, surface.grid.values, 0.0, np.inf, "LS", surface.where))


def _unit_cells(site: Site, files: _Files, surfaces: Mapping[int | None, Surface]) -> UnitCells:
    """Return the ground unit of each cell; without polygons the one unit is every cell that has a value."""
    reference = files.reference
    assert reference is not None
    ids = tuple(u.id for u in site.ground_units)
    spec = files.grid.ground_units
    if spec is None:
        valid = surfaces[None].grid.valid if None in surfaces else reference.valid
        unit: Codes = np.where(valid, np.int32(0), np.int32(-1))
        return UnitCells(unit, ids, reference.cell_acres)
    zones = _zones(files, spec, "ground-unit polygons", "grid.ground_units")
    if zones is None:
        return UnitCells(np.full(reference.shape, -1, dtype=np.int32), ids, reference.cell_acres)
    index, names, outside = zones
    if outside > 0.0:
        message = f"ground units reach {outside:.4g} acres beyond the edge of the rasters; give rasters that cover them"
        files.mistakes.append(Finding("ground-outside-raster", "error", message, "grid.ground_units"))
    unit = _renumbered(files, index, names, ids, "ground unit", "grid.ground_units")
    cells = UnitCells(unit, ids, reference.cell_acres)
    count = zonal_sum(unit, len(ids))
    for i in np.flatnonzero(count == 0.0).tolist():
        how = "no polygon has this id" if ids[i] not in names else "its polygon holds the centre of no cell"
        message = f"ground unit {ids[i]!r} has no cells: {how} in {spec.file}"
        files.mistakes.append(Finding("unit-without-cells", "error", message, f"ground_units[{i}].id"))
    return cells


def _codes_by_polygon_or_unit(
    site: Site, cells: UnitCells, files: _Files, spec: Polygons | None, what: str, ids: Sequence[str], field: str
) -> Codes | None:
    """Return the drainage area or soil of each cell: by polygons, else by what each ground unit names."""
    if spec is None:
        of_unit = [ids.index(str(getattr(u, field))) for u in site.ground_units]
        return np.append(np.array(of_unit, dtype=np.int32), np.int32(-1))[cells.unit]
    where = f"grid.{field}s"
    zones = _zones(files, spec, f"{what} polygons", where)
    if zones is None:
        return None
    index, names, _ = zones
    codes = _renumbered(files, index, names, ids, what, where, within=cells.unit)
    uncovered = np.where((codes < 0) & (index < 0), cells.unit, np.int32(-1))
    counts = zonal_sum(uncovered, len(cells.ids)).astype(np.int64)
    if counts.any():
        message = f"no {what} covers {cells.where(counts)}; draw the polygons over all ground units"
        files.mistakes.append(Finding("ground-uncovered", "error", message, where))
    return codes


def _zones(
    files: _Files, spec: Polygons, what: str, where: str
) -> tuple[NDArray[np.int32], tuple[str, ...], float] | None:
    """Return the polygon of each cell, the polygons' ids, and the acres beyond the raster; overlaps are mistakes."""
    reference = files.reference
    assert reference is not None
    everywhere = reference.with_values(np.zeros(reference.shape, dtype=np.float32))

    def read() -> ZoneMap:
        path = files.path(spec.file, what, f"{where}.file")
        options: dict[str, Any] = {"what": what, "where": where, "inside": files.folder}
        return rasterize_zones(read_polygons(path, spec.attribute, reference, **options), everywhere)

    zones = files.attempt(read)
    if zones is None:
        return None
    for a, b, acres in zones.overlaps:
        message = (
            f"polygons {_id(a)!r} and {_id(b)!r} of {spec.file} overlap by {acres:.4g} acres; cut one of them back"
        )
        files.mistakes.append(Finding("polygons-overlap", "error", message, where))
    return zones.index, tuple(_id(v) for v in zones.values), zones.outside_acres


def _id(value: str | int | float) -> str:
    """Return a polygon's attribute as the site file writes ids: 7, not 7.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _renumbered(
    files: _Files,
    index: NDArray[np.int32],
    names: Sequence[str],
    ids: Sequence[str],
    what: str,
    where: str,
    within: Codes | None = None,
) -> Codes:
    """Return the position in the site's list of each cell's polygon; ids the site does not have are mistakes."""
    number = np.array([ids.index(n) if n in ids else -1 for n in names] + [-1], dtype=np.int32)
    inside = index if within is None else np.where(within >= 0, index, np.int32(-1))
    count = zonal_sum(inside, len(names))
    for k in np.flatnonzero((number[:-1] < 0) & (count > 0.0)).tolist():
        known = ", ".join(repr(i) for i in ids[:8]) or "none"
        acres = count[k] * (files.reference.cell_acres if files.reference is not None else 0.0)
        message = f"polygon {names[k]!r} ({acres:.4g} acres) is no {what} of the site file; there are {known}"
        files.mistakes.append(Finding(f"unknown-{what.replace(' ', '-')}", "error", message, where))
    return number[index]


def _ways(files: _Files) -> FlowMasks:
    """Return the masks that change the way of water, or what it does on its way."""
    grid, reference = files.grid, files.reference
    assert reference is not None

    def masked(name: str | None, what: str, read: Callable[..., NDArray[np.bool_]]) -> NDArray[np.bool_] | None:
        where = f"grid.{what}"
        if name is None:
            return None
        options: dict[str, Any] = {"what": what, "where": where, "inside": files.folder}
        return files.attempt(lambda: read(files.path(name, what, where), reference, **options))

    return FlowMasks(
        barriers=masked(grid.barriers, "barriers", read_barriers),
        channels=masked(grid.channels, "channels", read_barriers),
        sealed=masked(grid.sealed, "sealed", read_mask),
        walls=masked(grid.walls, "walls", read_barriers),
    )


def _without_channels(cells: UnitCells, ways: FlowMasks, files: _Files) -> UnitCells:
    """Return the ground units without the cells of channels, which are out of tons and acres, and say how many."""
    if ways.channels is None:
        return cells
    counts = zonal_sum(np.where(ways.channels, cells.unit, np.int32(-1)), len(cells.ids)).astype(np.int64)
    if counts.any():
        message = f"{cells.where(counts)} lie in channels, and are in neither tons nor acres"
        files.findings.append(Finding("channels-left-out", "note", message, "grid.channels"))
    return replace(cells, unit=np.where(ways.channels, np.int32(-1), cells.unit))


def _codes_by_flow(
    site: Site, cells: UnitCells, files: _Files, spec: Places, ids: Sequence[str], ways: FlowMasks
) -> Codes | None:
    """Return the drainage area of each cell: that of the first outfall or practice its water meets on the DEM."""
    where = "grid.outfalls"
    dem = files.elevations(files.grid.dem or "", "grid.dem")
    if dem is None:
        return None
    options: dict[str, Any] = {"snap_m": spec.snap * (FOOT_M if site.units == "us" else 1.0), "walls": ways.walls}

    def read() -> Drainage:
        path = files.path(spec.file, "outfalls", f"{where}.file")
        return drainage_areas(dem, path, spec.attribute, **options, where=where, inside=files.folder)

    found = files.attempt(read)
    if found is None:
        return None
    files.take(found.findings)
    places = found.catchments.places
    index = np.maximum(found.catchments.index, np.int32(-1))
    codes = _renumbered(files, index, [p.id for p in places], ids, "drainage area", where, within=cells.unit)
    lost = zonal_sum(np.where(index < 0, cells.unit, np.int32(-1)), len(cells.ids)).astype(np.int64)
    if lost.any():
        message = (
            f"the water of {cells.where(lost)} meets no outfall before it leaves the DEM; add the outfall where it "
            "leaves the site, move it onto the flow (snap), or draw drainage_areas"
        )
        files.mistakes.append(Finding("ground-uncovered", "error", message, where))
    return codes


def _methods(site: Site) -> dict[str, str]:
    """Return the name of the method behind each factor."""
    grid = site.grid
    assert grid is not None
    foot = "ft" if site.units == "us" else "m"
    longest = "1,000 ft" if grid.max_length is None else f"{grid.max_length:g} {foot}"
    ls = f"grid, {grid.formula}, {grid.routing}, {site.topography.ratio} rill to interrill ratio, up to {longest}"
    soils = {soil_erodibility(s, site.units, f"soils[{i}]").method for i, s in enumerate(site.soils)}
    return {
        "LS": "raster as given" if grid.LS is not None else ls,
        "K": "raster as given" if grid.K is not None else ", ".join(sorted(soils)),
        **({"barriers": "end slope length; the baseline is without them"} if grid.barriers is not None else {}),
        **(
            {"drainage areas": "by flow on the DEM to the steepest neighbour (D8)"} if grid.outfalls is not None else {}
        ),
    }
