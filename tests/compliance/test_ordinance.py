"""Ordinances as data: every number, clause and quotation against the text of the code; broken files refused."""

import pickle
import re
from pathlib import Path

import pytest

from sedcalc.compliance.ordinance import CHECKS, load_ordinance, ordinance_names
from sedcalc.findings import InputError
from sedcalc.tables import data_folder

HALES_CORNERS = load_ordinance("hales_corners_445")
CITY = load_ordinance("city_40_886")
WORDS = {0.25: "1/4 mile", 1: "one", 5: "five", 7: "seven", 10: "ten"}
MONTHS = {4: "April", 7: "July", 10: "October"}


@pytest.fixture(scope="session")
def codes(shared_data: Path) -> Path:
    return shared_data.parent / "ordinances"


@pytest.fixture(scope="session")
def clauses(codes: Path) -> dict[str, str]:
    """Every clause of the village's article with its own text, read from the outline of the printed code."""
    found: dict[str, str] = {}
    section = letter = number = at = ""
    for line in (codes / "hales_corners_445_article_vi.txt").read_text(encoding="utf-8").splitlines():
        line = line.strip()
        if m := re.fullmatch(r"§ (445-6\.\d+) (.*)", line):
            section, letter, number, at = m[1], "", "", m[1]
            found[at] = m[2]
        elif section and re.fullmatch(r"[A-Z]\.", line):
            letter, number, at = line[0], "", section + line[0]
            found[at] = ""
        elif section and re.fullmatch(r"\(\d+\)", line):
            number = line
            at = section + letter + number
            found[at] = ""
        elif section and re.fullmatch(r"\([a-z]\)", line):
            at = section + letter + number + line
            found[at] = ""
        elif at:
            found[at] = f"{found[at]} {line}".strip()
    return found


def quotations(ordinance):
    """Every (clause, words of the code) of an ordinance."""
    parts = [*ordinance.numbers.values(), *ordinance.dates.values(), *ordinance.applicability]
    parts += [*ordinance.exemptions, *ordinance.plan_items]
    found = [(p.clause, p.text) for p in parts]
    mep = ordinance.clause("mep_factors")
    return found + [(mep, factor.text) for factor in ordinance.mep_factors]


def test_shipped_ordinances():
    assert ordinance_names() == ["city_40_886", "hales_corners_445"]
    assert all(load_ordinance(n).id == n for n in ordinance_names())


def test_every_quotation_stands_in_its_clause(clauses):
    assert len(clauses) > 150
    checked = quotations(HALES_CORNERS)
    for clause, text in checked:
        assert text in clauses[clause], (clause, text)
    assert len(checked) >= 22 + 10 + 51 + 6


def test_every_cited_clause_exists(clauses):
    cited = [*HALES_CORNERS.clauses.values(), *HALES_CORNERS.clauses_below_area.values()]
    cited += [n.clause for n in HALES_CORNERS.notes] + [HALES_CORNERS.standard.below_clause]
    assert set(cited) <= set(clauses)


def test_every_number_stands_in_its_own_quotation():
    for number in [*HALES_CORNERS.numbers.values(), *CITY.numbers.values()]:
        if number.id == "inspection_interval":
            assert "once each week" in number.text
            continue
        shown = f"{number.value:,g}" if number.value != 4000 else "4,000"
        said = {shown, WORDS.get(number.value, shown)}
        assert any(re.search(rf"(?<![\d.,]){re.escape(s)}(?![\d])", number.text) for s in said), number


