"""Attribution by log-mean weights: closed forms by hand, and properties over random claims."""

import datetime
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from builders import built, practice, site_data
from claiming import FACTORS, PRODUCTS, digits, multiplied, printed_rows, rows_of, ruled, with_claims
from sedcalc.compliance import verification
from sedcalc.compliance.attribution import Attribution
from sedcalc.compliance.ordinance import Ordinance, load_ordinance
from sedcalc.compliance.ruling import check_compliance
from sedcalc.compliance.verification import Verification, verify
from sedcalc.load.calculation import sediment_load
from sedcalc.site.submission import Site
from sedcalc.tables import data_folder
from sedcalc.units import K_US_SI, R_US_SI

NAMES = (*FACTORS, *PRODUCTS, "acres", "efficiency")
DIGITS = 12


def two_areas(weeks_apart: bool = False) -> Site:
    """Two drainage areas of one unit each, 2 and 3 acres; two phases over a year and a half."""
    data = site_data(practices=[practice("trap", 0.8), practice("pond", 0.5, drainage_areas=["B"])])
    unit = data["ground_units"][0]
    data["drainage_areas"].append({"id": "B", "outfall": "creek"})
    data["ground_units"].append({**unit, "id": "u2", "drainage_area": "B", "area": 3.0, "slope_pct": 3})
    for ground in data["ground_units"]:
        ground["stabilized"] = "2028-06-30"
    phase = data["phases"][0]
    data["phases"] = [
        {**phase, "units": ["u1", "u2"], "end": "2027-08-31"},
        {
            **phase,
            "id": "building",
            "units": ["u1", "u2"],
            "start": "2027-09-15" if weeks_apart else "2027-09-01",
            "end": "2028-06-30",
            "cover": {"C": 0.2, "source": "test"},
        },
    ]
    return built(data)


def attributed(site: Site, rows: list[dict[str, Any]], **totals: float) -> dict[str, Attribution]:
    claims = {name: digits(value, DIGITS) for name, value in totals.items()}
    result = verify(with_claims(site, rows=printed_rows(rows, DIGITS, NAMES), **claims))
    return {a.quantity: a for a in result.attributions}


def shares(found: Attribution) -> dict[str, float | None]:
    return {c.factor: c.share for c in found.contributions if abs(c.log_ratio) > 1e-9}


def total(rows: list[dict[str, Any]], name: str) -> float:
    return float(sum(r[name] for r in rows if r["counted"]))


def test_rows_that_change_by_one_factor_each_share_as_their_tons_change() -> None:
    """By hand: with L(a, b) = (a - b)/ln(a/b), a row's part is L(V', V) ln(V'/V) = V' - V over that of the sum."""
    site = two_areas()
    rows = rows_of(ruled(site))
    changed = [multiplied(r, LS=r["LS"] * 2.0) if r["unit"] == "u1" else multiplied(r, K=r["K"] * 1.5) for r in rows]
    by_LS = total([r for r in rows if r["unit"] == "u1"], "discharge_tons") * 1.0
    by_K = total([r for r in rows if r["unit"] == "u2"], "discharge_tons") * 0.5
    found = attributed(site, changed, discharge_tons=total(changed, "discharge_tons"))["discharge_tons"]
    assert shares(found) == {
        "LS": pytest.approx(by_LS / (by_LS + by_K), rel=1e-9),
        "K": pytest.approx(by_K / (by_LS + by_K), rel=1e-9),
    }


def test_factors_of_one_row_share_as_their_logarithms() -> None:
    site = two_areas()
    rows = rows_of(ruled(site))
    changed = [multiplied(r, LS=r["LS"] * 2.0, K=r["K"] * 1.5) if r["unit"] == "u1" else r for r in rows]
    found = attributed(site, changed, soil_loss_tons=total(changed, "soil_loss_tons"))["soil_loss_tons"]
    assert shares(found) == {
        "LS": pytest.approx(math.log(2.0) / math.log(3.0), rel=1e-9),
        "K": pytest.approx(math.log(1.5) / math.log(3.0), rel=1e-9),
    }


