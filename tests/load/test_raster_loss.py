"""Soil loss of rasters by strips, against NumPy on whole arrays, the load of a gridded site, and itself."""

import json
import tracemalloc
from pathlib import Path

import numba
import numpy as np
import pytest
import rasterio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rasterio.transform import Affine

import sedcalc as sc
from sedcalc import units
from sedcalc.findings import InputError
from sedcalc.io.raster_rows import RasterRows
from sedcalc.io.rasters import read_grid, write_grid
from sedcalc.io.vectors import rasterize_zones, read_polygons
from sedcalc.io.zone_rows import ZoneRows
from sedcalc.load import raster_inputs, raster_loss, raster_totals
from sedcalc.load.raster_loss import soil_loss_of_rasters

WEST, NORTH, CELL = 420_000.0, 4_750_000.0, 10.0
SHAPE = (700, 90)


def write(path: Path, values, crs="EPSG:26916", nodata=None, west=WEST, cell=CELL, north=NORTH) -> Path:
    profile = {"driver": "GTiff", "height": values.shape[0], "width": values.shape[1], "count": 1, "crs": crs}
    profile |= {"dtype": values.dtype, "nodata": nodata, "tiled": True, "blockxsize": 64, "blockysize": 64}
    with rasterio.open(path, "w", **profile, transform=Affine(cell, 0, west, 0, -cell, north)) as out:
        out.write(values, 1)
    return path


def box(name, top, bottom, left, right):
    """A polygon along the edges of cells, by rows and columns."""
    x = [WEST + CELL * c for c in (left, right)]
    y = [NORTH - CELL * r for r in (top, bottom)]
    ring = [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]], [x[0], y[0]]]
    return {"type": "Feature", "properties": {"id": name}, "geometry": {"type": "Polygon", "coordinates": [ring]}}


