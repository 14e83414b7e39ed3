"""VFSMOD-W, program UH: the printed output of its sample run (sample2.hyt, 2014); Cooley's equation."""

import numpy as np
import pytest

from sedcalc.factors.rain_amounts import DESIGN_STORMS, daily_rain_ei, design_storm_ei
from sedcalc.findings import InputError
from sedcalc.units import INCH_MM, R_US_SI

RAIN_IN = 25.0 / INCH_MM


def test_design_storm_of_the_sample() -> None:
    ei = design_storm_ei(RAIN_IN, 6.0, "II")
    assert round(ei, 3) == 8.248
    # Printed in N/h, a tenth of MJ mm/(ha h), with the factor rounded to 1.702.
    assert round(ei * 1.702, 3) == 14.038
    assert ei * R_US_SI / 10 == pytest.approx(14.038, rel=1e-4)


def test_daily_rain_of_the_sample() -> None:
    ei = daily_rain_ei(RAIN_IN)
    assert round(ei, 2) == 7.68
    assert round(ei * 1.702, 4) == 13.0775


@pytest.mark.parametrize(("storm", "ei"), [("I", 26.20), ("IA", 13.15), ("II", 52.64), ("IIA", 96.32)])
def test_three_inches_in_a_day(storm: str, ei: float) -> None:
    # 3 in, 24 h, worked by calculator from the equation: 3^(2.119 x 24^0.0086) = 10.940, over 24^b.
    assert round(design_storm_ei(3.0, 24.0, storm), 2) == ei


def test_shapes_and_refusals() -> None:
    depths = np.array([[0.0], [1.0], [3.0]], np.float32)
    hours = np.array([6.0, 24.0], np.float32)
    got = design_storm_ei(depths, hours, "II")
    assert (got.shape, got.dtype) == ((3, 2), np.float32)
    assert got[0].tolist() == [0.0, 0.0]
    wide = design_storm_ei(depths.astype(float), hours.astype(float), "II")
    np.testing.assert_allclose(got, wide, rtol=2e-6)
    # A deeper storm is more erosive in every type, a longer one of the same depth less.
    for storm in DESIGN_STORMS:
        table = design_storm_ei(np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 6.0, 24.0]), storm)
        assert np.all(np.diff(table, axis=0) > 0)
        assert np.all(np.diff(table[:1], axis=1) < 0)
    for arguments, message in (
        ((3.0, 24.0, "III"), "'III' is unknown; use one of 'I', 'IA', 'II', 'IIA'; VFSMOD's program UH uses \"IIA\""),
        ((3.0, 24.0, "2"), "'2' is unknown"),
        ((3.0, 25.0, "II"), "duration_h: 25 is outside above 0 to 24 h"),
        ((3.0, 0.0, "II"), "duration_h: 0"),
        ((-1.0, 24.0, "II"), "depth_in: -1"),
        ((np.ones(2), np.ones(3), "II"), "do not broadcast"),
    ):
        with pytest.raises(InputError, match=message):
            design_storm_ei(*arguments)
    with pytest.raises(InputError, match="depth_in: -1"):
        daily_rain_ei(-1.0)
