import numba
import numpy as np
import pytest
import surface_oracle as oracle

from sedcalc.findings import InputError
from sedcalc.terrain.conditioning import drain
from sedcalc.terrain.routing import ROUTINGS, route
from sedcalc.terrain.state import BARRIER, BORDER, CHANNEL, LOWER_BOUND, LOWER_BOUND_SHARE, cell_flag


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("decimals", [None, 0])
def test_areas_equal_those_added_up_cell_by_cell(routing, seed, decimals):
    z = oracle.rough(seed, decimals=decimals)
    routed = route(drain(z), 2.0, routing=routing)
    expected = oracle.area_in(oracle.filled(z), routing, cell_area=4.0)
    np.testing.assert_allclose(routed.area_in_m2, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("routing", ["mfd", "d8"])
def test_borders_as_outlets_by_name(routing):
    z = oracle.rough(5)
    routed = route(drain(z), 1.0, routing=routing, border="outlets")
    expected = oracle.area_in(oracle.filled(z), routing, outlets=True)
    np.testing.assert_allclose(routed.area_in_m2, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("routing", ROUTINGS)
def test_all_area_reaches_an_outlet(routing):
    """What leaves over the border is the area of all cells: nothing is lost in flats or at nodata."""
    z = oracle.rough(11, 60, 70, decimals=0)
    drained = drain(z)
    routed = route(drained, 3.0, routing=routing)
    w = drained.elevation
    (level, flat), out = oracle.flat_levels(w), oracle.outside(w)
    leaves = 0.0
    for r, c in np.argwhere(~np.isnan(w)):
        kept = sum(oracle.passed_on(w, out, level, flat, r, c, routing).values())
        leaves += (1.0 - kept) * (routed.area_in_m2[r, c] + 9.0)
        assert kept == pytest.approx(1.0) or cell_flag(drained.state, BORDER)[r, c]
    assert leaves == pytest.approx(9.0 * np.count_nonzero(~np.isnan(z)), rel=1e-12)


def test_areas_stay_exact_past_2_to_the_24():
    n = 2**24 + 4
    z = np.arange(n, 0, -1, dtype=np.float64).reshape(1, n)
    area = route(drain(z), 1.0, routing="d8").area_in_m2
    assert area[0, -1] == n - 1  # a float32 sum stops at 16,777,216
    assert area[0, 2**24 + 1] == 2**24 + 1


def test_barriers_pass_nothing_on_and_do_not_leak_at_corners():
    z = oracle.plane(12, 12, 1.0, 0.1, np.pi / 4)
    fence = np.fliplr(np.eye(12, dtype=bool))  # touches only at corners, across the slope
    for routing in ROUTINGS:
        routed = route(drain(z), 1.0, routing=routing, barriers=fence)
        row, col = np.indices(z.shape)
        above = (row + col) < 11
        whole = route(drain(z), 1.0, routing=routing)
        assert np.array_equal(routed.area_in_m2[above], whole.area_in_m2[above])
        first_below = (row + col) == 12
        assert (routed.area_in_m2[first_below] == 0).all()
        assert np.array_equal(cell_flag(routed.state, BARRIER), fence)


def valley(rows=40, half=15, side=0.2, along=0.02):
    x = np.arange(-half, half + 1.0)
    return 50 + side * np.abs(x)[None, :] - along * np.arange(rows, dtype=float)[:, None]


def test_v_valley_collects_the_area_of_whole_rows():
    """Side slopes steeper than 2.414 times the valley drain straight to it by D8: row j passes 31 (j+1) cells on."""
    area = route(drain(valley()), 2.0, routing="d8").area_in_m2
    j = np.arange(40)
    np.testing.assert_array_equal(area[:, 15], 4.0 * (31 * (j + 1) - 1))


def test_a_channel_by_area_starts_at_the_threshold_and_goes_on_alone():
    z = valley()
    for routing in ("d8", "mfd"):
        routed = route(drain(z), 1.0, routing=routing, channel_threshold_m2=93.0)
        expected = np.zeros(z.shape, bool)
        expected[:, 15] = routed.area_in_m2[:, 15] + 1 >= 93.0
        assert np.array_equal(cell_flag(routed.state, CHANNEL), expected)
        assert expected[3:, 15].all()
    # 3 rows of 31 cells are 93 m2
    assert cell_flag(route(drain(z), 1.0, routing="d8", channel_threshold_m2=93.0).state, CHANNEL)[2, 15]


def test_known_channels_take_all_that_enters():
    z = oracle.plane(20, 9, 1.0, 0.1)
    ditch = np.zeros(z.shape, bool)
    ditch[10] = True
    routed = route(drain(z), 1.0, channels=ditch)
    assert (routed.area_in_m2[11] == 0).all()
    assert np.array_equal(routed.channels, ditch)


def test_lower_bounds_are_what_the_border_drains_to():
    y, x = np.mgrid[-20:21, -20:21].astype(float)
    hill = -np.hypot(x, y)
    bound = route(drain(hill), 1.0).lower_bound
    edge = oracle.border(hill)
    assert np.array_equal(bound, edge)  # water runs outwards: only the border itself may get more
    bowl = drain(-hill, max_fill=0)
    assert route(bowl, 1.0, routing="d8").lower_bound[20, 20]  # the bottom of a bowl gets water from the border


@pytest.mark.parametrize("routing", ["mfd", "d8"])
def test_share_through_the_border_is_that_of_a_source_there(routing):
    """Area is linear in what enters: with the border's inflow as another source, the same routing carries its share."""
    z = oracle.rough(7, 22, 26, decimals=None)
    drained = drain(z)
    routed = route(drained, 1.0, routing=routing)
    w = drained.elevation
    (level, flat), out = oracle.flat_levels(w), oracle.outside(w)
    edge = oracle.border(w)
    order = sorted(map(tuple, np.argwhere(~np.isnan(w))), key=lambda rc: (-w[rc], -level[rc]))
    area, through = np.zeros(w.shape), np.zeros(w.shape)
    for r, c in order:
        if edge[r, c]:
            through[r, c] = area[r, c] + 1.0
        for k, share in oracle.passed_on(w, out, level, flat, r, c, routing).items():
            i, j = r + oracle.STEPS[k][0], c + oracle.STEPS[k][1]
            area[i, j] += share * (area[r, c] + 1.0)
            through[i, j] += share * through[r, c]
    np.testing.assert_allclose(routed.through_border_m2, through, rtol=1e-5, atol=1e-6)
    share = through / (area + 1.0)
    clear = np.abs(share - LOWER_BOUND_SHARE) > 1e-5
    assert np.array_equal(routed.lower_bound[clear], (share >= LOWER_BOUND_SHARE)[clear])
    assert np.count_nonzero(routed.lower_bound & ~edge) > 0


def test_a_vanishing_share_of_the_border_does_not_spread():
    """From the crest of a roof, tilted along it, MFD reaches far from the upper gable; the share there is under 1 %."""
    y, x = np.mgrid[0:61, 0:200].astype(float)
    routed = route(drain(100 - 0.1 * np.abs(y - 30) - 0.02 * x), 1.0)
    inside = np.s_[1:-1, 1:150]  # the lower gable has a border of its own
    reached = np.flatnonzero((routed.through_border_m2[inside] > 0).any(axis=0)).max()
    flagged = np.flatnonzero(routed.lower_bound[inside].any(axis=0)).max()
    assert routed.lower_bound[:, 0].all()
    assert flagged < reached
    assert flagged < 60


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_change_nothing(threads):
    z = oracle.rough(3, 700, 300, decimals=1, dtype=np.float32)
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        one = route(drain(z), 1.0)
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        more = route(drain(z), 1.0)
    finally:
        numba.set_num_threads(before)
    assert one.area_in_m2.tobytes() == more.area_in_m2.tobytes()
    assert one.state.tobytes() == more.state.tobytes()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"routing": "rho8"}, "mfd, mfd-freeman"),
        ({"border": "open"}, "'interior' or 'outlets'"),
        ({"channel_threshold_m2": 0.0}, "over 0 m2"),
        ({"barriers": np.zeros((2, 2), bool)}, "boolean array of"),
        ({"channels": np.zeros((14, 17), np.uint8)}, "not uint8"),
    ],
)
def test_wrong_choices_are_named(options, text):
    with pytest.raises(InputError, match=text):
        route(drain(oracle.rough(1)), 1.0, **options)


def test_the_input_is_not_changed():
    z = oracle.rough(2)
    copy = z.copy()
    drained = drain(z)
    state = drained.state.copy()
    route(drained, 1.0)
    assert np.array_equal(z, copy, equal_nan=True)
    assert np.array_equal(drained.state, state)
    assert not cell_flag(state, LOWER_BOUND).any()


@pytest.mark.parametrize("routing", ROUTINGS)
def test_nodata_is_no_channel_at_any_threshold(routing):
    z = oracle.rough(3)
    routed = route(drain(z), 1.0, routing=routing, channel_threshold_m2=0.5)  # less than a cell
    assert np.array_equal(routed.channels, ~np.isnan(z))
    assert np.array_equal(np.isnan(routed.area_in_m2), np.isnan(z))
