"""The table of EI zones as it was printed, for the tests of what was computed with it."""

import csv
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def zone(shared_reference: Path) -> dict[int, tuple[float, ...]]:
    with open(shared_reference / "erosivity" / "ei_distribution_by_zone.csv", newline="") as file:
        return {int(row[0]): tuple(map(float, row[1:])) for row in list(csv.reader(file))[1:]}
