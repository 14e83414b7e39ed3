"""Polygons and lines of a site, from GeoPackage or GeoJSON, onto the cells of a grid.

A GeoPackage is opened by its own driver alone. GeoJSON is parsed here, because GDAL follows links in it.
"""

import json
import math
import os
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc import units
from sedcalc.findings import Finding, InputError, input_error
from sedcalc.io.crs import parse_crs
from sedcalc.io.gdal_guard import GDAL_OPTIONS, checked_path
from sedcalc.limits import refuse_over
from sedcalc.terrain.grid import Grid

Value = str | int | float
Feature = tuple[Value, Any]  # the value of the attribute, and a shapely geometry

_SQLITE: Final = b"SQLite format 3\0"
_MOST_VALUE_BYTES: Final = 200 * 2**20  # of one value in a database, whatever an expression in it may ask for
_PLAIN_TABLE: Final = re.compile(r"\s*CREATE\s+TABLE\b(?!.*\bAS\s*\()", re.IGNORECASE | re.DOTALL)
"""What makes a table that holds its values: neither virtual, nor with columns that are computed when they are read."""

_MOST_NEIGHBOURS: Final = 500_000
_CHUNK: Final = 256  # polygons whose neighbours are looked up at once, so that the pairs stay few

_DRAWING_NOISE_M2: Final = units.SQUARE_FOOT_M2
"""Overlaps up to a square foot come from rounding where polygons share an edge, and are not reported."""

_POLYGONS: Final = ("Polygon", "MultiPolygon")
_LINES: Final = ("LineString", "MultiLineString")
_POINTS: Final = ("Point", "MultiPoint")


@dataclass(frozen=True, eq=False)
class ZoneMap:
    """Which polygon's value each cell has.

    Parameters
    ----------
    index
        int32, shape of the grid: position in `values`; -1 where there is no polygon or no elevation.
    values
        Values of the attribute, in the order in which they first appear in the file.
    acres
        Area of the cells of each value, acres.
    overlaps
        ``(value a, value b, acres)`` of polygons with different values that overlap, by their exact shapes.
    gap_acres
        Cells of the grid with a value of its own that no polygon covers, acres.
    outside_acres
        Area of the polygons beyond the edge of the grid, acres, by their exact shapes.
    """

    index: npt.NDArray[np.int32]
    values: tuple[Value, ...]
    acres: tuple[float, ...]
    overlaps: tuple[tuple[Value, Value, float], ...]
    gap_acres: float
    outside_acres: float


def read_polygons(
    path: str | os.PathLike[str],
    attribute: str,
    grid: Grid,
    *,
    layer: str | None = None,
    what: str = "polygons",
    where: str | None = None,
    inside: Path | None = None,
) -> list[Feature]:
    """Read polygons and the value of one attribute, in the CRS of a grid.

    Parameters
    ----------
    path
        GeoPackage or GeoJSON.
    attribute
        Name of the attribute.
    grid
        Its CRS is where the polygons are reprojected to.
    layer
        Layer of a GeoPackage; needed where there are several.
    what, where
        For messages.
    inside
        Folder the file must lie in.

    Returns
    -------
    list of (value, geometry)
        One per feature, in the order of the file; shapely polygons or multipolygons.

    Raises
    ------
    InputError
        The file is missing or unreadable, the layer or attribute does not exist, a value is missing, a
        geometry is missing, not a polygon, or invalid, or the CRS is missing, a link, or unknown.

    Notes
    -----
    GeoJSON without a ``crs`` member is in degrees, longitude first [1]_; the older ``crs`` member of type
    ``name`` is read, of type ``link`` refused.

    References
    ----------
    .. [1] IETF RFC 7946, The GeoJSON Format (2016), section 4.
    """
    return _read(path, attribute, grid, layer, _POLYGONS, what, where, inside)


