"""Factors from files: ``sedcalc ls-grid`` (elevation model), ``rain`` (rain record), ``soils`` (soil survey)."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sedcalc.cli import rain, soils
from sedcalc.cli.factors import number
from sedcalc.cli.output import json_option, print_json, print_reasons, progress, write
from sedcalc.cli.places import READ_FILE, WRITTEN_FILE
from sedcalc.cli.usage import above_zero, checked, examples, not_negative
from sedcalc.findings import count_of
from sedcalc.units import ACRE_M2, FOOT_M, area_text

if TYPE_CHECKING:
    from sedcalc.terrain.ls_raster import LSSummary


# Those of `sedcalc.terrain.routing`, which would load numba for the help text alone; a test compares them.
ROUTINGS: Final = ("mfd", "mfd-freeman", "mfd-quinn", "d8", "dinf")


def length_limit(text: str) -> float | None:
    """Return the length that an option says, None for ``none``."""
    return None if text == "none" else number(text)


@click.command(
    "ls-grid",
    epilog=examples(
        "sedcalc ls-grid dem.tif --out ls.tif --z-units m",
        "sedcalc ls-grid dem.tif --out ls.tif --z-units m --routing d8 \\",
        "    --barriers diversions.geojson --max-length 400",
    ),
)
@click.argument("dem", type=READ_FILE)
@click.option("--out", type=WRITTEN_FILE, metavar="LS.tif", required=True, help="GeoTIFF to write.")
@click.option("--z-units", type=click.Choice(["m", "ft", "us-ft"]), help="Unit of the elevations, if DEM says none.")
@click.option("--crs", metavar="EPSG:N", help="Coordinate system, if DEM has none.")
@click.option("--reproject", metavar="utm|EPSG:N", help="Bring DEM to this coordinate system first (bilinear).")
@click.option("--routing", type=click.Choice(ROUTINGS), default="mfd", show_default=True)
@click.option("--ratio", type=click.Choice(["low", "moderate", "high"]), default="high", show_default=True)
@click.option(
    "--max-length",
    type=checked(length_limit, above_zero),
    metavar="FT|none",
    default="1000",
    show_default=True,
    help="Slope length at which L stops growing.",
)
@click.option("--barriers", type=READ_FILE, metavar="FILE", help="Lines or polygons that end it.")
@click.option("--channels", type=READ_FILE, metavar="FILE", help="Lines or polygons of channels: no LS.")
@click.option(
    "--channel-area",
    type=checked(number, above_zero),
    metavar="ACRES",
    help="Contributing area from which a cell is a channel.  [none]",
)
@click.option("--sealed", type=READ_FILE, metavar="FILE", help="Polygons without erosion: LS 0.")
@click.option("--walls", type=READ_FILE, metavar="FILE", help="Lines or polygons that water goes round.")
@click.option(
    "--max-fill",
    type=checked(length_limit, not_negative),
    metavar="FT|none",
    help="Depth up to which depressions are passed; deeper ones end slopes.  [default: 0.656 (0.2 m)]",
)
@click.option(
    "--border",
    type=click.Choice(["interior", "outlets"]),
    default="interior",
    show_default=True,
    help="Cells on the edge drain to a lower neighbour, or leave.",
)
@click.option("--formula", type=click.Choice(["isotropic", "desmet-govers"]), default="isotropic", show_default=True)
@json_option
def ls_grid(
    dem: Path,
    out: Path,
    z_units: str | None,
    crs: str | None,
    reproject: str | None,
    routing: str,
    ratio: str,
    max_length: float | None,
    barriers: Path | None,
    channels: Path | None,
    channel_area: float | None,
    sealed: Path | None,
    walls: Path | None,
    max_fill: float | None,
    border: str,
    formula: str,
    as_json: bool,
) -> int:
    """LS of every cell of an elevation model.

    DEM is a GeoTIFF in a projected coordinate system; LS is written as one.
    """
    with progress("reading the elevation model") as say:
        from sedcalc.io.rasters import read_grid
        from sedcalc.io.surfaces import ls_of_surface, write_ls

        surface = read_grid(dem, z_units=z_units, crs=crs, reproject=reproject)
        result = ls_of_surface(
            surface,
            barriers=barriers,
            channels=channels,
            channel_threshold_m2=None if channel_area is None else channel_area * ACRE_M2,
            sealed=sealed,
            walls=walls,
            max_fill_m=_max_fill_m(max_fill),
            routing=routing,
            ratio=ratio,
            formula=formula,
            max_length_ft=max_length,
            border=border,
            progress=say,
        )
        say("writing")
        write_ls(out, result)
    if as_json:
        findings = [f.as_dict() for f in result.findings]
        print_json({"format": "sedcalc.ls-grid/1", "out": str(out), **result.summary.as_dict(), "findings": findings})
    else:
        write(_summary_text(result.summary) + f"written to {out}\n")
        print_reasons(result.findings)
    return 0


def _max_fill_m(feet: float | None) -> float | None:
    """Return the depth limit of an option, m: the default where it is not given, None for ``none``."""
    context = click.get_current_context()
    if context.get_parameter_source("max_fill") == click.core.ParameterSource.DEFAULT:
        from sedcalc.terrain.ls_raster import DEFAULT_MAX_FILL_M

        return DEFAULT_MAX_FILL_M
    return None if feet is None else feet * FOOT_M


COMMANDS = (ls_grid, *rain.COMMANDS, *soils.COMMANDS)


def _summary_text(summary: "LSSummary") -> str:
    lines = [f"{'slope %':>14}{'cells':>12}{'acres':>12}{'mean LS':>10}"]
    for part in summary.classes:
        mean = "-" if part.mean_ls is None else f"{part.mean_ls:.3f}"
        slopes = f"{part.from_pct:g} to {part.to_pct:g}"
        lines.append(f"{slopes:>14}{part.cells:>12,}{part.acres:>12,.2f}{mean:>10}")
    if summary.mean is not None and summary.max is not None:
        lines.append(f"LS mean {summary.mean:.3f}, largest {summary.max:.3f}, over {area_text(summary.acres)} acres")
    for name, acres in summary.acres_of.items():
        if acres > 0.0:
            lines.append(
                f"{name.replace('_', ' ')}: {count_of(getattr(summary, name), 'cell')}, {area_text(acres)} acres"
            )
    cap = "none" if summary.max_length_ft is None else f"{summary.max_length_ft:g} ft"
    lines.append(f"routing {summary.routing}, {summary.formula} form, {summary.ratio} ratio, longest slope {cap}")
    return "\n".join(lines) + "\n"
