"""Sites of any structure, drawn by hypothesis: each is answered by an exit code and one JSON object."""

import contextlib
import copy
import io
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import practice, site_data
from sedcalc.cli import main
from sedcalc.site.submission import Site

FIELDS = sorted({f for d in Site.model_json_schema()["$defs"].values() for f in d.get("properties", {})})
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["A", "u1", "loam", "grading", "bare", "2027-06-01", "2027-02-29", "low", "us", "si", "0.80", "-1"]
    ),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(st.sampled_from(FIELDS), TEXTS), inner, max_size=4)
    ),
    max_leaves=8,
)


@st.composite
def sites(draw: st.DrawFn) -> dict[str, Any]:
    """A sound site with some of its nodes replaced, removed or joined by others."""
    data = copy.deepcopy(site_data(practices=[practice("trap", 0.8)], claims={"tons_per_acre_per_year": "3.1"}))
    for _ in range(draw(st.integers(1, 4))):
        holder: Any = data
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(holder[key], dict | list) and holder[key] and draw(st.integers(0, 3)):
                holder = holder[key]
                continue
            match draw(st.integers(0, 3)):
                case 0:
                    del holder[key]
                case 1 if isinstance(holder, dict):
                    holder[draw(st.sampled_from(FIELDS))] = draw(VALUES)
                case _:
                    holder[key] = draw(VALUES)
            break
    return data


def answered(data: Any, folder: Path) -> None:
    path = folder / "site.json"
    path.write_text(json.dumps(data), "utf-8")
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = main(["verify", str(path), "--json"])
    assert code in (0, 1, 2), stdout.getvalue()
    assert "Traceback" not in stderr.getvalue()
    found = json.loads(stdout.getvalue(), parse_constant=lambda c: pytest.fail(c))
    assert found["format"] == "sedcalc.verify/1"
    assert code == 0 or found["reason"]


COMMON: dict[str, Any] = {"deadline": None, "derandomize": True, "database": None}
COMMON["suppress_health_check"] = [
    HealthCheck.function_scoped_fixture,
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
]


@given(sites())
@settings(max_examples=100, **COMMON)
def test_sites_of_any_structure_are_answered(tmp_path: Path, data: Any) -> None:
    answered(data, tmp_path)


@given(VALUES)
@settings(max_examples=100, **COMMON)
def test_any_json_is_answered(tmp_path: Path, data: Any) -> None:
    answered(data, tmp_path)


@pytest.mark.slow
@given(sites())
@settings(max_examples=3_000, **COMMON)
def test_many_sites_of_any_structure_are_answered(tmp_path: Path, data: Any) -> None:
    answered(data, tmp_path)


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1e-12, 1e-9, 1e9, 1e12, 1e300, 1e308])
@pytest.mark.parametrize("field", ["area", "slope_pct", "length", "R", "K", "C", "P", "claim", "row", "common"])
def test_quantities_of_any_size_are_answered(tmp_path: Path, field: str, size: float) -> None:
    data = site_data(practices=[practice("trap", 0.8)])
    data["claims"] = {"tons_per_acre_per_year": "3.1", "rows": [{"phase": "grading", "unit": "u1", "K": "0.3"}]}
    match field:
        case "R":
            data["location"]["R"] = size
        case "K":
            data["soils"][0]["K"] = size
        case "C":
            data["phases"][0]["cover"]["C"] = size
        case "P":
            data["phases"][0]["surface_condition"] = {"P": size, "source": "test"}
        case "claim":
            data["claims"] = dict.fromkeys(("tons_per_acre_per_year", "soil_loss_tons", "R", "disturbed_acres"), size)
        case "row":
            data["claims"]["rows"][0] |= dict.fromkeys(("R", "K", "LS", "C", "P", "soil_loss_tons"), size)
        case "common":
            data["project"]["common_plan_area"] = size
        case _:
            data["ground_units"][0][field] = size
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answered(data, tmp_path)
