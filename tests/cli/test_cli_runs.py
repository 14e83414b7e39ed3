"""``demo`` and ``run``: exit codes, the JSON of a run, its files, and what text says."""

import csv
import json

import pytest

from sedcalc import example
from sedcalc.factors.erosivity import EI_DATES, ei_fraction
from sedcalc.factors.topography import profile_ls
from sedcalc.tables import table

FILES = ["load_by_phase.png", "load_by_phase.svg", "load_table.csv", "result.json", "windows.csv"]


@pytest.fixture
def figure(sedcalc, written, site):
    """Return a function that sets K so that the site discharges a given number of tons/acre/year."""

    def scale(tons_per_acre):
        per_k = sedcalc("run", written(site), "--json").object["tons_per_acre_per_year"] / 0.4
        site["soils"][0]["K"] = tons_per_acre / per_k
        return written(site)

    return scale


def test_demo_prints_load_table_windows_ruling_and_findings(sedcalc):
    answer = sedcalc("demo")
    assert (answer.code, answer.err) == (0, "")
    for title in ("Load table", "Practices and mass balance", "Discharge by window", "Ruling", "Findings"):
        assert title in answer.out
    assert "MEETS" in answer.out
    assert "worst 12 months" in answer.out
    assert "445-6.9C(2)(a)" in answer.out
    assert max(len(line) for line in answer.out.splitlines()) <= 80
    assert "\x1b" not in answer.out


def test_demo_is_the_run_of_the_shipped_example(sedcalc):
    path = example("hales_corners_subdivision.toml")
    demo, run = sedcalc("demo", "--json"), sedcalc("run", path, "--json")
    assert demo.object == run.object
    assert (demo.code, run.code) == (0, 0)


def test_run_against_the_equation_by_hand(sedcalc, written, site):
    """One unit, one phase, 80 % trapped: R f K LS C P A (1 - 0.8), from the factor functions alone."""
    row = table("ei_distribution").row(101)
    cumulative = [row[f"d{m:02d}_{d:02d}"] for m, d in EI_DATES]
    import datetime as dt

    bare = ei_fraction(dt.date(2027, 5, 1), dt.date(2027, 7, 31), cumulative)
    idle = ei_fraction(dt.date(2027, 8, 1), dt.date(2027, 10, 31), cumulative)
    per_year = 115 * 0.4 * profile_ls(5, 150).LS
    found = sedcalc("run", written(site), "--json").object
    assert [r["phase"] for r in found["rows"]] == ["grading", "after grading"]
    assert found["rows"][0]["soil_loss_tons_per_acre"] == pytest.approx(per_year * bare, rel=1e-12)
    assert found["rows"][0]["discharge_tons"] == pytest.approx(2 * per_year * bare * 0.2, rel=1e-12)
    # The project is shorter than 12 months: one window, not scaled up; idle ground keeps its last cover.
    assert found["tons_per_acre_per_year"] == pytest.approx(per_year * (bare + idle) * 0.2, rel=1e-12)
    assert found["percent_reduction"] == pytest.approx(80.0, abs=1e-9)
    assert found["windows"][0]["shorter_than_12_months"] is True


@pytest.mark.parametrize(
    ("tons", "code", "status"), [(4.9, 0, "meets"), (5.0, 0, "meets"), (5.004, 1, "exceeds"), (9.0, 1, "exceeds")]
)
def test_exit_code_is_the_ruling(sedcalc, figure, tons, code, status):
    path = figure(tons)
    answer = sedcalc("run", path, "--json")
    assert (answer.code, answer.object["status"], answer.err) == (code, status, "")
    assert answer.object["margin"] == pytest.approx(5.0 - tons, abs=1e-9)
    text = sedcalc("run", path)
    assert (text.code, text.err) == (code, "")
    assert status.upper() in text.out


def test_what_print_hides_is_said(sedcalc, figure):
    path = figure(5.004)
    findings = sedcalc("run", path, "--json").object["findings"]
    assert any("5.004" in f["message"] and "prints as 5.00" in f["message"] for f in findings)
    assert "prints as 5.00" in " ".join(sedcalc("run", path).out.split())


