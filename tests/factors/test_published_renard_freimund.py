"""Renard and Freimund (1994), R from annual rain; and R from the 2-year, 6-hour rain."""

import math

import numpy as np
import pytest

from sedcalc.factors.erosivity import (
    RENARD_FREIMUND_MAX_MM,
    annual_rain_r,
    two_year_six_hour_r,
)
from sedcalc.findings import InputError
from sedcalc.units import INCH_MM, R_US_SI


@pytest.mark.parametrize(
    ("mm", "si"),
    # By calculator from the printed equations: 0.0483 exp(1.61 ln P), and the polynomial.
    [(500.0, 1069.766), (850.0, 2513.689), (1016.0, 3586.707), (1200.0, 5036.200)],
)
def test_equations_in_si(mm: float, si: float) -> None:
    assert annual_rain_r(mm / INCH_MM) * R_US_SI == pytest.approx(si, abs=6e-4)


def test_step_at_850_mm_is_the_published_one() -> None:
    # 2513.69 below, 587.8 - 1036.15 + 2965.8625 = 2517.5125 above.
    above = annual_rain_r(850.0 / INCH_MM * (1 + 1e-12)) * R_US_SI
    assert above == pytest.approx(2517.5125, abs=1e-3)
    assert above / (annual_rain_r(850.0 / INCH_MM) * R_US_SI) == pytest.approx(1.00152, abs=1e-5)


def test_domain_ends_at_the_highest_isoerodent() -> None:
    # The root of 587.8 - 1.219 P + 0.004105 P^2 = 700 x 17.0195, by the quadratic formula.
    c = 587.8 - 700 * R_US_SI
    root = (1.219 + math.sqrt(1.219**2 - 4 * 0.004105 * c)) / (2 * 0.004105)
    assert pytest.approx(root, abs=0.5) == RENARD_FREIMUND_MAX_MM
    assert annual_rain_r(RENARD_FREIMUND_MAX_MM / INCH_MM) <= 700.0
    for bad, says in ((72.0, "72"), (0.0, "0"), (-3.0, "-3"), (float("inf"), "inf")):
        with pytest.raises(InputError, match=rf"annual_rain_in: {says} is outside above 0 to 71\.4961 in; give"):
            annual_rain_r(bad)


def test_rises_with_rain_and_keeps_float32() -> None:
    inches = np.linspace(1.0, 71.0, 400, dtype=np.float32)
    got = annual_rain_r(inches)
    assert got.dtype == np.float32
    assert np.all(np.diff(got) > 0)
    np.testing.assert_allclose(got, annual_rain_r(inches.astype(float)), rtol=1e-5)
    assert np.isnan(annual_rain_r(np.array([30.0, np.nan]))).tolist() == [False, True]


def test_two_year_six_hour_rain() -> None:
    # 27 P^2.2: 16.53 at 0.8 in, 27 at 1 in.
    assert round(two_year_six_hour_r(0.8), 2) == 16.53
    assert two_year_six_hour_r(1.0) == 27.0
    with pytest.raises(InputError, match="depth_in: -1"):
        two_year_six_hour_r(np.array([1.0, -1.0]))
