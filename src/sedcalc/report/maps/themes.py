"""What maps show: the cells of a gridded site, and each quantity on them as a grid."""

from typing import Any, Final

import numpy as np

from sedcalc.compliance.ordinance import Ordinance, load_ordinance
from sedcalc.compliance.ruling import Ruling
from sedcalc.findings import input_error
from sedcalc.load.ground import CellRasters, ClassValues
from sedcalc.load.load_table import SedimentLoad
from sedcalc.load.zonal import Codes, Factor, blocks, in_block
from sedcalc.site.submission import Phase
from sedcalc.terrain.grid import Grid

Result = Ruling | SedimentLoad
"""What a map is drawn of."""

OUTSIDE: Final = -1
"""Index of cells that are no part of the site."""


def load_of(result: Result) -> SedimentLoad:
    """Return the load of a result.

    Parameters
    ----------
    result
        A ruling or a load.
    """
    return result.load if isinstance(result, Ruling) else result


def ordinance_of(result: Result) -> Ordinance:
    """Return the ordinance that a result was ruled by, or the one that its site names.

    Parameters
    ----------
    result
        A ruling or a load.
    """
    if isinstance(result, Ruling):
        return result.ordinance
    return load_ordinance(result.site.ordinance, folder=result.site.folder)


def cells_of(load: SedimentLoad) -> CellRasters:
    """Return the cells of a gridded site.

    Parameters
    ----------
    load
        The load.

    Raises
    ------
    InputError
        The site has no cells.
    """
    if load.ground.rasters is None:
        raise input_error("no-rasters", "a tabular site has no map; describe it with [grid]", "grid")
    return load.ground.rasters


def phase_of(load: SedimentLoad, phase: str) -> tuple[int, Phase]:
    """Return index and phase of an id.

    Parameters
    ----------
    load
        The load.
    phase
        Id of the phase.

    Raises
    ------
    InputError
        No phase has this id; the message lists those there are.
    """
    for number, found in enumerate(load.site.phases):
        if found.id == phase:
            return number, found
    names = ", ".join(repr(p.id) for p in load.site.phases)
    raise input_error("unknown-phase", f"no phase has the id {phase!r}; there are {names}")


def surface_of(load: SedimentLoad, phase: str | None) -> int | None:
    """Return the phase that sets the surface of a phase's units; None: the ground as it was.

    Parameters
    ----------
    load
        The load.
    phase
        Id of a phase: the last surface among those of its units. None: the last surface of the project.

    Raises
    ------
    InputError
        No phase has this id.
    """
    if phase is not None:
        phase_of(load, phase)
    spans = [s for s in load.schedule.spans if phase is None or (s.state == "phase" and s.label == phase)]
    graded = [s.slope_phase for s in spans if s.slope_phase is not None]
    return max(graded, key=lambda s: load.site.phases[s].start) if graded else None


def phase_soil_loss(result: Result, phase: str) -> Grid:
    """Return the soil loss of each cell over the days of a phase.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    phase
        Id of the phase.

    Returns
    -------
    Grid
        R f K LS C P, tons/acre over the phase's days, float32, on the cells of the units the phase names; NaN
        elsewhere. Before delivery ratio and practices. Times the acres of a cell it adds up to the soil loss of the
        phase's rows in the load table.

    Raises
    ------
    InputError
        The site has no cells, or no phase of this id.
    """
    load = load_of(result)
    cells = cells_of(load)
    _, found = phase_of(load, phase)
    rows, plan = load.ground.rows, load.schedule
    fractions: dict[int, float] = dict(zip(rows.span.tolist(), load.columns["ei_fraction"], strict=True))
    values = np.full(cells.piece.shape, np.nan, dtype=np.float32)
    for number, span in enumerate(plan.spans):
        if span.state != "phase" or span.label != found.id or number not in fractions:
            continue
        of_unit = np.append(load.ground.pieces.unit == span.unit, False)  # the last stands for -1
        factors: list[Factor] = [cells.R, cells.K, cells.LS[span.slope_phase], cells.C[number], cells.P[number]]
        for block in blocks(values.shape):
            here = of_unit[cells.piece[block]]
            if not here.any():
                continue
            loss: Any = float(fractions[number])
            for factor in factors:
                part = in_block(factor, block)
                loss = loss * (part[here].astype(np.float64) if isinstance(part, np.ndarray) else part)
            values[block][here] = loss
    return cells.grid.with_values(values)


