import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sedcalc as sc
from builders import built, practice, site_data
from load.day_by_day import reckon
from load.strategies import sites
from sedcalc.load.load_table import ROW_COLUMNS

SLOW_DATA = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}


@given(sites())
@settings(max_examples=40, **SLOW_DATA)
def test_the_load_equals_a_day_by_day_reckoning(data):
    compare_with_reckoning(data)


@pytest.mark.slow
@given(sites(years=5))
@settings(max_examples=150, **SLOW_DATA)
def test_five_years_equal_a_day_by_day_reckoning(data):
    compare_with_reckoning(data)


def compare_with_reckoning(data):
    site = built(data)
    load = sc.sediment_load(site)
    _, sums, worst = reckon(site)
    totals = load.totals
    close = {"rel": 1e-9, "abs": 1e-12 * (1 + sums["eroded"])}
    assert totals.eroded == pytest.approx(sums["eroded"], **close)
    assert totals.discharged == pytest.approx(sums["discharged"], **close)
    assert totals.baseline == pytest.approx(sums["baseline"], **close)
    for name, tons in totals.trapped.items():
        assert tons == pytest.approx(sums["trapped", name], **close)
    for column, area in enumerate(load.windows.area):
        row = load.windows.worst[column]
        if area not in worst:
            assert row == -1
            continue
        figure, start = worst[area]
        assert load.windows.tons_per_acre[row, column] == pytest.approx(figure, rel=1e-9, abs=1e-12)
        if figure > 1e-6:
            at = {str(s): f for s, f in zip(load.windows.start, load.windows.tons_per_acre[:, column], strict=True)}
            assert at[start.isoformat()] == pytest.approx(figure, rel=1e-9)


@given(sites())
@settings(max_examples=60, **SLOW_DATA)
def test_nothing_is_lost(data):
    load = sc.sediment_load(built(data))
    t = load.totals
    left = t.eroded - t.deposited - sum(t.trapped.values()) - sum(t.outfalls.values())
    assert abs(left) <= 1e-9 * t.eroded
    for row in load.table.itertuples():
        assert row.delivered_tons - row.trapped_tons - row.discharge_tons == pytest.approx(0, abs=1e-9 * (1 + t.eroded))


@given(sites(), st.randoms(use_true_random=False))
@settings(max_examples=25, **SLOW_DATA)
def test_the_order_of_the_file_changes_no_total(data, random):
    before = sc.sediment_load(built(data)).totals
    for part in ("phases", "practices", "ground_units", "drainage_areas"):
        random.shuffle(data[part])
    after = sc.sediment_load(built(data)).totals
    assert after.discharged == pytest.approx(before.discharged, rel=1e-12)
    assert after.trapped == pytest.approx(before.trapped, rel=1e-9)


def one_year(**changes):
    return sc.sediment_load(built(site_data(**changes)))


def test_a_year_of_bare_ground_is_the_annual_soil_loss():
    load = one_year()
    ls = sc.check_compliance(load).load.columns["LS"][0]
    assert load.columns["ei_fraction"] == [1.0]
    assert load.columns["soil_loss_tons_per_acre"][0] == pytest.approx(100 * 0.3 * ls, rel=1e-15)
    assert load.totals.percent_reduction == pytest.approx(0.0, abs=1e-12)


def test_80_then_50_percent_in_series_discharge_a_tenth():
    load = one_year(practices=[practice("fence", 0.8, drains_to="trap"), practice("trap", 0.5, drainage_areas=[])])
    assert load.totals.discharged == pytest.approx(0.1 * load.totals.eroded, rel=1e-12)
    assert load.totals.trapped["fence"] == pytest.approx(0.8 * load.totals.eroded, rel=1e-12)
    assert load.totals.trapped["trap"] == pytest.approx(0.1 * load.totals.eroded, rel=1e-12)


def test_a_practice_counts_by_the_erosivity_of_its_days():
    half = one_year(practices=[practice("trap", 0.8, start="2027-07-01")])
    share = sum(half.columns["ei_fraction"])
    before = sc.sediment_load(built(short_phase("2027-01-01", "2027-06-30"))).columns["ei_fraction"][0]
    assert half.columns["efficiency"][0] == pytest.approx(0.8 * (share - before) / share, rel=1e-12)


