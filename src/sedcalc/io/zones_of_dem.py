"""LS of the hydrologic units or sites of an elevation model that may be larger than memory, in one map."""

import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sedcalc.factors.topography import MAX_LENGTH_FT
from sedcalc.findings import EnvironmentFault, Finding, InputError, by_severity, input_error
from sedcalc.io.many import results_of
from sedcalc.io.raster_rows import RasterRows
from sedcalc.io.raster_writer import TILE_ROWS, raster_writer
from sedcalc.io.rasters import check_ground, vertical_unit
from sedcalc.io.surfaces import ls_of_surface, ls_tags
from sedcalc.io.vectors import burn
from sedcalc.io.zone_windows import BoolArray, Window, Zone, noted, read_zone_windows
from sedcalc.terrain.grid import LENGTH_UNITS_M, Grid, check_finite, check_memory, check_shape
from sedcalc.units import FOOT_M

if TYPE_CHECKING:
    from sedcalc.terrain.ls_summary import LSSummary
    from sedcalc.terrain.ls_zones import ZoneSummary

DEFAULT_HALO_M: Final = MAX_LENGTH_FT * FOOT_M
"""Land around a zone that is routed with it, m: the longest slope length, so that what comes from beyond it has come
farther than slope length is counted."""

_WHAT: Final = "DEM of the zones"
_MASKS: Final = ("barriers", "channels", "sealed", "walls")
_CELLS_OF_TASK: Final = 2**20
_ZONES_OF_TASK: Final = 32  # small ones share a task, since opening the DEM takes longer than computing them


