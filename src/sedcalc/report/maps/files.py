"""The files of a gridded site that ``sedcalc run --out`` writes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sedcalc.findings import EnvironmentFault
from sedcalc.report import style
from sedcalc.report.charts.files import Choice
from sedcalc.report.maps.area_maps import drainage_map, phase_map
from sedcalc.report.maps.classes import k_classes, ls_classes, slope_classes
from sedcalc.report.maps.geopackage import write_geopackage
from sedcalc.report.maps.overlay import write_kml
from sedcalc.report.maps.pictures import k_map, ls_map, slope_map, soil_loss_map
from sedcalc.report.maps.rasters_out import stem_of, write_classed_geotiff, write_soil_loss_geotiffs
from sedcalc.report.maps.themes import (
    Result,
    erodibility,
    load_of,
    ordinance_of,
    slope_length_steepness,
    steepness,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OTHERS: Final[dict[str, Callable[[Result], "Axes"]]] = {
    "ls": ls_map,
    "slope": slope_map,
    "k": k_map,
    "phases": phase_map,
    "drainage": drainage_map,
}


def write_maps(result: Result, folder: Path, which: Choice = "main") -> list[Path]:
    """Write a GeoTIFF and a picture of each phase's soil loss, or all maps; nothing for a tabular site.

    Parameters
    ----------
    result
        The ruling or load.
    folder
        Where to; it exists.
    which
        ``main``: soil loss of each phase as GeoTIFF and picture; ``all``: also the other maps as pictures, LS, slope
        and K as GeoTIFFs with a colour table, a GeoPackage, and KML overlays; ``none``: the GeoTIFFs of loss alone.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    EnvironmentFault
        A file cannot be written.
    """
    load = load_of(result)
    if load.ground.rasters is None:
        return []
    written = write_soil_loss_geotiffs(load, folder)
    if which == "none":
        return written
    for number, phase in enumerate(load.site.phases):
        path = folder / f"{stem_of(number, phase)}.png"
        written.append(_save(soil_loss_map(result, phase.id), path))
    if which == "main":
        return written
    for name, draw in _OTHERS.items():
        if name != "slope" or load.ground.rasters.elevation:
            written.append(_save(draw(result), folder / f"map_{name}.png"))
    written += _classed(result, folder)
    written.append(write_geopackage(result, folder / "site.gpkg"))
    for phase in load.site.phases:
        written += write_kml(result, phase.id, folder)
    return written


def _classed(result: Result, folder: Path) -> list[Path]:
    """Write LS, K and, where there are elevations, slope as GeoTIFFs with a colour table."""
    load = load_of(result)
    ls, k = slope_length_steepness(load), erodibility(load)
    written = [
        write_classed_geotiff(folder / "ls_classes.tif", ls, ls_classes(ls.values)),
        write_classed_geotiff(folder / "k_classes.tif", k, k_classes(k.values, load)),
    ]
    if load.ground.rasters is not None and load.ground.rasters.elevation:
        classes = slope_classes(ordinance_of(result))
        written.append(write_classed_geotiff(folder / "slope_classes.tif", steepness(load), classes))
    return written


def _save(ax: "Axes", path: Path) -> Path:
    try:
        style.figure_of(ax).savefig(path, dpi=style.DPI, metadata={"Software": None})
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be written: {error}") from error
    return path
