"""Results as data: the JSON object of a run, and the folder of files that ``sedcalc run --out`` writes."""

import csv
import io
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sedcalc.compliance.ruling import Ruling
from sedcalc.findings import EnvironmentFault, Finding, count_of, input_error
from sedcalc.io.site_files import keep_inputs
from sedcalc.load.load_table import ROW_COLUMNS, SedimentLoad
from sedcalc.report.checks_results import (
    checks_entry,
    credit_entries,
    fact_entries,
    measures_entry,
    timetable_entries,
)
from sedcalc.report.reduction import reduction_steps
from sedcalc.report.run_format import (
    RUN_FORMAT,
    DrainedEntry,
    ErosivityEntry,
    FindingEntry,
    GoverningEntry,
    OrdinanceEntry,
    PracticeEntry,
    ReductionEntry,
    RowEntry,
    RunEntry,
    Status,
    TotalsEntry,
    WindowEntry,
)
from sedcalc.site.practices import practice_kind

if TYPE_CHECKING:
    from sedcalc.report.charts.files import Choice

# A spreadsheet runs a cell that begins so as a formula, some after blanks; a leading apostrophe makes it text.
_FORMULA_STARTS = ("=", "+", "-", "@", "|", "＝", "＋", "－", "＠")


def run_object(ruling: Ruling) -> dict[str, Any]:
    """Return the JSON object of a run, format ``sedcalc.run/1``.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.

    Returns
    -------
    dict
        Plain numbers, texts, lists and dicts as `sedcalc.report.run_format.RunEntry` describes; no NaN or infinity:
        such a value is None, and a finding names it.
    """
    load = ruling.load
    entry = RunEntry(
        format=RUN_FORMAT,
        status=ruling.status,
        reason=ruling.reason,
        findings=_finding_entries(ruling.findings),
        project=load.site.project.name,
        tons_per_acre_per_year=ruling.tons_per_acre_per_year,
        limit=ruling.limit,
        margin=ruling.margin,
        clause=ruling.clause,
        percent_reduction=ruling.percent_reduction,
        disturbed_acres=ruling.disturbed_acres,
        site_tons_per_acre_per_year=ruling.site_tons_per_acre_per_year,
        governing=_governing(ruling),
        ordinance=OrdinanceEntry(*(getattr(ruling.ordinance, f.name) for f in fields(OrdinanceEntry))),
        erosivity=ErosivityEntry(*(getattr(load.erosivity, f.name) for f in fields(ErosivityEntry))),
        totals=_totals(load),
        reduction=[
            ReductionEntry(*(getattr(s, f.name) for f in fields(ReductionEntry))) for s in reduction_steps(load)
        ],
        windows=window_entries(load),
        practices=_practices(load),
        rows=_rows(load),
        timetable=timetable_entries(load),
        credit=credit_entries(load),
        checks=checks_entry(ruling.checks),
        measures=measures_entry(ruling.measures),
        explanation_facts=fact_entries(ruling),
        provenance={**load.provenance, "ordinance_sha256": ruling.ordinance.sha256},
    )
    return _finite(asdict(entry))


def failure_object(findings: Sequence[Finding], status: Status = "cannot_be_determined") -> dict[str, Any]:
    """Return the JSON object of a run that gave no number.

    Parameters
    ----------
    findings
        Why: at least one of severity ``error``.
    status
        ``cannot_be_determined`` for wrong or insufficient input.
    """
    errors = sum(f.severity == "error" for f in findings)
    reason = f"the input has {count_of(errors, 'mistake')}, so that no number is given"
    return asdict(RunEntry(format=RUN_FORMAT, status=status, reason=reason, findings=_finding_entries(findings)))


