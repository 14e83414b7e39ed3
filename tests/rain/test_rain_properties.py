"""What must hold for any rain."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sedcalc.rain import PEAK_MINUTES, STORM_RULES, RainRecord, find_storms, rain_record

T0 = np.datetime64("2019-12-30T00:00", "ms")
RULES = sorted(STORM_RULES)


@st.composite
def records(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw start minutes, step lengths in minutes and depths of wet steps, some of which touch."""
    n = draw(st.integers(1, 25))
    pauses = draw(st.lists(st.sampled_from([0, 0, 0, 5, 30, 170, 355, 360, 365, 700]), min_size=n, max_size=n))
    steps = np.array(draw(st.lists(st.sampled_from([5, 10, 15, 30]), min_size=n, max_size=n)))
    depths = np.array(draw(st.lists(st.integers(1, 300), min_size=n, max_size=n))) / 20.0
    start = np.cumsum(np.array(pauses) + np.concatenate(([0], steps[:-1])))
    return start, steps, depths


def build(start: np.ndarray, steps: np.ndarray, depths: np.ndarray, shift: float = 0.0) -> RainRecord:
    times = T0 + np.rint((start + shift) * 60_000).astype("timedelta64[ms]")
    return rain_record(times, depths, step_minutes=steps, absent_rows="dry")


def same_storms(one: RainRecord, other: RainRecord, rule: str) -> None:
    a, b = find_storms(one, rule=rule)[0], find_storms(other, rule=rule)[0]
    assert len(a) == len(b)
    for name in ("depth_mm", "energy", "ei30"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9)
    for minutes in PEAK_MINUTES:
        np.testing.assert_allclose(a.peak_mm_h[minutes], b.peak_mm_h[minutes], rtol=1e-9)
    assert (a.erosive == b.erosive).all()


@given(records(), st.sampled_from(["sliding-6h", "dry-gap-6h", "verstraeten-2006"]), st.integers(2, 5))
@settings(deadline=None, max_examples=60)
def test_the_same_rain_in_finer_steps_gives_the_same_storms(
    rain: tuple[np.ndarray, np.ndarray, np.ndarray], rule: str, parts: int
) -> None:
    start, steps, depths = rain
    finer = (start[:, None] + steps[:, None] / parts * np.arange(parts)).ravel()
    split = build(finer, np.repeat(steps / parts, parts), np.repeat(depths / parts, parts))
    same_storms(build(start, steps, depths), split, rule)


@given(records(), st.sampled_from(RULES))
@settings(deadline=None, max_examples=60)
def test_a_shift_of_the_clock_changes_nothing(rain: tuple[np.ndarray, np.ndarray, np.ndarray], rule: str) -> None:
    one, other = build(*rain), build(*rain, shift=15.0)
    same_storms(one, other, rule)
    moved = find_storms(other, rule=rule)[0].start - find_storms(one, rule=rule)[0].start
    assert (moved == np.timedelta64(15, "m")).all()


@given(st.lists(st.integers(0, 60), min_size=40, max_size=200), st.sampled_from(RULES))
@settings(deadline=None, max_examples=40)
def test_zero_rows_change_nothing(tenths: list[int], rule: str) -> None:
    depths = np.maximum(np.array(tenths) - 45, 0) / 2.0
    times = T0 + np.arange(depths.size) * np.timedelta64(10, "m")
    if not depths.any():
        return
    whole = rain_record(times, depths, step_minutes=10.0)
    wet = depths > 0.0
    sparse = rain_record(times[wet], depths[wet], step_minutes=10.0, absent_rows="dry")
    same_storms(whole, sparse, rule)


@given(records(), st.sampled_from(RULES))
@settings(deadline=None, max_examples=60)
def test_every_wet_step_belongs_to_one_storm(rain: tuple[np.ndarray, np.ndarray, np.ndarray], rule: str) -> None:
    record = build(*rain)
    storms, steps, _ = find_storms(record, rule=rule)
    assert storms.depth_mm.sum() == pytest.approx(record.total_mm)
    assert storms.energy.sum() == pytest.approx(steps.energy.sum())
    assert (np.diff(steps.storm) >= 0).all()
    assert steps.storm[0] == 0
    assert steps.storm[-1] == len(storms) - 1
    assert (storms.start[1:] >= storms.end[:-1]).all()


@given(records())
@settings(deadline=None, max_examples=60)
def test_peaks_and_ends_by_brute_force(rain: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Minute by minute, with windows at every minute; all steps begin and end on minutes, so nothing falls between."""
    start, steps, depths = rain
    storms, in_storm, _ = find_storms(build(start, steps, depths))
    rate = np.zeros(int(start[-1] + steps[-1]) + 400)
    owner = np.full(rate.size, -1)
    for a, n, d, k in zip(start, steps, depths, in_storm.storm, strict=True):
        rate[a : a + n] = d / n
        owner[a : a + n] = k
    for k in range(len(storms)):
        own = np.where(owner == k, rate, 0.0)
        for minutes in PEAK_MINUTES:
            best = max(own[max(0, a - minutes) : a].sum() for a in range(1, rate.size)) * 60.0 / minutes
            assert storms.peak_mm_h[minutes][k] == pytest.approx(best, rel=1e-9)
    for i in range(len(start) - 1):
        end = int(start[i] + steps[i])
        dry_after = start[i + 1] > end
        ends = dry_after and rate[end : end + 360].sum() < 1.27 - 1e-6
        assert (in_storm.storm[i + 1] > in_storm.storm[i]) == ends


@given(records())
@settings(deadline=None, max_examples=40)
def test_longer_windows_hold_more_rain_at_a_lower_peak(rain: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    storms, _, _ = find_storms(build(*rain))
    for short, long in itertools.combinations(PEAK_MINUTES, 2):
        a, b = storms.peak_mm_h[short], storms.peak_mm_h[long]
        assert (a * short <= b * long * (1 + 1e-12)).all()
        if long % short == 0:  # a peak over 20 min may exceed one over 15, but not one over 10
            assert (a >= b * (1 - 1e-12)).all()
    assert (storms.peak_mm_h[60] <= storms.depth_mm * (1 + 1e-12)).all()
