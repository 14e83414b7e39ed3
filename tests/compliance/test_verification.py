"""Verification of claimed numbers.

Claims are made from a calculation by the tests' own arithmetic (tests/claiming.py): an applicant's wrong factor is
multiplied through to rows and totals, printed with a few digits, and must be found again.
"""

import datetime
import math
from pathlib import Path
from typing import Any

import pytest

import sedcalc
from builders import built, practice, site_data
from claiming import FACTORS, PRODUCTS, digits, multiplied, printed_rows, rows_of, ruled, with_claims
from sedcalc.compliance.verification import Verification, verify
from sedcalc.findings import InputError
from sedcalc.site.claims import TOTALS, half_digit, printed_tolerance
from sedcalc.site.parsing import parse_site
from sedcalc.site.submission import Site
from sedcalc.units import ACRE_HA, K_US_SI, R_US_SI, TON_PER_ACRE_T_PER_HA

EXAMPLE = "hales_corners_subdivision.toml"
ALL = (*FACTORS, *PRODUCTS, "acres", "efficiency")


@pytest.fixture(scope="module")
def example() -> Site:
    return sedcalc.read_site(sedcalc.example(EXAMPLE))


@pytest.fixture(scope="module")
def trapped() -> Site:
    """One acre-uniform site with a practice: every figure is a product of the same factors."""
    return built(site_data(practices=[practice("trap", 0.8)]))


def discharged(rows: list[dict[str, Any]]) -> float:
    return sum(row["discharge_tons"] for row in rows if row["counted"])


def shares(result: Verification, quantity: str) -> dict[str, float | None]:
    (found,) = [a for a in result.attributions if a.quantity == quantity]
    return {c.factor: c.share for c in found.contributions}


def said(result: Verification, quantity: str) -> str:
    return " | ".join(s for s in result.sentences if s.startswith(quantity))


# --- what holds ----------------------------------------------------------------------------------------------------


def test_the_shipped_submission_is_verified() -> None:
    result = verify(sedcalc.example("hales_corners_submission.toml"))
    assert result.status == "verified", result.sentences
    assert result.ruling.status == "meets"
    assert len(result.values) == 71
    assert all(v.passed for v in result.values)
    assert all(p.passed for p in result.products)
    assert len(result.products) == 16  # soil loss and discharge of each of the eight rows multiply out
    assert result.attributions == ()


@pytest.mark.parametrize("significant", [2, 3, 5, 17])
def test_correct_claims_hold_at_any_number_of_digits(example: Site, significant: int) -> None:
    ruling = ruled(example)
    site = with_claims(
        example,
        status="meets",
        tons_per_acre_per_year=digits(ruling.tons_per_acre_per_year or 0.0, significant),
        site_tons_per_acre_per_year=digits(ruling.site_tons_per_acre_per_year or 0.0, significant),
        percent_reduction=digits(ruling.percent_reduction or 0.0, significant),
        disturbed_acres=digits(ruling.disturbed_acres, significant),
        soil_loss_tons=digits(ruling.load.totals.eroded, significant),
        discharge_tons=digits(ruling.load.totals.discharged, significant),
        R=digits(115.0, max(significant, 3)),
        rows=printed_rows(rows_of(ruling), significant, ALL),
    )
    result = verify(site)
    assert result.status == "verified", result.sentences
    # The two sums (soil loss, discharge), and five products in each of the 31 rows.
    assert len(result.products) == 2 + 31 * 5


def test_the_last_printed_digit_decides(trapped: Site) -> None:
    figure = ruled(trapped).tons_per_acre_per_year
    assert figure is not None
    right = f"{figure:.2f}"
    assert verify(with_claims(trapped, tons_per_acre_per_year=right)).status == "verified"
    for off in (0.01, -0.01):
        wrong = verify(with_claims(trapped, tons_per_acre_per_year=f"{float(right) + off:.2f}"))
        assert wrong.status == "not_verified"
    check = verify(with_claims(trapped, tons_per_acre_per_year=right)).values[0]
    assert check.tolerance == pytest.approx(0.005)
    assert check.difference == pytest.approx(float(right) - figure)


