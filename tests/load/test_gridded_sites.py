"""Gridded sites from files to tons: against slope profiles, against plain NumPy, and what is said of wrong files."""

import copy
import hashlib
import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import rasterio.features
from numpy.typing import NDArray
from rasterio.transform import Affine

import sedcalc as sc
from sedcalc.findings import Finding, InputError
from sedcalc.terrain.grid import grid_from_array
from sedcalc.terrain.ls_raster import ls_raster
from sedcalc.units import ACRE_M2, FOOT_M, K_US_SI, R_US_SI

WEST, NORTH = 420_000.0, 4_750_000.0
UTM = "EPSG:26916"
NODATA = -9999.0

# C by NLCD class as NOAA's OpenNSPECT ships it: nspect.mdb (repository NOAA-OCM/OpenNSPECT, commit aa059c9), table
# LCClass, type NLCD2001_2006, column CoverFactor (three decimals).
NLCD_C = {
    11: ("Water", 0.0),
    21: ("Developed Open Space", 0.005),
    22: ("Low Intensity Developed", 0.030),
    23: ("Medium Intensity Developed", 0.010),
    24: ("High Intensity Developed", 0.0),
    31: ("Bare Land", 0.700),
    42: ("Evergreen Forest", 0.004),
    52: ("Scrub/Shrub", 0.014),
    71: ("Grassland", 0.120),
    81: ("Pasture/Hay", 0.050),
    82: ("Cultivated Land", 0.240),
    90: ("Woody Wetland", 0.0),
    95: ("Emergent Wetland", 0.0),
}

Values = NDArray[Any]


def write_raster(
    path: Path,
    values: Values,
    *,
    cell: float = 10.0,
    crs: str | None = UTM,
    west: float = WEST,
    north: float = NORTH,
    nodata: float | None = NODATA,
) -> None:
    """Write a raster with rasterio alone; NaN becomes nodata."""
    rows, cols = values.shape
    if nodata is not None:
        values = np.where(np.isnan(values), np.asarray(nodata, dtype=values.dtype), values)
    profile = {"driver": "GTiff", "height": rows, "width": cols, "count": 1, "dtype": values.dtype, "nodata": nodata}
    with rasterio.open(path, "w", **profile, crs=crs, transform=Affine(cell, 0, west, 0, -cell, north)) as out:
        out.write(values, 1)


def write_boxes(path: Path, boxes: dict[str, tuple[float, float, float, float]], cell: float = 10.0) -> None:
    """Write rectangles by id, given as (first column, first row, end column, end row) of cells."""
    features = []
    for name, (left, top, right, bottom) in boxes.items():
        x0, x1, y0, y1 = WEST + left * cell, WEST + right * cell, NORTH - top * cell, NORTH - bottom * cell
        ring = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
        features.append(
            {
                "type": "Feature",
                "properties": {"id": name},
                "geometry": {"type": "Polygon", "coordinates": [ring]},
            }
        )
    write_features(path, features, UTM)


