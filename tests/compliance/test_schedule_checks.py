"""Idle ground, stockpiles, steep slopes, final cover and permit term, each at its own boundary."""

import datetime

import pytest

import sedcalc as sc
from builders import built, day, practice, site_data

BARE = {"C": 1.0, "source": "test"}
MULCH = {"C": 0.2, "source": "test"}


def days_after(start, number):
    return str(day(start) + datetime.timedelta(days=number))


def site(rest=15, cover=None, more=(), **changes):
    """Grading to Apr 30, then so many days without a phase, then building to Dec 31; or `more` in between."""
    data = site_data(**changes)
    after = days_after("2027-05-01", rest)
    data["phases"] = [
        {"id": "grading", "start": "2027-04-01", "end": "2027-04-30", "units": ["u1"], "cover": cover or BARE},
        *more,
        {"id": "building", "start": after, "end": "2027-12-31", "units": ["u1"], "cover": BARE},
    ]
    return data


def ruled(data, ordinance=None):
    return sc.check_compliance(sc.sediment_load(built(data)), ordinance)


def found(ruling, code):
    return [f for f in ruling.findings if f.code == code]


# 445-6.9D(4): "will not resume for a period exceeding 14 calendar days"
@pytest.mark.parametrize(("rest", "expected"), [(13, 0), (14, 0), (15, 1)])
def test_idle_for_more_than_14_days(rest, expected):
    ruling = ruled(site(rest))
    assert len(ruling.checks.idle) == expected
    findings = found(ruling, "idle-ground-bare")
    assert len(findings) == expected
    if expected:
        idle = ruling.checks.idle[0]
        assert (str(idle.first_day), str(idle.last_day), idle.days) == ("2027-05-01", "2027-05-15", 15)
        assert (idle.units, idle.covered_from, idle.resumes) == (("u1",), None, True)
        assert findings[0].clause == "445-6.9D(4)"
        assert "bare throughout" in findings[0].message


def test_idle_over_february_29():
    data = site()
    data["ground_units"][0]["stabilized"] = "2028-12-31"
    data["phases"][0] |= {"start": "2028-02-01", "end": "2028-02-15"}
    data["phases"][1] |= {"start": "2028-03-01", "end": "2028-12-31"}
    assert ruled(data).checks.idle == ()  # Feb 16 to 29: 14 days
    data["phases"][1]["start"] = "2028-03-02"
    assert ruled(data).checks.idle[0].days == 15


def test_ground_that_rests_covered_is_reported_and_no_finding():
    ruling = ruled(site(30, cover=MULCH))
    assert ruling.checks.idle[0].covered_from == day("2027-05-01")
    assert not found(ruling, "idle-ground-bare")


def test_a_cover_laid_after_the_first_idle_day_is_late():
    mulched = {"id": "mulch", "start": "2027-05-06", "end": "2027-05-30", "units": ["u1"], "cover": MULCH, "idle": True}
    ruling = ruled(site(30, more=[mulched]))
    idle = ruling.checks.idle[0]
    assert (str(idle.covered_from), idle.days) == ("2027-05-06", 30)
    assert "5 days late" in found(ruling, "idle-ground-bare")[0].message


def test_an_idle_phase_in_time_is_stabilization():
    mulched = {"id": "mulch", "start": "2027-05-01", "end": "2027-05-30", "units": ["u1"], "cover": MULCH, "idle": True}
    assert not found(ruled(site(30, more=[mulched])), "idle-ground-bare")
    bare = mulched | {"cover": BARE}
    assert found(ruled(site(30, more=[bare])), "idle-ground-bare")


def test_seed_in_the_ground_is_stabilization_from_the_day_of_sowing():
    grass = {"sown": "2027-05-03", "established": "2027-06-15", "C": 0.1, "source": "test"}
    seeded = {"id": "s", "start": "2027-05-01", "end": "2027-06-29", "units": ["u1"], "cover": BARE, "idle": True}
    seeded["cover"] = BARE | {"establishes": grass}
    ruling = ruled(site(60, more=[seeded]))
    assert ruling.checks.idle[0].covered_from == day("2027-05-03")
    assert "2 days late" in found(ruling, "idle-ground-bare")[0].message


def test_bare_ground_before_final_stabilization_has_its_own_clause():
    data = site(1)
    data["phases"][1]["end"] = "2027-12-16"  # then 15 days to the stabilization of Dec 31
    findings = found(ruled(data), "idle-ground-bare")
    assert [f.clause for f in findings] == ["445-6.9D(3)"]
    data["ground_units"][0]["area"] = 0.5
    assert [f.clause for f in found(ruled(data), "idle-ground-bare")] == ["445-6.8D(3)"]


def test_units_that_rest_together_are_one_finding():
    data = site(20)
    data["ground_units"].append(data["ground_units"][0] | {"id": "u2"})
    for phase in data["phases"]:
        phase["units"] = ["u1", "u2"]
    ruling = ruled(data)
    assert [i.units for i in ruling.checks.idle] == [("u1", "u2")]


def pile(days, cover=BARE, **changes):
    data = site_data(**changes)
    start = "2027-04-01"
    data["phases"] = [
        {"id": "pile", "start": start, "end": start, "units": ["u1"], "cover": cover, "stockpile": True},
        {"id": "spread", "start": days_after(start, days), "end": "2027-12-31", "units": ["u1"], "cover": BARE},
    ]
    return data


