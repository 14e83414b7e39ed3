"""``sedcalc ls-grid``: LS of an elevation model, of its units, or of many."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sedcalc.cli.factors import number
from sedcalc.cli.output import exit_code, json_option, print_json, print_reasons, progress, write
from sedcalc.cli.places import READ_FILE, WRITTEN_PLACE
from sedcalc.cli.sections import Sectioned
from sedcalc.cli.usage import above_zero, checked, not_negative
from sedcalc.findings import Finding, InputError, by_severity, count_of
from sedcalc.units import ACRE_M2, FOOT_M, area_text, percent_text

if TYPE_CHECKING:
    from sedcalc.io.many import LSOfFile
    from sedcalc.io.units_of_dem import LSOfUnits, UnitSummary
    from sedcalc.terrain.ls_raster import LSSummary

# Those of `sedcalc.terrain.routing` and `sedcalc.factors.topography`, which would load numba and numpy for the help
# text alone; tests compare them.
ROUTINGS: Final = ("mfd", "mfd-freeman", "mfd-quinn", "d8", "dinf")
METHODS: Final = ("rusle", "usle", "nearing+rusle", "mccool+ah537", "ah537+rusle")

_STEEP_PCT: Final = 20.0
_WIDTHS: Final = (13, 10, 12, 15, 12)  # of the columns of a table
_LONGEST_NAME: Final = 60
_SECTIONS: Final = {
    "Elevations": ("z_units", "crs", "reproject"),
    "Water": ("routing", "border", "max_fill", "barriers", "channels", "channel_area", "walls"),
    "LS": ("ratio", "method", "formula", "max_length", "sealed"),
    "Units of a large DEM, and many DEMs": ("units", "unit_id", "layer", "halo", "workers", "scheduler"),
    "Output": ("out", "as_json"),
}
_EXAMPLES: Final = (
    "sedcalc ls-grid dem.tif --out ls.tif --z-units m",
    "sedcalc ls-grid dem.tif --out ls.tif --z-units m --routing d8 \\",
    "    --barriers diversions.geojson --max-length 400",
    "sedcalc ls-grid dem.tif --out ls.tif --z-units m --units units.geojson \\",
    "    --unit-id id --halo 500",
    "sedcalc ls-grid dem.tif graded.tif --out maps --z-units m",
)


def length_limit(text: str) -> float | None:
    """Return the length that an option says, None for ``none``."""
    return None if text == "none" else number(text)


@click.command("ls-grid", cls=Sectioned, sections=_SECTIONS, examples=_EXAMPLES)
@click.argument("dem", type=READ_FILE, nargs=-1, required=True)
@click.option("--out", type=WRITTEN_PLACE, metavar="LS.tif|DIR", required=True, help="GeoTIFF, or folder of many.")
@click.option("--z-units", type=click.Choice(["m", "ft", "us-ft"]), help="Unit of the elevations, if DEM says none.")
@click.option("--crs", metavar="EPSG:N", help="Coordinate system, if DEM has none.")
@click.option("--reproject", metavar="utm|EPSG:N", help="Bring DEM to this coordinate system first (bilinear).")
@click.option("--routing", type=click.Choice(ROUTINGS), default="mfd", show_default=True)
@click.option("--ratio", type=click.Choice(["low", "moderate", "high"]), default="high", show_default=True)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    metavar="NAME",
    default="rusle",
    show_default=True,
    help="Equations of S and m: rusle, usle, or a hybrid as in `sedcalc ls`.",
)
@click.option(
    "--max-length",
    type=checked(length_limit, above_zero),
    metavar="FT|none",
    default="1000",
    show_default=True,
    help="Slope length at which L stops growing.",
)
@click.option("--barriers", type=READ_FILE, metavar="FILE", help="Lines or polygons that end slope length.")
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
@click.option("--units", type=READ_FILE, metavar="FILE", help="Polygons to cut DEM into; LS.tif holds them all.")
@click.option("--unit-id", metavar="FIELD", help="Attribute with their ids.  [default: numbers from 1]")
@click.option("--layer", metavar="NAME", help="Of units, a GeoPackage with several.")
@click.option(
    "--halo",
    type=checked(number, not_negative),
    metavar="FT",
    help="Land around a unit that is routed with it.  [default: 1000]",
)
@click.option("--workers", type=click.IntRange(1, 256), default=1, metavar="N", help="Processes; 1 by default.")
@click.option("--scheduler", metavar="ADDRESS", help="Of a dask cluster to compute on instead.")
@json_option
def ls_grid(
    dem: tuple[Path, ...],
    out: Path,
    z_units: str | None,
    crs: str | None,
    reproject: str | None,
    max_length: float | None,
    channel_area: float | None,
    max_fill: float | None,
    units: Path | None,
    unit_id: str | None,
    layer: str | None,
    halo: float | None,
    workers: int,
    scheduler: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """LS of every cell of an elevation model.

    DEM is a GeoTIFF in a projected coordinate system; LS is written as one. Several give a map each, in the folder DIR.
    With --units, DEM may be larger than memory. Exit code 2: a unit or a DEM could not be computed (the others are
    written all the same), or wrong input.
    """
    _check_combinations(dem, out, reproject, units, workers, scheduler, unit_id=unit_id, layer=layer, halo=halo)
    options |= {
        "channel_threshold_m2": None if channel_area is None else channel_area * ACRE_M2,
        "max_fill_m": _max_fill_m(max_fill),
        "max_length_ft": max_length,
    }
    ground = {"z_units": z_units, "crs": crs}
    if units is None and len(dem) == 1:
        return _one(dem[0], out, {**ground, "reproject": reproject}, options, as_json)
    options |= ground
    halo_m: dict[str, Any] = {} if halo is None else {"halo_m": halo * FOOT_M}
    with progress("starting") as say:
        from sedcalc.io.cluster import cluster_client

        with cluster_client(workers, scheduler) as client:
            options |= {"client": client, "progress": say}
            if units is None:
                from sedcalc.io.many import ls_of_many

                out.mkdir(exist_ok=True)
                many = ls_of_many(dem, out, reproject=reproject, **options)
            else:
                from sedcalc.io.units_of_dem import ls_of_units

                found = ls_of_units(dem[0], units, out, id_field=unit_id, layer=layer, **halo_m, **options)
    if units is None:
        return _print_many(many, out, as_json)
    return _print_units(found, as_json)


COMMANDS = (ls_grid,)


def _check_combinations(
    dem: Sequence[Path],
    out: Path,
    reproject: str | None,
    units: Path | None,
    workers: int,
    scheduler: str | None,
    **of_units: Any,
) -> None:
    """Refuse what does not go together."""
    mistakes = []

    def wrong(code: str, where: str, message: str) -> None:
        mistakes.append(Finding(code, "error", message, where))

    one_map = units is not None or len(dem) == 1
    if one_map and out.is_dir():
        wrong("not-a-file", "--out", f"{str(out)!r} is a folder; name a file in it")
    if not one_map and out.is_file():
        wrong("not-a-folder", "--out", f"{str(out)!r} is a file; name a folder for the maps of several DEMs")
    if units is None:
        for name, value in of_units.items():
            if value is not None:
                wrong(
                    "without-units", f"--{name.replace('_', '-')}", "is for units; give --units FILE, or leave it out"
                )
        if len(dem) == 1 and (workers > 1 or scheduler is not None):
            name = "--workers" if workers > 1 else "--scheduler"
            wrong("one-surface", name, "one DEM is computed in one process; give several, or --units FILE")
    else:
        if len(dem) > 1:
            wrong("units-of-many", "--units", f"takes one DEM, not {len(dem)}; give the one that has the units")
        if reproject is not None:
            text = "a DEM is cut into units as it is; reproject it beforehand (gdalwarp -t_srs), and leave this out"
            wrong("reproject-units", "--reproject", text)
    if workers > 1 and scheduler is not None:
        wrong("workers-and-scheduler", "--workers", "a scheduler has its own workers; leave out one of the two")
    if mistakes:
        raise InputError(mistakes)


def _max_fill_m(feet: float | None) -> float | None:
    """Return the depth limit of an option, m: the default where it is not given, None for ``none``."""
    context = click.get_current_context()
    if context.get_parameter_source("max_fill") == click.core.ParameterSource.DEFAULT:
        from sedcalc.terrain.ls_raster import DEFAULT_MAX_FILL_M

        return DEFAULT_MAX_FILL_M
    return None if feet is None else feet * FOOT_M


def _one(dem: Path, out: Path, ground: dict[str, Any], options: dict[str, Any], as_json: bool) -> int:
    """Compute one surface, and print what it amounts to."""
    with progress("reading the elevation model") as say:
        from sedcalc.io.rasters import read_grid
        from sedcalc.io.surfaces import ls_of_surface, write_ls

        result = ls_of_surface(read_grid(dem, **ground), progress=say, **options)
        say("writing")
        write_ls(out, result)
    if as_json:
        findings = [f.as_dict() for f in result.findings]
        print_json({"format": "sedcalc.ls-grid/1", "out": str(out), **result.summary.as_dict(), "findings": findings})
    else:
        write(_summary_text(result.summary) + f"written to {out}\n")
        print_reasons(result.findings)
    return 0


def _print_many(found: "Sequence[LSOfFile]", out: Path, as_json: bool) -> int:
    named = [replace(d, findings=tuple(replace(f, where=f.where or d.dem.name) for f in d.findings)) for d in found]
    findings = by_severity(f for d in named for f in d.findings)
    if as_json:
        surfaces = [
            {
                "dem": str(d.dem),
                "out": None if d.out is None else str(d.out),
                "summary": None if d.summary is None else d.summary.as_dict(),
                "findings": [f.as_dict() for f in d.findings],
            }
            for d in named
        ]
        errors = [f.as_dict() for f in findings if f.severity == "error"]
        print_json({"format": "sedcalc.ls-grid-many/1", "out": str(out), "surfaces": surfaces, "findings": errors})
    else:
        write(_table("DEM", [(d.dem.stem, d.summary) for d in named]))
        done = [d for d in named if d.out is not None]
        write(f"{count_of(len(done), 'map')} written to {out}\n")
        print_reasons([f for f in findings if f.severity != "note"])
    return exit_code(findings)


def _print_units(found: "LSOfUnits", as_json: bool) -> int:
    if as_json:
        units = [
            {
                "id": u.id,
                "summary": None if u.summary is None else u.summary.as_dict(),
                "findings": [f.as_dict() for f in u.findings],
            }
            for u in found.units
        ]
        own = {
            "out": None if found.out is None else str(found.out),
            "halo_ft": found.halo_m / FOOT_M,
            "units": units,
            "findings": [f.as_dict() for f in found.findings],
        }
        print_json({"format": "sedcalc.ls-grid-units/1", **own})
    else:
        write(_table("unit", [(u.id, u.summary) for u in found.units]))
        write("nothing written\n" if found.out is None else f"written to {found.out}\n")
        print_reasons(
            by_severity([*found.findings, *(f for u in found.units for f in u.findings if f.severity != "note")])
        )
    return exit_code(found.findings)


def _table(of: str, rows: "Sequence[tuple[str, LSSummary | UnitSummary | None]]") -> str:
    """Return a line for each surface or unit; lower bounds as their share of the cells with an LS."""
    columns = ("acres", "mean LS", "largest LS", f"acres >= {_STEEP_PCT:g} %", "lower bound")
    first = min(max((len(name) for name, _ in rows), default=0), _LONGEST_NAME) + 2
    lines = [f"{of:<{first}}" + "".join(f"{column:>{width}}" for column, width in zip(columns, _WIDTHS, strict=True))]
    for name, summary in rows:
        half = (_LONGEST_NAME - 3) // 2
        shown = name if len(name) <= _LONGEST_NAME else f"{name[:half]}...{name[-half:]}"
        if summary is None or summary.mean is None or summary.max is None:
            texts = ["failed" if summary is None else "no LS"]
        else:
            steep = sum(c.acres for c in summary.classes if c.from_pct >= _STEEP_PCT)
            share = percent_text(summary.lower_bound_share or 0.0, 1)
            texts = [area_text(summary.acres), f"{summary.mean:.3f}", f"{summary.max:.3f}", area_text(steep), share]
        lines.append(
            f"{shown:<{first}}" + "".join(f"{text:>{width}}" for text, width in zip(texts, _WIDTHS, strict=False))
        )
    return "\n".join(lines) + "\n"


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
    equations = summary.method if summary.ratio is None else f"{summary.method}, {summary.ratio} ratio"
    lines.append(f"routing {summary.routing}, {summary.formula} form, {equations}, longest slope {cap}")
    return "\n".join(lines) + "\n"
