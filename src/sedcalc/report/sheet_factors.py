"""The governing row worked by hand: each quantity by its symbols, with its numbers, and its value."""

import datetime
import math
from bisect import bisect_right
from typing import Final

from sedcalc.factors.erodibility import OM_CAP_PCT, OM_TABLE_RANGE_PCT, nomograph_k, texture_k
from sedcalc.factors.erosivity import EI_DATES, cumulative_ei
from sedcalc.report.sheet_blocks import (
    DASH,
    Block,
    Math,
    Number,
    Paragraph,
    Step,
    Word,
    Words,
    frac,
    group,
    indexed,
    number,
    power,
    product,
    row,
    shortest,
    var,
)
from sedcalc.report.sheet_draft import (
    NOMOGRAPH,
    Draft,
)
from sedcalc.report.sheet_topography import topography_steps
from sedcalc.site.schedule import Span
from sedcalc.site.submission import Soil
from sedcalc.tables import table

_CLOSE: Final = 1e-9  # relative: a derivation is printed only where it gives the row's own value
_K_COLUMNS: Final = ((0.5, "k_om_0_5"), (2.0, "k_om_2"), (4.0, "k_om_4"))
_TONS_PER_ACRE: Final = "short tons/acre"
_PER_R: Final = "hundreds of ft·tonf·in/(ac·h·yr)"
_PER_K: Final = "ton·ac·h/(hundreds of ac·ft·tonf·in)"


def factor_steps(draft: Draft, index: int) -> tuple[Block, ...]:
    """Return how a row's soil loss and discharge come about, factor by factor.

    Parameters
    ----------
    draft
        The sheet in the making.
    index
        The row, from 0.
    """
    rows, plan = draft.load.ground.rows, draft.load.schedule
    span = plan.spans[int(rows.span[index])]
    return (
        _erosivity(draft, index),
        *_share(draft, index, span),
        _erodibility(draft, index),
        *topography_steps(draft, index, span),
        _cover(draft, index, span),
        _surface(draft, index, span),
        *_soil_loss(draft, index),
        _delivered(draft, index),
        *_practices(draft, index, span),
        _discharge(draft, index),
    )


def _at(draft: Draft, index: int, name: str, digits: int) -> Number:
    return draft.number(f"rows[{index}].{name}", digits)


def _erosivity(draft: Draft, index: int) -> Step:
    value = _at(draft, index, "R", 1)
    erosivity = draft.load.erosivity
    given: Words = ("Annual erosivity of the place", draft.ref(erosivity.source or "not stated"), ".")
    if erosivity.R is None:
        source = draft.load.ground.sources.get("R", "the R raster of the site file")
        given = ("Mean of the R raster over the row's ground", draft.ref(source), ".")
    return Step("Rainfall erosivity", var("R"), (row(value),), given, _PER_R)


def _share(draft: Draft, index: int, span: Span) -> tuple[Block, ...]:
    """Return the share of the annual erosivity: what has accumulated on two days, and the difference."""
    cumulative = draft.load.erosivity.cumulative_pct
    before = span.start - datetime.timedelta(days=1)
    f = var("F")
    source = draft.ref(draft.load.erosivity.ei_source)
    zone = draft.load.erosivity.ei_zone
    name = "the site's own distribution" if zone is None else f"EI zone {zone}"
    steps: list[Block] = []
    values = []
    for label, day in (("before", before), ("end", span.end)):
        share = 100.0 * float(cumulative_ei(day, cumulative))
        values.append(number(share, 3))
        said = "the day before the row begins" if label == "before" else "the row's last day"
        given: Words = (f"Through the end of {day}, {said}; {name}, linear between the table's dates", source, ".")
        steps.append(
            Step(
                "Cumulative erosivity",
                indexed(f, label),
                (*_interpolated(day, cumulative), row(values[-1])),
                given,
                "%",
            )
        )
    years = span.end.year - before.year
    terms: list[Math | Number | str] = [frac(row(values[1], " − ", values[0]), "100")]
    symbols: list[Math | Number | str] = [frac(row(indexed(f, "end"), " − ", indexed(f, "before")), "100")]
    note = ""
    if years:
        terms += [f" + {years}"]
        symbols += [" + ", var("N")]
        note = f" N: turns of the year between the two days, {years}."
    given = (f"{span.start} through {span.end}, both days included.{note}",)
    result = _at(draft, index, "ei_fraction", 5)
    steps.append(Step("Share of the annual erosivity", var("f"), (row(*symbols), row(*terms), row(result)), given))
    return tuple(steps)


