"""Course of erosivity over the year: conventions, additivity, and the printed table of all zones."""

import csv
import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sedcalc.factors import erosivity as er
from sedcalc.findings import InputError

ZONE_84 = (0, 0, 0.1, 0.1, 0.2, 0.3, 0.6, 1.7, 4.9, 9.9, 19.5, 27.2, 38.3, 52.8, 68.8, 83.9, 91.6, 96.4,
           98.2, 99.2, 99.6, 99.8, 99.8, 99.9, 100)  # fmt: skip
ZONE_111 = (0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 28, 41, 54, 65, 74, 82, 87, 92, 94, 96, 97, 98, 99, 100)
MAY_1, MAY_2 = dt.date(2026, 5, 1), dt.date(2026, 5, 2)

Zones = dict[int, tuple[float, ...]]


@pytest.fixture(scope="session")
def zones(shared_reference: Path) -> Zones:
    """EPA Fact Sheet 3.1, Table 1."""
    with open(shared_reference / "erosivity" / "ei_distribution_by_zone.csv", newline="") as file:
        head, *rows = csv.reader(file)
    assert tuple(head[1:]) == tuple(f"d{m:02d}_{d:02d}" for m, d in er.EI_DATES)
    return {int(row[0]): tuple(map(float, row[1:])) for row in rows}


dates = st.dates(dt.date(2018, 1, 1), dt.date(2034, 12, 31))


@st.composite
def distributions(draw: st.DrawFn) -> tuple[float, ...]:
    steps = draw(st.lists(st.floats(0.0, 50.0), min_size=24, max_size=24).filter(lambda s: sum(s) > 0.1))
    cumulative = np.minimum(100.0 * np.cumsum([0.0, *steps]) / sum(steps), 100.0)
    return (*cumulative[:-1].tolist(), 100.0)


def test_every_printed_percent_of_all_zones_comes_back(zones: Zones) -> None:
    assert sorted(zones) == list(range(1, 141))
    for year in (2026, 2028):
        days = [dt.date(year, m, d) for m, d in er.EI_DATES]
        for percents in zones.values():
            printed = np.array(percents) / 100
            np.testing.assert_allclose(er.cumulative_ei(days, percents), printed, rtol=0, atol=1e-15)


def test_shares_of_all_zones_sum_to_one(zones: Zones) -> None:
    for percents in zones.values():
        for shares, n in ((er.monthly_ei(percents), 12), (er.half_monthly_ei(percents), 24)):
            assert shares.shape == (n,)
            assert shares.sum() == pytest.approx(1.0, abs=1e-14)
            assert shares.min() >= 0.0
        for year, n in ((2026, 365), (2028, 366)):
            daily = er.daily_ei(dt.date(year, 1, 1), dt.date(year, 12, 31), percents)
            assert daily.shape == (n,)
            assert daily.sum() == pytest.approx(1.0, abs=1e-13)
            assert daily.min() >= 0.0


@pytest.mark.parametrize(
    ("date", "share"),
    [
        # By hand from the printed percents: 0 and 1 on Jan 1 and 16, 3 and 4 on Feb 15 and Mar 1, 99 on Dec 11.
        (dt.date(2026, 1, 1), 0.0),
        (dt.date(2026, 1, 2), 0.01 / 15),
        (dt.date(2026, 2, 28), 0.03 + 0.01 * 13 / 14),
        (dt.date(2028, 2, 29), 0.03 + 0.01 * 13 / 14),
        (dt.date(2028, 3, 1), 0.04),
        (dt.date(2026, 12, 30), 0.99 + 0.01 * 19 / 20),
        (dt.date(2026, 12, 31), 1.0),
    ],
)
def test_conventions_at_the_turn_of_the_year_and_on_feb_29(date: dt.date, share: float) -> None:
    assert er.cumulative_ei(date, ZONE_111) == pytest.approx(share, abs=1e-15)


def test_half_months_by_hand() -> None:
    shares = er.half_monthly_ei(ZONE_111)
    # Jan 15 is 14 of the 15 days from Jan 1 to Jan 16 (1 %); May 1-15 is 15 - 11 %.
    assert shares[0] == pytest.approx(0.01 * 14 / 15, abs=1e-15)
    assert shares[8] == pytest.approx(0.04, abs=1e-15)
    np.testing.assert_allclose(shares.reshape(12, 2).sum(axis=1), er.monthly_ei(ZONE_111), atol=1e-15)


