"""Maps of areas: ground units with their phases, barriers and practices; drainage areas with their outfalls."""

import textwrap
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import input_error
from sedcalc.io.vectors import read_barriers
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report import style
from sedcalc.report.maps import furniture
from sedcalc.report.maps.drawing import Frame, cells_shown, draw_map
from sedcalc.report.maps.outfalls import MARK, draw_outfalls, outfalls_of, said_of_outfalls
from sedcalc.report.maps.page import Page, View
from sedcalc.report.maps.relief import image_of
from sedcalc.report.maps.themes import Result, area_of_cells, cells_of, elevations, load_of, unit_of_cells
from sedcalc.units import ACRE_HA, area_text, percent_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FILLS: Final = ("#8FBCE6", "#F2B48C", "#8FD1B8", "#F4D58D", "#C9B3E0", "#D9D9D9")
"""Light fills of areas, which their labels tell apart too."""

_BARRIER: Final = "#B3006B"
_ALPHA: Final = 0.9  # of fills on a hillshade: no light or shade brings one nearer to another than to itself
_WRAP: Final = 32


def phase_map(
    result: Result,
    ax: "Axes | None" = None,
    *,
    width_in: float = style.WIDTH_IN,
    sheet: str | None = None,
    feet_per_inch: float | None = None,
) -> "Axes":
    """Draw the ground units with the phases on each, barriers, and the practices of each drainage area.

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
        As in `soil_loss_map`, or the file of the barriers cannot be read any more.

    Notes
    -----
    A site file names the drainage areas that a practice serves, not where it stands: practices are listed in words,
    without a mark.
    """
    load = load_of(result)
    acres = _acres(load, unit_of_cells(load), len(load.site.ground_units))
    texts = []
    for unit, area in zip(load.site.ground_units, acres, strict=True):
        phases = [p.id for p in sorted(load.site.phases, key=lambda p: p.start) if unit.id in p.units]
        texts.append(f"{unit.id} ({_area(load, area)}): {', '.join(phases) or 'not disturbed'}")
    frame = (ax, width_in, sheet, feet_per_inch)
    names = [u.id for u in load.site.ground_units]
    return _areas(result, unit_of_cells(load), (names, texts), "Ground units and phases", frame, with_practices=True)


def drainage_map(
    result: Result,
    ax: "Axes | None" = None,
    *,
    width_in: float = style.WIDTH_IN,
    sheet: str | None = None,
    feet_per_inch: float | None = None,
) -> "Axes":
    """Draw the drainage areas with their outfalls.

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
        As in `soil_loss_map`, or the file of the outfalls cannot be read any more.

    Notes
    -----
    A triangle with the outfall's name stands on the place that ``grid.outfalls`` gives, as given there (before it is
    moved to the flow). With polygons of drainage areas a site file names outfalls and not their places: then it
    stands on the lowest cell of the drainage area on the project's last surface, and is left out where there are no
    elevations.
    """
    load = load_of(result)
    codes = area_of_cells(load)
    acres = _acres(load, codes, len(load.site.drainage_areas))
    worst, texts = load.windows, []
    for k, (area, size) in enumerate(zip(load.site.drainage_areas, acres, strict=True)):
        row = int(worst.worst[k])
        figure = f"; worst 12 months {worst.tons_per_acre[row, k]:.2f} tons/ac" if row >= 0 else ""
        texts.append(f"{area.id} ({_area(load, size)}) to {area.outfall}{figure}")
    frame = (ax, width_in, sheet, feet_per_inch)
    names = [a.id for a in load.site.drainage_areas]
    return _areas(result, codes, (names, texts), "Drainage areas and outfalls", frame, with_practices=False)


