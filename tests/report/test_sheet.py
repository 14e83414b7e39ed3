"""The calculation sheet as data: its numbers against the run's JSON, its steps against the equations."""

import dataclasses
import math
import tomllib

import pytest

import sedcalc as sc
from builders import built, practice, site_data
from sedcalc.findings import Finding
from sedcalc.report.results import run_object
from sedcalc.report.sheet import calculation_sheet
from sedcalc.report.sheet_blocks import Number, Picture, Ref, Step, Table, plain_words, spoken, visible, walk
from sedcalc.report.sheet_governing import contributions
from sheet_reading import as_float, at, blocks, evaluated, half_digit, numbers, step_of, table_of

EXAMPLES = ("hales_corners_subdivision.toml", "graded_pad/site.toml")
ROW_NUMBERS = ["R", "K", "acres", "ei_fraction", "LS", "C", "P"]
ROW_NUMBERS += ["soil_loss_tons_per_acre", "soil_loss_tons", "delivered_tons", "trapped_tons"]
ROW_NUMBERS += ["discharge_tons", "discharge_tons_per_acre"]


def ruled(data):
    return sc.check_compliance(sc.sediment_load(built(data)))


@pytest.fixture(scope="module", params=EXAMPLES)
def ruling(request):
    return sc.check_compliance(sc.sediment_load(sc.read_site(sc.example(request.param))))


@pytest.fixture(scope="module")
def sheet(ruling):
    return calculation_sheet(ruling)


@pytest.fixture(scope="module")
def whitnall():
    return sc.check_compliance(sc.sediment_load(sc.read_site(sc.example(EXAMPLES[0]))))


@pytest.fixture(scope="module")
def whitnall_sheet(whitnall):
    return calculation_sheet(whitnall)


def check_numbers(ruling, sheet):
    run = run_object(ruling)
    found = list(numbers(sheet))
    assert found
    for number in found:
        value = number.value if number.path is None else at(run, number.path)
        assert number.value == value, number
        assert abs(as_float(number.text) - value) <= half_digit(number.text) * (1 + 1e-9), number


def test_every_number_is_the_jsons_to_its_printed_digits(ruling, sheet):
    check_numbers(ruling, sheet)


def test_every_result_of_the_json_is_there(ruling, sheet):
    run = run_object(ruling)
    shown = {n.path for n in numbers(sheet)}
    wanted = {f"rows[{i}].{n}" for i, row in enumerate(run["rows"]) for n in ROW_NUMBERS if row[n] is not None}
    # R, K and acres stand once for each piece of ground, over its rows.
    wanted -= {
        f"rows[{i}].{n}"
        for i in range(1, len(run["rows"]))
        for n in ("R", "K", "acres")
        if all(run["rows"][i][k] == run["rows"][i - 1][k] for k in ("unit", "soil", "drainage_area", "acres"))
    }
    for i in range(len(run["windows"])):
        wanted |= {f"windows[{i}].{n}" for n in ("discharge_tons", "acres", "discharge_tons_per_acre")}
    wanted |= {f"practices[{i}].trapped_tons" for i in range(len(run["practices"]))}
    wanted |= {f"totals.{n}_tons" for n in ("eroded", "deposited", "trapped", "discharged", "baseline", "background")}
    wanted |= {"tons_per_acre_per_year", "limit", "margin", "percent_reduction", "disturbed_acres"}
    wanted |= {"governing.discharge_tons", "governing.acres", "erosivity.R", "erosivity.R_low", "erosivity.R_high"}
    assert wanted <= shown, sorted(wanted - shown)


def test_each_step_with_numbers_gives_its_value(ruling, sheet):
    """The second last line of a step, evaluated from its printed digits, is its last line."""
    checked = []
    for step in blocks(sheet, Step):
        value = evaluated(step.lines[-1])
        assert value is not None, step.title
        if len(step.lines) > 1 and (by_hand := evaluated(step.lines[-2])) is not None:
            assert by_hand == pytest.approx(value, rel=2e-3, abs=1e-4), step.title
            checked.append(step.title)
    assert {"Soil loss", "Share of the annual erosivity", "Soil erodibility", "Governing figure"} <= set(checked)


