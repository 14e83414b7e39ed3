"""LS of a surface, whatever it comes in: a file, an array with its transform and CRS, or an xarray.DataArray."""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

import sedcalc
from sedcalc.findings import Finding, input_error
from sedcalc.io.crs import read_crs
from sedcalc.io.rasters import check_ground, read_grid, vertical_unit, write_grid
from sedcalc.io.vectors import read_barriers, read_mask
from sedcalc.terrain.grid import LENGTH_UNITS_M, Grid, check_finite, grid_from_array, transform_of

if TYPE_CHECKING:
    from sedcalc.terrain.ls_raster import LSResult, LSSummary, Progress
    from sedcalc.terrain.routing import Border
    from sedcalc.terrain.state import BoolArray

_LOG: Final = logging.getLogger("sedcalc")
_X_NAMES: Final = ("x", "easting", "projection_x_coordinate")
_Y_NAMES: Final = ("y", "northing", "projection_y_coordinate")


def ls_grid(
    dem: Any,
    *,
    z_units: str | None = None,
    crs: Any = None,
    out: str | os.PathLike[str] | None = None,
    routing: str = "mfd",
    ratio: str = "high",
    method: str = "rusle",
    formula: str = "isotropic",
    max_length_ft: float | None = 1000.0,
    barriers: Any = None,
    channels: Any = None,
    sealed: Any = None,
    walls: Any = None,
    channel_threshold_m2: float | None = None,
    max_fill_m: float | None = 0.2,
    border: "Border" = "interior",
    progress: "Progress | None" = None,
) -> Any:
    """LS of every cell of an elevation model; the same kind comes out as goes in.

    Parameters
    ----------
    dem
        Path of a GeoTIFF (then `out` is needed), a tuple ``(array, transform, crs)``, or an
        ``xarray.DataArray`` with regular ``x`` and ``y``.
    z_units
        Unit of the elevations, ``"m"``, ``"ft"`` or ``"us-ft"``; needed where the file, or the array's
        ``units``, does not say it.
    crs
        ``"EPSG:n"`` where the surface has no CRS of its own.
    out
        GeoTIFF to write.
    routing, ratio, method, formula, max_length_ft
        As in `sedcalc.terrain.ls_raster.ls_raster`.
    barriers
        Boolean array on the cells of `dem`, or the path of a GeoPackage or GeoJSON of lines and polygons,
        where slope length ends.
    channels, sealed, walls
        Likewise: channels (no LS), ground that does not erode (polygons; LS 0), and what water goes round.
    channel_threshold_m2, max_fill_m, border, progress
        As in `sedcalc.terrain.ls_raster.ls_raster`.

    Returns
    -------
    pathlib.Path, tuple or xarray.DataArray
        LS, dimensionless, NaN where there is no elevation, in channels, and on slopes over 60 %: the path of
        the file written, ``(array, transform, crs)`` with the transform and CRS given, or a DataArray with
        coordinates and attributes kept.

    Raises
    ------
    InputError
        As in `sedcalc.io.rasters.read_grid` and `sedcalc.terrain.ls_raster.ls_raster`.

    Notes
    -----
    What a reader must know of the map (steep land, depressions filled, areas cut by the edge) is logged as
    warnings of the logger ``sedcalc``; a DataArray also carries it in ``attrs["findings"]``. `ls_of_surface`
    gives all of it.

    Examples
    --------
    A plane of 12 %, 100 m long with flow along an axis, moderate ratio; closed form S (100 m / 22.12848 m)^m:

    >>> import numpy as np
    >>> z = np.repeat(np.arange(10.0, 0.0, -1.0)[:, None] * 1.2, 3, axis=1)
    >>> transform = (10, 0, 420000, 0, -10, 4750000)
    >>> ls, _, _ = ls_grid((z, transform, "EPSG:26916"), z_units="m", ratio="moderate", routing="d8")
    >>> round(float(ls.mean()), 5)
    3.42003
    """
    masks = {"barriers": barriers, "channels": channels, "sealed": sealed, "walls": walls}
    options = {
        "routing": routing,
        "ratio": ratio,
        "method": method,
        "formula": formula,
        "max_length_ft": max_length_ft,
        "channel_threshold_m2": channel_threshold_m2,
        "max_fill_m": max_fill_m,
        "border": border,
        "progress": progress,
    }
    if isinstance(dem, str | os.PathLike):
        if out is None:
            raise input_error("out-missing", "a file comes out where a file goes in: say where to write it, out=PATH")
        result = ls_of_surface(read_grid(dem, z_units=z_units, crs=crs), **masks, **options)
        _log(result)
        return write_ls(out, result)
    if out is not None:
        raise input_error("out-unused", "out= is for a DEM that is a file; write the result with your own tool")
    if isinstance(dem, tuple):
        if len(dem) != 3:
            raise input_error("dem-kind", f"give (array, transform, crs), not a tuple of {len(dem)}")
        values, transform, own_crs = dem
        grid, turned = _grid(values, transform, _crs_text(own_crs) or _crs_text(crs), z_units, None)
        ls = _ls_values(grid, turned, masks, options)
        return ls.values, transform, own_crs
    if hasattr(dem, "dims") and hasattr(dem, "coords"):
        return _ls_of_dataarray(dem, z_units, crs, masks, options)
    raise input_error(
        "dem-kind", f"give a path, (array, transform, crs) or an xarray.DataArray, not {type(dem).__name__}"
    )


