"""A county's annual erosivity R and EI zone: an agency's value first, then the estimates, with their range."""

import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sedcalc.findings import Finding, input_error
from sedcalc.tables import near_names, table

_REMEDY = "give R and ei_zone, each with its source"


@dataclass(frozen=True, slots=True)
class CountyErosivity:
    """Annual erosivity and EI zone of a county.

    Parameters
    ----------
    fips
        Five-digit county code.
    county, state
        Name, and postal abbreviation of the state.
    lat, lon
        Centroid, degrees north and east.
    R
        Annual erosivity, hundreds of ft tonf in/(ac h yr).
    R_low, R_high
        The range to carry to a ruling, same unit.
    ei_zone
        EI zone at the centroid; None outside Wisconsin, where it must be given.
    ei_zone_shares
        (zone, share of the county's area) for every zone the county touches; empty where `ei_zone` is None.
    basis
        ``"agency"``, or how the estimate was made.
    source, status
        Citation of R, and how it was obtained (see `sedcalc.tables.STATUSES`).
    findings
        What a reader must know about this R and zone.
    """

    fips: str
    county: str
    state: str
    lat: float
    lon: float
    R: float
    R_low: float
    R_high: float
    ei_zone: int | None
    ei_zone_shares: tuple[tuple[int, float], ...]
    basis: str
    source: str
    status: str
    findings: tuple[Finding, ...]


@lru_cache(maxsize=1024)
def resolve_county(county: str, where: str | None = None) -> CountyErosivity:
    """Return the annual erosivity and EI zone of a county of the conterminous United States.

    Parameters
    ----------
    county
        ``"Milwaukee, WI"``, ``"Milwaukee County, Wisconsin"`` or the five-digit FIPS code ``"55079"``. A name
        without a state is taken where only one county has it. ``"Baltimore city, MD"`` is the independent city.
    where
        Path of the field it came from, for messages and findings.

    Returns
    -------
    CountyErosivity
        With an agency's R where one is known, else Wisconsin's digitised map, else the estimate from gaged basins.

    Raises
    ------
    InputError
        Code ``unknown-state``, ``unknown-county`` or ``ambiguous-county`` with near names; ``county-r-west`` for a
        county west of 100 degrees W, where the estimate is too rough to use.

    Notes
    -----
    The Wisconsin values and the US values are estimates by this project, not an agency's tables; the findings say so.
    The range is county minimum less 10 to maximum plus 10 in Wisconsin, and the 90th percentile of the error of the
    estimate elsewhere.

    References
    ----------
    EPA 833-F-00-014, Fact Sheet 3.1 (rev. March 2012), Figures 1 and 2. USGS GAGES-II basin characteristics.

    Examples
    --------
    Digitised from Figure 1 of the fact sheet:

    >>> milwaukee = resolve_county("Milwaukee, WI")
    >>> milwaukee.R, milwaukee.ei_zone
    (115.0, 101)
    """
    row, state = _find(county, where)
    fips = row["fips"]
    wisconsin = next((r for r in table("wi_county_r").rows if r["fips"] == fips), None)
    agency = next((r for r in table("agency_r").rows if r["fips"] == fips), None)
    if wisconsin is not None:
        estimate = _from_map(wisconsin)
    elif agency is None and row["quality"] != "east":
        raise input_error(
            "county-r-west",
            f"{_label(row, state)} lies west of 100 degrees W, where R estimated from gaged basins is too rough to "
            f"use ({_error_figures(row)}); {_REMEDY}",
            where,
        )
    else:
        estimate = _from_basins(row, state)
    result = estimate if agency is None else _with_agency_value(estimate, agency)
    return replace(result, findings=tuple(replace(f, where=where) for f in result.findings))


