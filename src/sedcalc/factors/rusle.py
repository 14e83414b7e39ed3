"""The soil-loss equation A = R K LS C P."""

from typing import Final

from sedcalc.factors._arrays import Floats, check_range, float_arrays
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.factors._ranges import check_factors

R_UPPER_LIMIT: Final = 1200.0
"""Annual erosivity, hundreds of ft tonf in/(ac h yr), that a place does not exceed: the conterminous United States go
to about 700 (Agriculture Handbook 703, Figure 2-1). A larger R is in SI units, or that of several years."""


def soil_loss(R: Floats, K: Floats, LS: Floats, C: Floats, P: Floats) -> Floats:
    """Soil loss A = R K LS C P of a slope profile or a grid cell, in the period that R covers.

    Parameters
    ----------
    R : float or ndarray
        Erosivity of the period, hundreds of ft tonf in/(ac h), 0 to 1,200. The annual R gives the average annual
        soil loss; the annual R times the period's share of it gives the loss in that period. Of a period of
        several years, add the loss of each.
    K : float or ndarray
        Soil erodibility, ton ac h/(hundreds of ac ft tonf in), 0 to 0.75.
    LS : float or ndarray
        Slope length and steepness factor, dimensionless, not negative.
    C : float or ndarray
        Cover-management factor, dimensionless, 0 to 1.2; over 1 where the ground is smoother than the unit plot.
    P : float or ndarray
        Support-practice and surface-condition factor, dimensionless, 0 to 1.3; over 1 where the surface is
        compacted.

    Returns
    -------
    float or ndarray
        Soil loss in the period, short tons per acre, of the broadcast shape. float32 when every array is
        float32, then with a relative error below 3e-7.

    Raises
    ------
    InputError
        A factor is outside its range or infinite, a scalar is NaN, or the shapes do not broadcast. NaN in an array
        is nodata and stays NaN.

    Notes
    -----
    The ranges catch values of SI units where they are larger than any of US units (R 2,000) and percents in place of
    fractions (C 20); a K of SI units is within the range of US units and cannot be told by its size.

    Sheet and rill erosion only: no gullies, channels, wind, tracking or snowmelt. A is what is detached on
    the slope and reaches its foot, before any delivery ratio or trapping.

    References
    ----------
    .. [1] Renard, K.G., Foster, G.R., Weesies, G.A., McCool, D.K., Yoder, D.C. (1997). Predicting Soil
       Erosion by Water. USDA Agriculture Handbook 703.

    Examples
    --------
    A construction site of 4.1 acres in Duluth, Minnesota, under straw (published: 2.433 tons per acre):

    >>> round(soil_loss(R=90, K=0.32, LS=4.80, C=0.11, P=0.16), 3)
    2.433

    The side slope of a landfill in San Joaquin County, California (published: 32 tons per acre, and 40 with
    the second soil):

    >>> round(soil_loss(R=20, K=0.21, LS=8.5, C=1, P=0.9))
    32
    >>> round(soil_loss(R=20, K=0.26, LS=8.5, C=1, P=0.9))
    40
    """
    r, k, ls, c, p = float_arrays(R=R, K=K, LS=LS, C=C, P=P)
    remedy = "give R in US units, hundreds of ft tonf in/(ac h), of a year or less; divide MJ mm/(ha h) by 17.02"
    check_range("R", r, 0.0, R_UPPER_LIMIT, "", remedy)
    check_factors(k, ls, c, p)
    return _out(r * k * ls * c * p)
