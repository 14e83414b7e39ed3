"""Contributions: where the discharge comes from, by drainage area and soil."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sedcalc.report import style
from sedcalc.report.charts.canvas import Canvas, Columns, Result, canvas, drawn_from, load_of, tons_text
from sedcalc.units import area_text, percent_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_IN: Final = 0.36
_MOST_AREAS: Final = 18
_MOST_SOILS: Final = len(style.COLORS)


def _columns(result: Result) -> Columns:
    """Return each drainage area and soil with disturbed acres, soil loss, discharge and its share, over the project."""
    load = load_of(result)
    columns, pieces, plan = load.columns, load.ground.pieces, load.schedule
    ids = [a.id for a in load.site.drainage_areas]
    found: dict[tuple[str, str], list[float]] = {}
    for unit, area, soil, acres in zip(
        pieces.unit.tolist(), pieces.drainage_area.tolist(), pieces.soil, pieces.acres.tolist(), strict=True
    ):
        if plan.disturbed[unit] is not None:
            found.setdefault((ids[area], soil), [0.0, 0.0, 0.0])[0] += acres
    names = ("drainage_area", "soil", "counted", "soil_loss_tons", "discharge_tons")
    for place, soil, counted, loss, discharge in zip(*(columns[n] for n in names), strict=True):
        if counted:
            found[place, soil][1] += loss
            found[place, soil][2] += discharge
    total = load.totals.discharged
    return {
        "drainage_area": [area for area, _ in found],
        "soil": [soil or "K raster" for _, soil in found],
        "acres": [v[0] for v in found.values()],
        "soil_loss_tons": [v[1] for v in found.values()],
        "discharge_tons": [v[2] for v in found.values()],
        "discharge_share": [v[2] / total if total > 0.0 else None for v in found.values()],
    }


@drawn_from(_columns)
def contributions(result: Result, ax: "Axes | None" = None, *, width_in: float = style.WIDTH_IN) -> "Axes":
    """Draw the project's discharge by drainage area, each bar divided by soil.

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
    Short tons over the whole project from ground that is disturbed at some time. Beside a bar stand its tons, its share
    of the site's discharge, and its disturbed acres. The largest drainage areas and soils are drawn by themselves, the
    rest in one; the table holds them all.
    """
    load = load_of(result)
    table = _columns(result)
    areas, soils, tons, acres = _grid(table)
    with canvas(ax, width_in, 1.35 + _ROW_IN * len(areas)) as on:
        axes = on.ax
        left = np.zeros(len(areas))
        kinds = style.short_each(soils, 18 if on.narrow else 30)
        for k, label in enumerate(kinds):
            look: dict[str, Any] = {"facecolor": style.COLORS[k], "edgecolor": "white", "linewidth": 0.6}
            axes.barh(range(len(areas)), tons[:, k], 0.62, left=left, label=label, hatch=style.HATCHES[k], **look)
            left += tons[:, k]
        names = style.short_each(areas, 16 if on.narrow else 30)
        texts = _beside(on, left, acres)
        for place, (sum_, text) in enumerate(zip(left, texts, strict=True)):
            axes.annotate(
                text,
                (sum_, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=on.size,
            )
        axes.set_yticks(range(len(areas)), names)
        axes.set_ylim(len(areas) - 0.4, -0.6)
        axes.set_xlim(0.0, max(float(left.max()), 1e-9) / (1.0 - _share_of_texts(on, names, texts)))
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        on.plain_numbers(axes.xaxis)
        axes.set_xlabel("discharge, short tons over the project")
        on.title(load, "Where the discharge comes from")
        on.legend_below(4, 2)
    return axes


def _beside(on: Canvas, sums: Any, acres: list[float]) -> list[str]:
    """Return what stands beside each bar: tons, share of all, acres."""
    total = float(sums.sum())
    shares = [f", {percent_text(own / total)}" if total > 0.0 else "" for own in sums]
    parting = "\n" if on.narrow else ", "
    return [
        f"{tons_text(own)} tons{share}{parting}{area_text(size)} acres"
        for own, share, size in zip(sums, shares, acres, strict=True)
    ]


def _share_of_texts(on: Canvas, names: list[str], texts: list[str]) -> float:
    """Return the share of the axes' width that the longest text beside a bar takes, at most 0.7."""
    character = 0.6 * on.size / 72.0
    axes_in = on.width_in - character * max(len(n) for n in names) - 0.4
    longest = max(len(line) for text in texts for line in text.split("\n"))
    return min(character * (longest + 1) / axes_in, 0.7)


def _grid(table: Columns) -> tuple[list[str], list[str], Any, list[float]]:
    """Return areas, soils, tons of each pair and acres of each area, the smallest of too many in one."""
    areas = _largest(table, "drainage_area", _MOST_AREAS, "areas")
    soils = _largest(table, "soil", _MOST_SOILS, "soils")
    names, kinds = list(dict.fromkeys(areas.values())), list(dict.fromkeys(soils.values()))
    tons = np.zeros((len(names), len(kinds)))
    acres = [0.0] * len(names)
    columns = ("drainage_area", "soil", "discharge_tons", "acres")
    for area, soil, discharge, size in zip(*(table[n] for n in columns), strict=True):
        tons[names.index(areas[area]), kinds.index(soils[soil])] += discharge
        acres[names.index(areas[area])] += size
    return names, kinds, tons, acres


def _largest(table: Columns, column: str, most: int, what: str) -> dict[str, str]:
    """Return for each value of a column the name it is drawn under: its own, or that of the rest."""
    sums: dict[str, float] = {}
    for value, tons in zip(table[column], table["discharge_tons"], strict=True):
        sums[value] = sums.get(value, 0.0) + tons
    if len(sums) <= most:
        return {value: value for value in sums}
    kept = sorted(sums, key=lambda value: -sums[value])[: most - 1]
    rest = f"{len(sums) - len(kept)} other {what}"
    ordered = [v for v in sums if v in kept] + [v for v in sums if v not in kept]
    return {value: value if value in kept else rest for value in ordered}