def ls_of_surface(
    dem: Grid, *, barriers: Any = None, channels: Any = None, sealed: Any = None, walls: Any = None, **options: Any
) -> "LSResult":
    """Return the whole `LSResult` of a grid from `read_grid`; masks as in `ls_grid`, options as in `ls_raster`."""
    from sedcalc.terrain.ls_raster import ls_raster

    return ls_raster(
        dem,
        barriers=_mask(barriers, "barriers", dem),
        channels=_mask(channels, "channels", dem),
        sealed=_mask(sealed, "sealed", dem),
        walls=_mask(walls, "walls", dem),
        **options,
    )


def _mask(mask: Any, name: str, dem: Grid) -> "BoolArray | None":
    if isinstance(mask, str | os.PathLike):
        return read_mask(mask, dem, what=name) if name == "sealed" else read_barriers(mask, dem, what=name)
    return None if mask is None else np.ascontiguousarray(mask)


def write_ls(path: str | os.PathLike[str], result: "LSResult") -> Path:
    """Write an LS map as a GeoTIFF with its method in the tags.

    Raises
    ------
    EnvironmentFault
        The file cannot be written.
    """
    tags = ls_tags(result.summary, result.findings)
    return write_grid(path, result.ls, units_tag="1", description="LS, slope length and steepness", tags=tags)


def ls_tags(s: "LSSummary", findings: Sequence[Finding]) -> dict[str, str]:
    """Return what the tags of an LS map say of how it was made.

    Parameters
    ----------
    s
        Its summary.
    findings
        What its reader must know.
    """
    return {
        "SEDCALC_VERSION": sedcalc.__version__,
        "ROUTING": s.routing,
        "FORMULA": s.formula,
        "METHOD": s.method,
        "RATIO": s.ratio or "none",
        "MAX_LENGTH_FT": "none" if s.max_length_ft is None else f"{s.max_length_ft:g}",
        "BORDER": s.border,
        "FINDINGS": "; ".join(str(f) for f in findings),
    }


def _grid(
    values: Any, transform: Any, crs: str | None, z_units: str | None, said_unit: str | None
) -> tuple[Grid, bool]:
    """Return the grid of an array, and whether its rows were turned over."""
    numbers = transform_of(transform)
    if crs is None:
        raise input_error("crs-missing", "DEM: give its coordinate reference system, e.g. crs='EPSG:26916'")
    rows = len(values)
    a, _, c, _, e, f = numbers
    corners = (c, min(f, f + e * rows), c + a * np.shape(values)[-1], max(f, f + e * rows))
    facts = read_crs(crs, bounds=corners, what="DEM")
    unit, findings = vertical_unit(z_units, facts, said_unit, "DEM", "dem")
    grid = grid_from_array(values, numbers, facts.horizontal, xy_unit_m=facts.xy_unit_m, z_unit_m=LENGTH_UNITS_M[unit])
    check_finite(grid.values, "DEM")
    check_ground(grid)
    return replace(grid, findings=findings), e > 0


