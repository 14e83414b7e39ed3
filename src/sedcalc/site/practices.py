"""Practices: how they lie between drainage areas and outfalls, and the credit each earns.

The practices form a tree: each practice drains to one other practice or to the outfall. Shares of a drainage area may
drain to different practices, side by side, and what none takes goes straight to the outfall; so the routes of a
drainage area are chains of practices, each with its share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sedcalc.factors.sediment import PARTICLE_CLASSES, aggregate_diameters_mm
from sedcalc.factors.trapping import (
    basin_required_area_ft2,
    overflow_efficiency,
    size_rule_efficiency,
    stokes_settling_velocity,
    trap_required_area_ft2,
)
from sedcalc.findings import Finding
from sedcalc.site.sediment import by_class, soil_classes
from sedcalc.site.submission import Practice, Site, Soil
from sedcalc.tables import table
from sedcalc.units import FOOT_M, area_text

Method = Literal["given", "catalogue", "size rule", "settling", "given by class"]

SHARE_TOLERANCE = 1e-9
"""Shares of a drainage area add to 1 within this."""


@dataclass(frozen=True, slots=True)
class Route:
    """A share of a drainage area and the practices on its way to the outfall.

    Parameters
    ----------
    share
        Share of the drainage area's delivered load, above 0 to 1.
    practices
        Indices of the practices, upstream first; empty: straight to the outfall.
    """

    share: float
    practices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Credit:
    """The trapping efficiency of a practice while it works.

    Parameters
    ----------
    efficiency
        Share trapped of all that reaches it, by-pass included, 0-1; by particle class: of sediment as the ground it
        drains gives it off, weighted by area.
    method
        ``given``, ``catalogue``, ``size rule``, ``settling`` or ``given by class``.
    source
        Where the efficiency, or the rule, comes from.
    findings
        What a reviewer must know about it.
    by_class
        For each soil id the efficiency of each particle class, by-pass included; None without classes.
    """

    efficiency: float
    method: Method
    source: str
    findings: tuple[Finding, ...] = ()
    by_class: Mapping[str, tuple[float, ...]] | None = None


def routes(site: Site) -> tuple[dict[str, tuple[Route, ...]], list[Finding]]:
    """Return for each drainage area its routes to the outfall, and what is wrong with the network.

    Parameters
    ----------
    site
        A site, possibly with mistakes; routes that end in a circle are left out.
    """
    index = {p.id: i for i, p in enumerate(site.practices) if p is not None and p.id}
    cycles = _cycles(site, index)
    taken: dict[str, float] = {}
    found: dict[str, list[Route]] = {a.id: [] for a in site.drainage_areas if a is not None and a.id}
    findings = [_cycle(site, cycle) for cycle in cycles]
    circling = {i for cycle in cycles for i in cycle}
    for i, practice in enumerate(site.practices):
        for drained in () if practice is None else practice.drainage_areas or ():
            if drained is None or drained.id is None or drained.share is None:
                continue
            before = taken.get(drained.id, 0.0)
            taken[drained.id] = before + drained.share
            if before <= 1.0 + SHARE_TOLERANCE < taken[drained.id]:
                findings.append(_drains_twice(site, i, drained.id, taken[drained.id]))
            chain = _chain(site, index, i)
            if drained.id in found and circling.isdisjoint(chain):
                found[drained.id].append(Route(drained.share, chain))
    for area, own in found.items():
        rest = 1.0 - taken.get(area, 0.0)
        if rest > SHARE_TOLERANCE:
            own.append(Route(rest, ()))
    findings += _outfalls_that_meet(site, found)
    return {area: tuple(own) for area, own in found.items()}, findings


def _chain(site: Site, index: Mapping[str, int], first: int) -> tuple[int, ...]:
    chain: dict[int, None] = {}
    step: int | None = first
    while step is not None and step not in chain:
        chain[step] = None
        step = index.get(site.practices[step].drains_to or "")
    return tuple(chain)


def _cycles(site: Site, index: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Return each circle of practices once, from its first in the file on."""
    found = []
    for i, practice in enumerate(site.practices):
        if practice is None:
            continue
        chain = _chain(site, index, i)
        if index.get(site.practices[chain[-1]].drains_to or "") == i and i == min(chain):
            found.append(chain)
    return found


def _cycle(site: Site, cycle: Sequence[int]) -> Finding:
    ids = ", ".join(repr(site.practices[i].id) for i in cycle)
    message = (
        f"practices {ids} drain to each other in a circle and reach no outfall; one of them must drain to the outfall"
        if len(cycle) > 1
        else f"practice {ids} drains to itself and reaches no outfall; remove drains_to, or name the next practice"
    )
    return Finding("practice-cycle", "error", message, f"practices[{cycle[0]}].drains_to")


