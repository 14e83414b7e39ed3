"""Drainage areas: against following each cell's water by the plain definition, and on surfaces with a known answer."""

import numpy as np
import pytest
import surface_oracle as oracle

from sedcalc.findings import InputError
from sedcalc.terrain.catchments import DEPRESSION, EDGE, NODATA, catchments, snap_to_flow
from sedcalc.terrain.conditioning import drain
from sedcalc.terrain.routing import route


def cells(*pairs):
    row, col = np.array(pairs).T
    return row, col


def followed(w, own):
    """First place met from each cell, step by step to the steepest neighbour."""
    (level, flat), out = oracle.flat_levels(w), oracle.outside(w)
    found = np.full(w.shape, NODATA)
    for r, c in np.argwhere(~np.isnan(w)):
        i, j = r, c
        while own[i, j] < 0:
            step = oracle.passed_on(w, out, level, flat, i, j, "d8")
            if not step:
                break
            (k,) = step
            i, j = i + oracle.STEPS[k][0], j + oracle.STEPS[k][1]
        found[r, c] = own[i, j] if own[i, j] >= 0 else EDGE
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("decimals", [None, 0])
def test_each_cell_belongs_to_the_first_place_its_water_meets(seed, decimals):
    z = oracle.rough(seed, 25, 30, decimals=decimals)
    rng = np.random.default_rng(seed + 100)
    drained = drain(z)
    own = np.full(z.shape, -1)
    places = {}
    for name in "abcd":
        row, col = rng.integers(10, 24), rng.integers(2, 25)
        line = [(row, col + i) for i in range(4) if own[row, col + i] < 0 and not np.isnan(z[row, col + i])]
        places[name] = cells(*line)
        own[places[name]] = len(places) - 1
    found = catchments(drained, 2.0, places)
    assert np.array_equal(found.index, followed(drained.elevation, own))
    n = [int((found.index == k).sum()) for k in range(4)]
    assert [p.cells for p in found.places] == n
    whole = sum(p.acres for p in found.places) + found.edge_acres
    assert whole == pytest.approx(np.count_nonzero(~np.isnan(z)) * 4.0 / 4046.8564224, rel=1e-12)


def test_points_one_below_the_other_on_a_plane():
    """On a plane each column drains down: 12 cells to the upper point, 8 more to the lower, which passes both on."""
    found = catchments(drain(oracle.plane(30, 9, 1.0, 0.1)), 1.0, {"low": cells((19, 4)), "high": cells((11, 4))})
    low, high = found.places
    assert (high.cells, low.cells) == (12, 8)
    assert (high.downstream, high.downstream_share, low.downstream) == ("low", 1.0, None)
    assert low.acres_with_upstream == pytest.approx(20 / 4046.8564224, rel=1e-12)
    assert found.mask("low").sum() == 20
    assert found.mask("low", upstream=False).sum() == 8
    assert (found.index[:, 3] == EDGE).all()


def test_a_line_takes_all_that_crosses_it_and_says_where_most_goes_on():
    fence = cells(*[(10, c) for c in range(2, 7)])
    places = {"fence": fence, "inlet": cells((20, 2)), "pond": cells(*[(20, c) for c in (4, 5, 6)])}
    found = catchments(drain(oracle.plane(30, 9, 1.0, 0.1)), 1.0, places)
    assert found.places[0].cells == 5 * 11
    assert found.places[0].downstream == "pond"
    assert found.places[0].downstream_share == pytest.approx(3 / 5)


def test_water_in_a_kept_depression_is_said_to_end_there():
    z = oracle.plane(20, 20, 1.0, 0.1)
    z[8:12, 8:12] -= 3.0
    places = {"out": cells((19, 10))}
    kept = catchments(drain(z, max_fill=0.2), 1.0, places)
    assert kept.depression_acres > 16 / 4046.8564224
    assert (kept.index[8:12, 8:12] == DEPRESSION).all()
    filled = catchments(drain(z), 1.0, places)
    assert filled.depression_acres == 0.0


def test_points_move_to_the_flow_within_their_distance():
    x = np.abs(np.arange(-15, 16.0))
    z = 50 + 0.2 * x[None, :] - 0.02 * np.arange(40.0)[:, None]
    area = route(drain(z), 1.0, routing="d8").area_in_m2
    assert snap_to_flow(area, 20, 17, 2.0) == (20, 15, 2.0)
    assert snap_to_flow(area, 20, 17, 0.0) == (20, 17, 0.0)
    row, col, away = snap_to_flow(area, 20, 17, 3.0)  # further down the valley there is more
    assert (col, away) == (15, pytest.approx(np.hypot(row - 20, 2)))
    assert row == 22
    assert snap_to_flow(np.full((3, 3), np.nan), 1, 1, 1.0) == (1, 1, 0.0)


@pytest.mark.parametrize(
    ("places", "text"),
    [
        ({}, "at least one outfall"),
        ({"a": cells((0, 0)), "b": cells((0, 0))}, "same cell"),
        ({"a": (np.array([], int), np.array([], int))}, "no cell with an elevation"),
    ],
)
def test_wrong_places_are_named(places, text):
    with pytest.raises(InputError, match=text):
        catchments(drain(oracle.plane(5, 5, 1.0, 0.1)), 1.0, places)


def test_places_that_pass_water_to_each_other_are_refused():
    """a's upper cell drains to b, and b to a's lower cell, a pit that passes nothing on."""
    z = oracle.plane(40, 5, 1.0, 0.1)
    z[25, 2] -= 5.0
    with pytest.raises(InputError, match="to each other"):
        catchments(drain(z, max_fill=0), 1.0, {"a": cells((5, 2), (25, 2)), "b": cells((15, 2))})


def test_a_gap_in_the_bottom_of_a_valley_takes_no_water():
    """The valley's cell is missing, so that water gathers above the gap, rises and goes round it, as round a wall."""
    z = 50 + 0.1 * np.abs(np.arange(-20.0, 21.0))[None, :] - 0.03 * np.arange(60.0)[:, None]
    outfall = {"out": cells((58, 20))}
    whole = catchments(drain(z), 1.0, outfall).places[0].cells
    for gap in (np.s_[30, 20], np.s_[30, 19:22], np.s_[28:33, 18:23]):
        holed = z.copy()
        holed[gap] = np.nan
        found = catchments(drain(holed), 1.0, outfall)
        assert found.places[0].cells == whole - np.isnan(holed).sum()
