"""The JSON of a run against its own schema, its sums, and the files."""

import csv
import dataclasses
import io
import json
import math

import pytest
from pydantic import TypeAdapter, ValidationError

import sedcalc as sc
from sedcalc.findings import EnvironmentFault, Finding, InputError
from sedcalc.report import results
from sedcalc.report.results import csv_text, failure_object, run_object, write_results
from sedcalc.report.run_format import RunEntry, run_schema

STRICT = TypeAdapter(RunEntry)


@pytest.fixture(scope="module")
def ruling():
    return sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))


@pytest.fixture(scope="module")
def found(ruling):
    return run_object(ruling)


def test_the_object_is_what_the_schema_says(found):
    """Read back strictly by the classes the schema is derived from; every key of the schema is there."""
    text = json.dumps(found, allow_nan=False)
    STRICT.validate_json(text, strict=True)
    schema = run_schema()
    assert set(found) == set(schema["properties"])
    for name, part in (("rows", "RowEntry"), ("windows", "WindowEntry"), ("practices", "PracticeEntry")):
        for entry in found[name]:
            assert set(entry) == set(schema["$defs"][part]["properties"])
    with pytest.raises(ValidationError):
        STRICT.validate_json(text.replace('"meets"', '"perhaps"', 1), strict=True)


def test_dates_are_iso(found):
    dates = [r[k] for r in found["rows"] for k in ("start", "end")]
    dates += [w[k] for w in found["windows"] for k in ("start", "end")]
    dates += [found["governing"]["window_start"], found["governing"]["window_end"]]
    assert all(isinstance(d, str) and len(d) == 10 and d[4] == d[7] == "-" for d in dates)


def test_each_row_is_the_equation(found):
    """A = R f K LS C P, times acres; in = trapped + discharged."""
    for row in found["rows"]:
        if row["C"] is None:
            continue
        loss = math.prod(row[k] for k in ("R", "ei_fraction", "K", "LS", "C", "P"))
        assert row["soil_loss_tons_per_acre"] == pytest.approx(loss, rel=1e-9)
        assert row["soil_loss_tons"] == pytest.approx(loss * row["acres"], rel=1e-9)
        assert row["delivered_tons"] == pytest.approx(row["trapped_tons"] + row["discharge_tons"], rel=1e-9)
        assert row["efficiency"] == pytest.approx(1 - row["discharge_tons"] / row["delivered_tons"], abs=1e-12)


def test_mass_balance_and_sums(found):
    totals = found["totals"]
    counted = [r for r in found["rows"] if r["counted"]]
    assert totals["eroded_tons"] == pytest.approx(sum(r["soil_loss_tons"] for r in counted), rel=1e-12)
    assert totals["eroded_tons"] == pytest.approx(
        totals["deposited_tons"] + totals["trapped_tons"] + totals["discharged_tons"], rel=1e-9
    )
    assert totals["trapped_tons"] == pytest.approx(sum(totals["trapped"].values()), rel=1e-12)
    assert totals["trapped"] == {p["id"]: p["trapped_tons"] for p in found["practices"]}
    assert totals["discharged_tons"] == pytest.approx(sum(totals["outfalls"].values()), rel=1e-12)
    assert totals["background_tons"] == pytest.approx(
        sum(r["discharge_tons"] for r in found["rows"] if not r["counted"]), rel=1e-12
    )
    reduction = 100 * (1 - totals["discharged_tons"] / totals["baseline_tons"])
    assert found["percent_reduction"] == pytest.approx(reduction, abs=1e-9)


