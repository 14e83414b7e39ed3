"""Trapping of sediment by practices: in series, by particle class, by settling, by size rules in both directions."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import (
    FloatArray,
    Floats,
    broadcast_shape,
    check_range,
    float_arrays,
    float_arrays_any_shape,
)
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.findings import input_error
from sedcalc.units import FOOT_M, STANDARD_GRAVITY

WATER_DENSITY_20C: Final = 998.2071
"""Density of water at 20 C, kg/m3 (IAPWS)."""

WATER_VISCOSITY_20C: Final = 1.0016e-3
"""Dynamic viscosity of water at 20 C, Pa s (IAPWS)."""

STOKES_REYNOLDS_LIMIT: Final = 1.0
"""Particle Reynolds number from which Stokes' law overstates the settling velocity."""

_FRACTION = "give a fraction, not a percentage"


def series_efficiency(efficiencies: Floats) -> Floats:
    """Trapping efficiency of practices in series, each acting on what the one before lets through.

    Parameters
    ----------
    efficiencies : ndarray of shape (..., n)
        Efficiencies of the n practices along the last axis, 0 to 1; with n = 0 nothing is trapped.

    Returns
    -------
    float or ndarray of shape (...)
        ``1 - prod(1 - e)``, 0 to 1.

    Raises
    ------
    InputError
        An efficiency is outside 0 to 1.

    Notes
    -----
    The order does not matter. A second practice is credited as if it met the particles that the first one
    met: where the first traps the coarse ones, `class_chain` is the method.

    References
    ----------
    New Jersey Stormwater BMP Manual, chapter 4 (A + B - A B/100).

    Examples
    --------
    By New Jersey's rule 80 + 50 - 80 * 50/100 = 90 %:

    >>> round(series_efficiency([0.8, 0.5]), 12)
    0.9
    """
    e = _efficiencies(efficiencies)
    return _out(1.0 - np.prod(1.0 - e, axis=-1))


def single_best(efficiencies: Floats) -> Floats:
    """Trapping efficiency of practices in series when only the best one is credited.

    Parameters
    ----------
    efficiencies : ndarray of shape (..., n)
        Efficiencies of the n practices along the last axis, 0 to 1; with n = 0 nothing is trapped.

    Returns
    -------
    float or ndarray of shape (...)
        The largest efficiency, 0 to 1.

    Raises
    ------
    InputError
        An efficiency is outside 0 to 1.

    References
    ----------
    New Hampshire Stormwater Manual, vol. 1.

    Examples
    --------
    By New Hampshire's rule:

    >>> single_best([0.8, 0.5])
    0.8
    """
    return _out(np.max(_efficiencies(efficiencies), axis=-1, initial=0.0))


def class_chain(class_shares: Floats, class_efficiencies: Floats) -> tuple[FloatArray, FloatArray]:
    """Sediment of each particle class trapped along a chain of practices, and what passes all of them.

    Parameters
    ----------
    class_shares : ndarray of shape (..., c)
        Sediment that arrives, by particle class: shares (any total) or tons, not negative.
    class_efficiencies : ndarray of shape (..., n, c)
        Trapping efficiency of each of the n practices, upstream first, for each class, 0 to 1.

    Returns
    -------
    trapped : ndarray of shape (..., n, c)
        Sediment held by each practice, by class, in the unit given.
    passed : ndarray of shape (..., c)
        Sediment that leaves the last practice, by class, in the unit given.

    Raises
    ------
    InputError
        A share is negative, an efficiency is outside 0 to 1, the numbers of classes differ, or the other axes do not
        broadcast.

    Notes
    -----
    What a practice lets through is carried down with its own particle sizes, so that a second fence does not
    trap again the fines that passed the first. Trapped plus passed equals arrived, class by class.

    References
    ----------
    Foster, Young and Neibling (1985), Trans. ASAE 28:133-146 (sediment as clay, silt, small and large
    aggregates, and sand).

    Examples
    --------
    Two equal fences that hold all sand and no clay: the second adds nothing (calculated by hand).

    >>> trapped, passed = class_chain([0.5, 0.5], [[0.0, 1.0], [0.0, 1.0]])
    >>> trapped.sum(axis=-1).tolist(), passed.tolist()
    ([0.5, 0.0], [0.5, 0.0])
    """
    shares, e = float_arrays_any_shape(class_shares=class_shares, class_efficiencies=class_efficiencies)
    if shares.ndim < 1 or e.ndim < 2 or shares.shape[-1] != e.shape[-1]:
        raise input_error(
            "classes-do-not-match",
            f"class_shares has shape {shares.shape} and class_efficiencies {e.shape}; give (classes) and "
            "(practices, classes)",
            "class_efficiencies",
        )
    broadcast_shape(class_shares=shares[..., np.newaxis, :], class_efficiencies=e)
    check_range("class_shares", shares, 0.0, np.inf, "", "give shares or tons of the sediment that arrives")
    check_range("class_efficiencies", e, 0.0, 1.0, "", _FRACTION)
    first = np.ones((*e.shape[:-2], 1, e.shape[-1]), dtype=e.dtype)
    left = np.cumprod(1.0 - e, axis=-2)
    arriving = shares[..., np.newaxis, :] * np.concatenate([first, left], axis=-2)
    return arriving[..., :-1, :] * e, arriving[..., -1, :]


