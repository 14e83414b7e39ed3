"""GeoTIFF files in and out: elevations, factor rasters, results."""

import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.findings import Finding, count_of, input_error
from sedcalc.io.crs import CrsFacts, read_crs, same_place
from sedcalc.io.gdal_guard import checked_path, rasterio_environment
from sedcalc.io.raster_writer import TILE_ROWS, raster_writer
from sedcalc.io.reprojection import reprojected, target_facts
from sedcalc.limits import refuse_over
from sedcalc.terrain.grid import (
    LENGTH_UNITS_M,
    FloatArray,
    Grid,
    check_finite,
    check_shape,
    check_transform,
    grid_from_array,
    require_same_cells,
    transform_of,
)

_MAX_PRJ_BYTES: Final = 65_536
_LOWEST_GROUND_M: Final = -500.0  # the Dead Sea shore is at about -430 m
_HIGHEST_GROUND_M: Final = 9_000.0

_BAND_UNITS: Final = {
    "m": "m",
    "metre": "m",
    "metres": "m",
    "meter": "m",
    "meters": "m",
    "ft": "ft",
    "foot": "ft",
    "feet": "ft",
    "international foot": "ft",
    "us-ft": "us-ft",
    "ftus": "us-ft",
    "us survey foot": "us-ft",
    "us survey feet": "us-ft",
    "us_survey_foot": "us-ft",
    "foot_us": "us-ft",
}


def read_grid(
    path: str | os.PathLike[str],
    *,
    z_units: str | None = None,
    crs: str | None = None,
    what: str = "DEM",
    where: str | None = None,
    inside: Path | None = None,
    reproject: str | None = None,
) -> Grid:
    """Read a digital elevation model from a single-band GeoTIFF.

    Parameters
    ----------
    path
        The file.
    z_units
        Unit of the elevations: ``"m"``, ``"ft"`` (international) or ``"us-ft"`` (US survey). Needed where
        neither a compound CRS nor the band's unit says it; it is never assumed.
    crs
        ``"EPSG:n"`` for a file without one.
    what, where
        For messages: what the file is, and the path into the input (the file's name by default).
    inside
        Folder the file must lie in.
    reproject
        ``"utm"`` (the zone of its middle) or ``"EPSG:n"``: CRS to bring the surface to, bilinearly, on square cells
        of about the size of its own; a finding says what was done.

    Returns
    -------
    Grid
        With ``z_unit_m`` set, NaN where the file has nodata or NaN, and ``findings`` on what was read beside
        the file.

    Raises
    ------
    InputError
        The file is missing, unreadable or not a GeoTIFF of one real-valued band; it has no CRS or one that
        cannot carry slopes; its unit is not said or contradicts `z_units`; its cells are rotated or not
        square, too many, infinite, all nodata, or not elevations of the ground (-500 to 9,000 m).

    Notes
    -----
    A CRS comes from the file; else from ``NAME.prj`` beside it, with a note; else from `crs`. A 16-bit or
    float32 band becomes float32, any other float64. Grids whose rows run from south to north are turned over.
    """
    _check_z_units(z_units, where)
    grid, facts, band_unit, place = _read(path, crs, what, where, inside, reproject)
    unit, findings = vertical_unit(z_units, facts, band_unit, what, place)
    grid = replace(grid, z_unit_m=LENGTH_UNITS_M[unit], findings=grid.findings + findings)
    check_ground(grid, what, place)
    return grid


def read_raster(
    path: str | os.PathLike[str],
    *,
    like: Grid,
    what: str,
    crs: str | None = None,
    where: str | None = None,
    inside: Path | None = None,
) -> Grid:
    """Read a factor or class raster (R, K, LS, C, P, land cover) that lies on the cells of `like`.

    Parameters
    ----------
    path
        A single-band GeoTIFF.
    like
        The grid whose cells it must have, usually the DEM.
    what
        What it is, for messages ("K raster").
    crs, where, inside
        As in `read_grid`.

    Returns
    -------
    Grid
        The values as the file gives them, NaN where it has nodata; ``z_unit_m`` is None.

    Raises
    ------
    InputError
        As in `read_grid`, or the cells are not those of `like`: the message says by how much, and how to
        resample.
    """
    grid, _, _, place = _read(path, crs, what, where, inside)
    return aligned(grid, like, what, place)


def aligned(grid: Grid, like: Grid, what: str, where: str, of: str = "the DEM") -> Grid:
    """Return a grid that lies on the cells of another, with the other's transform and CRS.

    Parameters
    ----------
    grid, like
        The grid, and the one with whose cells it is compared.
    what, where
        For messages.
    of
        What `like` is, for messages.

    Raises
    ------
    InputError
        The cells are not those of `like`.
    """
    if grid.crs != like.crs and grid.crs is not None and like.crs is not None:
        tolerance = 1e-3 * like.transform[0]
        if same_place(grid.crs, like.crs, grid.bounds, tolerance):
            note = Finding(
                "crs-equivalent",
                "note",
                f"{what}: its CRS has no code, but puts every corner where that of {of} does; taken as the same",
                where,
            )
            grid = replace(grid, crs=like.crs, findings=(*grid.findings, note))
    require_same_cells(like, grid, what, where, of=of)
    return replace(grid, transform=like.transform)


