"""What if: a site with one thing changed, checked like a site that was read.

Each function returns a new site; the old one stays as it is.
"""

import datetime
import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sedcalc.findings import InputError, input_error
from sedcalc.site.checks import check_site
from sedcalc.site.dates import iso_date
from sedcalc.site.parsing import parse_site
from sedcalc.site.submission import Site

_CREDITS: Final = ("efficiency", "catalogue", "size_rule", "settling", "class_efficiencies")
_FOR_CREDIT: Final = ("source", "surface_area", "texture_group", "peak_outflow", "settling_velocity", "design_storm")
_DAY: Final = datetime.timedelta(days=1)
Day = datetime.date | str


def with_practice(site: Site, id: str, fields: Mapping[str, Any], before: str | None, after: str | None) -> Site:
    """Return a site with a practice added, or changed where it has one of this id.

    Parameters
    ----------
    site
        A site.
    id
        Id of the practice.
    fields
        Fields of the practice, as in a site file; see `sedcalc.Site.with_practice`.
    before, after
        Id of the practice that it stands above or below; None: where its fields say.

    Raises
    ------
    InputError
        The site that comes of it has a mistake; all are listed.
    """
    data = _plain(site)
    practices = data.setdefault("practices", [])
    for other in (before, after):
        if other is not None:
            _named(practices, other, "practice")
    own = next((p for p in practices if p["id"] == id), None)
    if own is None:
        bounds = [d for phase in site.phases for d in (phase.start, phase.end)]
        bounds += [u.stabilized for u in site.ground_units if u.stabilized is not None]
        own = {"id": id, "start": min(bounds) - _DAY, "end": max(bounds)}
        practices.append(own)
    if any(fields.get(name) is not None and name not in own for name in _CREDITS):
        for name in (*_CREDITS, *_FOR_CREDIT):  # another way of giving credit takes the place of the one there was
            own.pop(name, None)
    own.update((name, _day(value) if name in ("start", "end") else value) for name, value in fields.items())
    if before is not None:
        below = _named(practices, before, "practice")
        own["drains_to"] = before
        own["drainage_areas"] = below.pop("drainage_areas", [])
        for other in practices:
            if other is not own and other.get("drains_to") == before:
                other["drains_to"] = id
    if after is not None:
        above = _named(practices, after, "practice")
        if before is None and above.get("drains_to") not in (None, id):
            own["drains_to"] = above["drains_to"]
        above["drains_to"] = id
    return _built(site, data)


def without_practice(site: Site, id: str) -> Site:
    """Return a site without one of its practices; what drained to it goes on to the next, or to the outfall.

    Parameters
    ----------
    site
        A site.
    id
        Id of the practice.

    Raises
    ------
    InputError
        The site has no such practice.
    """
    data = _plain(site)
    practices = data.get("practices", [])
    own = _named(practices, id, "practice")
    below = own.get("drains_to")
    after = next((p for p in practices if p["id"] == below), None)
    if after is not None and own.get("drainage_areas"):
        after["drainage_areas"] = [*after.get("drainage_areas", ()), *own["drainage_areas"]]
    for other in practices:
        if other.get("drains_to") == id:
            other["drains_to"] = below
    data["practices"] = [p for p in practices if p["id"] != id]
    return _built(site, data)


def with_dates(
    site: Site, id: str | None, start: Day | None, end: Day | None, stabilized: Day | None, shift_days: int
) -> Site:
    """Return a site with other dates of a phase, a practice or a ground unit, or with all its dates shifted.

    Parameters
    ----------
    site
        A site.
    id
        Id of a phase, a practice or a ground unit; None for the whole schedule.
    start, end
        First and last day of a phase or practice, dates.
    stabilized
        Day of final stabilization of a ground unit, a date.
    shift_days
        Days to shift by, later where positive.

    Raises
    ------
    InputError
        No or several things have this id; it has no such date; the site that comes of it has a mistake.
    """
    data = _plain(site)
    given = {"start": start, "end": end, "stabilized": stabilized}
    dates = {name: _day(value) for name, value in given.items() if value is not None}
    if id is None:
        if dates or not shift_days:
            raise input_error(
                "no-id", "name the phase, practice or ground unit whose dates these are, or give shift_days"
            )
        for part in ("phases", "practices", "ground_units", "windows"):
            for item in data.get(part, ()):
                _shift(item, shift_days)
        return _built(site, data)
    if not dates and not shift_days:
        raise input_error("no-dates", f"give start, end, stabilized or shift_days for {id!r}")
    own, allowed = _dated(data, id, dates)
    wrong = [name for name in dates if name not in allowed]
    if wrong:
        raise input_error(
            "no-such-date", f"{id!r} has no {wrong[0]!r}; give what it has: {' and '.join(allowed)}", wrong[0]
        )
    if shift_days:
        _shift(own, shift_days)
    own.update(dates)
    return _built(site, data)


