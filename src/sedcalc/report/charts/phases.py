"""Load by phase: what each phase discharges with no controls and with them, against the limit."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sedcalc.compliance.ruling import Ruling
from sedcalc.factors.erosivity import ei_fraction
from sedcalc.report import style
from sedcalc.report.charts.canvas import (
    Canvas,
    Columns,
    Result,
    area_names,
    canvas,
    delivery_ratio,
    drawn_from,
    limit_of,
    load_of,
)
from sedcalc.units import area_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_IN: Final = 0.42
_MOST_PHASES: Final = 14  # as many rows as a page holds at full size


def _columns(result: Result) -> Columns:
    """Return the phases by their first day, then the governing window: tons, acres, tons/acre, dates."""
    load = load_of(result)
    columns, ratio = load.columns, delivery_ratio(load)
    found: dict[str, dict[str, Any]] = {}
    names = ("phase", "counted", "start", "end", "bare_tons", "discharge_tons")
    for phase, counted, start, end, bare, discharge in zip(*(columns[n] for n in names), strict=True):
        if not counted:
            continue
        own = found.setdefault(phase, {"start": start, "end": end, "bare": 0.0, "discharge": 0.0})
        own["start"], own["end"] = min(start, own["start"]), max(end, own["end"])
        own["bare"] += bare * ratio
        own["discharge"] += discharge
    order = sorted(found, key=lambda phase: found[phase]["start"])
    acres = load.totals.disturbed_acres
    rows = [
        ("phase", p, found[p]["start"], found[p]["end"], acres, found[p]["bare"], found[p]["discharge"]) for p in order
    ]
    if isinstance(result, Ruling) and result.governing is not None:
        governing = result.governing
        first, last = (np.datetime64(d, "D") for d in (governing.window_start, governing.window_end))
        kind = "governing window"
        name = governing.drainage_area or "whole site"
        bare = _governing_bare(result)
        rows.append((kind, name, first.item(), last.item(), governing.acres, bare, governing.discharge_tons))
    heading = ("kind", "name", "start", "end", "acres", "uncontrolled_tons", "discharge_tons")
    table: Columns = {n: [row[i] for row in rows] for i, n in enumerate(heading)}
    for name, tons in (
        ("uncontrolled_tons_per_acre", "uncontrolled_tons"),
        ("discharge_tons_per_acre", "discharge_tons"),
    ):
        table[name] = [t / a for t, a in zip(table[tons], table["acres"], strict=True)]
    return table


@drawn_from(_columns)
def load_by_phase(result: Result, ax: "Axes | None" = None, *, width_in: float = style.WIDTH_IN) -> "Axes":
    """Draw what each phase would discharge with no controls and does discharge with them, and the limit.

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
        The axes; ``axes.figure.savefig`` saves the chart.

    Notes
    -----
    Tons per acre of all ground that is disturbed at some time, so that the bars of the phases add up to the project's
    total. The limit is for the last pair of bars, the governing 12 months, and stands across all for scale. "No
    controls" is the baseline of the percent reduction: C = P = 1, no barriers, no practices.
    """
    load = load_of(result)
    table = _most(_columns(result))
    rows = len(table["name"])
    with canvas(ax, width_in, 1.55 + _ROW_IN * rows) as on:
        longest = 19 if on.narrow else 34
        labels = style.short_each(table["name"], longest)
        gap = table["kind"][-1] == "governing window"
        if gap:
            labels[-1] = _governing_label(result, on)
        limit = limit_of(result)
        _bars(on, labels, table, limit, gap=gap)
        if limit is not None:
            on.ax.axvline(limit, label=f"limit {limit:g} tons/acre in 12 months", **style.LIMIT)
        on.title(load, "Sediment discharge by phase")
        unit = "short tons per acre" + ("\n" if on.narrow else " ")
        on.ax.set_xlabel(f"{unit}(phases: of the site's {area_text(load.totals.disturbed_acres)} disturbed acres)")
        on.legend_below(3, 1)
    return on.ax


def _most(table: Columns) -> Columns:
    """Return the table with phases beyond what fits summed in one row."""
    phases = table["kind"].count("phase")
    if phases <= _MOST_PHASES:
        return table
    kept = _MOST_PHASES - 1
    merged = {n: [*v[:kept], v[kept], *v[phases:]] for n, v in table.items()}
    merged["name"][kept] = f"{phases - kept} later phases"
    for name in ("uncontrolled_tons", "discharge_tons", "uncontrolled_tons_per_acre", "discharge_tons_per_acre"):
        merged[name][kept] = sum(table[name][kept:phases])
    return merged


def _governing_label(result: Result, on: Canvas) -> str:
    assert isinstance(result, Ruling)
    governing = result.governing
    assert governing is not None
    place = area_names(result.load, 18)[result.load.windows.area.index(governing.drainage_area)]
    span = "the whole project" if result.load.windows.whole_project else "worst 12 months"
    return f"{span},\n{place}" + ("\n" if on.narrow else " ") + f"({area_text(governing.acres)} acres)"


def _governing_bare(ruling: Ruling) -> float:
    """Return the baseline load of the governing drainage area in the governing window, tons."""
    load, governing = ruling.load, ruling.governing
    assert governing is not None
    begin, stop = (np.datetime64(d, "D") for d in (governing.window_start, governing.window_end))
    columns, rows = load.columns, load.ground.rows
    start = np.maximum(np.array(columns["start"], dtype="datetime64[D]"), begin)
    end = np.minimum(np.array(columns["end"], dtype="datetime64[D]"), stop)
    area = governing.drainage_area
    here = np.array([area is None or a == area for a in columns["drainage_area"]]) & np.array(columns["counted"])
    inside = here & (start <= end)
    share = np.asarray(ei_fraction(start[inside], end[inside], load.erosivity.cumulative_pct))
    return float((rows.bare_tons_per_year[inside] * share).sum()) * delivery_ratio(load)


def _bars(on: Canvas, labels: list[str], table: Columns, limit: float | None, *, gap: bool) -> None:
    ax = on.ax
    bare, controlled = table["uncontrolled_tons_per_acre"], table["discharge_tons_per_acre"]
    places = np.arange(len(labels), dtype=float)
    if gap:
        places[-1] += 0.5
        ax.axhline(places[-1] - 0.7, color="#BBBBBB", linewidth=0.6)
    ax.barh(places - 0.19, bare, 0.34, label="no controls", linewidth=0.8, **style.UNCONTROLLED)
    ax.barh(places + 0.19, controlled, 0.34, label="with controls", linewidth=0.8, **style.CONTROLLED)
    end = (1.2 if on.narrow else 1.1) * max([*bare, *controlled, 1e-9])
    for offset, values in ((-0.19, bare), (0.19, controlled)):
        for place, value in zip(places, values, strict=True):
            on.number_at_bar(value, place + offset, f"{value:,.2f}", limit, end)
    ax.set_yticks(places, labels)
    ax.set_ylim(places[-1] + 0.6, -0.6)
    ax.set_xlim(0.0, end)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    on.plain_numbers(ax.xaxis)
