"""Commands on submissions: exit codes, JSON, records, batches."""

import csv
import json
from pathlib import Path

import pytest

import sedcalc as sc


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    path = tmp_path / "submission.toml"
    path.write_bytes(sc.example("hales_corners_submission.toml").read_bytes())
    return path


def claim(path: Path, name: str, value: str) -> Path:
    """The submission with another claim."""
    lines = path.read_text("utf-8").splitlines()
    start = lines.index("[claims]")
    i = next(i for i, line in enumerate(lines) if i > start and line.startswith(f"{name} = "))
    lines[i] = f"{name} = {value}"
    other = path.with_name(f"{name}.toml")
    other.write_text("\n".join(lines), "utf-8")
    return other


def test_verify_says_verified(sedcalc, submission):
    answer = sedcalc("verify", submission, "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.object["format"] == "sedcalc.verify/1"
    assert answer.object["status"] == "verified"
    assert answer.object["computed"]["status"] == "meets"
    text = sedcalc("verify", submission)
    assert text.code == 0
    assert "all 71 claimed values hold" in text.out


def test_verify_names_what_differs(sedcalc, submission):
    wrong = claim(submission, "percent_reduction", '"80.0"')
    answer = sedcalc("verify", wrong, "--json")
    assert answer.code == 1
    (value,) = [v for v in answer.object["values"] if v["pass"] is False]
    assert (value["quantity"], value["claimed"]) == ("percent_reduction", 80.0)
    assert "the planned covers without practices as the baseline" in value["explanations"][0]
    text = " ".join(sedcalc("verify", wrong).out.split())
    assert "the planned covers without practices as the baseline gives the claimed 80.0" in text


def test_nothing_claimed_cannot_be_determined(sedcalc):
    answer = sedcalc("verify", sc.example("hales_corners_subdivision.toml"))
    assert answer.code == 2
    assert "claims no number" in answer.err


def test_wrong_input_is_an_object_of_the_same_format(sedcalc, tmp_path):
    answer = sedcalc("verify", tmp_path / "none.toml", "--json")
    assert answer.code == 2
    assert answer.object["format"] == "sedcalc.verify/1"
    assert answer.object["status"] == "cannot_be_determined"
    assert answer.object["findings"][0]["code"] == "no-such-file"


def test_every_key_of_the_object_is_in_the_published_schema(sedcalc, submission):
    schema = sedcalc("schema", "verify").object
    found = sedcalc("verify", claim(submission, "discharge_tons", '"99.9"'), "--json").object
    assert found.keys() == schema["properties"].keys()
    entries = schema["$defs"]
    assert found["values"][0].keys() == entries["ValueEntry"]["properties"].keys()
    assert found["products"][0].keys() == entries["ProductEntry"]["properties"].keys()
    assert found["attribution"][0].keys() == entries["AttributionEntry"]["properties"].keys()


def test_a_record_is_written_and_replayed(sedcalc, submission, tmp_path):
    record = tmp_path / "record.json"
    assert sedcalc("verify", submission, "--record", record, "--json").code == 0
    answer = sedcalc("replay", record, "--json")
    assert (answer.code, answer.object["status"]) == (0, "reproduced")
    content = json.loads(record.read_text("utf-8"))
    content["run"]["rows"][0]["K"] += 0.01
    record.write_text(json.dumps(content), "utf-8")
    answer = sedcalc("replay", record)
    assert answer.code == 1
    assert "run.rows[0].K" in " ".join(answer.out.split())
    assert sedcalc("replay", submission).code == 2


def test_a_batch_goes_to_stdout_in_order(sedcalc, submission):
    wrong = claim(submission, "R", "140")
    answer = sedcalc("verify-batch", submission, wrong, submission)
    assert answer.code == 1
    lines = [json.loads(line) for line in answer.out.splitlines()]
    assert [line["status"] for line in lines] == ["verified", "not_verified", "verified"]
    assert "3 submissions: 2 verified, 1 not verified" in answer.err


def test_a_batch_of_a_folder_to_files(sedcalc, submission, tmp_path):
    folder = submission.parent
    (folder / "broken.json").write_text("{", "utf-8")
    out = tmp_path / "results.ndjson"
    answer = sedcalc("verify-batch", folder, "--out", out, "--json")
    assert answer.code == 2
    assert (answer.object["verified"], answer.object["failed"], answer.object["skipped"]) == (1, 1, 0)
    assert sedcalc("verify-batch", folder, "--out", out, "--json").object["skipped"] == 2
    table = tmp_path / "results.csv"
    assert sedcalc("verify-batch", folder, "--out", table).code == 2
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(Path(r["path"]).name, r["status"], r["failed"]) for r in rows] == [
        ("broken.json", "cannot_be_determined", "yes"),
        ("submission.toml", "verified", "no"),
    ]
    assert "not valid JSON" in rows[0]["findings"]
    assert (rows[1]["reason"], rows[1]["taken_as_claimed"]) == ("all 71 claimed values hold", "")


def test_a_tolerance_of_0_is_the_printed_digits(sedcalc, submission):
    assert sedcalc("verify", submission, "--tolerance", "0", "--json").object["tolerance_pct"] == 0.0
    assert sedcalc("verify", submission, "--tolerance", "5.1").code == 2


def test_a_batch_says_what_only_the_claims_state(sedcalc, submission, tmp_path):
    """A tolerance that the applicant asks for, and a C that the site is said to have from the claim."""
    text = submission.read_text("utf-8").replace("[claims]", "[claims]\ntolerance_pct = 5.0", 1)
    submission.write_text(text.replace("[[claims.rows]]", '[[claims.rows]]\ntaken = ["C"]', 1), "utf-8")
    table = tmp_path / "results.csv"
    assert sedcalc("verify-batch", submission, "--out", table).code == 2
    with open(table, encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["status"], row["taken_as_claimed"]) == ("cannot_be_determined", "C")
    assert "the submission asks for a tolerance of 5 %, which is not applied" in row["findings"]
    assert "except C of 1 row" in row["reason"]


def test_an_unknown_ending_is_refused(sedcalc, submission, tmp_path):
    answer = sedcalc("verify-batch", submission, "--out", tmp_path / "x.xyz")
    assert answer.code == 2
    assert ".ndjson or .csv" in answer.err