# 445: value, unit and direction as the code's words say ("greater than", "under", "or more", "exceeding")
@pytest.mark.parametrize(
    ("id", "value", "unit", "clause", "inside", "outside"),
    [
        ("sediment_load", 5, "tons/acre/year", "445-6.9C(2)(a)", 5.0, 5.01),
        ("standard_area", 1, "acre", "445-6.9", 1.0, 0.99),
        ("addition_area", 100, "ft2", "445-6.8E", 100.1, 100.0),
        ("maintenance_area", 5, "acre", "445-6.4A(2)(e)", 4.99, 5.0),
        ("idle", 14, "calendar day", "445-6.9D(4)", 15, 14),
        ("stockpile_age", 7, "calendar day", "445-6.9C(1)(f)", 8, 7),
        ("steep_slope", 20, "percent", "445-6.9C(3)(c)", 20, 19.9),
        ("final_cover", 70, "percent", "445-6.5", 70, 69.9),
        ("inspection_rain", 0.5, "in", "445-6.10E(7)", 0.5, 0.49),
        ("inspection_after_rain", 24, "h", "445-6.10E(7)", 24, 24.1),
        ("inspection_interval", 7, "calendar day", "445-6.10E(7)", 7, 8),
        ("notice_of_start", 48, "h", "445-6.10E(1)", 48, 49),
        ("notice_of_completion", 14, "calendar day", "445-6.10E(2)", 14, 15),
        ("permit_duration", 180, "calendar day", "445-6.10G", 180, 181),
        ("permit_extension", 180, "calendar day", "445-6.10G", 180, 181),
        ("review", 10, "business day", "445-6.10C(1)", 10, 11),
        ("review_after_information", 5, "business day", "445-6.10C(4)", 5, 6),
        ("deemed_approval", 5, "business day", "445-6.10C(5)", 6, 5),
        ("map_scale", 100, "ft/in", "445-6.11B(4)", 100, 101),
        ("contour_interval", 5, "ft", "445-6.11B(4)", 5, 5.5),
    ],
)
def test_hales_corners_numbers(id, value, unit, clause, inside, outside):
    number = HALES_CORNERS.numbers[id]
    assert (number.value, number.unit, number.clause) == (value, unit, clause)
    assert number.holds(inside)
    assert not number.holds(outside)


def test_hales_corners_standard():
    s = HALES_CORNERS.standard
    assert HALES_CORNERS.no_standard is None
    assert (s.limit, s.unit, s.clause, s.applies_from_acres) == (5.0, "tons/acre/year", "445-6.9C(2)(a)", 1.0)
    assert (s.figure, s.scope, s.steep_slope_decisive) == ("worst_12_months", "each_drainage_area", False)


def test_hales_corners_clauses_of_checks():
    assert HALES_CORNERS.clause("percent_reduction") == "445-6.11B(3)(g)"
    assert HALES_CORNERS.clause("calculation") == "445-6.11B(3)(e)"
    assert HALES_CORNERS.clause("idle") == "445-6.9D(4)"
    assert HALES_CORNERS.clause("idle", acres=1.0) == "445-6.9D(4)"
    assert HALES_CORNERS.clause("idle", acres=0.99) == "445-6.8D(4)"
    assert HALES_CORNERS.clause("calculation", acres=0.99) == "445-6.11B(3)(e)"
    assert HALES_CORNERS.clause("completion") is None
    with pytest.raises(KeyError):
        HALES_CORNERS.clause("idel")


def test_hales_corners_plan_items_are_all_there(clauses):
    listed = {i.clause for i in HALES_CORNERS.plan_items}
    lettered = re.compile(r"445-6\.(11B\([345]\)|9C\([13]\))\([a-z]\)")
    assert {c for c in clauses if lettered.fullmatch(c)} <= listed
    assert {"445-6.11B(4)", "445-6.11B(5)", "445-6.11B(6)", "445-6.9C(4)"} <= listed
    assert [len([i for i in HALES_CORNERS.plan_items if i.part == p]) for p in ("contents", "map", "controls")] == [
        10,
        13,
        13,
    ]


def test_exemptions_and_exclusions():
    assert {e.id: e.clause for e in HALES_CORNERS.exemptions} == {
        "transportation_facility": "445-6.4A(2)(a)",
        "federal_npdes_exempt": "445-6.4A(2)(b)",
        "agriculture": "445-6.4A(2)(c)",
        "silviculture": "445-6.4A(2)(d)",
        "routine_maintenance": "445-6.4A(2)(e)",
        "state_agency": "445-6.4C",
    }
    assert HALES_CORNERS.exemption("routine_maintenance").numbers == ("maintenance_area",)
    with pytest.raises(InputError, match="silviculture"):
        HALES_CORNERS.exemption("forestry", where="project.exemption")


