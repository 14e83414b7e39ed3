"""Slope length and steepness: planes of cells, and what must hold of any slope."""

import importlib
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sedcalc.factors import cell_topography as ct
from sedcalc.factors import topography as tp
from sedcalc.findings import InputError

slopes = st.floats(0.0, 60.0)
lengths = st.floats(15.0, 1000.0)
ratios = st.sampled_from(list(tp.RATIOS))
methods = st.sampled_from(list(tp.PROFILE_METHODS))


def test_jump_of_s_at_9_percent_is_the_published_one() -> None:
    # By hand: sin(atan 0.09) = 0.0896377; 10.8 sin + 0.03 = 0.998087, 16.8 sin - 0.50 = 1.005913.
    assert tp.steepness_factor(np.nextafter(9.0, 0.0)) == pytest.approx(0.998087, abs=5e-7)
    assert tp.steepness_factor(9.0) == pytest.approx(1.005913, abs=5e-7)
    assert tp.steepness_factor(np.array([9.0], np.float32))[0] == pytest.approx(1.005913, abs=1e-6)
    # The length exponent has no jump there.
    below, at = tp.slope_length_exponent(np.array([9.0 - 1e-9, 9.0]))
    assert below == pytest.approx(at, rel=1e-9)


@pytest.mark.parametrize(
    ("slope", "m"),
    [(0.0, 0.2), (0.99, 0.2), (1.0, 0.3), (3.0, 0.3), (3.49, 0.3), (3.5, 0.4), (4.5, 0.4), (4.99, 0.4),
     (5.0, 0.5), (60.0, 0.5)],
)  # fmt: skip
def test_steps_of_the_usle_exponent(slope: float, m: float) -> None:
    # Agriculture Handbook 537: 0.5 from 5 %, 0.4 for 3.5 to 4.5 %, 0.3 for 1 to 3 %, 0.2 below 1 %.
    assert tp.slope_length_exponent(slope, method="ah537") == m
    with_nodata = tp.slope_length_exponent(np.array([slope, np.nan]), method="ah537")
    assert with_nodata[0] == m
    assert np.isnan(with_nodata[1])


def test_steepness_variants_by_hand() -> None:
    # At 100/3 % sin θ = 10^-0.5 = 0.31622777 and sin^0.8 θ = 10^-0.4 = 0.39810717, the rest by calculator.
    slope = 100 / 3
    assert tp.steepness_factor(slope) == pytest.approx(4.812626, abs=1e-6)
    assert tp.steepness_factor(slope, "ah537") == pytest.approx(8.047999, abs=1e-6)
    assert tp.steepness_factor(slope, "nearing") == pytest.approx(5.44104, abs=2e-5)
    assert tp.steepness_factor(slope, "short_slope") == pytest.approx(1.754322, abs=1e-6)


def test_irregular_slope_of_handbook_537() -> None:
    # 400 ft in thirds of 5, 10 and 15 %: 3.502 by Handbook 537's equation, 5.081 by RUSLE, high ratio.
    thirds = np.full(3, 400 / 3)
    pct = np.array([5.0, 10.0, 15.0])
    usle = tp.segmented_ls(pct, thirds, method="usle")
    assert pytest.approx(3.502, abs=5e-4) == usle.LS
    # Handbook 537 prints the weights 0.19, 0.35, 0.46 of three equal segments for m = 0.5.
    weights = usle.contribution / (usle.S * (400 / 72.6) ** usle.m)
    np.testing.assert_allclose(weights, [0.19, 0.35, 0.46], atol=0.005)
    rusle = tp.segmented_ls(pct, thirds)
    assert pytest.approx(5.081, abs=5e-4) == rusle.LS
    assert rusle.contribution.sum() == pytest.approx(rusle.LS, rel=1e-14)
    assert np.mean(rusle.segment_LS) == pytest.approx(rusle.LS, rel=1e-14)


@given(slope=slopes, length=lengths, ratio=ratios, method=methods, cuts=st.lists(st.floats(0.01, 0.99), max_size=5))
def test_cutting_a_uniform_slope_changes_nothing(
    slope: float, length: float, ratio: str, method: str, cuts: list[float]
) -> None:
    pieces = np.diff(np.unique([*cuts, 1.0]), prepend=0.0) * length
    assume(15.0 <= np.cumsum(pieces)[-1] <= 1000.0)
    cut = tp.segmented_ls(np.full(pieces.size, slope), pieces, ratio, method)
    whole = tp.profile_ls(slope, length, ratio, method)
    assert pytest.approx(whole.LS, rel=1e-11) == cut.LS
    assert (cut.method, cut.ratio, cut.hybrid) == (whole.method, whole.ratio, whole.hybrid)


