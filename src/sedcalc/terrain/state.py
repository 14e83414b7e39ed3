"""What is known of each cell while water is routed, in one byte, and where the neighbours of a cell lie.

The two lowest bits hold the distance to the outlet of a flat in cells, modulo 3: neighbours in a flat differ by at most
one, so that is enough to tell which of two is nearer.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

LEVEL: Final = 3
FLAT: Final = 4
BORDER: Final = 8
BARRIER: Final = 16
CHANNEL: Final = 32
LOWER_BOUND: Final = 64
VISITED: Final = 128  # while flats are resolved
SEALED: Final = VISITED  # from routing on: ground that does not erode

LOWER_BOUND_SHARE: Final = 0.01
"""Share of a cell's area that has come through cells on the border, from which it counts as a lower bound.

Land beyond the border adds to the area of border cells, and so to the cells below them by their share. Where it is ten
times what the border cells have within the grid, a share of 1 % means 10 % more area, and by the exponent of slope
length (0.83 at 60 %, high ratio) up to 8 % more LS."""

StateArray = npt.NDArray[np.uint8]
BoolArray = npt.NDArray[np.bool_]

# Neighbours row by row; kernels and numpy code use the same order.
ROW_STEP: Final = np.array([-1, -1, -1, 0, 0, 1, 1, 1], dtype=np.int64)
COL_STEP: Final = np.array([-1, 0, 1, -1, 1, -1, 0, 1], dtype=np.int64)


def cell_flag(state: StateArray, bit: int) -> BoolArray:
    """Return where a bit of the state is set, e.g. ``CHANNEL``."""
    flags: BoolArray = (state & bit) != 0
    return flags
