"""``sedcalc ls-grid``: LS of an elevation model, of its zones, or of many."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sedcalc.cli.factors import number, ratio_without_use
from sedcalc.cli.output import exit_code, json_option, print_json, print_reasons, progress, write
from sedcalc.cli.places import READ_FILE, WRITTEN_PLACE
from sedcalc.cli.sections import Sectioned
from sedcalc.cli.usage import Combinations, above_zero, checked, given_options, not_negative
from sedcalc.findings import EnvironmentFault, Finding, InputError, by_severity, count_of
from sedcalc.units import ACRE_M2, FOOT_M, area_text, percent_text

if TYPE_CHECKING:
    from sedcalc.io.many import LSOfFile
    from sedcalc.io.zones_of_dem import LSOfZones
    from sedcalc.terrain.ls_raster import LSSummary
    from sedcalc.terrain.ls_zones import ZoneSummary

# Those of `sedcalc.terrain.routing` and `sedcalc.factors.topography`, which would load numba and numpy for the help
# text alone; tests compare them.
ROUTINGS: Final = ("mfd", "mfd-freeman", "mfd-quinn", "d8", "dinf")
METHODS: Final = ("rusle", "usle", "nearing+rusle", "mccool+ah537", "ah537+rusle")

_STEEP_PCT: Final = 20.0
_WIDTHS: Final = (13, 10, 12, 15, 12)  # of the columns of a table
_SECTIONS: Final = {
    "Elevations": ("z_units", "crs", "reproject"),
    "Water": ("routing", "border", "max_fill", "barriers", "channels", "channel_area", "walls"),
    "LS": ("ratio", "method", "formula", "max_length", "sealed"),
    "Zones of a large DEM, and many DEMs": ("zones", "attribute", "layer", "halo", "workers", "scheduler"),
    "Output": ("out", "as_json"),
}
_EXAMPLES: Final = (
    "sedcalc ls-grid dem.tif --out ls.tif --z-units m",
    "sedcalc ls-grid dem.tif --out ls.tif --z-units m --routing d8 \\",
    "    --barriers diversions.geojson --max-length 400",
    "sedcalc ls-grid dem.tif --out ls.tif --z-units m --zones units.geojson \\",
    "    --attribute id --halo 500",
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
    help="Water at the edge leaves where the ground falls out, or always.",
)
@click.option("--formula", type=click.Choice(["isotropic", "desmet-govers"]), default="isotropic", show_default=True)
@click.option("--zones", type=READ_FILE, metavar="FILE", help="Polygons to cut DEM into; LS.tif holds them all.")
@click.option("--attribute", metavar="NAME", help="Id of the polygons.  [default: numbers from 1]")
@click.option("--layer", metavar="NAME", help="Of a GeoPackage with several.")
@click.option(
    "--halo",
    type=checked(number, not_negative),
    metavar="FT",
    help="Land around a zone that is routed with it.  [default: 1000]",
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
    zones: Path | None,
    attribute: str | None,
    layer: str | None,
    halo: float | None,
    workers: int,
    scheduler: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """LS of every cell of an elevation model.

    DEM is a GeoTIFF in a projected coordinate system; LS is written as one. Several give a map each, in the folder DIR.
    With --zones, DEM may be larger than memory. Exit code 2: a zone or a DEM could not be computed (the others are
    written all the same), or wrong input.
    """
    if mistakes := _combinations(given_options()):
        raise InputError(mistakes)
    options |= {
        "channel_threshold_m2": None if channel_area is None else channel_area * ACRE_M2,
        "max_fill_m": _max_fill_m(max_fill),
        "max_length_ft": max_length,
    }
    ground = {"z_units": z_units, "crs": crs}
    if zones is None and len(dem) == 1:
        return _one(dem[0], out, {**ground, "reproject": reproject}, options, as_json)
    options |= ground
    halo_m: dict[str, Any] = {} if halo is None else {"halo_m": halo * FOOT_M}
    with progress("starting") as say:
        from sedcalc.io.cluster import cluster_client

        with cluster_client(workers, scheduler) as client:
            options |= {"client": client, "progress": say}
            if zones is None:
                from sedcalc.io.many import ls_of_many

                _folder(out)
                many = ls_of_many(dem, out, reproject=reproject, **options)
            else:
                from sedcalc.io.zones_of_dem import ls_of_zones

                found = ls_of_zones(dem[0], zones, out, attribute=attribute, layer=layer, **halo_m, **options)
    if zones is None:
        return _print_many(many, out, as_json)
    return _print_zones(found, as_json)


COMMANDS = (ls_grid,)


def _combinations(given: Mapping[str, Any]) -> list[Finding]:
    """Return what does not go together among the options that are given."""
    mistakes = ratio_without_use(given)

    def wrong(code: str, where: str, message: str) -> None:
        mistakes.append(Finding(code, "error", message, where))

    dems, out = given.get("dem") or (), given.get("out") or ""
    has_zones, has_workers = "zones" in given, str(given.get("workers", 1)) != "1"
    one_map = has_zones or len(dems) == 1
    if one_map and os.path.isdir(out):
        wrong("not-a-file", "--out", f"{str(out)!r} is a folder; name a file in it")
    if not one_map and os.path.isfile(out):
        wrong("not-a-folder", "--out", f"{str(out)!r} is a file; name a folder for the maps of several DEMs")
    if has_zones:
        if len(dems) > 1:
            wrong("zones-of-many", "--zones", f"takes one DEM, not {len(dems)}; give the one that has the zones")
        if "reproject" in given:
            text = "a DEM is cut into zones as it is; reproject it beforehand (gdalwarp -t_srs), and leave this out"
            wrong("reproject-zones", "--reproject", text)
    else:
        for name in ("attribute", "layer", "halo"):
            if name in given:
                wrong("without-zones", f"--{name}", "is for zones; give --zones FILE, or leave it out")
        if len(dems) == 1 and (has_workers or "scheduler" in given):
            name = "--workers" if has_workers else "--scheduler"
            wrong("one-surface", name, "one DEM is computed in one process; give several, or --zones FILE")
    if has_workers and "scheduler" in given:
        wrong("workers-and-scheduler", "--workers", "a scheduler has its own workers; leave out one of the two")
    return mistakes


COMBINATIONS: Final[dict[str, Combinations]] = {"ls-grid": _combinations}


def _folder(out: Path) -> None:
    try:
        out.mkdir(exist_ok=True)
    except OSError as error:
        text = f"the folder {str(out)!r} cannot be made ({error.strerror or error}); name another"
        raise EnvironmentFault(text) from error


def _max_fill_m(feet: float | None) -> float | None:
    """Return the depth limit of an option, m: the default where it is not given, None for ``none``."""
    if "max_fill" not in given_options():
        from sedcalc.terrain.ls_raster import DEFAULT_MAX_FILL_M

        return DEFAULT_MAX_FILL_M
    return None if feet is None else feet * FOOT_M


def _one(dem: Path, out: Path, ground: dict[str, Any], options: dict[str, Any], as_json: bool) -> int:
    """Compute one surface, and print what it amounts to."""
    with progress("reading the elevation model") as say:
        from sedcalc.io.rasters import read_grid
        from sedcalc.io.surfaces import ls_of_surface, write_ls

        try:
            result = ls_of_surface(read_grid(dem, **ground), progress=say, **options)
        except InputError as error:
            raise InputError(_with_zones(f, dem) for f in error.findings) from None
        say("writing")
        write_ls(out, result)
    if as_json:
        findings = [f.as_dict() for f in result.findings]
        print_json({"format": "sedcalc.ls-grid/1", "out": str(out), **result.summary.as_dict(), "findings": findings})
    else:
        write(_summary_text(result.summary) + f"written to {out}\n")
        print_reasons(result.findings)
    return 0


def _with_zones(finding: Finding, dem: Path) -> Finding:
    """Return a finding with the DEM it is about, and with one remedy more where that is too large."""
    more = ", or compute it by zones (--zones FILE)" if finding.code == "grid-too-large" else ""
    return replace(finding, message=f"{finding.message}{more}", where=finding.where or dem.name)


def _print_many(found: "Sequence[LSOfFile]", out: Path, as_json: bool) -> int:
    named = [replace(d, findings=tuple(_with_zones(f, d.dem) for f in d.findings)) for d in found]
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


def _print_zones(found: "LSOfZones", as_json: bool) -> int:
    if as_json:
        zones = [
            {
                "id": z.id,
                "summary": None if z.summary is None else z.summary.as_dict(),
                "findings": [f.as_dict() for f in z.findings],
            }
            for z in found.zones
        ]
        own = {
            "out": None if found.out is None else str(found.out),
            "halo_ft": found.halo_m / FOOT_M,
            "zones": zones,
            "findings": [f.as_dict() for f in found.findings],
        }
        print_json({"format": "sedcalc.ls-grid-zones/1", **own})
    else:
        write(_table("zone", [(z.id, z.summary) for z in found.zones]))
        write("nothing written\n" if found.out is None else f"written to {found.out}\n")
        print_reasons(
            by_severity([*found.findings, *(f for z in found.zones for f in z.findings if f.severity != "note")])
        )
    return exit_code(found.findings)


def _table(of: str, rows: "Sequence[tuple[str, LSSummary | ZoneSummary | None]]") -> str:
    """Return a line for each surface or zone; lower bounds as their share of the cells with an LS."""
    from sedcalc.cli.tables import shown_name

    columns = ("acres", "mean LS", "largest LS", f"acres >= {_STEEP_PCT:g} %", "lower bound")
    names = [shown_name(name) for name, _ in rows]
    first = max(map(len, names), default=0) + 2
    lines = [f"{of:<{first}}" + "".join(f"{column:>{width}}" for column, width in zip(columns, _WIDTHS, strict=True))]
    for shown, (_, summary) in zip(names, rows, strict=True):
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