def write_features(path: Path, features: list[dict[str, Any]], crs: str) -> None:
    member = {"type": "name", "properties": {"name": f"urn:ogc:def:crs:{crs.replace(':', '::')}"}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": member, "features": features}), encoding="utf-8")


def site_file(folder: Path, **changes: Any) -> Path:
    """Write a site of one unit, bare through the summer of 2027, with fields of the top level changed."""
    data: dict[str, Any] = {
        "format": "sedcalc.site/1",
        "project": {"name": "test"},
        "ordinance": "hales_corners_445",
        "units": "us",
        "location": {"R": 115.0, "R_source": "test", "ei_zone": 101},
        "soils": [{"id": "loam", "texture": "loam", "K": 0.35, "K_source": "test"}],
        "drainage_areas": [{"id": "east", "outfall": "culvert"}],
        "ground_units": [unit("lots")],
        "phases": [phase("grading", ["lots"])],
        "grid": {"dem": "dem.tif", "z_units": "m"},
    }
    data.update(copy.deepcopy(changes))
    path = folder / "site.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def unit(name: str, **fields: Any) -> dict[str, Any]:
    given = {
        "id": name,
        "drainage_area": "east",
        "soil": "loam",
        "final_cover": {"C": 0.01, "source": "test"},
        "stabilized": "2027-09-30",
    }
    given.update(fields)
    return {k: v for k, v in given.items() if v is not None}


def phase(name: str, units: list[str], **fields: Any) -> dict[str, Any]:
    given = {"id": name, "start": "2027-05-01", "end": "2027-08-31", "units": units}
    return {**given, "cover": {"C": 1.0, "source": "test"}, **fields}


def loaded(path: Path) -> Any:
    return sc.sediment_load(sc.read_site(path))


def mistakes(path: Path) -> list[Finding]:
    with pytest.raises(InputError) as caught:
        loaded(path)
    return [f for f in caught.value.findings if f.severity == "error"]


def plane(rows: int, cols: int, slope_pct: float, cell: float = 10.0) -> NDArray[np.float64]:
    """Return a plane that falls to the south, m."""
    return np.repeat(250.0 - np.arange(rows)[:, None] * cell * slope_pct / 100.0, cols, axis=1)


def hills(rows: int, cols: int, seed: int) -> NDArray[np.float64]:
    """Return ground that falls to the south with random humps, m."""
    humps = np.random.default_rng(seed).uniform(0.0, 0.6, (rows, cols))
    return plane(rows, cols, 8.0) + humps


# --- the same ground as a slope profile and as a grid ---------------------------------------------------------------


@pytest.mark.parametrize("slope_pct", [1.5, 6.0, 12.0, 25.0])
@pytest.mark.parametrize("units", ["us", "si"])
@pytest.mark.parametrize(("routing", "method"), [("d8", "rusle"), ("mfd", "rusle"), ("mfd", "usle")])
def test_a_plane_gives_the_tons_of_the_slope_profile(
    tmp_path: Path, slope_pct: float, units: str, routing: str, method: str
) -> None:
    # 10 cells of 10 m: a slope 100 m long. With MFD only columns at least a slope length from the sides are free of
    # their influence, so the unit is columns 12 to 27 of 40.
    write_raster(tmp_path / "dem.tif", plane(10, 40, slope_pct))
    write_boxes(tmp_path / "units.geojson", {"lots": (12, 0, 28, 10)})
    si = units == "si"
    acres = 16 * 10 * 100.0 / ACRE_M2
    common = {
        "units": units,
        "location": {"R": 115.0 * (R_US_SI if si else 1.0), "R_source": "test", "ei_zone": 101},
        "soils": [{"id": "loam", "K": 0.35 * (K_US_SI if si else 1.0), "K_source": "test"}],
        "topography": {"method": method},
    }
    grid = {
        "dem": "dem.tif",
        "z_units": "m",
        "routing": routing,
        "ground_units": {"file": "units.geojson", "attribute": "id"},
    }
    gridded = loaded(site_file(tmp_path, **common, grid=grid))
    profile = unit(
        "lots",
        area=1.6 if si else acres,
        slope_pct=slope_pct,
        length=100.0 if si else 100.0 / FOOT_M,
    )
    data = json.loads(site_file(tmp_path, **common, ground_units=[profile]).read_text())
    del data["grid"]
    (tmp_path / "site.json").write_text(json.dumps(data))
    tabular = loaded(tmp_path / "site.json")
    for column in ("acres", "R", "K", "LS", "C", "P", "soil_loss_tons", "discharge_tons", "bare_tons"):
        assert gridded.columns[column] == pytest.approx(tabular.columns[column], rel=1e-6), column
    assert gridded.totals.discharged == pytest.approx(tabular.totals.discharged, rel=1e-6)
    assert gridded.windows.tons_per_acre[0, 0] == pytest.approx(tabular.windows.tons_per_acre[0, 0], rel=1e-6)


# --- the sums against plain NumPy -----------------------------------------------------------------------------------


def varied_site(folder: Path, **grid: Any) -> tuple[Path, dict[str, Values]]:
    """Write a site on which every factor varies from cell to cell, and return the arrays it was written from."""
    rng = np.random.default_rng(11)
    rows, cols = 24, 18
    made: dict[str, Values] = {
        "dem": hills(rows, cols, 1).astype(np.float32),
        "graded": hills(rows, cols, 2).astype(np.float32),
        "K": rng.uniform(0.1, 0.5, (rows, cols)).astype(np.float32),
        "R": rng.uniform(100.0, 130.0, (rows, cols)),
        "C": rng.uniform(0.0, 1.0, (rows, cols)).astype(np.float32),
        "P": rng.uniform(0.8, 1.2, (rows, cols)).astype(np.float32),
        "cover": rng.choice([11, 42, 71, 82], (rows, cols)).astype(np.uint8),
    }
    for name, values in made.items():
        write_raster(folder / f"{name}.tif", values, nodata=None if name == "cover" else NODATA)
    lines = ["code,cover,C,source", *(f"{code},{name},{c},OpenNSPECT" for code, (name, c) in NLCD_C.items())]
    (folder / "nlcd.csv").write_text("\n".join(lines) + "\n")
    write_boxes(folder / "units.geojson", {"lots": (2, 2, 10, 20), "street": (10, 2, 12, 20), "park": (12, 2, 16, 20)})
    write_boxes(folder / "areas.geojson", {"east": (0, 0, 18, 11), "west": (0, 11, 18, 24)})
    unit_fields = {"soil": None, "drainage_area": None}
    land_cover = {"land_cover": "cover.tif", "table": "nlcd.csv"}
    path = site_file(
        folder,
        location={"ei_zone": 101},
        soils=[],
        drainage_areas=[{"id": "east", "outfall": "culvert"}, {"id": "west", "outfall": "creek"}],
        ground_units=[
            unit("lots", **unit_fields, existing_cover=land_cover, stabilized="2027-11-30"),
            unit("street", **unit_fields),
            unit("park", **unit_fields, existing_cover=land_cover, stabilized=None, final_cover=None),
        ],
        phases=[
            phase("clearing", ["street"], end="2027-06-15"),
            phase("stripping", ["lots"], start="2027-05-20", end="2027-06-15"),
            phase(
                "grading",
                ["lots"],
                start="2027-06-16",
                cover={"raster": "C.tif", "source": "test"},
                surface_condition={"raster": "P.tif", "source": "test"},
                dem="graded.tif",
            ),
        ],
        grid={
            "dem": "dem.tif",
            "z_units": "m",
            "K": "K.tif",
            "K_source": "test",
            "R": "R.tif",
            "R_source": "test",
            "ground_units": {"file": "units.geojson", "attribute": "id"},
            "drainage_areas": {"file": "areas.geojson", "attribute": "id"},
            **grid,
        },
    )
    return path, made


def ls_of(elevations: Values, cell: float = 10.0, **options: Any) -> Values:
    dem = grid_from_array(elevations, (cell, 0, WEST, 0, -cell, NORTH), UTM, xy_unit_m=1.0, z_unit_m=1.0)
    return ls_raster(dem, **options).ls.values.astype(np.float64)


def test_every_row_is_the_sum_over_its_cells(tmp_path: Path) -> None:
    path, made = varied_site(tmp_path)
    load = loaded(path)
    boxes = {"lots": np.s_[2:20, 2:10], "street": np.s_[2:20, 10:12], "park": np.s_[2:20, 12:16]}
    halves = {"east": np.s_[:11], "west": np.s_[11:]}
    land_c = np.vectorize(lambda code: NLCD_C[int(code)][1])(made["cover"])
    ls = {"dem": ls_of(made["dem"]), "graded": ls_of(made["graded"])}
    ones = np.ones(land_c.shape)
    factors = {
        ("lots", "existing"): ("dem", land_c, ones),
        ("park", "existing"): ("dem", land_c, ones),
        ("lots", "stripping"): ("dem", ones, ones),
        ("street", "clearing"): ("dem", ones, ones),
        ("street", "after clearing"): ("dem", ones, ones),
        ("lots", "grading"): ("graded", made["C"].astype(float), made["P"].astype(float)),
        ("lots", "after grading"): ("graded", made["C"].astype(float), made["P"].astype(float)),
        ("street", "stabilized"): ("dem", 0.01 * ones, ones),
    }
    seen = set()
    cell_acres = 100.0 / ACRE_M2
    for row, name in enumerate(load.columns["phase"]):
        where, area = load.columns["unit"][row], load.columns["drainage_area"][row]
        mask = np.zeros(ones.shape, dtype=bool)
        mask[boxes[where]] = True
        half = np.zeros_like(mask)
        half[halves[area]] = True
        mask &= half
        surface, c, p = factors[where, name]
        seen.add((where, name))
        r, k = made["R"][mask], made["K"][mask].astype(float)
        share = load.columns["ei_fraction"][row]
        assert load.columns["acres"][row] == pytest.approx(mask.sum() * cell_acres, rel=1e-12)
        tons = (r * k * ls[surface][mask] * c[mask] * p[mask]).sum() * cell_acres * share
        assert load.columns["soil_loss_tons"][row] == pytest.approx(tons, rel=1e-12)
        bare = (r * k * ls[surface][mask]).sum() * cell_acres * share
        assert load.columns["bare_tons"][row] == pytest.approx(bare, rel=1e-12)
        means = {"R": r, "K": k, "LS": ls[surface][mask], "C": c[mask], "P": p[mask]}
        for symbol, values in means.items():
            assert load.columns[symbol][row] == pytest.approx(values.mean(), rel=1e-12), symbol
    assert seen == set(factors)


def test_files_read_are_recorded_with_their_hashes(tmp_path: Path) -> None:
    path, made = varied_site(tmp_path)
    recorded = loaded(path).provenance["files"]
    names = {"site.json", "nlcd.csv", "units.geojson", "areas.geojson", *(f"{m}.tif" for m in made)}
    assert set(recorded) == names
    for name in names:
        assert recorded[name] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()


def test_si_rasters_give_the_same_tons(tmp_path: Path) -> None:
    path, made = varied_site(tmp_path)
    us = loaded(path)
    write_raster(tmp_path / "K.tif", made["K"].astype(np.float64) * K_US_SI)
    write_raster(tmp_path / "R.tif", made["R"] * R_US_SI)
    data = json.loads(path.read_text())
    data["units"] = "si"
    path.write_text(json.dumps(data))
    assert loaded(path).totals.discharged == pytest.approx(us.totals.discharged, rel=1e-12)


def test_dividing_the_site_by_soil_and_drainage_area_changes_no_total(tmp_path: Path) -> None:
    write_raster(tmp_path / "dem.tif", hills(24, 18, 3))
    whole = loaded(site_file(tmp_path))
    write_boxes(tmp_path / "soils.geojson", {"loam": (0, 0, 7, 24), "same": (7, 0, 18, 24)})
    write_boxes(tmp_path / "areas.geojson", {"east": (0, 0, 18, 9), "west": (0, 9, 18, 24)})
    soil = {"texture": "loam", "K": 0.35, "K_source": "test"}
    divided = loaded(
        site_file(
            tmp_path,
            soils=[{"id": "loam", **soil}, {"id": "same", **soil}],
            drainage_areas=[{"id": "east", "outfall": "culvert"}, {"id": "west", "outfall": "culvert"}],
            ground_units=[unit("lots", soil=None, drainage_area=None)],
            grid={
                "dem": "dem.tif",
                "z_units": "m",
                "soils": {"file": "soils.geojson", "attribute": "id"},
                "drainage_areas": {"file": "areas.geojson", "attribute": "id"},
            },
        )
    )
    assert len(divided.ground.pieces.soil) == 4
    assert divided.totals.disturbed_acres == pytest.approx(whole.totals.disturbed_acres, rel=1e-12)
    for total in ("eroded", "discharged", "baseline"):
        assert getattr(divided.totals, total) == pytest.approx(getattr(whole.totals, total), rel=1e-12)
    assert divided.windows.tons_per_acre[0, -1] == pytest.approx(whole.windows.tons_per_acre[0, -1], rel=1e-12)


def test_claims_of_a_unit_on_two_soils_name_the_soil(tmp_path: Path) -> None:
    write_raster(tmp_path / "dem.tif", hills(24, 18, 3))
    write_boxes(tmp_path / "soils.geojson", {"loam": (0, 0, 7, 24), "clay": (7, 0, 18, 24)})
    claims = [{"phase": "grading", "unit": "lots", "soil": "loam", "K": "0.35"}]
    claims.append({"phase": "grading", "unit": "lots", "soil": "clay", "K": "0.30"})
    path = site_file(
        tmp_path,
        soils=[{"id": n, "texture": n, "K": k, "K_source": "test"} for n, k in (("loam", 0.35), ("clay", 0.20))],
        ground_units=[unit("lots", soil=None)],
        grid={"dem": "dem.tif", "z_units": "m", "soils": {"file": "soils.geojson", "attribute": "id"}},
        claims={"rows": claims},
    )
    result = sc.verify(path)
    assert [(v.claimed, v.computed, v.passed) for v in result.values] == [
        (0.35, pytest.approx(0.35), True),
        (0.30, pytest.approx(0.20), False),
    ]
    without = [{k: v for k, v in row.items() if k != "soil"} for row in claims[:1]]
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "claims": {"rows": without}}), "utf-8")
    (found,) = [f for f in sc.verify(path).findings if f.code == "unknown-claimed-row"]
    assert "has 2 rows" in found.message
    assert found.message.endswith("add soil to the row")


