"""The rolling 12-month discharge by first day, with the governing window and the limit."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sedcalc.compliance.ruling import Ruling
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report import style
from sedcalc.report.charts.canvas import Canvas, Columns, Result, area_names, canvas, drawn_from, limit_of, load_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LINES: Final = len(style.COLORS) - 1
_MOST_ROWS: Final = 16
_ROW_IN: Final = 0.3


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
    """Draw the discharge per acre in 12 months by their first day, the governing months, and the limit.

    Parameters
    ----------
    result
        A ruling, or a load (then there is no limit and no governing window).
    ax
        Axes to draw on; by default those of a new figure.
    width_in
        Width of the new figure, inches, 3.25 to 48.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Notes
    -----
    A project shorter than 12 months has one window, the whole project: then there is a bar for each drainage area
    instead of a line. Of more than four drainage areas (as bars: sixteen) those with the largest figure are drawn, and
    the axis says so; the table holds them all.
    """
    load = load_of(result)
    windows = load.windows
    if windows.whole_project:
        return _one_window(result, ax, width_in)
    shown, known = _columns_drawn(load, _MOST_LINES)
    with canvas(ax, width_in, 3.4 if not style.is_narrow(width_in) else 3.0) as on:
        axes = on.ax
        days = windows.start.astype("datetime64[D]")
        names = area_names(load, 18 if on.narrow else 34)
        for place, column in enumerate(shown):
            area, label = windows.area[column], names[column]
            look: dict[str, Any] = {"color": style.COLORS[place], "linestyle": style.LINES[place], "linewidth": 1.6}
            if area is None:
                look = {"color": "#777777", "linewidth": 2.4}
            axes.plot(days, windows.tons_per_acre[:, column], label=label, **look)
        limit = limit_of(result)
        if limit is not None:
            axes.axhline(limit, label=f"limit {limit:g}", **style.LIMIT)
        largest = max(float(np.nanmax(windows.tons_per_acre)), limit or 0.0)
        axes.set_ylim(0.0, 1.3 * max(largest, 1e-9))  # room for what is said of the governing window
        on.plain_numbers(axes.yaxis)
        year = on.dates(days[0].item(), days[-1].item())
        axes.grid(axis="y")
        _mark_governing(on, result)
        on.title(load, "Discharge in 12 months")
        axes.set_xlabel("first day of the 12 months" + (f", {year}" if year else "") + _said_of_areas(shown, known))
        axes.set_ylabel("short tons per acre")
        on.legend_below(6, 3)
    return axes


def _one_window(result: Result, ax: "Axes | None", width_in: float) -> "Axes":
    """Draw the discharge per acre of a project under 12 months, a bar for each drainage area and the site."""
    load = load_of(result)
    windows = load.windows
    shown, known = _columns_drawn(load, _MOST_ROWS)
    limit, governing = limit_of(result), _governing(result)
    with canvas(ax, width_in, 1.5 + _ROW_IN * len(shown)) as on:
        axes = on.ax
        figures = [float(windows.tons_per_acre[0, column]) for column in shown]
        end = 1.2 * max(*figures, limit or 0.0, 1e-9)
        names, labels = area_names(load, 18 if on.narrow else 34), []
        for place, (column, figure) in enumerate(zip(shown, figures, strict=True)):
            area, name = windows.area[column], names[column]
            look = style.CREDIT if area is None else style.CONTROLLED
            axes.barh(place, figure, 0.6, linewidth=0.8, **look)
            on.number_at_bar(figure, place, f"{figure:,.2f}", limit, end)
            labels.append(f"{name}\n(governing)" if governing == (0, column) else name)
        if limit is not None:
            axes.axvline(limit, label=f"limit {limit:g}", **style.LIMIT)
        axes.set_yticks(range(len(shown)), labels)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlim(0.0, end)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        on.plain_numbers(axes.xaxis)
        on.title(load, "Discharge of the whole project")
        days = f"{windows.start[0]} to {windows.end[0]}, under 12 months"
        unit = "short tons per acre" + ("\n" if on.narrow else ", ")
        axes.set_xlabel(unit + days + _said_of_areas(shown, known))
        on.legend_below(1)
    return axes


def _said_of_areas(shown: list[int], known: int) -> str:
    """Return the line of the axis that says which drainage areas are left out; nothing where all are drawn."""
    drawn = len(shown) - 1  # the last is the site
    return "" if drawn == known else f"\n{drawn} of {known} drainage areas drawn: the largest figures"


def _governing(result: Result) -> tuple[int, int] | None:
    """Return row and column of the governing window among all windows."""
    if not isinstance(result, Ruling) or result.governing is None:
        return None
    windows, governing = result.load.windows, result.governing
    column = windows.area.index(governing.drainage_area)
    at = (windows.start == np.datetime64(governing.window_start)) & (windows.end == np.datetime64(governing.window_end))
    return (int(np.argmax(at)), column) if at.any() else None  # an average year is no window


def _mark_governing(on: Canvas, result: Result) -> None:
    """Ring the governing window, and write its drainage area, dates and figure above all lines."""
    found = _governing(result)
    if found is None:
        return
    windows = load_of(result).windows
    row, column = found
    day, figure = windows.start[row], float(windows.tons_per_acre[row, column])
    on.ax.plot(
        [day], [figure], "o", markersize=7, markerfacecolor="white", markeredgecolor="black", markeredgewidth=1.4
    )
    name = area_names(load_of(result), 18 if on.narrow else 34)[column]
    text = f"governing: {name}\n{windows.start[row]} to {windows.end[row]}, {figure:,.2f}"
    # Above the ring, as far as the text stays between the ends of the axis.
    half = 0.5 * max(map(len, text.split("\n"))) * 0.6 * on.size / 72.0 / (0.8 * on.width_in)
    at = row / max(len(windows.start) - 1, 1)
    middle = min(max(at, half), 1.0 - half)
    on.ax.annotate(
        text,
        (day, figure),
        xytext=(middle, 0.995),
        textcoords="axes fraction",
        ha="center",
        va="top",
        fontsize=on.size,
        arrowprops={
            "arrowstyle": "-",
            "linewidth": 0.7,
            "shrinkB": 4.0,
            "relpos": (0.5 + 0.5 * (at - middle) / half, 0.0),
        },
    )


def _columns_drawn(load: SedimentLoad, most: int) -> tuple[list[int], int]:
    """Return the columns of the windows to draw, the worst drainage areas and the site, and how many have a figure."""
    figures = load.windows.tons_per_acre
    areas = [k for k in range(figures.shape[1] - 1) if not np.isnan(figures[:, k]).all()]
    worst = sorted(areas, key=lambda k: -float(np.nanmax(figures[:, k])))[:most]
    return [*sorted(worst), figures.shape[1] - 1], len(areas)