def _interpolated(day: datetime.date, cumulative: tuple[float, ...]) -> tuple[Math, ...]:
    """Return the interpolation between two dates of the table; nothing on a date of the table."""
    nodes = [datetime.date(2001, m, d) for m, d in EI_DATES]
    own = datetime.date(2001, 2, 28) if (day.month, day.day) == (2, 29) else day.replace(year=2001)
    j = bisect_right(nodes, own) - 1
    if nodes[j] == own:
        return ()
    low, high = shortest(cumulative[j]), shortest(cumulative[j + 1])
    part, whole = (own - nodes[j]).days, (nodes[j + 1] - nodes[j]).days
    a, b = (indexed(var("F"), f"{n:%m-%d}") for n in (nodes[j], nodes[j + 1]))
    days = frac(f"days from {nodes[j]:%m-%d}", f"days {nodes[j]:%m-%d} to {nodes[j + 1]:%m-%d}")
    symbols = row(a, " + ", product(group(b, " − ", a), days))
    return (symbols, row(low, " + ", product(group(high, " − ", low), frac(str(part), str(whole)))))


def _erodibility(draft: Draft, index: int) -> Step:
    load = draft.load
    piece = int(load.ground.rows.piece[index])
    name, value = load.ground.pieces.soil[piece], _at(draft, index, "K", 4)
    soil = next((s for s in draft.site.soils if s.id == name), None)
    title, symbol = "Soil erodibility", var("K")
    if soil is None or load.ground.sources.get("K"):
        source = load.ground.sources.get("K", "the K raster of the site file")
        return Step(
            title, symbol, (row(value),), ("Mean of the K raster over the row's ground", draft.ref(source), "."), _PER_K
        )
    source = load.ground.sources.get(f"soils[{draft.site.soils.index(soil)}]", "the site file")
    om = soil.organic_matter_pct
    if soil.texture is not None and om is not None and soil.silt_vfs_pct is None and soil.K is None:
        printed = table("k_by_texture").row(soil.texture)
        values = [printed[column] for _, column in _K_COLUMNS]
        if None not in values and _same(float(texture_k(om, *values)), value.value):
            held = min(max(om, OM_TABLE_RANGE_PCT[0]), OM_TABLE_RANGE_PCT[1])
            j = 0 if held <= _K_COLUMNS[1][0] else 1
            (a, _), (b, _) = _K_COLUMNS[j : j + 2]
            low, high = shortest(values[j]), shortest(values[j + 1])
            given: Words = (
                f"Soil {name}: {soil.texture} with ", shortest(om), " % organic matter (OM); the table prints ", low,
                f" at {a:g} % and ", high, f" at {b:g} %", draft.ref(source), ".",
            )  # fmt: skip
            ka, kb = indexed(symbol, f"{a:g} %"), indexed(symbol, f"{b:g} %")
            over = shortest(b - a)
            lines = (
                row(ka, " + ", product(group(kb, " − ", ka), frac(f"OM − {a:g}", f"{b:g} − {a:g}"))),
                row(low, " + ", product(group(high, " − ", low), frac(row(shortest(held), f" − {a:g}"), over))),
                row(value),
            )
            return Step(title, symbol, lines, given, _PER_K)
    step = None if soil.K is not None else _nomograph(draft, soil, value)
    if step is not None:
        return step
    return Step(title, symbol, (row(value),), (f"Soil {name}", draft.ref(source), "."), _PER_K)


