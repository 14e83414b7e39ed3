"""Factor commands: published examples to the digit, keys as promised, and wrong options."""

import datetime

import pytest

from sedcalc.factors.topography import PROFILE_METHODS

ZONE_84 = ("r", "--zone", 84, "--annual-r", 45, "--start", "2026-03-10", "--end", "2026-05-10")


def test_r_denver_table_dates(sedcalc):
    """EPA 833-F-00-014, first example: 9.7 %, R 4.4."""
    answer = sedcalc(*ZONE_84, "--dates", "table", "--json")
    found = answer.object
    assert (answer.code, answer.err) == (0, "")
    assert found["format"] == "sedcalc.r/1"
    assert found["ei_fraction"] == 0.097
    assert found["R_period"] == 4.365
    assert (found["R_annual"], found["ei_zone"]) == (45.0, 84)
    assert (found["table_start"], found["table_end"]) == ("2026-03-01", "2026-05-15")
    assert "EPA 833-F-00-014" in found["ei_source"]
    assert "R of the period 4.4 (4.365)" in sedcalc(*ZONE_84, "--dates", "table").out


def test_r_pittsburgh_table_dates(sedcalc):
    """EPA 833-F-00-014, second example: 65 and 8 %, together 43 %; R 48."""
    period = ("--start", "2026-08-01", "--end", "2027-04-15", "--dates", "table", "--json")
    found = sedcalc("r", "--zone", 111, "--annual-r", 112, *period).object
    assert found["ei_fraction"] == 0.43
    assert found["R_period"] == pytest.approx(48.16, abs=1e-12)


def test_r_any_twelve_months_is_the_annual_r(sedcalc):
    found = sedcalc(
        "r", "--zone", 84, "--annual-r", 45, "--start", "2026-05-20", "--end", "2027-05-19", "--json"
    ).object
    assert (found["ei_fraction"], found["R_period"], found["dates"]) == (1.0, 45.0, "interpolate")


def test_r_of_a_county_carries_its_range_and_says_it_is_an_estimate(sedcalc):
    found = sedcalc("r", "--county", "Milwaukee, WI", "--json").object
    # method: county minimum - 10 to maximum + 10; Milwaukee 115: 99 to 131.
    assert found["R_annual"] == 115.0
    assert (round(found["R_low"]), round(found["R_high"])) == (99, 131)
    assert found["ei_zone"] == 101
    assert (found["ei_fraction"], found["R_period"]) == (None, None)
    assert {f["code"] for f in found["findings"]} == {"county-r-estimate", "no-period"}


def test_r_outside_wisconsin_needs_the_zone_for_a_period_only(sedcalc):
    period = ("--start", "2026-03-10", "--end", "2026-05-10")
    assert sedcalc("r", "--county", "Allegheny, PA").code == 0
    missing = sedcalc("r", "--county", "Allegheny, PA", *period)
    assert missing.code == 2
    assert "--zone" in missing.err
    assert sedcalc("r", "--county", "Allegheny, PA", "--zone", 111, *period).code == 0


def test_r_of_a_frozen_season_says_what_it_leaves_out(sedcalc):
    """EPA table: zone 84 stands at 0 % from Jan 1 through Jan 16."""
    found = sedcalc(
        "r", "--zone", 84, "--annual-r", 45, "--start", "2026-01-02", "--end", "2026-01-10", "--json"
    ).object
    assert found["R_period"] == 0.0
    assert [f["code"] for f in found["findings"]] == ["no-erosivity"]


def test_ls_san_joaquin(sedcalc):
    """A landfill calculation, San Joaquin County: 33 %, 150 ft, printed 8.5 (high ratio) and 6.8 (low)."""
    high = sedcalc("ls", "--slope", 33, "--length", 150, "--ratio", "high", "--json").object
    assert round(high["LS"], 3) == 8.516
    assert high["LS"] == pytest.approx(high["L"] * high["S"], rel=1e-12)
    assert {"LS", "L", "S", "m", "method", "ratio"} <= set(high)
    low = sedcalc("ls", "--slope", 33, "--length", 150, "--ratio", "low", "--json").object
    assert round(low["LS"], 3) == 6.851
    assert sedcalc("ls", "--slope", 33, "--length", 150).out.startswith("LS 8.516 ")


