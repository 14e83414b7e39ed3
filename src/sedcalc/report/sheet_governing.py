"""What makes up the governing figure: the part of each row that falls into the governing window."""

import datetime
from dataclasses import dataclass

import numpy as np

from sedcalc.compliance.ruling import Governing
from sedcalc.factors.erosivity import daily_ei
from sedcalc.load.ground import Floats
from sedcalc.load.load_table import SedimentLoad


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a row discharges in a window.

    Parameters
    ----------
    row
        Its place in the load table, from 0.
    start, end
        Its first and last day in the window.
    ei_fraction
        Share of the annual erosivity of these days.
    tons
        Discharge on these days, short tons.
    """

    row: int
    start: datetime.date
    end: datetime.date
    ei_fraction: float
    tons: float


def contributions(load: SedimentLoad, governing: Governing) -> list[Contribution]:
    """Return what each row discharges in the governing window, in the order of the load table.

    Parameters
    ----------
    load
        The calculation.
    governing
        Window and drainage area.

    Returns
    -------
    list of Contribution
        Counted rows of the drainage area (of the site where it is None) with a day in the window; their tons add up
        to the window's discharge.
    """
    plan, site, rows, pieces = load.schedule, load.site, load.ground.rows, load.ground.pieces
    first = plan.first_day
    begin, stop = (datetime.date.fromisoformat(d) for d in (governing.window_start, governing.window_end))
    ei = np.asarray(daily_ei(first, plan.last_day, load.erosivity.cumulative_pct), dtype=np.float64)
    ratio = site.delivery.ratio if site.delivery else 1.0
    ids = [a.id for a in site.drainage_areas]
    reaching: dict[tuple[int, str], Floats] = {}
    found = []
    for i, (piece, number) in enumerate(zip(rows.piece.tolist(), rows.span.tolist(), strict=True)):
        span, area = plan.spans[number], int(pieces.drainage_area[piece])
        start, end = max(span.start, begin), min(span.end, stop)
        if span.state == "existing" or start > end or governing.drainage_area not in (None, ids[area]):
            continue
        key = (area, pieces.soil[piece])
        if key not in reaching:
            stream = load.network.stream(*key)
            reaching[key] = stream.shares[stream.outlets].sum(axis=0)
        days = slice((start - first).days, (end - first).days + 1)
        own = ei[days] * reaching[key][days]
        if span.course is not None:
            own = own * np.asarray(span.course)[(start - span.start).days : (end - span.start).days + 1]
        tons = float(rows.tons_per_year[i]) * ratio * float(own.sum())
        found.append(Contribution(i, start, end, float(ei[days].sum()), tons))
    return found