def _nomograph(draft: Draft, soil: Soil, value: Number) -> Step | None:
    """Return K by the nomograph's equation, None where the soil does not state what it needs."""
    fine, sand, matter = soil.silt_vfs_pct, soil.sand_pct, soil.organic_matter_pct
    structure, permeability = soil.structure, soil.permeability
    if fine is None or sand is None or matter is None or structure is None or permeability is None:
        return None
    if not _same(float(nomograph_k(fine, sand, matter, structure, permeability)), value.value):
        return None
    m, rest = number(fine * min(fine + sand, 100.0), 1), shortest(min(fine + sand, 100.0))
    given: Words = (
        f"Soil {soil.id}: silt and very fine sand ", shortest(fine), " %, sand ", shortest(sand), " %, organic matter "
        "(OM) ", shortest(matter), f" %, structure s = {structure}, permeability p = {permeability}; M = silt and very "
        "fine sand × (100 − clay) = ", shortest(fine), " × ", rest, " = ", m, draft.ref(NOMOGRAPH), ".",
    )  # fmt: skip
    big = var("M")
    symbols = row(
        "2.1·10⁻⁴ × (12 − OM) × ", power(big, "1.14"), " + 3.25 × (", var("s"), " − 2) + 2.5 × (", var("p"), " − 3)",
    )  # fmt: skip
    held = shortest(min(matter, OM_CAP_PCT))
    terms = row(
        "2.1·10⁻⁴ × (12 − ", held, ") × ", power(m, "1.14"),
        f" + 3.25 × ({structure} − 2) + 2.5 × ({permeability} − 3)",
    )  # fmt: skip
    lines = (frac(symbols, "100"), frac(terms, "100"), row(value))
    return Step("Soil erodibility", var("K"), lines, given, _PER_K)


def _cover(draft: Draft, index: int, span: Span) -> Step:
    source = draft.load.ground.sources.get(span.cover_path)
    mark: tuple[Word, ...] = (draft.ref(source),) if source else ()
    name = span.cover.name or ("raster" if span.cover.raster or span.cover.land_cover else "value given")
    given: Words = (f"Cover: {name}", *mark, ".")
    if span.course is not None:
        given = ("Mean of C day by day, weighted by erosivity, while the cover grows in", *mark, ".")
    return Step("Cover management", var("C"), (row(_or_dash(draft, index, "C")),), given)


def _surface(draft: Draft, index: int, span: Span) -> Step:
    source = draft.load.ground.sources.get(span.surface_path)
    surface = span.surface_condition
    mark: tuple[Word, ...] = (draft.ref(source),) if source and surface is not None else ()
    name = "none stated" if surface is None else surface.name or ("raster" if surface.raster else "value given")
    given: Words = (f"Surface condition: {name}", *mark, ".")
    return Step("Support practice", var("P"), (row(_or_dash(draft, index, "P")),), given)


def _or_dash(draft: Draft, index: int, name: str) -> Number | str:
    value = draft.run["rows"][index][name]
    return DASH if value is None else _at(draft, index, name, 4)


def _soil_loss(draft: Draft, index: int) -> tuple[Block, ...]:
    values = [_at(draft, index, n, d) for n, d in (("R", 1), ("ei_fraction", 5), ("K", 4), ("LS", 4))]
    factors: list[Math | Number | str] = [*values, _or_dash(draft, index, "C"), _or_dash(draft, index, "P")]
    result = _at(draft, index, "soil_loss_tons_per_acre", 4)
    symbols = product(*(var(s) for s in ("R", "f", "K", "LS", "C", "P")))
    known = [v.value for v in factors if isinstance(v, Number)]
    step = Step("Soil loss", var("A"), (symbols, product(*factors), row(result)), unit=_TONS_PER_ACRE)
    if _same(math.prod(known), result.value, 1e-6):
        return (step,)
    given: Words = (
        "On cells the product is averaged, not the factors: the product of the means printed here is ",
        number(math.prod(known), 4), ".",
    )  # fmt: skip
    mean = row("mean of ", symbols)
    return (Step("Soil loss", var("A"), (mean, row(result)), given, _TONS_PER_ACRE),)


