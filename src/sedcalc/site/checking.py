"""What the checks of a site share: the parts that parsed, their ids, and what is said of ids and dates."""

import difflib
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sedcalc.findings import Finding, InputError
from sedcalc.site.submission import Site

_MOST_HINTS = 20  # references to a list for which the nearest id is searched; it takes its time


def items(parts: Sequence[Any] | None) -> Iterable[tuple[int, Any]]:
    """Return number and part of a list of the site, without those that did not parse.

    Parameters
    ----------
    parts
        The list; None where it did not parse.
    """
    return [(i, part) for i, part in enumerate(parts or ()) if part is not None]


def collect(call: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """Return the findings that a call returns or raises.

    Parameters
    ----------
    call
        What is called.
    """
    try:
        return list(call())
    except InputError as error:
        return list(error.findings)


def duplicates(what: str, parts: Sequence[Any]) -> list[Finding]:
    """Return a mistake for each id that stands in a list already.

    Parameters
    ----------
    what
        Name of the list.
    parts
        Its parts.
    """
    seen: dict[str, int] = {}
    found = []
    for i, part in items(parts):
        if part.id is None:
            continue
        if part.id in seen:
            found.append(
                Finding(
                    "duplicate-id",
                    "error",
                    f"id {part.id!r} stands in {what}[{seen[part.id]}] already; give each its own",
                    f"{what}[{i}].id",
                )
            )
        seen.setdefault(part.id, i)
    return found


def end_before_start(start: object, end: object, where: str) -> Finding:
    """Return the mistake of an end before its start.

    Parameters
    ----------
    start, end
        The dates.
    where
        Path of the end.
    """
    message = f"the end {end} lies before the start {start}; correct one of them (dates are YYYY-MM-DD)"
    return Finding("end-before-start", "error", message, where)


class Ids:
    """Ids of the parts of a site, and what is said of those that do not exist."""

    def __init__(self, site: Site) -> None:
        lists = {
            "soil": site.soils,
            "drainage area": site.drainage_areas,
            "ground unit": site.ground_units,
            "phase": site.phases,
            "practice": site.practices,
        }
        self._known = {what: dict.fromkeys(p.id for _, p in items(parts) if p.id) for what, parts in lists.items()}
        self._feeds = {p.drains_to for _, p in items(site.practices)}
        self._hints = dict.fromkeys(lists, _MOST_HINTS)

    def of(self, what: str) -> list[str]:
        """Return the ids of a kind of part."""
        return list(self._known[what])

    def is_fed(self, practice: str | None) -> bool:
        """Whether another practice drains to this one."""
        return practice in self._feeds

    def unknown(self, name: str | None, what: str, where: str) -> list[Finding]:
        """Return a mistake where no part has the id."""
        known = self._known[what]
        if name is None or name in known:
            return []
        near: list[str] = []
        if self._hints[what] > 0:
            self._hints[what] -= 1
            near = difflib.get_close_matches(name, known, n=3)
        near = near or list(itertools.islice(known, 8))
        there = f"there are {', '.join(map(repr, near))}" if near else "the file has none"
        message = f"no {what} has the id {name!r}; {there}: correct the id, or add the {what}"
        return [Finding(f"unknown-{what.replace(' ', '-')}", "error", message, where)]
