"""Verification: the numbers an applicant claims against the computed ones, and what makes them differ."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from sedcalc.compliance.attributed_rows import ARITHMETIC, NOT_STATED, REMAINDERS
from sedcalc.compliance.attribution import ATTRIBUTED, Attribution, Attributor, Contribution
from sedcalc.compliance.comparison import (
    ProductCheck,
    TakenFactor,
    ValueCheck,
    claimed_row_numbers,
    computed_row,
    product_checks,
    row_checks,
    sum_checks,
    total_checks,
)
from sedcalc.compliance.explanations import FOLLOWS, Explainer, computed_totals
from sedcalc.compliance.ordinance import TOLERANCE
from sedcalc.compliance.ruling import Ruling, check_compliance
from sedcalc.findings import Finding, by_severity, count_of, input_error
from sedcalc.io.site_files import read_site, refuse_link_out
from sedcalc.load.calculation import sediment_load
from sedcalc.load.load_table import SedimentLoad
from sedcalc.site.claims import MAX_TOLERANCE_PCT, ROW_VALUES, Claims, Override
from sedcalc.site.submission import Site

VerificationStatus = Literal["verified", "not_verified", "cannot_be_determined"]

EXIT_CODES: Final[dict[VerificationStatus, int]] = {"verified": 0, "not_verified": 1, "cannot_be_determined": 2}

_IN_A_SITE_FILE = "state it with its source in a site file"
_VERIFIED_BY = {
    "R": "name the county",
    "K": "give texture and organic matter, from which it follows",
    "C": f"name a cover of the table `covers` in a column 'cover', or {_IN_A_SITE_FILE}",
    "P": _IN_A_SITE_FILE,
    "delivery_ratio": _IN_A_SITE_FILE,
    "efficiency": f"name a practice of the table `trapping` that needs no size, or {_IN_A_SITE_FILE}",
}
"""What makes a factor follow from something else than the claim."""

_SHOWN_SHARE = 0.005  # shares that would print as 0 % are not spelt out


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether the numbers of a submission hold.

    Parameters
    ----------
    status
        ``verified``: every claim holds; ``not_verified``: at least one does not; ``cannot_be_determined``: nothing is
        claimed, a claim has no computed value to stand beside, or all hold but some only beside themselves (`taken`).
    reason
        The status in a sentence.
    values
        Each claim beside the computed value: totals, then rows, in the order of the submission.
    taken
        Factors that the calculation has from the claims themselves, as a reviewer's table states them and no source
        gives them: nothing verifies them.
    products
        Claimed products and sums against their own claimed factors and terms.
    attributions
        For each total of `sedcalc.compliance.attribution.ATTRIBUTED` that differs, or, where none does, for what the
        claimed factors would give: which factor explains what share.
    explanations
        By path of the claim: why it differs, in words, the likeliest first.
    sentences
        The result in words, most important first.
    findings
        Those of the ruling and of the comparison, errors first, with the clauses they concern.
    tolerance_pct
        Tolerance that the reviewer set, %; None where the printed digits alone decide.
    overrides
        Decisions of the reviewing side, as in the ruling. Those that the submission states are not among them.
    ruling
        The ruling on the computed numbers.
    """

    status: VerificationStatus
    reason: str
    values: tuple[ValueCheck, ...]
    taken: tuple[TakenFactor, ...]
    products: tuple[ProductCheck, ...]
    attributions: tuple[Attribution, ...]
    explanations: dict[str, tuple[str, ...]]
    sentences: tuple[str, ...]
    findings: tuple[Finding, ...]
    tolerance_pct: float | None
    overrides: tuple[Override, ...]
    ruling: Ruling

    @property
    def failed(self) -> tuple[ValueCheck, ...]:
        """Claims that do not hold."""
        return tuple(v for v in self.values if v.passed is False)

    def label(self, check: ValueCheck | ProductCheck) -> str:
        """Return what a check is about, in words.

        Parameters
        ----------
        check
            One of the values or products.
        """
        return _label(self.ruling, check)


