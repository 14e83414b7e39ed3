"""Making an elevation model drain: depressions filled or kept, flats given a direction."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sedcalc.findings import input_error
from sedcalc.terrain.filling import fill
from sedcalc.terrain.grid import FloatArray, check_shape
from sedcalc.terrain.jit import inner, jit, over_rows
from sedcalc.terrain.state import BORDER, COL_STEP, FLAT, LEVEL, ROW_STEP, VISITED, BoolArray, StateArray, cell_flag


@dataclass(frozen=True, eq=False)
class Drained:
    """A surface on which every cell but the kept depressions drains.

    Parameters
    ----------
    elevation
        Elevations with depressions filled, unit of the input, NaN as nodata; flats stay flat.
    state
        One byte per cell, bits as in `sedcalc.terrain.state`.
    pits_filled
        Number of depressions filled (connected groups of raised cells).
    pits_kept
        Number of depressions deeper than the limit, left as they are.
    cells_raised
        Number of cells raised.
    max_fill
        Largest rise, unit of the input.
    gaps
        True in nodata within the surface, which does not reach its edge; None where there is none.
    """

    elevation: FloatArray
    state: StateArray
    pits_filled: int
    pits_kept: int
    cells_raised: int
    max_fill: float
    gaps: BoolArray | None

    @property
    def flats(self) -> int:
        """Number of cells without a lower neighbour that are no outlet."""
        return int(np.count_nonzero(cell_flag(self.state, FLAT)))


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
        `max_fill` is negative or not a number, there are not two dimensions or no cells, or one is infinite.

    Notes
    -----
    Water can leave at every cell on the edge of the array, or beside nodata that reaches it. Nodata within the surface
    stands in its way like a wall. The depth of a depression is the largest rise within it. A depression inside one that
    is kept is filled if it is shallow enough by itself. Flats drain along the shortest way to a cell with a lower
    neighbour, and keep their elevation.

    References
    ----------
    .. [1] Cordonnier, G., Bovy, B., Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
       topographies with depressions. Earth Surface Dynamics 7, 549-562.
    .. [2] Edelsbrunner, H., Letscher, D., Zomorodian, A. (2002). Topological persistence and simplification. Discrete
       & Computational Geometry 28, 511-533.
    """
    if max_fill is not None and not max_fill >= 0:
        raise input_error("fill-depth", f"the depth limit of filling must be zero or more: {max_fill!r}")
    check_shape(elevation.shape, "elevation")
    if np.isinf(elevation).any():
        raise input_error("grid-infinite", "elevation is infinite in a cell or more; mark them as nodata (NaN)")
    z = np.ascontiguousarray(elevation)
    rows = len(z)
    gaps = _gaps(z)
    if gaps is not None:
        z = np.where(gaps, np.nanmax(z) + z.dtype.type(1), z)
    state = _border(z)
    if max_fill == 0:
        filled, pits, raised, deepest = z.copy(), 0, 0, 0.0
    else:
        filled, pits, raised, deepest = fill(z, state, np.inf if max_fill is None else float(max_fill))
    over_rows(_mark_flats, rows, filled, state)
    over_rows(_mark_outlets, rows, filled, state)
    kept = _resolve_flats(filled.ravel(), state.ravel(), z.shape[1])
    state &= np.uint8(~VISITED & 255)
    if gaps is not None:
        filled[gaps] = np.nan
        state[_beside(gaps)] |= BORDER
        state[np.isnan(filled)] = 0
    return Drained(filled, state, pits, kept, raised, deepest, gaps)


def _resolve_flats(z: FloatArray, state: StateArray, cols: int) -> int:
    """Count the cells of flats outwards from their outlets.

    Returns the number of flats without an outlet (the bottoms of depressions); their cells stay at distance 0.
    """
    step = ROW_STEP * cols + COL_STEP
    queue = np.empty(np.count_nonzero(state & FLAT) + len(step), np.int32)
    outlets = np.flatnonzero(state & VISITED)
    queue[: len(outlets)] = outlets
    _level_flats(z, state, queue, len(outlets), step)
    rest = np.flatnonzero(state & (FLAT | VISITED) == FLAT)
    return int(_count_flats(z, state, queue, rest, step))


