"""The factor equations for numbers and arrays of every kind; DataArrays keep labels and CRS, dask arrays stay lazy.

Here stand the equations of `sedcalc.factors`, and `sedcalc.rain.energy.unit_energy`, under their own names. Numbers
and NumPy arrays go straight to them. An ``xarray.DataArray`` comes out as one on the same coordinates; what is lazy
(dask) is computed when its values are asked for, so a value out of range is refused only then, and the place that
the message names is one in its chunk. Where the equation works along a list (the parts of a period, practices in
series), a DataArray needs ``dim``, the name of that dimension; NumPy and bare dask arrays have it last.

DataArrays must lie on equal coordinates and in one CRS: nothing is joined or reprojected. Attributes that all of
them share are kept, but not units, names and encodings, which are those of another quantity.

Left to `sedcalc.factors`, and NumPy, are the equations whose result has an axis of its own: `segmented_ls` along a
slope, `class_chain` and `sediment_classes` by particle class, and the shares of days and months.
"""

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from sedcalc.factors import cover, delivery, erodibility, erosivity, runoff, rusle, sediment, support, topography
from sedcalc.factors import trapping as trap
from sedcalc.findings import InputError, input_error
from sedcalc.rain import energy

_TABLES: Final = ("class_max_length_ft", "class_p", "class_to_pct", "cumulative_pct", "short_rows")
"""Parameters that are a whole table for every cell."""

_OF_THE_QUANTITY: Final = frozenset(
    {"units", "long_name", "standard_name", "_FillValue", "missing_value", "scale_factor", "add_offset"}
    | {"valid_min", "valid_max", "valid_range", "actual_range"}
)


