"""Delivery ratio: all by default, a given ratio checked, watershed ratios refused by name."""

import numpy as np
import pytest

from sedcalc.factors.delivery import DELIVERY_METHODS, WATERSHED_METHODS, delivery_ratio
from sedcalc.findings import InputError


def test_default_delivers_everything() -> None:
    assert delivery_ratio() == 1.0
    assert type(delivery_ratio()) is float


def test_given_ratio_passes_through() -> None:
    assert delivery_ratio("given", 0.7) == 0.7
    assert delivery_ratio("given", 0) == 0.0
    grid = np.array([[0.5, np.nan], [1.0, 0.0]], np.float32)
    got = delivery_ratio("given", grid)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, grid)


@pytest.mark.parametrize("name", list(WATERSHED_METHODS))
def test_watershed_ratios_are_refused_with_the_reason(name: str) -> None:
    assert name not in DELIVERY_METHODS
    with pytest.raises(InputError, match=f"'{name}' was fitted to .* and does not describe a site") as caught:
        delivery_ratio(name)
    assert caught.value.findings[0].code == "watershed-delivery-ratio"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("forest",), "'forest' is unknown; use one of 'one', 'given'"),
        (("given",), "needs a ratio from 0 to 1"),
        (("one", 0.5), "for the method \"given\" only"),
        (("given", 1.01), r"ratio: 1\.01 is outside 0 to 1"),
        (("given", -0.1), r"ratio: -0\.1"),
        (("given", float("nan")), "ratio: nan"),
        (("given", np.array([0.2, 70.0, 80.0])), r"ratio: 70 \(at index 1; 2 of 3 values\)"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        delivery_ratio(*arguments)  # type: ignore[arg-type]
