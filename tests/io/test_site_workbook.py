"""Sites as workbooks: nothing is lost on the way, and mistakes are named by their cells."""

import datetime
import io
import types
import typing

import annotated_types
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

import sedcalc as sc
from builders import built, site_data
from load.strategies import sites
from sedcalc.findings import InputError
from sedcalc.io.site_workbook import site_of_sheets
from sedcalc.io.workbook import read_sheets
from sedcalc.report.workbook import site_workbook, starter_workbook
from sedcalc.site.claims import ROW_VALUES, TOTALS, ClaimedRow, Claims
from sedcalc.site.fields import SMALLEST, Part
from sedcalc.site.parsing import parse_site
from sedcalc.site.submission import Site

EXAMPLES = ("hales_corners_subdivision.toml", "hales_corners_submission.toml", "graded_pad/site.toml")


def read_back(site):
    found = site_of_sheets(read_sheets(site_workbook(site), "x.xlsx"))
    assert not found.findings, [str(f) for f in found.findings]
    again, mistakes = parse_site(found.data)
    assert not mistakes, [str(m) for m in found.located(mistakes)]
    return again


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_the_same_site_as_a_workbook(name, tmp_path):
    site = sc.read_site(sc.example(name))
    assert read_back(site).content_sha256() == site.content_sha256()
    if "graded_pad" not in name:  # its rasters lie elsewhere
        path = tmp_path / "site.xlsx"
        path.write_bytes(site_workbook(site))
        from_workbook = sc.read_site(path)
        assert from_workbook.content_sha256() == site.content_sha256()
        figure = [sc.check_compliance(sc.sediment_load(s)).tons_per_acre_per_year for s in (site, from_workbook)]
        assert figure[0] == figure[1]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sites())
def test_random_networks_and_schedules_are_the_same_site_as_a_workbook(data):
    site = built(data)
    assert read_back(site).content_sha256() == site.content_sha256()


TEXTS = st.text(st.sampled_from("ab 1.;\"'=+-@(),:\n\tü"), min_size=1, max_size=12)
DATES = st.dates(datetime.date(1901, 1, 1), datetime.date(2190, 1, 1))
PRINTED = st.from_regex(r"[+-]?[0-9]{1,4}(\.[0-9]{1,3})?([eE][+-]?[0-8])?", fullmatch=True)  # 1e-12 to 1e12 in size


def bounds(metadata):
    """The tightest bounds, since a field may narrow those of its type."""
    low, high, low_open, high_open = None, None, False, False
    for item in metadata:
        match item:
            case annotated_types.Gt() if low is None or item.gt >= low:
                low, low_open = item.gt, True
            case annotated_types.Ge() if low is None or item.ge > low:
                low, low_open = item.ge, False
            case annotated_types.Lt() if high is None or item.lt <= high:
                high, high_open = item.lt, True
            case annotated_types.Le() if high is None or item.le < high:
                high, high_open = item.le, False
    return low, high, low_open, high_open


