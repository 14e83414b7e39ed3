"""Particle classes of detached sediment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sedcalc.factors.sediment import PARTICLE_CLASSES, aggregate_diameters_mm, sediment_classes
from sedcalc.findings import InputError
from sedcalc.tables import table


@pytest.mark.parametrize(
    ("sand", "silt", "clay", "by_hand"),
    [
        # Foster, Young and Neibling 1985, by hand: 0.26 cl, si - 1.8 cl, 1.8 cl, the rest, sa (1 - cl)^5
        (20, 60, 20, [0.052, 0.24, 0.36, 0.282464, 0.065536]),
        # 0.45 - 0.6 (0.40 - 0.25) = 0.36 of small aggregates, all of the silt but 0.04
        (20, 40, 40, [0.104, 0.04, 0.36, 0.480448, 0.015552]),
        # 0.6 cl = 0.36 is more than the silt, which limits small aggregates
        (10, 30, 60, [0.156, 0.0, 0.30, 0.542976, 0.001024]),
    ],
)
def test_classes_by_hand(sand, silt, clay, by_hand):
    assert sediment_classes(sand, silt, clay) == pytest.approx(by_hand, abs=1e-12)


def test_small_aggregates_give_up_what_large_ones_need():
    # 50/25/25: small aggregates would take all silt (0.25 < 0.45), large ones would hold 0.106 < 0.95 * 0.125 clay; so
    # small = [0.125 - 0.065 + 0.125 (0.065 + 0 + 0.118652)]/(0.5 - 0.125), as WEPP's routine PRTCMP has it.
    sand = 0.5 * 0.75**5
    small = (0.125 - 0.065 + 0.125 * (0.065 + sand)) / 0.375
    large = 1.0 - 0.065 - 0.25 - sand
    found = sediment_classes(50, 25, 25)
    assert found == pytest.approx([0.065, 0.25 - small, small, large, sand], abs=1e-12)
    assert (0.25 - 0.065 - 0.5 * found[2]) / found[3] >= 0.125  # what clay is left for them: half of the soil's or more


def test_pure_separates():
    assert sediment_classes(100, 0, 0).tolist() == [0, 0, 0, 0, 1]
    assert sediment_classes(0, 100, 0).tolist() == [0, 1, 0, 0, 0]
    assert sediment_classes(0, 0, 100).tolist() == [1, 0, 0, 0, 0]


@given(st.floats(0, 1), st.floats(0, 1))
def test_classes_are_shares_of_the_whole(x, y):
    clay, silt = 100 * min(x, y), 100 * abs(x - y)
    classes = sediment_classes(100 - clay - silt if clay + silt < 100 else 0.0, silt, clay)
    assert classes.shape == (len(PARTICLE_CLASSES),)
    assert classes.sum() == pytest.approx(1.0, abs=1e-12)
    assert (classes >= 0.0).all()


def test_arrays_and_rounded_percentages():
    rows = sediment_classes([20.0, 50.0], [60.0, 25.0], [20.0, 25.0])
    assert rows.shape == (2, 5)
    np.testing.assert_allclose(rows[1], sediment_classes(50, 25, 25), rtol=1e-15)
    assert sediment_classes(20.4, 60.2, 20.2).sum() == pytest.approx(1.0, abs=1e-12)
    with pytest.raises(InputError, match="add to 100"):
        sediment_classes(20, 50, 20)
    with pytest.raises(InputError, match="percentage"):
        sediment_classes(-1, 81, 20)


def test_aggregate_diameters_span_what_the_table_prints():
    rows = {r["particle_class"]: r for r in table("particle_classes").rows}
    assert set(rows) == set(PARTICLE_CLASSES)
    small, large = aggregate_diameters_mm(np.array([0.0, 15.0, 25.0, 60.0, 100.0]))
    assert (small.min(), small.max()) == pytest.approx((0.03, 0.1))
    assert (large.min(), large.max()) == pytest.approx((0.3, 2.0))
    for name, diameters in (("small aggregates", small), ("large aggregates", large)):
        assert diameters.min() == pytest.approx(rows[name]["diameter_low_mm"])
        assert diameters.max() == pytest.approx(rows[name]["diameter_high_mm"])