def drawn(path: Path, *features, crs="EPSG::26916") -> Path:
    member = {"type": "name", "properties": {"name": f"urn:ogc:def:crs:{crs}"}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": member, "features": list(features)}))
    return path


@pytest.fixture
def site(tmp_path):
    """Five rasters with nodata of several kinds, three zones, and classes."""
    rng = np.random.default_rng(7)
    arrays = {
        "R": rng.uniform(90, 130, SHAPE),
        "K": rng.uniform(0.1, 0.5, SHAPE).astype(np.float32),
        "LS": rng.uniform(0.03, 20, SHAPE).astype(np.float32),
        "C": rng.uniform(0, 1.2, SHAPE).astype(np.float32),
        "P": rng.uniform(0.5, 1.3, SHAPE),
    }
    for name, share in (("K", 0.05), ("LS", 0.03), ("C", 0.02)):
        arrays[name][rng.random(SHAPE) < share] = np.nan
    nodata = {"K": -1.0, "LS": np.nan, "C": -9999.0}
    files = {}
    for name, values in arrays.items():
        filled = np.where(np.isnan(values), nodata.get(name, 0.0), values).astype(values.dtype)
        files[name] = write(tmp_path / f"{name}.tif", filled, nodata=nodata.get(name))
    classes = rng.choice(np.array([11, 42, 82, 255], np.uint8), (SHAPE[0] // 10, SHAPE[1] // 10)).repeat(10, 0)
    files["classes"] = write(tmp_path / "classes.tif", classes.repeat(10, 1), nodata=255)
    zone = np.full(SHAPE, -1)
    zone[3:300, 2:40], zone[300:690, 2:40], zone[3:690, 40:88] = 0, 1, 2
    files["zones"] = drawn(
        tmp_path / "zones.geojson",
        box("north", 3, 300, 2, 40),
        box("south", 300, 690, 2, 40),
        box("east", 3, 690, 40, 88),
    )
    return arrays, files, zone, classes.repeat(10, 1)


def factors(files):
    return [files[name] for name in ("R", "K", "LS", "C", "P")]


def test_rows_and_raster_are_those_of_numpy(site, tmp_path):
    arrays, files, zone, classes = site
    C = {"bare": 1.0, "mulch": files["C"]}
    found = soil_loss_of_rasters(
        files["R"], files["K"], files["LS"], C, files["P"], zones=files["zones"], classes=files["classes"],
        out=tmp_path / "loss.tif",
    )  # fmt: skip
    wide = {name: values.astype(np.float64) for name, values in arrays.items()}
    acre = CELL**2 / 4046.8564224
    rows = iter(found.rows())
    with rasterio.open(tmp_path / "loss.tif") as written:
        assert written.descriptions == ("soil loss, bare", "soil loss, mulch")
        assert written.units == ("tons/acre/year",) * 2
        assert (written.dtypes, np.isnan(written.nodata)) == (("float32",) * 2, True)
        bands = written.read()
        tags = written.tags()
    assert tags["C"] == "bare: 1; mulch: C.tif"
    assert tags["K"] == "K.tif"
    for band, c in zip(bands, (np.ones(SHAPE), wide["C"]), strict=True):
        loss = wide["R"] * wide["K"] * wide["LS"] * c * wide["P"]
        known = ~np.isnan(loss)
        np.testing.assert_array_equal(np.isnan(band), ~known)
        np.testing.assert_allclose(band[known], loss[known], rtol=1e-7)
        for z, name in enumerate(("north", "south", "east")):
            for code in (11, 42, 82):
                row = next(rows)
                own = (zone == z) & (classes == code)
                assert (row["zone"], row["class"], row["cells"]) == (name, code, own.sum())
                assert row["cells_with_value"] == (own & known).sum()
                assert row["tons_per_year"] == pytest.approx(loss[own & known].sum() * acre, rel=1e-12)
                assert row["tons_per_acre_per_year"] == pytest.approx(loss[own & known].mean(), rel=1e-12)
                assert row["acres"] == pytest.approx(own.sum() * acre, rel=1e-14)
                for symbol, values in {**wide, "C": c}.items():
                    assert row[f"cells_without_{symbol}"] == (own & np.isnan(values)).sum()
                    assert row[symbol] == pytest.approx(values[own & known].mean(), rel=1e-12)
    assert next(rows, None) is None
    ranges = {r.symbol: r for r in found.ranges}
    assert (ranges["LS"].least, ranges["LS"].greatest) == (np.nanmin(arrays["LS"]), np.nanmax(arrays["LS"]))
    assert ranges["LS"].without_value == np.isnan(arrays["LS"]).sum()
    said = {(f.code, f.severity) for f in found.findings}
    assert said == {("cells-without-value", "warning"), ("cells-without-class", "warning")}
    assert list(found.table.columns) == list(found.rows()[0])


def columns(found):
    return [getattr(found, n).tobytes() for n in ("cells", "missing", "means", "tons_per_year", "acres_with_value")]


def test_neither_strips_nor_threads_change_a_bit(site, tmp_path, monkeypatch):
    _, files, _, _ = site
    seen = set()
    for rows, threads in ((1, 1), (7, 1), (256, 1), (256, 2), (512, 1), (768, 2)):
        monkeypatch.setattr(raster_totals, "_STRIP_ROWS", rows)
        before = numba.get_num_threads()
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        out = tmp_path / "loss.tif" if rows % 256 == 0 else None
        C = {"bare": 1.0, "mulch": files["C"]}
        try:
            found = soil_loss_of_rasters(
                files["R"], files["K"], files["LS"], C, files["P"], zones=files["zones"], classes=files["classes"],
                out=out,
            )  # fmt: skip
        finally:
            numba.set_num_threads(before)
        seen.add(b"".join(columns(found)))
        if out is not None:
            seen.add(out.read_bytes())
    assert len(seen) == 2


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0.1, 9.0), st.integers(4, 698), st.integers(3, 87))
def test_loss_is_linear_in_r_and_zones_add_up(site, tmp_path, scale, row, col):
    _, files, _, _ = site
    k, ls, c, p = factors(files)[1:]
    whole = soil_loss_of_rasters(100.0, k, ls, c, p)
    scaled = soil_loss_of_rasters(100.0 * scale, k, ls, c, p)
    assert scaled.tons_per_year[0] == pytest.approx(scale * whole.tons_per_year[0], rel=1e-12)
    assert soil_loss_of_rasters(200.0, k, ls, c, p).tons_per_year[0] == 2 * whole.tons_per_year[0]
    corners = [(0, row, 0, col), (0, row, col, 90), (row, 700, 0, col), (row, 700, col, 90)]
    zones = drawn(tmp_path / "parts.geojson", *(box(str(i), *c) for i, c in enumerate(corners)))
    parts = soil_loss_of_rasters(100.0, k, ls, c, p, zones=zones)
    assert parts.tons_per_year.sum() == pytest.approx(whole.tons_per_year[0], rel=1e-12)
    assert (parts.cells.sum(), parts.cells_with_value.sum()) == (whole.cells[0], whole.cells_with_value[0])


def test_rows_are_read_once_and_a_strip_at_a_time(tmp_path, monkeypatch):
    """A raster of 20,480 x 32 cells: what is in memory at once is a strip, 1/80 of each."""
    shape = (20_480, 32)
    files = [write(tmp_path / f"{n}.tif", np.full(shape, 0.5, np.float32)) for n in ("k", "ls", "c")]
    zones = drawn(tmp_path / "zones.geojson", box("west", 0, shape[0], 0, 16), box("east", 0, shape[0], 16, 32))
    soil_loss_of_rasters(100, *files, 1, zones=zones)  # what is loaded and compiled once
    read = []

    def counted(kind):
        original = kind.__getitem__

        def item(self, rows):
            read.append((id(self), rows.start, rows.stop))
            return original(self, rows)

        monkeypatch.setattr(kind, "__getitem__", item)

    counted(RasterRows)
    counted(ZoneRows)
    tracemalloc.start()
    found = soil_loss_of_rasters(100, *files, 1, zones=zones, out=tmp_path / "loss.tif")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.tons_per_acre_per_year.tolist() == [12.5, 12.5]
    by_source = {}
    for source, start, stop in read:
        by_source.setdefault(source, []).append((start, stop))
    assert len(by_source) == 4
    assert all(w == [(i, i + 256) for i in range(0, shape[0], 256)] for w in by_source.values())
    assert peak < shape[0] * shape[1] * 4  # less than one of the rasters whole


ANY_POLYGON = st.lists(st.tuples(st.floats(-50, 650), st.floats(-50, 750)), min_size=3, max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(ANY_POLYGON, min_size=1, max_size=4), st.integers(1, 70))
def test_zones_by_strips_are_those_of_the_whole_grid(polygons, height):
    import shapely

    from sedcalc.io.raster_rows import without_values

    cells = without_values((70, 60), (10.0, 0.0, 0.0, 0.0, -10.0, 700.0), "EPSG:26916", 1.0)
    hulls = [shapely.MultiPoint(points).convex_hull for points in polygons]
    features = [(i, hull) for i, hull in enumerate(hulls) if hull.geom_type == "Polygon"]
    zones = ZoneRows(features, cells)
    strips = np.vstack([zones[slice(i, i + height)] for i in range(0, 70, height)])
    whole = rasterize_zones(features, cells.with_values(np.zeros((70, 60)))).index
    np.testing.assert_array_equal(strips, whole)


def test_acres_are_those_of_the_unit_of_the_crs(tmp_path):
    """International foot (Montana), US survey foot (Wisconsin), metre: the definitions of the units, by hand."""
    for crs, metres in (("EPSG:2256", 0.3048), ("EPSG:2289", 1200 / 3937), ("EPSG:26916", 1.0)):
        ls = write(tmp_path / "ls.tif", np.full((4, 5), 2.0), crs=crs, west=2_000_000.0, cell=100.0)
        found = soil_loss_of_rasters(100, 0.3, ls, 1, 1)
        acres = 20 * (100 * metres) ** 2 / 4046.8564224
        assert found.acres[0] == pytest.approx(acres, rel=1e-14)
        assert found.tons_per_year[0] == pytest.approx(60 * acres, rel=1e-13)


def test_si_rasters_give_the_same_tons(site, tmp_path):
    """1 R(US) = 17.0195 MJ mm/(ha h), 1 K(US) = 0.131714 t ha h/(ha MJ mm): the product comes back in tons/acre."""
    arrays, files, _, _ = site
    r = write(tmp_path / "r_si.tif", arrays["R"] * units.R_US_SI)
    k = write(tmp_path / "k_si.tif", arrays["K"].astype(np.float64) * units.K_US_SI, nodata=np.nan)
    ours = soil_loss_of_rasters(*factors(files))
    si = soil_loss_of_rasters(r, k, files["LS"], files["C"], files["P"], units="si")
    assert si.tons_per_year[0] == pytest.approx(ours.tons_per_year[0], rel=1e-7)
    assert si.means[0, :2] == pytest.approx(ours.means[0, :2] * [17.0195, 0.131714], rel=1e-5)
    assert ours.findings == tuple(f for f in ours.findings if f.code == "cells-without-value")
    taken_as_us = soil_loss_of_rasters(115, k, files["LS"], 1, 1)
    assert "K-may-be-SI" in {f.code for f in taken_as_us.findings}
    with pytest.raises(InputError, match=r"K raster is outside 0 to 0\.09879 in"):
        soil_loss_of_rasters(r, files["K"], files["LS"], 1, 1, units="si")


def codes(error):
    return sorted((f.code, Path(f.where or "").name) for f in error.value.findings)


def test_every_mistake_of_files_and_values_at_once_and_nothing_is_written(site, tmp_path):
    arrays, files, _, _ = site
    degrees = write(tmp_path / "degrees.tif", np.ones((4, 4)), crs="EPSG:4326", west=-88.0, cell=0.001, north=43.0)
    shifted = write(tmp_path / "shifted.tif", arrays["C"], west=WEST + 5, nodata=np.nan)
    high = write(tmp_path / "high.tif", np.where(arrays["P"] > 1.0, -9999.0, arrays["P"]))
    twice = drawn(tmp_path / "twice.geojson", box("a", 0, 9, 0, 9), box("a", 20, 29, 0, 9), box("b", 25, 35, 0, 9))
    out = tmp_path / "loss.tif"
    out.write_text("mine")
    with pytest.raises(InputError) as error:
        soil_loss_of_rasters(
            2000, degrees, files["LS"], {"a": shifted, "b": 20.0}, {"a": high, "c": 1}, zones=twice, out=out,
            classes=files["K"],
        )  # fmt: skip
    assert codes(error) == [
        ("class-not-whole", "K.tif"),
        ("crs-geographic", "degrees.tif"),
        ("factor-out-of-range", "C"),
        ("factor-out-of-range", "R"),
        ("phase-without-value", "C"),
        ("phase-without-value", "P"),
        ("polygons-overlap", "twice.geojson"),
        ("raster-misaligned", "shifted.tif"),
        ("raster-out-of-range", "high.tif"),
        ("zones-repeated", "twice.geojson"),
    ]
    said = {f.code: f.message for f in error.value.findings}
    assert "gdalwarp -t_srs EPSG:26916" in said["crs-geographic"]  # the zone of the place
    assert "off by +0.5 cells in x" in said["raster-misaligned"]
    assert "the LS raster's cells" in said["raster-misaligned"]
    count = int((arrays["P"] > 1.0).sum())
    assert f"outside 0 to 1.3 in {count:,} cells, its values go from -9999 to " in said["raster-out-of-range"]
    assert out.read_text() == "mine"
    assert not list(tmp_path.glob(".loss*"))


def test_what_only_the_pass_shows_is_wrong_leaves_nothing_behind(site, tmp_path):
    arrays, files, _, _ = site
    empty = np.where(np.arange(SHAPE[0])[:, None] < 300, np.float32(np.nan), arrays["K"])
    k = write(tmp_path / "k_part.tif", empty, nodata=np.nan)
    out = tmp_path / "loss.tif"
    found = soil_loss_of_rasters(100, k, files["LS"], 1, 1, zones=files["zones"])
    assert "'north'" in next(f.message for f in found.findings if f.code == "zone-without-values")
    by_zone = {row["zone"]: row for row in found.rows()}
    assert by_zone["north"]["tons_per_year"] is by_zone["north"]["K"] is None
    assert by_zone["south"]["tons_per_year"] > 0
    beyond = np.where(np.arange(SHAPE[0])[:, None] < 690, np.float32(np.nan), arrays["K"])
    nothing = write(tmp_path / "k_beyond.tif", beyond, nodata=np.nan)
    with pytest.raises(InputError) as error:
        soil_loss_of_rasters(100, nothing, files["LS"], 1, 1, zones=files["zones"], out=out)
    assert codes(error) == [("zone-without-values", "zones")]
    infinite = arrays["LS"].copy()
    infinite[0, 0], infinite[1, 1] = np.inf, -0.5
    ls = write(tmp_path / "ls_wrong.tif", infinite, nodata=np.nan)
    far = drawn(tmp_path / "far.geojson", box("here", 0, 9, 0, 9), box("far", 2000, 2010, 0, 9))
    with pytest.raises(InputError) as error:
        soil_loss_of_rasters(100, files["K"], ls, 1, 1, zones=far, classes=files["P"], out=out)
    wrong = [("class-not-whole", "P.tif"), ("raster-out-of-range", "ls_wrong.tif")]
    assert codes(error) == [*wrong, ("zone-without-cells", "far.geojson")]
    assert "negative or infinite in 2 cells, its values go from -0.5 to inf" in str(error.value)
    with pytest.raises(InputError) as error:
        soil_loss_of_rasters(100, files["K"], ls, 1, 1, zones=files["zones"], classes=files["P"], out=out)
    assert codes(error) == wrong
    thin = box("thin", 0, 20, 0, 20)  # of which a strip is left that passes between the centres
    x = WEST + CELL * 0.2
    ring = [[x, NORTH], [x + 200, NORTH - 200], [x + 201, NORTH - 200], [x + 1, NORTH], [x, NORTH]]
    thin["geometry"]["coordinates"] = [ring]
    slanted = drawn(tmp_path / "thin.geojson", box("here", 30, 39, 0, 9), thin)
    with pytest.raises(InputError, match="zone 'thin': the centre of no cell lies there; leave it out") as error:
        soil_loss_of_rasters(100, files["K"], files["LS"], 1, 1, zones=slanted, out=out)
    assert codes(error) == [("zone-without-cells", "zones")]
    assert not out.exists()
    assert not list(tmp_path.glob(".loss*"))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"R": 100, "K": 0.3, "LS": 2.0, "C": 1, "P": 1}, "no-raster"),
        ({"units": "metric"}, "unknown-units"),
        ({"P": True}, "not-a-factor"),
        ({"P": None}, "not-a-factor"),
        ({"P": {}}, "phase-without-value"),
        ({"P": {" ": 1}}, "phase-name"),
        ({"attribute": "name"}, "option-without-effect"),
        ({"P": float("nan")}, None),
    ],
)
def test_arguments_that_cannot_be(site, change, code):
    _, files, _, _ = site
    given = dict(zip(("R", "K", "LS", "C", "P"), factors(files), strict=True)) | change
    with pytest.raises(InputError) as error:
        soil_loss_of_rasters(**given)
    assert [f.code for f in error.value.findings] == [code or "factor-out-of-range"]


