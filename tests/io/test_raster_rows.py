"""Rows from a file must be those of the raster in memory, to the bit."""

import numpy as np
import pytest
import rasterio
from rasterio.env import get_gdal_config, set_gdal_config
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine

from sedcalc.findings import InputError
from sedcalc.io.raster_rows import RasterRows, limited_cache
from sedcalc.io.rasters import read_grid


def write(path, values, crs="EPSG:26916", nodata=None, step=-10):
    profile = {"driver": "GTiff", "height": values.shape[0], "width": values.shape[1], "count": 1, "tiled": True}
    profile |= {"dtype": values.dtype, "crs": crs, "nodata": nodata, "blockxsize": 128, "blockysize": 128}
    with rasterio.open(path, "w", **profile, transform=Affine(10, 0, 420_000, 0, step, 4_750_000)) as out:
        out.write(values, 1)
    return path


@pytest.fixture
def rasters(tmp_path):
    rng = np.random.default_rng(1)
    k = rng.uniform(0.1, 0.5, (700, 430)).astype(np.float32)
    k[rng.random(k.shape) < 0.05] = -1.0
    ls = rng.uniform(0.03, 20, k.shape)
    zones = (np.add.outer(np.arange(700) // 50, np.arange(430) // 60)).astype(np.int32)
    zones[:40] = -1
    return write(tmp_path / "k.tif", k, nodata=-1.0), write(tmp_path / "ls.tif", ls), zones


def test_rows_and_windows_are_those_of_the_raster_in_memory(rasters):
    k_file, ls_file, _ = rasters
    for file in (k_file, ls_file):
        whole = read_grid(file, z_units="m").values
        with RasterRows(file) as rows:
            strips = [rows[start : start + 96] for start in range(0, 700, 96)]
            part = rows.window(slice(130, 300), slice(17, 290))
        np.testing.assert_array_equal(np.vstack(strips), whole)
        np.testing.assert_array_equal(part, whole[130:300, 17:290])


def test_what_it_says_of_itself_and_of_wrong_files(rasters, tmp_path):
    with RasterRows(rasters[0]) as k:
        assert k.shape == (700, 430)
        assert (k.transform[0], k.crs) == (10.0, "EPSG:26916")
        assert k[3:5].shape == (2, 430)
        with pytest.raises(ValueError, match="without gaps"):
            k[::2]
        assert (k.xy_unit_m, k.cells.bounds, k.cells.shape) == (1.0, (420_000, 4_743_000, 424_300, 4_750_000), k.shape)
    with pytest.raises(InputError, match="in degrees"):
        RasterRows(write(tmp_path / "deg.tif", np.zeros((4, 4)), crs="EPSG:4326"))
    with pytest.raises(InputError, match="south to north"):
        RasterRows(write(tmp_path / "up.tif", np.zeros((4, 4)), step=10))
    (tmp_path / "text.tif").write_text("no raster")
    with pytest.raises(InputError, match="not a readable GeoTIFF"):
        RasterRows(tmp_path / "text.tif")
    profile = {"driver": "GTiff", "height": 4, "width": 4, "count": 1, "dtype": "uint8"}
    with pytest.warns(NotGeoreferencedWarning), rasterio.open(tmp_path / "nowhere.tif", "w", **profile) as out:
        out.write(np.ones((4, 4), np.uint8), 1)
    with pytest.raises(InputError, match="does not say where its cells lie"):
        RasterRows(tmp_path / "nowhere.tif", crs="EPSG:26916")


def test_the_cache_of_gdal_is_small_for_a_while_and_then_what_it_was(rasters):
    """Blocks of 128 x 128 over 430 columns: 2 rows of them, of 5 bytes a cell with the mask, and 16 MiB."""
    with rasterio.Env():
        before = get_gdal_config("GDAL_CACHEMAX")
        with RasterRows(rasters[0]) as k:
            assert k.block_row_bytes == 128 * 430 * 5
            with limited_cache([k]):
                assert get_gdal_config("GDAL_CACHEMAX") == 16 * 2**20 + 2 * 128 * 430 * 5 < before
            assert get_gdal_config("GDAL_CACHEMAX") == before
            with pytest.raises(RuntimeError, match="stopped"), limited_cache([k]):
                raise RuntimeError("stopped")
            assert get_gdal_config("GDAL_CACHEMAX") == before
            set_gdal_config("GDAL_CACHEMAX", 2**20)  # less than the blocks: it has to hold them all the same
            try:
                with limited_cache([k]):
                    assert get_gdal_config("GDAL_CACHEMAX") == 16 * 2**20 + 2 * 128 * 430 * 5
                assert get_gdal_config("GDAL_CACHEMAX") == 2**20
            finally:
                set_gdal_config("GDAL_CACHEMAX", before)
        assert get_gdal_config("GDAL_CACHEMAX") == before
