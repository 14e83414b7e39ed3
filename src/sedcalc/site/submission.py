"""The site as an applicant describes it: frozen, strict models, one for each part of a site file.

The models check shape and type only. What needs two fields, a reference table or a file is checked in
`sedcalc.site.checks`, so that all mistakes of a file come back at once. Quantities are in the site's ``units``:
``"us"`` (acres, feet, square feet, ft3/s, R and K in US customary units) or ``"si"`` (hectares, metres, square
metres, m3/s, MJ mm/(ha h yr), t ha h/(ha MJ mm)).
"""

import datetime
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PrivateAttr

from sedcalc.factors.cover import C_UPPER_LIMIT
from sedcalc.factors.support import P_UPPER_LIMIT
from sedcalc.findings import Finding
from sedcalc.site.application import Application
from sedcalc.site.claims import Claims
from sedcalc.site.fields import Date, File, Id, Ids, NotNegative, Part, Percent, Positive, Share, Text

FORMAT = "sedcalc.site/1"


def _name_only(value: Any) -> Any:
    """Take a bare text for a table that has only a name (``cover = "bare"`` for ``cover = { name = "bare" }``)."""
    return {"name": value} if isinstance(value, str) else value


def _id_only(value: Any) -> Any:
    """Take a bare text for a table that needs only an id."""
    return {"id": value} if isinstance(value, str) else value


class Project(Part):
    """Who and what the plan is for; printed, not computed with."""

    name: Text
    applicant: Text | None = None
    address: Text | None = None
    description: Annotated[str, Field(max_length=5000)] | None = None
    prepared_by: Text | None = None
    date: Date | None = None
    common_plan_area: Annotated[
        Positive | None, Field(description="Area of the whole common plan of development, acres | ha")
    ] = None
    explanation: Annotated[
        str | None,
        Field(max_length=20000, description="Why the standard cannot be met, if it cannot (written explanation)"),
    ] = None


class EiDistribution(Part):
    """A distribution of erosivity over the year, for places without an EI zone."""

    cumulative_pct: Annotated[
        tuple[Percent, ...],
        Field(strict=False, min_length=25, max_length=25, description="At the ends of the 25 EPA table dates, %"),
    ]
    source: Text


class Location(Part):
    """The place: a county, or the EI zone and the annual R with its source."""

    county: Annotated[Text | None, Field(description="'Milwaukee, WI' or a FIPS code")] = None
    ei_zone: Annotated[int | None, Field(ge=1, le=140, description="EPA EI zone; goes before the county's")] = None
    ei_distribution: EiDistribution | None = None
    R: Annotated[Positive | None, Field(description="Annual erosivity; goes before the county's")] = None
    R_low: Annotated[Positive | None, Field(description="Low end of the plausible range of R")] = None
    R_high: Annotated[Positive | None, Field(description="High end of the plausible range of R")] = None
    R_source: Text | None = None


class Topography(Part):
    """How LS is computed."""

    ratio: Annotated[Literal["low", "moderate", "high"], Field(description="Ratio of rill to interrill erosion")] = (
        "high"
    )
    method: Annotated[Literal["rusle", "usle"], Field(description="Equations of S and m")] = "rusle"


class Delivery(Part):
    """Hillslope delivery ratio other than 1, with its source."""

    ratio: Annotated[Positive, Field(le=1)]
    source: Text


class ByParticleClass(Part):
    """A number for each particle class of detached sediment, with its source."""

    clay: Annotated[Share, Field(description="Primary clay")]
    silt: Annotated[Share, Field(description="Primary silt")]
    small_aggregates: Annotated[Share, Field(description="Aggregates of 0.03-0.1 mm, of clay and silt")]
    large_aggregates: Annotated[Share, Field(description="Aggregates of 0.3-2 mm, of all separates")]
    sand: Annotated[Share, Field(description="Primary sand")]
    source: Annotated[Text, Field(description="Where the five numbers come from")]


