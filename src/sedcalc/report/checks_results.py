"""Ordinance checks, measures and schedule of a ruling as the entries of a run's JSON."""

import datetime
import math
from dataclasses import fields
from typing import Any, TypeVar

from sedcalc.compliance.checks import Checks
from sedcalc.compliance.measures import Measures
from sedcalc.compliance.ruling import Ruling
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report.checks_format import (
    ActivityEntry,
    ApplicabilityEntry,
    ChecksEntry,
    CreditEntry,
    DeadlineEntry,
    FactEntry,
    IdleEntry,
    MeasureEntry,
    MeasuresEntry,
    PermitEntry,
    PlanItemEntry,
    ProvisionEntry,
    SteepEntry,
    StockpileEntry,
)

_Entry = TypeVar("_Entry")


def checks_entry(checks: Checks) -> ChecksEntry:
    """Return the checks of a code beside its limit as an entry.

    Parameters
    ----------
    checks
        Of a ruling.
    """
    found = checks.applicability
    applicability = ApplicabilityEntry(
        result=found.result,
        reason=found.reason,
        clause=found.clause,
        standard_applies=found.standard_applies,
        standard_clause=found.standard_clause,
        provisions=[_entry(ProvisionEntry, p) for p in found.provisions],
        exemptions=[_entry(ProvisionEntry, p) for p in found.exemptions],
    )
    return ChecksEntry(
        applicability=applicability,
        plan_items=[_entry(PlanItemEntry, i) for i in checks.plan_items],
        idle=[_entry(IdleEntry, i) for i in checks.idle],
        stockpiles=[_entry(StockpileEntry, s) for s in checks.stockpiles],
        steep=None if checks.steep is None else _entry(SteepEntry, checks.steep),
        permit=None if checks.permit is None else _entry(PermitEntry, checks.permit),
        deadlines=[_entry(DeadlineEntry, d) for d in checks.deadlines],
    )


def measures_entry(found: Measures | None) -> MeasuresEntry | None:
    """Return what would bring a site under the limit as an entry; None unless the limit is exceeded.

    Parameters
    ----------
    found
        Of a ruling.
    """
    if found is None:
        return None
    return MeasuresEntry(
        one_at_a_time=[_entry(MeasureEntry, m) for m in found.one_at_a_time],
        fewest=None if found.fewest is None else [_entry(MeasureEntry, m) for m in found.fewest],
        fewest_tons_per_acre_per_year=found.fewest_tons_per_acre_per_year,
        proven_fewest=found.proven_fewest,
        worked_ground=found.worked_ground,
        left_out=list(found.left_out),
    )


def fact_entries(ruling: Ruling) -> list[FactEntry]:
    """Return draft facts for the written explanation; none unless the limit is exceeded.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    return [_entry(FactEntry, f) for f in ruling.explanation_facts]


def timetable_entries(load: SedimentLoad) -> list[ActivityEntry]:
    """Return the timetable of land-disturbing activities, by start.

    Parameters
    ----------
    load
        From `sedcalc.sediment_load`.
    """
    from sedcalc.load.timetable import timetable

    columns = timetable(load)
    names = [f.name for f in fields(ActivityEntry)]
    return [ActivityEntry(*(_plain(v) for v in values)) for values in zip(*(columns[n] for n in names), strict=True)]


def credit_entries(load: SedimentLoad) -> list[CreditEntry]:
    """Return what the schedule saves, by drainage area and for the site.

    Parameters
    ----------
    load
        From `sedcalc.sediment_load`.
    """
    credit = load.credit
    found = []
    for k, area in enumerate(credit.area):
        figure = float(credit.reference_figure[k])
        found.append(
            CreditEntry(
                drainage_area=area,
                tons=float(credit.tons[k]),
                reference_tons=float(credit.reference_tons[k]),
                saved_by_area=float(credit.saved_by_area[k]),
                saved_by_duration=float(credit.saved_by_duration[k]),
                reference_acres=float(credit.reference_acres[k]),
                reference_figure=None if math.isnan(figure) else figure,
                window_start=str(credit.window_start[k]),
                window_end=str(credit.window_end[k]),
            )
        )
    return found


def _entry(kind: type[_Entry], found: Any) -> _Entry:
    """Return an entry with the fields of the same name, dates as ISO texts and tuples as lists."""
    return kind(**{f.name: _plain(getattr(found, f.name)) for f in fields(kind)})  # type: ignore[arg-type]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value
