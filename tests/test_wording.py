"""The wording of messages: numbers with the right form of their nouns, and names of fields as they are written."""

import ast
import re
from pathlib import Path

import pytest

from sedcalc.findings import count_of
from sedcalc.report.sheet_blocks import as_sentence

SOURCE = Path(__file__).resolve().parents[1] / "src" / "sedcalc"
CONSTANTS = {"EI_DATES", "ROW_COLUMNS", "columns"}  # above 1
# Above 1 by the condition around them.
SEVERAL = {
    "compliance/verification.py: len(values)",
    "compliance/verification.py: len(checks)",
    "equations.py: len(names)",
    "io/workbook.py: len(value)",
    "report/charts/credits.py: len(rest)",
    "report/charts/ranges.py: len(load.site.practices)",
    "report/sheet_results.py: count",
    "report/workbook.py: len(text)",
    "site/location.py: len(found)",
    "site/practices.py: len(above)",
}


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, ("window",), "0 windows"),
        (1, ("window",), "1 window"),
        (2, ("window",), "2 windows"),
        (1, ("tip has", "tips have"), "1 tip has"),
        (12345, ("tip has", "tips have"), "12,345 tips have"),
    ],
)
def test_nouns_follow_their_number(number, words, said):
    assert count_of(number, *words) == said


def test_no_message_puts_a_plural_after_a_number_that_may_be_1():
    assert found_in('f"{len(practices)} practices with their dates"') == ["len(practices)"]
    assert found_in('f"{bad.sum():,} cells are"') == ["bad.sum()"]
    assert found_in('f"{len(other) - 3} more phases"') == ["len(other) - 3"]
    found = {
        f"{path.relative_to(SOURCE).as_posix()}: {count}"
        for path in sorted(SOURCE.rglob("*.py"))
        for count in found_in(path.read_text("utf-8"))
    }
    assert found - SEVERAL == set(), "use sedcalc.findings.count_of"
    assert found >= SEVERAL


def found_in(source):
    """The counts in f-strings that a plural follows."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                    count = ast.unparse(value.value)
                    plural = re.match(r" (?:(?:more|other|claimed|business) )?[a-z]+s\b(?! alone)", after.value)
                    counts = re.search(r"\blen\(|\.sum\(|\.size\b|_count\b|\bcount\b", count)
                    if (
                        plural
                        and counts
                        and not after.value.startswith((" is ", " was ", " has ", " stands ", " acres"))
                    ):
                        found += [] if any(name in count for name in CONSTANTS) else [count]
    return found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("land is disturbed", "Land is disturbed"),
        ("a unit rests", "A unit rests"),
        ("none.", "None."),
        ("permit_issued is not given", "permit_issued is not given"),
        ("grid.dem has no unit", "grid.dem has no unit"),
        ("units[2] rests", "units[2] rests"),
        ("f is over 1", "f is over 1"),
        ("DEM: no unit", "DEM: no unit"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_and_a_name_stays_as_it_is(text, said):
    assert as_sentence(text) == said
