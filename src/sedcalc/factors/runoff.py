"""Runoff of a storm: curve numbers, rational peaks, and the sediment yield of a storm by MUSLE."""

from typing import Final

import numpy as np

from sedcalc.factors._arrays import Floats, check_range, float_arrays, paired_arrays
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.factors._ranges import check_factors

IA_RATIO: Final = 0.2
"""Initial abstraction per potential retention in TR-55."""


def curve_number_runoff_in(p_in: Floats, cn: Floats, ia_ratio: Floats = IA_RATIO) -> Floats:
    """Runoff depth of a storm by the curve-number method.

    Parameters
    ----------
    p_in : float or ndarray
        Rain of the storm, in, 0 to 100.
    cn : float or ndarray
        Runoff curve number, dimensionless, above 0 to 100.
    ia_ratio : float or ndarray, optional
        Initial abstraction per potential retention, dimensionless, 0 to 1. Curve numbers of TR-55 go with 0.2;
        another ratio needs curve numbers converted to it.

    Returns
    -------
    float or ndarray
        Runoff Q, in; 0 where the rain does not exceed the initial abstraction.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    ``Q = (P - Ia)^2/(P - Ia + S)``, ``S = 1000/CN - 10``, ``Ia = 0.2 S``. Less accurate below 0.5 in of runoff;
    not for snowmelt or frozen ground. Runoff of a divided area is not the runoff at its mean CN (see
    `composite`).

    References
    ----------
    USDA-NRCS (1986), Urban Hydrology for Small Watersheds, Technical Release 55, eq. 2-1 to 2-4.

    Examples
    --------
    Technical Release 55, table 2-1, prints 2.04 for 4 in at CN 80:

    >>> round(curve_number_runoff_in(4.0, 80.0), 2)
    2.04
    """
    rain, number, ratio = float_arrays(p_in=p_in, cn=cn, ia_ratio=ia_ratio)
    check_range("p_in", rain, 0.0, 100.0, "in", "give rain in inches")
    check_range("cn", number, 0.0, 100.0, "", "give a curve number", above=True)
    check_range("ia_ratio", ratio, 0.0, 1.0, "", "give a ratio")
    given = rain.dtype
    # In float64, scalars as they were given: runoff can be a small difference of rain and initial abstraction.
    rain, number, ratio = (np.asarray(v, dtype=np.float64) for v in (p_in, cn, ia_ratio))
    retention = 1000.0 / number - 10.0
    excess = np.maximum(rain - ratio * retention, 0.0)
    # Without rain on an impervious surface both terms are 0, and so is the runoff.
    below = excess + retention
    return _out(np.asarray(excess * excess / np.where(below == 0.0, 1.0, below)).astype(given))


def composite(values: Floats, areas: Floats) -> Floats:
    """Area-weighted mean: the composite curve number or rational C of a divided area.

    Parameters
    ----------
    values : ndarray of shape (..., n)
        Curve number or runoff coefficient of each of the n parts, dimensionless, 0 to 100.
    areas : ndarray of shape (..., n)
        Their areas, in any one unit (acres), not negative and not all 0.

    Returns
    -------
    float or ndarray of shape (...)
        The mean, in the unit of `values`.

    Raises
    ------
    InputError
        A value is out of range, there are no parts or not as many areas as values, or the total area is 0.

    Notes
    -----
    TR-55 rounds a composite curve number to a whole one before it is used; this function does not. In small
    storms, parts with very different curve numbers shed more (the area-weighted mean of their runoff depths, also
    by this function) than the runoff at their mean curve number shows.

    References
    ----------
    USDA-NRCS (1986), Technical Release 55, worksheet 2.

    Examples
    --------
    Technical Release 55, example 2-2: 75 acres at 70, 100 at 80 and 75 at 74; worksheet 2 has 75.2, used as 75.

    >>> composite([70.0, 80.0, 74.0], [75.0, 100.0, 75.0])
    75.2
    """
    value, area = paired_arrays(values=values, areas=areas)
    check_range("values", value, 0.0, 100.0, "", "give curve numbers or runoff coefficients")
    check_range("areas", area, 0.0, np.inf, "", "give the areas of the parts")
    total = np.sum(area, axis=-1)
    check_range("sum of areas", total, 0.0, np.inf, "", "give the areas of the parts", above=True)
    return _out(np.sum(value * area, axis=-1) / total)


