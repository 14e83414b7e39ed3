"""Elevations on contours, where no other line and no text is."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from sedcalc.report import style
from sedcalc.report.maps.page import Page

if TYPE_CHECKING:
    from matplotlib.contour import ContourSet

Points = NDArray[np.float64]
"""Places on the page, pixels, (n, 2)."""

_SIZE: Final = 6.5  # points
_STEP: Final = 3.0  # pixels between the places of a line that are looked at
_TRIES: Final = 40  # places of a line that are tried
_PAD: Final = 3.0  # pixels that a label keeps from other lines


def label_contours(page: Page, contours: "ContourSet", levels: list[int]) -> None:
    """Write the elevation on each piece of some contours, on a light plate, where it covers nothing else.

    Parameters
    ----------
    page
        The map, with all but the contours' labels on it.
    contours
        Drawn on it.
    levels
        Indices of the contours to label. A piece with no free place long enough has no label.
    """
    lines = [[_dense(page, piece) for piece in pieces if len(piece) > 1] for pieces in contours.allsegs]
    heights = list(contours.levels)
    fixed = [*_outlines(page), *_texts(page)]
    frame = page.ax.get_window_extent()
    taken: list[Points] = []
    for level in levels:
        text = f"{heights[level]:g}"
        half = _half_size(page, text)
        others = [*fixed, *(piece for k, pieces in enumerate(lines) if k != level for piece in pieces)]
        for number, piece in enumerate(lines[level]):
            own = [p for k, p in enumerate(lines[level]) if k != number]
            in_the_way = np.concatenate([np.empty((0, 2)), *others, *own, *taken])
            found = _free_place(piece, half, in_the_way, frame)
            if found is not None:
                at, angle = found
                _write(page, text, at, angle)
                taken.append(_box(at, angle, half))


def _free_place(line: Points, half: Points, in_the_way: Points, frame: Any) -> tuple[Points, float] | None:
    """Return the place of a line nearest its middle where a label covers nothing, and its direction, degrees."""
    reach = int(half[0] / _STEP) + 1  # places to either side that a label lies over
    if len(line) < 4 * reach:
        return None
    places = np.unique(np.linspace(reach, len(line) - 1 - reach, _TRIES).astype(int))
    for place in sorted(places.tolist(), key=lambda p: abs(p - len(line) // 2)):
        along = line[place + reach] - line[place - reach]
        angle = float(np.degrees(np.arctan2(along[1], along[0])))
        angle = (angle + 90.0) % 180.0 - 90.0  # never upside down
        at = line[place]
        inside = (frame.x0, frame.y0) < at - half[0] - _PAD
        if not inside.all() or not (at + half[0] + _PAD < (frame.x1, frame.y1)).all():
            continue
        # A bend would leave the plate.
        bend = np.abs(_turned(line[place - reach : place + reach + 1] - at, angle)[:, 1]).max()
        if bend < half[1] and not _covers(at, angle, half + _PAD, in_the_way):
            return at, angle
    return None


def _turned(points: Points, angle: float) -> Points:
    """Return points in axes along and across a direction."""
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    turned: Points = points @ np.array([[cos, -sin], [sin, cos]])
    return turned


def _covers(at: Points, angle: float, half: Points, points: Points) -> bool:
    return bool((np.abs(_turned(points - at, angle)) < half).all(axis=1).any())


def _box(at: Points, angle: float, half: Points) -> Points:
    """Return points over a turned box, as close as those of lines."""
    x, y = (np.arange(-h, h + _STEP, _STEP) for h in half)
    return at + _turned(np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))]), -angle)


def _dense(page: Page, piece: Any) -> Points:
    """Return places along a line on the page, evenly apart."""
    points = page.ax.transData.transform(piece)
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    even = np.arange(0.0, way[-1] + _STEP, _STEP)
    return np.column_stack([np.interp(even, way, points[:, k]) for k in (0, 1)])


def _outlines(page: Page) -> list[Points]:
    """Return places along all collections of lines: the edges of areas and of classes."""
    from matplotlib.collections import LineCollection

    found = []
    for lines in page.ax.collections:
        if isinstance(lines, LineCollection):
            sides = np.array(lines.get_segments()).reshape(-1, 2, 2)
            ends = page.ax.transData.transform(sides.reshape(-1, 2)).reshape(-1, 2, 2)
            longest = float(np.abs(ends[:, 1] - ends[:, 0]).max(initial=0.0))
            shares = np.linspace(0.0, 1.0, max(int(longest / _STEP) + 1, 2))
            found.append((ends[:, :1] + shares[:, None] * (ends[:, 1:] - ends[:, :1])).reshape(-1, 2))
    return found


def _texts(page: Page) -> list[Points]:
    found = []
    for text in page.ax.texts:
        box = text.get_window_extent()
        half = np.array([box.width, box.height]) / 2.0
        found.append(_box(np.array([box.x0, box.y0]) + half, 0.0, half))
    return found


def _half_size(page: Page, text: str) -> Points:
    """Return half the width and height of a label's plate, pixels."""
    probe = page.ax.text(0.5, 0.5, text, fontsize=_SIZE, transform=page.ax.transAxes)
    box = probe.get_window_extent()
    probe.remove()
    return np.array([box.width + 2.0, box.height + 1.0]) / 2.0


def _write(page: Page, text: str, at: Points, angle: float) -> None:
    x, y = page.ax.transData.inverted().transform(at)
    look: dict[str, Any] = {"ha": "center", "va": "center", "rotation_mode": "anchor", "gid": "elevation"}
    page.ax.text(x, y, text, fontsize=_SIZE, rotation=angle, bbox=style.PAPER, zorder=5, **look)
