"""Course of erosivity over the year, by the distribution of an erosivity-index (EI) zone.

A zone has cumulative percents of the annual EI at the end of 25 dates. `cumulative_ei` and `ei_fraction` take dates in
arrays; the others take single dates or none: they have no raster to work on.
"""

import datetime as dt
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sedcalc.factors._arrays import FloatArray, Floats, broadcast_shape, refuse_masked, shown
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.findings import input_error

EI_DATES: Final = (
    (1, 1), (1, 16), (1, 31), (2, 15), (3, 1), (3, 16), (3, 31), (4, 15), (4, 30),
    (5, 15), (5, 30), (6, 14), (6, 29), (7, 14), (7, 29), (8, 13), (8, 28), (9, 12),
    (9, 27), (10, 12), (10, 27), (11, 11), (11, 26), (12, 11), (12, 31),
)  # fmt: skip
"""Month and day of the 25 cumulative percents of an EI zone; each holds at the end of its day."""

FIRST_YEAR: Final = 1800
"""First year of a period; an earlier one is a slip (226 for 2026)."""

LAST_YEAR: Final = 2300
"""Last year of a period. Site files go from 1900 to 2200, and years around theirs are looked at too."""

Dates: TypeAlias = dt.date | np.datetime64 | NDArray[np.datetime64] | Sequence[dt.date]
"""A date, or an array or sequence of dates."""

Percents: TypeAlias = Sequence[float] | FloatArray
"""The 25 cumulative percents of a zone, at `EI_DATES`."""

_FIRST_DAY: Final = np.datetime64(f"{FIRST_YEAR}-01-01")
_LAST_DAY: Final = np.datetime64(f"{LAST_YEAR}-12-31")
_COMMON_YEAR: Final = 365
_FEB_28: Final = 59
_DAY_OF_YEAR: Final = tuple((dt.date(2001, m, d) - dt.date(2000, 12, 31)).days for m, d in EI_DATES)


class TableDatePeriod(NamedTuple):
    """Share of the annual EI by the dates of the table, and which they are.

    Attributes
    ----------
    fraction : float
        Share of the annual EI, 0 to 1.
    start, end : datetime.date
        Table dates that were used.
    start_pct, end_pct : float
        Cumulative percent at these dates, %.
    """

    fraction: float
    start: dt.date
    end: dt.date
    start_pct: float
    end_pct: float


class EiDifference(NamedTuple):
    """How far one course of EI over the year is from another.

    Attributes
    ----------
    max_pct : float
        Largest difference of the cumulative percents, without its sign, %.
    date : tuple of int
        Month and day at which it is found, a date of `EI_DATES`; the first where there are several.
    differences_pct : ndarray of shape (25,)
        Differences at all `EI_DATES`, %.
    """

    max_pct: float
    date: tuple[int, int]
    differences_pct: FloatArray


def cumulative_ei(dates: Dates, cumulative_pct: Percents) -> Floats:
    """Share of the annual EI from the start of the year through the end of each date.

    Parameters
    ----------
    dates : datetime.date or array of datetime64
        Dates.
    cumulative_pct : sequence of 25 floats
        Cumulative EI of the zone at `EI_DATES`, %, rising from 0 to 100.

    Returns
    -------
    float or ndarray
        Share of the annual EI, 0 to 1.

    Raises
    ------
    InputError
        A date is missing, is no date or is outside 1800 to 2300, or the percents are not 25 rising numbers from 0 to
        100.

    Notes
    -----
    Linear between the dates of the table; 0 through the end of Jan 1, 1 at the end of Dec 31; Feb 29 has
    the value of Feb 28.

    References
    ----------
    .. [1] U.S. EPA (2012). Construction Rainfall Erosivity Waiver, Fact Sheet 3.1, EPA 833-F-00-014, Table 1.

    Examples
    --------
    Zone 84 (Denver) at the end of May 15, as printed in Table 1 (9.9 %), and five days later, by hand
    9.9 + (19.5 - 9.9) / 3 = 13.1 %:

    >>> from datetime import date
    >>> zone_84 = [0, 0, .1, .1, .2, .3, .6, 1.7, 4.9, 9.9, 19.5, 27.2, 38.3, 52.8, 68.8, 83.9, 91.6, 96.4,
    ...            98.2, 99.2, 99.6, 99.8, 99.8, 99.9, 100]
    >>> cumulative_ei([date(2026, 5, 15), date(2026, 5, 20)], zone_84).round(6)
    array([0.099, 0.131])
    """
    curve = _curve(cumulative_pct)
    _, day = _year_and_day(_as_days(dates, "dates"))
    return _out(curve[day])


