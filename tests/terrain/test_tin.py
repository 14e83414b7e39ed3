"""Surfaces from points and lines, against planes and cones whose elevation is known."""

import numpy as np
import pytest

from sedcalc.findings import InputError
from sedcalc.terrain.tin import surface_of_points


def plane(x, y):
    return 100.0 + 0.03 * x - 0.05 * y


def test_points_of_a_plane_give_the_plane_and_nodata_outside_their_hull():
    rng = np.random.default_rng(3)
    xy = rng.uniform(0, 100, (400, 2)) + np.array([420_000, 4_750_000])
    spots = np.column_stack([xy, plane(*xy.T)])
    surface = surface_of_points(spots, [], 2.0)
    rows, cols = surface.values.shape
    a, _, left, _, e, top = surface.transform
    x = left + (np.arange(cols) + 0.5) * a
    y = top + (np.arange(rows) + 0.5) * e
    known = ~np.isnan(surface.values)
    assert 0.85 < known.mean() < 1.0
    np.testing.assert_allclose(surface.values[known], plane(*np.meshgrid(x, y))[known], rtol=1e-9)
    assert surface.at_points.largest < 1e-4
    assert surface.held_back.largest < 1e-4
    assert surface.held_back.points <= 40
    assert (left % 2.0, top % 2.0) == (0.0, 0.0)


def test_a_breakline_keeps_its_break():
    """A roof with a ridge at y = 50 given by two vertices, and eaves: without the line the ridge would sag."""
    ridge = np.array([[0.0, 50.0, 10.0], [200.0, 50.0, 10.0]])
    eaves = [np.array([[0.0, y, 0.0], [200.0, y, 0.0]]) for y in (0.0, 100.0)]
    surface = surface_of_points(np.empty((0, 3)), [ridge, *eaves], 1.0)
    y = surface.transform[5] - (np.arange(surface.values.shape[0]) + 0.5)
    expected = 10.0 - np.abs(y - 50.0) / 5.0
    np.testing.assert_allclose(surface.values[:, 20:180], np.repeat(expected[:, None], 160, axis=1), atol=1e-9)
    assert surface.held_back is None


def test_contours_alone_cut_the_top_off_and_it_is_counted():
    """A cone by its contours: within the highest one (radius 10) the surface is flat, pi 10^2 cells of 1 m."""
    turn = np.linspace(0, 2 * np.pi, 180)
    rings = [np.column_stack([r * np.cos(turn), r * np.sin(turn), np.full(180, -0.2 * r)]) for r in (10, 20, 30)]
    surface = surface_of_points(np.empty((0, 3)), rings, 1.0)
    assert surface.flat_cells == pytest.approx(np.pi * 100, rel=0.1)
    with_top = surface_of_points(np.array([[0.0, 0.0, 0.0]]), rings, 1.0)
    assert with_top.flat_cells < 10
    rows, cols = surface.values.shape
    y, x = np.mgrid[rows / 2 - 0.5 : -rows / 2 : -1, -cols / 2 + 0.5 : cols / 2]
    cone = -0.2 * np.hypot(x, y)
    known = ~np.isnan(with_top.values)
    assert np.abs(with_top.values - cone)[known].max() < 0.05


def test_a_contour_in_two_pieces_is_as_flat_as_in_one():
    """A closed contour of radius 10 drawn as two half circles: the surface within is flat, pi 10^2 cells of 1 m."""
    turn = np.linspace(0, 2 * np.pi, 181)
    top, foot = (np.column_stack([r * np.cos(turn), r * np.sin(turn), np.full(181, -0.2 * r)]) for r in (10, 20))
    surface = surface_of_points(np.empty((0, 3)), [top[:91], top[90:], foot], 1.0)
    assert surface.flat_cells == pytest.approx(np.pi * 100, rel=0.1)


@pytest.mark.parametrize(
    ("spots", "cell", "text"),
    [
        ([[0, 0, 1], [1, 1, 1]], 1.0, "three places"),
        ([[0, 0, 1], [5, 5, 1], [9, 9, 1]], 1.0, "one line"),
        ([[0, 0, 1], [5, 0, 1], [9, 9, 1], [0, 0, 2]], 1.0, "1 place has two elevations, first x 0, y 0: 1 and 2"),
        ([[0, 0, 1], [5, 0, np.nan], [9, 9, 1]], 1.0, "not a finite"),
        ([[0, 0, 1], [5, 0, 1], [9, 9, 1]], 0.0, "over 0"),
        ([[0, 0, 1], [9e6, 0, 1], [9, 9e6, 1]], 1.0, "GiB"),
    ],
)
def test_what_gives_no_surface(spots, cell, text):
    with pytest.raises(InputError, match=text):
        surface_of_points(np.array(spots, dtype=float), [], cell)


def test_points_given_twice_count_once():
    spots = np.array([[0, 0, 1], [10, 0, 1], [0, 10, 1], [10, 10, 1], [0, 0, 1.0]])
    assert (surface_of_points(spots, [], 5.0).values == 1.0).all()
