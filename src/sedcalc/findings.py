"""Findings, and the errors the package raises.

A finding is one thing that a reader of the result must know: what, where, how much, and the remedy. Severities:

``error``
    The input is wrong or insufficient: no number is given.
``warning``
    A number is given, and a reviewer must look at this before relying on it.
``note``
    Said for the record (a convention that matters here, a source that is an estimate).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
_ORDER = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a reader of the result must know.

    Parameters
    ----------
    code
        Stable kebab-case name of the kind of finding, e.g. ``"length-over-1000-ft"``.
    severity
        ``"error"``, ``"warning"`` or ``"note"``.
    message
        What, how much, and the remedy, in one or two sentences.
    where
        Path into the input (``"ground_units[2].slope_pct"``), a file name, or a place in the result.
    clause
        Clause of the ordinance it concerns, as printed there.
    """

    code: str
    severity: Severity
    message: str
    where: str | None = None
    clause: str | None = None

    def as_dict(self) -> dict[str, str | None]:
        """Return the finding as the object that JSON results hold."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "where": self.where,
            "clause": self.clause,
        }

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        clause = f" [{self.clause}]" if self.clause else ""
        return f"{place}{self.message}{clause}"


class SedcalcError(Exception):
    """Base of the errors that sedcalc raises on purpose."""


class InputError(SedcalcError, ValueError):
    """The input is wrong or insufficient; ``findings`` lists every mistake that was found, errors first.

    Parameters
    ----------
    findings
        At least one finding of severity ``error``.
    """

    def __init__(self, findings: "Iterable[Finding] | Finding") -> None:
        self.findings = (findings,) if isinstance(findings, Finding) else tuple(by_severity(findings))
        super().__init__("\n".join(str(f) for f in self.findings))

    def __reduce__(self) -> tuple[type["InputError"], tuple[tuple[Finding, ...]]]:
        return type(self), (self.findings,)


class EnvironmentFault(SedcalcError):
    """The machine, not the input, is at fault: a missing extra, a full disk, a file that cannot be written."""


def input_error(code: str, message: str, where: str | None = None) -> InputError:
    """Return an `InputError` with a single finding, for functions that check one thing.

    Parameters
    ----------
    code, message, where
        As in `Finding`.
    """
    return InputError(Finding(code, "error", message, where))


def count_of(number: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun in the right form: ``1 window``, ``2 windows``, ``1,204 cells``.

    Parameters
    ----------
    number
        How many.
    one, several
        The words after 1 and after any other number; `several` is `one` and an s unless given.
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def shortened(text: str, most: int = 60) -> str:
    """Return a text whose middle is left out where it has more characters than `most`.

    Parameters
    ----------
    text
        Such as an id from a file.
    most
        Characters at most.
    """
    half = (most - 3) // 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]}"


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings without repetitions, errors first, otherwise in the order they were found."""
    return sorted(dict.fromkeys(findings), key=lambda f: _ORDER[f.severity])
