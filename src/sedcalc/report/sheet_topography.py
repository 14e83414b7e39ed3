"""LS of the governing row worked by hand: a uniform slope, an irregular one, or the cells of a grid."""

import numpy as np

from sedcalc.factors.topography import (
    LAMBDA0_FT,
    RATIOS,
    SHORT_LENGTH_FT,
    STEEP_SLOPE_PCT,
    SegmentedLS,
    SlopeLS,
    kernel_sin,
    profile_ls,
    segmented_ls,
)
from sedcalc.load.profiles import described_slope
from sedcalc.report.sheet_blocks import (
    Block,
    Column,
    Group,
    Number,
    Row,
    Step,
    Table,
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
from sedcalc.report.sheet_draft import DESMET_GOVERS, HANDBOOK_537, HANDBOOK_703, IRREGULAR, MCCOOL, Draft
from sedcalc.site.schedule import Span
from sedcalc.site.slopes import short_slope_rows
from sedcalc.units import FOOT_M


def topography_steps(draft: Draft, index: int, span: Span) -> tuple[Block, ...]:
    """Return how a row's slope length and steepness come about.

    Parameters
    ----------
    draft
        The sheet in the making.
    index
        The row.
    span
        Its days.
    """
    value = draft.number(f"rows[{index}].LS", 4)
    symbol, title = var("LS"), "Slope length and steepness"
    if draft.site.grid is not None:
        return (_of_cells(draft, value),)
    described, _ = described_slope(draft.site, span.unit, span.slope_phase)
    foot = 1.0 if draft.site.units == "us" else FOOT_M
    ratio, method = draft.site.topography.ratio, draft.site.topography.method
    if described.segments is not None:
        lengths = np.array([s.length / foot for s in described.segments])
        steepness = np.array([s.slope_pct for s in described.segments])
        return _segments(draft, value, segmented_ls(steepness, lengths, ratio=ratio, method=method), steepness, lengths)
    assert described.length is not None
    assert described.slope_pct is not None
    length, pct = described.length / foot, described.slope_pct
    ls = profile_ls(pct, length, ratio=ratio, method=method, short_rows=short_slope_rows())
    if bool(ls.short):
        given: Words = (
            "Slope of ", shortest(pct), " % and ", shortest(length), " ft, under 15 ft: between the 3-ft column of "
            "Table 4-3 and LS at 15 ft, linear in the logarithms of LS and length", draft.ref(HANDBOOK_703), ".",
        )  # fmt: skip
        return (Step(title, symbol, (row(value),), given),)
    steep = _steepness(draft, pct, ls, method)
    exponent = _exponent(draft, pct, ls, ratio, method)
    lam = max(length, SHORT_LENGTH_FT) if method == "rusle" and pct < STEEP_SLOPE_PCT else length
    note = "" if lam == length else f" (slopes under 15 ft count as 15 ft; this one has {length:g} ft)"
    l_value = number(float(ls.L), 4)
    m_value = number(float(ls.m), 4)
    given = ("Horizontal slope length λ = ", shortest(lam), f" ft{note}; unit plot {LAMBDA0_FT:g} ft.")
    lines = (
        power(group(frac(var("λ"), f"{LAMBDA0_FT:g}")), var("m")),
        power(group(frac(shortest(lam), f"{LAMBDA0_FT:g}")), m_value),
        row(l_value),
    )
    return (
        *steep,
        *exponent,
        Step("Slope length", var("L"), lines, given),
        Step(
            title,
            symbol,
            (product(var("L"), var("S")), product(l_value, number(float(ls.S), 4)), row(value)),
        ),
    )


def _sine(pct: float) -> Number:
    return number(float(kernel_sin(pct / 100.0)), 5)


def _steepness(draft: Draft, pct: float, ls: SlopeLS, method: str) -> tuple[Step, ...]:
    sine, s_value = _sine(pct), number(float(ls.S), 4)
    slope = shortest(pct)
    angle = Step(
        "Slope angle",
        row("sin ", var("θ")),
        (row("sin(arctan ", frac(slope, "100"), ")"), row(sine)),
        ("Steepness ", slope, " %."),
    )
    if method == "usle":
        lines = (
            row("65.41 ", power("sin", "2"), var("θ"), " + 4.56 sin ", var("θ"), " + 0.065"),
            row("65.41 × ", power(sine, "2"), " + 4.56 × ", sine, " + 0.065"),
            row(s_value),
        )
        return angle, Step("Slope steepness", var("S"), lines, ("Handbook 537", draft.ref(HANDBOOK_537), "."))
    a, sign, b = ("10.8", "+", "0.03") if pct < STEEP_SLOPE_PCT else ("16.8", "−", "0.50")
    side = "under" if pct < STEEP_SLOPE_PCT else "from"
    lines = (
        row(f"{a} sin ", var("θ"), f" {sign} {b}"),
        row(f"{a} × ", sine, f" {sign} {b}"),
        row(s_value),
    )
    return angle, Step("Slope steepness", var("S"), lines, (f"Slopes {side} 9 %", draft.ref(MCCOOL), "."))


def _exponent(draft: Draft, pct: float, ls: SlopeLS, ratio: str, method: str) -> tuple[Step, ...]:
    m_value = number(float(ls.m), 4)
    if method == "usle":
        given: Words = (
            "Handbook 537: 0.5 from 5 %, 0.4 from 3.5 %, 0.3 from 1 %, else 0.2",
            draft.ref(HANDBOOK_537),
            ".",
        )
        return (Step("Slope-length exponent", var("m"), (row(m_value),), given),)
    sine, k = _sine(pct), RATIOS[ratio]
    s = float(kernel_sin(pct / 100.0))
    beta = number(k * (s / 0.0896) / (3.0 * s**0.8 + 0.56), 4)
    sin = row("sin ", var("θ"))
    below = row("3 ", power("sin", "0.8"), var("θ"), " + 0.56")
    lines = (
        product(var("k"), frac(row(sin, " / 0.0896"), below)),
        product(f"{k:g}", frac(row(sine, " / 0.0896"), row("3 × ", power(sine, "0.8"), " + 0.56"))),
        row(beta),
    )
    given = (f"{ratio.capitalize()} ratio of rill to interrill erosion: k = {k:g}", draft.ref(HANDBOOK_703), ".")
    m_lines = (frac(var("β"), row("1 + ", var("β"))), frac(beta, row("1 + ", beta)), row(m_value))
    return (
        Step("Rill to interrill erosion", var("β"), lines, given),
        Step("Slope-length exponent", var("m"), m_lines),
    )


def _segments(
    draft: Draft, value: Number, ls: SegmentedLS, steepness: np.ndarray, lengths: np.ndarray
) -> tuple[Block, ...]:
    """Return LS of an irregular slope: a table of its segments, and their sum."""
    ends = np.cumsum(lengths)
    starts = ends - lengths
    rows = tuple(
        Row(
            (
                (str(i + 1),),
                (shortest(float(pct)),),
                (number(float(a), 1),),
                (number(float(b), 1),),
                (number(float(s), 4),),
                (number(float(m), 4),),
                (number(float(c), 4),),
            )
        )
        for i, (pct, a, b, s, m, c) in enumerate(zip(steepness, starts, ends, ls.S, ls.m, ls.contribution, strict=True))
    )
    total = Row((("sum",), (), (), (number(float(ends[-1]), 1),), (), (), (number(float(ls.LS), 4),)), "total")
    columns = (
        Column("Segment", weight=1.0), Column("slope", "%"), Column("from x(i−1)", "ft"), Column("to x(i)", "ft"),
        Column("S(i)"), Column("m(i)"), Column("part of LS"),
    )  # fmt: skip
    x, m = var("x"), var("m")
    term = row(
        indexed(var("S"), "i"), " (", power(indexed(x, "i"), row(indexed(m, "i"), " + 1")), " − ",
        power(indexed(x, "i−1"), row(indexed(m, "i"), " + 1")), ")",
    )  # fmt: skip
    formula = row("Σ ", frac(term, row(var("λ"), " × ", power(f"{LAMBDA0_FT:g}", indexed(m, "i")))))
    given: Words = (
        "Irregular slope, from the top down; S(i) and m(i) as of a uniform slope of the segment's steepness",
        draft.ref(MCCOOL), draft.ref(IRREGULAR), ".",
    )  # fmt: skip
    return (
        Table("segments", ("Segments of the slope",), columns, (Group((), (*rows, total)),)),
        Step("Slope length and steepness", var("LS"), (formula, row(value)), given),
    )


def _of_cells(draft: Draft, value: Number) -> Step:
    grid = draft.site.grid
    assert grid is not None
    said = draft.load.ground.methods["LS"]
    given: Words = (
        f"Mean over the cells of the row's ground ({said}). Each cell takes S and m from its own slope and L from the "
        "area A(in), m², that drains into it (D: side of the cell, m; λ₀ = 22.128 m, 72.6 ft).",
        draft.ref(HANDBOOK_537 if draft.site.topography.method == "usle" else MCCOOL), draft.ref(DESMET_GOVERS),
    )  # fmt: skip
    if grid.LS is not None:
        return Step(
            "Slope length and steepness",
            var("LS"),
            (row(value),),
            (f"Mean of the raster {grid.LS} over the row's ground.",),
        )
    a, m = indexed(var("A"), "in"), var("m")
    above = row(
        power(group(a, " + ", power(var("D"), "2")), row(m, " + 1")), " − ", power(a, row(m, " + 1")),
    )  # fmt: skip
    below = row(power(var("D"), row(m, " + 2")), power(indexed(var("λ"), "0"), m))
    if grid.formula == "desmet-govers":
        below = row(power(var("D"), row(m, " + 2")), power(var("x"), m), power("22.13", m))
    return Step(
        "Slope length and steepness",
        var("LS"),
        (row("mean of ", product(var("S"), frac(above, below))), row(value)),
        given,
    )