def test_barriers_lower_the_load_and_not_the_baseline(tmp_path: Path) -> None:
    write_raster(tmp_path / "dem.tif", plane(20, 18, 9.0))
    without = loaded(site_file(tmp_path))
    write_boxes(tmp_path / "berm.geojson", {"berm": (0, 10.2, 18, 10.8)})  # a strip within row 10
    grid = {"dem": "dem.tif", "z_units": "m", "barriers": "berm.geojson"}
    with_berm = loaded(site_file(tmp_path, grid=grid))
    mask = np.zeros((20, 18), dtype=bool)
    mask[10] = True
    bare, cut = ls_of(plane(20, 18, 9.0)), ls_of(plane(20, 18, 9.0), barriers=mask)
    assert with_berm.totals.baseline == without.totals.baseline
    assert with_berm.totals.eroded / without.totals.eroded == pytest.approx(cut.sum() / bare.sum(), rel=1e-12)
    assert (cut[:11] == bare[:11]).all()
    assert (cut[11:] < bare[11:]).all()


def test_a_ready_made_ls_is_used_as_it_is(tmp_path: Path) -> None:
    ls = np.array([[1.5, 2.5], [np.nan, 3.0]])
    write_raster(tmp_path / "ls.tif", ls)
    load = loaded(site_file(tmp_path, grid={"LS": "ls.tif"}))
    assert load.columns["LS"][0] == pytest.approx((1.5 + 2.5 + 3.0) / 3.0, rel=1e-12)
    assert load.columns["acres"][0] == pytest.approx(300.0 / ACRE_M2, rel=1e-12)  # nodata is no part of the site


