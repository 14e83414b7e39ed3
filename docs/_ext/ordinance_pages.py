"""Pages of the ordinances: numbers, whom they cover, and what they ask of a plan, each with its clause."""

from collections.abc import Sequence
from typing import Final

from pages import WIDE, escaped, grid, toctree

from sedcalc.compliance.ordinance import Ordinance, OrdinanceNumber, PlanItem, Provision, load_ordinance
from sedcalc.tables import ordinance_names

_FIGURES: Final = {"worst_12_months": "the worst 12 consecutive months", "average_year": "the average year"}
_SCOPES: Final = {"each_drainage_area": "every drainage area by itself", "site": "the site as a whole"}
_INTRO: Final = """\
An ordinance is a data file: its numbers, clauses, exemptions and plan items stand there once, and no line of the
program knows them. These pages are printed from the files.
[How to add a code](../howto/developer.md#another-ordinance)."""


def ordinances_index() -> str:
    """Return the list of the ordinances."""
    text = f"# Ordinances and clauses\n\n{_INTRO}\n\n"
    for name in ordinance_names():
        code = load_ordinance(name)
        text += f"- [{escaped(code.title)}](ordinances/{name}.md), {escaped(code.place)}: `{name}`\n"
    return text + toctree(f"ordinances/{name}" for name in ordinance_names())


def ordinance_page(code: Ordinance) -> str:
    """Return the page of an ordinance."""
    text = f"{WIDE}# {code.title}\n\n{escaped(code.place)}. Text read: {escaped(code.text_source)}.\n\n"
    text += f"Name for a site file: `{code.id}`. SHA-256 of the file: `{code.sha256[:16]}…`. "
    text += f"The official text governs.\n\n## The standard\n\n{_standard(code)}\n"
    words = ["clause", "words of the code"]
    text += "## Numbers\n\n" + grid(["number", "what", *words], map(_number, code.numbers.values())) + "\n"
    if code.dates:
        lines = (
            (escaped(d.id.replace("_", " ")), f"{d.month:02}-{d.day:02}", escaped(d.clause), escaped(d.text))
            for d in code.dates.values()
        )
        text += "## Days of the year\n\n" + grid(["day", "date", *words], lines) + "\n"
    text += "## Whom it covers\n\n" + _provisions(code.applicability)
    text += "\n## Whom it exempts\n\n" + _provisions(code.exemptions)
    if code.mep_factors:
        text += "\n## Maximum extent practicable\n\nTo be taken into account:\n\n"
        text += "".join(f"- {escaped(f.text)}\n" for f in code.mep_factors)
    text += "\n## What a plan must hold\n\n" + grid([*words, "answered by"], map(_item, code.plan_items))
    below = code.clauses_below_area
    cited = ((escaped(k.replace("_", " ")), escaped(v), escaped(below.get(k, ""))) for k, v in code.clauses.items())
    text += "\n## Clauses that findings cite\n\n"
    text += grid(["check", "clause", "under the standard's area, where it differs"], cited)
    text += "\n## How the text is read\n\n"
    return text + "".join(f"- **{escaped(n.clause)}**: {escaped(n.text)}\n" for n in code.notes)


def _standard(code: Ordinance) -> str:
    s = code.standard
    if s is None:
        assert code.no_standard is not None
        reason, clause = escaped(code.no_standard.reason), escaped(code.no_standard.clause)
        return f"No number: {reason} ({clause}). A ruling is *not applicable*.\n"
    text = f"**{s.limit:g} {s.unit}** ({escaped(s.clause)}), from {s.applies_from_acres:g} acre of the common plan "
    text += f"({escaped(s.applies_clause)}).\n\n> {escaped(s.text)}\n\n"
    return text + f"Read here as: {_FIGURES[s.figure]}, and {_SCOPES[s.scope]} must meet it.\n"


def _number(n: OrdinanceNumber) -> tuple[str, ...]:
    role = "applies" if n.role == "applies" else "asks for"
    what = f"{role} {escaped(n.comparison)} {n.value:g} {escaped(n.unit)}"
    return n.id.replace("_", " "), what, escaped(n.clause), escaped(n.text)


def _provisions(provisions: Sequence[Provision]) -> str:
    lines = ((escaped(p.clause), escaped(p.text), f"the {p.decided_by}") for p in provisions)
    return grid(["clause", "words of the code", "stated by"], lines)


def _item(item: PlanItem) -> tuple[str, ...]:
    return escaped(item.clause), escaped(item.text), escaped((item.answered_by or "the applicant").replace("_", " "))
