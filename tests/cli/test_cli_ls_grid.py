"""``sedcalc ls-grid``: its masks and limits, against the same through Python."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from sedcalc.cli.factors import METHODS_WITHOUT_RATIO
from sedcalc.cli.ls_grid import METHODS, ROUTINGS
from sedcalc.factors.topography import PROFILE_METHODS
from sedcalc.io.rasters import read_grid
from sedcalc.io.zones_of_dem import ls_of_zones
from sedcalc.terrain import routing
from sedcalc.terrain.ls_raster import ls_raster

WEST, NORTH = 420_000.0, 4_750_000.0


@pytest.fixture
def dem(tmp_path: Path) -> Path:
    """30 x 40 cells of 10 m that fall by 10 % to the south, with a basin of 0.5 m."""
    z = 250.0 - np.repeat(np.arange(30.0)[:, None], 40, axis=1)
    z[10:13, 20:23] = z[13, 0] - 0.5
    path = tmp_path / "dem.tif"
    profile = {"driver": "GTiff", "height": 30, "width": 40, "count": 1, "dtype": "float64"}
    with rasterio.open(path, "w", **profile, transform=Affine(10, 0, WEST, 0, -10, NORTH)) as out:
        out.write(z, 1)
    return path


def drawn(path: Path, kind: str, coordinates: object) -> Path:
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    feature = {"type": "Feature", "properties": {}, "geometry": {"type": kind, "coordinates": coordinates}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": [feature]}))
    return path


def test_masks_and_limits_are_those_of_the_function(sedcalc, dem, tmp_path):
    ring = [[WEST, NORTH], [WEST + 50, NORTH], [WEST + 50, NORTH - 50], [WEST, NORTH - 50], [WEST, NORTH]]
    roof = drawn(tmp_path / "roof.geojson", "Polygon", [ring])
    ditch = drawn(tmp_path / "ditch.geojson", "LineString", [[WEST + 305, NORTH - 5], [WEST + 305, NORTH - 295]])
    wall = drawn(tmp_path / "wall.geojson", "LineString", [[WEST + 105, NORTH - 155], [WEST + 195, NORTH - 155]])
    files = ["--sealed", roof, "--channels", ditch, "--walls", wall]
    common = ["--z-units", "m", "--crs", "EPSG:26916", "--max-fill", "2", "--channel-area", "1.5"]
    answer = sedcalc("ls-grid", dem, "--out", tmp_path / "ls.tif", *common, *files, "--json")
    assert answer.code == 0, answer.err
    sealed, channels, walls = (np.zeros((30, 40), bool) for _ in range(3))
    sealed[:5, :5], channels[:, 30], walls[15, 10:20] = True, True, True
    grid = read_grid(dem, z_units="m", crs="EPSG:26916")
    expected = ls_raster(
        grid,
        sealed=sealed,
        channels=channels,
        walls=walls,
        max_fill_m=2 * 0.3048,
        channel_threshold_m2=1.5 * 4046.8564224,
    )
    for name in ("mean", "sealed", "walls", "channels", "pits_filled", "pits_kept", "acres_of"):
        assert answer.object[name] == expected.summary.as_dict()[name]
    assert answer.object["pits_filled"] == 1  # 0.5 m is under 2 ft
    assert answer.object["acres_of"]["walls"] == pytest.approx(10 * 100 / 4046.8564224, rel=1e-12)
    with rasterio.open(tmp_path / "ls.tif") as written:
        np.testing.assert_allclose(written.read(1), expected.ls.values, rtol=1e-6)


def test_depressions_by_default_and_without_limit(sedcalc, dem, tmp_path):
    common = ["ls-grid", dem, "--out", tmp_path / "ls.tif", "--z-units", "m", "--crs", "EPSG:26916", "--json"]
    assert sedcalc(*common).object["pits_kept"] == 1  # 0.5 m is over 0.2 m
    assert sedcalc(*common, "--max-fill", "none").object["pits_kept"] == 0
    assert sedcalc(*common, "--max-fill", "0").object["pits_filled"] == 0


def test_the_routing_methods_and_the_border_are_those_of_the_function(sedcalc, dem, tmp_path):
    assert ROUTINGS == routing.ROUTINGS
    common = ["ls-grid", dem, "--out", tmp_path / "ls.tif", "--z-units", "m", "--crs", "EPSG:26916", "--json"]
    answer = sedcalc(*common, "--routing", "mfd-quinn", "--border", "outlets").object
    grid = read_grid(dem, z_units="m", crs="EPSG:26916")
    expected = ls_raster(grid, routing="mfd-quinn", border="outlets").summary.as_dict()
    assert (answer["mean"], answer["routing"], answer["border"]) == (expected["mean"], "mfd-quinn", "outlets")
    assert answer["mean"] != ls_raster(grid, routing="mfd-quinn").summary.mean


def test_the_methods_are_those_of_the_function(sedcalc, dem, tmp_path):
    assert tuple(PROFILE_METHODS) == METHODS
    common = ["ls-grid", dem, "--out", tmp_path / "ls.tif", "--z-units", "m", "--crs", "EPSG:26916"]
    expected = ls_raster(read_grid(dem, z_units="m", crs="EPSG:26916"), method="nearing+rusle")
    answer = sedcalc(*common, "--method", "nearing+rusle")
    assert f"LS mean {expected.summary.mean:.3f}" in answer.out
    assert "isotropic form, nearing+rusle, high ratio" in answer.out
    assert "joins the S of one publication" in answer.err
    with rasterio.open(tmp_path / "ls.tif") as written:
        assert written.tags()["METHOD"] == "nearing+rusle"
    assert "isotropic form, usle, longest" in sedcalc(*common, "--method", "usle").out


def test_a_surface_in_degrees_is_reprojected_where_that_is_asked_for(sedcalc, tmp_path):
    """A plane of 10 % in UTM, evaluated at cell centres in degrees: its slope must come back."""
    import pyproj

    step, rows, cols = 1e-4, 60, 70  # about 8 x 11 m
    left, top = -87.985, 42.905
    lon, lat = np.meshgrid(left + (np.arange(cols) + 0.5) * step, top - (np.arange(rows) + 0.5) * step)
    x, y = pyproj.Transformer.from_crs("EPSG:4269", "EPSG:26916", always_xy=True).transform(lon, lat)
    z = 250.0 + 0.06 * (x - x.mean()) + 0.08 * (y - y.mean())
    z[10, 10] = np.nan
    path = tmp_path / "degrees.tif"
    profile = {"driver": "GTiff", "height": rows, "width": cols, "count": 1, "dtype": "float64", "crs": "EPSG:4269"}
    with rasterio.open(path, "w", **profile, nodata=np.nan, transform=Affine(step, 0, left, 0, -step, top)) as out:
        out.write(z, 1)
    refused = sedcalc("ls-grid", path, "--out", tmp_path / "ls.tif", "--z-units", "m")
    assert refused.code == 2
    assert "--reproject utm" in refused.err
    assert "EPSG:2289 (NAD83 / Wisconsin South (ftUS))" in refused.err
    for target in ("utm", "EPSG:26916"):
        answer = sedcalc(
            "ls-grid", path, "--out", tmp_path / "ls.tif", "--z-units", "m", "--reproject", target, "--json"
        )
        assert answer.code == 0, answer.err
        (said,) = [f for f in answer.object["findings"] if f["code"] == "reprojected"]
        assert "from EPSG:4269 to EPSG:26916, bilinear" in said["message"]
    grid = read_grid(path, z_units="m", reproject="utm")
    assert (grid.crs, grid.values.dtype) == ("EPSG:26916", np.float64)
    assert 8 < grid.cell_m < 12
    r, c = np.indices(grid.shape) + 0.5
    a, _, west, _, e, north = grid.transform
    plane = 250.0 + 0.06 * (west + a * c - x.mean()) + 0.08 * (north + e * r - y.mean())
    inside = np.zeros(grid.shape, bool)
    inside[6:-6, 6:-6] = True
    hole = np.hypot(west + a * c - x[10, 10], north + e * r - y[10, 10]) < 30
    assert np.isnan(grid.values[hole]).any()
    np.testing.assert_allclose(grid.values[inside & ~hole], plane[inside & ~hole], atol=0.01)
    in_feet = read_grid(path, z_units="m", reproject="EPSG:2289")
    assert in_feet.xy_unit_m == pytest.approx(1200 / 3937)
    assert in_feet.cell_m == pytest.approx(grid.cell_m, rel=0.02)
    for wrong in ("nad83", "EPSG:4326", "EPSG:99999"):
        answer = sedcalc("ls-grid", path, "--out", tmp_path / "no.tif", "--z-units", "m", "--reproject", wrong)
        assert (answer.code, answer.out) == (2, "")
    assert not (tmp_path / "no.tif").exists()


def test_a_process_of_the_command_line_cuts_gdal_off_before_it_loads(process, dem, tmp_path):
    """A VRT named .tif would read another file; the guarded process has no driver for it."""
    fake = tmp_path / "fake.tif"
    fake.write_text(
        f'<VRTDataset rasterXSize="40" rasterYSize="30"><VRTRasterBand dataType="Float64" band="1"><SimpleSource>'
        f"<SourceFilename>{dem}</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    answer = process("ls-grid", fake, "--out", tmp_path / "ls.tif", "--z-units", "m", "--crs", "EPSG:26916")
    assert answer.code == 2
    assert "not a readable GeoTIFF" in answer.err
    answer = process("ls-grid", dem, "--out", tmp_path / "ls.tif", "--z-units", "m", "--crs", "EPSG:26916")
    assert answer.code == 0, answer.err


def squares(path: Path, zones: dict[str, tuple[int, int]]) -> Path:
    """Squares of 10 cells with their north-west corners, in cells."""
    features = []
    for id, (col, row) in zones.items():
        x, y = WEST + 10 * col, NORTH - 10 * row
        ring = [[x, y], [x + 100, y], [x + 100, y - 100], [x, y - 100], [x, y]]
        geometry = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "properties": {"huc": id}, "geometry": geometry})
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}))
    return path


GROUND = ("--z-units", "m", "--crs", "EPSG:26916")


def test_zones_of_a_dem_are_those_of_the_function(sedcalc, dem, tmp_path):
    zones = squares(tmp_path / "zones.geojson", {"0404": (2, 3), "0405": (12, 3)})
    out = tmp_path / "ls.tif"
    args = [
        "ls-grid",
        dem,
        "--out",
        out,
        *GROUND,
        "--zones",
        zones,
        "--attribute",
        "huc",
        "--halo",
        "65",
        "--ratio",
        "low",
    ]
    answer = sedcalc(*args, "--json")
    assert answer.code == 0, answer.err
    written = out.read_bytes()
    options = {"attribute": "huc", "halo_m": 65 * 0.3048, "ratio": "low", "z_units": "m", "crs": "EPSG:26916"}
    expected = ls_of_zones(dem, zones, tmp_path / "other.tif", **options)
    assert written == (tmp_path / "other.tif").read_bytes()
    assert answer.object["format"] == "sedcalc.ls-grid-zones/1"
    assert answer.object["halo_ft"] == pytest.approx(65.0, rel=1e-15)
    assert [z["id"] for z in answer.object["zones"]] == ["0404", "0405"]
    for got, zone in zip(answer.object["zones"], expected.zones, strict=True):
        assert got["summary"] == json.loads(json.dumps(zone.summary.as_dict()))
        assert [f["code"] for f in got["findings"]] == [f.code for f in zone.findings]
    text = sedcalc(*args)
    assert text.code == 0
    assert max(map(len, text.out.splitlines()[:-1])) <= 80
    assert text.out.splitlines()[1].split()[:3] == ["0404", "2.47", f"{expected.zones[0].summary.mean:.3f}"]  # 1 ha
    assert text.out.splitlines()[-1] == f"written to {out}"
    assert "zone 0404 done, 1 of 2 ..." in text.err


def test_a_zone_that_fails_is_told_by_the_exit_code(sedcalc, dem, tmp_path):
    with rasterio.open(dem, "r+") as source:
        z = source.read(1)
        z[:, :10] = np.nan
        source.nodata = np.nan
        source.write(z, 1)
    zones = squares(tmp_path / "zones.geojson", {"none": (0, 3), "ground": (12, 3)})
    args = ["ls-grid", dem, "--out", tmp_path / "ls.tif", *GROUND, "--zones", zones, "--attribute", "huc"]
    answer = sedcalc(*args, "--json")
    assert answer.code == 2
    assert [z["summary"] is None for z in answer.object["zones"]] == [True, False]
    errors = [f for f in answer.object["findings"] if f["severity"] == "error"]
    assert [(f["code"], f["where"]) for f in errors] == [("grid-all-nodata", "zone none")]
    with rasterio.open(tmp_path / "ls.tif") as written:
        assert np.count_nonzero(~np.isnan(written.read(1))) == 100
    text = sedcalc(*args)
    assert text.code == 2
    assert text.out.splitlines()[1].split() == ["none", "failed"]
    assert "error: zone none: the DEM has no elevation in the zone" in text.err


def test_many_dems_get_a_map_each(sedcalc, dem, tmp_path):
    second, broken = tmp_path / "second.tif", tmp_path / "broken.tif"
    second.write_bytes(dem.read_bytes())
    broken.write_text("no raster")
    folder = tmp_path / "maps"
    alone = sedcalc("ls-grid", dem, "--out", tmp_path / "alone.tif", *GROUND, "--json").object
    answer = sedcalc("ls-grid", dem, second, broken, "--out", folder, *GROUND, "--json")
    assert answer.code == 2
    assert sorted(p.name for p in folder.iterdir()) == ["dem_ls.tif", "second_ls.tif"]
    assert (folder / "dem_ls.tif").read_bytes() == (tmp_path / "alone.tif").read_bytes()
    surfaces = answer.object["surfaces"]
    assert [s["out"] for s in surfaces] == [str(folder / "dem_ls.tif"), str(folder / "second_ls.tif"), None]
    assert surfaces[0]["summary"] == {k: alone[k] for k in surfaces[0]["summary"]}
    assert [f["code"] for f in answer.object["findings"]] == ["raster-unreadable"]
    text = sedcalc("ls-grid", dem, second, "--out", folder, *GROUND)
    assert text.code == 0
    assert [line.split()[0] for line in text.out.splitlines()] == ["DEM", "dem", "second", "2"]
    assert text.out.splitlines()[1].split()[2] == f"{alone['mean']:.3f}"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["{dem}", "--out", "{tmp}"], {"--out"}),
        (["{dem}", "{dem}", "--out", "{file}"], {"--out"}),
        (["{dem}", "--out", "{tmp}/ls.tif", "--attribute", "x", "--halo", "3", "--layer", "x"],
         {"--attribute", "--halo", "--layer"}),
        (["{dem}", "--out", "{tmp}/ls.tif", "--workers", "2"], {"--workers"}),
        (["{dem}", "--out", "{tmp}/ls.tif", "--scheduler", "tcp://x:1"], {"--scheduler"}),
        (["{dem}", "{dem}", "--out", "{tmp}", "--zones", "{file}", "--reproject", "utm", "--workers", "2",
          "--scheduler", "tcp://x:1"], {"--out", "--zones", "--reproject", "--workers"}),
        (["{dem}", "--out", "{file}", "--zones", "{file}"], {"--out"}),
        (["{dem}", "{dem}", "--out", "{tmp}/maps"], {"{dem}"}),
        (["{dem}", "--out", "{tmp}/ls.tif", "--zones", "{file}", "--scheduler", "nowhere"], {"scheduler"}),
        (["{dem}", "--out", "{tmp}/ls.tif", "--zones", "{file}", "--halo", "-1", "--workers", "0"],
         {"--halo", "--workers"}),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused_before_anything_is_computed(sedcalc, dem, tmp_path, args, said):
    file = squares(tmp_path / "zones.geojson", {"a": (0, 0)})
    names = {"dem": dem, "file": file, "tmp": tmp_path}
    answer = sedcalc("ls-grid", *(a.format(**names) for a in args), *GROUND)
    errors = [line for line in answer.err.splitlines() if line.startswith("error: ")]
    assert (answer.code, answer.out) == (2, "")
    assert {line.removeprefix("error: ").split(": ")[0] for line in errors} == {s.format(**names) for s in said}
    assert not list(tmp_path.rglob("*ls.tif"))


def test_workers_need_the_extra(sedcalc, dem, tmp_path, monkeypatch):
    monkeypatch.setattr("sedcalc.io.cluster.find_spec", lambda name: None)
    zones = squares(tmp_path / "zones.geojson", {"a": (0, 0)})
    answer = sedcalc("ls-grid", dem, "--out", tmp_path / "ls.tif", *GROUND, "--zones", zones, "--workers", 2)
    assert answer.code == 3
    assert "several workers need dask and distributed, the extra scale: pip install 'sedcalc[scale]'" in answer.err


@pytest.mark.slow
def test_two_workers_give_the_bytes_of_one_process(process, dem, tmp_path):
    pytest.importorskip("distributed")
    second = tmp_path / "second.tif"
    second.write_bytes(dem.read_bytes())
    zones = squares(tmp_path / "zones.geojson", {"0404": (2, 3), "0405": (12, 3), "0406": (22, 13)})
    answers, written = [], []
    for workers in ("1", "2"):
        common = [*GROUND, "--workers", workers, "--json"]
        out, folder = tmp_path / "ls.tif", tmp_path / "maps"
        answers += [process("ls-grid", dem, "--out", out, "--zones", zones, "--attribute", "huc", *common)]
        answers += [process("ls-grid", dem, second, "--out", folder, *common)]
        written.append([p.read_bytes() for p in (out, *sorted(folder.iterdir()))])
    assert [a.code for a in answers] == [0, 0, 0, 0], [a.err for a in answers]
    assert written[0] == written[1]
    assert len(written[0]) == 3
    assert (answers[0].out, answers[1].out) == (answers[2].out, answers[3].out)
    assert "Traceback" not in answers[2].err + answers[3].err


def test_every_dem_that_is_not_there_is_named_with_what_else_is_wrong(sedcalc, dem, tmp_path):
    missing = [tmp_path / f"missing{k}.tif" for k in range(3)]
    answer = sedcalc(
        "ls-grid", missing[0], dem, *missing[1:], "--out", tmp_path / "maps", "--halo", 3, "--channel-area", "x"
    )
    assert answer.code == 2
    for path in missing:
        assert f"error: DEM: '{path}' is not there" in answer.err
    lines = answer.err.splitlines()
    assert sorted(line.split(": ")[1] for line in lines) == ["--channel-area", "--halo", "DEM", "DEM", "DEM"]
    assert not (tmp_path / "maps").exists()


def test_a_ratio_beside_a_method_that_has_none_is_refused(sedcalc, dem, tmp_path):
    without = [name for name, (_, m) in PROFILE_METHODS.items() if m != "rusle"]
    assert list(METHODS_WITHOUT_RATIO) == without
    for command in (["ls-grid", dem, "--out", tmp_path / "ls.tif", *GROUND], ["ls", "--slope", 8, "--length", 100]):
        for method in METHODS:
            answer = sedcalc(*command, "--method", method, "--ratio", "high")
            assert answer.code == (2 if method in without else 0)
            assert (f"--ratio: {method} has no ratio; leave it out" in answer.err) == (method in without)
            assert sedcalc(*command, "--method", method).code == 0


def test_ids_are_printed_on_one_line_without_control_characters(sedcalc, dem, tmp_path):
    ids = {"a\x1b[31mX\x07\nfoo: ok": (0, 0), "n" * 40 + "s" * 40: (12, 3)}
    zones = squares(tmp_path / "zones.geojson", ids)
    answer = sedcalc("ls-grid", dem, "--out", tmp_path / "ls.tif", *GROUND, "--zones", zones, "--attribute", "huc")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert len(lines) == 4
    assert lines[1].startswith(r"a\x1b[31mX\x07 foo: ok  ")
    assert lines[2].startswith(f"{'n' * 28}...{'s' * 28}  ")
    assert lines[1].index("2.47") == lines[2].index("2.47")
    assert "\x1b" not in answer.err


def test_places_that_take_no_map_are_found_before_anything_is_computed(sedcalc, dem, tmp_path, monkeypatch):
    def computed(*args, **options):
        raise AssertionError

    monkeypatch.setattr("sedcalc.io.surfaces.ls_of_surface", computed)
    device = sedcalc("ls-grid", dem, "--out", os.devnull, *GROUND)
    assert (device.code, device.out) == (2, "")
    assert "is a device or a pipe; name a file on a disk" in device.err

    def refused(*args, **options):
        raise OSError(2, "No such file or directory")

    monkeypatch.setattr("tempfile.TemporaryFile", refused)  # as in /proc
    for dems in ([dem], [dem, dem]):
        answer = sedcalc("ls-grid", *dems, "--out", tmp_path / "new", *GROUND)
        assert answer.code == 3
        assert answer.err == (f"error: '{tmp_path}' takes no files (No such file or directory); choose another place\n")


def test_a_dem_that_is_too_large_is_named_with_the_way_out(sedcalc, dem, tmp_path, monkeypatch):
    monkeypatch.setattr("sedcalc.terrain.grid.machine_memory", lambda: 1_000)
    second = tmp_path / "second.tif"
    second.write_bytes(dem.read_bytes())
    for dems, out in (([dem], "ls.tif"), ([dem, second], "maps")):
        answer = sedcalc("ls-grid", *dems, "--out", tmp_path / out, *GROUND)
        assert answer.code == 2
        for path in dems:
            (line,) = [line for line in answer.err.splitlines() if line.startswith(f"error: {path.name}: DEM has ")]
            assert line.endswith("or take larger cells, or compute it by zones (--zones FILE)")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to catch")
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_sigterm_leaves_nothing_behind(dem, tmp_path, workers):
    if workers > 1:
        pytest.importorskip("distributed")
    with rasterio.open(dem) as source:
        z = np.tile(source.read(1), (20, 20))
    profile = {"driver": "GTiff", "height": z.shape[0], "width": z.shape[1], "count": 1, "dtype": "float64"}
    with rasterio.open(dem, "w", **profile, transform=Affine(10, 0, WEST, 0, -10, NORTH)) as out:
        out.write(z, 1)
    zones = squares(tmp_path / "zones.geojson", {f"{i}-{j}": (10 * i, 10 * j) for i in range(80) for j in range(60)})
    before = sorted(tmp_path.iterdir())
    args = ["ls-grid", dem, "--out", tmp_path / "ls.tif", *GROUND, "--zones", zones, "--workers", workers]
    command = [sys.executable, "-c", "import sys; from sedcalc.cli import main; sys.exit(main())", *map(str, args)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as started:
        for line in started.stderr:
            if "done" in line:  # the first of 4,800 zones
                break
        assert list(tmp_path.glob(".ls.tif.*.parts"))
        started.terminate()
        _, err = started.communicate(timeout=60)
    assert started.returncode == 143, err
    assert err.endswith("sedcalc: terminated\n")
    assert sorted(tmp_path.iterdir()) == before