def _from_map(row: dict[str, Any]) -> CountyErosivity:
    """Return Wisconsin's digitised value with its range, zone and findings."""
    margin = table("county_r_error").row("Wisconsin map")["margin"]
    R, low, high = row["R_us_centroid_ah703"], row["R_us_min_ah703"] - margin, row["R_us_max_ah703"] + margin
    shares = tuple(
        (int(zone), float(share)) for zone, share in (part.split(":") for part in row["ei_zone_shares"].split(";"))
    )
    name = f"{row['county']} County, WI"
    findings = [
        Finding(
            "county-r-estimate",
            "note",
            f"R = {R:g} of {name} is an estimate, not the agency's table ({row['source']}); the range carried to the "
            f"ruling is {low:.1f} to {high:.1f}. Give R with its source if the agency states one.",
        )
    ]
    if row["R_basis"].startswith("extrapolated"):
        findings.append(
            Finding(
                "county-r-extrapolated",
                "note",
                f"R = {R:g} of {name} is {row['R_basis']}, the last isoerodent of the map.",
            )
        )
    if len(shares) > 1:
        parts = " and ".join(f"{z} ({f'{s:.0%}' if s >= 0.01 else 'under 1%'} of its area)" for z, s in shares)
        findings.append(
            Finding(
                "county-two-ei-zones",
                "warning",
                f"{name} lies in EI zones {parts}; the zone at its centroid, {row['ei_zone_centroid']}, is used, and "
                f"the boundary runs {row['ei_boundary_km']:g} km from the centroid. Give ei_zone if the site lies in "
                "the other.",
            )
        )
    return CountyErosivity(
        fips=row["fips"],
        county=row["county"],
        state="WI",
        lat=row["lat"],
        lon=row["lon"],
        R=R,
        R_low=low,
        R_high=high,
        ei_zone=row["ei_zone_centroid"],
        ei_zone_shares=shares,
        basis=row["R_basis"],
        source=row["source"],
        status=row["status"],
        findings=tuple(findings),
    )


def _basin_error(row: dict[str, Any]) -> dict[str, Any]:
    return table("county_r_error").row(f"US {'east' if row['quality'] == 'east' else 'west'} of 100 W")


def _error_figures(row: dict[str, Any]) -> str:
    error = _basin_error(row)
    return f"median error {error['median_error_pct']:g} %, 90th percentile {error['p90_error_pct']:g} %"


def _from_basins(row: dict[str, Any], state: str) -> CountyErosivity:
    """Return the estimate from gaged basins with its range."""
    R, spread = row["R_us_est"], _basin_error(row)["p90_error_pct"] / 100
    low, high = R * (1 - spread), R * (1 + spread)
    return CountyErosivity(
        fips=row["fips"],
        county=row["county"],
        state=state,
        lat=row["lat"],
        lon=row["lon"],
        R=R,
        R_low=low,
        R_high=high,
        ei_zone=None,
        ei_zone_shares=(),
        basis=f"inverse distance from gaged basins, nearest {row['nearest_basin_km']:g} km",
        source=row["source"],
        status=row["status"],
        findings=(
            Finding(
                "county-r-estimate",
                "warning",
                f"R = {R:g} of {_label(row, state)} is a rough estimate ({row['source']}; {_error_figures(row)}); "
                f"the range carried to the ruling is {low:.1f} to {high:.1f}. Give R with its source if an agency "
                "states one.",
            ),
        ),
    )


def _with_agency_value(estimate: CountyErosivity, agency: dict[str, Any]) -> CountyErosivity:
    """Return the place with the agency's R; the digitised range stays where there is one (Wisconsin)."""
    R = agency["R_us"]
    on_map = estimate.ei_zone is not None
    note = Finding(
        "county-r-agency",
        "note",
        f"R = {R:g} of {agency['county']} County, {agency['state']} is an agency's value ({agency['source']}); "
        f"the estimate would be {estimate.R:g}, {estimate.R_low:.1f} to {estimate.R_high:.1f}.",
    )
    return replace(
        estimate,
        R=R,
        R_low=min(R, estimate.R_low) if on_map else R,
        R_high=max(R, estimate.R_high) if on_map else R,
        basis="agency",
        source=agency["source"],
        status=agency["status"],
        findings=(note, *(f for f in estimate.findings if f.code == "county-two-ei-zones")),
    )


