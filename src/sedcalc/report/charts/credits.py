"""Waterfall: from the uncontrolled load through the credit of each kind of control to the discharge."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from sedcalc.report import style
from sedcalc.report.charts.canvas import Canvas, Columns, Result, canvas, drawn_from, load_of, tons_text
from sedcalc.report.reduction import ReductionStep, reduction_steps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_IN: Final = 0.36
_MOST_PRACTICES: Final = 5


def _columns(result: Result) -> Columns:
    """Return the steps in order: what each saves (negative where it adds) and what is left after it, tons."""
    load = load_of(result)
    steps = [(s.kind, s.name, s.saved_tons, s.left_tons) for s in _few(reduction_steps(load))]
    rows = [*steps, ("limited area", "limited area", float(load.credit.saved_by_area[-1]), None)]
    return {n: [row[i] for row in rows] for i, n in enumerate(("kind", "name", "saved_tons", "left_tons"))}


@drawn_from(_columns)
def waterfall(result: Result, ax: "Axes | None" = None, *, width_in: float = style.WIDTH_IN) -> "Axes":
    """Draw what each kind of control takes from the uncontrolled load, down to the discharge.

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
    Short tons over the whole project, of the whole site, in the order of `sedcalc.report.reduction.reduction_steps`;
    delivery to the practices is in every bar. "Limited area" is what units would discharge if they lay open from the
    site's first disturbance on, before their own: tons that were never in the baseline, and so stand beside the others.
    """
    load = load_of(result)
    table = _columns(result)
    rows = len(table["name"])
    with canvas(ax, width_in, 1.25 + _ROW_IN * rows) as on:
        axes = on.ax
        places = np.arange(rows, dtype=float)
        places[-1] += 0.6
        largest = load.totals.baseline
        before = largest
        for place, kind, saved, left in zip(
            places, table["kind"], table["saved_tons"], table["left_tons"], strict=True
        ):
            if kind in ("uncontrolled", "discharge"):
                look = style.UNCONTROLLED if kind == "uncontrolled" else style.CONTROLLED
                axes.barh(place, left, 0.62, linewidth=0.8, **look)
                _number(on, left, place, tons_text(left))
            elif kind == "limited area":
                axes.barh(place, saved, 0.62, linewidth=0.8, **{**style.CREDIT, "hatch": "...."})
                _number(on, max(saved, 0.0), place, f"{tons_text(saved)} saved, not in the bars above")
            else:
                axes.barh(place, saved, 0.62, left=left, linewidth=0.8, **style.CREDIT)
                axes.plot([before, before], [place - 0.9, place + 0.31], color="#555555", linewidth=0.6)
                _number(on, max(before, left), place, _change(saved))
            before = before if left is None else left
            largest = max(largest, left or 0.0, saved or 0.0)
        axes.plot([before, before], [places[-2] - 0.69, places[-2] - 0.31], color="#555555", linewidth=0.6)
        axes.axhline(places[-1] - 0.8, color="#BBBBBB", linewidth=0.6)
        room = 18 if on.narrow else 34
        axes.set_yticks(places, style.short_each(table["name"], room))
        axes.set_ylim(places[-1] + 0.6, -0.6)
        axes.set_xlim(0.0, (1.28 if on.narrow else 1.13) * max(largest, 1e-9))
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        on.plain_numbers(axes.xaxis)
        axes.set_xlabel("short tons over the project")
        percent = load.totals.percent_reduction
        on.title(load, "Credits" if percent is None else f"From no controls to {percent:.1f} % less")
    return axes


def _number(on: Canvas, at: float, place: float, text: str) -> None:
    on.ax.annotate(
        text, (at, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=on.size, bbox=style.PAPER
    )


def _change(saved: float) -> str:
    """Return what a control takes off with one decimal, of a small step its first digit; ``0.0`` of none."""
    if abs(saved) >= 0.05:
        return f"{-saved:+,.1f}".replace("-", "−")
    return "0.0" if abs(saved) < 0.0005 else f"{-saved:+.1g}".replace("-", "−")


def _few(steps: tuple[ReductionStep, ...]) -> list[ReductionStep]:
    """Return the steps with the practices that trap least as one."""
    practices = [s for s in steps if s.kind == "practice"]
    if len(practices) <= _MOST_PRACTICES:
        return list(steps)
    kept = sorted(practices, key=lambda s: -(s.saved_tons or 0.0))[: _MOST_PRACTICES - 1]
    found, left = [], steps[0].left_tons
    for step in steps:
        if step.kind != "practice" or step in kept:
            left = left - (step.saved_tons or 0.0)
            found.append(replace(step, left_tons=left))
    rest = [s.saved_tons or 0.0 for s in practices if s not in kept]
    end = found.pop()
    others = ReductionStep("practice", f"{len(rest)} other practices", float(sum(rest)), left - float(sum(rest)))
    return [*found, others, replace(end, left_tons=steps[-1].left_tons)]
