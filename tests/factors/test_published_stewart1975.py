"""Stewart et al. (1975), EPA-600/2-75-026a: K by texture at 0.5, 2 and 4 % organic matter, printed rows."""

import numpy as np
import pytest

from sedcalc.factors.erodibility import texture_k

ROWS = {
    "sand": (0.05, 0.03, 0.02),
    "loamy sand": (0.12, 0.10, 0.08),
    "sandy loam": (0.27, 0.24, 0.19),
    "loam": (0.38, 0.34, 0.29),
    "silt loam": (0.48, 0.42, 0.33),
    "silt": (0.60, 0.52, 0.42),
    "sandy clay loam": (0.27, 0.25, 0.21),
    "clay loam": (0.28, 0.25, 0.21),
    "silty clay loam": (0.37, 0.32, 0.26),
    "sandy clay": (0.14, 0.13, 0.12),
    "silty clay": (0.25, 0.23, 0.19),
}


@pytest.mark.parametrize("texture", ROWS)
def test_printed_columns_come_back(texture):
    assert texture_k([0.5, 2.0, 4.0], *ROWS[texture]) == pytest.approx(np.array(ROWS[texture]), abs=1e-15)
