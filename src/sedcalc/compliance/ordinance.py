"""Ordinances as data: one TOML file each, with every number, clause, exemption and plan item as it stands in the code.

A new village is a new file, in ``data/ordinances`` or anywhere a site names it; no code changes.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from sedcalc.compliance.toml_fields import (
    Reader,
    flag,
    identifier,
    month_day,
    not_negative,
    one_of,
    positive,
    text,
    texts,
)
from sedcalc.findings import InputError, input_error
from sedcalc.io.gdal_guard import site_file
from sedcalc.io.site_files import parse_toml, read_bytes
from sedcalc.tables import data_folder, near_names, ordinance_names

FIGURES: Final = ("worst_12_months", "average_year")
"""The annual figure a limit is compared with."""

SCOPES: Final = ("each_drainage_area", "site")
"""What must meet the limit: every drainage area by itself, or the site as a whole."""

UNITS: Final = (
    "tons/acre/year",
    "acre",
    "ft2",
    "yd3",
    "ft",
    "in",
    "mile",
    "ft/in",
    "percent",
    "h",
    "calendar day",
    "business day",
    "working day",
)
_DAYS: Final = ("calendar day", "business day", "working day")
_MOST_DAYS: Final = 36_525  # a century: no deadline of a code is longer
_UNITS_TAKEN: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("review", "review_after_information", "deemed_approval"), _DAYS),
    **dict.fromkeys(("permit_duration", "permit_extension", "inspection_interval", "idle", "stockpile_age"), _DAYS),
    **dict.fromkeys(("steep_slope", "final_cover"), ("percent",)),
    "inspection_rain": ("in",),
    "inspection_after_rain": ("h",),
    "map_scale": ("ft/in",),
    "contour_interval": ("ft",),
}
"""Units in which the calculation takes the numbers that it knows by name."""

COMPARISONS: Final = ("<", "<=", ">", ">=")

TOLERANCE: Final = 1e-9
"""Relative: a quantity this close to a number of the code is that number; rounding of the arithmetic never decides."""

QUANTITIES: Final = ("disturbed_area", "common_plan_area", "addition_area", "earth_volume", "pipe_length")
"""What of a site a number that bounds a provision is compared with."""

ANSWERS: Final = (
    "applicant",
    "areas",
    "calculation",
    "groundwater",
    "map",
    "percent_reduction",
    "receiving_water",
    "runoff_coefficient",
    "schedule",
    "soils_data",
)
"""What in a submission, or in the calculation, can answer a plan item; other items are stated by the applicant."""

CHECKS: Final = (
    "percent_reduction",
    "calculation",
    "practices_before_disturbance",
    "practices_until_stabilization",
    "practices_removed",
    "stabilization_at_final_grade",
    "idle",
    "stockpiles",
    "steep_slopes",
    "treatment_before_waters",
    "mep_explanation",
    "mep_factors",
    "final_stabilization",
    "soil_loss_method",
    "state_method",
    "approved_method",
    "credit",
    "common_plan",
    "plan",
    "statement",
    "amendment",
    "permit",
    "review",
    "inspection",
    "business_day",
    "completion",
)
"""The checks that cite a clause; an ordinance need not have all."""

_SECTIONS: Final = (
    "standard",
    "no_standard",
    "numbers",
    "dates",
    "applicability",
    "exemptions",
    "plan_items",
    "mep_factors",
    "clauses",
    "clauses_below_area",
    "notes",
)
_DECIDED_BY: Final = ("applicant", "reviewer")
_PROVISION_FLAGS: Final = ("any_site", "except_common_plan", "statement_only")
_UNITS_OF: Final = {
    "disturbed_area": ("acre", "ft2"),
    "common_plan_area": ("acre", "ft2"),
    "addition_area": ("acre", "ft2"),
    "earth_volume": ("yd3",),
    "pipe_length": ("ft", "mile"),
}


@dataclass(frozen=True, slots=True)
class OrdinanceNumber:
    """A number of the code that a calculation or a schedule can be checked against.

    Parameters
    ----------
    id
        Name within the ordinance.
    value, unit
        The number, and one of `UNITS`.
    comparison
        How the quantity compares with `value` where the clause applies or is kept: ``"<"``, ``"<="``, ``">"``,
        ``">="``.
    role
        ``"applies"``: the clause applies when the comparison holds; ``"requires"``: it is kept when it holds.
    clause
        As printed.
    text
        The words of the code.
    quantity
        One of `QUANTITIES`, for a number that bounds a provision; None for others.
    """

    id: str
    value: float
    unit: str
    comparison: str
    role: str
    clause: str
    text: str
    quantity: str | None = None

    def holds(self, quantity: float) -> bool:
        """Whether ``quantity <comparison> value``; the quantity is in `unit`, and equal to `value` within `TOLERANCE`.

        Examples
        --------
        "of one acre or more" (445-6.9) holds at one acre, "greater than 100 square feet" (445-6.8E) not at 100:

        >>> numbers = load_ordinance("hales_corners_445").numbers
        >>> numbers["standard_area"].holds(1.0), numbers["addition_area"].holds(100.0)
        (True, False)

        Ten tenths of an acre are an acre, though their sum in binary is not:

        >>> numbers["standard_area"].holds(sum([0.1] * 10))
        True
        """
        if abs(quantity - self.value) <= TOLERANCE * self.value:
            quantity = self.value
        return {
            "<": quantity < self.value,
            "<=": quantity <= self.value,
            ">": quantity > self.value,
            ">=": quantity >= self.value,
        }[self.comparison]


@dataclass(frozen=True, slots=True)
class Standard:
    """The numeric standard on sediment load.

    Parameters
    ----------
    limit
        Largest load, short tons/acre/year; the standard is met at the limit itself.
    unit
        ``"tons/acre/year"``.
    clause, text
        Clause as printed, and its words.
    figure
        One of `FIGURES`.
    scope
        One of `SCOPES`.
    applies_from_acres
        Area of the common plan, acres, from which (included) the standard applies; 0 where it has no threshold.
    applies_clause
        Clause of that area.
    steep_slope_decisive
        Whether slopes beyond the soil-loss method make the ruling "cannot be determined" instead of a finding.
    below_clause
        Clause of the performance standard below that area; None where the code has none.
    """

    limit: float
    unit: str
    clause: str
    text: str
    figure: str
    scope: str
    applies_from_acres: float
    applies_clause: str
    steep_slope_decisive: bool
    below_clause: str | None = None


@dataclass(frozen=True, slots=True)
class NoStandard:
    """Why no numeric standard on sediment load applies: the reason in plain words, and the clause."""

    reason: str
    clause: str


@dataclass(frozen=True, slots=True)
class Provision:
    """Whom the code covers or exempts.

    Parameters
    ----------
    id
        Name within the ordinance.
    text, clause
        Words of the code, and clause as printed.
    decided_by
        ``"applicant"``: the applicant states it; ``"reviewer"``: the administrator determines it.
    numbers
        Names of the numbers that bound it.
    any_site
        Whether it covers every site on which land is disturbed.
    except_common_plan
        Whether an exemption leaves out what is part of a larger common plan.
    statement_only
        Whether sites under it need a plan statement in place of a plan.
    """

    id: str
    text: str
    clause: str
    decided_by: str
    numbers: tuple[str, ...] = ()
    any_site: bool = False
    except_common_plan: bool = False
    statement_only: bool = False


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One thing that a plan must hold.

    Parameters
    ----------
    part, clause, text
        Part of the plan, clause as printed, words of the code.
    answered_by
        One of `ANSWERS`; None where only the applicant can say that the plan has it.
    with_standard
        Whether it is asked only where the numeric standard applies.
    """

    part: str
    clause: str
    text: str
    answered_by: str | None = None
    with_standard: bool = False


