"""Slope length and steepness, LS: of a slope profile, of an irregular slope, and of a grid cell.

The functions named ``kernel_*`` are the equations themselves, without checks: plain arithmetic on floats or
arrays that ``numba.njit`` compiles as it stands, so that gridded code runs the same lines as a profile. Powers go
through `kernel_power`, for which `sedcalc.terrain.powers` gives compiled code its own version.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import FloatArray, Floats, check_range, float_arrays, outside_error
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.findings import input_error
from sedcalc.units import FOOT_M

LAMBDA0_FT: Final = 72.6
"""Length of the unit plot, ft, in every form of this package but the published Desmet and Govers."""

LAMBDA0_M: Final = LAMBDA0_FT * FOOT_M
"""Length of the unit plot, m: 22.12848."""

LAMBDA0_DESMET_GOVERS_M: Final = 22.13
"""Length of the unit plot as Desmet and Govers (1996) print it, m."""

MAX_SLOPE_PCT: Final = 60.0
"""Steepest slope of the tables of Agriculture Handbook 703, percent: refused beyond."""

MAX_LENGTH_FT: Final = 1000.0
"""Longest slope of the tables of Agriculture Handbook 703, ft: refused beyond."""

LONG_LENGTH_FT: Final = 400.0
"""Longest slope on which overland flow usually stays unconcentrated, ft: a reviewer looks at longer ones."""

SHORT_LENGTH_FT: Final = 15.0
"""Shortest slope to which the equations apply, ft; below it the short-slope rule of `profile_ls`."""

STEEP_SLOPE_PCT: Final = 9.0
"""Slope, percent, from which McCool's steeper line and the interpolation for short slopes apply."""

RATIOS: Final = {"low": 0.5, "moderate": 1.0, "high": 2.0}
"""Factor on beta by the ratio of rill to interrill erosion; freshly graded construction sites are
``high``."""

STEEPNESS_METHODS: Final = ("mccool", "ah537", "nearing", "short_slope")
"""Equations of `steepness_factor`."""

EXPONENT_METHODS: Final = ("rusle", "ah537")
"""Equations of `slope_length_exponent`."""

PROFILE_METHODS: Final = {
    "rusle": ("mccool", "rusle"),
    "usle": ("ah537", "ah537"),
    "nearing+rusle": ("nearing", "rusle"),
    "mccool+ah537": ("mccool", "ah537"),
    "ah537+rusle": ("ah537", "rusle"),
}
"""Method of a profile: its equations for S and m. Those with a plus sign join two publications (hybrids)."""

CELL_METHODS: Final = ("isotropic", "desmet-govers")
"""Forms of L of a grid cell."""

_SHORT_COLUMN_FT: Final = 3.0


def kernel_power(base: Any, exponent: Any) -> Any:
    """Return a power of a number that is not negative.

    Compiled code puts its own, faster version here (`sedcalc.terrain.powers`).

    Parameters
    ----------
    base : float or ndarray
        Dimensionless, zero or more.
    exponent : float or ndarray
        Dimensionless, zero or more.

    Returns
    -------
    float or ndarray
        ``base ** exponent``, dimensionless.

    Examples
    --------
    By hand:

    >>> kernel_power(4.0, 0.5)
    2.0
    """
    return base**exponent


def kernel_sin(slope: Any) -> Any:
    """Return sin θ of a slope.

    Parameters
    ----------
    slope : float or ndarray
        Steepness as rise over run, dimensionless.

    Returns
    -------
    float or ndarray
        Sine of the slope angle, dimensionless.

    Examples
    --------
    The slope of 3 on 4, by Pythagoras:

    >>> round(kernel_sin(0.75), 12)
    0.6
    """
    return slope / (1.0 + slope * slope) ** 0.5


def kernel_steepness(slope: Any) -> Any:
    """Return S after McCool et al. (1987).

    Parameters
    ----------
    slope : float or ndarray
        Steepness as rise over run, dimensionless.

    Returns
    -------
    float or ndarray
        S, dimensionless.

    Examples
    --------
    By hand, 16.8 times 0.6, less 0.50:

    >>> round(kernel_steepness(0.75), 12)
    9.58
    """
    sin_theta = slope / (1.0 + slope * slope) ** 0.5
    # A boolean times a number selects exactly, in NumPy and in compiled scalar code alike.
    return (slope < 0.09) * (10.8 * sin_theta + 0.03) + (slope >= 0.09) * (16.8 * sin_theta - 0.50)


