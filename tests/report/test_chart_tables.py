"""The tables behind the charts against the result, and against the calculation done again."""

from typing import Any

import numpy as np
import pytest

import sedcalc as sc
from builders import built, practice, site_data
from sedcalc.report import charts
from sedcalc.report.results import run_object


@pytest.fixture(scope="module")
def ruling() -> Any:
    return sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))


@pytest.fixture(scope="module")
def gridded() -> Any:
    return sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("graded_pad/site.toml"))))


def test_the_waterfall_falls_from_the_baseline_to_the_discharge(ruling: Any, gridded: Any) -> None:
    for result in (ruling, gridded):
        table, totals = charts.waterfall.table(result).set_index("kind"), result.load.totals
        assert table.left_tons["uncontrolled"] == totals.baseline
        assert table.left_tons["discharge"] == totals.discharged
        steps = table.drop(["uncontrolled", "discharge", "limited area"])
        assert totals.baseline - steps.saved_tons.sum() == pytest.approx(totals.discharged, rel=1e-9)
        assert steps.left_tons.iloc[-1] == pytest.approx(totals.discharged, rel=1e-9)
        trapped = steps.saved_tons[steps.index == "practice"].sum()
        assert trapped == pytest.approx(sum(totals.trapped.values()), rel=1e-12)
        saved = result.load.credit.saved_by_area[-1]
        assert table.saved_tons["limited area"] == saved


def test_waterfall_json_and_sheet_give_the_same_credits(ruling: Any, gridded: Any) -> None:
    """To the digits that are printed: the chart has one decimal, the sheet's table two."""
    from sedcalc.report.sheet import calculation_sheet
    from sedcalc.report.sheet_blocks import Table, walk

    for result in (ruling, gridded):
        steps = run_object(result)["reduction"]
        chart = charts.waterfall.table(result)
        texts = [t.get_text().replace("−", "-") for t in charts.waterfall(result).texts]
        blocks = [b for s in walk(calculation_sheet(result).sections) for b in s.blocks]
        (printed,) = [b for b in blocks if isinstance(b, Table) and b.name == "reduction"]
        rows = printed.groups[0].rows
        assert len(rows) == len(steps) == len(chart) - 1
        for step, row, (_, drawn) in zip(steps, rows, chart.iterrows(), strict=False):
            assert (step["kind"], step["name"]) == (drawn.kind, drawn["name"])
            assert row.cells[2][0].text == f"{step['left_tons']:,.2f}"
            if step["saved_tons"] is None:
                assert row.cells[1] == ()
                assert f"{drawn.left_tons:,.1f}" in texts
            else:
                assert row.cells[1][0].text == f"{step['saved_tons']:,.2f}"
                assert ("0.0" if step["saved_tons"] == 0.0 else f"{-step['saved_tons']:+,.1f}") in texts


def test_what_duration_saves_before_and_behind_the_practices() -> None:
    """One practice traps half of all that leaves the one unit, on every day: half of what duration saves reaches it."""
    data = site_data(practices=[practice("t", 0.5, end="2028-12-31")])
    data["ground_units"].append({**data["ground_units"][0], "id": "u2"})
    data["ground_units"][0]["stabilized"] = data["phases"][0]["end"]
    later = {**data["phases"][0], "id": "later", "units": ["u2"], "end": "2028-06-30"}
    data["phases"].append(later)
    data["ground_units"][1]["stabilized"] = later["end"]
    load = sc.sediment_load(built(data))
    found = run_object(sc.check_compliance(load))
    before = next(s["saved_tons"] for s in found["reduction"] if s["kind"] == "shorter duration")
    assert before > 0.0
    assert found["credit"][-1]["saved_by_duration"] == pytest.approx(0.5 * before, rel=1e-12)


def test_many_practices_share_a_bar(ruling: Any) -> None:
    """Seven traps in a row, each half: the four that trap most have bars, what the others trap stands in one."""
    names = [f"t{i}" for i in range(7)]
    areas, downstream = [["A"], *[[]] * 6], [*names[1:], None]
    chain = [
        practice(name, 0.5, drainage_areas=own, drains_to=to)
        for name, own, to in zip(names, areas, downstream, strict=True)
    ]
    load = sc.sediment_load(built(site_data(practices=chain)))
    table = charts.waterfall.table(load)
    bars = table[table.kind == "practice"]
    eroded = load.totals.eroded
    assert list(bars.name) == ["t0", "t1", "t2", "t3", "3 other practices"]
    assert list(bars.saved_tons / eroded) == pytest.approx([1 / 2, 1 / 4, 1 / 8, 1 / 16, 7 / 128])
    assert bars.left_tons.iloc[-1] == pytest.approx(load.totals.discharged, rel=1e-9)
    assert len([s for s in run_object(sc.check_compliance(load))["reduction"] if s["kind"] == "practice"]) == 7


