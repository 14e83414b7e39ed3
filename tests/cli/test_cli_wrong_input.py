"""Wrong site files: exit code 2, and a message that names field, value and remedy, all at once."""

import json
import shutil
from copy import deepcopy

import pytest

from sedcalc.io.examples import example

MISTAKES = {
    "end before start": ("phases", 0, "end", "2027-04-01", "phases[0].end", "2027-04-01"),
    "unknown texture": ("soils", 0, "texture", "silt lome", "soils[0].texture", "silt loam"),
    "unknown drainage area": ("ground_units", 0, "drainage_area", "wset", "ground_units[0].drainage_area", "'west'"),
    "negative area": ("ground_units", 0, "area", -2.0, "ground_units[0].area", "-2"),
    "zero area": ("ground_units", 0, "area", 0, "ground_units[0].area", "above 0"),
    "length over 1,000 ft": ("ground_units", 0, "length", 1200, "ground_units[0].length", "1200"),
    "slope over 60 %": ("ground_units", 0, "slope_pct", 61, "ground_units[0].slope_pct", "61"),
    "true for a number": ("ground_units", 0, "area", True, "ground_units[0].area", "true"),
    "text for a number": ("ground_units", 0, "area", "12", "ground_units[0].area", '"12"'),
    "a date of 0": ("phases", 0, "start", 0, "phases[0].start", "YYYY-MM-DD"),
    "a date that is none": ("phases", 0, "start", "2027-02-29", "phases[0].start", "2027-02-29"),
    "never stabilized": ("ground_units", 0, "stabilized", None, "ground_units[0].stabilized", "stabilized"),
    "unknown unit": ("phases", 0, "units", ["padd"], "phases[0].units[0]", "'pad'"),
    "efficiency over 1": ("practices", 0, "efficiency", 80, "practices[0].efficiency", "80"),
    "no source": ("practices", 0, "source", None, "practices[0].source", "source"),
    "unknown field": ("soils", 0, "K_sorce", "x", "soils[0].K_sorce", "K_source"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_names_field_value_and_remedy(sedcalc, written, site, name):
    part, index, field, value, where, said = MISTAKES[name]
    if field == "texture":
        site["soils"][0] = {"id": "soil", "organic_matter_pct": 2}
    site[part][index][field] = value
    if value is None:
        del site[part][index][field]
    path = written(site)
    answer = sedcalc("run", path)
    assert (answer.code, answer.out) == (2, "")
    lines = [line for line in answer.err.splitlines() if line.startswith(f"error: {where}: ")]
    assert lines, answer.err
    assert said in lines[0]
    found = sedcalc("run", path, "--json")
    assert (found.code, found.err) == (2, "")
    assert found.object["format"] == "sedcalc.run/1"
    assert found.object["status"] == "cannot_be_determined"
    assert found.object["tons_per_acre_per_year"] is None
    assert where in [f["where"] for f in found.object["findings"]]


def test_wrong_places(sedcalc, written, site):
    for location, where, said in (
        ({"county": "Milwauke, WI"}, "location.county", "Milwaukee"),
        ({"county": "Los Angeles, CA"}, "location.county", "R"),
        ({"ei_zone": 141, "R": 100, "R_source": "x"}, "location.ei_zone", "140"),
        ({"ei_zone": 101, "R": 100}, "location.R_source", "source"),
        ({}, "location", "county"),
    ):
        site["location"] = location
        answer = sedcalc("run", written(site))
        assert answer.code == 2
        assert any(f"error: {where}" in line and said in line for line in answer.err.splitlines()), answer.err


def test_two_phases_on_one_unit_on_one_day(sedcalc, written, site):
    site["phases"].append({**site["phases"][0], "id": "again", "start": "2027-07-31", "end": "2027-08-10"})
    answer = sedcalc("run", written(site))
    assert answer.code == 2
    assert "2027-07-31" in answer.err
    assert "'grading'" in answer.err


def test_one_mistake_of_every_kind_in_one_file_and_all_are_reported(sedcalc, written, site):
    site["location"] = {"county": "Milwauke, WI"}
    site["soils"] = [{"id": "soil", "texture": "silt lome", "organic_matter_pct": 2}]
    site["colour"] = "red"
    good = site["ground_units"][0]
    units = ("negative", "true", "text", "long", "steep", "never", "stray")
    site["ground_units"] = [{**deepcopy(good), "id": name} for name in units]
    site["ground_units"][0]["area"] = -1.0
    site["ground_units"][1]["area"] = True
    site["ground_units"][2]["area"] = "12"
    site["ground_units"][3]["length"] = 1001
    site["ground_units"][4]["slope_pct"] = 60.5
    del site["ground_units"][5]["stabilized"]
    site["ground_units"][6]["drainage_area"] = "nowhere"
    phase = site["phases"][0]
    site["phases"] = [
        {**phase, "units": list(units)},
        {**phase, "id": "backwards", "start": "2027-09-30", "end": "2027-09-01"},
        {**phase, "id": "zero", "start": 0},
        {**phase, "id": "twice", "units": ["long"], "start": "2027-07-15", "end": "2027-08-15"},
        {**phase, "id": "cover", "units": ["stray"], "start": "2027-09-01", "end": "2027-09-30", "cover": "bare sole"},
    ]
    site["practices"][0]["efficiency"] = 1.8
    found = sedcalc("run", written(site), "--json").object
    expected = {
        "location.county", "soils[0].texture", "colour", "ground_units[0].area", "ground_units[1].area",
        "ground_units[2].area", "ground_units[3].length", "ground_units[4].slope_pct", "ground_units[5].stabilized",
        "ground_units[6].drainage_area", "phases[1].end", "phases[2].start", "phases[3].start", "phases[4].cover",
        "practices[0].efficiency",
    }  # fmt: skip
    places = {f["where"] for f in found["findings"] if f["severity"] == "error"}
    assert expected <= places, expected - places
    assert f"{len([f for f in found['findings'] if f['severity'] == 'error'])} mistakes" in found["reason"]
    text = sedcalc("run", written(site)).err
    assert all(f"error: {where}: " in text for where in expected)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_in_json(sedcalc, written, site, constant):
    text = json.dumps(site).replace('"area": 2.0', f'"area": {constant}')
    assert constant in text
    answer = sedcalc("run", written(text))
    assert (answer.code, answer.out) == (2, "")
    assert "ground_units[0].area" in answer.err
    assert "finite" in answer.err


def test_a_key_that_stands_twice(sedcalc, written, site):
    text = json.dumps(site).replace('"area": 2.0', '"area": 2.0, "area": 3.0')
    answer = sedcalc("run", written(text))
    assert answer.code == 2
    assert "'area'" in answer.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("[]", "table"),
        ("{", "JSON"),
        ("null", "nothing"),
        ("[" * 100_000, "nested"),
        ('{"a":' * 100 + "1" + "}" * 100, "nested"),
        ("9" * 10_000, "JSON"),
    ],
)
def test_what_is_no_site(sedcalc, written, text, said):
    answer = sedcalc("run", written(text))
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1


