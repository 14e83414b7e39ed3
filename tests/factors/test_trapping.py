"""Trapping: series, particle classes, settling and size rules."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sedcalc.factors import trapping as t
from sedcalc.findings import InputError
from sedcalc.units import FOOT_M

EFFICIENCIES = st.lists(st.floats(0.0, 1.0), max_size=6)


def test_series_by_the_rule_of_new_jersey():
    # 80 % then 50 %: 80 + 50 - 80 * 50/100 = 90.
    assert t.series_efficiency([0.8, 0.5]) == pytest.approx(0.9, abs=1e-15)
    assert t.single_best([0.8, 0.5]) == 0.8  # New Hampshire's rule
    assert t.series_efficiency([]) == 0.0
    assert t.single_best([]) == 0.0
    assert t.series_efficiency([[0.8, 0.5], [0.0, 0.3]]) == pytest.approx([0.9, 0.3], abs=1e-15)


@pytest.mark.parametrize("bad", [[80.0, 50.0], [-0.1], [math.inf]])
def test_efficiencies_are_fractions(bad):
    for function in (t.series_efficiency, t.single_best):
        with pytest.raises(InputError, match="fraction"):
            function(bad)
    with pytest.raises(InputError, match="list"):
        t.series_efficiency(0.8)


@settings(deadline=None)
@given(EFFICIENCIES, st.randoms(use_true_random=False))
def test_series_properties(efficiencies, random):
    series = t.series_efficiency(efficiencies)
    shuffled = efficiencies.copy()
    random.shuffle(shuffled)
    assert t.series_efficiency(shuffled) == pytest.approx(series, abs=1e-12)
    assert t.single_best(efficiencies) - 1e-12 <= series <= min(1.0, math.fsum(efficiencies)) + 1e-12
    assert t.series_efficiency([*efficiencies, 0.3]) >= series


def test_second_fence_does_not_trap_the_fines_again():
    shares = [0.2, 0.3, 0.5]
    fence = [0.0, 0.4, 1.0]
    trapped, passed = t.class_chain(shares, [fence, fence])
    # By hand: silt 0.12 then 0.072, sand 0.5 then nothing; clay passes.
    assert trapped == pytest.approx(np.array([[0.0, 0.12, 0.5], [0.0, 0.072, 0.0]]), abs=1e-15)
    assert passed == pytest.approx([0.2, 0.108, 0.0], abs=1e-15)
    first = float(np.dot(shares, fence))
    assert trapped.sum() < t.series_efficiency([first, first])


@settings(deadline=None)
@given(
    st.lists(st.floats(0.0, 1e6), min_size=5, max_size=5),
    st.lists(st.lists(st.floats(0.0, 1.0), min_size=5, max_size=5), min_size=1, max_size=4),
)
def test_class_chain_keeps_mass(arriving, efficiencies):
    trapped, passed = t.class_chain(arriving, efficiencies)
    assert trapped.sum(axis=0) + passed == pytest.approx(np.array(arriving), rel=1e-9, abs=1e-9)
    assert (trapped >= 0.0).all()
    assert (passed >= 0.0).all()
    for c in range(5):
        by_series = t.series_efficiency([row[c] for row in efficiencies])
        assert arriving[c] - passed[c] == pytest.approx(arriving[c] * by_series, rel=1e-9, abs=1e-6)


def test_class_chain_without_practices_and_with_leading_axes():
    trapped, passed = t.class_chain([0.4, 0.6], np.empty((0, 2)))
    assert trapped.shape == (0, 2)
    assert passed.tolist() == [0.4, 0.6]
    trapped, passed = t.class_chain(np.full((3, 2), 0.5), [[0.2, 1.0]])
    assert trapped.shape == (3, 1, 2)
    assert passed == pytest.approx(np.tile([0.4, 0.0], (3, 1)), abs=1e-15)
    with pytest.raises(InputError, match="shape"):
        t.class_chain([0.5, 0.5], [[0.2, 0.2, 0.2]])


def test_stokes_by_hand():
    # g (G - 1) d^2/(18 nu) with nu = 1.0016e-3/998.2071 m2/s.
    nu = 1.0016e-3 / 998.2071
    for d_mm, gravity in ((0.002, 2.60), (0.010, 2.65), (0.03, 1.80)):
        velocity, reynolds, valid = t.stokes_settling_velocity(d_mm, gravity)
        expected = 9.80665 * (gravity - 1.0) * (d_mm / 1000.0) ** 2 / (18.0 * nu)
        assert velocity == pytest.approx(expected, rel=1e-12)
        assert reynolds == pytest.approx(expected * d_mm / 1000.0 / nu, rel=1e-12)
        assert valid is True


def test_stokes_flags_large_particles():
    _, reynolds, valid = t.stokes_settling_velocity([0.01, 0.2, np.nan], 2.65)
    assert valid.tolist() == [True, False, False]
    assert reynolds[1] > t.STOKES_REYNOLDS_LIMIT
    for bad in ((0.0, 2.65), (0.01, 1.0), (10.0, 2.65), (math.nan, 2.65)):
        with pytest.raises(InputError):
            t.stokes_settling_velocity(*bad)


def test_overflow_in_feet_and_metres():
    in_feet = t.overflow_efficiency(5000.0, 0.61, 7.3e-5, 1.2)
    in_metres = t.overflow_efficiency(5000.0 * FOOT_M**2, 0.61 * FOOT_M**3, 7.3e-5 * FOOT_M, 1.2)
    assert in_feet == pytest.approx(7.3e-5 * 5000.0 / (1.2 * 0.61), rel=1e-12)
    assert in_metres == pytest.approx(in_feet, rel=1e-12)
    assert t.overflow_efficiency(1e6, 0.61, 7.3e-5, 1.2) == 1.0


@settings(deadline=None)
@given(st.floats(1.0, 1e6), st.floats(0.01, 100.0), st.floats(1e-6, 1.0), st.floats(1.0, 10.0))
def test_overflow_rises_with_area_and_falls_with_flow(area, flow, velocity, more):
    base = t.overflow_efficiency(area, flow, velocity, 1.2)
    assert 0.0 < base <= 1.0
    assert t.overflow_efficiency(area * more, flow, velocity, 1.2) >= base
    assert t.overflow_efficiency(area, flow * more, velocity, 1.2) <= base


@settings(deadline=None)
@given(st.floats(0.01, 100.0), st.floats(1.0, 43560.0), st.floats(0.0, 1.0))
def test_a_trap_at_its_required_size_earns_the_credit_and_a_smaller_one_nothing(acres, rate, credit):
    required = t.trap_required_area_ft2(acres, rate)
    assert t.size_rule_efficiency(required, required, credit) == credit
    assert t.size_rule_efficiency(required * 0.9999, required, credit) == 0.0
    assert t.trap_drained_acres(required, rate) == pytest.approx(acres, rel=1e-14)


@settings(deadline=None)
@given(st.floats(0.01, 100.0), st.floats(1e-6, 1.0), st.floats(1.0, 10.0))
def test_a_basin_of_the_required_size_takes_the_flow_it_was_sized_for(flow, velocity, coefficient):
    required = t.basin_required_area_ft2(flow, velocity, coefficient)
    assert t.basin_outflow_cfs(required, velocity, coefficient) == pytest.approx(flow, rel=1e-14)
    assert t.overflow_efficiency(required, flow, velocity, coefficient) == pytest.approx(1.0, rel=1e-14)


def test_size_rules_on_arrays():
    required = t.trap_required_area_ft2(np.array([1.0, 2.0, 0.5]), np.array([625.0, 1560.0, 5300.0]))
    assert required.tolist() == [625.0, 3120.0, 2650.0]
    assert t.size_rule_efficiency([625.0, 3119.0, np.nan], required, 0.8)[:2].tolist() == [0.8, 0.0]
    assert np.isnan(t.size_rule_efficiency([np.nan], 100.0, 0.8)[0])
    assert t.trap_required_area_ft2(np.float32([1.0]), 5300.0).dtype == np.float32


@pytest.mark.parametrize(
    "call",
    [
        lambda: t.trap_required_area_ft2(0.0, 625.0),
        lambda: t.trap_required_area_ft2(1.0, 0.0),
        lambda: t.trap_drained_acres(-1.0, 625.0),
        lambda: t.basin_required_area_ft2(-1.0, 7.3e-5, 1.2),
        lambda: t.basin_required_area_ft2(1.0, 0.0, 1.2),
        lambda: t.basin_required_area_ft2(1.0, 7.3e-5, 0.5),
        lambda: t.basin_outflow_cfs(0.0, 7.3e-5, 1.2),
        lambda: t.size_rule_efficiency(-5.0, 100.0, 0.8),
        lambda: t.size_rule_efficiency(5.0, 100.0, 80.0),
        lambda: t.overflow_efficiency(100.0, 0.0, 1e-4, 1.2),
        lambda: t.overflow_efficiency(100.0, 1.0, 1e-4, 0.5),
    ],
)
def test_sizes_out_of_range_are_refused(call):
    with pytest.raises(InputError):
        call()