def test_a_figure_cut_off_instead_of_rounded_is_named(trapped: Site) -> None:
    figure = ruled(trapped).tons_per_acre_per_year
    assert figure is not None
    places = next(n for n in range(1, 9) if (figure * 10**n) % 1 > 0.6)
    cut = math.floor(figure * 10**places) / 10**places
    result = verify(with_claims(trapped, tons_per_acre_per_year=f"{cut:.{places}f}"))
    assert result.status == "not_verified"
    assert "cut off instead of rounded" in said(result, "tons_per_acre_per_year")


@pytest.mark.parametrize(
    ("printed", "half"), [("1.20", 0.005), ("115", 0.5), ("1.2e3", 50.0), (".5", 0.05), ("7.", 0.5)]
)
def test_half_of_the_last_digit(printed: str, half: float) -> None:
    assert half_digit(printed) == pytest.approx(half, rel=1e-15)


def test_numbers_without_quotes_keep_their_shortest_digits() -> None:
    site, mistakes = parse_site(
        {**site_data(), "claims": {"R": 100, "percent_reduction": 91.25, "discharge_tons": 1e-5}}
    )
    assert not mistakes
    assert site is not None
    assert site.claims is not None
    assert (site.claims.R, site.claims.percent_reduction, site.claims.discharge_tons) == ("100", "91.25", "1e-05")


def test_a_whole_number_is_no_licence_for_half_a_unit_in_shares(trapped: Site) -> None:
    """C = 1 and P = 1 are statements; R = 100 is a rounding of anything from 99.5 to 100.5."""
    assert half_digit("1", "C") == half_digit("1", "P") == half_digit("1", "efficiency") == 0.005
    assert half_digit("100", "R") == 0.5
    rows = [{"phase": "grading", "unit": "u1", "P": 1, "efficiency": 1}]
    result = verify(with_claims(trapped, rows=rows))
    assert [(v.quantity, v.passed) for v in result.values] == [("P", True), ("efficiency", False)]


@pytest.mark.parametrize(
    ("printed", "quantity", "value", "allowed"),
    [
        ("115", "R", 115.0, 0.5),
        ("1.1e2", "R", 115.0, 5.0),  # as 110 to two digits
        ("1e2", "R", 115.0, 5.75),  # 5 % of 115, not 50
        ("0e3", "R", 115.0, 5.75),
        ("0", "K", 0.44, 0.022),
        ("4e0", "tons_per_acre_per_year", 4.12, 0.206),
        ("0.00", "discharge_tons", 0.003, 0.005),  # two decimals of a small value, as a table prints it
        ("0.0", "discharge_tons", 0.03, 0.005),
        ("1.0", "efficiency", 0.96, 0.005),
        ("10e-1", "C", 0.96, 0.005),
        ("1.2", "ei_fraction", 1.16, 0.05),
    ],
)
def test_few_digits_leave_no_more_than_5_percent_or_two_decimals(
    printed: str, quantity: str, value: float, allowed: float
) -> None:
    """5 % of the value, or 0.005, worked by hand."""
    assert printed_tolerance(printed, quantity, value) == pytest.approx(allowed, rel=1e-12)


@pytest.mark.parametrize("nothing", ["0", "0e1", "0e3", "0.e2", ".0e2", "+0E4", "-0e4", "1e1", "1e2", "1e3"])
def test_no_way_to_write_a_number_holds_against_every_value(example: Site, nothing: str) -> None:
    totals = dict.fromkeys(TOTALS, nothing)
    row = dict.fromkeys(("R", "ei_fraction", "K", "LS", "C", "soil_loss_tons", "efficiency"), nothing)
    for tolerance in (None, 5.0):
        result = verify(with_claims(example, **totals, rows=row_claim(**row)), tolerance_pct=tolerance)
        assert result.status == "not_verified"
        assert all(v.passed is False for v in result.values), [v for v in result.values if v.passed]
    assert "rounding to so few digits" in said(verify(with_claims(example, R="1e2")), "R")


