"""Polygons, lines and points of a site, laid on the cells of a grid."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc import units
from sedcalc.findings import input_error
from sedcalc.io.vector_files import LINES, POINTS, POLYGONS, Feature, Value, read_features
from sedcalc.terrain.grid import Grid

_MOST_NEIGHBOURS: Final = 500_000
_CHUNK: Final = 256  # polygons whose neighbours are looked up at once, so that the pairs stay few

DRAWING_NOISE_M2: Final = units.SQUARE_FOOT_M2
"""Land that is left over beyond the edge of the cells up to this area, m2, is rounding in a drawing."""


@dataclass(frozen=True, eq=False)
class ZoneMap:
    """Which polygon's value each cell has.

    Parameters
    ----------
    index
        int32, shape of the grid: position in `values`; -1 where there is no polygon or no elevation.
    values
        Values of the attribute, in the order in which they first appear in the file.
    acres
        Area of the cells of each value, acres.
    overlaps
        ``(value a, value b, acres)`` of polygons with different values that overlap over a width of half a cell or
        more, by their exact shapes.
    gap_acres
        Cells of the grid with a value of its own that no polygon covers, acres.
    outside_acres
        Area of the polygons beyond the edge of the grid, acres, by their exact shapes.
    """

    index: npt.NDArray[np.int32]
    values: tuple[Value, ...]
    acres: tuple[float, ...]
    overlaps: tuple[tuple[Value, Value, float], ...]
    gap_acres: float
    outside_acres: float


def read_polygons(
    path: str | os.PathLike[str],
    attribute: str,
    grid: Grid,
    *,
    layer: str | None = None,
    what: str = "polygons",
    where: str | None = None,
    inside: Path | None = None,
) -> list[Feature]:
    """Read polygons and the value of one attribute, in the CRS of a grid.

    Parameters
    ----------
    path
        GeoPackage or GeoJSON.
    attribute
        Name of the attribute.
    grid
        Its CRS is where the polygons are reprojected to.
    layer
        Layer of a GeoPackage; needed where there are several.
    what, where
        For messages.
    inside
        Folder the file must lie in.

    Returns
    -------
    list of (value, geometry)
        One per feature, in the order of the file; shapely polygons or multipolygons.

    Raises
    ------
    InputError
        The file is missing or unreadable, the layer or attribute does not exist, a value is missing, a
        geometry is missing, not a polygon, or invalid, or the CRS is missing, a link, or unknown.

    Notes
    -----
    GeoJSON without a ``crs`` member is in degrees, longitude first [1]_; the older ``crs`` member of type
    ``name`` is read, of type ``link`` refused.

    References
    ----------
    .. [1] IETF RFC 7946, The GeoJSON Format (2016), section 4.
    """
    return read_features(path, attribute, grid, layer, POLYGONS, what, where, inside)


def read_barriers(
    path: str | os.PathLike[str],
    grid: Grid,
    *,
    layer: str | None = None,
    what: str = "barriers",
    where: str | None = None,
    inside: Path | None = None,
) -> npt.NDArray[np.bool_]:
    """Read lines and polygons that end slope length, or of channels or walls, as a mask on the cells of a grid.

    Parameters
    ----------
    path, grid, layer, what, where, inside
        As in `read_polygons`.

    Returns
    -------
    ndarray of bool
        Shape of the grid: True in every cell that a line or polygon touches, so that a line has no gaps.

    Raises
    ------
    InputError
        As in `read_polygons`, or no cell of the grid is touched.
    """
    features = read_features(path, None, grid, layer, LINES + POLYGONS, what, where, inside)
    mask: npt.NDArray[np.bool_] = burn([(geometry, 1) for _, geometry in features], grid, 0, all_touched=True) == 1
    if not mask.any():
        raise input_error(
            "barriers-outside", f"{what}: none lies on the DEM; check their CRS and place", where or os.fspath(path)
        )
    return mask


def read_mask(
    path: str | os.PathLike[str],
    grid: Grid,
    *,
    layer: str | None = None,
    what: str,
    where: str | None = None,
    inside: Path | None = None,
) -> npt.NDArray[np.bool_]:
    """Read polygons, as a mask of the cells whose centre lies in one.

    Parameters
    ----------
    path, grid, layer, what, where, inside
        As in `read_polygons`.

    Raises
    ------
    InputError
        As in `read_polygons`, or no cell of the grid has its centre in one.
    """
    features = read_features(path, None, grid, layer, POLYGONS, what, where, inside)
    mask: npt.NDArray[np.bool_] = burn([(geometry, 1) for _, geometry in features], grid, 0, all_touched=False) == 1
    if not mask.any():
        text = f"{what}: none holds the centre of a cell of the DEM; check their CRS and place"
        raise input_error("polygons-outside", text, where or os.fspath(path))
    return mask


def read_places(
    path: str | os.PathLike[str],
    attribute: str,
    grid: Grid,
    *,
    layer: str | None = None,
    what: str = "outfalls",
    where: str | None = None,
    inside: Path | None = None,
) -> list[Feature]:
    """Read outfalls and practices, points, lines or polygons, with their ids, in the CRS of a grid.

    Parameters
    ----------
    path, attribute, grid, layer, what, where, inside
        As in `read_polygons`.

    Raises
    ------
    InputError
        As in `read_polygons`.
    """
    return read_features(path, attribute, grid, layer, POINTS + LINES + POLYGONS, what, where, inside)


def cells_of_place(geometry: Any, grid: Grid) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return rows and columns of the cells that points lie in, a line touches, or a polygon touches.

    Parameters
    ----------
    geometry
        In the CRS of the grid.
    grid
        The cells; what lies beyond them is left out.
    """
    row, col = np.nonzero(burn([(geometry, 1)], grid, 0, all_touched=True))
    return row.astype(np.int64), col.astype(np.int64)


