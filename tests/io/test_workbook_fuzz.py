"""Workbooks with anything in their cells: a site, or findings that name cells; never another error, and never long."""

import datetime
import io
import math
import random
import time

import pytest
from openpyxl import Workbook, load_workbook

import sedcalc as sc
from sedcalc.findings import InputError
from sedcalc.io.review_table import site_of_table
from sedcalc.io.site_workbook import is_site_workbook, site_of_sheets
from sedcalc.io.workbook import Cell, Sheet, read_sheets
from sedcalc.io.workbook_layout import divided, joined
from sedcalc.report.workbook import site_workbook
from sedcalc.site.checks import check_site
from sedcalc.site.parsing import parse_site

ODD = (
    *(
        "",
        " ",
        "x",
        "nan",
        "1e999999999",
        "-0",
        "1e400",
        "(none)",
        '"',
        ";;",
        '"a;',
        "=1",
        "A" * 33_000,
        "a" + " " * 32_000 + '"',
    ),
    *("((((" * 5_000, "9" * 400, "50 %", "100 %", "Total", "County", "t: 1", "R: nan", "Area: inf", "\x00"),
    *(0, -1, 1, 1e308, -1e-308, math.inf, math.nan, 10**40, True, False, 0.5),
    *(datetime.datetime(1900, 1, 1), datetime.datetime(9999, 12, 31), datetime.time(3), datetime.timedelta(days=2)),
)


def review_sheet():
    made = Workbook()
    sheet = made.active
    sheet.title = "t"
    sheet.append(["County", "Milwaukee, WI"])
    sheet.append(["Ordinance", "hales_corners_445"])
    sheet.append(["Area", 2])
    heads = [
        "Activity",
        "Begin",
        "End",
        "Period % R",
        "Annual R",
        "Soil texture",
        "K",
        "Slope",
        "Slope length",
        "LS",
        "C",
    ]
    sheet.append([*heads, "Soil loss", "Delivery factor", "Practice", "Discharge", "Ground unit", "P", "Efficiency"])
    for month in (4, 5, 6):
        days = (datetime.date(2027, month, 1), datetime.date(2027, month, 28))
        row = ["bare", *days, 5.0, 115, "silt loam", 0.44, 6, 120, 0.92, 1, 2.1, 1, "trap 80 %", 0.42, "u", 1, 0.8]
        sheet.append(row)
    sheet.append(["Total", *[None] * 10, 6.3, None, None, 1.26])
    return saved(made)


def saved(made):
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()


def changed(sheets, choose):
    """Up to four cells hold something odd, or nothing."""
    made = [Sheet(s.name, [dict(r) for r in s.rows]) for s in sheets]
    for _ in range(choose.randint(1, 4)):
        sheet = choose.choice(made)
        if not sheet.rows:
            continue
        row = choose.randrange(len(sheet.rows))
        column = choose.randrange(max([*sheet.rows[row], 0]) + 2)
        value = choose.choice(ODD)
        printed = repr(value) if isinstance(value, int | float) else ""
        if choose.random() < 0.2:
            sheet.rows[row].pop(column, None)
        else:
            sheet.rows[row][column] = Cell(sheet.ref(row, column), value, None, printed)
    return made


def read(sheets):
    found = site_of_sheets(sheets) if is_site_workbook(sheets) else site_of_table(sheets, "x")
    site, mistakes = parse_site(found.data)
    if site is not None:
        mistakes = mistakes + check_site(site)
    located = found.located(mistakes)
    errors = [f for f in [*found.findings, *located] if f.severity == "error"]
    assert all(f.message for f in errors)
    return site, errors


@pytest.mark.parametrize("kind", ["site", "table"])
def test_odd_cells_give_a_site_or_findings(kind):
    data = (
        review_sheet() if kind == "table" else site_workbook(sc.read_site(sc.example("hales_corners_submission.toml")))
    )
    sheets = read_sheets(data, "x.xlsx")
    assert read(sheets)[1] == []
    faulty = 0
    for seed in range(250):
        try:
            faulty += bool(read(changed(sheets, random.Random(seed)))[1])
        except InputError as error:
            faulty += bool(error.findings)
    assert faulty > 100


@pytest.mark.parametrize("text", [o for o in ODD if isinstance(o, str)])
def test_lists_in_cells_come_back(text):
    assert divided(joined([text, "b"])) == [text, "b"]
    start = time.perf_counter()
    divided(text)
    assert time.perf_counter() - start < 1.0


def test_a_workbook_full_of_mistakes_is_answered_in_time():
    """2,000 rows without what they need, in lists that refer to each other."""
    book = load_workbook(io.BytesIO(site_workbook(sc.read_site(sc.example("hales_corners_subdivision.toml")))))
    for i in range(2_000):
        book["Drainage areas"].append([f"a{i}", None])
        book["Segments"].append([f"u{i}", None, "x", 1])
        book["Slopes"].append(["mass grading", f"u{i}", 1, 1])
    sheets = read_sheets(saved(book), "x.xlsx")
    start = time.perf_counter()
    _, errors = read(sheets)
    assert time.perf_counter() - start < 20.0
    assert len(errors) > 1_000
    assert sum(f.code == "too-many-mistakes" for f in errors) == 1