def test_efficiency_counts_by_what_passes() -> None:
    """0.8 claimed as 0.9: half as much passes."""
    site = two_areas()
    rows = rows_of(ruled(site))
    changed = [multiplied(r, efficiency=0.9) if r["unit"] == "u1" else r for r in rows]
    found = attributed(site, changed, discharge_tons=total(changed, "discharge_tons"))["discharge_tons"]
    (part,) = [c for c in found.contributions if c.factor == "efficiency"]
    assert part.share == pytest.approx(1.0, rel=1e-9)
    alone = total([r for r in rows if r["unit"] == "u1"], "discharge_tons")
    whole = total(rows, "discharge_tons")
    assert part.log_ratio == pytest.approx(math.log((whole - 0.5 * alone) / whole), rel=1e-9)


def test_acres_of_all_ground_leave_tons_per_acre_as_they_are() -> None:
    site = two_areas()
    ruling = ruled(site)
    changed = [multiplied(r, acres=r["acres"] * 1.5) for r in rows_of(ruling)]
    found = attributed(
        site,
        changed,
        discharge_tons=total(changed, "discharge_tons"),
        tons_per_acre_per_year=1.3 * (ruling.tons_per_acre_per_year or 0.0),
    )
    assert shares(found["discharge_tons"]) == {"acres": pytest.approx(1.0, rel=1e-9)}
    assert shares(found["tons_per_acre_per_year"]) == {"arithmetic": pytest.approx(1.0, rel=1e-9)}


def test_a_factor_that_is_not_claimed_is_implied_by_its_product() -> None:
    site = two_areas()
    changed = [multiplied(r, LS=r["LS"] * 1.4) for r in rows_of(ruled(site))]
    names = tuple(n for n in NAMES if n != "LS")
    claims = {"discharge_tons": digits(total(changed, "discharge_tons"), DIGITS)}
    result = verify(with_claims(site, rows=printed_rows(changed, DIGITS, names), **claims))
    (found,) = result.attributions
    assert shares(found) == {"LS": pytest.approx(1.0, rel=1e-9)}


def test_an_R_claimed_once_counts_for_every_row() -> None:
    site = two_areas()
    ruling = ruled(site)
    claims = {
        "R": "120",
        "tons_per_acre_per_year": digits(1.2 * (ruling.tons_per_acre_per_year or 0.0), DIGITS),
    }
    (found,) = verify(with_claims(site, **claims)).attributions
    assert shares(found)["R"] == pytest.approx(1.0, rel=1e-6)


def test_a_change_of_the_governing_area_leaves_no_remainder() -> None:
    """B governs as computed; claims raise the C of u1 until its area A governs."""
    site = two_areas()
    ruling = ruled(site)
    assert ruling.governing is not None
    assert ruling.governing.drainage_area == "B"
    changed = [multiplied(r, C=r["C"] * 4.0) if r["unit"] == "u1" else r for r in rows_of(ruling)]
    windows = ruling.load.windows
    k = windows.area.index("A")
    figure = 4.0 * float(windows.tons_per_acre[windows.worst[k], k])
    assert figure > (ruling.tons_per_acre_per_year or 0.0)
    found = attributed(site, changed, tons_per_acre_per_year=figure)["tons_per_acre_per_year"]
    assert shares(found) == {"C": pytest.approx(1.0, rel=1e-9)}


ratios = st.floats(0.4, 2.5)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from([*FACTORS, "acres"]), ratios, max_size=4), min_size=6, max_size=6),
    st.floats(0.5, 2.0),
    st.booleans(),
)
def test_contributions_add_up_to_the_whole(changes: list[dict[str, float]], slip: float, weeks_apart: bool) -> None:
    site = two_areas(weeks_apart)
    ruling = ruled(site)
    rows = rows_of(ruling)
    changed = [
        multiplied(r, **{name: r[name] * ratio for name, ratio in change.items()})
        for r, change in zip(rows, changes[: len(rows)], strict=False)
    ] + rows[6:]
    found = attributed(
        site,
        changed,
        tons_per_acre_per_year=slip * (ruling.tons_per_acre_per_year or 0.0),
        discharge_tons=slip * total(changed, "discharge_tons"),
        soil_loss_tons=total(changed, "soil_loss_tons"),
    )
    for attribution in found.values():
        assert attribution.log_ratio is not None
        parts = sum(c.log_ratio for c in attribution.contributions)
        assert parts == pytest.approx(attribution.log_ratio, abs=1e-9)
        own = {name for change in changes for name in change} | {"arithmetic", "rounding"}
        assert {c.factor for c in attribution.contributions if abs(c.log_ratio) > 1e-6} <= own


