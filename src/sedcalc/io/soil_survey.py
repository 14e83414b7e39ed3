"""Soil surveys: SSURGO and gSSURGO tables to K, hydrologic group and texture of each map unit, and to a K raster.

A survey has three tables: map units (``mukey``), their components (``cokey``, percent of the map unit), and the
horizons of each component (depths in cm, kffact and kwfact, separates).
"""

import csv
import itertools
import math
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors.erodibility import K_UPPER_LIMIT, texture_class
from sedcalc.findings import EnvironmentFault, Finding, input_error
from sedcalc.io.gdal_guard import checked_path
from sedcalc.limits import most, refuse_over
from sedcalc.terrain.grid import Grid
from sedcalc.units import INCH_MM

if TYPE_CHECKING:
    import pandas as pd

KFactor = Literal["kffact", "kwfact"]
"""``"kffact"``: K of the fine earth; ``"kwfact"``: K of the whole soil, lowered for rock fragments."""

MAX_MISSING_PCT: Final = 20.0
"""Share of a map unit, by component percent and depth, that may be without K, %. A convention of this project."""

SSURGO: Final = "USDA-NRCS, Soil Survey Geographic Database (SSURGO)"

_COLUMNS: Final = {
    "mapunit": ("mukey", "musym", "muname"),
    "component": ("cokey", "mukey", "compname", "comppct_r", "hydgrp"),
    "chorizon": ("cokey", "hzdept_r", "hzdepb_r", "kffact", "kwfact", "sandtotal_r", "silttotal_r", "claytotal_r"),
}
_OPTIONAL: Final = ("compname", "kffact", "kwfact", "sandtotal_r", "silttotal_r", "claytotal_r")
_EXPORT_FILES: Final = {"mapunit": "mapunit.txt", "component": "comp.txt", "chorizon": "chorizon.txt"}
_SQLITE: Final = b"SQLite format 3\0"
_PERCENT_SLACK: Final = 0.5  # component percents are whole numbers
_DEPTH_SLACK_CM: Final = 1e-9
_MAX_FIELD_BYTES: Final = 16 * 2**20  # the export's metadata stands in single cells of many kilobytes

_Rows = list[dict[str, str]]


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

    mapunit: _Rows
    component: _Rows
    chorizon: _Rows
    source: str


@dataclass(frozen=True, eq=False, slots=True)
class SurveyErodibility:
    """Map units of a survey as columns, shape (n,) each, in the order of their table.

    Parameters
    ----------
    mukey, musym, muname
        Key, symbol and name of the map unit.
    K
        Erodibility, ton ac h/(hundreds of ac ft tonf in); NaN where the map unit is refused.
    missing_pct
        Share of the map unit without K, by component percent and depth, %.
    hydrologic_group
        Group that takes the most of the map unit: A, B, C, D, or a dual group such as C/D; empty where none is given.
    hydrologic_group_pct
        Share of the map unit that this group takes, %.
    texture
        USDA texture class that takes the most of the exposed depth; empty where no horizon has separates.
    texture_pct
        Share of the map unit, by component percent and depth, that this class takes, %.
    source
        Survey, map unit, factor and depth in words, for ``K_source`` of a site file.
    factor
        ``"kffact"`` or ``"kwfact"``.
    depth_cm
        Top and bottom of the exposed soil below the surveyed surface, cm.
    max_missing_pct
        Largest `missing_pct` that has a K, %.
    findings
        What a reader must know; an error for every map unit that is refused.
    """

    mukey: NDArray[np.str_]
    musym: NDArray[np.str_]
    muname: NDArray[np.str_]
    K: NDArray[np.float64]
    missing_pct: NDArray[np.float64]
    hydrologic_group: NDArray[np.str_]
    hydrologic_group_pct: NDArray[np.float64]
    texture: NDArray[np.str_]
    texture_pct: NDArray[np.float64]
    source: NDArray[np.str_]
    factor: KFactor
    depth_cm: tuple[float, float]
    max_missing_pct: float
    findings: tuple[Finding, ...]

    @property
    def table(self) -> "pd.DataFrame":
        """The map units as a pandas DataFrame, one row each."""
        import pandas as pd

        names = ("mukey", "musym", "muname", "K", "missing_pct", "hydrologic_group", "hydrologic_group_pct")
        return pd.DataFrame({name: getattr(self, name) for name in (*names, "texture", "texture_pct", "source")})

    def k_by_mukey(self) -> dict[str, float]:
        """Return K of each map unit by its key; NaN where it is refused."""
        return dict(zip(self.mukey.tolist(), self.K.tolist(), strict=True))


