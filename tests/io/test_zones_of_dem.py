"""Zones of one elevation model: LS as in the whole of it, read by windows, in one map of the same bytes however."""

import json
import subprocess
import sys

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from sedcalc.findings import EnvironmentFault, InputError
from sedcalc.io import zone_windows, zones_of_dem
from sedcalc.io.cluster import cluster_client
from sedcalc.io.raster_rows import RasterRows
from sedcalc.io.rasters import read_grid
from sedcalc.io.surfaces import ls_of_surface
from sedcalc.io.zones_of_dem import ls_of_zones
from sedcalc.terrain import grid as terrain_grid

WEST, NORTH, CELL = 420_000.0, 4_750_000.0, 2.0
ROWS, COLS = 90, 120
RIDGES = (0, 40, 80, 120)
"""Columns at whose western edge a ridge runs north to south."""


def dem_of(path, z, *, west=WEST, north=NORTH, cell=CELL, crs="EPSG:26916", south_up=False):
    transform = Affine(cell, 0, west, 0, cell if south_up else -cell, north)
    profile = {"driver": "GTiff", "height": z.shape[0], "width": z.shape[1], "count": 1, "dtype": z.dtype}
    with rasterio.open(path, "w", **profile, crs=crs, transform=transform, nodata=np.nan) as out:
        out.write(z, 1)
    return path


@pytest.fixture
def dem(tmp_path):
    """Three valleys between ridges, 15 % down to the middle and 3 % to the south, with noise that has no pits."""
    row, col = np.indices((ROWS, COLS))
    across = np.abs((col % 40) - 19.5)
    rough = np.random.default_rng(7).random((ROWS, COLS)) * 0.01
    return dem_of(tmp_path / "dem.tif", 200 + CELL * (0.15 * across - 0.03 * row) + rough)


def ring(west, north, east, south):
    """Corners of a rectangle, in cells from the north-west."""
    points = [(west, north), (east, north), (east, south), (west, south), (west, north)]
    return [[WEST + CELL * x, NORTH - CELL * y] for x, y in points]


