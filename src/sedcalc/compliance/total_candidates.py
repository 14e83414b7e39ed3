"""Candidates for the totals: other baselines, bases and scopes, and the site computed with another input."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sedcalc.compliance.candidates import Candidate
from sedcalc.compliance.ruling import Ruling
from sedcalc.factors.erosivity import daily_ei
from sedcalc.findings import InputError
from sedcalc.load.calculation import sediment_load
from sedcalc.load.ground import Floats
from sedcalc.load.load_table import SedimentLoad
from sedcalc.site.covers import cover_value
from sedcalc.site.location import resolve_county
from sedcalc.site.submission import Site
from sedcalc.tables import table
from sedcalc.units import ACRE_HA, R_US_SI


def total_candidates(ruling: Ruling, quantity: str) -> Iterator[Candidate]:
    """Yield candidates for a claimed total that come from the calculation as it is.

    Parameters
    ----------
    ruling
        The ruling on the submission.
    quantity
        One of `sedcalc.site.claims.TOTALS`.
    """
    find = {
        "tons_per_acre_per_year": _figures,
        "site_tons_per_acre_per_year": _figures,
        "percent_reduction": _reductions,
        "disturbed_acres": _areas,
        "soil_loss_tons": _tons,
        "discharge_tons": _tons,
    }.get(quantity)
    if find is not None:
        yield from find(ruling)


def _column(load: SedimentLoad, name: str) -> Floats:
    return np.array([np.nan if v is None else v for v in load.columns[name]], dtype=np.float64)


def _counted(load: SedimentLoad) -> Any:
    return np.array(load.columns["counted"], dtype=bool)


def _named(area: str | None) -> str:
    return "the site as a whole" if area is None else f"drainage area {area!r}"


def _figures(ruling: Ruling) -> Iterator[Candidate]:
    load = ruling.load
    windows, totals = load.windows, load.totals
    for k, area in enumerate(windows.area):
        row = int(windows.worst[k])
        if row >= 0:
            yield Candidate(f"the worst 12 months of {_named(area)}", float(windows.tons_per_acre[row, k]))
    for area, average in zip(windows.area, windows.average, strict=True):
        if average.tons_per_acre is not None:
            yield Candidate(f"the average year of {_named(area)}", average.tons_per_acre)
            yield Candidate(f"the whole project of {_named(area)}, not a year,", average.tons / average.acres)
    for start, end, _, _, figure in load.asked:
        if figure is not None:
            yield Candidate(f"the window {start} to {end}", figure)
    if totals.disturbed_acres > 0.0:
        for words, tons in (("soil loss", totals.eroded), ("the load without controls", totals.baseline)):
            yield Candidate(f"{words} of the whole project per disturbed acre", tons / totals.disturbed_acres)
            yield Candidate(
                f"{words} per disturbed acre and average year", tons / totals.disturbed_acres / totals.years
            )
        every = float(load.ground.pieces.acres.sum())
        yield Candidate("discharge per acre of all ground, undisturbed ground included,", totals.discharged / every)
    if ruling.governing is not None:
        yield Candidate("tons in the governing window, not per acre,", ruling.governing.discharge_tons)
    rates = np.nansum(_column(load, "discharge_tons_per_acre")[_counted(load)])
    yield Candidate("the sum of the rows' tons per acre", float(rates))


def _reductions(ruling: Ruling) -> Iterator[Candidate]:
    load, counted = ruling.load, _counted(ruling.load)
    totals = load.totals
    ratio = load.site.delivery.ratio if load.site.delivery else 1.0
    bare = _column(load, "bare_tons")
    discharged = _column(load, "discharge_tons")

    def against(tons: float, baseline: float) -> float | None:
        return 100.0 * (1.0 - tons / baseline) if baseline > 0.0 else None

    existing = _existing_cover(load)
    out = totals.discharged
    cases: list[tuple[str, float | None]] = [
        ("the planned covers without practices as the baseline", against(out, totals.eroded * ratio)),
        (
            "soil loss under the planned covers, without practices, against no controls",
            against(totals.eroded, totals.baseline / ratio),
        ),
    ]
    if existing is not None:
        base = float((bare * existing)[counted].sum()) * ratio
        cases.append(("the existing cover as the baseline", against(out, base)))
    rows = load.ground.rows
    yearly = {int(p): float(b) for p, b, yes in zip(rows.piece, rows.bare_tons_per_year, counted, strict=True) if yes}
    cases.append(("bare ground for one whole year as the baseline", against(out, sum(yearly.values()) * ratio)))
    p_only, c_only = np.where(counted, bare * rows.P, 0.0).sum(), np.where(counted, bare * rows.C, 0.0).sum()
    cases.append(("a baseline with the planned surface conditions (C = 1)", against(out, float(p_only) * ratio)))
    cases.append(("a baseline with the planned covers (P = 1)", against(out, float(c_only) * ratio)))
    cases.append(("background ground counted too", against(float(discharged.sum()), float(bare.sum()) * ratio)))
    for name, key in (("phase", "phase"), ("drainage area", "drainage_area"), ("ground unit", "unit")):
        labels = np.array(load.columns[key])
        for label in dict.fromkeys(load.columns[key]):
            here = counted & (labels == label)
            cases.append(
                (f"{name} {label!r} alone", against(float(discharged[here].sum()), float(bare[here].sum()) * ratio))
            )
    cases += _in_windows(ruling)
    passed = [e for e in _column(load, "efficiency")[counted] if not np.isnan(e)]
    if passed:
        cases.append(("the mean efficiency of the rows", 100.0 * float(np.mean(passed))))
    for practice, credit in zip(load.site.practices, load.network.credits, strict=True):
        cases.append((f"the efficiency of practice {practice.id!r}", 100.0 * credit.efficiency))
    if totals.percent_reduction is not None:
        cases.append(("the percent that remains instead of the reduction", 100.0 - totals.percent_reduction))
    for words, value in cases:
        if value is not None:
            yield Candidate(words, value)
            yield Candidate(f"{words}, as a share instead of percent", value / 100.0)


def _existing_cover(load: SedimentLoad) -> Floats | None:
    """Return C of the existing cover of each row's unit, None where a unit states none."""
    values = []
    for unit in load.ground.pieces.unit[load.ground.rows.piece]:
        cover = load.site.ground_units[unit].existing_cover
        value = None if cover is None else cover_value(cover, f"ground_units[{unit}].existing_cover")
        if value is None:
            return None
        values.append(value.value)
    return np.array(values)


