"""A reviewer's soil-loss table in a workbook, as a site whose numbers are claims.

The columns that reviewers know are activity, begin, end, period % R, annual R, soil texture, K, slope %, slope length,
LS, C, soil loss, delivery factor, practice and discharge, by their headings in any order; ground unit, drainage area,
area, cover, organic matter, P and efficiency may stand beside them. Lines above and below the table (``County`` beside
``Milwaukee, WI``) say what it does not.

Conventions, each said in a finding where it was used: rows without a ground unit are one ground, one after the other;
without a drainage area each ground unit is its own; without an area it is one acre; the ground is finally stabilized
with the cover of its last row; a practice is in place from the day before its first row to the end of its last; C, K,
R, P, delivery and efficiency that follow from no table are taken as claimed, and so are not verified: the claimed rows
name them (`sedcalc.site.claims.ClaimedRow.taken`). C = 1, bare soil, is no such factor.
"""

import datetime
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from sedcalc.findings import Finding, InputError
from sedcalc.io.review_rows import ALIASES, NEEDED, ReviewTable, Row, find_table
from sedcalc.io.site_workbook import WorkbookSite
from sedcalc.io.workbook import Sheet
from sedcalc.site.claims import Taken
from sedcalc.site.submission import FORMAT
from sedcalc.tables import table

_CLAIMED: Final = {
    "share": "ei_fraction",
    "R": "R",
    "K": "K",
    "LS": "LS",
    "C": "C",
    "P": "P",
    "soil_loss": "soil_loss_tons_per_acre",
    "discharge": "discharge_tons_per_acre",
    "efficiency": "efficiency",
}
_NO_PRACTICE: Final = ("", "-", "none", "no practice", "n/a")
_DAY: Final = datetime.timedelta(days=1)
_LONG: Final = 200  # of a practice's text


def site_of_table(sheets: Sequence[Sheet], name: str, supplied: Mapping[str, str] | None = None) -> WorkbookSite:
    """Return the site that a reviewer's table describes, with its numbers as claims.

    Parameters
    ----------
    sheets
        Of a workbook; the first table found counts.
    name
        Name of the project where the workbook has none.
    supplied
        ``ordinance`` and ``county`` that the reviewer supplies for a table that names none.

    Returns
    -------
    WorkbookSite
        Data with ``claims``, the cells they come from, mistakes, and what was assumed.
    """
    site = WorkbookSite()
    found = find_table(sheets, site)
    if found is not None:
        _Reading(found, name, supplied or {})
        return site
    if any(f.severity == "error" for f in site.findings):  # a table whose headings lack some
        return site
    wanted = ", ".join(repr(a[0]) for a in ALIASES.values())
    message = f"neither the sheets of a site (`sedcalc new site.xlsx`) nor a table with headings such as {wanted}"
    site.mistake("no-table", message, f"{sheets[0].name}!A1" if sheets else "(file)")
    return site


