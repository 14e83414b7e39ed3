import os
from pathlib import Path

import pytest
from hypothesis import settings

# the same cases on every run and every machine
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real inputs outside the repository; required where SEDCALC_REQUIRE_SHARED is set."""
    base = Path(os.environ.get("SEDCALC_SHARED", ROOT.parent / "shared"))
    folder = base / "data"
    if not folder.is_dir():
        if os.environ.get("SEDCALC_REQUIRE_SHARED"):
            pytest.fail(f"real data is required here and {folder} does not exist")
        pytest.skip(f"real data not found at {folder} (set SEDCALC_SHARED)")
    return folder


@pytest.fixture(scope="session")
def shared_reference(shared_data: Path) -> Path:
    """Folder of published facts beside the real inputs."""
    return shared_data.parent / "reference"
