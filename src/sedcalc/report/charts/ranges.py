"""Sensitivity: how far the governing figure moves over the plausible range of each factor."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sedcalc.compliance.ordinance import Standard
from sedcalc.compliance.ruling import Ruling
from sedcalc.factors.erodibility import OM_TABLE_RANGE_PCT
from sedcalc.load.calculation import sediment_load
from sedcalc.load.ground import Floats
from sedcalc.load.load_table import SedimentLoad, load_of_ground
from sedcalc.load.profiles import profile_ground
from sedcalc.report import style
from sedcalc.report.charts.canvas import Canvas, Columns, Result, canvas, drawn_from, limit_of, load_of
from sedcalc.site.erosivity import zone_distribution
from sedcalc.site.establishment import with_establishment
from sedcalc.site.location import resolve_county
from sedcalc.site.practices import Credit
from sedcalc.site.schedule import schedule
from sedcalc.site.soils import soil_erodibility
from sedcalc.site.submission import Practice, Soil
from sedcalc.tables import table as reference_table
from sedcalc.units import percent_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_IN: Final = 0.56
_MOST_LINES: Final = 3
_AXES_SHARE: Final = 0.62  # of the width that the axes have at least beside the labels
_OM_STEP_PCT: Final = 1.0
# Published C for the same mulch differ by a factor of two to three: straw at 2 t/ac 0.017, 0.02 and 0.04, at 1.5 t/ac
# 0.07 and 0.20 (table covers).
_C_FACTOR: Final = 2.0
_MOST_CELLS: Final = 500_000
"""Larger rasters are not routed again for the ratios of rill to interrill erosion."""


@dataclass(frozen=True, slots=True)
class Range:
    """The governing figure over the range of one factor, all others held.

    Parameters
    ----------
    factor
        Its symbol or name.
    span
        The range in words.
    figures
        The figure at the ends of the range, tons/(acre yr), in any order.
    basis
        Where the range comes from.
    """

    factor: str
    span: str
    figures: tuple[float, ...]
    basis: str


def _columns(result: Result) -> Columns:
    """Return for each factor with a range: the range, the lowest, computed and highest figure, the range's basis."""
    figure = _figure(load_of(result), result)
    found = sorted(_ranges(result, figure), key=lambda r: min(*r.figures, figure) - max(*r.figures, figure))
    return {
        "factor": [r.factor for r in found],
        "range": [r.span for r in found],
        "lowest": [min(*r.figures, figure) for r in found],
        "figure": [figure] * len(found),
        "highest": [max(*r.figures, figure) for r in found],
        "basis": [r.basis for r in found],
    }