def test_mep_factors():
    assert len(HALES_CORNERS.mep_factors) == 6
    assert HALES_CORNERS.clause("mep_factors") == "445-6.6"
    assert HALES_CORNERS.clause("mep_explanation") == "445-6.9C(2)(c)"


def test_city_has_no_limit_and_invents_no_section(codes):
    text = " ".join((codes / "city_code_40_886_erosion_control.txt").read_text(encoding="utf-8").split())
    assert CITY.standard is None
    assert "NR 151" in CITY.no_standard.reason
    sections = re.compile(r"40-886(\([a-d]\)(\(\d\))?)?|40-887(\([1-5]\))?|40-939")
    cited = [(c, t) for c, t in quotations(CITY)] + [(c, "") for c in CITY.clauses.values()]
    cited += [(n.clause, "") for n in CITY.notes] + [(CITY.no_standard.clause, "")]
    for clause, words in cited:
        assert words in text, words
        assert sections.fullmatch(clause) or clause in text, clause


@pytest.mark.parametrize(
    ("id", "value", "unit", "clause"),
    [
        ("surface_area", 4000, "ft2", "40-887(1)"),
        ("fill_volume", 400, "yd3", "40-887(2)"),
        ("pipe_length", 300, "ft", "40-887(4)"),
    ],
)
def test_city_activities_from_the_number_on(id, value, unit, clause):
    number = CITY.numbers[id]
    assert (number.value, number.unit, number.clause) == (value, unit, clause)
    assert number.holds(value)
    assert not number.holds(value - 1)


def test_city_timetable():
    assert (CITY.numbers["review"].value, CITY.numbers["review"].unit) == (10, "working day")
    assert {d.id: (d.month, d.day) for d in CITY.dates.values()} == {
        "winter_occupancy_first": (10, 15),
        "winter_occupancy_last": (4, 15),
        "winter_completion": (7, 15),
    }
    for date in CITY.dates.values():
        assert f"{MONTHS[date.month]} {date.day}" in date.text
        assert date.clause == "Ord. No. 01-21, § 1(17.19(4)(d)), 1-25-2021"
    assert {a.id for a in CITY.applicability} >= {"street_works", "dewatering"}


