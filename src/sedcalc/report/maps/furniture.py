"""What stands around a map: legend, scale bar, north arrow, grid letters, source line."""

import math
import textwrap
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

import sedcalc
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report import style
from sedcalc.report.maps.classes import Classes
from sedcalc.report.maps.page import Page
from sedcalc.terrain.grid import Grid
from sedcalc.units import ACRE_HA, FOOT_M, area_text

if TYPE_CHECKING:
    from matplotlib.transforms import Transform

OUTLINE: Final = "#1f2d3d"
OUTLINE_WIDTH: Final = 1.4
MARK_WIDTH: Final = 0.9
_BAR_SHARE: Final = 0.3  # of the map's width that the scale bar may take
_GRID_CELLS: Final = 6
_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # without I and O, as on drawings


def draw_title(page: Page, load: SedimentLoad, text: str, detail: str = "") -> None:
    """Write the title, and a detail and the project's name under it, above the map.

    Parameters
    ----------
    page
        The map.
    load
        Whose project is named.
    text, detail
        Title and detail.
    """
    room = int(page.width_in * 72.0 / (0.62 * (8.0 if style.is_narrow(page.width_in) else 10.0))) - 4
    page.ax.set_title(style.short(text, room), pad=2.0 * page.size + 14.0)
    below = f"{detail}; {load.site.project.name}" if detail else load.site.project.name
    _write(page, (0.0, 1.0), (0.0, page.size + 9.0), style.short(below, int(1.1 * room)), color="#444444")


def draw_legend(page: Page, handles: list[Any], title: str) -> None:
    """Put the legend beside the map, or under what stands under it.

    Parameters
    ----------
    page
        The map.
    handles
        Entries with their labels.
    title
        Heading.
    """
    anchor: dict[str, Any] = {
        "loc": "upper left",
        "bbox_to_anchor": (1.0, 1.0),
        "bbox_transform": _offset(page, (8.0, 0.0)),
    }
    if not page.legend_beside:
        anchor = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "bbox_transform": _offset(page, (0.0, -64.0))}
    page.ax.legend(
        handles=handles,
        labels=[str(h.get_label()) for h in handles],
        title=title,
        borderaxespad=0.0,
        fontsize=page.size,
        title_fontsize=page.size + 1.0,
        alignment="left",
        handlelength=1.7,
        labelspacing=0.35,
        **anchor,
    )