def test_ls_of_ah537_and_its_ratio_is_null(sedcalc):
    """A construction site in Duluth, 16 % and 280 ft, by the USLE: 4.75 by the equation (4.80 read from a chart)."""
    found = sedcalc("ls", "--slope", 16, "--length", 280, "--method", "usle", "--json").object
    assert (round(found["LS"], 2), found["ratio"], found["method"]) == (4.75, None, "usle")


@pytest.mark.parametrize(
    ("slope", "length", "method", "code"),
    [
        (5, 401, "rusle", "long-slope"),
        (12, 10, "rusle", "short-slope"),
        (12, 100, "mccool+ah537", "hybrid-method"),
        (33.35, 100, "rusle", "over-3-to-1"),
    ],
)
def test_ls_says_what_a_reader_must_know(sedcalc, slope, length, method, code):
    args = ("ls", "--slope", slope, "--length", length, "--method", method)
    assert [f["code"] for f in sedcalc(*args, "--json").object["findings"]] == [code]
    answer = sedcalc(*args)
    assert answer.code == 0
    assert answer.err.startswith("warning: ")


def test_ls_at_3h_1v_is_within_the_method(sedcalc):
    """The state prints 3H:1V as 33.34 %."""
    for slope in (33.3, 33.34):
        assert sedcalc("ls", "--slope", slope, "--length", 100, "--json").object["findings"] == []


def test_ls_names_the_publication_of_each_part(sedcalc):
    ah703, ah537 = "USDA Agriculture Handbook 703, chapter 4", "USDA Agriculture Handbook 537"
    nearing = "Nearing 1997, Soil Sci. Soc. Am. J. 61, 917-919"
    sources = {
        "rusle": ah703,
        "usle": ah537,
        "nearing+rusle": f"S: {nearing}; m: {ah703}",
        "mccool+ah537": f"S: {ah703}; m: {ah537}",
        "ah537+rusle": f"S: {ah537}; m: {ah703}",
    }
    assert set(sources) == set(PROFILE_METHODS)
    text = " ".join(sedcalc("ls", "--help").out.split())
    for method, source in sources.items():
        args = ("ls", "--slope", 12, "--length", 150, "--method", method)
        assert sedcalc(*args, "--json").object["source"] == source
        assert f"source: {source}" in " ".join(sedcalc(*args).out.split())
        assert method in text
    assert "what is 'ah537' elsewhere is 'usle' here" in sedcalc(*args[:-1], "ah537").err


def test_k_by_nomograph(sedcalc):
    """Agriculture Handbook 537, figure 3: the graph reads 0.31."""
    soil = ("--silt-vfs", 65, "--sand", 5, "--om", 2.8, "--structure", 2, "--permeability", 4)
    found = sedcalc("k", *soil, "--json").object
    assert round(found["K"], 5) == 0.31085
    assert found["method"] == "nomograph"
    assert sedcalc("k", *soil).out.startswith("K 0.311 ")


