"""Cover factor C: subfactors, establishing covers, and the mean by erosivity."""

import datetime as dt
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sedcalc.factors import cover as c
from sedcalc.findings import InputError


def test_half_cover_by_hand():
    assert c.surface_cover(50.0, 0.24) == pytest.approx(0.174, abs=5e-4)
    assert c.surface_cover(50.0) == pytest.approx(math.exp(-1.75), rel=1e-12)
    assert c.surface_cover(50.0, b=c.COVER_B["high"]) == pytest.approx(math.exp(-2.5), rel=1e-12)
    # A rougher surface takes less from cover: (0.24/0.96)^0.08 = 2^-0.16.
    assert c.surface_cover(50.0, 0.96) == pytest.approx(math.exp(-1.75 * 2.0**-0.16), rel=1e-12)


def test_cover_by_mass_and_back():
    alpha = c.residue_alpha_ac_lb(4000.0, 90.0)
    assert alpha == pytest.approx(math.log(10.0) / 4000.0, rel=1e-12)
    assert c.residue_cover_pct([0.0, 2000.0, 4000.0], alpha) == pytest.approx([0.0, 100 * (1 - 10**-0.5), 90.0])


def test_canopy_by_hand():
    assert c.canopy(50.0, 1.0) == pytest.approx(1.0 - 0.5 * math.exp(-0.1), rel=1e-12)
    assert c.canopy(100.0, 0.0) == 0.0
    assert c.canopy(0.0, 3.0) == 1.0


def test_roughness_by_hand():
    assert c.roughness_after_rain(1.0, 10.0, 50.0) == pytest.approx(0.24 + 0.76 * math.exp(-1.0), rel=1e-12)
    assert c.roughness_after_rain(1.0, 0.0, 0.0) == pytest.approx(1.0, rel=1e-12)
    assert c.surface_roughness(0.24) == 1.0
    assert c.surface_roughness(0.0) == pytest.approx(math.exp(0.1584), rel=1e-12)
    assert c.surface_roughness(0.0) < c.C_UPPER_LIMIT


@settings(deadline=None)
@given(st.floats(0.24, 6.0), st.floats(0.0, 60.0), st.floats(0.0, 60.0), st.floats(0.0, 200.0))
def test_roughness_decays_in_steps_as_at_once(initial, rain_a, rain_b, ei):
    at_once = c.roughness_after_rain(initial, rain_a + rain_b, 2 * ei)
    between = c.roughness_after_rain(initial, rain_a, ei)
    assert 0.24 <= at_once <= between + 1e-12 <= initial + 1e-9
    assert c.roughness_after_rain(max(between, 0.24), rain_b, ei) == pytest.approx(at_once, rel=1e-9)


def test_soil_loss_ratio_is_the_product():
    assert c.soil_loss_ratio(0.5, 0.8, 0.9, 0.7) == pytest.approx(0.252, rel=1e-12)
    with pytest.raises(InputError):
        c.soil_loss_ratio(17.4)


def test_weighted_c():
    # By hand: a quarter of the erosivity on bare soil, three quarters at 0.06.
    assert c.weighted_c([0.25, 0.75], [1.0, 0.06]) == pytest.approx(0.295, rel=1e-12)
    # Shares of the year instead of the phase give the same mean.
    assert c.weighted_c([0.05, 0.15], [1.0, 0.06]) == pytest.approx(0.295, rel=1e-12)
    assert c.weighted_c([[1.0, 0.0], [0.0, 2.0]], [1.0, 0.06]) == pytest.approx([1.0, 0.06], rel=1e-12)
    assert math.isnan(c.weighted_c([0.0, 0.0], [1.0, 0.06]))
    for bad in (([], []), (1.0, 1.0), ([-0.1, 1.1], [1.0, 1.0]), ([0.5, 0.5], [1.0, 6.0])):
        with pytest.raises(InputError):
            c.weighted_c(*bad)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0.001, 1.0), st.floats(0.0, 1.0)), min_size=1, max_size=12), st.floats(0.1, 100.0))
def test_weighted_c_lies_between_its_parts(parts, scale):
    share, ratio = np.array(parts).T
    mean = c.weighted_c(share, ratio)
    assert ratio.min() - 1e-12 <= mean <= ratio.max() + 1e-12
    assert c.weighted_c(scale * share[::-1], ratio[::-1]) == pytest.approx(mean, rel=1e-9, abs=1e-12)


