"""Features from GeoPackage and GeoJSON files, checked one by one and brought to the CRS of a grid.

A GeoPackage is opened by its own driver alone. GeoJSON is parsed here, because GDAL follows links in it.
"""

import json
import math
import os
import re
import sqlite3
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sedcalc.findings import Finding, InputError, input_error
from sedcalc.io.crs import parse_crs
from sedcalc.io.gdal_guard import GDAL_OPTIONS, checked_path
from sedcalc.limits import refuse_over
from sedcalc.terrain.grid import Grid

Value = str | int | float
Feature = tuple[Value, Any]  # the value of the attribute, and a shapely geometry
Rows = list[tuple[dict[str, Any], Any]]  # the attributes of each feature, and its shapely geometry

SQLITE: Final = b"SQLite format 3\0"
"""How a GeoPackage begins."""

POLYGONS: Final = ("Polygon", "MultiPolygon")
LINES: Final = ("LineString", "MultiLineString")
POINTS: Final = ("Point", "MultiPoint")

_MOST_VALUE_BYTES: Final = 200 * 2**20  # of one value in a database, whatever an expression in it may ask for
_PLAIN_TABLE: Final = re.compile(r"\s*CREATE\s+TABLE\b(?!.*\bAS\s*\()", re.IGNORECASE | re.DOTALL)
"""What makes a table that holds its values: neither virtual, nor with columns that are computed when they are read."""


def read_features(
    path: str | os.PathLike[str],
    attribute: str | None,
    grid: Grid,
    layer: str | None,
    kinds: tuple[str, ...],
    what: str,
    where: str | None,
    inside: Path | None,
) -> list[Feature]:
    """Read features and the value of one attribute, in the CRS of a grid.

    Parameters
    ----------
    path
        GeoPackage or GeoJSON.
    attribute
        Name of the attribute; None for features without a value.
    grid
        Its CRS is where they are reprojected to.
    layer
        Layer of a GeoPackage; needed where there are several.
    kinds
        Kinds of geometry that are taken.
    what, where
        For messages.
    inside
        Folder the file must lie in.

    Raises
    ------
    InputError
        As in `sedcalc.io.vectors.read_polygons`.
    """
    import shapely

    if grid.crs is None:
        raise input_error("crs-missing", f"{what}: the grid has no CRS to bring them to; give it one", where)
    file = checked_path(path, what, inside=inside, where=where)
    place = where or file.name
    refuse_over("polygon_bytes", file.stat().st_size, place, what=what, code="file-too-large")
    with file.open("rb") as stream:
        is_geopackage = stream.read(len(SQLITE)) == SQLITE
    if is_geopackage:
        check_database(file, what, place)
        rows, crs = geopackage_rows(file, layer, what, place)
    elif layer is not None:
        raise input_error("layer-unknown", f"{what}: a GeoJSON file has no layer {layer!r}; leave the layer out", place)
    else:
        rows, crs = geojson_rows(file, what, place)
    refuse_over("polygons", len(rows), place, what=what)
    refuse_over("vertices", sum(int(shapely.get_num_coordinates(g)) for _, g in rows), place, what=what)
    features, problems = checked_features(rows, attribute, kinds, what, place)
    if problems:
        raise InputError(problems)
    return _reprojected(features, crs, grid.crs, what, place)


def check_database(file: Path, what: str, place: str) -> None:
    """Refuse a GeoPackage whose layers are no plain tables, or have too many rows, before GDAL opens it.

    A view can stand for any computation, an endless one among them.

    Parameters
    ----------
    file
        The file.
    what, place
        For messages.

    Raises
    ------
    InputError
        So it is.
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
        raise input_error(
            "vector-unreadable", f"{what}: not a readable GeoPackage ({error}); export it again", place
        ) from None


def geopackage_rows(file: Path, layer: str | None, what: str, place: str) -> tuple[Rows, str]:
    """Return the features of a layer of a GeoPackage, and its CRS as WKT.

    Parameters
    ----------
    file
        The file.
    layer
        Its name; None for the only one.
    what, place
        For messages.

    Raises
    ------
    InputError
        It is unreadable, or says no CRS that is known.
    """
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
                "layer-unknown", f"{what}: there is no layer {layer!r}; name one of {', '.join(layers)}", place
            )
        frame = geopandas.read_file(f"GPKG:{file}", layer=layer or layers[0], engine="pyogrio")
    except (DataSourceError, DataLayerError) as error:
        raise input_error(
            "vector-unreadable", f"{what}: not a readable GeoPackage ({error}); export it again", place
        ) from None
    finally:
        pyogrio.set_gdal_config_options(before)
    if frame.crs is None:
        raise input_error("crs-missing", f"{what}: the layer has no CRS; set it in the GIS and save again", place)
    names = [name for name in frame.columns if name != frame.geometry.name]
    records = frame[names].to_dict("records") if names else [{} for _ in range(len(frame))]
    return list(zip(records, frame.geometry, strict=True)), frame.crs.to_wkt()


def geojson_rows(file: Path, what: str, place: str) -> tuple[Rows, str]:
    """Return the features of a GeoJSON file, and its CRS as text.

    Parameters
    ----------
    file
        The file.
    what, place
        For messages.

    Raises
    ------
    InputError
        It is unreadable, or says no CRS that is known.
    """
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
    rows: Rows = []
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


def checked_features(
    rows: Rows, attribute: str | None, kinds: tuple[str, ...], what: str, place: str
) -> tuple[list[Feature], list[Finding]]:
    """Return the features that are sound, and what is wrong with the others.

    Parameters
    ----------
    rows
        Attributes and geometry of each feature.
    attribute, kinds
        As in `read_features`.
    what, place
        For messages.
    """
    import shapely

    problems: list[Finding] = []
    features: list[Feature] = []

    def wrong(code: str, number: int, text: str) -> None:
        problems.append(Finding(code, "error", f"{what}: {text}", f"{place}[{number}]"))

    if not rows:
        problems.append(
            Finding("vector-empty", "error", f"{what}: the file has no features; draw and save them", place)
        )
    names = sorted({str(name) for record, _ in rows for name in record})
    if rows and attribute is not None and attribute not in names:
        text = f"{what}: no feature has an attribute {attribute!r}; name one of: {', '.join(names)}"
        if not names:
            text = f"{what}: no feature has any attribute; give them {attribute!r} in the GIS"
        problems.append(Finding("attribute-missing", "error", text, place))
        attribute = None
    for number, (record, geometry) in enumerate(rows):
        value = 0 if attribute is None else record.get(attribute)
        if attribute is not None and attribute not in record:
            wrong("attribute-missing", number, f"it has no attribute {attribute!r}, as others have; give it one")
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
