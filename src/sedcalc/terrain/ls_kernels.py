"""Kernels of LS: slope and LS of a row of cells at a time, with what is counted and added up of them."""

from typing import Any, Final

import numpy as np

from sedcalc.factors import slope_kernels, topography
from sedcalc.terrain import powers  # noqa: F401  compiled code finds its power there
from sedcalc.terrain.jit import inner, jit
from sedcalc.terrain.routing import _D8, _DINF
from sedcalc.terrain.state import BARRIER, CHANNEL, FLAT, LOWER_BOUND, SEALED
from sedcalc.units import FOOT_M

SLOPE_CLASSES_PCT: Final = (0.0, 2.0, 5.0, 9.0, 20.0, 33.34, topography.MAX_SLOPE_PCT)
"""Edges of the slope classes, percent; a class includes its lower edge, and the last its upper one too."""

_ROOT2: Final = 2.0**0.5
STEEPEST: Final = (topography.MAX_SLOPE_PCT + topography.SLOPE_TOLERANCE_PCT) / 100
_LONG_M: Final = topography.LONG_LENGTH_FT * FOOT_M
CLASS_EDGES: Final = (
    *((edge - topography.SLOPE_TOLERANCE_PCT) / 100 for edge in SLOPE_CLASSES_PCT[1:-2]),
    SLOPE_CLASSES_PCT[-2] / 100,
)
"""Slopes, rise over run, from which a cell is in the next class; 33.34 % is a tolerance beyond 3H:1V already."""

_EDGE_1, _EDGE_2, _EDGE_3, _EDGE_4, _EDGE_5 = CLASS_EDGES
_UNIT_PLOT_M: Final = slope_kernels.LAMBDA0_M
_UNIT_PLOT_PUBLISHED_M: Final = slope_kernels.LAMBDA0_DESMET_GOVERS_M

# Columns of the counts of a row of cells; the first eight are bits of the flags of each cell as well, those that its
# state has at their place in it.
LONG, CAPPED, FLATS, OVER_60, BARRIERS, CHANNELS, BOUND, COVERED, CLASS0 = range(9)
N_CLASSES: Final = len(SLOPE_CLASSES_PCT) - 1
_LONG_BIT, _CAPPED_BIT, _STEEP_BIT = 1 << LONG, 1 << CAPPED, 1 << OVER_60
_OF_STATE: Final = FLAT | BARRIER | CHANNEL | LOWER_BOUND | SEALED
_NOT_A_BOUND: Final = 255 ^ LOWER_BOUND
# What is counted of each kind of cell.
_OF_ERODING: Final = BARRIER | FLAT | LOWER_BOUND | _LONG_BIT | _CAPPED_BIT
_OF_CHANNEL: Final = BARRIER | CHANNEL
_OF_SEALED: Final = BARRIER | SEALED
_OF_STEEP: Final = BARRIER | _STEEP_BIT

_steepness = inner(slope_kernels.kernel_steepness)
_steepness_ah537 = inner(slope_kernels.kernel_steepness_ah537)
_steepness_nearing = inner(slope_kernels.kernel_steepness_nearing)
_length_exponent = inner(slope_kernels.kernel_length_exponent)
_length_exponent_ah537 = inner(slope_kernels.kernel_length_exponent_ah537)
_mean_l = inner(slope_kernels.kernel_mean_l)


def variant_of(method: str) -> tuple[int, int] | None:
    """Return the kernel numbers of S and m of a method of `topography.PROFILE_METHODS`.

    None stands for ``"rusle"``, so that the default compiles without what only others need.
    """
    if method == "rusle":
        return None
    s_method, m_method = topography.PROFILE_METHODS[method]
    return ("mccool", "ah537", "nearing").index(s_method), ("rusle", "ah537").index(m_method)


@inner
def _steepness_by(variant: Any, s: Any) -> Any:
    if variant is None or variant[0] == 0:
        return _steepness(s)
    return _steepness_ah537(s) if variant[0] == 1 else _steepness_nearing(s)


