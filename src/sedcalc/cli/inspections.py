"""``sedcalc inspections``: the dates on which the code asks for an inspection, by a daily rain record."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sedcalc.cli.isolation import bound_process, open_files_apart
from sedcalc.cli.output import json_option, print_json, print_reasons, show
from sedcalc.cli.places import WRITTEN_FILE
from sedcalc.cli.usage import examples
from sedcalc.findings import count_of

if TYPE_CHECKING:
    from sedcalc.compliance.inspections import Inspection


@click.command(
    epilog=examples(
        "sedcalc inspections my_site.toml --rain rain.csv --units in --out log.csv",
    )
)
@click.argument("site", type=click.Path(path_type=Path))
@click.option("--rain", type=click.Path(path_type=Path), metavar="FILE", required=True, help="Daily rain, a CSV file.")
@click.option("--units", type=click.Choice(["in", "mm", "tenths-mm"]), required=True, help="Of the rain.")
@click.option("--out", type=WRITTEN_FILE, metavar="FILE", help="Write the log there, a CSV file.")
@json_option
def inspections(site: Path, rain: Path, units: Any, out: Path | None, as_json: bool) -> int:
    """List the days by which the code asks for an inspection.

    SITE is a site file. FILE has a column of dates and one of rain (GHCN-Daily, or DATE and PRCP).
    Whether it ran off is the inspector's question: the log leaves room for it.
    """
    from sedcalc.compliance.inspections import LOG_COLUMNS, inspection_log
    from sedcalc.io.daily_rain import read_daily_rain
    from sedcalc.io.site_files import read_site

    bound_process(site)
    log = inspection_log(read_site(site, before_files=open_files_apart), read_daily_rain(rain, units=units))
    if out is not None:
        from sedcalc.io.whole_files import write_whole
        from sedcalc.report.results import csv_text

        write_whole(out, csv_text(LOG_COLUMNS, log.rows()).encode(), "log")
    if as_json:
        findings = [f.as_dict() for f in log.findings]
        rows = [_row(i) for i in log.inspections]
        print_json({"format": "sedcalc.inspections/1", "clause": log.clause, "rows": rows, "findings": findings})
        return 0
    from sedcalc.report.reference_text import listing

    if log.inspections:
        show(listing([{k: _shown(v) for k, v in _row(i).items()} for i in log.inspections]))
    show(
        f"{count_of(len(log.inspections), 'inspection')} [{log.clause}]"
        + (f"; the log is written to {out}" if out else "")
    )
    print_reasons(log.findings)
    return 0


COMMANDS = (inspections,)


def _shown(value: str | float | None) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else value


def _row(inspection: "Inspection") -> dict[str, Any]:
    return {
        "inspect_by": inspection.inspect_by.isoformat(),
        "reason": inspection.reason,
        "rain_day": None if inspection.rain_day is None else inspection.rain_day.isoformat(),
        "rain_in": inspection.rain_in,
        "phase": inspection.phase,
    }
