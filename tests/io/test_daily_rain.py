"""Daily rain files: forms in which NOAA hands them out, traces, days without observation, and what is refused."""

import datetime

import numpy as np
import pytest

from sedcalc.findings import InputError
from sedcalc.io.daily_rain import read_daily_rain


def write(tmp_path, text, name="rain.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_in_any_order_traces_and_missing_days(tmp_path):
    path = write(tmp_path, "date,PRCP\n2027-01-03,T\n2027-01-01,0.50\n2027-01-02,NA\n2027-01-06,1.25\n")
    rain = read_daily_rain(path, units="in")
    assert rain.days.astype(str).tolist() == [f"2027-01-0{d}" for d in range(1, 7)]
    np.testing.assert_array_equal(rain.inches, [0.5, np.nan, 0.0, np.nan, np.nan, 1.25])
    assert rain.trace.tolist() == [False, False, True, False, False, False]
    assert rain.findings[0].message == (
        "3 of 6 days from 2027-01-01 to 2027-01-06 have no observation (2 without a row)"
    )


def test_a_complete_record_has_no_findings(tmp_path):
    assert read_daily_rain(write(tmp_path, "DATE,precip\n20280228,0\n20280229,0.1\n"), units="in").findings == ()


@pytest.mark.parametrize(("units", "value"), [("mm", "12.7"), ("tenths-mm", "127"), ("in", "0.5")])
def test_units(tmp_path, units, value):
    # half an inch is 12.7 mm by definition
    rain = read_daily_rain(write(tmp_path, f"date,rain\n2027-01-01,{value}\n"), units=units)
    assert rain.inches[0] == pytest.approx(0.5, abs=1e-12)


def test_the_archive_form_with_elements_and_flags(tmp_path):
    # readme.txt of GHCN-Daily: MFLAG T is a trace, a QFLAG (here G, gap check) a failed quality check
    text = (
        "ID,DATE,ELEMENT,DATA_VALUE,M_FLAG,Q_FLAG,S_FLAG,OBS_TIME\n"
        "USW00014839,20270101,PRCP,127,,,W,2400\n"
        "USW00014839,20270101,TMAX,50,,,W,2400\n"
        "USW00014839,20270102,PRCP,0,T,,W,2400\n"
        "USW00014839,20270103,PRCP,900,,G,W,2400\n"
    )
    rain = read_daily_rain(write(tmp_path, text), units="tenths-mm")
    np.testing.assert_allclose(rain.inches, [0.5, 0.0, np.nan], rtol=1e-12)
    assert rain.trace.tolist() == [False, True, False]
    assert "1 failed a quality check" in rain.findings[0].message


def test_the_order_form_with_attributes(tmp_path):
    text = (
        '"STATION","DATE","PRCP","PRCP_ATTRIBUTES"\n'
        '"USW00014839","2027-01-01","0.00","T,,W,2400"\n'
        '"USW00014839","2027-01-02","0.75",",,W,2400"\n'
        '"USW00014839","2027-01-03","9.75",",X,W,2400"\n'
    )
    rain = read_daily_rain(write(tmp_path, text), units="in")
    np.testing.assert_array_equal(rain.inches, [0.0, 0.75, np.nan])
    assert rain.trace[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("date,snow\n2027-01-01,1\n", "no column is called prcp"),
        ("day,prcp\n2027-01-01,1\n", "no column is called date"),
        ("", "the heading has nothing"),
        ("date,prcp,rain\n2027-01-01,1,1\n", "several columns"),
        ("date,prcp\n", "no row of rain"),
        ("date,prcp\n2027-02-29,1\n", "line 2: '2027-02-29' is not a date"),
        ("date,prcp\n2027-01-01,1\n2027-01-01,1\n", "line 3: 2027-01-01 stands in line 2 already"),
        ("date,prcp\n2027-01-01,wet\n", "'wet' is not an amount"),
        ("date,prcp\n2027-01-01,\uff11\uff12\n", "'\uff11\uff12' is not an amount"),  # full-width 12
        ("date,prcp\n2027-01-01,1_2\n", "'1_2' is not an amount"),
        ("date,prcp\n2027-01-01,-0.1\n", "outside 0 to 80"),
        ("date,prcp\n2027-01-01,1e9\n", "outside 0 to 80"),
        ("date,prcp\n2027-01-01,inf\n", "outside 0 to 80"),
        ("date,prcp\n" + "x,1\n" * 30, "and 10 more lines at fault"),
    ],
)
def test_what_is_refused(tmp_path, text, said):
    with pytest.raises(InputError) as error:
        read_daily_rain(write(tmp_path, text), units="in")
    assert said in str(error.value)


def test_units_files_and_encodings_that_are_refused(tmp_path):
    path = write(tmp_path, "date,prcp\n2027-01-01,1\n")
    with pytest.raises(InputError, match="units: 'cm' is unknown; use one of 'in', 'mm', 'tenths-mm'"):
        read_daily_rain(path, units="cm")
    with pytest.raises(InputError, match="units: must be one name"):
        read_daily_rain(path, units=["in"])
    with pytest.raises(InputError, match="daily rain record"):
        read_daily_rain(tmp_path / "none.csv", units="in")
    (tmp_path / "b.csv").write_bytes(b"date,prcp\n\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_daily_rain(tmp_path / "b.csv", units="in")


def test_the_milwaukee_record(shared_data):
    path = next((shared_data / "daily" / "milwaukee").glob("*.csv"))
    rain = read_daily_rain(path, units="in")
    # counted with awk on the file: 32,283 rows, 138 of them NA, no day twice
    assert len(rain.days) == 32283
    assert (np.diff(rain.days) == np.timedelta64(1, "D")).all()
    assert int(np.isnan(rain.inches).sum()) == 138
    at = int((np.datetime64("2026-08-18") - rain.days[0]).astype(int))
    assert rain.inches[at] == pytest.approx(0.33858286)
    assert rain.days[0].astype(object) == datetime.date(1938, 4, 1)
