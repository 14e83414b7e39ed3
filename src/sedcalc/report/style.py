"""One style for charts and maps, 3.5 or 7 inches wide, told apart without colour: lightness, hatching, line style."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from sedcalc.findings import input_error
from sedcalc.report.glyphs import drawable
from sedcalc.report.sheet_blocks import code_point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN: Final = 7.0
"""Width of a chart, inches: fits a letter page between its margins."""

COLUMN_IN: Final = 3.5
"""Width of a chart that stands in one of two columns, inches."""

DPI: Final = 160

# Okabe and Ito (2008), Color Universal Design: told apart with any kind of colour vision. Their lightness rises in
# this order (blue, vermilion, bluish green, orange, sky blue), so that a grey copy keeps them apart too.
COLORS: Final = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9")
LINES: Final = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (2, 1)))
HATCHES: Final = ("", "////", "....", "xxxx", "----")

CONTROLLED: Final[dict[str, Any]] = {"facecolor": COLORS[0], "edgecolor": COLORS[0]}
UNCONTROLLED: Final[dict[str, Any]] = {"facecolor": "#FFFFFF", "edgecolor": "#555555", "hatch": "//////"}
CREDIT: Final[dict[str, Any]] = {"facecolor": "#CFE6F5", "edgecolor": COLORS[0]}
LIMIT: Final[dict[str, Any]] = {"color": "#000000", "linestyle": (0, (6, 2)), "linewidth": 1.3}
PAPER: Final[dict[str, Any]] = {"boxstyle": "square,pad=0.06", "facecolor": "white", "edgecolor": "none"}
"""Ground of a number that stands on lines or bars."""

RC: Final[Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same bytes everywhere
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": False,
    "grid.color": "#D9D9D9",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": "small",
    "legend.handlelength": 2.4,
    "pdf.fonttype": 42,
    "svg.hashsalt": "sedcalc",
    "svg.fonttype": "path",
}
"""matplotlib settings, used inside ``rc_context`` only: a caller's own settings stay as they are."""

_LEAST_IN: Final = 3.25  # narrower, the labels leave no room
_MOST_IN: Final = 48.0  # the longest side of a plan sheet (Arch E, ANSI E)
_NARROW_IN: Final = 5.0
_NARROW_RC: Final[Any] = {
    "font.size": 7.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 7.0,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 6.5,
    "legend.handlelength": 2.0,
}


def check_width(width_in: float) -> None:
    """Refuse a width that no chart or map can be drawn at.

    Parameters
    ----------
    width_in
        Width of a new figure, inches.

    Raises
    ------
    InputError
        It is no number from 3.25 to 48.
    """
    number = isinstance(width_in, int | float) and not isinstance(width_in, bool)
    if not (number and _LEAST_IN <= width_in <= _MOST_IN):
        raise input_error(
            "width-out-of-range",
            f"{width_in!r} is no width of a chart or map: give a number of inches from {_LEAST_IN:g} to {_MOST_IN:g}; "
            f"{COLUMN_IN:g} fits a column, {WIDTH_IN:g} a letter page",
            "width_in",
        )


def settings(width_in: float) -> Any:
    """Return the matplotlib settings of a chart of a width; text is smaller in a column, never under 6.5 points.

    Parameters
    ----------
    width_in
        Width of the chart, inches.
    """
    return {**RC, **_NARROW_RC} if is_narrow(width_in) else dict(RC)


def is_narrow(width_in: float) -> bool:
    """Whether a chart of this width is drawn for a column.

    Parameters
    ----------
    width_in
        Width of the chart, inches.
    """
    return width_in < _NARROW_IN


