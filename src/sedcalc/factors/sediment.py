"""Particle classes of detached sediment: primary clay, silt and sand, and small and large aggregates."""

from typing import Final

import numpy as np

from sedcalc.factors._arrays import FloatArray, Floats, check_range, float_arrays
from sedcalc.factors._arrays import scalar_or_array as _out

PARTICLE_CLASSES: Final = ("clay", "silt", "small aggregates", "large aggregates", "sand")
"""The five classes, in the order of every array of classes."""

SEPARATES_TOLERANCE_PCT: Final = 1.0
"""Sand, silt and clay may add to 100 % within this (printed percentages are rounded); they are then scaled to it."""


def sediment_classes(sand_pct: Floats, silt_pct: Floats, clay_pct: Floats) -> FloatArray:
    """Shares of the five particle classes in the sediment that rain and flow detach from a soil.

    Parameters
    ----------
    sand_pct, silt_pct, clay_pct : float or ndarray
        USDA separates of the soil, % of its fine earth, 0 to 100, adding to 100.

    Returns
    -------
    ndarray of shape (..., 5)
        Share of each class, in the order of `PARTICLE_CLASSES`, 0 to 1, adding to 1.

    Raises
    ------
    InputError
        A percentage is out of range, or the three do not add to 100 within `SEPARATES_TOLERANCE_PCT`.

    Notes
    -----
    Most clay is carried in aggregates: primary clay is 0.26 of the soil's clay, primary sand the soil's sand times
    (1 - clay)^5; small aggregates are 1.8 clay to 25 % clay, then 0.45 - 0.6 (clay - 0.25) to 50 %, then 0.6 clay, and
    no more than the silt; the rest are large aggregates. Where these would hold less than half of the soil's clay
    content, small aggregates give up theirs. The relation stands for sediment as it is detached on cropland soils of
    the US Midwest, before any deposition.

    References
    ----------
    Foster, Young and Neibling (1985), Trans. ASAE 28:133-139, as the WEPP model's routine PRTCMP has it (there a class
    keeps at least 0.0001; here it may be empty).

    Examples
    --------
    A silt loam of 20/60/20, by hand 0.26 * 0.2, 0.6 - 0.36, 1.8 * 0.2, the rest, 0.2 * 0.8^5:

    >>> sediment_classes(20.0, 60.0, 20.0).round(4).tolist()
    [0.052, 0.24, 0.36, 0.2825, 0.0655]
    """
    given = float_arrays(sand_pct=sand_pct, silt_pct=silt_pct, clay_pct=clay_pct)
    for name, value in zip(("sand_pct", "silt_pct", "clay_pct"), given, strict=True):
        check_range(name, value, 0.0, 100.0, "%", "give a percentage of the fine earth")
    total = given[0] + given[1] + given[2]
    low, high = 100.0 - SEPARATES_TOLERANCE_PCT, 100.0 + SEPARATES_TOLERANCE_PCT
    check_range("sand_pct + silt_pct + clay_pct", total, low, high, "%", "sand, silt and clay add to 100 %")
    sand, silt, clay = (np.asarray(value / total) for value in given)
    small = np.where(clay <= 0.25, 1.8 * clay, np.where(clay < 0.5, 0.45 - 0.6 * (clay - 0.25), 0.6 * clay))
    parts = _completed(0.26 * clay, sand * (1.0 - clay) ** 5, small, silt)
    fines = clay + silt
    clay_of_small = np.divide(clay, fines, out=np.zeros_like(clay), where=fines > 0.0)
    held = clay - parts[0] - clay_of_small * parts[2]
    large = parts[3]
    clay_of_large = np.divide(held, large, out=np.zeros_like(clay), where=large > 0.0)
    # 0.95: WEPP leaves alone what is short of half by a twentieth or less.
    too_little = (clay_of_large < 0.95 * 0.5 * clay) & (clay < 1.0)
    others = parts[0] + parts[1] + parts[4]
    moved = np.divide(
        0.5 * clay - parts[0] + 0.5 * clay * others,
        clay_of_small - 0.5 * clay,
        out=np.zeros_like(clay),
        where=too_little,
    )
    again = _completed(parts[0], parts[4], np.maximum(moved, 0.0), silt)
    classes = np.where(too_little, again, parts)
    pure_clay = np.array([1.0, 0.0, 0.0, 0.0, 0.0], dtype=clay.dtype).reshape(5, *(1,) * clay.ndim)
    return np.moveaxis(np.where(clay >= 1.0, pure_clay, classes), 0, -1)


def aggregate_diameters_mm(clay_pct: Floats) -> tuple[Floats, Floats]:
    """Diameters of small and large aggregates by the clay content of the soil.

    Parameters
    ----------
    clay_pct : float or ndarray
        Clay of the soil, % of its fine earth, 0 to 100.

    Returns
    -------
    tuple of float or ndarray
        Diameter of small aggregates (0.03 to 0.1 mm) and of large ones (0.3 to 2 mm), mm.

    Raises
    ------
    InputError
        The percentage is out of range.

    Notes
    -----
    Small: 0.03 mm to 25 % clay, 0.1 mm from 60 %, between them ``0.03 + 0.2 (clay - 0.25)``; large: 0.3 mm to 15 %
    clay, above it ``2 clay``. Primary clay, silt and sand have one diameter each (table ``particle_classes``).

    References
    ----------
    Foster, Young and Neibling (1985), Trans. ASAE 28:133-139, as the WEPP model's routine PRTCMP has it.

    Examples
    --------
    By hand, 0.03 + 0.2 * 0.15 and 2 * 0.4:

    >>> small, large = aggregate_diameters_mm(40.0)
    >>> round(small, 6), round(large, 6)
    (0.06, 0.8)
    """
    (percent,) = float_arrays(clay_pct=clay_pct)
    check_range("clay_pct", percent, 0.0, 100.0, "%", "give a percentage of the fine earth")
    clay = percent / 100.0
    small = np.where(clay <= 0.25, 0.03, np.where(clay >= 0.6, 0.1, 0.03 + 0.2 * (clay - 0.25)))
    large = np.where(clay <= 0.15, 0.3, 2.0 * clay)
    return _out(small), _out(large)


def _completed(clay: FloatArray, sand: FloatArray, small: FloatArray, silt: FloatArray) -> FloatArray:
    """Return the five classes, (5, ...), from three of them and the soil's silt; none is negative."""
    small = np.minimum(small, silt)
    primary_silt = silt - small
    rest = 1.0 - clay - primary_silt - small - sand
    scale = 1.0 / (1.0 + np.maximum(-rest, 0.0))
    return np.stack([clay * scale, primary_silt * scale, small * scale, np.maximum(rest, 0.0), sand * scale])
