"""From the plain data of a site file to the models, with every mistake of shape and type at once.

Where a part has a mistake, its other fields are kept (the faulty ones become None), so that `sedcalc.site.checks`
can go on and report what is wrong with the rest of the file in the same run.
"""

import difflib
import re
from collections.abc import Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from sedcalc.findings import Finding, InputError, count_of
from sedcalc.limits import refuse_over
from sedcalc.site.fields import Part
from sedcalc.site.submission import FORMAT, Cover, Drained, Site, SurfaceCondition

_MAX_SHOWN = 60
_MOST_MISTAKES = 3_000
_BARE_TEXT: dict[type[BaseModel], str] = {Cover: "name", SurfaceCondition: "name", Drained: "id"}
"""Tables that can be written as a bare text, and the field that it stands for."""

_QUANTITY = re.compile(r"\s*[+-]?[\d,]*\.?\d+\s*\D+")


def parse_site(data: object) -> tuple[Site | None, list[Finding]]:
    """Return the site that plain data describe, and the findings on their shape and type.

    Parameters
    ----------
    data
        What a TOML or JSON parser returned.

    Returns
    -------
    tuple
        The site (None where the data are no table at all; with None in the place of faulty fields where there are
        findings), and the findings, each of severity ``error``.
    """
    if not isinstance(data, dict):
        return None, [
            Finding(
                "not-a-site",
                "error",
                f"a site file holds a table of fields, not {_shown(data)}; `sedcalc new` writes one to begin with",
                "(file)",
            )
        ]
    too_much = _too_much(data)
    if too_much:
        return None, too_much
    try:
        return Site.model_validate(data), []
    except ValidationError as error:
        mistakes = [e for e in error.errors() if not _only_items_failed(e["type"], e["input"], e.get("ctx") or {})]
        shown = mistakes[:_MOST_MISTAKES]
        findings = [_finding(e["type"], e["loc"], e["input"], e["msg"], e.get("ctx") or {}) for e in shown]
        if len(mistakes) > len(shown):
            more = f"and {count_of(len(mistakes) - len(shown), 'more mistake')} of form; correct these first"
            findings.append(Finding("more-mistakes", "error", more, "(file)"))
            return None, list(dict.fromkeys(findings))
        meant = {path for f in findings if f.code == "unknown-field" for path in near_paths(str(f.where))}
        kept = [f for f in findings if f.code != "missing-field" or f.where not in meant]
        return _partial(Site, data), list(dict.fromkeys(kept))


def _too_much(data: Mapping[Any, Any]) -> list[Finding]:
    """What goes beyond the limits on lists and rows; said before anything is made of the data."""
    found: list[Finding] = []

    def check(limit: str, amount: int, where: str) -> None:
        try:
            refuse_over(limit, amount, where)
        except InputError as error:
            found.extend(error.findings)

    for name, value in data.items():
        if isinstance(value, list):
            check("site_parts", len(value), str(name)[:_MAX_SHOWN])
    phases, claims = data.get("phases"), data.get("claims")
    units = [p.get("units") for p in phases if isinstance(p, dict)] if isinstance(phases, list) else []
    check("site_rows", sum(len(u) for u in units if isinstance(u, list)), "phases")
    practices = data.get("practices")
    if isinstance(practices, list):
        check("site_practices", len(practices), "practices")
        drained = [p.get("drainage_areas") for p in practices if isinstance(p, dict)]
        check("site_rows", sum(len(d) for d in drained if isinstance(d, list)), "practices")
    rows = claims.get("rows") if isinstance(claims, dict) else None
    check("site_rows", len(rows) if isinstance(rows, list) else 0, "claims.rows")
    return found


def path_text(loc: tuple[int | str, ...]) -> str:
    """Return the path of a field as people write it: ``phases[1].start``."""
    text = ""
    for step in loc:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text or "(file)"


def _partial(model: type[BaseModel], data: Mapping[str, Any]) -> Any:
    """Build the model from the fields that hold, with None for the others."""
    values: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        inner, many = _inner_model(field.annotation)
        raw = data.get(name)
        if name not in data:
            values[name] = None if field.is_required() else field.get_default(call_default_factory=True)
        elif inner is not None and many and isinstance(raw, list):
            values[name] = tuple(_partial_item(inner, item) for item in raw)
        elif inner is not None and not many and isinstance(raw, dict | str):
            values[name] = _partial_item(inner, raw)
        else:
            try:
                kept: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
                values[name] = TypeAdapter(kept).validate_python(raw, strict=not many)
            except ValidationError:
                values[name] = None if field.is_required() else field.get_default(call_default_factory=True)
    return model.model_construct(None, **values)


def _partial_item(model: type[BaseModel], item: Any) -> Any:
    if isinstance(item, str) and model in _BARE_TEXT:
        item = {_BARE_TEXT[model]: item}
    return _partial(model, item) if isinstance(item, dict) else None


