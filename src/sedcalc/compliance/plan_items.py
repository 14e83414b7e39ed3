"""Does the submission hold what the code asks of a plan: item by item, by what, or missing.

Items that the calculation or the site file answers are found there; of the others the applicant states that the plan
has them. Whether what is there is good enough is the reviewer's to judge.
"""

import itertools
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from sedcalc.compliance.ordinance import Ordinance
from sedcalc.findings import Finding, InputError, count_of
from sedcalc.load.load_table import SedimentLoad
from sedcalc.site.application import Application
from sedcalc.units import FOOT_M, area_text

State = Literal["in_submission", "stated", "missing", "not_asked"]

_INCHES_PER_FOOT = 12.0
_RUN = 3  # letters in a row that are written as a range


class PlanItemCheck(NamedTuple):
    """An item that a plan must hold, and what answers it.

    Attributes
    ----------
    id
        Clause as printed, with ``#n`` where it is the n-th item of one clause.
    part, clause, text
        As in the ordinance.
    state
        ``in_submission`` (the site file or the calculation has it), ``stated`` (the applicant says that the plan has
        it), ``missing``, or ``not_asked`` (of this site).
    by
        What answers it, or why it is not asked.
    """

    id: str
    part: str
    clause: str
    text: str
    state: State
    by: str


def check_plan_items(
    ordinance: Ordinance, load: SedimentLoad, standard_applies: bool | None
) -> tuple[PlanItemCheck, ...]:
    """Return the items that the code asks of a plan, in its order, and what answers each.

    Parameters
    ----------
    ordinance
        The code.
    load
        The calculation, with the site and its application.
    standard_applies
        Whether the numeric standard holds; items that go with it are not asked where it does not.

    Raises
    ------
    InputError
        If the application states an item that the code does not have.
    """
    stated = _stated(ordinance, load.site.application)
    checks = []
    for item in ordinance.plan_items:
        state: State
        found = None if item.answered_by is None else _ANSWERS[item.answered_by](load)
        if item.with_standard and standard_applies is False:
            state, by = "not_asked", "the numeric standard does not apply to a site of this area"
        elif found is not None:
            state, by = "in_submission", found
        elif item.id in stated or item.clause in stated:
            state, by = "stated", "application.plan_items"
        else:
            state, by = "missing", ""
        checks.append(PlanItemCheck(item.id, item.part, item.clause, item.text, state, by))
    return tuple(checks)


def plan_item_findings(
    checks: Sequence[PlanItemCheck], ordinance: Ordinance, application: Application | None, units: str
) -> list[Finding]:
    """Return one finding on all missing items, and one on a map that is drawn otherwise than the code asks.

    Parameters
    ----------
    checks
        From `check_plan_items`.
    ordinance
        The code.
    application
        What the applicant states. Where there is none, missing items are a note: the plan was not submitted here.
    units
        ``us`` or ``si``.
    """
    found = []
    asked = [c for c in checks if c.state != "not_asked"]
    missing = [c.id for c in asked if c.state == "missing"]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        said = f"{are} neither in the submission nor stated (application.plan_items)"
        if application is None:
            said = f"{are} not in the submission, which has no application part to state what the plan holds"
        message = f"{len(missing)} of {count_of(len(asked), 'item')} of the plan {said}: {short_list(missing)}"
        severity: Literal["note", "warning"] = "note" if application is None else "warning"
        found.append(
            Finding("plan-items-missing", severity, message, "application.plan_items", ordinance.clause("plan"))
        )
    return found + _map_findings(ordinance, application, units)


def short_list(clauses: Sequence[str]) -> str:
    """Return clauses in words, those that differ only in their last bracket together, runs of letters as ranges.

    Parameters
    ----------
    clauses
        In the order of the code.

    Examples
    --------
    >>> short_list(["6.11B(3)(b)", "6.11B(3)(f)", "6.11B(3)(g)", "6.11B(3)(h)", "6.11B(4)"])
    '6.11B(3)(b), (f)-(h), 6.11B(4)'
    """
    return _short_list(tuple(clauses))


@lru_cache(maxsize=1024)
def _short_list(clauses: tuple[str, ...]) -> str:
    parts = [m.groups() if (m := re.fullmatch(r"(.*\))(\([a-z]\))", c)) else (c, "") for c in clauses]
    groups = []
    for head, members in itertools.groupby(parts, key=lambda p: p[0]):
        runs: list[list[str]] = []
        for _, last in members:
            follows = runs and last and runs[-1][-1] and ord(last[1]) == ord(runs[-1][-1][1]) + 1
            if follows:
                runs[-1].append(last)
            else:
                runs.append([last])
        said = [", ".join(r) if len(r) < _RUN else f"{r[0]}-{r[-1]}" for r in runs]
        groups.append(", ".join([f"{head}{said[0]}", *said[1:]]))
    return ", ".join(groups)


