"""What layout tests ask of a picture: no text cut off, none on another."""

from itertools import combinations
from typing import Any

from matplotlib.text import Text


def faults(figure: Any) -> list[str]:
    """Return texts that leave the figure, and pairs of texts that lie on each other, by more than a pixel."""
    figure.draw_without_rendering()
    page, hidden = figure.bbox, undrawn(figure)
    found, boxes = [], []
    for text in figure.findobj(Text):
        if not text.get_visible() or not text.get_text().strip() or id(text) in hidden:
            continue
        box = Text.get_window_extent(text)
        if box.x0 < page.x0 - 1 or box.x1 > page.x1 + 1 or box.y0 < page.y0 - 1 or box.y1 > page.y1 + 1:
            found.append(f"{text.get_text()!r} is cut off")
        boxes.append((text, box))
    for (a, first), (b, second) in combinations(boxes, 2):
        wide = min(first.x1, second.x1) - max(first.x0, second.x0)
        high = min(first.y1, second.y1) - max(first.y0, second.y0)
        if wide > 1 and high > 1:
            found.append(f"{a.get_text()!r} lies on {b.get_text()!r}")
    return found


def undrawn(figure: Any) -> set[int]:
    """Return the labels of ticks that matplotlib keeps and does not draw: beyond the ends, of hidden axes."""
    found = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            visible = axis._update_ticks() if axis.get_visible() else []
            drawn = {id(label) for tick in visible for label in (tick.label1, tick.label2)}
            ticks = (*axis.get_major_ticks(), *axis.get_minor_ticks())
            found |= {id(label) for tick in ticks for label in (tick.label1, tick.label2)} - drawn
    return found
