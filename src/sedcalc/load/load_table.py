"""Sediment load of a site: rows by phase and ground, practices by mass balance, 12-month windows, totals.

    A = R f K LS C P                  tons/acre over a row's days; f is their share of the annual erosivity
    delivered = A x area x delivery ratio
    discharge = delivered x share that passes the practices that work, weighted by the erosivity of each day

Rows of background (land before its disturbance, land never disturbed) stand in the table and in the mass balance, and
count in neither tons nor acres of windows, totals and percent reduction.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors.erosivity import daily_ei, ei_fraction
from sedcalc.findings import Finding, by_severity
from sedcalc.limits import refuse_over
from sedcalc.load.credit import ScheduleCredit, schedule_credit
from sedcalc.load.ground import Floats, Ground, Ints
from sedcalc.load.network import Network, Stream, network, timing_findings
from sedcalc.load.timetable import timetable
from sedcalc.load.windows import (
    Average,
    Days,
    Windows,
    running_sums,
    window_acres,
    window_bounds,
    window_tons,
    worst_rows,
)
from sedcalc.site.erosivity import SiteErosivity
from sedcalc.site.schedule import Schedule
from sedcalc.site.submission import Site

if TYPE_CHECKING:
    import pandas

_YEAR_DAYS = 365.25
_BALANCE = 1e-9
_FROZEN_SHARE = 0.02

ROW_COLUMNS = (
    "phase",
    "drainage_area",
    "unit",
    "soil",
    "state",
    "counted",
    "start",
    "end",
    "ei_fraction",
    "R",
    "K",
    "LS",
    "C",
    "P",
    "acres",
    "soil_loss_tons_per_acre",
    "soil_loss_tons",
    "delivered_tons",
    "trapped_tons",
    "discharge_tons",
    "discharge_tons_per_acre",
    "efficiency",
    "bare_tons",
)
"""Columns of the load table. R, K, LS, C, P dimensional as in `sedcalc.factors.rusle`; tons are short tons over the
row's days; efficiency is 1 - discharge/delivered; C, P and efficiency are weighted by erosivity and null where
ei_fraction is 0; bare_tons is the baseline with C = P = 1, no barriers and no practices, before delivery."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the project, short tons; counted ground only, but for the background columns.

    Parameters
    ----------
    eroded, deposited, discharged
        Soil loss, what stays on the slope by the delivery ratio, and what reaches the outfalls, tons.
    trapped
        By practice id, tons.
    outfalls
        Discharge by outfall, tons.
    baseline
        Load with no controls (C = P = 1, no practices, slope length without barriers), delivered, tons.
    background
        Discharge of land not yet or never disturbed, tons.
    disturbed_acres
        Area of the units that are disturbed at some time, acres.
    years
        Days from first disturbance to final stabilization over 365.25.
    """

    eroded: float
    deposited: float
    discharged: float
    trapped: dict[str, float]
    outfalls: dict[str, float]
    baseline: float
    background: float
    disturbed_acres: float
    years: float

    @property
    def percent_reduction(self) -> float | None:
        """Percent by which the controls lower the load; None where the baseline is zero."""
        return None if self.baseline == 0.0 else 100.0 * (1.0 - self.discharged / self.baseline)


@dataclass(frozen=True, slots=True)
class SedimentLoad:
    """The sediment load of a site.

    Parameters
    ----------
    site
        The site as submitted.
    erosivity, schedule, ground, network
        What the rows were computed from.
    columns
        The load table as columns (`ROW_COLUMNS`).
    windows
        12-month windows by drainage area and for the site.
    asked
        Windows that the site asks for, in its order: (start, end, tons, acres, tons/acre or None).
    totals
        Sums over the project.
    provenance
        Version, methods, tables and files behind the numbers.
    findings
        What a reader must know, errors first.
    """

    site: Site
    erosivity: SiteErosivity
    schedule: Schedule
    ground: Ground
    network: Network
    columns: dict[str, list[Any]]
    windows: Windows
    asked: tuple[tuple[str, str, float, float, float | None], ...]
    totals: Totals
    provenance: dict[str, Any]
    findings: tuple[Finding, ...]

    @property
    def table(self) -> "pandas.DataFrame":
        """The load table, one row for each piece of ground and span of days."""
        import pandas

        return pandas.DataFrame(self.columns)

    @property
    def credit(self) -> ScheduleCredit:
        """Tons saved by limiting duration and area, and the figure on the reference acreage."""
        return schedule_credit(self)

    @property
    def timetable(self) -> "pandas.DataFrame":
        """Activities with start, end and acres, by start."""
        import pandas

        return pandas.DataFrame(timetable(self))

    def explain(self, row: int) -> str:
        """Return the calculation of a row: symbols, numbers, value.

        Parameters
        ----------
        row
            Position in the load table.

        Raises
        ------
        IndexError
            If there is no such row.
        """
        r = {name: values[row] for name, values in self.columns.items()}
        passed = "" if r["efficiency"] is None else f" x (1 - {r['efficiency']:.4f})"
        ratio = self.site.delivery.ratio if self.site.delivery else 1.0
        c, p = ("-" if r[k] is None else f"{r[k]:.4g}" for k in "CP")
        numbers = f"{r['R']:.4g} x {r['ei_fraction']:.5f} x {r['K']:.4g} x {r['LS']:.4g} x {c} x {p}"
        # on grids the mean of the cells' products, which is not the product of the means
        product = f"  = {numbers}" if self.site.grid is None else f"  = mean over the cells; factor means {numbers}"
        return "\n".join(
            [
                f"{r['phase']}, unit {r['unit']}, drainage area {r['drainage_area']}, {r['start']} to {r['end']}",
                "A = R f K LS C P",
                product,
                f"  = {r['soil_loss_tons_per_acre']:.4f} tons/acre",
                "discharge = A x area x delivery ratio x share that passes the practices",
                f"  = {r['soil_loss_tons_per_acre']:.4f} x {r['acres']:.4g} x {ratio:g}{passed}",
                f"  = {r['discharge_tons']:.4f} tons",
            ]
        )

    def _repr_html_(self) -> str:
        from sedcalc.load.notebook import load_html

        return load_html(self)


def load_of_ground(
    site: Site,
    erosivity: SiteErosivity,
    plan: Schedule,
    ground: Ground,
    provenance: dict[str, Any],
    found: Sequence[Finding] = (),
) -> SedimentLoad:
    """Return the sediment load of a site from its ground.

    Parameters
    ----------
    site
        A checked site.
    erosivity
        Its EI distribution, and R with its range.
    plan
        Its schedule.
    ground
        Its pieces and rows.
    provenance
        What to put into the result's provenance.
    found
        What was found before.
    """
    net = network(site, ground.pieces, plan)
    ei = np.asarray(daily_ei(plan.first_day, plan.last_day, erosivity.cumulative_pct), dtype=np.float64)
    refuse_over("site_steps", _steps(ground, net) * len(ei), "practices", what="the network of practices")
    rows = _RowSums(site, erosivity, plan, ground, net, ei)
    windows = _windows(rows)
    totals = _totals(rows)
    findings = [*found, *erosivity.findings, *ground.findings]
    findings += [f for c in net.credits for f in c.findings]
    findings += timing_findings(site, ground.pieces, plan, net)
    findings += _season_findings(rows, windows)
    return SedimentLoad(
        site=site,
        erosivity=erosivity,
        schedule=plan,
        ground=ground,
        network=net,
        columns=rows.columns(),
        windows=windows,
        asked=tuple(_asked(rows)),
        totals=totals,
        provenance=provenance,
        findings=tuple(by_severity(findings)),
    )


def _steps(ground: Ground, net: Network) -> int:
    """Return how many practices the streams pass: the size of what is computed for each day."""
    streams = {(a, net.soils[s]) for a, s in zip(ground.pieces.drainage_area.tolist(), ground.pieces.soil, strict=True)}
    length = [sum(len(route.practices) + 1 for route in own) for own in net.routes]
    return sum(length[area] for area, _ in streams)


class _Passing:
    """The erosivity of each day times what of a stream passes or reaches the outfall, and its running sums."""

    def __init__(self, stream: Stream, ei: Floats) -> None:
        self.stream = stream
        self.rows: list[int] = []
        self.daily: Floats = stream.shares * ei
        self.reached: Floats = self.daily[stream.outlets].sum(axis=0)
        self.total: Floats = running_sums(self.daily)


class _RowSums:
    """Sums of each row over its days, and the daily discharge of each drainage area."""

    def __init__(
        self, site: Site, erosivity: SiteErosivity, plan: Schedule, ground: Ground, net: Network, ei: Floats
    ) -> None:
        self.site, self.plan, self.ground, self.net = site, plan, ground, net
        rows, pieces = ground.rows, ground.pieces
        ratio = site.delivery.ratio if site.delivery else 1.0
        start = np.array([s.start for s in plan.spans], dtype="datetime64[D]")[rows.span]
        end = np.array([s.end for s in plan.spans], dtype="datetime64[D]")[rows.span]
        self.start, self.end = start, end
        self.counted = np.array([s.state != "existing" for s in plan.spans])[rows.span]
        self.fraction: Floats = np.atleast_1d(ei_fraction(start, end, erosivity.cumulative_pct))
        self.eroded: Floats = rows.tons_per_year * self.fraction
        self.bare: Floats = rows.bare_tons_per_year * self.fraction
        self.delivered: Floats = self.eroded * ratio
        self.bare_delivered: Floats = self.bare * ratio
        self.discharged = np.zeros(len(start))
        self.trapped = [np.zeros(0)] * len(start)
        self.passed: list[float | None] = [None] * len(start)
        self.daily = np.zeros((len(site.drainage_areas), len(ei)))
        self.first = np.datetime64(plan.first_day, "D")
        self.disturbed = _disturbed(plan, ground)
        begin = (start - self.first).astype(np.int64)
        stop = (end - self.first).astype(np.int64) + 1
        self.area: Ints = pieces.drainage_area[rows.piece]
        self.elapsed: Floats = running_sums(ei)
        passing: dict[tuple[int, int], _Passing] = {}
        self.practices: list[tuple[int, ...]] = []
        yearly = rows.tons_per_year * ratio
        for i, (area, piece, span) in enumerate(zip(self.area.tolist(), rows.piece, rows.span, strict=True)):
            soil = pieces.soil[piece]
            key = (area, net.soils[soil])
            if key not in passing:
                passing[key] = _Passing(net.stream(area, soil), ei)
            own, days = passing[key], slice(begin[i], stop[i])
            self.practices.append(own.stream.practices)
            course = plan.spans[span].course
            reached = own.reached[days]
            if course is None:
                own.rows.append(i)
            else:
                weights = np.asarray(course)
                reached = (own.daily[own.stream.outlets][:, days] * weights).sum(axis=0)
                self._divide(own.stream, [i], (own.daily[:, days] * weights).sum(axis=1), float(ei[days] @ weights))
            if self.counted[i]:
                self.daily[area, days] += yearly[i] * reached
        for own in passing.values():
            whole = self.elapsed[stop[own.rows]] - self.elapsed[begin[own.rows]]
            self._divide(own.stream, own.rows, own.total[:, stop[own.rows]] - own.total[:, begin[own.rows]], whole)

    def _divide(self, stream: Stream, rows: list[int], chain: Floats, whole: Floats | float) -> None:
        """Divide what rows of one stream deliver into what each practice traps and what reaches the outfall."""
        chain, whole = chain.reshape(len(chain), -1), np.atleast_1d(whole)
        reaching = np.divide(chain, whole, out=np.zeros_like(chain), where=whole > 0.0)
        trapped = self.delivered[rows] * (reaching[stream.entering] - reaching[stream.leaving])
        left = np.ascontiguousarray(reaching[stream.outlets].T).sum(axis=1)
        self.discharged[rows] = self.delivered[rows] * left
        for i, own, passed, any_ei in zip(
            rows, np.ascontiguousarray(trapped.T), left.tolist(), whole > 0.0, strict=True
        ):
            self.trapped[i] = own
            self.passed[i] = passed if any_ei else None

    def columns(self) -> dict[str, list[Any]]:
        rows, pieces, plan, site = self.ground.rows, self.ground.pieces, self.plan, self.site
        spans = [plan.spans[s] for s in rows.span]
        acres = pieces.acres[rows.piece]
        null_where_0 = self.fraction == 0.0
        columns: dict[str, list[Any]] = {
            "phase": [s.label for s in spans],
            "drainage_area": [site.drainage_areas[a].id for a in self.area],
            "unit": [site.ground_units[s.unit].id for s in spans],
            "soil": [pieces.soil[p] for p in rows.piece],
            "state": [s.state for s in spans],
            "counted": self.counted.tolist(),
            "start": [s.start for s in spans],
            "end": [s.end for s in spans],
            "ei_fraction": self.fraction.tolist(),
            "R": pieces.R[rows.piece].tolist(),
            "K": pieces.K[rows.piece].tolist(),
            "LS": rows.LS.tolist(),
            "C": [None if z else c for c, z in zip(rows.C.tolist(), null_where_0, strict=True)],
            "P": [None if z else p for p, z in zip(rows.P.tolist(), null_where_0, strict=True)],
            "acres": acres.tolist(),
            "soil_loss_tons_per_acre": (self.eroded / acres).tolist(),
            "soil_loss_tons": self.eroded.tolist(),
            "delivered_tons": self.delivered.tolist(),
            "trapped_tons": [float(t.sum()) for t in self.trapped],
            "discharge_tons": self.discharged.tolist(),
            "discharge_tons_per_acre": (self.discharged / acres).tolist(),
            "efficiency": [None if p is None else 1.0 - p for p in self.passed],
            "bare_tons": self.bare.tolist(),
        }
        assert tuple(columns) == ROW_COLUMNS
        return columns


def _disturbed(plan: Schedule, ground: Ground) -> tuple[NDArray[np.bool_], Days, Days]:
    """Return which pieces are disturbed at some time, and from when to when those are."""
    spans = [plan.disturbed[u] for u in ground.pieces.unit]
    which = np.array([s is not None for s in spans])
    bounds = np.array([s for s in spans if s is not None], dtype="datetime64[D]")
    return which, bounds[:, 0], bounds[:, 1]


def _figures(rows: _RowSums, start: Days, end: Days) -> tuple[Floats, Floats, Floats]:
    """Return tons, acres and tons/acre of windows by drainage area, the whole site last."""
    tons = window_tons(rows.daily, rows.first, start, end)
    pieces, (which, disturbed, stabilized) = rows.ground.pieces, rows.disturbed
    acres = window_acres(
        start, end, disturbed, stabilized, pieces.acres[which], pieces.drainage_area[which], tons.shape[1]
    )
    tons = np.column_stack([tons, tons.sum(axis=1)])
    acres = np.column_stack([acres, acres.sum(axis=1)])
    ratio = np.full(tons.shape, np.nan)
    np.divide(tons, acres, out=ratio, where=acres > 0.0)
    return tons, acres, ratio


def _windows(rows: _RowSums) -> Windows:
    last_day = rows.plan.last_day
    start, end, whole = window_bounds(rows.first, np.datetime64(last_day, "D"))
    tons, acres, ratio = _figures(rows, start, end)
    ids = (*(a.id for a in rows.site.drainage_areas), None)
    total, area, years = tons, acres, 1.0
    if not whole:
        total, area, _ = _figures(rows, start[:1], np.array([last_day], dtype="datetime64[D]"))
        years = _years(rows.plan)
    average = tuple(
        Average(t, a, None if a == 0.0 else t / years / a)
        for t, a in zip(total[0].tolist(), area[0].tolist(), strict=True)
    )
    return Windows(ids, start, end, tons, acres, ratio, worst_rows(ratio), average, whole)


def _years(plan: Schedule) -> float:
    return ((plan.last_day - plan.first_day).days + 1) / _YEAR_DAYS


def _asked(rows: _RowSums) -> list[tuple[str, str, float, float, float | None]]:
    """Evaluate the windows the site asks for; days outside the project add nothing."""
    found = []
    plan = rows.plan
    for window in rows.site.windows:
        begin, stop = max(window.start, plan.first_day), min(window.end, plan.last_day)
        tons, acres, figure = 0.0, 0.0, None
        if begin <= stop:
            start, end = np.array([begin], dtype="datetime64[D]"), np.array([stop], dtype="datetime64[D]")
            tons, acres, ratio = (float(values[0, -1]) for values in _figures(rows, start, end))
            figure = None if math.isnan(ratio) else ratio
        found.append((window.start.isoformat(), window.end.isoformat(), tons, acres, figure))
    return found


def _totals(rows: _RowSums) -> Totals:
    site, counted = rows.site, rows.counted
    trapped = {p.id: 0.0 for p in site.practices}
    outfalls = {a.outfall: 0.0 for a in site.drainage_areas}
    for i in np.flatnonzero(counted):
        for practice, tons in zip(rows.practices[i], rows.trapped[i], strict=True):
            trapped[site.practices[practice].id] += float(tons)
        outfalls[site.drainage_areas[rows.area[i]].outfall] += float(rows.discharged[i])
    eroded = float(rows.eroded[counted].sum())
    deposited = eroded - float(rows.delivered[counted].sum())
    discharged = float(rows.discharged[counted].sum())
    left = eroded - deposited - sum(trapped.values()) - sum(outfalls.values())
    if abs(left) > _BALANCE * eroded + sys.float_info.min:  # a load below the smallest normal number is not exact
        raise ArithmeticError(f"mass balance: {left:g} of {eroded:g} tons are unaccounted for")
    return Totals(
        eroded=eroded,
        deposited=deposited,
        discharged=discharged,
        trapped=trapped,
        outfalls=outfalls,
        baseline=float(rows.bare_delivered[counted].sum()),
        background=float(rows.discharged[~counted].sum()),
        disturbed_acres=float(rows.ground.pieces.acres[rows.disturbed[0]].sum()),
        years=_years(rows.plan),
    )


def _season_findings(rows: _RowSums, windows: Windows) -> list[Finding]:
    """Say where a figure rests on a season without rain erosion: snowmelt and thaw are outside the method."""
    found = []
    worst = windows.worst[windows.worst >= 0]
    begin, last = ((days[worst] - rows.first).astype(np.int64) for days in (windows.start, windows.end))
    shares = rows.elapsed[last + 1] - rows.elapsed[begin]
    if shares.size and shares.min() < _FROZEN_SHARE:
        found.append(
            Finding(
                "frozen-season",
                "warning",
                f"the governing figure rests on {shares.min():.2%} of the annual erosivity; snowmelt, thaw and frozen "
                "ground, which the method leaves out, may decide",
                "windows",
            )
        )
    spans = dict.fromkeys(rows.ground.rows.span[rows.fraction == 0.0].tolist())
    for span in [rows.plan.spans[s] for s in spans]:
        found.append(
            Finding(
                "no-erosivity",
                "note",
                f"{span.start} to {span.end} holds no rain erosivity: the load of ground unit "
                f"{rows.site.ground_units[span.unit].id!r} is 0 by the method, which leaves out snowmelt and thaw",
                f"row {span.label}",
            )
        )
    return found
