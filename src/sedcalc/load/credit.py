"""Credit for limiting the duration and the area of land disturbance: tons saved against a reference schedule.

In the reference schedule every disturbed ground unit lies open (C = P = 1, slope length without barriers) from the
site's first disturbance to its final stabilization, except while the schedule itself has phases on it; practices work
on their own days. So it differs from the schedule on two kinds of days: before a unit's own disturbance (area is
limited) and after its own final stabilization (duration is limited).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sedcalc.factors.erosivity import daily_ei
from sedcalc.load.ground import Floats
from sedcalc.load.windows import worst_rows

if TYPE_CHECKING:
    from sedcalc.load.load_table import SedimentLoad


@dataclass(frozen=True, slots=True)
class ScheduleCredit:
    """What the schedule saves against the reference schedule: columns by drainage area, the whole site last.

    Parameters
    ----------
    area
        Ids of the drainage areas, then None for the whole site: k columns.
    tons, reference_tons
        Discharge of the project by its own and by the reference schedule, short tons, (k,).
    saved_by_area
        Discharge that units would add if they lay open before their own disturbance, short tons, (k,).
    saved_by_duration
        Discharge that units would add if they lay open after their own final stabilization instead of under their
        final cover, short tons, (k,).
    reference_acres
        Area of all units disturbed at some time: all of them count on every day, acres, (k,).
    reference_figure
        Worst 12 months of discharge over the reference acreage, tons/acre, (k,); NaN where no acre counts. It
        decides nothing unless a reviewer's override makes it count (`sedcalc.check_compliance`).
    window_start, window_end
        First and last day of those 12 months, datetime64[D], (k,).
    """

    area: tuple[str | None, ...]
    tons: Floats
    reference_tons: Floats
    saved_by_area: Floats
    saved_by_duration: Floats
    reference_acres: Floats
    reference_figure: Floats
    window_start: np.ndarray
    window_end: np.ndarray


def schedule_credit(load: "SedimentLoad") -> ScheduleCredit:
    """Return what a site's schedule saves by limiting the duration and the area of disturbance.

    Parameters
    ----------
    load
        The site's sediment load.

    Notes
    -----
    Limiting duration is in the ruling's figure already, through the share of annual erosivity. Limiting area lowers
    tons, not tons per disturbed acre: hence the figure on the reference acreage.
    """
    plan, pieces, rows = load.schedule, load.ground.pieces, load.ground.rows
    ratio = load.site.delivery.ratio if load.site.delivery else 1.0
    ei = np.asarray(daily_ei(plan.first_day, plan.last_day, load.erosivity.cumulative_pct), dtype=np.float64)
    areas = len(load.site.drainage_areas)
    early, late, acres = np.zeros(areas), np.zeros(areas), np.zeros(areas)
    reaching: dict[tuple[int, str], Floats] = {}
    discharged = load.columns["discharge_tons"]
    for piece, (unit, area) in enumerate(zip(pieces.unit.tolist(), pieces.drainage_area.tolist(), strict=True)):
        disturbed = plan.disturbed[unit]
        if disturbed is None:
            continue
        key = (area, pieces.soil[piece])
        if key not in reaching:
            stream = load.network.stream(*key)
            reaching[key] = stream.shares[stream.outlets].sum(axis=0) * ei
        own = np.flatnonzero(rows.piece == piece)
        counted = [i for i in own if plan.spans[rows.span[i]].state != "existing"]
        first, last = counted[0], counted[-1]
        acres[area] += pieces.acres[piece]
        before = (disturbed[0] - plan.first_day).days
        after = (disturbed[1] - plan.first_day).days + 1
        early[area] += rows.bare_tons_per_year[first] * ratio * reaching[key][:before].sum()
        late[area] += rows.bare_tons_per_year[last] * ratio * reaching[key][after:].sum()
        late[area] -= sum(discharged[i] for i in counted if plan.spans[rows.span[i]].state == "stabilized")
    windows = load.windows
    tons = np.array([average.tons for average in windows.average])
    early, late, acres = (np.append(values, values.sum()) for values in (early, late, acres))
    figures = np.full(windows.tons.shape, np.nan)
    np.divide(windows.tons, acres, out=figures, where=acres > 0.0)
    worst = worst_rows(figures)
    best = np.maximum(worst, 0)
    return ScheduleCredit(
        area=windows.area,
        tons=tons,
        reference_tons=tons + early + late,
        saved_by_area=early,
        saved_by_duration=late,
        reference_acres=acres,
        reference_figure=figures[best, np.arange(len(acres))],
        window_start=windows.start[best],
        window_end=windows.end[best],
    )
