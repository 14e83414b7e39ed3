"""Ordinances as data: one TOML file each, with every number, clause, exemption and plan item as it stands in the code.

A new village is a new file, in ``data/ordinances`` or anywhere a site names it; no code changes.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from sedcalc.compliance.ordinance_parts import (
    ANSWERS,
    CHECKS,
    COMPARISONS,
    FIGURES,
    QUANTITIES,
    SCOPES,
    TOLERANCE,
    UNITS,
    CodeDate,
    MepFactor,
    NoStandard,
    Note,
    Ordinance,
    OrdinanceNumber,
    PlanItem,
    Provision,
    Standard,
    item_ids,
)
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

__all__ = [
    "ANSWERS",
    "CHECKS",
    "COMPARISONS",
    "FIGURES",
    "QUANTITIES",
    "SCOPES",
    "TOLERANCE",
    "UNITS",
    "CodeDate",
    "MepFactor",
    "NoStandard",
    "Note",
    "Ordinance",
    "OrdinanceNumber",
    "PlanItem",
    "Provision",
    "Standard",
    "load_ordinance",
]

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
    plan_items = [replace(item, id=id) for item, id in zip(plan_items, item_ids(plan_items), strict=True)]
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
