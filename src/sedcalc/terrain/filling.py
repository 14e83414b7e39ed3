"""Depressions filled by way of their basins, without a queue of cells.

Every cell but the bottoms has a lowest lower neighbour, of equal cells the first stored counting as the lowest; the way
down leads to the bottom of its basin, or out. Two basins meet first at a saddle, a cell whose lower neighbours do not
all touch each other. The saddles, from the lowest up, give the level at which the water of a basin finds its way out.
"""

from typing import Any, Final

import numpy as np

from sedcalc.terrain.grid import FloatArray
from sedcalc.terrain.jit import inner, jit, over_rows
from sedcalc.terrain.state import BORDER, COL_STEP, ROW_STEP, StateArray

# Where water goes from a cell: to the neighbour of a number, or nowhere; a bit besides marks saddles and the border.
_BOTTOM: Final = 8
_OUT: Final = 9
_WAY: Final = 15
_SADDLE: Final = 16


def fill(elevation: FloatArray, state: StateArray, limit: float) -> tuple[FloatArray, int, int, float]:
    """Return elevations with depressions filled, the number of these and of the cells raised, and the largest rise.

    Parameters
    ----------
    elevation
        Two-dimensional, contiguous, NaN as nodata; not changed.
    state
        ``BORDER`` is set in all cells where water can leave: on the edge, or beside nodata.
    limit
        Depressions deeper than this are opened at their lowest cell instead, the first stored of equals.
    """
    rows, cols = elevation.shape
    z = elevation.ravel()
    way = np.empty((rows, cols), np.uint8)
    counts = np.empty((rows, 2), np.int64)
    over_rows(_lead_down, rows, elevation, state, way, counts)
    n_bottoms, n_saddles = counts.sum(axis=0)
    bottoms, saddles = np.zeros(n_bottoms + 1, np.int32), np.empty(n_saddles, np.int32)
    basin = np.empty((rows, cols), np.int32)
    over_rows(_list_cells, rows, way, np.cumsum(counts, axis=0) - counts, basin, bottoms, saddles)
    over_rows(_name_basins, rows, way.ravel(), basin.ravel(), cols, ROW_STEP * cols + COL_STEP)
    upwards = saddles[np.argsort(z[saddles])]
    bottom = z[bottoms]
    bottom[0] = -np.inf
    level, pits, deepest = _levels(z, basin.ravel(), bottom, upwards, rows, cols, limit)
    filled = np.empty_like(elevation)
    raised = np.empty(rows, np.int64)
    over_rows(_raise, rows, elevation, basin, level.astype(z.dtype), filled, raised)
    return filled, int(pits), int(raised.sum()), float(deepest)


@jit
def _lead_down(first: int, end: int, z: Any, state: Any, way: Any, counts: Any) -> None:
    """Find the way from each cell of these rows, and the saddles; count bottoms and saddles by row."""
    rows, cols = z.shape
    for r in range(first, end):
        if 0 < r < rows - 1:
            north, here, south, out = z[r - 1], z[r], z[r + 1], way[r]
            for c in range(1, cols - 1):  # without branches, so that it becomes vector instructions
                own = here[c]
                nw, n, ne, w = north[c - 1], north[c], north[c + 1], here[c - 1]
                e, sw, s, se = here[c + 1], south[c - 1], south[c], south[c + 1]
                k, lowest = (0, nw) if nw <= own else (_BOTTOM, own)
                k, lowest = (1, n) if n <= lowest else (k, lowest)
                k, lowest = (2, ne) if ne <= lowest else (k, lowest)
                k, lowest = (3, w) if w <= lowest else (k, lowest)
                k, lowest = (4, e) if e < lowest else (k, lowest)
                k, lowest = (5, sw) if sw < lowest else (k, lowest)
                k, lowest = (6, s) if s < lowest else (k, lowest)
                k = 7 if se < lowest else k
                # Going round, each group of lower neighbours that touch begins behind a side that is not lower.
                groups = np.uint8((n > own) & ((ne <= own) | (e < own)))
                groups += np.uint8((e >= own) & ((se < own) | (s < own)))
                groups += np.uint8((s >= own) & ((sw < own) | (w <= own)))
                groups += np.uint8((w > own) & ((nw <= own) | (n <= own)))
                out[c] = np.uint8(k) | (np.uint8(_SADDLE) if groups > 1 else np.uint8(0))
        bottoms = saddles = 0
        for c in range(cols):
            if state[r, c] & BORDER:
                way[r, c] = _OUT | _SADDLE
            elif np.isnan(z[r, c]):
                way[r, c] = _OUT
            bottoms += (way[r, c] & _WAY) == _BOTTOM
            saddles += way[r, c] >= _SADDLE
        counts[r, 0] = bottoms
        counts[r, 1] = saddles


