import math

import numba
import numpy as np
import pytest
import surface_oracle as oracle

from sedcalc.factors.topography import PROFILE_METHODS, profile_ls
from sedcalc.findings import InputError
from sedcalc.io.rasters import read_grid
from sedcalc.terrain.ls_raster import contour_step, ls_raster
from sedcalc.terrain.routing import ROUTINGS
from sedcalc.terrain.state import FLAT, cell_flag


def steepness(slope):
    """S after McCool et al. (1987)."""
    sin = slope / math.hypot(1, slope)
    return 10.8 * sin + 0.03 if slope < 0.09 else 16.8 * sin - 0.5


def exponent(slope, ratio=1.0):
    """m of Agriculture Handbook 703."""
    sin = slope / math.hypot(1, slope)
    beta = ratio * (sin / 0.0896) / (3 * sin**0.8 + 0.56)
    return beta / (1 + beta)


def uniform(slope, length_m, unit_plot_m=72.6 * 0.3048):
    return steepness(slope) * (length_m / unit_plot_m) ** exponent(slope)


@pytest.mark.parametrize(
    ("formula", "unit", "printed"), [("isotropic", 72.6 * 0.3048, 3.42003), ("desmet-govers", 22.13, 3.41990)]
)
@pytest.mark.parametrize("turns", range(4))
def test_plane_along_an_axis_has_the_ls_of_its_slope(formula, unit, printed, turns):
    """12 %, 100 m, 10 m cells: 3.42003 and 3.41990, the closed form with each unit plot."""
    z = np.rot90(oracle.plane(10, 24, 10.0, 0.12), turns)
    exact = uniform(0.12, 100.0, unit)
    assert exact == pytest.approx(printed, abs=5e-6)
    by_d8 = ls_raster(oracle.as_grid(z, 10.0), routing="d8", ratio="moderate", formula=formula)
    assert by_d8.summary.mean == pytest.approx(exact, rel=1e-9)
    spread = ls_raster(oracle.as_grid(z, 10.0), routing="mfd", ratio="moderate", formula=formula)
    middle = np.rot90(spread.ls.values, -turns)[:, 10:14]  # as far from the sides as the slope is long
    assert middle.mean() == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("method", PROFILE_METHODS)
@pytest.mark.parametrize("slope", [0.5, 2.0, 4.0, 8.99, 9.01, 33.0])
def test_a_plane_has_the_ls_of_its_profile_by_each_method(method, slope):
    """The mean over the cells of a slope is the slope's own LS, whatever its S and m are."""
    z = oracle.plane(10, 5, 10.0, slope / 100)
    result = ls_raster(oracle.as_grid(z, 10.0), routing="d8", method=method)
    expected = profile_ls(slope, 100.0 / 0.3048, method=method)
    assert result.summary.mean == pytest.approx(expected.LS, rel=1e-9)
    np.testing.assert_allclose(result.S, expected.S, rtol=1e-9)
    assert (result.summary.method, result.summary.ratio) == (method, expected.ratio)
    assert ("hybrid-method" in [f.code for f in result.findings]) == expected.hybrid


def strip_error(aspect_deg, slope, cell, length, routing="mfd", formula="isotropic"):
    """Mean LS over a slope of `length` on a plane of any aspect, against the closed form, relative.

    The slope starts at a straight line across the fall, above which there is nodata. Its length on the grid is the
    area of its cells over its width, since a line at an angle runs through cells.
    """
    n = int(length / cell * 3.2) + 8
    y, x = np.mgrid[0:n, 0:n].astype(float)
    a = math.radians(aspect_deg)
    x, y = (x - n / 2) * cell, (y - n / 4) * cell
    down, across = x * math.sin(a) + y * math.cos(a), x * math.cos(a) - y * math.sin(a)
    z = np.where(down < 0, np.nan, 100 - slope * down)
    result = ls_raster(oracle.as_grid(z, cell), routing=routing, ratio="moderate", formula=formula)
    slope_cells = (down >= 0) & (down < length) & (across >= -length / 2) & (across < length / 2)
    on_grid = np.count_nonzero(slope_cells) * cell**2 / length
    unit = 22.13 if formula == "desmet-govers" else 72.6 * 0.3048
    return result.ls.values[slope_cells].mean() / uniform(slope, on_grid, unit) - 1


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("slope", [0.02, 0.0901, 0.15, 0.33])
def test_planes_of_any_aspect_are_within_2_percent(routing, slope):
    errors = [strip_error(aspect, slope, 2.5, 100.0, routing) for aspect in range(0, 46, 5)]
    assert max(map(abs, errors)) < 0.02


