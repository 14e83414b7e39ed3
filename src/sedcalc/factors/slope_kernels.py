"""Equations of slope length and steepness without checks: plain arithmetic that numba compiles as it stands.

Gridded code so runs the same lines as a slope profile. Powers go through `kernel_power` and `kernel_four_fifths`, for
which `sedcalc.terrain.powers` gives compiled code its own versions.
"""

from typing import Any, Final

import numpy as np

from sedcalc.units import FOOT_M

LAMBDA0_FT: Final = 72.6
"""Length of the unit plot, ft, in every form of this package but the published Desmet and Govers."""

LAMBDA0_M: Final = LAMBDA0_FT * FOOT_M
"""Length of the unit plot, m: 22.12848."""

LAMBDA0_DESMET_GOVERS_M: Final = 22.13
"""Length of the unit plot as Desmet and Govers (1996) print it, m."""


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


def kernel_four_fifths(base: Any) -> Any:
    """Return the power 0.8 of a number that is not negative, by which interrill erosion grows with sin θ.

    Compiled code puts its own, faster version here (`sedcalc.terrain.powers`).

    Parameters
    ----------
    base : float or ndarray
        Dimensionless, zero or more.

    Returns
    -------
    float or ndarray
        ``base ** 0.8``, dimensionless.

    Examples
    --------
    By hand, 32 being the fifth power of 2:

    >>> round(kernel_four_fifths(32.0), 12)
    16.0
    """
    return base**0.8


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


def kernel_steepness_ah537(slope: Any) -> Any:
    """Return S of the USLE (Wischmeier and Smith 1978).

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
    By hand, 65.41 times 0.36, and 4.56 times 0.6, and 0.065:

    >>> round(kernel_steepness_ah537(0.75), 4)
    26.3486
    """
    sin_theta = kernel_sin(slope)
    return 65.41 * sin_theta * sin_theta + 4.56 * sin_theta + 0.065


def kernel_steepness_nearing(slope: Any) -> Any:
    """Return S after Nearing (1997), one curve for all slopes.

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
    By hand, 17 over 1 and e^(2.3 - 6.1 times 0.6), less 1.5:

    >>> round(float(kernel_steepness_nearing(0.75)), 3)
    12.028
    """
    return -1.5 + 17.0 / (1.0 + np.exp(2.3 - 6.1 * kernel_sin(slope)))


def kernel_length_exponent_ah537(slope: Any) -> Any:
    """Return the slope-length exponent m of the USLE (Wischmeier and Smith 1978), in steps.

    Parameters
    ----------
    slope : float or ndarray
        Steepness as rise over run, dimensionless.

    Returns
    -------
    float or ndarray
        Exponent m, dimensionless; NaN where the slope is.

    Examples
    --------
    Handbook 537 prints 0.3 for 1 to 3 %:

    >>> kernel_length_exponent_ah537(0.02)
    0.3
    """
    # The slope times nothing keeps NaN, for which no step holds.
    below_5 = (slope >= 0.035) * 0.4 + ((slope >= 0.01) & (slope < 0.035)) * 0.3 + (slope < 0.01) * 0.2
    return (slope >= 0.05) * 0.5 + (slope < 0.05) * below_5 + slope * 0.0


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
    interrill = 0.0896 * (3.0 * kernel_four_fifths(sin_theta) + 0.56)
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
