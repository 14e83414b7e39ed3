"""``sedcalc soils``: map units with K, group and texture; soils of a site file; a K raster; wrong options."""

import csv
import json
import shlex
import tomllib
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from sedcalc.cli import soils
from soil_tables import COMPONENT, MAPUNIT, write_headed

WEST, NORTH = 420_000.0, 4_750_000.0
SURFACE_K = (60 * 0.32 + 30 * 0.28) / 90
"""K of map unit 100 at the surface by hand: the mean of its two soils, by their percents."""


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    folder = tmp_path / "survey"
    folder.mkdir()
    return write_headed(folder)


@pytest.fixture
def asked(survey: Path) -> list[object]:
    return ["soils", survey, "--source", "WI131, 2025", "--factor", "kffact", "--top", 0, "--bottom", 15]


def test_map_units_in_text_and_json(sedcalc, asked):
    text = sedcalc(*asked)
    assert text.code == 2  # water, which is asked for with all the others, has no K
    assert "100         0.3067     10 %  C (60 %)    silt loam (60 %)        Ozaukee-Urban land" in text.out
    assert "200              -    100 %  -           -                       Water" in text.out
    assert "kffact from 0 to 15 cm, mean by component percent and depth" in text.out
    assert "map unit 200: Water: 100 % has no kffact from 0 to 15 cm" in text.err
    answer = sedcalc(*asked, "--json")
    assert answer.code == 2
    found = answer.object
    assert (found["format"], found["factor"], found["depth_cm"]) == ("sedcalc.soils/1", "kffact", [0.0, 15.0])
    ozaukee, water, rock = found["map_units"]
    assert ozaukee["K"] == pytest.approx(SURFACE_K, rel=1e-13)
    assert ozaukee["missing_pct"] == pytest.approx(10.0)
    assert (ozaukee["hydrologic_group"], ozaukee["hydrologic_group_pct"]) == ("C", 60.0)
    assert water["K"] is None
    assert rock["K"] == 0.37
    assert {f["code"] for f in found["findings"]} == {"survey-part-missing", "survey-incomplete"}
    assert sedcalc(*asked, "--map-unit", 100, "--map-unit", 300).code == 0  # water is not asked for


def test_a_survey_has_no_name_but_the_one_that_is_given(sedcalc, survey):
    bare = ("soils", survey, "--factor", "kffact", "--top", 0, "--bottom", 15)
    answer = sedcalc(*bare, "--map-unit", 100, "--json")
    assert (answer.code, answer.object["findings"][0]["where"]) == (2, "--source")
    blank = sedcalc(*bare, "--map-unit", 100, "--source", " ", "--json")
    assert (blank.code, blank.object["findings"][0]["code"]) == (2, "missing-source")


def test_depth_factor_and_units(sedcalc, survey):
    # 4 to 12 inches below the surface are 10.16 to 30.48 cm: 9.84 of 20.32 cm in the first horizon of soil 1
    given = ["soils", survey, "--source", "x", "--factor", "kwfact", "--top", 4, "--bottom", 12, "--depth-units", "in"]
    found = sedcalc(*given, "--map-unit", 100, "--units", "si", "--json").object
    upper = (20.0 - 10.16) / 20.32
    us = (60 * (upper * 0.28 + (1.0 - upper) * 0.37) + 30 * 0.28) / 90
    (row,) = found["map_units"]
    assert row["K"] == pytest.approx(us * 0.1317, rel=2e-4)  # 1 US unit is 0.1317 t ha h/(ha MJ mm): Foster et al. 1981
    assert found["K_units"] == "t ha h/(ha MJ mm)"


def test_soils_go_into_a_site_file(sedcalc, asked, site, written):
    text = sedcalc(*asked, "--toml")
    assert text.code == 2
    found = tomllib.loads(text.out)["soils"]
    assert [soil["id"] for soil in found] == ["100", "300"]
    assert "# 200: Water\n# refused: 100 % is without K" in text.out
    assert found[0]["K"] == 0.3067
    assert found[0]["texture"] == "silt loam"
    assert "map unit 100 (Ozaukee-Urban land complex, 2 to 6 percent slopes): kffact, 0-15 cm" in found[0]["K_source"]
    site["soils"] = found
    site["ground_units"][0]["soil"] = "300"
    answer = sedcalc("run", written(site), "--json")
    assert answer.code in (0, 1)
    assert values_of(answer.object, "K")[:2] == [0.37, 0.37]  # of the phase and of the time after it
    assert found[1]["K_source"] in answer.out


def values_of(part: object, name: str) -> list[object]:
    """Return the values that a key has anywhere in a JSON object."""
    if isinstance(part, list):
        return [v for item in part for v in values_of(item, name)]
    if not isinstance(part, dict):
        return []
    return [v for key, item in part.items() for v in ([item] if key == name else values_of(item, name))]


