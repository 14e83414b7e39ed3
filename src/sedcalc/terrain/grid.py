"""A raster in memory: values, where they lie, and the units they are in.

A `Grid` holds what every terrain function needs and nothing of the file it came from. The coordinate
reference system is carried as text and compared as text; reading it is `sedcalc.io.rasters`' work.
"""

import os
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc import units
from sedcalc.findings import Finding, InputError, count_of, input_error

Transform = tuple[float, float, float, float, float, float]
FloatArray = npt.NDArray[np.floating[Any]]

MAX_CELLS: Final = 2**31 - 1
"""Cells are numbered with 32-bit integers, so a grid that is routed holds fewer than 2^31 of them."""

ROUTING_BYTES_PER_CELL: Final = 40
"""Memory to plan for when a grid is routed, bytes per cell (the goal that the benchmarks check)."""

_LEAST_BYTES_PER_CELL: Final = 20  # the benchmarks find 23 or more at the peak

_GEOMETRY_TOLERANCE: Final = 1e-3
"""Grids that differ by less than this part of a cell, anywhere on the grid, are the same grid."""

LENGTH_UNITS_M: Final = {"m": 1.0, "ft": units.FOOT_M, "us-ft": units.US_SURVEY_FOOT_M}
"""Units that horizontal distances and elevations may be in, m: metre, international and US survey foot."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A north-up raster of square cells.

    Parameters
    ----------
    values
        Two-dimensional float32 or float64, rows from north to south. NaN is nodata; infinity is refused.
    transform
        Affine coefficients ``(a, b, c, d, e, f)``: ``x = a*col + b*row + c``, ``y = d*col + e*row + f`` at
        the upper left corner of a cell, in units of the CRS. North-up and square: ``b = d = 0``, ``a = -e >
        0``.
    crs
        ``"EPSG:n"`` or WKT of the projected CRS; None only for grids made from bare arrays.
    xy_unit_m
        Metres per horizontal unit of the CRS (1, 0.3048, or 1200/3937).
    z_unit_m
        Metres per unit of the values where they are elevations; None where they are not.
    findings
        What the reader had to say about the input.

    Raises
    ------
    InputError
        The array is not two-dimensional and floating, or holds no cells; the cells are rotated, not square, or not
        north-up.

    Examples
    --------
    >>> import numpy as np
    >>> g = Grid(np.zeros((2, 3)), (10.0, 0.0, 0.0, 0.0, -10.0, 20.0), "EPSG:26916", 1.0, 1.0)
    >>> g.cell_m, g.cell_area_m2, g.bounds
    (10.0, 100.0, (0.0, 0.0, 30.0, 20.0))
    """

    values: FloatArray
    transform: Transform
    crs: str | None
    xy_unit_m: float
    z_unit_m: float | None = None
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        _check_two_dimensions(self.values.shape, "the grid", None)  # any number of them: what routes has a limit
        if self.values.dtype not in (np.float32, np.float64):
            raise input_error("grid-not-floating", f"grid values are {self.values.dtype}; give float32 or float64")
        check_transform(self.transform)
        if self.transform[4] > 0:
            raise input_error(
                "grid-not-north-up", "rows run from south to north; turn the grid over with `grid_from_array`"
            )
        if not self.xy_unit_m > 0 or (self.z_unit_m is not None and not self.z_unit_m > 0):
            raise input_error("grid-unit", f"metres per unit must be positive: {self.xy_unit_m}, {self.z_unit_m}")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def cell_m(self) -> float:
        """Side of a cell, m."""
        return self.transform[0] * self.xy_unit_m

    @property
    def cell_area_m2(self) -> float:
        """Area of a cell, m2."""
        return self.cell_m**2

    @property
    def cell_acres(self) -> float:
        """Area of a cell, acres (international)."""
        return self.cell_area_m2 / units.ACRE_M2

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east, north, in units of the CRS."""
        a, _, c, _, e, f = self.transform
        rows, cols = self.shape
        return c, f + e * rows, c + a * cols, f

    @property
    def valid(self) -> npt.NDArray[np.bool_]:
        """True where there is a value."""
        return ~np.isnan(self.values)

    def with_values(
        self, values: FloatArray, *, z_unit_m: float | None = None, findings: tuple[Finding, ...] = ()
    ) -> "Grid":
        """Return a grid of other values on the same cells.

        Parameters
        ----------
        values
            Array of the same shape, NaN as nodata.
        z_unit_m
            Metres per unit where the values are elevations.
        findings
            Findings that belong to the new values.

        Raises
        ------
        InputError
            The shape differs.
        """
        if values.shape != self.shape:
            raise input_error("grid-shape", f"array is {values.shape}, the grid is {self.shape} (rows, columns)")
        return replace(self, values=values, z_unit_m=z_unit_m, findings=findings)

    def geometry_differences(self, other: "Grid") -> list[str]:
        """Return in words how the cells of `other` differ from these; empty when they are the same cells.

        Compared are CRS, cell size, shape, and position to a thousandth of a cell anywhere on the grid.
        """
        differences = []
        if self.crs != other.crs:
            differences.append(f"CRS {_short(other.crs)}, not {_short(self.crs)}")
        a, b = self.transform[0], other.transform[0]
        rows, cols = self.shape
        if abs(b - a) * max(rows, cols) > _GEOMETRY_TOLERANCE * a:
            differences.append(f"cells of {b:.9g}, not {a:.9g} (units of the CRS)")
        if self.shape != other.shape:
            orows, ocols = other.shape
            differences.append(f"{count_of(orows, 'row')} x {count_of(ocols, 'column')}, not {rows} x {cols}")
        for axis, i in (("x", 2), ("y", 5)):
            off = (other.transform[i] - self.transform[i]) / a
            if abs(off) > _GEOMETRY_TOLERANCE:
                differences.append(f"upper left corner off by {off:+.6g} cell{'' if abs(off) == 1 else 's'} in {axis}")
        return differences


def grid_from_array(
    values: npt.ArrayLike,
    transform: Any,
    crs: str | None = None,
    *,
    xy_unit_m: float,
    z_unit_m: float | None = None,
) -> Grid:
    """Return a `Grid` of an array, turned north-up where its rows run from south to north.

    Parameters
    ----------
    values
        Two-dimensional array of numbers; float32 stays float32, anything else becomes float64. Masked cells
        and NaN are nodata.
    transform
        Six numbers ``(a, b, c, d, e, f)`` as in `Grid`, or an ``affine.Affine`` (its first six are used).
        ``e`` may be positive.
    crs, xy_unit_m, z_unit_m
        As in `Grid`.

    Raises
    ------
    InputError
        As in `Grid`, or the array is not of real numbers.
    """
    masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    array = np.asarray(np.ma.getdata(values))
    if array.dtype.kind not in "fiu":
        raise input_error("grid-not-numbers", f"grid values are {array.dtype}; give an array of real numbers")
    check_shape(array.shape)
    floating = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    if masked is not None and masked.any():
        floating = np.where(masked, floating.dtype.type(np.nan), floating)
    coefficients = transform_of(transform)
    check_transform(coefficients)
    a, b, c, d, e, f = coefficients
    if e > 0:
        floating = floating[::-1]
        f, e = f + e * floating.shape[0], -e
    return Grid(np.ascontiguousarray(floating), (a, b, c, d, e, f), crs, xy_unit_m, z_unit_m)


def transform_of(transform: Any) -> Transform:
    """Return the six affine coefficients of a sequence or an ``affine.Affine`` as floats.

    Raises
    ------
    InputError
        There are not six finite numbers.
    """
    try:
        numbers = tuple(float(v) for v in tuple(transform)[:6])
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != 6 or not np.all(np.isfinite(numbers)):
        raise input_error("grid-transform", f"transform must be six finite numbers (a, b, c, d, e, f): {transform!r}")
    a, b, c, d, e, f = numbers
    return a, b, c, d, e, f


def check_transform(transform: Transform, what: str = "the grid", where: str | None = None) -> None:
    """Refuse rotated and non-square cells; rows may run either way.

    Raises
    ------
    InputError
        The cells are rotated, mirrored from west to east, or not square to a thousandth of a percent.
    """
    a, b, _, d, e, _ = transform
    remedy = "resample it to north-up square cells first (gdalwarp -tr SIZE SIZE)"
    if b != 0 or d != 0:
        raise input_error("grid-rotated", f"{what} is rotated (transform b = {b:g}, d = {d:g}); {remedy}", where)
    if not a > 0 or e == 0:
        text = f"{what}: cell sizes are {a:g} by {-e:g}: x must grow to the east; {remedy}"
        raise input_error("grid-mirrored", text, where)
    if abs(a - abs(e)) > 1e-5 * a:
        text = f"{what}: cells are {a:.9g} by {abs(e):.9g}, not square; {remedy}"
        raise input_error("grid-not-square", text, where)


def check_shape(shape: tuple[int, ...], what: str = "the grid", where: str | None = None) -> None:
    """Refuse arrays that are not two-dimensional, empty, or too large to route.

    Raises
    ------
    InputError
        There are not two dimensions, no cells, or 2^31 cells or more (with the memory they would need).
    """
    _check_two_dimensions(shape, what, where)
    cells = int(shape[0]) * int(shape[1])
    if cells > MAX_CELLS:
        gib = cells * ROUTING_BYTES_PER_CELL / 2**30
        raise input_error(
            "grid-too-large",
            f"{what} has {cells:,} cells; at most {MAX_CELLS:,} are routed at once, and this one would need "
            f"about {gib:,.0f} GiB: clip it to the site's watershed or take larger cells",
            where,
        )


def _check_two_dimensions(shape: tuple[int, ...], what: str, where: str | None) -> None:
    if len(shape) != 2 or 0 in shape:
        raise input_error("grid-shape", f"{what} must have two dimensions and at least one cell: {shape}", where)


def check_memory(shape: tuple[int, int], what: str = "DEM", where: str | None = None) -> None:
    """Refuse to route a grid that takes more memory than the machine has, where the platform says how much that is.

    Raises
    ------
    InputError
        So it is, by the least that routing takes.
    """
    cells = shape[0] * shape[1]
    memory = machine_memory()
    if memory is not None and cells * _LEAST_BYTES_PER_CELL > memory:
        text = (
            f"{what} has {cells:,} cells, which take about {cells * ROUTING_BYTES_PER_CELL / 2**30:,.0f} GiB; this "
            f"machine has {memory / 2**30:,.0f} GiB: clip it to the site's watershed or take larger cells"
        )
        raise input_error("grid-too-large", text, where)


def machine_memory() -> int | None:
    """Return the memory of this machine, bytes; None where that cannot be asked for."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def check_finite(values: FloatArray, what: str = "the grid", where: str | None = None) -> None:
    """Refuse infinities and grids of nodata only.

    Raises
    ------
    InputError
        A value is infinite (the first is named), or every cell is nodata.
    """
    infinite = np.isinf(values)
    if infinite.any():
        row, col = np.argwhere(infinite)[0]
        raise input_error(
            "grid-infinite",
            f"{what} is infinite in {count_of(int(infinite.sum()), 'cell')}, first in row {row}, column {col}; mark "
            "them as nodata",
            where,
        )
    if np.isnan(values).all():
        raise input_error("grid-all-nodata", f"{what} has no value in any cell: give one that covers the site", where)


def require_same_cells(grid: Grid, other: Grid, what: str, where: str | None = None, *, of: str = "the DEM") -> None:
    """Refuse a raster whose cells are not those of `grid`, which messages call `of`; nothing is resampled silently.

    Raises
    ------
    InputError
        With every difference (CRS, cell size, shape, offset in cells) and the command that lines it up.
    """
    differences = grid.geometry_differences(other)
    if differences:
        west, south, east, north = grid.bounds
        target = f"-t_srs {grid.crs} " if grid.crs and grid.crs.startswith("EPSG:") else ""
        raise InputError(
            Finding(
                "raster-misaligned",
                "error",
                f"{what} does not lie on {of}'s cells: {'; '.join(differences)}. Resample it to them "
                f"first, choosing the method knowingly: gdalwarp {target}-te {west:.10g} {south:.10g} "
                f"{east:.10g} {north:.10g} -ts {grid.shape[1]} {grid.shape[0]}",
                where,
            )
        )


def _short(crs: str | None) -> str:
    if crs is None:
        return "none"
    return crs if len(crs) <= 40 else crs[:37] + "..."
