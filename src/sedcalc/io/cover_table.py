"""C by land-cover code, from a CSV table."""

import csv
import io
import math
from typing import Final

from sedcalc.factors.cover import C_UPPER_LIMIT
from sedcalc.findings import Finding, InputError, input_error
from sedcalc.limits import refuse_over

_MOST_DIGITS: Final = 15  # of a code: a raster's number holds no more exactly
_COLUMNS: Final = ("code", "cover", "C", "source")


def parse_cover_table(data: bytes, where: str) -> dict[int, tuple[float, str]]:
    """Return C and its source by land-cover code.

    Parameters
    ----------
    data
        A CSV file with the columns code, cover, C and source.
    where
        Path of the table in the site file.

    Raises
    ------
    InputError
        With every mistake: a column that is missing, a code that is no whole number or stands twice, C out of 0 to
        1.5, no source.
    """
    try:
        lines = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise input_error(
            "not-a-table", f"the table is not UTF-8 text with commas ({error}); save it as CSV UTF-8", where
        ) from None
    columns = list(lines[0]) if lines else []
    lacking = [c for c in _COLUMNS if c not in columns]
    if lacking:
        raise input_error(
            "missing-column",
            f"the table has no column {', '.join(lacking)}; give it the header {','.join(_COLUMNS)} and rows",
            where,
        )
    refuse_over("cover_table_rows", len(lines), where, what="the table")
    found: dict[int, tuple[float, str]] = {}
    mistakes = []

    def wrong(code: str, line: int, message: str) -> None:
        mistakes.append(Finding(code, "error", f"row {line}: {message}", where))

    for number, line in enumerate(lines, start=2):
        text = {c: (line[c] or "").strip() for c in _COLUMNS}
        if not text["code"].isascii() or not text["code"].isdigit() or len(text["code"]) > _MOST_DIGITS:
            wrong(
                "bad-land-cover-code",
                number,
                f"code {text['code'][:40]!r} is not a whole number; write the raster's code",
            )
            continue
        code = int(text["code"])
        try:
            c = float(text["C"])
        except ValueError:
            c = math.nan
        if not 0.0 <= c <= C_UPPER_LIMIT:
            message = f"C = {text['C']!r} of code {code} is no number from 0 to {C_UPPER_LIMIT}; correct it"
            wrong("C-out-of-range", number, message)
        if not text["source"]:
            wrong("missing-source", number, f"C of code {code} is given without a source; add where it comes from")
        if code in found:
            wrong("duplicate-code", number, f"code {code} stands in an earlier row already; keep one of them")
        found.setdefault(code, (c, text["source"]))
    if mistakes:
        raise InputError(mistakes)
    return found
