"""What is fuzzed: for each format a sound file, how it is damaged, and the commands that read it."""

import io
import json
import random
import re
import shutil
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from fuzz.mutation import TEXTS, bytes_changed, lines_changed, toml_text, tree_changed

Commands = list[list[str]]
Change = Callable[[bytes, random.Random], bytes]

WEST, NORTH = 420_000.0, 4_750_000.0


@dataclass(frozen=True)
class Format:
    """A format.

    Parameters
    ----------
    prepare
        Writes the sound files into a folder.
    name
        The file that is damaged.
    commands
        Command lines to choose from; ``{out}`` is the folder for output.
    changes
        Ways to damage it.
    """

    prepare: Callable[[Path], None]
    name: str
    commands: Commands
    changes: tuple[Change, ...]


def tree_of_json(data: bytes, dice: random.Random) -> bytes:
    return json.dumps(tree_changed(json.loads(data), dice)).encode()


def tree_of_toml(data: bytes, dice: random.Random) -> bytes:
    found = tree_changed(json.loads(json.dumps(tomllib.loads(data.decode()), default=str)), dice)
    return toml_text(found if isinstance(found, dict) else {"a": found}).encode("utf-8", "backslashreplace")


def part_of_zip(data: bytes, dice: random.Random) -> bytes:
    """Damage one of the files that a workbook packs."""
    found = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = dice.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            if name == chosen:
                content = dice.choice((bytes_changed, xml_changed))(content, dice)
            new.writestr(name, content)
    return found.getvalue()


def xml_changed(data: bytes, dice: random.Random) -> bytes:
    """Replace the text or an attribute of an element, or put a document type before it all."""
    if dice.randrange(8) == 0:
        entity = b'<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>'
        return data.replace(b"?>", b"?>" + entity, 1)
    pieces = re.split(rb'(>[^<]*<|="[^"]*")', data)
    at = dice.randrange(len(pieces))
    text = escape(dice.choice(TEXTS)).encode()
    pieces[at] = b">" + text + b"<" if pieces[at].startswith(b">") else b'="' + text + b'"' if at % 2 else pieces[at]
    return b"".join(pieces)


def submission(folder: Path) -> dict[str, Any]:
    import sedcalc

    site = sedcalc.read_site(sedcalc.example("hales_corners_submission.toml"))
    data: dict[str, Any] = site.model_dump(mode="json", exclude_defaults=True)
    return data


def write_json(folder: Path) -> None:
    (folder / "site.json").write_text(json.dumps(submission(folder)), "utf-8")


def write_toml(folder: Path) -> None:
    import sedcalc

    shutil.copy(sedcalc.example("hales_corners_submission.toml"), folder / "site.toml")


def write_xlsx(folder: Path) -> None:
    import sedcalc
    from sedcalc.report.workbook import site_workbook

    site = sedcalc.read_site(sedcalc.example("hales_corners_submission.toml"))
    (folder / "site.xlsx").write_bytes(site_workbook(site))


def write_record(folder: Path) -> None:
    import sedcalc
    from sedcalc.report.record import write_record as write

    write(sedcalc.verify(sedcalc.example("hales_corners_submission.toml")), folder / "record.json")


def write_ordinance(folder: Path) -> None:
    from sedcalc.tables import data_folder

    text = (data_folder() / "ordinances" / "hales_corners_445.toml").read_text("utf-8")
    (folder / "village.toml").write_text(text.replace('id = "hales_corners_445"', 'id = "village"'), "utf-8")
    data = submission(folder) | {"ordinance": "village.toml"}
    (folder / "site.json").write_text(json.dumps(data), "utf-8")


def raster(path: Path, values: Any, nodata: float | None = -9999.0, crs: str | None = "EPSG:26916") -> None:
    import rasterio
    from rasterio.transform import Affine

    rows, cols = values.shape
    profile = {"driver": "GTiff", "height": rows, "width": cols, "count": 1, "dtype": values.dtype, "nodata": nodata}
    place = {"crs": crs, "transform": Affine(10.0, 0, WEST, 0, -10.0, NORTH)}
    with rasterio.open(path, "w", **profile, **place, compress="deflate") as out:
        out.write(values, 1)


def boxes(path: Path, attribute: str, columns: dict[str, tuple[int, int]], rows: int) -> None:
    features = []
    for name, (left, right) in columns.items():
        x0, x1, y0, y1 = WEST + 10 * left, WEST + 10 * right, NORTH, NORTH - 10 * rows
        ring = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
        geometry = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "properties": {attribute: name}, "geometry": geometry})
    member = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": member, "features": features}), "utf-8")


