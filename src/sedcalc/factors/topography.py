"""Slope length and steepness, LS, of a slope profile and of an irregular slope.

Grid cells have theirs in `sedcalc.factors.cell_topography`, and both run the equations of
`sedcalc.factors.slope_kernels`, which are here by the same names.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import (
    FloatArray,
    Floats,
    check_name,
    check_range,
    float_arrays,
    float_arrays_any_shape,
    outside_error,
    paired_arrays,
)
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.factors._slope_checks import (
    MAX_LENGTH_FT,
    MAX_SLOPE_PCT,
    check_length,
    check_slope,
)
from sedcalc.factors.slope_kernels import (
    LAMBDA0_DESMET_GOVERS_M,
    LAMBDA0_FT,
    LAMBDA0_M,
    kernel_cell_l,
    kernel_cell_l_desmet_govers,
    kernel_four_fifths,
    kernel_length_exponent,
    kernel_length_exponent_ah537,
    kernel_mean_l,
    kernel_power,
    kernel_sin,
    kernel_steepness,
    kernel_steepness_ah537,
    kernel_steepness_nearing,
)
from sedcalc.findings import input_error

__all__ = [
    "CELL_METHODS",
    "EXPONENT_METHODS",
    "LAMBDA0_DESMET_GOVERS_M",
    "LAMBDA0_FT",
    "LAMBDA0_M",
    "LONG_LENGTH_FT",
    "MAX_LENGTH_FT",
    "MAX_SLOPE_PCT",
    "PROFILE_METHODS",
    "RATIOS",
    "SHORT_LENGTH_FT",
    "SLOPE_TOLERANCE_PCT",
    "STEEPNESS_KERNELS",
    "STEEPNESS_METHODS",
    "STEEP_SLOPE_PCT",
    "SegmentedLS",
    "SlopeLS",
    "kernel_cell_l",
    "kernel_cell_l_desmet_govers",
    "kernel_four_fifths",
    "kernel_length_exponent",
    "kernel_length_exponent_ah537",
    "kernel_mean_l",
    "kernel_power",
    "kernel_sin",
    "kernel_steepness",
    "kernel_steepness_ah537",
    "kernel_steepness_nearing",
    "profile_ls",
    "segmented_ls",
    "slope_length_exponent",
    "slope_length_factor",
    "steepness_factor",
]

LONG_LENGTH_FT: Final = 400.0
"""Longest slope on which overland flow usually stays unconcentrated, ft: a reviewer looks at longer ones."""

SHORT_LENGTH_FT: Final = 15.0
"""Shortest slope to which the equations apply, ft; below it the short-slope rule of `profile_ls`."""

SLOPE_TOLERANCE_PCT: Final = 0.01
"""A slope of a surface that is so close to a limit, %, is at it: grading is designed at 20 % or 3H:1V, and
elevations are rounded."""

OVER_3_TO_1_PCT: Final = 100.0 / 3.0 + 0.01
"""Slopes above it are steeper than 3H:1V, %: the state prints that as 33.34 %, and 33.3 or 33.34 is not steeper."""

STEEP_SLOPE_PCT: Final = 9.0
"""Slope, percent, from which McCool's steeper line and the interpolation for short slopes apply."""

RATIOS: Final = {"low": 0.5, "moderate": 1.0, "high": 2.0}
"""Factor on beta by the ratio of rill to interrill erosion; freshly graded construction sites are
``high``."""

STEEPNESS_KERNELS: Final = {
    "mccool": kernel_steepness,
    "ah537": kernel_steepness_ah537,
    "nearing": kernel_steepness_nearing,
}
"""Equations for S of slopes of any length."""

STEEPNESS_METHODS: Final = (*STEEPNESS_KERNELS, "short_slope")
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
"""Method of a profile: its equations for S and m, by the names in `STEEPNESS_METHODS` and `EXPONENT_METHODS`. The USLE
has both from Handbook 537. Those with a plus sign join two publications (hybrids)."""

CELL_METHODS: Final = ("isotropic", "desmet-govers")
"""Forms of L of a grid cell."""