def test_no_standard_applies_is_exit_2_with_the_reason_on_stderr(sedcalc, written, site):
    site["ground_units"][0]["area"] = 0.5
    answer = sedcalc("run", written(site))
    assert answer.code == 2
    assert answer.err.startswith("not applicable: 0.50 acres are under the 1 acre")
    assert "common_plan_area" in answer.err
    assert "NOT APPLICABLE" in answer.out
    found = sedcalc("run", written(site), "--json")
    assert (found.code, found.err, found.object["status"]) == (2, "", "not_applicable")
    assert found.object["tons_per_acre_per_year"] > 0.0


def test_a_code_without_a_limit_is_not_applicable(sedcalc, written, site):
    site["ordinance"] = "city_40_886"
    found = sedcalc("run", written(site), "--json")
    assert (found.code, found.object["status"], found.object["limit"]) == (2, "not_applicable", None)
    assert found.object["clause"]


def test_out_writes_every_file_and_says_so(sedcalc, tmp_path):
    path = example("hales_corners_subdivision.toml")
    answer = sedcalc("run", path, "--out", tmp_path / "made" / "here", "--json")
    folder = tmp_path / "made" / "here"
    assert sorted(p.name for p in folder.iterdir()) == sorted(
        [*FILES, "rolling_12_months.png", "rolling_12_months.svg"]
    )
    assert (folder / "result.json").read_text() == answer.out
    with open(folder / "load_table.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(r["discharge_tons"]) for r in rows] == [r["discharge_tons"] for r in answer.object["rows"]]
    assert [r["start"] for r in rows] == [r["start"] for r in answer.object["rows"]]
    text = sedcalc("run", path, "--out", folder)
    assert all(name in text.out for name in FILES)


def test_the_same_run_gives_the_same_bytes(sedcalc, process, tmp_path):
    """In another process, with another hash seed."""
    path = example("hales_corners_subdivision.toml")
    first = sedcalc("run", path, "--out", tmp_path / "a", "--json")
    second = process("run", path, "--out", tmp_path / "b", "--json", PYTHONHASHSEED="7")
    assert first.out == second.out
    names = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert names == sorted(p.name for p in (tmp_path / "b").iterdir())
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_an_unusable_out_folder(sedcalc, tmp_path):
    path = example("hales_corners_subdivision.toml")
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        answer = sedcalc("run", path, "--out", out)
        assert answer.code in (2, 3)
        assert answer.out == ""
        assert [line for line in answer.err.splitlines() if "error" in line and str(out) in line]
        as_json = sedcalc("run", path, "--out", out, "--json")
        assert as_json.object["findings"][0]["severity"] == "error"
    assert (tmp_path / "file").read_text() == "mine"


def test_control_sequences_in_a_site_do_not_reach_the_terminal(sedcalc, written, site):
    site["project"]["name"] = "\x1b[2J\x1b]0;title\x07 [bold]x[/bold]"
    site["phases"][0]["id"] = "gra\x1b[31mding"
    answer = sedcalc("run", written(site))
    assert "\x1b" not in answer.out
    assert "[bold]x[/bold]" in answer.out
    site["phases"][0]["end"] = "2027-04-01"
    assert "\x1b" not in sedcalc("run", written(site)).err


def test_asked_windows_project_and_average_year_are_labelled(sedcalc, written, site):
    site["windows"] = [{"start": "2027-05-01", "end": "2027-05-31"}]
    site["ground_units"][0]["stabilized"] = "2029-04-30"
    site["practices"][0]["end"] = "2029-12-31"
    found = sedcalc("run", written(site), "--json").object
    by_kind = {w["kind"]: w for w in found["windows"] if w["drainage_area"] is None}
    assert list(by_kind) == ["worst_12_months", "asked", "whole_project", "average_year"]
    assert by_kind["asked"]["shorter_than_12_months"] is True
    assert by_kind["worst_12_months"]["shorter_than_12_months"] is False
    # 2027-05-01 to 2029-04-30: 731 days (2028 is a leap year).
    years = 731 / 365.25
    assert by_kind["average_year"]["discharge_tons"] == pytest.approx(
        by_kind["whole_project"]["discharge_tons"] / years, rel=1e-12
    )
    text = sedcalc("run", written(site)).out
    assert all(label in text for label in ("worst 12 months", "asked for", "whole project", "average year"))


def test_colour_on_a_terminal_only(sedcalc, written, site, monkeypatch):
    path = written(site)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" in sedcalc("run", path).out
    monkeypatch.setenv("NO_COLOR", "1")
    plain = sedcalc("run", path)
    assert "\x1b" not in plain.out + plain.err  # neither colours nor bold and dim
    json.loads(sedcalc("run", path, "--json").out)
