"""``sedcalc r``, ``k`` and ``ls``: a factor by itself, with its source. They load numpy and nothing heavier."""

import datetime
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

import click

from sedcalc.cli.output import folded, json_option, print_json, print_reasons, write
from sedcalc.cli.usage import Combinations, Refused, checked, examples, given_options
from sedcalc.findings import Finding, InputError, input_error

_Command = TypeVar("_Command", bound=Callable[..., Any])
_T = TypeVar("_T")
_NOMOGRAPH: Final = ("silt_vfs", "sand", "structure", "permeability")
_OPTIONS: Final = {
    "silt_vfs_pct": "--silt-vfs",
    "sand_pct": "--sand",
    "om_pct": "--om",
    "slope_pct": "--slope",
    "length_ft": "--length",
}
_AH537: Final = "USDA Agriculture Handbook 537"
_AH703: Final = "USDA Agriculture Handbook 703, chapter 4"
_LS_SOURCES: Final = {"rusle": _AH703, "usle": _AH537}
_S_SOURCES: Final = {"mccool": _AH703, "ah537": _AH537, "nearing": "Nearing 1997, Soil Sci. Soc. Am. J. 61, 917-919"}
_M_SOURCES: Final = {"rusle": _AH703, "ah537": _AH537}
_WORDS: Final = {"om": "organic matter"}
METHODS_WITHOUT_RATIO: Final = ("usle", "mccool+ah537")
"""Those of `sedcalc.factors.topography.PROFILE_METHODS` whose m has no ratio; tests compare them."""


