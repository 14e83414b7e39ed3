"""Cover-management factor C: RUSLE subfactors, covers that establish, and their mean weighted by erosivity."""

from typing import Final, Literal

import numpy as np

from sedcalc.factors._arrays import FloatArray, Floats, check_name, check_range, float_arrays, paired_arrays
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.findings import input_error

SMOOTH_ROUGHNESS_IN: Final = 0.24
"""Roughness of the unit plot, in, to which rain levels a rough surface."""

COVER_B: Final = {"low": 0.025, "moderate": 0.035, "high": 0.05}
"""Effectiveness b of surface cover by the ratio of rill to interrill erosion (Agriculture Handbook 703)."""

DEFAULT_COVER_B: Final = COVER_B["moderate"]
"""b used where none is named."""

C_UPPER_LIMIT: Final = 1.2
"""A soil-loss ratio above it is a mistake: bare ground without any roughness gives exp(0.66 * 0.24) = 1.17."""

_MAX_ROUGHNESS_IN = 12.0


def surface_cover(cover_pct: Floats, roughness_in: Floats = SMOOTH_ROUGHNESS_IN, b: Floats = DEFAULT_COVER_B) -> Floats:
    """Surface-cover subfactor SC of mulch, residue, stones or other cover in contact with the soil.

    Parameters
    ----------
    cover_pct : float or ndarray
        Part of the surface that is covered, %, 0 to 100.
    roughness_in : float or ndarray, optional
        Surface roughness Ru, in, above 0 to 12; by default that of the unit plot, 0.24.
    b : float or ndarray, optional
        Effectiveness of the cover, 0.02 to 0.07 (per %); `COVER_B` has the published ones by ratio of rill to
        interrill erosion. 0.035 by default: the larger 0.05 credits more and is to be named.

    Returns
    -------
    float or ndarray
        SC, dimensionless, 0 to 1.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    ``SC = exp[-b cover (0.24/Ru)^0.08]``. Rock cover counts here or in a whole-soil K, never in both.

    References
    ----------
    Renard et al. (1997), Agriculture Handbook 703, chapter 5.

    Examples
    --------
    By hand: exp(-0.035 * 50).

    >>> round(surface_cover(50.0), 3)
    0.174
    """
    cover, roughness, effect = float_arrays(cover_pct=cover_pct, roughness_in=roughness_in, b=b)
    check_range("cover_pct", cover, 0.0, 100.0, "%", "give cover as a percentage")
    check_range("roughness_in", roughness, 0.0, _MAX_ROUGHNESS_IN, "in", "give roughness in inches", above=True)
    check_range("b", effect, 0.02, 0.07, "per %", "published values are 0.025, 0.035 and 0.05")
    return _out(np.exp(-effect * cover * (SMOOTH_ROUGHNESS_IN / roughness) ** 0.08))


def residue_cover_pct(residue_lb_ac: Floats, alpha_ac_lb: Floats) -> Floats:
    """Part of the surface that a mass of residue or mulch covers.

    Parameters
    ----------
    residue_lb_ac : float or ndarray
        Dry mass of mulch, lb/ac, not negative (tons/ac times 2,000).
    alpha_ac_lb : float or ndarray
        Area covered per mass, ac/lb, above 0 to 0.01, from a source for that mulch: there is no default.
        `residue_alpha_ac_lb` finds it from one measured or published pair of rate and cover.

    Returns
    -------
    float or ndarray
        Cover, %, 0 to 100.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    ``cover = 100 [1 - exp(-alpha residue)]``: pieces overlap at random. Mulch in clumps covers less.

    References
    ----------
    Gregory (1982), Trans. ASAE 25:1333-1337; Renard et al. (1997), Agriculture Handbook 703, chapter 5.

    Examples
    --------
    Where 2 tons per acre cover 90 %, 1 ton covers 1 - sqrt(0.1) by hand:

    >>> round(residue_cover_pct(2000.0, residue_alpha_ac_lb(4000.0, 90.0)), 2)
    68.38
    """
    mass, alpha = float_arrays(residue_lb_ac=residue_lb_ac, alpha_ac_lb=alpha_ac_lb)
    check_range("residue_lb_ac", mass, 0.0, np.inf, "lb/ac", "give the dry mass of the mulch")
    check_range("alpha_ac_lb", alpha, 0.0, 0.01, "ac/lb", "give the area covered per pound", above=True)
    return _out(-100.0 * np.expm1(-alpha * mass))


