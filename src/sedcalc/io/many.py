"""LS of many surfaces: hydrologic units or sites as tasks, in this process or on a dask cluster."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sedcalc.findings import EnvironmentFault, Finding, InputError, input_error

if TYPE_CHECKING:
    from sedcalc.terrain.ls_raster import LSSummary


@dataclass(frozen=True)
class LSOfFile:
    """LS of one of many surfaces.

    Parameters
    ----------
    dem
        The surface.
    out
        The LS map written; None where there is none.
    summary
        What it amounts to; None where there is none.
    findings
        What a reader must know; the mistakes where there is no map.
    """

    dem: Path
    out: Path | None
    summary: "LSSummary | None"
    findings: tuple[Finding, ...]


def ls_of_many(
    dems: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    client: Any = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> list[LSOfFile]:
    """Write the LS map of each of many surfaces.

    Parameters
    ----------
    dems
        GeoTIFFs. A county's DEM is divided along the divides of its hydrologic units: a unit's LS needs all that
        drains to it, and nothing else.
    folder
        Where to; each map has the name of its surface with ``_ls`` added.
    client
        A ``dask.distributed.Client``, whose workers reach the same files; None computes here, one after the other.
    progress
        Called with the name of each surface that is done.
    **options
        ``z_units`` and ``crs`` as in `sedcalc.io.rasters.read_grid`, and those of `sedcalc.io.surfaces.ls_of_surface`.

    Returns
    -------
    list of LSOfFile
        In the order of `dems`. A surface that cannot be computed, or whose worker died, does not stop the others.

    Raises
    ------
    InputError
        Two surfaces have one name, or the folder does not exist.

    Notes
    -----
    A surface gives the same bytes wherever it is computed on one kind of processor. A worker needs memory for its
    largest surface, 40 bytes per cell.
    """
    sources = [Path(d) for d in dems]
    target = Path(folder)
    if not target.is_dir():
        raise input_error("folder-missing", f"there is no folder {str(target)!r}; make it first", "folder")
    named: dict[str, Path] = {}
    for source in sources:
        if source.stem in named:
            text = f"{source} and {named[source.stem]} would both be written to {source.stem}_ls.tif; rename one"
            raise input_error("name-twice", text, str(source))
        named[source.stem] = source
    say = progress or (lambda _: None)
    if client is None:
        found = []
        for source in sources:
            found.append(_ls_of_one(source, target, options))
            say(source.name)
        return found
    tasks = [client.submit(_ls_of_one, s.resolve(), target.resolve(), options, pure=False) for s in sources]
    results = []
    for source, task in zip(sources, tasks, strict=True):
        results.append(_result_of(task, source))
        say(source.name)
    return results


def _result_of(task: Any, source: Path) -> LSOfFile:
    """Return what a task gives, or that the cluster lost it: the results of the others are not lost with it."""
    from distributed.scheduler import KilledWorker

    try:
        found: LSOfFile = task.result()
    except (KilledWorker, CancelledError) as error:
        text = (
            f"no worker finished it ({type(error).__name__}); give workers more memory, 40 bytes for each cell, or "
            "compute it here"
        )
        return LSOfFile(source, None, None, (Finding("worker-lost", "error", text, source.name),))
    return found


def _ls_of_one(dem: Path, folder: Path, options: dict[str, Any]) -> LSOfFile:
    from sedcalc.io.rasters import read_grid
    from sedcalc.io.surfaces import ls_of_surface, write_ls

    own = dict(options)
    try:
        grid = read_grid(dem, z_units=own.pop("z_units", None), crs=own.pop("crs", None))
        result = ls_of_surface(grid, **own)
        out = write_ls(folder / f"{dem.stem}_ls.tif", result)
    except InputError as error:
        return LSOfFile(dem, None, None, error.findings)
    except (EnvironmentFault, MemoryError) as error:
        return LSOfFile(dem, None, None, (Finding("environment-fault", "error", str(error), dem.name),))
    return LSOfFile(dem, out, result.summary, result.findings)
