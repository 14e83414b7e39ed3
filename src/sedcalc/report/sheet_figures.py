"""The figures of a calculation sheet: charts as SVG, maps as PNG, each with its caption and alternative text."""

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sedcalc.compliance.ruling import Ruling
from sedcalc.report import style
from sedcalc.report.sheet_blocks import Block, Paragraph, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH_IN: Final = 6.8  # on paper, inches
_HIGHEST_IN: Final = 8.2  # a page less heading and caption
_MAP_DPI: Final = 220


def timeline_chart(ruling: Ruling) -> Picture:
    """Return the schedule over the year's erosivity.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    from sedcalc.report import charts

    alt = "Chart of phases and practices as bars over time, before the erosivity that accumulates from the first day."
    return _chart(
        "timeline", "Schedule, practices and erosivity", alt, lambda: charts.timeline(ruling, width_in=_WIDTH_IN)
    )


def load_chart(ruling: Ruling) -> Picture:
    """Return the load by phase, with and without controls.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    from sedcalc.report import charts

    figure, limit = ruling.tons_per_acre_per_year, ruling.limit
    said = "" if figure is None else f" The governing figure is {figure:.2f} tons/acre."
    said += "" if limit is None else f" The limit is {limit:g}."
    alt = f"Bar chart: tons per acre that each phase discharges with no controls and with them.{said}"
    caption = "Sediment discharge by phase, with and without controls"
    return _chart("load_by_phase", caption, alt, lambda: charts.load_by_phase(ruling, width_in=_WIDTH_IN))


def window_chart(ruling: Ruling) -> Picture:
    """Return the discharge in 12 months by their first day; of the whole project where that is shorter.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    from sedcalc.report import charts

    if ruling.load.windows.whole_project:
        alt = "Bar chart: tons per acre that each drainage area and the site discharge over the whole project."
        caption = "Discharge of the whole project, under 12 months, by drainage area"
    else:
        alt = "Line chart: tons per acre discharged in 12 months, by the first day of these months, by drainage area."
        caption = "Discharge in 12 months by their first day"
    return _chart("rolling_12_months", caption, alt, lambda: charts.rolling_discharge(ruling, width_in=_WIDTH_IN))


def waterfall_chart(ruling: Ruling) -> Picture:
    """Return the way from the load with no controls to the discharge.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    from sedcalc.report import charts

    totals = ruling.load.totals
    alt = (
        f"Waterfall chart from {totals.baseline:.1f} tons with no controls to {totals.discharged:.1f} tons discharged."
    )
    return _chart(
        "waterfall", "What each control takes off the load", alt, lambda: charts.waterfall(ruling, width_in=_WIDTH_IN)
    )


def sensitivity_chart(ruling: Ruling) -> tuple[Picture, ...]:
    """Return how far the governing figure moves over each factor's range; nothing where there is no figure.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    from sedcalc.report import charts

    if ruling.tons_per_acre_per_year is None or not charts.sensitivity.columns(ruling)["factor"]:
        return ()
    alt = "Bar chart: the governing figure at the lowest and highest value of each factor, as the table above says."
    return (
        _chart(
            "sensitivity",
            "The figure over the range of each factor",
            alt,
            lambda: charts.sensitivity(ruling, width_in=_WIDTH_IN),
        ),
    )


def site_maps(ruling: Ruling) -> tuple[Block, ...]:
    """Return the maps of a gridded site: its ground units, its drainage areas, and the soil loss of each phase.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    """
    from sedcalc.report.maps import drainage_map, phase_map, soil_loss_map

    units = _png(lambda: phase_map(ruling, width_in=_WIDTH_IN))
    areas = _png(lambda: drainage_map(ruling, width_in=_WIDTH_IN))
    said = (
        "Soil loss of each cell over the days of a phase, before delivery and practices. The limit holds for the "
        "discharge of a drainage area in 12 months; it stands among the classes for scale."
    )
    blocks: list[Block] = [
        Picture(
            "map_units.png",
            ("Ground units, the phases on each, and practices",),
            "Map of the ground units over a hillshade with contours; the legend lists the phases of each.",
            *units,
        ),
        Picture(
            "map_drainage.png",
            ("Drainage areas and outfalls",),
            "Map of the drainage areas with a mark for each outfall; the legend gives the discharge of each area.",
            *areas,
        ),
        Paragraph((said,)),
    ]
    for i, phase in enumerate(ruling.load.site.phases, start=1):
        caption = f"Soil loss in phase {phase.id}, {phase.start} through {phase.end}, tons per acre"
        alt = f"Map of soil loss on a hillshade, phase {phase.id}, in classes; the legend gives the acres of each."
        data, width = _png(lambda phase=phase: soil_loss_map(ruling, phase.id, width_in=_WIDTH_IN))  # type: ignore[misc]
        blocks.append(Picture(f"soil_loss_{i:02d}.png", (caption,), alt, data, width))
    return tuple(blocks)


def _chart(name: str, caption: str, alt: str, draw: "Callable[[], Axes]") -> Picture:
    from matplotlib import rc_context

    data = io.BytesIO()
    figure = style.figure_of(draw())
    with rc_context(style.RC):
        figure.savefig(data, format="svg", metadata={"Date": None, "Creator": None})
    return Picture(f"{name}.svg", (caption,), alt, data.getvalue(), _width(figure))


def _png(draw: "Callable[[], Axes]") -> tuple[bytes, float]:
    data = io.BytesIO()
    figure = style.figure_of(draw())
    figure.savefig(data, format="png", dpi=_MAP_DPI, metadata={"Software": None})
    return data.getvalue(), _width(figure)


def _width(figure: "Figure") -> float:
    """Return the width at which a figure stands on the page, inches: smaller where it is higher than a page."""
    wide, high = (float(size) for size in figure.get_size_inches())
    return min(wide, _WIDTH_IN, wide / high * _HIGHEST_IN)
