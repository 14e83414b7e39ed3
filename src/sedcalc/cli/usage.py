"""What is wrong with a command line: every option and argument at once, named as they are written."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from sedcalc.findings import Finding, InputError, input_error

_T = TypeVar("_T")
Combinations = Callable[[Mapping[str, Any]], Sequence[Finding]]


class Refused(click.BadParameter):
    """An option that says what is wrong with its value, and the remedy, itself.

    Parameters
    ----------
    finding
        What is wrong.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def checked(read: Callable[[str], _T], check: Callable[[_T], object]) -> Callable[[str], _T]:
    """Return the type of an option whose value is checked by a function that raises `InputError`.

    Parameters
    ----------
    read
        Makes the value of the text.
    check
        Is called with it.
    """

    def value_of(text: str) -> _T:
        value = read(text)
        try:
            check(value)
        except InputError as error:
            raise Refused(error.findings[0]) from None
        return value

    value_of.__name__ = read.__name__
    return value_of


def above_zero(value: float | None) -> None:
    """Refuse 0 and less."""
    if value is not None and not value > 0.0:
        raise input_error("out-of-range", f"{value:g} is not above 0; give a number above 0")


def not_negative(value: float | None) -> None:
    """Refuse less than 0."""
    if value is not None and not value >= 0.0:
        raise input_error("out-of-range", f"{value:g} is negative; give 0 or more")


def examples(*lines: str) -> str:
    """Return the end of a command's help: what to type.

    Parameters
    ----------
    *lines
        Command lines.
    """
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)  # \b keeps click from folding them


def usage_findings(
    error: click.UsageError, args: Sequence[str], combinations: Mapping[str, Combinations]
) -> list[Finding]:
    """Return everything that is wrong with a command line.

    Parameters
    ----------
    error
        The first mistake that click found.
    args
        The command line.
    combinations
        For the commands that have some: what does not go together or is missing, by the options that are given.
    """
    name = error.ctx.command.name if error.ctx is not None else None
    if error.ctx is None or name is None or isinstance(error.ctx.command, click.Group) or name not in args:
        return [_near(error, args) or _finding(error, name_of(args))]
    context = error.ctx
    mistakes: list[click.UsageError] = [] if isinstance(error, click.BadParameter) else [error]
    parser = context.command.make_parser(context)
    parser.ignore_unknown_options = True
    try:
        given, rest, _ = parser.parse_args(list(args[list(args).index(name) + 1 :]))
    except click.UsageError:
        return [_finding(error, name)]
    meant = getattr(error, "possibilities", None) or ()
    for parameter in context.command.get_params(context):
        several = given.get(parameter.name or "") if parameter.nargs == -1 else None
        if several:
            mistakes += _mistakes_of_each(several, parameter, context)
            continue
        try:
            _, rest = parameter.handle_parse_result(context, given, rest)
        except click.MissingParameter as mistake:
            if not set(meant) & set(parameter.opts):  # what was misspelt is not missing
                mistakes.append(mistake)
        except click.UsageError as mistake:
            mistakes.append(mistake)
    found = [_finding(mistake, name) for mistake in mistakes]
    if name in combinations:
        found += combinations[name](given)
    return list(dict.fromkeys(found))


def _mistakes_of_each(
    values: Sequence[Any], parameter: click.Parameter, context: click.Context
) -> list[click.UsageError]:
    """Return what is wrong with each of the values of an argument that takes several; click stops at the first."""
    mistakes: list[click.UsageError] = []
    for value in values:
        try:
            parameter.type(value, param=parameter, ctx=context)
        except click.BadParameter as mistake:
            mistake.param = parameter
            mistakes.append(mistake)
    return mistakes


def given_options() -> dict[str, Any]:
    """Return the options and arguments of the current command that its command line gives, without defaults."""
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    return {name: value for name, value in context.params.items() if context.get_parameter_source(name) is not default}


def _near(error: click.UsageError, args: Sequence[str]) -> Finding | None:
    """Return what is said of a command that does not exist; None for anything else."""
    group = None if error.ctx is None else error.ctx.command
    name = name_of(args)
    if not isinstance(group, click.Group) or not name or name in group.commands:
        return None
    import difflib

    near = difflib.get_close_matches(name, group.commands, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "see sedcalc --help"
    return Finding("usage", "error", f"there is no command {name!r:.40}; {hint}", "command line")


def name_of(args: Sequence[str]) -> str:
    """Return the command that a command line calls, as far as it names one.

    Parameters
    ----------
    args
        The command line.
    """
    return next((arg for arg in args if not arg.startswith("-")), "")


def _finding(error: click.UsageError, command: str) -> Finding:
    help = " ".join(f"sedcalc {command} --help".split())
    parameter = getattr(error, "param", None)
    if isinstance(error, Refused) and parameter is not None:
        return Finding(error.finding.code, "error", error.finding.message, _name(parameter))
    if isinstance(error, click.BadParameter) and parameter is not None:
        missing = isinstance(error, click.MissingParameter)
        said = "is required and not there" if missing else error.message.rstrip(".")
        message = f"{said}; give {_wanted(parameter, missing)}, see {help}"
        return Finding("usage", "error", message, _name(parameter))
    return Finding("usage", "error", f"{error.format_message().rstrip('.')}; see {help}", "command line")


def _name(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name


def _wanted(parameter: click.Parameter, missing: bool) -> str:
    """Return in words what an option takes."""
    if isinstance(parameter.type, click.Choice):
        return f"one of {', '.join(parameter.type.choices)}" if missing else "one of them"
    help = (getattr(parameter, "help", None) or "").split(".")[0]
    metavar = getattr(parameter, "metavar", None) or parameter.human_readable_name.upper()
    return f"{metavar} ({help})" if help else metavar
