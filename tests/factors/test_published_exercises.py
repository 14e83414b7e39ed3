"""Worked exercises printed on public pages: runoff, peak discharge, settling."""

import pytest

from sedcalc.factors.runoff import curve_number_runoff_in, rational_peak_cfs
from sedcalc.factors.trapping import stokes_settling_velocity


@pytest.mark.parametrize(
    ("c", "intensity", "acres", "printed"),
    [
        (0.11, 1.25, 30.0, 4.125),  # engineeringprep.com, problem 79
        (0.4, 2.87, 0.20 * 640.0, 146.944),  # homeworksource.com, 7-3
    ],
)
def test_rational_method(c, intensity, acres, printed):
    assert rational_peak_cfs(c, intensity, acres) == pytest.approx(printed, abs=5e-4)


def test_runoff_of_nine_inches():
    # sciemce.com: composite curve number 94.82, 9 in of rain, runoff 8.38 in.
    assert round(curve_number_runoff_in(9.0, 94.82), 2) == 8.38


def test_runoff_of_eight_inches():
    # partnerperformance.uonbi.ac.ke, question 18403837: CN 80, 8 in of rain, runoff 5.625 in.
    assert curve_number_runoff_in(8.0, 80.0) == pytest.approx(5.625, abs=5e-4)


def test_capture_particle_of_a_basin():
    # hydrocomplete.com: 18,000 ft2 and 14 ft3/s need 2.37e-4 m/s; its step 2 gives d^2 = 4.27e-6/16,187 m2 with
    # g 9.81, density difference 1,650 kg/m3 and viscosity 0.001 Pa s (printed to three digits).
    diameter_mm = 1000.0 * (4.27e-6 / 16187.0) ** 0.5
    velocity, _, valid = stokes_settling_velocity(diameter_mm, 2.65)
    assert velocity == pytest.approx(2.37e-4, rel=0.005)
    assert valid


@pytest.mark.parametrize(("diameter_mm", "printed"), [(0.01, 0.000090), (0.05, 0.002246)])
def test_a_table_of_settling_velocities(diameter_mm, printed):
    # codingace.net, table by Stokes' law for 2.65; with g 9.81 and a viscosity of 0.001 Pa s (0.3 % more)
    velocity, _, valid = stokes_settling_velocity(diameter_mm, 2.65)
    assert velocity == pytest.approx(printed, rel=0.003, abs=5e-7)
    assert valid


def test_fine_sand_is_flagged():
    # homo-deus.com prints 0.056 m/s for quartz of 0.25 mm by Stokes' law, beyond its validity.
    velocity, reynolds, valid = stokes_settling_velocity(0.25, 2.65)
    assert velocity == pytest.approx(0.056, abs=5e-4)
    assert reynolds > 1.0
    assert not valid
