"""Notebooks and documentation: what can be checked without building them."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from sedcalc.site.submission import GridInputs

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = [p for p in sorted((ROOT / "docs").rglob("*.md")) if not {"generated", "gallery", "notebooks"} & set(p.parts)]

spec = importlib.util.spec_from_file_location("check_links", ROOT / "tools" / "check_links.py")
check_links = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_links)


def source(cell):
    return "".join(cell["source"])


def test_there_are_seven_notebooks():
    assert [p.name[:2] for p in NOTEBOOKS] == [f"0{k}" for k in range(1, 8)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_begins_with_the_question_and_ends_with_the_figure(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert cells[0]["cell_type"] == "markdown"
    assert source(cells[0]).startswith("# ")
    assert "**The question.**" in source(cells[0]) or path.stem.startswith("07")
    assert cells[-1]["cell_type"] == "code"
    assert source(cells[-1]).endswith((".figure", "plt.show()"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_has_no_outputs_and_no_path_of_a_machine(path):
    text = path.read_text("utf-8")
    for cell in json.loads(text)["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert not re.search(r"/(home|root|work|tmp|Users)/|[A-Z]:\\\\", text)


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT / "docs")))
def test_every_test_that_a_page_names_exists(path):
    for file, name in re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", path.read_text("utf-8")):
        assert (ROOT / file).is_file(), file
        assert not name or f"def {name}(" in (ROOT / file).read_text("utf-8"), f"{file}::{name}"


def test_broken_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#there">b</a><a href="https://example.org/x">out</a>')
    (tmp_path / "b.html").write_text('<p id="there"></p><a href="a.html">a</a><img src="a%20b.png">')
    (tmp_path / "a b.png").write_bytes(b"")
    assert check_links.broken(tmp_path) == []
    (tmp_path / "c.html").write_text('<a href="b.html#nowhere">b</a><img src="c.png">')
    assert check_links.broken(tmp_path) == ["c.html: b.html#nowhere: no such place", "c.html: c.png: no such file"]
    assert check_links.broken(tmp_path / "empty") == [f"{tmp_path / 'empty'}: no pages"]


def test_the_first_page_quotes_the_example_as_it_is_computed():
    import sedcalc as sc

    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))
    said = f"drainage area '{ruling.governing.drainage_area}' discharges {ruling.tons_per_acre_per_year:.2f} tons/acre"
    assert said in (ROOT / "docs" / "index.md").read_text("utf-8")


def test_every_extra_of_users_is_in_the_table_of_the_install_page():
    lines = (ROOT / "docs" / "install.md").read_text("utf-8").splitlines()
    said = {m[1]: m[2].split(", ") for line in lines if (m := re.match(r"\| `(\w+)` \|.*\| (.+) \|$", line))}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    wanted = {name: {Requirement(r).name for r in own} for name, own in extras.items() if name not in ("dev", "docs")}
    assert said.keys() == wanted.keys()
    assert all(set(said[name]) <= wanted[name] for name in wanted)


def test_the_guide_to_gridded_sites_names_every_field_of_the_grid():
    text = (ROOT / "docs" / "howto" / "gridded_site.md").read_text("utf-8")
    table = text.partition("## The fields of `[grid]`")[2].partition("\n## ")[0]
    said = [name for line in table.splitlines() for name in re.findall(r"`(\w+)`", "".join(line.split("|")[1:2]))]
    assert sorted(said) == sorted(GridInputs.model_fields)


def test_every_picture_of_the_readme_is_there():
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert pictures
    for picture in pictures:
        assert (ROOT / picture).is_file(), picture
