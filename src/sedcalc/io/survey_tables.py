"""Tables of a soil survey as SSURGO and gSSURGO write them: map units, components and horizons, from text or SQLite.

A survey has three tables: map units (``mukey``), their components (``cokey``, percent of the map unit), and the
horizons of each component (depths in cm, kffact and kwfact, separates).
"""

import csv
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from sedcalc.findings import count_of, input_error
from sedcalc.io.gdal_guard import checked_path
from sedcalc.limits import most, refuse_over

_COLUMNS: Final = {
    "mapunit": ("mukey", "musym", "muname"),
    "component": ("cokey", "mukey", "compname", "comppct_r", "hydgrp"),
    "chorizon": ("cokey", "hzdept_r", "hzdepb_r", "kffact", "kwfact", "sandtotal_r", "silttotal_r", "claytotal_r"),
}
_OPTIONAL: Final = ("compname", "kffact", "kwfact", "sandtotal_r", "silttotal_r", "claytotal_r")
_EXPORT_FILES: Final = {"mapunit": "mapunit.txt", "component": "comp.txt", "chorizon": "chorizon.txt"}
_SQLITE: Final = b"SQLite format 3\0"
_MAX_FIELD_BYTES: Final = 16 * 2**20  # the export's metadata stands in single cells of many kilobytes

Rows: TypeAlias = list[dict[str, str]]
"""Rows of a table, by the names of its columns."""


@dataclass(frozen=True, slots=True)
class SoilSurvey:
    """The three tables of a soil survey as they were read.

    Parameters
    ----------
    mapunit, component, chorizon
        Rows as dicts of text, by the column names of SSURGO; a missing value is an empty text. Not to be modified.
    source
        The survey, for reports.
    """

    mapunit: Rows
    component: Rows
    chorizon: Rows
    source: str


def read_soil_survey(
    path: str | os.PathLike[str] | None = None,
    *,
    mapunit: str | os.PathLike[str] | None = None,
    component: str | os.PathLike[str] | None = None,
    chorizon: str | os.PathLike[str] | None = None,
    source: str,
) -> SoilSurvey:
    """Read the map units, components and horizons of a soil survey.

    Parameters
    ----------
    path
        The ``tabular`` folder of a SSURGO export (text without headings; ``mstab.txt`` and ``mstabcol.txt`` in it name
        tables and columns), a folder of ``mapunit``, ``component`` and ``chorizon`` with headings (.csv or .txt), or a
        gSSURGO database as GeoPackage or SQLite.
    mapunit, component, chorizon
        Instead of `path`, a file with headings for each table; comma, pipe, tab or semicolon between the columns.
    source
        Name of the survey with its area and version, for reports and ``K_source``; the tables do not tell it.

    Returns
    -------
    SoilSurvey
        The columns that `sedcalc.io.soil_survey.survey_erodibility` uses.

    Raises
    ------
    InputError
        A file or table is missing or unreadable, has no rows or lacks a column, or a row has a wrong number of cells.

    Notes
    -----
    Column names are those of SSURGO, in any case: mukey, musym, muname; cokey, mukey, comppct_r, hydgrp; cokey,
    hzdept_r, hzdepb_r, kffact and kwfact, and, for the texture, sandtotal_r, silttotal_r, claytotal_r. Others are left.

    References
    ----------
    .. [1] USDA-NRCS (2023). SSURGO Metadata: Tables and Columns Report, version 2.3.
    """
    parts = {"mapunit": mapunit, "component": component, "chorizon": chorizon}
    named = [name for name, part in parts.items() if part is not None]
    if path is not None:
        if named:
            raise input_error("survey-twice", f"path and {', '.join(named)} both name the tables; keep one", "path")
        return _survey_at(Path(path), source)
    if len(named) < len(parts):
        absent = [name for name in parts if name not in named]
        raise input_error("survey-table-missing", f"give path, or also {', '.join(absent)}", absent[0])
    tables = {n: _read_headed(_survey_path(p, f"{n} table"), n) for n, p in parts.items() if p is not None}
    return SoilSurvey(**tables, source=source)