@jit
def _list_cells(first: int, end: int, way: Any, before: Any, basin: Any, bottoms: Any, saddles: Any) -> None:
    """List bottoms and saddles, and number the basins from 1 at their bottoms; outside is 0, and all else -1 as yet."""
    cols = way.shape[1]
    for r in range(first, end):
        b = before[r, 0]
        s = before[r, 1]
        for c in range(cols):
            to = way[r, c] & _WAY
            basin[r, c] = 0 if to == _OUT else -1
            if to == _BOTTOM:
                b += 1
                bottoms[b] = r * cols + c
                basin[r, c] = b
            if way[r, c] >= _SADDLE:
                saddles[s] = r * cols + c
                s += 1


@jit
def _name_basins(first: int, end: int, way: Any, basin: Any, cols: int, step: Any) -> None:
    """Give the cells of these rows, and those on their way down, the basin in which the way ends.

    Ways meet, so that threads may write to one cell; but a cell has only one way, and all write the same.
    """
    for i in range(first * cols, end * cols):
        last = i
        while basin[last] < 0:
            last += step[way[last] & _WAY]
        j = i
        while j != last:
            basin[j] = basin[last]
            j += step[way[j] & _WAY]


@inner
def _root(parent: Any, i: Any) -> Any:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@jit
def _levels(z: Any, basin: Any, bottom: Any, saddles: Any, rows: int, cols: int, limit: float) -> Any:
    """Return the level to which each basin fills, and number and largest depth of the depressions filled.

    Basins join from the lowest saddle up, each time under the one with the lowest bottom. How deep the other could have
    filled by itself is known then: it is opened if that is over the limit. So is what it joins, which is deeper.
    """
    n = len(bottom)
    numbers = np.empty((3, n), np.int64)  # few kinds of arrays, since each kind takes a while to compile
    parent, joined, under = numbers[0], numbers[1], numbers[2]
    for b in range(n):
        parent[b] = b
    heights = np.empty((2, n))
    at, level = heights[0], heights[1]
    joins = 0
    for i in saddles:
        row = i // cols
        col = i - row * cols
        for k in range(8):
            r = row + ROW_STEP[k]
            c = col + COL_STEP[k]
            if r < 0 or c < 0 or r >= rows or c >= cols:
                continue
            m = r * cols + c
            if z[m] <= z[i] and basin[m] != basin[i]:
                a = _root(parent, basin[i])
                b = _root(parent, basin[m])
                if a != b:
                    if bottom[b] < bottom[a] or (bottom[b] == bottom[a] and b < a):
                        a, b = b, a
                    parent[b] = a
                    joined[joins] = b
                    under[joins] = a
                    at[joins] = z[i]
                    joins += 1
    level[0] = -np.inf
    pits = 0
    deepest = 0.0
    for q in range(joins - 1, -1, -1):
        b = joined[q]
        depth = at[q] - bottom[b]
        if depth > limit:
            level[b] = -np.inf
            continue
        level[b] = max(at[q], level[under[q]])
        if level[b] == at[q] and depth > 0.0:  # where it is higher, it is one depression with what it joins
            pits += 1
            deepest = max(deepest, depth)
    return level, pits, deepest


@jit
def _raise(first: int, end: int, z: Any, basin: Any, level: Any, filled: Any, raised: Any) -> None:
    """Raise these rows to the level of their basins, and count the cells raised."""
    for r in range(first, end):
        count = 0
        for c in range(z.shape[1]):
            to = level[basin[r, c]]
            count += to > z[r, c]
            filled[r, c] = to if to > z[r, c] else z[r, c]
        raised[r] = count
