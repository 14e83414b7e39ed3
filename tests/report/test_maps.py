"""Maps: their numbers against the load table, their files as a GIS reads them, and what a reader finds on them."""

import json
import re
import shutil
import sqlite3
import sys
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import geopandas
import numpy as np
import pyproj
import pytest
import rasterio
from matplotlib.image import imread
from matplotlib.text import Text
from scipy.ndimage import binary_dilation

import sedcalc as sc
from builders import site_data
from report_layout import faults
from sedcalc.compliance.ordinance import load_ordinance
from sedcalc.findings import EnvironmentFault, InputError
from sedcalc.report import maps, style
from sedcalc.report.maps.area_maps import FILLS
from sedcalc.report.maps.classes import loss_classes, ls_classes, slope_classes
from sedcalc.report.maps.themes import elevations


@pytest.fixture(scope="module")
def load() -> Any:
    return sc.sediment_load(sc.read_site(sc.example("graded_pad/site.toml")))


def test_cells_add_up_to_the_rows_of_the_load_table(load: Any) -> None:
    for phase in load.site.phases:
        grid = maps.phase_soil_loss(load, phase.id)
        rows = load.table.query("phase == @phase.id")
        tons = np.nansum(grid.values.astype(np.float64)) * grid.cell_acres
        assert tons == pytest.approx(rows.soil_loss_tons.sum(), rel=1e-6)  # the raster is float32
        acres = np.count_nonzero(~np.isnan(grid.values)) * grid.cell_acres
        assert acres == pytest.approx(rows.acres.sum(), rel=1e-12)


def test_a_geotiff_for_each_phase_says_what_it_holds(load: Any, tmp_path: Path) -> None:
    written = maps.write_soil_loss_geotiffs(load, tmp_path)
    assert [p.name for p in written[:2]] == ["soil_loss_01_clearing.tif", "soil_loss_02_mass_grading.tif"]
    assert len(written) == len(load.site.phases)
    with rasterio.open(written[1]) as raster:
        assert raster.crs.to_epsg() == 26916
        assert np.isnan(raster.nodata)
        assert raster.profile["tiled"]
        assert raster.profile["compress"] == "deflate"
        assert raster.units == ("tons/acre",)
        assert raster.tags()["units"] == "short tons/acre"
        assert (raster.tags()["start"], raster.tags()["end"]) == ("2027-05-03", "2027-06-06")
        values = raster.read(1)
        assert np.array_equal(values, maps.phase_soil_loss(load, "mass grading").values, equal_nan=True)
    # The phase's units fill the rectangle of disturbance; the meadow around it is no part of the phase.
    assert (~np.isnan(values)).sum() == 136 * 96
    assert np.isnan(values[:46]).all()


