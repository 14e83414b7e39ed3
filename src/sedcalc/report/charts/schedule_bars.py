"""The schedule: phases and practices over time, on the cumulative erosivity."""

import datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sedcalc.compliance.ruling import Ruling
from sedcalc.factors.erosivity import daily_ei, ei_fraction
from sedcalc.findings import count_of
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report import style
from sedcalc.report.charts.canvas import Canvas, Columns, Result, canvas, drawn_from, load_of
from sedcalc.site.practices import practice_kind
from sedcalc.site.submission import Cover
from sedcalc.units import area_text, percent_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DAY: Final = datetime.timedelta(days=1)
_MOST_ROWS: Final = 30
_MOST_OF_TWO_LINES: Final = 16
# Bare, sparse and dense cover by C; each lighter than the one before, so that a grey copy keeps them apart.
_COVERED: Final = (
    (0.5, "#8C3A00", "C 0.5 and over"),
    (0.1, "#E69F00", "C 0.1 to 0.5"),
    (0.0, "#F6E3B4", "C under 0.1"),
)
_UNKNOWN: Final = ("#BBBBBB", "C varies")


def _timeline_columns(result: Result) -> Columns:
    """Return phases and then practices by their first day: acres, cover, C, share of the annual erosivity."""
    load = load_of(result)
    acres = _unit_acres(load)
    rows: list[dict[str, Any]] = []
    for phase in load.site.phases:
        at = [i for i, p in enumerate(load.columns["phase"]) if p == phase.id]
        known = {load.columns["C"][i] for i in at}
        rows.append(
            {
                "kind": "phase",
                "name": phase.id,
                "start": phase.start,
                "end": phase.end,
                "acres": sum(acres[u] for u in phase.units),
                "cover": _cover_text(phase.cover),
                "C": known.pop() if len(known) == 1 else None,
                "efficiency": None,
            }
        )
    for number, practice in enumerate(load.site.practices):
        drained = load.network.drained(number)[load.ground.pieces.drainage_area]
        rows.append(
            {
                "kind": "practice",
                "name": practice.id,
                "start": practice.start,
                "end": practice.end,
                "acres": float((drained * load.ground.pieces.acres).sum()),
                "cover": practice_kind(practice),
                "C": None,
                "efficiency": load.network.credits[number].efficiency,
            }
        )
    rows.sort(key=lambda r: (r["kind"] == "practice", r["start"], r["end"]))
    for row in rows:
        row["ei_fraction"] = share_of_year(load, row["start"], row["end"])
    names = ("kind", "name", "start", "end", "acres", "cover", "C", "efficiency", "ei_fraction")
    return {n: [row[n] for row in rows] for n in names}


@drawn_from(_timeline_columns)
def timeline(result: Result, ax: "Axes | None" = None, *, width_in: float = style.WIDTH_IN) -> "Axes":
    """Draw phases and practices over time, with area and cover, over the cumulative erosivity.

    Parameters
    ----------
    result
        A ruling, or a load (then no governing window is shaded).
    ax
        Axes to draw on; by default those of a new figure.
    width_in
        Width of the new figure, inches, 3.25 to 48.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the bars; the curve stands on axes of its own below them.

    Notes
    -----
    The curve is the erosivity from the first day drawn on, in percent of the annual R: it is steep where bare ground
    costs most. The number at a phase is the share f of the annual erosivity between its dates.
    """
    load = load_of(result)
    table = _timeline_columns(result)
    shown = min(len(table["name"]), _MOST_ROWS)
    narrow = style.is_narrow(width_in)
    # Names and areas on one line where two would be higher than a page at full size.
    lines = 2 if shown <= _MOST_OF_TWO_LINES else 1
    row_in = {(2, True): 0.4, (2, False): 0.38, (1, True): 0.19, (1, False): 0.21}[lines, narrow]
    with canvas(ax, width_in, 1.75 + row_in * shown) as on:
        axes = on.ax
        first, last = min(table["start"][:shown]), max(table["end"][:shown])
        axes.set_xlabel(on.dates(first, last))
        axes.set_ylim(shown - 0.35, -0.65)
        _cumulative(on, load, first, last)
        handles = [*_gantt(on, table, shown, lines), *_shade_governing(on, result)]
        on.title(load, "Schedule and erosivity")
        if shown < len(table["name"]):
            axes.set_xlabel(
                count_of(len(table["name"]) - shown, "more row stands", "more rows stand") + " in the table"
            )
        on.legend_of(handles, [str(h.get_label()) for h in handles], 3, 2)
    return axes


