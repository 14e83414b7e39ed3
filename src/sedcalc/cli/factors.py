"""``sedcalc r``, ``k`` and ``ls``: a factor by itself, with its source. They load numpy and nothing heavier."""

import datetime
import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

from sedcalc.cli.output import json_option, print_json, print_reasons, write
from sedcalc.findings import Finding, input_error

_Command = TypeVar("_Command", bound=Callable[..., Any])


def number(text: str) -> float:
    """Return the finite number that an option says."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise click.BadParameter(f"{text!r} is not a finite number")
    return value


def iso_date(text: str) -> datetime.date:
    """Return the date that an option says."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a date of the calendar written YYYY-MM-DD") from None


def number_option(name: str, metavar: str, help: str, **settings: Any) -> Callable[[_Command], _Command]:
    """Return an option that takes a finite number.

    Parameters
    ----------
    name, metavar, help
        Of the option.
    **settings
        Passed to `click.option`.
    """
    return click.option(name, type=number, metavar=metavar, help=help, **settings)


@click.command()
@click.option("--county", metavar="NAME", help="'Milwaukee, WI' or a five-digit FIPS code.")
@click.option("--zone", type=int, metavar="N", help="EPA EI zone, 1 to 140; goes before the county's.")
@number_option("--annual-r", "R", "Annual R, hundreds of ft tonf in/(ac h yr), instead of a county.")
@click.option("--start", type=iso_date, metavar="DATE", help="First day of the period.")
@click.option("--end", type=iso_date, metavar="DATE", help="Last day of the period.")
@click.option(
    "--dates",
    type=click.Choice(["interpolate", "table"]),
    default="interpolate",
    show_default=True,
    help="Linear between the table's dates, or its dates that enclose the period (EPA's waiver).",
)
@json_option
def r(
    county: str | None,
    zone: int | None,
    annual_r: float | None,
    start: datetime.date | None,
    end: datetime.date | None,
    dates: str,
    as_json: bool,
) -> int:
    """Erosivity R of a place, and of a period.

    Give --county, or --zone and --annual-r; with --start and --end also the period's share of the annual R.
    """
    found = _annual(county, annual_r)
    findings: list[Finding] = found.pop("findings")
    if zone is not None:
        if found["ei_zone"] != zone:
            findings = [f for f in findings if f.code != "county-two-ei-zones"]
        found["ei_zone"] = zone
    found |= _period(found["ei_zone"], start, end, dates)
    fraction = found["ei_fraction"]
    found["R_period"] = None if fraction is None else found["R_annual"] * fraction
    if fraction is None:
        findings.append(Finding("no-period", "note", "no --start and --end: R is given for the year only", "R_period"))
    elif fraction == 0.0:
        message = "the period holds no rain erosivity; snowmelt and thaw are outside the method"
        findings.append(Finding("no-erosivity", "warning", message, "ei_fraction"))
    text = f"R {found['R_annual']:.4g} hundreds of ft tonf in/(ac h yr)\n"
    if found["R_low"] is not None:
        text += f"  plausible range {found['R_low']:.4g} to {found['R_high']:.4g}\n"
    text += f"  source: {found['source']}\n"
    if fraction is not None:
        text += (
            f"EI zone {found['ei_zone']}, {found['start']} to {found['end']}: {100.0 * fraction:.4g} % of the year\n"
            f"  source: {found['ei_source']}\n"
            f"R of the period {found['R_period']:.1f} ({found['R_period']:.6g})\n"
        )
    return _answer("sedcalc.r/1", found, findings, text, as_json)


@click.command()
@click.option("--texture", metavar="NAME", help="USDA texture class, with --om.")
@number_option("--om", "PCT", "Organic matter, %.")
@number_option("--silt-vfs", "PCT", "Silt and very fine sand, %.")
@number_option("--sand", "PCT", "Sand 0.10-2 mm, %.")
@click.option("--structure", type=int, metavar="1..4", help="Structure class.")
@click.option("--permeability", type=int, metavar="1..6", help="Permeability class.")
@json_option
def k(
    texture: str | None,
    om: float | None,
    silt_vfs: float | None,
    sand: float | None,
    structure: int | None,
    permeability: int | None,
    as_json: bool,
) -> int:
    """Erodibility K: by texture and organic matter, or by the nomograph.

    Give --texture and --om, or --silt-vfs, --sand, --om, --structure and --permeability.
    """
    nomograph = {"--silt-vfs": silt_vfs, "--sand": sand, "--structure": structure, "--permeability": permeability}
    given = [name for name, value in nomograph.items() if value is not None]
    if (texture is None) == (not given):
        ways = "--texture and --om, or the nomograph's --silt-vfs, --sand, --om, --structure and --permeability"
        said = "give" if texture is None else f"--texture stands beside {', '.join(given)}; give"
        raise input_error("one-way-only", f"{said} {ways}", "command line")
    if texture is not None:
        from sedcalc.site.soils import texture_erodibility

        soil = texture_erodibility(texture, om, "soil")
        found = {"K": soil.K, "method": soil.method, "source": soil.source, "status": soil.status}
        return _k_answer(found, list(soil.findings), as_json)
    missing = [name for name, value in {**nomograph, "--om": om}.items() if value is None]
    if missing:
        raise input_error("missing-option", f"the nomograph also needs {', '.join(missing)}", "command line")
    from sedcalc.factors.erodibility import OM_CAP_PCT, nomograph_k

    assert silt_vfs is not None
    assert sand is not None
    assert om is not None
    assert structure is not None
    assert permeability is not None
    findings = []
    if om > OM_CAP_PCT:
        message = f"organic matter {om:g} % is taken as {OM_CAP_PCT:g} %, the nomograph's limit"
        findings.append(Finding("organic-matter-capped", "warning", message, "om"))
    found = {
        "K": nomograph_k(silt_vfs, sand, om, structure, permeability),
        "method": "nomograph",
        "source": "Wischmeier, Johnson and Cross 1971",
        "status": "seen",
    }
    return _k_answer(found, findings, as_json)


