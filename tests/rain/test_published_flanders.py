"""The test suite of the R-factor scripts for Flanders (watem-sedem/rfactor): energy of rain by Salles et al. (2002)."""

import numpy as np
import pytest

from sedcalc.rain import unit_energy


def test_one_millimetre_in_ten_minutes() -> None:
    assert unit_energy(6.0, "salles") == pytest.approx(0.19379, abs=5e-6)


def test_sum_of_three_steps() -> None:
    depth = np.array([1.1, 1.2, 1.3])
    assert (unit_energy(depth * 6.0, "salles") * depth).sum() == pytest.approx(0.73891, abs=5e-6)
