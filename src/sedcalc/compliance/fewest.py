"""The fewest covers and practices that meet a limit together.

The search goes through all sets of up to three covers and adds to each the practices that it leaves necessary; where
none of them suffices it starts from every cover there is and leaves out what is not needed.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sedcalc.compliance.scenario_figures import ScenarioFigures

_MOST_COVERS = 3  # covers tried together exhaustively; more only one by one
_MOST_GROUPS = 15  # phases whose covers are tried together, those that bring most


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """What there is to choose from: rows of the reference tables.

    Parameters
    ----------
    covers
        For each group of rows the covers for it, lowest C first.
    practices
        For each drainage area the practices to add there, most efficient first.
    """

    covers: Mapping[int, Sequence[Mapping[str, Any]]]
    practices: Mapping[int, Sequence[Mapping[str, Any]]]


Choice = tuple[Literal["practice", "cover"], int, Mapping[str, Any]]
"""A measure: its kind, the group or drainage area it is for, its row of the reference table."""


def low_efficiency(row: Mapping[str, Any]) -> float:
    """Return the low end of a practice's efficiency, its typical value where no range is given.

    Parameters
    ----------
    row
        Of the table ``trapping``.
    """
    low = row["efficiency_low"] if row["efficiency_low"] is not None else row["efficiency_typical"]
    return float(low)


def fewest_measures(
    figures: ScenarioFigures, options: Options, limit: float
) -> tuple[list[Choice] | None, float, bool]:
    """Return the fewest measures that meet a limit.

    Parameters
    ----------
    figures
        What they are computed from.
    options
        What there is to choose from.
    limit
        Largest figure that meets the standard, tons/(acre yr).

    Returns
    -------
    tuple
        The measures, None where all together do not meet the limit; the governing figure with them, or with all;
        whether every smaller set was tried.
    """
    best: tuple[int, float, tuple[int, ...], list[Choice]] | None = None
    by_gain = sorted(
        options.covers, key=lambda g: float(np.nanmax(figures.by_area(_ratios(figures, options, [g]), {})))
    )
    groups = by_gain[:_MOST_GROUPS]
    for number in range(min(len(groups), _MOST_COVERS) + 1):
        if best is not None and number >= best[0]:
            break
        for subset in itertools.combinations(groups, number):
            most = None if best is None else best[0] - number
            practices, reached = _completed(figures, options, subset, limit, most)
            if practices is None:
                continue
            size = number + len(practices)
            if best is None or (size, reached) < best[:2]:
                best = (size, reached, subset, practices)
    if best is None:
        return _from_all(figures, options, by_gain, limit)
    size, _, subset, practices = best
    chosen, reached = _no_more_than_needed(figures, options, subset, practices, limit)
    tried_all = len(by_gain) <= _MOST_GROUPS or size <= 1
    return chosen, reached, tried_all and (size <= _MOST_COVERS + 1 or len(groups) <= _MOST_COVERS)


def _no_more_than_needed(
    figures: ScenarioFigures, options: Options, groups: Sequence[int], practices: list[Choice], limit: float
) -> tuple[list[Choice], float]:
    """Return a set that meets the limit with the highest C of each cover, one after the other, and its figure."""
    passing: dict[int, float] = {}
    for _, area, row in practices:
        passing[area] = passing.get(area, 1.0) * (1.0 - low_efficiency(row))
    ratios = _ratios(figures, options, groups)
    chosen: list[Choice] = []
    for group in groups:
        for row in sorted(options.covers[group], key=lambda r: -r["c"]):
            tried = {**ratios, group: row["c"] / figures.groups[group].C}
            if float(np.nanmax(figures.by_area(tried, passing))) <= limit:
                ratios = tried
                chosen.append(("cover", group, row))
                break
    return [*chosen, *practices], float(np.nanmax(figures.by_area(ratios, passing)))


def _ratios(figures: ScenarioFigures, options: Options, groups: Sequence[int]) -> dict[int, float]:
    return {g: options.covers[g][0]["c"] / figures.groups[g].C for g in groups}


def _completed(
    figures: ScenarioFigures, options: Options, groups: Sequence[int], limit: float, most: int | None
) -> tuple[list[Choice] | None, float]:
    """Return the practices that a set of covers leaves necessary, None where none suffice, and the figure."""
    ratios = _ratios(figures, options, groups)
    used = dict.fromkeys(options.practices, 0)
    passing: dict[int, float] = {}
    chosen: list[Choice] = []
    while True:
        after = figures.by_area(ratios, passing)
        worst = float(np.nanmax(after))
        if worst <= limit:
            return chosen, worst
        if most is not None and len(chosen) >= most:
            return None, worst
        area = _next_area(figures, options, ratios, passing, used, int(np.nanargmax(after)))
        if area is None:
            return None, worst
        row = options.practices[area][used[area]]
        used[area] += 1
        passing[area] = passing.get(area, 1.0) * (1.0 - low_efficiency(row))
        chosen.append(("practice", area, row))


def _next_area(
    figures: ScenarioFigures,
    options: Options,
    ratios: Mapping[int, float],
    passing: Mapping[int, float],
    used: Mapping[int, int],
    worst: int,
) -> int | None:
    """Return where the next practice goes: the drainage area that fails; for a site, where it brings most."""
    open_ = [k for k, rows in options.practices.items() if used[k] < len(rows)]
    if not figures.by_site:
        return worst if worst in open_ else None

    def with_one(area: int) -> float:
        share = passing.get(area, 1.0) * (1.0 - low_efficiency(options.practices[area][used[area]]))
        return float(figures.by_area(ratios, {**passing, area: share})[0])

    return min(open_, key=with_one, default=None)


def _from_all(
    figures: ScenarioFigures, options: Options, groups: list[int], limit: float
) -> tuple[list[Choice] | None, float, bool]:
    """Start from every cover there is, and leave out what is not needed, what brings least first."""
    practices, reached = _completed(figures, options, groups, limit, None)
    if practices is None:
        return None, reached, True

    def gain(group: int) -> float:
        rest = [g for g in groups if g != group]
        return float(np.nanmax(figures.by_area(_ratios(figures, options, rest), {})))

    kept = list(groups)
    for group in sorted(groups, key=gain):
        rest = [g for g in kept if g != group]
        fewer, figure = _completed(figures, options, rest, limit, len(practices))
        if fewer is not None:
            kept, practices, reached = rest, fewer, figure
    chosen, reached = _no_more_than_needed(figures, options, kept, practices, limit)
    return chosen, reached, False
