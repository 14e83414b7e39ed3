import logging

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

import sedcalc as sc
from sedcalc.findings import InputError
from sedcalc.io.surfaces import ls_grid, ls_of_surface, write_ls
from sedcalc.terrain.grid import grid_from_array

CLOSED_FORM = 3.42003  # 12 %, 100 m, moderate ratio: S (100 / 22.12848)^m
TRANSFORM = Affine(10, 0, 420_000, 0, -10, 4_750_000)
OPTIONS = {"ratio": "moderate", "routing": "d8"}


@pytest.fixture
def z():
    return np.repeat(np.arange(10.0, 0.0, -1.0)[:, None] * 1.2 + 200, 6, axis=1)


@pytest.fixture
def dem(tmp_path, z):
    path = tmp_path / "dem.tif"
    profile = {"driver": "GTiff", "height": 10, "width": 6, "count": 1, "dtype": "float64"}
    with rasterio.open(path, "w", crs="EPSG:26916", transform=TRANSFORM, **profile) as out:
        out.write(z, 1)
    return path


def test_a_file_gives_a_file(dem, tmp_path):
    out = ls_grid(dem, z_units="m", out=tmp_path / "ls.tif", **OPTIONS)
    assert out == tmp_path / "ls.tif"
    with rasterio.open(out) as source:
        assert source.read(1).mean() == pytest.approx(CLOSED_FORM, abs=5e-6)
        assert source.crs.to_epsg() == 26916
        assert source.tags()["ROUTING"] == "d8"
        assert source.tags()["FORMULA"] == "isotropic"
        assert source.units == ("1",)
    with pytest.raises(InputError, match="out=PATH"):
        ls_grid(dem, z_units="m")


def test_a_tuple_gives_a_tuple(z):
    ls, transform, crs = ls_grid((z, TRANSFORM, "EPSG:26916"), z_units="m", **OPTIONS)
    assert ls.mean() == pytest.approx(CLOSED_FORM, abs=5e-6)
    assert (transform, crs) == (TRANSFORM, "EPSG:26916")
    with_object = ls_grid((z, TRANSFORM, rasterio.crs.CRS.from_epsg(26916)), z_units="m", **OPTIONS)
    assert np.array_equal(with_object[0], ls)
    with pytest.raises(InputError) as error:
        ls_grid((z, TRANSFORM, None), z_units="m")
    assert error.value.findings[0].code == "crs-missing"
    with pytest.raises(InputError) as error:
        ls_grid((z, TRANSFORM, "EPSG:26916"))
    assert error.value.findings[0].code == "vertical-unit-missing"
    with pytest.raises(InputError, match="Web-Mercator"):
        ls_grid((z, Affine(10, 0, -9_800_000, 0, -10, 5_300_000), 3857), z_units="m")


def test_rows_from_south_to_north_come_back_so(z):
    north_up = ls_grid((z, TRANSFORM, "EPSG:26916"), z_units="m", **OPTIONS)[0]
    fence = np.zeros(z.shape, bool)
    fence[3] = True
    south_up, transform, _ = ls_grid(
        (z[::-1], Affine(10, 0, 420_000, 0, 10, 4_749_900), "EPSG:26916"), z_units="m", **OPTIONS
    )
    assert np.array_equal(south_up, north_up[::-1])
    assert transform.e == 10
    fenced = ls_grid((z, TRANSFORM, "EPSG:26916"), z_units="m", barriers=fence, **OPTIONS)[0]
    turned = ls_grid(
        (z[::-1], Affine(10, 0, 420_000, 0, 10, 4_749_900), "EPSG:26916"), z_units="m", barriers=fence[::-1], **OPTIONS
    )[0]
    assert np.array_equal(turned, fenced[::-1])
    assert not np.array_equal(fenced, north_up)


def test_a_dataarray_gives_a_dataarray(z):
    xr = pytest.importorskip("xarray")
    x, y = 420_005.0 + 10 * np.arange(6), 4_749_995.0 - 10 * np.arange(10)
    da = xr.DataArray(z, {"y": y, "x": x}, ("y", "x"), attrs={"units": "m", "survey": "2024"})
    ls = ls_grid(da, crs="EPSG:26916", **OPTIONS)
    assert float(ls.mean()) == pytest.approx(CLOSED_FORM, abs=5e-6)
    assert ls.dims == ("y", "x")
    assert ls.attrs["survey"] == "2024"
    assert ls.attrs["units"] == "1"
    assert any("lower bound" in text for text in ls.attrs["findings"])
    assert da.attrs == {"units": "m", "survey": "2024"}
    upside_down = ls_grid(da.isel(y=slice(None, None, -1)), crs="EPSG:26916", **OPTIONS)
    assert np.array_equal(upside_down.values, ls.values[::-1])
    assert np.array_equal(ls_grid(da.T, crs="EPSG:26916", **OPTIONS).values, ls.values.T)
    with pytest.raises(InputError, match="not regular"):
        ls_grid(da.isel(x=[0, 1, 3, 4]), crs="EPSG:26916")
    with pytest.raises(InputError, match="dimensions y and x"):
        ls_grid(da.rename(y="row"), crs="EPSG:26916")


