"""LS of the hydrologic units or sites of an elevation model that may be larger than memory, in one map."""

import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sedcalc.factors.topography import MAX_LENGTH_FT
from sedcalc.findings import EnvironmentFault, Finding, InputError, by_severity, count_of, input_error
from sedcalc.io.many import results_of
from sedcalc.io.raster_rows import RasterRows
from sedcalc.io.raster_writer import TILE_ROWS, raster_writer
from sedcalc.io.rasters import check_ground, vertical_unit
from sedcalc.io.surfaces import ls_of_surface, ls_tags
from sedcalc.io.unit_windows import BoolArray, Unit, Window, read_units
from sedcalc.io.vectors import _DRAWING_NOISE_M2, _burn
from sedcalc.terrain.grid import LENGTH_UNITS_M, Grid, check_finite, check_memory, check_shape
from sedcalc.units import ACRE_M2, FOOT_M, area_text

if TYPE_CHECKING:
    from sedcalc.terrain.ls_raster import LSResult
    from sedcalc.terrain.ls_summary import LSSummary, SlopeClass

DEFAULT_HALO_M: Final = MAX_LENGTH_FT * FOOT_M
"""Land around a unit that is routed with it, m: the longest slope length, so that what comes from beyond it has come
farther than slope length is counted."""

_WHAT: Final = "DEM of the units"
_MASKS: Final = ("barriers", "channels", "sealed", "walls")


