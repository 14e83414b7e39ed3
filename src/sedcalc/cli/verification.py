"""``sedcalc verify``, ``verify-batch`` and ``replay``: claimed numbers against computed ones, and audit records."""

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sedcalc.cli.factors import number
from sedcalc.cli.isolation import compute_apart, read_site_apart
from sedcalc.cli.output import json_option, print_json, print_reasons, progress, say, show, write
from sedcalc.cli.places import WRITTEN_FILE, overrides_option, read_overrides_of
from sedcalc.cli.usage import above_zero, checked, examples
from sedcalc.findings import count_of, input_error
from sedcalc.limits import most, refuse_over

if TYPE_CHECKING:
    from sedcalc.report.batch import Summary

_SUBMISSION_ENDINGS = (".toml", ".json", ".xlsx")
_REPLAY_EXIT = {"reproduced": 0, "differs": 1, "reproduced_except": 2, "cannot_be_determined": 2}
_CSV = (
    *("path", "status", "failed", "values_compared", "values_failed", "computed_status", "tons_per_acre_per_year"),
    *("reason", "taken_as_claimed", "findings"),
)


def _tolerable(value: float) -> None:
    from sedcalc.site.claims import MAX_TOLERANCE_PCT

    if not 0.0 <= value <= MAX_TOLERANCE_PCT:
        message = f"{value:g} % is outside 0 to {MAX_TOLERANCE_PCT:g} %; give a tolerance within it"
        raise input_error("tolerance-out-of-range", message)


_tolerance = click.option(
    "--tolerance",
    type=checked(number, _tolerable),
    metavar="PCT",
    help="Difference that passes, % (0 to 5); default: the printed digits.",
)

_ordinance = click.option(
    "--ordinance", metavar="NAME", help="Ordinance, where the submission names none; `sedcalc tables ordinances`."
)
_county = click.option("--county", metavar="NAME", help='County, where the submission names none: "Milwaukee, WI".')


@click.command(
    epilog=examples(
        "sedcalc verify submission.toml",
        "sedcalc verify submission.toml --record record.json",
    )
)
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--record", type=WRITTEN_FILE, metavar="FILE", help="Write an audit record there.")
@overrides_option
@_tolerance
@_ordinance
@_county
@json_option
def verify(
    submission: Path,
    record: Path | None,
    overrides: Path | None,
    tolerance: float | None,
    ordinance: str | None,
    county: str | None,
    as_json: bool,
) -> int:
    """Compute a submission anew and compare the numbers it claims.

    SUBMISSION is a site file with a [claims] section (.toml, .json, .xlsx), or a workbook with
    a soil-loss table in the columns that reviewers know.

    Exit code 0 verified, 1 not verified, 2 cannot be determined or wrong input.
    """
    from sedcalc.compliance.verification import EXIT_CODES
    from sedcalc.compliance.verification import verify as compute
    from sedcalc.io.site_files import refuse_link_out

    refuse_link_out(submission)
    decided = read_overrides_of(overrides)
    site = read_site_apart(submission, ordinance=ordinance, county=county)
    with nullcontext() if site.grid is None else progress("computing the site's rasters"):
        result = compute(site, tolerance_pct=tolerance, overrides=decided)
    if record is not None:
        from sedcalc.report.record import write_record

        write_record(result, record)
    if as_json:
        from sedcalc.report.verify_results import verify_object

        print_json(verify_object(result))
    else:
        from sedcalc.report.verify_text import verify_report

        show(verify_report(result))
        if result.status == "cannot_be_determined":
            say(f"cannot be determined: {result.reason}")
            print_reasons([f for f in result.findings if f.severity == "error"])
    return EXIT_CODES[result.status]


