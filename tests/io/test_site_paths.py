"""Files that a site names lie in its folder: every field that names one, and every way out that is known."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from pydantic import BaseModel

from fuzz.formats import write_dem_site, write_ordinance
from sedcalc.compliance.ruling import check_compliance
from sedcalc.findings import InputError
from sedcalc.io.gdal_guard import site_file
from sedcalc.io.site_files import read_site
from sedcalc.load.calculation import sediment_load
from sedcalc.site.fields import FileName
from sedcalc.site.submission import Site

FIELDS = {
    "grid.dem": ("grid", "dem"),
    "grid.LS": ("grid", "LS"),
    "grid.K": ("grid", "K"),
    "grid.R": ("grid", "R"),
    "grid.barriers": ("grid", "barriers"),
    "grid.channels": ("grid", "channels"),
    "grid.sealed": ("grid", "sealed"),
    "grid.walls": ("grid", "walls"),
    "grid.soils.file": ("grid", "soils", "file"),
    "grid.ground_units.file": ("grid", "ground_units", "file"),
    "grid.drainage_areas.file": ("grid", "drainage_areas", "file"),
    "grid.outfalls.file": ("grid", "outfalls", "file"),
    "phases[0].dem": ("phases", 0, "dem"),
    "phases[0].cover.raster": ("phases", 0, "cover", "raster"),
    "phases[0].surface_condition.raster": ("phases", 0, "surface_condition", "raster"),
    "phases[1].cover.land_cover": ("phases", 1, "cover", "land_cover"),
    "phases[1].cover.table": ("phases", 1, "cover", "table"),
    "ground_units[0].final_cover.raster": ("ground_units", 0, "final_cover", "raster"),
    "ordinance": ("ordinance",),
}

REFUSED = {
    "/etc/hostname": "path-absolute",
    "C:\\dem.tif": "path-absolute",
    "c:dem.tif": "path-absolute",
    "\\\\server\\share\\dem.tif": "path-absolute",
    "../dem.tif": "path-outside",
    "a/../../dem.tif": "path-outside",
    "a\\..\\dem.tif": "path-refused",
    "/vsicurl/http://127.0.0.1:9/a.tif": "path-refused",
    "/vsizip/a.zip/dem.tif": "path-refused",
    "a/vsimem/dem.tif": "path-refused",
    "http://127.0.0.1:9/dem.tif": "path-refused",
    "s3://bucket/dem.tif": "path-refused",
    "GPKG:dem.gpkg": "path-refused",
    "a.zip!dem.tif": "path-refused",
    "dem.tif\x00.txt": "path-refused",
    "dem\n.tif": "path-refused",
    "dem.tif:stream": "path-refused",
    "\u202efit.med": "path-refused",
    "*.tif": "path-refused",
    "NUL": "path-refused",
    "a/con.tif": "path-refused",
    "x" * 300 + ".tif": "path-refused",
    "none.tif": "file-missing",
    "folder": "file-not-regular",
    "pipe": "file-not-regular",
    "outward.tif": "path-outside",
    "zero.tif": "file-not-regular",
    "round.tif": "file-unreadable",
    "away/dem.tif": "path-outside",
}


def fields_of_files(model: type[BaseModel]) -> set[tuple[str, str]]:
    """Return model and name of every field below a model that names a file."""
    found: set[tuple[str, str]] = set()
    todo, seen = [model], {model}
    while todo:
        current = todo.pop()
        for name, annotation in get_type_hints(current, include_extras=True).items():
            parts = list(parts_of(annotation))
            if any(isinstance(p, FileName) for p in parts):
                found.add((current.__name__, name))
            models = {p for p in parts if isinstance(p, type) and issubclass(p, BaseModel)}
            todo += sorted(models - seen, key=lambda m: m.__name__)
            seen |= models
    return found


def parts_of(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in (*get_args(annotation), *getattr(annotation, "__metadata__", ())):
        yield from parts_of(part)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound gridded site with traps beside it."""
    inner = tmp_path / "site"
    inner.mkdir()
    write_dem_site(inner)
    (tmp_path / "dem.tif").write_bytes((inner / "dem.tif").read_bytes())
    (inner / "folder").mkdir()
    os.mkfifo(inner / "pipe")
    (inner / "outward.tif").symlink_to(tmp_path / "dem.tif")
    (inner / "zero.tif").symlink_to("/dev/zero")
    (inner / "round.tif").symlink_to("round.tif")
    (inner / "away").symlink_to(tmp_path)
    return inner


