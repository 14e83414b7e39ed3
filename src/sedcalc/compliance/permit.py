"""Does the permit last until the site is finally stabilized, with the extensions that the code allows."""

import datetime
from dataclasses import dataclass

from sedcalc.compliance.ordinance import Ordinance
from sedcalc.findings import Finding, Severity, count_of
from sedcalc.load.load_table import SedimentLoad

_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class PermitTerm:
    """How long the permit lasts, against the schedule.

    Parameters
    ----------
    issued
        Day of issuance; the first disturbance where it is not stated.
    stated
        Whether it is stated.
    ends
        Last day, without extension.
    latest_end
        Last day with all the extensions the code allows; `ends` where it allows none.
    extended_to
        Last day with the extensions granted.
    needed_until
        The site's final stabilization.
    """

    issued: datetime.date
    stated: bool
    ends: datetime.date
    latest_end: datetime.date
    extended_to: datetime.date
    needed_until: datetime.date


def permit_term(load: SedimentLoad, ordinance: Ordinance) -> PermitTerm | None:
    """Return how long the permit lasts against the schedule; None where the code limits it not.

    Parameters
    ----------
    load
        The calculation, with the site and its application.
    ordinance
        The code: its numbers ``permit_duration`` and ``permit_extension``.

    Notes
    -----
    A term is counted without the day of issuance. Where no permit is stated it is counted from the first disturbance,
    the latest day on which one is needed.
    """
    duration, extension = (ordinance.numbers.get(f"permit_{n}") for n in ("duration", "extension"))
    if duration is None:
        return None
    application = load.site.application
    issued = None if application is None else application.permit_issued
    authorized = None if application is None else application.authorization_days
    start = load.schedule.first_day if issued is None else issued
    ends = start + max(round(duration.value), authorized or 0) * _DAY
    latest = ends + (0 if extension is None else round(extension.value)) * _DAY
    granted = 0 if application is None else application.extension_days
    return PermitTerm(start, issued is not None, ends, latest, ends + granted * _DAY, load.schedule.last_day)


def permit_findings(term: PermitTerm | None, load: SedimentLoad, ordinance: Ordinance) -> list[Finding]:
    """Return what a reviewer must know about the term of the permit.

    Parameters
    ----------
    term
        From `permit_term`.
    load, ordinance
        The calculation and the code.
    """
    if term is None:
        return []
    findings = []
    first, clause = load.schedule.first_day, ordinance.numbers["permit_duration"].clause
    if term.stated and first < term.issued:
        message = f"land is disturbed from {first}, before the permit of {term.issued}"
        findings.append(
            Finding(
                "disturbed-before-permit", "warning", message, "application.permit_issued", ordinance.clause("permit")
            )
        )
    extension = ordinance.numbers.get("permit_extension")
    if extension is not None and term.extended_to > term.latest_end:
        message = (
            f"extensions of {count_of((term.extended_to - term.ends).days, 'day')} are more than "
            f"{extension.value:g} in all"
        )
        findings.append(
            Finding("extension-too-long", "warning", message, "application.extension_days", extension.clause)
        )
    if term.needed_until <= min(term.extended_to, term.latest_end):
        return findings
    subject = (
        f"a permit of {term.issued} ends"
        if term.stated
        else f"permit_issued is not given; a permit issued on {term.issued}, the first day of disturbance, would end"
    )
    need = f"{subject} on {term.extended_to}, and final stabilization is on {term.needed_until}"
    severity: Severity = "warning" if term.stated else "note"
    if term.needed_until > term.latest_end:
        most = f"all extensions end on {term.latest_end}" if term.latest_end > term.ends else "there is no extension"
        message = f"{need}; {most}: a longer building permit or other authorization, or a new permit, is needed"
    else:
        days = (term.needed_until - term.ends).days
        extensions = "an extension of 1 day is" if days == 1 else f"extensions of {days} days in all are"
        message = f"{need}; {extensions} needed"
    findings.append(Finding("permit-too-short", severity, message, "application.permit_issued", clause))
    return findings