# --- one factor perturbed, whatever is claimed ---

EVERY = ("R", "ei_fraction", "K", "LS", "C", "P", "efficiency")
TOTALS = ("tons_per_acre_per_year", "site_tons_per_acre_per_year", "discharge_tons", "soil_loss_tons")


@pytest.fixture(scope="module")
def by_site(tmp_path_factory: pytest.TempPathFactory) -> Ordinance:
    """The shipped code, ruling by the site as a whole."""
    text = (data_folder() / "ordinances" / "hales_corners_445.toml").read_text(encoding="utf-8")
    text = text.replace('id = "hales_corners_445"', 'id = "by_site"')
    folder = tmp_path_factory.mktemp("ordinance")
    (folder / "by_site.toml").write_text(text.replace('"each_drainage_area"', '"site"'), encoding="utf-8")
    return load_ordinance(folder / "by_site.toml")


def random_site(areas: int, draw: st.DataObject) -> Site:
    """One or two drainage areas of one or two units each; phases, slopes, acres and efficiencies at random."""
    number = draw.draw
    data = site_data(practices=[practice("trap", number(st.floats(0.3, 0.85)))])
    unit, phase = data["ground_units"][0], data["phases"][0]
    names = ["A", "B"][:areas]
    data["drainage_areas"] = [{"id": name, "outfall": "creek"} for name in names]
    if areas == 2:
        data["practices"].append(practice("pond", number(st.floats(0.3, 0.85)), drainage_areas=["B"]))
    data["ground_units"] = [
        {
            **unit,
            "id": f"{name}{k}",
            "drainage_area": name,
            "area": number(st.floats(0.3, 3.0)),
            "slope_pct": number(st.floats(1.0, 15.0)),
            "stabilized": "2028-06-30",
        }
        for name in names
        for k in range(number(st.integers(1, 2)))
    ]
    units = [u["id"] for u in data["ground_units"]]
    turn = number(st.integers(60, 400))
    first, last = datetime.date(2027, 1, 1), datetime.date(2028, 6, 30)
    middle = first + datetime.timedelta(days=turn)
    cover = {"C": number(st.floats(0.05, 0.9)), "source": "test"}
    data["phases"] = [
        {**phase, "units": units, "start": str(first), "end": str(middle)},
        {
            **phase,
            "id": "building",
            "units": units,
            "start": str(middle + datetime.timedelta(days=1)),
            "end": str(last),
            "cover": cover,
        },
    ]
    return built(data)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.data(),
    st.sampled_from(EVERY),
    st.floats(0.55, 1.7).filter(lambda r: abs(r - 1.0) > 0.03),
    st.sampled_from([1, 2]),
    st.booleans(),
    st.sampled_from(["all rows", "rows of the governing area"]),
    st.sampled_from(["factors", "factors and products", "that factor alone", "that factor and products"]),
    st.sets(st.sampled_from(TOTALS)),
    st.sampled_from([12, 3]),
)
def test_one_perturbed_factor_gets_the_difference(
    by_site: Ordinance,
    draw: st.DataObject,
    factor: str,
    ratio: float,
    areas: int,
    site_scope: bool,
    which: str,
    names: str,
    totals: set[str],
    places: int,
) -> None:
    """An applicant's factor is wrong by one ratio everywhere, so that every total is wrong by it.

    With three decimals the rest may be rounding, which is more than a twentieth of a small difference.
    """
    assume(places == 12 or abs(ratio - 1.0) > 0.15)
    site = random_site(areas, draw)
    ordinance = by_site if site_scope else load_ordinance(site.ordinance)
    ruling = check_compliance(sediment_load(site), ordinance)
    assert ruling.governing is not None
    rows = rows_of(ruling)
    if factor == "efficiency":
        ratio = min(ratio, 0.99 / (1.0 - min(r["efficiency"] for r in rows)))
        changed = [multiplied(r, efficiency=1.0 - (1.0 - r["efficiency"]) * ratio) for r in rows]
    else:
        changed = [multiplied(r, **{factor: r[factor] * ratio}) for r in rows]
    claimed = {
        "tons_per_acre_per_year": ruling.tons_per_acre_per_year or 0.0,
        "site_tons_per_acre_per_year": ruling.site_tons_per_acre_per_year or 0.0,
        "discharge_tons": ruling.load.totals.discharged,
        "soil_loss_tons": ruling.load.totals.eroded,
    }
    if factor == "efficiency":
        totals = totals - {"soil_loss_tons"}
    shown = {
        "factors": (*FACTORS, "efficiency"),
        "factors and products": (*FACTORS, *PRODUCTS, "efficiency"),
        "that factor alone": (factor,),
        "that factor and products": (factor, *PRODUCTS),
    }[names]
    if which == "rows of the governing area":
        changed = [r for r in changed if ruling.governing.drainage_area in (None, r["drainage_area"])]
    claims = {name: f"{claimed[name] * ratio:.{min(places, 9)}f}" for name in totals}
    printed = [
        {"phase": r["phase"], "unit": r["unit"], **{n: f"{r[n]:.{places}f}" for n in shown if r[n] is not None}}
        for r in changed
    ]
    changed_site = with_claims(site, rows=printed, **claims)
    result = _verified_by(changed_site, ordinance)
    assert result.status == "not_verified"
    if totals:
        assert {a.quantity for a in result.attributions} == totals
    for found in result.attributions:
        assert found.implied == (not totals)
        share = shares(found)[factor]
        assert share is not None
        rounding = shares(found).get("rounding") or 0.0
        assert 0.95 <= share + (rounding if places == 3 else 0.0) <= 1.05, (found, result.sentences)
        assert share > 0.6
    if totals or which == "all rows":
        assert result.attributions
    implausible = [v for v in result.failed if "no plausible" in " ".join(result.explanations.get(v.where, ()))]
    assert {v.quantity for v in implausible} <= {factor}, result.explanations


