"""LS of every cell of an elevation model, and how much land lies in each class of slope.

A cell's LS is the mean over the cell of the slope equation, integrated from where flow enters to where it
leaves. That takes a contour width, which turns an area into a length. In the isotropic form the width follows
from the routing itself: on a plane, area grows downslope by the cell's area for every mean step of the
routing, so the width is the cell's area over that step. Area over width is then the true length at every
aspect, for every routing method.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from sedcalc.factors import topography
from sedcalc.findings import Finding, InputError, by_severity
from sedcalc.terrain import powers  # noqa: F401  compiled code finds its power there
from sedcalc.terrain.conditioning import (
    BARRIER,
    BORDER,
    CHANNEL,
    FLAT,
    LOWER_BOUND,
    SEALED,
    BoolArray,
    StateArray,
    cell_flag,
    drain,
    with_walls,
)
from sedcalc.terrain.grid import FloatArray, Grid, check_finite
from sedcalc.terrain.jit import inner, is_compiled, jit, over_rows
from sedcalc.terrain.routing import _D8, _DINF, _MFD, LOWER_BOUND_SHARE, Border, check_masks, method_numbers, route
from sedcalc.units import FOOT_M

Progress = Callable[[str], None]
Formula = Literal["isotropic", "desmet-govers"]

SLOPE_CLASSES_PCT: Final = (0.0, 2.0, 5.0, 9.0, 20.0, 33.34, topography.MAX_SLOPE_PCT)
"""Edges of the slope classes, percent; a class includes its lower edge, and the last its upper one too."""

DEFAULT_MAX_FILL_M: Final = 0.2
"""Depth, m, up to which a depression cannot be told from the noise of a lidar surface: the vertical accuracy at 95 %
of the 10 cm class is 0.196 m (ASPRS Positional Accuracy Standards for Digital Geospatial Data, 2014, table B.7)."""

_ROOT2: Final = 2.0**0.5
_PERCENT_TOLERANCE: Final = 1e-9  # a plane of exactly 60 % must not fall outside by rounding

# Columns of the counts and sums of a row of cells.
_LONG, _CAPPED, _BOUND, _CHANNELS, _BARRIERS, _OVER_60, _FLATS, _SEALED, _CLASS0 = range(9)
_N_CLASSES: Final = len(SLOPE_CLASSES_PCT) - 1
_COUNTED: Final = (
    "over_400_ft",
    "capped",
    "lower_bound",
    "channels",
    "barriers",
    "sealed",
    "walls",
    "over_60_pct",
    "flat",
    "cells_raised",
)

_steepness = inner(topography.kernel_steepness)
_length_exponent = inner(topography.kernel_length_exponent)
_mean_l = inner(topography.kernel_mean_l)


@dataclass(frozen=True)
class SlopeClass:
    """Land of one class of slope.

    Parameters
    ----------
    from_pct, to_pct
        Edges, percent.
    cells
        Number of cells with an LS.
    acres
        Their area, acres.
    mean_ls
        Their mean LS; None where there are none.
    """

    from_pct: float
    to_pct: float
    cells: int
    acres: float
    mean_ls: float | None


@dataclass(frozen=True)
class LSSummary:
    """What a map of LS amounts to. Counts are of cells; acres and means are over cells that can erode and have an LS.

    Parameters
    ----------
    cells, acres
        Cells with an LS.
    mean, max
        Of LS; None where no cell has one.
    classes
        Land by slope.
    over_400_ft
        Cells whose slope length is over 400 ft.
    capped
        Cells whose slope length was cut to `max_length_ft`.
    lower_bound, lower_bound_share
        Cells that get 1 % of their area or more through the border of the grid, beyond which there may be more, and
        their share of the cells with an LS.
    channels, barriers
        Cells in channels (no LS), and in barriers that end slope length.
    sealed, walls
        Cells that do not erode (LS 0), and those of them that block water.
    over_60_pct
        Cells too steep for the method (no LS).
    flat
        Cells in flats.
    pits_filled, cells_raised, max_fill_m
        Depressions filled, cells raised for it, and the largest rise, m.
    pits_kept
        Depressions that were left and end the flow that enters them.
    routing, formula, ratio, max_length_ft, border
        The choices that were made.
    cell_acres
        Area of a cell, acres.
    """

    cells: int
    acres: float
    mean: float | None
    max: float | None
    classes: tuple[SlopeClass, ...]
    over_400_ft: int
    capped: int
    lower_bound: int
    lower_bound_share: float | None
    channels: int
    barriers: int
    sealed: int
    walls: int
    over_60_pct: int
    flat: int
    pits_filled: int
    cells_raised: int
    max_fill_m: float
    pits_kept: int
    routing: str
    formula: str
    ratio: str
    max_length_ft: float | None
    border: str
    cell_acres: float

    @property
    def acres_of(self) -> dict[str, float]:
        """Acres of each kind of cell that is counted here, by the name of its count."""
        return {name: getattr(self, name) * self.cell_acres for name in _COUNTED}

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as the object that JSON results hold."""
        from dataclasses import asdict

        return {**asdict(self), "acres_of": self.acres_of}


