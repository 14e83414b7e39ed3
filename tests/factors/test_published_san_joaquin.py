"""San Joaquin County, California: closure plan of a landfill (lfweb.sjgov.org, document 600356, p. 363), LS, tons."""

import pytest

from sedcalc.factors.rusle import soil_loss
from sedcalc.factors.topography import profile_ls


def test_tons_from_the_printed_factors() -> None:
    assert soil_loss(R=20, K=0.21, LS=8.5, C=1, P=0.9) == pytest.approx(32.0, abs=0.5)
    assert soil_loss(R=20, K=0.26, LS=8.5, C=1, P=0.9) == pytest.approx(40.0, abs=0.5)


def test_ls_of_the_side_slope_and_of_the_top_deck() -> None:
    # Bare 8.5 (Table 4-3, high ratio), vegetated 6.8 (Table 4-1, low ratio), which was read between the rows of 30 and
    # 40 %, where the table bends: the equation gives 6.851.
    bare = profile_ls(33, 150).LS
    assert round(bare, 1) == 8.5
    assert pytest.approx(6.8, abs=0.06) == profile_ls(33, 150, ratio="low").LS
    assert round(soil_loss(20, 0.21, bare, 1, 0.9)) == 32
    # Its top deck, 5 % and 600 ft, is printed as 1 with both covers: the low ratio; freshly graded it would be 1.9.
    assert round(profile_ls(5, 600, ratio="low").LS) == 1
    assert pytest.approx(1.907, abs=5e-4) == profile_ls(5, 600).LS