def test_sums_of_claims_without_digits_do_not_hold(trapped: Site) -> None:
    rows = [{"phase": r["phase"], "unit": r["unit"], "soil_loss_tons": "0e4"} for r in rows_of(ruled(trapped))]
    total = f"{ruled(trapped).load.totals.eroded:.2f}"
    result = verify(with_claims(trapped, soil_loss_tons=total, rows=rows))
    assert [p.passed for p in result.products if p.row is None] == [False]


@pytest.mark.parametrize("value", [True, "1,234", "80 %", "", "abc", float("nan"), float("inf"), "1e999", [1], "0x10"])
def test_what_is_no_number_is_refused(value: Any) -> None:
    _, mistakes = parse_site({**site_data(), "claims": {"R": value}})
    assert [m.where for m in mistakes] == ["claims.R"]


# --- what does not ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [*FACTORS, "efficiency", "acres"])
@pytest.mark.parametrize("ratio", [0.7, 1.05, 1.6])
def test_a_single_factor_in_all_rows(example: Site, factor: str, ratio: float) -> None:
    ruling = ruled(example)
    changed = []
    for row in rows_of(ruling):
        value = 1 - (1 - row[factor]) * ratio if factor == "efficiency" else row[factor] * ratio
        changed.append(multiplied(row, **{factor: value}))
    figure = ruling.tons_per_acre_per_year or 0.0
    figure *= 1.0 if factor == "acres" else ratio  # tons and acres grow together
    site = with_claims(
        example,
        tons_per_acre_per_year=digits(figure, 5),
        discharge_tons=digits(discharged(changed), 5),
        rows=printed_rows(changed, 5, ALL),
    )
    result = verify(site)
    assert result.status == "not_verified"
    assert all(p.passed for p in result.products)
    by_name = {v.quantity: v.passed for v in result.values}
    assert by_name["tons_per_acre_per_year"] is (factor == "acres")
    for quantity in ("discharge_tons",) if factor == "acres" else ("tons_per_acre_per_year", "discharge_tons"):
        share = shares(result, quantity)[factor]
        assert share is not None
        assert 0.95 <= share <= 1.05
    wrong = {v.quantity for v in result.failed if v.row is not None}
    assert factor in wrong
    assert wrong.isdisjoint({*FACTORS, "efficiency", "acres"} - {factor})
    for check in [v for v in result.failed if v.quantity == factor]:
        assert check.ratio is not None
        if factor != "efficiency":
            assert check.ratio == pytest.approx(ratio, rel=1e-3)


@pytest.mark.parametrize("unit", ["north lots", "east lots", "south lots"])
@pytest.mark.parametrize("factor", ["K", "LS"])
def test_a_factor_of_one_ground_unit_that_may_make_another_area_govern(example: Site, unit: str, factor: str) -> None:
    """The claimed figure is the largest over drainage areas of the changed site: another area may govern then."""
    ruling = ruled(example)
    ratio = 1.3
    changed = [multiplied(r, **{factor: r[factor] * ratio}) if r["unit"] == unit else r for r in rows_of(ruling)]
    area = {"north lots": "north", "east lots": "east", "south lots": "south"}[unit]
    tons = {}
    load = ruling.load
    for k, name in enumerate(load.windows.area[:-1]):
        row = load.windows.worst[k]
        assert str(load.windows.start[row]) == "2027-04-05"  # all start with the clearing, and do so with the change
        tons[name] = float(load.windows.tons[row, k])
    acres = {"north": 2.1, "east": 2.1, "south": 1.5}
    last = datetime.date(2028, 4, 4)
    within = sum(
        float(r["discharge_tons"]) * (1.0 if r["end"] <= last else _share_until(example, r, last))
        for r in rows_of(ruling)
        if r["unit"] == unit and r["start"] <= last
    )
    tons[area] += within * (ratio - 1.0)
    figure = max(t / acres[str(a)] for a, t in tons.items())
    result = verify(with_claims(example, tons_per_acre_per_year=digits(figure, 6), rows=printed_rows(changed, 6, ALL)))
    assert figure > 4.12  # the changed area governs
    (found,) = [a for a in result.attributions if a.quantity == "tons_per_acre_per_year"]
    share = shares(result, "tons_per_acre_per_year")[factor]
    assert share is not None
    assert 0.95 <= share <= 1.05
    assert sum(c.log_ratio for c in found.contributions) == pytest.approx(found.log_ratio, abs=1e-12)


