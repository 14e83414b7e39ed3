"""What every map goes through: page, ground, theme, furniture; and the theme of a quantity in classes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sedcalc.report import style
from sedcalc.report.maps import furniture
from sedcalc.report.maps.classes import Classes
from sedcalc.report.maps.page import Page, View, open_page
from sedcalc.report.maps.relief import CONTOUR, draw_contours, draw_hillshade, image_of
from sedcalc.report.maps.themes import Result, area_of_cells, load_of, ordinance_of
from sedcalc.terrain.grid import Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Frame = tuple["Axes | None", float, str | None, float | None]
"""What a caller asks of the page: axes, width in inches, sheet, scale in ft/in."""


def draw_map(
    result: Result,
    texts: tuple[str, str, str],
    ground: Grid | None,
    frame: Frame,
    entries: int,
    draw: Callable[[Page, View], list[Any]],
) -> "Axes":
    """Open the page of a map, draw ground, theme and furniture on it, and return its axes.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    texts
        Title (a detail in a second line), what the numbers are, heading of the legend.
    ground
        Elevations; None where there are none.
    frame
        What the caller asks of the page.
    entries
        Lines of the legend.
    draw
        Draws the theme and returns the entries of the legend.
    """
    from matplotlib import rc_context
    from matplotlib.lines import Line2D

    load, (ax, width_in, sheet, scale) = load_of(result), frame
    title, said, heading = texts
    if ax is None and sheet is None:
        style.check_width(width_in)
    with rc_context(style.settings(width_in)):
        page, view = open_page(result, ax, width_in, entries + (ground is not None), sheet, scale)
        if ground is not None:
            draw_hillshade(page.ax, view.cut(ground))
        handles = draw(page, view)
        if ground is not None:
            text = draw_contours(page, view, ground, load.site.units, ordinance_of(result))
            if text is not None:
                handles.append(Line2D([], [], color=CONTOUR, linewidth=0.9, label=text))
        furniture.draw_legend(page, handles, heading)
        furniture.draw_scale(page, view.grid, load.site.units)
        furniture.draw_grid_letters(page, view.grid, load.site.units)
        furniture.draw_source(page, load, said)
        furniture.draw_title(page, load, *title.split("\n"))
    return page.ax


def draw_classes(
    result: Result, grid: Grid, classes: Classes, title: str, said: str, ground: Grid | None, frame: Frame
) -> "Axes":
    """Draw a map of a quantity in classes, and return its axes.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    grid
        The quantity, in the unit of the classes.
    classes
        Its classes.
    title, said
        Title, and what the numbers are.
    ground
        Elevations; None where there are none.
    frame
        What the caller asks of the page.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.lines import Line2D

    load = load_of(result)
    entries = furniture.class_entries(classes, classes.counts(grid.values), grid.cell_acres, load.site.units)
    entries.append(Line2D([], [], color=furniture.OUTLINE, linewidth=furniture.OUTLINE_WIDTH, label="drainage areas"))

    def draw(page: Page, view: View) -> list[Any]:
        shown = view.cut(grid)
        index = np.ma.masked_less(classes.index(shown.values), 0)
        look: dict[str, Any] = {
            "cmap": ListedColormap(list(classes.colors)),
            "vmin": -0.5,
            "vmax": len(classes.colors) - 0.5,
        }
        # Opaque: the shade of a hill would move a colour to the next class.
        page.ax.imshow(index, **look, **image_of(shown))
        for edge in classes.marks:
            over = (shown.values >= edge).astype(np.int8) - 1
            furniture.draw_outlines(page, over, shown, colors="black", linewidths=furniture.MARK_WIDTH)
        furniture.draw_outlines(page, cells_shown(view, area_of_cells(load)), shown)
        return entries

    return draw_map(result, (title, said, classes.title), ground, frame, len(entries), draw)


def cells_shown(view: View, codes: NDArray[Any]) -> NDArray[Any]:
    """Return what of an array on the site's cells a map shows.

    Parameters
    ----------
    view
        The part.
    codes
        On the site's cells.
    """
    return codes[view.rows, view.cols][:: view.step, :: view.step]
