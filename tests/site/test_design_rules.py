import pytest

from builders import built, practice, site_data
from sedcalc.site.design_rules import design_findings, fence_spacing_ft
from sedcalc.site.schedule import schedule


def found(data):
    site = built(data)
    return [(f.code, f.where) for f in design_findings(site, schedule(site))]


def fence(**changes):
    own = practice("f", 0.5, kind="silt fence", start="2027-01-01", end="2027-12-31") | changes
    return site_data(practices=[own])


@pytest.mark.parametrize(
    ("slope", "spacing"),
    [(1, 100), (1.99, 100), (2, 75), (4.9, 75), (5, 50), (9.9, 50), (10, 25), (33, 25), (33.1, 20), (60, 20), (0, 100)],
)
def test_spacing_by_slope(slope, spacing):  # Wisconsin technical standard 1056, Table 1
    assert fence_spacing_ft(slope)[0] == spacing


def test_a_fence_within_its_rules_is_not_mentioned():
    # 6 %: 50 ft; 2 acres ask for 800 ft of fence.
    assert found(fence(slope_length_above=50, fence_length=800)) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"slope_length_above": 51}, ("fence-spacing", "practices[0].slope_length_above")),
        ({"slope_length_above": 60, "slope_above_pct": 12}, ("fence-spacing", "practices[0].slope_length_above")),
        ({"fence_length": 799}, ("fence-area", "practices[0].fence_length")),
        ({"end": "2028-01-02"}, ("fence-life", "practices[0].end")),
    ],
)
def test_a_fence_beyond_its_rules(changes, expected):
    assert found(fence(**changes)) == [expected]


def test_a_share_of_the_ground_asks_for_a_share_of_the_fence():
    assert found(fence(fence_length=400, drainage_areas=[{"id": "A", "share": 0.5}])) == []
    assert found(fence(fence_length=399, drainage_areas=[{"id": "A", "share": 0.5}])) != []


def test_a_flatter_slope_above_the_fence_may_be_stated():
    assert found(fence(slope_length_above=75, slope_above_pct=4)) == []


def test_a_fence_below_a_trap_takes_concentrated_flow():
    data = fence(drainage_areas=[])
    data["practices"].append(practice("trap", 0.5, drains_to="f"))
    assert found(data) == [("fence-concentrated-flow", "practices[0].drains_to")]


def covered(cover, slope):
    data = site_data()
    data["phases"][0]["cover"] = cover
    data["ground_units"][0]["slope_pct"] = slope
    return data


@pytest.mark.parametrize(("slope", "beyond"), [(50, False), (51, True)])  # 2:1 or flatter
def test_mulch_on_slopes(slope, beyond):
    expected = [("cover-beyond-slope-limit", "phases[0].cover")] if beyond else []
    assert found(covered("hay mulch 2.0 t/ac", slope)) == expected
    grows = {"sown": "2027-05-01", "established": "2027-07-01", "name": "permanent seeding 90 % cover"}
    assert found(covered({"name": "hay mulch 2.0 t/ac", "establishes": grows}, slope)) == expected


@pytest.mark.parametrize(
    ("mat", "slope", "beyond"),  # Wisconsin technical standard 1052
    [
        ("class I type A", 40, False),
        ("class I type A", 41, True),
        ("class I urban type A", 26, True),
        ("class II type B", 50, False),
        ("class II type B", 49, True),
        ("class III", 60, False),
    ],
)
def test_mats_on_slopes(mat, slope, beyond):
    expected = [("mat-beyond-slope-limit", "phases[0].cover.mat")] if beyond else []
    assert found(covered({"C": 0.1, "source": "t", "mat": mat}, slope)) == expected


def test_segments_and_regraded_slopes_count_with_their_steepest():
    data = covered("hay mulch 2.0 t/ac", 6)
    data["phases"][0]["slopes"] = [
        {"unit": "u1", "segments": [{"length": 20, "slope_pct": 3}, {"length": 20, "slope_pct": 55}]}
    ]
    assert found(data) == [("cover-beyond-slope-limit", "phases[0].cover")]


@pytest.mark.parametrize(
    ("kind", "severity"),
    [
        ("sediment trap", None),
        ("Rock-lined trap at the culvert", None),
        ("silt fence", "warning"),
        ("sediment basin", "warning"),
        ("swale", "note"),
    ],
)
def test_a_kind_that_is_not_what_the_size_rule_credits(kind, severity):
    trap = practice("t", None, kind=kind, size_rule="sediment trap", surface_area=20000, source=None)
    site = built(site_data(practices=[{k: v for k, v in trap.items() if v is not None}]))
    found = [f for f in design_findings(site, schedule(site)) if f.code == "kind-differs"]
    assert [f.severity for f in found] == ([] if severity is None else [severity])
    assert all("size_rule 'sediment trap'" in f.message for f in found)
