"""What the claims of a row say of each factor: ln(claimed/computed), followed from the factors to the discharge."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from sedcalc.compliance.comparison import FACTORS, ValueCheck

ROUNDING: Final = "rounding"
ARITHMETIC: Final = "arithmetic"
NOT_STATED: Final = "not stated"
REMAINDERS: Final = (ROUNDING, ARITHMETIC, NOT_STATED)
"""What a difference is put down to that no claimed factor makes."""

_CLAIMED_AS = {"share_passing": "efficiency", "per_acre": "acres"}


@dataclass(frozen=True, slots=True)
class RowRatios:
    """What a row's claims say.

    Parameters
    ----------
    log_ratios
        ln(claimed/computed) by factor; 0 for factors whose claim holds.
    slack, own_slack
        Relative: what the printed digits leave open at most; by how much claims that hold are off, and the digits of
        those that differ.
    complete
        Whether the claims leave no factor out.
    digits
        Relative, by factor: what its printed digits leave open.
    """

    log_ratios: dict[str, float]
    slack: float
    own_slack: float
    complete: bool
    digits: dict[str, float]


def row_ratios(
    checks: Mapping[str, ValueCheck], agrees: Mapping[str, bool], site_R: ValueCheck | None, quantity: str
) -> RowRatios | None:
    """Follow a row's claims from its factors to its discharge, or its soil loss; None where a ratio is undefined.

    Parameters
    ----------
    checks
        The row's checks by quantity.
    agrees
        Whether its claimed products agree with their own factors, by quantity.
    site_R
        The check of an R claimed for the site, for rows that claim none.
    quantity
        The total to which the row adds.
    """
    ratios: dict[str, float] = {}
    level, slack, own_slack = 0.0, 0.0, 0.0
    unstated: list[str] = []
    wrong = False  # whether the product is followed from a claim that differs
    digits: dict[str, float] = {}

    def add(name: str, value: float) -> None:
        ratios[name] = ratios.get(name, 0.0) + value

    last = "soil_loss_tons" if quantity == "soil_loss_tons" else "discharge_tons_per_acre"
    for product, names in FACTORS.items():
        for name in names:
            if name in FACTORS or name == "delivery_ratio":
                continue
            claim = checks.get("R", site_R) if name == "R" else checks.get(_CLAIMED_AS.get(name, name))
            if claim is None:
                if name != "per_acre":
                    unstated.append(name)
                continue
            step = log_ratio(claim, name)
            if step is None:
                return None
            value, loose = step
            wrong = wrong or claim.passed is False
            factor = _CLAIMED_AS.get(name, name)
            if product != "discharge_tons_per_acre":  # acres count once: in the tons
                add(factor, 0.0 if claim.passed else value)
                add(ROUNDING, value if claim.passed else 0.0)
                digits[factor] = loose
                level += value
                slack += loose
                own_slack += abs(value) if claim.passed else loose
        if product in checks:
            step = log_ratio(checks[product], product)
            if step is None:
                return None
            value, loose = step
            if product == "discharge_tons_per_acre":
                if "discharge_tons" in checks:
                    break
                acres = log_ratio(checks["acres"], "acres") if "acres" in checks else (0.0, 0.0)
                value += 0.0 if acres is None else acres[0]
            rest = _name_of_rest(checks[product], agrees.get(product), unstated, wrong)
            if rest == NOT_STATED and abs(value - level) <= slack + loose:
                rest = ROUNDING
            add(rest, value - level)
            level, slack, own_slack, unstated = value, loose, loose, []
            wrong = checks[product].passed is False
        if product == last:
            break
    needed = [n for n in unstated if n not in ("acres", "C", "P")]
    return RowRatios(ratios, slack, own_slack, not needed, digits)


def _name_of_rest(check: ValueCheck, agrees: bool | None, unstated: list[str], wrong: bool) -> str:
    """Name what a claimed product has beyond its claimed factors, of which one is ``wrong`` or none."""
    if agrees is False:
        return ARITHMETIC
    if agrees or (check.passed and not wrong):
        return ROUNDING
    missing = [n for n in unstated if n != "acres"] or unstated
    if not missing:
        return ARITHMETIC
    name = NOT_STATED if check.passed or len(missing) > 1 else missing[0]
    return _CLAIMED_AS.get(name, name)


def log_ratio(check: ValueCheck, name: str) -> tuple[float, float] | None:
    """Return ln(claimed/computed) and the relative slack of the printed digits; None where it is undefined.

    Parameters
    ----------
    check
        The claim.
    name
        As what it counts: ``share_passing`` for an efficiency.
    """
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
    assert check.tolerance is not None
    return float(np.log(claimed / computed)), check.tolerance / claimed