def read_barriers(
    path: str | os.PathLike[str],
    grid: Grid,
    *,
    layer: str | None = None,
    what: str = "barriers",
    where: str | None = None,
    inside: Path | None = None,
) -> npt.NDArray[np.bool_]:
    """Read lines and polygons that end slope length, or of channels or walls, as a mask on the cells of a grid.

    Parameters
    ----------
    path, grid, layer, what, where, inside
        As in `read_polygons`.

    Returns
    -------
    ndarray of bool
        Shape of the grid: True in every cell that a line or polygon touches, so that a line has no gaps.

    Raises
    ------
    InputError
        As in `read_polygons`, or no cell of the grid is touched.
    """
    features = _read(path, None, grid, layer, _LINES + _POLYGONS, what, where, inside)
    mask: npt.NDArray[np.bool_] = _burn([(geometry, 1) for _, geometry in features], grid, 0, all_touched=True) == 1
    if not mask.any():
        raise input_error(
            "barriers-outside", f"{what}: none lies on the DEM; check their CRS and place", where or os.fspath(path)
        )
    return mask


def read_mask(
    path: str | os.PathLike[str],
    grid: Grid,
    *,
    layer: str | None = None,
    what: str,
    where: str | None = None,
    inside: Path | None = None,
) -> npt.NDArray[np.bool_]:
    """Read polygons, as a mask of the cells whose centre lies in one.

    Parameters
    ----------
    path, grid, layer, what, where, inside
        As in `read_polygons`.

    Raises
    ------
    InputError
        As in `read_polygons`, or no cell of the grid has its centre in one.
    """
    features = _read(path, None, grid, layer, _POLYGONS, what, where, inside)
    mask: npt.NDArray[np.bool_] = _burn([(geometry, 1) for _, geometry in features], grid, 0, all_touched=False) == 1
    if not mask.any():
        text = f"{what}: none holds the centre of a cell of the DEM; check their CRS and place"
        raise input_error("polygons-outside", text, where or os.fspath(path))
    return mask


def read_places(
    path: str | os.PathLike[str],
    attribute: str,
    grid: Grid,
    *,
    layer: str | None = None,
    what: str = "outfalls",
    where: str | None = None,
    inside: Path | None = None,
) -> list[Feature]:
    """Read outfalls and practices, points, lines or polygons, with their ids, in the CRS of a grid.

    Parameters
    ----------
    path, attribute, grid, layer, what, where, inside
        As in `read_polygons`.

    Raises
    ------
    InputError
        As in `read_polygons`.
    """
    return _read(path, attribute, grid, layer, _POINTS + _LINES + _POLYGONS, what, where, inside)