def drawn(path, zones, crs="EPSG:26916"):
    """A file of zones: id and rings, or id and the rings of several polygons."""
    features = []
    for id, rings in zones:
        kind = "MultiPolygon" if isinstance(rings[0][0][0], list) else "Polygon"
        features.append(
            {
                "type": "Feature",
                "properties": {"id": id},
                "geometry": {"type": kind, "coordinates": rings},
            }
        )
    named = {"type": "name", "properties": {"name": crs}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": named, "features": features}))
    return path


def valleys(path):
    return drawn(path, [(f"v{k}", [ring(RIDGES[k], 0, RIDGES[k + 1], ROWS)]) for k in range(3)])


def ls_of(path):
    with rasterio.open(path) as source:
        return source.read(1)


def codes(findings):
    return [f.code for f in findings]


def test_zones_along_the_divides_have_the_ls_of_the_whole(dem, tmp_path):
    """What a ridge divides does not depend on what lies beyond it."""
    whole = ls_of_surface(read_grid(dem, z_units="m"))
    found = ls_of_zones(
        dem, valleys(tmp_path / "zones.geojson"), tmp_path / "ls.tif", attribute="id", halo_m=6.0, z_units="m"
    )
    ls = ls_of(tmp_path / "ls.tif")
    np.testing.assert_allclose(ls, whole.ls.values.astype(np.float32), rtol=1e-6)
    assert [z.id for z in found.zones] == ["v0", "v1", "v2"]
    for zone, first in zip(found.zones, RIDGES, strict=False):
        assert zone.summary.lower_bound == np.count_nonzero(whole.lower_bound[:, first : first + 40])
        assert zone.summary.mean == pytest.approx(whole.ls.values[:, first : first + 40].mean(), rel=1e-6)
        assert zone.summary.max == pytest.approx(whole.ls.values[:, first : first + 40].max(), rel=1e-6)
    assert sum(z.summary.cells for z in found.zones) == whole.summary.cells
    with rasterio.open(tmp_path / "ls.tif") as written, rasterio.open(dem) as read:
        assert (written.transform, written.crs, written.shape) == (read.transform, read.crs, read.shape)
        assert (written.dtypes[0], written.block_shapes[0]) == ("float32", (256, 256))
        assert (written.tags()["HALO_M"], written.tags()["ZONES"], written.tags()["ROUTING"]) == ("6", "3", "mfd")


def test_a_divide_drawn_off_the_ridge_needs_a_halo_and_the_share_of_lower_bounds_says_so(dem, tmp_path):
    whole = ls_of_surface(read_grid(dem, z_units="m"))
    zones = drawn(tmp_path / "zones.geojson", [("v", [ring(46, 20, 74, ROWS)])])  # 12 m inside the ridges
    here = (slice(20, ROWS), slice(46, 74))
    got = {}
    for halo in (0.0, 200.0):
        found = ls_of_zones(dem, zones, tmp_path / "ls.tif", attribute="id", halo_m=halo, z_units="m")
        got[halo] = found.zones[0].summary, ls_of(tmp_path / "ls.tif")
    cut, complete = got[0.0], got[200.0]
    assert cut[0].lower_bound_share > 0.9
    assert cut[0].mean < 0.8 * complete[0].mean
    bound = whole.lower_bound[here]
    assert complete[0].lower_bound == np.count_nonzero(bound)
    np.testing.assert_allclose(complete[1][here], whole.ls.values[here], rtol=1e-6)
    assert np.isnan(complete[1]).sum() == ROWS * COLS - 70 * 28
    assert "upslope-area-incomplete" in codes(found.zones[0].findings)
    assert "larger halo" in str(found.zones[0].findings[-1])


def test_a_zone_that_is_the_whole_dem_sums_up_as_the_whole(shared_data, tmp_path):
    """The real lidar surface; classes and counts are those of the kernel that counts all cells."""
    dem = shared_data / "terrain" / "lidar_1m" / "dem.tif"
    with rasterio.open(dem) as source:
        west, south, east, north = source.bounds
    corners = [[west, north], [east, north], [east, south], [west, south], [west, north]]
    zones = drawn(tmp_path / "zones.geojson", [("all", [corners])], crs="EPSG:26915")
    whole = ls_of_surface(read_grid(dem, z_units="m"), channel_threshold_m2=5_000.0)
    options = {"z_units": "m", "halo_m": 1e300, "channel_threshold_m2": 5_000.0}
    found = ls_of_zones(dem, zones, tmp_path / "ls.tif", attribute="id", **options)
    np.testing.assert_array_equal(ls_of(tmp_path / "ls.tif"), whole.ls.values)
    got, expected = found.zones[0].summary, whole.summary
    for name in ("cells", "acres", "lower_bound", "lower_bound_share", "channels", "over_60_pct"):
        assert getattr(got, name) == getattr(expected, name), name
    assert got.channels > 100
    assert got.mean == pytest.approx(expected.mean, rel=1e-6)
    assert got.max == pytest.approx(expected.max, rel=1e-6)
    assert [c.cells for c in got.classes] == [c.cells for c in expected.classes]
    # sums of LS as it is written, float32, against sums before
    assert [c.mean_ls for c in got.classes] == pytest.approx([c.mean_ls for c in expected.classes], rel=1e-6)
    texts = [f.message for f in found.zones[0].findings if "steeper" in f.message]
    assert texts == [f.message for f in whole.findings if "steeper" in f.message]


def test_a_part_of_the_lidar_surface_has_the_ls_of_the_whole(shared_data, tmp_path):
    dem = shared_data / "terrain" / "lidar_1m" / "dem.tif"
    with rasterio.open(dem) as source:
        west, _, _, north = source.bounds
    corners = [[west + x, north - y] for x, y in ((150, 150), (260, 160), (240, 270), (140, 250), (150, 150))]
    zones = drawn(tmp_path / "zones.geojson", [("part", [corners])], crs="EPSG:26915")
    whole = ls_of_surface(read_grid(dem, z_units="m")).ls.values
    shares, off = [], []
    for halo in (0.0, 120.0):
        found = ls_of_zones(dem, zones, tmp_path / "ls.tif", attribute="id", halo_m=halo, z_units="m")
        ls = ls_of(tmp_path / "ls.tif")
        here = ~np.isnan(ls)
        assert np.count_nonzero(here) == found.zones[0].summary.cells
        shares.append(found.zones[0].summary.lower_bound_share)
        off.append(1.0 - ls[here].mean() / whole[here].mean())
    assert shares[0] > 0.05
    assert off[0] > 0.02
    assert shares[1] == 0.0
    np.testing.assert_allclose(ls[here], whole[here], rtol=1e-5)


def test_no_more_than_the_window_of_a_zone_is_read(dem, tmp_path, monkeypatch):
    windows = []
    read = RasterRows.window

    def watched(self, rows, cols):
        windows.append((rows.start, rows.stop, cols.start, cols.stop))
        return read(self, rows, cols)

    monkeypatch.setattr(RasterRows, "window", watched)
    zones = drawn(tmp_path / "zones.geojson", [("a", [ring(10, 20, 30, 40)]), ("b", [ring(90.4, 0, 119.6, 9.6)])])
    ls_of_zones(dem, zones, tmp_path / "ls.tif", attribute="id", halo_m=5.0, z_units="m")
    assert windows == [(17, 43, 7, 33), (0, 13, 87, 120)]  # 5 m are three cells of 2 m; centres count


def test_a_dem_of_more_cells_than_can_be_routed_at_once(dem, tmp_path, monkeypatch):
    monkeypatch.setattr(terrain_grid, "MAX_CELLS", 5_000)  # the DEM has 10,800
    monkeypatch.setattr(zone_windows, "_ROWS_AT_ONCE", 20)
    zones = drawn(tmp_path / "zones.geojson", [("small", [ring(10, 20, 30, 40)]), ("large", [ring(30, 0, 120, ROWS)])])
    found = ls_of_zones(dem, zones, tmp_path / "ls.tif", attribute="id", halo_m=4.0, z_units="m")
    assert found.zones[0].summary.cells == 400
    assert found.zones[1].summary is None
    assert [(f.code, f.where) for f in found.zones[1].findings] == [("grid-too-large", "zone large")]


def test_memory_is_checked_by_the_window_of_each_zone(dem, tmp_path, monkeypatch):
    monkeypatch.setattr(terrain_grid, "machine_memory", lambda: 20 * 3_000)
    zones = drawn(tmp_path / "zones.geojson", [("small", [ring(10, 20, 30, 40)]), ("large", [ring(30, 0, 120, ROWS)])])
    found = ls_of_zones(dem, zones, tmp_path / "ls.tif", attribute="id", halo_m=4.0, z_units="m")
    assert [z.summary is None for z in found.zones] == [False, True]
    (said,) = found.zones[1].findings
    assert (said.where, said.code) == ("zone large", "grid-too-large")
    assert said in found.findings


def test_a_zone_that_fails_does_not_stop_the_others(dem, tmp_path):
    with rasterio.open(dem, "r+") as source:
        z = source.read(1)
        z[40:60, 80:] = np.nan
        source.write(z, 1)
    zones = [
        ("first", [ring(0, 0, 40, ROWS)]),
        ("no ground", [ring(90, 45, 110, 55)]),
        ("half", [ring(85, 50, 95, 70)]),
    ]
    said = []
    target = tmp_path / "ls.tif"
    found = ls_of_zones(
        dem, drawn(tmp_path / "zones.geojson", zones[:2]), target, attribute="id", z_units="m", progress=said.append
    )
    assert [z.summary is None for z in found.zones] == [False, True]
    assert [(f.code, f.where) for f in found.findings if f.severity == "error"] == [
        ("grid-all-nodata", "zone no ground")
    ]
    assert said == ["zone first done, 1 of 2", "zone no ground failed, 2 of 2", "writing"]
    ls = ls_of(target)
    assert not np.isnan(ls[:, :40]).any()
    assert np.isnan(ls[:, 40:]).all()
    half = ls_of_zones(dem, drawn(tmp_path / "zones.geojson", zones[2:]), target, attribute="id", z_units="m").zones[0]
    assert half.summary.cells == 100
    assert half.summary.without_elevation_acres == pytest.approx(100 * CELL**2 / 4046.8564224, rel=1e-12)
    assert "zone-without-elevation" in codes(half.findings)
    before = target.read_bytes()
    none = ls_of_zones(dem, drawn(tmp_path / "zones.geojson", zones[1:2]), target, attribute="id", z_units="m")
    assert (none.out, target.read_bytes()) == (None, before)
    assert not list(tmp_path.glob(".*"))


def test_what_reaches_beyond_the_dem_is_said(dem, tmp_path):
    zones = drawn(tmp_path / "zones.geojson", [("over", [ring(100, 60, 140, 120)])])
    found = ls_of_zones(dem, zones, tmp_path / "ls.tif", attribute="id", z_units="m").zones[0]
    assert found.summary.cells == 20 * 30
    assert found.summary.without_elevation_acres == pytest.approx((2400 - 600) * 4 / 4046.8564224, rel=1e-9)


def test_every_wrong_zone_is_named_at_once(dem, tmp_path):
    zones = [
        ("twice", [ring(0, 0, 10, 10)]),
        ("twice", [ring(10, 0, 20, 10)]),
        ("  ", [ring(20, 0, 30, 10)]),
        ("over", [ring(25, 5, 35, 10)]),
        ("far", [ring(500, 0, 510, 10)]),
        ("tiny", [ring(50.6, 0.6, 50.9, 0.9)]),
    ]
    with pytest.raises(InputError) as error:
        ls_of_zones(dem, drawn(tmp_path / "zones.geojson", zones), tmp_path / "ls.tif", attribute="id", z_units="m")
    said = {f.code: f.message for f in error.value.findings}
    assert set(said) == {
        "zone-repeated",
        "attribute-empty",
        "polygons-overlap",
        "zone-outside",
        "zone-without-cells",
    }
    assert "'twice' stands more than once (2)" in said["zone-repeated"]
    assert "overlap by 0.02471 acres" in said["polygons-overlap"]  # 25 cells of 4 m2
    assert "'far'" in said["zone-outside"]
    assert "'tiny'" in said["zone-without-cells"]
    assert not (tmp_path / "ls.tif").exists()


@pytest.mark.parametrize(
    ("zones", "options", "code"),
    [
        ([("a", [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]])], {}, "geometry-invalid"),
        ([(None, [ring(0, 0, 9, 9)])], {}, "attribute-empty"),
        ([("a", [ring(0, 0, 9, 9)])], {"attribute": "huc"}, "attribute-missing"),
        ([], {}, "vector-empty"),
        ([("a", [ring(0, 0, 9, 9)])], {"halo_m": -1.0}, "halo"),
        ([("a", [ring(0, 0, 9, 9)])], {"halo_m": float("nan")}, "halo"),
        ([("a", [ring(0, 0, 9, 9)])], {"z_units": "yd"}, "z-units-unknown"),
        ([("a", [ring(0, 0, 9, 9)])], {"barriers": np.zeros((ROWS, COLS), bool)}, "mask-kind"),
    ],
)
def test_wrong_input(dem, tmp_path, zones, options, code):
    with pytest.raises(InputError) as error:
        ls_of_zones(
            dem,
            drawn(tmp_path / "zones.geojson", zones),
            tmp_path / "ls.tif",
            **{"attribute": "id", "z_units": "m", **options},
        )
    assert code in codes(error.value.findings)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dem.tif", "zones.geojson"]


