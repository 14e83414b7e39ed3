"""A cover that establishes on a gridded site has the same course of C on all cells."""

import datetime
import shutil
from pathlib import Path

import pytest

import sedcalc as sc
from load.day_by_day import day_share

PAD = Path(__file__).resolve().parents[2] / "examples" / "graded_pad"
MULCH = 'cover = "straw mulch 4 t/ac tacked"'
SOWN, GROWN = datetime.date(2027, 6, 10), datetime.date(2027, 9, 1)


def pad(folder: Path, cover: str) -> sc.SedimentLoad:
    shutil.copytree(PAD, folder)
    site = folder / "site.toml"
    text = site.read_text(encoding="utf-8")
    assert text.count(MULCH) == 1
    site.write_text(text.replace(MULCH, f"cover = {cover}"), encoding="utf-8")
    return sc.sediment_load(sc.read_site(site))


def test_the_same_course_of_c_on_all_cells(tmp_path: Path) -> None:
    grown = f'{{ sown = {SOWN}, established = {GROWN}, C = 0.1, source = "t" }}'
    plain = pad(tmp_path / "plain", '{ C = 1.0, source = "t" }')
    load = pad(tmp_path / "grown", f'{{ C = 1.0, source = "t", establishes = {grown} }}')
    row = load.columns["phase"].index("slopes mulched")
    first, last = load.columns["start"][row], load.columns["end"][row]
    days = [first + datetime.timedelta(days=n) for n in range((last - first).days + 1)]
    zone = load.erosivity.ei_zone
    total = mean = 0.0
    for day in days:
        course = min(max((day - SOWN).days / (GROWN - SOWN).days, 0.0), 1.0)
        total += day_share(zone, day)
        mean += day_share(zone, day) * (1.0 - 0.9 * course)
    for own, without in zip(_rows(load), _rows(plain), strict=True):
        assert load.columns["C"][own] == pytest.approx(mean / total, rel=1e-9)
        for column in ("soil_loss_tons", "delivered_tons", "discharge_tons"):
            expected = plain.columns[column][without] * mean / total
            assert load.columns[column][own] == pytest.approx(expected, rel=1e-9)


def _rows(load: sc.SedimentLoad) -> list[int]:
    return [i for i, phase in enumerate(load.columns["phase"]) if phase == "slopes mulched"]
