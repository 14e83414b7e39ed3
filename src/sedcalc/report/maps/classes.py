"""Classes of a map: their breaks, colours and legend, the same for every picture and file of a quantity."""

import itertools
import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from sedcalc.compliance.ordinance import Ordinance
from sedcalc.load.load_table import SedimentLoad
from sedcalc.report.maps.themes import soils_of_cells
from sedcalc.terrain.grid import FloatArray
from sedcalc.terrain.ls_raster import SLOPE_CLASSES_PCT
from sedcalc.units import K_US_SI, TON_PER_ACRE_T_PER_HA

_LOSS: Final = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # tons/acre
_LS: Final = (0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
_K: Final = (0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40, 0.45, 0.50, 0.60)
# Colour maps whose lightness falls all the way, and the part of each that is used.
_Ramp = tuple[str, float, float]
_BELOW: Final[_Ramp] = ("PuBu", 0.1, 0.45)
_ABOVE: Final[_Ramp] = ("YlOrRd", 0.5, 1.0)  # darker than all below, on a grey copy too
_OF_LS: Final[_Ramp] = ("YlGnBu", 0.05, 0.95)
_OF_SLOPE: Final[_Ramp] = ("YlOrBr", 0.02, 0.95)
_OF_K: Final[_Ramp] = ("BuPu", 0.1, 0.9)


@dataclass(frozen=True, slots=True)
class Classes:
    """Classes of a quantity: a class holds its lower edge and not its upper one.

    Parameters
    ----------
    title
        What the legend is headed with.
    unit
        Unit of the edges, as a file says it.
    edges
        From the lowest up, one more than there are classes; the last may be infinite.
    colors
        One ``#rrggbb`` for each class.
    labels
        One text for each class.
    marks
        Text of the edges that mean something, such as the limit.
    """

    title: str
    unit: str
    edges: tuple[float, ...]
    colors: tuple[str, ...]
    labels: tuple[str, ...]
    marks: dict[float, str] = field(default_factory=dict)

    def index(self, values: FloatArray) -> np.ndarray:
        """Return the class of each value from 0 up, int16; -1 where there is none.

        Parameters
        ----------
        values
            Any shape, in `unit`; NaN where there is none.
        """
        found = np.searchsorted(np.array(self.edges[1:-1]), np.nan_to_num(values), side="right").astype(np.int16)
        found[np.isnan(values)] = -1
        return found

    def counts(self, values: FloatArray) -> list[int]:
        """Return the number of cells of each class.

        Parameters
        ----------
        values
            As in `index`.
        """
        index = self.index(values)
        return [int(n) for n in np.bincount(index[index >= 0].ravel(), minlength=len(self.colors))]


def loss_classes(values: FloatArray, limit: float | None, units: str) -> Classes:
    """Return the classes of soil loss that occur, from 0 up, the limit among their edges.

    Parameters
    ----------
    values
        Soil loss, tons/acre.
    limit
        The ordinance's limit, tons/(acre yr), or None.
    units
        ``us`` or ``si``: the unit that the legend is written in.
    """
    breaks = sorted({*_LOSS, *(() if limit is None else (limit,))})
    edges = _occurring(values, breaks, at_least=limit)
    # A colour stands for the same loss on the map of every phase; its hue changes at the limit.
    scale = [0.0, *breaks]
    below = [b for b in scale if limit is not None and b < limit]
    above = [b for b in scale if b not in below]
    color = {b: _ramp(_BELOW, k, len(below)) for k, b in enumerate(below)}
    color |= {b: _ramp(_ABOVE, k, len(above)) for k, b in enumerate(above)}
    factor, name = (TON_PER_ACRE_T_PER_HA, "t/ha") if units == "si" else (1.0, "tons/acre")
    marks = {} if limit is None else {limit: f"{limit * factor:.3g}: limit (12 months)"}
    colors = tuple(color[low] for low in edges[:-1])
    return Classes(f"{name} over the phase", "short tons/acre", edges, colors, _texts(edges, factor), marks)


def ls_classes(values: FloatArray) -> Classes:
    """Return the classes of LS that occur.

    Parameters
    ----------
    values
        LS, dimensionless.
    """
    edges = _occurring(values, list(_LS))
    scale = [0.0, *_LS]
    colors = tuple(_ramp(_OF_LS, scale.index(low), len(scale)) for low in edges[:-1])
    return Classes("LS, dimensionless", "1", edges, colors, _texts(edges, 1.0))


def slope_classes(ordinance: Ordinance) -> Classes:
    """Return the classes of slope that reports count, the ordinance's steep slope and 3H:1V marked.

    Parameters
    ----------
    ordinance
        Whose ``steep_slope`` is one of the edges.
    """
    steep = ordinance.numbers.get("steep_slope")
    marks = {33.34: "33.3 %: 3H:1V"}
    if steep is not None:
        marks[steep.value] = f"{steep.value:g} %: {steep.clause}"
    edges = (*sorted({*SLOPE_CLASSES_PCT, *marks}), math.inf)
    colors = tuple(_ramp(_OF_SLOPE, k, len(edges) - 1) for k in range(len(edges) - 1))
    labels = tuple(t.replace("33.34", "33.3") for t in _texts(edges, 1.0, digits=4))
    return Classes("slope, percent", "percent", edges, colors, labels, marks)


def k_classes(values: FloatArray, load: SedimentLoad) -> Classes:
    """Return the classes of K: one for each soil's, or those that occur in a raster.

    Parameters
    ----------
    values
        K, ton ac h/(hundreds of ac ft tonf in).
    load
        Load of a gridded site.
    """
    factor, unit = (K_US_SI, "t ha h/(ha MJ mm)") if load.site.units == "si" else (1.0, "US customary")
    title, soils = f"K, {unit}", soils_of_cells(load)
    if soils is None or len(soils) > len(_K):
        edges = _occurring(values, list(_K))
        scale = [0.0, *_K]
        colors = tuple(_ramp(_OF_K, scale.index(low), len(scale)) for low in edges[:-1])
        return Classes(title, "ton ac h/(100 ac ft tonf in)", edges, colors, _texts(edges, factor))
    known = list(soils)
    middles = [(a + b) / 2.0 for a, b in itertools.pairwise(known)]
    edges = (0.0, *middles, math.inf)
    colors = tuple(_ramp(_OF_K, k, max(len(known), 3)) for k in range(len(known)))
    labels = tuple(f"{k * factor:.3g}  {soils[k]}" for k in known)
    return Classes(title, "ton ac h/(100 ac ft tonf in)", edges, colors, labels)


def _occurring(values: FloatArray, breaks: list[float], at_least: float | None = None) -> tuple[float, ...]:
    """Return the edges from 0 to the first break above all values, and to `at_least`."""
    known = values[~np.isnan(values)]
    top = float(known.max()) if known.size else 0.0
    edges = [0.0, *[b for b in breaks if b <= top]]
    edges.append(next((b for b in breaks if b > top), math.inf))
    if at_least is not None and at_least > edges[-1]:
        edges += [b for b in breaks if edges[-1] < b <= at_least]
    return tuple(edges)


def _texts(edges: tuple[float, ...], factor: float, digits: int = 3) -> tuple[str, ...]:
    return tuple(
        f"over {a * factor:.{digits}g}" if math.isinf(b) else f"{a * factor:.{digits}g} to {b * factor:.{digits}g}"
        for a, b in itertools.pairwise(edges)
    )


def _ramp(ramp: _Ramp, step: int, steps: int) -> str:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    name, low, high = ramp
    return to_hex(colormaps[name](low + (high - low) * step / max(steps - 1, 1)))
