"""The zones of an elevation model: their polygons, checked, and the windows of cells that they need."""

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.findings import Finding, InputError, input_error, shortened
from sedcalc.io.drainage import place_id
from sedcalc.io.raster_rows import RasterRows, without_values
from sedcalc.io.vector_files import LINES, POLYGONS, Feature, read_features
from sedcalc.io.vectors import burn, overlap_text, overlaps
from sedcalc.units import ACRE_M2

Window = tuple[slice, slice]
"""Rows and columns of a raster, each with a start and a stop."""

BoolArray = npt.NDArray[np.bool_]

_WHAT: Final = "zones"
_ROWS_AT_ONCE: Final = 256
_GRAIN: Final = 2.0**-20
_ASIDE: Final = (_GRAIN / 2, _GRAIN / 4)
"""Vertices are laid on millionths of a cell, and a fraction of one aside: so no edge along cell centres passes through
them, and each cell is of one of the zones that share the edge, whatever their windows."""


@dataclass(frozen=True)
class Zone:
    """A zone of an elevation model.

    Parameters
    ----------
    id
        Of the zone.
    polygon
        In cells of the DEM: x is the column, y the row, negative.
    box, window
        Cells whose centre lies in the bounds of the polygon, and these with the halo.
    beyond_acres
        Part of the polygon beyond the edge of the DEM, acres.
    drawn
        Geometries near the window, by the mask they are drawn for (``"barriers"``, ...).
    """

    id: str
    polygon: Any
    box: Window
    window: Window
    beyond_acres: float
    drawn: Mapping[str, Sequence[Any]]

    @property
    def where(self) -> str:
        """The zone, for findings."""
        return f"zone {shortened(self.id)}"

    def inside(self) -> BoolArray:
        """Return which cells of the box have their centre in the polygon."""
        return _inside(self.polygon, self.box)


def read_zone_windows(
    path: str | os.PathLike[str],
    attribute: str | None,
    layer: str | None,
    halo_m: float,
    dem: RasterRows,
    masks: Mapping[str, str | os.PathLike[str]],
) -> list[Zone]:
    """Read the zones of an elevation model.

    Parameters
    ----------
    path
        GeoPackage or GeoJSON of polygons.
    attribute
        Attribute with their ids; None numbers them from 1.
    layer
        Layer of a GeoPackage; None for the only one.
    halo_m
        Width of the land around a zone that is routed with it, m.
    dem
        The elevation model.
    masks
        Files of what is drawn, by the name of the mask.

    Returns
    -------
    list of Zone
        In the order of the file.

    Raises
    ------
    InputError
        As in `sedcalc.io.vectors.read_polygons`; ids are blank or repeated, zones overlap over a width of half
        a cell or more, lie outside the DEM or hold the centre of no cell; nothing that is drawn for a mask lies on the
        DEM.
    """
    import shapely

    place = Path(path).name
    cells = without_values((1, 1), dem.transform, dem.crs, dem.xy_unit_m)  # for its CRS and the size of its cells
    west, north, cell = dem.transform[2], dem.transform[5], dem.transform[0]
    rows, cols = dem.shape
    edge = shapely.box(west, north - cell * rows, west + cell * cols, north)
    acre = ACRE_M2 / dem.xy_unit_m**2
    halo = math.ceil(halo_m / (cell * dem.xy_unit_m))
    mistakes: list[Finding] = []
    features: list[tuple[str, Any]] = []
    drawn: dict[str, _Drawn] = {}
    with noted(mistakes):
        for number, (value, polygon) in enumerate(
            read_features(path, attribute, cells, layer, POLYGONS, _WHAT, place, None), start=1
        ):
            features.append((str(number) if attribute is None else place_id(value), polygon))
    for name, file in masks.items():
        with noted(mistakes):
            drawn[name] = _Drawn(file, name, dem, edge)
    mistakes += _mistakes_of_ids(features, place)
    for a, b, acres in overlaps(features, cells):
        text = f"{_WHAT}: {str(a)!r} and {str(b)!r} overlap by {overlap_text(acres)}; cut one of them back"
        mistakes.append(Finding("polygons-overlap", "error", text, place))
    found = []
    for id, polygon in features:
        on_cells = shapely.transform(polygon, lambda p: np.round((p - (west, north)) / cell / _GRAIN) * _GRAIN + _ASIDE)
        box = _box(on_cells, dem.shape)
        if _is_outside(on_cells, dem.shape):
            text = f"{_WHAT}: {id!r} lies outside the DEM; check the CRS of both, or leave it out"
            mistakes.append(Finding("zone-outside", "error", text, place))
        elif not _has_centre(on_cells, box):
            size = f"{cell * dem.xy_unit_m:.4g} m"
            text = f"{_WHAT}: {id!r} holds the centre of no cell of the DEM ({size}); give a finer one, or leave it out"
            mistakes.append(Finding("zone-without-cells", "error", text, place))
        else:
            window = _grown(box, halo, dem.shape)
            near = {name: drawing.near(window, dem) for name, drawing in drawn.items()}
            beyond = float(polygon.area - polygon.intersection(edge).area) / acre
            found.append(Zone(id, on_cells, box, window, beyond, near))
    if mistakes:
        raise InputError(mistakes)
    return found


