"""Water that follows the steepest way down, from each cell to one neighbour (D8)."""

from typing import Any, Final

import numpy as np

from sedcalc.terrain.jit import inner, jit
from sedcalc.terrain.state import (
    BARRIER,
    BORDER,
    CHANNEL,
    COL_STEP,
    FLAT,
    LEVEL,
    LOWER_BOUND,
    LOWER_BOUND_SHARE,
    ROW_STEP,
)

NO_WAY: Final = 8
"""In place of a neighbour's number, where a cell passes nothing on."""

DIAGONAL: Final = np.array([1, 0, 1, 0, 0, 1, 0, 1], dtype=np.bool_)
INVERSE_STEP: Final = np.where(DIAGONAL, 1.0 / 2.0**0.5, 1.0)
_SHORT: Final = 1.0 / 2.0**0.5


@inner
def gives(zi: Any, zn: Any, state_i: Any, state_n: Any) -> bool:
    """Whether cell n depends on cell i: i is higher, or as high in a flat and one step farther from its outlet."""
    if zi > zn:
        return True
    return bool(state_i & FLAT and zi == zn and ((state_n & LEVEL) + 1) % 3 == state_i & LEVEL)


@inner
def steepest(drop: Any) -> int:
    """Return the neighbour towards which the slope is largest, the first of equals; -1 where there is none."""
    best = -1
    largest = 0.0
    for k in range(8):
        slope = drop[k] * INVERSE_STEP[k]
        best = k if slope > largest else best
        largest = max(slope, largest)
    return best


@inner
def close_corners(drop: Any, state: Any, row: int, col: int, cols: int) -> None:
    """Set to 0 what goes diagonally between two barrier cells."""
    for k in range(8):
        if DIAGONAL[k] and drop[k] > 0.0:
            beside = row * cols + col + COL_STEP[k]
            above = (row + ROW_STEP[k]) * cols + col
            if state[beside] & BARRIER and state[above] & BARRIER:
                drop[k] = 0.0


@inner
def _fall(zi: Any, zn: Any, state_n: Any, wanted: Any) -> Any:
    """Return the fall to a neighbour: in a flat 1 towards its outlet, where the neighbour's level is the one wanted."""
    fall = np.float64(zi) - np.float64(zn)
    return 1.0 if (fall == 0.0) & (state_n & LEVEL == wanted) else fall


@jit
def steepest_ways(
    first: int, end: int, z: Any, state: Any, edge_start: Any, edge_col: Any, leaves: Any, stops: int, way: Any
) -> None:
    """Fill in the neighbour to which each cell drains; those whose state has one of the bits of `stops` do not.

    Border cells whose water leaves over the border do not either; see `sedcalc.terrain.edges`.
    """
    rows, cols = z.shape
    drop = np.empty(8, np.float64)
    for r in range(first, end):
        inside = 0 < r < rows - 1
        if inside:
            north, here, south = z[r - 1], z[r], z[r + 1]
            bits_n, bits, bits_s = state[r - 1], state[r], state[r + 1]
            for c in range(1, cols - 1):  # without branches, so that it becomes vector instructions
                own = here[c]
                nearer = 2 if bits[c] & LEVEL == 0 else (bits[c] & LEVEL) - 1
                wanted = nearer if bits[c] & FLAT else 4  # no cell has level 4
                wall_n, wall_s = bits_n[c] & BARRIER, bits_s[c] & BARRIER
                wall_w, wall_e = bits[c - 1] & BARRIER, bits[c + 1] & BARRIER
                nw = 0.0 if wall_n & wall_w else _SHORT * _fall(own, north[c - 1], bits_n[c - 1], wanted)
                n = _fall(own, north[c], bits_n[c], wanted)
                ne = 0.0 if wall_n & wall_e else _SHORT * _fall(own, north[c + 1], bits_n[c + 1], wanted)
                w = _fall(own, here[c - 1], bits[c - 1], wanted)
                e = _fall(own, here[c + 1], bits[c + 1], wanted)
                sw = 0.0 if wall_s & wall_w else _SHORT * _fall(own, south[c - 1], bits_s[c - 1], wanted)
                s = _fall(own, south[c], bits_s[c], wanted)
                se = 0.0 if wall_s & wall_e else _SHORT * _fall(own, south[c + 1], bits_s[c + 1], wanted)
                k = NO_WAY
                largest = 0.0
                k, largest = (0, nw) if nw > largest else (k, largest)
                k, largest = (1, n) if n > largest else (k, largest)
                k, largest = (2, ne) if ne > largest else (k, largest)
                k, largest = (3, w) if w > largest else (k, largest)
                k, largest = (4, e) if e > largest else (k, largest)
                k, largest = (5, sw) if sw > largest else (k, largest)
                k, largest = (6, s) if s > largest else (k, largest)
                k = 7 if se > largest else k
                way[r, c] = NO_WAY if bits[c] & stops else k
        for c in range(0, cols, max(cols - 1, 1) if inside else 1):
            way[r, c] = NO_WAY  # where there is no elevation
        for q in range(edge_start[r], edge_start[r + 1]):
            c = edge_col[q]
            for k in range(8):
                i = r + ROW_STEP[k]
                j = c + COL_STEP[k]
                drop[k] = 0.0
                if 0 <= i < rows and 0 <= j < cols and gives(z[r, c], z[i, j], state[r, c], state[i, j]):
                    drop[k] = np.float64(z[r, c]) - np.float64(z[i, j]) if z[r, c] > z[i, j] else 1.0
                    if DIAGONAL[k] and state[r, j] & BARRIER and state[i, c] & BARRIER:
                        drop[k] = 0.0
            k = steepest(drop)
            stays = k >= 0 and not state[r, c] & stops and not leaves[q]
            way[r, c] = k if stays else NO_WAY


@jit
def add_up(
    way: Any, state: Any, donors: Any, area: Any, through_border: Any, step: Any, cell_area: float, threshold: float
) -> None:
    """Pass area on along the ways from the divides down; `donors` comes as zeros."""
    done = np.uint8(255)
    for i in range(len(way)):
        if way[i] != NO_WAY:
            donors[i + step[way[i]]] += 1
    for start in range(len(way)):
        i = start
        while donors[i] == 0:
            donors[i] = done
            through = area[i] + cell_area
            if through >= threshold:
                state[i] |= CHANNEL
            if state[i] & BORDER:
                through_border[i] = through
            if through_border[i] >= LOWER_BOUND_SHARE * through:
                state[i] |= LOWER_BOUND
            if way[i] == NO_WAY:
                break
            n = i + step[way[i]]
            area[n] += through
            through_border[n] += through_border[i]
            donors[n] -= 1
            i = n
