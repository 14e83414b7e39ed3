"""Measures: each against the whole calculation of a site that has it; the fewest against trying every set."""

import itertools

import pytest

import sedcalc as sc
from builders import built, practice, site_data
from sedcalc.compliance.measures import measures

STANDARD = sc.load_ordinance("hales_corners_445").standard
BARE = {"C": 1.0, "source": "test"}


@pytest.fixture(scope="module")
def bare_example():
    site = sc.read_site(sc.example("hales_corners_subdivision.toml"))
    return site.model_copy(update={"practices": ()})


def ruling_of(site):
    return sc.check_compliance(sc.sediment_load(site))


def with_measures(site, chosen):
    """Return the site with the measures built into its file: the whole calculation is the oracle."""
    data = site.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    for i, m in enumerate(chosen):
        if m.kind == "practice":
            first, last = "2020-01-01", "2040-01-01"
            added = practice(f"new {i}", m.value, drainage_areas=[{"id": m.place}], start=first, end=last)
            for old in data.get("practices", []):
                if any(d["id"] == m.place for d in old["drainage_areas"]):
                    added["drains_to"] = old["id"]  # in series, the order does not matter
                    old["drainage_areas"] = [d for d in old["drainage_areas"] if d["id"] != m.place]
            data.setdefault("practices", []).append(added)
            continue
        for phase in data["phases"]:
            if phase["id"] == m.place:
                phase["cover"] = {"name": m.name}
    return built(data)


