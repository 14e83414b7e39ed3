"""Soil loss above a sediment pond of a Colorado mine, as its permit file prints it (SurvCAD, USLE; Colorado DRMS).

Document 924466 of the Division of Reclamation, Mining and Safety: R 50, K 0.37, C 0.04, P 1. LS is printed to two
decimals, which is why the tons agree no closer.
"""

import pytest

from sedcalc.factors.rusle import soil_loss

LS, ACRES, TONS = 2.05, 72.392, 109.983


def test_tons_of_a_year() -> None:
    assert soil_loss(50.0, 0.37, LS, 0.04, 1.0) * ACRES == pytest.approx(TONS, rel=0.005 / LS)
    # with LS half a digit to either side, ours is on either side of what is printed
    low, high = (soil_loss(50.0, 0.37, LS + half, 0.04, 1.0) * ACRES for half in (-0.005, 0.005))
    assert low < TONS < high
