"""What holds for every command: one wrapper, exit codes, JSON only, what is imported."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import sedcalc as sc
from sedcalc.cli import output, runs
from sedcalc.cli.app import app
from sedcalc.findings import EnvironmentFault, Finding

PROMISED = {"demo", "run", "tables", "new", "schema", "r", "k", "ls", "ls-grid", "loss-grid", "rain", "soils"}


def test_the_promised_commands_are_there_with_json_and_help(sedcalc):
    assert set(app.commands) >= PROMISED
    for name in PROMISED:
        answer = sedcalc(name, "--help")
        assert answer.code == 0
        assert "--json" in answer.out
        assert max(len(line) for line in answer.out.splitlines()) <= 80


def test_version_and_help(sedcalc):
    assert sedcalc("--version").out == f"sedcalc {sc.__version__}\n"
    assert sedcalc("--version", "--json").object == {"format": "sedcalc.version/1", "version": sc.__version__}
    assert sedcalc().out == sedcalc("--help").out
    assert all(name in sedcalc("--help").out for name in PROMISED)


def test_json_counts_before_the_command_too(sedcalc):
    args = ("ls", "--slope", 5, "--length", 100)
    assert sedcalc("--json", *args).object == sedcalc(*args, "--json").object


@pytest.mark.parametrize(
    "args",
    [
        ("nope",),
        ("run",),
        ("run", "a", "b"),
        ("tables", "--nope"),
        ("ls", "--slope", "x"),
        ("--nope",),
        ("r", "--zone"),
    ],
)
def test_usage_errors(sedcalc, args):
    text = sedcalc(*args)
    assert (text.code, text.out) == (2, "")
    assert len(text.err.splitlines()) == (2 if args[0] == "ls" else 1)  # --length is missing too
    assert "--help" in text.err
    answer = sedcalc("--json", *args) if args == ("--nope",) else sedcalc(*args, "--json")
    assert (answer.code, answer.err) == (2, "")
    assert answer.object["format"] == ("sedcalc.run/1" if args[0] == "run" else "sedcalc.error/1")
    assert answer.object["findings"][0]["code"] == "usage"
    assert sedcalc("--json").object["findings"][0]["code"] == "usage"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RuntimeError("boom"), "internal_error"),
        (AssertionError(), "internal_error"),
        (RecursionError("deep"), "internal_error"),
        (EnvironmentFault("the disk is full"), "environment_fault"),
        (OSError(28, "No space left on device"), "environment_fault"),
        (MemoryError(), "environment_fault"),
    ],
)
def test_faults_are_one_line_and_exit_3(sedcalc, monkeypatch, error, status):
    def fail(path):
        raise error

    monkeypatch.setattr(runs, "_ruling", fail)
    monkeypatch.delenv("SEDCALC_DEBUG", raising=False)
    text = sedcalc("demo")
    assert (text.code, text.out) == (3, "")
    assert len(text.err.splitlines()) == 1
    assert ("SEDCALC_DEBUG=1" in text.err) != isinstance(error, EnvironmentFault)  # which says all there is
    answer = sedcalc("demo", "--json")
    assert (answer.code, answer.err) == (3, "")
    assert (answer.object["format"], answer.object["status"]) == ("sedcalc.error/1", status)
    monkeypatch.setenv("SEDCALC_DEBUG", "1")
    debug = sedcalc("demo")
    assert debug.code == 3
    assert "Traceback" in debug.err


def test_a_command_that_is_misspelt_is_guessed(sedcalc):
    assert sedcalc("verfy", "x").err == "error: command line: there is no command 'verfy'; did you mean verify?\n"


def test_python_runs_the_package():
    done = subprocess.run([sys.executable, "-m", "sedcalc", "--version"], capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, f"sedcalc {sc.__version__}\n")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("run", "{site}", "--out", "{file}"), "is a file"),
        (("run", "{site}", "--out", "{file}/below"), "cannot lie in it"),
        (("run", "{site}", "--workbook", "{tmp}/no/a.xlsx"), "does not exist"),
        (("report", "{site}", "--out", "{tmp}/no/a.html"), "does not exist"),
        (("report", "{site}", "--out", "{tmp}"), "is a folder"),
        (("verify", "{site}", "--record", "{tmp}/no/a.json"), "does not exist"),
        (("verify-batch", "{site}", "--out", "{tmp}/no/a.csv"), "does not exist"),
        (("ls-grid", "{file}", "--out", "{tmp}/no/a.tif"), "does not exist"),
    ],
)
def test_places_that_cannot_be_are_wrong_input_before_anything_is_computed(sedcalc, monkeypatch, tmp_path, args, said):
    def fail(path):
        raise AssertionError("computed")

    monkeypatch.setattr(runs, "_ruling", fail)
    (tmp_path / "file").write_text("mine")
    names = {"site": str(sc.example("hales_corners_subdivision.toml")), "file": str(tmp_path / "file"), "tmp": tmp_path}
    answer = sedcalc(*(a.format(**names) for a in args))
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1


def test_places_that_may_not_be_written_are_the_machines_fault(sedcalc, monkeypatch, tmp_path):
    """Root may write everywhere, so that the right to is taken away by hand."""
    monkeypatch.setattr("os.access", lambda path, mode: False)
    answer = sedcalc("run", sc.example("hales_corners_subdivision.toml"), "--out", tmp_path / "new")
    assert (answer.code, answer.out) == (3, "")
    assert f"'{tmp_path}' may not be written by this user; choose another place" in answer.err
    assert not (tmp_path / "new").exists()


def test_a_full_disk_comes_with_a_remedy(sedcalc, monkeypatch):
    def fail(path):
        raise OSError(28, "No space left on device", "out")

    monkeypatch.setattr(runs, "_ruling", fail)
    assert "; free some space, or choose another place" in sedcalc("demo").err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_keeps_the_notice_that_kernels_are_compiled(monkeypatch):
    """A spinner shows the last step alone, and what takes the time on a first run would never be read."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    with output.progress("reading") as step:
        step("dem.tif: compiling, once on this machine (some seconds)")
        step("dem.tif: routing")
    lines = [line for line in sys.stderr.getvalue().splitlines() if "compiling" in line and "routing" not in line]
    assert any(line.endswith("(some seconds) ...") for line in lines)


