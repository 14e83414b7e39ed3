"""From measured rain to a record: what is wrong in the data becomes a gap and a finding."""

import numpy as np
import pandas as pd
import pytest

from sedcalc.findings import InputError
from sedcalc.rain import (
    RainRecord,
    erosivity_from_rain,
    rain_record,
    record_from_breakpoints,
    record_from_tips,
    to_standard_time,
)

T0 = np.datetime64("2018-06-30T12:00", "ms")
MIN = np.timedelta64(1, "m")


def at(*minutes: float) -> np.ndarray:
    return T0 + (np.array(minutes) * 60_000).astype("timedelta64[ms]")


def codes(record: RainRecord) -> list[str]:
    return [f.code for f in record.findings]


def minutes(times: np.ndarray) -> list[float]:
    return ((times - T0) / MIN).ravel().tolist()


def test_fixed_steps() -> None:
    record = rain_record(at(0, 10, 20, 30), [0.0, 2.5, 0.0, 1.0])
    assert minutes(record.start) == [10, 30]
    assert (record.length / MIN).tolist() == [10, 10]
    assert record.total_mm == 3.5
    assert minutes(np.array(record.period)) == [0, 40]
    assert record.gaps.shape == (0, 2)
    assert codes(record) == ["rain-step-inferred"]


def test_end_labels_move_the_steps_back() -> None:
    record = rain_record(at(10, 20, 30), [0.0, 2.5, 1.0], label="end")
    assert minutes(record.start) == [10, 20]


def test_inches() -> None:
    assert rain_record(at(0, 10), [1.0, 0.5], units="in").depth_mm.tolist() == pytest.approx([25.4, 12.7])


def test_absent_and_empty_rows_are_gaps_where_there_are_zero_rows() -> None:
    record = rain_record(at(0, 10, 20, 30, 60, 70), [0.0, np.nan, 1.0, 0.0, 0.0, 2.0])
    assert minutes(record.gaps) == [10, 20, 40, 60]
    assert "rain-not-observed" in codes(record)


def test_absent_rows_are_dry_where_there_are_no_zero_rows_and_it_says_so() -> None:
    record = rain_record(at(0, 10, 60, 70), [1.0, 1.0, 2.0, 2.0])
    assert record.gaps.shape == (0, 2)
    assert "rain-no-zero-rows" in codes(record)
    stated = rain_record(at(0, 10, 60, 70), [1.0, 1.0, 2.0, 2.0], absent_rows="gap")
    assert minutes(stated.gaps) == [20, 60]
    assert "rain-no-zero-rows" not in codes(stated)


def test_period_adds_gaps_at_the_ends() -> None:
    record = rain_record(at(0, 10), [0.0, 1.0], period=(at(-60)[0], at(100)[0]))
    assert minutes(record.gaps) == [-60, 0, 20, 100]
    with pytest.raises(InputError, match="lies outside the period"):
        rain_record(at(0, 10), [1.0, 1.0], period=(at(5)[0], at(100)[0]))


def test_rows_out_of_order_are_sorted() -> None:
    record = rain_record(at(0, 20, 10, 30), [0.0, 2.0, 1.0, 3.0])
    assert record.depth_mm.tolist() == [1.0, 2.0, 3.0]
    assert "1 row is earlier" in next(f.message for f in record.findings if f.code == "rain-out-of-order")


def test_duplicates_are_dropped_and_conflicts_are_gaps() -> None:
    record = rain_record(at(0, 10, 10, 20, 20, 20, 30), [0.0, 2.0, 2.0, 1.0, 1.0, 3.0, 4.0])
    assert record.depth_mm.tolist() == [2.0, 4.0]
    assert minutes(record.gaps) == [20, 30]
    messages = {f.code: f.message for f in record.findings}
    assert messages["rain-duplicate"].startswith("1 row repeats")
    assert messages["rain-conflict"].startswith("1 time has rows of different depths")
    assert "2018-06-30T12:20:00" in messages["rain-conflict"]


