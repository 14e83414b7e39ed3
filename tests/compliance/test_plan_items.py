"""Plan items: what the submission answers, what the applicant states, what is missing."""

import pytest

import sedcalc as sc
from builders import built, site_data
from sedcalc.compliance.ordinance_parts import item_ids
from sedcalc.compliance.plan_items import short_list
from sedcalc.findings import InputError

HALES_CORNERS = sc.load_ordinance("hales_corners_445")
CITY = sc.load_ordinance("city_40_886")


def ruled(application=None, area=2.0, project=None, **changes):
    data = site_data(**changes)
    data["ground_units"][0]["area"] = area
    data["project"] |= project or {}
    if application is not None:
        data["application"] = application
    return sc.check_compliance(sc.sediment_load(built(data)))


def states(ruling):
    return {c.id: c.state for c in ruling.checks.plan_items}


def test_the_calculation_answers_what_it_shows():
    items = states(ruled())
    shown = [clause for clause, state in items.items() if state == "in_submission"]
    # sequence of activities, areas, the calculation of the limit and of the percent reduction
    assert shown == ["445-6.11B(3)(c)", "445-6.11B(3)(d)", "445-6.11B(3)(e)", "445-6.11B(3)(g)"]
    assert set(items.values()) == {"in_submission", "missing"}
    assert len(items) == len(HALES_CORNERS.plan_items)


def test_stated_fields_answer_their_items():
    application = {
        "receiving_water": "Whitnall Park Creek",
        "groundwater_depth": 12,
        "soils_data": "borings B-1 to B-4",
        "runoff_coefficient_before": 0.2,
        "runoff_coefficient_after": 0.5,
        "map_scale": 1200,
        "contour_interval": 5,
    }
    project = {"applicant": "A. Owner", "address": "1 Street"}
    ruling = ruled(application, project=project)
    items = states(ruling)
    for clause in ("(3)(a)", "(3)(f)", "(3)(h)", "(3)(i)", "(3)(j)", "(4)"):
        assert items[f"445-6.11B{clause}"] == "in_submission", clause
    assert items["445-6.11B(3)(b)"] == "missing"
    assert "map-not-as-asked" not in {f.code for f in ruling.findings}  # 1:1200 is 100 ft/in, the largest allowed
    by = {c.id: c.by for c in ruling.checks.plan_items}
    assert "12 ft" in by["445-6.11B(3)(i)"]


# 445-6.11B(4): "not greater than 100 feet per inch and at a contour interval not to exceed five feet"
@pytest.mark.parametrize(
    ("units", "scale", "interval", "clauses"),
    [
        ("us", 1200, 5, 0),
        ("us", 1201, 5, 1),
        ("us", 1200, 5.1, 1),
        ("us", 2400, 10, 2),
        ("si", 1200, 1.524, 0),  # 5 ft
        ("si", 1000, 2, 1),
    ],
)
def test_scale_and_contours_of_the_map(units, scale, interval, clauses):
    changes = {} if units == "us" else {"units": "si"}
    data = site_data(application={"map_scale": scale, "contour_interval": interval}, **changes)
    if units == "si":
        data["location"]["R"] = 1700
        data["soils"][0]["K"] = 0.04
    ruling = sc.check_compliance(sc.sediment_load(built(data)))
    assert [f.clause for f in ruling.findings if f.code == "map-not-as-asked"] == ["445-6.11B(4)"] * clauses


def test_missing_items_are_one_finding_with_their_clauses():
    everything = [i.clause for i in HALES_CORNERS.plan_items]
    left = ["445-6.11B(4)(b)", "445-6.11B(4)(c)", "445-6.11B(4)(d)", "445-6.11B(6)"]
    ruling = ruled({"plan_items": [c for c in everything if c not in left]})
    found = [f for f in ruling.findings if f.code == "plan-items-missing"]
    assert len(found) == 1
    assert found[0].severity == "warning"
    assert found[0].clause == "445-6.11B(1)"
    assert found[0].message.startswith(f"4 of {len(everything)} items")
    assert found[0].message.endswith("445-6.11B(4)(b)-(d), 445-6.11B(6)")
    complete = ruled({"plan_items": everything})
    assert "plan-items-missing" not in {f.code for f in complete.findings}


def test_without_an_application_it_is_a_note():
    found = next(f for f in ruled().findings if f.code == "plan-items-missing")
    assert found.severity == "note"


def test_below_an_acre_items_of_the_numeric_standard_are_not_asked():
    items = states(ruled({}, area=0.99))
    asked = {c for c, state in items.items() if state != "not_asked"}
    assert {"445-6.11B(3)(g)", "445-6.11B(4)(a)", "445-6.11B(5)(l)"} <= asked
    assert "445-6.11B(3)(e)" not in asked
    assert not any(c.startswith("445-6.9") for c in asked)


def test_items_that_share_a_clause_are_numbered_and_the_clause_states_all():
    assert item_ids(CITY.plan_items)[:5] == [f"40-939 #{n}" for n in range(1, 6)]
    items = states(ruled({"plan_items": ["40-939 #2"]}, ordinance="city_40_886"))
    assert (items["40-939 #1"], items["40-939 #2"]) == ("missing", "stated")
    assert items["40-939 #3"] == items["40-939 #4"] == "in_submission"  # timetable, area of each activity
    items = states(ruled({"plan_items": ["40-939"]}, ordinance="city_40_886"))
    assert items["40-939 #1"] == items["40-939 #5"] == "stated"


def test_an_unknown_item_is_refused_together_with_other_unknown_names():
    with pytest.raises(InputError) as error:
        ruled({"plan_items": ["445-6.11B(3)(b)", "445-6.11B(3)(z)"], "exemptions": ["hobby"]})
    assert {f.where for f in error.value.findings} == {"application.plan_items[1]", "application.exemptions[0]"}


@pytest.mark.parametrize(
    ("clauses", "said"),
    [
        (["1(a)", "1(b)"], "1(a), 1(b)"),
        (["x(1)(a)", "x(1)(b)"], "x(1)(a), (b)"),
        (["x(1)(a)", "x(1)(b)", "x(1)(c)", "x(1)(e)"], "x(1)(a)-(c), (e)"),
        (["x(1)", "x(1)(a)", "x(1)(b)", "x(1)(c)", "y"], "x(1), (a)-(c), y"),
        (["40-939 #1", "40-939 #2"], "40-939 #1, 40-939 #2"),
        ([], ""),
    ],
)
def test_short_list(clauses, said):
    assert short_list(clauses) == said
