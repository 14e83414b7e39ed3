import numpy as np
import pytest

from sedcalc.findings import InputError
from sedcalc.terrain.conditioning import drain
from sedcalc.terrain.grid import Grid, check_shape, grid_from_array, require_same_cells

NORTH_UP = (10.0, 0.0, 500.0, 0.0, -10.0, 900.0)


def grid(values=None, transform=NORTH_UP, crs="EPSG:26916", xy_unit_m=1.0):
    return Grid(np.zeros((4, 6)) if values is None else values, transform, crs, xy_unit_m)


def code(error):
    return [f.code for f in error.value.findings]


def test_areas_use_the_unit_of_the_crs():
    feet = grid(xy_unit_m=0.3048)
    assert feet.cell_m == pytest.approx(3.048, rel=1e-15)
    # 10 ft x 10 ft = 100 of the 43,560 ft2 of an acre
    assert feet.cell_acres == pytest.approx(100 / 43_560, rel=1e-14)
    assert feet.bounds == (500.0, 860.0, 560.0, 900.0)


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ((10.0, 1.0, 0.0, 0.0, -10.0, 0.0), "grid-rotated"),
        ((10.0, 0.0, 0.0, 0.0, -12.0, 0.0), "grid-not-square"),
        ((-10.0, 0.0, 0.0, 0.0, -10.0, 0.0), "grid-mirrored"),
        ((10.0, 0.0, 0.0, 0.0, 10.0, 0.0), "grid-not-north-up"),
    ],
)
def test_cells_that_are_not_north_up_and_square_are_refused(transform, expected):
    with pytest.raises(InputError) as error:
        grid(transform=transform)
    assert code(error) == [expected]


def test_rows_from_south_to_north_are_turned_over():
    z = np.arange(12.0).reshape(3, 4)
    turned = grid_from_array(z, (5, 0, 100, 0, 5, 200), "EPSG:26916", xy_unit_m=1.0)
    assert turned.transform == (5.0, 0.0, 100.0, 0.0, -5.0, 215.0)
    assert np.array_equal(turned.values, z[::-1])


def test_masked_and_integer_cells_become_nan_and_float():
    z = np.ma.masked_equal(np.array([[1, -9999], [3, 4]], dtype=np.int16), -9999)
    values = grid_from_array(z, NORTH_UP, xy_unit_m=1.0).values
    assert values.dtype == np.float64
    assert np.isnan(values[0, 1])
    assert values[1, 1] == 4.0


def test_2_to_the_31_cells_are_refused_with_the_memory_they_need():
    with pytest.raises(InputError, match="86 GiB"):  # 2^31 cells of 40 bytes are 80 GiB; 48,000^2 are 85.8
        check_shape((48_000, 48_000))
    check_shape((46_340, 46_340))  # 46,340^2 is the largest square below 2^31
    cells = grid(np.broadcast_to(np.float32(1.0), (48_000, 48_000)))  # as such it is a grid
    assert cells.bounds == (500.0, 900.0 - 480_000.0, 500.0 + 480_000.0, 900.0)
    with pytest.raises(InputError, match="86 GiB"):
        drain(cells.values)


def test_grids_half_a_cell_apart_are_told_so():
    other = grid(transform=(10.0, 0.0, 505.0, 0.0, -10.0, 900.0))
    assert grid().geometry_differences(other) == ["upper left corner off by +0.5 cells in x"]
    with pytest.raises(InputError, match=r"K raster.*0\.5 cells in x.*gdalwarp.*-te 500 860 560 900 -ts 6 4"):
        require_same_cells(grid(), other, "K raster")


def test_every_difference_is_named_at_once():
    other = grid(np.zeros((3, 6)), (20.0, 0.0, 500.0, 0.0, -20.0, 910.0), crs="EPSG:3071")
    assert grid().geometry_differences(other) == [
        "CRS EPSG:3071, not EPSG:26916",
        "cells of 20, not 10 (units of the CRS)",
        "3 rows x 6 columns, not 4 x 6",
        "upper left corner off by +1 cell in y",
    ]
    assert grid().geometry_differences(grid()) == []
