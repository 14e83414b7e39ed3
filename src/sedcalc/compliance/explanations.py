"""Why claims differ, in words: the other input, unit or reading that gives the claimed value."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from sedcalc.compliance.candidates import MOST_SHOWN, Candidate, matching, unit_swaps
from sedcalc.compliance.comparison import FACTORS, Interval, ProductCheck, ValueCheck, bounds_of, computed_row
from sedcalc.compliance.factor_candidates import factor_candidates
from sedcalc.compliance.ruling import Ruling, check_compliance
from sedcalc.compliance.total_candidates import total_candidates, variants
from sedcalc.load.load_table import SedimentLoad
from sedcalc.site.claims import FINEST, MAX_TOLERANCE_PCT, half_digit

FOLLOWS: Final = "it follows from"
"""How the explanation of a product says that its factors explain it."""

MOST_EXPLAINED: Final = 200
"""Claims that are explained at most; claims alike in quantity, value and computed value count once."""

_CLAIMED_AS = {"share_passing": "efficiency", "per_acre": "acres"}
_ALMOST = 1e-6  # of the last digit: 1.0 cut off to one digit is 1.0, whatever its binary fraction
_LEFT_OUT = {
    "ei_fraction": "the period's share of R",
    "share_passing": "the practices",
    "delivery_ratio": "the delivery ratio",
}


class Explainer:
    """Explains claims that differ from the calculation.

    Parameters
    ----------
    ruling
        The ruling on the submission.
    rows
        Checks by row of the load table and quantity.
    products
        Checks of the claimed products.
    site_R
        The check of an R claimed for the site, for rows that claim none.
    """

    def __init__(
        self,
        ruling: Ruling,
        rows: Mapping[int, Mapping[str, ValueCheck]],
        products: Sequence[ProductCheck],
        site_R: ValueCheck | None = None,
    ) -> None:
        of_site = {} if site_R is None else {"R": site_R}
        self.ruling, self.rows = ruling, {i: {**of_site, **row} for i, row in rows.items()}
        self.products = {p.where: p for p in products if p.row is not None}
        self._known: dict[tuple[str, str, float | str | None], tuple[str, ...]] = {}

    def explain(self, check: ValueCheck, attributed: bool = False) -> tuple[str, ...]:
        """Return sentences on why a claim differs, the likeliest first; none where the search has ended.

        Parameters
        ----------
        check
            A claim that does not hold.
        attributed
            Whether claimed factors account for it in full, so that nothing need be said where no input is found.
        """
        product = self.products.get(check.where)
        if product is not None and product.passed:
            return (
                f"it agrees with its own claimed factors: it follows from {self._wrong(check) or 'their rounding'}",
            )
        if product is None and check.row is not None and self._moves_with_its_factors(check):
            return (f"{FOLLOWS} the claimed {self._wrong(check)}, with all else as computed",)
        found: tuple[str, ...] = ()
        if product is not None:
            found = (f"its own claimed factors ({', '.join(product.factors)}) give {product.product:.4g}",)
        key = (check.quantity, check.printed, check.computed)
        if key not in self._known:
            if len(self._known) >= MOST_EXPLAINED:
                return found
            self._known[key] = self._search(check, attributed)
        return found + self._known[key]

    def _wrong(self, check: ValueCheck) -> str:
        """Name the claimed factors that differ and, where none does or a product slips, the products before it."""
        assert check.row is not None
        row = self.rows[check.row]
        leaves = [n for n in dict.fromkeys(self._leaves(check.quantity)) if (c := row.get(n)) and c.passed is False]
        inner = [n for n in self._products(check.quantity) if (c := row.get(n)) and c.passed is False]
        slips = [n for n in inner if (p := self.products.get(row[n].where)) is not None and not p.passed]
        return ", ".join(leaves + slips if leaves else inner[:1])

    def _moves_with_its_factors(self, check: ValueCheck) -> bool:
        """Whether a claimed product differs as its claimed factors do, those that are not claimed as computed."""
        assert check.row is not None
        if check.quantity not in FACTORS or not isinstance(check.computed, float) or not self._wrong(check):
            return False
        moved = self._moved(check.quantity, self.rows[check.row])
        assert check.tolerance is not None
        half = check.tolerance
        low, high = sorted((moved.low * check.computed, moved.high * check.computed))
        return low - half <= float(check.claimed) <= high + half

    def _moved(self, product: str, row: Mapping[str, ValueCheck]) -> Interval:
        """Return claimed over computed of a product's nearest claimed factors."""
        whole = Interval(1.0, 1.0, 1.0)
        for name in FACTORS[product]:
            own = row.get(_CLAIMED_AS.get(name, name))
            if own is None:
                if name in FACTORS:
                    whole = whole.times(self._moved(name, row))
                continue
            claimed, computed = bounds_of(own), own.computed
            if not isinstance(computed, float):
                continue
            if name == "share_passing":
                claimed, computed = Interval(*(1.0 - v for v in reversed(claimed))), 1.0 - computed
            if computed > 0.0 and (name != "per_acre" or claimed.low > 0.0):
                part = Interval(*(v / computed for v in claimed))
                whole = whole.times(Interval(*(1.0 / v for v in reversed(part))) if name == "per_acre" else part)
        return whole

    def _products(self, product: str) -> Iterator[str]:
        for name in FACTORS[product]:
            if name in FACTORS:
                yield name
                yield from self._products(name)

    def _leaves(self, product: str) -> Iterator[str]:
        for name in FACTORS[product]:
            if name in FACTORS:
                yield from self._leaves(name)
            else:
                yield _CLAIMED_AS.get(name, name)

    def _search(self, check: ValueCheck, attributed: bool) -> tuple[str, ...]:
        # Where its factors account for it they are explained themselves; the site need not be computed in all variants.
        for candidates in (self._direct(check),) if attributed else (self._direct(check), self._variants(check)):
            if check.claimed == 0.0:  # only what is zero gives it: no other value rounds to it, however it is written
                candidates = (c for c in candidates if c.value == 0.0)
            words = matching(check, candidates)
            if words:
                return tuple(f"{w} gives the claimed {check.printed}" for w in words[:MOST_SHOWN])
        if attributed:
            return ()
        if check.claimed == 0.0:
            return ("a claim of zero is not explained",)
        return (f"no plausible input, unit or reading that was tried gives {check.printed}",)

    def _direct(self, check: ValueCheck) -> Iterator[Candidate]:
        yield from unit_swaps(check)
        yield from self._rounded(check)
        yield from self._cut_off(check)
        if check.row is None:
            if check.quantity == "R":
                yield from factor_candidates(self.ruling.load, check)
            yield from total_candidates(self.ruling, check.quantity)
        else:
            yield from factor_candidates(self.ruling.load, check)
            yield from self._left_out(check)

    def _rounded(self, check: ValueCheck) -> Iterator[Candidate]:
        if not isinstance(check.claimed, float) or check.claimed == 0.0:
            return
        if abs(check.difference or 0.0) <= half_digit(check.printed, check.quantity):
            bound = f"no more than {MAX_TOLERANCE_PCT:g} % or {FINEST:g} is taken for rounding: write more"
            yield Candidate(f"rounding to so few digits ({bound})", check.claimed)

    def _cut_off(self, check: ValueCheck) -> Iterator[Candidate]:
        if isinstance(check.computed, float) and isinstance(check.claimed, float) and check.claimed != 0.0:
            _, _, decimals = check.printed.partition(".")
            scale = 10.0 ** len(decimals) if decimals.isdigit() else 0.0
            if check.computed > 0.0 and scale and int(check.computed * scale + _ALMOST) == round(check.claimed * scale):
                yield Candidate("the computed value cut off instead of rounded", check.claimed)

    def _left_out(self, check: ValueCheck) -> Iterator[Candidate]:
        """Yield the row's product without one of its factors: of ours, and of the claimed ones."""
        assert check.row is not None
        load = self.ruling.load
        ours = computed_row(load, check.row)
        ours["delivery_ratio"] = load.site.delivery.ratio if load.site.delivery else 1.0
        ours["share_passing"] = None if ours["efficiency"] is None else 1.0 - ours["efficiency"]
        ours["per_acre"] = 1.0 / float(ours["acres"] or 1.0)
        claimed = {n: c.claimed for n, c in self.rows[check.row].items() if isinstance(c.claimed, float)}
        if "efficiency" in claimed:
            claimed["share_passing"] = 1.0 - claimed["efficiency"]
        theirs = self.products.get(check.where)
        for product, values in ((check.computed, ours), (theirs.product if theirs else None, {**ours, **claimed})):
            if not isinstance(product, float) or check.quantity not in FACTORS:
                continue
            for name in self._all_factors(check.quantity):
                value = values.get(name)
                if value is not None and value not in (0.0, 1.0):
                    yield Candidate(f"leaving out {_LEFT_OUT.get(name, name)}", product / value)
                    yield Candidate(f"multiplying twice by {_LEFT_OUT.get(name, name)}", product * value)

    def _all_factors(self, product: str) -> Iterator[str]:
        for name in FACTORS[product]:
            yield from self._all_factors(name) if name in FACTORS else (name,)

    @cached_property
    def _varied(self) -> list[tuple[str, SedimentLoad]]:
        return list(variants(self.ruling.load))

    @cached_property
    def _rulings(self) -> list[Ruling]:
        ruling = self.ruling
        return [check_compliance(load, ruling.ordinance, overrides=ruling.overrides) for _, load in self._varied]

    def _variants(self, check: ValueCheck) -> Iterator[Candidate]:
        for number, (words, load) in enumerate(self._varied):
            if check.row is not None:
                value = computed_row(load, check.row)[check.quantity]
            else:
                value = computed_totals(self._rulings[number])[check.quantity]
            if value is not None:
                yield Candidate(words, value)


def computed_totals(ruling: Ruling) -> dict[str, float | None]:
    """Return the computed totals by the names that claims give them.

    Parameters
    ----------
    ruling
        The ruling on a site.
    """
    totals = ruling.load.totals
    return {
        "tons_per_acre_per_year": ruling.tons_per_acre_per_year,
        "site_tons_per_acre_per_year": ruling.site_tons_per_acre_per_year,
        "percent_reduction": ruling.percent_reduction,
        "disturbed_acres": ruling.disturbed_acres,
        "R": ruling.load.erosivity.R,
        "soil_loss_tons": totals.eroded,
        "discharge_tons": totals.discharged,
    }
