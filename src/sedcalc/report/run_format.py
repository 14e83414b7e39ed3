"""The shape of a run's JSON, ``sedcalc.run/1``: its JSON Schema is derived from these classes.

Tons are short tons, areas acres, dates ISO 8601; R and K are in US customary units. What is undefined is null, and a
finding says why.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from sedcalc.report.checks_format import ActivityEntry, ChecksEntry, CreditEntry, FactEntry, MeasuresEntry
from sedcalc.report.reduction import StepKind

RUN_FORMAT: Final = "sedcalc.run/1"

Status = Literal["meets", "exceeds", "cannot_be_determined", "not_applicable"]
WindowKind = Literal["worst_12_months", "asked", "whole_project", "average_year"]


def _about(text: str) -> Any:
    return Field(description=text)


@dataclass(frozen=True, slots=True)
class FindingEntry:
    """One thing a reader of the result must know."""

    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    where: Annotated[str | None, _about("Path into the input, or place in the result")] = None
    clause: Annotated[str | None, _about("Clause of the ordinance, as printed there")] = None


@dataclass(frozen=True, slots=True)
class OrdinanceEntry:
    """The ordinance the site was ruled by."""

    id: str
    title: str
    place: str
    text_source: Annotated[str, _about("Edition and amendments that were read")]
    sha256: Annotated[str, _about("SHA-256 of the ordinance's file")]


@dataclass(frozen=True, slots=True)
class GoverningEntry:
    """The window and drainage area whose figure is held against the limit."""

    window_start: str
    window_end: str
    drainage_area: Annotated[str | None, _about("Null: the site as a whole")]
    discharge_tons: float
    acres: float
    by_override: Annotated[bool, _about("Whether the reference acreage counts, by a reviewer's override")]


@dataclass(frozen=True, slots=True)
class WindowEntry:
    """Discharge over a window of days, of a drainage area or of the site."""

    kind: Annotated[
        WindowKind,
        _about(
            "worst_12_months: the 12 consecutive months with the largest discharge per acre (the whole project where "
            "it is shorter, not scaled up); asked: named in the site file; whole_project: first disturbance to final "
            "stabilization; average_year: whole_project divided by its years, projects over 12 months only"
        ),
    ]
    drainage_area: Annotated[str | None, _about("Null: the site as a whole")]
    start: str
    end: str
    shorter_than_12_months: bool
    discharge_tons: Annotated[float, _about("In the window; of average_year per year")]
    acres: Annotated[float, _about("Of the ground that counts in the window")]
    discharge_tons_per_acre: Annotated[float | None, _about("Null where no acre counts")]


@dataclass(frozen=True, slots=True)
class RowEntry:
    """A piece of ground with one state over a span of days."""

    phase: str
    drainage_area: str
    unit: str
    soil: Annotated[str, _about("Empty where K comes from a raster")]
    state: Annotated[
        Literal["existing", "phase", "between", "stabilized"],
        _about("existing: background; between: idle after a phase, in its last cover; stabilized: in its final cover"),
    ]
    counted: Annotated[bool, _about("False for background: in neither tons nor acres of the ruling")]
    start: str
    end: str
    ei_fraction: Annotated[float, _about("Share of the annual erosivity; over 1 for more than a year")]
    R: Annotated[float, _about("Annual erosivity, hundreds of ft tonf in/(ac h yr)")]
    K: Annotated[float, _about("Erodibility, ton ac h/(hundreds of ac ft tonf in)")]
    LS: float
    C: Annotated[float | None, _about("Null where ei_fraction is 0")]
    P: Annotated[float | None, _about("Null where ei_fraction is 0")]
    acres: float
    soil_loss_tons_per_acre: Annotated[float, _about("R ei_fraction K LS C P")]
    soil_loss_tons: float
    delivered_tons: Annotated[float, _about("Soil loss times the hillslope delivery ratio")]
    trapped_tons: float
    discharge_tons: float
    discharge_tons_per_acre: float
    efficiency: Annotated[float | None, _about("1 - discharge/delivered; null where ei_fraction is 0")]
    bare_tons: Annotated[float, _about("Soil loss with C = P = 1 and no barriers: the baseline before delivery")]


@dataclass(frozen=True, slots=True)
class DrainedEntry:
    """A drainage area, or a share of it, that drains to a practice."""

    id: str
    share: float


@dataclass(frozen=True, slots=True)
class PracticeEntry:
    """A practice and the credit it earned."""

    id: str
    kind: str | None
    drainage_areas: Annotated[list[DrainedEntry], _about("What drains directly to it")]
    drains_to: Annotated[str | None, _about("The next practice; null: the outfall")]
    start: str
    end: str
    bypass: Annotated[float, _about("Share of what reaches it that goes past it untreated")]
    efficiency: Annotated[float, _about("Share trapped of all that reaches it while it works, by-pass included")]
    method: Literal["given", "catalogue", "size rule", "settling", "given by class"]
    source: str
    trapped_tons: float


@dataclass(frozen=True, slots=True)
class TotalsEntry:
    """Sums over the project, background left out but for its own entry: eroded = deposited + trapped + discharged."""

    eroded_tons: float
    deposited_tons: Annotated[float, _about("What stays on the slope by the delivery ratio")]
    trapped_tons: float
    discharged_tons: float
    trapped: Annotated[dict[str, float], _about("Tons by practice")]
    outfalls: Annotated[dict[str, float], _about("Tons discharged by outfall")]
    baseline_tons: Annotated[float, _about("Load with no controls: C = P = 1, no practices, no barriers")]
    background_tons: Annotated[float, _about("Discharge of land not yet or never disturbed")]
    years: Annotated[float, _about("Days from first disturbance to final stabilization over 365.25")]


@dataclass(frozen=True, slots=True)
class ReductionEntry:
    """A step from the load with no controls to the discharge, of the whole site over the whole project."""

    kind: Annotated[
        StepKind,
        _about(
            "uncontrolled and discharge: the ends; shorter duration, slope breaks, cover, surface condition: before "
            "practices; practice: what it traps"
        ),
    ]
    name: Annotated[str, _about("Of a practice its id")]
    saved_tons: Annotated[float | None, _about("Negative where the step adds; null at the ends")]
    left_tons: float


@dataclass(frozen=True, slots=True)
class ErosivityEntry:
    """Annual erosivity and its course over the year."""

    R: Annotated[float | None, _about("Hundreds of ft tonf in/(ac h yr); null where a raster gives it")]
    R_low: float | None
    R_high: float | None
    source: str
    status: str
    ei_zone: Annotated[int | None, _about("Null where the site has its own distribution")]
    ei_source: str


@dataclass(frozen=True, slots=True)
class RunEntry:
    """The result of ``sedcalc run``: load, ruling, findings."""

    format: Literal["sedcalc.run/1"]
    status: Status
    reason: Annotated[str, _about("The ruling in a sentence")]
    findings: list[FindingEntry]
    project: str | None = None
    tons_per_acre_per_year: Annotated[
        float | None, _about("The governing figure, compared unrounded; null where it cannot be determined")
    ] = None
    limit: Annotated[float | None, _about("Short tons/(acre yr); null where no limit applies")] = None
    margin: Annotated[float | None, _about("Limit less figure; negative where it is exceeded")] = None
    clause: Annotated[str | None, _about("Clause of the limit, or of the reason why none applies")] = None
    percent_reduction: Annotated[float | None, _about("Whole site, whole project, against no controls")] = None
    disturbed_acres: float | None = None
    site_tons_per_acre_per_year: Annotated[float | None, _about("Worst 12 months of the site as a whole")] = None
    governing: GoverningEntry | None = None
    ordinance: OrdinanceEntry | None = None
    erosivity: ErosivityEntry | None = None
    totals: TotalsEntry | None = None
    reduction: Annotated[
        list[ReductionEntry],
        _about("What each control takes off the load, in a fixed order: only the sum does not depend on it"),
    ] = field(default_factory=list)
    windows: list[WindowEntry] = field(default_factory=list)
    practices: list[PracticeEntry] = field(default_factory=list)
    rows: list[RowEntry] = field(default_factory=list)
    timetable: Annotated[list[ActivityEntry], _about("Land-disturbing activities by start")] = field(
        default_factory=list
    )
    credit: Annotated[list[CreditEntry], _about("What limiting duration and area saves")] = field(default_factory=list)
    checks: Annotated[ChecksEntry | None, _about("What the code asks beside its limit")] = None
    measures: Annotated[MeasuresEntry | None, _about("What would meet the limit; null unless it is exceeded")] = None
    explanation_facts: Annotated[
        list[FactEntry], _about("Draft facts for the written explanation; empty unless the limit is exceeded")
    ] = field(default_factory=list)
    provenance: Annotated[
        dict[str, Any], _about("Version, methods, sources, and SHA-256 of tables, site and files")
    ] = field(default_factory=dict)


def run_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a run's JSON."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(RunEntry).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
