"""Which claimed factor makes a claimed total differ from the computed one, and by what share.

The logarithm of claimed over computed is divided among the factors by log-mean weights over the rows (logarithmic mean
Divisia index): with row i adding V_i to the total V, and V'_i to the claimed V', factor k adds

    sum over i of L(V'_i, V_i) / L(V', V) * ln(claimed x_ik / computed x_ik),      L(a, b) = (a - b) / ln(a / b)

which leaves no remainder. Where the claimed factors make another window or drainage area govern, the change is followed
from the one to the other at the point where both are equal; where the claimed figure is that of the window and area
that govern as computed, it is attributed there, and a note says which would govern by the claims.

References
----------
Ang, B.W., Liu, F.L. (2001). A new energy decomposition method: perfect in decomposition and consistent in aggregation.
Energy 26(6), 537-548.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sedcalc.compliance.attributed_rows import ARITHMETIC, NOT_STATED, ROUNDING, log_ratio, row_ratios
from sedcalc.compliance.attributed_sums import ANNUAL, Moved, Sums
from sedcalc.compliance.comparison import ProductCheck, ValueCheck
from sedcalc.compliance.ordinance import Ordinance
from sedcalc.load.ground import Floats
from sedcalc.load.load_table import SedimentLoad

ATTRIBUTED: Final = (*ANNUAL, "discharge_tons", "soil_loss_tons")
"""Totals that are sums of products over rows, so that a difference can be attributed."""

MOST_OFFSET: Final = 2.0
"""Shares are left out where the factors' effects, added without regard to sign, exceed this many times their sum."""

MOST_CELLS: Final = 5_000_000
"""Rows times days of a site whose tons per acre are attributed at most: bounds time and memory."""

