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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sedcalc.compliance.attributed_rows import ARITHMETIC, NOT_STATED, REMAINDERS, ROUNDING, log_ratio, row_ratios
from sedcalc.compliance.attributed_sums import ANNUAL, Moved, Sums
from sedcalc.compliance.comparison import FACTORS, ProductCheck, ValueCheck
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
        The two totals; ``claimed`` is None where no such total is claimed.
    given
        What is attributed: the claimed total or, where ``implied``, what the claimed factors would give.
    log_ratio
        ln(given/computed); None where it is not attributed.
    contributions
        Largest first; they add up to log_ratio.
    reason
        Why shares, or the whole attribution, are left out; None where they are not.
    note
        What the claimed factors change beside the number: which window or drainage area would govern, and which rows
        were taken to differ as others do; None where there is nothing to say.
    implied
        Whether what the claimed factors would give is attributed, because the total is not claimed, or its claim holds.
    """

    quantity: str
    claimed: float | None
    computed: float
    given: float
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
        rows_products = [[q for q in FACTORS if q in rows.get(i, {})] for i in range(len(self.counted))]
        self.told = np.array([bool(names) for names in rows_products], dtype=bool)
        self.contradicted = np.array(
            [any(self._contradicts(i, q) for q in names) for i, names in enumerate(rows_products)], dtype=bool
        )

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
            return Attribution(total.quantity, claimed, computed, claimed, None, (), stated)
        sums = Sums(self.load, self.ordinance, total.quantity, self.counted)
        close = total.tolerance or 0.0
        moves, chosen, alike = _by_the_first_that_gives(sums, self._readings(stated, total.quantity), claimed, close)
        parts = dict(chosen.parts)
        left = float(np.log(claimed / chosen.implied))
        holds = abs(claimed - chosen.implied) <= chosen.allowed + close
        if left != 0.0:
            if holds:
                name = ROUNDING
            elif not any(v.any() for v in stated.states.values()):
                name = self._of_totals(total, left)
            else:
                name = ARITHMETIC if stated.complete else NOT_STATED
            parts[name] = parts.get(name, 0.0) + left
        notes = [self._governs(moves[0], chosen, holds), alike]
        contributions, reason = _shares(claimed, computed, parts)
        whole, note = float(np.log(claimed / computed)), "; ".join(n for n in notes if n) or None
        return Attribution(total.quantity, claimed, computed, claimed, whole, contributions, reason, note)

    def implied(self, computed: Mapping[str, float | None]) -> Attribution | None:
        """Return the attribution of the first total that the claimed rows change; None where they change none.

        Parameters
        ----------
        computed
            The computed totals by name.

        Notes
        -----
        The claimed factors come first. Products that contradict them count where the factors change no total.
        """
        for by_factors in (True, False) if self.contradicted.any() else (False,):
            for quantity in ("tons_per_acre_per_year", "discharge_tons", "soil_loss_tons"):
                value = computed[quantity]
                found = None if value is None else self._implied(quantity, value, by_factors)
                if found is not None:
                    return found
        return None

    def _implied(self, quantity: str, value: float, by_factors: bool) -> Attribution | None:
        stated = self._refused(quantity, 1.0, value) or self._stated(quantity, by_factors)
        if isinstance(stated, str):
            return None
        sums, alike = Sums(self.load, self.ordinance, quantity, self.counted), ""
        moved = _first_move(sums, stated)
        if self._rows_unclaimed(moved):
            filled, names = _as_the_others(stated, self.counted)
            if names:
                moved, alike = _first_move(sums, filled), _alike_words(names)
        if abs(moved.implied - value) <= moved.near + _ALIKE * value:
            return None
        notes = [self._governs(moved, moved, True), alike]
        note = "; ".join(n for n in notes if n) or None
        total = self.totals.get(quantity)
        claimed = None if total is None else float(total.claimed)
        contributions, reason = _shares(moved.implied, value, moved.parts)
        whole = float(np.log(moved.implied / value))
        return Attribution(quantity, claimed, value, moved.implied, whole, contributions, reason, note, implied=True)

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
        names = [n for n, v in stated.factors.items() if n not in REMAINDERS and v.any()]
        return 100.0 * (1.0 - float(out.sum()) / whole), 100.0 * float(out @ stated.slack) / whole, names

    def _refused(self, quantity: str, claimed: float, computed: float) -> str | None:
        if claimed <= 0.0 or computed <= 0.0:
            return "a total that is zero or negative has no ratio to divide among factors"
        plan = self.load.schedule
        days = (plan.last_day - plan.first_day).days + 1
        if quantity in ANNUAL and len(self.counted) * days > MOST_CELLS:
            return "the site has too many rows and days to be attributed"
        return None

    def _contradicts(self, row: int, product: str) -> bool:
        """Whether a claimed product disagrees with its claimed factors, or holds although one of them differs."""
        checks = self.rows[row]
        agrees = self.agrees.get(row, {}).get(product)
        if agrees is not None or not checks[product].passed:
            return agrees is False
        factors = [checks.get(n, self.totals.get(n)) for n in FACTORS["soil_loss_tons_per_acre"]]
        return any(c is not None and c.passed is False for c in factors)

    def _readings(self, stated: _Stated, quantity: str) -> Iterator[tuple[_Stated, str]]:
        """Yield what the claims may mean, and in words what is taken beside them."""
        yield stated, ""
        filled, names = _as_the_others(stated, self.counted)
        if names:
            yield filled, _alike_words(names)
        by_factors = self._stated(quantity, by_factors=True) if self.contradicted.any() else ""
        if not isinstance(by_factors, str):
            yield by_factors, ""
            filled, names = _as_the_others(by_factors, self.counted)
            if names:
                yield filled, _alike_words(names)

    def _stated(self, quantity: str, by_factors: bool = False) -> _Stated | str:
        """Return what the rows claim; in words why they cannot be followed, where a ratio is undefined.

        ``by_factors`` leaves out the products of rows in which they contradict the factors.
        """
        factors: dict[str, Floats] = {}
        states: dict[str, NDArray[np.bool_]] = {}
        slack, own_slack = np.zeros(len(self.counted)), np.zeros(len(self.counted))
        digits: dict[str, Floats] = {}
        complete = True
        for i in np.flatnonzero(self.counted).tolist():
            checks = self.rows.get(i, {})
            if by_factors and self.contradicted[i]:
                checks = {q: c for q, c in checks.items() if q not in FACTORS}
            here = row_ratios(checks, self.agrees.get(i, {}), self.totals.get("R"), quantity)
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
        stated = _Stated(factors, states, slack, own_slack, digits, complete)
        return stated if by_factors else self._without_what_products_deny(stated)

    def _without_what_products_deny(self, stated: _Stated) -> _Stated:
        """Return the claims without the factors of the whole site that every claimed product contradicts.

        Such a factor changes nothing where a product is claimed, so that it must change nothing elsewhere either.
        """
        told, factors = self.told & self.counted, dict(stated.factors)
        if told.any() and self.contradicted[told].all():
            for name in FACTORS["soil_loss_tons_per_acre"]:
                if (
                    name in factors
                    and stated.states[name][self.counted].all()
                    and _differ_alike(stated, name, self.counted)
                ):
                    factors[name] = np.where(told, factors[name], 0.0)
        return stated._replace(factors=factors)

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

    def _governs(self, by_claims: Moved, chosen: Moved, holds: bool) -> str:
        """Say which window or area would govern by the claims, where that changes, and whose the claimed figure is."""
        first, last = by_claims.first, by_claims.last
        if first is None or last is None or first == last:
            return ""
        parts = by_claims.parts
        names = [n for n, v in parts.items() if n not in REMAINDERS and v != 0.0]
        claims = [", ".join(names)] if names else []
        if any(abs(parts.get(n, 0.0)) > _ALIKE for n in (ARITHMETIC, NOT_STATED)):
            claims.append("products")
        windows = self.load.windows
        if first.column != last.column:
            new, old = (f"drainage area {windows.area[p.column]!r}" for p in (last, first))
        else:
            new, old = (f"{windows.start[p.row]} to {windows.end[p.row]}" for p in (last, first))
        said = f"with the claimed {' and '.join(claims) or 'factors'} {new}"
        if chosen.last == first:
            whose = f"; the claimed figure is that of {old}" if holds else ""
            return f"{said} would govern ({by_claims.implied:.5g}){whose}"
        return f"{said} governs, not {old}"


def _first_move(sums: Sums, stated: _Stated) -> Moved:
    """Return what the claimed factors give, whatever their digits leave open."""
    wrong = {n: v for n, v in stated.factors.items() if n != ROUNDING}
    return sums.moves(wrong, stated.slack, stated.own_slack)[0]


def _alike_words(names: Sequence[str]) -> str:
    return f"the rows that state no {' or '.join(names)} are taken to differ as the others do"


def _by_the_first_that_gives(
    sums: Sums, readings: Iterator[tuple[_Stated, str]], claimed: float, close: float
) -> tuple[list[Moved], Moved, str]:
    """Return how the total moves by the first reading that gives the claimed figure; by the first where none does."""
    found: list[tuple[list[Moved], Moved, str]] = []
    for stated, words in readings:
        moves = sums.moves(stated.factors, stated.slack, stated.own_slack)
        nearest = _nearest(moves, claimed, close)
        found.append((moves, nearest, words))
        if abs(claimed - nearest.implied) <= nearest.near + close:
            return found[-1]
    return found[0]


def _nearest(moves: Sequence[Moved], claimed: float, close: float) -> Moved:
    """Return what governs by the claims where that gives the claimed figure, else what comes nearest to it."""
    first = moves[0]
    if abs(claimed - first.implied) <= first.near + close:
        return first
    return min(moves, key=lambda m: abs(float(np.log(claimed / m.implied))))


def _differ_alike(stated: _Stated, name: str, rows: NDArray[np.bool_]) -> bool:
    """Whether a factor differs by the same ratio in all of these rows, as far as its printed digits tell."""
    ratios = stated.factors[name][rows]
    open_digits = float(stated.digits[name][rows].max()) if name in stated.digits else 0.0
    return bool(ratios.any()) and float(np.ptp(ratios)) <= 2.0 * open_digits + _ALIKE


def _as_the_others(stated: _Stated, counted: NDArray[np.bool_]) -> tuple[_Stated, list[str]]:
    """Return the claims with the factors that differ alike in every row that states them given to the other rows."""
    factors, own_slack, names = dict(stated.factors), stated.own_slack.copy(), []
    for name, ratios in stated.factors.items():
        states = stated.states[name]
        lacking = counted & ~states
        if name in REMAINDERS or not states.any() or not lacking.any() or not ratios[states].any():
            continue
        open_digits = float(stated.digits[name][states].max()) if name in stated.digits else 0.0
        if _differ_alike(stated, name, states):
            factors[name] = np.where(lacking, ratios[states].mean(), ratios)
            own_slack = np.where(lacking, own_slack + open_digits, own_slack)
            names.append(name)
    slack = np.maximum(stated.slack, own_slack)
    return _Stated(factors, stated.states, slack, own_slack, stated.digits, stated.complete), names


def _shares(given: float, computed: float, parts: Mapping[str, float]) -> tuple[tuple[Contribution, ...], str | None]:
    """Return the contributions, largest first, and why they have no shares, where they have none."""
    whole = float(np.log(given / computed))
    gross = sum(abs(v) for v in parts.values())
    reason = None
    if gross > MOST_OFFSET * abs(whole):
        reason = "the factors' effects offset each other, so that shares of what remains say nothing"
    ordered = sorted(parts.items(), key=lambda item: (-abs(item[1]), item[0]))
    contributions = tuple(
        Contribution(name, value, None if reason else value / whole) for name, value in ordered if value != 0.0
    )
    return contributions, reason