def test_an_input_is_not_written_over(site):
    _, files, _, _ = site
    before = files["LS"].read_bytes()
    with pytest.raises(InputError, match="is an input, and it was not touched"):
        soil_loss_of_rasters(*factors(files), out=files["LS"])
    assert files["LS"].read_bytes() == before


def test_zeros_of_k_and_zones_beyond_the_edge_are_said(site, tmp_path):
    arrays = site[0]
    zero = np.nan_to_num(arrays["K"])
    zone = drawn(tmp_path / "beyond.geojson", box("edge", 0, 10, -10, 10))
    found = soil_loss_of_rasters(100, write(tmp_path / "zero.tif", zero), 2.0, 1, 1, zones=zone)
    said = {f.code: f.message for f in found.findings}
    assert f"K = 0 in {int((zero == 0).sum()):,} cells" in said["K-zero"]
    acres = 10 * 10 * CELL**2 / 4046.8564224
    assert f"reach {acres:.4g} acres beyond the edge" in said["zones-outside-raster"]
    assert found.cells.tolist() == [100]


def test_two_schedules_from_the_small_table_are_those_of_the_cells(site, tmp_path):
    _, files, _, classes = site
    r, k, ls, _, p = factors(files)
    small = sc.kls_table(r, k, ls, classes=files["classes"], zones=files["zones"])
    assert (small.zones, small.classes) == (("north", "south", "east"), (11, 42, 82))
    schedules = np.array([[1.0, 0.05, 0.3], [0.12, 0.05, 1.1]])
    for C, loss in zip(schedules, small.soil_loss(schedules, P=[0.9, 1.0, 1.3]), strict=True):
        lookup = np.zeros((2, 256))
        lookup[:, [11, 42, 82]] = C, [0.9, 1.0, 1.3]
        own = [np.where(classes == 255, np.nan, values[classes]) for values in lookup]
        c, p = (write(tmp_path / f"{n}_own.tif", v, nodata=np.nan) for n, v in zip("cp", own, strict=True))
        cells = soil_loss_of_rasters(r, k, ls, c, p, zones=files["zones"])
        np.testing.assert_allclose(loss, cells.tons_per_year, rtol=1e-12)
    assert small.soil_loss(1.0).tolist() == pytest.approx(small.tons_per_year.sum(axis=1).tolist(), rel=1e-14)
    assert small.soil_loss(np.ones((4, 5, 3)), 0.5).shape == (4, 5, 3)
    assert small.table.loc["south", 42] == small.tons_per_year[1, 1]
    assert small.acres.sum() * 4046.8564224 <= (classes != 255).sum() * CELL**2
    for C, P, said in (([1.0, 2.0, 0.1], 1.0, "outside 0 to 1.2"), ([1.0, 1.0], 1.0, "2 values for 3 classes"),
                       (np.ones((2, 3)), np.ones((4, 3)), "do not broadcast")):  # fmt: skip
        with pytest.raises(InputError, match=said):
            small.soil_loss(C, P)
    with pytest.raises(InputError, match="by phase"):
        sc.kls_table({"a": r}, k, ls, classes=files["classes"])


