"""What soil loss of rasters is computed from: numbers and files, opened, lined up and checked, all mistakes at once."""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from numbers import Real
from typing import Final

import numpy as np

from sedcalc import units as us
from sedcalc.factors.cover import C_UPPER_LIMIT
from sedcalc.factors.erodibility import K_UPPER_LIMIT
from sedcalc.factors.rusle import R_UPPER_LIMIT
from sedcalc.factors.support import P_UPPER_LIMIT
from sedcalc.findings import Finding, InputError, count_of, input_error
from sedcalc.io.raster_rows import RasterRows
from sedcalc.io.raster_writer import TILE_ROWS
from sedcalc.io.rasters import aligned
from sedcalc.io.zone_rows import ZoneRows, read_zones
from sedcalc.load.ground import Floats, Ints
from sedcalc.terrain.grid import Grid, machine_memory

FACTORS: Final = ("R", "K", "LS", "C", "P")
"""The factors, in the order of the equation."""

Value = float | str | os.PathLike[str]
Given = Value | Mapping[str, Value]
"""A number or the path of a GeoTIFF, for all phases; or one for each phase."""

_LS_UPPER_LIMIT: Final = 1e30  # so that float32 holds the soil loss
_OTHER_BYTES: Final = 12  # for each cell of a strip: zone, class, mask
_LARGE_BLOCKS: Final = 2**28  # bytes from which the blocks of a file are told of
_TILES_REMEDY: Final = "write it in tiles (gdal_translate -co TILED=YES -co COMPRESS=DEFLATE)"
_US_LIMITS: Final = {
    "R": R_UPPER_LIMIT,
    "K": K_UPPER_LIMIT,
    "LS": _LS_UPPER_LIMIT,
    "C": C_UPPER_LIMIT,
    "P": P_UPPER_LIMIT,
}
_TO_SI: Final = {"R": us.R_US_SI, "K": us.K_US_SI}
_UNITS: Final = {
    "us": {"R": "hundreds of ft tonf in/(ac h yr)", "K": "ton ac h/(hundreds of ac ft tonf in)"},
    "si": {"R": "MJ mm/(ha h yr)", "K": "t ha h/(ha MJ mm)"},
}
_SAID: Final = {
    "LS": "give a finite number that is not negative",
    "C": "give a fraction of the loss from bare ground",
    "P": "give a fraction of the loss without the practice",
}


@dataclass(frozen=True, slots=True, eq=False)
class FactorRaster:
    """A raster of one factor.

    Parameters
    ----------
    symbol
        R, K, LS, C or P.
    file
        As it was given.
    rows
        Its cells.
    """

    symbol: str
    file: str
    rows: RasterRows


@dataclass(frozen=True, slots=True, eq=False)
class RasterInputs:
    """Everything that soil loss of rasters is computed from.

    Parameters
    ----------
    phases
        Their names; one empty text where no factor is given by phase.
    rasters
        All there are.
    used
        Which of them is each factor of each phase, (phases, 5); -1 for a number.
    numbers
        That number, (phases, 5); NaN for a raster.
    cells
        The cells of all rasters, without values.
    zones
        None: all cells are one.
    classes
        Raster of classes, if there is one.
    units
        ``us`` or ``si``, of R and K.
    sources
        Number or file name of each factor, by phase where these differ.
    findings
        On the files.
    """

    phases: tuple[str, ...]
    rasters: tuple[FactorRaster, ...]
    used: Ints
    numbers: Floats
    cells: Grid
    zones: ZoneRows | None
    classes: RasterRows | None
    units: str
    sources: Mapping[str, str]
    findings: tuple[Finding, ...]


def upper_limit(symbol: str, units: str) -> float:
    """Return the largest value that a factor has; what is its nearest float32 counts as it.

    Parameters
    ----------
    symbol
        R, K, LS, C or P.
    units
        ``us`` or ``si``.
    """
    limit = _US_LIMITS[symbol] * (_TO_SI.get(symbol, 1.0) if units == "si" else 1.0)
    return max(limit, float(np.float32(limit)))


def range_hint(symbol: str, units: str) -> str:
    """Return what to give for a factor that is out of range.

    Parameters
    ----------
    symbol, units
        As in `upper_limit`.
    """
    other = "si" if units == "us" else "us"
    if symbol in _TO_SI:
        return f"give {symbol} in {_UNITS[units][symbol]}, or say that R and K are in {other.upper()} units"
    return _SAID[symbol]


