"""Limits on what is read: each is refused beyond, adjustable by the environment, and said with its variable."""

import json
import re
import sqlite3
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pytest
from shapely.geometry import box

from builders import site_data
from fuzz.formats import raster, write_grid_site
from sedcalc.compliance.ordinance import load_ordinance
from sedcalc.findings import EnvironmentFault, InputError
from sedcalc.io.daily_rain import read_daily_rain
from sedcalc.io.rain_files import read_rain
from sedcalc.io.rasters import read_grid
from sedcalc.io.site_files import parse_json, parse_toml, read_bytes, read_site
from sedcalc.io.soil_survey import read_soil_survey
from sedcalc.io.vectors import rasterize_zones, read_polygons
from sedcalc.limits import LIMITS, most, refuse_over, variable
from sedcalc.load.calculation import sediment_load
from sedcalc.report.record import replay
from sedcalc.tables import data_folder
from sedcalc.terrain.grid import grid_from_array


def codes(error: Any) -> list[str]:
    return [f.code for f in error.value.findings]


def write_site(folder: Path, **changes: Any) -> Path:
    path = folder / "site.json"
    path.write_text(json.dumps(site_data(**changes)), "utf-8")
    return path


@pytest.fixture
def grid() -> Any:
    return grid_from_array(np.zeros((12, 9)), (10, 0, 420_000.0, 0, -10, 4_750_000.0), "EPSG:26916", xy_unit_m=1.0)


@pytest.mark.parametrize("name", LIMITS)
def test_the_operator_sets_each_limit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert most(name) == LIMITS[name].default
    monkeypatch.setenv(variable(name), "7")
    refuse_over(name, 7)
    with pytest.raises(InputError, match=f"8 .*over 7 .*{variable(name)}"):
        refuse_over(name, 8)


@pytest.mark.parametrize("text", ["", "0", "-1", "1e9", "many", "9" * 30, "１２"])
def test_a_limit_that_is_no_number_is_the_machines_fault(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEDCALC_MAX_SITE_BYTES", text)
    with pytest.raises(EnvironmentFault, match="SEDCALC_MAX_SITE_BYTES"):
        most("site_bytes")


def test_bytes_of_a_site_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_site(tmp_path)
    monkeypatch.setenv("SEDCALC_MAX_SITE_BYTES", "100")
    with pytest.raises(InputError) as error:
        read_site(path)
    assert codes(error) == ["file-too-large"]


def test_a_file_that_is_larger_than_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = Path("/proc/self/environ")  # says 0 bytes
    if not endless.is_file():
        pytest.skip("no /proc here")
    monkeypatch.setenv("SEDCALC_MAX_SITE_BYTES", "1")
    with pytest.raises(InputError) as error:
        read_bytes(endless)
    assert codes(error) == ["file-too-large"]


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"soils": [{}] * 5001}, "soils"),
        ({"phases": [{"units": ["u1"] * 2001}] * 10}, "phases"),
        ({"practices": [{}] * 501}, "practices"),
        ({"practices": [{"drainage_areas": ["A"] * 20_001}]}, "practices"),
        ({"claims": {"rows": [{}] * 20_001}}, "claims.rows"),
    ],
)
def test_entries_and_rows_of_a_site(tmp_path: Path, changes: dict[str, Any], where: str) -> None:
    with pytest.raises(InputError) as error:
        read_site(write_site(tmp_path, **changes))
    assert {(f.code, f.where) for f in error.value.findings} == {("over-limit", where)}


def test_days_of_a_site(tmp_path: Path) -> None:
    data = site_data()
    late = {"id": "late", "stabilized": "2190-12-31"}
    units = [data["ground_units"][0], data["ground_units"][0] | late]
    phase = data["phases"][0] | {"id": "far", "start": "2190-01-01", "end": "2190-06-01", "units": ["late"]}
    with pytest.raises(InputError) as error:
        read_site(write_site(tmp_path, ground_units=units, phases=[data["phases"][0], phase]))
    assert codes(error) == ["project-too-long"]