@contextmanager
def noted(mistakes: list[Finding]) -> Iterator[None]:
    """Add what is wrong to the mistakes, so that they are all listed at once.

    Parameters
    ----------
    mistakes
        Found so far.
    """
    try:
        yield
    except InputError as error:
        mistakes += error.findings


class _Drawn:
    """Lines and polygons of one file, to be found by place."""

    def __init__(self, path: str | os.PathLike[str], name: str, dem: RasterRows, edge: Any) -> None:
        import shapely

        kinds = POLYGONS if name == "sealed" else LINES + POLYGONS
        cells = without_values((1, 1), dem.transform, dem.crs, dem.xy_unit_m)
        self.geometries = [g for _, g in read_features(path, None, cells, None, kinds, name, None, None)]
        self.tree = shapely.STRtree(self.geometries)
        if not len(self.tree.query(edge, predicate="intersects")):
            text = f"{name}: none lies on the DEM; check their CRS and place"
            raise input_error(f"{name}-outside", text, Path(path).name)

    def near(self, window: Window, dem: RasterRows) -> list[Any]:
        import shapely

        (rows, cols), (a, _, west, _, e, north) = window, dem.transform
        part = shapely.box(west + a * cols.start, north + e * rows.stop, west + a * cols.stop, north + e * rows.start)
        return [self.geometries[i] for i in sorted(self.tree.query(part).tolist())]


def _mistakes_of_ids(features: Sequence[Feature], place: str) -> list[Finding]:
    mistakes = [
        Finding("attribute-empty", "error", f"{_WHAT}: the id is blank; give one", f"{place}[{number}]")
        for number, (id, _) in enumerate(features)
        if not str(id).strip()
    ]
    for id, count in Counter(id for id, _ in features if str(id).strip()).items():
        if count > 1:
            text = f"{_WHAT}: id {id!r} stands more than once ({count}); give each its own, or dissolve them"
            mistakes.append(Finding("zone-repeated", "error", text, place))
    return mistakes


def _is_outside(polygon: Any, shape: tuple[int, int]) -> bool:
    left, low, right, high = polygon.bounds
    return bool(right <= 0 or left >= shape[1] or low >= 0 or high <= -shape[0])


def _box(polygon: Any, shape: tuple[int, int]) -> Window:
    """Return the cells of the raster whose centre lies in the bounds of a polygon; there may be none."""
    left, low, right, high = polygon.bounds
    rows = slice(max(math.ceil(-high - 0.5), 0), min(math.floor(-low + 0.5), shape[0]))
    cols = slice(max(math.ceil(left - 0.5), 0), min(math.floor(right + 0.5), shape[1]))
    return rows, cols


def _grown(box: Window, by: int, shape: tuple[int, int]) -> Window:
    rows, cols = (slice(max(s.start - by, 0), min(s.stop + by, most)) for s, most in zip(box, shape, strict=True))
    return rows, cols


def _has_centre(polygon: Any, box: Window) -> bool:
    """Whether a polygon holds the centre of a cell; rows are looked at until one is found."""
    rows, cols = box
    return cols.start < cols.stop and any(
        _inside(polygon, (slice(first, min(first + _ROWS_AT_ONCE, rows.stop)), cols)).any()
        for first in range(rows.start, rows.stop, _ROWS_AT_ONCE)
    )


def _inside(polygon: Any, box: Window) -> BoolArray:
    rows, cols = box
    shape = rows.stop - rows.start, cols.stop - cols.start
    cells = without_values(shape, (1.0, 0.0, float(cols.start), 0.0, -1.0, -float(rows.start)), None, 1.0)
    inside: BoolArray = burn([(polygon, 1)], cells, 0, all_touched=False) == 1
    return inside
