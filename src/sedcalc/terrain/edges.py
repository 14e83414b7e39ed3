"""Cells on the border of a surface: their slope by what there is around them, and the water that leaves over it."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.terrain.grid import FloatArray
from sedcalc.terrain.state import BORDER, COL_STEP, ROW_STEP, BoolArray, StateArray

Floats = npt.NDArray[np.float64]

_AT_ONCE: Final = 1 << 16  # cells, so that many of them take little memory
_STEPS: Final = [(int(i), int(j)) for i, j in zip(ROW_STEP, COL_STEP, strict=True)]
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


def shares_over_edge(
    z: FloatArray,
    edge: Edge,
    gaps: BoolArray | None,
    exponent: float | None = None,
    diagonal_weight: float = 1.0,
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return how much of the water of each border cell leaves over the border, where the ground falls that way.

    Parameters
    ----------
    z
        Elevations, (rows, cols), NaN as nodata.
    edge
        Its border cells.
    gaps
        True in nodata within the surface, which is no way out; None where there is none.
    exponent, diagonal_weight
        Of the slope towards a neighbour, and of a diagonal one, by which water is shared among all lower ones; without
        an exponent it is shared between the two beside the direction of fall.

    Returns
    -------
    tuple of ndarray
        The share that leaves where water goes to several neighbours, and whether it leaves where it goes to one, (n,).

    Notes
    -----
    The ground beyond is taken to go on as the plane of the cell's gradient. What it would send back counts against what
    it would get, so that nothing leaves where the ground falls along the border.
    """
    share, single = np.empty(len(edge.col)), np.empty(len(edge.col), np.bool_)
    row = np.repeat(np.arange(z.shape[0]), np.diff(edge.start))
    for first in range(0, len(row), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        fall = -edge.south[part], -edge.east[part]
        gone = np.array([_is_beyond(z, gaps, row[part] + i, edge.col[part] + j) for i, j in _STEPS])
        of_two = _of_two(fall, gone)
        share[part] = of_two if exponent is None else _of_all(fall, gone, exponent, diagonal_weight)
        single[part] = of_two > 0.5
    level = np.maximum(np.abs(edge.east), np.abs(edge.south)) < _LEVEL_RISE
    return np.where(level, 0.0, share), single & ~level


def _is_beyond(
    z: FloatArray, gaps: BoolArray | None, row: npt.NDArray[Any], col: npt.NDArray[Any]
) -> npt.NDArray[np.bool_]:
    beyond: npt.NDArray[np.bool_] = (row < 0) | (row >= z.shape[0]) | (col < 0) | (col >= z.shape[1])
    at = row[~beyond], col[~beyond]
    beyond[~beyond] = np.isnan(z[at]) if gaps is None else np.isnan(z[at]) & ~gaps[at]
    return beyond


def _of_all(fall: tuple[Floats, Floats], gone: npt.NDArray[np.bool_], exponent: float, diagonal: float) -> Floats:
    """Return what the neighbours that are gone, (8, n), get and do not send back, of all that the plane shares."""
    south, east = fall
    weight = np.array(
        [
            np.maximum(south * i + east * j, 0.0) ** exponent * (diagonal / 2.0 ** (0.5 * exponent) if i and j else 1.0)
            for i, j in _STEPS
        ]
    )
    total = weight.sum(axis=0)
    # A neighbour sends back as this cell sends to the one opposite, whose number counts from the other end.
    net = np.where(gone, weight - weight[::-1], 0.0).sum(axis=0)
    share: Floats = np.divide(np.maximum(net, 0.0), total, out=np.zeros(len(total)), where=total > 0.0)
    return share


def _of_two(fall: tuple[Floats, Floats], gone: npt.NDArray[np.bool_]) -> Floats:
    """Return what is beyond of the two neighbours beside the direction of fall, by its angle."""
    south, east = fall
    x, y = np.abs(east), np.abs(south)
    i, j = np.where(south < 0.0, -1, 1), np.where(east < 0.0, -1, 1)
    diagonal = np.arctan2(np.minimum(x, y), np.maximum(x, y)) / (0.25 * np.pi)
    number = np.full((3, 3), -1)
    for k, (di, dj) in enumerate(_STEPS):
        number[di + 1, dj + 1] = k
    beside = np.where(x >= y, number[1, j + 1], number[i + 1, 1])
    place = np.arange(len(south))
    over = np.where(gone[beside, place], 1.0 - diagonal, 0.0)
    over += np.where(gone[number[i + 1, j + 1], place], diagonal, 0.0)
    return over


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
