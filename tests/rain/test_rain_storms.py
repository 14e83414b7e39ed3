"""Where storms begin and end, which of them count, and their peak intensities."""

import numpy as np
import pytest

from sedcalc.findings import InputError
from sedcalc.rain import PEAK_MINUTES, STORM_RULES, RainRecord, StormRule, find_storms, rain_record

T0 = np.datetime64("2018-06-30T12:00", "ms")


def at(minutes: object) -> np.ndarray:
    return T0 + (np.asarray(minutes) * 60_000).astype("timedelta64[ms]")


def rain(minutes: object, depths: object, step: float = 10.0, **options: object) -> RainRecord:
    return rain_record(at(minutes), depths, step_minutes=step, absent_rows="dry", **options)


def test_peaks_slide_over_intensity_and_not_over_rows() -> None:
    # 6 mm in 20 min, then 9 mm in 20 min: the best 30 min hold all of the second and half of the first: 12 mm
    storms, _, _ = find_storms(rain([0, 20], [6.0, 9.0], 20.0))
    assert storms.peak_mm_h[30][0] == pytest.approx(24.0)
    assert storms.peak_mm_h[20][0] == pytest.approx(27.0)
    assert storms.peak_mm_h[5][0] == pytest.approx(27.0)
    assert storms.peak_mm_h[60][0] == pytest.approx(15.0)


def test_short_storm_is_spread_over_the_half_hour() -> None:
    storms, _, _ = find_storms(rain([0], [13.0], 10.0))
    assert storms.peak_mm_h[30][0] == pytest.approx(26.0)
    assert storms.peak_mm_h[10][0] == pytest.approx(78.0)
    assert sorted(storms.peak_mm_h) == list(PEAK_MINUTES)


def test_peak_does_not_borrow_rain_from_the_next_storm() -> None:
    # light rain ends the first storm, because less than 1.27 mm follows within 6 h; it is 10 min away
    storms, steps, _ = find_storms(rain([0, 20], [10.0, 1.0]))
    assert steps.storm.tolist() == [0, 1]
    assert storms.peak_mm_h[30].tolist() == pytest.approx([20.0, 2.0])


@pytest.mark.parametrize(
    ("pause", "second", "same"),
    [(350, 1.27, True), (350, 1.26, False), (360, 1.27, False), (359, 500.0, True)],
)
def test_sliding_rule_looks_six_hours_past_the_end(pause: float, second: float, same: bool) -> None:
    # the window reaches 6 h from the end of the first step; of the last case only 1/10 of 500 mm lies in it
    record = rain([0, 10 + pause], [5.0, second] if second < 100 else [5.0, 20.0])
    storms, _, _ = find_storms(record)
    assert (len(storms) == 1) is same


def test_depth_in_the_window_counts_by_uniform_rate_within_a_step() -> None:
    # 2.54 mm in 10 min, of which the window catches the first half: 1.27 mm is not less than 1.27 mm
    assert len(find_storms(rain([0, 10 + 355], [5.0, 2.54]))[0]) == 1
    assert len(find_storms(rain([0, 10 + 355], [5.0, 2.53]))[0]) == 2


def test_thresholds_in_inches_hold_exactly() -> None:
    # 50 tips of 0.01 in are 12.7 mm, 25 in a quarter hour 6.35 mm, 5 in a break 1.27 mm: none of them is "less"
    fifty = rain_record(at(np.arange(50) * 10.0), np.full(50, 0.01), units="in", step_minutes=10.0)
    assert find_storms(fifty)[0].erosive.tolist() == [True]
    burst = rain_record(at(np.arange(25) * 0.5), np.full(25, 0.01), units="in", step_minutes=0.5)
    assert find_storms(burst)[0].erosive.tolist() == [True]
    fewer = rain_record(at(np.arange(24) * 0.5), np.full(24, 0.01), units="in", step_minutes=0.5)
    assert find_storms(fewer)[0].erosive.tolist() == [False]
    broken = rain_record(
        at([0, 60, 120, 180, 240, 300]), np.full(6, 0.01), units="in", step_minutes=10.0, absent_rows="dry"
    )
    assert find_storms(broken)[1].storm.tolist() == [0, 0, 1, 2, 3, 4]