def _in_windows(ruling: Ruling) -> list[tuple[str, float | None]]:
    """Percent reduction within the worst 12 months of each drainage area and of the site."""
    load = ruling.load
    plan, rows, windows = load.schedule, load.ground.rows, load.windows
    ei = np.asarray(daily_ei(plan.first_day, plan.last_day, load.erosivity.cumulative_pct), dtype=np.float64)
    total = np.concatenate([[0.0], np.cumsum(ei)])
    first = np.datetime64(plan.first_day, "D")
    area_of = load.ground.pieces.drainage_area[rows.piece]
    counted = _counted(load)
    found: list[tuple[str, float | None]] = []
    ratio = load.site.delivery.ratio if load.site.delivery else 1.0
    for k, area in enumerate(windows.area):
        w = int(windows.worst[k])
        if w < 0:
            continue
        base = 0.0
        for i, span in enumerate(rows.span):
            if not counted[i] or (area is not None and area_of[i] != k):
                continue
            begin = max(np.datetime64(plan.spans[span].start, "D"), windows.start[w])
            stop = min(np.datetime64(plan.spans[span].end, "D"), windows.end[w])
            if begin <= stop:
                share = total[int((stop - first).astype(int)) + 1] - total[int((begin - first).astype(int))]
                base += float(rows.bare_tons_per_year[i] * share) * ratio
        if base > 0.0:
            value = 100.0 * (1.0 - float(windows.tons[w, k]) / base)
            found.append((f"the worst 12 months of {_named(area)} instead of the whole project", value))
    return found


def _areas(ruling: Ruling) -> Iterator[Candidate]:
    load = ruling.load
    pieces = load.ground.pieces
    yield Candidate("all ground, undisturbed ground included,", float(pieces.acres.sum()))
    if load.site.project.common_plan_area is not None:
        acre = 1.0 if load.site.units == "us" else ACRE_HA
        yield Candidate("the common plan's area", load.site.project.common_plan_area / acre)
    if ruling.governing is not None:
        yield Candidate("the acres of the governing window", ruling.governing.acres)
    disturbed = np.array([load.schedule.disturbed[u] is not None for u in pieces.unit])
    for k, area in enumerate(load.site.drainage_areas):
        here = disturbed & (pieces.drainage_area == k)
        yield Candidate(f"the disturbed acres of drainage area {area.id!r} alone", float(pieces.acres[here].sum()))
    yield Candidate("the acres of all rows added up", float(_column(load, "acres")[_counted(load)].sum()))


