"""Compiled loops of `sedcalc.load.zonal` and `sedcalc.load.raster_loss`, over one block of cells at a time."""

from typing import Any

import numpy as np

from sedcalc.terrain.jit import jit


@jit
def multiply(out: Any, base: Any, factor: Any) -> None:
    """Set `out` to `base` times `factor`, in float64; all (cells,)."""
    for i in range(len(out)):
        out[i] = base[i] * np.float64(factor[i])


@jit
def find_runs(zone: Any, start: Any) -> int:
    """Fill in where each run of cells of one zone starts, and return the number of runs."""
    runs = 0
    last = zone[0] - 1
    for i in range(len(zone)):
        if zone[i] != last:
            last = zone[i]
            start[runs] = i
            runs += 1
    start[runs] = len(zone)
    return runs


@jit
def add_runs(total: Any, out: Any, base: Any, first: Any, second: Any, zone: Any, start: Any, runs: int) -> None:
    """Set `out` to the product of three columns, and add each of its runs to the total of its zone.

    Zone -1 and NaN add nothing.
    """
    for i in range(len(zone)):
        product = base[i] * np.float64(first[i]) * np.float64(second[i])
        out[i] = product if product == product else 0.0
    for run in range(runs):
        i = start[run]
        end = start[run + 1]
        if zone[i] < 0:
            continue
        z = zone[i]
        # Four sums in turn, since one would have to wait for itself.
        a = b = c = d = 0.0
        while i + 4 <= end:
            a += out[i]
            b += out[i + 1]
            c += out[i + 2]
            d += out[i + 3]
            i += 4
        while i < end:
            a += out[i]
            i += 1
        total[z] += (a + b) + (c + d)


@jit
def scan(values: Any, low: float, high: float, seen: Any) -> None:
    """Add the values of a block to what is known of a raster.

    `seen` is (5,): least and greatest value, and the number of cells without one, outside `low` to `high`, and of 0.
    """
    least, greatest = seen[0], seen[1]
    missing = outside = zeros = 0
    for row in values:
        for value in row:
            if value != value:
                missing += 1
                continue
            least, greatest = min(least, value), max(greatest, value)
            outside += value < low or value > high
            zeros += value == 0.0
    seen[0], seen[1] = least, greatest
    seen[2] += missing
    seen[3] += outside
    seen[4] += zeros


@jit
def add_products(
    piece: Any,
    rasters: Any,
    used: Any,
    numbers: Any,
    product: Any,
    cells: Any,
    missing: Any,
    counted: Any,
    sums: Any,
) -> None:
    """Set the product of factors of each cell in each phase, and add it up by piece.

    `piece` (rows, cols) is -1 where there is none; `rasters` (n, rows, cols) are all there are. Phase p has the factors
    ``used[p]`` of them (-1: none), times ``numbers[p]``; its product is ``product[p]``. Of each piece, `cells` is the
    number of cells, ``missing[r]`` that without a value of raster r, ``counted[p]`` that with a product, and
    ``sums[p]`` over these is first the product's, then that of each factor. Every run of cells of one piece in a row
    is added up by itself, so that sums do not depend on where blocks begin.
    """
    for i in range(piece.shape[0]):
        end = 0
        while end < piece.shape[1]:
            start = end
            z = piece[i, start]
            while end < piece.shape[1] and piece[i, end] == z:
                end += 1
            if z >= 0:
                cells[z] += end - start
                for r in range(rasters.shape[0]):
                    for j in range(start, end):
                        if rasters[r, i, j] != rasters[r, i, j]:
                            missing[r, z] += 1
            for p in range(used.shape[0]):
                total = 0.0
                known = 0
                for j in range(start, end):
                    value = numbers[p]
                    for f in range(used.shape[1]):
                        if used[p, f] >= 0:
                            value *= rasters[used[p, f], i, j]
                    product[p, i, j] = value
                    if value == value:
                        total += value
                        known += 1
                if z < 0:
                    continue
                counted[p, z] += known
                sums[p, 0, z] += total
                for f in range(used.shape[1]):
                    if used[p, f] >= 0:
                        total = 0.0
                        for j in range(start, end):
                            if product[p, i, j] == product[p, i, j]:
                                total += rasters[used[p, f], i, j]
                        sums[p, 1 + f, z] += total
