"""Soil surveys: K over the exposed depth, what is missing, and K rasters; small tables and their means by hand."""

import builtins
import csv
import math
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sedcalc.findings import EnvironmentFault, InputError
from sedcalc.io.soil_survey import erodibility_raster, read_soil_survey, survey_erodibility
from sedcalc.terrain.grid import Grid, grid_from_array
from soil_tables import CHORIZON, COMPONENT, MAPUNIT, TABLES, write_headed


def write_export(folder: Path) -> Path:
    """Write the tables as a SSURGO export does: no headings, texts in quotes, other columns around them."""
    files = {"mapunit": "mapunit", "component": "comp", "chorizon": "chorizon"}
    quote: dict[str, Any] = {"delimiter": "|", "quoting": csv.QUOTE_NONNUMERIC}
    with (folder / "mstab.txt").open("w", newline="") as tabs, (folder / "mstabcol.txt").open("w", newline="") as cols:
        for name, (heading, *rows) in TABLES.items():
            # the keys stand last in an export, and a column not used stands first
            order = ["other", *heading[::-1]]
            csv.writer(tabs, **quote).writerow([name, f"{name} table", name, "first line\nsecond line", files[name]])
            for number, column in enumerate(order, start=1):
                csv.writer(cols, **quote).writerow([name, number, column, column, "a description\nof two lines"])
            with (folder / f"{files[name]}.txt").open("w", newline="") as stream:
                for row in rows:
                    csv.writer(stream, **quote).writerow(["x|y", *row[::-1]])
    return folder


def write_database(file: Path) -> Path:
    connection = sqlite3.connect(file)
    for name, (heading, *rows) in TABLES.items():
        # numbers are numbers here, keys included in some products
        connection.execute(f"CREATE TABLE {name.upper()} ({', '.join(f'{h.upper()} NUMERIC' for h in heading)})")
        marks = ", ".join("?" for _ in heading)
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", [[v or None for v in r] for r in rows])
    connection.commit()
    connection.close()
    return file


@pytest.fixture
def survey(tmp_path: Path) -> Any:
    return read_soil_survey(write_headed(tmp_path), source="WI131, 2025")


def test_surface_by_hand(survey: Any) -> None:
    result = survey_erodibility(survey, factor="kffact", top=0, bottom=20)
    # (60 x 0.32 + 30 x 0.28) / 90; a tenth is urban land
    assert result.K[0] == pytest.approx((60 * 0.32 + 30 * 0.28) / 90, rel=1e-14)
    assert result.missing_pct.tolist() == pytest.approx([10.0, 100.0, 100 * (1 - 0.95 * 15 / 20)])
    assert result.hydrologic_group.tolist() == ["C", "", "D"]
    assert result.hydrologic_group_pct.tolist() == [60.0, 0.0, 95.0]
    assert result.texture.tolist() == ["silt loam", "", "silt loam"]
    assert result.texture_pct[0] == pytest.approx(60.0)
    whole = survey_erodibility(survey, factor="kwfact", top=0, bottom=20)
    assert whole.K[0] == pytest.approx(0.28, rel=1e-14)


def test_subsoil_after_stripping_by_hand(survey: Any) -> None:
    result = survey_erodibility(survey, factor="kffact", top=30, bottom=60)
    # Ashkum: 20 cm of 0.28 and 10 cm of 0.37; Ozaukee 0.43 throughout
    ashkum = (20 * 0.28 + 10 * 0.37) / 30
    assert result.K[0] == pytest.approx((60 * 0.43 + 30 * ashkum) / 90, rel=1e-14)
    assert result.texture[0] == "silty clay loam"
    assert result.texture_pct[0] == pytest.approx(60 + 30 * 20 / 30)
    inches = survey_erodibility(survey, factor="kffact", top=30 / 2.54, bottom=60 / 2.54, units="in")
    assert inches.K[0] == pytest.approx(result.K[0], rel=1e-12)
    assert inches.depth_cm == pytest.approx((30.0, 60.0))
    assert result.K[0] > survey_erodibility(survey, factor="kffact", top=0, bottom=20).K[0]


