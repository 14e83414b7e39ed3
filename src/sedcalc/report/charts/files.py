"""Charts as files: PNG, SVG and PDF, the same bytes for the same ruling."""

from pathlib import Path
from typing import Any, Final, Literal

from sedcalc.compliance.ruling import Ruling
from sedcalc.report import style
from sedcalc.report.charts.canvas import Chart
from sedcalc.report.charts.credits import waterfall
from sedcalc.report.charts.phases import load_by_phase
from sedcalc.report.charts.places import contributions
from sedcalc.report.charts.ranges import sensitivity
from sedcalc.report.charts.schedule_bars import timeline
from sedcalc.report.charts.seasons import erosivity_by_season
from sedcalc.report.charts.twelve_months import rolling_discharge

Choice = Literal["main", "all", "none"]

_MAIN: Final[dict[str, Chart]] = {"load_by_phase": load_by_phase, "rolling_12_months": rolling_discharge}
_OTHERS: Final[dict[str, Chart]] = {
    "timeline": timeline,
    "erosivity_by_season": erosivity_by_season,
    "waterfall": waterfall,
    "contributions": contributions,
    "sensitivity": sensitivity,
}
_METADATA: Final[dict[str, dict[str, Any]]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
}


def write_charts(ruling: Ruling, folder: Path, which: Choice = "main") -> list[str]:
    """Write the charts of a ruling, 7 inches wide, the same bytes for the same ruling.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    folder
        An existing folder.
    which
        ``main``: load by phase and the discharge in 12 months (of the whole project, where it is shorter), as PNG and
        SVG; ``all``: every chart that the site has, as PDF too; ``none``.

    Returns
    -------
    list of str
        Names of the files.
    """
    charts = {"main": _MAIN, "all": _MAIN | _OTHERS, "none": {}}[which]
    names = []
    for name, chart in charts.items():
        if name == "sensitivity" and not chart.columns(ruling)["factor"]:
            continue
        names += write_chart(chart, ruling, folder, name, ("png", "svg", "pdf") if which == "all" else ("png", "svg"))
    return names


def write_chart(
    chart: Chart, ruling: Ruling, folder: Path, name: str, kinds: tuple[str, ...] = ("png", "svg", "pdf")
) -> list[str]:
    """Write one chart as PNG, SVG and PDF.

    Parameters
    ----------
    chart
        The chart.
    ruling
        What it is drawn of.
    folder
        An existing folder.
    name
        Name of the files, without ending.
    kinds
        Endings.

    Returns
    -------
    list of str
        Names of the files.
    """
    from matplotlib import rc_context

    figure = style.figure_of(chart(ruling))
    with rc_context(style.settings(style.WIDTH_IN)):
        for kind in kinds:
            figure.savefig(folder / f"{name}.{kind}", metadata=_METADATA[kind])
            figure.set_layout_engine(None)  # the first format has laid it out; the others only draw it
    return [f"{name}.{kind}" for kind in kinds]
