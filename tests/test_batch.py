"""Batches: order, isolation, resumption, counts."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

import sedcalc
from sedcalc.findings import InputError
from sedcalc.report import batch
from sedcalc.report.batch import Summary, ndjson, run_batch, verify_batch

SUBMISSION = "hales_corners_submission.toml"


@pytest.fixture
def submissions(tmp_path: Path) -> list[Path]:
    """Five files: verified, not verified, verified, poisoned, without claims."""
    text = sedcalc.example(SUBMISSION).read_text("utf-8")
    contents = [
        text,
        text.replace('tons_per_acre_per_year = "4.12"', 'tons_per_acre_per_year = "3.52"'),
        text,
        "[" * 50_000,
        text[: text.index("[claims]")],
    ]
    paths = []
    for i, content in enumerate(contents):
        path = tmp_path / f"s{i}.toml"
        path.write_text(content, "utf-8")
        paths.append(path)
    return paths


STATUS = ["verified", "not_verified", "verified", "cannot_be_determined", "cannot_be_determined"]


def serve_badly(connection: Connection, options: batch.Options, memory_bytes: int) -> None:
    """A worker that dies at one submission and hangs at another."""
    import_module("sedcalc.report.verify_results")
    connection.send_bytes(b"ready")
    while True:
        try:
            path = connection.recv_bytes().decode()
        except (EOFError, OSError):
            return
        if path.endswith("s1.toml"):
            os._exit(9)
        if path.endswith("s3.toml"):
            time.sleep(600)
        connection.send_bytes(json.dumps(batch._verified(path, options)).encode())


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_results_come_in_order_and_a_bad_file_harms_no_other(submissions: list[Path], workers: int) -> None:
    lines = list(verify_batch(submissions, workers))
    assert [line["path"] for line in lines] == [str(p) for p in submissions]
    assert [line["status"] for line in lines] == STATUS
    assert [line["failed"] for line in lines] == [False, False, False, True, False]
    assert lines[3]["findings"]
    assert {line["format"] for line in lines} == {"sedcalc.verify/1"}


def test_the_number_of_workers_changes_no_byte(submissions: list[Path]) -> None:
    paths = submissions * 5
    assert [ndjson(x) for x in verify_batch(paths, 2)] == [ndjson(x) for x in verify_batch(paths, 0)]


def test_a_line_lists_totals_and_what_fails(submissions: list[Path]) -> None:
    first, second = list(verify_batch(submissions[:2], 0))
    assert first["values_compared"] == 71
    assert first["values_failed"] == 0
    assert {v["phase"] for v in first["values"]} == {None}
    assert [v["quantity"] for v in second["values"] if v["pass"] is False] == ["tons_per_acre_per_year"]


def test_a_worker_that_dies_or_hangs_costs_one_submission(
    submissions: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "_serve", serve_badly)
    lines = list(verify_batch(submissions, 1, timeout_s=5.0))
    assert [line["path"] for line in lines] == [str(p) for p in submissions]
    assert [line["failed"] for line in lines] == [False, True, False, True, False]
    assert lines[1]["findings"][0]["code"] == "worker-died"
    assert lines[3]["findings"][0]["code"] == "timeout"
    assert [lines[i]["status"] for i in (0, 2, 4)] == ["verified", "verified", "cannot_be_determined"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are of this platform")
def test_a_submission_that_takes_too_much_memory_is_told_the_limit(submissions: list[Path], tmp_path: Path) -> None:
    site = tomllib.loads(submissions[0].read_text("utf-8"))
    units = [f"copy {i}" for i in range(4_500)]
    site["ground_units"] += [{**site["ground_units"][0], "id": name} for name in units]
    site["phases"][0]["units"] += units
    large = tmp_path / "large.json"
    large.write_text(json.dumps(site, default=str), "utf-8")
    lines = list(verify_batch([submissions[0], large, submissions[1]], 1, memory_bytes=280_000_000))
    assert [line["status"] for line in lines] == ["verified", "cannot_be_determined", "not_verified"]
    (finding,) = lines[1]["findings"]
    assert finding["code"] == "out-of-memory"
    assert "280 MB" in finding["message"]
    assert "SEDCALC_MAX_BATCH_MEMORY_MB" in finding["message"]


def test_a_missing_file_and_a_folder_are_reported(tmp_path: Path) -> None:
    lines = list(verify_batch([tmp_path / "none.toml", tmp_path], 0))
    assert [line["findings"][0]["code"] for line in lines] == ["no-such-file", "not-a-file"]
    assert [line["input_sha256"] for line in lines] == [None, None]


def test_counts_and_exit_code(submissions: list[Path], tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    summary = run_batch(submissions, tmp_path / "out.ndjson", 0, progress=lambda s, n: seen.append((s.total, n)))
    assert (summary.verified, summary.not_verified, summary.undetermined, summary.failed) == (2, 1, 1, 1)
    assert summary.exit_code == 2
    assert seen == [(i, 5) for i in range(1, 6)]
    assert run_batch(submissions[:2], tmp_path / "two.ndjson", 0).exit_code == 1
    assert run_batch(submissions[:1], tmp_path / "one.ndjson", 0).exit_code == 0
    assert Summary().exit_code == 0


def test_a_finished_batch_is_not_computed_again(
    submissions: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.ndjson"
    run_batch(submissions, out, 0)
    before = out.read_bytes()
    monkeypatch.setattr(batch, "_verified", lambda *_: pytest.fail("computed again"))
    summary = run_batch(submissions, out, 0)
    assert summary.skipped == summary.total == 5
    assert out.read_bytes() == before


@pytest.mark.parametrize("cut", [0, 1, 100, 3000, -1, -200])
def test_a_file_cut_anywhere_is_completed(submissions: list[Path], tmp_path: Path, cut: int) -> None:
    out = tmp_path / "out.ndjson"
    run_batch(submissions, out, 0)
    whole = out.read_bytes()
    out.write_bytes(whole[:cut])
    run_batch(submissions, out, 0)
    assert out.read_bytes() == whole


def test_a_submission_that_changed_since_is_computed_again(submissions: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out.ndjson"
    run_batch(submissions, out, 0)
    shutil.copy(submissions[0], submissions[1])
    summary = run_batch(submissions, out, 0)
    assert summary.skipped == 1
    assert (summary.verified, summary.not_verified) == (3, 0)
    assert [json.loads(x)["status"] for x in out.read_text("utf-8").splitlines()] == [
        "verified",
        "verified",
        *STATUS[2:],
    ]


def test_another_tolerance_is_computed_again(submissions: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out.ndjson"
    run_batch(submissions[:1], out, 0)
    assert run_batch(submissions[:1], out, 0, tolerance_pct=1.0).skipped == 0


def test_wrong_numbers_are_refused(submissions: list[Path]) -> None:
    with pytest.raises(InputError):
        list(verify_batch(submissions, -1))


KILLED = """
import sys
from pathlib import Path
from sedcalc.report.batch import run_batch
if __name__ == "__main__":
    run_batch([Path(p) for p in Path(sys.argv[1]).read_text("utf-8").split()], Path(sys.argv[2]), 1)
