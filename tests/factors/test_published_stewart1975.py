"""Stewart et al. (1975), EPA-600/2-75-026a, as GRASS r.uslek prints it: the package's table of K by texture."""

import numpy as np
import pytest

from sedcalc.factors.erodibility import texture_k
from sedcalc.tables import table
from validation_cases import STEWART


@pytest.mark.parametrize("texture", STEWART)
def test_the_table_has_the_printed_numbers(texture: str) -> None:
    row = table("k_by_texture").row(texture)
    ours = texture_k([0.5, 2.0, 4.0], row["k_om_0_5"], row["k_om_2"], row["k_om_4"])
    assert ours == pytest.approx(np.array(STEWART[texture]), abs=1e-15)


def test_clay_is_printed_as_a_range() -> None:
    row = table("k_by_texture").row("clay")
    assert (row["k_om_2"], row["k_low"], row["k_high"]) == (None, 0.13, 0.29)
