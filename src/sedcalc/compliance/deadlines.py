"""When is a decision due, when is approval deemed, when must permanent erosion control be complete.

Days are counted without the day of receipt: the n-th business day after it is the last day of a term of n. A business
day is a day on which the office is open.
"""

import datetime
from dataclasses import dataclass

from sedcalc.compliance.ordinance import CodeDate, Ordinance
from sedcalc.findings import Finding, count_of
from sedcalc.site.application import Application

_DAY = datetime.timedelta(days=1)
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONDAY_TO_FRIDAY = frozenset(range(5))


@dataclass(frozen=True, slots=True)
class BusinessDays:
    """The days on which an office is open.

    Parameters
    ----------
    weekdays
        Open days of the week, Monday 0 to Sunday 6.
    closures
        Other days on which it is closed.
    assumed
        Whether the weekdays are assumed, not stated.
    """

    weekdays: frozenset[int] = _MONDAY_TO_FRIDAY
    closures: frozenset[datetime.date] = frozenset()
    assumed: bool = True

    def __post_init__(self) -> None:
        if not self.weekdays:
            raise ValueError("an office without an open weekday has no business days")

    def is_open(self, day: datetime.date) -> bool:
        """Whether the office is open on a day."""
        return day.weekday() in self.weekdays and day not in self.closures

    def after(self, day: datetime.date, number: int) -> datetime.date:
        """Return the n-th business day after a day, which is itself not counted.

        Parameters
        ----------
        day
            The day of receipt.
        number
            n, 1 or more.

        Raises
        ------
        ValueError
            If `number` is less than 1.

        Examples
        --------
        Ten business days after Friday, July 2, 2027 with Monday the 5th a holiday, by the calendar:

        >>> holiday = datetime.date(2027, 7, 5)
        >>> BusinessDays(closures=frozenset([holiday])).after(datetime.date(2027, 7, 2), 10)
        datetime.date(2027, 7, 19)
        """
        if number < 1:
            raise ValueError(f"{count_of(number, 'business day')}: at least 1 is needed")
        while number > 0:
            day += _DAY
            number -= self.is_open(day)
        return day


@dataclass(frozen=True, slots=True)
class Deadline:
    """A date by which something is due, or on which the code takes effect.

    Parameters
    ----------
    what
        ``decision``, ``deemed approval`` or ``permanent erosion control``.
    counted_from
        The day it is counted from; None where the code names the day.
    due
        Last day of the term.
    rule
        The rule in words.
    clause
        As printed.
    """

    what: str
    counted_from: datetime.date | None
    due: datetime.date
    rule: str
    clause: str


def business_days(application: Application | None) -> BusinessDays:
    """Return the business days that an application states; Monday to Friday where it names no weekdays.

    Parameters
    ----------
    application
        What the applicant states.
    """
    if application is None:
        return BusinessDays()
    stated = application.open_weekdays
    weekdays = _MONDAY_TO_FRIDAY if stated is None else frozenset(_WEEK.index(d) for d in stated)
    return BusinessDays(weekdays, frozenset(application.closures), stated is None)


def check_deadlines(ordinance: Ordinance, application: Application | None) -> tuple[Deadline, ...]:
    """Return the deadlines that follow from the dates that the applicant states.

    Parameters
    ----------
    ordinance
        The code.
    application
        What the applicant states.

    Notes
    -----
    A code may give a term for the decision and a shorter one after which silence is approval: both are returned. No
    decision within the second is approval at the end of its last day.
    """
    if application is None:
        return ()
    calendar = business_days(application)
    found = []
    receipts = [(application.received, "review", "a complete application")]
    receipts += [(d, "review_after_information", "additional information") for d in application.information_received]
    for day, name, what in receipts:
        if day is None:
            continue
        for number_name, term in ((name, "decision"), ("deemed_approval", "deemed approval")):
            number = ordinance.numbers.get(number_name)
            if number is not None:
                rule = f"{number.value:g} {number.unit}s after {what}"
                due = calendar.after(day, round(number.value))
                found.append(Deadline(term, day, due, rule, number.clause))
    completion = completion_deadline(ordinance, application)
    return tuple(found) if completion is None else (*found, completion)


