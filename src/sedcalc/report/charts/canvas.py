"""What every chart shares: a table behind it, axes of its width, a title, dates along the axis."""

import datetime
import functools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from sedcalc.compliance.ruling import Ruling
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report import style
from sedcalc.units import area_digits

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Result = Ruling | SedimentLoad
"""What a chart is drawn of: a ruling, or a load (then there is neither limit nor governing window)."""

Columns = dict[str, list[Any]]
"""Columns of a chart's table, of one length."""

_LEGEND_SHARE: Final = 0.86  # of the width that a legend may take
_AXES_SHARE: Final = 0.775  # of a figure's width that matplotlib gives to one axes by default
_LONG_DAYS: Final = 120
_MONTH_STEPS: Final = (1, 2, 3, 4, 6, 12, 24, 60, 120, 240)
_DAY_STEPS: Final = (1, 2, 5, 10, 15, 20, 30)
_LEGEND_LINES: Final = 2  # that the height of a chart allows for


class Chart(Protocol):
    """A chart: a function of a result that draws, with the table of what it draws beside it."""

    __name__: str

    def __call__(self, result: Result, ax: "Axes | None" = None, *, width_in: float = style.WIDTH_IN) -> "Axes":
        """Draw the chart and return its axes.

        Parameters
        ----------
        result
            A ruling or a load.
        ax
            Axes to draw on; by default those of a new figure.
        width_in
            Width of the new figure, inches, 3.25 to 48.
        """
        ...

    @staticmethod
    def table(result: Result) -> "pandas.DataFrame":
        """Return what the chart shows as a table.

        Parameters
        ----------
        result
            A ruling or a load.
        """
        ...

    @staticmethod
    def columns(result: Result) -> Columns:
        """Return the same as plain columns.

        Parameters
        ----------
        result
            A ruling or a load.
        """
        ...


def drawn_from(columns: Callable[[Result], Columns]) -> Callable[[Callable[..., "Axes"]], Chart]:
    """Return a decorator that gives a chart the table it is drawn from: ``chart.table(result)``.

    Parameters
    ----------
    columns
        Returns the table's columns of a result. The chart draws these columns and nothing else, so that picture and
        table cannot differ.
    """

    def table(result: Result) -> "pandas.DataFrame":
        import pandas

        return pandas.DataFrame(columns(result))

    def with_table(draw: Callable[..., "Axes"]) -> Chart:
        @functools.wraps(draw)
        def checked(result: Result, ax: "Axes | None" = None, *, width_in: float = style.WIDTH_IN) -> "Axes":
            if ax is None:
                style.check_width(width_in)
            return draw(result, ax, width_in=width_in)

        checked.columns, checked.table = columns, table  # type: ignore[attr-defined]
        return cast(Chart, checked)

    return with_table


