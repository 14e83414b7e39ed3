"""USDA texture class: twelve soils of the soiltexture manual (Moeys 2016), as the hydroTools package prints them."""

from sedcalc.factors.soil_properties import texture_class

CLAY = [5, 60, 15, 5, 25, 5, 25, 45, 65, 75, 13, 47]
SAND = [90, 32, 70, 70, 20, 10, 10, 10, 20, 10, 70, 10]
PRINTED = ["Sa", "Cl", "SaLo", "SaLo", "SiLo", "Si", "SiLo", "SiCl", "Cl", "Cl", "SaLo", "SiCl"]
NAMES = {
    "Sa": "sand",
    "SaLo": "sandy loam",
    "SiLo": "silt loam",
    "Si": "silt",
    "SiCl": "silty clay",
    "Cl": "clay",
}


def test_twelve_soils():
    silt = [100 - c - s for c, s in zip(CLAY, SAND, strict=True)]
    assert texture_class(SAND, silt, CLAY).tolist() == [NAMES[p] for p in PRINTED]