def test_equal_loads_give_equal_files(load: Any, tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        maps.write_maps(load, folder)
    names = sorted(p.name for p in folders[0].iterdir())
    assert len(names) == 2 * len(load.site.phases)
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name


def test_the_picture_has_classes_limit_scale_and_north(load: Any) -> None:
    ax = maps.soil_loss_map(load, "mass grading")
    legend = ax.get_legend()
    assert legend is not None
    labels = [t.get_text() for t in legend.get_texts()]
    limit = labels.index("5: limit (12 months)")  # 445-6.9C(2)(a)
    assert labels[limit - 1].startswith("5 to 10")
    assert labels[limit + 1].startswith("2 to 5")
    assert legend.get_title().get_text() == "tons/acre over the phase"
    # The areas of the classes are the area of the phase.
    acres = sum(float(t.split("(")[1].split(" ")[0]) for t in labels if " ac)" in t)
    assert acres == pytest.approx(136 * 96 / 4046.8564224, abs=0.005 * len(labels))
    texts = [t.get_text() for t in ax.texts]
    assert "N" in texts
    assert "100 ft" in texts  # three tenths of 200 m are 197 ft
    assert ax.get_title(loc="left") == "Soil loss: mass grading"
    assert "2027-05-03 to 2027-06-06; Graded pad" in texts
    assert "contours, every 2 ft" in labels  # 445-6.11B(4): not over 5 ft
    assert len(ax.images) == 2  # hillshade below, classes above


def test_the_colours_change_at_the_limit() -> None:
    classes = loss_classes(np.array([[0.05, 3.0, 30.0]]), 5.0, "us")
    assert classes.edges == (0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
    blue = [int(c[5:7], 16) > int(c[1:3], 16) for c in classes.colors]
    assert blue == [e < 5.0 for e in classes.edges[:-1]]
    # A loss has one colour, whatever else is on the map, and a limit between two breaks is a break itself.
    few = loss_classes(np.array([[0.6]]), 5.0, "us")
    assert (few.edges, few.colors) == (classes.edges[:6], classes.colors[:5])
    assert 7.5 in loss_classes(np.array([[30.0]]), 7.5, "us").edges


def grey(color: str) -> float:
    """Lightness of a grey copy (Rec. 709 luma), 0 to 1."""
    return sum(w * int(color[i : i + 2], 16) / 255 for w, i in ((0.2126, 1), (0.7152, 3), (0.0722, 5)))


def test_classes_darken_all_the_way_on_a_grey_copy() -> None:
    code = load_ordinance("hales_corners_445")
    wide = np.array([[0.05, 200.0]])
    for classes in (loss_classes(wide, 5.0, "us"), ls_classes(wide), slope_classes(code)):
        lightness = [grey(c) for c in classes.colors]
        assert all(a - b > 0.015 for a, b in pairwise(lightness)), classes.title


def test_slope_classes_hold_the_steep_slope_and_3_to_1(load: Any) -> None:
    """445-6.9C(3)(c) names 20 %; 3H:1V is where the state's method ends. The areas are those of the LS summary."""
    classes = slope_classes(load_ordinance("hales_corners_445"))
    assert set(classes.marks) == {20.0, 33.34}
    grid = maps.steepness(load)
    counts = classes.counts(grid.values)
    assert sum(counts) == np.count_nonzero(load.ground.rasters.piece >= 0)
    steep = sum(n for n, low in zip(counts, classes.edges, strict=False) if low >= 20.0) * grid.cell_acres
    said = next(f for f in load.findings if f.code == "slopes-20-percent")  # disturbed ground on any surface
    assert f"{steep:.2f}" in said.message


def test_the_legend_holds_the_classes_that_occur(load: Any) -> None:
    """No cell of the pad is steeper than 3H:1V: neither its classes nor its line are there; the code's 20 % is."""
    grid = maps.steepness(load)
    classes = slope_classes(load_ordinance("hales_corners_445"))
    labels = [t.get_text() for t in maps.slope_map(load).get_legend().get_texts()]
    there = [label for label, n in zip(classes.labels, classes.counts(grid.values), strict=True) if n]
    assert 0 < len(there) < len(classes.labels)
    assert [t.split("  (")[0] for t in labels if t.endswith(" ac)")] == there[::-1]
    assert np.nanmax(grid.values) < 33.34
    assert [t for t in labels if "3H:1V" in t or "445-6.9C(3)(c)" in t] == ["20 %: 445-6.9C(3)(c)"]
    for phase, over in (("clearing", False), ("mass grading", True)):
        entries = [t.get_text() for t in maps.soil_loss_map(load, phase).get_legend().get_texts()]
        assert ("5: limit (12 months)" in entries) == over == (np.nanmax(maps.phase_soil_loss(load, phase).values) >= 5)
        assert not [t for t in entries if "(0.00 ac)" in t]


def test_a_small_class_keeps_its_place_in_the_legend() -> None:
    from sedcalc.report.maps.furniture import class_entries

    classes = ls_classes(np.array([0.1, 4.0]))
    labels = [str(e.get_label()) for e in class_entries(classes, classes.counts(np.array([0.1, 4.0])), 1e-4, "us")]
    assert labels == ["3 to 5  (0.00010 ac)", "0 to 0.25  (0.00010 ac)"]


def test_k_map_shows_the_soils(load: Any) -> None:
    """Stewart et al. 1975: silt loam of 1.5 % 0.44, loam of 1 % 0.3667 (linear between 0.5 and 2 %)."""
    labels = [t.get_text() for t in maps.k_map(load).get_legend().get_texts()]
    assert labels[0].startswith("0.44  upper")
    assert labels[1].startswith("0.367  lower")
    assert labels[2] == "drainage areas"


@pytest.mark.parametrize("width_in", [style.WIDTH_IN, style.COLUMN_IN])
@pytest.mark.parametrize("name", ["soil_loss_map", "ls_map", "slope_map", "k_map", "phase_map", "drainage_map"])
def test_nothing_on_a_map_is_cut_off_or_lies_on_other_text(load: Any, name: str, width_in: float) -> None:
    which = ("mass grading",) if name == "soil_loss_map" else ()
    ax = getattr(maps, name)(load, *which, width_in=width_in)
    figure = style.figure_of(ax)
    assert [t for t in ax.texts if t.get_gid() == "elevation"]
    assert faults(figure) == []
    legend = ax.get_legend().get_window_extent()
    assert legend.x1 <= figure.bbox.x1
    assert legend.y0 >= figure.bbox.y0
    assert min(t.get_fontsize() for t in ax.findobj(Text) if t.get_text()) >= 6.5


def pixels_of_cells(ax: Any, grid: Any) -> tuple[Any, Any]:
    """Return the colour drawn at the middle of each cell, 0 to 255, where the map shows it; and whether it does."""
    figure = style.figure_of(ax)
    figure.canvas.draw()
    picture = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    size, _, left, _, _, top = grid.transform
    rows, cols = np.indices(grid.shape)
    x, y = left + size * (cols + 0.5), top - size * (rows + 0.5)
    places = ax.transData.transform(np.column_stack([x.ravel(), y.ravel()]))
    inside = ax.get_window_extent().padded(-2).contains
    shown = np.array([inside(*p) for p in places]).reshape(grid.shape)
    px = np.clip(places[:, 0].astype(int), 0, picture.shape[1] - 1)
    py = np.clip(picture.shape[0] - 1 - places[:, 1].astype(int), 0, picture.shape[0] - 1)
    return picture[py, px].reshape(*grid.shape, 3), shown


@pytest.mark.parametrize("name", ["soil_loss_map", "ls_map", "slope_map", "k_map", "phase_map", "drainage_map"])
def test_every_lit_colour_is_nearest_to_its_own_class(load: Any, name: str) -> None:
    """Each cell drawn, without lines and text, against the swatches of the legend: slopes of the pad face all ways."""
    from sedcalc.report.maps.classes import k_classes
    from sedcalc.report.maps.themes import area_of_cells, unit_of_cells

    ax = getattr(maps, name)(load, *(("mass grading",) if name == "soil_loss_map" else ()))
    for artist in (*ax.collections, *ax.texts, *ax.lines):
        artist.remove()
    grid = load.ground.rasters.grid
    if name in ("phase_map", "drainage_map"):
        own = unit_of_cells(load) if name == "phase_map" else area_of_cells(load)
        colors = FILLS[: own.max() + 1]
        for image in ax.images[2:]:  # barriers
            image.remove()
    else:
        values = {
            "soil_loss_map": lambda: maps.phase_soil_loss(load, "mass grading").values,
            "ls_map": lambda: maps.slope_length_steepness(load).values,
            "slope_map": lambda: maps.steepness(load).values,
            "k_map": lambda: maps.erodibility(load).values,
        }[name]()
        classes = {
            "soil_loss_map": lambda: loss_classes(values, 5.0, "us"),
            "ls_map": lambda: ls_classes(values),
            "slope_map": lambda: slope_classes(load_ordinance("hales_corners_445")),
            "k_map": lambda: k_classes(values, load),
        }[name]()
        own, colors = classes.index(values), classes.colors
    swatches = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colors])
    pixels, shown = pixels_of_cells(ax, grid)
    known = shown & (own >= 0)
    nearest = np.abs(pixels[known][:, None, :] - swatches).sum(axis=2).argmin(axis=1)
    assert known.sum() > 1000
    assert np.array_equal(nearest, own[known])