def _verified_by(site: Site, ordinance: Ordinance) -> Verification:
    """Verify by an ordinance that lies in no site's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "check_compliance", lambda load, **_: check_compliance(load, ordinance))
        return verify(site)


@pytest.mark.parametrize(
    ("claims", "factor"),
    [
        ({"R": 1.2, "tons_per_acre_per_year": 1.2, "discharge_tons": 1.2, "soil_loss_tons": 1.2}, "R"),
        ({"tons_per_acre_per_year": 0.9, "discharge_tons": 0.9, "soil_loss_tons": 0.9}, "soil loss"),
        ({"tons_per_acre_per_year": 1.3, "discharge_tons": 1.3, "soil_loss_tons": 1.0}, "efficiency"),
        ({"site_tons_per_acre_per_year": 0.5, "disturbed_acres": 2.0}, "acres"),
        ({"tons_per_acre_per_year": 0.9}, "not stated"),
    ],
    ids=str,
)
def test_totals_alone_tell_what_they_can(claims: dict[str, float], factor: str) -> None:
    """By hand: soil loss and discharge that differ alike leave the soil loss, a soil loss that holds the practices."""
    site = two_areas()
    ruling = ruled(site)
    computed = {
        "R": 100.0,
        "tons_per_acre_per_year": ruling.tons_per_acre_per_year or 0.0,
        "site_tons_per_acre_per_year": ruling.site_tons_per_acre_per_year or 0.0,
        "discharge_tons": ruling.load.totals.discharged,
        "soil_loss_tons": ruling.load.totals.eroded,
        "disturbed_acres": 5.0,
    }
    result = verify(with_claims(site, **{k: digits(v * computed[k], 6) for k, v in claims.items()}))
    (found,) = [a for a in result.attributions if a.quantity in list(claims)[:2] and "per_acre" in a.quantity]
    assert shares(found)[factor] == pytest.approx(1.0, abs=1e-3)


def test_it_is_said_which_area_the_claimed_factors_would_make_govern() -> None:
    """B governs as computed; with the claimed LS of B's rows its figure falls under A's, and B's is claimed."""
    site = two_areas()
    ruling = ruled(site)
    windows = ruling.load.windows
    figures = {a: float(windows.tons_per_acre[windows.worst[k], k]) for k, a in enumerate(windows.area)}
    assert figures["B"] > figures["A"]
    ratio = 0.9 * figures["A"] / figures["B"]
    changed = [multiplied(r, LS=r["LS"] * ratio) for r in rows_of(ruling) if r["unit"] == "u2"]
    found = attributed(site, changed, tons_per_acre_per_year=figures["B"] * ratio)["tons_per_acre_per_year"]
    assert shares(found) == {"LS": pytest.approx(1.0, rel=1e-6)}
    assert found.note == (
        f"with the claimed LS drainage area 'A' would govern ({figures['A']:.5g}); the claimed figure is that of "
        "drainage area 'B'"
    )


