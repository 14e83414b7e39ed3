"""Surfaces drawn in CAD: spot elevations, breaklines and contours from GeoPackage or GeoJSON onto a grid."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.findings import Finding, InputError, count_of, input_error
from sedcalc.io.crs import read_crs
from sedcalc.io.gdal_guard import checked_path
from sedcalc.io.rasters import ground_limits, vertical_unit
from sedcalc.io.vector_files import (
    LINES,
    POINTS,
    SQLITE,
    check_database,
    checked_features,
    geojson_rows,
    geopackage_rows,
)
from sedcalc.limits import refuse_over
from sedcalc.terrain.grid import LENGTH_UNITS_M, Grid, check_finite, grid_from_array

if TYPE_CHECKING:
    from sedcalc.terrain.tin import Misfit, TinSurface

_FLAT_SHARE: Final = 0.02  # of the cells, from which a map of LS shows the terraces


@dataclass(frozen=True, eq=False)
class Drawn:
    """A surface from a drawing.

    Parameters
    ----------
    grid
        Elevations with their unit, NaN outside the hull of the drawing; its findings say how well it fits.
    at_points, held_back
        Misfit at all points, and at spot elevations left out for the test, unit of the elevations.
    """

    grid: Grid
    at_points: "Misfit | None"
    held_back: "Misfit | None"


def read_drawing(
    path: str | os.PathLike[str],
    *,
    cell: float,
    z_units: str | None = None,
    elevation: str | None = None,
    layers: Sequence[str] | None = None,
    where: str | None = None,
    inside: Path | None = None,
) -> Drawn:
    """Grid the spot elevations, breaklines and contours of a drawing.

    Parameters
    ----------
    path
        GeoPackage or GeoJSON of points and lines in a projected CRS.
    cell
        Side of a cell, unit of the CRS, over 0.
    z_units
        Unit of the elevations, ``"m"``, ``"ft"`` or ``"us-ft"``; needed where no compound CRS says it.
    elevation
        Attribute with the elevation of each feature (contours); without it, that of the vertices (3D).
    layers
        Layers of a GeoPackage; all of its layers of geometries by default.
    where, inside
        As in `sedcalc.io.vectors.read_polygons`.

    Raises
    ------
    InputError
        The file is unreadable, a feature has no elevation or is neither point nor line, the CRS or the unit is
        missing or cannot carry slopes, or as in `sedcalc.terrain.tin.surface_of_points`.

    Notes
    -----
    Linear interpolation on a Delaunay triangulation of all vertices, lines densified to half a cell. Contours alone
    give flat tops and hollows; a warning says how much, and spot elevations or breaklines there cure it.
    """
    from sedcalc.terrain.tin import surface_of_points

    file = checked_path(path, "drawing", inside=inside, where=where)
    place = where or file.name
    spots, lines, text = _contents(file, layers, elevation, place)
    vertices = np.concatenate([*spots, *lines])
    bounds = (*vertices[:, :2].min(axis=0).tolist(), *vertices[:, :2].max(axis=0).tolist())
    facts = read_crs(text, bounds=bounds, what="drawing", where=place, vectors=True)
    unit, findings = vertical_unit(z_units, facts, None, "drawing", place)
    _check_elevations(vertices, LENGTH_UNITS_M[unit], place)
    try:
        surface = surface_of_points(np.concatenate([np.empty((0, 3)), *spots]), lines, cell)
    except InputError as error:
        raise InputError([replace(f, where=place) for f in error.findings]) from None
    grid = grid_from_array(
        surface.values, surface.transform, facts.horizontal, xy_unit_m=facts.xy_unit_m, z_unit_m=LENGTH_UNITS_M[unit]
    )
    check_finite(grid.values, "drawing", place)
    grid = replace(grid, findings=(*findings, *_fit(surface, unit, place)))
    return Drawn(grid, surface.at_points, surface.held_back)


def _contents(
    file: Path, layers: Sequence[str] | None, elevation: str | None, place: str
) -> tuple[list[npt.NDArray[np.float64]], list[npt.NDArray[np.float64]], str]:
    """Return the points and the lines as x, y, elevation, and the text of their CRS."""
    import shapely

    found: list[tuple[dict[str, Any], Any]] = []
    texts: list[str] = []
    refuse_over("polygon_bytes", file.stat().st_size, place, what="drawing", code="file-too-large")
    with file.open("rb") as stream:
        geopackage = stream.read(len(SQLITE)) == SQLITE
    if geopackage:
        check_database(file, "drawing", place)
        for layer in layers or _layers(file):
            rows, text = geopackage_rows(file, layer, "drawing", place)
            found += rows
            texts.append(text)
    else:
        found, text = geojson_rows(file, "drawing", place)
        texts.append(text)
    refuse_over("vertices", sum(int(shapely.get_num_coordinates(g)) for _, g in found), place, what="drawing")
    if len(set(texts)) > 1:
        raise InputError(Finding("crs-conflict", "error", "drawing: its layers are in different CRS", place))
    features, problems = checked_features(found, elevation, POINTS + LINES, "drawing", place)
    spots: list[npt.NDArray[np.float64]] = []
    lines: list[npt.NDArray[np.float64]] = []
    for number, (value, geometry) in enumerate(features):
        for part in shapely.get_parts(geometry):
            xyz = shapely.get_coordinates(part, include_z=True)
            if elevation is not None:
                if not isinstance(value, int | float):
                    text = f"drawing: {elevation!r} is {value!r}; give elevations as numbers"
                    problems.append(Finding("elevation-not-a-number", "error", text, f"{place}[{number}]"))
                    break
                xyz[:, 2] = float(value)
            elif np.isnan(xyz[:, 2]).any():
                text = "drawing: a vertex has no elevation; export 3D geometry, or name the attribute with it"
                problems.append(Finding("elevation-missing", "error", text, f"{place}[{number}]"))
                break
            (spots if part.geom_type == "Point" else lines).append(xyz)
    if problems:
        raise InputError(problems)
    return spots, lines, texts[0]


def _check_elevations(vertices: npt.NDArray[np.float64], z_unit_m: float, place: str) -> None:
    """Refuse vertices with an elevation that no ground has, such as a number for an unknown one."""
    low, high = ground_limits(z_unit_m)
    wrong = vertices[(vertices[:, 2] < low) | (vertices[:, 2] > high)]
    if len(wrong):
        x, y, z = wrong[0]
        text = (
            f"drawing: {count_of(len(wrong), 'vertex has', 'vertices have')} no elevation of the ground, first {z:.9g} "
            f"at x {x:.10g}, y {y:.10g}; give it, or delete the point"
        )
        raise input_error("elevation-out-of-range", text, place)


def _layers(file: Path) -> list[str]:
    import pyogrio

    return [str(name) for name, kind in pyogrio.list_layers(f"GPKG:{file}") if kind is not None]


def _fit(surface: "TinSurface", unit: str, place: str) -> list[Finding]:
    said = []
    for misfit, how in (
        (surface.at_points, "the grid is off the points of the drawing"),
        (surface.held_back, "spot elevations left out for a test were missed"),
    ):
        if misfit is not None:
            text = (
                f"{how} by {misfit.rms:.3g} {unit} (RMS), {misfit.largest:.3g} {unit} at most; "
                f"{count_of(misfit.points, 'point')}"
            )
            said.append(Finding("surface-misfit", "note", text, place))
    known = int(np.count_nonzero(~np.isnan(surface.values)))
    if surface.flat_cells > _FLAT_SHARE * known:
        text = (
            f"{surface.flat_cells / known:.1%} of the surface lies between lines of one elevation and came out flat; "
            "add spot elevations or breaklines on the tops, in the hollows and along the ditches"
        )
        said.append(Finding("flat-between-contours", "warning", text, place))
    return said
