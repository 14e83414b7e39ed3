"""``sedcalc rain``: every choice that Python has, wrong combinations all at once, and a help that can be read."""

import re
import shlex
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from sedcalc.cli import rain
from sedcalc.factors.erosivity import FIRST_YEAR, LAST_YEAR
from sedcalc.io.rain_files import RainFormat, read_rain_csv
from sedcalc.rain import STORM_RULES, Energy, erosivity_from_rain

# The worked storm of twelve half hours, see tests/rain/test_worked_storm.py.
DEPTHS = (1.1, 2.3, 3.2, 1.9, 4.1, 5.9, 2.5, 3.1, 2.9, 1.2, 0.5, 0.2)
TIMES = [f"2018-06-01T{k // 2:02d}:{30 * (k % 2):02d}" for k in range(12)]


@pytest.fixture
def gauge(tmp_path: Path) -> Path:
    """A year of half hours, dry but for that storm; the last column is the air temperature."""
    times = np.datetime64("2018-01-01T00:00") + np.timedelta64(30, "m") * np.arange(2 * 24 * 365)
    storm = dict(zip(TIMES, DEPTHS, strict=True))
    rows = [f"{t},{storm.get(str(t), 0.0)},{-1.0 if str(t) == TIMES[-1] else 9.0}" for t in times]
    path = tmp_path / "gauge.csv"
    path.write_text("\n".join(["time,rain_mm,air", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("energy", "ei"),
    # EI30 of that storm worked by hand from the equations, with I30 11.8 mm/h
    [("ah703", 47.584), ("rusle2", 56.811), ("ah537", 63.706)],
)
def test_unit_energy_by_name(sedcalc, gauge, energy, ei):
    found = sedcalc("rain", gauge, "--energy", energy, "--json").object
    assert round(found["R"], 3) == ei
    assert found["energy"] == energy
    assert [round(s["I30_mm_h"], 1) for s in found["storms"]] == [11.8]


def test_rules_and_thresholds_are_those_of_python(sedcalc, gauge):
    record = read_rain_csv(gauge, time="time", depth="rain_mm")
    for name in rain.RULES:
        found = sedcalc("rain", gauge, "--storm-rule", name, "--json").object
        assert found["R"] == erosivity_from_rain(record, storm_rule=name).R_si
        assert (found["storm_rule"], found["rule"]["source"]) == (name, STORM_RULES[name].source)


def test_changed_thresholds_are_named_and_count(sedcalc, gauge):
    # 28.9 mm in all: below a threshold of 30 mm nothing counts; 5.9 mm in half an hour are 2.95 in 15 min.
    args = ("rain", gauge, "--erosive-mm", 30, "--erosive-15min-mm")
    for fifteen, storms in (("none", 0), ("3", 0), ("2.9", 1)):
        found = sedcalc(*args, fifteen, "--json").object
        assert len(found["storms"]) == storms
        assert found["storm_rule"] == f"sliding-6h with erosive_mm 30, erosive_15min_mm {fifteen}"
        assert found["rule"]["source"].endswith(
            f"changed on the command line: erosive_mm 30, erosive_15min_mm {fifteen}"
        )
    text = sedcalc(*args, "none").out
    assert "storms by sliding-6h with erosive_mm 30, erosive_15min_mm none" in text


def test_a_break_of_its_own_length(sedcalc, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("time,rain_mm\n2020-06-01T00:00,20\n2020-06-01T05:00,20\n")
    count = {
        hours: len(sedcalc("rain", path, "--step-minutes", 30, "--window-h", hours, "--json").object["storms"])
        for hours in (4, 5)
    }
    assert count == {4: 2, 5: 1}  # four and a half dry hours lie between them


def test_snow_by_temperature(sedcalc, gauge):
    snow = ("--temperature", "air", "--snow", "freezing-air")
    found = sedcalc("rain", gauge, *snow, "--json").object
    assert found["snow"] == "freezing-air"
    assert [round(s["depth_mm"], 1) for s in found["storms"]] == [28.7]  # the last 0.2 mm fell at -1 degree C
    assert any(f["code"] == "rain-snow" for f in found["findings"])
    assert "snow by freezing-air" in sedcalc("rain", gauge, *snow).out


def test_column_map_marks_and_clock(sedcalc, tmp_path):
    path = tmp_path / "export.txt"
    path.write_text(
        "Date;Clock;Rain;Code\n06/01/2024;10:00;0.50;a\n06/01/2024;10:10;T;a\n06/01/2024;10:20;M;a\n"
        "06/01/2024;10:30;0.25;a\n"
    )
    args = ["--time", "Date", "--time", "Clock", "--time-format", "%m/%d/%Y %H:%M", "--depth", "Rain", "--units", "in"]
    marks = ["--zero-mark", "T", "--missing-mark", "M"]
    found = sedcalc("rain", path, *args, *marks, "--time-zone", "America/Chicago", "--label", "end", "--json").object
    # 10:30 to 10:40 of summer time is the end of steps of ten minutes from 08:50 standard time on
    assert [s["start"] for s in found["storms"]] == ["2024-06-01T08:50:00"]
    assert found["clock"] == "standard time of America/Chicago, UTC-06:00"
    assert round(found["storms"][0]["depth_mm"], 6) == 19.05
    answer = sedcalc("rain", path, *args)
    assert answer.code == 2
    assert "2 cells are neither numbers nor known marks" in answer.err
    assert "'M', 'T'" in answer.err


def test_period_and_absent_rows(sedcalc, tmp_path):
    path = tmp_path / "wet.csv"
    path.write_text("time,rain_mm\n2019-06-01T10:00,20\n2019-06-01T10:10,8\n")
    dry = sedcalc("rain", path, "--absent-rows", "dry", "--period", "2019-01-01", "2020-01-01", "--json").object
    assert dry["years"][0]["R"] is not None
    gap = sedcalc("rain", path, "--absent-rows", "gap", "--period", "2019-01-01", "2020-01-01", "--json").object
    assert gap["years"][0]["R"] is None
    assert gap["years"][0]["missing"] > 0.99


def test_tips_and_accumulated_rain(sedcalc, tmp_path):
    tips = tmp_path / "tips.csv"
    tips.write_text("time,depth_in\n" + "".join(f"2020-06-01T10:{m:02d},0.1\n" for m in range(0, 50, 10)))
    found = sedcalc("rain", tips, "--kind", "tips", "--spread-minutes", 10, "--json").object
    assert [round(s["depth_mm"], 3) for s in found["storms"]] == [12.7]
    mass = tmp_path / "mass.csv"
    mass.write_text("time,rain_mm\n2020-06-01T10:00,0\n2020-06-01T10:30,20\n2020-06-01T11:00,2\n2020-06-01T11:30,8\n")
    depth = {
        reset: sedcalc("rain", mass, "--kind", "accumulated", "--on-reset", reset, "--json").object["storms"][0]
        for reset in ("gap", "restart")
    }
    assert {name: storm["depth_mm"] for name, storm in depth.items()} == {"gap": 26.0, "restart": 28.0}


def test_a_spreadsheets_days_semicolons_and_uneven_steps(sedcalc, tmp_path):
    path = tmp_path / "sheet.csv"
    # 43252.5 is noon of June 1, 2018 in the 1900 system
    path.write_text("t;r\n43252.5;13\n2018-06-01T12:20;1\n2018-06-01T12:50;0\n", encoding="utf-16")
    args = ("--time", "t", "--depth", "r", "--units", "mm", "--separator", ";", "--encoding", "utf-16")
    uneven = ("--step-minutes", "between-rows", "--longest-step-minutes", 45)
    found = sedcalc("rain", path, *args, "--excel-serials", *uneven, "--json").object
    assert [(s["start"], s["end"]) for s in found["storms"]] == [("2018-06-01T12:00:00", "2018-06-01T12:50:00")]


def test_formats_by_name_and_their_year(sedcalc, tmp_path):
    path = tmp_path / "minutes.txt"
    path.write_text("600 14.0\n610 2.0\n")
    answer = sedcalc("rain", path)
    assert answer.code == 2
    assert "does not end in a year: give the year" in answer.err
    found = sedcalc("rain", path, "--format", "kmi-minutes", "--year", 2004, "--json").object
    assert [s["start"] for s in found["storms"]] == ["2004-01-01T10:00:00"]


def test_without_a_complete_year_the_exit_code_says_so(sedcalc, gauge):
    short = ("--period", "2018-03-01", "2019-03-01")
    answer = sedcalc("rain", gauge, *short)
    assert answer.code == 2
    assert "no year is complete enough to give an R" in answer.out  # the storms are given all the same
    assert "no year is complete enough: the record gives storms but no R. Bring at least one whole year" in answer.err
    found = sedcalc("rain", gauge, *short, "--json")
    assert (found.code, found.object["R"]) == (2, None)
    assert found.object["storms"]
    assert sedcalc("rain", gauge).code == 0


def test_years_too_incomplete_and_the_interval(sedcalc, gauge):
    strict = sedcalc("rain", gauge, "--period", "2018-01-01", "2019-03-01", "--json").object
    assert [y["R"] is None for y in strict["years"]] == [False, True]
    loose = ("--max-missing-year", 1, "--max-missing-month", 1, "--confidence", 0.9)
    found = sedcalc("rain", gauge, "--period", "2018-01-01", "2019-03-01", *loose, "--json").object
    assert [y["R"] is None for y in found["years"]] == [False, False]
    assert found["confidence"] == 0.9


WRONG = {
    "--temperature": "is for rain by steps, not with --kind tips",
    "--label": "is for rain by steps, not with --kind tips",
    "--on-reset": "is for --kind accumulated",
    "--longest-step-minutes": "goes with --step-minutes between-rows",
    "--zero-mark": "'M' is also a --missing-mark",
    "--window-h": "99 is outside 0.1 to 48 h",
    "--max-missing-year": "5 is outside 0 to 1 as a share",
    "--separator": "';;' is not one character, nor tab",
    "--period": "2024-01-01 is not after the start 2024-02-01; swap them",
    "--time-zone": "'Mars/Phobos' is not a time zone of the IANA list",
}


def test_wrong_combinations_are_listed_all_at_once(sedcalc, gauge):
    answer = sedcalc(
        *("rain", gauge, "--kind", "tips", "--temperature", "air", "--label", "end", "--on-reset", "gap"),
        *("--longest-step-minutes", 3, "--zero-mark", "M", "--missing-mark", "M", "--window-h", 99),
        *("--max-missing-year", 5, "--separator", ";;", "--period", "2024-02-01", "2024-01-01"),
        *("--time-zone", "Mars/Phobos"),
    )
    assert answer.code == 2
    assert answer.out == ""
    for option, says in WRONG.items():
        assert f"error: {option}: {says}" in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    ("rows", "args", "says"),
    [
        ("1.6.2024,5\n", (), "the first '1.6.2024' in line 2: give --time-format"),
        ("2024-06-01T10:00,T\n", (), "Say what they mean with --zero-mark and --missing-mark"),
        (
            "2024-06-01T10:00,5\n",
            (),
            "error: --step-minutes: one row does not show the length of its step: give --step-m",
        ),
        (
            "2024-06-01T10:00,0\n2024-06-01T10:10,5\n2024-06-01T10:20,0\n2024-06-01T10:27,0\n",
            (),
            "give --step-minutes as a number or as 'between-rows'",
        ),
        (
            "".join(f"2024-06-01T10:{m:02d},0\n" for m in (*range(0, 20, 2), *range(20, 48, 4))),
            (),
            "if the step changed, give --step-minutes as 'between-rows'; if rows are missing, give --step-minutes as a",
        ),
        (
            "2024-06-01T10:00,0\n2024-06-01T10:10,5\n",
            ("--step-minutes", "between-rows"),
            "it has 5 mm: add a row of 0 at the end of its step, or give --step-minutes as a number",
        ),
        (
            "2024-06-01T10:00,3\n2024-06-01T10:10,5\n",
            ("--step-minutes", "between-rows", "--label", "end"),
            "it has 3 mm: add a row of 0 at the start of its step, or give --step-minutes as a number",
        ),
        ("2024-06-01T10:00,5\n", ("--encoding", "x"), "error: --encoding: 'x' is no text encoding"),
        ("2024-06-01T10:00,5\n2024-06-01T10:10,0\n", ("--confidence", 0), "error: --confidence: "),
    ],
)
def test_messages_name_options_and_no_parameters(sedcalc, tmp_path, rows, args, says):
    path = tmp_path / "gauge.csv"
    path.write_text(f"time,rain_mm\n{rows}")
    answer = sedcalc("rain", path, *args)
    assert answer.code == 2
    assert says in answer.err
    assert not re.search(r"each row|each step", answer.err)  # the option takes one number for all
    assert not re.search(r"\b(time_format|zero_marks|missing_marks|step_minutes|time_zone)\b", answer.err)


def test_options_that_a_format_has_no_use_for_and_mistakes_of_the_file(sedcalc, gauge):
    answer = sedcalc(
        *("rain", gauge, "--format", "jma", "--depth", "rain_mm", "--zero-mark", "T", "--year", 2004),
        *("--units", "in", "--label", "end", "--snow", "freezing-air", "--erosive-mm", -1, "--json"),
    )
    assert answer.code == 2
    where = {f["where"] for f in answer.object["findings"]}
    assert where == {"--depth", "--zero-mark", "--year", "--units", "--label", "--erosive-mm"}
    answer = sedcalc("rain", gauge, "--format", "csv", "--snow", "freezing-air", "--depth", "snow", "--units", "mm")
    assert answer.code == 2
    assert "--snow: freezing-air needs the air temperature; name its column with --temperature" in answer.err
    assert "gauge.csv: has no column 'snow'" in answer.err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--storm-rule", "six"), "is not one of 'sliding-6h'"),
        (("--energy", "ah700"), "'ah703', 'ah537', 'rusle2', 'salles'"),
        (("--year", "26"), "1800<=x<=2300"),
        (("--step-minutes", "ten"), "'ten' is not a finite number"),
        (("--period", "2019-01-01"), "--period"),
        (("--period", "now", "then"), "is not two times written YYYY-MM-DD"),
        (("--temperature", "air"), "is read for the snow rule alone; add --snow freezing-air"),
    ],
)
def test_one_wrong_option(sedcalc, gauge, args, says):
    answer = sedcalc("rain", gauge, *args)
    assert answer.code == 2
    assert says in answer.err