@dataclass(frozen=True, slots=True)
class MepFactor:
    """One thing that a claim of "maximum extent practicable" must take into account, in the words of the code."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CodeDate:
    """A day of the year that the code names: month and day, clause as printed, words of the code."""

    id: str
    month: int
    day: int
    clause: str
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """What a reader of the code must know: how a conflict or a misprint in it is read."""

    clause: str
    text: str


@dataclass(frozen=True, slots=True)
class Ordinance:
    """An erosion-control ordinance.

    Parameters
    ----------
    id, title, place
        Name of the file's ordinance, title of the code, municipality.
    text_source
        Which text was read: edition and amendments.
    sha256
        SHA-256 of the file's bytes, hexadecimal.
    standard, no_standard
        Exactly one of them: the numeric standard, or why there is none.
    numbers
        Numbers by id; with a standard also ``sediment_load`` and ``standard_area``.
    dates
        Days of the year by id.
    applicability, exemptions
        Whom the code covers, and whom not.
    plan_items
        What a plan must hold, in the order of the code.
    mep_factors
        What a claim of "maximum extent practicable" must take into account.
    clauses, clauses_below_area
        Clause of each check in `CHECKS`; the second map holds those that differ below the standard's area.
    notes
        How conflicts in the code are read.
    """

    id: str
    title: str
    place: str
    text_source: str
    sha256: str
    standard: Standard | None
    no_standard: NoStandard | None
    numbers: Mapping[str, OrdinanceNumber]
    dates: Mapping[str, CodeDate]
    applicability: tuple[Provision, ...]
    exemptions: tuple[Provision, ...]
    plan_items: tuple[PlanItem, ...]
    mep_factors: tuple[MepFactor, ...]
    clauses: Mapping[str, str]
    clauses_below_area: Mapping[str, str]
    notes: tuple[Note, ...]

    def clause(self, check: str, acres: float | None = None) -> str | None:
        """Return the clause that a check rests on, as printed; None where the code has none.

        Parameters
        ----------
        check
            One of `CHECKS`.
        acres
            Area of the common plan: below the standard's area some checks rest on other clauses.

        Raises
        ------
        KeyError
            If `check` is none of `CHECKS`.
        """
        if check not in CHECKS:
            raise KeyError(check)
        below = acres is not None and self.standard is not None and not self.numbers["standard_area"].holds(acres)
        clauses = {**self.clauses, **self.clauses_below_area} if below else self.clauses
        return clauses.get(check)

    def exemption(self, id: str, where: str | None = None) -> Provision:
        """Return the exemption of that id.

        Raises
        ------
        InputError
            If the code has none of that id; the message lists those it has.
        """
        found = next((e for e in self.exemptions if e.id == id), None)
        if found is None:
            known = ", ".join(e.id for e in self.exemptions) or "none"
            raise input_error("unknown-exemption", f"unknown exemption {id!r} of {self.id}; it has: {known}", where)
        return found


def load_ordinance(ordinance: str | Path, folder: Path | None = None, where: str | None = None) -> Ordinance:
    """Return an ordinance by name, or from a file of the same form.

    Parameters
    ----------
    ordinance
        One of `ordinance_names`, or the path of a ``.toml`` file.
    folder
        Folder of the site that names the ordinance: a file must lie in it. None: any file on this machine.
    where
        Path of the field it came from, for messages.

    Returns
    -------
    Ordinance
        Every number, clause, exemption and plan item of the code.

    Raises
    ------
    InputError
        If there is no such ordinance, or the file cannot be read or breaks the form; all mistakes in a file are
        reported at once with their paths.

    Examples
    --------
    445-6.9C(2)(a), "no more than five tons per acre per year":

    >>> load_ordinance("hales_corners_445").standard.limit
    5.0
    """
    if isinstance(ordinance, str) and ordinance in ordinance_names():
        return _shipped(ordinance)
    path = Path(ordinance)
    if path.suffix != ".toml":
        near = near_names(str(ordinance), ordinance_names())
        hint = f"; near: {', '.join(near)}" if near else ""
        raise input_error(
            "unknown-ordinance",
            f"unknown ordinance {str(ordinance)!r}{hint}; there are {', '.join(ordinance_names())}, "
            "or give the path of a .toml file",
            where,
        )
    if folder is not None:
        path = site_file(folder, str(ordinance), "ordinance", where or "ordinance")
    read = _read(path, where)
    if read.id in ordinance_names():
        raise input_error(
            "ordinance-id",
            f"{path.name} has the id of an ordinance that comes with sedcalc, {read.id!r}; choose another",
            where,
        )
    return read


@cache
def _shipped(name: str) -> Ordinance:
    return _read(data_folder() / "ordinances" / f"{name}.toml", None)


def _read(path: Path, where: str | None) -> Ordinance:
    try:
        data = read_bytes(path, "ordinance_bytes")
        content = parse_toml(data.decode("utf-8"), path.name)
    except InputError as error:
        raise input_error("ordinance-file", str(error), where) from None
    except UnicodeDecodeError as error:
        raise input_error("ordinance-file", f"{path.name} is not TOML: {error}", where) from None
    return _parse(content, path.name, hashlib.sha256(data).hexdigest())


def _parse(content: dict[str, Any], file: str, sha256: str) -> Ordinance:
    """Return the ordinance that a file's content describes; raise with every mistake in it."""
    r = Reader(file)
    head = {k: v for k, v in content.items() if k not in _SECTIONS}
    top = r.fields(head, "", {"id": identifier, "title": text, "place": text, "text_source": text})

    standard, standard_numbers = _standard(r, content)
    no_standard = None
    if "no_standard" in content:
        values = r.fields(
            r.table(content["no_standard"], "no_standard"), "no_standard", {"reason": text, "clause": text}
        )
        no_standard = NoStandard(**values) if values else None
    if ("standard" in content) == ("no_standard" in content):
        r.fault("standard", "exactly one of [standard] and [no_standard] is required")

    numbers = {**standard_numbers, **_numbers(r, content)}
    dates = _dates(r, content)
    applicability = _provisions(r, content, "applicability", numbers)
    exemptions = _provisions(r, content, "exemptions", numbers)
    plan_items = []
    for path, item in r.tables(content.get("plan_items", []), "plan_items"):
        optional = {"answered_by": (one_of(ANSWERS), None), "with_standard": (flag, False)}
        if values := r.fields(item, path, {"part": text, "clause": text, "text": text}, optional):
            plan_items.append(PlanItem(**values))
    for i, plan_item in enumerate(plan_items):
        if plan_item in plan_items[:i]:
            r.fault(f"plan_items[{i}]", f"{plan_item.clause} stands there already with the same text")
    notes = []
    for path, note in r.tables(content.get("notes", []), "notes"):
        if values := r.fields(note, path, {"clause": text, "text": text}):
            notes.append(Note(**values))
    mep_factors = r.table(content.get("mep_factors", {}), "mep_factors")
    mep_checked = r.fields(mep_factors, "mep_factors", dict.fromkeys(mep_factors, text)) or {}
    clauses = {
        name: r.fields(r.table(content.get(name, {}), name), name, {}, dict.fromkeys(CHECKS, (text, None))) or {}
        for name in ("clauses", "clauses_below_area")
    }
    if r.faults or top is None:
        raise InputError(r.faults)
    return Ordinance(
        **top,
        sha256=sha256,
        standard=standard,
        no_standard=no_standard,
        numbers=numbers,
        dates=dates,
        applicability=applicability,
        exemptions=exemptions,
        plan_items=tuple(plan_items),
        mep_factors=tuple(MepFactor(id, words) for id, words in mep_checked.items()),
        clauses={k: v for k, v in clauses["clauses"].items() if v},
        clauses_below_area={k: v for k, v in clauses["clauses_below_area"].items() if v},
        notes=tuple(notes),
    )