def test_the_governing_row_by_hand(whitnall_sheet):
    """Building on the east lots, 2027-09-01 to 2028-04-15: EPA's table (zone 101: 80 on Aug 28, 87 on Sep 12, 6 on
    Apr 15), K of silt loam 0.48 and 0.42, McCool's S under 9 %, m of AH703 with the high ratio, 6 % and 120 ft."""
    sheet = whitnall_sheet
    f = 1.0 + (6.0 - (80.0 + (87.0 - 80.0) * 3 / 15)) / 100.0
    k = 0.48 + (0.42 - 0.48) * (1.5 - 0.5) / 1.5
    sine = math.sin(math.atan(0.06))
    s = 10.8 * sine + 0.03
    beta = 2.0 * (sine / 0.0896) / (3.0 * sine**0.8 + 0.56)
    m = beta / (1.0 + beta)
    length = (120.0 / 72.6) ** m
    a = 115.0 * f * k * length * s
    wanted = {"R": 115.0, "f": f, "K": k, "sin θ": sine, "S": s, "β": beta, "m": m, "L": length, "LS": length * s}
    wanted |= {"C": 1.0, "P": 1.0, "A": a, "D": a * 1.7, "e": 0.8, "Q": a * 1.7 * 0.2}
    for symbol, value in wanted.items():
        last = evaluated(step_of(sheet, symbol).lines[-1])
        assert last == pytest.approx(value, rel=1e-4), symbol


def test_an_irregular_slope_shows_its_segments():
    """400 ft in equal thirds of 5, 10 and 15 %: 5.081 with McCool's S and the high ratio, by the closed form."""
    data = site_data()
    thirds = [{"length": 400 / 3, "slope_pct": p} for p in (5, 10, 15)]
    unit = {k: v for k, v in data["ground_units"][0].items() if k not in ("slope_pct", "length")}
    data["ground_units"] = [{**unit, "segments": thirds}]
    sheet = calculation_sheet(ruled(data))
    rows = table_of(sheet, "segments").groups[0].rows
    parts = [row.cells[-1][0].value for row in rows]
    assert sum(parts[:-1]) == pytest.approx(parts[-1])
    assert parts[-1] == pytest.approx(5.081, abs=5e-4)
    assert evaluated(step_of(sheet, "LS").lines[-1]) == pytest.approx(5.081, abs=5e-4)


def test_k_by_the_nomograph_is_shown():
    """The example of Agriculture Handbook 537, figure 3: 0.31085 by its equation."""
    data = site_data()
    data["soils"] = [
        {"id": "loam", "silt_vfs_pct": 65, "sand_pct": 5, "organic_matter_pct": 2.8, "structure": 2, "permeability": 4}
    ]
    step = step_of(calculation_sheet(ruled(data)), "K")
    assert evaluated(step.lines[-1]) == pytest.approx(0.31085, abs=5e-5)
    assert evaluated(step.lines[-2]) == pytest.approx(0.31085, rel=1e-3)


@pytest.mark.parametrize("method", ["rusle", "usle"])
@pytest.mark.parametrize("slope", [4, 12])
def test_topography_of_both_methods_evaluates(method, slope):
    data = site_data(topography={"method": method})
    data["ground_units"][0]["slope_pct"] = slope
    sheet = calculation_sheet(ruled(data))
    for symbol in ("S", "L", "LS"):
        step = step_of(sheet, symbol)
        assert evaluated(step.lines[-2]) == pytest.approx(evaluated(step.lines[-1]), rel=1e-3), symbol


@pytest.mark.parametrize(("method", "said"), [("rusle", "of RUSLE"), ("usle", "of the USLE")])
def test_the_method_names_whose_ls_it_is(method, said):
    """The product is the same in both; S and m are from Handbook 537 or from Handbook 703."""
    sheet = calculation_sheet(ruled(site_data(topography={"method": method})))
    equation, ref = dict(sheet.about.pairs)["Method"]
    assert equation.startswith("A = R f K LS C P, ")
    assert equation.endswith(f"LS by the equations {said}")
    handbook = {"rusle": "Handbook 703", "usle": "Handbook 537"}[method]
    references = next(s for s in sheet.sections if s.title == "References").blocks[0]
    assert any(handbook in plain_words(words) for words in references.groups[0].rows[ref.number - 1].cells)


def changing():
    """Practices that begin and end inside rows, and a cover that grows in: shares differ from day to day."""
    data = site_data()
    data["phases"] = [
        {
            "id": "grading",
            "start": "2027-01-01",
            "end": "2027-05-31",
            "units": ["u1"],
            "cover": {"C": 1, "source": "t"},
        },
        {
            "id": "seeded",
            "start": "2027-06-01",
            "end": "2028-03-31",
            "units": ["u1"],
            "cover": {
                "C": 0.9,
                "source": "t",
                "establishes": {"sown": "2027-06-10", "established": "2027-09-01", "C": 0.02, "source": "t"},
            },
        },
    ]
    data["ground_units"][0]["stabilized"] = "2028-03-31"
    first = practice("fence", 0.4, start="2027-03-15", end="2027-08-20", drains_to="trap")
    data["practices"] = [first, practice("trap", 0.5, start="2027-02-01", drainage_areas=[])]
    return data


