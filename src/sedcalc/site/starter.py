"""The commented site file that ``sedcalc new`` writes."""

from pathlib import Path

from sedcalc.findings import EnvironmentFault, input_error
from sedcalc.tables import data_folder


def starter_text() -> str:
    """Return the text of the starter: a small site that computes as it stands."""
    return (data_folder() / "starter.toml").read_text(encoding="utf-8")


def write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet.

    Parameters
    ----------
    path, content
        Where to, and what.

    Raises
    ------
    InputError
        If there is such a file, or its folder does not exist.
    EnvironmentFault
        If it cannot be written.
    """
    try:
        with open(path, "xb") as file:
            file.write(content)
    except FileExistsError:
        raise input_error(
            "file-exists", "there is such a file, and it was not touched; name another", str(path)
        ) from None
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise input_error(
            "no-such-folder", "its folder does not exist; make it first, or name another", str(path)
        ) from None
    except OSError as error:
        raise EnvironmentFault(f"{path}: the file cannot be written: {error.strerror or error}") from error