def test_steps_of_a_network_of_practices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = [
        {
            "id": f"t{i}",
            "start": "2026-12-01",
            "end": "2029-12-31",
            "efficiency": 0.1,
            "source": "test",
            "drainage_areas": ["A"] if i == 0 else [],
            "drains_to": f"t{i + 1}" if i < 9 else None,
        }
        for i in range(10)
    ]
    path = write_site(tmp_path, practices=chain)
    assert sediment_load(read_site(path)).totals.discharged > 0.0
    monkeypatch.setenv("SEDCALC_MAX_SITE_STEPS", str(10 * 365))  # 11 rows for 10 practices, 365 days
    with pytest.raises(InputError) as error:
        sediment_load(read_site(path))
    assert codes(error) == ["over-limit"]


@pytest.mark.parametrize(
    "text",
    ["a" + ".a" * 100_000 + " = 1", "[" + "a . " * 60 + "a]", 'x = {"a"' + ".'b'" * 50 + " = 1}", "x = " + "[" * 60],
)
def test_depth_of_toml(text: str) -> None:
    begun = time.monotonic()
    with pytest.raises(InputError) as error:
        parse_toml(text, "site.toml")
    assert codes(error)[0] in ("too-deep", "not-parsed")
    assert time.monotonic() - begun < 20.0  # the parser by itself takes minutes and gigabytes for the first


def test_long_texts_and_numbers_are_no_deep_keys() -> None:
    assert parse_toml("x = 'a.b.c'\ny.z = 1.5\n", "") == {"x": "a.b.c", "y": {"z": 1.5}}
    assert parse_toml("x = '" + "a" * 500_000 + "'", "")["x"] == "a" * 500_000


def test_depth_of_json_and_a_key_twice_among_many() -> None:
    with pytest.raises(InputError, match="over 40 levels"):
        parse_json("[" * 41 + "]" * 41, "")
    begun = time.monotonic()
    many = ",".join(f'"k{i}":1' for i in range(100_000))
    with pytest.raises(InputError, match="'k99999' stands twice"):
        parse_json("{" + many + ',"k99999":2}', "")
    assert time.monotonic() - begun < 20.0


def test_a_hundred_thousand_unknown_fields_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    path.write_text("{" + ",".join(f'"phase{i}":1' for i in range(100_000)) + "}", "utf-8")
    with pytest.raises(InputError) as error:
        read_site(path)
    assert 1_000 < len(error.value.findings) < 5_000
    assert error.value.findings[-1].code == "more-mistakes"


def test_files_that_a_site_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_grid_site(tmp_path)
    monkeypatch.setenv("SEDCALC_MAX_SITE_FILES", "3")
    with pytest.raises(InputError) as error:
        sediment_load(read_site(tmp_path / "site.json"))
    assert "over-limit" in codes(error)


def bomb(path: Path, width: int, height: int, tile: int = 0) -> None:
    """A GeoTIFF of a few hundred bytes whose header promises more cells than memory holds."""
    raster(path, np.zeros((16, 16), dtype=np.float32))
    data = bytearray(path.read_bytes())
    (offset,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, offset)
    for entry in range(offset + 2, offset + 2 + 12 * count, 12):
        tag, kind, number, _ = struct.unpack_from("<HHII", data, entry)
        if tag in (256, 257):  # ImageWidth, ImageLength, as LONG
            struct.pack_into("<HHII", data, entry, tag, 4, 1, width if tag == 256 else height)
        elif tag == 278 and tile:  # RowsPerStrip
            struct.pack_into("<HHII", data, entry, tag, 4, number, tile)
        del kind
    path.write_bytes(data)


def test_a_raster_of_ten_billion_cells_is_refused_from_its_header(tmp_path: Path) -> None:
    path = tmp_path / "dem.tif"
    bomb(path, 100_000, 100_000)
    assert path.stat().st_size < 2_000
    for inside in (None, tmp_path):
        with pytest.raises(InputError) as error:
            read_grid(path, z_units="m", inside=inside)
        assert codes(error) == ["grid-too-large"]


