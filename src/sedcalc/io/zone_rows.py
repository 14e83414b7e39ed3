"""Zones of polygons, laid on the cells of rasters that are larger than memory."""

import math
import os
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from sedcalc import units
from sedcalc.findings import Finding, InputError, count_of
from sedcalc.io.raster_rows import without_values
from sedcalc.io.vector_files import Feature, Value
from sedcalc.io.vectors import DRAWING_NOISE_M2, burn, overlap_text, overlaps, read_polygons
from sedcalc.terrain.grid import Grid

_SHOWN: Final = 6
_LONGEST: Final = 60  # of an id in a message


class ZoneRows:
    """Zones that are laid on cells as rows are asked for; they stand for the pieces in `sedcalc.load.zonal.zonal_sums`.

    Parameters
    ----------
    features
        One polygon or multipolygon for each zone, in the CRS of the cells. A cell is of the zone that its centre lies
        in; of the first where several share it.
    cells
        The cells; its values are not looked at.

    Attributes
    ----------
    values
        Id of each zone, in the order of the features.
    shape
        Rows and columns.
    """

    def __init__(self, features: Sequence[Feature], cells: Grid) -> None:
        import shapely

        self.values: tuple[Value, ...] = tuple(value for value, _ in features)
        self.shape = cells.shape
        self._cells = cells
        self._polygons = [polygon for _, polygon in features]
        self._tree = shapely.STRtree(self._polygons)

    def __getitem__(self, rows: slice) -> npt.NDArray[np.int32]:
        import shapely

        start, stop, _ = rows.indices(self.shape[0])
        a, b, c, d, e, f = self._cells.transform
        strip = without_values(
            (stop - start, self.shape[1]), (a, b, c, d, e, f + e * start), self._cells.crs, self._cells.xy_unit_m
        )
        near = sorted(self._tree.query(shapely.box(*strip.bounds)).tolist(), reverse=True)
        return burn([(self._polygons[i], i) for i in near], strip, -1, all_touched=False)


def read_zones(
    path: str | os.PathLike[str], attribute: str, cells: Grid, *, layer: str | None = None
) -> tuple[ZoneRows, tuple[Finding, ...]]:
    """Read zones, one polygon or multipolygon each, that do not overlap.

    Parameters
    ----------
    path
        GeoPackage or GeoJSON.
    attribute
        Name of the attribute that holds the id of the zone.
    cells
        Where they are laid on.
    layer
        Layer of a GeoPackage; needed where there are several.

    Returns
    -------
    tuple
        The zones, and a warning where they reach beyond the edge of the cells.

    Raises
    ------
    InputError
        As in `sedcalc.io.vectors.read_polygons`; an id stands at several features; zones overlap over a width
        of half a cell or more; no cell has its centre within the bounds of a zone.
    """
    import shapely

    what, place = "zones", os.fspath(path)
    features = read_polygons(path, attribute, cells, layer=layer, what=what, where=place)
    to_acres = cells.xy_unit_m**2 / units.ACRE_M2
    mistakes = []
    for id, count in Counter(str(value) for value, _ in features).items():
        if count > 1:
            said = f"{what}: {attribute} {_quoted(id)} stands at {count_of(count, 'feature')}"
            message = f"{said}; give each its own, or dissolve them"
            mistakes.append(Finding("zones-repeated", "error", message, place))
    for a, b, acres in overlaps(features, cells):
        message = f"{what}: {_quoted(a)} and {_quoted(b)} overlap by {overlap_text(acres)}; cut one of them back"
        mistakes.append(Finding("polygons-overlap", "error", message, place))
    empty = [value for value, polygon in features if not _around_centres(polygon.bounds, cells)]
    if empty:
        mistakes.append(zones_without_cells(empty, place))
    if mistakes:
        raise InputError(mistakes)
    frame = shapely.box(*cells.bounds)
    outside = sum(float(polygon.area - polygon.intersection(frame).area) for _, polygon in features)
    findings: tuple[Finding, ...] = ()
    if outside * cells.xy_unit_m**2 > DRAWING_NOISE_M2:
        message = f"{what} reach {outside * to_acres:.4g} acres beyond the edge of the rasters; these are not counted"
        findings = (Finding("zones-outside-raster", "warning", message, place),)
    return ZoneRows(features, cells), findings


def zones_without_cells(ids: Sequence[Value], where: str) -> Finding:
    """Return the error that zones hold the centre of no cell.

    Parameters
    ----------
    ids
        Of the zones.
    where
        Their file.
    """
    it = "it" if len(ids) == 1 else "them"
    message = (
        f"{named_zones(ids)}: the centre of no cell lies there; leave {it} out, or give rasters that cover the place, "
        "of smaller cells where it is small"
    )
    return Finding("zone-without-cells", "error", message, where)


def named_zones(ids: Sequence[Value]) -> str:
    """Return the first of some zones by their ids, on one line, and how many more there are.

    Parameters
    ----------
    ids
        Of the zones.
    """
    shown = [_quoted(id) for id in ids[:_SHOWN]]
    more = len(ids) - len(shown)
    return f"zone{'' if len(ids) == 1 else 's'} {', '.join(shown)}" + (f" and {more} more" if more > 0 else "")


def _quoted(id: Value) -> str:
    text, half = str(id), (_LONGEST - 3) // 2
    return repr(text if len(text) <= _LONGEST else f"{text[:half]}...{text[-half:]}")


def _around_centres(bounds: tuple[float, float, float, float], cells: Grid) -> bool:
    """Whether there is the centre of a cell within bounds, edges included."""
    a, _, c, _, e, f = cells.transform
    west, south, east, north = bounds
    return all(
        max(math.ceil(low - 0.5), 0) <= min(math.floor(high - 0.5), count - 1)
        for low, high, count in (
            ((west - c) / a, (east - c) / a, cells.shape[1]),
            ((north - f) / e, (south - f) / e, cells.shape[0]),
        )
    )