def verify(
    submission: Site | str | Path,
    *,
    tolerance_pct: float | None = None,
    overrides: Sequence[Override] = (),
    ordinance: str | None = None,
    county: str | None = None,
) -> Verification:
    """Compute a submission anew and compare the numbers it claims.

    Parameters
    ----------
    submission
        A site with ``claims``, or the path of its file.
    tolerance_pct
        Difference that passes, % of the computed value, 0 to 5, where it is wider than what the printed digits
        leave. The reviewer's alone counts: one that the submission states is said in a finding, and not applied.
    overrides
        The reviewer's, as for `sedcalc.check_compliance`; those in the submission change nothing.
    ordinance, county
        What is taken where the submission's file names none; one that names another is a mistake.

    Returns
    -------
    Verification
        Status, each claim beside the computed value, and why claims differ.

    Raises
    ------
    InputError
        With every mistake of the site, if there are any; if the tolerance is out of range; if the file is a symbolic
        link out of its folder.

    Notes
    -----
    A claim holds when it differs by no more than half a unit of its last printed digit, of which no more counts than
    5 % of the computed value or 0.005, whichever is wider (or the set tolerance, or 1e-9 of the value, whichever is
    widest); the verdict must be the computed one. Factors that a reviewer's table alone states are compared with
    themselves: they leave a submission that would be verified ``cannot_be_determined``. What gives a claimed value is
    searched among units, methods, rows of the reference tables, readings of dates and dimensions, baselines and scopes.
    That search suggests; it does not prove what the applicant did.

    Examples
    --------
    The example that ships with the package, with the numbers that the calculation gives, rounded:

    >>> import sedcalc as sc
    >>> sc.verify(sc.example("hales_corners_submission.toml")).status
    'verified'
    """
    if tolerance_pct is not None and not 0.0 <= tolerance_pct <= MAX_TOLERANCE_PCT:
        raise input_error(
            "tolerance-out-of-range",
            f"{tolerance_pct:g} % is outside 0 to {MAX_TOLERANCE_PCT:g} %; give a tolerance within it",
            "tolerance_pct",
        )
    if isinstance(submission, Site):
        site = submission
    else:
        refuse_link_out(Path(submission))
        site = read_site(submission, ordinance=ordinance, county=county)
    claims = site.claims or Claims()
    ruling = check_compliance(sediment_load(site), overrides=overrides)
    load = ruling.load
    delivery = site.delivery.ratio if site.delivery else 1.0
    computed_of_site = computed_totals(ruling)
    totals = total_checks(claims, computed_of_site, tolerance_pct)
    verdict = _verdict(claims, ruling)
    numbers, unknown = claimed_row_numbers(claims, load)
    values: list[ValueCheck] = verdict + totals
    by_row: dict[int, dict[str, ValueCheck]] = {}
    products = sum_checks(claims, load, numbers, totals)
    site_R = next((t for t in totals if t.quantity == "R"), None)
    of_site = {} if site_R is None else {"R": site_R}
    for i, (number, row) in enumerate(zip(numbers, claims.rows, strict=True)):
        if number is None:
            continue
        computed = computed_row(load, number)
        checks = row_checks(row, f"claims.rows[{i}]", number, computed, tolerance_pct)
        by_row[number] = {c.quantity: c for c in checks}
        values += checks
        products += product_checks({**of_site, **by_row[number]}, computed, delivery)
    failed = [v for v in values if v.passed is False]
    attributor = Attributor(load, ruling.ordinance, by_row, products, {t.quantity: t for t in totals})
    # A figure on the reference acreage is no sum over the acres of its window.
    by_override = ruling.governing is not None and ruling.governing.by_override
    attributed = [q for q in ATTRIBUTED if not (by_override and q == "tons_per_acre_per_year")]
    attributions = [attributor.attribute(t) for t in failed if t.row is None and t.quantity in attributed]
    if not attributions and not by_override and any(v.quantity in ROW_VALUES for v in failed):
        attributions += [a for a in [attributor.implied(computed_of_site)] if a is not None]
    in_full = {a.quantity for a in attributions if a.log_ratio is not None and not _has_rest(a)}
    follow = {t.where: said for t in failed if t.row is None and (said := _follows(t, attributor, by_row, load))}
    explainer = Explainer(ruling, by_row, products, site_R)
    explanations = {
        v.where: said
        for v in failed
        if v.quantity != "status"
        and (said := follow.get(v.where) or explainer.explain(v, v.row is None and v.quantity in in_full))
    }
    taken = [
        TakenFactor(f"claims.rows[{i}]", name, number)
        for i, (number, row) in enumerate(zip(numbers, claims.rows, strict=True))
        for name in row.taken
    ]
    status, reason = _status(values, taken, products, unknown, ruling)
    sentences = _sentences(ruling, {t.quantity: t for t in totals}, failed, products, attributions, explanations)
    found = unknown + _claim_findings(ruling, claims, failed, products, explanations)
    found += _taken_findings(taken)
    found += _tolerance_findings(tolerance_pct, claims.tolerance_pct, values)
    return Verification(
        status=status,
        reason=reason,
        values=tuple(values),
        taken=tuple(taken),
        products=tuple(products),
        attributions=tuple(attributions),
        explanations=explanations,
        sentences=tuple(sentences),
        findings=tuple(by_severity([*found, *ruling.findings])),
        tolerance_pct=tolerance_pct,
        overrides=ruling.overrides,
        ruling=ruling,
    )


