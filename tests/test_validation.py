"""Every case of the Validation page agrees with what was published, within what the page says."""

from pathlib import Path

import pytest

from validation_cases import erodibility_rows, half_digit, rows

PLACES = Path(__file__).resolve().parents[1]


def check(found: list[dict]) -> None:
    apart = [f"{r['topic']}, {r['case']}: {r['ours']:.6g}, not {r['published']:g}" for r in found if not r["agrees"]]
    assert apart == []
    for row in found:
        assert row["difference"] == row["ours"] - row["published"]
        assert row["source"]
        assert (PLACES / row["test"]).is_file(), row["test"]
        # a difference beyond the printed digits is explained
        assert row["note"] or row["tolerance"] <= half_digit(row["published"]) * (1 + 1e-9), row["case"]
        assert row["met"] or row["note"], row["case"]
        assert row["met"] or row["printed"], row["case"]
    assert {r["topic"] for r in found if not r["printed"]} == {"by calculator"}
    names = [(r["topic"], r["case"], r["source"]) for r in found]
    assert len(set(names)) == len(names)


def test_published_numbers() -> None:
    found = rows()
    assert len([r for r in found if r["printed"]]) >= 37
    assert {r["topic"] for r in found} >= {"erosivity", "erodibility", "topography", "cover", "trapping", "runoff"}
    check(found)


def test_published_numbers_on_the_data_of_others(shared_data: Path) -> None:
    found = rows(shared_data)
    assert len(found) >= len(rows()) + 3 * 17 + 17
    check(found)


def test_a_difference_of_rules_is_explained_and_not_met(shared_data: Path) -> None:
    found = {row["case"]: row for row in rows(shared_data)}
    storms = found["Fukushima, erosive storms by our default rule"]
    assert (storms["ours"], storms["published"], storms["agrees"], storms["met"]) == (18, 17, True, False)
    assert not found["HER 2010, largest EI30"]["met"]  # 629.14, by a rule of ours, for the 630 printed
    assert found["KMI 2004, storms"]["met"]


def test_half_of_the_last_printed_digit() -> None:
    assert [half_digit(x) for x in (9.7, 17.0, 0.31, 2.37e-4, 9e-5)] == pytest.approx([0.05, 0.5, 0.005, 5e-7, 5e-6])


def test_a_wrong_number_would_be_seen() -> None:
    from dataclasses import replace

    from validation_cases import _storm

    case = next(iter(_storm()))
    assert case.row()["agrees"]
    assert not replace(case, published=11.9).row()["agrees"]


def test_k_of_the_same_soils_by_each_method() -> None:
    """Texture table (Stewart et al. 1975), nomograph, Dg and EPIC on the centroids of the twelve classes."""
    found = {row["texture"]: row for row in erodibility_rows()}
    assert len(found) == 12
    for row in found.values():
        assert row["sand_pct"] + row["silt_pct"] + row["clay_pct"] == pytest.approx(100.0)
        low, high = row["nomograph_no_vfs"], row["nomograph_half_vfs"]
        assert low is None or high is None or low < high
    assert found["clay"]["table"] is None
    assert found["clay"]["table_range"] == (0.13, 0.29)
    assert found["silt"]["nomograph_no_vfs"] is None  # over 70 % silt
    # Dg and the table lie within 0.2 of each other but on silt, which Dg's curve (at most 0.333) cannot reach
    apart = {t: abs(r["dg_less_table"]) for t, r in found.items() if r["dg_less_table"] is not None}
    assert max(apart, key=lambda t: apart[t]) == "silt"
    assert sum(apart.values()) / len(apart) < 0.12
