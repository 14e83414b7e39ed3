"""What an ordinance's file holds: numbers, provisions, plan items and dates, each with its clause and words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sedcalc.findings import input_error

FIGURES: Final = ("worst_12_months", "average_year")
"""The annual figure a limit is compared with."""

SCOPES: Final = ("each_drainage_area", "site")
"""What must meet the limit: every drainage area by itself, or the site as a whole."""

UNITS: Final = (
    "tons/acre/year",
    "acre",
    "ft2",
    "yd3",
    "ft",
    "in",
    "mile",
    "ft/in",
    "percent",
    "h",
    "calendar day",
    "business day",
    "working day",
)
COMPARISONS: Final = ("<", "<=", ">", ">=")

TOLERANCE: Final = 1e-9
"""Relative: a quantity this close to a number of the code is that number; rounding of the arithmetic never decides."""

QUANTITIES: Final = ("disturbed_area", "common_plan_area", "addition_area", "earth_volume", "pipe_length")
"""What of a site a number that bounds a provision is compared with."""

ANSWERS: Final = (
    "applicant",
    "areas",
    "calculation",
    "groundwater",
    "map",
    "percent_reduction",
    "receiving_water",
    "runoff_coefficient",
    "schedule",
    "soils_data",
)
"""What in a submission, or in the calculation, can answer a plan item; other items are stated by the applicant."""

CHECKS: Final = (
    "percent_reduction",
    "calculation",
    "practices_before_disturbance",
    "practices_until_stabilization",
    "practices_removed",
    "stabilization_at_final_grade",
    "idle",
    "stockpiles",
    "steep_slopes",
    "treatment_before_waters",
    "mep_explanation",
    "mep_factors",
    "final_stabilization",
    "soil_loss_method",
    "state_method",
    "approved_method",
    "credit",
    "common_plan",
    "plan",
    "statement",
    "amendment",
    "permit",
    "review",
    "inspection",
    "business_day",
    "completion",
)
"""The checks that cite a clause; an ordinance need not have all."""


@dataclass(frozen=True, slots=True)
class OrdinanceNumber:
    """A number of the code that a calculation or a schedule can be checked against.

    Parameters
    ----------
    id
        Name within the ordinance.
    value, unit
        The number, and one of `UNITS`.
    comparison
        How the quantity compares with `value` where the clause applies or is kept: ``"<"``, ``"<="``, ``">"``,
        ``">="``.
    role
        ``"applies"``: the clause applies when the comparison holds; ``"requires"``: it is kept when it holds.
    clause
        As printed.
    text
        The words of the code.
    quantity
        One of `QUANTITIES`, for a number that bounds a provision; None for others.
    """

    id: str
    value: float
    unit: str
    comparison: str
    role: str
    clause: str
    text: str
    quantity: str | None = None

    def holds(self, quantity: float) -> bool:
        """Whether ``quantity <comparison> value``; the quantity is in `unit`, and equal to `value` within `TOLERANCE`.

        Examples
        --------
        "of one acre or more" (445-6.9) holds at one acre, "greater than 100 square feet" (445-6.8E) not at 100:

        >>> from sedcalc.compliance.ordinance import load_ordinance
        >>> numbers = load_ordinance("hales_corners_445").numbers
        >>> numbers["standard_area"].holds(1.0), numbers["addition_area"].holds(100.0)
        (True, False)

        Ten tenths of an acre are an acre, though their sum in binary is not:

        >>> numbers["standard_area"].holds(sum([0.1] * 10))
        True
        """
        if abs(quantity - self.value) <= TOLERANCE * self.value:
            quantity = self.value
        return {
            "<": quantity < self.value,
            "<=": quantity <= self.value,
            ">": quantity > self.value,
            ">=": quantity >= self.value,
        }[self.comparison]


@dataclass(frozen=True, slots=True)
class Standard:
    """The numeric standard on sediment load.

    Parameters
    ----------
    limit
        Largest load, short tons/acre/year; the standard is met at the limit itself.
    unit
        ``"tons/acre/year"``.
    clause, text
        Clause as printed, and its words.
    figure
        One of `FIGURES`.
    scope
        One of `SCOPES`.
    applies_from_acres
        Area of the common plan, acres, from which (included) the standard applies; 0 where it has no threshold.
    applies_clause
        Clause of that area.
    steep_slope_decisive
        Whether slopes beyond the soil-loss method make the ruling "cannot be determined" instead of a finding.
    below_clause
        Clause of the performance standard below that area; None where the code has none.
    """

    limit: float
    unit: str
    clause: str
    text: str
    figure: str
    scope: str
    applies_from_acres: float
    applies_clause: str
    steep_slope_decisive: bool
    below_clause: str | None = None


@dataclass(frozen=True, slots=True)
class NoStandard:
    """Why no numeric standard on sediment load applies: the reason in plain words, and the clause."""

    reason: str
    clause: str


@dataclass(frozen=True, slots=True)
class Provision:
    """Whom the code covers or exempts.

    Parameters
    ----------
    id
        Name within the ordinance.
    text, clause
        Words of the code, and clause as printed.
    decided_by
        ``"applicant"``: the applicant states it; ``"reviewer"``: the administrator determines it.
    numbers
        Names of the numbers that bound it.
    any_site
        Whether it covers every site on which land is disturbed.
    except_common_plan
        Whether an exemption leaves out what is part of a larger common plan.
    statement_only
        Whether sites under it need a plan statement in place of a plan.
    """

    id: str
    text: str
    clause: str
    decided_by: str
    numbers: tuple[str, ...] = ()
    any_site: bool = False
    except_common_plan: bool = False
    statement_only: bool = False


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One thing that a plan must hold.

    Parameters
    ----------
    part, clause, text
        Part of the plan, clause as printed, words of the code.
    answered_by
        One of `ANSWERS`; None where only the applicant can say that the plan has it.
    with_standard
        Whether it is asked only where the numeric standard applies.
    id
        As `item_ids` gives it.
    """

    part: str
    clause: str
    text: str
    answered_by: str | None = None
    with_standard: bool = False
    id: str = ""