class Separates(Part):
    """USDA separates of the fine earth, in percent of its mass; they add to 100."""

    sand_pct: Annotated[Percent, Field(description="0.05-2 mm, %")]
    silt_pct: Annotated[Percent, Field(description="0.002-0.05 mm, %")]
    clay_pct: Annotated[Percent, Field(description="Under 0.002 mm, %")]


class Soil(Part):
    """A soil and its erodibility: K given with a source, by texture, or by the nomograph."""

    id: Id
    texture: Annotated[Text | None, Field(description="USDA texture class")] = None
    organic_matter_pct: Percent | None = None
    K: Annotated[NotNegative | None, Field(description="Erodibility, with K_source")] = None
    K_source: Text | None = None
    silt_vfs_pct: Annotated[Percent | None, Field(description="Silt and very fine sand, %")] = None
    sand_pct: Annotated[Percent | None, Field(description="Sand 0.10-2 mm, %")] = None
    structure: Annotated[int | None, Field(ge=1, le=4, description="Structure class of the nomograph")] = None
    permeability: Annotated[int | None, Field(ge=1, le=6, description="Permeability class of the nomograph")] = None
    separates: Annotated[
        Separates | None, Field(description="Sand, silt and clay, from which the particle classes follow")
    ] = None
    particle_classes: Annotated[
        ByParticleClass | None,
        Field(description="Shares of the detached sediment, adding to 1; goes before what separates give"),
    ] = None


class DrainageArea(Part):
    """Land that drains to one outfall."""

    id: Id
    outfall: Id


class Segment(Part):
    """A stretch of an irregular slope, from the top down."""

    length: Positive
    slope_pct: NotNegative


class Establishment(Part):
    """The cover that grows in after sowing: its C, by name or with a source, and the days from which it counts.

    Until ``sown`` the cover that it stands in holds (the bare or mulched seedbed), from ``established`` on this one;
    between them C runs along ``shape``. How long a cover takes has no default.
    """

    sown: Annotated[Date, Field(description="Last day at the C of the seedbed")]
    established: Annotated[Date, Field(description="First day at the C of the established cover")]
    name: Annotated[Text | None, Field(description="Established cover, a name from the table of covers")] = None
    C: Annotated[NotNegative | None, Field(le=1.2, description="C of the established cover, with source")] = None
    source: Text | None = None
    shape: Annotated[Literal["linear", "logistic"], Field(description="Course of C between the two days")] = "linear"
    steepness: Annotated[
        float | None, Field(gt=0, le=50, description="Of the logistic course, with steepness_source")
    ] = None
    steepness_source: Annotated[Text | None, Field(description="Where the steepness comes from")] = None
    winter_credit_source: Annotated[
        Text | None, Field(description="Source for growth before Apr 15 of what is sown from Oct 15 to then")
    ] = None


class Cover(Part):
    """Cover management: a name from the table, C with its source, a C raster, or a land-cover raster with C per code.

    A bare text is the name.
    """

    name: Text | None = None
    C: Annotated[NotNegative | None, Field(le=C_UPPER_LIMIT)] = None
    source: Text | None = None
    raster: Annotated[File | None, Field(description="GeoTIFF of C")] = None
    land_cover: Annotated[File | None, Field(description="GeoTIFF of land-cover codes")] = None
    table: Annotated[File | None, Field(description="CSV with columns code, cover, C, source")] = None
    mat: Annotated[Text | None, Field(description="Class of the erosion mat, a name from the table mat_classes")] = None
    establishes: Annotated[Establishment | None, Field(description="What grows in after sowing")] = None


class SurfaceCondition(Part):
    """Surface condition or support practice: a name from the table, P with its source, or a P raster.

    A bare text is the name.
    """

    name: Text | None = None
    P: Annotated[NotNegative | None, Field(le=P_UPPER_LIMIT)] = None
    source: Text | None = None
    raster: Annotated[File | None, Field(description="GeoTIFF of P")] = None


