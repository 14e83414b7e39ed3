"""The calculation sheet of a site on real ground: 1 m bare-earth lidar in Minnesota."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

import sedcalc as sc
from builders import practice, site_data
from sedcalc.report.results import run_object
from sedcalc.report.sheet import write_report

pdfium = pytest.importorskip("pypdfium2")
pytest.importorskip("typst")

Box = tuple[int, int, int, int]
"""West, north, east, south of a rectangle, metres from the corner of the raster."""


def write_boxes(path: Path, given: dict[str, Box], corner: tuple[float, float], crs: str) -> None:
    features = []
    for key, (west, north, east, south) in given.items():
        x0, x1, y0, y1 = corner[0] + west, corner[0] + east, corner[1] - north, corner[1] - south
        ring = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
        shape = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "properties": {"id": key}, "geometry": shape})
    named = {"type": "name", "properties": {"name": f"urn:ogc:def:crs:{crs.replace(':', '::')}"}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": named, "features": features}))


@pytest.fixture(scope="module")
def ruling(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Lots and a street of 170 by 42 m on a hillside, two drainage areas, two phases."""
    folder = tmp_path_factory.mktemp("lidar")
    shutil.copy(shared_data / "terrain" / "lidar_1m" / "dem.tif", folder / "dem.tif")
    with rasterio.open(folder / "dem.tif") as source:
        corner, crs = (source.bounds.left, source.bounds.top), source.crs.to_string()
    write_boxes(folder / "units.geojson", {"lots": (20, 352, 105, 394), "street": (105, 352, 190, 394)}, corner, crs)
    write_boxes(folder / "areas.geojson", {"upper": (20, 352, 190, 375), "lower": (20, 375, 190, 394)}, corner, crs)
    data = site_data(drainage_areas=[{"id": "upper", "outfall": "ditch"}, {"id": "lower", "outfall": "culvert"}])
    own = {k: data["ground_units"][0][k] for k in ("soil", "stabilized", "final_cover")}
    data["ground_units"] = [{"id": name, **own} for name in ("lots", "street")]
    grading = {**data["phases"][0], "units": ["lots", "street"], "end": "2027-06-30"}
    mulched = {**grading, "id": "mulched", "start": "2027-07-01", "end": "2027-12-31"}
    data["phases"] = [grading, {**mulched, "cover": {"C": 0.1, "source": "test"}}]
    data["practices"] = [practice("trap", 0.5, drainage_areas=["upper"])]
    data["grid"] = {
        "dem": "dem.tif",
        "z_units": "m",
        "ground_units": {"file": "units.geojson", "attribute": "id"},
        "drainage_areas": {"file": "areas.geojson", "attribute": "id"},
    }
    (folder / "site.json").write_text(json.dumps(data))
    return sc.check_compliance(sc.sediment_load(sc.read_site(folder / "site.json")))


@pytest.mark.slow
def test_the_pdf_has_the_figure_and_a_map_of_each_phase(ruling: Any, tmp_path: Path) -> None:
    document = pdfium.PdfDocument(write_report(ruling, tmp_path / "sheet.pdf"))
    text = " ".join(" ".join(page.get_textpage().get_text_range() for page in document).split())
    assert f"{ruling.tons_per_acre_per_year:,.2f}" in text
    captions = re.findall(r"Figure \d+[.:]? ?(?:Ground units|Drainage areas and outfalls|Soil loss in phase \w+)", text)
    assert [c.split()[-1] for c in captions] == ["units", "outfalls", "grading", "mulched"]
    pictures = [o for page in document for o in page.get_objects() if o.type == pdfium.raw.FPDF_PAGEOBJ_IMAGE]
    colours = [len(np.unique(p.get_bitmap().to_numpy().reshape(-1, 3), axis=0)) for p in pictures]
    assert len(colours) == 4
    assert min(colours) > 50  # a hillshade, and no blank


def test_the_html_has_the_numbers_of_the_run(ruling: Any, tmp_path: Path) -> None:
    text = write_report(ruling, tmp_path / "sheet.html").read_text()
    found = run_object(ruling)
    carried = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.S).group(1))
    assert carried["tons_per_acre_per_year"] == found["tons_per_acre_per_year"]
    assert carried["disturbed_acres"] == pytest.approx(170 * 42 / 4046.8564224, rel=1e-9)
    assert text.count("data:image/png;base64,") == 4


@pytest.mark.slow
def test_the_same_site_gives_the_same_sheet(ruling: Any, tmp_path: Path) -> None:
    for kind in ("pdf", "html"):
        first, second = (write_report(ruling, tmp_path / f"{n}.{kind}").read_bytes() for n in "ab")
        assert first == second