def test_no_light_brings_a_fill_nearer_to_another() -> None:
    """All fills of areas over the whole range of a hillshade."""
    from sedcalc.report.maps.area_maps import _ALPHA
    from sedcalc.report.maps.relief import _SHADE

    fills = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in FILLS])
    for light in np.linspace(_SHADE, 1.0, 66):
        lit = _ALPHA * fills + (1.0 - _ALPHA) * 255.0 * light
        nearest = np.abs(lit[:, None, :] - fills).sum(axis=2).argmin(axis=1)
        assert nearest.tolist() == list(range(len(FILLS))), light


def plane(east: float, south: float) -> Any:
    """Ground that falls by so much for each cell to the east and to the south."""
    from sedcalc.terrain.grid import Grid

    rows, cols = np.mgrid[0:30, 0:40]
    return Grid(100.0 - east * cols - south * rows, (1.0, 0.0, 0.0, 0.0, -1.0, 30.0), "EPSG:26916", 1.0, z_unit_m=1.0)


def test_equal_slopes_are_equally_light_on_every_surface() -> None:
    """Lambert's law by angles: slope 1:10 drawn three times as steep, its aspect towards or away from a sun at 45."""
    from sedcalc.report.maps.relief import _SHADE, _light

    steep = np.arctan(3.0 * 0.1)
    towards, away = np.cos(np.pi / 4 - steep), np.cos(np.pi / 4 + steep)
    fall = 0.1 / np.sqrt(2.0)
    for ground, facing in (
        (plane(0.0, 0.0), np.cos(np.pi / 4)),
        (plane(-fall, -fall), towards),  # falls to the northwest, where the sun stands
        (plane(fall, fall), away),
    ):
        assert _light(ground) == pytest.approx(_SHADE + (1.0 - _SHADE) * facing, abs=1e-9)
    uneven = plane(1e-4, 1e-4)
    assert np.ptp(_light(uneven)) < 1e-9  # a plane is no picture of black and white
    assert _light(plane(3.0, 3.0)).min() == _SHADE


