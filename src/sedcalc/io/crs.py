"""Coordinate reference systems: what a site may be measured in, and in which units."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sedcalc.findings import input_error
from sedcalc.terrain.grid import LENGTH_UNITS_M

if TYPE_CHECKING:
    import pyproj

_WEB_MERCATOR: Final = "Popular Visualisation Pseudo Mercator"
_UNIT_TOLERANCE: Final = 1e-9  # relative; the international and the US survey foot differ by 2e-6


@dataclass(frozen=True)
class CrsFacts:
    """What a raster's coordinate reference system says about its units.

    Parameters
    ----------
    horizontal
        ``"EPSG:n"`` where the horizontal part is a known code, else its WKT.
    xy_unit_m
        Metres per horizontal unit.
    vertical_unit
        ``"m"``, ``"ft"`` or ``"us-ft"`` where the CRS has a vertical part, else None.
    """

    horizontal: str
    xy_unit_m: float
    vertical_unit: str | None


def read_crs(
    text: str,
    *,
    bounds: tuple[float, float, float, float] | None = None,
    what: str = "raster",
    where: str | None = None,
    vectors: bool = False,
) -> CrsFacts:
    """Return the facts of a projected CRS given as ``"EPSG:n"`` or WKT, and refuse what cannot carry slopes.

    Parameters
    ----------
    text
        ``"EPSG:n"``, compound codes ``"EPSG:n+m"`` included, or WKT.
    bounds
        West, south, east, north of the data in that CRS: names the projected CRS to use in the remedy.
    what, where
        For messages.
    vectors
        It is of points and lines, which another tool reprojects.

    Raises
    ------
    InputError
        The CRS is not understood, geographic, geocentric, local, Web-Mercator, or in another unit than metre,
        international foot or US survey foot.
    """
    crs = parse_crs(text, what=what, where=where)
    horizontal, vertical_unit = horizontal_part(crs), vertical_part(crs, what, where)
    operation = horizontal.coordinate_operation
    mercator = operation is not None and operation.method_name == _WEB_MERCATOR
    if horizontal.is_geographic or mercator or not horizontal.is_projected:
        kind = "in degrees" if horizontal.is_geographic else "Web-Mercator" if mercator else "not a map projection"
        why = " (its metres are stretched by latitude)" if mercator else ""
        raise input_error(
            "crs-web-mercator" if mercator else "crs-geographic" if horizontal.is_geographic else "crs-not-projected",
            f"{what}: the CRS {horizontal.name!r} is {kind}{why}; slopes and areas need a projected one. "
            f"Reproject it: {_how_to_reproject(horizontal, bounds, what, vectors)}",
            where,
        )
    axis = horizontal.axis_info[0]
    xy_unit = length_unit(axis.unit_conversion_factor)
    if xy_unit is None:
        raise input_error(
            "crs-unit-unknown",
            f"{what}: the CRS {horizontal.name!r} is in {axis.unit_name!r}; only metre, international foot "
            f"and US survey foot are known. Reproject it: {_how_to_reproject(horizontal, bounds, what, vectors)}",
            where,
        )
    return CrsFacts(name_of(horizontal), LENGTH_UNITS_M[xy_unit], vertical_unit)


def horizontal_part(crs: "pyproj.CRS") -> "pyproj.CRS":
    """Return the horizontal part of a CRS, which may be the whole of it."""
    horizontal = crs.sub_crs_list[0] if crs.is_compound else crs
    return horizontal.source_crs if horizontal.is_bound and horizontal.source_crs is not None else horizontal


def vertical_part(crs: "pyproj.CRS", what: str, where: str | None) -> str | None:
    """Return the unit of the heights of a CRS that has them, as in `CrsFacts`.

    Raises
    ------
    InputError
        A compound CRS has them in another unit.
    """
    if crs.is_compound:
        for part in crs.sub_crs_list[1:]:
            if part.is_vertical:
                unit = length_unit(part.axis_info[0].unit_conversion_factor)
                if unit is None:
                    raise input_error(
                        "vertical-unit-unknown",
                        f"{what}: heights are in {part.axis_info[0].unit_name!r}; only metre, international foot "
                        "and US survey foot are known: convert them",
                        where,
                    )
                return unit
    elif len(crs.axis_info) > 2:
        return length_unit(crs.axis_info[2].unit_conversion_factor)
    return None


def parse_crs(text: str, *, what: str = "raster", where: str | None = None) -> "pyproj.CRS":
    """Return the ``pyproj.CRS`` of ``"EPSG:n"`` or WKT; nothing else is accepted, so that no text names a file.

    Raises
    ------
    InputError
        The text is neither, or PROJ does not know it.
    """
    import pyproj
    from pyproj.exceptions import CRSError

    stripped = text.strip()
    code = stripped.upper().removeprefix("EPSG:")
    try:
        if stripped.upper().startswith("EPSG:") and code.replace("+", "").isdigit():
            return pyproj.CRS.from_user_input(f"EPSG:{code}")
        return pyproj.CRS.from_wkt(stripped)
    except CRSError:
        short = stripped if len(stripped) <= 60 else stripped[:57] + "..."
        raise input_error(
            "crs-unknown",
            f"{what}: CRS {short!r} is not understood; give an EPSG code such as EPSG:26916",
            where,
        ) from None


def name_of(crs: "pyproj.CRS") -> str:
    """Return ``"EPSG:n"`` where PROJ finds the CRS equivalent to a code, else its WKT."""
    code = crs.to_epsg()
    return crs.to_wkt() if code is None else f"EPSG:{code}"


def length_unit(metres: float) -> str | None:
    """Return ``"m"``, ``"ft"`` or ``"us-ft"`` for a number of metres per unit, else None."""
    for name, size in LENGTH_UNITS_M.items():
        if abs(metres - size) <= _UNIT_TOLERANCE * size:
            return name
    return None


def utm_code(crs: "pyproj.CRS", bounds: tuple[float, float, float, float] | None) -> str:
    """Return the EPSG code of the UTM zone at the middle of `bounds`; NAD83 in North America, else WGS 84.

    Without bounds, or where they fall outside the CRS, the code is ``EPSG:269zz``, to be filled in.
    """
    middle = _middle(crs, bounds)
    if middle is None:
        return "EPSG:269zz (zz = the UTM zone, 15 or 16 in Wisconsin)"
    lon, lat = middle
    zone = min(int((lon + 180) // 6) + 1, 60)
    if 14 <= lat <= 84 and -168 <= lon <= -52:
        return f"EPSG:{26900 + zone}"
    return f"EPSG:{(32600 if lat >= 0 else 32700) + zone}"


def _middle(crs: "pyproj.CRS", bounds: tuple[float, float, float, float] | None) -> tuple[float, float] | None:
    """Return longitude and latitude of the middle of `bounds`; None where it cannot be found."""
    import math

    import pyproj

    if bounds is None:
        return None
    west, south, east, north = bounds
    try:
        to_degrees = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    except pyproj.exceptions.ProjError:  # a CRS that can be read but not used
        return None
    lon, lat = to_degrees.transform((west + east) / 2, (south + north) / 2)
    known = math.isfinite(lon) and math.isfinite(lat) and abs(lon) <= 180 and abs(lat) <= 84
    return (lon, lat) if known else None


def _how_to_reproject(
    crs: "pyproj.CRS", bounds: tuple[float, float, float, float] | None, what: str, vectors: bool
) -> str:
    """Return the command that reprojects a file, and the state-plane codes of its place."""
    middle = _middle(crs, bounds)
    plane = "" if middle is None else "".join(f"; or {name}" for name in _state_planes(*middle))
    code = utm_code(crs, bounds)
    if vectors:
        return f"ogr2ogr -t_srs {code} OUT IN{plane}"
    own = ". `sedcalc ls-grid` does it with --reproject utm" if what == "DEM" else ""
    return f"gdalwarp -t_srs {code} -r bilinear, with the cell size of the source{plane}{own}"


def _state_planes(lon: float, lat: float) -> list[str]:
    """Return code and name of the NAD83 state-plane zones of a place, in the feet of the state where it has them."""
    import pyproj
    from pyproj.aoi import AreaOfInterest
    from pyproj.database import query_crs_info

    here = AreaOfInterest(lon, lat, lon, lat)
    kind = pyproj.enums.PJType.PROJECTED_CRS
    found = query_crs_info(auth_name="EPSG", pj_types=kind, area_of_interest=here, contains=True)
    zones: dict[str, tuple[bool, str]] = {}
    for info in found:
        if info.name.startswith("NAD83 / "):
            crs = pyproj.CRS.from_epsg(int(info.code))
            operation = crs.coordinate_operation
            if operation is not None and operation.name.startswith("SPCS83"):
                metric = crs.axis_info[0].unit_conversion_factor == 1.0
                zone = info.name.split(" (")[0]
                zones[zone] = min(zones.get(zone, (True, "~")), (metric, f"EPSG:{info.code} ({info.name})"))
    return [zones[name][1] for name in sorted(zones)]


def same_place(first: str, second: str, bounds: tuple[float, float, float, float], tolerance: float) -> bool:
    """Whether two CRS put the corners of `bounds` in the same place, to `tolerance` units.

    For a CRS that no EPSG code names (the text beside an old raster); two known codes are compared as codes.
    """
    import pyproj

    if first == second:
        return True
    if first.startswith("EPSG:") and second.startswith("EPSG:"):
        return False
    west, south, east, north = bounds
    xs, ys = [west, east, west, east], [south, south, north, north]
    try:
        move = pyproj.Transformer.from_crs(parse_crs(first), parse_crs(second), always_xy=True)
    except pyproj.exceptions.ProjError:
        return False
    new_xs, new_ys = move.transform(xs, ys)
    return all(abs(a - b) <= tolerance for a, b in zip(xs + ys, [*new_xs, *new_ys], strict=True))