@given(start=dates, years=st.integers(1, 4), percents=distributions())
def test_whole_years_are_exact(start: dt.date, years: int, percents: tuple[float, ...]) -> None:
    if (start.month, start.day) == (2, 29):
        end = dt.date(start.year + years, 2, 28)
    else:
        end = start.replace(year=start.year + years) - dt.timedelta(days=1)
    assert er.ei_fraction(start, end, percents) == years


@given(start=dates, percents=distributions(), lengths=st.lists(st.integers(1, 500), min_size=1, max_size=6))
def test_adjoining_periods_add_up(start: dt.date, percents: tuple[float, ...], lengths: list[int]) -> None:
    day = np.timedelta64(1, "D")
    after = np.datetime64(start) + np.cumsum(lengths) * day
    first = np.datetime64(start) + np.concatenate([[0], np.cumsum(lengths)[:-1]]) * day
    parts = er.ei_fraction(first, after - day, percents)
    whole = er.ei_fraction(start, after[-1] - day, percents)
    assert np.sum(parts) == pytest.approx(whole, abs=1e-12)
    assert np.min(parts) >= 0.0


@given(start=dates, length=st.integers(1, 1200), percents=distributions())
def test_days_sum_to_the_period(start: dt.date, length: int, percents: tuple[float, ...]) -> None:
    end = start + dt.timedelta(days=length - 1)
    daily = er.daily_ei(start, end, percents)
    assert daily.shape == (length,)
    assert daily.sum() == pytest.approx(er.ei_fraction(start, end, percents), abs=1e-12)
    days = np.datetime64(start) + np.arange(length)
    np.testing.assert_allclose(daily, er.ei_fraction(days, days, percents), atol=1e-13)


@given(start=dates, length=st.integers(0, 900), longer=st.integers(0, 400), percents=distributions())
def test_longer_periods_have_no_smaller_share(
    start: dt.date, length: int, longer: int, percents: tuple[float, ...]
) -> None:
    end = start + dt.timedelta(days=length)
    later = end + dt.timedelta(days=longer)
    assert er.ei_fraction(start, end, percents) <= er.ei_fraction(start, later, percents) + 1e-13


@given(start=dates, length=st.integers(0, 300), percents=distributions())
def test_table_dates_enclose_the_period(start: dt.date, length: int, percents: tuple[float, ...]) -> None:
    end = start + dt.timedelta(days=length)
    period = er.ei_fraction_table_dates(start, end, percents)
    assert period.start <= start <= end <= period.end
    assert (start - period.start).days < 20
    assert (period.end - end).days < 20
    # The printed percent of a start that is a table date already holds that day.
    if start < end:
        counted = max(start, period.start + dt.timedelta(days=1))
        assert period.fraction >= er.ei_fraction(counted, end, percents) - 1e-12


def test_table_dates_of_a_whole_year_and_beyond() -> None:
    year = er.ei_fraction_table_dates(dt.date(2026, 1, 1), dt.date(2026, 12, 31), ZONE_111)
    assert year.fraction == 1.0
    with pytest.raises(InputError, match="over a year apart; use the interpolated"):
        er.ei_fraction_table_dates(dt.date(2026, 3, 10), dt.date(2027, 3, 9), ZONE_111)
    with pytest.raises(InputError, match="over a year apart"):
        er.ei_fraction_table_dates(dt.date(2026, 3, 10), dt.date(2028, 1, 5), ZONE_84)


