"""Twelve-month windows: the worst 12 consecutive months of discharge per acre.

A window runs from day s to the day before the same date a year later (from Feb 29: to Feb 27; the same date of a year
without it is Feb 28). Every start day is evaluated, so the maximum is exact.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sedcalc.load.ground import Floats, Ints

Days = NDArray[np.datetime64]

_TIE = 1e-12  # starts whose figures differ by rounding only: the earliest is named


@dataclass(frozen=True, slots=True)
class Average:
    """Discharge over the whole project, and its average year.

    Parameters
    ----------
    tons
        Discharge from first disturbance to final stabilization, tons.
    acres
        Acres of all units disturbed at some time.
    tons_per_acre
        Tons per acre and year of 365.25 days; of the project as it is where it is shorter than 12 months (never
        scaled up), and None where no acre counts.
    """

    tons: float
    acres: float
    tons_per_acre: float | None


@dataclass(frozen=True, slots=True)
class Windows:
    """Discharge per acre by start day, for each drainage area and the whole site.

    Parameters
    ----------
    area
        Ids of the drainage areas, then ``None`` for the whole site: k columns.
    start, end
        First and last day of each window, datetime64[D], (s,).
    tons
        Discharge in each window, tons, (s, k).
    acres
        Acres of the distinct units with a day in the window between their first disturbance and their own final
        stabilization, (s, k).
    tons_per_acre
        Their ratio; NaN where no acre counts, (s, k).
    worst
        Row of the largest ratio of each column; -1 where no window has an acre, (k,).
    average
        Project total and average year of each column, (k,).
    whole_project
        True where the project is shorter than 12 months: the one window is the project.
    """

    area: tuple[str | None, ...]
    start: Days
    end: Days
    tons: Floats
    acres: Floats
    tons_per_acre: Floats
    worst: Ints
    average: tuple[Average, ...]
    whole_project: bool


def year_later(days: Days) -> Days:
    """Return the same date a year later; Feb 29 becomes Feb 28.

    Parameters
    ----------
    days
        datetime64[D], any shape.
    """
    month = days.astype("datetime64[M]")
    day_of_month = days - month.astype("datetime64[D]")
    next_month = month + np.timedelta64(12, "M")
    last = (next_month + np.timedelta64(1, "M")).astype("datetime64[D]") - np.timedelta64(1, "D")
    later: Days = np.minimum(next_month.astype("datetime64[D]") + day_of_month, last)
    return later


def window_bounds(first: np.datetime64, last: np.datetime64) -> tuple[Days, Days, bool]:
    """Return starts and ends of all windows inside the project, and whether the project is shorter than 12 months.

    Parameters
    ----------
    first, last
        First disturbance and final stabilization of the site, datetime64[D].
    """
    days = np.arange(first, last - np.timedelta64(363, "D"))  # no window is shorter than 365 days
    ends = year_later(days) - np.timedelta64(1, "D")
    inside = ends <= last
    if not inside.any():
        return np.array([first]), np.array([last]), True
    return days[inside], ends[inside], False


def running_sums(values: Floats) -> Floats:
    """Return running sums along the last axis, from 0 on: one more than values.

    Parameters
    ----------
    values
        Any shape.
    """
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def window_tons(daily_tons: Floats, first: np.datetime64, start: Days, end: Days) -> Floats:
    """Return the sum of daily discharge over windows, tons, (s, k).

    Parameters
    ----------
    daily_tons
        Discharge of each day from ``first`` on, tons, (k, days).
    first
        The first day, datetime64[D].
    start, end
        Bounds of the windows, (s,), inside the days.
    """
    total = running_sums(daily_tons)
    begin = (start - first).astype(np.int64)
    stop = (end - first).astype(np.int64) + 1
    return np.ascontiguousarray((total[:, stop] - total[:, begin]).T)


def window_acres(
    start: Days, end: Days, disturbed: Days, stabilized: Days, acres: Floats, column: Ints, columns: int
) -> Floats:
    """Return the acres that count in each window, (s, columns).

    Parameters
    ----------
    start, end
        Bounds of the windows, (s,).
    disturbed, stabilized
        First disturbance and own final stabilization of each disturbed piece, (n,).
    acres
        Their areas, acres, (n,).
    column
        Their drainage areas, (n,).
    columns
        Number of drainage areas.
    """
    counts = (disturbed[None, :] <= end[:, None]) & (stabilized[None, :] >= start[:, None])
    by_area = np.zeros((len(acres), columns))
    by_area[np.arange(len(acres)), column] = acres
    return np.asarray(counts.astype(np.float64) @ by_area)


def worst_rows(tons_per_acre: Floats) -> Ints:
    """Return the row of the largest figure of each column, the earliest among equals; -1 where all are NaN.

    Parameters
    ----------
    tons_per_acre
        Figures, (s, k), NaN where none.
    """
    top = np.fmax.reduce(tons_per_acre, axis=0)  # passes NaN over
    first = np.argmax(tons_per_acre >= top - _TIE * np.abs(top), axis=0)
    return np.where(np.isnan(top), -1, first)