@pytest.mark.parametrize("claimed", ["u1", "u2"])
def test_an_area_whose_rows_claim_nothing_differs_as_the_other_does(claimed: str) -> None:
    """R of the site and K of one area's rows in SI units: R times 17.02, K times 0.1317 (Agriculture Handbook 703)."""
    site = two_areas()
    ruling = ruled(site)
    rows = [multiplied(r, K=r["K"] * K_US_SI) for r in rows_of(ruling) if r["unit"] == claimed]
    R = ruling.load.erosivity.R or 0.0
    result = verify(with_claims(site, R=f"{R * R_US_SI:.6f}", rows=printed_rows(rows, DIGITS, ("K",))))
    (found,) = result.attributions
    assert found.implied
    assert found.given == pytest.approx((ruling.tons_per_acre_per_year or 0.0) * R_US_SI * K_US_SI, rel=1e-5)
    assert "the rows that state no K are taken to differ as the others do" in (found.note or "")


def test_what_the_rows_give_is_attributed_where_no_total_is_claimed() -> None:
    site = two_areas()
    ruling = ruled(site)
    changed = [multiplied(r, K=r["K"] * 1.5) for r in rows_of(ruling)]
    result = verify(with_claims(site, rows=printed_rows(changed, DIGITS, NAMES)))
    (found,) = result.attributions
    assert found.implied
    assert found.claimed is None
    assert found.given == pytest.approx(1.5 * (ruling.tons_per_acre_per_year or 0.0), rel=1e-9)
    assert shares(found) == {"K": pytest.approx(1.0, rel=1e-9)}
    assert result.sentences[0].startswith("tons_per_acre_per_year: not claimed; the claimed K gives")


def test_a_total_that_holds_is_said_to_hold_and_to_be_contradicted() -> None:
    """R = 100 claimed as 80: all else as computed, the figure would be 0.8 of what is claimed and computed."""
    site = two_areas()
    figure = ruled(site).tons_per_acre_per_year or 0.0
    result = verify(with_claims(site, R="80", tons_per_acre_per_year=digits(figure, 4)))
    (found,) = result.attributions
    assert found.implied
    assert found.claimed == float(digits(figure, 4))
    assert found.given == pytest.approx(0.8 * figure, rel=1e-9)
    assert shares(found) == {"R": pytest.approx(1.0, rel=1e-9)}
    assert result.sentences[0].startswith(
        f"tons_per_acre_per_year: the claimed {digits(figure, 4)} holds, and the claimed R contradicts it: it "
        f"would give {0.8 * figure:.5g}, computed {figure:.5g}; R explains 100%"
    )


def test_factors_that_give_a_total_that_holds_do_not_contradict_it() -> None:
    """K times 1.2511111111 and LS times 0.799: within the printed digits of the total, which are three."""
    site = two_areas()
    ruling = ruled(site)
    figure = digits(ruling.tons_per_acre_per_year or 0.0, 3)
    changed = [multiplied(r, K=r["K"] * 1.2511111111, LS=r["LS"] * 0.799) for r in rows_of(ruling)]
    result = verify(with_claims(site, tons_per_acre_per_year=figure, rows=printed_rows(changed, DIGITS, FACTORS)))
    assert f"the claimed {figure} holds, and the claimed LS, K give the same" in result.sentences[0]


def test_products_as_computed_beside_factors_that_are_not() -> None:
    """LS times 0.9 in all rows, products and total as computed: the claimed LS would give 0.9 of it."""
    site = two_areas()
    ruling = ruled(site)
    figure = ruling.tons_per_acre_per_year or 0.0
    rows = [{**r, "LS": 0.9 * r["LS"]} for r in rows_of(ruling)]
    found = attributed(site, rows, tons_per_acre_per_year=figure)["tons_per_acre_per_year"]
    assert found.given == pytest.approx(0.9 * figure, rel=1e-9)
    assert shares(found) == {"LS": pytest.approx(1.0, rel=1e-9)}