@given(
    pct=st.lists(slopes, min_size=1, max_size=6),
    pieces=st.lists(st.floats(15.0, 160.0), min_size=6, max_size=6),
    ratio=ratios,
    method=methods,
)
def test_segments_against_numerical_integration(pct: list[float], pieces: list[float], ratio: str, method: str) -> None:
    # Independent: the loss at x from the top is S (m+1) (x/72.6)^m, integrated by midpoints.
    pieces = pieces[: len(pct)]
    got = tp.segmented_ls(np.array(pct), np.array(pieces), ratio, method)
    total, top = 0.0, 0.0
    for s, m, piece in zip(got.S, got.m, pieces, strict=True):
        x = top + (np.arange(4000) + 0.5) * piece / 4000
        total += s * (m + 1) * np.mean((x / 72.6) ** m) * piece
        top += piece
    assert pytest.approx(total / top, rel=2e-4) == got.LS


@given(pct=st.permutations([2.0, 7.0, 15.0, 30.0]))
def test_the_steepest_segment_does_most_harm_at_the_foot(pct: list[float]) -> None:
    quarters = np.full(4, 60.0)
    ordered = tp.segmented_ls(np.array([2.0, 7.0, 15.0, 30.0]), quarters).LS
    assert ordered * (1 + 1e-12) >= tp.segmented_ls(np.array(pct), quarters).LS


@given(slope=st.floats(0.1, 59.0), length=lengths, ratio=ratios, method=methods)
def test_longer_and_steeper_slopes_lose_more(slope: float, length: float, ratio: str, method: str) -> None:
    here = tp.profile_ls(slope, length, ratio, method).LS
    assert here <= tp.profile_ls(slope, min(1000.0, length * 1.1), ratio, method).LS
    # On slopes shorter than the unit plot a larger exponent lowers L, and may outweigh the rise of S.
    if length >= tp.LAMBDA0_FT:
        assert here < tp.profile_ls(slope + 1.0, length, ratio, method).LS


@given(slope=slopes, length=st.floats(72.6, 1000.0))
def test_order_of_the_ratios(slope: float, length: float) -> None:
    low, moderate, high = (tp.profile_ls(slope, length, r).LS for r in ("low", "moderate", "high"))
    assert low <= moderate <= high


@given(length=lengths, ratio=ratios)
def test_unit_plot_and_level_ground(length: float, ratio: str) -> None:
    assert tp.profile_ls(12.0, 72.6, ratio).L == 1.0
    level = tp.profile_ls(0.0, length, ratio)
    assert (level.L, level.S, level.m) == (1.0, 0.03, 0.0)


def test_hybrids_are_marked_and_made_of_the_named_parts() -> None:
    for method, (s, m) in tp.PROFILE_METHODS.items():
        got = tp.profile_ls(12, 200, method=method)
        assert got.hybrid is (method not in ("rusle", "usle"))
        assert got.ratio == ("high" if m == "rusle" else None)
        assert tp.steepness_factor(12, s) == got.S
        assert got.m == tp.slope_length_exponent(12, "high", m)
        assert pytest.approx(got.S * tp.slope_length_factor(200, got.m), rel=1e-15) == got.LS


def test_plane_of_cells_telescopes_to_the_slope() -> None:
    # 12 %, moderate ratio, 10 m cells, 100 m along an axis: mean LS 3.42003 (72.6 ft), 3.41990 (22.13 m).
    area = np.arange(10) * 100.0
    default = ct.cell_ls_isotropic(area, 10.0, 12.0, "moderate")
    closed = tp.steepness_factor(12.0) * (100 / 22.12848) ** tp.slope_length_exponent(12.0, "moderate")
    assert default.LS.mean() == pytest.approx(closed, rel=1e-12)
    assert default.LS.mean() == pytest.approx(3.42003, abs=5e-6)
    published = default.S * ct.cell_l_desmet_govers(area, 10.0, np.pi / 2, default.m)
    closed = tp.steepness_factor(12.0) * (100 / 22.13) ** tp.slope_length_exponent(12.0, "moderate")
    assert published.mean() == pytest.approx(closed, rel=1e-9)
    assert published.mean() == pytest.approx(3.41990, abs=5e-6)


