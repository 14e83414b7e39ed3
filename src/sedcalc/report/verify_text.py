"""A verification, and a replay, as text for a terminal."""

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from sedcalc.compliance.verification import Verification
from sedcalc.findings import count_of
from sedcalc.report.record import Replay
from sedcalc.report.text import plain
from sedcalc.units import area_text

_MOST_SENTENCES = 40
_STYLES = {
    "verified": "bold green",
    "reproduced": "bold green",
    "not_verified": "bold red",
    "differs": "bold red",
}


def verify_report(result: Verification) -> Group:
    """Return the report of a verification: status, what differs and why, the computed ruling, findings.

    Parameters
    ----------
    result
        From `sedcalc.verify`.
    """
    ruling = result.ruling
    parts: list[RenderableType] = [
        Text(plain(ruling.load.site.project.name), style="bold"),
        _status(result.status, result.reason),
    ]
    if result.sentences:
        parts.append(Rule("What differs, and why", align="left", style="dim"))
        parts += [Text(plain(f"- {s}")) for s in result.sentences[:_MOST_SENTENCES]]
        if len(result.sentences) > _MOST_SENTENCES:
            parts.append(Text(f"- and {len(result.sentences) - _MOST_SENTENCES} more; --json lists all"))
    parts.append(Rule("Computed", align="left", style="dim"))
    clause = f" [{ruling.clause}]" if ruling.clause else ""
    parts.append(Text(plain(f"{ruling.status.replace('_', ' ')}: {ruling.reason}{clause}")))
    reduction = "undefined" if ruling.percent_reduction is None else f"{ruling.percent_reduction:.1f} %"
    parts.append(Text(f"percent reduction {reduction}, {area_text(ruling.disturbed_acres)} acres disturbed"))
    shown = [f for f in result.findings if f.code not in ("claim-differs", "verdict-differs", "arithmetic-slip")]
    if shown:
        parts.append(Rule("Findings", align="left", style="dim"))
        parts += [Text(plain(f"{f.severity}: {f}")) for f in shown]
    parts.append(
        Text("What gives a claimed value is searched among plausible inputs; it does not prove what was done.", "dim")
    )
    return Group(*parts)


def replay_report(result: Replay) -> Group:
    """Return the report of a replay: status, numbers compared, what differs.

    Parameters
    ----------
    result
        From `sedcalc.report.record.replay`.
    """
    said = f"{count_of(result.compared, 'number')} compared, hashes compared exactly"
    if result.unchecked:
        said += f"; not checked: {', '.join(str(f.where) for f in result.unchecked)}"
    return Group(_status(result.status, said), *(Text(plain(f"{f.severity}: {f}")) for f in result.findings))


def _status(status: str, reason: str) -> Text:
    text = Text(status.replace("_", " "), style=_STYLES.get(status, "bold yellow"))
    return text.append(plain(f": {reason}"), style="default")
