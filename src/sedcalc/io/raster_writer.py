"""A GeoTIFF that is written a few rows at a time, whatever its size."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from sedcalc.findings import EnvironmentFault
from sedcalc.io.gdal_guard import rasterio_environment
from sedcalc.io.whole_files import whole_file
from sedcalc.terrain.grid import FloatArray, Transform

TILE_ROWS: Final = 256
"""Rows of a tile: what is written begins on a multiple of it."""


class Cells(Protocol):
    """Where the cells of a raster lie: as in `sedcalc.terrain.grid.Grid`, and any number of them."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def transform(self) -> Transform:
        """Affine coefficients."""

    @property
    def crs(self) -> str | None:
        """CRS, ``"EPSG:n"`` or WKT."""


@contextmanager
def raster_writer(
    path: str | os.PathLike[str],
    cells: Cells,
    *,
    units_tag: str,
    bands: Sequence[str],
    tags: Mapping[str, str] | None = None,
    dtype: str = "float32",
) -> Iterator[Callable[[int, FloatArray], None]]:
    """Write a tiled, compressed GeoTIFF by rows; the same values give the same bytes.

    Parameters
    ----------
    path
        Where to; an existing file is replaced in one step when all is written, and stays where that fails.
    cells
        The cells, such as a grid or a `sedcalc.io.raster_rows.RasterRows`; its values are not looked at. NaN is the
        nodata value.
    units_tag
        Unit of the values ("tons/acre", "1").
    bands
        What each band holds, for its name.
    tags
        More facts for the file's metadata, e.g. method and version.
    dtype
        ``"float32"`` or ``"float64"``.

    Yields
    ------
    callable
        To be called with the first row, a multiple of `TILE_ROWS`, and the values from there on, (bands, rows, cols).

    Raises
    ------
    EnvironmentFault
        The folder does not exist or cannot be written, or the disk is full.
    """
    target = Path(path)
    with rasterio_environment():
        import rasterio
        from rasterio.errors import RasterioError
        from rasterio.transform import Affine

        profile: dict[str, Any] = {
            "driver": "GTiff",
            "height": cells.shape[0],
            "width": cells.shape[1],
            "count": len(bands),
            "dtype": dtype,
            "crs": _rasterio_crs(cells.crs),
            "transform": Affine(*cells.transform),
            "nodata": float("nan"),
            "tiled": True,
            "blockxsize": TILE_ROWS,
            "blockysize": TILE_ROWS,
            "compress": "deflate",
            "zlevel": 6,
            "predictor": 3,
            "bigtiff": "IF_SAFER",
        }
        if len(bands) > 1:
            profile["interleave"] = "band"
        try:
            with whole_file(target) as part, rasterio.open(part, "w", **profile) as out:
                out.update_tags(**dict(sorted((tags or {}).items())))
                for band, description in enumerate(bands, start=1):
                    out.set_band_description(band, description)
                    out.set_band_unit(band, units_tag)

                def write(first_row: int, values: FloatArray) -> None:
                    for start in range(0, values.shape[1], TILE_ROWS):
                        rows = values[:, start : start + TILE_ROWS].astype(dtype, copy=False)
                        top = first_row + start
                        window = ((top, top + rows.shape[1]), (0, rows.shape[2]))
                        for band in range(len(bands)):  # one after the other, so that tiles have one order
                            out.write(np.ascontiguousarray(rows[band]), band + 1, window=window)

                yield write
        except (OSError, RasterioError) as error:
            raise EnvironmentFault(f"{target} cannot be written: {_reason(error, target.parent)}") from error


def _reason(error: BaseException, folder: Path) -> str:
    """Return what is behind an error: that of rasterio points to another, which says what GDAL said."""
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    if not isinstance(error, OSError) and folder.is_dir():  # GDAL does not say whether the disk is full
        return f"{error}; {shutil.disk_usage(folder).free / 1e6:,.0f} MB are free there"
    return getattr(error, "strerror", None) or str(error)


def _rasterio_crs(crs: str | None) -> Any:
    from rasterio.crs import CRS

    if crs is None:
        return None
    return CRS.from_epsg(int(crs[5:])) if crs.startswith("EPSG:") else CRS.from_wkt(crs)