def test_messages_are_folded_between_words_on_a_terminal_only(monkeypatch):
    finding = Finding("code", "error", "word " * 40 + "/a/long/path/that/stays/whole", "phases[0].start")
    for stream, lines in ((Terminal(), 3), (io.StringIO(), 1)):
        monkeypatch.setattr(sys, "stderr", stream)
        output.print_reasons([finding])
        found = stream.getvalue().splitlines()
        assert len(found) >= lines if lines > 1 else len(found) == 1
        assert "/a/long/path/that/stays/whole" in found[-1]
        assert lines == 1 or max(map(len, found)) <= 80


def test_interrupted_is_130(sedcalc, monkeypatch):
    def interrupt(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "_ruling", interrupt)
    answer = sedcalc("demo")
    assert (answer.code, answer.out) == (130, "")
    assert answer.err == "sedcalc: interrupted\n"


def test_a_reader_that_goes_away_is_quiet():
    command = [sys.executable, "-c", "import sys; from sedcalc.cli import main; sys.exit(main())"]
    for args in (["tables", "us_county_r"], ["tables", "us_county_r", "--json"]):
        child = subprocess.Popen([*command, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
        child.stderr.close()
        assert child.wait(60) == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_output_that_cannot_be_written_is_no_ruling(flag):
    """A full disk, and streams that are closed: exit 3 and no traceback, never 1, which means "exceeds"."""
    command = [sys.executable, "-c", "import sys; from sedcalc.cli import main; sys.exit(main())", "tables", *flag]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", timeout=120)
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert "No space left" in done.stderr
    for closed in (">&-", ">&- 2>&-"):
        shell = ["sh", "-c", f'"$@" {closed}', "sh", *command]
        done = subprocess.run(shell, stderr=subprocess.PIPE, encoding="utf-8", timeout=120)
        assert done.returncode == 3
        assert "Traceback" not in done.stderr


def test_an_encoding_that_lacks_a_character(process, tmp_path):
    """Texts of a site print as escapes where the terminal cannot show them."""
    assert process("new", tmp_path / "site.toml").code == 0
    path = tmp_path / "site.toml"
    path.write_text(path.read_text().replace("My site", "Żółta łąka"), encoding="utf-8")
    answer = process("run", path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert answer.code in (0, 1)
    assert "\\u017b" in answer.out
    assert process("run", path, "--json", PYTHONIOENCODING="ascii").object["project"] == "Żółta łąka"


@pytest.mark.parametrize(
    "args",
    [
        ["r", "--county", "Milwaukee, WI", "--start", "2027-04-05", "--end", "2027-06-20"],
        ["r", "--zone", "84", "--annual-r", "45", "--start", "2026-03-10", "--end", "2026-05-10", "--dates", "table"],
        ["k", "--texture", "silt loam", "--om", "2"],
        ["k", "--silt-vfs", "65", "--sand", "5", "--om", "2.8", "--structure", "2", "--permeability", "4"],
        ["ls", "--slope", "33", "--length", "150"],
    ],
)
@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_factor_commands_load_nothing_heavy(args, flag):
    heavy = {"pydantic", "pandas", "scipy", "rasterio", "geopandas", "matplotlib", "numba", "rich", "typer"}
    assert loaded([*args, *flag]) & heavy == set()


def test_a_tabular_run_loads_no_pandas_and_no_drawing(written, site):
    heavy = {"pandas", "scipy", "rasterio", "geopandas", "matplotlib", "numba", "rich"}
    assert loaded(["run", str(written(site)), "--json"]) & heavy == set()
    assert loaded(["demo"]) & (heavy - {"rich"}) == set()


def test_help_and_version_load_no_numpy():
    for args in (["--help"], ["--version"], ["run", "--help"]):
        assert loaded(args) & {"numpy", "pydantic", "rich"} == set()


def loaded(args: list[str]) -> set[str]:
    """Return the top-level modules that a command has loaded when it ends, in a process of its own."""
    code = (
        "import sys, json\nfrom sedcalc.cli import main\ncode = main(sys.argv[1:])\n"
        "print(json.dumps([code, sorted({m.split('.')[0] for m in sys.modules})]), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, encoding="utf-8", timeout=120)
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code in (0, 1), done.stderr
    return set(modules)


def test_text_that_nobody_can_print_is_escaped_on_stderr(capsys):
    output.say("a\x1b[31mb\nc")
    assert capsys.readouterr().err == "a [31mb c\n"
