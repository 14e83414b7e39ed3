"""The sheet's sections for a reviewer: findings, what the code asks, certainty, limits, references, provenance."""

import re

from sedcalc.compliance.ordinance import TOLERANCE
from sedcalc.findings import Finding
from sedcalc.report.sheet_blocks import (
    DASH,
    Block,
    Column,
    Facts,
    Group,
    Listing,
    Look,
    Muted,
    Paragraph,
    Row,
    Strong,
    Table,
    Words,
    as_sentence,
    number,
)
from sedcalc.report.sheet_draft import CHESAPEAKE, HIGHWAY_SITE, Draft

_STATES = {
    "in_submission": "answered",
    "stated": "stated by applicant",
    "missing": "left to the applicant",
    "not_asked": "not asked",
}
_RESULTS = {
    "applies": "applies",
    "does_not_apply": "does not apply",
    "question_for_reviewer": "for the reviewer",
    "not_stated": "not stated",
}
_PARTS = {
    "contents": "Contents of the plan",
    "map": "Site map",
    "controls": "Description of controls",
    "outfalls": "Outfalls",
    "practices": "Practices",
    "preventative measures": "Preventative measures",
    "location": "Location of practices",
}


def finding_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the findings by clause.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    found = draft.ruling.findings
    if not found:
        return (Paragraph(("There are no findings.",)),)
    clauses = sorted({f.clause for f in found if f.clause is not None}, key=_in_order)
    groups = [Group((clause,), tuple(_finding(f) for f in found if f.clause == clause)) for clause in clauses]
    others = tuple(_finding(f) for f in found if f.clause is None)
    if others:
        groups.append(Group(("Of the calculation and its input",), others))
    columns = (Column("Kind", weight=0.7), Column("Finding", weight=6), Column("Where", weight=2))
    note: Words = ("Warning: a reviewer looks at it before relying on the number. Note: said for the record.",)
    return (Table("findings", ("Findings by clause",), columns, tuple(groups), note),)