def write_grid_site(folder: Path) -> None:
    """A gridded site that names a file in every field that can name one, elevations aside."""
    shape = (12, 9)
    raster(folder / "ls.tif", np.full(shape, 1.2, dtype=np.float32))
    raster(folder / "k.tif", np.full(shape, 0.3))
    raster(folder / "r.tif", np.full(shape, 115.0))
    raster(folder / "c.tif", np.full(shape, 0.5, dtype=np.float32))
    raster(folder / "p.tif", np.full(shape, 0.9, dtype=np.float32))
    raster(folder / "cover.tif", np.full(shape, 42, dtype=np.uint8), None)
    (folder / "nlcd.csv").write_text("code,cover,C,source\n42,forest,0.004,test\n11,water,0,test\n", "utf-8")
    boxes(folder / "units.geojson", "unit", {"lots": (0, 6), "street": (6, 9)}, 12)
    boxes(folder / "areas.geojson", "area", {"west": (0, 4), "east": (4, 9)}, 12)
    covers: tuple[dict[str, Any], ...] = (
        {"raster": "c.tif", "source": "test"},
        {"land_cover": "cover.tif", "table": "nlcd.csv"},
    )
    days = (("2027-05-01", "2027-06-30"), ("2027-07-01", "2027-08-31"))
    data = {
        "format": "sedcalc.site/1",
        "project": {"name": "test"},
        "ordinance": "hales_corners_445",
        "units": "us",
        "location": {"ei_zone": 101},
        "drainage_areas": [{"id": "west", "outfall": "ditch"}, {"id": "east", "outfall": "pond"}],
        "ground_units": [
            {"id": name, "stabilized": "2027-10-31", "final_cover": {"C": 0.01, "source": "test"}}
            for name in ("lots", "street")
        ],
        "phases": [
            {
                "id": f"phase {i}",
                "start": days[i][0],
                "end": days[i][1],
                "units": ["lots", "street"],
                "cover": covers[i],
                "surface_condition": {"raster": "p.tif", "source": "test"},
            }
            for i in range(2)
        ],
        "grid": {
            "LS": "ls.tif",
            "K": "k.tif",
            "K_source": "test",
            "R": "r.tif",
            "R_source": "test",
            "ground_units": {"file": "units.geojson", "attribute": "unit"},
            "drainage_areas": {"file": "areas.geojson", "attribute": "area"},
        },
    }
    (folder / "site.json").write_text(json.dumps(data), "utf-8")


def write_geopackage(folder: Path) -> None:
    import geopandas
    from shapely.geometry import box

    write_grid_site(folder)
    shapes = [box(WEST, NORTH - 120, WEST + 60, NORTH), box(WEST + 60, NORTH - 120, WEST + 90, NORTH)]
    frame = geopandas.GeoDataFrame({"unit": ["lots", "street"]}, geometry=shapes, crs="EPSG:26916")
    frame.to_file(folder / "units.gpkg", driver="GPKG", layer="units")
    text = (folder / "site.json").read_text("utf-8")
    (folder / "site.json").write_text(text.replace("units.geojson", "units.gpkg"), "utf-8")


def write_dem_site(folder: Path) -> None:
    """A gridded site whose LS comes from elevations, with barriers."""
    write_grid_site(folder)
    slope = np.repeat(250.0 - np.arange(12)[:, None] * 0.6, 9, axis=1)
    raster(folder / "dem.tif", slope.astype(np.float32))
    boxes(folder / "barriers.geojson", "name", {"wall": (4, 5)}, 1)
    data = json.loads((folder / "site.json").read_text("utf-8"))
    del data["grid"]["LS"]
    data["grid"] |= {"dem": "dem.tif", "z_units": "m", "barriers": "barriers.geojson"}
    (folder / "site.json").write_text(json.dumps(data), "utf-8")


def write_rain(folder: Path) -> None:
    lines = ["time,rain_mm"]
    for step in range(400):
        day, minute = divmod(step * 10, 1440)
        lines.append(f"2027-06-{day + 1:02d}T{minute // 60:02d}:{minute % 60:02d},{(step % 37 == 0) * 12.5}")
    (folder / "rain.csv").write_text("\n".join(lines) + "\n", "utf-8")


def write_jma(folder: Path) -> None:
    lines = ["Date.Time;Precipitation_mm;Temperature_C"]
    marks = ("--", "0.5", "12.0", "× ", "#", "-- )")
    for step in range(1, 300):
        day, minute = divmod(step * 10, 1440)
        time = f"{day + 1:02d}/06/2020 {minute // 60:02d}:{minute % 60:02d}" if minute else str(43983 + day)
        lines.append(f"{time};{marks[step % 6]};{15 + step % 7}.5")
    (folder / "rain.csv").write_text("\n".join(lines) + "\n", "utf-8")


