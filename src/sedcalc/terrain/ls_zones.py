"""What a map of LS amounts to in a zone, which is a part of what was routed."""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from sedcalc.findings import Finding, by_severity, count_of
from sedcalc.terrain.ls_kernels import CLASS_EDGES, SLOPE_CLASSES_PCT
from sedcalc.terrain.ls_raster import LSResult
from sedcalc.terrain.ls_summary import LSSummary, SlopeClass, summary_findings
from sedcalc.terrain.state import CHANNEL, LOWER_BOUND, SEALED, BoolArray
from sedcalc.units import ACRE_M2, SQUARE_FOOT_M2, area_text


@dataclass(frozen=True)
class ZoneSummary:
    """What LS in one zone amounts to. Acres, mean, largest and classes are over cells that can erode and have an LS.

    Parameters
    ----------
    cells, acres
        Cells with an LS.
    mean, max
        Of LS, dimensionless; None where no cell has one.
    classes
        Land by slope.
    lower_bound, lower_bound_share
        Cells that get 1 % of their area or more through the edge of what was routed with the zone, and their share of
        the cells with an LS.
    channels, sealed, over_60_pct
        Cells in channels (no LS), that do not erode (LS 0), and too steep for the method (no LS).
    without_elevation_acres
        Part of the polygon without elevations or beyond the edge of the DEM, acres.
    """

    cells: int
    acres: float
    mean: float | None
    max: float | None
    classes: tuple[SlopeClass, ...]
    lower_bound: int
    lower_bound_share: float | None
    channels: int
    sealed: int
    over_60_pct: int
    without_elevation_acres: float

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as the object that JSON results hold."""
        return asdict(self)


def zone_summary(result: LSResult, here: tuple[slice, slice], inside: BoolArray, beyond_acres: float) -> ZoneSummary:
    """Return what LS in a zone amounts to.

    Parameters
    ----------
    result
        LS of the zone and the land around it.
    here
        Rows and columns of the zone's bounding box.
    inside
        True in the zone, of the shape of the box.
    beyond_acres
        Part of the zone beyond the edge of the elevation model, acres.
    """
    ls, slope, state = result.ls.values[here], result.slope[here], result.state[here]
    known = inside & ~np.isnan(slope)  # which is wherever there is an elevation
    channel = known & (state & CHANNEL != 0)
    sealed = known & ~channel & (state & SEALED != 0)
    erodes = known & ~channel & ~sealed & ~np.isnan(ls)
    values = ls[erodes].astype(np.float64)
    kind = np.digitize(slope[erodes], np.asarray(CLASS_EDGES))
    cells = np.bincount(kind, minlength=len(SLOPE_CLASSES_PCT) - 1)
    sums = np.bincount(kind, weights=values, minlength=len(SLOPE_CLASSES_PCT) - 1)
    acre = result.ls.cell_acres
    count, bound = len(values), int(np.count_nonzero(erodes & (state & LOWER_BOUND != 0)))
    return ZoneSummary(
        cells=count,
        acres=count * acre,
        mean=float(sums.sum() / count) if count else None,
        max=float(values.max()) if count else None,
        classes=tuple(
            SlopeClass(low, high, int(n), int(n) * acre, float(total / n) if n else None)
            for low, high, n, total in zip(SLOPE_CLASSES_PCT, SLOPE_CLASSES_PCT[1:], cells, sums, strict=False)
        ),
        lower_bound=bound,
        lower_bound_share=bound / count if count else None,
        channels=int(np.count_nonzero(channel)),
        sealed=int(np.count_nonzero(sealed)),
        over_60_pct=int(np.count_nonzero(known & ~channel & ~sealed & ~erodes)),
        without_elevation_acres=int(np.count_nonzero(inside & ~known)) * acre + beyond_acres,
    )


def zone_findings(zone: ZoneSummary, routed: LSSummary) -> list[Finding]:
    """Return what a reader must know of a zone: what is said of a map, of what is counted here.

    Parameters
    ----------
    zone
        What its LS amounts to.
    routed
        What that of all that was routed amounts to.
    """
    counted = replace(
        routed,
        cells=zone.cells,
        classes=zone.classes,
        channels=zone.channels,
        sealed=zone.sealed,
        over_60_pct=zone.over_60_pct,
        # counted of all that was routed, not of the zone, or said below
        over_400_ft=0,
        capped=0,
        lower_bound=0,
        pits_filled=0,
        pits_kept=0,
    )
    found = summary_findings(counted, routed.cell_acres)
    if zone.lower_bound:
        text = (
            f"LS: {count_of(zone.lower_bound, 'cell')} ({area_text(zone.lower_bound * routed.cell_acres)} acres, "
            f"{zone.lower_bound_share:.1%} of those with an LS) get 1 % or more of the runoff through the edge of what "
            "was routed with the zone, where land beyond may add to it, so that LS is a lower bound there: give a "
            "larger halo, or a DEM that reaches the divides"
        )
        found.append(Finding("upslope-area-incomplete", "note", text))
    if zone.without_elevation_acres > SQUARE_FOOT_M2 / ACRE_M2:
        text = (
            f"{area_text(zone.without_elevation_acres)} acres have no elevation or lie beyond the edge of the DEM, "
            "without an LS: give a DEM that covers the zone"
        )
        found.append(Finding("zone-without-elevation", "warning", text))
    return by_severity(found)
