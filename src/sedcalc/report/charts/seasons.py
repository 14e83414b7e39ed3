"""The erosivity of the place over the year, with the phases on it."""

import datetime
import itertools
from typing import TYPE_CHECKING, Final

import numpy as np

from sedcalc.factors.erosivity import EI_DATES
from sedcalc.findings import count_of
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report import style
from sedcalc.report.charts.canvas import Canvas, Columns, Result, canvas, drawn_from, load_of
from sedcalc.report.charts.schedule_bars import share_of_year

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DAY: Final = datetime.timedelta(days=1)
_MOST_ROWS: Final = 30
_MONTHS: Final = "JFMAMJJASOND"


def _season_columns(result: Result) -> Columns:
    """Return the parts of the year between the table's dates, then the phases: dates, and their share of the EI."""
    load = load_of(result)
    cumulative = load.erosivity.cumulative_pct
    table: Columns = {n: [] for n in ("kind", "name", "start", "end", "ei_percent", "cumulative_percent")}
    year = 2001  # any year without a Feb 29
    days = [datetime.date(year, month, day) for month, day in EI_DATES]
    for k, (start, end) in enumerate(itertools.pairwise(days)):
        first = start if k == 0 else start + _DAY
        _add(table, "part of the year", "", f"{first:%m-%d}", f"{end:%m-%d}")
        table["ei_percent"].append(cumulative[k + 1] - cumulative[k])
        table["cumulative_percent"].append(cumulative[k + 1])
    for phase in sorted(load.site.phases, key=lambda p: (p.start, p.end)):
        _add(table, "phase", phase.id, phase.start.isoformat(), phase.end.isoformat())
        table["ei_percent"].append(100.0 * share_of_year(load, phase.start, phase.end))
        table["cumulative_percent"].append(None)
    return table


def _add(table: Columns, *values: str) -> None:
    for name, value in zip(("kind", "name", "start", "end"), values, strict=True):
        table[name].append(value)


@drawn_from(_season_columns)
def erosivity_by_season(result: Result, ax: "Axes | None" = None, *, width_in: float = style.WIDTH_IN) -> "Axes":
    """Draw the distribution of the place's erosivity over the year, and the phases below it.

    Parameters
    ----------
    result
        A ruling or a load.
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
    Bars: percent of the annual EI in each of the 24 parts of the year between the dates of EPA 833-F-00-014, Table 1.
    A phase is drawn on the days of the year it touches, and its share of the annual EI (over 100 % for more than a
    year) is written beside its name.
    """
    load = load_of(result)
    table = _season_columns(result)
    parts = table["kind"].count("part of the year")
    phases = list(zip(*(table[n][parts:] for n in ("name", "start", "end", "ei_percent")), strict=True))
    shown = phases[:_MOST_ROWS]
    with canvas(ax, width_in, 2.9 + 0.17 * len(shown)) as on:
        axes = on.ax
        edges = np.array([0.0, *[_day_of_year(m, d) for m, d in EI_DATES[1:]]])
        percent = np.array(table["ei_percent"][:parts])
        top = float(percent.max())
        axes.bar(edges[:-1], percent, np.diff(edges), align="edge", linewidth=0.8, **style.CREDIT)
        row = 0.085 * top
        names = style.short_each([name for name, *_ in shown], 19 if on.narrow else 32)
        for k, (_, start, end, share) in enumerate(shown):
            _strips(on, -(k + 1.0) * row, 0.5 * row, *(datetime.date.fromisoformat(d) for d in (start, end)))
            label = f"{names[k]}  {share:.1f} %"
            axes.annotate(
                label,
                (0.0, -(k + 1.0) * row),
                xytext=(-5, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=on.size,
                annotation_clip=False,
            )
        axes.set_xlim(0.0, 365.0)
        axes.set_ylim(-(len(shown) + 0.8) * row, 1.08 * top)
        axes.axhline(0.0, color="black", linewidth=0.6)
        axes.set_yticks([t for t in axes.get_yticks() if 0.0 <= t <= top])
        axes.set_ylabel("% of the annual EI in each part", loc="top")
        firsts = [_day_of_year(m, 1) - 1 for m in range(1, 13)]
        axes.set_xticks([*firsts, 365], [])
        axes.set_xticks([f + 15 for f in firsts], list(_MONTHS), minor=True)
        axes.tick_params(axis="x", which="minor", length=0)
        axes.grid(axis="x", color="#EEEEEE")
        _cumulative_of_year(on, load, len(shown) * row + 0.8 * row, 1.08 * top)
        zone = load.erosivity.ei_zone
        on.title(
            load, ("Erosivity" if on.narrow else "Erosivity over the year") + ("" if zone is None else f", zone {zone}")
        )
        if len(shown) < len(phases):
            axes.set_xlabel(
                count_of(len(phases) - len(shown), "more phase stands", "more phases stand") + " in the table"
            )
    return axes


def _cumulative_of_year(on: Canvas, load: SedimentLoad, below: float, above: float) -> None:
    right = on.ax.twinx()
    days = [0.0, *[_day_of_year(m, d) for m, d in EI_DATES[1:]]]
    right.plot(days, load.erosivity.cumulative_pct, color=style.COLORS[1], linewidth=1.6, marker=".", markersize=4)
    right.set_ylim(-100.0 * 1.05 * below / above, 105.0)
    right.set_yticks([0, 25, 50, 75, 100])
    right.set_ylabel("cumulative, % (line)", loc="top")
    right.spines["right"].set_visible(True)


def _strips(on: Canvas, place: float, height: float, start: datetime.date, end: datetime.date) -> None:
    """Draw a phase on the days of the year it touches: in two pieces across new year, whole for a year or more."""
    if (end - start).days >= 364:
        pieces = [(0.0, 365.0)]
    else:
        left, right = _day_of_year(start.month, start.day) - 1.0, float(_day_of_year(end.month, end.day))
        pieces = [(left, right)] if left < right else [(left, 365.0), (0.0, right)]
    for left, right in pieces:
        on.ax.barh(place, right - left, height, left=left, linewidth=0.6, **style.CONTROLLED)


def _day_of_year(month: int, day: int) -> int:
    """Return the number of a day in a year of 365 days; Feb 29 counts as Feb 28."""
    return datetime.date(2001, month, 28 if (month, day) == (2, 29) else day).timetuple().tm_yday
