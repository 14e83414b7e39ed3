"""Candidates for the factors of a row: other methods, rows of the tables, readings of dates, dimensions."""

import datetime
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np

from sedcalc.compliance.candidates import Candidate, solved
from sedcalc.compliance.comparison import ValueCheck
from sedcalc.factors.erodibility import OM_TABLE_RANGE_PCT, nomograph_k, texture_k
from sedcalc.factors.erosivity import daily_ei, ei_fraction, ei_fraction_table_dates
from sedcalc.factors.topography import (
    LAMBDA0_FT,
    MAX_LENGTH_FT,
    MAX_SLOPE_PCT,
    RATIOS,
    SHORT_LENGTH_FT,
    profile_ls,
    segmented_ls,
)
from sedcalc.findings import InputError
from sedcalc.load.load_table import SedimentLoad
from sedcalc.load.profiles import described_slope
from sedcalc.site.erosivity import zone_distribution
from sedcalc.site.location import resolve_county
from sedcalc.site.slopes import short_slope_rows
from sedcalc.site.submission import Segment, Soil
from sedcalc.tables import table
from sedcalc.units import FOOT_M, K_US_SI

LENGTH_SPAN: Final = 4.0
"""A slope length up to this many times longer or shorter than the stated one is a plausible other reading."""

SLOPE_SPAN: Final = 2.0
"""The same for steepness."""

_NEIGHBOURS_KM = 150.0
_EARTH_KM = 111.2  # one degree of latitude
_DAY = datetime.timedelta(days=1)
_SEARCHED = datetime.timedelta(days=730)
_DAYS_SLACK = 0.005  # relative: a day of a short period is more than its printed digits
_COUNTY_R = {"agency_r": "R_us", "wi_county_r": "R_us_centroid_ah703", "us_county_r": "R_us_est"}
_METHODS = {
    "usle": "the USLE's LS (Agriculture Handbook 537)",
    "mccool+ah537": "S of RUSLE with the exponent of Agriculture Handbook 537",
    "ah537+rusle": "S of Agriculture Handbook 537 with the exponent of RUSLE",
    "nearing+rusle": "S of Nearing 1997 with the exponent of RUSLE",
    "rusle": "LS of RUSLE (Agriculture Handbook 703)",
}