@dataclass(frozen=True, eq=False)
class LSResult:
    """LS of every cell, and what it is made of.

    Parameters
    ----------
    ls
        Dimensionless, type of the elevations; NaN where there is no elevation, in channels, and over 60 %; 0 on
        sealed ground. Its findings are those of the calculation.
    slope
        Steepness, rise over run, same shape and type.
    area_in_m2
        Area that drains into each cell, m2, float64, uncapped.
    state
        One byte per cell, bits as in `sedcalc.terrain.conditioning`.
    summary
        Counts, acres and means.
    """

    ls: Grid
    slope: FloatArray
    area_in_m2: npt.NDArray[np.float64]
    state: StateArray
    summary: LSSummary

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a reader of the map must know."""
        return self.ls.findings

    @property
    def slope_pct(self) -> FloatArray:
        """Steepness, percent."""
        return self.slope * 100

    @property
    def S(self) -> FloatArray:
        """Steepness factor, dimensionless, of every cell with an elevation."""
        return np.asarray(topography.kernel_steepness(self.slope))

    @property
    def L(self) -> FloatArray:
        """Slope length factor, dimensionless; NaN where LS is."""
        return self.ls.values / self.S

    @property
    def channels(self) -> BoolArray:
        """True in channels."""
        return cell_flag(self.state, CHANNEL)

    @property
    def lower_bound(self) -> BoolArray:
        """True where 1 % of the area or more has come through the border, so that LS is a lower bound."""
        return cell_flag(self.state, LOWER_BOUND)

    @property
    def too_steep(self) -> BoolArray:
        """True where the slope is over 60 % and no LS is given."""
        return self.slope > _STEEPEST


def ls_raster(
    dem: Grid,
    *,
    routing: str = "mfd",
    ratio: str = "high",
    formula: str = "isotropic",
    max_length_ft: float | None = topography.MAX_LENGTH_FT,
    barriers: BoolArray | None = None,
    channels: BoolArray | None = None,
    sealed: BoolArray | None = None,
    walls: BoolArray | None = None,
    channel_threshold_m2: float | None = None,
    max_fill_m: float | None = DEFAULT_MAX_FILL_M,
    border: Border = "interior",
    progress: Progress | None = None,
) -> LSResult:
    """Slope length and steepness factor of every cell of an elevation model.

    Parameters
    ----------
    dem
        Elevations with ``z_unit_m`` set.
    routing
        ``"mfd"``, ``"mfd-freeman"``, ``"mfd-quinn"``, ``"d8"`` or ``"dinf"``, as in
        `sedcalc.terrain.routing.route`.
    ratio
        Of rill to interrill erosion: ``"low"``, ``"moderate"`` or ``"high"`` (freshly graded ground).
    formula
        ``"isotropic"``, or ``"desmet-govers"`` as published (22.13 m; up to a third too small off the axes).
    max_length_ft
        Slope length at which L stops growing, ft, over 0; None for no limit.
    barriers
        True where slope length ends (diversions, berms, contour silt fence, curbs, roads); shape of the grid.
    channels
        True in known channels; they have no LS and pass nothing on.
    sealed
        True on ground that does not erode (buildings, pavement): LS is 0, and water passes.
    walls
        True where water cannot pass (walls, buildings it must go round): sealed, and routed around.
    channel_threshold_m2
        Area, m2, from which a cell counts as a channel; none by default.
    max_fill_m
        Depressions deeper than this, m, are kept, so that slopes end in them as in a basin; shallower ones
        are noise and are passed. None fills all, 0 keeps all.
    border
        ``"interior"`` or ``"outlets"``, as in `sedcalc.terrain.routing.route`.
    progress
        Called with the name of each step as it starts.

    Returns
    -------
    LSResult
        LS of each cell, what it is made of, and the summary.

    Raises
    ------
    InputError
        The vertical unit is not set, all cells are nodata or one is infinite, a name is unknown, a mask does
        not fit, a limit is not positive, or a cell is longer than `max_length_ft`.

    Notes
    -----
    Slope is Horn's, from the elevations as given, filled or not; beside nodata and the edge it is the plane
    through the cell fitted to the neighbours that exist with the same weights, which is exact on a plane.
    Flats have slope 0, so S = 0.03 and L = 1. LS is computed to 60 %; steeper cells have none, and are
    counted in a warning. The rule for slopes under 15 ft is not used on grids. Cells on the border, and those that
    get 1 % of their area or more through it, are lower bounds.

    References
    ----------
    .. [1] Desmet, P.J.J., Govers, G. (1996). A GIS procedure for automatically calculating the USLE LS factor
    on
       topographically complex landscape units. J. Soil Water Conserv. 51(5), 427-433.
    .. [2] Horn, B.K.P. (1981). Hill shading and the reflectance map. Proc. IEEE 69(1), 14-47.

    Examples
    --------
    A plane of 12 %, 100 m long with flow along an axis, moderate ratio; closed form S (100 m / 22.12848 m)^m:

    >>> import numpy as np
    >>> from sedcalc.terrain.grid import grid_from_array
    >>> z = np.repeat(np.arange(10.0, 0.0, -1.0)[:, None] * 1.2, 3, axis=1)
    >>> dem = grid_from_array(z, (10, 0, 0, 0, -10, 100), xy_unit_m=1.0, z_unit_m=1.0)
    >>> round(ls_raster(dem, ratio="moderate", routing="d8").summary.mean, 5)
    3.42003
    """
    _check_choices(dem, ratio, formula, max_length_ft)
    check_masks(dem.shape, barriers=barriers, channels=channels, sealed=sealed, walls=walls)
    method, exponent, diagonal_weight = method_numbers(routing)
    assert dem.z_unit_m is not None
    say = progress or (lambda _: None)
    rows = dem.shape[0]
    if not is_compiled(_ls_of_rows):
        say("compiling, once on this machine (some seconds)")
    say("filling depressions")
    surface = dem.values if walls is None else with_walls(dem.values, walls)
    drained = drain(surface, max_fill=None if max_fill_m is None else max_fill_m / dem.z_unit_m)
    del surface
    say("routing")
    routed = route(
        drained,
        dem.cell_m,
        routing=routing,
        barriers=barriers,
        channels=channels,
        sealed=_either(sealed, walls),
        channel_threshold_m2=channel_threshold_m2,
        border=border,
    )
    say("slope and LS")
    filling = (drained.pits_filled, drained.cells_raised, drained.max_fill * dem.z_unit_m, drained.pits_kept)
    del drained  # the filled surface is for routing alone
    state, area = routed.state, routed.area_in_m2
    del routed  # with its share of the border, which the state now says
    slope = np.empty_like(dem.values)
    ls = np.empty_like(dem.values)
    counts = np.zeros((rows, _CLASS0 + _N_CLASSES), np.int64)
    sums = np.zeros((rows, _N_CLASSES + 1))
    over_rows(
        _ls_of_rows,
        rows,
        np.ascontiguousarray(dem.values),
        state,
        area,
        slope,
        ls,
        counts,
        sums,
        dem.cell_m,
        dem.z_unit_m / dem.cell_m,
        topography.RATIOS[ratio],
        method,
        exponent,
        diagonal_weight,
        formula == "desmet-govers",
        np.inf if max_length_ft is None else max_length_ft * FOOT_M,
    )
    acres = dem.cell_acres
    n = counts.sum(axis=0)
    total = sums[:, :_N_CLASSES].sum(axis=0)
    cells = int(n[_CLASS0:].sum())
    classes = tuple(
        SlopeClass(low, high, int(k), int(k) * acres, float(s / k) if k else None)
        for low, high, k, s in zip(SLOPE_CLASSES_PCT, SLOPE_CLASSES_PCT[1:], n[_CLASS0:], total, strict=False)
    )
    summary = LSSummary(
        cells=cells,
        acres=cells * acres,
        mean=float(total.sum() / cells) if cells else None,
        max=float(sums[:, _N_CLASSES].max()) if cells else None,
        classes=classes,
        over_400_ft=int(n[_LONG]),
        capped=int(n[_CAPPED]),
        lower_bound=int(n[_BOUND]),
        lower_bound_share=float(n[_BOUND] / cells) if cells else None,
        channels=int(n[_CHANNELS]),
        barriers=int(n[_BARRIERS]),
        sealed=int(n[_SEALED]),
        walls=0 if walls is None else int(np.count_nonzero(walls & dem.valid)),
        over_60_pct=int(n[_OVER_60]),
        flat=int(n[_FLATS]),
        pits_filled=filling[0],
        cells_raised=filling[1],
        max_fill_m=filling[2],
        pits_kept=filling[3],
        routing=routing,
        formula=formula,
        ratio=ratio,
        max_length_ft=max_length_ft,
        border=border,
        cell_acres=acres,
    )
    findings = tuple(by_severity((*dem.findings, *_findings(summary, acres))))
    result = replace(dem, values=ls, z_unit_m=None, findings=findings)
    return LSResult(result, slope, area, state, summary)


def contour_step(aspect_rad: float, routing: str = "mfd") -> float:
    """Mean downslope step of a routing method on a plane, in cells; its inverse is the contour width.

    Parameters
    ----------
    aspect_rad
        Direction of steepest descent from an axis of the grid, radians.
    routing
        As in `sedcalc.terrain.routing.route`.

    Returns
    -------
    float
        Between 0.92 and 1.42; 1 on the axes.

    Notes
    -----
    The sum over receivers of (share x component of the step along the steepest descent). For ``"mfd"`` it is
    1/(cos a + (sqrt 2 - 1) sin a) with a the angle from the nearest axis.

    Examples
    --------
    Halfway between an axis and a diagonal, by hand cos 22.5° = 0.92388:

    >>> import math
    >>> round(contour_step(math.radians(22.5)), 5)
    0.92388
    """
    method, exponent, diagonal_weight = method_numbers(routing)
    return float(_contour_step(np.cos(aspect_rad), np.sin(aspect_rad), 1.0, method, exponent, diagonal_weight))


_STEEPEST: Final = topography.MAX_SLOPE_PCT / 100 * (1 + _PERCENT_TOLERANCE)
_LONG_M: Final = topography.LONG_LENGTH_FT * FOOT_M
_EDGE_1, _EDGE_2, _EDGE_3, _EDGE_4, _EDGE_5 = (edge / 100 for edge in SLOPE_CLASSES_PCT[1:-1])
_UNIT_PLOT_M: Final = topography.LAMBDA0_M
_UNIT_PLOT_PUBLISHED_M: Final = topography.LAMBDA0_DESMET_GOVERS_M


@inner
def _gradient(z: Any, r: int, c: int) -> Any:
    """Return rise per cell to the east and to the south by the neighbours that exist."""
    rows, cols = z.shape
    xx = xy = yy = xz = yz = 0.0
    for i in range(-1, 2):
        for j in range(-1, 2):
            if r + i < 0 or c + j < 0 or r + i >= rows or c + j >= cols or (i == 0 and j == 0):
                continue
            if not np.isnan(z[r + i, c + j]):
                w = 2.0 if i == 0 or j == 0 else 1.0
                rise = np.float64(z[r + i, c + j]) - np.float64(z[r, c])
                xx += w * j * j
                xy += w * j * i
                yy += w * i * i
                xz += w * j * rise
                yz += w * i * rise
    det = xx * yy - xy * xy
    if det > 0.0:
        return (xz * yy - yz * xy) / det, (yz * xx - xz * xy) / det
    # All neighbours on one line, or none: the slope along it is all that is known.
    along = xx + yy
    if along == 0.0:
        return 0.0, 0.0
    return xz / along, yz / along


@jit
def _contour_step(east: Any, south: Any, norm: Any, method: int, exponent: float, diagonal_weight: float) -> Any:
    """Return the mean downslope step, in cells, of a method on a plane with this gradient of length `norm`."""
    large = max(abs(east), abs(south))
    small = min(abs(east), abs(south))
    if norm == 0.0:
        return 1.0
    if method == _MFD:
        return norm / (large + (_ROOT2 - 1.0) * small)
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
def _gradient_of_row(z: Any, state: Any, r: int, east: Any, south: Any) -> None:
    """Fill in the rise per cell of a row: Horn's inside, the plane through the neighbours that exist on the border."""
    rows, cols = z.shape
    if 0 < r < rows - 1:
        north, here, below = z[r - 1], z[r], z[r + 1]
        for c in range(1, cols - 1):
            nw = np.float64(north[c - 1])
            ne = np.float64(north[c + 1])
            sw = np.float64(below[c - 1])
            se = np.float64(below[c + 1])
            east[c] = ((ne - nw) + (se - sw) + 2.0 * (np.float64(here[c + 1]) - np.float64(here[c - 1]))) / 8.0
            south[c] = ((sw - nw) + (se - ne) + 2.0 * (np.float64(below[c]) - np.float64(north[c]))) / 8.0
    for c in range(cols):
        if state[r, c] & BORDER:
            east[c], south[c] = _gradient(z, r, c)


