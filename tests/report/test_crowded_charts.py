"""Charts of sites larger than most: many drainage areas and phases, long names, odd sizes; and wrong widths."""

import dataclasses
import datetime
import re
import sys
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
from sedcalc.units import percent_text

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
        found = [t for t in texts_of(ax) if "…" not in t]  # names aside
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


def test_a_small_discharge_is_never_written_as_nothing() -> None:
    small = crowded(2, 1, 22, acres=0.0005)
    left = charts.waterfall.table(small).set_index("kind").left_tons["discharge"]
    assert 0.0095 < left < 0.05
    assert f"{left:.2f}" in [t.get_text() for t in charts.waterfall(small).texts]
    assert not [t for t in texts_of(charts.contributions(small)) if t.startswith("0.0 tons")]


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


def alike(kind: str, number: int) -> str:
    """One of a series of names of 80 characters: it differs from the others at its end, or in its middle."""
    if kind == "end":
        return f"Basin of the northern subdivision along Ridge Road, {'W' * 25}{number:03d}"
    return f"Basin of the northern subdivision {number:03d} along Ridge Road to Whitnall Park, lots"


def row_labels(name: str, ax: Any) -> list[str]:
    """The names beside the rows of a chart, or in its legend."""
    if name == "erosivity_by_season":
        return [t.get_text().rsplit("  ", 1)[0] for t in ax.texts if t.get_text().endswith(" %")]
    if name == "rolling_discharge":
        return [t.get_text() for t in ax.get_legend().get_texts()]
    lines = [t.get_text().split("\n")[0] for t in ax.get_yticklabels()]
    return [line.rsplit(", ", 1)[0] for line in lines] if name == "timeline" else lines


@pytest.mark.parametrize("width_in", WIDTHS)
@pytest.mark.parametrize("kind", ["end", "middle"])
def test_labels_of_different_names_differ(kind: str, width_in: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "named", lambda stem, number, _: alike(kind, number))
    many = crowded(17, 12, 80)
    for name in ("rolling_discharge", "contributions", "timeline", "load_by_phase", "erosivity_by_season", "waterfall"):
        labels = row_labels(name, getattr(charts, name)(many, width_in=width_in))
        assert len(labels) >= 5, name
        assert sum("…" in label for label in labels) >= 4, name
        assert len(set(labels)) == len(set(shown_names(name, many, labels))), (name, labels)


def shown_names(name: str, result: Any, labels: list[str]) -> list[str]:
    """As many names as the labels stand for: on a timeline practices and phases may have one name."""
    if name == "timeline":
        return charts.timeline.columns(result)["name"][: len(labels)]
    return [str(k) for k in range(len(labels))]


@pytest.mark.parametrize("width_in", WIDTHS)
def test_what_governs_has_the_name_of_its_line(width_in: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "named", lambda stem, number, _: alike("end", number))
    many = crowded(17, 2, 80)
    ax = rolling_discharge(many, width_in=width_in)
    (text,) = [t.get_text() for t in ax.texts if t.get_text().startswith("governing: ")]
    name = text.split("\n")[0].removeprefix("governing: ")
    line = next(line for line in ax.lines if line.get_label() == name)
    assert max(line.get_ydata()) == many.tons_per_acre_per_year
    assert name[-3:] == many.governing.drainage_area[-3:]
    assert name in charts.load_by_phase(many, width_in=width_in).get_yticklabels()[-1].get_text() or width_in > 5


def test_a_short_text_keeps_its_beginning_and_its_end() -> None:
    text = "Drainage area along Ridge Road 07"
    for longest in range(3, len(text)):
        label = style.short(text, longest)
        head, tail = label.split("…")
        assert len(label) <= longest
        assert text.startswith(head)
        assert text.endswith(tail)
        assert tail
    assert style.short(text, len(text)) == text


def test_short_texts_tell_apart_whatever_the_difference() -> None:
    same = "a" * 30
    for texts in ([same, same + "a"], [same + "b" + same, same + "c" + same], [same + "  b", same + " b", same + "b"]):
        labels = style.short_each(texts, 12)
        assert len(set(labels)) == len(texts)
        assert max(map(len, labels)) <= 12
    assert len(set(style.short_each([same, same], 12))) == 1


