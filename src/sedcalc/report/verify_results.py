"""The JSON object of a verification."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from sedcalc.compliance.comparison import ProductCheck, ValueCheck
from sedcalc.compliance.overrides import RulingOverride
from sedcalc.compliance.ruling import Ruling
from sedcalc.compliance.verification import Verification
from sedcalc.findings import Finding, count_of
from sedcalc.report.run_format import FindingEntry
from sedcalc.report.verify_format import (
    VERIFY_FORMAT,
    AttributionEntry,
    ComputedEntry,
    ContributionEntry,
    OverrideEntry,
    ProductEntry,
    TakenEntry,
    ValueEntry,
    VerifyEntry,
)
from sedcalc.site.claims import Override


def verify_object(result: Verification, *, passed_rows: bool = True) -> dict[str, Any]:
    """Return the JSON object of a verification, format ``sedcalc.verify/1``.

    Parameters
    ----------
    result
        From `sedcalc.verify`.
    passed_rows
        Whether values and products of rows that hold are listed; totals and what does not hold always are.

    Returns
    -------
    dict
        Plain numbers, texts, lists and dicts as `sedcalc.report.verify_format.VerifyEntry` describes.
    """
    ruling = result.ruling
    values = [v for v in result.values if passed_rows or v.row is None or v.passed is not True]
    products = [p for p in result.products if passed_rows or not p.passed]
    entry = VerifyEntry(
        format=VERIFY_FORMAT,
        status=result.status,
        reason=result.reason,
        findings=_findings(result.findings),
        project=ruling.load.site.project.name,
        sentences=list(result.sentences),
        values_compared=len(result.values),
        values_failed=len(result.failed),
        values=[_value(result, v) for v in values],
        taken_as_claimed=[TakenEntry(t.where, t.quantity, *_place(result, t.row)) for t in result.taken],
        products=[_product(result, p) for p in products],
        attribution=[
            AttributionEntry(
                a.quantity,
                a.claimed,
                a.computed,
                a.given,
                a.log_ratio,
                [ContributionEntry(c.factor, c.log_ratio, c.share) for c in a.contributions],
                a.reason,
                a.note,
                a.implied,
            )
            for a in result.attributions
        ],
        tolerance_pct=result.tolerance_pct,
        overrides=override_entries(ruling),
        computed=ComputedEntry(
            ruling.status,
            ruling.reason,
            ruling.tons_per_acre_per_year,
            ruling.limit,
            ruling.clause,
            ruling.percent_reduction,
            ruling.disturbed_acres,
        ),
        provenance={**ruling.load.provenance, "ordinance_sha256": ruling.ordinance.sha256},
    )
    found: dict[str, Any] = _plain(entry)
    for check in (*found["values"], *found["products"]):
        check["pass"] = check.pop("passed")
    return found


def _plain(value: Any) -> Any:
    """Return entries as dicts; as `dataclasses.asdict`, without copying what they hold."""
    names = getattr(value, "__dataclass_fields__", None)
    if names is not None:
        return {name: _plain(getattr(value, name)) for name in names}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def verify_failure_object(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the JSON object of a verification that gave no number.

    Parameters
    ----------
    findings
        Why: at least one of severity ``error``.
    """
    errors = sum(f.severity == "error" for f in findings)
    reason = f"the submission has {count_of(errors, 'mistake')}, so that nothing is compared"
    return asdict(VerifyEntry(VERIFY_FORMAT, "cannot_be_determined", reason, _findings(findings)))


def override_entries(ruling: Ruling) -> list[OverrideEntry]:
    """Return the overrides that the submission states, then the reviewer's.

    Parameters
    ----------
    ruling
        On the submission.
    """
    claims = ruling.load.site.claims
    stated = claims.overrides if claims else ()
    return [*_overrides("applicant", stated), *_overrides("reviewer", ruling.overrides)]


def _overrides(by: Literal["applicant", "reviewer"], overrides: Sequence[Override]) -> list[OverrideEntry]:
    return [
        OverrideEntry(
            by,
            o.kind if isinstance(o, RulingOverride) else None,
            o.what,
            o.who,
            o.why,
            None if o.date is None else o.date.isoformat(),
            o.clause,
        )
        for o in overrides
    ]


def _findings(findings: Sequence[Finding]) -> list[FindingEntry]:
    return [FindingEntry(f.code, f.severity, f.message, f.where, f.clause) for f in findings]


def _place(result: Verification, row: int | None) -> tuple[str | None, str | None, str | None]:
    if row is None:
        return None, None, None
    phase, unit, area = (result.ruling.load.columns[n][row] for n in ("phase", "unit", "drainage_area"))
    return phase, unit, area


def _value(result: Verification, v: ValueCheck) -> ValueEntry:
    return ValueEntry(
        v.where,
        v.quantity,
        *_place(result, v.row),
        v.claimed,
        v.printed,
        v.computed,
        v.difference,
        v.ratio,
        v.tolerance,
        v.passed,
        list(result.explanations.get(v.where, ())),
    )


def _product(result: Verification, p: ProductCheck) -> ProductEntry:
    place = _place(result, p.row)
    return ProductEntry(p.where, p.quantity, *place, list(p.factors), p.claimed, p.product, p.tolerance, p.passed)