def write_meteoswiss(folder: Path) -> None:
    lines = ["stn;yyyyMMddHHmm;rre150z0"]
    for step in range(300):
        day, minute = divmod(step * 10, 1440)
        lines.append(
            f"BER;202006{day + 1:02d}{minute // 60:02d}{minute % 60:02d};{'-' if step % 50 == 0 else step % 5}"
        )
    (folder / "rain.csv").write_text("\n".join(lines) + "\n", "utf-8")


def write_kmi(folder: Path) -> None:
    lines = [f"{minute} {1 + minute % 7}.2" for minute in range(10, 20_000, 170)]
    (folder / "rain2020").write_text("\n".join(lines) + "\n", "ascii")


def write_wepp(folder: Path) -> None:
    head = ["5.3", "   1   1   0", "  Station: X", *[f" line {i}" for i in range(12)]]
    days = []
    for day in range(1, 29):
        count = 3 if day % 5 == 0 else 0
        days.append(f" {day:2d}  6  2020  {count}  25.1  12.2  300  3.0  180  10.0")
        days += [f"   {h:.2f}  {d:.2f}" for h, d in ((1.0, 0.0), (2.5, 20.0), (4.0, 31.0))][:count]
    (folder / "rain.cli").write_text("\n".join([*head, *days]) + "\n", "ascii")


RUN: Commands = [["run", "site.json", "--json"], ["run", "site.json"], ["verify", "site.json", "--json"]]
# The records are of some days: with every share of a year allowed to be missing, sound ones have an R.
_SHORT = ("--max-missing-year", "1", "--max-missing-month", "1")
RAIN: Commands = [["rain", "rain.csv", "--json", *_SHORT], ["rain", "rain.csv", "--units", "mm", *_SHORT]]
RASTER = (bytes_changed,)
LOSS = ("--r", "115", "--k", "0.3", "--c", "1", "--p", "1")
TEXT = (bytes_changed, lines_changed, lines_changed)

FORMATS: dict[str, Format] = {
    "json": Format(
        write_json,
        "site.json",
        [
            ["verify", "site.json", "--json"],
            ["verify", "site.json"],
            ["run", "site.json", "--json"],
            ["verify", "site.json", "--record", "{out}/record.json"],
        ],
        (tree_of_json, tree_of_json, tree_of_json, bytes_changed),
    ),
    "toml": Format(
        write_toml,
        "site.toml",
        [["verify", "site.toml", "--json"], ["run", "site.toml"]],
        (tree_of_toml, tree_of_toml, bytes_changed, lines_changed),
    ),
    "xlsx": Format(
        write_xlsx,
        "site.xlsx",
        [["verify", "site.xlsx", "--json"], ["run", "site.xlsx"]],
        (bytes_changed, part_of_zip, part_of_zip, part_of_zip),
    ),
    "record": Format(
        write_record,
        "record.json",
        [["replay", "record.json", "--json"], ["replay", "record.json"]],
        (tree_of_json, tree_of_json, bytes_changed),
    ),
    "ordinance": Format(
        write_ordinance, "village.toml", [["run", "site.json", "--json"], ["run", "site.json"]], (tree_of_toml, *TEXT)
    ),
    "geotiff": Format(write_grid_site, "k.tif", RUN, RASTER),
    "land cover": Format(write_grid_site, "cover.tif", RUN, RASTER),
    "dem": Format(
        write_dem_site,
        "dem.tif",
        [
            ["ls-grid", "dem.tif", "--out", "{out}/ls.tif", "--json", "--z-units", "m"],
            ["loss-grid", "--ls", "dem.tif", *LOSS, "--out", "{out}/loss.tif", "--json"],
        ],
        RASTER,
    ),
    "grid site": Format(write_grid_site, "site.json", RUN, (tree_of_json,)),
    "geojson": Format(write_grid_site, "units.geojson", RUN, (tree_of_json, tree_of_json, bytes_changed)),
    "geopackage": Format(write_geopackage, "units.gpkg", RUN, RASTER),
    "cover table": Format(write_grid_site, "nlcd.csv", RUN, TEXT),
    "rain csv": Format(write_rain, "rain.csv", RAIN, TEXT),
    "rain jma": Format(write_jma, "rain.csv", RAIN, TEXT),
    "rain meteoswiss": Format(write_meteoswiss, "rain.csv", RAIN, TEXT),
    "rain kmi": Format(write_kmi, "rain2020", [["rain", "rain2020", "--json", *_SHORT]], TEXT),
    "rain wepp": Format(write_wepp, "rain.cli", [["rain", "rain.cli", "--json", *_SHORT]], TEXT),
}
