"""Does the code apply to the site, is it exempt, and which performance standard holds.

What the code leaves to the administrator stays a question, and so does what the applicant has not stated.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sedcalc.compliance.ordinance import TOLERANCE, Ordinance, OrdinanceNumber, Provision
from sedcalc.findings import Finding, InputError
from sedcalc.site.application import Application
from sedcalc.units import ACRE_FT2, ACRE_M2, CUBIC_YARD_M3, FOOT_M, SQUARE_FOOT_M2, area_text

Result = Literal["applies", "does_not_apply", "question_for_reviewer", "not_stated"]

_MILE_FT = 5280.0
# One of the site's unit for a quantity the applicant states, in the code's unit: us, si.
_STATED_UNITS = {
    ("addition_area", "ft2"): (1.0, 1.0 / SQUARE_FOOT_M2),
    ("addition_area", "acre"): (1.0 / ACRE_FT2, 1.0 / ACRE_M2),
    ("earth_volume", "yd3"): (1.0, 1.0 / CUBIC_YARD_M3),
    ("pipe_length", "ft"): (1.0, 1.0 / FOOT_M),
    ("pipe_length", "mile"): (1.0 / _MILE_FT, 1.0 / (_MILE_FT * FOOT_M)),
}


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What provisions are held against.

    Parameters
    ----------
    disturbed_acres, common_plan_acres
        Disturbed land, and the whole common plan (at least the disturbed land), acres.
    application
        What the applicant states; None: nothing.
    units
        ``us`` or ``si``: the units of the application.
    """

    disturbed_acres: float
    common_plan_acres: float
    application: Application | None
    units: str

    def quantity(self, number: OrdinanceNumber) -> float | None:
        """Return the quantity that bounds a provision, in the number's unit; None where it is not stated.

        Parameters
        ----------
        number
            A number with a quantity.
        """
        assert number.quantity is not None  # checked as the ordinance is read
        if number.quantity in ("disturbed_area", "common_plan_area"):
            acres = self.disturbed_acres if number.quantity == "disturbed_area" else self.common_plan_acres
            return acres * (ACRE_FT2 if number.unit == "ft2" else 1.0)
        stated = None if self.application is None else getattr(self.application, number.quantity)
        if stated is None:
            return None
        us, si = _STATED_UNITS[number.quantity, number.unit]
        return float(stated * (us if self.units == "us" else si))


@dataclass(frozen=True, slots=True)
class ProvisionResult:
    """A provision or exemption, and how it turned out.

    Parameters
    ----------
    id, clause, text
        As in the ordinance.
    result
        ``applies``, ``does_not_apply``, ``question_for_reviewer`` (the administrator determines it) or ``not_stated``
        (the applicant has not said).
    reason
        Why.
    """

    id: str
    clause: str
    text: str
    result: Result
    reason: str


@dataclass(frozen=True, slots=True)
class Applicability:
    """Whether the code applies to a site.

    Parameters
    ----------
    result
        Of the code as a whole.
    reason, clause
        Why, and the clause that decides; None where none does.
    provisions, exemptions
        Each provision and exemption of the code, in its order.
    standard_applies
        Whether the numeric standard holds for an area like this; None where the code has none.
    standard_clause
        Clause of the performance standard that holds; None where the code names none.
    """

    result: Result
    reason: str
    clause: str | None
    provisions: tuple[ProvisionResult, ...]
    exemptions: tuple[ProvisionResult, ...]
    standard_applies: bool | None
    standard_clause: str | None


def check_applicability(ordinance: Ordinance, facts: SiteFacts) -> Applicability:
    """Return whether the code applies to a site, by provision and as a whole.

    Parameters
    ----------
    ordinance
        The code.
    facts
        Areas of the site, and what the applicant states.

    Raises
    ------
    InputError
        If the application names a provision or exemption that the code does not have.

    Notes
    -----
    The code applies where one of its provisions does and no exemption. An exemption counts only where it is claimed.
    Where the application lists activities, a provision that it leaves out does not apply; without a list it is not
    stated.
    """
    _check_names(ordinance, facts.application)
    provisions = tuple(_provision(p, ordinance, facts) for p in ordinance.applicability)
    exemptions = tuple(_exemption(p, ordinance, facts) for p in ordinance.exemptions)
    result, reason, clause = _whole(provisions, exemptions)
    applies, standard_clause = None, None
    if ordinance.standard is not None:
        area = ordinance.numbers["standard_area"]
        applies = area.holds(facts.common_plan_acres)
        standard_clause = area.clause if applies else ordinance.standard.below_clause
    return Applicability(result, reason, clause, provisions, exemptions, applies, standard_clause)


def applicability_findings(found: Applicability, common_plan_acres: float) -> list[Finding]:
    """Return what a reviewer must know about whether the code applies.

    Parameters
    ----------
    found
        From `check_applicability`.
    common_plan_acres
        Area of the whole common plan, acres.
    """
    findings = []
    if found.result == "applies":
        message = f"the code applies: {found.reason}"
        if found.standard_clause is not None:
            message += (
                f"; at {area_text(common_plan_acres)} acres of the common plan {found.standard_clause} is the standard"
            )
        findings.append(Finding("code-applies", "note", message, "application", found.clause))
    else:
        findings.append(Finding(_CODES[found.result], "warning", found.reason, "application", found.clause))
        open_ = [p for p in found.provisions if p.result == "question_for_reviewer"]
        if open_ and found.result == "does_not_apply":
            said = "; ".join(f"{p.clause}: {p.reason}" for p in open_)
            message = f"the administrator still decides: {said}"
            findings.append(Finding("question-for-reviewer", "warning", message, "application", open_[0].clause))
    for exemption in found.exemptions:
        if exemption.result != "does_not_apply" and exemption.clause != found.clause:
            findings.append(
                Finding("exemption-claimed", "warning", exemption.reason, "application.exemptions", exemption.clause)
            )
        elif exemption.result == "does_not_apply" and exemption.reason != _NOT_CLAIMED:
            findings.append(
                Finding(
                    "exemption-does-not-hold", "warning", exemption.reason, "application.exemptions", exemption.clause
                )
            )
    return findings