@dataclass(frozen=True, eq=False, slots=True)
class ErodibilityRaster:
    """K on the cells of a grid, from soil polygons.

    Parameters
    ----------
    grid
        K, in the unit given, as a `Grid`; NaN where too little of the cell has a K.
    missing_pct
        Share of each cell, shape of the grid, that no polygon with a K covers, %.
    findings
        What a reader must know.
    """

    grid: Grid
    missing_pct: NDArray[np.float64]
    findings: tuple[Finding, ...]


def read_soil_survey(
    path: str | os.PathLike[str] | None = None,
    *,
    mapunit: str | os.PathLike[str] | None = None,
    component: str | os.PathLike[str] | None = None,
    chorizon: str | os.PathLike[str] | None = None,
    source: str = SSURGO,
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
        Name of the survey with its area and version, for reports.

    Returns
    -------
    SoilSurvey
        The columns that `survey_erodibility` uses.

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


def survey_erodibility(
    survey: SoilSurvey,
    *,
    factor: KFactor,
    top: float,
    bottom: float,
    units: Literal["cm", "in"] = "cm",
    rock_cover_in_c: bool = False,
    max_missing_pct: float = MAX_MISSING_PCT,
    mukeys: Sequence[str] | None = None,
) -> SurveyErodibility:
    """K of each map unit over the exposed depth, with its hydrologic group and texture.

    Parameters
    ----------
    survey
        From `read_soil_survey`.
    factor
        ``"kffact"`` (fine earth) or ``"kwfact"`` (whole soil); it has no default.
    top, bottom
        Exposed soil below the surveyed surface, in `units`: 0 is the surface as it was surveyed; where topsoil is
        stripped or ground is cut, the depth of the stripping or cut is the top.
    units
        Unit of the two depths, ``"cm"`` or ``"in"``.
    rock_cover_in_c
        Whether the C of the site counts rock on the surface as cover. With ``"kwfact"`` it would count twice: refused.
    max_missing_pct
        A map unit of which a larger share has no K is refused, %, 0 to below 100.
    mukeys
        Keys of the map units to compute; all by default.

    Returns
    -------
    SurveyErodibility
        One row per map unit.

    Raises
    ------
    InputError
        `factor` is unknown, or kwfact goes with a rock cover in C; the depths are no interval of 0 to 500 cm;
        `max_missing_pct` is out of range; a key is not in the survey; the survey has no column of the factor.

    Notes
    -----
    K of a map unit is the mean of its horizons' K, each weighted by the percent of its component times the part of
    the exposed depth that the horizon takes. What has no K there (rock, urban land, water, organic layers, components
    that end above, the percent that no component is listed for) is left out of the mean and reported as missing. A map
    unit with more than `max_missing_pct` missing has no K, nor has one whose rows contradict each other (percents over
    100 in all, horizons that overlap or end above their top, a K over 0.75): the finding says what to correct.

    References
    ----------
    .. [1] USDA-NRCS. National Soil Survey Handbook, part 618.55 (soil erodibility factors, Kw and Kf).
    .. [2] Renard, K.G., et al. (1997). USDA Agriculture Handbook 703, chapter 3.
    """
    depth = _depths(top, bottom, units)
    if factor not in get_args(KFactor):
        raise input_error("unknown-k-factor", f"{factor!r} is not 'kffact' or 'kwfact'; name one", "factor")
    if factor == "kwfact" and rock_cover_in_c:
        message = "kwfact is lowered for rock fragments, and C counts rock cover: take kffact, or leave rock out of C"
        raise input_error("rock-counted-twice", message, "factor")
    if not 0.0 <= max_missing_pct < 100.0:
        raise input_error("missing-limit", f"is {max_missing_pct:g}; give 0 to below 100 %", "max_missing_pct")
    if survey.chorizon and factor not in survey.chorizon[0]:
        raise input_error("survey-column-missing", f"table chorizon has no column {factor}", "factor")
    units_wanted = _wanted(survey, mukeys)
    components = _grouped(survey.component, "mukey")
    horizons = _grouped(survey.chorizon, "cokey")
    rows = [_map_unit(u, components, horizons, factor, depth) for u in units_wanted]
    findings = []
    for unit, row in zip(units_wanted, rows, strict=True):
        where = f"map unit {unit['mukey']}"
        if row.faults:
            findings += [Finding("survey-contradiction", "error", text, where) for text in row.faults]
        elif row.missing_pct > max_missing_pct:
            message = (
                f"{unit['muname'] or unit['musym']}: {row.missing_pct:.3g} % has no {factor} from {depth[0]:g} to "
                f"{depth[1]:g} cm, over the limit of {max_missing_pct:g} %; give K with its source ({row.without})"
            )
            findings.append(Finding("survey-incomplete", "error", message, where))
        elif row.missing_pct > 0.0:
            message = f"{row.missing_pct:.3g} % has no {factor} and is left out of the mean ({row.without})"
            findings.append(Finding("survey-part-missing", "note", message, where))
    accepted = [not r.faults and r.missing_pct <= max_missing_pct for r in rows]
    said = f"{factor}, {depth[0]:g}-{depth[1]:g} cm, weighted by component percent and depth"
    return SurveyErodibility(
        mukey=_texts(u["mukey"] for u in units_wanted),
        musym=_texts(u["musym"] for u in units_wanted),
        muname=_texts(u["muname"] for u in units_wanted),
        K=np.array([r.K if ok else math.nan for r, ok in zip(rows, accepted, strict=True)], dtype=np.float64),
        missing_pct=np.array([r.missing_pct for r in rows], dtype=np.float64),
        hydrologic_group=_texts(r.group[0] for r in rows),
        hydrologic_group_pct=np.array([r.group[1] for r in rows], dtype=np.float64),
        texture=_texts(r.texture[0] for r in rows),
        texture_pct=np.array([r.texture[1] for r in rows], dtype=np.float64),
        source=_texts(
            f"{survey.source}, map unit {u['mukey']} ({u['muname'] or u['musym']}): {said}, "
            f"{r.missing_pct:.3g} % missing"
            for u, r in zip(units_wanted, rows, strict=True)
        ),
        factor=factor,
        depth_cm=depth,
        max_missing_pct=max_missing_pct,
        findings=tuple(findings),
    )


def erodibility_raster(
    soils: Iterable[tuple[Any, Any]],
    k: Mapping[str, float],
    grid: Grid,
    *,
    max_missing_pct: float = MAX_MISSING_PCT,
) -> ErodibilityRaster:
    """K on the cells of a grid from soil polygons, by the exact share of each cell that each polygon covers.

    Parameters
    ----------
    soils
        Map-unit key and polygon, in the CRS of the grid, as `sedcalc.io.vectors.read_polygons` returns them.
    k
        K by map-unit key, in any one unit, NaN where there is none (`SurveyErodibility.k_by_mukey`).
    grid
        The cells; NaN in its values does not matter.
    max_missing_pct
        A cell of which a larger share has no K gets none, %, 0 to below 100.

    Returns
    -------
    ErodibilityRaster
        K as the mean over the part of each cell that has one, in the unit of `k`.

    Raises
    ------
    InputError
        There are no polygons, a key is not in `k`, polygons overlap, `max_missing_pct` is out of range, or no cell
        gets a K.
    EnvironmentFault
        exactextract is not installed (the extra ``zonal``).

    Notes
    -----
    The mean is of K, which soil loss is linear in: a cell that two soils share loses what the two parts lose.
    """
    try:
        from exactextract import exact_extract
        from exactextract.feature import JSONFeatureSource
        from exactextract.raster import NumPyRasterSource
    except ImportError:
        raise EnvironmentFault(
            "K from soil polygons needs exactextract: install the extra zonal (pip install 'sedcalc[zonal]')"
        ) from None
    from shapely.geometry import mapping

    if not 0.0 <= max_missing_pct < 100.0:
        raise input_error("missing-limit", f"is {max_missing_pct:g}; give 0 to below 100 %", "max_missing_pct")
    polygons = [(_key(key), geometry) for key, geometry in soils]
    if not polygons:
        raise input_error("no-soil-polygons", "there are no polygons; give those of the survey area", "soils")
    unknown = sorted({key for key, _ in polygons} - k.keys())
    if unknown:
        listed = ", ".join(unknown[:5])
        message = f"{len(unknown)} map units of the polygons have no entry, first {listed}; read their tables too"
        raise input_error("unknown-map-unit", message, "k")
    west, south, east, north = grid.bounds
    cells = NumPyRasterSource(np.zeros(grid.shape, dtype=np.uint8), west, south, east, north)
    features = JSONFeatureSource(
        [
            {"type": "Feature", "properties": {"number": i}, "geometry": mapping(geometry)}
            for i, (_, geometry) in enumerate(polygons)
        ]
    )
    covered, known, weighted = (np.zeros(grid.shape[0] * grid.shape[1]) for _ in range(3))
    found = exact_extract(cells, features, ["cell_id", "coverage"], include_cols=["number"], output="geojson")
    for feature in found:
        properties = feature["properties"]
        cell = np.asarray(properties["cell_id"], dtype=np.int64)
        share = np.asarray(properties["coverage"], dtype=np.float64)
        value = k[polygons[properties["number"]][0]]
        np.add.at(covered, cell, share)
        if not math.isnan(value):
            np.add.at(known, cell, share)
            np.add.at(weighted, cell, share * value)
    over = float(covered.max())
    if over > 1.0 + 1e-3:  # shared edges digitised twice overlap by less
        row, col = divmod(int(np.argmax(covered)), grid.shape[1])
        message = f"polygons overlap: they cover the cell in row {row}, column {col} {over:.3g} times; repair them"
        raise input_error("soil-polygons-overlap", message, "soils")
    missing = 100.0 * np.maximum(1.0 - known, 0.0)
    has = (known > 0.0) & (missing <= max_missing_pct + 1e-4)  # shares come in float32
    if not has.any():
        raise input_error(
            "no-cell-with-k", "no cell of the grid gets a K; check place and CRS of the polygons", "soils"
        )
    values = np.full(known.shape, np.nan)
    values[has] = weighted[has] / known[has]
    findings = []
    without = int(np.count_nonzero(~has))
    if without:
        message = (
            f"{without:,} of {has.size:,} cells ({without * grid.cell_acres:.4g} acres) have no K: more than "
            f"{max_missing_pct:g} % of each lies outside the polygons or in map units without K"
        )
        findings.append(Finding("cells-without-k", "warning", message))
    return ErodibilityRaster(
        grid=grid.with_values(values.reshape(grid.shape), findings=tuple(findings)),
        missing_pct=missing.reshape(grid.shape),
        findings=tuple(findings),
    )


@dataclass(slots=True)
class _MapUnit:
    """What the components and horizons of a map unit come to."""

    K: float
    missing_pct: float
    group: tuple[str, float]
    texture: tuple[str, float]
    without: str
    faults: list[str]


def _map_unit(
    unit: Mapping[str, str],
    components: Mapping[str, _Rows],
    horizons: Mapping[str, _Rows],
    factor: str,
    depth: tuple[float, float],
) -> _MapUnit:
    faults: list[str] = []
    known = weighted = listed = 0.0
    groups: dict[str, float] = {}
    textures: dict[str, float] = {}
    without: list[str] = []
    keys = [c["cokey"] for c in components.get(unit["mukey"], [])]
    if len(set(keys)) < len(keys):
        faults.append(f"component {next(key for key in keys if keys.count(key) > 1)} stands twice")
    for component in components.get(unit["mukey"], []):
        name = f"component {component['cokey']}" + (f" ({component['compname']})" if component.get("compname") else "")
        percent = _number(component["comppct_r"], f"{name}, comppct_r", 0.0, 100.0, faults)
        if percent is None:
            without.append(f"{name} has no percent")
            continue
        listed += percent
        group = component["hydgrp"].strip().upper()
        if group:
            groups[group] = groups.get(group, 0.0) + percent
        with_k = 0.0
        for share, value, texture in _exposed(horizons.get(component["cokey"], []), name, factor, depth, faults):
            if value is not None:
                with_k += share
                weighted += percent * share * value
            if texture:
                textures[texture] = textures.get(texture, 0.0) + percent * share
        known += percent * with_k
        if with_k < 1.0 - _DEPTH_SLACK_CM:
            without.append(f"{name}, {percent:g} %: {100.0 * (1.0 - with_k):.3g} % of the depth")
    if listed > 100.0 + _PERCENT_SLACK:
        faults.append(f"its components add to {listed:g} %")
    if listed < 100.0 - _PERCENT_SLACK:
        without.append(f"no component listed for {100.0 - listed:.3g} %")
    total = max(listed, 100.0)
    missing = 100.0 * max(1.0 - known / total, 0.0)
    return _MapUnit(
        K=weighted / known if known > 0.0 else math.nan,
        missing_pct=0.0 if missing < 1e-9 else missing,
        group=_largest(groups),
        texture=_largest(textures),
        without="; ".join(without),
        faults=faults,
    )


def _exposed(
    rows: _Rows, name: str, factor: str, depth: tuple[float, float], faults: list[str]
) -> Iterator[tuple[float, float | None, str]]:
    """Yield, for each horizon in the exposed depth, the share of it that it takes, its K, and its texture class."""
    top, bottom = depth
    spans: list[tuple[float, float, Mapping[str, str]]] = []
    for row in rows:
        start = _number(row["hzdept_r"], f"{name}, hzdept_r", 0.0, 1000.0, faults)
        end = _number(row["hzdepb_r"], f"{name}, hzdepb_r", 0.0, 1000.0, faults)
        if start is None or end is None:
            continue
        if end < start:
            faults.append(f"{name} has a horizon from {start:g} to {end:g} cm")
        spans.append((start, end, row))
    spans.sort(key=lambda s: s[:2])
    for (_, above, _), (below, _, _) in itertools.pairwise(spans):
        if below < above - _DEPTH_SLACK_CM:
            faults.append(f"{name} has horizons that overlap at {below:g} cm")
    for start, end, horizon in spans:
        share = (min(end, bottom) - max(start, top)) / (bottom - top)
        if share > 0.0:
            k = _number(horizon[factor], f"{name} at {start:g} cm, {factor}", 0.0, K_UPPER_LIMIT, faults)
            yield share, k, _texture(horizon)


def _texture(row: Mapping[str, str]) -> str:
    """Return the texture class of a horizon; empty where its separates are missing or do not add to 100 %."""
    try:
        sand, silt, clay = (float(row[name]) for name in ("sandtotal_r", "silttotal_r", "claytotal_r"))
        return str(texture_class(sand, silt, clay))
    except (KeyError, ValueError):  # InputError is a ValueError
        return ""


def _number(text: str, what: str, low: float, high: float, faults: list[str]) -> float | None:
    """Return a cell as a number; None where it is empty, or no number in range (then a fault says so)."""
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        faults.append(f"{what} is {text.strip()!r}, not a number from {low:g} to {high:g}")
        return None
    return value


def _largest(shares: Mapping[str, float]) -> tuple[str, float]:
    """Return the name with the largest share, %, the first of equals; an empty name where there is none."""
    name = max(shares, key=lambda n: shares[n], default="")
    return name, shares.get(name, 0.0)


def _depths(top: float, bottom: float, units: str) -> tuple[float, float]:
    if units not in ("cm", "in"):
        raise input_error("unknown-units", f"{units!r} is not 'cm' or 'in'", "units")
    scale = 1.0 if units == "cm" else INCH_MM / 10.0
    deepest = 500.0
    if not 0.0 <= top < bottom <= deepest / scale:
        message = (
            f"{top:g} to {bottom:g} {units} is no depth below the surface, from 0 to {deepest / scale:.4g} {units}"
        )
        raise input_error("exposed-depth", message, "top")
    return top * scale, bottom * scale


def _wanted(survey: SoilSurvey, mukeys: Sequence[str] | None) -> _Rows:
    rows = {_key(row["mukey"]): row for row in survey.mapunit}
    if mukeys is None:
        return list(rows.values())
    unknown = [key for key in mukeys if key not in rows]
    if unknown:
        message = f"{len(unknown)} map units are not in the survey, first {unknown[0]}; read the tables of their area"
        raise input_error("unknown-map-unit", message, "mukeys")
    return [rows[key] for key in dict.fromkeys(mukeys)]


def _grouped(rows: _Rows, column: str) -> dict[str, _Rows]:
    groups: dict[str, _Rows] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def _texts(values: Iterable[str]) -> NDArray[np.str_]:
    return np.array(list(values), dtype=np.str_)


def _key(value: object) -> str:
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


def _read_export(folder: Path) -> dict[str, _Rows]:
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


def _read_headed(file: Path, name: str) -> _Rows:
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


def _read_database(file: Path) -> dict[str, _Rows]:
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
                cells = (["" if v is None else _key(v) for v in row] for row in cursor)
                tables[name] = _chosen(cells, heading, name, file.name)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise input_error("survey-unreadable", f"not a readable GeoPackage ({error})", file.name) from None
    return tables


def _chosen(cells: Iterable[list[str]], heading: Sequence[str], name: str, place: str) -> _Rows:
    """Return the columns that are used, by their names in lower case."""
    number = {title.strip().casefold(): i for i, title in enumerate(heading)}
    absent = [column for column in _COLUMNS[name] if column not in number and column not in _OPTIONAL]
    if absent:
        message = f"table {name} has no column {', '.join(absent)}; it has {', '.join(list(number)[:12]) or 'none'}"
        raise input_error("survey-column-missing", message, place)
    used = {column: number[column] for column in _COLUMNS[name] if column in number}
    keys = [column for column in used if column in ("mukey", "cokey")]
    rows: _Rows = []
    longest = most("survey_rows")
    for line, row in enumerate(cells, start=1):
        if not row:
            continue
        if len(row) != len(heading):
            message = f"table {name}: {len(row)} cells where there are {len(heading)} columns"
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
