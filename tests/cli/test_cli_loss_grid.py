"""``sedcalc loss-grid``: its table in every form, against the same through Python, and what it refuses."""

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

import sedcalc as sc

WEST, NORTH = 420_000.0, 4_750_000.0


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """LS and classes of 30 x 40 cells of 10 m, two zones, one of them with cells without LS."""
    rng = np.random.default_rng(3)
    ls = rng.uniform(0.1, 5.0, (30, 40)).astype(np.float32)
    ls[20:22] = np.nan
    classes = np.repeat(np.uint8([11, 42]), 20)[None].repeat(30, 0)
    for name, values in (("ls", ls), ("classes", classes)):
        profile = {"driver": "GTiff", "height": 30, "width": 40, "count": 1, "dtype": values.dtype, "crs": "EPSG:26916"}
        with rasterio.open(
            tmp_path / f"{name}.tif", "w", **profile, transform=Affine(10, 0, WEST, 0, -10, NORTH)
        ) as out:
            out.write(values, 1)
    features = []
    for name, top, bottom in (("north", 0, 150), ("south", 150, 300)):
        ring = [[WEST, NORTH - top], [WEST + 400, NORTH - top], [WEST + 400, NORTH - bottom], [WEST, NORTH - bottom]]
        shape = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
        features.append({"type": "Feature", "properties": {"id": name, "code": name}, "geometry": shape})
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    content = {"type": "FeatureCollection", "crs": crs, "features": features}
    (tmp_path / "zones.geojson").write_text(json.dumps(content))
    return tmp_path


def test_text_json_and_csv_are_those_of_the_function(sedcalc, files):
    ls, zones, out, table = (files / n for n in ("ls.tif", "zones.geojson", "loss.tif", "loss.csv"))
    args = ["loss-grid", "--r", 115, "--k", 0.32, "--ls", ls, "--c", "mass grading=1", "--c", "mulch=0.12", "--p", 0.9]
    args += ["--zones", zones, "--attribute", "code", "--classes", files / "classes.tif", "--out", out, "--csv", table]
    answer = sedcalc(*args, "--json")
    assert answer.code == 0, answer.err
    found = sc.soil_loss_of_rasters(
        115, 0.32, ls, {"mass grading": 1, "mulch": 0.12}, 0.9, zones=zones, classes=files / "classes.tif"
    )
    assert answer.object["format"] == "sedcalc.loss-grid/1"
    assert answer.object["rows"] == found.rows()
    assert answer.object["rasters"][0]["cells_without_value"] == 80
    assert [f["code"] for f in answer.object["findings"]] == ["cells-without-value"]
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["tons_per_year"]) for row in rows] == found.tons_per_year.tolist()
    assert [(row["phase"], row["zone"], row["class"]) for row in rows[:3]] == [
        ("mass grading", "north", "11"),
        ("mass grading", "north", "42"),
        ("mass grading", "south", "11"),
    ]
    first = out.read_bytes()
    text = sedcalc(*args)
    assert text.code == 0
    assert out.read_bytes() == first
    lines = text.out.splitlines()
    assert max(len(line) for line in lines if "written" not in line and "LS" not in line) <= 80
    assert [line for line in lines if line.startswith("phase")] == ["phase mass grading", "phase mulch"]
    total = found.tons_per_year[:4].sum()
    assert any(line.startswith("together") and f"{total:,.2f}" in line for line in lines)
    assert "80 cells (1.977 acres) of zone 'south'" in text.err  # 80 x 100 m2 / 4046.8564224 m2


def test_a_file_may_have_an_equals_sign_in_its_name(sedcalc, files, monkeypatch):
    monkeypatch.chdir(files)
    (files / "ls=1.tif").write_bytes((files / "ls.tif").read_bytes())
    answer = sedcalc("loss-grid", "--r", 100, "--k", 0.3, "--ls", "ls=1.tif", "--c", 1, "--p", 1, "--json")
    assert answer.object["rows"][0]["phase"] == ""
    assert answer.object["rasters"][0]["file"] == "ls=1.tif"


def test_every_mistake_of_the_options_at_once(sedcalc, files):
    args = ["loss-grid", "--r", 2000, "--k", "no.tif", "--ls", files / "ls.tif", "--c", 1, "--c", "a=2", "--p", "a=1"]
    answer = sedcalc(*args, "--p", "a=1", "--layer", "x", "--out", files / "loss.tif", "--json")
    assert (answer.code, answer.err.count("error")) == (2, 0)
    said = sorted((f["code"], f["where"]) for f in answer.object["findings"])
    assert said == [
        ("factor-out-of-range", "--r"),
        ("factor-twice", "--c"),
        ("factor-twice", "--p"),
        ("file-missing", "--k"),
        ("option-without-effect", "--layer"),
    ]
    assert not (files / "loss.tif").exists()
    assert sedcalc("loss-grid", "--r", 100).err.count("is required and not there") == 4


@pytest.mark.parametrize("option", ["--out", "--csv"])
@pytest.mark.parametrize("name", ["ls.tif", "zones.geojson"])
def test_inputs_are_not_written_over(sedcalc, files, option, name):
    before = (files / name).read_bytes()
    args = ["loss-grid", "--r", 100, "--k", 0.3, "--ls", files / "ls.tif", "--c", 1, "--p", 1]
    answer = sedcalc(*args, "--zones", files / "zones.geojson", option, files / name, "--json")
    assert answer.code == 2
    assert [(f["code"], f["where"]) for f in answer.object["findings"]] == [("out-is-input", option)]
    assert (files / name).read_bytes() == before
    both = sedcalc(*args, "--out", files / "new", "--csv", files / "new")
    assert both.code == 2
    assert not (files / "new").exists()