def test_rows_that_do_not_fit_into_memory_are_refused(site, monkeypatch):
    """256 rows of 90 cells, 8 bytes for LS, 4 for its one phase, 12 beside: 540 KiB."""
    _, files, _, _ = site
    monkeypatch.setattr(raster_inputs, "machine_memory", lambda: 552_960)
    assert soil_loss_of_rasters(100, 0.3, files["LS"], 1, 1).cells[0] == SHAPE[0] * SHAPE[1]
    monkeypatch.setattr(raster_inputs, "machine_memory", lambda: 552_959)
    monkeypatch.setattr(RasterRows, "__getitem__", lambda self, rows: pytest.fail("was read"))
    with pytest.raises(InputError, match="divide the rasters from west to east"):
        soil_loss_of_rasters(100, 0.3, files["LS"], 1, 1)


def test_too_many_classes_are_refused(site, tmp_path, monkeypatch):
    _, files, _, _ = site
    monkeypatch.setattr(raster_totals, "_MOST_PIECES", 500)
    many = write(tmp_path / "many.tif", np.arange(SHAPE[0] * SHAPE[1], dtype=np.int32).reshape(SHAPE))
    with pytest.raises(InputError, match="over 500 pairs of zone and class"):
        sc.kls_table(*factors(files)[:3], classes=many)


