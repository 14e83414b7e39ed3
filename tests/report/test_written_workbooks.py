"""The template and the results as workbooks: instructions, drop-downs, equal bytes, texts that stay texts."""

import dataclasses
import io
import re
import shutil
import subprocess
import time
import zipfile

import pytest
from openpyxl import load_workbook

import sedcalc as sc
from builders import built, site_data
from sedcalc.findings import EnvironmentFault, Finding, InputError
from sedcalc.report import results_workbook as module
from sedcalc.report.results import run_object
from sedcalc.report.results_workbook import results_workbook, write_results_workbook
from sedcalc.report.workbook import site_workbook, starter_workbook

FORMULA_STARTS = ["=1+1", "+1cmd", "-1cmd", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")']


@pytest.fixture(scope="module")
def ruling():
    return sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))


@pytest.fixture(scope="module")
def template():
    return load_workbook(io.BytesIO(starter_workbook()))


def test_the_template_computes_as_it_stands(tmp_path):
    from sedcalc.site.starter import starter_text

    (tmp_path / "site.xlsx").write_bytes(starter_workbook())
    (tmp_path / "site.toml").write_text(starter_text())
    sites = [sc.read_site(tmp_path / n) for n in ("site.xlsx", "site.toml")]
    assert sites[0].content_sha256() == sites[1].content_sha256()
    figures = [sc.check_compliance(sc.sediment_load(s)).tons_per_acre_per_year for s in sites]
    assert figures[0] == figures[1] > 0.0


def test_the_template_has_instructions_and_a_sheet_for_each_list(template):
    names = ["Instructions", "Project", "Location", "Soils", "Drainage areas", "Ground units", "Phases", "Practices"]
    assert set(names) <= set(template.sheetnames)
    assert {"Claims", "Claimed rows", "Lists"} <= set(template.sheetnames)
    text = "\n".join(str(c.value) for (c,) in template["Instructions"].iter_rows(max_col=1) if c.value)
    assert "sedcalc run" in text
    assert all(f"{n}:" in text for n in names[1:])


def validations(sheet):
    return {str(v.sqref): v for v in sheet.data_validations.dataValidation}


def test_drop_downs_come_from_the_tables(template):
    heads = {str(c.value): c.column_letter for c in template["Phases"][1]}
    cover = next(v for k, v in validations(template["Phases"]).items() if k.startswith(f"{heads['cover']}2"))
    sheet, column = re.fullmatch(r"(\w+)!\$([A-Z])\$2:\$[A-Z]\$\d+", cover.formula1).groups()
    listed = [c.value for c in template[sheet][column][1:] if c.value is not None]
    assert listed == [row["cover"] for row in sc.table("covers").rows]
    units = next(v for k, v in validations(template["Ground units"]).items() if k.startswith("B2"))
    assert units.formula1 == "'Drainage areas'!$A$2:$A$300"
    ratio = [v for v in validations(template["Location"]).values() if v.formula1 == '"low,moderate,high"']
    assert len(ratio) == 1


def test_headings_have_the_units_of_the_site(template):
    heads = [c.value for c in template["Ground units"][1]]
    assert {"area (acres)", "slope_pct (%)", "length (ft)"} <= set(heads)
    metric = built(site_data(units="si"))
    heads = [c.value for c in load_workbook(io.BytesIO(site_workbook(metric)))["Ground units"][1]]
    assert {"area (ha)", "length (m)"} <= set(heads)


def test_dates_are_dates_and_numbers_numbers(template):
    heads = {str(c.value): c.column_letter for c in template["Ground units"][1]}
    cell = template["Ground units"][f"{heads['stabilized']}2"]
    assert (cell.is_date, cell.number_format) == (True, "yyyy-mm-dd")
    assert isinstance(template["Ground units"][f"{heads['area (acres)']}2"].value, float)


@pytest.mark.parametrize("text", FORMULA_STARTS)
def test_a_text_of_the_site_is_never_a_formula(text):
    data = site_data(project={"name": text})
    data["drainage_areas"][0]["outfall"] = text
    data["phases"][0]["id"] = text
    site = built(data)
    ruling = sc.check_compliance(sc.sediment_load(site))
    ours = results_workbook(ruling)
    for content in (site_workbook(site), ours):
        book = load_workbook(io.BytesIO(content))
        found = [c for s in book for row in s.iter_rows() for c in row if text.strip() in str(c.value)]
        assert found
        for cell in found:
            assert cell.data_type == "s"
            if cell.value == text:
                assert cell.quotePrefix


def test_texts_that_no_cell_holds_are_refused_in_the_template_and_shown_in_results():
    data = site_data(project={"name": "bell \x07"})
    site = built(data)
    with pytest.raises(InputError, match="control character"):
        site_workbook(site)
    book = load_workbook(io.BytesIO(results_workbook(sc.check_compliance(sc.sediment_load(site)))))
    assert book["Ruling"]["B1"].value == r"bell \x07"


