"""The calculation sheet as HTML: whole in one file, escaped, with the same numbers as the run's JSON."""

import json
from html.parser import HTMLParser

import pytest

import sedcalc as sc
from builders import built, site_data
from sedcalc.report.results import run_object
from sedcalc.report.sheet import calculation_sheet, write_report
from sedcalc.report.sheet_html import html_text
from sheet_reading import as_float, at, half_digit, numbers

EXAMPLES = ("hales_corners_subdivision.toml", "graded_pad/site.toml")
VOID = {"meta", "img", "mspace", "br"}


class Reader(HTMLParser):
    """Elements, attributes and text; complains about elements that are not closed in their order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.attributes = []
        self.data = []
        self.texts = []
        self.json = None
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        own = dict(attrs)
        assert len(own) == len(attrs)
        self.attributes.append((tag, own))
        if tag not in VOID:
            self.open.append(tag)
            if tag == "data":
                self.data.append([own, ""])

    def handle_startendtag(self, tag, attrs):
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.json = json.loads(data)
        elif self.open and self.open[-1] != "style":
            self.texts.append(data)
            if self.open[-1] == "data":
                self.data[-1][1] += data


@pytest.fixture(scope="module", params=EXAMPLES)
def made(request):
    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example(request.param))))
    sheet = calculation_sheet(ruling)
    return ruling, sheet, html_text(sheet)


def test_it_fetches_nothing_and_runs_nothing(made):
    reader = Reader(made[2])
    for tag, own in reader.attributes:
        assert not any(name.startswith("on") for name in own), own
        for name in ("src", "href", "action", "data", "srcset", "poster"):
            assert own.get(name, "#").startswith(("#", "data:image/")), own
        assert tag not in ("link", "iframe", "object", "embed", "form", "base")
    scripts = [own for tag, own in reader.attributes if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "result"}]
    assert "url(" not in made[2]
    assert "@import" not in made[2]


def test_its_links_lead_somewhere(made):
    reader = Reader(made[2])
    ids = [own["id"] for _, own in reader.attributes if "id" in own]
    assert len(ids) == len(set(ids))
    targets = {own["href"][1:] for _, own in reader.attributes if "href" in own}
    assert targets <= set(ids)
    assert len(targets) > len(made[1].sections)


def test_its_numbers_are_the_jsons(made):
    run = run_object(made[0])
    reader = Reader(made[2])
    shown = []
    for own, text in reader.data:
        value = float(own["value"])
        assert abs(as_float(text) - value) <= half_digit(text) * (1 + 1e-9)
        if "title" in own:
            path, _, said = own["title"].partition(" = ")
            assert float(said) == value == at(run, path)
        shown.append(text)
    wanted = [n.text for n in numbers(made[1].verdict)]
    assert shown[: len(wanted)] != []
    assert {n.text for n in numbers(made[1]) if n.path} <= {*shown, *_in_formulas(made[2])}
    assert reader.json == json.loads(json.dumps(run))


def _in_formulas(text):
    return [part.partition("</mn>")[0] for part in text.split("<mn>")[1:]]


def test_all_text_of_the_sheet_is_there(made):
    text = "".join(Reader(made[2]).texts)
    for section in made[1].sections:
        assert section.title in text
    for finding in made[0].findings:
        assert finding.message[1:].rstrip(".").replace(" %", "\u00a0%") in text
    assert made[0].load.site.project.name in text


def test_the_same_text_again(made):
    assert html_text(calculation_sheet(made[0])) == made[2]


def test_images_have_words(made):
    images = [own for tag, own in Reader(made[2]).attributes if tag == "img"]
    assert len(images) >= 4
    assert all(len(own["alt"]) > 40 for own in images)


def test_text_of_a_site_is_escaped(tmp_path):
    name = "</title><script>alert('x')</script>&amp;\" onload=x \u202eevil \u0645\u0631"
    data = site_data(project={"name": name, "description": "<!-- ]]> </script> -->"})
    data["drainage_areas"] = [{"id": "A", "outfall": "</script><img src=http://e.x/a.png>"}]
    ruling = sc.check_compliance(sc.sediment_load(built(data)))
    text = write_report(ruling, tmp_path / "x.htm").read_text(encoding="utf-8")
    reader = Reader(text)
    assert [own for tag, own in reader.attributes if tag == "script"] == [{"type": "application/json", "id": "result"}]
    assert not any(own.get("src", "").startswith("http") for _, own in reader.attributes)
    seen = "".join(reader.texts)
    assert name.replace("\u202e", "⟨U+202E⟩") in seen
    assert "</script><img src=http://e.x/a.png>" in seen
    assert reader.json["project"] == name


def test_it_prints_on_letter_paper_with_repeated_headings(made):
    assert "@page { size: letter;" in made[2]
    assert "thead { display: table-header-group; }" in made[2]
    assert made[2].count("<thead>") == made[2].count('<div class="table ')