def completion_deadline(ordinance: Ordinance, application: Application) -> Deadline | None:
    """Return the day by which permanent erosion control must be complete; None where code or dates give none.

    Parameters
    ----------
    ordinance
        The code; the rule holds where it has the dates ``winter_occupancy_first``, ``winter_occupancy_last`` and
        ``winter_completion``.
    application
        What the applicant states: ``occupancy``, ``completion``.

    Notes
    -----
    A certificate of occupancy of the winter, both days that bound it included, gives the completion date that follows
    that winter. Otherwise the permit's date counts, or the last day before the certificate, whichever is earlier.
    """
    dates = [ordinance.dates.get(f"winter_{name}") for name in ("occupancy_first", "occupancy_last", "completion")]
    first, last, completion = dates
    if first is None or last is None or completion is None:
        return None
    occupancy, permit = application.occupancy, application.completion
    if occupancy is not None and _within(occupancy, first, last):
        end = _on_or_after(last, occupancy)
        due = _on_or_after(completion, end)
        rule = f"certificate of occupancy of {occupancy}, between {_named(first)} and {_named(last)}"
        return Deadline("permanent erosion control", occupancy, due, rule, completion.clause)
    if occupancy is not None and (permit is None or occupancy - _DAY < permit):
        rule = f"before the certificate of occupancy of {occupancy}"
        return Deadline("permanent erosion control", occupancy, occupancy - _DAY, rule, completion.clause)
    if permit is not None:
        return Deadline("permanent erosion control", None, permit, "date in the permit", completion.clause)
    return None


def deadline_findings(
    deadlines: tuple[Deadline, ...], application: Application | None, last_day: datetime.date, ordinance: Ordinance
) -> list[Finding]:
    """Return what a reviewer must know about the deadlines.

    Parameters
    ----------
    deadlines
        From `check_deadlines`.
    application
        What the applicant states.
    last_day
        The site's final stabilization.
    ordinance
        The code.
    """
    found = []
    decisions = [d for d in deadlines if d.what == "decision"]
    deemed = {d.counted_from: d for d in deadlines if d.what == "deemed approval"}
    for deadline in decisions:
        where = "application.received" if deadline is decisions[0] else "application.information_received"
        message = f"received {deadline.counted_from}: the decision is due {deadline.due} ({deadline.rule})"
        other = deemed.get(deadline.counted_from)
        if other is not None and other.due < deadline.due:
            message += (
                f", yet without one by the end of {other.due} approval is deemed ({other.rule}, {other.clause}): the "
                "code's two terms conflict"
            )
            found.append(Finding("review-terms-conflict", "warning", message, where, deadline.clause))
        else:
            found.append(Finding("review-due", "note", message, where, deadline.clause))
    if decisions and application is not None:
        found += _late_decision(decisions, deemed, application)
        found += _calendar(business_days(application), ordinance)
    for deadline in deadlines:
        if deadline.what == "permanent erosion control" and last_day > deadline.due:
            late = (last_day - deadline.due).days
            message = (
                f"permanent erosion control must be complete by {deadline.due} ({deadline.rule}); final stabilization "
                f"is on {last_day}, {count_of(late, 'day')} later"
            )
            found.append(Finding("permanent-control-late", "warning", message, "ground_units", deadline.clause))
    return found


def _late_decision(
    decisions: list[Deadline], deemed: dict[datetime.date | None, Deadline], application: Application
) -> list[Finding]:
    decided = application.decided
    if decided is None:
        return []
    asked = [d for d in decisions if d.counted_from is not None and d.counted_from <= decided]
    last = max(asked, key=lambda d: d.counted_from or decided)
    found = []
    for deadline, what in ((last, "after it was due"), (deemed.get(last.counted_from), "after approval was deemed")):
        if deadline is not None and decided > deadline.due:
            message = f"the decision of {decided} came {what}: {deadline.due} ({deadline.rule})"
            found.append(Finding("decision-late", "warning", message, "application.decided", deadline.clause))
    return found


def _calendar(calendar: BusinessDays, ordinance: Ordinance) -> list[Finding]:
    if not calendar.assumed:
        return []
    message = (
        f"business days are taken as Monday to Friday; closures stated: {len(calendar.closures) or 'none'}; give "
        "application.open_weekdays and application.closures as the office is open"
    )
    clause = ordinance.clause("business_day")
    return [Finding("business-days-assumed", "note", message, "application.closures", clause)]


def _within(day: datetime.date, first: CodeDate, last: CodeDate) -> bool:
    """Whether a day of the year lies from one date to another, both included, over new year where they are reversed."""
    begin, end, at = (first.month, first.day), (last.month, last.day), (day.month, day.day)
    return begin <= at <= end if begin <= end else at >= begin or at <= end


def _on_or_after(date: CodeDate, day: datetime.date) -> datetime.date:
    """Return the next occurrence of a date of the year on or after a day; Feb 29 is Feb 28 in other years."""
    for year in (day.year, day.year + 1):
        leap = date.month == 2 and date.day == 29 and not (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
        found = datetime.date(year, date.month, 28 if leap else date.day)
        if found >= day:
            return found
    raise AssertionError("a date of the year comes at least once in two years")


def _named(date: CodeDate) -> str:
    return f"{date.month:02d}-{date.day:02d}"