def test_negative_and_absurd_depths_are_gaps() -> None:
    # 1,000 mm/h over 10 min are 166.7 mm
    record = rain_record(at(0, 10, 20, 30, 40), [0.0, -9.9, 166.0, 167.0, 1.0])
    assert record.depth_mm.tolist() == [166.0, 1.0]
    assert minutes(record.gaps) == [10, 20, 30, 40]
    messages = {f.code: f.message for f in record.findings}
    assert "1 negative depth (the first -9.9 mm)" in messages["rain-negative"]
    assert "the first 167 mm" in messages["rain-absurd"]


def test_steps_of_mixed_length() -> None:
    times, depths = at(0, 5, 10, 20, 30), [1.0, 1.0, 2.0, 0.0, 3.0]
    record = rain_record(times, depths, step_minutes=[5, 5, 10, 10, 10])
    assert (record.length / MIN).tolist() == [5, 5, 10, 10]
    between = rain_record(at(0, 5, 10, 20, 30), [1.0, 1.0, 2.0, 3.0, 0.0], step_minutes="between-rows")
    assert (between.length / MIN).tolist() == [5, 5, 10, 10]
    ends = rain_record(at(0, 5, 10, 20), [0.0, 1.0, 1.0, 2.0], step_minutes="between-rows", label="end")
    assert minutes(ends.start) == [0, 5, 10]


def test_long_steps_between_rows_are_gaps() -> None:
    record = rain_record(at(0, 10, 200, 210), [1.0, 2.0, 3.0, 0.0], step_minutes="between-rows")
    assert record.depth_mm.tolist() == [1.0, 3.0]
    assert "rain-long-step" in codes(record)
    assert minutes(record.gaps) == [10, 200]


def test_rows_nearer_than_the_stated_step_cut_it_short() -> None:
    record = rain_record(at(10, 20, 53, 60), [1.0, 1.0, 1.0, 1.0], step_minutes=10, label="end", absent_rows="gap")
    assert minutes(record.start) == [0, 10, 43, 53]
    assert (record.length / MIN).tolist() == [10, 10, 10, 7]
    assert "rain-short-step" in codes(record)


def test_a_change_of_step_is_not_taken_for_gaps() -> None:
    fine, coarse = np.arange(0, 600, 5), np.arange(600, 800, 10)
    times = at(*fine, *coarse)
    with pytest.raises(InputError, match=r"from 2018-06-30T22:00:00 19 rows follow each other at 10 min"):
        rain_record(times, np.zeros(times.size))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rain_record(at(0), [1.0]), "one row does not show the length"),
        (lambda: rain_record(at(0, 10, 20, 27), [1.0, 0.0, 0.0, 0.0]), "1 spacing is no multiple"),
        (lambda: rain_record(at(0, 10), [1.0]), "2 times and 1 depth:"),
        (lambda: rain_record(at(0, 10), [1.0, 2.0], step_minutes=[5]), "1 value for 2 rows"),
        (lambda: rain_record(at(0, 10), [1.0, 2.0], step_minutes=0), "above 0 minutes"),
        (lambda: rain_record(at(0, 10), [1.0, 2.0], step_minutes=np.nan), "a finite number"),
        (lambda: rain_record(at(0, 10), [1.0, 2.0], step_minutes=[20, 10]), "1 step reaches into the next one"),
        (lambda: rain_record(at(0, 10), [1.0, 2.0], step_minutes="hourly"), "not a number or 'between-rows'"),
        (
            lambda: rain_record(at(0, 10), [1.0, 2.0], step_minutes="between-rows"),
            "it has 2 mm: add a row of 0 at the end of its step, or give step_minutes as a number",
        ),
        (lambda: rain_record(at(0, 10), [1.0, 2.0], units="cm"), "units: 'cm' is unknown"),
        (lambda: rain_record(at(0, 10), [1.0, np.inf]), "1 depth is infinite, the first in row 2"),
        (lambda: rain_record(np.array(["2018-01-01", "NaT"], "M8[ms]"), [1.0, 1.0]), "1 time is missing"),
        (lambda: rain_record(at(), []), "no rows"),
        (lambda: rain_record(at(0, 10), [1.0, 0.0], absent_rows="maybe"), "absent_rows: 'maybe' is unknown"),
        (lambda: rain_record(at(0, 10), [1.0, 0.0], label="middle"), "label: 'middle' is unknown"),
        (lambda: rain_record(at(0, 10), [1.0, 0.0], temperature_c=[1.0]), "2 times and 1 temperature"),
        (lambda: record_from_breakpoints(at(0), [0.0]), "at least two readings"),
        (lambda: record_from_tips(at(0, 1), [0.2, 0.2, 0.2]), "2 times and 3 depths: one depth for each time"),
        (lambda: record_from_tips(at(0, 1), [[0.2, 0.2]]), "2 times and 2 depths: one depth for each time"),
        (lambda: rain_record(["yesterday", "today"], [1.0, 2.0]), "times: must be times, YYYY-MM-DD"),
        (lambda: rain_record(at(0, 10), [1.0, 2.0], period=("then", "now")), "period: must be times"),
        (lambda: rain_record(at(0, 10), [1.0, 2.0], period=("2020-01-01",)), "is not a start and an end; give both"),
        (lambda: record_from_tips(at(0, 1), 0.0), "2 tips have no depth"),
        (lambda: record_from_tips(at(0, 1), 0.2, spread_minutes=0), "must be above 0"),
        (lambda: to_standard_time(at(0), "Mars/Olympus"), "'Mars/Olympus' is not a time zone of the IANA list"),
    ],
)
def test_wrong_input_is_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()  # type: ignore[operator]


