"""Cells of workbooks: values as stored, and what is refused."""

import datetime
import io
import zipfile

import pytest
from openpyxl import Workbook

from sedcalc.findings import InputError
from sedcalc.io import workbook
from sedcalc.io.workbook import printed_number, read_sheets


def book(*rows, title="Sheet"):
    made = Workbook()
    made.active.title = title
    for row in rows:
        made.active.append(row)
    return made


def saved(made):
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()


def repacked(data, extra=None, change=None):
    """The archive with further parts, and with parts changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(name, content) if change else content)
        for name, content in (extra or {}).items():
            new.writestr(name, content)
    return made.getvalue()


def refusal(data):
    with pytest.raises(InputError) as raised:
        read_sheets(data, "x.xlsx")
    (finding,) = raised.value.findings
    return finding


def test_values_are_taken_as_they_are_stored():
    made = book(["1.20", 1.2, 3, True, datetime.date(2027, 5, 1), None, "=x"])
    made.active["G1"].data_type = "s"
    (sheet,) = read_sheets(saved(made), "x.xlsx")
    cells = sheet.rows[0]
    assert [cells[k].value for k in sorted(cells)] == ["1.20", 1.2, 3, True, datetime.datetime(2027, 5, 1), "=x"]
    assert [cells[k].ref for k in sorted(cells)] == [
        "Sheet!A1",
        "Sheet!B1",
        "Sheet!C1",
        "Sheet!D1",
        "Sheet!E1",
        "Sheet!G1",
    ]
    assert isinstance(cells[2].value, int)


@pytest.mark.parametrize(
    ("value", "number_format", "printed"),
    [
        (0.8, "0.00", "0.80"),
        (2.0953, "0.00", "2.10"),
        (0.125, "0.00", "0.13"),  # Excel rounds halves up; Python's own format gives 0.12
        (1234.5, "#,##0.0", "1234.5"),
        (0.431, "0.0%", "0.431"),
        (0.43, "0%", "0.43"),
        (0.43, "0.00_);(0.00)", "0.43"),
        (2.0953, "General", "2.0953"),
        (115, "0", "115"),
        (1e300, "0.00", "1e+300"),
    ],
)
def test_a_number_is_printed_as_its_format_shows_it(value, number_format, printed):
    assert printed_number(value, number_format)[0] == printed


def test_a_formula_without_a_stored_value_and_an_error_are_said():
    made = book([1, "=A1+1", "#REF!"])
    made.active["C1"].data_type = "e"
    (sheet,) = read_sheets(saved(made), "x.xlsx")
    assert "without a stored value" in sheet.rows[0][1].problem
    assert sheet.rows[0][2].problem == "holds the error #REF!"


def test_a_formula_counts_with_its_stored_value():
    def store(name, content):
        return content.replace(b"<f>A1+1</f><v></v>", b"<f>A1+1</f><v>2</v>").replace(
            b"<f>A1+1</f><v />", b"<f>A1+1</f><v>2</v>"
        )

    (sheet,) = read_sheets(repacked(saved(book([1, "=A1+1"])), change=store), "x.xlsx")
    assert (sheet.rows[0][1].value, sheet.rows[0][1].problem) == (2, None)


@pytest.mark.parametrize(
    ("part", "what"),
    [
        ("xl/externalLinks/externalLink1.xml", "links to other workbooks"),
        ("xl/connections.xml", "data connections"),
        ("xl/queryTables/queryTable1.xml", "data connections"),
        ("xl/vbaProject.bin", "macros"),
        ("xl/embeddings/oleObject1.bin", "embedded files"),
        ("XL/ExternalLinks/a.xml", "links to other workbooks"),
    ],
)
def test_what_reaches_outside_or_runs_is_refused(part, what):
    found = refusal(repacked(saved(book([1])), {part: b"<a/>"}))
    assert found.code == "workbook-refused"
    assert what in found.message


ENTITY = '<?xml version="1.0"{}?><!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>'


@pytest.mark.parametrize(
    "content",
    [
        ENTITY.format("").encode(),
        ENTITY.format(' encoding="UTF-16"').encode("utf-16"),
        b'<!DOCTYPE a SYSTEM "http://x/"><a/>',
    ],
)
def test_xml_entities_are_refused(content):
    found = refusal(repacked(saved(book([1])), {"xl/other.xml": content}))
    assert found.code == "workbook-refused"
    assert "entities" in found.message


@pytest.mark.parametrize(
    ("name", "value", "data"),
    [
        ("EXPANDED_BYTES", 10_000, lambda: repacked(saved(book([1])), {"xl/media/a.bin": bytes(1_000_000)})),
        ("PARTS", 20, lambda: repacked(saved(book([1])), {f"xl/media/{i}": b"" for i in range(20)})),
        ("SHEETS", 1, lambda: saved(two_sheets())),
        ("ROWS", 3, lambda: saved(book([1], [2], [3], [4]))),
        ("COLUMNS", 3, lambda: saved(book([1, 2, 3, 4]))),
        ("CELLS", 3, lambda: saved(book([1, 2], [3, 4]))),
    ],
)
def test_limits_are_kept_and_the_operator_can_raise_them(name, value, data, monkeypatch):
    monkeypatch.setenv(f"SEDCALC_MAX_WORKBOOK_{name}", str(value))
    found = refusal(data())
    assert found.code == "workbook-too-large"
    assert f"SEDCALC_MAX_WORKBOOK_{name}" in found.message
    monkeypatch.delenv(f"SEDCALC_MAX_WORKBOOK_{name}")
    assert read_sheets(data(), "x.xlsx")


def two_sheets():
    made = book([1])
    made.create_sheet("b").append([1])
    return made


def test_a_cell_far_down_is_seen_whatever_dimension_the_sheet_states(monkeypatch):
    """The stated dimension is A1; a value in the last row of any sheet goes beyond the limit and is not dropped."""
    made = book([1])
    made.active["A1048576"] = 5

    def lie(name, content):
        return content.replace(b'ref="A1:A1048576"', b'ref="A1"')

    found = refusal(repacked(saved(made), change=lie))
    assert "rows" in found.message


def test_a_merged_range_over_the_whole_sheet_costs_nothing():
    def merge(name, content):
        return content.replace(
            b"</sheetData>", b'</sheetData><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>'
        )

    data = repacked(saved(book([1])), change=merge)
    assert b"mergeCell" in zipfile.ZipFile(io.BytesIO(data)).read("xl/worksheets/sheet1.xml")
    assert read_sheets(data, "x.xlsx")[0].rows[0][0].value == 1


def test_cells_spread_over_all_columns_are_refused(monkeypatch):
    monkeypatch.setattr(workbook, "_MAX_PLACES", 50_000)
    rows = b"".join(b'<row r="%d"><c r="XFD%d"/></row>' % (i, i) for i in range(2, 10))

    def spread(name, content):
        return content.replace(b"</sheetData>", rows + b"</sheetData>")

    assert "spread" in refusal(repacked(saved(book([1])), change=spread)).message


@pytest.mark.parametrize("data", [b"", b"PK", b"not a workbook", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_workbook_is_said_so(data):
    assert refusal(data).code == "not-a-workbook"


def test_a_number_that_is_none_is_said_in_words():
    data = repacked(saved(book([1])), change=lambda name, content: content.replace(b'r="1"', b'r="NaN"'))
    found = refusal(data)
    assert found.code == "not-a-workbook"
    assert "save it anew" in found.message
    assert "Error" not in found.message
    assert "int()" not in found.message


def test_damaged_workbooks_are_input_errors():
    """Bytes here and there are changed, and the file is cut short: never anything but cells or an InputError."""
    data = saved(book(["a", 1, datetime.date(2027, 1, 1)]))
    codes = set()
    for at in range(0, len(data), 97):
        for damaged in (data[:at], data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]):
            try:
                read_sheets(damaged, "x.xlsx")
            except InputError as error:
                codes |= {f.code for f in error.findings}
    assert "not-a-workbook" in codes
    assert codes <= {"not-a-workbook", "workbook-refused", "workbook-too-large"}