def stokes_settling_velocity(
    diameter_mm: Floats, specific_gravity: Floats
) -> tuple[Floats, Floats, bool | NDArray[np.bool_]]:
    """Settling velocity of a sphere in still water at 20 C by Stokes' law, with the check of its validity.

    Parameters
    ----------
    diameter_mm : float or ndarray
        Particle diameter, mm, above 0 and at most 2 (sand).
    specific_gravity : float or ndarray
        Density of the particle over that of water, dimensionless, above 1 and at most 8.

    Returns
    -------
    velocity_m_s : float or ndarray
        Settling velocity, m/s; divided by `sedcalc.units.FOOT_M` it is in ft/s.
    reynolds : float or ndarray
        Particle Reynolds number (dimensionless).
    valid : bool or ndarray of bool
        The Reynolds number is below `STOKES_REYNOLDS_LIMIT`. Where it is not, Stokes' law overstates the
        velocity, and with it the trapping.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    ``vs = g (G - 1) d^2 / (18 nu)``. Cold water is more viscous: at 5 C velocities are about two thirds.

    References
    ----------
    Stokes (1851); water by IAPWS, `WATER_DENSITY_20C` and `WATER_VISCOSITY_20C`.

    Examples
    --------
    Fine silt of 0.01 mm, by hand 9.80665 * 1.65 * 1e-10 / (18 * 1.0034e-6):

    >>> velocity, reynolds, valid = stokes_settling_velocity(0.01, 2.65)
    >>> f"{velocity:.3e} m/s", valid
    ('8.959e-05 m/s', True)
    """
    d_mm, gravity = float_arrays(diameter_mm=diameter_mm, specific_gravity=specific_gravity)
    check_range("diameter_mm", d_mm, 0.0, 2.0, "mm", "give a particle of sand or finer, in mm", above=True)
    check_range("specific_gravity", gravity, 1.0, 8.0, "", "give density over that of water", above=True)
    nu = WATER_VISCOSITY_20C / WATER_DENSITY_20C
    d = d_mm * 1e-3
    velocity = d * d * (gravity - 1.0) * (STANDARD_GRAVITY / (18.0 * nu))
    reynolds = velocity * d / nu
    valid: NDArray[np.bool_] = np.asarray(reynolds < STOKES_REYNOLDS_LIMIT)
    return _out(velocity), _out(reynolds), valid.item() if valid.ndim == 0 else valid


def overflow_efficiency(surface_area: Floats, q_out: Floats, v_s: Floats, coefficient: Floats) -> Floats:
    """Trapping efficiency of a pool for one particle class by its overflow rate.

    Parameters
    ----------
    surface_area : float or ndarray
        Surface area of the pool, ft2 (or m2), above 0.
    q_out : float or ndarray
        Peak outflow of the stated design storm, ft3/s (or m3/s), above 0.
    v_s : float or ndarray
        Settling velocity of the class, ft/s (or m/s), above 0.
    coefficient : float or ndarray
        Factor on the ideal overflow rate for turbulence and short-circuiting, dimensionless, 1 to 10; 1.2 in
        Wisconsin's standard (table ``size_rules``).

    Returns
    -------
    float or ndarray
        ``min(1, v_s A / (coefficient q))``, 0 to 1.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    Area, flow and velocity all in feet, or all in metres. At the area of `basin_required_area_ft2` it is 1.

    References
    ----------
    Camp (1946), Trans. ASCE 111:895-936; factor 1.2 of Wisconsin DNR technical standard 1064.

    Examples
    --------
    Half the basin of Wisconsin's sample design (10,027 ft2 for 0.61 cfs and 7.3e-5 ft/s), by hand:

    >>> round(overflow_efficiency(10027 / 2, 0.61, 7.3e-5, 1.2), 4)
    0.5
    """
    area, q, v, k = float_arrays(surface_area=surface_area, q_out=q_out, v_s=v_s, coefficient=coefficient)
    check_range("surface_area", area, 0.0, np.inf, "", "give the area of the pool", above=True)
    check_range("q_out", q, 0.0, np.inf, "", "give the peak outflow of the design storm", above=True)
    check_range("v_s", v, 0.0, np.inf, "", "give the settling velocity of the class", above=True)
    check_range("coefficient", k, 1.0, 10.0, "", "give the factor of the rule")
    return _out(np.minimum(1.0, v * area / (k * q)))