def test_sums_are_those_of_the_load_of_a_gridded_site(tmp_path):
    """The gridded example: its rows before anything is disturbed, from LS and K of its own cells."""
    load = sc.sediment_load(sc.read_site(sc.example("graded_pad/site.toml")))
    rasters, rows = load.ground.rasters, load.ground.rows
    grid = rasters.grid
    k = rasters.K.values[rasters.K.index]
    ls = write_grid(tmp_path / "ls.tif", grid.with_values(rasters.LS[None]), units_tag="1", description="LS")
    k_file = write_grid(tmp_path / "k.tif", grid.with_values(k), units_tag="1", description="K", dtype="float64")
    spans = load.schedule.spans
    zones = sc.example("graded_pad/site.toml").parent / "ground_units.geojson"
    compared = 0
    for number, span in enumerate(spans):
        if span.slope_phase is not None or not isinstance(rasters.C[number], float):
            continue
        own = soil_loss_of_rasters(rasters.R, k_file, ls, rasters.C[number], rasters.P[number], zones=zones)
        unit = load.site.ground_units[span.unit].id
        expected = rows.tons_per_year[rows.span == number].sum()
        assert own.tons_per_year[own.zone.index(unit)] == pytest.approx(expected, rel=1e-9)
        compared += 1
    assert compared >= 3