@click.command()
@number_option("--slope", "PCT", "Steepness, %.", required=True)
@number_option("--length", "FT", "Horizontal slope length, ft.", required=True)
@click.option(
    "--ratio",
    type=click.Choice(["low", "moderate", "high"]),
    default="high",
    show_default=True,
    help="Rill to interrill erosion; high for freshly graded ground.",
)
@click.option("--method", metavar="rusle|usle", default="rusle", show_default=True, help="Slope equations.")
@json_option
def ls(slope: float, length: float, ratio: str, method: str, as_json: bool) -> int:
    """Slope length and steepness LS of a uniform slope."""
    from sedcalc.factors.topography import LONG_LENGTH_FT, profile_ls
    from sedcalc.site.slopes import short_slope_rows

    result = profile_ls(slope, length, ratio, method, short_rows=short_slope_rows())
    findings = []
    if length > LONG_LENGTH_FT:
        message = f"{length:,.4g} ft is over {LONG_LENGTH_FT:g} ft; sheet flow rarely runs so far"
        findings.append(Finding("long-slope", "warning", message, "length"))
    if result.short:
        message = "LS under 15 ft rests on the 3-ft column of AH703 Table 4-3, recalled and not confirmed in a copy"
        findings.append(Finding("short-slope", "warning", message, "length"))
    if result.hybrid:
        message = f"method {method!r} joins the S of one publication with the m of another"
        findings.append(Finding("hybrid-method", "warning", message, "method"))
    found: dict[str, Any] = {
        "LS": result.LS,
        "L": result.L,
        "S": result.S,
        "m": result.m,
        "method": result.method,
        "ratio": result.ratio,
        "source": "USDA Agriculture Handbook 537" if method == "usle" else "USDA Agriculture Handbook 703, chapter 4",
    }
    text = f"LS {result.LS:.3f} = L {result.L:.3f} x S {result.S:.3f}, m {result.m:.3f}\n  method {result.method}" + (
        "" if result.ratio is None else f", {result.ratio} rill to interrill ratio"
    )
    return _answer("sedcalc.ls/1", found, findings, f"{text}\n  source: {found['source']}\n", as_json)


COMMANDS = (r, k, ls)


def _annual(county: str | None, annual_r: float | None) -> dict[str, Any]:
    """Return R of the year, its range, zone and source, with what was found."""
    if (county is None) == (annual_r is None):
        said = "give --county, or --zone and --annual-r" + ("" if county is None else "; not both")
        raise input_error("one-way-only", said, "command line")
    if county is not None:
        from sedcalc.site.location import resolve_county

        place = resolve_county(county, "--county")
        return {
            "R_annual": place.R,
            "R_low": place.R_low,
            "R_high": place.R_high,
            "source": place.source,
            "status": place.status,
            "ei_zone": place.ei_zone,
            "findings": list(place.findings),
        }
    from sedcalc.site.erosivity import R_RANGE_US

    assert annual_r is not None
    low, high = R_RANGE_US
    if not low <= annual_r <= high:
        message = f"{annual_r:g} is outside {low:g} to {high:,g} hundreds of ft tonf in/(ac h yr)"
        raise input_error("R-out-of-range", message, "--annual-r")
    empty: dict[str, Any] = {"R_low": None, "R_high": None, "ei_zone": None, "findings": []}
    return {"R_annual": annual_r, "source": "given on the command line", "status": "given", **empty}


def _period(zone: int | None, start: datetime.date | None, end: datetime.date | None, dates: str) -> dict[str, Any]:
    """Return the share of the annual erosivity in a period, where one is asked for."""
    if (start is None) != (end is None):
        raise input_error("missing-option", "--start and --end go together", "--start" if start is None else "--end")
    cumulative: tuple[float, ...] = ()
    source = None
    if zone is not None:
        from sedcalc.site.erosivity import zone_distribution

        cumulative, source = zone_distribution(zone, "--zone")
    found: dict[str, Any] = {"ei_source": source, "dates": dates, "start": None, "end": None, "ei_fraction": None}
    if start is None or end is None:
        return found
    if zone is None:
        message = "outside Wisconsin a county does not give the EI zone; add --zone from EPA Fact Sheet 3.1, Figure 2"
        raise input_error("missing-ei-zone", message, "--zone")
    from sedcalc.factors.erosivity import ei_fraction, ei_fraction_table_dates

    found |= {"start": start.isoformat(), "end": end.isoformat()}
    if dates == "interpolate":
        found["ei_fraction"] = ei_fraction(start, end, cumulative)
        return found
    period = ei_fraction_table_dates(start, end, cumulative)
    # Printed percents have a decimal or none: what stands after the twelfth is their binary rounding.
    found["ei_fraction"] = round(period.fraction, 12)
    return {**found, "table_start": period.start.isoformat(), "table_end": period.end.isoformat()}


def _k_answer(found: dict[str, Any], findings: list[Finding], as_json: bool) -> int:
    text = f"K {found['K']:.3f} ton ac h/(hundreds of ac ft tonf in)\n  by {found['method']}: {found['source']}\n"
    return _answer("sedcalc.k/1", found, findings, text, as_json)


def _answer(format: str, found: dict[str, Any], findings: list[Finding], text: str, as_json: bool) -> int:
    if as_json:
        print_json({"format": format, **found, "findings": [f.as_dict() for f in findings]})
    else:
        write(text)
        print_reasons(findings)
    return 0
