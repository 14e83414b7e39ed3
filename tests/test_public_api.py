"""The public functions and types are documented: whole sections, parameters as they are, and a unit on every number.

numpydoc validates the docstrings. Types stand in the annotations, so they need not be repeated before the
description; where they are (``name : type``), they may.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc
from numpydoc.validate import validate

import sedcalc

EVERYWHERE = frozenset(
    {
        *("GL01", "GL02", "GL03", "GL05", "GL06", "GL07", "GL08", "GL09", "GL10"),  # form of the docstring
        *("SS01", "SS02", "SS03", "SS04", "SS06"),  # a summary: one line, capital, full stop
        *("PR02", "PR03", "PR05", "PR06", "PR07", "PR09", "PR10"),  # parameters as they are, each described
        *("RT02", "RT03", "RT05"),  # what is returned, described
    }
)
"""Checks of every public docstring. A function that its summary explains whole may do without sections."""

WHOLE = EVERYWHERE | {"PR01", "RT01", "EX01"}
"""Checks of the equations and of `sedcalc` itself: every parameter, the result, an example."""

UNITS = re.compile(
    r"dimensionless|%|, percent\b|\bshares?\b|\bfraction\b|\b0 to 1\b|\bratio\b|\bclass(?:es)?\b|\bdates?\b"
    r"|hundreds of ft tonf in|ton ac h|\b(?:short )?tons\b|\bacres\b|acre-ft|lb/ac|ac/lb|ft2|ft3/s|ft/s|\bft\b|in/h\b"
    r"|, in(?=[,.; ])|\bmm\b|mm/h|\bm2\b|\bm\b|m/s|, h\b|, d\b|\bradians\b|\bmin(?:utes)?\b|degrees C|\bMJ\b|\bunit\b"
    r"|``datetime64"
)
"""A unit, or a word that says that there is none: a share, a class, a date."""


def public(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public functions and classes that a module defines, with their full names."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(value) or inspect.isclass(value):
            yield f"{module.__name__}.{value.__qualname__}", value


def modules(package: str = "sedcalc.") -> list[Any]:
    """Return the modules of the package but those of the command line, whose docstrings are its help texts."""
    names = [m.name for m in pkgutil.walk_packages(sedcalc.__path__, "sedcalc.")]
    wanted = [n for n in names if n.startswith(package) and not n.startswith("sedcalc.cli") and "__main__" not in n]
    return [importlib.import_module(name) for name in wanted]


def equations() -> dict[str, Any]:
    """Return the functions and result types of the factors and of rain."""
    factors = [m for m in modules("sedcalc.factors.") if not m.__name__.rpartition(".")[2].startswith("_")]
    rain = importlib.import_module("sedcalc.rain")
    found = dict(item for module in factors for item in public(module))
    found |= {f"sedcalc.rain.{n}": getattr(rain, n) for n in rain.__all__ if callable(getattr(rain, n))}
    return {name: value for name, value in found.items() if inspect.isfunction(value) or inspect.isclass(value)}


def top_level() -> dict[str, Any]:
    found = {name: getattr(sedcalc, name) for name in sedcalc.__all__}
    return {name: v for name, v in found.items() if inspect.isfunction(v) or inspect.isclass(v)}


def home(name: str, value: Any) -> str:
    """Return the name by which numpydoc finds an object, where it is defined."""
    return f"{value.__module__}.{value.__qualname__}"


def errors(where: str, checked: frozenset[str]) -> list[str]:
    return [f"{code} {text}" for code, text in validate(where)["errors"] if code in checked]


EVERY = dict(item for module in modules() for item in public(module))


@pytest.mark.parametrize("name", EVERY)
def test_docstrings(name: str) -> None:
    assert errors(name, EVERYWHERE) == []


def fields_documented(value: Any) -> bool:
    """Whether a class is a tuple or a model, whose fields are documented as attributes or in place."""
    return issubclass(value, tuple) or hasattr(value, "model_fields")


@pytest.mark.parametrize("name", [*equations(), *(f"sedcalc.{n}" for n in top_level())])
def test_docstrings_of_equations_and_of_the_top_level_are_whole(name: str) -> None:
    value = equations().get(name) or top_level()[name.rpartition(".")[2]]
    checked = WHOLE
    if inspect.isclass(value):
        checked -= {"EX01"}
        if fields_documented(value):
            checked -= {"PR01"}
    assert errors(home(name, value), checked) == []


def is_number(annotation: Any) -> bool:
    """Whether a parameter or field holds numbers or times, which have a unit; counts, names and switches have none."""
    return any(kind in str(annotation) for kind in ("float", "ArrayLike", "_SupportsArray", "datetime"))


def without_unit(entries: list[Any], numbers: dict[str, bool]) -> list[str]:
    """Return the names of documented numbers whose text has no unit."""
    found = []
    for entry in entries:
        names = [name.strip() for name in entry.name.split(",")] if entry.name else ["returns"]
        text = f"{entry.type} {' '.join(entry.desc)}"
        if "bool" not in entry.type:
            found += [n for n in names if numbers.get(n, False) and not UNITS.search(text)]
    return found


@pytest.mark.parametrize("name", [n for n, v in equations().items() if inspect.isfunction(v)])
def test_parameters_and_results_of_equations_have_units(name: str) -> None:
    function = equations()[name]
    signature = inspect.signature(function)
    doc = FunctionDoc(function)
    numbers = {n: is_number(p.annotation) for n, p in signature.parameters.items()}
    assert without_unit(doc["Parameters"], numbers) == []
    result = signature.return_annotation
    if is_number(result) or result is Any:
        names = [r.name or "returns" for r in doc["Returns"]]
        assert without_unit(doc["Returns"], dict.fromkeys(names, True)) == []


@pytest.mark.parametrize("name", [n for n, v in equations().items() if inspect.isclass(v)])
def test_fields_of_results_have_units(name: str) -> None:
    value = equations()[name]
    doc = ClassDoc(value)
    numbers = {n: is_number(a) for n, a in value.__annotations__.items()}
    # a tuple documents its fields as attributes; those of a dataclass are parameters
    fields = doc["Attributes"] if issubclass(value, tuple) else doc["Parameters"]
    assert {n.strip() for f in fields for n in f.name.split(",")} >= {n for n, number in numbers.items() if number}
    assert without_unit(fields, numbers) == []


def test_a_number_without_a_unit_is_seen() -> None:
    def area(width: float, name: str) -> float:
        """Return the area of a square.

        Parameters
        ----------
        width : float
            Width of the square.
        name : str
            What it is called.

        Returns
        -------
        float
            Area, ft2.
        """
        return width * len(name)

    numbers = {n: is_number(p.annotation) for n, p in inspect.signature(area).parameters.items()}
    assert without_unit(FunctionDoc(area)["Parameters"], numbers) == ["width"]
    assert without_unit(FunctionDoc(area)["Returns"], {"returns": True}) == []
