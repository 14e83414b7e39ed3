"""A map as a picture on the globe: PNG with a KML ground overlay, as earth viewers show it."""

import xml.sax.saxutils
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import EnvironmentFault, input_error
from sedcalc.io.crs import parse_crs
from sedcalc.report.maps.classes import Classes, loss_classes
from sedcalc.report.maps.rasters_out import color_table, stem_of
from sedcalc.report.maps.themes import Result, load_of, ordinance_of, phase_of, phase_soil_loss
from sedcalc.terrain.grid import Grid

_DEGREES: Final = "EPSG:4326"
_OPACITY: Final = 200
_LARGEST: Final = 2000  # pixels each way


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """A picture in degrees.

    Parameters
    ----------
    pixels
        Red, green, blue, opacity, 0 to 255, (rows, cols, 4), rows from north to south.
    west, south, east, north
        Its bounds, degrees (WGS 84).
    """

    pixels: NDArray[np.uint8]
    west: float
    south: float
    east: float
    north: float


def write_kml(result: Result, phase: str, folder: Path) -> list[Path]:
    """Write the soil loss of a phase as a KML ground overlay and its PNG.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    phase
        Id of the phase.
    folder
        Where to; it exists.

    Returns
    -------
    list of Path
        The KML and the PNG that it shows; keep them together.

    Raises
    ------
    InputError
        The site has no cells or no CRS, or no phase of this id.
    EnvironmentFault
        A file cannot be written.

    Notes
    -----
    Cells are brought to degrees by the nearest cell: for looking, not for measuring.
    """
    load = load_of(result)
    number, found = phase_of(load, phase)
    grid = phase_soil_loss(load, phase)
    standard = ordinance_of(result).standard
    classes = loss_classes(grid.values, None if standard is None else standard.limit, load.site.units)
    shown = in_degrees(grid, classes)
    name = f"{stem_of(number, found)}_overlay"
    said = f"{classes.title}, {found.start} to {found.end}: " + ", ".join(classes.labels)
    text = _kml(f"{load.site.project.name}: soil loss, {found.id}", said, f"{name}.png", shown)
    try:
        (folder / f"{name}.png").write_bytes(png_of(shown.pixels))
        (folder / f"{name}.kml").write_bytes(text.encode())
    except OSError as error:
        raise EnvironmentFault(f"{folder / name} cannot be written: {error}") from error
    return [folder / f"{name}.kml", folder / f"{name}.png"]


def in_degrees(grid: Grid, classes: Classes) -> Overlay:
    """Return a grid in classes as a picture in degrees.

    Parameters
    ----------
    grid
        Values in the unit of the classes.
    classes
        The classes.

    Raises
    ------
    InputError
        The grid has no CRS.
    """
    import pyproj

    if grid.crs is None:
        raise input_error("crs-missing", "the site's rasters have no CRS, so that their place on the globe is unknown")
    here = pyproj.Transformer.from_crs(parse_crs(grid.crs), _DEGREES, always_xy=True)
    left, bottom, right, top = grid.bounds
    west, south, east, north = here.transform_bounds(left, bottom, right, top, densify_pts=21)
    rows, cols = (min(n, _LARGEST) for n in grid.shape)
    x, y = np.meshgrid(
        west + (east - west) * (np.arange(cols) + 0.5) / cols, north - (north - south) * (np.arange(rows) + 0.5) / rows
    )
    x, y = here.transform(x, y, direction="INVERSE")
    size = grid.transform[0]
    row, col = (np.floor(v / size).astype(np.int64) for v in (top - y, x - left))
    inside = (row >= 0) & (row < grid.shape[0]) & (col >= 0) & (col < grid.shape[1])
    moved = np.full((rows, cols), -1, dtype=np.int16)
    moved[inside] = classes.index(grid.values)[row[inside], col[inside]]
    palette = np.zeros((len(classes.colors) + 1, 4), dtype=np.uint8)
    for k, color in color_table(classes).items():
        palette[k if k < len(classes.colors) else -1] = color
    palette[:-1, 3] = _OPACITY
    return Overlay(palette[moved], west, south, east, north)


def png_of(pixels: NDArray[np.uint8]) -> bytes:
    """Return a picture as PNG.

    Parameters
    ----------
    pixels
        As in `Overlay`.
    """
    import io

    from matplotlib.image import imsave

    data = io.BytesIO()
    unsigned: Any = {"Software": None}
    imsave(data, pixels, format="png", metadata=unsigned)
    return data.getvalue()


def _kml(name: str, said: str, picture: str, shown: Overlay) -> str:
    escape: Any = xml.sax.saxutils.escape
    box = "".join(f"<{k}>{getattr(shown, k):.9f}</{k}>" for k in ("north", "south", "east", "west"))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>\n'
        f"<GroundOverlay><name>{escape(name)}</name><description>{escape(said)}</description>\n"
        f"<Icon><href>{escape(picture)}</href></Icon><LatLonBox>{box}</LatLonBox></GroundOverlay>\n"
        "</Document></kml>\n"
    )
