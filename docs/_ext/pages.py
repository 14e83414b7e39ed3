"""Markdown for generated pages."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|$~^])")


WIDE: Final = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n\n"
"""Head of a page whose tables take the whole width."""


def escaped(value: object) -> str:
    """Return a text in which Markdown finds nothing to interpret, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(value).split()))


def shown(value: object) -> str:
    """Return a table cell: numbers as short as they are exact, nothing for a blank."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else escaped(value)


def grid(heading: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are Markdown already."""
    body = [f"| {' | '.join(cells)} |" for cells in (heading, ["---"] * len(heading), *lines)]
    return "\n".join(body) + "\n"


def toctree(pages: Iterable[str]) -> str:
    """Return a list of pages for the navigation alone."""
    listed = "\n".join(pages)
    return f"\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def write(path: Path, text: str) -> None:
    """Write a page, and leave it alone where it has not changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8", newline="\n")