def test_the_ground_is_light_and_the_same_in_all_phases(load: Any) -> None:
    """Ground outside the grading is the same on both surfaces, and so is its picture."""
    first, last = (np.ma.getdata(maps.soil_loss_map(load, p).images[0].get_array()) for p in ("clearing", "building"))
    assert np.nanmin(first) >= 0.6
    assert np.median(first) > 0.8
    before, after = (elevations(load, p).values for p in ("clearing", "building"))
    assert first.shape == before.shape
    changed = binary_dilation(before != after)  # a slope is that of a cell and its neighbours
    assert changed.any()
    assert not changed.all()
    assert np.array_equal(first[~changed], last[~changed])


@pytest.mark.parametrize("name", ["soil_loss_map", "drainage_map"])
def test_contours_are_dark_lines_in_a_white_casing(load: Any, name: str) -> None:
    from matplotlib.colors import to_hex
    from matplotlib.contour import ContourSet

    ax = getattr(maps, name)(load, *(("mass grading",) if name == "soil_loss_map" else ()))
    casing, lines = (drawn for drawn in ax.collections if isinstance(drawn, ContourSet))
    assert to_hex(casing.get_edgecolor()[0]) == "#ffffff"
    line = grey(to_hex(lines.get_edgecolor()[0]))
    for color in loss_classes(np.array([200.0]), 5.0, "us").colors:
        ground = grey(color)
        assert max(ground - line, casing.get_alpha() * (1.0 - ground)) > 0.35, color
    assert (np.array(casing.get_linewidths()) > np.array(lines.get_linewidths()) + 0.5).all()
    assert list(casing.levels) == list(lines.levels)


def test_names_on_a_map_stand_on_opaque_plates(load: Any) -> None:
    """A line under a name would strike it through."""
    for draw in (maps.drainage_map, maps.phase_map):
        plates = [t.get_bbox_patch() for t in draw(load).texts if t.get_bbox_patch() is not None]
        assert len(plates) >= 2
        assert {p.get_facecolor() for p in plates} == {(1.0, 1.0, 1.0, 1.0)}
        assert {p.get_alpha() for p in plates} == {None}


@pytest.mark.parametrize("name", ["soil_loss_map", "drainage_map"])
def test_elevations_on_contours_stand_clear_of_other_lines(load: Any, name: str) -> None:
    """No vertex of another contour, and no corner of an outline, within the plate of a label."""
    from matplotlib.collections import LineCollection
    from matplotlib.contour import ContourSet

    ax = getattr(maps, name)(load, *(("mass grading",) if name == "soil_loss_map" else ()))
    style.figure_of(ax).draw_without_rendering()
    labels = [t for t in ax.texts if t.get_gid() == "elevation"]
    assert len(labels) >= 3
    for text in labels:
        points = []
        for drawn in ax.collections:
            if isinstance(drawn, ContourSet):
                others = [k for k, level in enumerate(drawn.levels) if f"{level:g}" != text.get_text()]
                points += [piece for k in others for piece in drawn.allsegs[k]]
            elif isinstance(drawn, LineCollection):
                points += list(drawn.get_segments())
        at = ax.transData.transform(np.concatenate([p.reshape(-1, 2) for p in points]))
        plate = text.get_bbox_patch()
        inside = plate.get_path().transformed(plate.get_transform()).contains_points(at)
        assert not inside.any(), text.get_text()
        assert text.get_bbox_patch().get_facecolor() == (1.0, 1.0, 1.0, 1.0)


def test_practices_are_words_without_a_mark(load: Any) -> None:
    """A site file says which areas a practice serves, not where it stands: a mark in the legend would be on no map."""
    ax = maps.phase_map(load)
    entries = zip(ax.get_legend().get_texts(), ax.get_legend().legend_handles, strict=True)
    found = {t.get_text(): h for t, h in entries if hasattr(h, "get_marker")}
    said = [t for t in found if t.startswith(("west trap", "east trap", "Practices"))]
    assert len(said) == 3
    assert all(found[t].get_marker() in ("", "None") and found[t].get_linestyle() in ("", "None") for t in said)