CoverField = Annotated[Cover, BeforeValidator(_name_only, json_schema_input_type=str | Cover)]
SurfaceField = Annotated[SurfaceCondition, BeforeValidator(_name_only, json_schema_input_type=str | SurfaceCondition)]


class GroundUnit(Part):
    """A piece of ground with one history.

    On grids ``area``, ``slope_pct`` and ``length`` come from the raster, and ``drainage_area`` and ``soil`` may come
    from polygons.
    """

    id: Id
    drainage_area: Id | None = None
    soil: Id | None = None
    area: Annotated[Positive | None, Field(description="acres | ha")] = None
    slope_pct: Annotated[NotNegative | None, Field(description="Steepness, %")] = None
    length: Annotated[Positive | None, Field(description="Horizontal slope length, ft | m")] = None
    segments: Annotated[tuple[Segment, ...] | None, Field(strict=False, min_length=2, max_length=50)] = None
    existing_cover: Annotated[
        CoverField | None, Field(description="Before disturbance: background, in neither tons nor acres of the ruling")
    ] = None
    stabilized: Annotated[Date | None, Field(description="Day on which final stabilization is reached")] = None
    final_cover: Annotated[CoverField | None, Field(description="From the day after, to the site's last")] = None
    final_cover_pct: Annotated[
        Percent | None, Field(description="Ground covered at final stabilization, % (density of perennial cover)")
    ] = None


class UnitSlope(Part):
    """The slope of a ground unit from this phase on (grading changes it)."""

    unit: Id
    slope_pct: NotNegative | None = None
    length: Positive | None = None
    segments: Annotated[tuple[Segment, ...] | None, Field(strict=False, min_length=2, max_length=50)] = None


class Phase(Part):
    """A stage of construction on the ground units it names, both dates inclusive."""

    id: Id
    start: Date
    end: Date
    units: Ids
    cover: CoverField
    surface_condition: SurfaceField | None = None
    slopes: Annotated[tuple[UnitSlope, ...], Field(strict=False)] = ()
    dem: Annotated[File | None, Field(description="Graded surface from this phase on (gridded sites)")] = None
    idle: Annotated[
        bool, Field(description="No land-disturbing work: the ground rests in this cover, its temporary stabilization")
    ] = False
    stockpile: Annotated[bool, Field(description="The ground units hold soil stockpiles, until their next phase")] = (
        False
    )


class Drained(Part):
    """A drainage area, or a share of it, that drains to a practice. A bare text is the id: all of it."""

    id: Annotated[Id, Field(description="Id of the drainage area")]
    share: Annotated[float, Field(gt=0, le=1, description="Share of the drainage area's sediment")] = 1.0


DrainedField = Annotated[Drained, BeforeValidator(_id_only, json_schema_input_type=str | Drained)]