def _drains_twice(site: Site, number: int, area: str, share: float) -> Finding:
    others = [
        repr(p.id)
        for p in site.practices[: number + 1]
        if p is not None and any(d is not None and d.id == area for d in p.drainage_areas or ())
    ]
    return Finding(
        "drains-twice",
        "error",
        f"{share:g} of drainage area {area!r} drains to practices ({', '.join(others)}): more than all of it. "
        "Practices side by side take shares that add to at most 1; practices in series are written by drains_to of the "
        "upstream one",
        f"practices[{number}].drainage_areas",
    )


def _outfalls_that_meet(site: Site, found: Mapping[str, Sequence[Route]]) -> list[Finding]:
    outfalls = {a.id: a.outfall for a in site.drainage_areas if a is not None and a.id}
    over: dict[int, dict[str, None]] = {}
    for area, own in found.items():
        for i in (i for route in own for i in route.practices if outfalls[area]):
            over.setdefault(i, {})[str(outfalls[area])] = None
    findings = []
    for i, practice in enumerate(site.practices):
        above = over.get(i, {})
        if practice is None:
            continue
        if len(above) > 1 and practice.drains_to is None:
            findings.append(
                Finding(
                    "outfalls-meet",
                    "warning",
                    f"practice {practice.id!r} takes drainage areas of {len(above)} outfalls "
                    f"({', '.join(map(repr, above))}), though it has one outlet; their discharge is reported under "
                    "each area's own outfall",
                    f"practices[{i}].drainage_areas",
                )
            )
    return findings


def practice_kind(practice: Practice) -> str | None:
    """Return what a practice is: its ``kind``, or what its catalogue row or size rule says.

    Parameters
    ----------
    practice
        A practice; an unknown catalogue name gives None.
    """
    if practice.kind is not None:
        return practice.kind
    rows = table("trapping").rows if practice.catalogue is not None else ()
    by_name = next((str(row["practice"]) for row in rows if row["name"] == practice.catalogue), None)
    return by_name or practice.size_rule


def works_by_class(practice: Practice) -> bool:
    """Whether a practice has an efficiency for each particle class."""
    return practice.settling is not None or practice.class_efficiencies is not None


def practice_credit(site: Site, number: int, drained_acres: float, soils: Mapping[str, float]) -> Credit:
    """Return the credit of a practice.

    Parameters
    ----------
    site
        A checked site.
    number
        Index of the practice.
    drained_acres
        All land that drains to the practice, directly and through others, by shares, acres.
    soils
        The same by soil id, acres.
    """
    practice = site.practices[number]
    where = f"practices[{number}]"
    treated = 1.0 - practice.bypass
    if practice.efficiency is not None:
        assert practice.source is not None
        return Credit(practice.efficiency * treated, "given", practice.source)
    if practice.catalogue is not None:
        row = table("trapping").row(practice.catalogue)
        low = row["efficiency_low"] if row["efficiency_low"] is not None else row["efficiency_typical"]
        return Credit(low * treated, "catalogue", row["source"], _recalled(row, low, where))
    if practice.size_rule is not None:
        return _by_size(site, practice, where, drained_acres, soils)
    return _by_class(site, practice, where, soils)


def _recalled(row: dict[str, Any], efficiency: float, where: str) -> tuple[Finding, ...]:
    if row["status"] != "recalled":
        return ()
    return (
        Finding(
            "recalled-value",
            "warning",
            f"the efficiency {efficiency:g} of {row['name']!r} is recalled from {row['source']} and was not "
            "confirmed in a copy of it; give efficiency and source if you have them",
            f"{where}.catalogue",
        ),
    )


def _by_size(site: Site, practice: Practice, where: str, drained_acres: float, soils: Mapping[str, float]) -> Credit:
    square_foot = 1.0 if site.units == "us" else FOOT_M**2
    assert practice.surface_area is not None
    actual = practice.surface_area / square_foot
    rows = [row for row in table("size_rules").rows if row["practice"] == practice.size_rule]
    if drained_acres == 0.0:
        return Credit(0.0, "size rule", f"{rows[0]['source']}; no ground drains to it")
    findings: list[Finding] = []
    if practice.size_rule == "sediment trap":
        row = _trap_row(site, practice, rows, soils)
        required = float(trap_required_area_ft2(drained_acres, row["area_ft2_per_acre"]))
        rule = f"{row['texture_group']} soils, {area_text(drained_acres)} acres drained"
    else:
        row = rows[0]
        assert practice.peak_outflow is not None
        assert practice.settling_velocity is not None
        cubic_foot, foot = (1.0, 1.0) if site.units == "us" else (FOOT_M**3, FOOT_M)
        flow, velocity = practice.peak_outflow / cubic_foot, practice.settling_velocity / foot
        required = float(basin_required_area_ft2(flow, velocity, row["area_coefficient"]))
        rule = f"peak outflow of {practice.design_storm}"
    most = row["max_drained_acres"]
    if most is not None and drained_acres > most:
        findings.append(
            Finding(
                "drains-too-much",
                "warning",
                f"{drained_acres:.1f} acres drain to it; the rule is for up to {most:g} acres",
                f"{where}.drainage_areas",
            )
        )
    efficiency = float(size_rule_efficiency(actual, required, row["efficiency"]))
    if efficiency == 0.0:
        findings.append(
            Finding(
                "too-small-for-credit",
                "warning",
                f"{actual:,.0f} ft2 is {required - actual:,.0f} ft2 short of the {required:,.0f} ft2 that the size "
                f"rule asks for ({rule}): no credit",
                f"{where}.surface_area",
            )
        )
    return Credit(
        efficiency * (1.0 - practice.bypass),
        "size rule",
        f"{row['source']}; {required:,.0f} ft2 required ({rule})",
        tuple(findings),
    )