def test_windows_are_labelled_and_agree(found):
    areas = ["north", "east", "south", None]
    assert [(w["kind"], w["drainage_area"]) for w in found["windows"]] == [
        (kind, area) for kind in ("worst_12_months", "whole_project", "average_year") for area in areas
    ]
    for window in found["windows"]:
        assert window["discharge_tons_per_acre"] == pytest.approx(window["discharge_tons"] / window["acres"], rel=1e-12)
    project = {w["drainage_area"]: w for w in found["windows"] if w["kind"] == "whole_project"}
    assert project[None]["discharge_tons"] == pytest.approx(sum(project[a]["discharge_tons"] for a in areas[:3]))
    assert project[None]["acres"] == pytest.approx(found["disturbed_acres"], rel=1e-12)
    # 1.6 + 0.5 acres in the north; 0.3 acres of kept buffer do not count in the south.
    assert (project["north"]["acres"], project["south"]["acres"]) == (pytest.approx(2.1), pytest.approx(1.5))
    governing = found["governing"]
    figure = next(w for w in found["windows"] if w["drainage_area"] == governing["drainage_area"])
    assert figure["discharge_tons_per_acre"] == found["tons_per_acre_per_year"]
    assert (figure["start"], figure["end"]) == (governing["window_start"], governing["window_end"])
    assert found["margin"] == pytest.approx(found["limit"] - found["tons_per_acre_per_year"], rel=1e-12)


def test_practices_and_erosivity_say_where_they_come_from(found):
    assert [p["method"] for p in found["practices"]] == ["size rule"] * 3
    assert all(p["source"] for p in found["practices"])
    assert found["erosivity"]["R"] == 115.0
    assert found["erosivity"]["R_low"] < 115.0 < found["erosivity"]["R_high"]
    assert found["erosivity"]["ei_zone"] == 101
    assert "EPA" in found["erosivity"]["source"]
    assert found["ordinance"]["id"] == "hales_corners_445"
    assert found["provenance"]["tables"]["ei_distribution"] == sc.table("ei_distribution").sha256
    assert found["provenance"]["version"] == sc.__version__


def test_what_is_not_finite_is_null_and_named(ruling):
    broken = dataclasses.replace(ruling, site_tons_per_acre_per_year=math.nan, percent_reduction=-math.inf)
    found = run_object(broken)
    json.dumps(found, allow_nan=False)
    assert found["site_tons_per_acre_per_year"] is None
    named = [f["where"] for f in found["findings"] if f["code"] == "undefined-value"]
    assert named == ["percent_reduction", "site_tons_per_acre_per_year"]


def test_a_failure_is_a_run_without_numbers():
    mistakes = [Finding("x", "error", "what", "where"), Finding("y", "error", "what", "there")]
    found = failure_object(mistakes)
    STRICT.validate_json(json.dumps(found), strict=True)
    assert found["status"] == "cannot_be_determined"
    assert "2 mistakes" in found["reason"]
    assert [f["where"] for f in found["findings"]] == ["where", "there"]
    assert (found["rows"], found["tons_per_acre_per_year"], found["limit"]) == ([], None, None)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_cells_are_no_formulas(start):
    text = csv_text(["phase", "tons"], [[f"{start}HYPERLINK(1)", -1.5]])
    (heading, cells) = list(csv.reader(io.StringIO(text, newline="")))
    assert heading == ["phase", "tons"]
    assert cells == [f"'{' ' if start.isspace() else start}HYPERLINK(1)", "-1.5"]


def test_csv_numbers_are_in_full_and_lines_end_plainly():
    text = csv_text(["a", "b", "c", "d"], [[0.1 + 0.2, None, True, 'said "x", then']])
    assert text == 'a,b,c,d\n0.30000000000000004,,yes,"said ""x"", then"\n'


def test_files_are_replaced_whole_and_others_left_alone(ruling, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "result.json").write_text("old")
    written = write_results(ruling, tmp_path)
    assert written[-1] == tmp_path / "result.json"
    assert json.loads((tmp_path / "result.json").read_text())["format"] == "sedcalc.run/1"
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert {p.name for p in tmp_path.iterdir()} == {p.name for p in written} | {"notes.txt"}


def test_nothing_half_written_when_writing_fails(ruling, tmp_path, monkeypatch):
    from sedcalc.report import charts

    def fail(ruling, folder, which):
        (folder / "load_by_phase.png").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(charts, "write_charts", fail)
    (tmp_path / "result.json").write_text("old")
    with pytest.raises(EnvironmentFault, match="No space left"):
        write_results(ruling, tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]
    assert (tmp_path / "result.json").read_text() == "old"


def test_a_file_is_no_folder(ruling, tmp_path):
    (tmp_path / "x").write_text("mine")
    with pytest.raises(InputError, match="file"):
        results.write_results(ruling, tmp_path / "x")