def test_a_map_unit_with_too_little_k_is_refused_and_says_why(survey: Any) -> None:
    result = survey_erodibility(survey, factor="kffact", top=0, bottom=20)
    assert np.isnan(result.K).tolist() == [False, True, True]
    note, water, rock = result.findings
    assert (note.code, note.severity, note.where) == ("survey-part-missing", "note", "map unit 100")
    assert "Urban land" in note.message
    assert (water.code, water.severity, water.where) == ("survey-incomplete", "error", "map unit 200")
    assert "100 % has no kffact from 0 to 20 cm, over the limit of 20 %" in water.message
    assert "component 5 (Ritchey), 95 %: 25 % of the depth; no component listed for 5 %" in rock.message
    # by name, the limit may be another: then the mean is over what is there
    lenient = survey_erodibility(survey, factor="kffact", top=0, bottom=20, max_missing_pct=30.0)
    assert lenient.K[2] == pytest.approx(0.37)
    assert np.isnan(lenient.K[1])


def test_table_and_source(survey: Any) -> None:
    result = survey_erodibility(survey, factor="kffact", top=0, bottom=20, mukeys=["100"])
    (row,) = result.table.to_dict("records")
    assert row["mukey"] == "100"
    assert row["K"] == result.K[0] == result.k_by_mukey()["100"]
    assert row["source"] == (
        "WI131, 2025, map unit 100 (Ozaukee-Urban land complex, 2 to 6 percent slopes): kffact, "
        "0-20 cm, weighted by component percent and depth, 10 % missing"
    )


@pytest.mark.parametrize("separator", [",", "|", "\t", ";"])
def test_tables_with_headings(tmp_path: Path, survey: Any, separator: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write_headed(other, separator)
    assert read_soil_survey(other, source="WI131, 2025") == survey
    files = {name: other / f"{name}.csv" for name in TABLES}
    assert read_soil_survey(**files, source="WI131, 2025") == survey


def test_ssurgo_export(tmp_path: Path, survey: Any) -> None:
    other = tmp_path / "tabular"
    other.mkdir()
    assert read_soil_survey(write_export(other), source="WI131, 2025") == survey


def test_gssurgo_database(tmp_path: Path, survey: Any) -> None:
    read = read_soil_survey(write_database(tmp_path / "gssurgo.gpkg"), source="WI131, 2025")
    assert [row["mukey"] for row in read.mapunit] == ["100", "200", "300"]
    options: dict[str, Any] = {"factor": "kwfact", "top": 10, "bottom": 80}
    ours, theirs = (survey_erodibility(s, **options) for s in (read, survey))
    np.testing.assert_array_equal(ours.K, theirs.K)
    assert ours.findings == theirs.findings
    views = tmp_path / "views.gpkg"
    connection = sqlite3.connect(write_database(views))
    connection.execute("ALTER TABLE mapunit RENAME TO elsewhere")
    connection.execute("CREATE VIEW mapunit AS SELECT * FROM elsewhere")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="no table mapunit"):
        read_soil_survey(views, source="WI131, 2025")


