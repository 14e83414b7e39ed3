"""How results show themselves in a notebook: the numbers of the JSON, every text escaped, never long."""

from html.parser import HTMLParser
from typing import Any

import pytest

import sedcalc as sc
from builders import built, site_data
from sedcalc.report.results import run_object


class Cells(HTMLParser):
    """The texts of a page, and its tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


@pytest.fixture(scope="module")
def ruling() -> Any:
    return sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))


def test_a_ruling_shows_its_verdict_and_numbers(ruling: Any) -> None:
    found, shown = run_object(ruling), Cells(ruling._repr_html_())
    assert "✓ meets" in shown.texts
    assert ruling.reason in " ".join(shown.texts)
    for text in (
        f"{found['tons_per_acre_per_year']:.2f}",
        f"{found['margin']:+.2f}",
        f"{found['percent_reduction']:.1f}",
        f"{found['disturbed_acres']:.2f}",
        "whole site",
        "mass grading",
    ):
        assert text in shown.texts
    assert shown.tags.count("table") == 3


def test_a_load_shows_areas_and_phases(ruling: Any) -> None:
    shown = Cells(ruling.load._repr_html_())
    discharged = sum(ruling.load.table.query("counted and phase == 'building'").discharge_tons)
    assert f"{discharged:,.2f}" in shown.texts
    assert {"north", "east", "south"} <= set(shown.texts)


def test_texts_of_a_site_are_no_html() -> None:
    evil = "<script>alert(1)</script>"
    data = site_data(project={"name": evil})
    data["phases"][0]["id"] = evil
    data["drainage_areas"] = [{"id": evil, "outfall": evil}]
    data["ground_units"][0]["drainage_area"] = evil
    result = sc.check_compliance(sc.sediment_load(built(data)))
    for page in (result._repr_html_(), result.load._repr_html_()):
        shown = Cells(page)
        assert "script" not in shown.tags
        assert any(evil in text for text in shown.texts)


def test_many_phases_make_no_long_page() -> None:
    data = site_data()
    phase = data["phases"][0]
    data["phases"] = [
        phase | {"id": f"p{m}", "start": f"2027-{m:02d}-01", "end": f"2027-{m:02d}-20"} for m in range(1, 13)
    ]
    shown = Cells(sc.sediment_load(built(data))._repr_html_())
    assert "12 more" in shown.texts  # twelve phases and twelve spans after them; a dozen rows are shown