def test_record_checks_itself() -> None:
    one = np.array([600_000], "m8[ms]")
    none = np.empty((0, 2), "M8[ms]")
    with pytest.raises(InputError, match="depths above 0"):
        RainRecord(at(0), one, np.array([0.0]), (at(0)[0], at(10)[0]), none)
    with pytest.raises(InputError, match="before it starts"):
        RainRecord(at(0), one, np.array([1.0]), (at(10)[0], at(0)[0]), none)
    with pytest.raises(InputError, match="one length"):
        RainRecord(at(0, 10), one, np.array([1.0]), (at(0)[0], at(20)[0]), none)
    record = RainRecord(at(0), one, np.array([1.0]), (at(0)[0], at(10)[0]), none)
    with pytest.raises(ValueError, match="read-only"):
        record.depth_mm[0] = 2.0


def test_breakpoints() -> None:
    record = record_from_breakpoints(at(0, 30, 60, 300), [0.0, 5.0, 5.0, 5.5])
    assert record.depth_mm.tolist() == [5.0, 0.5]
    assert minutes(record.start) == [0, 60]
    assert (record.length / MIN).tolist() == [30, 240]
    assert record.gaps.shape == (0, 2)


def test_resets_of_a_counter() -> None:
    times, total = at(0, 10, 20, 30), [8.0, 10.0, 0.5, 1.5]
    gap = record_from_breakpoints(times, total)
    assert gap.depth_mm.tolist() == [2.0, 1.0]
    assert minutes(gap.gaps) == [10, 20]
    assert "1 fall of the accumulated depth" in gap.findings[0].message
    restart = record_from_breakpoints(times, total, on_reset="restart")
    assert restart.depth_mm.tolist() == [2.0, 0.5, 1.0]


def test_tips_fall_since_the_tip_before() -> None:
    record = record_from_tips(at(0, 4, 4, 10, 100), 0.2, period=(at(-60)[0], at(200)[0]))
    assert minutes(record.start) == [-30, 0, 4, 70]
    assert (record.length / MIN).tolist() == [30, 4, 6, 30]
    assert record.depth_mm.tolist() == pytest.approx([0.2, 0.4, 0.2, 0.2])
    assert record.gaps.shape == (0, 2)
    assert codes(record) == []
    assert codes(record_from_tips(at(0, 4), 0.2)) == ["rain-no-period"]


def test_coarse_steps_are_said() -> None:
    assert "rain-coarse-step" in codes(rain_record(at(0, 60), [1.0, 0.0]))
    assert "rain-coarse-step" not in codes(rain_record(at(0, 15), [1.0, 0.0]))