def _in_order(clause: str) -> list[tuple[int, str]]:
    """Sort clauses as the code counts: 6.4 before 6.10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", clause)]


def _finding(finding: Finding) -> Row:
    kind: Words = (Strong("warning"),) if finding.severity == "warning" else (finding.severity,)
    where = finding.where or ""
    message = as_sentence(finding.message).rstrip(".") + "."
    return Row((kind, (message,), (Muted(where),)))


def plan_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return what the code asks of a plan, and where each item is answered.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    checks = draft.ruling.checks
    blocks: list[Block] = []
    applicability = checks.applicability
    rows = tuple(
        Row(((p.clause,), (_RESULTS[p.result],), (p.reason,)))
        for p in (*applicability.provisions, *(e for e in applicability.exemptions if e.reason != "not claimed"))
    )
    if rows:
        columns = (Column("Clause", weight=1.1), Column("Result", weight=1.1), Column("Why", weight=4))
        blocks.append(Table("applicability", ("Whether the code applies",), columns, (Group((), rows),)))
    if checks.deadlines:
        blocks.append(_deadlines(draft))
    if not checks.plan_items:
        blocks.append(Paragraph(("The code’s file lists no items that a plan must hold.",)))
        return tuple(blocks)
    answers = [item.answered_by for item in draft.ruling.ordinance.plan_items]
    groups: dict[str, list[Row]] = {}
    for check, answered_by in zip(checks.plan_items, answers, strict=True):
        by: Words = (_STATES[check.state],)
        where = _where(draft, answered_by) if check.state == "in_submission" else None
        if check.by and check.state != "stated":
            by += (Muted(f"  {check.by}"),)
        if where is not None:
            by += (f"  See {where}.",)
        look: Look = "muted" if check.state == "not_asked" else "plain"
        groups.setdefault(check.part, []).append(Row(((check.id,), (check.text,), by, ()), look))
    made = tuple(Group((_PARTS.get(part, part),), tuple(own)) for part, own in groups.items())
    asked = (
        Column("Clause", weight=1.25), Column("What the code asks", weight=4.2),
        Column("Where it is answered", weight=2.4), Column("Reviewer", weight=0.75),
    )  # fmt: skip
    note: Words = (
        "Answered: in the submission or in this sheet. Left to the applicant: neither in the submission nor stated in "
        "it to be in the plan. Whether what is there is good enough is the reviewer’s to judge.",
    )
    blocks.append(Table("plan", ("Items of the plan",), asked, made, note))
    return tuple(blocks)


def _where(draft: Draft, answered_by: str | None) -> str | None:
    inputs = draft.numbers["arguments"]
    found = {
        "applicant": "the first page",
        "areas": f"section {inputs}.3",
        "schedule": f"section {inputs}.4 and {draft.section('practices')}",
        "calculation": draft.section("load"),
        "percent_reduction": draft.section("reduction"),
    }
    return found.get(answered_by or "")


def _deadlines(draft: Draft) -> Table:
    rows = tuple(
        Row(((d.clause,), (d.what,), (str(d.due),), (d.rule,), (str(d.counted_from or DASH),)))
        for d in draft.ruling.checks.deadlines
    )
    columns = (
        Column("Clause", weight=1.2), Column("What", weight=1.5), Column("Due"), Column("Rule", weight=2.5),
        Column("Counted from"),
    )  # fmt: skip
    return Table("deadlines", ("What is due when",), columns, (Group((), rows),))


def certainty_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return how sure the figure is: measured evidence, and the ruling over the stated range of R.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    clause = draft.ruling.ordinance.clause("calculation")
    asked = f", as the code asks for it ({clause})" if clause else ""
    blocks: list[Block] = [
        Paragraph(
            (f"This is a design calculation{asked}. It is not a forecast of what will leave the site in any one year.",)
        ),
        Paragraph(
            (
                "Against measured storms on a highway construction site in Pennsylvania, sediment discharge by the "
                "Universal Soil Loss Equation had a standard error of about 105 % and a correlation of 0.79",
                draft.ref(HIGHWAY_SITE),
                ". In 78 catchments of the Chesapeake Bay the equation with watershed delivery ratios overpredicted by "
                "more than 100 % and did not rank the catchments",
                draft.ref(CHESAPEAKE),
                ".",
            )
        ),
    ]
    figure, limit = draft.ruling.tons_per_acre_per_year, draft.limit
    erosivity = draft.load.erosivity
    if figure is None:
        return (*blocks, Paragraph(("There is no governing figure whose range could be shown.",)))
    if erosivity.R is not None and erosivity.R_low is not None and erosivity.R_high is not None:
        low, high = (figure * r / erosivity.R for r in (erosivity.R_low, erosivity.R_high))
        blocks.append(
            Paragraph(
                (
                    "Over the stated range of R, ", draft.number("erosivity.R_low", 1), " to ",
                    draft.number("erosivity.R_high", 1), ", the figure runs from ", number(low, 2), " to ",
                    number(high, 2), f" tons per acre and year: {_ruled(low, high, limit)}.",
                )
            )
        )  # fmt: skip
    else:
        blocks.append(Paragraph(("No range is stated for R.",)))
    blocks += _ranges(draft, limit)
    if limit is not None and figure > 0.0:
        factor = limit / figure
        said = "would reach" if factor >= 1.0 else "would come down to"
        blocks.append(
            Paragraph(
                (
                    "The figure is proportional to R, K, LS, C and P of the ground, and to the share of sediment that "
                    f"passes the practices. It {said} the limit if any one of these were ",
                    number(factor, 3),
                    " times what it is here on all ground, the others unchanged.",
                )
            )
        )
    return tuple(blocks)


def _ruled(low: float, high: float, limit: float | None) -> str:
    if limit is None:
        return "no limit applies"
    over = [value > limit * (1.0 + TOLERANCE) for value in (low, high)]
    if any(over) and not all(over):
        return "the limit is met at one end and exceeded at the other"
    return "exceeds throughout" if all(over) else "meets throughout"


def _ranges(draft: Draft, limit: float | None) -> list[Block]:
    """Return the governing figure over the range of each factor, all others held."""
    from sedcalc.report import charts

    found = charts.sensitivity.columns(draft.ruling)
    rows = tuple(
        Row(
            (
                (Strong(factor), f"  {span}"),
                (basis,),
                (number(low, 2),),
                (number(high, 2),),
                (_ruled(low, high, limit),),
            )
        )
        for factor, span, low, high, basis in zip(
            *(found[n] for n in ("factor", "range", "lowest", "highest", "basis")), strict=True
        )
    )
    if not rows:
        return []
    columns = (
        Column("Factor and range", weight=2), Column("What the range rests on", weight=3), Column("Lowest", "t/ac"),
        Column("Highest", "t/ac"), Column("Ruling over it", weight=1.6),
    )  # fmt: skip
    caption: Words = ("The governing figure over the range of each factor, all others held",)
    return [Table("range", caption, columns, (Group((), rows),))]


def limitation_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return what the calculation leaves out, and the conventions it rests on.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    out: tuple[Words, ...] = (
        (
            "Left out: erosion in gullies, channels and by concentrated flow; wind; soil tracked off the site by "
            "vehicles; dewatering; snowmelt, thaw and frozen ground.",
        ),
        (
            "The equation is for sheet and rill erosion on slopes up to 1,000 ft long; over 400 ft flow usually "
            "concentrates.",
        ),
        (
            f"Slopes over 3H:1V (33.34 %) lie outside the soil-loss method{draft.code('soil_loss_method')}: where "
            "there are any, a finding says so and how many acres.",
        ),
        ("The hydraulic and structural design of practices is not checked here.",),
    )
    said: tuple[Words, ...] = (
        (
            "Load counts from the first disturbance of a ground unit, clearing included, to the site’s final "
            f"stabilization{draft.code('final_stabilization')}. Between its phases a unit keeps its last cover and "
            "never returns to undisturbed.",
        ),
        ("Days are whole: a phase runs from the start of its first to the end of its last day.",),
        (
            "Worst 12 months: the 12 consecutive months with the largest discharge per acre; the acres are those of "
            "the units between first disturbance and own stabilization in these months. A project under 12 months "
            "is one window, not scaled up.",
        ),
        ("Numbers are carried unrounded; what is printed is rounded. 1 ton is 2,000 lb; 1 acre is 43,560 ft².",),
    )
    return (Listing(out), Paragraph((Strong("Conventions of the calculation."),)), Listing(said))


def reference_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the references in the order of their first mark.

    Parameters
    ----------
    draft
        The sheet in the making; all other sections are written.
    """
    rows = tuple(Row(((f"[{ref.number}]",), (source,))) for source, ref in draft.references.items())
    columns = (Column("No."), Column("Source, as the table or the applicant gives it", weight=1))
    return (Table("references", ("Sources by number",), columns, (Group((), rows),)),)