def _share_until(site: Site, row: dict[str, Any], last: datetime.date) -> float:
    from sedcalc.factors.erosivity import ei_fraction

    curve = sedcalc.sediment_load(site).erosivity.cumulative_pct
    return float(ei_fraction(row["start"], last, curve)) / float(row["ei_fraction"])


def test_two_factors_share_by_their_logarithms(trapped: Site) -> None:
    """All rows changed alike: the shares are ln 1.3 and ln 1.1 over ln 1.43."""
    ruling = ruled(trapped)
    changed = [multiplied(r, LS=r["LS"] * 1.3, K=r["K"] * 1.1) for r in rows_of(ruling)]
    result = verify(
        with_claims(
            trapped,
            tons_per_acre_per_year=digits((ruling.tons_per_acre_per_year or 0.0) * 1.43, 8),
            rows=printed_rows(changed, 8, ALL),
        )
    )
    found = shares(result, "tons_per_acre_per_year")
    assert found["LS"] == pytest.approx(math.log(1.3) / math.log(1.43), abs=1e-5)
    assert found["K"] == pytest.approx(math.log(1.1) / math.log(1.43), abs=1e-5)
    words = said(result, "tons_per_acre_per_year")
    assert "LS explains 73%" in words
    assert "K explains 27%" in words


def test_factors_that_offset_each_other_get_no_shares(trapped: Site) -> None:
    ruling = ruled(trapped)
    changed = [multiplied(r, LS=r["LS"] * 1.5, K=r["K"] / 1.4) for r in rows_of(ruling)]
    figure = digits((ruling.tons_per_acre_per_year or 0.0) * 1.5 / 1.4, 6)
    result = verify(with_claims(trapped, tons_per_acre_per_year=figure, rows=printed_rows(changed, 6, ALL)))
    (found,) = result.attributions
    assert found.reason is not None
    assert {c.share for c in found.contributions} == {None}
    effects = {c.factor: math.exp(c.log_ratio) for c in found.contributions}
    assert effects["LS"] == pytest.approx(1.5, rel=1e-4)
    assert effects["K"] == pytest.approx(1 / 1.4, rel=1e-4)
    assert "offset each other" in said(result, "tons_per_acre_per_year")


def test_an_arithmetic_slip_is_a_factor_of_its_own(trapped: Site) -> None:
    ruling = ruled(trapped)
    rows = []
    for row in rows_of(ruling):
        slipped = dict(row)
        for name in PRODUCTS:
            slipped[name] = row[name] * 1.25
        rows.append(slipped)
    figure = digits((ruling.tons_per_acre_per_year or 0.0) * 1.25, 6)
    result = verify(with_claims(trapped, tons_per_acre_per_year=figure, rows=printed_rows(rows, 6, ALL)))
    assert shares(result, "tons_per_acre_per_year")["arithmetic"] == pytest.approx(1.0, abs=1e-3)
    slips = {p.quantity for p in result.products if not p.passed}
    assert slips == {"soil_loss_tons_per_acre"}  # the later products follow from the claimed ones before them
    assert "arithmetic-slip" in {f.code for f in result.findings}


def test_a_total_that_is_not_the_sum_of_its_rows(example: Site) -> None:
    ruling = ruled(example)
    claimed = f"{ruling.load.totals.discharged + 2.0:.1f}"
    result = verify(with_claims(example, discharge_tons=claimed, rows=printed_rows(rows_of(ruling), 4, ALL)))
    (slip,) = [p for p in result.products if not p.passed]
    assert (slip.quantity, slip.row) == ("discharge_tons", None)
    assert shares(result, "discharge_tons")["arithmetic"] == pytest.approx(1.0, abs=0.02)