@dataclass(frozen=True, slots=True)
class Canvas:
    """Axes that a chart is drawn on, and the room there is.

    Parameters
    ----------
    ax
        The axes.
    width_in
        Width of the figure, or of the axes' part of it, inches.
    own
        Whether the figure is the chart's own, so that it may grow.
    """

    ax: "Axes"
    width_in: float
    own: bool

    @property
    def narrow(self) -> bool:
        """Whether it stands in a column."""
        return style.is_narrow(self.width_in)

    @property
    def size(self) -> float:
        """Size of numbers at bars and lines, points."""
        return 6.5 if self.narrow else 8.0

    def room(self, share: float) -> int:
        """Return how many characters fit into a share of the width.

        Parameters
        ----------
        share
            Of the width, 0 to 1.
        """
        return int(share * self.width_in * 72.0 / (0.6 * self.size))

    def title(self, load: SedimentLoad, text: str) -> None:
        """Write the chart's title in bold, and the project's name below it.

        Parameters
        ----------
        load
            Whose project is named.
        text
            The title, short enough for a column.
        """
        self.ax.set_title(text, pad=self.size + 11.0)
        self.ax.annotate(
            style.short(load.site.project.name, self.room(0.54)),
            (0.0, 1.0),
            xycoords="axes fraction",
            xytext=(0.0, 6.0),
            textcoords="offset points",
            fontsize=self.size,
            color="#444444",
            ha="left",
            va="bottom",
            annotation_clip=False,
        )

    def dates(self, first: datetime.date, last: datetime.date) -> str:
        """Let the axis run from a day to a day with a few dates that do not touch; return the year they leave out.

        Parameters
        ----------
        first, last
            First and last day.
        """
        from matplotlib import dates

        days = (last - first).days + 1
        long = days > _LONG_DAYS
        most = 3 + long if self.narrow else 6 + long
        axis = self.ax.xaxis
        axis.set_ticks([float(dates.date2num(d)) for d in _marked_days(first, days, most)])  # type: ignore[no-untyped-call]
        text = "%b %Y" if long else "%b %d"
        axis.set_major_formatter(dates.DateFormatter(text))  # type: ignore[no-untyped-call]
        left, right = (float(dates.date2num(d)) for d in (first, last + datetime.timedelta(days=1)))  # type: ignore[no-untyped-call]
        margin = 0.015 * (right - left)
        self.ax.set_xlim(left - margin, right + margin)
        years = f"{first.year}" if first.year == last.year else f"{first.year} to {last.year}"
        return "" if long else years

    def plain_numbers(self, axis: "Axis") -> None:
        """Write the numbers of an axis in full, with commas: 12,000,000 and not 1.2 under a power of ten.

        Parameters
        ----------
        axis
            The axis.
        """
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}".replace("-", "−")))
        if self.narrow and axis is self.ax.xaxis:
            axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))

    def number_at_bar(self, value: float, place: float, text: str, limit: float | None, end: float) -> None:
        """Write the number of a horizontal bar at its end, or beyond the limit where it would cross its line.

        Parameters
        ----------
        value, place
            Length of the bar, and its place on the axis of the rows.
        text
            The number.
        limit
            Where the line of the limit stands; None without one.
        end
            Where the axis ends.
        """
        width = (len(text) + 1) * 0.6 * self.size / 72.0 / (0.7 * self.width_in) * end
        crosses = limit is not None and value < limit < value + width
        self.ax.annotate(
            text,
            (limit if limit is not None and crosses else value, place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=self.size,
            bbox=style.PAPER,
            zorder=3,
        )

    def legend_below(self, columns: int, narrow_columns: int = 1) -> None:
        """Put the legend under the axes, so that it takes no width from them.

        Parameters
        ----------
        columns, narrow_columns
            Number of columns at full width and in a column of text.
        """
        handles, labels = self.ax.get_legend_handles_labels()
        self.legend_of(handles, labels, columns, narrow_columns)

    def legend_of(self, handles: list[Any], labels: list[str], columns: int, narrow_columns: int = 1) -> None:
        """Put a legend of given entries under the axes.

        Parameters
        ----------
        handles, labels
            What is shown, and its text.
        columns, narrow_columns
            Number of columns at full width and in a column of text.
        """
        if not handles:
            return
        from matplotlib.transforms import ScaledTranslation

        figure = style.figure_of(self.ax)
        label = self.ax.get_xlabel()
        drop = (self.size + 11.0) + (1.6 * self.size * (label.count("\n") + 1) if label else 0.0)
        below = ScaledTranslation(0.0, -drop / 72.0, figure.dpi_scale_trans)
        ncols = min(narrow_columns if self.narrow else columns, len(handles))
        while True:
            legend = self.ax.legend(
                handles,
                labels,
                loc="upper right",  # so that it may reach to the left under the labels of the rows
                bbox_to_anchor=(1.0, 0.0),
                bbox_transform=self.ax.transAxes + below,
                borderaxespad=0.0,
                ncols=ncols,
                columnspacing=1.4,
            )
            # Wider than the axes and the labels beside them, it would push the axes together.
            if ncols == 1 or legend.get_window_extent().width <= _LEGEND_SHARE * self.width_in * figure.dpi:
                break
            ncols -= 1
        lines = math.ceil(len(handles) / ncols)
        if self.own and lines > _LEGEND_LINES:
            figure.set_figheight(figure.get_figheight() + (lines - _LEGEND_LINES) * 1.7 * self.size / 72.0)


def _marked_days(first: datetime.date, days: int, most: int) -> list[datetime.date]:
    """Return at most so many days to mark on an axis of dates: firsts of months, or steps of days in under two."""
    if days < 62:
        step = next((s for s in _DAY_STEPS if days / s <= most - 0.5), _DAY_STEPS[-1])
        return [first + datetime.timedelta(days=k) for k in range(0, days, step)]
    step = next((s for s in _MONTH_STEPS if days / 30.44 / s <= most - 0.5), _MONTH_STEPS[-1])
    last = first + datetime.timedelta(days=days - 1)
    months = range(12 * first.year + first.month - 1, 12 * last.year + last.month)
    marked = [datetime.date(m // 12, m % 12 + 1, 1) for m in months if m % step == 0]
    return [d for d in marked if first <= d <= last]


@contextmanager
def canvas(ax: "Axes | None", width_in: float, height_in: float) -> Iterator[Canvas]:
    """Open axes in the charts' style; a caller's matplotlib settings come back afterwards.

    Parameters
    ----------
    ax
        The caller's axes; None for those of a new figure.
    width_in, height_in
        Size of the new figure, inches.
    """
    from matplotlib import rc_context

    own = ax is None
    if ax is not None:
        width_in = ax.get_window_extent().width / style.figure_of(ax).dpi / _AXES_SHARE
    settings = style.settings(width_in)
    with rc_context(settings):
        if ax is None:
            ax = style.new_axes(height_in, width_in)
        else:
            style.restyle(ax, settings)
        yield Canvas(ax, width_in, own)


def load_of(result: Result) -> SedimentLoad:
    """Return the load of a result.

    Parameters
    ----------
    result
        A ruling or a load.
    """
    return result.load if isinstance(result, Ruling) else result


def tons_text(tons: float) -> str:
    """Return tons with one decimal, a few with as many as show them.

    Parameters
    ----------
    tons
        Short tons.
    """
    return f"{tons:,.1f}" if tons == 0.0 or abs(tons) >= 0.05 else f"{tons:,.{area_digits(tons)}f}"


def area_names(load: SedimentLoad, longest: int) -> list[str]:
    """Return what a chart calls the columns of a load's windows: the drainage areas, the whole site last.

    Parameters
    ----------
    load
        The load.
    longest
        Most characters of a name.
    """
    areas = [area for area in load.windows.area if area is not None]
    return [*style.short_each(areas, longest), "whole site"]


def limit_of(result: Result) -> float | None:
    """Return the limit that a result was ruled by, short tons/(acre yr); None of a load.

    Parameters
    ----------
    result
        A ruling or a load.
    """
    return result.limit if isinstance(result, Ruling) else None


def delivery_ratio(load: SedimentLoad) -> float:
    """Return the hillslope delivery ratio of a load, a share from 0 to 1.

    Parameters
    ----------
    load
        The load.
    """
    return load.site.delivery.ratio if load.site.delivery else 1.0
