"""What keeps GDAL from reading or fetching anything but the file that was named.

By default a path can be a URL, a raster can be a list of other files, and a neighbour of the file can change
its meaning. Three layers stop this: paths are checked here before GDAL sees them, files are opened with a
named driver, and every read runs under `GDAL_OPTIONS`. A process that reads files from strangers also calls
`guard_process` before it imports rasterio or geopandas, which removes the drivers that reach the network.
"""

import os
import stat
import sys
from pathlib import Path
from typing import Any, Final

from sedcalc.findings import EnvironmentFault, input_error
from sedcalc.site.paths import refused_name

GDAL_OPTIONS: Final = {
    "CPL_VSIL_CURL_ALLOWED_FILENAME": "/nonexistent",
    "GDAL_HTTP_PROXY": "127.0.0.1:9",
    "GDAL_PAM_ENABLED": "NO",
    "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
}
"""Options of every read: no network, no neighbouring files."""

_SKIPPED_DRIVERS: Final = "VRT,OGR_VRT,WMS,WCS,WMTS,HTTP,WFS,OAPIF"
_REFUSED_IN_PATHS: Final = ("/vsi", "://", "!")


def guard_process() -> None:
    """Set the environment so that GDAL in this process, and in its children, cannot reach the network.

    For processes of our own (the command line, the worker that reads submissions), before any import of
    rasterio, geopandas, pyogrio or pyproj. A notebook is not guarded this way, because its user may want
    those drivers.

    Raises
    ------
    EnvironmentFault
        One of those libraries is loaded already, so that the settings would come too late.
    """
    loaded = [name for name in ("rasterio", "pyogrio", "fiona", "osgeo") if name in sys.modules]
    if loaded:
        raise EnvironmentFault(f"{loaded[0]} was imported before its environment was guarded")
    os.environ.update(GDAL_OPTIONS, GDAL_SKIP=_SKIPPED_DRIVERS, OGR_SKIP=_SKIPPED_DRIVERS, PROJ_NETWORK="OFF")
    os.environ.setdefault("CPL_LOG", os.devnull)  # GDAL complains of each driver that it skipped already


def site_file(folder: Path, name: str, what: str, where: str) -> Path:
    """Return the path of a file that a site names: a regular, readable file in the site's folder.

    Every file that a site names is opened through here.

    Parameters
    ----------
    folder
        Folder of the site.
    name
        The file, as the site file has it.
    what
        What it should be, for messages ("DEM").
    where
        Path of the field that names it.

    Raises
    ------
    InputError
        The name is absolute, leads out of the folder, or is none that every system takes (`refused_name`); there is no
        such file; it is a device, a pipe or a folder; it is a link that leads out of the folder; it may not be read.
    """
    refused = refused_name(name)
    if refused is not None:
        code, why = refused
        shown = name if len(name) <= 80 else f"{name[:77]}..."
        raise input_error(code, f"{what}: {shown!r} {why}", where)
    return checked_path(folder / name, what, inside=folder, where=where)


def checked_path(
    path: str | os.PathLike[str], what: str, *, inside: Path | None = None, where: str | None = None
) -> Path:
    """Return the path of a regular, readable file.

    Parameters
    ----------
    path
        What the user named.
    what
        What the file should be, for messages ("DEM").
    inside
        Folder the resolved path must lie in, for files named by a stranger's site.
    where
        Path into the input, for the finding; the file's name by default.

    Raises
    ------
    InputError
        The path holds ``/vsi``, ``://`` or ``!``; it does not exist, is not a regular file, lies outside
        `inside`, or may not be read.
    """
    text = os.fspath(path)
    where = where or text
    refused = [s for s in _REFUSED_IN_PATHS if s in text]
    if refused or "\0" in text:
        raise input_error(
            "path-refused",
            f"{what}: {refused[0] if refused else 'NUL'!r} is not allowed in a path; give a file on this machine",
            where,
        )
    try:
        resolved = Path(text).resolve(strict=True)
        mode = resolved.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise input_error("file-missing", f"{what}: there is no file {text!r}; check the path", where) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise input_error("file-unreadable", f"{what}: {text!r} cannot be read ({error})", where) from None
    if not stat.S_ISREG(mode):
        raise input_error("file-not-regular", f"{what}: {text!r} is not a file; name the file itself", where)
    if inside is not None and not resolved.is_relative_to(inside.resolve()):
        raise input_error("path-outside", f"{what}: {text!r} lies outside the folder of the site; move it there", where)
    if not os.access(resolved, os.R_OK):
        raise input_error("file-unreadable", f"{what}: no permission to read {text!r}", where)
    return resolved


def rasterio_environment() -> Any:
    """Return a ``rasterio.Env`` with `GDAL_OPTIONS`; loads rasterio."""
    import rasterio

    return rasterio.Env(**GDAL_OPTIONS)