def _find(county: str, where: str | None) -> tuple[dict[str, Any], str]:
    """Return the row of the county in the Wisconsin or the US table, and its state's abbreviation."""
    text = " ".join(county.split())
    if text.isdigit():
        return _find_fips(text, where)
    name, comma, state_text = text.rpartition(",") if "," in text else (text, "", "")
    state = _state(state_text, where) if comma else None
    counties = _counties(state)
    if not counties:
        raise input_error(
            "unknown-county",
            f"the county tables cover the conterminous states, not {county!r}; {_REMEDY}",
            where,
        )
    found = _named(name, counties)
    if len(found) == 1:
        return found[0], _abbreviation(found[0])
    labels = [_label(row, _abbreviation(row)) for row in found]
    if found:
        shown = "; ".join(labels[:12]) + (f" and {len(labels) - 12} more" if len(labels) > 12 else "")
        raise input_error(
            "ambiguous-county",
            f"{county!r} is the name of {len(found)} counties: {shown}; name one with its state, or by its FIPS code",
            where,
        )
    elsewhere = _named(name, _counties(None)) if state else []
    spelt: dict[str, list[dict[str, Any]]] = {}
    for row in counties:
        spelt.setdefault(_plain(row["county"]), []).append(row)
    alike = [row for n in near_names(_plain(_without_kind(name)[0]), list(spelt)) for row in spelt[n]]
    near = [_label(row, _abbreviation(row)) for row in [*alike, *elsewhere]][:8]
    hint = f"; near: {'; '.join(near)}" if near else ""
    raise input_error(
        "unknown-county",
        f"unknown county {county!r}{hint}; write 'Milwaukee, WI' or a five-digit FIPS code, or {_REMEDY}",
        where,
    )


def _find_fips(fips: str, where: str | None) -> tuple[dict[str, Any], str]:
    rows = _counties("WI") if fips.startswith("55") else _counties(None)
    row = next((r for r in rows if r["fips"] == fips), None)
    if row is not None:
        return row, _abbreviation(row)
    near = near_names(fips, [r["fips"] for r in rows])
    labels = "; ".join(_label(r, _abbreviation(r)) for r in rows if r["fips"] in near)
    hint = f"; near: {labels}" if labels else ""
    raise input_error(
        "unknown-county",
        f"unknown county code {fips!r}: the tables have the five-digit FIPS codes of the conterminous states{hint}; "
        f"or {_REMEDY}",
        where,
    )


def _state(text: str, where: str | None) -> str:
    """Return the postal abbreviation of a state given by abbreviation or name."""
    rows = table("states").rows
    wanted = _plain(text)
    for row in rows:
        if wanted in (_plain(row["abbreviation"]), _plain(row["name"])):
            return str(row["abbreviation"])
    names = {_plain(row["name"]): f"{row['name']} ({row['abbreviation']})" for row in rows}
    near = [names[n] for n in near_names(wanted, list(names))]
    hint = f"; near: {', '.join(near)}" if near else ""
    raise input_error(
        "unknown-state", f"unknown state {text.strip()!r}{hint}; `sedcalc tables states` lists all", where
    )


def _abbreviation(row: dict[str, Any]) -> str:
    return next(str(s["abbreviation"]) for s in table("states").rows if s["fips"] == row["fips"][:2])


def _counties(state: str | None) -> tuple[dict[str, Any], ...]:
    """Return the rows of a state's counties, or of all. Wisconsin has its own table: the large one stays unread."""
    if state == "WI":
        return table("wi_county_r").rows
    rows = table("us_county_r").rows
    if state is None:
        return rows
    code = table("states").row(state)["fips"]
    return tuple(r for r in rows if r["fips"].startswith(code))


def _independent_city(row: dict[str, Any]) -> bool:
    """Whether the row is a city outside any county: their codes begin at 510 within the state."""
    return int(row["fips"][2:]) >= 510


def _named(name: str, rows: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    """Return the rows of that name: as written ("Carson City"), else without "County", "Parish" or "city"."""
    written = [r for r in rows if _plain(r["county"]) == _plain(name)]
    bare, kind = _without_kind(name)
    if written or kind is None:
        return written
    return [r for r in rows if _plain(r["county"]) == _plain(bare) and _independent_city(r) == (kind == "city")]


def _without_kind(name: str) -> tuple[str, str | None]:
    bare, _, last = name.strip().rpartition(" ")
    kind = last.casefold()
    return (bare, kind) if bare and kind in ("county", "parish", "city") else (name, None)


def _plain(name: str) -> str:
    """Return a name for comparison: no case, accents, spaces or points, and St. for Saint."""
    text = unicodedata.normalize("NFKD", name).casefold().replace("saint ", "st ")
    return "".join(ch for ch in text if ch.isalnum())


def _label(row: dict[str, Any], state: str) -> str:
    city = " city" if _independent_city(row) and not row["county"].endswith("City") else ""
    return f"{row['county']}{city}, {state} ({row['fips']})"
