"""Sites built in Python, for tests."""

import datetime
from typing import Any

from sedcalc.site.parsing import parse_site
from sedcalc.site.submission import Site

EVEN = {"cumulative_pct": [100 * i / 24 for i in range(25)], "source": "test: even between the table dates"}


def site_data(**changes: Any) -> dict[str, Any]:
    """A small complete site: one acre of 6 % and 150 ft, K and R round, one phase of a year."""
    data: dict[str, Any] = {
        "format": "sedcalc.site/1",
        "ordinance": "hales_corners_445",
        "units": "us",
        "project": {"name": "test"},
        "location": {"R": 100, "R_source": "test", "ei_zone": 101},
        "soils": [{"id": "loam", "K": 0.3, "K_source": "test", "texture": "loam"}],
        "drainage_areas": [{"id": "A", "outfall": "pond"}],
        "ground_units": [
            {
                "id": "u1",
                "drainage_area": "A",
                "soil": "loam",
                "area": 2.0,
                "slope_pct": 6,
                "length": 150,
                "stabilized": "2027-12-31",
                "final_cover": {"C": 0.01, "source": "test"},
            }
        ],
        "phases": [
            {
                "id": "grading",
                "start": "2027-01-01",
                "end": "2027-12-31",
                "units": ["u1"],
                "cover": {"C": 1.0, "source": "test"},
            }
        ],
    }
    data.update(changes)
    return data


def built(data: dict[str, Any]) -> Site:
    """Parse plain data that are known to have the right shape."""
    site, findings = parse_site(data)
    assert not findings, [str(f) for f in findings]
    assert site is not None
    return site


def practice(id: str, efficiency: float | None, **changes: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": id,
        "start": "2026-12-01",
        "end": "2029-12-31",
        "drainage_areas": ["A"],
        "efficiency": efficiency,
        "source": "test",
    }
    data.update(changes)
    return data


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)