@pytest.mark.parametrize("data", [changing(), site_data(), site_data(delivery={"ratio": 0.7, "source": "t"})])
def test_rows_add_up_to_the_governing_figure(data):
    ruling = ruled(data)
    parts = contributions(ruling.load, ruling.governing)
    assert sum(p.tons for p in parts) == pytest.approx(ruling.governing.discharge_tons, rel=1e-9)
    sheet = calculation_sheet(ruling)
    check_numbers(ruling, sheet)
    rows = table_of(sheet, "figure").groups[0].rows
    shown = [row.cells[-1][0].value for row in rows]
    assert sum(shown[:-1]) == pytest.approx(shown[-1], rel=1e-9)


def test_rows_of_the_examples_add_up(ruling):
    parts = contributions(ruling.load, ruling.governing)
    assert sum(p.tons for p in parts) == pytest.approx(ruling.governing.discharge_tons, rel=1e-9)
    assert {ruling.load.columns["drainage_area"][p.row] for p in parts} == {ruling.governing.drainage_area}


def test_every_argument_of_the_file_is_echoed(whitnall_sheet):
    with open(sc.example(EXAMPLES[0]), "rb") as file:
        submitted = tomllib.load(file)
    rows = {
        plain_words(r.cells[0]): plain_words(r.cells[1]) for r in table_of(whitnall_sheet, "submitted").groups[0].rows
    }

    def check(value, said):
        if isinstance(value, dict):
            for own in value.values():
                check(own, said)
        elif isinstance(value, list):
            for own in value:
                check(own, said)
        else:
            text = f"{value:g}" if isinstance(value, float) else str(value)
            assert text.replace("e-0", "e-") in said, (value, said)

    for name, part in submitted.items():
        if isinstance(part, list):
            for i, item in enumerate(part):
                (said,) = [v for k, v in rows.items() if k.startswith(f"{name}[{i}]")]
                check(item, said)
        else:
            check(part, rows.get(name, rows["site"]))


def test_references_are_numbered_as_they_come_and_all_listed(sheet):
    marks: list[int] = []

    def collect(part):
        if isinstance(part, Ref):
            marks.append(part.number)
        elif isinstance(part, tuple):
            for item in part:
                collect(item)
        elif hasattr(part, "__dataclass_fields__"):
            for name in part.__dataclass_fields__:
                collect(getattr(part, name))

    collect((sheet.about, sheet.sections))
    first = list(dict.fromkeys(marks))
    assert first == list(range(1, len(first) + 1))
    listed = [plain_words(row.cells[0]) for row in table_of(sheet, "references").groups[0].rows]
    assert listed == [f"[{n}]" for n in first]


def test_plan_items_are_those_of_the_code_in_their_order(ruling, sheet):
    rows = [row for g in table_of(sheet, "plan").groups for row in g.rows]
    items = ruling.ordinance.plan_items
    assert [plain_words(r.cells[1]) for r in rows] == [i.text for i in items]
    contents = [plain_words(r.cells[0]) for r in rows if plain_words(r.cells[0]).startswith("445-6.11B(3)")]
    assert contents == [f"445-6.11B(3)({c})" for c in "abcdefghij"]
    answered = {plain_words(r.cells[0]): plain_words(r.cells[2]) for r in rows}
    titles = {s.title: s.number for s in walk(sheet.sections)}
    assert f"section {titles['Load table']}" in answered["445-6.11B(3)(e)"]
    assert f"section {titles['Percent reduction']}" in answered["445-6.11B(3)(g)"]
    assert f"section {titles['Ground']}." in answered["445-6.11B(3)(d)"]
    assert f"section {titles['Phases']} " in answered["445-6.11B(3)(c)"]
    said = {"in_submission": "answered", "stated": "stated by applicant", "missing": "left to the applicant"}
    for check in ruling.checks.plan_items:
        assert answered[check.id].startswith(said[check.state])


def test_findings_stand_under_their_clause(ruling, sheet):
    table = table_of(sheet, "findings")
    assert sum(len(g.rows) for g in table.groups) == len(ruling.findings)
    for finding in ruling.findings:
        heading = finding.clause or "Of the calculation and its input"
        (group,) = [g for g in table.groups if plain_words(g.heading) == heading]
        assert any(finding.message[1:].rstrip(".") in plain_words(r.cells[1]) for r in group.rows)


def test_clauses_stand_as_the_code_counts():
    found = [Finding("x", "note", "m", clause=c) for c in ("445-6.10C(1)", "445-6.4A(1)", "445-6.9C(2)(a)", "445-6.9")]
    ruling = dataclasses.replace(ruled(site_data()), findings=tuple(found))
    groups = table_of(calculation_sheet(ruling), "findings").groups
    wanted = ["445-6.4A(1)", "445-6.9", "445-6.9C(2)(a)", "445-6.10C(1)"]
    assert [plain_words(g.heading) for g in groups] == wanted


