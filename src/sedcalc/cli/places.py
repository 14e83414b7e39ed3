"""Files and folders that options name, looked at before anything is computed.

A place that cannot be, such as a folder that does not exist, is wrong input (exit code 2); one that this user may not
write to is the machine's fault (exit code 3).
"""

import os
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sedcalc.cli.usage import Refused
from sedcalc.findings import EnvironmentFault, Finding, InputError, input_error

if TYPE_CHECKING:
    from sedcalc.compliance.overrides import RulingOverride


class _Place(click.Path):
    """A path that is checked; shells complete it as one.

    Parameters
    ----------
    check
        Raises `InputError` or `EnvironmentFault`.
    folder
        Whether it is a folder.
    """

    def __init__(self, check: Callable[[Path], None], *, folder: bool = False) -> None:
        super().__init__(path_type=Path, file_okay=not folder)
        self.check = check

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if not os.fspath(value):
            raise Refused(Finding("empty-value", "error", "the name is empty; give one"))
        path = Path(os.fspath(value))
        try:
            self.check(path)
        except InputError as error:
            raise Refused(error.findings[0]) from None
        return path


def _file(path: Path) -> None:
    if os.path.isdir(path):
        raise input_error("not-a-file", f"{str(path)!r} is a folder; name a file in it")
    if not os.path.isdir(path.parent):
        message = f"the folder of {str(path)!r} does not exist; make it first, or name another"
        raise input_error("no-such-folder", message)
    _may_write(path if os.path.exists(path) else path.parent)


def _file_on_disk(path: Path) -> None:
    """Check a place for a raster, which is not written from its beginning to its end."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise input_error("not-a-file", f"{str(path)!r} is a device or a pipe; name a file on a disk")
    _file(path)


def _file_or_folder(path: Path) -> None:
    """Check a place that a command takes for a raster or for a folder, by what it is given to read."""
    if os.path.isdir(path):
        _may_write(path)
    else:
        _file_on_disk(path)


def _folder(path: Path) -> None:
    there = next((p for p in (path, *path.absolute().parents) if os.path.lexists(p)), path)
    if not os.path.isdir(there):
        below = "" if there == path else f", and {str(path)!r} cannot lie in it"
        raise input_error("not-a-folder", f"{str(there)!r} is a file{below}; name a folder for the results")
    _may_write(there)


def _input(path: Path) -> None:
    if not os.path.isfile(path):
        said = "is a folder" if os.path.isdir(path) else "is not there"
        raise input_error("no-such-file", f"{str(path)!r} {said}; name the file itself, and check the path")


def _may_write(place: Path) -> None:
    if not os.access(place, os.W_OK):
        raise EnvironmentFault(f"{str(place)!r} may not be written by this user; choose another place for the results")
    if os.path.isdir(place):
        import tempfile

        try:
            with tempfile.TemporaryFile(dir=place):
                pass  # some folders, such as those of /proc, take no files whatever they permit
        except OSError as error:
            said = error.strerror or error
            raise EnvironmentFault(f"{str(place)!r} takes no files ({said}); choose another place") from error


WRITTEN_FILE = _Place(_file)
"""Type of an option: a file that is written."""

WRITTEN_RASTER = _Place(_file_on_disk)
"""Type of an option: a raster that is written."""

WRITTEN_FOLDER = _Place(_folder, folder=True)
"""Type of an option: a folder that is written to, made where it is not there."""

WRITTEN_PLACE = _Place(_file_or_folder)
"""Type of an option: a file that is written, or a folder that is written to; the command knows which."""

READ_FILE = _Place(_input)
"""Type of an option or argument: a file that is read."""

overrides_option = click.option(
    "--overrides",
    type=READ_FILE,
    metavar="FILE",
    help="The reviewer's decisions, TOML or JSON.",
)


def read_overrides_of(path: Path | None) -> tuple["RulingOverride", ...]:
    """Return the overrides of the file that the option names; none without it."""
    if path is None:
        return ()
    from sedcalc.compliance.overrides import read_overrides

    return read_overrides(path)


def inputs_kept(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that refuses to write over a file that it is given to read.

    Parameters
    ----------
    command
        Function of the command.
    """

    @wraps(command)
    def careful(*args: Any, **kwargs: Any) -> Any:
        mistakes = list(_overwritten(click.get_current_context()))
        if mistakes:
            raise InputError(mistakes)
        return command(*args, **kwargs)

    return careful


def _overwritten(context: click.Context) -> Iterator[Finding]:
    """Yield a mistake for each option whose file to write is a file to read, under whatever name."""
    paths = [p for p in context.command.params if isinstance(p.type, click.Path)]
    # os.path, since Path.is_file raises for a name that is too long for the disk
    written = (WRITTEN_FILE, WRITTEN_RASTER, WRITTEN_PLACE)
    read = [path for p in paths if p.type not in written for path in _given(context, p) if os.path.isfile(path)]
    for parameter in paths:
        for out in _given(context, parameter) if parameter.type in written else ():
            if os.path.exists(out) and any(out.samefile(path) for path in read):
                message = f"{str(out)!r} is an input of this command, and it was not touched; name another file"
                yield Finding("out-is-input", "error", message, max(parameter.opts, key=len))


def _given(context: click.Context, parameter: click.Parameter) -> list[Path]:
    value = context.params.get(parameter.name or "")
    return [Path(v) for v in value] if isinstance(value, tuple) else [] if value is None else [Path(value)]