def kernel_length_exponent(slope: Any, rill_ratio: float) -> Any:
    """Return the slope-length exponent m of RUSLE.

    Parameters
    ----------
    slope : float or ndarray
        Steepness as rise over run, dimensionless.
    rill_ratio : float
        Factor of `RATIOS` on beta, dimensionless: 0.5, 1 or 2.

    Returns
    -------
    float or ndarray
        Exponent m, dimensionless.

    Examples
    --------
    At 9 % rill and interrill erosion are equal by construction, so that m is one half:

    >>> round(kernel_length_exponent(0.09, 1.0), 2)
    0.5
    """
    sin_theta = slope / (1.0 + slope * slope) ** 0.5
    # beta = rill/interrill and m = beta/(1 + beta), with one division.
    rill = rill_ratio * sin_theta
    interrill = 0.0896 * (3.0 * kernel_power(sin_theta, 0.8) + 0.56)
    return rill / (interrill + rill)


def kernel_mean_l(length_in_m: Any, step_m: Any, m: Any, unit_plot_m: float) -> Any:
    """Return L over a stretch of slope: the slope equation integrated from its upper to its lower end.

    Parameters
    ----------
    length_in_m : float or ndarray
        Slope length at the upper end, m.
    step_m : float or ndarray
        Length of the stretch, m, over 0.
    m : float or ndarray
        Slope-length exponent, dimensionless.
    unit_plot_m : float
        Length of the unit plot, m.

    Returns
    -------
    float or ndarray
        (b^(m+1) - a^(m+1)) / ((b - a) unit_plot^m) between the lengths a and b, dimensionless.

    Notes
    -----
    Compute in float64: the difference of two powers loses the digits of float32 where the length is large.

    Examples
    --------
    The whole slope, of the length of the unit plot, where L is 1 by definition:

    >>> kernel_mean_l(0.0, LAMBDA0_M, 0.5, LAMBDA0_M)
    1.0
    """
    length_out_m = length_in_m + step_m
    plots_per_m = 1.0 / unit_plot_m
    out = length_out_m * kernel_power(length_out_m * plots_per_m, m)
    return (out - length_in_m * kernel_power(length_in_m * plots_per_m, m)) / step_m


def kernel_cell_l(area_in_m2: Any, cell_m: float, m: Any) -> Any:
    """Return L of a square cell, isotropic form: length is area over the side of the cell.

    Parameters
    ----------
    area_in_m2 : float or ndarray
        Area that drains into the cell, without the cell itself, m2.
    cell_m : float
        Side of the cell, m.
    m : float or ndarray
        Slope-length exponent, dimensionless.

    Returns
    -------
    float or ndarray
        L, dimensionless.

    Examples
    --------
    A first cell of 22.12848 m, the unit plot, where L is 1 by definition:

    >>> round(kernel_cell_l(0.0, LAMBDA0_M, 0.5), 12)
    1.0
    """
    return kernel_mean_l(area_in_m2 / cell_m, cell_m, m, LAMBDA0_M)


def kernel_cell_l_desmet_govers(area_in_m2: Any, cell_m: float, contour: Any, m: Any) -> Any:
    """Return L of a square cell as Desmet and Govers (1996) print it.

    Parameters
    ----------
    area_in_m2 : float or ndarray
        Area that drains into the cell, without the cell itself, m2.
    cell_m : float
        Side of the cell, m.
    contour : float or ndarray
        Width of flow over the side of the cell, abs(sin α) + abs(cos α) of the aspect α, dimensionless.
    m : float or ndarray
        Slope-length exponent, dimensionless.

    Returns
    -------
    float or ndarray
        L, dimensionless.

    Notes
    -----
    The printed ((A + D²)^(m+1) - A^(m+1)) / (D^(m+2) x^m 22.13^m) is `kernel_mean_l` of the length A/(D x) and the step
    D/x.

    Examples
    --------
    A first cell of 22.13 m with flow along an axis, where L is 1 by definition:

    >>> round(kernel_cell_l_desmet_govers(0.0, 22.13, 1.0, 0.5), 12)
    1.0
    """
    return kernel_mean_l(area_in_m2 / (cell_m * contour), cell_m / contour, m, LAMBDA0_DESMET_GOVERS_M)


