"""The ground of a site as the calculation sees it: pieces of ground, and a row for each piece and span of days.

Slope profiles (`sedcalc.load.profiles`) and rasters (`sedcalc.load.cells`) both end here; everything after works on
these columns and does not know where they came from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import Finding

if TYPE_CHECKING:
    from sedcalc.terrain.grid import FloatArray, Grid

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces of ground with one unit, drainage area and soil: columns of length n.

    Parameters
    ----------
    unit
        Index of the ground unit, (n,).
    drainage_area
        Index of the drainage area, (n,).
    soil
        Soil id of each piece; empty text where K comes from a raster.
    acres
        Area, acres, (n,).
    R, K
        Annual erosivity and erodibility, area means, US customary, (n,).
    """

    unit: Ints
    drainage_area: Ints
    soil: tuple[str, ...]
    acres: Floats
    R: Floats
    K: Floats


@dataclass(frozen=True, slots=True)
class Rows:
    """A row for each piece and span: columns of length m.

    Parameters
    ----------
    piece, span
        Indices into the pieces and into the schedule's spans, (m,).
    LS, C, P
        Area means, dimensionless, (m,).
    tons_per_year
        Soil loss at the full annual erosivity, sum of R K LS C P times area, tons/yr, (m,).
    bare_tons_per_year
        The same with C = P = 1 and slope length without barriers: the baseline, tons/yr, (m,).
    """

    piece: Ints
    span: Ints
    LS: Floats
    C: Floats
    P: Floats
    tons_per_year: Floats
    bare_tons_per_year: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ClassValues:
    """A raster of classes with a value for each class.

    Parameters
    ----------
    index
        Class of each cell, (rows, cols), integers; -1 where there is none.
    values
        Value of each class, and NaN as one more at the end, which -1 picks.
    """

    index: NDArray[np.signedinteger[Any]]
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class CellRasters:
    """The rasters behind the rows of a gridded site.

    Parameters
    ----------
    grid
        The cells of the site, with the elevations of the first surface where a DEM gives LS.
    piece
        Index of each cell's piece, int32, (rows, cols); -1 outside the site.
    R, K
        Annual erosivity and erodibility, US customary.
    LS
        LS of each surface, by the phase that sets it (None: the ground as it was).
    elevation
        Elevations of each surface, likewise; empty where LS was given.
    C, P
        By span of the schedule.
    """

    grid: "Grid"
    piece: NDArray[np.int32]
    R: "float | FloatArray"
    K: "FloatArray | ClassValues"
    LS: "Mapping[int | None, FloatArray]"
    elevation: "Mapping[int | None, FloatArray]"
    C: "Mapping[int, float | FloatArray | ClassValues]"
    P: "Mapping[int, float | FloatArray]"


@dataclass(frozen=True, slots=True)
class Ground:
    """Pieces, rows, how they were computed, and what was found on the way.

    Parameters
    ----------
    pieces, rows
        See there.
    methods
        Method name per factor (``{"LS": ..., "K": ...}``).
    sources
        Source per value, keyed by its path in the site file.
    files
        sha256 of each file read, by the name the site gives it.
    findings
        In the order found.
    rasters
        The cells of a gridded site; None for slope profiles.
    """

    pieces: Pieces
    rows: Rows
    methods: dict[str, str]
    sources: dict[str, str]
    files: dict[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    rasters: CellRasters | None = None
