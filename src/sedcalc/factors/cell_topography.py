"""Slope length and steepness, LS, of the cells of a grid."""

import math

import numpy as np

from sedcalc.factors._arrays import FloatArray, Floats, check_name, check_range, float_arrays
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.factors._slope_checks import check_slope
from sedcalc.factors.slope_kernels import (
    kernel_cell_l,
    kernel_cell_l_desmet_govers,
    kernel_length_exponent,
    kernel_steepness,
)
from sedcalc.factors.topography import RATIOS, SlopeLS
from sedcalc.findings import input_error


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
    check_name(ratio, RATIOS, "ratio")
    area, slope = float_arrays(area_in_m2=area_in_m2, slope_pct=slope_pct)
    _check_cells(area, cell_m)
    check_slope(slope)
    shape = np.broadcast_shapes(area.shape, slope.shape)
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
    area64, aspect64, exponent64 = (a.astype(np.float64) for a in (area, aspect, exponent))
    contour = np.abs(np.sin(aspect64)) + np.abs(np.cos(aspect64))
    L = kernel_cell_l_desmet_govers(area64, float(cell_m), contour, exponent64)
    return _out(np.asarray(L).astype(area.dtype))


def _check_cells(area: FloatArray, cell_m: float) -> None:
    infinity = float("inf")
    check_range("area_in_m2", area, 0.0, infinity, "m2", "give the upslope area in square metres")
    (side,) = float_arrays(cell_m=cell_m)
    if side.ndim:
        raise input_error("cell-m-not-a-number", "must be one number", "cell_m")
    check_range("cell_m", side, 0.0, infinity, "m", "give the side of a square cell in metres", above=True)