@drawn_from(_columns)
def sensitivity(result: Result, ax: "Axes | None" = None, *, width_in: float = style.WIDTH_IN) -> "Axes":
    """Draw how far the governing figure moves over the plausible range of each factor, the others held.

    Parameters
    ----------
    result
        A ruling, or a load (then the worst 12 months of the worst drainage area, without a limit).
    ax
        Axes to draw on; by default those of a new figure.
    width_in
        Width of the new figure, inches, 3.25 to 48.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ValueError
        If no factor of the site has a stated range.

    Notes
    -----
    Only ranges with a source or a convention are drawn, and the table's ``basis`` says which:

    - R: the range that its source or the site states; EI zone: the other zones that the county touches;
    - K: organic matter one point lower and higher, within the table's 0.5 to 4 %, for soils by texture or nomograph;
    - LS: low, moderate and high ratio of rill to interrill erosion (AH703), where slope equations of AH703 give it;
      rasters of more than 500,000 cells are not routed again;
    - C: halved and doubled, at most 1, on ground that is not bare: published values for the same mulch differ so;
    - practices: the range of their row in the table of practices, or of its rows for all soils.

    Steepness, length and P have no stated range and are held. The ranges are ends, not standard errors, and do not add.
    """
    load = load_of(result)
    table = _columns(result)
    rows = len(table["factor"])
    if rows == 0:
        raise ValueError("no factor of this site has a stated range: R, K, C and practices are given by number")
    with canvas(ax, width_in, 1.6 + _ROW_IN * rows) as on:
        axes = on.ax
        figure, limit = table["figure"][0], limit_of(result)
        for place, (low, high) in enumerate(zip(table["lowest"], table["highest"], strict=True)):
            axes.barh(place, figure - low, 0.5, left=low, linewidth=0.8, **style.CREDIT)
            axes.barh(place, high - figure, 0.5, left=figure, linewidth=0.8, **style.CONTROLLED)
        axes.axvline(figure, color="black", linewidth=1.0, label=f"computed {figure:,.2f}")
        if limit is not None:
            axes.axvline(limit, label=f"limit {limit:g}", **style.LIMIT)
        room = 20 if on.narrow else 34
        labels = [
            "\n".join([factor, *_lines(span, room)])
            for factor, span in zip(table["factor"], table["range"], strict=True)
        ]
        axes.set_yticks(range(rows), labels, fontsize=on.size)
        axes.set_ylim(rows - 0.4, -0.6)
        ends = [*table["lowest"], *table["highest"], *([] if limit is None else [limit])]
        spread = max(max(ends) - min(ends), 0.02 * max(ends), 1e-9)
        space = 0.22 if on.narrow else 0.12
        axes.set_xlim(max(min(ends) - space * spread, 0.0 if min(ends) > 1.5 * space * spread else -space * spread))
        axes.set_xlim(right=max(ends) + space * spread)
        for place, (low, high) in enumerate(zip(table["lowest"], table["highest"], strict=True)):
            _ends(on, place, (low, figure, high), limit)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        on.plain_numbers(axes.xaxis)
        what = "governing figure" if isinstance(result, Ruling) else "worst 12 months"
        axes.set_xlabel(f"{what}, short tons per acre" + ("\n" if on.narrow else "; ") + "each range by itself")
        on.title(load, "How far the figure moves")
        on.legend_below(2, 2)
    return axes


def _lines(text: str, room: int) -> list[str]:
    """Return a text in up to three lines, with a mark where more follows: the table holds all of it."""
    lines = textwrap.wrap(text, room)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: room - 1].rstrip(" ,;") + "…"]
    return lines


def _ends(on: Canvas, place: int, figures: tuple[float, float, float], limit: float | None) -> None:
    """Write the figures at the ends of a bar, beyond the line of the limit where they would cross it.

    The lowest stands to the left of its end, the highest to the right.
    """
    low, figure, high = figures
    left, right = on.ax.get_xlim()
    for value, side, shift in ((low, "right", -3), (high, "left", 3)):
        if value == figure:
            continue
        text = f"{value:,.2f}"
        width = (len(text) * 0.6 * on.size + 4.0) / 72.0 / (_AXES_SHARE * on.width_in) * (right - left)
        at = value
        if limit is not None and 0.0 <= (limit - value if side == "left" else value - limit) < width:
            at = limit
        on.ax.annotate(
            text,
            (at, place),
            xytext=(shift, 0),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=on.size,
            bbox=style.PAPER,
            zorder=3,
        )


def _figure(load: SedimentLoad, result: Result) -> float:
    """Return the figure that is ruled on, tons/(acre yr): of the ruling's standard, or the worst 12 months."""
    standard: Standard | None = result.ordinance.standard if isinstance(result, Ruling) else None
    if standard is not None and standard.figure == "average_year":
        figures = np.array([np.nan if a.tons_per_acre is None else a.tons_per_acre for a in load.windows.average])
    else:
        worst = load.windows.worst
        figures = np.where(worst >= 0, load.windows.tons_per_acre[worst, np.arange(len(worst))], np.nan)
    by_site = standard is not None and standard.scope == "site"
    return float(figures[-1] if by_site else np.nanmax(figures[:-1]))


