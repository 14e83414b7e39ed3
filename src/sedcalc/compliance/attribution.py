"""Which claimed factor makes a claimed total differ from the computed one, and by what share.

The logarithm of claimed over computed is divided among the factors by log-mean weights over the rows (logarithmic mean
Divisia index): with row i adding V_i to the total V, and V'_i to the claimed V', factor k adds

    sum over i of L(V'_i, V_i) / L(V', V) * ln(claimed x_ik / computed x_ik),      L(a, b) = (a - b) / ln(a / b)

which leaves no remainder. Where the claimed factors make another window or drainage area govern, the change is followed
from the one to the other at the point where both are equal.

References
----------
Ang, B.W., Liu, F.L. (2001). A new energy decomposition method: perfect in decomposition and consistent in aggregation.
Energy 26(6), 537-548.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.compliance.comparison import FACTORS, ProductCheck, ValueCheck
from sedcalc.compliance.ordinance import Ordinance
from sedcalc.factors.erosivity import daily_ei
from sedcalc.load.ground import Floats
from sedcalc.load.load_table import SedimentLoad
from sedcalc.load.windows import window_acres
from sedcalc.site.claims import half_digit

ATTRIBUTED: Final = ("tons_per_acre_per_year", "discharge_tons", "soil_loss_tons")
"""Totals that are sums of products over rows, so that a difference can be attributed."""

ROUNDING, ARITHMETIC, NOT_STATED = "rounding", "arithmetic", "not stated"

MOST_OFFSET: Final = 2.0
"""Shares are left out where the factors' effects, added without regard to sign, exceed this many times their sum."""

MOST_CELLS: Final = 5_000_000
"""Rows times days of a site whose tons per acre are attributed at most: bounds time and memory."""

_BISECTIONS = 60  # to the last bit of a float between 0 and 1


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one factor adds to the difference.

    Parameters
    ----------
    factor
        Symbol or name; ``arithmetic`` for products and sums that disagree with their own factors, ``rounding`` for
        claims that hold by their printed digits, ``not stated`` for what no claim accounts for.
    log_ratio
        Part of ln(claimed/computed).
    share
        Part of the whole, 1 for all of it; None where offsetting factors make shares meaningless.
    """

    factor: str
    log_ratio: float
    share: float | None


@dataclass(frozen=True, slots=True)
class Attribution:
    """Why a claimed total differs.

    Parameters
    ----------
    quantity
        One of `ATTRIBUTED`.
    claimed, computed
        The two totals.
    log_ratio
        ln(claimed/computed); None where it is not attributed.
    contributions
        Largest first; they add up to log_ratio.
    reason
        Why shares, or the whole attribution, are left out; None where they are not.
    """

    quantity: str
    claimed: float
    computed: float
    log_ratio: float | None
    contributions: tuple[Contribution, ...]
    reason: str | None


def attribute(
    load: SedimentLoad,
    ordinance: Ordinance,
    total: ValueCheck,
    rows: Mapping[int, Mapping[str, ValueCheck]],
    products: Sequence[ProductCheck],
    site_R: ValueCheck | None,
) -> Attribution:
    """Return the attribution of a claimed total that differs from the computed one.

    Parameters
    ----------
    load, ordinance
        The calculation, and what it was ruled by (scope and annual figure).
    total
        The check of the total, one of `ATTRIBUTED`.
    rows
        Checks by row of the load table and quantity.
    products
        Checks of the products.
    site_R
        The check of an R claimed for the site, for rows that claim none.
    """
    assert isinstance(total.claimed, float)
    assert isinstance(total.computed, float)

    def declined(reason: str) -> Attribution:
        return Attribution(total.quantity, float(total.claimed), float(total.computed or 0.0), None, (), reason)

    if total.claimed <= 0.0 or total.computed <= 0.0:
        return declined("a total that is zero or negative has no ratio to divide among factors")
    plan = load.schedule
    if len(load.columns["phase"]) * ((plan.last_day - plan.first_day).days + 1) > MOST_CELLS:
        return declined("the site has too many rows and days to be attributed")
    agrees = {(p.row, p.quantity): p.passed for p in products}
    counted = np.array(load.columns["counted"], dtype=bool)
    factors: dict[str, Floats] = {}
    slack = np.zeros(len(counted))
    complete = True
    for i in np.flatnonzero(counted).tolist():
        stated = _row_ratios(
            rows.get(i, {}), {q: yes for (r, q), yes in agrees.items() if r == i}, site_R, total.quantity
        )
        if stated is None:
            label = f"{load.columns['phase'][i]!r} on {load.columns['unit'][i]!r}"
            return declined(f"a claim of the row {label}, or its computed value, is zero or negative")
        for name, ratio in stated.log_ratios.items():
            factors.setdefault(name, np.zeros(len(counted)))[i] = ratio
        slack[i] = stated.slack
        complete = complete and (stated.complete or load.columns["discharge_tons"][i] == 0.0)
    sums = _Sums(load, ordinance, total.quantity, counted)
    parts, implied, allowed = sums.decompose(factors, slack)
    left = float(np.log(total.claimed / implied))
    if left != 0.0:
        close = abs(total.claimed - implied) <= allowed + (total.tolerance or 0.0)
        name = ROUNDING if close else ARITHMETIC if complete else NOT_STATED
        parts[name] = parts.get(name, 0.0) + left
    return _shares(total, parts)


@dataclass(frozen=True, slots=True)
class _RowRatios:
    """ln(claimed/computed) of a row by factor, relative slack of the printed digits, and whether nothing is missing."""

    log_ratios: dict[str, float]
    slack: float
    complete: bool


def _row_ratios(
    checks: Mapping[str, ValueCheck], agrees: Mapping[str, bool], site_R: ValueCheck | None, quantity: str
) -> _RowRatios | None:
    """Follow a row's claims from its factors to its discharge (or its soil loss); None where a ratio is undefined."""
    ratios: dict[str, float] = {}
    level, slack = 0.0, 0.0
    unstated: list[str] = []

    def add(name: str, value: float) -> None:
        ratios[name] = ratios.get(name, 0.0) + value

    last = "soil_loss_tons" if quantity == "soil_loss_tons" else "discharge_tons_per_acre"
    for product, names in FACTORS.items():
        for name in names:
            if name in FACTORS or name == "delivery_ratio":
                continue
            claim = _claim_of(name, checks, site_R)
            if claim is None:
                if name != "per_acre":
                    unstated.append(name)
                continue
            step = _log_ratio(claim, name)
            if step is None:
                return None
            value, loose = step
            factor = {"share_passing": "efficiency", "per_acre": "acres"}.get(name, name)
            if product != "discharge_tons_per_acre":  # acres count once: in the tons
                add(ROUNDING if claim.passed else factor, value)
                level += value
                slack += loose
        if product in checks:
            step = _log_ratio(checks[product], product)
            if step is None:
                return None
            value, loose = step
            if product == "discharge_tons_per_acre":
                if "discharge_tons" in checks:
                    break
                acres = _log_ratio(checks["acres"], "acres") if "acres" in checks else (0.0, 0.0)
                value += 0.0 if acres is None else acres[0]
            add(_name_of_rest(checks[product], agrees.get(product), unstated), value - level)
            level, slack, unstated = value, loose, []
        if product == last:
            break
    needed = [n for n in unstated if n not in ("acres", "C", "P")]
    return _RowRatios({k: v for k, v in ratios.items() if v != 0.0}, slack, not needed)


