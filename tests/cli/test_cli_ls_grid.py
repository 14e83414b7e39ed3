"""``sedcalc ls-grid``: its masks and limits, against the same through Python."""

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from sedcalc.io.rasters import read_grid
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
