"""The ruling: whether a site's sediment load meets the ordinance's numeric standard."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sedcalc.compliance.checks import Checks, check_ordinance
from sedcalc.compliance.ordinance import TOLERANCE, Ordinance, Standard, load_ordinance
from sedcalc.compliance.overrides import override_findings, require_effect
from sedcalc.findings import Finding, by_severity
from sedcalc.load.load_table import SedimentLoad
from sedcalc.site.claims import Override
from sedcalc.units import ACRE_HA, area_text

if TYPE_CHECKING:
    from sedcalc.compliance.explanation import Fact
    from sedcalc.compliance.measures import Measures

_REFERENCE = "reference"  # kind of figure that only an override makes count

Status = Literal["meets", "exceeds", "cannot_be_determined", "not_applicable"]

# Which check of the ordinance (`sedcalc.compliance.ordinance.CHECKS`) a finding of the calculation concerns.
_CLAUSE_OF = {
    "practice-after-disturbance": "practices_before_disturbance",
    "practice-removed-early": "practices_until_stabilization",
    "over-3-to-1": "soil_loss_method",
    "frozen-season": "soil_loss_method",
    "no-erosivity": "soil_loss_method",
    "slopes-20-percent": "steep_slopes",
}


@dataclass(frozen=True, slots=True)
class Governing:
    """The window and drainage area whose figure is held against the limit.

    Parameters
    ----------
    window_start, window_end
        First and last day, ISO dates.
    drainage_area
        Its id; None where the site as a whole is ruled on.
    discharge_tons, acres
        Discharge in the window, short tons, and the acres that count in it.
    by_override
        Whether these are the reference acreage and its worst 12 months, by a reviewer's override.
    """

    window_start: str
    window_end: str
    drainage_area: str | None
    discharge_tons: float
    acres: float
    by_override: bool = False


@dataclass(frozen=True)
class Ruling:
    """The ruling on a site.

    Parameters
    ----------
    status
        ``meets``, ``exceeds``, ``cannot_be_determined`` or ``not_applicable``.
    reason
        The ruling in a sentence.
    tons_per_acre_per_year
        The governing figure, short tons/(acre yr); None where it cannot be determined.
    limit
        The ordinance's limit in the same unit; None where it has none.
    clause
        Clause of the limit, or of the reason why none applies.
    governing
        Where and when the figure arises.
    site_tons_per_acre_per_year
        The worst 12 months of the site as a whole, area-weighted.
    percent_reduction
        Whole site, whole project, against no controls; None where the baseline is zero.
    disturbed_acres
        Area of the units disturbed at some time, acres.
    findings
        What a reviewer must know, errors first, with the clauses they concern.
    ordinance, load
        What it was ruled by and on.
    checks
        What the ordinance asks beside its limit, and how the site stands.
    overrides
        Decisions of the reviewing side. Those that the submission states are not among them, and change nothing.
    """

    status: Status
    reason: str
    tons_per_acre_per_year: float | None
    limit: float | None
    clause: str | None
    governing: Governing | None
    site_tons_per_acre_per_year: float | None
    percent_reduction: float | None
    disturbed_acres: float
    findings: tuple[Finding, ...]
    ordinance: Ordinance
    load: SedimentLoad
    checks: Checks
    overrides: tuple[Override, ...] = ()

    @property
    def margin(self) -> float | None:
        """Limit less figure, short tons/(acre yr): negative where the limit is exceeded."""
        if self.limit is None or self.tons_per_acre_per_year is None:
            return None
        return self.limit - self.tons_per_acre_per_year

    @cached_property
    def measures(self) -> "Measures | None":
        """What would bring the site under the limit; None unless it is exceeded. Computed when first asked for."""
        if self.status != "exceeds" or self.ordinance.standard is None:
            return None
        from sedcalc.compliance.measures import measures

        return measures(self.load, self.ordinance.standard)

    @cached_property
    def explanation_facts(self) -> "tuple[Fact, ...]":
        """Draft facts for the written explanation; none unless the limit is exceeded."""
        if self.measures is None or self.tons_per_acre_per_year is None:
            return ()
        from sedcalc.compliance.explanation import explanation_facts

        return explanation_facts(self.load, self.ordinance, self.tons_per_acre_per_year, self.measures)

    def _repr_html_(self) -> str:
        from sedcalc.compliance.notebook import ruling_html

        return ruling_html(self)


def check_compliance(
    load: SedimentLoad, ordinance: Ordinance | str | None = None, *, overrides: Sequence[Override] = ()
) -> Ruling:
    """Return the ruling on a sediment load.

    Parameters
    ----------
    load
        From `sedcalc.sediment_load`.
    ordinance
        Name or file of an ordinance, or one read already; by default the one the site names.
    overrides
        The reviewer's: a `sedcalc.compliance.overrides.RulingOverride` makes the figure on the reference acreage
        count, any other is put on record. Those in the submission never change a ruling.

    Returns
    -------
    Ruling
        Figures are compared unrounded: a load of 5.004 exceeds 5, and a finding says that it prints as 5.00.

    Raises
    ------
    InputError
        If there is no such ordinance, its file has mistakes, or the site's application names what it does not have;
        if an override has no figure to act on.

    Examples
    --------
    445-6.9 holds for one acre or more; the shipped example disturbs 1.6 + 0.5 + 1.7 + 0.4 + 1.2 + 0.3 acres:

    >>> import sedcalc as sc
    >>> load = sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml")))
    >>> sc.check_compliance(load).checks.applicability.standard_clause
    '445-6.9'
    """
    if not isinstance(ordinance, Ordinance):
        named = load.site.ordinance
        folder = load.site.folder if ordinance in (None, named) else None
        ordinance = load_ordinance(ordinance or named, folder, "ordinance")
    acres = _common_plan_acres(load)
    checks = check_ordinance(load, ordinance, acres)
    findings = [_with_clause(f, ordinance, acres) for f in load.findings]
    findings += checks.findings
    standard = ordinance.standard
    scope, kind = (standard.scope, standard.figure) if standard else ("each_drainage_area", "worst_12_months")
    applies = checks.applicability.result != "does_not_apply" and checks.applicability.standard_applies is True
    by_override = require_effect(overrides, load, None if standard is None else kind, applies)
    if by_override:
        kind = _REFERENCE
    column = _governing_column(load, scope, kind)
    figure, governing = _figure(load, column, kind)
    findings += override_findings(load, overrides, _effect(load, scope, standard) if by_override else "")
    kind = "worst_12_months" if by_override else kind
    site_figure, _ = _figure(load, len(load.windows.area) - 1, kind)
    reduction = load.totals.percent_reduction
    if reduction is None:
        findings.append(
            Finding(
                "zero-baseline",
                "warning",
                "the load with no controls is zero, so the percent reduction is undefined",
                "percent_reduction",
                ordinance.clause("percent_reduction"),
            )
        )
    limit: float | None = None if standard is None else standard.limit
    if checks.applicability.result == "does_not_apply":
        status, clause = _status("not_applicable"), checks.applicability.clause
        reason = f"the code does not apply: {checks.applicability.reason}"
    elif standard is None:
        assert ordinance.no_standard is not None
        status, clause = _status("not_applicable"), ordinance.no_standard.clause
        reason = ordinance.no_standard.reason
    else:
        limit, clause = standard.limit, standard.clause
        if not checks.applicability.standard_applies:
            status, clause = _status("not_applicable"), standard.applies_clause
            reason = (
                f"{area_text(acres)} acres are under the {standard.applies_from_acres:g} acre from which the limit of "
                f"{limit:g} tons/acre/year applies"
            )
            if standard.below_clause is not None:
                reason += f"; {standard.below_clause} applies instead"
            findings.append(_common_plan_question(load, standard.applies_clause))
        elif figure is None or governing is None:
            status, reason = _status("cannot_be_determined"), "no window has an acre that counts"
        elif standard.steep_slope_decisive and any(f.code == "over-3-to-1" for f in findings):
            status = _status("cannot_be_determined")
            reason = "ground over 3H:1V lies outside the method, and this ordinance does not rule on an estimate for it"
        else:
            exceeds = figure > limit * (1.0 + TOLERANCE)
            status = _status("exceeds" if exceeds else "meets")
            reason = _sentence(figure, limit, governing, exceeds, kind)
            findings += _number_findings(load, figure, limit, exceeds, site_figure, standard.clause)
            if exceeds:
                findings.append(_explanation(load, ordinance))
    return Ruling(
        status,
        reason,
        None if status == "cannot_be_determined" else figure,
        limit,
        clause,
        governing,
        site_figure,
        reduction,
        load.totals.disturbed_acres,
        tuple(by_severity(findings)),
        ordinance,
        load,
        checks,
        tuple(overrides),
    )


def _effect(load: SedimentLoad, scope: str, standard: Standard | None) -> str:
    """Say what the override changes: what the ruling would be without it."""
    figure, _ = _figure(load, _governing_column(load, scope, "worst_12_months"), "worst_12_months")
    assert standard is not None
    if figure is None:
        return "Without it there is no figure"
    verb = "exceed" if figure > standard.limit * (1.0 + TOLERANCE) else "meet"
    return (
        f"The figure on the reference acreage counts; without it {figure:.2f} tons/acre would {verb} the limit of "
        f"{standard.limit:g}, and any measures are reckoned without it"
    )


def _status(status: Status) -> Status:
    return status


def _with_clause(finding: Finding, ordinance: Ordinance, acres: float) -> Finding:
    check = _CLAUSE_OF.get(finding.code)
    steep = ordinance.numbers.get("steep_slope")
    if check == "steep_slopes" and (steep is None or f"{steep.value:g} %" not in finding.message):
        check = None  # the code names another slope than the cells were counted by
    clause = None if check is None else ordinance.clause(check, acres)
    return Finding(finding.code, finding.severity, finding.message, finding.where, finding.clause or clause)


def _governing_column(load: SedimentLoad, scope: str, kind: str) -> int:
    """Return the column of the windows that governs: the worst drainage area's, or the site's."""
    areas = len(load.windows.area) - 1
    if scope == "site":
        return areas
    figures = [(f, -k) for k in range(areas) if (f := _figure(load, k, kind)[0]) is not None]
    return -max(figures)[1] if figures else areas


def _figure(load: SedimentLoad, column: int, kind: str) -> tuple[float | None, Governing | None]:
    windows, plan = load.windows, load.schedule
    area = windows.area[column]
    if kind == _REFERENCE:
        credit = load.credit
        figure, acres = float(credit.reference_figure[column]), float(credit.reference_acres[column])
        if math.isnan(figure):
            return None, None
        days = (str(credit.window_start[column]), str(credit.window_end[column]))
        return figure, Governing(*days, area, figure * acres, acres, by_override=True)
    if kind == "average_year":
        average = windows.average[column]
        if average.tons_per_acre is None:
            return None, None
        days = (plan.first_day.isoformat(), plan.last_day.isoformat())
        return average.tons_per_acre, Governing(*days, area, average.tons, average.acres)
    row = int(windows.worst[column])
    if row < 0:
        return None, None
    governing = Governing(
        str(windows.start[row]),
        str(windows.end[row]),
        area,
        float(windows.tons[row, column]),
        float(windows.acres[row, column]),
    )
    return float(windows.tons_per_acre[row, column]), governing


def _common_plan_acres(load: SedimentLoad) -> float:
    stated = load.site.project.common_plan_area
    acre = 1.0 if load.site.units == "us" else ACRE_HA
    return max(load.totals.disturbed_acres, 0.0 if stated is None else stated / acre)


def _common_plan_question(load: SedimentLoad, clause: str | None) -> Finding:
    stated = load.site.project.common_plan_area is not None
    said = "the stated common plan is smaller too" if stated else "no common plan is stated"
    return Finding(
        "under-applicability-area",
        "warning",
        f"{area_text(load.totals.disturbed_acres)} acres are disturbed and {said}; if the site is part of a larger "
        "common plan of development, state its area in project.common_plan_area",
        "project.common_plan_area",
        clause,
    )


def _sentence(figure: float, limit: float, governing: Governing, exceeds: bool, kind: str) -> str:
    place = "the site" if governing.drainage_area is None else f"drainage area {governing.drainage_area!r}"
    verb = "exceeds" if exceeds else "meets"
    per = "tons/acre/year on average" if kind == "average_year" else "tons/acre"
    if governing.by_override:
        per += f" of its reference acreage ({governing.acres:.2f} acres, by override)"
    return (
        f"{place} discharges {figure:.2f} {per} from {governing.window_start} to {governing.window_end}, "
        f"which {verb} the limit of {limit:g} tons/acre/year"
    )


def _number_findings(
    load: SedimentLoad, figure: float, limit: float, exceeds: bool, site_figure: float | None, clause: str
) -> list[Finding]:
    found = []
    where = "tons_per_acre_per_year"
    if exceeds and f"{figure:.2f}" == f"{limit:.2f}":
        message = f"{figure:.6g} tons/acre/year exceeds {limit:g}; it prints as {figure:.2f}"
        found.append(Finding("prints-as-limit", "warning", message, where, clause))
    if exceeds and site_figure is not None and site_figure <= limit * (1.0 + TOLERANCE):
        message = (
            f"the site as a whole stays at {site_figure:.2f} tons/acre/year, and a drainage area does not; every "
            "drainage area must meet the limit"
        )
        found.append(Finding("only-site-average-meets", "warning", message, where, clause))
    erosivity = load.erosivity
    if erosivity.R is not None and erosivity.R_low is not None and erosivity.R_high is not None:
        low, high = (figure * r / erosivity.R for r in (erosivity.R_low, erosivity.R_high))
        span = f"R from {erosivity.R_low:.0f} to {erosivity.R_high:.0f} gives {low:.2f} to {high:.2f} tons/acre/year"
        if not exceeds and high > limit * (1.0 + TOLERANCE):
            message = f"the limit is met at R = {erosivity.R:.0f} and exceeded within its range: {span}"
            found.append(Finding("decided-by-R-range", "warning", message, where, clause))
        elif exceeds and low <= limit:
            message = f"the limit is exceeded at R = {erosivity.R:.0f} and met within its range: {span}"
            found.append(Finding("decided-by-R-range", "warning", message, where, clause))
        else:
            found.append(Finding("R-range", "note", f"{span}; the ruling is the same throughout", where, clause))
    return found


def _explanation(load: SedimentLoad, ordinance: Ordinance) -> Finding:
    submitted = load.site.project.explanation is not None
    said = "one was submitted; the administrator judges it" if submitted else "none was submitted (project.explanation)"
    factors = ", ".join(f.text for f in ordinance.mep_factors)
    message = (
        "practices that cannot be designed to meet the limit need a written, site-specific explanation of why, and of "
        f"how the load is reduced to the maximum extent practicable: {said}. It takes into account {factors}"
    )
    clause = ordinance.clause("mep_explanation")
    return Finding("explanation-needed", "warning", message, "project.explanation", clause)
