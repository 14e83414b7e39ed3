import copy

import pytest

from builders import EVEN, built, practice, site_data
from sedcalc.site.checks import check_site
from sedcalc.site.parsing import parse_site


def found(data, severity="error"):
    site, shape = parse_site(data)
    return {(f.code, f.where) for f in [*shape, *check_site(site)] if f.severity == severity}


def changed(path, value):
    data = copy.deepcopy(site_data())
    *steps, last = path
    part = data
    for step in steps:
        part = part[step]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return data


UNIT = ("ground_units", 0)
PHASE = ("phases", 0)

CLASSES = dict.fromkeys(("clay", "silt", "small_aggregates", "large_aggregates", "sand"), 0.5) | {"source": "t"}
BY_CLASS = {"class_efficiencies": CLASSES}
SETTLING = {"settling": "overflow rate"}
BARE = {"C": 1.0, "source": "t"}
BARE_B = {"drainage_areas": ["B"]}
GROWN = {"establishes": {"sown": "2027-05-01", "established": "2027-07-10", "C": 0.1, "source": "t"}}


def part(area, share):
    return {"drainage_areas": [{"id": area, "share": share}]}


MISTAKES = [
    (("ordinance",), "hales_corner", "unknown-ordinance", "ordinance"),
    (("ordinance",), "no_such_file.toml", "unknown-ordinance", "ordinance"),
    (("location", "ei_zone"), None, "missing-ei-zone", "location.ei_zone"),
    (("location", "R_source"), None, "missing-source", "location.R_source"),
    (("location", "R"), 2000, "R-out-of-range", "location.R"),
    (("location", "R"), None, "missing-R", "location.R"),
    (("location", "county"), "Millwakee, WI", "unknown-county", "location.county"),
    (("location", "county"), "Maricopa, AZ", "county-r-west", "location.county"),
    (("location", "ei_distribution"), EVEN, "one-way-only", "location"),
    (("soils", 0, "K_source"), None, "missing-source", "soils[0].K_source"),
    (("soils", 0, "K"), 0.9, "K-out-of-range", "soils[0].K"),
    (("soils", 0, "K"), None, "missing-field", "soils[0].organic_matter_pct"),
    (("soils", 0), {"id": "loam", "texture": "marl", "organic_matter_pct": 2}, "unknown-texture", "soils[0].texture"),
    (("soils", 0), {"id": "loam", "texture": "clay", "organic_matter_pct": 2}, "K-is-a-range", "soils[0].texture"),
    (("soils", 0), {"id": "loam"}, "missing-K", "soils[0]"),
    ((*UNIT, "slope_pct"), 61, "slope-over-limit", "ground_units[0].slope_pct"),
    ((*UNIT, "length"), 1001, "length-over-limit", "ground_units[0].length"),
    ((*UNIT, "length"), None, "missing-field", "ground_units[0].length"),
    ((*UNIT, "area"), None, "missing-field", "ground_units[0].area"),
    ((*UNIT, "soil"), "sand", "unknown-soil", "ground_units[0].soil"),
    ((*UNIT, "drainage_area"), "B", "unknown-drainage-area", "ground_units[0].drainage_area"),
    ((*UNIT, "stabilized"), None, "never-stabilized", "ground_units[0].stabilized"),
    ((*UNIT, "stabilized"), "2027-06-01", "stabilized-too-early", "ground_units[0].stabilized"),
    ((*UNIT, "final_cover"), None, "missing-field", "ground_units[0].final_cover"),
    ((*UNIT, "final_cover"), "gravle", "unknown-cover", "ground_units[0].final_cover"),
    ((*UNIT, "final_cover"), {"C": 0.1}, "missing-source", "ground_units[0].final_cover"),
    ((*UNIT, "final_cover"), {"source": "x"}, "one-way-only", "ground_units[0].final_cover"),
    ((*PHASE, "end"), "2026-12-31", "end-before-start", "phases[0].end"),
    ((*PHASE, "units"), ["u2"], "unknown-ground-unit", "phases[0].units[0]"),
    ((*PHASE, "units"), ["u1", "u1"], "duplicate-id", "phases[0].units"),
    ((*PHASE, "cover"), {"raster": "c.tif", "source": "x"}, "raster-without-grid", "phases[0].cover"),
    ((*PHASE, "surface_condition"), "smooth", "unknown-surface-condition", "phases[0].surface_condition"),
    ((*PHASE, "dem"), "dem.tif", "unused-field", "phases[0].dem"),
    ((*PHASE, "slopes"), [{"unit": "u1"}], "missing-field", "phases[0].slopes[0]"),
    (("practices",), [practice("p", 1, **BARE_B)], "unknown-drainage-area", "practices[0].drainage_areas[0]"),
    (("practices",), [practice("p", 0.5, source=None)], "missing-source", "practices[0].source"),
    (("practices",), [practice("p", 0.5, drainage_areas=[])], "practice-without-inflow", "practices[0].drainage_areas"),
    (("practices",), [practice("p", 0.5, catalogue="x")], "one-way-only", "practices[0]"),
    (("practices",), [practice("p", 0.5, drains_to="q")], "unknown-practice", "practices[0].drains_to"),
    (("practices",), [practice("p", 0.5, end="2026-01-01")], "end-before-start", "practices[0].end"),
    (("practices",), [practice("p", 0.5, drains_to="p")], "practice-cycle", "practices[0].drains_to"),
    (("practices",), [practice("p", 0.5), practice("q", 0.5)], "drains-twice", "practices[1].drainage_areas"),
    (("practices",), [practice("p", 0.5, fence_length=100)], "unused-field", "practices[0].fence_length"),
    (("practices",), [practice("p", None, source=None, **SETTLING)], "missing-field", "practices[0].design_storm"),
    (("practices",), [practice("p", None, source=None, **BY_CLASS)], "needs-particle-classes", "practices[0]"),
    (("practices",), [practice("p", 1, **part("B", 0.5))], "unknown-drainage-area", "practices[0].drainage_areas[0]"),
    (("practices",), [practice("p", 0.5, **part("A", 0))], "out-of-range", "practices[0].drainage_areas[0].share"),
    (("practices",), [practice("p", 0.5, drainage_areas=[1])], "not-a-table", "practices[0].drainage_areas[0]"),
    (("practices",), [practice("p", 0.5, bypass=1.5)], "out-of-range", "practices[0].bypass"),
    (("combination",), "parallel", "not-a-choice", "combination"),
    (("soils", 0, "separates"), {"sand_pct": 9, "silt_pct": 60, "clay_pct": 10}, "sum-not-whole", "soils[0].separates"),
    (("soils", 0, "particle_classes"), CLASSES, "sum-not-whole", "soils[0].particle_classes"),
    ((*PHASE, "cover"), BARE | {"mat": "class I type Z"}, "unknown-erosion-mat", "phases[0].cover.mat"),
    ((*PHASE, "cover"), {"raster": "c.tif", "source": "t", **GROWN}, "one-way-only", "phases[0].cover"),
    ((*PHASE, "cover"), BARE | {"establishes": {"sown": "5/1"}}, "bad-value", "phases[0].cover.establishes.sown"),
    ((*PHASE, "idle"), "yes", "bad-value", "phases[0].idle"),
    (("windows",), [{"start": "2027-02-01", "end": "2027-01-01"}], "end-before-start", "windows[0].end"),
    (("grid",), {}, "one-way-only", "grid"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "code", "where"), MISTAKES)