def _inner_model(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """Return the model inside an annotation, and whether it is a sequence of them."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return annotation, False
    many = get_origin(annotation) is tuple
    for arg in get_args(annotation):
        inner, inner_many = _inner_model(arg)
        if inner is not None:
            return inner, many or inner_many
    return None, many


def _shown(value: object) -> str:
    words = {True: "true", False: "false", None: "nothing"}
    if value is None or isinstance(value, bool):
        return words[value]
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."


def _finding(kind: str, loc: tuple[int | str, ...], value: object, message: str, ctx: dict[str, Any]) -> Finding:
    where = path_text(loc)
    shown = _shown(value)
    match kind:
        case "missing":
            return Finding(
                "missing-field", "error", f"the field is required and not there; add it{_wanted(loc)}", where
            )
        case "extra_forbidden":
            near = _near(loc)
            hint = f"; did you mean {' or '.join(near)}?" if near else "; `sedcalc schema` lists the fields"
            return Finding("unknown-field", "error", f"{loc[-1]!r} is no field of this table{hint}", where)
        case "float_type" | "int_type":
            return Finding("not-a-number", "error", f"{shown} is not {_number_wanted(kind, value)}", where)
        case "finite_number":
            text = f"{shown} is not a finite number; write one, or leave out what is not known"
            return Finding("not-finite", "error", text, where)
        case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
            words = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
            limit = " and ".join(f"{words[k]} {v:g}" for k, v in ctx.items() if k in words)
            return Finding("out-of-range", "error", f"{shown} is out of range; write a value that is {limit}", where)
        case "literal_error":
            if loc == ("format",):
                text = f'{shown} is not a format this version reads; write format = "{FORMAT}"'
            else:
                text = f"{shown} is none of the choices; write {ctx.get('expected', '')}"
            return Finding("not-a-choice", "error", text, where)
        case "date_out_of_range":
            return Finding("date-out-of-range", "error", message, where)
        case "value_error":
            return Finding("bad-value", "error", str(ctx.get("error", message)), where)
        case "string_type":
            return Finding("not-a-text", "error", f"{shown} is not a text; put it in quotes", where)
        case "string_too_short":
            return Finding("empty-value", "error", f"{shown} is empty; write a text", where)
        case "too_short":
            least, length = ctx.get("min_length", 1), ctx.get("actual_length", 0)
            said = f"the list has {length} of at least {count_of(least, 'item')}" if length else "the list is empty"
            return Finding("empty-value", "error", f"{said}; add what is missing", where)
        case "string_too_long":
            text = f"{shown} has {count_of(len(str(value)), 'character')}; shorten it to {ctx.get('max_length', 0):,}"
            return Finding("bad-value", "error", text, where)
        case "too_long":
            text = f"the list has over {ctx.get('max_length', 0):,} items; leave that many at most"
            return Finding("bad-value", "error", text, where)
        case "bool_type":
            return Finding("bad-value", "error", f"{shown} is neither true nor false; write one of them", where)
        case "model_type" | "dict_type" | "model_attributes_type":
            text = f"{shown} stands where a table of fields is expected; give its fields{_fields_hint(loc)}"
            return Finding("not-a-table", "error", text, where)
        case "tuple_type" | "list_type":
            return Finding("not-a-list", "error", f"{shown} stands where a list is expected; put it in [ ]", where)
        case _:
            text = f"{shown} does not fit ({message.lower()}); `sedcalc schema` says what does"
            return Finding("bad-value", "error", text, where)


def near_paths(where: str) -> list[str]:
    """Return the paths of the fields that an unknown field may stand for.

    Parameters
    ----------
    where
        Path of the unknown field.
    """
    steps = re.findall(r"\[(\d+)\]|([^.\[\]]+)", where)
    loc = tuple(int(index) if index else name for index, name in steps)
    return [path_text((*loc[:-1], name)) for name in _near(loc)]


def _near(loc: tuple[int | str, ...]) -> list[str]:
    return difflib.get_close_matches(str(loc[-1]), list(_model_fields(loc[:-1])), n=3) if loc else []


def _number_wanted(kind: str, value: object) -> str:
    """Return in words which number was wanted, and how to write it."""
    what = "a whole number" if kind == "int_type" else "a number"
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            alone = _QUANTITY.fullmatch(value) is not None
            return f"{what}; write {'the number alone, the unit is that of the site' if alone else 'one'}"
        return f"{what}; write it without quotes"
    return f"{what}; write one"


def _fields_hint(loc: tuple[int | str, ...]) -> str:
    required = [name for name, field in _model_fields(loc).items() if field.is_required()]
    return f" ({', '.join(required)}, ...)" if required else ""


def _only_items_failed(kind: str, value: object, ctx: dict[str, Any]) -> bool:
    """Whether a list is called too short only because its items have mistakes, which are reported themselves."""
    return kind == "too_short" and isinstance(value, list) and len(value) >= ctx.get("min_length", 0)


def _model_at(loc: tuple[int | str, ...]) -> type[BaseModel] | None:
    model: type[BaseModel] | None = Site
    for step in loc:
        if isinstance(step, int) or model is None:
            continue
        field = model.model_fields.get(step)
        model = _inner_model(field.annotation)[0] if field else None
    return model


def _model_fields(loc: tuple[int | str, ...]) -> dict[str, Any]:
    model = _model_at(loc)
    return dict(model.model_fields) if model else {}


def _wanted(loc: tuple[int | str, ...]) -> str:
    if loc == ("format",):
        return f': format = "{FORMAT}"'
    model = _model_at(loc[:-1])
    field = model.model_fields.get(str(loc[-1])) if model else None
    return f" ({field.description})" if field and field.description else ""