def number(text: str) -> float:
    """Return the finite number that an option says."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise click.BadParameter(f"{text!r:.60} is not a finite number")
    return value


def day(text: str) -> datetime.date:
    """Return the date that an option says."""
    from sedcalc.site.dates import iso_date

    try:
        return iso_date(text)
    except ValueError as error:
        raise Refused(Finding("bad-date", "error", str(error))) from None


def _in_nomograph(name: str) -> Callable[[float], object]:
    """Return the check of one input of the nomograph, whatever the others are."""

    def check(value: float) -> None:
        from sedcalc.factors.erodibility import nomograph_k

        middle = {"silt_vfs_pct": 0.0, "sand_pct": 0.0, "om_pct": 2.0, "structure": 4.0, "permeability": 6.0}
        try:
            nomograph_k(**{**middle, name: value})
        except InputError as error:
            mine = [f for f in error.findings if f.where == name]
            if mine:
                raise InputError(mine) from None

    return check


def _slope(value: float) -> None:
    from sedcalc.factors.topography import profile_ls

    profile_ls(value, 100.0)


def _length(value: float) -> None:
    from sedcalc.factors.topography import profile_ls

    profile_ls(5.0, value)


def _ls_method(name: str) -> None:
    from sedcalc.factors.topography import profile_ls

    profile_ls(5.0, 100.0, method=name)


def _county(name: str) -> None:
    from sedcalc.site.location import resolve_county

    resolve_county(name, "--county")


def _zone(zone: int) -> None:
    from sedcalc.site.erosivity import zone_distribution

    zone_distribution(zone, "--zone")


def _texture(name: str) -> None:
    from sedcalc.site.soils import texture_erodibility

    texture_erodibility(name, 2.0, "--texture")


def _annual_r(value: float) -> None:
    from sedcalc.site.erosivity import R_RANGE_US

    low, high = R_RANGE_US
    if not low <= value <= high:
        message = f"{value:g} is outside {low:g} to {high:,g} hundreds of ft tonf in/(ac h yr); give R in that unit"
        raise input_error("R-out-of-range", message, "--annual-r")


def whole(text: str) -> int:
    """Return the whole number that an option says."""
    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r:.60} is not a whole number") from None


def number_option(
    name: str, metavar: str, help: str, check: Callable[[float], object] | None = None, **settings: Any
) -> Callable[[_Command], _Command]:
    """Return an option that takes a finite number.

    Parameters
    ----------
    name, metavar, help
        Of the option.
    check
        Raises `InputError` for a number that is out of range.
    **settings
        Passed to `click.option`.
    """
    kind = number if check is None else checked(number, check)
    return click.option(name, type=kind, metavar=metavar, help=help, **settings)


@click.command(
    epilog=examples(
        'sedcalc r --county "Milwaukee, WI" --start 2027-04-05 --end 2028-05-31',
        "sedcalc r --zone 84 --annual-r 45 --start 2026-03-10 --end 2026-05-10 \\",
        "    --dates table",
    )
)
@click.option("--county", type=checked(str, _county), metavar="NAME", help="'Milwaukee, WI' or a five-digit FIPS code.")
@click.option(
    "--zone", type=checked(whole, _zone), metavar="N", help="EPA EI zone, 1 to 140; goes before the county's."
)
@number_option("--annual-r", "R", "Annual R, hundreds of ft tonf in/(ac h yr), instead of a county.", _annual_r)
@click.option("--start", type=day, metavar="YYYY-MM-DD", help="First day of the period.")
@click.option("--end", type=day, metavar="YYYY-MM-DD", help="Last day of the period.")
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
    _refuse(_r_combinations({"county": county, "annual_r": annual_r, "start": start, "end": end}))
    if start is not None and end is not None and end < start:
        raise input_error("end-before-start", f"{end} is before the start {start}; swap them", "--end")
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


@click.command(
    epilog=examples(
        'sedcalc k --texture "silt loam" --om 1.5',
        "sedcalc k --silt-vfs 65 --sand 5 --om 2.8 --structure 2 --permeability 4",
    )
)
@click.option("--texture", type=checked(str, _texture), metavar="NAME", help="USDA texture class, with --om.")
@number_option("--om", "PCT", "Organic matter, %.", _in_nomograph("om_pct"))
@number_option("--silt-vfs", "PCT", "Silt and very fine sand, %.", _in_nomograph("silt_vfs_pct"))
@number_option("--sand", "PCT", "Sand 0.10-2 mm, %.", _in_nomograph("sand_pct"))
@click.option("--structure", type=checked(whole, _in_nomograph("structure")), metavar="1..4", help="Structure class.")
@click.option(
    "--permeability", type=checked(whole, _in_nomograph("permeability")), metavar="1..6", help="Permeability class."
)
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
    """Erodibility K, by texture or by the nomograph.

    Give --texture and --om, or --silt-vfs, --sand, --om, --structure and --permeability.
    """
    given = {"silt_vfs": silt_vfs, "sand": sand, "structure": structure, "permeability": permeability}
    _refuse(_k_combinations({**given, "texture": texture, "om": om}))
    if texture is not None:
        from sedcalc.site.soils import texture_erodibility

        soil = texture_erodibility(texture, om, "soil")
        found = {"K": soil.K, "method": soil.method, "source": soil.source, "status": soil.status}
        return _k_answer(found, list(soil.findings), as_json)
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
        "K": _named(lambda: nomograph_k(silt_vfs, sand, om, structure, permeability)),
        "method": "nomograph",
        "source": "Wischmeier, Johnson and Cross 1971",
        "status": "seen",
    }
    return _k_answer(found, findings, as_json)


@click.command(
    epilog=examples(
        "sedcalc ls --slope 8 --length 120",
        "sedcalc ls --slope 33 --length 150 --ratio low --json",
    )
)
@number_option("--slope", "PCT", "Steepness, %.", _slope, required=True)
@number_option("--length", "FT", "Horizontal slope length, ft.", _length, required=True)
@click.option(
    "--ratio",
    type=click.Choice(["low", "moderate", "high"]),
    default="high",
    show_default=True,
    help="Rill to interrill erosion; high for freshly graded ground.",
)
@click.option(
    "--method",
    type=checked(str, _ls_method),
    metavar="NAME",
    default="rusle",
    show_default=True,
    help="rusle, usle, or S of one publication with m of another, a hybrid: nearing+rusle, mccool+ah537, ah537+rusle.",
)
@json_option
def ls(slope: float, length: float, ratio: str, method: str, as_json: bool) -> int:
    """Slope length and steepness LS of a uniform slope."""
    from sedcalc.factors.topography import LONG_LENGTH_FT, OVER_3_TO_1_PCT, PROFILE_METHODS, profile_ls
    from sedcalc.site.slopes import short_slope_rows

    _refuse(ratio_without_use(given_options()))
    result = _named(lambda: profile_ls(slope, length, ratio, method, short_rows=short_slope_rows()))
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
    if slope > OVER_3_TO_1_PCT:
        message = (
            f"{slope:g} % is steeper than 3H:1V (33.34 %), where Wisconsin's method does not apply: a reviewer decides "
            "on prescriptive controls (mats, diversions, benches)"
        )
        findings.append(Finding("over-3-to-1", "warning", message, "slope"))
    s_method, m_method = PROFILE_METHODS[method]
    found: dict[str, Any] = {
        "LS": result.LS,
        "L": result.L,
        "S": result.S,
        "m": result.m,
        "method": result.method,
        "ratio": result.ratio,
        "source": _LS_SOURCES.get(method) or f"S: {_S_SOURCES[s_method]}; m: {_M_SOURCES[m_method]}",
    }
    text = f"LS {result.LS:.3f} = L {result.L:.3f} x S {result.S:.3f}, m {result.m:.3f}\n  method {result.method}" + (
        "" if result.ratio is None else f", {result.ratio} rill to interrill ratio"
    )
    return _answer("sedcalc.ls/1", found, findings, f"{text}\n  source: {found['source']}\n", as_json)


COMMANDS = (r, k, ls)


def _r_combinations(given: Mapping[str, Any]) -> list[Finding]:
    """Return what does not go together, or is missing, among the options of ``r``."""
    has = {name for name, value in given.items() if value is not None}
    found = []
    if ("county" in has) == ("annual_r" in has):
        said = "give --county, or --zone and --annual-r" + ("; not both" if "county" in has else "")
        found.append(Finding("one-way-only", "error", said, "command line"))
    if ("start" in has) != ("end" in has):
        missing = "--start" if "end" in has else "--end"
        message = f"--start and --end go together; add {missing} YYYY-MM-DD"
        found.append(Finding("missing-option", "error", message, missing))
    return found


def _k_combinations(given: Mapping[str, Any]) -> list[Finding]:
    """Return what does not go together, or is missing, among the options of ``k``."""
    has = {name for name, value in given.items() if value is not None}
    nomograph = [name for name in _NOMOGRAPH if name in has]
    if ("texture" in has) == bool(nomograph):
        ways = "--texture and --om, or the nomograph's --silt-vfs, --sand, --om, --structure and --permeability"
        beside = f"--texture stands beside {', '.join(map(_flag, nomograph))}; " if nomograph else ""
        return [Finding("one-way-only", "error", f"{beside}give {ways}", "command line")]
    needed = ["om"] if "texture" in has else [*_NOMOGRAPH, "om"]
    what = "K by texture" if "texture" in has else "the nomograph"
    return [
        Finding("missing-option", "error", f"{what} needs {_WORDS.get(name, 'it')} too; add it", _flag(name))
        for name in needed
        if name not in has
    ]


def ratio_without_use(given: Mapping[str, Any]) -> list[Finding]:
    """Return what is wrong with a ratio that stands beside a method that has none.

    Parameters
    ----------
    given
        The options that the command line gives.
    """
    method = given.get("method")
    if given.get("ratio") is None or method not in METHODS_WITHOUT_RATIO:
        return []
    return [Finding("ratio-unused", "error", f"{method} has no ratio; leave it out, or name another method", "--ratio")]


COMBINATIONS: Final[dict[str, Combinations]] = {
    "r": _r_combinations,
    "k": _k_combinations,
    "ls": ratio_without_use,
}


def _refuse(mistakes: list[Finding]) -> None:
    if mistakes:
        raise InputError(mistakes)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _named(call: Callable[[], _T]) -> _T:
    """Return what a call returns; its findings name options instead of parameters."""
    try:
        return call()
    except InputError as error:
        raise InputError(replace(f, where=_words(f.where), message=_words(f.message)) for f in error.findings) from None


def _words(text: str | None) -> str:
    """Return a text with options in the place of parameters."""
    for parameter, option in _OPTIONS.items():
        text = re.sub(rf"\b{parameter}\b", option, text or "")
    return text or ""


def _annual(county: str | None, annual_r: float | None) -> dict[str, Any]:
    """Return R of the year, its range, zone and source, with what was found."""
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
    empty: dict[str, Any] = {"R_low": None, "R_high": None, "ei_zone": None, "findings": []}
    return {"R_annual": annual_r, "source": "given on the command line", "status": "given", **empty}


def _period(zone: int | None, start: datetime.date | None, end: datetime.date | None, dates: str) -> dict[str, Any]:
    """Return the share of the annual erosivity in a period, where one is asked for."""
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
        write("".join(f"{folded(line)}\n" for line in text.splitlines()))
        print_reasons(findings)
    return 0