def test_wrong_surfaces_and_places(dem, tmp_path):
    zones = valleys(tmp_path / "zones.geojson")
    z = np.full((20, 20), 200.0)
    south_up = dem_of(tmp_path / "turned.tif", z, south_up=True)
    degrees = dem_of(tmp_path / "degrees.tif", z, west=-88.0, north=43.0, cell=1e-4, crs="EPSG:4269")
    for wrong, code in ((south_up, "grid-not-north-up"), (degrees, "crs-geographic"), (zones, "raster-unreadable")):
        with pytest.raises(InputError) as error:
            ls_of_zones(wrong, zones, tmp_path / "ls.tif", z_units="m")
        assert codes(error.value.findings) == [code]
    for read in (dem, zones):
        before = read.read_bytes()
        with pytest.raises(InputError, match="not touched"):
            ls_of_zones(dem, zones, read, z_units="m")
        assert read.read_bytes() == before
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        ls_of_zones(dem, zones, tmp_path / "none" / "ls.tif", z_units="m")


def test_every_cell_is_of_one_of_the_zones_that_share_an_edge(tmp_path):
    """Edges through cell centres, on coordinates that binary fractions do not hold, in windows of their own."""
    west, north, cell = 429_252.313370022, 5_150_885.424942633, 0.3
    row, col = np.indices((40, 40))
    dem = dem_of(tmp_path / "dem.tif", 200.0 + 0.02 * row + 0.01 * col, west=west, north=north, cell=cell)

    def corner(x, y):
        return [west + cell * x, north - cell * y]

    at = [0, 7.5, 19.5, 28.5, 40]
    zones = [
        (f"{i}{j}", [[corner(at[j], at[i]), corner(at[j + 1], at[i]), corner(at[j + 1], at[i + 1])]])
        for i in range(4)
        for j in range(4)
    ]
    halves = []
    for id, ((a, b, c),) in zones:  # each rectangle as two triangles
        halves += [(f"{id}n", [[a, b, c, a]]), (f"{id}s", [[a, c, [a[0], c[1]], a]])]
    found = ls_of_zones(
        dem, drawn(tmp_path / "zones.geojson", halves), tmp_path / "ls.tif", attribute="id", halo_m=1.0, z_units="m"
    )
    assert sum(z.summary.cells for z in found.zones) == 1600
    assert not np.isnan(ls_of(tmp_path / "ls.tif")).any()


