"""What must hold on any network and any schedule."""

import copy
import datetime
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sedcalc as sc
from builders import built, practice, site_data
from load.strategies import by_class, sites
from sedcalc.load.load_table import load_of_ground

RANDOM = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
ALWAYS = {"start": "2020-01-01", "end": "2040-12-31"}


def totals(data):
    return sc.sediment_load(built(data)).totals


def same(after, before):
    close = {"rel": 1e-9, "abs": 1e-9 * (1.0 + before.eroded)}
    assert after.eroded == pytest.approx(before.eroded, **close)
    assert after.discharged == pytest.approx(before.discharged, **close)
    assert after.baseline == pytest.approx(before.baseline, **close)
    assert sum(after.trapped.values()) == pytest.approx(sum(before.trapped.values()), **close)


def one_more(draw, data, efficiency):
    """Add a practice: in the way of a drainage area's rest, below another practice, or above one."""
    more = practice("more", efficiency, drainage_areas=[])
    classes = all("particle_classes" in s for s in data["soils"])
    if data["combination"] == "particle-classes" or (classes and draw(st.booleans())):
        more |= {"efficiency": None, "source": None}
        more["class_efficiencies"] = by_class(draw, st.just(efficiency))
    day = datetime.date(2027, 1, 1) + datetime.timedelta(days=draw(st.integers(-300, 600)))
    more |= {"start": day.isoformat(), "end": (day + datetime.timedelta(days=draw(st.integers(0, 900)))).isoformat()}
    rest = {a["id"]: 1.0 for a in data["drainage_areas"]}
    for p in data["practices"]:
        for taken in p["drainage_areas"]:
            name, share = (taken, 1.0) if isinstance(taken, str) else (taken["id"], taken["share"])
            rest[name] -= share
    free = [a for a, share in rest.items() if share > 1e-6]
    fed = [p for p in data["practices"] if p["drainage_areas"]]
    ways = [*(["rest"] if free else []), *(["below", "above"] if fed else [])]
    way = draw(st.sampled_from(ways))
    if way == "rest":
        area = draw(st.sampled_from(free))
        more["drainage_areas"] = [{"id": area, "share": rest[area]}]
    else:
        other = draw(st.sampled_from(fed))
        if way == "below":
            more["drains_to"] = other["drains_to"]
            other["drains_to"] = "more"
        else:
            more["drainage_areas"], other["drainage_areas"] = other["drainage_areas"], []
            more["drains_to"] = other["id"]
    data["practices"].append(more)
    return data


@given(sites(years=2), st.data(), st.floats(0.0, 1.0))
@RANDOM
def test_another_practice_never_raises_the_discharge(data, more, efficiency):
    before = sc.sediment_load(built(data))
    after = sc.sediment_load(built(one_more(more.draw, copy.deepcopy(data), efficiency)))
    slack = 1e-9 * (1.0 + before.totals.eroded)
    assert after.totals.discharged <= before.totals.discharged + slack
    assert (after.windows.tons <= before.windows.tons + slack).all()


@given(sites(years=2), st.data())
@RANDOM
def test_a_practice_that_traps_nothing_changes_nothing(data, more):
    after = totals(one_more(more.draw, copy.deepcopy(data), 0.0))
    same(after, totals(data))
    assert after.trapped["more"] == pytest.approx(0.0, abs=1e-9 * (1.0 + after.eroded))


@given(sites(years=2))
@RANDOM
def test_a_practice_that_traps_everything_leaves_no_discharge(data):
    areas = [a["id"] for a in data["drainage_areas"]]
    everything = practice("everything", 1.0, drainage_areas=areas, **ALWAYS)
    if data["combination"] == "particle-classes":
        numbers = dict.fromkeys(("clay", "silt", "small_aggregates", "large_aggregates", "sand"), 1.0)
        everything |= {"efficiency": None, "source": None, "class_efficiencies": numbers | {"source": "t"}}
    after = totals(data | {"practices": [everything]})
    assert after.discharged == 0.0
    assert after.trapped["everything"] == pytest.approx(after.eroded - after.deposited, rel=1e-12)


