"""Support practice P: product of subfactors, and tables by slope class."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sedcalc.factors.support import P_UPPER_LIMIT, combined_p, p_by_slope_class
from sedcalc.findings import InputError
from sedcalc.tables import table

# Contouring as recalled from Agriculture Handbook 537: classes 1-2, 3-5, 6-8, 9-12, 13-16, 17-20 and 21-25 %.
TO = [2, 5, 8, 12, 16, 20, 25]
P = [0.60, 0.50, 0.50, 0.60, 0.70, 0.80, 0.90]
MAX_FT = [400, 300, 200, 120, 80, 60, 50]


def contour(slope, length):
    return p_by_slope_class(slope, TO, P, class_from_pct=1, length_ft=length, class_max_length_ft=MAX_FT)


def test_combined_p_by_hand():
    assert combined_p([0.6, 0.9]) == pytest.approx(0.54, rel=1e-12)
    assert combined_p([]) == 1.0
    assert combined_p([[0.6, 0.9], [1.3, 1.0]]) == pytest.approx([0.54, 1.3], rel=1e-12)
    for bad in ([0.0], [90.0], [1.31], 0.9):
        with pytest.raises(InputError):
            combined_p(bad)


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5))
def test_combined_p_does_not_depend_on_order(subfactors):
    p = combined_p(subfactors)
    assert p == pytest.approx(combined_p(subfactors[::-1]), rel=1e-12)
    assert 0.0 < p <= min(subfactors) + 1e-15
    assert p <= P_UPPER_LIMIT


@pytest.mark.parametrize(("first", "row"), [(1, 0), (3, 1), (6, 2), (9, 3), (13, 4), (17, 5), (21, 6)])
def test_both_ends_of_every_class(first, row):
    assert contour(float(first), float(MAX_FT[row])) == P[row]
    assert contour(float(TO[row]), float(MAX_FT[row])) == P[row]
    with pytest.raises(InputError, match="over the limit"):
        contour(float(TO[row]), MAX_FT[row] + 1.0)


def test_the_shipped_rows_are_named_recalled():
    """The table of contouring is the handbook's as above; a Chilean program prints the same P at six slopes."""
    t = table("contour_p")
    from_pct, to_pct, p, max_ft = (
        [row[name] for row in t.rows] for name in ("from_pct", "to_pct", "p", "max_length_ft")
    )
    assert (to_pct, p, max_ft) == (TO, P, MAX_FT)
    assert from_pct == [1, *(last + 1 for last in TO[:-1])]
    assert {row["status"] for row in t.rows} == {"recalled"}
    printed = p_by_slope_class([2.0, 8.0, 12.0, 16.0, 20.0, 25.0], to_pct, p, class_from_pct=from_pct[0])
    assert printed.tolist() == [0.6, 0.5, 0.6, 0.7, 0.8, 0.9]


def test_slopes_are_rounded_to_the_printed_whole_percent():
    assert contour([2.49, 2.5], [350.0, 250.0]).tolist() == [0.6, 0.5]
    for slope in (0.4, 25.5, 40.0, math.nan):
        with pytest.raises(InputError):
            contour(slope, 40.0)


def test_arrays_without_length_and_missing_values():
    p = p_by_slope_class(np.float32([[4.0], [10.0]]), TO, P)
    assert p.dtype == np.float32
    assert p == pytest.approx(np.array([[0.5], [0.6]]), rel=1e-6)
    assert type(p_by_slope_class(4.0, TO, P)) is float
    assert np.isnan(contour([4.0, np.nan], [100.0, 100.0])).tolist() == [False, True]
    assert np.isnan(contour(4.0, [np.nan, 100.0])).tolist() == [True, False]


def test_table_must_be_in_order():
    for to, p, extra in (
        ([5, 2], [0.5, 0.6], {}),
        ([2, 5], [0.6], {}),
        ([2, 5], [0.6, 0.0], {}),
        (TO, P, {"length_ft": 100.0}),
        (TO, P, {"length_ft": 100.0, "class_max_length_ft": [400.0]}),
    ):
        with pytest.raises(InputError):
            p_by_slope_class(2.0, to, p, **extra)
