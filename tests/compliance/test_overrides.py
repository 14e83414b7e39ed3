"""Overrides: the reviewer's make the figure on the reference acreage count; an applicant's change nothing.

Expected figures come from the load table: discharge of days in the window, over all acres that are ever disturbed.
"""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import sedcalc as sc
from sedcalc.findings import InputError
from sedcalc.report.record import record_object, write_record
from sedcalc.report.results_workbook import results_workbook
from sedcalc.report.sheet import calculation_sheet
from sedcalc.report.sheet_html import html_text
from sedcalc.site.parsing import parse_site

UNIT = {
    "drainage_area": "a",
    "soil": "s",
    "area": 1.0,
    "slope_pct": 5,
    "length": 150,
    "existing_cover": "native vegetation (undisturbed)",
    "final_cover": "sod laid immediately",
}
STAGED: dict[str, Any] = {
    "format": "sedcalc.site/1",
    "ordinance": "hales_corners_445",
    "units": "us",
    "project": {"name": "staged"},
    "location": {"county": "Milwaukee, WI"},
    "soils": [{"id": "s", "texture": "silt loam", "organic_matter_pct": 1.5}],
    "drainage_areas": [{"id": "a", "outfall": "o"}],
    "ground_units": [
        {"id": "u1", "stabilized": "2027-12-31", **UNIT},
        {"id": "u2", "stabilized": "2029-12-31", **UNIT},
    ],
    "phases": [
        {"id": "p1", "start": "2027-04-05", "end": "2027-12-31", "units": ["u1"], "cover": "bare soil (fallow ground)"},
        {"id": "p2", "start": "2029-01-05", "end": "2029-12-31", "units": ["u2"], "cover": "bare soil (fallow ground)"},
    ],
    "practices": [
        {
            "id": "t",
            "drainage_areas": ["a"],
            "start": "2027-01-01",
            "end": "2030-12-31",
            "efficiency": 0.8,
            "source": "the plan",
        }
    ],
}
"""Two halves that are never open together: 8.82 tons/acre of the open one, 4.41 of both."""

DECISION = {
    "kind": "reference_figure",
    "what": "the reference acreage counts",
    "who": "village administrator",
    "why": "the two halves are never open together",
    "date": "2027-03-01",
    "clause": "445-6.9C(2)(b)",
}


def site_of(**parts: Any) -> sc.Site:
    site, mistakes = parse_site({**STAGED, **parts})
    assert not mistakes
    assert site is not None
    return site


def overrides(folder: Path, **fields: Any) -> tuple[sc.RulingOverride, ...]:
    path = folder / "override.json"
    path.write_text(json.dumps({"overrides": [{**DECISION, **fields}]}))
    return sc.read_overrides(path)


def test_the_reference_figure_counts_by_override(tmp_path: Path) -> None:
    load = sc.sediment_load(site_of())
    plain = sc.check_compliance(load)
    ruling = sc.check_compliance(load, overrides=overrides(tmp_path))
    assert (plain.status, ruling.status) == ("exceeds", "meets")
    # the worst 12 months lie in the second half's time, when one of the two acres is open
    assert plain.governing is not None
    assert plain.governing.acres == pytest.approx(1.0)
    assert ruling.tons_per_acre_per_year == pytest.approx(plain.governing.discharge_tons / 2.0, rel=1e-12)
    assert ruling.governing is not None
    assert (ruling.governing.acres, ruling.governing.by_override) == (pytest.approx(2.0), True)
    assert ruling.margin == pytest.approx(5.0 - plain.governing.discharge_tons / 2.0, rel=1e-12)
    (finding,) = [f for f in ruling.findings if f.code == "override-in-force"]
    for said in ("reference acreage", "village administrator, 2027-03-01", "never open together", "8.82", "exceed"):
        assert said in finding.message
    assert finding.clause == "445-6.9C(2)(b)"
    assert ruling.percent_reduction == plain.percent_reduction
    assert ruling.site_tons_per_acre_per_year == plain.site_tons_per_acre_per_year