def window_entries(load: SedimentLoad) -> list[WindowEntry]:
    """Return the windows of a load: the worst 12 months, what the site asks for, whole project and average year.

    Parameters
    ----------
    load
        From `sedcalc.sediment_load`.
    """
    windows, totals = load.windows, load.totals
    found = []
    for column, area in enumerate(windows.area):
        row = int(windows.worst[column])
        if row >= 0:
            tons, acres = float(windows.tons[row, column]), float(windows.acres[row, column])
            days = (str(windows.start[row]), str(windows.end[row]))
            found.append(_window("worst_12_months", area, days, windows.whole_project, tons, acres))
    for start, end, tons, acres, figure in load.asked:
        found.append(WindowEntry("asked", None, start, end, _under_a_year(start, end), tons, acres, figure))
    project = (load.schedule.first_day.isoformat(), load.schedule.last_day.isoformat())
    sums = _project_sums(load)
    for area, (tons, acres) in sums.items():
        found.append(_window("whole_project", area, project, windows.whole_project, tons, acres))
    if not windows.whole_project:
        for area, (tons, acres) in sums.items():
            found.append(_window("average_year", area, project, False, tons / totals.years, acres))
    return found


def write_results(ruling: Ruling, folder: Path, charts: "Choice" = "main") -> list[Path]:
    """Write a run's files: load table and windows as CSV, the JSON object, charts; maps of a gridded site.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    folder
        Where to; made where it does not exist. Files of an earlier run are replaced, others left alone.
    charts
        Which charts and maps: ``main``, ``all`` or ``none``; see `sedcalc.report.charts.write_charts` and
        `sedcalc.report.maps.write_maps`.

    Returns
    -------
    list of Path
        The files, ``result.json`` last: where it is new, all are.

    Raises
    ------
    InputError
        If `folder` is a file, or one of the files to write is a file that the site was read from.
    EnvironmentFault
        If the files cannot be written; those of an earlier run are then untouched, or replaced whole.

    Notes
    -----
    Each file appears complete or not at all. The same ruling gives the same bytes.
    """
    if folder.exists() and not folder.is_dir():
        raise input_error("not-a-folder", "this is a file; name a folder for the results", str(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=".sedcalc-", dir=folder))
        try:
            names = _write_all(ruling, part, charts)
            keep_site_files(ruling, [folder / name for name in names])
            for name in names:
                os.replace(part / name, folder / name)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise EnvironmentFault(f"{folder}: the results cannot be written: {error.strerror or error}") from error
    return [folder / name for name in names]


def keep_site_files(ruling: Ruling, outputs: Iterable[Path]) -> None:
    """Refuse to write over the site file or a file that it names.

    Parameters
    ----------
    ruling
        On the site.
    outputs
        Files that are to be written.

    Raises
    ------
    InputError
        With each of them that is such a file.
    """
    site = ruling.load.site
    keep_inputs(site.folder, [*ruling.load.provenance["files"], site.ordinance], outputs)


def json_text(value: dict[str, Any]) -> str:
    """Return a JSON object as text, ASCII only, with a line end; NaN and infinity are refused."""
    return json.dumps(value, indent=2, allow_nan=False) + "\n"


