"""sciemce.com, an exercise: composite curve number 94.82, 9 in of rain, runoff 8.38 in."""

from sedcalc.factors.runoff import curve_number_runoff_in


def test_runoff_of_nine_inches() -> None:
    assert round(curve_number_runoff_in(9.0, 94.82), 2) == 8.38
