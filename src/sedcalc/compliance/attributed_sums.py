"""A total as a sum over rows, and how it moves when rows and acres move from what is computed to what is claimed."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sedcalc.compliance.ordinance import Ordinance
from sedcalc.factors.erosivity import daily_ei
from sedcalc.load.ground import Floats
from sedcalc.load.load_table import SedimentLoad
from sedcalc.load.windows import window_acres

ANNUAL: Final = ("tons_per_acre_per_year", "site_tons_per_acre_per_year")
"""Totals that are the figure of one window of one drainage area, or of the site."""

_TIED = 1e-9  # relative: figures that differ by the rounding of their sums
_BISECTIONS = 60  # to the last bit of a float between 0 and 1


class Place(NamedTuple):
    """A window and a drainage area (or the site): row and column of the windows."""

    row: int
    column: int


class Moved(NamedTuple):
    """How a total moves from the computed to the claimed factors.

    Attributes
    ----------
    first, last
        Whose figure it is before and after; None for totals that belong to no window.
    parts
        What each factor adds to ln(implied/computed).
    implied
        The total that the claimed factors give.
    allowed, near
        What their printed digits leave open; those of the factors that differ alone.
    """

    first: Place | None
    last: Place | None
    parts: dict[str, float]
    implied: float
    allowed: float
    near: float


class Sums:
    """A total of a site as a sum over its rows.

    Parameters
    ----------
    load, ordinance
        The calculation, and what it was ruled by (scope and annual figure).
    quantity
        The total.
    counted
        Which rows count, (rows,).
    """

    def __init__(self, load: SedimentLoad, ordinance: Ordinance, quantity: str, counted: NDArray[np.bool_]) -> None:
        self.load, self.quantity, self.counted = load, quantity, counted
        if quantity not in ANNUAL:
            return
        windows, plan, standard = load.windows, load.schedule, ordinance.standard
        areas = len(windows.area) - 1
        by_site = quantity == "site_tons_per_acre_per_year" or (standard is not None and standard.scope == "site")
        average = standard is not None and standard.figure == "average_year"
        self.columns = [areas] if by_site else list(range(areas))
        self.years = load.totals.years if average and not windows.whole_project else 1.0
        first = np.datetime64(plan.first_day, "D")
        self.start = np.array([first]) if average else windows.start
        self.end = np.array([np.datetime64(plan.last_day, "D")]) if average else windows.end
        self.area = load.ground.pieces.drainage_area[load.ground.rows.piece]
        running = _running_tons(load, counted) / self.years
        low = (self.start - first).astype(np.int64)
        high = (self.end - first).astype(np.int64) + 1
        self.tons: Floats = running[:, high] - running[:, low]

    def moves(self, factors: Mapping[str, Floats], slack: Floats, own_slack: Floats) -> list[Moved]:
        """Return how the total moves: to what governs by the claims, then to what governs as computed.

        Parameters
        ----------
        factors
            ln(claimed/computed) by factor, (rows,) each.
        slack, own_slack
            Relative: what the printed digits of each row leave open, and those of what differs alone, (rows,).

        Notes
        -----
        An applicant who took over the governing area or window, and not the numbers, claims the figure of the last of
        these: hence the second and third.
        """
        change = sum(factors.values(), start=np.zeros(len(slack)))
        if self.quantity not in ANNUAL:
            values = np.where(self.counted, np.array(self.load.columns[self.quantity], dtype=float), 0.0)
            claimed = values * np.exp(change)
            parts = _log_mean_parts(values, factors, 0.0, 1.0)
            return [Moved(None, None, parts, float(claimed.sum()), float(claimed @ slack), float(claimed @ own_slack))]
        acre_change = factors.get("acres", np.zeros(len(slack)))
        first = self._governing(self.columns, change, acre_change, 0.0)
        lasts = [
            self._governing(self.columns, change, acre_change, 1.0, first),
            self._governing([first.column], change, acre_change, 1.0, first),
            first,
        ]
        found = []
        for last in dict.fromkeys(lasts):
            tons = self._rows_in(last) * np.exp(change)
            per_acre = tons / float(self._acres(acre_change, 1.0)[last])
            parts = self._parts(first, last, factors, change, acre_change)
            opened = float(per_acre @ slack), float(per_acre @ own_slack)
            found.append(Moved(first, last, parts, float(per_acre.sum()), *opened))
        return found

    def _parts(
        self, first: Place, last: Place, factors: Mapping[str, Floats], change: Floats, acre_change: Floats
    ) -> dict[str, float]:
        turn = 1.0 if first == last else self._crossing(first, last, change, acre_change)
        parts: dict[str, float] = {}
        for place, begin, end in ((first, 0.0, turn), (last, turn, 1.0)):
            if end <= begin:
                continue
            for name, value in _log_mean_parts(self._rows_in(place), factors, begin, end).items():
                parts[name] = parts.get(name, 0.0) + value
            acres = [self._acres(acre_change, t)[place] for t in (begin, end)]
            if acres[0] != acres[1]:
                parts["acres"] = parts.get("acres", 0.0) - float(np.log(acres[1] / acres[0]))
        return parts

    def _rows_in(self, place: Place) -> Floats:
        here = (
            self.area == place.column
            if place.column < len(self.load.windows.area) - 1
            else np.ones(len(self.area), bool)
        )
        return np.where(here, self.tons[:, place.row], 0.0)

    def _governing(
        self, columns: list[int], change: Floats, acre_change: Floats, t: float, held: Place | None = None
    ) -> Place:
        """Return window and column with the largest figure at a point of the way; ``held`` where that is as large."""
        every = self._figures(change, acre_change, t)
        figures = every[:, columns]
        if held is not None and every[held] >= figures.max() * (1.0 - _TIED):
            return held
        row, column = np.unravel_index(int(np.argmax(figures)), figures.shape)
        return Place(int(row), columns[int(column)])

    def _figures(self, change: Floats, acre_change: Floats, t: float) -> Floats:
        moved = self.tons * np.exp(t * change)[:, None]
        areas = len(self.load.windows.area) - 1
        tons = np.column_stack([moved[self.area == k].sum(axis=0) for k in range(areas)] + [moved.sum(axis=0)])
        acres = self._acres(acre_change, t)
        figures: Floats = np.divide(tons, acres, out=np.zeros(tons.shape), where=acres > 0.0)
        return figures

    def _crossing(self, first: Place, last: Place, change: Floats, acre_change: Floats) -> float:
        """Return the point of the way at which both windows have the same figure."""
        low, high = 0.0, 1.0
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            figures = self._figures(change, acre_change, middle)
            low, high = (middle, high) if figures[first] >= figures[last] else (low, middle)
        return high

    def _acres(self, acre_change: Floats, t: float) -> Floats:
        """Return the acres that count in each window; a unit's claimed acres are those of its first row."""
        pieces, spans = self.load.ground.pieces, [self.load.schedule.disturbed[u] for u in self.load.ground.pieces.unit]
        scale = np.ones(len(pieces.acres))
        counted = np.flatnonzero(self.counted)[::-1]
        scale[self.load.ground.rows.piece[counted]] = np.exp(t * acre_change[counted])
        which = np.array([s is not None for s in spans])
        bounds = np.array([s for s in spans if s is not None], dtype="datetime64[D]")
        areas = len(self.load.windows.area) - 1
        acres = window_acres(
            self.start,
            self.end,
            bounds[:, 0],
            bounds[:, 1],
            (pieces.acres * scale)[which],
            pieces.drainage_area[which],
            areas,
        )
        return np.column_stack([acres, acres.sum(axis=1)])


