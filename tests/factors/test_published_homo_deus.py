"""homo-deus.com, an exercise: 0.056 m/s for quartz of 0.25 mm by Stokes' law, beyond its validity."""

import pytest

from sedcalc.factors.trapping import stokes_settling_velocity


def test_fine_sand_is_flagged() -> None:
    velocity, reynolds, valid = stokes_settling_velocity(0.25, 2.65)
    assert velocity == pytest.approx(0.056, abs=5e-4)
    assert reynolds > 1.0
    assert not valid
