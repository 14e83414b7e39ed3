import http.server
import os
import threading
import warnings

import numpy as np
import pytest
import rasterio
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine

from sedcalc.findings import EnvironmentFault, InputError
from sedcalc.io.rasters import read_grid, read_raster, write_grid
from sedcalc.terrain.grid import grid_from_array

PLACE = Affine(10, 0, 420_000, 0, -10, 4_750_000)  # UTM 16N, south-east Wisconsin
Z = 200 + np.arange(30, dtype=np.float32).reshape(5, 6)


def tif(path, values=Z, crs="EPSG:26916", transform=PLACE, nodata=None, unit=None, **extra):
    bands = values if values.ndim == 3 else values[None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(
            path,
            "w",
            driver="GTiff",
            height=bands.shape[1],
            width=bands.shape[2],
            count=bands.shape[0],
            dtype=bands.dtype,
            crs=crs,
            transform=transform,
            nodata=nodata,
        ) as out:
            out.write(bands)
            if unit:
                out.set_band_unit(1, unit)
            for name, value in extra.items():
                setattr(out, name, value)
    return path


def codes(error):
    return [f.code for f in error.value.findings]


def test_a_plain_dem_in_metres(tmp_path):
    grid = read_grid(tif(tmp_path / "dem.tif"), z_units="m")
    assert (grid.crs, grid.xy_unit_m, grid.z_unit_m, grid.cell_m) == ("EPSG:26916", 1.0, 1.0, 10.0)
    assert grid.values.dtype == np.float32
    assert np.array_equal(grid.values, Z)
    assert [f.code for f in grid.findings] == ["z-units-stated"]


@pytest.mark.parametrize(
    ("crs", "unit", "z_units", "xy_m", "z_m"),
    [
        ("EPSG:26916+5703", None, None, 1.0, 1.0),  # NAVD88 height, metres
        ("EPSG:26916+6360", None, None, 1.0, 1200 / 3937),  # NAVD88 height (ftUS)
        ("EPSG:26916+8228", None, None, 1.0, 0.3048),  # NAVD88 height (ft)
        ("EPSG:2289", "us survey foot", None, 1200 / 3937, 1200 / 3937),  # Wisconsin South (ftUS)
        ("EPSG:2289", None, "m", 1200 / 3937, 1.0),
        ("EPSG:2251", None, "ft", 0.3048, 0.3048),  # Michigan Central (ft): international foot
        ("EPSG:26916", "metre", "m", 1.0, 1.0),
    ],
)
def test_units_are_read_or_stated(tmp_path, crs, unit, z_units, xy_m, z_m):
    grid = read_grid(tif(tmp_path / "dem.tif", crs=crs, unit=unit), z_units=z_units)
    assert grid.xy_unit_m == pytest.approx(xy_m, rel=1e-15)
    assert grid.z_unit_m == pytest.approx(z_m, rel=1e-15)
    assert "+" not in grid.crs


@pytest.mark.parametrize(
    ("make", "kwargs", "code", "text"),
    [
        ({}, {}, "vertical-unit-missing", "'m', 'ft' or 'us-ft'"),
        ({"crs": "EPSG:2289"}, {}, "vertical-unit-missing", "map is in feet"),
        ({"unit": "ft"}, {"z_units": "m"}, "vertical-unit-conflict", "its band says ft, the input says m"),
        ({"crs": "EPSG:26916+5703", "unit": "ft"}, {}, "vertical-unit-conflict", "compound CRS says m"),
        ({"unit": "fathom"}, {}, "vertical-unit-unknown", "fathom"),
        ({}, {"z_units": "feet"}, "z-units-unknown", "'feet'"),
        ({"crs": None}, {"z_units": "m"}, "crs-missing", "EPSG:26916"),
        ({"crs": "EPSG:26916"}, {"z_units": "m", "crs": "EPSG:3071"}, "crs-conflict", "EPSG:3071"),
        ({"crs": None}, {"z_units": "m", "crs": "file.prj"}, "crs-unknown", "EPSG code"),
        (
            {"crs": "EPSG:4326", "transform": Affine(1e-4, 0, -88.03, 0, -1e-4, 42.94)},
            {"z_units": "m"},
            "crs-geographic",
            "gdalwarp -t_srs EPSG:26916",  # Hales Corners, 88.0 W, lies in zone 16
        ),
        (
            {"crs": "EPSG:3857", "transform": Affine(10, 0, -9_800_000, 0, -10, 5_300_000)},
            {"z_units": "m"},
            "crs-web-mercator",
            "EPSG:26916",
        ),
        ({"crs": "EPSG:4978"}, {"z_units": "m"}, "crs-not-projected", "not a map projection"),  # geocentric
        ({"transform": Affine(10, 1, 0, 1, -10, 0)}, {"z_units": "m"}, "grid-rotated", "gdalwarp -tr"),
        ({"transform": Affine(10, 0, 0, 0, -11, 0)}, {"z_units": "m"}, "grid-not-square", "10 by 11"),
        ({"transform": Affine.identity()}, {"z_units": "m"}, "raster-not-georeferenced", "georeference"),
        ({"values": np.full((3, 3), np.nan)}, {"z_units": "m"}, "grid-all-nodata", "no value"),
        ({"values": np.full((3, 3), -9999.0), "nodata": -9999}, {"z_units": "m"}, "grid-all-nodata", "no value"),
        ({"values": np.array([[1.0, np.inf]])}, {"z_units": "m"}, "grid-infinite", "row 0, column 1"),
        ({"values": np.array([[1.0, -9999.0]])}, {"z_units": "m"}, "elevation-out-of-range", "-a_nodata -9999"),
        ({"values": np.zeros((2, 3, 3))}, {"z_units": "m"}, "raster-bands", "2 bands"),
        ({"values": np.zeros((3, 3), np.complex64)}, {"z_units": "m"}, "raster-complex", "complex64"),
    ],
)
def test_wrong_dems_are_refused_with_a_remedy(tmp_path, make, kwargs, code, text):
    path = tif(tmp_path / "dem.tif", **make)
    with pytest.raises(InputError) as error:
        read_grid(path, **kwargs)
    assert codes(error) == [code]
    assert text in str(error.value)
    assert error.value.findings[0].where in ("dem.tif", None)


def test_a_crs_in_another_unit_is_refused(tmp_path):
    import pyproj

    wkt = pyproj.CRS.from_proj4("+proj=utm +zone=16 +datum=NAD83 +units=km").to_wkt("WKT1_GDAL")
    path = tif(tmp_path / "dem.tif", crs=wkt, transform=Affine(0.01, 0, 420, 0, -0.01, 4750))
    with pytest.raises(InputError) as error:
        read_grid(path, z_units="m")
    assert codes(error) == ["crs-unit-unknown"]


def test_nodata_of_every_kind_is_nan(tmp_path):
    values = Z.copy()
    values[0, 0] = -32768
    values[1, 1] = np.nan
    grid = read_grid(tif(tmp_path / "a.tif", values, nodata=-32768), z_units="m")
    assert np.isnan(grid.values[[0, 1], [0, 1]]).all()
    whole = values.copy()
    whole[1, 1] = 5
    integer = read_grid(tif(tmp_path / "b.tif", whole.astype(np.int16), nodata=-32768), z_units="m")
    assert integer.values.dtype == np.float32
    assert np.isnan(integer.values[0, 0])
    assert np.count_nonzero(integer.valid) == 29


def test_scale_and_offset_are_applied_and_said(tmp_path):
    path = tif(tmp_path / "dem.tif", (Z * 10).astype(np.int16), scales=(0.1,), offsets=(5.0,))
    grid = read_grid(path, z_units="m")
    np.testing.assert_allclose(grid.values, Z + 5, rtol=1e-12)
    assert "raster-scaled" in [f.code for f in grid.findings]


def test_a_south_up_file_is_turned_over(tmp_path):
    path = tif(tmp_path / "dem.tif", transform=Affine(10, 0, 420_000, 0, 10, 4_750_000))
    grid = read_grid(path, z_units="m")
    assert np.array_equal(grid.values, Z[::-1])
    assert grid.transform == (10.0, 0.0, 420_000.0, 0.0, -10.0, 4_750_050.0)


def test_crs_from_the_file_beside_it_is_said(tmp_path):
    path = tif(tmp_path / "dem.tif", crs=None)
    (tmp_path / "dem.prj").write_text(rasterio.crs.CRS.from_epsg(26916).to_wkt(version="WKT1_ESRI"))
    grid = read_grid(path, z_units="m")
    assert grid.crs == "EPSG:26916"
    assert "crs-from-sidecar" in [f.code for f in grid.findings]


def test_factor_rasters_must_lie_on_the_dem(tmp_path):
    dem = read_grid(tif(tmp_path / "dem.tif"), z_units="m")
    k = read_raster(tif(tmp_path / "k.tif", Z / 1000), like=dem, what="K raster")
    assert k.z_unit_m is None
    assert k.geometry_differences(dem) == []
    half = tif(tmp_path / "half.tif", transform=Affine(10, 0, 420_005, 0, -10, 4_750_000))
    with pytest.raises(InputError, match=r"K raster.*\+0\.5 cells in x.*gdalwarp"):
        read_raster(half, like=dem, what="K raster")
    with pytest.raises(InputError, match="4 rows x 6 columns, not 5 x 6"):
        read_raster(tif(tmp_path / "short.tif", Z[:4]), like=dem, what="K raster")


def test_puerto_rico_rasters_line_up_through_their_prj(shared_data):
    folder = shared_data / "grids" / "opennspect_ne_puerto_rico"
    dem = read_grid(folder / "Elevation_30m_NEC.tif", z_units="m", crs="EPSG:32161")
    for name in ("soilsk1.tif", "R-Factor_NEC.tif", "NLCD_2001_NEC.tif"):
        raster = read_raster(folder / name, like=dem, what=name)
        assert raster.crs == "EPSG:32161"
        assert raster.shape == (635, 873)


def test_writing_is_tiled_compressed_repeatable_and_read_back(tmp_path):
    values = np.random.default_rng(1).random((300, 520)).astype(np.float32)
    values[5, 7] = np.nan
    grid = grid_from_array(values, PLACE, "EPSG:26916", xy_unit_m=1.0)
    tags = {"METHOD": "x", "A": "y"}
    first = write_grid(tmp_path / "a.tif", grid, units_tag="1", description="LS", tags=tags)
    again = write_grid(tmp_path / "b.tif", grid, units_tag="1", description="LS", tags=dict(reversed(tags.items())))
    assert first.read_bytes() == again.read_bytes()
    with rasterio.open(first) as source:
        assert source.profile["tiled"]
        assert source.profile["compress"] == "deflate"
        assert source.block_shapes == [(256, 256)]
        assert np.isnan(source.nodata)
        assert source.units == ("1",)
        assert source.descriptions == ("LS",)
        assert source.tags()["METHOD"] == "x"
        assert source.crs.to_epsg() == 26916
        assert np.array_equal(source.read(1), values, equal_nan=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.tif", "b.tif"]


def test_a_folder_that_is_not_there_is_the_machines_fault(tmp_path):
    grid = grid_from_array(Z, PLACE, "EPSG:26916", xy_unit_m=1.0)
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        write_grid(tmp_path / "no" / "a.tif", grid, units_tag="1", description="LS")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("missing.tif", "file-missing"),
        ("/vsicurl/http://localhost/a.tif", "path-refused"),
        ("http://localhost/a.tif", "path-refused"),
        ("a.zip!dem.tif", "path-refused"),
        (".", "file-not-regular"),
    ],
)
def test_paths_that_are_no_files_here_are_refused(tmp_path, monkeypatch, name, code):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        read_grid(name, z_units="m")
    assert codes(error) == [code]


