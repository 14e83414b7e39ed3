"""What a run says beside its limit: the checks in its JSON, the measures where the limit is exceeded, and the text."""

import json

import pytest
from pydantic import TypeAdapter
from rich.console import Console

import sedcalc as sc
from builders import built, site_data
from sedcalc.report.results import run_object
from sedcalc.report.run_format import RunEntry
from sedcalc.report.text import run_report


def example(**changes):
    site = sc.read_site(sc.example("hales_corners_subdivision.toml"))
    data = site.model_dump(exclude_defaults=True) | {"format": "sedcalc.site/1", "units": "us"}
    return built(data | changes)


@pytest.fixture(scope="module")
def meets():
    return sc.check_compliance(sc.sediment_load(example()))


@pytest.fixture(scope="module")
def exceeds():
    return sc.check_compliance(sc.sediment_load(example(practices=[])))


def text_of(ruling):
    console = Console(width=80)
    with console.capture() as captured:
        console.print(run_report(ruling))
    return captured.get()


@pytest.mark.parametrize("name", ["meets", "exceeds"])
def test_the_object_is_what_the_schema_says(name, request):
    found = run_object(request.getfixturevalue(name))
    TypeAdapter(RunEntry).validate_json(json.dumps(found, allow_nan=False), strict=True)
    assert found["status"] == name


def test_checks_are_those_of_the_ruling(meets):
    """Of the application in the example: its building permit of 540 days lasts long enough."""
    checks = run_object(meets)["checks"]
    assert checks["applicability"]["result"] == "applies"
    assert checks["applicability"]["standard_clause"] == "445-6.9"
    assert len(checks["plan_items"]) == len(sc.load_ordinance("hales_corners_445").plan_items)
    assert {i["state"] for i in checks["plan_items"]} == {"in_submission", "stated"}
    # 2027-03-15 and 540 days are 2028-09-05 by the calendar.
    assert (checks["permit"]["ends"], checks["permit"]["needed_until"]) == ("2028-09-05", "2028-05-31")
    # Ten business days after Monday, March 1, 2027 are two weeks.
    assert {d["what"]: d["due"] for d in checks["deadlines"]}["decision"] == "2027-03-15"


def test_a_site_that_meets_the_limit_has_no_measures(meets):
    found = run_object(meets)
    assert (found["measures"], found["explanation_facts"]) == (None, [])
    assert "What would meet the limit" not in text_of(meets)


def test_a_site_that_exceeds_it_has_them(exceeds):
    found = run_object(exceeds)
    measures = found["measures"]
    figures = [m["tons_per_acre_per_year"] for m in measures["one_at_a_time"]]
    assert figures == sorted(figures)
    assert all(m["suffices"] == (m["tons_per_acre_per_year"] <= found["limit"]) for m in measures["one_at_a_time"])
    assert measures["fewest_tons_per_acre_per_year"] <= found["limit"]
    assert found["explanation_facts"][0]["topic"] == "figure"
    text = text_of(exceeds)
    assert "What would meet the limit, one at a time" in text
    assert measures["one_at_a_time"][0]["name"].split()[0] in text


def test_timetable_and_credit(meets):
    found = run_object(meets)
    first = found["timetable"][0]
    assert (first["activity"], first["start"], first["acres"]) == ("clearing", "2027-04-05", pytest.approx(5.7))
    credit = found["credit"]
    assert [c["drainage_area"] for c in credit] == ["north", "east", "south", None]
    for entry in credit:
        saved = entry["saved_by_area"] + entry["saved_by_duration"]
        assert entry["reference_tons"] == pytest.approx(entry["tons"] + saved, rel=1e-12)
    assert credit[3]["tons"] == pytest.approx(found["totals"]["discharged_tons"], rel=1e-12)


def test_the_text_says_each_check_in_a_line(meets):
    text = text_of(meets)
    assert "applies: 445-6.4A(1)" in text
    assert "plan items: 10 of 51 found, 41 stated, 0 missing" in text
    assert "permit issued 2027-03-15: ends 2028-09-05; needed until 2028-05-31" in " ".join(text.split())
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize(("method", "said"), [("rusle", "rusle, high rill to interrill ratio"), ("usle", "usle")])
def test_the_text_names_the_equations_of_ls(method, said):
    """The ratio is in RUSLE's exponent alone."""
    text = text_of(sc.check_compliance(sc.sediment_load(built(site_data(topography={"method": method})))))
    assert f"LS: slope profile, {said}" in [line.rstrip() for line in text.splitlines()]


def test_a_k_raster_needs_no_table_of_k():
    from sedcalc.load.calculation import _tables_used

    data = site_data(soils=[{"id": "loam", "texture": "loam", "organic_matter_pct": 2}])
    tabular = built(data)
    grid = {"LS": "ls.tif", "K": "k.tif", "K_source": "test"}
    gridded = built(data | {"grid": grid})
    erosivity = sc.sediment_load(tabular).erosivity
    assert "k_by_texture" in _tables_used(tabular, erosivity)
    assert "k_by_texture" not in _tables_used(gridded, erosivity)
