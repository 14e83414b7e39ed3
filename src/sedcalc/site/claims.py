"""Numbers that an applicant claims, as printed, and decisions of the administrator that are recorded.

A claimed number keeps the digits it was printed with: they say how close the computed value must be, within bounds
(`printed_tolerance`). Text keeps them as they stand (``"1.20"``); of a number without quotes the shortest digits that
give it count (``1.20`` is ``1.2``).
Claims are in the units of the result (short tons, acres, R and K in US customary units) whatever the site's own units.
"""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from sedcalc.findings import Finding
from sedcalc.site.fields import Date, Id, Part, Text

_NUMBER = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?")

SPAN_LABELS = ("existing", "stabilized")
"""Rows of the load table between and beside phases; ``after NAME`` is the ground idle after phase NAME."""

MAX_TOLERANCE_PCT = 5.0
"""Of the computed value: the widest tolerance that a reviewer sets, or that the digits of a claim leave."""

FINEST = 0.005
"""Half of the last digit of two decimals, which tables print of small values: so much the digits always leave."""

_SMALLEST, _LARGEST = 1e-12, 1e12  # of a claim; quotients of claimed and computed values stay numbers


def _printed(value: Any) -> Any:
    """Return a number as its printed digits; leave what is none to the strict check."""
    if isinstance(value, bool):
        raise ValueError(f"{str(value).lower()} is not a number; write one")
    if isinstance(value, int | float):
        value = repr(value) if math.isfinite(value) else f"{value} (not finite)"
    if isinstance(value, str) and not (_NUMBER.fullmatch(value) and math.isfinite(float(value))):
        raise ValueError(f"{value[:60]!r} is not a number; write digits with a point, without unit or thousands mark")
    if isinstance(value, str) and float(value) != 0.0 and not _SMALLEST <= abs(float(value)) <= _LARGEST:
        raise ValueError(f"{value[:60]!r} is no number of a site; write 0, or {_SMALLEST:g} to {_LARGEST:g}")
    return value


Printed = Annotated[str, Field(max_length=70), BeforeValidator(_printed, json_schema_input_type=float | str)]


_SHARES = ("ei_fraction", "C", "P", "efficiency")  # printed with two decimals

Taken = Literal["R", "K", "C", "P", "delivery_ratio", "efficiency"]
"""A factor that a site may take from the claim itself."""


@lru_cache(maxsize=100_000)
def half_digit(printed: str, quantity: str = "") -> float:
    """Return half a unit of the last printed digit.

    Parameters
    ----------
    printed
        A number as a claim holds it.
    quantity
        Name of the claimed value.

    Notes
    -----
    C, P, a share of erosivity or an efficiency of no more than 1 with fewer than two decimals (C = 1) is a statement,
    not a rounding of anything from 0.5 to 1.5: it counts as written with two decimals.

    Examples
    --------
    >>> half_digit("1.20"), half_digit("115"), half_digit("1.2e3"), half_digit("1", "C"), half_digit("1.0", "C")
    (0.005, 0.5, 50.0, 0.005, 0.005)
    """
    exponent = Decimal(printed).as_tuple().exponent
    assert isinstance(exponent, int)  # finite
    half = 0.5 * float(f"1e{exponent}")
    return min(half, FINEST) if quantity in _SHARES and abs(float(printed)) <= 1.0 else half


def printed_tolerance(printed: str, quantity: str, value: float) -> float:
    """Return the difference that the printed digits of a claim leave, in the unit of the value.

    Parameters
    ----------
    printed
        A number as a claim holds it.
    quantity
        Name of the claimed value.
    value
        The value it is held against.

    Notes
    -----
    Half a unit of the last printed digit, but no more than 5 % of the value or 0.005, whichever is wider: few digits,
    an exponent (``1e2`` is 50 to 150) or a bare 0 are no licence. A convention of this package; 0.005 keeps small
    values that a table prints with two decimals, 5 % is the widest tolerance that a reviewer can set.

    Examples
    --------
    >>> printed_tolerance("1.1e2", "R", 115.0), printed_tolerance("1e2", "R", 115.0), printed_tolerance("0", "K", 0.4)
    (5.0, 5.75, 0.02)
    """
    return min(half_digit(printed, quantity), max(MAX_TOLERANCE_PCT * abs(value) / 100.0, FINEST))