def _has_rest(attribution: Attribution) -> bool:
    """Whether something beside the claimed factors makes the total differ."""
    shown = _SHOWN_SHARE * abs(attribution.log_ratio or 0.0)
    return any(c.factor in (ARITHMETIC, NOT_STATED) and abs(c.log_ratio) >= shown for c in attribution.contributions)


def _follows(
    total: ValueCheck, attributor: Attributor, rows: Mapping[int, Mapping[str, ValueCheck]], load: SedimentLoad
) -> tuple[str, ...]:
    """Say that a percent reduction, or disturbed acres, is what the claimed rows give."""
    if total.quantity == "percent_reduction":
        implied = attributor.percent_reduction()
        if implied is None or not implied[2]:
            return ()
        value, allowed, names = implied
    elif total.quantity == "disturbed_acres":
        pieces = load.ground.pieces.acres.copy()
        acres = {int(load.ground.rows.piece[i]): c for i, r in rows.items() if (c := r.get("acres")) is not None}
        disturbed = [i for i, u in enumerate(load.ground.pieces.unit) if load.schedule.disturbed[u] is not None]
        allowed, names = 0.0, ["acres"] if any(c.passed is False for c in acres.values()) else []
        for piece, check in acres.items():
            pieces[piece] = check.claimed
            allowed += check.tolerance or 0.0
        value = float(pieces[disturbed].sum())
    else:
        return ()
    assert isinstance(total.claimed, float)
    if not names or abs(total.claimed - value) > allowed + (total.tolerance or 0.0):
        return ()
    return (f"{FOLLOWS} the claimed {', '.join(names)}",)


def _verdict(claims: Claims, ruling: Ruling) -> list[ValueCheck]:
    if claims.status is None:
        return []
    passed = claims.status == ruling.status
    return [
        ValueCheck("claims.status", "status", None, claims.status, claims.status, ruling.status, None, passed),
    ]