def test_a_ready_made_ls_takes_no_method(tmp_path: Path) -> None:
    write_raster(tmp_path / "ls.tif", np.ones((2, 2)))
    found = mistakes(site_file(tmp_path, grid={"LS": "ls.tif"}, topography={"method": "usle"}))
    assert [(f.code, f.where) for f in found] == [("unused-field", "topography.method")]


def test_the_same_site_gives_the_same_bytes(tmp_path: Path) -> None:
    path, _ = varied_site(tmp_path)
    first, second = loaded(path), loaded(path)
    assert json.dumps(first.columns, default=str) == json.dumps(second.columns, default=str)
    assert first.ground.rows.tons_per_year.tobytes() == second.ground.rows.tons_per_year.tobytes()


# --- wrong files ----------------------------------------------------------------------------------------------------


def raster_site(folder: Path, **grid: Any) -> Path:
    """Write a sound site with a K raster and land cover."""
    write_raster(folder / "dem.tif", plane(12, 9, 6.0))
    write_raster(folder / "k.tif", np.full((12, 9), 0.3))
    write_raster(folder / "cover.tif", np.full((12, 9), 42, dtype=np.uint8), nodata=None)
    (folder / "nlcd.csv").write_text("code,cover,C,source\n42,forest,0.004,OpenNSPECT\n")
    cover = {"land_cover": "cover.tif", "table": "nlcd.csv"}
    return site_file(
        folder,
        soils=[],
        ground_units=[unit("lots", soil=None)],
        phases=[phase("year", ["lots"], cover=cover)],
        grid={"dem": "dem.tif", "z_units": "m", "K": "k.tif", "K_source": "test", **grid},
    )


def missing_dem(folder: Path) -> None:
    (folder / "dem.tif").unlink()


def dem_in_degrees(folder: Path) -> None:
    write_raster(folder / "dem.tif", plane(12, 9, 6.0), crs="EPSG:4326", cell=1e-4, west=-88.05, north=42.94)


def dem_without_crs(folder: Path) -> None:
    write_raster(folder / "dem.tif", plane(12, 9, 6.0), crs=None)


def half_a_cell_off(folder: Path) -> None:
    write_raster(folder / "k.tif", np.full((12, 9), 0.3), west=WEST + 5.0)


def one_row_short(folder: Path) -> None:
    write_raster(folder / "k.tif", np.full((11, 9), 0.3))


def all_nodata(folder: Path) -> None:
    write_raster(folder / "dem.tif", np.full((12, 9), np.nan))


def code_without_c(folder: Path) -> None:
    codes = np.full((12, 9), 42, dtype=np.uint8)
    codes[3, :6] = 31
    write_raster(folder / "cover.tif", codes, nodata=None)


def k_missing_in_places(folder: Path) -> None:
    k = np.full((12, 9), 0.3)
    k[2:4, 5] = np.nan
    write_raster(folder / "k.tif", k)


def k_in_si(folder: Path) -> None:
    write_raster(folder / "k.tif", np.full((12, 9), 3.0))


WRONG = {
    # maker: code, where, and what the message says of value and remedy
    missing_dem: ("file-missing", "grid.dem", ("dem.tif", "check the path")),
    dem_in_degrees: ("crs-geographic", "grid.dem", ("degrees", "EPSG:26916", "gdalwarp")),
    dem_without_crs: ("crs-missing", "grid.dem", ("no coordinate reference system", "EPSG:26916")),
    half_a_cell_off: ("raster-misaligned", "grid.K", ("off by +0.5 cells in x", "gdalwarp")),
    one_row_short: ("raster-misaligned", "grid.K", ("11 rows x 9 columns, not 12 x 9", "gdalwarp")),
    all_nodata: ("grid-all-nodata", "grid.dem", ("no value in any cell", "give one that covers the site")),
    code_without_c: (
        "land-cover-without-C",
        "phases[0].cover.table",
        ("code 31 (0.1483 acres)", "nlcd.csv", "add a row"),  # 6 cells of 100 m2
    ),
    k_missing_in_places: ("cells-without-value", "grid.K", ("0.04942 acres of ground unit 'lots' (2 cells)", "covers")),
    k_in_si: ("raster-out-of-range", "grid.K", ("0 to 0.75", "108 cells", "first 3", 'units = "us"')),
}


@pytest.mark.parametrize("spoil", WRONG, ids=lambda f: f.__name__)
def test_a_wrong_raster_is_named_with_value_and_remedy(tmp_path: Path, spoil: Any) -> None:
    path = raster_site(tmp_path)
    loaded(path)  # sound before
    spoil(tmp_path)
    code, where, words = WRONG[spoil]
    (finding,) = mistakes(path)
    assert (finding.code, finding.where) == (code, where)
    for word in words:
        assert word in finding.message


def test_a_dem_in_feet_needs_its_unit_said(tmp_path: Path) -> None:
    data = raster_site(tmp_path, z_units=None)
    (finding,) = mistakes(data)
    assert (finding.code, finding.where) == ("vertical-unit-missing", "grid.dem")
    assert "z_units as 'm', 'ft' or 'us-ft'" in finding.message


def test_all_mistakes_of_all_files_at_once(tmp_path: Path) -> None:
    path = raster_site(tmp_path, ground_units={"file": "units.geojson", "attribute": "name"}, barriers="/etc/hostname")
    write_boxes(tmp_path / "units.geojson", {"lots": (0, 0, 9, 12)})
    missing_dem(tmp_path)
    one_row_short(tmp_path)
    code_without_c(tmp_path)
    found = {(f.code, f.where) for f in mistakes(path)}
    assert ("file-missing", "grid.dem") in found
    assert ("land-cover-without-C", "phases[0].cover.table") in found
    assert ("attribute-missing", "grid.ground_units") in found
    assert ("path-absolute", "grid.barriers") in found
    # Without the DEM the rasters are held against the first that can be read.
    (size,) = [f for f in mistakes(path) if f.code == "raster-misaligned"]
    assert "12 rows x 9 columns, not 11 x 9" in size.message
    assert "the cells of the K raster" in size.message


