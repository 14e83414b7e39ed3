"""Readers of rain files."""

from pathlib import Path

import numpy as np
import pytest

from sedcalc.findings import InputError
from sedcalc.io.rain_files import (
    read_jma_csv,
    read_kmi_minutes,
    read_meteoswiss,
    read_rain,
    read_rain_csv,
    read_wepp_breakpoints,
)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_csv_with_a_column_map(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "gauge.csv",
        "id;day;clock;P;T\n1;01/06/2024;10:00;0;5\n1;01/06/2024;10:10;0.10;4\n1;01/06/2024;10:20;;3\n"
        "1;01/06/2024;10:30;--;\n",
    )
    record = read_rain_csv(
        path,
        time=("day", "clock"),
        depth="P",
        temperature="T",
        time_format="%d/%m/%Y %H:%M",
        separator=";",
        zero_marks=("--",),
        units="in",
    )
    assert record.depth_mm.tolist() == pytest.approx([2.54])
    assert record.start[0] == np.datetime64("2024-06-01T10:10")
    assert record.temperature_c is not None
    assert record.temperature_c.tolist() == [4.0]
    assert record.gaps.astype("datetime64[m]").astype(str).tolist() == [["2024-06-01T10:20", "2024-06-01T10:30"]]
    assert record.source == "gauge.csv"


