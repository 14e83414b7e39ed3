import numba
import numpy as np
import pytest
import surface_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage

from sedcalc.findings import InputError
from sedcalc.terrain.conditioning import drain, with_walls
from sedcalc.terrain.routing import ROUTINGS, route
from sedcalc.terrain.state import FLAT, LEVEL, cell_flag


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("decimals", [None, 0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fill_equals_lowering_from_infinity(seed, decimals, dtype):
    z = oracle.rough(seed, decimals=decimals, dtype=dtype)
    drained = drain(z)
    expected = oracle.filled(z.astype(np.float64))
    assert np.array_equal(drained.elevation, expected.astype(dtype), equal_nan=True)
    raised = expected > z
    assert drained.cells_raised == raised.sum()
    assert drained.max_fill == np.max((expected - z)[raised])
    assert drained.pits_kept == 0


@settings(deadline=None)
@given(
    arrays(
        st.sampled_from([np.float32, np.float64]),
        st.tuples(st.integers(1, 12), st.integers(1, 12)),
        elements=st.sampled_from([*range(6), np.nan]),
    )
)
def test_fill_of_any_surface_equals_a_flood_from_the_border(z):
    """Few elevations, so that plateaus, lakes in lakes and holes of nodata are the rule."""
    drained = drain(z)
    expected = oracle.flooded(z)
    assert np.array_equal(drained.elevation, expected, equal_nan=True)
    groups, n = ndimage.label(expected > z, np.ones((3, 3)))
    assert (drained.pits_filled, drained.pits_kept) == (n, 0)
    assert drained.cells_raised == np.count_nonzero(groups)


def spiral(n):
    """A gutter that winds from the middle of a plateau to its edge, falling all the way, with bumps in it."""
    z = np.full((n, n), 100.0)
    r, c, level = n // 2, n // 2, 0.0
    for leg in range(2, n):
        dr, dc = [(0, 1), (1, 0), (0, -1), (-1, 0)][leg % 4]
        for _ in range(4 * (leg // 2)):
            if not (0 <= r < n and 0 <= c < n):
                return z
            z[r, c] = level + (3.0 if level % 7 == 0 else 0.0)
            r, c, level = r + dr, c + dc, level - 1.0
    return z


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("z", [oracle.rough(99, 300, 120), oracle.rough(98, 300, 120, decimals=0), spiral(300)])
def test_a_large_surface_is_filled_the_same_on_any_number_of_threads(z, threads):
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, before))
    try:
        filled = drain(z).elevation
    finally:
        numba.set_num_threads(before)
    assert np.array_equal(filled, oracle.flooded(z), equal_nan=True)


@pytest.mark.parametrize("seed", range(6))
def test_flats_drain_by_the_shortest_way(seed):
    w = oracle.filled(oracle.rough(seed, decimals=0))
    drained = drain(w)
    level, flat = oracle.flat_levels(w)
    expected = np.zeros(w.shape, bool)
    for r, c in flat:
        expected[r, c] = True
    assert np.array_equal(cell_flag(drained.state, FLAT), expected)
    assert np.array_equal(drained.state & LEVEL, level % 3)


def bowls():
    """Two bowls in a plain: 3 m deep with a dent of 0.2 m in its wall, and 0.5 m deep."""
    z = np.full((20, 40), 10.0)
    z[5:12, 5:12] = 8.0
    z[7:10, 7:10] = 7.0
    z[5, 5] = 7.8
    z[14:16, 30:34] = 9.5
    return z


def test_a_depth_limit_keeps_deep_pits_and_fills_the_rest():
    z = bowls()
    everything = drain(z)
    assert (everything.pits_filled, everything.pits_kept, everything.max_fill) == (2, 0, 3.0)
    limited = drain(z, max_fill=1.0)
    assert limited.pits_kept == 1
    assert limited.pits_filled == 2  # the shallow bowl, and the dent within the deep one
    assert limited.max_fill == 0.5
    expected = z.copy()
    expected[5, 5] = 8.0
    expected[14:16, 30:34] = 10.0
    assert np.array_equal(limited.elevation, expected)


def test_zero_keeps_all_pits():
    z = bowls()
    kept = drain(z, max_fill=0)
    assert np.array_equal(kept.elevation, z)
    assert (kept.pits_filled, kept.cells_raised, kept.pits_kept) == (0, 0, 3)


def test_a_basin_drains_over_the_edge_and_into_nodata_that_reaches_it_but_not_into_a_gap():
    z = np.full((7, 7), 5.0)
    z[3, 3] = np.nan
    z[2, 3] = 1.0
    z[0, 5] = 0.0
    drained = drain(z)
    assert (drained.cells_raised, drained.pits_filled) == (1, 1)
    assert np.argwhere(drained.gaps).tolist() == [[3, 3]]
    assert np.isnan(drained.elevation[3, 3])
    z[4:, 3] = np.nan
    drained = drain(z)
    assert drained.cells_raised == 0
    assert drained.gaps is None


@pytest.mark.parametrize("limit", [-1.0, float("nan")])
def test_a_depth_limit_must_be_a_depth(limit):
    with pytest.raises(InputError, match="depth limit"):
        drain(bowls(), max_fill=limit)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2)])
