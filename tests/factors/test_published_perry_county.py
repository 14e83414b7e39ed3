"""Perry County, Illinois, Ava silt loam: an exercise after Circular 1220 (gradebuddy.com/doc/3098425)."""

import pytest

from sedcalc.factors.rusle import soil_loss
from sedcalc.factors.topography import profile_ls


def test_tons_from_the_printed_factors() -> None:
    assert soil_loss(R=220, K=0.43, LS=0.76, C=0.37, P=1) == pytest.approx(26.6, abs=0.05)
    # its R K LS, and the loss with P 0.5
    assert soil_loss(R=220, K=0.43, LS=0.76, C=1, P=1) == pytest.approx(71.9, abs=0.05)
    assert soil_loss(R=220, K=0.43, LS=0.76, C=0.37, P=0.5) == pytest.approx(13.3, abs=0.05)


def test_ls_of_the_usle_to_the_printed_digit() -> None:
    assert round(profile_ls(5, 200, method="usle").LS, 2) == 0.76
