"""Delivery ratio of a hillslope: the share of its soil loss that leaves the slope with the runoff."""

from typing import Final

from sedcalc.factors._arrays import Floats, check_name, check_range, float_arrays
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.findings import input_error

DELIVERY_METHODS: Final = ("one", "given")
"""Methods of `delivery_ratio`."""

WATERSHED_METHODS: Final = {
    "vanoni": "the drainage area of 300 watersheds (Vanoni 1975)",
    "boyce": "the drainage area of watersheds (Boyce 1975)",
    "usda-scs": "the drainage area and soil texture of watersheds (USDA SCS 1971)",
    "renfro": "the drainage area of 14 watersheds of the Texas Blackland Prairie (Renfro 1975)",
    "maner": "the relief and length of watersheds of the Red Hills of Oklahoma and Texas (Maner 1958)",
    "williams-berndt": "the slope of the main channel of watersheds (Williams and Berndt 1972)",
    "williams": "the area, relief and curve number of watersheds (Williams 1977)",
    "sdr-connectivity": "connectivity to streams, calibrated on gauged catchments (Vigiak et al. 2012)",
}
"""Published ratios that are refused for a site, and what each was fitted to."""


def delivery_ratio(method: str = "one", ratio: Floats | None = None) -> Floats:
    """Share of a hillslope's soil loss that leaves the slope with the runoff.

    Parameters
    ----------
    method : str
        ``"one"``: all of it (the default of this package). ``"given"``: the `ratio` of a site study, whose
        source the caller reports.
    ratio : float or ndarray, optional
        Delivery ratio, dimensionless, 0 to 1, for ``"given"`` only.

    Returns
    -------
    float or ndarray
        Delivery ratio, dimensionless.

    Raises
    ------
    InputError
        The method is unknown or one for watersheds, `ratio` is missing, superfluous or outside 0 to 1.

    Notes
    -----
    The soil-loss equation already ends a slope where sediment settles, and a construction site drains over
    short distances to its outfalls and practices: what these trap is counted there, once. Ratios fitted to
    watersheds lump that settling with the storage of valleys and channels that a site does not have. On a
    site of a few acres they lie outside their data, and they would credit deposition twice. In 78
    catchments of the Chesapeake basin they did not even rank the measured loads [2]_.

    References
    ----------
    .. [1] Ouyang, D., Bartholic, J. (1997). Predicting sediment delivery ratio in Saginaw Bay watershed.
       Michigan State University, Institute of Water Research.
    .. [2] Boomer, K.B., Weller, D.E., Jordan, T.E. (2008). Empirical models based on the universal soil
       loss equation fail to predict sediment discharges from Chesapeake Bay catchments. J. Environ. Qual.
       37, 79-89.

    Examples
    --------
    All of it, by definition of the default:

    >>> delivery_ratio()
    1.0
    """
    if isinstance(method, str) and method in WATERSHED_METHODS:
        message = (
            f"{method!r} was fitted to {WATERSHED_METHODS[method]} and does not describe a site; "
            'use "one", or "given" with the ratio and source of a study of the slope itself'
        )
        raise input_error("watershed-delivery-ratio", message, "method")
    check_name(method, DELIVERY_METHODS, "method")
    if method == "one":
        if ratio is not None:
            raise input_error("superfluous-ratio", 'is for the method "given" only; leave it out', "ratio")
        return 1.0
    if ratio is None:
        raise input_error("missing-ratio", 'the method "given" needs a ratio from 0 to 1', "ratio")
    (given,) = float_arrays(ratio=ratio)
    check_range("ratio", given, 0.0, 1.0, "", "give the delivered share of the soil loss")
    return _out(given)
