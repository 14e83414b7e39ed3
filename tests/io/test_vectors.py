import json

import geopandas
import numpy as np
import pytest
import shapely
from shapely.geometry import LineString, box, mapping

from sedcalc.findings import InputError
from sedcalc.io.vectors import overlap_text, rasterize_zones, read_barriers, read_polygons
from sedcalc.terrain.grid import grid_from_array

WEST, NORTH = 420_000.0, 4_750_000.0
CELL_ACRES = 100 / 4046.8564224


@pytest.fixture
def grid():
    """10 rows x 20 columns of 10 m in UTM zone 16N."""
    return grid_from_array(np.zeros((10, 20)), (10, 0, WEST, 0, -10, NORTH), "EPSG:26916", xy_unit_m=1.0)


def square(left, top, right, bottom):
    """A box by columns and rows of the grid."""
    return box(WEST + 10 * left, NORTH - 10 * bottom, WEST + 10 * right, NORTH - 10 * top)


def geopackage(path, geometries, crs="EPSG:26916", layer="zones", **columns):
    geopandas.GeoDataFrame(columns, geometry=geometries, crs=crs).to_file(path, driver="GPKG", layer=layer)
    return path


def geojson(path, geometries, crs=None, **columns):
    features = [
        {
            "type": "Feature",
            "properties": {name: values[i] for name, values in columns.items()},
            "geometry": mapping(g) if g is not None else None,
        }
        for i, g in enumerate(geometries)
    ]
    content = {"type": "FeatureCollection", "features": features}
    if crs is not None:
        content["crs"] = crs
    path.write_text(json.dumps(content))
    return path


def codes(error):
    return [f.code for f in error.value.findings]


def test_zones_by_cell_centre_with_acres(tmp_path, grid):
    path = geopackage(tmp_path / "a.gpkg", [square(0, 0, 5, 10), square(5, 0, 12, 10)], phase=["clear", "grade"])
    zones = rasterize_zones(read_polygons(path, "phase", grid), grid)
    assert zones.values == ("clear", "grade")
    assert (zones.index[:, :5] == 0).all()
    assert (zones.index[:, 5:12] == 1).all()
    assert (zones.index[:, 12:] == -1).all()
    assert zones.acres == pytest.approx((50 * CELL_ACRES, 70 * CELL_ACRES), rel=1e-12)
    assert zones.gap_acres == pytest.approx(80 * CELL_ACRES, rel=1e-12)
    assert zones.overlaps == ()
    assert zones.outside_acres == 0


def test_centres_decide_on_cells_that_a_polygon_cuts(grid):
    zones = rasterize_zones([("a", square(0, 0, 2.4, 1)), ("b", square(2.4, 0, 4.6, 1))], grid)
    assert zones.index[0, :6].tolist() == [0, 0, 1, 1, 1, -1]


def test_overlaps_are_measured_and_the_first_has_the_cells(grid):
    features = [("a", square(0, 0, 6, 10)), ("b", square(4, 0, 8, 10)), ("a", square(5, 0, 7, 5))]
    zones = rasterize_zones(features, grid)
    # b meets the first a on 2 x 10 cells and the second a on 2 x 5 cells
    assert zones.overlaps == (("a", "b", pytest.approx(30 * CELL_ACRES, rel=1e-9)),)
    assert (zones.index[:, :6] == 0).all()
    assert (zones.index[6:, 6:8] == 1).all()


@pytest.mark.parametrize(("cells", "told"), [(0.001, False), (0.45, False), (0.55, True)])
def test_overlaps_narrower_than_half_a_cell_are_of_drawing(grid, cells, told):
    """Two squares that share an edge, one drawn over the other by a part of a cell."""
    pair = [("a", square(1, 1, 4, 4)), ("b", square(4 - cells, 1, 6, 4))]
    zones = rasterize_zones(pair, grid)
    assert zones.overlaps == ((("a", "b", pytest.approx(3 * cells * CELL_ACRES, rel=1e-9)),) if told else ())
    assert np.bincount(zones.index[zones.index >= 0]).tolist() == [9, 6]


def test_a_small_overlap_is_told_in_square_feet():
    assert overlap_text(9.884e-05) == "4.305 sq ft"  # times 43,560
    assert overlap_text(0.2) == "0.2 acres"


def test_nodata_has_no_zone_and_area_beyond_the_grid_is_told(grid):
    values = grid.values.copy()
    values[0, :3] = np.nan
    holed = grid.with_values(values)
    zones = rasterize_zones([("a", square(-2, 0, 20, 10))], holed)
    assert (zones.index[0, :3] == -1).all()
    assert zones.acres[0] == pytest.approx(197 * CELL_ACRES, rel=1e-12)
    assert zones.outside_acres == pytest.approx(20 * CELL_ACRES, rel=1e-9)
    assert zones.gap_acres == 0