def _name_of_rest(check: ValueCheck, agrees: bool | None, unstated: list[str]) -> str:
    """Name what a claimed product has beyond its claimed factors."""
    if agrees is False:
        return ARITHMETIC
    if agrees or check.passed:
        return ROUNDING
    missing = [n for n in unstated if n != "acres"] or unstated
    if not missing:
        return ARITHMETIC
    name = missing[0] if len(missing) == 1 else NOT_STATED
    return "efficiency" if name == "share_passing" else name


def _claim_of(name: str, checks: Mapping[str, ValueCheck], site_R: ValueCheck | None) -> ValueCheck | None:
    if name == "R":
        return checks.get("R", site_R)
    return checks.get({"share_passing": "efficiency", "per_acre": "acres"}.get(name, name))


def _log_ratio(check: ValueCheck, name: str) -> tuple[float, float] | None:
    """Return ln(claimed/computed) and the relative slack of the printed digits; None where it is undefined."""
    claimed, computed = check.claimed, check.computed
    if computed is None:  # no erosivity, no load: nothing to compare
        return 0.0, 0.0
    assert isinstance(claimed, float)
    assert isinstance(computed, float)
    if name == "share_passing":
        claimed, computed = 1.0 - claimed, 1.0 - computed
    if claimed == computed == 0.0:
        return 0.0, 0.0
    if claimed <= 0.0 or computed <= 0.0:
        return None
    half = half_digit(check.printed, check.quantity) if check.tolerance is None else check.tolerance
    return float(np.log(claimed / computed)), half / claimed


