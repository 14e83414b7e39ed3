"""Charts of a ruling or a load: ``sc.charts.<name>(result, ax=None)`` draws, ``sc.charts.<name>.table(result)`` tells.

Each chart is a function that draws the columns of its own table and nothing else. Given no axes it makes a figure of
``width_in`` inches; 7 fits a letter page, 3.5 one of two columns. matplotlib is imported when a chart is drawn, without
pyplot: no global state, no display.

>>> import sedcalc as sc
>>> ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))
>>> ax = sc.charts.load_by_phase(ruling, width_in=3.5)
>>> sc.charts.load_by_phase.table(ruling).name.tolist()[:2]
['clearing', 'mass grading']
"""

from sedcalc.report.charts.canvas import Chart, Result
from sedcalc.report.charts.credits import waterfall
from sedcalc.report.charts.files import write_charts
from sedcalc.report.charts.phases import load_by_phase
from sedcalc.report.charts.places import contributions
from sedcalc.report.charts.ranges import sensitivity
from sedcalc.report.charts.schedule_bars import timeline
from sedcalc.report.charts.seasons import erosivity_by_season
from sedcalc.report.charts.twelve_months import rolling_discharge

__all__ = [
    "Chart",
    "Result",
    "contributions",
    "erosivity_by_season",
    "load_by_phase",
    "rolling_discharge",
    "sensitivity",
    "timeline",
    "waterfall",
    "write_charts",
]
