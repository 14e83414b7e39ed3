"""The tables of the Validation page, from the list that the tests run."""

from pathlib import Path
from typing import Any, Final

from pages import escaped, grid

from validation_cases import erodibility_rows, rows

_ROUNDING: Final = 1e-12  # a difference that is only that of the arithmetic prints as 0
_TITLES: Final = {
    "rain": "Rain",
    "grid": "Grids",
    "topography": "Slope length and steepness",
    "runoff": "Runoff and single storms",
    "soil loss": "Soil loss",
}
_HEADING: Final = ["case", "ours", "published", "difference", "unit", "source, and what explains a difference"]
_BY_HAND: Final = ["case", "ours", "by calculator", "difference", "unit", "source of the equation"]
_K_HEADING: Final = [
    "texture",
    "sand/silt/clay, %",
    "table",
    "nomograph, no very fine sand",
    "nomograph, half of the sand very fine",
    "Dg",
    "EPIC",
    "Dg less table",
]


def validation(data: Path | None) -> str:
    """Return every published number beside ours; those on the data of others where their folder is there."""
    every = rows(data)
    found = [row for row in every if row["printed"]]
    met = sum(row["met"] for row in found)
    text = f"**{met} of {len(found)}** published numbers are met to the digits that were printed. The other "
    text += f"{len(found) - met} differ by what their notes explain, and are marked *explained*.\n"
    if data is None:
        text += (
            "\nCases on the rain records and grids of others are left out here, because their files were not there\n"
        )
        text += "when this page was built.\n"
    for topic in dict.fromkeys(row["topic"] for row in found):
        text += f"\n## {_TITLES.get(topic, topic.capitalize())}\n\n"
        text += grid(_HEADING, (_case(row) for row in found if row["topic"] == topic))
    text += "\n## Worked out by calculator\n\nNobody is known to have printed a number for these equations. They are"
    text += " checked against the equation alone, worked out by hand,\nand are not among the numbers counted above.\n\n"
    return text + grid(_BY_HAND, (_case(row) for row in every if not row["printed"]))


def _case(row: dict[str, Any]) -> tuple[str, ...]:
    percent = row["difference_pct"]
    difference = "0"
    if abs(row["difference"]) > _ROUNDING * abs(row["published"]):
        difference = f"{row['difference']:+.2g}" + ("" if percent is None else f" ({percent:+.2g} %)")
    note = f" {escaped(row['note'][0].upper() + row['note'][1:])}." if row["note"] else ""
    source = f"{escaped(row['source'])}.{note} `{row['test']}`"
    mark = ("" if row["met"] else "*explained* ") if row["agrees"] else "**differs** "
    ours, published = f"{row['ours']:.6g}", f"{row['published']:g}"
    return escaped(row["case"]), ours, published, mark + difference, escaped(row["unit"]), source


def erodibility() -> str:
    """Return K of the same soils by each method."""
    lines = []
    for row in erodibility_rows():
        table_k = f"{row['table']:.2f}" if row["table"] is not None else "{:.2f}–{:.2f}".format(*row["table_range"])
        rest = (row[k] for k in ("nomograph_no_vfs", "nomograph_half_vfs", "dg", "epic"))
        less = "" if row["dg_less_table"] is None else f"{row['dg_less_table']:+.2f}"
        separates = f"{row['sand_pct']:g}/{row['silt_pct']:g}/{row['clay_pct']:g}"
        lines.append([row["texture"], separates, table_k, *("–" if k is None else f"{k:.2f}" for k in rest), less])
    return grid(_K_HEADING, lines)