def test_each_credit_by_hand() -> None:
    """One acre, R K LS = A by the load table of the same site without controls; C 0.2, P 0.9, half trapped.

    The whole year: bare A; cover takes 0.8 A, the surface 0.2 x 0.1 A, the practice half of 0.18 A.
    """
    data = site_data(practices=[practice("t", 0.5)])
    data["phases"][0] |= {
        "cover": {"C": 0.2, "source": "test"},
        "surface_condition": {"P": 0.9, "source": "test"},
    }
    load = sc.sediment_load(built(data))
    saved = charts.waterfall.table(load).set_index("name").saved_tons / load.totals.baseline
    assert saved["cover"] == pytest.approx(0.8, rel=1e-12)
    assert saved["surface condition"] == pytest.approx(0.02, rel=1e-9)
    assert saved["t"] == pytest.approx(0.09, rel=1e-12)
    assert saved["shorter duration"] == 0.0


def test_barriers_are_a_step_of_their_own_on_a_grid(gridded: Any) -> None:
    """What they save: bare soil loss less that with barriers and C = P = 1, from the site without the barriers."""
    site = gridded.load.site
    without = sc.sediment_load(site.model_copy(update={"grid": site.grid.model_copy(update={"barriers": None})}))
    of_credit = charts.waterfall.table(gridded).set_index("kind").saved_tons
    # Without barriers, and with the same C and P, as much more is eroded as they save, times C P on each row.
    rows, bare = gridded.load.ground.rows, without.ground.rows
    both = rows.C * rows.P
    fraction = np.array(gridded.load.columns["ei_fraction"])
    state = np.array(gridded.load.columns["state"])
    open_ = np.isin(state, ("phase", "between"))
    expected = ((bare.tons_per_year - rows.tons_per_year) / both * fraction)[open_].sum()
    assert of_credit["slope breaks"] == pytest.approx(expected, rel=1e-9)
    assert of_credit["slope breaks"] > 0.0


def test_contributions_add_up(ruling: Any, gridded: Any) -> None:
    for result in (ruling, gridded):
        table = charts.contributions.table(result)
        assert table.discharge_tons.sum() == pytest.approx(result.load.totals.discharged, rel=1e-12)
        assert table.acres.sum() == pytest.approx(result.load.totals.disturbed_acres, rel=1e-12)
        assert table.discharge_share.sum() == pytest.approx(1.0, rel=1e-12)


def test_the_governing_window_is_marked(ruling: Any) -> None:
    table, found = charts.rolling_discharge.table(ruling), run_object(ruling)
    (marked,) = table[table.governing].to_dict("records")
    assert marked["tons_per_acre"] == found["tons_per_acre_per_year"]
    assert str(marked["start"]) == found["governing"]["window_start"]
    assert table.tons_per_acre.max() == marked["tons_per_acre"]
    texts = [t.get_text() for t in charts.rolling_discharge(ruling).texts]
    name = f"governing: {found['governing']['drainage_area']}\n{marked['start']} to {marked['end']}, "
    assert any(t.startswith(name) for t in texts)


def test_the_timeline_holds_dates_area_cover_and_share(ruling: Any) -> None:
    """EPA Table 1, zone 101: May 1 to June 20 by the table of the place, linear between its dates."""
    table = charts.timeline.table(ruling).set_index("name")
    grading = table.loc["mass grading"]
    assert grading.acres == pytest.approx(5.7)  # 1.6 + 0.5 + 1.7 + 0.4 + 1.2 + 0.3
    assert (grading.C, grading.cover) == (1.0, "bare soil (fallow ground)")
    row = ruling.load.table.query("phase == 'mass grading'").iloc[0]
    assert grading.ei_fraction == pytest.approx(row.ei_fraction, rel=1e-12)
    assert table.loc["east basin"].efficiency == 0.8