def new_figure(width_in: float, height_in: float) -> "Figure":
    """Return a new figure that no global state knows.

    Parameters
    ----------
    width_in, height_in
        Size of the figure, inches.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, height_in), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def new_axes(height_in: float, width_in: float = WIDTH_IN) -> "Axes":
    """Return the axes of a new figure that no global state knows.

    Parameters
    ----------
    height_in, width_in
        Size of the figure, inches.
    """
    return new_figure(width_in, height_in).add_subplot()


def restyle(ax: "Axes", settings: Any) -> None:
    """Give a caller's axes the look that new ones have.

    Parameters
    ----------
    ax
        The axes.
    settings
        What `settings` returns.
    """
    ax.tick_params(axis="x", which="both", labelsize=settings.get("xtick.labelsize", settings["font.size"]))
    ax.tick_params(axis="y", which="both", labelsize=settings.get("ytick.labelsize", settings["font.size"]))
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_fontsize(settings.get("axes.labelsize", settings["font.size"]))
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)


def figure_of(ax: "Axes") -> "Figure":
    """Return the figure that axes belong to.

    Parameters
    ----------
    ax
        Axes of a figure.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes that were removed have none
    return figure


def short(text: str, longest: int) -> str:
    """Return a text of the site for a label: one line, nothing hidden, no mathematics, cut in the middle to fit.

    Parameters
    ----------
    text
        An id or a name. Characters that the font has no glyph for become their code point, ``⟨U+4E2D⟩``.
    longest
        Most characters.

    Examples
    --------
    Names of a series differ at their ends:

    >>> short("Drainage area along Ridge Road 07", 16)
    'Drainage…Road 07'
    """
    pieces = _pieces(text)
    if len("".join(pieces)) > longest:
        head = _leading(pieces, longest // 2)
        rest = longest - 1 - len("".join(head))
        tail = _leading(pieces[::-1], rest)[::-1]
        pieces = ["".join(head).rstrip(), "…", "".join(tail).lstrip()]
    return "".join(pieces).replace("$", r"\$")


def short_each(texts: Sequence[str], longest: int) -> list[str]:
    """Return texts of the site for the labels of one picture: as `short`, and different texts look different.

    Parameters
    ----------
    texts
        Ids or names.
    longest
        Most characters.

    Notes
    -----
    Texts that differ only in what `short` leaves out show the part where they begin to differ; if that does not tell
    them apart either, they are numbered in their order.

    Examples
    --------
    >>> short_each(["north basin 1 of the subdivision", "north basin 2 of the subdivision"], 16)
    ['nor…1 of the su…', 'nor…2 of the su…']
    """
    different = list(dict.fromkeys(texts))
    labels = {text: short(text, longest) for text in different}
    for alike in _alike(labels):
        pieces = [_pieces(text) for text in alike]
        places = range(min(map(len, pieces)))
        same = next((k for k in places if len({own[k] for own in pieces}) > 1), len(places))
        for text, own in zip(alike, pieces, strict=True):
            labels[text] = _around(own, same, longest)
    for alike in _alike(labels):
        for text in alike:
            number = f" ({different.index(text) + 1})"
            labels[text] = short(text, longest - len(number)) + number
    return [labels[text] for text in texts]


def _alike(labels: Mapping[str, str]) -> list[list[str]]:
    """Return the texts that have one label, where there are several."""
    groups: dict[str, list[str]] = {}
    for text, label in labels.items():
        groups.setdefault(label, []).append(text)
    return [group for group in groups.values() if len(group) > 1]


def _around(pieces: list[str], place: int, longest: int) -> str:
    """Return the beginning of a text, and what stands at a place further on."""
    head = _leading(pieces, max(longest // 5, 1))
    room = longest - 2 - len("".join(head))
    word = next((k for k in range(place, 0, -1) if pieces[k - 1] == " "), 0)
    start = max(word if place - word <= room // 2 else place - 2, len(head))
    part = _leading(pieces[start:], room)
    end = "" if start + len(part) == len(pieces) else "…"
    return f"{''.join(head).rstrip()}…{''.join(part).strip()}{end}".replace("$", r"\$")


def _pieces(text: str) -> list[str]:
    """Return a text in one line, character by character; a code point is one piece, kept or left out whole."""
    return [c if c.isprintable() and drawable(c) else code_point(c) for c in " ".join(text.split())]


def _leading(pieces: list[str], longest: int) -> list[str]:
    """Return the first pieces that are not longer together."""
    ends = accumulate(len(piece) for piece in pieces)
    return pieces[: sum(end <= longest for end in ends)]