def _status(
    values: Sequence[ValueCheck],
    taken: Sequence[TakenFactor],
    products: Sequence[ProductCheck],
    unknown: Sequence[Finding],
    ruling: Ruling,
) -> tuple[VerificationStatus, str]:
    wrong = sum(v.passed is False for v in values)
    slips = sum(not p.passed for p in products)
    if wrong or slips:
        differ = "differs" if wrong == 1 else "differ"
        parts = [f"{wrong} of {count_of(len(values), 'claimed value')} {differ} from the computed"] if wrong else []
        parts += (
            [
                count_of(
                    slips,
                    "claimed product or sum disagrees with its own",
                    "claimed products or sums disagree with their own",
                )
                + " factors"
            ]
            if slips
            else []
        )
        return "not_verified", " and ".join(parts)
    if not values:
        return "cannot_be_determined", "the submission claims no number; add [claims]"
    if unknown:
        return (
            "cannot_be_determined",
            f"{count_of(len(unknown), 'claimed row has', 'claimed rows have')} no counterpart in the calculation",
        )
    open_totals = [v for v in values if v.passed is None and v.row is None]
    if open_totals:
        names = ", ".join(v.quantity for v in open_totals)
        return "cannot_be_determined", f"the calculation has no value for {names}: {ruling.reason}"
    if taken:
        holding = sum(v.passed is True for v in values)
        rest = f"{', '.join(_taken_words(taken))}: taken from the claims, not verified"
        return (
            "cannot_be_determined",
            f"{count_of(holding, 'claimed value holds', 'claimed values hold')}, except {rest}",
        )
    if all(v.passed is None for v in values):
        return "cannot_be_determined", "none of the claimed values has a computed counterpart"
    return "verified", "the one claimed value holds" if len(values) == 1 else f"all {len(values):,} claimed values hold"


def _taken_words(taken: Sequence[TakenFactor]) -> list[str]:
    """Return each factor that is taken from the claims, and of how many rows."""
    names = list(dict.fromkeys(t.quantity for t in taken))
    return [f"{n} of {count_of(sum(t.quantity == n for t in taken), 'row')}" for n in names]


def _taken_findings(taken: Sequence[TakenFactor]) -> list[Finding]:
    """One finding for each factor that is taken from the claims, with what would verify it."""
    found = []
    for words, name in zip(_taken_words(taken), dict.fromkeys(t.quantity for t in taken), strict=True):
        first = next(t for t in taken if t.quantity == name)
        message = f"{words} is taken from the claims, and so compared with itself only; {_VERIFIED_BY[name]}"
        found.append(Finding("taken-as-claimed", "warning", message, first.where))
    return found


def _label(ruling: Ruling, check: ValueCheck | ProductCheck) -> str:
    if check.row is None:
        return check.quantity
    columns = ruling.load.columns
    return f"{check.quantity} of {columns['phase'][check.row]!r} on {columns['unit'][check.row]!r}"


def _beside(check: ValueCheck) -> str:
    if isinstance(check.computed, str) or check.computed is None:
        return f"claimed {check.printed}, computed {check.computed}"
    ratio = f", ratio {check.ratio:.4g}" if check.ratio is not None else ""
    return f"claimed {check.printed}, computed {check.computed:.5g}{ratio}"


def _implied_words(found: Attribution, totals: Mapping[str, ValueCheck]) -> str:
    """Say what the claimed factors would give beside a total that is not claimed, or whose claim holds."""
    names = [c.factor for c in found.contributions if c.factor not in REMAINDERS]
    what = f"the claimed {', '.join(names)}" if names else "the claimed rows"
    gives = "give" if len(names) != 1 else "gives"
    check = totals.get(found.quantity)
    if check is None or found.claimed is None:
        return f"{found.quantity}: not claimed; {what} {gives} {found.given:.5g}, computed {found.computed:.5g}"
    stands = f"{found.quantity}: the claimed {check.printed} holds"
    if abs(found.given - found.claimed) <= (check.tolerance or 0.0):
        return f"{stands}, and {what} {gives} the same ({found.given:.5g}, computed {found.computed:.5g})"
    contradicts = "contradict it: they" if len(names) != 1 else "contradicts it: it"
    return f"{stands}, and {what} {contradicts} would give {found.given:.5g}, computed {found.computed:.5g}"