def csv_text(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV text with a heading: numbers in full, nothing for None, texts safe to open in a spreadsheet.

    Parameters
    ----------
    names
        Heading.
    rows
        Values in the order of the heading.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        # csv leaves a lone carriage return unquoted, and readers end the line there; a terminal obeys other controls.
        line = "".join(c if c == "\n" or not (c < " " or "\x7f" <= c < "\xa0") else " " for c in value)
        return f"'{line}" if line != line.lstrip() or line.startswith(_FORMULA_STARTS) else line
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else value


def _write_all(ruling: Ruling, folder: Path, which: "Choice") -> list[str]:
    from sedcalc.report.charts import write_charts

    result = run_object(ruling)
    windows = [f.name for f in fields(WindowEntry)]
    texts = {
        "load_table.csv": csv_text(ROW_COLUMNS, ([row[n] for n in ROW_COLUMNS] for row in result["rows"])),
        "windows.csv": csv_text(windows, ([w[n] for n in windows] for w in result["windows"])),
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    charts = write_charts(ruling, folder, which)
    if ruling.load.site.grid is not None:
        from sedcalc.report.maps import write_maps

        charts += [path.name for path in write_maps(ruling, folder, which)]
    (folder / "result.json").write_bytes(json_text(result).encode())
    return [*texts, *charts, "result.json"]


def _finding_entries(findings: Iterable[Finding]) -> list[FindingEntry]:
    return [FindingEntry(f.code, f.severity, f.message, f.where, f.clause) for f in findings]


def _governing(ruling: Ruling) -> GoverningEntry | None:
    governing = ruling.governing
    if governing is None:
        return None
    return GoverningEntry(*(getattr(governing, f.name) for f in fields(GoverningEntry)))


def _totals(load: SedimentLoad) -> TotalsEntry:
    totals = load.totals
    return TotalsEntry(
        eroded_tons=totals.eroded,
        deposited_tons=totals.deposited,
        trapped_tons=sum(totals.trapped.values()),
        discharged_tons=totals.discharged,
        trapped=totals.trapped,
        outfalls=totals.outfalls,
        baseline_tons=totals.baseline,
        background_tons=totals.background,
        years=totals.years,
    )


def _window(kind: Any, area: str | None, days: tuple[str, str], short: bool, tons: float, acres: float) -> WindowEntry:
    return WindowEntry(kind, area, *days, short, tons, acres, tons / acres if acres > 0.0 else None)


def _under_a_year(start: str, end: str) -> bool:
    """Whether a window holds fewer than 12 whole months."""
    import numpy as np

    from sedcalc.load.windows import year_later

    first = np.array([start], dtype="datetime64[D]")
    return bool(year_later(first)[0] - np.timedelta64(1, "D") > np.datetime64(end))


def _project_sums(load: SedimentLoad) -> dict[str | None, tuple[float, float]]:
    """Return discharge of the whole project and disturbed acres, by drainage area and for the site (None)."""
    ids = [a.id for a in load.site.drainage_areas]
    tons, acres = dict.fromkeys(ids, 0.0), dict.fromkeys(ids, 0.0)
    columns, pieces = load.columns, load.ground.pieces
    for area, counted, discharge in zip(
        columns["drainage_area"], columns["counted"], columns["discharge_tons"], strict=True
    ):
        tons[area] += discharge if counted else 0.0
    for unit, area, size in zip(pieces.unit, pieces.drainage_area, pieces.acres, strict=True):
        acres[ids[area]] += float(size) if load.schedule.disturbed[unit] is not None else 0.0
    sums: dict[str | None, tuple[float, float]] = {i: (tons[i], acres[i]) for i in ids if acres[i] > 0.0}
    sums[None] = (load.totals.discharged, load.totals.disturbed_acres)
    return sums


def _practices(load: SedimentLoad) -> list[PracticeEntry]:
    return [
        PracticeEntry(
            id=practice.id,
            kind=practice_kind(practice),
            drainage_areas=[DrainedEntry(d.id, d.share) for d in practice.drainage_areas],
            drains_to=practice.drains_to,
            start=practice.start.isoformat(),
            end=practice.end.isoformat(),
            bypass=practice.bypass,
            efficiency=credit.efficiency,
            method=credit.method,
            source=credit.source,
            trapped_tons=load.totals.trapped[practice.id],
        )
        for practice, credit in zip(load.site.practices, load.network.credits, strict=True)
    ]


def _rows(load: SedimentLoad) -> list[RowEntry]:
    dates = {n: [d.isoformat() for d in load.columns[n]] for n in ("start", "end")}
    columns = {**load.columns, **dates}
    return [RowEntry(*values) for values in zip(*(columns[f.name] for f in fields(RowEntry)), strict=True)]


def _finite(result: dict[str, Any]) -> dict[str, Any]:
    """Return the object with None for every number that is not finite, and a finding that names it."""
    undefined: list[str] = []

    def clean(value: Any, where: str) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            undefined.append(where)
            return None
        if isinstance(value, dict):
            return {k: clean(v, f"{where}.{k}" if where else str(k)) for k, v in value.items()}
        if isinstance(value, list):
            return [clean(v, f"{where}[{i}]") for i, v in enumerate(value)]
        return value

    cleaned: dict[str, Any] = clean(result, "")
    for where in undefined:
        finding = Finding("undefined-value", "warning", "the calculation gives no finite number here", where)
        cleaned["findings"].append(finding.as_dict())
    return cleaned
