"""Where drainage areas drain to: the places given, or the lowest cell of each; as marks with names on a map."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sedcalc.findings import input_error
from sedcalc.io.drainage import place_id
from sedcalc.io.vectors import read_places
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report import style
from sedcalc.report.maps.page import Page
from sedcalc.report.maps.themes import area_of_cells, cells_of, elevations

if TYPE_CHECKING:
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

MARK: Final[dict[str, Any]] = {"marker": "v", "markersize": 7, "color": "black", "linestyle": ""}
_AROUND: Final = ((7.0, 0.0, "left"), (-7.0, 0.0, "right"), (0.0, 9.0, "center"), (0.0, -9.0, "center"))


@dataclass(frozen=True, slots=True)
class Outfall:
    """Where a drainage area drains to.

    Parameters
    ----------
    area
        Index of the drainage area.
    name
        Name of the outfall; of the drainage area, where several drain to one outfall through places of their own.
    x, y
        In units of the CRS.
    """

    area: int
    name: str
    x: float
    y: float


def outfalls_of(load: SedimentLoad) -> tuple[Outfall, ...]:
    """Return the outfalls with their places, in the order of the drainage areas.

    Parameters
    ----------
    load
        Load of a gridded site.

    Returns
    -------
    tuple of Outfall
        Where the site has ``grid.outfalls``, the places given there, a line by its middle, a polygon by a point inside;
        else the
        middle of the lowest cell of each drainage area on the project's last surface, and none without elevations.

    Raises
    ------
    InputError
        The file of the outfalls cannot be read any more.
    """
    grid = load.site.grid
    if grid is not None and grid.outfalls is not None:
        return _given(load)
    return _lowest(load)


def said_of_outfalls(load: SedimentLoad) -> str | None:
    """Return what the legend says of the marks; None where there are none.

    Parameters
    ----------
    load
        Load of a gridded site.
    """
    grid = load.site.grid
    if grid is not None and grid.outfalls is not None:
        return f"outfall or practice, as given in {grid.outfalls.file}"
    return None if elevations(load, None) is None else "outfall, on the lowest cell of its drainage area"


def draw_outfalls(page: Page, outfalls: tuple[Outfall, ...]) -> None:
    """Draw a mark for each outfall, and its name beside it where it covers no other text.

    Parameters
    ----------
    page
        The map, with the names of its areas on it.
    outfalls
        From `outfalls_of`; those beyond the map are left out.
    """
    west, east = page.ax.get_xlim()
    south, north = page.ax.get_ylim()
    shown = [o for o in outfalls if west <= o.x <= east and south <= o.y <= north]
    taken = [t.get_window_extent() for t in page.ax.texts]
    for outfall in shown:
        page.ax.plot([outfall.x], [outfall.y], zorder=8, **MARK)
    names = style.short_each([o.name for o in shown], 14 if style.is_narrow(page.width_in) else 26)
    for outfall, name in zip(shown, names, strict=True):
        tries = [_named(page, outfall, name, *place) for place in _AROUND]
        boxes = [t.get_window_extent() for t in tries]
        best = min(range(len(tries)), key=[_in_the_way(page, box, taken) for box in boxes].__getitem__)
        taken.append(boxes[best])
        for k, text in enumerate(tries):
            if k != best:
                text.remove()


def _in_the_way(page: Page, box: "Bbox", taken: list["Bbox"]) -> int:
    """Return how many texts a text would cover, and more if it leaves the map."""
    frame = page.ax.bbox
    inside = frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
    return box.count_overlaps(taken) + (0 if inside else len(taken) + 1)


def _named(page: Page, outfall: Outfall, name: str, right: float, up: float, ha: str) -> "Annotation":
    return page.ax.annotate(
        name,
        (outfall.x, outfall.y),
        xytext=(right, up),
        textcoords="offset points",
        ha=ha,
        va="center" if not up else "bottom" if up > 0.0 else "top",
        fontsize=page.size,
        fontstyle="italic",
        bbox=style.PAPER,
        zorder=9,
    )


def _given(load: SedimentLoad) -> tuple[Outfall, ...]:
    assert load.site.grid is not None
    spec = load.site.grid.outfalls
    assert spec is not None
    path = load.site.folder / spec.file
    if not path.is_file():
        text = f"the outfalls' file {spec.file} is not there any more"
        raise input_error("file-missing", text, "grid.outfalls.file")
    grid, where = cells_of(load).grid, "grid.outfalls"
    features = read_places(path, spec.attribute, grid, where=where, inside=load.site.folder)
    points = {place_id(value): _point_on(geometry) for value, geometry in features}
    areas = load.site.drainage_areas
    shared = [a.outfall for a in areas]
    return tuple(
        Outfall(k, a.outfall if shared.count(a.outfall) == 1 else a.id, points[a.id].x, points[a.id].y)
        for k, a in enumerate(areas)
        if a.id in points
    )


def _point_on(geometry: Any) -> Any:
    if geometry.geom_type == "LineString":
        return geometry.interpolate(0.5, normalized=True)
    return geometry.representative_point()


def _lowest(load: SedimentLoad) -> tuple[Outfall, ...]:
    ground = elevations(load, None)
    if ground is None:
        return ()
    size, _, left, _, _, top = ground.transform
    codes, found = area_of_cells(load), []
    for k, area in enumerate(load.site.drainage_areas):
        height = np.where((codes == k) & ~np.isnan(ground.values), ground.values, np.inf)
        row, col = divmod(int(np.argmin(height)), height.shape[1])
        if np.isfinite(height[row, col]):
            found.append(Outfall(k, area.outfall, left + size * (col + 0.5), top - size * (row + 0.5)))
    return tuple(found)
