import datetime

import pytest

import sedcalc as sc
from builders import EVEN, built, day, site_data
from sedcalc.site.checks import check_site
from sedcalc.site.establishment import daily_c, growth_begins

GROWN = {"sown": "2027-05-01", "established": "2027-07-10", "C": 0.1, "source": "t"}


def cover(**changes):
    return {"C": 1.0, "source": "t", "establishes": {k: v for k, v in (GROWN | changes).items() if v is not None}}


def seeded(**changes):
    data = site_data(location={"R": 100, "R_source": "t", "ei_distribution": EVEN})
    data["phases"][0]["cover"] = cover(**changes)
    return data


def found(data):
    return {(f.code, f.severity, f.where) for f in check_site(built(data)) if "cover" in str(f.where)}


def test_c_runs_from_the_seedbed_to_the_grown_cover():
    own = built(seeded()).phases[0].cover
    c = daily_c(own, "x", day("2027-04-30"), day("2027-07-11"))
    # By hand: 70 days from sowing to establishment, half-way on day 35.
    assert c[0] == c[1] == 1.0
    assert c[1 + 35] == pytest.approx(0.55)
    assert c[-2] == c[-1] == pytest.approx(0.1)
    assert len(c) == 73


def test_the_logistic_course_is_half_way_at_half_time():
    own = built(seeded(shape="logistic", steepness=8, steepness_source="t")).phases[0].cover
    c = daily_c(own, "x", day("2027-05-01"), day("2027-07-10"))
    assert c[35] == pytest.approx(0.55)
    assert c[10] > 1.0 - 0.9 * 10 / 70  # slow at first


def test_a_rows_c_is_the_mean_weighted_by_erosivity_and_its_discharge_follows_the_days():
    load = sc.sediment_load(built(seeded()))
    plain = sc.sediment_load(built(site_data(location={"R": 100, "R_source": "t", "ei_distribution": EVEN})))
    # Independent: one phase a day, each with the C of its day.
    days = [datetime.date(2027, 1, 1) + datetime.timedelta(days=n) for n in range(365)]
    c = [1.0 - 0.9 * min(max((d - datetime.date(2027, 5, 1)).days / 70, 0.0), 1.0) for d in days]
    data = site_data(location={"R": 100, "R_source": "t", "ei_distribution": EVEN})
    data["phases"] = [
        {"id": str(d), "start": str(d), "end": str(d), "units": ["u1"], "cover": {"C": own, "source": "t"}}
        for d, own in zip(days, c, strict=True)
    ]
    daily = sc.sediment_load(built(data))
    assert load.totals.eroded == pytest.approx(daily.totals.eroded, rel=1e-12)
    assert load.columns["C"][0] == pytest.approx(daily.totals.eroded / plain.totals.eroded, rel=1e-12)
    assert load.columns["C"][0] * plain.totals.eroded == pytest.approx(load.totals.discharged, rel=1e-12)


def test_a_practice_is_weighted_by_the_load_of_each_day():
    data = seeded()
    half = {"id": "t", "start": "2026-12-01", "end": "2027-05-31", "drainage_areas": ["A"], "efficiency": 0.8}
    data["practices"] = [half | {"source": "t"}]
    load = sc.sediment_load(built(data))
    first, second = {"start": "2027-01-01", "end": "2027-05-31"}, {"start": "2027-06-01", "end": "2027-12-31"}
    unpracticed = sc.sediment_load(built(seeded() | {"windows": [first, second]}))
    spring, rest = (tons for _, _, tons, _, _ in unpracticed.asked)
    assert load.totals.discharged == pytest.approx(0.2 * spring + rest, rel=1e-12)


@pytest.mark.parametrize(
    ("sown", "begins"),
    [
        ("2027-10-14", "2027-10-14"),
        ("2027-10-15", "2028-04-15"),
        ("2028-01-20", "2028-04-15"),
        ("2028-04-15", "2028-04-15"),
        ("2028-04-16", "2028-04-16"),
    ],
)
def test_what_is_sown_in_winter_grows_from_spring(sown, begins):
    own = built(seeded(sown=sown, established="2029-01-01")).phases[0].cover.establishes
    assert growth_begins(own) == day(begins)
    own = built(seeded(sown=sown, established="2029-01-01", winter_credit_source="t")).phases[0].cover.establishes
    assert growth_begins(own) == day(sown)


def test_what_is_found():
    path = "phases[0].cover.establishes"
    assert found(seeded()) == set()
    winter = {"sown": "2026-11-01", "established": "2027-06-01"}
    assert found(seeded(**winter)) == {("sown-in-winter", "warning", f"{path}.sown")}
    assert found(seeded(**winter | {"established": "2027-04-15"})) == {
        ("established-in-winter", "error", f"{path}.established")
    }
    assert found(seeded(**winter | {"winter_credit_source": "t"})) == set()
    assert found(seeded(established="2027-05-01")) == {("end-before-start", "error", f"{path}.established")}
    assert found(seeded(source=None)) == {("missing-source", "error", path)}
    assert found(seeded(name="gravel")) == {("one-way-only", "error", path)}
    assert found(seeded(C=None, source=None, name="gravle")) == {("unknown-cover", "error", f"{path}.name")}
    assert found(seeded(steepness=3)) == {("unused-field", "error", f"{path}.steepness")}
    assert found(seeded(shape="logistic")) == {
        ("missing-field", "error", f"{path}.steepness"),
        ("missing-field", "error", f"{path}.steepness_source"),
    }


def test_no_erosivity_while_it_grows_gives_no_load_and_no_c():
    data = site_data()
    data["phases"][0] |= {"start": "2027-12-12", "end": "2028-01-20"}
    data["phases"][0]["cover"] = cover(sown="2027-12-15", established="2028-01-10", winter_credit_source="t")
    data["ground_units"][0]["stabilized"] = "2028-01-20"
    load = sc.sediment_load(built(data))
    assert load.totals.discharged == 0.0
    assert load.columns["C"] == [None]


def test_before_and_after_it_grows_the_span_has_a_plain_cover():
    data = seeded()
    data["phases"][0]["cover"] = {
        "name": "hay mulch 2.0 t/ac",
        "establishes": {"sown": "2027-05-01", "established": "2027-07-10", "name": "sod laid immediately"},
    }
    cover = data["phases"][0]["cover"]
    cuts = [("2027-01-01", "2027-05-01"), ("2027-05-02", "2027-07-09"), ("2027-07-10", "2027-12-31")]
    data["phases"] = [
        {"id": f"p{n}", "start": a, "end": b, "units": ["u1"], "cover": cover} for n, (a, b) in enumerate(cuts)
    ]
    spans = sc.sediment_load(built(data)).schedule.spans
    assert [s.cover.name for s in spans] == ["hay mulch 2.0 t/ac", None, "sod laid immediately"]
    assert [s.course is None for s in spans] == [True, False, True]
    # The mulch that is sown into keeps its name, by which its slope limit is found.
    assert [[c.name for c in s.laid] for s in spans] == [[], ["hay mulch 2.0 t/ac", "sod laid immediately"], []]
    assert all(c.establishes is None for s in spans for c in (s.cover, *s.laid))