def test_several_polygons_holes_numbers_and_degrees(dem, tmp_path):
    import pyproj

    to_degrees = pyproj.Transformer.from_crs("EPSG:26916", "EPSG:4326", always_xy=True).transform

    def in_degrees(corners):
        return [list(to_degrees(x, y)) for x, y in corners]

    with_hole = [in_degrees(ring(5, 5, 25, 25)), in_degrees(ring(10, 10, 15, 15)[::-1])]
    twins = [[in_degrees(ring(50, 50, 60, 60))], [in_degrees(ring(70, 50, 71, 51))]]
    zones = drawn(tmp_path / "zones.geojson", [("hole", with_hole), ("twins", twins)], crs="EPSG:4326")
    found = ls_of_zones(dem, zones, tmp_path / "ls.tif", halo_m=4.0, z_units="m")
    assert [(z.id, z.summary.cells) for z in found.zones] == [("1", 400 - 25), ("2", 101)]
    expected = np.zeros((ROWS, COLS), bool)
    expected[5:25, 5:25] = True
    expected[10:15, 10:15] = False
    expected[50:60, 50:60] = True
    expected[50, 70] = True
    np.testing.assert_array_equal(~np.isnan(ls_of(tmp_path / "ls.tif")), expected)


def test_edges_drawn_twice_by_millimetres(dem, tmp_path):
    """The neighbour begins 1 mm before the other ends; where that is along centres, both hold a column of cells."""
    for edge, first in ((40, 40), (40.5, 41)):
        pair = [("a", [ring(0, 0, edge, ROWS)]), ("b", [ring(edge - 0.0005, 0, COLS, ROWS)])]
        zones = drawn(tmp_path / "zones.geojson", pair)
        found = ls_of_zones(dem, zones, tmp_path / "ls.tif", attribute="id", halo_m=4.0, z_units="m")
        assert [z.summary.cells for z in found.zones] == [first * ROWS, 80 * ROWS]
        assert not np.isnan(ls_of(tmp_path / "ls.tif")).any()


