"""Charts: what they show is what the result says, in one style, without pyplot."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import sedcalc as sc
from builders import built, practice, site_data
from report_layout import faults
from sedcalc.report import charts, style
from sedcalc.report.charts import load_by_phase, rolling_discharge, write_charts
from sedcalc.report.results import run_object

CHARTS = [n for n in charts.__all__ if n.islower() and n != "write_charts"]


@pytest.fixture(scope="module")
def ruling():
    return sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))


def bars(ax):
    """Return the widths of the bars by label, in the order of the axis."""
    return {c.get_label(): [p.get_width() for p in c.patches] for c in ax.containers}


def test_bars_of_the_phases_add_up_to_the_project(ruling):
    found = run_object(ruling)
    widths = bars(load_by_phase(ruling))
    acres = found["disturbed_acres"]
    assert sum(widths["with controls"][:-1]) == pytest.approx(found["totals"]["discharged_tons"] / acres, rel=1e-12)
    assert sum(widths["no controls"][:-1]) == pytest.approx(found["totals"]["baseline_tons"] / acres, rel=1e-12)


def test_the_last_pair_is_the_governing_window(ruling):
    """Its baseline: R f K LS of the governing area's rows, f over the days inside the window, by hand."""
    found = run_object(ruling)
    widths = bars(load_by_phase(ruling))
    assert widths["with controls"][-1] == pytest.approx(found["tons_per_acre_per_year"], rel=1e-12)
    governing = found["governing"]
    zone = sc.table("ei_distribution").row(found["erosivity"]["ei_zone"])
    from sedcalc.factors.erosivity import EI_DATES, ei_fraction

    cumulative = [zone[f"d{m:02d}_{d:02d}"] for m, d in EI_DATES]
    tons = 0.0
    for row in found["rows"]:
        start, end = max(row["start"], governing["window_start"]), min(row["end"], governing["window_end"])
        if row["counted"] and row["drainage_area"] == governing["drainage_area"] and start <= end:
            share = ei_fraction(np.datetime64(start), np.datetime64(end), cumulative)
            tons += row["R"] * share * row["K"] * row["LS"] * row["acres"]
    assert widths["no controls"][-1] == pytest.approx(tons / governing["acres"], rel=1e-9)


def test_the_limit_stands_where_it_is(ruling):
    by_phase, rolling = load_by_phase(ruling), rolling_discharge(ruling)
    assert next(line for line in by_phase.lines if "limit" in line.get_label()).get_xdata()[0] == 5.0
    assert next(line for line in rolling.lines if "limit" in line.get_label()).get_ydata()[0] == 5.0


def test_a_load_alone_has_no_limit_and_no_ruling(ruling):
    ax = load_by_phase(ruling.load)
    assert list(ax.lines) == []
    assert len(bars(ax)["with controls"]) == len(bars(load_by_phase(ruling))["with controls"]) - 1


def test_rolling_discharge_is_every_window(ruling):
    lines = {line.get_label(): line for line in rolling_discharge(ruling).lines}
    assert [n for n in lines if not n.startswith("_")] == ["north", "east", "south", "whole site", "limit 5"]
    assert max(lines["east"].get_ydata()) == ruling.tons_per_acre_per_year
    assert len(lines["east"].get_xdata()) == len(ruling.load.windows.start)


@pytest.fixture(scope="module")
def gridded():
    return sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("graded_pad/site.toml"))))


@pytest.mark.parametrize("width_in", [style.WIDTH_IN, style.COLUMN_IN])
@pytest.mark.parametrize("name", CHARTS)
def test_no_text_is_cut_off_or_lies_on_another(ruling, gridded, name, width_in):
    for result in (ruling, gridded):
        figure = style.figure_of(getattr(charts, name)(result, width_in=width_in))
        assert figure.get_size_inches()[0] == width_in
        assert faults(figure) == []
        assert min(t.get_fontsize() for t in figure.findobj(Text) if t.get_text()) >= 6.5


@pytest.mark.parametrize("width_in", [style.WIDTH_IN, style.COLUMN_IN])
def test_long_names_are_shortened_and_stay_on_the_page(width_in):
    """The longest ids a site file may have: 80 characters."""
    long = "A name of eighty characters ".ljust(79, "n")
    data = site_data(
        drainage_areas=[{"id": f"{long}a", "outfall": f"{long}o"}],
        practices=[practice(f"{long}t", 0.5, drainage_areas=[f"{long}a"])],
        soils=[{"id": f"{long}s", "texture": "loam", "organic_matter_pct": 2.0}],
    )
    data["ground_units"][0] |= {"drainage_area": f"{long}a", "soil": f"{long}s"}
    data["phases"][0]["id"] = f"{long}p"
    data["project"]["name"] = "Project " * 25
    result = sc.check_compliance(sc.sediment_load(built(data)))
    for name in CHARTS:
        assert faults(style.figure_of(getattr(charts, name)(result, width_in=width_in))) == [], name


