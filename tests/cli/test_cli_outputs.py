"""Commands never write over what they read, nor over a file that is no result."""

import json
import os
from pathlib import Path

import pytest

import sedcalc as sc
from sedcalc.findings import InputError
from sedcalc.report.record import write_record
from sedcalc.report.results import write_results
from sedcalc.report.results_workbook import write_results_workbook

EXAMPLE = "hales_corners_submission.toml"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    path = tmp_path / "site.toml"
    path.write_bytes(sc.example(EXAMPLE).read_bytes())
    return path


@pytest.mark.parametrize("link", [None, os.symlink, os.link])
@pytest.mark.parametrize(
    "command", [("verify", "--record"), ("run", "--workbook"), ("report", "--out"), ("verify-batch", "--out")]
)
def test_an_output_is_no_input(sedcalc, site, command, link):
    other = site if link is None else site.with_name("other.toml")
    if link is not None:
        link(site, other)
    before = site.read_bytes()
    answer = sedcalc(command[0], site, command[1], other, "--json")
    assert answer.code == 2
    assert [(f["code"], f["where"]) for f in answer.object["findings"]] == [("out-is-input", command[1])]
    assert site.read_bytes() == before


def test_a_log_of_inspections_is_not_the_rain(sedcalc, site):
    rain = site.with_name("rain.csv")
    rain.write_text("DATE,PRCP\n2027-04-05,0.6\n")
    answer = sedcalc("inspections", site, "--rain", rain, "--units", "in", "--out", rain)
    assert (answer.code, rain.read_text()) == (2, "DATE,PRCP\n2027-04-05,0.6\n")
    assert "'--out'" in answer.err or "--out" in answer.err


def test_results_do_not_replace_a_site_of_their_name(sedcalc, tmp_path):
    site = sc.read_site(sc.example(EXAMPLE))
    path = tmp_path / "result.json"
    path.write_text(site.model_dump_json(exclude_defaults=True))
    before = path.read_bytes()
    answer = sedcalc("run", path, "--out", tmp_path, "--charts", "none")
    assert (answer.code, path.read_bytes()) == (2, before)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["result.json"]


def test_functions_keep_the_site_file_too(site):
    result, before = sc.verify(site), site.read_bytes()
    sheet, book = site.with_name("site.html"), site.with_name("site.xlsx")
    sheet.symlink_to(site)
    book.symlink_to(site)
    for write in (
        lambda: write_record(result, site),
        lambda: sc.write_report(result.ruling, sheet),
        lambda: write_results_workbook(result.ruling, book),
    ):
        with pytest.raises(InputError, match="is an input of this site"):
            write()
    assert site.read_bytes() == before
    assert write_results(result.ruling, site.parent / "out", "none")


@pytest.mark.parametrize(
    ("name", "content"),
    [("notes.ndjson", "my notes\n"), ("one.ndjson", "{}\n"), ("log.csv", "a,b\n1,2\n"), ("cut.ndjson", '{"a":')],
)
def test_a_batch_does_not_replace_an_unrelated_file(sedcalc, site, name, content):
    out = site.with_name(name)
    out.write_text(content)
    answer = sedcalc("verify-batch", site, "--out", out, "--json")
    assert (answer.code, answer.object["findings"][0]["code"]) == (2, "not-a-batch-result")
    assert out.read_text() == content


@pytest.mark.parametrize("ending", ["ndjson", "csv"])
def test_a_batch_replaces_or_continues_its_own_file(sedcalc, site, ending):
    out = site.with_name(f"results.{ending}")
    out.touch()
    assert sedcalc("verify-batch", site, "--out", out).code == 0
    first = out.read_bytes()
    assert sedcalc("verify-batch", site, "--out", out).code == 0
    assert out.read_bytes() == first
    if ending == "ndjson":
        out.write_bytes(first[:100])  # as if the power had failed
        assert sedcalc("verify-batch", site, "--out", out).code == 0
        assert json.loads(out.read_bytes())["status"] == "verified"