@inner
def _steps_of_row(
    east: Any, south: Any, norm: Any, step: Any, method: int, exponent: float, diagonal_weight: float, published: bool
) -> None:
    """Fill in the length of the gradient and the mean step, in cells; published: that of Desmet and Govers' width."""
    if method == _MFD or published:
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
            step[c] = _contour_step(east[c], south[c], length, method, exponent, diagonal_weight)


@jit
def _ls_of_rows(
    first: int,
    end: int,
    z: Any,
    state: Any,
    area: Any,
    slope: Any,
    ls: Any,
    counts: Any,
    sums: Any,
    cell: float,
    rise_to_slope: float,
    ratio: float,
    method: int,
    exponent: float,
    diagonal_weight: float,
    published: bool,
    max_length: float,
) -> None:
    """Fill the rows of `slope` and `ls`, and count and add up each row.

    Loops over a row do one thing each, without branches, so that they become vector instructions.
    """
    cols = z.shape[1]
    east = np.zeros(cols)
    south = np.zeros(cols)
    steepness = np.empty(cols)
    step = np.empty(cols)
    value = np.empty(cols)
    limits = np.empty(cols, np.uint8)
    kind = np.empty(cols, np.uint8)
    unit_plot = _UNIT_PLOT_PUBLISHED_M if published else _UNIT_PLOT_M
    per_cell = 1.0 / (cell * cell)
    for r in range(first, end):
        _gradient_of_row(z, state, r, east, south)
        _steps_of_row(east, south, steepness, step, method, exponent, diagonal_weight, published)
        for c in range(cols):
            s = steepness[c] * rise_to_slope
            stretch = step[c] * cell
            reach = area[r, c] * stretch * per_cell  # area over width, where width is the cell's area over its stretch
            longest = max_length - stretch
            length = max(min(reach, longest), 0.0)
            value[c] = _steepness(s) * _mean_l(length, stretch, _length_exponent(s, ratio), unit_plot)
            steepness[c] = s
            limits[c] = np.uint8(reach + stretch > _LONG_M) | np.uint8(reach > longest) << np.uint8(1)
        _count_row(z[r], state[r], steepness, value, limits, kind, slope[r], ls[r], counts[r], sums[r])