def cells_of_place(geometry: Any, grid: Grid) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return rows and columns of the cells that points lie in, a line touches, or a polygon touches.

    Parameters
    ----------
    geometry
        In the CRS of the grid.
    grid
        The cells; what lies beyond them is left out.
    """
    row, col = np.nonzero(_burn([(geometry, 1)], grid, 0, all_touched=True))
    return row.astype(np.int64), col.astype(np.int64)


def zone_polygons(index: npt.NDArray[np.int32], values: Sequence[Value], grid: Grid) -> list[Feature]:
    """Return the outline of each zone of cells, along the edges of the cells.

    Parameters
    ----------
    index
        Position in `values` of each cell, negative where there is none; shape of the grid.
    values
        Value of each zone.
    grid
        The cells.

    Returns
    -------
    list of (value, geometry)
        A shapely polygon or multipolygon for each zone that has cells, in the order of `values`.
    """
    import shapely
    import shapely.geometry
    from rasterio.features import shapes
    from rasterio.transform import Affine

    parts: dict[int, list[Any]] = {}
    for outline, number in shapes(index, mask=index >= 0, connectivity=4, transform=Affine(*grid.transform)):
        parts.setdefault(int(number), []).append(shapely.geometry.shape(outline))
    return [(values[k], shapely.union_all(parts[k])) for k in sorted(parts)]


def rasterize_zones(features: Sequence[Feature], grid: Grid) -> ZoneMap:
    """Give each cell the value of the polygon that its centre lies in.

    Parameters
    ----------
    features
        From `read_polygons`, in the CRS of the grid. Several polygons may have one value.
    grid
        Cells; those without a value stay without a zone.

    Returns
    -------
    ZoneMap
        Where polygons of different values overlap, the first in the list has the cell; the overlap is
        reported.
    """
    import shapely

    order = tuple(dict.fromkeys(value for value, _ in features))
    number = {value: i for i, value in enumerate(order)}
    shapes = [(geometry, number[value]) for value, geometry in reversed(features)]
    index = _burn(shapes, grid, -1, all_touched=False)
    valid = grid.valid
    index[~valid] = -1
    to_acres = grid.xy_unit_m**2 / units.ACRE_M2
    frame = shapely.box(*grid.bounds)
    outside = sum(float(g.area - g.intersection(frame).area) for _, g in features)
    cells = np.bincount(index[index >= 0], minlength=len(order))
    return ZoneMap(
        index=index,
        values=order,
        acres=tuple(float(n) * grid.cell_acres for n in cells),
        overlaps=tuple(_overlaps(features, to_acres)),
        gap_acres=float(np.count_nonzero(valid & (index < 0))) * grid.cell_acres,
        outside_acres=outside * to_acres if outside * grid.xy_unit_m**2 > _DRAWING_NOISE_M2 else 0.0,
    )


def _overlaps(features: Sequence[Feature], to_acres: float) -> list[tuple[Value, Value, float]]:
    import shapely

    geometries = [geometry for _, geometry in features]
    tree = shapely.STRtree(geometries)
    found: dict[tuple[Value, Value], float] = {}
    pairs = 0
    for start in range(0, len(geometries), _CHUNK):
        first, second = tree.query(geometries[start : start + _CHUNK], predicate="intersects")
        for i, j in sorted(zip((first + start).tolist(), second.tolist(), strict=True)):
            a, b = features[i][0], features[j][0]
            if i < j and a != b:
                pairs += 1
                key = (a, b) if (b, a) not in found else (b, a)
                found[key] = found.get(key, 0.0) + float(geometries[i].intersection(geometries[j]).area) * to_acres
        if pairs > _MOST_NEIGHBOURS:
            message = f"over {_MOST_NEIGHBOURS:,} pairs of polygons meet or overlap; they are no division of the ground"
            raise input_error("polygons-overlap", message)
    noise = _DRAWING_NOISE_M2 / units.ACRE_M2
    return [(a, b, acres) for (a, b), acres in found.items() if acres > noise]


def _burn(shapes: Iterable[tuple[Any, int]], grid: Grid, fill: int, *, all_touched: bool) -> npt.NDArray[np.int32]:
    pairs = list(shapes)
    if not pairs:
        return np.full(grid.shape, fill, np.int32)
    from rasterio.features import rasterize
    from rasterio.transform import Affine

    burnt: npt.NDArray[np.int32] = rasterize(
        pairs,
        out_shape=grid.shape,
        transform=Affine(*grid.transform),
        fill=fill,
        dtype="int32",
        all_touched=all_touched,
    )
    return burnt


def _read(
    path: str | os.PathLike[str],
    attribute: str | None,
    grid: Grid,
    layer: str | None,
    kinds: tuple[str, ...],
    what: str,
    where: str | None,
    inside: Path | None,
) -> list[Feature]:
    import shapely

    if grid.crs is None:
        raise input_error("crs-missing", f"{what}: the grid has no CRS to bring them to; give it one", where)
    file = checked_path(path, what, inside=inside, where=where)
    place = where or file.name
    refuse_over("polygon_bytes", file.stat().st_size, place, what=what, code="file-too-large")
    with file.open("rb") as stream:
        is_geopackage = stream.read(len(_SQLITE)) == _SQLITE
    if is_geopackage:
        _check_database(file, what, place)
        rows, crs = _geopackage(file, layer, what, place)
    else:
        rows, crs = _geojson(file, what, place)
    refuse_over("polygons", len(rows), place, what=what)
    refuse_over("vertices", sum(int(shapely.get_num_coordinates(g)) for _, g in rows), place, what=what)
    features, problems = _checked(rows, attribute, kinds, what, place)
    if problems:
        raise InputError(problems)
    return _reprojected(features, crs, grid.crs, what, place)


def _check_database(file: Path, what: str, place: str) -> None:
    """Refuse a GeoPackage whose layers are no plain tables, or have too many rows, before GDAL opens it.

    A view can stand for any computation, an endless one among them.
    """
    try:
        connection = sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE_BYTES)
            layers = connection.execute("SELECT table_name FROM gpkg_contents LIMIT 1000").fetchall()
            for (name,) in layers:
                kind = connection.execute(
                    "SELECT type, sql FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')",
                    (name,),
                ).fetchone()
                if kind is None or kind[0] != "table" or not _PLAIN_TABLE.match(str(kind[1])):
                    message = f"{what}: layer {str(name)[:60]!r} is no plain table; save it as a new file in the GIS"
                    raise input_error("vector-unreadable", message, place)
                table = str(name).replace('"', '""')
                (count,) = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
                refuse_over("polygons", count, place, what=what)
        finally:
            connection.close()
    except (sqlite3.Error, UnicodeError) as error:
        raise input_error("vector-unreadable", f"{what}: not a readable GeoPackage ({error})", place) from None


def _geopackage(file: Path, layer: str | None, what: str, place: str) -> tuple[list[tuple[dict[str, Any], Any]], str]:
    import geopandas
    import pyogrio
    from pyogrio.errors import DataLayerError, DataSourceError

    before = {name: pyogrio.get_gdal_config_option(name) for name in GDAL_OPTIONS}
    pyogrio.set_gdal_config_options(GDAL_OPTIONS)
    try:
        layers = [str(name) for name, kind in pyogrio.list_layers(f"GPKG:{file}") if kind is not None]
        if layer is None and len(layers) != 1:
            raise input_error(
                "layer-unknown", f"{what}: name one of the file's layers: {', '.join(layers) or 'it has none'}", place
            )
        if layer is not None and layer not in layers:
            raise input_error(
                "layer-unknown", f"{what}: there is no layer {layer!r}; the file has {', '.join(layers)}", place
            )
        frame = geopandas.read_file(f"GPKG:{file}", layer=layer or layers[0], engine="pyogrio")
    except (DataSourceError, DataLayerError) as error:
        raise input_error("vector-unreadable", f"{what}: not a readable GeoPackage ({error})", place) from None
    finally:
        pyogrio.set_gdal_config_options(before)
    if frame.crs is None:
        raise input_error("crs-missing", f"{what}: the layer has no CRS; set it in the GIS and save again", place)
    names = [name for name in frame.columns if name != frame.geometry.name]
    records = frame[names].to_dict("records") if names else [{} for _ in range(len(frame))]
    return list(zip(records, frame.geometry, strict=True)), frame.crs.to_wkt()


def _geojson(file: Path, what: str, place: str) -> tuple[list[tuple[dict[str, Any], Any]], str]:
    import shapely.geometry

    def refuse(text: str) -> InputError:
        return input_error("vector-unreadable", f"{what}: {text}; save it as GeoPackage or GeoJSON", place)

    try:
        content = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        raise refuse("the file is neither GeoPackage nor JSON") from None
    if not isinstance(content, dict) or content.get("type") != "FeatureCollection":
        raise refuse("the file is not a GeoJSON FeatureCollection")
    crs = _geojson_crs(content.get("crs"), what, place)
    features = content.get("features")
    if not isinstance(features, list):
        raise refuse("'features' is not a list")
    refuse_over("polygons", len(features), place, what=what)
    rows: list[tuple[dict[str, Any], Any]] = []
    for number, feature in enumerate(features):
        try:
            geometry = shapely.geometry.shape(feature["geometry"]) if feature["geometry"] else None
            rows.append((dict(feature.get("properties") or {}), geometry))
        except Exception:  # shapely raises many kinds for malformed coordinates
            raise refuse(f"features[{number}] is no GeoJSON feature") from None
    return rows, crs


def _geojson_crs(member: Any, what: str, place: str) -> str:
    if member is None:
        return "EPSG:4326"
    name = None
    if isinstance(member, dict) and member.get("type") == "name" and isinstance(member.get("properties"), dict):
        name = member["properties"].get("name")
    if isinstance(name, str):
        text = name.upper().replace("URN:OGC:DEF:CRS:", "").replace("::", ":")
        if text in ("OGC:1.3:CRS84", "OGC:CRS84"):
            return "EPSG:4326"
        if text.startswith("EPSG:") and text[5:].isdigit():
            return text
    raise input_error(
        "crs-unknown",
        f"{what}: the file's crs must be a name such as urn:ogc:def:crs:EPSG::26916 (links are not "
        "followed), or left "
        "out for longitude and latitude",
        place,
    )


def _checked(
    rows: list[tuple[dict[str, Any], Any]], attribute: str | None, kinds: tuple[str, ...], what: str, place: str
) -> tuple[list[Feature], list[Finding]]:
    """Return the features that are sound, and what is wrong with the others."""
    import shapely

    problems: list[Finding] = []
    features: list[Feature] = []

    def wrong(code: str, number: int, text: str) -> None:
        problems.append(Finding(code, "error", f"{what}: {text}", f"{place}[{number}]"))

    if not rows:
        problems.append(Finding("vector-empty", "error", f"{what}: the file has no features", place))
    for number, (record, geometry) in enumerate(rows):
        value = 0 if attribute is None else record.get(attribute)
        if attribute is not None and attribute not in record:
            names = ", ".join(sorted(map(str, record))) or "none"
            wrong("attribute-missing", number, f"no attribute {attribute!r}; there are: {names}")
        elif not isinstance(value, str | int | float) or isinstance(value, bool) or value != value:
            wrong("attribute-empty", number, f"attribute {attribute!r} is {value!r}; give a text or a number")
        elif geometry is None or geometry.is_empty or geometry.geom_type not in kinds:
            kind = "none" if geometry is None else "empty" if geometry.is_empty else geometry.geom_type
            wrong("geometry-kind", number, f"the geometry is {kind}; give {' or '.join(kinds)}")
        elif not geometry.is_valid:
            reason = shapely.is_valid_reason(geometry)
            wrong("geometry-invalid", number, f"the geometry is invalid ({reason}); repair it in the GIS")
        else:
            features.append((value, geometry))
    return features, problems


def _reprojected(features: list[Feature], source: str, target: str, what: str, place: str) -> list[Feature]:
    import pyproj
    import shapely

    start, end = parse_crs(source, what=what, where=place), parse_crs(target)
    if start.is_compound:
        start = start.sub_crs_list[0]
    if start == end:
        return features
    try:
        move = pyproj.Transformer.from_crs(start, end, always_xy=True)
    except pyproj.exceptions.ProjError:
        message = f"{what}: nothing leads from their CRS ({source[:40]}) to that of the raster; reproject them first"
        raise input_error("crs-unknown", message, place) from None

    def moved(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.column_stack(move.transform(points[:, 0], points[:, 1]))

    result = [(value, shapely.transform(geometry, moved)) for value, geometry in features]
    for number, (_, geometry) in enumerate(result):
        if not all(map(math.isfinite, geometry.bounds)):
            raise input_error(
                "vector-outside-crs",
                f"{what}: the coordinates do not fit their CRS ({source[:40]}): longitude and latitude "
                "exchanged, or "
                "a projected CRS that the file does not name",
                f"{place}[{number}]",
            )
    return result
