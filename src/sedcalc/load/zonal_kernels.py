"""Compiled loops of `sedcalc.load.zonal`, over one block of cells at a time."""

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
