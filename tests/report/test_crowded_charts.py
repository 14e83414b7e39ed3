"""Charts of sites larger than most: many drainage areas and phases, long names, odd sizes; and wrong widths."""

import datetime
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import sedcalc as sc
from builders import built, practice, site_data
from report_layout import faults
from sedcalc.report import charts, style
from sedcalc.report.charts import rolling_discharge
from sedcalc.report.sheet_figures import load_chart, timeline_chart, waterfall_chart

CHARTS = [n for n in charts.__all__ if n.islower() and n != "write_charts"]
WIDTHS = [style.WIDTH_IN, style.COLUMN_IN]
PAGE_IN = 8.2  # high, less heading and caption


def named(stem: str, number: int, length: int) -> str:
    """A name of so many characters, some of them the widest."""
    text = f"{stem} of the northern subdivision along Ridge Road, WEST WING, LOTS 1 TO 25, to Whitnall Park "
    return text.ljust(80, "W")[: length - 3].strip().ljust(length - 3, "x") + f"{number:03d}"


def crowded(areas: int, phases: int, length: int, days: int = 822, acres: float = 1.0) -> Any:
    """A site with so many drainage areas and phases, names of so many characters, over so many days."""
    first = datetime.date(2027, 4, 1)
    starts = [first + datetime.timedelta(days=days * k // phases) for k in range(phases + 1)]
    end = (starts[-1] - datetime.timedelta(days=1)).isoformat()
    ids = [named("Basin", i, length) for i in range(areas)]
    soils = [
        {"id": named("Soil", i, length), "texture": "loam", "organic_matter_pct": 2.0} for i in range(min(areas, 7))
    ]
    unit = {"length": 100, "stabilized": end, "final_cover": {"C": 0.01, "source": "test"}}
    units = [
        {"id": f"u{i}", "drainage_area": ids[i], "soil": soils[i % 7]["id"], "area": acres, "slope_pct": 3 + i, **unit}
        for i in range(areas)
    ]
    shared = {"units": [u["id"] for u in units]}
    data = site_data(
        location={"county": "Milwaukee, WI"},
        drainage_areas=[{"id": a, "outfall": f"outfall {i}"} for i, a in enumerate(ids)],
        ground_units=units,
        soils=soils,
        practices=[
            practice(named("Trap", i, length), 0.5, drainage_areas=[a], start="2027-04-01", end=end)
            for i, a in enumerate(ids)
        ],
        phases=[
            {
                "id": named("Phase", k, length),
                "start": starts[k].isoformat(),
                "end": (starts[k + 1] - datetime.timedelta(days=1)).isoformat(),
                "cover": {"C": (1.0, 0.3, 0.05)[k % 3], "source": "test"},
                **shared,
            }
            for k in range(phases)
        ],
    )
    data["project"]["name"] = named("Project", 0, 80)
    return sc.check_compliance(sc.sediment_load(built(data)))


def texts_of(ax: Any) -> list[str]:
    return [t.get_text() for t in style.figure_of(ax).findobj(Text)]


@pytest.fixture(
    scope="module",
    params=[(1, 1, 80), (6, 5, 40), (8, 40, 80), (25, 40, 40)],
    ids=lambda p: f"{p[0]} areas, {p[1]} phases, {p[2]} characters",
)
def result(request: pytest.FixtureRequest) -> Any:
    return crowded(*request.param)


@pytest.mark.parametrize("width_in", WIDTHS)
@pytest.mark.parametrize("name", CHARTS)
def test_no_label_leaves_the_page_or_lies_on_another(result: Any, name: str, width_in: float) -> None:
    """matplotlib warns where labels leave the axes no room; warnings are errors here."""
    figure = style.figure_of(getattr(charts, name)(result, width_in=width_in))
    assert faults(figure) == []
    width, height = figure.get_size_inches()
    assert width == width_in
    box = figure.axes[0].get_window_extent()
    assert box.width > 0.25 * width * figure.dpi
    assert box.height > 0.3 * height * figure.dpi


@pytest.mark.parametrize("days", [3, 20, 61, 121, 300])
@pytest.mark.parametrize("width_in", WIDTHS)
def test_short_projects_too(days: int, width_in: float) -> None:
    short = crowded(2, min(days, 3), 40, days=days)
    for draw in (charts.timeline, rolling_discharge):
        assert faults(style.figure_of(draw(short, width_in=width_in))) == [], draw.__name__


def test_a_chart_says_which_drainage_areas_it_leaves_out() -> None:
    for days, drawn in ((822, 4), (300, 16)):
        many = crowded(25, 2, 22, days=days)
        ax = rolling_discharge(many)
        assert f"{drawn} of 25 drainage areas drawn: the largest figures" in ax.get_xlabel()
        few = crowded(drawn, 2, 22, days=days)
        assert "drawn" not in rolling_discharge(few).get_xlabel()


@pytest.mark.parametrize("width_in", WIDTHS)
@pytest.mark.parametrize("areas", [1, 25])
def test_what_governs_is_written_above_all_lines(areas: int, width_in: float) -> None:
    ax = rolling_discharge(crowded(areas, 12, 40), width_in=width_in)
    style.figure_of(ax).draw_without_rendering()
    (text,) = [t for t in ax.texts if t.get_text().startswith("governing")]
    highest = max(float(line.get_ydata().max()) for line in ax.lines if len(line.get_ydata()) > 2)
    above = ax.transData.transform((0.0, highest))[1]
    assert Text.get_window_extent(text).y0 > above


def test_a_project_under_12_months_is_a_bar_for_each_area() -> None:
    """Its figure by area from the windows of the load; the limit as a line; no window to slide."""
    short = crowded(3, 2, 22, days=300)
    windows = short.load.windows
    assert windows.whole_project
    ax = rolling_discharge(short)
    assert [p.get_width() for c in ax.containers for p in c.patches] == windows.tons_per_acre[0].tolist()
    assert [t.get_text().splitlines()[0] for t in ax.get_yticklabels()][-1] == "whole site"
    governing = [t.get_text() for t in ax.get_yticklabels() if "(governing)" in t.get_text()]
    assert len(governing) == 1
    assert next(line for line in ax.lines if line.get_label() == "limit 5").get_xdata()[0] == 5.0
    assert "under 12 months" in ax.get_xlabel()


def test_numbers_are_written_in_full_with_commas() -> None:
    """25 areas of 100,000 acres: no power of ten at an axis, no number without its commas."""
    huge = crowded(25, 2, 22, acres=100_000.0)
    for name in CHARTS:
        ax = getattr(charts, name)(huge)
        style.figure_of(ax).draw_without_rendering()
        found = texts_of(ax)
        assert not [t for t in found if "1e" in t or "\u00d710" in t], name
        digits = ["".join(c if c.isdigit() else " " for c in t).split() for t in found]
        assert max(len(part) for parts in digits for part in parts) <= 4, name  # a year


def test_steps_of_nothing_have_no_sign_and_small_steps_their_first_digit() -> None:
    """A load of so few tons that a practice traps less than a tenth: 0.002 acres."""
    small = crowded(1, 1, 22, acres=0.002)
    found = [t.get_text() for t in charts.waterfall(small).texts]
    assert not [t for t in found if t in ("−0.0", "+0.0", "-0.0")]
    saved = charts.waterfall.table(small).set_index("kind").saved_tons["practice"]
    assert 0.0005 <= saved < 0.05
    assert f"−{saved:.1g}" in found


def test_a_small_area_is_never_written_as_nothing() -> None:
    small = crowded(1, 1, 22, acres=0.001)
    for name in ("load_by_phase", "contributions", "timeline"):
        found = texts_of(getattr(charts, name)(small))
        assert any("0.0010 ac" in t or "0.0010 disturbed" in t for t in found), name
        assert not any("0.00 ac" in t for t in found)


def test_charts_of_a_sheet_stand_at_their_full_size() -> None:
    """None is higher than a page, so none is made smaller with its text."""
    many = crowded(25, 40, 40)
    for picture in (timeline_chart(many), load_chart(many), waterfall_chart(many)):
        assert picture.width_in == pytest.approx(6.8), picture.name
    for name in CHARTS:
        assert style.figure_of(getattr(charts, name)(many, width_in=6.8)).get_size_inches()[1] <= 9.0


@pytest.mark.parametrize("width_in", WIDTHS)
def test_a_label_that_goes_on_has_a_mark(width_in: float) -> None:
    """The range of practices' efficiencies is the longest."""
    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))
    ranges = dict(zip(*(charts.sensitivity.columns(ruling)[n] for n in ("factor", "range")), strict=True))
    for label in charts.sensitivity(ruling, width_in=width_in).get_yticklabels():
        factor, *lines = label.get_text().split("\n")
        shown = " ".join(lines)
        assert shown == ranges[factor] or (shown.endswith("…") and ranges[factor].startswith(shown[:-1]))