def test_kwfact_with_rock_cover_is_refused(survey: Any) -> None:
    with pytest.raises(InputError, match="take kffact, or leave rock out of C"):
        survey_erodibility(survey, factor="kwfact", top=0, bottom=20, rock_cover_in_c=True)
    survey_erodibility(survey, factor="kffact", top=0, bottom=20, rock_cover_in_c=True)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"factor": "kf"}, "factor: 'kf' is unknown; use one of 'kffact', 'kwfact'"),
        ({"top": 20, "bottom": 20}, "20 to 20 cm is no depth"),
        ({"top": -5}, "-5 to 20 cm"),
        ({"bottom": 600}, "from 0 to 500 cm"),
        ({"bottom": math.nan}, "nan"),
        ({"factor": np.array(["kffact"])}, "factor: must be one name"),
        ({"units": ["cm"]}, "units: must be one name"),
        ({"units": "ft"}, "units: 'ft' is unknown; use one of 'cm', 'in'"),
        ({"max_missing_pct": 100.0}, "is 100; give 0 to below 100 %"),
        ({"mukeys": ["100", "999"]}, "1 map unit is not in the survey, first 999"),
    ],
)
def test_refusals(survey: Any, changed: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        survey_erodibility(survey, **({"factor": "kffact", "top": 0, "bottom": 20} | changed))


@pytest.mark.parametrize(
    ("table", "row", "says"),
    [
        ("component", ("6", "100", "More", "30", "A"), "its components add to 130 %"),
        ("component", ("1", "100", "Ozaukee", "0", "C"), "component 1 stands twice"),
        ("component", ("6", "100", "More", "x", "A"), "component 6 (More), comppct_r is 'x'"),
        ("component", ("6", "100", "More", "\uff15", "A"), "component 6 (More), comppct_r is '\uff15'"),  # full-width 5
        ("component", ("6", "100", "More", "1_0", "A"), "component 6 (More), comppct_r is '1_0'"),
        (
            "chorizon",
            ("1", "10", "30", ".3", ".3", "", "", ""),
            "component 1 (Ozaukee) has horizons that overlap at 10",
        ),
        ("chorizon", ("1", "120", "110", ".3", ".3", "", "", ""), "has a horizon from 120 to 110 cm"),
        ("chorizon", ("3", "0", "50", "3.2", ".3", "", "", ""), "component 3 (Urban land) at 0 cm, kffact is '3.2'"),
    ],
)
def test_contradictions_refuse_the_map_unit_only(tmp_path: Path, table: str, row: tuple[str, ...], says: str) -> None:
    survey = read_soil_survey(write_headed(tmp_path, **{table: [*TABLES[table], row]}), source="WI131, 2025")
    result = survey_erodibility(survey, factor="kffact", top=0, bottom=15)
    faults = [f for f in result.findings if f.code == "survey-contradiction"]
    assert {f.where for f in faults} == {"map unit 100"}
    assert any(says in f.message for f in faults)
    assert math.isnan(result.K[0])
    assert result.K[2] == pytest.approx(0.37)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"component": [("cokey", "comppct_r", "hydgrp"), ("1", "60", "C")]}, "component has no column mukey"),
        ({"component": COMPONENT[:1]}, "table component has no rows"),
        ({"mapunit": [*MAPUNIT, ("400", "X")]}, "2 cells for 3 columns"),
        ({"mapunit": [*MAPUNIT, ("", "X", "no key")]}, "no mukey"),
    ],
)
def test_faulty_tables(tmp_path: Path, changed: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_soil_survey(write_headed(tmp_path, **changed), source="WI131, 2025")


def test_missing_and_foreign_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"neither mapunit\.csv nor mapunit\.txt"):
        read_soil_survey(tmp_path, source="WI131, 2025")
    with pytest.raises(InputError, match="give path, or also component, chorizon"):
        read_soil_survey(mapunit=tmp_path / "mapunit.csv", source="WI131, 2025")
    write_headed(tmp_path)
    with pytest.raises(InputError, match="keep one"):
        read_soil_survey(tmp_path, mapunit=tmp_path / "mapunit.csv", source="WI131, 2025")
    with pytest.raises(InputError, match="neither a folder nor a GeoPackage"):
        read_soil_survey(tmp_path / "mapunit.csv", source="WI131, 2025")
    broken = tmp_path / "broken.gpkg"
    broken.write_bytes(b"SQLite format 3\0" + b"\xff" * 500)
    with pytest.raises(InputError, match="not a readable GeoPackage"):
        read_soil_survey(broken, source="WI131, 2025")
    no_k = [row[:3] for row in CHORIZON]
    survey = read_soil_survey(write_headed(tmp_path, chorizon=no_k), source="WI131, 2025")
    with pytest.raises(InputError, match="no column kffact"):
        survey_erodibility(survey, factor="kffact", top=0, bottom=20)


def test_the_index_is_the_mean_of_its_components_at_any_depth(survey: Any) -> None:
    # cutting the depth in two: the mean over the whole is the mean of the two, where nothing is missing
    options: dict[str, Any] = {"factor": "kffact", "mukeys": ["100"]}
    upper, lower, whole = (
        survey_erodibility(survey, top=a, bottom=b, **options).K[0] for a, b in ((0, 35), (35, 100), (0, 100))
    )
    assert whole == pytest.approx((35 * upper + 65 * lower) / 100, rel=1e-13)


def grid(rows: int, cols: int, cell: float = 10.0) -> Grid:
    transform = (cell, 0, 420000, 0, -cell, 4750000)
    return grid_from_array(np.zeros((rows, cols)), transform, "EPSG:26916", xy_unit_m=1.0)


def box(west: float, south: float, east: float, north: float) -> Any:
    import shapely

    return shapely.box(420000 + west, 4750000 + south, 420000 + east, 4750000 + north)


