"""Soil loss of rasters that may be larger than memory: all phases and zones in one pass over their rows.

A strip of rows of every raster is in memory at a time. Sums go along rows, in the order of the file, so that the height
of strips does not change a bit of them. One thread does it all: most of the time goes into unpacking and packing files,
and GDAL would else write tiles in the order in which threads happen to need its memory.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import sedcalc
from sedcalc import units as us
from sedcalc.findings import Finding, InputError
from sedcalc.io.raster_rows import limited_cache
from sedcalc.io.raster_writer import raster_writer
from sedcalc.io.vector_files import Value as ZoneId
from sedcalc.load.ground import Floats, Ints
from sedcalc.load.raster_inputs import FACTORS, FactorRaster, Given, RasterInputs, open_inputs, upper_limit
from sedcalc.load.raster_totals import Totals, class_mistakes, range_mistakes, seen_alone, strips

if TYPE_CHECKING:
    import pandas as pd

_STEPS: Final = 10  # that progress tells of


@dataclass(frozen=True, slots=True)
class RasterRange:
    """What the cells of a raster hold.

    Parameters
    ----------
    symbol
        Factor: R, K, LS, C or P.
    file
        As it was given.
    least, greatest
        Smallest and largest value; R and K in the units they were given in.
    without_value
        Cells without one.
    """

    symbol: str
    file: str
    least: float
    greatest: float
    without_value: int


@dataclass(frozen=True, slots=True, eq=False)
class RasterLoss:
    """Soil loss by phase, zone and class: columns of length n.

    Parameters
    ----------
    phase
        Name of the phase; empty where there is one without a name.
    zone
        Id of the zone; None where there are no zones.
    cover_class
        Class of the class raster; None without one.
    cells, cells_with_value
        Cells of the piece, and those of them where every factor has a value, (n,).
    missing
        Cells where R, K, LS, C and P have none, (n, 5).
    acres, acres_with_value
        Their areas, acres, (n,).
    means
        Means of R, K, LS, C and P over the cells with a value, R and K in the units they were given in, (n, 5); NaN
        where there is no such cell.
    tons_per_year
        Soil loss of the cells with a value, short tons/yr, (n,); NaN where there is none.
    tons_per_acre_per_year
        The same for each acre of them, (n,).
    ranges
        What the rasters hold.
    units
        ``us`` or ``si``, of R and K.
    out
        GeoTIFF that was written.
    findings
        In the order found.
    """

    phase: tuple[str, ...]
    zone: tuple[ZoneId | None, ...]
    cover_class: tuple[int | None, ...]
    cells: Ints
    cells_with_value: Ints
    missing: Ints
    acres: Floats
    acres_with_value: Floats
    means: Floats
    tons_per_year: Floats
    tons_per_acre_per_year: Floats
    ranges: tuple[RasterRange, ...]
    units: str
    out: str | None
    findings: tuple[Finding, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return a dictionary for each row, None for NaN."""
        plain = ("cells", "cells_with_value", "acres", "acres_with_value")
        found = []
        for i in range(len(self.phase)):
            row: dict[str, Any] = {"phase": self.phase[i], "zone": self.zone[i], "class": self.cover_class[i]}
            row |= {name: getattr(self, name)[i].item() for name in plain}
            row |= {f"cells_without_{s}": n for s, n in zip(FACTORS, self.missing[i].tolist(), strict=True)}
            row |= {s: _known(v) for s, v in zip(FACTORS, self.means[i].tolist(), strict=True)}
            row |= {"tons_per_year": _known(self.tons_per_year[i].item())}
            row |= {"tons_per_acre_per_year": _known(self.tons_per_acre_per_year[i].item())}
            found.append(row)
        return found

    @property
    def table(self) -> "pd.DataFrame":
        """The rows as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.rows())


def soil_loss_of_rasters(
    R: Given,
    K: Given,
    LS: Given,
    C: Given,
    P: Given,
    *,
    units: str = "us",
    zones: str | os.PathLike[str] | None = None,
    attribute: str | None = None,
    layer: str | None = None,
    classes: str | os.PathLike[str] | None = None,
    crs: str | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> RasterLoss:
    """Soil loss A = R K LS C P of rasters that may be larger than memory, as a raster and summed over zones.

    Parameters
    ----------
    R, K, LS, C, P
        Annual erosivity, erodibility, slope length and steepness, cover management and support practice: a number, or
        the path of a single-band GeoTIFF; or a dictionary of these by phase. A factor that is not given by phase is the
        same in all. The ranges are those of `soil_loss`.
    units
        Of R and K: ``"us"`` (hundreds of ft tonf in/(ac h yr), ton ac h/(hundreds of ac ft tonf in)) or ``"si"``
        (MJ mm/(ha h yr), t ha h/(ha MJ mm)).
    zones
        GeoPackage or GeoJSON of polygons. A cell is in the zone that its centre lies in. None: all cells are one zone.
    attribute, layer
        Attribute that holds the id of the zone (``"id"`` unless given), and layer of a GeoPackage with several.
    classes
        GeoTIFF of classes, whole numbers: each zone is divided into them.
    crs
        ``"EPSG:n"`` of rasters that have none of their own.
    out
        GeoTIFF to write: soil loss, short tons/(acre yr), float32, NaN where a factor has no value; a band for each
        phase.
    progress
        Called with the name of each step as it starts.

    Returns
    -------
    RasterLoss
        A row for each phase, zone and class, in this order: acres, means of the factors, short tons/yr and short
        tons/(acre yr), and the cells where a factor has no value, which are left out of means and tons.

    Raises
    ------
    InputError
        A file cannot be read; a raster has no projected CRS, or other cells than the others; a value is out of range;
        zones overlap, repeat an id or hold the centre of no cell; in no cell of any zone all factors have a value; a
        class is not a whole number; `out` is one of the files. All at once, and nothing is written then.
    EnvironmentFault
        `out` cannot be written.

    Notes
    -----
    All rasters lie on the same cells, of any number; none is resampled. In memory are 256 rows of each raster, 8 bytes
    a cell, and of each phase, 4 bytes a cell, whatever the number of rows; and the blocks of the files that these rows
    lie in, which is little where they are tiles, and all of a file that is one strip. What is soil loss of a year at a
    phase's cover becomes that of the phase times the share of the annual erosivity between its dates (`ei_fraction`).

    Examples
    --------
    Four cells of 0.1 acre with the published site of `soil_loss` (2.433 tons per acre), and LS twice as large in one:

    >>> import numpy as np, tempfile
    >>> from sedcalc.io.raster_rows import without_values
    >>> from sedcalc.io.rasters import write_grid
    >>> side = (0.1 * 4046.8564224) ** 0.5
    >>> cells = without_values((2, 2), (side, 0.0, 420000.0, 0.0, -side, 4750000.0), "EPSG:26916", 1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ls = cells.with_values(np.array([[4.8, 4.8], [4.8, 9.6]]))
    ...     file = write_grid(f"{folder}/ls.tif", ls, units_tag="1", description="LS", dtype="float64")
    ...     found = soil_loss_of_rasters(90, 0.32, file, {"bare": 1, "straw": 0.11}, 0.16)
    >>> [(row["phase"], round(row["acres"], 6), round(row["tons_per_year"], 4)) for row in found.rows()]
    [('bare', 0.4, 11.0592), ('straw', 0.4, 1.2165)]
    """
    say = progress or (lambda step: None)
    options = {"zones": zones, "attribute": attribute, "layer": layer, "classes": classes, "crs": crs, "out": out}
    with ExitStack() as stack:
        say("opening the rasters")
        inputs = _opened(dict(zip(FACTORS, (R, K, LS, C, P), strict=True)), stack, say, units, options)
        totals = Totals(inputs)
        write = None if out is None else stack.enter_context(_writer(out, inputs))
        _sum_rows(inputs, totals, write, say)
        mistakes = totals.mistakes()
        if mistakes:
            raise InputError(mistakes)
        return _result(totals, None if out is None else os.fspath(out))


def input_mistakes(
    given: Mapping[str, Given], progress: Callable[[str], None], *, units: str = "us", **options: Any
) -> tuple[Finding, ...]:
    """Return what `soil_loss_of_rasters` refuses before it multiplies.

    Parameters
    ----------
    given
        Number, path, or these by phase of R, K, LS, C and P.
    progress, units, **options
        As there.
    """
    with ExitStack() as stack:
        try:
            _opened(given, stack, progress, units, options)
        except InputError as error:
            return tuple(error.findings)
    return ()


def _opened(
    given: Mapping[str, Given],
    stack: ExitStack,
    say: Callable[[str], None],
    units: str,
    options: Mapping[str, Any],
) -> RasterInputs:
    def look(raster: FactorRaster) -> list[Finding]:
        say(f"something is wrong already; looking for more in the {raster.symbol} raster")
        return range_mistakes(raster, seen_alone(raster, units), units)

    files = {name: options.get(name) for name in ("zones", "attribute", "layer", "classes", "crs", "out")}
    return open_inputs(given, stack, units=units, look=look, look_at_classes=class_mistakes, **files)


def _writer(out: str | os.PathLike[str], inputs: RasterInputs) -> Any:
    tags = {"QUANTITY": "soil loss A = R K LS C P", "SEDCALC_VERSION": sedcalc.__version__, "R_K_UNITS": inputs.units}
    bands = [f"soil loss, {phase}" if phase else "soil loss" for phase in inputs.phases]
    return raster_writer(out, inputs.cells, units_tag="tons/acre/year", bands=bands, tags=tags | dict(inputs.sources))


def _sum_rows(
    inputs: RasterInputs,
    totals: Totals,
    write: Callable[[int, Any], None] | None,
    say: Callable[[str], None],
) -> None:
    """Read all rasters once, strip by strip: look at their values, multiply, write and add up."""
    from sedcalc.load.zonal_kernels import add_products, scan
    from sedcalc.terrain.jit import telling_of_compilation

    to_us = 1.0 if inputs.units == "us" else 1.0 / us.TON_PER_ACRE_T_PER_HA
    numbers = np.where(inputs.used < 0, inputs.numbers, 1.0).prod(axis=1) * to_us
    height, width = inputs.cells.shape
    told = 0
    with limited_cache([raster.rows for raster in inputs.rasters]), telling_of_compilation(say):
        for rows in strips(height):
            if rows.start * _STEPS >= told * height:
                say(f"row {rows.start:,} of {height:,}" if rows.start else "multiplying")
                told += 1
            values = np.empty((len(inputs.rasters), rows.stop - rows.start, width))
            for r, raster in enumerate(inputs.rasters):
                values[r] = raster.rows[rows]
                scan(values[r], 0.0, upper_limit(raster.symbol, inputs.units), totals.seen[r])
            piece = totals.pieces(rows)
            product = np.empty((len(inputs.phases), *piece.shape), dtype=np.float32)
            add_products(piece, values, inputs.used, numbers, product, *totals.sums)
            if write is not None:
                write(rows.start, product)


def _result(totals: Totals, out: str | None) -> RasterLoss:
    """Return the rows, and what there is to say."""
    inputs, zones = totals.inputs, len(totals.ids)
    cells, missing, counted, sums = totals.sums
    codes = list(totals.codes)
    order = sorted(totals.codes.values(), key=lambda k: codes[k] or 0)
    pieces = [k * zones + z for z in range(zones) for k in order if cells[k * zones + z]]
    row_phase = np.repeat(np.arange(len(inputs.phases)), len(pieces))
    row = np.tile(np.array(pieces, dtype=np.int64), len(inputs.phases))
    number = counted[row_phase, row]
    used, acre = inputs.used[row_phase], inputs.cells.cell_acres
    with np.errstate(invalid="ignore"):
        means = np.where(used >= 0, sums[row_phase, 1:, row] / number[:, np.newaxis], inputs.numbers[row_phase])
        per_acre = sums[row_phase, 0, row] / number
    tons = sums[row_phase, 0, row] * acre
    means[number == 0] = tons[number == 0] = np.nan
    return RasterLoss(
        phase=tuple(inputs.phases[p] for p in row_phase),
        zone=tuple(totals.ids[k % zones] for k in row.tolist()),
        cover_class=tuple(codes[k // zones] for k in row.tolist()),
        cells=cells[row],
        cells_with_value=number,
        missing=np.vstack([missing, np.zeros_like(cells)])[used, row[:, np.newaxis]],  # none of a number, -1
        acres=cells[row] * acre,
        acres_with_value=number * acre,
        means=means,
        tons_per_year=tons,
        tons_per_acre_per_year=per_acre,
        ranges=tuple(
            RasterRange(r.symbol, r.file, float(s[0]), float(s[1]), int(s[2]))
            for r, s in zip(inputs.rasters, totals.seen, strict=True)
        ),
        units=inputs.units,
        out=out,
        findings=(*inputs.findings, *totals.findings()),
    )


def _known(value: float) -> float | None:
    return value if value == value else None