class SlopeLS(NamedTuple):
    """LS with what it is made of; floats, or arrays of one shape.

    Attributes
    ----------
    LS : float or ndarray
        Slope length and steepness factor, dimensionless.
    L, S : float or ndarray
        Its two factors, dimensionless. L is LS/S where the rule for short slopes interpolates.
    m : float or ndarray
        Slope-length exponent, dimensionless. Where the rule for short slopes interpolates, the exponent of that line.
    method : str
        Name in `PROFILE_METHODS` or `CELL_METHODS`.
    ratio : str or None
        Ratio of rill to interrill erosion; None where the method has none.
    hybrid : bool
        S and m come from two publications that were not made for each other.
    short : bool or ndarray of bool
        The value rests on the 3-ft column of Table 4-3 (slopes from 9 % that are shorter than 15 ft).
    """

    LS: Floats
    L: Floats
    S: Floats
    m: Floats
    method: str
    ratio: str | None
    hybrid: bool
    short: bool | NDArray[np.bool_]


class SegmentedLS(NamedTuple):
    """LS of an irregular slope and what each segment adds to it.

    Attributes
    ----------
    LS : float or ndarray
        Factor of the whole slope, per area of the whole slope, dimensionless.
    contribution : ndarray
        What each segment adds to LS, dimensionless; the last axis sums to LS.
    segment_LS : ndarray
        Factor of each segment per its own area, dimensionless: how hard the segment itself erodes.
    S, m : ndarray
        Steepness factor and slope-length exponent of each segment, dimensionless.
    method, ratio, hybrid
        As in `SlopeLS`.
    """

    LS: Floats
    contribution: FloatArray
    segment_LS: FloatArray
    S: FloatArray
    m: FloatArray
    method: str
    ratio: str | None
    hybrid: bool


def steepness_factor(slope_pct: Floats, method: str = "mccool") -> Floats:
    """Slope steepness factor S.

    Parameters
    ----------
    slope_pct : float or ndarray
        Steepness, %, 0 to 60.
    method : str
        ``"mccool"`` (RUSLE), ``"ah537"`` (USLE), ``"nearing"`` (one curve for all slopes) or
        ``"short_slope"`` (interrill erosion alone, slopes shorter than 15 ft).

    Returns
    -------
    float or ndarray
        S, dimensionless, about 1 at 9 %. float32 stays float32, then with an error below 2e-6 of S (1e-5
        for ``"nearing"``).

    Raises
    ------
    InputError
        A slope is negative, over 60 % or infinite, or the method is unknown. NaN in an array stays NaN.

    Notes
    -----
    McCool's two lines do not meet: 0.998 just below 9 %, 1.006 at 9 %, where the steeper line begins. The
    plots behind them reach 18 %; Nearing's curve was fitted to these and to steeper slopes.

    References
    ----------
    .. [1] McCool, D.K., Brown, L.C., Foster, G.R., Mutchler, C.K., Meyer, L.D. (1987). Revised slope
       steepness factor for the Universal Soil Loss Equation. Trans. ASAE 30(5), 1387-1396.
    .. [2] Wischmeier, W.H., Smith, D.D. (1978). Predicting Rainfall Erosion Losses. USDA Agriculture
       Handbook 537.
    .. [3] Nearing, M.A. (1997). A single, continuous function for slope steepness influence on soil loss.
       Soil Sci. Soc. Am. J. 61(3), 917-919.

    Examples
    --------
    By hand: 16.8 times sin(arctan 0.09) = 0.0896377, less 0.50:

    >>> round(steepness_factor(9), 4)
    1.0059
    """
    _known(method, STEEPNESS_METHODS, "method")
    (slope,) = float_arrays(slope_pct=slope_pct)
    _check_slope(slope)
    return _out(_steepness(slope / 100.0, method))


