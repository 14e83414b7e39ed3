"""The soil-loss equation: products, refusals, and agreement between unit systems."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sedcalc import units
from sedcalc.factors.cover import C_UPPER_LIMIT
from sedcalc.factors.erodibility import K_UPPER_LIMIT
from sedcalc.factors.runoff import musle_tons
from sedcalc.factors.rusle import R_UPPER_LIMIT, soil_loss
from sedcalc.factors.support import P_UPPER_LIMIT
from sedcalc.findings import InputError
from sedcalc.site.erosivity import R_RANGE_US

factor = st.floats(0.0, 1.2)
GOOD = {"R": 120.0, "K": 0.32, "LS": 4.8, "C": 0.11, "P": 0.9}


@given(R=st.floats(0.0, 800.0), K=st.floats(0.0, 0.7), LS=factor, C=factor, P=factor)
def test_us_and_si_give_the_same_loss(R: float, K: float, LS: float, C: float, P: float) -> None:
    us = soil_loss(R, K, LS, C, P)
    si = (R * units.R_US_SI) * (K * units.K_US_SI) * LS * C * P
    assert us * units.TON_PER_ACRE_T_PER_HA == pytest.approx(si, rel=1e-12, abs=1e-300)


@given(LS=factor, C=factor, P=factor)
def test_the_three_dimensionless_factors_are_exchangeable(LS: float, C: float, P: float) -> None:
    one = soil_loss(100, 0.3, LS, C, P)
    assert one == pytest.approx(soil_loss(100, 0.3, P, LS, C), rel=1e-14, abs=1e-300)


@given(split=st.lists(st.floats(0.0, 150.0), min_size=1, max_size=8))
def test_parts_of_the_year_add_to_the_year(split: list[float]) -> None:
    parts = soil_loss(np.array(split), 0.32, 4.8, 0.11, 0.9)
    whole = soil_loss(float(np.sum(split)), 0.32, 4.8, 0.11, 0.9)
    assert np.sum(parts) == pytest.approx(whole, rel=1e-12, abs=1e-300)


def test_kinds_and_shapes() -> None:
    assert type(soil_loss(**GOOD)) is float
    assert type(soil_loss(100, 0, 1, 1, 1)) is float
    raster = np.full((3, 4), 0.3, np.float32)
    narrow = soil_loss(120.0, raster, raster * 10, 1, 1.0)
    assert (narrow.dtype, narrow.shape) == (np.float32, (3, 4))
    wide = raster.astype(float)
    np.testing.assert_allclose(narrow, soil_loss(120.0, wide, wide * 10, 1, 1), rtol=3e-7)
    assert soil_loss(120.0, raster, np.ones((2, 1, 1)), 1, 1).shape == (2, 3, 4)
    holes = soil_loss(120.0, np.array([0.3, np.nan]), 1, 1, 1)
    assert np.isnan(holes).tolist() == [False, True]


@pytest.mark.parametrize("name", list(GOOD))
@pytest.mark.parametrize("bad", [-0.1, float("inf"), float("-inf"), float("nan")])
def test_negative_infinite_and_missing_factors_are_refused(name: str, bad: float) -> None:
    with pytest.raises(InputError, match=f"{name}: ") as caught:
        soil_loss(**{**GOOD, name: bad})
    assert caught.value.findings[0].where == name
    if not np.isnan(bad):
        array = np.full((2, 3), 0.5)
        array[1, 0:2] = bad
        with pytest.raises(InputError, match=rf"{name}: .*\(at index 1, 0; 2 of 6 values\)"):
            soil_loss(**{**GOOD, name: array})


def test_k_in_the_wrong_place_text_and_shapes() -> None:
    with pytest.raises(InputError, match=r"K: 32 is outside 0 to 0\.75; give K in US units"):
        soil_loss(**{**GOOD, "K": 32})
    for bad in ("0.1", True, None):
        with pytest.raises(InputError, match="C: must be numeric"):
            soil_loss(**{**GOOD, "C": bad})
    with pytest.raises(InputError, match=r"do not broadcast: .*K \(2,\).*LS \(3,\)"):
        soil_loss(**{**GOOD, "K": np.full(2, 0.3), "LS": np.ones(3)})


@pytest.mark.parametrize(
    ("name", "most", "says"),
    [
        ("R", R_UPPER_LIMIT, "divide MJ mm/\\(ha h\\) by 17.02"),
        ("K", K_UPPER_LIMIT, "give K in US units"),
        ("C", C_UPPER_LIMIT, "give C as a fraction"),
        ("P", P_UPPER_LIMIT, "give P as a fraction"),
    ],
)
def test_values_of_other_units_and_percents_are_refused(name: str, most: float, says: str) -> None:
    assert soil_loss(**{**GOOD, name: most}) > 0.0
    with pytest.raises(InputError, match=rf"{name}: .* is outside 0 to {most:g}; .*{says}"):
        soil_loss(**{**GOOD, name: 1.001 * most})
    with pytest.raises(InputError, match=r"at index 1; 1 of 3 values"):
        soil_loss(**{**GOOD, name: np.array([0.1, 2.0 * most, np.nan])})
    if name != "R":
        storm = {n: v for n, v in GOOD.items() if n != "R"}
        with pytest.raises(InputError, match=rf"{name}: .*{says}"):
            musle_tons(2.0, 4.0, **{**storm, name: 1.001 * most})


def test_r_and_k_of_si_units() -> None:
    # 117.5 hundreds of ft tonf in/(ac h yr) are 2,000 MJ mm/(ha h yr).
    with pytest.raises(InputError, match="R: 2000 is outside 0 to 1200"):
        soil_loss(2000.0, 0.04, 4.8, 0.11, 0.9)


def test_a_site_file_has_the_same_highest_r() -> None:
    assert R_RANGE_US[1] == R_UPPER_LIMIT