def test_the_soil_loss_of_rphosfate(shared_data, tmp_path):
    """Its R, K, C, L and S, and its soil loss: R K LS C times 0.01 ha for each cell, from another program.

    Its K of 0.4 is beyond what K is in SI units; the product is the same number whatever it stands for.
    """
    folder = shared_data / "grids" / "rphosfate_test"
    length, steep = (read_grid(folder / "Intermediate" / f"{n}.tif", z_units="m") for n in ("LFa", "SFa"))
    ls = tmp_path / "ls.tif"
    write_grid(ls, length.with_values(length.values * steep.values), units_tag="1", description="LS", dtype="float64")
    r, k, c = (folder / "Input" / f"{n}.tif" for n in ("RFa", "KFa", "CFa"))
    found = soil_loss_of_rasters(r, k, ls, c, 1.0, out=tmp_path / "loss.tif")
    with rasterio.open(folder / "Result" / "ero.tif") as source:
        theirs = source.read(1, masked=True).astype(float).filled(np.nan) / 0.01
    with rasterio.open(tmp_path / "loss.tif") as source:
        ours = source.read(1)
    np.testing.assert_array_equal(np.isnan(ours) & ~np.isnan(theirs), False)
    known = ~np.isnan(theirs)
    assert known.sum() >= 6_467
    np.testing.assert_allclose(ours[known], theirs[known], rtol=1e-7)
    assert found.cells_with_value[0] == np.count_nonzero(~np.isnan(ours))
    with pytest.raises(InputError, match="K raster is outside"):
        soil_loss_of_rasters(r, k, ls, c, 1.0, units="si")