def ei_fraction(start: Dates, end: Dates, cumulative_pct: Percents) -> Floats:
    """Share of the annual EI between the start of one day and the end of another.

    Parameters
    ----------
    start, end : datetime.date or array of datetime64
        First and last day of the period.
    cumulative_pct : sequence of 25 floats
        Cumulative EI of the zone at `EI_DATES`, %, rising from 0 to 100.

    Returns
    -------
    float or ndarray
        Share of the annual EI, dimensionless; over 1 for more than a year, exactly 1, 2, ... for whole years.

    Raises
    ------
    InputError
        A period ends before it starts, a date is missing, is no date or is outside 1800 to 2300, the shapes do not
        broadcast, or the percents are not 25 rising numbers from 0 to 100.

    Notes
    -----
    The difference of `cumulative_ei` at `end` and at the day before `start`, so that adjoining periods add
    up. A share of 0 (a frozen season in the northern zones) does not mean no erosion: snowmelt and thaw are
    outside the method.

    References
    ----------
    .. [1] Renard, K.G., et al. (1997). USDA Agriculture Handbook 703, chapter 2.

    Examples
    --------
    Zone 111 (Pittsburgh): a whole year by definition, and Aug 29 to Dec 31 from the percents printed in
    Table 1 (100 - 82):

    >>> from datetime import date
    >>> zone_111 = [0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 28, 41, 54, 65, 74, 82, 87, 92, 94, 96, 97, 98, 99, 100]
    >>> ei_fraction(date(2026, 5, 1), date(2027, 4, 30), zone_111)
    1.0
    >>> round(ei_fraction(date(2026, 8, 29), date(2026, 12, 31), zone_111), 6)
    0.18
    """
    curve = _curve(cumulative_pct)
    first, last = _as_days(start, "start"), _as_days(end, "end")
    broadcast_shape(start=first, end=last)
    backward = last < first
    if backward.any():
        a, b = np.broadcast_arrays(first, last)
        i = np.unravel_index(int(np.argmax(backward)), backward.shape)
        count = f" (first of {np.count_nonzero(backward)} such periods)" if backward.ndim else ""
        raise input_error("end-before-start", f"{b[i]} is before the start {a[i]}{count}; swap them", "end")
    years_before, before = _position(first - np.timedelta64(1, "D"), curve)
    years_after, after = _position(last, curve)
    return _out((years_after - years_before) + (after - before))


def ei_fraction_table_dates(start: dt.date, end: dt.date, cumulative_pct: Percents) -> TableDatePeriod:
    """Share of the annual EI between table dates that enclose a period: the rule of EPA's erosivity waiver.

    Parameters
    ----------
    start, end : datetime.date
        First and last day of a period that is enclosed by table dates at most one year apart.
    cumulative_pct : sequence of 25 floats
        Cumulative EI of the zone at `EI_DATES`, %, rising from 0 to 100.

    Returns
    -------
    TableDatePeriod
        Share of the annual EI, the latest table date not after `start`, the earliest not before `end`, and
        the percents printed there.

    Raises
    ------
    InputError
        The period ends before it starts or its table dates are over a year apart; a date is no date or outside 1800
        to 2300; or the percents are not 25 rising numbers from 0 to 100.

    Notes
    -----
    For a single period only: the table dates of adjoining periods overlap, so that their shares add up to
    too much. Use `ei_fraction` for schedules.

    References
    ----------
    .. [1] U.S. EPA (2012). Construction Rainfall Erosivity Waiver, Fact Sheet 3.1, EPA 833-F-00-014.

    Examples
    --------
    The fact sheet's second example, Pittsburgh, zone 111 (published: 65 and 8 %, together 43 %; R 112 gives
    48):

    >>> from datetime import date
    >>> zone_111 = [0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 28, 41, 54, 65, 74, 82, 87, 92, 94, 96, 97, 98, 99, 100]
    >>> period = ei_fraction_table_dates(date(2026, 8, 1), date(2027, 4, 15), zone_111)
    >>> period.fraction, period.start.isoformat(), period.end.isoformat()
    (0.43, '2026-07-29', '2027-04-15')
    >>> round(112 * period.fraction, 2)
    48.16
    """
    _curve(cumulative_pct)
    first_day, last_day = _as_date(start, "start"), _as_date(end, "end")
    if last_day < first_day:
        raise input_error("end-before-start", f"{last_day} is before the start {first_day}; swap them", "end")
    i = max(k for k, month_day in enumerate(EI_DATES) if month_day <= (first_day.month, first_day.day))
    j = min(k for k, month_day in enumerate(EI_DATES) if month_day >= (last_day.month, last_day.day))
    a, b = dt.date(first_day.year, *EI_DATES[i]), dt.date(last_day.year, *EI_DATES[j])
    start_pct, end_pct = float(cumulative_pct[i]), float(cumulative_pct[j])
    percent = 100.0 * (b.year - a.year) + end_pct - start_pct
    if b.year - a.year > 1 or percent > 100.0:
        message = f"the table dates {a} and {b} are over a year apart; use the interpolated share (ei_fraction)"
        raise input_error("over-a-year", message, "end")
    return TableDatePeriod(percent / 100.0, a, b, start_pct, end_pct)


