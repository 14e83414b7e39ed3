"""Soil erodibility K in US customary units, by nomograph, texture or separates.

K is in ton ac h/(hundreds of ac ft tonf in); times `sedcalc.units.K_US_SI` it is in t ha h/(ha MJ mm).
"""

import math
from typing import Final

import numpy as np

from sedcalc.factors._arrays import FloatArray, Floats, check_range, float_arrays, outside_error
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.factors._fine_earth import FRACTION_SUM_TOLERANCE_PCT, PERCENT, fine_earth
from sedcalc.findings import input_error

OM_CAP_PCT: Final = 4.0
"""Organic matter, %, above which the nomograph is read at 4 (its last curve)."""

SILT_VFS_LIMIT_PCT: Final = 70.0
"""Silt plus very fine sand, %, above which the nomograph's equation does not hold."""

OM_TABLE_RANGE_PCT: Final = (0.5, 4.0)
"""Organic matter, %, of the first and last column of the K-by-texture table."""

K_UPPER_LIMIT: Final = 0.75
"""Largest K the nomograph's equation can give within its limits (70 % silt and very fine sand, no clay, no
organic matter, structure 4, permeability 6: 0.749); a K above it, in US units, is a mistake."""

ORGANIC_CARBON_LIMIT_PCT: Final = 12.0
"""Organic carbon, %, from which a soil material may be organic (Soil Taxonomy): no K equation covers it."""

MATTER_PER_CARBON: Final = 1.724
"""Organic matter per organic carbon (van Bemmelen), by mass."""

MATTER_PER_CARBON_RANGE: Final = (1.4, 2.5)
"""Range of organic matter per organic carbon, by mass, found in soils (Pribyl 2010)."""

_OM = "give organic matter as a percentage by mass"


def nomograph_k(
    silt_vfs_pct: Floats, sand_pct: Floats, om_pct: Floats, structure: Floats, permeability: Floats
) -> Floats:
    """Soil erodibility K by the equation of the soil-erodibility nomograph.

    Parameters
    ----------
    silt_vfs_pct : float or ndarray
        Silt and very fine sand, 0.002-0.10 mm, % of the fine earth, 0 to 70.
    sand_pct : float or ndarray
        Sand without the very fine sand, 0.10-2 mm, % of the fine earth. Clay is the rest to 100.
    om_pct : float or ndarray
        Organic matter, %; above `OM_CAP_PCT` it counts as 4, the nomograph's last curve.
    structure : float or ndarray
        Structure class: 1 very fine granular, 2 fine granular, 3 medium or coarse granular, 4 blocky,
        platy or massive.
    permeability : float or ndarray
        Profile permeability class: 1 rapid to 6 very slow (see `permeability_class`).

    Returns
    -------
    float or ndarray
        K, ton ac h/(hundreds of ac ft tonf in).

    Raises
    ------
    InputError
        A percentage or class is out of range, silt and very fine sand exceed 70 %, or the equation gives a
        K that is not above 0 (coarse, permeable soils at the nomograph's edge).

    Notes
    -----
    ``K = [2.1e-4 (12 - OM) M^1.14 + 3.25 (s - 2) + 2.5 (p - 3)] / 100``, ``M = (silt + vfs)(100 - clay)``.
    The drawn nomograph departs from the equation above 70 % silt and very fine sand; there `dg_k` or the
    K-by-texture table serve.

    References
    ----------
    Wischmeier, Johnson and Cross (1971), J. Soil and Water Conservation 26:189-193; Wischmeier and Smith
    (1978), Agriculture Handbook 537, eq. 3.

    Examples
    --------
    The example of Agriculture Handbook 537, figure 3 (65 % silt and very fine sand, 5 % sand, 2.8 % organic
    matter, structure 2, permeability 4), where the graph reads 0.31:

    >>> round(nomograph_k(65, 5, 2.8, 2, 4), 5)
    0.31085
    """
    fine, sand, om, s, p = float_arrays(
        silt_vfs_pct=silt_vfs_pct,
        sand_pct=sand_pct,
        om_pct=om_pct,
        structure=structure,
        permeability=permeability,
    )
    check_range("sand_pct", sand, 0.0, 100.0, "%", PERCENT)
    check_range("om_pct", om, 0.0, 100.0, "%", _OM)
    check_range("silt_vfs_pct", fine, 0.0, 100.0, "%", PERCENT)
    check_range(
        "silt_vfs_pct",
        fine,
        0.0,
        SILT_VFS_LIMIT_PCT,
        "%, the range of the nomograph's equation",
        "use the Dg equation or the K-by-texture table for this soil",
    )
    _check_class("structure", s, 4)
    _check_class("permeability", p, 6)
    coarser = fine + sand
    if np.any(coarser > 100.0 + FRACTION_SUM_TOLERANCE_PCT):
        raise outside_error(
            "fractions-over-100",
            "silt_vfs_pct + sand_pct",
            coarser,
            coarser > 100.0 + FRACTION_SUM_TOLERANCE_PCT,
            "% leaves no room for clay",
            "sand is 0.10-2 mm here: very fine sand belongs to silt_vfs_pct only",
        )
    # 100 - clay; rounding of the two percentages may pass 100 by the tolerance.
    m = fine * np.minimum(coarser, 100.0)
    k = (2.1e-4 * (12.0 - np.minimum(om, OM_CAP_PCT)) * m**1.14 + 3.25 * (s - 2.0) + 2.5 * (p - 3.0)) / 100.0
    if np.any(k <= 0.0):
        raise outside_error(
            "nomograph-k-not-positive",
            "K",
            k,
            k <= 0.0,
            "by the nomograph is not a possible erodibility: the soil lies off the graph",
            "use the K-by-texture table, or a K given with its source",
        )
    return _out(k)


