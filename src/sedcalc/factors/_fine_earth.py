"""Sand, silt and clay of the fine earth, and the check that they are all of it."""

from typing import Final

import numpy as np

from sedcalc.factors._arrays import FloatArray, Floats, check_range, float_arrays, outside_error

FRACTION_SUM_TOLERANCE_PCT: Final = 0.5
"""How far, in %, the sum of sand, silt and clay may be from 100."""

PERCENT: Final = "give a percentage of the fine earth by mass"
"""The remedy for a percentage that is none."""


def fine_earth(sand_pct: Floats, silt_pct: Floats, clay_pct: Floats) -> tuple[FloatArray, ...]:
    """Return sand, silt and clay as arrays, or refuse them if they do not add to 100 %."""
    values = float_arrays(sand_pct=sand_pct, silt_pct=silt_pct, clay_pct=clay_pct)
    for name, value in zip(("sand_pct", "silt_pct", "clay_pct"), values, strict=True):
        check_range(name, value, 0.0, 100.0, "%", PERCENT)
    total = values[0] + values[1] + values[2]
    off = np.abs(total - 100.0) > FRACTION_SUM_TOLERANCE_PCT
    if np.any(off):
        raise outside_error(
            "fractions-do-not-sum-to-100",
            "sand_pct + silt_pct + clay_pct",
            total,
            off,
            "% is not 100 within 0.5",
            "give sand, silt and clay of the fine earth (under 2 mm), without rock fragments",
        )
    return values
