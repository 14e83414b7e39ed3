"""Every command and every piece of Python that README and documentation print is run, in the order of its page."""

import datetime
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

import sedcalc as sc
from sedcalc.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    *(p for p in sorted((ROOT / "docs").rglob("*.md")) if not {"generated", "gallery", "notebooks"} & set(p.parts)),
]
SHELL = re.compile(r"^```(?:console|\{code-block\} console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```(?:python|\{code-block\} python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What sets up a machine, and is what `make check` itself does.
SET_UP = ("make ", "pip ", "python ", "source ", ".venv", "eval ", "_SEDCALC_COMPLETE=")


def blocks(page: Path) -> list[str]:
    """The lines that a reader would type: blocks of a console, and in the README what is indented."""
    text = page.read_text("utf-8")
    lines = [line[2:] for block in SHELL.findall(text) for line in block.splitlines() if line.startswith("$ ")]
    if page.name == "README.md":
        outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        lines += [line.strip() for line in outside.splitlines() if line.startswith("    ") and line.strip()]
    return lines


def quoted(page: Path) -> list[str]:
    """Commands that stand in a sentence with their arguments, without those that leave something out."""
    found = re.findall(r"`(sedcalc [^`]+)`", SHELL.sub("", page.read_text("utf-8")))
    return [
        line
        for line in found
        if len(line.split()) > 2 and "..." not in line and not re.search(r"\b[A-Z]{4,}\b|FILE", line)
    ]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of."""
    shutil.copytree(ROOT / "examples" / "graded_pad", tmp_path, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples" / "graded_pad", tmp_path / "graded_pad")
    shutil.copytree(ROOT / "examples" / "graded_pad", tmp_path / "my_grid")
    (tmp_path / "dem.tif").write_bytes((tmp_path / "existing.tif").read_bytes())
    submission = ROOT / "examples" / "hales_corners_submission.toml"
    shutil.copy(submission, tmp_path / "submission.toml")
    (tmp_path / "inbox").mkdir()
    shutil.copy(submission, tmp_path / "inbox" / "first.toml")
    reviewers_page = (ROOT / "docs" / "howto" / "reviewer.md").read_text("utf-8")
    override = re.search(
        r"^```\{code-block\} toml\n(\[\[overrides\]\].*?)^```", reviewers_page, re.MULTILINE | re.DOTALL
    )
    assert override is not None
    (tmp_path / "override.toml").write_text(override[1])
    for name in ("daily.csv", "gauge.csv"):
        (tmp_path / name).write_text("DATE,PRCP\n2027-05-04,0.00\n2027-05-05,0.62\n")
    _table(tmp_path / "submitted.xlsx")
    corners = [(414420.0, 4754890.0), (414580.0, 4754890.0), (414580.0, 4754980.0), (414420.0, 4754980.0)]
    _points(tmp_path / "grading.geojson", [(x, y, {"z": 230.0 + 0.1 * (y - 4754890.0)}) for x, y in corners])
    _points(
        tmp_path / "outfalls.geojson", [(414450.0, 4754880.0, {"id": "west"}), (414550.0, 4754880.0, {"id": "east"})]
    )
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my_site.toml"]) == 0
    assert main(["new", "my_site.xlsx"]) == 0
    assert main(["verify", "submission.toml", "--record", "audit.json"]) in (0, 1)
    return tmp_path


def _points(path: Path, points: list[tuple[float, float, dict[str, object]]]) -> None:
    features = [
        {"type": "Feature", "properties": values, "geometry": {"type": "Point", "coordinates": [x, y]}}
        for x, y, values in points
    ]
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26916"}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}))


def _table(path: Path) -> None:
    """A soil-loss table of one row under the lines that a sheet begins with, in the columns that reviewers know."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    for line in (["County: Milwaukee, WI"], ["Ordinance", "hales_corners_445"], ["Organic matter (%)", 1.5], []):
        sheet.append(line)
    sheet.append(["Activity", "Begin", "End", "Soil texture", "Slope %", "Slope length", "C", "Soil loss"])
    sheet.append(["grading", datetime.date(2027, 5, 1), datetime.date(2027, 6, 20), "silt loam", 6, 120, 1.0, 9.8])
    book.save(path)


def argv(line: str) -> list[str]:
    return shlex.split(line, comments=True)[1:]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_commands_of_a_page_run(page: Path, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """None is refused: 0 and 1 are rulings; where a page writes a site anew, the one that is there makes way."""
    typed = blocks(page)
    assert all(line.startswith(("sedcalc ", *SET_UP)) for line in typed), typed
    for line in [line for line in (*typed, *quoted(page)) if line.startswith("sedcalc ")]:
        words = argv(line)
        if words[0] == "new":
            (desk / words[1]).unlink(missing_ok=True)
        code = main(words)
        assert code in (0, 1), (line, capsys.readouterr().err)


@pytest.mark.parametrize("page", [p for p in PAGES if PYTHON.search(p.read_text("utf-8"))], ids=lambda p: p.stem)
def test_the_python_of_a_page_runs(page: Path, desk: Path) -> None:
    """One block after the other, as in a notebook; a ruling is there, where a page goes on from one."""
    names = {"sc": sc, "ruling": sc.check_compliance(sc.sediment_load(sc.read_site("site.toml")))}
    names["load"], names["site"] = names["ruling"].load, names["ruling"].load.site
    for block in PYTHON.findall(page.read_text("utf-8")):
        exec(compile(block, str(page), "exec"), names)


def test_the_pages_have_commands() -> None:
    """The reader of pages sees them: a page whose fences change would else pass without a command."""
    count = {p.stem: len([line for line in blocks(p) if line.startswith("sedcalc ")]) for p in PAGES}
    assert count["README"] >= 9
    assert count["start"] >= 4
    assert sum(count.values()) >= 25
