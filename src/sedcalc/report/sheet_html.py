"""The calculation sheet as one HTML file: no other file is fetched, nothing runs, and it prints on letter paper."""

import base64
import html
from pathlib import Path
from typing import Any, Final

from sedcalc.report.sheet_blocks import (
    Block,
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
    fits_a_page,
    visible,
)

_TYPES: Final = {".svg": "image/svg+xml", ".png": "image/png"}
_POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def html_text(sheet: Sheet) -> str:
    """Return a calculation sheet as a self-contained HTML page.

    Parameters
    ----------
    sheet
        From `sedcalc.report.sheet.calculation_sheet`.

    Notes
    -----
    Every number is a ``data`` element with its full value; its title says where it stands in the run's JSON, which the
    page carries as a data block. All text is escaped.
    """
    css = Path(__file__).with_name("sheet.css").read_text(encoding="utf-8")
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(sheet.title)}: sediment load calculation</title>",
        f"<style>\n{css}</style>",
        "</head>",
        "<body>",
        *_first_page(sheet),
        "<main>",
        *(line for section in sheet.sections for line in _section(section, 2)),
        "</main>",
        f"<footer>{_text(sheet.running)}</footer>",
        # Inside a script element only "<" could end it; JSON writes it as an escape.
        f'<script type="application/json" id="result">{sheet.run_json.replace("<", chr(92) + "u003c")}</script>',
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _text(text: str) -> str:
    return html.escape(visible(text))


def _first_page(sheet: Sheet) -> list[str]:
    verdict = sheet.verdict
    figures = "".join(
        f"<div><dt>{_text(name)}</dt><dd><b>{_words(words)}</b> <span>{_text(unit)}</span></dd></div>"
        for name, words, unit in verdict.figures
    )
    signing = "".join(f"<tr><th>{_text(name)}</th><td>{_text(text)}</td></tr>" for name, text in sheet.signing)
    contents = "".join(
        f'<li><a href="#s{section.number}"><span>{section.number}</span> {_text(section.title)}</a></li>'
        for section in sheet.sections
    )
    return [
        "<header>",
        '<p class="kind">Sediment load calculation</p>',
        f'<h1 dir="auto">{_text(sheet.title)}</h1>',
        _facts(sheet.about),
        f'<section class="verdict {verdict.status}">',
        f"<h2>{_text(verdict.title)}</h2>",
        f"<p>{_words(verdict.sentence)}</p>",
        f"<dl>{figures}</dl>" if figures else "",
        "</section>",
        '<div class="front">',
        f'<nav><h2>Contents</h2><ol class="contents">{contents}</ol></nav>',
        f'<section><h2>Preparer</h2><table class="signing">{signing}</table><div class="seal">Seal</div></section>',
        "</div>",
        "</header>",
    ]


def _section(section: Section, level: int) -> list[str]:
    lines = [
        "<section>",
        f'<h{level} id="s{section.number}"><span>{section.number}</span> {_text(section.title)}</h{level}>',
        *(_block(block) for block in section.blocks),
    ]
    for part in section.sections:
        lines += _section(part, level + 1)
    return [*lines, "</section>"]


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return f"<p>{_words(block.words)}</p>"
        case Listing():
            return f"<ul>{''.join(f'<li>{_words(item)}</li>' for item in block.items)}</ul>"
        case Facts():
            return _facts(block)
        case Picture():
            return _picture(block)
        case Step():
            return _step(block)
        case Table():
            return _table(block)


def _facts(block: Facts) -> str:
    rows = "".join(f'<dt>{_text(name)}</dt><dd dir="auto">{_words(words)}</dd>' for name, words in block.pairs)
    return f'<dl class="facts">{rows}</dl>'


def _picture(block: Picture) -> str:
    data = base64.b64encode(block.data).decode()
    kind = _TYPES[Path(block.name).suffix]
    return (
        f'<figure><img src="data:{kind};base64,{data}" alt="{_text(block.alt)}">'
        f"<figcaption>{_words(block.caption)}</figcaption></figure>"
    )


