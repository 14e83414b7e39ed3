"""R of years, what makes a year too incomplete, the interval of the mean, and EI over the year."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from sedcalc.factors.erosivity import EI_DATES, ei_difference
from sedcalc.findings import InputError
from sedcalc.rain import ErosivityRecord, erosivity_from_rain, rain_record
from sedcalc.units import R_US_SI

MIN = np.timedelta64(1, "m")


def shower(*starts: str, depth: float = 20.0) -> tuple[np.ndarray, np.ndarray]:
    """Return times and depths of showers of 30 min in 10-min steps, `depth` mm each."""
    times = np.concatenate([np.datetime64(s, "ms") + np.arange(3) * 10 * MIN for s in starts])
    return times, np.full(times.size, depth / 3.0)


def result(*starts: str, years: tuple[int, int], depth: float = 20.0, **options: object) -> ErosivityRecord:
    times, depths = shower(*starts, depth=depth)
    period = (f"{years[0]}-01-01", f"{years[1] + 1}-01-01")
    return erosivity_from_rain(rain_record(times, depths, step_minutes=10, absent_rows="dry", period=period), **options)


# EI of a shower of 20 mm in 30 min by hand: i = I30 = 40 mm/h, 0.29 (1 - 0.72 exp(-2)) = 0.2617420 MJ/(ha mm)
SHOWER_EI = 20.0 * 0.2617420 * 40.0


def codes(r: ErosivityRecord) -> list[str]:
    return [f.code for f in r.findings]


def test_r_of_years_and_their_mean() -> None:
    r = result("2019-06-01T10:00", "2019-08-01T10:00", "2020-06-01T10:00", years=(2019, 2020))
    assert r.years.year.tolist() == [2019, 2020]
    assert r.years.ei.tolist() == pytest.approx([2 * SHOWER_EI, SHOWER_EI], rel=1e-6)
    assert r.years.storms.tolist() == [2, 1]
    assert r.years.depth_mm.tolist() == pytest.approx([40.0, 20.0])
    assert r.R_si == pytest.approx(1.5 * SHOWER_EI, rel=1e-6)
    assert r.R_us == pytest.approx(1.5 * SHOWER_EI / R_US_SI, rel=1e-6)
    assert r.missing == 0.0
    assert "rain-short-record" in codes(r)


def test_a_storm_over_new_year_belongs_to_the_year_it_starts_in() -> None:
    r = result("2019-12-31T23:50", "2020-06-01T10:00", years=(2019, 2020))
    assert len(r.storms) == 2
    assert r.years.ei.tolist() == pytest.approx([SHOWER_EI, SHOWER_EI], rel=1e-6)


def test_a_dry_year_has_r_of_zero() -> None:
    r = result("2019-06-01T10:00", years=(2019, 2020))
    assert r.years.ei.tolist() == pytest.approx([SHOWER_EI, 0.0])
    assert r.R_si == pytest.approx(SHOWER_EI / 2.0)


@pytest.mark.parametrize(
    ("first", "last", "missing", "worst", "accepted"),
    [
        # 2019 has 365 days and May 31; the limits are 5 % (18.25 days) of a year and 20 % (6.2 days) of a month
        ("2019-05-01", "2019-05-07", 6 / 365, 6 / 31, True),
        ("2019-05-01", "2019-05-08", 7 / 365, 7 / 31, False),
        ("2019-01-26", "2019-02-06", 11 / 365, 6 / 31, True),
    ],
)
def test_missing_time_by_hand(first: str, last: str, missing: float, worst: float, accepted: bool) -> None:
    times = np.arange(np.datetime64("2019-01-01", "m"), np.datetime64("2020-01-01", "m"), 10 * MIN)
    depths = np.zeros(times.size)
    depths[20_000:20_003] = 20.0 / 3.0
    depths[(times >= np.datetime64(first)) & (times < np.datetime64(last))] = np.nan
    r = erosivity_from_rain(rain_record(times, depths))
    assert r.years.missing[0] == pytest.approx(missing, rel=1e-9)
    assert r.years.missing_month[0] == pytest.approx(worst, rel=1e-9)
    assert r.missing == pytest.approx(missing)
    assert bool(r.years.accepted[0]) is accepted
    assert (r.R_si is not None) is accepted
    assert ("rain-no-complete-year" in codes(r)) is not accepted
    loose = erosivity_from_rain(rain_record(times, depths), max_missing_month=0.5)
    assert loose.R_si == pytest.approx(SHOWER_EI, rel=1e-6)  # what was observed, not scaled up


def test_a_year_that_the_record_only_touches_is_refused() -> None:
    times, depths = shower("2019-06-01T10:00", "2020-01-05T10:00")
    record = rain_record(times, depths, step_minutes=10, absent_rows="dry", period=("2019-01-01", "2020-02-01"))
    r = erosivity_from_rain(record)
    assert r.years.accepted.tolist() == [True, False]
    assert r.years.missing[1] == pytest.approx(335 / 366)
    assert r.R_si == pytest.approx(SHOWER_EI, rel=1e-6)
    message = next(f.message for f in r.findings if f.code == "rain-year-refused")
    assert "the first 2020 with 91.5% of the year" in message
    assert "not scaled" in message


def test_interval_needs_five_years_and_is_repeatable() -> None:
    starts = [f"{y}-06-{d:02d}T10:00" for y in range(2001, 2021) for d in range(1, 2 + (y * 7) % 5)]
    r = result(*starts, years=(2001, 2020))
    low, high = r.interval_si or (0.0, 0.0)
    totals = r.years.ei
    # large-sample theory: mean -+ 1.96 sd / sqrt(n)
    half = 1.96 * totals.std() / np.sqrt(20)
    assert low == pytest.approx(totals.mean() - half, rel=0.03)
    assert high == pytest.approx(totals.mean() + half, rel=0.03)
    assert result(*starts, years=(2001, 2020)).interval_si == r.interval_si
    assert result(*starts, years=(2001, 2020), seed=1).interval_si != r.interval_si
    assert r.interval_us == pytest.approx((low / R_US_SI, high / R_US_SI))
    assert result("2019-06-01T10:00", years=(2017, 2020)).interval_si is None
    same = result(*[f"{y}-06-01T10:00" for y in range(2001, 2007)], years=(2001, 2006))
    assert same.interval_si == pytest.approx((same.R_si, same.R_si))


def test_distribution_over_the_year() -> None:
    r = result("2019-03-31T23:50", "2019-05-15T10:00", "2019-09-01T10:00", "2019-12-31T10:00", years=(2019, 2019))
    percent = r.ei_percent
    assert percent is not None
    assert list(percent) == [f"{month:02}-{day:02}" for month, day in EI_DATES]
    # a third of the first shower falls on March 31, two thirds on April 1
    assert percent["03-16"] == 0.0
    assert percent["03-31"] == pytest.approx(25.0 / 3.0)
    assert percent["04-15"] == pytest.approx(25.0)
    assert percent["05-15"] == pytest.approx(50.0)  # at the end of the day
    assert percent["08-28"] == pytest.approx(50.0)
    assert percent["12-11"] == pytest.approx(75.0)
    assert percent["12-31"] == 100.0
    assert r.daily_percent is not None
    assert (np.diff(r.daily_percent) >= 0.0).all()


def test_february_29_counts_as_28() -> None:
    leap = result("2020-02-29T10:00", "2020-03-01T10:00", years=(2020, 2020)).daily_percent
    assert leap is not None
    assert leap[57:60].tolist() == pytest.approx([0.0, 50.0, 100.0])


def test_distribution_of_a_record_against_a_zone() -> None:
    # the shares of the record above, and Table 1 of EPA Fact Sheet 3.1, zone 111: 50 - 15 % on May 15 is 35 %,
    # 75 - 98 on November 11 to December 11 less, 50 - 82 on August 28 is -32 %
    r = result("2019-03-31T23:50", "2019-05-15T10:00", "2019-09-01T10:00", "2019-12-31T10:00", years=(2019, 2019))
    zone_111 = [0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 28, 41, 54, 65, 74, 82, 87, 92, 94, 96, 97, 98, 99, 100]
    assert r.ei_percent is not None
    found = ei_difference(list(r.ei_percent.values()), zone_111)
    assert found.date == (5, 15)
    assert found.max_pct == pytest.approx(35.0)
    assert found.differences_pct[EI_DATES.index((8, 28))] == pytest.approx(-32.0)
    with pytest.raises(InputError, match="rise to 100"):
        ei_difference([0.0] * 25, zone_111)
    with pytest.raises(InputError, match="25"):
        ei_difference(zone_111[:-1], zone_111)
    with pytest.raises(InputError, match="rise from 0"):
        ei_difference(zone_111, zone_111[::-1])


def test_refused_years_and_storms_that_do_not_count_stay_out_of_the_distribution() -> None:
    times, depths = shower("2019-06-01T10:00", "2020-01-05T10:00")
    light = np.datetime64("2019-02-01T10:00", "ms") + np.arange(3) * 10 * MIN
    times, depths = np.concatenate([times, light]), np.concatenate([depths, [0.5, 0.5, 0.5]])
    record = rain_record(times, depths, step_minutes=10, absent_rows="dry", period=("2019-01-01", "2020-02-01"))
    percent = erosivity_from_rain(record).ei_percent
    assert percent is not None
    assert percent["05-30"] == 0.0
    assert percent["06-14"] == 100.0


def test_series_in_and_tables_out() -> None:
    times, depths = shower("2019-06-01T10:00", depth=20.0 / 25.4)
    all_times = pd.date_range("2019-01-01", "2019-12-31 23:50", freq="10min")
    series = pd.Series(0.0, all_times, name="gauge")
    series[pd.DatetimeIndex(times)] = depths
    r = erosivity_from_rain(series, units="in")
    assert r.source == "gauge"
    assert r.R_si == pytest.approx(SHOWER_EI, rel=1e-6)
    assert r.table.loc[0, "I30_mm_h"] == pytest.approx(40.0)
    assert r.table.loc[0, "EI30_us"] == pytest.approx(SHOWER_EI / R_US_SI, rel=1e-6)
    assert r.year_table.loc[0, "R_si"] == r.R_si
    data = json.loads(json.dumps(r.as_dict(), allow_nan=False))
    assert data["R"] == r.R_si
    assert data["units"]["R"] == "MJ mm/(ha h yr)"
    assert data["missing"] == 0.0
    assert data["storms"][0]["start"] == "2019-06-01T10:00:00"
    assert data["years"][0]["R"] == r.R_si


def test_no_rain_at_all() -> None:
    times = np.arange(np.datetime64("2019-01-01", "m"), np.datetime64("2020-01-01", "m"), 10 * MIN)
    r = erosivity_from_rain(rain_record(times, np.zeros(times.size)))
    assert (r.R_si, r.ei_percent, len(r.table)) == (0.0, None, 0)
    json.dumps(r.as_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"units": "cm"}, "'cm' is unknown; use one of 'mm', 'in'"),
        ({"energy": "brown"}, "energy: 'brown' is unknown; use one of 'ah537'"),
        ({"storm_rule": "brown"}, "storm_rule: 'brown' is unknown; use one of 'sliding-6h'"),
        ({"max_missing_year": 5.0}, "a share from 0 to 1"),
        ({"confidence": 95.0}, "between 0 and 1"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    series = pd.Series([1.0, 0.0], pd.date_range("2019-01-01", periods=2, freq="10min"))
    with pytest.raises(InputError, match=message):
        erosivity_from_rain(series, **options)


def test_what_is_not_a_series_of_depths_over_time() -> None:
    with pytest.raises(InputError, match="DatetimeIndex"):
        erosivity_from_rain(pd.Series([1.0, 2.0]))
    with pytest.raises(InputError, match="rain is a list"):
        erosivity_from_rain([1.0, 2.0])
    times, depths = shower("2019-06-01T10:00")
    with pytest.raises(InputError, match="in mm already"):
        erosivity_from_rain(rain_record(times, depths), units="in")


def test_a_record_needs_numpy_alone() -> None:
    code = (
        "import sys, numpy as np, sedcalc.io.rain_files; from sedcalc.rain import *;"
        "t = np.datetime64('2019-06-01T10:00', 'ms') + np.arange(3) * np.timedelta64(10, 'm');"
        "erosivity_from_rain(rain_record(t, [0.0, 20.0, 0.0])).as_dict();"
        "print([m for m in ('pandas', 'scipy', 'numba', 'rasterio') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