def test_lidar_ground(shared_data, tmp_path):
    """LS of 1 m lidar ground: NumPy on the whole array."""
    ls = sc.ls_grid(shared_data / "terrain" / "lidar_1m" / "dem.tif", out=tmp_path / "ls.tif", z_units="m")
    grid = read_grid(ls, z_units="m", what="LS")
    found = soil_loss_of_rasters(115, 0.32, ls, 0.05, 1.0)
    expected = np.nansum(115 * 0.32 * 0.05 * grid.values.astype(np.float64)) * grid.cell_acres
    assert found.tons_per_year[0] == pytest.approx(expected, rel=1e-12)
    assert found.missing[0, 2] == np.isnan(grid.values).sum()


def test_polygons_in_degrees_are_brought_to_the_rasters(site, tmp_path):
    _, files, zone, _ = site
    import pyproj

    move = pyproj.Transformer.from_crs("EPSG:26916", "EPSG:4326", always_xy=True).transform
    feature = box("north", 3, 300, 2, 40)
    ring = feature["geometry"]["coordinates"][0]
    feature["geometry"]["coordinates"] = [[list(move(*point)) for point in ring]]
    path = tmp_path / "degrees.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    found = soil_loss_of_rasters(*factors(files), zones=path)
    assert abs(int(found.cells[0]) - int((zone == 0).sum())) <= 40  # an edge of cells, by rounding of degrees
    assert read_polygons(path, "id", RasterRows(files["LS"]).cells)[0][0] == "north"


def sparse(path: Path, side: int, value: float) -> Path:
    """A raster of which the last 40 x 40 cells have a value; the file holds no others."""
    profile = {"driver": "GTiff", "height": side, "width": side, "count": 1, "dtype": "float32", "crs": "EPSG:26916"}
    profile |= {"tiled": True, "blockxsize": 512, "blockysize": 512, "nodata": -1.0, "SPARSE_OK": True}
    with rasterio.open(path, "w", **profile, transform=Affine(1, 0, WEST, 0, -1, NORTH)) as out:
        out.write(np.full((40, 40), value, np.float32), 1, window=((side - 40, side), (side - 40, side)))
    return path


def corner(path: Path, side: int) -> Path:
    """The last 20 x 20 cells of it as a zone."""
    x, y = WEST + side, NORTH - side
    zone = box("corner", 0, 1, 0, 1)
    zone["geometry"]["coordinates"] = [[[x - 20, y], [x, y], [x, y + 20], [x - 20, y + 20], [x - 20, y]]]
    return drawn(path, zone)


