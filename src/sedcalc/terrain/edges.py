"""Cells on the border of a surface: their slope by what there is around them, and the water that leaves over it."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.terrain.grid import FloatArray
from sedcalc.terrain.state import BORDER, COL_STEP, ROW_STEP, StateArray

Floats = npt.NDArray[np.float64]

_AT_ONCE: Final = 1 << 20  # cells, so that many of them take little memory
_LEVEL_RISE: Final = 1e-9  # rise per cell, unit of the elevations, under which a direction is rounding
_CENTRE: Final = 4


@dataclass(frozen=True, eq=False)
class Edge:
    """The border cells of a surface, row by row.

    Parameters
    ----------
    start
        Where each row begins in the arrays below, and their length, (rows + 1,).
    col
        Column of each border cell, (n,).
    east, south
        Its rise per cell, (n,).
    """

    start: npt.NDArray[np.int64]
    col: npt.NDArray[np.int64]
    east: Floats
    south: Floats


def edge_of(z: FloatArray, state: StateArray) -> Edge:
    """Return the border cells of a surface with their gradient.

    Parameters
    ----------
    z
        Elevations, (rows, cols), NaN as nodata.
    state
        ``BORDER`` is set in the cells that are meant; the same shape.

    Notes
    -----
    The gradient is Horn's weighted mean of the rises from one cell to the next, over those pairs of the nine cells that
    exist: exact on a plane, and a valley that runs along one axis puts no slope on the other. Where too few cells
    touch, it is that of the plane through the cell that fits its neighbours.
    """
    row, col = np.divmod(np.flatnonzero(state & BORDER != 0), z.shape[1])  # of booleans, that is quick
    east, south = np.empty(len(row)), np.empty(len(row))
    for first in range(0, len(row), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        east[part], south[part] = _gradient(_around(z, row[part], col[part]))
    return Edge(np.searchsorted(row, np.arange(z.shape[0] + 1)), col, east, south)


def share_over_edge(z: FloatArray, edge: Edge) -> Floats:
    """Return how much of the water of each border cell leaves over the border, where the ground falls that way, (n,).

    The direction of fall lies between two neighbours, and divides the water between them by its angle; what goes to one
    that does not exist leaves.

    Parameters
    ----------
    z
        Elevations, (rows, cols), NaN as nodata.
    edge
        Its border cells.
    """
    row = np.repeat(np.arange(z.shape[0]), np.diff(edge.start))
    x, y = np.abs(edge.east), np.abs(edge.south)
    by_row, by_col = np.where(edge.south > 0.0, -1, 1), np.where(edge.east > 0.0, -1, 1)
    share = np.arctan2(np.minimum(x, y), np.maximum(x, y)) / (0.25 * np.pi)
    cardinal = _exists(z, np.where(x >= y, row, row + by_row), np.where(x >= y, edge.col + by_col, edge.col))
    diagonal = _exists(z, row + by_row, edge.col + by_col)
    over = np.where(cardinal, 0.0, 1.0 - share) + np.where(diagonal, 0.0, share)
    return np.where(np.maximum(x, y) < _LEVEL_RISE, 0.0, over)


def _exists(z: FloatArray, row: npt.NDArray[Any], col: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    inside = (row >= 0) & (row < z.shape[0]) & (col >= 0) & (col < z.shape[1])
    there: npt.NDArray[np.bool_] = inside.copy()
    there[inside] = ~np.isnan(z[row[inside], col[inside]])
    return there


def _around(z: FloatArray, row: npt.NDArray[Any], col: npt.NDArray[Any]) -> Floats:
    """Return the nine cells around each, (3, 3, n), NaN where there is none."""
    nine = np.full((9, len(row)), np.nan)
    nine[_CENTRE] = z[row, col]
    for k, (down, right) in enumerate(zip(ROW_STEP, COL_STEP, strict=True)):
        r, c = row + down, col + right
        inside = (r >= 0) & (r < z.shape[0]) & (c >= 0) & (c < z.shape[1])
        nine[k + (k >= _CENTRE), inside] = z[r[inside], c[inside]]
    return nine.reshape(3, 3, -1)


def _gradient(nine: Floats) -> tuple[Floats, Floats]:
    """Return rise per cell to the east and to the south."""
    weight = np.array([1.0, 2.0, 1.0])
    east, east_weight = _mean_rise(np.diff(nine, axis=1), weight[:, np.newaxis, np.newaxis])
    south, south_weight = _mean_rise(np.diff(nine, axis=0), weight[np.newaxis, :, np.newaxis])
    lone = (east_weight == 0.0) | (south_weight == 0.0)
    if lone.any():
        east[lone], south[lone] = _plane(nine[..., lone])
    return east, south


def _mean_rise(rises: Floats, weight: Floats) -> tuple[Floats, Floats]:
    known = ~np.isnan(rises)
    total = (weight * known).sum(axis=(0, 1))
    with np.errstate(invalid="ignore"):
        return (weight * np.where(known, rises, 0.0)).sum(axis=(0, 1)) / total, total


def _plane(nine: Floats) -> tuple[Floats, Floats]:
    """Return the gradient of the plane through the middle cell that fits the others, with Horn's weights."""
    south, east = np.mgrid[-1:2, -1:2][..., np.newaxis]
    known = ~np.isnan(nine)
    weight = known * np.where(south * east == 0, 2.0, 1.0)
    rise = np.where(known, nine - nine[1, 1], 0.0)

    def total(values: Floats) -> Floats:
        return np.asarray((weight * values).sum(axis=(0, 1)))

    xx, xy, yy = total(east * east + 0 * rise), total(east * south + 0 * rise), total(south * south + 0 * rise)
    xz, yz = total(east * rise), total(south * rise)
    det, along = xx * yy - xy * xy, xx + yy
    with np.errstate(invalid="ignore", divide="ignore"):
        # All neighbours on one line, or none: the slope along it is all that is known.
        by_line = np.where(along > 0.0, xz / along, 0.0), np.where(along > 0.0, yz / along, 0.0)
        return (
            np.where(det > 0.0, (xz * yy - yz * xy) / det, by_line[0]),
            np.where(det > 0.0, (yz * xx - xz * xy) / det, by_line[1]),
        )
