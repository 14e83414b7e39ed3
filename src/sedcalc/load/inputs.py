"""Files of a gridded site: opens every raster, polygon file and table it names, and checks them together.

All mistakes of all files are collected and raised at once; a raster that cannot be read does not hide what is wrong
with the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors.cover import C_UPPER_LIMIT
from sedcalc.factors.erodibility import K_UPPER_LIMIT
from sedcalc.factors.support import P_UPPER_LIMIT
from sedcalc.findings import Finding, InputError
from sedcalc.io.drainage import Drainage, drainage_areas
from sedcalc.io.named_files import NamedFiles
from sedcalc.io.vectors import read_barriers, read_mask
from sedcalc.load.cell_checks import UnitCells, k_zero, missing_values, out_of_range
from sedcalc.load.cells import CellInputs, FlowMasks, Progress, Surface, ground_of_cells, max_fill_m
from sedcalc.load.ground import ClassValues, Ground, Pieces
from sedcalc.load.land_cover import codes_without_c, land_cover_classes
from sedcalc.load.profiles import ls_equations
from sedcalc.load.zonal import Codes, Factor, class_values, combine, zonal_sum
from sedcalc.site.covers import cover_value, surface_value
from sedcalc.site.erosivity import R_RANGE_US, SiteErosivity
from sedcalc.site.schedule import Schedule
from sedcalc.site.soils import soil_erodibility
from sedcalc.site.submission import Cover, Places, Polygons, Site
from sedcalc.terrain.grid import FloatArray, Grid
from sedcalc.units import ACRE_HA, ACRE_M2, FOOT_M, K_US_SI, R_US_SI


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
    files = NamedFiles(site)
    inputs, sources = _open(site, erosivity, plan, files)
    if inputs is None:
        raise InputError(files.mistakes)
    ground = ground_of_cells(site, plan, inputs, progress)
    return replace(
        ground,
        methods=_methods(site),
        sources=sources,
        files=files.sha256,
        findings=(*files.findings, *ground.findings),
    )


def _open(
    site: Site, erosivity: SiteErosivity, plan: Schedule, files: NamedFiles
) -> tuple[CellInputs | None, dict[str, str]]:
    """Open and check everything, and return it with the sources of its values; None where there are mistakes."""
    if site.topography.method != "rusle" and files.grid.LS is not None:
        message = "grid.LS is a ready-made raster, which no method changes; remove topography.method"
        files.mistakes.append(Finding("unused-field", "error", message, "topography.method"))
    surfaces = _surfaces(site, plan, files)
    grid = files.grid
    r_raster = None if grid.R is None else files.raster(grid.R, "R raster", "grid.R")
    k_raster = None if grid.K is None else files.raster(grid.K, "K raster", "grid.K")
    covers = _Covers(plan, files)
    if files.reference is None:
        return None, {}
    ways = _ways(site, files)
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


def _surfaces(site: Site, plan: Schedule, files: NamedFiles) -> dict[int | None, Surface]:
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

    def __init__(self, plan: Schedule, files: NamedFiles) -> None:
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

    def _from_raster(self, number: int, cover: Cover, where: str, files: NamedFiles) -> None:
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
        self, name: str, table_name: str, table: Mapping[int, tuple[float, str]], where: str, files: NamedFiles
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

    def check(self, cells: UnitCells, files: NamedFiles) -> None:
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
                    most = C_UPPER_LIMIT if symbol == "C" else P_UPPER_LIMIT
                    files.take(out_of_range(cells, factor, 0.0, most, symbol, f"{where}.raster"))


def _site_raster(
    cells: UnitCells,
    raster: Grid | None,
    symbol: str,
    limits: tuple[float, float],
    us_to_site: float,
    site: Site,
    files: NamedFiles,
) -> FloatArray | None:
    """Check an R or K raster on the site's cells, and return it in US customary units."""
    if raster is None:
        return None
    where = f"grid.{symbol}"
    low, high = (v * us_to_site for v in limits)
    hint = f'; convert it, or correct the site, which says units = "{site.units}"'
    files.take(missing_values(cells, range(len(cells.ids)), raster.values, f"the {symbol} raster", where))
    files.take(out_of_range(cells, raster.values, low, high, symbol, where, hint))
    return raster.values if us_to_site == 1.0 else raster.values / us_to_site