def map_unit_key(value: object) -> str:
    """Return a key as the survey writes it: 326960, not 326960.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _survey_at(path: Path, source: str) -> SoilSurvey:
    if path.is_dir():
        if (path / "mstabcol.txt").is_file():
            return SoilSurvey(**_read_export(path), source=source)
        files = {name: _headed_file(path, name) for name in _COLUMNS}
        return SoilSurvey(**{n: _read_headed(file, n) for n, file in files.items()}, source=source)
    file = _survey_path(path, "soil survey")
    with file.open("rb") as stream:
        if stream.read(len(_SQLITE)) != _SQLITE:
            message = "soil survey: neither a folder nor a GeoPackage; give the tabular folder, or the three tables"
            raise input_error("survey-format", message, file.name)
    return SoilSurvey(**_read_database(file), source=source)


def _survey_path(path: str | os.PathLike[str], what: str, inside: Path | None = None) -> Path:
    file = checked_path(path, what, inside=inside)
    refuse_over("survey_bytes", file.stat().st_size, file.name, what=f"the {what}", code="file-too-large")
    return file


def _headed_file(folder: Path, name: str) -> Path:
    for candidate in (f"{name}.csv", f"{name}.txt"):
        if (folder / candidate).is_file():
            return _survey_path(folder / candidate, f"{name} table", inside=folder)
    message = f"there is neither {name}.csv nor {name}.txt, nor mstabcol.txt of a SSURGO export"
    raise input_error("survey-table-missing", message, str(folder))


def _read_export(folder: Path) -> dict[str, Rows]:
    """Read text without headings; mstabcol.txt has table, number and name of each column, mstab.txt the files."""
    columns: dict[str, dict[int, str]] = {}
    for row in _cells(_survey_path(folder / "mstabcol.txt", "column list", inside=folder), "|"):
        if len(row) > 2 and row[0] in _COLUMNS and row[1].strip().isdigit():
            columns.setdefault(row[0], {})[int(row[1])] = row[2]
    files = dict(_EXPORT_FILES)
    if (folder / "mstab.txt").is_file():
        for row in _cells(_survey_path(folder / "mstab.txt", "table list", inside=folder), "|"):
            if len(row) > 4 and row[0] in _COLUMNS:
                files[row[0]] = f"{row[4]}.txt"
    tables = {}
    for name in _COLUMNS:
        numbers = sorted(columns.get(name, {}))
        if numbers != list(range(1, len(numbers) + 1)) or not numbers:
            message = f"does not number the columns of table {name} from 1 on; export the survey again"
            raise input_error("survey-columns", message, "mstabcol.txt")
        file = _survey_path(folder / files[name], f"{name} table", inside=folder)
        tables[name] = _chosen(_cells(file, "|"), [columns[name][i] for i in numbers], name, file.name)
    return tables


def _read_headed(file: Path, name: str) -> Rows:
    with file.open(encoding="utf-8-sig", errors="replace") as stream:
        first = stream.readline(65_536)
    separator = max("|,\t;", key=first.count)
    cells = _cells(file, separator)
    return _chosen(cells, next(cells, []), name, file.name)


def _cells(file: Path, separator: str) -> Iterator[list[str]]:
    before = csv.field_size_limit(_MAX_FIELD_BYTES)
    try:
        with file.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
            yield from csv.reader(stream, delimiter=separator)
    except csv.Error as error:
        raise input_error("survey-unreadable", f"not a table of text ({error})", file.name) from None
    finally:
        csv.field_size_limit(before)


def _read_database(file: Path) -> dict[str, Rows]:
    """Read the tables of a GeoPackage, which is an SQLite file, without GDAL."""
    try:
        connection = sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_FIELD_BYTES)
            plain = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            names = {str(n).casefold(): str(n) for (n,) in plain}
            tables = {}
            for name in _COLUMNS:
                if name not in names:
                    raise input_error("survey-table-missing", f"there is no table {name}", file.name)
                cursor = connection.execute(f'SELECT * FROM "{names[name].replace(chr(34), chr(34) * 2)}"')
                heading = [str(column[0]) for column in cursor.description]
                cells = (["" if v is None else map_unit_key(v) for v in row] for row in cursor)
                tables[name] = _chosen(cells, heading, name, file.name)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise input_error("survey-unreadable", f"not a readable GeoPackage ({error})", file.name) from None
    return tables


def _chosen(cells: Iterable[list[str]], heading: Sequence[str], name: str, place: str) -> Rows:
    """Return the columns that are used, by their names in lower case."""
    number = {title.strip().casefold(): i for i, title in enumerate(heading)}
    absent = [column for column in _COLUMNS[name] if column not in number and column not in _OPTIONAL]
    if absent:
        message = f"table {name} has no column {', '.join(absent)}; it has {', '.join(list(number)[:12]) or 'none'}"
        raise input_error("survey-column-missing", message, place)
    used = {column: number[column] for column in _COLUMNS[name] if column in number}
    keys = [column for column in used if column in ("mukey", "cokey")]
    rows: Rows = []
    longest = most("survey_rows")
    for line, row in enumerate(cells, start=1):
        if not row:
            continue
        if len(row) != len(heading):
            message = f"table {name}: {count_of(len(row), 'cell')} for {count_of(len(heading), 'column')}"
            raise input_error("survey-row", message, f"{place} record {line}")
        record = {column: row[i].strip() for column, i in used.items()}
        if not all(record[key] for key in keys):
            raise input_error("survey-key-missing", f"table {name}: no {' or '.join(keys)}", f"{place} record {line}")
        rows.append(record)
        if len(rows) > longest:
            refuse_over("survey_rows", len(rows), place, what=f"table {name}")
    if not rows:
        raise input_error("survey-table-empty", f"table {name} has no rows", place)
    return rows
