import pytest

from builders import built, practice, site_data
from sedcalc.factors.soil_properties import TEXTURE_CLASSES
from sedcalc.site.practices import Route, practice_credit, practice_kind, routes
from sedcalc.tables import table

BASIN = {"surface_area": 5000, "peak_outflow": 0.61, "design_storm": "1-year, 24-hour"}
SEPARATES = {"sand_pct": 20, "silt_pct": 60, "clay_pct": 20}


def two_areas(practices, **changes):
    return built(
        site_data(
            drainage_areas=[{"id": "A", "outfall": "pond"}, {"id": "B", "outfall": "pond"}],
            practices=practices,
            **changes,
        )
    )


def ungiven(id, **changes):
    return practice(id, None, source=None, **changes)


def credit(practices, acres=1.0, number=0, **changes):
    return practice_credit(two_areas(practices, **changes), number, acres, {"loam": acres})


def test_routes_have_shares_and_what_no_practice_takes_goes_to_the_outfall():
    site = two_areas(
        [
            practice("trap", 0.5, drainage_areas=[]),
            practice("fence", 0.5, drainage_areas=[{"id": "A", "share": 0.6}], drains_to="trap"),
            practice("basin", 0.5, drainage_areas=[{"id": "A", "share": 0.3}, "B"]),
        ]
    )
    found, findings = routes(site)
    assert findings == []
    assert found["A"] == (Route(0.6, (1, 0)), Route(0.3, (2,)), Route(pytest.approx(0.1), ()))
    assert found["B"] == (Route(1.0, (2,)),)


def test_shares_that_add_to_one_in_print_leave_no_rest():
    parts = [practice(f"p{i}", 0.5, drainage_areas=[{"id": "A", "share": 0.1}]) for i in range(10)]
    found, findings = routes(two_areas(parts))
    assert findings == []
    assert [r.share for r in found["A"]] == [0.1] * 10


@pytest.mark.parametrize(
    ("shares", "wrong"), [((0.6, 0.6), True), ((1.0, 0.01), True), ((0.5, 0.5), False), ((0.2, 0.3), False)]
)
def test_more_than_all_of_a_drainage_area_is_an_error(shares, wrong):
    parts = [practice(f"p{i}", 0.5, drainage_areas=[{"id": "A", "share": s}]) for i, s in enumerate(shares)]
    findings = routes(two_areas(parts))[1]
    assert [(f.code, f.where) for f in findings] == ([("drains-twice", "practices[1].drainage_areas")] if wrong else [])


def test_circles_are_found_once_even_where_no_land_drains_to_them():
    parts = [practice(n, 0.5, drainage_areas=[], drains_to=t) for n, t in (("a", "b"), ("b", "c"), ("c", "b"))]
    parts.append(practice("self", 0.5, drains_to="self"))
    findings = routes(two_areas(parts))[1]
    assert [(f.code, f.where) for f in findings] == [
        ("practice-cycle", "practices[1].drains_to"),
        ("practice-cycle", "practices[3].drains_to"),
    ]
    assert "'b', 'c'" in findings[0].message


def test_drainage_areas_of_two_outfalls_in_one_practice_are_pointed_out():
    site = built(
        site_data(
            drainage_areas=[{"id": "A", "outfall": "east"}, {"id": "B", "outfall": "west"}],
            practices=[practice("a", 0.5, drains_to="b"), practice("b", 0.5, drainage_areas=["B"])],
        )
    )
    assert [(f.code, f.severity, f.where) for f in routes(site)[1]] == [
        ("outfalls-meet", "warning", "practices[1].drainage_areas")
    ]


def test_the_bypass_lowers_what_a_practice_traps_of_all_that_reaches_it():
    assert credit([practice("p", 0.8, bypass=0.25)]).efficiency == pytest.approx(0.6)
    assert credit([practice("p", 0.8, bypass=1.0)]).efficiency == 0.0
    sized = ungiven("p", size_rule="sediment trap", surface_area=1560, bypass=0.5)
    assert credit([sized]).efficiency == pytest.approx(0.4)


@pytest.mark.parametrize(("area", "earned"), [(1560.0, 0.8), (1559.0, 0.0)])  # standard 1063: 1,560 ft2/acre on loam
def test_a_trap_earns_its_credit_by_size(area, earned):
    found = credit([ungiven("p", size_rule="sediment trap", surface_area=area)])
    assert found.efficiency == earned
    assert [f.code for f in found.findings] == ([] if earned else ["too-small-for-credit"])


