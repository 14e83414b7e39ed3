"""Erosivity of a site's location: annual R with its plausible range, and the distribution over the year."""

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sedcalc.findings import Finding, InputError
from sedcalc.site.location import CountyErosivity, resolve_county
from sedcalc.tables import table
from sedcalc.units import R_US_SI

if TYPE_CHECKING:
    from sedcalc.site.submission import Location

# Annual erosivity of the conterminous US runs from under 10 in the desert to about 700 on the Gulf coast (AH703,
# Figure 2-1); beyond these bounds a value is in the other unit system or a slip.
R_RANGE_US = (1.0, 1200.0)


@dataclass(frozen=True, slots=True)
class SiteErosivity:
    """Annual erosivity and its distribution at a site.

    Parameters
    ----------
    R
        Annual erosivity, hundreds of ft tonf in/(ac h yr); None where an R raster gives it.
    R_low, R_high
        Its plausible range, the same unit; None where none is stated.
    source, status
        Citation of R, and ``seen``, ``derived`` or ``given``.
    ei_zone
        EPA EI zone; None with a distribution of the site's own.
    cumulative_pct
        Cumulative percent of annual EI at the 25 table dates.
    ei_source
        Citation of the distribution.
    findings
        What a reviewer must know about them.
    """

    R: float | None
    R_low: float | None
    R_high: float | None
    source: str
    status: str
    ei_zone: int | None
    cumulative_pct: tuple[float, ...]
    ei_source: str
    findings: tuple[Finding, ...] = ()


def site_erosivity(location: "Location", units: str, *, r_raster: bool = False) -> SiteErosivity:
    """Return annual R and the EI distribution of a location.

    Parameters
    ----------
    location
        County, or EI zone (or a distribution) and R with its source. What is given goes before what the county's
        row says.
    units
        ``us`` or ``si``: the unit of ``location.R``.
    r_raster
        Whether a raster gives R, so that none is needed here.

    Raises
    ------
    InputError
        With every mistake found: neither county nor R, R without a source or out of range, an unknown county, a
        county outside the tables' reach, no EI zone.
    """
    mistakes: list[Finding] = []
    county: CountyErosivity | None = None
    if location.county is not None:
        try:
            county = resolve_county(location.county, "location.county")
        except InputError as error:
            mistakes += error.findings
    R, low, high = _given_r(location, units, mistakes)
    findings: list[Finding] = []
    source, status = location.R_source or "", "given"
    if R is None and county is not None and not r_raster:
        R, low, high = county.R, county.R_low, county.R_high
        source, status = county.source, county.status
        findings += [f for f in county.findings if location.ei_zone is None or "zone" not in f.code]
    elif R is None and location.county is None and not r_raster:
        mistakes.append(
            Finding("missing-R", "error", "nothing gives R: add county, or R with R_source and ei_zone", "location.R")
        )
    zone, cumulative, ei_source = _distribution(location, county, mistakes)
    if county is not None and location.R is not None and location.ei_zone is None:
        findings += [f for f in county.findings if "zone" in f.code]
    if mistakes:
        raise InputError(mistakes)
    if county is not None:
        findings += _against_county(location, R, county)
    return SiteErosivity(R, low, high, source, status, zone, cumulative, ei_source, tuple(findings))


def _against_county(location: "Location", R: float | None, county: CountyErosivity) -> list[Finding]:
    """Say where what is given goes before the county's own value and contradicts it."""
    found = []
    if location.R is not None and R is not None and not county.R_low <= R <= county.R_high:
        message = (
            f"R = {R:.0f} goes before the county's {county.R:.0f} and lies outside its range of {county.R_low:.0f} to "
            f"{county.R_high:.0f} (US customary); its source decides: {location.R_source}"
        )
        found.append(Finding("R-outside-county-range", "warning", message, "location.R"))
    zones = {zone for zone, _ in county.ei_zone_shares}
    if location.ei_zone is not None and zones and location.ei_zone not in zones:
        message = (
            f"EI zone {location.ei_zone} goes before the county's zone {', '.join(str(z) for z in sorted(zones))}; "
            "remove ei_zone unless the site lies elsewhere"
        )
        found.append(Finding("ei-zone-not-the-countys", "warning", message, "location.ei_zone"))
    return found