"""


def test_a_killed_batch_resumes(submissions: list[Path], tmp_path: Path) -> None:
    paths = [submissions[i % 3] for i in range(3000)]
    names, program, out = tmp_path / "names", tmp_path / "program.py", tmp_path / "out.ndjson"
    names.write_text("\n".join(map(str, paths)), "utf-8")
    program.write_text(KILLED, "utf-8")
    process = subprocess.Popen([sys.executable, program, names, out])
    while not out.exists() or out.stat().st_size < 50_000:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL) if hasattr(signal, "SIGKILL") else process.kill()
    process.wait()
    done = out.read_bytes().count(b"\n")
    assert 0 < done < len(paths)
    short = paths[: done + 5]
    summary = run_batch(short, out, 0)
    assert summary.skipped == done
    lines: list[dict[str, Any]] = [json.loads(x) for x in out.read_text("utf-8").splitlines()]
    assert [line["path"] for line in lines] == [str(p) for p in short]
    assert [line["status"] for line in lines] == [STATUS[i % 3] for i in range(len(short))]


@pytest.mark.slow
def test_ten_thousand_submissions_with_one_poisoned(tmp_path: Path) -> None:
    """No more memory than a few workers' worth, and one failure among 10,000."""
    import resource

    site = sedcalc.read_site(sedcalc.example(SUBMISSION))
    data = site.model_dump(mode="json", exclude_defaults=True)
    paths = []
    for i in range(10_000):
        path = tmp_path / f"{i}.json"
        data["project"]["name"] = f"site {i}"
        path.write_text("{" if i == 6_789 else json.dumps(data), "utf-8")
        paths.append(path)
    summary = run_batch(paths, tmp_path / "out.ndjson", 2)
    assert (summary.verified, summary.failed, summary.total) == (9_999, 1, 10_000)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    assert peak < 1_000_000  # kB


def test_a_submission_that_is_a_link_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    """An archive that a stranger sends may hold a link to another applicant's file."""
    other, inbox = tmp_path / "other", tmp_path / "inbox"
    other.mkdir()
    inbox.mkdir()
    shutil.copy(sedcalc.example(SUBMISSION), other / "theirs.toml")
    shutil.copy(sedcalc.example(SUBMISSION), inbox / "own.toml")
    for name, target in (("link.toml", "../other/theirs.toml"), ("self.toml", "self.toml"), ("same.toml", "own.toml")):
        (inbox / name).symlink_to(target)
    lines = list(verify_batch([inbox / n for n in ("link.toml", "self.toml", "same.toml", "own.toml")], 0))
    assert [line["failed"] for line in lines] == [True, True, False, False]
    assert lines[0]["findings"][0]["code"] == "link-out"
    assert lines[0]["input_sha256"] is None
    assert "theirs" not in ndjson(lines[0])
    command = [sys.executable, "-m", "sedcalc", "verify", str(inbox / "link.toml")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "symbolic link" in done.stderr
    assert "theirs" not in done.stdout + done.stderr


def test_what_the_reviewer_supplies_counts_for_every_submission_and_for_resuming(tmp_path: Path) -> None:
    text = sedcalc.example(SUBMISSION).read_text("utf-8").replace('ordinance = "hales_corners_445"', "")
    paths = [tmp_path / f"s{i}.toml" for i in range(2)]
    for path in paths:
        path.write_text(text, "utf-8")
    out = tmp_path / "out.ndjson"
    assert run_batch(paths, out, 1).failed == 2
    supplied = run_batch(paths, out, 1, ordinance="hales_corners_445")
    assert (supplied.verified, supplied.skipped) == (2, 0)
    assert run_batch(paths, out, 1, ordinance="hales_corners_445").skipped == 2
    line = json.loads(out.read_text("utf-8").splitlines()[0])
    assert line["batch"]["ordinance"] == "hales_corners_445"
