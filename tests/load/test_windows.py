import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sedcalc.load.windows import window_bounds, window_tons, worst_rows, year_later

DATES = st.dates(datetime.date(1999, 1, 1), datetime.date(2101, 12, 31))


@given(DATES)
def test_a_year_later_is_the_same_date(date):
    try:
        expected = date.replace(year=date.year + 1)
    except ValueError:
        expected = datetime.date(date.year + 1, 2, 28)
    assert year_later(np.array([date], dtype="datetime64[D]"))[0] == np.datetime64(expected)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2027-03-01", "2028-02-29"),
        ("2028-02-29", "2029-02-27"),
        ("2028-03-01", "2029-02-28"),
        ("2027-01-01", "2027-12-31"),
    ],
)
def test_windows_around_leap_days(start, end):
    starts, ends, whole = window_bounds(np.datetime64(start), np.datetime64(end))
    assert not whole
    assert [str(s) for s in starts] == [start]
    assert [str(e) for e in ends] == [end]


def test_one_day_short_of_a_year_is_the_project_itself():
    starts, ends, whole = window_bounds(np.datetime64("2027-01-02"), np.datetime64("2027-12-31"))
    assert whole
    assert (str(starts[0]), str(ends[0])) == ("2027-01-02", "2027-12-31")


def test_sums_of_windows():
    daily = np.arange(12.0).reshape(2, 6)
    first = np.datetime64("2027-05-01")
    start, end = first + np.array([0, 2], "m8[D]"), first + np.array([5, 3], "m8[D]")
    np.testing.assert_allclose(window_tons(daily, first, start, end), [[15.0, 51.0], [5.0, 17.0]])


def test_the_earliest_of_equal_windows_is_named_and_nan_is_none():
    figures = np.array([[1.0, np.nan], [3.0, np.nan], [3.0 * (1 + 1e-15), np.nan]])
    assert worst_rows(figures).tolist() == [1, -1]
