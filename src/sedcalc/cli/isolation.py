"""A gridded site is computed in a process of its own: under a clock, with a limit on its memory, off the network.

Rasters and polygon files go through libraries that a broken file can crash or hang. The worker is started anew, never
forked, sets the environment of GDAL and PROJ before it imports either, and writes to the same stdout and stderr.
"""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sedcalc.cli.output import say
from sedcalc.findings import InputError, input_error
from sedcalc.limits import (
    lift_memory_limit,
    limit_memory,
    memory_limit,
    most,
    out_of_memory,
    ran_out_of_memory,
    variable,
)

if TYPE_CHECKING:
    from sedcalc.site.submission import Site

_PROGRAM = "from sedcalc.cli.isolation import work; work()"
_CODES = (0, 1, 2, 3, 130)
_SECONDS_TO_END = 5


@dataclass(slots=True)
class Invocation:
    """How the command line was called.

    Parameters
    ----------
    args
        Arguments after the program's name.
    owns_process
        Whether the process is sedcalc's own, so that it may start a worker with the same arguments.
    computed
        The file that is computed within the limits, once that has begun.
    """

    args: tuple[str, ...]
    owns_process: bool
    computed: Path | None = None

    @property
    def where(self) -> str:
        """What is computed, for findings."""
        return str(self.computed or "(site)")


class TimeUp(BaseException):
    """The time of a command is over; no part of the calculation catches it as a mistake of the site."""


def bound_process(computed: Path) -> None:
    """Limit time and memory of this process, where it is sedcalc's own: a tabular site is computed in it.

    Parameters
    ----------
    computed
        The site file.
    """
    call = click.get_current_context().find_object(Invocation)
    if call is None:
        return
    call.computed = computed
    if not call.owns_process:
        return
    _limit_memory()
    if hasattr(signal, "setitimer"):  # Windows has none
        signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, most("seconds"))


def unbound_process() -> None:
    """End what `bound_process` began but the limit on memory."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def time_up(call: Invocation) -> InputError:
    """Return what is said of a site that takes too long.

    Parameters
    ----------
    call
        The command that computes it.
    """
    message = f"not finished after {most('seconds'):,} s and given up; {variable('seconds')} allows more"
    return input_error("timeout", message, call.where)


def memory_up(call: Invocation, error: BaseException) -> InputError | None:
    """Return what is said of a site that takes more memory than allowed, and lift the limit, so that it can be said.

    Parameters
    ----------
    call
        The command that computes it.
    error
        What ended it: no memory for numbers, or none to load a library into.

    Returns
    -------
    InputError | None
        None where the error is something else, or the limit is not the one that was set here.
    """
    if call.computed is None or memory_limit() != _memory_bytes() or not ran_out_of_memory(error):
        return None
    lift_memory_limit()
    return out_of_memory("memory_mb", _memory_bytes(), call.where)


def _ring(*_: object) -> None:
    raise TimeUp


def compute_apart(computed: Path | None = None) -> None:
    """Run the current command again in a worker and end it with the worker's exit code.

    Returns only where this process has to compute: in the worker, and where `sedcalc.cli.main` was called by a program.

    Parameters
    ----------
    computed
        The file that is computed, where `bound_process` was not told.

    Raises
    ------
    InputError
        The worker took longer than `seconds`, or died.
    """
    call = click.get_current_context().find_object(Invocation)
    if call is None:
        return
    call.computed = computed or call.computed
    if not call.owns_process:
        return
    unbound_process()
    seconds = most("seconds")
    # -P: modules that lie in the working folder, which may be the submission's, are not imported.
    with subprocess.Popen([sys.executable, "-P", "-c", _PROGRAM, *call.args]) as worker:
        try:
            code = worker.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            worker.kill()
            raise time_up(call) from None
        except BaseException:
            worker.terminate()  # so that it removes what is half-written
            try:
                worker.wait(timeout=_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                worker.kill()
            raise
    if code not in _CODES:
        message = (
            f"the process that computed it died (exit code {code}): a broken raster or polygon file, or more memory "
            f"than {variable('memory_mb')} allows; export the files anew, or raise that"
        )
        raise input_error("worker-died", message, call.where)
    raise click.exceptions.Exit(code)


def read_site_apart(path: Path, **supplied: str | None) -> "Site":
    """Return a site; where its rasters have to be opened, only the worker returns.

    Parameters
    ----------
    path
        The site file.
    **supplied
        What `sedcalc.io.site_files.read_site` takes where the file does not say it.
    """
    from sedcalc.io.site_files import read_site

    bound_process(path)
    site = read_site(path, **supplied, before_files=open_files_apart)
    if site.grid is not None:
        compute_apart()
    return site


def open_files_apart() -> None:
    """Go to the worker to open the rasters of a site with mistakes, and say that they are looked at."""
    compute_apart()
    say("looking into the rasters and polygons of the site ...")


def work() -> None:
    """Run a command as the worker, and end the process with its exit code."""
    from sedcalc.cli import end_cleanly_on_sigterm, main
    from sedcalc.io.gdal_guard import guard_process

    end_cleanly_on_sigterm()
    guard_process()
    _limit_memory()
    sys.exit(main(sys.argv[1:]))


def _limit_memory() -> None:
    """Limit memory once OpenBLAS has its own: where it finds none it ends the process, with exit code 1."""
    import numpy as np

    np.linalg.inv(np.eye(2))
    limit_memory(_memory_bytes())


def _memory_bytes() -> int:
    """Return the limit on memory: the machine's own where that is less and none is set."""
    allowed = most("memory_mb") * 1_000_000
    if variable("memory_mb") in os.environ or "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return allowed
    return min(allowed, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
