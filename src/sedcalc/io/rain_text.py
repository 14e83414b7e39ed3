"""Text of a rain file: its path checked, its size limited, its first line, its numbers."""

import os
from pathlib import Path

from sedcalc.findings import EnvironmentFault, InputError, input_error
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


def not_text(error: UnicodeDecodeError, encoding: str, name: str) -> InputError:
    """Return the error of a file that is not of the encoding.

    Parameters
    ----------
    error
        What Python found.
    encoding
        The text encoding that was tried.
    name
        The file's name.
    """
    byte = error.object[error.start]
    message = f"is not {encoding} text: byte 0x{byte:02x} at position {error.start:,} is none of it; name its encoding"
    return input_error("rain-file", message, name)


def unknown_encoding(name: str) -> InputError:
    """Return the error of an encoding that Python does not have, or that is none of text.

    Parameters
    ----------
    name
        Of the encoding.
    """
    return input_error("unknown-encoding", f"{name!r} is no text encoding; write one such as utf-8", "encoding")


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
        raise not_text(error, encoding, path.name) from None
    except LookupError:
        raise unknown_encoding(encoding) from None
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
        raise not_text(error, encoding, path.name) from None
    except LookupError:
        raise unknown_encoding(encoding) from None
    except OSError as error:
        raise EnvironmentFault(f"{path.name} cannot be read: {error}") from error
