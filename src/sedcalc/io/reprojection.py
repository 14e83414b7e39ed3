"""A surface in degrees or Web-Mercator brought to a projected CRS, where that is asked for."""

import math
import re
from typing import Final

import numpy as np

from sedcalc.findings import Finding, count_of, input_error
from sedcalc.io.crs import CrsFacts, horizontal_part, name_of, parse_crs, read_crs, utm_code, vertical_part
from sedcalc.terrain.grid import FloatArray, Transform, check_shape

_ROWS_AT_ONCE: Final = 256


def target_facts(
    text: str, target: str, bounds: tuple[float, float, float, float], what: str, where: str | None
) -> CrsFacts:
    """Return the facts of the CRS to reproject to, with the vertical unit of the CRS that the surface comes in.

    Parameters
    ----------
    text
        The surface's own CRS.
    target
        ``"utm"`` or ``"EPSG:n"``.
    bounds
        West, south, east, north of the surface in its own CRS.
    what, where
        For messages.

    Raises
    ------
    InputError
        The target is neither, is not projected in metres or feet, or no UTM zone can be found.
    """
    source = parse_crs(text, what=what, where=where)
    code = utm_code(horizontal_part(source), bounds) if target.strip().lower() == "utm" else target.strip().upper()
    if not re.fullmatch(r"EPSG:\d{4,6}", code):
        problem = f"{what}: it cannot be reprojected to {target!r}; give 'utm' or a code such as EPSG:26916"
        raise input_error("reproject-unknown", problem, where)
    facts = read_crs(code, what=f"{what}, to reproject to", where=where)
    return CrsFacts(facts.horizontal, facts.xy_unit_m, vertical_part(source, what, where))


def reprojected(
    values: FloatArray, transform: Transform, text: str, facts: CrsFacts, what: str, where: str | None
) -> tuple[FloatArray, Transform, Finding]:
    """Return a surface on square cells of another CRS, where its cells now lie, and what was done.

    Parameters
    ----------
    values
        Two-dimensional, NaN as nodata.
    transform
        As in `sedcalc.terrain.grid.Grid`, cells of any shape.
    text
        CRS of `values`.
    facts
        CRS to reproject to, from `target_facts`.
    what, where
        For messages.

    Returns
    -------
    tuple
        The surface, its type kept; its transform; and the finding.

    Raises
    ------
    InputError
        There would be no cells, or too many.

    Notes
    -----
    Bilinear between cell centres; beyond them, and beside nodata, there is nodata. The cell has the size that keeps the
    number of cells along the diagonal, to three digits, and the corner lies on a multiple of it. Heights are not
    converted.
    """
    import pyproj
    from pyproj.exceptions import ProjError
    from scipy.ndimage import map_coordinates

    rows, cols = values.shape
    a, b, c, d, e, f = transform
    if b != 0 or d != 0 or a == 0 or e == 0:
        raise input_error("grid-rotated", f"{what} is rotated; resample it to north-up cells first (gdalwarp)", where)
    own = horizontal_part(parse_crs(text, what=what, where=where))
    target = parse_crs(facts.horizontal, what=what, where=where)
    corners = min(c, c + a * cols), min(f, f + e * rows), max(c, c + a * cols), max(f, f + e * rows)
    try:
        forth = pyproj.Transformer.from_crs(own, target, always_xy=True)
        back = pyproj.Transformer.from_crs(target, own, always_xy=True)
        west, south, east, north = forth.transform_bounds(*corners)
        (x0, x1), (y0, y1) = forth.transform([c, c + a * cols], [f, f + e * rows])
        cell = float(f"{math.hypot(x1 - x0, y1 - y0) / math.hypot(rows, cols):.3g}")
        left, top = math.floor(west / cell), math.ceil(north / cell)
        shape = top - math.floor(south / cell), math.ceil(east / cell) - left
    except (ProjError, OverflowError, ValueError, ZeroDivisionError):
        problem = f"{what}: it does not lie where {facts.horizontal} can be used; give the CRS of its place, or 'utm'"
        raise input_error("reproject-failed", problem, where) from None
    check_shape(shape, f"{what}, reprojected,", where)
    result = np.empty(shape, values.dtype)
    x = (left + 0.5 + np.arange(shape[1])) * cell
    for first in range(0, shape[0], _ROWS_AT_ONCE):
        y = (top - 0.5 - np.arange(first, min(first + _ROWS_AT_ONCE, shape[0]))) * cell
        own_x, own_y = back.transform(*np.meshgrid(x, y))
        at = np.stack([(own_y - f) / e - 0.5, (own_x - c) / a - 0.5])
        at[~np.isfinite(at)] = -1.0  # where the projection does not reach
        result[first : first + len(y)] = map_coordinates(values, at, order=1, cval=np.nan, prefilter=False)
    new: Transform = (cell, 0.0, left * cell, 0.0, -cell, top * cell)
    unit = "m" if facts.xy_unit_m == 1.0 else "ft"
    own_name = name_of(own) if own.to_epsg() else own.name
    note = (
        f"{what}: reprojected from {own_name} to {facts.horizontal}, bilinear, {count_of(shape[0], 'row')} x "
        f"{count_of(shape[1], 'column')} of {cell:g} {unit}; heights as they were"
    )
    return result, new, Finding("reprojected", "note", note, where)