def residue_alpha_ac_lb(residue_lb_ac: Floats, cover_pct: Floats) -> Floats:
    """Area that a mass of mulch covers, from one pair of rate and cover.

    Parameters
    ----------
    residue_lb_ac : float or ndarray
        Dry mass of mulch, lb/ac, above 0.
    cover_pct : float or ndarray
        Cover at that rate, %, above 0 and at most 99.

    Returns
    -------
    float or ndarray
        The alpha of `residue_cover_pct`, ac/lb.

    Raises
    ------
    InputError
        A value is out of range (full cover fits any large alpha).

    References
    ----------
    As `residue_cover_pct`.

    Examples
    --------
    By hand, ln(10)/4000:

    >>> f"{residue_alpha_ac_lb(4000.0, 90.0):.6f}"
    '0.000576'
    """
    mass, cover = float_arrays(residue_lb_ac=residue_lb_ac, cover_pct=cover_pct)
    check_range("residue_lb_ac", mass, 0.0, np.inf, "lb/ac", "give the dry mass of the mulch", above=True)
    check_range("cover_pct", cover, 0.0, 99.0, "%", "give the cover at this rate", above=True)
    return _out(-np.log1p(-cover / 100.0) / mass)


def canopy(canopy_pct: Floats, fall_height_ft: Floats) -> Floats:
    """Canopy subfactor CC of plants above the ground.

    Parameters
    ----------
    canopy_pct : float or ndarray
        Part of the surface under the canopy, %, 0 to 100.
    fall_height_ft : float or ndarray
        Mean height from which drops fall off the canopy, ft, 0 to 150.

    Returns
    -------
    float or ndarray
        CC, dimensionless, 0 to 1.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    ``CC = 1 - (canopy/100) exp(-0.1 H)``. Leaves on the ground belong to `surface_cover`.

    References
    ----------
    Renard et al. (1997), Agriculture Handbook 703, chapter 5.

    Examples
    --------
    By hand, 1 - 0.5 exp(-0.1):

    >>> round(canopy(50.0, 1.0), 4)
    0.5476
    """
    cover, height = float_arrays(canopy_pct=canopy_pct, fall_height_ft=fall_height_ft)
    check_range("canopy_pct", cover, 0.0, 100.0, "%", "give canopy cover as a percentage")
    check_range("fall_height_ft", height, 0.0, 150.0, "ft", "give the fall height in feet")
    return _out(1.0 - cover / 100.0 * np.exp(-0.1 * height))


def roughness_after_rain(initial_in: Floats, rain_in: Floats, ei: Floats) -> Floats:
    """Surface roughness left by the rain since the surface was last worked.

    Parameters
    ----------
    initial_in : float or ndarray
        Roughness when worked, in, `SMOOTH_ROUGHNESS_IN` to 12.
    rain_in : float or ndarray
        Rain since then, in, not negative.
    ei : float or ndarray
        Erosivity EI since then, hundreds of ft tonf in/(ac h), not negative.

    Returns
    -------
    float or ndarray
        Roughness Ru, in, from the initial one down to 0.24.

    Raises
    ------
    InputError
        A value is out of range. A surface smoother than 0.24 in does not change by this equation.

    Notes
    -----
    ``Ru = 0.24 + (Ri - 0.24) exp[(-0.14 rain - 0.012 EI)/2]``.

    References
    ----------
    Renard et al. (1997), Agriculture Handbook 703, chapter 5.

    Examples
    --------
    By hand, 0.24 + 0.76 exp(-0.7 - 0.3):

    >>> round(roughness_after_rain(1.0, 10.0, 50.0), 4)
    0.5196
    """
    initial, rain, erosivity = float_arrays(initial_in=initial_in, rain_in=rain_in, ei=ei)
    check_range("initial_in", initial, SMOOTH_ROUGHNESS_IN, _MAX_ROUGHNESS_IN, "in", "give roughness in inches")
    check_range("rain_in", rain, 0.0, np.inf, "in", "give rain since the surface was worked")
    check_range("ei", erosivity, 0.0, np.inf, "hundreds of ft tonf in/(ac h)", "give EI since then, US units")
    decay = np.exp(0.5 * (-0.14 * rain - 0.012 * erosivity))
    return _out(SMOOTH_ROUGHNESS_IN + (initial - SMOOTH_ROUGHNESS_IN) * decay)


