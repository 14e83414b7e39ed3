"""What drains to each outfall and practice.

A drainage area on a plan is a sharp line, so water is followed to the steepest neighbour (D8) here, whatever routing LS
takes: a cell belongs to the first place that its water meets. Barriers that only end slope length do not stop it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.findings import Finding, InputError
from sedcalc.terrain.conditioning import Drained
from sedcalc.terrain.edges import edge_of, shares_over_edge
from sedcalc.terrain.jit import jit, over_rows
from sedcalc.terrain.routing import route
from sedcalc.terrain.state import BORDER, COL_STEP, ROW_STEP, BoolArray, StateArray
from sedcalc.terrain.steepest import NO_WAY, steepest_ways
from sedcalc.units import ACRE_M2

Cells = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Rows and columns of cells."""

EDGE: Final = -1
"""Index of cells whose water leaves over the edge of the grid, or into nodata, without meeting a place."""

DEPRESSION: Final = -2
"""Index of cells whose water ends in a depression that was not filled."""

NODATA: Final = -3
"""Index of cells without elevation."""

_UNKNOWN: Final = -4


@dataclass(frozen=True)
class Place:
    """An outfall or practice and its drainage area.

    Parameters
    ----------
    id
        Its name.
    cells
        Number of cells that drain to it first, its own included.
    acres
        Their area, acres.
    downstream
        Id of the place that most of the water leaving it meets next; None where that is the edge or a depression.
    downstream_share
        Share of the area passing it that goes there.
    acres_with_upstream
        Area that drains to it, through the places upstream too, acres.
    """

    id: str
    cells: int
    acres: float
    downstream: str | None
    downstream_share: float
    acres_with_upstream: float


@dataclass(frozen=True, eq=False)
class Catchments:
    """Drainage areas of places.

    Parameters
    ----------
    index
        Position in `places` of the first place that each cell's water meets, int32; else `EDGE`, `DEPRESSION` or
        `NODATA`.
    places
        In the order given.
    edge_acres, depression_acres
        Area that drains over the edge and into depressions without meeting a place, acres.
    """

    index: npt.NDArray[np.int32]
    places: tuple[Place, ...]
    edge_acres: float
    depression_acres: float

    def mask(self, place: str, *, upstream: bool = True) -> BoolArray:
        """Return which cells drain to a place.

        Parameters
        ----------
        place
            Its id.
        upstream
            With what drains to it through other places.
        """
        by_id = {p.id: i for i, p in enumerate(self.places)}
        wanted = {by_id[place]}
        while upstream:
            more = {i for i, p in enumerate(self.places) if p.downstream is not None and by_id[p.downstream] in wanted}
            if more <= wanted:
                break
            wanted |= more
        found: BoolArray = np.isin(self.index, sorted(wanted))
        return found


def snap_to_flow(area_m2: npt.NDArray[np.float64], row: int, col: int, radius_cells: float) -> tuple[int, int, float]:
    """Return the cell of the largest contributing area near a cell, the nearest of equals, and how far it is.

    Parameters
    ----------
    area_m2
        Contributing area, (rows, cols); NaN where there is no elevation.
    row, col
        Where to look.
    radius_cells
        Distance up to which to look, from centre to centre, cells.

    Returns
    -------
    tuple
        Row, column, and distance in cells. The cell itself where there is nothing but nodata.
    """
    reach = int(radius_cells)
    best = (-np.inf, 0.0, row, col)
    for r in range(max(row - reach, 0), min(row + reach + 1, area_m2.shape[0])):
        for c in range(max(col - reach, 0), min(col + reach + 1, area_m2.shape[1])):
            away = float(np.hypot(r - row, c - col))
            if away <= radius_cells and not np.isnan(area_m2[r, c]):
                best = max(best, (float(area_m2[r, c]), -away, r, c), key=lambda b: b[:2])
    return best[2], best[3], -best[1]


