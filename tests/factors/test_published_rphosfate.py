"""RPhosFate's demonstration catchment: L, S and soil loss from its own accumulation, direction and slope.

That program uses the form of Desmet and Govers with 22.13 m and a moderate ratio, and counts the cell itself in its
accumulation. Its rasters are 10 m cells; soil loss is in t per cell of 0.01 ha.
"""

from pathlib import Path

import numpy as np
import pytest
import rasterio

from sedcalc.factors import cell_topography as ct
from sedcalc.factors import topography as tp


@pytest.fixture(scope="module")
def grids(shared_data: Path) -> dict[str, np.ndarray]:
    folder = shared_data / "grids" / "rphosfate_test"
    names = ["Input/acc_inf", "Input/dir_inf", "Input/RFa", "Input/KFa", "Input/CFa", "Intermediate/slp_cap",
             "Intermediate/LFa", "Intermediate/SFa", "Result/ero"]  # fmt: skip
    grids = {}
    for name in names:
        with rasterio.open(folder / f"{name}.tif") as source:
            grids[Path(name).name] = source.read(1, masked=True).astype(float).filled(np.nan)
    return grids


def test_l_s_and_soil_loss(grids: dict[str, np.ndarray]) -> None:
    slope = grids["slp_cap"]
    S = tp.steepness_factor(slope)
    m = tp.slope_length_exponent(slope, ratio="moderate")
    area_in = (np.maximum(grids["acc_inf"], 1.0) - 1.0) * 100.0
    L = ct.cell_l_desmet_govers(area_in, 10.0, np.radians(grids["dir_inf"]), m)
    loss = grids["RFa"] * grids["KFa"] * L * S * grids["CFa"] * 0.01
    for ours, theirs, cells in ((S, "SFa", 6000), (L, "LFa", 6000), (loss, "ero", 6467)):
        there = np.isfinite(grids[theirs])
        assert np.count_nonzero(there) >= cells
        np.testing.assert_allclose(ours[there], grids[theirs][there], rtol=2e-12)
