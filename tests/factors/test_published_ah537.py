"""Agriculture Handbook 537 (Wischmeier and Smith 1978): the nomograph's example and permeability classes."""

import pytest

from sedcalc.factors.erodibility import nomograph_k
from sedcalc.factors.soil_properties import permeability_class


def test_example_of_the_nomograph():
    # Figure 3: 65 % silt and very fine sand, 5 % sand, 2.8 % organic matter, structure 2, permeability 4: 0.31.
    assert round(nomograph_k(65.0, 5.0, 2.8, 2, 4), 2) == 0.31


@pytest.mark.parametrize(
    ("in_per_h", "printed"),
    [(0.05, 6), (0.06, 5), (0.19, 5), (0.2, 4), (0.59, 4), (0.6, 3), (1.9, 3), (2.0, 2), (5.9, 2), (6.0, 1), (9.0, 1)],
)
def test_permeability_classes(in_per_h, printed):
    # Limits in in/h as reprinted with the nomograph: 2-6 moderate to rapid, 0.6-2, 0.2-0.6, 0.06-0.2, under 0.06.
    assert permeability_class(in_per_h) == printed
