"""The calculation as a whole: check the site, lay out its schedule and ground, and sum its sediment load."""

from typing import TYPE_CHECKING, Any

import sedcalc
from sedcalc.findings import InputError
from sedcalc.load.ground import Ground
from sedcalc.load.load_table import SedimentLoad, load_of_ground
from sedcalc.load.network import COMBINATIONS
from sedcalc.load.profiles import profile_ground
from sedcalc.site.checks import check_site
from sedcalc.site.design_rules import SILT_FENCE, design_findings
from sedcalc.site.erosivity import SiteErosivity, site_erosivity
from sedcalc.site.establishment import with_establishment
from sedcalc.site.practices import practice_kind
from sedcalc.site.schedule import schedule
from sedcalc.site.submission import Site
from sedcalc.tables import table

if TYPE_CHECKING:
    from sedcalc.load.cells import Progress


def sediment_load(site: Site, *, progress: "Progress | None" = None) -> SedimentLoad:
    """Return the sediment load of a construction site.

    Parameters
    ----------
    site
        A site from `sedcalc.read_site`, or one built in Python.
    progress
        Called with the name of each step of a gridded site as it starts.

    Returns
    -------
    SedimentLoad
        Load table, 12-month windows, totals and findings; tons are short tons.

    Raises
    ------
    InputError
        With every mistake of the site, if there are any.

    Notes
    -----
    Annual soil loss by RUSLE [1]_, times the share of annual erosivity between the dates [2]_.

    References
    ----------
    .. [1] Renard, K.G., et al. (1997). USDA Agriculture Handbook 703.
    .. [2] EPA 833-F-00-014 (2012). Stormwater Phase II Final Rule, Fact Sheet 3.1.

    Examples
    --------
    What is eroded is deposited on the slope, trapped or discharged; the difference is 0 by the conservation of mass:

    >>> import sedcalc as sc
    >>> totals = sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml"))).totals
    >>> abs(totals.eroded - totals.deposited - sum(totals.trapped.values()) - totals.discharged) < 1e-9 * totals.eroded
    True
    """
    content = site.content_sha256()
    known = site.checked()
    found = check_site(site) if known is None else known
    if any(f.severity == "error" for f in found):
        raise InputError([f for f in found if f.severity == "error"])
    laid_out = schedule(site)
    found = [*site.reading, *found, *design_findings(site, laid_out)]
    erosivity = site_erosivity(site.location, site.units, r_raster=site.grid is not None and site.grid.R is not None)
    plan = with_establishment(laid_out, erosivity.cumulative_pct)
    if site.grid is None:
        ground = profile_ground(site, erosivity, plan)
    else:
        from sedcalc.load.inputs import grid_ground

        ground = grid_ground(site, erosivity, plan, progress)
    return load_of_ground(site, erosivity, plan, ground, _provenance(site, erosivity, ground, content), found)


def _provenance(site: Site, erosivity: SiteErosivity, ground: Ground, content: str) -> dict[str, Any]:
    ei = "own distribution" if erosivity.ei_zone is None else f"EI zone {erosivity.ei_zone}"
    return {
        "version": sedcalc.__version__,
        "methods": {
            "R": "raster" if erosivity.R is None else "annual value",
            "f": f"{ei}, linear between dates",
            **ground.methods,
            "delivery": "given ratio" if site.delivery else "ratio 1",
            "practices": COMBINATIONS[site.combination],
            "windows": "worst 12 consecutive months, every start day",
        },
        "sources": {
            "R": erosivity.source,
            "f": erosivity.ei_source,
            **({"delivery": site.delivery.source} if site.delivery else {}),
            **ground.sources,
        },
        "tables": {name: table(name).sha256 for name in _tables_used(site, erosivity)},
        "site_sha256": content,
        "files": {**site.files(), **ground.files},
    }


def _tables_used(site: Site, erosivity: SiteErosivity) -> list[str]:
    covers = [p.cover for p in site.phases] + [u.final_cover for u in site.ground_units]
    grown = [c.establishes for c in covers if c is not None and c.establishes is not None]
    fences = [p for p in site.practices if (practice_kind(p) or "").casefold() == SILT_FENCE]
    settling = any(p.settling is not None for p in site.practices)
    k_raster = site.grid is not None and site.grid.K is not None
    used = {
        "ei_distribution": erosivity.ei_zone is not None,
        "agency_r": site.location.county is not None,
        "wi_county_r": site.location.county is not None,
        "k_by_texture": not k_raster and any(s.K is None and s.silt_vfs_pct is None for s in site.soils),
        "ls_table_4_3": site.grid is None,
        "covers": any(c is not None and c.name is not None for c in [*covers, *grown]),
        "mat_classes": any(c is not None and c.mat is not None for c in covers),
        "support_p": any(p.surface_condition is not None and p.surface_condition.name for p in site.phases),
        "trapping": any(p.catalogue is not None for p in site.practices),
        "size_rules": settling or any(p.size_rule is not None for p in site.practices),
        "particle_classes": settling,
        "silt_fence_spacing": any(p.slope_length_above is not None for p in fences),
        "silt_fence_limits": bool(fences),
    }
    return [name for name, yes in used.items() if yes]
