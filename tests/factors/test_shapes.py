"""What does not fit together is refused with names and shapes, in every equation: arrays of 2 beside 3, lists of 1."""

import functools

import numpy as np
import pytest

from factor_cases import CASES
from sedcalc import equations
from sedcalc.findings import InputError

ONE_NUMBER = ("cell_m", "class_from_pct", "steepness")
"""Parameters that take no array."""


def numbers(name: str) -> dict[str, float]:
    """Return possible values of the parameters of an equation that take arrays of any shape."""
    case = CASES[name]
    found = {n: v[0].item() for n, v in case.arrays.items() if v.dtype.kind == "f"}
    return found | {n: v for n, v in case.fixed.items() if isinstance(v, float) and n not in ONE_NUMBER}


OF_SEVERAL = sorted(name for name in CASES if len(numbers(name)) > 1)


@pytest.mark.parametrize("name", OF_SEVERAL)
def test_shapes_that_do_not_broadcast(name: str) -> None:
    function, own = getattr(equations, name), numbers(name)
    other_arguments = {n: v for n, v in CASES[name].fixed.items() if n not in own}
    function(**own, **other_arguments)
    first, *rest = own
    for other in rest:
        given = {**own, first: np.full(2, own[first]), other: np.full(3, own[other])}
        with pytest.raises(InputError, match=rf"broadcast: .*{first} \(2,\)") as error:
            function(**given, **other_arguments)
        assert f"{other} (3,)" in str(error.value)


def test_most_equations_are_tried() -> None:
    assert len(OF_SEVERAL) >= 24


@pytest.mark.parametrize("name", ["composite", "weighted_c", "segmented_ls"])
@pytest.mark.parametrize("shapes", [((2,), (1,)), ((1,), (2,)), ((2,), ()), ((), (2,)), ((3, 2), (3, 1)), ((0,), (0,))])
def test_paired_lists_have_one_length(name: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    function = getattr(equations, name)
    values = {"composite": (61.0, 3.0), "weighted_c": (0.5, 0.1), "segmented_ls": (5.0, 100.0)}[name]
    given = [np.full(shape, value) for shape, value in zip(shapes, values, strict=True)]
    with pytest.raises(InputError, match="must be lists of one length, at least 1"):
        function(*given)


def test_other_axes_of_lists() -> None:
    with pytest.raises(InputError, match=r"values \(2, 3\), areas \(4, 3\)"):
        equations.composite(np.ones((2, 3)), np.ones((4, 3)))
    with pytest.raises(InputError, match=r"class_shares \(4, 1, 5\), class_efficiencies \(2, 3, 5\)"):
        equations.class_chain(np.ones((4, 5)), np.zeros((2, 3, 5)))
    # 61 on one acre beside 74 on three, by hand 70.75, twice
    assert equations.composite([[61.0, 74.0]] * 2, [1.0, 3.0]).tolist() == [70.75, 70.75]


def test_a_slope_class_beside_rasters() -> None:
    classes = ([5.0, 8.0], [0.5, 0.6])
    with pytest.raises(InputError, match=r"slope_pct \(2,\), length_ft \(3,\)"):
        equations.p_by_slope_class(np.ones(2), *classes, length_ft=np.full(3, 10.0), class_max_length_ft=[300.0, 200.0])
    with pytest.raises(InputError, match="class_from_pct: must be one number"):
        equations.p_by_slope_class(np.ones(2), *classes, class_from_pct=np.zeros(3))
    assert equations.p_by_slope_class(np.array([4.0, 7.0, 3.0]), *classes).tolist() == [0.5, 0.6, 0.5]


def test_uneven_lists_are_no_numbers() -> None:
    with pytest.raises(InputError, match=r"values: must be numeric, not \[\[1"):
        equations.composite([[1.0, 2.0], [3.0]], [1.0, 2.0])


def test_float32_near_the_steps_and_near_no_runoff() -> None:
    """float32 gives what float64 gives on the same numbers, to the rounding of the result."""
    rng = np.random.default_rng(4)
    cases = (
        (equations.curve_number_runoff_in, rng.uniform(0.0, 1.5, 4000), rng.uniform(40.0, 98.0, 4000)),
        (equations.annual_rain_r, 850.0 / 25.4 * (1.0 + rng.uniform(-1e-6, 1e-6, 4000))),
        (equations.monthly_rain_r, np.full((4000, 12), 55.0 / 25.4) * (1.0 + rng.uniform(-1e-6, 1e-6, (4000, 1)))),
    )
    for function, *values in cases:
        narrow = [v.astype(np.float32) for v in values]
        got = function(*narrow)
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, function(*(v.astype(np.float64) for v in narrow)), rtol=1e-7, atol=1e-40)


def test_steps_in_float32() -> None:
    """Within two float32 of a step the side of it is that of float64; below 1 % it is one of them off, as stated."""
    cases = (
        (equations.steepness_factor, [9.0], 0),
        (functools.partial(equations.slope_length_exponent, method="ah537"), [3.5, 5.0], 0),
        (functools.partial(equations.slope_length_exponent, method="ah537"), [1.0], 1),
        (equations.permeability_class, [0.06, 0.2, 0.6, 2.0, 6.0], 3),  # 0.06, 0.2 and 0.6 are no binary fractions
    )
    for function, steps, apart in cases:
        at = np.array(steps, dtype=np.float32)
        below, above = np.nextafter(at, np.float32(0.0)), np.nextafter(at, np.float32(99.0))
        near = np.concatenate([np.nextafter(below, np.float32(0.0)), below, at, above])
        off = np.abs(function(near) / function(near.astype(np.float64)) - 1.0) > 1e-6
        assert np.count_nonzero(off) <= apart, near[off]
        assert apart == 0 or off.any()