def test_each_mistake_is_found_where_it_stands(path, value, code, where):
    assert (code, where) in found(changed(path, value))


def test_combination_by_class_asks_it_of_every_practice():
    data = site_data(combination="particle-classes", practices=[practice("p", 0.5)])
    assert found(data) == {("needs-class-efficiency", "practices[0]")}


def test_a_bare_text_and_a_table_name_the_same_drainage_area():
    both = [built(site_data(practices=[practice("p", 0.5, drainage_areas=[a])])) for a in ("A", {"id": "A"})]
    assert both[0] == both[1]


def test_the_site_they_are_made_from_has_none():
    assert found(site_data()) == set()


def test_one_mistake_of_every_kind_in_one_file_are_all_reported():
    data = site_data()
    data["location"] = {"county": "Maricopa, AZ"}
    data["units"] = "furlongs"
    data["soils"] = [{"id": "loam", "texture": "marl", "organic_matter_pct": 2}, {"id": "loam", "K": True}]
    data["ground_units"] += [
        {"id": "u2", "drainage_area": "A", "soil": "loam", "area": -1, "slope_pct": 61, "length": 1001},
        {"id": "u3", "drainage_area": "C", "soil": "loam", "area": "12", "slope_pct": float("nan"), "length": 10},
    ]
    data["phases"] += [
        {"id": "late", "start": "2027-12-31", "end": "2027-12-31", "units": ["u1"], "cover": "gravle"},
        {"id": "back", "start": "2028-02-01", "end": "2028-01-01", "units": ["u2"], "cover": "gravel"},
        {"id": "zero", "start": 0, "end": "2028-01-01", "units": ["u9"], "cover": "gravel"},
    ]
    expected = {
        ("unknown-texture", "soils[0].texture"),
        ("duplicate-id", "soils[1].id"),
        ("not-a-number", "soils[1].K"),
        ("not-a-choice", "units"),
        ("out-of-range", "ground_units[1].area"),
        ("slope-over-limit", "ground_units[1].slope_pct"),
        ("length-over-limit", "ground_units[1].length"),
        ("never-stabilized", "ground_units[1].stabilized"),
        ("not-a-number", "ground_units[2].area"),
        ("not-finite", "ground_units[2].slope_pct"),
        ("unknown-drainage-area", "ground_units[2].drainage_area"),
        ("phases-overlap", "phases[1].start"),
        ("unknown-cover", "phases[1].cover"),
        ("end-before-start", "phases[2].end"),
        ("bad-value", "phases[3].start"),
        ("unknown-ground-unit", "phases[3].units[0]"),
    }
    assert expected <= found(data)