def test_k_by_texture(sedcalc):
    """Stewart et al. 1975: silt loam at 2 % organic matter 0.42."""
    found = sedcalc("k", "--texture", "silt loam", "--om", 2, "--json").object
    assert found["K"] == pytest.approx(0.42, abs=1e-12)
    assert "Stewart" in found["source"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("r",), "--county"),
        (("r", "--county", "Milwaukee, WI", "--annual-r", 100), "not both"),
        (("r", "--zone", 141, "--annual-r", 45), "141"),
        (("r", "--zone", 84, "--annual-r", 45, "--start", "2026-03-10"), "--end"),
        (("r", "--zone", 84, "--annual-r", 45, "--start", "2026-13-01", "--end", "2026-12-31"), "2026-13-01"),
        (("r", "--zone", 84, "--annual-r", 45, "--start", "2026-05-10", "--end", "2026-03-10"), "2026-03-10"),
        (("r", "--zone", 84, "--annual-r", -45), "-45"),
        (("r", "--zone", 84, "--annual-r", 2000), "2000"),
        (("r", "--county", "Milwauke, WI"), "Milwaukee"),
        (("r", "--county", "Los Angeles, CA"), "R"),
        (("k",), "--texture"),
        (("k", "--texture", "silt loam"), "organic"),
        (("k", "--texture", "silt lome", "--om", 2), "silt loam"),
        (("k", "--silt-vfs", 65), "--permeability"),
        (("k", "--silt-vfs", 75, "--sand", 5, "--om", 2, "--structure", 2, "--permeability", 4), "75"),
        (("k", "--texture", "loam", "--om", 2, "--sand", 5), "--sand"),
        (("ls", "--slope", 61, "--length", 100), "61"),
        (("ls", "--slope", 5, "--length", 1001), "1001"),
        (("ls", "--slope", "nan", "--length", 100), "nan"),
        (("ls", "--slope", 5, "--length", "inf"), "inf"),
        (("ls", "--slope", 5, "--length", 100, "--ratio", "middling"), "middling"),
        (("ls", "--slope", 5), "--length"),
    ],
)
def test_wrong_options(sedcalc, args, said):
    """Each exits with 2 and says the value or the remedy, with --json as one object."""
    answer = sedcalc(*args)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert "Traceback" not in answer.err
    as_json = sedcalc(*args, "--json")
    assert (as_json.code, as_json.err) == (2, "")
    assert as_json.object["format"] == "sedcalc.error/1"
    assert any(said in f["message"] or said in str(f["where"]) for f in as_json.object["findings"])


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("ls --slope 61 --length 2000 --ratio hgh --method m", {"--slope", "--length", "--ratio", "--method"}),
        ("ls --slope x", {"--slope", "--length"}),
        ("ls --slop 5", {"command line", "--length"}),
        ("k --silt-vfs 120 --sand -4 --om 101 --structure 9 --permeability 8", {
            "--silt-vfs", "--sand", "--om", "--structure", "--permeability",
        }),
        ("k --silt-vfs 20 --structure 1.5", {"--structure", "--sand", "--permeability", "--om"}),
        ("k --silt-vfs 60 --sand 50 --om 2 --structure 2 --permeability 3", {"--silt-vfs + --sand"}),
        ("k --texture marl", {"--texture", "--om"}),
        ("r --zone 999 --annual-r 9999 --start 05/01/2027", {"--zone", "--annual-r", "--start", "--end"}),
        ("r --county Nowhere,WI --annual-r 100 --zone 0", {"--county", "--zone", "command line"}),
        ("ls-grid no.tif --out no/ls.tif --ratio hgh", {"DEM", "--out", "--ratio"}),
    ],
)  # fmt: skip
def test_every_wrong_option_is_named_at_once(sedcalc, args, said):
    answer = sedcalc(*args.split())
    assert (answer.code, answer.out) == (2, "")
    assert {line.removeprefix("error: ").split(": ")[0] for line in answer.err.splitlines()} == said
    found = sedcalc(*args.split(), "--json").object["findings"]
    assert {f["where"] for f in found} == said
    assert all(f["severity"] == "error" for f in found)


def test_what_a_wrong_option_has_to_be_is_said(sedcalc):
    """Each message has a remedy: limits of the method, the form of a date, near names."""
    wrong = sedcalc("r", "--county", "Millwaukee,WI", "--start", "05/31/2027", "--end", "2027-06-31").err
    assert "write 2027-05-31 if that is month/day/year" in wrong
    assert "near: Milwaukee, WI (55079)" in wrong
    assert "a day that exists" in wrong
    assert "-5 is outside 0 to 60 %; give" in sedcalc("ls", "--slope", -5, "--length", 10).err


def test_dates_are_of_the_calendar(sedcalc):
    answer = sedcalc("r", "--zone", 84, "--annual-r", 45, "--start", "2027-02-29", "--end", "2027-03-01")
    assert answer.code == 2
    with pytest.raises(ValueError, match="day"):
        datetime.date(2027, 2, 29)