@pytest.mark.parametrize("width_in", [0, -1, float("nan"), "7", None, True, 0.1, 1e6])
def test_a_width_that_cannot_be_is_refused(load: Any, width_in: Any) -> None:
    for name in ("ls_map", "slope_map", "k_map", "phase_map", "drainage_map"):
        with pytest.raises(sc.InputError, match=r"number of inches from 3\.25 to 48"):
            getattr(maps, name)(load, width_in=width_in)
    with pytest.raises(sc.InputError, match=r"number of inches from 3\.25 to 48"):
        maps.soil_loss_map(load, "mass grading", width_in=width_in)


@pytest.mark.parametrize("width_in", [3.25, 48])
def test_maps_of_the_least_and_the_largest_width(load: Any, width_in: float) -> None:
    assert faults(style.figure_of(maps.drainage_map(load, width_in=width_in))) == []


def names_of_outfalls(ax: Any) -> dict[str, tuple[float, float]]:
    """Return the place that each name written in italics stands at."""
    return {t.get_text(): t.xy for t in ax.texts if t.get_fontstyle() == "italic"}


def test_outfalls_stand_on_the_lowest_cells_with_their_names(load: Any) -> None:
    """The hillside falls to the south and from the middle outwards: the lowest corners of the two areas."""
    west, south, east, _ = load.ground.rasters.grid.bounds
    found = names_of_outfalls(maps.drainage_map(load))
    assert set(found) == {"west culvert", "east culvert"}
    middle = 0.5 * (west + east)
    assert found["west culvert"][0] < middle - 80
    assert found["east culvert"][0] > middle + 80
    assert max(y for _, y in found.values()) < south + 30


@pytest.mark.parametrize("shared", [False, True])
def test_given_outfalls_stand_where_they_are_given(tmp_path: Path, shared: bool) -> None:
    """A plane that falls to the south; its outfall is drawn as a line along the lowest row, the other as a point."""
    from sedcalc.io.rasters import write_grid
    from sedcalc.terrain.grid import Grid

    left, top, crs = 420_000.0, 4_750_000.0, "EPSG:26916"
    z = np.repeat(250.0 - 0.6 * np.arange(30.0)[:, np.newaxis], 40, axis=1)
    write_grid(
        tmp_path / "dem.tif",
        Grid(z, (10.0, 0.0, left, 0.0, -10.0, top), crs, 1.0, 1.0),
        units_tag="m",
        description="z",
        dtype="float64",
    )
    line = [[left + 5.0, top - 295.0], [left + 305.0, top - 295.0]]
    shapes = {
        "1": {"type": "LineString", "coordinates": line},  # numbers as ids, as a drawing program stores them
        "2": {"type": "LineString", "coordinates": [[left + 315.0, top - 295.0], [left + 395.0, top - 295.0]]},
    }
    collection = {
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}},
        "features": [
            {"type": "Feature", "properties": {"id": int(k)}, "geometry": shape} for k, shape in shapes.items()
        ],
    }
    (tmp_path / "outfalls.geojson").write_text(json.dumps(collection))
    data = site_data()
    unit = {
        k: v for k, v in data["ground_units"][0].items() if k not in ("area", "slope_pct", "length", "drainage_area")
    }
    data["ground_units"] = [unit]
    data["drainage_areas"] = [
        {"id": "1", "outfall": "ditch"},
        {"id": "2", "outfall": "ditch" if shared else "culvert"},
    ]
    data["grid"] = {"dem": "dem.tif", "z_units": "m", "outfalls": {"file": "outfalls.geojson", "attribute": "id"}}
    (tmp_path / "site.json").write_text(json.dumps(data))
    load = sc.sediment_load(sc.read_site(tmp_path / "site.json"))
    ax = maps.drainage_map(load)
    found = names_of_outfalls(ax)
    # Where two areas drain to one outfall through places of their own, the places bear the names of the areas.
    names = ("1", "2") if shared else ("ditch", "culvert")
    assert found == {names[0]: (left + 155.0, top - 295.0), names[1]: (left + 355.0, top - 295.0)}
    marks = [tuple(np.ravel(line.get_xydata())) for line in ax.lines if line.get_marker() == "v"]
    assert set(found.values()) <= set(marks)
    legend = " ".join(t.get_text() for t in ax.get_legend().get_texts()).replace("\n", " ")
    assert "as given in outfalls.geojson" in legend
    package = geopandas.read_file(maps.write_geopackage(load, tmp_path / "site.gpkg"), layer="outfalls")
    assert [(p.x, p.y) for p in package.geometry] == list(found.values())
    (tmp_path / "outfalls.geojson").unlink()
    with pytest.raises(InputError, match="not there any more"):
        maps.drainage_map(load)