def test_d8_falls_short_where_two_neighbours_are_equally_steep():
    """At 22.5 degrees rounding picks one in each cell and ways run together; the documentation says so."""
    assert -0.40 < strip_error(22.5, 0.12, 2.0, 100.0, "d8") < -0.15
    for aspect, routing in ((22.4, "d8"), (22.6, "d8"), (22.5, "dinf"), (22.5, "mfd")):
        assert abs(strip_error(aspect, 0.12, 2.0, 100.0, routing)) < 0.02


@pytest.mark.parametrize(("cell", "length"), [(0.3, 30.0), (1.0, 60.0), (5.0, 150.0), (10.0, 200.0)])
@pytest.mark.parametrize("aspect", [0, 10, 17, 22.5, 27, 35, 45])
def test_planes_in_cells_of_any_size_are_within_2_percent(cell, length, aspect):
    assert abs(strip_error(aspect, 0.15, cell, length)) < 0.02


def test_the_published_form_falls_short_off_the_axes():
    """At 45 degrees about 0.67 of the slope equation's LS by D8 and 0.82 by MFD (known of the published form)."""
    assert 1 + strip_error(45, 0.12, 1.0, 60.0, "d8", "desmet-govers") == pytest.approx(0.68, abs=0.02)
    assert 1 + strip_error(45, 0.12, 1.0, 60.0, "mfd", "desmet-govers") == pytest.approx(0.82, abs=0.02)


@pytest.mark.parametrize("routing", ROUTINGS)
def test_contour_width_makes_area_into_length_on_an_endless_plane(routing):
    """Area grows by the cell for every mean step: far below the top, area over width is the distance downslope."""
    for degrees in (0, 7, 22, 30, 45):  # at 22.5 the direction of D8 is a matter of rounding
        a = math.radians(degrees)
        n = 200
        y, x = np.mgrid[0:n, 0:n].astype(float)
        down = (x - n / 2) * math.sin(a) + (y - n / 4) * math.cos(a)
        z = np.where(down < 0, np.nan, 100 - 0.1 * down)
        area = ls_raster(oracle.as_grid(z), routing=routing).area_in_m2
        across = (x - n / 2) * math.cos(a) - (y - n / 4) * math.sin(a)
        near, far = ((np.abs(down - d) < 8) & (np.abs(across) < 15) for d in (40, 70))
        growth = (area[far].mean() - area[near].mean()) / (down[far].mean() - down[near].mean())
        assert growth * contour_step(a, routing) == pytest.approx(1.0, abs=0.01)


def test_contour_step_of_the_default_by_its_closed_form():
    for degrees in (0, 10, 22.5, 40, 45):
        a = math.radians(degrees)
        assert contour_step(a) == pytest.approx(1 / (math.cos(a) + (math.sqrt(2) - 1) * math.sin(a)), rel=1e-12)


def test_cell_size_does_not_matter():
    means = []
    for cell in (0.5, 1.0, 2.0, 5.0):
        rows, cols = int(60 / cell), int(200 / cell)
        result = ls_raster(oracle.as_grid(oracle.plane(rows, cols, cell, 0.2), cell))
        means.append(result.ls.values[:, int(60 / cell) : int(140 / cell)].mean())
    assert max(means) / min(means) - 1 < 1e-9


@pytest.mark.parametrize("routing", ["mfd", "dinf"])
def test_cone_collects_half_its_radius(routing):
    """On a cone the area above a circle over its circumference is r/2, at every aspect."""
    n = 161
    y, x = np.mgrid[0:n, 0:n] - n // 2
    r = np.hypot(x, y)
    result = ls_raster(oracle.as_grid(100 - 0.2 * r), routing=routing)
    aspect = np.arctan2(x, y)
    width = np.array([1 / contour_step(a, routing) for a in aspect.ravel()]).reshape(n, n)
    length = (result.area_in_m2 + 0.5) / width  # at the middle of the cell
    ring = (r > 40) & (r < 70)
    assert length[ring].mean() / (r[ring] / 2).mean() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("slope", [0.0, 1e-12])
