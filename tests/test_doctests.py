"""The examples in the docstrings: every one runs, and those of the equations say where their number comes from."""

import doctest
import importlib
import pkgutil

import pytest

import sedcalc

NEEDS = {"sedcalc.equations": ("xarray",)}
"""Optional packages that the examples of a module load."""


def modules() -> list[str]:
    found = [m.name for m in pkgutil.walk_packages(sedcalc.__path__, "sedcalc.")]
    return sorted(["sedcalc", *(name for name in found if not name.endswith("__main__"))])


def examples(name: str) -> list[doctest.DocTest]:
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for test in finder.find(module, name) if test.examples]


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str) -> None:
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.FAIL_FAST)
    for test in examples(name):
        report: list[str] = []
        result = runner.run(test, out=report.append)
        assert result.failed == 0, "".join(report)


def test_there_are_examples() -> None:
    found = {name: len(examples(name)) for name in modules() if name.startswith("sedcalc.factors.")}
    assert sum(found.values()) >= 45  # one for each public equation
    assert len(examples("sedcalc")) == 1


def test_a_wrong_example_fails() -> None:
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1