_NOT_CLAIMED = "not claimed"
_CODES = {
    "does_not_apply": "code-does-not-apply",
    "question_for_reviewer": "question-for-reviewer",
    "not_stated": "applicability-not-stated",
}


def _check_names(ordinance: Ordinance, application: Application | None) -> None:
    if application is None:
        return
    faults = []
    for field, kind, known in (
        ("activities", "provision", ordinance.applicability),
        ("exemptions", "exemption", ordinance.exemptions),
    ):
        ids = [p.id for p in known]
        for i, name in enumerate(getattr(application, field) or ()):
            if name not in ids:
                message = f"unknown {kind} {name!r} of {ordinance.id}; it has: {', '.join(ids) or 'none'}"
                faults.append(Finding(f"unknown-{kind}", "error", message, f"application.{field}[{i}]"))
    if faults:
        raise InputError(faults)


def _bounds(provision: Provision, ordinance: Ordinance, facts: SiteFacts) -> tuple[bool | None, str]:
    """Return whether all numbers of a provision hold (None: one is not stated), and the comparison in words."""
    said: list[str] = []
    holds: bool | None = True
    for name in provision.numbers:
        number = ordinance.numbers[name]
        quantity = facts.quantity(number)
        what = str(number.quantity).replace("_", " ")
        if quantity is None:
            holds = None if holds else False
            said.append(f"{what} not stated (application.{number.quantity})")
        elif number.holds(quantity):
            said.append(f"{what} {quantity:,.6g} {number.unit} is {number.comparison} {number.value:,g}")
        else:
            holds = False
            said.append(f"{what} {quantity:,.6g} {number.unit} is not {number.comparison} {number.value:,g}")
    return holds, ", ".join(said)


def _provision(provision: Provision, ordinance: Ordinance, facts: SiteFacts) -> ProvisionResult:
    def made(result: Result, reason: str) -> ProvisionResult:
        return ProvisionResult(provision.id, provision.clause, provision.text, result, reason)

    activities = None if facts.application is None else facts.application.activities
    stated = None if activities is None else provision.id in activities
    holds, numbers = _bounds(provision, ordinance, facts)
    if provision.decided_by == "reviewer":
        said = {None: "not stated by the applicant", True: "stated by the applicant", False: "not among the activities"}
        reason = f"the administrator determines it ({said[stated]}{', ' if numbers else ''}{numbers})"
        if provision.statement_only and (clause := ordinance.clause("statement")):
            reason += f"; if so by this provision alone, a plan statement is needed ({clause}), not a plan"
        return made("question_for_reviewer", reason)
    if provision.numbers:
        result: Result = "not_stated" if holds is None else "applies" if holds else "does_not_apply"
        return made(result, numbers)
    if provision.any_site:
        return made("applies", "land is disturbed on the site")
    if stated is None:
        return made("not_stated", "the application lists no activities (application.activities)")
    return made(*(("applies", "stated by the applicant") if stated else ("does_not_apply", "not among the activities")))


def _exemption(provision: Provision, ordinance: Ordinance, facts: SiteFacts) -> ProvisionResult:
    def made(result: Result, reason: str) -> ProvisionResult:
        return ProvisionResult(provision.id, provision.clause, provision.text, result, reason)

    if facts.application is None or provision.id not in facts.application.exemptions:
        return made("does_not_apply", _NOT_CLAIMED)
    claimed = f"exemption {provision.id!r} is claimed"
    holds, numbers = _bounds(provision, ordinance, facts)
    if holds is False:
        return made("does_not_apply", f"{claimed}, and does not hold: {numbers}")
    if holds is None:
        return made("not_stated", f"{claimed}: {numbers}")
    beyond = facts.common_plan_acres > facts.disturbed_acres * (1.0 + TOLERANCE)
    if provision.except_common_plan and beyond:
        reason = f"{claimed}; the administrator decides whether the project is part of the larger common plan"
        return made("question_for_reviewer", reason)
    if provision.decided_by == "reviewer":
        return made("question_for_reviewer", f"{claimed}; the administrator determines it")
    return made("applies", f"{claimed} by the applicant{': ' if numbers else ''}{numbers}")


def _whole(
    provisions: Iterable[ProvisionResult], exemptions: Iterable[ProvisionResult]
) -> tuple[Result, str, str | None]:
    exemptions, provisions = tuple(exemptions), tuple(provisions)
    for exemption in exemptions:
        if exemption.result == "applies":
            return "does_not_apply", f"{exemption.reason}; the reviewer confirms that it fits", exemption.clause
    for exemption in exemptions:
        if exemption.result in ("question_for_reviewer", "not_stated"):
            return exemption.result, exemption.reason, exemption.clause
    for provision in provisions:
        if provision.result == "applies":
            return "applies", f"{provision.clause}, {provision.reason}", provision.clause
    if not provisions:
        return "applies", "its file names no condition", None
    for result in ("not_stated", "question_for_reviewer"):
        left = [p for p in provisions if p.result == result]
        if left:
            said = "; ".join(f"{p.clause}: {p.reason}" for p in left)
            return left[0].result, f"whether the code applies is open: {said}", left[0].clause
    said = "; ".join(f"{p.clause}: {p.reason}" for p in provisions)
    return "does_not_apply", f"no provision of the code covers the site: {said}", provisions[0].clause
