"""A storm that the vignette of the R package rainerosr 0.1.1 (CRAN, 2026) prints, and why its EI30 is another."""

import numpy as np
import pytest

from sedcalc.rain import find_storms, rain_record

DEPTHS_MM = [2.5, 5.8, 8.2, 6.1, 3.4, 2.0, 1.5]
TIMES = np.datetime64("2020-06-01T00:00") + 10 * np.arange(7).astype("timedelta64[m]")


def test_energy_agrees_and_its_intensity_is_that_of_ten_minutes() -> None:
    storms, _, _ = find_storms(rain_record(TIMES, DEPTHS_MM))
    assert storms.energy[0] == pytest.approx(7.06, abs=5e-3)
    # printed: I30 49.2 mm/h, EI30 347.37; 49.2 is the largest rain of 10 min by the hour
    assert max(DEPTHS_MM) * 6.0 == pytest.approx(49.2)
    assert storms.energy[0] * 49.2 == pytest.approx(347.37, abs=5e-3)
    # the largest 30 min by hand: 5.8 + 8.2 + 6.1 mm
    assert storms.peak_mm_h[30][0] == pytest.approx(2.0 * 20.1)
    assert storms.ei30[0] == pytest.approx(storms.energy[0] * 40.2)