def lift(function: Callable[..., Any], along: tuple[str, ...] = ()) -> Callable[..., Any]:
    """Return an equation that takes DataArrays and dask arrays beside numbers and NumPy arrays.

    Parameters
    ----------
    function
        An elementwise function of NumPy arrays, or one that reduces their last axis.
    along
        Names of the parameters whose last axis it reduces; the equation then takes ``dim`` too, the name of that
        dimension in DataArrays.

    Returns
    -------
    callable
        The equation, with the signature and docstring of `function`. xarray is loaded by the first argument that
        needs it, and never by numbers and NumPy arrays.

    Examples
    --------
    By hand, twice 3 m and twice 4 m, with the coordinate kept:

    >>> import xarray as xr
    >>> depth = xr.DataArray([3.0, 4.0], coords={"x": [10, 20]})
    >>> twice = lift(lambda metres: 2.0 * metres)(depth)
    >>> twice.values.tolist(), twice.x.values.tolist()
    ([6.0, 8.0], [10, 20])
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def equation(*args: Any, **kwargs: Any) -> Any:
        if not any(_is_labelled(v) or _is_lazy(v) for v in (*args, *kwargs.values())):
            return function(*args, **kwargs)
        dim = kwargs.pop("dim", None) if along else None
        given = dict(signature.bind(*args, **kwargs).arguments)
        return _applied(function, given, along, dim)

    return equation


def _is_labelled(value: Any) -> bool:
    """Whether a value is a DataArray, without loading xarray."""
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(value, xarray.DataArray)


def _is_lazy(value: Any) -> bool:
    """Whether a value is a bare dask array, without loading dask."""
    dask = sys.modules.get("dask.array")
    return dask is not None and isinstance(value, dask.Array)


def _applied(function: Callable[..., Any], given: Mapping[str, Any], along: tuple[str, ...], dim: str | None) -> Any:
    import xarray as xr

    fixed = {n: v for n, v in given.items() if n in _TABLES or not (_is_labelled(v) or _is_lazy(v) or np.ndim(v))}
    arrays, dim = _with_dimensions({n: v for n, v in given.items() if n not in fixed}, along, dim)
    labelled = [v for v in arrays.values() if isinstance(v, xr.DataArray)]
    _check_labels(labelled)
    reduced = [n for n in arrays if n in along]
    if reduced:
        arrays |= {n: arrays[n].chunk({dim: -1}) for n in reduced if arrays[n].chunks}
    dtypes = {n: v.dtype for n, v in arrays.items()}
    sample = _sample(function, dtypes, fixed, bool(reduced))
    parts = sample if isinstance(sample, tuple) else (sample,)
    varying = [k for k, part in enumerate(parts) if isinstance(part, np.ndarray)]

    def block(*values: Any) -> Any:
        result = function(**fixed, **dict(zip(arrays, values, strict=True)))
        result = result if isinstance(result, tuple) else (result,)
        if reduced:
            return np.asarray(result[0])
        shape = np.broadcast_shapes(*(np.shape(v) for v in values))
        filled = tuple(_of_shape(result[k], shape) for k in varying)
        return filled if len(filled) > 1 else filled[0]

    results = xr.apply_ufunc(
        block,
        *arrays.values(),
        input_core_dims=[[dim] if n in reduced else [] for n in arrays],
        output_core_dims=[[] for _ in varying],
        join="exact",
        keep_attrs="override",  # of the coordinates, the CRS among them; those of the result follow
        dask="parallelized",
        output_dtypes=[parts[k].dtype for k in varying],
    )
    results = results if len(varying) > 1 else (results,)
    names = sample._fields if hasattr(sample, "_fields") else (function.__name__,) * len(parts)
    whole = list(parts)
    for k, result in zip(varying, results, strict=True):
        whole[k] = _named(result, names[k], labelled) if labelled else result.data
    if hasattr(sample, "_fields"):
        return type(sample)(*whole)
    return tuple(whole) if isinstance(sample, tuple) else whole[0]


def _with_dimensions(
    arrays: Mapping[str, Any], along: tuple[str, ...], dim: str | None
) -> tuple[dict[str, Any], str | None]:
    """Return the arrays with named dimensions, and the one to reduce; arrays without labels have the last ones."""
    import xarray as xr

    labelled = {n: v for n, v in arrays.items() if isinstance(v, xr.DataArray)}
    if labelled and along and dim is None:
        raise input_error("dim-missing", f"name the dimension along which {', '.join(along)} are listed", "dim")
    for name in along:
        if name in labelled and dim not in labelled[name].dims:
            raise input_error("dim-unknown", f"has the dimensions {labelled[name].dims}, not {dim!r}", name)
    bare = {n: v if _is_lazy(v) else np.asarray(v) for n, v in arrays.items() if n not in labelled}
    if not labelled:
        depth = max(v.ndim for v in bare.values())
        order: tuple[Any, ...] = tuple(f"axis_{k}" for k in range(depth))
        named = {n: xr.Variable(order[depth - v.ndim :], v) for n, v in bare.items()}
        return {n: named[n] for n in arrays}, order[-1] if along else None
    first = next(iter(labelled.values())).dims
    same = all(v.dims == first for v in labelled.values())
    for name, value in bare.items():
        if name in along and value.ndim == 1:
            labelled[name] = xr.DataArray(value, dims=[dim])
        elif same and dim is None and value.ndim <= len(first):
            labelled[name] = xr.DataArray(value, dims=first[len(first) - value.ndim :])
        else:
            message = f"an array of shape {value.shape} beside DataArrays needs dimensions: make it a DataArray"
            raise input_error("array-without-labels", message, name)
    return {n: labelled[n] for n in arrays}, dim


def _check_labels(labelled: list[Any]) -> None:
    import xarray as xr

    try:
        xr.align(*labelled, join="exact", copy=False)
    except ValueError as error:
        message = f"the DataArrays do not lie on the same coordinates ({str(error).splitlines()[0]}); regrid them first"
        raise input_error("coordinates-differ", message) from None
    systems = {text for v in labelled if (text := _crs(v)) is not None}
    if len(systems) > 1:
        message = f"the DataArrays are in {len(systems)} coordinate reference systems; reproject them to one first"
        raise input_error("crs-differ", message)


def _crs(array: Any) -> str | None:
    name = array.encoding.get("grid_mapping", array.attrs.get("grid_mapping", "spatial_ref"))
    attributes = array.coords[name].attrs if name in array.coords else {}
    text = attributes.get("crs_wkt") or attributes.get("spatial_ref")
    return None if text is None else str(text)


def _sample(function: Callable[..., Any], dtypes: Mapping[str, Any], fixed: Mapping[str, Any], reduces: bool) -> Any:
    """Return what the equation gives for no values: the kind and type of the result."""
    if reduces:
        single = all(t == np.float32 for t in dtypes.values())
        return np.empty(0, np.float32 if single else np.float64)
    try:
        return function(**fixed, **{n: np.empty(0, dtype) for n, dtype in dtypes.items()})
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise input_error("not-a-number", f"the arrays cannot be used: {error}") from None


def _of_shape(value: Any, shape: tuple[int, ...]) -> Any:
    return value if np.shape(value) == shape and isinstance(value, np.ndarray) else np.full(shape, value)


def _named(result: Any, name: str, labelled: list[Any]) -> Any:
    """Return the result with its own name and the attributes that all arguments share."""
    first, *others = labelled
    result.name = name
    result.attrs = {
        key: value
        for key, value in first.attrs.items()
        if key not in _OF_THE_QUANTITY and all(key in o.attrs and _equal(o.attrs[key], value) for o in others)
    }
    if "grid_mapping" in first.encoding:
        result.encoding["grid_mapping"] = first.encoding["grid_mapping"]
    return result


def _equal(a: Any, b: Any) -> bool:
    return bool(np.array_equal(a, b))


aggregate_diameters_mm: Final = lift(sediment.aggregate_diameters_mm)
annual_rain_r: Final = lift(erosivity.annual_rain_r)
basin_outflow_cfs: Final = lift(trap.basin_outflow_cfs)
basin_required_area_ft2: Final = lift(trap.basin_required_area_ft2)
canopy: Final = lift(cover.canopy)
cell_l_desmet_govers: Final = lift(topography.cell_l_desmet_govers)
cell_ls_isotropic: Final = lift(topography.cell_ls_isotropic)
coarse_fragment_factor: Final = lift(erodibility.coarse_fragment_factor)
combined_p: Final = lift(support.combined_p, along=("subfactors",))
composite: Final = lift(runoff.composite, along=("values", "areas"))
cumulative_ei: Final = lift(erosivity.cumulative_ei)
curve_number_runoff_in: Final = lift(runoff.curve_number_runoff_in)
daily_rain_ei: Final = lift(erosivity.daily_rain_ei)
delivery_ratio: Final = lift(delivery.delivery_ratio)
design_storm_ei: Final = lift(erosivity.design_storm_ei)
dg_k: Final = lift(erodibility.dg_k)
ei_fraction: Final = lift(erosivity.ei_fraction)
epic_k: Final = lift(erodibility.epic_k)
establishing_slr: Final = lift(cover.establishing_slr)
geometric_mean_diameter_mm: Final = lift(erodibility.geometric_mean_diameter_mm)
musle_tons: Final = lift(runoff.musle_tons)
nomograph_k: Final = lift(erodibility.nomograph_k)
overflow_efficiency: Final = lift(trap.overflow_efficiency)
p_by_slope_class: Final = lift(support.p_by_slope_class)
permeability_class: Final = lift(erodibility.permeability_class)
profile_ls: Final = lift(topography.profile_ls)
rational_peak_cfs: Final = lift(runoff.rational_peak_cfs)
residue_alpha_ac_lb: Final = lift(cover.residue_alpha_ac_lb)
residue_cover_pct: Final = lift(cover.residue_cover_pct)
rock_adjusted_conductivity: Final = lift(erodibility.rock_adjusted_conductivity)
roughness_after_rain: Final = lift(cover.roughness_after_rain)
series_efficiency: Final = lift(trap.series_efficiency, along=("efficiencies",))
single_best: Final = lift(trap.single_best, along=("efficiencies",))
size_rule_efficiency: Final = lift(trap.size_rule_efficiency)
slope_length_exponent: Final = lift(topography.slope_length_exponent)
slope_length_factor: Final = lift(topography.slope_length_factor)
slope_limit_pct: Final = lift(cover.slope_limit_pct)
soil_loss: Final = lift(rusle.soil_loss)
soil_loss_ratio: Final = lift(cover.soil_loss_ratio)
steepness_factor: Final = lift(topography.steepness_factor)
stokes_settling_velocity: Final = lift(trap.stokes_settling_velocity)
surface_cover: Final = lift(cover.surface_cover)
surface_roughness: Final = lift(cover.surface_roughness)
texture_class: Final = lift(erodibility.texture_class)
texture_k: Final = lift(erodibility.texture_k)
trap_drained_acres: Final = lift(trap.trap_drained_acres)
trap_required_area_ft2: Final = lift(trap.trap_required_area_ft2)
two_year_six_hour_r: Final = lift(erosivity.two_year_six_hour_r)
unit_energy: Final = lift(energy.unit_energy)
weighted_c: Final = lift(cover.weighted_c, along=("ei_share", "slr"))
