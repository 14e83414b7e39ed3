"""The shape of what a run says beside its limit: ordinance checks, measures, schedule; part of ``sedcalc.run/1``."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

ResultWord = Literal["applies", "does_not_apply", "question_for_reviewer", "not_stated"]


def _about(text: str) -> Any:
    return Field(description=text)


@dataclass(frozen=True, slots=True)
class ProvisionEntry:
    """A provision or an exemption of the code, and how it turned out."""

    id: str
    clause: str
    text: str
    result: Annotated[
        ResultWord,
        _about("question_for_reviewer: the administrator determines it; not_stated: the applicant has not said"),
    ]
    reason: str


@dataclass(frozen=True, slots=True)
class ApplicabilityEntry:
    """Whether the code applies, and which performance standard holds."""

    result: ResultWord
    reason: str
    clause: Annotated[str | None, _about("Clause that decides; null where none does")]
    standard_applies: Annotated[bool | None, _about("Null where the code has no numeric standard")]
    standard_clause: str | None
    provisions: list[ProvisionEntry]
    exemptions: list[ProvisionEntry]


@dataclass(frozen=True, slots=True)
class PlanItemEntry:
    """An item that the code asks of a plan, and what answers it."""

    id: Annotated[str, _about("Clause, with #n for the n-th item of one clause")]
    part: str
    clause: str
    text: str
    state: Annotated[
        Literal["in_submission", "stated", "missing", "not_asked"],
        _about("in_submission: the site file or the calculation has it; stated: the applicant says that the plan does"),
    ]
    by: Annotated[str, _about("What answers it, or why it is not asked")]


@dataclass(frozen=True, slots=True)
class IdleEntry:
    """Ground that rests longer than the code lets it lie bare."""

    units: list[str]
    first_day: str
    last_day: str
    days: int
    covered_from: Annotated[str | None, _about("First day with a cover or with seed; null: bare throughout")]
    resumes: Annotated[bool, _about("Whether work resumes after it")]


@dataclass(frozen=True, slots=True)
class StockpileEntry:
    """A soil stockpile that stays longer than the code leaves it uncontrolled."""

    unit: str
    first_day: str
    last_day: str
    days: int
    covered: Annotated[bool | None, _about("Throughout; null where a raster gives its cover")]
    practices: Annotated[list[str], _about("That it drains to and that work throughout")]


@dataclass(frozen=True, slots=True)
class SteepEntry:
    """Disturbed ground at least as steep as the code names."""

    units: list[str]
    acres: float


@dataclass(frozen=True, slots=True)
class PermitEntry:
    """How long the permit lasts, against the schedule."""

    issued: Annotated[str, _about("The first disturbance where it is not stated")]
    stated: bool
    ends: Annotated[str, _about("Last day without extension")]
    latest_end: Annotated[str, _about("Last day with all extensions that the code allows")]
    extended_to: Annotated[str, _about("Last day with the extensions granted")]
    needed_until: Annotated[str, _about("The site's final stabilization")]


@dataclass(frozen=True, slots=True)
class DeadlineEntry:
    """A date by which something is due."""

    what: str
    counted_from: Annotated[str | None, _about("Null where the code names the day")]
    due: str
    rule: str
    clause: str


@dataclass(frozen=True, slots=True)
class ChecksEntry:
    """What the code asks beside its limit, and how the site stands."""

    applicability: ApplicabilityEntry
    plan_items: list[PlanItemEntry]
    idle: list[IdleEntry]
    stockpiles: list[StockpileEntry]
    steep: Annotated[SteepEntry | None, _about("Null: none, or a gridded site")]
    permit: Annotated[PermitEntry | None, _about("Null where the code does not limit it")]
    deadlines: list[DeadlineEntry]


@dataclass(frozen=True, slots=True)
class MeasureEntry:
    """A practice or cover that is not in the plan, and what it would bring."""

    kind: Literal["practice", "cover"]
    name: str
    place: Annotated[str, _about("Drainage area of a practice, phase of a cover")]
    value: Annotated[float, _about("Efficiency of a practice, C of a cover")]
    size: Annotated[str, _about("Size that earns the credit, or the ground that is covered")]
    conditions: str
    source: str
    status: str
    tons_per_acre_per_year: Annotated[float, _about("The governing figure with it")]
    place_tons_per_acre_per_year: Annotated[float, _about("The figure of its drainage area with it")]
    suffices: Annotated[bool, _about("Whether the limit is met with it alone")]


@dataclass(frozen=True, slots=True)
class MeasuresEntry:
    """What would bring the site under the limit."""

    one_at_a_time: Annotated[list[MeasureEntry], _about("Those that bring most first")]
    fewest: Annotated[list[MeasureEntry] | None, _about("Null: all of them together do not suffice")]
    fewest_tons_per_acre_per_year: Annotated[float, _about("With these; with all where fewest is null")]
    proven_fewest: Annotated[bool, _about("Whether every smaller set was tried")]
    worked_ground: Annotated[
        Literal["left out", "needed", "none"],
        _about("Covers on ground that is worked: taken among the fewest only where nothing else suffices"),
    ]
    left_out: Annotated[list[str], _about("What was not proposed, and why")]


@dataclass(frozen=True, slots=True)
class FactEntry:
    """A draft fact for the written explanation."""

    topic: str
    text: str
    known: Annotated[bool, _about("Whether the calculation gives it; else the responsible party states it")]


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """A line of the timetable of land-disturbing activities."""

    activity: str
    start: str
    end: str
    acres: float
    units: list[str]


@dataclass(frozen=True, slots=True)
class CreditEntry:
    """What limiting the duration and the area of disturbance saves, against all ground open all the time."""

    drainage_area: Annotated[str | None, _about("Null: the site as a whole")]
    tons: float
    reference_tons: float
    saved_by_area: Annotated[float, _about("Tons that units would add open before their own disturbance")]
    saved_by_duration: Annotated[float, _about("Tons that units would add open after their final stabilization")]
    reference_acres: Annotated[float, _about("All ground disturbed at some time")]
    reference_figure: Annotated[
        float | None,
        _about("Worst 12 months over these acres, tons/acre; counts only by a reviewer's override; null without acres"),
    ]
    window_start: str
    window_end: str