def test_each_measure_brings_what_the_whole_calculation_gives(bare_example):
    ruling = ruling_of(bare_example)
    found = ruling.measures.one_at_a_time
    phases = {p.id for p in bare_example.phases}
    # a phase's cover holds on after it: compare where all its ground goes straight into the next phase
    comparable = [m for m in found if m.kind == "practice" or m.place in phases - {"utilities", "lots mulched"}]
    assert len(comparable) > 40
    for m in comparable[:: max(1, len(comparable) // 12)]:
        after = ruling_of(with_measures(bare_example, [m]))
        assert after.tons_per_acre_per_year == pytest.approx(m.tons_per_acre_per_year, rel=1e-9), m
        assert m.tons_per_acre_per_year <= ruling.tons_per_acre_per_year
        assert m.suffices is (after.status == "meets")


def test_a_practice_says_what_it_brings_to_its_own_drainage_area(bare_example):
    for m in ruling_of(bare_example).measures.one_at_a_time:
        if m.kind == "practice":
            windows = sc.sediment_load(with_measures(bare_example, [m])).windows
            column = windows.area.index(m.place)
            own = windows.tons_per_acre[windows.worst[column], column]
            assert own == pytest.approx(m.place_tons_per_acre_per_year, rel=1e-9)


def test_only_values_seen_or_derived_are_proposed_and_laid_covers_only(bare_example):
    found = ruling_of(bare_example).measures.one_at_a_time
    assert {m.status for m in found} <= {"seen", "derived"}
    assert {m.name for m in found if m.kind == "practice"} == {
        "sediment trap, sized by WDNR 1063",
        "sediment basin, sized by WDNR 1064",
    }
    covers = {m.name for m in found if m.kind == "cover"}
    assert "hay mulch 2.0 t/ac" in covers
    assert not any("seeding" in c or "ryegrass" in c or c == "gravel" for c in covers)


def test_the_size_that_earns_the_credit_is_said(bare_example):
    sizes = {(m.name.split(",")[0], m.place): m.size for m in ruling_of(bare_example).measures.one_at_a_time}
    # WDNR 1063: 1,560 ft2 per acre of silt loam x 2.1 acres; 5,300 of clay loam x 1.8 acres, buffer included
    assert "3,276 ft2" in sizes["sediment trap", "north"]
    assert "9,540 ft2" in sizes["sediment trap", "south"]
    assert "1.2 q / v" in sizes["sediment basin", "north"]  # WDNR 1064


def test_the_fewest_meet_the_limit_by_the_whole_calculation_and_none_can_be_left_out(bare_example):
    found = ruling_of(bare_example).measures
    assert found.proven_fewest
    after = ruling_of(with_measures(bare_example, found.fewest))
    assert after.status == "meets"
    assert after.tons_per_acre_per_year == pytest.approx(found.fewest_tons_per_acre_per_year, rel=1e-9)
    for fewer in itertools.combinations(found.fewest, len(found.fewest) - 1):
        assert ruling_of(with_measures(bare_example, fewer)).status == "exceeds"


def site(areas=("A",), resting=60, R=100.0, **changes):
    """Bare ground worked in spring, then at rest, then worked again; one unit to a drainage area."""
    data = site_data(drainage_areas=[{"id": a, "outfall": f"o{a}"} for a in areas], **changes)
    data["location"]["R"] = R
    unit = data["ground_units"][0]
    data["ground_units"] = [unit | {"id": f"u{a}", "drainage_area": a} for a in areas]
    units = [u["id"] for u in data["ground_units"]]
    data["phases"] = [
        {"id": "one", "start": "2027-04-01", "end": "2027-04-30", "units": units, "cover": BARE},
        {"id": "rest", "start": "2027-05-01", "end": "2027-10-15", "units": units, "cover": BARE, "idle": True},
        {"id": "two", "start": "2027-10-16", "end": "2027-12-31", "units": units, "cover": BARE},
    ]
    return data


def test_a_cover_on_resting_ground_is_taken_at_the_highest_c_that_suffices():
    # one year's load is rest + rest of the year; choose R so that a cover of C 0.2 on the rest is just enough
    kinds = [practice("t", 0.0, kind="sediment trap"), practice("b", 0.0, kind="sediment basin", drainage_areas=[])]
    kinds[0]["drains_to"] = "b"
    data = site(practices=[k | {"efficiency": 1e-12} for k in kinds])  # so that no practice is proposed
    load = sc.sediment_load(built(data))
    rest = sum(t for p, t in zip(load.columns["phase"], load.columns["discharge_tons"], strict=True) if p == "rest")
    total = load.totals.discharged
    data["location"]["R"] *= 5.0 * 2.0 / (total - 0.8 * rest) * (1 - 1e-9)
    ruling = sc.check_compliance(sc.sediment_load(built(data)))
    found = ruling.measures
    assert ruling.status == "exceeds"
    assert [(m.kind, m.name, m.place) for m in found.fewest] == [("cover", "straw mulch 1.5 t/ac tacked", "rest")]
    assert found.fewest_tons_per_acre_per_year == pytest.approx(5.0, rel=1e-6)
    alone = [m for m in found.one_at_a_time if m.place in ("one", "two")]
    assert alone  # covers on worked ground are tried, and not among the fewest: the result says by which rule
    assert found.worked_ground == "left out"
    facts = {f.topic: f.text for f in ruling.explanation_facts}
    assert "without a cover on ground that is worked (it can lie only while the work rests" in facts["measures"]


def test_covers_on_worked_ground_only_where_the_rest_does_not_suffice():
    data = site(R=1000)  # 80 % of a trap and 80 % of a basin are not enough with the ground at rest covered
    data["ground_units"][0] |= {"slope_pct": 30, "length": 300}
    found = sc.check_compliance(sc.sediment_load(built(data))).measures
    places = {m.place for m in found.fewest if m.kind == "cover"}
    assert places & {"one", "two"}
    assert found.worked_ground == "needed"
    assert found.of_fewest.endswith("since without these nothing suffices")
    assert all("not worked" in m.conditions for m in found.fewest if m.place in ("one", "two"))


def test_where_all_together_do_not_suffice_it_is_said():
    data = site(R=1000)
    data["ground_units"][0] |= {"slope_pct": 60, "length": 900}  # steeper than any mulch of the tables is given for
    found = measures(sc.sediment_load(built(data)), STANDARD)
    assert found.fewest is None
    assert found.fewest_tons_per_acre_per_year > 5
    steep = {m.name for m in found.one_at_a_time if m.kind == "cover"}
    assert "hay mulch 2.0 t/ac" not in steep


def test_a_practice_of_a_kind_that_earns_credit_is_not_proposed_again():
    trapped = site(practices=[practice("t", 0.5, kind="sediment trap")], R=1000)
    found = measures(sc.sediment_load(built(trapped)), STANDARD)
    assert {m.name for m in found.one_at_a_time if m.kind == "practice"} == {"sediment basin, sized by WDNR 1064"}
    assert any("earns credit there already" in said for said in found.left_out)
    basin = next(m for m in found.one_at_a_time if m.kind == "practice")
    load = sc.sediment_load(with_measures(built(trapped), [basin]))
    assert sc.check_compliance(load).tons_per_acre_per_year == pytest.approx(basin.tons_per_acre_per_year, rel=1e-9)
    undersized = {"size_rule": "sediment trap", "surface_area": 100, "kind": "sediment trap"}
    small = practice("t", 0.5, **undersized)
    del small["efficiency"], small["source"]
    found = measures(sc.sediment_load(built(site(practices=[small], R=1000))), STANDARD)
    assert "sediment trap, sized by WDNR 1063" in {m.name for m in found.one_at_a_time}


def test_a_basin_beyond_its_rule_is_left_out():
    data = site()
    data["ground_units"][0]["area"] = 101
    found = measures(sc.sediment_load(built(data)), STANDARD)
    assert any("up to 100" in said for said in found.left_out)  # WDNR 1064: up to 100 acres
    assert {m.name for m in found.one_at_a_time if m.kind == "practice"} == {"sediment trap, sized by WDNR 1063"}


def test_without_texture_the_size_is_given_for_each_group():
    data = site()
    data["soils"] = [{"id": "loam", "K": 0.3, "K_source": "test"}]
    found = measures(sc.sediment_load(built(data)), STANDARD)
    size = next(m.size for m in found.one_at_a_time if m.name.startswith("sediment trap"))
    assert "1,250 ft2 on coarse" in size  # 625 ft2 per acre x 2 acres
    assert "10,600 ft2 on fine" in size


def test_where_the_site_is_ruled_on_practices_go_where_they_bring_most(tmp_path):
    from sedcalc.tables import data_folder

    text = (data_folder() / "ordinances" / "hales_corners_445.toml").read_text(encoding="utf-8")
    text = text.replace('id = "hales_corners_445"', 'id = "elsewhere"')
    (tmp_path / "e.toml").write_text(text.replace('scope = "each_drainage_area"', 'scope = "site"'), encoding="utf-8")
    data = site(("A", "B"), resting=0, R=60)
    data["ground_units"][1]["slope_pct"] = 12
    for phase in data["phases"]:
        phase["cover"] = {"C": 0.2, "source": "test"}
    ruling = sc.check_compliance(sc.sediment_load(built(data)), sc.load_ordinance("e.toml", tmp_path))
    assert ruling.status == "exceeds"
    assert [m.place for m in ruling.measures.fewest if m.kind == "practice"][:1] in ([], ["B"])
    practices = {m.place: m.tons_per_acre_per_year for m in ruling.measures.one_at_a_time if m.kind == "practice"}
    assert practices["B"] < practices["A"]


def test_an_average_year_is_measured_as_it_is_ruled():
    from dataclasses import replace

    data = site()
    data["ground_units"][0]["stabilized"] = data["phases"][2]["end"] = "2028-12-31"
    load = sc.sediment_load(built(data))
    average = replace(STANDARD, figure="average_year")
    found = measures(load, average)
    trap = next(m for m in found.one_at_a_time if m.name.startswith("sediment trap"))
    assert trap.tons_per_acre_per_year == pytest.approx(0.2 * load.windows.average[0].tons_per_acre, rel=1e-12)


def test_nothing_is_proposed_where_the_limit_is_met_and_the_facts_know_what_they_do_not_know():
    met = sc.check_compliance(sc.sediment_load(built(site(R=1))))
    assert met.measures is None
    assert met.explanation_facts == ()
    exceeded = sc.check_compliance(sc.sediment_load(built(site())))
    facts = {f.topic: f for f in exceeded.explanation_facts}
    assert exceeded.measures is exceeded.measures  # computed once
    code = sc.load_ordinance("hales_corners_445")
    assert {f.text for f in code.mep_factors} <= set(facts)
    assert not facts["cost effectiveness"].known
    assert facts["geographic features"].known
    assert "not submitted" in facts["explanation"].text
    excess = exceeded.tons_per_acre_per_year - 5
    assert f"exceed 5 by {excess:.2f}" in facts["figure"].text


def test_on_a_grid_covers_and_practices_bring_what_the_whole_calculation_gives():
    site = sc.read_site(sc.example("graded_pad/site.toml")).model_copy(update={"practices": ()})
    ruling = ruling_of(site)
    found = ruling.measures
    trap = next(m for m in found.one_at_a_time if m.kind == "practice")
    grading = next(m for m in found.one_at_a_time if m.place == site.phases[1].id)
    phases = list(site.phases)
    phases[1] = phases[1].model_copy(update={"cover": phases[1].cover.model_copy(update={"name": grading.name})})
    covered = ruling_of(site.model_copy(update={"phases": tuple(phases)}))
    assert covered.tons_per_acre_per_year == pytest.approx(grading.tons_per_acre_per_year, rel=1e-9)
    added = practice("trap", trap.value, drainage_areas=[{"id": trap.place}])
    with_trap = built(site_data(practices=[added])).practices
    trapped = sc.sediment_load(site.model_copy(update={"practices": with_trap}))
    assert sc.check_compliance(trapped).tons_per_acre_per_year == pytest.approx(trap.tons_per_acre_per_year, rel=1e-9)


def test_the_clause_on_steep_slopes_stands_with_the_finding_on_the_cells():
    ruling = ruling_of(sc.read_site(sc.example("graded_pad/site.toml")))
    assert next(f for f in ruling.findings if f.code == "slopes-20-percent").clause == "445-6.9C(3)(c)"
