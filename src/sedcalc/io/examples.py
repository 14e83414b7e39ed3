"""The example sites that ship with the package."""

from pathlib import Path

from sedcalc.findings import input_error
from sedcalc.tables import data_folder


def example(name: str) -> Path:
    """Return the path of a shipped example.

    Parameters
    ----------
    name
        File name, e.g. ``"hales_corners_subdivision.toml"``.

    Returns
    -------
    pathlib.Path
        The file, in the folder of the files it names.

    Raises
    ------
    InputError
        If there is no such example; the message lists them.

    Examples
    --------
    >>> example("hales_corners_subdivision.toml").name
    'hales_corners_subdivision.toml'
    """
    folder = data_folder().parent / "examples"
    path = folder / name
    if not path.is_file():
        names = ", ".join(sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.toml")))
        raise input_error("unknown-example", f"no example {name!r}; there are {names}")
    return path
