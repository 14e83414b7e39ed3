"""Audit records: equal bytes, replay, and what tampering shows."""

import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import sedcalc
from sedcalc.compliance.verification import verify
from sedcalc.findings import InputError
from sedcalc.report.record import record_object, record_sha256, replay, write_record
from sedcalc.site.claims import Override

SUBMISSION = "hales_corners_submission.toml"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    shutil.copy(sedcalc.example(SUBMISSION), tmp_path)
    path = tmp_path / "record.json"
    write_record(verify(tmp_path / SUBMISSION), path)
    return path


def changed(path: Path, resealed: bool = True, **parts: Any) -> Path:
    content = json.loads(path.read_text("utf-8"))
    content.update(parts)
    if resealed:
        content["sha256"] = record_sha256(content)
    path.write_text(json.dumps(content), "utf-8")
    return path


def content_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def test_the_same_submission_gives_the_same_bytes(recorded: Path) -> None:
    again = recorded.with_name("again.json")
    write_record(verify(recorded.with_name(SUBMISSION)), again)
    assert again.read_bytes() == recorded.read_bytes()
    assert [p.name for p in sorted(recorded.parent.iterdir())] == ["again.json", SUBMISSION, "record.json"]


def test_a_record_holds_what_the_result_rests_on(recorded: Path) -> None:
    record = content_of(recorded)
    assert record["format"] == "sedcalc.record/1"
    assert record["versions"]["sedcalc"] == sedcalc.__version__
    assert record["tables"]["covers"] == sedcalc.table("covers").sha256
    assert record["inputs"]["ordinance"]["sha256"] == sedcalc.load_ordinance("hales_corners_445").sha256
    assert set(record["inputs"]["files"]) == {SUBMISSION}
    assert record["run"]["format"] == "sedcalc.run/1"
    assert len(record["run"]["rows"]) == 31
    assert record["verification"]["status"] == "verified"
    assert record["site"]["claims"]["tons_per_acre_per_year"] == "4.12"
    assert record["sha256"] == record_sha256(record)


def test_a_record_is_reproduced(recorded: Path) -> None:
    result = replay(recorded)
    assert result.status == "reproduced", [str(f) for f in result.findings]
    assert result.findings == ()
    assert result.compared > 900


def test_a_record_is_reproduced_without_the_site_file(recorded: Path) -> None:
    recorded.with_name(SUBMISSION).unlink()
    result = replay(recorded)
    assert result.status == "reproduced_except"
    assert [f.code for f in result.findings] == ["file-not-at-hand"]
    assert result.unchecked == result.findings


def test_a_record_of_a_ruling_is_reproduced(tmp_path: Path) -> None:
    site = sedcalc.read_site(sedcalc.example("hales_corners_subdivision.toml"))
    write_record(sedcalc.check_compliance(sedcalc.sediment_load(site)), tmp_path / "r.json")
    assert content_of(tmp_path / "r.json")["verification"] is None
    path = sedcalc.example("hales_corners_subdivision.toml")
    assert replay(tmp_path / "r.json", path.parent).status == "reproduced"


def test_without_a_site_file_on_record_the_outcome_says_so(recorded: Path) -> None:
    inputs = {**content_of(recorded)["inputs"], "files": {}}
    result = replay(changed(recorded, inputs=inputs))
    assert (result.status, [f.code for f in result.unchecked]) == ("reproduced_except", ["no-file-on-record"])


def test_a_hash_of_a_file_that_is_not_at_hand_is_not_checked(recorded: Path) -> None:
    recorded.with_name(SUBMISSION).unlink()
    inputs = {**content_of(recorded)["inputs"], "files": {SUBMISSION: "0" * 64}}
    assert replay(changed(recorded, inputs=inputs)).status == "reproduced_except"
    inputs = {**inputs, "files": {f"../{SUBMISSION}": "0" * 64}}
    assert replay(changed(recorded, inputs=inputs)).status == "reproduced_except"


@pytest.mark.parametrize("versions", [{}, {"sedcalc": "1"}, {"sedcalc": 1, "numpy": "2", "python": "3"}])
def test_versions_are_required(recorded: Path, versions: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="lacks versions"):
        replay(changed(recorded, versions=versions))


def test_files_are_required(recorded: Path) -> None:
    inputs = {k: v for k, v in content_of(recorded)["inputs"].items() if k != "files"}
    with pytest.raises(InputError, match=r"lacks inputs\.files"):
        replay(changed(recorded, inputs=inputs))


def test_an_override_that_is_added_is_found(recorded: Path) -> None:
    added = {"stated_by": "reviewer", "kind": None, "what": "a", "who": "b", "why": "c", "date": None, "clause": None}
    for stated_by in ("reviewer", "applicant"):
        assert replay(changed(recorded, overrides=[{**added, "stated_by": stated_by}])).status == "differs"


def test_a_whole_record_of_another_submission_does_not_pass_as_that_of_the_file(recorded: Path) -> None:
    site = sedcalc.read_site(recorded.with_name(SUBMISSION))
    other = site.model_copy(update={"project": site.project.model_copy(update={"name": "other"})})
    files = content_of(recorded)["inputs"]["files"]
    made = record_object(verify(other))
    made["inputs"]["files"] = files
    result = replay(changed(recorded, **made))
    assert (result.status, [f.code for f in result.findings]) == ("differs", ["site-differs"])