@given(sites(years=2), st.floats(0.1, 1.0))
@RANDOM
def test_an_empty_drainage_area_changes_nothing(data, share):
    before = totals(data)
    data["drainage_areas"].append({"id": "empty", "outfall": "elsewhere"})
    if data["practices"]:
        data["practices"][0]["drainage_areas"] += [{"id": "empty", "share": share}]
    after = totals(data)
    same(after, before)
    assert after.outfalls["elsewhere"] == 0.0


@given(sites(years=2), st.data())
@RANDOM
def test_a_phase_in_two_halves_changes_no_total(data, more):
    before = totals(data)
    n = more.draw(st.integers(0, len(data["phases"]) - 1))
    first, last = (datetime.date.fromisoformat(data["phases"][n][k]) for k in ("start", "end"))
    if first == last:
        return
    cut = first + datetime.timedelta(days=more.draw(st.integers(1, (last - first).days)))
    second = copy.deepcopy(data["phases"][n]) | {"id": "second half", "start": cut.isoformat()}
    data["phases"][n]["end"] = (cut - datetime.timedelta(days=1)).isoformat()
    data["phases"].append(second)
    same(totals(data), before)


@given(sites(years=2), st.data())
@RANDOM
def test_a_drainage_area_in_two_parts_changes_no_total(data, more):
    before = totals(data)
    area = more.draw(st.sampled_from(data["drainage_areas"]))
    data["drainage_areas"].append(area | {"id": "part"})
    for p in data["practices"]:
        for taken in list(p["drainage_areas"]):
            if taken == area["id"]:
                p["drainage_areas"] += ["part"]
            elif not isinstance(taken, str) and taken["id"] == area["id"]:
                p["drainage_areas"] += [taken | {"id": "part"}]
    for unit in data["ground_units"]:
        if unit["drainage_area"] == area["id"] and more.draw(st.booleans()):
            unit["drainage_area"] = "part"
    same(totals(data), before)


@given(sites(years=2), st.data())
@RANDOM
def test_a_unit_in_two_pieces_changes_no_total(data, more):
    before = totals(data)
    unit = more.draw(st.sampled_from(data["ground_units"]))
    share = more.draw(st.floats(0.1, 0.9))
    data["ground_units"].append(unit | {"id": "piece", "area": unit["area"] * share})
    for phase in data["phases"]:
        if unit["id"] in phase["units"]:
            phase["units"] += ["piece"]
    unit["area"] *= 1.0 - share
    same(totals(data), before)


@given(sites(years=3), st.data())
@RANDOM
def test_a_year_cut_at_any_day_adds_up(data, more):
    plan = sc.sediment_load(built(data)).schedule
    days = (plan.last_day - plan.first_day).days
    start = plan.first_day + datetime.timedelta(days=more.draw(st.integers(0, max(days - 366, 0))))
    cut = start + datetime.timedelta(days=more.draw(st.integers(1, 364)))
    end = start + datetime.timedelta(days=365)
    bounds = [(start, end), (start, cut - datetime.timedelta(days=1)), (cut, end)]
    data["windows"] = [{"start": a.isoformat(), "end": b.isoformat()} for a, b in bounds]
    load = sc.sediment_load(built(data))
    year, first, second = (tons for _, _, tons, _, _ in load.asked)
    assert first + second == pytest.approx(year, rel=1e-9, abs=1e-9 * (1.0 + load.totals.eroded))


def test_a_load_below_the_smallest_normal_number_is_in_balance():
    """Shares of a small load can leave the range of normal numbers, where sums are not exact to 1e-9."""
    data = site_data(practices=[practice("trap", 0.3), practice("pond", 0.7, drainage_areas=[])])
    data["practices"][0]["drains_to"] = "pond"
    load = sc.sediment_load(built(data))
    for scale in (1e-300, 1e-310, 1e-318, 1e-322):
        rows = replace(load.ground.rows, tons_per_year=load.ground.rows.tons_per_year * scale)
        ground = replace(load.ground, rows=rows)
        tiny = load_of_ground(load.site, load.erosivity, load.schedule, ground, {})
        assert tiny.totals.eroded > 0.0
