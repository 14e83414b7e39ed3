"""A construction site of 4.1 acres in Duluth, Minnesota (studylib.net/doc/6950754): tons under straw, LS by chart."""

import pytest

from sedcalc.factors.rusle import soil_loss
from sedcalc.factors.topography import profile_ls


def test_tons_from_the_printed_factors() -> None:
    loss = soil_loss(R=90, K=0.32, LS=4.80, C=0.11, P=0.16)
    assert loss == pytest.approx(2.433, abs=0.0005)
    # of the site, tons a year
    assert round(4.1 * loss, 2) == 9.98


def test_ls_by_the_equation_of_the_chart() -> None:
    # 4.80 was read from the slope-effect chart; the chart's own equation gives 4.75, 1.1 % less.
    ls = profile_ls(16, 280, method="usle").LS
    assert round(ls, 2) == 4.75
    assert ls == pytest.approx(4.80, rel=0.011)
