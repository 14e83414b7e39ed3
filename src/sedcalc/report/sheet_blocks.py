"""What a calculation sheet is made of: plain data that the PDF and the HTML renderer print alike.

Every number is formatted once, here, and keeps its full value and where it stands in the run's JSON; so both forms of
the sheet show the same digits, and a test can hold each against the JSON.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

DASH: Final = "–"
"""Printed where there is no value."""

_WHOLE_ROWS: Final = 14
_WHOLE_LETTERS: Final = 2400


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is printed.

    Parameters
    ----------
    text
        Its printed digits.
    value
        The number in full.
    path
        Where it stands in the run's JSON (``"rows[3].LS"``); None for a step of the calculation or an argument.
    """

    text: str
    value: float
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Ref:
    """A mark that points to an entry of the references, counted from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class Strong:
    """Text that stands out."""

    text: str


@dataclass(frozen=True, slots=True)
class Muted:
    """Text that steps back."""

    text: str


Word: TypeAlias = str | Number | Ref | Strong | Muted
Words: TypeAlias = tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Math:
    """A node of a formula.

    Parameters
    ----------
    kind
        ``row`` (parts one after the other), ``var`` (a symbol, in italics), ``text`` (upright), ``num``, ``frac``,
        ``sup``, ``sub``, ``group`` (in brackets).
    parts
        Its parts: for ``var`` and ``text`` a str, for ``num`` a `Number`, else nodes.
    """

    kind: Literal["row", "var", "text", "num", "frac", "sup", "sub", "group"]
    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of text."""

    words: Words
    small: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Points one below the other."""

    items: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what they are, two columns without a heading."""

    pairs: tuple[tuple[str, Words], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    heading, unit
        What it holds, and in what unit; "" where it has none.
    weight
        0: as wide as its content (numbers, dates; set to the right); else its share of the width that is left (texts).
    """

    heading: str
    unit: str = ""
    weight: float = 0.0


Look: TypeAlias = Literal["plain", "total", "marked", "muted"]
"""How a row looks: as others, in bold under a line, in bold on a ground of colour, grey."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    cells: tuple[Words, ...]
    look: Look = "plain"


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under a line of their own."""

    heading: Words
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; its heading is repeated on every page."""

    name: str
    caption: Words
    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    note: Words = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One quantity of the calculation: symbols, numbers, value.

    Parameters
    ----------
    title
        Name of the quantity.
    symbol
        Its symbol.
    lines
        What it equals: the formula, the formula with numbers, the value.
    given
        What goes into it, in words; may be empty.
    unit
        Unit of the value.
    """

    title: str
    symbol: Math
    lines: tuple[Math, ...]
    given: Words = ()
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure.

    Parameters
    ----------
    name
        Name of its file, with ``.svg`` or ``.png``.
    caption, alt
        What it is, and what it shows in words.
    data
        Its bytes.
    width_in
        Width on paper, inches.
    """

    name: str
    caption: Words
    alt: str
    data: bytes
    width_in: float


Block: TypeAlias = Paragraph | Listing | Facts | Table | Step | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the sheet with a heading."""

    number: str
    title: str
    blocks: tuple[Block, ...] = ()
    sections: tuple["Section", ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The ruling as the first page shows it.

    Parameters
    ----------
    status
        ``meets``, ``exceeds``, ``cannot_be_determined`` or ``not_applicable``.
    title
        The same in words.
    sentence
        The ruling in a sentence.
    figures
        Name, number and unit of what decides.
    """

    status: str
    title: str
    sentence: Words
    figures: tuple[tuple[str, Words, str], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A calculation sheet.

    Parameters
    ----------
    title
        Name of the project.
    about
        The cover block.
    verdict
        The ruling.
    signing
        Names and contents of the preparer's block; an empty text is left to be filled in.
    sections
        The sheet.
    running
        What every page says at its foot: program, and what the numbers came from.
    run_json
        The run's JSON, which the sheet carries along.
    """

    title: str
    about: Facts
    verdict: Verdict
    signing: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    running: str
    run_json: str


class Printer:
    """Numbers of a run's JSON by their path, as they are printed.

    Parameters
    ----------
    run
        From `sedcalc.report.results.run_object`.
    """

    def __init__(self, run: dict[str, Any]) -> None:
        self.run = run

    def at(self, path: str) -> Any:
        """Return what stands at a path, such as ``rows[3].LS``."""
        value: Any = self.run
        for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
            value = value[name] if name else value[int(index)]
        return value

    def word(self, path: str, digits: int) -> Word:
        """Return the number at a path with so many decimals, a dash where there is none."""
        value = self.at(path)
        return DASH if value is None else number(value, digits, path)

    def cell(self, path: str, digits: int) -> Words:
        """Return the number at a path as a cell of a table."""
        return (self.word(path, digits),)


def number(value: float, digits: int, path: str | None = None) -> Number:
    """Return a number with so many decimals.

    Parameters
    ----------
    value
        A finite number.
    digits
        Decimals.
    path
        Where it stands in the run's JSON.
    """
    text = f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0.0:
        text = text.replace("-", "")
    return Number(text.replace("-", "−"), float(value), path)


def shortest(value: float) -> Number:
    """Return an argument with the digits it was given with."""
    text = re.sub(r"e([-+])0", r"e\1", f"{value:,.10g}")
    return Number(text, float(value))


def visible(text: str) -> str:
    """Return text on one line in which nothing is hidden: what is not printable as its code point.

    Parameters
    ----------
    text
        Any text. Line ends and tabs become spaces; a space before % does not break.

    Examples
    --------
    A mark that would turn the direction of the text after it:

    >>> visible("plan\u202e 5 %")
    'plan⟨U+202E⟩ 5\xa0%'
    """
    shown = "".join(" " if c in "\n\t\r" else c if c.isprintable() or c == "\u00a0" else code_point(c) for c in text)
    return shown.replace(" %", "\u00a0%")


def code_point(character: str) -> str:
    """Return how a character is written that cannot be shown."""
    return f"⟨U+{ord(character):04X}⟩"


def walk(sections: Sequence[Section]) -> list[Section]:
    """Return sections and their parts, in the order of the sheet."""
    return [s for section in sections for s in (section, *walk(section.sections))]


def row(*parts: "Math | Number | str") -> Math:
    """Return a formula of parts: a `Number`, a node, or upright text."""
    return Math("row", tuple(_node(p) for p in parts))


def var(symbol: str, below: str = "") -> Math:
    """Return a symbol, with an index."""
    node = Math("var", (symbol,))
    return Math("sub", (node, Math("text", (below,)))) if below else node


def indexed(symbol: Math, below: str) -> Math:
    """Return a symbol with an index below it."""
    return Math("sub", (symbol, Math("text", (below,))))


def frac(above: "Math | Number | str", below: "Math | Number | str") -> Math:
    """Return a fraction."""
    return Math("frac", (_node(above), _node(below)))


def power(base: "Math | Number | str", exponent: "Math | Number | str") -> Math:
    """Return a power."""
    return Math("sup", (_node(base), _node(exponent)))


def group(*parts: "Math | Number | str") -> Math:
    """Return parts in brackets."""
    return Math("group", (row(*parts),))


def product(*parts: "Math | Number | str") -> Math:
    """Return parts with a multiplication sign between them."""
    spread: list[Math | Number | str] = []
    for part in parts:
        spread += [" × ", part] if spread else [part]
    return row(*spread)


def _node(part: "Math | Number | str") -> Math:
    if isinstance(part, Math):
        return part
    return Math("num", (part,)) if isinstance(part, Number) else Math("text", (part,))


def spoken(node: Math) -> str:
    """Return a formula as plain text on one line, for readers that cannot show it.

    Examples
    --------
    The length factor of AH703:

    >>> spoken(power(group(frac(var("λ"), "72.6")), var("m")))
    '(λ/72.6)^m'
    """
    parts = node.parts
    match node.kind:
        case "row":
            return "".join(spoken(p) for p in parts)
        case "num":
            return str(parts[0].text)
        case "frac":
            return "/".join(_bracketed(p) for p in parts)
        case "sup":
            return "^".join(_bracketed(p) for p in parts)
        case "sub":
            return "_".join(spoken(p) for p in parts)
        case "group":
            return f"({spoken(parts[0])})"
        case _:
            return str(parts[0])


def _bracketed(node: Math) -> str:
    text = spoken(node)
    simple = node.kind != "row" or len(node.parts) == 1
    return text if simple else f"({text})"


def as_sentence(text: str) -> str:
    """Return a text with a capital at its beginning, unless a field's name or a symbol stands there, which has none.

    Parameters
    ----------
    text
        As findings and rulings give it.
    """
    first = text.partition(" ")[0].rstrip(".,:;")
    is_name = any(c in first for c in "_.[=") or (len(first) == 1 and first != "a")
    return text if is_name else text[:1].upper() + text[1:]


def plain_words(words: Words) -> str:
    """Return words as plain text."""
    return "".join(
        word
        if isinstance(word, str)
        else f" [{word.number}]"
        if isinstance(word, Ref)
        else word.text  # Number, Strong, Muted
        for word in words
    )


def fits_a_page(table: Table) -> bool:
    """Whether a table is so small that it stands on one page with certainty, and need not be divided."""
    rows = [r for g in table.groups for r in g.rows]
    letters = sum(len(plain_words(c)) for r in rows for c in r.cells)
    return len(rows) + len(table.groups) <= _WHOLE_ROWS and letters <= _WHOLE_LETTERS
