"""Worker processes for many surfaces or zones: of this machine, or of a dask cluster that runs already."""

import logging
import multiprocessing
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Final

from sedcalc.findings import EnvironmentFault, input_error

_SECONDS_TO_CONNECT: Final = 10
_ADDRESS: Final = re.compile(r"(tcp|tls)://[^\s/]+:\d{1,5}")


@contextmanager
def cluster_client(workers: int = 1, scheduler: str | None = None) -> Iterator[Any]:
    """Start worker processes, or connect to those of a scheduler, and end what was started.

    Parameters
    ----------
    workers
        Processes of one thread to start on this machine, each with its share of the memory; 1 starts none.
    scheduler
        Address of a dask scheduler, such as ``"tcp://10.0.0.5:8786"``, in the place of workers.

    Yields
    ------
    distributed.Client or None
        For `sedcalc.io.many.ls_of_many` and `sedcalc.io.zones_of_dem.ls_of_zones`; None computes in this process.

    Raises
    ------
    InputError
        `workers` is under 1, or the address is none.
    EnvironmentFault
        The extra ``scale`` is not installed, the workers do not start, or no scheduler answers.

    Notes
    -----
    A script starts workers under ``if __name__ == "__main__":``, since each of them runs it again.

    Code on a cluster is run by whoever reaches its scheduler; workers of this machine listen on its own address alone.
    """
    if workers < 1:
        raise input_error("out-of-range", f"{workers} is no number of workers; give 1 or more", "workers")
    if scheduler is not None and not _ADDRESS.fullmatch(scheduler):
        text = f"{scheduler!r} is no address of a scheduler; give one such as tcp://HOST:8786"
        raise input_error("scheduler", text, "scheduler")
    if scheduler is None and workers == 1:
        yield None
        return
    lacking = [name for name in ("dask", "distributed") if find_spec(name) is None]
    if lacking:
        needed = " and ".join(lacking)
        raise EnvironmentFault(f"several workers need {needed}, the extra scale: pip install 'sedcalc[scale]'")
    from distributed import Client, LocalCluster

    start: Any = LocalCluster  # neither is typed
    connect: Any = Client
    if scheduler is not None:
        log = logging.getLogger("distributed.client")
        level = log.level
        log.setLevel(logging.CRITICAL)  # what is wrong with the cluster is said once, without its tracebacks
        try:
            try:
                client = connect(scheduler, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
            except OSError as error:
                raise EnvironmentFault(f"no dask scheduler answers at {scheduler}: {error}") from error
            with client:
                yield client
        finally:
            log.setLevel(level)
        return
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        sys.exit(1)  # a worker that runs an unguarded script again while it starts; the first process says so
    try:
        cluster = start(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=1.0 / workers,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
            env={"NUMBA_NUM_THREADS": "1"},
        )
    except RuntimeError as error:
        text = (
            f"the worker processes did not start ({error}); a script starts them under if __name__ == '__main__':, "
            "since each of them runs it again"
        )
        raise EnvironmentFault(text) from None
    with cluster, connect(cluster, set_as_default=False) as client:
        yield client
