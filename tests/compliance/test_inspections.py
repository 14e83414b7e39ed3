"""Inspections: candidates by rain and by week, on made-up records and on Milwaukee's."""

import csv
import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sedcalc as sc
from builders import built, day, site_data
from sedcalc.compliance.inspections import LOG_COLUMNS, inspection_log, rain_candidates
from sedcalc.findings import InputError
from sedcalc.io.daily_rain import DailyRain, read_daily_rain

HALES_CORNERS = sc.load_ordinance("hales_corners_445")
CITY = sc.load_ordinance("city_40_886")


def record(first, *inches):
    days = np.arange(np.datetime64(first), np.datetime64(first) + np.timedelta64(len(inches), "D"))
    values = np.array(inches, dtype=np.float64)
    return DailyRain(days, values, np.zeros(len(values), dtype=bool), "test gauge")


def site(start="2027-05-03", end="2027-05-30", stabilized=None, more=()):
    data = site_data()
    data["phases"][0] |= {"start": start, "end": end}
    data["phases"] += list(more)
    data["ground_units"][0]["stabilized"] = stabilized or end
    return built(data)


def log_of(site, rain, ordinance=HALES_CORNERS):
    return inspection_log(site, rain, ordinance)


def rained(log):
    return [(str(i.rain_day), str(i.inspect_by), i.reason) for i in log.inspections if i.reason != "weekly"]


@pytest.mark.parametrize(
    ("inches", "alone", "together"),
    [
        ([0.49], [], []),
        ([0.5], [0], []),
        ([0.25, 0.25], [], [1]),
        ([0.25, 0.24], [], []),
        ([0.5, 0.0], [0], []),  # a dry day together with rain is not rain of two days
        ([0.5, 0.2], [0], []),
        ([0.2, 0.5], [1], []),
        ([0.3, 0.3, 0.3], [], [1, 2]),
        ([0.3, np.nan, 0.3], [], []),
        ([0.3, 0.0, 0.3], [], []),
        ([0.1, 0.4], [], [1]),
        ([12.7 / 25.4], [0], []),
        ([], [], []),
    ],
)
def test_candidates(inches, alone, together):
    found = rain_candidates(np.array(inches), 0.5)
    assert [np.flatnonzero(f).tolist() for f in found] == [alone, together]


@given(st.lists(st.floats(0, 3) | st.just(float("nan")), max_size=30), st.floats(0.05, 2))
def test_candidates_are_those_of_a_loop(inches, depth):
    alone, together = rain_candidates(np.array(inches), depth)
    for i, today in enumerate(inches):
        before = inches[i - 1] if i else 0.0
        assert alone[i] == (today >= depth - 1e-6)
        small = 0 < today < depth - 1e-6 and 0 < before < depth - 1e-6
        assert together[i] == (small and before + today >= depth - 1e-6)


def test_an_inspection_is_due_by_the_end_of_the_day_after():
    log = log_of(site(), record("2027-05-01", 0, 0, 0, 0.5, 0, 0.3, 0.3, *[0] * 25))
    assert rained(log) == [
        ("2027-05-04", "2027-05-05", "rain"),
        ("2027-05-07", "2027-05-08", "rain of two days"),
    ]
    assert log.inspections[0].phase == "grading"
    assert [i.rain_in for i in log.inspections if i.rain_in] == [0.5, pytest.approx(0.6)]
    assert log.clause == "445-6.10E(7)"


def test_weekly_from_the_first_disturbance_to_the_stabilization():
    log = log_of(site(stabilized="2027-06-07"), record("2027-05-03", *[0] * 36))
    weekly = [str(i.inspect_by) for i in log.inspections if i.reason == "weekly"]
    assert weekly == ["2027-05-10", "2027-05-17", "2027-05-24", "2027-05-31", "2027-06-07"]
    assert [i.phase for i in log.inspections][-1] == ""


def test_rain_counts_on_days_of_active_construction_only():
    rest = {
        "id": "rest",
        "start": "2027-05-31",
        "end": "2027-06-10",
        "units": ["u1"],
        "cover": {"C": 0.2, "source": "test"},
        "idle": True,
    }
    rain = record("2027-05-01", *[0.6] * 60)
    days = [r[0] for r in rained(log_of(site(more=[rest], stabilized="2027-06-20"), rain))]
    assert (days[0], days[-1], len(days)) == ("2027-05-03", "2027-05-30", 28)


def test_rain_of_the_day_before_the_project_counts_for_two_days_together():
    log = log_of(site(), record("2027-05-02", 0.3, 0.3, *[0] * 27))
    assert rained(log) == [("2027-05-03", "2027-05-04", "rain of two days")]


def test_days_without_observation_are_in_the_log_and_in_a_finding():
    log = log_of(site(), record("2027-05-01", 0, 0, np.nan, 0.3, *[0] * 26))
    assert rained(log) == [("2027-05-03", "2027-05-04", "no observation")]
    finding = next(f for f in log.findings if f.code == "rain-not-observed")
    assert finding.message.endswith("have no observation: 1")