def trap_required_area_ft2(drained_acres: Floats, area_ft2_per_acre: Floats) -> Floats:
    """Surface area that a sediment trap must have by a rule of area per drained acre.

    Parameters
    ----------
    drained_acres : float or ndarray
        Contributing drainage area, acres, above 0.
    area_ft2_per_acre : float or ndarray
        The rule's area for the dominant soil, ft2 per drained acre, above 0 (table ``size_rules``).

    Returns
    -------
    float or ndarray
        Area at the invert of the stone outlet, ft2.

    Raises
    ------
    InputError
        A value is not above 0.

    Notes
    -----
    Wisconsin's standard lets polymers reduce the area on fine and medium soils: not credited here.

    References
    ----------
    Wisconsin DNR technical standard 1063, V.B.1, as in SPS 325 Appendix A.

    Examples
    --------
    By the standard's equation, two acres of silt loam at 1,560 ft2 per acre:

    >>> trap_required_area_ft2(2.0, 1560.0)
    3120.0
    """
    acres, rate = float_arrays(drained_acres=drained_acres, area_ft2_per_acre=area_ft2_per_acre)
    check_range("drained_acres", acres, 0.0, np.inf, "acres", "give the drainage area", above=True)
    check_range("area_ft2_per_acre", rate, 0.0, np.inf, "ft2/acre", "give the rule's area per acre", above=True)
    return _out(acres * rate)


def trap_drained_acres(surface_area_ft2: Floats, area_ft2_per_acre: Floats) -> Floats:
    """Largest drainage area for which a sediment trap of a given size earns its credit.

    Parameters
    ----------
    surface_area_ft2 : float or ndarray
        Surface area of the trap, ft2, above 0.
    area_ft2_per_acre : float or ndarray
        The rule's area for the dominant soil, ft2 per drained acre, above 0 (table ``size_rules``).

    Returns
    -------
    float or ndarray
        Drainage area, acres: the inverse of `trap_required_area_ft2`.

    Raises
    ------
    InputError
        A value is not above 0.

    References
    ----------
    Wisconsin DNR technical standard 1063, V.B.1, as in SPS 325 Appendix A.

    Examples
    --------
    By the standard's equation, on silt loam at 1,560 ft2 per acre:

    >>> trap_drained_acres(3120.0, 1560.0)
    2.0
    """
    area, rate = float_arrays(surface_area_ft2=surface_area_ft2, area_ft2_per_acre=area_ft2_per_acre)
    check_range("surface_area_ft2", area, 0.0, np.inf, "ft2", "give the surface area of the trap", above=True)
    check_range("area_ft2_per_acre", rate, 0.0, np.inf, "ft2/acre", "give the rule's area per acre", above=True)
    return _out(area / rate)


def basin_required_area_ft2(q_out_cfs: Floats, v_s_ft_s: Floats, coefficient: Floats) -> Floats:
    """Surface area that a sediment basin must have by a rule of its overflow rate.

    Parameters
    ----------
    q_out_cfs : float or ndarray
        Peak outflow of the principal outlet in the design storm, ft3/s, above 0.
    v_s_ft_s : float or ndarray
        Settling velocity of the standard's particle for the soil class, ft/s, above 0.
    coefficient : float or ndarray
        The rule's factor for turbulence and short-circuiting, dimensionless, 1 to 10 (table ``size_rules``).

    Returns
    -------
    float or ndarray
        Treatment surface area, ft2: ``coefficient q/vs``.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    The particle named by the standard is the one whose full capture stands for 80 % of the sediment.

    References
    ----------
    Wisconsin DNR technical standard 1064, attachment 1, as in SPS 325 Appendix A.

    Examples
    --------
    The standard's sample design, with its factor 1.2, prints 10,027 ft2:

    >>> round(basin_required_area_ft2(0.61, 7.3e-5, 1.2))
    10027
    """
    q, v, k = float_arrays(q_out_cfs=q_out_cfs, v_s_ft_s=v_s_ft_s, coefficient=coefficient)
    check_range("q_out_cfs", q, 0.0, np.inf, "ft3/s", "give the peak outflow of the design storm", above=True)
    check_range("v_s_ft_s", v, 0.0, 1.0 / FOOT_M, "ft/s", "give the settling velocity in ft/s", above=True)
    check_range("coefficient", k, 1.0, 10.0, "", "give the rule's coefficient")
    return _out(k * q / v)