@pytest.fixture
def raster(tmp_path: Path) -> list[object]:
    """A DEM of 2 x 4 cells of 100 m, and polygons of two map units that meet in its third column."""
    profile = {"driver": "GTiff", "height": 2, "width": 4, "count": 1, "dtype": "float64", "crs": "EPSG:26916"}
    dem = tmp_path / "dem.tif"
    with rasterio.open(dem, "w", **profile, transform=Affine(100, 0, WEST, 0, -100, NORTH)) as out:
        out.write(np.full((2, 4), 200.0), 1)
    features = []
    for key, west, east in ((100, 0, 240), (300, 240, 400)):
        x = WEST + west, WEST + east
        ring = [[x[0], NORTH], [x[1], NORTH], [x[1], NORTH - 200], [x[0], NORTH - 200], [x[0], NORTH]]
        geometry = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "properties": {"MUKEY": key}, "geometry": geometry})
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    polygons = tmp_path / "soils.geojson"
    polygons.write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}))
    return ["--polygons", polygons, "--dem", dem, "--z-units", "m"]


def test_a_raster_of_k(sedcalc, asked, raster, tmp_path):
    pytest.importorskip("exactextract")
    answer = sedcalc(*asked, *raster, "--out", tmp_path / "K.tif", "--json")
    assert answer.code == 0, answer.err
    assert answer.object["map_units"][0]["source"].startswith(
        "WI131, 2025, map unit 100 (Ozaukee-Urban land complex, 2 to 6 percent slopes)"
    )
    assert [row["mukey"] for row in answer.object["map_units"]] == ["100", "300"]  # those of the polygons
    assert answer.object["raster"] == {"out": str(tmp_path / "K.tif"), "cells": 8, "cells_with_K": 8}
    third = 0.4 * SURFACE_K + 0.6 * 0.37  # 40 m of 100 m in the first map unit
    with rasterio.open(tmp_path / "K.tif") as written:
        np.testing.assert_allclose(written.read(1), [[SURFACE_K, SURFACE_K, third, 0.37]] * 2, rtol=1e-6)
        tags = written.tags()
        assert tags["SOURCE"] == "WI131, 2025: kffact from 0 to 15 cm, mean by component percent and depth"
        assert tags["MAX_MISSING_PCT"] == "20"
        assert "10 % has no kffact" in tags["FINDINGS"]
    once = (tmp_path / "K.tif").read_bytes()
    text = sedcalc(*asked, *raster, "--out", tmp_path / "K.tif")
    assert f"written to {tmp_path / 'K.tif'}" in text.out
    assert (tmp_path / "K.tif").read_bytes() == once


def test_the_raster_serves_a_gridded_site(sedcalc, asked, raster, site, written, tmp_path):
    pytest.importorskip("exactextract")
    assert sedcalc(*asked, *raster, "--units", "us", "--out", tmp_path / "K.tif").code == 0
    profile = {"driver": "GTiff", "height": 2, "width": 4, "count": 1, "dtype": "float64", "crs": "EPSG:26916"}
    with rasterio.open(tmp_path / "ls.tif", "w", **profile, transform=Affine(100, 0, WEST, 0, -100, NORTH)) as out:
        out.write(np.ones((2, 4)), 1)
    del site["soils"], site["practices"]
    for name in ("soil", "area", "slope_pct", "length"):
        del site["ground_units"][0][name]
    site["grid"] = {"LS": "ls.tif", "K": "K.tif", "K_source": "survey, kffact, 0-15 cm"}
    result = sedcalc("run", written(site), "--json")
    assert result.code in (0, 1), result.err or result.out
    mean = (240 * SURFACE_K + 160 * 0.37) / 400  # over the site, by width
    assert values_of(result.object, "K")[:2] == [pytest.approx(mean, rel=1e-6)] * 2


def test_the_how_to_shows_what_is_printed(sedcalc):
    root = Path(__file__).resolve().parents[2]
    survey = root / "examples" / "graded_pad" / "soil_survey"
    page = (root / "docs" / "howto" / "soils.md").read_text("utf-8")
    given = ["soils", survey, "--factor", "kffact", "--top", 12, "--bottom", 30, "--depth-units", "in"]
    given += ["--source", "made-up survey"]
    assert f"```text\n{sedcalc(*given).out}```" in page
    toml = sedcalc(*given, "--toml").out
    assert toml.rpartition("\n\n")[2].split("\n", 1)[1] in page  # the last soil, below its comment
    # by hand: 85 % of 0.43, and 10 % of 0.28 to 60 cm, then 0.32, over 30.48 to 76.2 cm
    wet = (29.52 * 0.28 + 16.2 * 0.32) / 45.72
    assert f"upper       {(85 * 0.43 + 10 * wet) / 95:.4f}" in page