def factor_candidates(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    """Yield candidates for a claimed factor of a row.

    Parameters
    ----------
    load
        The calculation.
    check
        The claim of a row's R, ei_fraction, K, LS, C, P, acres or efficiency; other quantities have none here.
    """
    find = {
        "R": _erosivity,
        "ei_fraction": _share,
        "K": _erodibility,
        "LS": _topography,
        "C": _cover,
        "P": _surface,
        "acres": _acres,
        "efficiency": _efficiency,
    }.get(check.quantity)
    if find is not None:
        yield from find(load, check)


def _row(load: SedimentLoad, check: ValueCheck) -> dict[str, Any]:
    assert check.row is not None
    return {name: values[check.row] for name, values in load.columns.items()}


def _of_other_rows(load: SedimentLoad, check: ValueCheck, words: str) -> Iterator[Candidate]:
    """Yield the values of other ground, for claims that stand in the wrong row."""
    own = load.columns["unit"][check.row] if check.row is not None else None
    for unit, value in zip(load.columns["unit"], load.columns[check.quantity], strict=True):
        if unit != own and value is not None:
            yield Candidate(words.format(repr(unit)), value)


def _erosivity(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    erosivity, county = load.erosivity, load.site.location.county
    place = resolve_county(county) if county is not None else None
    yield from _part_of_a_year(load, check)
    if place is not None:
        yield Candidate(f"R of {place.county} County by the map or the agency's table", place.R)
        for code, column in _COUNTY_R.items():
            for row in table(code).rows:
                if row["fips"] == place.fips and row[column] is not None:
                    yield Candidate(f"R of {place.county} County in the table {code}", row[column])
    others = [] if place is None else _other_counties(place.fips, place.lat, place.lon)
    counties = [(km, Candidate(f"R of {name} County, {km:.0f} km away,", value)) for km, name, value in others]
    yield from (c for km, c in counties if km <= _NEIGHBOURS_KM)
    low, high = erosivity.R_low, erosivity.R_high
    for end, name in ((low, "low"), (high, "high")):
        if end is not None:
            yield Candidate(f"the {name} end of R's range", end)
    assert isinstance(check.claimed, float)
    if low is not None and high is not None and low <= check.claimed <= high:
        yield Candidate(f"an R within its plausible range, {low:.0f} to {high:.0f},", check.claimed)
    yield from (c for km, c in counties if km > _NEIGHBOURS_KM)
    if erosivity.R is not None and check.claimed < erosivity.R:
        for words in _other_dates(load, *_days_of(load, check), check.claimed / erosivity.R):
            yield Candidate(f"R of {words}, taken for the annual R,", check.claimed)


def _days_of(load: SedimentLoad, check: ValueCheck) -> tuple[datetime.date, datetime.date]:
    """Return the first and last day of the row, or of the project."""
    if check.row is None:
        return load.schedule.first_day, load.schedule.last_day
    return load.columns["start"][check.row], load.columns["end"][check.row]


def _part_of_a_year(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    """Yield the R of the row's period, or of the project's, where the annual one is asked for."""
    start, end = _days_of(load, check)
    annual, curve = load.erosivity.R, load.erosivity.cumulative_pct
    if annual is None:
        return
    period = "the period" if check.row is not None else "the project"
    share = float(ei_fraction(start, end, curve))
    yield Candidate(f"R of {period} (its share {share:.3g} multiplied in) instead of the annual R", annual * share)
    with suppress(InputError):  # over a year: the rule does not reach
        by_rule = ei_fraction_table_dates(start, end, curve).fraction
        yield Candidate(f"R of {period} by the rule of table dates instead of the annual R", annual * by_rule)
    days = (end - start).days + 1
    yield Candidate(f"R times the days of {period} / 365 instead of the annual R", annual * days / 365.0)


def _other_dates(load: SedimentLoad, start: datetime.date, end: datetime.date, share: float) -> Iterator[str]:
    """Yield a period of the same start, and one of the same end, with that share of the annual erosivity."""
    curve = load.erosivity.cumulative_pct
    ahead = np.cumsum(np.asarray(daily_ei(start, start + _SEARCHED, curve)))
    back = np.cumsum(np.asarray(daily_ei(end - _SEARCHED, end, curve))[::-1])
    for sums, first in ((ahead, True), (back, False)):
        k = int(np.argmin(np.abs(sums - share)))
        if abs(float(sums[k]) - share) <= _DAYS_SLACK * share:
            yield f"{start} to {start + k * _DAY}" if first else f"{end - k * _DAY} to {end}"


def _other_counties(fips: str, lat: float, lon: float) -> list[tuple[float, str, float]]:
    """Return distance, name and R of other counties of the state and of those nearby, nearest first."""
    code = "wi_county_r" if fips.startswith("55") else "us_county_r"
    found = []
    for row in table(code).rows:
        east = (row["lon"] - lon) * math.cos(math.radians(lat))
        km = _EARTH_KM * math.hypot(row["lat"] - lat, east)
        if row["fips"] != fips and (km <= _NEIGHBOURS_KM or row["fips"][:2] == fips[:2]):
            found.append((km, str(row["county"]), float(row[_COUNTY_R[code]])))
    return sorted(found)


def _share(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    row = _row(load, check)
    start, end, curve = row["start"], row["end"], load.erosivity.cumulative_pct
    with suppress(InputError):  # over a year: the rule does not reach
        by_rule = ei_fraction_table_dates(start, end, curve).fraction
        yield Candidate("the rule of table dates (from the one before to the one after)", by_rule)
    county = load.site.location.county
    own = [z for z, _ in resolve_county(county).ei_zone_shares] if county is not None else []
    yield from _zones(load, start, end, own)
    if start < end:
        yield Candidate("a period without its last day", float(ei_fraction(start, end - _DAY, curve)))
        yield Candidate("a period without its first day", float(ei_fraction(start + _DAY, end, curve)))
    days = (end - start).days + 1
    yield Candidate("days / 365 instead of the share of erosivity", days / 365.0)
    yield Candidate("the whole year instead of the period", 1.0)
    yield from _zones(load, start, end, [int(r["ei_zone"]) for r in table("ei_distribution").rows if not own])
    assert isinstance(check.claimed, float)
    for words in _other_dates(load, start, end, check.claimed):
        yield Candidate(f"the share of {words}", check.claimed)
    yield from _zones(load, start, end, [int(r["ei_zone"]) for r in table("ei_distribution").rows])


def _zones(load: SedimentLoad, start: datetime.date, end: datetime.date, zones: Sequence[int]) -> Iterator[Candidate]:
    for zone in zones:
        if zone != load.erosivity.ei_zone:
            value = float(ei_fraction(start, end, zone_distribution(zone)[0]))
            yield Candidate(f"EI zone {zone} instead of {load.erosivity.ei_zone}", value)


def _soil(load: SedimentLoad, check: ValueCheck) -> Soil | None:
    name = _row(load, check)["soil"]
    return next((s for s in load.site.soils if s.id == name), None)


def _erodibility(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    yield from _of_other_rows(load, check, "the soil of ground unit {}")
    soil = _soil(load, check)
    if soil is None:
        return
    for row in table("k_by_texture").rows:
        if row["k_om_2"] is None:
            continue
        columns = (row["k_om_0_5"], row["k_om_2"], row["k_om_4"])
        if row["texture"] == soil.texture:
            matter = np.linspace(*OM_TABLE_RANGE_PCT, 36)
            values = np.asarray(texture_k(matter, *columns))
            yield from solved(
                check,
                matter,
                values,
                (1.0, 0.5, 0.1),
                f"K by the texture table at {{}} % organic matter ({soil.texture})",
            )
    for row in table("k_by_texture").rows:
        if row["k_om_2"] is not None and row["texture"] != soil.texture:
            for matter_pct, column in ((0.5, "k_om_0_5"), (2.0, "k_om_2"), (4.0, "k_om_4")):
                yield Candidate(f"{row['texture']} at {matter_pct:g} % organic matter", row[column])
            if soil.organic_matter_pct is not None:
                k = float(texture_k(soil.organic_matter_pct, row["k_om_0_5"], row["k_om_2"], row["k_om_4"]))
                yield Candidate(f"{row['texture']} instead of {soil.texture or 'the stated soil'}", k)
    if soil.silt_vfs_pct is not None:
        yield from _other_classes(soil)
    if soil.K is not None and load.site.units == "si":
        yield Candidate("K as given, not converted to US customary units,", soil.K)
        yield Candidate("K converted twice", soil.K / K_US_SI**2)


def _other_classes(soil: Soil) -> Iterator[Candidate]:
    given = (soil.silt_vfs_pct, soil.sand_pct, soil.organic_matter_pct)
    silt_vfs, sand, matter = (float(v or 0.0) for v in given)
    for structure in range(1, 5):
        for permeability in range(1, 7):
            if (structure, permeability) != (soil.structure, soil.permeability):
                k = float(nomograph_k(silt_vfs, sand, matter, structure, permeability))
                yield Candidate(f"the nomograph with structure {structure} and permeability {permeability}", k)


def _topography(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    assert check.row is not None
    site = load.site
    if site.grid is not None:
        return
    span = load.schedule.spans[load.ground.rows.span[check.row]]
    slope, _ = described_slope(site, span.unit, span.slope_phase)
    foot = 1.0 if site.units == "us" else FOOT_M
    own, method = site.topography.ratio, site.topography.method
    if slope.segments is None:
        assert slope.length is not None
        assert slope.slope_pct is not None
        length, pct = slope.length / foot, slope.slope_pct
    else:
        length = sum(s.length for s in slope.segments) / foot
        pct = sum(s.length * s.slope_pct for s in slope.segments) / foot / length
        yield Candidate("the mean slope over the whole length", _ls(pct, length, own, method))
        steepest = max(s.slope_pct for s in slope.segments)
        yield Candidate("the steepest segment's slope over the whole length", _ls(steepest, length, own, method))
    if slope.segments is None:
        for ratio in RATIOS:
            if ratio != own and length >= SHORT_LENGTH_FT:
                yield Candidate(f"a {ratio} ratio of rill to interrill erosion", _ls(pct, length, ratio, method))
        for other, words in _METHODS.items():
            if other != method and length >= SHORT_LENGTH_FT:
                yield Candidate(words, _ls(pct, length, own, other))
        for words, other_pct, other_length in (
            (f"{pct:g} degrees instead of percent", 100.0 * math.tan(math.radians(min(pct, 80.0))), length),
            (f"{pct:g}:1 (horizontal to vertical) instead of percent", 100.0 / pct if pct > 0.0 else 0.0, length),
            (f"{100.0 * pct:g} % (the slope stated as the fraction {pct:g})", 100.0 * pct, length),
            (f"{pct / 100.0:g} % (a fraction where {pct:g} % is stated)", pct / 100.0, length),
            ("the length in metres taken for feet", pct, length * FOOT_M),
            ("the length in feet taken for metres", pct, length / FOOT_M),
        ):
            if SHORT_LENGTH_FT <= other_length <= MAX_LENGTH_FT and other_pct <= MAX_SLOPE_PCT:
                yield Candidate(words, _ls(other_pct, other_length, own, method))
        yield Candidate(f"S alone (a length of {LAMBDA0_FT:g} ft)", _ls(pct, LAMBDA0_FT, own, method))
    if slope is not site.ground_units[span.unit]:
        before = site.ground_units[span.unit]
        if before.segments is None and before.length is not None and before.slope_pct is not None:
            yield Candidate("the slope before grading", _ls(before.slope_pct, before.length / foot, own, method))
    yield from _of_other_rows(load, check, "the slope of ground unit {}")
    if slope.segments is not None:
        yield from _scaled_segments(load, check, slope.segments, foot)
    lengths = np.geomspace(max(length / LENGTH_SPAN, SHORT_LENGTH_FT), min(length * LENGTH_SPAN, MAX_LENGTH_FT), 400)
    if slope.segments is None and lengths[0] < lengths[-1]:
        values = np.asarray(profile_ls(pct, lengths, own, method).LS)
        yield from solved(check, lengths, values, (50.0, 10.0, 5.0, 1.0), "a length of {} ft")
        slopes = np.geomspace(max(pct, 0.1) / SLOPE_SPAN, min(max(pct, 0.1) * SLOPE_SPAN, MAX_SLOPE_PCT), 400)
        if length >= SHORT_LENGTH_FT:
            values = np.asarray(profile_ls(slopes, length, own, method).LS)
            yield from solved(check, slopes, values, (5.0, 1.0, 0.5, 0.1), "a slope of {} %")


def _scaled_segments(
    load: SedimentLoad, check: ValueCheck, segments: Sequence[Segment], foot: float
) -> Iterator[Candidate]:
    """Yield other ratios and methods, and all segments longer or shorter, steeper or flatter by one factor."""
    own, method = load.site.topography.ratio, load.site.topography.method
    pct = np.array([s.slope_pct for s in segments])
    feet = np.array([s.length for s in segments]) / foot
    whole = float(feet.sum())
    for ratio in RATIOS:
        if ratio != own:
            yield Candidate(
                f"a {ratio} ratio of rill to interrill erosion", float(segmented_ls(pct, feet, ratio, method).LS)
            )
    for other, words in _METHODS.items():
        if other != method:
            yield Candidate(words, float(segmented_ls(pct, feet, own, other).LS))
    scale = np.geomspace(max(1.0 / LENGTH_SPAN, SHORT_LENGTH_FT / whole), min(LENGTH_SPAN, MAX_LENGTH_FT / whole), 400)
    values = np.asarray(segmented_ls(pct, scale[:, None] * feet, own, method).LS)
    words = f"the segments lengthened or shortened alike from {whole:g} to {{}} ft in all"
    yield from solved(check, scale * whole, values, (50.0, 10.0, 5.0, 1.0), words)
    steepest = float(pct.max())
    if steepest > 0.0:
        scale = np.geomspace(1.0 / SLOPE_SPAN, min(SLOPE_SPAN, MAX_SLOPE_PCT / steepest), 400)
        values = np.asarray(segmented_ls(scale[:, None] * pct, feet, own, method).LS)
        words = f"the segments steeper or flatter alike, the steepest {{}} % instead of {steepest:g} %,"
        yield from solved(check, scale * steepest, values, (5.0, 1.0, 0.5, 0.1), words)


def _ls(slope_pct: float, length_ft: float, ratio: str, method: str) -> float:
    short = short_slope_rows() if ratio == "high" and method == "rusle" else None
    return float(profile_ls(slope_pct, length_ft, ratio, method, short_rows=short).LS)


def _cover(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    for phase in load.site.phases:
        if phase.cover.C is not None:
            yield Candidate(f"the cover of phase {phase.id!r}", phase.cover.C)
    for row in table("covers").rows:
        yield Candidate(f"cover {row['cover']!r}", row["c"])


def _surface(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    yield Candidate("no surface condition or support practice", 1.0)
    for row in table("support_p").rows:
        yield Candidate(f"surface {row['surface']!r}", row["p"])


def _acres(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    yield from _of_other_rows(load, check, "the area of ground unit {}")
    row = _row(load, check)
    units: dict[str, float] = {}
    for unit, area, acres in zip(*(load.columns[n] for n in ("unit", "drainage_area", "acres")), strict=True):
        if area == row["drainage_area"]:
            units[unit] = acres
    yield Candidate("the whole drainage area instead of the ground unit", sum(units.values()))


def _efficiency(load: SedimentLoad, check: ValueCheck) -> Iterator[Candidate]:
    assert check.row is not None
    area = int(load.ground.pieces.drainage_area[load.ground.rows.piece[check.row]])
    routes = load.network.routes[area]
    practices = list(dict.fromkeys(p for route in routes for p in route.practices))
    for number in practices:
        efficiency = load.network.credits[number].efficiency
        yield Candidate(f"practice {load.site.practices[number].id!r} alone, on every day", efficiency)
    for route in routes:
        credits = [load.network.credits[p].efficiency for p in route.practices]
        yield Candidate("the sum of the efficiencies in series", sum(credits))
        yield Candidate("all practices in series, on every day", 1.0 - math.prod(1.0 - e for e in credits))
    if isinstance(check.computed, float):
        yield Candidate("the share that passes instead of the share trapped", 1.0 - check.computed)
    yield Candidate("no practice", 0.0)
    kinds = {load.site.practices[p].kind for p in practices} - {None}
    for row in sorted(table("trapping").rows, key=lambda r: r["practice"] not in kinds):
        for end in ("low", "typical", "high"):
            if row[f"efficiency_{end}"] is not None:
                words = f"{row['name']!r} ({end}, {row['status']}) of the table `trapping`"
                yield Candidate(words, row[f"efficiency_{end}"])
