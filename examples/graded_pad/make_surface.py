"""Makes the surfaces and polygons of this example: a designed building pad and street on a hillside.

The ground is made up. Only sums, products, minima and maxima are used, and heights are rounded to the millimetre, so
that every machine makes the same files: ``python make_surface.py FOLDER``.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sedcalc.io.rasters import write_grid
from sedcalc.terrain.grid import Grid

CRS = "EPSG:26916"  # NAD83 / UTM zone 16N
WEST, NORTH = 414_400.0, 4_755_000.0  # beside Hales Corners, Wisconsin
SIZE = 200  # cells of 1 m each way
SIDE_SLOPE = 0.25  # 4H:1V, cut and fill

Heights = npt.NDArray[np.float64]

# Rectangles (west, north, east, south) in metres from the upper left corner.
PARCEL = (10, 10, 190, 190)
LIMITS = (32, 46, 168, 142)  # of disturbance
PAD = (50, 70, 150, 130)
STREET = (50, 56, 150, 66)
DIVERSION = [(28, 48), (28, 43), (172, 43), (172, 48)]  # berm above the cut slope


def existing_ground() -> Heights:
    """Return the hillside: 5 % to the south from a divide near the north edge, a ridge down its middle, a knoll."""
    x, y = _centres()
    hillside = 246.0 - 0.05 * np.maximum(y - 8.0, 0.0) - 0.03 * np.maximum(8.0 - y, 0.0)
    knoll = np.maximum(1.0 - ((x - 60.0) ** 2 + (y - 60.0) ** 2) / 35.0**2, 0.0)
    return hillside - 0.0002 * (x - 100.0) ** 2 + 0.8 * knoll * knoll


def graded_ground(existing: Heights) -> Heights:
    """Return the final grade: pad and street, both falling away from the ridge and to the south, and 4H:1V slopes."""
    x, y = _centres()
    pad = 241.3 - 0.01 * np.abs(x - 100.0) - 0.01 * (y - 100.0)
    street = 242.6 - 0.006 * np.abs(x - 100.0) - 0.02 * (y - 61.0)
    ground = _tied(existing, street, STREET)
    return _tied(ground, pad, PAD)


def polygons() -> dict[str, list[dict[str, Any]]]:
    """Return the features of each GeoJSON file, coordinates in the CRS of the surfaces."""
    west, north, east, south = PARCEL
    crown = 100
    boundary = [(west, 118), (80, 104), (140, 112), (east, 96)]  # of the two soils
    return {
        "ground_units": [
            _feature("pad", _ring(PAD)),
            _feature("street", _ring(STREET)),
            _feature("slopes", _ring(LIMITS), _ring(PAD), _ring(STREET)),
            _feature("meadow", _ring(PARCEL), _ring(LIMITS)),
        ],
        "drainage_areas": [
            _feature("west", _ring((west, north, crown, south))),
            _feature("east", _ring((crown, north, east, south))),
        ],
        "barriers": [_feature("diversion", DIVERSION, kind="LineString")],
        "soils": [
            _feature("upper", [(west, north), *boundary, (east, north)]),
            _feature("lower", [*boundary, (east, south), (west, south)]),
        ],
    }


def write(folder: Path) -> None:
    """Write all files of the example but the site file.

    Parameters
    ----------
    folder
        Where to; it exists.
    """
    existing = existing_ground()
    for name, heights in (("existing", existing), ("graded", graded_ground(existing))):
        values = np.round(heights, 3).astype(np.float32)
        grid = Grid(values, (1.0, 0.0, WEST, 0.0, -1.0, NORTH), CRS, 1.0, 1.0)
        write_grid(folder / f"{name}.tif", grid, units_tag="m", description=f"{name} ground", tags={"made_up": "yes"})
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    for name, features in polygons().items():
        collection = {"type": "FeatureCollection", "crs": crs, "features": features}
        text = json.dumps(collection, indent=1) + "\n"
        (folder / f"{name}.geojson").write_text(text, encoding="utf-8", newline="\n")


def _centres() -> tuple[Heights, Heights]:
    """Return metres east and south of the upper left corner of every cell's centre."""
    steps = np.arange(SIZE) + 0.5
    return np.broadcast_to(steps[None, :], (SIZE, SIZE)), np.broadcast_to(steps[:, None], (SIZE, SIZE))


def _tied(ground: Heights, design: Heights, box: tuple[int, int, int, int]) -> Heights:
    """Return the design inside its box, and outside the ground held within the side slopes from the box's edge."""
    x, y = _centres()
    west, north, east, south = box
    aside = np.maximum(np.maximum(west + 0.5 - x, x - east + 0.5), 0.0)
    beyond = np.maximum(np.maximum(north + 0.5 - y, y - south + 0.5), 0.0)
    reach = SIDE_SLOPE * np.sqrt(aside * aside + beyond * beyond)
    columns = np.clip(np.arange(SIZE), west, east - 1)
    rows = np.clip(np.arange(SIZE), north, south - 1)
    edge = design[np.ix_(rows, columns)]
    return np.minimum(np.maximum(ground, edge - reach), edge + reach)


def _ring(box: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    west, north, east, south = box
    return [(west, north), (east, north), (east, south), (west, south)]


def _feature(name: str, *lines: list[tuple[int, int]], kind: str = "Polygon") -> dict[str, Any]:
    points = [[[WEST + x, NORTH - y] for x, y in line] for line in lines]
    coordinates: Any = points[0] if kind == "LineString" else [[*ring, ring[0]] for ring in points]
    return {"type": "Feature", "properties": {"id": name}, "geometry": {"type": kind, "coordinates": coordinates}}


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