def with_cover(site: Site, phase: str, cover: Any) -> Site:
    """Return a site with another cover in a phase.

    Parameters
    ----------
    site
        A site.
    phase
        Id of the phase.
    cover
        Name of a cover, or its fields as in a site file.

    Raises
    ------
    InputError
        There is no such phase or cover.
    """
    data = _plain(site)
    _named(data["phases"], phase, "phase")["cover"] = cover
    return _built(site, data)


def _plain(site: Site) -> dict[str, Any]:
    """Return what the site file says, as plain data that can be changed."""
    data = site.model_dump(exclude_unset=True)
    plain: dict[str, Any] = _lists(data)
    return plain


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _lists(v) for k, v in value.items()}
    return [_lists(v) for v in value] if isinstance(value, list | tuple) else value


def _built(site: Site, data: dict[str, Any]) -> Site:
    """Return the site of plain data in the folder of another; raise with every mistake."""
    built, found = parse_site(data)
    if built is not None and not found:
        found = [f for f in check_site(built) if f.severity == "error"]
    if built is None or found:
        raise InputError(found)
    return built.beside(site)


def _named(items: Iterable[dict[str, Any]], id: str, what: str) -> dict[str, Any]:
    known = {str(item["id"]): item for item in items}
    if id in known:
        return known[id]
    near = difflib.get_close_matches(id, known, n=3)
    listed = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {', '.join(map(repr, known))}"
    raise input_error(f"unknown-{what}", f"no {what} has the id {id!r}; {listed if known else 'there are none'}")


def _dated(data: dict[str, Any], id: str, dates: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the part of the site that an id names, and the dates it has."""
    ends = ("start", "end")
    parts = {"phases": ends, "practices": ends, "ground_units": ("stabilized",)}
    found = [(item, names) for part, names in parts.items() for item in data.get(part, ()) if item["id"] == id]
    fitting = [(item, names) for item, names in found if set(dates) <= set(names)] or found
    if len(fitting) > 1:
        raise input_error(
            "ambiguous-id", f"{id!r} names a phase, a practice or a ground unit alike; rename one of them"
        )
    if fitting:
        return fitting[0]
    items = [item for part in parts for item in data.get(part, ())]
    return _named(items, id, "phase, practice or ground unit"), ()


def _shift(item: dict[str, Any], days: int) -> None:
    """Shift every date in a part of the site, those of its covers too."""
    for name, value in item.items():
        if isinstance(value, datetime.date):
            item[name] = _shifted(value, days)
        elif isinstance(value, dict):
            _shift(value, days)


def _shifted(day: datetime.date, days: Any) -> datetime.date:
    if not isinstance(days, int) or isinstance(days, bool):
        raise input_error("days-not-whole", f"{days!r} is no whole number of days; give one to shift by", "shift_days")
    try:
        return day + datetime.timedelta(days=days)
    except OverflowError:
        message = f"{day} shifted by {days:,} days leaves the calendar, years 1 to 9999; give fewer days"
        raise input_error("shift-beyond-calendar", message, "shift_days") from None


def _day(value: Any) -> Any:
    """Return a date given as text as a date; anything else as it is, for the models to judge."""
    if not isinstance(value, str):
        return value
    try:
        return iso_date(value)
    except ValueError as error:
        raise input_error("bad-date", str(error)) from None
