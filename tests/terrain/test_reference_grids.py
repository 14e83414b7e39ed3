"""Real grids: a peer's results to the last digit, and a lidar surface that must look like ground."""

import numpy as np
import pytest
import rasterio

from sedcalc.factors import topography
from sedcalc.io.rasters import read_grid
from sedcalc.terrain.ls_raster import ls_raster


@pytest.fixture(scope="module")
def peer(shared_data):
    """Grids of RPhosFate's test project (10 m), by name."""
    folder = shared_data / "grids" / "rphosfate_test"
    names = ["Input/acc_inf", "Input/dir_inf", "Input/RFa", "Input/KFa", "Input/CFa"]
    names += ["Intermediate/slp_cap", "Intermediate/LFa", "Intermediate/SFa", "Result/ero"]
    grids = {}
    for name in names:
        with rasterio.open(folder / f"{name}.tif") as source:
            grids[name.split("/")[1]] = source.read(1).astype(np.float64)
    return grids


def test_peer_l_s_and_soil_loss(peer):
    """RPhosFate: L of Desmet and Govers from its accumulation and direction, S of McCool, ero = R K L S C / 100."""
    area_in = (peer["acc_inf"] - 1) * 100.0
    slope = peer["slp_cap"] / 100
    aspect = np.radians(peer["dir_inf"])
    contour = np.abs(np.sin(aspect)) + np.abs(np.cos(aspect))
    m = topography.kernel_length_exponent(slope, topography.RATIOS["moderate"])
    S = topography.kernel_steepness(slope)
    L = topography.kernel_cell_l_desmet_govers(area_in, 10.0, contour, m)
    known = np.isfinite(peer["LFa"])
    assert known.sum() > 5000
    np.testing.assert_allclose(L[known], peer["LFa"][known], rtol=1e-9)
    np.testing.assert_allclose(S[known], peer["SFa"][known], rtol=1e-9)
    ero = peer["RFa"] * peer["KFa"] * L * S * peer["CFa"] * 0.01
    known = np.isfinite(peer["ero"])
    np.testing.assert_allclose(ero[known], peer["ero"][known], rtol=1e-9)


@pytest.fixture(scope="module")
def lidar(shared_data):
    return read_grid(shared_data / "terrain" / "lidar_1m" / "dem.tif", z_units="m")


def test_lidar_has_no_spikes_at_the_border_and_no_stripes(lidar):
    result = ls_raster(lidar, channel_threshold_m2=10_000.0)
    ls = result.ls.values.astype(np.float64)
    assert 1.0 < result.summary.mean < 10.0  # LS of 10 to 40 % slopes of some 30 to 150 ft in Table 4-3
    edge = np.concatenate([ls[0], ls[-1], ls[:, 0], ls[:, -1]])
    assert np.nanmax(edge) < np.nanpercentile(ls, 99.9)
    # Parallel flow along grid axes shows as one row or column far above those beside it.
    for means in (np.nanmean(ls, axis=0), np.nanmean(ls, axis=1)):
        beside = (means[:-2] + means[2:]) / 2
        assert (means[1:-1] / beside).max() < 1.25


def test_lidar_silt_fence(lidar):
    """A fence along a row: no cell above the line changes by what lies below it, LS is lower on the whole below."""
    free = ls_raster(lidar)
    fence = np.zeros(lidar.shape, bool)
    fence[200, 150:250] = True
    fenced = ls_raster(lidar, barriers=fence)
    change = fenced.area_in_m2 - free.area_in_m2
    assert (np.nan_to_num(change) <= 1e-6).all()
    assert fenced.summary.mean < free.summary.mean
    held = np.nansum((free.area_in_m2 + 1)[fence])
    assert held > 1000  # m2 that reach the fence