def test_a_product_as_computed_beside_a_wrong_factor_is_no_rounding() -> None:
    """R times 17, products as computed without K: no claim and no digits make up for it; the total is not theirs."""
    site = two_areas()
    ruling = ruled(site)
    rows = printed_rows(rows_of(ruling), DIGITS, ("LS", "C", *PRODUCTS, "efficiency"))
    claimed = digits(1.37 * (ruling.tons_per_acre_per_year or 0.0), DIGITS)
    (found,) = verify(with_claims(site, R="1700", rows=rows, tons_per_acre_per_year=claimed)).attributions
    parts = {c.factor: c.log_ratio for c in found.contributions if abs(c.log_ratio) > 1e-9}
    assert parts == {
        "R": pytest.approx(math.log(17.0), rel=1e-9),
        "not stated": pytest.approx(-math.log(17.0), rel=1e-9),
        "arithmetic": pytest.approx(math.log(1.37), rel=1e-9),
    }


def test_an_R_that_every_claimed_product_denies_makes_no_other_area_govern() -> None:
    """R times 17, the products of B, which governs, as computed, nothing of A claimed: A's rows have the same R."""
    site = two_areas()
    ruling = ruled(site)
    rows = printed_rows([r for r in rows_of(ruling) if r["unit"] == "u2"], DIGITS, PRODUCTS)
    claimed = digits(1.37 * (ruling.tons_per_acre_per_year or 0.0), DIGITS)
    (found,) = verify(with_claims(site, R="1700", rows=rows, tons_per_acre_per_year=claimed)).attributions
    assert found.note is None


def test_products_that_make_another_area_govern_are_named() -> None:
    """R times 17: A's products follow it, those of B, which governs as computed, do not, and no figure fits."""
    site = two_areas()
    ruling = ruled(site)
    figure = ruling.tons_per_acre_per_year or 0.0
    rows = [multiplied(r, R=r["R"] * 17.0) if r["unit"] == "u1" else r for r in rows_of(ruling)]
    printed = printed_rows(rows, DIGITS, tuple(n for n in NAMES if n != "R"))
    result = verify(with_claims(site, R="1700", rows=printed, tons_per_acre_per_year=digits(1.37 * figure, DIGITS)))
    (found,) = result.attributions
    assert (found.note or "").startswith("with the claimed R and products drainage area 'A' would govern (")
    assert "the claimed figure is that of" not in (found.note or "")


@settings(max_examples=40, deadline=None)
@given(
    st.data(),
    st.sampled_from(["R", "K"]),
    st.floats(0.05, 20.0).filter(lambda r: abs(r - 1.0) > 0.05),
    st.booleans(),
    st.sampled_from(["holds", "not claimed", "differs", "differs as the factor does"]),
)
def test_a_factor_of_the_whole_site_scales_all_areas_alike(
    draw: st.DataObject, factor: str, ratio: float, all_factors: bool, total: str
) -> None:
    """Whatever products some rows claim beside it, the figure moves by its ratio, and the same area governs."""
    site = random_site(2, draw)
    ruling = ruled(site)
    figure = ruling.tons_per_acre_per_year or 0.0
    names = tuple(n for n in (*FACTORS, "efficiency") if n != "R") if all_factors else ()
    may_follow = draw.draw(st.booleans())
    rows, mixed = [], set()
    for row in rows_of(ruling):
        told = draw.draw(st.sampled_from(["nothing", "as computed", *(["as the factor"] if may_follow else [])]))
        mixed |= {told} - {"nothing"}
        shown = multiplied(row, **{factor: row[factor] * ratio}) if told == "as the factor" else row
        (printed,) = printed_rows([shown], DIGITS, () if told == "nothing" else (*names, *PRODUCTS))
        rows.append({**printed, **({"K": digits(row["K"] * ratio, DIGITS)} if factor == "K" else {})})
    claims: dict[str, Any] = {"rows": rows} if factor == "K" or mixed else {}
    if factor == "R":
        claims["R"] = digits(100.0 * ratio, DIGITS)
    step = {"holds": 1.0, "differs": 1.37, "differs as the factor does": ratio}
    if total in step:
        claims["tons_per_acre_per_year"] = digits(step[total] * figure, DIGITS)
    (found,) = verify(with_claims(site, **claims)).attributions
    if len(mixed) < 2:  # products that contradict one another may make another area govern
        assert "govern" not in (found.note or "")
    if total != "differs":
        assert found.given == pytest.approx(ratio * figure, rel=1e-6)
        assert shares(found)[factor] == pytest.approx(1.0, rel=1e-4)