def slope_length_exponent(slope_pct: Floats, ratio: str = "high", method: str = "rusle") -> Floats:
    """Slope-length exponent m.

    Parameters
    ----------
    slope_pct : float or ndarray
        Steepness, %, 0 to 60.
    ratio : str
        Ratio of rill to interrill erosion: ``"low"``, ``"moderate"`` or ``"high"`` (freshly graded ground).
        Only ``"rusle"`` depends on it.
    method : str
        ``"rusle"`` (continuous in slope) or ``"ah537"`` (the steps of the USLE).

    Returns
    -------
    float or ndarray
        m, dimensionless, 0 to 1. float32 stays float32, then with a relative error below 2e-6.

    Raises
    ------
    InputError
        A slope is negative, over 60 % or infinite, or a name is unknown. NaN in an array stays NaN.

    Notes
    -----
    Handbook 537 prints 0.5 from 5 %, 0.4 for 3.5 to 4.5 %, 0.3 for 1 to 3 % and 0.2 below 1 %. A slope
    between two printed classes has the exponent of the flatter one here.

    References
    ----------
    .. [1] McCool, D.K., Foster, G.R., Mutchler, C.K., Meyer, L.D. (1989). Revised slope length factor for the
       Universal Soil Loss Equation. Trans. ASAE 32(5), 1571-1576.
    .. [2] Renard, K.G., et al. (1997). USDA Agriculture Handbook 703, chapter 4.
    .. [3] Wischmeier, W.H., Smith, D.D. (1978). USDA Agriculture Handbook 537.

    Examples
    --------
    At 9 % with a moderate ratio rill and interrill erosion are equal by construction, so m is one half:

    >>> round(slope_length_exponent(9, ratio="moderate"), 2)
    0.5
    """
    _known(method, EXPONENT_METHODS, "method")
    _known(ratio, RATIOS, "ratio")
    (slope,) = float_arrays(slope_pct=slope_pct)
    _check_slope(slope)
    return _out(_exponent(slope / 100.0, ratio, method))


def slope_length_factor(length_ft: Floats, m: Floats) -> Floats:
    """Slope length factor L = (length / 72.6 ft)^m.

    Parameters
    ----------
    length_ft : float or ndarray
        Horizontal slope length, ft, over 0 to 1,000.
    m : float or ndarray
        Slope-length exponent, dimensionless, 0 to 1.

    Returns
    -------
    float or ndarray
        L, dimensionless, 1 at 72.6 ft. float32 stays float32, then with a relative error below 2e-6.

    Raises
    ------
    InputError
        A length is not positive, over 1,000 ft or infinite; an exponent is outside 0 to 1. NaN in an array
        stays NaN.

    Notes
    -----
    Runoff has usually concentrated within 400 ft; 1,000 ft is the end of the published tables. For slopes
    under 15 ft use `profile_ls`, which has the rule for them.

    References
    ----------
    .. [1] Renard, K.G., et al. (1997). USDA Agriculture Handbook 703, chapter 4.

    Examples
    --------
    Four unit plots in a row with the exponent 0.5, by hand:

    >>> slope_length_factor(4 * 72.6, 0.5)
    2.0
    """
    length, exponent = float_arrays(length_ft=length_ft, m=m)
    _check_length(length)
    check_range("m", exponent, 0.0, 1.0, "", "see slope_length_exponent")
    _shape(length_ft=length, m=exponent)
    return _out((length / LAMBDA0_FT) ** exponent)


