"""codingace.net: a table of settling velocities by Stokes' law for 2.65, with g 9.81 and 0.001 Pa s (0.3 % more)."""

import pytest

from sedcalc.factors.trapping import stokes_settling_velocity


@pytest.mark.parametrize(("diameter_mm", "printed"), [(0.01, 0.000090), (0.05, 0.002246)])
def test_a_table_of_settling_velocities(diameter_mm: float, printed: float) -> None:
    velocity, _, valid = stokes_settling_velocity(diameter_mm, 2.65)
    assert velocity == pytest.approx(printed, rel=0.003, abs=5e-7)
    assert valid
