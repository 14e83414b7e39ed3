"""Reviewers' tables: a submitted sheet is verified as it is; what cannot be assumed is an error that names the cell."""

import datetime

import pytest
from openpyxl import Workbook

import sedcalc as sc
from sedcalc.findings import InputError

HEADING = [
    *(
        "Activity",
        "Begin",
        "End",
        "Period % R",
        "Annual R",
        "Soil texture",
        "K",
        "Slope (%)",
        "Slope length (ft)",
        "LS",
    ),
    *("C", "Soil loss (tons/acre)", "Delivery factor", "Practice", "Discharge (tons/acre)"),
]
LINES = [
    ["Project", "East lots"],
    ["County: Milwaukee, WI"],
    ["Ordinance", "hales_corners_445"],
    ["Organic matter (%)", 1.5],
]
FORMATS = {"D": "0.0%", "G": "0.000", "J": "0.00", "K": "0.00", "L": "0.00", "O": "0.00"}

# Of the shipped example's 'east lots' (silt loam, 1.5 % organic matter, 6 %, 120 ft), worked by hand from the tables:
# EI zone 101 by EPA Fact Sheet 3.1 gives the shares; K = 0.44 between 0.48 and 0.42 (Stewart et al. 1975); LS = 0.917.
ROWS = [
    ("clearing", (2027, 4, 5), (2027, 4, 30), 0.045, 1.0, 2.07, 0.41),
    ("grading", (2027, 5, 1), (2027, 6, 20), 0.234, 1.0, 10.86, 2.17),
    ("hay mulch 2.0 t/ac", (2027, 6, 21), (2027, 8, 31), 0.490, 0.02, 0.45, 0.09),
]


def table(tmp_path, rows=ROWS, lines=LINES, heading=HEADING, edit=None, total=None):
    made = Workbook()
    sheet = made.active
    sheet.title = "Soil loss"
    for line in [*lines, [], heading]:
        sheet.append(line)
    for name, begin, end, share, c, loss, discharge in rows:
        values = [
            name,
            datetime.date(*begin),
            datetime.date(*end),
            share,
            115,
            "silt loam",
            0.44,
            6,
            120,
            0.92,
            c,
            loss,
        ]
        sheet.append([*values, 1, "Sediment trap, 80 %", discharge])
    if total is not None:
        sheet.append(["Total", *[None] * 10, total[0], None, None, total[1]])
    for row in sheet.iter_rows(min_row=len(lines) + 3):
        for cell in row:
            if cell.column_letter in FORMATS:
                cell.number_format = FORMATS[cell.column_letter]
    if edit is not None:
        edit(sheet)
    path = tmp_path / "submitted.xlsx"
    made.save(path)
    return path


def mistakes(path):
    with pytest.raises(InputError) as raised:
        sc.read_site(path)
    return {f.where: f.message for f in raised.value.findings}


def assumptions(result):
    return {f.message: f.where for f in result.findings if f.code == "assumed-from-table"}


def test_a_correct_table_is_verified_and_what_was_assumed_is_said(tmp_path):
    result = sc.verify(table(tmp_path, total=(13.38, 2.68)))  # 0.4145 + 2.1715 + 0.0909, which the rows round
    assert (result.status, result.sentences) == ("verified", ())
    claimed = {v.where: v.printed for v in result.values}
    assert claimed["claims.rows[0].ei_fraction"] == "0.045"
    assert claimed["claims.rows[1].soil_loss_tons_per_acre"] == "10.86"
    assert (claimed["claims.soil_loss_tons"], claimed["claims.discharge_tons"]) == ("13.38", "2.68")
    said = assumptions(result)
    assert any("each ground unit is 1 acre" in m for m in said)
    assert any("no drainage area" in m for m in said)
    assert any("no ground unit" in m for m in said)
    assert (
        said["C is taken as claimed: no column 'cover' names a cover of the table `covers`"]
        == "Soil loss!K7 and 1 more"
    )
    assert any("efficiency" in m for m in said)
    assert any("stabilization" in m for m in said)
    assert not any(m.startswith(("K ", "annual R")) for m in said)
    site = result.ruling.load.site
    assert (site.project.name, site.location.county) == ("East lots", "Milwaukee, WI")
    assert site.phases[2].cover.name == "hay mulch 2.0 t/ac"
    assert [p.id for p in site.practices] == ["Sediment trap, 80 %"]


def test_a_wrong_ls_is_found(tmp_path):
    def edit(sheet):
        for row in (7, 8, 9):
            sheet[f"J{row}"].value = 0.72

    result = sc.verify(table(tmp_path, edit=edit))
    assert result.status == "not_verified"
    assert any(s.startswith("LS of 'clearing'") for s in result.sentences)


def test_percentages_may_stand_as_numbers_too(tmp_path):
    def edit(sheet):
        for row, value in ((7, 4.5), (8, 23.4), (9, 49.0)):
            sheet[f"D{row}"].value, sheet[f"D{row}"].number_format = value, "0.0"

    result = sc.verify(table(tmp_path, edit=edit))
    assert result.status == "verified"
    assert result.ruling.load.site.claims.rows[2].ei_fraction == "0.490"


def test_the_order_of_columns_and_other_names_for_them_do_not_matter(tmp_path):
    def edit(sheet):
        for row in sheet.iter_rows(min_row=6, min_col=10, max_col=11):  # LS and C change places
            a, b = row
            a.value, b.value = b.value, a.value
        for old, new in (
            ("B", "Begin date"),
            ("M", "SDF"),
            ("N", "Sediment control practice"),
            ("F", "Sub soil texture"),
        ):
            sheet[f"{old}6"].value = new

    assert sc.verify(table(tmp_path, edit=edit)).status == "verified"


