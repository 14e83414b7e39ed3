"""An interactive map for a notebook, by folium."""

import base64
from importlib import import_module
from typing import Any, Final

from sedcalc.findings import EnvironmentFault
from sedcalc.io.crs import parse_crs
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report.maps.classes import loss_classes
from sedcalc.report.maps.geopackage import polygons_of
from sedcalc.report.maps.outfalls import outfalls_of
from sedcalc.report.maps.overlay import in_degrees, png_of
from sedcalc.report.maps.themes import (
    Result,
    area_of_cells,
    cells_of,
    load_of,
    ordinance_of,
    phase_soil_loss,
    unit_of_cells,
)

_OUTLINE: Final = {"color": "#1f2d3d", "weight": 2, "fillOpacity": 0.0}


def explore(result: Result, *, tiles: str | None = "OpenStreetMap") -> Any:
    """Return an interactive map: soil loss of each phase, ground units, drainage areas and outfalls as layers.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    tiles
        Background that folium knows, fetched by the reader's browser; None: no background, nothing fetched for it.

    Returns
    -------
    folium.Map
        It displays itself in a notebook; ``save("map.html")`` writes it.

    Raises
    ------
    EnvironmentFault
        folium is not installed.
    InputError
        The site has no cells or no CRS.
    """
    load = load_of(result)
    cells_of(load)
    try:
        folium: Any = import_module("folium")  # an extra: nothing here knows its types
    except ImportError:
        raise EnvironmentFault("the interactive map needs folium, which is not installed: pip install folium") from None
    standard = ordinance_of(result).standard
    limit = None if standard is None else standard.limit
    drawn = folium.Map(tiles=tiles, control_scale=True)
    bounds: Any = None
    for number, phase in enumerate(load.site.phases):
        grid = phase_soil_loss(load, phase.id)
        shown = in_degrees(grid, loss_classes(grid.values, limit, load.site.units))
        bounds = [[shown.south, shown.west], [shown.north, shown.east]]
        image = "data:image/png;base64," + base64.b64encode(png_of(shown.pixels)).decode()
        name = f"soil loss: {phase.id}, {phase.start} to {phase.end}"
        folium.raster_layers.ImageOverlay(image, bounds, name=_plain(name), show=number == 0).add_to(drawn)
    for name, features, fields in (_units(load), _areas(load)):
        tooltip = folium.GeoJsonTooltip(fields=fields)
        folium.GeoJson(features, name=name, style_function=lambda _: _OUTLINE, tooltip=tooltip).add_to(drawn)
    outfalls = folium.FeatureGroup(name="outfalls")
    for name, latitude, longitude in _outfalls(load):
        folium.CircleMarker((latitude, longitude), radius=6, color="black", tooltip=_plain(name)).add_to(outfalls)
    outfalls.add_to(drawn)
    drawn.fit_bounds(bounds)
    folium.LayerControl(collapsed=False).add_to(drawn)
    return drawn


def _units(load: SedimentLoad) -> tuple[str, dict[str, Any], list[str]]:
    units = load.site.ground_units
    phases = [", ".join(p.id for p in load.site.phases if u.id in p.units) or "not disturbed" for u in units]
    said = [{"ground unit": _plain(u.id), "phases": _plain(p)} for u, p in zip(units, phases, strict=True)]
    return "ground units", _features(load, unit_of_cells(load), said), ["ground unit", "phases"]


def _areas(load: SedimentLoad) -> tuple[str, dict[str, Any], list[str]]:
    windows, said = load.windows, []
    for k, area in enumerate(load.site.drainage_areas):
        row = int(windows.worst[k])
        figure = "none" if row < 0 else f"{windows.tons_per_acre[row, k]:.2f} tons/acre"
        said.append({"drainage area": _plain(area.id), "outfall": _plain(area.outfall), "worst 12 months": figure})
    return "drainage areas", _features(load, area_of_cells(load), said), list(said[0])


def _outfalls(load: SedimentLoad) -> list[tuple[str, float, float]]:
    """Return name, latitude and longitude of each outfall, degrees."""
    import pyproj

    crs = cells_of(load).grid.crs
    assert crs is not None  # without it no picture in degrees was made
    to_degrees = pyproj.Transformer.from_crs(parse_crs(crs), "EPSG:4326", always_xy=True)
    places = [(o.name, *to_degrees.transform(o.x, o.y)) for o in outfalls_of(load)]
    return [(name, float(y), float(x)) for name, x, y in places]


def _features(load: SedimentLoad, codes: Any, said: list[dict[str, str]]) -> dict[str, Any]:
    import geopandas

    grid = cells_of(load).grid
    found = polygons_of(codes, grid)
    frame = geopandas.GeoDataFrame([said[k] for k in found], geometry=list(found.values()), crs=grid.crs)
    collection: dict[str, Any] = frame.to_crs("EPSG:4326").to_geo_dict()
    return collection


def _plain(text: str) -> str:
    """Return a text of the site for a page: folium writes names and tooltips as HTML."""
    from html import escape

    return escape(text, quote=True)