def surface_roughness(roughness_in: Floats) -> Floats:
    """Surface-roughness subfactor SR.

    Parameters
    ----------
    roughness_in : float or ndarray
        Roughness Ru, in, 0 to 12.

    Returns
    -------
    float or ndarray
        SR, dimensionless: 1 at 0.24 in, up to 1.17 on a smoother and below 1 on a rougher surface.

    Raises
    ------
    InputError
        The roughness is out of range.

    Notes
    -----
    ``SR = exp[-0.66 (Ru - 0.24)]``. The surface-condition P of construction manuals stands for the same effect:
    use one of the two.

    References
    ----------
    Renard et al. (1997), Agriculture Handbook 703, chapter 5.

    Examples
    --------
    By hand, exp(-0.66 * 0.76):

    >>> round(surface_roughness(1.0), 4)
    0.6056
    """
    (roughness,) = float_arrays(roughness_in=roughness_in)
    check_range("roughness_in", roughness, 0.0, _MAX_ROUGHNESS_IN, "in", "give roughness in inches")
    return _out(np.exp(-0.66 * (roughness - SMOOTH_ROUGHNESS_IN)))


def soil_loss_ratio(
    surface: Floats, canopy_subfactor: Floats = 1.0, roughness: Floats = 1.0, prior_land_use: Floats = 1.0
) -> Floats:
    """Soil-loss ratio of a cover, the product of its subfactors.

    Parameters
    ----------
    surface, canopy_subfactor, roughness, prior_land_use : float or ndarray
        SC, CC, SR and PLU, dimensionless, 0 to `C_UPPER_LIMIT`. PLU has no equation here: freshly graded
        subsoil without roots is 1, another value comes with its source.

    Returns
    -------
    float or ndarray
        Soil-loss ratio, dimensionless.

    Raises
    ------
    InputError
        A subfactor is out of range.

    Notes
    -----
    The soil-moisture subfactor is 1 east of the Pacific Northwest.

    References
    ----------
    Renard et al. (1997), Agriculture Handbook 703, chapter 5.

    Examples
    --------
    Half cover (0.1738) on a surface of 1 in roughness (0.6056), by hand:

    >>> round(soil_loss_ratio(0.1738, roughness=0.6056), 4)
    0.1053
    """
    names = ("surface", "canopy_subfactor", "roughness", "prior_land_use")
    factors = float_arrays(**dict(zip(names, (surface, canopy_subfactor, roughness, prior_land_use), strict=True)))
    for name, factor in zip(names, factors, strict=True):
        check_range(name, factor, 0.0, C_UPPER_LIMIT, "", "give a subfactor")
    return _out(factors[0] * factors[1] * factors[2] * factors[3])


def weighted_c(ei_share: Floats, slr: Floats) -> Floats:
    """Factor C of a period: the mean of its soil-loss ratios, weighted by erosivity.

    Parameters
    ----------
    ei_share : ndarray of shape (..., n)
        Erosivity of each of the n parts of the period, as shares or in any unit, not negative.
    slr : ndarray of shape (..., n)
        Soil-loss ratio of each part, dimensionless, 0 to `C_UPPER_LIMIT`.

    Returns
    -------
    float or ndarray of shape (...)
        ``C = sum(share slr)/sum(share)``, dimensionless; NaN where the period has no erosivity.

    Raises
    ------
    InputError
        A value is out of range, there are no parts, or not as many ratios as shares.

    Notes
    -----
    Where the shares sum to 1 this is their plain sum of products. A period without erosivity has no C (any
    value gives the same soil loss, 0): the caller says so.

    References
    ----------
    Wischmeier and Smith (1978), Agriculture Handbook 537; Renard et al. (1997), Agriculture Handbook 703.

    Examples
    --------
    By hand: a quarter of the erosivity on bare soil, the rest on mulch of 0.06.

    >>> weighted_c([0.25, 0.75], [1.0, 0.06])
    0.295
    """
    share, ratio = paired_arrays(ei_share=ei_share, slr=slr)
    check_range("ei_share", share, 0.0, np.inf, "", "give the erosivity of each part")
    check_range("slr", ratio, 0.0, C_UPPER_LIMIT, "", "give the soil-loss ratio of each part")
    total = np.sum(share + 0.0 * ratio, axis=-1)
    return _out(np.sum(share * ratio, axis=-1) / np.where(total > 0.0, total, np.nan).astype(total.dtype))