@inner
def _count_row(
    z: Any, state: Any, steepness: Any, value: Any, limits: Any, kind: Any, slope: Any, ls: Any, counts: Any, sums: Any
) -> None:
    """Write a row of `slope` and `ls`, and count and add it up; `kind` is used for the class of each cell."""
    long = capped = bound = channels = barriers = over = flats = covered = 0
    for c in range(len(z)):
        s = steepness[c]
        known = z[c] == z[c]
        channel = known & ((state[c] & CHANNEL) != 0)
        sealed = known & ((state[c] & (CHANNEL | SEALED)) == SEALED)
        steep = known & ((state[c] & (CHANNEL | SEALED)) == 0) & (s > _STEEPEST)
        erodes = known & ((state[c] & (CHANNEL | SEALED)) == 0) & (s <= _STEEPEST)
        slope[c] = s if known else np.nan
        ls[c] = value[c] if erodes else (0.0 if sealed else np.nan)
        k = (s >= _EDGE_1) + (s >= _EDGE_2) + (s >= _EDGE_3) + (s >= _EDGE_4) + (s >= _EDGE_5)
        kind[c] = k if erodes else _N_CLASSES
        barriers += known & ((state[c] & BARRIER) != 0)
        channels += channel
        covered += sealed
        over += steep
        long += erodes & ((limits[c] & 1) != 0)
        capped += erodes & ((limits[c] & 2) != 0)
        bound += erodes & ((state[c] & LOWER_BOUND) != 0)
        flats += erodes & ((state[c] & FLAT) != 0)
    cells = np.zeros(_N_CLASSES + 1, np.int64)
    # Four sums in turn, since one would have to wait for itself; the last class is of cells that are left out.
    partial = np.zeros((4, _N_CLASSES + 1))
    largest = 0.0
    for c in range(len(z)):
        k = kind[c]
        cells[k] += 1
        partial[c & 3, k] += value[c]
        if k < _N_CLASSES:
            largest = max(largest, value[c])
    counts[_LONG] = long
    counts[_CAPPED] = capped
    counts[_BOUND] = bound
    counts[_CHANNELS] = channels
    counts[_BARRIERS] = barriers
    counts[_OVER_60] = over
    counts[_FLATS] = flats
    counts[_SEALED] = covered
    for k in range(_N_CLASSES):
        counts[_CLASS0 + k] = cells[k]
        sums[k] = (partial[0, k] + partial[1, k]) + (partial[2, k] + partial[3, k])
    sums[_N_CLASSES] = largest


