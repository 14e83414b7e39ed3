"""What a map of LS amounts to: counts, acres and means, and what a reader must know of them."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from sedcalc.findings import Finding, count_of
from sedcalc.terrain.state import LOWER_BOUND_SHARE
from sedcalc.units import area_text

_COUNTED: Final = (
    "over_400_ft",
    "capped",
    "lower_bound",
    "channels",
    "barriers",
    "sealed",
    "walls",
    "over_60_pct",
    "flat",
    "cells_raised",
)


@dataclass(frozen=True)
class SlopeClass:
    """Land of one class of slope.

    Parameters
    ----------
    from_pct, to_pct
        Edges, percent.
    cells
        Number of cells with an LS.
    acres
        Their area, acres.
    mean_ls
        Their mean LS; None where there are none.
    """

    from_pct: float
    to_pct: float
    cells: int
    acres: float
    mean_ls: float | None


@dataclass(frozen=True)
class LSSummary:
    """What a map of LS amounts to. Counts are of cells; acres and means are over cells that can erode and have an LS.

    Parameters
    ----------
    cells, acres
        Cells with an LS.
    mean, max
        Of LS; None where no cell has one.
    classes
        Land by slope.
    over_400_ft
        Cells whose slope length is over 400 ft.
    capped
        Cells whose slope length was cut to `max_length_ft`.
    lower_bound, lower_bound_share
        Cells that get 1 % of their area or more through the border of the grid, beyond which there may be more, and
        whose slope length is not at its limit; their share of the cells with an LS.
    channels, barriers
        Cells in channels (no LS), and in barriers that end slope length.
    sealed, walls
        Cells that do not erode (LS 0), and those of them that block water.
    over_60_pct
        Cells too steep for the method (no LS).
    flat
        Cells in flats.
    pits_filled, cells_raised, max_fill_m
        Depressions filled, cells raised for it, and the largest rise, m.
    pits_kept
        Depressions that were left and end the flow that enters them.
    routing, formula, ratio, method, max_length_ft, border
        The choices that were made; `ratio` is None where the method has none.
    cell_acres
        Area of a cell, acres.
    """

    cells: int
    acres: float
    mean: float | None
    max: float | None
    classes: tuple[SlopeClass, ...]
    over_400_ft: int
    capped: int
    lower_bound: int
    lower_bound_share: float | None
    channels: int
    barriers: int
    sealed: int
    walls: int
    over_60_pct: int
    flat: int
    pits_filled: int
    cells_raised: int
    max_fill_m: float
    pits_kept: int
    routing: str
    formula: str
    ratio: str | None
    method: str
    max_length_ft: float | None
    border: str
    cell_acres: float

    @property
    def acres_of(self) -> dict[str, float]:
        """Acres of each kind of cell that is counted here, by the name of its count."""
        return {name: getattr(self, name) * self.cell_acres for name in _COUNTED}

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as the object that JSON results hold."""
        from dataclasses import asdict

        return {**asdict(self), "acres_of": self.acres_of}


def summary_findings(s: LSSummary, acres: float) -> list[Finding]:
    """Return what a reader of the map must know."""
    found: list[Finding] = []

    def add(code: str, severity: Literal["warning", "note"], cells: int, verbs: str, text: str, part: str = "") -> None:
        if cells:
            verb = verbs.split("/")[cells > 1]  # "is/are"
            size = f"{count_of(cells, 'cell')} ({area_text(cells * acres)} acres{part})"
            found.append(Finding(code, severity, f"LS: {size} {verb} {text}"))

    if "+" in s.method:
        text = f"LS: method {s.method!r} joins the S of one publication with the m of another"
        found.append(Finding("hybrid-method", "warning", text, "method"))
    steep = s.classes[-1].cells
    add(
        "slope-over-60-pct",
        "warning",
        s.over_60_pct,
        "is/are",
        "steeper than 60 %, beyond the method, without an LS: leave walls out of the phases; grade other ground "
        "flatter, or control it by prescription",
    )
    add(
        "slope-over-3h-1v",
        "warning",
        steep,
        "is/are",
        "steeper than 3H:1V (33.34 %), where the state's method does not apply: prescriptive controls are needed",
        f", {steep / max(s.cells, 1):.1%} of those with an LS",
    )
    add(
        "length-over-400-ft",
        "note",
        s.over_400_ft,
        "has/have",
        "a slope length over 400 ft; runoff has usually concentrated by then",
    )
    add(
        "length-capped",
        "note",
        s.capped,
        "was/were",
        f"computed with the longest slope length, {s.max_length_ft or 0:g} ft",
    )
    add(
        "upslope-area-incomplete",
        "note",
        s.lower_bound,
        "gets/get",
        f"{LOWER_BOUND_SHARE:.0%} or more of the runoff through the edge of the DEM, where land beyond may add to it, "
        "so that LS is a lower bound there: give a DEM that reaches the divides",
        f", {s.lower_bound_share or 0:.1%} of those with an LS",
    )
    add("sealed-ground", "note", s.sealed, "passes/pass", "water on without eroding: sealed, LS 0")
    add("channel-cells", "note", s.channels, "is/are", "in channels, without an LS")
    if s.pits_filled:
        found.append(
            Finding(
                "depressions-filled",
                "note",
                f"LS: {count_of(s.pits_filled, 'depression')} filled, {count_of(s.cells_raised, 'cell')} raised by "
                f"up to {s.max_fill_m:.2f} m",
            )
        )
    if s.pits_kept:
        found.append(
            Finding(
                "depressions-kept",
                "note",
                f"LS: {count_of(s.pits_kept, 'depression')} kept, where the slopes above end",
            )
        )
    return found


def gap_findings(cells: int, acres: float) -> list[Finding]:
    """Return what a reader must know of nodata that lies within a surface.

    Parameters
    ----------
    cells
        How many cells of it there are.
    acres
        Area of a cell, acres.
    """
    if not cells:
        return []
    verb = "lie" if cells > 1 else "lies"
    size = f"{count_of(cells, 'cell')} ({area_text(cells * acres)} acres)"
    text = (
        f"LS: {size} without elevation {verb} within the surface, and water goes round as round a wall; fill gaps, and "
        "give buildings as walls, so that the water of their roofs counts"
    )
    return [Finding("nodata-within", "note", text)]
