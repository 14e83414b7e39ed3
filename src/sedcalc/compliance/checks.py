"""All checks of a code beside its limit, with their findings: what a report shows and a reviewer looks through."""

from dataclasses import dataclass

from sedcalc.compliance.applicability import Applicability, SiteFacts, applicability_findings, check_applicability
from sedcalc.compliance.deadlines import Deadline, check_deadlines, deadline_findings
from sedcalc.compliance.ordinance import Ordinance
from sedcalc.compliance.permit import PermitTerm, permit_findings, permit_term
from sedcalc.compliance.plan_items import PlanItemCheck, check_plan_items, plan_item_findings
from sedcalc.compliance.schedule_checks import (
    IdleGround,
    SteepGround,
    StockpileStay,
    final_cover_findings,
    idle_findings,
    idle_ground,
    steep_findings,
    steep_ground,
    stockpile_findings,
    stockpile_stays,
)
from sedcalc.findings import Finding, InputError
from sedcalc.load.load_table import SedimentLoad


@dataclass(frozen=True, slots=True)
class Checks:
    """What a code asks beside its limit, and how the site stands.

    Parameters
    ----------
    applicability
        Whether the code applies, by provision, and which performance standard holds.
    plan_items
        What a plan must hold, and what answers it.
    idle
        Ground that rests longer than the code lets it lie bare.
    stockpiles
        Stockpiles that stay longer than the code leaves them uncontrolled.
    steep
        Disturbed ground at least as steep as the code names; None: none, or a gridded site.
    permit
        How long the permit lasts; None where the code does not limit it.
    deadlines
        What is due when.
    findings
        What a reviewer must know of all these.
    """

    applicability: Applicability
    plan_items: tuple[PlanItemCheck, ...]
    idle: tuple[IdleGround, ...]
    stockpiles: tuple[StockpileStay, ...]
    steep: SteepGround | None
    permit: PermitTerm | None
    deadlines: tuple[Deadline, ...]
    findings: tuple[Finding, ...]


def check_ordinance(load: SedimentLoad, ordinance: Ordinance, common_plan_acres: float) -> Checks:
    """Return the checks of a code beside its limit.

    Parameters
    ----------
    load
        The calculation, with the site and its application.
    ordinance
        The code; checks for which it has no number, date or item find nothing.
    common_plan_acres
        Area of the common plan, at least the disturbed area, acres.

    Raises
    ------
    InputError
        If the application names provisions, exemptions or plan items that the code does not have.
    """
    site, numbers, acres = load.site, ordinance.numbers, common_plan_acres
    application = site.application
    mistakes: list[Finding] = []
    facts = SiteFacts(load.totals.disturbed_acres, acres, application, site.units)
    try:
        applicability = check_applicability(ordinance, facts)
    except InputError as error:
        mistakes += error.findings
    try:
        standard = None if mistakes else applicability.standard_applies
        plan_items = check_plan_items(ordinance, load, standard)
    except InputError as error:
        mistakes += error.findings
    if mistakes:
        raise InputError(mistakes)
    idle = idle_ground(load, numbers.get("idle"))
    piles = stockpile_stays(load, numbers.get("stockpile_age"))
    steep = steep_ground(load, numbers.get("steep_slope"))
    permit = permit_term(load, ordinance)
    deadlines = check_deadlines(ordinance, application)
    findings = [
        *applicability_findings(applicability, acres),
        *plan_item_findings(plan_items, ordinance, application, site.units),
        *idle_findings(idle, ordinance, acres),
        *stockpile_findings(piles, ordinance, acres),
        *steep_findings(steep, numbers.get("steep_slope")),
        *final_cover_findings(site, numbers.get("final_cover")),
        *permit_findings(permit, load, ordinance),
        *deadline_findings(deadlines, application, load.schedule.last_day, ordinance),
    ]
    return Checks(applicability, plan_items, idle, piles, steep, permit, deadlines, tuple(findings))