def test_equal_input_gives_equal_bytes(ruling, monkeypatch):
    first = (starter_workbook(), results_workbook(ruling))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 5000)
    assert (starter_workbook(), results_workbook(ruling)) == first
    for content in first:
        archive = zipfile.ZipFile(io.BytesIO(content))
        assert {i.date_time for i in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        core = archive.read("docProps/core.xml").decode()
        assert core.count("2000-01-01T00:00:00Z") == 2


def test_what_follows_is_a_formula_and_what_is_given_a_number(ruling):
    book = load_workbook(io.BytesIO(results_workbook(ruling)))
    sheet = book["Load table"]
    heads = {str(c.value).split(" (")[0]: c.column_letter for c in sheet[1]}
    at = {name: f"{letter}2" for name, letter in heads.items()}
    factors = "*".join(at[n] for n in ("R", "ei_fraction", "K", "LS", "C", "P"))
    assert sheet[at["soil_loss_tons_per_acre"]].value == f"={factors}"
    assert sheet[at["soil_loss_tons"]].value == f"={at['soil_loss_tons_per_acre']}*{at['acres']}"
    assert sheet[at["trapped_tons"]].value == f"={at['delivered_tons']}*{at['efficiency']}"
    assert sheet[at["discharge_tons"]].value == f"={at['delivered_tons']}-{at['trapped_tons']}"
    result = run_object(ruling)
    assert sheet[at["K"]].value == result["rows"][0]["K"]
    labels = {row[0].value: row[1].value for row in book["Ruling"].iter_rows(max_col=2)}
    assert labels["percent reduction"] == '=IF(B11=0,"",100*(1-B9/B11))'
    assert labels["verdict by these formulas"].startswith("=IF(")


def test_a_gridded_row_is_a_number_where_its_mean_factors_do_not_give_it(ruling):
    rows = [dict(r) for r in run_object(ruling)["rows"]]
    rows[0]["soil_loss_tons_per_acre"] *= 1.01
    from openpyxl import Workbook

    sheet = Workbook().active
    module._load_table(sheet, rows)
    assert (float(sheet["O2"].value), sheet["O2"].data_type) == (rows[0]["soil_loss_tons_per_acre"], "n")
    assert str(sheet["O3"].value).startswith("=")


def test_a_finding_reaches_the_sheet_as_it_is(ruling):
    marked = dataclasses.replace(ruling, findings=(Finding("x", "note", "=cmd", "there", "1.2"),))
    sheet = load_workbook(io.BytesIO(results_workbook(marked)))["Findings"]
    assert [c.value for c in sheet[2]] == ["note", "x", "=cmd", "there", "1.2"]
    assert sheet["C2"].data_type == "s"


def test_a_workbook_is_written_whole_or_not_at_all(ruling, tmp_path):
    with pytest.raises(InputError, match="a workbook is"):
        write_results_workbook(ruling, tmp_path / "x.csv")
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        write_results_workbook(ruling, tmp_path / "nowhere" / "x.xlsx")
    write_results_workbook(ruling, tmp_path / "x.xlsx")
    assert [p.name for p in tmp_path.iterdir()] == ["x.xlsx"]


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch, tmp_path):
    from sedcalc.io import workbook

    path = tmp_path / "x.xlsx"
    path.write_bytes(starter_workbook())
    monkeypatch.setattr(workbook, "find_spec", lambda name: None if name == "defusedxml" else object())
    with pytest.raises(EnvironmentFault, match=r"defusedxml: pip install defusedxml"):
        sc.read_site(path)


def numbers_by_label(sheet):
    return {row[0]: row[1] for row in sheet.iter_rows(max_col=2, values_only=True)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hales_corners_subdivision.toml", "averaged", "delivered", "graded_pad/site.toml"])
def test_recalculated_by_libreoffice_it_gives_our_numbers(name, tmp_path):
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice (soffice) is not installed: workbooks are not recalculated")
    site = sc.read_site(sc.example(name if "." in name else "hales_corners_subdivision.toml"))
    if name == "delivered":
        data = site.model_dump(exclude_defaults=True) | {"delivery": {"ratio": 0.7, "source": "test"}}
        site = built(data | {"format": "sedcalc.site/1", "units": "us"})
    ordinance = None
    if name == "averaged":
        code = sc.load_ordinance("hales_corners_445")
        ordinance = dataclasses.replace(code, standard=dataclasses.replace(code.standard, figure="average_year"))
    ruling = sc.check_compliance(sc.sediment_load(site), ordinance)
    path = tmp_path / "results.xlsx"
    write_results_workbook(ruling, path)
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    out = tmp_path / "calculated"
    command = [office, profile, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", out, path]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    book = load_workbook(out / "results.xlsx", data_only=True)
    result = run_object(ruling)

    def close(value):
        return pytest.approx(value, rel=1e-9, abs=1e-12)

    heads = [str(c.value).split(" (")[0] for c in book["Load table"][1]]
    rows = list(book["Load table"].iter_rows(min_row=2, values_only=True))
    assert len(rows) == len(result["rows"])
    for values, expected in zip(rows, result["rows"], strict=True):
        for head, value in zip(heads, values, strict=True):
            if isinstance(expected[head], float):
                assert value == close(expected[head]), head
    figures = numbers_by_label(book["Ruling"])
    totals = result["totals"]
    expected = {
        "eroded, short tons": totals["eroded_tons"],
        "deposited on the slopes, short tons": totals["deposited_tons"],
        "trapped by practices, short tons": totals["trapped_tons"],
        "discharged, short tons": totals["discharged_tons"],
        "load with no controls, short tons": totals["baseline_tons"],
        "background (not counted), short tons": totals["background_tons"],
        "percent reduction": result["percent_reduction"],
        "governing figure, tons/acre/year": result["tons_per_acre_per_year"],
        "margin": result["margin"],
    }
    for label, value in expected.items():
        assert (figures[label] or 0.0) == pytest.approx(value, rel=1e-9, abs=1e-9), label
    assert figures["verdict by these formulas"] == result["status"]
    for values, window in zip(book["Windows"].iter_rows(min_row=2, values_only=True), result["windows"], strict=True):
        assert values[4] == close(window["discharge_tons"])
        assert values[6] == close(window["discharge_tons_per_acre"])
    assert not [c.value for s in book for row in s.iter_rows() for c in row if c.data_type == "e"]
