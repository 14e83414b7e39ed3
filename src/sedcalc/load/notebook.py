"""How a load shows itself in a notebook: a few numbers and two small tables, every text escaped."""

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sedcalc.units import area_text

if TYPE_CHECKING:
    from sedcalc.load.load_table import SedimentLoad

_MOST_ROWS: Final = 12
_CELL: Final = "padding:2px 10px;text-align:"


def load_html(load: "SedimentLoad") -> str:
    """Return a load as HTML: totals, worst 12 months by drainage area, discharge by phase.

    Parameters
    ----------
    load
        The load.
    """
    totals = load.totals
    reduction = "undefined" if totals.percent_reduction is None else f"{totals.percent_reduction:.1f} %"
    said = (
        f"{totals.eroded:,.1f} tons eroded, {sum(totals.trapped.values()):,.1f} trapped, "
        f"{totals.discharged:,.1f} discharged; {area_text(totals.disturbed_acres)} acres disturbed; "
        f"reduction {reduction}"
    )
    title = f"<b>Sediment load of {escaped(load.site.project.name)}</b><br>{said}"
    return f"<div>{title}{windows_html(load)}{phases_html(load)}</div>"


def windows_html(load: "SedimentLoad") -> str:
    """Return the worst 12 months of each drainage area and the site as an HTML table.

    Parameters
    ----------
    load
        The load.
    """
    windows, rows = load.windows, []
    for column, area in enumerate(windows.area):
        row = int(windows.worst[column])
        if row >= 0:
            days = f"{windows.start[row]} to {windows.end[row]}"
            figures = (windows.tons[row, column], windows.acres[row, column], windows.tons_per_acre[row, column])
            rows.append(("whole site" if area is None else area, days, *(f"{v:,.2f}" for v in figures)))
    span = "whole project" if windows.whole_project else "worst 12 months"
    return table_html(("drainage area", span, "tons", "acres", "tons/acre"), rows)


def phases_html(load: "SedimentLoad") -> str:
    """Return soil loss and discharge by phase as an HTML table.

    Parameters
    ----------
    load
        The load.
    """
    sums: dict[str, list[Any]] = {}
    names = ("phase", "counted", "start", "end", "soil_loss_tons", "discharge_tons")
    for phase, counted, start, end, loss, discharge in zip(*(load.columns[n] for n in names), strict=True):
        if counted:
            own = sums.setdefault(phase, [start, end, 0.0, 0.0])
            own[0], own[1] = min(own[0], start), max(own[1], end)
            own[2] += loss
            own[3] += discharge
    rows = [(p, str(v[0]), str(v[1]), f"{v[2]:,.2f}", f"{v[3]:,.2f}") for p, v in sums.items()]
    rows.sort(key=lambda row: row[1:3])
    return table_html(("phase", "from", "to", "soil loss, tons", "discharge, tons"), rows)


def table_html(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table; columns of numbers stand at the right, rows beyond the first dozen are counted.

    Parameters
    ----------
    heading
        Texts of the heading.
    rows
        Texts of the cells.
    """
    numeric = [bool(rows) and all(_is_number(row[k]) for row in rows) for k in range(len(heading))]
    sides = ["right" if n else "left" for n in numeric]

    def line(tag: str, cells: Sequence[str]) -> str:
        inside = (
            f'<{tag} style="{_CELL}{side}">{escaped(cell)}</{tag}>' for side, cell in zip(sides, cells, strict=True)
        )
        return f"<tr>{''.join(inside)}</tr>"

    body = "".join(line("td", row) for row in rows[:_MOST_ROWS])
    if len(rows) > _MOST_ROWS:
        more = f"{len(rows) - _MOST_ROWS} more"
        body += f'<tr><td colspan="{len(heading)}" style="{_CELL}left">{more}</td></tr>'
    return f"<table><thead>{line('th', heading)}</thead><tbody>{body}</tbody></table>"


def escaped(text: str) -> str:
    """Return a text as HTML shows it.

    Parameters
    ----------
    text
        Any text of a site or result.
    """
    return html.escape(text, quote=True)


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).lstrip("-").isdigit()