def test_level_ground_has_s_of_0_03_and_no_length_effect(slope):
    for routing in ROUTINGS:
        result = ls_raster(oracle.as_grid(oracle.plane(30, 30, 1.0, slope)), routing=routing)
        np.testing.assert_allclose(result.ls.values, 0.03, rtol=1e-6)
    assert result.summary.flat == (28 * 28 if slope == 0 else 0)


def test_the_step_at_9_percent_is_that_of_the_equations():
    """S 10.8 sin + 0.03 = 0.998 just below 9 %, 16.8 sin - 0.50 = 1.006 at 9 %."""
    below, above = (ls_raster(oracle.as_grid(oracle.plane(9, 40, 1.0, s))).S[4, 20] for s in (0.08999, 0.09001))
    assert below == pytest.approx(0.99798, abs=1e-4)
    assert above == pytest.approx(1.00600, abs=2e-4)


SYMMETRIES = [
    lambda z: np.rot90(z, 1),
    lambda z: np.rot90(z, 2),
    lambda z: np.rot90(z, 3),
    np.fliplr,
    np.flipud,
    np.transpose,
    lambda z: np.rot90(z, 1).T,
]


@pytest.mark.parametrize("turn", SYMMETRIES)
@pytest.mark.parametrize("decimals", [None, 0])
def test_a_turned_surface_has_the_turned_ls(turn, decimals):
    z = oracle.rough(21, 40, 50, decimals=decimals) / 20
    straight = ls_raster(oracle.as_grid(z))
    turned = ls_raster(oracle.as_grid(np.ascontiguousarray(turn(z))))
    np.testing.assert_allclose(turned.ls.values, turn(straight.ls.values), rtol=1e-9)
    np.testing.assert_array_equal(turned.lower_bound, turn(straight.lower_bound))


def test_a_barrier_shortens_the_slope_below_it_and_nothing_above():
    z = oracle.plane(40, 60, 1.0, 0.2)
    fence = np.zeros(z.shape, bool)
    fence[19] = True
    free, fenced = ls_raster(oracle.as_grid(z)), ls_raster(oracle.as_grid(z), barriers=fence)
    assert np.array_equal(fenced.ls.values[:20], free.ls.values[:20])
    assert (fenced.ls.values[20:] < free.ls.values[20:]).all()
    np.testing.assert_allclose(fenced.ls.values[20:, 25:35], free.ls.values[:20, 25:35], rtol=1e-9)
    assert fenced.summary.barriers == 60


def test_sealed_ground_has_ls_0_and_passes_water():
    z = oracle.plane(40, 60, 1.0, 0.2)
    roof = np.zeros(z.shape, bool)
    roof[10:20, 20:40] = True
    free, built = ls_raster(oracle.as_grid(z)), ls_raster(oracle.as_grid(z), sealed=roof)
    assert (built.ls.values[roof] == 0).all()
    assert np.array_equal(built.ls.values[~roof], free.ls.values[~roof])
    assert (built.summary.sealed, built.summary.cells) == (200, 2200)
    assert built.summary.acres_of["sealed"] == pytest.approx(200 / 4046.8564224, rel=1e-12)
    assert "sealed-ground" in {f.code for f in built.findings}


def test_a_wall_sends_water_round_and_leaves_the_slope_as_it_is():
    z = oracle.plane(40, 60, 1.0, 0.2)
    wall = np.zeros(z.shape, bool)
    wall[19, 10:50] = True
    free, walled = ls_raster(oracle.as_grid(z)), ls_raster(oracle.as_grid(z), walls=wall, max_fill_m=None)
    assert np.array_equal(walled.slope, free.slope)
    assert (walled.ls.values[wall] == 0).all()
    assert walled.area_in_m2[20, 12:48].max() < 3.0  # what the wall itself sheds
    assert walled.area_in_m2[20, [8, 9, 50, 51]].sum() > 40 * 19 / 2  # what lies above it goes round both ends
    assert walled.summary.walls == 40


