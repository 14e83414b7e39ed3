"""Workbooks and inspections at the command line."""

import csv
import datetime
import json
import subprocess
import sys

import pytest
from openpyxl import load_workbook

from sedcalc import example, read_site
from sedcalc.report.workbook import site_workbook
from sedcalc.site.parsing import parse_site


def test_new_writes_a_workbook_that_runs_and_is_never_overwritten(sedcalc, tmp_path):
    path = tmp_path / "site.xlsx"
    assert sedcalc("new", path).code == 0
    before = path.read_bytes()
    assert sedcalc("new", path).code == 2
    assert path.read_bytes() == before
    sedcalc("new", tmp_path / "site.toml")
    answers = [sedcalc("run", tmp_path / name, "--json").object for name in ("site.xlsx", "site.toml")]
    assert answers[0]["rows"] == answers[1]["rows"]
    assert answers[0]["provenance"]["site_sha256"] == answers[1]["provenance"]["site_sha256"]
    assert list(answers[0]["provenance"]["files"]) == ["site.xlsx"]


def test_a_submission_in_a_workbook_is_verified(sedcalc, tmp_path):
    from sedcalc import read_site

    path = tmp_path / "submission.xlsx"
    path.write_bytes(site_workbook(read_site(example("hales_corners_submission.toml"))))
    answer = sedcalc("verify", path, "--json")
    assert (answer.code, answer.object["status"]) == (0, "verified")
    batch = sedcalc("verify-batch", tmp_path)
    assert [json.loads(line)["status"] for line in batch.out.splitlines()] == ["verified"]


def test_a_mistake_in_a_workbook_is_named_by_its_cell(sedcalc, tmp_path, site):
    path = tmp_path / "site.xlsx"
    path.write_bytes(site_workbook(parse_site(site)[0]))
    book = load_workbook(path)
    book["Ground units"]["D2"].value = "2.0"
    book.save(path)
    answer = sedcalc("run", path)
    assert answer.code == 2
    assert answer.err.startswith("error: Ground units!D2: area: the text '2.0' stands where a number is wanted")
    assert sedcalc("run", path, "--json").object["findings"][0]["where"] == "Ground units!D2"


def test_run_writes_a_workbook_where_it_is_asked_for(sedcalc, tmp_path, written, site):
    path = tmp_path / "out.xlsx"
    answer = sedcalc("run", written(site), "--workbook", path)
    assert answer.code in (0, 1)
    assert str(path.name) in answer.out
    assert load_workbook(path).sheetnames[:3] == ["Ruling", "Load table", "Governing window"]
    assert sedcalc("run", written(site), "--workbook", tmp_path / "out.csv").code == 2


def test_without_the_extra_a_workbook_is_an_environment_fault(sedcalc, tmp_path, monkeypatch):
    from sedcalc.io import workbook

    monkeypatch.setattr(workbook, "find_spec", lambda name: None)
    answer = sedcalc("new", tmp_path / "site.xlsx")
    assert answer.code == 3
    assert "pip install openpyxl defusedxml" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_the_tabular_path_loads_no_workbook_library():
    code = "import sys; from sedcalc.cli import main; main(['demo', '--json']); sys.exit('openpyxl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.fixture
def rain(tmp_path):
    """May 2027 to October 2027 dry, but for 0.6 in on May 10 and 0.3 in on June 1 and on June 2."""
    wet = {"2027-05-10": 0.6, "2027-06-01": 0.3, "2027-06-02": 0.3}
    days = [(datetime.date(2027, 4, 30) + datetime.timedelta(days=i)).isoformat() for i in range(190)]
    path = tmp_path / "rain.csv"
    path.write_text("DATE,PRCP\n" + "".join(f"{d},{wet.get(d, 0)}\n" for d in days))
    return path


def test_inspections_by_rain_and_by_week(sedcalc, written, site, rain, tmp_path):
    out = tmp_path / "log.csv"
    answer = sedcalc("inspections", written(site), "--rain", rain, "--units", "in", "--out", out, "--json")
    assert answer.code == 0
    found = answer.object
    assert (found["format"], found["clause"]) == ("sedcalc.inspections/1", "445-6.10E(7)")
    by_rain = [(r["inspect_by"], r["reason"], r["rain_in"]) for r in found["rows"] if r["reason"] != "weekly"]
    assert by_rain == [("2027-05-11", "rain", 0.6), ("2027-06-03", "rain of two days", 0.6)]
    assert found["rows"][0]["inspect_by"] == "2027-05-08"
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [r["inspect_by"] for r in rows] == [r["inspect_by"] for r in found["rows"]]
    assert {r["runoff"] for r in rows} == {""}
    text = sedcalc("inspections", written(site), "--rain", rain, "--units", "in")
    assert "rain of two days" in text.out
    assert "[445-6.10E(7)]" in text.out


def test_inspections_need_the_units_and_a_record_of_the_project(sedcalc, written, site, rain):
    assert sedcalc("inspections", written(site), "--rain", rain).code == 2
    site["phases"][0] |= {"start": "2024-05-01", "end": "2024-06-01"}
    site["ground_units"][0]["stabilized"] = "2024-07-01"
    answer = sedcalc("inspections", written(site), "--rain", rain, "--units", "in")
    assert (answer.code, answer.out) == (2, "")
    assert "the project from 2024-05-01" in answer.err


def test_a_gridded_run_says_its_steps(sedcalc):
    answer = sedcalc("run", example("graded_pad/site.toml"), "--json")
    steps = answer.err.splitlines()
    assert "reading rasters and polygons ..." in steps
    assert any(s.endswith("summing cells ...") for s in steps)


def test_a_site_is_written_as_a_filled_workbook(sedcalc, tmp_path):
    given, path = example("hales_corners_submission.toml"), tmp_path / "site.xlsx"
    assert sedcalc("new", path, "--from", given).code == 0
    assert read_site(path).content_sha256() == read_site(given).content_sha256()
    before = path.read_bytes()
    assert sedcalc("new", path, "--from", given).code == 2
    assert path.read_bytes() == before
    text = sedcalc("new", tmp_path / "site.toml", "--from", given, "--json")
    assert (text.code, text.object["findings"][0]["code"]) == (2, "not-a-workbook")
    assert sedcalc("new", tmp_path / "other.xlsx", "--from", tmp_path / "none.toml").code == 2
    assert [p.name for p in tmp_path.iterdir()] == ["site.xlsx"]
