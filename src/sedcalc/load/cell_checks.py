"""What is wrong with the cells of a gridded site, said in acres and by ground unit."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors.topography import MAX_SLOPE_PCT, OVER_3_TO_1_PCT, SLOPE_TOLERANCE_PCT
from sedcalc.findings import Finding, count_of
from sedcalc.load.ground import Ints
from sedcalc.load.profiles import steep_finding
from sedcalc.load.zonal import Codes, Factor, blocks, in_block, zonal_count, zonal_sum
from sedcalc.terrain.grid import FloatArray

STEEP_FROM_PCT: Final = 20.0
"""Slope from which ordinances ask to keep disturbance off, %."""

_FROM_20, _OVER_3_TO_1, _OVER_60 = 1, 2, 4
_SHOWN: Final = 6


@dataclass(frozen=True, slots=True, eq=False)
class UnitCells:
    """The cells of the ground units.

    Parameters
    ----------
    unit
        Index of each cell's ground unit, (rows, cols); -1 outside the site.
    ids
        Ids of the units.
    cell_acres
        Area of a cell, acres.
    """

    unit: Codes
    ids: tuple[str, ...]
    cell_acres: float

    def where(self, counts: Ints) -> str:
        """Return in words how many acres of which units so many cells are.

        Parameters
        ----------
        counts
            Cells of each unit.
        """
        named = [f"{self.ids[u]!r}" for u in np.flatnonzero(counts)]
        units = f"ground unit{'s' if len(named) > 1 else ''} {listed(named)}"
        return f"{counts.sum() * self.cell_acres:.4g} acres of {units} ({count_of(int(counts.sum()), 'cell')})"


def listed(names: list[str]) -> str:
    """Return the first names of a list, and how many more there are."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def only(counts: NDArray[Any], units: Collection[int]) -> NDArray[Any]:
    """Return counts by unit with those of other units set to 0.

    Parameters
    ----------
    counts
        Cells of each unit.
    units
        Indices of the units that matter.
    """
    kept = np.zeros_like(counts)
    which = np.array(sorted(units), dtype=np.int64)
    kept[which] = counts[which]
    return kept


def missing_values(
    cells: UnitCells, units: Collection[int], raster: FloatArray, what: str, where: str
) -> list[Finding]:
    """Return an error where a raster has no value in cells of units that need it.

    Parameters
    ----------
    cells
        The ground units.
    units
        Indices of those that need the raster.
    raster
        NaN is "no value".
    what, where
        Name of the raster, and its path in the site file.
    """
    counts = only(zonal_count(cells.unit, len(cells.ids), np.isnan, raster), units)
    if not counts.any():
        return []
    message = (
        f"{what} has no value (nodata) in {cells.where(counts)}; give one that covers the ground units, or draw the "
        "units without that ground"
    )
    return [Finding("cells-without-value", "error", message, where)]


def out_of_range(
    cells: UnitCells, raster: FloatArray, low: float, high: float, what: str, where: str, hint: str = ""
) -> list[Finding]:
    """Return an error where a raster leaves its range inside the ground units.

    Parameters
    ----------
    cells
        The ground units.
    raster
        The values; NaN is passed over.
    low, high
        Range, both ends allowed, in the unit of the raster.
    what, where
        Name of the raster, and its path in the site file.
    hint
        Remedy.
    """
    first: float | None = None
    count = 0
    for rows in blocks(raster.shape):
        values = raster[rows][cells.unit[rows] >= 0]
        bad = values[(values < low) | (values > high)]
        count += bad.size
        if first is None and bad.size:
            first = float(bad[0])
    if first is None:
        return []
    message = (
        f"{what} is outside {low:.4g} to {high:.4g} in {count_of(count, 'cell')} "
        f"({count * cells.cell_acres:.4g} acres) of the "
        f"site, first {first:.6g}{hint or '; correct the raster, or mark them as nodata'}"
    )
    return [Finding("raster-out-of-range", "error", message, where)]