class ClaimedRow(Part):
    """Claimed values of one row of the load table: a phase on a ground unit.

    The fields are those of a run's ``rows``; any of them may be claimed.
    """

    phase: Annotated[Text, Field(description="Phase id; or 'after NAME', 'stabilized', 'existing'")]
    unit: Id
    drainage_area: Annotated[Id | None, Field(description="Where a unit lies in several (gridded sites)")] = None
    soil: Annotated[Id | None, Field(description="Where a unit lies on several (gridded sites)")] = None
    R: Annotated[Printed | None, Field(description="Annual erosivity, hundreds of ft tonf in/(ac h yr)")] = None
    ei_fraction: Annotated[Printed | None, Field(description="Share of the annual erosivity, 0.43 for 43 %")] = None
    K: Annotated[Printed | None, Field(description="Erodibility, ton ac h/(hundreds of ac ft tonf in)")] = None
    LS: Printed | None = None
    C: Printed | None = None
    P: Printed | None = None
    acres: Printed | None = None
    soil_loss_tons_per_acre: Annotated[Printed | None, Field(description="R ei_fraction K LS C P")] = None
    soil_loss_tons: Printed | None = None
    efficiency: Annotated[Printed | None, Field(description="Share of the delivered load that is trapped, 0-1")] = None
    delivered_tons: Printed | None = None
    trapped_tons: Printed | None = None
    discharge_tons: Printed | None = None
    discharge_tons_per_acre: Printed | None = None
    taken: Annotated[
        tuple[Taken, ...],
        Field(strict=False, max_length=6, description="Factors that the site has from this claim alone: not verified"),
    ] = ()


class Override(Part):
    """A decision that differs from the calculation; in a submission the applicant's words, which change nothing."""

    what: Annotated[str, Field(min_length=1, max_length=2000, description="What is accepted instead of what")]
    who: Text
    why: Annotated[str, Field(min_length=1, max_length=5000)]
    date: Date | None = None
    clause: Text | None = None


class Claims(Part):
    """What the applicant claims, in total and row by row, and overrides on record."""

    status: Literal["meets", "exceeds", "not_applicable", "cannot_be_determined"] | None = None
    tons_per_acre_per_year: Annotated[Printed | None, Field(description="The governing figure")] = None
    site_tons_per_acre_per_year: Annotated[Printed | None, Field(description="Worst 12 months, whole site")] = None
    percent_reduction: Annotated[Printed | None, Field(description="Whole site, whole project, %")] = None
    disturbed_acres: Printed | None = None
    R: Annotated[Printed | None, Field(description="Annual erosivity of every row that claims none")] = None
    soil_loss_tons: Annotated[Printed | None, Field(description="Whole project")] = None
    discharge_tons: Annotated[Printed | None, Field(description="Whole project")] = None
    tolerance_pct: Annotated[
        float | None,
        Field(
            gt=0, le=MAX_TOLERANCE_PCT, description="Tolerance the applicant asks for, %; the reviewer's alone counts"
        ),
    ] = None
    rows: Annotated[tuple[ClaimedRow, ...], Field(strict=False, max_length=20_000)] = ()
    overrides: Annotated[tuple[Override, ...], Field(strict=False, max_length=100)] = ()


TOTALS = (
    "tons_per_acre_per_year",
    "site_tons_per_acre_per_year",
    "percent_reduction",
    "disturbed_acres",
    "R",
    "soil_loss_tons",
    "discharge_tons",
)
"""Numbers claimed of the site as a whole."""

_NO_VALUES = ("phase", "unit", "drainage_area", "soil", "taken")

ROW_VALUES = tuple(n for n in ClaimedRow.model_fields if n not in _NO_VALUES)
"""Numbers claimed of a row."""


def claim_mistakes(
    claims: Claims, phases: Sequence[str], units: Sequence[str], areas: Sequence[str], soils: Sequence[str]
) -> list[Finding]:
    """Return what is wrong with the rows that claims name.

    Parameters
    ----------
    claims
        The claims, faulty fields as None.
    phases, units, areas, soils
        Ids that the site has.
    """
    found: list[Finding] = []
    labels = {*phases, *(f"after {p}" for p in phases), *SPAN_LABELS}
    known_units, known_areas, known_soils = set(units), set(areas), set(soils)
    seen: dict[tuple[str | None, ...], int] = {}
    for i, row in enumerate(claims.rows or ()):
        if row is None or row.phase is None or row.unit is None:
            continue
        where = f"claims.rows[{i}]"
        for name, value, known in (
            ("phase", row.phase, labels),
            ("unit", row.unit, known_units),
            ("drainage_area", row.drainage_area, known_areas),
            ("soil", row.soil, known_soils),
        ):
            if value is not None and value not in known:
                what = name.replace("_", " ")
                message = f"the site has no {what} {value!r} to compare the claim with; correct it, or remove the row"
                found.append(Finding("unknown-claimed-row", "error", message, f"{where}.{name}"))
        key = (row.phase, row.unit, row.drainage_area, row.soil)
        if key in seen:
            message = f"claims.rows[{seen[key]}] is the same phase and unit; write each row once"
            found.append(Finding("duplicate-claim", "error", message, where))
        seen.setdefault(key, i)
    return found
