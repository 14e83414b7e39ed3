"""Compiled kernels: one decorator, and where their machine code is kept.

A compiled kernel is stored on disk and used again. numba checks only the file that a kernel stands in, so
that a kernel which calls another from a changed file would go on giving old answers: the folder is therefore
named after the contents of every file with kernels, and of those whose constants kernels take. It is private, since
loading stored code runs it.
"""

import hashlib
import logging
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
from numba.core import event

_Function = TypeVar("_Function", bound=Callable[..., Any])

_MIN_ROWS: Final = 256  # below, starting threads takes longer than the work
_LOG: Final = logging.getLogger("sedcalc")
_KERNEL_FILES: Final = (
    "jit.py",
    "powers.py",
    "state.py",
    "filling.py",
    "conditioning.py",
    "steepest.py",
    "routing.py",
    "ls_kernels.py",
    "catchments.py",
    "../factors/slope_kernels.py",
    "../factors/topography.py",
    "../factors/_slope_checks.py",
    "../units.py",
    "../load/zonal_kernels.py",
)


def jit(function: _Function) -> _Function:
    """Compile a function with numba and keep the machine code on disk where it can be kept.

    Parameters
    ----------
    function
        Arrays and numbers in, no Python objects. It runs without the interpreter's lock.

    Notes
    -----
    ``fastmath`` stays off: results must not depend on how the compiler reorders sums. Division follows IEEE
    754, without a check for zero.
    """
    return _compiled(function)


def inner(function: _Function) -> _Function:
    """Compile a function that only other kernels call, which takes half the time.

    Parameters
    ----------
    function
        As for `jit`.
    """
    return _compiled(function, no_cpython_wrapper=True)


def _compiled(function: _Function, **options: bool) -> _Function:
    folder = cache_folder()
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(folder or before)
    options |= {"cache": folder is not None, "nogil": True, "no_cfunc_wrapper": True, "boundscheck": False}
    njit: Any = numba.njit
    try:
        compiled: Any = njit(error_model="numpy", **options)(function)
    finally:
        settings.CACHE_DIR = before
    return cast(_Function, compiled)


@contextmanager
def telling_of_compilation(say: Callable[[str], None]) -> Iterator[None]:
    """Say once that kernels are compiled, if one is within the block: what is stored on disk is not.

    Parameters
    ----------
    say
        Called with a line of text.
    """

    class Teller(event.Listener):
        told = False

        def on_start(self, _: Any) -> None:
            if not self.told:
                say("compiling, once on this machine (some seconds)")
            self.told = True

        def on_end(self, _: Any) -> None:
            pass

    with event.install_listener("numba:compile", Teller()):
        yield


def over_rows(kernel: Callable[..., Any], rows: int, *args: Any) -> None:
    """Run ``kernel(first_row, end_row, *args)`` over all rows, on as many threads as numba is set to use.

    Parameters
    ----------
    kernel
        Compiled; it writes only to the rows it is given, or what any other thread would write there, so that neither
        the number of threads nor their order changes the result.
    rows
        Number of rows.
    *args
        Passed on.
    """
    threads = numba.get_num_threads()
    if threads == 1 or rows < _MIN_ROWS:
        kernel(0, rows, *args)
        return
    kernel(0, 1, *args)  # compiles once, before the threads start
    edges = [1 + (rows - 1) * block // (4 * threads) for block in range(4 * threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(kernel, a, b, *args) for a, b in pairwise(edges)]
    for done in running:
        done.result()


@cache
def cache_folder() -> Path | None:
    """Return the private folder for machine code, made if need be; None, with a notice, where there is none.

    ``NUMBA_CACHE_DIR`` comes first, then the user's cache folder, then the folder for temporary files.
    """
    name = f"sedcalc-kernels-{_digest()}"
    for parent in _candidates():
        folder = parent / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_private(folder):
                tempfile.TemporaryFile(dir=folder).close()
                return folder
        except OSError:
            continue
    _LOG.warning("no folder can be written to keep compiled code in: it is compiled anew in every run")
    return None


def _candidates() -> list[Path]:
    named = os.environ.get("NUMBA_CACHE_DIR")
    folders = [Path(named)] if named else []
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        folders += [Path(local) / "sedcalc"] if local else []
    else:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        folders += [Path(home) / "sedcalc"] if os.path.isabs(home) else []
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    return [*folders, Path(tempfile.gettempdir()) / f"sedcalc-{user}"]


def _is_private(folder: Path) -> bool:
    """Whether only this user can write to the folder; on Windows profiles and temporary folders are private."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _digest() -> str:
    digest = hashlib.sha256()
    for file in _KERNEL_FILES:
        digest.update((Path(__file__).parent / file).read_bytes())
    return digest.hexdigest()[:16]
