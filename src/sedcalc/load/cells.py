"""Ground of a gridded site: LS of its surfaces, and soil loss summed over the cells of each piece.

The sum of R K LS over the cells of a piece is taken once for each surface. Where C and P are the same on all cells of
a span, the span's soil loss is that sum times C times P; only rasters of C or P need another pass over the cells.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors.topography import MAX_LENGTH_FT
from sedcalc.findings import Finding, InputError
from sedcalc.load.cell_checks import SlopeCheck, UnitCells, beyond_cover_limit, only
from sedcalc.load.ground import CellRasters, ClassValues, Floats, Ground, Ints, Pieces, Rows
from sedcalc.load.zonal import Codes, Factor, zonal_count, zonal_sum, zonal_sums
from sedcalc.site.covers import cover_value
from sedcalc.site.schedule import Schedule, Span
from sedcalc.site.submission import Site
from sedcalc.terrain.grid import FloatArray, Grid
from sedcalc.units import FOOT_M

Progress = Callable[[str], None]
LSArrays = tuple[FloatArray, FloatArray, FloatArray]
"""LS, LS without barriers, and slope of a surface."""

# These terrain findings count the whole DEM; `SlopeCheck` says the same of the disturbed ground.
_REPLACED: Final = ("slope-over-60-pct", "slope-over-3h-1v")


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A surface of the site, or a ready-made LS.

    Parameters
    ----------
    file, where
        Its name, and its path in the site file.
    grid
        Elevations, or LS where ``z_unit_m`` is None.
    """

    file: str
    where: str
    grid: Grid


@dataclass(frozen=True, slots=True, eq=False)
class FlowMasks:
    """What changes the way of water, or what it does on its way; (rows, cols), None: nowhere.

    Parameters
    ----------
    barriers
        True where slope length ends.
    channels
        True in channels.
    sealed
        True on ground that does not erode.
    walls
        True where water cannot pass.
    """

    barriers: NDArray[np.bool_] | None = None
    channels: NDArray[np.bool_] | None = None
    sealed: NDArray[np.bool_] | None = None
    walls: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CellInputs:
    """Everything that the cells of a site are computed from, checked and lined up.

    Parameters
    ----------
    cells
        Ground unit of each cell.
    piece
        Piece of each cell, (rows, cols); -1 outside the site.
    pieces
        The pieces.
    surfaces
        By the phase that sets them; None: the ground as it was.
    ways
        Barriers, channels, sealed ground and walls.
    R, K
        Annual erosivity and erodibility, US customary.
    C, P
        By span of the schedule.
    """

    cells: UnitCells
    piece: Codes
    pieces: Pieces
    surfaces: Mapping[int | None, Surface]
    ways: FlowMasks
    R: float | FloatArray
    K: FloatArray | ClassValues
    C: Mapping[int, Factor]
    P: Mapping[int, float | FloatArray]


def ground_of_cells(site: Site, plan: Schedule, inputs: CellInputs, progress: Progress) -> Ground:
    """Return the ground of a gridded site, without methods, sources and files.

    Parameters
    ----------
    site
        The site.
    plan
        Its schedule.
    inputs
        Its cells.
    progress
        Called with the name of each step as it starts.

    Raises
    ------
    InputError
        Disturbed ground is steeper than the method allows.
    """
    cells = inputs.cells
    slopes = SlopeCheck(cells)
    findings: list[Finding] = []
    by_file: dict[str, LSArrays] = {}
    ls: dict[int | None, FloatArray] = {}
    bare: dict[int | None, FloatArray] = {}
    for phase, surface in inputs.surfaces.items():
        if surface.grid.z_unit_m is None:
            ls[phase] = bare[phase] = surface.grid.values
            continue
        if surface.file not in by_file:
            by_file[surface.file], found = _terrain(site, surface, inputs.ways, progress)
            findings += found
        ls[phase], bare[phase], slope = by_file[surface.file]
        spans = [s for s in plan.spans if s.slope_phase == phase]
        slopes.add(slope, ls[phase], {s.unit for s in spans if s.state != "existing"})
        findings += _background_without_ls(cells, {s.unit for s in spans if s.state == "existing"}, ls[phase], surface)
        findings += _cover_limits(cells, slope, spans)
    findings += slopes.findings({u for u, d in enumerate(plan.disturbed) if d is not None})
    mistakes = [f for f in findings if f.severity == "error"]
    if mistakes:
        raise InputError(mistakes)
    progress("summing cells")
    elevation = {k: s.grid.values for k, s in inputs.surfaces.items() if s.grid.z_unit_m is not None}
    base = next(iter(inputs.surfaces.values())).grid
    rasters = CellRasters(base, inputs.piece, inputs.R, inputs.K, ls, elevation, inputs.C, inputs.P)
    rows = cell_rows(rasters, inputs.pieces.unit, plan, cells.cell_acres, bare)
    return Ground(inputs.pieces, rows, methods={}, sources={}, findings=tuple(findings), rasters=rasters)


def max_fill_m(site: Site) -> float:
    """Return the depth up to which depressions of a gridded site are passed, m."""
    from sedcalc.terrain.ls_raster import DEFAULT_MAX_FILL_M

    assert site.grid is not None
    depth = site.grid.max_fill
    return DEFAULT_MAX_FILL_M if depth is None else depth * (FOOT_M if site.units == "us" else 1.0)


