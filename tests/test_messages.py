"""Every message about wrong input says what to do: the texts in the source are read one by one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import sedcalc

SOURCE = Path(sedcalc.__file__).parent
CHECKED = (
    *("cli", "site", "load"),
    *(
        f"io/{name}.py"
        for name in ("cover_table", "file_checks", "named_files", "site_files", "vector_files", "vectors", "workbook")
    ),
)
REMEDY = re.compile(
    r"\b(add|allows more|check|choose|convert|correct|cut|delete|did you mean|divide|draw|end it|establish|export|"
    r"give|keep|leave|make|mark|move|must|name|put|raise|reduce|remove|rename|repair|reproject|resample|save|see|set|state|"
    r"swap|use|write)\b|`sedcalc \w+|\{\w*(?:hint|listed|remedy|wanted)",
    re.IGNORECASE,
)
# Texts that are part of a longer message, or repeat one that was checked where it was made.
PARTS = {
    "{message}",
    "row {}: {message}",
    "{}: {text}",
    "ordinance: {} {}",
}


def texts() -> Iterator[tuple[str, int, str]]:
    """Yield file, line and text of every error in the checked sources whose text stands there."""
    files = [
        f for name in CHECKED for f in ([SOURCE / name] if name.endswith(".py") else (SOURCE / name).rglob("*.py"))
    ]
    for file in sorted(files):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
            named: dict[str, list[str]] = {}
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    named.setdefault(node.targets[0].id, []).extend(said(node.value))
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and (message := message_of(node)) is not None:
                    found = named.get(message.id, []) if isinstance(message, ast.Name) else said(message)
                    # A name can hold other messages, of warnings and notes: one of them has the remedy.
                    if found and not any(REMEDY.search(text) for text in found):
                        yield str(file.relative_to(SOURCE)), node.lineno, found[-1]


def message_of(call: ast.Call) -> ast.expr | None:
    name = ast.unparse(call.func).split(".")[-1]
    if name == "Finding" and len(call.args) > 2 and ast.unparse(call.args[1]) == "'error'":
        return call.args[2]
    if name == "wrong" and call.args:
        return call.args[-1]
    return call.args[1] if name in ("input_error", "mistake") and len(call.args) > 1 else None


def said(value: ast.expr) -> list[str]:
    """Return the texts that an expression can give."""
    if isinstance(value, ast.Constant):
        return [value.value] if isinstance(value.value, str) else []
    if isinstance(value, ast.JoinedStr):
        return ["".join(p.value if isinstance(p, ast.Constant) else filled(p) for p in value.values)]  # type: ignore[misc]
    return [*said(value.body), *said(value.orelse)] if isinstance(value, ast.IfExp) else []


def filled(value: ast.expr) -> str:
    """Return what stands for a value in a text: its name where that says that it holds the remedy."""
    name = ast.unparse(value.value) if isinstance(value, ast.FormattedValue) else ""
    return (
        f"{{{name}}}"
        if re.fullmatch(r"\w*(hint|listed|remedy|wanted|message|text)\w*.*", name, re.IGNORECASE)
        else "{}"
    )


def test_every_error_says_what_to_do() -> None:
    lacking = [f"{file}:{line}: {text}" for file, line, text in texts() if text not in PARTS]
    assert not lacking, "\n".join(lacking)


@pytest.mark.parametrize("text", ["the end lies before the start", "-1 is out of range", "not valid JSON"])
def test_a_text_without_a_remedy_is_seen(text: str) -> None:
    assert not REMEDY.search(text)
