"""LS of every cell of an elevation model, and how much land lies in each class of slope.

A cell's LS is the mean over the cell of the slope equation, integrated from where flow enters to where it
leaves. That takes a contour width, which turns an area into a length. In the isotropic form the width follows
from the routing itself: on a plane, area grows downslope by the cell's area for every mean step of the
routing, so the width is the cell's area over that step. Area over width is then the true length at every
aspect, for every routing method.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from sedcalc.factors import topography
from sedcalc.findings import Finding, InputError, by_severity
from sedcalc.terrain import ls_kernels as kernels
from sedcalc.terrain.conditioning import drain, with_walls
from sedcalc.terrain.edges import edge_of
from sedcalc.terrain.grid import FloatArray, Grid, check_finite, check_memory
from sedcalc.terrain.jit import over_rows, telling_of_compilation
from sedcalc.terrain.ls_kernels import SLOPE_CLASSES_PCT
from sedcalc.terrain.ls_summary import LSSummary, SlopeClass, gap_findings, summary_findings
from sedcalc.terrain.routing import Border, check_masks, route, sharing_of
from sedcalc.terrain.state import CHANNEL, LOWER_BOUND, BoolArray, StateArray, cell_flag
from sedcalc.units import FOOT_M

__all__ = [
    "DEFAULT_MAX_FILL_M",
    "SLOPE_CLASSES_PCT",
    "Formula",
    "LSResult",
    "LSSummary",
    "Progress",
    "SlopeClass",
    "contour_step",
    "ls_raster",
]

Progress = Callable[[str], None]
Formula = Literal["isotropic", "desmet-govers"]

DEFAULT_MAX_FILL_M: Final = 0.2
"""Depth, m, up to which a depression cannot be told from the noise of a lidar surface: the vertical accuracy at 95 %
of the 10 cm class is 0.196 m (ASPRS Positional Accuracy Standards for Digital Geospatial Data, 2014, table B.7)."""


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
        One byte per cell, bits as in `sedcalc.terrain.state`.
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
        s_method, _ = topography.PROFILE_METHODS[self.summary.method]
        return np.asarray(topography.STEEPNESS_KERNELS[s_method](self.slope))

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
        """True where LS is a lower bound: 1 % of the area or more has come through the border, and LS grows with it."""
        return cell_flag(self.state, LOWER_BOUND)

    @property
    def too_steep(self) -> BoolArray:
        """True where the slope is over 60 % and no LS is given."""
        return self.slope > kernels.STEEPEST


def ls_raster(
    dem: Grid,
    *,
    routing: str = "mfd",
    ratio: str = "high",
    method: str = "rusle",
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
    method
        Equations for S and m: ``"rusle"``, ``"usle"``, or a hybrid, as in `sedcalc.factors.topography.profile_ls`.
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
        not fit, a limit is not a positive number, a cell is longer than `max_length_ft`, or the machine has less
        memory than the cells take.

    Notes
    -----
    Slope is Horn's, from the elevations as given, filled or not; beside nodata and the edge it is the mean of the
    rises between those pairs of the nine cells that exist, with the same weights, which is exact on a plane.
    Flats have slope 0, so S = 0.03 and L = 1. LS is computed to 60 %; steeper cells have none, and are
    counted in a warning. The rule for slopes under 15 ft is not used on grids. Cells on the border, and those that
    get 1 % of their area or more through it, are lower bounds, but where slope length is at its limit anyway.

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
    _check_choices(dem, ratio, method, formula, max_length_ft, channel_threshold_m2, max_fill_m)
    check_masks(dem.shape, barriers=barriers, channels=channels, sealed=sealed, walls=walls)
    sharing = sharing_of(routing)
    assert dem.z_unit_m is not None
    published = formula == "desmet-govers"  # whose width does not follow from the routing
    say = progress or (lambda _: None)
    rows = dem.shape[0]
    with telling_of_compilation(say):
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
        gaps = 0 if drained.gaps is None else int(np.count_nonzero(drained.gaps))
        del drained  # the filled surface is for routing alone
        state, area = routed.state, routed.area_in_m2
        del routed  # with its share of the border, which the state now says
        edge = edge_of(dem.values, state)
        slope = np.empty_like(dem.values)
        ls = np.empty_like(dem.values)
        counts = np.zeros((rows, kernels.CLASS0 + kernels.N_CLASSES), np.int64)
        sums = np.zeros((rows, kernels.N_CLASSES + 1))
        over_rows(
            kernels.ls_of_rows,
            rows,
            np.ascontiguousarray(dem.values),
            state,
            (edge.start, edge.col, edge.east, edge.south),
            area,
            slope,
            ls,
            counts,
            sums,
            dem.cell_m,
            dem.z_unit_m / dem.cell_m,
            topography.RATIOS[ratio],
            kernels.variant_of(method),
            None if published else sharing,
            published,
            np.inf if max_length_ft is None else max_length_ft * FOOT_M,
        )
    acres = dem.cell_acres
    n = counts.sum(axis=0)
    total = sums[:, : kernels.N_CLASSES].sum(axis=0)
    cells = int(n[kernels.CLASS0 :].sum())
    classes = tuple(
        SlopeClass(low, high, int(k), int(k) * acres, float(s / k) if k else None)
        for low, high, k, s in zip(SLOPE_CLASSES_PCT, SLOPE_CLASSES_PCT[1:], n[kernels.CLASS0 :], total, strict=False)
    )
    summary = LSSummary(
        cells=cells,
        acres=cells * acres,
        mean=float(total.sum() / cells) if cells else None,
        max=float(sums[:, kernels.N_CLASSES].max()) if cells else None,
        classes=classes,
        over_400_ft=int(n[kernels.LONG]),
        capped=int(n[kernels.CAPPED]),
        lower_bound=int(n[kernels.BOUND]),
        lower_bound_share=float(n[kernels.BOUND] / cells) if cells else None,
        channels=int(n[kernels.CHANNELS]),
        barriers=int(n[kernels.BARRIERS]),
        sealed=int(n[kernels.COVERED]),
        walls=0 if walls is None else int(np.count_nonzero(walls & dem.valid)),
        over_60_pct=int(n[kernels.OVER_60]),
        flat=int(n[kernels.FLATS]),
        pits_filled=filling[0],
        cells_raised=filling[1],
        max_fill_m=filling[2],
        pits_kept=filling[3],
        routing=routing,
        formula=formula,
        ratio=ratio if topography.PROFILE_METHODS[method][1] == "rusle" else None,
        method=method,
        max_length_ft=max_length_ft,
        border=border,
        cell_acres=acres,
    )
    found = [*summary_findings(summary, acres), *gap_findings(gaps, acres)]
    findings = tuple(by_severity((*dem.findings, *found)))
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
    return float(kernels.mean_step(np.cos(aspect_rad), np.sin(aspect_rad), 1.0, sharing_of(routing)))


def _either(first: BoolArray | None, second: BoolArray | None) -> BoolArray | None:
    if first is None or second is None:
        return second if first is None else first
    return first | second


def _check_choices(
    dem: Grid,
    ratio: str,
    method: str,
    formula: str,
    max_length_ft: float | None,
    channel_threshold_m2: float | None,
    max_fill_m: float | None,
) -> None:
    check_memory(dem.shape)
    check_finite(dem.values, "DEM")
    problems = []
    if dem.z_unit_m is None:
        text = "DEM: state the unit of the elevations (z_unit_m, z_units)"
        problems.append(Finding("vertical-unit-missing", "error", text))
    choices = (
        (ratio, tuple(topography.RATIOS), "ratio"),
        (method, tuple(topography.PROFILE_METHODS), "method"),
        (formula, topography.CELL_METHODS, "formula"),
    )
    for value, known, name in choices:
        if value not in tuple(known):
            text = f"{name} {value!r} is not known; give one of {', '.join(known)}"
            problems.append(Finding(f"unknown-{name}", "error", text))
    if max_length_ft is not None:
        if not (_is_number(max_length_ft) and max_length_ft > 0):
            text = f"max_length_ft must be a number over 0 ft, or None: {max_length_ft!r}"
            problems.append(Finding("max-length", "error", text))
        elif 2**0.5 * dem.cell_m > max_length_ft * FOOT_M:
            problems.append(
                Finding(
                    "cell-too-large",
                    "error",
                    f"DEM: cells of {dem.cell_m:g} m are as long as the slope-length limit of "
                    f"{max_length_ft:g} ft; take a finer DEM",
                )
            )
    if channel_threshold_m2 is not None and not (_is_number(channel_threshold_m2) and channel_threshold_m2 > 0):
        text = f"channel_threshold_m2 must be a number over 0 m2, or None: {channel_threshold_m2!r}"
        problems.append(Finding("channel-threshold", "error", text))
    if max_fill_m is not None and not (_is_number(max_fill_m) and max_fill_m >= 0):
        text = f"max_fill_m must be a number of 0 m or more, or None: {max_fill_m!r}"
        problems.append(Finding("fill-depth", "error", text))
    if problems:
        raise InputError(problems)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
