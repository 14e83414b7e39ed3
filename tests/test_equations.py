"""Every public equation with every kind of array: one adapter, labels and CRS kept, dask lazy, float32 kept."""

import inspect
import json
import subprocess
import sys

import numpy as np
import pytest

import sedcalc
from factor_cases import ALONG, CASES, Case
from sedcalc import equations, factors
from sedcalc.factors import (
    cover,
    delivery,
    erodibility,
    erosivity,
    runoff,
    rusle,
    sediment,
    support,
    topography,
    trapping,
)
from sedcalc.findings import InputError

MODULES = (cover, delivery, erodibility, erosivity, runoff, rusle, sediment, support, topography, trapping)
NUMPY_ONLY = {
    *("segmented_ls", "class_chain", "sediment_classes"),  # the result has an axis of its own
    *("daily_ei", "monthly_ei", "half_monthly_ei", "ei_fraction_table_dates", "ei_difference"),
}
SHAPE = (4, 15)


def parts(result: object) -> list[np.ndarray]:
    """Return the arrays of a result, whether it is one or a tuple of several."""
    values = result if isinstance(result, tuple) else (result,)
    return [v for v in values if getattr(v, "shape", ()) != ()]


def grid(case: Case, shape: tuple[int, ...] = SHAPE) -> dict[str, np.ndarray]:
    return {name: np.asarray(v).reshape(shape) for name, v in case.arrays.items()}


def test_every_factor_function_is_an_equation() -> None:
    public = {
        name
        for module in MODULES
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith(("_", "kernel_"))
    }
    lifted = {name for name, value in vars(equations).items() if hasattr(value, "__wrapped__")}
    assert lifted - {"unit_energy"} == public - NUMPY_ONLY
    assert public >= NUMPY_ONLY
    assert lifted == CASES.keys() | ALONG.keys()
    assert sedcalc.soil_loss is equations.soil_loss is sedcalc.equations.soil_loss
    assert equations.soil_loss.__doc__ == rusle.soil_loss.__doc__


def test_numbers_and_numpy_arrays_load_neither_xarray_nor_dask() -> None:
    program = (
        "import sys, json, sedcalc as sc, numpy as np; sc.soil_loss(90, 0.32, 4.8, 0.11, 0.16); "
        "sc.equations.profile_ls(np.array([9.0]), 100); print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert not {m.partition(".")[0] for m in json.loads(done.stdout)} & {"xarray", "dask", "pandas"}


@pytest.mark.parametrize("name", CASES)
def test_numbers_give_numbers_and_arrays_their_values(name: str) -> None:
    case, function = CASES[name], getattr(equations, name)
    whole = parts(function(**case.arrays, **case.fixed))
    assert whole
    first = function(**{n: v[0] for n, v in case.arrays.items()}, **case.fixed)
    numbers = [v for v in (first if isinstance(first, tuple) else (first,)) if v is not None]
    assert all(type(v) in (float, bool, str) for v in numbers)
    # array code may use other instructions than scalar code: agreement to rounding
    compared = (first if isinstance(first, tuple) else (first,))[: len(whole)]
    for array, number in zip(whole, compared, strict=True):
        if isinstance(number, float):
            assert array[0] == pytest.approx(number, rel=1e-13)


FLOATS = sorted(CASES.keys() - {"cumulative_ei", "ei_fraction"})


@pytest.mark.parametrize("name", FLOATS)
def test_float32_stays_float32_within_the_stated_error(name: str) -> None:
    case, function = CASES[name], getattr(equations, name)
    single = {n: v.astype(np.float32) for n, v in case.arrays.items()}
    # the same numbers in both types: the error is that of the arithmetic, not of the input
    exact = parts(function(**{n: v.astype(np.float64) for n, v in single.items()}, **case.fixed))
    for ours, true in zip(parts(function(**single, **case.fixed)), exact, strict=True):
        if true.dtype.kind != "f":
            np.testing.assert_array_equal(ours, true)
            continue
        assert ours.dtype == np.float32
        assert true.dtype == np.float64
        np.testing.assert_allclose(ours, true, rtol=case.float32_error, atol=1e-30)


@pytest.mark.parametrize("name", sorted(ALONG))
def test_float32_of_reductions(name: str) -> None:
    case, function = ALONG[name], getattr(equations, name)
    single = {n: v.astype(np.float32) for n, v in grid(case).items()}
    ours = function(**single)
    true = function(**{n: v.astype(np.float64) for n, v in single.items()})
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, true, rtol=case.float32_error)