def _check_surfaces(
    cells: UnitCells, surfaces: Mapping[int | None, Surface], plan: Schedule, files: NamedFiles
) -> None:
    for phase, surface in surfaces.items():
        units = {s.unit for s in plan.spans if s.slope_phase == phase}
        what = "the DEM" if surface.grid.z_unit_m is not None else "the LS raster"
        files.take(missing_values(cells, units, surface.grid.values, what, surface.where))
        if surface.grid.z_unit_m is None:
            files.take(out_of_range(cells, surface.grid.values, 0.0, np.inf, "LS", surface.where))


def _unit_cells(site: Site, files: NamedFiles, surfaces: Mapping[int | None, Surface]) -> UnitCells:
    """Return the ground unit of each cell; without polygons the one unit is every cell that has a value."""
    reference = files.reference
    assert reference is not None
    ids = tuple(u.id for u in site.ground_units)
    spec = files.grid.ground_units
    if spec is None:
        valid = surfaces[None].grid.valid if None in surfaces else reference.valid
        unit: Codes = np.where(valid, np.int32(0), np.int32(-1))
        return UnitCells(unit, ids, reference.cell_acres)
    zones = files.zones(spec, "ground-unit polygons", "grid.ground_units")
    if zones is None:
        return UnitCells(np.full(reference.shape, -1, dtype=np.int32), ids, reference.cell_acres)
    index, names, outside = zones.index, [str(v) for v in zones.values], zones.outside_acres
    if outside > 0.0:
        message = f"ground units reach {outside:.4g} acres beyond the edge of the rasters; give rasters that cover them"
        files.mistakes.append(Finding("ground-outside-raster", "error", message, "grid.ground_units"))
    unit = _renumbered(files, index, names, ids, "ground unit", "grid.ground_units")
    cells = UnitCells(unit, ids, reference.cell_acres)
    count = zonal_sum(unit, len(ids))
    for i in np.flatnonzero(count == 0.0).tolist():
        how = "no polygon has this id" if ids[i] not in names else "its polygon holds the centre of no cell"
        message = f"ground unit {ids[i]!r} has no cells: {how} in {spec.file}; draw it larger, or correct the id"
        files.mistakes.append(Finding("unit-without-cells", "error", message, f"ground_units[{i}].id"))
    return cells


def _codes_by_polygon_or_unit(
    site: Site, cells: UnitCells, files: NamedFiles, spec: Polygons | None, what: str, ids: Sequence[str], field: str
) -> Codes | None:
    """Return the drainage area or soil of each cell: by polygons, else by what each ground unit names."""
    if spec is None:
        of_unit = [ids.index(str(getattr(u, field))) for u in site.ground_units]
        return np.append(np.array(of_unit, dtype=np.int32), np.int32(-1))[cells.unit]
    where = f"grid.{field}s"
    zones = files.zones(spec, f"{what} polygons", where)
    if zones is None:
        return None
    index, names = zones.index, [str(v) for v in zones.values]
    codes = _renumbered(files, index, names, ids, what, where, within=cells.unit)
    uncovered = np.where((codes < 0) & (index < 0), cells.unit, np.int32(-1))
    counts = zonal_sum(uncovered, len(cells.ids)).astype(np.int64)
    if counts.any():
        message = f"no {what} covers {cells.where(counts)}; draw the polygons over all ground units"
        files.mistakes.append(Finding("ground-uncovered", "error", message, where))
    return codes