@pytest.mark.parametrize("name", ["/etc/passwd", "C:\\dem.tif", "\\dem.tif"])
def test_absolute_paths_are_refused(tmp_path: Path, name: str) -> None:
    path = raster_site(tmp_path, dem=name)
    assert [(f.code, f.where) for f in mistakes(path)] == [("path-absolute", "grid.dem")]


def test_paths_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    inner = tmp_path / "site"
    inner.mkdir()
    path = raster_site(inner, dem="../dem.tif")
    shutil.copy(inner / "dem.tif", tmp_path / "dem.tif")
    assert [(f.code, f.where) for f in mistakes(path)] == [("path-outside", "grid.dem")]
    (inner / "link.tif").symlink_to(tmp_path / "dem.tif")
    assert [f.code for f in mistakes(raster_site(inner, dem="link.tif"))] == ["path-outside"]


def polygon_site(folder: Path, boxes: dict[str, tuple[float, float, float, float]], **changes: Any) -> Path:
    write_raster(folder / "dem.tif", plane(12, 9, 6.0))
    write_boxes(folder / "units.geojson", boxes)
    grid = {"dem": "dem.tif", "z_units": "m", "ground_units": {"file": "units.geojson", "attribute": "id"}}
    grid |= changes.pop("grid", {})
    units = [unit("lots"), unit("street")]
    return site_file(folder, ground_units=units, phases=[phase("all", ["lots", "street"])], grid=grid, **changes)


def test_ground_units_that_overlap(tmp_path: Path) -> None:
    path = polygon_site(tmp_path, {"lots": (0, 0, 6, 12), "street": (5, 0, 9, 12)})
    (finding,) = mistakes(path)
    assert finding.code == "polygons-overlap"
    assert "'lots' and 'street' of units.geojson overlap by 0.2965 acres" in finding.message  # 12 cells of 100 m2


def test_ground_units_beyond_the_raster(tmp_path: Path) -> None:
    path = polygon_site(tmp_path, {"lots": (0, 0, 6, 12), "street": (6, 0, 11, 12)})
    (finding,) = mistakes(path)
    assert finding.code == "ground-outside-raster"
    assert "0.5931 acres beyond the edge" in finding.message  # 24 cells


def test_polygons_and_the_site_must_name_the_same_units(tmp_path: Path) -> None:
    path = polygon_site(tmp_path, {"lots": (0, 0, 6, 12), "strete": (6, 0, 9, 12)})
    found = {f.code: f for f in mistakes(path)}
    assert set(found) == {"unknown-ground-unit", "unit-without-cells"}
    assert "polygon 'strete' (0.8896 acres) is no ground unit" in found["unknown-ground-unit"].message  # 36 cells
    assert "'street' has no cells: no polygon has this id" in found["unit-without-cells"].message


def test_a_unit_smaller_than_a_cell_has_no_cells(tmp_path: Path) -> None:
    path = polygon_site(tmp_path, {"lots": (0, 0, 6, 12), "street": (6.6, 0, 6.9, 12)})
    (finding,) = mistakes(path)
    assert "its polygon holds the centre of no cell" in finding.message


def test_ground_that_no_drainage_area_covers(tmp_path: Path) -> None:
    write_boxes(tmp_path / "areas.geojson", {"east": (0, 0, 9, 10)})
    path = polygon_site(
        tmp_path,
        {"lots": (0, 0, 6, 12), "street": (6, 0, 9, 12)},
        grid={"drainage_areas": {"file": "areas.geojson", "attribute": "id"}},
    )
    data = json.loads(path.read_text())
    for given in data["ground_units"]:
        del given["drainage_area"]
    path.write_text(json.dumps(data))
    (finding,) = mistakes(path)
    assert (finding.code, finding.where) == ("ground-uncovered", "grid.drainage_areas")
    assert "0.4448 acres of ground units 'lots', 'street' (18 cells)" in finding.message


def write_places(path: Path, places: dict[str, tuple[float, float]], cell: float = 10.0) -> None:
    """Write points by id, given as (column, row) of cells; whole numbers are corners, so add a half."""
    features = [
        {
            "type": "Feature",
            "properties": {"id": name},
            "geometry": {"type": "Point", "coordinates": [WEST + col * cell, NORTH - row * cell]},
        }
        for name, (col, row) in places.items()
    ]
    write_features(path, features, UTM)


def flow_site(folder: Path, places: dict[str, tuple[float, float]], **grid: Any) -> Path:
    """A V-valley of 12 rows and 9 columns that falls to the south in its middle column, one unit on all of it."""
    x = np.abs(np.arange(-4, 5.0))
    write_raster(folder / "dem.tif", 250.0 + 1.0 * x[None, :] - 0.2 * np.arange(12.0)[:, None])
    write_places(folder / "outfalls.geojson", places)
    spec = {"file": "outfalls.geojson", "attribute": "id"} | grid.pop("outfalls", {})
    areas = [{"id": "upper", "outfall": "pond"}, {"id": "lower", "outfall": "pond"}]
    return site_file(
        folder,
        drainage_areas=areas,
        ground_units=[unit("lots", drainage_area=None)],
        grid={"dem": "dem.tif", "z_units": "m", "outfalls": spec, **grid},
    )


def test_drainage_areas_by_outfalls_and_practices(tmp_path: Path) -> None:
    """The side slopes are five times as steep as the valley, so each row drains straight to it."""
    load = loaded(flow_site(tmp_path, {"upper": (4.5, 4.5), "lower": (4.5, 11.5)}))
    acres = {load.site.drainage_areas[a].id: 0.0 for a in (0, 1)}
    for area, own in zip(load.ground.pieces.drainage_area, load.ground.pieces.acres, strict=True):
        acres[load.site.drainage_areas[area].id] += float(own)
    assert acres == pytest.approx({"upper": 5 * 9 * 100 / ACRE_M2, "lower": 7 * 9 * 100 / ACRE_M2}, rel=1e-12)
    assert "D8" in load.provenance["methods"]["drainage areas"]
    assert "outfalls.geojson" in load.provenance["files"]


