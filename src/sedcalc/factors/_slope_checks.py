"""Range checks that slope profiles and grid cells share."""

from typing import Final

from sedcalc.factors._arrays import FloatArray, check_range

MAX_SLOPE_PCT: Final = 60.0
"""Steepest slope of the tables of Agriculture Handbook 703, percent: refused beyond."""

MAX_LENGTH_FT: Final = 1000.0
"""Longest slope of the tables of Agriculture Handbook 703, ft: refused beyond."""


def check_slope(slope: FloatArray) -> None:
    """Raise `InputError` unless steepness is from 0 to `MAX_SLOPE_PCT`."""
    remedy = "give the fall in percent of the horizontal length; steeper faces need prescriptive controls"
    check_range("slope_pct", slope, 0.0, MAX_SLOPE_PCT, "%", remedy)


def check_length(length: FloatArray) -> None:
    """Raise `InputError` unless a length is over 0 and up to `MAX_LENGTH_FT`."""
    remedy = "give the horizontal length from where runoff starts to where it enters a channel or settles"
    check_range("length_ft", length, 0.0, MAX_LENGTH_FT, "ft", remedy, above=True)
