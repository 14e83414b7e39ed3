import json

import numpy as np
import pytest
from shapely.geometry import LineString, Point, mapping

from sedcalc.findings import InputError
from sedcalc.io.drainage import drainage_areas
from sedcalc.io.surfaces import ls_of_surface
from sedcalc.io.vectors import cells_of_place, read_mask, zone_polygons
from sedcalc.terrain.grid import grid_from_array

WEST, NORTH = 420_000.0, 4_750_000.0


def surface(z):
    return grid_from_array(z, (10, 0, WEST, 0, -10, NORTH), "EPSG:26916", xy_unit_m=1.0, z_unit_m=1.0)


@pytest.fixture
def valley():
    """12 x 9 cells of 10 m; side slopes five times as steep as the valley in the middle column."""
    return surface(250 + np.abs(np.arange(-4, 5.0))[None, :] - 0.2 * np.arange(12.0)[:, None])


def places(path, **geometries):
    features = [
        {"type": "Feature", "properties": {"id": name}, "geometry": mapping(g)} for name, g in geometries.items()
    ]
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}))
    return path


def at(col, row):
    return Point(WEST + 10 * col, NORTH - 10 * row)


def test_a_fence_and_an_outfall_as_masks_acres_and_polygons(tmp_path, valley):
    fence = LineString([at(0.5, 3.5), at(8.5, 3.5)])
    found = drainage_areas(valley, places(tmp_path / "p.geojson", fence=fence, outfall=at(4.5, 11.5)), "id")
    upper, lower = found.catchments.places
    assert (upper.cells, lower.cells) == (4 * 9, 8 * 9)
    assert (upper.downstream, lower.downstream) == ("outfall", None)
    polygons = dict(found.polygons)
    assert polygons["fence"].area == pytest.approx(36 * 100.0, rel=1e-12)
    assert polygons["outfall"].bounds == (WEST, NORTH - 120, WEST + 90, NORTH - 40)
    assert found.moved_m == {"fence": 0.0, "outfall": 0.0}


def test_points_snap_to_the_flow_and_it_is_said(tmp_path, valley):
    path = places(tmp_path / "p.geojson", outfall=at(2.5, 11.5))
    assert drainage_areas(valley, path, "id").catchments.places[0].cells == 3
    found = drainage_areas(valley, path, "id", snap_m=25.0)
    assert found.catchments.places[0].cells == 12 * 9
    assert found.moved_m == {"outfall": 20.0}
    assert [f.code for f in found.findings] == ["place-moved"]


def test_wrong_places(tmp_path, valley):
    path = places(tmp_path / "p.geojson", outfall=at(40.5, 11.5))
    with pytest.raises(InputError, match="no cell with an elevation"):
        drainage_areas(valley, path, "id")
    with pytest.raises(InputError, match="zero or more"):
        drainage_areas(valley, path, "id", snap_m=-1.0)
    twice = json.loads(path.read_text())
    twice["features"] *= 2
    path.write_text(json.dumps(twice))
    with pytest.raises(InputError, match="stands twice"):
        drainage_areas(valley, path, "id")


def test_zones_come_back_from_their_polygons(valley):
    index = np.random.default_rng(2).integers(-1, 3, valley.shape).astype(np.int32)
    again = np.full(valley.shape, -1)
    for value, outline in zone_polygons(index, ["a", "b", "c"], valley):
        assert outline.area == pytest.approx(100.0 * (index == "abc".index(value)).sum(), rel=1e-12)
        for r, c in np.argwhere(index >= 0):
            if outline.contains(at(c + 0.5, r + 0.5)):
                again[r, c] = "abc".index(value)
    assert np.array_equal(again, index)


def test_cells_of_a_line_touch_each_other(valley):
    row, col = cells_of_place(LineString([at(0.2, 0.7), at(8.3, 6.1)]), valley)
    found = set(zip(row.tolist(), col.tolist(), strict=True))
    start = min(found)
    reached, waiting = {start}, [start]
    while waiting:
        r, c = waiting.pop()
        for step in {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)} & found - reached:
            reached.add(step)
            waiting.append(step)
    assert reached == found


def test_masks_may_be_files(tmp_path, valley):
    roof = at(2.0, 2.0).buffer(14.0, cap_style="square")  # columns and rows 0.6 to 3.4: centres 1.5 and 2.5
    path = places(tmp_path / "roof.geojson", roof=roof)
    mask = read_mask(path, valley, what="sealed")
    assert mask[1:3, 1:3].all()
    assert mask.sum() == 4
    ditch = places(tmp_path / "ditch.geojson", ditch=LineString([at(4.5, 0.5), at(4.5, 11.5)]))
    result = ls_of_surface(valley, sealed=path, channels=ditch)
    assert (result.ls.values[mask] == 0).all()
    assert np.isnan(result.ls.values[:, 4]).all()
    with pytest.raises(InputError, match="sealed: none holds"):
        read_mask(places(tmp_path / "far.geojson", far=at(100, 100).buffer(5)), valley, what="sealed")