def test_the_trap_rule_goes_by_the_drained_soil_that_asks_for_most():
    soils = [{"id": i, "K": 0.3, "K_source": "t", "texture": t} for i, t in (("loam", "loam"), ("fine", "clay"))]
    parts = [ungiven("p", size_rule="sediment trap", surface_area=3000)]
    site = two_areas(parts, soils=soils)
    assert practice_credit(site, 0, 1.0, {"loam": 1.0}).efficiency == 0.8
    assert practice_credit(site, 0, 1.0, {"loam": 0.9, "fine": 0.1}).efficiency == 0.0  # 5,300 ft2
    coarse = two_areas([parts[0] | {"texture_group": "coarse"}], soils=soils)
    assert practice_credit(coarse, 0, 1.0, {"fine": 1.0}).efficiency == 0.8  # 625 ft2


def test_every_texture_class_has_a_trap_rule():
    rule = [r for r in table("size_rules").rows if r["practice"] == "sediment trap"]
    assert {r["texture"] for r in rule} == set(TEXTURE_CLASSES)


def test_a_basin_over_100_acres_is_beyond_the_rule():
    basin = ungiven("p", size_rule="sediment basin", **BASIN | {"surface_area": 10100}, settling_velocity=7.3e-5)
    assert credit([basin], 100.0).findings == ()
    assert [f.code for f in credit([basin], 100.1).findings] == ["drains-too-much"]


def test_a_practice_that_no_ground_drains_to_earns_nothing():
    assert credit([ungiven("p", size_rule="sediment trap", surface_area=100)], 0.0).efficiency == 0.0


def test_settling_by_class_by_hand():
    # Stokes at 20 C, nu 1.0016e-3/998.2071; 5,000 ft2, 0.61 ft3/s, factor 1.2; 20/60/20 has aggregates of 0.03 and
    # 0.4 mm and the classes of tests/factors/test_sediment.py.
    def stokes(d_mm, gravity):
        return 9.80665 * (gravity - 1) * (d_mm / 1000) ** 2 / (18 * 1.0016e-3 / 998.2071)

    area, flow = 5000 * 0.3048**2, 0.61 * 0.3048**3
    diameters = [(0.002, 2.60), (0.010, 2.65), (0.03, 1.80), (0.4, 1.60), (0.2, 2.65)]
    by_hand = [min(1.0, stokes(*d) * area / (1.2 * flow)) for d in diameters]
    soils = [{"id": "loam", "K": 0.3, "K_source": "t", "separates": SEPARATES}]
    found = credit([ungiven("p", settling="overflow rate", **BASIN)], soils=soils)
    assert found.method == "settling"
    assert found.by_class["loam"] == pytest.approx(by_hand, rel=1e-12)
    shares = [0.052, 0.24, 0.36, 0.282464, 0.065536]
    assert found.efficiency == pytest.approx(sum(s * e for s, e in zip(shares, by_hand, strict=True)), rel=1e-12)
    assert [(f.code, f.severity) for f in found.findings] == [("stokes-out-of-range", "note")]
    tiny = credit([ungiven("p", settling="overflow rate", **BASIN | {"surface_area": 10})], soils=soils)
    assert [(f.code, f.severity) for f in tiny.findings] == [("stokes-out-of-range", "warning")]


def test_settling_in_metres_is_the_same():
    soils = [{"id": "loam", "K": 0.03, "K_source": "t", "separates": SEPARATES}]
    metric = BASIN | {"surface_area": 5000 * 0.3048**2, "peak_outflow": 0.61 * 0.3048**3}
    here = credit([ungiven("p", settling="overflow rate", **BASIN)], soils=soils)
    there = credit([ungiven("p", settling="overflow rate", **metric)], soils=soils, units="si")
    assert there.by_class["loam"] == pytest.approx(here.by_class["loam"], rel=1e-12)


def test_what_a_practice_is():
    fence = ungiven("f", catalogue="silt fence, EPA average")
    trap = ungiven("t", size_rule="sediment trap", surface_area=1)
    named = practice("n", 0.5, kind="check dam")
    kinds = [practice_kind(p) for p in two_areas([fence, trap, named, practice("x", 0.5)]).practices]
    assert kinds == ["silt fence", "sediment trap", "check dam", None]
