"""Whether a code applies: each provision and exemption at its own boundary, read from the words of the codes."""

import pytest

import sedcalc as sc
from builders import built, site_data
from sedcalc.compliance.applicability import SiteFacts, check_applicability
from sedcalc.findings import InputError
from sedcalc.site.application import Application

HALES_CORNERS = sc.load_ordinance("hales_corners_445")
CITY = sc.load_ordinance("city_40_886")
ACRE_FT2 = 43560.0  # by definition


def found(ordinance, acres=2.0, plan=None, units="us", **application):
    stated = Application(**application) if application else None
    return check_applicability(ordinance, SiteFacts(acres, plan or acres, stated, units))


def result(applicability, id):
    return next(p.result for p in (*applicability.provisions, *applicability.exemptions) if p.id == id)


def test_a_village_without_minimum_area_covers_every_site():
    tiny = found(HALES_CORNERS, 0.01)
    assert (tiny.result, tiny.clause) == ("applies", "445-6.4A(1)")


# "greater than 100 square feet" (445-6.8E): 100 is not
@pytest.mark.parametrize(("area", "expected"), [(100.0, "does_not_apply"), (100.1, "applies"), (0.0, "does_not_apply")])
def test_an_addition_is_covered_from_more_than_100_square_feet(area, expected):
    assert result(found(HALES_CORNERS, addition_area=area), "addition") == expected


def test_an_addition_that_is_not_stated_is_not_answered():
    assert result(found(HALES_CORNERS), "addition") == "not_stated"


def test_a_stated_area_in_square_metres_is_converted():
    # 100 ft2 are 9.290304 m2 exactly
    assert result(found(HALES_CORNERS, units="si", addition_area=9.290304), "addition") == "does_not_apply"
    assert result(found(HALES_CORNERS, units="si", addition_area=9.2904), "addition") == "applies"


# "of one acre or more" (445-6.9), of the common plan (445-6.5)
@pytest.mark.parametrize(
    ("acres", "plan", "applies", "clause"),
    [
        (0.99, 0.99, False, "445-6.8"),
        (1.0, 1.0, True, "445-6.9"),
        (0.2, 1.0, True, "445-6.9"),
        (sum([0.1] * 10), None, True, "445-6.9"),  # an acre, though less in binary
    ],
)
def test_which_performance_standard_holds(acres, plan, applies, clause):
    applicability = found(HALES_CORNERS, acres, plan)
    assert (applicability.standard_applies, applicability.standard_clause) == (applies, clause)


def test_what_the_administrator_determines_stays_a_question():
    risk = found(HALES_CORNERS)
    assert result(risk, "any_size_at_risk") == "question_for_reviewer"
    reason = next(p.reason for p in risk.provisions if p.id == "any_size_at_risk")
    assert "445-6.11A" in reason  # a statement, not a plan
    answered = found(CITY, 0.01, activities=())
    assert result(answered, "dewatering") == "question_for_reviewer"


# "under five acres" (445-6.4A(2)(e)): five is not
@pytest.mark.parametrize(("acres", "expected"), [(4.99, "applies"), (5.0, "does_not_apply")])
def test_routine_maintenance_is_exempt_under_five_acres(acres, expected):
    claimed = found(HALES_CORNERS, acres, exemptions=("routine_maintenance",))
    assert result(claimed, "routine_maintenance") == expected
    assert claimed.result == {"applies": "does_not_apply", "does_not_apply": "applies"}[expected]


def test_an_exemption_counts_only_where_it_is_claimed():
    assert found(HALES_CORNERS).result == "applies"
    claimed = found(HALES_CORNERS, exemptions=("state_agency",))
    assert (claimed.result, claimed.clause) == ("does_not_apply", "445-6.4C")


def test_a_transportation_facility_in_a_larger_common_plan_is_a_question():
    alone = found(HALES_CORNERS, 2.0, exemptions=("transportation_facility",))
    assert (alone.result, alone.clause) == ("does_not_apply", "445-6.4A(2)(a)")
    part = found(HALES_CORNERS, 2.0, 30.0, exemptions=("transportation_facility",))
    assert (part.result, part.clause) == ("question_for_reviewer", "445-6.4A(2)(a)")


# 40-887: "4,000 square feet or more", "400 cubic yards or more", "300 feet or more"
@pytest.mark.parametrize(
    ("acres", "application", "expected"),
    [
        (4000 / ACRE_FT2, {}, "applies"),
        (3999 / ACRE_FT2, {}, "not_stated"),
        (0.01, {"earth_volume": 400.0}, "applies"),
        (0.01, {"pipe_length": 300.0}, "applies"),
        (0.01, {"activities": ("street_works",)}, "applies"),
        (0.01, {"earth_volume": 399.0, "pipe_length": 299.0}, "not_stated"),  # streets not answered
        (0.01, {"earth_volume": 399.0, "pipe_length": 299.0, "activities": ()}, "question_for_reviewer"),  # dewatering
    ],
)
def test_activities_of_the_city(acres, application, expected):
    assert found(CITY, acres, **application).result == expected