def _running_tons(load: SedimentLoad, counted: NDArray[np.bool_]) -> Floats:
    """Return what each row has discharged before each day of the project, tons, (rows, days + 1); 0 for background."""
    plan, rows, pieces = load.schedule, load.ground.rows, load.ground.pieces
    ei = np.asarray(daily_ei(plan.first_day, plan.last_day, load.erosivity.cumulative_pct), dtype=np.float64)
    ratio = load.site.delivery.ratio if load.site.delivery else 1.0
    reached: dict[tuple[int, str], Floats] = {}
    running = np.zeros((len(counted), len(ei) + 1))
    for i in np.flatnonzero(counted).tolist():
        key = (int(pieces.drainage_area[rows.piece[i]]), pieces.soil[rows.piece[i]])
        if key not in reached:
            stream = load.network.stream(*key)
            reached[key] = ei * stream.shares[stream.outlets].sum(axis=0)
        span = plan.spans[rows.span[i]]
        days = slice((span.start - plan.first_day).days, (span.end - plan.first_day).days + 1)
        course = 1.0 if span.course is None else np.asarray(span.course)
        running[i, 1:][days] = rows.tons_per_year[i] * ratio * reached[key][days] * course
    return np.asarray(np.cumsum(running, axis=1))


def _log_mean(a: Floats, b: Floats) -> Floats:
    """Return the logarithmic mean, (a - b) / ln(a / b); 0 where one of them is 0, the value itself where equal."""
    mean = np.zeros(a.shape)
    positive = (a > 0.0) & (b > 0.0)
    half = 0.5 * np.log(a[positive] / b[positive])
    # a - b would lose its digits where both are nearly equal: a - b = 2 sqrt(a b) sinh(ln(a / b) / 2)
    stretch = np.divide(np.sinh(half), half, out=np.ones(half.shape), where=half != 0.0)
    mean[positive] = np.sqrt(a[positive]) * np.sqrt(b[positive]) * stretch
    return mean


def _log_mean_parts(values: Floats, factors: Mapping[str, Floats], begin: float, end: float) -> dict[str, float]:
    """Divide ln(sum at end / sum at begin) among factors; rows move by exp(t times the sum of their log ratios)."""
    change = sum(factors.values(), start=np.zeros(len(values)))
    before, after = values * np.exp(begin * change), values * np.exp(end * change)
    whole = _log_mean(np.atleast_1d(after.sum()), np.atleast_1d(before.sum()))[0]
    if whole == 0.0:
        return {}
    weights = _log_mean(after, before) / whole
    return {name: float(weights @ ratios) * (end - begin) for name, ratios in factors.items()}
