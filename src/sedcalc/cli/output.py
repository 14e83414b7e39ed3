"""What the commands print: one JSON object, text, findings on stderr; and what happens when nobody reads it."""

import io
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from sedcalc.cli.usage import name_of
from sedcalc.findings import Finding

if TYPE_CHECKING:
    from rich.console import RenderableType

ERROR_FORMAT = "sedcalc.error/1"

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")

WIDTH = 80
"""Columns of what goes to stdout at most."""

_MOST_MESSAGES = 200


class OutputClosed(Exception):
    """Stdout takes nothing more: its reader went away (then there is no message), or it cannot be written."""


def tolerate_any_text() -> None:
    """Let text that the terminal's encoding lacks print as an escape instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard_stdout() -> None:
    """Point stdout nowhere, so that the interpreter's last flush does not fail."""
    if sys.stdout is None:
        return
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return  # no file behind it: nothing to flush either


def write(text: str) -> None:
    """Write text to stdout.

    Parameters
    ----------
    text
        The text.

    Raises
    ------
    OutputClosed
        If it takes nothing more.
    """
    if sys.stdout is None:  # closed before the process began
        raise OutputClosed("stdout is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise OutputClosed from error
    except OSError as error:
        raise OutputClosed(f"stdout cannot be written: {error.strerror or error}") from error


def print_json(value: dict[str, Any]) -> None:
    """Write a JSON object to stdout; NaN and infinity are refused.

    Parameters
    ----------
    value
        The object.
    """
    write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def show(*parts: "RenderableType") -> None:
    """Write rich renderables to stdout, within 80 columns, in colour and bold on a terminal only (never with NO_COLOR).

    Parameters
    ----------
    *parts
        What to print; texts print as they stand.
    """
    from rich.console import Console

    console = Console(color_system=None if _is_plain() else "auto", markup=False, highlight=False, emoji=False)
    console.width = min(console.width, WIDTH)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    # rich pads lines with spaces to the width of the table.
    write("\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n")


def _is_plain() -> bool:
    """Whether NO_COLOR is set: then no escape code is written, bold and dim included."""
    return bool(os.environ.get("NO_COLOR"))


def show_path(text: str) -> None:
    """Print a line that holds a path: never folded, so that it can be copied.

    Parameters
    ----------
    text
        The line.
    """
    from sedcalc.report.text import plain

    write("\n".join(plain(line) for line in text.split("\n")) + "\n")


def print_failure(args: Sequence[str], status: str, findings: Sequence[Finding]) -> None:
    """Say why a command gave no result: with --json as one object on stdout, else on stderr.

    Parameters
    ----------
    args
        The command line.
    status
        ``wrong_input``, ``usage_error``, ``environment_fault`` or ``internal_error``.
    findings
        The reasons, errors first.
    """
    if "--json" not in args:
        print_reasons(findings)
    elif status in ("wrong_input", "usage_error") and name_of(args) in ("run", "demo"):
        from sedcalc.report.results import failure_object

        print_json(failure_object(findings))
    elif status in ("wrong_input", "usage_error") and name_of(args) == "verify":
        from sedcalc.report.verify_results import verify_failure_object

        print_json(verify_failure_object(findings))
    else:
        print_json({"format": ERROR_FORMAT, "status": status, "findings": [f.as_dict() for f in findings]})


def exit_code(findings: Sequence[Finding]) -> int:
    """Return the exit code of a command without a ruling: 2 where an error stands beside its result, else 0.

    Parameters
    ----------
    findings
        Of the result.
    """
    return 2 if any(finding.severity == "error" for finding in findings) else 0


def print_reasons(findings: Sequence[Finding]) -> None:
    """Write findings to stderr, one line each; a terminal gets them folded between words.

    Parameters
    ----------
    findings
        In the order to print.
    """
    for finding in findings[:_MOST_MESSAGES]:
        say(f"{finding.severity}: {finding}", fold=True)
    if len(findings) > _MOST_MESSAGES:
        say(f"... and {len(findings) - _MOST_MESSAGES} more; --json lists all")


def say(text: str, *, fold: bool = False) -> None:
    """Write one line to stderr, without control characters.

    Parameters
    ----------
    text
        The line.
    fold
        Fold it between words on a terminal.
    """
    if sys.stderr is None:
        return
    line = "".join(c if c.isprintable() else " " for c in text)
    if fold and sys.stderr.isatty():
        line = folded(line, _columns())
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        return  # nobody listens; the exit code still says it


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return WIDTH


def folded(line: str, width: int = WIDTH) -> str:
    """Return a line folded between words, what follows indented; paths and other long words stay whole.

    Parameters
    ----------
    line
        The line.
    width
        Columns at most.
    """
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    options: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(line, max(width, 40), subsequent_indent=indent, drop_whitespace=True, **options)


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """Show on stderr that something long is under way: a spinner, or lines without a terminal or with NO_COLOR.

    Parameters
    ----------
    what
        The first step, e.g. ``"reading"``.

    Yields
    ------
    callable
        To be called with the name of each further step as it starts.
    """
    if sys.stderr is None or not sys.stderr.isatty() or _is_plain():
        say(f"{what} ...")
        yield lambda step: say(f"{step} ...")
        return
    from rich.console import Console

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    with console.status(f"{what} ...") as status:

        def show_step(step: str) -> None:
            if "compiling" in step:  # it happens in the steps that follow, so it has to stay to be read
                console.print(f"{step} ...")
            status.update(f"{step} ...")

        yield show_step
