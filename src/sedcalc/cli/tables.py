"""Ids and names in the tables that commands print."""

from sedcalc.findings import shortened
from sedcalc.report.text import plain


def shown_name(name: object) -> str:
    """Return an id on one line without control characters; the middle of a long one is left out.

    Parameters
    ----------
    name
        Anything; its ``str`` is used.
    """
    return shortened(plain(name))
