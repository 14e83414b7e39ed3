"""Rows of the slope tables that profiles need."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from sedcalc.tables import table

Floats = NDArray[np.float64]


@cache
def short_slope_rows() -> tuple[Floats, Floats]:
    """Return slopes (%) and LS of the 3-ft column of AH703 Table 4-3, for slopes shorter than 15 ft."""
    rows = [row for row in table("ls_table_4_3").rows if row["length_ft"] == 3]
    return np.array([row["slope_pct"] for row in rows]), np.array([row["ls"] for row in rows])
