"""A mistake in the site file does not hide what is wrong with the rasters and polygons that it names."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rasterio

import sedcalc as sc
from sedcalc.findings import InputError
from sedcalc.io.site_files import read_site

Edit = Callable[[str], str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The gridded example, with a mistake in its site file that has nothing to do with its files."""
    inner = tmp_path / "site"
    shutil.copytree(sc.example("graded_pad/site.toml").parent, inner)
    edit(inner, lambda text: text.replace('county = "Milwaukee, WI"', 'county = "Milwauke, WI"'))
    return inner


def edit(folder: Path, change: Edit) -> None:
    path = folder / "site.toml"
    before = path.read_text()
    path.write_text(change(before))
    assert path.read_text() != before


def mistakes(folder: Path) -> dict[str, str]:
    """Return code by place of everything else than the mistake that is always there."""
    with pytest.raises(InputError) as caught:
        read_site(folder / "site.toml")
    found = {str(f.where): f.code for f in caught.value.findings}
    assert len(found) == len(caught.value.findings)
    assert found.pop("location.county") == "unknown-county"
    assert all(f.severity == "error" for f in caught.value.findings)
    return found


def rewrite(path: Path, change: Callable[[Any, dict[str, Any]], Any]) -> None:
    """Write a raster again with other values or another profile."""
    with rasterio.open(path) as source:
        values, profile = source.read(1), dict(source.profile)
    values = change(values, profile)
    profile |= {"height": values.shape[0], "width": values.shape[1]}
    with rasterio.open(path, "w", **profile) as out:
        out.write(values, 1)


def test_sound_files_add_nothing(folder: Path) -> None:
    assert mistakes(folder) == {}


@pytest.mark.parametrize(
    ("old", "where"),
    [
        ("existing.tif", "grid.dem"),
        ("graded.tif", "phases[1].dem"),
        ("ground_units.geojson", "grid.ground_units.file"),
        ("drainage_areas.geojson", "grid.drainage_areas.file"),
        ("soils.geojson", "grid.soils.file"),
        ("barriers.geojson", "grid.barriers"),
    ],
)
def test_each_file_that_is_missing_or_outside_is_named(folder: Path, old: str, where: str) -> None:
    edit(folder, lambda text: text.replace(old, f"no_{old}"))
    assert mistakes(folder)[where] == "file-missing"
    edit(folder, lambda text: text.replace(f"no_{old}", f"../{old}"))
    assert mistakes(folder)[where] == "path-outside"


def test_files_of_every_kind_are_wrong_at_once(folder: Path) -> None:
    def half_a_cell(values: Any, profile: dict[str, Any]) -> Any:
        profile["transform"] = profile["transform"] @ rasterio.Affine.translation(0.5, 0.0)
        return values

    rewrite(folder / "graded.tif", half_a_cell)
    soils = json.loads((folder / "soils.geojson").read_text())
    soils["features"][0]["properties"] = {"name": "upper"}
    (folder / "soils.geojson").write_text(json.dumps(soils))
    units = json.loads((folder / "ground_units.geojson").read_text())
    units["features"][0]["properties"]["id"] = "pda"
    (folder / "ground_units.geojson").write_text(json.dumps(units))
    edit(folder, lambda text: text.replace("barriers.geojson", "no.geojson").replace('z_units = "m"', "z_units = 3"))
    assert mistakes(folder) == {
        "grid.z_units": "not-a-choice",
        "grid.barriers": "file-missing",
        "grid.soils[0]": "attribute-missing",
        "grid.ground_units": "unknown-ground-unit",
        "phases[1].dem": "raster-misaligned",
    }


def test_the_dem_that_others_are_laid_on_is_named(folder: Path) -> None:
    rewrite(folder / "graded.tif", lambda values, _: values[:-1])
    with pytest.raises(InputError) as caught:
        read_site(folder / "site.toml")
    (message,) = [f.message for f in caught.value.findings if f.where == "phases[1].dem"]
    assert message.startswith("DEM does not lie on the cells of the DEM (grid.dem): ")
    assert "gdalwarp" in message


def test_ground_without_elevation_is_said(folder: Path) -> None:
    def hole(values: Any, profile: dict[str, Any]) -> Any:
        profile["nodata"] = -9999.0
        rows, cols = values.shape
        values[rows // 2 - 3 : rows // 2 + 3, cols // 2 - 3 : cols // 2 + 3] = -9999.0
        return values

    rewrite(folder / "existing.tif", hole)
    with pytest.raises(InputError) as caught:
        read_site(folder / "site.toml")
    (message,) = [f.message for f in caught.value.findings if f.code == "cells-without-value"]
    with rasterio.open(folder / "existing.tif") as source:
        cell = source.transform.a
    assert "(36 cells)" in message
    assert f"{36 * cell * cell / 4046.8564224:.4g} acres" in message  # an international acre is 4046.8564224 m2


def test_polygons_that_cannot_be_laid_on_a_raster_are_looked_for(folder: Path) -> None:
    edit(
        folder,
        lambda text: text.replace("existing.tif", "a.tif").replace("graded.tif", "b.tif").replace("soils.geo", "s."),
    )
    assert mistakes(folder) == {
        "grid.dem": "file-missing",
        "phases[1].dem": "file-missing",
        "grid.soils.file": "file-missing",
    }


def test_the_caller_hears_before_files_are_opened(folder: Path) -> None:
    class Stop(Exception):
        pass

    def stop() -> None:
        raise Stop

    with pytest.raises(Stop):
        read_site(folder / "site.toml", before_files=stop)
    edit(folder, lambda text: text.replace("Milwauke,", "Milwaukee,"))
    assert read_site(folder / "site.toml", before_files=stop).grid is not None


def test_an_ordinance_beside_a_faulty_site_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths start from the site file, whatever else is wrong with it, and wherever the program was started."""
    monkeypatch.chdir("/")
    (folder / "village.toml").write_text("x")
    edit(folder, lambda text: text.replace('"hales_corners_445"', '"village.toml"'))
    assert mistakes(folder) == {}