# 445-6.9C(1)(f): "soil stockpiles existing for more than seven days"
@pytest.mark.parametrize(("days", "expected"), [(7, 0), (8, 1)])
def test_a_stockpile_of_more_than_seven_days(days, expected):
    ruling = ruled(pile(days))
    assert [p.days for p in ruling.checks.stockpiles] == [8] * expected
    findings = found(ruling, "stockpile-uncontrolled")
    assert [f.clause for f in findings] == ["445-6.9C(1)(f)"] * expected


def test_a_stockpile_that_is_covered_or_drains_to_a_practice():
    assert not found(ruled(pile(30, MULCH)), "stockpile-uncontrolled")
    trapped = ruled(pile(30, practices=[practice("trap", 0.5)]))
    assert trapped.checks.stockpiles[0].practices == ("trap",)
    assert found(trapped, "stockpile-bare")[0].severity == "note"
    late = ruled(pile(30, practices=[practice("trap", 0.5, start="2027-04-15")]))
    assert late.checks.stockpiles[0].practices == ()
    half = practice("trap", 0.5, drainage_areas=[{"id": "A", "share": 0.5}])
    assert ruled(pile(30, practices=[half])).checks.stockpiles[0].practices == ()


# 445-6.9C(3)(c): "slopes of 20% or more"
@pytest.mark.parametrize(("pct", "acres"), [(19.99, None), (20, 2.0), (33, 2.0)])
def test_slopes_of_20_percent_or_more(pct, acres):
    data = site_data()
    data["ground_units"][0]["slope_pct"] = pct
    ruling = ruled(data)
    assert (ruling.checks.steep.acres if ruling.checks.steep else None) == acres
    assert [f.clause for f in found(ruling, "steep-ground-disturbed")] == ["445-6.9C(3)(c)"] * (acres is not None)


def test_steep_segments_count_by_length_and_grading_counts_while_disturbed():
    data = site_data()
    unit = data["ground_units"][0]
    del unit["slope_pct"], unit["length"]
    unit["segments"] = [{"length": 60, "slope_pct": 5}, {"length": 40, "slope_pct": 25}]
    assert ruled(data).checks.steep.acres == pytest.approx(0.8)  # 40 of 100 ft on 2 acres
    data = site_data()
    data["phases"][0]["slopes"] = [{"unit": "u1", "slope_pct": 25, "length": 100}]
    assert ruled(data).checks.steep.acres == 2.0


def test_steep_ground_that_is_left_alone_does_not_count():
    data = site_data()
    steep = data["ground_units"][0] | {"id": "bluff", "slope_pct": 30, "existing_cover": MULCH}
    del steep["stabilized"], steep["final_cover"]
    data["ground_units"].append(steep)
    assert ruled(data).checks.steep is None


# 445-6.5: "a density of at least 70% of the cover"
@pytest.mark.parametrize(("pct", "clauses"), [(69.9, ["445-6.5"]), (70, []), (None, [])])
def test_density_of_the_final_cover(pct, clauses):
    data = site_data()
    if pct is not None:
        data["ground_units"][0]["final_cover_pct"] = pct
    assert [f.clause for f in found(ruled(data), "final-cover-too-sparse")] == clauses


def permitted(last, **application):
    """Grading from Apr 1, 2027 to `last`, when the ground is stabilized."""
    data = site_data(application=application)
    data["phases"][0] |= {"start": "2027-04-01", "end": last}
    data["ground_units"][0]["stabilized"] = last
    return ruled(data)


# 445-6.10G: 180 days from the date of issuance, extensions not over 180 days. Mar 15, 2027 + 180 days is Sep 11, and
# + 360 days Mar 9, 2028.
@pytest.mark.parametrize(
    ("last", "application", "said"),
    [
        ("2027-09-11", {}, None),
        ("2027-09-12", {}, "an extension of 1 day is needed"),
        ("2028-03-09", {}, "extensions of 180 days in all are needed"),
        ("2028-03-10", {}, "all extensions end on 2028-03-09"),
        ("2028-03-09", {"extension_days": 180}, None),
        ("2027-10-15", {"authorization_days": 214}, None),  # the building permit is longer
        ("2027-10-16", {"authorization_days": 214}, "an extension of 1 day is needed"),
        ("2027-09-12", {"authorization_days": 30}, "an extension of 1 day is needed"),  # 180 days is longer
    ],
)
def test_the_permit_against_the_schedule(last, application, said):
    findings = found(permitted(last, permit_issued="2027-03-15", **application), "permit-too-short")
    assert len(findings) == (said is not None)
    if said:
        assert said in findings[0].message
        assert (findings[0].severity, findings[0].clause) == ("warning", "445-6.10G")


def test_without_a_permit_the_term_is_counted_from_the_first_disturbance_and_noted():
    ruling = permitted("2027-12-31")
    assert (str(ruling.checks.permit.issued), ruling.checks.permit.stated) == ("2027-04-01", False)
    assert str(ruling.checks.permit.ends) == "2027-09-28"
    assert found(ruling, "permit-too-short")[0].severity == "note"
    assert ruled(site_data(ordinance="city_40_886")).checks.permit is None


def test_disturbance_before_the_permit_and_too_long_an_extension():
    ruling = permitted("2027-12-31", permit_issued="2027-04-02", extension_days=181)
    assert found(ruling, "disturbed-before-permit")[0].clause == "445-6.10A"
    assert found(ruling, "extension-too-long")[0].clause == "445-6.10G"
    on_the_day = permitted("2027-12-31", permit_issued="2027-04-01", extension_days=180)
    assert not found(on_the_day, "disturbed-before-permit")
    assert not found(on_the_day, "extension-too-long")
