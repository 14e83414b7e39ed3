"""The rolling 12-month discharge by first day, with the governing window and the limit."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sedcalc.compliance.ruling import Ruling
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report import style
from sedcalc.report.charts.canvas import Canvas, Columns, Result, canvas, drawn_from, limit_of, load_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LINES: Final = len(style.COLORS) - 1


def _columns(result: Result) -> Columns:
    """Return every window of every drainage area, the whole site last: dates, tons, acres, tons/acre."""
    load = load_of(result)
    windows = load.windows
    governing = _governing(result)
    table: Columns = {
        n: [] for n in ("drainage_area", "start", "end", "tons", "acres", "tons_per_acre", "governing", "limit")
    }
    for column, area in enumerate(windows.area):
        for row in range(len(windows.start)):
            figure = float(windows.tons_per_acre[row, column])
            table["drainage_area"].append(area)
            table["start"].append(windows.start[row].item())
            table["end"].append(windows.end[row].item())
            table["tons"].append(float(windows.tons[row, column]))
            table["acres"].append(float(windows.acres[row, column]))
            table["tons_per_acre"].append(None if np.isnan(figure) else figure)
            table["governing"].append((row, column) == governing)
            table["limit"].append(limit_of(result))
    return table


@drawn_from(_columns)
def rolling_discharge(result: Result, ax: "Axes | None" = None, *, width_in: float = style.WIDTH_IN) -> "Axes":
    """Draw the discharge per acre of every 12-month window by its first day, the governing one, and the limit.

    Parameters
    ----------
    result
        A ruling, or a load (then there is no limit and no governing window).
    ax
        Axes to draw on; by default those of a new figure.
    width_in
        Width of the new figure, inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ValueError
        If the project is shorter than 12 months: it has one window only.

    Notes
    -----
    Of more than four drainage areas the four with the largest figure are drawn; the table holds them all.
    """
    load = load_of(result)
    windows = load.windows
    if windows.whole_project:
        raise ValueError("a project shorter than 12 months has one window only")
    with canvas(ax, width_in, 3.4 if not style.is_narrow(width_in) else 3.0) as on:
        axes = on.ax
        days = windows.start.astype("datetime64[D]")
        for place, column in enumerate(_columns_drawn(load)):
            area = windows.area[column]
            look: dict[str, Any] = {"color": style.COLORS[place], "linestyle": style.LINES[place], "linewidth": 1.6}
            if area is None:
                look = {"color": "#777777", "linewidth": 2.4}
            label = "whole site" if area is None else style.short(area, 18 if on.narrow else 34)
            axes.plot(days, windows.tons_per_acre[:, column], label=label, **look)
        limit = limit_of(result)
        if limit is not None:
            axes.axhline(limit, label=f"limit {limit:g}", **style.LIMIT)
        largest = max(float(np.nanmax(windows.tons_per_acre)), limit or 0.0)
        axes.set_ylim(0.0, 1.16 * max(largest, 1e-9))
        year = on.dates(days[0].item(), days[-1].item())
        axes.grid(axis="y")
        _mark_governing(on, result)
        on.title(load, "Discharge in 12 months")
        axes.set_xlabel("first day of the 12 months" + (f", {year}" if year else ""))
        axes.set_ylabel("short tons per acre")
        on.legend_below(6, 3)
    return axes


def _governing(result: Result) -> tuple[int, int] | None:
    """Return row and column of the governing window among all windows."""
    if not isinstance(result, Ruling) or result.governing is None:
        return None
    windows, governing = result.load.windows, result.governing
    column = windows.area.index(governing.drainage_area)
    at = (windows.start == np.datetime64(governing.window_start)) & (windows.end == np.datetime64(governing.window_end))
    return (int(np.argmax(at)), column) if at.any() else None  # an average year is no window


def _mark_governing(on: Canvas, result: Result) -> None:
    """Ring the governing window, and write its dates and figure beside it."""
    found = _governing(result)
    if found is None:
        return
    windows = load_of(result).windows
    row, column = found
    day, figure = windows.start[row], float(windows.tons_per_acre[row, column])
    on.ax.plot(
        [day], [figure], "o", markersize=7, markerfacecolor="white", markeredgecolor="black", markeredgewidth=1.4
    )
    late = row > 0.5 * len(windows.start)
    low = figure > 0.72 * on.ax.get_ylim()[1]
    on.ax.annotate(
        f"governing: {windows.start[row]} to {windows.end[row]}, {figure:.2f}",
        (day, figure),
        xytext=(-8 if late else 8, -11 if low else 9),
        textcoords="offset points",
        ha="right" if late else "left",
        va="top" if low else "bottom",
        fontsize=on.size,
        bbox=style.PAPER,
    )


def _columns_drawn(load: SedimentLoad) -> list[int]:
    """Return the columns of the windows to draw: the worst drainage areas as far as colours go, then the site."""
    figures = load.windows.tons_per_acre
    areas = [k for k in range(figures.shape[1] - 1) if not np.isnan(figures[:, k]).all()]
    worst = sorted(areas, key=lambda k: -float(np.nanmax(figures[:, k])))[:_MOST_LINES]
    return [*sorted(worst), figures.shape[1] - 1]
