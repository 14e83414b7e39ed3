"""Sums and counts of cells by zone, block by block.

Sums are float64, over blocks of rows added in a fixed order, so that they do not depend on the number of threads; no
array of the raster's size is made on the way.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.load.ground import ClassValues, Floats, Ints
from sedcalc.terrain.grid import FloatArray

Factor = float | FloatArray | ClassValues
"""A factor of cells: one number, a raster, or a number for each class of a raster."""

Codes = NDArray[np.int32]

_BLOCK_CELLS: Final = 1 << 16  # smaller ones fit a core's cache better, but are too many calls
_GROUPS: Final = 16  # blocks are divided into so many groups at most, whatever the number of threads
_MOST_TOTALS: Final = 1 << 22
_PARALLEL_CELLS: Final = 1 << 17  # below, starting threads takes longer than the work


def blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Return the blocks of whole rows in which rasters are worked through.

    Parameters
    ----------
    shape
        Rows and columns.
    """
    rows = max(1, _BLOCK_CELLS // shape[1])
    for start in range(0, shape[0], rows):
        yield slice(start, min(start + rows, shape[0]))


def in_block(factor: Factor | NDArray[np.uint8], rows: slice) -> float | NDArray[Any]:
    """Return a factor in a block of rows: a number, or an array of the block's shape.

    Parameters
    ----------
    factor
        Number, raster or class raster.
    rows
        The block.
    """
    if isinstance(factor, ClassValues):
        return np.asarray(factor.values[factor.index[rows]])
    return factor if isinstance(factor, float) else factor[rows]


def class_values(index: NDArray[np.signedinteger[Any]], values: Floats | Sequence[float]) -> ClassValues:
    """Return a class raster with its values; cells of class -1 have none.

    Parameters
    ----------
    index
        Class of each cell, (rows, cols).
    values
        Value of each class.
    """
    return ClassValues(index, np.append(np.asarray(values, dtype=np.float64), np.nan))


def zonal_sum(piece: Codes, count: int, *factors: Factor) -> Floats:
    """Return for each piece the sum over its cells of the product of factors; without factors the number of cells.

    Parameters
    ----------
    piece
        Piece of each cell, (rows, cols); cells of -1 are left out.
    count
        Number of pieces.
    *factors
        Any number of factors on the same cells. A cell where one is NaN adds nothing: count and report such cells
        with `zonal_count`.

    Returns
    -------
    ndarray
        Float64, (count,).

    Examples
    --------
    Two pieces, and one cell outside:

    >>> import numpy as np
    >>> piece = np.array([[0, 0, 1], [1, 1, -1]], dtype=np.int32)
    >>> zonal_sum(piece, 2, 2.0, np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    array([ 6., 24.])
    """
    total: Floats = zonal_sums(piece, count, [factors])[0]
    return total


def zonal_sums(piece: Codes, count: int, products: Sequence[Sequence[Factor]]) -> Floats:
    """Return `zonal_sum` of several products, in one pass over the cells.

    Parameters
    ----------
    piece, count
        As in `zonal_sum`.
    products
        The factors of each product. What products have in common at their start, in the order in which factors first
        appear, is multiplied once.

    Returns
    -------
    ndarray
        Float64, (products, count).
    """
    scale = np.array([float(np.prod([f for f in fs if isinstance(f, float)])) for fs in products])
    rasters = [[f for f in fs if not isinstance(f, float)] for fs in products]
    rank: dict[int, int] = {}
    for factor in (f for fs in rasters for f in fs):
        rank.setdefault(id(factor), len(rank))
    order = sorted(range(len(rasters)), key=lambda p: [rank[id(f)] for f in rasters[p]])
    every = list(blocks(piece.shape))
    groups = max(1, min(_GROUPS, len(every), _MOST_TOTALS // max(1, count * len(products))))
    edges = [len(every) * g // groups for g in range(groups + 1)]
    totals = np.zeros((groups, len(products), count))

    largest = max(((rows.stop - rows.start) * piece.shape[1] for rows in every), default=0)

    def add_group(group: int) -> None:
        columns = np.ones((2 + max(len(fs) for fs in rasters), largest))
        for rows in every[edges[group] : edges[group + 1]]:
            _add_block(totals[group], columns, piece, rows, rasters, order)

    threads = _threads() if groups > 1 and piece.shape[0] * piece.shape[1] > _PARALLEL_CELLS else 1
    if threads == 1:
        for group in range(groups):
            add_group(group)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(add_group, range(groups)))
    total: Floats = totals[0]
    for other in totals[1:]:
        total = total + other
    total *= scale[:, np.newaxis]
    return total


def _threads() -> int:
    import numba

    return numba.get_num_threads()


def _add_block(
    totals: Floats,
    columns: Floats,
    piece: Codes,
    rows: slice,
    rasters: Sequence[Sequence[Factor]],
    order: Sequence[int],
) -> None:
    """Add the cells of a block to the total of each product; the first of `columns` is 1, the others are used."""
    from sedcalc.load.zonal_kernels import add_runs, find_runs, multiply

    zone = np.ascontiguousarray(piece[rows], dtype=np.int32).ravel()
    start = np.empty(zone.size + 1, dtype=np.int32)
    runs = find_runs(zone, start)
    if runs == 1 and zone[0] < 0:
        return
    ones, scratch, *column = (c[: zone.size] for c in columns)
    # Column d holds the product of all but the last two factors of what was done last, up to its factor d.
    done: Sequence[Factor] = ()
    for p in order:
        shared = rasters[p][:-2]
        common = 0
        while common < min(len(done), len(shared)) and done[common] is shared[common]:
            common += 1
        for d, factor in enumerate(shared[common:], start=common):
            multiply(column[d], column[d - 1] if d else ones, _flat(factor, rows))
        done = shared
        first, second = [_flat(f, rows) for f in rasters[p][-2:]] + [ones] * (2 - min(2, len(rasters[p])))
        base = column[len(shared) - 1] if shared else ones
        add_runs(totals[p], scratch, base, first, second, zone, start, runs)


def _flat(factor: Factor, rows: slice) -> NDArray[Any]:
    """Return a raster's cells in a block as one column."""
    return np.ascontiguousarray(in_block(factor, rows)).ravel()


def zonal_count(piece: Codes, count: int, test: Callable[..., Any], *factors: Factor | NDArray[np.uint8]) -> Ints:
    """Return for each piece the number of its cells that pass a test.

    Parameters
    ----------
    piece, count
        As in `zonal_sum`.
    test
        Takes the factors of a block and returns booleans.
    *factors
        At least one factor.
    """
    total = np.zeros(count, dtype=np.int64)
    for rows in blocks(piece.shape):
        zone = piece[rows]
        passed = (zone >= 0) & test(*(in_block(f, rows) for f in factors))
        total += np.bincount(zone[passed], minlength=count)
    return total


def combine(first: Codes, second: Codes, count: int) -> tuple[Codes, Ints, Ints]:
    """Return the distinct pairs of two code rasters as one code raster, in the order of first and second code.

    Parameters
    ----------
    first, second
        Codes of each cell, (rows, cols); -1 where there is none.
    count
        Number of codes of `second`.

    Returns
    -------
    tuple
        Pair of each cell (-1 where one of the codes is), and the first and second code of each pair.
    """
    size = (int(first.max(initial=-1)) + 1) * count
    found = np.zeros(size, dtype=bool)
    for rows in blocks(first.shape):
        a, b = first[rows], second[rows]
        both = (a >= 0) & (b >= 0)
        found[a[both].astype(np.int64) * count + b[both]] = True
    pairs = np.flatnonzero(found)
    number = np.cumsum(found, dtype=np.int32) - 1
    combined = np.full(first.shape, -1, dtype=np.int32)
    for rows in blocks(first.shape):
        a, b = first[rows], second[rows]
        both = (a >= 0) & (b >= 0)
        combined[rows][both] = number[a[both].astype(np.int64) * count + b[both]]
    return combined, pairs // count, pairs % count
