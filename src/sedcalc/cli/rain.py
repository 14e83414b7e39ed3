"""``sedcalc rain``: erosivity R of a rain record."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sedcalc.cli.factors import number
from sedcalc.cli.output import exit_code, json_option, print_json, print_reasons, progress, write
from sedcalc.cli.sections import Sectioned
from sedcalc.findings import Finding, InputError

if TYPE_CHECKING:
    from sedcalc.rain import ErosivityRecord, RainRecord
    from sedcalc.rain.storms import StormRule

FORMATS: Final = ("auto", "csv", "wepp-breakpoint", "jma", "kmi-minutes", "meteoswiss")
ENERGIES: Final = ("ah703", "ah537", "rusle2", "salles")
RULES: Final = ("sliding-6h", "sliding-6h-any-step", "dry-gap-6h", "rainerosivity-1.1", "verstraeten-2006")

_SECTIONS: Final = {
    "The file": ("format", "year", "units"),
    "Columns and cells of a table": (
        *("time", "depth", "temperature", "kind", "time_format", "excel_serials", "separator", "encoding"),
        *("zero_mark", "missing_mark"),
    ),
    "Steps and clock of a table": (
        *("step_minutes", "longest_step_minutes", "label", "absent_rows", "on_reset", "spread_minutes"),
        *("period", "time_zone"),
    ),
    "Storms": ("storm_rule", "window_h", "less_than_mm", "erosive_mm", "erosive_15min_mm", "energy", "snow"),
    "Years": ("max_missing_year", "max_missing_month", "confidence"),
}
_EXAMPLES: Final = (
    "sedcalc rain gauge.csv --units in --time-zone America/Chicago",
    "sedcalc rain gauge.csv --time Date --time Clock --depth Rain --units in \\",
    "    --time-format '%m/%d/%Y %H:%M' --label end --zero-mark T --missing-mark M",
    "sedcalc rain gauge.csv --temperature air_c --snow freezing-air",
    "sedcalc rain tips.csv --kind tips --period 2020-01-01 2025-01-01",
    "sedcalc rain PREC_2004.txt --format kmi-minutes --energy salles \\",
    "    --storm-rule verstraeten-2006",
    "sedcalc rain gauge.csv --storm-rule dry-gap-6h --erosive-mm 10 \\",
    "    --erosive-15min-mm none",
)
_OF_STEPS: Final = ("temperature", "step_minutes", "longest_step_minutes", "label", "absent_rows")
_OPTIONS: Final = {
    "zero_marks": "--zero-mark",
    "missing_marks": "--missing-mark",
    "temperature_c": "--temperature",
    **{name: f"--{name.replace('_', '-')}" for names in _SECTIONS.values() for name in names},
}
_WORDS: Final = re.compile(rf"\b({'|'.join(name for name in _OPTIONS if '_' in name)})\b")


def number_or_none(text: str) -> float | None:
    """Return the number that an option says, None for ``none``."""
    return None if text == "none" else number(text)


def _minutes(text: str) -> float | str:
    return text if text == "between-rows" else number(text)


@click.command(cls=Sectioned, sections=_SECTIONS, examples=_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--format", type=click.Choice(FORMATS), default="auto", metavar="NAME", help=f"{', '.join(FORMATS)}.  [by content]"
)
@click.option("--year", type=click.IntRange(1800, 2300), metavar="YYYY", help="Of a kmi-minutes file.")
@click.option("--units", type=click.Choice(["mm", "in"]), help="Of the depths, if FILE does not say it.")
@click.option("--time", multiple=True, metavar="NAME", help="Column of the time; date, then clock, if there are two.")
@click.option("--depth", metavar="NAME", help="Column of the rain.")
@click.option("--temperature", metavar="NAME", help="Column of the air temperature, degrees C, for --snow.")
@click.option(
    "--kind",
    type=click.Choice(["steps", "accumulated", "tips"]),
    help="Rain of each step (default), accumulated to a time, or of each tip of a bucket.",
)
@click.option("--time-format", metavar="FORMAT", help="strptime format of the time.  [default: ISO 8601]")
@click.option("--excel-serials", is_flag=True, help="A bare number as time is a spreadsheet's day number.")
@click.option("--separator", metavar="CHAR", help="Between cells.  [default: , ; or tab, by the first line]")
@click.option("--encoding", metavar="NAME", help="Of the text.  [default: utf-8]")
@click.option("--zero-mark", multiple=True, metavar="TEXT", help="A cell of this text means no rain; may be repeated.")
@click.option("--missing-mark", multiple=True, metavar="TEXT", help="Means not observed, as empty and NA do.")
@click.option("--step-minutes", type=_minutes, metavar="MIN|between-rows", help="Length of a step.  [default: found]")
@click.option("--longest-step-minutes", type=number, metavar="MIN", help="Longer is a gap; with between-rows.")
@click.option("--label", type=click.Choice(["start", "end"]), help="What of its step a time is.  [default: start]")
@click.option(
    "--absent-rows",
    type=click.Choice(["auto", "dry", "gap"]),
    help="What a time without a row means; auto: a gap if there are rows of 0.  [default: auto]",
)
@click.option("--on-reset", type=click.Choice(["gap", "restart"]), help="Where accumulated rain falls.  [default: gap]")
@click.option("--spread-minutes", type=number, metavar="MIN", help="How far back a tip's rain goes.  [default: 30]")
@click.option("--period", nargs=2, metavar="START END", help="Times from and to which the gauge was watched.")
@click.option("--time-zone", metavar="ZONE", help="Of wall-clock times with daylight saving, as America/Chicago.")
@click.option(
    "--storm-rule",
    type=click.Choice(RULES),
    default=RULES[0],
    metavar="NAME",
    help=f"How storms end and which count: {', '.join(RULES)}.  [default: {RULES[0]}]",
)
@click.option("--window-h", type=number, metavar="H", help="Break looked for after rain, instead of the rule's.")
@click.option("--less-than-mm", type=number_or_none, metavar="MM|none", help="Rain in it that ends a storm; none: any.")
@click.option("--erosive-mm", type=number, metavar="MM", help="Depth from which a storm counts.")
@click.option("--erosive-15min-mm", type=number_or_none, metavar="MM|none", help="Or depth in any 15 min.")
@click.option("--energy", type=click.Choice(ENERGIES), default="ah703", show_default=True, help="Unit energy.")
@click.option(
    "--snow",
    type=click.Choice(["none", "freezing-air"]),
    default="none",
    show_default=True,
    help="freezing-air: what falls at 0 degrees C or less is snow and left out.",
)
@click.option("--max-missing-year", type=number, metavar="SHARE", help="Not observed of a year.  [default: 0.05]")
@click.option("--max-missing-month", type=number, metavar="SHARE", help="Not observed of its months.  [default: 0.2]")
@click.option("--confidence", type=number, metavar="SHARE", help="Of the interval of the mean.  [default: 0.95]")
@json_option
def rain(
    file: Path,
    format: Any,
    year: int | None,
    units: str | None,
    storm_rule: str,
    energy: Any,
    snow: Any,
    as_json: bool,
    **given: Any,
) -> int:
    """Erosivity R of a rain record: storms, years, mean.

    FILE is a table with a time and a rain column, or of a format that sedcalc knows. Exit code 2: no year is complete
    enough for an R, or wrong input.
    """
    with progress("reading the rain record") as say:
        from sedcalc.rain.annual import erosivity_from_rain

        rule = _rule(storm_rule, given)
        record = _record(file, format, year, units, [*_combinations(format, snow, given), *_ranges(given)], given)
        say("finding storms")
        limits = {n: given[n] for n in ("max_missing_year", "max_missing_month", "confidence") if given[n] is not None}
        try:
            result = erosivity_from_rain(record, energy=energy, storm_rule=rule, snow=snow, **limits)
        except InputError as error:
            raise InputError(_of_option(f) for f in error.findings) from None
    if as_json:
        print_json({"format": "sedcalc.rain/1", **result.as_dict(), "rule": asdict(rule)})
    else:
        write(_text(result))
        print_reasons(result.findings)
    return exit_code(result.findings)


COMMANDS = (rain,)


def _rule(name: str, given: Mapping[str, Any]) -> "StormRule":
    """Return the rule of that name with the numbers that options change in it, under a name that says so."""
    from sedcalc.rain.storms import STORM_RULES

    context = click.get_current_context()
    fields = ("window_h", "less_than_mm", "erosive_mm", "erosive_15min_mm")
    named = [f for f in fields if context.get_parameter_source(f) is not click.core.ParameterSource.DEFAULT]
    rule = STORM_RULES[name]
    if not named:
        return rule
    changed = replace(rule, **{f: given[f] for f in named})
    said = ", ".join(f"{f} {given[f]:g}" if given[f] is not None else f"{f} none" for f in named)
    return replace(changed, name=f"{name} with {said}", source=f"{rule.source}; changed on the command line: {said}")


def _record(
    file: Path, format: Any, year: int | None, units: str | None, mistakes: list[Finding], given: Mapping[str, Any]
) -> "RainRecord":
    """Read the file; what is wrong with the options and with the file is raised together."""
    from sedcalc.io.rain_files import MISSING_MARKS, read_rain

    names = (*_SECTIONS["Columns and cells of a table"], *_SECTIONS["Steps and clock of a table"])
    asked = {n: given[n] for n in names if given[n] not in (None, (), False)}
    if "zero_mark" in asked:
        asked["zero_marks"] = asked.pop("zero_mark")
    if "missing_mark" in asked:
        asked["missing_marks"] = (*MISSING_MARKS, *asked.pop("missing_mark"))
    if "time" in asked and len(asked["time"]) == 1:
        (asked["time"],) = asked["time"]
    if asked.get("separator") in ("tab", "\\t"):
        asked["separator"] = "\t"
    try:
        if any(f.where in ("--kind", "--period", "--separator", "--time-zone") for f in mistakes):
            raise InputError(mistakes)  # the file cannot be read by such options
        record = read_rain(file, format=format, units=units, year=year, **asked)
    except InputError as error:
        found = (_of_option(f) for f in error.findings)
        raise InputError(dict.fromkeys([*mistakes, *found])) from None
    if mistakes:
        raise InputError(mistakes)
    return record


def _of_option(finding: Finding) -> Finding:
    """Return a finding about parameters as one about the options of the same names."""
    where = _OPTIONS.get(finding.where or "", finding.where)
    return replace(finding, where=where, message=_WORDS.sub(lambda found: _OPTIONS[found[1]], finding.message))


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _combinations(format: str, snow: str, given: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what does not go together."""

    def wrong(name: str, message: str) -> Finding:
        return Finding("option-conflict", "error", message, _flag(name))

    kind = given["kind"] or "steps"
    if kind != "steps":
        for name in _OF_STEPS:
            if given[name] is not None:
                yield wrong(name, f"is for rain by steps, not with --kind {kind}; leave one of them out")
    for name, of in (("on_reset", "accumulated"), ("spread_minutes", "tips")):
        if given[name] is not None and kind != of:
            yield wrong(name, f"is for --kind {of}; add that, or leave it out")
    if given["longest_step_minutes"] is not None and given["step_minutes"] != "between-rows":
        yield wrong("longest_step_minutes", "goes with --step-minutes between-rows; add that, or leave it out")
    if given["temperature"] is not None and snow == "none":
        yield wrong("temperature", "is read for the snow rule alone; add --snow freezing-air, or leave it out")
    if snow != "none" and format == "csv" and given["temperature"] is None:
        yield wrong("snow", "freezing-air needs the air temperature; name its column with --temperature")
    both = sorted(set(given["zero_mark"]) & set(given["missing_mark"]))
    if both:
        yield wrong("zero_mark", f"{', '.join(map(repr, both))} is also a --missing-mark; a cell means one of the two")


