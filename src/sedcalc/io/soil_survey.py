"""Soil surveys: SSURGO and gSSURGO tables to K, hydrologic group and texture of each map unit, and to a K raster.

The tables are read by `sedcalc.io.survey_tables`, the raster is made by `sedcalc.io.soil_raster`; both are here too.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import check_name
from sedcalc.factors.erodibility import K_UPPER_LIMIT
from sedcalc.factors.soil_properties import texture_class
from sedcalc.findings import Finding, count_of, input_error
from sedcalc.io.plain_numbers import plain_number
from sedcalc.io.soil_raster import MAX_MISSING_PCT, ErodibilityRaster, check_missing_limit, erodibility_raster
from sedcalc.io.survey_tables import Rows, SoilSurvey, map_unit_key, read_soil_survey
from sedcalc.units import INCH_MM

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MAX_MISSING_PCT",
    "ErodibilityRaster",
    "KFactor",
    "SoilSurvey",
    "SurveyErodibility",
    "erodibility_raster",
    "read_soil_survey",
    "survey_erodibility",
]

KFactor = Literal["kffact", "kwfact"]
"""``"kffact"``: K of the fine earth; ``"kwfact"``: K of the whole soil, lowered for rock fragments."""

_PERCENT_SLACK: Final = 0.5  # component percents are whole numbers
_DEPTH_SLACK_CM: Final = 1e-9


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
    check_name(factor, get_args(KFactor), "factor")
    if factor == "kwfact" and rock_cover_in_c:
        message = "kwfact is lowered for rock fragments, and C counts rock cover: take kffact, or leave rock out of C"
        raise input_error("rock-counted-twice", message, "factor")
    check_missing_limit(max_missing_pct)
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
    components: Mapping[str, Rows],
    horizons: Mapping[str, Rows],
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
    rows: Rows, name: str, factor: str, depth: tuple[float, float], faults: list[str]
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
    return _texture_of(*(row.get(name, "") for name in ("sandtotal_r", "silttotal_r", "claytotal_r")))


@lru_cache(maxsize=65_536)  # many horizons of a survey have the same separates
def _texture_of(sand: str, silt: str, clay: str) -> str:
    try:
        return str(texture_class(plain_number(sand), plain_number(silt), plain_number(clay)))
    except ValueError:  # InputError is one
        return ""


def _number(text: str, what: str, low: float, high: float, faults: list[str]) -> float | None:
    """Return a cell as a number; None where it is empty, or no number in range (then a fault says so)."""
    if not text.strip():
        return None
    try:
        value = plain_number(text)
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
    check_name(units, ("cm", "in"), "units")
    scale = 1.0 if units == "cm" else INCH_MM / 10.0
    deepest = 500.0
    if not 0.0 <= top < bottom <= deepest / scale:
        message = (
            f"{top:g} to {bottom:g} {units} is no depth below the surface, from 0 to {deepest / scale:.4g} {units}"
        )
        raise input_error("exposed-depth", message, "top")
    return top * scale, bottom * scale


def _wanted(survey: SoilSurvey, mukeys: Sequence[str] | None) -> Rows:
    rows = {map_unit_key(row["mukey"]): row for row in survey.mapunit}
    if mukeys is None:
        return list(rows.values())
    unknown = [key for key in mukeys if key not in rows]
    if unknown:
        message = (
            f"{count_of(len(unknown), 'map unit is', 'map units are')} not in the survey, first "
            f"{unknown[0]}; read the tables of their area"
        )
        raise input_error("unknown-map-unit", message, "mukeys")
    return [rows[key] for key in dict.fromkeys(mukeys)]


def _grouped(rows: Rows, column: str) -> dict[str, Rows]:
    groups: dict[str, Rows] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def _texts(values: Iterable[str]) -> NDArray[np.str_]:
    return np.array(list(values), dtype=np.str_)