def test_a_file_outside_the_sites_folder_is_refused(tmp_path):
    path = tif(tmp_path / "dem.tif")
    inner = tmp_path / "site"
    inner.mkdir()
    link = inner / "dem.tif"
    try:
        link.symlink_to(path)
    except OSError:
        pytest.skip("no symbolic links here")
    with pytest.raises(InputError) as error:
        read_grid(link, z_units="m", inside=inner)
    assert codes(error) == ["path-outside"]


@pytest.fixture
def listener():
    """A local web server that counts what asks it."""
    hits = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            hits.append(self.path)
            self.send_error(404)

        do_HEAD = do_GET

        def log_message(self, *args):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", hits
    server.shutdown()
    thread.join()
    server.server_close()


def test_files_that_point_elsewhere_fetch_nothing(tmp_path, listener):
    url, hits = listener
    vrt = (
        '<VRTDataset rasterXSize="6" rasterYSize="5"><VRTRasterBand dataType="Float32" band="1"><SimpleSource>'
        f"<SourceFilename>/vsicurl/{url}/a.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    wms = f'<GDAL_WMS><Service name="TMS"><ServerUrl>{url}/${{z}}</ServerUrl></Service></GDAL_WMS>'
    for number, text in enumerate((vrt, wms, url, "")):
        path = tmp_path / f"{number}.tif"
        path.write_text(text)
        with pytest.raises(InputError) as error:
            read_grid(path, z_units="m")
        assert codes(error) == ["raster-unreadable"]
    good = tif(tmp_path / "dem.tif")
    (tmp_path / "dem.tif.aux.xml").write_text(f"<PAMDataset><SRS>{url}</SRS></PAMDataset>")
    (tmp_path / "dem.tif.ovr").write_text(vrt)
    read_grid(good, z_units="m")
    assert hits == []


def test_garbage_and_truncated_files_are_refused(tmp_path):
    whole = tif(tmp_path / "dem.tif", np.random.default_rng(0).random((200, 200))).read_bytes()
    for cut in (10, 300, len(whole) // 2):
        (tmp_path / "cut.tif").write_bytes(whole[:cut])
        with pytest.raises(InputError):
            read_grid(tmp_path / "cut.tif", z_units="m")


def test_a_file_without_permission_is_refused(tmp_path):
    path = tif(tmp_path / "dem.tif")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(InputError) as error:
        read_grid(path, z_units="m")
    assert codes(error) == ["file-unreadable"]
