"""Erosivity from amounts of rain: EI of a design storm and of a day, annual R from annual and monthly rain.

R and EI are in hundreds of ft tonf in/(ac h); times `sedcalc.units.R_US_SI` they are in MJ mm/(ha h). Each is a
regression, refused outside the range that its docstring states. Where an R is mapped or computed from a rain record
(`sedcalc.rain`), that goes before all of them.
"""

from typing import Final

import numpy as np

from sedcalc.factors._arrays import Floats, check_name, check_range, float_arrays, outside_error
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.findings import count_of, input_error
from sedcalc.units import INCH_MM, R_US_SI

DESIGN_STORMS: Final = {
    "I": (15.03, 0.5780),
    "IA": (12.98, 0.7488),
    "II": (17.90, 0.4134),
    "IIA": (21.51, 0.2811),
}
"""Coefficients a and b of Cooley's equation by the type of rainfall distribution."""

MAX_STORM_HOURS: Final = 24.0
"""Length of the rainfall distributions behind Cooley's equation, h: longer storms are refused."""

MAX_STORM_IN: Final = 1870.0 / INCH_MM
"""Most rain measured anywhere in 24 hours, in (1,870 mm, Cilaos, La Reunion, March 1952): more is a mistake."""

HIGHEST_ISOERODENT: Final = 700.0
"""Highest isoerodent of the conterminous United States, hundreds of ft tonf in/(ac h yr) (Agriculture Handbook 703,
Figure 2-1). A regression fitted to stations of that area is refused where it gives more: no station can bear it out.
The sources state no upper end of their own; this one is reasoned from the map."""

MAX_TWO_YEAR_SIX_HOUR_IN: Final = 4.39
"""2-year, 6-hour rainfall, in, at which R = 27 P^2.2 reaches the highest isoerodent."""

MAX_DAILY_RAIN_IN: Final = 19.5
"""Rain of a day, in, from which EI = 7.87 P^1.51 would be more in one day than the highest isoerodent is in a year."""

RENARD_FREIMUND_BREAK_MM: Final = 850.0
"""Annual precipitation, mm, above which the second equation of Renard and Freimund applies."""

RENARD_FREIMUND_MAX_MM: Final = 1816.0
"""Annual precipitation, mm, at which that equation reaches the highest isoerodent."""

FOURNIER_BREAK_MM: Final = 55.0
"""Modified Fournier index, mm, from which the second equation of Renard and Freimund in that index applies."""

FOURNIER_MAX_MM: Final = 163.9
"""Modified Fournier index, mm, at which that equation reaches the highest isoerodent."""

_MONTHS = 12
_STATES = "of a place in the conterminous United States"


def design_storm_ei(depth_in: Floats, duration_h: Floats, storm_type: str) -> Floats:
    """Erosivity EI of a design storm by Cooley's equation.

    Parameters
    ----------
    depth_in : float or ndarray
        Rainfall depth, in, 0 to 73.6, the most ever measured in a day.
    duration_h : float or ndarray
        Duration, h, over 0 to 24.
    storm_type : str
        Rainfall distribution: ``"I"``, ``"IA"``, ``"II"`` or ``"IIA"``.

    Returns
    -------
    float or ndarray
        EI of the storm, hundreds of ft tonf in/(ac h). float32 stays float32.

    Raises
    ------
    InputError
        A depth or duration is out of range, the type is unknown, or the shapes do not broadcast. NaN in an
        array stays NaN.

    Notes
    -----
    EI = a P^(2.119 D^0.0086) / D^b. Cooley gives no type III; VFSMOD's program UH [2]_ takes the coefficients of IIA
    for it, which here must be asked for as ``"IIA"``.

    References
    ----------
    .. [1] Cooley, K.R. (1980). Erosivity values for individual design storms. J. Irrig. Drain. Div. ASCE
       106(IR2), 135-145.
    .. [2] Muñoz-Carpena, R., Parsons, J.E. (2014). VFSMOD-W, program UH, hyetograph.f (the coefficients as
       used).

    Examples
    --------
    The sample run of VFSMOD's program UH, 25 mm in 6 h of type II (published: 8.248):

    >>> round(design_storm_ei(25 / 25.4, 6, "II"), 3)
    8.248
    """
    check_name(storm_type, DESIGN_STORMS, "storm_type", hint='; VFSMOD\'s program UH uses "IIA" for type III')
    a, b = DESIGN_STORMS[storm_type]
    depth, duration = float_arrays(depth_in=depth_in, duration_h=duration_h)
    check_range("depth_in", depth, 0.0, MAX_STORM_IN, "in", "give the depth of the storm in inches")
    remedy = "give the duration of the storm in hours; the distributions are 24 hours long"
    check_range("duration_h", duration, 0.0, MAX_STORM_HOURS, "h", remedy, above=True)
    return _out(a * depth ** (2.119 * duration**0.0086) / duration**b)