def daily_ei(first: dt.date, last: dt.date, cumulative_pct: Percents) -> FloatArray:
    """Share of the annual EI on every day of a period.

    Parameters
    ----------
    first, last : datetime.date
        First and last day.
    cumulative_pct : sequence of 25 floats
        Cumulative EI of the zone at `EI_DATES`, %, rising from 0 to 100.

    Returns
    -------
    ndarray
        One share of the annual EI per day, 0 on Jan 1 and Feb 29; they sum to `ei_fraction` of the period.

    Raises
    ------
    InputError
        The period ends before it starts, a date is no date or outside 1800 to 2300, or the percents are
        not 25 rising numbers from 0 to 100.

    References
    ----------
    .. [1] U.S. EPA (2012). Fact Sheet 3.1, EPA 833-F-00-014, Table 1.

    Examples
    --------
    Zone 84 (Denver) from May 16 to 20: Table 1 prints 9.9 % at May 15 and 19.5 % at May 30, 0.64 % a day.

    >>> from datetime import date
    >>> zone_84 = [0, 0, .1, .1, .2, .3, .6, 1.7, 4.9, 9.9, 19.5, 27.2, 38.3, 52.8, 68.8, 83.9, 91.6, 96.4,
    ...            98.2, 99.2, 99.6, 99.8, 99.8, 99.9, 100]
    >>> daily_ei(date(2026, 5, 16), date(2026, 5, 20), zone_84).round(6).tolist()
    [0.0064, 0.0064, 0.0064, 0.0064, 0.0064]
    """
    common, leap = _daily(_key(cumulative_pct))
    a, b = _as_date(first, "first"), _as_date(last, "last")
    if b < a:
        raise input_error("end-before-start", f"{b} is before the first day {a}; swap them", "last")
    years = [leap if _is_leap(year) else common for year in range(a.year, b.year + 1)]
    offset = a.toordinal() - dt.date(a.year, 1, 1).toordinal()
    return np.concatenate(years)[offset : offset + b.toordinal() - a.toordinal() + 1]


def monthly_ei(cumulative_pct: Percents) -> FloatArray:
    """Share of the annual EI in each calendar month.

    Parameters
    ----------
    cumulative_pct : sequence of 25 floats
        Cumulative EI of the zone at `EI_DATES`, %, rising from 0 to 100.

    Returns
    -------
    ndarray
        12 shares of the annual EI, January to December; times the annual R, the monthly R. They sum to 1.

    Raises
    ------
    InputError
        The percents are not 25 rising numbers from 0 to 100.

    References
    ----------
    .. [1] U.S. EPA (2012). Fact Sheet 3.1, EPA 833-F-00-014, Table 1.

    Examples
    --------
    Zone 84 (Denver) in April: Table 1 prints 0.6 % at March 31 and 4.9 % at April 30.

    >>> zone_84 = [0, 0, .1, .1, .2, .3, .6, 1.7, 4.9, 9.9, 19.5, 27.2, 38.3, 52.8, 68.8, 83.9, 91.6, 96.4,
    ...            98.2, 99.2, 99.6, 99.8, 99.8, 99.9, 100]
    >>> round(float(monthly_ei(zone_84)[3]), 6)
    0.043
    """
    firsts = np.arange("2001-02", "2002-02", dtype="datetime64[M]").astype("datetime64[D]")
    ends = (firsts.astype(np.int64) - 1).astype("datetime64[D]")
    return np.diff(cumulative_ei(ends, cumulative_pct), prepend=0.0)