@given(n=st.integers(1, 60), width=st.floats(0.5, 5.0), slope=slopes, ratio=ratios)
def test_cells_along_an_axis_are_the_profile(n: int, width: float, slope: float, ratio: str) -> None:
    length_ft = n * width / 0.3048
    assume(15.0 <= length_ft <= 1000.0)
    area = np.arange(n) * width**2
    cells = ct.cell_ls_isotropic(area, width, slope, ratio)
    assert cells.LS.mean() == pytest.approx(tp.profile_ls(slope, length_ft, ratio).LS, rel=1e-11)
    published = ct.cell_l_desmet_govers(area, width, 0.0, cells.m)
    np.testing.assert_allclose(published, cells.L * (22.12848 / 22.13) ** cells.m, rtol=1e-11)


@given(area=st.floats(0.0, 1e7), width=st.floats(0.5, 30.0), slope=slopes, ratio=ratios)
def test_cell_against_numerical_integration(area: float, width: float, slope: float, ratio: str) -> None:
    # Independent: L of the cell is the mean of (m+1) (a/22.12848 m)^m from inlet to outlet, by midpoints.
    got = ct.cell_ls_isotropic(area, width, slope, ratio)
    a = area / width + (np.arange(4000) + 0.5) * width / 4000
    assert pytest.approx(np.mean((got.m + 1) * (a / 22.12848) ** got.m), rel=3e-4) == got.L


def test_kernels_compile_with_numba_to_the_same_numbers() -> None:
    importlib.import_module("sedcalc.terrain.powers")  # gives compiled code its power
    slope = np.array([0.0, 0.001, 0.05, np.nextafter(0.09, 0), 0.09, 0.12, 0.333, 0.6, np.nan])
    area = np.array([0.0, 1.0, 25.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1.0])
    m = tp.kernel_length_exponent(slope, 2.0)
    cases: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
        (tp.kernel_sin, (slope,)),
        (tp.kernel_steepness, (slope,)),
        (tp.kernel_steepness_ah537, (slope,)),
        (tp.kernel_steepness_nearing, (slope,)),
        (tp.kernel_length_exponent, (slope, 2.0)),
        (tp.kernel_length_exponent_ah537, (slope,)),
        (tp.kernel_mean_l, (area, 5.0, m, 22.0)),
        (tp.kernel_cell_l, (area, 5.0, m)),
        (tp.kernel_cell_l_desmet_govers, (area, 5.0, 1.25, m)),
    ]
    for kernel, arguments in cases:
        compiled = numba.njit(kernel)
        rows = zip(*np.broadcast_arrays(*arguments), strict=True)
        scalars = [compiled(*map(float, row)) for row in rows]
        assert {type(x) for x in scalars} == {float}
        # Not bit for bit: compiled powers are within 1e-12 of NumPy's, and the cells subtract powers.
        np.testing.assert_allclose(scalars, kernel(*arguments), rtol=1e-9)


def test_public_functions_are_their_kernels() -> None:
    pct = np.linspace(0, 60, 61)
    np.testing.assert_array_equal(tp.steepness_factor(pct), tp.kernel_steepness(pct / 100))
    np.testing.assert_array_equal(tp.slope_length_exponent(pct, "low"), tp.kernel_length_exponent(pct / 100, 0.5))