def _gantt(on: Canvas, table: Columns, shown: int, lines: int) -> list[Any]:
    """Draw the bars, and return what the legend shows of them."""
    from matplotlib import dates
    from matplotlib.patches import Patch

    used: dict[str, Any] = {}
    labels = []
    room = 22 if on.narrow else 36
    areas = [f"{area_text(acres)} ac" for acres in table["acres"][:shown]]
    names = style.short_each(table["name"][:shown], room if lines > 1 else room - max(map(len, areas)) - 2)
    for place in range(shown):
        row = {n: v[place] for n, v in table.items()}
        left = float(dates.date2num(row["start"]))  # type: ignore[no-untyped-call]
        length = float((row["end"] - row["start"]).days + 1)
        if row["kind"] == "phase":
            color, name = _UNKNOWN if row["C"] is None else _covered(row["C"])
            look: dict[str, Any] = {"facecolor": color, "edgecolor": "#333333", "linewidth": 0.6}
            height, text = 0.5, f"f {row['ei_fraction']:.2f}"
        else:
            look, name = {**style.CREDIT, "hatch": "////", "linewidth": 0.8}, "practice"
            height, text = 0.34, percent_text(row["efficiency"])
        on.ax.barh(place, length, height, left=left, zorder=2, **look)
        used.setdefault(name, Patch(label=name, **look))
        _beside(on, left, length, place, text)
        said = style.short(row["cover"] or "practice", room + 3)
        parting = ", " if len(areas[place]) + len(said) + 2 <= room else "\n"
        two = f"{names[place]}\n{areas[place]}{parting}{said}"
        labels.append(two if lines > 1 else f"{names[place]}, {areas[place]}")
    on.ax.set_yticks(range(shown), labels, fontsize=on.size)
    on.ax.tick_params(axis="y", length=0)
    order = [name for _, _, name in _COVERED] + [_UNKNOWN[1], "practice"]
    return [used[name] for name in order if name in used]


def _beside(on: Canvas, left: float, length: float, place: float, text: str) -> None:
    """Write a number at the end of a bar that has room beside it, else on the bar."""
    low, high = on.ax.get_xlim()
    width = 1.3 * len(text) * 0.6 * on.size / 72.0 / (0.6 * on.width_in) * (high - low)
    if left + length + width < high:
        at, side = left + length, "left"
    elif left - width > low:
        at, side = left, "right"
    else:
        at, side = left + length - 0.2 * width, "right"
    on.ax.annotate(
        text,
        (at, place),
        xytext=(3 if side == "left" else -3, 0),
        textcoords="offset points",
        ha=side,
        va="center",
        fontsize=on.size,
        bbox=style.PAPER,
        zorder=4,
    )


def _cumulative(on: Canvas, load: SedimentLoad, first: datetime.date, last: datetime.date) -> None:
    """Draw the erosivity from the first day on behind the bars, on an axis at the right."""
    from matplotlib import dates

    shares = np.asarray(daily_ei(first, last, load.erosivity.cumulative_pct), dtype=np.float64)
    percent = 100.0 * np.concatenate([[0.0], np.cumsum(shares)])
    days = float(dates.date2num(first)) + np.arange(len(percent))  # type: ignore[no-untyped-call]
    behind = on.ax.twinx()
    behind.fill_between(days, percent, color="#E9EEF3", linewidth=0.0)
    behind.plot(days, percent, color="#6B7F94", linewidth=1.2)
    behind.set_ylim(0.0, 1.04 * max(float(percent[-1]), 1e-9))
    behind.set_ylabel("erosivity since the first day, % of R")
    behind.spines["right"].set_visible(True)
    on.ax.set_zorder(behind.get_zorder() + 1)
    on.ax.patch.set_visible(False)


def _shade_governing(on: Canvas, result: Result) -> list[Any]:
    """Mark the governing window by a bracket along the top."""
    if not isinstance(result, Ruling) or result.governing is None:
        return []
    from matplotlib import dates
    from matplotlib.lines import Line2D

    governing = result.governing
    first, last = (datetime.date.fromisoformat(d) for d in (governing.window_start, governing.window_end))
    left, right = (float(dates.date2num(d)) for d in (first, last + _DAY))  # type: ignore[no-untyped-call]
    look: dict[str, Any] = {"color": "black", "linewidth": 2.2, "solid_capstyle": "butt"}
    top = on.ax.get_ylim()[1]
    on.ax.plot([left, right], [top, top], clip_on=False, zorder=5, marker="|", markersize=8, **look)
    short = result.load.windows.whole_project
    return [Line2D([], [], label="the whole project" if short else "governing 12 months", **look)]


def _unit_acres(load: SedimentLoad) -> dict[str, float]:
    acres = {u.id: 0.0 for u in load.site.ground_units}
    ids = list(acres)
    for unit, area in zip(load.ground.pieces.unit.tolist(), load.ground.pieces.acres.tolist(), strict=True):
        acres[ids[unit]] += area
    return acres


def share_of_year(load: SedimentLoad, start: datetime.date, end: datetime.date) -> float:
    """Return the share of the annual erosivity between two dates, over 1 for more than a year.

    Parameters
    ----------
    load
        Whose place it is.
    start, end
        First and last day.
    """
    return float(ei_fraction(np.datetime64(start), np.datetime64(end), load.erosivity.cumulative_pct))


def _cover_text(cover: Cover) -> str:
    if cover.name is not None:
        return cover.name
    return f"C {cover.C:g}" if cover.C is not None else "C raster"


def _covered(c: float) -> tuple[str, str]:
    return next((color, name) for low, color, name in _COVERED if c >= low)
