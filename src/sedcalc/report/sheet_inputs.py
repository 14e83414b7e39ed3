"""The sheet's section of arguments: what was submitted, the values used for it, and the source of each."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from pydantic import BaseModel

from sedcalc.load.profiles import described_slope
from sedcalc.report.sheet_blocks import (
    DASH,
    Block,
    Column,
    Facts,
    Group,
    Muted,
    Paragraph,
    Row,
    Section,
    Table,
    Word,
    Words,
    number,
    shortest,
)
from sedcalc.report.sheet_draft import Draft
from sedcalc.report.sheet_figures import timeline_chart
from sedcalc.site.covers import cover_value, surface_value
from sedcalc.site.submission import GroundUnit, UnitSlope
from sedcalc.units import area_digits


def arguments(draft: Draft, base: str) -> tuple[Section, ...]:
    """Return the parts of the section of arguments.

    Parameters
    ----------
    draft
        The sheet in the making.
    base
        Number of the section.
    """
    parts = [
        ("Place, rain and method", _place(draft)),
        ("Soils", _soils(draft)),
        ("Ground", _ground(draft)),
        ("Phases", _phases(draft)),
        ("Covers and surface conditions", _covers(draft)),
    ]
    return tuple(Section(f"{base}.{i}", title, blocks) for i, (title, blocks) in enumerate(parts, start=1))


def _place(draft: Draft) -> tuple[Block, ...]:
    site, load, run = draft.site, draft.load, draft.run
    erosivity = load.erosivity
    pairs: list[tuple[str, Words]] = []
    if site.location.county is not None:
        pairs.append(("County", (site.location.county,)))
    if erosivity.R is None:
        r: Words = ("from a raster",)
    else:
        r = (draft.number("erosivity.R", 1), " hundreds of ft·tonf·in/(ac·h·yr), ", erosivity.status)
        r += draft.cited(erosivity.source)
        if run["erosivity"]["R_low"] is not None:
            r += ("; range ", draft.word("erosivity.R_low", 1), " to ", draft.word("erosivity.R_high", 1))
    zone = "the site's own" if erosivity.ei_zone is None else f"EI zone {erosivity.ei_zone}"
    pairs += [
        ("Annual erosivity R", r),
        ("Erosivity over the year", (zone, *draft.cited(erosivity.ei_source))),
    ]
    methods = {k: v for k, v in load.provenance["methods"].items() if k not in ("R", "f")}
    pairs += [(_METHOD_NAMES.get(name, name), (said,)) for name, said in methods.items()]
    if site.delivery is not None:
        delivery: Words = (shortest(site.delivery.ratio), *draft.cited(site.delivery.source))
        pairs.append(("Hillslope delivery ratio", delivery))
    if site.project.common_plan_area is not None:
        unit = "acres" if site.units == "us" else "ha"
        pairs.append(("Common plan of development", (shortest(site.project.common_plan_area), f" {unit}")))
    units = "US customary: acres, ft, ft², ft³/s" if site.units == "us" else "SI: ha, m, m², m³/s"
    pairs.append(("Units of the site file", (units,)))
    if site.grid is not None:
        given = site.grid.model_dump(exclude_none=True)
        pairs += [(f"Grid: {name.replace('_', ' ')}", (_said(value),)) for name, value in given.items()]
    return (Facts(tuple(pairs)),)


_METHOD_NAMES = {
    "LS": "Topography LS",
    "K": "Erodibility K",
    "delivery": "Delivery of the slope",
    "practices": "Practices",
    "windows": "Annual figure",
    "barriers": "Barriers",
}


def _soils(draft: Draft) -> tuple[Block, ...]:
    load = draft.load
    if not draft.site.soils:
        return (Paragraph(("K comes from a raster", *draft.cited(load.ground.sources.get("K")), ".")),)
    pieces = load.ground.pieces
    rows = []
    for i, soil in enumerate(draft.site.soils):
        own = next((p for p, s in enumerate(pieces.soil) if s == soil.id), None)
        row = None if own is None else next((n for n, p in enumerate(load.ground.rows.piece) if p == own), None)
        k = draft.cell(f"rows[{row}].K", 4) if row is not None else (DASH,)
        om: Words = (DASH,) if soil.organic_matter_pct is None else (shortest(soil.organic_matter_pct),)
        other = soil.model_dump(exclude_none=True, exclude={"id", "texture", "organic_matter_pct", "K_source"})
        stated = "; ".join(f"{name.replace('_', ' ')} {_said(value)}" for name, value in other.items())
        source = load.ground.sources.get(f"soils[{i}]")
        cells: tuple[Words, ...] = (
            (soil.id,), (soil.texture or DASH,), (stated or DASH,), om, k, draft.cited(source),
        )  # fmt: skip
        rows.append(Row(cells))
    columns = (
        Column("Soil", weight=2), Column("Texture", weight=2), Column("Also stated", weight=3),
        Column("Organic matter", "%"), Column("K"), Column("Source"),
    )  # fmt: skip
    note: Words = ("K in ton·ac·h/(hundreds of ac·ft·tonf·in), of the soil that construction exposes.",)
    return (Table("soils", ("Soils and their erodibility",), columns, (Group((), tuple(rows)),), note),)


def _ground(draft: Draft) -> tuple[Block, ...]:
    site, load = draft.site, draft.load
    pieces, plan = load.ground.pieces, load.schedule
    length = "ft" if site.units == "us" else "m"
    by_area: dict[int, list[Row]] = {}
    for p in range(len(pieces.unit)):
        unit = site.ground_units[int(pieces.unit[p])]
        first = next((n for n, q in enumerate(load.ground.rows.piece) if q == p), None)
        acres: Words = (
            (draft.amount(f"rows[{first}].acres", 3),)
            if first is not None
            else (number(own := float(pieces.acres[p]), area_digits(own, 3)),)
        )
        span = plan.disturbed[int(pieces.unit[p])]
        days = (DASH, DASH) if span is None else (str(span[0]), str(span[1]))
        cells: list[Words] = [(unit.id,), (pieces.soil[p] or DASH,), acres]
        if site.grid is None:
            cells += list(_slope_cells(described_slope(site, int(pieces.unit[p]), None)[0]))
        cells += [(days[0],), (days[1],)]
        by_area.setdefault(int(pieces.drainage_area[p]), []).append(
            Row(tuple(cells), "muted" if span is None else "plain")
        )
    columns = [Column("Ground unit", weight=2), Column("Soil", weight=1.4), Column("Area", "acres")]
    if site.grid is None:
        columns += [Column("Slope", "%"), Column("Length", length)]
    columns += [Column("Disturbed"), Column("Stabilized")]
    groups = tuple(
        Group((site.drainage_areas[a].id, Muted(f"   to {site.drainage_areas[a].outfall}")), tuple(rows))
        for a, rows in sorted(by_area.items())
    )
    blocks: list[Block] = [
        Table(
            "ground",
            ("Ground units by drainage area and outfall",),
            tuple(columns),
            groups,
            ("Disturbed: first day. Stabilized: day of final stabilization. Units without dates are background.",),
        )
    ]
    changed = [Row(((phase.id,), (s.unit,), *_slope_cells(s))) for phase in site.phases for s in phase.slopes]
    if changed:
        columns = [
            Column("From phase", weight=1),
            Column("Ground unit", weight=1),
            Column("Slope", "%"),
            Column("Length", length),
        ]
        blocks.append(Table("slopes", ("Slopes that grading changes",), tuple(columns), (Group((), tuple(changed)),)))
    return tuple(blocks)


def _slope_cells(slope: GroundUnit | UnitSlope) -> tuple[Words, Words]:
    if slope.segments is not None:
        steep = " / ".join(f"{s.slope_pct:g}" for s in slope.segments)
        return (steep,), (" / ".join(f"{s.length:g}" for s in slope.segments),)
    steepness: Words = (DASH,) if slope.slope_pct is None else (shortest(slope.slope_pct),)
    return steepness, (DASH,) if slope.length is None else (shortest(slope.length),)


def _phases(draft: Draft) -> tuple[Block, ...]:
    site = draft.site
    rows = []
    for phase in sorted(site.phases, key=lambda p: (p.start, p.end)):
        days = (phase.end - phase.start).days + 1
        surface = phase.surface_condition
        said = [phase.cover.name or "C as given"]
        said += [] if surface is None else [surface.name or "P as given"]
        said += [f"surface {phase.dem}"] if phase.dem is not None else []
        said += ["idle"] if phase.idle else []
        said += ["stockpile"] if phase.stockpile else []
        cells: tuple[Words, ...] = (
            (phase.id,), (str(phase.start),), (str(phase.end),), (number(days, 0),),
            (", ".join(phase.units),), ("; ".join(said),),
        )  # fmt: skip
        rows.append(Row(cells))
    columns = (
        Column("Phase", weight=1.3), Column("From"), Column("To"), Column("Days"),
        Column("Ground units", weight=2), Column("Cover; surface condition", weight=2),
    )  # fmt: skip
    note: Words = (
        "Both dates inclusive. Between its phases a ground unit keeps its last cover and surface condition; after its "
        "final stabilization it has its final cover.",
    )
    return Table("phases", ("Phases",), columns, (Group((), tuple(rows)),), note), timeline_chart(draft.ruling)


def _covers(draft: Draft) -> tuple[Block, ...]:
    """Return the C and P of each cover and surface condition, with where it is used and its source."""
    sources = draft.load.ground.sources
    found: dict[tuple[str, str, float | None, str], list[str]] = {}
    for span in draft.load.schedule.spans:
        value = cover_value(span.cover, span.cover_path)
        name = span.cover.name or ("raster" if value is None else "as given")
        c = None if value is None else value.value
        source = sources.get(span.cover_path) or ("" if value is None else value.source)
        found.setdefault(("C", name, c, source), []).append(_place_of(draft, span.cover_path))
        if span.surface_condition is None:
            continue
        surface = surface_value(span.surface_condition, span.surface_path)
        name = span.surface_condition.name or ("raster" if surface is None else "as given")
        p = None if surface is None else surface.value
        source = sources.get(span.surface_path) or ("" if surface is None else surface.source)
        found.setdefault(("P", name, p, source), []).append(_place_of(draft, span.surface_path))
    groups = []
    for symbol, title in (("C", "Cover management C"), ("P", "Support practice P")):
        rows = tuple(
            Row(
                (
                    (name,),
                    ("; ".join(dict.fromkeys(places)),),
                    (DASH,) if value is None else (number(value, 4),),
                    draft.cited(source),
                )
            )
            for (kind, name, value, source), places in found.items()
            if kind == symbol
        )
        if rows:
            groups.append(Group((title,), rows))
    columns = (Column("Name", weight=2), Column("Used in", weight=3), Column("Value"), Column("Source"))
    note: Words = ("Where no surface condition is stated, P = 1.",)
    return (Table("covers", ("Covers and surface conditions",), columns, tuple(groups), note),)


def _place_of(draft: Draft, path: str) -> str:
    """Return where a cover of the site file is used, in words."""
    head, _, field = path.partition("].")
    name, _, index = head.partition("[")
    parts: tuple[Any, ...] = getattr(draft.site, name)
    part = parts[int(index)]
    return str(part.id) if name == "phases" else f"{part.id} ({field.replace('_', ' ')})"


def submitted(draft: Draft) -> tuple[Block, ...]:
    """Return every argument as it was submitted, by its path in the site file.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    objects: dict[str, list[Word]] = {}
    for path, value in _leaves(draft.site, ""):
        head, _, field = path.rpartition(".")
        words = objects.setdefault(head, [])
        words += ["   " if words else "", Muted(f"{field}\u00a0=\u00a0"), _said(value)]
    rows = tuple(Row(((_titled(draft, head) or "site",), tuple(words))) for head, words in objects.items())
    columns = (Column("Part of the site file", weight=1), Column("Arguments", weight=3.4))
    unit = "acres, ft, ft², ft³/s" if draft.site.units == "us" else "ha, m, m², m³/s"
    note: Words = (
        f"Units of the site file: {unit}; R and K in the same system. Fields that were left out are not listed.",
    )
    return (Table("submitted", ("Every argument, as submitted",), columns, (Group((), rows),), note),)