@inner
def _length_exponent_by(variant: Any, s: Any, ratio: Any) -> Any:
    if variant is None or variant[1] == 0:
        return _length_exponent(s, ratio)
    return _length_exponent_ah537(s + topography.SLOPE_TOLERANCE_PCT / 100)


@jit
def mean_step(east: Any, south: Any, norm: Any, sharing: Any) -> Any:
    """Return the mean downslope step, in cells, of a method on a plane with this gradient of length `norm`."""
    large = max(abs(east), abs(south))
    small = min(abs(east), abs(south))
    if norm == 0.0:
        return 1.0
    if sharing is None:
        return norm / (large + (_ROOT2 - 1.0) * small)
    method, exponent, diagonal_weight = sharing
    cardinal = large / norm
    diagonal = (large + small) / (_ROOT2 * norm)
    if method == _D8:
        return cardinal if cardinal >= diagonal else _ROOT2 * diagonal
    if method == _DINF:
        share = np.arctan2(small, large) / (0.25 * np.pi)
        return (1.0 - share) * cardinal + share * _ROOT2 * diagonal
    cardinal2 = small / norm
    diagonal2 = (large - small) / (_ROOT2 * norm)
    weights = cardinal**exponent + cardinal2**exponent
    weights += diagonal_weight * (diagonal**exponent + diagonal2**exponent)
    steps = cardinal ** (exponent + 1.0) + cardinal2 ** (exponent + 1.0)
    steps += _ROOT2 * diagonal_weight * (diagonal ** (exponent + 1.0) + diagonal2 ** (exponent + 1.0))
    return steps / weights


@inner
def _gradient_of_row(z: Any, edge: Any, r: int, east: Any, south: Any) -> None:
    """Fill in the rise per cell of a row: Horn's inside, on the border that of its edge."""
    rows, cols = z.shape
    if 0 < r < rows - 1:
        north, here, below = z[r - 1], z[r], z[r + 1]
        for c in range(1, cols - 1):  # differences first: they are exact between like numbers, and cancel
            nw = np.float64(north[c - 1])
            ne = np.float64(north[c + 1])
            sw = np.float64(below[c - 1])
            se = np.float64(below[c + 1])
            east[c] = ((ne - nw) + (se - sw) + 2.0 * (np.float64(here[c + 1]) - np.float64(here[c - 1]))) / 8.0
            south[c] = ((sw - nw) + (se - ne) + 2.0 * (np.float64(below[c]) - np.float64(north[c]))) / 8.0
    start, col, rise_east, rise_south = edge
    for q in range(start[r], start[r + 1]):
        east[col[q]], south[col[q]] = rise_east[q], rise_south[q]


@inner
def _steps_of_row(east: Any, south: Any, norm: Any, step: Any, sharing: Any, published: bool) -> None:
    """Fill in the length of the gradient and the mean step, in cells; published: that of Desmet and Govers' width."""
    if sharing is None:
        minor = 1.0 if published else _ROOT2 - 1.0
        for c in range(len(east)):
            x = abs(east[c])
            y = abs(south[c])
            length = (x * x + y * y) ** 0.5
            norm[c] = length
            step[c] = length / (max(x, y) + minor * min(x, y)) if length > 0.0 else 1.0
    else:
        for c in range(len(east)):
            length = (east[c] * east[c] + south[c] * south[c]) ** 0.5
            norm[c] = length
            step[c] = mean_step(east[c], south[c], length, sharing)