def test_establishing_cover_on_dates():
    sown, established = dt.date(2026, 5, 1).toordinal(), dt.date(2026, 6, 30).toordinal()
    days = [dt.date(2026, 4, 20), dt.date(2026, 5, 1), dt.date(2026, 5, 31), dt.date(2026, 6, 30), dt.date(2026, 9, 1)]
    ratios = c.establishing_slr([d.toordinal() for d in days], sown, established, 1.0, 0.1)
    # 30 of 60 days: halfway.
    assert ratios == pytest.approx([1.0, 1.0, 0.55, 0.1, 0.1], abs=1e-12)
    logistic = c.establishing_slr(
        [d.toordinal() for d in days], sown, established, 1.0, 0.1, shape="logistic", steepness=10.0
    )
    assert logistic == pytest.approx([1.0, 1.0, 0.55, 0.1, 0.1], abs=1e-12)


def test_logistic_by_hand():
    # x = 1/4, steepness 4: [s(-1) - s(-2)]/[s(2) - s(-2)] with the logistic s.
    s = {x: 1.0 / (1.0 + math.exp(-x)) for x in (-2, -1, 2)}
    expected = 1.0 - 0.9 * (s[-1] - s[-2]) / (s[2] - s[-2])
    assert c.establishing_slr(10, 0, 40, 1.0, 0.1, shape="logistic", steepness=4.0) == pytest.approx(
        expected, rel=1e-12
    )


@settings(deadline=None)
@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(1, 365), st.sampled_from([None, 2.0, 12.0, 50.0]))
def test_establishing_cover_is_monotone_and_bounded(before, after, days, steepness):
    shape = "linear" if steepness is None else "logistic"
    course = c.establishing_slr(np.arange(-5, days + 6), 0, days, before, after, shape=shape, steepness=steepness)
    assert (course >= min(before, after) - 1e-12).all()
    assert (course <= max(before, after) + 1e-12).all()
    step = np.diff(course) * (1.0 if after >= before else -1.0)
    assert (step >= -1e-12).all()
    assert course[0] == before
    assert course[-1] == pytest.approx(after, abs=1e-12)


@pytest.mark.parametrize(
    "changed",
    [
        {"established_day": 0},
        {"established_day": -3},
        {"slr_sown": 2.0},
        {"slr_established": -0.1},
        {"day": math.nan},
        {"day": -math.inf},
        {"shape": "cubic"},
        {"shape": "logistic"},
        {"shape": "logistic", "steepness": 0.0},
    ],
)
def test_establishing_refusals(changed):
    given_ = {"day": 5, "sown_day": 0, "established_day": 30, "slr_sown": 1.0, "slr_established": 0.1} | changed
    with pytest.raises(InputError):
        c.establishing_slr(**given_)


def test_slope_limits_of_mulch_and_mats():
    # 2.5:1 is 40 %, 3:1 is 33.33 %, by definition.
    assert c.slope_limit_pct([2.5, 3.0]) == pytest.approx([40.0, 100.0 / 3.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: c.surface_cover(101.0),
        lambda: c.surface_cover(50.0, 0.0),
        lambda: c.surface_cover(50.0, b=0.35),
        lambda: c.residue_cover_pct(2000.0, 0.6),
        lambda: c.residue_alpha_ac_lb(2000.0, 100.0),
        lambda: c.canopy(50.0, -1.0),
        lambda: c.roughness_after_rain(0.1, 1.0, 1.0),
        lambda: c.surface_roughness(25.0),
        lambda: c.slope_limit_pct(0.0),
    ],
)
def test_refusals(call):
    with pytest.raises(InputError):
        call()


def test_float32_stays_float32():
    half = np.float32([50.0])
    assert c.surface_cover(half).dtype == np.float32
    assert c.surface_cover(half) == pytest.approx(c.surface_cover(50.0), rel=2e-6)
    assert c.canopy(half, 1.0).dtype == np.float32
    assert c.surface_roughness(np.float32([1.0])).dtype == np.float32
    assert c.weighted_c(np.float32([0.25, 0.75]), np.float32([1.0, 0.06])) == pytest.approx(0.295, rel=2e-6)
    assert c.residue_cover_pct(np.float32([2000.0]), 6e-4).dtype == np.float32
    assert c.roughness_after_rain(np.float32([1.0]), 1.0, 1.0).dtype == np.float32
    assert c.soil_loss_ratio(half / 100.0, 0.9).dtype == np.float32


@settings(deadline=None)
@given(st.floats(0.0, 100.0), st.floats(0.0, 100.0), st.floats(0.05, 6.0))
def test_more_cover_never_loses_more_soil(cover_a, cover_b, roughness):
    less, more = sorted((cover_a, cover_b))
    assert 0.0 < c.surface_cover(more, roughness) <= c.surface_cover(less, roughness) <= 1.0
    assert c.canopy(more, 2.0) <= c.canopy(less, 2.0)