@pytest.mark.parametrize("name", FLOATS)
def test_nan_passes_where_it_is_and_nowhere_else(name: str) -> None:
    case, function = CASES[name], getattr(equations, name)
    whole = parts(function(**case.arrays, **case.fixed))
    for missing in case.arrays:
        values = {n: v.copy() for n, v in case.arrays.items()}
        values[missing][7] = np.nan
        results = parts(function(**values, **case.fixed))
        gone = [np.isnan(r[7]) if r.dtype.kind == "f" else r[7] in ("", False) for r in results]
        assert gone[0], missing
        for result, before in zip(results, whole, strict=True):
            np.testing.assert_array_equal(np.delete(result, 7), np.delete(before, 7))


def labelled(case: Case, **chunks: int) -> dict[str, object]:
    xr = pytest.importorskip("xarray")
    made = {}
    for name, values in grid(case).items():
        array = xr.DataArray(
            values,
            dims=("y", "x"),
            coords={"y": 4750000.0 - 10.0 * np.arange(SHAPE[0]), "x": 420000.0 + 10.0 * np.arange(SHAPE[1])},
            attrs={"units": f"that of {name}", "project": "Example"},
        )
        array = array.assign_coords(spatial_ref=xr.DataArray(0, attrs={"crs_wkt": "PROJCS[...]"}))
        made[name] = array.chunk(chunks) if chunks else array
    return made


@pytest.mark.parametrize("name", CASES)
def test_dataarrays_keep_labels_and_crs(name: str) -> None:
    xr = pytest.importorskip("xarray")
    case, function = CASES[name], getattr(equations, name)
    given = labelled(case)
    result = function(**given, **case.fixed)
    expected = function(**grid(case), **case.fixed)
    assert type(result) is (type(expected) if isinstance(expected, tuple) else xr.DataArray)
    compared = zip(parts(result), parts(expected), strict=True)
    for ours, theirs in compared:
        assert isinstance(ours, xr.DataArray)
        np.testing.assert_array_equal(ours.values, theirs)
        first = next(iter(given.values()))
        assert ours.indexes["x"].equals(first.indexes["x"])
        assert ours.indexes["y"].equals(first.indexes["y"])
        assert ours.coords["spatial_ref"].attrs == {"crs_wkt": "PROJCS[...]"}
        assert ours.attrs == {"project": "Example"}
        assert ours.values.flags.writeable


@pytest.mark.parametrize("name", CASES)
def test_dask_stays_lazy(name: str) -> None:
    dask = pytest.importorskip("dask")
    da = pytest.importorskip("dask.array")
    pytest.importorskip("xarray")
    case, function = CASES[name], getattr(equations, name)
    expected = parts(function(**grid(case), **case.fixed))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("computed before it was asked for")

    with dask.config.set(scheduler=refuse):
        labels = parts(function(**labelled(case, y=2, x=4), **case.fixed))
        bare = parts(function(**{n: da.from_array(v, chunks=(2, 4)) for n, v in grid(case).items()}, **case.fixed))
    for one, two, values in zip(labels, bare, expected, strict=True):
        assert one.chunks == two.chunks == ((2, 2), (4, 4, 4, 3))
        assert one.dtype == two.dtype == values.dtype
        assert isinstance(two, da.Array)
        for computed in (one.values, two.compute()):
            if values.dtype.kind == "f":
                np.testing.assert_allclose(computed, values, rtol=1e-13)
            else:
                np.testing.assert_array_equal(computed, values)


@pytest.mark.parametrize("name", sorted(ALONG))
def test_reductions_name_their_dimension(name: str) -> None:
    xr = pytest.importorskip("xarray")
    da = pytest.importorskip("dask.array")
    case, function = ALONG[name], getattr(equations, name)
    stacked = grid(case, (5, 3, 4))
    expected = function(**{n: np.moveaxis(v, 0, -1) for n, v in stacked.items()})
    given = {n: xr.DataArray(v, dims=("part", "y", "x")) for n, v in stacked.items()}
    result = function(**given, dim="part")
    assert result.dims == ("y", "x")
    np.testing.assert_allclose(result.values, expected, rtol=1e-14)
    lazy = function(**{n: v.chunk({"part": 2, "x": 2}) for n, v in given.items()}, dim="part")
    assert lazy.chunks == ((3,), (2, 2))
    np.testing.assert_allclose(lazy.values, expected, rtol=1e-14)
    bare = function(**{n: da.from_array(np.moveaxis(v, 0, -1), chunks=2) for n, v in stacked.items()})
    np.testing.assert_allclose(bare.compute(), expected, rtol=1e-14)
    with pytest.raises(InputError, match="name the dimension"):
        function(**given)
    with pytest.raises(InputError, match="not 'step'"):
        function(**given, dim="step")