@dataclass(frozen=True, slots=True)
class MepFactor:
    """One thing that a claim of "maximum extent practicable" must take into account, in the words of the code."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CodeDate:
    """A day of the year that the code names: month and day, clause as printed, words of the code."""

    id: str
    month: int
    day: int
    clause: str
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """What a reader of the code must know: how a conflict or a misprint in it is read."""

    clause: str
    text: str


@dataclass(frozen=True, slots=True)
class Ordinance:
    """An erosion-control ordinance.

    Parameters
    ----------
    id, title, place
        Name of the file's ordinance, title of the code, municipality.
    text_source
        Which text was read: edition and amendments.
    sha256
        SHA-256 of the file's bytes, hexadecimal.
    standard, no_standard
        Exactly one of them: the numeric standard, or why there is none.
    numbers
        Numbers by id; with a standard also ``sediment_load`` and ``standard_area``.
    dates
        Days of the year by id.
    applicability, exemptions
        Whom the code covers, and whom not.
    plan_items
        What a plan must hold, in the order of the code.
    mep_factors
        What a claim of "maximum extent practicable" must take into account.
    clauses, clauses_below_area
        Clause of each check in `CHECKS`; the second map holds those that differ below the standard's area.
    notes
        How conflicts in the code are read.
    """

    id: str
    title: str
    place: str
    text_source: str
    sha256: str
    standard: Standard | None
    no_standard: NoStandard | None
    numbers: Mapping[str, OrdinanceNumber]
    dates: Mapping[str, CodeDate]
    applicability: tuple[Provision, ...]
    exemptions: tuple[Provision, ...]
    plan_items: tuple[PlanItem, ...]
    mep_factors: tuple[MepFactor, ...]
    clauses: Mapping[str, str]
    clauses_below_area: Mapping[str, str]
    notes: tuple[Note, ...]

    def clause(self, check: str, acres: float | None = None) -> str | None:
        """Return the clause that a check rests on, as printed; None where the code has none.

        Parameters
        ----------
        check
            One of `CHECKS`.
        acres
            Area of the common plan: below the standard's area some checks rest on other clauses.

        Raises
        ------
        KeyError
            If `check` is none of `CHECKS`.
        """
        if check not in CHECKS:
            raise KeyError(check)
        below = acres is not None and self.standard is not None and not self.numbers["standard_area"].holds(acres)
        clauses = {**self.clauses, **self.clauses_below_area} if below else self.clauses
        return clauses.get(check)

    def exemption(self, id: str, where: str | None = None) -> Provision:
        """Return the exemption of that id.

        Raises
        ------
        InputError
            If the code has none of that id; the message lists those it has.
        """
        found = next((e for e in self.exemptions if e.id == id), None)
        if found is None:
            known = ", ".join(e.id for e in self.exemptions) or "none"
            raise input_error("unknown-exemption", f"unknown exemption {id!r} of {self.id}; it has: {known}", where)
        return found


def item_ids(items: Sequence[PlanItem]) -> list[str]:
    """Return an id for each plan item: its clause, with ``#n`` where several items stand under one clause.

    Parameters
    ----------
    items
        Plan items in the order of the code.
    """
    count, seen, ids = Counter(i.clause for i in items), Counter[str](), []
    for clause in (i.clause for i in items):
        seen[clause] += 1
        ids.append(f"{clause} #{seen[clause]}" if count[clause] > 1 else clause)
    return ids
