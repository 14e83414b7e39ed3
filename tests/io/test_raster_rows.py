"""Sums from a file by windows must be those of the raster in memory, to the bit."""

import numba
import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from sedcalc.findings import InputError
from sedcalc.io.raster_rows import RasterRows
from sedcalc.io.rasters import read_grid
from sedcalc.load.zonal import zonal_sums


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


@pytest.mark.parametrize("threads", [1, 2])
def test_sums_by_windows_are_those_in_memory(rasters, threads):
    k_file, ls_file, zones = rasters
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    try:
        with RasterRows(k_file) as k, RasterRows(ls_file) as ls:
            by_windows = zonal_sums(zones, 24, [(115.0, k, ls), (k,), (ls, k, ls)])
    finally:
        numba.set_num_threads(before)
    k, ls = (read_grid(p, z_units="m").values for p in (k_file, ls_file))
    assert np.isnan(k).any()
    in_memory = zonal_sums(zones, 24, [(115.0, k, ls), (k,), (ls, k, ls)])
    assert by_windows.tobytes() == in_memory.tobytes()
    expected = [np.nansum(np.where(zones == z, 115.0 * k.astype(np.float64) * ls, 0.0)) for z in range(24)]
    np.testing.assert_allclose(by_windows[0], expected, rtol=1e-12)


def test_what_it_says_of_itself_and_of_wrong_files(rasters, tmp_path):
    with RasterRows(rasters[0]) as k:
        assert k.shape == (700, 430)
        assert (k.transform[0], k.crs) == (10.0, "EPSG:26916")
        assert k[3:5].shape == (2, 430)
        with pytest.raises(ValueError, match="without gaps"):
            k[::2]
    with pytest.raises(InputError, match="in degrees"):
        RasterRows(write(tmp_path / "deg.tif", np.zeros((4, 4)), crs="EPSG:4326"))
    with pytest.raises(InputError, match="south to north"):
        RasterRows(write(tmp_path / "up.tif", np.zeros((4, 4)), step=10))
    (tmp_path / "text.tif").write_text("no raster")
    with pytest.raises(InputError, match="not a readable GeoTIFF"):
        RasterRows(tmp_path / "text.tif")
