"""``sedcalc soils``: K, hydrologic group and texture of the map units of a soil survey, for a site file or a raster."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sedcalc.cli.factors import number
from sedcalc.cli.output import exit_code, json_option, print_json, print_reasons, progress, write
from sedcalc.cli.sections import Sectioned
from sedcalc.findings import Finding, InputError, input_error
from sedcalc.units import K_US_SI

if TYPE_CHECKING:
    from sedcalc.io.soil_survey import ErodibilityRaster, SoilSurvey, SurveyErodibility

_SECTIONS: Final = {
    "K": ("factor", "top", "bottom", "depth_units", "rock_cover", "max_missing", "map_unit", "units", "source"),
    "K raster": ("polygons", "attribute", "layer", "dem", "z_units", "crs", "out"),
    "Output": ("toml", "as_json"),
}
_EXAMPLES: Final = (
    "sedcalc soils wi131/tabular --factor kffact --top 0 --bottom 15 \\",
    "    --source 'SSURGO WI131, 2025'",
    "sedcalc soils wi131/tabular --factor kffact --top 12 --bottom 30 \\",
    "    --depth-units in --map-unit 422934 --map-unit 422937 --toml \\",
    "    --source 'SSURGO WI131, 2025'",
    "sedcalc soils gssurgo_wi.gpkg --factor kffact --top 0 --bottom 15 \\",
    "    --source 'gSSURGO Wisconsin, 2025' --polygons soils.gpkg \\",
    "    --dem dem.tif --out K.tif",
)
_PARAMETERS: Final = {
    "factor": "--factor",
    "top": "--top",
    "max_missing_pct": "--max-missing",
    "mukeys": "--map-unit",
    "soils": "--polygons",
    "k": "--polygons",
}
_UNITS: Final = {"us": "ton ac h/(hundreds of ac ft tonf in)", "si": "t ha h/(ha MJ mm)"}


@dataclass(frozen=True, slots=True)
class _Target:
    """The raster that is asked for."""

    polygons: Path
    attribute: str
    layer: str | None
    dem: Path
    z_units: str | None
    crs: str | None
    out: Path


@click.command(cls=Sectioned, sections=_SECTIONS, examples=_EXAMPLES)
@click.argument("survey", type=click.Path(path_type=Path))
@click.option(
    "--factor",
    type=click.Choice(["kffact", "kwfact"]),
    required=True,
    help="Of the fine earth, or of the whole soil with its stones.",
)
@click.option("--top", type=number, metavar="DEPTH", required=True, help="Of the exposed soil; 0: surveyed surface.")
@click.option("--bottom", type=number, metavar="DEPTH", required=True, help="Of the exposed soil.")
@click.option("--depth-units", type=click.Choice(["cm", "in"]), default="cm", show_default=True)
@click.option("--rock-cover", is_flag=True, help="C of the site counts stones on the surface (refuses kwfact).")
@click.option(
    "--max-missing", type=number, metavar="PCT", help="Share without K up to which a map unit has one.  [default: 20]"
)
@click.option("--map-unit", multiple=True, metavar="MUKEY", help="May be repeated.  [default: all, or the polygons']")
@click.option("--units", type=click.Choice(["us", "si"]), default="us", show_default=True, help="Of K.")
@click.option(
    "--source", metavar="TEXT", required=True, help="Name of the survey with its area and version, for K_source."
)
@click.option("--polygons", type=click.Path(path_type=Path), metavar="FILE", help="Of the map units.")
@click.option("--attribute", metavar="NAME", default="MUKEY", show_default=True, help="Map-unit key of the polygons.")
@click.option("--layer", metavar="NAME", help="Of a GeoPackage with several.")
@click.option("--dem", type=click.Path(path_type=Path), metavar="DEM.tif", help="Whose cells K is computed for.")
@click.option("--z-units", type=click.Choice(["m", "ft", "us-ft"]), help="Of the elevations, if DEM says none.")
@click.option("--crs", metavar="EPSG:N", help="Coordinate system, if DEM has none.")
@click.option("--out", type=click.Path(path_type=Path), metavar="K.tif", help="GeoTIFF to write.")
@click.option("--toml", is_flag=True, help="Print the soils as part of a site file.")
@json_option
def soils(
    survey: Path,
    factor: Any,
    top: float,
    bottom: float,
    depth_units: Any,
    rock_cover: bool,
    max_missing: float | None,
    map_unit: tuple[str, ...],
    units: str,
    source: str,
    toml: bool,
    as_json: bool,
    **raster: Any,
) -> int:
    """K of the soils of a survey over the depth that is exposed.

    SURVEY is the tabular folder of a SSURGO export, a folder of the mapunit, component and chorizon tables, or a
    gSSURGO database (GeoPackage). Exit code 2: a map unit that is asked for has no K (the others are given all the
    same), or wrong input.
    """
    if not source.strip():
        raise input_error("missing-source", "is empty; name the survey with its area and version", "--source")
    if toml and as_json:
        raise input_error("one-output", "--toml and --json are two forms of output; keep one", "--toml")
    target = _target(raster, survey)
    with progress("reading the soil survey") as say:
        from sedcalc.io.soil_survey import MAX_MISSING_PCT, read_soil_survey, survey_erodibility

        limit = MAX_MISSING_PCT if max_missing is None else max_missing
        wanted: Any = list(map_unit) or None
        polygons, grid = None, None
        try:
            tables = read_soil_survey(survey, source=source)
            if target is not None:
                say("reading the polygons")
                polygons, grid = _polygons(target)
                wanted = wanted or _in_order({key for key, _ in polygons}, tables)
            found = survey_erodibility(
                tables,
                factor=factor,
                top=top,
                bottom=bottom,
                units=depth_units,
                rock_cover_in_c=rock_cover,
                max_missing_pct=limit,
                mukeys=wanted,
            )
            if not (found.K >= 0.0).any():
                raise InputError(found.findings)
            made = None
            if target is not None and polygons is not None and grid is not None:
                say("computing the raster")
                made = _written(found, polygons, grid, limit, units, tables.source, target)
        except InputError as error:
            raise InputError(_named(f) for f in error.findings) from None
    findings = (*found.findings, *(() if made is None else made.findings))
    if as_json:
        print_json(_object(found, made, units, target, findings))
        return exit_code(findings)
    write(_toml(found, units) if toml else _text(found, units))
    if target is not None and not toml:
        write(f"written to {target.out}\n")
    print_reasons(findings)
    return exit_code(findings)


COMMANDS = (soils,)


def _target(given: Mapping[str, Any], survey: Path) -> _Target | None:
    """Return the raster that the options ask for, or all that is wrong with them."""
    needed = ("polygons", "dem", "out")
    absent = [f"--{name}" for name in needed if given[name] is None]
    if len(absent) == len(needed):
        context = click.get_current_context()
        default = click.core.ParameterSource.DEFAULT
        idle = [n for n in ("attribute", "layer", "z_units", "crs") if context.get_parameter_source(n) is not default]
        raise_all(
            Finding("option-without-effect", "error", f"is of a raster: add {', '.join(absent)}", _flag(name))
            for name in idle
        )
        return None
    raise_all(
        Finding("raster-incomplete", "error", "a K raster needs --polygons, --dem and --out: add it", n) for n in absent
    )
    out: Path = given["out"]
    inputs = {"SURVEY": survey, "--polygons": given["polygons"], "--dem": given["dem"]}
    raise_all(
        Finding("out-is-input", "error", f"this is {name}; write K to another file", "--out")
        for name, path in inputs.items()
        if out.exists() and path.exists() and out.samefile(path)
    )
    return _Target(**given)


def raise_all(findings: Iterator[Finding]) -> None:
    """Raise the findings together, if there are any."""
    listed = list(findings)
    if listed:
        raise InputError(listed)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _named(finding: Finding) -> Finding:
    """Return a finding about a parameter as one about its option."""
    from dataclasses import replace

    return replace(finding, where=_PARAMETERS[finding.where]) if finding.where in _PARAMETERS else finding


def _polygons(target: _Target) -> tuple[list[tuple[str, Any]], Any]:
    """Return the polygons with the keys of their map units, and the cells."""
    from sedcalc.io.rasters import read_grid
    from sedcalc.io.survey_tables import map_unit_key
    from sedcalc.io.vectors import read_polygons

    grid = read_grid(target.dem, z_units=target.z_units, crs=target.crs)
    features = read_polygons(target.polygons, target.attribute, grid, layer=target.layer, what="soil polygons")
    return [(map_unit_key(value), geometry) for value, geometry in features], grid


def _in_order(keys: set[str], tables: "SoilSurvey") -> list[str]:
    """Return the keys of polygons as the survey lists them; those it does not have come last, to be refused."""
    listed = [row["mukey"] for row in tables.mapunit if row["mukey"] in keys]
    return [*listed, *sorted(keys.difference(listed))]


def _written(
    found: "SurveyErodibility",
    polygons: list[tuple[str, Any]],
    grid: Any,
    limit: float,
    units: str,
    survey: str,
    target: _Target,
) -> "ErodibilityRaster":
    """Make the raster in the units of the site, and write it."""
    import sedcalc
    from sedcalc.io.rasters import write_grid
    from sedcalc.io.soil_survey import erodibility_raster

    k = {key: value * _scale(units) for key, value in found.k_by_mukey().items()}
    made = erodibility_raster(polygons, k, grid, max_missing_pct=limit)
    tags = {
        "SEDCALC_VERSION": sedcalc.__version__,
        "SOURCE": f"{survey}: {_said(found)}",
        "MAX_MISSING_PCT": f"{limit:g}",
        "FINDINGS": "; ".join(str(f) for f in (*found.findings, *made.findings)),
    }
    write_grid(target.out, made.grid, units_tag=_UNITS[units], description="K, soil erodibility", tags=tags)
    return made


def _scale(units: str) -> float:
    return K_US_SI if units == "si" else 1.0


def _said(found: "SurveyErodibility") -> str:
    top, bottom = found.depth_cm
    return f"{found.factor} from {top:g} to {bottom:g} cm, mean by component percent and depth"


def _rows(found: "SurveyErodibility", units: str) -> Iterator[dict[str, Any]]:
    names = ("mukey", "musym", "muname", "K", "missing_pct", "hydrologic_group", "hydrologic_group_pct")
    for i in range(len(found.mukey)):
        row = {name: getattr(found, name)[i].item() for name in (*names, "texture", "texture_pct", "source")}
        yield row | {"K": None if math.isnan(row["K"]) else row["K"] * _scale(units)}


def _object(
    found: "SurveyErodibility",
    made: "ErodibilityRaster | None",
    units: str,
    target: _Target | None,
    findings: tuple[Finding, ...],
) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "format": "sedcalc.soils/1",
        "factor": found.factor,
        "depth_cm": list(found.depth_cm),
        "max_missing_pct": found.max_missing_pct,
        "K_units": _UNITS[units],
        "map_units": list(_rows(found, units)),
    }
    if made is not None and target is not None:
        values = made.grid.values
        known = int((values >= 0.0).sum())
        answer["raster"] = {"out": str(target.out), "cells": values.size, "cells_with_K": known}
    return answer | {"findings": [f.as_dict() for f in findings]}


def _share(name: str, percent: float) -> str:
    return f"{name} ({percent:.0f} %)" if name else "-"


def _text(found: "SurveyErodibility", units: str) -> str:
    from sedcalc.report.text import plain

    lines = [f"{'map unit':<10}{'K':>8}{'missing':>9}  {'group':<12}{'texture':<24}name"]
    for row in _rows(found, units):
        k = "-" if row["K"] is None else f"{row['K']:.4g}"
        group = _share(row["hydrologic_group"], row["hydrologic_group_pct"])
        texture = _share(row["texture"], row["texture_pct"])
        missing = f"{row['missing_pct']:.3g} %"
        name = row["muname"] or row["musym"]
        lines.append(plain(f"{row['mukey']:<10}{k:>8}{missing:>9}  {group:<12}{texture:<24}{name}"))
    lines += [_said(found), f"K in {_UNITS[units]}"]
    return "\n".join(lines) + "\n"


def _toml(found: "SurveyErodibility", units: str) -> str:
    """Return the soils as tables of a site file; JSON's texts are TOML's."""
    from sedcalc.report.text import plain

    parts = [f'# for a site with units = "{units}"; {_said(found)}']
    for row in _rows(found, units):
        name = plain(f"# {row['mukey']}: {row['muname'] or row['musym']}")
        if row["K"] is None:
            parts.append(f"{name}\n# refused: {row['missing_pct']:.3g} % is without K; give K and K_source")
            continue
        group = plain(_share(row["hydrologic_group"], row["hydrologic_group_pct"]))
        lines = [f"{name}; hydrologic group {group}"]
        lines += ["[[soils]]", f"id = {_quoted(row['mukey'])}", f"K = {row['K']:.4g}"]
        lines.append(f"K_source = {_quoted(row['source'])}")
        if row["texture"]:
            lines.append(f"texture = {_quoted(row['texture'])}  # {row['texture_pct']:.0f} % of the depth")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _quoted(text: str) -> str:
    from sedcalc.report.text import plain

    return json.dumps(plain(text), ensure_ascii=False)
