"""California State Water Resources Control Board (2012), notification of the erosivity waiver: its worked example."""

import datetime as dt

import pytest

from sedcalc.factors.erosivity import cumulative_ei, ei_fraction


def test_sacramento(zone: dict[int, tuple[float, ...]]) -> None:
    """Sacramento, zone 23, R 35, Feb 29, 2012 to Sep 1, 2014; 79.94 in all.

    The notification reads the table at the nearest dates (Mar 1 for Feb 29, Aug 28 for Sep 1) and takes two whole
    years and a half one: 28.4 %. Its figures come out of the table; interpolation to the days gives 0.7 % more.
    """
    mar_1, aug_28 = dt.date(2012, 3, 1), dt.date(2014, 8, 28)
    half_year = cumulative_ei(aug_28, zone[23]) - cumulative_ei(mar_1, zone[23])
    assert half_year == pytest.approx(0.284, abs=1e-12)
    assert 35 * half_year == pytest.approx(9.94, abs=1e-9)
    assert 35 * (2 + half_year) == pytest.approx(79.94, abs=1e-9)
    # By hand: Feb 28 is 13 of 14 days from 20.9 to 25.7 %, Sep 1 is 4 of 15 days from 54.1 to 57.7 %.
    days = 2 + ((54.1 + 3.6 * 4 / 15) - (20.9 + 4.8 * 13 / 14)) / 100
    ours = ei_fraction(dt.date(2012, 2, 29), dt.date(2014, 9, 1), zone[23])
    assert ours == pytest.approx(days, abs=1e-12)
    assert 35 * ours == pytest.approx(79.94, rel=0.007)
