"""homeworksource.com, exercise 7-3: peak discharge by the rational method."""

import pytest

from sedcalc.factors.runoff import rational_peak_cfs


def test_peak_of_a_fifth_of_a_square_mile() -> None:
    assert rational_peak_cfs(0.4, 2.87, 0.20 * 640.0) == pytest.approx(146.944, abs=5e-4)
