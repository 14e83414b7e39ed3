import pytest

from builders import site_data
from sedcalc.site.checks import check_site
from sedcalc.site.parsing import parse_site


def codes(data):
    site, findings = parse_site(data)
    return site, {(f.code, f.where) for f in findings}


def test_a_whole_site_parses_without_findings():
    site, findings = parse_site(site_data())
    assert findings == []
    assert site.ground_units[0].length == 150.0


def test_no_coercion_of_booleans_digit_strings_or_numbers_for_dates():
    data = site_data()
    data["ground_units"][0] |= {"area": True, "slope_pct": "12"}
    data["phases"][0]["start"] = 0
    data["location"]["R"] = float("inf")
    _, found = codes(data)
    assert found == {
        ("not-a-number", "ground_units[0].area"),
        ("not-a-number", "ground_units[0].slope_pct"),
        ("bad-value", "phases[0].start"),
        ("not-finite", "location.R"),
    }


def test_dates_must_exist():
    data = site_data()
    data["phases"][0]["end"] = "2027-02-30"
    _, findings = parse_site(data)
    assert [str(f) for f in findings] == [
        "phases[0].end: '2027-02-30' is not a date of the calendar written YYYY-MM-DD; write a day that exists, "
        "such as 2027-05-31"
    ]


def test_unknown_fields_name_the_near_ones():
    data = site_data()
    data["ground_units"][0]["slope_percent"] = 3
    _, findings = parse_site(data)
    assert findings[0].code == "unknown-field"
    assert "slope_pct" in findings[0].message


@pytest.mark.parametrize("name", ["", ".", "[", "[0]", "a.b", "units.", "phases[0].strat"])
def test_unknown_fields_may_have_any_name(name):
    data = site_data()
    data[name] = 1
    site, findings = parse_site(data)
    assert [f.code for f in findings] == ["unknown-field"]
    assert [f for f in check_site(site, findings) if f.severity == "error"] == []


def test_good_fields_of_a_faulty_part_are_kept():
    data = site_data()
    data["ground_units"][0]["area"] = -1
    data["phases"].append("no table")
    site, found = codes(data)
    assert found == {("out-of-range", "ground_units[0].area"), ("not-a-table", "phases[1]")}
    assert site.ground_units[0].area is None
    assert site.ground_units[0].slope_pct == 6.0
    assert site.phases[1] is None
    assert site.location.R == 100.0


def test_a_list_whose_items_fail_is_not_called_empty_too():
    data = site_data(drainage_areas=[3])
    _, found = codes(data)
    assert found == {("not-a-table", "drainage_areas[0]")}


def test_an_empty_list_is_reported():
    _, found = codes(site_data(phases=[]))
    assert found == {("empty-value", "phases")}


def test_what_is_no_table_is_no_site():
    site, findings = parse_site([1, 2])
    assert site is None
    assert findings[0].code == "not-a-site"


def test_a_bare_text_is_the_name_of_a_cover():
    data = site_data()
    data["phases"][0]["cover"] = "gravel"
    site, findings = parse_site(data)
    assert findings == []
    assert site.phases[0].cover.name == "gravel"


def test_integers_are_numbers():
    data = site_data()
    data["ground_units"][0]["area"] = 3
    site, findings = parse_site(data)
    assert findings == []
    assert site.ground_units[0].area == 3.0