def ground_limits(z_unit_m: float) -> tuple[float, float]:
    """Return the lowest and the highest elevation that ground has, in a unit of so many metres."""
    return _LOWEST_GROUND_M / z_unit_m, _HIGHEST_GROUND_M / z_unit_m


def check_ground(grid: Grid, what: str = "DEM", where: str | None = None) -> None:
    """Refuse elevations that no ground has, such as a nodata number that the file does not declare.

    Raises
    ------
    InputError
        A value is below -500 or above 9,000 m; the first and the number of cells are named.
    """
    low, high = ground_limits(grid.z_unit_m or 1.0)
    if float(np.nanmin(grid.values)) < low or float(np.nanmax(grid.values)) > high:
        outside = (grid.values < low) | (grid.values > high)
        first = float(grid.values[outside][0])
        raise input_error(
            "elevation-out-of-range",
            f"{what}: {count_of(int(outside.sum()), 'cell is', 'cells are')} no elevation of the ground, first "
            f"{first:.9g}; if it "
            "means "
            f"nodata, declare it (gdal_translate -a_nodata {first:.9g}, or NaN in an array)",
            where,
        )


def write_grid(
    path: str | os.PathLike[str],
    grid: Grid,
    *,
    units_tag: str,
    description: str,
    tags: Mapping[str, str] | None = None,
    dtype: str = "float32",
) -> Path:
    """Write a grid as a tiled, compressed GeoTIFF; the same grid gives the same bytes.

    Parameters
    ----------
    path
        Where to; an existing file is replaced in one step, so that readers see the old one or the new one.
    grid
        What to write; NaN is the nodata value.
    units_tag
        Unit of the values for the band ("tons/acre", "1").
    description
        What the band holds, for the band's name.
    tags
        More facts for the file's metadata, e.g. method and version.
    dtype
        ``"float32"`` or ``"float64"``.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    EnvironmentFault
        The folder does not exist or cannot be written, or the disk is full.
    """
    with raster_writer(path, grid, units_tag=units_tag, bands=[description], tags=tags, dtype=dtype) as write:
        for start in range(0, grid.shape[0], TILE_ROWS):
            write(start, grid.values[np.newaxis, start : start + TILE_ROWS])
    return Path(path)


def _read(
    path: str | os.PathLike[str],
    crs: str | None,
    what: str,
    where: str | None,
    inside: Path | None,
    reproject: str | None = None,
) -> tuple[Grid, CrsFacts, str | None, str]:
    """Return a grid without vertical unit, the facts of its CRS, the band's unit text, and where it comes from."""
    file = checked_path(path, what, inside=inside, where=where)
    place = where or file.name
    with rasterio_environment(), warnings.catch_warnings():
        import rasterio
        from rasterio.errors import NotGeoreferencedWarning, RasterioError

        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        try:
            with rasterio.open(file, driver="GTiff") as source:
                _check_bands(source, what, place)
                check_shape((source.height, source.width), what, place)
                if inside is not None:
                    _check_size(source, what, place)
                transform = transform_of(source.transform)
                _check_georeference(source, what, place)
                if reproject is None:
                    check_transform(transform, what, place)
                own = source.crs.to_wkt() if source.crs else None
                findings: tuple[Finding, ...]
                text, findings = _crs_text(file, own, crs, what, place, inside)
                bounds = tuple(source.bounds)
                if reproject is None:
                    facts = read_crs(text, bounds=bounds, what=what, where=place)
                else:
                    facts = target_facts(text, reproject, bounds, what, place)
                values, scaled = _values(source, what, place)
                band_unit = source.units[0]
        except RasterioError as error:
            raise input_error(
                "raster-unreadable",
                f"{what}: not a readable GeoTIFF ({_one_line(error)}); export it again as one",
                place,
            ) from None
    if scaled:
        findings += (Finding("raster-scaled", "note", f"{what}: the scale and offset in the file were applied", place),)
    check_finite(values, what, place)
    if reproject is not None:
        values, transform, note = reprojected(values, transform, text, facts, what, place)
        findings += (note,)
        check_finite(values, what, place)
    grid = grid_from_array(values, transform, facts.horizontal, xy_unit_m=facts.xy_unit_m)
    return replace(grid, findings=findings), facts, band_unit, place


def _check_bands(source: Any, what: str, place: str) -> None:
    if source.count != 1:
        raise input_error(
            "raster-bands",
            f"{what}: the file has {count_of(source.count, 'band')}; give one (gdal_translate -b 1)",
            place,
        )
    if "complex" in source.dtypes[0]:
        raise input_error("raster-complex", f"{what}: the band is {source.dtypes[0]}; give real numbers", place)