def in_feet(folder: Path, crs: str = "EPSG:32054", unit_m: float = 1200.0 / 3937.0) -> Any:
    """A plane of 6 % on a state-plane grid in feet, with one unit of 400 by 300 of its feet."""
    from sedcalc.io.rasters import write_grid
    from sedcalc.terrain.grid import Grid

    rows, cols, cell = 100, 120, 5.0
    z = np.repeat(800.0 - 0.06 * cell * np.arange(rows)[:, np.newaxis], cols, axis=1)
    grid = Grid(z, (cell, 0.0, 2_500_000.0, 0.0, -cell, 350_500.0), crs, unit_m, unit_m)
    write_grid(folder / "dem.tif", grid, units_tag="us-ft", description="z", dtype="float64")
    west, south, east, north = 2_500_100.0, 350_100.0, 2_500_500.0, 350_400.0
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    polygon = {"type": "Polygon", "coordinates": [ring]}
    name = f"urn:ogc:def:crs:{crs.replace(':', '::')}"
    collection = {
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": name}},
        "features": [{"type": "Feature", "properties": {"id": "u1"}, "geometry": polygon}],
    }
    (folder / "units.geojson").write_text(json.dumps(collection))
    data = site_data()
    unit = data["ground_units"][0]
    data["ground_units"] = [{k: v for k, v in unit.items() if k not in ("area", "slope_pct", "length")}]
    data["grid"] = {
        "dem": "dem.tif",
        "z_units": "us-ft",
        "ground_units": {"file": "units.geojson", "attribute": "id"},
    }
    (folder / "site.json").write_text(json.dumps(data))
    return sc.sediment_load(sc.read_site(folder / "site.json"))


def bar_of(ax: Any) -> tuple[float, float, str]:
    """Return length of the scale bar in units of the CRS, its printed length and unit."""
    pieces = [p for p in ax.patches if p.get_gid() == "scale bar"]
    text = next(t.get_text() for t in ax.texts if t.get_text().endswith((" ft", " m")) and "inch" not in t.get_text())
    number, unit = text.rsplit(" ", 1)
    return sum(p.get_width() for p in pieces), float(number.replace(",", "")), unit


def test_scale_bar_and_area_in_feet_of_the_state_plane(tmp_path: Path) -> None:
    """400 by 300 US survey feet of EPSG:32054 are 120,000 (1200/3937)^2 m2: 2.754832 acres of 43,560 ft2."""
    load = in_feet(tmp_path)
    acres = 120_000 * (1200 / 3937) ** 2 / (43_560 * 0.3048**2)
    assert acres == pytest.approx(2.7548320, rel=1e-6)
    ax = maps.soil_loss_map(load, "grading")
    drawn, printed, unit = bar_of(ax)
    assert unit == "ft"
    assert drawn * (1200 / 3937) / 0.3048 == pytest.approx(printed, rel=1e-3)
    labels = [t.get_text() for t in ax.get_legend().get_texts()]
    assert sum(float(t.split("(")[1].split(" ")[0]) for t in labels if " ac)" in t) == pytest.approx(acres, abs=0.01)
    assert any("Cells of 5 ft, EPSG:32054" in t.get_text().replace("\n", " ") for t in ax.texts)
    package = maps.write_geopackage(load, tmp_path / "site.gpkg")
    units = geopandas.read_file(package, layer="ground_units")
    assert units.acres[0] == pytest.approx(acres, rel=1e-3)
    assert units.geometry.area[0] == pytest.approx(120_000, rel=1e-3)


def test_scale_bar_in_feet_on_a_metre_grid(load: Any) -> None:
    drawn, printed, unit = bar_of(maps.slope_map(load))
    assert unit == "ft"
    assert drawn / 0.3048 == pytest.approx(printed, rel=1e-3)


@pytest.mark.parametrize(("sheet", "scale"), [("letter", 100.0), ("tabloid", 80.0), ("arch-d", 50.0)])
def test_a_sheet_has_its_size_and_scale(load: Any, sheet: str, scale: float) -> None:
    ax = maps.phase_map(load, sheet=sheet, feet_per_inch=scale)
    figure = style.figure_of(ax)
    assert tuple(figure.get_size_inches()) == {"letter": (11, 8.5), "tabloid": (17, 11), "arch-d": (36, 24)}[sheet]
    figure.draw_without_rendering()
    inches = ax.get_window_extent().width / figure.dpi
    west, east = ax.get_xlim()
    assert (east - west) / 0.3048 / inches == pytest.approx(scale, rel=1e-3)
    assert f"scale 1 inch = {scale:g} ft" in [t.get_text() for t in ax.texts]


