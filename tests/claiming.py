"""Claims of an applicant, for tests: taken from a calculation, with factors changed and products multiplied anew."""

from collections.abc import Callable, Mapping
from typing import Any

from sedcalc.compliance.ruling import Ruling, check_compliance
from sedcalc.load.calculation import sediment_load
from sedcalc.site.parsing import parse_site
from sedcalc.site.submission import Site

FACTORS = ("R", "ei_fraction", "K", "LS", "C", "P")
PRODUCTS = (
    "soil_loss_tons_per_acre",
    "soil_loss_tons",
    "delivered_tons",
    "discharge_tons",
    "discharge_tons_per_acre",
)

Change = Callable[[dict[str, Any]], Mapping[str, float]]


def ruled(site: Site) -> Ruling:
    return check_compliance(sediment_load(site))


def digits(value: float, significant: int) -> str:
    """Print a number with so many significant digits, as a table would, without an exponent."""
    text = f"{value:.{significant}g}"
    if "e" not in text:
        return text
    return f"{value:.{max(0, significant - 1 - int(text.split('e')[1]))}f}"


def rows_of(ruling: Ruling) -> list[dict[str, Any]]:
    columns = ruling.load.columns
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def multiplied(row: dict[str, Any], **changed: float) -> dict[str, Any]:
    """The row with changed factors, its products multiplied out by hand (delivery ratio 1)."""
    new = {**row, **changed}
    new["soil_loss_tons_per_acre"] = new["R"] * new["ei_fraction"] * new["K"] * new["LS"] * new["C"] * new["P"]
    new["soil_loss_tons"] = new["delivered_tons"] = new["soil_loss_tons_per_acre"] * new["acres"]
    new["discharge_tons"] = new["delivered_tons"] * (1 - new["efficiency"])
    new["discharge_tons_per_acre"] = new["discharge_tons"] / new["acres"]
    return new


def printed_rows(rows: list[dict[str, Any]], significant: int, names: tuple[str, ...]) -> list[dict[str, str]]:
    return [
        {
            "phase": row["phase"],
            "unit": row["unit"],
            **{n: digits(row[n], significant) for n in names if row[n] is not None},
        }
        for row in rows
    ]


def with_claims(site: Site, **claims: Any) -> Site:
    """The site with claims, read as a file's content would be."""
    data = site.model_dump(mode="json", exclude_defaults=True)
    found, mistakes = parse_site({**data, "claims": claims})
    assert not mistakes, [str(m) for m in mistakes]
    assert found is not None
    return found