def test_the_year_has_all_its_erosivity(ruling: Any) -> None:
    table = charts.erosivity_by_season.table(ruling)
    parts = table[table.kind == "part of the year"]
    assert len(parts) == 24
    assert parts.ei_percent.sum() == pytest.approx(100.0)
    assert parts.cumulative_percent.iloc[-1] == 100.0
    phases = table[table.kind == "phase"].set_index("name").ei_percent
    fractions = ruling.load.table.query("state == 'phase'").groupby("phase").ei_fraction.first()
    assert dict(phases) == pytest.approx(dict(100.0 * fractions))


def figure_of(site: Any) -> float:
    return float(sc.check_compliance(sc.sediment_load(site)).tons_per_acre_per_year)


def test_sensitivity_is_the_calculation_done_again(ruling: Any) -> None:
    """Each end against a run of the site with that value: R, organic matter, ratio, covers, efficiencies."""
    site = ruling.load.site
    table = charts.sensitivity.table(ruling).set_index("factor")
    assert set(table.index) == {"R", "K", "LS", "C", "practices"}
    assert (table.figure == ruling.tons_per_acre_per_year).all()

    def located(R: float) -> Any:
        given = site.location.model_copy(update={"R": R, "R_source": "test"})
        return site.model_copy(update={"location": given})

    erosivity = ruling.load.erosivity
    ends = [figure_of(located(R)) for R in (erosivity.R_low, erosivity.R_high)]
    assert list(table.loc["R", ["lowest", "highest"]]) == pytest.approx(ends, rel=1e-9)

    def with_matter(step: float) -> Any:
        """1.5 and 1.0 %, one point down and up, within 0.5 to 4 %."""
        soils = [s.model_copy(update={"organic_matter_pct": max(s.organic_matter_pct + step, 0.5)}) for s in site.soils]
        return site.model_copy(update={"soils": tuple(soils)})

    ends = [figure_of(with_matter(step)) for step in (1.0, -1.0)]
    assert list(table.loc["K", ["lowest", "highest"]]) == pytest.approx(ends, rel=1e-9)
    low = site.model_copy(update={"topography": site.topography.model_copy(update={"ratio": "low"})})
    assert table.loc["LS", "lowest"] == pytest.approx(figure_of(low), rel=1e-9)
    assert table.loc["LS", "highest"] == ruling.tons_per_acre_per_year
    worse = site
    for p in site.practices:
        worse = worse.with_practice(p.id, efficiency=0.6 if "trap" in p.id else 0.7, source="EPA average")
    assert table.loc["practices", "highest"] == pytest.approx(figure_of(worse), rel=1e-9)
    assert "EPA 1993" in table.loc["practices", "basis"]
    assert "recalled" in table.loc["practices", "basis"]
    thinner = site.with_cover("lots mulched", C=0.04, source="t").with_cover("final stabilization", C=0.1, source="t")
    units = tuple(
        u if u.final_cover is None else u.model_copy(update={"final_cover": doubled(u.final_cover)})
        for u in thinner.ground_units
    )
    assert table.loc["C", "highest"] == pytest.approx(
        figure_of(thinner.model_copy(update={"ground_units": units})), rel=1e-9
    )


def doubled(cover: Any) -> Any:
    from sedcalc.site.submission import Cover

    return Cover(C=2.0 * sc.table("covers").row(cover.name)["c"], source="test")


def test_the_other_zones_of_a_county_are_a_range(ruling: Any) -> None:
    """Adams County lies in zones 100 and 101: the figure in 101 by a run with that zone given."""
    site = ruling.load.site
    adams = site.model_copy(update={"location": site.location.model_copy(update={"county": "Adams, WI"})})
    result = sc.check_compliance(sc.sediment_load(adams))
    table = charts.sensitivity.table(result).set_index("factor")
    other = adams.model_copy(update={"location": adams.location.model_copy(update={"ei_zone": 101})})
    ends = sorted((result.tons_per_acre_per_year, figure_of(other)))
    assert list(table.loc["EI zone", ["lowest", "highest"]]) == pytest.approx(ends, rel=1e-9)


def test_no_range_no_chart() -> None:
    data = site_data()
    data["soils"] = [{"id": "loam", "K": 0.3, "K_source": "test"}]
    data["ground_units"][0]["final_cover"] = {"C": 1.0, "source": "test"}
    data["topography"] = {"method": "usle"}
    load = sc.sediment_load(built(data))
    assert charts.sensitivity.table(load).empty
    with pytest.raises(ValueError, match="no factor of this site has a stated range"):
        charts.sensitivity(load)