@pytest.mark.parametrize("width_in", [0, -1, float("nan"), float("inf"), "7", None, True, 0.1, 1e6])
def test_a_width_that_cannot_be_is_refused(width_in: Any) -> None:
    result = crowded(1, 1, 22)
    for name in CHARTS:
        with pytest.raises(sc.InputError, match=r"number of inches from 3\.25 to 48"):
            getattr(charts, name)(result, width_in=width_in)


@pytest.mark.parametrize("width_in", [3.25, 48])
def test_the_least_and_the_largest_width_can_be_drawn(width_in: float) -> None:
    result = crowded(3, 3, 40)
    for name in CHARTS:
        assert faults(style.figure_of(getattr(charts, name)(result, width_in=width_in))) == [], name


def test_the_callers_axes_have_their_own_width() -> None:
    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    ax = figure.subplots()
    assert rolling_discharge(crowded(1, 1, 22), ax, width_in=0.0) is ax
    assert tuple(figure.get_size_inches()) == (7.0, 4.0)


def test_a_small_area_is_printed_on_the_sheet_with_enough_digits() -> None:
    """0.001 acres in Table 1 and the windows: tons over 0.00 acres would be no figure."""
    from sedcalc.report.sheet import calculation_sheet
    from sheet_reading import numbers

    sheet = calculation_sheet(crowded(1, 1, 22, acres=0.001))
    areas = [n for n in numbers(sheet) if n.path and n.path.endswith("acres")]
    assert len(areas) >= 4
    for number in areas:
        assert float(number.text) == pytest.approx(0.001, rel=0.05), number.path
