"""Practices from drainage areas to outfalls: what each traps of the load that passes, day by day.

In series the shares that pass multiply: 1 - (1 - e1)(1 - e2)...; where only the single best is credited, the trapped
share is the largest e; by particle class they multiply class by class, so that what passes one practice meets the next
with its own particle sizes. A practice works from the start of its first to the end of its last day; before and after,
everything passes.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import Finding
from sedcalc.load.ground import Floats, Ints, Pieces
from sedcalc.site.practices import Credit, Route, practice_credit, routes
from sedcalc.site.schedule import Schedule
from sedcalc.site.sediment import soil_classes
from sedcalc.site.submission import Site

Combination = Literal["series", "single-best", "particle-classes"]

COMBINATIONS: dict[str, str] = {
    "series": "in series, 1 - product of (1 - e)",
    "single-best": "the single best of those in series",
    "particle-classes": "in series by particle class, 1 - product of (1 - e) of each",
}
"""How practices one after the other combine, in the words of a result's methods."""


@dataclass(frozen=True, slots=True)
class Stream:
    """What of a drainage area's load from one soil passes each practice on its routes.

    Parameters
    ----------
    practices
        Index of each practice of each route, (p,).
    entering, leaving
        Rows of `shares` before and after each of them, (p,).
    outlets
        Rows of `shares` that reach the outfall, one for each route.
    shares
        Shares 0-1 of the load that pass, on each day, (rows, days).
    """

    practices: tuple[int, ...]
    entering: Ints
    leaving: Ints
    outlets: Ints
    shares: Floats


@dataclass(frozen=True, slots=True)
class Network:
    """Routes and credits of a site's practices.

    Parameters
    ----------
    routes
        For each drainage area its routes to the outfall; their shares add to 1.
    shares_drained
        Share of each drainage area that reaches each practice, directly or through others, (practices, areas).
    credits
        One for each practice.
    working
        Whether each practice works on each day of the project, (practices, days).
    combination
        How practices one after the other combine.
    soils
        Index into the next two by soil id.
    classes
        Share of each particle class in the sediment of each soil, (soils, classes); one class where efficiencies are
        of all sediment.
    efficiency
        Efficiency of each practice on each class of each soil, by-pass included, (practices, soils, classes).
    """

    routes: tuple[tuple[Route, ...], ...]
    shares_drained: Floats
    credits: tuple[Credit, ...]
    working: NDArray[np.bool_]
    combination: Combination
    soils: dict[str, int]
    classes: Floats
    efficiency: Floats

    def drained(self, number: int) -> Floats:
        """Return the share of each drainage area that reaches a practice, directly or through others, (areas,).

        Parameters
        ----------
        number
            Index of the practice.
        """
        shares: Floats = self.shares_drained[number]
        return shares

    def stream(self, area: int, soil: str) -> Stream:
        """Return what of a drainage area's load from a soil passes its practices.

        Parameters
        ----------
        area
            Index of the drainage area.
        soil
            Id of the soil.
        """
        shares: list[Floats] = []
        entering: list[int] = []
        outlets: list[int] = []
        row = 0
        for route in self.routes[area]:
            shares.append(self._passing(route, self.soils[soil]))
            entering += range(row, row + len(route.practices))
            row += len(route.practices) + 1
            outlets.append(row - 1)
        before = np.array(entering, dtype=np.int64)
        return Stream(
            tuple(p for route in self.routes[area] for p in route.practices),
            before,
            before + 1,
            np.array(outlets, dtype=np.int64),
            np.concatenate(shares),
        )

    def _passing(self, route: Route, soil: int) -> Floats:
        """Return the share that passes each practice of a route on each day: first row the route's own share."""
        mix = self.classes[soil][:, np.newaxis]
        days = self.working.shape[1]
        share = np.full((len(route.practices) + 1, days), route.share)
        left = np.ones((mix.shape[0], days))
        for step, practice in enumerate(route.practices):
            passed = 1.0 - self.efficiency[practice, soil][:, np.newaxis] * self.working[practice]
            left = np.minimum(left, passed) if self.combination == "single-best" else left * passed
            share[step + 1] = route.share * (mix * left).sum(axis=0)
        return share


