"""LS of many surfaces: hydrologic units or sites as tasks, in this process or on a dask cluster."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sedcalc.findings import EnvironmentFault, Finding, InputError, input_error

if TYPE_CHECKING:
    from sedcalc.terrain.ls_raster import LSSummary

_SECONDS_BETWEEN_LOOKS: Final = 5
_SECONDS_WITHOUT_WORKER: Final = 60


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
        GeoTIFFs, each with all that drains to it. `sedcalc.io.zones_of_dem.ls_of_zones` takes the zones of one DEM.
    folder
        Where to; each map has the name of its surface with ``_ls`` added.
    client
        A ``dask.distributed.Client``, whose workers reach the same files; None computes here, one after the other.
    progress
        Called with the name of each surface that is done.
    **options
        ``z_units``, ``crs`` and ``reproject`` as in `sedcalc.io.rasters.read_grid`, and those of
        `sedcalc.io.surfaces.ls_of_surface`.

    Returns
    -------
    list of LSOfFile
        In the order of `dems`. A surface that cannot be computed, or whose worker died, does not stop the others.

    Raises
    ------
    InputError
        Two surfaces have one name, a map would be written over a surface, or the folder does not exist.

    Notes
    -----
    A surface gives the same bytes wherever it is computed on one kind of processor. A worker needs memory for its
    largest surface, 40 bytes per cell.
    """
    if isinstance(dems, str | os.PathLike):
        raise input_error("dems-kind", f"give the surfaces in a list: [{os.fspath(dems)!r}]", "dems")
    sources = [Path(d) for d in dems]
    target = Path(folder)
    if not target.is_dir():
        raise input_error("folder-missing", f"there is no folder {str(target)!r}; make it first", "folder")
    _check_names(sources, target)
    say = progress or (lambda _: None)
    calls = [(s.absolute(), target.absolute(), options) for s in sources]
    results = []
    for source, found in zip(sources, results_of(_ls_of_one, calls, client), strict=True):
        if isinstance(found, Finding):
            found = LSOfFile(source, None, None, (replace(found, where=source.name),))
        results.append(found)
        say(source.name)
    return results


def _check_names(sources: Sequence[Path], target: Path) -> None:
    """Refuse surfaces that would be written to one file, or over one of them."""
    mistakes = []
    named: dict[str, Path] = {}
    read = {os.path.realpath(source) for source in sources}
    for source in sources:
        out = f"{source.stem}_ls.tif"
        if source.stem in named:
            other = named[source.stem]
            same = os.path.realpath(source) == os.path.realpath(other)
            text = f"{source} and {other} would both be written to {out}; rename one"
            text = f"{source} is given twice; leave one out" if same else text
            mistakes.append(Finding("name-twice", "error", text, str(source)))
        elif os.path.realpath(target / out) in read:
            text = f"its LS would be written over {target / out}, which is read too; name another folder"
            mistakes.append(Finding("out-is-input", "error", text, str(source)))
        named.setdefault(source.stem, source)
    if mistakes:
        raise InputError(mistakes)


def results_of(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], client: Any) -> Iterator[Any]:
    """Yield the result of each call in order, computed here or on a cluster.

    Parameters
    ----------
    function
        At the top level of its module.
    calls
        Arguments of each call.
    client
        A ``dask.distributed.Client``, or None.

    Yields
    ------
    object
        The result, or a `Finding` where the cluster lost it: the results of the others are not lost with it.
    """
    if client is None:
        for call in calls:
            yield function(*call)
        return
    from distributed.scheduler import KilledWorker

    tasks = [client.submit(function, *call, pure=False) for call in calls]
    for task in tasks:
        try:
            yield _result(task, client)
        except KilledWorker:
            text = (
                "its workers ended before it was done, as they do where memory runs out; give them more, 40 bytes for "
                "each cell, or compute it here"
            )
            yield Finding("worker-lost", "error", text)


def _result(task: Any, client: Any) -> Any:
    """Return the result of a task; give up where the scheduler is gone, or has had no worker for a minute."""
    alone_since = None
    try:
        while True:
            try:
                return task.result(timeout=_SECONDS_BETWEEN_LOOKS)
            except TimeoutError:
                if client.scheduler_info()["workers"]:
                    alone_since = None
                    continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since >= _SECONDS_WITHOUT_WORKER:
                raise EnvironmentFault(
                    f"the scheduler at {client.scheduler.address} has had no worker for {_SECONDS_WITHOUT_WORKER} s; "
                    f"start some (dask worker {client.scheduler.address}), with memory for 40 bytes per cell"
                )
    except (CancelledError, OSError) as error:  # what a task cannot read is in its result
        text = "the dask scheduler is gone; look at its own messages, start it again, or compute without it"
        raise EnvironmentFault(text) from error


def _ls_of_one(dem: Path, folder: Path, options: dict[str, Any]) -> LSOfFile:
    from sedcalc.io.rasters import read_grid
    from sedcalc.io.surfaces import ls_of_surface, write_ls

    own = dict(options)
    said = {name: own.pop(name, None) for name in ("z_units", "crs", "reproject")}
    try:
        grid = read_grid(dem, **said)
        result = ls_of_surface(grid, **own)
        out = write_ls(folder / f"{dem.stem}_ls.tif", result)
    except InputError as error:
        return LSOfFile(dem, None, None, error.findings)
    except (EnvironmentFault, MemoryError, OSError) as error:
        text = str(error) or "it takes more memory than there is"
        return LSOfFile(dem, None, None, (Finding("environment-fault", "error", text, dem.name),))
    return LSOfFile(dem, out, result.summary, result.findings)