def test_longitude_and_latitude_are_brought_to_the_grid(tmp_path, grid):
    shape = square(3, 2, 9, 7)
    there = geopandas.GeoSeries([shape], crs="EPSG:26916").to_crs("EPSG:4326")[0]
    for path in (
        geojson(tmp_path / "a.geojson", [there], unit=["u"]),
        geopackage(tmp_path / "a.gpkg", [there], crs="EPSG:4326", unit=["u"]),
    ):
        ((value, back),) = read_polygons(path, "unit", grid)
        assert value == "u"
        assert back.symmetric_difference(shape).area < 1e-3
    stated = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    ((_, same),) = read_polygons(geojson(tmp_path / "b.geojson", [shape], stated, unit=["u"]), "unit", grid)
    assert same.equals(shape)
    degrees = {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
    ((_, back),) = read_polygons(geojson(tmp_path / "c.geojson", [there], degrees, unit=["u"]), "unit", grid)
    assert back.symmetric_difference(shape).area < 1e-3


@pytest.mark.parametrize(
    "member",
    [
        {"type": "link", "properties": {"href": "http://127.0.0.1:9/crs", "type": "proj4"}},
        {"type": "name", "properties": {"name": "http://127.0.0.1:9/crs"}},
        {"type": "name", "properties": {}},
        "EPSG:26916",
    ],
)
def test_a_crs_that_is_no_name_is_refused(tmp_path, grid, member):
    with pytest.raises(InputError) as error:
        read_polygons(geojson(tmp_path / "a.geojson", [square(0, 0, 1, 1)], member, unit=["u"]), "unit", grid)
    assert codes(error) == ["crs-unknown"]


def test_all_mistakes_of_a_file_come_at_once(tmp_path, grid):
    bow_tie = shapely.Polygon([(-88, 42), (-87, 43), (-87, 42), (-88, 43)])
    shapes = [box(-88, 42, -87, 43), LineString([(-88, 42), (-87, 43)]), bow_tie, None]
    path = geojson(tmp_path / "a.geojson", shapes, unit=[None, "b", "c", "d"])
    with pytest.raises(InputError) as error:
        read_polygons(path, "unit", grid)
    assert codes(error) == ["attribute-empty", "geometry-kind", "geometry-invalid", "geometry-kind"]
    assert [f.where for f in error.value.findings] == [f"a.geojson[{i}]" for i in range(4)]
    with pytest.raises(InputError) as error:
        read_polygons(path, "phase", grid)
    assert codes(error) == ["attribute-missing", "geometry-kind", "geometry-invalid", "geometry-kind"]
    assert str(error.value.findings[0]) == (
        "a.geojson: polygons: no feature has an attribute 'phase'; name one of: unit"
    )


def test_an_attribute_that_one_feature_lacks(tmp_path, grid):
    path = geojson(tmp_path / "a.geojson", [box(-88, 42, -87, 43)] * 3, unit=["a", "b", "c"])
    content = json.loads(path.read_text())
    del content["features"][1]["properties"]["unit"]
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as error:
        read_polygons(path, "unit", grid)
    (found,) = error.value.findings
    assert (found.code, found.where) == ("attribute-missing", "a.geojson[1]")
    assert "no attribute 'unit', as others have" in found.message
    for feature in content["features"]:
        feature["properties"] = {}
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="no feature has any attribute; give them 'unit' in the GIS"):
        read_polygons(path, "unit", grid)


def test_a_layer_of_a_file_that_has_none_is_refused(tmp_path, grid):
    path = geojson(tmp_path / "a.geojson", [box(-88, 42, -87, 43)], unit=["a"])
    with pytest.raises(InputError, match="a GeoJSON file has no layer 'lots'; leave the layer out"):
        read_polygons(path, "unit", grid, layer="lots")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1",
        '{"type": "FeatureCollection", "features": 3}',
        "[" * 100_000,
        '{"type": "FeatureCollection", "features": [1]}',
    ],
)
def test_garbage_is_refused(tmp_path, grid, text):
    path = tmp_path / "a.geojson"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_polygons(path, "unit", grid)
    assert codes(error) == ["vector-unreadable"]


def test_a_broken_geopackage_is_refused(tmp_path, grid):
    path = tmp_path / "a.gpkg"
    path.write_bytes(b"SQLite format 3\0" + b"\1" * 5000)
    with pytest.raises(InputError) as error:
        read_polygons(path, "unit", grid)
    assert codes(error) == ["vector-unreadable"]


def test_layers_must_be_named_where_there_are_several(tmp_path, grid):
    path = geopackage(tmp_path / "a.gpkg", [square(0, 0, 5, 5)], unit=["u"])
    geopackage(path, [square(5, 0, 9, 5)], layer="soils", unit=["s"])
    with pytest.raises(InputError, match="zones, soils"):
        read_polygons(path, "unit", grid)
    with pytest.raises(InputError, match="no layer 'soil'"):
        read_polygons(path, "unit", grid, layer="soil")
    assert read_polygons(path, "unit", grid, layer="soils")[0][0] == "s"


def test_degrees_in_the_wrong_order_are_found(tmp_path, grid):
    swapped = box(42.9, -188.1, 43.0, -188.0)
    with pytest.raises(InputError) as error:
        read_polygons(geojson(tmp_path / "a.geojson", [swapped], unit=["u"]), "unit", grid)
    assert codes(error) == ["vector-outside-crs"]


def test_barrier_lines_have_no_gaps(tmp_path, grid):
    line = LineString([(WEST + 2, NORTH - 97), (WEST + 188, NORTH - 4)])
    mask = read_barriers(geopackage(tmp_path / "a.gpkg", [line]), grid)
    rows, cols = np.nonzero(mask)
    # every cell of the line shares a side with the next: no diagonal step lies between them
    assert len(rows) == (rows.max() - rows.min()) + (cols.max() - cols.min()) + 1
    away = LineString([(0, 0), (10, 10)])
    with pytest.raises(InputError, match="none lies on the DEM"):
        read_barriers(geopackage(tmp_path / "b.gpkg", [away]), grid)