@lru_cache(maxsize=1024)
def zone_distribution(zone: int, where: str | None = None) -> tuple[tuple[float, ...], str]:
    """Return the cumulative percents of an EI zone at the 25 table dates, and their source.

    Parameters
    ----------
    zone
        EPA EI zone, 1 to 140.
    where
        Path of the field it came from.
    """
    row = table("ei_distribution").row(zone, where=where)
    return tuple(value for name, value in row.items() if name.startswith("d") and name[1:3].isdigit()), row["source"]


def _given_r(
    location: "Location", units: str, mistakes: list[Finding]
) -> tuple[float | None, float | None, float | None]:
    scale = 1.0 if units == "us" else 1.0 / R_US_SI
    for name in ("R", "R_low", "R_high"):
        value = getattr(location, name)
        if value is None:
            continue
        other = value / R_US_SI if units == "us" else value
        if not R_RANGE_US[0] <= value * scale <= R_RANGE_US[1]:
            swapped = 'plausible in SI units; write units = "si" or convert' if units == "us" else "a US value"
            hint = f" ({value:g} would be {swapped})" if R_RANGE_US[0] <= other <= R_RANGE_US[1] else ""
            least, most = (r / scale for r in R_RANGE_US)
            message = f'{name} = {value:g} is outside {least:,.0f} to {most:,.0f} (units = "{units}"); correct it{hint}'
            mistakes.append(Finding("R-out-of-range", "error", message, f"location.{name}"))
    R, low, high = (None if v is None else v * scale for v in (location.R, location.R_low, location.R_high))
    if R is not None and location.R_source is None:
        mistakes.append(
            Finding(
                "missing-source", "error", "R is given without R_source; add where it comes from", "location.R_source"
            )
        )
    if R is None and (low is not None or high is not None):
        mistakes.append(
            Finding("unused-field", "error", "R_low and R_high go with R; add it, or remove them", "location")
        )
    if R is not None and not (low if low is not None else R) <= R <= (high if high is not None else R):
        mistakes.append(
            Finding(
                "R-range-reversed", "error", "R_low, R and R_high must rise in this order; correct them", "location.R"
            )
        )
    return R, low, high


def _distribution(
    location: "Location", county: CountyErosivity | None, mistakes: list[Finding]
) -> tuple[int | None, tuple[float, ...], str]:
    own = location.ei_distribution
    if own is not None:
        if location.ei_zone is not None:
            mistakes.append(
                Finding("one-way-only", "error", "ei_zone and ei_distribution are given together; keep one", "location")
            )
        steps = own.cumulative_pct
        falls = any(b < a for a, b in itertools.pairwise(steps))
        if steps and (steps[0] != 0 or steps[-1] != 100 or falls):
            mistakes.append(
                Finding(
                    "bad-distribution",
                    "error",
                    f"correct the cumulative percents, which rise from 0 to 100: not {steps[0]:g} to {steps[-1]:g}"
                    + (" and fall in between" if falls else ""),
                    "location.ei_distribution.cumulative_pct",
                )
            )
        return None, own.cumulative_pct, own.source
    zone = location.ei_zone if location.ei_zone is not None else county.ei_zone if county is not None else None
    if zone is None:
        if location.county is None or county is not None:
            place = (
                f"outside Wisconsin a county ({location.county}) does not give the EI zone" if county else "no EI zone"
            )
            mistakes.append(
                Finding(
                    "missing-ei-zone",
                    "error",
                    f"{place}; add ei_zone from the map in EPA Fact Sheet 3.1, Figure 2",
                    "location.ei_zone",
                )
            )
        return None, (), ""
    try:
        return zone, *zone_distribution(zone, "location.ei_zone")
    except InputError as error:
        mistakes += error.findings
        return None, (), ""