def test_choices_are_those_of_the_library():
    assert set(rain.RULES) == set(STORM_RULES)
    assert set(rain.ENERGIES) == set(get_args(Energy))
    assert set(rain.FORMATS) == set(get_args(RainFormat))
    years = next(option.type for option in rain.rain.params if option.name == "year")
    assert (years.min, years.max) == (FIRST_YEAR, LAST_YEAR)  # written again there, because the library loads NumPy


def test_help_has_sections_fits_the_screen_and_its_examples_run(sedcalc, gauge, tmp_path, monkeypatch):
    text = sedcalc("rain", "--help").out
    assert max(map(len, text.splitlines())) <= 80
    titles = re.findall(r"^(\w.*):$", text, re.M)
    assert titles == [*rain._SECTIONS, "Other", "Examples"]
    options = {o for p in rain.rain.params for o in p.opts if o.startswith("--")}
    assert all(f"  {o} " in text or f"  {o}\n" in text for o in options)
    monkeypatch.chdir(tmp_path)
    Path("tips.csv").write_text("time,depth_in\n2020-06-01T10:00,0.1\n2020-06-01T10:10,0.1\n")
    Path("PREC_2004.txt").write_text("600 14.0\n610 2.0\n")
    lines = "\n".join(rain._EXAMPLES).replace("\\\n", " ").splitlines()
    assert len(lines) == 6
    for line in lines:
        words = shlex.split(line)
        assert words[:2] == ["sedcalc", "rain"]
        if "Rain" in words:
            Path("gauge.csv").write_text("Date,Clock,Rain\n06/01/2024,10:00,0.5\n06/01/2024,10:10,T\n")
        elif "air_c" in words:
            Path("gauge.csv").write_text("time,rain_mm,air_c\n2024-06-01T10:00,5,1\n2024-06-01T10:10,5,1\n")
        else:
            Path("gauge.csv").write_text("time,rain_in\n2024-06-01T10:00,0.5\n2024-06-01T10:10,0.5\n")
            words += ["--units", "in"] if "--units" not in words and "gauge.csv" in words else []
        answer = sedcalc(*words[1:])
        # the tables of two rows are no year; those of the other two are watched for whole years
        whole = {"tips.csv", "PREC_2004.txt"} & set(words)
        assert (answer.code, "mean R" in answer.out) == ((0, True) if whole else (2, False)), (line, answer.err)
