"""What K and the practices need to know of a soil: its USDA texture class, and how fast water passes its profile."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import Floats, Texts, check_range, float_arrays
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.factors._fine_earth import fine_earth

TEXTURE_CLASSES: Final = (
    "sand",
    "loamy sand",
    "sandy loam",
    "loam",
    "silt loam",
    "silt",
    "sandy clay loam",
    "clay loam",
    "silty clay loam",
    "sandy clay",
    "silty clay",
    "clay",
)
"""The twelve USDA texture classes, as named in the K-by-texture table."""

_CONDUCTIVITY = "give in/h (1 um/s = 0.1417 in/h)"


def texture_class(sand_pct: Floats, silt_pct: Floats, clay_pct: Floats) -> Texts:
    """USDA texture class of a soil.

    Parameters
    ----------
    sand_pct, silt_pct, clay_pct : float or ndarray
        USDA separates of the fine earth, %, 0 to 100, together 100 within half a percent, to which they are scaled.

    Returns
    -------
    str or ndarray of str
        One of `TEXTURE_CLASSES`; an empty string where a percentage of an array is missing (NaN).

    Raises
    ------
    InputError
        A percentage is outside 0 to 100, or they do not sum to 100.

    References
    ----------
    Soil Science Division Staff (2017), Soil Survey Manual, USDA Handbook 18, chapter 3; Benham et al. (2009),
    Clarification of Soil Texture Class Boundaries, USDA-NRCS.

    Examples
    --------
    From the definition: clay 27 to 40 % and at most 20 % sand.

    >>> texture_class(10, 60, 30)
    'silty clay loam'
    """
    sand, silt, clay = fine_earth(sand_pct, silt_pct, clay_pct)
    total = (sand + silt + clay).astype(np.float64)
    # Rounded so that scaling cannot push a soil over a boundary on which it lies.
    sand, silt, clay = (np.round(x * (100.0 / total), 4) for x in (sand, silt, clay))
    sands = silt + 1.5 * clay < 15.0
    loamy_sands = ~sands & (silt + 2.0 * clay < 30.0)
    # In the order of TEXTURE_CLASSES; together they tile the triangle without overlap.
    masks = [
        sands,
        loamy_sands,
        (silt + 2.0 * clay >= 30.0)
        & (((clay >= 7.0) & (clay < 20.0) & (sand > 52.0)) | ((clay < 7.0) & (silt < 50.0))),
        (clay >= 7.0) & (clay < 27.0) & (silt >= 28.0) & (silt < 50.0) & (sand <= 52.0),
        (silt >= 50.0) & (clay < 27.0) & ((clay >= 12.0) | (silt < 80.0)),
        (silt >= 80.0) & (clay < 12.0),
        (clay >= 20.0) & (clay < 35.0) & (silt < 28.0) & (sand > 45.0),
        (clay >= 27.0) & (clay < 40.0) & (sand > 20.0) & (sand <= 45.0),
        (clay >= 27.0) & (clay < 40.0) & (sand <= 20.0),
        (clay >= 35.0) & (sand > 45.0),
        (clay >= 40.0) & (silt >= 40.0),
        (clay >= 40.0) & (sand <= 45.0) & (silt < 40.0),
    ]
    names: NDArray[np.str_] = np.select(masks, [np.array(name) for name in TEXTURE_CLASSES], np.array(""))
    return names.item() if names.ndim == 0 else names


def permeability_class(conductivity_in_h: Floats) -> Floats:
    """Profile permeability class of the nomograph from saturated hydraulic conductivity.

    Parameters
    ----------
    conductivity_in_h : float or ndarray
        Saturated hydraulic conductivity of the profile's most limiting layer, in/h, above 0.

    Returns
    -------
    float or ndarray
        1 rapid (6 in/h and more), 2 moderate to rapid (2 to 6), 3 moderate (0.6 to 2), 4 slow to moderate
        (0.2 to 0.6), 5 slow (0.06 to 0.2), 6 very slow (below 0.06).

    Raises
    ------
    InputError
        The conductivity is not above 0.

    References
    ----------
    Wischmeier and Smith (1978), Agriculture Handbook 537, figure 3, with the permeability classes of the Soil
    Survey Manual (1951).

    Examples
    --------
    From the classes as printed:

    >>> permeability_class(0.4)
    4.0
    """
    (conductivity,) = float_arrays(conductivity_in_h=conductivity_in_h)
    check_range("conductivity_in_h", conductivity, 0.0, 1e4, "in/h", _CONDUCTIVITY, above=True)
    limits = np.array([0.06, 0.2, 0.6, 2.0, 6.0], dtype=conductivity.dtype)
    classes = 6.0 - np.searchsorted(limits, conductivity, side="right").astype(conductivity.dtype)
    return _out(np.where(np.isnan(conductivity), np.nan, classes).astype(conductivity.dtype))


def rock_adjusted_conductivity(conductivity_in_h: Floats, rock_fragments_pct: Floats) -> Floats:
    """Saturated hydraulic conductivity of a soil with rock fragments, from that of its fine earth.

    Parameters
    ----------
    conductivity_in_h : float or ndarray
        Conductivity of the fine earth, in/h, above 0 (any unit passes through).
    rock_fragments_pct : float or ndarray
        Rock fragments over 2 mm in the profile, % of the whole soil by mass, 0 to below 100.

    Returns
    -------
    float or ndarray
        Conductivity of the whole soil, in the unit given; `permeability_class` takes it on.

    Raises
    ------
    InputError
        A value is out of range.

    Notes
    -----
    ``Kb = Kf (1 - Rw)``. It holds for fragments inside the profile, which slow infiltration and raise K.
    Fragments on the surface are cover and belong to C (`sedcalc.factors.cover.surface_cover`), never to both.

    References
    ----------
    Brakensiek, Rawls and Stephenson (1986), ASAE paper PNR-86-203, as used in Renard et al. (1997),
    Agriculture Handbook 703, chapter 3.

    Examples
    --------
    Calculated by hand: a quarter of the soil is rock.

    >>> rock_adjusted_conductivity(2.0, 25.0)
    1.5
    """
    conductivity, rock = float_arrays(conductivity_in_h=conductivity_in_h, rock_fragments_pct=rock_fragments_pct)
    check_range("conductivity_in_h", conductivity, 0.0, 1e4, "in/h", _CONDUCTIVITY, above=True)
    check_range("rock_fragments_pct", rock, 0.0, 99.0, "%", "give rock fragments as a percentage")
    return _out(conductivity * (1.0 - rock / 100.0))
