"""Networks whose answer can be had by hand."""

import pytest

import sedcalc as sc
from builders import built, practice, site_data

FENCE = {"clay": 0.0, "silt": 0.4, "small_aggregates": 0.6, "large_aggregates": 1.0, "sand": 1.0, "source": "t"}
LOAM = {"clay": 0.1, "silt": 0.2, "small_aggregates": 0.3, "large_aggregates": 0.3, "sand": 0.1, "source": "t"}


def load(practices, **changes):
    return sc.sediment_load(built(site_data(practices=practices, **changes)))


def by_class(id, **changes):
    return practice(id, None, source=None, class_efficiencies=FENCE, **changes)


def soils():
    return [{"id": "loam", "K": 0.3, "K_source": "t", "particle_classes": LOAM}]


def test_side_by_side_each_takes_its_share():
    parts = [
        practice("big", 0.8, drainage_areas=[{"id": "A", "share": 0.6}]),
        practice("small", 0.5, drainage_areas=[{"id": "A", "share": 0.3}]),
    ]
    totals = load(parts).totals
    assert totals.trapped == pytest.approx({"big": 0.48 * totals.eroded, "small": 0.15 * totals.eroded}, rel=1e-12)
    assert totals.discharged == pytest.approx(0.37 * totals.eroded, rel=1e-12)


def test_side_by_side_then_together():
    parts = [
        practice("big", 0.8, drainage_areas=[{"id": "A", "share": 0.5}], drains_to="pond"),
        practice("pond", 0.5, drainage_areas=[{"id": "A", "share": 0.5}]),
    ]
    totals = load(parts).totals
    assert totals.trapped == pytest.approx({"big": 0.4 * totals.eroded, "pond": 0.3 * totals.eroded}, rel=1e-12)


def test_what_goes_past_a_practice_meets_the_next_one():
    parts = [practice("trap", 0.8, bypass=0.5, drains_to="pond"), practice("pond", 0.5, drainage_areas=[])]
    totals = load(parts).totals
    assert totals.trapped == pytest.approx({"trap": 0.4 * totals.eroded, "pond": 0.3 * totals.eroded}, rel=1e-12)


def test_only_the_single_best_is_credited():
    parts = [practice("fence", 0.5, drains_to="trap"), practice("trap", 0.8, drainage_areas=[])]
    totals = load(parts, combination="single-best").totals
    assert totals.discharged == pytest.approx(0.2 * totals.eroded, rel=1e-12)
    assert load(parts).totals.discharged == pytest.approx(0.1 * totals.eroded, rel=1e-12)
    assert load(parts, combination="single-best").provenance["methods"]["practices"].startswith("the single best")


def test_the_best_of_each_day_is_credited():
    parts = [
        practice("fence", 0.5, drains_to="trap"),
        practice("trap", 0.8, drainage_areas=[], start="2027-07-01"),
    ]
    halves = [{"start": "2027-01-01", "end": "2027-06-30"}, {"start": "2027-07-01", "end": "2027-12-31"}]
    bare = load([], windows=halves).asked
    kept = load(parts, windows=halves, combination="single-best").asked
    assert [k[2] / b[2] for k, b in zip(kept, bare, strict=True)] == pytest.approx([0.5, 0.2], rel=1e-12)


def test_a_second_fence_does_not_trap_the_fines_again():
    fences = [by_class("one", drains_to="two"), by_class("two", drainage_areas=[])]
    # By hand, per class: 0.1, 0.2 x 0.6^2, 0.3 x 0.4^2, 0, 0.
    totals = load(fences, combination="particle-classes", soils=soils()).totals
    assert totals.discharged == pytest.approx((0.1 + 0.072 + 0.048) * totals.eroded, rel=1e-12)
    assert totals.trapped["one"] == pytest.approx((0.08 + 0.18 + 0.4) * totals.eroded, rel=1e-12)
    assert totals.trapped["two"] == pytest.approx((0.048 + 0.072) * totals.eroded, rel=1e-12)
    # In series the second is credited as if it met what the first met: 0.66 twice.
    simple = load(fences, soils=soils()).totals
    assert simple.discharged == pytest.approx(0.34**2 * simple.eroded, rel=1e-12)


def test_each_soil_is_followed_by_itself():
    two = [*soils(), {"id": "sand", "K": 0.3, "K_source": "t", "particle_classes": LOAM | {"clay": 0.0, "sand": 0.2}}]
    data = site_data(soils=two, combination="particle-classes", practices=[by_class("one")])
    data["ground_units"].append(data["ground_units"][0] | {"id": "u2", "soil": "sand"})
    data["phases"][0]["units"] = ["u1", "u2"]
    found = sc.sediment_load(built(data))
    # By hand: 0.08 + 0.18 + 0.4 of loam; of sand 0.1 more.
    assert found.columns["efficiency"] == pytest.approx([0.66, 0.76], rel=1e-12)
    assert found.network.credits[0].efficiency == pytest.approx(0.71, rel=1e-12)


def test_settling_runs_through_a_whole_site():
    separates = {"sand_pct": 20, "silt_pct": 60, "clay_pct": 20}
    basin = {"settling": "overflow rate", "surface_area": 5000, "peak_outflow": 0.61, "design_storm": "1-year"}
    parts = [practice("basin", None, source=None, **basin)]
    for combination in ("series", "particle-classes"):
        found = load(
            parts, combination=combination, soils=[{"id": "loam", "K": 0.3, "K_source": "t", "separates": separates}]
        )
        credit = found.network.credits[0]
        assert 0.8 < credit.efficiency < 1.0
        assert found.totals.discharged == pytest.approx((1 - credit.efficiency) * found.totals.eroded, rel=1e-12)
        assert "stokes-out-of-range" in {f.code for f in found.findings}
        assert {"particle_classes", "size_rules"} <= set(found.provenance["tables"])
