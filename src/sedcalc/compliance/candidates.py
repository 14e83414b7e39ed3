"""Candidates: what a plausible other input, unit or reading gives, to be held against a claim."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from sedcalc.compliance.comparison import ValueCheck
from sedcalc.load.ground import Floats
from sedcalc.site.claims import printed_tolerance
from sedcalc.units import ACRE_FT2, ACRE_HA, ACRE_M2, K_US_SI, POUND_KG, R_US_SI, TON_PER_ACRE_T_PER_HA, TON_T

MOST_SHOWN: Final = 3
"""Explanations that a claim gets at most."""

_EXACT = 1e-6  # relative, beside the printed digits
_CONVERTED = 2e-3  # relative: handbooks print conversion factors with three or four digits


class Candidate(NamedTuple):
    """A value that an applicant may have arrived at.

    Attributes
    ----------
    words
        What gives it, as the subject of "... gives the claimed 1.21".
    value
        In the unit of the claim.
    slack
        Relative difference that still counts as this value, beside the claim's printed digits.
    """

    words: str
    value: float
    slack: float = _EXACT


def matching(check: ValueCheck, candidates: Iterable[Candidate]) -> list[str]:
    """Return what the candidates that give the claimed value are, in their order, without repetitions.

    Parameters
    ----------
    check
        The claim.
    candidates
        In order of plausibility.
    """
    if not isinstance(check.claimed, float):
        return []
    half = printed_tolerance(check.printed, check.quantity, check.claimed)
    near = [c.words for c in candidates if abs(c.value - check.claimed) <= half + c.slack * abs(c.value)]
    return list(dict.fromkeys(near))


_PER_AREA = ("tons_per_acre_per_year", "site_tons_per_acre_per_year", "soil_loss_tons_per_acre")
_PER_AREA_UNITS = {
    "metric tons per hectare instead of tons per acre": TON_PER_ACRE_T_PER_HA,
    "tons per hectare instead of tons per acre": 1.0 / ACRE_HA,
    "metric tons per acre instead of tons per acre": TON_T,
    "pounds per acre instead of tons per acre": 2000.0,
}
_TON_UNITS = {
    "metric tons instead of short tons": TON_T,
    "pounds instead of tons": 2000.0,
    "kilograms instead of tons": 2000.0 * POUND_KG,
}
_AREA_UNITS = {
    "hectares instead of acres": ACRE_HA,
    "square feet instead of acres": ACRE_FT2,
    "square metres instead of acres": ACRE_M2,
    "acres taken for hectares and converted": 1.0 / ACRE_HA,
}
_UNITS: dict[str, dict[str, float]] = {
    "R": {
        "R in SI units, MJ mm/(ha h yr), instead of US customary units": R_US_SI,
        "R in N/h instead of US customary units": R_US_SI / 10.0,
        "R taken for SI units and converted to US customary units": 1.0 / R_US_SI,
    },
    "K": {
        "K in SI units, t ha h/(ha MJ mm), instead of US customary units": K_US_SI,
        "K taken for SI units and converted to US customary units": 1.0 / K_US_SI,
    },
    "ei_fraction": {
        "percent instead of a share": 100.0,
        "a share written where percent is asked for, a hundred times too small,": 0.01,
    },
    "efficiency": {"percent instead of a share": 100.0},
    "percent_reduction": {"a share instead of percent": 0.01},
    "acres": _AREA_UNITS,
    "disturbed_acres": _AREA_UNITS,
    **dict.fromkeys((*_PER_AREA, "discharge_tons_per_acre"), _PER_AREA_UNITS),
    **dict.fromkeys(("soil_loss_tons", "delivered_tons", "trapped_tons", "discharge_tons"), _TON_UNITS),
}


def unit_swaps(check: ValueCheck) -> Iterator[Candidate]:
    """Yield the computed value in other units.

    Parameters
    ----------
    check
        The claim.
    """
    if isinstance(check.computed, float) and check.computed != 0.0:
        for words, factor in _UNITS.get(check.quantity, {}).items():
            yield Candidate(words, check.computed * factor, _CONVERTED)


def solved(
    check: ValueCheck, inputs: Floats, values: Floats, rounding: tuple[float, ...], words: str
) -> Iterator[Candidate]:
    """Yield the roundest input whose value is the claimed one.

    Parameters
    ----------
    check
        The claim.
    inputs, values
        A fine grid of plausible inputs, rising, and what they give, monotone, (n,).
    rounding
        Steps that people round such an input to, coarsest first.
    words
        What to say, with ``{}`` for the input.
    """
    assert isinstance(check.claimed, float)
    if values[0] > values[-1]:
        inputs, values = inputs[::-1], values[::-1]
    half = printed_tolerance(check.printed, check.quantity, check.claimed) + _EXACT * abs(check.claimed)
    if check.claimed + half < values[0] or check.claimed - half > values[-1]:
        return
    ends = np.interp([check.claimed - half, check.claimed + half], values, inputs)
    low, high = float(ends.min()), float(ends.max())
    for step in rounding:
        middle = round(0.5 * (low + high) / step) * step
        if low <= middle <= high:
            yield Candidate(words.format(f"{middle:g}"), check.claimed)
            return
    yield Candidate(words.format(f"{0.5 * (low + high):.4g}"), check.claimed)
