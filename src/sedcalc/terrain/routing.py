"""Area carried downslope from cell to cell: one receiver, several, or two by the angle of a facet.

Cells are visited from the divides down. Where a cell may have several receivers it depends on every higher neighbour,
and fractions are worked out when it is visited, and never stored. With one receiver each (D8) the ways are enough.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from sedcalc.findings import input_error
from sedcalc.terrain.conditioning import Drained
from sedcalc.terrain.edges import edge_of, shares_over_edge
from sedcalc.terrain.jit import inner, jit, over_rows
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
    SEALED,
    BoolArray,
    StateArray,
    cell_flag,
)
from sedcalc.terrain.steepest import (
    DIAGONAL,
    INVERSE_STEP,
    add_up,
    close_corners,
    gives,
    steepest,
    steepest_ways,
)

Border = Literal["interior", "outlets"]
Sharing = tuple[int, float, float]
"""What `sharing_of` returns."""

ROUTINGS: Final = ("mfd", "mfd-freeman", "mfd-quinn", "d8", "dinf")
"""Names of the routing methods, the default first."""

_D8, _MFD_GENERAL, _DINF = range(3)
_ROOT2: Final = 2.0**0.5
_FACETS: Final = np.array([[1, 0], [1, 2], [3, 0], [3, 5], [4, 2], [4, 7], [6, 5], [6, 7]], dtype=np.int64)
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
        One byte per cell, bits as in `sedcalc.terrain.state`; now with barriers, channels, sealed ground and
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


def sharing_of(routing: str) -> Sharing | None:
    """Return kernel number, exponent, and weight of a diagonal relative to a cardinal, of a routing method.

    None stands for ``"mfd"``, so that the default compiles without what only others need.

    Raises
    ------
    InputError
        The name is unknown.
    """
    sharing = {
        "d8": (_D8, 1.0, 1.0),
        "mfd": None,
        "mfd-freeman": (_MFD_GENERAL, 1.1, 1.0),
        "mfd-quinn": (_MFD_GENERAL, 1.0, _QUINN_DIAGONAL),
        "dinf": (_DINF, 1.0, 1.0),
    }
    if not isinstance(routing, str) or routing not in sharing:
        known = ", ".join(ROUTINGS)
        raise input_error("routing-unknown", f"routing {routing!r} is not known; give one of {known}")
    return sharing[routing]


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
        ``"interior"``: cells on the edge or beside nodata drain to lower neighbours. Where the ground falls out over
        the border, so does their water, by its direction; all of it, or none, where there is one receiver.
        ``"outlets"``: they are all outlets.

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
    .. [1] Freeman, T.G. (1991). Calculating catchment area with divergent flow based on a regular grid. Computers &
       Geosciences 17(3), 413-422.
    .. [2] Quinn, P., Beven, K., Chevallier, P., Planchon, O. (1991). The prediction of hillslope flow paths for
       distributed hydrological modelling using digital terrain models. Hydrological Processes 5(1), 59-79.
    .. [3] O'Callaghan, J.F., Mark, D.M. (1984). The extraction of drainage networks from digital elevation data.
       Computer Vision, Graphics, and Image Processing 28, 323-344.
    .. [4] Tarboton, D.G. (1997). A new method for the determination of flow directions and upslope areas in grid
       digital elevation models. Water Resources Research 33(2), 309-319.
    """
    sharing = sharing_of(routing)
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
    donors = np.zeros((rows, cols), np.uint8)
    z, bits = drained.elevation, state.ravel()
    results = area.ravel(), through_border.ravel()
    threshold = np.inf if channel_threshold_m2 is None else float(channel_threshold_m2)
    outlets = border == "outlets"
    edge = edge_of(z, state)
    sharing_of_plane = (1.0, 1.0) if sharing is None else sharing[1:]
    over, leaves = shares_over_edge(z, edge, drained.gaps, *(() if routing == "dinf" else sharing_of_plane))
    if routing == "d8":
        way = np.empty((rows, cols), np.uint8)
        stops = BARRIER | CHANNEL | (BORDER if outlets else 0)
        over_rows(steepest_ways, rows, z, state, edge.start, edge.col, leaves, stops, way)
        area[np.isnan(z)] = np.nan
        add_up(way.ravel(), bits, donors.ravel(), *results, ROW_STEP * cols + COL_STEP, float(cell_m) ** 2, threshold)
        return Routed(area, state, through_border)
    over_rows(_count_donors, rows, z, state, donors)
    _accumulate(
        edge.start,
        edge.col,
        over,
        leaves,
        z.ravel(),
        bits,
        donors.ravel(),
        *results,
        ROW_STEP * cols + COL_STEP,
        np.empty(8),
        np.empty(8),
        np.empty(rows * cols + 8, np.int32),  # memory that is never written to is never taken
        rows,
        cols,
        float(cell_m) ** 2,
        sharing,
        threshold,
        outlets,
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
        if mask is None:
            continue
        if not isinstance(mask, np.ndarray) or mask.shape != shape or mask.dtype != np.bool_:
            given = f"{mask.dtype} of {mask.shape}" if isinstance(mask, np.ndarray) else type(mask).__name__
            text = f"{name}: give a boolean array of {shape}, not {given}"
            raise input_error("mask-shape", text)


@inner
def _one_if_given(zi: Any, zn: Any, state_i: Any, wanted: Any) -> Any:
    """Return 1 where `gives` holds; `wanted` is the state that a cell as high as n has if n depends on it."""
    return np.uint8((zi > zn) | ((zi == zn) & (state_i & (FLAT | LEVEL) == wanted)))


@jit
def _count_donors(first: int, end: int, z: Any, state: Any, donors: Any) -> None:
    rows, cols = z.shape
    for r in range(first, end):
        inside = 0 < r < rows - 1
        if inside:
            north, here, south = z[r - 1], z[r], z[r + 1]
            bits_n, bits, bits_s = state[r - 1], state[r], state[r + 1]
            for c in range(1, cols - 1):  # without branches, so that it becomes vector instructions
                own = here[c]
                level = bits[c] & LEVEL
                wanted = np.uint8(FLAT | (0 if level == 2 else level + 1))
                count = np.uint8(0)
                for k in range(-1, 2):  # not of itself: its level is not the one wanted
                    count += _one_if_given(here[c + k], own, bits[c + k], wanted)
                    count += _one_if_given(north[c + k], own, bits_n[c + k], wanted)
                    count += _one_if_given(south[c + k], own, bits_s[c + k], wanted)
                donors[r, c] = count
        for c in range(0, cols, max(cols - 1, 1) if inside else 1):
            donors[r, c] = 0
            for k in range(8):
                i = r + ROW_STEP[k]
                j = c + COL_STEP[k]
                if 0 <= i < rows and 0 <= j < cols and gives(z[i, j], z[r, c], state[i, j], state[r, c]):
                    donors[r, c] += 1


@inner
def _place_of(edge_col: Any, low: Any, high: Any, col: Any) -> Any:
    """Return where a column stands among those of a row's border cells, which rise."""
    while high - low > 1:
        middle = (low + high) // 2
        if edge_col[middle] <= col:
            low = middle
        else:
            high = middle
    return low


@jit
def _accumulate(
    edge_start: Any,
    edge_col: Any,
    over_edge: Any,
    leaves_edge: Any,
    z: Any,
    state: Any,
    donors: Any,
    area: Any,
    through_border: Any,
    step: Any,
    drop: Any,
    weight: Any,
    stack: Any,
    rows: int,
    cols: int,
    cell_area: float,
    sharing: Any,
    threshold: float,
    border_is_outlet: bool,
    has_barriers: bool,
) -> None:
    """Visit cells from the divides down and pass area on.

    `edge_start` and `edge_col` are those of `sedcalc.terrain.edges.Edge`. `donors` is used up; `drop`, `weight` and
    `stack` are used for the falls from a cell, its shares, and cells to come.
    """
    done = np.uint8(255)
    for start in range(rows * cols):
        if np.isnan(z[start]):
            area[start] = np.nan
            continue
        if donors[start] != 0:
            continue
        stack[0] = start
        size = 1
        while size > 0:
            size -= 1
            i = int(stack[size])
            donors[i] = done
            zi = z[i]
            on_border = state[i] & BORDER
            row = i // cols
            col = i - row * cols
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
                    donors[n] = left
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
                    if gives(zi, z[n], state[i], state[n]):
                        drop[k] = np.float64(zi) - np.float64(z[n]) if zi > z[n] else 1.0
                        donors[n] -= 1
                        if donors[n] == 0:
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
            over = 0.0
            leaves = False
            if on_border:
                q = _place_of(edge_col, edge_start[row], edge_start[row + 1], col)
                over = over_edge[q]
                leaves = leaves_edge[q]
            bordered = through_border[i] / through if through_border[i] > 0.0 else 0.0
            to_one = bool(state[i] & CHANNEL)
            if sharing is not None:
                to_one |= sharing[0] == _DINF and state[i] & FLAT != 0
            # One receiver is another one then; of several the share ends at the barriers, and no other grows by it.
            if has_barriers and (to_one or (sharing is not None and sharing[0] == _DINF)):
                close_corners(drop, state, row, col, cols)
            if to_one:
                best = steepest(drop)
                if best >= 0 and not leaves:
                    area[i + step[best]] += through
                    through_border[i + step[best]] += bordered * through
                continue
            if sharing is None:
                for k in range(8):
                    weight[k] = drop[k] * INVERSE_STEP[k]
            elif sharing[0] == _MFD_GENERAL:
                for k in range(8):
                    weight[k] = (drop[k] * INVERSE_STEP[k]) ** sharing[1]
                    if DIAGONAL[k]:
                        weight[k] *= sharing[2]
            else:
                _weigh_facet(drop, weight)
            total = 0.0
            for k in range(8):
                total += weight[k]
            if total == 0.0:
                continue
            if has_barriers:
                close_corners(weight, state, row, col, cols)
            per_weight = (1.0 - over) * through / total
            if on_border:
                for k in range(8):
                    if weight[k] > 0.0:
                        area[i + step[k]] += weight[k] * per_weight
            else:
                for k in range(8):
                    area[i + step[k]] += weight[k] * per_weight
            if bordered > 0.0:
                for k in range(8):
                    if weight[k] > 0.0:
                        through_border[i + step[k]] += bordered * (weight[k] * per_weight)


@inner
def _weigh_facet(drop: Any, weight: Any) -> None:
    """Share between the two neighbours that enclose the steepest descent over the eight triangular facets."""
    best = steepest(drop)
    largest = 0.0
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
        if slope > largest:
            largest = slope
            share = np.arctan2(across, along) / (0.25 * np.pi)
            cardinal = a
            diagonal = b
    for k in range(8):
        weight[k] = 0.0
    if best < 0:
        return
    if cardinal >= 0 and largest > drop[best] * INVERSE_STEP[best]:
        weight[cardinal] = 1.0 - share
        weight[diagonal] = share
    else:
        weight[best] = 1.0
