"""How a ruling shows itself in a notebook: the verdict, its numbers, and what a reviewer must know."""

from typing import TYPE_CHECKING, Final

from sedcalc.findings import count_of
from sedcalc.load.notebook import escaped, phases_html, table_html, windows_html

if TYPE_CHECKING:
    from sedcalc.compliance.ruling import Ruling

# Sign, colour of the bar: the word says it without them.
_LOOKS: Final = {
    "meets": ("✓", "#0072B2"),
    "exceeds": ("✗", "#D55E00"),
    "cannot_be_determined": ("?", "#777777"),
    "not_applicable": ("–", "#777777"),
}
_MOST_FINDINGS: Final = 5


def ruling_html(ruling: "Ruling") -> str:
    """Return a ruling as HTML.

    Parameters
    ----------
    ruling
        The ruling.
    """
    sign, color = _LOOKS[ruling.status]
    clause = f" [{escaped(ruling.clause)}]" if ruling.clause else ""
    verdict = (
        f'<div style="border-left:6px solid {color};padding:2px 10px;margin:4px 0">'
        f"<b>{sign} {ruling.status.replace('_', ' ')}</b>{clause}<br>{escaped(ruling.reason)}</div>"
    )
    heading, row = [], []
    for name, value, text in (
        ("tons/acre/year", ruling.tons_per_acre_per_year, "{:.2f}"),
        ("limit", ruling.limit, "{:g}"),
        ("margin", ruling.margin, "{:+.2f}"),
        ("percent reduction", ruling.percent_reduction, "{:.1f}"),
        ("disturbed acres", ruling.disturbed_acres, "{:.2f}"),
    ):
        heading.append(name)
        row.append("–" if value is None else text.format(value))
    parts = [table_html(heading, [row]), windows_html(ruling.load), phases_html(ruling.load), _findings(ruling)]
    return f"<div><b>{escaped(ruling.load.site.project.name)}</b>{verdict}{''.join(parts)}</div>"


def _findings(ruling: "Ruling") -> str:
    """List the errors and warnings, and count the notes."""
    said = [f for f in ruling.findings if f.severity != "note"]
    notes = len(ruling.findings) - len(said)
    items = "".join(f"<li>{escaped(f.severity)}: {escaped(str(f))}</li>" for f in said[:_MOST_FINDINGS])
    more = [count_of(len(said) - _MOST_FINDINGS, "more warning")] if len(said) > _MOST_FINDINGS else []
    more += [count_of(notes, "note")] if notes else []
    rest = f"<li>{' and '.join(more)} in <code>.findings</code></li>" if more else ""
    return f"<ul>{items}{rest}</ul>" if items or rest else ""
