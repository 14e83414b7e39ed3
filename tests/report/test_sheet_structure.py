"""The structure of the PDF, read from its bytes: what PDF/UA-1 (ISO 14289-1) asks that a machine can check.

The numbers in brackets are clauses of ISO 14289-1:2014. What is not checked here: reading order, contrast, and whether
alternative texts say what a picture shows, which a person must judge; fonts and bytes are checked beside this.
"""

import re
from collections import Counter
from itertools import pairwise

import pytest

import sedcalc as sc
from sedcalc.report.sheet import calculation_sheet
from sedcalc.report.sheet_blocks import Facts, Picture, Step, Table, walk

pytest.importorskip("typst")

EXAMPLES = ("hales_corners_subdivision.toml", "graded_pad/site.toml")
# ISO 32000-1:2008, 14.8.4: standard structure types.
STANDARD = set(
    re.findall(
        r"\w+",
        "Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6 "
        "L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby "
        "Warichu Figure Formula Form",
    )
)
# Which elements may hold these, 14.8.4.3.
PARENTS = {
    "LI": {"L"},
    "Lbl": {"LI", "Reference", "Note", "TOCI"},
    "LBody": {"LI"},
    "TR": {"Table", "THead", "TBody", "TFoot"},
    "THead": {"Table"},
    "TBody": {"Table"},
    "TH": {"TR"},
    "TD": {"TR"},
    "TOCI": {"TOC"},
}


class Tree:
    """Objects of a file whose structure elements stand in it uncompressed."""

    def __init__(self, data):
        pairs = re.findall(rb"(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj", data, re.DOTALL)
        self.objects = {int(number): body for number, body in pairs}
        (self.catalog,) = [b for b in self.objects.values() if b.startswith(b"<</Type/Catalog")]
        (self.root,) = [b for b in self.objects.values() if b.startswith(b"<</Type/StructTreeRoot")]
        self.roles = dict(re.findall(r"/(\w+)/(\w+)", re.search(rb"/RoleMap<<(.*?)>>", self.root)[1].decode()))
        self.elements = {n: b for n, b in self.objects.items() if b.startswith(b"<</Type/StructElem")}

    def kind(self, number):
        name = re.search(rb"/S/(\w+)", self.elements[number])[1].decode()
        return self.roles.get(name, name)

    def children(self, number):
        """Numbers of the elements below, in reading order; marked content itself is left out."""
        body = self.root if number is None else self.elements[number]
        held = re.search(rb"/K\[(.*?)\]", body)
        found = [int(n) for n in re.findall(rb"(\d+) 0 R", held[1] if held else b"")]
        return [n for n in found if n in self.elements]

    def walk(self, number=None, parent=None):
        for child in self.children(number):
            yield child, parent
            yield from self.walk(child, child)


@pytest.fixture(scope="module", params=EXAMPLES)
def sheet(request):
    return calculation_sheet(sc.check_compliance(sc.sediment_load(sc.read_site(sc.example(request.param)))))


@pytest.fixture(scope="module")
def tree(sheet):
    from sedcalc.report.sheet_pdf import pdf_bytes

    return Tree(pdf_bytes(sheet))


def blocks(sheet, kind):
    return [b for s in walk(sheet.sections) for b in s.blocks if isinstance(b, kind)]


def test_the_file_is_tagged_has_a_language_and_shows_its_title(tree):
    """[6.2, 7.1, 7.2]"""
    assert b"/MarkInfo<</Marked true/Suspects false>>" in tree.catalog
    assert b"/Lang(en)" in tree.catalog
    assert b"/DisplayDocTitle true" in tree.catalog


def test_every_element_is_reached_and_of_a_standard_type(tree):
    """[7.1]: no element beside the tree, no type that a reader does not know."""
    reached = [n for n, _ in tree.walk()]
    assert sorted(reached) == sorted(tree.elements)
    assert {tree.kind(n) for n in reached} <= STANDARD
    assert tree.kind(tree.children(None)[0]) == "Document"


def test_elements_stand_where_they_may(tree):
    for number, parent in tree.walk():
        kind = tree.kind(number)
        if kind in PARENTS:
            assert tree.kind(parent) in PARENTS[kind], (kind, tree.kind(parent))


def test_headings_are_the_sections_and_skip_no_level(tree, sheet):
    """[7.4.2]"""
    levels = [int(tree.kind(n)[1:]) for n, _ in tree.walk() if re.fullmatch(r"H\d", tree.kind(n))]
    assert levels == [1 + s.number.count(".") for s in walk(sheet.sections)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_tables_have_heading_cells_with_a_scope_and_rows_of_one_width(tree, sheet):
    """[7.5]: and a list of terms, not a table, for names with their values."""
    tables = [n for n, _ in tree.walk() if tree.kind(n) == "Table"]
    assert len(tables) == len(blocks(sheet, Table))
    for table in tables:
        cells = [n for n, _ in tree.walk(table) if tree.kind(n) == "TH"]
        assert cells
        assert all(re.search(rb"/Scope/(Column|Row|Both)", tree.elements[n]) for n in cells)
        rows = [n for n, _ in tree.walk(table) if tree.kind(n) == "TR"]
        widths = {sum(span(tree.elements[c]) for c in tree.children(r)) for r in rows}
        assert len(widths) == 1, widths
    pairs = sum(len(b.pairs) for b in [sheet.about, *blocks(sheet, Facts)])
    kinds = Counter(tree.kind(n) for n, _ in tree.walk())
    assert kinds["Lbl"] >= pairs
    assert kinds["LI"] == kinds["LBody"]


def span(cell):
    found = re.search(rb"/ColSpan (\d+)", cell)
    return int(found[1]) if found else 1


def test_pictures_and_formulas_have_alternative_texts(tree, sheet):
    """[7.3, 7.7]"""
    for kind, least in (("Figure", len(blocks(sheet, Picture))), ("Formula", len(blocks(sheet, Step)))):
        found = [n for n, _ in tree.walk() if tree.kind(n) == kind]
        assert len(found) >= least
        assert all(re.search(rb"/Alt(\((?!\))|<(FEFF)?[0-9A-F]{4})", tree.elements[n]) for n in found)


def test_links_say_where_they_lead_and_pages_are_tabbed_by_structure(tree):
    """[7.18.3, 7.18.5]"""
    links = [b for b in tree.objects.values() if b"/Subtype/Link" in b]
    assert links
    for link in links:
        assert re.search(rb"/Contents[(<].", link)
        assert b"/StructParent " in link
    linked = {b for n, b in tree.objects.items() if re.match(rb"<</Type/Page/", b) and b"/Annots" in b}
    assert linked
    assert all(b"/Tabs/S" in b for b in linked)


def test_a_file_without_headings_would_fail(sheet):
    """The reader sees what is there: a table whose heading cells are made data cells has none."""
    from sedcalc.report.sheet_pdf import pdf_bytes

    broken = Tree(pdf_bytes(sheet).replace(b"/S/TH/", b"/S/TD/"))
    assert not [n for n, _ in broken.walk() if broken.kind(n) == "TH"]
