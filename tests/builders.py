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


def whole_site_data() -> dict[str, Any]:
    """A site with nearly every part a tabular site file can have, and nothing wrong."""
    classes = dict.fromkeys(("clay", "silt", "small_aggregates", "large_aggregates", "sand"), 0.2) | {"source": "test"}
    separates = {"sand_pct": 40, "silt_pct": 40, "clay_pct": 20}
    span = {"start": "2027-01-01", "end": "2028-12-31"}
    bare = {"C": 1.0, "source": "test"}
    grown = {"sown": "2027-12-31", "established": "2028-03-01", "C": 0.1, "source": "test", "shape": "logistic"}
    grown |= {"steepness": 5, "steepness_source": "test", "winter_credit_source": "test"}
    data = site_data(
        location={"county": "Milwaukee, WI"},
        delivery={"ratio": 0.5, "source": "test"},
        topography={"ratio": "high", "method": "rusle"},
        soils=[
            {"id": "loam", "texture": "loam", "organic_matter_pct": 2, "separates": dict(separates)},
            {"id": "silt", "silt_vfs_pct": 65, "sand_pct": 5, "organic_matter_pct": 2.8, "structure": 2},
        ],
        drainage_areas=[{"id": area, "outfall": "pond"} for area in "ABCD"],
        windows=[{"start": "2027-01-01", "end": "2027-12-31"}],
        application={"received": "2027-01-01", "decided": "2027-02-01", "permit_issued": "2027-02-01"},
    )
    data["soils"][1] |= {"permeability": 4, "separates": dict(separates), "particle_classes": dict(classes)}
    data["application"] |= {"extension_days": 5, "runoff_coefficient_before": 0.2, "runoff_coefficient_after": 0.3}
    second = {key: data["ground_units"][0][key] for key in ("drainage_area", "area", "stabilized")}
    second |= {"id": "u2", "soil": "silt", "existing_cover": {"C": 0.003, "source": "test"}, "final_cover_pct": 70}
    second |= {"segments": [{"length": 50, "slope_pct": 5}, {"length": 60, "slope_pct": 9}]}
    data["ground_units"].append(second | {"final_cover": {**bare, "establishes": grown}})
    data["phases"] = [
        {
            "id": "grading",
            "start": "2027-01-01",
            "end": "2027-06-30",
            "units": ["u1", "u2"],
            "cover": dict(bare),
            "surface_condition": {"P": 0.9, "source": "test"},
            "slopes": [{"unit": "u1", "slope_pct": 5, "length": 20}],
        },
        {
            "id": "rest",
            "start": "2027-07-01",
            "end": "2027-12-31",
            "units": ["u1", "u2"],
            "cover": "gravel",
            "idle": True,
        },
    ]
    fence = {"kind": "silt fence", "fence_length": 100, "slope_length_above": 80, "slope_above_pct": 5}
    sized = {"surface_area": 500, "peak_outflow": 1, "design_storm": "10 yr"}
    data["practices"] = [
        practice("given", 0.5, drains_to="trap"),
        {"id": "trap", **span, "size_rule": "sediment trap", "surface_area": 500, "texture_group": "medium"},
        practice("fence", 0.3, drainage_areas=["B"], drains_to="pond", **fence),
        {"id": "pond", **span, "settling": "overflow rate", **sized},
        {"id": "basin", **span, "drainage_areas": [{"id": "C", "share": 0.5}], "size_rule": "sediment basin", **sized},
        {"id": "by class", **span, "drainage_areas": ["D"], "class_efficiencies": dict(classes), "bypass": 0.1},
    ]
    data["practices"][4]["settling_velocity"] = 0.01
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