def _gaps(z: FloatArray) -> BoolArray | None:
    """Return nodata that is not connected with the edge of the array, by sides or corners; None where there is none."""
    missing = np.isnan(z)
    if not missing[1:-1, 1:-1].any():
        return None
    from scipy.ndimage import binary_propagation

    reaching = missing.copy()
    reaching[1:-1, 1:-1] = False
    gaps: BoolArray = missing & ~binary_propagation(reaching, structure=np.ones((3, 3), np.bool_), mask=missing)
    return gaps if gaps.any() else None


def _border(z: FloatArray) -> StateArray:
    """Return ``BORDER`` where a cell lies on the edge of the array or beside nodata."""
    missing = np.isnan(z)
    state: StateArray = np.zeros(z.shape, np.uint8)
    if missing.any():
        state[_beside(missing)] = BORDER
    state[[0, -1], :] = BORDER
    state[:, [0, -1]] = BORDER
    state[missing] = 0
    return state


def _beside(cells: BoolArray) -> BoolArray:
    """Return where cells are, or one is a neighbour."""
    column = cells.copy()
    column[1:] |= cells[:-1]
    column[:-1] |= cells[1:]
    near = column.copy()
    near[:, 1:] |= column[:, :-1]
    near[:, :-1] |= column[:, 1:]
    return near


@jit
def _mark_flats(first: int, end: int, z: Any, state: Any) -> None:
    """Mark cells that have no lower neighbour and do not lie on the border."""
    rows, cols = z.shape
    for r in range(max(first, 1), min(end, rows - 1)):
        north, here, south, bits = z[r - 1], z[r], z[r + 1], state[r]
        for c in range(1, cols - 1):  # without branches, so that it becomes vector instructions
            lowest = min(min(north[c - 1], north[c]), min(north[c + 1], here[c - 1]))
            lowest = min(lowest, min(min(here[c + 1], south[c - 1]), min(south[c], south[c + 1])))
            bits[c] |= np.uint8(FLAT) if (here[c] <= lowest) & (bits[c] == 0) else np.uint8(0)


@jit
def _mark_outlets(first: int, end: int, z: Any, state: Any) -> None:
    """Mark cells of flats beside a cell of the same elevation that has a lower neighbour: level 1, and visited."""
    rows, cols = z.shape
    for r in range(max(first, 1), min(end, rows - 1)):
        for c in range(1, cols - 1):
            if state[r, c] & FLAT:
                for k in range(8):
                    i = r + ROW_STEP[k]
                    j = c + COL_STEP[k]
                    if z[i, j] == z[r, c] and not state[i, j] & FLAT:
                        state[r, c] |= VISITED | 1
                        break


@inner
def _queue_around(z: Any, state: Any, queue: Any, tail: Any, i: Any, mark: Any, step: Any) -> Any:
    """Visit and queue the cells around one that lie in the same flat; returns the end of the queue."""
    for k in range(8):  # without branches, which would be taken at random here
        n = i + step[k]
        new = (z[n] == z[i]) & (state[n] & (FLAT | VISITED) == FLAT)
        state[n] |= mark if new else np.uint8(0)
        queue[tail] = n
        tail += int(new)
    return tail


@jit
def _level_flats(z: Any, state: Any, queue: Any, tail: int, step: Any) -> None:
    """Count the levels of flats outwards from their outlets, which are queued."""
    head = 0
    while head < tail:
        i = queue[head]
        head += 1
        mark = np.uint8(VISITED | ((state[i] & LEVEL) + 1) % 3)
        tail = _queue_around(z, state, queue, tail, i, mark, step)


@jit
def _count_flats(z: Any, state: Any, queue: Any, cells: Any, step: Any) -> int:
    """Count the flats in which the cells lie, and visit them."""
    found = 0
    for start in cells:
        if state[start] & VISITED:
            continue
        found += 1
        state[start] |= VISITED
        queue[0] = start
        head = 0
        tail = 1
        while head < tail:
            i = queue[head]
            head += 1
            tail = _queue_around(z, state, queue, tail, i, np.uint8(VISITED), step)
    return found
