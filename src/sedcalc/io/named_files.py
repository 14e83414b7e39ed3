"""Files that a gridded site names: each is opened once, and what is wrong with it is collected.

A file that cannot be read does not hide what is wrong with the others.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import Finding, InputError
from sedcalc.io.cover_table import parse_cover_table
from sedcalc.io.gdal_guard import site_file
from sedcalc.io.rasters import _read as read_values
from sedcalc.io.rasters import read_grid, read_raster
from sedcalc.io.site_files import read_bytes
from sedcalc.io.vectors import ZoneMap, overlap_text, rasterize_zones, read_polygons
from sedcalc.limits import refuse_over
from sedcalc.site.submission import GridInputs, Polygons, Site
from sedcalc.terrain.grid import Grid, require_same_cells

_T = TypeVar("_T")


class NamedFiles:
    """Opens files by the names a site gives them, and collects what is wrong with them.

    Parameters
    ----------
    site
        A site with ``grid``.

    Attributes
    ----------
    mistakes, findings
        What was found, errors apart from the others.
    sha256
        SHA-256 of each file, by its name.
    reference
        The first raster that was read; the others have to lie on its cells.
    """

    def __init__(self, site: Site) -> None:
        assert site.grid is not None
        self.grid: GridInputs = site.grid
        self.folder = site.folder
        self.mistakes: list[Finding] = []
        self.findings: list[Finding] = []
        self.sha256: dict[str, str] = {}
        self.reference: Grid | None = None
        self._reference_is = ""
        self._opened: dict[tuple[str, ...], Any] = {}

    def take(self, findings: Sequence[Finding]) -> None:
        """Keep findings: mistakes apart from the others."""
        self.mistakes += [f for f in findings if f.severity == "error"]
        self.findings += [f for f in findings if f.severity != "error"]

    def attempt(self, call: Callable[[], _T]) -> _T | None:
        """Return what a call returns; None, with its mistakes kept, where it raises `InputError`."""
        try:
            return call()
        except InputError as error:
            self.take(error.findings)
            return None

    def once(self, key: tuple[str, ...], call: Callable[[], _T]) -> _T | None:
        """Return what a call returned the first time for a key; its mistakes are kept once."""
        if key not in self._opened:
            self._opened[key] = self.attempt(call)
        found: _T | None = self._opened[key]
        return found

    def path(self, name: str, what: str, where: str) -> Path:
        """Return the file of a name relative to the site's folder, and note its SHA-256."""
        found = site_file(self.folder, name, what, where)
        if name not in self.sha256:
            refuse_over("site_files", len(self.sha256) + 1, where, what="the site")
            refuse_over("raster_bytes", found.stat().st_size, where, what=what, code="file-too-large")
            with found.open("rb") as handle:
                self.sha256[name] = hashlib.file_digest(handle, "sha256").hexdigest()
        return found

    def elevations(self, name: str, where: str) -> Grid | None:
        """Return a DEM that lies on the cells of the other rasters."""

        def read() -> Grid:
            path = self.path(name, "DEM", where)
            options: dict[str, Any] = {"z_units": self.grid.z_units, "crs": self.grid.crs}
            grid = read_grid(path, **options, what="DEM", where=where, inside=self.folder)
            return self.lined_up(grid, "DEM", where, name)

        return self.once(("DEM", name), read)

    def raster(self, name: str, what: str, where: str) -> Grid | None:
        """Return a factor or class raster that lies on the cells of the other rasters."""

        def read() -> Grid:
            path = self.path(name, what, where)
            options: dict[str, Any] = {"crs": self.grid.crs, "what": what, "where": where, "inside": self.folder}
            if self.reference is None:
                grid, *_ = read_values(path, **options)
            else:
                grid = self._against_reference(lambda like: read_raster(path, like=like, **options))
            self.findings += grid.findings
            return self.lined_up(grid, what, where, name)

        return self.once((what, name), read)

    def unaligned(self, name: str, where: str) -> Grid | None:
        """Return a raster whatever its cells, None where it cannot be read; for checks that need no other raster."""
        try:
            path = site_file(self.folder, name, "raster", where)
            grid, *_ = read_values(path, self.grid.crs, "raster", where, self.folder)
        except InputError:
            return None  # said already
        return grid

    def cover_table(self, name: str, where: str) -> dict[int, tuple[float, str]] | None:
        """Return C and its source by land-cover code."""

        def read() -> dict[int, tuple[float, str]]:
            return parse_cover_table(read_bytes(self.path(name, "cover table", where), "cover_table_bytes"), where)

        return self.once(("table", name), read)

    def lined_up(self, grid: Grid, what: str, where: str, name: str) -> Grid:
        """Return a grid that lies on the cells of the reference, which it becomes where there is none.

        Parameters
        ----------
        grid
            The grid.
        what, where, name
            What it is, its path in the site file, and its file.

        Raises
        ------
        InputError
            Its cells are others.
        """
        if any(f.code == "crs-from-sidecar" for f in grid.findings):
            sidecar = Path(name).with_suffix(".prj").as_posix()
            self.sha256[sidecar] = hashlib.sha256((self.folder / sidecar).read_bytes()).hexdigest()
        if self.reference is None:
            self.reference, self._reference_is = grid, f"the {what} ({where})"
        self._against_reference(lambda like: require_same_cells(like, grid, what, where))
        return grid

    def _against_reference(self, call: Callable[[Grid], _T]) -> _T:
        """Run a check against the first raster that was read, and say which it is."""
        assert self.reference is not None
        try:
            return call(self.reference)
        except InputError as error:
            cells = f"the cells of {self._reference_is}"
            raise InputError(
                replace(f, message=f.message.replace("the DEM's cells", cells)) for f in error.findings
            ) from None

    def zones(self, spec: Polygons, what: str, where: str) -> ZoneMap | None:
        """Return the polygon of each cell of the reference; None where they cannot be read. Overlaps are mistakes.

        Parameters
        ----------
        spec
            The file, and the attribute with the ids.
        what, where
            What they are, and their path in the site file.
        """
        reference = self.reference
        assert reference is not None
        everywhere = reference.with_values(np.zeros(reference.shape, dtype=np.float32))

        def read() -> ZoneMap:
            path = self.path(spec.file, what, f"{where}.file")
            options: dict[str, Any] = {"what": what, "where": where, "inside": self.folder}
            found = rasterize_zones(read_polygons(path, spec.attribute, reference, **options), everywhere)
            return replace(found, values=tuple(_id(v) for v in found.values))

        zones = self.attempt(read)
        if zones is None:
            return None
        for a, b, acres in zones.overlaps:
            message = (
                f"polygons {_id(a)!r} and {_id(b)!r} of {spec.file} overlap by {overlap_text(acres)}; "
                "cut one of them back"
            )
            self.mistakes.append(Finding("polygons-overlap", "error", message, where))
        return zones

    def unknown_zones(
        self, names: Sequence[str], acres: Sequence[float], ids: Sequence[str], what: str, where: str
    ) -> None:
        """Note polygons whose ids the site does not have.

        Parameters
        ----------
        names, acres
            Ids of the polygons, and their acres on the cells that matter; those without any are passed over.
        ids
            Ids of the site.
        what, where
            What they are ids of, and the path of the polygons in the site file.
        """
        known = ", ".join(repr(i) for i in ids[:8]) or "none"
        for name, area in zip(names, acres, strict=True):
            if name not in ids and area > 0.0:
                message = (
                    f"polygon {name!r} ({area:.4g} acres) is no {what} of the site file, which has {known}; correct "
                    f"its id, or add the {what}"
                )
                self.mistakes.append(Finding(f"unknown-{what.replace(' ', '-')}", "error", message, where))

    def mask(self, name: str | None, what: str, read: Callable[..., NDArray[np.bool_]]) -> NDArray[np.bool_] | None:
        """Return the cells of lines or polygons; None where none are named or they cannot be read.

        Parameters
        ----------
        name
            The file.
        what
            Name of its field in ``grid``.
        read
            `read_barriers` or `read_mask`.
        """
        where = f"grid.{what}"
        if name is None:
            return None
        options: dict[str, Any] = {"what": what, "where": where, "inside": self.folder}
        return self.attempt(lambda: read(self.path(name, what, where), self.reference, **options))


def _id(value: str | int | float) -> str:
    """Return a polygon's attribute as the site file writes ids: 7, not 7.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
