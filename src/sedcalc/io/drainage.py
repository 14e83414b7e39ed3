"""Drainage areas of outfalls and practices drawn on a plan, from an elevation model."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sedcalc.findings import Finding, input_error
from sedcalc.io.vector_files import Feature
from sedcalc.io.vectors import cells_of_place, read_places, zone_polygons
from sedcalc.terrain.grid import Grid

if TYPE_CHECKING:
    from sedcalc.terrain.catchments import Catchments
    from sedcalc.terrain.state import BoolArray


@dataclass(frozen=True, eq=False)
class Drainage:
    """Drainage areas of places.

    Parameters
    ----------
    catchments
        Which place each cell drains to first, and the places with their acres.
    moved_m
        How far each point was moved to the flow, m, by id; 0 for lines and polygons.
    grid
        The cells.
    findings
        What a reader must know: points moved, water that meets no place.
    """

    catchments: "Catchments"
    moved_m: dict[str, float]
    grid: Grid
    findings: tuple[Finding, ...]

    @property
    def polygons(self) -> list[Feature]:
        """Outlines of the drainage areas (id, shapely geometry), each without those of places upstream."""
        ids = [p.id for p in self.catchments.places]
        return zone_polygons(self.catchments.index, ids, self.grid)


def drainage_areas(
    dem: Grid,
    places: str | os.PathLike[str],
    attribute: str,
    *,
    snap_m: float = 0.0,
    max_fill_m: float | None = None,
    walls: "BoolArray | None" = None,
    layer: str | None = None,
    where: str | None = None,
    inside: Path | None = None,
) -> Drainage:
    """Return what drains to each outfall and practice.

    Parameters
    ----------
    dem
        Elevations with ``z_unit_m`` set.
    places
        GeoPackage or GeoJSON of points, lines or polygons.
    attribute
        Attribute with their ids.
    snap_m
        A point is moved to the cell of the largest contributing area within this distance, m; 0 moves none.
    max_fill_m
        Depressions deeper than this, m, end the water that enters them; None, the default, fills all, so that all land
        drains to a place or over the edge.
    walls
        True where water cannot pass; shape of the grid.
    layer, where, inside
        As in `sedcalc.io.vectors.read_places`.

    Raises
    ------
    InputError
        As in `sedcalc.io.vectors.read_places` and `sedcalc.terrain.catchments.catchments`; an id stands twice, or the
        distance is negative.

    Notes
    -----
    Drainage areas follow the steepest neighbour (D8), as a line on a plan must. Every cell a line or polygon touches
    is part of it.
    """
    from sedcalc.terrain.catchments import Cells, catchments, snap_to_flow
    from sedcalc.terrain.conditioning import drain, with_walls
    from sedcalc.terrain.routing import route

    place = where or os.fspath(places)
    if not snap_m >= 0.0:
        raise input_error("snap-distance", f"the snapping distance must be zero or more: {snap_m!r}", place)
    if dem.z_unit_m is None:
        raise input_error("vertical-unit-missing", "DEM: state the unit of the elevations (z_units)", place)
    features = read_places(places, attribute, dem, layer=layer, where=where, inside=inside)
    surface = dem.values if walls is None else with_walls(dem.values, walls)
    drained = drain(surface, max_fill=None if max_fill_m is None else max_fill_m / dem.z_unit_m)
    flow = route(drained, dem.cell_m, routing="d8").area_in_m2 if snap_m > 0.0 else None
    cells: dict[str, Cells] = {}
    moved: dict[str, float] = {}
    for value, geometry in features:
        name = place_id(value)
        if name in cells:
            raise input_error("place-twice", f"{name!r} stands twice; join its parts, or give each its own id", place)
        cells[name], moved[name] = cells_of_place(geometry, dem), 0.0
        if flow is not None and geometry.geom_type == "Point" and len(cells[name][0]):
            row, col, away = snap_to_flow(flow, int(cells[name][0][0]), int(cells[name][1][0]), snap_m / dem.cell_m)
            cells[name] = (np.array([row]), np.array([col]))
            moved[name] = away * dem.cell_m
    found = catchments(drained, dem.cell_m, cells)
    return Drainage(found, moved, dem, tuple(_findings(found, moved, place)))


def place_id(value: Any) -> str:
    """Return the id of a place as text: a whole number without decimals, however its file stores numbers.

    Parameters
    ----------
    value
        Value of the attribute.
    """
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _findings(found: "Catchments", moved: dict[str, float], where: str) -> list[Finding]:
    notes = [
        Finding("place-moved", "note", f"{name!r} was moved by {away:.4g} m to where the most water flows", where)
        for name, away in moved.items()
        if away > 0.0
    ]
    split = [p for p in found.places if p.downstream is not None and p.downstream_share < 0.99]
    notes += [
        Finding(
            "place-splits",
            "note",
            f"of the area that passes {p.id!r} {p.downstream_share:.1%} goes to {p.downstream!r}, the rest elsewhere",
            where,
        )
        for p in split
    ]
    if found.depression_acres > 0.0:
        text = f"{found.depression_acres:.4g} acres drain into depressions that were kept, and to no outfall"
        notes.append(Finding("drains-to-depressions", "note", text, where))
    return notes
