"""Erodibility K: check values of the published equations, limits, and properties."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sedcalc.factors import erodibility as e
from sedcalc.factors import soil_properties as sp
from sedcalc.findings import InputError

FINE = st.floats(0.0, 100.0)


@st.composite
def soils(draw):
    """Sand, silt and clay that sum to 100."""
    a, b = sorted((draw(FINE), draw(FINE)))
    return a, b - a, 100.0 - b


@pytest.mark.parametrize(("om", "by_hand"), [(2.8, 0.31085), (3.0, 0.3046)])
def test_nomograph_by_hand(om, by_hand):
    # 65 % silt and very fine sand, 5 % sand, structure 2, permeability 4: M = 65 * 70.
    assert e.nomograph_k(65, 5, om, 2, 4) == pytest.approx(by_hand, abs=5e-5 if om == 3.0 else 5e-6)


def test_nomograph_against_the_textbook_form():
    # 100 K = 2.1e-4 M^1.14 (12 - OM) + 3.25 (s - 2) + 2.5 (p - 3), with clay written out.
    silt_vfs, sand, om, s, p = 40.0, 40.0, 1.5, 3, 2
    m = silt_vfs * (100.0 - (100.0 - silt_vfs - sand))
    expected = (2.1e-4 * m**1.14 * (12 - om) + 3.25 * (s - 2) + 2.5 * (p - 3)) / 100
    assert e.nomograph_k(silt_vfs, sand, om, s, p) == pytest.approx(expected, rel=1e-12)


def test_nomograph_counts_organic_matter_to_4_pct():
    assert e.nomograph_k(60, 20, 9.0, 2, 4) == e.nomograph_k(60, 20, e.OM_CAP_PCT, 2, 4)
    assert e.nomograph_k(60, 20, 3.9, 2, 4) > e.nomograph_k(60, 20, e.OM_CAP_PCT, 2, 4)


def test_nomograph_refuses_over_70_pct_and_names_what_serves():
    with pytest.raises(InputError, match=r"75 .*index 1; 1 of 2.*Dg equation or the K-by-texture table"):
        e.nomograph_k([65.0, 75.0], 5.0, 2.0, 2, 4)
    assert e.nomograph_k(70.0, 5.0, 2.0, 2, 4) > 0.3


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"silt_vfs_pct": -1.0}, "silt_vfs_pct"),
        ({"sand_pct": 40.0}, "silt_vfs_pct + sand_pct"),
        ({"om_pct": math.nan}, "om_pct"),
        ({"structure": 5}, "structure"),
        ({"structure": 2.5}, "structure"),
        ({"permeability": 0}, "permeability"),
        ({"silt_vfs_pct": "65"}, "silt_vfs_pct"),
        ({"silt_vfs_pct": True}, "silt_vfs_pct"),
        ({"silt_vfs_pct": 5.0, "sand_pct": 90.0, "om_pct": 4.0, "structure": 1, "permeability": 1}, "K"),
    ],
)
def test_nomograph_refusals(changed, where):
    given_ = {"silt_vfs_pct": 65.0, "sand_pct": 5.0, "om_pct": 2.8, "structure": 2, "permeability": 4} | changed
    with pytest.raises(InputError) as error:
        e.nomograph_k(**given_)
    assert error.value.findings[0].where == where


def test_largest_k_of_the_nomograph():
    largest = e.nomograph_k(70.0, 30.0, 0.0, 4, 6)
    assert e.K_UPPER_LIMIT - 0.001 < largest < e.K_UPPER_LIMIT


@pytest.mark.parametrize(
    ("soil", "dg", "k"), [((40, 40, 20), 0.05892, 0.2820), ((20, 60, 20), math.exp(-3.5664), 0.3297)]
)
def test_dg_by_hand(soil, dg, k):
    assert e.geometric_mean_diameter_mm(*soil) == pytest.approx(dg, rel=1e-4)
    assert e.dg_k(*soil) == pytest.approx(k, abs=5e-5)


@pytest.mark.parametrize(("soil", "m"), [((100, 0, 0), 1.025), ((0, 100, 0), 0.026), ((0, 0, 100), 0.001)])
def test_dg_of_pure_fractions_is_their_diameter(soil, m):
    assert e.geometric_mean_diameter_mm(*soil) == pytest.approx(m, rel=1e-12)


def test_dg_k_peaks_at_its_mode():
    # exp(0) = 1 where log10 Dg = -1.659: K = 7.594 * 0.0439.
    clay = np.linspace(0.0, 40.0, 401)
    k = e.dg_k(0.0 * clay, 100.0 - clay, clay)
    assert np.max(k) == pytest.approx(7.594 * 0.0439, rel=1e-4)
    assert np.max(k) <= 7.594 * 0.0439


def test_epic_by_hand():
    assert e.epic_k(40, 40, 20, 1.0) == pytest.approx(0.29538, abs=5e-6)
    # Carbon and silt-clay terms alone, where the two sand terms are known: no sand, SN1 = 1.
    expected = 0.5 * (70 / 100) ** 0.3 * (1 - 0.25 * 2 / (2 + math.exp(3.72 - 5.9))) * (1 - 0.7 / (1 + math.exp(17.39)))
    assert e.epic_k(0, 70, 30, 2.0) == pytest.approx(expected, rel=1e-12)


def test_epic_carbon_and_matter():
    by_carbon = e.epic_k(40, 40, 20, organic_carbon_pct=1.0)
    assert e.epic_k(40, 40, 20, organic_matter_pct=1.724) == pytest.approx(by_carbon, rel=1e-12)
    assert e.epic_k(40, 40, 20, organic_carbon_pct=1.0, organic_matter_pct=2.0) == by_carbon
    with pytest.raises(InputError, match="mixed up"):
        e.epic_k(40, 40, 20, organic_carbon_pct=1.724, organic_matter_pct=1.0)
    with pytest.raises(InputError, match="organic_matter_pct"):
        e.epic_k(40, 40, 20, organic_carbon_pct=15.0)
    with pytest.raises(InputError, match="give organic_carbon_pct or organic_matter_pct"):
        e.epic_k(40, 40, 20)
    with pytest.raises(InputError, match="undefined"):
        e.epic_k(100, 0, 0, 1.0)


@pytest.mark.parametrize("soil", [(40, 40, 19), (40, 40, 21), (0.4, 0.4, 0.2), (120, -40, 20)])
def test_fractions_must_sum_to_100(soil):
    for function in (e.dg_k, e.geometric_mean_diameter_mm, sp.texture_class):
        with pytest.raises(InputError):
            function(*soil)
    with pytest.raises(InputError):
        e.epic_k(*soil, 1.0)


def test_half_a_percent_is_tolerated():
    assert sp.texture_class(40.2, 40.2, 20.1) == "loam"
    assert e.dg_k(40.2, 40.2, 20.1) == pytest.approx(e.dg_k(40, 40, 20), rel=0.01)


def test_texture_k_between_and_outside_the_columns():
    silt_loam = (0.48, 0.42, 0.33)  # Stewart et al. (1975)
    assert e.texture_k(3.0, *silt_loam) == pytest.approx(0.375, rel=1e-12)  # halfway from 0.42 to 0.33
    assert e.texture_k(1.0, *silt_loam) == pytest.approx(0.46, rel=1e-12)  # a third from 0.48 to 0.42
    assert e.texture_k([0.0, 0.5], *silt_loam).tolist() == [0.48, 0.48]
    assert e.texture_k([4.0, 8.0], *silt_loam) == pytest.approx([0.33, 0.33], rel=1e-12)
    assert e.OM_TABLE_RANGE_PCT == (0.5, 4.0)


@pytest.mark.parametrize("missing", [None, math.nan])
def test_texture_k_of_clay_needs_a_choice(missing):
    with pytest.raises(InputError, match="clay is a range"):
        e.texture_k(2.0, 0.13, missing, 0.29)


def test_texture_k_refuses_a_k_of_another_unit():
    with pytest.raises(InputError, match="US customary"):
        e.texture_k(2.0, 4.8, 4.2, 3.3)


def test_rock_fragments():
    # A quarter of rock slows 2.4 in/h to 1.8: class 2 becomes 3, and the nomograph's K rises by 0.025.
    slowed = sp.rock_adjusted_conductivity(2.4, 25.0)
    assert slowed == pytest.approx(1.8, rel=1e-12)
    fine, whole = (e.nomograph_k(50, 30, 2.0, 2, sp.permeability_class(c)) for c in (2.4, slowed))
    assert whole - fine == pytest.approx(0.025, rel=1e-9)
    assert e.coarse_fragment_factor(0.0) == 1.0
    assert e.coarse_fragment_factor(100.0) == pytest.approx(math.exp(-5.3), rel=1e-12)


def test_texture_classes_tile_the_triangle():
    sand, clay = np.meshgrid(np.arange(0.0, 100.5, 0.5), np.arange(0.0, 100.5, 0.5))
    inside = sand + clay <= 100.0
    names = sp.texture_class(sand[inside], (100.0 - sand - clay)[inside], clay[inside])
    assert set(np.unique(names)) == set(sp.TEXTURE_CLASSES)


@pytest.mark.parametrize(
    ("sand", "clay", "name"),
    [
        # Both sides of boundaries in the Soil Survey Manual's definitions, chapter 3.
        (85.0, 0.0, "loamy sand"),
        (85.5, 0.0, "sand"),
        (70.0, 0.0, "sandy loam"),
        (52.0, 10.0, "loam"),
        (52.5, 10.0, "sandy loam"),
        (30.0, 26.9, "loam"),
        (30.0, 27.0, "clay loam"),
        (20.0, 30.0, "silty clay loam"),
        (20.1, 30.0, "clay loam"),
        (45.0, 36.0, "clay loam"),
        (45.1, 36.0, "sandy clay"),
        (60.0, 34.9, "sandy clay loam"),
        (20.0, 40.0, "silty clay"),
        (20.1, 40.0, "clay"),
        (8.0, 12.0, "silt loam"),
        (8.0, 11.9, "silt"),
        (50.0, 0.0, "silt loam"),
        (51.0, 0.0, "sandy loam"),
    ],
)
def test_texture_boundaries(sand, clay, name):
    assert sp.texture_class(sand, 100.0 - sand - clay, clay) == name
    single = (np.float32([v]) for v in (sand, 100.0 - sand - clay, clay))
    assert sp.texture_class(*single).tolist() == [name]


def test_scalars_arrays_and_missing_values():
    assert type(e.nomograph_k(65, 5, 2.8, 2, 4)) is float
    assert type(sp.texture_class(40, 40, 20)) is str
    grid = e.nomograph_k(np.array([[65.0], [50.0]]), 5.0, np.array([2.8, np.nan]), 2, 4)
    assert grid.shape == (2, 2)
    assert np.isnan(grid[:, 1]).all()
    assert grid[0, 0] == e.nomograph_k(65, 5, 2.8, 2, 4)
    assert sp.texture_class([40.0, np.nan], 40.0, 20.0).tolist() == ["loam", ""]
    assert np.isnan(sp.permeability_class(np.array([np.nan, 1.0]))).tolist() == [True, False]
    with pytest.raises(InputError, match="masked"):
        e.dg_k(np.ma.masked_array([40.0], [True]), 40.0, 20.0)


def test_float32_stays_float32():
    sand, silt, clay = (np.float32([x]) for x in (40, 40, 20))
    exact = {e.dg_k: e.dg_k(40, 40, 20), e.geometric_mean_diameter_mm: e.geometric_mean_diameter_mm(40, 40, 20)}
    for function, value in exact.items():
        assert function(sand, silt, clay).dtype == np.float32
        assert function(sand, silt, clay) == pytest.approx(value, rel=2e-6)
    for k, value in (
        (e.nomograph_k(np.float32([65]), 5.0, np.float32([2.8]), 2, 4), 0.3108513),
        (e.epic_k(sand, silt, clay, 1.0), 0.2953813),
        (e.texture_k(np.float32([1.25]), 0.48, 0.42, 0.33), 0.45),
        (sp.permeability_class(np.float32([0.4])), 4.0),
    ):
        assert k.dtype == np.float32
        assert k == pytest.approx(value, rel=2e-6)


@settings(deadline=None)
@given(soils(), st.floats(0.0, 12.0))
def test_bounds(soil, carbon):
    sand, silt, clay = soil
    assert 0.001 - 1e-12 <= e.geometric_mean_diameter_mm(sand, silt, clay) <= 1.025 + 1e-9
    assert 0.0258 < e.dg_k(sand, silt, clay) <= 7.594 * 0.0439
    assert sp.texture_class(sand, silt, clay) in sp.TEXTURE_CLASSES
    if silt + clay > 0.0:
        assert 0.0 <= e.epic_k(sand, silt, clay, carbon) < 0.5


@settings(deadline=None)
@given(st.floats(20.0, 70.0), st.floats(0.0, 30.0), st.floats(0.0, 4.0), st.floats(0.0, 4.0))
def test_nomograph_falls_with_organic_matter_and_rises_with_slower_soil(silt_vfs, sand, om_a, om_b):
    less, more = sorted((om_a, om_b))
    assert e.nomograph_k(silt_vfs, sand, less, 3, 4) >= e.nomograph_k(silt_vfs, sand, more, 3, 4)
    k = e.nomograph_k(silt_vfs, sand, less, 3, np.arange(3, 7))
    assert np.diff(k) == pytest.approx(0.025, rel=1e-9)


@settings(deadline=None)
@given(st.floats(0.0, 100.0))
def test_texture_k_lies_between_its_columns(om):
    assert 0.33 - 1e-15 <= e.texture_k(om, 0.48, 0.42, 0.33) <= 0.48
