"""``sedcalc ls-grid``: its masks and limits, against the same through Python."""

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from sedcalc.cli.from_data import ROUTINGS
from sedcalc.io.rasters import read_grid
from sedcalc.terrain import routing
from sedcalc.terrain.ls_raster import ls_raster

WEST, NORTH = 420_000.0, 4_750_000.0


@pytest.fixture
def dem(tmp_path: Path) -> Path:
    """30 x 40 cells of 10 m that fall by 10 % to the south, with a basin of 0.5 m."""
    z = 250.0 - np.repeat(np.arange(30.0)[:, None], 40, axis=1)
    z[10:13, 20:23] = z[13, 0] - 0.5
    path = tmp_path / "dem.tif"
    profile = {"driver": "GTiff", "height": 30, "width": 40, "count": 1, "dtype": "float64"}
    with rasterio.open(path, "w", **profile, transform=Affine(10, 0, WEST, 0, -10, NORTH)) as out:
        out.write(z, 1)
    return path


def drawn(path: Path, kind: str, coordinates: object) -> Path:
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    feature = {"type": "Feature", "properties": {}, "geometry": {"type": kind, "coordinates": coordinates}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": [feature]}))
    return path


def test_masks_and_limits_are_those_of_the_function(sedcalc, dem, tmp_path):
    ring = [[WEST, NORTH], [WEST + 50, NORTH], [WEST + 50, NORTH - 50], [WEST, NORTH - 50], [WEST, NORTH]]
    roof = drawn(tmp_path / "roof.geojson", "Polygon", [ring])
    ditch = drawn(tmp_path / "ditch.geojson", "LineString", [[WEST + 305, NORTH - 5], [WEST + 305, NORTH - 295]])
    wall = drawn(tmp_path / "wall.geojson", "LineString", [[WEST + 105, NORTH - 155], [WEST + 195, NORTH - 155]])
    files = ["--sealed", roof, "--channels", ditch, "--walls", wall]
    common = ["--z-units", "m", "--crs", "EPSG:26916", "--max-fill", "2", "--channel-area", "1.5"]
    answer = sedcalc("ls-grid", dem, "--out", tmp_path / "ls.tif", *common, *files, "--json")
    assert answer.code == 0, answer.err
    sealed, channels, walls = (np.zeros((30, 40), bool) for _ in range(3))
    sealed[:5, :5], channels[:, 30], walls[15, 10:20] = True, True, True
    grid = read_grid(dem, z_units="m", crs="EPSG:26916")
    expected = ls_raster(
        grid,
        sealed=sealed,
        channels=channels,
        walls=walls,
        max_fill_m=2 * 0.3048,
        channel_threshold_m2=1.5 * 4046.8564224,
    )
    for name in ("mean", "sealed", "walls", "channels", "pits_filled", "pits_kept", "acres_of"):
        assert answer.object[name] == expected.summary.as_dict()[name]
    assert answer.object["pits_filled"] == 1  # 0.5 m is under 2 ft
    assert answer.object["acres_of"]["walls"] == pytest.approx(10 * 100 / 4046.8564224, rel=1e-12)
    with rasterio.open(tmp_path / "ls.tif") as written:
        np.testing.assert_allclose(written.read(1), expected.ls.values, rtol=1e-6)


def test_depressions_by_default_and_without_limit(sedcalc, dem, tmp_path):
    common = ["ls-grid", dem, "--out", tmp_path / "ls.tif", "--z-units", "m", "--crs", "EPSG:26916", "--json"]
    assert sedcalc(*common).object["pits_kept"] == 1  # 0.5 m is over 0.2 m
    assert sedcalc(*common, "--max-fill", "none").object["pits_kept"] == 0
    assert sedcalc(*common, "--max-fill", "0").object["pits_filled"] == 0


def test_the_routing_methods_and_the_border_are_those_of_the_function(sedcalc, dem, tmp_path):
    assert ROUTINGS == routing.ROUTINGS
    common = ["ls-grid", dem, "--out", tmp_path / "ls.tif", "--z-units", "m", "--crs", "EPSG:26916", "--json"]
    answer = sedcalc(*common, "--routing", "mfd-quinn", "--border", "outlets").object
    grid = read_grid(dem, z_units="m", crs="EPSG:26916")
    expected = ls_raster(grid, routing="mfd-quinn", border="outlets").summary.as_dict()
    assert (answer["mean"], answer["routing"], answer["border"]) == (expected["mean"], "mfd-quinn", "outlets")
    assert answer["mean"] != ls_raster(grid, routing="mfd-quinn").summary.mean


def test_a_surface_in_degrees_is_reprojected_where_that_is_asked_for(sedcalc, tmp_path):
    """A plane of 10 % in UTM, evaluated at cell centres in degrees: its slope must come back."""
    import pyproj

    step, rows, cols = 1e-4, 60, 70  # about 8 x 11 m
    left, top = -87.985, 42.905
    lon, lat = np.meshgrid(left + (np.arange(cols) + 0.5) * step, top - (np.arange(rows) + 0.5) * step)
    x, y = pyproj.Transformer.from_crs("EPSG:4269", "EPSG:26916", always_xy=True).transform(lon, lat)
    z = 250.0 + 0.06 * (x - x.mean()) + 0.08 * (y - y.mean())
    z[10, 10] = np.nan
    path = tmp_path / "degrees.tif"
    profile = {"driver": "GTiff", "height": rows, "width": cols, "count": 1, "dtype": "float64", "crs": "EPSG:4269"}
    with rasterio.open(path, "w", **profile, nodata=np.nan, transform=Affine(step, 0, left, 0, -step, top)) as out:
        out.write(z, 1)
    refused = sedcalc("ls-grid", path, "--out", tmp_path / "ls.tif", "--z-units", "m")
    assert refused.code == 2
    assert "--reproject utm" in refused.err
    assert "EPSG:2289 (NAD83 / Wisconsin South (ftUS))" in refused.err
    for target in ("utm", "EPSG:26916"):
        answer = sedcalc(
            "ls-grid", path, "--out", tmp_path / "ls.tif", "--z-units", "m", "--reproject", target, "--json"
        )
        assert answer.code == 0, answer.err
        (said,) = [f for f in answer.object["findings"] if f["code"] == "reprojected"]
        assert "from EPSG:4269 to EPSG:26916, bilinear" in said["message"]
    grid = read_grid(path, z_units="m", reproject="utm")
    assert (grid.crs, grid.values.dtype) == ("EPSG:26916", np.float64)
    assert 8 < grid.cell_m < 12
    r, c = np.indices(grid.shape) + 0.5
    a, _, west, _, e, north = grid.transform
    plane = 250.0 + 0.06 * (west + a * c - x.mean()) + 0.08 * (north + e * r - y.mean())
    inside = np.zeros(grid.shape, bool)
    inside[6:-6, 6:-6] = True
    hole = np.hypot(west + a * c - x[10, 10], north + e * r - y[10, 10]) < 30
    assert np.isnan(grid.values[hole]).any()
    np.testing.assert_allclose(grid.values[inside & ~hole], plane[inside & ~hole], atol=0.01)
    in_feet = read_grid(path, z_units="m", reproject="EPSG:2289")
    assert in_feet.xy_unit_m == pytest.approx(1200 / 3937)
    assert in_feet.cell_m == pytest.approx(grid.cell_m, rel=0.02)
    for wrong in ("nad83", "EPSG:4326", "EPSG:99999"):
        answer = sedcalc("ls-grid", path, "--out", tmp_path / "no.tif", "--z-units", "m", "--reproject", wrong)
        assert (answer.code, answer.out) == (2, "")
    assert not (tmp_path / "no.tif").exists()


def test_a_process_of_the_command_line_cuts_gdal_off_before_it_loads(process, dem, tmp_path):
    """A VRT named .tif would read another file; the guarded process has no driver for it."""
    fake = tmp_path / "fake.tif"
    fake.write_text(
        f'<VRTDataset rasterXSize="40" rasterYSize="30"><VRTRasterBand dataType="Float64" band="1"><SimpleSource>'
        f"<SourceFilename>{dem}</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    answer = process("ls-grid", fake, "--out", tmp_path / "ls.tif", "--z-units", "m", "--crs", "EPSG:26916")
    assert answer.code == 2
    assert "not a readable GeoTIFF" in answer.err
    answer = process("ls-grid", dem, "--out", tmp_path / "ls.tif", "--z-units", "m", "--crs", "EPSG:26916")
    assert answer.code == 0, answer.err
