"""Counties to R and EI zone. Expected values are those of the reference tables (see data/r_factors)."""

import pytest

from sedcalc.findings import InputError
from sedcalc.site.location import resolve_county
from sedcalc.tables import table


def codes(place):
    return [f.code for f in place.findings]


@pytest.mark.parametrize(
    "name",
    ["Milwaukee, WI", "Milwaukee County, Wisconsin", "55079", " milwaukee county ,  wi ", "Milwaukee", "MILWAUKEE,WI"],
)
def test_milwaukee_by_any_name(name):
    place = resolve_county(name)
    assert (place.fips, place.county, place.state) == ("55079", "Milwaukee", "WI")
    # Fact Sheet 3.1, digitised: 115, 109.3 to 120.7 inside the county, each widened by 10
    assert place.R == 115.0
    assert (place.R_low, place.R_high) == pytest.approx((99.3, 130.7), abs=1e-9)
    assert (place.ei_zone, place.ei_zone_shares) == (101, ((101, 1.0),))
    assert (place.lat, place.lon) == (43.0054, -87.9675)
    assert place.status == "derived"
    assert codes(place) == ["county-r-estimate"]
    assert "not the agency's table" in place.findings[0].message


def test_an_agencys_value_goes_first_and_keeps_the_digitised_range():
    place = resolve_county("Dane, WI")
    assert (place.R, place.basis, place.status) == (150.0, "agency", "seen")
    assert (place.R_low, place.R_high) == pytest.approx((114.5, 159.4), abs=1e-9)
    assert place.ei_zone == 101
    assert "Dane County Erosion Control and Stormwater Manual" in place.source
    assert codes(place) == ["county-r-agency"]


def test_eighteen_wisconsin_counties_lie_in_two_zones():
    warned = []
    for row in table("wi_county_r").rows:
        place = resolve_county(row["fips"])
        assert place.ei_zone == max(place.ei_zone_shares, key=lambda zs: zs[1])[0]
        assert sum(share for _, share in place.ei_zone_shares) == pytest.approx(1, abs=0.011)
        assert place.R_low < place.R < place.R_high
        if "county-two-ei-zones" in codes(place):
            warned.append(row["county"])
    assert len(warned) == 18
    assert {"Adams", "Crawford", "Waushara"} <= set(warned)


def test_two_zone_warning_names_both_and_the_distance():
    place = resolve_county("Crawford, WI", where="location.county")
    finding = next(f for f in place.findings if f.code == "county-two-ei-zones")
    assert finding.severity == "warning"
    assert "100 (53% of its area) and 101 (47% of its area)" in finding.message
    assert "3 km" in finding.message
    assert finding.where == "location.county"


def test_extrapolated_values_say_so():
    assert "county-r-extrapolated" in codes(resolve_county("Door, WI"))  # 80.7, below the isoerodent of 100
    assert "county-r-extrapolated" in codes(resolve_county("Grant, WI"))  # 160.1, above 150
    assert "county-r-extrapolated" not in codes(resolve_county("Milwaukee, WI"))


def test_other_states_have_the_estimate_with_its_error_and_no_zone():
    place = resolve_county("Autauga County, Alabama")
    assert (place.fips, place.R, place.ei_zone, place.ei_zone_shares) == ("01001", 395.3, None, ())
    assert place.R_low == pytest.approx(395.3 * 0.844)  # 90th percentile of the error, 15.6 %
    assert place.R_high == pytest.approx(395.3 * 1.156)
    assert place.findings[0].severity == "warning"
    assert "median error 4.7 %, 90th percentile 15.6 %" in place.findings[0].message


@pytest.mark.parametrize("name", ["Denver, CO", "08031", "Dona Ana, NM", "Carson City, NV"])
def test_the_west_is_refused_with_the_error_and_the_remedy(name):
    with pytest.raises(InputError, match=r"median error 26 %, 90th percentile 84 %.*give R and ei_zone") as e:
        resolve_county(name, where="location.county")
    assert [(f.code, f.where) for f in e.value.findings] == [("county-r-west", "location.county")]


def test_the_refusal_follows_100_west():
    rows = table("us_county_r").rows
    west_most_usable = min((r for r in rows if r["lon"] > -100), key=lambda r: r["lon"])
    first_refused = max((r for r in rows if r["lon"] < -100), key=lambda r: r["lon"])
    assert west_most_usable["R_us_est"] == resolve_county(west_most_usable["fips"]).R
    with pytest.raises(InputError, match="west of 100"):
        resolve_county(first_refused["fips"])


@pytest.mark.parametrize(
    ("name", "fips"),
    [
        ("Baltimore County, MD", "24005"),
        ("Baltimore city, MD", "24510"),
        ("James City County, VA", "51095"),
        ("Charles City, VA", "51036"),
        ("Saint Louis County, Missouri", "29189"),
        ("St Louis city, MO", "29510"),
        ("Orleans Parish, LA", "22071"),
        ("De Kalb, IL", "17037"),
    ],
)
def test_counties_and_independent_cities(name, fips):
    assert resolve_county(name).fips == fips  # codes of ANSI INCITS 31


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("Milwake, WI", "unknown-county", "Milwaukee, WI (55079)"),
        ("Milwaukee, IL", "unknown-county", "Milwaukee, WI (55079)"),
        ("Milwaukee WI", "unknown-county", "Milwaukee, WI (55079)"),
        ("Milwaukee city, WI", "unknown-county", "Milwaukee, WI (55079)"),
        ("5507", "unknown-county", "five-digit"),
        ("99999", "unknown-county", "FIPS"),
        ("", "unknown-county", "five-digit"),
        ("Honolulu, HI", "unknown-county", "conterminous"),
        ("Cook, Ilinois", "unknown-state", "Illinois (IL)"),
        ("Washington", "ambiguous-county", "and 19 more"),
        ("Baltimore, MD", "ambiguous-county", "Baltimore city, MD (24510)"),
    ],
)
def test_unknown_and_ambiguous_names_list_near_ones(name, code, said):
    with pytest.raises(InputError) as e:
        resolve_county(name)
    assert [f.code for f in e.value.findings] == [code]
    assert said in str(e.value)
