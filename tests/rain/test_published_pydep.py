"""pydep (Daily Erosion Project), public test on breakpoint rain of 2007 in Iowa."""

from pathlib import Path

import numpy as np
import pytest

from sedcalc.io.rain_files import read_rain
from sedcalc.rain import find_storms, rain_record
from validation_cases import half_hours_of_the_clock, pydep_r


def test_iowa_2007_resampled_as_the_daily_erosion_project_does(shared_data: Path) -> None:
    """A public test of pydep gives 2204.277 MJ mm/(ha h) and 62 storms for 2007.

    Its choices: rain is resampled to half hours of the clock; a storm starts where the 12 half hours before hold
    1.27 mm or more, and ends where they do not; all storms count; I30 is the largest half hour of the clock, at most
    3 in/h; the energy is RUSLE2's.
    """
    record = read_rain(next((shared_data / "rain/dep_breakpoint").glob("*.cli")))
    accumulated = half_hours_of_the_clock(record)
    assert accumulated[-1] == pytest.approx(1046.34, abs=1e-6)  # the file's daily totals of 2007, added
    r, storms = pydep_r(accumulated)
    assert storms == 62
    assert r == pytest.approx(2204.277, abs=0.1)

    # the same rain without those choices: sliding windows find higher peaks than the clock's half hours, in each of
    # the ten largest storms
    found, _, _ = find_storms(record, energy="rusle2")
    in_2007 = found.start < np.datetime64("2008-01-01")
    clock = np.datetime64("2007-01-01", "m") + 30 * np.arange(accumulated.size)
    by_clock = rain_record(clock, np.diff(np.concatenate(([0.0], accumulated))), step_minutes=30.0)
    coarse, _, _ = find_storms(by_clock, energy="rusle2")
    fine_peaks = np.sort(found.peak_mm_h[30][in_2007])[-10:]
    assert (fine_peaks > np.sort(coarse.peak_mm_h[30])[-10:]).all()