def test_small_zones_share_a_task_and_large_ones_do_not(dem, tmp_path, monkeypatch):
    opened = []
    start = RasterRows.__init__

    def watched(self, path, **options):
        opened.append(path)
        start(self, path, **options)

    monkeypatch.setattr(RasterRows, "__init__", watched)
    zones = valleys(tmp_path / "zones.geojson")
    for cells, tasks in ((2**20, 1), (ROWS * 40 * 2, 2), (1, 3)):
        monkeypatch.setattr(zones_of_dem, "_CELLS_OF_TASK", cells)
        opened.clear()
        ls_of_zones(dem, zones, tmp_path / f"{tasks}.tif", attribute="id", halo_m=0.0, z_units="m")
        assert len(opened) == 1 + tasks
    assert (tmp_path / "1.tif").read_bytes() == (tmp_path / "3.tif").read_bytes()


def test_what_is_wrong_with_dem_zones_and_masks_comes_at_once(dem, tmp_path):
    zones = drawn(tmp_path / "zones.geojson", [(None, [ring(0, 0, 9, 9)])])
    away = drawn(tmp_path / "away.geojson", [("a", [ring(900, 0, 909, 9)])])
    with pytest.raises(InputError) as error:
        ls_of_zones(
            dem, zones, tmp_path / "ls.tif", attribute="id", z_units="yd", sealed=away, walls=tmp_path / "none.geojson"
        )
    assert set(codes(error.value.findings)) == {"z-units-unknown", "attribute-empty", "sealed-outside", "file-missing"}


