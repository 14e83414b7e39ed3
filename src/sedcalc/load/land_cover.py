"""C from a raster of land-cover codes and a table of C by code."""

import math
from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import Finding, input_error
from sedcalc.limits import refuse_over
from sedcalc.load.cell_checks import UnitCells, listed
from sedcalc.load.ground import ClassValues
from sedcalc.load.zonal import blocks, class_values, combine, zonal_sum
from sedcalc.terrain.grid import FloatArray


def land_cover_classes(
    codes: FloatArray, table: Mapping[int, tuple[float, str]], where: str
) -> tuple[ClassValues, NDArray[np.int64]]:
    """Return land cover by class with C of each class, and the code of each class.

    Parameters
    ----------
    codes
        Code of each cell, NaN as nodata.
    table
        C and source by code; a code that is not in it gets NaN.
    where
        Path of the raster in the site file.

    Raises
    ------
    InputError
        A code is no whole number.
    """
    found: set[float] = set()
    for rows in blocks(codes.shape):
        values = codes[rows]
        found.update(np.unique(values[~np.isnan(values)]).tolist())
        refuse_over("cover_table_rows", len(found), where, what="the raster of land-cover codes")
    broken = sorted(v for v in found if v != math.floor(v))
    if broken:
        message = f"land-cover codes are whole numbers; the raster holds {broken[0]:g}; write whole codes"
        raise input_error("land-cover-not-whole", message, where)
    known = np.array(sorted(found))
    index = np.full(codes.shape, -1, dtype=np.int16 if known.size < 2**15 else np.int32)
    for rows in blocks(codes.shape):
        there = ~np.isnan(codes[rows])
        index[rows][there] = np.searchsorted(known, codes[rows][there])
    c = [table[int(k)][0] if int(k) in table else math.nan for k in known]
    return class_values(index, c), known.astype(np.int64)


def codes_without_c(
    cells: UnitCells, units: Collection[int], cover: ClassValues, codes: NDArray[np.int64], where: str, table: str
) -> list[Finding]:
    """Return an error where a land-cover code of the ground units has no C in the table.

    Parameters
    ----------
    cells
        The ground units.
    units
        Indices of those with this cover.
    cover
        Land cover by class, with C of each class, NaN where the table has none.
    codes
        Code of each class.
    where, table
        Path of the table in the site file, and its name.
    """
    used = np.isin(cells.unit, sorted(units))
    pairs, _, classes = combine(np.where(used, np.int32(0), np.int32(-1)), cover.index.astype(np.int32), len(codes))
    count = zonal_sum(pairs, len(classes))
    lacking = [(int(codes[k]), n) for k, n in zip(classes, count, strict=True) if np.isnan(cover.values[k])]
    if not lacking:
        return []
    named = [f"{code} ({n * cells.cell_acres:.4g} acres)" for code, n in lacking]
    message = f"{table} has no C for land-cover code{'s' if len(named) > 1 else ''} {listed(named)}; add a row for each"
    return [Finding("land-cover-without-C", "error", message, where)]
