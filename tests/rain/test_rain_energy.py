"""Unit energy against the equations worked by hand."""

import numpy as np
import pytest

from sedcalc.findings import InputError
from sedcalc.rain import ENERGY_SOURCES, unit_energy


@pytest.mark.parametrize(
    ("method", "intensity", "expected"),
    [
        # worked by hand from the printed equations
        ("ah703", 0.0, 0.29 * 0.28),
        ("ah703", 20.0, 0.29 * (1 - 0.72 * 0.36787944117144233)),
        ("rusle2", 50.0, 0.29 * (1 - 0.72 * 0.016572675401761255)),
        ("ah537", 10.0, 0.2063),
        ("ah537", 1.0, 0.119),
        ("ah537", 76.1, 0.283),
        ("ah537", 0.01, 0.0),
        ("ah537", 0.0, 0.0),
    ],
)
def test_values(method: str, intensity: float, expected: float) -> None:
    assert unit_energy(intensity, method) == pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize("method", list(ENERGY_SOURCES))
def test_arrays_keep_their_shape_and_type(method: str) -> None:
    i = np.array([[0.0, 1.0, 7.5], [30.0, 76.0, 200.0]])
    double = unit_energy(i, method)
    single = unit_energy(i.astype(np.float32), method)
    assert double.shape == i.shape
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, rtol=1e-6)
    assert (np.diff(double.ravel()) >= -2e-4).all()  # Handbook 537 steps down from 0.2832 to 0.283 at 76 mm/h
    assert isinstance(unit_energy(5, method), float)


def test_wrong_input_is_named() -> None:
    with pytest.raises(InputError, match=r"2 rain intensities are negative, the first -3 mm/h"):
        unit_energy([1.0, -3.0, -4.0])
    with pytest.raises(InputError, match="'mcgregor' is unknown; use one of 'ah537'"):
        unit_energy(1.0, "mcgregor")


@pytest.mark.parametrize("wrong", [["a"], "5", True, [True], [[1.0, 2.0], [3.0]], object(), [None], 1j])
def test_intensities_are_numbers(wrong: object) -> None:
    with pytest.raises(InputError, match="intensity_mm_h: must be numeric"):
        unit_energy(wrong)


def test_a_masked_intensity_is_refused() -> None:
    with pytest.raises(InputError, match="intensity_mm_h: is a masked array"):
        unit_energy(np.ma.masked_less([1.0, -9.0], 0.0))
