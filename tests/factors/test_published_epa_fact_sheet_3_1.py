"""EPA 833-F-00-014, Fact Sheet 3.1 (rev. 2012): its two worked examples."""

import datetime as dt

import pytest

from sedcalc.factors.erosivity import ei_fraction, ei_fraction_table_dates

DENVER = dt.date(2026, 3, 10), dt.date(2026, 5, 10)
PITTSBURGH = dt.date(2026, 8, 1), dt.date(2027, 4, 15)


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