def half_monthly_ei(cumulative_pct: Percents) -> FloatArray:
    """Share of the annual EI in the two halves of each calendar month: days 1 to 15, and the rest.

    Parameters
    ----------
    cumulative_pct : sequence of 25 floats
        Cumulative EI of the zone at `EI_DATES`, %, rising from 0 to 100.

    Returns
    -------
    ndarray
        24 shares of the annual EI from January 1-15 to December 16-31. They sum to 1.

    Raises
    ------
    InputError
        The percents are not 25 rising numbers from 0 to 100.

    Notes
    -----
    The 24 steps of the table itself are 15 days long (19 and 20 at the turn of the year) and drift against
    the calendar; their shares are the differences of the printed percents.

    References
    ----------
    .. [1] U.S. EPA (2012). Fact Sheet 3.1, EPA 833-F-00-014, Table 1.

    Examples
    --------
    Zone 84 (Denver) in April: Table 1 prints 0.6 % at March 31, 1.7 % at April 15 and 4.9 % at April 30.

    >>> zone_84 = [0, 0, .1, .1, .2, .3, .6, 1.7, 4.9, 9.9, 19.5, 27.2, 38.3, 52.8, 68.8, 83.9, 91.6, 96.4,
    ...            98.2, 99.2, 99.6, 99.8, 99.8, 99.9, 100]
    >>> half_monthly_ei(zone_84)[6:8].round(6).tolist()
    [0.011, 0.032]
    """
    months = np.arange("2001-01", "2002-01", dtype="datetime64[M]")
    middles = months.astype("datetime64[D]") + np.timedelta64(14, "D")
    firsts = (months + np.timedelta64(1, "M")).astype("datetime64[D]")
    ends = (firsts.astype(np.int64) - 1).astype("datetime64[D]")
    return np.diff(cumulative_ei(np.column_stack([middles, ends]).ravel(), cumulative_pct), prepend=0.0)


def ei_difference(cumulative_pct: Percents, zone_pct: Percents) -> EiDifference:
    """Difference between a course of EI over the year and that of a zone, such as a rain record's and the table's.

    Parameters
    ----------
    cumulative_pct : sequence of 25 floats
        Cumulative EI at `EI_DATES`, %, not falling, to 100 (of a record: the values of its ``ei_percent``).
    zone_pct : sequence of 25 floats
        Cumulative EI of the zone at `EI_DATES`, %, rising from 0 to 100.

    Returns
    -------
    EiDifference
        `cumulative_pct` less `zone_pct` at every date, and where they are farthest apart, %.

    Raises
    ------
    InputError
        One of them is not 25 numbers that rise to 100.

    Notes
    -----
    A difference of d % at a date moves the share of a period that starts or ends there by d % of the annual EI. The
    course of a few years is that of their few largest storms: a large difference is no evidence against the zone.

    References
    ----------
    .. [1] U.S. EPA (2012). Fact Sheet 3.1, EPA 833-F-00-014, Table 1.

    Examples
    --------
    Denver against Pittsburgh, zones 84 and 111: Table 1 prints 83.9 and 74 % at August 13, nowhere farther apart.

    >>> zone_84 = [0, 0, .1, .1, .2, .3, .6, 1.7, 4.9, 9.9, 19.5, 27.2, 38.3, 52.8, 68.8, 83.9, 91.6, 96.4,
    ...            98.2, 99.2, 99.6, 99.8, 99.8, 99.9, 100]
    >>> zone_111 = [0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 28, 41, 54, 65, 74, 82, 87, 92, 94, 96, 97, 98, 99, 100]
    >>> found = ei_difference(zone_84, zone_111)
    >>> round(found.max_pct, 6), found.date
    (9.9, (8, 13))
    """
    _curve(zone_pct)
    course = np.array(_key(cumulative_pct))
    rises = course.shape == (len(EI_DATES),) and course[0] >= 0.0 and bool(np.all(np.diff(course) >= 0.0))
    if not rises or course[-1] != 100.0:
        message = f"must be {len(EI_DATES)} percents that rise to 100 on Dec 31; see EI_DATES"
        raise input_error("ei-distribution", message, "cumulative_pct")
    differences = course - np.array(_key(zone_pct))
    k = int(np.argmax(np.abs(differences)))
    return EiDifference(float(abs(differences[k])), EI_DATES[k], differences)