def test_a_record_that_ends_early_is_said_and_one_of_other_years_refused():
    log = log_of(site(), record("2027-05-03", *[0] * 10))
    assert {f.code for f in log.findings} == {"rain-does-not-cover", "rain-not-observed"}
    assert len(rained(log)) == 18
    with pytest.raises(InputError, match="the project from 2027-05-03"):
        log_of(site(), record("2020-05-03", *[0] * 10))


def test_a_code_without_inspections_is_refused():
    with pytest.raises(InputError, match="inspection_rain"):
        log_of(site(), record("2027-05-03", *[0] * 30), CITY)


def test_the_log_leaves_room_for_the_inspector():
    log = log_of(site(), record("2027-05-01", 0, 0, 0, 0.5, *[0] * 26))
    rows = log.rows()
    assert all(len(r) == len(LOG_COLUMNS) for r in rows)
    assert all(r[LOG_COLUMNS.index("runoff")] is None for r in rows)
    assert list(log.table.columns) == list(LOG_COLUMNS)
    assert len(log.table) == len(rows)


def test_milwaukee_2018(shared_data):
    path = next((shared_data / "daily" / "milwaukee").glob("*.csv"))
    log = log_of(site("2018-04-01", "2018-11-30"), read_daily_rain(path, units="in"))
    # an independent pass over the file's own rows
    with path.open() as file:
        rain = {r["date"]: float(r["PRCP"]) for r in csv.DictReader(file) if r["PRCP"] != "NA"}
    expected = []
    at = day("2018-04-01")
    while at <= day("2018-11-30"):
        today, before = rain[str(at)], rain[str(at - datetime.timedelta(days=1))]
        if today >= 0.5 or (today > 0 and 0 < before < 0.5 and today + before >= 0.5):
            expected.append(str(at))
        at += datetime.timedelta(days=1)
    assert [r[0] for r in rained(log)] == expected
    assert len(expected) > 15
    assert not any(r[2] == "no observation" for r in rained(log))


# --- amounts that look like another unit ---

# Milwaukee has about 34 in a year (its record in the shared data); 25.4 mm are an inch.


def spread(yearly, days=365):
    """The same rain every fifth day."""
    return [yearly / 73 if k % 5 == 0 else 0.0 for k in range(days)]


@pytest.mark.parametrize(
    ("inches", "code"),
    [
        (spread(34.0), None),
        (spread(34.0 / 25.4), "rain-too-low"),
        (spread(34.0 / 10.0), "rain-too-low"),
        (spread(34.0 * 25.4), "rain-too-high"),
        (spread(34.0 * 10.0), "rain-too-high"),
        ([*spread(34.0), 43.0], "rain-too-high"),
        ([0.0] * 59, None),  # too short to speak of a year
        ([0.0] * 60, "rain-too-low"),
    ],
)
def test_amounts_in_another_unit_are_a_finding_with_the_remedy(inches, code):
    log = log_of(site("2027-05-03", "2028-06-30"), record("2027-05-03", *inches))
    found = [f for f in log.findings if f.code.startswith("rain-too")]
    assert [f.code for f in found] == ([] if code is None else [code])
    assert all("--units" in f.message for f in found)


def test_a_real_record_read_in_each_unit(shared_data):
    """The record is in inches; taken for mm it has 1.3 in a year."""
    path = shared_data / "daily" / "milwaukee" / "GHCN_USW00014839.csv"
    last = np.datetime64(read_daily_rain(path, units="in").days[-1], "D").astype(datetime.date)
    here = site(str(last - datetime.timedelta(days=200)), str(last))
    said = {}
    for units in ("in", "mm"):
        log = log_of(here, read_daily_rain(path, units=units))
        said[units] = [f.code for f in log.findings if f.code.startswith("rain-too")]
    assert said == {"in": [], "mm": ["rain-too-low"]}


@pytest.mark.parametrize(
    ("inches", "shown"),
    [([0.55, 0.0], [0.55]), ([0.31, 0.26], [0.57]), ([17.3 / 25.4, 0.0], [0.681]), ([7.7 / 25.4, 9.6 / 25.4], [0.681])],
)
def test_depths_have_the_digits_of_the_record(inches, shown):
    """17.3 mm are 0.68110 in: tenths of mm need three decimals, hundredths of an inch two."""
    log = log_of(site(), record("2027-05-10", *inches))
    assert [i.rain_in for i in log.inspections if i.rain_in is not None] == shown


def test_the_log_holds_no_formula():
    from sedcalc.report.results import csv_text

    data = site_data()
    data["phases"][0] |= {"id": '=HYPERLINK("x")', "start": "2027-05-03", "end": "2027-05-30"}
    data["ground_units"][0]["stabilized"] = "2027-05-30"
    text = csv_text(LOG_COLUMNS, log_of(built(data), record("2027-05-10", 0.55)).rows())
    cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
    assert '\'=HYPERLINK("x")' in cells
    assert not [c for c in cells if c.startswith(("=", "+", "-", "@"))]
    assert "0.55" in cells