@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")  # raised within rioxarray
def test_a_rioxarray_brings_its_own_crs_and_nodata(dem):
    pytest.importorskip("rioxarray")
    import rioxarray

    da = rioxarray.open_rasterio(dem)
    ls = ls_grid(da, z_units="m", **OPTIONS)
    assert ls.dims == ("band", "y", "x")
    assert float(ls.mean()) == pytest.approx(CLOSED_FORM, abs=5e-6)
    assert ls.rio.crs.to_epsg() == 26916
    holed = da.copy(data=np.where(da.values == da.values.max(), -9999.0, da.values))
    holed.attrs["_FillValue"] = -9999.0
    assert np.isnan(ls_grid(holed, z_units="m", **OPTIONS).values[0, 0]).all()


def test_steep_ground_is_logged(caplog):
    z = 200 + np.arange(20.0)[:, None] * np.ones(8) * 7
    with caplog.at_level(logging.WARNING, "sedcalc"):
        ls, _, _ = ls_grid((z, TRANSFORM, "EPSG:26916"), z_units="m")
    assert np.isnan(ls).all()
    assert "steeper than 60 %" in caplog.text


def test_barriers_from_a_file(z, tmp_path):
    import geopandas
    from shapely.geometry import LineString

    line = LineString([(420_000, 4_749_965), (420_060, 4_749_965)])
    path = tmp_path / "fence.gpkg"
    geopandas.GeoDataFrame(geometry=[line], crs="EPSG:26916").to_file(path, driver="GPKG")
    fence = np.zeros(z.shape, bool)
    fence[3] = True
    by_file, by_mask = (
        ls_grid((z, TRANSFORM, "EPSG:26916"), z_units="m", barriers=b, **OPTIONS)[0] for b in (path, fence)
    )
    assert np.array_equal(by_file, by_mask)


def test_the_whole_result_can_be_written(z, tmp_path):
    grid = grid_from_array(z, TRANSFORM, "EPSG:26916", xy_unit_m=1.0, z_unit_m=1.0)
    steps = []
    result = ls_of_surface(grid, progress=steps.append)
    assert steps == ["filling depressions", "routing", "slope and LS"]
    a, b = (write_ls(tmp_path / name, result) for name in ("a.tif", "b.tif"))
    assert a.read_bytes() == b.read_bytes()


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ({"z_units": "yd"}, ["z-units-unknown"]),
        (
            {"max_fill_m": "1", "max_length_ft": "400", "channel_threshold_m2": "9", "ratio": "steep"},
            ["unknown-ratio", "max-length", "channel-threshold", "fill-depth"],
        ),
        ({"max_fill_m": float("nan"), "max_length_ft": True, "channel_threshold_m2": 0}, None),
        ({"border": "open"}, ["border-unknown"]),
    ],
)
def test_wrong_options_are_refused_together(z, options, codes):
    with pytest.raises(InputError) as error:
        ls_grid((z, TRANSFORM, "EPSG:26916"), **({"z_units": "m"} | options))
    assert [f.code for f in error.value.findings] == (codes or ["max-length", "channel-threshold", "fill-depth"])


def test_an_array_without_values_is_refused_without_a_warning(z):
    with pytest.raises(InputError, match="no value in any cell"):
        ls_grid((np.full(z.shape, np.nan), TRANSFORM, "EPSG:26916"), z_units="m")


def test_with_the_border_as_outlets_less_flows(z):
    """On a plane along an axis the border cells below the first row get nothing from above where all are outlets."""
    inside, out = (
        ls_grid((z, TRANSFORM, "EPSG:26916"), z_units="m", border=b, **OPTIONS)[0] for b in ("interior", "outlets")
    )
    np.testing.assert_allclose(out[1:, 0], out[0, 0], rtol=1e-12)
    assert (inside[1:, 0] > out[1:, 0]).all()


def test_a_surface_beyond_the_memory_of_the_machine_is_refused(z, monkeypatch):
    from sedcalc.terrain import grid

    monkeypatch.setattr(grid, "machine_memory", lambda: 1000)
    with pytest.raises(InputError, match="60 cells, which take about"):
        ls_grid((z, TRANSFORM, "EPSG:26916"), z_units="m")


def test_what_is_no_surface_is_refused(z):
    for wrong in (z, (z, TRANSFORM), 3, None):
        with pytest.raises(InputError) as error:
            ls_grid(wrong)
        assert error.value.findings[0].code == "dem-kind"
    with pytest.raises(InputError) as error:
        ls_grid((z, TRANSFORM, "EPSG:26916"), out="a.tif")
    assert error.value.findings[0].code == "out-unused"


def test_it_is_in_the_package(z):
    assert sc.ls_grid is ls_grid