def two_year_six_hour_r(depth_in: Floats) -> Floats:
    """Annual erosivity R from the 2-year, 6-hour rainfall, where storms are of type II.

    Parameters
    ----------
    depth_in : float or ndarray
        Rainfall of the 2-year, 6-hour storm, in, 0 to 4.39.

    Returns
    -------
    float or ndarray
        R, hundreds of ft tonf in/(ac h yr). float32 stays float32.

    Raises
    ------
    InputError
        A depth is negative, over 4.39 in or infinite. NaN in an array stays NaN.

    Notes
    -----
    R = 27 P^2.2, a substitute for the mapped R in the western states, where type II storms prevail. The coefficients
    are recalled from Handbook 537 and its users' guides, not read in a copy; an isoerodent map goes before
    them. The upper end is reasoned, not published: there R reaches the highest isoerodent of the conterminous states,
    700.

    References
    ----------
    .. [1] Wischmeier, W.H., Smith, D.D. (1978). USDA Agriculture Handbook 537.

    Examples
    --------
    0.8 in, by calculator 27 x 0.8^2.2 = 27 x 0.61207:

    >>> round(two_year_six_hour_r(0.8), 2)
    16.53
    """
    (depth,) = float_arrays(depth_in=depth_in)
    remedy = f"give the 2-year, 6-hour rainfall in inches, {_STATES}"
    check_range("depth_in", depth, 0.0, MAX_TWO_YEAR_SIX_HOUR_IN, "in", remedy)
    return _out(27.0 * depth**2.2)


def daily_rain_ei(depth_in: Floats) -> Floats:
    """Erosivity EI of a day's rain from its depth alone, as GLEAMS estimates it.

    Parameters
    ----------
    depth_in : float or ndarray
        Rain of one day, in, 0 to 19.5.

    Returns
    -------
    float or ndarray
        EI of the day, hundreds of ft tonf in/(ac h). float32 stays float32.

    Raises
    ------
    InputError
        A depth is negative, over 19.5 in or infinite. NaN in an array stays NaN.

    Notes
    -----
    EI = 7.87 P^1.51. A regression on depth without intensity: single storms scatter widely about it. For a record of
    rain in short steps, compute EI from the record. The upper end is reasoned, not published: beyond it the equation
    gives a single day more than the highest annual R of the conterminous states, 700.

    References
    ----------
    .. [1] Knisel, W.G., ed. (1993). GLEAMS: Groundwater Loading Effects of Agricultural Management Systems.
       University of Georgia.
    .. [2] Muñoz-Carpena, R., Parsons, J.E. (2014). VFSMOD-W, program UH, musle.f (the equation as used).

    Examples
    --------
    The sample run of VFSMOD's program UH, 25 mm (published: 7.68):

    >>> round(daily_rain_ei(25 / 25.4), 2)
    7.68
    """
    (depth,) = float_arrays(depth_in=depth_in)
    check_range("depth_in", depth, 0.0, MAX_DAILY_RAIN_IN, "in", f"give the rain of one day in inches, {_STATES}")
    return _out(7.87 * depth**1.51)


def annual_rain_r(annual_rain_in: Floats) -> Floats:
    """Annual erosivity R from annual precipitation by Renard and Freimund.

    Parameters
    ----------
    annual_rain_in : float or ndarray
        Mean annual precipitation, in, over 0 to 71.5 (1,816 mm).

    Returns
    -------
    float or ndarray
        R, hundreds of ft tonf in/(ac h yr). Computed in float64; float32
        input gives float32.

    Raises
    ------
    InputError
        A precipitation is not positive, over 71.5 in or infinite. NaN in an array stays NaN.

    Notes
    -----
    In SI, R = 0.0483 P^1.610 up to 850 mm and 587.8 - 1.219 P + 0.004105 P² above, which leaves a step of 0.15 % at
    850 mm. The coefficients are recalled and were not read in a copy of the paper. Fitted to stations of the
    conterminous United States; where an R is mapped or measured it goes before this estimate, above all in the
    west, where snow and gentle rain make up much of P. Refused beyond the precipitation at which it exceeds the
    highest isoerodent of those states, 700: that end is reasoned, not published.

    References
    ----------
    .. [1] Renard, K.G., Freimund, J.R. (1994). Using monthly precipitation data to estimate the R-factor in
       the revised USLE. J. Hydrol. 157, 287-306.

    Examples
    --------
    40 in, by calculator 587.8 - 1.219 x 1016 + 0.004105 x 1016² = 3586.7 MJ mm/(ha h yr), divided by 17.0195:

    >>> round(annual_rain_r(40), 1)
    210.7
    """
    (rain,) = float_arrays(annual_rain_in=annual_rain_in)
    remedy = f"give mean annual precipitation in inches, {_STATES}"
    check_range("annual_rain_in", rain, 0.0, RENARD_FREIMUND_MAX_MM / INCH_MM, "in", remedy, above=True)
    mm = rain.astype(np.float64, copy=False) * INCH_MM  # in float64: the equations do not meet at the break
    dry, wet = 0.0483 * mm**1.610, 587.8 - 1.219 * mm + 0.004105 * mm * mm
    return _out((np.where(mm <= RENARD_FREIMUND_BREAK_MM, dry, wet) / R_US_SI).astype(rain.dtype))


