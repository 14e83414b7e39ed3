import datetime

from builders import built, day, site_data
from sedcalc.site.schedule import schedule


def three_units():
    data = site_data()
    base = data["ground_units"][0]
    data["ground_units"] = [
        base | {"id": "a", "stabilized": "2027-06-30"},
        base | {"id": "b", "stabilized": "2028-03-31", "existing_cover": {"C": 0.01, "source": "t"}},
        {k: v for k, v in base.items() if k not in ("stabilized", "final_cover")}
        | {"id": "c", "existing_cover": {"C": 0.02, "source": "t"}},
    ]
    cover = {"C": 1.0, "source": "t"}
    data["phases"] = [
        {"id": "one", "start": "2027-04-01", "end": "2027-05-31", "units": ["a"], "cover": cover},
        {"id": "three", "start": "2028-01-01", "end": "2028-03-31", "units": ["b"], "cover": cover},
        {"id": "two", "start": "2027-07-01", "end": "2027-08-31", "units": ["b"], "cover": {"C": 0.5, "source": "t"}},
    ]
    return built(data)


def test_spans_follow_each_other_and_say_what_each_is():
    plan = schedule(three_units())
    told = [(s.unit, s.label, s.start.isoformat(), s.end.isoformat(), s.cover.C, s.state) for s in plan.spans]
    assert told == [
        (0, "one", "2027-04-01", "2027-05-31", 1.0, "phase"),
        (0, "after one", "2027-06-01", "2027-06-30", 1.0, "between"),
        (0, "stabilized", "2027-07-01", "2028-03-31", 0.01, "stabilized"),
        (1, "existing", "2027-04-01", "2027-06-30", 0.01, "existing"),
        (1, "two", "2027-07-01", "2027-08-31", 0.5, "phase"),
        (1, "after two", "2027-09-01", "2027-12-31", 0.5, "between"),
        (1, "three", "2028-01-01", "2028-03-31", 1.0, "phase"),
        (2, "existing", "2027-04-01", "2028-03-31", 0.02, "existing"),
    ]


def test_bounds_are_first_disturbance_and_last_stabilization():
    plan = schedule(three_units())
    assert (plan.first_day, plan.last_day) == (day("2027-04-01"), day("2028-03-31"))
    assert plan.disturbed == (
        (day("2027-04-01"), day("2027-06-30")),
        (day("2027-07-01"), day("2028-03-31")),
        None,
    )


def test_every_day_from_first_disturbance_on_is_in_exactly_one_span():
    plan = schedule(three_units())
    days = (plan.last_day - plan.first_day).days + 1
    for unit, disturbed in enumerate(plan.disturbed):
        start = plan.first_day if disturbed is None else disturbed[0]
        for offset in range((start - plan.first_day).days, days):
            date = plan.first_day + datetime.timedelta(days=offset)
            assert sum(s.unit == unit and s.start <= date <= s.end for s in plan.spans) == 1


def test_a_slope_set_by_a_phase_stays():
    data = site_data()
    data["phases"][0]["end"] = "2027-06-30"
    data["phases"][0]["slopes"] = [{"unit": "u1", "slope_pct": 3, "length": 60}]
    data["phases"].append({"id": "x", "start": "2027-08-01", "end": "2027-12-31", "units": ["u1"], "cover": "gravel"})
    assert [s.slope_phase for s in schedule(built(data)).spans] == [0, 0, 0]