def test_a_flipped_verdict_is_the_only_mistake(example: Site) -> None:
    data = sedcalc.read_site(sedcalc.example("hales_corners_submission.toml"))
    assert data.claims is not None
    claims = data.claims.model_dump(mode="json", exclude_defaults=True)
    result = verify(with_claims(data.model_copy(update={"claims": None}), **{**claims, "status": "exceeds"}))
    assert result.status == "not_verified"
    assert [v.quantity for v in result.failed] == ["status"]
    assert "only the verdict does not" in result.sentences[0]
    codes = {f.code: f for f in result.findings}
    assert codes["verdict-differs"].clause == "445-6.9C(2)(a)"
    assert "verdict-against-own-figure" in codes


@pytest.mark.parametrize("claimed", ["0", "-4.12"])
def test_zero_and_negative_claims_are_compared_and_not_attributed(example: Site, claimed: str) -> None:
    result = verify(with_claims(example, tons_per_acre_per_year=claimed))
    assert result.status == "not_verified"
    (found,) = result.attributions
    assert found.log_ratio is None
    assert found.contributions == ()
    assert "zero or negative" in (found.reason or "")


def test_a_negative_factor_is_compared_and_not_attributed(trapped: Site) -> None:
    row = {"phase": "grading", "unit": "u1", "K": "-0.3"}
    result = verify(with_claims(trapped, tons_per_acre_per_year="99.0", rows=[row]))
    (found,) = result.attributions
    assert found.log_ratio is None
    assert "'grading' on 'u1'" in (found.reason or "")


# --- why, in words ----------------------------------------------------------------------------------------------------


def claimed_of(other: Site) -> dict[str, Any]:
    """The claims of an applicant who computed another site."""
    ruling = ruled(other)
    return {
        "tons_per_acre_per_year": digits(ruling.tons_per_acre_per_year or 0.0, 4),
        "rows": printed_rows(rows_of(ruling), 4, ALL),
    }


def test_a_low_ratio_is_named(example: Site) -> None:
    low = example.model_copy(update={"topography": example.topography.model_copy(update={"ratio": "low"})})
    result = verify(with_claims(example, **claimed_of(low)))
    assert shares(result, "tons_per_acre_per_year")["LS"] == pytest.approx(1.0, abs=0.01)
    assert "LS explains 100%: a low ratio of rill to interrill erosion gives the claimed" in result.sentences[0]


def test_a_low_ratio_is_named_for_totals_alone(example: Site) -> None:
    low = example.model_copy(update={"topography": example.topography.model_copy(update={"ratio": "low"})})
    figure = claimed_of(low)["tons_per_acre_per_year"]
    result = verify(with_claims(example, tons_per_acre_per_year=figure))
    assert "a low ratio of rill to interrill erosion gives the claimed" in said(result, "tons_per_acre_per_year")


def row_claim(**values: str) -> list[dict[str, str]]:
    return [{"phase": "mass grading", "unit": "north lots", **values}]


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        # 33 counties' neighbours etc. stand in the tables; the numbers here are by hand from the published equations.
        ({"LS": f"{0.862466 * (60 / 150) ** 0.5:.2f}"}, "a length of"),
        ({"LS": "9.9"}, "no plausible input"),
        ({"K": "0.48"}, "0.5 % organic matter (silt loam)"),
        ({"K": "0.42"}, "2 % organic matter (silt loam)"),
        ({"K": "0.52"}, "silt at 2 % organic matter"),
        ({"K": f"{0.44 * K_US_SI:.4f}"}, "K in SI units"),
        ({"R": "1957"}, "R in SI units"),
        ({"R": "195.7"}, "R in N/h"),
        ({"R": "120"}, "within its plausible range"),
        ({"P": "1.0"}, "no surface condition or support practice"),
        ({"P": "1.3"}, "compact and smooth surface"),
        ({"C": "0.02"}, "hay mulch 2.0 t/ac"),
        ({"acres": f"{1.6 * ACRE_HA:.3f}"}, "hectares instead of acres"),
        ({"acres": "2.1"}, "the whole drainage area"),
        ({"efficiency": "80"}, "percent instead of a share"),
        ({"efficiency": "0.20"}, "the share that passes"),
        ({"efficiency": "0.00"}, "no practice"),
        ({"ei_fraction": "23.4"}, "percent instead of a share"),
        ({"ei_fraction": f"{51 / 365:.3f}"}, "days / 365"),
        ({"soil_loss_tons_per_acre": f"{9.1906 * TON_PER_ACRE_T_PER_HA:.2f}"}, "metric tons per hectare"),
        ({"soil_loss_tons_per_acre": f"{9.1906 / 0.9:.2f}"}, "leaving out P"),
        ({"discharge_tons": "14.71"}, "leaving out the practices"),
    ],
    ids=str,
)
def test_what_gives_a_claimed_value_of_a_row(example: Site, claims: dict[str, str], words: str) -> None:
    result = verify(with_claims(example, rows=row_claim(**claims)))
    assert result.status == "not_verified"
    (why,) = result.explanations.values()
    assert words in " | ".join(why)