def test_the_west_is_refused_whatever_the_units():
    assert ("county-r-west", "location.county") in found(changed(("location",), {"county": "Maricopa, AZ"}))


def test_a_value_in_the_other_unit_system_is_named_as_such():
    site = built(changed(("location", "R"), 1957))
    message = next(f.message for f in check_site(site) if f.code == "R-out-of-range")
    assert 'plausible in SI units; write units = "si"' in message


def test_phases_that_touch_do_not_overlap():
    data = site_data()
    second = {"id": "seed", "start": "2027-07-01", "end": "2027-12-31", "units": ["u1"], "cover": "gravel"}
    data["phases"][0]["end"] = "2027-06-30"
    data["phases"].append(second)
    assert found(data) == set()


def test_recalled_values_are_warned_of():
    data = changed((*PHASE, "surface_condition"), "compact and smooth surface")
    assert ("recalled-value", "phases[0].surface_condition") in found(data, "warning")


def test_a_value_that_goes_before_the_countys_and_contradicts_it_is_said():
    data = changed(("location", "county"), "Milwaukee, WI")
    data["location"] |= {"R": 20, "ei_zone": 5}
    found_codes = found(data, "warning")
    assert {("R-outside-county-range", "location.R"), ("ei-zone-not-the-countys", "location.ei_zone")} <= found_codes
    data["location"] |= {"R": 110, "ei_zone": 101}
    assert found(data, "warning") == set()


def test_a_K_that_goes_before_its_texture_and_is_unlike_it_is_said():
    data = changed(("soils", 0, "organic_matter_pct"), 2)
    assert found(data, "warning") == set()  # loam: 0.34 in the table, 0.3 given
    data["soils"][0]["K"] = 0.05
    assert found(data, "warning") == {("K-unlike-texture", "soils[0].K")}


def test_a_wrong_unit_system_does_not_hide_a_wrong_county():
    data = changed(("units",), "cubits")
    data["location"] = {"county": "Atlantis"}
    assert {("not-a-choice", "units"), ("unknown-county", "location.county")} <= found(data)
