"""Review terms in business days and the date for permanent erosion control, against the calendar."""

import datetime
import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sedcalc as sc
from builders import built, day, site_data
from sedcalc.compliance.deadlines import BusinessDays, check_deadlines, completion_deadline, deadline_findings
from sedcalc.compliance.ordinance import CodeDate
from sedcalc.site.application import Application

HALES_CORNERS = sc.load_ordinance("hales_corners_445")
CITY = sc.load_ordinance("city_40_886")


def due(ordinance, **stated):
    return [
        (d.what, str(d.counted_from), str(d.due), d.clause) for d in check_deadlines(ordinance, application(**stated))
    ]


def application(**stated):
    """Dates as text, as a site file has them."""
    return Application.model_validate_json(json.dumps(stated))


# January 2027: the 1st is a Friday. Monday the 18th is a holiday (Martin Luther King Day).
@pytest.mark.parametrize(
    ("start", "number", "closures", "expected"),
    [
        ("2027-01-04", 5, [], "2027-01-11"),  # Monday to the Monday after
        ("2027-01-04", 10, [], "2027-01-18"),
        ("2027-01-04", 10, ["2027-01-18"], "2027-01-19"),
        ("2027-01-04", 10, ["2027-01-16"], "2027-01-18"),  # a Saturday closes nothing
        ("2027-01-09", 1, [], "2027-01-11"),  # received on a Saturday
        ("2028-02-28", 1, [], "2028-02-29"),
        ("2027-12-30", 2, ["2027-12-31"], "2028-01-04"),
    ],
)
def test_business_days_by_the_calendar(start, number, closures, expected):
    calendar = BusinessDays(closures=frozenset(map(day, closures)))
    assert calendar.after(day(start), number) == day(expected)


@given(st.dates(day("2000-01-01"), day("2060-01-01")), st.integers(1, 40), st.sets(st.integers(1, 60), max_size=20))
def test_the_last_day_is_open_and_the_days_before_it_are_one_fewer(start, number, closed):
    closures = frozenset(start + datetime.timedelta(days=d) for d in closed)
    calendar = BusinessDays(closures=closures)
    last = calendar.after(start, number)
    days = [start + datetime.timedelta(days=i) for i in range(1, (last - start).days + 1)]
    assert sum(d.weekday() < 5 and d not in closures for d in days) == number
    assert calendar.is_open(last)


def test_an_office_needs_an_open_day_and_a_term_a_day():
    with pytest.raises(ValueError, match="no business days"):
        BusinessDays(weekdays=frozenset())
    with pytest.raises(ValueError, match="at least 1"):
        BusinessDays().after(day("2027-01-04"), 0)


def test_both_terms_of_the_village_and_their_conflict():
    stated = {"received": "2027-01-04", "closures": ["2027-01-18"]}
    assert due(HALES_CORNERS, **stated) == [
        ("decision", "2027-01-04", "2027-01-19", "445-6.10C(1)"),
        ("deemed approval", "2027-01-04", "2027-01-11", "445-6.10C(5)"),
    ]
    found = findings(HALES_CORNERS, **stated)
    conflict = found["review-terms-conflict"]
    assert "2027-01-19" in conflict.message
    assert "2027-01-11" in conflict.message
    assert "445-6.10C(5)" in conflict.message
    assert "Monday to Friday" in found["business-days-assumed"].message
    assert found["business-days-assumed"].clause == "445-6.5"


def findings(ordinance, last_day="2027-12-31", **stated):
    answers = application(**stated)
    found = deadline_findings(check_deadlines(ordinance, answers), answers, day(last_day), ordinance)
    return {f.code: f for f in found}


def test_after_additional_information_both_terms_end_together():
    stated = {"received": "2027-01-04", "information_received": ["2027-01-12"]}
    assert due(HALES_CORNERS, **stated)[2:] == [
        ("decision", "2027-01-12", "2027-01-19", "445-6.10C(4)"),
        ("deemed approval", "2027-01-12", "2027-01-19", "445-6.10C(5)"),
    ]
    assert findings(HALES_CORNERS, **stated)["review-due"].clause == "445-6.10C(4)"


