"""The commands of ``sedcalc`` and how they are called. Heavy modules are imported inside the commands."""

from collections.abc import Sequence

import click

import sedcalc
from sedcalc.cli import factors, inspections, loss_grid, ls_grid, rain, reference, runs, soils, verification
from sedcalc.cli.isolation import Invocation, TimeUp, memory_up, time_up, unbound_process
from sedcalc.cli.output import print_json, write
from sedcalc.cli.places import inputs_kept
from sedcalc.cli.usage import usage_findings
from sedcalc.findings import Finding


@click.group(
    invoke_without_command=True,
    epilog="\b\nStart with:\n"
    "  sedcalc demo\n"
    "  sedcalc new my_site.toml\n"
    "  sedcalc run my_site.toml --out results\n"
    "Completion, in the start file of the shell (bash; zsh and fish alike):\n"
    '  eval "$(_SEDCALC_COMPLETE=bash_source sedcalc)"',
)
@click.option("--version", is_flag=True, help="Print the version.")
@click.option("--json", "as_json", is_flag=True, hidden=True)
@click.pass_context
def app(context: click.Context, version: bool, as_json: bool) -> None:
    """Sediment load of construction sites: RUSLE, practices, tons/acre/year, the ruling."""
    if as_json and context.invoked_subcommand is not None:
        context.default_map = {context.invoked_subcommand: {"as_json": True}}
    if version and as_json:
        print_json({"format": "sedcalc.version/1", "version": sedcalc.__version__})
    elif version:
        write(f"sedcalc {sedcalc.__version__}\n")
    elif context.invoked_subcommand is None:
        if as_json:
            raise click.UsageError("name a command", context)
        write(context.get_help() + "\n")
    if version:
        context.exit(0)


for _command in (
    *runs.COMMANDS,
    *verification.COMMANDS,
    *factors.COMMANDS,
    *ls_grid.COMMANDS,
    *rain.COMMANDS,
    *soils.COMMANDS,
    *loss_grid.COMMANDS,
    *inspections.COMMANDS,
    *reference.COMMANDS,
):
    assert _command.callback is not None
    _command.callback = inputs_kept(_command.callback)
    app.add_command(_command)


def mistakes_of(error: click.UsageError, args: Sequence[str]) -> list[Finding]:
    """Return everything that is wrong with a command line.

    Parameters
    ----------
    error
        What click found first.
    args
        Arguments after the program's name.
    """
    return usage_findings(error, args, factors.COMBINATIONS | ls_grid.COMBINATIONS | loss_grid.COMBINATIONS)


def invoke(args: Sequence[str], *, owns_process: bool = False) -> int:
    """Run a command and return its exit code; its errors are raised.

    Parameters
    ----------
    args
        Arguments after the program's name.
    owns_process
        Whether the process is sedcalc's own, so that gridded sites are computed in a worker.
    """
    call = Invocation(tuple(args), owns_process)
    try:
        with app.make_context("sedcalc", list(args), obj=call) as context:
            code = app.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except TimeUp:
        raise time_up(call) from None
    except BaseException as error:
        mistake = memory_up(call, error)
        if mistake is None:
            raise
        raise mistake from None
    finally:
        if owns_process:
            unbound_process()
    return code if isinstance(code, int) else 0