def k_zero(cells: UnitCells, K: Factor, covers: list[tuple[int, Factor]], where: str) -> list[Finding]:
    """Return a warning where K is 0 and C is not: ground outside water that counts as not erodible.

    Parameters
    ----------
    cells
        The ground units.
    K
        Erodibility of the cells.
    covers
        Unit and C of each span.
    where
        Path of K in the site file.
    """
    counts = np.zeros(len(cells.ids), dtype=np.int64)
    for rows in blocks(cells.unit.shape):
        unit = cells.unit[rows]
        zero = (unit >= 0) & (np.asarray(in_block(K, rows)) == 0.0)
        if not zero.any():
            continue
        eroding = np.zeros_like(zero)
        for u, c in covers:
            eroding |= (unit == u) & (np.asarray(in_block(c, rows)) > 0.0)
        counts += np.bincount(unit[zero & eroding], minlength=len(cells.ids))
    if not counts.any():
        return []
    message = (
        f"K = 0 outside water: {cells.where(counts)} have K = 0 and C over 0, and so no soil loss; check whether K is "
        "missing there (water bodies, urban land and rock are often 0 in soil surveys)"
    )
    return [Finding("K-zero", "warning", message, where)]


class SlopeCheck:
    """Slopes of disturbed ground over all its surfaces: 20 % and more, over 3H:1V, over the method's limit.

    Parameters
    ----------
    cells
        The ground units.
    """

    def __init__(self, cells: UnitCells) -> None:
        self.cells = cells
        self._bits: NDArray[np.uint8] = np.zeros(cells.unit.shape, dtype=np.uint8)

    def add(self, slope: FloatArray, ls: FloatArray, units: Collection[int]) -> None:
        """Note the slopes of units that lie disturbed on a surface.

        Parameters
        ----------
        slope
            Steepness of the surface, rise over run.
        ls
            Its LS: NaN where the slope is over the method's limit.
        units
            Indices of the units.
        """
        member = np.zeros(len(self.cells.ids) + 1, dtype=bool)  # the last stands for -1
        member[sorted(units)] = True
        for rows in blocks(slope.shape):
            here = member[self.cells.unit[rows]]
            pct = slope[rows] * 100.0
            for bit, over in (
                (_FROM_20, pct >= STEEP_FROM_PCT - SLOPE_TOLERANCE_PCT),
                (_OVER_3_TO_1, pct > OVER_3_TO_1_PCT),
                (_OVER_60, np.isnan(ls[rows])),
            ):
                self._bits[rows][here & over] |= bit

    def findings(self, disturbed: Collection[int]) -> list[Finding]:
        """Return what the slopes mean, with acres.

        Parameters
        ----------
        disturbed
            Indices of the units that are disturbed at some time.
        """
        cells, n = self.cells, len(self.cells.ids)
        counts = {bit: zonal_count(cells.unit, n, lambda b, bit=bit: (b & bit) != 0, self._bits) for bit in (1, 2, 4)}
        found = []
        if counts[_OVER_60].any():
            message = (
                f"{cells.where(counts[_OVER_60])} are steeper than {MAX_SLOPE_PCT:g} %, the limit of the method, while "
                "disturbed; leave walls and armoured faces out of the ground units, and grade other ground flatter"
            )
            found.append(Finding("slope-over-limit", "error", message, "grid.dem"))
        if counts[_OVER_3_TO_1].any():
            total = float(only(zonal_sum(cells.unit, n), disturbed).sum())
            steep = float(counts[_OVER_3_TO_1].sum())
            found.append(steep_finding(steep * cells.cell_acres, steep / total))
        if counts[_FROM_20].any():
            message = (
                f"slopes of {STEEP_FROM_PCT:g} % or more lie on {cells.where(counts[_FROM_20])} that are disturbed"
            )
            found.append(Finding("slopes-20-percent", "note", message, "ground of 20 % or more"))
        return found


def beyond_cover_limit(
    cells: UnitCells, slope: FloatArray, unit: int, limit_pct: float, cover: str, where: str
) -> list[Finding]:
    """Return a warning where a cover stands on slopes steeper than its source gives it for.

    Parameters
    ----------
    cells
        The ground units.
    slope
        Steepness of the surface, rise over run.
    unit
        Index of the unit with the cover.
    limit_pct
        Steepest slope of the cover, %.
    cover, where
        Its name and path.
    """
    over = zonal_count(cells.unit, len(cells.ids), lambda s: s * 100.0 > limit_pct + SLOPE_TOLERANCE_PCT, slope)
    counts = only(over, [unit])
    if not counts.any():
        return []
    message = f"{cover!r} is given for slopes up to {limit_pct:g} %, and {cells.where(counts)} are steeper"
    return [Finding("cover-beyond-slope-limit", "warning", message, where)]
