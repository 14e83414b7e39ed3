"""Ground units, drainage areas and outfalls as a GeoPackage whose layers a GIS opens with their styles."""

import os
import sqlite3
import tempfile
import xml.sax.saxutils
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import EnvironmentFault, input_error
from sedcalc.io.gdal_guard import GDAL_OPTIONS
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report.maps.area_maps import FILLS
from sedcalc.report.maps.outfalls import outfalls_of
from sedcalc.report.maps.themes import Result, area_of_cells, cells_of, load_of, unit_of_cells
from sedcalc.terrain.grid import Grid

# The GeoPackage standard wants a time of the last change; a fixed one keeps the bytes of equal results equal.
_CHANGED: Final = "2000-01-01T00:00:00.000Z"

# As QGIS makes it.
_STYLE_TABLE: Final = """
CREATE TABLE layer_styles (
  id INTEGER PRIMARY KEY AUTOINCREMENT, f_table_catalog TEXT(256), f_table_schema TEXT(256), f_table_name TEXT(256),
  f_geometry_column TEXT(256), styleName TEXT(30), styleQML TEXT, styleSLD TEXT, useAsDefault BOOLEAN, description TEXT,
  owner TEXT(30), ui TEXT(30), update_time DATETIME
)
"""


def write_geopackage(result: Result, path: str | os.PathLike[str]) -> Path:
    """Write ground units, drainage areas and outfalls of a gridded site as styled layers of a GeoPackage.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    path
        Where to, ending in ``.gpkg``.

    Returns
    -------
    Path
        The file. Layers ``ground_units`` (acres, phases, first and last day), ``drainage_areas`` (outfall, acres,
        discharge of the project, worst 12 months, tons and tons/acre) and, where
        they are given or there are elevations, ``outfalls``.
        Polygons follow the cells, as the calculation counts them. Styles stand in the table ``layer_styles``.

    Raises
    ------
    InputError
        The site has no cells or no CRS.
    EnvironmentFault
        The file cannot be written.
    """
    load, target = load_of(result), Path(path)
    grid = cells_of(load).grid
    if grid.crs is None:
        raise input_error("crs-missing", "the site's rasters have no CRS, so that a GeoPackage cannot place them")
    layers = {"ground_units": _units(load, grid), "drainage_areas": _areas(load, grid)}
    outfalls = _outfalls(load, grid)
    if len(outfalls):
        layers["outfalls"] = outfalls
    import pyogrio

    options = {**GDAL_OPTIONS, "OGR_CURRENT_DATE": _CHANGED}
    before = {name: pyogrio.get_gdal_config_option(name) for name in options}
    pyogrio.set_gdal_config_options(options)
    try:
        with tempfile.TemporaryDirectory(prefix=".sedcalc-", dir=target.parent) as folder:
            part = Path(folder) / "part.gpkg"
            for name, frame in layers.items():
                frame.to_file(part, layer=name, driver="GPKG", engine="pyogrio")
            _add_styles(part, {name: list(frame["id"]) for name, frame in layers.items()})
            os.replace(part, target)
    except (OSError, sqlite3.Error, pyogrio.errors.DataSourceError) as error:
        raise EnvironmentFault(f"{target} cannot be written: {error}") from error
    finally:
        pyogrio.set_gdal_config_options(before)
    return target


def polygons_of(codes: NDArray[np.int32], grid: Grid) -> dict[int, Any]:
    """Return the shapely polygons of the cells of each code, in the CRS of the grid.

    Parameters
    ----------
    codes
        Code of each cell, -1 outside.
    grid
        The cells.
    """
    import rasterio.features
    import shapely
    from rasterio.transform import Affine

    found: dict[int, list[Any]] = {}
    shapes = rasterio.features.shapes(codes, mask=codes >= 0, transform=Affine(*grid.transform))
    for geometry, code in shapes:
        found.setdefault(int(code), []).append(shapely.geometry.shape(geometry))
    return {code: shapely.MultiPolygon(parts) for code, parts in sorted(found.items())}


