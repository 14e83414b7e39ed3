"""A site is checked once as it was read, and again whenever it was changed or moved."""

import copy
import pickle
from pathlib import Path

import pytest

import sedcalc as sc
from sedcalc.findings import Finding, InputError
from sedcalc.load import calculation
from sedcalc.site.submission import Site

EXAMPLE = "hales_corners_subdivision.toml"


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[Site]:
    """The sites that `sediment_load` checks anew."""
    sites: list[Site] = []
    original = calculation.check_site

    def check(site: Site) -> list[Finding]:
        sites.append(site)
        return original(site)

    monkeypatch.setattr(calculation, "check_site", check)
    return sites


def test_a_site_as_it_was_read_is_not_checked_twice_and_says_the_same(checked: list[Site]) -> None:
    site = sc.read_site(sc.example(EXAMPLE))
    once = sc.sediment_load(site)
    assert checked == []
    again = sc.sediment_load(site.model_copy(update={"units": "us"}).located_at(Path("elsewhere/site.toml")))
    assert len(checked) == 1
    assert once.findings == again.findings
    assert once.columns == again.columns


def test_a_changed_copy_is_checked(checked: list[Site]) -> None:
    site = sc.read_site(sc.example(EXAMPLE))
    area = site.drainage_areas[0].model_copy(update={"id": "nowhere"})
    changed = site.model_copy(update={"drainage_areas": (area, *site.drainage_areas[1:])})
    with pytest.raises(InputError, match="north"):
        sc.sediment_load(changed)
    assert checked == [changed]
    twice = changed.model_copy(update={"drainage_areas": site.drainage_areas})
    assert sc.sediment_load(twice).totals == sc.sediment_load(site).totals


def test_a_copy_that_says_the_same_is_not_checked_and_keeps_its_file(checked: list[Site]) -> None:
    site = sc.read_site(sc.example(EXAMPLE))
    provenance = sc.sediment_load(site).provenance
    assert provenance["files"] != {}
    for same in (site.model_copy(), copy.deepcopy(site), pickle.loads(pickle.dumps(site))):
        assert sc.sediment_load(same).provenance == provenance
    assert checked == []
    assert site.model_copy(update={"combination": "single-best"}).files() == {}