def _terrain(site: Site, surface: Surface, ways: FlowMasks, progress: Progress) -> tuple[LSArrays, list[Finding]]:
    from sedcalc.terrain.ls_raster import ls_raster

    grid = site.grid
    assert grid is not None
    foot = 1.0 if site.units == "us" else FOOT_M
    longest = MAX_LENGTH_FT if grid.max_length is None else grid.max_length / foot

    def compute(masks: NDArray[np.bool_] | None) -> tuple[FloatArray, FloatArray, tuple[Finding, ...]]:
        result = ls_raster(
            surface.grid,
            routing=grid.routing,
            ratio=site.topography.ratio,
            method=site.topography.method,
            formula=grid.formula,
            max_length_ft=longest,
            barriers=masks,
            channels=ways.channels,
            sealed=ways.sealed,
            walls=ways.walls,
            max_fill_m=max_fill_m(site),
            progress=lambda step: progress(f"{surface.file}: {step}"),
        )
        return result.ls.values, result.slope, result.findings

    try:
        values, slope, found = compute(ways.barriers)
        bare = values if ways.barriers is None else compute(None)[0]
    except InputError as error:
        raise InputError([replace(f, where=f.where or surface.where) for f in error.findings]) from None
    kept = [replace(f, where=f.where or surface.where) for f in found if f.code not in _REPLACED]
    return (values, bare, slope), kept


def _background_without_ls(cells: UnitCells, units: Collection[int], ls: FloatArray, surface: Surface) -> list[Finding]:
    """Say how much background has no LS, and so adds no soil loss."""
    counts = only(zonal_count(cells.unit, len(cells.ids), np.isnan, ls), units)
    if not counts.any():
        return []
    message = (
        f"{cells.where(counts)} are steeper than the method's limit or in channels while they are background: no soil "
        "loss is given for them; background counts in neither tons nor acres of the ruling"
    )
    return [Finding("background-without-LS", "note", message, surface.where)]


def _cover_limits(cells: UnitCells, slope: FloatArray, spans: list[Span]) -> list[Finding]:
    found = []
    for span in spans:
        for cover in span.laid or (span.cover,):
            value = cover_value(cover, span.cover_path)
            if value is not None and value.max_slope_pct is not None:
                limit, name = value.max_slope_pct, str(cover.name)
                found += beyond_cover_limit(cells, slope, span.unit, limit, name, span.cover_path)
    return found


def cell_rows(
    rasters: CellRasters,
    unit: Ints,
    plan: Schedule,
    cell_acres: float,
    bare_ls: Mapping[int | None, FloatArray],
) -> Rows:
    """Return the rows of a gridded site: one for each piece and span of its ground unit.

    Parameters
    ----------
    rasters
        The cells and their factors.
    unit
        Ground unit of each piece, (n,).
    plan
        The schedule.
    cell_acres
        Area of a cell, acres.
    bare_ls
        LS without barriers of each surface, for the baseline; the same arrays as ``rasters.LS`` where none lie on it.
    """
    piece, n = rasters.piece, len(unit)
    cells = zonal_sum(piece, n)
    parts = [_SpanFactors(rasters, bare_ls, number, span) for number, span in enumerate(plan.spans)]
    wanted = [product for part in parts for product in part.products]
    # A product of the same arrays is summed once, however many spans it serves; all in one pass.
    distinct = {tuple(id(f) for f in product): product for product in wanted}
    sums = dict(zip(distinct, zonal_sums(piece, n, list(distinct.values())), strict=True))
    with_ls = {id(v): zonal_count(piece, n, _is_known, v).astype(np.float64) for v in _distinct(rasters.LS.values())}

    def total(product: tuple[Factor, ...]) -> Floats:
        found: Floats = sums[tuple(id(f) for f in product)]
        return found

    columns: list[tuple[Ints, Ints, Floats, Floats, Floats, Floats, Floats]] = []
    for number, (span, part) in enumerate(zip(plan.spans, parts, strict=True)):
        counted = with_ls[id(part.ls)]
        # Background without LS on any cell has no row; `_background_without_ls` says how much there is.
        own = np.flatnonzero((unit == span.unit) & (counted > 0.0))
        c, p = part.c, part.p
        columns.append(
            (
                own,
                np.full(len(own), number, dtype=np.int64),
                total((part.ls,))[own] / counted[own],
                np.full(len(own), c) if isinstance(c, float) else total((c,))[own] / cells[own],
                np.full(len(own), p) if isinstance(p, float) else total((p,))[own] / cells[own],
                total(part.loss)[own] * (part.scale * cell_acres),
                total(part.bare)[own] * cell_acres,
            )
        )
    joined = [np.concatenate(values) for values in zip(*columns, strict=True)]
    order = np.lexsort((joined[1], joined[0]))
    return Rows(*(values[order] for values in joined))


class _SpanFactors:
    """What has to be summed for a span: LS, C and P where they vary, soil loss and the baseline."""

    def __init__(self, rasters: CellRasters, bare_ls: Mapping[int | None, FloatArray], number: int, span: Span) -> None:
        self.ls = rasters.LS[span.slope_phase]
        self.c, self.p = rasters.C[number], rasters.P[number]
        varying = [f for f in (self.c, self.p) if not isinstance(f, float)]
        self.scale = float(np.prod([f for f in (self.c, self.p) if isinstance(f, float)]))
        self.loss: tuple[Factor, ...] = (rasters.R, rasters.K, self.ls, *varying)
        self.bare: tuple[Factor, ...] = (rasters.R, rasters.K, bare_ls[span.slope_phase])
        self.products: list[tuple[Factor, ...]] = [(self.ls,), *((f,) for f in varying), self.loss, self.bare]


def _is_known(values: FloatArray) -> NDArray[np.bool_]:
    return ~np.isnan(values)


def _distinct(arrays: Iterable[FloatArray]) -> list[FloatArray]:
    return list({id(a): a for a in arrays}.values())