@click.command(
    "verify-batch",
    epilog=examples(
        "sedcalc verify-batch submissions --out results.csv",
        "sedcalc verify-batch submissions --workers 2 --out results.ndjson",
    ),
)
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--workers", type=click.IntRange(1, 256), default=1, metavar="N", help="Processes; 1 by default.")
@click.option(
    "--out",
    type=WRITTEN_FILE,
    metavar="FILE",
    help="Write there: .ndjson (goes on where an earlier run stopped) or .csv.",
)
@click.option(
    "--timeout",
    type=checked(number, above_zero),
    metavar="S",
    help="Longest time for one submission, s; 60 by default.",
)
@_tolerance
@_ordinance
@_county
@json_option
def verify_batch(
    paths: Sequence[Path],
    workers: int,
    out: Path | None,
    timeout: float | None,
    tolerance: float | None,
    ordinance: str | None,
    county: str | None,
    as_json: bool,
) -> int:
    """Verify many submissions, each on its own.

    PATHS are submissions, or folders of them (*.toml, *.json, *.xlsx). Without --out one JSON
    object a line goes to stdout, in the order of the paths.

    Exit code 0 all verified, 1 some not, 2 some undetermined or failed.
    """
    from sedcalc.report.batch import TIMEOUT_S, Summary, ndjson, refuse_other_file, run_batch
    from sedcalc.report.batch import verify_batch as compute

    submissions = _submissions(paths)
    if not submissions:
        raise input_error(
            "no-submissions",
            "there is no .toml, .json or .xlsx file to verify; name another folder, or the files",
            str(paths[0]),
        )
    options: dict[str, Any] = {"tolerance_pct": tolerance, "timeout_s": TIMEOUT_S if timeout is None else timeout}
    options |= {"ordinance": ordinance, "county": county}
    options["memory_bytes"] = most("batch_memory_mb") * 1_000_000
    summary = Summary()
    if out is None:
        for line in compute(submissions, workers, **options):
            write(ndjson(line))
            summary.count(line)
    elif out.suffix.lower() == ".csv":
        from sedcalc.io.whole_files import write_whole
        from sedcalc.report.results import csv_text

        refuse_other_file(out, _CSV[:3])
        rows = []
        for line in compute(submissions, workers, **options):
            summary.count(line)
            rows.append(_csv_row(line))
            _progress(summary, len(submissions))
        write_whole(out, csv_text(_CSV, rows).encode(), "table")
    elif out.suffix.lower() in (".ndjson", ".jsonl"):
        summary = run_batch(submissions, out, workers, progress=_progress, **options)
    else:
        raise input_error("unknown-format", f"{out.suffix or 'no'} ending; name a file in .ndjson or .csv", str(out))
    if out is not None and as_json:
        print_json(_summary_object(summary))
    else:
        say(_summary_words(summary))
    return summary.exit_code


@click.command(
    epilog=examples(
        "sedcalc replay record.json",
    )
)
@click.argument("record", type=click.Path(path_type=Path))
@click.option("--folder", type=click.Path(path_type=Path), help="Folder of the submission's files; the record's.")
@json_option
def replay(record: Path, folder: Path | None, as_json: bool) -> int:
    """Compute an audit record anew, and compare.

    Hashes must be equal, numbers agree to 1e-9.

    RECORD is a file that `sedcalc verify --record` wrote.

    Exit code 0 reproduced, 1 differs, 2 reproduced except what could not be checked, cannot be
    determined, or no record.
    """
    from sedcalc.report.record import replay as compute
    from sedcalc.report.record import replay_object

    compute_apart(record)
    result = compute(record, folder)
    if as_json:
        print_json(replay_object(result))
    else:
        from sedcalc.report.verify_text import replay_report

        show(replay_report(result))
    return _REPLAY_EXIT[result.status]


COMMANDS = (verify, verify_batch, replay)


def _submissions(paths: Sequence[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if os.path.isdir(path):
            found += sorted(p for p in path.iterdir() if p.suffix.lower() in _SUBMISSION_ENDINGS)
        else:
            found.append(path)
        refuse_over("batch_files", len(found), "PATHS", what="the batch", code="too-many-paths")
    return found


def _progress(summary: "Summary", of: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{summary.total} of {of}" + ("\n" if summary.total == of else ""))
        sys.stderr.flush()
    elif summary.total % 1000 == 0:
        say(f"{summary.total} of {of} ...")


def _csv_row(line: dict[str, Any]) -> list[Any]:
    computed = line["computed"] or {}
    head = [line[n] for n in ("path", "status", "failed", "values_compared", "values_failed")]
    taken = dict.fromkeys(t["quantity"] for t in line["taken_as_claimed"])
    found = [
        f"{f['severity']}: {f['where'] or ''}: {f['message']}" for f in line["findings"] if f["severity"] != "note"
    ]
    figures = [computed.get("status"), computed.get("tons_per_acre_per_year")]
    return [*head, *figures, line["reason"], "; ".join(taken), " | ".join(found)]


def _summary_object(summary: "Summary") -> dict[str, Any]:
    counts = {n: getattr(summary, n) for n in ("verified", "not_verified", "undetermined", "failed", "skipped")}
    return {"format": "sedcalc.batch/1", "total": summary.total, **counts}


def _summary_words(summary: "Summary") -> str:
    earlier = f" ({summary.skipped} by an earlier run)" if summary.skipped else ""
    return (
        f"{count_of(summary.total, 'submission')}{earlier}: {summary.verified} verified, "
        f"{summary.not_verified} not verified, "
        f"{summary.undetermined} undetermined, {summary.failed} failed"
    )