def class_entries(classes: Classes, counts: list[int], cell_acres: float, units: str) -> list[Any]:
    """Return the legend's entries of classes, the highest first, with their area; marked edges as lines between.

    A class without cells has no entry, nor has a mark that no cell reaches.

    Parameters
    ----------
    classes
        The classes.
    counts
        Cells of each class.
    cell_acres
        Area of a cell, acres.
    units
        ``us``: acres; ``si``: ha.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    area, name = (ACRE_HA, "ha") if units == "si" else (1.0, "ac")
    entries: list[Any] = []
    for k in range(len(classes.colors) - 1, -1, -1):
        if counts[k]:
            text = f"{classes.labels[k]}  ({area_text(counts[k] * cell_acres * area)} {name})"
            look: dict[str, Any] = {"facecolor": classes.colors[k], "edgecolor": "#777777", "linewidth": 0.4}
            entries.append(Patch(label=text, **look))
        if classes.edges[k] in classes.marks and any(counts[k:]):
            entries.append(Line2D([], [], color="black", linewidth=MARK_WIDTH, label=classes.marks[classes.edges[k]]))
    return entries


def draw_scale(page: Page, grid: Grid, units: str) -> None:
    """Draw a bar of a round length and an arrow to the north under the map, and write a stated scale.

    Parameters
    ----------
    page
        The map.
    grid
        Any grid of the site, for the unit of its CRS.
    units
        ``us``: feet; ``si``: metres.
    """
    from matplotlib.patches import Rectangle
    from matplotlib.transforms import blended_transform_factory

    west, east = page.ax.get_xlim()
    unit, name = (FOOT_M, "ft") if units == "us" else (1.0, "m")
    wanted = _BAR_SHARE * (east - west) * grid.xy_unit_m / unit
    power = 10.0 ** math.floor(math.log10(wanted))
    length = max(m * power for m in (1.0, 2.0, 5.0) if m * power <= wanted)
    drawn = length * unit / grid.xy_unit_m
    down = blended_transform_factory(page.ax.transData, _offset(page, (0.0, -24.0)))
    points = page.ax.get_position().height * style.figure_of(page.ax).get_size_inches()[1] * 72.0
    x = west + 0.03 * (east - west)
    for half, color in ((0, "black"), (1, "white")):
        look: dict[str, Any] = {"facecolor": color, "edgecolor": "black", "linewidth": 0.8, "clip_on": False}
        page.ax.add_patch(
            Rectangle((x + half * drawn / 2.0, 0.0), drawn / 2.0, 5.0 / points, transform=down, gid="scale bar", **look)
        )
    for at, text in ((x, "0"), (x + drawn, f"{length:,.0f} {name}")):
        page.ax.annotate(
            text,
            (at, 0.0),
            xycoords=("data", "axes fraction"),
            xytext=(0.0, -17.0),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=page.size,
            annotation_clip=False,
        )
    if page.feet_per_inch is not None:
        _write(page, (0.5, 0.0), (0.0, -22.0), f"scale 1 inch = {page.feet_per_inch:g} ft", ha="center")
    arrow = {"arrowstyle": "-|>", "color": "black", "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
    frame = _offset(page, (-14.0, 0.0))
    page.ax.annotate(
        "",
        xy=(1.0, -6.0 / points),
        xytext=(1.0, -30.0 / points),
        xycoords=frame,
        arrowprops=arrow,
        annotation_clip=False,
    )
    _write(page, (1.0, 0.0), (-26.0, -24.0), "N", ha="center", fontsize=page.size + 2.0)


def draw_grid_letters(page: Page, grid: Grid, units: str) -> None:
    """Letter the columns and number the rows of a grid of a round size along the frame.

    Parameters
    ----------
    page
        The map.
    grid
        Any grid of the site, for the unit of its CRS.
    units
        ``us``: feet; ``si``: metres.
    """
    west, east = page.ax.get_xlim()
    south, north = page.ax.get_ylim()
    unit = (FOOT_M if units == "us" else 1.0) / grid.xy_unit_m
    wanted = max(east - west, north - south) / unit / _GRID_CELLS
    power = 10.0 ** math.floor(math.log10(wanted))
    side = min(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= wanted) * unit
    for k in range(math.ceil((east - west) / side - 1e-9)):
        left, right = west + k * side, min(west + (k + 1) * side, east)
        if k:
            _tick(page, left, north, "|")
        if right - left > 0.25 * side:
            _letter(page, 0.5 * (left + right), _LETTERS[k % len(_LETTERS)], top=True)
    for k in range(math.ceil((north - south) / side - 1e-9)):
        top, bottom = north - k * side, max(north - (k + 1) * side, south)
        if k:
            _tick(page, west, top, "_")
        if top - bottom > 0.25 * side:
            _letter(page, 0.5 * (top + bottom), str(k + 1), top=False)


def _tick(page: Page, x: float, y: float, marker: str) -> None:
    page.ax.plot([x], [y], marker, color="black", markersize=7, clip_on=False, zorder=6)


def _letter(page: Page, at: float, text: str, *, top: bool) -> None:
    where: dict[str, Any] = (
        {"xy": (at, 1.0), "xycoords": ("data", "axes fraction"), "xytext": (0.0, 3.0), "ha": "center", "va": "bottom"}
        if top
        else {
            "xy": (0.0, at),
            "xycoords": ("axes fraction", "data"),
            "xytext": (-4.0, 0.0),
            "ha": "right",
            "va": "center",
        }
    )
    look: dict[str, Any] = {"fontsize": page.size, "color": "#555555", "annotation_clip": False}
    page.ax.annotate(text, textcoords="offset points", **where, **look)


def draw_source(page: Page, load: SedimentLoad, said: str) -> None:
    """Write where the map's numbers come from under it.

    Parameters
    ----------
    page
        The map.
    load
        The load.
    said
        What is shown, and how it was computed.
    """
    cells = load.ground.rasters
    assert cells is not None
    crs = cells.grid.crs or "no CRS"
    place = crs if crs.startswith("EPSG:") else "CRS of the site's rasters"
    files = ", ".join(load.ground.files)
    text = f"{said} Cells of {_cell_size(cells.grid)}, {place}. Files: {files}. sedcalc {sedcalc.__version__}."
    size = 6.5
    points = page.ax.get_position().width * style.figure_of(page.ax).get_size_inches()[0] * 72.0
    lines = textwrap.wrap(style.short(text, 4000), max(int(points / (0.55 * size)), 20))
    if len(lines) > 3:
        lines = [*lines[:2], lines[2].rstrip()[:-1] + "…"]
    _write(page, (0.0, 0.0), (0.0, -36.0), "\n".join(lines), va="top", fontsize=size, color="#444444")


def _cell_size(grid: Grid) -> str:
    """Return the side of a cell in the unit of its CRS, feet or metres."""
    if math.isclose(grid.xy_unit_m, FOOT_M, rel_tol=1e-5):  # the international or the US survey foot
        return f"{grid.cell_m / grid.xy_unit_m:.4g} ft"
    return f"{grid.cell_m:.3g} m"


def draw_outlines(page: Page, codes: NDArray[Any], shown: Grid, **look: Any) -> None:
    """Draw the edges between areas of cells with one code along the cells.

    Parameters
    ----------
    page
        The map.
    codes
        Code of each cell of `shown`, -1 outside.
    shown
        The cells.
    **look
        Of the lines.
    """
    from matplotlib.collections import LineCollection

    padded = np.pad(codes, 1, constant_values=-1)
    size, _, left, _, _, top = shown.transform
    rows, cols = np.nonzero(padded[:, 1:] != padded[:, :-1])
    x, y = left + cols * size, top - rows * size
    upright = np.stack([np.column_stack([x, y + size]), np.column_stack([x, y])], axis=1)
    rows, cols = np.nonzero(padded[1:] != padded[:-1])
    x, y = left + cols * size, top - rows * size
    level = np.stack([np.column_stack([x - size, y]), np.column_stack([x, y])], axis=1)
    lines = list(np.concatenate([upright, level]))
    # Ends that overlap: butted ends of the cells' sides show as dots.
    drawn = {"colors": OUTLINE, "linewidths": OUTLINE_WIDTH, "capstyle": "projecting", **look}
    page.ax.add_collection(LineCollection(lines, **drawn))


def label_areas(page: Page, codes: NDArray[Any], shown: Grid, texts: dict[int, str]) -> None:
    """Write a text into each area of cells with one code, where it is widest.

    Parameters
    ----------
    page
        The map.
    codes
        Code of each cell of `shown`.
    shown
        The cells.
    texts
        Text by code.
    """
    from scipy.ndimage import distance_transform_edt

    skip = max(1, math.ceil(max(codes.shape) / 300))
    coarse = codes[::skip, ::skip]
    size, _, left, _, _, top = shown.transform
    for code, text in texts.items():
        inside = np.pad(coarse == code, 1)
        if not inside.any():
            continue
        depth = distance_transform_edt(inside)[1:-1, 1:-1]
        rows, cols = np.nonzero(depth >= 0.95 * depth.max())  # among the widest places the one nearest the middle
        middle = np.argmin((rows - rows.mean()) ** 2 + (cols - cols.mean()) ** 2)
        row, col = int(rows[middle]), int(cols[middle])
        page.ax.annotate(
            text,
            (left + size * (skip * col + 0.5), top - size * (skip * row + 0.5)),
            ha="center",
            va="center",
            fontsize=page.size,
            bbox=style.PAPER,
            zorder=7,
        )


def _offset(page: Page, points: tuple[float, float]) -> "Transform":
    """Return fractions of the axes, moved by points."""
    from matplotlib.transforms import ScaledTranslation

    scale = style.figure_of(page.ax).dpi_scale_trans
    moved: Transform = page.ax.transAxes + ScaledTranslation(points[0] / 72.0, points[1] / 72.0, scale)
    return moved


def _write(page: Page, at: tuple[float, float], points: tuple[float, float], text: str, **look: Any) -> None:
    """Write at a place of the frame, moved by points."""
    page.ax.annotate(
        text,
        at,
        xycoords="axes fraction",
        xytext=points,
        textcoords="offset points",
        annotation_clip=False,
        **{"fontsize": page.size, "ha": "left", "va": "bottom", **look},
    )
