"""Reviewers' tables: a submitted sheet is verified as it is; what cannot be assumed is an error that names the cell."""

import datetime
import re
from pathlib import Path

import pytest
from openpyxl import Workbook

import sedcalc as sc
from sedcalc.findings import InputError
from sedcalc.report.verify_results import verify_object

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


VERIFIED_BUT_FOR_EFFICIENCY = [("efficiency", 3)]


def outcome(result):
    """Of how many rows which factors are taken from the claims, where all that can be compared holds."""
    assert result.status == "cannot_be_determined", result.sentences
    assert result.sentences == ()
    assert all(v.passed is not False for v in result.values)
    names = [t.quantity for t in result.taken]
    return [(n, names.count(n)) for n in dict.fromkeys(names)]


def sized(sheet):
    """Leave out practices, so that the table states no efficiency: every row discharges its soil loss."""
    for row in (7, 8, 9):
        sheet[f"N{row}"].value, sheet[f"O{row}"].value = None, sheet[f"L{row}"].value


def mistakes(path):
    with pytest.raises(InputError) as raised:
        sc.read_site(path)
    return {f.where: f.message for f in raised.value.findings}


def assumptions(result):
    return {f.message: f.where for f in result.findings if f.code == "assumed-from-table"}


def test_a_correct_table_holds_and_what_was_assumed_is_said(tmp_path):
    result = sc.verify(table(tmp_path, total=(13.38, 2.68)))  # 0.4145 + 2.1715 + 0.0909, which the rows round
    assert outcome(result) == VERIFIED_BUT_FOR_EFFICIENCY
    claimed = {v.where: v.printed for v in result.values}
    assert claimed["claims.rows[0].ei_fraction"] == "0.045"
    assert claimed["claims.rows[1].soil_loss_tons_per_acre"] == "10.86"
    assert (claimed["claims.soil_loss_tons"], claimed["claims.discharge_tons"]) == ("13.38", "2.68")
    said = assumptions(result)
    assert any("each ground unit is 1 acre" in m for m in said)
    assert any("no drainage area" in m for m in said)
    assert any("no ground unit" in m for m in said)
    assert said["C = 1 is read as bare soil: no column 'cover' says what covers it"] == "Soil loss!K7 and 1 more"
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
    assert outcome(result) == VERIFIED_BUT_FOR_EFFICIENCY
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

    assert outcome(sc.verify(table(tmp_path, edit=edit))) == VERIFIED_BUT_FOR_EFFICIENCY


def test_a_row_that_ends_on_the_day_the_next_begins_is_read_as_one_day_less(tmp_path):
    rows = [(n, b, (2027, 5, 1) if n == "clearing" else e, *rest) for n, b, e, *rest in ROWS]
    result = sc.verify(table(tmp_path, rows=rows))
    assert outcome(result) == VERIFIED_BUT_FOR_EFFICIENCY
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
    assert outcome(result) == [("R", 3), ("efficiency", 3)]
    assert [v.passed for v in result.values if v.quantity == "R"] == [None] * 3
    assert any(m.startswith("annual R is taken as claimed") for m in assumptions(result))


def test_without_organic_matter_k_is_taken_as_claimed(tmp_path):
    result = sc.verify(table(tmp_path, lines=LINES[:3]))
    assert any(m.startswith("K is taken as claimed: the table gives no organic matter") for m in assumptions(result))
    assert outcome(result) == [("K", 3), ("efficiency", 3)]


def test_a_table_whose_factors_all_follow_from_elsewhere_is_verified(tmp_path):
    result = sc.verify(table(tmp_path, edit=sized))
    assert (result.status, result.taken) == ("verified", ())


def test_a_c_that_no_cover_gives_leaves_the_table_undetermined(tmp_path):
    """C 0.01 of bare ground, multiplied through: the soil losses are a hundredth of those above, 0.0207 and 0.1086."""
    rows = [(*row[:4], 0.01, loss, loss) for row, loss in zip(ROWS, (0.0207, 0.1086), strict=False)]

    def edit(sheet):
        for row in (7, 8):
            sheet[f"N{row}"].value = None
            sheet[f"L{row}"].number_format = sheet[f"O{row}"].number_format = "0.000"

    result = sc.verify(table(tmp_path, rows=rows, edit=edit))
    assert outcome(result) == [("C", 2)]
    assert [v.passed for v in result.values if v.quantity == "C"] == [None, None]
    assert "except C of 2 rows" in result.reason
    (found,) = [f for f in result.findings if f.code == "taken-as-claimed"]
    assert "column 'cover'" in found.message
    listed = verify_object(result)["taken_as_claimed"]
    assert [(t["quantity"], t["phase"]) for t in listed] == [("C", "clearing"), ("C", "grading")]


