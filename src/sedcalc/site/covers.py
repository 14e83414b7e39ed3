"""Cover and surface condition of a site's parts: names to C and P, with their sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sedcalc.findings import Finding
from sedcalc.site.submission import Cover, SurfaceCondition
from sedcalc.tables import table


@dataclass(frozen=True, slots=True)
class FactorValue:
    """C or P that holds for all of a piece of ground.

    Parameters
    ----------
    value
        C or P, dimensionless.
    source
        Citation as the table or the applicant gives it.
    status
        ``seen``, ``recalled``, ``derived`` (table rows) or ``given`` (by the applicant).
    max_slope_pct
        Steepest slope for which the source gives the value; None where it says nothing.
    """

    value: float
    source: str
    status: str
    max_slope_pct: float | None = None


NO_PRACTICE = FactorValue(1.0, "no surface condition or support practice stated: P = 1", "given")


def cover_value(cover: Cover, where: str) -> FactorValue | None:
    """Return C of a cover, None for a raster of C or of land cover.

    Parameters
    ----------
    cover
        A cover with one way of saying C.
    where
        Its path in the site file.

    Raises
    ------
    InputError
        If the table has no such cover.
    """
    if cover.name is not None:
        return _named_cover(cover.name, where)
    if cover.C is not None:
        return FactorValue(cover.C, str(cover.source), "given")
    return None


def surface_value(surface: SurfaceCondition | None, where: str) -> FactorValue | None:
    """Return P of a surface condition, 1 where none is stated, None for a P raster.

    Parameters
    ----------
    surface
        A surface condition with one way of saying P.
    where
        Its path in the site file.

    Raises
    ------
    InputError
        If the table has no such surface condition.
    """
    if surface is None:
        return NO_PRACTICE
    if surface.name is not None:
        return _named_surface(surface.name, where)
    if surface.P is not None:
        return FactorValue(surface.P, str(surface.source), "given")
    return None


@lru_cache(maxsize=8192)
def _named_cover(name: str, where: str) -> FactorValue:
    row = table("covers").row(name, where=where)
    return FactorValue(row["c"], row["source"], row["status"], row["max_slope_pct"])


@lru_cache(maxsize=8192)
def _named_surface(name: str, where: str) -> FactorValue:
    row = table("support_p").row(name, where=where)
    return FactorValue(row["p"], row["source"], row["status"])


def cover_mistakes(cover: Cover, where: str) -> list[Finding]:
    """Return what is wrong with how a cover is written: none or several ways, a source that is missing."""
    ways = {"name": cover.name, "C": cover.C, "raster": cover.raster, "land_cover": cover.land_cover}
    found = _ways(ways, where, "cover")
    if cover.land_cover is not None and cover.table is None:
        found.append(
            Finding(
                "missing-field", "error", "land_cover needs table; add a CSV with columns code, cover, C, source", where
            )
        )
    if cover.table is not None and cover.land_cover is None:
        found.append(Finding("unused-field", "error", "table goes with land_cover only; remove it", where))
    return found + _source(cover.C, cover.raster, cover.source, where, "C")


def surface_mistakes(surface: SurfaceCondition, where: str) -> list[Finding]:
    """Return what is wrong with how a surface condition is written."""
    ways = {"name": surface.name, "P": surface.P, "raster": surface.raster}
    return _ways(ways, where, "surface condition") + _source(surface.P, surface.raster, surface.source, where, "P")


def _ways(ways: Mapping[str, object], where: str, what: str) -> list[Finding]:
    given = [key for key, value in ways.items() if value is not None]
    if len(given) == 1:
        return []
    said = f"{' and '.join(given)} are given together" if given else "nothing usable is given"
    return [Finding("one-way-only", "error", f"{said}; give a {what} exactly one of {', '.join(ways)}", where)]


def _source(value: float | None, raster: str | None, source: str | None, where: str, symbol: str) -> list[Finding]:
    if (value is not None or raster is not None) and source is None:
        return [Finding("missing-source", "error", f"{symbol} is given without a source; add source", where)]
    return []