def zone_polygons(index: npt.NDArray[np.int32], values: Sequence[Value], grid: Grid) -> list[Feature]:
    """Return the outline of each zone of cells, along the edges of the cells.

    Parameters
    ----------
    index
        Position in `values` of each cell, negative where there is none; shape of the grid.
    values
        Value of each zone.
    grid
        The cells.

    Returns
    -------
    list of (value, geometry)
        A shapely polygon or multipolygon for each zone that has cells, in the order of `values`.
    """
    import shapely
    import shapely.geometry
    from rasterio.features import shapes
    from rasterio.transform import Affine

    parts: dict[int, list[Any]] = {}
    for outline, number in shapes(index, mask=index >= 0, connectivity=4, transform=Affine(*grid.transform)):
        parts.setdefault(int(number), []).append(shapely.geometry.shape(outline))
    return [(values[k], shapely.union_all(parts[k])) for k in sorted(parts)]


def rasterize_zones(features: Sequence[Feature], grid: Grid) -> ZoneMap:
    """Give each cell the value of the polygon that its centre lies in.

    Parameters
    ----------
    features
        From `read_polygons`, in the CRS of the grid. Several polygons may have one value.
    grid
        Cells; those without a value stay without a zone.

    Returns
    -------
    ZoneMap
        Where polygons of different values overlap, the first in the list has the cell; the overlap is
        reported.
    """
    import shapely

    order = tuple(dict.fromkeys(value for value, _ in features))
    number = {value: i for i, value in enumerate(order)}
    shapes = [(geometry, number[value]) for value, geometry in reversed(features)]
    index = burn(shapes, grid, -1, all_touched=False)
    valid = grid.valid
    index[~valid] = -1
    to_acres = grid.xy_unit_m**2 / units.ACRE_M2
    frame = shapely.box(*grid.bounds)
    outside = sum(float(g.area - g.intersection(frame).area) for _, g in features)
    cells = np.bincount(index[index >= 0], minlength=len(order))
    return ZoneMap(
        index=index,
        values=order,
        acres=tuple(float(n) * grid.cell_acres for n in cells),
        overlaps=tuple(overlaps(features, grid)),
        gap_acres=float(np.count_nonzero(valid & (index < 0))) * grid.cell_acres,
        outside_acres=outside * to_acres if outside * grid.xy_unit_m**2 > DRAWING_NOISE_M2 else 0.0,
    )


def overlap_text(acres: float) -> str:
    """Return the area of an overlap; in square feet where it is small.

    Parameters
    ----------
    acres
        The area.

    Examples
    --------
    A square foot is 1/43,560 of an acre:

    >>> overlap_text(0.25), overlap_text(100 / 43560)
    ('0.25 acres', '100 sq ft')
    """
    square_feet = acres * units.ACRE_M2 / units.SQUARE_FOOT_M2
    return f"{square_feet:.4g} sq ft" if acres < 0.01 else f"{acres:.4g} acres"


def overlaps(features: Sequence[Feature], cells: Grid) -> list[tuple[Value, Value, float]]:
    """Return the values whose polygons overlap, and by how many acres.

    Parameters
    ----------
    features
        Value and polygon of each.
    cells
        Cells that they are laid on; its values are not looked at.

    Notes
    -----
    An overlap narrower than half a cell comes from drawing, as a rule, and a cell's centre decides there as elsewhere.
    """
    import shapely

    quarter = cells.transform[0] / 4.0  # where nothing is this far inside, it is narrower than half a cell
    to_acres = cells.xy_unit_m**2 / units.ACRE_M2
    geometries = [geometry for _, geometry in features]
    tree = shapely.STRtree(geometries)
    found: dict[tuple[Value, Value], float] = {}
    pairs = 0
    for start in range(0, len(geometries), _CHUNK):
        first, second = tree.query(geometries[start : start + _CHUNK], predicate="intersects")
        for i, j in sorted(zip((first + start).tolist(), second.tolist(), strict=True)):
            a, b = features[i][0], features[j][0]
            if i < j and a != b:
                pairs += 1
                key = (a, b) if (b, a) not in found else (b, a)
                common = geometries[i].intersection(geometries[j])
                if common.area > 0.0 and not common.buffer(-quarter).is_empty:
                    found[key] = found.get(key, 0.0) + float(common.area) * to_acres
        if pairs > _MOST_NEIGHBOURS:
            message = f"over {_MOST_NEIGHBOURS:,} pairs of polygons meet or overlap; draw them side by side"
            raise input_error("polygons-overlap", message)
    noise = DRAWING_NOISE_M2 / units.ACRE_M2
    return [(a, b, acres) for (a, b), acres in found.items() if acres > noise]


def burn(shapes: Iterable[tuple[Any, int]], grid: Grid, fill: int, *, all_touched: bool) -> npt.NDArray[np.int32]:
    """Return the code of the last shape that holds each cell, of the grid's shape.

    Parameters
    ----------
    shapes
        Geometries with their codes, in the order they are laid down.
    grid
        The cells; its values are not looked at.
    fill
        Code of cells that no shape holds.
    all_touched
        Whether a shape holds every cell that it touches, or those whose centre lies in it.
    """
    pairs = list(shapes)
    if not pairs:
        return np.full(grid.shape, fill, np.int32)
    from rasterio.features import rasterize
    from rasterio.transform import Affine

    burnt: npt.NDArray[np.int32] = rasterize(
        pairs,
        out_shape=grid.shape,
        transform=Affine(*grid.transform),
        fill=fill,
        dtype="int32",
        all_touched=all_touched,
    )
    return burnt
