import json

import geopandas
import numpy as np
import pytest
from shapely.geometry import LineString, Point, mapping

from sedcalc.findings import InputError
from sedcalc.io.drawings import read_drawing
from sedcalc.terrain.ls_raster import ls_raster

WEST, NORTH = 420_000.0, 4_750_000.0
CRS = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}


def spots(n=60):
    """Points of a plane of 10 % that falls to the south."""
    xy = np.random.default_rng(1).uniform(0, 100, (n, 2))
    corners = [[0, 0], [100, 0], [0, 100], [100, 100]]
    return [Point(WEST + x, NORTH + y, 200 + 0.1 * y) for x, y in [*corners, *xy.tolist()]]


def geojson(path, geometries, crs=CRS, **columns):
    features = [
        {"type": "Feature", "properties": {k: v[i] for k, v in columns.items()}, "geometry": mapping(g)}
        for i, g in enumerate(geometries)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features} | ({"crs": crs} if crs else {})))
    return path


def test_a_plane_of_spot_elevations_has_the_ls_of_its_slope(tmp_path):
    drawn = read_drawing(geojson(tmp_path / "plan.geojson", spots()), cell=2.0, z_units="m")
    result = ls_raster(drawn.grid)
    np.testing.assert_allclose(result.slope, 0.1, rtol=1e-6)
    assert drawn.grid.bounds == (WEST, NORTH, WEST + 100, NORTH + 100)
    assert drawn.held_back.largest < 1e-6
    assert "surface-misfit" in {f.code for f in drawn.grid.findings}


def test_layers_of_a_geopackage_come_together(tmp_path):
    path = tmp_path / "plan.gpkg"
    geopandas.GeoDataFrame(geometry=spots(), crs="EPSG:26916").to_file(path, layer="spots", driver="GPKG")
    ridge = LineString([(WEST, NORTH + 50, 215), (WEST + 100, NORTH + 50, 215)])
    geopandas.GeoDataFrame(geometry=[ridge], crs="EPSG:26916").to_file(path, layer="breaks", driver="GPKG")
    both = read_drawing(path, cell=1.0, z_units="m")
    assert np.nanmax(both.grid.values) > 214
    only = read_drawing(path, cell=1.0, z_units="m", layers=["spots"])
    assert np.nanmax(only.grid.values) < 211


def test_contours_by_attribute_in_feet(tmp_path):
    lines = [LineString([(WEST, NORTH + y), (WEST + 100, NORTH + y)]) for y in range(0, 101, 10)]
    levels = [650.0 + y / 10 for y in range(0, 101, 10)]
    path = geojson(tmp_path / "c.geojson", lines, level=levels)
    drawn = read_drawing(path, cell=2.0, z_units="ft", elevation="level")
    assert drawn.grid.z_unit_m == 0.3048
    np.testing.assert_allclose(ls_raster(drawn.grid).slope[2:-2], 0.1 * 0.3048, rtol=1e-6)  # 1 ft in 10 m
    with pytest.raises(InputError, match="no elevation"):
        read_drawing(path, cell=2.0, z_units="ft")
    with pytest.raises(InputError, match="nothing says whether"):
        read_drawing(path, cell=2.0, elevation="level")


def test_contours_alone_are_told_where_they_are_flat(tmp_path):
    turn = np.linspace(0, 2 * np.pi, 90)
    rings = [
        LineString(np.column_stack([WEST + r * np.cos(turn), NORTH + r * np.sin(turn), np.full(90, 300 - r / 5)]))
        for r in (10, 20, 30)
    ]
    found = read_drawing(geojson(tmp_path / "c.geojson", rings), cell=1.0, z_units="m").grid.findings
    (flat,) = [f for f in found if f.code == "flat-between-contours"]
    assert flat.severity == "warning"


@pytest.mark.parametrize(
    ("crs", "geometry", "text"),
    [
        (None, Point(-88.0, 42.9, 200.0), "in degrees"),
        (None, Point(-88.0, 42.9, 200.0), r"ogr2ogr -t_srs EPSG:26916 OUT IN; or EPSG:2289 \(NAD83 / Wisconsin South"),
        (CRS, Point(WEST, NORTH), "no elevation"),
        (CRS, Point(WEST + 5, NORTH + 6, -9999), "1 vertex has no elevation.*first -9999 at x 420005, y 4750006"),
        (CRS, Point(WEST, NORTH, 1.0).buffer(5.0), "the geometry is Polygon"),
    ],
)
def test_drawings_that_are_refused(tmp_path, crs, geometry, text):
    points = [geometry] if crs is None else [*spots(), geometry]
    with pytest.raises(InputError, match=text):
        read_drawing(geojson(tmp_path / "d.geojson", points, crs), cell=2.0, z_units="m")
