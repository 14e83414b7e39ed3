"""``sedcalc demo``, ``run`` and ``report``: from a site file to the ruling, and to the sheet that shows it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sedcalc.cli.isolation import read_site_apart
from sedcalc.cli.output import json_option, print_json, print_reasons, progress, say, show, show_path
from sedcalc.cli.places import WRITTEN_FILE, WRITTEN_FOLDER, overrides_option, read_overrides_of
from sedcalc.cli.usage import examples

if TYPE_CHECKING:
    from sedcalc.compliance.ruling import Ruling
    from sedcalc.report.charts.files import Choice

_DEMO = "hales_corners_subdivision.toml"
_EXIT_OF = {"meets": 0, "exceeds": 1, "cannot_be_determined": 2, "not_applicable": 2}


@click.command(
    epilog=examples(
        "sedcalc demo",
        "sedcalc demo --json",
    )
)
@json_option
def demo(as_json: bool) -> int:
    """Compute the example site that comes with sedcalc."""
    from sedcalc.io.examples import example

    path = example(_DEMO)
    ruling = _ruling(path)
    if as_json:
        _print_object(ruling)
    else:
        _print_report(ruling)
        show_path(f"\nThe site: {path}")
        show("Write your own with `sedcalc new`, and compute it with `sedcalc run`.")
    return 0


@click.command(
    epilog=examples(
        "sedcalc run my_site.toml",
        "sedcalc run my_site.toml --out results --charts all",
        "sedcalc run my_site.toml --json",
    )
)
@click.argument("site", type=click.Path(path_type=Path))
@click.option("--out", type=WRITTEN_FOLDER, metavar="DIR", help="Write tables, JSON and charts there.")
@click.option(
    "--charts",
    type=click.Choice(["main", "all", "none"]),
    default="main",
    show_default=True,
    help="Charts and maps in DIR: load by phase, rolling 12 months and soil loss, or all of them.",
)
@click.option(
    "--workbook",
    type=WRITTEN_FILE,
    metavar="FILE.xlsx",
    help="Write a workbook with live formulas there (needs the extra xlsx).",
)
@overrides_option
@json_option
def run(
    site: Path, out: Path | None, charts: "Choice", workbook: Path | None, overrides: Path | None, as_json: bool
) -> int:
    """Compute a site: load table, windows, ruling, findings.

    SITE is a .toml, .json or .xlsx file; `sedcalc new` writes one to begin with.

    Exit code 0 the standard is met, 1 exceeded, 2 cannot be determined, not applicable or wrong input,
    3 the machine or sedcalc is at fault, such as a folder that may not be written.
    """
    ruling = _ruling(site, overrides)
    written: list[Path] = []
    if out is not None:
        from sedcalc.report.results import write_results

        with progress("writing the results"):
            written = write_results(ruling, out, charts)
        if charts != "none":
            _say_what_cannot_be_drawn(ruling)
    if workbook is not None:
        from sedcalc.report.results_workbook import write_results_workbook

        with progress("writing the workbook"):
            write_results_workbook(ruling, workbook)
    if as_json:
        _print_object(ruling)
    else:
        _print_report(ruling)
        if written:
            show_path(f"\nWritten to {out}:")
            show(", ".join(p.name for p in written))
        if workbook is not None:
            show_path(f"\nWritten to {workbook}")
    return _EXIT_OF[ruling.status]


@click.command(
    epilog=examples(
        "sedcalc report my_site.toml --out plan.pdf",
        "sedcalc report my_site.toml --out plan.html",
    )
)
@click.argument("site", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=WRITTEN_FILE,
    metavar="FILE",
    required=True,
    help="PDF or HTML to write: plan.pdf (needs the extra pdf) or plan.html.",
)
@overrides_option
@json_option
def report(site: Path, out: Path, overrides: Path | None, as_json: bool) -> int:
    """Write the calculation sheet of a site, PDF or HTML.

    It is what an engineer signs and a reviewer checks. SITE is a .toml, .json or .xlsx file.

    Exit code 0 whenever it computed, whatever the ruling.
    """
    from sedcalc.report.sheet import report_kind, write_report
    from sedcalc.report.text import plain

    report_kind(out)
    ruling = _ruling(site, overrides)
    with progress("writing the sheet"):
        write_report(ruling, out)
    _say_what_cannot_be_drawn(ruling)
    if as_json:
        print_json(
            {
                "format": "sedcalc.report/1",
                "out": str(out),
                "status": ruling.status,
                "reason": ruling.reason,
                "tons_per_acre_per_year": ruling.tons_per_acre_per_year,
                "limit": ruling.limit,
                "findings": [f.as_dict() for f in ruling.findings],
            }
        )
    else:
        show(f"{ruling.status.replace('_', ' ')}: {plain(ruling.reason)}")
        show_path(f"Written to {out}")
    return 0


COMMANDS = (demo, run, report)


def _ruling(path: Path, overrides: Path | None = None) -> "Ruling":
    from sedcalc.compliance.ruling import check_compliance
    from sedcalc.load.calculation import sediment_load

    decided = read_overrides_of(overrides)
    site = read_site_apart(path)
    if site.grid is None:
        return check_compliance(sediment_load(site), overrides=decided)
    with progress("computing the site's rasters") as step:
        return check_compliance(sediment_load(site, progress=step), overrides=decided)


def _say_what_cannot_be_drawn(ruling: "Ruling") -> None:
    from sedcalc.report.glyphs import undrawable_finding

    finding = undrawable_finding(ruling.load.site)
    print_reasons(() if finding is None else (finding,))


def _print_object(ruling: "Ruling") -> None:
    from sedcalc.report.results import run_object

    print_json(run_object(ruling))


def _print_report(ruling: "Ruling") -> None:
    from sedcalc.report.text import run_report

    decided = _EXIT_OF[ruling.status] < 2
    show(run_report(ruling, with_findings=decided))
    if not decided:
        clause = f" [{ruling.clause}]" if ruling.clause else ""
        say(f"{ruling.status.replace('_', ' ')}: {ruling.reason}{clause}")
        print_reasons(ruling.findings)