def _delivered(draft: Draft, index: int) -> Step:
    loss, acres = _at(draft, index, "soil_loss_tons_per_acre", 4), draft.amount(f"rows[{index}].acres", 4)
    delivery = draft.site.delivery
    ratio = shortest(delivery.ratio if delivery else 1.0)
    mark: tuple[Word, ...] = (draft.ref(delivery.source), ".") if delivery else ()
    said = "Delivery ratio as given" if delivery else "Nothing is taken off for deposition on the slope: ratio 1."
    lines = (
        product(var("A"), "area", "delivery ratio"),
        product(loss, acres, ratio),
        row(draft.amount(f"rows[{index}].delivered_tons", 4)),
    )
    return Step("Delivered to the practices", var("D"), lines, (said, *mark), "short tons")


def _practices(draft: Draft, index: int, span: Span) -> tuple[Block, ...]:
    """Return the efficiency of the practices on the way from the row's ground to the outfall."""
    load, site = draft.load, draft.site
    value = draft.run["rows"][index]["efficiency"]
    if value is None:
        return (
            Paragraph(("The row's days hold no rain erosivity: nothing is delivered, and no efficiency is defined.",)),
        )
    piece = int(load.ground.rows.piece[index])
    area = int(load.ground.pieces.drainage_area[piece])
    result = _at(draft, index, "efficiency", 4)
    routes = load.network.routes[area]
    days = slice((span.start - load.schedule.first_day).days, (span.end - load.schedule.first_day).days + 1)
    on_the_way = list(dict.fromkeys(p for r in routes for p in r.practices))
    if not on_the_way:
        return (
            Step("Trapped by practices", var("e"), (row(result),), ("No practice lies on the way to the outfall.",)),
        )
    working = {p: load.network.working[p, days] for p in on_the_way}
    said: list[Word] = []
    for p in on_the_way:
        credit = load.network.credits[p]
        said += ["; " if said else "", _e_name(on_the_way, p), f", {site.practices[p].id}: "]
        said += [draft.number(f"practices[{p}].efficiency", 4), f" ({credit.method})"]
    said.append(f"; {draft.section('practices')}")
    constant = all(w.all() or not w.any() for w in working.values())
    simple = load.network.combination == "series" and load.network.classes.shape[1] == 1
    passing = sum(
        r.share * math.prod(1.0 - load.network.credits[p].efficiency for p in r.practices if working[p].all())
        for r in routes
    )
    given: Words = (*said, ".")
    if not (constant and simple and _same(1.0 - passing, result.value)):
        how = load.provenance["methods"]["practices"]
        given = (*said, f". Combined {how}, weighted by the erosivity of each day.")
        return (Step("Trapped by practices", var("e"), (row(result),), given),)
    e = var("e")
    terms: list[Math | Number | str] = []
    symbols: list[Math | Number | str] = []
    for r in routes:
        parts: list[Math | Number | str] = []
        names: list[Math | Number | str] = []
        if len(routes) > 1:
            parts.append(shortest(r.share))
            names.append("share")
        for p in r.practices:
            if working[p].all():
                parts.append(group("1 − ", draft.number(f"practices[{p}].efficiency", 4)))
                names.append(group("1 − ", indexed(e, str(on_the_way.index(p) + 1))))
        terms += [" + " if terms else "", product(*(parts or ["1"]))]
        symbols += [" + " if symbols else "", product(*(names or ["1"]))]
    lines = (row("1 − ", _wrapped(symbols)), row("1 − ", _wrapped(terms)), row(result))
    return (Step("Trapped by practices", e, lines, given),)


def _e_name(on_the_way: list[int], practice: int) -> str:
    return f"e{on_the_way.index(practice) + 1}"


def _wrapped(parts: list[Math | Number | str]) -> Math:
    whole = [p for p in parts if p != ""]
    return row(*whole) if len(whole) == 1 else group(*whole)


def _discharge(draft: Draft, index: int) -> Step:
    delivered, result = (draft.amount(f"rows[{index}].{n}_tons", 4) for n in ("delivered", "discharge"))
    e = draft.run["rows"][index]["efficiency"]
    lines = (
        product(var("D"), group("1 − ", var("e"))),
        product(delivered, group("1 − ", DASH if e is None else _at(draft, index, "efficiency", 4))),
        row(result),
    )
    return Step("Discharged by the row", var("Q"), lines, unit="short tons")


def _same(a: float, b: float, relative: float = _CLOSE) -> bool:
    return math.isclose(a, b, rel_tol=relative, abs_tol=1e-12)