@pytest.mark.parametrize("formula", ["isotropic", "desmet-govers"])
def test_length_is_capped_at_its_limit(formula):
    """Below 1,000 ft = 304.8 m of slope LS stays that of the 10 m that end there."""
    z = oracle.plane(60, 80, 10.0, 0.1)
    capped = ls_raster(oracle.as_grid(z, 10.0), routing="d8", formula=formula)
    free = ls_raster(oracle.as_grid(z, 10.0), routing="d8", formula=formula, max_length_ft=None)
    m, unit = exponent(0.1, 2.0), 22.13 if formula == "desmet-govers" else 72.6 * 0.3048
    last = steepness(0.1) * (304.8 ** (m + 1) - 294.8 ** (m + 1)) / (10 * unit**m)
    np.testing.assert_allclose(capped.ls.values[30:], last, rtol=1e-9)
    assert np.array_equal(capped.ls.values[:30], free.ls.values[:30])
    assert capped.summary.capped == 30 * 80
    # All of the plane drains from its upper border, where there may be more; below the limit more changes nothing.
    assert free.lower_bound.all()
    np.testing.assert_array_equal(capped.lower_bound, np.arange(60)[:, None] * np.ones(80) < 30)
    assert (capped.summary.lower_bound, free.summary.lower_bound) == (30 * 80, 60 * 80)
    assert (np.diff(free.ls.values[:, 40]) > 0).all()
    assert capped.summary.over_400_ft == (60 - 12) * 80  # cells that end beyond 121.92 m


def test_slopes_over_60_percent_have_no_ls_and_are_counted():
    z = np.hstack([oracle.plane(20, 20, 1.0, 0.6), oracle.plane(20, 20, 1.0, 0.61)])
    result = ls_raster(oracle.as_grid(z))
    assert np.isfinite(result.ls.values[:, :19]).all()  # exactly 60 % is within
    assert np.isnan(result.ls.values[:, 21:]).all()
    assert result.summary.over_60_pct == np.count_nonzero(result.too_steep) == np.isnan(result.ls.values).sum()
    codes = {f.code: f.severity for f in result.findings}
    assert codes["slope-over-60-pct"] == "warning"
    assert codes["slope-over-3h-1v"] == "warning"


def test_classes_hold_every_cell_once():
    slopes = [0.01, 0.02001, 0.05001, 0.09001, 0.2001, 0.34]
    z = np.hstack([np.repeat(oracle.plane(12, 1, 2.0, s), 10, axis=1) - 60 * i for i, s in enumerate(slopes)])
    z[:, 9::10] = np.nan
    summary = ls_raster(oracle.as_grid(z, 2.0)).summary
    assert [c.cells for c in summary.classes] == [108] * 6
    assert sum(c.acres for c in summary.classes) == pytest.approx(6 * 108 * 4 / 4046.8564224, rel=1e-12)
    total = sum(c.mean_ls * c.cells for c in summary.classes)
    assert summary.mean == pytest.approx(total / summary.cells, rel=1e-12)


def test_nodata_stays_nodata_and_its_neighbours_keep_the_exact_slope():
    z = oracle.plane(15, 15, 1.0, 0.1, math.radians(30))
    z[5:8, 5:8] = np.nan
    z[0, 3] = np.nan
    result = ls_raster(oracle.as_grid(z))
    assert np.array_equal(np.isnan(result.ls.values), np.isnan(z))
    np.testing.assert_allclose(result.slope[~np.isnan(z)], 0.1, rtol=1e-9)


def test_units_of_map_and_heights_may_differ():
    """The same ground in metres, and on a map in US survey feet with heights in international feet."""
    z = oracle.rough(4, 30, 30) / 10
    metric = ls_raster(oracle.as_grid(z, 2.0))
    us_foot = 1200 / 3937
    side = 2.0 / us_foot
    feet = oracle.grid_from_array(z / 0.3048, (side, 0, 0, 0, -side, 0), xy_unit_m=us_foot, z_unit_m=0.3048)
    np.testing.assert_allclose(ls_raster(feet).ls.values, metric.ls.values, rtol=1e-9)


