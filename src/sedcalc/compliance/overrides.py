"""Overrides: decisions of the reviewing side that the ruling follows, and those that an applicant states.

What the submission itself states never changes a ruling. The reviewer's come apart from it: from a file of their own
(`read_overrides`), or as objects.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from sedcalc.findings import Finding, InputError, input_error
from sedcalc.io.site_files import parse_json, parse_toml, read_bytes
from sedcalc.load.load_table import SedimentLoad
from sedcalc.site.claims import Override
from sedcalc.site.fields import Part

_FIELDS = "an override has kind, what, who, why, and may have date and clause"


class RulingOverride(Override):
    """A decision of the administrator that the ruling follows: what is accepted, who decided, and why."""

    kind: Annotated[
        Literal["reference_figure"],
        Field(description="The figure on the reference acreage counts: the credit for limiting area"),
    ]


class _OverridesFile(Part):
    overrides: Annotated[tuple[RulingOverride, ...], Field(strict=False, max_length=100)]


def read_overrides(path: str | Path) -> tuple[RulingOverride, ...]:
    """Return the overrides of a reviewer's file.

    Parameters
    ----------
    path
        A TOML or JSON file with an array of tables ``overrides``, each with `kind`, `what`, `who`, `why`, and if
        wanted `date` and `clause`; as `RulingOverride`.

    Returns
    -------
    tuple of RulingOverride
        For `sedcalc.check_compliance` and `sedcalc.verify`.

    Raises
    ------
    InputError
        With every mistake.

    Examples
    --------
    The one kind that there is:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "override.toml"
    ...     written = path.write_text(
    ...         '[[overrides]]\\nkind = "reference_figure"\\nwhat = "the reference acreage counts"\\n'
    ...         'who = "village administrator"\\nwhy = "the two halves are never open together"'
    ...     )
    ...     read_overrides(path)[0].kind
    'reference_figure'
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (".toml", ".json"):
        raise input_error(
            "unknown-format", f"{kind or 'no'} ending; overrides stand in a .toml or .json file", str(path)
        )
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise input_error("not-parsed", "not UTF-8 text; save it as UTF-8", str(path)) from None
    content = parse_toml(text, str(path)) if kind == ".toml" else parse_json(text, str(path))
    try:
        found = _OverridesFile.model_validate(content).overrides
    except ValidationError as error:
        raise InputError(_mistake(path.name, e["type"], e["loc"], e["msg"]) for e in error.errors()) from None
    if not found:
        raise input_error("override-fault", f"holds no override; {_FIELDS}", f"{path.name}: overrides")
    return found


def require_effect(overrides: Sequence[Override], load: SedimentLoad, figure: str | None, applies: bool) -> bool:
    """Return whether the reference figure counts.

    Parameters
    ----------
    overrides
        The reviewer's.
    load
        Load of the site.
    figure
        Kind of figure that the ordinance limits; None where it has no limit.
    applies
        Whether the limit applies to the site.

    Raises
    ------
    InputError
        If an override says so where no such figure can count.
    """
    if not any(isinstance(o, RulingOverride) for o in overrides):
        return False
    if figure != "worst_12_months":
        said = "has no numeric limit" if figure is None else "limits the average year, not the worst 12 months"
        message = f"the ordinance {said}, so that no reference figure can count; leave the override out"
        raise input_error("override-without-effect", message, "overrides")
    if not applies:
        message = "the limit does not apply to this site, so that no figure counts; leave the override out"
        raise input_error("override-without-effect", message, "overrides")
    if all(math.isnan(f) for f in load.credit.reference_figure.tolist()):
        message = "no acre counts, so that there is no reference figure; leave the override out"
        raise input_error("override-without-effect", message, "overrides")
    return True


def override_findings(load: SedimentLoad, overrides: Sequence[Override], effect: str) -> Iterator[Finding]:
    """Yield what a reader must know of overrides: those of the reviewer, then those that the applicant states.

    Parameters
    ----------
    load
        Load of the site.
    overrides
        The reviewer's.
    effect
        What those that the ruling follows change, in words.
    """
    for override in overrides:
        follows = isinstance(override, RulingOverride)
        code = "override-in-force" if follows else "override-on-record"
        said = f"{_said(override)}. {effect}" if follows else f"{_said(override)}. It changes no figure"
        yield Finding(code, "warning", f"by override: {said}", "tons_per_acre_per_year", override.clause)
    for i, override in enumerate(load.site.claims.overrides if load.site.claims else ()):
        message = (
            f"the submission states a decision: {_said(override)}. It is the applicant's statement and changes "
            "nothing; a reviewer's override is supplied apart from the submission"
        )
        yield Finding("override-stated-by-applicant", "warning", message, f"claims.overrides[{i}]", override.clause)


def _said(override: Override) -> str:
    when = "" if override.date is None else f", {override.date.isoformat()}"
    return f"{override.what} ({override.who}{when}: {override.why})"


def _mistake(file: str, kind: str, loc: tuple[int | str, ...], said: str) -> Finding:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")
    words: dict[str, Any] = {"missing": "is missing", "extra_forbidden": "is not known"}
    message = f"{words.get(kind, said[:1].lower() + said[1:])}; {_FIELDS}"
    return Finding("override-fault", "error", message, f"{file}: {path or '(file)'}")