def test_a_sheet_in_us_survey_feet(tmp_path: Path) -> None:
    ax = maps.slope_map(in_feet(tmp_path), sheet="letter", feet_per_inch=80)
    figure = style.figure_of(ax)
    inches = ax.get_window_extent().width / figure.dpi
    west, east = ax.get_xlim()
    assert (east - west) * (1200 / 3937) / 0.3048 / inches == pytest.approx(80, rel=1e-3)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"sheet": "letter", "feet_per_inch": 50.0}, "at least 98 ft per inch, or a larger sheet"),
        ({"sheet": "tabloid", "feet_per_inch": 150.0}, "not greater than 100 feet per inch"),
        ({"sheet": "a4"}, "letter, tabloid, arch-d"),
        ({"feet_per_inch": 20.0}, "needs a sheet"),
        ({"sheet": "letter", "feet_per_inch": float("nan")}, "no scale"),
    ],
)
def test_sheets_that_cannot_be(load: Any, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        maps.k_map(load, **asked)


def test_a_classed_geotiff_has_its_colours(load: Any, tmp_path: Path) -> None:
    grid = maps.steepness(load)
    classes = slope_classes(load_ordinance("hales_corners_445"))
    path = maps.write_classed_geotiff(tmp_path / "slope.tif", grid, classes)
    with rasterio.open(path) as raster:
        index, table = raster.read(1), raster.colormap(1)
        assert raster.nodata == 255
        assert raster.tags()["class_5"] == "33.3 to 60"
    assert "#{:02x}{:02x}{:02x}".format(*table[0][:3]) == classes.colors[0]
    inside = ~np.isnan(grid.values)
    assert (index[~inside] == 255).all()
    assert [int((index == k).sum()) for k in range(len(classes.colors))] == classes.counts(grid.values)
    assert (grid.values[index == 4] >= 20.0).all()


def test_a_geopackage_has_styled_layers(load: Any, tmp_path: Path) -> None:
    first = maps.write_geopackage(load, tmp_path / "a.gpkg")
    areas = geopandas.read_file(first, layer="drainage_areas")
    assert areas.crs.to_epsg() == 26916
    worst = {w: load.windows.tons_per_acre[load.windows.worst[k], k] for k, w in enumerate(["west", "east"])}
    assert dict(zip(areas.id, areas.worst_12_months_tons_per_acre, strict=True)) == pytest.approx(worst)
    assert areas.geometry.area.sum() == pytest.approx(areas.acres.sum() * 4046.8564224, rel=1e-9)
    assert len(geopandas.read_file(first, layer="outfalls")) == 2
    with closing(sqlite3.connect(first)) as base:
        styles = dict(base.execute("SELECT f_table_name, styleQML FROM layer_styles WHERE useAsDefault = 1"))
    assert set(styles) == {"ground_units", "drainage_areas", "outfalls"}
    for qml in styles.values():
        ElementTree.fromstring(qml[qml.index("<qgis") :])
    assert maps.write_geopackage(load, tmp_path / "b.gpkg").read_bytes() == first.read_bytes()


def test_kml_lies_where_the_site_is(load: Any, tmp_path: Path) -> None:
    """The corners of the raster in degrees, by PROJ."""
    kml, png = maps.write_kml(load, "mass grading", tmp_path)
    box = {e.tag.rpartition("}")[2]: e.text for e in ElementTree.parse(kml).iter() if e.text and e.text.strip()}
    west, south, east, north = load.ground.rasters.grid.bounds
    to_degrees = pyproj.Transformer.from_crs("EPSG:26916", "EPSG:4326", always_xy=True)
    lon, lat = to_degrees.transform([west, east, west, east], [south, south, north, north])
    assert float(box["west"]) == pytest.approx(min(lon), abs=1e-6)
    assert float(box["north"]) == pytest.approx(max(lat), abs=1e-6)
    assert box["href"] == png.name
    # As many pixels as cells, on the box around the raster, which is turned by the convergence of its meridian:
    # (longitude from 87 W) sin(latitude).
    turn = np.radians(np.mean(lon) + 87.0) * np.sin(np.radians(np.mean(lat)))
    coloured = 136 * 96 / (np.cos(turn) + abs(np.sin(turn))) ** 2
    assert np.count_nonzero(imread(png)[..., 3]) == pytest.approx(coloured, rel=0.005)


def test_all_maps_of_a_run(load: Any, tmp_path: Path) -> None:
    names = {p.name for p in maps.write_maps(load, tmp_path, "all")}
    assert {"map_slope.png", "map_phases.png", "slope_classes.tif", "site.gpkg"} <= names
    assert {p.name for p in tmp_path.iterdir()} == names


def test_exploring_without_folium_says_what_to_install(load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "folium", None)
    with pytest.raises(EnvironmentFault, match=r"pip install folium"):
        maps.explore(load)


def test_exploring_shows_phases_and_areas(load: Any) -> None:
    pytest.importorskip("folium")
    page = maps.explore(load, tiles=None).get_root().render()
    for text in ("soil loss: mass grading", "west culvert", "data:image/png;base64"):
        assert text in page
    # A mark for each outfall, on the lowest cell of its area, in degrees by PROJ.
    places = [p.xy for p in maps.drainage_map(load).texts if p.get_fontstyle() == "italic"]
    to_degrees = pyproj.Transformer.from_crs("EPSG:26916", "EPSG:4326", always_xy=True)
    marks = re.findall(r"L\.circleMarker\(\s*\[([-\d.]+), ([-\d.]+)\]", page)
    found = sorted((float(lon), float(lat)) for lat, lon in marks)
    expected = sorted(to_degrees.transform(*xy) for xy in places)
    assert len(found) == 2
    assert found == [pytest.approx(e, abs=1e-9) for e in expected]


@pytest.mark.parametrize(("units", "bar", "title"), [("us", "ft", "tons/acre"), ("si", "m", "t/ha")])
def test_a_site_with_ready_made_ls_in_its_units(tmp_path: Path, units: str, bar: str, title: str) -> None:
    from sedcalc.io.rasters import write_grid
    from sedcalc.terrain.grid import Grid

    ls = np.full((6, 9), 2.0)
    grid = Grid(ls, (10.0, 0.0, 420_000.0, 0.0, -10.0, 4_750_000.0), "EPSG:26916", 1.0)
    write_grid(tmp_path / "ls.tif", grid, units_tag="1", description="LS", dtype="float64")
    site = {
        "format": "sedcalc.site/1",
        "project": {"name": "test"},
        "ordinance": "hales_corners_445",
        "units": units,
        "location": {"R": 115.0 if units == "us" else 1957.0, "R_source": "test", "ei_zone": 101},
        "soils": [{"id": "loam", "K": 0.3 if units == "us" else 0.04, "K_source": "test"}],
        "drainage_areas": [{"id": "a", "outfall": "o"}],
        "ground_units": [
            {
                "id": "u",
                "drainage_area": "a",
                "soil": "loam",
                "final_cover": {"C": 0.01, "source": "test"},
                "stabilized": "2027-09-30",
            }
        ],
        "phases": [
            {
                "id": "Größe/1",
                "start": "2027-05-01",
                "end": "2027-09-30",
                "units": ["u"],
                "cover": {"C": 1.0, "source": "t"},
            }
        ],
        "grid": {"LS": "ls.tif"},
    }
    (tmp_path / "site.json").write_text(json.dumps(site))
    load = sc.sediment_load(sc.read_site(tmp_path / "site.json"))
    ax = maps.soil_loss_map(load, "Größe/1")
    assert any(t.get_text().endswith(f" {bar}") for t in ax.texts)
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == f"{title} over the phase"
    assert len(ax.images) == 1  # no elevations, no hillshade
    out = tmp_path / "out"
    out.mkdir()
    assert [p.name for p in maps.write_maps(load, out)] == ["soil_loss_01_gr_e_1.tif", "soil_loss_01_gr_e_1.png"]


def test_an_unknown_phase_lists_the_known_ones(load: Any) -> None:
    with pytest.raises(InputError, match="'clearing', 'mass grading'"):
        maps.soil_loss_map(load, "grading")


def test_a_tabular_site_has_no_maps(tmp_path: Path) -> None:
    tabular = sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml")))
    assert maps.write_maps(tabular, tmp_path) == []
    with pytest.raises(InputError, match="tabular site has no map"):
        maps.soil_loss_map(tabular, "clearing")


def test_a_folder_that_cannot_be_written_is_no_traceback(load: Any, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    shutil.rmtree(gone)
    with pytest.raises(EnvironmentFault):
        maps.write_maps(load, gone)