def test_table_dates_are_named(example: Site) -> None:
    """May 1 to Jun 20: table dates Apr 30 to Jun 29, zone 101 in Table 1 of EPA's fact sheet."""
    row = sedcalc.table("ei_distribution").row(101)
    by_rule = (row["d06_29"] - row["d04_30"]) / 100
    result = verify(with_claims(example, rows=row_claim(ei_fraction=f"{by_rule:.3f}")))
    (why,) = result.explanations.values()
    assert "rule of table dates" in why[0]


def test_another_ei_zone_is_named(example: Site) -> None:
    """Apr 30 to Jun 20 in zone 100, linear between the printed dates: by hand from the table's row."""
    row = sedcalc.table("ei_distribution").row(110)
    jun20 = row["d06_14"] + (row["d06_29"] - row["d06_14"]) * 6 / 15
    share = (jun20 - row["d04_30"]) / 100
    result = verify(with_claims(example, rows=row_claim(ei_fraction=f"{share:.4f}")))
    (why,) = result.explanations.values()
    assert "EI zone 110 instead of 101" in " | ".join(why)


@pytest.mark.parametrize(
    ("name", "factor", "words"),
    [
        ("disturbed_acres", ACRE_HA, "hectares instead of acres"),
        ("R", R_US_SI, "R in SI units"),
        ("tons_per_acre_per_year", TON_PER_ACRE_T_PER_HA, "metric tons per hectare"),
        ("tons_per_acre_per_year", 1 / ACRE_HA, "tons per hectare"),
        ("discharge_tons", 0.90718474, "metric tons instead of short tons"),
        ("percent_reduction", 0.01, "a share instead of percent"),
    ],
)
def test_swapped_units_of_totals_are_named(example: Site, name: str, factor: float, words: str) -> None:
    ruling = ruled(example)
    value = {
        "disturbed_acres": 5.7,
        "R": 115.0,
        "tons_per_acre_per_year": ruling.tons_per_acre_per_year or 0.0,
        "discharge_tons": ruling.load.totals.discharged,
        "percent_reduction": ruling.percent_reduction or 0.0,
    }[name]
    result = verify(with_claims(example, **{name: digits(value * factor, 4)}))
    assert result.status == "not_verified"
    assert words in said(result, name)


def test_percent_reduction_against_the_existing_cover_is_named(example: Site) -> None:
    """By hand: every unit's existing cover is native vegetation, C 0.01, so the baseline is a hundredth."""
    totals = ruled(example).load.totals
    wrong = 100 * (1 - totals.discharged / (0.01 * totals.baseline))
    result = verify(with_claims(example, percent_reduction=f"{wrong:.1f}"))
    assert wrong < 0
    assert "the existing cover as the baseline" in said(result, "percent_reduction")
    (finding,) = [f for f in result.findings if f.code == "claim-differs"]
    assert finding.clause == "445-6.11B(3)(g)"


def test_percent_reduction_of_the_practices_alone_is_named(example: Site) -> None:
    """Every practice traps 80 %: against the planned covers the reduction is 80.0 %."""
    result = verify(with_claims(example, percent_reduction="80.0"))
    assert "the planned covers without practices as the baseline" in said(result, "percent_reduction")