def test_a_site_may_exceed_by_the_reference_figure_too(tmp_path: Path) -> None:
    load = sc.sediment_load(site_of(practices=[]))
    ruling = sc.check_compliance(load, overrides=overrides(tmp_path))
    assert ruling.status == "exceeds"
    assert ruling.tons_per_acre_per_year == pytest.approx(5.0 * 4.407751725563647, rel=1e-9)  # the trap takes 80 %
    assert ruling.measures is not None


def test_the_applicants_own_changes_nothing() -> None:
    own = {k: v for k, v in DECISION.items() if k != "kind"}
    result = sc.verify(site_of(claims={"status": "meets", "overrides": [own]}))
    assert (result.status, result.ruling.status, result.overrides) == ("not_verified", "exceeds", ())
    (finding,) = [f for f in result.findings if f.code == "override-stated-by-applicant"]
    assert "applicant's statement" in finding.message
    _, mistakes = parse_site({**STAGED, "claims": {"overrides": [DECISION]}})
    assert [m.where for m in mistakes] == ["claims.overrides[0].kind"]


def test_verification_record_and_replay_follow_it(tmp_path: Path) -> None:
    site = site_of(claims={"status": "meets", "tons_per_acre_per_year": "4.41", "disturbed_acres": "2.00"})
    result = sc.verify(site, overrides=overrides(tmp_path))
    assert result.status == "verified"
    record = record_object(result)
    assert record["overrides"] == [{"stated_by": "reviewer", **DECISION}]
    assert record["run"]["governing"]["by_override"] is True
    path = tmp_path / "record.json"
    write_record(result, path)
    assert sc.replay(path).status != "differs"
    content = json.loads(path.read_text())
    content["overrides"] = []
    path.write_text(json.dumps(content))
    assert sc.replay(path).status == "differs"


def test_a_claim_that_differs_from_the_reference_figure_is_not_attributed(tmp_path: Path) -> None:
    result = sc.verify(site_of(claims={"tons_per_acre_per_year": "2.41"}), overrides=overrides(tmp_path))
    assert (result.status, result.attributions) == ("not_verified", ())


def test_sheet_and_workbook_say_it(tmp_path: Path) -> None:
    ruling = sc.check_compliance(sc.sediment_load(site_of()), overrides=overrides(tmp_path))
    text = " ".join(html_text(calculation_sheet(ruling)).split())
    assert "of its reference acreage, which counts by override" in text
    assert "village administrator" in text
    assert results_workbook(ruling)


@pytest.mark.parametrize(
    "parts",
    [
        {"ground_units": [{**u, "area": 0.3} for u in STAGED["ground_units"]]},
        {"ordinance": "city_40_886"},
    ],
)
def test_an_override_without_effect_is_refused(tmp_path: Path, parts: dict[str, Any]) -> None:
    load = sc.sediment_load(site_of(**parts))
    with pytest.raises(InputError) as caught:
        sc.check_compliance(load, overrides=overrides(tmp_path))
    assert [f.code for f in caught.value.findings] == ["override-without-effect"]


def test_mistakes_of_a_file_are_listed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "o.toml"
    path.write_text('[[overrides]]\nkind = "whatever"\nwho = ""\nwhen = 2027-01-01\n')
    with pytest.raises(InputError) as caught:
        sc.read_overrides(path)
    found = {str(f.where) for f in caught.value.findings}
    assert found == {f"o.toml: overrides[0].{n}" for n in ("kind", "what", "who", "why", "when")}
    assert all(";" in f.message for f in caught.value.findings)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("o.csv", b"a"),
        ("o.toml", b"overrides = ["),
        ("o.json", b"[]"),
        ("o.json", b'{"overrides": []}'),
        ("o.json", b"\xff\xfe"),
    ],
)
def test_what_is_no_file_of_overrides(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError):
        sc.read_overrides(path)


def test_fields_in_toml_are_those_in_json(tmp_path: Path) -> None:
    path = tmp_path / "o.toml"
    lines = [f'{k} = "{v}"' for k, v in DECISION.items() if k != "date"]
    path.write_text("\n".join(["[[overrides]]", *lines, "date = 2027-03-01"]))
    assert sc.read_overrides(path) == overrides(tmp_path)
    assert overrides(tmp_path)[0].date == date(2027, 3, 1)