def profile_ls(
    slope_pct: Floats,
    length_ft: Floats,
    ratio: str = "high",
    method: str = "rusle",
    *,
    short_rows: tuple[Floats, Floats] | None = None,
) -> SlopeLS:
    """LS of a uniform slope.

    Parameters
    ----------
    slope_pct : float or ndarray
        Steepness, %, 0 to 60.
    length_ft : float or ndarray
        Horizontal slope length, ft, over 0 to 1,000.
    ratio : str
        Ratio of rill to interrill erosion: ``"low"``, ``"moderate"`` or ``"high"`` (freshly graded ground).
    method : str
        ``"rusle"`` (S by McCool, m by RUSLE) or ``"usle"`` (both by Handbook 537). Three hybrids join the S
        of one publication with the m of another: ``"nearing+rusle"``, ``"mccool+ah537"``,
        ``"ah537+rusle"``.
    short_rows : tuple of two ndarrays, optional
        Slopes (%, rising) of Table 4-3 of Handbook 703, and LS in its 3-ft column. Needed by ``"rusle"`` for
        slopes from 9 % that are shorter than 15 ft.

    Returns
    -------
    SlopeLS
        LS, L, S and m, dimensionless, of the broadcast shape, and the names of what was used.

    Raises
    ------
    InputError
        A slope or length is out of range, a name is unknown, the shapes do not broadcast, or a slope from 9
        % is shorter than 15 ft while `short_rows` is missing or ends below it, or the ratio is not
        ``"high"``.

    Notes
    -----
    ``"rusle"`` under 15 ft: below 9 % LS is that of 15 ft. From 9 % it lies between the 3-ft value (linear in
    slope between the rows) and the value at 15 ft, linear in the logarithms of LS and length, within 0.01
    of the printed table; under 3 ft it is the 3-ft value. Table 4-3 is for the high ratio only. The other
    methods compute their equation at any length.

    References
    ----------
    .. [1] Renard, K.G., et al. (1997). USDA Agriculture Handbook 703, chapter 4 and Table 4-3.
    .. [2] Wischmeier, W.H., Smith, D.D. (1978). USDA Agriculture Handbook 537.

    Examples
    --------
    The side slope of a landfill in San Joaquin County, California, 33 % and 150 ft (published LS: 8.5; 6.8
    with a low ratio):

    >>> round(profile_ls(33, 150).LS, 3), round(profile_ls(33, 150, ratio="low").LS, 3)
    (8.516, 6.851)

    A construction site in Duluth, Minnesota, 16 % and 280 ft, by the USLE (published: 4.80, read from a
    chart):

    >>> round(profile_ls(16, 280, method="usle").LS, 2)
    4.75
    """
    _known(method, PROFILE_METHODS, "method")
    _known(ratio, RATIOS, "ratio")
    s_method, m_method = PROFILE_METHODS[method]
    slope, length = float_arrays(slope_pct=slope_pct, length_ft=length_ft)
    _check_slope(slope)
    _check_length(length)
    shape = _shape(slope_pct=slope, length_ft=length)
    slope, length = np.broadcast_to(slope, shape), np.broadcast_to(length, shape)
    S = _steepness(slope / 100.0, s_method)
    m = _exponent(slope / 100.0, ratio, m_method)
    short: NDArray[np.bool_] = np.zeros(shape, np.bool_)
    L: FloatArray
    if method == "rusle":
        L = (np.maximum(length, SHORT_LENGTH_FT) / LAMBDA0_FT) ** m
        short = (slope >= STEEP_SLOPE_PCT) & (length < SHORT_LENGTH_FT)
        if short.any():
            L, m = _short_slopes(slope, length, L, S, m, short, ratio, short_rows)
    else:
        L = (length / LAMBDA0_FT) ** m
    return SlopeLS(
        LS=_out(L * S),
        L=_out(L),
        S=_out(S),
        m=_out(m),
        method=method,
        ratio=ratio if m_method == "rusle" else None,
        hybrid="+" in method,
        short=short if shape else bool(short),
    )