def test_a_delivery_factor_and_p_that_only_the_table_states_leave_it_undetermined(tmp_path):
    def edit(sheet):
        sized(sheet)
        sheet["P6"].value = "P"
        for row in (7, 8, 9):
            sheet[f"M{row}"].value, sheet[f"P{row}"].value = 0.5, 0.5
            sheet[f"L{row}"].value, sheet[f"O{row}"].value = None, None  # the factors alone

    assert outcome(sc.verify(table(tmp_path, edit=edit))) == [("delivery_ratio", 3), ("P", 3)]


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


# --- per cent, units, and what the reviewer supplies ---


def column(letter, values, number_format="General", heading=None):
    """An edit of the table that fills one column."""

    def edit(sheet):
        if heading is not None:
            sheet[f"{letter}6"].value = heading
        for row, value in zip((7, 8, 9), values, strict=True):
            sheet[f"{letter}{row}"].value = value
            sheet[f"{letter}{row}"].number_format = number_format

    return edit


@pytest.mark.parametrize(
    ("letter", "values", "number_format", "heading", "said"),
    [
        ("D", ["4.5%", "23.4 %", "49.0%"], "General", None, "period % r: '4.5%' and 2 more were read as per cent"),
        ("H", ["6 %"] * 3, "General", None, "slope: '6 %' and 2 more were read as per cent"),
        ("H", [0.06] * 3, "0%", None, None),
        ("P", ["80 %"] * 3, "General", "Efficiency", "efficiency: '80 %' and 2 more were read as per cent"),
        ("P", [80] * 3, "General", "Efficiency (%)", None),
        ("P", [0.8] * 3, "0%", "Efficiency (%)", None),
        ("P", [0.8] * 3, "General", "Efficiency", None),
    ],
)
def test_per_cent_may_be_written_in_any_usual_way(tmp_path, letter, values, number_format, heading, said):
    result = sc.verify(table(tmp_path, edit=column(letter, values, number_format, heading)))
    assert outcome(result) == VERIFIED_BUT_FOR_EFFICIENCY
    assert [f.message for f in result.findings if f.code == "read-as-percent"] == ([] if said is None else [said])


def test_lines_beside_the_table_may_say_per_cent_too(tmp_path):
    lines = [*LINES[:3], ["Organic matter: 1.5 %"], ["Percent reduction", "92.5 %"]]
    result = sc.verify(table(tmp_path, lines=lines))
    assert outcome(result) == VERIFIED_BUT_FOR_EFFICIENCY
    assert result.ruling.load.site.claims.percent_reduction == "92.5"
    assert result.ruling.load.site.soils[0].organic_matter_pct == 1.5


def test_a_share_where_per_cent_is_asked_for_is_named(tmp_path):
    result = sc.verify(table(tmp_path, edit=column("D", [0.045, 0.234, 0.490])))
    said = [s for s in result.sentences if s.startswith("ei_fraction")]
    assert len(said) == 3
    assert all("a share written where percent is asked for, a hundred times too small," in s for s in said)


def test_a_slope_as_a_fraction_is_named(tmp_path):
    result = sc.verify(table(tmp_path, edit=column("H", [0.06] * 3)))
    (said,) = [s for s in result.sentences if s.startswith("LS")]
    assert "6 % (the slope stated as the fraction 0.06) gives the claimed 0.92" in said


@pytest.mark.parametrize(
    ("values", "heading", "said"),
    [
        ([80] * 3, "Efficiency", "an efficiency of 80 is no share of 1; write 0.8, or 80 %"),
        ([0.8] * 3, "Efficiency (%)", "0.8 stands in a column of per cent; write 80 if it is a share of 1"),
    ],
)
def test_an_efficiency_a_hundred_times_off_is_refused(tmp_path, values, heading, said):
    assert mistakes(table(tmp_path, edit=column("P", values, heading=heading)))["Soil loss!P7"] == said


def test_k_in_si_units_is_named(tmp_path):
    """0.44 US is 0.05795 t ha h/(ha MJ mm): times 0.1317 of Agriculture Handbook 703."""
    result = sc.verify(table(tmp_path, edit=column("G", [0.0580] * 3, "0.0000")))
    assert any("K in SI units" in s for s in result.sentences if s.startswith("K"))


