"""Particle classes of the sediment that a site's soils give off."""

from dataclasses import dataclass

from sedcalc.factors.sediment import PARTICLE_CLASSES, SEPARATES_TOLERANCE_PCT, sediment_classes
from sedcalc.findings import Finding
from sedcalc.site.submission import ByParticleClass, Soil

_FIELDS = tuple(name.replace(" ", "_") for name in PARTICLE_CLASSES)
_SUM_TOLERANCE = 0.005  # shares printed to two decimals


@dataclass(frozen=True, slots=True)
class SedimentClasses:
    """Particle classes of the sediment detached from a soil.

    Parameters
    ----------
    shares
        Share of each class in the order of `sedcalc.factors.sediment.PARTICLE_CLASSES`, adding to 1.
    source
        Where they come from.
    """

    shares: tuple[float, ...]
    source: str


def by_class(numbers: ByParticleClass) -> tuple[float, ...]:
    """Return the numbers of a table by particle class in the order of the classes."""
    return tuple(getattr(numbers, name) for name in _FIELDS)


def soil_classes(soil: Soil) -> SedimentClasses | None:
    """Return the particle classes of a soil's sediment, None where nothing gives them.

    Parameters
    ----------
    soil
        A soil without mistakes (`class_mistakes`).
    """
    if soil.particle_classes is not None:
        shares = by_class(soil.particle_classes)
        return SedimentClasses(tuple(s / sum(shares) for s in shares), soil.particle_classes.source)
    if soil.separates is not None:
        given = soil.separates
        found = sediment_classes(given.sand_pct, given.silt_pct, given.clay_pct)
        return SedimentClasses(tuple(found.tolist()), "Foster, Young and Neibling 1985, from sand, silt and clay")
    return None


def class_mistakes(soil: Soil, where: str) -> list[Finding]:
    """Return what is wrong with how a soil gives its particle classes: sums that are not whole.

    Parameters
    ----------
    soil
        A soil, possibly with fields that did not parse (None).
    where
        Its path in the site file.
    """
    found = []
    if soil.separates is not None:
        parts = [getattr(soil.separates, n) for n in ("sand_pct", "silt_pct", "clay_pct")]
        if None not in parts and abs(sum(parts) - 100.0) > SEPARATES_TOLERANCE_PCT:
            message = f"sand, silt and clay add to {sum(parts):g} %; they are all of the fine earth and add to 100"
            found.append(Finding("sum-not-whole", "error", message, f"{where}.separates"))
    if soil.particle_classes is not None:
        shares = by_class(soil.particle_classes)
        if None not in shares and abs(sum(shares) - 1.0) > _SUM_TOLERANCE:
            message = f"the shares of the particle classes add to {sum(shares):g}; they are all of the sediment: 1"
            found.append(Finding("sum-not-whole", "error", message, f"{where}.particle_classes"))
    return found