def _tons(ruling: Ruling) -> Iterator[Candidate]:
    load = ruling.load
    totals = load.totals
    yield Candidate("discharge of background ground counted too", totals.discharged + totals.background)
    yield Candidate("the load without controls", totals.baseline)
    yield Candidate("soil loss instead of discharge", totals.eroded)
    yield Candidate("discharge instead of soil loss", totals.discharged)
    yield Candidate("tons trapped instead of tons discharged", sum(totals.trapped.values()))
    yield Candidate("tons per average year instead of the whole project", totals.discharged / totals.years)
    for name, tons in totals.outfalls.items():
        yield Candidate(f"outfall {name!r} alone", tons)
    windows = load.windows
    for k, area in enumerate(windows.area):
        if (row := int(windows.worst[k])) >= 0:
            yield Candidate(f"the worst 12 months of {_named(area)}", float(windows.tons[row, k]))
    if ruling.tons_per_acre_per_year is not None:
        yield Candidate("tons per acre instead of tons", ruling.tons_per_acre_per_year)


def variants(load: SedimentLoad) -> Iterator[tuple[str, SedimentLoad]]:
    """Yield the site computed with one input changed to another plausible one.

    Parameters
    ----------
    load
        The calculation of a tabular site; a gridded one has no variants, as each would take as long as the site.

    Notes
    -----
    Other ratios and methods of LS, the ends of R's range and the agency's R, the other EI zones of the county, no
    practices, one practice fewer, no surface conditions, organic matter of 0.5, 2 and 4 %, no delivery ratio, US and SI
    units exchanged.
    """
    if load.site.grid is not None:
        return
    for words, site in _changed_sites(load):
        try:
            yield words, sediment_load(site)
        except InputError:  # not a site that could have been submitted
            continue


def _changed_sites(load: SedimentLoad) -> Iterator[tuple[str, Site]]:
    site, erosivity = load.site, load.erosivity
    for ratio in ("low", "moderate", "high"):
        if ratio != site.topography.ratio:
            changed = site.topography.model_copy(update={"ratio": ratio})
            yield f"a {ratio} ratio of rill to interrill erosion", site.model_copy(update={"topography": changed})
    method = "usle" if site.topography.method == "rusle" else "rusle"
    changed = site.topography.model_copy(update={"method": method})
    yield f"LS by the {method.upper()}", site.model_copy(update={"topography": changed})
    scale = 1.0 if site.units == "us" else R_US_SI
    place = resolve_county(site.location.county) if site.location.county is not None else None
    agency = [row["R_us"] for row in table("agency_r").rows if place is not None and row["fips"] == place.fips]
    for words, R in (
        ("the low end of R's range", erosivity.R_low),
        ("the high end of R's range", erosivity.R_high),
        ("the R of the county's estimate", place.R if place is not None else None),
        ("the agency's R", agency[0] if agency else None),
    ):
        if R is not None and erosivity.R != R:
            update = {"R": R * scale, "R_source": "variant", "R_low": None, "R_high": None}
            yield f"{words} ({R:.4g})", site.model_copy(update={"location": site.location.model_copy(update=update)})
    for zone, _ in place.ei_zone_shares if place is not None else ():
        if zone != erosivity.ei_zone:
            moved = site.location.model_copy(update={"ei_zone": zone})
            yield f"EI zone {zone} instead of {erosivity.ei_zone}", site.model_copy(update={"location": moved})
    if site.practices:
        yield "no practices", site.model_copy(update={"practices": ()})
    for practice in site.practices if len(site.practices) > 1 else ():
        if not any(p.drains_to == practice.id for p in site.practices):
            others = tuple(p for p in site.practices if p is not practice)
            yield f"no practice {practice.id!r}", site.model_copy(update={"practices": others})
    if any(p.surface_condition is not None for p in site.phases):
        phases = tuple(p.model_copy(update={"surface_condition": None}) for p in site.phases)
        yield "no surface conditions (P = 1)", site.model_copy(update={"phases": phases})
    if any(s.K is None and s.silt_vfs_pct is None for s in site.soils):
        for matter in (0.5, 2.0, 4.0):
            soils = tuple(s.model_copy(update={"organic_matter_pct": matter}) if s.K is None else s for s in site.soils)
            yield f"organic matter of {matter:g} % in every soil", site.model_copy(update={"soils": soils})
    if site.delivery is not None:
        yield "no delivery ratio", site.model_copy(update={"delivery": None})
    other = "si" if site.units == "us" else "us"
    yield f'units = "{other}" instead of "{site.units}"', site.model_copy(update={"units": other})