def test_an_outfall_beside_the_flow_is_refused_or_moved(tmp_path: Path) -> None:
    places = {"upper": (4.5, 4.5), "lower": (2.5, 11.5)}
    (finding,) = mistakes(flow_site(tmp_path, places))
    assert (finding.code, finding.where) == ("ground-uncovered", "grid.outfalls")
    assert "meets no outfall" in finding.message
    load = loaded(flow_site(tmp_path, places, outfalls={"snap": 70.0}))  # feet; two cells are 65.6
    moved = {f.message for f in load.findings if f.code == "place-moved"}
    assert "'lower' was moved by 20 m to where the most water flows" in moved


def test_outfalls_and_drainage_areas_are_one_or_the_other(tmp_path: Path) -> None:
    path = flow_site(tmp_path, {"upper": (4.5, 4.5)}, drainage_areas={"file": "a.geojson", "attribute": "id"})
    assert "one-way-only" in {f.code for f in mistakes(path)}


def test_channels_sealed_ground_and_walls_of_a_site(tmp_path: Path) -> None:
    """Channel cells leave tons and acres; a roof adds acres and no tons; both compared with the LS map itself."""
    z = plane(12, 9, 6.0)
    write_raster(tmp_path / "dem.tif", z)
    line = [[WEST + 45.0, NORTH - 5.0], [WEST + 45.0, NORTH - 115.0]]
    ditch = {"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": line}}
    write_features(tmp_path / "ditch.geojson", [ditch], UTM)
    write_boxes(tmp_path / "roof.geojson", {"roof": (0, 0, 2, 3)})
    grid = {"dem": "dem.tif", "z_units": "m", "channels": "ditch.geojson", "sealed": "roof.geojson", "max_fill": 1.0}
    load = loaded(site_file(tmp_path, grid=grid))
    channels, sealed = np.zeros(z.shape, bool), np.zeros(z.shape, bool)
    channels[:, 4], sealed[:3, :2] = True, True
    ls = ls_of(z, channels=channels, sealed=sealed)
    assert load.totals.disturbed_acres == pytest.approx(12 * 8 * 100 / ACRE_M2, rel=1e-12)
    expected = 115.0 * 0.35 * np.nansum(ls) * 100 / ACRE_M2
    assert load.ground.rows.tons_per_year[0] == pytest.approx(expected, rel=1e-12)
    assert (ls[sealed] == 0.0).all()
    codes = {f.code for f in load.findings}
    assert {"channels-left-out", "sealed-ground"} <= codes
    write_boxes(tmp_path / "wall.geojson", {"wall": (2, 6, 7, 7)})
    walled = loaded(site_file(tmp_path, grid={"dem": "dem.tif", "z_units": "m", "walls": "wall.geojson"}))
    open_ground = loaded(site_file(tmp_path))
    assert walled.totals.eroded < open_ground.totals.eroded


def test_channels_by_contributing_area(tmp_path: Path) -> None:
    """On a plane the cell of row r has r + 1 cells of 100 m2 with its own: channels begin in the ninth row."""
    grid = {"dem": "dem.tif", "z_units": "m", "routing": "d8", "channel_area": 850.0 / ACRE_M2}
    write_raster(tmp_path / "dem.tif", plane(12, 9, 6.0))
    load = loaded(site_file(tmp_path, grid=grid))
    assert load.totals.disturbed_acres == pytest.approx(8 * 9 * 100 / ACRE_M2, rel=1e-12)
    ls = ls_of(plane(12, 9, 6.0), routing="d8")  # above a channel LS is what it was
    assert load.ground.rows.tons_per_year[0] == pytest.approx(115.0 * 0.35 * ls[:8].sum() * 100 / ACRE_M2, rel=1e-12)
    (note,) = [f for f in load.findings if f.code == "channels-left-out"]
    assert note.where == "grid.channel_area"
    assert "36 cells" in note.message
    assert load.provenance["methods"]["channels"] == "from 0.21004 acres of contributing area"


def test_ground_outside_all_polygons_is_no_part_of_the_site(tmp_path: Path) -> None:
    load = loaded(polygon_site(tmp_path, {"lots": (0, 0, 4, 12), "street": (6, 0, 9, 12)}))
    assert load.totals.disturbed_acres == pytest.approx(7 * 12 * 100.0 / ACRE_M2, rel=1e-12)


def test_a_graded_surface_must_line_up(tmp_path: Path) -> None:
    path = raster_site(tmp_path)
    data = json.loads(path.read_text())
    data["phases"][0]["dem"] = "graded.tif"
    path.write_text(json.dumps(data))
    write_raster(tmp_path / "graded.tif", plane(12, 9, 6.0), north=NORTH + 2.5)
    (finding,) = mistakes(path)
    assert (finding.code, finding.where) == ("raster-misaligned", "phases[0].dem")
    assert "off by +0.25 cells in y" in finding.message


def test_disturbed_ground_over_60_percent_stops_and_background_does_not(tmp_path: Path) -> None:
    dem = plane(12, 9, 6.0)
    dem[:, 6:] += np.arange(1, 4) * 7.0  # 70 % to the west
    write_raster(tmp_path / "dem.tif", dem)
    write_boxes(tmp_path / "units.geojson", {"lots": (0, 0, 5, 12), "bank": (5, 0, 9, 12)})
    grid = {"dem": "dem.tif", "z_units": "m", "ground_units": {"file": "units.geojson", "attribute": "id"}}
    left = {"stabilized": None, "final_cover": None, "existing_cover": {"C": 0.01, "source": "test"}}
    kept = site_file(
        tmp_path, ground_units=[unit("lots"), unit("bank", **left)], phases=[phase("all", ["lots"])], grid=grid
    )
    load = loaded(kept)
    (note,) = [f for f in load.findings if f.code == "background-without-LS"]
    assert "ground unit 'bank'" in note.message
    dug = site_file(
        tmp_path, ground_units=[unit("lots"), unit("bank")], phases=[phase("all", ["lots", "bank"])], grid=grid
    )
    (finding,) = mistakes(dug)
    assert finding.code == "slope-over-limit"
    assert "ground unit 'bank'" in finding.message
    assert "60 %" in finding.message