def test_a_mark_stands_only_where_text_is_left_out() -> None:
    """What differs begins at its word; after the last word there is nothing to mark."""
    names = [f"Unit of the northern subdivision number {k} drainage" for k in (1, 2)]
    assert style.short_each(names, 16) == ["Uni…1 drainage", "Uni…2 drainage"]
    assert style.short_each([f"{n} area of the county" for n in names], 16) == ["Uni…1 drainage…", "Uni…2 drainage…"]


@pytest.mark.parametrize("width_in", WIDTHS)
def test_covers_of_the_subdivision_stand_whole_on_the_timeline(width_in: float) -> None:
    subdivision = sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml")))
    ax = charts.timeline(subdivision, width_in=width_in)
    covers = charts.timeline.columns(subdivision)["cover"]
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert len(covers) == len(labels) > 5
    assert all(label.endswith(cover) for label, cover in zip(labels, covers, strict=True))


def test_per_cent_is_written_one_way() -> None:
    """A space before the sign; a share that is not nothing, or not the whole, does not read so."""
    result = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))
    texts = [t for name in CHARTS for t in texts_of(getattr(charts, name)(result))]
    signs = [t for t in texts if "%" in t and any(c.isdigit() for c in t)]
    assert len(signs) >= 10
    assert not [t for t in signs if re.search(r"\d%", t)]
    assert [percent_text(s) for s in (0.0, 0.004, 0.006, 0.994, 0.996, 1.0 - 1e-15)] == [
        "0 %", "<1 %", "1 %", "99 %", ">99 %", "100 %"
    ]  # fmt: skip


def numbers_across_the_limit(ax: Any) -> list[str]:
    """Numbers whose text the line of the limit goes through or touches."""
    style.figure_of(ax).draw_without_rendering()
    (limit,) = [line for line in ax.lines if str(line.get_label()).startswith("limit")]
    at = ax.transData.transform((limit.get_xdata()[0], 0.0))[0]
    boxes = [(t.get_text(), Text.get_window_extent(t)) for t in ax.texts if t.get_text().replace(",", "")[:1].isdigit()]
    assert boxes
    return [text for text, box in boxes if box.x0 - 1.0 <= at <= box.x1 + 1.0]


@pytest.mark.parametrize("width_in", [*WIDTHS, 5.0, 6.8])
def test_the_limit_goes_through_no_number(width_in: float) -> None:
    subdivision = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))
    short = crowded(3, 2, 22, days=300)
    for draw, ruling in (
        (charts.sensitivity, subdivision),
        (charts.load_by_phase, subdivision),
        (rolling_discharge, short),
        (charts.load_by_phase, short),
    ):
        assert numbers_across_the_limit(draw(ruling, width_in=width_in)) == [], draw.__name__


@pytest.mark.parametrize("limit", [4.3, 4.5, 4.75, 3.5])
@pytest.mark.parametrize("width_in", WIDTHS)
def test_wherever_the_limit_stands(limit: float, width_in: float) -> None:
    """The lowest figures of the subdivision are 3.5 to 4.1, the highest 4.2 to 8.2."""
    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))
    moved = dataclasses.replace(ruling, limit=limit)
    assert numbers_across_the_limit(charts.sensitivity(moved, width_in=width_in)) == []


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


def test_few_tons_are_printed_on_the_sheet_with_enough_digits() -> None:
    """The load of 0.001 acres in every table of the sheet: two digits of what two decimals would hide, as of acres."""
    from sedcalc.report.sheet import calculation_sheet
    from sheet_reading import numbers

    sheet = calculation_sheet(crowded(2, 2, 22, acres=0.001))
    tons = [n for n in numbers(sheet) if n.path and n.path.endswith("_tons") and n.value]
    assert len(tons) >= 20
    assert {n.path.rsplit(".", 1)[0].split("[")[0] for n in tons} >= {"rows", "totals", "windows", "practices"}
    for number in tons:
        shown = float(number.text.replace("−", "-"))
        assert shown == pytest.approx(number.value, rel=0.05, abs=0.005 if number.value >= 0.0095 else 0.0), number.path


def test_what_rounding_leaves_is_no_row_of_zeros() -> None:
    from sedcalc.report.sheet_draft import amount

    tons = (0.0, 12.3456, 0.00123, -0.00123, 3e-17, -3e-17)
    assert [amount(t).text for t in tons] == ["0.00", "12.35", "0.0012", "−0.0012", "0.000000", "0.000000"]
