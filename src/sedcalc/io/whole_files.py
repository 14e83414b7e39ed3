"""Files that appear complete or not at all: written beside their place, and moved there in one step."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sedcalc.findings import EnvironmentFault


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the path of a file to write, which then takes its place; it is removed where writing fails.

    Parameters
    ----------
    path
        The place; a file that is there stays until then.

    Yields
    ------
    pathlib.Path
        An empty file in the same folder, with the same ending.

    Raises
    ------
    OSError
        The folder cannot be written, or the place holds something else than a file.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        raise OSError("it is there, and no file")
    handle, name = tempfile.mkstemp(prefix=".sedcalc-", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o666 & ~_umask())
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike[str], data: bytes, what: str) -> None:
    """Write a file that appears complete or not at all; a pipe or terminal is written to as it is.

    Parameters
    ----------
    path
        The place.
    data
        Its content.
    what
        Its name for the reader, e.g. "report".

    Raises
    ------
    EnvironmentFault
        It cannot be written.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(data)
            return
        with whole_file(target) as part:
            part.write_bytes(data)
    except OSError as error:
        raise EnvironmentFault(f"{target}: the {what} cannot be written: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