def _either(first: BoolArray | None, second: BoolArray | None) -> BoolArray | None:
    if first is None or second is None:
        return second if first is None else first
    return first | second


def _check_choices(dem: Grid, ratio: str, formula: str, max_length_ft: float | None) -> None:
    check_finite(dem.values, "DEM")
    problems = []
    if dem.z_unit_m is None:
        text = "DEM: state the unit of the elevations (z_unit_m, z_units)"
        problems.append(Finding("vertical-unit-missing", "error", text))
    choices = ((ratio, tuple(topography.RATIOS), "ratio"), (formula, topography.CELL_METHODS, "formula"))
    for value, known, name in choices:
        if value not in known:
            text = f"{name} {value!r} is not known; give one of {', '.join(known)}"
            problems.append(Finding(f"unknown-{name}", "error", text))
    if max_length_ft is not None:
        if not max_length_ft > 0:
            problems.append(
                Finding("max-length", "error", f"max_length_ft must be over 0 ft or None: {max_length_ft!r}")
            )
        elif _ROOT2 * dem.cell_m > max_length_ft * FOOT_M:
            problems.append(
                Finding(
                    "cell-too-large",
                    "error",
                    f"DEM: cells of {dem.cell_m:g} m are as long as the slope-length limit of "
                    f"{max_length_ft:g} ft; take a finer DEM",
                )
            )
    if problems:
        raise InputError(problems)