def test_charts_fit_axes_of_the_callers_figure(ruling):
    """Two charts in one figure of a page: each takes the room it has."""
    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    assert charts.rolling_discharge(ruling, left) is left
    assert charts.contributions(ruling, right) is right
    assert faults(figure) == []


@pytest.mark.parametrize("name", CHARTS)
def test_each_chart_has_its_table(ruling, name):
    chart = getattr(charts, name)
    table = chart.table(ruling)
    assert len(table) > 0
    assert list(table.columns) == list(chart.columns(ruling))
    assert chart.__doc__


def test_colours_differ_in_grey(ruling):
    """Lightness (Rec. 709 luma) of the lines differs by at least a tenth from one to the next, or the dash does."""
    from sedcalc.report.style import COLORS, LINES

    luma = [sum(w * int(c[i : i + 2], 16) / 255 for w, i in ((0.2126, 1), (0.7152, 3), (0.0722, 5))) for c in COLORS]
    assert len(set(map(str, LINES))) == len(COLORS)
    assert max(luma) - min(luma) > 0.25


def test_the_same_bytes_and_the_callers_settings_untouched(ruling, tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        names = write_charts(ruling, tmp_path / name, "all")
    assert dict(matplotlib.rcParams) == before
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert {n.rpartition(".")[2] for n in names} == {"png", "svg", "pdf"}
    assert len(names) == 3 * len(CHARTS)
    svg = (tmp_path / "a" / "load_by_phase.svg").read_text()
    assert "<dc:date>" not in svg


def test_pyplot_is_not_loaded(tmp_path):
    code = (
        "import sys, sedcalc as sc\nfrom pathlib import Path\nfrom sedcalc.report.charts import write_charts\n"
        "r = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example('hales_corners_subdivision.toml'))))\n"
        "write_charts(r, Path(sys.argv[1]))\nassert 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_names_of_a_site_are_no_mathematics(ruling):
    """A name with dollar signs is not typeset, a long one is shortened."""
    project = ruling.load.site.project.model_copy(update={"name": "Lot $x_1$ " + "very " * 40 + "long"})
    load = sc.sediment_load(ruling.load.site.model_copy(update={"project": project}))
    ax = load_by_phase(load)
    ax.get_figure().draw_without_rendering()
    assert any(t.get_text().startswith(r"Lot \$x_1\$") for t in ax.texts)
    assert faults(ax.get_figure()) == []


def test_a_short_project_has_both_main_charts(ruling, tmp_path):
    site = ruling.load.site
    units = tuple(
        u.model_copy(update={"stabilized": site.phases[1].end}) if u.stabilized else u for u in site.ground_units
    )
    short = sc.sediment_load(site.model_copy(update={"ground_units": units, "phases": site.phases[:2]}))
    names = write_charts(sc.check_compliance(short), tmp_path)
    assert names == [f"{name}.{kind}" for name in ("load_by_phase", "rolling_12_months") for kind in ("png", "svg")]


@pytest.fixture(scope="module")
def foreign():
    """A site whose names are Chinese, Arabic and emoji; the charts' font has the Arabic letters alone."""
    data = site_data(
        drainage_areas=[{"id": "北区", "outfall": "出口"}],
        practices=[practice("沉沙池", 0.5, drainage_areas=["北区"])],
        soils=[{"id": "مشروع", "texture": "loam", "organic_matter_pct": 2.0}],
    )
    data["ground_units"][0] |= {"drainage_area": "北区", "soil": "مشروع"}
    data["phases"][0]["id"] = "平整 🚧"
    data["project"]["name"] = "住宅"
    return sc.check_compliance(sc.sediment_load(built(data)))


@pytest.mark.parametrize("name", CHARTS)
def test_characters_without_a_glyph_are_written_as_code_points(foreign, name, tmp_path):
    """matplotlib warns of a missing glyph when it draws; warnings are errors here."""
    figure = style.figure_of(getattr(charts, name)(foreign))
    figure.savefig(tmp_path / "chart.svg")
    figure.savefig(tmp_path / "chart.png")
    texts = " ".join(t.get_text() for t in figure.findobj(Text))
    assert "⟨U+4F4F⟩⟨U+5B85⟩" in texts  # 住宅
    assert faults(figure) == []


def test_one_note_says_which_characters_the_font_lacks(foreign, ruling):
    from sedcalc.report.glyphs import undrawable_finding

    note = undrawable_finding(foreign.load.site)
    assert (note.code, note.severity, note.where) == ("glyph-missing", "note", "project.name")
    assert "no glyph for 住 (U+4F4F), 宅 (U+5B85)" in note.message
    assert "U+0645" not in note.message  # Arabic meem is in DejaVu Sans
    assert undrawable_finding(ruling.load.site) is None


def test_a_code_point_is_shortened_whole():
    assert style.short("平整场地", 26) == "⟨U+5E73⟩…⟨U+573A⟩⟨U+5730⟩"
    assert style.short("平整场地", 32) == "⟨U+5E73⟩⟨U+6574⟩⟨U+573A⟩⟨U+5730⟩"
    assert style.short("mass grading", 6) == "mas…ng"