def segmented_ls(
    slope_pct: FloatArray, length_ft: FloatArray, ratio: str = "high", method: str = "rusle"
) -> SegmentedLS:
    """LS of an irregular slope, and what each of its segments adds to it.

    Parameters
    ----------
    slope_pct : ndarray
        Steepness of each segment, %, 0 to 60, from the top of the slope down along the last axis.
    length_ft : ndarray
        Horizontal length of each segment, ft, over 0; together 15 to 1,000. Broadcasts with `slope_pct`.
    ratio : str
        Ratio of rill to interrill erosion: ``"low"``, ``"moderate"`` or ``"high"`` (freshly graded ground).
    method : str
        As in `profile_ls`.

    Returns
    -------
    SegmentedLS
        LS of the whole slope (without the last axis) and of each segment, dimensionless.

    Raises
    ------
    InputError
        A slope or length is out of range, the whole length is under 15 ft or over 1,000 ft, a name is
        unknown, there is no axis of segments, or the shapes do not broadcast.

    Notes
    -----
    Segment i between the distances x(i-1) and x(i) from the top adds
    S (x(i)^(m+1) - x(i-1)^(m+1)) / (λ 72.6^m), with its own S and m, where λ is the whole length. Segments
    need not be equally long, and cutting a uniform slope changes nothing. A segment that flattens enough
    for sediment to settle ends the slope: the equation knows no deposition.

    References
    ----------
    .. [1] Foster, G.R., Wischmeier, W.H. (1974). Evaluating irregular slopes for soil loss prediction. Trans.
       ASAE 17(2), 305-309.
    .. [2] Renard, K.G., et al. (1997). USDA Agriculture Handbook 703, chapter 4.

    Examples
    --------
    400 ft in equal thirds of 5, 10 and 15 %: 3.5175 by hand with the weights 0.19, 0.35 and 0.46 of
    Handbook 537, whose two decimals the equation does not round:

    >>> import numpy as np
    >>> thirds = np.full(3, 400 / 3)
    >>> round(segmented_ls(np.array([5.0, 10.0, 15.0]), thirds, method="usle").LS, 3)
    3.502
    """
    _known(method, PROFILE_METHODS, "method")
    _known(ratio, RATIOS, "ratio")
    s_method, m_method = PROFILE_METHODS[method]
    slope, length = float_arrays(slope_pct=slope_pct, length_ft=length_ft)
    _check_slope(slope)
    _check_length(length)
    shape = _shape(slope_pct=slope, length_ft=length)
    if not shape or not shape[-1]:
        raise input_error("no-segments", "give at least one segment, along the last axis", "length_ft")
    slope, length = np.broadcast_to(slope, shape), np.broadcast_to(length, shape)
    end = np.cumsum(length, axis=-1)
    whole = end[..., -1:]
    check_range(
        "total_length_ft",
        whole[..., 0],
        SHORT_LENGTH_FT,
        MAX_LENGTH_FT,
        "ft",
        "describe a shorter slope as uniform; end a longer one where runoff concentrates",
    )
    start = end - length
    S = _steepness(slope / 100.0, s_method)
    m = _exponent(slope / 100.0, ratio, m_method)
    gain = S * (end ** (m + 1.0) - start ** (m + 1.0)) / LAMBDA0_FT**m
    contribution = gain / whole
    return SegmentedLS(
        LS=_out(contribution.sum(axis=-1)),
        contribution=contribution,
        segment_LS=gain / length,
        S=S,
        m=m,
        method=method,
        ratio=ratio if m_method == "rusle" else None,
        hybrid="+" in method,
    )


