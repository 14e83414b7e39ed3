"""``report``: the sheet as a file, exit codes, messages."""

import sys

import pytest

from sedcalc import example

SITE = "hales_corners_subdivision.toml"


def test_report_writes_a_pdf_and_an_html(sedcalc, tmp_path):
    pytest.importorskip("typst")
    pdf, page = tmp_path / "plan.pdf", tmp_path / "plan.html"
    answer = sedcalc("report", example(SITE), "--out", pdf)
    assert answer.code == 0
    assert "meets: drainage area 'east' discharges" in " ".join(answer.out.split())
    assert "plan.pdf" in answer.out
    assert pdf.read_bytes().startswith(b"%PDF-1.7")
    found = sedcalc("report", example(SITE), "--out", page, "--json").object
    assert (found["format"], found["status"], found["out"]) == ("sedcalc.report/1", "meets", str(page))
    assert found["limit"] == 5.0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("command", ["run", "report"])
def test_names_without_glyphs_get_one_note_and_no_warning_of_a_library(process, written, site, tmp_path, command):
    site["phases"][0]["id"] = "平整场地"
    out = tmp_path / ("results" if command == "run" else "plan.html")
    answer = process(command, written(site), "--out", out, PYTHONWARNINGS="default")
    assert answer.code in (0, 1)
    assert answer.err.count("has no glyph for 平 (U+5E73), 整 (U+6574), 场 (U+573A), 地 (U+5730)") == 1
    assert "Warning" not in answer.err
    assert not process("run", written(site), "--json").err


def test_report_is_done_whatever_the_ruling(sedcalc, written, site, tmp_path):
    """Exceeded or not applicable, the sheet is written: exit code 0."""
    site["soils"][0]["K"], site["practices"] = 0.6, []
    assert sedcalc("run", written(site), "--json").code == 1
    answer = sedcalc("report", written(site), "--out", tmp_path / "x.html", "--json")
    assert (answer.code, answer.object["status"]) == (0, "exceeds")
    site["ordinance"] = "city_40_886"
    answer = sedcalc("report", written(site), "--out", tmp_path / "y.html", "--json")
    assert (answer.code, answer.object["status"], answer.object["limit"]) == (0, "not_applicable", None)


def test_report_without_typst_names_the_remedy_before_it_computes(sedcalc, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "typst", None)
    answer = sedcalc("report", tmp_path / "no-such-site.toml", "--out", tmp_path / "x.pdf")
    assert answer.code == 3
    assert "pip install typst" in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("name", ["x.doc", "no/x.html"])
def test_report_refuses_what_it_cannot_write(sedcalc, tmp_path, name):
    answer = sedcalc("report", example(SITE), "--out", tmp_path / name, "--json")
    assert answer.code == 2
    assert answer.object["findings"][0]["code"] in ("report-format", "no-such-folder")


def test_report_needs_a_file(sedcalc):
    answer = sedcalc("report", example(SITE))
    assert answer.code == 2
    assert "--out" in answer.err
