"""Technical Release 55 (USDA-NRCS, June 1986): table 2-1 to its printed digit, and the examples of chapter 2."""

import numpy as np
import pytest

from sedcalc.factors.runoff import composite, curve_number_runoff_in

CURVE_NUMBERS = [40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 98]
# Table 2-1: rain in inches, then runoff in inches for each curve number above.
TABLE_2_1 = """
1.0 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.03 0.08 0.17 0.32 0.56 0.79
1.2 0.00 0.00 0.00 0.00 0.00 0.00 0.03 0.07 0.15 0.27 0.46 0.74 0.99
1.4 0.00 0.00 0.00 0.00 0.00 0.02 0.06 0.13 0.24 0.39 0.61 0.92 1.18
1.6 0.00 0.00 0.00 0.00 0.01 0.05 0.11 0.20 0.34 0.52 0.76 1.11 1.38
1.8 0.00 0.00 0.00 0.00 0.03 0.09 0.17 0.29 0.44 0.65 0.93 1.29 1.58
2.0 0.00 0.00 0.00 0.02 0.06 0.14 0.24 0.38 0.56 0.80 1.09 1.48 1.77
2.5 0.00 0.00 0.02 0.08 0.17 0.30 0.46 0.65 0.89 1.18 1.53 1.96 2.27
3.0 0.00 0.02 0.09 0.19 0.33 0.51 0.71 0.96 1.25 1.59 1.98 2.45 2.77
3.5 0.02 0.08 0.20 0.35 0.53 0.75 1.01 1.30 1.64 2.02 2.45 2.94 3.27
4.0 0.06 0.18 0.33 0.53 0.76 1.03 1.33 1.67 2.04 2.46 2.92 3.43 3.77
4.5 0.14 0.30 0.50 0.74 1.02 1.33 1.67 2.05 2.46 2.91 3.40 3.92 4.26
5.0 0.24 0.44 0.69 0.98 1.30 1.65 2.04 2.45 2.89 3.37 3.88 4.42 4.76
6.0 0.50 0.80 1.14 1.52 1.92 2.35 2.81 3.28 3.78 4.30 4.85 5.41 5.76
7.0 0.84 1.24 1.68 2.12 2.60 3.10 3.62 4.15 4.69 5.25 5.82 6.41 6.76
8.0 1.25 1.74 2.25 2.78 3.33 3.89 4.46 5.04 5.63 6.21 6.81 7.40 7.76
9.0 1.71 2.29 2.88 3.49 4.10 4.72 5.33 5.95 6.57 7.18 7.79 8.40 8.76
10.0 2.23 2.89 3.56 4.23 4.90 5.56 6.22 6.88 7.52 8.16 8.78 9.40 9.76
11.0 2.78 3.52 4.26 5.00 5.72 6.43 7.13 7.81 8.48 9.13 9.77 10.39 10.76
12.0 3.38 4.19 5.00 5.79 6.56 7.32 8.05 8.76 9.45 10.11 10.76 11.39 11.76
13.0 4.00 4.89 5.76 6.61 7.42 8.21 8.98 9.71 10.42 11.10 11.76 12.39 12.76
14.0 4.65 5.62 6.55 7.44 8.30 9.12 9.91 10.67 11.39 12.08 12.75 13.39 13.76
15.0 5.33 6.36 7.35 8.29 9.19 10.04 10.85 11.63 12.37 13.07 13.74 14.39 14.76
"""
ROWS = np.array([[float(x) for x in line.split()] for line in TABLE_2_1.strip().splitlines()])
MISPRINT = (7.0, 50)
"""Printed 1.68; the equation the table states gives (7 - 2)^2/(7 + 8) = 1.6667."""


def test_every_cell_of_table_2_1_to_the_printed_digit():
    runoff = curve_number_runoff_in(ROWS[:, :1], np.array(CURVE_NUMBERS, dtype=float))
    printed = np.floor(runoff * 100.0 + 0.5) / 100.0
    assert printed.shape == (22, 13)
    differs = np.argwhere(np.abs(printed - ROWS[:, 1:]) > 1e-9)
    assert [(ROWS[i, 0], CURVE_NUMBERS[j]) for i, j in differs] == [MISPRINT]
    assert curve_number_runoff_in(*MISPRINT) == pytest.approx(25.0 / 15.0, rel=1e-12)


def test_example_2_1_pasture_on_two_soils():
    # 175 acres of group C (74) and 75 of B (61): 70.1, used as 70; 6 in of rain give 2.81 in.
    number = composite([74.0, 61.0], [175.0, 75.0])
    assert number == pytest.approx(70.1, abs=1e-9)
    assert round(curve_number_runoff_in(6.0, round(number)), 2) == 2.81


def test_example_2_2_half_acre_lots_and_open_space():
    # Lots on B 75 acres (70) and on C 100 acres (80), open space on C 75 acres (74): 75.2, used as 75; 3.28 in.
    number = composite([70.0, 80.0, 74.0], [75.0, 100.0, 75.0])
    assert number == pytest.approx(75.2, abs=1e-9)
    assert round(curve_number_runoff_in(6.0, round(number)), 2) == 3.28
