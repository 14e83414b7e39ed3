"""Reading a calculation sheet back, for tests."""

import dataclasses
import math
import re
from collections.abc import Iterator
from typing import Any

from sedcalc.report.sheet_blocks import Math, Number, Sheet, Step, Table, spoken, walk


def numbers(part: Any) -> Iterator[Number]:
    """Every number of a sheet, in its order."""
    if isinstance(part, Number):
        yield part
    elif dataclasses.is_dataclass(part):
        for field in dataclasses.fields(part):
            yield from numbers(getattr(part, field.name))
    elif isinstance(part, tuple):
        for item in part:
            yield from numbers(item)


def blocks(sheet: Sheet, kind: type) -> list[Any]:
    return [b for s in walk(sheet.sections) for b in s.blocks if isinstance(b, kind)]


def table_of(sheet: Sheet, name: str) -> Table:
    (found,) = [t for t in blocks(sheet, Table) if t.name == name]
    return found


def step_of(sheet: Sheet, symbol: str) -> Step:
    (found,) = [s for s in blocks(sheet, Step) if spoken(s.symbol) == symbol]
    return found


def as_float(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def half_digit(text: str) -> float:
    """Half of the last printed digit."""
    mantissa, _, exponent = text.replace("−", "-").partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent or 0) - decimals)


def at(run: Any, path: str) -> Any:
    """What stands at a path of the run's JSON, read apart from the code under test."""
    for part in re.split(r"[.\[\]]+", path.rstrip("]")):
        run = run[int(part)] if part.isdigit() else run[part]
    return run


def evaluated(line: Math) -> float | None:
    """The value of a line of numbers, None for one with symbols."""
    text = spoken(line).replace(",", "").replace("−", "-").replace("×", "*").replace("^", "**")
    text = re.sub(r"sin\(arctan ([^)]*)\)", r"sin(atan(\1))", text).replace("2.1·10⁻⁴", "2.1e-4")
    if re.search(r"[^\d\s.+\-*/()e]", text.replace("sin(atan(", "((")):
        return None
    return float(eval(text, {"__builtins__": {}, "sin": math.sin, "atan": math.atan}))