@dataclass(slots=True)
class _Opened:
    """Collects what could be opened, and what is wrong."""

    stack: ExitStack
    crs: str | None
    rasters: dict[tuple[str, str], int] = field(default_factory=dict)
    opened: list[FactorRaster] = field(default_factory=list)
    mistakes: list[Finding] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def rows(self, what: str, path: str | os.PathLike[str]) -> RasterRows | None:
        try:
            rows = self.stack.enter_context(RasterRows(path, what=what, crs=self.crs, where=os.fspath(path)))
        except InputError as error:
            self.mistakes += error.findings
            return None
        self.findings += rows.findings
        if rows.cache_bytes > _LARGE_BLOCKS and rows.block_rows > TILE_ROWS:
            message = (
                f"the {what} is stored in blocks of {count_of(rows.block_rows, 'row')}, and takes "
                f"{rows.cache_bytes / 2**30:.1f} GiB of memory where tiles would take little; {_TILES_REMEDY}"
            )
            self.findings.append(Finding("raster-in-large-blocks", "note", message, rows.place))
        return rows

    def factor(self, symbol: str, path: str | os.PathLike[str]) -> int:
        """Return the number of a raster, opened once; -1 where it cannot be."""
        key = (symbol, os.fspath(path))
        if key not in self.rasters:
            rows = self.rows(f"{symbol} raster", path)
            self.rasters[key] = -1 if rows is None else len(self.opened)
            if rows is not None:
                self.opened.append(FactorRaster(symbol, os.fspath(path), rows))
        return self.rasters[key]

    def line_up(self, what: str, rows: RasterRows, like: Grid, of: str) -> None:
        try:
            grid = aligned(rows.cells, like, what, rows.place, of)
        except InputError as error:
            self.mistakes += error.findings
        else:
            self.findings += grid.findings


def open_inputs(
    given: Mapping[str, Given],
    stack: ExitStack,
    *,
    units: str,
    zones: str | os.PathLike[str] | None,
    attribute: str | None,
    layer: str | None,
    classes: str | os.PathLike[str] | None,
    crs: str | None,
    out: str | os.PathLike[str] | None,
    look: Callable[[FactorRaster], list[Finding]],
    look_at_classes: Callable[[RasterRows], list[Finding]],
) -> RasterInputs:
    """Open and check everything but the values of rasters.

    Parameters
    ----------
    given
        By symbol of the factor.
    stack
        Closes the files.
    units, zones, attribute, layer, classes, crs, out
        As in `sedcalc.load.raster_loss.soil_loss_of_rasters`.
    look, look_at_classes
        Return what is wrong with the values of a raster; called where something else is wrong, so that all is said.

    Raises
    ------
    InputError
        With all that is wrong.
    """
    if units not in _UNITS:
        raise input_error("unknown-units", f"{units!r:.40} is unknown; give 'us' or 'si'", "units")
    files = _Opened(stack, crs)
    phases = _phases(given, files.mistakes)
    used = np.full((len(phases), len(FACTORS)), -1)
    numbers = np.full(used.shape, np.nan)
    for f, symbol in enumerate(FACTORS):
        value = given[symbol]
        for p, phase in enumerate(phases):
            own = value.get(phase) if isinstance(value, Mapping) else value
            if isinstance(own, Real) and not isinstance(own, bool):
                numbers[p, f] = float(own)
                files.mistakes += _out_of_range(symbol, float(own), units)
            elif isinstance(own, str | os.PathLike):
                used[p, f] = files.factor(symbol, own)
            elif own is not None or not isinstance(value, Mapping):
                message = f"{own!r:.40} is neither a number nor the path of a GeoTIFF"
                files.mistakes.append(Finding("not-a-factor", "error", message, symbol))
    if zones is None:
        idle = [name for name, value in (("attribute", attribute), ("layer", layer)) if value is not None]
        message = "is of zones: name their file, or leave it out"
        files.mistakes += [Finding("option-without-effect", "error", message, name) for name in idle]
    codes = None if classes is None else files.rows("class raster", classes)
    cells, laid = _lined_up(files, codes, zones, attribute, layer)
    files.mistakes += _overwritten(out, files.opened, classes, zones)
    too_wide = _too_wide(cells, files.opened, codes, len(phases))
    if files.mistakes or too_wide or cells is None:
        for raster in () if too_wide else files.opened:
            files.mistakes += look(raster)
        if codes is not None and not too_wide:
            files.mistakes += look_at_classes(codes)
        raise InputError([*files.mistakes, *too_wide])
    return RasterInputs(
        phases,
        tuple(files.opened),
        used,
        numbers,
        cells,
        laid,
        codes,
        units,
        {s: _source(given[s]) for s in FACTORS},
        tuple(dict.fromkeys(files.findings)),
    )