def provenance_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return what the numbers were computed from and with.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    provenance = draft.run["provenance"]
    ordinance = draft.ruling.ordinance
    pairs: tuple[tuple[str, Words], ...] = (
        ("Program", (f"sedcalc {provenance['version']}",)),
        ("Format of the results", (draft.run["format"],)),
        ("Ordinance file", (ordinance.id,)),
        ("Text that was read", (ordinance.text_source,)),
    )
    groups = [
        Group(("Site",), (_hash("content of the site, whatever the format of its file", provenance["site_sha256"]),)),
        Group(("Ordinance",), (_hash(ordinance.id, provenance["ordinance_sha256"]),)),
    ]
    for title, key in (("Files", "files"), ("Reference tables", "tables")):
        if provenance[key]:
            groups.append(Group((title,), tuple(_hash(n, h) for n, h in provenance[key].items())))
    columns = (Column("Name", weight=1.2), Column("SHA-256", weight=3))
    note: Words = (
        "Equal input gives equal numbers. The PDF carries the run’s JSON as an attachment, the HTML as a data block: "
        "every number of this sheet stands there with all its digits.",
    )
    return Facts(pairs), Table("hashes", ("What the numbers were computed from",), columns, tuple(groups), note)


def _hash(name: str, value: str) -> Row:
    return Row(((name,), (Muted(value),)))
