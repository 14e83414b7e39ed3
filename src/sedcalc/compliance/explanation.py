"""Draft facts for the written explanation that a code asks for where its limit cannot be met.

The calculation knows what the site, its practices and the measures bring; cost, safety and what is worth protecting
are for the responsible party to state.
"""

from dataclasses import dataclass

import numpy as np

from sedcalc.compliance.measures import Measures
from sedcalc.compliance.ordinance import Ordinance
from sedcalc.findings import count_of
from sedcalc.load.load_table import SedimentLoad
from sedcalc.units import area_text

_MOST_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact for the explanation.

    Parameters
    ----------
    topic
        ``figure``, ``source of the load``, ``practices in the plan``, ``measures``, ``explanation``, or one of the
        things that the code wants taken into account, in its words.
    text
        The fact; for what the calculation does not know, who has to state it.
    known
        Whether the calculation gives it.
    """

    topic: str
    text: str
    known: bool


def explanation_facts(load: SedimentLoad, ordinance: Ordinance, figure: float, found: Measures) -> tuple[Fact, ...]:
    """Return draft facts for the explanation.

    Parameters
    ----------
    load
        The calculation.
    ordinance
        The code, with a limit.
    figure
        The governing figure, tons/(acre yr).
    found
        What would bring the site under the limit.
    """
    standard = ordinance.standard
    assert standard is not None
    limit = standard.limit
    facts = [
        Fact(
            "figure",
            f"{figure:.2f} tons/acre/year exceed {limit:g} by {figure - limit:.2f}; the load must fall by "
            f"{1.0 - limit / figure:.1%}",
            True,
        ),
        Fact("source of the load", _sources(load), True),
        Fact("practices in the plan", _in_plan(load), True),
        Fact("measures", _measures(found, limit), True),
    ]
    known = {"technology": _technology(found), "geographic_features": _ground(load)}
    for factor in ordinance.mep_factors:
        text = known.get(factor.id)
        facts.append(Fact(factor.text, text or "for the responsible party to state", text is not None))
    explained = load.site.project.explanation is not None
    facts.append(Fact("explanation", "submitted" if explained else "not submitted (project.explanation)", True))
    return tuple(facts)


def _sources(load: SedimentLoad) -> str:
    """Return which phases on which ground bring most of the discharge of the project."""
    columns, tons = load.columns, dict[tuple[str, str], float]()
    names = ("phase", "unit", "counted", "discharge_tons")
    for phase, unit, counted, discharge in zip(*(columns[n] for n in names), strict=True):
        if counted:
            tons[phase, unit] = tons.get((phase, unit), 0.0) + discharge
    total = load.totals.discharged
    most = sorted(tons.items(), key=lambda item: -item[1])[:_MOST_SOURCES]
    said = [f"{phase!r} on {unit!r} {part / total:.0%}" for (phase, unit), part in most]
    return f"{total:.2f} tons over the project, most of them from {', '.join(said)}"


def _in_plan(load: SedimentLoad) -> str:
    credits = zip(load.site.practices, load.network.credits, strict=True)
    said = [f"{p.id!r} {c.efficiency:.0%} ({c.method})" for p, c in credits]
    return ", ".join(said) or "none"


def _measures(found: Measures, limit: float) -> str:
    alone = sum(m.suffices for m in found.one_at_a_time)
    meet = count_of(alone, "meets", "meet") if alone else "none meets"
    by = "by themselves" if alone > 1 else "by itself"
    number = count_of(len(found.one_at_a_time), "practice or cover", "practices and covers")
    said = f"of {number} of the tables {meet} {limit:g} {by}"
    if found.fewest is None:
        return f"{said}; all of them together reach {found.fewest_tons_per_acre_per_year:.2f} tons/acre/year"
    sets = ", ".join(f"{m.name} ({m.place!r}: {m.size})" for m in found.fewest)
    return f"{said}; {found.of_fewest}: {sets}: {found.fewest_tons_per_acre_per_year:.2f} tons/acre/year"


def _technology(found: Measures) -> str | None:
    practices = [m for m in found.one_at_a_time if m.kind == "practice"]
    best = max(practices, key=lambda m: m.value, default=None)
    if best is None:
        return None
    return f"the most effective practice of the tables that the plan lacks is {best.name!r}, {best.value:.0%}"


def _ground(load: SedimentLoad) -> str:
    pieces, rows = load.ground.pieces, load.ground.rows
    disturbed = np.array([load.schedule.disturbed[u] is not None for u in pieces.unit])
    k, ls = pieces.K[disturbed], rows.LS[disturbed[rows.piece]]
    acres = area_text(float(pieces.acres[disturbed].sum()))
    return f"{acres} acres are disturbed, with K {k.min():.2f} to {k.max():.2f} and LS {ls.min():.2f} to {ls.max():.2f}"