def test_float32_stays_and_scalars_are_floats() -> None:
    pct = np.linspace(0.1, 60, 500, dtype=np.float32)
    length = np.linspace(16, 1000, 500, dtype=np.float32)
    wide_pct, wide_length = pct.astype(float), length.astype(float)
    for method in tp.STEEPNESS_METHODS:
        narrow = tp.steepness_factor(pct, method)
        assert narrow.dtype == np.float32
        # Nearing's curve subtracts 1.5 from a little more on flat ground.
        tolerance = 1e-5 if method == "nearing" else 2e-6
        np.testing.assert_allclose(narrow, tp.steepness_factor(wide_pct, method), rtol=tolerance)
    for method in tp.PROFILE_METHODS:
        got = tp.profile_ls(pct, length, method=method)
        assert {got.LS.dtype, got.L.dtype, got.S.dtype, got.m.dtype} == {np.dtype(np.float32)}
        np.testing.assert_allclose(got.m, tp.profile_ls(wide_pct, 100.0, method=method).m, rtol=2e-6)
        np.testing.assert_allclose(got.LS, tp.profile_ls(wide_pct, wide_length, method=method).LS, rtol=1e-5)
    cells = ct.cell_ls_isotropic(np.full(500, 1e6, np.float32), 1.0, pct)
    assert cells.LS.dtype == np.float32
    np.testing.assert_allclose(cells.LS, ct.cell_ls_isotropic(1e6, 1.0, wide_pct).LS, rtol=2e-7)
    one = tp.profile_ls(12, 200)
    assert {type(x) for x in (one.LS, one.L, one.S, one.m)} == {float}
    assert one.short is False
    assert tp.profile_ls(pct[:, None], length).LS.shape == (500, 500)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tp.profile_ls(60.1, 100), r"slope_pct: 60\.1 is outside 0 to 60 %; give the fall"),
        (lambda: tp.profile_ls(-1, 100), "slope_pct: -1"),
        (lambda: tp.profile_ls(float("nan"), 100), "slope_pct: nan"),
        (lambda: tp.profile_ls(5, 1000.5), r"length_ft: 1000\.5 is outside above 0 to 1000 ft; give the hor"),
        (lambda: tp.profile_ls(5, 0), "length_ft: 0"),
        (lambda: tp.profile_ls(5, float("inf")), "length_ft: inf"),
        (lambda: tp.profile_ls("5", 100), "slope_pct: must be numeric"),
        (lambda: tp.profile_ls(5, 100, "medium"), "ratio: 'medium' is unknown; use one of 'low', 'moderate'"),
        (lambda: tp.profile_ls(5, 100, method="mccool"), "method: 'mccool' is unknown"),
        (lambda: tp.steepness_factor(5, "rusle"), "method: 'rusle' is unknown; .*'rusle' elsewhere is 'mccool' here"),
        (
            lambda: tp.slope_length_exponent(5, method="usle"),
            "method: 'usle' is unknown; .*'usle' elsewhere is 'ah537' here",
        ),
        (lambda: tp.slope_length_factor(100, 1.1), r"m: 1\.1"),
        (lambda: tp.profile_ls(np.ones(2), np.ones(3)), r"broadcast: slope_pct \(2,\), length_ft \(3,\)"),
        (lambda: tp.steepness_factor(np.array([1.0, 70, 80])), r"slope_pct: 70 \(at index 1; 2 of 3 values\)"),
        (lambda: tp.segmented_ls(5.0, 100.0), "lists of one length, at least 1"),
        (lambda: tp.segmented_ls(np.ones(0), np.ones(0)), "lists of one length, at least 1"),
        (lambda: tp.segmented_ls(np.ones(3), np.full(3, 400.0)), "total_length_ft: 1200"),
        (lambda: tp.segmented_ls(np.ones(3), np.full(3, 4.0)), "total_length_ft: 12"),
        (lambda: ct.cell_ls_isotropic(-1.0, 10, 5), "area_in_m2: -1"),
        (lambda: ct.cell_ls_isotropic(1.0, 0, 5), "cell_m: 0"),
        (lambda: ct.cell_ls_isotropic(1.0, np.ones(2), 5), "cell_m: must be one number"),
        (lambda: ct.cell_ls_isotropic(1.0, 10, 61), "slope_pct: 61"),
        (lambda: ct.cell_l_desmet_govers(1.0, 10, 90.0, 0.5), "aspect_rad: 90 .*turn degrees into radians"),
        (lambda: ct.cell_l_desmet_govers(1.0, 10, 0.0, 1.5), r"m: 1\.5"),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_nodata_passes_through_arrays() -> None:
    pct = np.array([5.0, np.nan, 12.0])
    for method in tp.PROFILE_METHODS:
        assert np.isnan(tp.profile_ls(pct, 100.0, method=method).LS).tolist() == [False, True, False]
    cells = ct.cell_ls_isotropic(np.array([0.0, 1.0, np.nan]), 10.0, pct)
    assert np.isnan(cells.LS).tolist() == [False, True, True]