def _sentences(
    ruling: Ruling,
    totals: Mapping[str, ValueCheck],
    failed: Sequence[ValueCheck],
    products: Sequence[ProductCheck],
    attributions: Sequence[Attribution],
    explanations: dict[str, tuple[str, ...]],
) -> list[str]:
    said = []
    for check in failed:
        if check.quantity == "status":
            alone = len(failed) == 1 and all(p.passed for p in products)
            only = "; every claimed number holds, only the verdict does not" if alone else ""
            said.append(f"verdict: claimed {check.claimed}, computed {check.computed} ({ruling.reason}){only}")
    for given in [a for a in attributions if a.implied]:
        said.append(f"{_implied_words(given, totals)}; {_attribution_words(ruling, given, failed, explanations)}")
    attributed = {a.quantity: a for a in attributions if not a.implied}
    for check in [c for c in failed if c.row is None and c.quantity != "status"]:
        text = f"{check.quantity}: {_beside(check)}"
        if check.quantity in attributed:
            text += f"; {_attribution_words(ruling, attributed[check.quantity], failed, explanations)}"
        if explanations.get(check.where):
            text += f"; {'; '.join(explanations[check.where])}"
        said.append(text)
    alike: dict[tuple[str, tuple[str, ...]], list[ValueCheck]] = {}
    for check in [c for c in failed if c.row is not None]:
        why = explanations.get(check.where, ())
        follows = any(FOLLOWS in w for w in why)  # what follows from one factor is one sentence
        alike.setdefault(("" if follows else check.quantity, why), []).append(check)
    for (_, why), checks in alike.items():
        first, more = checks[0], len(checks) - 1
        what = "row" if len({c.quantity for c in checks}) == 1 else "claim"
        others = f" and {count_of(more, f'more {what}')}" if more else ""
        said.append("; ".join([f"{_label(ruling, first)}{others}: {_beside(first)}", *why]))
    for product in [p for p in products if not p.passed]:
        said.append(
            f"{_label(ruling, product)}: claimed {product.claimed:g}, and the claimed {', '.join(product.factors)} "
            f"give {product.product:.5g} (their digits allow a difference of {product.tolerance:.2g})"
        )
    return said


def _attribution_words(
    ruling: Ruling,
    attribution: Attribution,
    failed: Sequence[ValueCheck],
    explanations: dict[str, tuple[str, ...]],
) -> str:
    if attribution.log_ratio is None:
        return f"not attributed: {attribution.reason}"
    note = [] if attribution.note is None else [attribution.note]
    if attribution.reason is not None:
        effects = ", ".join(_effect(c) for c in attribution.contributions)
        return "; ".join([f"{attribution.reason} ({effects})", *note])
    tons = ruling.load.columns["discharge_tons"]
    parts = []
    for part in attribution.contributions:
        if part.share is None or abs(part.share) < _SHOWN_SHARE:
            continue
        explained = [c for c in failed if c.quantity == part.factor and explanations.get(c.where)]
        heaviest = max(explained, key=lambda c: 0.0 if c.row is None else float(tons[c.row]), default=None)
        why = f": {explanations[heaviest.where][0]}" if heaviest is not None else ""
        if part.factor == NOT_STATED and len(attribution.contributions) == 1:
            parts.append("no factor is claimed that explains it")
        elif part.factor == NOT_STATED:
            parts.append(f"no claimed factor explains {part.share:.0%} of the difference")
        else:
            parts.append(f"{part.factor} explains {part.share:.0%}{why}")
    return "; ".join([*parts, *note])


def _effect(part: Contribution) -> str:
    return f"{part.factor} times {math.exp(part.log_ratio):.3g}"