def _ls_values(grid: Grid, turned: bool, masks: Mapping[str, Any], options: Mapping[str, Any]) -> Grid:
    """Return LS with the rows in the order in which the caller has them."""
    masks = {
        name: np.asarray(mask)[::-1]
        if turned and mask is not None and not isinstance(mask, str | os.PathLike)
        else mask
        for name, mask in masks.items()
    }
    result = ls_of_surface(grid, **masks, **options)
    _log(result)
    values: npt.NDArray[Any] = result.ls.values
    return replace(result.ls, values=np.ascontiguousarray(values[::-1]) if turned else values)


def _ls_of_dataarray(
    dem: Any, z_units: str | None, crs: Any, masks: Mapping[str, Any], options: Mapping[str, Any]
) -> Any:
    flat = dem.squeeze()
    x, y = (next((n for n in names if n in flat.dims), None) for names in (_X_NAMES, _Y_NAMES))
    if flat.ndim != 2 or x is None or y is None:
        raise input_error("dem-dimensions", f"DEM: give one with the dimensions y and x, not {tuple(dem.dims)}")
    flat = flat.transpose(y, x)
    (left, dx), (top, dy) = (_spacing(flat[name].values, name) for name in (x, y))
    values = np.asarray(flat.values)
    fill = dem.attrs.get("_FillValue", dem.encoding.get("_FillValue"))
    if fill is not None and fill == fill:
        values = np.where(values == fill, np.nan, values)
    if dx < 0:
        raise input_error("grid-mirrored", "DEM: x must grow from left to right; sort it (sortby('x'))")
    transform = (dx, 0.0, left - dx / 2, 0.0, dy, top - dy / 2)
    grid, turned = _grid(values, transform, _dataarray_crs(dem) or _crs_text(crs), z_units, dem.attrs.get("units"))
    ls = _ls_values(grid, turned, masks, options)
    result = flat.copy(data=ls.values).transpose(*flat.dims)
    result = result.broadcast_like(dem).transpose(*dem.dims) if dem.ndim > 2 else result.transpose(*dem.dims)
    result.name = "LS"
    result.attrs = {**dem.attrs, "units": "1", "long_name": "slope length and steepness factor LS"}
    if "_FillValue" in result.attrs:
        result.attrs["_FillValue"] = float("nan")
    result.attrs["findings"] = [str(f) for f in ls.findings]
    return result


def _spacing(coordinate: npt.NDArray[Any], name: str) -> tuple[float, float]:
    """Return the first coordinate and the spacing, which must be regular."""
    values = coordinate.astype(np.float64)
    if len(values) < 2:
        raise input_error("dem-coordinates", f"DEM: {name} needs two values or more to tell the cell size")
    step = (values[-1] - values[0]) / (len(values) - 1)
    off = np.abs(values - (values[0] + step * np.arange(len(values))))
    if step == 0 or not (off <= 1e-3 * abs(step)).all():
        raise input_error("dem-coordinates", f"DEM: {name} is not regular; resample it to square cells")
    return float(values[0]), float(step)


def _dataarray_crs(dem: Any) -> str | None:
    for name in ("spatial_ref", dem.encoding.get("grid_mapping"), dem.attrs.get("grid_mapping")):
        if name is not None and name in dem.coords:
            attributes = dem.coords[name].attrs
            text = attributes.get("crs_wkt") or attributes.get("spatial_ref")
            if text:
                return str(text)
    return _crs_text(dem.attrs.get("crs"))


def _crs_text(crs: Any) -> str | None:
    """Return text of a CRS given as text, EPSG number, or an object of rasterio or pyproj."""
    if crs is None or isinstance(crs, str):
        return crs
    if isinstance(crs, int) and not isinstance(crs, bool):
        return f"EPSG:{crs}"
    if hasattr(crs, "to_wkt"):
        return str(crs.to_wkt())
    raise input_error("crs-unknown", f"CRS {crs!r} is not understood; give an EPSG code such as 'EPSG:26916'")


def _log(result: "LSResult") -> None:
    finding: Finding
    for finding in result.findings:
        if finding.severity == "warning":
            _LOG.warning("%s", finding)