def geometric_mean_diameter_mm(sand_pct: Floats, silt_pct: Floats, clay_pct: Floats) -> Floats:
    """Geometric mean diameter Dg of the primary particles.

    Parameters
    ----------
    sand_pct, silt_pct, clay_pct : float or ndarray
        Sand (0.05-2 mm), silt (0.002-0.05 mm) and clay (under 0.002 mm), % of the fine earth; they sum to 100
        within `FRACTION_SUM_TOLERANCE_PCT`.

    Returns
    -------
    float or ndarray
        Dg, mm: 0.001 (all clay) to 1.025 (all sand).

    Raises
    ------
    InputError
        A percentage is outside 0 to 100, or they do not sum to 100.

    Notes
    -----
    ``Dg = exp(0.01 sum(f ln m))`` with the arithmetic means of the class limits: m = 0.001, 0.026, 1.025 mm.

    References
    ----------
    Shirazi and Boersma (1984), Soil Sci. Soc. Am. J. 48:142-147; Renard et al. (1997), Agriculture Handbook
    703, chapter 3.

    Examples
    --------
    A loam, calculated by hand: exp(0.4 ln 1.025 + 0.4 ln 0.026 + 0.2 ln 0.001).

    >>> round(geometric_mean_diameter_mm(40, 40, 20), 5)
    0.05892
    """
    sand, silt, clay = fine_earth(sand_pct, silt_pct, clay_pct)
    return _out(np.exp(_log_dg(sand, silt, clay)))


def dg_k(sand_pct: Floats, silt_pct: Floats, clay_pct: Floats) -> Floats:
    """Soil erodibility K from the geometric mean particle diameter (global data set).

    Parameters
    ----------
    sand_pct, silt_pct, clay_pct : float or ndarray
        As in `geometric_mean_diameter_mm`, %.

    Returns
    -------
    float or ndarray
        K, ton ac h/(hundreds of ac ft tonf in), 0.026 to 0.333.

    Raises
    ------
    InputError
        As `geometric_mean_diameter_mm`.

    Notes
    -----
    ``K = 7.594 {0.0034 + 0.0405 exp[-((log10 Dg + 1.659)/0.7101)^2 / 2]}``. It was fitted to the means of
    texture groups of 225 soils with less than 10 % rock fragments: an estimate for soils off the nomograph,
    not a better value for soils on it.

    References
    ----------
    Römkens, Prasad and Poesen (1986); Renard et al. (1997), Agriculture Handbook 703, chapter 3.

    Examples
    --------
    Calculated by hand from Dg = 0.05892 mm:

    >>> round(dg_k(40, 40, 20), 4)
    0.282
    """
    sand, silt, clay = fine_earth(sand_pct, silt_pct, clay_pct)
    z = (_log_dg(sand, silt, clay) / float(np.log(10.0)) + 1.659) / 0.7101
    return _out(7.594 * (0.0034 + 0.0405 * np.exp(-0.5 * z * z)))


