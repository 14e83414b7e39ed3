"""Timetable of the land-disturbing activities of a site, and the area of each."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sedcalc.load.load_table import SedimentLoad


def timetable(load: "SedimentLoad") -> dict[str, list[Any]]:
    """Return the activities of a site by start, with their dates and areas.

    Parameters
    ----------
    load
        The site's sediment load.

    Returns
    -------
    dict
        Columns ``activity`` (the phase), ``start`` and ``end`` (dates, both inclusive), ``acres`` (area of its ground
        units, acres) and ``units`` (their ids).
    """
    acres = [0.0] * len(load.site.ground_units)
    for unit, area in zip(load.ground.pieces.unit.tolist(), load.ground.pieces.acres.tolist(), strict=True):
        acres[unit] += area
    by_id = {u.id: acres[i] for i, u in enumerate(load.site.ground_units)}
    phases = sorted(load.site.phases, key=lambda p: (p.start, p.end))
    columns: dict[str, list[Any]] = {
        "activity": [p.id for p in phases],
        "start": [p.start for p in phases],
        "end": [p.end for p in phases],
        "acres": [sum(by_id[u] for u in p.units) for p in phases],
        "units": [list(p.units) for p in phases],
    }
    return columns