def _standard(r: Reader, content: dict[str, Any]) -> tuple[Standard | None, dict[str, OrdinanceNumber]]:
    """Return the standard, and its limit and area as numbers like the others."""
    if "standard" not in content:
        return None, {}
    values = r.fields(
        r.table(content["standard"], "standard"),
        "standard",
        {
            "limit": positive,
            "unit": one_of(("tons/acre/year",)),
            "clause": text,
            "text": text,
            "figure": one_of(FIGURES),
            "scope": one_of(SCOPES),
            "applies_from_acres": not_negative,
            "applies_clause": text,
            "applies_text": text,
        },
        {"steep_slope_decisive": (flag, False), "below_clause": (text, None)},
    )
    if values is None:
        return None, {}
    applies_text = values.pop("applies_text")
    standard = Standard(**values)
    load = OrdinanceNumber(
        "sediment_load", standard.limit, standard.unit, "<=", "requires", standard.clause, standard.text
    )
    area = OrdinanceNumber(
        "standard_area",
        standard.applies_from_acres,
        "acre",
        ">=",
        "applies",
        standard.applies_clause,
        applies_text,
        "common_plan_area",
    )
    return standard, {load.id: load, area.id: area}


def _numbers(r: Reader, content: dict[str, Any]) -> dict[str, OrdinanceNumber]:
    numbers = {}
    for id, path, number in r.named_tables(content.get("numbers", {}), "numbers"):
        if id in ("sediment_load", "standard_area"):
            r.fault(path, "this number stands in [standard]")
        values = r.fields(
            number,
            path,
            {
                "value": not_negative,
                "unit": one_of(UNITS),
                "comparison": one_of(COMPARISONS),
                "role": one_of(("applies", "requires")),
                "clause": text,
                "text": text,
            },
            {"quantity": (one_of(QUANTITIES), None)},
        )
        if values and values["quantity"] and values["unit"] not in _UNITS_OF[values["quantity"]]:
            units = ", ".join(_UNITS_OF[values["quantity"]])
            r.fault(f"{path}.unit", f"{values['quantity']} is in one of {units}")
        if values:
            for field, message in _unusable(id, values["unit"], values["value"]):
                r.fault(f"{path}.{field}", message)
            numbers[id] = OrdinanceNumber(id, **values)
    return numbers