def test_si_volumes_and_lengths():
    # 400 yd3 are 305.8219 m3 (0.9144^3 each), 300 ft 91.44 m
    assert result(found(CITY, 0.01, units="si", earth_volume=305.822), "earthwork") == "applies"
    assert result(found(CITY, 0.01, units="si", earth_volume=305.821), "earthwork") == "does_not_apply"
    assert result(found(CITY, 0.01, units="si", pipe_length=91.44), "underground_pipe") == "applies"


def test_unknown_names_are_refused_all_at_once():
    with pytest.raises(InputError) as error:
        found(HALES_CORNERS, activities=("gardening",), exemptions=("state_agency", "hobby"))
    assert [f.where for f in error.value.findings] == ["application.activities[0]", "application.exemptions[1]"]
    assert "silviculture" in str(error.value)


def ruled(application=None, area=2.0, **changes):
    data = site_data(**changes)
    data["ground_units"][0]["area"] = area
    if application is not None:
        data["application"] = application
    return sc.check_compliance(sc.sediment_load(built(data)))


def test_an_exempt_site_is_not_ruled_on_and_the_figure_stays():
    exempt = ruled({"exemptions": ["state_agency"]})
    assert (exempt.status, exempt.clause) == ("not_applicable", "445-6.4C")
    assert exempt.tons_per_acre_per_year == pytest.approx(ruled().tons_per_acre_per_year)
    codes = {f.code: f for f in exempt.findings}
    assert codes["code-does-not-apply"].severity == "warning"
    assert "445-6.4A(3)" in codes["question-for-reviewer"].message  # any size, as the administrator determines
    assert exempt.measures is None


def test_an_exemption_that_does_not_hold_is_said_and_the_site_is_ruled_on():
    ruling = ruled({"exemptions": ["routine_maintenance"]}, area=5.0)
    assert ruling.status == "exceeds"
    finding = next(f for f in ruling.findings if f.code == "exemption-does-not-hold")
    assert finding.clause == "445-6.4A(2)(e)"
    assert "5 acre is not < 5" in finding.message


def test_the_standard_is_named_in_a_note():
    note = next(f for f in ruled().findings if f.code == "code-applies")
    assert note.severity == "note"
    assert "445-6.9" in note.message
    below = ruled(area=0.5)
    assert below.status == "not_applicable"
    assert "445-6.8" in below.reason


def test_an_acre_of_ten_tenths_is_ruled_on():
    data = site_data()
    unit = data["ground_units"][0] | {"area": 0.1}
    data["ground_units"] = [unit | {"id": f"u{i}"} for i in range(10)]
    data["phases"][0]["units"] = [u["id"] for u in data["ground_units"]]
    assert sc.check_compliance(sc.sediment_load(built(data))).status == "exceeds"


VILLAGE = """
id = "plain_village"
title = "Erosion control"
place = "Plain Village"
text_source = "test"

[standard]
limit = 7.5
unit = "tons/acre/year"
clause = "12.3"
text = "seven and one-half tons"
figure = "worst_12_months"
scope = "site"
applies_from_acres = 0.5
applies_clause = "12.2"
applies_text = "one-half acre or more"
"""


def test_a_code_with_nothing_but_a_limit_works(tmp_path):
    path = tmp_path / "village.toml"
    path.write_text(VILLAGE, encoding="utf-8")
    data = site_data(application={"received": "2027-01-04", "occupancy": "2027-12-01", "addition_area": 500})
    ruling = sc.check_compliance(sc.sediment_load(built(data)), sc.load_ordinance(path))
    assert (ruling.status, ruling.limit, ruling.checks.applicability.result) == ("exceeds", 7.5, "applies")
    assert (ruling.checks.plan_items, ruling.checks.idle, ruling.checks.deadlines) == ((), (), ())
    assert ruling.checks.permit is None
    assert ruling.measures.one_at_a_time
    assert {f.topic for f in ruling.explanation_facts} >= {"figure", "measures"}


@pytest.mark.parametrize(
    ("old", "new", "path", "said"),
    [
        ("", '[[exemptions]]\nid = "a"\nclause = "1"\ntext = "x"\ndecided_by = "applicant"\nnumbers = ["n"]\n',
         "exemptions[0].numbers", "needs quantity"),
        ('unit = "ft2"', 'unit = "ft2"\nquantity = "pipe_length"', "numbers.n.unit", "pipe_length is in one of ft"),
        ('unit = "ft2"', 'unit = "ft2"\nquantity = "colour"', "numbers.n.quantity", "one of disturbed_area"),
        ("", '[[plan_items]]\npart = "p"\nclause = "1"\ntext = "x"\nanswered_by = "guess"\n',
         "plan_items[0].answered_by", "one of applicant"),
    ],
)  # fmt: skip
def test_mistakes_in_an_ordinance_file(tmp_path, old, new, path, said):
    number = (
        '\n[numbers.n]\nvalue = 5\nunit = "ft2"\ncomparison = ">"\nrole = "applies"\nclause = "1"\ntext = "five"\n\n'
    )
    text = VILLAGE + number
    file = tmp_path / "village.toml"
    file.write_text(text.replace(old, new, 1) if old else text + new, encoding="utf-8")
    with pytest.raises(InputError) as error:
        sc.load_ordinance(file)
    messages = {f.where: f.message for f in error.value.findings}
    assert said in messages[f"village.toml: {path}"]
