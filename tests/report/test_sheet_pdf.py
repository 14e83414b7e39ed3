"""The calculation sheet as PDF, read back with another program (PDFium): text, margins, fonts, tags, bytes."""

import ctypes
import datetime
import json
import os
import re
import subprocess
import sys
import unicodedata

import pytest

import sedcalc as sc
from builders import built, practice, site_data
from sedcalc.findings import EnvironmentFault, InputError
from sedcalc.report.results import run_object
from sedcalc.report.sheet import calculation_sheet, write_report
from sedcalc.report.sheet_blocks import Picture, Step, Table, walk
from sedcalc.units import area_digits
from sheet_reading import numbers

pdfium = pytest.importorskip("pypdfium2")
raw = pytest.importorskip("pypdfium2.raw")
pytest.importorskip("typst")

EXAMPLES = ("hales_corners_subdivision.toml", "graded_pad/site.toml")
LETTER = (612.0, 792.0)
LEFT, RIGHT, BOTTOM, TOP = 0.85 * 72, 612 - 0.8 * 72, 28.0, 792 - 30.0  # margins; foot and head stand in the last two
NASTY = '#import "x" <script>alert(1)</script> $x$ \\back `raw` @ref *b* #pagebreak() // c'


def ruled(data):
    return sc.check_compliance(sc.sediment_load(built(data)))


@pytest.fixture(scope="module", params=EXAMPLES)
def made(request, tmp_path_factory):
    ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example(request.param))))
    path = tmp_path_factory.mktemp("sheet") / "calculation.pdf"
    assert write_report(ruling, path) == path
    return ruling, path


@pytest.fixture(scope="module")
def pages(made):
    return pages_of(made[1])


class Page:
    """Text of a page and the boxes of its characters."""

    def __init__(self, page):
        text = page.get_textpage()
        self.size = page.get_size()
        self.text = text.get_text_range()
        self.boxes = []
        for i in range(text.count_chars()):
            character = text.get_text_range(i, 1)
            if character.strip() and unicodedata.category(character[0]) not in ("Cf", "Cc"):
                self.boxes.append((i, character, text.get_charbox(i)))


def pages_of(path):
    document = pdfium.PdfDocument(path)
    return [Page(page) for page in document]


def flat(text):
    """Text without the breaks that lines and long words have."""
    return re.sub(r"[\u200b\ufffe\u0002\s]+", "", unicodedata.normalize("NFKC", text))


def check_layout(pages):
    for number, page in enumerate(pages, start=1):
        assert page.size == LETTER
        assert f"Page {number} of {len(pages)}" in page.text
        for _, character, (left, bottom, right, top) in page.boxes:
            inside = left >= LEFT - 0.6 and right <= RIGHT + 0.6 and bottom >= BOTTOM and top <= TOP
            assert inside, (number, character, left, bottom, right, top)
        check_no_overlap(number, page.boxes)


def check_no_overlap(number, boxes):
    """No character lies on another but its neighbours, with which it may be one ligature."""
    ordered = sorted(boxes, key=lambda b: b[2][0])
    for n, (i, one, (left, bottom, right, top)) in enumerate(ordered):
        for j, other, (l2, b2, r2, t2) in ordered[n + 1 :]:
            if l2 >= right:
                break
            wide, high = min(right, r2) - l2, min(top, t2) - max(bottom, b2)
            small = min((right - left) * (top - bottom), (r2 - l2) * (t2 - b2))
            if wide > 0 and high > 0 and wide * high > 0.4 * small:
                assert abs(i - j) <= 3, (number, one, other, left, bottom)


def test_nothing_leaves_the_page_or_lies_on_other_text(pages):
    check_layout(pages)


def test_every_number_of_the_sheet_is_printed(made, pages):
    text = flat("".join(p.text for p in pages))
    for number in numbers(calculation_sheet(made[0])):
        assert flat(number.text) in text, number


def test_every_row_of_the_load_table_is_whole_on_a_page(made, pages):
    """f, LS, C, P, A, tons of a row, one after the other on one page, under the table's heading."""
    rows = run_object(made[0])["rows"]
    names = [("ei_fraction", 4), ("LS", 3), ("C", 4), ("P", 3), ("soil_loss_tons_per_acre", 3), ("soil_loss_tons", 2)]
    names += [("delivered_tons", 2), ("trapped_tons", 2), ("discharge_tons", 2), ("discharge_tons_per_acre", 2)]
    for row in rows:
        digits = [(row[n], area_digits(row[n]) if n.endswith("_tons") else d) for n, d in names]
        line = flat("".join(f"{value:,.{d}f}" for value, d in digits))
        there = [p for p in pages if line in flat(p.text)]
        assert there, line
        assert all("Eroded" in p.text and "Trapped" in p.text for p in there)


