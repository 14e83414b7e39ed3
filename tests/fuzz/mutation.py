"""Damaged files from sound ones: bytes and structure, the same from the same seed."""

import json
import random
import struct
from typing import Any

_NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
TEXTS = (
    "",
    " ",
    "\x00",
    "\x1b[31m",
    "\u202e",
    "=1+1",
    "[red]x[/]",
    "$\\frac{",
    "<script>",
    "é" * 300,
    "9" * 400,
    "-",
    ".",
    "..",
    "../../../etc/passwd",
    "/dev/zero",
    "/vsicurl/http://127.0.0.1:9/x",
    "nan",
    "inf",
    "1e400",
    "2027-02-30",
    "0001-01-01",
    "9999-12-31",
    "2027-06-01",
    "T",
    "%s%n",
    "{0}",
    "a.b.c",
    "true",
)
_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    10**30,
    -(10**30),
    1e-320,
    1e308,
    -1e308,
    0.5,
    1e-9,
    [],
    {},
    [[]],
    [None],
    {"a": None},
    {"type": "name", "properties": {"name": "EPSG:4326"}},
)


def bytes_changed(data: bytes, dice: random.Random) -> bytes:
    """Return data with one to eight changes: bits, bytes, numbers, pieces cut, doubled, moved or put in."""
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 5, 8))):
        if not changed:
            return bytes(changed)
        at = dice.randrange(len(changed))
        length = min(dice.choice((1, 2, 4, 8, 16, 64, 256)), len(changed) - at)
        match dice.randrange(9):
            case 0:
                changed[at] ^= 1 << dice.randrange(8)
            case 1:
                changed[at] = dice.randrange(256)
            case 2:
                del changed[at : at + length]
            case 3:
                changed[at:at] = changed[at : at + length]
            case 4:
                del changed[at:]
            case 5:
                number = dice.choice(_NUMBERS)
                packed = (
                    struct.pack(dice.choice(("<I", ">I")), number) if number > 0xFFFF else struct.pack("<H", number)
                )
                changed[at : at + len(packed)] = packed
            case 6:
                changed[at:at] = dice.choice(TEXTS).encode()
            case 7:
                changed[at : at + length] = bytes(dice.randrange(256) for _ in range(length))
            case 8:
                piece = bytes(changed[at : at + length])
                del changed[at : at + length]
                to = dice.randrange(len(changed) + 1)
                changed[to:to] = piece
    return bytes(changed)


def lines_changed(data: bytes, dice: random.Random) -> bytes:
    """Return a text with one to four changes to its lines and cells."""
    lines = data.split(b"\n")
    for _ in range(dice.choice((1, 1, 2, 4))):
        at = dice.randrange(len(lines))
        match dice.randrange(5):
            case 0:
                del lines[at]
                lines = lines or [b""]
            case 1:
                lines[at:at] = [lines[at]] * dice.choice((1, 2, 50))
            case 2:
                to = dice.randrange(len(lines))
                lines[at], lines[to] = lines[to], lines[at]
            case _:
                separator = dice.choice((b",", b";", b" ", b"=", b"."))
                cells = lines[at].split(separator)
                cells[dice.randrange(len(cells))] = dice.choice(TEXTS).encode()
                lines[at] = separator.join(cells)
    return b"\n".join(lines)


def tree_changed(value: Any, dice: random.Random) -> Any:
    """Return plain data with one to four nodes replaced, removed, doubled, renamed or exchanged."""
    root = {"": json.loads(json.dumps(value))}
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        places = list(_places(root))
        holder, key = dice.choice(places)
        match dice.randrange(6):
            case 0:
                holder[key] = dice.choice(_VALUES)
            case 1:
                holder[key] = dice.choice(TEXTS)
            case 2:
                if holder is not root:
                    del holder[key]
            case 3:
                if isinstance(holder, list):
                    holder.insert(key, json.loads(json.dumps(holder[key])))
                elif holder is not root:
                    holder[dice.choice(TEXTS) or "x"] = holder.pop(key)
            case 4:
                other, its = dice.choice(places)
                if other is not root and _has(other, its):
                    holder[key] = json.loads(json.dumps(other[its]))
            case 5:
                if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
                    holder[key] = holder[key] * dice.choice((-1, 0, 1e-6, 0.5, 1.001, 2, 10, 1e6))
    return root[""]


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else isinstance(holder, list) and key < len(holder)


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _places(inner)


def toml_text(data: dict[str, Any]) -> str:
    """Return plain data as TOML, all tables inline; None is left out."""
    return "".join(f"{_key(k)} = {_toml(v)}\n" for k, v in data.items() if v is not None)


def _key(key: str) -> str:
    return json.dumps(key, ensure_ascii=True).replace("\\u007f", "\\u007F")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(v) for v in value if v is not None) + "]"
    return json.dumps(value)
