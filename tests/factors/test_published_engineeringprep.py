"""engineeringprep.com, problem 79: peak discharge by the rational method."""

import pytest

from sedcalc.factors.runoff import rational_peak_cfs


def test_peak_of_thirty_acres() -> None:
    assert rational_peak_cfs(0.11, 1.25, 30.0) == pytest.approx(4.125, abs=5e-4)
