import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sedcalc.cli import main


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """The one JSON object on stdout; fails on anything before or after it, and on NaN and infinity."""

        def refuse(constant: str) -> Any:
            raise AssertionError(f"{constant} in JSON")

        found = json.loads(self.out, parse_constant=refuse)
        assert isinstance(found, dict)
        return found


@pytest.fixture
def sedcalc(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Run a command in this process."""

    def run(*args: object) -> Answer:
        code = main([str(a) for a in args])
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return run


@pytest.fixture
def process() -> Callable[..., Answer]:
    """Run a command in a process of its own."""

    def run(*args: object, **environment: str) -> Answer:
        command = [sys.executable, "-c", "import sys; from sedcalc.cli import main; sys.exit(main())"]
        env = {**os.environ, **environment}
        done = subprocess.run([*command, *map(str, args)], capture_output=True, encoding="utf-8", env=env, timeout=120)
        return Answer(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def site() -> dict[str, Any]:
    """A small site without anything wrong: 2 acres bare from May to July 2027, then mulched, one practice of 80 %."""
    return {
        "format": "sedcalc.site/1",
        "ordinance": "hales_corners_445",
        "units": "us",
        "project": {"name": "small site"},
        "location": {"ei_zone": 101, "R": 115, "R_source": "made up for this test"},
        "soils": [{"id": "soil", "K": 0.4, "K_source": "made up for this test"}],
        "drainage_areas": [{"id": "west", "outfall": "ditch"}],
        "ground_units": [
            {
                "id": "pad",
                "drainage_area": "west",
                "soil": "soil",
                "area": 2.0,
                "slope_pct": 5,
                "length": 150,
                "final_cover": {"C": 0.01, "source": "made up for this test"},
                "stabilized": "2027-10-31",
            }
        ],
        "phases": [
            {
                "id": "grading",
                "start": "2027-05-01",
                "end": "2027-07-31",
                "units": ["pad"],
                "cover": {"C": 1.0, "source": "made up for this test"},
            }
        ],
        "practices": [
            {
                "id": "trap",
                "drainage_areas": ["west"],
                "start": "2027-04-01",
                "end": "2027-12-31",
                "efficiency": 0.8,
                "source": "made up for this test",
            }
        ],
    }


@pytest.fixture
def written(tmp_path: Path) -> Callable[[object], Path]:
    """Write data, or text as it stands, as a JSON site file."""

    def write(data: object) -> Path:
        path = tmp_path / "site.json"
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return path

    return write