def _titled(draft: Draft, head: str) -> str:
    name, _, index = head.partition("[")
    parts = getattr(draft.site, name, None)
    if index.rstrip("]").isdigit() and isinstance(parts, tuple):
        return f"{head}   {parts[int(index.rstrip(']'))].id}" if hasattr(parts[int(index.rstrip("]"))], "id") else head
    return head


def _leaves(part: BaseModel, path: str) -> Iterator[tuple[str, Any]]:
    """Yield path and value of every field that was submitted, parts of parts in words after two levels."""
    for name in type(part).model_fields:
        if name not in part.model_fields_set:
            continue
        value = getattr(part, name)
        own = f"{path}.{name}" if path else name
        if value is None:
            continue
        if isinstance(value, BaseModel) and not path:
            yield from _leaves(value, own)
        elif isinstance(value, tuple) and not path and value and all(isinstance(v, BaseModel) for v in value):
            for i, item in enumerate(value):
                yield from _leaves(item, f"{own}[{i}]")
        else:
            yield own, value


def _said(value: Any) -> str:
    """Return an argument in words, as short as it was written."""
    if isinstance(value, BaseModel):
        value = {k: getattr(value, k) for k in type(value).model_fields if k in value.model_fields_set}
    if isinstance(value, dict):
        said = {k: v for k, v in value.items() if v is not None}
        return (
            next(iter(said.values()))
            if list(said) in (["name"], ["id"])
            else ", ".join(f"{k} {_said(v)}" for k, v in said.items())
        )
    if isinstance(value, tuple | list):
        return "; ".join(_said(v) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return re.sub(r"e([-+])0", r"e\1", f"{value:.10g}")
    return value.isoformat() if isinstance(value, date) else str(value)
