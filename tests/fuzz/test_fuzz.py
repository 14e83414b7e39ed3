"""Damaged files through the command line: every one is answered, quickly, in little memory, and leaves nothing behind.

`make test` runs 30 cases of each format, `make check` the numbers below. Seeds are fixed; a case is shown again, with
its traceback, by ``python tests/fuzz/one.py FORMAT SEED``.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fuzz.formats import FORMATS

MANY = {
    "json": 5_000,
    "toml": 4_000,
    "xlsx": 1_000,
    "record": 1_000,
    "ordinance": 1_000,
    "geotiff": 1_500,
    "land cover": 700,
    "dem": 700,
    "grid site": 1_500,
    "geojson": 1_500,
    "geopackage": 600,
    "cover table": 700,
    "rain csv": 500,
    "rain jma": 500,
    "rain meteoswiss": 500,
    "rain kmi": 500,
    "rain wepp": 500,
}
FEW = 30
PEAK_KB = 1_000_000
WORKER = Path(__file__).with_name("worker.py")


def fuzzed(name: str, first: int, count: int, status: Path) -> dict[str, Any]:
    """Run a worker over damaged files of a format, and return its report."""
    command = [sys.executable, str(WORKER), name, str(first), str(count), "1500", str(status)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=1_650)
    last = status.read_text("ascii") if status.exists() else "none"
    assert done.returncode == 0, f"the worker died at seed {last}: {done.stderr[-2000:]}"
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def hold(name: str, first: int, count: int, status: Path) -> None:
    found = fuzzed(name, first, count, status)
    assert found["failures"] == []
    assert found["done"] == count, "the worker's 25 minutes ended before the cases did"
    assert found["peak_kb"] < PEAK_KB
    if count >= 500:  # the cases are no mere garbage, and not all alike
        assert found["codes"].get("2", 0) > found["done"] / 10
        assert found["codes"].get("2", 0) < found["done"]


def test_the_numbers_asked_for() -> None:
    assert set(MANY) == set(FORMATS)
    assert sum(MANY.values()) >= 20_000
    assert FEW * len(FORMATS) >= 500


@pytest.mark.skipif(os.name != "posix", reason="needs limits on a process")
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_answered(name: str, tmp_path: Path) -> None:
    hold(name, 0, FEW, tmp_path / "status")


@pytest.mark.slow
@pytest.mark.timeout(1_750)
@pytest.mark.skipif(os.name != "posix", reason="needs limits on a process")
@pytest.mark.parametrize("name", FORMATS)
def test_many_damaged_files_are_answered(name: str, tmp_path: Path) -> None:
    hold(name, FEW, MANY[name], tmp_path / "status")
