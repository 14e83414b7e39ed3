"""Text of a rain file: its path checked, its size limited, its first line, its numbers."""

import os
from pathlib import Path

from sedcalc.findings import EnvironmentFault, input_error
from sedcalc.io.gdal_guard import checked_path
from sedcalc.limits import refuse_over


def rain_path(path: str | os.PathLike[str]) -> Path:
    """Return the checked path of a rain file that is not too large.

    Parameters
    ----------
    path
        The file.
    """
    checked = checked_path(path, "rain file")
    refuse_over("rain_bytes", checked.stat().st_size, checked.name, what="the record", code="file-too-large")
    return checked


def text_of(path: Path, encoding: str) -> str:
    """Return the text of a file.

    Parameters
    ----------
    path
        The file.
    encoding
        Its text encoding.
    """
    try:
        return path.read_text(encoding=encoding)
    except UnicodeDecodeError as error:
        raise input_error("rain-file", f"is not {encoding} text: {error}.", path.name) from error
    except OSError as error:
        raise EnvironmentFault(f"{path.name} cannot be read: {error}") from error


def first_line(path: Path, encoding: str) -> str:
    """Return the first line of a file, without its end, at most 10,000 characters.

    Parameters
    ----------
    path
        The file.
    encoding
        Its text encoding.
    """
    try:
        with path.open(encoding=encoding) as stream:
            return stream.readline(10_000).rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise input_error("rain-file", f"is not {encoding} text: {error}.", path.name) from error
    except OSError as error:
        raise EnvironmentFault(f"{path.name} cannot be read: {error}") from error