def test_dry_gap_rule_needs_six_hours_without_any_rain() -> None:
    drizzle = rain([0, 300, 600, 960, 1330], [5.0, 0.1, 5.0, 5.0, 5.0])
    _, steps, _ = find_storms(drizzle, rule="dry-gap-6h")
    assert steps.storm.tolist() == [0, 0, 0, 0, 1]  # 5 h 50 min dry after 960, 6 h after 970 to 1330
    _, steps, _ = find_storms(drizzle)
    assert steps.storm.tolist() == [0, 1, 1, 1, 2]  # 0.1 mm after the first; the window after 600 ends with 960's step


def test_a_rule_of_ones_own() -> None:
    rule = StormRule("2 h, 5 mm", "this test", 2.0, None, 5.0, None)
    storms, _, _ = find_storms(rain([0, 120, 250], [3.0, 2.0, 4.0]), rule=rule)
    assert storms.depth_mm.tolist() == pytest.approx([5.0, 4.0])
    assert storms.erosive.tolist() == [True, False]


def test_unbroken_rain_is_one_storm_however_light() -> None:
    storms, _, _ = find_storms(rain(np.arange(0, 1440, 10), np.full(144, 0.02)))
    assert len(storms) == 1


def test_storm_over_new_year_is_one() -> None:
    times = np.datetime64("2019-12-31T22:00", "ms") + np.arange(24) * np.timedelta64(10, "m")
    storms, _, _ = find_storms(rain_record(times, np.full(24, 1.0)))
    assert len(storms) == 1
    assert storms.depth_mm[0] == pytest.approx(24.0)
    assert storms.hours[0] == pytest.approx(4.0)


def test_storms_that_touch_a_gap_are_marked() -> None:
    depths = np.zeros(200)
    depths[[0, 1, 2, 60, 61, 150, 151]] = [9.0, np.nan, 9.0, 8.0, 8.0, 7.0, 7.0]
    record = rain_record(at(np.arange(200) * 10.0), depths)
    storms, _, findings = find_storms(record)
    assert storms.gap.tolist() == [True, False, False]
    assert "1 erosive storm touches a gap" in findings[0].message


def test_snow_rule() -> None:
    record = rain([0, 10, 20, 30], [5.0, 5.0, 5.0, 5.0], temperature_c=[1.0, 0.0, -3.0, np.nan])
    all_rain, _, _ = find_storms(record)
    assert all_rain.depth_mm.tolist() == [20.0]
    storms, _, findings = find_storms(record, snow="freezing-air")
    assert storms.depth_mm.tolist() == [10.0]
    text = " ".join(f.message for f in findings)
    assert "10.0 mm in 2 steps fell at 0 degrees C or less" in text
    assert "1 wet step has no temperature" in text


def test_no_rain_gives_no_storm() -> None:
    record = rain_record(at([0, 10, 20]), [0.0, 0.0, 0.0])
    storms, steps, findings = find_storms(record)
    assert (len(storms), len(steps.start), findings) == (0, 0, ())


def test_wrong_names() -> None:
    record = rain([0], [1.0])
    with pytest.raises(InputError, match="'rist' is unknown; use one of 'sliding-6h', "):
        find_storms(record, rule="rist")
    with pytest.raises(InputError, match="snow: 'wet-bulb' is unknown"):
        find_storms(record, snow="wet-bulb")
    with pytest.raises(InputError, match="needs the air temperature"):
        find_storms(record, snow="freezing-air")
    assert all(name == rule.name and rule.source for name, rule in STORM_RULES.items())