def modified_fournier_index(monthly_rain: Floats) -> Floats:
    """Modified Fournier index of Arnoldus, which weighs annual rain by how unevenly it falls over the year.

    Parameters
    ----------
    monthly_rain : ndarray of shape (..., 12)
        Mean rain of January to December, mm or in, not negative and not all 0.

    Returns
    -------
    float or ndarray of shape (...)
        Index F, in the unit of the rain, mm or in: a twelfth of the annual rain where all months have the same, and
        all of it where one month has it. float32 stays float32.

    Raises
    ------
    InputError
        There are not twelve months, one is negative or infinite, or a year has no rain. NaN in an array gives NaN.

    Notes
    -----
    F = sum of p_i^2 over the months, divided by the sum of p_i.

    References
    ----------
    .. [1] Arnoldus, H.M.J. (1980). An approximation of the rainfall factor in the Universal Soil Loss Equation. In
       De Boodt, M., Gabriels, D. (eds.), Assessment of Erosion, Wiley, 127-132.

    Examples
    --------
    By hand, 50 mm in every month, and 120 mm in June alone:

    >>> modified_fournier_index([50.0] * 12), modified_fournier_index([0.0] * 5 + [120.0] + [0.0] * 6)
    (50.0, 120.0)
    """
    (rain,) = float_arrays(monthly_rain=monthly_rain)
    if rain.ndim == 0 or rain.shape[-1] != _MONTHS:
        given = "a number" if rain.ndim == 0 else count_of(rain.shape[-1], "value")
        raise input_error("not-twelve-months", f"is {given}; give the rain of January to December", "monthly_rain")
    check_range("monthly_rain", rain, 0.0, float("inf"), "", "give the mean rain of each month")
    total = rain.sum(axis=-1)
    dry = np.asarray(total == 0.0)
    if dry.any():
        raise outside_error("no-rain", "monthly_rain", total, dry, "is the rain of a year", "give a year with rain")
    return _out(np.square(rain).sum(axis=-1) / total)


def monthly_rain_r(monthly_rain_in: Floats) -> Floats:
    """Annual erosivity R from monthly rain by Renard and Freimund, through the modified Fournier index.

    Parameters
    ----------
    monthly_rain_in : ndarray of shape (..., 12)
        Mean rain of January to December, in, not negative and not all 0.

    Returns
    -------
    float or ndarray of shape (...)
        R, hundreds of ft tonf in/(ac h yr); times `sedcalc.units.R_US_SI`, 17.0195, in MJ mm/(ha h yr). Computed in
        float64; float32 input gives float32.

    Raises
    ------
    InputError
        There are not twelve months, one is negative or infinite, a year has no rain, or the index is over 6.45 in
        (163.9 mm). NaN in an array gives NaN.

    Notes
    -----
    In SI and with the index F in mm, R = 0.7397 F^1.847 below 55 mm and 95.77 - 6.081 F + 0.4770 F^2 from there on,
    which leaves a step of -0.6 % at 55 mm. The coefficients were not read in the paper but in public programs that
    cite it. These agree on all but the first, which some print as 0.07397: R would then jump tenfold at 55 mm, so it
    is taken as a slip of the decimal point. Fitted to stations of the conterminous United States; where an R is mapped
    or measured it goes before this estimate. Refused beyond the index at which it exceeds the highest isoerodent of
    those states, 700: that end is reasoned, not published.

    References
    ----------
    .. [1] Renard, K.G., Freimund, J.R. (1994). Using monthly precipitation data to estimate the R-factor in the
       revised USLE. J. Hydrol. 157, 287-306; coefficients as in the programs ModelRUSLE (Java, wetland erosion in North
       Dakota) and WaSSI (USDA Forest Service, Fortran; 0.07397).

    Examples
    --------
    2 in in every month, F = 2 in = 50.8 mm: by calculator 0.7397 x 50.8^1.847 = 1046.6 MJ mm/(ha h yr), over 17.0195.

    >>> round(monthly_rain_r([2.0] * 12), 2)
    61.49
    """
    (rain,) = float_arrays(monthly_rain_in=monthly_rain_in)
    # In float64: the equations do not meet at the break.
    index = np.asarray(modified_fournier_index(rain.astype(np.float64, copy=False)))
    remedy = f"this is the modified Fournier index of the months; give mean monthly rain in inches, {_STATES}"
    if index.ndim or not np.isnan(index):  # a year with a month missing has no index
        check_range("monthly_rain_in", index, 0.0, FOURNIER_MAX_MM / INCH_MM, "in", remedy)
    mm = index * INCH_MM
    low, high = 0.7397 * mm**1.847, 95.77 - 6.081 * mm + 0.4770 * mm * mm
    return _out((np.where(mm < FOURNIER_BREAK_MM, low, high) / R_US_SI).astype(rain.dtype))
