"""RUSLE subfactors of Ghent University's C-factor program (Verbist et al. 2004), values of its public test suite.

The program (watem-sedem/cfactor) writes the equations of Agriculture Handbook 703 with rounded SI coefficients
(0.328 per m for 0.1 per ft, 0.026 per mm for 0.66 per in, 17.02 for the erosivity unit): agreement is to that
rounding, 0.1 %.
"""

import pytest

from sedcalc.factors.cover import (
    canopy,
    residue_cover_pct,
    roughness_after_rain,
    soil_loss_ratio,
    surface_cover,
    surface_roughness,
)
from sedcalc.units import ACRE_M2, FOOT_M, INCH_MM, POUND_KG, R_US_SI

ROUNDED = 1e-3


def test_canopy():
    assert canopy(77.0, 0.49 / FOOT_M) == pytest.approx(0.34432154097916456, rel=ROUNDED)


def test_roughness_after_rain():
    roughness_in = roughness_after_rain(10.2 / INCH_MM, 35.41 / INCH_MM, 28.47 / R_US_SI)
    # Decay exp(0.5 * -0.19517 + 0.5 * -0.02007) by their intermediate results, both in SI.
    assert roughness_in * INCH_MM == pytest.approx(9.781252579741903, rel=ROUNDED)


def test_roughness_subfactor():
    assert surface_roughness(8.918848956028448 / INCH_MM) == pytest.approx(0.9292345717420408, rel=ROUNDED)


def test_residue_and_surface_cover():
    kg_per_ha_to_lb_per_ac = ACRE_M2 / 10_000.0 / POUND_KG
    cover = residue_cover_pct(5000.0 * kg_per_ha_to_lb_per_ac, 5.53 * POUND_KG / ACRE_M2)
    assert cover == pytest.approx(93.7023900651985, rel=1e-9)
    assert surface_cover(cover, 6.096 / INCH_MM) == pytest.approx(0.037643926507827864, rel=1e-9)


def test_soil_loss_ratio():
    ratio = soil_loss_ratio(0.03768204712884102, roughness=0.9999092973948398, canopy_subfactor=1.0)
    assert ratio == pytest.approx(0.03767862926899866, rel=1e-12)
