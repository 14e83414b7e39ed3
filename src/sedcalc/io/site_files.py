"""Site files: TOML, JSON and Excel workbooks to a `Site`, with every mistake at once."""

import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sedcalc.findings import InputError, by_severity, input_error
from sedcalc.limits import most, refuse_over
from sedcalc.site.checks import check_site
from sedcalc.site.parsing import parse_site
from sedcalc.site.submission import Site

if TYPE_CHECKING:
    from sedcalc.io.site_workbook import WorkbookSite

# A key of many parts, `a.a.a...`: the TOML parser takes time and memory by the square of their number.
_LONG_KEY = r"(?<![\w-])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){%d}"


def read_site(path: str | Path) -> Site:
    """Read a site file.

    Parameters
    ----------
    path
        A ``.toml`` or ``.json`` file (``sedcalc.site/1``; `sedcalc schema` prints its JSON Schema), or a workbook
        (``.xlsx``): one of a site, as `sedcalc new site.xlsx` writes it, or one with a reviewer's table
        (`sedcalc.io.review_table`).

    Returns
    -------
    Site
        The site; it has passed all checks that need no other file.

    Raises
    ------
    InputError
        With every mistake in the file: what, where (in a workbook: the cell), and the remedy.
    EnvironmentFault
        If it is a workbook and the extra ``xlsx`` is not installed.

    Examples
    --------
    >>> import sedcalc
    >>> site = sedcalc.read_site(sedcalc.example("hales_corners_subdivision.toml"))
    >>> site.location.county
    'Milwaukee, WI'
    """
    path = Path(path)
    data = read_bytes(path)
    workbook = _workbook(path, data) if path.suffix.lower() == ".xlsx" else None
    site, found = parse_site(_parse(path, data) if workbook is None else workbook.data)
    if site is not None:
        found = found + check_site(site.read_from(path, data) if not found else site)
    if workbook is not None:
        found = [*workbook.findings, *workbook.located(found)]
    if site is None or any(f.severity == "error" for f in found):
        raise InputError(by_severity(found))
    return site if workbook is None else site.with_reading(workbook.findings)


def _workbook(path: Path, data: bytes) -> "WorkbookSite":
    from sedcalc.io.review_table import site_of_table
    from sedcalc.io.site_workbook import is_site_workbook, site_of_sheets
    from sedcalc.io.workbook import read_sheets

    sheets = read_sheets(data, path.name)
    return site_of_sheets(sheets) if is_site_workbook(sheets) else site_of_table(sheets, path.stem)


def read_bytes(path: Path, limit: str = "site_bytes") -> bytes:
    """Return the bytes of a regular file.

    Parameters
    ----------
    path
        The file.
    limit
        Name of the limit on its size, one of `sedcalc.limits.LIMITS`.

    Raises
    ------
    InputError
        If there is no such file, it is no regular file, it cannot be read or it is larger.
    """
    where = str(path)
    try:
        if not path.exists():
            raise input_error("no-such-file", "there is no such file", where)
        if not path.is_file():
            raise input_error("not-a-file", "this is a folder or a device, not a file", where)
        size = path.stat().st_size
        refuse_over(limit, size, where, what="the file", code="file-too-large")
        with path.open("rb") as file:
            data = file.read(most(limit) + 1)  # the size that a file states need not be the one it has
    except OSError as error:
        raise input_error("unreadable-file", f"cannot be read: {error.strerror or error}", where) from error
    refuse_over(limit, len(data), where, what="the file", code="file-too-large")
    return data


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the content of a TOML file of at most `site_depth` levels.

    Parameters
    ----------
    text
        The file.
    where
        Its name, for messages.

    Raises
    ------
    InputError
        If it is not TOML, or nested too deeply.
    """
    deepest = most("site_depth")
    too_deep = input_error("too-deep", f"nested too deeply: over {deepest} levels", where)
    if re.search(_LONG_KEY % deepest, text):
        raise too_deep
    try:
        parsed = tomllib.loads(text)
    except RecursionError:
        raise too_deep from None
    except ValueError as error:  # a number of 5,000 digits among them
        raise input_error("not-parsed", f"not valid TOML: {error}", where) from None
    if depth(parsed, deepest) > deepest:
        raise too_deep
    return parsed


def _parse(path: Path, data: bytes) -> Any:
    kind = path.suffix.lower()
    if kind not in (".toml", ".json"):
        raise input_error("unknown-format", f"{kind or 'no'} ending; a site file is .toml, .json or .xlsx", str(path))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise input_error("not-utf-8", f"not UTF-8 text (byte {error.start})", str(path)) from error
    parse = parse_toml if kind == ".toml" else parse_json
    return parse(text, str(path))


def parse_json(text: str, where: str) -> Any:
    """Return the content of a JSON file of at most `site_depth` levels.

    Parameters
    ----------
    text
        The file.
    where
        Its name, for messages.

    Raises
    ------
    InputError
        If it is not JSON, an object has a key twice, or it is nested too deeply.
    """
    deepest = most("site_depth")
    too_deep = input_error("too-deep", f"nested too deeply: over {deepest} levels", where)
    try:
        parsed = json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise too_deep from None
    except ValueError as error:
        raise input_error("not-parsed", f"not valid JSON: {error}", where) from None
    if depth(parsed, deepest) > deepest:
        raise too_deep
    return parsed


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a JSON object that has one key twice; which of the two counts is not for us to choose."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(k for k, _ in pairs)
        twice = next(k for k, n in counts.items() if n > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def depth(value: Any, most: int, level: int = 1) -> int:
    """Return how deep lists and tables are nested, looking no deeper than one level beyond `most`.

    Parameters
    ----------
    value
        What a parser returned.
    most
        Levels that matter.
    level
        Level of `value`.
    """
    if level > most or not isinstance(value, dict | list):
        return level
    inner = value.values() if isinstance(value, dict) else value
    return max((depth(v, most, level + 1) for v in inner), default=level)
