"""What if: each change gives a new site, checked as a site that was read; the old one stays as it is."""

import datetime
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sedcalc as sc
from sedcalc.findings import InputError
from sedcalc.site.submission import Cover


@pytest.fixture(scope="module")
def site() -> Any:
    return sc.read_site(sc.example("hales_corners_subdivision.toml"))


def efficiency(site: Any, area: str) -> float:
    table = sc.sediment_load(site).table
    return float(table[(table.drainage_area == area) & table.counted].efficiency.max())


def test_practices_in_series(site: Any) -> None:
    """80 % and then half of the rest, by the product of what passes: 1 - 0.2 x 0.5 = 0.9, whichever comes first."""
    for place in ("before", "after"):
        fenced = site.with_practice("fence", **{place: "east basin"}, efficiency=0.5, source="test")
        assert efficiency(fenced, "east") == pytest.approx(0.9, rel=1e-12)
        assert efficiency(fenced, "north") == pytest.approx(0.8, rel=1e-12)
        assert len(fenced.practices) == len(site.practices) + 1
    before = site.with_practice("fence", before="east basin", efficiency=0.5, source="test")
    assert [d.id for d in before.practices[-1].drainage_areas] == ["east"]
    assert before.practices[1].drainage_areas == ()


def test_a_new_practice_works_throughout(site: Any) -> None:
    new = site.with_practice("fence", after="north trap", efficiency=0.5, source="test").practices[-1]
    assert new.start == min(p.start for p in site.phases) - datetime.timedelta(days=1)
    assert new.end == max(u.stabilized for u in site.ground_units if u.stabilized)


def test_a_practice_changed_takes_another_way_of_credit(site: Any) -> None:
    changed = site.with_practice("east basin", efficiency=0.6, source="test")
    assert changed.practices[1].size_rule is None
    assert efficiency(changed, "east") == pytest.approx(0.6, rel=1e-12)
    assert len(changed.practices) == len(site.practices)


def test_a_practice_taken_away_hands_on_what_drained_to_it(site: Any) -> None:
    fenced = site.with_practice("fence", before="east basin", efficiency=0.5, source="test")
    for id, left in (("fence", 0.8), ("east basin", 0.5)):
        assert efficiency(fenced.without_practice(id), "east") == pytest.approx(left, rel=1e-12)
    assert efficiency(site.without_practice("east basin"), "east") == 0.0


def test_dates_of_a_phase_a_practice_and_a_unit(site: Any) -> None:
    changed = site.with_dates("building", end="2028-03-01")
    assert changed.phases[4].end == datetime.date(2028, 3, 1)
    assert changed.phases[4].start == site.phases[4].start
    assert site.with_dates("north trap", start=datetime.date(2027, 3, 1)).practices[0].start.month == 3
    assert site.with_dates("north street", stabilized="2027-10-01").ground_units[1].stabilized.month == 10
    assert site.with_dates("building", shift_days=1, end="2028-03-01").phases[4].start.day == 2


def test_the_whole_schedule_shifted_by_whole_years_changes_no_load(site: Any) -> None:
    """1461 days are four years with a Feb 29: the same days of the year, hence the same erosivity."""
    shifted = site.with_dates(shift_days=1461)
    assert shifted.ground_units[0].stabilized == datetime.date(2032, 5, 31)
    figures = [sc.sediment_load(s).totals.discharged for s in (site, shifted)]
    assert figures[0] == pytest.approx(figures[1], rel=1e-12)


@pytest.mark.parametrize(
    ("days", "code"),
    [
        *((days, "shift-beyond-calendar") for days in (10**9, 10**400, -(10**6))),
        *((days, "days-not-whole") for days in (1.5, "7", True)),
    ],
)
def test_a_shift_that_no_calendar_holds_is_refused(site: Any, days: Any, code: str) -> None:
    for id in (None, "building"):
        with pytest.raises(InputError) as caught:
            site.with_dates(id, shift_days=days)
        assert [(f.code, f.where) for f in caught.value.findings] == [(code, "shift_days")]


def test_cover_by_name_by_fields_and_as_a_model(site: Any) -> None:
    given = {"C": 0.1, "source": "test"}
    by_fields = site.with_cover("building", **given)
    assert site.with_cover("building", given) == by_fields == site.with_cover("building", Cover(**given))
    table = sc.sediment_load(by_fields).table
    assert set(table[table.phase == "building"].C) == {0.1}
    assert site.with_cover("building", "gravel").phases[4].cover.name == "gravel"


def test_nothing_is_changed_in_place(site: Any) -> None:
    before = site.content_sha256()
    site.with_cover("building", "gravel").with_dates(shift_days=3).without_practice("north trap")
    assert site.content_sha256() == before
    assert site.files()
    assert site.with_cover("building", "gravel").files() == {}  # it is no longer what the file says


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.with_cover("bilding", "gravel"), "did you mean 'building'"),
        (lambda s: s.with_cover("building", "gravle"), "near: 'gravel'"),
        (lambda s: s.with_cover("building", C=0.2), "add source"),
        (lambda s: s.with_practice("north trap", eficiency=0.5), "did you mean efficiency"),
        (lambda s: s.with_practice("x", efficiency=1.5, source="t", drainage_areas=["north"]), "at most 1"),
        (lambda s: s.with_practice("x", after="nix", efficiency=0.5, source="t"), "no practice has the id 'nix'"),
        (lambda s: s.with_practice("north trap", after="north trap"), "drains to itself"),
        (lambda s: s.without_practice("nix"), "there are 'north trap', 'east basin', 'south trap'"),
        (lambda s: s.with_dates("building", stabilized="2028-01-01"), "it has: start and end"),
        (lambda s: s.with_dates("building", end="2026-01-01"), "before the start"),
        (lambda s: s.with_dates("building", end="2027-02-30"), "2027-02-30"),
        (lambda s: s.with_dates("nix", start="2027-01-01"), "no phase, practice or ground unit"),
        (lambda s: s.with_dates("building"), "give start, end"),
        (lambda s: s.with_dates(start="2027-01-01"), "name the phase"),
    ],
)
def test_changes_that_cannot_be_say_why(site: Any, change: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        change(site)
    assert message in str(caught.value)


def test_a_gridded_site_keeps_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pad"
    shutil.copytree(sc.example("graded_pad/site.toml").parent, folder)
    site = sc.read_site(folder / "site.toml").with_cover("building", "gravel")
    monkeypatch.chdir(tmp_path)
    assert site.folder == folder
    assert sc.sediment_load(site).totals.discharged > 0.0