def test_fonts_are_inside(made):
    document = pdfium.PdfDocument(made[1])
    names = set()
    for page in document:
        for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=5):
            font = raw.FPDFTextObj_GetFont(item.raw)
            name = ctypes.create_string_buffer(200)
            raw.FPDFFont_GetBaseFontName(font, name, 200)
            assert raw.FPDFFont_GetIsEmbedded(font) == 1, name.value
            names.add(name.value.decode().partition("+")[2])
    assert {"LibertinusSerif-Regular", "LibertinusSerif-Bold"} <= names


def test_it_says_that_it_is_accessible_and_is_tagged(made):
    data = made[1].read_bytes()
    assert re.search(rb"pdfuaid:part>?=?\"?1", data)
    document = pdfium.PdfDocument(made[1])
    assert raw.FPDFCatalog_IsTagged(document.raw)
    language = ctypes.create_string_buffer(40)
    raw.FPDFCatalog_GetLanguage(document.raw, ctypes.cast(language, ctypes.POINTER(ctypes.c_ushort)), 40)
    assert language.raw.decode("utf-16-le").startswith("en")


def test_figures_and_formulas_have_alternative_texts(made):
    sheet = calculation_sheet(made[0])
    found = {"Figure": [], "Formula": [], "Table": []}
    document = pdfium.PdfDocument(made[1])
    for page in document:
        tree = raw.FPDF_StructTree_GetForPage(page.raw)
        for i in range(raw.FPDF_StructTree_CountChildren(tree)):
            collect(raw.FPDF_StructTree_GetChildAtIndex(tree, i), found)
        raw.FPDF_StructTree_Close(tree)
    blocks = [b for s in walk(sheet.sections) for b in s.blocks]
    pictures = {b.alt for b in blocks if isinstance(b, Picture)}
    assert pictures <= set(found["Figure"])
    assert len([f for f in found["Formula"] if f]) >= sum(isinstance(b, Step) for b in blocks)
    assert all(found["Formula"])
    assert len(found["Table"]) >= sum(isinstance(b, Table) for b in blocks)


def collect(element, found):
    def read(getter):
        size = getter(element, None, 0)
        data = ctypes.create_string_buffer(max(size, 2))
        getter(element, data, size)
        return data.raw[: max(size - 2, 0)].decode("utf-16-le")

    kind = read(raw.FPDF_StructElement_GetType)
    if kind in found:
        found[kind].append(read(raw.FPDF_StructElement_GetAltText))
    for i in range(raw.FPDF_StructElement_CountChildren(element)):
        child = raw.FPDF_StructElement_GetChildAtIndex(element, i)
        if child:
            collect(child, found)


def test_bookmarks_are_the_sections_on_their_pages(made, pages):
    document = pdfium.PdfDocument(made[1])
    marks = [(mark.get_title(), mark.get_dest().get_index()) for mark in document.get_toc()]
    sections = walk(calculation_sheet(made[0]).sections)
    assert [" ".join(title.split()) for title, _ in marks] == [f"{s.number} {s.title}" for s in sections]
    assert all(flat(title) in flat(pages[page].text) for title, page in marks)
    contents = flat(pages[0].text)
    for title, page in marks:
        if "." not in title.split()[0]:
            assert re.search(re.escape(flat(title)) + rf"\.*{page + 1}", contents), title


def test_it_names_no_day_but_those_of_the_site(made):
    properties = pdfium.PdfDocument(made[1]).get_metadata_dict()
    assert properties["CreationDate"] == properties["ModDate"] == ""
    assert properties["Title"] == f"{made[0].load.site.project.name}: sediment load calculation"
    assert b"CreateDate" not in made[1].read_bytes()


def test_it_carries_the_runs_json(made):
    document = pdfium.PdfDocument(made[1])
    assert document.count_attachments() == 1
    attached = document.get_attachment(0)
    assert attached.get_name() == "result.json"
    assert json.loads(bytes(attached.get_data())) == json.loads(json.dumps(run_object(made[0])))