def epic_k(
    sand_pct: Floats,
    silt_pct: Floats,
    clay_pct: Floats,
    organic_carbon_pct: Floats | None = None,
    *,
    organic_matter_pct: Floats | None = None,
) -> Floats:
    """Soil erodibility K by the equation of the EPIC model.

    Parameters
    ----------
    sand_pct, silt_pct, clay_pct : float or ndarray
        As in `geometric_mean_diameter_mm`, %.
    organic_carbon_pct : float or ndarray, optional
        Organic **carbon**, %, 0 to `ORGANIC_CARBON_LIMIT_PCT`.
    organic_matter_pct : float or ndarray, optional
        Organic **matter**, %, instead; divided by 1.724. If both are given, carbon is used and their ratio is
        checked.

    Returns
    -------
    float or ndarray
        K, ton ac h/(hundreds of ac ft tonf in).

    Raises
    ------
    InputError
        Percentages are out of range or do not sum to 100; neither carbon nor matter is given; carbon is over
        12 % (an organic soil, or matter given as carbon); matter per carbon lies outside
        `MATTER_PER_CARBON_RANGE` (the two are mixed up); silt and clay are both 0.

    Notes
    -----
    ``K = [0.2 + 0.3 exp(-0.0256 SAN (1 - SIL/100))] (SIL/(CLA + SIL))^0.3
    [1 - 0.25 C/(C + exp(3.72 - 2.95 C))] [1 - 0.7 SN1/(SN1 + exp(-5.51 + 22.9 SN1))]``,
    ``SN1 = 1 - SAN/100``. Below 0.5 by construction.

    References
    ----------
    Williams, Renard and Dyke (1983), J. Soil and Water Conservation 38:381-383; Sharpley and Williams (1990),
    EPIC model documentation, USDA Technical Bulletin 1768.

    Examples
    --------
    Calculated by hand:

    >>> round(epic_k(40, 40, 20, organic_carbon_pct=1.0), 5)
    0.29538
    """
    carbon = _organic_carbon(organic_carbon_pct, organic_matter_pct)
    check_range(
        "organic_carbon_pct",
        float_arrays(organic_carbon_pct=carbon)[0],
        0.0,
        ORGANIC_CARBON_LIMIT_PCT,
        "%",
        "over 12 % carbon the soil is organic and no equation covers it; if this is organic matter, "
        "name it organic_matter_pct",
    )
    sand, silt, clay = fine_earth(sand_pct, silt_pct, clay_pct)
    sand, silt, clay, c = float_arrays(sand_pct=sand, silt_pct=silt, clay_pct=clay, organic_carbon_pct=carbon)
    if np.any(silt + clay == 0.0):
        raise outside_error(
            "no-silt-or-clay",
            "silt_pct + clay_pct",
            silt + clay,
            silt + clay == 0.0,
            "leaves the EPIC equation undefined",
            "use the K-by-texture table for pure sand",
        )
    sn1 = 1.0 - sand / 100.0
    k = (
        (0.2 + 0.3 * np.exp(-0.0256 * sand * (1.0 - silt / 100.0)))
        * (silt / (clay + silt)) ** 0.3
        * (1.0 - 0.25 * c / (c + np.exp(3.72 - 2.95 * c)))
        * (1.0 - 0.7 * sn1 / (sn1 + np.exp(-5.51 + 22.9 * sn1)))
    )
    return _out(k)


