"""Area carried downslope from cell to cell: one receiver, several, or two by the angle of a facet.

Cells are visited from the divides down in the order of a single graph, in which a cell depends on every
higher neighbour; all routing methods use receivers of that graph. Fractions are worked out when a cell is
visited, and never stored.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from sedcalc.findings import input_error
from sedcalc.terrain.conditioning import (
    BARRIER,
    BORDER,
    CHANNEL,
    COL_STEP,
    FLAT,
    LEVEL,
    LOWER_BOUND,
    ROW_STEP,
    SEALED,
    BoolArray,
    Drained,
    StateArray,
    _grown,
    cell_flag,
)
from sedcalc.terrain.jit import inner, jit, over_rows

Border = Literal["interior", "outlets"]

ROUTINGS: Final = ("mfd", "mfd-freeman", "mfd-quinn", "d8", "dinf")
"""Names of the routing methods, the default first."""

_D8, _MFD, _MFD_GENERAL, _DINF = 0, 1, 2, 3
_ROOT2: Final = 2.0**0.5
_DIAGONAL: Final = np.array([1, 0, 1, 0, 0, 1, 0, 1], dtype=np.bool_)
_INVERSE_STEP: Final = np.where(_DIAGONAL, 1.0 / _ROOT2, 1.0)
_FACETS: Final = np.array([[1, 0], [1, 2], [3, 0], [3, 5], [4, 2], [4, 7], [6, 5], [6, 7]], dtype=np.int64)
LOWER_BOUND_SHARE: Final = 0.01
"""Share of a cell's area that has come through cells on the border, from which it counts as a lower bound.