def test_float32_agrees_with_float64():
    z = (oracle.rough(8, 80, 80) / 20).astype(np.float32)
    single, double = ls_raster(oracle.as_grid(z)), ls_raster(oracle.as_grid(z.astype(np.float64)))
    assert single.ls.values.dtype == np.float32
    np.testing.assert_allclose(single.ls.values, double.ls.values, rtol=1e-6)
    assert single.summary == double.summary


def test_threads_change_no_byte():
    z = (oracle.rough(8, 600, 90, decimals=1) / 20).astype(np.float32)
    before = numba.get_num_threads()
    results = []
    try:
        for threads in (1, numba.config.NUMBA_NUM_THREADS):
            numba.set_num_threads(threads)
            results.append(ls_raster(oracle.as_grid(z)))
    finally:
        numba.set_num_threads(before)
    first, last = results
    assert first.ls.values.tobytes() == last.ls.values.tobytes()
    assert first.summary == last.summary


def test_summary_is_json_and_findings_name_what_was_done():
    import json

    z = oracle.rough(30, 40, 40) / 20
    result = ls_raster(oracle.as_grid(z), max_fill_m=0.05)
    assert json.loads(json.dumps(result.summary.as_dict()))["routing"] == "mfd"
    codes = {f.code for f in result.findings}
    assert {"depressions-kept", "upslope-area-incomplete"} <= codes
    np.testing.assert_allclose(result.L * result.S, result.ls.values, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"ratio": "medium"}, "low, moderate, high"),
        ({"formula": "moore"}, "isotropic, desmet-govers"),
        ({"max_length_ft": 0}, "over 0 ft"),
        ({"max_length_ft": 3.0}, "as long as the slope-length limit"),
        ({"routing": "d16"}, "mfd, mfd-freeman"),
        ({"barriers": np.zeros((3, 3), bool)}, "boolean array"),
        ({"walls": np.zeros((9, 9), np.uint8)}, "walls: give a boolean array"),
    ],
)
def test_wrong_choices_are_named(options, text):
    with pytest.raises(InputError, match=text):
        ls_raster(oracle.as_grid(oracle.plane(9, 9, 1.0, 0.1)), **options)


def test_all_nodata_infinity_and_no_unit_are_refused():
    with pytest.raises(InputError, match="no value in any cell"):
        ls_raster(oracle.as_grid(np.full((4, 4), np.nan)))
    z = oracle.plane(5, 5, 1.0, 0.1)
    z[2, 3] = np.inf
    with pytest.raises(InputError, match="row 2, column 3"):
        ls_raster(oracle.as_grid(z))
    bare = oracle.as_grid(oracle.plane(5, 5, 1.0, 0.1))
    with pytest.raises(InputError, match="unit of the elevations"):
        ls_raster(bare.with_values(bare.values))


def test_slopes_end_in_a_basin_and_pass_over_noise():
    """A basin 1 m deep keeps its walls' slope and takes the flow; a dent of 0.1 m is passed with its area."""
    z = oracle.plane(60, 41, 1.0, 0.1)
    free = ls_raster(oracle.as_grid(z))
    dent, basin = z.copy(), z.copy()
    dent[30, 20] -= 0.25  # 0.1 m below its lowest neighbour, which lies 0.1 * sqrt(2) down the slope at most
    basin[25:32, 15:26] = z[35, 0] - 1.0
    passed = ls_raster(oracle.as_grid(dent))
    assert (passed.summary.pits_filled, passed.summary.pits_kept) == (1, 0)
    assert passed.area_in_m2[-1].sum() == pytest.approx(free.area_in_m2[-1].sum(), rel=1e-12)
    ended = ls_raster(oracle.as_grid(basin))
    assert ended.summary.pits_kept == 1
    caught = free.area_in_m2[-1].sum() - ended.area_in_m2[-1].sum()
    assert caught > 7 * 11 + 25 * 11  # the basin, and what lies straight above it
    assert ended.slope[28, 15] > 0.1
    through = ls_raster(oracle.as_grid(basin), max_fill_m=None)
    assert through.area_in_m2[-1].sum() == pytest.approx(free.area_in_m2[-1].sum(), rel=1e-12)
    assert np.array_equal(through.slope, ended.slope)  # filling is for routing alone


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("aspect", [0, 20, 45, 90])
@pytest.mark.parametrize("cell", [0.3, 1.0, 3.0])
def test_a_plane_at_a_limit_is_in_one_class(dtype, aspect, cell):
    """Elevations are rounded, so a design slope of 20 % comes out a little beside it, cell by cell."""
    for percent, low in ((2.0, 2.0), (5.0, 5.0), (9.0, 9.0), (20.0, 20.0), (100 / 3, 20.0), (60.0, 33.34)):
        z = oracle.plane(40, 40, cell, percent / 100, math.radians(aspect), dtype)
        summary = ls_raster(oracle.as_grid(z, cell)).summary
        assert {c.from_pct: c.cells for c in summary.classes if c.cells} == {low: 1600}