def test_marks_are_never_guessed_and_all_columns_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path, "g.csv", "time,rain_mm\n2024-06-01T10:00,--\nyesterday,trace\n")
    with pytest.raises(InputError) as caught:
        read_rain_csv(path, time="time", depth="rain_mm")
    messages = [f.message for f in caught.value.findings]
    assert any("1 time cannot be read, the first 'yesterday' in line 3" in m for m in messages)
    assert any("2 cells are neither numbers nor known marks, the first '--' in line 2" in m for m in messages)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("2024-06-01T10:00,0\n2024-06-01T10:10,1,5\n", "line 3 has 3 cells, and the first line 2"),
        ("2024-06-01T10:00,0,0\n2024-06-01T10:10,1,5\n", "is the separator right, or a comma the decimal mark"),
    ],
)
def test_decimal_commas_are_not_cut_off(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_rain(write(tmp_path, "g.csv", "time,rain_mm\n" + rows))


def test_digits_of_another_script_are_no_numbers(tmp_path: Path) -> None:
    """Full-width 5: Python's float takes it, and other readers of the file do not."""
    rows = "time,rain_mm\n2024-06-01T10:00,0\n2024-06-01T10:10,\uff15\n"
    with pytest.raises(InputError, match="neither a number nor a known mark, the first '\uff15' in line 3"):
        read_rain_csv(write(tmp_path, "g.csv", rows), time="time", depth="rain_mm")
    with pytest.raises(InputError, match="is not ascii text"):
        read_kmi_minutes(write(tmp_path, "Y_2004.txt", "9390 1.00\n9400 \uff15\n"))
    body = "1\t1\t2019\t2\t6.0\t2.0\n1.0 0.0\n2.0 \uff15\n"
    with pytest.raises(InputError, match="is not ascii text: byte 0xef at position"):
        read_wepp_breakpoints(write(tmp_path, "a.cli", HEADER.format(flag=1) + body))


def test_a_mark_that_is_a_number_is_a_mark(tmp_path: Path) -> None:
    """Loggers write 999.9 or -99 for what they did not see."""
    rows = "time,rain_mm\n2024-06-01T10:00,5\n2024-06-01T10:10,999.9\n2024-06-01T10:20,7\n2024-06-01T10:30,0\n"
    options = {
        "time": "time",
        "depth": "rain_mm",
        "step_minutes": 10,
        "missing_marks": ("999.9",),
        "zero_marks": ("7",),
    }
    record = read_rain_csv(write(tmp_path, "g.csv", rows), **options)
    assert record.depth_mm.tolist() == [5.0]
    assert record.gaps.astype("datetime64[m]").astype(str).tolist() == [["2024-06-01T10:10", "2024-06-01T10:20"]]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (b'time,rain_mm\n"2020-06-01,5\n', {}, "a quotation mark in line 2 is never closed"),
        (b"time,rain_mm\n2020-06-01,\xb5\n", {}, "is not utf-8-sig text: byte 0xb5 at position 24 is none of it"),
        (b"time,rain_mm\n2020-06-01,5\n", {"encoding": "latin-one"}, "encoding: 'latin-one' is no text encoding"),
        (b"time,rain_mm\n2020-06-01,5\n", {"encoding": "base64"}, "encoding: 'base64' is no text encoding"),
        (b"time,rain_mm\n2020-06-01,5\n", {"time_format": "%Q"}, "time_format: '%Q' is no strptime format"),
        (b"time,rain_mm\n2020-06-01,5\n", {"time_format": "%Y%Y"}, "time_format: '%Y%Y' is no strptime format"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(tmp_path: Path, text: bytes, options: dict, message: str) -> None:
    path = tmp_path / "g.csv"
    path.write_bytes(text)
    with pytest.raises(InputError, match=message):
        read_rain_csv(path, time="time", depth="rain_mm", **options)


def test_accumulating_gauges_and_tips(tmp_path: Path) -> None:
    total = write(tmp_path, "a.csv", "time,mm\n2024-06-01T10:00,8\n2024-06-01T10:10,10\n2024-06-01T10:20,0.5\n")
    options = {"time": "time", "depth": "mm"}
    assert read_rain_csv(total, **options, kind="accumulated").depth_mm.tolist() == [2.0]
    assert read_rain_csv(total, **options, kind="accumulated", on_reset="restart").depth_mm.tolist() == [2.0, 0.5]
    tips = write(tmp_path, "t.csv", "time,mm\n2024-06-01T10:00,0.2\n2024-06-01T10:04,0.2\n")
    record = read_rain_csv(tips, **options, kind="tips", spread_minutes=10.0)
    assert record.length.astype("timedelta64[m]").astype(int).tolist() == [10, 4]
    with pytest.raises(InputError, match="kind: 'events' is unknown"):
        read_rain_csv(tips, **options, kind="events")
    with pytest.raises(InputError, match="read with steps only"):
        read_rain_csv(tips, **options, kind="tips", temperature="mm")


def test_a_row_cut_short_is_a_gap(tmp_path: Path) -> None:
    path = write(tmp_path, "g.csv", "time,rain_mm\n2024-06-01T10:00,0\n2024-06-01T10:10,1\n2024-06-01T10:20\n")
    assert read_rain(path).gaps.shape == (1, 2)


def test_wrong_column_names_show_the_header(tmp_path: Path) -> None:
    path = write(tmp_path, "g.csv", "when,P\n2024-06-01T10:00,1\n")
    with pytest.raises(InputError, match=r"no column 'time', 'rain_mm'; its first line is 'when,P'"):
        read_rain_csv(path, time="time", depth="rain_mm")


def test_spreadsheet_day_numbers(tmp_path: Path) -> None:
    # day 45444 of the 1900 system is 2024-06-01
    path = write(tmp_path, "g.csv", "time,rain_mm\n2024-05-31T23:50,1\n45444,2\n45444.0069444444,3\n")
    record = read_rain_csv(path, time="time", depth="rain_mm", excel_serials=True, absent_rows="dry")
    assert record.start.astype("datetime64[m]").astype(str).tolist() == [
        "2024-05-31T23:50",
        "2024-06-01T00:00",
        "2024-06-01T00:10",
    ]
    with pytest.raises(InputError, match="2 times cannot be read, the first '45444' in line 3"):
        read_rain_csv(path, time="time", depth="rain_mm", time_format="%Y-%m-%dT%H:%M")


def test_a_plain_csv_is_read_by_its_column_names(tmp_path: Path) -> None:
    path = write(tmp_path, "g.csv", "Time,Rain_in,quality\n2024-06-01 10:00,0.1,a\n2024-06-01 10:10,0,b\n")
    assert read_rain(path).depth_mm.tolist() == pytest.approx([2.54])
    with pytest.raises(InputError, match="is in in, and units say mm"):
        read_rain(path, units="mm")
    unnamed = write(tmp_path, "u.csv", "time,rain\n2024-06-01 10:00,0.1\n2024-06-01 10:10,0\n")
    with pytest.raises(InputError, match="give units, mm or in"):
        read_rain(unnamed)
    assert read_rain(unnamed, units="mm").total_mm == pytest.approx(0.1)
    with pytest.raises(InputError, match="no column known as rain depth"):
        read_rain(write(tmp_path, "n.csv", "time,x\n2024-06-01 10:00,0.1\n"))


@pytest.mark.parametrize("wrong", [["csv"], np.array(["csv", "mm"]), np.array("mm"), "brown", 1])
def test_choices_are_one_name(tmp_path: Path, wrong: object) -> None:
    path = write(tmp_path, "a.csv", "time,rain_mm\n2024-06-01 10:00,0.1\n")
    for name in ("format", "units", "kind"):
        with pytest.raises(InputError, match=rf"^{name}: (must be one name|'brown' is unknown)"):
            read_rain(path, **{name: wrong})


@pytest.mark.parametrize("name", ["missing.csv", "."])
def test_what_is_not_a_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        read_rain(tmp_path / name)


def test_what_is_not_rain(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="of no known format"):
        read_rain(write(tmp_path, "a.txt", "hello\n"))
    binary = tmp_path / "b.csv"
    binary.write_bytes(b"\xff\xfe\x00time,rain_mm\n")
    with pytest.raises(InputError, match="is not utf-8-sig text"):
        read_rain(binary)
    with pytest.raises(InputError, match="of no known format"):
        read_rain(write(tmp_path, "c.csv", ""))


HEADER = " 4.30\n   1   {flag}   0\n" + "header\n" * 13


def test_wepp_breakpoints(tmp_path: Path) -> None:
    text = HEADER.format(flag=1) + (
        "30\t12\t2019\t2\t6.0\t2.0\t1\t1\t1\t1\n23.5000 0.00\n24.0000 3.00\n"
        "31\t12\t2019\t0\t-1.0\t-3.0\t1\t1\t1\t1\n"
        "1\t1\t2020\t3\t1.0\t0.0\t1\t1\t1\t1\n00.0000 0.00\n08.4333 1.00\n10.0000 1.00\n"
    )
    record = read_wepp_breakpoints(write(tmp_path, "a.cli", text))
    assert record.depth_mm.tolist() == [3.0, 1.0]
    assert record.start.astype(str).tolist() == ["2019-12-30T23:30:00.000", "2020-01-01T00:00:00.000"]
    # 8.4333 h are 8 h 26 min
    assert record.length.astype("timedelta64[s]").astype(int).tolist() == [1800, 8 * 3600 + 26 * 60]
    assert record.period[1] == np.datetime64("2020-01-02")
    assert record.gaps.size == 0
    assert record.temperature_c is not None
    assert record.temperature_c.tolist() == [4.0, 0.5]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("1\t1\t2019\t2\t6.0\t2.0\n1.0 0.0\n", "ends in the day of line 16, with 1 of its 2 breakpoints"),
        ("1\t1\t2019\t2\t6.0\t2.0\n1.0 0.0\n2.0\n", "line 18 is not the hour and depth of a breakpoint: '2.0'"),
        ("1\t1\t2019\t2\t6.0\t2.0\n1.0 0.0\n2.0 nan\n", "line 18 is not the hour and depth of a breakpoint"),
        ("1\t1\t2019\t-1\t6.0\t2.0\n", "line 16 is not a day of the month, month, year, number of breakpoints"),
        ("1\t1\t2019\t0\t6.0\n", "line 16 is not a day of the month"),
        ("1\t1\t2019\t0\tinf\t2.0\n", "line 16 is not a day of the month"),
        ("1\t1\t2019\t2\t6.0\t2.0\n1.0 0.0\n1.0 2.0\n", "line 18: breakpoints must ascend"),
        ("1\t1\t2019\t2\t6.0\t2.0\n1.0 5.0\n2.0 2.0\n", "breakpoints must ascend"),
        ("1\t1\t2019\t2\t6.0\t2.0\n1.0 0.0\n25.0 2.0\n", "breakpoints must ascend"),
        ("2\t1\t2019\t0\t6.0\t2.0\n1\t1\t2019\t0\t6.0\t2.0\n", "days must ascend; 2019-01-01"),
        ("31\t2\t2019\t0\t6.0\t2.0\n", "is not a day"),
        ("", "has no days"),
    ],
)
def test_broken_wepp_files(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_wepp_breakpoints(write(tmp_path, "a.cli", HEADER.format(flag=1) + body))


@pytest.mark.parametrize("lines", range(1, 15))
def test_a_wepp_file_that_ends_in_its_header(tmp_path: Path, lines: int) -> None:
    text = "".join(HEADER.format(flag=1).splitlines(keepends=True)[:lines])
    with pytest.raises(InputError, match=f"ends in its header, which has 15 lines, at line {lines}; get it whole"):
        read_wepp_breakpoints(write(tmp_path, "a.cli", text))
    inside_the_flags = " 4.30\n   1"
    with pytest.raises(InputError, match="ends in its header, which has 15 lines, at line 2; get it whole"):
        read_wepp_breakpoints(write(tmp_path, "b.cli", inside_the_flags))
    with pytest.raises(InputError, match="must be 1"):
        read_wepp_breakpoints(write(tmp_path, "c.cli", HEADER.format(flag=0)[:30]))


def test_wepp_file_without_breakpoints_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be 1"):
        read_wepp_breakpoints(write(tmp_path, "a.cli", HEADER.format(flag=0) + "1\t1\t2019\t0\t1\t1\n"))


def test_days_left_out_of_a_wepp_file_are_gaps(tmp_path: Path) -> None:
    text = HEADER.format(flag=1) + "1\t1\t2019\t0\t6.0\t2.0\n4\t1\t2019\t0\t6.0\t2.0\n"
    record = read_wepp_breakpoints(write(tmp_path, "a.cli", text))
    assert record.gaps.astype("datetime64[D]").astype(str).tolist() == [["2019-01-02", "2019-01-04"]]
    assert record.findings[0].code == "rain-not-observed"


def test_kmi_minutes(tmp_path: Path) -> None:
    record = read_rain(write(tmp_path, "X_2004.txt", "9390 1.00\n9470 0.20\n"))
    assert record.start.astype("datetime64[m]").astype(str).tolist() == ["2004-01-07T12:30", "2004-01-07T13:50"]
    assert record.period == (np.datetime64("2004-01-01"), np.datetime64("2005-01-01"))
    with pytest.raises(InputError, match="give the year"):
        read_kmi_minutes(write(tmp_path, "X.txt", "9390 1.00\n"))
    with pytest.raises(InputError, match="line 2 is not a minute"):
        read_kmi_minutes(write(tmp_path, "Y_2004.txt", "9390 1.00\n9400 x\n"))


def test_meteoswiss_and_jma_conventions(tmp_path: Path) -> None:
    swiss = write(tmp_path, "s.txt", "stn; yyyyMMddHHmm; rre150z0\nHER;201001010020;0\nHER;201001010030;1.2\n")
    record = read_rain(swiss)
    assert record.start.astype("datetime64[m]").astype(str).tolist() == ["2010-01-01T00:20"]
    jma = write(
        tmp_path,
        "j.csv",
        "Station;Date.Time;Precipitation_mm;Temperature_C\n1;01/01/2011 23:50;0.5;1.0\n1;40545;--;1.0\n"
        "1;02/01/2011 00:10;#;1.0\n1;02/01/2011 00:20;0.5;-1.0\n",
    )
    record = read_rain(jma)
    assert record.start.astype("datetime64[m]").astype(str).tolist() == ["2011-01-01T23:40", "2011-01-02T00:10"]
    assert record.gaps.astype("datetime64[m]").astype(str).tolist() == [["2011-01-02T00:00", "2011-01-02T00:10"]]
    assert read_jma_csv(jma).total_mm == read_rain(jma, format="jma").total_mm == 1.0
    assert read_meteoswiss(swiss).total_mm == 1.2
    with pytest.raises(InputError, match="are in mm, not 'in'"):
        read_rain(swiss, units="in")