def cell_ls_isotropic(area_in_m2: Floats, cell_m: float, slope_pct: Floats, ratio: str = "high") -> SlopeLS:
    """LS of square grid cells, independent of the direction of flow across them.

    Parameters
    ----------
    area_in_m2 : float or ndarray
        Area that drains into the cell, without the cell itself, m2, not negative.
    cell_m : float
        Side of a cell, m, over 0.
    slope_pct : float or ndarray
        Steepness of the cell, %, 0 to 60.
    ratio : str
        Ratio of rill to interrill erosion: ``"low"``, ``"moderate"`` or ``"high"`` (freshly graded ground).

    Returns
    -------
    SlopeLS
        LS, L, S and m, dimensionless, of the broadcast shape. Computed in float64; float32 input gives
        float32.

    Raises
    ------
    InputError
        An area, slope or the cell side is out of range, the ratio is unknown, or the shapes do not broadcast.
        NaN in an array stays NaN.

    Notes
    -----
    L = (b^(m+1) - a^(m+1)) / (D λ0^m) with a = A/D at the inlet, b = (A + D²)/D at the outlet, and λ0 = 72.6 ft =
    22.12848 m as in `profile_ls`: the mean over the cell of the slope equation, as Desmet and Govers
    derived it, with the cell's side for the width of flow. On a plane whose flow follows an axis of the
    grid it gives `profile_ls` exactly. The rule for slopes under 15 ft has no place here.

    References
    ----------
    .. [1] Desmet, P.J.J., Govers, G. (1996). A GIS procedure for automatically calculating the USLE LS
       factor on topographically complex landscape units. J. Soil Water Conserv. 51(5), 427-433.

    Examples
    --------
    The mean over the ten cells of 10 m along a slope of 12 % and 100 m is the factor of that slope, 3.42003
    by the closed form S (100 m / 22.12848 m)^m with a moderate ratio:

    >>> import numpy as np
    >>> cells = cell_ls_isotropic(np.arange(10) * 100.0, 10.0, 12.0, ratio="moderate")
    >>> round(float(cells.LS.mean()), 5)
    3.42003
    """
    _known(ratio, RATIOS, "ratio")
    area, slope = float_arrays(area_in_m2=area_in_m2, slope_pct=slope_pct)
    _check_cells(area, cell_m)
    _check_slope(slope)
    shape = _shape(area_in_m2=area, slope_pct=slope)
    tangent = np.broadcast_to(slope, shape).astype(np.float64) / 100.0
    S, m = kernel_steepness(tangent), kernel_length_exponent(tangent, RATIOS[ratio])
    L = kernel_cell_l(np.broadcast_to(area, shape).astype(np.float64), float(cell_m), m)
    LS, L, S, m = (_out(np.asarray(a).astype(area.dtype)) for a in (L * S, L, S, m))
    return SlopeLS(LS, L, S, m, "isotropic", ratio, False, np.zeros(shape, np.bool_) if shape else False)


def cell_l_desmet_govers(area_in_m2: Floats, cell_m: float, aspect_rad: Floats, m: Floats) -> Floats:
    """Slope length factor L of square grid cells in the form that Desmet and Govers published.

    Parameters
    ----------
    area_in_m2 : float or ndarray
        Area that drains into the cell, without the cell itself, m2, not negative.
    cell_m : float
        Side of a cell, m, over 0.
    aspect_rad : float or ndarray
        Aspect: the direction of flow from any axis of the grid, radians, -2π to 2π.
    m : float or ndarray
        Slope-length exponent of the cell, dimensionless, 0 to 1.

    Returns
    -------
    float or ndarray
        L, dimensionless, of the broadcast shape. Computed in float64; float32 input gives float32.

    Raises
    ------
    InputError
        An area, exponent, aspect or the cell side is out of range, or the shapes do not
        broadcast. NaN in an array stays NaN.

    Notes
    -----
    L = ((A + D²)^(m+1) - A^(m+1)) / (D^(m+2) x^m 22.13^m), x = abs(sin α) + abs(cos α). For comparison with
    programs that use it: with single-direction routing it gives about two thirds of the slope equation's L
    on a plane that slopes diagonally to the grid. `cell_ls_isotropic` is the default.

    References
    ----------
    .. [1] Desmet, P.J.J., Govers, G. (1996). A GIS procedure for automatically calculating the USLE LS
       factor on topographically complex landscape units. J. Soil Water Conserv. 51(5), 427-433.

    Examples
    --------
    A first cell, flow along an axis, m = 0.5, by hand (10 / 22.13)^0.5:

    >>> round(cell_l_desmet_govers(0.0, 10.0, 0.0, 0.5), 5)
    0.67222
    """
    area, aspect, exponent = float_arrays(area_in_m2=area_in_m2, aspect_rad=aspect_rad, m=m)
    _check_cells(area, cell_m)
    circle = 2.0 * math.pi
    check_range("aspect_rad", aspect, -circle, circle, "radians", "turn degrees into radians")
    check_range("m", exponent, 0.0, 1.0, "", "see slope_length_exponent")
    _shape(area_in_m2=area, aspect_rad=aspect, m=exponent)
    area64, aspect64, exponent64 = (a.astype(np.float64) for a in (area, aspect, exponent))
    contour = np.abs(np.sin(aspect64)) + np.abs(np.cos(aspect64))
    L = kernel_cell_l_desmet_govers(area64, float(cell_m), contour, exponent64)
    return _out(np.asarray(L).astype(area.dtype))