class _Sums:
    """A total as a sum over rows, and how it moves when rows and acres move from computed to claimed."""

    def __init__(self, load: SedimentLoad, ordinance: Ordinance, quantity: str, counted: NDArray[np.bool_]) -> None:
        self.load, self.quantity, self.counted = load, quantity, counted
        windows, plan, standard = load.windows, load.schedule, ordinance.standard
        areas = len(windows.area) - 1
        by_site = standard is not None and standard.scope == "site"
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

    def decompose(self, factors: Mapping[str, Floats], slack: Floats) -> tuple[dict[str, float], float, float]:
        """Return what each factor adds to ln(implied/computed), the implied total, and what digits leave open."""
        change = sum(factors.values(), start=np.zeros(len(slack)))
        if self.quantity != "tons_per_acre_per_year":
            values = np.where(self.counted, np.array(self.load.columns[self.quantity], dtype=float), 0.0)
            claimed = values * np.exp(change)
            return _log_mean_parts(values, factors, 0.0, 1.0), float(claimed.sum()), float(claimed @ slack)
        acre_change = factors.get("acres", np.zeros(len(slack)))
        first, last = (self._governing(change, acre_change, t) for t in (0.0, 1.0))
        turn = 1.0 if first == last else self._crossing(first, last, change, acre_change)
        parts: dict[str, float] = {}
        for window, begin, end in ((first, 0.0, turn), (last, turn, 1.0)):
            if end <= begin:
                continue
            for name, value in _log_mean_parts(self._rows_in(window), factors, begin, end).items():
                parts[name] = parts.get(name, 0.0) + value
            acres = [self._acres(acre_change, t)[window] for t in (begin, end)]
            if acres[0] != acres[1]:
                parts["acres"] = parts.get("acres", 0.0) - float(np.log(acres[1] / acres[0]))
        tons, area = self._rows_in(last) * np.exp(change), float(self._acres(acre_change, 1.0)[last])
        return parts, float(tons.sum()) / area, float(tons @ slack) / area

    def _rows_in(self, window: tuple[int, int]) -> Floats:
        row, column = window
        here = self.area == column if column < len(self.load.windows.area) - 1 else np.ones(len(self.area), bool)
        return np.where(here, self.tons[:, row], 0.0)

    def _governing(self, change: Floats, acre_change: Floats, t: float) -> tuple[int, int]:
        """Return window and column with the largest figure at a point of the way from computed to claimed."""
        figures = self._figures(change, acre_change, t)[:, self.columns]
        row, column = np.unravel_index(int(np.argmax(figures)), figures.shape)
        return int(row), self.columns[int(column)]

    def _figures(self, change: Floats, acre_change: Floats, t: float) -> Floats:
        moved = self.tons * np.exp(t * change)[:, None]
        areas = len(self.load.windows.area) - 1
        tons = np.column_stack([moved[self.area == k].sum(axis=0) for k in range(areas)] + [moved.sum(axis=0)])
        acres = self._acres(acre_change, t)
        figures: Floats = np.divide(tons, acres, out=np.zeros(tons.shape), where=acres > 0.0)
        return figures

    def _crossing(self, first: tuple[int, int], last: tuple[int, int], change: Floats, acre_change: Floats) -> float:
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
    """Return the logarithmic mean; 0 where one of them is 0, the value itself where they are equal."""
    mean = np.zeros(np.broadcast_shapes(a.shape, b.shape))
    positive = (a > 0.0) & (b > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(a / b)
        np.divide(a - b, log, out=mean, where=positive & (np.abs(log) > 1e-12))
    return np.where(positive & (np.abs(log) <= 1e-12), a, mean)


def _log_mean_parts(values: Floats, factors: Mapping[str, Floats], begin: float, end: float) -> dict[str, float]:
    """Divide ln(sum at end / sum at begin) among factors; rows move by exp(t times the sum of their log ratios)."""
    change = sum(factors.values(), start=np.zeros(len(values)))
    before, after = values * np.exp(begin * change), values * np.exp(end * change)
    whole = _log_mean(np.atleast_1d(after.sum()), np.atleast_1d(before.sum()))[0]
    if whole == 0.0:
        return {}
    weights = _log_mean(after, before) / whole
    return {name: float(weights @ ratios) * (end - begin) for name, ratios in factors.items()}


def _shares(total: ValueCheck, parts: Mapping[str, float]) -> Attribution:
    assert isinstance(total.claimed, float)
    assert isinstance(total.computed, float)
    log_ratio = float(np.log(total.claimed / total.computed))
    gross = sum(abs(v) for v in parts.values())
    reason = None
    if gross > MOST_OFFSET * abs(log_ratio):
        reason = "the factors' effects offset each other, so that shares of what remains say nothing"
    ordered = sorted(parts.items(), key=lambda item: (-abs(item[1]), item[0]))
    contributions = tuple(
        Contribution(name, value, None if reason else value / log_ratio) for name, value in ordered if value != 0.0
    )
    return Attribution(total.quantity, total.claimed, total.computed, log_ratio, contributions, reason)