def test_kinds_of_dates_and_shapes() -> None:
    day = dt.date(2026, 7, 14)
    assert type(er.cumulative_ei(day, ZONE_111)) is float
    assert er.cumulative_ei(np.datetime64(day), ZONE_111) == 0.54
    assert er.cumulative_ei(dt.datetime(2026, 7, 14, 9, 30), ZONE_111) == 0.54
    assert er.cumulative_ei(np.array([[day, day]]), np.array(ZONE_111)).tolist() == [[0.54, 0.54]]
    starts = np.array(["2026-01-01", "2026-07-15"], "datetime64[D]")[:, None]
    ends = np.array(["2026-12-31", "2027-07-14", "2028-07-14"], "datetime64[D]")
    table = er.ei_fraction(starts, ends, ZONE_111)
    assert table.shape == (2, 3)
    assert table[1].tolist() == [pytest.approx(0.46, abs=1e-15), 1.0, 2.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: er.ei_fraction(MAY_2, MAY_1, ZONE_111), "end: 2026-05-01 is before the start 2026-05-02; swap"),
        (lambda: er.daily_ei(MAY_2, MAY_1, ZONE_111), "last: 2026-05-01 is before the first day 2026-05-02"),
        (lambda: er.ei_fraction_table_dates(MAY_2, MAY_1, ZONE_111), "is before the start"),
        (lambda: er.ei_fraction_table_dates([MAY_1, MAY_2], MAY_2, ZONE_111), "a single date, not 2"),
        (lambda: er.daily_ei(MAY_1, [MAY_1, MAY_2], ZONE_111), "a single date, not 2"),
        (lambda: er.cumulative_ei("2026-05-01", ZONE_111), "must be dates"),
        (lambda: er.cumulative_ei(20260501, ZONE_111), "must be dates"),
        (lambda: er.cumulative_ei(None, ZONE_111), "must be dates"),
        (lambda: er.cumulative_ei(np.array(["2026-05-01", "NaT"], "M8[D]"), ZONE_111), "1 missing dates"),
        (lambda: er.cumulative_ei(MAY_1, ZONE_111[:-1]), "25 cumulative percents, not 24"),
        (lambda: er.cumulative_ei(MAY_1, None), "must be 25 numbers"),
        (lambda: er.cumulative_ei(MAY_1, (1, *ZONE_111[1:])), "must rise from 0"),
        (lambda: er.cumulative_ei(MAY_1, (*ZONE_111[:-1], 99.9)), "must rise from 0"),
        (lambda: er.cumulative_ei(MAY_1, (0, 5, 4, *ZONE_111[3:])), "must rise from 0"),
        (lambda: er.cumulative_ei(MAY_1, (0, np.nan, *ZONE_111[2:])), "must rise from 0"),
        (lambda: er.ei_fraction(np.zeros(2, "M8[D]"), np.zeros(3, "M8[D]"), ZONE_111), "do not broadcast"),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_refusal_in_arrays_says_which_and_how_many() -> None:
    starts = np.array(["2026-05-01", "2026-06-01", "2026-07-01"], "datetime64[D]")
    ends = np.array(["2026-05-31", "2026-05-31", "2026-06-30"], "datetime64[D]")
    message = r"end: 2026-05-31 is before the start 2026-06-01 \(first of 2 such periods\)"
    with pytest.raises(InputError, match=message):
        er.ei_fraction(starts, ends, ZONE_111)


def test_results_cannot_be_spoiled_through_the_cache() -> None:
    year = dt.date(2026, 1, 1), dt.date(2026, 12, 31)
    er.daily_ei(*year, ZONE_111)[:] = -1.0
    assert er.daily_ei(*year, ZONE_111).min() >= 0.0


@pytest.mark.parametrize("typed", ["0226-05-01", "1799-12-31", "2301-01-01", "9999-12-31"])
def test_years_that_are_slips(typed: str) -> None:
    says = f"{typed} is outside the years 1800 to 2300; write the year in full"
    with pytest.raises(InputError, match=f"start: {says}"):
        er.ei_fraction(dt.date.fromisoformat(typed), MAY_2, ZONE_84)
    with pytest.raises(InputError, match=f"dates: {typed}" + r" \(first of 2 such dates\)"):
        er.cumulative_ei(np.array([MAY_1, typed, typed], dtype="datetime64[D]"), ZONE_84)
    with pytest.raises(InputError, match="year"):
        er.ei_fraction_table_dates(dt.date.fromisoformat(typed), MAY_2, ZONE_84)
    with pytest.raises(InputError, match="year"):
        er.daily_ei(dt.date.fromisoformat(typed), MAY_2, ZONE_84)


def test_the_ends_of_the_calendar_are_whole_years() -> None:
    first, last = dt.date(er.FIRST_YEAR, 1, 1), dt.date(er.LAST_YEAR, 12, 31)
    assert er.ei_fraction(first, last, ZONE_84) == er.LAST_YEAR - er.FIRST_YEAR + 1