_ALIKE = 1e-6  # relative: claims of a factor that differ from row to row by their printed digits alone
_REMAINDERS = (ROUNDING, ARITHMETIC, NOT_STATED)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one factor adds to the difference.

    Parameters
    ----------
    factor
        Symbol or name; ``soil loss`` where the claimed total of soil loss differs alike, and its factors are not
        claimed; ``arithmetic`` for products and sums that disagree with their own factors, ``rounding`` for claims that
        hold by their printed digits, ``not stated`` for what no claim accounts for.
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
    note
        What the claimed factors change beside the number: which window or drainage area would govern, and which rows
        were taken to differ as others do; None where there is nothing to say.
    implied
        Whether no such total is claimed: ``claimed`` is then what the claimed rows give.
    """

    quantity: str
    claimed: float
    computed: float
    log_ratio: float | None
    contributions: tuple[Contribution, ...]
    reason: str | None
    note: str | None = None
    implied: bool = False


class _Stated(NamedTuple):
    """Claims of the rows: ln(claimed/computed) and whether it is stated, by factor; slack; whether none is missing."""

    factors: dict[str, Floats]
    states: dict[str, NDArray[np.bool_]]
    slack: Floats
    own_slack: Floats
    digits: dict[str, Floats]
    complete: bool


class Attributor:
    """Attributes the totals of one submission.

    Parameters
    ----------
    load, ordinance
        The calculation, and what it was ruled by (scope and annual figure).
    rows
        Checks by row of the load table and quantity.
    products
        Checks of the products.
    totals
        Checks of the totals by quantity; an R claimed for the site counts for rows that claim none.
    """

    def __init__(
        self,
        load: SedimentLoad,
        ordinance: Ordinance,
        rows: Mapping[int, Mapping[str, ValueCheck]],
        products: Sequence[ProductCheck],
        totals: Mapping[str, ValueCheck],
    ) -> None:
        self.load, self.ordinance, self.rows, self.totals = load, ordinance, rows, totals
        self.counted = np.array(load.columns["counted"], dtype=bool)
        self.agrees: dict[int, dict[str, bool]] = {}
        for product in products:
            if product.row is not None:
                self.agrees.setdefault(product.row, {})[product.quantity] = product.passed

    def attribute(self, total: ValueCheck) -> Attribution:
        """Return the attribution of a claimed total that differs from the computed one.

        Parameters
        ----------
        total
            The check of the total, one of `ATTRIBUTED`.
        """
        claimed, computed = total.claimed, total.computed
        assert isinstance(claimed, float)
        assert isinstance(computed, float)
        stated = self._refused(total.quantity, claimed, computed) or self._stated(total.quantity)
        if isinstance(stated, str):
            return Attribution(total.quantity, claimed, computed, None, (), stated)
        sums = Sums(self.load, self.ordinance, total.quantity, self.counted)
        close = total.tolerance or 0.0
        moves, alike = sums.moves(stated.factors, stated.slack, stated.own_slack), ""
        chosen = _nearest(moves, claimed, close)
        if abs(claimed - chosen.implied) > chosen.near + close:
            filled, names = _as_the_others(stated, self.counted)
            further = sums.moves(filled.factors, filled.slack, filled.own_slack) if names else moves
            nearest = _nearest(further, claimed, close)
            if abs(claimed - nearest.implied) <= nearest.near + close:
                moves, chosen = further, nearest
                alike = _alike_words(names)
        parts = dict(chosen.parts)
        left = float(np.log(claimed / chosen.implied))
        if left != 0.0:
            if abs(claimed - chosen.implied) <= chosen.allowed + close:
                name = ROUNDING
            elif not any(v.any() for v in stated.states.values()):
                name = self._of_totals(total, left)
            else:
                name = ARITHMETIC if stated.complete else NOT_STATED
            parts[name] = parts.get(name, 0.0) + left
        notes = [self._governs(moves[0], chosen, parts), alike]
        return _shares(total.quantity, claimed, computed, parts, "; ".join(n for n in notes if n) or None)

    def implied(self, computed: Mapping[str, float | None]) -> Attribution | None:
        """Return the attribution of the first total that the claimed rows change; None where they change none.

        Parameters
        ----------
        computed
            The computed totals by name.
        """
        for quantity in ("tons_per_acre_per_year", "discharge_tons", "soil_loss_tons"):
            value = computed[quantity]
            stated = self._refused(quantity, 1.0, value or 0.0) or self._stated(quantity)
            if isinstance(stated, str) or value is None:
                continue
            sums, alike = Sums(self.load, self.ordinance, quantity, self.counted), ""
            moved = _first_move(sums, stated)
            if self._rows_unclaimed(moved):
                filled, names = _as_the_others(stated, self.counted)
                if names:
                    moved, alike = _first_move(sums, filled), _alike_words(names)
            if abs(moved.implied - value) > moved.near + _ALIKE * value:
                notes = [self._governs(moved, moved, moved.parts), alike]
                note = "; ".join(n for n in notes if n) or None
                return _shares(quantity, moved.implied, value, moved.parts, note, implied=True)
        return None

    def _rows_unclaimed(self, moved: Moved) -> bool:
        """Whether what governs by the claims is a drainage area of which no row is claimed."""
        if moved.last is None:
            return False
        areas = self.load.columns["drainage_area"]
        area = self.load.windows.area[moved.last.column]
        return area in areas and area not in {areas[i] for i in self.rows}

    def percent_reduction(self) -> tuple[float, float, list[str]] | None:
        """Return the percent reduction that the claimed factors give, what digits leave open, and which differ."""
        stated = self._stated("discharge_tons")
        if isinstance(stated, str):
            return None
        sizes = ("R", "ei_fraction", "K", "LS", "acres")
        change = sum(stated.factors.values(), start=np.zeros(len(stated.slack)))
        of_base = sum((stated.factors[n] for n in sizes if n in stated.factors), start=np.zeros(len(stated.slack)))
        columns = self.load.columns
        out = np.where(self.counted, np.array(columns["discharge_tons"], dtype=float), 0.0) * np.exp(change)
        base = np.where(self.counted, np.array(columns["bare_tons"], dtype=float), 0.0) * np.exp(of_base)
        whole = float(base.sum()) * (self.load.site.delivery.ratio if self.load.site.delivery else 1.0)
        if whole <= 0.0:
            return None
        names = [n for n, v in stated.factors.items() if n not in _REMAINDERS and v.any()]
        return 100.0 * (1.0 - float(out.sum()) / whole), 100.0 * float(out @ stated.slack) / whole, names

    def _refused(self, quantity: str, claimed: float, computed: float) -> str | None:
        if claimed <= 0.0 or computed <= 0.0:
            return "a total that is zero or negative has no ratio to divide among factors"
        plan = self.load.schedule
        days = (plan.last_day - plan.first_day).days + 1
        if quantity in ANNUAL and len(self.counted) * days > MOST_CELLS:
            return "the site has too many rows and days to be attributed"
        return None

    def _stated(self, quantity: str) -> _Stated | str:
        """Return what the rows claim; in words why they cannot be followed, where a ratio is undefined."""
        factors: dict[str, Floats] = {}
        states: dict[str, NDArray[np.bool_]] = {}
        slack, own_slack = np.zeros(len(self.counted)), np.zeros(len(self.counted))
        digits: dict[str, Floats] = {}
        complete = True
        for i in np.flatnonzero(self.counted).tolist():
            here = row_ratios(self.rows.get(i, {}), self.agrees.get(i, {}), self.totals.get("R"), quantity)
            if here is None:
                label = f"{self.load.columns['phase'][i]!r} on {self.load.columns['unit'][i]!r}"
                return f"a claim of the row {label}, or its computed value, is zero or negative"
            for name, ratio in here.log_ratios.items():
                factors.setdefault(name, np.zeros(len(self.counted)))[i] = ratio
                states.setdefault(name, np.zeros(len(self.counted), dtype=bool))[i] = i in self.rows or name == "R"
            for name, loose in here.digits.items():
                digits.setdefault(name, np.zeros(len(self.counted)))[i] = loose
            slack[i], own_slack[i] = here.slack, here.own_slack
            complete = complete and (here.complete or self.load.columns["discharge_tons"][i] == 0.0)
        return _Stated(factors, states, slack, own_slack, digits, complete)

    def _of_totals(self, total: ValueCheck, left: float) -> str:
        """Name a difference by the other claimed totals, where no row is claimed."""
        slack = (total.tolerance or 0.0) / float(total.claimed)
        for name, quantity, sign in (("soil loss", "soil_loss_tons", 1.0), ("acres", "disturbed_acres", -1.0)):
            check = self.totals.get(quantity)
            if check is None or quantity == total.quantity or check.computed is None:
                continue
            step = log_ratio(check, quantity)
            if step is None or (name == "acres" and total.quantity not in ANNUAL):
                continue
            if check.passed is False and abs(left - sign * step[0]) <= slack + step[1]:
                return name
        eroded = self.totals.get("soil_loss_tons")
        if eroded is not None and eroded.passed and total.quantity != "soil_loss_tons":
            return "efficiency"
        return NOT_STATED

    def _governs(self, by_claims: Moved, chosen: Moved, parts: Mapping[str, float]) -> str:
        """Say which window or drainage area would govern with the claimed factors, where that changes."""
        first, last = by_claims.first, by_claims.last
        if first is None or last is None or first == last:
            return ""
        names = [n for n, v in parts.items() if n not in _REMAINDERS and v != 0.0] or ["factors"]
        windows = self.load.windows
        if first.column != last.column:
            new, old = (f"drainage area {windows.area[p.column]!r}" for p in (last, first))
        else:
            new, old = (f"{windows.start[p.row]} to {windows.end[p.row]}" for p in (last, first))
        said = f"with the claimed {', '.join(names)} {new}"
        if chosen.last == first:
            return f"{said} would govern ({by_claims.implied:.5g}); the claimed figure is that of {old}"
        return f"{said} governs, not {old}"


def _first_move(sums: Sums, stated: _Stated) -> Moved:
    """Return what the claimed factors give, whatever their digits leave open."""
    wrong = {n: v for n, v in stated.factors.items() if n != ROUNDING}
    return sums.moves(wrong, stated.slack, stated.own_slack)[0]


def _alike_words(names: Sequence[str]) -> str:
    return f"the rows that state no {' or '.join(names)} are taken to differ as the others do"


def _nearest(moves: Sequence[Moved], claimed: float, close: float) -> Moved:
    """Return what governs by the claims where that gives the claimed figure, else what comes nearest to it."""
    first = moves[0]
    if abs(claimed - first.implied) <= first.near + close:
        return first
    return min(moves, key=lambda m: abs(float(np.log(claimed / m.implied))))


def _as_the_others(stated: _Stated, counted: NDArray[np.bool_]) -> tuple[_Stated, list[str]]:
    """Return the claims with the factors that differ alike in every row that states them given to the other rows."""
    factors, own_slack, names = dict(stated.factors), stated.own_slack.copy(), []
    for name, ratios in stated.factors.items():
        states = stated.states[name]
        lacking = counted & ~states
        if name in _REMAINDERS or not states.any() or not lacking.any() or not ratios[states].any():
            continue
        open_digits = float(stated.digits[name][states].max()) if name in stated.digits else 0.0
        if float(np.ptp(ratios[states])) <= 2.0 * open_digits + _ALIKE:
            factors[name] = np.where(lacking, ratios[states].mean(), ratios)
            own_slack = np.where(lacking, own_slack + open_digits, own_slack)
            names.append(name)
    slack = np.maximum(stated.slack, own_slack)
    return _Stated(factors, stated.states, slack, own_slack, stated.digits, stated.complete), names


def _shares(
    quantity: str,
    claimed: float,
    computed: float,
    parts: Mapping[str, float],
    note: str | None,
    implied: bool = False,
) -> Attribution:
    whole = float(np.log(claimed / computed))
    gross = sum(abs(v) for v in parts.values())
    reason = None
    if gross > MOST_OFFSET * abs(whole):
        reason = "the factors' effects offset each other, so that shares of what remains say nothing"
    ordered = sorted(parts.items(), key=lambda item: (-abs(item[1]), item[0]))
    contributions = tuple(
        Contribution(name, value, None if reason else value / whole) for name, value in ordered if value != 0.0
    )
    return Attribution(quantity, claimed, computed, whole, contributions, reason, note, implied)