Land beyond the border adds to the area of border cells, and so to the cells below them by their share. Where it is ten
times what the border cells have within the grid, a share of 1 % means 10 % more area, and by the exponent of slope
length (0.83 at 60 %, high ratio) up to 8 % more LS."""

_QUINN_DIAGONAL: Final = 0.5 / _ROOT2 / 0.5  # contour lengths 0.354 and 0.5 of a cell


@dataclass(frozen=True, eq=False)
class Routed:
    """Contributing areas of a routed surface.

    Parameters
    ----------
    area_in_m2
        Area that drains into each cell, without the cell itself, m2, float64; NaN where there is no
        elevation.
    state
        One byte per cell, bits as in `sedcalc.terrain.conditioning`; now with barriers, channels, sealed ground and
        lower bounds.
    through_border_m2
        Area that reaches or lies in each cell and has come through a cell on the border, the cell's own included
        where it is one, m2, float32.
    """

    area_in_m2: npt.NDArray[np.float64]
    state: StateArray
    through_border_m2: npt.NDArray[np.float32]

    @property
    def channels(self) -> BoolArray:
        """True in channels."""
        return cell_flag(self.state, CHANNEL)

    @property
    def lower_bound(self) -> BoolArray:
        """True where `LOWER_BOUND_SHARE` of the area or more has come through the border, and more may do so."""
        return cell_flag(self.state, LOWER_BOUND)


def method_numbers(routing: str) -> tuple[int, float, float]:
    """Return kernel number, exponent, and weight of a diagonal relative to a cardinal, of a routing method.

    Raises
    ------
    InputError
        The name is unknown.
    """
    numbers = {
        "d8": (_D8, 1.0, 1.0),
        "mfd": (_MFD, 1.0, 1.0),
        "mfd-freeman": (_MFD_GENERAL, 1.1, 1.0),
        "mfd-quinn": (_MFD_GENERAL, 1.0, _QUINN_DIAGONAL),
        "dinf": (_DINF, 1.0, 1.0),
    }
    if routing not in numbers:
        known = ", ".join(ROUTINGS)
        raise input_error("routing-unknown", f"routing {routing!r} is not known; give one of {known}")
    return numbers[routing]


def route(
    drained: Drained,
    cell_m: float,
    *,
    routing: str = "mfd",
    barriers: BoolArray | None = None,
    channels: BoolArray | None = None,
    sealed: BoolArray | None = None,
    channel_threshold_m2: float | None = None,
    border: Border = "interior",
) -> Routed:
    """Route contributing area over a surface that drains.

    Parameters
    ----------
    drained
        Surface from `sedcalc.terrain.conditioning.drain`; not changed.
    cell_m
        Side of a cell, m, over 0.
    routing
        ``"mfd"``: to all lower neighbours in proportion to the slope towards them (Freeman with exponent 1);
        ``"mfd-freeman"``: exponent 1.1; ``"mfd-quinn"``: slope times contour length; ``"d8"``: to the
        steepest neighbour; ``"dinf"``: to the two neighbours beside the steepest direction, in flats to one.
    barriers
        True where slope length ends: the cell passes nothing on.
    channels
        True in known channels: as barriers, and marked as channels.
    sealed
        True on ground that does not erode (pavement, roofs): it passes water on, and is only marked.
    channel_threshold_m2
        Area, m2, from which a cell is a channel; it then drains to its steepest neighbour alone, so that the
        channel goes on. None: no channels by area.
    border
        ``"interior"``: cells on the edge or beside nodata drain to a lower neighbour, and are outlets only
        where there is none. ``"outlets"``: they are all outlets.

    Returns
    -------
    Routed
        Contributing area and state of each cell.

    Raises
    ------
    InputError
        A name is unknown, a mask has another shape or is not boolean, the threshold or `cell_m` is not
        positive.

    Notes
    -----
    Cells without elevation neither receive nor give. Flow does not slip between two barrier cells that touch
    at a corner. Cells on the border, and those that get `LOWER_BOUND_SHARE` of their area or more through such
    cells, are marked as lower bounds, as their area may reach beyond the grid [4]_. Areas are float64 sums: whole
    cells are exact up to 2^53.

    References
    ----------
    .. [1] Freeman, T.G. (1991). Calculating catchment area with divergent flow based on a regular grid.
    Computers &
       Geosciences 17(3), 413-422.
    .. [2] Quinn, P., Beven, K., Chevallier, P., Planchon, O. (1991). The prediction of hillslope flow paths
    for
       distributed hydrological modelling using digital terrain models. Hydrological Processes 5(1), 59-79.
    .. [3] O'Callaghan, J.F., Mark, D.M. (1984). The extraction of drainage networks from digital elevation
    data.
       Computer Vision, Graphics, and Image Processing 28, 323-344.
    .. [4] Tarboton, D.G. (1997). A new method for the determination of flow directions and upslope areas in
    grid
       digital elevation models. Water Resources Research 33(2), 309-319.
    """
    method, exponent, diagonal_weight = method_numbers(routing)
    if border not in ("interior", "outlets"):
        raise input_error("border-unknown", f"border {border!r} is not known; give 'interior' or 'outlets'")
    if not cell_m > 0:
        raise input_error("cell-size", f"cell_m must be over 0: {cell_m!r}")
    if channel_threshold_m2 is not None and not channel_threshold_m2 > 0:
        text = f"channel_threshold_m2 must be over 0 m2: {channel_threshold_m2!r}"
        raise input_error("channel-threshold", text)
    state = drained.state.copy()
    check_masks(state.shape, barriers=barriers, channels=channels, sealed=sealed)
    for mask, bit in ((barriers, BARRIER), (channels, CHANNEL), (sealed, SEALED)):
        if mask is not None:
            state[mask] |= bit
    rows, cols = state.shape
    area = np.zeros((rows, cols))
    through_border = np.zeros((rows, cols), np.float32)
    donors = np.empty((rows, cols), np.uint8)
    z = drained.elevation.ravel()
    over_rows(_count_donors, rows, z, state.ravel(), donors.ravel(), rows, cols)
    _accumulate(
        z,
        state.ravel(),
        donors.ravel(),
        area.ravel(),
        through_border.ravel(),
        rows,
        cols,
        float(cell_m) ** 2,
        method,
        exponent,
        diagonal_weight,
        np.inf if channel_threshold_m2 is None else float(channel_threshold_m2),
        border == "outlets",
        barriers is not None,
    )
    return Routed(area, state, through_border)


def check_masks(shape: tuple[int, ...], **masks: BoolArray | None) -> None:
    """Refuse masks that are not boolean arrays of a shape; None is no mask.

    Raises
    ------
    InputError
        Naming the first such mask.
    """
    for name, mask in masks.items():
        if mask is not None and (mask.shape != shape or mask.dtype != np.bool_):
            text = f"{name}: give a boolean array of {shape}, not {mask.dtype} of {mask.shape}"
            raise input_error("mask-shape", text)


@inner
def _gives(zi: Any, zn: Any, state_i: Any, state_n: Any) -> bool:
    """Whether cell n depends on cell i: i is higher, or as high in a flat and one step farther from its outlet."""
    if zi > zn:
        return True
    return bool(state_i & FLAT and zi == zn and ((state_n & LEVEL) + 1) % 3 == state_i & LEVEL)


@jit
def _count_donors(first: int, end: int, z: Any, state: Any, donors: Any, rows: int, cols: int) -> None:
    for r in range(first, end):
        for c in range(cols):
            i = r * cols + c
            count = 0
            for k in range(8):
                rk = r + ROW_STEP[k]
                ck = c + COL_STEP[k]
                if 0 <= rk < rows and 0 <= ck < cols:
                    n = rk * cols + ck
                    if _gives(z[n], z[i], state[n], state[i]):
                        count += 1
            donors[i] = count


@jit
def _accumulate(
    z: Any,
    state: Any,
    donors: Any,
    area: Any,
    through_border: Any,
    rows: int,
    cols: int,
    cell_area: float,
    method: int,
    exponent: float,
    diagonal_weight: float,
    threshold: float,
    border_is_outlet: bool,
    has_barriers: bool,
) -> None:
    """Visit cells from the divides down and pass area on; `donors` is used up."""
    done = np.uint8(255)
    step = np.empty(8, np.int64)
    for k in range(8):
        step[k] = ROW_STEP[k] * cols + COL_STEP[k]
    drop = np.empty(8, np.float64)
    weight = np.empty(8, np.float64)
    stack = np.empty(4096, np.int32)
    for start in range(rows * cols):
        if np.isnan(z[start]):
            area[start] = np.nan
            continue
        if donors[start] != 0:
            continue
        stack[0] = start
        size = 1
        donors[start] = done
        while size > 0:
            size -= 1
            i = int(stack[size])
            zi = z[i]
            on_border = state[i] & BORDER
            row = i // cols
            col = i - row * cols
            if size + 8 > len(stack):
                stack = _grown(stack)
            # Fall towards each cell that depends on this one, in flats one unit; 0 where there is none.
            if not state[i] & (BORDER | FLAT):
                # Without branches, which would be taken at random here.
                for k in range(8):
                    n = i + step[k]
                    fall = np.float64(zi) - np.float64(z[n])
                    lower = fall > 0.0
                    drop[k] = fall if lower else 0.0
                    left = donors[n] - np.uint8(lower)
                    ready = lower and left == 0
                    donors[n] = done if ready else np.uint8(left)
                    stack[size] = n
                    size += int(ready)
            else:
                for k in range(8):
                    drop[k] = 0.0
                    if on_border:
                        rk = row + ROW_STEP[k]
                        ck = col + COL_STEP[k]
                        if rk < 0 or ck < 0 or rk >= rows or ck >= cols:
                            continue
                    n = i + step[k]
                    if _gives(zi, z[n], state[i], state[n]):
                        drop[k] = np.float64(zi) - np.float64(z[n]) if zi > z[n] else 1.0
                        donors[n] -= 1
                        if donors[n] == 0:
                            donors[n] = done
                            stack[size] = n
                            size += 1
            known_channel = state[i] & CHANNEL
            through = area[i] + cell_area
            if through >= threshold:
                state[i] |= CHANNEL
            if on_border:
                through_border[i] = through
            if through_border[i] >= LOWER_BOUND_SHARE * through:
                state[i] |= LOWER_BOUND
            if known_channel or state[i] & BARRIER or (on_border and border_is_outlet):
                continue
            if has_barriers:
                _close_corners(drop, state, row, col, cols)
            bordered = through_border[i] / through
            if method == _D8 or state[i] & CHANNEL or (method == _DINF and state[i] & FLAT):
                best = _steepest(drop)
                if best >= 0:
                    area[i + step[best]] += through
                    through_border[i + step[best]] += bordered * through
                continue
            if method == _MFD:
                for k in range(8):
                    weight[k] = drop[k] * _INVERSE_STEP[k]
            elif method == _MFD_GENERAL:
                for k in range(8):
                    weight[k] = (drop[k] * _INVERSE_STEP[k]) ** exponent
                    if _DIAGONAL[k]:
                        weight[k] *= diagonal_weight
            else:
                _weigh_facet(drop, weight)
            total = 0.0
            for k in range(8):
                total += weight[k]
            if total == 0.0:
                continue
            per_weight = through / total
            for k in range(8):
                if weight[k] > 0.0:
                    area[i + step[k]] += weight[k] * per_weight
            if bordered > 0.0:
                for k in range(8):
                    if weight[k] > 0.0:
                        through_border[i + step[k]] += bordered * (weight[k] * per_weight)


@inner
def _close_corners(drop: Any, state: Any, row: int, col: int, cols: int) -> None:
    """Close a diagonal step between two barrier cells."""
    for k in range(8):
        if _DIAGONAL[k] and drop[k] > 0.0:
            beside = row * cols + col + COL_STEP[k]
            above = (row + ROW_STEP[k]) * cols + col
            if state[beside] & BARRIER and state[above] & BARRIER:
                drop[k] = 0.0


@inner
def _steepest(drop: Any) -> int:
    """Return the neighbour towards which the slope is largest, the first of equals; -1 where there is none."""
    best = -1
    steepest = 0.0
    for k in range(8):
        slope = drop[k] * _INVERSE_STEP[k]
        if slope > steepest:
            steepest = slope
            best = k
    return best


@inner
def _weigh_facet(drop: Any, weight: Any) -> None:
    """Share between the two neighbours that enclose the steepest descent over the eight triangular facets."""
    best = _steepest(drop)
    steepest = 0.0
    share = 0.0
    cardinal = -1
    diagonal = -1
    for f in range(8):
        a = _FACETS[f, 0]
        b = _FACETS[f, 1]
        if drop[a] <= 0.0 or drop[b] <= 0.0:
            continue
        # Both neighbours lower: the steepest direction may lie between them.
        along = drop[a]
        across = drop[b] - drop[a]
        if across <= 0.0 or across >= along:
            continue
        slope = (along * along + across * across) ** 0.5
        if slope > steepest:
            steepest = slope
            share = np.arctan2(across, along) / (0.25 * np.pi)
            cardinal = a
            diagonal = b
    for k in range(8):
        weight[k] = 0.0
    if best < 0:
        return
    if cardinal >= 0 and steepest > drop[best] * _INVERSE_STEP[best]:
        weight[cardinal] = 1.0 - share
        weight[diagonal] = share
    else:
        weight[best] = 1.0
