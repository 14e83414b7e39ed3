"""Rasters larger than memory: a file that gives its rows when they are asked for."""

import os
import threading
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

from sedcalc.findings import input_error
from sedcalc.io.crs import read_crs
from sedcalc.io.gdal_guard import checked_path, rasterio_environment
from sedcalc.io.rasters import _check_bands, _crs_text, _values
from sedcalc.terrain.grid import FloatArray, Transform, check_transform, transform_of


class RasterRows:
    """A single-band GeoTIFF that is read by rows; it stands for a raster in `sedcalc.load.zonal.zonal_sums`.

    Parameters
    ----------
    path
        The file.
    what, crs, where, inside
        As in `sedcalc.io.rasters.read_grid`.

    Attributes
    ----------
    shape
        Rows and columns.
    transform
        As in `sedcalc.terrain.grid.Grid`.
    crs
        ``"EPSG:n"`` or WKT.

    Raises
    ------
    InputError
        As in `sedcalc.io.rasters.read_raster`, but for what only the values show.

    Notes
    -----
    Close it, or use it in a ``with`` statement. One thread reads at a time.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        what: str = "raster",
        crs: str | None = None,
        where: str | None = None,
        inside: Path | None = None,
    ) -> None:
        file = checked_path(path, what, inside=inside, where=where)
        self.what, self.place = what, where or file.name
        self._lock = threading.Lock()
        with rasterio_environment(), warnings.catch_warnings():
            import rasterio
            from rasterio.errors import NotGeoreferencedWarning, RasterioError

            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            try:
                self._source: Any = rasterio.open(file, driver="GTiff")
            except RasterioError:
                text = f"{what}: not a readable GeoTIFF; export it again as one"
                raise input_error("raster-unreadable", text, self.place) from None
            try:
                _check_bands(self._source, what, self.place)
                self.transform: Transform = transform_of(self._source.transform)
                check_transform(self.transform, what, self.place)
                if self.transform[4] > 0:
                    raise input_error("grid-not-north-up", f"{what}: rows run from south to north", self.place)
                own = self._source.crs.to_wkt() if self._source.crs else None
                text, _ = _crs_text(file, own, crs, what, self.place, inside)
                self.crs = read_crs(text, what=what, where=self.place).horizontal
            except BaseException:
                self._source.close()
                raise
        self.shape: tuple[int, int] = (self._source.height, self._source.width)

    def __getitem__(self, rows: slice) -> FloatArray:
        start, stop, step = rows.indices(self.shape[0])
        if step != 1:
            raise ValueError("rows are read without gaps")
        with self._lock, rasterio_environment():
            from rasterio.errors import RasterioError
            from rasterio.windows import Window

            try:
                return _values(self._source, self.what, self.place, Window(0, start, self.shape[1], stop - start))[0]
            except RasterioError:
                text = f"{self.what}: rows {start:,} to {stop:,} cannot be read; export it again"
                raise input_error("raster-unreadable", text, self.place) from None

    def __enter__(self) -> "RasterRows":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._source.close()