def test_help_has_sections_fits_the_screen_and_its_examples_run(sedcalc, survey, raster, monkeypatch):
    pytest.importorskip("exactextract")
    folder = survey.parent
    monkeypatch.chdir(folder)
    text = sedcalc("soils", "--help").out
    assert max(map(len, text.splitlines())) <= 80
    assert [line[:-1] for line in text.splitlines() if line.endswith(":") and line[0] != " "] == [
        *soils._SECTIONS,
        "Other",
        "Examples",
    ]
    keys = {"100": "422934", "300": "422937"}
    for name, rows, column in (("mapunit", MAPUNIT, 0), ("component", COMPONENT, 1)):
        with (survey / f"{name}.csv").open("w", newline="") as stream:
            changed = [[keys.get(v, v) if k == column else v for k, v in enumerate(row)] for row in rows]
            csv.writer(stream).writerows(changed)
    polygons = json.loads((folder / "soils.geojson").read_text())
    for feature in polygons["features"]:
        feature["properties"]["MUKEY"] = keys[str(feature["properties"]["MUKEY"])]
    (folder / "soils.geojson").write_text(json.dumps(polygons))
    (folder / "wi131").mkdir()
    survey.rename(folder / "wi131" / "tabular")
    files = {"gssurgo_wi.gpkg": "wi131/tabular", "soils.gpkg": "soils.geojson"}  # other forms of the same
    examples = text.partition("Examples:\n")[2].replace("\\\n", " ").splitlines()
    assert len(examples) == 3
    for line in examples:
        words = [files.get(word, word) for word in shlex.split(line)[1:]]
        answer = sedcalc(*words, *(["--z-units", "m"] if "--dem" in words else []))
        # the first asks for all map units, water among them; the second for one with too little K below 12 in
        assert answer.code == (0 if "--dem" in words else 2), answer.err
        assert answer.out


def test_wrong_options_and_files(sedcalc, asked, survey, raster, tmp_path):
    both = sedcalc(*asked, "--toml", "--json")
    assert (both.code, both.object["findings"][0]["code"]) == (2, "one-output")
    lonely = sedcalc(*asked, "--attribute", "KEY", "--crs", "EPSG:26916", "--json")
    assert lonely.code == 2
    assert [f["where"] for f in lonely.object["findings"]] == ["--attribute", "--crs"]
    half = sedcalc(*asked, *raster, "--json")
    assert (half.code, half.object["findings"][0]["where"]) == (2, "--out")
    only = sedcalc(*asked, "--out", tmp_path / "K.tif", "--json")
    assert [f["where"] for f in only.object["findings"]] == ["--polygons", "--dem"]
    over = sedcalc(*asked, *raster, "--out", tmp_path / "dem.tif", "--json")
    assert (over.code, over.object["findings"][0]["code"]) == (2, "out-is-input")
    with rasterio.open(tmp_path / "dem.tif") as kept:
        assert kept.read(1).min() == 200.0
    unknown = sedcalc(*asked, "--map-unit", "999", "--json")
    assert (unknown.code, unknown.object["findings"][0]["where"]) == (2, "--map-unit")
    deep = sedcalc("soils", survey, "--source", "x", "--factor", "kffact", "--top", 30, "--bottom", 15, "--json")
    assert (deep.code, deep.object["findings"][0]["where"]) == (2, "--top")
    bare = ("soils", survey, "--source", "x", "--top", 0, "--bottom", 15)
    rock = sedcalc(*bare, "--factor", "kwfact", "--rock-cover", "--json")
    assert rock.object["findings"][0]["code"] == "rock-counted-twice"
    none = sedcalc(*asked, "--map-unit", 200, "--json")
    assert (none.code, none.object["findings"][0]["code"]) == (2, "survey-incomplete")
    absent = sedcalc("soils", tmp_path / "nowhere", *bare[2:], "--factor", "kffact")
    assert absent.code == 2
    assert "Traceback" not in absent.err
    assert not (tmp_path / "K.tif").exists()


def test_map_units_come_in_the_order_of_the_survey_and_foreign_polygons_are_refused(sedcalc, asked, raster, survey):
    pytest.importorskip("exactextract")
    with (survey / "mapunit.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([MAPUNIT[0], MAPUNIT[3], MAPUNIT[2], MAPUNIT[1]])
    out = survey.parent / "K.tif"
    found = sedcalc(*asked, *raster, "--out", out, "--json").object
    assert [row["mukey"] for row in found["map_units"]] == ["300", "100"]
    with (survey / "mapunit.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(MAPUNIT[:2])
    out.unlink()
    refused = sedcalc(*asked, *raster, "--out", out, "--json")
    assert refused.code == 2
    assert "not in the survey, first 300" in refused.object["findings"][0]["message"]
    assert not out.exists()


def test_names_of_a_survey_cannot_steer_the_terminal(sedcalc, asked, survey):
    with (survey / "mapunit.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([MAPUNIT[0], ("100", "x", 'a\x1b[31m"b')])
    assert "\x1b" not in sedcalc(*asked).out
    shown = sedcalc(*asked, "--toml").out
    assert "\x1b" not in shown
    assert 'a\\x1b[31m"b' in tomllib.loads(shown)["soils"][0]["K_source"]