def test_percent_reduction_of_one_phase_is_named(example: Site) -> None:
    """Mulch of C = 0.02 behind practices of 80 %: 1 - 0.02 times 0.2 = 99.6 %."""
    result = verify(with_claims(example, percent_reduction="99.6"))
    assert "phase 'lots mulched' alone" in said(result, "percent_reduction")


def test_the_other_scope_and_figure_are_named(example: Site) -> None:
    ruling = ruled(example)
    site_figure = ruling.site_tons_per_acre_per_year or 0.0
    result = verify(with_claims(example, tons_per_acre_per_year=digits(site_figure, 4)))
    assert "the worst 12 months of the site as a whole" in said(result, "tons_per_acre_per_year")
    average = ruling.load.windows.average[-1].tons_per_acre or 0.0
    result = verify(with_claims(example, tons_per_acre_per_year=digits(average, 4)))
    assert "the average year of the site as a whole" in said(result, "tons_per_acre_per_year")


def test_a_figure_without_practices_is_named(example: Site) -> None:
    bare = ruled(example.model_copy(update={"practices": ()})).tons_per_acre_per_year or 0.0
    result = verify(with_claims(example, tons_per_acre_per_year=digits(bare, 4)))
    assert "no practices" in said(result, "tons_per_acre_per_year")


def test_a_claim_that_nothing_plausible_gives_is_said_to_be_so(example: Site) -> None:
    result = verify(with_claims(example, tons_per_acre_per_year="0.123"))
    assert "no plausible input, unit or reading that was tried gives 0.123" in said(result, "tons_per_acre_per_year")


# --- what cannot be compared, tolerances, overrides ---


def test_nothing_claimed_cannot_be_determined(example: Site) -> None:
    result = verify(example)
    assert result.status == "cannot_be_determined"
    assert "claims no number" in result.reason


def test_a_row_that_does_not_exist_cannot_be_determined(example: Site) -> None:
    """The phase 'utilities' is on the streets only."""
    rows = [{"phase": "utilities", "unit": "north lots", "LS": "0.86"}]
    result = verify(with_claims(example, rows=rows))
    assert result.status == "cannot_be_determined"
    (finding,) = [f for f in result.findings if f.severity == "error"]
    assert finding.code == "unknown-claimed-row"
    assert finding.where == "claims.rows[0]"


def test_unknown_and_repeated_rows_are_all_reported(example: Site) -> None:
    rows = [
        {"phase": "mass gradin", "unit": "north lot", "drainage_area": "west", "LS": "1"},
        {"phase": "building", "unit": "north lots"},
        {"phase": "building", "unit": "north lots"},
    ]
    with pytest.raises(InputError) as caught:
        verify(with_claims(example, rows=rows))
    where = [f.where for f in caught.value.findings if f.severity == "error"]
    assert where == ["claims.rows[0].phase", "claims.rows[0].unit", "claims.rows[0].drainage_area", "claims.rows[2]"]


def test_an_undefined_reduction_cannot_be_determined() -> None:
    """Jan 1 has no erosivity in any zone: the load without controls is 0."""
    data = site_data()
    data["phases"][0]["end"] = "2027-01-01"
    data["ground_units"][0]["stabilized"] = "2027-01-01"
    result = verify(with_claims(built(data), percent_reduction="90", tons_per_acre_per_year="0"))
    assert result.status == "cannot_be_determined"
    assert "percent_reduction" in result.reason


def test_a_set_tolerance_is_named_in_the_findings(trapped: Site) -> None:
    figure = f"{(ruled(trapped).tons_per_acre_per_year or 0.0) * 1.01:.4f}"
    assert verify(with_claims(trapped, tons_per_acre_per_year=figure)).status == "not_verified"
    wide = verify(with_claims(trapped, tons_per_acre_per_year=figure), tolerance_pct=2.0)
    assert wide.status == "verified"
    assert [f.severity for f in wide.findings if f.code == "set-tolerance"] == ["note"]
    for narrow in (0.0, 0.5):
        assert (
            verify(with_claims(trapped, tons_per_acre_per_year=figure), tolerance_pct=narrow).status == "not_verified"
        )
    with pytest.raises(InputError, match="0 to 5"):
        verify(trapped, tolerance_pct=20.0)