def _ranges(given: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is outside its range, or cannot be read."""
    limits: tuple[tuple[str, float, float, str], ...] = (
        *((n, 0.0, 1000.0, "mm") for n in ("less_than_mm", "erosive_mm", "erosive_15min_mm")),
        ("window_h", 0.1, 48.0, "h"),
        *((n, 0.01, 1440.0, "min") for n in ("step_minutes", "longest_step_minutes", "spread_minutes")),
        *((n, 0.0, 1.0, "as a share") for n in ("max_missing_year", "max_missing_month", "confidence")),
    )
    for name, low, high, unit in limits:
        value = given[name]
        if isinstance(value, float) and not low <= value <= high:
            message = f"{value:g} is outside {low:g} to {high:g} {unit}; give it in that unit"
            yield Finding("option-out-of-range", "error", message, _flag(name))
    if given["separator"] is not None and len(given["separator"]) != 1 and given["separator"] not in ("tab", "\\t"):
        message = f"{given['separator']!r} is not one character, nor tab; give what stands between the cells"
        yield Finding("option-unreadable", "error", message, "--separator")
    if given["period"] is not None:
        yield from _period(*given["period"])
    if given["time_zone"] is not None:
        yield from _zone(given["time_zone"])


def _period(start: str, end: str) -> Iterator[Finding]:
    import numpy as np

    try:
        first, last = np.datetime64(start, "s"), np.datetime64(end, "s")
    except ValueError:
        message = f"{start!r} to {end!r} is not two times written YYYY-MM-DD or YYYY-MM-DDTHH:MM; write them so"
        yield Finding("option-unreadable", "error", message, "--period")
        return
    if not last > first:
        yield Finding("end-before-start", "error", f"{end} is not after the start {start}; swap them", "--period")


def _zone(name: str) -> Iterator[Finding]:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"{name!r} is not a time zone of the IANA list; write one such as America/Chicago"
        yield Finding("unknown-time-zone", "error", message, "--time-zone")


def _text(result: "ErosivityRecord") -> str:
    found = result.as_dict()
    lines = [f"{'year':>6}{'missing':>9}{'storms':>8}{'rain mm':>10}{'R':>10}{'R (US)':>9}"]
    for year in found["years"]:
        r, r_us = ("-" if year[key] is None else f"{year[key]:.{digits}f}" for key, digits in (("R", 1), ("R_us", 2)))
        head = f"{year['year']:>6}{year['missing']:>9.1%}{year['storms']:>8}{year['depth_mm']:>10.1f}"
        lines.append(f"{head}{r:>10}{r_us:>9}")
    if result.R_si is None:
        lines.append("no year is complete enough to give an R")
    else:
        lines.append(f"mean R {result.R_si:.1f} MJ mm/(ha h yr) = {result.R_us:.2f} hundreds of ft tonf in/(ac h yr)")
    if result.interval_us is not None:
        low, high = result.interval_us
        lines.append(
            f"  {result.confidence:.0%} interval of the mean {low:.2f} to {high:.2f} hundreds of ft tonf in/..."
        )
    snow = "" if result.snow == "none" else f", snow by {result.snow}"
    lines.append(f"energy {result.energy}, storms by {found['storm_rule']}{snow}")
    lines.append(f"clock {result.clock}")
    return "\n".join(lines) + "\n"
