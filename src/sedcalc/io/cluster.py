"""Worker processes for many surfaces or units: of this machine, or of a dask cluster that runs already."""

import logging
import re
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
        For `sedcalc.io.many.ls_of_many` and `sedcalc.io.units_of_dem.ls_of_units`; None computes in this process.

    Raises
    ------
    InputError
        `workers` is under 1, or the address is none.
    EnvironmentFault
        The extra ``scale`` is not installed, or no scheduler answers.

    Notes
    -----
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
        raise EnvironmentFault(f"several workers need {' and '.join(lacking)}: pip install {' '.join(lacking)}")
    from distributed import Client, LocalCluster

    start: Any = LocalCluster  # neither is typed
    connect: Any = Client
    if scheduler is not None:
        try:
            client = connect(scheduler, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except OSError as error:
            raise EnvironmentFault(f"no dask scheduler answers at {scheduler}: {error}") from error
        with client:
            yield client
        return
    with (
        start(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=1.0 / workers,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
            env={"NUMBA_NUM_THREADS": "1"},
        ) as cluster,
        connect(cluster, set_as_default=False) as client,
    ):
        yield client
