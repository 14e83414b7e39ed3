import numpy as np
import pytest

import sedcalc as sc
from builders import built, practice, site_data

COVER = {"C": 1.0, "source": "t"}


def two_units(practices=()):
    """Unit a is open in the first half of the year, b in the second."""
    data = site_data(practices=list(practices))
    unit = data["ground_units"][0] | {"final_cover": {"C": 0.1, "source": "t"}}
    data["ground_units"] = [
        unit | {"id": "a", "stabilized": "2027-06-30"},
        unit | {"id": "b", "area": 1.0, "stabilized": "2027-12-31"},
    ]
    data["phases"] = [
        {"id": "first", "start": "2027-01-01", "end": "2027-06-30", "units": ["a"], "cover": COVER},
        {"id": "second", "start": "2027-07-01", "end": "2027-12-31", "units": ["b"], "cover": COVER},
    ]
    return data


def all_open(practices=()):
    data = site_data(practices=list(practices))
    unit = data["ground_units"][0]
    data["ground_units"] = [unit | {"id": "a"}, unit | {"id": "b", "area": 1.0}]
    data["phases"][0]["units"] = ["a", "b"]
    return sc.sediment_load(built(data))


@pytest.mark.parametrize("practices", [[], [practice("half", 0.5, start="2027-05-01")]])
def test_the_reference_is_the_site_with_all_units_open_throughout(practices):
    load = sc.sediment_load(built(two_units(practices)))
    credit, reference = load.credit, all_open(practices)
    assert credit.reference_tons == pytest.approx([reference.totals.discharged] * 2, rel=1e-12)
    assert credit.tons == pytest.approx([load.totals.discharged] * 2, rel=1e-12)
    assert credit.tons + credit.saved_by_area + credit.saved_by_duration == pytest.approx(credit.reference_tons)
    assert (credit.saved_by_area > 0).all()
    assert (credit.saved_by_duration > 0).all()


def test_limited_area_is_what_the_later_unit_spares():
    load = sc.sediment_load(built(two_units()))
    halves = [{"start": "2027-01-01", "end": "2027-06-30"}]
    whole = all_open()
    spring = sc.sediment_load(built(site_data(windows=halves))).asked[0][2]  # 2 acres
    assert load.credit.saved_by_area[-1] == pytest.approx(0.5 * spring, rel=1e-12)
    autumn = whole.totals.discharged / 1.5 - spring
    assert load.credit.saved_by_duration[-1] == pytest.approx(0.9 * autumn, rel=1e-12)


def test_the_figure_on_the_reference_acreage():
    load = sc.sediment_load(built(two_units()))
    assert load.credit.reference_acres.tolist() == [3.0, 3.0]
    assert load.credit.reference_figure == pytest.approx([load.totals.discharged / 3.0] * 2, rel=1e-12)
    assert str(load.credit.window_start[0]) == "2027-01-01"


def test_a_site_that_is_open_throughout_saves_nothing():
    credit = sc.sediment_load(built(site_data())).credit
    assert np.concatenate([credit.saved_by_area, credit.saved_by_duration]).tolist() == [0.0] * 4


def test_the_timetable_lists_activities_with_their_acres():
    table = sc.sediment_load(built(two_units())).timetable
    assert table["activity"].tolist() == ["first", "second"]
    assert table["acres"].tolist() == [2.0, 1.0]
    assert [str(d) for d in table["start"]] == ["2027-01-01", "2027-07-01"]
    assert table["units"].tolist() == [["a"], ["b"]]
