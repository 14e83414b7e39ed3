"""The calculation sheet: what an engineer signs and a reviewer checks, as PDF or as HTML.

One sheet is built from a ruling, as plain data (`sedcalc.report.sheet_blocks`); both forms print the same data.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import sedcalc
from sedcalc.compliance.ruling import Ruling
from sedcalc.findings import input_error
from sedcalc.io.whole_files import write_whole
from sedcalc.report.results import json_text, keep_site_files
from sedcalc.report.sheet_blocks import Block, Facts, Paragraph, Section, Sheet, Words
from sedcalc.report.sheet_controls import balance_blocks, measure_blocks, practice_blocks, reduction_blocks
from sedcalc.report.sheet_draft import HANDBOOK_537, HANDBOOK_703, Draft
from sedcalc.report.sheet_factors import factor_steps
from sedcalc.report.sheet_figures import (
    load_chart,
    sensitivity_chart,
    site_maps,
    waterfall_chart,
    window_chart,
)
from sedcalc.report.sheet_inputs import arguments, submitted
from sedcalc.report.sheet_results import (
    figure_blocks,
    governing_rows,
    load_table_blocks,
    ruling_blocks,
    verdict,
    window_blocks,
)
from sedcalc.report.sheet_review import (
    certainty_blocks,
    finding_blocks,
    limitation_blocks,
    plan_blocks,
    provenance_blocks,
    reference_blocks,
)

_TITLES: Final = {
    "ruling": "Ruling",
    "arguments": "Arguments and their sources",
    "equation": "The equation, worked for the governing row",
    "figure": "From the rows to the governing figure",
    "load": "Load table",
    "windows": "Twelve-month windows",
    "reduction": "Percent reduction",
    "practices": "Practices",
    "balance": "Mass balance and credit",
    "maps": "Maps",
    "measures": "What would meet the limit",
    "findings": "Findings by clause",
    "plan": "What the code asks of a plan",
    "certainty": "How sure it is",
    "limitations": "Limitations and conventions",
    "references": "References",
    "provenance": "Provenance",
    "submitted": "Arguments as submitted",
}


def calculation_sheet(ruling: Ruling) -> Sheet:
    """Return the calculation sheet of a ruling.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.

    Returns
    -------
    Sheet
        Plain data; every number of it is one of the run's JSON, an argument, or a step between them.
    """
    names = [name for name in _TITLES if _wanted(name, ruling)]
    numbers = {name: str(i) for i, name in enumerate(names, start=1)}
    draft = Draft(ruling, numbers)
    about = _about(draft)  # first: references are numbered in the order of the sheet
    parts = governing_rows(draft)
    index = max(parts, key=lambda c: c.tons).row if parts else None
    writers: dict[str, Callable[[], tuple[Block, ...]]] = {
        "ruling": lambda: ruling_blocks(draft),
        "equation": lambda: _equation(draft, index),
        "figure": lambda: figure_blocks(draft, parts),
        "load": lambda: (*load_table_blocks(draft), load_chart(ruling)),
        "windows": lambda: (*window_blocks(draft), window_chart(ruling)),
        "reduction": lambda: (*reduction_blocks(draft), waterfall_chart(ruling)),
        "practices": lambda: practice_blocks(draft),
        "balance": lambda: balance_blocks(draft),
        "maps": lambda: site_maps(ruling),
        "measures": lambda: measure_blocks(draft),
        "findings": lambda: finding_blocks(draft),
        "plan": lambda: plan_blocks(draft),
        "certainty": lambda: (*certainty_blocks(draft), *sensitivity_chart(ruling)),
        "limitations": lambda: limitation_blocks(draft),
        "references": lambda: reference_blocks(draft),
        "provenance": lambda: provenance_blocks(draft),
        "submitted": lambda: submitted(draft),
    }
    sections = []
    for name in names:
        number, title = numbers[name], _TITLES[name]
        if name == "arguments":
            sections.append(Section(number, title, sections=arguments(draft, number)))
        else:
            sections.append(Section(number, title, writers[name]()))
    project = ruling.load.site.project
    program = f"sedcalc {sedcalc.__version__}"
    hashes = f"site {ruling.load.provenance['site_sha256'][:12]} · ordinance {ruling.ordinance.sha256[:12]}"
    return Sheet(
        title=project.name,
        about=about,
        verdict=verdict(draft),
        signing=(
            ("Prepared by", project.prepared_by or ""),
            ("Date", str(project.date) if project.date else ""),
            ("Revision", ""),
            ("Checked by", ""),
            ("Signature", ""),
        ),
        sections=tuple(sections),
        running=f"{program} · {hashes}",
        run_json=json_text(draft.run),
    )


def write_report(ruling: Ruling, path: str | os.PathLike[str]) -> Path:
    """Write the calculation sheet of a ruling as PDF or as HTML.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    path
        File to write: ``.pdf`` (needs the extra ``pdf``) or ``.html``; replaced where it exists.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InputError
        If the name ends in neither, the folder does not exist, or the file is one that the site was read from.
    EnvironmentFault
        If the PDF is asked for without typst, or the file cannot be written.

    Notes
    -----
    The same ruling gives the same bytes. The date on the sheet is the one of the site file (``project.date``). The PDF
    is PDF/UA-1: tagged, with bookmarks and alternative texts, its fonts inside. The HTML needs no other file.

    Examples
    --------
    The sheet of the shipped subdivision, which meets the limit:

    >>> import sedcalc as sc, tempfile
    >>> ruling = sc.check_compliance(sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))))
    >>> path = sc.write_report(ruling, Path(tempfile.mkdtemp()) / "calculation.html")
    >>> "Meets the limit" in path.read_text(encoding="utf-8")
    True
    """
    target = Path(path)
    kind = report_kind(target)
    keep_site_files(ruling, [target])
    if kind == "pdf":
        from sedcalc.report.sheet_pdf import pdf_bytes

        data = pdf_bytes(calculation_sheet(ruling))
    else:
        from sedcalc.report.sheet_html import html_text

        data = html_text(calculation_sheet(ruling)).encode()
    write_whole(target, data, "report")
    return target


def report_kind(path: Path) -> Literal["pdf", "html"]:
    """Return in which form a report is written, after checking that it can be.

    Parameters
    ----------
    path
        File to write.

    Raises
    ------
    InputError
        If the name ends in neither ``.pdf`` nor ``.html``, or the folder does not exist.
    EnvironmentFault
        If it is a PDF and typst is not there.
    """
    kind = path.suffix.lower()
    if kind not in (".pdf", ".html", ".htm"):
        raise input_error("report-format", "the name of a report ends in .pdf or .html", str(path))
    if not path.parent.is_dir():
        raise input_error("no-such-folder", f"there is no folder {path.parent}; make it first", str(path))
    if path.is_dir():
        raise input_error("not-a-file", "this is a folder; name a file for the report", str(path))
    if kind != ".pdf":
        return "html"
    from sedcalc.report.sheet_pdf import require_typst

    require_typst()
    return "pdf"


def _wanted(name: str, ruling: Ruling) -> bool:
    if name == "figure":
        return ruling.governing is not None
    if name == "maps":
        return ruling.load.ground.rasters is not None
    if name == "measures":
        return ruling.measures is not None
    return True


def _about(draft: Draft) -> Facts:
    project, ordinance = draft.site.project, draft.ruling.ordinance
    missing = "not stated"
    pairs: list[tuple[str, Words]] = [
        ("Applicant", (project.applicant or missing,)),
        ("Address", (project.address or missing,)),
    ]
    if project.description:
        pairs.append(("Description", (" ".join(project.description.split()),)))
    plan = draft.load.schedule
    pairs += [
        ("Construction", (f"{plan.first_day}, first disturbance, through {plan.last_day}, final stabilization",)),
        ("Ordinance", (f"{ordinance.place}, {ordinance.title}",)),
        ("Text of the code", (ordinance.text_source,)),
        ("Method", _method(draft)),
        ("Version", (f"sedcalc {sedcalc.__version__}, {draft.run['format']}",)),
        ("Date", (str(project.date) if project.date else missing,)),
    ]
    return Facts(tuple(pairs))


def _method(draft: Draft) -> Words:
    """Return the equation, and whose LS is in it: the rest is the same in the USLE and in RUSLE."""
    equation = "A = R f K LS C P, tons per acre over the days of a phase"
    if draft.site.grid is not None and draft.site.grid.LS is not None:
        return (f"{equation}; LS of a raster as given", draft.ref(HANDBOOK_703))
    if draft.site.topography.method == "usle":
        return (f"{equation}; LS by the equations of the USLE", draft.ref(HANDBOOK_537))
    return (f"{equation}; LS by the equations of RUSLE", draft.ref(HANDBOOK_703))


def _equation(draft: Draft, index: int | None) -> tuple[Block, ...]:
    if index is None:
        return (Paragraph(("No row counts, so that there is none to show.",)),)
    own = draft.run["rows"][index]
    said: Words = (
        f"Row {index + 1} of the load table brings the most to the governing figure: {own['phase']} on ground unit "
        f"{own['unit']} in drainage area {own['drainage_area']}, {own['start']} through {own['end']}. All other rows "
        "are computed alike. Steps are printed rounded and carried unrounded.",
    )
    return (Paragraph(said), *factor_steps(draft, index))