def test_tiny_surfaces_are_all_border(shape):
    z = np.arange(np.prod(shape), dtype=float).reshape(shape)
    assert np.array_equal(drain(z).elevation, z)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("limit", [0.3, 1.0, 2.0])
def test_a_depth_limit_equals_opening_the_bottoms_one_by_one(seed, limit):
    """Slow version: fill, open the lowest cell of each depression that is too deep, fill all again, until none is."""
    z = oracle.rough(seed, 20, 22)
    opened = []
    while True:
        w = oracle.filled(z, opened)
        groups, n = ndimage.label(w > z, np.ones((3, 3)))
        deep = [np.where(groups == g, z, np.inf) for g in range(1, n + 1) if (w - z)[groups == g].max() > limit]
        if not deep:
            break
        opened += [np.unravel_index(np.argmin(only), z.shape) for only in deep]
    drained = drain(z, max_fill=limit)
    assert np.array_equal(drained.elevation, w, equal_nan=True)
    assert (drained.pits_filled, drained.pits_kept) == (n, len(opened))


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("diagonal", [False, True])
def test_no_water_passes_a_wall_and_none_is_lost(routing, diagonal):
    """A wall across a plane, open at its ends: what lies above it leaves round the ends or over them, not through."""
    z = oracle.plane(30, 31, 1.0, 0.1, np.pi / 4 if diagonal else 0.0)
    wall = np.fliplr(np.eye(30, 31, dtype=bool)) if diagonal else np.zeros(z.shape, bool)
    if not diagonal:
        wall[15] = True
    drained = drain(with_walls(z, wall))
    area = route(drained, 1.0, routing=routing, border="interior").area_in_m2
    row, col = np.indices(z.shape)
    below = row + col == 31 if diagonal else row == 16
    inside = below & (row > 0) & (col > 0) & (row < 29) & (col < 30)
    # Just below, a cell gets what the wall's own cells shed, less than their three cells, and nothing from above.
    assert area[inside].max() < 3.0
    lower = row + col > 32 if diagonal else row > 16
    assert np.array_equal(drained.elevation[lower], z[lower])


def test_walls_close_the_corners_between_their_cells():
    z = oracle.plane(5, 5, 1.0, 0.1)
    wall = np.zeros(z.shape, bool)
    wall[1, 1] = wall[2, 2] = True
    raised = with_walls(z, wall) > z.max()
    assert raised.sum() == 4
    assert raised[1:3, 1:3].all()
    assert not np.isnan(z).any()


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (4,)])
def test_surfaces_without_cells_are_refused(shape):
    with pytest.raises(InputError, match="two dimensions and at least one cell"):
        drain(np.zeros(shape))


def test_infinite_elevations_are_refused():
    with pytest.raises(InputError, match="mark them as nodata"):
        drain(np.array([[1.0, np.inf], [0.0, 2.0]]))
