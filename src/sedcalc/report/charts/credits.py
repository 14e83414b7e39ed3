"""Waterfall: from the uncontrolled load through the credit of each kind of control to the discharge."""

from typing import TYPE_CHECKING, Final

import numpy as np

from sedcalc.load.ground import Floats
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report import style
from sedcalc.report.charts.canvas import Canvas, Columns, Result, canvas, delivery_ratio, drawn_from, load_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_IN: Final = 0.36
_MOST_PRACTICES: Final = 5
_LABELS: Final = {
    "uncontrolled": "no controls",
    "shorter duration": "shorter duration",
    "slope breaks": "slope breaks",
    "cover": "cover",
    "surface condition": "surface condition",
    "discharge": "discharge",
    "limited area": "limited area",
}


def _columns(result: Result) -> Columns:
    """Return the steps in order: what each saves (negative where it adds) and what is left after it, tons."""
    load = load_of(result)
    table: Columns = {"kind": [], "name": [], "saved_tons": [], "left_tons": []}
    left = load.totals.baseline

    def add(kind: str, name: str, saved: float | None) -> None:
        nonlocal left
        left -= saved or 0.0
        for column, value in zip(table.values(), (kind, name, saved, left), strict=True):
            column.append(value)

    add("uncontrolled", _LABELS["uncontrolled"], None)
    for kind, saved in _ground_credits(load).items():
        add(kind, _LABELS[kind], saved)
    for name, saved in _practices(load):
        add("practice", name, saved)
    table["kind"].append("discharge")
    table["name"].append(_LABELS["discharge"])
    table["saved_tons"].append(None)
    table["left_tons"].append(load.totals.discharged)
    table["kind"].append("limited area")
    table["name"].append(_LABELS["limited area"])
    table["saved_tons"].append(float(load.credit.saved_by_area[-1]))
    table["left_tons"].append(None)
    return table


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
        Width of the new figure, inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Notes
    -----
    Short tons over the whole project, of the whole site; delivery to the practices is in every bar. In this order:

    - no controls: the baseline of the percent reduction (C = P = 1, no slope breaks, no practices, every unit open from
      its own first disturbance to the site's final stabilization);
    - shorter duration: what units no longer lose from their own final stabilization on;
    - slope breaks (gridded sites with barriers), cover (C), surface condition (P): on the days before. Where C or P
      comes from a raster the three are one step, cover;
    - practices: what each traps.

    The order decides how much each step is credited; only the sum does not depend on it. "Limited area" is what
    units would discharge if they lay open from the site's first disturbance on, before their own: tons that were never
    in the baseline, and so stand beside the others.
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
                _number(on, left, place, f"{left:,.1f}")
            elif kind == "limited area":
                axes.barh(place, saved, 0.62, linewidth=0.8, **{**style.CREDIT, "hatch": "...."})
                _number(on, max(saved, 0.0), place, f"{saved:,.1f} saved, not in the bars above")
            else:
                axes.barh(place, saved, 0.62, left=left, linewidth=0.8, **style.CREDIT)
                axes.plot([before, before], [place - 0.9, place + 0.31], color="#555555", linewidth=0.6)
                _number(on, max(before, left), place, f"{-saved:+,.1f}".replace("-", "−"))
            before = before if left is None else left
            largest = max(largest, left or 0.0, saved or 0.0)
        axes.plot([before, before], [places[-2] - 0.69, places[-2] - 0.31], color="#555555", linewidth=0.6)
        axes.axhline(places[-1] - 0.8, color="#BBBBBB", linewidth=0.6)
        room = 18 if on.narrow else 34
        axes.set_yticks(places, [style.short(n, room) for n in table["name"]])
        axes.set_ylim(places[-1] + 0.6, -0.6)
        axes.set_xlim(0.0, (1.28 if on.narrow else 1.13) * max(largest, 1e-9))
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_xlabel("short tons over the project")
        percent = load.totals.percent_reduction
        on.title(load, "Credits" if percent is None else f"From no controls to {percent:.1f} % less")
    return axes


def _number(on: Canvas, at: float, place: float, text: str) -> None:
    on.ax.annotate(
        text, (at, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=on.size, bbox=style.PAPER
    )


def _ground_credits(load: SedimentLoad) -> dict[str, float]:
    """Return what duration, slope breaks, cover and surface condition save before the practices, tons."""
    rows, spans = load.ground.rows, load.schedule.spans
    ratio = delivery_ratio(load)
    fraction: Floats = np.array(load.columns["ei_fraction"])
    state = np.array(load.columns["state"])
    delivered: Floats = np.array(load.columns["delivered_tons"])
    bare = rows.bare_tons_per_year * fraction * ratio
    late, open_ = state == "stabilized", np.isin(state, ("phase", "between"))
    saved = {"shorter duration": float((bare - delivered)[late].sum())}
    whole = float((bare - delivered)[open_].sum())
    rasters = load.ground.rasters
    if rasters is not None:
        varying = [not (isinstance(rasters.C[s], float) and isinstance(rasters.P[s], float)) for s in range(len(spans))]
        one_number = not np.array(varying)[rows.span][open_].any()
    else:
        one_number = True
    both = rows.C * rows.P
    if not one_number or (both[open_] == 0.0).any():
        return saved | {"cover": whole}
    # With one C and P on all cells of a row, what they multiply is the soil loss over their product.
    with_ls = np.divide(delivered, both, out=np.zeros_like(delivered), where=open_)
    breaks = float((bare - with_ls)[open_].sum())
    cover = float((with_ls * (1.0 - rows.C))[open_].sum())
    if load.site.grid is not None and load.site.grid.barriers is not None:
        saved["slope breaks"] = breaks
    saved["cover"] = cover
    if (rows.P[open_] != 1.0).any():
        saved["surface condition"] = float((with_ls * rows.C * (1.0 - rows.P))[open_].sum())
    return saved


def _practices(load: SedimentLoad) -> list[tuple[str, float]]:
    """Return what each practice traps in the order of the site file, those that trap least in one step."""
    trapped = load.totals.trapped
    if len(trapped) <= _MOST_PRACTICES:
        return list(trapped.items())
    largest = sorted(trapped, key=lambda name: -trapped[name])[: _MOST_PRACTICES - 1]
    kept = [(name, tons) for name, tons in trapped.items() if name in largest]
    rest = [tons for name, tons in trapped.items() if name not in largest]
    return [*kept, (f"{len(rest)} other practices", float(sum(rest)))]
