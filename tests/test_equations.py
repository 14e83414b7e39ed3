"""Every public equation with every kind of array: one adapter, labels and CRS kept, dask lazy, float32 kept."""

import datetime as dt
import inspect
import json
import subprocess
import sys

import numpy as np
import pytest

import sedcalc
from factor_cases import ALONG, CASES, ZONE_84, Case
from sedcalc import equations, factors
from sedcalc.factors import (
    cell_topography,
    cover,
    delivery,
    erodibility,
    erosivity,
    rain_amounts,
    runoff,
    rusle,
    sediment,
    soil_properties,
    support,
    topography,
    trapping,
)
from sedcalc.findings import InputError

MODULES = (
    *(cell_topography, cover, delivery, erodibility, erosivity, rain_amounts, runoff),
    *(rusle, sediment, soil_properties, support, topography, trapping),
)
SHAPE = (4, 15)
PERCENTS = {"cumulative_pct": ZONE_84}
OF_ONE_ZONE = {
    "daily_ei": ("first", "last"),
    "ei_fraction_table_dates": ("start", "end"),
    "monthly_ei": (),
    "half_monthly_ei": (),
    "ei_difference": (),
}
"""Functions of 25 percents and of single dates, by the names of these: no raster to work on."""
OWN_AXES = {"class_chain", "sediment_classes", "segmented_ls"}
"""Equations whose result has an axis of its own, tried below one by one."""


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
    assert lifted - {"unit_energy"} == public - OF_ONE_ZONE.keys()
    assert public >= OF_ONE_ZONE.keys()
    assert lifted == CASES.keys() | ALONG.keys() | OWN_AXES
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
    single = {n: v.astype(np.float32) for n, v in grid(case, (-1, case.parts)).items()}
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
    stacked = grid(case, (case.parts, -1, 5) if case.parts == 12 else (case.parts, 3, 4))
    rows, columns = stacked[next(iter(stacked))].shape[1:]
    expected = function(**{n: np.moveaxis(v, 0, -1) for n, v in stacked.items()})
    given = {n: xr.DataArray(v, dims=("part", "y", "x")) for n, v in stacked.items()}
    result = function(**given, dim="part")
    assert result.dims == ("y", "x")
    np.testing.assert_allclose(result.values, expected, rtol=1e-14)
    lazy = function(**{n: v.chunk({"part": 2, "x": 2}) for n, v in given.items()}, dim="part")
    assert lazy.chunks == ((rows,), (2,) * (columns // 2) + (1,) * (columns % 2))
    np.testing.assert_allclose(lazy.values, expected, rtol=1e-14)
    bare = function(**{n: da.from_array(np.moveaxis(v, 0, -1), chunks=2) for n, v in stacked.items()})
    np.testing.assert_allclose(bare.compute(), expected, rtol=1e-14)
    with pytest.raises(InputError, match="name the dimension"):
        function(**given)
    with pytest.raises(InputError, match="not 'step'"):
        function(**given, dim="step")


def test_float32_of_equations_with_axes_of_their_own() -> None:
    random = np.random.default_rng(1)
    separates = (100.0 * random.dirichlet([1.0, 1.0, 1.0], 2000)).astype(np.float32).T
    classes = sediment.sediment_classes(*separates)
    assert classes.dtype == np.float32
    np.testing.assert_allclose(classes, sediment.sediment_classes(*separates.astype(np.float64)), rtol=0.0, atol=1e-6)
    slopes = (60.0 * random.random((500, 5))).astype(np.float32)
    lengths = (3.0 + 190.0 * random.random((500, 5))).astype(np.float32)
    shares, caught = (random.random((500, *own)).astype(np.float32) for own in ((5,), (4, 5)))
    for function, given in ((topography.segmented_ls, (slopes, lengths)), (trapping.class_chain, (shares, caught))):
        ours, true = function(*given), function(*(v.astype(np.float64) for v in given))
        for one, two in zip(parts(ours), parts(true), strict=True):
            assert one.dtype == np.float32
            np.testing.assert_allclose(one, two, rtol=2e-6)


def labelled_slopes(**chunks: int) -> dict[str, object]:
    """Return slopes of 3 segments in a grid of 2 by 2: the first dimension is that of the segments."""
    xr = pytest.importorskip("xarray")
    slope = np.array([[[5.0, 8.0], [2.0, 20.0]], [[10.0, 8.0], [4.0, 9.0]], [[15.0, 8.0], [6.0, 3.0]]])
    length = np.array([[[400 / 3, 50.0], [20.0, 100.0]], [[400 / 3, 25.0], [30.0, 100.0]], [[400 / 3] * 2, [40.0] * 2]])
    place = {"y": [20.0, 10.0], "x": [1.0, 2.0], "segment": ["top", "middle", "toe"]}
    made = {}
    for name, values in (("slope_pct", slope), ("length_ft", length)):
        array = xr.DataArray(values, dims=("segment", "y", "x"), coords=place, attrs={"units": name, "project": "A"})
        array = array.assign_coords(spatial_ref=xr.DataArray(0, attrs={"crs_wkt": "PROJCS[...]"}))
        made[name] = array.chunk(chunks) if chunks else array
    return made


@pytest.mark.parametrize("chunks", [{}, {"segment": 1, "x": 1}])
def test_segments_of_slopes_keep_their_dimension(chunks: dict[str, int]) -> None:
    given = labelled_slopes(**chunks)
    result = equations.segmented_ls(**given, method="usle", dim="segment")
    bare = {n: np.moveaxis(v.values, 0, -1) for n, v in given.items()}
    expected = topography.segmented_ls(**bare, method="usle")
    assert type(result) is topography.SegmentedLS
    assert (result.method, result.ratio, result.hybrid) == ("usle", None, False)
    assert result.LS.dims == ("y", "x")
    assert round(float(result.LS[0, 0]), 3) == 3.502  # the example of the docstring
    for name in ("LS", "contribution", "segment_LS", "S", "m"):
        ours, theirs = getattr(result, name), getattr(expected, name)
        assert bool(ours.chunks) is bool(chunks)
        np.testing.assert_allclose(ours.values, theirs, rtol=1e-14)
        assert ours.name == name
        assert ours.attrs == {"project": "A"}
        assert ours.coords["spatial_ref"].attrs == {"crs_wkt": "PROJCS[...]"}
        if name != "LS":
            assert ours.dims == ("y", "x", "segment")
            assert ours.segment.values.tolist() == ["top", "middle", "toe"]
    with pytest.raises(InputError, match="name the dimension along which slope_pct, length_ft are listed"):
        equations.segmented_ls(**given)


def test_segments_in_bare_dask_and_float32_arrays() -> None:
    da = pytest.importorskip("dask.array")
    given = {n: np.moveaxis(v.values, 0, -1).astype(np.float32) for n, v in labelled_slopes().items()}
    expected = topography.segmented_ls(**given)
    result = equations.segmented_ls(**{n: da.from_array(v, chunks=1) for n, v in given.items()})
    for name in ("LS", "contribution", "segment_LS", "S", "m"):
        ours, theirs = getattr(result, name), getattr(expected, name)
        assert isinstance(ours, da.Array)
        assert ours.dtype == theirs.dtype == np.float32
        np.testing.assert_allclose(ours.compute(), theirs, rtol=1e-6)
    one = topography.segmented_ls(np.array([5.0, 10.0]), np.array([100.0, 100.0]))
    alone = equations.segmented_ls(da.from_array(np.array([5.0, 10.0])), np.array([100.0, 100.0]))
    assert float(alone.LS.compute()) == one.LS
    with pytest.raises(InputError, match="do not broadcast"):
        equations.segmented_ls(da.ones((2, 3)), da.ones((2, 4)))
    with pytest.raises(InputError, match="its last 1 are the equation's own"):
        equations.segmented_ls(da.ones((2, 3)), da.ones(()))


def test_a_chain_of_practices_over_a_raster() -> None:
    xr = pytest.importorskip("xarray")
    da = pytest.importorskip("dask.array")
    random = np.random.default_rng(0)
    shares, caught = random.random((2, 3, 5)), random.random((2, 5))
    expected = trapping.class_chain(shares, caught)
    given = xr.DataArray(shares, dims=("y", "x", "size"), coords={"x": [1, 2, 3], "size": list("abcde")})
    practices = xr.DataArray(caught, dims=("practice", "size"), coords={"size": list("abcde")})
    for efficiencies in (practices, caught):
        for arriving in (given, given.chunk(y=1, size=2), given.transpose("size", "y", "x")):
            trapped, passed = equations.class_chain(arriving, efficiencies, dim=("practice", "size"))
            assert trapped.dims == ("y", "x", "practice", "size")
            assert passed.dims == ("y", "x", "size")
            assert passed.coords["size"].values.tolist() == list("abcde")
            assert bool(trapped.chunks) is bool(arriving.chunks)
            np.testing.assert_allclose(trapped.values, expected[0], rtol=1e-14)
            np.testing.assert_allclose(passed.values, expected[1], rtol=1e-14)
    lazy = equations.class_chain(da.from_array(shares.astype(np.float32), chunks=2), caught.astype(np.float32))
    for ours, theirs in zip(lazy, expected, strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours.compute(), theirs, rtol=1e-6)
    with pytest.raises(InputError, match="name 2 dimensions, of practices and classes"):
        equations.class_chain(given, practices, dim="size")
    with pytest.raises(InputError, match="not 'practice'"):
        equations.class_chain(given, practices.rename(practice="fence"), dim=("practice", "size"))
    with pytest.raises(InputError, match="same coordinates"):
        equations.class_chain(given, practices.assign_coords(size=list("edcba")), dim=("practice", "size"))


def test_particle_classes_are_a_labelled_dimension() -> None:
    xr = pytest.importorskip("xarray")
    da = pytest.importorskip("dask.array")
    sand = np.array([[20.0, 60.0], [np.nan, 5.0]])
    clay = np.array([[20.0, 10.0], [30.0, 50.0]])
    expected = sediment.sediment_classes(sand, 100.0 - sand - clay, clay)
    given = xr.DataArray(sand, dims=("y", "x"), coords={"x": [1, 2]}), xr.DataArray(clay, dims=("y", "x"))
    for one, two in (given, (given[0].chunk(x=1), given[1].chunk(x=1))):
        result = equations.sediment_classes(one, 100.0 - one - two, two)
        assert result.dims == ("y", "x", "particle_class")
        assert result.particle_class.values.tolist() == list(sediment.PARTICLE_CLASSES)
        assert bool(result.chunks) is bool(one.chunks)
        np.testing.assert_allclose(result.values, expected, rtol=1e-14)
    small = result.sel(particle_class="small aggregates")
    assert float(small[0, 0]) == pytest.approx(0.36)  # by hand, as in the docstring
    lazy = equations.sediment_classes(da.from_array(sand), da.from_array(100.0 - sand - clay), clay)
    np.testing.assert_allclose(lazy.compute(), expected, rtol=1e-14)
    with pytest.raises(InputError, match="a dimension 'particle_class', which the result adds"):
        equations.sediment_classes(given[0].rename(x="particle_class"), 60.0, 20.0)


@pytest.mark.parametrize("name", OF_ONE_ZONE)
def test_functions_of_one_zone_take_25_percents_of_any_kind_and_no_raster(name: str) -> None:
    xr = pytest.importorskip("xarray")
    da = pytest.importorskip("dask.array")
    function = getattr(erosivity, name)
    dates = dict.fromkeys(OF_ONE_ZONE[name], dt.date(2026, 5, 16))
    others = {"zone_pct": ZONE_84} if name == "ei_difference" else {}
    expected = function(**PERCENTS, **dates, **others)
    kinds = (np.array(ZONE_84), xr.DataArray(list(ZONE_84), dims="date"), da.from_array(np.array(ZONE_84)))
    for percents in kinds:
        result = function(cumulative_pct=percents, **dates, **others)
        np.testing.assert_equal(result, expected)
    single = function(cumulative_pct=np.array(ZONE_84, dtype=np.float32), **dates, **others)
    np.testing.assert_allclose(flat(single), flat(expected), atol=2e-5)  # of percents rounded to float32
    rasters = (np.zeros((2, 25)), xr.DataArray(np.zeros((25, 2, 2))), da.zeros((25, 2)))
    for raster in rasters:
        with pytest.raises(InputError, match="must be 25 numbers"):
            function(cumulative_pct=raster, **dates, **others)
    days = np.array(["2026-05-16", "2026-05-17"], dtype="datetime64[ns]")
    for many in (days, xr.DataArray(days, dims="x"), da.from_array(days)):
        for date in dates:
            with pytest.raises(InputError, match="must be a single date, not 2 of them"):
                function(**PERCENTS, **(dates | {date: many}))


def flat(result: object) -> np.ndarray:
    """Return the numbers of a result, one after another."""
    values = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(v) for v in values if not isinstance(v, (tuple, dt.date))])


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
    for bound in ("2e-6", "1e-5", "2e-5"):
        assert f"below {bound}" in text
    assert {case.float32_error for case in CASES.values()} <= {5e-7, 2e-6, 5e-6, 1e-5, 2e-5}
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