def texture_k(om_pct: Floats, k_om_0_5: Floats | None, k_om_2: Floats | None, k_om_4: Floats | None) -> Floats:
    """Soil erodibility K from one row of the K-by-texture table, linear in organic matter.

    Parameters
    ----------
    om_pct : float or ndarray
        Organic matter, %. Outside `OM_TABLE_RANGE_PCT` the nearer column's K is held; the caller says so.
    k_om_0_5, k_om_2, k_om_4 : float or ndarray
        The row's K at 0.5, 2 and 4 % organic matter, ton ac h/(hundreds of ac ft tonf in). None or NaN, where
        the table prints none, is refused.

    Returns
    -------
    float or ndarray
        K, ton ac h/(hundreds of ac ft tonf in).

    Raises
    ------
    InputError
        Organic matter is not a percentage, or the row prints no single value (clay).

    References
    ----------
    Stewart et al. (1975), Control of Water Pollution from Cropland, vol. I, EPA-600/2-75-026a.

    Examples
    --------
    Silt loam is printed as 0.48, 0.42 and 0.33; 1.25 % lies halfway between the first two.

    >>> round(texture_k(1.25, 0.48, 0.42, 0.33), 4)
    0.45
    """
    columns = {"k_om_0_5": k_om_0_5, "k_om_2": k_om_2, "k_om_4": k_om_4}
    om, k_low, k_mid, k_high = float_arrays(
        om_pct=om_pct, **{name: math.nan if value is None else value for name, value in columns.items()}
    )
    for name, column in zip(columns, (k_low, k_mid, k_high), strict=True):
        if np.any(np.isnan(column)):
            raise input_error(
                "no-k-printed",
                "the table prints no single K for this texture (clay is a range); give K with its source",
                name,
            )
    check_range("om_pct", om, 0.0, 100.0, "%", _OM)
    for name, k in zip(columns, (k_low, k_mid, k_high), strict=True):
        check_range(name, k, 0.0, K_UPPER_LIMIT, "(US units)", "give K in US customary units", above=True)
    first, last = OM_TABLE_RANGE_PCT
    held = np.clip(om, first, last)
    low_part = k_low + (k_mid - k_low) * ((held - first) / (2.0 - first))
    high_part = k_mid + (k_high - k_mid) * ((held - 2.0) / (last - 2.0))
    return _out(np.where(held <= 2.0, low_part, high_part))


def coarse_fragment_factor(rock_fragments_pct: Floats) -> Floats:
    """Reduction of soil loss by rock fragments in the uppermost layer, a multiplier of a fine-earth K.

    Parameters
    ----------
    rock_fragments_pct : float or ndarray
        Rock fragments in the first soil layer, %, 0 to 100.

    Returns
    -------
    float or ndarray
        Factor, dimensionless, 1 (no rock) to 0.005.

    Raises
    ------
    InputError
        The percentage is outside 0 to 100.

    Notes
    -----
    ``CFRG = exp(-0.053 rock)``. It stands for the armour of surface rock: together with a survey's whole-soil
    K (kwfact) or with rock cover in C it would count the same stones twice.

    References
    ----------
    Williams (1995), The EPIC model; Neitsch et al. (2011), SWAT Theoretical Documentation, eq. 4:1.1.15.

    Examples
    --------
    Calculated by hand: exp(-1.06).

    >>> round(coarse_fragment_factor(20.0), 4)
    0.3465
    """
    (rock,) = float_arrays(rock_fragments_pct=rock_fragments_pct)
    check_range("rock_fragments_pct", rock, 0.0, 100.0, "%", "give rock fragments as a percentage")
    return _out(np.exp(-0.053 * rock))


def _log_dg(sand: FloatArray, silt: FloatArray, clay: FloatArray) -> FloatArray:
    log_sand, log_silt, log_clay = (float(np.log(m)) for m in (1.025, 0.026, 0.001))
    log_dg: FloatArray = 0.01 * (sand * log_sand + silt * log_silt + clay * log_clay)
    return log_dg


def _organic_carbon(carbon: Floats | None, matter: Floats | None) -> Floats:
    if matter is None:
        if carbon is None:
            raise input_error(
                "no-organic-carbon", "give organic_carbon_pct or organic_matter_pct", "organic_carbon_pct"
            )
        return carbon
    (om,) = float_arrays(organic_matter_pct=matter)
    check_range("organic_matter_pct", om, 0.0, 100.0, "%", _OM)
    if carbon is None:
        return _out(om / MATTER_PER_CARBON)
    om, oc = float_arrays(organic_matter_pct=matter, organic_carbon_pct=carbon)
    low, high = MATTER_PER_CARBON_RANGE
    mixed = (om < low * oc) | (om > high * oc)
    if np.any(mixed):
        raise outside_error(
            "carbon-and-matter-disagree",
            "organic_matter_pct",
            om,
            mixed,
            f"is not {low:g} to {high:g} times organic_carbon_pct",
            "carbon and matter may be mixed up: organic matter is about 1.724 times organic carbon",
        )
    return carbon


def _check_class(name: str, value: FloatArray, last: int) -> None:
    check_range(name, value, 1.0, float(last), "(classes)", f"give a class from 1 to {last}")
    if np.any(value != np.round(value)):
        raise outside_error(
            f"{name}-not-a-class",
            name,
            value,
            (value != np.round(value)) & ~np.isnan(value),
            "is not a class",
            f"give a whole number from 1 to {last}",
        )
