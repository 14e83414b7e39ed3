"""hydrocomplete.com, two example pages: Asheville, North Carolina (LS, tons), and the capture particle of a basin."""

import pytest

from sedcalc.factors.rusle import soil_loss
from sedcalc.factors.topography import profile_ls
from sedcalc.factors.trapping import stokes_settling_velocity


def test_capture_particle_of_a_basin() -> None:
    # 18,000 ft2 and 14 ft3/s need 2.37e-4 m/s; its step 2 gives d^2 = 4.27e-6/16,187 m2 with
    # g 9.81, density difference 1,650 kg/m3 and viscosity 0.001 Pa s (printed to three digits).
    diameter_mm = 1000.0 * (4.27e-6 / 16187.0) ** 0.5
    velocity, _, valid = stokes_settling_velocity(diameter_mm, 2.65)
    assert velocity == pytest.approx(2.37e-4, rel=0.005)
    assert valid


def test_a_hybrid_in_print() -> None:
    """Asheville: McCool's S with the USLE's m, 12 % and 150 ft.

    It prints L 1.437, S 1.503, LS 2.160 and 100.7 tons per acre, with sin θ rounded up to 0.1192.
    """
    got = profile_ls(12, 150, method="mccool+ah537")
    assert got.hybrid
    assert got.m == 0.5
    assert round(got.L, 3) == 1.437
    assert pytest.approx(1.503, abs=0.0015) == got.S
    assert pytest.approx(2.160, abs=0.002) == got.LS
    assert soil_loss(140, 0.37, 2.160, 0.90, 1.0) == pytest.approx(100.7, abs=0.05)
    # its table of covers; 50.4 is half of the unrounded 100.7
    for cover, tons, half_digit in ((0.45, 50.4, 0.06), (0.10, 11.2, 0.05), (0.06, 6.7, 0.05), (0.01, 1.12, 0.005)):
        assert soil_loss(140, 0.37, 2.160, cover, 1.0) == pytest.approx(tons, abs=half_digit)
    # Both parts of RUSLE together: 2.51 at the high ratio, 16 % more.
    assert pytest.approx(2.51, abs=0.005) == profile_ls(12, 150).LS
