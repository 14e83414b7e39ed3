"""Sums over cells, and what is said of cells: each against plain NumPy or a count by hand."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from sedcalc.factors.rusle import soil_loss
from sedcalc.findings import InputError
from sedcalc.io.cover_table import parse_cover_table
from sedcalc.load import zonal
from sedcalc.load.cell_checks import (
    SlopeCheck,
    UnitCells,
    beyond_cover_limit,
    k_zero,
    missing_values,
    out_of_range,
)
from sedcalc.load.land_cover import codes_without_c, land_cover_classes
from sedcalc.load.zonal import class_values, combine, zonal_count, zonal_sum

HEADER = "code,cover,C,source\n"


@pytest.fixture(params=[1 << 18, 40], ids=["one block", "many blocks"])
def block_cells(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    cells: int = request.param
    monkeypatch.setattr(zonal, "_BLOCK_CELLS", cells)
    return cells


def random_pieces(rows: int, cols: int, count: int, seed: int) -> NDArray[np.int32]:
    return np.random.default_rng(seed).integers(-1, count, (rows, cols)).astype(np.int32)


def units(codes: list[list[int]]) -> UnitCells:
    return UnitCells(np.array(codes, dtype=np.int32), ("lots", "street", "meadow"), cell_acres=0.25)


@pytest.mark.usefixtures("block_cells")
def test_sums_of_products_are_those_of_a_loop_over_the_cells() -> None:
    rng = np.random.default_rng(5)
    piece = random_pieces(17, 11, 4, seed=6)
    r = rng.uniform(90, 130, piece.shape).astype(np.float32)
    ls = rng.uniform(0.03, 20, piece.shape)
    ls[3, 4] = np.nan
    soil = rng.integers(0, 3, piece.shape).astype(np.int16)
    k = class_values(soil, [0.2, 0.31, 0.44])
    expected = np.zeros(4)
    for i in range(17):
        for j in range(11):
            if piece[i, j] >= 0 and not math.isnan(ls[i, j]):
                one = soil_loss(float(r[i, j]), [0.2, 0.31, 0.44][soil[i, j]], float(ls[i, j]), 0.05, 0.9)
                expected[piece[i, j]] += float(one)
    assert zonal_sum(piece, 4, r, k, ls, 0.05, 0.9) == pytest.approx(expected, rel=1e-13)
    assert zonal_sum(piece, 4).tolist() == [float((piece == z).sum()) for z in range(4)]
    missing = zonal_count(piece, 4, np.isnan, ls)
    assert missing.tolist() == [int(piece[3, 4] == z) for z in range(4)]


def test_sums_do_not_depend_on_numbers_of_float32() -> None:
    # 2^24 + 1 ones added up in float32 stay at 2^24.
    piece = np.zeros((4097, 4097), dtype=np.int32)
    ones = np.ones(piece.shape, dtype=np.float32)
    assert zonal_sum(piece, 1, ones).tolist() == [4097.0**2]


@pytest.mark.usefixtures("block_cells")
def test_pairs_of_codes_are_numbered_in_order() -> None:
    unit = random_pieces(13, 9, 3, seed=1)
    soil = random_pieces(13, 9, 5, seed=2)
    pair, first, second = combine(unit, soil, 5)
    there = (unit >= 0) & (soil >= 0)
    expected = sorted(set(zip(unit[there].tolist(), soil[there].tolist(), strict=True)))
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected
    assert (first[pair[there]] == unit[there]).all()
    assert (second[pair[there]] == soil[there]).all()
    assert (pair[~there] == -1).all()


def test_no_common_cell_gives_no_pairs() -> None:
    none = np.full((2, 2), -1, dtype=np.int32)
    pair, first, second = combine(none, np.zeros((2, 2), dtype=np.int32), 3)
    assert (pair == -1).all()
    assert len(first) == len(second) == 0


def test_missing_values_are_told_in_acres_for_the_units_that_need_them() -> None:
    cells = units([[0, 0, 1], [2, -1, 1]])
    raster = np.array([[np.nan, 1, np.nan], [np.nan, np.nan, 1]])
    (finding,) = missing_values(cells, {0, 1}, raster, "the K raster", "grid.K")
    assert finding.code == "cells-without-value"
    assert finding.severity == "error"
    assert "0.5 acres of ground units 'lots', 'street' (2 cells)" in finding.message  # not the meadow, not outside
    assert missing_values(cells, {1}, np.zeros((2, 3)), "the K raster", "grid.K") == []


def test_values_out_of_range_name_the_first_and_their_number() -> None:
    cells = units([[0, 0, 1], [2, -1, 1]])
    raster = np.array([[0.1, 0.9, 0.2], [-0.4, 7.0, np.nan]])
    (finding,) = out_of_range(cells, raster, 0.0, 0.75, "K", "grid.K")
    assert "2 cells (0.5 acres) of the site, first 0.9" in finding.message  # 7.0 lies outside the site
    assert finding.where == "grid.K"


def test_k_of_zero_is_reported_outside_water_only() -> None:
    cells = units([[0, 0, 0, 0]])
    k = np.array([[0.0, 0.0, 0.3, 0.0]])
    c = np.array([[0.0, 0.01, 1.0, 1.0]])
    (finding,) = k_zero(cells, k, [(0, c)], "grid.K")
    assert (finding.code, finding.severity) == ("K-zero", "warning")
    assert finding.message.startswith("K = 0 outside water: 0.5 acres of ground unit 'lots' (2 cells)")
    assert k_zero(cells, k, [(0, 0.0)], "grid.K") == []
    assert k_zero(cells, k, [(1, 1.0)], "grid.K") == []


def test_slopes_of_disturbed_ground_over_all_its_surfaces() -> None:
    cells = units([[0, 0, 0, 0, 1, 2]])
    check = SlopeCheck(cells)
    ls = np.ones((1, 6))
    check.add(np.array([[0.10, 0.20, 0.19, 0.3333, 0.10, 0.50]]), ls, {0, 1})
    check.add(np.array([[0.10, 0.10, 0.25, 0.10, 0.40, 0.50]]), ls, {0, 1})
    steep, from_20 = check.findings({0, 1})
    # Over 3H:1V: one cell of the street of five disturbed cells; 33.33 % is 3H:1V itself. 20 % and more: four cells.
    assert steep.code == "over-3-to-1"
    assert "0.25 acres (20.0% of the disturbed ground)" in steep.message
    assert from_20.code == "slopes-20-percent"
    assert from_20.severity == "note"
    assert "1 acres of ground units 'lots', 'street' (4 cells)" in from_20.message


def test_disturbed_ground_without_ls_is_over_the_limit() -> None:
    cells = units([[0, 1, 2]])
    check = SlopeCheck(cells)
    check.add(np.array([[0.61, 0.1, 0.7]]), np.array([[np.nan, 1.0, np.nan]]), {0, 1})
    error = check.findings({0, 1})[0]
    assert (error.code, error.severity) == ("slope-over-limit", "error")
    assert "0.25 acres of ground unit 'lots' (1 cell) are steeper than 60 %" in error.message


def test_covers_on_steeper_slopes_than_their_source_allows() -> None:
    cells = units([[0, 0, 1]])
    slope = np.array([[0.5, 0.51, 0.9]])
    (finding,) = beyond_cover_limit(cells, slope, 0, 50.0, "hay mulch 2.0 t/ac", "phases[0].cover")
    assert "0.25 acres of ground unit 'lots' (1 cell)" in finding.message


def test_c_by_land_cover_code() -> None:
    table = parse_cover_table((HEADER + "11,water,0,NOAA\n42,forest,0.004,NOAA\n").encode(), "cover.table")
    assert table == {11: (0.0, "NOAA"), 42: (0.004, "NOAA")}
    codes = np.array([[42, 11, np.nan], [42, 71, 71]])
    classes, known = land_cover_classes(codes, table, "cover.land_cover")
    assert known.tolist() == [11, 42, 71]
    c = zonal.in_block(classes, slice(0, 2))
    assert np.array_equal(c, [[0.004, 0.0, np.nan], [0.004, np.nan, np.nan]], equal_nan=True)
    cells = units([[0, 0, 0], [1, 1, -1]])
    (finding,) = codes_without_c(cells, {0, 1}, classes, known, "cover.table", "nlcd.csv")
    assert finding.code == "land-cover-without-C"
    assert "nlcd.csv has no C for land-cover code 71 (0.25 acres)" in finding.message  # one cell lies outside
    assert codes_without_c(cells, {0}, classes, known, "cover.table", "nlcd.csv") == []


def test_every_mistake_of_a_cover_table_at_once() -> None:
    rows = "11,water,0,NOAA\n11,water,0,NOAA\nx,forest,0.1,NOAA\n42,forest,1.6,NOAA\n52,shrub,nan,NOAA\n71,grass,0.1,\n"
    with pytest.raises(InputError) as caught:
        parse_cover_table((HEADER + rows).encode(), "phases[0].cover.table")
    codes = [f.code for f in caught.value.findings]
    assert sorted(codes) == [
        "C-out-of-range",
        "C-out-of-range",
        "bad-land-cover-code",
        "duplicate-code",
        "missing-source",
    ]
    assert "row 3: code 11" in str(caught.value)
    assert {f.where for f in caught.value.findings} == {"phases[0].cover.table"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"code,C\n1,0.1\n", "missing-column"),
        (b"", "missing-column"),
        (b"\xff\xfe\x00code", "not-a-table"),
    ],
)
def test_files_that_are_no_cover_table(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_cover_table(data, "phases[0].cover.table")
    assert [f.code for f in caught.value.findings] == [code]


def test_land_cover_codes_are_whole_numbers() -> None:
    with pytest.raises(InputError, match=r"the raster holds 1\.5"):
        land_cover_classes(np.array([[1.0, 1.5]]), {1: (0.1, "x")}, "cover.land_cover")
