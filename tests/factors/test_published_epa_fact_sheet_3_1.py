"""EPA 833-F-00-014, Fact Sheet 3.1 (rev. 2012): its two worked examples, and California's third by the same table."""

import csv
import datetime as dt
from pathlib import Path

import pytest

from sedcalc.factors.erosivity import cumulative_ei, ei_fraction, ei_fraction_table_dates

DENVER = dt.date(2026, 3, 10), dt.date(2026, 5, 10)
PITTSBURGH = dt.date(2026, 8, 1), dt.date(2027, 4, 15)


@pytest.fixture(scope="module")
def zone(shared_reference: Path) -> dict[int, tuple[float, ...]]:
    with open(shared_reference / "erosivity" / "ei_distribution_by_zone.csv", newline="") as file:
        return {int(row[0]): tuple(map(float, row[1:])) for row in list(csv.reader(file))[1:]}


@pytest.mark.parametrize(
    ("number", "annual_r", "period", "table_dates", "printed_pct", "printed_share", "printed_r", "digits"),
    [
        (84, 45, DENVER, ((2026, 3, 1), (2026, 5, 15)), (0.2, 9.9), 9.7, 4.4, 1),
        (111, 112, PITTSBURGH, ((2026, 7, 29), (2027, 4, 15)), (65.0, 8.0), 43.0, 48, 0),
    ],
    ids=["denver", "pittsburgh"],
)
def test_worked_examples(
    zone: dict[int, tuple[float, ...]],
    number: int,
    annual_r: float,
    period: tuple[dt.date, dt.date],
    table_dates: tuple[tuple[int, int, int], tuple[int, int, int]],
    printed_pct: tuple[float, float],
    printed_share: float,
    printed_r: float,
    digits: int,
) -> None:
    got = ei_fraction_table_dates(*period, zone[number])
    assert (got.start, got.end) == tuple(dt.date(*d) for d in table_dates)
    assert (got.start_pct, got.end_pct) == printed_pct
    assert 100 * got.fraction == pytest.approx(printed_share, abs=1e-9)
    assert round(annual_r * got.fraction, digits) == printed_r


def test_interpolated_shares_of_the_examples_by_hand(zone: dict[int, tuple[float, ...]]) -> None:
    # Denver: 4.9 + 5 (10 of 15 days after Apr 30) less 0.2 + 0.1 (8 of 15 days after Mar 1): 7.98 %.
    denver = (4.9 + 5.0 * 10 / 15) - (0.2 + 0.1 * 8 / 15)
    assert ei_fraction(*DENVER, zone[84]) == pytest.approx(denver / 100, abs=1e-15)
    # Pittsburgh: Jul 31 is 2 of the 15 days from 65 to 74 %, 66.2 %; 100 - 66.2 + 8 = 41.8 %.
    assert ei_fraction(*PITTSBURGH, zone[111]) == pytest.approx(0.418, abs=1e-12)


def test_sacramento_of_the_california_notification(zone: dict[int, tuple[float, ...]]) -> None:
    """State Water Resources Control Board, 2012: zone 23, R 35, Feb 29, 2012 to Sep 1, 2014; 79.94 in all.

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