VILLAGE = """
id = "another_village"
title = "Erosion control"
place = "Another Village"
text_source = "Code of 2020"

[standard]
limit = 7.5
unit = "tons/acre/year"
clause = "12.3(1)"
text = "no more than seven and one-half tons"
figure = "worst_12_months"
scope = "site"
applies_from_acres = 0.5
applies_clause = "12.2"
applies_text = "sites of one-half acre or more"

[numbers.idle]
value = 10
unit = "calendar day"
comparison = ">"
role = "applies"
clause = "12.4"
text = "more than ten days"

[[exemptions]]
id = "gardens"
clause = "12.1"
decided_by = "applicant"
text = "home gardens"
numbers = ["standard_area"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "village.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_new_village_is_a_new_file(tmp_path):
    village = load_ordinance(write(tmp_path, VILLAGE))
    assert village.standard.limit == village.numbers["sediment_load"].value == 7.5
    assert village.numbers["standard_area"].holds(0.5)
    assert village.standard.scope == "site"
    assert load_ordinance(str(write(tmp_path, VILLAGE))) == village
    assert pickle.loads(pickle.dumps(village)) == village


@pytest.mark.parametrize(
    ("old", "new", "path", "said"),
    [
        ("limit = 7.5", "limit = true", "standard.limit", "a number is required"),
        ("limit = 7.5", 'limit = "7.5"', "standard.limit", "a number is required"),
        ("limit = 7.5", "limit = nan", "standard.limit", "finite"),
        ("limit = 7.5", f"limit = 1{'0' * 400}", "standard.limit", "finite"),
        ("limit = 7.5", "limit = 0", "standard.limit", "above 0"),
        ("limit = 7.5\n", "", "standard.limit", "missing"),
        ("limit = 7.5", "limit = 7.5\nlimits = 1", "standard.limits", "unknown key"),
        ("tons/acre/year", "t/ha", "standard.unit", "tons/acre/year"),
        ('"worst_12_months"', '"best_year"', "standard.figure", "worst_12_months, average_year"),
        ('"site"', '["site"]', "standard.scope", "each_drainage_area"),
        ('clause = "12.4"', 'clause = " "', "numbers.idle.clause", "a text"),
        ('comparison = ">"', 'comparison = "more"', "numbers.idle.comparison", "one of <"),
        ("[numbers.idle]", "[numbers.sediment_load]", "numbers.sediment_load", "[standard]"),
        ("[numbers.idle]", '[numbers."Idle days"]', "numbers", "lower-case"),
        ('["standard_area"]', '["area"]', "exemptions[0].numbers", "no number 'area'"),
        ('decided_by = "applicant"', 'decided_by = "me"', "exemptions[0].decided_by", "applicant, reviewer"),
        ('id = "another_village"', 'id = "Another Village"', "id", "lower-case"),
        ("[standard]", "[standards]", "standards", "unknown key"),
        ("[numbers.idle]", '[clauses]\nidel = "1"\n[numbers.idle]', "clauses.idel", "unknown key"),
        ("[numbers.idle]", '[dates.d]\nmonth_day = "02-30"\n[numbers.idle]', "dates.d.month_day", "MM-DD"),
        ("[numbers.idle]", '[no_standard]\nreason = "x"\nclause = "1"\n[numbers.idle]', "standard", "exactly one"),
        ("[[exemptions]]", "[exemptions]", "exemptions", "array of tables"),
    ],
)  # fmt: skip
def test_one_mistake_is_named_by_its_path(tmp_path, old, new, path, said):
    assert old in VILLAGE
    with pytest.raises(InputError) as e:
        load_ordinance(write(tmp_path, VILLAGE.replace(old, new, 1)))
    messages = {f.where: f.message for f in e.value.findings}
    assert said in messages[f"village.toml: {path}"]


def test_all_mistakes_are_named_at_once(tmp_path):
    broken = VILLAGE.replace("limit = 7.5", "limit = -1").replace('unit = "calendar day"', 'unit = "days"')
    broken = broken.replace('text = "home gardens"', "txt = 3").replace('place = "Another Village"\n', "")
    with pytest.raises(InputError) as e:
        load_ordinance(write(tmp_path, broken))
    assert sorted(f.where.removeprefix("village.toml: ") for f in e.value.findings) == [
        "exemptions[0].text",
        "exemptions[0].txt",
        "numbers.idle.unit",
        "place",
        "standard.limit",
    ]


def test_a_village_cannot_take_a_shipped_name(tmp_path):
    shipped = (data_folder() / "ordinances" / "hales_corners_445.toml").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="choose another"):
        load_ordinance(write(tmp_path, shipped.replace("limit = 5.0", "limit = 50.0")))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"id = ", "not valid TOML"),
        (b"\xff\xfe", "is not TOML"),
        (b"x = 1" + b"0" * 5000, "not valid TOML"),
        (b"#" * 1_000_001, "1,000,001 bytes; over 1,000,000"),
        (b"", "text_source: missing"),
    ],
)
def test_unreadable_files(tmp_path, content, said):
    path = tmp_path / "village.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        load_ordinance(path)


def test_missing_file_folder_and_unknown_name(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_ordinance(tmp_path / "none.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match="a folder"):
        load_ordinance(tmp_path / "folder.toml")
    write(tmp_path, VILLAGE)
    assert load_ordinance("village.toml", folder=tmp_path).id == "another_village"
    with pytest.raises(InputError, match=r"near: hales_corners_445; there are city_40_886, hales_corners_445") as e:
        load_ordinance("hales_corners", where="ordinance")
    assert [(f.code, f.where) for f in e.value.findings] == [("unknown-ordinance", "ordinance")]


def test_no_village_and_no_number_of_its_code_stands_in_the_module():
    import sedcalc.compliance.ordinance as module

    source = Path(module.__file__).read_text(encoding="utf-8")
    code = re.sub(r'""".*?"""', "", source, flags=re.S)  # docstrings may cite a code as an example
    assert not re.search(r"Hales|445|40-88", code)
    assert len(CHECKS) == len(set(CHECKS))
