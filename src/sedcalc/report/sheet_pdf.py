"""The calculation sheet as PDF, typeset by typst: tagged (PDF/UA-1), fonts inside, the same bytes for the same sheet.

The template ``sheet.typ`` is fixed. The sheet enters as JSON beside it, so that no text of a site is read as markup.
"""

import json
import re
import tempfile
from pathlib import Path
from typing import Any, Final

from sedcalc.findings import EnvironmentFault
from sedcalc.report.glyphs import glyphs
from sedcalc.report.sheet_blocks import (
    Facts,
    Listing,
    Math,
    Muted,
    Number,
    Paragraph,
    Picture,
    Ref,
    Section,
    Sheet,
    Step,
    Strong,
    Table,
    Word,
    Words,
    code_point,
    fits_a_page,
    spoken,
    visible,
    walk,
)

_LONG_WORD: Final = 18  # letters after which a word may be broken anywhere
_BREAK: Final = "\u200b"  # zero-width space
_STEP: Final = 4
_HEAD: Final = 44  # letters of the title at the head of each page


def require_typst() -> None:
    """Check that typst is there.

    Raises
    ------
    EnvironmentFault
        If it is not; the message says how to get it.
    """
    try:
        import typst  # noqa: F401
    except ImportError:
        raise EnvironmentFault(
            "a PDF needs typst: pip install typst; an .html report has the same content and needs nothing"
        ) from None


def pdf_bytes(sheet: Sheet) -> bytes:
    """Return a calculation sheet as PDF.

    Parameters
    ----------
    sheet
        From `sedcalc.report.sheet.calculation_sheet`.

    Raises
    ------
    EnvironmentFault
        If typst is not there, or cannot typeset the sheet.
    """
    require_typst()
    import matplotlib
    import typst

    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    template = Path(__file__).with_name("sheet.typ").read_bytes()
    files = {"main.typ": template, "result.json": sheet.run_json.encode()}
    for section in walk(sheet.sections):
        files |= {block.name: block.data for block in section.blocks if isinstance(block, Picture)}
    try:
        with tempfile.TemporaryDirectory(prefix="sedcalc-") as folder:
            for name, data in files.items():
                Path(folder, name).write_bytes(data)
            made = typst.compile(
                Path(folder, "main.typ"),
                root=Path(folder),
                format="pdf",
                font_paths=[fonts],
                ignore_system_fonts=True,
                sys_inputs={"sheet": json.dumps(_sheet(sheet))},
                pdf_standards="ua-1",
            )
    except OSError as error:
        raise EnvironmentFault(f"the sheet cannot be typeset: {error.strerror or error}") from error
    except typst.TypstError as error:
        raise EnvironmentFault(f"typst cannot typeset the sheet: {error}") from error
    assert isinstance(made, bytes)
    return made


def printable(text: str) -> str:
    """Return text that the sheet's fonts can show and a line can break.

    Parameters
    ----------
    text
        Any text. Characters without a glyph become their code point (``⟨U+4E2D⟩``), and words over 18 letters may be
        broken, by zero-width spaces.
    """
    known = glyphs("DejaVuSans")  # stands in where the main font has no glyph
    shown = "".join(c if ord(c) in known else code_point(c) for c in visible(text))
    return re.sub(rf"\S{{{_LONG_WORD + 1},}}", _breakable, shown)


def _breakable(found: re.Match[str]) -> str:
    """Return a long word that breaks after its marks (paths, clauses), and anywhere where it has none for long."""
    parts = re.split(r"(?<=[._/\\:;,)=-])(?=[^._/\\:;,)=-])", found[0])
    return _BREAK.join(
        part if len(part) <= _LONG_WORD else _BREAK.join(part[i : i + _STEP] for i in range(0, len(part), _STEP))
        for part in parts
    )


def _sheet(sheet: Sheet) -> dict[str, Any]:
    verdict = sheet.verdict
    return {
        "name": visible(sheet.title),  # in the properties of the file, where no font is needed
        "title": printable(sheet.title),
        "short_title": printable(sheet.title if len(sheet.title) <= _HEAD else sheet.title[: _HEAD - 1] + "…"),
        "running": printable(sheet.running),
        "about": _block(sheet.about),
        "verdict": {
            "status": verdict.status,
            "title": printable(verdict.title),
            "sentence": _words(verdict.sentence),
            "figures": [[printable(n), _words(w), printable(u)] for n, w, u in verdict.figures],
        },
        "signing": [[printable(name), printable(text)] for name, text in sheet.signing],
        "sections": [_section(s, 1) for s in sheet.sections],
    }


def _section(section: Section, level: int) -> dict[str, Any]:
    return {
        "level": level,
        "number": section.number,
        "title": printable(section.title),
        "blocks": [_block(b) for b in section.blocks],
        "sections": [_section(s, level + 1) for s in section.sections],
    }


def _block(block: Any) -> dict[str, Any]:
    match block:
        case Paragraph():
            return {"kind": "paragraph", "words": _words(block.words)}
        case Listing():
            return {"kind": "listing", "items": [_words(i) for i in block.items]}
        case Facts():
            return {"kind": "facts", "pairs": [[printable(n), _words(w)] for n, w in block.pairs]}
        case Picture():
            return {
                "kind": "picture",
                "name": block.name,
                "caption": _words(block.caption),
                "alt": printable(block.alt),
                "width": block.width_in,
            }
        case Step():
            symbol = spoken(block.symbol)
            said = " = ".join([symbol, *(spoken(line) for line in block.lines)])
            return {
                "kind": "step",
                "title": printable(block.title),
                "given": _words(block.given),
                "symbol": _math(block.symbol),
                "lines": [_math(line) for line in block.lines],
                "unit": block.unit,
                "alt": printable(f"{said} {block.unit}".strip()),
                "alt_symbol": printable(symbol),
            }
        case Table():
            return {
                "kind": "table",
                "name": block.name,
                "caption": _words(block.caption),
                "columns": [[printable(c.heading), c.unit, c.weight] for c in block.columns],
                "groups": [
                    {
                        "heading": _words(g.heading),
                        "rows": [[r.look, [_words(c) for c in r.cells]] for r in g.rows],
                    }
                    for g in block.groups
                ],
                "note": _words(block.note),
                "whole": fits_a_page(block),
            }
    raise TypeError(type(block))


def _words(words: Words) -> list[Any]:
    return [_word(w) for w in words if w != ""]


def _word(word: Word) -> Any:
    match word:
        case Number():
            return {"n": word.text}
        case Ref():
            return {"r": word.number}
        case Strong():
            return {"b": printable(word.text)}
        case Muted():
            return {"m": printable(word.text)}
        case _:
            return printable(word)


def _math(node: Math) -> list[Any]:
    if node.kind in ("var", "text"):
        return [node.kind, printable(node.parts[0])]
    if node.kind == "num":
        return ["num", node.parts[0].text]
    return [node.kind, *(_math(p) for p in node.parts)]