def _findings(s: LSSummary, acres: float) -> list[Finding]:
    """Return what a reader of the map must know."""
    found = []

    def add(code: str, severity: Literal["warning", "note"], cells: int, text: str) -> None:
        if cells:
            found.append(Finding(code, severity, f"LS: {cells:,} cells ({cells * acres:.2f} acres) {text}"))

    steep = s.classes[-1].cells
    add(
        "slope-over-60-pct",
        "warning",
        s.over_60_pct,
        "are steeper than 60 %, beyond the method, and have no LS: if they are walls, leave them out of the "
        "phases; else grade them flatter or control them by prescription",
    )
    add(
        "slope-over-3h-1v",
        "warning",
        steep,
        f"({steep / max(s.cells, 1):.1%} of those with an LS) are steeper than 3H:1V (33.34 %), where the "
        "state's method does not apply: prescriptive controls are needed",
    )
    add(
        "length-over-400-ft",
        "note",
        s.over_400_ft,
        "have a slope length over 400 ft; runoff has usually concentrated by then",
    )
    add(
        "length-capped",
        "note",
        s.capped,
        f"were computed with the longest slope length, {s.max_length_ft or 0:g} ft",
    )
    add(
        "upslope-area-incomplete",
        "note",
        s.lower_bound,
        f"({s.lower_bound_share or 0:.1%}) get {LOWER_BOUND_SHARE:.0%} of their runoff or more through the edge of "
        "the DEM, where land beyond may add to it, so that their LS is a lower bound: give a DEM that reaches the "
        "divides",
    )
    add("sealed-ground", "note", s.sealed, "do not erode and have LS 0; they pass water on")
    add("channel-cells", "note", s.channels, "are in channels and have no LS")
    if s.pits_filled:
        found.append(
            Finding(
                "depressions-filled",
                "note",
                f"LS: {s.pits_filled:,} depressions were filled, {s.cells_raised:,} cells raised by up to "
                f"{s.max_fill_m:.2f} m",
            )
        )
    if s.pits_kept:
        found.append(
            Finding(
                "depressions-kept",
                "note",
                f"LS: {s.pits_kept:,} depressions were kept and end the slopes above them",
            )
        )
    return found