def test_200_megabytes_of_garbage_are_refused_by_size(sedcalc, tmp_path):
    path = tmp_path / "garbage.json"
    with open(path, "wb") as file:
        file.truncate(200_000_000)
    answer = sedcalc("run", path, "--json")
    assert answer.code == 2
    assert [f["code"] for f in answer.object["findings"]] == ["file-too-large"]
    assert "200,000,000" in answer.object["findings"][0]["message"]


def test_a_hundred_thousand_mistakes_do_not_flood_the_terminal(sedcalc, written, site):
    site["soils"] = [{"id": i} for i in range(3000)]
    answer = sedcalc("run", written(site))
    assert answer.code == 2
    assert len(answer.err.splitlines()) == 201
    assert "--json lists all" in answer.err.splitlines()[-1]


@pytest.mark.parametrize("kind", ["folder", "missing", "below a file", "too long", "no ending"])
def test_what_cannot_be_read(sedcalc, tmp_path, kind):
    (tmp_path / "file").write_text("x")
    path = {
        "folder": tmp_path,
        "missing": tmp_path / "site.toml",
        "below a file": tmp_path / "file" / "site.toml",
        "too long": tmp_path / f"{'x' * 300}.toml",
        "no ending": tmp_path / "file",
    }[kind]
    answer = sedcalc("run", path)
    assert (answer.code, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == 1
    assert str(path) in answer.err


@pytest.mark.parametrize("flag", [(), ("--json",)])
def test_a_mistake_in_the_site_file_does_not_hide_those_in_its_rasters(process, tmp_path, flag):
    """They are opened in the worker, which answers for the command."""
    folder = tmp_path / "site"
    shutil.copytree(example("graded_pad/site.toml").parent, folder)
    text = (folder / "site.toml").read_text()
    (folder / "wrong.toml").write_text(
        text.replace('"Milwaukee, WI"', '"Milwauke, WI"').replace("graded.tif", "no.tif")
    )
    for command in ("run", "verify"):
        answer = process(command, folder / "wrong.toml", *flag)
        assert answer.code == 2
        assert "looking into the rasters and polygons of the site ..." in answer.err
        said = answer.object["findings"] if flag else answer.err
        where = (
            {f["where"] for f in said} if flag else {line.split(": ")[1] for line in said.splitlines() if ": " in line}
        )
        assert {"location.county", "phases[1].dem"} == where


LOSS = ("loss-grid", "--r", "100", "--k", "0.3", "--c", "1", "--p", "1", "--out", "{folder}/ls.tif")
FILES = {
    "empty": b"",
    "blank": b" \n\n",
    "binary": bytes(range(256)) * 20,
    "10 MB": b"a" * 10_000_000,
    "other": b"x = 1\n",
}


@pytest.mark.parametrize("content", FILES)
@pytest.mark.parametrize(
    ("ending", "command"),
    [
        (".toml", ("run", "{file}")),
        (".json", ("run", "{file}")),
        (".xlsx", ("run", "{file}")),
        (".txt", ("run", "{file}")),
        (".toml", ("verify", "{file}")),
        (".json", ("report", "{file}", "--out", "{folder}/plan.html")),
        (".json", ("replay", "{file}")),
        (".csv", ("inspections", "{site}", "--rain", "{file}", "--units", "in")),
        (".tif", ("ls-grid", "{file}", "--out", "{folder}/ls.tif")),
        (".tif", (*LOSS, "--ls", "{file}")),
        (".geojson", (*LOSS, "--ls", "{dem}", "--zones", "{file}")),
        (".geojson", ("ls-grid", "{dem}", "--z-units", "m", "--barriers", "{file}", "--out", "{folder}/ls.tif")),
    ],
)
def test_files_that_are_something_else(sedcalc, tmp_path, content, ending, command):
    path = tmp_path / f"file{ending}"
    path.write_bytes(FILES[content])
    names = {"file": path, "folder": tmp_path, "site": example("hales_corners_subdivision.toml")}
    names["dem"] = example("graded_pad/site.toml").parent / "existing.tif"
    answer = sedcalc(*(a.format(**names) for a in command))
    errors = [line for line in answer.err.splitlines() if line.startswith("error: ")]
    assert (answer.code, answer.out) == (2, "")
    assert errors
    assert "Traceback" not in answer.err
    assert max(map(len, errors)) < 500
    assert not list(tmp_path.glob("*.html")) + list(tmp_path.glob("ls.tif"))