@jit
def ls_of_rows(
    first: int,
    end: int,
    z: Any,
    state: Any,
    edge: Any,
    area: Any,
    slope: Any,
    ls: Any,
    counts: Any,
    sums: Any,
    cell: float,
    rise_to_slope: float,
    ratio: float,
    variant: Any,
    sharing: Any,
    published: bool,
    max_length: float,
) -> None:
    """Fill the rows of `slope` and `ls`, and count and add up each row; `edge` has the fields of an `Edge`.

    Loops over a row do one thing each, without branches, so that they become vector instructions.
    """
    cols = z.shape[1]
    # Few kinds of arrays, since each kind takes a while to compile.
    work = np.empty((5, cols))
    east, south, steepness, step, value = work[0], work[1], work[2], work[3], work[4]
    marks = np.empty((2, cols), np.uint8)
    limits, kind = marks[0], marks[1]
    tally = np.empty((8, N_CLASSES + 1))
    unit_plot = _UNIT_PLOT_PUBLISHED_M if published else _UNIT_PLOT_M
    per_cell = 1.0 / (cell * cell)
    for r in range(first, end):
        _gradient_of_row(z, edge, r, east, south)
        _steps_of_row(east, south, steepness, step, sharing, published)
        for c in range(cols):
            s = steepness[c] * rise_to_slope
            stretch = step[c] * cell
            reach = area[r, c] * stretch * per_cell  # area over width, where width is the cell's area over its stretch
            longest = max_length - stretch
            length = max(min(reach, longest), 0.0)
            m = _length_exponent_by(variant, s, ratio)
            value[c] = _steepness_by(variant, s) * _mean_l(length, stretch, m, unit_plot)
            steepness[c] = s
            limits[c] = (reach + stretch > _LONG_M) * _LONG_BIT + (reach > longest) * _CAPPED_BIT + _STEEP_BIT
        _count_row(z[r], state[r], steepness, value, limits, kind, tally, slope[r], ls[r], counts[r], sums[r])


@inner
def _count_row(
    z: Any,
    state: Any,
    steepness: Any,
    value: Any,
    limits: Any,
    kind: Any,
    tally: Any,
    slope: Any,
    ls: Any,
    counts: Any,
    sums: Any,
) -> None:
    """Write a row of `slope` and `ls`, and count and add it up.

    `limits` becomes the flags of each cell and `kind` its class, bytes of which many go into one instruction. Where
    slope length is cut to its limit, more area would change nothing: `state` no longer calls the cell a lower bound.
    """
    for c in range(len(z)):
        state[c] &= np.uint8(_NOT_A_BOUND if limits[c] & _CAPPED_BIT else 255)
    seen = np.uint8(0)
    for c in range(len(z)):
        s = steepness[c]
        bits = state[c]
        known = z[c] == z[c]
        channel = (bits & CHANNEL) != 0
        sealed = known & ((bits & (CHANNEL | SEALED)) == SEALED)
        erodes = known & ((bits & (CHANNEL | SEALED)) == 0) & (s <= STEEPEST)
        slope[c] = s if known else np.nan
        ls[c] = value[c] if erodes else (0.0 if sealed else np.nan)
        k = (s >= _EDGE_1) + (s >= _EDGE_2) + (s >= _EDGE_3) + (s >= _EDGE_4) + (s >= _EDGE_5)
        kind[c] = k if erodes else N_CLASSES
        counted = _OF_ERODING if erodes else (_OF_CHANNEL if channel else (_OF_SEALED if sealed else _OF_STEEP))
        flags = (bits & _OF_STATE | limits[c]) & (counted if known else 0)
        limits[c] = flags
        seen |= np.uint8(flags)
    for flag in range(CLASS0):
        cells = 0
        if seen >> flag & 1:
            for c in range(len(z)):
                cells += limits[c] >> flag & 1
        counts[flag] = cells
    # Four sums and four counts in turn, since one would have to wait for itself; the last class is of cells left out.
    tally[:] = 0.0
    largest = 0.0
    for c in range(len(z)):
        k = kind[c]
        tally[c & 3, k] += value[c]
        tally[4 + (c & 3), k] += 1.0
        largest = max(largest, value[c] if k < N_CLASSES else 0.0)
    for k in range(N_CLASSES):
        sums[k] = (tally[0, k] + tally[1, k]) + (tally[2, k] + tally[3, k])
        counts[CLASS0 + k] = np.int64((tally[4, k] + tally[5, k]) + (tally[6, k] + tally[7, k]))
    sums[N_CLASSES] = largest
