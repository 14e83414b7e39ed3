"""Making an elevation model drain: depressions filled or kept, flats given a direction.

The state of a cell is one byte. Its two lowest bits hold the distance to the flat's outlet in cells, modulo
3: neighbours in a flat differ by at most one, so that is enough to tell which of two is nearer.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.findings import input_error
from sedcalc.terrain.grid import FloatArray
from sedcalc.terrain.jit import inner, jit, over_rows

LEVEL: Final = 3
FLAT: Final = 4
BORDER: Final = 8
BARRIER: Final = 16
CHANNEL: Final = 32
LOWER_BOUND: Final = 64
VISITED: Final = 128
QUEUED: Final = CHANNEL  # while depressions are filled
SEALED: Final = VISITED  # from routing on: ground that does not erode

StateArray = npt.NDArray[np.uint8]
BoolArray = npt.NDArray[np.bool_]

# Neighbours row by row; kernels and numpy code use the same order.
ROW_STEP: Final = np.array([-1, -1, -1, 0, 0, 1, 1, 1], dtype=np.int64)
COL_STEP: Final = np.array([-1, 0, 1, -1, 1, -1, 0, 1], dtype=np.int64)


def cell_flag(state: StateArray, bit: int) -> BoolArray:
    """Return where a bit of the state is set, e.g. ``CHANNEL``."""
    flags: BoolArray = (state & bit) != 0
    return flags


@dataclass(frozen=True, eq=False)
class Drained:
    """A surface on which every cell but the kept depressions drains.

    Parameters
    ----------
    elevation
        Elevations with depressions filled, unit of the input, NaN as nodata; flats stay flat.
    state
        One byte per cell: bits as named in this module.
    pits_filled
        Number of depressions filled (connected groups of raised cells).
    pits_kept
        Number of depressions deeper than the limit, left as they are.
    cells_raised
        Number of cells raised.
    max_fill
        Largest rise, unit of the input.
    """

    elevation: FloatArray
    state: StateArray
    pits_filled: int
    pits_kept: int
    cells_raised: int
    max_fill: float

    @property
    def flats(self) -> int:
        """Number of cells without a lower neighbour that are no outlet."""
        return int(np.count_nonzero(self.state & FLAT))


def with_walls(elevation: FloatArray, walls: BoolArray) -> FloatArray:
    """Return elevations raised to above the highest ground where water cannot pass.

    Parameters
    ----------
    elevation
        Two-dimensional, NaN as nodata; not changed.
    walls
        True in cells that block water. Where two of them touch only at a corner, the two cells beside the corner are
        raised too, since flow would slip through.

    Notes
    -----
    Water that meets a wall goes round it, or gathers behind it as in a depression. For routing only: slope comes from
    the elevations as they are.
    """
    closed = walls.copy()
    falling = walls[:-1, :-1] & walls[1:, 1:] & ~walls[:-1, 1:] & ~walls[1:, :-1]
    rising = walls[:-1, 1:] & walls[1:, :-1] & ~walls[:-1, :-1] & ~walls[1:, 1:]
    closed[:-1, 1:] |= falling
    closed[1:, :-1] |= falling
    closed[:-1, :-1] |= rising
    closed[1:, 1:] |= rising
    raised = elevation.copy()
    top = float(np.nanmax(elevation)) + 1.0
    raised[closed & ~np.isnan(elevation)] = top
    return raised


def drain(elevation: FloatArray, *, max_fill: float | None = None) -> Drained:
    """Fill depressions and give flats a direction for routing.

    Parameters
    ----------
    elevation
        Two-dimensional float32 or float64, NaN as nodata.
    max_fill
        Depressions deeper than this are kept and end the flow that enters them, unit of `elevation`; 0 keeps
        all; None fills all.

    Returns
    -------
    Drained
        The filled surface, the state of its cells, and what was filled.

    Raises
    ------
    InputError
        `max_fill` is negative or not a number.

    Notes
    -----
    Water can leave at every cell on the edge of the array or beside nodata. The depth of a depression is the
    largest rise within it. A depression inside one that is kept is filled if it is shallow enough by itself.
    Flats drain along the shortest way to a cell with a lower neighbour, and keep their elevation.

    References
    ----------
    .. [1] Barnes, R., Lehman, C., Mulla, D. (2014). Priority-flood: an optimal depression-filling and
       watershed-labeling algorithm for digital elevation models. Computers & Geosciences 62, 117-127.
    .. [2] Zhou, G., Sun, Z., Fu, S. (2016). An efficient variant of the Priority-Flood algorithm for filling
       depressions in raster digital elevation models. Computers & Geosciences 90, 87-96.
    """
    if max_fill is not None and not max_fill >= 0:
        raise input_error("fill-depth", f"the depth limit of filling must be zero or more: {max_fill!r}")
    rows, cols = elevation.shape
    state = _border(elevation)
    filled = np.array(elevation, order="C")
    elevation_1d = np.ascontiguousarray(elevation).ravel()
    pits, raised, deepest = 0, 0, 0.0
    if max_fill != 0:
        limit = np.inf if max_fill is None else float(max_fill)
        z, bits = filled.ravel(), state.ravel()
        _flood(z, bits, rows, cols, _climb_from_border(z, bits, rows, cols))
        cells = np.empty(0, np.int32)
        while True:
            n, raised_by, depth, bottoms, cells = _measure_pits(elevation_1d, z, bits, cols, cells, limit)
            pits, raised, deepest = pits + n, raised + raised_by, max(deepest, depth)
            if len(bottoms) == 0:
                break
            # Undo the filling of the deep ones, and fill them again so that they drain to their bottoms.
            z[cells] = elevation_1d[cells]
            bits[cells] &= ~np.uint8(VISITED)
            bits[bottoms] |= VISITED
            _climb(z, bits, bottoms, len(bottoms), cols)
            _flood(z, bits, rows, cols, cells)
    over_rows(_mark_flats, rows, filled.ravel(), state.ravel(), cols)
    kept = _resolve_flats(filled.ravel(), state.ravel(), rows, cols)
    return Drained(filled, state, int(pits), int(kept), int(raised), float(deepest))


def _border(z: FloatArray) -> StateArray:
    """Return ``BORDER`` where a cell lies on the edge of the array or beside nodata."""
    missing = np.isnan(z)
    state: StateArray = np.zeros(z.shape, np.uint8)
    if missing.any():
        beside = missing.copy()
        beside[1:] |= missing[:-1]
        beside[:-1] |= missing[1:]
        state[:, 1:] |= beside[:, :-1]
        state[:, :-1] |= beside[:, 1:]
        state |= beside
    state[[0, -1], :] = 1
    state[:, [0, -1]] = 1
    state *= np.uint8(BORDER)
    state[missing] = 0
    return state


@inner
def _grown(array: Any) -> Any:
    larger = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):  # a slice takes numba two seconds longer to compile
        larger[i] = array[i]
    return larger


@inner
def _heap_push(keys: Any, cells: Any, size: int, key: Any, cell: Any) -> None:
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if keys[parent] <= key:
            break
        keys[i] = keys[parent]
        cells[i] = cells[parent]
        i = parent
    keys[i] = key
    cells[i] = cell


@inner
def _heap_drop_first(keys: Any, cells: Any, size: int) -> None:
    """Remove the first of `size` entries."""
    last = size - 1
    key = keys[last]
    cell = cells[last]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[i] = keys[child]
        cells[i] = cells[child]
        i = child
    keys[i] = key
    cells[i] = cell


@jit
def _climb(z: Any, state: Any, list_: Any, size: int, cols: int) -> Any:
    """Visit all that rises strictly from the cells listed, and append it to the list; returns the list and its size.

    Such ground drains over the cells listed, whose level is final, and so keeps its elevation.
    """
    head = 0
    while head < size:
        i = int(list_[head])
        head += 1
        for k in range(8):
            n = i + ROW_STEP[k] * cols + COL_STEP[k]
            if not state[n] & VISITED and z[n] > z[i]:
                state[n] |= VISITED
                if size == len(list_):
                    list_ = _grown(list_)
                list_[size] = n
                size += 1
    return list_, size


@jit
def _climb_from_border(z: Any, state: Any, rows: int, cols: int) -> Any:
    """Visit all ground that rises strictly from the border, and return the cells that are left.

    These lie in depressions or behind them, so that the heap that fills them holds no more than their rims.
    """
    waiting = np.empty(4096, np.int32)
    for i in range(rows * cols):
        if state[i] & BORDER or np.isnan(z[i]):
            state[i] |= VISITED
    for start in range(rows * cols):
        if not state[start] & BORDER:
            continue
        waiting[0] = start
        size = 1
        while size > 0:  # depth first, so that few cells wait
            size -= 1
            i = int(waiting[size])
            on_border = state[i] & BORDER
            row = i // cols
            col = i - row * cols
            for k in range(8):
                r = row + ROW_STEP[k]
                c = col + COL_STEP[k]
                if on_border and (r < 0 or c < 0 or r >= rows or c >= cols):
                    continue
                n = r * cols + c
                if not state[n] & VISITED and z[n] > z[i]:
                    state[n] |= VISITED
                    if size == len(waiting):
                        waiting = _grown(waiting)
                    waiting[size] = n
                    size += 1
    left = 0
    for i in range(rows * cols):
        left += not state[i] & VISITED
    rest = np.empty(left, np.int32)
    left = 0
    for i in range(rows * cols):
        if not state[i] & VISITED:
            rest[left] = i
            left += 1
    return rest


@jit
def _flood(z: Any, state: Any, rows: int, cols: int, rest: Any) -> None:
    """Raise those cells of `rest` that are not visited, from the lowest visited cell beside them upwards.

    No cell of `rest` that is not visited is higher than a visited neighbour.
    """
    keys = np.empty(4096, z.dtype)
    cells = np.empty(4096, np.int32)
    size: Any = np.int64(0)  # a bare 0 would be a type of its own, and compile what it is passed to twice
    pit = np.empty(4096, np.int32)
    rising = np.empty(4096, np.int32)
    for i in rest:
        if state[i] & VISITED:
            continue
        for k in range(8):  # cells that are not visited lie inside
            n = i + ROW_STEP[k] * cols + COL_STEP[k]
            if state[n] & VISITED and not state[n] & QUEUED and z[n] >= z[i]:
                state[n] |= QUEUED
                if size == len(keys):
                    keys = _grown(keys)
                    cells = _grown(cells)
                _heap_push(keys, cells, size, z[n], np.int32(n))
                size += 1
    while size > 0:
        pit[0] = cells[0]
        level = keys[0]
        _heap_drop_first(keys, cells, size)
        size -= 1
        state[pit[0]] &= ~np.uint8(QUEUED)
        waiting = 1
        risen: Any = np.int64(0)
        while waiting > 0:
            waiting -= 1
            i = int(pit[waiting])
            on_border = state[i] & BORDER
            row = i // cols
            col = i - row * cols
            for k in range(8):
                r = row + ROW_STEP[k]
                c = col + COL_STEP[k]
                if on_border and (r < 0 or c < 0 or r >= rows or c >= cols):
                    continue
                n = r * cols + c
                if state[n] & VISITED:
                    continue
                state[n] |= VISITED
                if z[n] <= level:
                    z[n] = level
                    if waiting == len(pit):
                        pit = _grown(pit)
                    pit[waiting] = n
                    waiting += 1
                else:
                    if risen == len(rising):
                        rising = _grown(rising)
                    rising[risen] = n
                    risen += 1
        rising, risen = _climb(z, state, rising, risen, cols)
        for q in range(risen):
            i = int(rising[q])
            for k in range(8):
                if not state[i + ROW_STEP[k] * cols + COL_STEP[k]] & VISITED:
                    if size == len(keys):
                        keys = _grown(keys)
                        cells = _grown(cells)
                    _heap_push(keys, cells, size, z[i], np.int32(i))
                    size += 1
                    break


@jit
def _measure_pits(original: Any, z: Any, state: Any, cols: int, candidates: Any, limit: float) -> Any:
    """Group raised cells into depressions, starting from `candidates` (all cells where that is empty).

    Returns number, cells and largest rise of those up to `limit`, and the lowest cells and all cells of the
    others.
    """
    everywhere = len(candidates) == 0
    n = len(z) if everywhere else len(candidates)
    for q in range(n):
        state[q if everywhere else candidates[q]] &= ~np.uint8(VISITED)
    group = np.empty(4096, np.int32)
    deep = np.empty(4096, np.int32)
    n_deep = 0
    bottoms = np.empty(16, np.int32)
    found = 0
    pits = 0
    raised = 0
    deepest = 0.0
    for q in range(n):
        start = q if everywhere else int(candidates[q])
        if state[start] & VISITED or not z[start] > original[start]:
            continue
        # Raised cells lie inside: cells on the border are never raised.
        group[0] = start
        state[start] |= VISITED
        head = 0
        tail = 1
        depth = 0.0
        bottom = start
        while head < tail:
            i = int(group[head])
            head += 1
            depth = max(depth, np.float64(z[i]) - np.float64(original[i]))
            if original[i] < original[bottom]:
                bottom = i
            for k in range(8):
                m = i + ROW_STEP[k] * cols + COL_STEP[k]
                if not state[m] & VISITED and z[m] > original[m]:
                    state[m] |= VISITED
                    if tail == len(group):
                        group = _grown(group)
                    group[tail] = m
                    tail += 1
        if depth > limit:
            if found == len(bottoms):
                bottoms = _grown(bottoms)
            bottoms[found] = bottom
            found += 1
            while n_deep + tail > len(deep):
                deep = _grown(deep)
            for i in range(tail):
                deep[n_deep + i] = group[i]
            n_deep += tail
        else:
            pits += 1
            raised += tail
            deepest = max(deepest, depth)
    for q in range(n):
        state[q if everywhere else candidates[q]] |= VISITED
    return pits, raised, deepest, bottoms[:found].copy(), deep[:n_deep].copy()


@jit
def _mark_flats(first: int, end: int, z: Any, state: Any, cols: int) -> None:
    for r in range(first, end):
        for c in range(cols):
            i = r * cols + c
            state[i] &= BORDER
            if state[i] & BORDER or np.isnan(z[i]):
                continue
            lower = False
            for k in range(8):
                if z[i + ROW_STEP[k] * cols + COL_STEP[k]] < z[i]:
                    lower = True
                    break
            if not lower:
                state[i] |= FLAT


@jit
def _resolve_flats(z: Any, state: Any, rows: int, cols: int) -> int:
    """Count the cells of flats outwards from their outlets.

    Returns the number of flats without an outlet (the bottoms of depressions); their cells stay at distance
    0.
    """
    queue = np.empty(4096, np.int32)
    tail = 0
    for i in range(rows * cols):
        if state[i] & FLAT:
            for k in range(8):
                n = i + ROW_STEP[k] * cols + COL_STEP[k]
                if z[n] == z[i] and not state[n] & FLAT:
                    state[i] |= VISITED | 1
                    if tail == len(queue):
                        queue = _grown(queue)
                    queue[tail] = i
                    tail += 1
                    break
    head = 0
    while head < tail:
        i = int(queue[head])
        head += 1
        level = ((state[i] & LEVEL) + 1) % 3
        for k in range(8):
            n = i + ROW_STEP[k] * cols + COL_STEP[k]
            if z[n] == z[i] and state[n] & FLAT and not state[n] & VISITED:
                state[n] |= VISITED | level
                if tail == len(queue):
                    queue = _grown(queue)
                queue[tail] = n
                tail += 1
    closed = 0
    for start in range(rows * cols):
        if state[start] & FLAT and not state[start] & VISITED:
            closed += 1
            state[start] |= VISITED
            head = tail
            if tail == len(queue):
                queue = _grown(queue)
            queue[tail] = start
            tail += 1
            while head < tail:
                i = int(queue[head])
                head += 1
                for k in range(8):
                    n = i + ROW_STEP[k] * cols + COL_STEP[k]
                    if z[n] == z[i] and not state[n] & VISITED:
                        state[n] |= VISITED
                        if tail == len(queue):
                            queue = _grown(queue)
                        queue[tail] = n
                        tail += 1
    for q in range(tail):
        state[queue[q]] &= ~np.uint8(VISITED)
    return closed
