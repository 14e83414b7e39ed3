"""The sheet's sections of controls: percent reduction, practices, mass balance and credit, measures that would help."""

from sedcalc.report.sheet_blocks import (
    DASH,
    Block,
    Column,
    Facts,
    Group,
    Look,
    Muted,
    Paragraph,
    Row,
    Step,
    Strong,
    Table,
    Words,
    as_sentence,
    frac,
    group,
    number,
    product,
    row,
    shortest,
    var,
)
from sedcalc.report.sheet_draft import PER_YEAR, Draft, amount
from sedcalc.units import percent_text


def reduction_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the percent reduction and its baseline.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    clause = draft.code("percent_reduction")
    baseline = (
        f"The percent reduction of the average annual sediment load{clause} compares the whole site over the whole "
        "project with the same ground under no controls: from each unit’s first disturbance to the site’s final "
        "stabilization, with the same R, K, dates and delivery ratio, LS without barriers, C = P = 1 and no practices. "
        "Background is left out of both. The ratio of totals equals the ratio of annual averages."
    )
    discharged, bare = draft.amount("totals.discharged_tons"), draft.amount("totals.baseline_tons")
    if draft.run["percent_reduction"] is None:
        return (Paragraph((baseline, " The baseline is zero, so that the reduction is undefined.")),)
    lines = (
        product("100", group("1 − ", frac("load with controls", "load with none"))),
        product("100", group("1 − ", frac(discharged, bare))),
        row(draft.number("percent_reduction", 2)),
    )
    given: Words = ("Loads over the project: with controls ", discharged, " tons, with none ", bare, " tons.")
    return Paragraph((baseline,)), Step("Percent reduction", var("r"), lines, given, "%"), _reduction_table(draft)


def _reduction_table(draft: Draft) -> Table:
    """Return what each control takes off the load."""
    rows = []
    for i, step in enumerate(draft.run["reduction"]):
        ends = step["saved_tons"] is None
        saved: Words = () if ends else draft.amount_cell(f"reduction[{i}].saved_tons")
        look: Look = "total" if step["kind"] == "discharge" else "plain"
        rows.append(Row(((as_sentence(step["name"]) if step["kind"] != "practice" else step["name"],), saved,
                         draft.amount_cell(f"reduction[{i}].left_tons")), look))  # fmt: skip
    columns = (Column("Control", weight=1), Column("Takes off", "tons"), Column("Left", "tons"))
    note: Words = (
        "Over the project. Shorter duration, cover and surface condition are counted before the practices, which would "
        "have trapped a part of them. The order decides how much each is credited; the sum does not depend on it.",
    )
    return Table("reduction", ("What each control takes off the load",), columns, (Group((), tuple(rows)),), note)


def practice_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the practices with their efficiencies and sources.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    if not draft.site.practices:
        return (Paragraph(("No practice that traps sediment is in the plan.",)),)
    rows = []
    for i, own in enumerate(draft.run["practices"]):
        practice = draft.site.practices[i]
        drained = "; ".join(
            d["id"] if d["share"] == 1.0 else f"{d['share']:.4g} of {d['id']}" for d in own["drainage_areas"]
        )
        size = {
            "surface_area": ("surface", "ft²", "m²"),
            "peak_outflow": ("peak outflow", "ft³/s", "m³/s"),
            "settling_velocity": ("settling velocity", "ft/s", "m/s"),
            "fence_length": ("fence", "ft", "m"),
            "slope_length_above": ("slope above", "ft", "m"),
            "slope_above_pct": ("slope above", "%", "%"),
        }
        built = [
            f"{what} {shortest(getattr(practice, name)).text} {us if draft.site.units == 'us' else si}"
            for name, (what, us, si) in size.items()
            if getattr(practice, name) is not None
        ]
        built += [f"by-pass {percent_text(practice.bypass)}"] if practice.bypass else []
        built += [practice.design_storm] if practice.design_storm else []
        to = own["drains_to"] or "outfall"
        cells: tuple[Words, ...] = (
            (Strong(own["id"]), Muted(f"  {own['kind'] or 'practice'}; {drained or 'no area directly'} → {to}")),
            (own["start"], " – ", own["end"]),
            (f"{own['method']}: {own['source']}", Muted(f"  {', '.join(built)}") if built else ""),
            (number(100.0 * own["efficiency"], 1),),
            draft.amount_cell(f"practices[{i}].trapped_tons"),
        )  # fmt: skip
        rows.append(Row(cells))
    total = Row((("Trapped by all practices",), (), (), (), draft.amount_cell("totals.trapped_tons")), "total")
    columns = (
        Column("Practice", weight=2), Column("Works from, through", weight=1.25),
        Column("How the efficiency was found", weight=3), Column("Efficiency", "%"), Column("Trapped", "tons"),
    )  # fmt: skip
    combination = draft.load.provenance["methods"]["practices"]
    note: Words = (
        f"Combined {combination}. Efficiency: share trapped of all that reaches the practice while it works, by-pass "
        "included. The credit holds for practices built and maintained as designed.",
    )
    caption: Words = ("Practices, their efficiencies and sources",)
    return (Table("practices", caption, columns, (Group((), (*rows, total)),), note),)