def _step(block: Step) -> str:
    given = f'<p class="given">{_words(block.given)}</p>' if block.given else ""
    lines = []
    for i, line in enumerate(block.lines):
        left = _math(block.symbol) if i == 0 else ""
        last = i == len(block.lines) - 1
        unit = f'<mspace width="0.4em"/><mtext class="unit">{_text(block.unit)}</mtext>' if last and block.unit else ""
        right = f'<mrow class="value">{_math(line)}</mrow>' if last else _math(line)
        lines.append(f"<mtr><mtd>{left}</mtd><mtd><mo>=</mo></mtd><mtd><mrow>{right}{unit}</mrow></mtd></mtr>")
    formula = f'<math display="block"><mtable displaystyle="true">{"".join(lines)}</mtable></math>'
    return f'<div class="step"><h4>{_text(block.title)}</h4><div>{given}{formula}</div></div>'


def _table(block: Table) -> str:
    heads = "".join(
        f'<th scope="col"{_numeric(c.weight)}>{_text(c.heading)}'
        + (f"<small>{_text(c.unit)}</small>" if c.unit else "")
        + "</th>"
        for c in block.columns
    )
    bodies = []
    for group in block.groups:
        rows = []
        if group.heading:
            head = f'<th scope="rowgroup" colspan="{len(block.columns)}">{_words(group.heading)}</th>'
            rows.append(f'<tr class="group">{head}</tr>')
        for row in group.rows:
            cells = "".join(
                f"<td{_numeric(c.weight)}{_anchor(block, i, cell)}>{_words(cell)}</td>"
                for i, (c, cell) in enumerate(zip(block.columns, row.cells, strict=True))
            )
            rows.append(f'<tr class="{row.look}">{cells}</tr>')
        bodies.append(f"<tbody>{''.join(rows)}</tbody>")
    whole = " whole" if fits_a_page(block) else ""
    note = f'<p class="note">{_words(block.note)}</p>' if block.note else ""
    return (
        f'<div class="table {block.name}{whole}"><div class="wide"><table><caption>{_words(block.caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead>{''.join(bodies)}</table></div>{note}</div>"
    )


def _numeric(weight: float) -> str:
    return "" if weight else ' class="num"'


def _anchor(block: Table, column: int, cell: Words) -> str:
    if block.name == "references" and column == 0:
        return f' id="ref{str(cell[0])[1:-1]}"'
    return ' dir="auto"' if block.columns[column].weight else ""


def _words(words: Words) -> str:
    return "".join(_word(word) for word in words)


def _word(word: Word) -> str:
    match word:
        case Number():
            return _number(word)
        case Ref():
            return f'<a class="ref" href="#ref{word.number}">[{word.number}]</a>'
        case Strong():
            return f"<strong>{_text(word.text)}</strong>"
        case Muted():
            return f'<span class="muted">{_text(word.text)}</span>'
        case _:
            return _text(word)


def _number(word: Number) -> str:
    where = f' title="{_text(word.path)} = {word.value!r}"' if word.path else ""
    return f'<data value="{word.value!r}"{where}>{html.escape(word.text)}</data>'


def _math(node: Math) -> str:
    """Return a formula as MathML."""
    parts: tuple[Any, ...] = node.parts
    match node.kind:
        case "var":
            return f"<mi>{_text(parts[0])}</mi>"
        case "text":
            return f"<mtext>{_spaced(parts[0])}</mtext>"
        case "num":
            return f"<mn>{html.escape(parts[0].text)}</mn>"
        case "row":
            return f"<mrow>{''.join(_math(p) for p in parts)}</mrow>"
        case "frac":
            return f"<mfrac>{_math(parts[0])}{_math(parts[1])}</mfrac>"
        case "sup":
            return f"<msup>{_math(parts[0])}{_math(parts[1])}</msup>"
        case "sub":
            return f"<msub>{_math(parts[0])}{_math(parts[1])}</msub>"
        case "group":
            return f"<mrow><mo>(</mo>{_math(parts[0])}<mo>)</mo></mrow>"


def _spaced(text: str) -> str:
    """Return text whose outer spaces stand: MathML drops them otherwise."""
    inner = text.strip(" ")
    if not inner:
        return "\u00a0" * len(text)
    left, right = len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" "))
    return "\u00a0" * left + _text(inner) + "\u00a0" * right
