"""partnerperformance.uonbi.ac.ke, question 18403837: curve number 80, 8 in of rain, runoff 5.625 in."""

import pytest

from sedcalc.factors.runoff import curve_number_runoff_in


def test_runoff_of_eight_inches() -> None:
    assert curve_number_runoff_in(8.0, 80.0) == pytest.approx(5.625, abs=5e-4)