@pytest.mark.parametrize("name", REFUSED, ids=lambda n: repr(n)[:40])
def test_what_no_site_may_name(folder: Path, name: str) -> None:
    with pytest.raises(InputError) as error:
        site_file(folder, name, "DEM", "grid.dem")
    (finding,) = error.value.findings
    assert finding.where == "grid.dem"
    expected = REFUSED[name]
    assert finding.code == ("path-outside" if name == "zero.tif" and finding.code == "path-outside" else expected)
    assert len(finding.message) < 400


def test_what_a_site_may_name(folder: Path) -> None:
    (folder / "a b").mkdir()
    (folder / "a b" / "größe (1).tif").write_bytes(b"x")
    (folder / "inward.tif").symlink_to(folder / "dem.tif")
    for name in ("dem.tif", "./dem.tif", "a b/../dem.tif", "a b/größe (1).tif", "inward.tif"):
        assert site_file(folder, name, "DEM", "grid.dem").is_file()


@pytest.mark.parametrize("name", ["../secret.tif", "/etc/hostname", "pipe", "outward.tif"])
@pytest.mark.parametrize("where", FIELDS)
def test_every_field_that_names_a_file_is_held_to_it(folder: Path, where: str, name: str) -> None:
    if where == "ordinance":
        write_ordinance(folder)
        name = f"{name}.toml"
        for trap in (folder / "pipe", folder / "outward.tif"):
            trap.rename(f"{trap}.toml")
    data = json.loads((folder / "site.json").read_text("utf-8"))
    steps = FIELDS[where]
    if where in ("grid.LS",):
        for gone in ("dem", "z_units", "barriers"):
            del data["grid"][gone]
    if where == "grid.soils.file":
        data["grid"]["soils"] = {"file": "", "attribute": "id"}
        for gone in ("K", "K_source"):
            del data["grid"][gone]
        data["soils"] = [{"id": "loam", "K": 0.3, "K_source": "test"}]
    if where == "grid.outfalls.file":
        del data["grid"]["drainage_areas"]
        data["grid"]["outfalls"] = {"file": "", "attribute": "id"}
    if where == "ground_units[0].final_cover.raster":
        data["ground_units"][0]["final_cover"] = {"source": "test"}
        data["ground_units"][1]["stabilized"] = "2027-11-30"
    holder: Any = data
    for step in steps[:-1]:
        holder = holder[step]
    holder[steps[-1]] = name
    path = folder / "site.json"
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(InputError) as error:
        check_compliance(sediment_load(read_site(path)))
    found = {(f.code, (f.where or "").removesuffix(".file")) for f in error.value.findings}
    wanted = {"path-outside", "path-absolute", "file-not-regular"}
    wanted |= {"unknown-ordinance"} if where == "ordinance" else set()
    assert any(code in wanted and place.startswith(where.removesuffix(".file")) for code, place in found), found


def test_no_field_that_names_a_file_is_forgotten() -> None:
    models = {
        "grid": "GridInputs",
        "phases": "Phase",
        "cover": "Cover",
        "final_cover": "Cover",
        "surface_condition": "SurfaceCondition",
        "soils": "Polygons",
        "ground_units": "Polygons",
        "drainage_areas": "Polygons",
        "outfalls": "Places",
    }
    tried = {
        (models[[s for s in steps[:-1] if isinstance(s, str)][-1]], steps[-1]) for steps in FIELDS.values() if steps[1:]
    }
    marked = fields_of_files(Site)
    assert marked == tried


def test_the_crs_beside_a_raster_may_not_be_a_link_out(folder: Path) -> None:
    import numpy as np

    from fuzz.formats import raster

    raster(folder / "k.tif", np.full((12, 9), 0.3), crs=None)
    secret = folder.parent / "secret.prj"
    secret.write_text("SECRET", "utf-8")
    (folder / "k.prj").symlink_to(secret)
    with pytest.raises(InputError) as error:
        sediment_load(read_site(folder / "site.json"))
    assert "path-outside" in {f.code for f in error.value.findings}
    assert "SECRET" not in str(error.value)
