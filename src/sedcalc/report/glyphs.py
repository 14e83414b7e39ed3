"""Characters that the fonts of pictures and of the PDF cannot show, and what stands for them.

The fonts are those that come with matplotlib and typst, on every machine the same, so that the same site gives the same
bytes. A character that they lack is written as its code point.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from sedcalc.findings import Finding, count_of
from sedcalc.report.sheet_blocks import code_point
from sedcalc.site.submission import Site

_MOST: Final = 8


@cache
def glyphs(name: str) -> frozenset[int]:
    """Return the code points that a font of matplotlib's has glyphs for.

    Parameters
    ----------
    name
        Name of the file without ending, e.g. ``DejaVuSans``.
    """
    import matplotlib
    from matplotlib.ft2font import FT2Font

    path = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{name}.ttf"
    return frozenset(FT2Font(str(path)).get_charmap())


def drawable(character: str) -> bool:
    """Whether a character shows in charts and maps, plain and bold, and in the PDF.

    Parameters
    ----------
    character
        One character.
    """
    return all(ord(character) in glyphs(name) for name in ("DejaVuSans", "DejaVuSans-Bold"))


def undrawable_finding(site: Site) -> Finding | None:
    """Return the note that names of a site show as code points in pictures and in the PDF; None where all can be shown.

    Parameters
    ----------
    site
        The site.
    """
    found: dict[str, str] = {}
    for where, text in _texts(site.model_dump(), ""):
        for character in text:
            if character.isprintable() and not drawable(character):
                found.setdefault(character, where)
    if not found:
        return None
    shown = ", ".join(f"{c} (U+{ord(c):04X})" for c in list(found)[:_MOST])
    more = f" and {count_of(len(found) - _MOST, 'other')}" if len(found) > _MOST else ""
    example = next(iter(found))
    message = (
        f"the font of charts, maps and the PDF has no glyph for {shown}{more}: there such a character is written "
        f"{code_point(example)}; tables, JSON and the HTML sheet hold the text as given"
    )
    return Finding("glyph-missing", "note", message, found[example])


def _texts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _texts(part, f"{where}.{name}" if where else name)
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from _texts(part, f"{where}[{i}]")