class Practice(Part):
    """A practice that traps sediment between a drainage area and its outfall, both dates inclusive.

    Credit comes from exactly one of: ``efficiency`` with ``source``; ``catalogue`` (a name of the trapping table);
    a size rule (``size_rule``) or the overflow rate (``settling``) with the dimensions it needs; or
    ``class_efficiencies``.
    """

    id: Id
    start: Date
    end: Date
    drainage_areas: Annotated[
        tuple[DrainedField, ...],
        Field(strict=False, description="What drains directly to it; what no practice takes goes to the outfall"),
    ] = ()
    drains_to: Annotated[Id | None, Field(description="The next practice; none: the outfall")] = None
    bypass: Annotated[Share, Field(description="Share of what reaches it that goes past it untreated")] = 0.0
    kind: Annotated[Text | None, Field(description="Such as 'silt fence'; otherwise as catalogue or rule say")] = None
    efficiency: Share | None = None
    source: Text | None = None
    catalogue: Text | None = None
    size_rule: Literal["sediment trap", "sediment basin"] | None = None
    settling: Annotated[
        Literal["overflow rate"] | None,
        Field(description="Efficiency of each particle class by surface_area, peak_outflow and Stokes' law"),
    ] = None
    class_efficiencies: Annotated[
        ByParticleClass | None, Field(description="Trapping efficiency of each particle class")
    ] = None
    surface_area: Annotated[Positive | None, Field(description="ft2 | m2, size rules and settling")] = None
    texture_group: Annotated[
        Literal["coarse", "medium", "fine"] | None, Field(description="Trap rule; otherwise by the soils drained")
    ] = None
    peak_outflow: Annotated[Positive | None, Field(description="ft3/s | m3/s, basin rule and settling")] = None
    settling_velocity: Annotated[Positive | None, Field(description="ft/s | m/s, basin rule")] = None
    design_storm: Annotated[Text | None, Field(description="Storm of the peak outflow, basin rule and settling")] = None
    fence_length: Annotated[Positive | None, Field(description="Length of a silt fence, ft | m")] = None
    slope_length_above: Annotated[
        Positive | None, Field(description="Slope length that drains to a silt fence, ft | m")
    ] = None
    slope_above_pct: Annotated[
        NotNegative | None, Field(description="Steepness above a silt fence, %; otherwise the steepest ground drained")
    ] = None


class Polygons(Part):
    """A polygon file (GeoPackage or GeoJSON) and the attribute that holds the ids."""

    file: File
    attribute: Text


class Places(Polygons):
    """Points, lines or polygons of outfalls and practices; the attribute names the drainage area of each."""

    snap: Annotated[
        NotNegative, Field(description="Distance within which a point moves to where most water flows, ft | m")
    ] = 0.0


class GridInputs(Part):
    """Rasters and polygons of a gridded site; paths are relative to the site file."""

    dem: File | None = None
    z_units: Literal["m", "ft", "us-ft"] | None = None
    crs: Annotated[Text | None, Field(description="'EPSG:n', only where the rasters carry none")] = None
    routing: Literal["mfd", "d8", "dinf"] = "mfd"
    formula: Literal["isotropic", "desmet-govers"] = "isotropic"
    max_length: Annotated[Positive | None, Field(description="Cap of the slope length, ft | m; 1,000 ft")] = None
    max_fill: Annotated[
        NotNegative | None, Field(description="Depth of depressions up to which they are passed, ft | m; 0.2 m")
    ] = None
    barriers: Annotated[File | None, Field(description="Lines or polygons that end slope length")] = None
    channels: Annotated[
        File | None, Field(description="Lines or polygons of channels: they end slope length, and are no part of units")
    ] = None
    channel_area: Annotated[
        Positive | None,
        Field(description="Contributing area from which a cell of dem is a channel too, on every surface, acres | ha"),
    ] = None
    sealed: Annotated[
        File | None, Field(description="Polygons of pavement and buildings: no erosion, water passes")
    ] = None
    walls: Annotated[
        File | None, Field(description="Lines or polygons that water goes round: no erosion, no water passes")
    ] = None
    LS: Annotated[File | None, Field(description="Ready-made LS raster instead of a DEM")] = None
    K: Annotated[File | None, Field(description="K raster in the site's units, instead of soils")] = None
    K_source: Text | None = None
    R: Annotated[File | None, Field(description="R raster in the site's units, instead of the location's R")] = None
    R_source: Text | None = None
    soils: Annotated[Polygons | None, Field(description="Polygons whose attribute names a soil's id")] = None
    ground_units: Annotated[
        Polygons | None, Field(description="Polygons of the ground units; without them the one unit is the raster")
    ] = None
    drainage_areas: Polygons | None = None
    outfalls: Annotated[
        Places | None,
        Field(
            description="Outfalls and practices that the drainage areas are found from by the DEM, instead of polygons"
        ),
    ] = None


class Window(Part):
    """A window for which the discharge is asked, both days inclusive."""

    start: Date
    end: Date