def short_phase(start, end):
    data = site_data()
    data["phases"][0] |= {"start": start, "end": end}
    data["ground_units"][0]["stabilized"] = end
    return data


def test_a_short_project_is_one_window_and_is_not_scaled_up():
    load = sc.sediment_load(built(short_phase("2027-06-01", "2027-08-31")))
    windows = load.windows
    assert windows.whole_project
    assert (str(windows.start[0]), str(windows.end[0])) == ("2027-06-01", "2027-08-31")
    assert windows.tons[0, 0] == pytest.approx(load.totals.discharged, rel=1e-12)
    assert windows.average[0].tons_per_acre == pytest.approx(windows.tons_per_acre[0, 0], rel=1e-12)


def test_a_frozen_season_is_said():
    load = sc.sediment_load(built(short_phase("2027-12-12", "2028-01-20")))
    assert load.totals.discharged == 0.0
    assert load.totals.percent_reduction is None
    assert {f.code for f in load.findings} >= {"frozen-season", "no-erosivity"}
    assert load.columns["C"] == [None]
    assert load.columns["efficiency"] == [None]


def test_si_units_describe_the_same_site():
    from sedcalc import units as u

    data = site_data(units="si")
    data["location"]["R"] *= u.R_US_SI
    data["soils"][0]["K"] *= u.K_US_SI
    data["ground_units"][0]["area"] *= u.ACRE_HA
    data["ground_units"][0]["length"] *= u.FOOT_M
    assert sc.sediment_load(built(data)).totals.discharged == pytest.approx(one_year().totals.discharged, rel=1e-13)


def test_background_is_reported_and_counts_in_neither_tons_nor_acres():
    data = site_data()
    buffer = {k: v for k, v in data["ground_units"][0].items() if k not in ("stabilized", "final_cover")}
    data["ground_units"].append(buffer | {"id": "buffer", "existing_cover": "native vegetation (undisturbed)"})
    with_buffer, without = sc.sediment_load(built(data)), one_year()
    assert with_buffer.totals.background == pytest.approx(0.01 * without.totals.discharged, rel=1e-12)
    assert with_buffer.totals.discharged == without.totals.discharged
    assert with_buffer.totals.disturbed_acres == 2.0
    np.testing.assert_array_equal(with_buffer.windows.tons_per_acre, without.windows.tons_per_acre)


def test_asked_windows_add_up():
    load = one_year(
        windows=[{"start": "2027-01-01", "end": "2027-06-30"}, {"start": "2027-07-01", "end": "2030-01-01"}]
    )
    first, second = load.asked
    assert first[2] + second[2] == pytest.approx(load.totals.discharged, rel=1e-12)
    assert first[4] == pytest.approx(first[2] / 2.0)


def test_practices_late_or_removed_early_are_found():
    load = one_year(practices=[practice("late", 0.5, start="2027-01-01"), practice("x", 0.1, drainage_areas=[])][:1])
    assert [f.code for f in load.findings if "practice" in f.code] == ["practice-after-disturbance"]
    load = one_year(practices=[practice("short", 0.5, end="2027-12-30")])
    assert [f.code for f in load.findings if "practice" in f.code] == ["practice-removed-early"]


def test_explain_shows_symbols_numbers_and_value():
    load = one_year()
    text = load.explain(0)
    assert "A = R f K LS C P" in text
    assert f"{load.columns['soil_loss_tons_per_acre'][0]:.4f} tons/acre" in text


def test_the_table_has_the_documented_columns_and_finite_numbers():
    load = one_year()
    assert tuple(load.table.columns) == ROW_COLUMNS
    assert all(math.isfinite(v) for v in load.table.select_dtypes("number").to_numpy().ravel())


def test_what_is_wrong_is_raised_with_every_mistake():
    data = site_data()
    data["ground_units"][0] |= {"slope_pct": 61, "length": 1001}
    with pytest.raises(sc.InputError) as error:
        sc.sediment_load(built(data))
    assert {f.code for f in error.value.findings} == {"slope-over-limit", "length-over-limit"}
