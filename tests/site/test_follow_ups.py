"""One mistake gives one message, with a remedy: nothing that only follows from it."""

import copy
import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sedcalc as sc
from builders import practice, site_data, whole_site_data
from sedcalc.findings import Finding
from sedcalc.site.checks import check_site
from sedcalc.site.parsing import parse_site, path_text

WRONG: tuple[Any, ...] = ({}, "x", -1, math.nan)
# What the messages tell people to do.
REMEDY = re.compile(
    r"\b(add|correct|cut|divide|draw|end|give|keep|leave|name|put|remove|write|did you mean|must drain)\b|`sedcalc \w+"
)
# Words of pydantic.
FOREIGN = re.compile(r"should|valid (string|number|date)|[Ii]nput|tuple|dict|instance|permitted|\bNone\b|\bNoneType\b")


def gridded_site_data() -> dict[str, Any]:
    return tomllib.loads(Path(sc.example("graded_pad/site.toml")).read_text())


def errors(data: dict[str, Any]) -> list[Finding]:
    site, form = parse_site(data)
    assert site is not None
    return [*form, *(f for f in check_site(site, form) if f.severity == "error")]


def steps(value: Any, loc: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    """Yield the place of every part of plain data; of long lists, of the first six items."""
    if loc:
        yield loc
    inner = value.items() if isinstance(value, dict) else list(enumerate(value))[:6] if isinstance(value, list) else ()
    for step, item in inner:
        yield from steps(item, (*loc, step))


def changed(data: dict[str, Any], loc: tuple[int | str, ...], value: Any) -> dict[str, Any]:
    data = copy.deepcopy(data)
    part: Any = data
    for step in loc[:-1]:
        part = part[step]
    part[loc[-1]] = value
    return data


def below(where: str | None, path: str) -> bool:
    return where == path or str(where).startswith((f"{path}.", f"{path}["))


@pytest.mark.parametrize("data", [whole_site_data(), gridded_site_data()], ids=["tabular", "gridded"])
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_a_wrong_value_is_the_only_mistake_that_is_reported(data: dict[str, Any], value: Any) -> None:
    assert errors(data) == []
    tried = 0
    for loc in steps(data):
        path = path_text(loc)
        if value == {} and loc in (("grid",), ("location",)):
            continue  # an empty table lacks all that the rest of the site needs of it
        found = errors(changed(data, loc, value))
        at = [f for f in found if below(f.where, path)]
        if at:
            tried += 1
            assert [f for f in found if f not in at] == [], f"{path} = {value!r}"
            assert len(at) == 1 or isinstance(value, dict) or len({f.where for f in at}) == len(at), at
        for f in found:
            assert REMEDY.search(f.message), f
            assert not FOREIGN.search(f.message), f
            assert f.where, f
    assert tried > 60


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        # the zone 999 is said to be out of range, not to be missing
        ({"location": {"R": 100, "R_source": "t", "ei_zone": 999}}, {"location.ei_zone"}),
        # a trap goes by the texture of the soil: where that is wrong, texture_group is not asked for
        (
            {
                "soils": [{"id": "loam", "texture": "lome", "organic_matter_pct": 2}],
                "practices": [
                    practice("p", None, source=None, size_rule="sediment trap", surface_area=500),
                ],
            },
            {"soils[0].texture"},
        ),
        # a rule whose name is wrong needs no other way beside it, and its dimensions are not called unneeded
        (
            {"practices": [practice("p", None, source=None, size_rule="sediment pond", surface_area=-1)]},
            {"practices[0].size_rule", "practices[0].surface_area"},
        ),
        # the unit that a phase misspells is disturbed all the same
        ({"phases": [{**site_data()["phases"][0], "units": ["u11"]}]}, {"phases[0].units[0]"}),
        # a practice fed by one that misspells it
        (
            {"practices": [practice("a", 0.5, drains_to="bb"), practice("b", 0.5, drainage_areas=[])]},
            {"practices[0].drains_to"},
        ),
        # a misspelt field is not missing too, be it required or not
        (
            {"phases": [{k.replace("start", "strat"): v for k, v in site_data()["phases"][0].items()}]},
            {"phases[0].strat"},
        ),
        (
            {"ground_units": [{k.replace("area", "arae"): v for k, v in site_data()["ground_units"][0].items()}]},
            {"ground_units[0].arae", "ground_units[0].drainage_arae"},
        ),
    ],
)
def test_what_only_follows_is_left_out(changes: dict[str, Any], expected: set[str]) -> None:
    assert {f.where for f in errors(site_data(**changes))} == expected


def test_mistakes_beside_each_other_are_all_reported() -> None:
    data = site_data()
    unit = data["ground_units"][0]
    unit |= {"area": -1, "slope_pct": 61}
    del unit["length"]
    data["practices"] = [practice("p", 1.5, source=None)]
    data["location"] = {"ei_zone": 999}
    assert {f.where for f in errors(data)} == {
        "ground_units[0].area",
        "ground_units[0].slope_pct",
        "ground_units[0].length",
        "practices[0].efficiency",
        "location.ei_zone",
        "location.R",
    }


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("12", "without quotes"),
        ("2 acres", "the number alone"),
        (True, "true is not a number"),
        (1e-12, "write at least 1e-09"),
    ],
)
def test_what_is_no_number_is_told_how_to_be_one(value: Any, said: str) -> None:
    data = site_data()
    data["ground_units"][0]["area"] = value
    (found,) = errors(data)
    assert said in found.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("05/31/2027", "write 2027-05-31 if that is month/day/year"),
        ("31/05/2027", "such as 2027-05-31"),
        ("2027-02-30", "a day that exists"),
        ("1027-01-01", "correct the year"),
    ],
)
def test_a_date_is_told_how_to_be_written(text: str, said: str) -> None:
    data = site_data()
    data["phases"][0]["start"] = text
    (found,) = errors(data)
    assert said in found.message