def test_cells_of_a_raster_that_a_site_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "dem.tif"
    raster(path, np.full((30, 30), 200.0))
    monkeypatch.setenv("SEDCALC_MAX_RASTER_CELLS", "899")
    with pytest.raises(InputError, match="900 cells; over 899") as error:
        read_grid(path, z_units="m", inside=tmp_path)
    assert codes(error) == ["grid-too-large"]
    assert read_grid(path, z_units="m").shape == (30, 30)  # the operator's own file


@pytest.mark.parametrize(("limit", "most_of_it"), [("POLYGONS", 1), ("VERTICES", 9), ("POLYGON_BYTES", 100)])
@pytest.mark.parametrize("ending", ["gpkg", "geojson"])
def test_polygons_and_their_vertices(
    tmp_path: Path, grid: Any, monkeypatch: pytest.MonkeyPatch, limit: str, most_of_it: int, ending: str
) -> None:
    path = tmp_path / f"zones.{ending}"
    shapes = [box(420_000, 4_749_900, 420_050, 4_750_000), box(420_050, 4_749_900, 420_090, 4_750_000)]
    frame = geopandas.GeoDataFrame({"id": ["a", "b"]}, geometry=shapes, crs="EPSG:26916")
    if ending == "gpkg":
        frame.to_file(path, driver="GPKG")
    else:
        path.write_text(frame.to_json(), "utf-8")  # with its crs: EPSG:26916 by name
    assert len(read_polygons(path, "id", grid)) == 2
    monkeypatch.setenv(f"SEDCALC_MAX_{limit}", str(most_of_it))
    with pytest.raises(InputError) as error:
        read_polygons(path, "id", grid)
    assert codes(error)[0] in ("over-limit", "file-too-large")