def _check_georeference(source: Any, what: str, place: str) -> None:
    if source.transform.is_identity:
        raise input_error(
            "raster-not-georeferenced",
            f"{what}: the file does not say where its cells lie; export it again as a GeoTIFF with its georeference",
            place,
        )


def _check_size(source: Any, what: str, place: str) -> None:
    """Refuse, by its header, a raster of a site that would take too much memory."""
    refuse_over("raster_cells", source.height * source.width, place, what=what, code="grid-too-large")
    rows, columns = source.block_shapes[0]
    refuse_over("raster_cells", rows * columns, place, what=f"{what}: a block of the file", code="grid-too-large")


def _values(source: Any, what: str, place: str, window: Any = None) -> tuple[FloatArray, bool]:
    kind = np.dtype(source.dtypes[0])
    dtype = np.float32 if kind == np.float32 or (kind.kind in "iu" and kind.itemsize <= 2) else np.float64
    values: npt.NDArray[Any] = source.read(1, window=window)
    missing = source.read_masks(1, window=window) == 0
    result: FloatArray = values.astype(dtype, copy=False)
    scaled = (source.scales[0], source.offsets[0]) != (1.0, 0.0)
    if scaled:
        result = result.astype(np.float64) * float(source.scales[0]) + float(source.offsets[0])
    result[missing] = np.nan
    return result, scaled


def _crs_text(
    file: Path, own: str | None, given: str | None, what: str, place: str, inside: Path | None
) -> tuple[str, tuple[Finding, ...]]:
    """Return the CRS to use and what to say about it; the file's own comes first and must not be contradicted."""
    if own is not None:
        if given is not None:
            stated = read_crs(given, what=what, where=place).horizontal
            found = read_crs(own, what=what, where=place).horizontal
            if stated != found:
                raise input_error(
                    "crs-conflict",
                    f"{what}: the file says {found if len(found) < 40 else 'another CRS'}, the input says "
                    f"{stated}; leave out the stated one, or correct the file",
                    place,
                )
        return own, ()
    if given is not None:
        return given, (Finding("crs-stated", "note", f"{what}: the file has no CRS; {given} was stated for it", place),)
    sidecar = file.with_suffix(".prj")
    if sidecar.is_file() and sidecar.stat().st_size <= _MAX_PRJ_BYTES:
        checked_path(sidecar, f"{what}: the CRS beside it", inside=inside, where=place)
        note = Finding(
            "crs-from-sidecar", "note", f"{what}: the CRS was read from {sidecar.name} beside the file", place
        )
        return sidecar.read_text(encoding="utf-8", errors="replace"), (note,)
    raise input_error(
        "crs-missing",
        f"{what}: the file has no coordinate reference system; state the one it was made in, e.g. crs "
        "EPSG:26916 (NAD83 / UTM zone 16N) or EPSG:2289 (NAD83 / Wisconsin South, US survey feet)",
        place,
    )


def _check_z_units(z_units: str | None, where: str | None) -> None:
    if z_units is not None and z_units not in tuple(LENGTH_UNITS_M):
        raise input_error("z-units-unknown", f"z_units is {z_units!r}; give 'm', 'ft' or 'us-ft'", where)


def vertical_unit(
    stated: str | None, facts: CrsFacts, band_unit: str | None, what: str, place: str
) -> tuple[str, tuple[Finding, ...]]:
    """Return the unit of elevations from the input, the CRS and the band, which must not contradict each other."""
    _check_z_units(stated, place)
    said: dict[str, str] = {}
    if facts.vertical_unit is not None:
        said["its compound CRS"] = facts.vertical_unit
    if band_unit and (unit := _BAND_UNITS.get(band_unit.strip().lower())) is not None:
        said["its band"] = unit
    elif band_unit and stated is None and not said:
        raise input_error(
            "vertical-unit-unknown",
            f"{what}: the band's unit {band_unit!r} is not known; state z_units as 'm', 'ft' or 'us-ft'",
            place,
        )
    if stated is not None:
        said["the input"] = stated
    if len(set(said.values())) > 1:
        listing = ", ".join(f"{source} says {unit}" for source, unit in said.items())
        raise input_error(
            "vertical-unit-conflict",
            f"{what}: the unit of the elevations is contradictory: {listing}; correct the one that is wrong",
            place,
        )
    if not said:
        feet = facts.xy_unit_m != 1.0
        raise input_error(
            "vertical-unit-missing",
            f"{what}: nothing says whether the elevations are in metres or feet (the map is in "
            f"{'feet' if feet else 'metres'}, which does not settle it); state z_units as 'm', 'ft' or "
            "'us-ft'",
            place,
        )
    unit = next(iter(said.values()))
    if stated is not None and len(said) == 1:
        return unit, (Finding("z-units-stated", "note", f"{what}: elevations in {unit}, as stated", place),)
    return unit, ()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