def test_a_changed_site_file_is_found(recorded: Path) -> None:
    with open(recorded.with_name(SUBMISSION), "a", encoding="utf-8") as file:
        file.write("# changed\n")
    result = replay(recorded)
    assert result.status == "differs"
    assert [f.code for f in result.findings] == ["file-changed"]


@pytest.mark.parametrize(("factor", "status"), [(1 + 1e-8, "differs"), (1 + 1e-11, "reproduced")])
def test_numbers_are_compared_to_nine_digits(recorded: Path, factor: float, status: str) -> None:
    run = content_of(recorded)["run"]
    run["rows"][7]["LS"] *= factor
    result = replay(changed(recorded, run=run))
    assert result.status == status
    assert [f.where for f in result.findings] == (["run.rows[7].LS"] if status == "differs" else [])


def test_a_change_without_a_new_hash_is_found(recorded: Path) -> None:
    run = {**content_of(recorded)["run"], "status": "exceeds"}
    result = replay(changed(recorded, resealed=False, run=run))
    assert result.status == "differs"
    assert {f.code for f in result.findings} == {"record-changed", "record-differs"}


def test_another_table_is_found(recorded: Path) -> None:
    tables = {**content_of(recorded)["tables"], "covers": "0" * 64}
    result = replay(changed(recorded, tables=tables))
    assert result.status == "differs"
    assert [(f.code, f.where) for f in result.findings] == [("hash-differs", "tables.covers")]


def test_a_changed_submission_is_found(recorded: Path) -> None:
    site = content_of(recorded)["site"]
    site["ground_units"][0]["area"] = 1.7
    result = replay(changed(recorded, site=site))
    assert result.status == "differs"
    assert "inputs.site_sha256" in {f.where for f in result.findings}


def test_another_version_is_noted_and_the_numbers_decide(recorded: Path) -> None:
    versions = {**content_of(recorded)["versions"], "numpy": "1.0"}
    result = replay(changed(recorded, versions=versions))
    assert result.status == "reproduced"
    assert [f.code for f in result.findings] == ["other-version"]


def test_a_broken_submission_cannot_be_determined(recorded: Path) -> None:
    site = content_of(recorded)["site"]
    del site["location"]
    result = replay(changed(recorded, site=site))
    assert result.status == "cannot_be_determined"
    assert result.findings


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "sedcalc.record/1"}', "[" * 100_000, "\xff"])
def test_what_is_no_record_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"record|JSON"):
        replay(path)


def test_overrides_are_on_record_and_change_no_number(recorded: Path) -> None:
    override = Override(what="reference acreage", who="administrator", why="limited duration", clause="445-6.9C(2)(b)")
    plain = content_of(recorded)
    for_review = verify(recorded.with_name(SUBMISSION), overrides=[override])
    record = record_object(for_review)
    assert record["overrides"] == [
        {
            "stated_by": "reviewer",
            "kind": None,
            "what": "reference acreage",
            "who": "administrator",
            "why": "limited duration",
            "date": None,
            "clause": "445-6.9C(2)(b)",
        }
    ]
    before, after = ({k: v for k, v in r["run"].items() if k != "findings"} for r in (plain, record))
    assert before == after
    assert [f["code"] for f in record["run"]["findings"] if f not in plain["run"]["findings"]] == ["override-on-record"]
    write_record(for_review, recorded)
    assert replay(recorded).status == "reproduced"
    write_record(for_review.ruling, recorded)
    assert replay(recorded).status == "reproduced"


def test_a_tolerance_set_by_the_reviewer_is_kept(recorded: Path) -> None:
    write_record(verify(recorded.with_name(SUBMISSION), tolerance_pct=1.0), recorded)
    assert content_of(recorded)["tolerance_pct"] == 1.0
    assert replay(recorded).status == "reproduced"


def test_a_reviewers_table_is_replayed_with_what_was_assumed(tmp_path: Path) -> None:
    from openpyxl import Workbook

    made = Workbook()
    for row in (
        ["County", "Milwaukee, WI"],
        ["Organic matter (%)", 1.5],
        ["Activity", "Begin", "End", "Period % R", "Soil texture", "Slope (%)", "Slope length (ft)", "LS", "C"],
        ["grading", date(2027, 5, 1), date(2027, 6, 20), "23.4 %", "silt loam", 6, 120, "0.92", "1.00"],
    ):
        made.active.append(row)
    made.save(tmp_path / "table.xlsx")
    result = verify(tmp_path / "table.xlsx", ordinance="hales_corners_445")
    assert result.status == "verified"
    path = tmp_path / "record.json"
    write_record(result, path)
    record = content_of(path)
    assert {"assumed-from-table", "read-as-percent"} == {f["code"] for f in record["reading"]}
    assert replay(path).status == "reproduced"
    for wrong in ("x", [1], [{"code": "a", "severity": "error", "message": "m"}]):
        with pytest.raises(InputError, match="reading"):
            replay(changed(path, reading=wrong))