def test_figures_have_words_and_maps_are_of_grids(ruling, sheet):
    pictures = {p.name: p for p in blocks(sheet, Picture)}
    assert {"load_by_phase.svg", "rolling_12_months.svg"} <= set(pictures)
    maps = [n for n in pictures if n.endswith(".png")]
    # Ground units, drainage areas, and the soil loss of each phase.
    assert len(maps) == (0 if ruling.load.site.grid is None else 2 + len(ruling.load.site.phases))
    assert all(len(p.alt) > 40 and p.data for p in pictures.values())
    assert len({p.alt for p in pictures.values()}) == len(pictures)


def test_the_ruling_in_a_sentence(whitnall_sheet):
    assert whitnall_sheet.verdict.title == "Meets the limit"
    assert plain_words(whitnall_sheet.verdict.sentence) == (
        "Drainage area east discharges 4.12 tons per acre from 2027-04-05 through 2028-04-04, which meets the limit of "
        "5.00 tons per acre and year (445-6.9C(2)(a)) with a margin of 0.88."
    )


def test_a_site_that_exceeds_says_by_how_much_and_what_would_help():
    ruling = ruled(site_data(project={"name": "t", "explanation": "Rock at two feet.\nNo room."}))
    sheet = calculation_sheet(ruling)
    check_numbers(ruling, sheet)
    sentence = plain_words(sheet.verdict.sentence)
    by = f"{ruling.tons_per_acre_per_year - 5.0:.2f}"
    assert f"exceeds the limit of 5.00 tons per acre and year (445-6.9C(2)(a)) by {by}." in sentence
    assert {n: plain_words(w) for n, w, _ in sheet.verdict.figures}["Margin"] == f"−{by}"
    measures = table_of(sheet, "measures")
    assert len(measures.groups[0].rows) > 0
    said = " ".join(plain_words(b.words) for s in walk(sheet.sections) for b in s.blocks if hasattr(b, "words"))
    assert "Rock at two feet." in said


def test_no_limit_is_shown_where_none_applies():
    data = site_data()
    data["ground_units"][0]["area"] = 0.4
    for ruling in (ruled(data), ruled(site_data(ordinance="city_40_886"))):
        sheet = calculation_sheet(ruling)
        check_numbers(ruling, sheet)
        assert sheet.verdict.title == "No limit applies"
        assert [n for n, _, _ in sheet.verdict.figures] == ["Governing figure", "Load reduction", "Disturbed"]
        assert ruling.clause is None or ruling.clause in plain_words(sheet.verdict.sentence)
        assert "What would meet the limit" not in [s.title for s in sheet.sections]


def test_the_date_is_the_one_of_the_site_file():
    said = {name: plain_words(w) for name, w in calculation_sheet(ruled(site_data())).about.pairs}
    assert said["Date"] == "not stated"
    project = {"name": "t", "date": "2026-02-03", "prepared_by": "A. Engineer", "applicant": "B", "address": "C"}
    sheet = calculation_sheet(ruled(site_data(project=project)))
    said = {name: plain_words(w) for name, w in sheet.about.pairs}
    assert (said["Date"], said["Applicant"], said["Address"]) == ("2026-02-03", "B", "C")
    assert dict(sheet.signing)["Prepared by"] == "A. Engineer"
    assert dict(sheet.signing)["Date"] == "2026-02-03"


def test_the_ruling_over_the_range_of_r(whitnall, whitnall_sheet):
    """The figure is proportional to R: 99.3 and 130.7 of 115."""
    (certainty,) = [s for s in whitnall_sheet.sections if s.title == "How sure it is"]
    said = " ".join(plain_words(b.words) for b in certainty.blocks if hasattr(b, "words"))
    figure = whitnall.tons_per_acre_per_year
    assert f"runs from {figure * 99.3 / 115:.2f} to {figure * 130.7 / 115:.2f} tons" in said
    assert f"{5.0 / figure:.3f} times" in said
    assert "standard error of about 105" in said


def test_hidden_characters_are_shown():
    assert visible("a\u202eb\x00c\u200bd\ne\u00a0f") == "a⟨U+202E⟩b⟨U+0000⟩c⟨U+200B⟩d e\u00a0f"


def test_numbers_carry_their_full_value(sheet):
    rounded = [n for n in numbers(sheet) if isinstance(n, Number) and as_float(n.text) != n.value]
    assert len(rounded) > 50
    assert all(spoken(s.lines[-1]) for s in blocks(sheet, Step))
    assert all(len(r.cells) == len(t.columns) for t in blocks(sheet, Table) for g in t.groups for r in g.rows)