def _areas(
    result: Result,
    codes: NDArray[np.int32],
    texts: tuple[list[str], list[str]],
    title: str,
    frame: Frame,
    *,
    with_practices: bool,
) -> "Axes":
    """Draw a map of areas with one code, each with its label, and what belongs to them."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    load = load_of(result)
    ground = elevations(load, None)
    fills = [FILLS[k % len(FILLS)] for k in range(len(texts[0]))]
    entries: list[Any] = [
        Patch(facecolor=fill, edgecolor="#555555", linewidth=0.4, label=_wrapped(text))
        for fill, text in zip(fills, texts[1], strict=True)
    ]
    marks = _practice_entries(load) if with_practices else _outfall_entries(load)
    barriers = _barriers(load) if with_practices else None
    lines = sum(str(e.get_label()).count("\n") + 1 for e in (*entries, *marks)) + (barriers is not None)

    def draw(page: Page, view: View) -> list[Any]:
        from matplotlib.lines import Line2D

        own = cells_shown(view, codes)
        look: dict[str, Any] = {"cmap": ListedColormap(fills), "vmin": -0.5, "vmax": len(fills) - 0.5}
        alpha = 1.0 if ground is None else _ALPHA
        page.ax.imshow(np.ma.masked_less(own, 0), alpha=alpha, **look, **image_of(view.grid))
        furniture.draw_outlines(page, own, view.grid)
        if barriers is not None:
            mask = np.ma.masked_equal(cells_shown(view, barriers), 0)
            page.ax.imshow(mask, cmap=ListedColormap([_BARRIER]), **image_of(view.grid))
            entries.append(Line2D([], [], color=_BARRIER, linewidth=2.4, label="barrier: ends slope length"))
        room = 12 if style.is_narrow(page.width_in) else 22
        labels = dict(enumerate(style.short_each(texts[0], room)))
        furniture.label_areas(page, own, view.grid, labels)
        if not with_practices:
            draw_outfalls(page, outfalls_of(load))
        return [*entries, *marks]

    said = "Areas of cells, each of the polygon that holds its centre."
    return draw_map(result, (title, said, ""), ground, frame, lines, draw)


def _acres(load: SedimentLoad, codes: NDArray[np.int32], count: int) -> list[float]:
    cells = np.bincount(codes[codes >= 0].ravel(), minlength=count)
    return [float(n) * cells_of(load).grid.cell_acres for n in cells]


def _area(load: SedimentLoad, acres: float) -> str:
    return f"{area_text(acres)} ac" if load.site.units == "us" else f"{area_text(acres * ACRE_HA)} ha"


def _wrapped(text: str, prefix: str = "") -> str:
    lines = textwrap.wrap(style.short(text, 3 * _WRAP), _WRAP, subsequent_indent=prefix)
    return "\n".join(lines)


def _practice_entries(load: SedimentLoad) -> list[Any]:
    """Return lines of the legend for the practices, in words without a mark: their drainage areas and efficiency."""
    from matplotlib.lines import Line2D

    unmarked: dict[str, Any] = {"linestyle": "", "marker": ""}
    found = [Line2D([], [], label="Practices (places are not given):", **unmarked)] if load.site.practices else []
    for practice, credit in zip(load.site.practices, load.network.credits, strict=True):
        areas = ", ".join(d.id for d in practice.drainage_areas) or "through other practices"
        text = f"{practice.id}: {areas}, {percent_text(credit.efficiency)} trapped"
        found.append(Line2D([], [], label=_wrapped(text), **unmarked))
    return found


def _outfall_entries(load: SedimentLoad) -> list[Any]:
    from matplotlib.lines import Line2D

    said = said_of_outfalls(load)
    return [] if said is None else [Line2D([], [], label=_wrapped(said), **MARK)]


def _barriers(load: SedimentLoad) -> NDArray[np.bool_] | None:
    """Return the cells on which slope length ends, as the calculation read them; None where there are none."""
    grid = load.site.grid
    if grid is None or grid.barriers is None:
        return None
    folder = load.site.folder
    path = folder / grid.barriers
    if not path.is_file():
        raise input_error("file-missing", f"the barriers' file {grid.barriers} is not there any more", "grid.barriers")
    return read_barriers(path, cells_of(load).grid, where="grid.barriers", inside=folder)