def _renumbered(
    files: NamedFiles,
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
    cell_acres = 0.0 if files.reference is None else files.reference.cell_acres
    files.unknown_zones(names, (zonal_sum(inside, len(names)) * cell_acres).tolist(), ids, what, where)
    return number[index]


def _ways(site: Site, files: NamedFiles) -> FlowMasks:
    """Return the masks that change the way of water, or what it does on its way."""
    grid, masked = files.grid, files.mask
    walls = masked(grid.walls, "walls", read_barriers)
    drawn = masked(grid.channels, "channels", read_barriers)
    found = _channels_by_area(site, files, walls)
    return FlowMasks(
        barriers=masked(grid.barriers, "barriers", read_barriers),
        channels=drawn if found is None else found if drawn is None else drawn | found,
        sealed=masked(grid.sealed, "sealed", read_mask),
        walls=walls,
    )


def _channels_by_area(site: Site, files: NamedFiles, walls: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """Return the channels of the ground as it was, without the site's barriers; None where none are asked for."""
    grid = files.grid
    if grid.channel_area is None or grid.dem is None:
        return None
    dem = files.elevations(grid.dem, "grid.dem")
    if dem is None or dem.z_unit_m is None:
        return None
    from sedcalc.terrain.conditioning import drain, with_walls
    from sedcalc.terrain.routing import route

    surface = dem.values if walls is None else with_walls(dem.values, walls)
    drained = drain(surface, max_fill=max_fill_m(site) / dem.z_unit_m)
    threshold = grid.channel_area * (ACRE_M2 if site.units == "us" else ACRE_M2 / ACRE_HA)
    return route(drained, dem.cell_m, routing=grid.routing, channel_threshold_m2=threshold).channels


def _without_channels(cells: UnitCells, ways: FlowMasks, files: NamedFiles) -> UnitCells:
    """Return the ground units without the cells of channels, which are out of tons and acres, and say how many."""
    if ways.channels is None:
        return cells
    counts = zonal_sum(np.where(ways.channels, cells.unit, np.int32(-1)), len(cells.ids)).astype(np.int64)
    if counts.any():
        message = f"{cells.where(counts)} lie in channels, and are in neither tons nor acres"
        where = "grid.channels" if files.grid.channels is not None else "grid.channel_area"
        files.findings.append(Finding("channels-left-out", "note", message, where))
    return replace(cells, unit=np.where(ways.channels, np.int32(-1), cells.unit))


def _codes_by_flow(
    site: Site, cells: UnitCells, files: NamedFiles, spec: Places, ids: Sequence[str], ways: FlowMasks
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
            "leaves the site (a line along the edge of the DEM), move it onto the flow (snap), give a DEM that "
            "reaches beyond the site, or draw drainage_areas"
        )
        files.mistakes.append(Finding("ground-uncovered", "error", message, where))
    return codes


def _methods(site: Site) -> dict[str, str]:
    """Return the name of the method behind each factor."""
    grid = site.grid
    assert grid is not None
    foot = "ft" if site.units == "us" else "m"
    longest = "1,000 ft" if grid.max_length is None else f"{grid.max_length:g} {foot}"
    ls = f"grid, {grid.formula}, {grid.routing}, {ls_equations(site.topography)}, up to {longest}"
    soils = {soil_erodibility(s, site.units, f"soils[{i}]").method for i, s in enumerate(site.soils)}
    return {
        "LS": "raster as given" if grid.LS is not None else ls,
        "K": "raster as given" if grid.K is not None else ", ".join(sorted(soils)),
        **(
            {"channels": f"from {grid.channel_area:g} {'acres' if site.units == 'us' else 'ha'} of contributing area"}
            if grid.channel_area is not None
            else {}
        ),
        **({"barriers": "end slope length; the baseline is without them"} if grid.barriers is not None else {}),
        **(
            {"drainage areas": "by flow on the DEM to the steepest neighbour (D8)"} if grid.outfalls is not None else {}
        ),
    }