def balance_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return the mass balance, and what stands outside it.

    Parameters
    ----------
    draft
        The sheet in the making.
    """
    totals = draft.run["totals"]
    eroded = draft.amount("totals.eroded_tons")

    def share(tons: float) -> Words:
        return (DASH,) if eroded.value == 0.0 else (number(100.0 * tons / eroded.value, 1),)

    def line(name: str, path: str, value: float) -> Row:
        return Row(((name,), draft.amount_cell(path), share(value)))

    rows = [line("Deposited on the slopes", "totals.deposited_tons", totals["deposited_tons"])]
    for i, own in enumerate(draft.run["practices"]):
        rows.append(line(f"Trapped by {own['id']}", f"practices[{i}].trapped_tons", own["trapped_tons"]))
    for outfall, tons in totals["outfalls"].items():
        rows.append(Row(((f"Discharged at {outfall}",), (amount(tons),), share(tons))))
    whole = Row((("Eroded = deposited + trapped + discharged",), (eroded,), share(eroded.value)), "total")
    columns = (Column("Where the soil goes", weight=1), Column("Tons"), Column("Share", "%"))
    parts = [totals["deposited_tons"], *totals["trapped"].values(), *totals["outfalls"].values()]
    left = abs(totals["eroded_tons"] - sum(parts))
    relative = 0.0 if totals["eroded_tons"] == 0.0 else left / totals["eroded_tons"]
    note: Words = (
        f"The balance closes to {relative:.0e} of what is eroded. Short tons over the whole project." if relative
        else "The balance closes exactly. Short tons over the whole project.",
    )  # fmt: skip
    pairs: list[tuple[str, Words]] = [
        (
            "Discharge of background",
            (draft.amount("totals.background_tons"), " tons, of land not yet or never disturbed; not in the balance"),
        ),
    ]
    pairs += _credit(draft)
    table = Table("balance", ("Mass balance of the project",), columns, (Group((), (*rows, whole)),), note)
    return table, Facts(tuple(pairs))


def _credit(draft: Draft) -> list[tuple[str, Words]]:
    """Return what limiting duration and area saves; the last column is the whole site."""
    credit = draft.load.credit
    by_area, by_duration = float(credit.saved_by_area[-1]), float(credit.saved_by_duration[-1])
    said = draft.code("credit")
    return [
        (
            "Saved by limiting area",
            (
                number(by_area, 2),
                " tons that units would discharge if they lay open from the site’s first disturbance",
                said,
            ),
        ),
        (
            "Saved by limiting duration",
            (
                number(by_duration, 2),
                " tons that units would discharge if they lay open until the site’s last day",
                *_before_practices(draft),
                said,
            ),
        ),
    ]


def _before_practices(draft: Draft) -> Words:
    """Return what limiting duration saves before the practices, as the steps of the reduction say."""
    for i, step in enumerate(draft.run["reduction"]):
        if step["kind"] == "shorter duration" and step["saved_tons"] and draft.run["practices"]:
            return " (before the practices ", draft.amount(f"reduction[{i}].saved_tons"), " tons)"
    return ()


def measure_blocks(draft: Draft) -> tuple[Block, ...]:
    """Return what would bring a site under the limit, and what the written explanation takes into account.

    Parameters
    ----------
    draft
        The sheet in the making, of a site that exceeds the limit.
    """
    ruling = draft.ruling
    found = ruling.measures
    assert found is not None
    rows = tuple(
        Row(
            (
                (m.name, Muted(f"  {m.size}{'; ' + m.conditions if m.conditions else ''}")),
                (m.place,),
                (shortest(m.value),),
                draft.cited(m.source),
                (number(m.tons_per_acre_per_year, 2),),
                ("yes" if m.suffices else "no",),
            ),
            "marked" if m.suffices else "plain",
        )
        for m in found.one_at_a_time[:_MOST_MEASURES]
    )
    columns = (
        Column("Practice or cover", weight=3), Column("Where", weight=1), Column("e or C"), Column("Source"),
        Column("Figure with it", PER_YEAR), Column("Meets"),
    )  # fmt: skip
    more = len(found.one_at_a_time) - len(rows)
    tail = f" {more} that bring less are not listed." if more else ""
    blocks: list[Block] = [
        Table(
            "measures",
            ("What each practice or cover of the reference tables would bring by itself",),
            columns,
            (Group((), rows),),
            (
                f"e: efficiency of a practice, at the low end of its range; C: of a cover.{tail} Which are "
                "built is for the designer to say.",
            ),
        )
    ]
    if not rows:
        blocks = [Paragraph(("No practice or cover of the reference tables lowers the figure.",))]
    figure = number(found.fewest_tons_per_acre_per_year, 2)
    if found.fewest is None:
        blocks.append(
            Paragraph(
                (
                    "All practices and covers of the tables together reach ",
                    figure,
                    f" {PER_YEAR}.",
                )
            )
        )
    elif found.fewest:
        names = "; ".join(f"{m.name} ({m.place})" for m in found.fewest)
        blocks.append(Paragraph((f"{as_sentence(found.of_fewest)}: {names}: ", figure, f" {PER_YEAR}.")))
    facts = tuple(
        (as_sentence(f.topic), ((f.text,) if f.known else (Muted(f.text),))) for f in ruling.explanation_facts
    )
    clause = draft.code("mep_explanation")
    blocks.append(
        Paragraph(
            (
                f"A site that cannot meet the limit needs a written explanation{clause}. What the calculation "
                "knows of it:",
            )
        )
    )
    blocks.append(Facts(facts))
    explanation = draft.site.project.explanation
    if explanation is not None:
        blocks.append(Paragraph((Strong("Explanation as submitted. "),)))
        blocks += [Paragraph((part,)) for part in explanation.splitlines() if part.strip()]
    return tuple(blocks)


_MOST_MEASURES = 20