def _units(load: SedimentLoad, grid: Grid) -> Any:
    import geopandas

    found = polygons_of(unit_of_cells(load), grid)
    units, spans = load.site.ground_units, load.schedule.disturbed
    phases = [
        ", ".join(p.id for p in sorted(load.site.phases, key=lambda p: p.start) if u.id in p.units) for u in units
    ]
    days = [("", "") if s is None else (s[0].isoformat(), s[1].isoformat()) for s in spans]
    data = {
        "id": [units[k].id for k in found],
        "acres": [_acres(p, grid) for p in found.values()],
        "phases": [phases[k] for k in found],
        "first_disturbance": [days[k][0] for k in found],
        "final_stabilization": [days[k][1] for k in found],
    }
    return geopandas.GeoDataFrame(data, geometry=list(found.values()), crs=grid.crs)


def _areas(load: SedimentLoad, grid: Grid) -> Any:
    import geopandas

    found = polygons_of(area_of_cells(load), grid)
    areas, windows = load.site.drainage_areas, load.windows
    worst = [None if windows.worst[k] < 0 else float(windows.tons_per_acre[windows.worst[k], k]) for k in found]
    data = {
        "id": [areas[k].id for k in found],
        "outfall": [areas[k].outfall for k in found],
        "acres": [_acres(p, grid) for p in found.values()],
        "discharge_tons": [windows.average[k].tons for k in found],
        "worst_12_months_tons_per_acre": worst,
    }
    return geopandas.GeoDataFrame(data, geometry=list(found.values()), crs=grid.crs)


def _outfalls(load: SedimentLoad, grid: Grid) -> Any:
    import geopandas
    import shapely

    found, areas = outfalls_of(load), load.site.drainage_areas
    data = {"id": [areas[o.area].outfall for o in found], "drainage_area": [areas[o.area].id for o in found]}
    return geopandas.GeoDataFrame(data, geometry=[shapely.Point(o.x, o.y) for o in found], crs=grid.crs)


def _acres(polygon: Any, grid: Grid) -> float:
    return float(polygon.area) / grid.transform[0] ** 2 * grid.cell_acres


def _add_styles(path: Path, layers: dict[str, list[str]]) -> None:
    """Add the table of styles that QGIS reads when it opens a layer."""
    with sqlite3.connect(path) as base:
        base.execute(_STYLE_TABLE)
        base.execute(
            "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, last_change) "
            "VALUES ('layer_styles', 'attributes', 'layer_styles', '', ?)",
            (_CHANGED,),
        )
        for name, ids in layers.items():
            qml = _points() if name == "outfalls" else _fills(ids)
            base.execute(
                "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, "
                "styleName, styleQML, styleSLD, useAsDefault, description, owner, update_time) "
                "VALUES ('', '', ?, 'geom', ?, ?, '', 1, '', '', ?)",
                (name, name, qml, _CHANGED),
            )
    base.close()


def _fills(ids: list[str]) -> str:
    """Return the style of areas: a fill for each id, as on the maps."""
    quoted: Any = xml.sax.saxutils.quoteattr
    categories = "".join(
        f'<category symbol="{k}" value={quoted(name)} label={quoted(name)} render="true"/>'
        for k, name in enumerate(ids)
    )
    symbols = "".join(
        f'<symbol type="fill" name="{k}" alpha="0.6"><layer class="SimpleFill"><Option type="Map">'
        f'<Option type="QString" name="color" value="{_rgb(FILLS[k % len(FILLS)])}"/>'
        '<Option type="QString" name="outline_color" value="31,45,61,255"/>'
        '<Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>'
        for k in range(len(ids))
    )
    return _qml(
        f'<renderer-v2 type="categorizedSymbol" attr="id"><categories>{categories}</categories>'
        f"<symbols>{symbols}</symbols></renderer-v2>"
    )


def _points() -> str:
    return _qml(
        '<renderer-v2 type="singleSymbol"><symbols><symbol type="marker" name="0"><layer class="SimpleMarker">'
        '<Option type="Map"><Option type="QString" name="name" value="triangle"/>'
        '<Option type="QString" name="angle" value="180"/><Option type="QString" name="color" value="0,0,0,255"/>'
        '<Option type="QString" name="size" value="3"/></Option></layer></symbol></symbols></renderer-v2>'
    )


def _qml(renderer: str) -> str:
    return f"<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'><qgis version=\"3.28\">{renderer}</qgis>"


def _rgb(color: str) -> str:
    return ",".join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5)) + ",255"
