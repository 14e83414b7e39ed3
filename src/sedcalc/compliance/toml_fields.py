"""Checked reading of a TOML file's content: every mistake is gathered with its path, unknown keys among them."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sedcalc.findings import Finding


def text(value: Any) -> str:
    """Return a text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text is required; write one in quotes")
    return value


def number(value: Any) -> float:
    """Return a finite number; true and "12" are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("a number is required; write one without quotes")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ValueError("a finite number is required; write one")
    return result


def positive(value: Any) -> float:
    """Return a number above 0."""
    result = number(value)
    if result <= 0:
        raise ValueError("a number above 0 is required; write one")
    return result


def not_negative(value: Any) -> float:
    """Return a number of 0 or more."""
    result = number(value)
    if result < 0:
        raise ValueError("a number of 0 or more is required; write one")
    return result


def flag(value: Any) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ValueError("true or false is required; write one")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """Return a list of texts."""
    if not isinstance(value, list):
        raise ValueError("a list of texts is required")
    return tuple(text(v) for v in value)


def month_day(value: Any) -> tuple[int, int]:
    """Return month and day of "MM-DD"; Feb 29 is a day of the year here."""
    match = re.fullmatch(r"(\d\d)-(\d\d)", value) if isinstance(value, str) else None
    month, day = (int(match[1]), int(match[2])) if match else (0, 0)
    days = {1: 31, 2: 29, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}
    if not 1 <= day <= days.get(month, 0):
        raise ValueError('a day of the year is required, as "MM-DD"')
    return month, day


def one_of(choices: tuple[str, ...]) -> Callable[[Any], str]:
    """Return a check that a value is one of the choices."""

    def check(value: Any) -> str:
        if value not in choices:
            raise ValueError(f"one of {', '.join(choices)} is required")
        return str(value)

    return check


def identifier(value: Any) -> str:
    """Return a name of lower-case letters, digits and _ that begins with a letter."""
    if not isinstance(value, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", value):
        raise ValueError("a name of lower-case letters, digits and _ is required")
    return value


@dataclass
class Reader:
    """Takes the parts of a file one by one and gathers every mistake with its path."""

    file: str
    faults: list[Finding] = field(default_factory=list)

    def fault(self, path: str, message: str) -> None:
        """Note a mistake."""
        self.faults.append(Finding("ordinance-fault", "error", message, f"{self.file}: {path}"))

    def table(self, value: Any, path: str) -> dict[str, Any]:
        """Return a table; an empty one where it is none."""
        if isinstance(value, dict):
            return value
        self.fault(path, "a table is required")
        return {}

    def named_tables(self, value: Any, path: str) -> list[tuple[str, str, dict[str, Any]]]:
        """Return the name, path and content of each table in a table."""
        named = []
        for name, content in self.table(value, path).items():
            try:
                named.append((identifier(name), f"{path}.{name}", self.table(content, f"{path}.{name}")))
            except ValueError as error:
                self.fault(path, f"{error}, not {_shown(name)}")
        return named

    def tables(self, value: Any, path: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the tables of an array with their paths."""
        if not isinstance(value, list):
            self.fault(path, f"an array of tables is required: [[{path}]]")
            return []
        return [(f"{path}[{i}]", self.table(v, f"{path}[{i}]")) for i, v in enumerate(value)]

    def fields(
        self,
        content: dict[str, Any],
        path: str,
        required: Mapping[str, Callable[[Any], Any]],
        optional: Mapping[str, tuple[Callable[[Any], Any], Any]] | None = None,
    ) -> dict[str, Any] | None:
        """Return the checked fields; None if any of them is at fault."""
        before = len(self.faults)
        optional = optional or {}
        checks = {**required, **{name: check for name, (check, _) in optional.items()}}
        for name in sorted(content.keys() - checks.keys()):
            self.fault(_join(path, name), f"unknown key; {path or 'the file'} may have {', '.join(checks)}")
        values = {name: default for name, (_, default) in optional.items()}
        for name, check in checks.items():
            if name in content:
                try:
                    values[name] = check(content[name])
                except ValueError as error:
                    self.fault(_join(path, name), f"{error}, not {_shown(content[name])}")
            elif name in required:
                self.fault(_join(path, name), "missing")
        return values if len(self.faults) == before else None


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
