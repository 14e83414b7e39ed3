"""R K LS added up by zone and class: the small table that schedules and scenarios are computed from."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sedcalc.findings import Finding, count_of, input_error
from sedcalc.io.vector_files import Value as ZoneId
from sedcalc.load.ground import Floats
from sedcalc.load.raster_inputs import Given, upper_limit
from sedcalc.load.raster_loss import soil_loss_of_rasters

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class KLSTable:
    """Soil loss at C = P = 1 of each zone and class.

    Parameters
    ----------
    zones
        Ids of the zones; None stands for all cells, where there are no zones.
    classes
        The classes, smallest first.
    tons_per_year
        Sum of R K LS times area, short tons/yr, (zones, classes); 0 where there are no cells with a value.
    acres
        Area of the cells that it is summed over, acres, (zones, classes).
    findings
        In the order found.
    """

    zones: tuple[ZoneId | None, ...]
    classes: tuple[int, ...]
    tons_per_year: Floats
    acres: Floats
    findings: tuple[Finding, ...]

    def soil_loss(self, C: ArrayLike, P: ArrayLike = 1.0) -> Floats:
        """Return the soil loss of each zone under any number of scenarios.

        Parameters
        ----------
        C
            Cover-management factor of each class, dimensionless, 0 to 1.2, (..., classes); or one number.
        P
            Support-practice factor of each class, dimensionless, 0 to 1.3, (..., classes); or one number.

        Returns
        -------
        ndarray
            Soil loss, short tons/yr, (..., zones).

        Raises
        ------
        InputError
            A factor is out of its range or NaN, or the last axis is not that of the classes.
        """
        c, p = _factor("C", C), _factor("P", P)
        for symbol, values in (("C", c), ("P", p)):
            if values.ndim and values.shape[-1] != len(self.classes):
                wanted = count_of(len(self.classes), "class", "classes")
                message = f"has {count_of(values.shape[-1], 'value')} for {wanted}; give one for each, in order"
                raise input_error("classes-differ", message, symbol)
        try:
            factor = np.broadcast_to(c * p, np.broadcast_shapes(c.shape, p.shape, (len(self.classes),)))
        except ValueError:
            message = f"C {c.shape} and P {p.shape} do not broadcast; give as many scenarios of each, or one"
            raise input_error("shapes-differ", message, "C") from None
        # einsum without a library for matrices, whose sums differ with the number of threads
        loss: Floats = np.einsum("zc,...c->...z", self.tons_per_year, factor)
        return loss

    @property
    def table(self) -> "pd.DataFrame":
        """The table as a DataFrame of short tons/yr, zones down and classes across."""
        import pandas as pd

        return pd.DataFrame(self.tons_per_year, index=list(self.zones), columns=list(self.classes))


def kls_table(
    R: Given,
    K: Given,
    LS: Given,
    *,
    classes: str | os.PathLike[str],
    zones: str | os.PathLike[str] | None = None,
    units: str = "us",
    attribute: str | None = None,
    layer: str | None = None,
    crs: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> KLSTable:
    """Sum of R K LS times area over each zone and class, in one pass over rasters that may be larger than memory.

    Where C and P are the same on all cells of a class, soil loss under any of them is this table times C times P: a
    schedule or a scenario takes no further look at the cells.

    Parameters
    ----------
    R, K, LS
        Numbers or paths of GeoTIFFs, as in `soil_loss_of_rasters`.
    classes
        GeoTIFF of classes, whole numbers, such as land cover.
    zones, units, attribute, layer, crs, progress
        As in `soil_loss_of_rasters`.

    Returns
    -------
    KLSTable
        Short tons/yr at C = P = 1, (zones, classes).

    Raises
    ------
    InputError
        As in `soil_loss_of_rasters`; or a factor is given by phase.

    Examples
    --------
    Two classes of two cells, 0.1 acre each, with R 90, K 0.32 and LS 4.8 of the published site of `soil_loss`: 138.24
    tons/(acre yr) at C = P = 1. Two schedules, from the table alone: all bare, and class 2 under straw (C 0.11):

    >>> import numpy as np, tempfile
    >>> from sedcalc.io.raster_rows import without_values
    >>> from sedcalc.io.rasters import write_grid
    >>> side = (0.1 * 4046.8564224) ** 0.5
    >>> cells = without_values((2, 2), (side, 0.0, 420000.0, 0.0, -side, 4750000.0), "EPSG:26916", 1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     codes = cells.with_values(np.array([[1.0, 1.0], [2.0, 2.0]]))
    ...     file = write_grid(f"{folder}/cover.tif", codes, units_tag="1", description="cover")
    ...     small = kls_table(90, 0.32, 4.8, classes=file)
    >>> small.classes, small.tons_per_year.round(6).tolist()
    ((1, 2), [[27.648, 27.648]])
    >>> small.soil_loss(C=[[1.0, 1.0], [1.0, 0.11]]).round(5).tolist()
    [[55.296], [30.68928]]
    """
    for symbol, given in (("R", R), ("K", K), ("LS", LS)):
        if isinstance(given, Mapping):
            raise input_error("factor-by-phase", "is given by phase; make a table of each phase", symbol)
    found = soil_loss_of_rasters(
        R,
        K,
        LS,
        1.0,
        1.0,
        units=units,
        zones=zones,
        attribute=attribute,
        layer=layer,
        classes=classes,
        crs=crs,
        progress=progress,
    )
    ids = tuple(dict.fromkeys(found.zone))
    codes = tuple(sorted({code for code in found.cover_class if code is not None}))
    place_of_id, place_of_code = ({value: i for i, value in enumerate(values)} for values in (ids, codes))
    z = [place_of_id[id] for id in found.zone]
    k = [place_of_code[code] for code in found.cover_class if code is not None]
    tons, acres = np.zeros((len(ids), len(codes))), np.zeros((len(ids), len(codes)))
    tons[z, k], acres[z, k] = np.nan_to_num(found.tons_per_year), found.acres_with_value
    return KLSTable(ids, codes, tons, acres, found.findings)


def _factor(symbol: str, values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    high = upper_limit(symbol, "us")
    wrong = ~((array >= 0.0) & (array <= high))
    if wrong.any():
        message = f"{array[wrong].ravel()[0]:g} is outside 0 to {high:.4g}; give a fraction"
        raise input_error("factor-out-of-range", message, symbol)
    return array
