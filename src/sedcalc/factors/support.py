"""Support-practice factor P: the product of independent practices, and P of a practice by slope class."""

import numpy as np

from sedcalc.factors._arrays import (
    Floats,
    broadcast_shape,
    check_range,
    float_arrays,
    float_arrays_any_shape,
    outside_error,
)
from sedcalc.factors._arrays import scalar_or_array as _out
from sedcalc.findings import input_error

P_UPPER_LIMIT = 1.3
"""Largest published P, of a compacted smooth surface (Goldman et al. 1986)."""


def combined_p(subfactors: Floats) -> Floats:
    """Factor P of support practices that act independently: the product of their own.

    Parameters
    ----------
    subfactors : ndarray of shape (..., n)
        P of each of the n practices and of the surface condition, dimensionless, above 0 to `P_UPPER_LIMIT`;
        with n = 0 P is 1.

    Returns
    -------
    float or ndarray of shape (...)
        P, dimensionless.

    Raises
    ------
    InputError
        A subfactor is out of range.

    Notes
    -----
    Only practices on the slope that reduce soil loss there belong to P. What traps sediment (fence, trap,
    basin) is credited by its trapping efficiency, and counting it here too would credit it twice.

    References
    ----------
    Renard et al. (1997), Agriculture Handbook 703, chapter 6 (product of the P subfactors).

    Examples
    --------
    By hand: contouring 0.6 on a track-walked slope of 0.9.

    >>> round(combined_p([0.6, 0.9]), 12)
    0.54
    """
    (p,) = float_arrays(subfactors=subfactors)
    if p.ndim == 0:
        raise input_error("not-a-list", "must be a list, one per practice", "subfactors")
    check_range("subfactors", p, 0.0, P_UPPER_LIMIT, "", "give a P with its source", above=True)
    return _out(np.prod(p, axis=-1))


def p_by_slope_class(
    slope_pct: Floats,
    class_to_pct: Floats,
    class_p: Floats,
    *,
    class_from_pct: float = 0.0,
    length_ft: Floats | None = None,
    class_max_length_ft: Floats | None = None,
) -> Floats:
    """Factor P of a support practice, such as contouring, from a table of slope classes.

    Parameters
    ----------
    slope_pct : float or ndarray
        Steepness of the slope, %. It is rounded to a whole percent, as the printed classes are.
    class_to_pct : ndarray of shape (n,)
        Last whole percent of each class, ascending, %.
    class_p : ndarray of shape (n,)
        P of each class, dimensionless, above 0 to 1.
    class_from_pct : float, optional
        First whole percent of the first class, %.
    length_ft : float or ndarray, optional
        Slope length, ft.
    class_max_length_ft : ndarray of shape (n,), optional
        Longest slope of each class on which the practice works, ft; given together with `length_ft`.

    Returns
    -------
    float or ndarray
        P, dimensionless.

    Raises
    ------
    InputError
        The slope is outside the table, the length is over its class's limit (the rows then break over, and P
        is 1), the table is out of order, or only one of the two lengths is given.

    Notes
    -----
    The rows come from a table with its source; none is taken by default. Those of contouring are in the table
    ``contour_p``, recalled from Handbook 537 and not confirmed in a copy; for terraces there are none.

    References
    ----------
    Wischmeier and Smith (1978), Agriculture Handbook 537 (P by slope class).

    Examples
    --------
    Two classes as recalled in ``contour_p``: 3-5 % 0.50 to 300 ft, 6-8 % 0.50 to 200 ft.

    >>> p_by_slope_class(4.0, [5, 8], [0.5, 0.5], class_from_pct=3, length_ft=250.0, class_max_length_ft=[300, 200])
    0.5
    """
    (slope,) = float_arrays(slope_pct=slope_pct)
    (first,) = float_arrays(class_from_pct=class_from_pct)
    if first.ndim:
        raise input_error("class-from-not-a-number", "must be one number", "class_from_pct")
    to, p = float_arrays_any_shape(class_to_pct=class_to_pct, class_p=class_p)
    if to.ndim != 1 or to.shape != p.shape or to.size == 0 or np.any(np.diff(to) <= 0.0):
        raise input_error("classes-out-of-order", "must be a rising list, as long as class_p", "class_to_pct")
    check_range("class_p", p, 0.0, 1.0, "", "give a P from the table", above=True)
    whole = np.floor(slope + 0.5)
    missing = np.isnan(whole)
    check_range("slope_pct", whole, float(first), float(to[-1]), "% of the table", "the practice earns no P here")
    # A missing slope (NaN) is given the last class and stays missing below.
    row = np.minimum(np.searchsorted(to, whole), to.size - 1)
    if (length_ft is None) != (class_max_length_ft is None):
        raise input_error("one-length-missing", "give length_ft and class_max_length_ft together", "length_ft")
    if length_ft is not None and class_max_length_ft is not None:
        length, longest = float_arrays_any_shape(length_ft=length_ft, class_max_length_ft=class_max_length_ft)
        broadcast_shape(slope_pct=slope, length_ft=length)
        if longest.shape != to.shape:
            raise input_error("classes-out-of-order", "must be as long as class_p", "class_max_length_ft")
        check_range("length_ft", length, 0.0, np.inf, "ft", "give the slope length", above=True)
        over = (length > longest[row]) & ~missing
        if np.any(over):
            raise outside_error(
                "length-over-limit",
                "length_ft",
                length,
                over,
                "ft is over the limit of its slope class",
                "shorten the slope or take P 1",
            )
        missing = missing | np.isnan(length)
    return _out(np.where(missing, np.nan, p[row]).astype(slope.dtype))