def _ranges(result: Result, figure: float) -> Iterator[Range]:
    load = load_of(result)
    erosivity = load.erosivity
    if erosivity.R is not None and erosivity.R_low is not None and erosivity.R_high is not None:
        span = f"{erosivity.R_low:.0f} to {erosivity.R_high:.0f} (here {erosivity.R:.0f})"
        figures = (figure * erosivity.R_low / erosivity.R, figure * erosivity.R_high / erosivity.R)
        said = "stated for the site" if load.site.location.R is not None else "minimum and maximum of the county"
        yield Range("R", span, figures, f"{said}: {erosivity.source}")
    yield from _zones(result)
    yield from _soils(result)
    yield from _ratios(result)
    yield from _covers(result)
    yield from _efficiencies(result)


def _scaled(load: SedimentLoad, ratio: Floats) -> SedimentLoad:
    """Return the load with the soil loss of each row times a number."""
    rows = replace(load.ground.rows, tons_per_year=load.ground.rows.tons_per_year * ratio)
    return load_of_ground(load.site, load.erosivity, load.schedule, replace(load.ground, rows=rows), {})


def _zones(result: Result) -> Iterator[Range]:
    load = load_of(result)
    location, own = load.site.location, load.erosivity
    if location.county is None or location.ei_zone is not None or location.ei_distribution is not None:
        return
    others = [z for z, _ in resolve_county(location.county, "location.county").ei_zone_shares if z != own.ei_zone]
    figures = []
    for zone in others:
        cumulative, source = zone_distribution(zone)
        erosivity = replace(own, ei_zone=zone, cumulative_pct=cumulative, ei_source=source)
        plan, ground = load.schedule, load.ground
        if load.site.grid is None:
            plan = with_establishment(schedule(load.site), cumulative)
            ground = profile_ground(load.site, erosivity, plan)
        elif any(span.course is not None for span in plan.spans):
            return  # the mean C of rasters was weighted by the zone's own distribution
        figures.append(_figure(load_of_ground(load.site, erosivity, plan, ground, {}), result))
    if figures:
        span = ", ".join(str(z) for z in others) + f" (here {own.ei_zone})"
        yield Range("EI zone", span, tuple(figures), "zones that the county touches: " + own.ei_source)


def _soils(result: Result) -> Iterator[Range]:
    load = load_of(result)
    moved: dict[float, dict[str, float]] = {-_OM_STEP_PCT: {}, _OM_STEP_PCT: {}}
    sources = []
    for i, soil in enumerate(load.site.soils):
        if soil.K is not None or soil.organic_matter_pct is None or soil.id not in load.ground.pieces.soil:
            continue
        own = soil_erodibility(soil, load.site.units, f"soils[{i}]")
        sources.append(own.source)
        for step, ratios in moved.items():
            ratios[soil.id] = soil_erodibility(_with_organic_matter(soil, step), load.site.units, "").K / own.K
    if not sources:
        return
    pieces, rows = load.ground.pieces, load.ground.rows
    figures, means = [], []
    disturbed = np.array([load.schedule.disturbed[u] is not None for u in pieces.unit])
    weight = pieces.acres * disturbed / (pieces.acres * disturbed).sum()
    for ratios in moved.values():
        ratio = np.array([ratios.get(soil, 1.0) for soil in pieces.soil])
        figures.append(_figure(_scaled(load, ratio[rows.piece]), result))
        means.append(float((pieces.K * ratio * weight).sum()))
    base = float((pieces.K * weight).sum())
    span = f"{min(means):.3f} to {max(means):.3f} (here {base:.3f})"
    said = f"organic matter {_OM_STEP_PCT:g} point down and up within the table's range (convention); mean K by area"
    yield Range("K", span, tuple(figures), _joined([said, *sources]))


def _with_organic_matter(soil: Soil, step: float) -> Soil:
    assert soil.organic_matter_pct is not None
    low, high = OM_TABLE_RANGE_PCT
    own = soil.organic_matter_pct
    # A value outside the table's range stays where it is on that side.
    moved = min(max(own + step, min(low, own)), max(high, own))
    return soil.model_copy(update={"organic_matter_pct": moved})