def _trap_row(
    site: Site, practice: Practice, rows: Sequence[dict[str, Any]], soils: Mapping[str, float]
) -> dict[str, Any]:
    """Return the row of the trap rule: of the group stated, or of the drained soil that asks for the largest area."""
    textures = {s.id: s.texture for s in site.soils}
    drained = {textures.get(soil) for soil in soils}
    fitting = [
        row
        for row in rows
        if (row["texture_group"] == practice.texture_group if practice.texture_group else row["texture"] in drained)
    ]
    return max(fitting, key=lambda row: float(row["area_ft2_per_acre"]))


def _by_class(site: Site, practice: Practice, where: str, soils: Mapping[str, float]) -> Credit:
    """Return the credit of a practice that works by particle class."""
    own = {s.id: s for s in site.soils}
    treated = 1.0 - practice.bypass
    method: Method = "settling" if practice.settling is not None else "given by class"
    efficiencies: dict[str, tuple[float, ...]] = {}
    findings: dict[str, Finding] = {}
    trapped = 0.0
    for soil, acres in soils.items():
        if practice.class_efficiencies is not None:
            caught = by_class(practice.class_efficiencies)
        else:
            caught, beyond = _settling(site, practice, own[soil], where)
            findings |= {f.message: f for f in beyond}
        efficiencies[soil] = tuple(e * treated for e in caught)
        classes = soil_classes(own[soil])
        assert classes is not None  # checked
        trapped += acres * sum(s * e for s, e in zip(classes.shares, efficiencies[soil], strict=True))
    total = sum(soils.values())
    if practice.class_efficiencies is not None:
        source = practice.class_efficiencies.source
    else:
        source = f"overflow rate at the peak outflow of {practice.design_storm}, Stokes' law at 20 C"
    efficiency = trapped / total if total > 0.0 else 0.0
    return Credit(efficiency, method, source, tuple(findings.values()), efficiencies)


def _settling(site: Site, practice: Practice, soil: Soil, where: str) -> tuple[tuple[float, ...], list[Finding]]:
    """Return the efficiency of each particle class by the overflow rate, and where Stokes' law is out of its range."""
    metre = 1.0 if site.units == "si" else FOOT_M
    assert practice.surface_area is not None
    assert practice.peak_outflow is not None
    assert soil.separates is not None
    area, flow = practice.surface_area * metre**2, practice.peak_outflow * metre**3
    coefficient = table("size_rules").row("sediment basin", "any")["area_coefficient"]
    small, large = (float(d) for d in aggregate_diameters_mm(soil.separates.clay_pct))
    by_soil = {"small aggregates": small, "large aggregates": large}
    caught, beyond, decides = [], [], False
    for name in PARTICLE_CLASSES:
        row = table("particle_classes").row(name)
        diameter = by_soil.get(name, row["diameter_low_mm"])
        velocity, reynolds, valid = stokes_settling_velocity(diameter, row["specific_gravity"])
        efficiency = float(overflow_efficiency(area, flow, velocity, coefficient))
        caught.append(efficiency)
        if not valid:
            beyond.append(f"{name} (Re {float(reynolds):.1f}, {efficiency:.0%})")
            # Drag is at most 1 + 0.15 Re^0.687 < 1 + Re times Stokes' (Schiller and Naumann 1933).
            decides |= float(velocity) * area < coefficient * flow * (1.0 + float(reynolds))
    if not beyond:
        return tuple(caught), []
    said = "which may be too much" if decides else "and at the slower true velocity it is all trapped too"
    message = f"Stokes' law overstates how fast {', '.join(beyond)} settles, {said}"
    return tuple(caught), [
        Finding("stokes-out-of-range", "warning" if decides else "note", message, f"{where}.settling")
    ]