def network(site: Site, pieces: Pieces, plan: Schedule) -> Network:
    """Return the routes, credits and working days of a site's practices.

    Parameters
    ----------
    site
        A checked site.
    pieces
        Its ground; acres and soils set the size rules' credit.
    plan
        Its schedule.
    """
    by_area, _ = routes(site)
    chains = tuple(by_area[a.id] for a in site.drainage_areas)
    drained = _drained(chains, len(site.practices))
    credits = []
    for number in range(len(site.practices)):
        acres = pieces.acres * drained[number][pieces.drainage_area]
        soils: dict[str, float] = {}
        for soil, own in zip(pieces.soil, acres.tolist(), strict=True):
            if own > 0.0:
                soils[soil] = soils.get(soil, 0.0) + own
        credits.append(practice_credit(site, number, float(acres[acres > 0.0].sum()), soils))
    days = (plan.last_day - plan.first_day).days + 1
    working = np.zeros((len(site.practices), days), dtype=bool)
    for number, practice in enumerate(site.practices):
        begin = max((practice.start - plan.first_day).days, 0)
        stop = (practice.end - plan.first_day).days + 1
        working[number, begin : max(stop, 0)] = True
    return Network(chains, drained, tuple(credits), working, site.combination, *_efficiencies(site, pieces, credits))


def _drained(chains: tuple[tuple[Route, ...], ...], practices: int) -> Floats:
    shares = np.zeros((practices, len(chains)))
    for area, own in enumerate(chains):
        for route in own:
            shares[list(route.practices), area] += route.share
    return shares


def _efficiencies(site: Site, pieces: Pieces, credits: list[Credit]) -> tuple[dict[str, int], Floats, Floats]:
    """Return the index of soils, their particle classes, and the efficiencies of the practices on them."""
    ids = list(dict.fromkeys(pieces.soil))
    by_class = any(c.by_class is not None for c in credits)
    if not by_class:  # nothing depends on the soil: one for all
        efficiency = np.array([c.efficiency for c in credits], dtype=np.float64).reshape(-1, 1, 1)
        return dict.fromkeys(ids, 0), np.ones((1, 1)), efficiency
    own = {s.id: soil_classes(s) for s in site.soils}
    mix = np.array([found.shares if (found := own[i]) is not None else () for i in ids], dtype=np.float64)
    caught = np.zeros((len(credits), len(ids), mix.shape[1]))
    for number, credit in enumerate(credits):
        for i, soil in enumerate(ids):
            if credit.by_class is None:
                caught[number, i] = credit.efficiency
            elif soil in credit.by_class:
                caught[number, i] = credit.by_class[soil]
    index = {soil: i for i, soil in enumerate(ids)}
    if site.combination == "particle-classes":
        return index, mix, caught
    return index, np.ones((len(ids), 1)), (caught * mix).sum(axis=2, keepdims=True)


def timing_findings(site: Site, pieces: Pieces, plan: Schedule, net: Network) -> list[Finding]:
    """Return findings on practices that begin after the disturbance above them or end before its stabilization.

    Parameters
    ----------
    site, pieces, plan, net
        The site, its ground, schedule and practices.
    """
    found = []
    for number, practice in enumerate(site.practices):
        drained = net.drained(number)
        units = sorted({int(u) for u, a in zip(pieces.unit, pieces.drainage_area, strict=True) if drained[a] > 0.0})
        spans = [d for u in units if (d := plan.disturbed[u]) is not None]
        if not spans:
            continue
        first, last = min(s[0] for s in spans), max(s[1] for s in spans)
        where = f"practices[{number}]"
        if practice.start >= first:
            found.append(
                Finding(
                    "practice-after-disturbance",
                    "warning",
                    f"practice {practice.id!r} works from {practice.start}; the land above it is disturbed from "
                    f"{first}: practices are installed before land disturbance begins",
                    f"{where}.start",
                )
            )
        if practice.end < last:
            found.append(
                Finding(
                    "practice-removed-early",
                    "warning",
                    f"practice {practice.id!r} ends on {practice.end}; the land above it is finally stabilized on "
                    f"{last}: practices are maintained until then",
                    f"{where}.end",
                )
            )
    return found