def _clause(ruling: Ruling, quantity: str) -> str | None:
    if quantity in ("tons_per_acre_per_year", "status") and ruling.clause is not None:
        return ruling.clause
    return ruling.ordinance.clause("percent_reduction" if quantity == "percent_reduction" else "calculation")


def _claim_findings(
    ruling: Ruling,
    claims: Claims,
    failed: Sequence[ValueCheck],
    products: Sequence[ProductCheck],
    explanations: dict[str, tuple[str, ...]],
) -> list[Finding]:
    """One finding for each total that differs, and one for each quantity of the rows."""
    found = []
    by_quantity: dict[str, list[ValueCheck]] = {}
    for check in failed:
        clause = _clause(ruling, check.quantity)
        if check.quantity == "status":
            message = f"the claimed verdict is {check.claimed}, the computed one {check.computed}: {ruling.reason}"
            found.append(Finding("verdict-differs", "warning", message, check.where, clause))
        elif check.row is None:
            why = "; ".join(explanations.get(check.where, ()))
            message = f"{check.quantity} {_beside(check)}{f'; {why}' if why else ''}"
            found.append(Finding("claim-differs", "warning", message, check.where, clause))
        else:
            by_quantity.setdefault(check.quantity, []).append(check)
    for quantity, checks in by_quantity.items():
        worst = max(checks, key=lambda c: abs(c.difference or 0.0) / max(abs(float(c.computed or 0.0)), 1e-300))
        why = "; ".join(explanations.get(worst.where, ()))
        count = f"{len(checks)} claims of {quantity} differ, the most" if len(checks) > 1 else f"{quantity} differs"
        message = f"{count}: {_label(ruling, worst)}, {_beside(worst)}{f'; {why}' if why else ''}"
        found.append(Finding("claim-differs", "warning", message, worst.where, _clause(ruling, quantity)))
    for product in [p for p in products if not p.passed]:
        message = (
            f"{_label(ruling, product)} is claimed as {product.claimed:g}, and its own claimed "
            f"{', '.join(product.factors)} give {product.product:.5g}"
        )
        found.append(Finding("arithmetic-slip", "warning", message, product.where, _clause(ruling, product.quantity)))
    return found + _own_figure(ruling, claims)


def _own_figure(ruling: Ruling, claims: Claims) -> list[Finding]:
    """Say where the claimed verdict contradicts the claimed figure."""
    if claims.tons_per_acre_per_year is None or ruling.limit is None or claims.status not in ("meets", "exceeds"):
        return []
    figure = float(claims.tons_per_acre_per_year)
    own = "exceeds" if figure > ruling.limit * (1.0 + TOLERANCE) else "meets"
    if own == claims.status:
        return []
    message = (
        f"the claimed figure {figure:g} {own} the limit of {ruling.limit:g}, the claimed verdict says {claims.status}"
    )
    return [Finding("verdict-against-own-figure", "warning", message, "claims.status", ruling.clause)]


def _tolerance_findings(set_pct: float | None, stated_pct: float | None, values: Sequence[ValueCheck]) -> list[Finding]:
    found = []
    if set_pct:
        message = (
            f"the reviewer sets a tolerance of {set_pct:g} %; claims that differ by more than their printed digits "
        )
        found.append(Finding("set-tolerance", "note", f"{message}leave pass within it", "claims.tolerance_pct"))
    if stated_pct is not None:
        within = sum(
            v.passed is False and abs(v.difference) <= stated_pct / 100.0 * abs(float(v.computed))
            for v in values
            if v.difference is not None and v.computed is not None
        )
        message = (
            f"the submission asks for a tolerance of {stated_pct:g} %, which is not applied: the reviewer sets it "
            f"(--tolerance); {count_of(within, 'claim that differs lies', 'claims that differ lie')} within it"
        )
        found.append(Finding("stated-tolerance", "warning", message, "claims.tolerance_pct"))
    return found