@dataclass(frozen=True)
class LSOfZone:
    """LS of one of the zones of an elevation model.

    Parameters
    ----------
    id
        Of the zone.
    summary
        What its LS amounts to; None where it could not be computed, and the map has no values there.
    findings
        What a reader must know; the mistakes where it could not be computed.
    """

    id: str
    summary: "ZoneSummary | None"
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class LSOfZones:
    """LS of the zones of an elevation model.

    Parameters
    ----------
    dem
        The elevation model.
    out
        The LS map written; None where no zone could be computed.
    halo_m
        Width of the land around a zone's bounding box that was routed with it, m.
    zones
        In the order of their file.
    findings
        What a reader must know of the elevation model, and what is wrong with zones that could not be computed.
    """

    dem: Path
    out: Path | None
    halo_m: float
    zones: tuple[LSOfZone, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class _Source:
    """The elevation model as a task needs it."""

    path: Path
    crs: str | None
    z_unit_m: float


@dataclass(frozen=True)
class _Part:
    """LS of a zone in a file of its own, and how the routing that gave it sums up."""

    file: Path
    box: Window
    routed: "LSSummary"


def ls_of_zones(
    dem: str | os.PathLike[str],
    zones: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    attribute: str | None = None,
    layer: str | None = None,
    halo_m: float = DEFAULT_HALO_M,
    client: Any = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> LSOfZones:
    """Write one LS map of the zones of an elevation model, with no more than a zone and its halo in memory at a time.

    Parameters
    ----------
    dem
        GeoTIFF of any size, north-up, in a projected CRS.
    zones
        GeoPackage or GeoJSON of polygons, such as hydrologic units or sites, that do not overlap over a width of half a
        cell or more. A cell belongs to the zone that its centre lies in; where two hold it, it counts in both, and the
        map has the LS of the first.
    out
        GeoTIFF to write, on the cells of `dem`; without values outside the zones. Until it is written, the disk needs
        4 bytes beside it for each cell of each zone's bounding box.
    attribute
        Attribute with the ids of the zones; None numbers them from 1 in the order of the file.
    layer
        Layer of a GeoPackage; needed where there are several.
    halo_m
        Width of the land around a zone's bounding box that is routed with it, m, 0 or more.
    client
        A ``dask.distributed.Client``, whose workers reach the same files and the folder of `out`; None computes here,
        one zone after the other.
    progress
        Called with a line of text when a zone is done, and before the map is written.
    **options
        ``z_units`` and ``crs`` as in `sedcalc.io.rasters.read_grid`, and those of `sedcalc.io.surfaces.ls_of_surface`,
        barriers, channels, sealed ground and walls as paths.

    Returns
    -------
    LSOfZones
        Each zone with its summary. A zone that cannot be computed, or whose worker died, does not stop the others.

    Raises
    ------
    InputError
        The DEM, the polygons or what is drawn cannot be read; ids are missing or repeated, polygons overlap over a
        width of half a cell or more, lie outside the DEM, or hold the centre of no cell: all such zones are named.
    EnvironmentFault
        The map cannot be written.

    Notes
    -----
    A divide that is drawn is never quite that of the DEM; the halo brings in the land between the two. In a zone, LS is
    what it is in the whole DEM but for cells that water reaches through the edge of the halo, and beside depressions
    that reach through it. Cells that get 1 % of their area or more that way count as lower bounds. Where their share
    falls as the halo grows, the halo was too small; where it does not, water from far away comes in.

    The map has the same bytes wherever the zones are computed, on one kind of processor. A worker needs 40 bytes for
    each cell of the largest zone with its halo.

    Examples
    --------
    A plane of 12 %, 100 m long with flow along an axis, moderate ratio, of which the eastern half is a zone; closed
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
    >>> _ = (folder / "zones.geojson").write_text(json.dumps(drawn))
    >>> done = ls_of_zones(
    ...     dem, folder / "zones.geojson", folder / "ls.tif", attribute="huc", ratio="moderate", routing="d8"
    ... )
    >>> [(zone.id, zone.summary.cells, round(zone.summary.mean, 5)) for zone in done.zones]
    [('east', 30, 3.42003)]
    """
    say = progress or (lambda _: None)
    source, target = Path(dem).absolute(), Path(out).absolute()
    settings = dict(options)
    z_units, crs = settings.pop("z_units", None), settings.pop("crs", None)
    masks = {name: path for name in _MASKS if (path := settings.pop(name, None)) is not None}
    _check_call(halo_m, target, {"dem": source, "zones": zones, **masks})
    with RasterRows(source, what=_WHAT, crs=crs) as rows:
        mistakes: list[Finding] = []
        with noted(mistakes):
            unit, said = vertical_unit(z_units, rows.facts, rows.band_unit, _WHAT, rows.place)
        with noted(mistakes):
            planned = read_zone_windows(zones, attribute, layer, halo_m, rows, masks)
        if mistakes:
            raise InputError(mistakes)
        surface = _Source(source, crs, LENGTH_UNITS_M[unit])
        results: list[LSOfZone] = []
        parts: list[_Part] = []
        with _folder_beside(target) as folder:
            groups = _groups([(zone, Path(folder) / f"{k}.npy") for k, zone in enumerate(planned)])
            calls = [(surface, group, settings) for group in groups]
            for group, found in zip(groups, results_of(_ls_of_group, calls, client), strict=True):
                for zone, part in [_failed(z, [found]) for z, _ in group] if isinstance(found, Finding) else found:
                    results.append(zone)
                    parts += [] if part is None else [part]
                    verb = "failed" if part is None else "done"
                    say(f"{planned[len(results) - 1].where} {verb}, {len(results)} of {len(planned)}")
            failed = [f for r in results if r.summary is None for f in r.findings]
            findings = tuple(by_severity([*rows.findings, *said, *failed]))
            if parts:
                say("writing")
                _write(target, rows, parts, halo_m, findings)
    return LSOfZones(Path(dem), Path(out) if parts else None, float(halo_m), tuple(results), findings)


def _check_call(halo_m: float, target: Path, read: Mapping[str, Any]) -> None:
    mistakes = []
    if not (isinstance(halo_m, int | float) and 0.0 <= halo_m < math.inf):
        text = f"the halo must be a number of 0 m or more: {halo_m!r}"
        mistakes.append(Finding("halo", "error", text, "halo_m"))
    for name, path in read.items():
        if not isinstance(path, str | os.PathLike):
            text = f"{name}: give the path of a file, of which each zone takes its part, not {type(path).__name__}"
            mistakes.append(Finding("mask-kind", "error", text, name))
        elif target.exists() and Path(path).exists() and target.samefile(path):
            text = f"{target.name!r} is read here, and it was not touched; name another file to write"
            mistakes.append(Finding("out-is-input", "error", text, "out"))
    if mistakes:
        raise InputError(mistakes)


@contextmanager
def _folder_beside(target: Path) -> Iterator[str]:
    """Give a folder for the parts of a file, which is removed at the end."""
    try:
        folder = tempfile.mkdtemp(prefix=f".{target.name:.80}.", suffix=".parts", dir=target.parent)
    except OSError as error:
        raise EnvironmentFault(f"{target} cannot be written: {error.strerror or error}") from error
    try:
        yield folder
    finally:
        gone = f"{folder}.gone"  # so that no worker that is still at it writes into what is being removed
        with suppress(OSError):
            os.rename(folder, gone)
        for left in (gone, folder):
            shutil.rmtree(left, ignore_errors=True)


def _groups(zones: Sequence[tuple[Zone, Path]]) -> list[list[tuple[Zone, Path]]]:
    """Return the zones in tasks: a large one alone, small ones together."""
    groups: list[list[tuple[Zone, Path]]] = []
    cells = 0
    for zone, part in zones:
        rows, cols = zone.window
        own = (rows.stop - rows.start) * (cols.stop - cols.start)
        cells += own
        if not groups or cells > _CELLS_OF_TASK or len(groups[-1]) == _ZONES_OF_TASK:
            groups.append([])
            cells = own
        groups[-1].append((zone, part))
    return groups


def _ls_of_group(
    source: _Source, zones: Sequence[tuple[Zone, Path]], options: Mapping[str, Any]
) -> "list[tuple[LSOfZone, _Part | None]]":
    """Compute zones and write the LS of each to a file; this is the task."""
    try:
        with RasterRows(source.path, what=_WHAT, crs=source.crs) as dem:
            return [_ls_of_zone(dem, source.z_unit_m, zone, part, options) for zone, part in zones]
    except (InputError, OSError) as error:  # of the DEM, which a worker may not reach
        said = getattr(error, "findings", None) or [Finding("environment-fault", "error", str(error))]
        return [_failed(zone, said) for zone, _ in zones]


def _failed(zone: Zone, findings: Sequence[Finding]) -> tuple[LSOfZone, None]:
    return LSOfZone(zone.id, None, tuple(replace(f, where=zone.where) for f in findings)), None


def _ls_of_zone(
    dem: RasterRows, z_unit_m: float, zone: Zone, part: Path, options: Mapping[str, Any]
) -> "tuple[LSOfZone, _Part | None]":
    try:
        inside = zone.inside()
        here = _cells_of(zone.box, zone.window)
        grid = _read_window(dem, z_unit_m, zone.window, inside, here)
        drawn = {name: _mask(geometries, name, grid) for name, geometries in zone.drawn.items()}
        result = ls_of_surface(grid, **drawn, **options)
        values = result.ls.values[here].astype(np.float32)
        values[~inside] = np.nan
        np.save(part, values)
    except InputError as error:
        return _failed(zone, error.findings)
    except (EnvironmentFault, MemoryError, OSError) as error:
        text = str(error) or "it takes more memory than there is"
        return _failed(zone, [Finding("environment-fault", "error", text)])
    from sedcalc.terrain.ls_zones import zone_findings, zone_summary

    summary = zone_summary(result, here, inside, zone.beyond_acres)
    findings = tuple(replace(f, where=zone.where) for f in zone_findings(summary, result.summary))
    return LSOfZone(zone.id, summary, findings), _Part(part, zone.box, result.summary)


def _read_window(dem: RasterRows, z_unit_m: float, window: Window, inside: BoolArray, here: Window) -> Grid:
    """Return the elevations of a zone and its halo, and read no others."""
    rows, cols = window
    shape = rows.stop - rows.start, cols.stop - cols.start
    what = "the zone with its halo"
    check_shape(shape, what)
    check_memory(shape, what)
    values = dem.window(rows, cols)
    if np.isnan(values[here][inside]).all():
        text = "the DEM has no elevation in the zone; give a DEM that covers it, or leave the zone out"
        raise input_error("grid-all-nodata", text)
    check_finite(values, what)
    a, b, c, d, e, f = dem.transform
    transform = a, b, c + a * cols.start, d, e, f + e * rows.start
    grid = Grid(values, transform, dem.crs, dem.xy_unit_m, z_unit_m)
    check_ground(grid, what)
    return grid


def _cells_of(box: Window, window: Window) -> Window:
    """Return where the cells of a box lie in a window around it."""
    rows, cols = (slice(b.start - w.start, b.stop - w.start) for b, w in zip(box, window, strict=True))
    return rows, cols


def _mask(geometries: Sequence[Any], name: str, grid: Grid) -> BoolArray | None:
    if not geometries:
        return None
    burnt = burn([(geometry, 1) for geometry in geometries], grid, 0, all_touched=name != "sealed")
    mask: BoolArray = burnt == 1
    return mask


def _write(target: Path, dem: RasterRows, parts: Sequence[_Part], halo_m: float, findings: Sequence[Finding]) -> None:
    """Write the parts into one map, a row of tiles at a time."""
    tags = {**ls_tags(parts[0].routed, findings), "ZONES": str(len(parts)), "HALO_M": f"{halo_m:.10g}"}
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