@pytest.mark.parametrize("slope", [1.0, 3.5, 5.0])
def test_a_plane_at_a_step_of_the_usle_has_one_exponent(slope):
    z = oracle.plane(40, 12, 3.0, slope / 100, dtype=np.float32)
    mean = ls_raster(oracle.as_grid(z, 3.0), routing="d8", method="usle").summary.mean
    assert mean == pytest.approx(profile_ls(slope, 120 / 0.3048, method="usle").LS, rel=2e-3)


def mean_ls_of_rectangle(slope, aspect, rows, cols, cell):
    """Mean over a rectangle of the local slope equation, from where the way down enters it."""
    n = 400
    y, x = np.mgrid[0:n, 0:n] + 0.5
    down, across = math.cos(math.radians(aspect)), math.sin(math.radians(aspect))
    with np.errstate(divide="ignore"):
        length = np.minimum(y * rows * cell / n / down, x * cols * cell / n / across)
    m = exponent(slope, 2.0)
    return steepness(slope) * (m + 1) * ((length / (72.6 * 0.3048)) ** m).mean()


@pytest.mark.parametrize("routing", ["mfd", "mfd-freeman", "mfd-quinn", "dinf"])
@pytest.mark.parametrize(("rows", "cols", "cell"), [(30, 20, 1.0), (60, 40, 1.0), (100, 150, 2.0)])
@pytest.mark.parametrize("aspect", [0.0, 2.0, 5.0, 15.0, 30.0, 45.0, 60.0, 88.0])
def test_no_ditch_runs_along_the_border(routing, rows, cols, cell, aspect):
    """Ground that falls out over the edge loses its water there: a rectangle has the LS of its ways down."""
    z = oracle.plane(rows, cols, cell, 0.2, math.radians(aspect))
    mean = ls_raster(oracle.as_grid(z, cell), routing=routing, max_length_ft=None).summary.mean
    assert mean == pytest.approx(mean_ls_of_rectangle(0.2, aspect, rows, cols, cell), rel=0.025)


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("aspect", [0, 6, 20, 45, 60, 80])
def test_ground_beyond_changes_little_above_it(routing, aspect):
    z = oracle.plane(80, 60, 1.0, 0.1, math.radians(aspect))
    cut, whole = (ls_raster(oracle.as_grid(z[:n]), routing=routing).ls.values for n in (60, 80))
    np.testing.assert_allclose(cut[:58], whole[:58], rtol=0.06)
    assert cut[59].mean() == pytest.approx(whole[59].mean(), rel=0.05)
    np.testing.assert_allclose(cut[59], whole[59], rtol=0.3)  # most in the cell of the upper corner


@pytest.mark.parametrize("routing", ["mfd", "d8", "dinf"])
def test_water_goes_round_a_gap(routing):
    """Nodata within the surface is no drain, and houses cut out of it are as walls."""
    z = oracle.plane(120, 100, 1.0, 0.1, math.radians(20)) + np.random.default_rng(2).normal(0, 0.01, (120, 100))
    whole = ls_raster(oracle.as_grid(z), routing=routing).summary.mean
    holes = np.zeros(z.shape, bool)
    holes[np.random.default_rng(1).random(z.shape) < 0.01] = True
    gapped = np.where(holes, np.nan, z)
    gaps = ls_raster(oracle.as_grid(gapped), routing=routing)
    assert gaps.summary.mean == pytest.approx(whole, rel=0.05)
    inside = (holes & ~oracle.outside(gapped)[1:-1, 1:-1]).sum()
    assert f"{inside} cells" in next(f.message for f in gaps.findings if f.code == "nodata-within")
    houses = np.zeros(z.shape, bool)
    for r in range(20, 100, 30):
        for c in range(15, 90, 30):
            houses[r : r + 10, c : c + 14] = True
    cut_out = ls_raster(oracle.as_grid(np.where(houses, np.nan, z)), routing=routing).summary.mean
    walled = ls_raster(oracle.as_grid(z), routing=routing, walls=houses).ls.values[~houses].mean()
    assert cut_out == pytest.approx(walled, rel=0.1)  # a tenth of the land, whose water is missing