def test_ten_working_days_of_the_city_have_no_second_term():
    assert due(CITY, received="2027-01-04") == [("decision", "2027-01-04", "2027-01-18", "40-886(c)")]
    assert set(findings(CITY, received="2027-01-04")) == {"review-due", "business-days-assumed"}


def test_stated_weekdays_are_taken_and_nothing_is_assumed():
    stated = {"received": "2027-01-04", "open_weekdays": ["monday", "tuesday", "wednesday", "thursday"]}
    assert due(HALES_CORNERS, **stated)[0][2] == "2027-01-20"  # four days a week: 5-7, 11-14, 18-20
    assert "business-days-assumed" not in findings(HALES_CORNERS, **stated)


@pytest.mark.parametrize(("decided", "clauses"), [("2027-01-11", []), ("2027-01-12", ["445-6.10C(5)"]),
                                                  ("2027-01-18", ["445-6.10C(5)"]),
                                                  ("2027-01-19", ["445-6.10C(1)", "445-6.10C(5)"])])  # fmt: skip
def test_a_decision_after_a_term_is_said(decided, clauses):
    answers = application(received="2027-01-04", decided=decided)
    found = deadline_findings(check_deadlines(HALES_CORNERS, answers), answers, day("2027-12-31"), HALES_CORNERS)
    assert [f.clause for f in found if f.code == "decision-late"] == clauses


def test_no_application_no_deadlines():
    assert check_deadlines(HALES_CORNERS, None) == ()


# Ord. 01-21 section 1(17.19(4)(d)): "between the dates of October 15 and April 15 the following year ... by July 15 the
# following year (three months after April 15)"; otherwise "the date specified in the erosion control permit, or prior
# to the issuance of a certificate of occupancy, whichever is earlier"
@pytest.mark.parametrize(
    ("occupancy", "permit", "expected"),
    [
        ("2027-10-14", None, "2027-10-13"),
        ("2027-10-15", None, "2028-07-15"),
        ("2027-12-31", "2027-11-01", "2028-07-15"),
        ("2028-01-01", None, "2028-07-15"),
        ("2028-02-29", None, "2028-07-15"),
        ("2028-04-15", None, "2028-07-15"),
        ("2028-04-16", None, "2028-04-15"),
        ("2028-07-15", "2028-07-20", "2028-07-14"),
        ("2028-07-15", "2028-07-15", "2028-07-14"),
        ("2028-07-15", "2028-07-14", "2028-07-14"),
        ("2028-07-15", "2028-06-01", "2028-06-01"),
        (None, "2028-06-01", "2028-06-01"),
    ],
)
def test_the_july_rule(occupancy, permit, expected):
    stated = {k: v for k, v in (("occupancy", occupancy), ("completion", permit)) if v}
    deadline = completion_deadline(CITY, application(**stated))
    assert str(deadline.due) == expected
    assert deadline.clause == "Ord. No. 01-21, § 1(17.19(4)(d)), 1-25-2021"


def test_no_date_no_rule():
    assert completion_deadline(CITY, Application()) is None
    assert completion_deadline(HALES_CORNERS, application(occupancy="2027-12-01")) is None


def test_a_code_may_name_a_leap_day_and_a_season_within_one_year():
    names = {"winter_occupancy_first": (2, 1), "winter_occupancy_last": (2, 29), "winter_completion": (2, 29)}
    code = SimpleNamespace(dates={k: CodeDate(k, *v, "1", "text") for k, v in names.items()}, numbers={})
    assert completion_deadline(code, application(occupancy="2027-02-01")).due == day("2027-02-28")
    assert completion_deadline(code, application(occupancy="2028-02-29")).due == day("2028-02-29")
    assert completion_deadline(code, application(occupancy="2028-03-01")).due == day("2028-02-29")


@pytest.mark.parametrize(("stabilized", "late"), [("2028-07-15", False), ("2028-07-16", True)])
def test_stabilization_after_july_15_is_a_finding(stabilized, late):
    data = site_data(ordinance="city_40_886", application={"occupancy": "2027-10-15"})
    data["ground_units"][0]["stabilized"] = stabilized
    ruling = sc.check_compliance(sc.sediment_load(built(data)))
    found = [f for f in ruling.findings if f.code == "permanent-control-late"]
    assert bool(found) is late
    assert all("1 day later" in f.message for f in found)