@pytest.mark.parametrize(
    ("number", "heading", "where", "said"),
    [
        (11, "Soil loss (t/ha)", "L6", "the table is read in tons/acre, and the heading says t/ha; convert it"),
        (4, "Annual R (MJ mm/ha h yr)", "E6", "read in US customary units"),
        (6, "K (SI)", "G6", "read in US customary units"),
    ],
)
def test_headings_in_other_units_are_refused(tmp_path, number, heading, where, said):
    path = table(tmp_path, heading=[*HEADING[:number], heading, *HEADING[number + 1 :]])
    assert said in mistakes(path)[f"Soil loss!{where}"]
    assert errors(path) == [("unit-differs", f"Soil loss!{where}")]


def errors(path, **options):
    with pytest.raises(InputError) as raised:
        sc.read_site(path, **options)
    return [(f.code, f.where) for f in raised.value.findings if f.severity == "error"]


def test_each_missing_line_is_one_error(tmp_path):
    path = table(tmp_path, lines=[LINES[0], LINES[3]])
    assert errors(path) == [("missing-field", "Soil loss!A1")] * 2


def test_each_heading_that_is_not_known_is_one_error_and_one_that_lacks(tmp_path):
    heading = [*HEADING[:7], "Steepness", *HEADING[8:]]
    path = table(tmp_path, heading=heading)
    assert errors(path) == [("unknown-field", "Soil loss!H6"), ("missing-field", "Soil loss!A6")]
    assert "rename it where it is 'slope'" in mistakes(path)["Soil loss!H6"]


def test_a_table_without_a_known_begin_is_still_a_table(tmp_path):
    path = table(tmp_path, heading=[HEADING[0], "Start of work", *HEADING[2:]])
    assert errors(path) == [("unknown-field", "Soil loss!B6"), ("missing-field", "Soil loss!A6")]


def test_a_column_of_remarks_is_left_alone(tmp_path):
    result = sc.verify(table(tmp_path, heading=[*HEADING, "Remarks"]))
    assert outcome(result) == VERIFIED_BUT_FOR_EFFICIENCY


def test_mistakes_in_one_row_do_not_hide_those_of_others(tmp_path):
    def edit(sheet):
        sheet["H7"].value = "steep"
        sheet["N8"].value, sheet["O8"].value = "mystery", None

    assert errors(table(tmp_path, edit=edit)) == [("wrong-kind", "Soil loss!H7"), ("missing-field", "Soil loss!N8")]


def test_the_reviewer_supplies_what_the_table_does_not_name(tmp_path):
    path = table(tmp_path, lines=[LINES[0], LINES[3]])
    result = sc.verify(path, ordinance="hales_corners_445", county="Milwaukee, WI")
    assert outcome(result) == VERIFIED_BUT_FOR_EFFICIENCY
    said = [m for m in assumptions(result) if "is the reviewer's" in m]
    assert len(said) == 2
    other = errors(table(tmp_path), ordinance="city_40_886", county="Dane, WI")
    assert other == [("supplied-differs", "Soil loss!B3"), ("supplied-differs", "Soil loss!A2")]
    assert outcome(sc.verify(table(tmp_path), ordinance="hales_corners_445")) == VERIFIED_BUT_FOR_EFFICIENCY


def test_a_site_file_takes_an_ordinance_only_where_it_names_none(tmp_path):
    text = sc.example("hales_corners_submission.toml").read_text(encoding="utf-8")
    path = tmp_path / "site.toml"
    path.write_text(text.replace('ordinance = "hales_corners_445"', ""), encoding="utf-8")
    result = sc.verify(path, ordinance="hales_corners_445")
    assert result.status == "verified"
    assert ("supplied", "ordinance") in {(f.code, f.where) for f in result.findings}
    path.write_text(text, encoding="utf-8")
    assert errors(path, ordinance="city_40_886") == [("supplied-differs", "ordinance")]


def test_the_table_of_the_guide_is_verified(tmp_path):
    """As docs/howto/reviewer.md prints it: dates and numbers typed as a person would."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "howto" / "reviewer.md").read_text(encoding="utf-8")
    lines = text[text.index("| County |") :].split("\n\n")[0].splitlines()
    made = Workbook()
    for line in lines:
        cells = [c.strip().strip("*") for c in line.strip("|").split("|")]
        made.active.append([_typed(c) for c in cells])
    for row, decimals in ((5, "0.00"), (6, "0.00")):
        for cell in made.active[row][8:10]:
            cell.number_format = decimals
    path = tmp_path / "guide.xlsx"
    made.save(path)
    result = sc.verify(path)
    assert result.status == "verified", result.sentences
    assert len(result.values) == 8  # R, period % R, LS and C of two rows


def _typed(text):
    if re.fullmatch(r"\d{1,2}/\d{1,2}/\d{4}", text):
        return datetime.datetime.strptime(text, "%m/%d/%Y").date()
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else text or None