def test_the_border_of_a_real_site_is_like_the_ground_inside(shared_data):
    dem = read_grid(shared_data / "terrain" / "lidar_1m" / "dem.tif", z_units="m")
    for routing in ("mfd", "d8", "dinf"):
        ls = ls_raster(dem, routing=routing).ls.values
        rows, cols = np.indices(ls.shape)
        ring = np.minimum(np.minimum(rows, cols), np.minimum(rows[::-1], cols[:, ::-1]))
        edge, inner = (np.nanmean(ls[ring == k]) for k in (0, 2))
        assert edge < 1.25 * inner


@pytest.mark.parametrize("routing", ["mfd", "mfd-freeman", "mfd-quinn"])
@pytest.mark.parametrize("off", [0.0, 10.0, 25.0, 40.0])
def test_a_fence_at_any_angle_raises_no_ls(routing, off):
    """What would slip through between two of its cells ends there; nothing beside gets more for it."""
    z = oracle.plane(60, 60, 1.0, 0.12, math.radians(30))
    fence = np.zeros(z.shape, bool)
    turn = math.radians(-30 + off)
    for t in np.linspace(-25, 25, 500):
        fence[round(30 + t * math.sin(turn)), round(30 + t * math.cos(turn))] = True
    with_fence, without = (
        ls_raster(oracle.as_grid(z), routing=routing, barriers=barriers).ls.values for barriers in (fence, None)
    )
    assert (with_fence <= without * (1 + 1e-12)).all()
    assert (with_fence < 0.9 * without).sum() > 50


def test_counts_are_those_of_the_cells():
    """Every count of the summary against NumPy on the arrays of the result, with every kind of ground at once."""
    rng = np.random.default_rng(7)
    shape = (70, 90)
    z = np.round(oracle.plane(*shape, 2.0, 0.2) + rng.normal(0, 0.6, shape), 1)
    z[20:30, 40:60] = 180.0
    z[rng.random(shape) < 0.05] = np.nan
    barriers, channels, sealed = (rng.random(shape) < share for share in (0.05, 0.04, 0.1))
    result = ls_raster(oracle.as_grid(z, 2.0), barriers=barriers, channels=channels, sealed=sealed)
    s, slope, known = result.summary, result.slope, ~np.isnan(z)
    bare = known & ~channels & ~sealed
    erodes = bare & (slope <= 0.6001)
    paved = known & sealed & ~channels
    assert (s.cells, s.over_60_pct, s.sealed) == (erodes.sum(), (bare & ~erodes).sum(), paved.sum())
    assert (s.channels, s.barriers) == ((known & channels).sum(), (known & barriers).sum())
    assert s.lower_bound == (erodes & result.lower_bound).sum()
    assert s.flat == (erodes & cell_flag(result.state, FLAT)).sum()
    assert min(s.over_60_pct, s.lower_bound, s.flat) > 0
    edges = np.array([0.0, 1.99, 4.99, 8.99, 19.99, 33.34]) / 100  # 0.01 % is rounding; 33.34 % has it already
    in_class = np.bincount(np.searchsorted(edges, slope[erodes], side="right") - 1, minlength=len(edges))
    assert [c.cells for c in s.classes] == in_class.tolist()
    assert (result.ls.values[paved] == 0).all()
    np.testing.assert_array_equal(np.isnan(result.ls.values), ~(erodes | paved))
    assert s.mean == pytest.approx(result.ls.values[erodes].mean(), rel=1e-12)
    assert s.max == result.ls.values[erodes].max()