def test_a_zone_of_one_cell_and_no_halo(dem, tmp_path):
    zones = drawn(tmp_path / "zones.geojson", [("dot", [ring(30, 30, 31, 31)])])
    found = ls_of_zones(dem, zones, tmp_path / "ls.tif", attribute="id", halo_m=0.0, z_units="m")
    summary = found.zones[0].summary
    assert (summary.cells, summary.lower_bound_share) == (1, 1.0)
    assert summary.mean == pytest.approx(0.03, rel=1e-6)  # S at slope 0, L 1: it has no neighbours


def test_what_is_drawn_counts_in_the_zones_that_it_lies_in(dem, tmp_path):
    def lines(path, x, kind="LineString"):
        line = [[WEST + CELL * x, NORTH - 1], [WEST + CELL * x, NORTH - CELL * ROWS + 1]]
        place = line if kind == "LineString" else [ring(x, 10, x + 5, 15)]
        feature = {"type": "Feature", "properties": {}, "geometry": {"type": kind, "coordinates": place}}
        named = {"type": "name", "properties": {"name": "EPSG:26916"}}
        path.write_text(json.dumps({"type": "FeatureCollection", "crs": named, "features": [feature]}))
        return path

    masks = {
        "barriers": lines(tmp_path / "berm.geojson", 10.5),
        "channels": lines(tmp_path / "ditch.geojson", 60.5),
        "sealed": lines(tmp_path / "roof.geojson", 100, "Polygon"),
        "z_units": "m",
    }
    found = ls_of_zones(
        dem, valleys(tmp_path / "zones.geojson"), tmp_path / "ls.tif", attribute="id", halo_m=6.0, **masks
    )
    unit = masks.pop("z_units")
    whole = ls_of_surface(read_grid(dem, z_units=unit), **masks)
    np.testing.assert_allclose(ls_of(tmp_path / "ls.tif"), whole.ls.values.astype(np.float32), rtol=1e-6)
    assert [(z.summary.channels, z.summary.sealed) for z in found.zones] == [(0, 0), (ROWS, 0), (0, 25)]
    away = lines(tmp_path / "away.geojson", 900)
    with pytest.raises(InputError, match="barriers: none lies on the DEM"):
        ls_of_zones(dem, tmp_path / "zones.geojson", tmp_path / "ls.tif", attribute="id", barriers=away, z_units="m")