class Site(Part):
    """A construction site, its schedule and its controls."""

    format: Literal["sedcalc.site/1"]
    project: Project
    ordinance: Annotated[Text, Field(description="Name of a shipped ordinance, or path of an ordinance file")]
    units: Literal["us", "si"]
    location: Location
    topography: Topography = Topography()
    delivery: Delivery | None = None
    soils: Annotated[tuple[Soil, ...], Field(strict=False)] = ()
    drainage_areas: Annotated[tuple[DrainageArea, ...], Field(strict=False, min_length=1)]
    ground_units: Annotated[tuple[GroundUnit, ...], Field(strict=False, min_length=1)]
    phases: Annotated[tuple[Phase, ...], Field(strict=False, min_length=1)]
    practices: Annotated[tuple[Practice, ...], Field(strict=False)] = ()
    combination: Annotated[
        Literal["series", "single-best", "particle-classes"],
        Field(
            description="How practices one after the other combine: 1 - product of (1 - e); the best one alone; or by "
            "particle class, so that a second practice does not trap the fines again"
        ),
    ] = "series"
    windows: Annotated[tuple[Window, ...], Field(strict=False)] = ()
    grid: GridInputs | None = None
    claims: Annotated[Claims | None, Field(description="Numbers the applicant claims, for `sedcalc verify`")] = None
    application: Annotated[Application | None, Field(description="Answers, dates and what the plan holds")] = None
    _folder: Path | None = PrivateAttr(default=None)
    _read: tuple[str, str, dict[str, Any]] | None = PrivateAttr(default=None)
    _reading: tuple[Finding, ...] = PrivateAttr(default=())
    _checked: tuple[dict[str, Any], list[Finding]] | None = PrivateAttr(default=None)

    @property
    def folder(self) -> Path:
        """Folder that relative paths start from: the site file's, else the current one."""
        return self._folder or Path.cwd()

    def read_from(self, path: Path, data: bytes) -> "Site":
        """Return the site with the file it was read from noted.

        Parameters
        ----------
        path
            The site file.
        data
            Its bytes.
        """
        self.located_at(path)
        self._read = (path.name, hashlib.sha256(data).hexdigest(), dict(self.__dict__))
        return self

    def with_checks(self, findings: Sequence[Finding]) -> "Site":
        """Return the site, as it was read, with what its checks found noted.

        Parameters
        ----------
        findings
            Of `sedcalc.site.checks.check_site`.
        """
        self._checked = (dict(self.__dict__), list(findings))
        return self

    def checked(self) -> list[Finding] | None:
        """Return what checks of this very content in its folder found; None where it was not checked since."""
        checked = self._checked
        return None if checked is None or checked[0] != self.__dict__ else list(checked[1])

    def located_at(self, path: Path) -> "Site":
        """Return the site with its relative paths starting where its file lies.

        Parameters
        ----------
        path
            The site file.
        """
        self._folder, self._checked = Path(os.path.realpath(path)).parent, None
        return self

    @property
    def reading(self) -> tuple[Finding, ...]:
        """What had to be assumed to read the site from its file; nothing for a site file."""
        return self._reading

    def with_reading(self, findings: Sequence[Finding]) -> "Site":
        """Return the site with what its reader assumed noted.

        Parameters
        ----------
        findings
            Warnings and notes.
        """
        self._reading = tuple(findings)
        return self

    def beside(self, other: "Site") -> "Site":
        """Return the site with its relative paths starting where another's do.

        Parameters
        ----------
        other
            The site whose folder it takes.
        """
        self._folder, self._checked = other._folder, None
        return self

    def with_practice(self, id: str, *, before: str | None = None, after: str | None = None, **fields: Any) -> "Site":
        """Return the site with a practice added, or changed where it has one of this id.

        Parameters
        ----------
        id
            Id of the practice.
        before, after
            Id of the practice above or below which it stands: before a practice it takes what drained to that one,
            after it what that one lets pass.
        **fields
            Fields of a practice as in a site file, in the site's units. Without ``start`` and ``end`` a new one works
            from the day before the first to the last date of the schedule. A new way of giving credit (``efficiency``
            with ``source``, ``catalogue``, ``size_rule``, ...) takes the place of the one there was.

        Raises
        ------
        InputError
            The site that comes of it has a mistake; all are listed.

        Examples
        --------
        80 % at the trap, then half of the rest at the fence: 1 - 0.2 x 0.5 = 90 %.

        >>> import sedcalc as sc
        >>> site = sc.read_site(sc.example("hales_corners_subdivision.toml"))
        >>> fenced = site.with_practice("fence", after="north trap", efficiency=0.5, source="maker's test")
        >>> table = sc.sediment_load(fenced).table
        >>> float(round(table[table.drainage_area == "north"].efficiency.max(), 9))
        0.9
        """
        from sedcalc.site.what_if import with_practice

        return with_practice(self, id, fields, before, after)

    def without_practice(self, id: str) -> "Site":
        """Return the site without a practice; what drained to it goes on to the next, or to the outfall.

        Parameters
        ----------
        id
            Id of the practice.

        Raises
        ------
        InputError
            The site has no such practice.
        """
        from sedcalc.site.what_if import without_practice

        return without_practice(self, id)

    def with_dates(
        self,
        id: str | None = None,
        *,
        start: "datetime.date | str | None" = None,
        end: "datetime.date | str | None" = None,
        stabilized: "datetime.date | str | None" = None,
        shift_days: int = 0,
    ) -> "Site":
        """Return the site with other dates of a phase, a practice or a ground unit, or with all its dates shifted.

        Parameters
        ----------
        id
            Id of a phase, a practice or a ground unit; None with ``shift_days`` for the whole schedule.
        start, end
            First and last day of a phase or practice, dates or ISO texts.
        stabilized
            Day of final stabilization of a ground unit, a date or ISO text.
        shift_days
            Days to shift by, later where positive; dates given beside it are taken as they are.

        Raises
        ------
        InputError
            No or several things have this id; it has no such date; the site that comes of it has a mistake.

        Examples
        --------
        Nothing but the calendar is changed:

        >>> import sedcalc as sc
        >>> site = sc.read_site(sc.example("hales_corners_subdivision.toml"))
        >>> site.with_dates(shift_days=30).phases[0].start - site.phases[0].start
        datetime.timedelta(days=30)
        """
        from sedcalc.site.what_if import with_dates

        return with_dates(self, id, start, end, stabilized, shift_days)

    def with_cover(self, phase: str, cover: "str | Cover | dict[str, Any] | None" = None, **fields: Any) -> "Site":
        """Return the site with another cover in a phase.

        Parameters
        ----------
        phase
            Id of the phase.
        cover
            Name of a cover in the table ``covers``, or its fields as in a site file.
        **fields
            The fields instead, such as ``C=0.1, source="..."``.

        Raises
        ------
        InputError
            There is no such phase or cover, or C comes without a source.

        Examples
        --------
        >>> import sedcalc as sc
        >>> site = sc.read_site(sc.example("hales_corners_subdivision.toml"))
        >>> site.with_cover("building", "gravel").phases[4].cover.name
        'gravel'
        """
        from sedcalc.site.what_if import with_cover

        if isinstance(cover, Cover):
            cover = cover.model_dump(exclude_unset=True)
        return with_cover(self, phase, fields if cover is None else cover)

    def content_sha256(self) -> str:
        """Return the SHA-256 of what the site says, whatever the format of its file."""
        return hashlib.sha256(self.model_dump_json(exclude_defaults=True).encode()).hexdigest()

    def files(self) -> dict[str, str]:
        """Return name and SHA-256 of the site file, nothing where the site was built or changed in Python."""
        read = self._read
        return {} if read is None or read[2] != self.__dict__ else {read[0]: read[1]}
