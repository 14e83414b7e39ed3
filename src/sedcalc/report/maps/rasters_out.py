"""GeoTIFFs of maps: values of the soil loss of each phase, and classes with their colours."""

import math
import os
import re
from pathlib import Path
from typing import Any, Final

import numpy as np

import sedcalc
from sedcalc.findings import EnvironmentFault
from sedcalc.io.gdal_guard import rasterio_environment
from sedcalc.io.rasters import write_grid
from sedcalc.io.whole_files import whole_file
from sedcalc.report.maps.classes import Classes
from sedcalc.report.maps.themes import Result, load_of, phase_soil_loss
from sedcalc.site.submission import Phase
from sedcalc.terrain.grid import Grid

_NODATA: Final = 255


def write_soil_loss_geotiffs(result: Result, folder: Path) -> list[Path]:
    """Write the soil loss of each phase as a tiled, compressed GeoTIFF, tons/acre over the phase's days.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    folder
        Where to; it exists.

    Returns
    -------
    list of Path
        One file for each phase, in the order of the site file; unit, dates and method are in their tags.

    Raises
    ------
    InputError
        The site has no cells.
    EnvironmentFault
        A file cannot be written.
    """
    load = load_of(result)
    written = []
    for number, phase in enumerate(load.site.phases):
        tags = {
            "quantity": "soil loss over the phase, before delivery ratio and practices",
            "units": "short tons/acre",
            "equation": "A = R f K LS C P",
            "phase": phase.id,
            "start": phase.start.isoformat(),
            "end": phase.end.isoformat(),
            "LS_method": load.ground.methods["LS"],
            "software": f"sedcalc {sedcalc.__version__}",
        }
        path = folder / f"{stem_of(number, phase)}.tif"
        grid = phase_soil_loss(load, phase.id)
        written.append(write_grid(path, grid, units_tag="tons/acre", description="soil loss", tags=tags))
    return written


def write_classed_geotiff(path: str | os.PathLike[str], grid: Grid, classes: Classes) -> Path:
    """Write a grid in classes as an 8-bit GeoTIFF with a colour table, which a GIS shows as the map does.

    Parameters
    ----------
    path
        Where to.
    grid
        Values in the unit of the classes; NaN outside.
    classes
        Up to 255 classes, such as `sedcalc.report.maps.classes.slope_classes` returns.

    Returns
    -------
    Path
        The file: class 0 is the lowest, 255 nodata; the tags ``class_0``, ``class_1`` ... hold the legend.

    Raises
    ------
    EnvironmentFault
        The file cannot be written.
    """
    target = Path(path)
    with rasterio_environment():
        import rasterio
        from rasterio.errors import RasterioError
        from rasterio.transform import Affine

        profile: dict[str, Any] = {
            "driver": "GTiff",
            "height": grid.shape[0],
            "width": grid.shape[1],
            "count": 1,
            "dtype": "uint8",
            "crs": _crs(grid.crs),
            "transform": Affine(*grid.transform),
            "nodata": _NODATA,
            "tiled": True,
            "blockxsize": 256,
            "blockysize": 256,
            "compress": "deflate",
            "zlevel": 6,
            "photometric": "palette",
        }
        try:
            with whole_file(target) as part, rasterio.open(part, "w", **profile) as out:
                index = classes.index(grid.values)
                out.write(np.where(index < 0, _NODATA, index).astype(np.uint8), 1)
                out.write_colormap(1, color_table(classes))
                out.update_tags(**_legend(classes))
                out.set_band_description(1, classes.title)
        except (OSError, RasterioError) as error:
            raise EnvironmentFault(f"{target} cannot be written: {error}") from error
    return target


def color_table(classes: Classes) -> dict[int, tuple[int, int, int, int]]:
    """Return red, green, blue and opacity of each class, 0 to 255; nodata is transparent.

    Parameters
    ----------
    classes
        The classes.
    """
    table = {k: (*(int(c[i : i + 2], 16) for i in (1, 3, 5)), 255) for k, c in enumerate(classes.colors)}
    return table | {_NODATA: (0, 0, 0, 0)}  # type: ignore[return-value]


def stem_of(number: int, phase: Phase) -> str:
    """Return the name of a phase's files, without ending.

    Parameters
    ----------
    number
        Index of the phase.
    phase
        The phase.
    """
    name = re.sub(r"[^A-Za-z0-9]+", "_", phase.id).strip("_").lower()[:40]
    return f"soil_loss_{number + 1:02d}" + (f"_{name}" if name else "")


def _legend(classes: Classes) -> dict[str, str]:
    texts = {f"class_{k}": text for k, text in enumerate(classes.labels)}
    top = "" if math.isinf(classes.edges[-1]) else f"; under {classes.edges[-1]:g}"
    edges = ", ".join(f"{e:g}" for e in classes.edges[:-1])
    software = f"sedcalc {sedcalc.__version__}"
    return {"units": classes.unit, "edges": edges + top, "software": software, **texts}


def _crs(text: str | None) -> Any:
    from rasterio.crs import CRS

    if text is None:
        return None
    return CRS.from_epsg(int(text[5:])) if text.startswith("EPSG:") else CRS.from_wkt(text)