def _ratios(result: Result) -> Iterator[Range]:
    load = load_of(result)
    site = load.site
    rasters = load.ground.rasters
    if site.topography.method != "rusle" or (rasters is not None and not rasters.elevation):
        return
    if rasters is not None and rasters.piece.size > _MOST_CELLS:
        return
    own = site.topography.ratio
    figures = []
    for ratio in ("low", "moderate", "high"):
        if ratio == own:
            continue
        changed = site.model_copy(update={"topography": site.topography.model_copy(update={"ratio": ratio})})
        if rasters is None:
            ground = profile_ground(changed, load.erosivity, load.schedule)
            other = load_of_ground(changed, load.erosivity, load.schedule, ground, {})
        else:
            other = sediment_load(changed)
        figures.append(_figure(other, result))
    yield Range(
        "LS",
        f"rill to interrill ratio low to high (here {own})",
        tuple(figures),
        "the three ratios of Agriculture Handbook 703; high is the ratio for construction sites",
    )


def _covers(result: Result) -> Iterator[Range]:
    load = load_of(result)
    rows, spans, rasters = load.ground.rows, load.schedule.spans, load.ground.rasters
    one_c = np.array([rasters is None or isinstance(rasters.C[s], float) for s in range(len(spans))])[rows.span]
    covered = one_c & (rows.C > 0.0) & (rows.C < 1.0)
    if not covered.any():
        return
    # Under 1 doubling stops at bare ground.
    up = np.where(covered, np.minimum(_C_FACTOR, 1.0 / np.where(covered, rows.C, 1.0)), 1.0)
    down = np.where(covered, 1.0 / _C_FACTOR, 1.0)
    figures = tuple(_figure(_scaled(load, ratio), result) for ratio in (down, up))
    yield Range(
        "C",
        "halved and doubled, bare ground held",
        figures,
        "convention: published C for the same mulch differ by a factor of two to three (table covers)",
    )


def _efficiencies(result: Result) -> Iterator[Range]:
    load = load_of(result)
    ends: list[list[Practice]] = [[], []]
    spans, sources = [], []
    for practice, credit in zip(load.site.practices, load.network.credits, strict=True):
        found = _published(practice, credit)
        for own, efficiency in zip(ends, (None, None) if found is None else found[:2], strict=True):
            own.append(practice if efficiency is None else _with_efficiency(practice, efficiency))
        if found is not None:
            spans.append(found[:2])
            sources.append(found[2])
    if not spans:
        return
    figures = []
    for practices in ends:
        changed = load.site.model_copy(update={"practices": tuple(practices)})
        figures.append(_figure(load_of_ground(changed, load.erosivity, load.schedule, load.ground, {}), result))
    low, high = min(s[0] for s in spans), max(s[1] for s in spans)
    number = f"{len(spans)} of {len(load.site.practices)} practices" if len(spans) > 1 else "one practice"
    source = _joined(sources)
    if "(recalled)" in source:
        number += "; recalled figures among them"
    yield Range("practices", f"{percent_text(low)} to {percent_text(high)} trapped ({number})", tuple(figures), source)


def _published(practice: Practice, credit: Credit) -> tuple[float, float, str] | None:
    """Return the range of a practice's efficiency in the table of practices, with its sources; None without one."""
    if practice.catalogue is not None:
        own = reference_table("trapping").row(practice.catalogue)
        rows = [own] if own["efficiency_high"] != own["efficiency_low"] else _of_all_soils(own["practice"])
    elif practice.size_rule is not None and credit.efficiency > 0.0:
        rows = _of_all_soils(practice.size_rule)
    else:
        return None
    names = ("efficiency_low", "efficiency_typical", "efficiency_high")
    values = [row[n] for row in rows for n in names if row[n] is not None]
    if min(values) == max(values):
        return None
    return min(values), max(values), _joined([f"{row['source']} ({row['status']})" for row in rows])


def _of_all_soils(practice: str) -> list[dict[str, Any]]:
    return [r for r in reference_table("trapping").rows if r["practice"] == practice and r["texture"] == "any"]


def _joined(texts: list[str]) -> str:
    return "; ".join(dict.fromkeys(texts))


def _with_efficiency(practice: Practice, efficiency: float) -> Practice:
    given = {"efficiency": efficiency, "source": "its range", "catalogue": None, "size_rule": None}
    return practice.model_copy(update=given)
