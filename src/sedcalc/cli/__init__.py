"""The command line: ``sedcalc``.

One wrapper, `main`, stands around every command: it turns errors into messages and exit codes, so that no command
shows a traceback.

====  =============================================================================================
exit  meaning
====  =============================================================================================
0     the standard is met, or done (commands without a ruling, and ``demo`` whenever it computed)
1     the standard is exceeded
2     cannot be determined, not applicable, or wrong input: the reasons are on stderr, or under "findings" with --json
3     the machine or sedcalc itself is at fault, such as a folder that may not be written: one line, and the traceback
      with SEDCALC_DEBUG=1
130   interrupted
143   ended by SIGTERM
====  =============================================================================================
"""

import errno
import os
import signal
import sys
from collections.abc import Sequence

from sedcalc.findings import EnvironmentFault, Finding, InputError

EXIT_WRONG_INPUT = 2
EXIT_FAULT = 3
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class Terminated(KeyboardInterrupt):
    """SIGTERM came: what is half-written is removed and workers are ended, as on an interrupt."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv
        Arguments after the program's name; by default the process's own.
    """
    from sedcalc.cli import output

    args = list(sys.argv[1:] if argv is None else argv)
    output.tolerate_any_text()
    _guard_gdal()
    try:
        if argv is None:
            end_cleanly_on_sigterm()
        return _guarded(args, owns_process=argv is None)
    except output.OutputClosed as closed:
        output.discard_stdout()
        if str(closed):
            output.say(f"error: {closed}")
        return EXIT_FAULT
    except Terminated:
        if argv is None:  # not in a worker, whose command line says it
            output.say("sedcalc: terminated")
        return EXIT_TERMINATED
    except KeyboardInterrupt:
        output.say("sedcalc: interrupted")
        return EXIT_INTERRUPTED


def end_cleanly_on_sigterm() -> None:
    """Let SIGTERM raise `Terminated` instead of ending this process at once."""
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: object) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    raise Terminated


def _guarded(args: list[str], *, owns_process: bool) -> int:
    import click

    from sedcalc.cli.app import invoke
    from sedcalc.cli.output import OutputClosed, print_failure
    from sedcalc.io.gdal_guard import guard_process

    try:
        if owns_process:
            if "_SEDCALC_COMPLETE" in os.environ:
                return _complete(os.environ["_SEDCALC_COMPLETE"])
            guard_process()
            os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for some takes as long as a table
        return invoke(args, owns_process=owns_process)
    except OutputClosed:
        raise
    except InputError as error:
        print_failure(args, "wrong_input", error.findings)
        return EXIT_WRONG_INPUT
    except click.UsageError as error:
        from sedcalc.cli.app import mistakes_of

        print_failure(args, "usage_error", mistakes_of(error, args))
        return EXIT_WRONG_INPUT
    except MemoryError:
        return _fault(args, "environment-fault", "this takes more memory than there is, or than is allowed")
    except (EnvironmentFault, OSError) as error:
        plain = isinstance(error, EnvironmentFault)  # which says what it is
        return _fault(args, "environment-fault", f"{str(error) or type(error).__name__}{_remedy(error)}", plain=plain)
    except Exception as error:
        return _fault(args, "internal-error", f"{type(error).__name__}: {error}")


def _complete(instruction: str) -> int:
    """Answer a shell: with the script that sets up completion, or with what can follow."""
    from click.shell_completion import shell_complete

    from sedcalc.cli.app import app

    return shell_complete(app, {}, "sedcalc", "_SEDCALC_COMPLETE", instruction)


def _guard_gdal() -> None:
    """Cut GDAL off from the network, before it is loaded; a process that has it already (a notebook) stays as it is."""
    from sedcalc.io.gdal_guard import guard_process

    if not {"rasterio", "pyogrio", "fiona", "osgeo"} & sys.modules.keys():
        guard_process()


def _fault(args: list[str], code: str, message: str, *, plain: bool = False) -> int:
    from sedcalc.cli.output import print_failure

    hint = "" if plain or os.environ.get("SEDCALC_DEBUG") else " (SEDCALC_DEBUG=1 shows where)"
    print_failure(args, code.replace("-", "_"), [Finding(code, "error", f"{message}{hint}")])
    if os.environ.get("SEDCALC_DEBUG"):
        import traceback

        traceback.print_exc()
    return EXIT_FAULT


def _remedy(error: BaseException) -> str:
    """Return what can be done about a machine that refuses, where its error number says it."""
    number = getattr(error, "errno", None) or getattr(error.__cause__, "errno", None)
    name = errno.errorcode.get(number or 0)
    if name in ("ENOSPC", "EDQUOT"):
        return "; free some space, or choose another place"
    if name in ("EACCES", "EPERM", "EROFS"):
        return "; choose a place that this user may write to"
    return ""
