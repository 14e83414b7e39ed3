"""Kinetic energy of rain per unit of depth, by each published equation."""

from typing import Any, Final, Literal, get_args

import numpy as np

from sedcalc.factors._arrays import Floats, check_name, float_arrays
from sedcalc.findings import count_of, input_error

Energy = Literal["ah537", "ah703", "rusle2", "salles"]
"""Names of the unit-energy equations."""

ENERGY_SOURCES: Final[dict[Energy, str]] = {
    "ah537": "Wischmeier and Smith (1978), Agriculture Handbook 537, in SI units (Foster et al. 1981)",
    "ah703": "Brown and Foster (1987), as in Agriculture Handbook 703 (Renard et al. 1997)",
    "rusle2": "McGregor et al. (1995), as in RUSLE2 (USDA-ARS 2013)",
    "salles": "Salles et al. (2002), as used by Verstraeten et al. (2006) for 10-minute rain in Belgium",
}
"""Where each equation comes from."""

_AH537_CAP_MM_H = 76.0
_AH537_CAP = 0.283
_AH537_ZERO_MM_H = 10.0 ** (-0.119 / 0.0873)  # below this the logarithm would give a negative energy


def unit_energy(intensity_mm_h: Floats, method: Energy = "ah703") -> Any:
    """Return the kinetic energy of rain per mm of depth.

    Parameters
    ----------
    intensity_mm_h
        Rain intensity, scalar or array of any shape, mm/h, 0 or more. NaN gives NaN.
    method
        ``"ah703"``: 0.29 (1 - 0.72 exp(-0.05 i)); ``"rusle2"``: 0.29 (1 - 0.72 exp(-0.082 i));
        ``"ah537"``: 0.119 + 0.0873 log10 i, not below 0, and 0.283 above 76 mm/h;
        ``"salles"``: 0.1112 i^0.31.

    Returns
    -------
    float or numpy.ndarray
        Unit energy, MJ/(ha mm), of the shape of the intensity; float32 stays float32.

    Raises
    ------
    InputError
        When the method is unknown, or an intensity is negative or not numeric or a masked array.

    Notes
    -----
    The equations were fitted to rain of natural storms between roughly 1 and 250 mm/h. ``ah703`` and ``rusle2``
    tend to 0.0812 MJ/(ha mm) as the intensity goes to 0. ``salles`` was fitted to central Belgium and has no
    upper bound. In float32 the error is below 1e-6 relative except in ``ah537`` near 0.043 mm/h, where the
    energy itself goes to 0.

    References
    ----------
    .. [1] Wischmeier, W.H. and Smith, D.D. (1978). Predicting rainfall erosion losses. USDA Agriculture
       Handbook 537.
    .. [2] Foster, G.R. et al. (1981). Conversion of the universal soil loss equation to SI metric units.
       Journal of Soil and Water Conservation 36, 355-359.
    .. [3] Brown, L.C. and Foster, G.R. (1987). Storm erosivity using idealized intensity distributions.
       Transactions of the ASAE 30, 379-386.
    .. [4] McGregor, K.C. et al. (1995). Erosivity index values for northern Mississippi. Transactions of the
       ASAE 38, 1039-1047.
    .. [5] Salles, C., Poesen, J. and Sempere-Torres, D. (2002). Kinetic energy of rain and its functional
       relationship with intensity. Journal of Hydrology 257, 256-270.

    Examples
    --------
    One mm in 10 minutes, 6 mm/h; 0.19379 is the value in the test suite of the R-factor scripts for Flanders:

    >>> round(unit_energy(6.0, "salles"), 5)
    0.19379
    """
    check_name(method, get_args(Energy), "method")
    (i,) = float_arrays(intensity_mm_h=intensity_mm_h)
    negative = i < 0.0
    if negative.any():
        first = float(i[negative].flat[0]) if i.ndim else float(i)
        raise input_error(
            "negative-intensity",
            f"{count_of(int(negative.sum()), 'rain intensity is', 'rain intensities are')} negative, the first "
            f"{first:g} mm/h; rain is 0 or more.",
            "intensity_mm_h",
        )
    if method == "ah537":
        curve = 0.119 + 0.0873 * np.log10(np.maximum(i, _AH537_ZERO_MM_H))
        energy = np.where(i > _AH537_CAP_MM_H, np.asarray(_AH537_CAP, dtype=i.dtype), np.maximum(curve, 0.0))
    elif method == "salles":
        energy = 0.1112 * i**0.31
    else:
        energy = 0.29 * (1.0 - 0.72 * np.exp((-0.05 if method == "ah703" else -0.082) * i))
    return energy if i.ndim else float(energy)