def test_steep_disturbed_ground_is_told_in_acres(tmp_path: Path) -> None:
    write_raster(tmp_path / "dem.tif", plane(12, 9, 40.0))
    load = loaded(site_file(tmp_path))
    found = {f.code: f.message for f in load.findings}
    assert "0.27 acres" not in found["over-3-to-1"]
    assert "2.67 acres (100.0% of the disturbed ground)" in found["over-3-to-1"]  # 108 cells of 100 m2
    assert "2.669 acres of ground unit 'lots' (108 cells)" in found["slopes-20-percent"]


def test_k_of_zero_on_ground_that_erodes_is_a_finding(tmp_path: Path) -> None:
    path = raster_site(tmp_path)
    k = np.full((12, 9), 0.3)
    k[:2] = 0.0
    write_raster(tmp_path / "k.tif", k)
    (finding,) = [f for f in loaded(path).findings if f.code == "K-zero"]
    assert finding.severity == "warning"
    assert "K = 0 outside water: 0.4448 acres of ground unit 'lots' (18 cells)" in finding.message


# --- the example ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded_pad() -> Any:
    return loaded(sc.example("graded_pad/site.toml"))


def test_the_example_is_what_its_script_makes(tmp_path: Path) -> None:
    folder = sc.example("graded_pad/site.toml").parent
    spec = importlib.util.spec_from_file_location("make_surface", folder / "make_surface.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.write(tmp_path)
    made = sorted(p.name for p in tmp_path.iterdir())
    assert made == [
        "barriers.geojson",
        "drainage_areas.geojson",
        "existing.tif",
        "graded.tif",
        "ground_units.geojson",
        "soils.geojson",
    ]
    for name in made:
        if name.endswith(".geojson"):
            assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
            continue
        assert (folder / name).stat().st_size < 300_000
        with rasterio.open(tmp_path / name) as new, rasterio.open(folder / name) as kept:
            assert (new.read(1) == kept.read(1)).all()
            assert (new.crs, new.transform, new.units) == (kept.crs, kept.transform, kept.units)


def test_the_grading_of_the_example_stays_within_its_limits() -> None:
    folder = sc.example("graded_pad/site.toml").parent
    with rasterio.open(folder / "existing.tif") as one, rasterio.open(folder / "graded.tif") as two:
        moved = np.abs(two.read(1) - one.read(1)) > 0.0005
    inside = np.zeros_like(moved)
    inside[46:142, 32:168] = True
    assert moved.any()
    assert not (moved & ~inside).any()


def test_the_example_meets_its_ordinance_by_its_practices(graded_pad: Any) -> None:
    # Acres by the rectangles of the script: 136 x 96 m within the limits, 180 x 180 m of parcel.
    assert graded_pad.totals.disturbed_acres == pytest.approx(136 * 96 / ACRE_M2, rel=1e-12)
    assert graded_pad.ground.pieces.acres.sum() == pytest.approx(180 * 180 / ACRE_M2, rel=1e-12)
    ruling = sc.check_compliance(graded_pad)
    assert ruling.status == "meets"
    assert [c.efficiency for c in graded_pad.network.credits] == [0.8, 0.8]
    without = graded_pad.totals.discharged / 0.2 / graded_pad.totals.disturbed_acres
    assert without > 5.0 * graded_pad.totals.years  # bare of its traps it would exceed
    codes = {f.code for f in graded_pad.findings}
    assert "slopes-20-percent" in codes
    assert not codes & {"over-3-to-1", "K-zero", "depressions-filled"}


def test_the_example_runs_from_any_folder(tmp_path: Path, graded_pad: Any) -> None:
    copied = tmp_path / "elsewhere"
    shutil.copytree(sc.example("graded_pad/site.toml").parent, copied)
    assert loaded(copied / "site.toml").columns == graded_pad.columns


# --- real ground ----------------------------------------------------------------------------------------------------


def test_a_site_on_the_lidar_surface(tmp_path: Path, shared_data: Path) -> None:
    # 1 m bare-earth lidar in Minnesota: lots and a street laid out on a hillside of kettle country, two soils, a trap.
    shutil.copy(shared_data / "terrain" / "lidar_1m" / "dem.tif", tmp_path / "dem.tif")
    with rasterio.open(tmp_path / "dem.tif") as source:
        elevations, bounds, crs = source.read(1), source.bounds, source.crs.to_string()

    def boxes(name: str, given: dict[str, tuple[int, int, int, int]]) -> None:
        features = []
        for key, (left, top, right, bottom) in given.items():
            x0, x1, y0, y1 = bounds.left + left, bounds.left + right, bounds.top - top, bounds.top - bottom
            ring = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
            shape = {"type": "Polygon", "coordinates": [ring]}
            features.append({"type": "Feature", "properties": {"id": key}, "geometry": shape})
        write_features(tmp_path / name, features, crs)

    boxes("units.geojson", {"west": (20, 352, 105, 394), "street": (105, 352, 115, 394), "east": (115, 352, 190, 394)})
    boxes("areas.geojson", {"upper": (20, 352, 190, 375), "lower": (20, 375, 190, 394)})
    boxes("soils.geojson", {"loam": (0, 340, 120, 400), "silt loam": (120, 340, 200, 400)})
    of_polygons = {"soil": None, "drainage_area": None}
    trap = {"id": "trap", "drainage_areas": ["upper"], "start": "2027-04-01", "end": "2027-12-31"}
    path = site_file(
        tmp_path,
        soils=[
            {"id": "loam", "texture": "loam", "organic_matter_pct": 2.0},
            {"id": "silt loam", "texture": "silt loam", "organic_matter_pct": 2.0},
        ],
        drainage_areas=[{"id": "upper", "outfall": "ditch"}, {"id": "lower", "outfall": "ditch"}],
        ground_units=[unit(u, **of_polygons) for u in ("west", "street", "east")],
        phases=[
            phase("clearing", ["west", "street", "east"], end="2027-05-31"),
            phase("lots mulched", ["west", "east"], start="2027-06-01", cover="hay mulch 2.0 t/ac"),
            phase("street base", ["street"], start="2027-06-01", cover="gravel"),
        ],
        practices=[{**trap, "size_rule": "sediment trap", "surface_area": 2000.0}],
        grid={
            "dem": "dem.tif",
            "z_units": "m",
            "soils": {"file": "soils.geojson", "attribute": "id"},
            "ground_units": {"file": "units.geojson", "attribute": "id"},
            "drainage_areas": {"file": "areas.geojson", "attribute": "id"},
        },
    )
    load = loaded(path)
    assert load.totals.disturbed_acres == pytest.approx(170 * 42 / ACRE_M2, rel=1e-9)
    dem = grid_from_array(elevations, (1, 0, bounds.left, 0, -1, bounds.top), crs, xy_unit_m=1.0, z_unit_m=1.0)
    ls = ls_raster(dem).ls.values.astype(np.float64)
    k = np.zeros(ls.shape)
    k[340:400, :120], k[340:400, 120:200] = 0.34, 0.42  # Stewart et al. 1975 at 2 % organic matter
    c = np.zeros(ls.shape)
    c[352:394, 20:190] = 0.02
    c[352:394, 105:115] = 0.05
    site = np.s_[352:394, 20:190]
    yearly = 115.0 * k[site] * ls[site] / ACRE_M2
    table = (
        load.table.query("phase != 'stabilized'")
        .groupby("phase")
        .agg({"soil_loss_tons": "sum", "ei_fraction": "first"})
    )
    clearing, mulched, base = (table.loc[p] for p in ("clearing", "lots mulched", "street base"))
    street = np.zeros(ls.shape, dtype=bool)
    street[352:394, 105:115] = True
    assert clearing.soil_loss_tons == pytest.approx(yearly.sum() * clearing.ei_fraction, rel=1e-9)
    on_lots = (yearly * c[site])[~street[site]].sum()
    assert mulched.soil_loss_tons == pytest.approx(on_lots * mulched.ei_fraction, rel=1e-9)
    assert base.soil_loss_tons == pytest.approx((yearly * c[site])[street[site]].sum() * base.ei_fraction, rel=1e-9)
    # 1,560 ft2 per acre of medium soils on 170 x 23 m: 1,507 ft2 are needed.
    assert load.network.credits[0].efficiency == 0.8
    upper = load.table.query("drainage_area == 'upper' and ei_fraction > 0")
    assert upper.discharge_tons.to_numpy() == pytest.approx(0.2 * upper.delivered_tons.to_numpy(), rel=1e-9)


def test_northeast_puerto_rico_as_one_annual_phase(tmp_path: Path, shared_data: Path) -> None:
    """NOAA's OpenNSPECT sample: R, K, elevation and land cover at 30 m, each with its CRS in a .prj beside it."""
    source = shared_data / "grids" / "opennspect_ne_puerto_rico"
    values: dict[str, Values] = {}
    for name in ("Elevation_30m_NEC", "NLCD_2001_NEC", "R-Factor_NEC", "soilsk1"):
        for ending in (".tif", ".prj"):
            shutil.copy(source / f"{name}{ending}", tmp_path / f"{name}{ending}")
        with rasterio.open(source / f"{name}.tif") as raster:
            values[name] = raster.read(1, masked=True).astype(np.float64).filled(np.nan)
            transform = raster.transform
    lines = ["code,cover,C,source", *(f"{code},{name},{c},NOAA OpenNSPECT" for code, (name, c) in NLCD_C.items())]
    (tmp_path / "nlcd.csv").write_text("\n".join(lines) + "\n")
    dem, r, k = values["Elevation_30m_NEC"], values["R-Factor_NEC"], values["soilsk1"]
    grid = grid_from_array(dem.astype(np.float32), tuple(transform)[:6], "EPSG:32161", xy_unit_m=1.0, z_unit_m=1.0)
    ls = ls_raster(grid).ls.values.astype(np.float64)
    # R is missing on a strip of shore: no part of the site. Slopes over 60 % are beyond the method: background.
    covered = ~np.isnan(dem) & ~np.isnan(r) & ~np.isnan(k)
    land = covered & ~np.isnan(ls)
    steep = covered & np.isnan(ls)
    features = []
    for name, mask in (("land", land), ("steep", steep)):
        shapes = rasterio.features.shapes(mask.astype(np.uint8), mask=mask, transform=transform)
        features += [{"type": "Feature", "properties": {"id": name}, "geometry": shape} for shape, _ in shapes]
    write_features(tmp_path / "units.geojson", features, "EPSG:32161")
    even = [100.0 * i / 24 for i in range(25)]
    cover = {"land_cover": "NLCD_2001_NEC.tif", "table": "nlcd.csv"}
    bare = {"soil": None, "stabilized": None, "final_cover": None}
    path = site_file(
        tmp_path,
        location={"ei_distribution": {"cumulative_pct": even, "source": "even over the year, for a whole year"}},
        soils=[],
        ground_units=[
            unit("land", soil=None, final_cover={"C": 0.004, "source": "test"}, stabilized="2027-12-31"),
            unit("steep", **bare, existing_cover={"C": 0.004, "source": "test"}),
        ],
        phases=[phase("year", ["land"], start="2027-01-01", end="2027-12-31", cover=cover)],
        grid={
            "dem": "Elevation_30m_NEC.tif",
            "z_units": "m",
            "R": "R-Factor_NEC.tif",
            "R_source": "NOAA OpenNSPECT",
            "K": "soilsk1.tif",
            "K_source": "NOAA OpenNSPECT",
            "ground_units": {"file": "units.geojson", "attribute": "id"},
        },
    )
    load = loaded(path)
    c = np.zeros(dem.shape)
    for code, (_, value) in NLCD_C.items():
        c[values["NLCD_2001_NEC"] == code] = value
    acres = 900.0 / ACRE_M2
    tons = (r[land] * k[land] * ls[land] * c[land]).sum() * acres
    year = load.table.query("phase == 'year'")
    assert year.soil_loss_tons.sum() == pytest.approx(tons, rel=1e-9)
    assert load.totals.disturbed_acres == pytest.approx(land.sum() * acres, rel=1e-12)
    # Tons per acre of a mostly forested, steep and very rainy land: more than a field in Wisconsin, less than a cut.
    assert 1.0 < tons / (land.sum() * acres) < 100.0
    zero = (k == 0.0) & ((land & (c > 0.0)) | steep)
    (finding,) = [f for f in load.findings if f.code == "K-zero"]
    assert f"({zero.sum():,} cells)" in finding.message
    assert {f.where for f in load.findings if f.code == "crs-from-sidecar"} >= {"grid.dem", "grid.R"}
    assert "soilsk1.tif" in load.provenance["files"]
    assert "Elevation_30m_NEC.prj" in load.provenance["files"]
