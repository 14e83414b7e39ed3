"""The ground of a map: hillshade and contours."""

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.compliance.ordinance import Ordinance
from sedcalc.report.maps.contour_labels import label_contours
from sedcalc.report.maps.page import Page, View
from sedcalc.terrain.grid import Grid
from sedcalc.units import FOOT_M

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SUN: Final = (315.0, 45.0)  # azimuth and altitude, degrees
_RELIEF: Final = 3.0  # vertical exaggeration of the hillshade
_SHADE: Final = 0.6  # brightness of ground that the sun does not reach
_INTERVALS_FT: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_INTERVALS_M: Final = (0.1, 0.25, 0.5, 1.0, 1.5, 2.5, 5.0, 10.0, 25.0)
_MOST_CONTOURS: Final = 24
_INDEX: Final = 5  # every fifth contour is drawn stronger, with its elevation
CONTOUR: Final = "#4a2c12"
_CASING: Final = 0.9  # points of white along a contour, so that it stands out on dark classes
_LARGEST: Final = 600  # cells each way that contours are drawn from


def draw_hillshade(ax: "Axes", ground: Grid) -> None:
    """Draw the light and shade of a surface.

    Parameters
    ----------
    ax
        Axes of the map.
    ground
        Elevations.
    """
    ax.imshow(np.ma.masked_invalid(_light(ground)), cmap="gray", vmin=0.0, vmax=1.0, **image_of(ground))


def _light(ground: Grid) -> NDArray[np.float64]:
    """Return the brightness of each cell, 0.6 in the shade to 1 facing the sun, 0.88 where it is level.

    It follows from the slope alone: equal slopes are equally light on every surface, and a plane is not stretched from
    black to white.
    """
    metres = _RELIEF * ground.values.astype(np.float64) * float(ground.z_unit_m or 1.0)
    down, east = np.gradient(metres, ground.cell_m)  # rows run south
    azimuth, altitude = np.radians(_SUN)
    to_sun = np.cos(altitude) * np.array([np.sin(azimuth), np.cos(azimuth)])  # east, north
    facing = (np.sin(altitude) - to_sun[0] * east + to_sun[1] * down) / np.sqrt(1.0 + east**2 + down**2)
    light: NDArray[np.float64] = _SHADE + (1.0 - _SHADE) * np.maximum(facing, 0.0)
    return light


def image_of(grid: Grid) -> dict[str, Any]:
    """Return how an image of a grid's cells lies on the map.

    Parameters
    ----------
    grid
        The cells.
    """
    west, south, east, north = grid.bounds
    return {"extent": (west, east, south, north), "origin": "upper", "interpolation": "nearest"}


def contour_interval(relief_ft: float, units: str, ordinance: Ordinance) -> float:
    """Return the interval of contours, ft or m: round, few enough to read, not over what the ordinance allows.

    Parameters
    ----------
    relief_ft
        Highest less lowest elevation of the map, ft.
    units
        ``us``: ft; ``si``: m.
    ordinance
        Whose ``contour_interval`` is not exceeded.

    Examples
    --------
    Hales Corners 445-6.11B(4) allows 5 ft, however high the hill:

    >>> from sedcalc.compliance.ordinance import load_ordinance
    >>> code = load_ordinance("hales_corners_445")
    >>> contour_interval(20.0, "us", code), contour_interval(400.0, "us", code)
    (1.0, 5.0)
    """
    unit, choices = (1.0, _INTERVALS_FT) if units == "us" else (1.0 / FOOT_M, _INTERVALS_M)
    wanted = next((i for i in choices if relief_ft / (i * unit) <= _MOST_CONTOURS), choices[-1])
    largest = ordinance.numbers.get("contour_interval")
    if largest is None:
        return wanted
    return max([i for i in choices if i <= wanted and largest.holds(i * unit)], default=choices[0])


def draw_contours(page: Page, view: View, ground: Grid, units: str, ordinance: Ordinance) -> str | None:
    """Draw contours and return what the legend says of them; None on ground that is level.

    Parameters
    ----------
    page, view
        The map.
    ground
        Elevations on the site's cells.
    units
        ``us``: ft; ``si``: m.
    ordinance
        Whose ``contour_interval`` is not exceeded.
    """
    skip = max(1, math.ceil(max(view.grid.shape) / _LARGEST))
    shown = view.cut(ground)
    size, _, left, _, _, top = shown.transform
    values = shown.values[::skip, ::skip].astype(np.float64) * float(ground.z_unit_m or 1.0)
    unit, name = (FOOT_M, "ft") if units == "us" else (1.0, "m")
    height = values / unit
    known = height[~np.isnan(height)]
    if known.size == 0:
        return None
    interval = contour_interval(float(known.max() - known.min()) * unit / FOOT_M, units, ordinance)
    first, last = math.ceil(float(known.min()) / interval), math.floor(float(known.max()) / interval)
    if last < first or min(height.shape) < 2:
        return None
    numbers = list(range(first, last + 1))
    x = left + size * (0.5 + skip * np.arange(height.shape[1]))
    y = top - size * (0.5 + skip * np.arange(height.shape[0]))
    levels = [k * interval for k in numbers]
    widths = [1.0 if k % _INDEX == 0 else 0.5 for k in numbers]
    masked = np.ma.masked_invalid(height)
    cased = [w + _CASING for w in widths]
    page.ax.contour(x, y, masked, levels=levels, colors="white", linewidths=cased, alpha=0.7)
    drawn = page.ax.contour(x, y, masked, levels=levels, colors=CONTOUR, linewidths=widths)
    label_contours(page, drawn, [k for k, number in enumerate(numbers) if number % _INDEX == 0])
    return f"contours, every {interval:g} {name}"
