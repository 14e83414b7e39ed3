"""``sedcalc loss-grid``: soil loss of rasters of any size, as a raster and by zone."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from sedcalc.cli.factors import number
from sedcalc.cli.output import json_option, print_json, print_reasons, progress, say, write
from sedcalc.cli.places import READ_FILE, WRITTEN_FILE, WRITTEN_RASTER
from sedcalc.cli.sections import Sectioned
from sedcalc.cli.usage import Combinations
from sedcalc.findings import Finding, InputError, count_of
from sedcalc.units import area_text

if TYPE_CHECKING:
    from sedcalc.load.raster_loss import RasterLoss

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FACTORS: Final = ("R", "K", "LS", "C", "P")
_SECTIONS: Final = {
    "Factors": ("r", "k", "ls", "c", "p", "units", "crs"),
    "Zones": ("zones", "attribute", "layer", "classes"),
    "Output": ("out", "csv", "as_json"),
}
_EXAMPLES: Final = (
    "sedcalc loss-grid --r 115 --k 0.32 --ls ls.tif --c 0.05 --p 1 --out loss.tif",
    "sedcalc loss-grid --r 115 --k 0.32 --ls ls.tif --p 0.9 --c grading=1 \\",
    "    --c mulch=0.12 --zones units.geojson --attribute id --csv loss.csv",
)
_MOST_ROWS: Final = 200  # of a phase
_GIVEN: Final = "[NAME=]NUMBER|FILE"


def _factor(symbol: str, help: str) -> Callable[[_Command], _Command]:
    name = symbol.lower()
    return click.option(f"--{name}", name, metavar=_GIVEN, multiple=True, required=True, help=help)


@click.command("loss-grid", cls=Sectioned, sections=_SECTIONS, examples=_EXAMPLES)
@_factor("R", "Annual erosivity.")
@_factor("K", "Erodibility.")
@_factor("LS", "Slope length and steepness.")
@_factor("C", "Cover management.")
@_factor("P", "Support practice.")
@click.option("--units", type=click.Choice(["us", "si"]), default="us", show_default=True, help="Of R and K.")
@click.option("--crs", metavar="EPSG:N", help="Coordinate system of rasters that have none.")
@click.option("--zones", type=READ_FILE, metavar="FILE", help="Polygons to sum over.  [default: all cells]")
@click.option("--attribute", metavar="NAME", help="Id of the polygons.  [default: id]")
@click.option("--layer", metavar="NAME", help="Of a GeoPackage with several.")
@click.option("--classes", type=READ_FILE, metavar="FILE", help="GeoTIFF of classes that divide the zones.")
@click.option("--out", type=WRITTEN_RASTER, metavar="LOSS.tif", help="GeoTIFF to write, tons/acre/year.")
@click.option("--csv", type=WRITTEN_FILE, metavar="FILE", help="Write the table there too.")
@json_option
def loss_grid(
    units: str,
    crs: str | None,
    zones: Path | None,
    attribute: str | None,
    layer: str | None,
    classes: Path | None,
    out: Path | None,
    csv: Path | None,
    as_json: bool,
    **factors: tuple[str, ...],
) -> int:
    """R K LS C P of rasters, cell by cell and summed over zones.

    Each factor is a number or a GeoTIFF; all lie on the same cells and may be larger than memory. With NAME= a factor
    is that of a phase, and may be repeated; without, it is the same in all phases. The table has tons a year at the
    cover of each phase: times the phase's share of the annual erosivity it is that of the phase.
    """
    given, mistakes = _factors(factors)
    if _overwritten(csv, out, given):
        message = f"{str(csv)!r} is another file of this command; give the table a name of its own"
        mistakes.append(Finding("out-is-input", "error", message, "--csv"))
    options: dict[str, Any] = {"units": units, "zones": zones, "attribute": attribute, "layer": layer}
    options |= {"classes": classes, "crs": crs, "out": out}
    if mistakes:
        raise InputError([*mistakes, *_others(given, options, mistakes)])
    with progress("reading the rasters") as show:
        from sedcalc.load.raster_loss import soil_loss_of_rasters

        try:
            found = soil_loss_of_rasters(*(given[symbol] for symbol in _FACTORS), **options, progress=show)
        except InputError as error:
            raise InputError([_named(f) for f in error.findings]) from None
    rows = found.rows()
    if csv is not None:
        from sedcalc.io.whole_files import write_whole
        from sedcalc.report.results import csv_text

        write_whole(csv, csv_text(list(rows[0]), ([*row.values()] for row in rows)).encode(), "table")
    if as_json:
        print_json(_object(found, rows))
        return 0
    write(_text(found, rows))
    write("".join(f"written to {path}\n" for path in (out, csv) if path is not None))
    print_reasons(found.findings)
    return 0


COMMANDS = (loss_grid,)


def _wrong_beside_options(given: Mapping[str, Any]) -> list[Finding]:
    """Return what is wrong with factors and files, where some option is wrong already or not there."""
    texts = {symbol.lower(): tuple(given.get(symbol.lower()) or ()) for symbol in _FACTORS}
    factors, mistakes = _factors({name: own or ("0",) for name, own in texts.items()})
    options: dict[str, Any] = {"units": "si" if given.get("units") == "si" else "us", "crs": given.get("crs")}
    options |= {name: given[name] for name in ("zones", "classes", "out") if os.path.isfile(given.get(name) or "")}
    if "zones" in options or "zones" not in given:
        options |= {name: given.get(name) for name in ("attribute", "layer")}
    found = [*mistakes, *_others(factors, options, mistakes)]
    return [f for f in found if f.code != "no-raster" or all(texts.values())]


COMBINATIONS: Final[dict[str, Combinations]] = {"loss-grid": _wrong_beside_options}


def _others(given: Mapping[str, Any], options: Mapping[str, Any], mistakes: list[Finding]) -> list[Finding]:
    """Return what is wrong with the inputs beside the mistakes that are known."""
    from sedcalc.load.raster_loss import input_mistakes

    said = {f.where for f in mistakes}
    others = (_named(f) for f in input_mistakes(given, lambda step: say(f"{step} ..."), **options))
    return [f for f in others if f.code != "not-a-factor" or f.where not in said]


def _factors(texts: Mapping[str, tuple[str, ...]]) -> tuple[dict[str, Any], list[Finding]]:
    """Return number, path, or these by phase of each factor, and what is wrong with how they are given.

    What is given twice, and a text that is neither number nor file, is returned as a list, which is no factor.
    """
    given: dict[str, Any] = {}
    mistakes = []

    def value(text: str) -> Any:
        try:
            return number(text)
        except click.BadParameter:
            if os.path.exists(text):
                return text
        message = f"there is no file {text!r:.60}, and it is no finite number; write one as 115.5, or check the path"
        mistakes.append(Finding("file-missing", "error", message, f"--{symbol.lower()}"))
        return [text]

    for symbol in _FACTORS:
        named: dict[str, list[Any]] = {}
        plain: list[Any] = []
        for text in texts[symbol.lower()]:
            name, equals, own = text.partition("=")
            if not equals or os.path.isfile(text):  # a file may have = in its name
                plain.append(value(text))
            else:
                named.setdefault(name, []).append(value(own))
        twice = [name for name, values in named.items() if len(values) > 1]
        if len(plain) + bool(named) > 1 or twice:
            message = "is given several times; name another phase in each (NAME=), or keep one for all"
            mistakes.append(Finding("factor-twice", "error", message, f"--{symbol.lower()}"))
            given[symbol] = [plain, named]
        else:
            given[symbol] = {name: values[0] for name, values in named.items()} if named else plain[0]
    return given, mistakes


def _overwritten(csv: Path | None, out: Path | None, given: Mapping[str, Any]) -> bool:
    """Whether the table would be written over a raster."""
    if csv is None:
        return False
    values = [v for own in given.values() for v in (own.values() if isinstance(own, dict) else [own])]
    files = [Path(v) for v in values if isinstance(v, str)] + ([] if out is None else [out])
    return any(csv == file or (csv.exists() and file.exists() and csv.samefile(file)) for file in files)


def _named(finding: Finding) -> Finding:
    """Return a finding about a factor as one about its option."""
    options = {name: f"--{name.lower()}" for name in (*_FACTORS, "zones", "attribute", "layer", "out")}
    return replace(finding, where=options.get(finding.where or "", finding.where))


def _object(found: "RasterLoss", rows: list[dict[str, Any]]) -> dict[str, Any]:
    ranges = [
        {
            "factor": r.symbol,
            "file": r.file,
            "least": r.least,
            "greatest": r.greatest,
            "cells_without_value": r.without_value,
        }
        for r in found.ranges
    ]
    return {
        "format": "sedcalc.loss-grid/1",
        "out": found.out,
        "R_K_units": found.units,
        "rows": rows,
        "rasters": ranges,
        "findings": [f.as_dict() for f in found.findings],
    }


def _text(found: "RasterLoss", rows: list[dict[str, Any]]) -> str:
    return "\n".join((*_table(rows), *_ranges(found))) + "\n"


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    from sedcalc.cli.tables import shown_name

    for phase in dict.fromkeys(row["phase"] for row in rows):
        own = [row for row in rows if row["phase"] == phase]
        if phase:
            yield f"phase {shown_name(phase)}"
        yield (f"{'zone':<14}{'acres':>13}{'R':>7}{'K':>7}{'LS':>7}{'C':>6}{'P':>5}{'tons/yr':>13}{'t/ac/yr':>8}")
        for row in own[:_MOST_ROWS]:
            name = "all cells" if row["zone"] is None else shown_name(row["zone"])
            name = name if row["class"] is None else f"{name} / {row['class']}"
            if len(name) > 13:
                yield name
                name = ""
            means = (("R", 7, ".1f"), ("K", 7, ".4f"), ("LS", 7, ".3f"), ("C", 6, ".3f"), ("P", 5, ".2f"))
            shown = "".join(f" {_shown(row[symbol], digits):>{width - 1}}" for symbol, width, digits in means)
            per_acre = _shown(row["tons_per_acre_per_year"], ".2f")
            acres = area_text(row["acres_with_value"])
            tons = _shown(row["tons_per_year"], ",.2f")
            yield f"{name:<14}{acres:>13}{shown} {tons:>12} {per_acre:>7}"
        if len(own) > _MOST_ROWS:
            yield f"... {count_of(len(own) - _MOST_ROWS, 'more row')}: --csv FILE and --json have all of them"
        known = [row for row in own if row["tons_per_year"] is not None]
        if len(known) > 1:
            acres, tons = (sum(row[n] for row in known) for n in ("acres_with_value", "tons_per_year"))
            yield f"{'together':<14}{area_text(acres):>13}{'':>32} {tons:>12,.2f} {tons / acres:>7.2f}"


def _shown(value: float | None, digits: str) -> str:
    return "-" if value is None else format(value, digits)


def _ranges(found: "RasterLoss") -> Iterator[str]:
    from sedcalc.report.text import plain

    yield "acres and means are of the cells where every factor has a value"
    for r in found.ranges:
        lost = count_of(r.without_value, "cell")
        yield plain(f"{r.symbol} {r.least:.4g} to {r.greatest:.4g}, {lost} without a value: {r.file}")