def slope_length_steepness(result: Result, phase: str | None = None) -> Grid:
    """Return LS of each cell of the site.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    phase
        Id of a phase, for LS of its surface; by default of the project's last.

    Returns
    -------
    Grid
        LS as the rows use it, dimensionless; NaN outside the site.

    Raises
    ------
    InputError
        The site has no cells, or no phase of this id.
    """
    load = load_of(result)
    cells = cells_of(load)
    values = cells.LS[_surface(load, phase, cells.LS)]
    return cells.grid.with_values(np.where(cells.piece >= 0, values, np.nan).astype(np.float32))


def steepness(result: Result, phase: str | None = None) -> Grid:
    """Return the slope of each cell of the site, percent.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    phase
        Id of a phase, for the slope of its surface; by default of the project's last.

    Returns
    -------
    Grid
        The slope that LS was computed with, %; NaN outside the site.

    Raises
    ------
    InputError
        The site has no cells, no phase of this id, or LS was given and there are no elevations.
    """
    load = load_of(result)
    cells = cells_of(load)
    surface = elevations(load, phase)
    if surface is None:
        raise input_error("no-elevations", "LS was given as a raster; slopes need grid.dem", "grid.dem")
    from sedcalc.terrain.ls_raster import ls_raster

    percent = ls_raster(surface, routing="d8").slope * 100.0  # the slope does not depend on the routing
    return cells.grid.with_values(np.where(cells.piece >= 0, percent, np.nan).astype(np.float32))


def erodibility(result: Result) -> Grid:
    """Return K of each cell of the site, ton ac h/(hundreds of ac ft tonf in).

    Parameters
    ----------
    result
        Ruling or load of a gridded site.

    Raises
    ------
    InputError
        The site has no cells.
    """
    cells = cells_of(load_of(result))
    whole = slice(0, cells.piece.shape[0])
    values = np.asarray(in_block(cells.K, whole))
    return cells.grid.with_values(np.where(cells.piece >= 0, values, np.nan).astype(np.float32))


def elevations(load: SedimentLoad, phase: str | None) -> Grid | None:
    """Return the surface of a phase, or the project's last; None where LS was given.

    Parameters
    ----------
    load
        Load of a gridded site.
    phase
        Id of a phase, or None.
    """
    cells = cells_of(load)
    if not cells.elevation:
        return None
    values = cells.elevation[_surface(load, phase, cells.elevation)]
    return cells.grid.with_values(values, z_unit_m=cells.grid.z_unit_m)


def _surface(load: SedimentLoad, phase: str | None, surfaces: Any) -> int | None:
    found = surface_of(load, phase)
    return found if found in surfaces else next(iter(surfaces))


def unit_of_cells(load: SedimentLoad) -> Codes:
    """Return the index of each cell's ground unit, (rows, cols); -1 outside the site.

    Parameters
    ----------
    load
        Load of a gridded site.
    """
    return _by_piece(load, load.ground.pieces.unit)


def area_of_cells(load: SedimentLoad) -> Codes:
    """Return the index of each cell's drainage area, (rows, cols); -1 outside the site.

    Parameters
    ----------
    load
        Load of a gridded site.
    """
    return _by_piece(load, load.ground.pieces.drainage_area)


def _by_piece(load: SedimentLoad, index: Any) -> Codes:
    codes: Codes = np.append(index, OUTSIDE).astype(np.int32)[cells_of(load).piece]
    return codes


def soils_of_cells(load: SedimentLoad) -> dict[float, str] | None:
    """Return the soils by their K; None where K comes from a raster.

    Parameters
    ----------
    load
        Load of a gridded site.
    """
    of_cells = cells_of(load).K
    if not isinstance(of_cells, ClassValues):
        return None
    found: dict[float, list[str]] = {float(k): [] for k in np.unique(of_cells.values[:-1])}
    for soil, k in zip(load.ground.pieces.soil, load.ground.pieces.K.tolist(), strict=True):
        names = found[min(found, key=lambda value: abs(value - k))]  # K of a piece is a mean over its cells
        if soil not in names:
            names.append(soil)
    return {k: ", ".join(names) for k, names in found.items() if names}