def catchments(drained: Drained, cell_m: float, places: Mapping[str, Cells]) -> Catchments:
    """Return the drainage areas of places on a surface that drains.

    Parameters
    ----------
    drained
        Surface from `sedcalc.terrain.conditioning.drain`; not changed.
    cell_m
        Side of a cell, m, over 0.
    places
        Cells of each place, by id: a point's one cell (see `snap_to_flow`), all that a line touches, all inside a
        polygon.

    Raises
    ------
    InputError
        There is no place, one has no cells or none with an elevation, two share a cell, or two pass most of their
        water to each other.

    Notes
    -----
    Directions are those of D8 [1]_; water in depressions deeper than the limit of `drain` ends there.

    References
    ----------
    .. [1] O'Callaghan, J.F., Mark, D.M. (1984). The extraction of drainage networks from digital elevation data.
       Computer Vision, Graphics, and Image Processing 28, 323-344.
    """
    ids = tuple(places)
    z, state = drained.elevation, drained.state
    rows, cols = z.shape
    own = _cells_of_places(z, places)
    direction = np.empty((rows, cols), np.uint8)
    border = edge_of(z, state)
    _, leaves = shares_over_edge(z, border, drained.gaps)
    over_rows(steepest_ways, rows, z, state, border.start, border.col, leaves, 0, direction)
    index = np.full((rows, cols), _UNKNOWN, np.int32)
    index[np.isnan(z)] = NODATA
    _follow(index.ravel(), own.ravel(), direction.ravel(), state.ravel(), cols)
    area = route(drained, cell_m, routing="d8").area_in_m2 + cell_m**2
    downstream, shares = _next_places(index, own, direction, state, area, len(ids))
    _refuse_circles(ids, downstream)
    cells = np.bincount(index[index >= 0], minlength=len(ids))
    total = cells.copy()
    for place in range(len(ids)):
        after = downstream[place]
        while after >= 0:
            total[after] += cells[place]
            after = downstream[after]
    acres = cell_m**2 / ACRE_M2
    found = [
        Place(
            name,
            int(cells[i]),
            int(cells[i]) * acres,
            ids[downstream[i]] if downstream[i] >= 0 else None,
            shares[i],
            int(total[i]) * acres,
        )
        for i, name in enumerate(ids)
    ]
    edge, depression = (int(np.count_nonzero(index == k)) * acres for k in (EDGE, DEPRESSION))
    return Catchments(index, tuple(found), edge, depression)


def _cells_of_places(z: npt.NDArray[Any], places: Mapping[str, Cells]) -> npt.NDArray[np.int32]:
    """Return the place of each cell, -1 where there is none."""
    own = np.full(z.shape, -1, np.int32)
    ids = list(places)
    problems = [] if ids else [Finding("places-missing", "error", "give at least one outfall or practice")]
    for number, (name, (row, col)) in enumerate(places.items()):
        known = ~np.isnan(z[row, col])
        if not known.any():
            text = f"{name!r} has no cell with an elevation; check its place and CRS, or give a DEM that reaches it"
            problems.append(Finding("place-outside", "error", text, name))
            continue
        taken = own[row, col]
        for other in sorted({int(k) for k in taken[taken >= 0]}):
            text = f"{name!r} and {ids[other]!r} lie on the same cell; move them apart, or take smaller cells"
            problems.append(Finding("places-overlap", "error", text, name))
        own[row[known], col[known]] = number
    if problems:
        raise InputError(problems)
    return own


def _next_places(
    index: npt.NDArray[np.int32],
    own: npt.NDArray[np.int32],
    direction: npt.NDArray[np.uint8],
    state: StateArray,
    area: npt.NDArray[np.float64],
    count: int,
) -> tuple[list[int], list[float]]:
    """Return for each place the one that most of the water leaving it meets next, and its share."""
    row, col = np.nonzero(own >= 0)
    step = direction[row, col]
    leaves = step != NO_WAY
    place = own[row, col]
    after = np.full(len(row), -1, np.int64)
    after[leaves] = index[row[leaves] + ROW_STEP[step[leaves]], col[leaves] + COL_STEP[step[leaves]]]
    after = np.where(after < 0, count, after)  # over the edge or into a depression
    passed = np.zeros((count, count + 1))
    # The bottom of a depression passes nothing on; a cell on the border without a lower neighbour does.
    elsewhere = (after != place) & (leaves | ((state[row, col] & BORDER) != 0))
    np.add.at(passed, (place[elsewhere], after[elsewhere]), area[row[elsewhere], col[elsewhere]])
    most = passed.argmax(axis=1)
    whole = passed.sum(axis=1)
    shares = [float(passed[i, most[i]] / whole[i]) if whole[i] > 0 else 0.0 for i in range(count)]
    return [int(k) if k < count and whole[i] > 0 else -1 for i, k in enumerate(most)], shares


def _refuse_circles(ids: tuple[str, ...], downstream: list[int]) -> None:
    for start in range(len(ids)):
        after, steps = downstream[start], 0
        while after >= 0 and after != start and steps <= len(ids):
            after, steps = downstream[after], steps + 1
        if after == start:
            text = (
                f"{ids[start]!r} and {ids[downstream[start]]!r} pass most of their water to each other; draw them apart"
            )
            raise InputError(Finding("places-in-a-circle", "error", text, ids[start]))


@jit
def _follow(index: Any, own: Any, direction: Any, state: Any, cols: int) -> None:
    """Fill in the first place that each cell's water meets, by walking down until that is known."""
    for start in range(len(index)):
        i = start
        while index[i] == _UNKNOWN and own[i] < 0 and direction[i] != NO_WAY:
            i += ROW_STEP[direction[i]] * cols + COL_STEP[direction[i]]
        found = index[i]
        if found == _UNKNOWN:
            if own[i] >= 0:
                found = own[i]
            else:
                found = EDGE if state[i] & BORDER else DEPRESSION
            index[i] = found
        i = start
        while index[i] == _UNKNOWN:
            index[i] = found
            i += ROW_STEP[direction[i]] * cols + COL_STEP[direction[i]]