def test_shares_as_a_list_and_ratios_as_rasters() -> None:
    xr = pytest.importorskip("xarray")
    slr = xr.DataArray(np.array([[[1.0, 0.5]], [[0.06, 0.5]]]), dims=("part", "y", "x"))
    c = equations.weighted_c([0.25, 0.75], slr, dim="part")
    np.testing.assert_allclose(c.values, [[0.295, 0.5]], rtol=1e-14)  # by hand, as in the docstring


def test_numbers_beside_dataarrays_and_arrays_of_other_dimensions() -> None:
    xr = pytest.importorskip("xarray")
    k = xr.DataArray([[0.2, 0.3]], dims=("y", "x"), coords={"x": [1.0, 2.0]})
    r = xr.DataArray([100.0, 200.0], dims="year")
    loss = equations.soil_loss(r, k, 1.0, 1.0, 0.5)
    assert loss.dims == ("year", "y", "x")
    assert loss.name == "soil_loss"
    np.testing.assert_allclose(loss.values, [[[10.0, 15.0]], [[20.0, 30.0]]])
    np.testing.assert_allclose(equations.soil_loss(100.0, k, np.array([[1.0, 2.0]]), 1.0, 1.0).values, [[20.0, 60.0]])
    assert equations.soil_loss(100.0, k[0, 0], 1.0, 1.0, 1.0).shape == ()
    with pytest.raises(InputError, match="needs dimensions"):
        equations.soil_loss(r, k, np.array([1.0, 2.0]), 1.0, 1.0)


def test_nothing_is_joined_silently() -> None:
    xr = pytest.importorskip("xarray")
    k = xr.DataArray([0.2, 0.3], dims="x", coords={"x": [1.0, 2.0]})
    moved = k.assign_coords(x=[1.5, 2.5])
    with pytest.raises(InputError, match="same coordinates"):
        equations.soil_loss(100.0, k, moved, 1.0, 1.0)
    with pytest.raises(InputError, match="same coordinates"):
        equations.soil_loss(100.0, k, xr.DataArray([1.0, 2.0, 3.0], dims="x"), 1.0, 1.0)
    here, there = (k.assign_coords(spatial_ref=xr.DataArray(0, attrs={"crs_wkt": wkt})) for wkt in "ab")
    with pytest.raises(InputError, match="2 coordinate reference systems"):
        equations.soil_loss(100.0, here, there, 1.0, 1.0)


def test_values_out_of_range_are_refused_eagerly_and_lazily() -> None:
    xr = pytest.importorskip("xarray")
    pytest.importorskip("dask")
    slope = xr.DataArray([10.0, 61.0], dims="x")
    with pytest.raises(InputError, match="61"):
        equations.steepness_factor(slope)
    lazy = equations.steepness_factor(slope.chunk(x=1))
    with pytest.raises(InputError, match="61"):
        lazy.compute()
    with pytest.raises(InputError, match="'mcool' is unknown"):
        equations.steepness_factor(slope, method="mcool")


def test_rioxarray_reads_the_crs_of_a_result() -> None:
    xr = pytest.importorskip("xarray")
    pytest.importorskip("rioxarray")
    one = xr.DataArray(np.full((2, 3), 12.0), dims=("y", "x"), coords={"y": [20.0, 10.0], "x": [0.0, 10.0, 20.0]})
    one = one.rio.write_crs("EPSG:26916")
    result = equations.profile_ls(one, one * 10.0)
    assert result.LS.rio.crs.to_epsg() == 26916
    assert result.method == "rusle"


def test_the_documentation_states_the_bounds_that_are_tested() -> None:
    text = " ".join(str(factors.__doc__).split())
    for name, case in CASES.items():
        assert case.float32_error <= 2e-6 or f"`{name}`" in text, name
    for bound in ("2e-6", "1e-5", "2e-5", "1e-4"):
        assert f"below {bound}" in text
    assert {case.float32_error for case in CASES.values()} <= {5e-7, 2e-6, 5e-6, 1e-5, 2e-5, 1e-4}
    single = CASES["steepness_factor"].arrays["slope_pct"].astype(np.float32)
    for method in topography.STEEPNESS_METHODS:
        exact = topography.steepness_factor(single.astype(np.float64), method)
        bound = 1e-5 if method == "nearing" else 2e-6
        np.testing.assert_allclose(topography.steepness_factor(single, method), exact, rtol=bound)


def test_a_limit_is_met_by_its_nearest_float32() -> None:
    assert float(np.float32(0.24)) < 0.24
    smooth = np.array([0.24], dtype=np.float32)
    assert cover.roughness_after_rain(smooth, 1.0, 1.0)[0] == pytest.approx(0.24)
    with pytest.raises(InputError, match=r"0\.239"):
        cover.roughness_after_rain(np.array([0.239], dtype=np.float32), 1.0, 1.0)