def rational_peak_cfs(c: Floats, intensity_in_h: Floats, acres: Floats) -> Floats:
    """Peak discharge by the rational method.

    Parameters
    ----------
    c : float or ndarray
        Runoff coefficient, dimensionless, 0 to 1 (`composite` of the parts, before or after development).
    intensity_in_h : float or ndarray
        Rain intensity for the time of concentration and the design frequency, in/h, 0 to 40.
    acres : float or ndarray
        Drainage area, acres, above 0 to 640; usually at most 200.

    Returns
    -------
    float or ndarray
        Peak discharge, ft3/s.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    ``q = C i A``: the factor from acre in/h to ft3/s, 1.0083, is taken as 1, as the method's coefficients are.

    References
    ----------
    Kuichling (1889), Trans. ASCE 20:1-56; ASCE and WPCF (1969), Manual of Practice 37.

    Examples
    --------
    A published exercise, 30 acres at C 0.11 and 1.25 in/h, prints 4.125:

    >>> round(rational_peak_cfs(0.11, 1.25, 30.0), 9)
    4.125
    """
    coefficient, intensity, area = float_arrays(c=c, intensity_in_h=intensity_in_h, acres=acres)
    check_range("c", coefficient, 0.0, 1.0, "", "give a runoff coefficient")
    check_range("intensity_in_h", intensity, 0.0, 40.0, "in/h", "give the intensity in inches per hour")
    check_range("acres", area, 0.0, 640.0, "acres", "use a hydrograph method for larger areas", above=True)
    return _out(coefficient * intensity * area)


def musle_tons(runoff_ac_ft: Floats, peak_cfs: Floats, K: Floats, LS: Floats, C: Floats, P: Floats) -> Floats:
    """Sediment yield of a single storm by the modified universal soil loss equation.

    Parameters
    ----------
    runoff_ac_ft : float or ndarray
        Runoff volume of the storm, acre-ft, not negative.
    peak_cfs : float or ndarray
        Peak discharge of the storm, ft3/s, not negative.
    K : float or ndarray
        Soil erodibility, ton ac h/(hundreds of ac ft tonf in), 0 to 0.75.
    LS : float or ndarray
        Slope length and steepness factor, dimensionless, not negative.
    C : float or ndarray
        Cover-management factor, dimensionless, 0 to 1.2.
    P : float or ndarray
        Support-practice factor, dimensionless, 0 to 1.3.

    Returns
    -------
    float or ndarray
        Sediment yield of the storm at the outlet of the area, short tons.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    ``Y = 95 (Q q)^0.56 K LS C P``. The runoff term stands for delivery too: no delivery ratio goes with it, and
    it is no share of an annual R. Fitted to 778 storms of 18 watersheds of 15 to 1,500 ha and slopes of 0.9 to 5.9 %.

    References
    ----------
    Williams (1975), Sediment-yield prediction with universal equation using runoff energy factor, USDA
    ARS-S-40:244-252.

    Examples
    --------
    By hand, 95 * 8^0.56 * 0.3 with 2 acre-ft and 4 ft3/s:

    >>> round(musle_tons(2.0, 4.0, 0.3, 1.0, 1.0, 1.0), 2)
    91.32
    """
    volume, peak, k, ls, c, p = float_arrays(runoff_ac_ft=runoff_ac_ft, peak_cfs=peak_cfs, K=K, LS=LS, C=C, P=P)
    check_range("runoff_ac_ft", volume, 0.0, np.inf, "acre-ft", "give the runoff volume")
    check_range("peak_cfs", peak, 0.0, np.inf, "ft3/s", "give the peak discharge")
    check_factors(k, ls, c, p)
    return _out(95.0 * (volume * peak) ** 0.56 * k * ls * c * p)