def test_mistakes_of_factors_stand_beside_those_of_options(sedcalc, files):
    """--zones and --csv are wrong by themselves, and one factor is not given."""
    args = ["loss-grid", "--r", "115,5", "--ls", "nope.tif", "--c", "=1", "--p", -1, "--classes", files / "ls.tif"]
    answer = sedcalc(*args, "--zones", "z.geojson", "--attribute", "a", "--csv", files / "nodir" / "x.csv", "--json")
    assert answer.code == 2
    assert sorted((f["code"], f["where"]) for f in answer.object["findings"]) == [
        ("class-not-whole", str(files / "ls.tif")),
        ("factor-out-of-range", "--p"),
        ("file-missing", "--ls"),
        ("file-missing", "--r"),
        ("no-such-file", "--zones"),
        ("no-such-folder", "--csv"),
        ("phase-name", "--c"),
        ("usage", "--k"),
    ]
    answer = sedcalc("loss-grid", "--r", 1, "--k", 0.3, "--ls", 1, "--c", 1, "--p", 1, "--csv", files / "no" / "x.csv")
    assert [line.split(":")[1] for line in answer.err.splitlines()] == [" --csv", " --ls"]  # all are numbers


@pytest.mark.parametrize("text", ["115,5", "nan", "inf", "1e999", ""])
def test_what_is_neither_number_nor_file_is_told_so(sedcalc, files, text):
    answer = sedcalc("loss-grid", "--r", text, "--k", 0.3, "--ls", files / "ls.tif", "--c", f"a={text}", "--p", 1)
    said = f"there is no file {text!r}, and it is no finite number; write one as 115.5, or check the path"
    assert answer.code == 2
    assert [line for line in answer.err.splitlines() if line.startswith("error")] == [
        f"error: --r: {said}",
        f"error: --c: {said}",
    ]


def test_zones_beside_the_rasters_are_known_before_anything_is_multiplied(sedcalc, files):
    content = json.loads((files / "zones.geojson").read_text())
    ring = content["features"][0]["geometry"]["coordinates"][0]
    ring[:] = [[x - 10_000, y] for x, y in ring]
    (files / "zones.geojson").write_text(json.dumps(content))
    args = ["loss-grid", "--r", 100, "--k", 0.3, "--ls", files / "ls.tif", "--c", 1, "--p", 1]
    answer = sedcalc(*args, "--zones", files / "zones.geojson")
    assert answer.code == 2
    assert "zone 'north': the centre of no cell lies there" in answer.err
    assert "multiplying" not in answer.err


def test_a_table_of_many_rows_is_cut_short_and_added_up_whole(sedcalc, files):
    with rasterio.open(files / "classes.tif") as source:
        profile = source.profile | {"dtype": "int32"}
    with rasterio.open(files / "cells.tif", "w", **profile) as out:
        out.write(np.arange(1_200, dtype=np.int32).reshape(30, 40), 1)
    args = ["loss-grid", "--r", 100, "--k", 0.3, "--ls", files / "ls.tif", "--c", 1, "--p", 1]
    answer = sedcalc(*args, "--classes", files / "cells.tif", "--csv", files / "all.csv")
    lines = answer.out.splitlines()
    assert len([line for line in lines if line.startswith("all cells / ")]) == 200
    assert "... 1,000 more rows: --csv FILE and --json have all of them" in lines
    with rasterio.open(files / "ls.tif") as source:
        tons = np.nansum(source.read(1).astype(float)) * 30 * 100 / 4046.8564224
    assert next(line for line in lines if line.startswith("together")).split()[2] == f"{tons:,.2f}"
    assert len((files / "all.csv").read_text().splitlines()) == 1_201


def test_ids_are_one_line_each_without_control_characters_and_not_endless(sedcalc, files):
    content = json.loads((files / "zones.geojson").read_text())
    ids = ["a\x1b[31mX\x07\nfoo: ok", "x" * 5_000]
    for feature, id in zip(content["features"], ids, strict=True):
        feature["properties"]["id"] = id
    (files / "zones.geojson").write_text(json.dumps(content))
    args = ["loss-grid", "--r", 100, "--k", 0.3, "--ls", files / "ls.tif", "--c", 1, "--p", 1]
    answer = sedcalc(*args, "--zones", files / "zones.geojson")
    assert answer.code == 0
    first, second = answer.out.splitlines()[1], answer.out.splitlines()[3]
    assert (first.startswith("a\\x1b[31mX\\x07"), first.endswith("foo: ok")) == (True, True)
    assert second.startswith("xxx")
    assert second.isprintable()
    assert len(second) <= 80
    assert max(map(len, answer.err.splitlines())) < 300  # the zone is named that has cells without a value
    rows = sedcalc(*args, "--zones", files / "zones.geojson", "--json").object["rows"]
    assert [row["zone"] for row in rows] == ids


def test_a_device_takes_no_raster(sedcalc, tmp_path):
    answer = sedcalc("loss-grid", "--r", "1", "--k", "0.3", "--ls", "1", "--c", "1", "--p", "1", "--out", os.devnull)
    assert answer.code == 2
    assert "is a device or a pipe; name a file on a disk" in answer.err
