"""Agriculture Handbook 703, Table 4-3: LS of 19 slopes and 17 lengths, high ratio of rill to interrill erosion."""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from sedcalc.factors import topography as tp
from sedcalc.findings import InputError


class Table43(NamedTuple):
    slope_pct: np.ndarray
    length_ft: np.ndarray
    LS: np.ndarray

    @property
    def short_rows(self) -> tuple[np.ndarray, np.ndarray]:
        return self.slope_pct, self.LS[:, 0]


@pytest.fixture(scope="session")
def table(shared_reference: Path) -> Table43:
    """Agriculture Handbook 703, Table 4-3."""
    with open(shared_reference / "topography" / "ls_table_4_3.csv", newline="") as file:
        head, *rows = csv.reader(file)
    body = np.array(rows, float)
    return Table43(body[:, 0], np.array(head[1:], float), body[:, 1:])


def test_table_4_3_from_15_ft_to_the_printed_digit(table: Table43) -> None:
    long_enough = table.length_ft >= 15
    printed = table.LS[:, long_enough]
    ours = tp.profile_ls(table.slope_pct[:, None], table.length_ft[long_enough]).LS
    assert printed.size == 247
    # Two decimals are printed: half a unit of the last one, and float noise.
    assert np.max(np.abs(ours - printed)) <= 0.005 + 1e-9


def test_table_4_3_under_15_ft_within_a_hundredth(table: Table43) -> None:
    short = table.length_ft < 15
    ours = tp.profile_ls(table.slope_pct[:, None], table.length_ft[short], short_rows=table.short_rows)
    # The interpolation is within 0.01 of what is printed, itself rounded.
    assert np.max(np.abs(ours.LS - table.LS[:, short])) <= 0.015
    steep = np.broadcast_to(table.slope_pct[:, None] >= 9, ours.LS.shape)
    np.testing.assert_array_equal(ours.short, steep)
    np.testing.assert_allclose(ours.L * ours.S, ours.LS, rtol=1e-14)
    # The 3-ft column itself comes back, and holds below 3 ft.
    np.testing.assert_allclose(ours.LS[steep[:, 0], 0], table.LS[steep[:, 0], 0], rtol=1e-14)
    assert pytest.approx(0.41, rel=1e-14) == tp.profile_ls(20.0, 1.0, short_rows=table.short_rows).LS


def test_short_rule_meets_the_equation_at_15_ft(table: Table43) -> None:
    just_short = tp.profile_ls(table.slope_pct, 15 - 1e-9, short_rows=table.short_rows).LS
    np.testing.assert_allclose(just_short, tp.profile_ls(table.slope_pct, 15.0).LS, rtol=1e-9)


def test_short_slopes_without_their_table_are_refused(table: Table43) -> None:
    rows = table.short_rows
    assert tp.profile_ls(8.9, 4.0).LS == tp.profile_ls(8.9, 15.0).LS
    with pytest.raises(InputError, match=r"length_ft: 14 .*3-ft column\) is not given; give short_rows, or"):
        tp.profile_ls(9.0, 14.0)
    with pytest.raises(InputError, match="high ratio only, not 'low'"):
        tp.profile_ls(9.0, 14.0, ratio="low", short_rows=rows)
    with pytest.raises(InputError, match="slope_pct: 20 is outside the rows"):
        tp.profile_ls(20.0, 14.0, short_rows=(rows[0][:5], rows[1][:5]))
    with pytest.raises(InputError, match="rising slopes"):
        tp.profile_ls(20.0, 14.0, short_rows=(rows[0][::-1], rows[1]))
    with pytest.raises(InputError, match="rising slopes"):
        tp.profile_ls(20.0, 14.0, short_rows=(rows[0], rows[1][:-1]))
    with pytest.raises(InputError, match=r"at index 0, 1; 1 of 4 values"):
        tp.profile_ls(np.array([[5.0, 12.0], [9.0, 5.0]]), np.array([[4.0, 4.0], [15.0, 400.0]]))