def test_a_layer_of_a_geopackage(dem, tmp_path):
    import geopandas
    import shapely

    path = tmp_path / "zones.gpkg"
    for name, east in (("huc12", 40), ("sites", 20)):
        polygon = shapely.Polygon(ring(0, 0, east, ROWS))
        geopandas.GeoDataFrame({"huc": [4.0]}, geometry=[polygon], crs="EPSG:26916").to_file(path, layer=name)
    with pytest.raises(InputError, match="name one of the file's layers: huc12, sites"):
        ls_of_zones(dem, path, tmp_path / "ls.tif", attribute="huc", z_units="m")
    found = ls_of_zones(dem, path, tmp_path / "ls.tif", attribute="huc", layer="sites", z_units="m")
    assert [(z.id, z.summary.cells) for z in found.zones] == [("4", 20 * ROWS)]


def test_a_zone_whose_worker_dies_does_not_lose_the_others(dem, tmp_path, monkeypatch):
    monkeypatch.setattr(zones_of_dem, "_CELLS_OF_TASK", 1)  # so that each is alone
    pytest.importorskip("distributed")
    from distributed.scheduler import KilledWorker

    class Task:
        def __init__(self, work):
            self.result = work

    class Client:
        def submit(self, function, source, zones, *args, pure):
            def died(timeout):
                raise KilledWorker("v1", None, 3)

            ((zone, _),) = zones
            return Task(died if zone.id == "v1" else lambda timeout: function(source, zones, *args))

    found = ls_of_zones(
        dem, valleys(tmp_path / "zones.geojson"), tmp_path / "ls.tif", attribute="id", client=Client(), z_units="m"
    )
    assert [z.summary is None for z in found.zones] == [False, True, False]
    assert [(f.code, f.where) for f in found.zones[1].findings] == [("worker-lost", "zone v1")]
    assert np.isnan(ls_of(tmp_path / "ls.tif")[:, 40:80]).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # what dask's own start and stop warn of
def test_two_workers_give_the_bytes_of_one_process(dem, tmp_path):
    pytest.importorskip("distributed")
    zones = valleys(tmp_path / "zones.geojson")
    here = ls_of_zones(dem, zones, tmp_path / "here.tif", attribute="id", z_units="m")
    again = ls_of_zones(dem, zones, tmp_path / "again.tif", attribute="id", z_units="m")
    with cluster_client(2) as client:
        assert len(client.scheduler_info()["workers"]) == 2
        there = ls_of_zones(dem, zones, tmp_path / "there.tif", attribute="id", client=client, z_units="m")
    assert (tmp_path / "here.tif").read_bytes() == (tmp_path / "again.tif").read_bytes()
    assert (tmp_path / "here.tif").read_bytes() == (tmp_path / "there.tif").read_bytes()
    assert here.zones == there.zones == again.zones


def test_a_cluster_that_cannot_be(monkeypatch):
    with cluster_client() as client:
        assert client is None
    with pytest.raises(InputError, match="no number of workers"), cluster_client(0):
        pass
    for address in ("nonsense://x:1", "host", "tcp://host", "file:///etc/passwd"):
        with pytest.raises(InputError, match="no address of a scheduler"), cluster_client(scheduler=address):
            pass
    monkeypatch.setattr("sedcalc.io.cluster.find_spec", lambda name: None)
    lacking = r"need dask and distributed, the extra scale: pip install 'sedcalc\[scale\]'"
    with pytest.raises(EnvironmentFault, match=lacking), cluster_client(2):
        pass


@pytest.mark.slow
def test_a_script_that_starts_workers_unguarded_is_told(tmp_path):
    """Each worker would run it again; the end of its traceback says what to write."""
    pytest.importorskip("distributed")
    script = tmp_path / "script.py"
    script.write_text("from sedcalc.io.cluster import cluster_client\nwith cluster_client(workers=2):\n    pass\n")
    done = subprocess.run([sys.executable, script], capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 1
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]
    assert done.stderr.count("Traceback") == 1
    script.write_text(
        "from sedcalc.io.cluster import cluster_client\n"
        "if __name__ == '__main__':\n    with cluster_client(workers=2) as client:\n        print(client.status)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, encoding="utf-8", timeout=120)
    assert (done.returncode, done.stdout) == (0, "running\n"), done.stderr
