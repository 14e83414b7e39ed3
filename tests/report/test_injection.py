"""Texts of a site that would be markup, formulas or commands where they are shown: nowhere do they act."""

import csv
import html.parser
import json
import xml.dom.minidom
from pathlib import Path
from typing import Any

import pytest

import sedcalc as sc
from builders import practice, site_data
from sedcalc.findings import InputError
from sedcalc.io.cover_table import parse_cover_table
from sedcalc.report.results import csv_text

HOSTILE = {
    "markup": "[red]a[/red] [link=http://a]b[/link] [/] [bold",
    "escape": "a\x1b[31m\x1b]0;title\x07\x9b2Jb\x08\x7f",
    "direction": "plan\u202egnp.exe\u2066\u2069\u2028x",
    "html": "</td><script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'",
    "formula": "=HYPERLINK(\"http://a\",\"b\")",
    "mathematics": "$\\frac{a $ x^{ _",
    "braces": "{0} %s %(a)s {{a}} #eval(1) `ls` ${HOME}",
}  # fmt: skip
CONTROLS = {chr(c) for c in (*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))} - {"\n"}


def hostile_site(text: str) -> dict[str, Any]:
    """A sound site with the text in every field of free text."""
    data = site_data(practices=[practice("trap", 0.8, source=text)])
    data["project"] = dict.fromkeys(("name", "applicant", "address", "description", "prepared_by"), text)
    data["location"]["R_source"] = data["soils"][0]["K_source"] = text
    ids = {"soil": f"{text} s", "area": f"{text} a", "unit": f"{text} u", "phase": f"{text} p"}
    data["soils"][0]["id"] = data["ground_units"][0]["soil"] = ids["soil"]
    data["drainage_areas"][0] = {"id": ids["area"], "outfall": text}
    data["ground_units"][0] |= {"id": ids["unit"], "drainage_area": ids["area"]}
    data["phases"][0] |= {"id": ids["phase"], "units": [ids["unit"]], "cover": {"C": 1.0, "source": text}}
    data["practices"][0] |= {"id": f"{text} t", "drainage_areas": [ids["area"]]}
    data["claims"] = {
        "tons_per_acre_per_year": "3.52",
        "rows": [{"phase": ids["phase"], "unit": ids["unit"], "K": "0.2"}],
        "overrides": [{"what": text, "who": text, "why": text}],
    }
    return data


@pytest.fixture
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    file = tmp_path / "site.json"
    file.write_text(json.dumps(hostile_site(HOSTILE[request.param])), "utf-8")
    return file


@pytest.mark.parametrize("path", HOSTILE, indirect=True)
@pytest.mark.parametrize("command", ["run", "verify"])
def test_the_terminal_gets_plain_text(path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    from sedcalc.cli import main

    record = path.parent / "record.json"
    assert main([command, str(path), *(["--record", str(record)] if command == "verify" else [])]) in (0, 1, 2)
    if command == "verify":
        assert main(["replay", str(record)]) == 0
    out, err = capsys.readouterr()
    assert not CONTROLS & set(out + err)


@pytest.mark.parametrize("path", ["markup"], indirect=True)
def test_markup_is_shown_as_it_stands(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from sedcalc.cli import main

    main(["run", str(path)])
    assert HOSTILE["markup"] in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.parametrize("path", HOSTILE, indirect=True)
def test_mistakes_on_the_terminal_and_in_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from sedcalc.cli import main

    data = json.loads(path.read_text("utf-8"))
    text = data["project"]["name"]
    data["phases"][0]["units"] = [text]
    data[text] = text
    data["ordinance"] = text
    path.write_text(json.dumps(data), "utf-8")
    assert main(["run", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert not CONTROLS & set(err)
    assert main(["run", str(path), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out.isascii()
    assert {"phases[0].units[0]", "ordinance"} <= {f["where"] for f in json.loads(out)["findings"]}


class Tags(html.parser.HTMLParser):
    """Collects the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)


@pytest.mark.parametrize("path", HOSTILE, indirect=True)
def test_notebooks_show_no_markup_of_the_site(path: Path) -> None:
    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(path)))
    page = Tags()
    page.feed(ruling._repr_html_())
    assert not page.tags & {"script", "img", "iframe", "object", "link", "a"}


def test_the_reason_of_an_ordinance_is_escaped_in_notebooks() -> None:
    from dataclasses import replace

    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))
    page = Tags()
    page.feed(replace(ruling, reason=HOSTILE["html"])._repr_html_())
    assert not page.tags & {"script", "img"}


@pytest.mark.parametrize("path", HOSTILE, indirect=True)
def test_files_of_a_run_are_sound(path: Path) -> None:
    from sedcalc.report.results import write_results

    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(path)))
    written = write_results(ruling, path.parent / "out")
    for file in written:
        match file.suffix:
            case ".svg":
                shown = file.read_text("utf-8")
                xml.dom.minidom.parseString(shown)
                assert not CONTROLS & set(shown)
                assert "<script" not in shown
            case ".json":
                assert file.read_text("utf-8").isascii()
            case ".csv":
                text = file.read_text("utf-8")
                assert not CONTROLS - {"\u2028", "\u202e", "\u2066", "\u2069"} & set(text)
                for row in csv.reader(text.splitlines()[1:]):
                    assert not [
                        c for c in row if c.startswith(("=", "+", "@")) or (c[:1] == "-" and not c[1:2].isdigit())
                    ]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1+1", "@SUM(1)", "\t=1", " =1", "\n=1", "\r=1", "\x00=1", "|cmd", "＝1", "＋1", "－1", "＠x"],
)
def test_no_cell_begins_a_formula(text: str) -> None:
    (row,) = csv.reader(csv_text(["a"], [[text]]).splitlines(keepends=True)[1:])
    assert row[0].startswith("'")


def test_a_land_cover_code_of_a_thousand_digits_is_refused() -> None:
    with pytest.raises(InputError) as error:
        parse_cover_table(b"code,cover,C,source\n" + b"9" * 6000 + b",a,0.1,b\n", "table")
    assert [f.code for f in error.value.findings] == ["bad-land-cover-code"]
    assert len(str(error.value)) < 300
