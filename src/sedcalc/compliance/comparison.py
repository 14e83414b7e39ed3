"""Claimed against computed values, and claimed products against their claimed factors."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sedcalc.findings import Finding, count_of
from sedcalc.load.load_table import SedimentLoad
from sedcalc.site.claims import ROW_VALUES, TOTALS, ClaimedRow, Claims, printed_tolerance

NUMERIC_TOLERANCE = 1e-9
"""Relative: no claim is held to more digits than two machines agree on."""

FACTORS = {
    "soil_loss_tons_per_acre": ("R", "ei_fraction", "K", "LS", "C", "P"),
    "soil_loss_tons": ("soil_loss_tons_per_acre", "acres"),
    "delivered_tons": ("soil_loss_tons", "delivery_ratio"),
    "discharge_tons": ("delivered_tons", "share_passing"),
    "discharge_tons_per_acre": ("discharge_tons", "per_acre"),
}
"""Each product of a row and its factors; share_passing is 1 - efficiency, per_acre is 1/acres."""

_BY_DEFINITION = ("C", "P", "delivery_ratio")  # not claimed and computed as 1: left out of the product, as people do


class ValueCheck(NamedTuple):
    """A claimed value beside the computed one.

    Attributes
    ----------
    where
        Path of the claim in the submission.
    quantity
        Name of the value, as in a run's JSON.
    row
        Row of the load table; None for the site as a whole.
    claimed, printed
        The claimed number, and its digits as printed; for a claimed verdict both are its text.
    computed
        None where the calculation has no such number.
    tolerance
        Largest difference that passes, in the unit of the value; None for a verdict.
    passed
        Whether the claim holds; None where it cannot be determined: nothing is computed, or the site has the factor
        from the claim itself.
    """

    where: str
    quantity: str
    row: int | None
    claimed: float | str
    printed: str
    computed: float | str | None
    tolerance: float | None
    passed: bool | None

    @property
    def difference(self) -> float | None:
        """Claimed less computed; None where one of them is no number."""
        if isinstance(self.claimed, str) or self.computed is None or isinstance(self.computed, str):
            return None
        return self.claimed - self.computed

    @property
    def ratio(self) -> float | None:
        """Claimed over computed; None where that is undefined."""
        if isinstance(self.claimed, str) or isinstance(self.computed, str) or not self.computed:
            return None
        return self.claimed / self.computed


class ProductCheck(NamedTuple):
    """A claimed product beside the product of its claimed factors.

    Attributes
    ----------
    where
        Path of the claim in the submission.
    quantity
        The product.
    row
        Row of the load table; None for a total over rows.
    factors
        Names of the factors that were multiplied, or the name of what was summed.
    claimed, product
        What is claimed, and what the claimed factors give.
    tolerance
        Largest difference that their printed digits allow.
    passed
        Whether the claim agrees with its own factors.
    """

    where: str
    quantity: str
    row: int | None
    factors: tuple[str, ...]
    claimed: float
    product: float
    tolerance: float
    passed: bool


class TakenFactor(NamedTuple):
    """A factor that the site has from the claim itself, so that comparing the two says nothing.

    Attributes
    ----------
    where
        Path of the claimed row in the submission.
    quantity
        Name of the factor (`sedcalc.site.claims.Taken`).
    row
        Row of the load table; None where there is not exactly one.
    """

    where: str
    quantity: str
    row: int | None


class Interval(NamedTuple):
    """A number with the bounds its printed digits leave."""

    low: float
    value: float
    high: float

    def times(self, other: "Interval") -> "Interval":
        """Return the product; bounds of opposite sign are taken care of."""
        if self.low >= 0.0 and other.low >= 0.0:
            return Interval(self.low * other.low, self.value * other.value, self.high * other.high)
        ends = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high]
        return Interval(min(ends), self.value * other.value, max(ends))


def tolerance_of(printed: str, quantity: str, computed: float, tolerance_pct: float | None) -> float:
    """Return the difference that a claim is allowed, in the unit of the value.

    Parameters
    ----------
    printed, quantity
        The claim's digits, and what it claims.
    computed
        The computed value.
    tolerance_pct
        The reviewer's tolerance, % of the computed value; it widens, never narrows.

    Notes
    -----
    What the printed digits leave (`printed_tolerance`), the set tolerance, or 1e-9 of the value, whichever is widest.
    """
    relative = max(NUMERIC_TOLERANCE, 0.0 if tolerance_pct is None else tolerance_pct / 100.0)
    return max(printed_tolerance(printed, quantity, computed), relative * abs(computed))


def compared(
    where: str, quantity: str, row: int | None, printed: str, computed: float | None, tolerance_pct: float | None
) -> ValueCheck:
    """Return the check of one claimed number.

    Parameters
    ----------
    where, quantity, row, printed, computed
        As in `ValueCheck`.
    tolerance_pct
        Set tolerance, %.
    """
    claimed = float(printed)
    if computed is None:
        tolerance = printed_tolerance(printed, quantity, claimed)
        return ValueCheck(where, quantity, row, claimed, printed, None, tolerance, None)
    tolerance = tolerance_of(printed, quantity, computed, tolerance_pct)
    passed = abs(claimed - computed) <= tolerance * (1.0 + NUMERIC_TOLERANCE)
    return ValueCheck(where, quantity, row, claimed, printed, computed, tolerance, passed)


def total_checks(claims: Claims, computed: Mapping[str, float | None], tolerance_pct: float | None) -> list[ValueCheck]:
    """Return the checks of the numbers claimed of the site as a whole.

    Parameters
    ----------
    claims
        What the applicant claims.
    computed
        The computed total by name (`sedcalc.site.claims.TOTALS`).
    tolerance_pct
        Set tolerance, %.
    """
    return [
        compared(f"claims.{name}", name, None, printed, computed[name], tolerance_pct)
        for name in TOTALS
        if (printed := getattr(claims, name)) is not None
    ]


def claimed_row_numbers(claims: Claims, load: SedimentLoad) -> tuple[list[int | None], list[Finding]]:
    """Return for each claimed row its row of the load table, None where there is not exactly one, and findings.

    Parameters
    ----------
    claims
        What the applicant claims.
    load
        The calculation.
    """
    rows: dict[tuple[str, str], list[int]] = {}
    for i, key in enumerate(zip(load.columns["phase"], load.columns["unit"], strict=True)):
        rows.setdefault(key, []).append(i)
    numbers: list[int | None] = []
    found = []
    for i, row in enumerate(claims.rows):
        here = rows.get((row.phase, row.unit), [])
        if row.drainage_area is not None:
            here = [k for k in here if load.columns["drainage_area"][k] == row.drainage_area]
        if row.soil is not None:
            here = [k for k in here if load.columns["soil"][k] == row.soil]
        numbers.append(here[0] if len(here) == 1 else None)
        if len(here) != 1:
            said = "no row" if not here else count_of(len(here), "row")
            place = f" in drainage area {row.drainage_area!r}" if row.drainage_area is not None else ""
            place += f" on soil {row.soil!r}" if row.soil is not None else ""
            which = [n for n in ("drainage_area", "soil") if len({load.columns[n][k] for k in here}) > 1]
            remedy = f"; add {' and '.join(which)} to the row" if which else ""
            message = (
                f"the load table has {said} for {row.phase!r} on {row.unit!r}{place}; "
                f"the claims cannot be compared{remedy}"
            )
            found.append(Finding("unknown-claimed-row", "error", message, f"claims.rows[{i}]"))
    return numbers, found


def computed_row(load: SedimentLoad, row: int) -> dict[str, float | None]:
    """Return the computed values of a row by name.

    Parameters
    ----------
    load
        The calculation.
    row
        Row of the load table.

    Notes
    -----
    C and P are those of the ground, also where no erosivity falls on the row and its weighted means are undefined.
    """
    values = {name: load.columns[name][row] for name in ROW_VALUES}
    values["C"], values["P"] = float(load.ground.rows.C[row]), float(load.ground.rows.P[row])
    return values


def row_checks(
    claim: ClaimedRow, where: str, row: int, computed: Mapping[str, float | None], tolerance_pct: float | None
) -> list[ValueCheck]:
    """Return the checks of one claimed row.

    Parameters
    ----------
    claim, where
        The claims, and their path in the submission.
    row, computed
        The row of the load table, and its values (`computed_row`).
    tolerance_pct
        Set tolerance, %.
    """
    checks = [
        compared(f"{where}.{name}", name, row, printed, computed[name], tolerance_pct)
        for name in ROW_VALUES
        if (printed := getattr(claim, name)) is not None
    ]
    return [c._replace(passed=None) if c.passed and c.quantity in claim.taken else c for c in checks]


def product_checks(
    checks: Mapping[str, ValueCheck], computed: Mapping[str, float | None], delivery_ratio: float
) -> list[ProductCheck]:
    """Return the checks of a row's claimed products against their claimed factors.

    Parameters
    ----------
    checks
        The row's checks by quantity.
    computed
        Its computed values.
    delivery_ratio
        Hillslope delivery ratio, which the submission states elsewhere.

    Notes
    -----
    A factor that is not claimed is replaced by its own claimed factors. C, P and delivery ratio count as 1 where they
    are not claimed and are 1; acres, which the submission states with its ground units, count as computed. Where
    another factor is missing there is nothing to check.
    """
    found = []
    for quantity, names in FACTORS.items():
        if quantity not in checks:
            continue
        own = checks[quantity]
        product = Interval(1.0, 1.0, 1.0)
        used: list[str] = []
        for name in names:
            factor = _factor(name, checks, computed, delivery_ratio, used)
            if factor is None:
                break
            product = product.times(factor)
        else:
            if used and isinstance(own.claimed, float):
                bounds = bounds_of(own)
                tolerance = max(product.high - product.value, product.value - product.low) + bounds.high - bounds.value
                difference = abs(own.claimed - product.value)
                passed = difference <= tolerance + NUMERIC_TOLERANCE * abs(product.value)
                found.append(
                    ProductCheck(
                        own.where, quantity, own.row, tuple(used), own.claimed, product.value, tolerance, passed
                    )
                )
    return found


def _factor(
    name: str,
    checks: Mapping[str, ValueCheck],
    computed: Mapping[str, Any],
    delivery_ratio: float,
    used: list[str],
) -> Interval | None:
    if name == "share_passing":
        efficiency = _factor("efficiency", checks, computed, delivery_ratio, used)
        if efficiency is None:
            return None
        return Interval(1.0 - efficiency.high, 1.0 - efficiency.value, 1.0 - efficiency.low)
    if name == "per_acre":
        acres = _factor("acres", checks, computed, delivery_ratio, used)
        return None if acres is None or acres.low <= 0.0 else Interval(1 / acres.high, 1 / acres.value, 1 / acres.low)
    if name in checks:
        used.append(name)
        return bounds_of(checks[name])
    if name in FACTORS:
        product = Interval(1.0, 1.0, 1.0)
        for inner in FACTORS[name]:
            factor = _factor(inner, checks, computed, delivery_ratio, used)
            if factor is None:
                return None
            product = product.times(factor)
        return product
    value = delivery_ratio if name == "delivery_ratio" else computed.get(name)
    if value is not None and (name in ("acres", "delivery_ratio") or (name in _BY_DEFINITION and value == 1.0)):
        return Interval(value, value, value)
    return None


def bounds_of(check: ValueCheck) -> Interval:
    """Return a claim with the bounds that its tolerance leaves.

    Parameters
    ----------
    check
        The check of a number.
    """
    assert isinstance(check.claimed, float)
    assert check.tolerance is not None
    return Interval(check.claimed - check.tolerance, check.claimed, check.claimed + check.tolerance)


def sum_checks(
    claims: Claims, load: SedimentLoad, numbers: list[int | None], totals: list[ValueCheck]
) -> list[ProductCheck]:
    """Return the checks of claimed totals against the sums of the claimed rows, where all rows claim the value.

    Parameters
    ----------
    claims, load
        What is claimed, and the calculation.
    numbers
        For each claimed row its row of the load table.
    totals
        Checks of the totals.
    """
    counted = {i for i, yes in enumerate(load.columns["counted"]) if yes}
    found = []
    for check in totals:
        if check.quantity not in ("soil_loss_tons", "discharge_tons") or not isinstance(check.claimed, float):
            continue
        values = {
            n: printed
            for n, row in zip(numbers, claims.rows, strict=True)
            if n in counted and (printed := getattr(row, check.quantity)) is not None
        }
        if set(values) != counted:
            continue
        total = sum(float(v) for v in values.values())
        printed = (*values.values(), check.printed)
        tolerance = sum(printed_tolerance(v, check.quantity, float(v)) for v in printed)
        passed = abs(check.claimed - total) <= tolerance + NUMERIC_TOLERANCE * abs(total)
        of = f"{check.quantity} of {count_of(len(values), 'row')}"
        found.append(ProductCheck(check.where, check.quantity, None, (of,), check.claimed, total, tolerance, passed))
    return found