def test_raster_by_exact_shares() -> None:
    pytest.importorskip("exactextract")
    # two soils that meet at x = 14, in the second column of cells: 0.4 of it in the first
    soils = [("a", box(0, -20, 14, 0)), (7.0, box(14, -20, 30, 0))]
    result = erodibility_raster(soils, {"a": 0.2, "7": 0.4}, grid(2, 3))
    np.testing.assert_allclose(result.grid.values, [[0.2, 0.4 * 0.2 + 0.6 * 0.4, 0.4]] * 2, rtol=1e-6)
    assert result.findings == ()
    assert result.missing_pct.max() < 1e-4
    # the mean over the site is that of the polygons by area
    assert result.grid.values.mean() == pytest.approx((14 * 0.2 + 16 * 0.4) / 30, rel=1e-6)


def test_cells_with_too_little_k_get_none() -> None:
    pytest.importorskip("exactextract")
    soils = [("a", box(0, -10, 18.5, 0)), ("w", box(18.5, -10, 30, 0))]
    result = erodibility_raster(soils, {"a": 0.2, "w": math.nan}, grid(1, 4))
    # 15 % of the second cell is water, all of the third, and the fourth has no polygon
    assert result.missing_pct.tolist() == [pytest.approx([0.0, 15.0, 100.0, 100.0], abs=1e-4)]
    np.testing.assert_allclose(result.grid.values, [[0.2, 0.2, np.nan, np.nan]], rtol=1e-12)
    assert result.findings[0].code == "cells-without-k"
    assert "2 of 4 cells (0.04942 acres)" in result.findings[0].message  # 200 m2
    strict = erodibility_raster(soils, {"a": 0.2, "w": math.nan}, grid(1, 4), max_missing_pct=10.0)
    assert np.isnan(strict.grid.values).tolist() == [[False, True, True, True]]


def test_raster_refusals() -> None:
    pytest.importorskip("exactextract")
    a, b = box(0, -10, 20, 0), box(10, -10, 30, 0)
    with pytest.raises(InputError, match=r"polygons overlap: they cover the cell in row 0, column 1 2 times"):
        erodibility_raster([("a", a), ("b", b)], {"a": 0.2, "b": 0.3}, grid(1, 3))
    with pytest.raises(InputError, match="1 map unit of the polygons has no entry, first b"):
        erodibility_raster([("a", a), ("b", b)], {"a": 0.2}, grid(1, 3))
    with pytest.raises(InputError, match="no polygons"):
        erodibility_raster([], {"a": 0.2}, grid(1, 3))
    with pytest.raises(InputError, match="no cell of the grid gets a K"):
        erodibility_raster([("a", box(100, -10, 120, 0))], {"a": 0.2}, grid(1, 3))


def test_without_exactextract_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = builtins.__import__

    def absent(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "exactextract":
            raise ImportError(name)
        return genuine(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(EnvironmentFault, match="pip install exactextract"):
        erodibility_raster([("a", box(0, -10, 20, 0))], {"a": 0.2}, grid(1, 3))


def test_against_the_k_raster_of_opennspect(shared_data: Path, tmp_path: Path) -> None:
    """Soil polygons of north-east Puerto Rico and the K raster that OpenNSPECT made of them, 30 m cells."""
    pytest.importorskip("exactextract")
    import geopandas
    import rasterio

    from sedcalc.io.vectors import read_polygons

    folder = shared_data / "grids" / "opennspect_ne_puerto_rico"
    frame = geopandas.read_file(folder / "Soils_NEC.shp")
    frame[["MUKEY", "geometry"]].to_file(tmp_path / "soils.gpkg", driver="GPKG")
    with rasterio.open(folder / "soilsk1.tif") as source:
        theirs = source.read(1, masked=True).astype(float).filled(np.nan)
        cells = grid_from_array(theirs, source.transform, "EPSG:32161", xy_unit_m=1.0)
    k = dict(zip(frame["MUKEY"], frame["KF"].astype(float), strict=True))
    result = erodibility_raster(read_polygons(tmp_path / "soils.gpkg", "MUKEY", cells), k, cells)
    ours = result.grid.values
    both = ~np.isnan(ours) & ~np.isnan(theirs)
    assert both.sum() > 340_000
    # that raster takes the soil at the centre of the cell: equal in cells of one soil, and on average in the others
    single = both & np.isin(np.round(ours, 6), sorted(set(k.values())))
    assert single.sum() > 290_000
    assert np.count_nonzero(np.abs(ours - theirs)[single] > 1e-6) <= 1
    assert ours[both].mean() == pytest.approx(theirs[both].mean(), rel=1e-4)
    full = result.missing_pct < 1e-3
    assert ours[full].min() >= min(k.values())
    assert ours[full].max() <= max(k.values()) * (1 + 1e-6)