def basin_outflow_cfs(surface_area_ft2: Floats, v_s_ft_s: Floats, coefficient: Floats) -> Floats:
    """Largest peak outflow at which a sediment basin of a given size earns its credit.

    Parameters
    ----------
    surface_area_ft2 : float or ndarray
        Treatment surface area, ft2, above 0.
    v_s_ft_s : float or ndarray
        Settling velocity of the standard's particle for the soil class, ft/s, above 0.
    coefficient : float or ndarray
        The rule's factor for turbulence and short-circuiting, dimensionless, 1 to 10 (table ``size_rules``).

    Returns
    -------
    float or ndarray
        Peak outflow, ft3/s: the inverse of `basin_required_area_ft2`.

    Raises
    ------
    InputError
        A value is out of range.

    References
    ----------
    Wisconsin DNR technical standard 1064, attachment 1, as in SPS 325 Appendix A.

    Examples
    --------
    The standard's sample design (10,027 ft2 for 0.61 cfs), the other way round:

    >>> round(basin_outflow_cfs(10027.0, 7.3e-5, 1.2), 2)
    0.61
    """
    area, v, k = float_arrays(surface_area_ft2=surface_area_ft2, v_s_ft_s=v_s_ft_s, coefficient=coefficient)
    check_range("surface_area_ft2", area, 0.0, np.inf, "ft2", "give the surface area of the basin", above=True)
    check_range("v_s_ft_s", v, 0.0, 1.0 / FOOT_M, "ft/s", "give the settling velocity in ft/s", above=True)
    check_range("coefficient", k, 1.0, 10.0, "", "give the rule's coefficient")
    return _out(area * v / k)


def size_rule_efficiency(actual_area_ft2: Floats, required_area_ft2: Floats, credit: Floats) -> Floats:
    """Trapping efficiency credited to a trap or basin of a given size: the rule's credit, or nothing.

    Parameters
    ----------
    actual_area_ft2 : float or ndarray
        Surface area of the trap or basin, ft2, not negative.
    required_area_ft2 : float or ndarray
        Area by `trap_required_area_ft2` or `basin_required_area_ft2`, ft2, above 0.
    credit : float or ndarray
        Efficiency of a practice that meets its rule, 0 to 1 (table ``size_rules``).

    Returns
    -------
    float or ndarray
        The credit, 0 to 1, where the actual area reaches the required one, else 0.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    The standards credit a practice that meets them and say nothing of a smaller one: no part credit. The
    comparison allows 1e-9 for rounding.

    References
    ----------
    Wisconsin DNR technical standards 1063 and 1064.

    Examples
    --------
    By the standards, which credit 80 %:

    >>> size_rule_efficiency(3200.0, 3120.0, 0.8), size_rule_efficiency(3000.0, 3120.0, 0.8)
    (0.8, 0.0)
    """
    actual, required, earned = float_arrays(
        actual_area_ft2=actual_area_ft2, required_area_ft2=required_area_ft2, credit=credit
    )
    check_range("actual_area_ft2", actual, 0.0, np.inf, "ft2", "give the surface area of the practice")
    check_range("required_area_ft2", required, 0.0, np.inf, "ft2", "give the area by the size rule", above=True)
    check_range("credit", earned, 0.0, 1.0, "", _FRACTION)
    efficiency = np.where(actual >= required * (1.0 - 1e-9), earned, 0.0)
    missing = np.isnan(actual) | np.isnan(required)
    return _out(np.where(missing, np.nan, efficiency).astype(actual.dtype))


def _efficiencies(efficiencies: Floats) -> FloatArray:
    (e,) = float_arrays(efficiencies=efficiencies)
    if e.ndim == 0:
        raise input_error("not-a-list", "must be a list, one per practice", "efficiencies")
    check_range("efficiencies", e, 0.0, 1.0, "", _FRACTION)
    return e
