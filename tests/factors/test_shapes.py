"""What does not fit together is refused with names and shapes, in every equation: arrays of 2 beside 3, lists of 1."""

import datetime as dt
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from factor_cases import ALONG, CASES
from sedcalc import equations
from sedcalc.factors.erosivity import daily_ei, monthly_ei
from sedcalc.findings import InputError
from sedcalc.rain import erosivity_from_rain, find_storms, rain_record, record_from_breakpoints, record_from_tips
from sedcalc.tables import table

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


def choices(function: Callable[..., Any]) -> list[str]:
    """Return the parameters that take one of several names."""
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if (isinstance(p.default, str) and p.default) or p.name == "storm_type"]


def arguments(name: str) -> dict[str, Any]:
    """Return possible arguments of an equation."""
    if name == "segmented_ls":
        return {"slope_pct": [5.0, 9.0], "length_ft": [50.0, 50.0]}
    case = (CASES | ALONG)[name]
    return {n: v[:12] for n, v in case.arrays.items()} | dict(case.fixed)


PUBLIC = [name for name, value in vars(equations).items() if hasattr(value, "__wrapped__")]
CHOICES = [(name, choice) for name in PUBLIC for choice in choices(getattr(equations, name))]
NO_NAMES = (
    *(["low"], ("low", "low"), np.array(["low"]), np.array(["low"] * 12), np.array("low"), np.array([])),
    *(np.ma.array(["low"], mask=[True]), [["low"], ["low", "high"]], {"low": 1}, {"low"}, b"low", None, 1, 1.0, True),
)


def test_every_choice_is_walked() -> None:
    assert {name for name, _ in CHOICES} >= {
        *("steepness_factor", "slope_length_exponent", "profile_ls", "segmented_ls", "cell_ls_isotropic"),
        *("delivery_ratio", "design_storm_ei", "establishing_slr", "unit_energy"),
    }
    assert len(CHOICES) == 12


@pytest.mark.parametrize(("name", "choice"), CHOICES)
def test_a_choice_is_one_name(name: str, choice: str) -> None:
    function, given = getattr(equations, name), arguments(name)
    function(**given)
    for wrong in NO_NAMES:
        with pytest.raises(InputError, match=rf"^{choice}: must be one name, not .*; use one of '"):
            function(**(given | {choice: wrong}))
    with pytest.raises(InputError, match=rf"^{choice}: 'brown' is unknown; use one of '"):
        function(**(given | {choice: "brown"}))


def test_choices_beside_a_data_array() -> None:
    xarray = pytest.importorskip("xarray")
    slope = xarray.DataArray([5.0, 9.0], dims="x")
    for wrong in (np.array(["mccool", "ah537"]), xarray.DataArray(["mccool", "ah537"], dims="x")):
        with pytest.raises(InputError, match="method: must be one name"):
            equations.steepness_factor(slope, wrong)


def test_choices_of_a_rain_record() -> None:
    times = np.datetime64("2024-06-01T10:00") + np.timedelta64(10, "m") * np.arange(3)
    record = rain_record(times, [0.0, 2.5, 1.0])
    tried = [
        (rain_record, (times, [0.0, 2.5, 1.0]), ("units", "label", "absent_rows")),
        (record_from_breakpoints, (times, [0.0, 2.5, 1.0]), ("units", "on_reset")),
        (record_from_tips, (times, 0.2), ("units",)),
        (find_storms, (record,), ("energy", "rule", "snow")),
        (erosivity_from_rain, (record,), ("units", "energy", "storm_rule", "snow")),
    ]
    for function, given, names in tried:
        assert choices(function) == [*names]
        for name in names:
            for wrong in (*NO_NAMES, "brown"):
                with pytest.raises(InputError, match=r"(must be one name|is unknown).*; use one of '"):
                    function(*given, **{name: wrong})


@pytest.mark.parametrize(
    "wrong", ["abc", "ab", 5, (), ([5.0, 9.0],), ([], []), ([9.0, 5.0], [1.0, 1.0]), (["a"], ["b"])]
)
def test_short_rows_are_checked_where_they_are_not_needed(wrong: object) -> None:
    for slope, length in ((0.5, 0.5), (20.0, 100.0), (20.0, 5.0)):
        with pytest.raises(InputError, match="short_rows"):
            equations.profile_ls(slope, length, short_rows=wrong)


def test_dates_of_unequal_lists_and_masked_dates() -> None:
    zone = [v for n, v in table("ei_distribution").row(84).items() if n[0] == "d" and n[3:4] == "_"]
    day = dt.date(2026, 5, 15)
    for ragged in ([[day], [day, day]], [day, [day]]):
        with pytest.raises(InputError, match=r"^dates: must be dates"):
            equations.cumulative_ei(ragged, zone)
        with pytest.raises(InputError, match=r"^start: must be dates"):
            equations.ei_fraction(ragged, day, zone)
        with pytest.raises(InputError, match=r"^end: must be dates"):
            equations.ei_fraction(day, ragged, zone)
        with pytest.raises(InputError, match=r"^last: must be dates"):
            daily_ei(day, ragged, zone)
    masked = np.ma.array(np.array(["2026-05-15", "2026-05-20"], "datetime64[D]"), mask=[False, True])
    with pytest.raises(InputError, match=r"^dates: is a masked array"):
        equations.cumulative_ei(masked, zone)
    with pytest.raises(InputError, match=r"^cumulative_pct: is a masked array"):
        monthly_ei(np.ma.array(zone, mask=[*[False] * 24, True]))
