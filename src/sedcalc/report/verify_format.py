"""The shape of a verification's JSON, ``sedcalc.verify/1``: its JSON Schema is derived from these classes.

What is undefined is null. The computed numbers in full are those of a run (``sedcalc.run/1``); an audit record holds
both.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from sedcalc.report.run_format import FindingEntry

VERIFY_FORMAT: Final = "sedcalc.verify/1"


def _about(text: str) -> Any:
    return Field(description=text)


@dataclass(frozen=True, slots=True)
class ValueEntry:
    """A claimed value beside the computed one."""

    where: Annotated[str, _about("Path of the claim in the submission")]
    quantity: str
    phase: Annotated[str | None, _about("Null: the site as a whole")]
    unit: str | None
    drainage_area: str | None
    claimed: Annotated[float | str, _about("A text for the verdict")]
    printed: Annotated[str, _about("The claim's digits")]
    computed: Annotated[float | str | None, _about("Null where the calculation has no such value")]
    difference: Annotated[float | None, _about("Claimed less computed")]
    ratio: Annotated[float | None, _about("Claimed over computed; null where it is undefined")]
    tolerance: Annotated[float | None, _about("Largest difference that passes; null for the verdict")]
    passed: Annotated[bool | None, Field(serialization_alias="pass", description="Null where it cannot be determined")]
    explanations: Annotated[list[str], _about("Why it differs, in words; empty where it holds")]


@dataclass(frozen=True, slots=True)
class ProductEntry:
    """A claimed product or sum beside what its own claimed factors or terms give."""

    where: str
    quantity: str
    phase: str | None
    unit: str | None
    drainage_area: str | None
    factors: list[str]
    claimed: float
    product: float
    tolerance: Annotated[float, _about("What the printed digits of product and factors allow")]
    passed: Annotated[bool, Field(serialization_alias="pass")]


@dataclass(frozen=True, slots=True)
class TakenEntry:
    """A factor that the calculation has from the claim itself: compared with nothing, not verified."""

    where: Annotated[str, _about("Path of the claimed row in the submission")]
    quantity: str
    phase: str | None
    unit: str | None
    drainage_area: str | None


@dataclass(frozen=True, slots=True)
class ContributionEntry:
    """What one factor adds to ln(given/computed)."""

    factor: Annotated[str, _about("Factor, or 'arithmetic', 'rounding', 'not stated'")]
    log_ratio: float
    share: Annotated[float | None, _about("1 for all of it; null where offsetting factors make shares meaningless")]


@dataclass(frozen=True, slots=True)
class AttributionEntry:
    """Which factors make a total differ, by log-mean weights over the rows."""

    quantity: str
    claimed: Annotated[float | None, _about("Null where no such total is claimed")]
    computed: float
    given: Annotated[float, _about("What is attributed: 'claimed' or, if 'implied', what the claimed factors give")]
    log_ratio: Annotated[float | None, _about("ln(given/computed); null where it is not attributed")]
    contributions: list[ContributionEntry]
    reason: Annotated[str | None, _about("Why shares, or the whole attribution, are left out")]
    note: Annotated[str | None, _about("Which window or drainage area the claimed factors would make govern")]
    implied: Annotated[bool, _about("Whether the total is not claimed, or its claim holds")]


@dataclass(frozen=True, slots=True)
class OverrideEntry:
    """A decision on record: the applicant's change nothing, the reviewer's what their kind says."""

    stated_by: Literal["applicant", "reviewer"]
    kind: Annotated[
        Literal["reference_figure"] | None, _about("The figure on the reference acreage counts; null: changes nothing")
    ]
    what: str
    who: str
    why: str
    date: str | None
    clause: str | None


@dataclass(frozen=True, slots=True)
class ComputedEntry:
    """The ruling on the computed numbers."""

    status: Literal["meets", "exceeds", "cannot_be_determined", "not_applicable"]
    reason: str
    tons_per_acre_per_year: float | None
    limit: float | None
    clause: str | None
    percent_reduction: float | None
    disturbed_acres: float


@dataclass(frozen=True, slots=True)
class VerifyEntry:
    """The result of ``sedcalc verify``."""

    format: Literal["sedcalc.verify/1"]
    status: Literal["verified", "not_verified", "cannot_be_determined"]
    reason: Annotated[str, _about("The status in a sentence")]
    findings: list[FindingEntry]
    project: str | None = None
    sentences: Annotated[list[str], _about("What differs and why, in words, most important first")] = field(
        default_factory=list
    )
    values_compared: int = 0
    values_failed: int = 0
    values: list[ValueEntry] = field(default_factory=list)
    taken_as_claimed: Annotated[
        list[TakenEntry], _about("Factors that no source but the claim gives; where there are any, nothing is verified")
    ] = field(default_factory=list)
    products: list[ProductEntry] = field(default_factory=list)
    attribution: list[AttributionEntry] = field(default_factory=list)
    tolerance_pct: Annotated[
        float | None, _about("Tolerance that the reviewer set, %; null: the printed digits decide")
    ] = None
    overrides: list[OverrideEntry] = field(default_factory=list)
    computed: ComputedEntry | None = None
    provenance: dict[str, Any] = field(default_factory=dict)


def verify_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a verification's JSON."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(VerifyEntry).json_schema(mode="serialization", by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
