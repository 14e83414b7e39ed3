"""What the help shows can be typed: every example runs as it is printed; shells complete commands and options."""

import datetime
import os
import shlex
import shutil
from pathlib import Path

import pytest

import sedcalc as sc
from sedcalc.cli import main
from sedcalc.cli.app import app

# Rain records and soil surveys are large and of many forms; their tests bring their own.
WITH_FILES = [name for name in app.commands if name not in ("rain", "soils")]


def examples(text: str) -> list[list[str]]:
    """Return the command lines under the examples of a help text."""
    lines = text.partition("Examples:\n")[2].replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if line.strip()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the files that the examples name."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my_site.toml"]) == 0
    pad = sc.example("graded_pad/site.toml").parent
    shutil.copy(pad / "existing.tif", "dem.tif")
    shutil.copy(pad / "graded.tif", "graded.tif")
    shutil.copy(pad / "barriers.geojson", "diversions.geojson")
    shutil.copy(pad / "ground_units.geojson", "units.geojson")
    assert main(["ls-grid", "dem.tif", "--out", "ls.tif", "--z-units", "m"]) == 0
    shutil.copy(sc.example("hales_corners_submission.toml"), "submission.toml")
    Path("submissions").mkdir()
    shutil.copy("submission.toml", "submissions")
    Path("rain.csv").write_text(
        "DATE,PRCP\n" + "".join(f"{day}\n" for day in _days("2026-12-31", 900)), encoding="utf-8"
    )
    assert main(["verify", "submission.toml", "--record", "record.json"]) == 0
    return tmp_path


def _days(first: str, count: int) -> list[str]:
    start = datetime.date.fromisoformat(first)
    return [f"{start + datetime.timedelta(days=k)},{0.6 if k % 30 == 0 else 0.0}" for k in range(count)]


@pytest.mark.parametrize("name", sorted(app.commands))
def test_every_command_has_examples_that_name_it(sedcalc, name):
    answer = sedcalc(name, "--help")
    assert answer.code == 0
    assert max(map(len, answer.out.splitlines())) <= 80
    found = examples(answer.out)
    assert found
    assert all(line[:2] == ["sedcalc", name] for line in found)


@pytest.mark.parametrize("name", sorted(WITH_FILES))
def test_every_example_runs_as_printed(sedcalc, folder, name):
    for line in examples(sedcalc(name, "--help").out):
        if name == "new":
            Path(line[2]).unlink(missing_ok=True)
        answer = sedcalc(*line[1:])
        assert answer.code == 0, (line, answer.err)


def test_the_first_help_says_where_to_start(sedcalc, folder):
    commands, _, start = sedcalc("--help").out.partition("Commands:\n")[2].partition("Start with:\n")
    lines = start.splitlines()
    assert [shlex.split(line)[:2] for line in lines[:3]] == [["sedcalc", c] for c in ("demo", "new", "run")]
    assert "..." not in commands  # no summary is cut off


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_their_script(process, shell):
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("needs bash")
    answer = process(_SEDCALC_COMPLETE=f"{shell}_source")
    assert answer.code == 0
    assert "_SEDCALC_COMPLETE" in answer.out


@pytest.mark.parametrize(
    ("typed", "position", "offered"),
    [
        ("sedcalc ver", 1, {"verify", "verify-batch"}),
        ("sedcalc ls --ra", 2, {"--ratio"}),
        ("sedcalc ls --ratio ", 3, {"low", "moderate", "high"}),
        ("sedcalc run si", 2, {"si"}),
        ("sedcalc ls-grid de", 2, {"de"}),
    ],
)
def test_what_can_follow_is_offered(process, typed, position, offered):
    """Files are left to the shell: the answer is the text so far."""
    answer = process(_SEDCALC_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(position))
    assert {line.partition(",")[2] for line in answer.out.splitlines()} == offered
    assert os.environ.get("_SEDCALC_COMPLETE") is None