def _stated(ordinance: Ordinance, application: Application | None) -> set[str]:
    stated = () if application is None else application.plan_items
    if not stated:
        return set()
    items = ordinance.plan_items
    known = {*(i.id for i in items), *(i.clause for i in items)}
    hint = f"write the clause as printed, such as {items[0].id}" if items else "it lists none"
    faults = [
        Finding(
            "unknown-plan-item",
            "error",
            f"{ordinance.id} has no plan item {item!r}; {hint}",
            f"application.plan_items[{i}]",
        )
        for i, item in enumerate(stated)
        if item not in known
    ]
    if faults:
        raise InputError(faults)
    return set(stated)


def _applicant(load: SedimentLoad) -> str | None:
    project = load.site.project
    if project.applicant is None or project.address is None:
        return None
    return f"project: {project.applicant}, {project.address}; {load.schedule.first_day} to {load.schedule.last_day}"


def _areas(load: SedimentLoad) -> str:
    total = float(load.ground.pieces.acres.sum())
    disturbed = area_text(load.totals.disturbed_acres)
    return f"ground_units: {area_text(total)} acres, of which {disturbed} are disturbed, by phase"


def _schedule(load: SedimentLoad) -> str:
    site, plan = load.site, load.schedule
    return (
        f"phases: {len(site.phases)} from {plan.first_day} to {plan.last_day}, with ground, cover and stabilization; "
        f"{count_of(len(site.practices), 'practice with its dates', 'practices with their dates')}"
    )


def _calculation(load: SedimentLoad) -> str:
    rows = count_of(len(load.columns["phase"]), "row")
    return f"the calculation: {rows}, {count_of(len(load.windows.start), 'window')}"


def _percent_reduction(load: SedimentLoad) -> str | None:
    reduction = load.totals.percent_reduction
    return None if reduction is None else f"the calculation: {reduction:.1f} % less than with no controls"


def _from_application(read: Callable[[Application], str | None]) -> Callable[[SedimentLoad], str | None]:
    def answer(load: SedimentLoad) -> str | None:
        return None if load.site.application is None else read(load.site.application)

    return answer


def _runoff(application: Application) -> str | None:
    before, after = application.runoff_coefficient_before, application.runoff_coefficient_after
    return None if before is None or after is None else f"application: {before:g} before, {after:g} after"


def _soils(application: Application) -> str | None:
    return None if application.soils_data is None else f"application: {application.soils_data}"


def _water(application: Application) -> str | None:
    return None if application.receiving_water is None else f"application: {application.receiving_water}"


def _groundwater(load: SedimentLoad) -> str | None:
    application = load.site.application
    if application is None or application.groundwater_depth is None:
        return None
    return f"application: {application.groundwater_depth:g} {'ft' if load.site.units == 'us' else 'm'}"


def _map(load: SedimentLoad) -> str | None:
    application = load.site.application
    if application is None or application.map_scale is None or application.contour_interval is None:
        return None
    unit = "ft" if load.site.units == "us" else "m"
    return f"application: 1 : {application.map_scale:g}, contours {application.contour_interval:g} {unit}"


_ANSWERS: dict[str, Callable[[SedimentLoad], str | None]] = {
    "applicant": _applicant,
    "areas": _areas,
    "calculation": _calculation,
    "groundwater": _groundwater,
    "map": _map,
    "percent_reduction": _percent_reduction,
    "receiving_water": _from_application(_water),
    "runoff_coefficient": _from_application(_runoff),
    "schedule": _schedule,
    "soils_data": _from_application(_soils),
}


def _map_findings(ordinance: Ordinance, application: Application | None, units: str) -> list[Finding]:
    if application is None:
        return []
    foot = 1.0 if units == "us" else FOOT_M
    scale, interval = application.map_scale, application.contour_interval
    drawn = {
        "map_scale": None if scale is None else scale / _INCHES_PER_FOOT,
        "contour_interval": None if interval is None else interval / foot,
    }
    found = []
    for name, value in drawn.items():
        number = ordinance.numbers.get(name)
        if number is not None and value is not None and not number.holds(value):
            message = (
                f"the site map has {name.replace('_', ' ')} {value:,.4g} {number.unit}; "
                f"{number.comparison} {number.value:g} is asked"
            )
            found.append(Finding("map-not-as-asked", "warning", message, f"application.{name}", number.clause))
    return found
