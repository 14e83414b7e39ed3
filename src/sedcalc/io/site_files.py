"""Site files: TOML, JSON and Excel workbooks to a `Site`, with every mistake at once."""

import json
import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sedcalc.findings import Finding, InputError, by_severity, input_error
from sedcalc.limits import most, refuse_over
from sedcalc.site.checks import check_site
from sedcalc.site.parsing import parse_site
from sedcalc.site.submission import Site

if TYPE_CHECKING:
    from sedcalc.io.site_workbook import WorkbookSite

# A key of many parts, `a.a.a...`: the TOML parser takes time and memory by the square of their number.
_LONG_KEY = r"(?<![\w-])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){%d}"


def read_site(
    path: str | Path,
    *,
    ordinance: str | None = None,
    county: str | None = None,
    before_files: Callable[[], object] | None = None,
) -> Site:
    """Read a site file.

    Parameters
    ----------
    path
        A ``.toml`` or ``.json`` file (``sedcalc.site/1``; `sedcalc schema` prints its JSON Schema), or a workbook
        (``.xlsx``): one of a site, as `sedcalc new site.xlsx` writes it, or one with a reviewer's table
        (`sedcalc.io.review_table`).
    ordinance, county
        What is taken where the file names none; a file that names another is a mistake.
    before_files
        Called before the rasters and polygons of a gridded site with mistakes are opened, to find the mistakes in
        them too; the command line moves to a process of its own first.

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
    if not data.strip():
        raise input_error("empty-file", "the file is empty; `sedcalc new` writes one to begin with", str(path))
    supplied = {k: v for k, v in (("ordinance", ordinance), ("county", county)) if v is not None}
    workbook = _workbook(path, data, supplied) if path.suffix.lower() == ".xlsx" else None
    content = _parse(path, data) if workbook is None else workbook.data
    said = supply(content, supplied)
    site, found = parse_site(content)
    if site is not None:
        site = site.located_at(path) if found else site.read_from(path, data)
        checks = check_site(site, found)
        site = site if found else site.with_checks(checks)
        found = found + checks
        if site.grid is not None and any(f.severity == "error" for f in found):
            found += _file_mistakes(site, found, before_files)
    read = said
    if workbook is not None:
        read = [*workbook.findings, *said]
        refused = any(f.severity == "error" for f in workbook.findings)
        # where no site was read from the sheets, its fields need not be reported as missing
        found = [] if refused and not workbook.data else workbook.located(found)
    found = [*read, *found]
    if site is None or any(f.severity == "error" for f in found):
        # what is said for the record of a result waits for one
        raise InputError(by_severity([*read, *(f for f in found if f.severity == "error")]))
    return site.with_reading(read) if read else site


def _file_mistakes(site: Site, found: list[Finding], before: Callable[[], object] | None) -> list[Finding]:
    from sedcalc.io.file_checks import file_mistakes
    from sedcalc.site.follow_ups import without_follow_ups

    if before is not None:
        before()
    return without_follow_ups(file_mistakes(site), found)


def refuse_link_out(path: Path) -> None:
    """Refuse a submission that is a symbolic link out of the folder it lies in: what it shows may be another's.

    Parameters
    ----------
    path
        The submission.

    Raises
    ------
    InputError
        If it is such a link. Where it leads is not said.
    """
    try:
        leads_out = path.is_symlink() and not path.resolve().is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError):  # a link to itself
        leads_out = True
    if leads_out:
        message = "this is a symbolic link that leads out of its folder; put the file itself there"
        raise input_error("link-out", message, str(path))


def keep_inputs(folder: Path, names: Iterable[str], outputs: Iterable[Path]) -> None:
    """Refuse to write over a file that a site was read from.

    Parameters
    ----------
    folder, names
        Folder of the site file, and names of the site file and of those that it names.
    outputs
        Files that are to be written.

    Raises
    ------
    InputError
        With each file to write that is one of them, under whatever name.
    """
    read = [path for path in (folder / name for name in names) if os.path.isfile(path)]
    wrong = [out for out in outputs if os.path.isfile(out) and any(out.samefile(path) for path in read)]
    if wrong:
        said = "is an input of this site, and it was not touched; name another place for the results"
        raise InputError(Finding("out-is-input", "error", said, str(out)) for out in wrong)


def supply(content: Any, supplied: Mapping[str, str]) -> list[Finding]:
    """Add what a reviewer supplies to the content of a site file that does not say it; return notes and mistakes.

    Parameters
    ----------
    content
        Content of a site file; changed.
    supplied
        ``ordinance`` and ``county``.
    """
    found: list[Finding] = []
    if not isinstance(content, dict) or not content:
        return found
    for name, value in supplied.items():
        part = content if name == "ordinance" else content.setdefault("location", {})
        where = name if name == "ordinance" else f"location.{name}"
        if not isinstance(part, dict):
            continue
        if name not in part:
            part[name] = value
            found.append(
                Finding("supplied", "warning", f"{name} {value!r} is the reviewer's: the file names none", where)
            )
        elif part[name] != value:
            message = f"the file names {str(part[name])[:60]!r}, --{name} says {value!r}; leave the option out"
            found.append(Finding("supplied-differs", "error", message, where))
    return found


def _workbook(path: Path, data: bytes, supplied: Mapping[str, str]) -> "WorkbookSite":
    from sedcalc.io.review_table import site_of_table
    from sedcalc.io.site_workbook import is_site_workbook, site_of_sheets
    from sedcalc.io.workbook import read_sheets

    sheets = read_sheets(data, path.name)
    return site_of_sheets(sheets) if is_site_workbook(sheets) else site_of_table(sheets, path.stem, supplied)


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
        if not os.path.exists(path):
            raise input_error("no-such-file", "there is no such file; check the path", where)
        state = os.stat(path)
        if not stat.S_ISREG(state.st_mode):
            raise input_error("not-a-file", "this is a folder or a device; name the file itself", where)
        size = state.st_size
        refuse_over(limit, size, where, what="the file", code="file-too-large")
        with path.open("rb") as file:
            data = file.read(size + 1)
            if len(data) > size:  # the size that a file states need not be the one it has
                data += file.read(most(limit) - size)
                refuse_over(limit, len(data), where, what="the file", code="file-too-large")
    except OSError as error:
        raise input_error(
            "unreadable-file", f"cannot be read ({error.strerror or error}); check the path and its permissions", where
        ) from error
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
    if re.search(_LONG_KEY % deepest, text):
        raise _too_deep(deepest, where)
    try:
        parsed = tomllib.loads(text)
    except RecursionError:
        raise _too_deep(deepest, where) from None
    except ValueError as error:  # a number of 5,000 digits among them
        raise input_error(
            "not-parsed",
            f"not valid TOML: {error}; correct that place (a text stands in quotes, a date is 2027-05-31)",
            where,
        ) from None
    if depth(parsed, deepest) > deepest:
        raise _too_deep(deepest, where)
    return parsed


def _parse(path: Path, data: bytes) -> Any:
    kind = path.suffix.lower()
    if kind not in (".toml", ".json"):
        raise input_error(
            "unknown-format", f"{kind or 'no'} ending; name a site file in .toml, .json or .xlsx", str(path)
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise input_error("not-utf-8", f"not UTF-8 text (byte {error.start}); save it as UTF-8", str(path)) from error
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
    try:
        parsed = json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise _too_deep(deepest, where) from None
    except ValueError as error:
        raise input_error("not-parsed", f"not valid JSON: {error}; correct that place", where) from None
    if depth(parsed, deepest) > deepest:
        raise _too_deep(deepest, where)
    return parsed


def _too_deep(deepest: int, where: str) -> InputError:
    message = f"nested too deeply: over {deepest} levels; put the tables at the top, as `sedcalc new` writes them"
    return input_error("too-deep", message, where)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a JSON object that has one key twice; which of the two counts is not for us to choose."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(k for k, _ in pairs)
        twice = next(k for k, n in counts.items() if n > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object: remove one")
    return found


def depth(value: Any, most: int) -> int:
    """Return how deep lists and tables are nested, looking no deeper than one level beyond `most`.

    Parameters
    ----------
    value
        What a parser returned.
    most
        Levels that matter.
    """
    level, inner = 1, [value]
    while level <= most:
        nested = [v for v in inner if isinstance(v, (dict, list))]
        inner = [w for v in nested for w in (v.values() if isinstance(v, dict) else v)]
        if not inner:
            break
        level += 1
    return level
