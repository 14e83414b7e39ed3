"""Rasters larger than memory: a file that gives its rows when they are asked for."""

import os
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import numpy as np

from sedcalc.findings import Finding, input_error
from sedcalc.io.crs import CrsFacts, read_crs
from sedcalc.io.gdal_guard import checked_path, rasterio_environment
from sedcalc.io.rasters import _check_bands, _check_georeference, _crs_text, _values
from sedcalc.terrain.grid import FloatArray, Grid, Transform, check_transform, transform_of

_LEAST_CACHE: Final = 16 * 2**20  # bytes; what is written passes through it too


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
    xy_unit_m
        Metres per horizontal unit of the CRS.
    facts, band_unit
        What the CRS says of its units, and what the band says of its own; None where it says nothing.
    findings
        What there is to say of the CRS.

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
                _check_georeference(self._source, what, self.place)
                self.transform: Transform = transform_of(self._source.transform)
                check_transform(self.transform, what, self.place)
                if self.transform[4] > 0:
                    message = f"{what}: rows run from south to north; write it north-up (gdalwarp)"
                    raise input_error("grid-not-north-up", message, self.place)
                own = self._source.crs.to_wkt() if self._source.crs else None
                self.findings: tuple[Finding, ...]
                text, self.findings = _crs_text(file, own, crs, what, self.place, inside)
                facts = read_crs(text, bounds=tuple(self._source.bounds), what=what, where=self.place)
                self.crs, self.xy_unit_m = facts.horizontal, facts.xy_unit_m
                self.facts: CrsFacts = facts
                self.band_unit: str | None = self._source.units[0]
            except BaseException:
                self._source.close()
                raise
        self.shape: tuple[int, int] = (self._source.height, self._source.width)

    @property
    def cells(self) -> Grid:
        """The cells as a grid without values, which takes no memory."""
        return without_values(self.shape, self.transform, self.crs, self.xy_unit_m)

    @property
    def block_rows(self) -> int:
        """Rows of cells that a block of the file holds."""
        return min(int(self._source.block_shapes[0][0]), self.shape[0])

    @property
    def block_row_bytes(self) -> int:
        """Size of a row of the file's blocks in memory, bytes."""
        return self.block_rows * self.shape[1] * int(np.dtype(self._source.dtypes[0]).itemsize + 1)  # and a mask's byte

    @property
    def cache_bytes(self) -> int:
        """Memory that keeps the blocks of rows until the next rows were read, bytes."""
        return self.block_row_bytes * (1 if self.block_rows == self.shape[0] else 2)

    def __getitem__(self, rows: slice) -> FloatArray:
        start, stop, step = rows.indices(self.shape[0])
        if step != 1:
            raise ValueError("rows are read without gaps")
        return self.window(slice(start, stop), slice(0, self.shape[1]))

    def window(self, rows: slice, cols: slice) -> FloatArray:
        """Return the values of a window, and read nothing else.

        Parameters
        ----------
        rows, cols
            With a start and a stop, within the raster.

        Raises
        ------
        InputError
            They cannot be read.
        """
        with self._lock, rasterio_environment():
            from rasterio.errors import RasterioError
            from rasterio.windows import Window

            part = Window(cols.start, rows.start, cols.stop - cols.start, rows.stop - rows.start)
            try:
                return _values(self._source, self.what, self.place, part)[0]
            except RasterioError:
                text = f"{self.what}: rows {rows.start:,} to {rows.stop:,} cannot be read; export it again"
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


def without_values(shape: tuple[int, int], transform: Transform, crs: str | None, xy_unit_m: float) -> Grid:
    """Return a grid of NaN that takes no memory: its cells are what matters.

    Parameters
    ----------
    shape
        Rows and columns.
    transform, crs, xy_unit_m
        As in `sedcalc.terrain.grid.Grid`.
    """
    return Grid(np.broadcast_to(np.float32(np.nan), shape), transform, crs, xy_unit_m)


@contextmanager
def limited_cache(rasters: Iterable[RasterRows]) -> Iterator[None]:
    """Let GDAL keep the blocks that rows of rasters share, and no more; by itself it fills 5 % of the memory.

    Blocks that are larger than these 5 % are kept too, since each would else be unpacked anew for every few rows of it.

    Parameters
    ----------
    rasters
        Those that are read from the first row to the last.
    """
    with rasterio_environment():
        from rasterio.env import get_gdal_config, set_gdal_config

        before = int(get_gdal_config("GDAL_CACHEMAX"))
        set_gdal_config("GDAL_CACHEMAX", _LEAST_CACHE + sum(raster.cache_bytes for raster in rasters))
        try:
            yield
        finally:
            set_gdal_config("GDAL_CACHEMAX", before)