_SHORT_COLUMN_FT: Final = 3.0


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
    check_name(method, STEEPNESS_METHODS, "method", {"usle": "ah537", "rusle": "mccool"})
    (slope,) = float_arrays(slope_pct=slope_pct)
    check_slope(slope)
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
    check_name(method, EXPONENT_METHODS, "method", {"usle": "ah537", "mccool": "rusle"})
    check_name(ratio, RATIOS, "ratio")
    (slope,) = float_arrays(slope_pct=slope_pct)
    check_slope(slope)
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
    check_length(length)
    check_range("m", exponent, 0.0, 1.0, "", "see slope_length_exponent")
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
    check_name(method, PROFILE_METHODS, "method", {"ah537": "usle", "mccool": "rusle"})
    check_name(ratio, RATIOS, "ratio")
    short_table = None if short_rows is None else _short_table(short_rows)
    s_method, m_method = PROFILE_METHODS[method]
    slope, length = float_arrays(slope_pct=slope_pct, length_ft=length_ft)
    check_slope(slope)
    check_length(length)
    slope, length = np.broadcast_arrays(slope, length)
    S = _steepness(slope / 100.0, s_method)
    m = _exponent(slope / 100.0, ratio, m_method)
    short: NDArray[np.bool_] = np.zeros(slope.shape, np.bool_)
    L: FloatArray
    if method == "rusle":
        L = (np.maximum(length, SHORT_LENGTH_FT) / LAMBDA0_FT) ** m
        short = (slope >= STEEP_SLOPE_PCT) & (length < SHORT_LENGTH_FT)
        if short.any():
            L, m = _short_slopes(slope, length, L, S, m, short, ratio, short_table)
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
        short=short if slope.ndim else bool(short),
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
        Horizontal length of each segment, ft, over 0; together 15 to 1,000; as many as slopes.
    ratio : str
        Ratio of rill to interrill erosion: ``"low"``, ``"moderate"`` or ``"high"`` (freshly graded ground).
    method : str
        As in `profile_ls`.

    Returns
    -------
    SegmentedLS
        LS of the whole slope (without the last axis) and of each segment, dimensionless. Computed in float64; float32
        input gives float32.

    Raises
    ------
    InputError
        A slope or length is out of range, the whole length is under 15 ft or over 1,000 ft, a name is
        unknown, the numbers of slopes and lengths differ or are 0, or the other axes do not broadcast.

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
    check_name(method, PROFILE_METHODS, "method", {"ah537": "usle", "mccool": "rusle"})
    check_name(ratio, RATIOS, "ratio")
    s_method, m_method = PROFILE_METHODS[method]
    slope, length = paired_arrays(slope_pct=slope_pct, length_ft=length_ft)
    check_slope(slope)
    check_length(length)
    shape = np.broadcast_shapes(slope.shape, length.shape)
    given = slope.dtype
    slope, length = (np.broadcast_to(v, shape).astype(np.float64, copy=False) for v in (slope, length))
    end = np.cumsum(length, axis=-1)
    whole = end[..., -1:]
    check_range(
        "total_length_ft",
        whole[..., 0].astype(given),
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
        LS=_out(contribution.sum(axis=-1).astype(given)),
        contribution=contribution.astype(given),
        segment_LS=(gain / length).astype(given),
        S=S.astype(given),
        m=m.astype(given),
        method=method,
        ratio=ratio if m_method == "rusle" else None,
        hybrid="+" in method,
    )


def _steepness(slope: FloatArray, method: str) -> FloatArray:
    if method in STEEPNESS_KERNELS:
        return np.asarray(STEEPNESS_KERNELS[method](slope))
    return np.asarray(3.0 * kernel_four_fifths(kernel_sin(slope)) + 0.56)


def _exponent(slope: FloatArray, ratio: str, method: str) -> FloatArray:
    if method == "rusle":
        return np.asarray(kernel_length_exponent(slope, RATIOS[ratio]))
    return np.asarray(kernel_length_exponent_ah537(slope)).astype(slope.dtype)


def _short_table(short_rows: tuple[Floats, Floats]) -> tuple[FloatArray, FloatArray]:
    """Return the slopes and LS of the 3-ft column, or raise `InputError`."""
    message = "must be rising slopes and as many positive LS values"
    try:
        slopes, ls = short_rows
    except (TypeError, ValueError):
        raise input_error("short-rows", message, "short_rows") from None
    rows, values = float_arrays_any_shape(**{"short_rows[0]": slopes, "short_rows[1]": ls})
    rising = rows.ndim == 1 and rows.size and rows.shape == values.shape and np.all(np.diff(rows) > 0)
    if not rising or not (np.isfinite(rows) & np.isfinite(values) & (values > 0)).all():
        raise input_error("short-rows", message, "short_rows")
    return rows, values


def _short_slopes(
    slope: FloatArray,
    length: FloatArray,
    L: FloatArray,
    S: FloatArray,
    m: FloatArray,
    short: NDArray[np.bool_],
    ratio: str,
    short_table: tuple[FloatArray, FloatArray] | None,
) -> tuple[FloatArray, FloatArray]:
    """Return L and m with the rule of Table 4-3 where slopes from 9 % are shorter than 15 ft."""
    code, remedy = "short-slope", "give a length of 15 ft or more, or the slope above it in segments"
    if ratio != "high":
        says = f"is under 15 ft at 9 % or more, which Table 4-3 covers for the high ratio only, not {ratio!r}"
        raise outside_error(code, "length_ft", length, short, says, remedy)
    if short_table is None:
        says = "is under 15 ft at 9 % or more, and short_rows (Table 4-3, its 3-ft column) is not given"
        raise outside_error(code, "length_ft", length, short, says, f"give short_rows, or {remedy}")
    rows, values = short_table
    beyond = short & ((slope < rows[0]) | (slope > rows[-1]))
    if beyond.any():
        raise outside_error(code, "slope_pct", slope, beyond, "is outside the rows of short_rows", remedy)
    at_3 = np.interp(slope, rows, values)
    line = np.log(L * S / at_3) / np.log(SHORT_LENGTH_FT / _SHORT_COLUMN_FT)
    ls = at_3 * (np.maximum(length, _SHORT_COLUMN_FT) / _SHORT_COLUMN_FT) ** line
    return np.where(short, ls / S, L).astype(L.dtype), np.where(short, line, m).astype(m.dtype)