def check_corner(found) -> None:
    """115 x 0.37 x 2 x 0.9 = 76.59 tons/acre on 400 m2 of 4046.8564224 m2 to the acre."""
    assert found.cells.tolist() == found.cells_with_value.tolist() == [400]
    assert found.tons_per_acre_per_year[0] == pytest.approx(76.59, rel=1e-12)
    assert found.tons_per_year[0] == pytest.approx(76.59 * 400 / 4046.8564224, rel=1e-12)


def test_more_than_2_to_the_31_cells_of_which_the_last_rows_are_read(tmp_path, monkeypatch):
    """47,000^2 cells are 2,209,000,000."""
    side = 47_000
    ls, zone = sparse(tmp_path / "ls.tif", side, 2.0), corner(tmp_path / "corner.geojson", side)
    last = side - side % 256
    monkeypatch.setattr(raster_loss, "strips", lambda height: [slice(last, height)])
    found = soil_loss_of_rasters(115, 0.37, ls, 1, 0.9, zones=zone)
    check_corner(found)


@pytest.mark.slow
def test_more_than_2_to_the_31_cells(tmp_path):
    ls, zone = sparse(tmp_path / "ls.tif", 47_000, 2.0), corner(tmp_path / "corner.geojson", 47_000)
    found = soil_loss_of_rasters(115, 0.37, ls, 1, 0.9, zones=zone)
    check_corner(found)
    assert found.ranges[0].without_value == 47_000**2 - 1_600


def test_a_file_of_one_strip_is_unpacked_once_and_told_of(tmp_path, monkeypatch):
    """Its 2,048 rows of 300 cells take 2,048 x 300 x 5 bytes with the mask, and there are no rows to wait for."""
    values = np.full((2_048, 300), 0.3, np.float32)
    profile = {"driver": "GTiff", "height": 2_048, "width": 300, "count": 1, "dtype": "float32", "crs": "EPSG:26916"}
    file = tmp_path / "k.tif"
    with rasterio.open(
        file, "w", **profile, blockysize=2_048, compress="deflate", transform=Affine(1, 0, WEST, 0, -1, NORTH)
    ) as out:
        out.write(values, 1)
    with RasterRows(file) as rows:
        assert (rows.block_rows, rows.cache_bytes) == (2_048, 2_048 * 300 * 5)
    assert soil_loss_of_rasters(100, file, 2, 1, 1).findings == ()
    monkeypatch.setattr(raster_inputs, "_LARGE_BLOCKS", 3_000_000)
    said = soil_loss_of_rasters(100, file, 2, 1, 1).findings
    assert [(f.code, f.severity, f.where) for f in said] == [("raster-in-large-blocks", "note", str(file))]
    assert "stored in blocks of 2,048 rows" in said[0].message
    strip = 256 * 300 * (8 + 4 + 12)
    monkeypatch.setattr(raster_inputs, "machine_memory", lambda: strip + 2_048 * 300 * 5 - 1)
    with pytest.raises(InputError, match=r"blocks of 2,048 rows: write it in tiles \(gdal_translate") as error:
        soil_loss_of_rasters(100, file, 2, 1, 1)
    assert [f.code for f in error.value.findings] == ["grid-too-large"]


@pytest.mark.timeout(60)
def test_a_class_for_each_cell(tmp_path):
    """160,000 classes, each of one cell; that takes seconds, and minutes where each is looked for among all others."""
    shape = (400, 400)
    ls = np.random.default_rng(5).uniform(0.1, 9.0, shape).astype(np.float32)
    codes = write(tmp_path / "codes.tif", np.arange(ls.size, dtype=np.int32).reshape(shape))
    small = sc.kls_table(100, 0.3, write(tmp_path / "ls.tif", ls), classes=codes)
    assert small.classes == tuple(range(ls.size))
    wanted = 100 * 0.3 * ls.astype(np.float64).ravel() * CELL**2 / 4046.8564224
    np.testing.assert_allclose(small.tons_per_year[0], wanted, rtol=1e-12)
