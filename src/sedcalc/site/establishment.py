"""Covers that establish after sowing: C day by day, and what growth before spring may not count.

Until the day of sowing the seedbed's C holds, from the day of establishment on the established cover's; between them C
runs along a stated course. What is sown from Oct 15 to Apr 15 does not grow before Apr 15 (a convention of this
package, after the growing season of Wisconsin): its course starts then, unless a source says otherwise.
"""

import datetime
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors.cover import C_UPPER_LIMIT, establishing_slr, weighted_c
from sedcalc.factors.erosivity import daily_ei
from sedcalc.findings import Finding, InputError
from sedcalc.site.covers import FactorValue, cover_value
from sedcalc.site.schedule import Schedule, Span
from sedcalc.site.submission import Cover, Establishment

WINTER_FROM = (10, 15)
"""First day of the year (month, day) on which sowing earns no credit before spring."""

WINTER_TO = (4, 15)
"""Day (month, day) from which growth counts of what was sown since `WINTER_FROM`; the last such sowing day."""


def growth_begins(establishes: Establishment) -> datetime.date:
    """Return the last day at the C of the seedbed.

    Parameters
    ----------
    establishes
        With its dates.
    """
    sown = establishes.sown
    day = (sown.month, sown.day)
    if establishes.winter_credit_source is not None or WINTER_TO < day < WINTER_FROM:
        return sown
    return datetime.date(sown.year + 1 if day >= WINTER_FROM else sown.year, *WINTER_TO)


def established_cover(establishes: Establishment) -> Cover:
    """Return the cover that has grown in."""
    return Cover(name=establishes.name, C=establishes.C, source=establishes.source)


def daily_c(cover: Cover, where: str, first: datetime.date, last: datetime.date) -> NDArray[np.float64]:
    """Return C on each day of a period.

    Parameters
    ----------
    cover
        A cover that establishes, without mistakes (`establishment_findings`).
    where
        Its path in the site file.
    first, last
        First and last day, both inclusive.
    """
    establishes = cover.establishes
    assert establishes is not None
    before, after = _values(cover, establishes, where)
    days = np.arange(first.toordinal(), last.toordinal() + 1, dtype=np.float64)
    return np.asarray(
        establishing_slr(
            days,
            float(growth_begins(establishes).toordinal()),
            float(establishes.established.toordinal()),
            before.value,
            after.value,
            shape=establishes.shape,
            steepness=establishes.steepness,
        )
    )


def with_establishment(plan: Schedule, cumulative_pct: tuple[float, ...]) -> Schedule:
    """Return the schedule with C of each span whose cover establishes, and its course over the days.

    Parameters
    ----------
    plan
        A schedule of a checked site.
    cumulative_pct
        Cumulative percent of annual EI at the 25 table dates, by which C is weighted.
    """
    if all(s.cover.establishes is None for s in plan.spans):
        return plan
    return replace(plan, spans=tuple(_evaluated(span, cumulative_pct) for span in plan.spans))


def _evaluated(span: Span, cumulative_pct: tuple[float, ...]) -> Span:
    establishes = span.cover.establishes
    if establishes is None:
        return span
    if span.end <= growth_begins(establishes):
        return replace(span, cover=span.cover.model_copy(update={"establishes": None}))
    if span.start >= establishes.established:
        return replace(span, cover=established_cover(establishes))
    c = daily_c(span.cover, span.cover_path, span.start, span.end)
    ei = daily_ei(span.start, span.end, cumulative_pct)
    mean = float(weighted_c(ei, c)) if ei.any() else float(c[0])
    before, after = _values(span.cover, establishes, span.cover_path)
    source = (
        f"{before.source} to {growth_begins(establishes)}, {after.source} from {establishes.established}, "
        f"{establishes.shape} between them, weighted by erosivity"
    )
    # days without erosivity weigh nothing, and their C may be any multiple of a mean that leaves them out
    course = tuple((np.where(ei > 0.0, c, 0.0) / mean).tolist()) if mean > 0.0 else None
    seedbed = span.cover.model_copy(update={"establishes": None})
    return replace(
        span,
        cover=Cover(C=mean, source=source, mat=span.cover.mat),
        course=course,
        laid=(seedbed, established_cover(establishes)),
    )


def establishment_findings(cover: Cover, where: str) -> list[Finding]:
    """Return what is wrong with how a cover establishes, and what a reviewer must know of it.

    Parameters
    ----------
    cover
        A cover that establishes, possibly with fields that did not parse (None).
    where
        Its path in the site file.
    """
    establishes = cover.establishes
    assert establishes is not None
    path = f"{where}.establishes"
    found = _mistakes(cover, establishes, where, path)
    sown, established = establishes.sown, establishes.established
    if sown is None or established is None:
        return found
    if established <= sown:
        message = f"established on {established}, not after it was sown on {sown}; correct one of them"
        return [*found, Finding("end-before-start", "error", message, f"{path}.established")]
    begins = growth_begins(establishes)
    if begins == sown:
        return found
    why = f"what is sown on {sown}, from Oct 15 to Apr 15, earns no credit before {begins}"
    if established <= begins:
        message = f"{why}; establish it after that day, or give winter_credit_source"
        return [*found, Finding("established-in-winter", "error", message, f"{path}.established")]
    return [*found, Finding("sown-in-winter", "warning", f"{why}: its cover grows in from then on", f"{path}.sown")]


def _mistakes(cover: Cover, establishes: Establishment, where: str, path: str) -> list[Finding]:
    found = []
    if (establishes.name is None) == (establishes.C is None):
        said = "name and C are given together" if establishes.name is not None else "nothing gives the cover"
        message = f"{said}; give what grows in exactly one of name and C (with source)"
        found.append(Finding("one-way-only", "error", message, path))
    if establishes.C is not None and establishes.source is None:
        found.append(Finding("missing-source", "error", "C is given without a source; add source", path))
    if cover.name is None and cover.C is None:
        message = "a cover that establishes starts from a seedbed with one C: give name, or C with source"
        found.append(Finding("one-way-only", "error", message, where))
    if cover.C is not None and cover.C > C_UPPER_LIMIT:
        message = f"C = {cover.C:g} of the seedbed is over {C_UPPER_LIMIT:g}; correct it"
        found.append(Finding("out-of-range", "error", message, f"{where}.C"))
    logistic = establishes.shape == "logistic"
    for name in ("steepness", "steepness_source"):
        if logistic and getattr(establishes, name) is None:
            found.append(
                Finding(
                    "missing-field",
                    "error",
                    f"a logistic course needs {name}, which has no default; add it",
                    f"{path}.{name}",
                )
            )
        if not logistic and getattr(establishes, name) is not None:
            found.append(
                Finding(
                    "unused-field",
                    "error",
                    f'{name} goes with the logistic course; remove it, or add shape = "logistic"',
                    f"{path}.{name}",
                )
            )
    if establishes.name is not None:
        try:
            value = cover_value(established_cover(establishes), f"{path}.name")
        except InputError as error:
            return [*found, *error.findings]
        if value is not None and value.status == "recalled":
            message = f"C = {value.value:g} is recalled from {value.source} and was not confirmed in a copy of it"
            found.append(Finding("recalled-value", "warning", message, f"{path}.name"))
    return found


def _values(cover: Cover, establishes: Establishment, where: str) -> tuple[FactorValue, FactorValue]:
    before = cover_value(cover, where)
    after = cover_value(established_cover(establishes), f"{where}.establishes")
    assert before is not None
    assert after is not None
    return before, after
