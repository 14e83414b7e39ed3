"""K on the cells of a grid from soil polygons and the K of their map units."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import EnvironmentFault, Finding, count_of, input_error
from sedcalc.io.survey_tables import map_unit_key
from sedcalc.terrain.grid import Grid

MAX_MISSING_PCT: Final = 20.0
"""Share of a map unit, by component percent and depth, or of a cell, that may be without K, %. A convention of this
project."""


def check_missing_limit(percent: float) -> None:
    """Raise `InputError` unless a limit of what may be without K is from 0 to below 100 %."""
    if not 0.0 <= percent < 100.0:
        raise input_error("missing-limit", f"is {percent:g}; give 0 to below 100 %", "max_missing_pct")


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
        K by map-unit key, in any one unit, NaN where there is none: `k_by_mukey` of a `SurveyErodibility`.
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
        raise EnvironmentFault("K from soil polygons needs exactextract: pip install exactextract") from None
    from shapely.geometry import mapping

    check_missing_limit(max_missing_pct)
    polygons = [(map_unit_key(key), geometry) for key, geometry in soils]
    if not polygons:
        raise input_error("no-soil-polygons", "there are no polygons; give those of the survey area", "soils")
    unknown = sorted({key for key, _ in polygons} - k.keys())
    if unknown:
        listed = ", ".join(unknown[:5])
        message = (
            f"{count_of(len(unknown), 'map unit of the polygons has', 'map units of the polygons have')} "
            f"no entry, first {listed}; read their tables too"
        )
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
            f"{without:,} of {count_of(has.size, 'cell')} ({without * grid.cell_acres:.4g} acres) have no K: more than "
            f"{max_missing_pct:g} % of each lies outside the polygons or in map units without K"
        )
        findings.append(Finding("cells-without-k", "warning", message))
    return ErodibilityRaster(
        grid=grid.with_values(values.reshape(grid.shape), findings=tuple(findings)),
        missing_pct=missing.reshape(grid.shape),
        findings=tuple(findings),
    )
