"""The page of a map: what of the ground it shows, at which scale, and where map, legend and text stand."""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from sedcalc.findings import input_error
from sedcalc.load.ground import CellRasters
from sedcalc.report import style
from sedcalc.report.maps.themes import Result, cells_of, load_of, ordinance_of
from sedcalc.terrain.grid import Grid
from sedcalc.units import FOOT_M

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Sheet = Literal["letter", "tabloid", "arch-d"]
SHEETS_IN: Final[dict[str, tuple[float, float]]] = {
    "letter": (11.0, 8.5),
    "tabloid": (17.0, 11.0),
    "arch-d": (36.0, 24.0),
}
"""Width and height of plan sheets laid on their long side, inches: ANSI A and B (ASME Y14.1), Arch D."""

_ENGINEER_SCALES: Final = (10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 600, 1000, 2000)
_MARGIN: Final = 0.12  # ground drawn around the site, of its larger side
_LARGEST: Final = 1600  # cells each way; larger rasters are drawn with cells left out
_EDGE_IN: Final = 0.1
_LEFT_IN: Final = 0.3  # grid numbers
_TOP_IN: Final = 0.72  # title and grid letters
_BELOW_IN: Final = 0.92  # scale bar, arrow, source
_LEGEND_IN: Final = 2.3
_SHEET_LEGEND_IN: Final = 2.6
_ENTRY_IN: Final = 0.16  # height of a line of the legend
_NARROW_ENTRY_IN: Final = 0.137
_SHEET_MARGIN_IN: Final = 0.4


@dataclass(frozen=True, slots=True)
class View:
    """The part of the cells that a map shows.

    Parameters
    ----------
    rows, cols
        Of the cells.
    step
        Every how many-th cell is drawn.
    grid
        The cells drawn, of the site's elevations or LS.
    """

    rows: slice
    cols: slice
    step: int
    grid: Grid

    def cut(self, grid: Grid) -> Grid:
        """Return what of a grid the map shows.

        Parameters
        ----------
        grid
            On the site's cells.
        """
        return _cut(grid, self.rows, self.cols, self.step)


@dataclass(frozen=True, slots=True)
class Page:
    """Axes of a map and the room around them.

    Parameters
    ----------
    ax
        The axes, as large as the map, with its limits set.
    width_in
        Width of the page, inches.
    legend_beside
        Whether the legend stands beside the map; under it otherwise.
    feet_per_inch
        The stated scale of a sheet, ft/in; None: only the scale bar says it.
    """

    ax: "Axes"
    width_in: float
    legend_beside: bool
    feet_per_inch: float | None

    @property
    def size(self) -> float:
        """Size of the small text, points."""
        return 6.5 if style.is_narrow(self.width_in) else 7.5


def site_view(cells: CellRasters, bounds: tuple[float, float, float, float] | None = None) -> View:
    """Return the view of a site with some ground around it.

    Parameters
    ----------
    cells
        The cells.
    bounds
        West, south, east, north of the frame in units of the CRS, where a scale fixes it.
    """
    grid = cells.grid
    if bounds is None:
        inside = cells.piece >= 0
        spans = []
        for axis in (0, 1):
            there = np.flatnonzero(inside.any(axis=1 - axis))
            spans.append((int(there[0]), int(there[-1]) + 1))
        margin = max(2, math.ceil(_MARGIN * max(b - a for a, b in spans)))
        rows, cols = (
            slice(max(a - margin, 0), min(b + margin, n)) for (a, b), n in zip(spans, grid.shape, strict=True)
        )
    else:
        size, _, left, _, _, top = grid.transform
        west, south, east, north = bounds
        cols = slice(max(math.floor((west - left) / size), 0), min(math.ceil((east - left) / size), grid.shape[1]))
        rows = slice(max(math.floor((top - north) / size), 0), min(math.ceil((top - south) / size), grid.shape[0]))
    step = max(1, math.ceil(max(rows.stop - rows.start, cols.stop - cols.start) / _LARGEST))
    return View(rows, cols, step, _cut(grid, rows, cols, step))


def _cut(grid: Grid, rows: slice, cols: slice, step: int) -> Grid:
    """Return every ``step``-th cell of a window, as a grid of larger cells."""
    a, _, c, _, _, f = grid.transform
    transform = (a * step, 0.0, c + a * cols.start, 0.0, -a * step, f - a * rows.start)
    return replace(grid, values=np.ascontiguousarray(grid.values[rows, cols][::step, ::step]), transform=transform)


