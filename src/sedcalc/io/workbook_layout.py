"""How a site lies in a workbook: sheets, their columns and units, derived from the models of a site file.

A heading is the field's name in a site file, nested names joined by points, with its unit in brackets:
``area (acres)``, ``cover.C``. ``cover`` alone is the cover's name. Lists stand in one cell, divided by semicolons.
"""

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from sedcalc.site.application import Application
from sedcalc.site.claims import ROW_VALUES, TOTALS, ClaimedRow, Claims, Override
from sedcalc.site.submission import (
    Delivery,
    DrainageArea,
    GridInputs,
    GroundUnit,
    Location,
    Phase,
    Practice,
    Project,
    Segment,
    Site,
    Soil,
    Topography,
    UnitSlope,
    Window,
)

Kind = Literal["text", "number", "integer", "date", "yes/no", "printed", "texts", "numbers", "dates"]

NO_ITEMS: Final = "(none)"
"""A list that is stated to be empty; an empty cell states nothing."""

_PAIR: Final = re.compile(r"(acres|ft3/s|ft/s|ft2|ft|yd3) \| (ha|m3/s|m/s|m2|m3|m)\b")  # in a field's description
_UNITS: Final = {"length": ("ft", "m"), "authorization_days": ("days", "days"), "extension_days": ("days", "days")}
_EROSIVITY: Final = ("hundreds of ft tonf in/(ac h yr)", "MJ mm/(ha h yr)")
_ERODIBILITY: Final = ("ton ac h/(hundreds of ac ft tonf in)", "t ha h/(ha MJ mm)")
_CLAIM_UNITS: Final = {
    "tons_per_acre_per_year": "short tons/(acre yr)",
    "site_tons_per_acre_per_year": "short tons/(acre yr)",
    "percent_reduction": "%",
    "disturbed_acres": "acres",
    "acres": "acres",
    "R": _EROSIVITY[0],
    "K": _ERODIBILITY[0],
    "soil_loss_tons_per_acre": "short tons/acre",
    "discharge_tons_per_acre": "short tons/acre",
    "soil_loss_tons": "short tons",
    "delivered_tons": "short tons",
    "trapped_tons": "short tons",
    "discharge_tons": "short tons",
}
_RARE: Final = frozenset(
    {
        *("raster", "land_cover", "table", "dem", "mat", "establishes", "separates", "particle_classes"),
        *("class_efficiencies", "settling", "bypass", "ei_distribution", "R_low", "R_high", "idle", "stockpile"),
        *("silt_vfs_pct", "sand_pct", "structure", "permeability", "tolerance_pct"),
        *("fence_length", "slope_length_above", "slope_above_pct", "texture_group", "taken"),
    }
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet, or a line of a sheet of single values.

    Parameters
    ----------
    path
        Names of the fields that lead to it from its part.
    kind
        What stands in it.
    units
        Unit in US customary and in SI sites; empty: none.
    choices
        The only texts allowed, where there are any.
    what
        What it means, where the name does not say it.
    """

    path: tuple[str, ...]
    kind: Kind
    units: tuple[str, str] = ("", "")
    choices: tuple[str, ...] = ()
    what: str = ""

    @property
    def name(self) -> str:
        """Its heading, without the unit."""
        path = (
            self.path[:-1]
            if len(self.path) > 1 and self.path[-1] == "name" and self.path[0] != "project"
            else self.path
        )
        return ".".join(path)

    def unit(self, units: str) -> str:
        """Return its unit.

        Parameters
        ----------
        units
            ``us`` or ``si``.
        """
        return self.units[units == "si"]

    def heading(self, units: str) -> str:
        """Return its heading with the unit.

        Parameters
        ----------
        units
            ``us`` or ``si``.
        """
        unit = self.unit(units)
        return f"{self.name} ({unit})" if unit else self.name

    @property
    def rare(self) -> bool:
        """Whether it stands only in workbooks that need it."""
        return any(step in _RARE for step in self.path)


@dataclass(frozen=True, slots=True)
class Layout:
    """A sheet of a site's workbook.

    Parameters
    ----------
    sheet
        Its name.
    path
        Where its parts lie in a site file; empty: the site itself.
    columns
        Of a list its columns, otherwise its lines.
    many
        Whether it is a list, one row for each part.
    what
        What it holds, for the instructions.
    """

    sheet: str
    path: tuple[str, ...]
    columns: tuple[Column, ...]
    many: bool
    what: str


def _stripped(annotation: Any) -> Any:
    """Return a type without Annotated and None."""
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin in (Union, UnionType):
            annotation = next(a for a in get_args(annotation) if a is not type(None))
        else:
            return annotation


def _kind(annotation: Any) -> tuple[Kind, tuple[str, ...]]:
    if get_origin(annotation) is Literal:
        return "text", tuple(get_args(annotation))
    if get_origin(annotation) is tuple:
        inner = _stripped(get_args(annotation)[0])
        kind, choices = _kind(inner)
        lists: dict[Kind, Kind] = {"text": "texts", "number": "numbers", "date": "dates"}
        return lists[kind], choices
    kinds: dict[Any, Kind] = {str: "text", float: "number", int: "integer", bool: "yes/no", datetime.date: "date"}
    return kinds[annotation], ()


def _columns(model: type[BaseModel], *left_out: str, prefix: tuple[str, ...] = ()) -> Iterator[Column]:
    for name, field in model.model_fields.items():
        if name in left_out:
            continue
        path, annotation = (*prefix, name), _stripped(field.annotation)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from _columns(annotation, prefix=path)
            continue
        kind, choices = _kind(annotation)
        claimed = model in (ClaimedRow, Claims)
        if claimed and name in (*ROW_VALUES, *TOTALS):
            kind = "printed"
        units = ("", "") if kind == "text" else _units(name, claimed, field.description or "")
        yield Column(path, kind, units, choices, field.description or "")


def _units(name: str, claimed: bool, description: str) -> tuple[str, str]:
    if claimed:
        unit = _CLAIM_UNITS.get(name, "")
        return unit, unit
    if name.endswith("_pct"):
        return "%", "%"
    if name in ("R", "R_low", "R_high"):
        return _EROSIVITY
    if name == "K":
        return _ERODIBILITY
    pair = _PAIR.search(description)
    return (pair.group(1), pair.group(2)) if pair is not None else _UNITS.get(name, ("", ""))


def _single(model: type[BaseModel], name: str, *left_out: str) -> Iterator[Column]:
    return _columns(model, *left_out, prefix=(name,))


@cache
def layouts() -> tuple[Layout, ...]:
    """Return the sheets of a site's workbook, in order."""
    site = tuple(
        Column((name,), *_pair(name), what=Site.model_fields[name].description or "")
        for name in ("format", "ordinance", "units", "combination")
    )
    general = (*_single(Location, "location"), *_single(Topography, "topography"), *_single(Delivery, "delivery"))
    segment = tuple(_columns(Segment))
    slopes = tuple(_columns(UnitSlope, "segments"))
    practices = list(_columns(Practice, "drainage_areas"))
    drained = Column(
        ("drainage_areas",), "texts", what="What drains directly to it; shares stand in the sheet Practice shares"
    )
    share = "Share of the drainage area's sediment, 0-1"
    return (
        Layout("Project", (), (*site, *_single(Project, "project")), False, "Who and what, ordinance, units"),
        Layout("Location", (), general, False, "County or EI zone and annual R; how LS is computed; delivery"),
        Layout(
            "Soils", ("soils",), tuple(_columns(Soil)), True, "One row for each soil: texture, or K with its source"
        ),
        Layout("Drainage areas", ("drainage_areas",), tuple(_columns(DrainageArea)), True, "One row for each"),
        Layout(
            "Ground units",
            ("ground_units",),
            tuple(_columns(GroundUnit, "segments")),
            True,
            "Pieces of ground with one history; one row for each",
        ),
        Layout(
            "Segments",
            ("segments",),
            (
                Column(("ground_unit",), "text"),
                Column(("phase",), "text", what="Where a phase changes the slope; then it stands in Slopes, too"),
                *segment,
            ),
            True,
            "Irregular slopes: the stretches of a ground unit's slope, from the top down",
        ),
        Layout(
            "Phases",
            ("phases",),
            tuple(_columns(Phase, "slopes")),
            True,
            "Stages of construction; one row for each, or one for each phase and ground unit",
        ),
        Layout(
            "Slopes",
            ("slopes",),
            (Column(("phase",), "text"), *slopes),
            True,
            "Slopes that a phase changes; one row for each phase and ground unit",
        ),
        Layout(
            "Practices",
            ("practices",),
            (*practices[:3], drained, *practices[3:]),
            True,
            "What traps sediment on the way to the outfall; one row for each",
        ),
        Layout(
            "Practice shares",
            ("practice_shares",),
            (
                Column(("practice",), "text"),
                Column(("drainage_area",), "text"),
                Column(("share",), "number", what=share),
            ),
            True,
            "Where only a share of a drainage area drains to a practice",
        ),
        Layout("Windows", ("windows",), tuple(_columns(Window)), True, "More windows to report; one row for each"),
        Layout("Application", (), tuple(_single(Application, "application")), False, "What the permit office asks for"),
        Layout("Claims", (), tuple(_single(Claims, "claims", "rows", "overrides")), False, "Claimed totals"),
        Layout(
            "Claimed rows", ("claims", "rows"), tuple(_columns(ClaimedRow)), True, "Claims by phase and ground unit"
        ),
        Layout("Overrides", ("claims", "overrides"), tuple(_columns(Override)), True, "Decisions on record"),
        Layout("Grid", (), tuple(_single(GridInputs, "grid")), False, "Rasters and polygons of a gridded site"),
    )


def _pair(name: str) -> tuple[Any, Any, Any]:
    kind, choices = _kind(_stripped(Site.model_fields[name].annotation))
    return kind, ("", ""), choices


def joined(items: tuple[str, ...] | list[str]) -> str:
    """Return a list as the text of one cell.

    Parameters
    ----------
    items
        Texts; those with a semicolon, a quote or spaces at an end are put in quotes.

    Examples
    --------
    >>> joined(["north lots", "a; b"])
    'north lots; "a; b"'
    """
    plain = re.compile(r'[^;"\s]([^;"]*[^;"\s])?')
    quoted = (i if plain.fullmatch(i) and i != NO_ITEMS else '"' + i.replace('"', '""') + '"' for i in items)
    return "; ".join(quoted) if items else NO_ITEMS


def divided(text: str) -> list[str] | None:
    """Return the list that a cell holds; None where its quotes do not close.

    Parameters
    ----------
    text
        Items divided by semicolons; a semicolon at the end is no item.

    Examples
    --------
    >>> divided('north lots; "a; b"; ')
    ['north lots', 'a; b']
    """
    if text.strip() == NO_ITEMS:
        return []
    items, rest = [], text.strip()
    item = re.compile(r'(?:"((?:[^"]|"")*)"\s*|([^;"]*))(?:;|$)')
    while rest:
        match = item.match(rest)
        if match is None:
            return None
        quoted, plain = match.group(1), match.group(2)
        if quoted is not None:
            items.append(quoted.replace('""', '"'))
        elif plain.strip():
            items.append(plain.strip())
        rest = rest[match.end() :].lstrip()
    return items