def _phases(given: Mapping[str, Given], mistakes: list[Finding]) -> tuple[str, ...]:
    """Return the names of the phases as they first appear; each factor that names some has to name all."""
    by_phase = {symbol: value for symbol, value in given.items() if isinstance(value, Mapping)}
    phases = tuple(dict.fromkeys(name for value in by_phase.values() for name in value))
    for symbol, value in by_phase.items():
        absent = [repr(name) for name in phases if name not in value]
        if absent or not value:
            listed = ", ".join(absent) or "any phase"
            message = f"has no value for {listed}; give one for each phase, or one without a name for all"
            mistakes.append(Finding("phase-without-value", "error", message, symbol))
    for symbol, value in by_phase.items():
        for name in value:
            if not name.strip() or not name.isprintable():
                message = f"{name!r:.40} is no name of a phase; give it one of letters or digits"
                mistakes.append(Finding("phase-name", "error", message, symbol))
    return phases or ("",)


def _out_of_range(symbol: str, value: float, units: str) -> list[Finding]:
    high = upper_limit(symbol, units)
    if 0.0 <= value <= high:
        return []
    limits = "finite and not negative" if symbol == "LS" else f"within 0 to {high:.4g}"
    message = f"{value:g} is not {limits}; {range_hint(symbol, units)}"
    return [Finding("factor-out-of-range", "error", message, symbol)]


def _lined_up(
    files: _Opened,
    codes: RasterRows | None,
    zones: str | os.PathLike[str] | None,
    attribute: str | None,
    layer: str | None,
) -> tuple[Grid | None, ZoneRows | None]:
    """Return the cells that all rasters have, those of LS where it is one, and the zones on them."""
    named = [(f"the {r.symbol} raster", r.rows) for r in sorted(files.opened, key=lambda r: r.symbol != "LS")]
    named += [] if codes is None else [("the class raster", codes)]
    if not named:
        if not files.rasters and not files.mistakes:
            message = "all factors are numbers; give the path of a GeoTIFF for at least one, or use `soil_loss`"
            files.mistakes.append(Finding("no-raster", "error", message, "LS"))
        return None, None
    of, first = named[0]
    cells = first.cells
    for what, rows in named[1:]:
        files.line_up(what, rows, cells, of)
    if zones is None:
        return cells, None
    try:
        laid, findings = read_zones(zones, attribute or "id", cells, layer=layer)
    except InputError as error:
        files.mistakes += error.findings
        return cells, None
    files.findings += findings
    return cells, laid


def _too_wide(cells: Grid | None, rasters: list[FactorRaster], codes: RasterRows | None, phases: int) -> list[Finding]:
    """Refuse rasters of which a strip of rows, with the blocks of the files that it lies in, is more than memory."""
    memory = machine_memory()
    if cells is None or memory is None:
        return []
    files = [raster.rows for raster in rasters] + ([] if codes is None else [codes])
    high = [file for file in files if file.block_rows > TILE_ROWS]
    strip = TILE_ROWS * cells.shape[1] * (8 * len(rasters) + 4 * phases + _OTHER_BYTES)
    blocks = sum(file.cache_bytes for file in high)
    if strip + blocks <= memory:
        return []
    has = f"GiB, this machine has {memory / 2**30:,.1f} GiB of memory"
    if strip > memory:
        said = f"{TILE_ROWS} rows of {cells.shape[1]:,} cells take about {strip / 2**30:,.1f} {has}"
        return [Finding("grid-too-large", "error", f"{said}: divide the rasters from west to east")]
    largest = max(high, key=lambda file: file.cache_bytes)
    message = (
        f"the rasters are stored in blocks that take about {(strip + blocks) / 2**30:,.1f} {has}; this one has blocks "
        f"of {count_of(largest.block_rows, 'row')}: {_TILES_REMEDY}"
    )
    return [Finding("grid-too-large", "error", message, largest.place)]


def _overwritten(
    out: str | os.PathLike[str] | None,
    rasters: list[FactorRaster],
    classes: str | os.PathLike[str] | None,
    zones: str | os.PathLike[str] | None,
) -> list[Finding]:
    if out is None or not os.path.exists(out):
        return []
    inputs = [r.file for r in rasters] + [os.fspath(p) for p in (classes, zones) if p is not None]
    if not any(os.path.exists(p) and os.path.samefile(p, out) for p in inputs):
        return []
    message = f"{os.fspath(out)!r} is an input, and it was not touched; name another file"
    return [Finding("out-is-input", "error", message, "out")]


def _source(value: Given) -> str:
    """Return in words where a factor comes from: files by name, so that the text is the same on every machine."""
    if isinstance(value, Mapping):
        return "; ".join(f"{phase}: {_source(own)}" for phase, own in value.items())
    return os.path.basename(os.fspath(value)) if isinstance(value, str | os.PathLike) else f"{float(value):g}"
