"""The governing figure under other covers and with more practices, as algebra on the windows of a load.

Discharge is linear in the soil loss of each row. So the share of each group of rows in every window is computed once;
a cover then scales its group, and a practice at the end of a drainage area scales that area.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sedcalc.load.ground import Floats
from sedcalc.load.load_table import SedimentLoad, load_of_ground


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of the load table that one cover can be laid on: one phase, one C.

    Parameters
    ----------
    label
        Phase, as the load table prints it.
    C
        Cover factor of the rows.
    rows
        Which rows, (m,).
    acres
        Their ground, acres.
    units
        Indices of their ground units.
    resting
        Whether the ground is not worked: between phases, or in a phase marked idle.
    """

    label: str
    C: float
    rows: NDArray[np.bool_]
    acres: float
    units: tuple[int, ...]
    resting: bool


@dataclass(frozen=True, slots=True, eq=False)
class ScenarioFigures:
    """Tons in each window by drainage area, and how much of them each group brings.

    Parameters
    ----------
    tons, acres
        Of each window and drainage area, (s, k).
    groups
        The groups.
    of_group
        Their tons, (groups, s, k).
    by_site
        Whether the site as a whole is ruled on.
    """

    tons: Floats
    acres: Floats
    groups: tuple[Group, ...]
    of_group: Floats
    by_site: bool

    def by_area(self, covers: Mapping[int, float], passing: Mapping[int, float]) -> Floats:
        """Return the figure of each drainage area, of the site alone where that is ruled on, tons/(acre yr).

        Parameters
        ----------
        covers
            For each group that is changed, its new C over its C.
        passing
            For each drainage area with more practices, the share that passes them, 0-1.

        Returns
        -------
        ndarray
            Figures, (k,), or (1,) for the site; NaN where no acre counts.
        """
        tons = self.tons.copy()
        for group, ratio in covers.items():
            tons -= self.of_group[group] * (1.0 - ratio)
        for area, share in passing.items():
            tons[:, area] *= share
        acres = self.acres
        if self.by_site:
            tons, acres = tons.sum(axis=1, keepdims=True), acres.sum(axis=1, keepdims=True)
        ratio_ = np.full(tons.shape, -np.inf)
        np.divide(tons, acres, out=ratio_, where=acres > 0.0)
        worst: Floats = ratio_.max(axis=0)
        worst[worst == -np.inf] = np.nan
        return worst


def scenario_figures(load: SedimentLoad, figure: str, scope: str) -> ScenarioFigures:
    """Return what other covers and practices are computed from.

    Parameters
    ----------
    load
        The calculation.
    figure
        The annual figure that is ruled on: ``worst_12_months`` or ``average_year``.
    scope
        ``each_drainage_area`` or ``site``.

    Notes
    -----
    Rows whose C comes from a raster, changes from day to day or belongs to the final cover are in no group.
    """
    groups = _groups(load)
    tons, acres = _windows(load, figure)
    of_group = np.zeros((len(groups), *tons.shape))
    rows = load.ground.rows
    for g, group in enumerate(groups):
        only = replace(rows, tons_per_year=np.where(group.rows, rows.tons_per_year, 0.0))
        part = load_of_ground(load.site, load.erosivity, load.schedule, replace(load.ground, rows=only), {})
        of_group[g] = _windows(part, figure)[0]
    return ScenarioFigures(tons, acres, groups, of_group, scope == "site")


def _windows(load: SedimentLoad, figure: str) -> tuple[Floats, Floats]:
    """Return tons and acres of each window by drainage area; of the average year one window."""
    windows, areas = load.windows, len(load.windows.area) - 1
    if figure == "worst_12_months":
        return windows.tons[:, :areas], windows.acres[:, :areas]
    average = windows.average[:areas]
    acres = np.array([[a.acres for a in average]])
    return np.array([[(a.tons_per_acre or 0.0) * a.acres for a in average]]), acres


def _groups(load: SedimentLoad) -> tuple[Group, ...]:
    rows, spans, rasters = load.ground.rows, load.schedule.spans, load.ground.rasters
    acres = load.ground.pieces.acres
    members: dict[tuple[str, float, bool], list[int]] = {}
    for i, number in enumerate(rows.span.tolist()):
        span = spans[number]
        one_c = span.course is None and (rasters is None or isinstance(rasters.C[number], float))
        if span.state in ("phase", "between") and one_c and rows.C[i] > 0.0 and rows.tons_per_year[i] > 0.0:
            idle = span.phase is not None and load.site.phases[span.phase].idle
            resting = span.state == "between" or idle
            members.setdefault((span.label, float(rows.C[i]), resting), []).append(i)
    found = []
    for (label, c, resting), own in members.items():
        which = np.zeros(len(rows.span), dtype=bool)
        which[own] = True
        pieces = sorted({int(rows.piece[i]) for i in own})
        units = tuple(sorted({int(load.ground.pieces.unit[p]) for p in pieces}))
        found.append(Group(label, c, which, float(acres[pieces].sum()), units, resting))
    return tuple(found)