def establishing_slr(
    day: Floats,
    sown_day: Floats,
    established_day: Floats,
    slr_sown: Floats,
    slr_established: Floats,
    *,
    shape: Literal["linear", "logistic"] = "linear",
    steepness: float | None = None,
) -> Floats:
    """Soil-loss ratio, on given days, of a cover that establishes after sowing.

    Parameters
    ----------
    day : float or ndarray
        Days asked for, as day numbers (such as `datetime.date.toordinal`), d.
    sown_day, established_day : float or ndarray
        Last day at the first, and first day at the last ratio, as day numbers, d. How long a cover takes to
        establish has no default.
    slr_sown, slr_established : float or ndarray
        Soil-loss ratio before and after, dimensionless, 0 to `C_UPPER_LIMIT`.
    shape : {"linear", "logistic"}, optional
        Course between the two days (a name, no unit). ``"logistic"`` starts and ends slowly, with half of the
        change at mid-time.
    steepness : float, optional
        Of the logistic course, dimensionless, above 0 to 50; required with it, and with its source.

    Returns
    -------
    float or ndarray
        Soil-loss ratio on each day, dimensionless, between the two given.

    Raises
    ------
    InputError
        The cover is established before the day after sowing, a ratio is out of range, or the shape is unknown
        or lacks its steepness.

    Notes
    -----
    With x from 0 on the day of sowing to 1 on the day of establishment, linear is
    ``slr_sown + (slr_established - slr_sown) x``; logistic replaces x by
    ``[s(x) - s(0)]/[s(1) - s(0)]``, ``s(x) = 1/(1 + exp(-steepness (x - 1/2)))``. Neither models weather: what
    is sown too late to grow earns no credit before spring, which the caller decides by the dates.

    References
    ----------
    The linear course is this package's convention; the logistic curve is Verhulst (1838).

    Examples
    --------
    By hand, a third of the way from 1 to 0.1:

    >>> round(establishing_slr(20, 0, 60, 1.0, 0.1), 12)
    0.7
    """
    check_name(shape, ("linear", "logistic"), "shape")
    d, sown, established, before, after = float_arrays(
        day=day, sown_day=sown_day, established_day=established_day, slr_sown=slr_sown, slr_established=slr_established
    )
    check_range("slr_sown", before, 0.0, C_UPPER_LIMIT, "", "give a soil-loss ratio")
    check_range("slr_established", after, 0.0, C_UPPER_LIMIT, "", "give a soil-loss ratio")
    for name, value in (("day", d), ("sown_day", sown), ("established_day", established)):
        check_range(name, value, -np.inf, np.inf, "d", "give day numbers")
    check_range("established_day - sown_day", established - sown, 1.0, np.inf, "d", "establishment takes a day or more")
    x: FloatArray = np.clip((d - sown) / (established - sown), 0.0, 1.0)
    if shape == "logistic":
        x = _logistic(x, steepness)
    return _out(before + (after - before) * x)


def slope_limit_pct(horizontal_per_vertical: Floats) -> Floats:
    """Steepness of a slope given as horizontal to vertical, for the slope limits of mulches and mats.

    Parameters
    ----------
    horizontal_per_vertical : float or ndarray
        Horizontal run per unit of rise (2.5 for 2.5:1), dimensionless, above 0.

    Returns
    -------
    float or ndarray
        Steepness, %.

    Raises
    ------
    InputError
        The run is not above 0.

    References
    ----------
    Notation of Wisconsin DNR technical standards 1052 (mats) and 1058 (mulch).

    Examples
    --------
    By definition:

    >>> slope_limit_pct(2.5)
    40.0
    """
    (run,) = float_arrays(horizontal_per_vertical=horizontal_per_vertical)
    check_range("horizontal_per_vertical", run, 0.0, np.inf, "", "give 3 for a slope of 3:1", above=True)
    return _out(100.0 / run)


def _logistic(x: FloatArray, steepness: float | None) -> FloatArray:
    if steepness is None:
        raise input_error("no-steepness", "a logistic course needs its steepness, with a source", "steepness")
    (k,) = float_arrays(steepness=steepness)
    if k.ndim:
        raise input_error("steepness-not-a-number", "must be one number", "steepness")
    check_range("steepness", k, 0.0, 50.0, "", "give a dimensionless steepness", above=True)
    half = 0.5 * float(k)
    start, end = 1.0 / (1.0 + np.exp(half)), 1.0 / (1.0 + np.exp(-half))
    course: FloatArray = (1.0 / (1.0 + np.exp(-2.0 * half * (x - 0.5))) - float(start)) / float(end - start)
    return course