def _unusable(id: str, unit: str, value: float) -> Iterator[tuple[str, str]]:
    """Yield why the calculation cannot use a number: the field, and the reason."""
    taken = _UNITS_TAKEN.get(id, UNITS)
    if unit not in taken:
        yield "unit", f"the calculation takes {id} in {' or '.join(taken)}"
    if unit in _DAYS and not (value.is_integer() and 1 <= value <= _MOST_DAYS):
        yield "value", f"a whole number of days from 1 to {_MOST_DAYS:,} is required"
    if unit == "h" and not 0 < value <= 24 * _MOST_DAYS:
        yield "value", f"a number of hours above 0, up to {24 * _MOST_DAYS:,}, is required"


def _dates(r: Reader, content: dict[str, Any]) -> dict[str, CodeDate]:
    dates = {}
    for id, path, date in r.named_tables(content.get("dates", {}), "dates"):
        values = r.fields(date, path, {"month_day": month_day, "clause": text, "text": text})
        if values:
            month, day = values["month_day"]
            dates[id] = CodeDate(id, month, day, values["clause"], values["text"])
    return dates


def _provisions(
    r: Reader, content: dict[str, Any], section: str, numbers: Mapping[str, OrdinanceNumber]
) -> tuple[Provision, ...]:
    declared = content.get("numbers", {})
    known = {*numbers, *(declared if isinstance(declared, dict) else ())}
    if "standard" in content:
        known |= {"sediment_load", "standard_area"}
    provisions: list[Provision] = []
    for path, provision in r.tables(content.get(section, []), section):
        values = r.fields(
            provision,
            path,
            {"id": identifier, "text": text, "clause": text, "decided_by": one_of(_DECIDED_BY)},
            {"numbers": (texts, ()), **dict.fromkeys(_PROVISION_FLAGS, (flag, False))},
        )
        if values is None:
            continue
        for name in values["numbers"]:
            if name not in known:
                r.fault(f"{path}.numbers", f"there is no number {name!r}; there are {', '.join(sorted(known))}")
            elif name in numbers and numbers[name].quantity is None:
                message = f"number {name!r} bounds a provision and needs quantity: one of {', '.join(QUANTITIES)}"
                r.fault(f"{path}.numbers", message)
        if any(p.id == values["id"] for p in provisions):
            r.fault(f"{path}.id", f"{values['id']!r} stands there already")
        provisions.append(Provision(**values))
    return tuple(provisions)