def _key(cumulative_pct: Percents) -> tuple[float, ...]:
    refuse_masked("cumulative_pct", cumulative_pct, "give all percents of the zone")
    try:
        return tuple(map(float, cumulative_pct))
    except (TypeError, ValueError):
        raise input_error("ei-distribution", "must be 25 numbers", "cumulative_pct") from None


def _curve(cumulative_pct: Percents) -> FloatArray:
    return _cached_curve(_key(cumulative_pct))


@lru_cache(maxsize=256)
def _cached_curve(percents: tuple[float, ...]) -> FloatArray:
    """Return the cumulative share at the end of day 0 (before the year) to 365."""
    where = "cumulative_pct"
    if len(percents) != len(EI_DATES):
        message = f"a zone has {len(EI_DATES)} cumulative percents, not {len(percents)}; see EI_DATES"
        raise input_error("ei-distribution", message, where)
    values = np.array(percents)
    if not (values[0] == 0.0 and values[-1] == 100.0 and np.all(np.diff(values) >= 0.0)):
        message = "the cumulative percents of a zone must rise from 0 on Jan 1 to 100 on Dec 31"
        raise input_error("ei-distribution", message, where)
    curve = np.interp(np.arange(_COMMON_YEAR + 1), _DAY_OF_YEAR, values) / 100.0
    curve.flags.writeable = False
    return cast(FloatArray, curve)


@lru_cache(maxsize=256)
def _daily(percents: tuple[float, ...]) -> tuple[FloatArray, FloatArray]:
    """Return the daily shares of a common and of a leap year."""
    common = np.diff(_cached_curve(percents))
    leap = np.insert(common, _FEB_28, 0.0)
    return common, leap


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _as_days(dates: Any, name: str) -> NDArray[np.datetime64]:
    refuse_masked(name, dates, "leave out the dates that are missing")
    try:
        array = np.asarray(dates)
    except ValueError:  # lists of unequal lengths
        raise input_error("not-a-date", f"must be dates in lists of one length, not {shown(dates)}", name) from None
    if array.dtype.kind == "O" and all(isinstance(d, dt.date) for d in array.flat):
        array = array.astype("datetime64[D]")
    if array.dtype.kind != "M":
        raise input_error("not-a-date", f"must be dates (datetime.date or datetime64), not {shown(dates)}", name)
    days = array.astype("datetime64[D]")
    outside = ~((days >= _FIRST_DAY) & (days <= _LAST_DAY))
    if not outside.any():
        return days
    missing = np.count_nonzero(np.isnat(array))
    if missing:
        raise input_error("not-a-date", f"holds {missing} missing dates (NaT)", name)
    first = str(days[outside].flat[0]) if days.ndim else str(days)
    count = f" (first of {np.count_nonzero(outside)} such dates)" if days.ndim else ""
    message = f"{first}{count} is outside the years {FIRST_YEAR} to {LAST_YEAR}; write the year in full"
    raise input_error("year-out-of-range", message, name)


def _as_date(date: Any, name: str) -> dt.date:
    if type(date) is dt.date and FIRST_YEAR <= date.year <= LAST_YEAR:  # the usual case, far from any array
        return date
    day = _as_days(date, name)
    if day.ndim:
        raise input_error("not-a-date", f"must be a single date, not {day.size} of them", name)
    return cast(dt.date, day.item())


def _year_and_day(days: NDArray[np.datetime64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the year, and the day of a common year, 1 to 365; Feb 29 counts as Feb 28."""
    year = days.astype("datetime64[Y]")
    day = (days - year.astype("datetime64[D]")).astype(np.int64) + 1
    number = year.astype(np.int64) + 1970
    leap = (number % 4 == 0) & ((number % 100 != 0) | (number % 400 == 0))
    return number, day - (leap & (day > _FEB_28))


def _position(days: NDArray[np.datetime64], curve: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Return whole years and the share of the next at the end of each day.

    The end of Dec 31 is written as the start of the next year, so that differences need no rounding.
    """
    year, day = _year_and_day(days)
    turn = day == _COMMON_YEAR
    return year + turn, np.where(turn, 0.0, curve[day])
