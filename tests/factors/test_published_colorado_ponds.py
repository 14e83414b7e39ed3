"""Soil loss above sediment ponds of Colorado mines, as permit files print it (SurvCAD, USLE; Colorado DRMS).

Documents 924466 and 747627 of the Division of Reclamation, Mining and Safety: R 50, K 0.37, C 0.04, P 1. LS is printed
to two decimals, which is why the tons agree no closer.
"""

import pytest

from sedcalc.factors.rusle import soil_loss

SQUARE_FEET_PER_ACRE = 43560.0


@pytest.mark.parametrize(
    ("ls", "acres", "tons"), [(2.05, 72.392, 109.983), (6.10, 5_517_927.021 / SQUARE_FEET_PER_ACRE, 571.694)]
)
def test_tons_of_a_year(ls: float, acres: float, tons: float) -> None:
    ours = soil_loss(50.0, 0.37, ls, 0.04, 1.0) * acres
    assert ours == pytest.approx(tons, rel=0.005 / ls)
    # with LS half a digit to either side, ours is on either side of what is printed
    assert (
        soil_loss(50.0, 0.37, ls - 0.005, 0.04, 1.0) * acres
        < tons
        < soil_loss(50.0, 0.37, ls + 0.005, 0.04, 1.0) * acres
    )
