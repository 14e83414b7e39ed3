"""Regressions of erosivity on rain amounts: worked out by calculator from the equations, their steps and their ends.

No printed pair of rain and R was found for any of them but Cooley's and GLEAMS's (`test_published_vfsmod.py`).
"""

import math

import numpy as np
import pytest

from sedcalc.factors.rain_amounts import (
    FOURNIER_MAX_MM,
    HIGHEST_ISOERODENT,
    MAX_DAILY_RAIN_IN,
    MAX_STORM_IN,
    MAX_TWO_YEAR_SIX_HOUR_IN,
    RENARD_FREIMUND_MAX_MM,
    annual_rain_r,
    daily_rain_ei,
    design_storm_ei,
    modified_fournier_index,
    monthly_rain_r,
    two_year_six_hour_r,
)
from sedcalc.findings import InputError
from sedcalc.units import INCH_MM, R_US_SI


@pytest.mark.parametrize(
    ("mm", "si"),
    # By calculator from the equations: 0.0483 exp(1.61 ln P), and the polynomial.
    [(500.0, 1069.766), (850.0, 2513.689), (1016.0, 3586.707), (1200.0, 5036.200)],
)
def test_equations_in_si(mm: float, si: float) -> None:
    assert annual_rain_r(mm / INCH_MM) * R_US_SI == pytest.approx(si, abs=6e-4)


def test_step_at_850_mm_is_that_of_the_equations() -> None:
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


def even_months(mm: float) -> np.ndarray:
    """Return twelve equal months, in, whose modified Fournier index is that of one month, mm."""
    return np.full(12, mm / INCH_MM)


@pytest.mark.parametrize(
    ("mm", "si"),
    # By calculator from the equations as public programs have them: 0.7397 exp(1.847 ln F), and the polynomial.
    [(20.0, 187.093), (50.0, 1016.373), (55.0, 1204.24), (80.0, 2662.09), (120.0, 6234.85)],
)
def test_monthly_equations_in_si(mm: float, si: float) -> None:
    assert monthly_rain_r(even_months(mm)) * R_US_SI == pytest.approx(si, rel=2e-6)


def test_the_monthly_equations_join_at_55_mm_only_with_the_larger_coefficient() -> None:
    # 0.7397 x 55^1.847 = 1212.0 and 95.77 - 334.455 + 1442.925 = 1204.24: a step of -0.64 %. The 0.07397 that some
    # programs print gives 121.2, and a step to the tenfold.
    below = monthly_rain_r(even_months(55.0 * (1 - 1e-12))) * R_US_SI
    above = monthly_rain_r(even_months(55.0)) * R_US_SI
    assert above == pytest.approx(1204.24, abs=1e-9)
    assert above / below == pytest.approx(0.99359, abs=1e-5)
    assert above / (0.07397 * 55.0**1.847) == pytest.approx(9.936, abs=1e-3)


def test_fournier_index_by_hand_and_between_its_ends() -> None:
    # (1 + 4 + 9)/6 with nine dry months.
    assert modified_fournier_index([1.0, 2.0, 3.0, *[0.0] * 9]) == pytest.approx(14.0 / 6.0, rel=1e-15)
    rain = np.random.default_rng(5).gamma(1.0, 2.0, (50, 12))
    index, total = modified_fournier_index(rain), rain.sum(axis=1)
    assert np.all((index >= total / 12.0) & (index <= total))
    missing = modified_fournier_index(np.where(np.arange(12) == 3, np.nan, rain))
    assert np.isnan(missing).all()
    assert np.isnan(monthly_rain_r([np.nan, *[2.0] * 11]))


@pytest.mark.parametrize(
    ("months", "says"),
    [
        (3.0, "is a number; give the rain of January to December"),
        ([1.0] * 11, "is 11 values"),
        ([1.0] * 11 + [-0.5], r"-0\.5 \(at index 11; 1 of 12 values\) is outside 0 and more"),
        ([0.0] * 12, "0 is the rain of a year; give a year with rain"),
        ([50.0] * 12, r"50 .*is outside 0 to 6\.45276 in; this is the modified Fournier index"),
        ("rain", "must be numeric"),
    ],
)
def test_months_that_are_none(months: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        monthly_rain_r(months)


def test_ends_that_are_reasoned_from_the_highest_isoerodent() -> None:
    # Roots of each equation at 700, by calculator: (700/27)^(1/2.2), (700/7.87)^(1/1.51), and the quadratic formula.
    assert pytest.approx((700.0 / 27.0) ** (1 / 2.2), abs=5e-3) == MAX_TWO_YEAR_SIX_HOUR_IN
    assert pytest.approx((700.0 / 7.87) ** (1 / 1.51), abs=0.05) == MAX_DAILY_RAIN_IN
    c = 95.77 - 700.0 * R_US_SI
    assert pytest.approx((6.081 + math.sqrt(6.081**2 - 4 * 0.4770 * c)) / (2 * 0.4770), abs=0.05) == FOURNIER_MAX_MM
    ends = ((two_year_six_hour_r, MAX_TWO_YEAR_SIX_HOUR_IN), (daily_rain_ei, MAX_DAILY_RAIN_IN))
    for equation, most in ends:
        assert 0.99 * HIGHEST_ISOERODENT < equation(most) <= HIGHEST_ISOERODENT
        with pytest.raises(InputError, match=rf"depth_in: .* is outside 0 to {most:g} in; give the"):
            equation(1.001 * most)
    assert 0.99 * HIGHEST_ISOERODENT < monthly_rain_r(even_months(FOURNIER_MAX_MM - 1e-9)) <= HIGHEST_ISOERODENT


def test_a_design_storm_is_no_deeper_than_any_measured() -> None:
    assert pytest.approx(73.62, abs=5e-3) == MAX_STORM_IN
    assert design_storm_ei(73.0, 24.0, "II") > 0.0
    with pytest.raises(InputError, match=r"depth_in: 76 is outside 0 to 73\.622 in; give the depth of the storm"):
        design_storm_ei(76.0, 24.0, "II")
