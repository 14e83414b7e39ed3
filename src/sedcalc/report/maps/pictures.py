"""Maps of a quantity in classes: soil loss of a phase, LS, slope, K."""

from typing import TYPE_CHECKING

from sedcalc.report import style
from sedcalc.report.maps.classes import k_classes, loss_classes, ls_classes, slope_classes
from sedcalc.report.maps.drawing import draw_classes
from sedcalc.report.maps.themes import (
    Result,
    elevations,
    erodibility,
    load_of,
    ordinance_of,
    phase_of,
    phase_soil_loss,
    slope_length_steepness,
    steepness,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def soil_loss_map(
    result: Result,
    phase: str,
    ax: "Axes | None" = None,
    *,
    width_in: float = style.WIDTH_IN,
    sheet: str | None = None,
    feet_per_inch: float | None = None,
) -> "Axes":
    """Draw the soil loss of a phase in classes, on a hillshade that shows around the phase's ground.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    phase
        Id of the phase.
    ax
        Axes to draw on; by default those of a new figure.
    width_in
        Width of the new figure, inches, 3.25 to 48; a sheet has its own.
    sheet
        ``letter``, ``tabloid`` or ``arch-d``: a sheet of a plan set, laid on its long side.
    feet_per_inch
        Scale of the sheet, ft/in; by default the largest engineer's scale that holds the site.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. Save a sheet without ``bbox_inches``, so that its scale stays.

    Raises
    ------
    InputError
        The site has no cells, or no phase of this id; no such width or sheet, a scale that the ordinance does not
        allow, or a site that the sheet does not hold at its scale.

    Notes
    -----
    The classes are those of a fixed list; where the site's ordinance has a limit, it is one of the breaks, though it
    holds for the discharge of a drainage area in 12 months and not for a cell in a phase.
    """
    load = load_of(result)
    _, found = phase_of(load, phase)
    grid = phase_soil_loss(load, phase)
    standard = ordinance_of(result).standard
    classes = loss_classes(grid.values, None if standard is None else standard.limit, load.site.units)
    title = f"Soil loss: {found.id}\n{found.start} to {found.end}"
    said = "Soil loss A = R f K LS C P over the phase, before delivery and practices."
    frame = (ax, width_in, sheet, feet_per_inch)
    return draw_classes(result, grid, classes, title, said, elevations(load, phase), frame)


def ls_map(
    result: Result,
    phase: str | None = None,
    ax: "Axes | None" = None,
    *,
    width_in: float = style.WIDTH_IN,
    sheet: str | None = None,
    feet_per_inch: float | None = None,
) -> "Axes":
    """Draw LS in classes.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    phase
        Id of a phase, for the surface it lies on; by default the project's last.
    ax, width_in, sheet, feet_per_inch
        As in `soil_loss_map`; width in inches, scale in ft/in.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    InputError
        As in `soil_loss_map`.
    """
    load = load_of(result)
    grid = slope_length_steepness(load, phase)
    said = f"LS: {load.ground.methods['LS']}."
    frame = (ax, width_in, sheet, feet_per_inch)
    title = "Slope length and steepness, LS" + _of_phase(phase)
    return draw_classes(result, grid, ls_classes(grid.values), title, said, elevations(load, phase), frame)


def slope_map(
    result: Result,
    phase: str | None = None,
    ax: "Axes | None" = None,
    *,
    width_in: float = style.WIDTH_IN,
    sheet: str | None = None,
    feet_per_inch: float | None = None,
) -> "Axes":
    """Draw slopes in classes, with the ordinance's steep slope and 3H:1V among the breaks.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    phase
        Id of a phase, for the surface it lies on; by default the project's last.
    ax, width_in, sheet, feet_per_inch
        As in `soil_loss_map`; width in inches, scale in ft/in.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    InputError
        As in `soil_loss_map`, or LS was given and there are no elevations.
    """
    load = load_of(result)
    grid = steepness(load, phase)
    said = "Slope of each cell by its eight neighbours (Horn 1981), as LS is computed with."
    frame = (ax, width_in, sheet, feet_per_inch)
    classes = slope_classes(ordinance_of(result))
    return draw_classes(result, grid, classes, "Slope classes" + _of_phase(phase), said, elevations(load, phase), frame)


def k_map(
    result: Result,
    ax: "Axes | None" = None,
    *,
    width_in: float = style.WIDTH_IN,
    sheet: str | None = None,
    feet_per_inch: float | None = None,
) -> "Axes":
    """Draw the erodibility K of the soils.

    Parameters
    ----------
    result
        Ruling or load of a gridded site.
    ax, width_in, sheet, feet_per_inch
        As in `soil_loss_map`; width in inches, scale in ft/in.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    InputError
        As in `soil_loss_map`.
    """
    load = load_of(result)
    grid = erodibility(load)
    said = f"K: {load.ground.methods['K']}."
    frame = (ax, width_in, sheet, feet_per_inch)
    classes = k_classes(grid.values, load)
    return draw_classes(result, grid, classes, "Soil erodibility, K", said, elevations(load, None), frame)


def _of_phase(phase: str | None) -> str:
    return "" if phase is None else f": {phase}"
