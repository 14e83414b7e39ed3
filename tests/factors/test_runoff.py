"""Runoff: curve numbers, composites, rational peaks, MUSLE."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sedcalc.factors.runoff import composite, curve_number_runoff_in, musle_tons, rational_peak_cfs
from sedcalc.findings import InputError
from sedcalc.units import ACRE_FT2, FOOT_M, TON_T


def test_runoff_by_hand():
    # CN 80: S 2.5, Ia 0.5; (4 - 0.5)^2/(4 - 0.5 + 2.5) = 12.25/6.
    assert curve_number_runoff_in(4.0, 80.0) == pytest.approx(12.25 / 6.0, rel=1e-12)
    # With Ia = 0.05 S: (4 - 0.125)^2/(3.875 + 2.5).
    assert curve_number_runoff_in(4.0, 80.0, ia_ratio=0.05) == pytest.approx(3.875**2 / 6.375, rel=1e-12)
    assert curve_number_runoff_in(0.5, 80.0) == 0.0
    assert curve_number_runoff_in([0.0, 3.0], 100.0).tolist() == [0.0, 3.0]


@settings(deadline=None)
@given(st.floats(0.0, 30.0), st.floats(0.0, 30.0), st.floats(20.0, 100.0), st.floats(20.0, 100.0))
def test_runoff_is_bounded_and_rises_with_rain_and_curve_number(rain_a, rain_b, cn_a, cn_b):
    (less, more), (low, high) = sorted((rain_a, rain_b)), sorted((cn_a, cn_b))
    assert 0.0 <= curve_number_runoff_in(less, low) <= curve_number_runoff_in(more, low) + 1e-12
    assert curve_number_runoff_in(less, low) <= curve_number_runoff_in(less, high) + 1e-12
    assert curve_number_runoff_in(more, high) <= more + 1e-12


def test_composite_rational_coefficient_before_and_after():
    # By hand: 6 acres of unimproved land at 0.2; after, 2 acres of roofs and asphalt at 0.85 and 4 of lawn at 0.3.
    before, after = composite([0.2], [6.0]), composite([0.85, 0.3], [2.0, 4.0])
    assert before == pytest.approx(0.2, rel=1e-12)
    assert after == pytest.approx(2.9 / 6.0, rel=1e-12)
    assert rational_peak_cfs(after, 3.0, 6.0) == pytest.approx(8.7, rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.01, 100.0)), min_size=1, max_size=8), st.floats(0.01, 100.0))
def test_composite_is_a_mean(parts, scale):
    values, areas = np.array(parts).T
    mean = composite(values, areas)
    assert values.min() - 1e-12 <= mean <= values.max() + 1e-12
    assert composite(values[::-1], scale * areas[::-1]) == pytest.approx(mean, rel=1e-9, abs=1e-12)


def test_mean_runoff_of_unlike_parts_is_not_the_runoff_at_their_mean_curve_number():
    # Technical Release 55, table 2-1, 1 in of rain: 0.79 in at CN 98 and none at 60; at the mean 79 below 0.08.
    parts = curve_number_runoff_in(1.0, np.array([98.0, 60.0]))
    assert composite(parts, [1.0, 1.0]) == pytest.approx(0.79 / 2.0, abs=0.003)
    assert curve_number_runoff_in(1.0, composite([98.0, 60.0], [1.0, 1.0])) < 0.08


def test_musle_agrees_with_its_metric_form():
    # Williams (1995): 11.8 (Q q)^0.56 K LS C P in t, Q in m3, q in m3/s, K the US number; 95 and 11.8 are rounded.
    volume, peak = 3.0, 8.0
    metric = 11.8 * (volume * ACRE_FT2 * FOOT_M**3 * peak * FOOT_M**3) ** 0.56 * 0.3 * 1.2 * 0.5 * 0.9
    assert musle_tons(volume, peak, 0.3, 1.2, 0.5, 0.9) * TON_T == pytest.approx(metric, rel=5e-3)


@settings(deadline=None)
@given(st.floats(0.0, 100.0), st.floats(0.0, 500.0))
def test_musle_scales_by_its_exponent(volume, peak):
    base = musle_tons(volume, peak, 0.3, 1.0, 1.0, 1.0)
    assert musle_tons(2.0 * volume, 4.0 * peak, 0.3, 1.0, 1.0, 1.0) == pytest.approx(base * 8.0**0.56, rel=1e-9)
    assert musle_tons(volume, peak, 0.3, 2.0, 0.5, 1.0) == pytest.approx(base, rel=1e-9)


@pytest.mark.parametrize(
    "call",
    [
        lambda: curve_number_runoff_in(-1.0, 80.0),
        lambda: curve_number_runoff_in(150.0, 80.0),
        lambda: curve_number_runoff_in(4.0, 0.0),
        lambda: curve_number_runoff_in(4.0, 101.0),
        lambda: curve_number_runoff_in(math.nan, 80.0),
        lambda: composite([80.0], [0.0]),
        lambda: composite(80.0, 1.0),
        lambda: composite([80.0, 70.0], [1.0, -1.0]),
        lambda: rational_peak_cfs(35.0, 3.0, 10.0),
        lambda: rational_peak_cfs(0.35, 3.0, 5000.0),
        lambda: musle_tons(1.0, 1.0, 3.0, 1.0, 1.0, 1.0),
        lambda: musle_tons(-1.0, 1.0, 0.3, 1.0, 1.0, 1.0),
    ],
)
def test_refusals(call):
    with pytest.raises(InputError):
        call()


def test_kinds_and_types():
    assert type(curve_number_runoff_in(4, 80)) is float
    grid = curve_number_runoff_in(np.float32([[4.0], [2.0]]), np.float32([80.0, 90.0]))
    assert grid.shape == (2, 2)
    assert grid.dtype == np.float32
    assert grid == pytest.approx(curve_number_runoff_in(np.array([[4.0], [2.0]]), np.array([80.0, 90.0])), rel=2e-6)
    assert np.isnan(curve_number_runoff_in([np.nan, 4.0], 80.0)).tolist() == [True, False]
    assert musle_tons(np.float32([2.0]), 4.0, 0.3, 1.0, 1.0, 1.0).dtype == np.float32
