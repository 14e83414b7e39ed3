"""Dates as texts: ISO and nothing else, and what is said of the others."""

import datetime
import re

_US_ORDER = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")


def iso_date(text: str) -> datetime.date:
    """Return the date that a text says.

    Parameters
    ----------
    text
        ``YYYY-MM-DD``.

    Raises
    ------
    ValueError
        It is no such date; the message says how to write it, and reads month/day/year for that.

    Examples
    --------
    >>> iso_date("2027-05-31")
    datetime.date(2027, 5, 31)
    """
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        raise ValueError(f"{shown!r} is not a date of the calendar written YYYY-MM-DD; write {_meant(text)}") from None


def _meant(text: str) -> str:
    us = _US_ORDER.fullmatch(text.strip())
    if us is not None:
        month, day, year = (int(part) for part in us.groups())
        try:
            return f"{datetime.date(year, month, day)} if that is month/day/year"
        except ValueError:
            pass
    return "a day that exists, such as 2027-05-31"
