"""What is wrong with a site beyond shape and type: references, dates, tables, ranges, and what is missing.

Every check runs on whatever parts of the file parsed (faulty fields are None), so that one run reports all mistakes.
Checks that need a raster or polygon file are made when those are opened.
"""

import difflib
import os
from collections.abc import Iterable

from sedcalc.findings import Finding
from sedcalc.site.application import application_mistakes
from sedcalc.site.checking import Ids, collect, duplicates, end_before_start, items
from sedcalc.site.claims import claim_mistakes
from sedcalc.site.erosivity import site_erosivity
from sedcalc.site.follow_ups import without_follow_ups
from sedcalc.site.grid_checks import grid_mistakes
from sedcalc.site.ground_checks import ground_unit_mistakes, phase_mistakes, timing_mistakes
from sedcalc.site.paths import refused_name
from sedcalc.site.practice_checks import practice_mistakes
from sedcalc.site.practices import routes
from sedcalc.site.sediment import class_mistakes
from sedcalc.site.soils import soil_erodibility
from sedcalc.site.submission import Site, Soil
from sedcalc.tables import ordinance_names


def check_site(site: Site, form: Iterable[Finding] = ()) -> list[Finding]:
    """Return all mistakes and warnings that the site file itself shows.

    Parameters
    ----------
    site
        A site as `sedcalc.site.parsing.parse_site` returns it, faulty fields as None.
    form
        The mistakes of form that `parse_site` found; what only follows from them is left out.
    """
    found: list[Finding] = []
    ids = Ids(site)
    for what in ("soils", "drainage_areas", "ground_units", "phases", "practices"):
        found += duplicates(what, getattr(site, what) or ())
    found += _ordinance(site)
    found += _location(site)
    for i, soil in items(site.soils):
        found += _soil(soil, site.units or "us", f"soils[{i}]")
    for i, unit in items(site.ground_units):
        found += ground_unit_mistakes(site, ids, i, unit)
    for i, phase in items(site.phases):
        found += phase_mistakes(site, ids, i, phase)
    found += timing_mistakes(site)
    for i, practice in items(site.practices):
        found += practice_mistakes(site, ids, i, practice)
    found += routes(_with_lists(site))[1]
    for i, window in items(site.windows):
        if window.start and window.end and window.end < window.start:
            found.append(end_before_start(window.start, window.end, f"windows[{i}].end"))
    found += grid_mistakes(site)
    if site.claims is not None:
        found += claim_mistakes(
            site.claims, ids.of("phase"), ids.of("ground unit"), ids.of("drainage area"), ids.of("soil")
        )
    if site.application is not None:
        found += application_mistakes(site.application)
    return without_follow_ups(found, form)


def _with_lists(site: Site) -> Site:
    """Give lists that did not parse as empty, for functions that walk them."""
    missing = [n for n in ("drainage_areas", "practices") if getattr(site, n) is None]
    return site.model_copy(update=dict.fromkeys(missing, ())) if missing else site


def _ordinance(site: Site) -> list[Finding]:
    name, known = site.ordinance, ordinance_names()
    if name is None or name in known:
        return []
    if name.endswith(".toml"):
        refused = refused_name(name)
        if refused is not None:
            return [Finding(refused[0], "error", f"ordinance: {name!r} {refused[1]}", "ordinance")]
        if os.path.isfile(site.folder / name):
            return []
        return [
            Finding(
                "unknown-ordinance",
                "error",
                f"there is no ordinance file {name!r}; name a file in the folder of the site",
                "ordinance",
            )
        ]
    near = difflib.get_close_matches(name, known, n=3) or known
    message = f"no ordinance is called {name!r}; there are {', '.join(near)}, or give the path of a .toml file"
    return [Finding("unknown-ordinance", "error", message, "ordinance")]


def _soil(soil: Soil, units: str, where: str) -> list[Finding]:
    return collect(lambda: soil_erodibility(soil, units, where).findings) + class_mistakes(soil, where)


def _location(site: Site) -> list[Finding]:
    if site.location is None:
        return []
    raster = site.grid is not None and site.grid.R is not None
    found = collect(lambda: site_erosivity(site.location, site.units or "us", r_raster=raster).findings)
    # without units no value can be called out of range
    return found if site.units is not None else [f for f in found if f.code != "R-out-of-range"]