class _Reading:
    """Turns a table into the data of a site."""

    def __init__(self, source: ReviewTable, name: str, supplied: Mapping[str, str]) -> None:
        self.table, self.supplied = source, supplied
        self.site = source.site
        self.assumed: dict[str, list[str]] = {}
        self.units: dict[str, list[Row]] = {}
        for row in source.rows:
            for needed in NEEDED:
                if needed in row.refs and row.get(needed) is None and row.refs[needed] not in self._faulty():
                    message = f"{ALIASES[needed][0]} is empty; it cannot be assumed"
                    self.site.mistake("missing-field", message, row.refs[needed])
        if not source.rows:
            self.site.mistake("no-rows", "the table has no row", f"{source.sheet.name}!A1")
        ordinance = self._line_or_supplied("ordinance")
        if ordinance is None:
            hint = "a name from `sedcalc tables ordinances`, or --ordinance NAME"
            message = f"no line 'ordinance' above the table, which cannot be assumed; write it there: {hint}"
            self.site.mistake("missing-field", message, f"{source.sheet.name}!A1")
        source.rows = [r for r in source.rows if all(r.get(n) is not None for n in NEEDED)]
        if source.rows:
            self._read(ordinance, name)
        else:
            self._location()
        if any(f.severity == "error" for f in self.site.findings):
            self.site.data.clear()  # what is missing is said; there is no site to check

    def _read(self, ordinance: Any, name: str) -> None:
        self._ground()
        data = self.site.data
        data |= {"format": FORMAT, "units": "us", "project": {"name": self.table.line("project") or name}}
        data["ordinance"] = ordinance
        self._location()
        self._delivery()
        self._phases()
        self._units()
        self._practices()
        self._claims()
        if not any(f.severity == "error" for f in self.site.findings):
            self._say_what_was_assumed()

    def _faulty(self) -> set[str | None]:
        return {f.where for f in self.site.findings}

    def _assume(self, what: str, ref: str) -> None:
        self.assumed.setdefault(what, []).append(ref)

    def _take(self, factor: Taken, rows: Sequence[Row]) -> None:
        for row in rows:
            row.taken.append(factor)

    def _say_what_was_assumed(self) -> None:
        for what, refs in self.assumed.items():
            more = f" and {len(refs) - 1} more" if len(refs) > 1 else ""
            where = f"{refs[0]}{more}"
            self.site.findings.append(Finding("assumed-from-table", "warning", what, where))

    def _line_or_supplied(self, name: str) -> Any:
        """Return what a line says, or the reviewer where there is none; the two may not differ."""
        line, supplied = self.table.line(name), self.supplied.get(name)
        if line is not None:
            self.site.places[name if name == "ordinance" else f"location.{name}"] = self.table.lines[name][1]
            if supplied is not None and supplied != line:
                message = f"the table names {line!r}, --{name} says {supplied!r}; leave the option out, or correct it"
                self.site.mistake("supplied-differs", message, self.table.lines[name][1])
        elif supplied is not None:
            self._assume(f"{name} {supplied!r} is the reviewer's: the table names none", f"{self.table.sheet.name}!A1")
        return supplied if line is None else line

    def _ground(self) -> None:
        """Sort rows into ground units, in the order of their dates."""
        for row in self.table.rows:
            self.units.setdefault(row.get("unit") or row.get("drainage_area") or "ground", []).append(row)
        for rows in self.units.values():
            rows.sort(key=lambda r: (r.get("start"), r.get("end")))
            for first, second in pairwise(rows):
                if second.get("start") == first.get("end") and first.get("start") < first.get("end"):
                    self._assume(
                        "a day on which one row ends and the next begins counts to the next", second.refs["start"]
                    )
                    first.values["end"] = first.get("end") - _DAY
                elif second.get("start") <= first.get("end"):
                    message = (
                        f"begins before the row of {first.refs['activity']} ends, so it is other ground; add a column "
                        "'ground unit' that says which"
                    )
                    self.site.mistake("rows-overlap", message, second.refs["start"])
        if not self.table.columns.keys() & {"unit", "drainage_area"}:
            ref = self.table.rows[0].refs["activity"]
            self._assume("no ground unit is stated: the rows are one ground, one after the other", ref)

    def _location(self) -> None:
        data, rows = self.site.data, self.table.rows
        county, zone = self._line_or_supplied("county"), self.table.line("ei_zone")
        location: dict[str, Any] = {} if county is None else {"county": county}
        if zone is not None:
            location["ei_zone"] = zone
            self.site.places["location.ei_zone"] = self.table.lines["ei_zone"][1]
        first = next((r for r in rows if r.get("R") is not None), None)
        if county is None and first is not None:
            location |= {"R": self._float(first, "R"), "R_source": _claimed_in(first.refs["R"])}
            self._take("R", rows)
            self._assume("annual R is taken as claimed: no line County above the table", first.refs["R"])
        if county is None and (zone is None or first is None):
            message = (
                "no line 'county' (or 'EI zone', with an annual R) above the table, which cannot be assumed; write it "
                'there, or give --county "NAME, STATE"'
            )
            self.site.mistake("missing-field", message, f"{self.table.sheet.name}!A1")
        data["location"] = location

    def _float(self, row: Row, name: str) -> float | None:
        try:
            return row.number(name)
        except ValueError:
            self.site.mistake("wrong-kind", f"{row.get(name)!r} is not a number", row.refs[name])
            return None

    def _delivery(self) -> None:
        stated = [r for r in self.table.rows if r.get("delivery") is not None]
        ratios = {r.get("delivery") for r in stated}
        if len(ratios) > 1:
            odd = next(r for r in stated if r.get("delivery") != stated[0].get("delivery"))
            message = (
                f"{odd.get('delivery'):g} here and {stated[0].get('delivery'):g} above: one factor for the site is read"
            )
            self.site.mistake("several-delivery-factors", message, odd.refs["delivery"])
        elif ratios and ratios != {1} and ratios != {1.0}:
            ref = stated[0].refs["delivery"]
            self.site.data["delivery"] = {"ratio": stated[0].get("delivery"), "source": _claimed_in(ref)}
            self.site.places["delivery.ratio"] = ref
            self._take("delivery_ratio", self.table.rows)
            self._assume("the delivery factor is taken as claimed", ref)

    def _phases(self) -> None:
        phases: list[dict[str, Any]] = []
        names: dict[str, int] = {}
        slope_of: dict[str, tuple[float, float]] = {}
        for unit, rows in self.units.items():
            for row in rows:
                name = row.get("activity")
                names[name] = names.get(name, 0) + 1
                row.phase = name if names[name] == 1 else f"{name} ({names[name]})"
                row.cover = self._cover(row)
                phase = {"id": row.phase, "start": row.get("start"), "end": row.get("end"), "units": [unit]}
                phase["cover"] = row.cover
                p = self._float(row, "P")
                if p is not None and p != 1.0:
                    phase["surface_condition"] = {"P": p, "source": _claimed_in(row.refs["P"])}
                    self._take("P", [row])
                    self._assume("P is taken as claimed", row.refs["P"])
                slope = (row.get("slope_pct"), row.get("length"))
                if slope_of.setdefault(unit, slope) != slope:
                    phase["slopes"] = [{"unit": unit, "slope_pct": slope[0], "length": slope[1]}]
                    slope_of[unit] = slope
                path = f"phases[{len(phases)}]"
                places = {"id": "activity", "start": "start", "end": "end", "units": "activity"}
                places |= {"slopes": "slope_pct", "surface_condition": "P"}
                places["cover"] = "cover" if row.get("cover") is not None else "C"
                self.site.places[path] = row.refs["activity"]
                self.site.places |= {f"{path}.{k}": row.refs[v] for k, v in places.items() if v in row.refs}
                phases.append(phase)
        self.site.data["phases"] = phases

    def _cover(self, row: Row) -> dict[str, Any]:
        """Return a row's cover: of the table by name, otherwise its claimed C."""
        if row.get("cover") is not None:
            return {"name": row.get("cover")}
        try:
            return {"name": table("covers").row(row.get("activity"))["cover"]}
        except InputError:
            pass  # the activity names no cover of the table, so that its C is what there is
        c = self._float(row, "C")
        if c is None:
            message = "neither C nor a cover that the table `covers` names; it cannot be assumed"
            self.site.mistake("missing-field", message, row.refs.get("C", row.refs["activity"]))
            return {"C": 1.0, "source": "missing"}
        if c == 1.0:
            self._assume("C = 1 is read as bare soil: no column 'cover' says what covers it", row.refs["C"])
            return {"C": c, "source": f"bare soil, by C = 1 in {row.refs['C']}"}
        self._take("C", [row])
        self._assume("C is taken as claimed: no column 'cover' names a cover of the table `covers`", row.refs["C"])
        return {"C": c, "source": _claimed_in(row.refs["C"])}

    def _units(self) -> None:
        units: list[dict[str, Any]] = []
        soils: list[dict[str, Any]] = []
        soil_ids: dict[tuple[tuple[str, Any], ...], str] = {}
        areas: dict[str, str] = {}
        for unit, rows in self.units.items():
            first, last = rows[0], rows[-1]
            self._same(rows, ("texture", "organic_matter", "area", "drainage_area"))
            area = first.get("drainage_area") or unit
            areas.setdefault(area, f"outfall of {area}")
            soil = self._soil(rows, len(soils))
            key = tuple(sorted(soil.items()))
            if key not in soil_ids:
                soil_ids[key] = f"soil {len(soils) + 1}"
                soils.append({"id": soil_ids[key], **soil})
            acres = first.get("area")
            if acres is None and len(self.units) == 1:
                acres = self.table.line("area")
            if acres is None:
                self._assume(
                    "no area is stated: each ground unit is 1 acre, and tons are tons per acre", first.refs["activity"]
                )
                acres = 1.0
            self._assume(
                "final stabilization is taken to be the last day of the last row, with its cover", last.refs["end"]
            )
            path = f"ground_units[{len(units)}]"
            self.site.places |= {path: first.refs["activity"], f"{path}.stabilized": last.refs["end"]}
            self.site.places |= {f"{path}.{n}": first.refs[n] for n in ("slope_pct", "length")}
            units.append(
                {
                    "id": unit,
                    "drainage_area": area,
                    "soil": soil_ids[key],
                    "area": acres,
                    "slope_pct": first.get("slope_pct"),
                    "length": first.get("length"),
                    "stabilized": last.get("end"),
                    "final_cover": last.cover,
                }
            )
        if "drainage_area" not in self.table.columns:
            ref = self.table.rows[0].refs["activity"]
            self._assume("no drainage area is stated: each ground unit is one, with its own outfall", ref)
        self.site.data |= {"ground_units": units, "soils": soils}
        self.site.data["drainage_areas"] = [{"id": k, "outfall": v} for k, v in areas.items()]

    def _same(self, rows: Sequence[Row], names: Sequence[str]) -> None:
        for name in names:
            for row in rows[1:]:
                if row.get(name) != rows[0].get(name):
                    message = (
                        f"{ALIASES[name][0]} differs from {rows[0].refs[name]}, though the rows are one ground; add a "
                        "column 'ground unit' that says which ground each is"
                    )
                    self.site.mistake("ground-differs", message, row.refs[name])

    def _soil(self, rows: Sequence[Row], number: int) -> dict[str, Any]:
        first = rows[0]
        texture, organic = first.get("texture"), first.get("organic_matter")
        organic = self.table.line("organic_matter") if organic is None else organic
        if "texture" in first.refs:
            self.site.places[f"soils[{number}]"] = first.refs["texture"]
        soil: dict[str, Any] = {} if texture is None else {"texture": texture}
        if texture is not None and organic is not None:
            return {**soil, "organic_matter_pct": organic}
        self._same(rows, [n for n in ("K",) if n in first.refs])
        k = self._float(first, "K")
        if k is None:
            message = "neither K, nor texture with organic matter, from which K follows; it cannot be assumed"
            self.site.mistake("missing-field", message, first.refs.get("K", first.refs["activity"]))
            return soil
        lacking = "organic matter" if texture is not None else "texture and organic matter"
        self._take("K", rows)
        self._assume(f"K is taken as claimed: the table gives no {lacking}", first.refs["K"])
        return {**soil, "K": k, "K_source": _claimed_in(first.refs["K"])}

    def _practices(self) -> None:
        """Lay the practices of a drainage area out one after the other; each works on the days of its own rows."""
        by_area: dict[str, list[Row]] = {}
        for unit, rows in self.units.items():
            by_area.setdefault(rows[0].get("drainage_area") or unit, []).extend(rows)
        found: list[dict[str, Any]] = []
        names: dict[str, int] = {}
        for area, rows in by_area.items():
            stretches: list[dict[str, Any]] = []
            for row in sorted(rows, key=lambda r: (r.get("start"), r.get("end"))):
                text = (row.get("practice") or "").strip()
                if text.casefold() in _NO_PRACTICE:
                    continue
                credit = self._credit(row, text)
                days = {"start": row.get("start"), "end": row.get("end")}
                previous = stretches[-1] if stretches else None
                same = (
                    previous is not None
                    and previous["text"] == text
                    and _value_of(previous["credit"]) == _value_of(credit)
                )
                if previous is not None and same and days["start"] <= previous["end"] + _DAY:
                    previous["end"] = max(previous["end"], days["end"])
                elif previous is not None and days["start"] <= previous["end"]:
                    message = (
                        f"another practice than in {previous['ref']} at the same time; give each its drainage area"
                    )
                    self.site.mistake("practices-overlap", message, row.refs["practice"])
                else:
                    stretches.append({"text": text, "credit": credit, **days, "ref": row.refs["practice"]})
            if stretches:
                what = "a practice is taken to be in place from the day before its first row to the end of its last"
                self._assume(what, stretches[0]["ref"])
                stretches[0]["start"] -= _DAY
            first = len(found)
            for stretch in stretches:
                names[stretch["text"]] = names.get(stretch["text"], 0) + 1
                count = names[stretch["text"]]
                name = stretch["text"] if count == 1 else f"{stretch['text']} ({count})"
                self.site.places[f"practices[{len(found)}]"] = stretch["ref"]
                found.append({"id": name, "start": stretch["start"], "end": stretch["end"], **stretch["credit"]})
            for upper, lower in pairwise(found[first:]):
                upper["drains_to"] = lower["id"]
            if len(found) > first:
                found[first]["drainage_areas"] = [area]
        if found:
            self.site.data["practices"] = found

    def _credit(self, row: Row, text: str) -> dict[str, Any]:
        ref = row.refs["practice"]
        efficiency = self._float(row, "efficiency")
        if efficiency is not None and efficiency > 1.0:
            message = (
                f"an efficiency of {efficiency:g} is no share of 1; write {efficiency / 100:g}, or {efficiency:g} %"
            )
            self.site.mistake("not-a-share", message, row.refs["efficiency"])
        elif efficiency is not None:
            self._take("efficiency", [row])
            self._assume("the efficiency of practices is taken as claimed", row.refs["efficiency"])
            return {"efficiency": efficiency, "source": _claimed_in(row.refs["efficiency"])}
        try:
            known = table("trapping").row(text)
            if known["needs_size_rule"] != "yes":
                return {"catalogue": known["name"]}
        except InputError:
            pass  # the cell names no practice of the table: its credit follows from the numbers
        percent = re.search(r"(\d{1,3}(?:\.\d{1,6})?) ?%", text[:_LONG])
        if percent is not None:
            self._take("efficiency", [row])
            self._assume("the efficiency of practices is taken as claimed", ref)
            return {"efficiency": float(Decimal(percent.group(1)).scaleb(-2)), "source": _claimed_in(ref)}
        loss, discharge = self._float(row, "soil_loss"), self._float(row, "discharge")
        if not loss or discharge is None:
            message = f"{text[:60]!r} states no efficiency, and soil loss and discharge do not give it"
            self.site.mistake("missing-field", message, ref)
            return {"efficiency": 0.0, "source": "missing"}
        delivered = loss * (row.get("delivery") or 1.0)
        self._take("efficiency", [row])
        self._assume("the efficiency of practices is taken as what claimed soil loss and discharge give", ref)
        return {"efficiency": 1.0 - discharge / delivered, "source": f"follows from claims in {row.refs['discharge']}"}

    def _claims(self) -> None:
        claims: dict[str, Any] = {}
        rows: list[dict[str, Any]] = []
        for unit, own in self.units.items():
            for row in own:
                claimed = {_CLAIMED[n]: row.get(n) for n in _CLAIMED if row.get(n) is not None}
                path = f"claims.rows[{len(rows)}]"
                self.site.places[path] = row.refs["activity"]
                self.site.places |= {f"{path}.{_CLAIMED[n]}": row.refs[n] for n in _CLAIMED if n in row.refs}
                if row.taken:
                    claimed["taken"] = row.taken
                rows.append({"phase": row.phase, "unit": unit, **claimed})
        claims["rows"] = rows
        for name in ("tons_per_acre_per_year", "percent_reduction", "status"):
            if name in self.table.lines:
                claims[name], self.site.places[f"claims.{name}"] = self.table.lines[name]
        self._total(claims)
        self.site.data["claims"] = claims

    def _total(self, claims: dict[str, Any]) -> None:
        total = self.table.total
        if total is None:
            return
        acres = sum(u["area"] for u in self.site.data["ground_units"])
        names = {"soil_loss": "soil_loss_tons", "discharge": "discharge_tons"}
        for name, claim in names.items():
            if total.get(name) is None:
                continue
            if acres == 1.0:
                claims[claim] = total.get(name)
                self.site.places[f"claims.{claim}"] = total.refs[name]
            else:
                message = f"the total per acre is not compared: the site has {acres:g} acres"
                self.site.findings.append(Finding("total-not-compared", "note", message, total.refs[name]))


def _value_of(credit: dict[str, Any]) -> Any:
    return credit.get("catalogue", credit.get("efficiency"))


def _claimed_in(ref: str) -> str:
    return f"claimed in {ref}; not verified"
