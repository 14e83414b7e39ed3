"""Attribution by log-mean weights: closed forms by hand, and properties over random claims."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import built, practice, site_data
from claiming import FACTORS, PRODUCTS, digits, multiplied, printed_rows, rows_of, ruled, with_claims
from sedcalc.compliance.attribution import Attribution
from sedcalc.compliance.verification import verify
from sedcalc.site.submission import Site

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