def test_daylight_saving_is_taken_off() -> None:
    # clocks in Chicago went from 02:00 to 03:00 on 2024-03-10 and back at 02:00 on 2024-11-03
    spring = pd.DatetimeIndex(["2024-03-10 01:30", "2024-03-10 03:00", "2024-03-10 03:30"])
    times, clock = to_standard_time(spring, "America/Chicago")
    assert np.diff(times).tolist() == [np.timedelta64(30, "m")] * 2
    assert times[0] == np.datetime64("2024-03-10T01:30")
    assert clock == "standard time of America/Chicago, UTC-06:00"
    autumn = pd.date_range("2024-11-03 00:00", periods=8, freq="30min", tz="America/Chicago")
    wall = autumn.tz_localize(None)
    assert wall.has_duplicates
    times, _ = to_standard_time(wall, "America/Chicago")
    assert (np.diff(times) == np.timedelta64(30, "m")).all()
    again, clock = to_standard_time(autumn)
    assert (again == times).all()
    _, plain = to_standard_time(wall)
    assert "no time zone" in plain


def test_times_that_a_clock_does_not_show_are_refused() -> None:
    skipped = pd.DatetimeIndex(["2024-03-10 02:30"])
    with pytest.raises(InputError, match="2024-03-10T02:30:00 is a time that the clock of America/Chicago never shows"):
        to_standard_time(skipped, "America/Chicago")
    twice = pd.DatetimeIndex(["2024-11-03 00:50", "2024-11-03 01:30", "2024-11-03 02:10"])
    with pytest.raises(InputError, match=r"2024-11-03T01:30:00 is a time .* shows twice, .* \(1 such time\)"):
        to_standard_time(twice, "America/Chicago")


@pytest.mark.parametrize("bad", [["1", "2"], [True, False], [1j, 2.0], [[1.0], [2.0, 3.0]]])
def test_text_and_truth_values_are_no_depths(bad: list) -> None:
    with pytest.raises(InputError, match="depth: must be numbers, not "):
        rain_record(at(0, 10), bad)
    if len({type(v) for v in bad}) == 1 and not isinstance(bad[0], list):
        with pytest.raises(InputError, match="depth: must be numbers, not "):
            erosivity_from_rain(pd.Series(bad, pd.DatetimeIndex(at(0, 10))))


def test_missing_depths_of_any_kind_are_gaps() -> None:
    for depths in ([5.0, None, 0.0], pd.array([5.0, None, 0.0], dtype="Float64"), [5.0, np.nan, 0.0]):
        record = rain_record(at(0, 10, 20), depths)
        assert record.depth_mm.tolist() == [5.0]
        assert record.gaps.shape == (1, 2)


def test_year_of_a_southern_zone_uses_standard_time() -> None:
    january = pd.date_range("2024-01-01 00:00", periods=2, freq="10min", tz="Australia/Sydney")
    times, clock = to_standard_time(january)
    assert times[0] == np.datetime64("2023-12-31T23:00")
    assert clock.endswith("UTC+10:00")


def test_series_with_a_zone_goes_through() -> None:
    index = pd.date_range("2024-06-01", periods=6, freq="10min", tz="America/Chicago")
    result = erosivity_from_rain(pd.Series([0.0, 5.0, 5.0, 5.0, 0.0, 0.0], index))
    assert result.clock == "standard time of America/Chicago, UTC-06:00"
    assert result.storms.start[0] == np.datetime64("2024-05-31T23:10")


@pytest.mark.parametrize("year", ["0227", "1799", "2302", "9027"])
def test_a_slip_in_a_year_is_refused(year):
    """Left in, it would make a record of millennia, and an array of all its years."""
    times = np.array([f"{year}-06-01T00:00", "2027-06-01T00:10"], "datetime64[ms]")
    with pytest.raises(InputError) as caught:
        rain_record(np.sort(times), [1.0, 2.0], units="mm", step_minutes=10)
    assert [f.code for f in caught.value.findings] == ["rain-year"]
    assert "1800 to 2300" in str(caught.value)
