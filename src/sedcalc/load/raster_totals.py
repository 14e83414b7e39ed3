"""What one pass over rasters adds up, by piece of ground and by raster, and what is wrong with what it saw."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.findings import Finding, InputError, Severity, count_of
from sedcalc.io.raster_rows import RasterRows
from sedcalc.io.raster_writer import TILE_ROWS
from sedcalc.io.vector_files import Value as ZoneId
from sedcalc.io.zone_rows import named_zones, zones_without_cells
from sedcalc.load.ground import Floats
from sedcalc.load.raster_inputs import FACTORS, FactorRaster, RasterInputs, range_hint, upper_limit
from sedcalc.load.zonal import Codes

_STRIP_ROWS: Final = TILE_ROWS  # rows in memory at a time, a multiple of those of a tile
_MOST_PIECES: Final = 1 << 20


def strips(height: int) -> Iterator[slice]:
    """Return the strips of rows that are in memory one after the other.

    Parameters
    ----------
    height
        Rows in all.
    """
    for start in range(0, height, _STRIP_ROWS):
        yield slice(start, min(start + _STRIP_ROWS, height))


def _nothing_seen() -> Floats:
    return np.array([np.inf, -np.inf, 0.0, 0.0, 0.0])


def seen_alone(raster: FactorRaster, units: str) -> Floats:
    """Return what there is to see in a raster, where no product is made of it.

    Parameters
    ----------
    raster
        The raster.
    units
        ``us`` or ``si``, of R and K.

    Returns
    -------
    ndarray
        Least and greatest value, and the number of cells without one, out of range, and of 0.
    """
    from sedcalc.load.zonal_kernels import scan

    seen = _nothing_seen()
    for rows in strips(raster.rows.shape[0]):
        scan(raster.rows[rows].astype(np.float64), 0.0, upper_limit(raster.symbol, units), seen)
    return seen


def range_mistakes(raster: FactorRaster, seen: Floats, units: str) -> list[Finding]:
    """Return an error where a raster has no value at all, or one that its factor does not have.

    Parameters
    ----------
    raster
        The raster.
    seen
        What `seen_alone` returns of it.
    units
        ``us`` or ``si``, of R and K.
    """
    least, greatest, missing, outside, _ = seen.tolist()
    if missing == raster.rows.shape[0] * raster.rows.shape[1]:
        message = f"the {raster.symbol} raster has no value in any cell; give one that covers the ground"
        return [Finding("grid-all-nodata", "error", message, raster.file)]
    if not outside:
        return []
    high = upper_limit(raster.symbol, units)
    limits = "negative or infinite" if raster.symbol == "LS" else f"outside 0 to {high:.4g}"
    message = (
        f"the {raster.symbol} raster is {limits} in {count_of(int(outside), 'cell')}, its values go from {least:.6g} "
        f"to {greatest:.6g}; {range_hint(raster.symbol, units)}; a number that means nodata has to be declared "
        "(gdal_translate -a_nodata)"
    )
    return [Finding("raster-out-of-range", "error", message, raster.file)]


def class_mistakes(classes: RasterRows) -> list[Finding]:
    """Return an error where a raster of classes, looked at alone, is no whole number.

    Parameters
    ----------
    classes
        The raster.
    """
    count = 0
    for rows in strips(classes.shape[0]):
        code = classes[rows].astype(np.float64)
        count += int((~np.isnan(code) & ~_whole(code)).sum())
    return _not_whole(count, classes.place)


def _whole(code: Floats) -> npt.NDArray[np.bool_]:
    whole: npt.NDArray[np.bool_] = np.isfinite(code) & (code == np.floor(code)) & (np.abs(code) < 2.0**53)
    return whole


def _not_whole(count: int, file: str) -> list[Finding]:
    if not count:
        return []
    message = f"the class raster is no whole number in {count_of(count, 'cell')}; give one of classes"
    return [Finding("class-not-whole", "error", message, file)]


class Totals:
    """Sums by piece of ground, which is a zone, or a zone and a class; classes are numbered as they appear.

    Parameters
    ----------
    inputs
        What is added up.

    Attributes
    ----------
    ids
        Of the zones; None stands for all cells, where there are no zones.
    codes
        Number of each class; None stands for all cells, where there are no classes.
    seen
        Of each raster what `seen_alone` returns, (n, 5).
    sums
        Cells, missing, counted and sums, as `sedcalc.load.zonal_kernels.add_products` takes them. The number of a piece
        is that of its class times the number of zones, and that of its zone.
    """

    def __init__(self, inputs: RasterInputs) -> None:
        self.inputs = inputs
        self.ids: tuple[ZoneId | None, ...] = (None,) if inputs.zones is None else inputs.zones.values
        self.codes: dict[int | None, int] = {} if inputs.classes is not None else {None: 0}
        self.seen = np.array([_nothing_seen() for _ in inputs.rasters])
        self.without_class = np.zeros(len(self.ids), dtype=np.int64)
        self.not_whole = 0
        n, phases, pieces = len(inputs.rasters), len(inputs.phases), len(self.ids) * len(self.codes)
        self.sums: list[Any] = [
            np.zeros(pieces, dtype=np.int64),
            np.zeros((n, pieces), dtype=np.int64),
            np.zeros((phases, pieces), dtype=np.int64),
            np.zeros((phases, 1 + len(FACTORS), pieces)),
        ]

    def pieces(self, rows: slice) -> Codes:
        """Return the piece of each cell of a strip, -1 where there is none.

        Parameters
        ----------
        rows
            The strip.
        """
        inputs = self.inputs
        shape = (rows.stop - rows.start, inputs.cells.shape[1])
        zone = np.zeros(shape, dtype=np.int32) if inputs.zones is None else inputs.zones[rows]
        return zone if inputs.classes is None else self._with_class(zone, inputs.classes, rows)

    def _with_class(self, zone: Codes, classes: RasterRows, rows: slice) -> Codes:
        code = classes[rows].astype(np.float64)
        inside = zone >= 0
        known = inside & ~np.isnan(code)
        self.without_class += np.bincount(zone[inside & ~known], minlength=len(self.ids))
        whole = known & _whole(code)
        self.not_whole += int((known & ~whole).sum())
        own = code[whole]
        first = np.ones(own.shape, dtype=bool)  # of each run, since runs are few
        np.not_equal(own[1:], own[:-1], out=first[1:])
        here = np.unique(own[first])
        numbers = [self.codes.setdefault(int(value), len(self.codes)) for value in here]
        self._grow(len(self.ids) * len(self.codes))
        piece = np.full(zone.shape, -1, dtype=np.int32)
        if here.size:
            number = np.array(numbers, dtype=np.int32)[np.searchsorted(here, own)]
            piece[whole] = number * np.int32(len(self.ids)) + zone[whole]
        return piece

    def _grow(self, pieces: int) -> None:
        if pieces > _MOST_PIECES:
            message = f"there are over {_MOST_PIECES:,} pairs of zone and class; give a raster of few classes"
            raise InputError(Finding("too-many-classes", "error", message, self._class_file()))
        for k, array in enumerate(self.sums):
            more = pieces - array.shape[-1]
            if more:
                self.sums[k] = np.concatenate([array, np.zeros((*array.shape[:-1], more), array.dtype)], axis=-1)

    def _class_file(self) -> str:
        return "" if self.inputs.classes is None else self.inputs.classes.place

    def _where(self, zones: Iterable[int], cells: int) -> str:
        """Return in words how much ground it is."""
        acres = f"{count_of(cells, 'cell')} ({cells * self.inputs.cells.cell_acres:.4g} acres)"
        ids = [id for id in (self.ids[z] for z in zones) if id is not None]
        return acres + (f" of {named_zones(ids)}" if ids else "")

    def mistakes(self) -> list[Finding]:
        """Return what is wrong with values, classes and zones."""
        inputs = self.inputs
        found: list[Finding] = []
        for raster, seen in zip(inputs.rasters, self.seen, strict=True):
            found += range_mistakes(raster, seen, inputs.units)
        found += _not_whole(self.not_whole, self._class_file())
        cells, _, counted, _ = self.sums
        zones = len(self.ids)
        of_zone = cells.reshape(-1, zones).sum(axis=0) + self.without_class
        if inputs.zones is not None and not self.not_whole:
            empty = [inputs.zones.values[z] for z in np.flatnonzero(of_zone == 0)]
            if empty:
                found.append(zones_without_cells(empty, "zones"))
        if found:
            return found
        if not counted.any():
            where = self._where(range(zones), int(of_zone.sum()))
            message = f"no cell has a value of every factor, in {where}; give rasters that cover the ground"
            found.append(Finding("zone-without-values", "error", message, "zones"))
        return found

    def findings(self) -> Iterator[Finding]:
        """Yield what there is to say of the values: what is missing, and what looks wrong."""
        inputs, zones = self.inputs, len(self.ids)
        for raster, missing, seen in zip(inputs.rasters, self.sums[1], self.seen, strict=True):
            lost = missing.reshape(-1, zones).sum(axis=0)
            if lost.any():
                severity: Severity = "note" if inputs.zones is None else "warning"  # frames of nodata are common
                message = (
                    f"the {raster.symbol} raster has no value in {self._where(np.flatnonzero(lost), int(lost.sum()))}; "
                    "these are left out of means and tons"
                )
                yield Finding("cells-without-value", severity, message, raster.file)
            if raster.symbol == "K" and seen[4]:
                message = (
                    f"K = 0 in {count_of(int(seen[4]), 'cell')} of the raster, and so no soil loss; check whether K is "
                    "missing there (water bodies, urban land and rock are often 0 in soil surveys)"
                )
                yield Finding("K-zero", "warning", message, raster.file)
            if raster.symbol == "K" and inputs.units == "us" and 0.0 < seen[1] <= upper_limit("K", "si"):
                message = (
                    f"no K is over {seen[1]:.3g}, and none in SI units is over {upper_limit('K', 'si'):.3g}: check "
                    "that the raster is in US units"
                )
                yield Finding("K-may-be-SI", "warning", message, raster.file)
        of_zone = self.sums[0].reshape(-1, zones).sum(axis=0)
        for phase, own in zip(inputs.phases, self.sums[2], strict=True):
            lost = (own.reshape(-1, zones).sum(axis=0) == 0) & (of_zone > 0)
            if lost.any():
                named = f" in phase {phase!r}" if phase else ""
                message = (
                    f"no cell has a value of every factor{named}, in "
                    f"{self._where(np.flatnonzero(lost), int(of_zone[lost].sum()))}; nothing is computed for it"
                )
                yield Finding("zone-without-values", "warning", message, "zones")
        if self.without_class.any():
            places = np.flatnonzero(self.without_class)
            message = (
                f"the class raster has no class in {self._where(places, int(self.without_class.sum()))}; these are in "
                "no row"
            )
            yield Finding("cells-without-class", "warning", message, self._class_file())
