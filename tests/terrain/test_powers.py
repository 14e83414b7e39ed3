import numba
import numpy as np
import pytest

from sedcalc.factors import topography
from sedcalc.terrain import powers


@numba.njit
def four_fifths_of_each(base, out):
    for i in range(len(base)):
        out[i] = topography.kernel_four_fifths(base[i])


@numba.njit
def power_of_each(base, exponent, out):
    for i in range(len(base)):
        out[i] = topography.kernel_power(base[i], exponent[i])


def compiled(base, exponent):
    base, exponent = (np.array(a, dtype=float) for a in np.broadcast_arrays(base, exponent))
    out = np.empty_like(base)
    power_of_each(base, exponent, out)
    return out


def test_compiled_powers_equal_those_of_the_c_library():
    rng = np.random.default_rng(1)
    base = 10.0 ** rng.uniform(-8, 9, 200_000)
    exponent = rng.uniform(0, 2, base.size)
    np.testing.assert_allclose(compiled(base, exponent), base**exponent, rtol=2e-12)
    assert powers.slope_kernels.kernel_power is topography.kernel_power


@pytest.mark.parametrize("exponent", [0.0, 0.25, 1.0, 2.0])
def test_whole_powers_of_two(exponent):
    """Of two to the eighths: by hand, whole powers of two."""
    base = 2.0 ** (4.0 * np.arange(-8, 9))
    np.testing.assert_allclose(compiled(base, exponent), 2.0 ** (4.0 * exponent * np.arange(-8, 9)), rtol=1e-14)


def test_at_the_seam_of_the_mantissa():
    seam = np.sqrt(0.5)
    base = np.array([np.nextafter(seam, 0), seam, np.nextafter(seam, 1), np.nextafter(1.0, 0), 1.0])
    np.testing.assert_allclose(compiled(base, 1.0), base, rtol=1e-12)


def test_nothing_to_the_power_used_for_slopes_is_nothing_and_to_the_power_0_is_1():
    small, one = compiled([0.0, 0.0], [0.8, 0.0])
    assert small < 1e-200
    assert one == 1.0


def test_the_power_0_8_equals_that_of_the_c_library_and_of_nothing_is_nothing():
    rng = np.random.default_rng(2)
    base = np.append(10.0 ** rng.uniform(-12, 3, 200_000), [0.0, np.nan])
    found = np.empty_like(base)
    four_fifths_of_each(base, found)
    np.testing.assert_allclose(found, base**0.8, rtol=2e-14)
    assert found[-2] == 0.0
