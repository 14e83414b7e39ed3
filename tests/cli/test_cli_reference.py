"""``tables``, ``schema`` and ``new``."""

import tomllib

import pytest

from sedcalc.tables import ordinance_names, table, table_names


def test_tables_lists_every_table_and_every_ordinance(sedcalc):
    text = sedcalc("tables").out
    assert all(name in text for name in table_names())
    assert [row["name"] for row in sedcalc("tables", "--json").object["rows"]] == table_names()
    assert [row["name"] for row in sedcalc("tables", "ordinances", "--json").object["rows"]] == ordinance_names()


@pytest.mark.parametrize("name", table_names())
def test_every_table_prints_within_80_columns_and_as_json(sedcalc, name):
    answer = sedcalc("tables", name)
    assert answer.code == 0
    assert max(len(line) for line in answer.out.splitlines()) <= 80
    found = sedcalc("tables", name, "--json").object
    assert (found["format"], found["name"]) == ("sedcalc.tables/1", name)
    assert found["rows"] == list(table(name).rows)
    assert all(row["source"] and row["status"] in ("seen", "recalled", "derived") for row in found["rows"])


def test_a_table_prints_units_sources_and_status(sedcalc):
    text = " ".join(sedcalc("tables", "k_by_texture").out.split())
    assert "silt loam" in text
    assert "(ton ac h/(hundreds of ac ft tonf in))" in text
    assert "[1] Stewart et al. 1975" in text
    assert "status seen; source [1]" in text


def test_an_ordinance_prints_its_limit_with_the_clause(sedcalc):
    """445-6.9C(2)(a): no more than five tons per acre per year; 445-6.8E: greater than 100 square feet."""
    text = " ".join(sedcalc("tables", "hales_corners_445").out.split())
    assert "445-6.9C(2)(a) at most 5 tons/acre/year" in text
    assert "445-6.8E addition area over 100 ft2" in text
    found = sedcalc("tables", "hales_corners_445", "--json").object
    assert found["standard"]["limit"] == 5.0
    assert {row["id"] for row in found["rows"]} >= {"sediment_load", "standard_area", "addition_area"}


def test_an_ordinance_without_a_limit_says_why(sedcalc):
    found = sedcalc("tables", "city_40_886", "--json").object
    assert found["standard"] is None
    assert found["no_standard"]["clause"]


def test_an_unknown_table_lists_what_there_is(sedcalc):
    answer = sedcalc("tables", "c_factors")
    assert (answer.code, answer.out) == (2, "")
    assert "'c_factors'" in answer.err
    assert "covers" in answer.err
    assert "hales_corners_445" in answer.err


def test_schema_of_a_site_is_the_schema_of_the_models(sedcalc):
    found = sedcalc("schema").object
    assert found == sedcalc("schema", "site", "--json").object
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert {"format", "project", "location", "ground_units", "phases", "practices"} <= set(found["properties"])
    assert found["additionalProperties"] is False


def test_schema_of_a_run_names_every_promised_key(sedcalc):
    found = sedcalc("schema", "run").object
    promised = "format status tons_per_acre_per_year percent_reduction disturbed_acres limit governing rows windows"
    assert set(promised.split()) | {"findings", "provenance"} <= set(found["properties"])
    row = "phase drainage_area unit start end ei_fraction R K LS C P soil_loss_tons_per_acre soil_loss_tons"
    row += " delivered_tons trapped_tons discharge_tons discharge_tons_per_acre acres"
    assert set(row.split()) <= set(found["$defs"]["RowEntry"]["required"])
    assert set(found["$defs"]["GoverningEntry"]["required"]) >= {"window_start", "window_end", "drainage_area"}


def test_an_unknown_schema_lists_what_there_is(sedcalc):
    answer = sedcalc("schema", "sight")
    assert answer.code == 2
    assert "site, run, verify" in answer.err


def test_new_writes_a_starter_that_computes(sedcalc, tmp_path):
    path = tmp_path / "my site.toml"
    answer = sedcalc("new", path)
    assert answer.code == 0
    assert str(path) in answer.out
    result = sedcalc("run", path, "--json")
    assert result.object["status"] in ("meets", "exceeds")
    assert result.code in (0, 1)
    assert [f for f in result.object["findings"] if f["severity"] == "error"] == []


def test_what_the_starter_comments_out_is_spelt_as_the_schema_has_it(sedcalc, tmp_path):
    """Each commented field, taken out of its comment, is a field of the site's models."""
    sedcalc("new", tmp_path / "site.toml")
    fields = set()
    for part in sedcalc("schema").object["$defs"].values():
        fields |= set(part.get("properties", ()))
    commented = [line[2:] for line in (tmp_path / "site.toml").read_text().splitlines() if line.startswith("# ")]
    named = [line.split("=")[0].strip() for line in commented if " = " in line]
    assert len(named) >= 10
    assert set(named) <= fields
    assert tomllib.loads((tmp_path / "site.toml").read_text())["format"] == "sedcalc.site/1"


def test_new_never_overwrites(sedcalc, tmp_path):
    path = tmp_path / "site.toml"
    path.write_text("mine")
    answer = sedcalc("new", path)
    assert (answer.code, path.read_text()) == (2, "mine")
    assert str(path) in answer.err
    assert sedcalc("new", path, "--json").object["findings"][0]["code"] == "file-exists"


def test_new_needs_the_folder(sedcalc, tmp_path):
    answer = sedcalc("new", tmp_path / "nowhere" / "site.toml")
    assert answer.code == 2
    assert len(answer.err.splitlines()) == 1


def test_new_goes_to_the_current_folder_by_default(sedcalc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert sedcalc("new", "--json").object == {"format": "sedcalc.new/1", "path": "site.toml"}
    assert (tmp_path / "site.toml").is_file()