def open_page(
    result: Result,
    ax: "Axes | None",
    width_in: float,
    entries: int,
    sheet: str | None,
    feet_per_inch: float | None,
) -> tuple[Page, View]:
    """Return the page of a map and what it shows.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    ax
        The caller's axes; None for a page of its own.
    width_in
        Width of a page without a sheet, inches.
    entries
        Lines of the legend.
    sheet
        One of `SHEETS_IN`, or None.
    feet_per_inch
        Scale of the sheet, ft/in; None: the largest engineer's scale that holds the site.

    Raises
    ------
    InputError
        No such sheet; a scale without one, or not positive; the ordinance asks for a larger scale; the site does not
        fit.
    """
    cells = cells_of(load_of(result))
    view = site_view(cells)
    if sheet is not None:
        return _sheet_page(result, cells, view, sheet, feet_per_inch)
    if feet_per_inch is not None:
        raise input_error("scale-without-sheet", "a stated scale needs a sheet: letter, tabloid or arch-d", "sheet")
    if ax is not None:
        width_in = ax.get_window_extent().width / style.figure_of(ax).dpi / 0.775
        beside = not style.is_narrow(width_in)
    else:
        beside = not style.is_narrow(width_in)
        map_in = width_in - _LEFT_IN - (_LEGEND_IN if beside else _EDGE_IN)
        rows, cols = view.grid.shape
        high = min(max(map_in * rows / cols, 0.5), 9.0)
        map_in = high * cols / rows
        legend_in = 0.3 + (_ENTRY_IN if beside else _NARROW_ENTRY_IN) * entries
        below = _BELOW_IN if beside else _BELOW_IN + legend_in
        height = max(_TOP_IN + high + below, _TOP_IN + legend_in if beside else 0.0)
        ax = style.new_axes(height, width_in)
        _place(ax, _LEFT_IN, height - _TOP_IN - high, map_in, high)
    west, south, east, north = view.grid.bounds
    _frame(ax, west, south, east, north)
    return Page(ax, width_in, beside, None), view


def _sheet_page(
    result: Result, cells: CellRasters, view: View, sheet: str, feet_per_inch: float | None
) -> tuple[Page, View]:
    if sheet not in SHEETS_IN:
        raise input_error("unknown-sheet", f"{sheet!r} is no sheet; there are {', '.join(SHEETS_IN)}", "sheet")
    width, height = SHEETS_IN[sheet]
    map_in = width - 2.0 * _SHEET_MARGIN_IN - _LEFT_IN - _SHEET_LEGEND_IN
    high = height - 2.0 * _SHEET_MARGIN_IN - _TOP_IN - _BELOW_IN
    foot = FOOT_M / cells.grid.xy_unit_m  # of the CRS
    west, south, east, north = _site_bounds(cells)
    needed = max((east - west) / foot / map_in, (north - south) / foot / high)
    if feet_per_inch is None:
        feet_per_inch = next((float(s) for s in _ENGINEER_SCALES if s >= needed), needed)
    if not (math.isfinite(feet_per_inch) and feet_per_inch > 0.0):
        raise input_error("scale-not-positive", f"{feet_per_inch:g} ft per inch is no scale", "feet_per_inch")
    if needed > feet_per_inch * (1.0 + 1e-9):
        raise input_error(
            "site-beyond-sheet",
            f"the site is {(east - west) / foot:,.0f} ft by {(north - south) / foot:,.0f} ft; at {feet_per_inch:g} "
            f"ft per inch {sheet} holds {map_in * feet_per_inch:,.0f} ft by {high * feet_per_inch:,.0f} ft. Take "
            f"at least {math.ceil(needed)} ft per inch, or a larger sheet",
            "feet_per_inch",
        )
    largest = ordinance_of(result).numbers.get("map_scale")
    if largest is not None and not largest.holds(feet_per_inch):
        raise input_error(
            "scale-too-small",
            f"{feet_per_inch:g} ft per inch: the code asks for {largest.text} [{largest.clause}]; take a larger sheet",
            "feet_per_inch",
        )
    half_x, half_y = 0.5 * map_in * feet_per_inch * foot, 0.5 * high * feet_per_inch * foot
    x, y = 0.5 * (west + east), 0.5 * (south + north)
    bounds = (x - half_x, y - half_y, x + half_x, y + half_y)
    ax = style.new_axes(height, width)
    _place(ax, _SHEET_MARGIN_IN + _LEFT_IN, _SHEET_MARGIN_IN + _BELOW_IN, map_in, high)
    _frame(ax, *bounds)
    return Page(ax, width, True, feet_per_inch), site_view(cells, bounds)


def _site_bounds(cells: CellRasters) -> tuple[float, float, float, float]:
    rows, cols = np.nonzero(cells.piece >= 0)
    size, _, left, _, _, top = cells.grid.transform
    return (
        left + size * float(cols.min()),
        top - size * float(rows.max() + 1),
        left + size * float(cols.max() + 1),
        top - size * float(rows.min()),
    )


def _place(ax: "Axes", left: float, bottom: float, width: float, height: float) -> None:
    """Put axes at a place of the figure, inches; nothing moves them afterwards."""
    figure = style.figure_of(ax)
    figure.set_layout_engine("none")
    w, h = figure.get_size_inches()
    ax.set_position((left / w, bottom / h, width / w, height / h))


def _frame(ax: "Axes", west: float, south: float, east: float, north: float) -> None:
    ax.set_xlim(west, east)
    ax.set_ylim(south, north)
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(True)