@dataclass(frozen=True)
class UnitSummary:
    """What LS in one unit amounts to. Acres, mean, largest and classes are over cells that can erode and have an LS.

    Parameters
    ----------
    cells, acres
        Cells with an LS.
    mean, max
        Of LS, dimensionless; None where no cell has one.
    classes
        Land by slope.
    lower_bound, lower_bound_share
        Cells that get 1 % of their area or more through the edge of what was routed with the unit, and their share of
        the cells with an LS.
    channels, sealed, over_60_pct
        Cells in channels (no LS), that do not erode (LS 0), and too steep for the method (no LS).
    without_elevation_acres
        Part of the polygon without elevations or beyond the edge of the DEM, acres.
    """

    cells: int
    acres: float
    mean: float | None
    max: float | None
    classes: "tuple[SlopeClass, ...]"
    lower_bound: int
    lower_bound_share: float | None
    channels: int
    sealed: int
    over_60_pct: int
    without_elevation_acres: float

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as the object that JSON results hold."""
        return asdict(self)


@dataclass(frozen=True)
class LSOfUnit:
    """LS of one of the units of an elevation model.

    Parameters
    ----------
    id
        Of the unit.
    summary
        What its LS amounts to; None where it could not be computed, and the map has no values there.
    findings
        What a reader must know; the mistakes where it could not be computed.
    """

    id: str
    summary: UnitSummary | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class LSOfUnits:
    """LS of the units of an elevation model.

    Parameters
    ----------
    dem
        The elevation model.
    out
        The LS map written; None where no unit could be computed.
    halo_m
        Width of the land around a unit's bounding box that was routed with it, m.
    units
        In the order of their file.
    findings
        What a reader must know of the elevation model, and what is wrong with units that could not be computed.
    """

    dem: Path
    out: Path | None
    halo_m: float
    units: tuple[LSOfUnit, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class _Source:
    """The elevation model as a task needs it."""

    path: Path
    crs: str | None
    z_unit_m: float


@dataclass(frozen=True)
class _Part:
    """LS of a unit in a file of its own, and how the routing that gave it sums up."""

    file: Path
    box: Window
    routed: "LSSummary"


def ls_of_units(
    dem: str | os.PathLike[str],
    units: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    id_field: str | None = None,
    layer: str | None = None,
    halo_m: float = DEFAULT_HALO_M,
    client: Any = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> LSOfUnits:
    """Write one LS map of the units of an elevation model, with no more than a unit and its halo in memory at a time.

    Parameters
    ----------
    dem
        GeoTIFF of any size, north-up, in a projected CRS.
    units
        GeoPackage or GeoJSON of polygons, such as hydrologic units or sites, that do not overlap. A cell belongs to the
        unit that its centre lies in.
    out
        GeoTIFF to write, on the cells of `dem`; without values outside the units. Until it is written, the disk needs
        4 bytes beside it for each cell of each unit's bounding box.
    id_field
        Attribute with the ids of the units; None numbers them from 1 in the order of the file.
    layer
        Layer of a GeoPackage; needed where there are several.
    halo_m
        Width of the land around a unit's bounding box that is routed with it, m, 0 or more.
    client
        A ``dask.distributed.Client``, whose workers reach the same files and the folder of `out`; None computes here,
        one unit after the other.
    progress
        Called with a line of text when a unit is done, and before the map is written.
    **options
        ``z_units`` and ``crs`` as in `sedcalc.io.rasters.read_grid`, and those of `sedcalc.io.surfaces.ls_of_surface`,
        barriers, channels, sealed ground and walls as paths.

    Returns
    -------
    LSOfUnits
        Each unit with its summary. A unit that cannot be computed, or whose worker died, does not stop the others.

    Raises
    ------
    InputError
        The DEM, the polygons or what is drawn cannot be read; ids are missing or repeated, polygons overlap by more
        than a square foot, lie outside the DEM, or hold the centre of no cell: all such units are named.
    EnvironmentFault
        The map cannot be written.

    Notes
    -----
    A divide that is drawn is never quite that of the DEM; the halo brings in the land between the two. In a unit, LS is
    what it is in the whole DEM but for cells that water reaches through the edge of the halo, and beside depressions
    that reach through it. Cells that get 1 % of their area or more that way count as lower bounds. Where their share
    falls as the halo grows, the halo was too small; where it does not, water from far away comes in.

    The map has the same bytes wherever the units are computed, on one kind of processor. A worker needs 40 bytes for
    each cell of the largest unit with its halo.

    Examples
    --------
    A plane of 12 %, 100 m long with flow along an axis, moderate ratio, of which the eastern half is a unit; closed
    form S (100 m / 22.12848 m)^m:

    >>> import json, tempfile
    >>> import numpy as np
    >>> from sedcalc.io.rasters import write_grid
    >>> from sedcalc.terrain.grid import grid_from_array
    >>> folder = Path(tempfile.mkdtemp())
    >>> z = np.repeat(np.arange(10.0, 0.0, -1.0)[:, None] * 1.2, 6, axis=1)
    >>> grid = grid_from_array(z, (10, 0, 420000, 0, -10, 4750000), "EPSG:26916", xy_unit_m=1.0)
    >>> dem = write_grid(folder / "dem.tif", grid, units_tag="m", description="elevation", dtype="float64")
    >>> ring = [[420030, 4749900], [420060, 4749900], [420060, 4750000], [420030, 4750000], [420030, 4749900]]
    >>> east = {"type": "Polygon", "coordinates": [ring]}
    >>> crs = {"type": "name", "properties": {"name": "EPSG:26916"}}
    >>> feature = {"type": "Feature", "properties": {"huc": "east"}, "geometry": east}
    >>> drawn = {"type": "FeatureCollection", "crs": crs, "features": [feature]}
    >>> _ = (folder / "units.geojson").write_text(json.dumps(drawn))
    >>> done = ls_of_units(
    ...     dem, folder / "units.geojson", folder / "ls.tif", id_field="huc", ratio="moderate", routing="d8"
    ... )
    >>> [(unit.id, unit.summary.cells, round(unit.summary.mean, 5)) for unit in done.units]
    [('east', 30, 3.42003)]
    """
    say = progress or (lambda _: None)
    source, target = Path(dem).absolute(), Path(out).absolute()
    settings = dict(options)
    z_units, crs = settings.pop("z_units", None), settings.pop("crs", None)
    masks = {name: path for name in _MASKS if (path := settings.pop(name, None)) is not None}
    _check_call(halo_m, target, {"dem": source, "units": units, **masks})
    with RasterRows(source, what=_WHAT, crs=crs) as rows:
        unit, said = vertical_unit(z_units, rows.facts, rows.band_unit, _WHAT, rows.place)
        planned = read_units(units, id_field, layer, halo_m, rows, masks)
        surface = _Source(source, crs, LENGTH_UNITS_M[unit])
        results: list[LSOfUnit] = []
        parts: list[_Part] = []
        with _folder_beside(target) as folder:
            calls = [(surface, u, Path(folder) / f"{k}.npy", settings) for k, u in enumerate(planned)]
            for k, found in enumerate(results_of(_ls_of_unit, calls, client)):
                if isinstance(found, Finding):
                    found = LSOfUnit(planned[k].id, None, (replace(found, where=planned[k].where),)), None
                results.append(found[0])
                parts += [] if found[1] is None else [found[1]]
                verb = "done" if found[1] is not None else "failed"
                say(f"{planned[k].where} {verb}, {k + 1} of {len(planned)}")
            failed = [f for r in results if r.summary is None for f in r.findings]
            findings = tuple(by_severity([*rows.findings, *said, *failed]))
            if parts:
                say("writing")
                _write(target, rows, parts, halo_m, findings)
    return LSOfUnits(Path(dem), Path(out) if parts else None, float(halo_m), tuple(results), findings)


def _check_call(halo_m: float, target: Path, read: Mapping[str, Any]) -> None:
    mistakes = []
    if not (isinstance(halo_m, int | float) and 0.0 <= halo_m < math.inf):
        text = f"the halo must be a number of 0 m or more: {halo_m!r}"
        mistakes.append(Finding("halo", "error", text, "halo_m"))
    for name, path in read.items():
        if not isinstance(path, str | os.PathLike):
            text = f"{name}: give the path of a file, of which each unit takes its part, not {type(path).__name__}"
            mistakes.append(Finding("mask-kind", "error", text, name))
        elif target.exists() and Path(path).exists() and target.samefile(path):
            text = f"{target.name!r} is read here, and it was not touched; name another file to write"
            mistakes.append(Finding("out-is-input", "error", text, "out"))
    if mistakes:
        raise InputError(mistakes)


def _folder_beside(target: Path) -> "tempfile.TemporaryDirectory[str]":
    try:
        return tempfile.TemporaryDirectory(
            prefix=f".{target.name}.", suffix=".parts", dir=target.parent, ignore_cleanup_errors=True
        )
    except OSError as error:
        raise EnvironmentFault(f"{target} cannot be written: {error}") from error


def _ls_of_unit(source: _Source, unit: Unit, part: Path, options: Mapping[str, Any]) -> tuple[LSOfUnit, "_Part | None"]:
    """Compute a unit and write its LS to a file; this is the task."""
    try:
        grid = _read_window(source, unit)
        drawn = {name: _mask(geometries, name, grid) for name, geometries in unit.drawn.items()}
        result = ls_of_surface(grid, **drawn, **options)
        inside = unit.inside()
        here = _cells_of(unit.box, unit.window)
        values = result.ls.values[here].astype(np.float32)
        values[~inside] = np.nan
        np.save(part, values)
    except InputError as error:
        return LSOfUnit(unit.id, None, tuple(replace(f, where=unit.where) for f in error.findings)), None
    except (EnvironmentFault, MemoryError, OSError) as error:
        text = str(error) or "it takes more memory than there is"
        return LSOfUnit(unit.id, None, (Finding("environment-fault", "error", text, unit.where),)), None
    summary = _summary(result, grid, here, inside, unit.beyond_acres)
    findings = tuple(replace(f, where=unit.where) for f in _findings(summary, result.summary))
    return LSOfUnit(unit.id, summary, findings), _Part(part, unit.box, result.summary)


def _read_window(source: _Source, unit: Unit) -> Grid:
    """Return the elevations of a unit and its halo, and read no others."""
    rows, cols = unit.window
    shape = rows.stop - rows.start, cols.stop - cols.start
    what = "the unit with its halo"
    check_shape(shape, what)
    check_memory(shape, what)
    with RasterRows(source.path, what=_WHAT, crs=source.crs) as file:
        values = file.window(rows, cols)
        a, b, c, d, e, f = file.transform
        transform = a, b, c + a * cols.start, d, e, f + e * rows.start
        grid = Grid(values, transform, file.crs, file.xy_unit_m, source.z_unit_m)
    check_finite(values, what)
    check_ground(grid, what)
    if np.isnan(values[_cells_of(unit.box, unit.window)][unit.inside()]).all():
        raise input_error("grid-all-nodata", "the DEM has no elevation in the unit; give one that covers it")
    return grid


def _cells_of(box: Window, window: Window) -> Window:
    """Return where the cells of a box lie in a window around it."""
    rows, cols = (slice(b.start - w.start, b.stop - w.start) for b, w in zip(box, window, strict=True))
    return rows, cols


def _mask(geometries: Sequence[Any], name: str, grid: Grid) -> BoolArray | None:
    if not geometries:
        return None
    burnt = _burn([(geometry, 1) for geometry in geometries], grid, 0, all_touched=name != "sealed")
    mask: BoolArray = burnt == 1
    return mask


def _summary(result: "LSResult", grid: Grid, here: Window, inside: BoolArray, beyond_acres: float) -> UnitSummary:
    from sedcalc.terrain.ls_raster import SLOPE_CLASSES_PCT, SlopeClass
    from sedcalc.terrain.state import CHANNEL, LOWER_BOUND, SEALED

    ls, slope, state = result.ls.values[here], result.slope[here], result.state[here]
    known = inside & ~np.isnan(grid.values[here])
    channel = known & (state & CHANNEL != 0)
    sealed = known & ~channel & (state & SEALED != 0)
    erodes = known & ~channel & ~sealed & ~np.isnan(ls)
    values = ls[erodes].astype(np.float64)
    edges = np.asarray(SLOPE_CLASSES_PCT[1:-1]) / 100
    kind = np.digitize(slope[erodes], edges.astype(slope.dtype))
    cells = np.bincount(kind, minlength=len(SLOPE_CLASSES_PCT) - 1)
    sums = np.bincount(kind, weights=values, minlength=len(SLOPE_CLASSES_PCT) - 1)
    acre = grid.cell_acres
    count, bound = len(values), int(np.count_nonzero(erodes & (state & LOWER_BOUND != 0)))
    return UnitSummary(
        cells=count,
        acres=count * acre,
        mean=float(sums.sum() / count) if count else None,
        max=float(values.max()) if count else None,
        classes=tuple(
            SlopeClass(low, high, int(n), int(n) * acre, float(total / n) if n else None)
            for low, high, n, total in zip(SLOPE_CLASSES_PCT, SLOPE_CLASSES_PCT[1:], cells, sums, strict=False)
        ),
        lower_bound=bound,
        lower_bound_share=bound / count if count else None,
        channels=int(np.count_nonzero(channel)),
        sealed=int(np.count_nonzero(sealed)),
        over_60_pct=int(np.count_nonzero(known & ~channel & ~sealed & ~erodes)),
        without_elevation_acres=int(np.count_nonzero(inside & ~known)) * acre + beyond_acres,
    )


def _findings(unit: UnitSummary, routed: "LSSummary") -> list[Finding]:
    """Return what a reader must know of a unit: what is said of a map, of what is counted here."""
    from sedcalc.terrain.ls_summary import summary_findings

    counted = replace(
        routed,
        cells=unit.cells,
        classes=unit.classes,
        channels=unit.channels,
        sealed=unit.sealed,
        over_60_pct=unit.over_60_pct,
        # counted of all that was routed, not of the unit, or said below
        over_400_ft=0,
        capped=0,
        lower_bound=0,
        pits_filled=0,
        pits_kept=0,
    )
    found = summary_findings(counted, routed.cell_acres)
    if unit.lower_bound:
        text = (
            f"LS: {count_of(unit.lower_bound, 'cell')} ({area_text(unit.lower_bound * routed.cell_acres)} acres, "
            f"{unit.lower_bound_share:.1%} of those with an LS) get 1 % or more of the runoff through the edge of what "
            "was routed with the unit, where land beyond may add to it, so that LS is a lower bound there: give a "
            "larger halo, or a DEM that reaches the divides"
        )
        found.append(Finding("upslope-area-incomplete", "note", text))
    if unit.without_elevation_acres > _DRAWING_NOISE_M2 / ACRE_M2:
        text = (
            f"{area_text(unit.without_elevation_acres)} acres have no elevation or lie beyond the edge of the DEM, "
            "without an LS: give a DEM that covers the unit"
        )
        found.append(Finding("unit-without-elevation", "warning", text))
    return by_severity(found)


def _write(target: Path, dem: RasterRows, parts: Sequence[_Part], halo_m: float, findings: Sequence[Finding]) -> None:
    """Write the parts into one map, a row of tiles at a time."""
    tags = {**ls_tags(parts[0].routed, findings), "UNITS": str(len(parts)), "HALO_M": f"{halo_m:.10g}"}
    height, width = dem.shape
    title = "LS, slope length and steepness"
    with raster_writer(target, dem, units_tag="1", bands=[title], tags=tags) as write:
        for start in range(0, height, TILE_ROWS):
            stop = min(start + TILE_ROWS, height)
            block = np.full((1, stop - start, width), np.nan, np.float32)
            for part in reversed(parts):  # where two overlap by a hair, the first in the file has the cell
                rows, cols = part.box
                first, end = max(rows.start, start), min(rows.stop, stop)
                if first < end:
                    values = np.load(part.file, mmap_mode="r")[first - rows.start : end - rows.start]
                    there = block[0, first - start : end - start, cols]
                    np.copyto(there, values, where=~np.isnan(values))
            write(start, block)
