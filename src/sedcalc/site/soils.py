"""Soils of a site: K given, by texture and organic matter, or by the nomograph, with its source."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from sedcalc.factors.erodibility import K_UPPER_LIMIT, OM_CAP_PCT, OM_TABLE_RANGE_PCT, nomograph_k, texture_k
from sedcalc.findings import Finding, InputError, input_error
from sedcalc.tables import table
from sedcalc.units import K_US_SI

if TYPE_CHECKING:
    from sedcalc.site.submission import Soil

_NOMOGRAPH = ("silt_vfs_pct", "sand_pct", "organic_matter_pct", "structure", "permeability")


@dataclass(frozen=True, slots=True)
class SoilErodibility:
    """K of a soil and where it comes from.

    Parameters
    ----------
    K
        Erodibility, ton ac h/(hundreds of ac ft tonf in).
    method
        ``given``, ``texture table`` or ``nomograph (Wischmeier 1971)``.
    source, status
        Citation, and ``seen``, ``recalled``, ``derived`` or ``given``.
    findings
        What a reviewer must know about it.
    """

    K: float
    method: str
    source: str
    status: str
    findings: tuple[Finding, ...] = ()


def soil_erodibility(soil: "Soil", units: str, where: str) -> SoilErodibility:
    """Return K of a soil.

    Parameters
    ----------
    soil
        A soil; texture may stand beside K or the nomograph's inputs (size rules of traps use it).
    units
        ``us`` or ``si``: the unit of ``soil.K``.
    where
        Path of the soil in the site file.

    Raises
    ------
    InputError
        If nothing, or more than one thing, gives K; if a value is out of its range; if the texture is not in the
        table or has no single value there.
    """
    nomograph = [name for name in _NOMOGRAPH if name != "organic_matter_pct" and getattr(soil, name) is not None]
    if soil.K is not None:
        if nomograph:
            raise input_error(
                "one-way-only", f"K and {', '.join(nomograph)} both give K; keep one of them", f"{where}.K"
            )
        return _beside_texture(_given(soil, units, where), soil, where)
    if nomograph:
        return _by_nomograph(soil, where)
    if soil.texture is not None:
        return texture_erodibility(soil.texture, soil.organic_matter_pct, where)
    raise input_error(
        "missing-K",
        "nothing gives K: add texture and organic_matter_pct, or K and K_source, or the nomograph's "
        f"{', '.join(_NOMOGRAPH)}",
        where,
    )


@lru_cache(maxsize=4096)
def texture_erodibility(texture: str, organic_matter_pct: float | None, where: str) -> SoilErodibility:
    """Return K by texture class and organic matter (Stewart et al. 1975).

    Parameters
    ----------
    texture
        USDA texture class.
    organic_matter_pct
        Organic matter, %; the table spans 0.5 to 4 %, and the end values hold outside it.
    where
        Path of the soil in the site file.

    Raises
    ------
    InputError
        If the texture is not in the table or is printed there as a range, or organic matter is missing.
    """
    row = table("k_by_texture").row(texture, where=f"{where}.texture")
    if row["k_om_2"] is None:
        raise input_error(
            "K-is-a-range",
            f"the table prints {row['k_low']:g}-{row['k_high']:g} for {row['texture']} and no single value; "
            "give K and K_source",
            f"{where}.texture",
        )
    if organic_matter_pct is None:
        message = "K by texture needs organic_matter_pct; add it"
        raise input_error("missing-field", message, f"{where}.organic_matter_pct")
    findings = []
    low, high = OM_TABLE_RANGE_PCT
    if not low <= organic_matter_pct <= high:
        findings.append(
            Finding(
                "organic-matter-outside-table",
                "warning",
                f"organic matter {organic_matter_pct:g} % is outside the table's {low:g}-{high:g} %; K is held at the "
                "end value",
                f"{where}.organic_matter_pct",
            )
        )
    if row["status"] == "recalled":
        findings.append(_recalled(f"K of {row['texture']}", row["source"], f"{where}.texture"))
    k = float(texture_k(organic_matter_pct, row["k_om_0_5"], row["k_om_2"], row["k_om_4"]))
    return SoilErodibility(k, "texture table", row["source"], row["status"], tuple(findings))


def _given(soil: "Soil", units: str, where: str) -> SoilErodibility:
    assert soil.K is not None
    if soil.K_source is None:
        raise input_error("missing-source", "K is given without K_source; add where it comes from", f"{where}.K_source")
    k = soil.K if units == "us" else soil.K / K_US_SI
    if k > K_UPPER_LIMIT:
        other = (
            f"; {soil.K:g} would be plausible in US customary units"
            if units == "si" and soil.K <= K_UPPER_LIMIT
            else ""
        )
        limit = K_UPPER_LIMIT if units == "us" else K_UPPER_LIMIT * K_US_SI
        message = f'K = {soil.K:g} is above {limit:.3g} (units = "{units}"); correct it{other}'
        raise input_error("K-out-of-range", message, f"{where}.K")
    return SoilErodibility(k, "given", soil.K_source, "given")


def _beside_texture(given: SoilErodibility, soil: "Soil", where: str) -> SoilErodibility:
    """Say where a K that is given goes before the table's for the texture beside it, and the two differ by half."""
    if soil.texture is None or soil.organic_matter_pct is None:
        return given
    table_k = texture_erodibility(soil.texture, soil.organic_matter_pct, where).K
    if 0.5 * table_k <= given.K <= 1.5 * table_k:
        return given
    message = (
        f"K = {given.K:.3g} ({given.source}) goes before the {table_k:.3g} that the table gives for {soil.texture} (US "
        "customary); check its unit and its source"
    )
    return replace(given, findings=(*given.findings, Finding("K-unlike-texture", "warning", message, f"{where}.K")))


def _by_nomograph(soil: "Soil", where: str) -> SoilErodibility:
    values: dict[str, float | None] = {name: getattr(soil, name) for name in _NOMOGRAPH}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        message = "the nomograph needs it beside the others; add it"
        raise InputError(Finding("missing-field", "error", message, f"{where}.{name}") for name in missing)
    silt_vfs, sand, organic_matter, structure, permeability = (float(v) for v in values.values() if v is not None)
    k = float(nomograph_k(silt_vfs, sand, organic_matter, structure, permeability))
    findings: tuple[Finding, ...] = ()
    if organic_matter > OM_CAP_PCT:
        findings = (
            Finding(
                "organic-matter-capped",
                "warning",
                f"organic matter {organic_matter:g} % is taken as {OM_CAP_PCT:g} %, the nomograph's limit",
                f"{where}.organic_matter_pct",
            ),
        )
    return SoilErodibility(k, "nomograph", "Wischmeier, Johnson and Cross 1971", "given", findings)


def _recalled(what: str, source: str, where: str) -> Finding:
    return Finding(
        "recalled-value",
        "warning",
        f"{what} is recalled from {source} and was not confirmed in a copy of it",
        where,
    )