@pytest.mark.parametrize("reviewers", [None, 0.0, 0.5])
def test_a_tolerance_that_the_applicant_states_widens_nothing(trapped: Site, reviewers: float | None) -> None:
    figure = f"{(ruled(trapped).tons_per_acre_per_year or 0.0) * 1.01:.4f}"
    result = verify(with_claims(trapped, tons_per_acre_per_year=figure, tolerance_pct=2.0), tolerance_pct=reviewers)
    assert (result.status, result.tolerance_pct) == ("not_verified", reviewers)
    (found,) = [f for f in result.findings if f.code == "stated-tolerance"]
    assert found.severity == "warning"
    assert "1 claim that differs lies within it" in found.message


def test_a_tolerance_over_5_percent_in_the_file_is_refused() -> None:
    _, mistakes = parse_site({**site_data(), "claims": {"tolerance_pct": 6.0}})
    assert [m.where for m in mistakes] == ["claims.tolerance_pct"]


def test_overrides_are_recorded_and_change_nothing(trapped: Site) -> None:
    override = {"what": "reference acreage accepted", "who": "administrator", "why": "445-6.9C(2)(b)"}
    result = verify(with_claims(trapped, tons_per_acre_per_year="0.01", overrides=[override]))
    assert result.status == "not_verified"
    assert result.overrides == ()
    said = [f.message for f in result.findings if f.code == "override-stated-by-applicant"]
    assert len(said) == 1
    assert "reference acreage accepted (administrator: 445-6.9C(2)(b))" in said[0]


def test_claims_do_not_change_the_calculation(example: Site) -> None:
    site = with_claims(example, tons_per_acre_per_year="99", rows=row_claim(LS="99"))
    assert verify(site).ruling.load.columns == sedcalc.sediment_load(example).columns


def test_a_slip_in_a_product_is_found_where_R_is_claimed_for_the_site(tmp_path: Path) -> None:
    text = sedcalc.example("hales_corners_submission.toml").read_text(encoding="utf-8")
    text = text.replace('soil_loss_tons_per_acre = "9.77"', 'soil_loss_tons_per_acre = "7.79"')
    text = text.replace('discharge_tons = "3.32"', 'discharge_tons = "2.65"')
    path = tmp_path / "slip.toml"
    path.write_text(text, encoding="utf-8")
    result = verify(path)
    assert result.status == "not_verified"
    wrong = [p for p in result.products if not p.passed]
    assert [(p.quantity, p.factors[0]) for p in wrong] == [("soil_loss_tons_per_acre", "R")]
    said = next(s for s in result.sentences if s.startswith("discharge_tons of 'mass grading'"))
    assert said.endswith("it follows from soil_loss_tons_per_acre")


@pytest.mark.parametrize("zero", ["0", "0.0", "0e1", "0e3", "-0", "0.000"])
@pytest.mark.parametrize("quantity", ["tons_per_acre_per_year", "R", "disturbed_acres"])
def test_a_claim_of_zero_is_not_explained_however_it_is_written(example: Site, zero: str, quantity: str) -> None:
    result = verify(with_claims(example, **{quantity: zero}))
    assert result.status == "not_verified"
    assert result.explanations[f"claims.{quantity}"] == ("a claim of zero is not explained",)


@pytest.mark.parametrize("zero", ["0", "0.00", "0e9"])
def test_a_claim_of_zero_in_a_row_is_explained_by_what_is_zero_alone(example: Site, zero: str) -> None:
    row = {"phase": "clearing", "unit": "east lots", "efficiency": zero, "LS": zero}
    result = verify(with_claims(example, rows=[row]))
    assert result.explanations["claims.rows[0].LS"] == ("a claim of zero is not explained",)
    assert result.explanations["claims.rows[0].efficiency"][0] == f"no practice gives the claimed {zero}"
