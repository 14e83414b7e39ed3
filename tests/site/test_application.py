"""The application part of a site file: shapes, and what is wrong between its fields."""

import pytest

from builders import built, site_data
from sedcalc.findings import InputError
from sedcalc.load.calculation import sediment_load
from sedcalc.site.checks import check_site
from sedcalc.site.parsing import parse_site


def wheres(**application):
    site, found = parse_site(site_data(application=application))
    return {(f.code, f.where) for f in [*found, *check_site(site)] if f.severity == "error"}


def test_an_empty_application_is_one():
    assert wheres() == set()
    assert built(site_data(application={})).application.exemptions == ()


@pytest.mark.parametrize(
    ("application", "code", "field"),
    [
        ({"received": "2027-01-05", "decided": "2027-01-04"}, "dates-reversed", "decided"),
        ({"decided": "2027-01-04"}, "missing-field", "received"),
        (
            {"received": "2027-01-05", "information_received": ["2027-01-06", "2027-01-04"]},
            "dates-reversed",
            "information_received[1]",
        ),
        ({"extension_days": 30}, "missing-field", "permit_issued"),
        ({"runoff_coefficient_before": 0.2}, "missing-field", "runoff_coefficient_after"),
        ({"plan_items": ["a", "b", "a"]}, "duplicate-id", "plan_items"),
        ({"occupancy": "0001-01-01"}, "date-out-of-range", "occupancy"),
        ({"received": "9999-12-31"}, "date-out-of-range", "received"),
        ({"closures": ["2027-02-29"]}, "bad-value", "closures[0]"),
        ({"open_weekdays": []}, "empty-value", "open_weekdays"),
        ({"open_weekdays": ["funday"]}, "not-a-choice", "open_weekdays[0]"),
        ({"authorization_days": 0}, "out-of-range", "authorization_days"),
        ({"authorization_days": 30.5}, "not-a-number", "authorization_days"),
        ({"earth_volume": -1}, "out-of-range", "earth_volume"),
        ({"addition_area": "100"}, "not-a-number", "addition_area"),
        ({"occupied": "2027-01-01"}, "unknown-field", "occupied"),
    ],
)
def test_each_mistake_is_found_where_it_stands(application, code, field):
    assert wheres(**application) == {(code, f"application.{field}")}


def test_mistakes_stop_the_calculation():
    data = site_data(application={"decided": "2027-01-04"})
    with pytest.raises(InputError, match="a decision date needs received"):
        sediment_load(built(data))


def test_days_in_order_are_no_mistake():
    stated = {"received": "2027-01-05", "information_received": ["2027-01-05"], "decided": "2027-01-05"}
    assert wheres(**stated) == set()
