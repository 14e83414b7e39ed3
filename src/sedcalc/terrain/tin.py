"""A surface from spot elevations, breaklines and contours, as a grading plan gives it.

Points are joined by a Delaunay triangulation and interpolated linearly. Lines are densified to half a cell, so that
triangle edges follow them: a breakline stays a break to within half a cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.findings import Finding, InputError, count_of, input_error
from sedcalc.terrain.grid import Transform, check_shape

Points = npt.NDArray[np.float64]

_HELD_BACK: Final = 10  # every tenth spot elevation
_FEWEST_TO_HOLD_BACK: Final = 30
_SAME_PLACE: Final = 1e-6  # of a cell
_SAME_HEIGHT: Final = 1e-9  # of the largest elevation


@dataclass(frozen=True)
class Misfit:
    """Differences between a surface and elevations, unit of the elevations.

    Parameters
    ----------
    points
        Number of points compared.
    largest
        Largest absolute difference.
    rms
        Root of the mean square.
    """

    points: int
    largest: float
    rms: float


@dataclass(frozen=True, eq=False)
class TinSurface:
    """A surface on square cells, and how well it keeps to what was given.

    Parameters
    ----------
    values
        Elevations at cell centres, float64, NaN outside the convex hull of the points, rows from north to south.
    transform
        As in `sedcalc.terrain.grid.Grid`.
    at_points
        The cells' elevations, interpolated between centres, against all points given; None where no point lies among
        cells with elevations.
    held_back
        Triangulation without every tenth spot elevation against those; None with fewer than 30 of them.
    flat_cells
        Cells in triangles whose corners all lie on lines at one elevation, which cut hills and hollows off flat.
    """

    values: npt.NDArray[np.float64]
    transform: Transform
    at_points: Misfit | None
    held_back: Misfit | None
    flat_cells: int


def surface_of_points(spots: Points, lines: Sequence[Points], cell: float) -> TinSurface:
    """Grid spot elevations and lines.

    Parameters
    ----------
    spots
        x, y and elevation of each spot, (n, 3); x and y in one unit, `cell`'s.
    lines
        Breaklines and contours: x, y and elevation of the vertices of each, (m, 3).
    cell
        Side of a cell, over 0.

    Returns
    -------
    TinSurface
        Elevations of cells, unit of the input, and the misfit.

    Raises
    ------
    InputError
        `cell` is not positive, a coordinate is not finite, there are fewer than three places or all lie on one line,
        the same place has two elevations, or there would be too many cells.

    Notes
    -----
    Nothing is extrapolated. Where lines cross they must agree in elevation.

    Examples
    --------
    Four corners of a plane that falls by 1 in 10 to the east; its middle by hand:

    >>> import numpy as np
    >>> corners = np.array([[0, 0, 11], [10, 0, 10], [0, 10, 11], [10, 10, 10]], dtype=float)
    >>> float(surface_of_points(corners, [], 2.0).values[2, 2])
    10.5
    """
    from scipy.interpolate import LinearNDInterpolator
    from scipy.spatial import Delaunay, QhullError

    if not cell > 0:
        raise input_error("cell-size", f"the cell size must be over 0: {cell!r}")
    dense = [_densified(line, cell / 2) for line in lines]
    points = np.concatenate([np.asarray(spots, dtype=np.float64).reshape(-1, 3), *dense])
    line_of = np.concatenate([np.full(len(spots), -1), *(np.full(len(d), i) for i, d in enumerate(dense))])
    if not np.isfinite(points).all():
        raise input_error("point-not-finite", "a coordinate or elevation is not a finite number; repair the drawing")
    points, line_of = _one_per_place(points, line_of, cell)
    left, bottom = np.floor(points[:, :2].min(axis=0) / cell) if len(points) else (0.0, 0.0)
    right, top = np.ceil(points[:, :2].max(axis=0) / cell) if len(points) else (0.0, 0.0)
    rows, cols = int(top - bottom), int(right - left)
    try:
        if len(points) < 3 or not rows or not cols:
            raise QhullError
        check_shape((rows, cols), "the surface")
        middle = points[:, :2].mean(axis=0)  # differences of large coordinates lose digits
        mesh = Delaunay(points[:, :2] - middle)
    except QhullError:
        raise input_error("points-too-few", "give at least three places that do not lie on one line") from None
    surface = LinearNDInterpolator(mesh, points[:, 2])
    y = (top - 0.5 - np.arange(rows)) * cell - middle[1]
    x = (left + 0.5 + np.arange(cols)) * cell - middle[0]
    values = np.empty((rows, cols))
    flat_cells = 0
    corners = line_of[mesh.simplices]
    flat = (corners >= 0).all(axis=1)  # of one line or several: a contour may come in pieces
    flat &= np.ptp(points[mesh.simplices, 2], axis=1) == 0.0
    for row in range(rows):
        at = np.column_stack([x, np.full(cols, y[row])])
        values[row] = surface(at)
        if flat.any():
            triangle = mesh.find_simplex(at)
            flat_cells += int(np.count_nonzero(flat[triangle] & (triangle >= 0)))
    transform = (cell, 0.0, float(left) * cell, 0.0, -cell, float(top) * cell)
    at_points = _misfit(_bilinear(values, transform, points) - points[:, 2])
    return TinSurface(values, transform, at_points, _held_back(points, line_of, middle), flat_cells)


def _densified(line: Points, spacing: float) -> Points:
    """Return a line with vertices no farther apart than a spacing."""
    line = np.asarray(line, dtype=np.float64).reshape(-1, 3)
    if len(line) < 2:
        return line
    pieces = []
    for a, b in pairwise(line):
        length = float(np.hypot(*(b - a)[:2]))
        n = max(1, int(np.ceil(length / spacing))) if np.isfinite(length) else 1
        pieces.append(a + (b - a) * (np.arange(n) / n)[:, None])
    return np.concatenate([*pieces, line[-1:]])


def _one_per_place(points: Points, line_of: npt.NDArray[np.int64], cell: float) -> tuple[Points, npt.NDArray[np.int64]]:
    """Return one point for each place; elevations that contradict each other are refused."""
    place = np.round(points[:, :2] / (cell * _SAME_PLACE))
    order = np.lexsort((points[:, 2], place[:, 1], place[:, 0]))
    points, line_of, place = points[order], line_of[order], place[order]
    again = np.concatenate([[False], (place[1:] == place[:-1]).all(axis=1)]) if len(points) else np.zeros(0, bool)
    rise = np.concatenate([[0.0], np.diff(points[:, 2])]) if len(points) else np.zeros(0)
    tolerance = _SAME_HEIGHT * float(np.abs(points[:, 2]).max(initial=0.0))
    wrong = np.flatnonzero(again & (rise > tolerance))
    if len(wrong):
        x, y, z = points[wrong[0]]
        raise InputError(
            Finding(
                "two-elevations",
                "error",
                f"{count_of(len(wrong), 'place has', 'places have')} two elevations, first x {x:.10g}, y "
                f"{y:.10g}: {points[wrong[0] - 1, 2]:.9g} "
                f"and {z:.9g}; lines that cross must agree, and a wall needs its top and foot apart",
            )
        )
    return points[~again], line_of[~again]


def _bilinear(values: npt.NDArray[np.float64], transform: Transform, points: Points) -> npt.NDArray[np.float64]:
    """Return the surface at points, linear between cell centres; NaN beyond them and beside nodata."""
    rows, cols = values.shape
    col = (points[:, 0] - transform[2]) / transform[0] - 0.5
    row = (transform[5] - points[:, 1]) / transform[0] - 0.5
    inside = (col >= 0) & (row >= 0) & (col <= cols - 1) & (row <= rows - 1)
    c, r = (np.clip(np.floor(v).astype(np.int64), 0, n - 1) for v, n in ((col, cols), (row, rows)))
    c1, r1 = np.minimum(c + 1, cols - 1), np.minimum(r + 1, rows - 1)
    fc, fr = col - c, row - r
    upper = values[r, c] * (1 - fc) + values[r, c1] * fc
    lower = values[r1, c] * (1 - fc) + values[r1, c1] * fc
    return np.where(inside, upper * (1 - fr) + lower * fr, np.nan)


def _misfit(differences: npt.NDArray[np.float64]) -> Misfit | None:
    known = differences[~np.isnan(differences)]
    if not len(known):
        return None
    return Misfit(len(known), float(np.abs(known).max()), float(np.sqrt(np.mean(known**2))))


def _held_back(points: Points, line_of: npt.NDArray[np.int64], middle: Any) -> Misfit | None:
    """Return how far a triangulation without every tenth spot elevation is from those."""
    from scipy.interpolate import LinearNDInterpolator

    spots = np.flatnonzero(line_of < 0)
    if len(spots) < _FEWEST_TO_HOLD_BACK:
        return None
    held = spots[_HELD_BACK // 2 :: _HELD_BACK]
    kept = np.ones(len(points), bool)
    kept[held] = False
    surface = LinearNDInterpolator(points[kept, :2] - middle, points[kept, 2])
    return _misfit(surface(points[held, :2] - middle) - points[held, 2])