def _known(value: str, allowed: Any, name: str) -> None:
    if value not in allowed:
        names = ", ".join(map(repr, allowed))
        raise input_error(f"unknown-{name}", f"{value!r} is unknown; use one of {names}", name)


def _shape(**arrays: FloatArray) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(a.shape for a in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in arrays.items())
        raise input_error("shapes-differ", f"the shapes do not broadcast: {shapes}") from None


def _check_slope(slope: FloatArray) -> None:
    remedy = "give the fall in percent of the horizontal length; steeper faces need prescriptive controls"
    check_range("slope_pct", slope, 0.0, MAX_SLOPE_PCT, "%", remedy)


def _check_length(length: FloatArray) -> None:
    remedy = "give the horizontal length from where runoff starts to where it enters a channel or settles"
    check_range("length_ft", length, 0.0, MAX_LENGTH_FT, "ft", remedy, above=True)


def _check_cells(area: FloatArray, cell_m: float) -> None:
    infinity = float("inf")
    check_range("area_in_m2", area, 0.0, infinity, "m2", "give the upslope area in square metres")
    (side,) = float_arrays(cell_m=cell_m)
    if side.ndim:
        raise input_error("cell-m-not-a-number", "must be one number", "cell_m")
    check_range("cell_m", side, 0.0, infinity, "m", "give the side of a square cell in metres", above=True)


def _steepness(slope: FloatArray, method: str) -> FloatArray:
    if method == "mccool":
        return np.asarray(kernel_steepness(slope))
    sin_theta = kernel_sin(slope)
    if method == "ah537":
        result = 65.41 * sin_theta**2 + 4.56 * sin_theta + 0.065
    elif method == "nearing":
        result = -1.5 + 17.0 / (1.0 + np.exp(2.3 - 6.1 * sin_theta))
    else:
        result = 3.0 * sin_theta**0.8 + 0.56
    return np.asarray(result)


def _exponent(slope: FloatArray, ratio: str, method: str) -> FloatArray:
    if method == "rusle":
        return np.asarray(kernel_length_exponent(slope, RATIOS[ratio]))
    steps = [slope >= 0.05, slope >= 0.035, slope >= 0.01, slope >= 0.0]
    return np.select(steps, [0.5, 0.4, 0.3, 0.2], default=np.nan).astype(slope.dtype)


def _short_slopes(
    slope: FloatArray,
    length: FloatArray,
    L: FloatArray,
    S: FloatArray,
    m: FloatArray,
    short: NDArray[np.bool_],
    ratio: str,
    short_rows: tuple[Floats, Floats] | None,
) -> tuple[FloatArray, FloatArray]:
    """Return L and m with the rule of Table 4-3 where slopes from 9 % are shorter than 15 ft."""
    code, remedy = "short-slope", "give a length of 15 ft or more, or the slope above it in segments"
    if ratio != "high":
        says = f"is under 15 ft at 9 % or more, which Table 4-3 covers for the high ratio only, not {ratio!r}"
        raise outside_error(code, "length_ft", length, short, says, remedy)
    if short_rows is None:
        says = "is under 15 ft at 9 % or more, and short_rows (Table 4-3, its 3-ft column) is not given"
        raise outside_error(code, "length_ft", length, short, says, f"give short_rows, or {remedy}")
    rows, values = float_arrays(slopes=short_rows[0], LS=short_rows[1])
    rising = rows.ndim == 1 and rows.shape == values.shape and np.all(np.diff(rows) > 0)
    if not rising or not np.all(values > 0):
        message = "must be rising slopes and as many positive LS values"
        raise input_error("short-rows", message, "short_rows")
    beyond = short & ((slope < rows[0]) | (slope > rows[-1]))
    if beyond.any():
        raise outside_error(code, "slope_pct", slope, beyond, "is outside the rows of short_rows", remedy)
    at_3 = np.interp(slope, rows, values)
    line = np.log(L * S / at_3) / np.log(SHORT_LENGTH_FT / _SHORT_COLUMN_FT)
    ls = at_3 * (np.maximum(length, _SHORT_COLUMN_FT) / _SHORT_COLUMN_FT) ** line
    return np.where(short, ls / S, L).astype(L.dtype), np.where(short, line, m).astype(m.dtype)