def test_polygons_that_all_lie_on_each_other(grid: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import sedcalc.io.vectors as module

    monkeypatch.setattr(module, "_MOST_NEIGHBOURS", 1000)
    shape = box(420_000, 4_749_900, 420_050, 4_750_000)
    with pytest.raises(InputError) as error:
        rasterize_zones([(f"z{i}", shape) for i in range(300)], grid)
    assert codes(error) == ["polygons-overlap"]


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS fid, NULL AS geom FROM n"


@pytest.mark.parametrize(
    "statements",
    [
        ["DROP TABLE zones", f"CREATE VIEW zones AS {ENDLESS}"],
        ["DROP TABLE zones", "CREATE VIRTUAL TABLE zones USING fts4(geom)"],
        ["DROP TABLE zones", "CREATE TABLE zones (fid INTEGER PRIMARY KEY, geom BLOB AS (zeroblob(1000000000)))"],
    ],
    ids=["endless view", "virtual table", "computed column"],
)
def test_a_geopackage_whose_layer_is_computed_is_refused(tmp_path: Path, grid: Any, statements: list[str]) -> None:
    path = tmp_path / "zones.gpkg"
    shape = box(420_000, 4_749_900, 420_050, 4_750_000)
    geopandas.GeoDataFrame({"id": ["a"]}, geometry=[shape], crs="EPSG:26916").to_file(
        path, driver="GPKG", layer="zones"
    )
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("DELETE FROM sqlite_master WHERE type = 'trigger'")
    connection.commit()
    connection.close()
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(InputError) as error:
        read_polygons(path, "id", grid)
    assert codes(error) == ["vector-unreadable"]
    assert "no plain table" in str(error.value)


def test_reading_a_geopackage_in_wal_mode_leaves_nothing_beside_it(tmp_path: Path, grid: Any) -> None:
    path = tmp_path / "zones.gpkg"
    shape = box(420_000, 4_749_900, 420_050, 4_750_000)
    geopandas.GeoDataFrame({"id": ["a"]}, geometry=[shape], crs="EPSG:26916").to_file(
        path, driver="GPKG", layer="zones"
    )
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    before = path.read_bytes()
    read_polygons(path, "id", grid)
    assert [p.name for p in tmp_path.iterdir()] == ["zones.gpkg"]
    assert path.read_bytes() == before


def test_rows_of_a_land_cover_table_and_codes_of_a_raster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_grid_site(tmp_path)
    monkeypatch.setenv("SEDCALC_MAX_COVER_TABLE_ROWS", "1")
    with pytest.raises(InputError) as error:
        sediment_load(read_site(tmp_path / "site.json"))
    assert ("over-limit", "phases[1].cover.table") in [(f.code, f.where) for f in error.value.findings]
    monkeypatch.setenv("SEDCALC_MAX_COVER_TABLE_ROWS", "50")
    raster(tmp_path / "cover.tif", np.arange(108, dtype=np.int32).reshape(12, 9), None)
    with pytest.raises(InputError) as error:
        sediment_load(read_site(tmp_path / "site.json"))
    assert ("over-limit", "phases[1].cover.land_cover") in [(f.code, f.where) for f in error.value.findings]


def test_rain_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rain.csv"
    path.write_text("time,rain_mm\n" + "".join(f"2027-06-01T00:{m:02d},1\n" for m in range(60)), "utf-8")
    assert read_rain(path).depth_mm.sum() == 60.0
    monkeypatch.setenv("SEDCALC_MAX_RAIN_ROWS", "59")
    with pytest.raises(InputError, match="60 rows; over 59"):
        read_rain(path)
    monkeypatch.setenv("SEDCALC_MAX_RAIN_BYTES", "59")
    with pytest.raises(InputError) as error:
        read_rain(path)
    assert codes(error) == ["file-too-large"]
    wide = tmp_path / "wide.csv"
    wide.write_text("time,rain_mm" + ",x" * 300 + "\n", "utf-8")
    monkeypatch.delenv("SEDCALC_MAX_RAIN_BYTES")
    with pytest.raises(InputError, match="over 200 columns"):
        read_rain(wide)


def test_a_day_with_less_than_no_breakpoints_does_not_hang(tmp_path: Path) -> None:
    path = tmp_path / "rain.cli"
    head = ["5.3", "1 1 0", *["x"] * 13]
    path.write_text("\n".join([*head, "1 6 2020 -1 25 12 300 3 180 10"]) + "\n", "ascii")
    with pytest.raises(InputError, match="line 16 is not a day of the month, month, year, number of breakpoints"):
        read_rain(path)


def test_a_breakpoint_that_is_infinite_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rain.cli"
    head = ["5.3", "1 1 0", *["x"] * 13]
    path.write_text("\n".join([*head, "1 6 2020 2 25 12 300 3 180 10", "1.0 0.0", "1e400 2.0"]) + "\n", "ascii")
    with pytest.raises(InputError, match=r"line 18 is not the hour and depth of a breakpoint: '1e400 2\.0'"):
        read_rain(path)


@pytest.mark.parametrize("day", ["0001-01-01", "1899-12-31", "2201-01-01", "9999-12-31"])
def test_days_out_of_the_calendar_of_sites_are_refused(tmp_path: Path, day: str) -> None:
    data = site_data()
    data["ground_units"][0]["stabilized"] = day
    with pytest.raises(InputError) as error:
        read_site(write_site(tmp_path, ground_units=data["ground_units"]))
    assert ("date-out-of-range", "ground_units[0].stabilized") in {(f.code, f.where) for f in error.value.findings}


@pytest.mark.parametrize(("old", "new"), [("10", "1e9"), ("10", "0"), ("10", "0.4"), ("10", "-10"), ("10", "10.5")])
def test_an_ordinance_with_endless_or_broken_days_is_refused(tmp_path: Path, old: str, new: str) -> None:
    shipped = (data_folder() / "ordinances" / "hales_corners_445.toml").read_text("utf-8")
    (start,) = [m.end() for m in re.finditer(r"\[numbers\.review\]\s+value = ", shipped)]
    assert shipped[start : start + len(old)] == old
    path = tmp_path / "village.toml"
    path.write_text(shipped[:start] + new + shipped[start + len(old) :], "utf-8")
    with pytest.raises(InputError, match=r"numbers\.review"):
        load_ordinance(path)


def test_a_number_of_an_ordinance_in_another_unit_is_refused(tmp_path: Path) -> None:
    shipped = (data_folder() / "ordinances" / "hales_corners_445.toml").read_text("utf-8")
    changed = re.sub(
        r'(\[numbers\.inspection_interval\]\s+value = )7\s+unit = "calendar day"', r'\g<1>0.5\nunit = "ft"', shipped
    )
    assert changed != shipped
    path = tmp_path / "village.toml"
    path.write_text(changed, "utf-8")
    with pytest.raises(InputError, match="takes inspection_interval in calendar day"):
        load_ordinance(path)


def test_daily_rain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "daily.csv"
    path.write_text("date,prcp\n0001-01-01,0\n9999-12-31,0\n", "utf-8")
    with pytest.raises(InputError) as error:
        read_daily_rain(path, units="in")
    assert codes(error) == ["over-limit"]
    monkeypatch.setenv("SEDCALC_MAX_DAILY_RAIN_BYTES", "9")
    with pytest.raises(InputError) as error:
        read_daily_rain(path, units="in")
    assert codes(error) == ["file-too-large"]


def test_soil_surveys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mapunit.csv").write_text("mukey,musym,muname\n1,a,a\n2,b,b\n", "utf-8")
    (tmp_path / "component.csv").write_text("cokey,mukey,compname,comppct_r,hydgrp\n1,1,a,100,B\n", "utf-8")
    (tmp_path / "chorizon.csv").write_text("cokey,hzdept_r,hzdepb_r,kffact,kwfact\n1,0,20,.3,.3\n", "utf-8")
    assert len(read_soil_survey(tmp_path, source="made up").mapunit) == 2
    monkeypatch.setenv("SEDCALC_MAX_SURVEY_ROWS", "1")
    with pytest.raises(InputError, match="2 rows; over 1"):
        read_soil_survey(tmp_path, source="made up")
    monkeypatch.setenv("SEDCALC_MAX_SURVEY_BYTES", "9")
    with pytest.raises(InputError) as error:
        read_soil_survey(tmp_path, source="made up")
    assert codes(error) == ["file-too-large"]


def test_a_value_that_a_survey_computes_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "survey.gpkg"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mapunit (mukey, musym, muname AS (hex(zeroblob(100000000))))")
    connection.execute("INSERT INTO mapunit (mukey, musym) VALUES (1, 'a')")
    connection.commit()
    connection.close()
    with pytest.raises(InputError) as error:
        read_soil_survey(path, source="made up")
    assert codes(error) == ["survey-unreadable"]


@pytest.mark.parametrize("text", ["NaN", "1e999", "[1", '{"format": "sedcalc.record/1", "kind": NaN}', "[" * 50_000])
def test_what_is_no_record(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        replay(path)
    assert codes(error) == ["not-a-record"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are of this platform")
@pytest.mark.parametrize(("outer_mb", "limited_mb"), [(None, 4_000), (2_000, 2_000), (6_000, 4_000)])
def test_a_limit_on_memory_can_be_lifted_and_keeps_a_narrower_one(outer_mb: int | None, limited_mb: int) -> None:
    program = f"""
import resource
from sedcalc.limits import lift_memory_limit, limit_memory, memory_limit
outer = {outer_mb}
if outer is not None:
    resource.setrlimit(resource.RLIMIT_AS, (outer * 1_000_000,) * 2)
limit_memory(4_000_000_000)
limited = memory_limit()
lift_memory_limit()
print(limited, memory_limit())
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.split() == [str(limited_mb * 1_000_000), str(outer_mb and outer_mb * 1_000_000)]