def test_a_row_that_ends_on_the_day_the_next_begins_is_read_as_one_day_less(tmp_path):
    rows = [(n, b, (2027, 5, 1) if n == "clearing" else e, *rest) for n, b, e, *rest in ROWS]
    result = sc.verify(table(tmp_path, rows=rows))
    assert result.status == "verified"
    assert any("counts to the next" in m for m in assumptions(result))


def test_what_cannot_be_assumed_is_an_error_that_names_the_cell(tmp_path):
    def edit(sheet):
        sheet["H8"].value = None
        sheet["I9"].value = "120"
        sheet["B7"].value = "2027-04-05"

    found = mistakes(table(tmp_path, edit=edit))
    assert "slope is empty; it cannot be assumed" in found["Soil loss!H8"]
    assert "the text '120' stands where a number is wanted" in found["Soil loss!I9"]
    assert "stands where a date is wanted" in found["Soil loss!B7"]


@pytest.mark.parametrize(("line", "said"), [(1, "county"), (2, "ordinance")])
def test_lines_that_the_table_needs(tmp_path, line, said):
    lines = [x for i, x in enumerate(LINES) if i != line]
    assert said in mistakes(table(tmp_path, lines=lines))["Soil loss!A1"]


def test_without_a_county_r_is_taken_as_claimed_with_the_ei_zone(tmp_path):
    lines = [LINES[0], ["EI zone", 101], LINES[2], LINES[3]]
    result = sc.verify(table(tmp_path, lines=lines))
    assert result.status == "verified"
    assert any(m.startswith("annual R is taken as claimed") for m in assumptions(result))


def test_without_organic_matter_k_is_taken_as_claimed(tmp_path):
    result = sc.verify(table(tmp_path, lines=LINES[:3]))
    assert any(m.startswith("K is taken as claimed: the table gives no organic matter") for m in assumptions(result))


def test_an_efficiency_that_only_the_numbers_give_is_taken_from_them(tmp_path):
    def edit(sheet):
        for row in (7, 8, 9):
            sheet[f"N{row}"].value = "trap"

    result = sc.verify(table(tmp_path, edit=edit))
    assert any("what claimed soil loss and discharge give" in m for m in assumptions(result))
    efficiency = result.ruling.load.site.practices[0].efficiency
    assert efficiency == pytest.approx(1 - 0.41 / 2.07)  # of the first row


def test_rows_at_the_same_time_need_their_ground_units(tmp_path):
    rows = [ROWS[0], ("other ground", (2027, 4, 10), (2027, 4, 30), 0.045, 1.0, 2.07, 0.41)]
    assert "ground unit" in mistakes(table(tmp_path, rows=rows))["Soil loss!B8"]

    def edit(sheet):
        for row, name in ((6, "Ground unit"), (7, "pad"), (8, "road")):
            sheet[f"P{row}"].value = name

    site = sc.read_site(table(tmp_path, rows=rows, edit=edit))
    assert [(u.id, u.drainage_area) for u in site.ground_units] == [("pad", "pad"), ("road", "road")]


def test_ground_that_changes_without_a_ground_unit_is_a_mistake(tmp_path):
    def edit(sheet):
        sheet["F8"].value = "clay loam"

    assert "ground unit" in mistakes(table(tmp_path, edit=edit))["Soil loss!F8"]


def test_a_slope_that_grading_changes_goes_with_its_rows(tmp_path):
    def edit(sheet):
        sheet["H9"].value, sheet["J9"].value = 3, 0.44

    site = sc.read_site(table(tmp_path, edit=edit))
    assert [s.slope_pct for p in site.phases for s in p.slopes] == [3]
    assert site.ground_units[0].slope_pct == 6


def test_units_and_unknown_columns_are_reported(tmp_path):
    heading = [*HEADING[:8], "Slope length (m)", *HEADING[9:], "Colour"]
    found = mistakes(table(tmp_path, heading=heading))
    assert "says m" in found["Soil loss!I6"]
    assert "'Colour'" in found["Soil loss!P6"]


def test_several_delivery_factors_are_refused_and_one_is_taken(tmp_path):
    def edit(sheet):
        sheet["M8"].value = 0.7

    assert "one factor for the site" in mistakes(table(tmp_path, edit=edit))["Soil loss!M8"]

    def all_alike(sheet):
        for row in (7, 8, 9):
            sheet[f"M{row}"].value = 0.5
            sheet[f"O{row}"].value /= 2

    site = sc.read_site(table(tmp_path, edit=all_alike))
    assert site.delivery.ratio == 0.5
    assert "Soil loss!M7" in site.delivery.source


def test_a_cover_column_is_checked_against_the_table(tmp_path):
    def edit(sheet):
        for row, name in ((6, "Cover"), (7, "bare soil (fallow ground)"), (8, "bare"), (9, "gravel")):
            sheet[f"P{row}"].value = name

    assert "'bare'" in mistakes(table(tmp_path, edit=edit))["Soil loss!P8"]


def test_other_claims_stand_beside_the_table(tmp_path):
    lines = [*LINES, ["Percent reduction", 80.0], ["Verdict", "meets"], ["Area (acres)", 2.5]]

    def edit(sheet):
        sheet["B5"].number_format = "0.0"

    site = sc.read_site(table(tmp_path, lines=lines, edit=edit, total=(13.38, 2.67)))
    assert (site.claims.percent_reduction, site.claims.status) == ("80.0", "meets")
    assert site.ground_units[0].area == 2.5
    assert site.claims.soil_loss_tons is None  # a total per acre is no total in tons
    assert any(f.code == "total-not-compared" for f in site.reading)