def values(annotation, metadata=()):
    """Values of a field's type, derived from the models and not from the layout of the workbook."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        found = list(metadata)
        for item in args[1:]:
            found += getattr(item, "metadata", [item])
        return values(args[0], found)
    if origin in (typing.Union, types.UnionType):
        return values(next(a for a in args if a is not type(None)), metadata)
    if origin is typing.Literal:
        return st.sampled_from(args)
    if origin is tuple:
        low = next((m.min_length for m in metadata if isinstance(m, annotated_types.MinLen)), 0)
        high = next((m.max_length for m in metadata if isinstance(m, annotated_types.MaxLen)), 3)
        return st.lists(values(args[0]), min_size=low, max_size=max(low, min(high, 3)))
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return parts(annotation)
    low, high, low_open, high_open = bounds(metadata)
    if annotation is float:
        top = 1e9 if high is None else high
        return st.floats(SMALLEST if low in (None, 0) else low, top, exclude_max=high_open)
    if annotation is int:
        return st.integers((low or 0) + low_open, 999 if high is None else min(high, 999))
    return {str: TEXTS, bool: st.booleans(), datetime.date: DATES}[annotation]


@st.composite
def parts(draw, model):
    found = {}
    for name, field in model.model_fields.items():
        if not field.is_required() and draw(st.booleans()):
            continue
        if model in (Claims, ClaimedRow) and name in (*TOTALS, *ROW_VALUES):
            found[name] = draw(PRINTED)
        else:
            found[name] = draw(values(field.annotation, field.metadata))
    return found


def of_a_site(data):
    """Ids that differ, references that exist, and no part that says nothing: what a workbook goes by."""
    data["format"] = "sedcalc.site/1"
    for name in ("soils", "drainage_areas", "ground_units", "phases", "practices"):
        for i, part in enumerate(data.get(name, ())):
            part["id"] = f"{part['id']}{i}"
    units = [u["id"] for u in data["ground_units"]]
    for phase in data["phases"]:
        phase["slopes"] = phase.get("slopes", [])[: len(units)]
        for slope, unit in zip(phase["slopes"], units, strict=False):
            slope["unit"] = unit
    for part in (data.get("application", {}), data.get("claims", {})):
        part["extension_days" if part is data.get("application") else "soil_loss_tons"] = (
            3 if part is data.get("application") else "1"
        )
    if "grid" in data:
        data["grid"]["dem"] = "dem.tif"
    for part in (*data["phases"], *data["ground_units"]):
        for name in ("cover", "existing_cover", "final_cover", "surface_condition"):
            if name in part:
                part[name]["source"] = "s"
    return data


# Not shrunk: a case is a whole site, and takes minutes to make smaller.
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate,))
@given(parts(Site))
def test_every_field_of_the_schema_survives(data):
    site, mistakes = parse_site(of_a_site(data))
    assert not mistakes, [str(m) for m in mistakes]
    again = read_back(site)
    assert again.model_dump() == site.model_dump()
    assert again.content_sha256() == site.content_sha256()


def edited(edit, data=None):
    """Findings of a workbook after an edit, as (code, where)."""
    made = load_workbook(io.BytesIO(site_workbook(built(data or site_data()))))
    edit(made)
    return made


def findings(edit, tmp_path, data=None):
    path = tmp_path / "site.xlsx"
    edited(edit, data).save(path)
    with pytest.raises(InputError) as raised:
        sc.read_site(path)
    return {(f.code, f.where): f.message for f in raised.value.findings}


def column(sheet, name):
    return next(c for c in sheet[1] if str(c.value).split(" (")[0] == name).column_letter


def cell(made, sheet, name, row=2):
    return made[sheet][f"{column(made[sheet], name)}{row}"]


@pytest.mark.parametrize(
    ("sheet", "name", "value", "said"),
    [
        ("Ground units", "area", "2.0", "the text '2.0' stands where a number is wanted"),
        ("Ground units", "stabilized", "2027-12-31", "stands where a date is wanted"),
        ("Drainage areas", "outfall", 46752, "the number 46752 stands where a text is wanted"),
        ("Phases", "end", 46752, "the number 46752 stands where a date is wanted"),
        ("Ground units", "stabilized", datetime.datetime(2027, 12, 31, 12, 0), "stands where a date is wanted"),
        ("Soils", "id", 7, "the number 7 stands where a text is wanted"),
        ("Soils", "K", True, "TRUE stands where a number is wanted"),
        ("Phases", "start", "=DATE(2027,1,1)", "without a stored value"),
        ("Phases", "units", '"u1', "divided by semicolons"),
    ],
)
def test_cells_of_the_wrong_kind_are_named(tmp_path, sheet, name, value, said):
    where = {}

    def edit(made):
        target = cell(made, sheet, name)
        target.value = value
        if value == 46752:
            target.number_format = "General"  # with the format of a date this number is a date
        where["cell"] = f"{sheet}!{target.coordinate}"

    found = findings(edit, tmp_path)
    (message,) = [m for (_, place), m in found.items() if place == where["cell"]]
    assert said in message


def test_mistakes_of_the_schema_and_the_checks_are_named_by_cell(tmp_path):
    def edit(made):
        cell(made, "Ground units", "area").value = -2
        cell(made, "Ground units", "soil").value = "lome"
        cell(made, "Phases", "cover.source").value = None
        made["Project"]["B3"].value = "hales_corner"  # ordinance

    found = findings(edit, tmp_path)
    assert ("out-of-range", "Ground units!D2") in found
    assert ("unknown-soil", "Ground units!C2") in found
    assert any(where.startswith("Phases!") for _, where in found)
    assert any(where == "Project!B3" for _, where in found)


def test_unknown_sheets_and_headings_are_reported_and_notes_left_alone(tmp_path):
    def edit(made):
        made.create_sheet("Phase")
        made.create_sheet("Notes of June").append(["anything"])
        made["Soils"].cell(1, 20).value = "textur"
        made["Soils"].cell(2, 21).value = "x"
        made["Project"].append(["unit", "us"])

    found = findings(edit, tmp_path)
    assert "did you mean Phases?" in found["unknown-sheet", "Phase!A1"]
    assert "did you mean texture?" in found["unknown-field", "Soils!T1"]
    assert ("no-heading", "Soils!U2") in found
    assert any(code == "unknown-field" and where.startswith("Project!A") for code, where in found)
    assert not any(where.startswith("Notes") for _, where in found)


def test_a_unit_in_a_heading_that_is_not_the_sites_is_a_mistake(tmp_path):
    def edit(made):
        made["Project"]["B4"].value = "si"

    found = findings(edit, tmp_path)
    assert "in acres; with units = si of the sheet Project it is in ha" in found["unit-differs", "Ground units!D1"]
    said = next(m for (code, where), m in found.items() if code == "unit-differs" and where.startswith("Location!C"))
    assert "MJ mm" in said


def two_units():
    data = site_data()
    data["ground_units"] = [dict(data["ground_units"][0], id=i) for i in ("u1", "u2")]
    data["phases"][0]["units"] = ["u1", "u2"]
    return data


def test_a_phase_may_stand_in_one_row_for_each_ground_unit(tmp_path):
    def edit(made):
        cell(made, "Phases", "units").value = "u1"
        sheet = made["Phases"]
        cell(made, "Phases", "id", 3).value, cell(made, "Phases", "units", 3).value = "grading", "u2"
        assert sheet.max_row == 3

    path = tmp_path / "site.xlsx"
    edited(edit, two_units()).save(path)
    assert sc.read_site(path).content_sha256() == built(two_units()).content_sha256()


def test_rows_of_one_phase_that_differ_are_a_mistake(tmp_path):
    def edit(made):
        cell(made, "Phases", "units").value = "u1"
        cell(made, "Phases", "id", 3).value, cell(made, "Phases", "units", 3).value = "grading", "u2"
        cell(made, "Phases", "end", 3).value = datetime.date(2027, 11, 30)

    assert "end differs" in findings(edit, tmp_path, two_units())["phase-differs", "Phases!A3"]


def test_rows_that_belong_nowhere_are_mistakes(tmp_path):
    def edit(made):
        made["Segments"].append(["u9", None, 10, 5])
        made["Slopes"].append(["grading", "u1", 5, 100])
        made["Segments"].append(["u2", "grading", 10, 5])
        made["Practice shares"].append([None, "A", 0.5])

    found = findings(edit, tmp_path)
    assert "no ground unit is called 'u9'" in next(m for (c, _), m in found.items() if c == "unknown-ground-unit")
    assert "add it" in next(m for (c, _), m in found.items() if c == "unknown-slope")
    assert "practice is empty" in next(m for (c, _), m in found.items() if c == "missing-field")


def test_claims_keep_the_digits_that_their_cells_show(tmp_path):
    def edit(made):
        target = made["Claims"]
        row = next(r for r in target.iter_rows(min_row=2) if r[0].value == "claims.disturbed_acres")
        row[1].value, row[1].number_format = 2, "0.00"
        rows = made["Claimed rows"]
        cell(made, "Claimed rows", "phase").value, cell(made, "Claimed rows", "unit").value = "grading", "u1"
        for name, value, number_format in (("LS", 0.9, "0.000"), ("C", "1.00", "@"), ("ei_fraction", 0.5, "0.0%")):
            cell(made, "Claimed rows", name).value = value
            cell(made, "Claimed rows", name).number_format = number_format
        assert rows.max_row == 2

    path = tmp_path / "site.xlsx"
    edited(edit).save(path)
    claims = sc.read_site(path).claims
    assert claims.disturbed_acres == "2.00"
    assert (claims.rows[0].LS, claims.rows[0].C, claims.rows[0].ei_fraction) == ("0.900", "1.00", "0.500")


def test_a_workbook_without_a_site_or_a_table_says_what_is_wanted(tmp_path):
    path = tmp_path / "x.xlsx"
    made = Workbook()
    made.active.append(["anything", 1])
    made.save(path)
    with pytest.raises(InputError, match="sedcalc new site"):
        sc.read_site(path)


def test_an_id_that_is_not_there_is_the_entry_of_its_cell(tmp_path):
    """The phases of the starter name the unit 'pad' first; it is renamed on its own sheet alone."""
    path = tmp_path / "site.xlsx"
    path.write_bytes(starter_workbook())
    book = load_workbook(path)
    next(c for c in book["Ground units"]["A"] if c.value == "pad").value = "north pad"
    book.save(path)
    with pytest.raises(InputError) as raised:
        sc.read_site(path)
    assert [f.where for f in raised.value.findings] == [f"Phases!D{row}, entry 1" for row in (2, 3, 4)]