def test_the_same_bytes_again_and_from_another_process(made, tmp_path):
    ruling, path = made
    again = write_report(ruling, tmp_path / "again.pdf")
    assert again.read_bytes() == path.read_bytes()
    other = tmp_path / "other.pdf"
    site = sc.example(EXAMPLES[0] if ruling.load.site.grid is None else EXAMPLES[1])
    environment = {**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-m", "sedcalc", "report", str(site), "--out", str(other)]
    code = "import sys; from sedcalc.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *command[3:]]
    subprocess.run(command, check=True, env=environment, cwd=tmp_path, capture_output=True)
    assert other.read_bytes() == path.read_bytes()


def test_the_number_of_pages_is_that_of_its_content(pages, made):
    """A tabular site of 31 rows fits in 20 pages; a map takes half a page more."""
    maps = 0 if made[0].load.site.grid is None else 2 + len(made[0].load.site.phases)
    assert 12 <= len(pages) <= 20 + maps


def test_text_of_a_site_is_text(tmp_path):
    """Markup, quotes, other scripts, pictographs, words without an end: printed as they stand, inside the page."""
    data = site_data(
        project={
            "name": NASTY,
            "applicant": "\U0001f600 \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u4e2d \u202eevil",
            "address": "W" * 500,
            "prepared_by": "M" * 300,
            "description": "#let x = 1\n#x",
            "explanation": "<b>#x</b>",
        }
    )
    long = "x" * 80
    data["drainage_areas"] = [{"id": long, "outfall": "#emph[y]"}]
    data["ground_units"][0] |= {"drainage_area": long, "id": "\u0645\u0631\u062d\u0628\u0627" * 16}
    data["phases"][0] |= {"units": ["\u0645\u0631\u062d\u0628\u0627" * 16], "id": "$a$ <i> " + "Z" * 70}
    data["practices"] = [practice("p" * 80, 0.5, drainage_areas=[long])]
    path = write_report(ruled(data), tmp_path / "nasty.pdf")
    pages = pages_of(path)
    check_layout(pages)
    text = flat("".join(p.text for p in pages))
    for part in (NASTY, "W" * 500, "M" * 300, "#let x = 1 #x", "<b>#x</b>", "#emph[y]", "$a$ <i> " + "Z" * 70):
        assert flat(part) in text, part
    assert "\U0001f600" in text
    assert flat("⟨U+4E2D⟩") in text
    assert flat("⟨U+202E⟩evil") in text


@pytest.mark.parametrize("changes", [{}, {"ordinance": "city_40_886"}, {"practices": [practice("fence", 0.6)]}])
def test_other_rulings_have_their_sheet(changes, tmp_path):
    ruling = ruled(site_data(**changes))
    pages = pages_of(write_report(ruling, tmp_path / "x.pdf"))
    check_layout(pages)
    titles = {"meets": "Meets the limit", "exceeds": "Exceeds the limit", "not_applicable": "No limit applies"}
    assert titles[ruling.status] in pages[0].text


def test_many_phases_and_long_tables_keep_to_their_pages(tmp_path):
    """Thirty phases of twelve days: the charts are scaled to a page, the tables go on with their headings."""
    data = site_data()
    first = datetime.date(2027, 1, 1)
    data["phases"] = [
        {
            "id": f"phase {i}",
            "start": str(first + datetime.timedelta(days=12 * i)),
            "end": str(first + datetime.timedelta(days=12 * i + 11)),
            "units": ["u1"],
            "cover": {"C": 0.5, "source": "test"},
        }
        for i in range(30)
    ]
    ruling = ruled(data)
    pages = pages_of(write_report(ruling, tmp_path / "many.pdf"))
    check_layout(pages)
    assert all(p.width_in <= 6.8 for s in walk(calculation_sheet(ruling).sections) for p in s.blocks if is_picture(p))
    going_on = [p for p in pages if "phase 28" in p.text and "Cover; surface condition" in p.text]
    assert going_on


def is_picture(block):
    return isinstance(block, Picture)


def test_without_typst_it_says_how_to_get_it_and_html_works(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "typst", None)
    ruling = ruled(site_data())
    with pytest.raises(EnvironmentFault, match=r"pip install typst"):
        write_report(ruling, tmp_path / "x.pdf")
    assert list(tmp_path.iterdir()) == []
    assert write_report(ruling, tmp_path / "x.html").stat().st_size > 10_000


@pytest.mark.parametrize("name", ["x.docx", "x", "missing/x.pdf", "folder.pdf"])
def test_a_place_that_cannot_be_written_is_named(name, tmp_path):
    (tmp_path / "folder.pdf").mkdir()
    with pytest.raises(InputError, match=re.escape(name.partition("/")[0])):
        write_report(ruled(site_data()), tmp_path / name)


def test_a_file_is_replaced_whole_or_not_at_all(monkeypatch, tmp_path):
    path = tmp_path / "x.html"
    path.write_text("old")

    def fail(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(EnvironmentFault, match="No space left"):
        write_report(ruled(site_data()), path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.html"]
