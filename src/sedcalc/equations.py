"""The factor equations for numbers and arrays of every kind; DataArrays keep labels and CRS, dask arrays stay lazy.

Here stand the equations of `sedcalc.factors`, and `sedcalc.rain.energy.unit_energy`, under their own names. Numbers
and NumPy arrays go straight to them. An ``xarray.DataArray`` comes out as one on the same coordinates; what is lazy
(dask) is computed when its values are asked for, so a value out of range is refused only then, and the place that
the message names is one in its chunk. Where the equation works along a list (the parts of a period, practices in
series, the segments of a slope), a DataArray needs ``dim``, the name of that dimension; NumPy and bare dask arrays have
it last. `class_chain` has two such dimensions, ``dim=(practices, classes)``. What a result keeps of them comes last in
it; `sediment_classes` adds the dimension ``particle_class``.

DataArrays must lie on equal coordinates and in one CRS: nothing is joined or reprojected. Attributes that all of
them share are kept, but not units, names and encodings, which are those of another quantity.

Left to `sedcalc.factors` are five functions of one zone's 25 percents and single dates, which have no raster to work
on: `daily_ei`, `monthly_ei`, `half_monthly_ei`, `ei_fraction_table_dates` and `ei_difference`. They refuse dates in
arrays and return NumPy arrays and numbers.
"""

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from sedcalc.factors import (
    cell_topography,
    cover,
    delivery,
    erodibility,
    erosivity,
    rain_amounts,
    runoff,
    rusle,
    sediment,
    soil_properties,
    support,
    topography,
)
from sedcalc.factors import trapping as trap
from sedcalc.findings import InputError, input_error
from sedcalc.rain import energy

_TABLES: Final = ("class_max_length_ft", "class_p", "class_to_pct", "cumulative_pct", "short_rows")
"""Parameters that are a whole table for every cell."""

_OF_THE_QUANTITY: Final = frozenset(
    {"units", "long_name", "standard_name", "_FillValue", "missing_value", "scale_factor", "add_offset"}
    | {"valid_min", "valid_max", "valid_range", "actual_range"}
)


@dataclass(frozen=True)
class Axes:
    """Axes of its own that an equation has beside those of a raster, each the last of the arrays that have it.

    Attributes
    ----------
    arguments
        Names of the axes by parameter, in their order.
    results
        Names of the axes that each array of the result keeps, in their order.
    labels
        Labels of an axis that the equation adds, by its name, which is that of the dimension in DataArrays.
    """

    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    results: tuple[tuple[str, ...], ...] = ()
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self) -> tuple[str, ...]:
        """Return the axes of the arguments, in their order."""
        return max(self.arguments.values(), key=len, default=())


def _reduced(*parameters: str) -> Axes:
    """Return the axes of an equation that reduces the last axis of some parameters."""
    return Axes(dict.fromkeys(parameters, ("parts",)))


def lift(function: Callable[..., Any], axes: Axes = Axes()) -> Callable[..., Any]:
    """Return an equation that takes DataArrays and dask arrays beside numbers and NumPy arrays.

    Parameters
    ----------
    function
        A function of NumPy arrays that is elementwise but for the axes named in `axes`.
    axes
        Its other axes. An equation with axes in its arguments takes ``dim`` too: the name of that dimension in
        DataArrays, or as many names as there are axes.

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
        dim = kwargs.pop("dim", None) if axes.arguments else None
        given = dict(signature.bind(*args, **kwargs).arguments)
        return _applied(function, given, axes, (dim,) if isinstance(dim, str) else dim)

    return equation


def _is_labelled(value: Any) -> bool:
    """Whether a value is a DataArray, without loading xarray."""
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(value, xarray.DataArray)


def _is_lazy(value: Any) -> bool:
    """Whether a value is a bare dask array, without loading dask."""
    dask = sys.modules.get("dask.array")
    return dask is not None and isinstance(value, dask.Array)


def _applied(function: Callable[..., Any], given: Mapping[str, Any], axes: Axes, dims: tuple[str, ...] | None) -> Any:
    import xarray as xr

    fixed = {n: v for n, v in given.items() if n in _TABLES or not (_is_labelled(v) or _is_lazy(v) or np.ndim(v))}
    arrays, dims = _with_dimensions({n: v for n, v in given.items() if n not in fixed}, axes, dims)
    labelled = [v for v in arrays.values() if isinstance(v, xr.DataArray)]
    _check_labels(labelled)
    named = dict(zip(axes.names(), dims, strict=True)) | {name: name for name in axes.labels}
    core = {n: tuple(named[a] for a in axes.arguments.get(n, ())) for n in arrays}
    arrays = {n: v.chunk(dict.fromkeys(core[n], -1)) if core[n] and v.chunks else v for n, v in arrays.items()}
    sample = _sample(function, {n: (v.dtype, [v.sizes[d] for d in core[n]]) for n, v in arrays.items()}, fixed)
    parts = sample if isinstance(sample, tuple) else (sample,)
    varying = [k for k, part in enumerate(parts) if isinstance(part, np.ndarray)]
    kept = [tuple(named[a] for a in own) for own in axes.results or ((),) * len(varying)]

    def block(*values: Any) -> Any:
        result = function(**fixed, **dict(zip(arrays, values, strict=True)))
        result = result if isinstance(result, tuple) else (result,)
        loops = (np.shape(v)[: np.ndim(v) - len(core[n])] for n, v in zip(arrays, values, strict=True))
        shape = np.broadcast_shapes(*loops)
        filled = tuple(_of_shape(result[k], shape + parts[k].shape[1:]) for k in varying)
        return filled if len(filled) > 1 else filled[0]

    results = xr.apply_ufunc(
        block,
        *arrays.values(),
        input_core_dims=list(core.values()),
        output_core_dims=kept,
        join="exact",
        keep_attrs="override",  # of the coordinates, the CRS among them; those of the result follow
        dask="parallelized",
        output_dtypes=[parts[k].dtype for k in varying],
        dask_gufunc_kwargs={"output_sizes": {named[a]: len(labels) for a, labels in axes.labels.items()}},
    )
    results = results if len(varying) > 1 else (results,)
    names = sample._fields if hasattr(sample, "_fields") else (function.__name__,) * len(parts)
    whole = list(parts)
    for k, result in zip(varying, results, strict=True):
        whole[k] = _named(result, names[k], labelled, axes.labels) if labelled else result.data
    if hasattr(sample, "_fields"):
        return type(sample)(*whole)
    return tuple(whole) if isinstance(sample, tuple) else whole[0]


def _with_dimensions(
    arrays: Mapping[str, Any], axes: Axes, dims: tuple[str, ...] | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arrays with named dimensions, and those of the own axes, which arrays without labels have last."""
    import xarray as xr

    own = {n: len(axes.arguments.get(n, ())) for n in arrays}
    labelled = {n: v for n, v in arrays.items() if isinstance(v, xr.DataArray)}
    bare = {n: v if _is_lazy(v) else np.asarray(v) for n, v in arrays.items() if n not in labelled}
    if not labelled:
        dims = tuple(f"own_{name}" for name in axes.names())
        depth = max(v.ndim - own[n] for n, v in bare.items())
        order = tuple(f"axis_{k}" for k in range(depth))
        named = {}
        for n, v in bare.items():
            if v.ndim < own[n]:
                raise input_error("too-few-axes", f"has {v.ndim} axes; its last {own[n]} are the equation's own", n)
            named[n] = xr.Variable((*order[depth - v.ndim + own[n] :], *dims[len(dims) - own[n] :]), v)
        _check_sizes(named)
        return {n: named[n] for n in arrays}, dims
    dims = _checked_dims(labelled, axes, dims)
    first = next(iter(labelled.values())).dims
    same = all(v.dims == first for v in labelled.values())
    for name, value in bare.items():
        if own[name] and value.ndim == own[name]:
            labelled[name] = xr.DataArray(value, dims=dims[len(dims) - own[name] :])
        elif same and not axes.arguments and value.ndim <= len(first):
            labelled[name] = xr.DataArray(value, dims=first[len(first) - value.ndim :])
        else:
            message = f"an array of shape {value.shape} beside DataArrays needs dimensions: make it a DataArray"
            raise input_error("array-without-labels", message, name)
    return {n: labelled[n] for n in arrays}, dims


def _checked_dims(labelled: Mapping[str, Any], axes: Axes, dims: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the dimensions of the equation's own axes, or refuse the DataArrays."""
    names = axes.names()
    if names and (dims is None or len(dims) != len(names)):
        listed = ", ".join(axes.arguments)
        message = f"name the dimension along which {listed} are listed" if len(names) == 1 else ""
        message = message or f"name {len(names)} dimensions, of {' and '.join(names)}, in {listed}"
        raise input_error("dim-missing", message, "dim")
    dims = dims or ()
    for name, own in axes.arguments.items():
        for dim in dims[len(dims) - len(own) :] if name in labelled else ():
            if dim not in labelled[name].dims:
                raise input_error("dim-unknown", f"has the dimensions {labelled[name].dims}, not {dim!r}", name)
    for name, value in labelled.items():
        for dim in set(value.dims) & set(axes.labels):
            raise input_error("dim-taken", f"has a dimension {dim!r}, which the result adds; rename it", name)
    return dims


def _check_sizes(named: Mapping[str, Any]) -> None:
    sizes: dict[Any, int] = {}
    for name, value in named.items():
        for dim, size in value.sizes.items():
            if sizes.setdefault(dim, size) != size:
                shapes = ", ".join(f"{n} {v.shape}" for n, v in named.items())
                raise input_error("shapes-differ", f"the arrays do not broadcast: {shapes}", name)


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


def _sample(function: Callable[..., Any], kinds: Mapping[str, tuple[Any, list[int]]], fixed: Mapping[str, Any]) -> Any:
    """Return what the equation gives for a raster without cells: the kind and type of the result."""
    try:
        return function(**fixed, **{n: np.empty((0, *own), dtype) for n, (dtype, own) in kinds.items()})
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise input_error("not-a-number", f"the arrays cannot be used: {error}") from None


def _of_shape(value: Any, shape: tuple[int, ...]) -> Any:
    return value if np.shape(value) == shape and isinstance(value, np.ndarray) else np.full(shape, value)


def _named(result: Any, name: str, labelled: list[Any], labels: Mapping[str, tuple[str, ...]]) -> Any:
    """Return the result with its own name and labels, and the attributes that all arguments share."""
    first, *others = labelled
    result = result.assign_coords({dim: list(of) for dim, of in labels.items()})
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
annual_rain_r: Final = lift(rain_amounts.annual_rain_r)
basin_outflow_cfs: Final = lift(trap.basin_outflow_cfs)
basin_required_area_ft2: Final = lift(trap.basin_required_area_ft2)
canopy: Final = lift(cover.canopy)
cell_l_desmet_govers: Final = lift(cell_topography.cell_l_desmet_govers)
cell_ls_isotropic: Final = lift(cell_topography.cell_ls_isotropic)
class_chain: Final = lift(
    trap.class_chain,
    Axes(
        {"class_shares": ("classes",), "class_efficiencies": ("practices", "classes")},
        results=(("practices", "classes"), ("classes",)),
    ),
)
coarse_fragment_factor: Final = lift(erodibility.coarse_fragment_factor)
combined_p: Final = lift(support.combined_p, _reduced("subfactors"))
composite: Final = lift(runoff.composite, _reduced("values", "areas"))
cumulative_ei: Final = lift(erosivity.cumulative_ei)
curve_number_runoff_in: Final = lift(runoff.curve_number_runoff_in)
daily_rain_ei: Final = lift(rain_amounts.daily_rain_ei)
delivery_ratio: Final = lift(delivery.delivery_ratio)
design_storm_ei: Final = lift(rain_amounts.design_storm_ei)
dg_k: Final = lift(erodibility.dg_k)
ei_fraction: Final = lift(erosivity.ei_fraction)
epic_k: Final = lift(erodibility.epic_k)
establishing_slr: Final = lift(cover.establishing_slr)
geometric_mean_diameter_mm: Final = lift(erodibility.geometric_mean_diameter_mm)
modified_fournier_index: Final = lift(rain_amounts.modified_fournier_index, _reduced("monthly_rain"))
monthly_rain_r: Final = lift(rain_amounts.monthly_rain_r, _reduced("monthly_rain_in"))
musle_tons: Final = lift(runoff.musle_tons)
nomograph_k: Final = lift(erodibility.nomograph_k)
overflow_efficiency: Final = lift(trap.overflow_efficiency)
p_by_slope_class: Final = lift(support.p_by_slope_class)
permeability_class: Final = lift(soil_properties.permeability_class)
profile_ls: Final = lift(topography.profile_ls)
rational_peak_cfs: Final = lift(runoff.rational_peak_cfs)
residue_alpha_ac_lb: Final = lift(cover.residue_alpha_ac_lb)
residue_cover_pct: Final = lift(cover.residue_cover_pct)
rock_adjusted_conductivity: Final = lift(soil_properties.rock_adjusted_conductivity)
roughness_after_rain: Final = lift(cover.roughness_after_rain)
sediment_classes: Final = lift(
    sediment.sediment_classes,
    Axes(results=(("particle_class",),), labels={"particle_class": sediment.PARTICLE_CLASSES}),
)
segmented_ls: Final = lift(
    topography.segmented_ls,
    Axes(dict.fromkeys(("slope_pct", "length_ft"), ("segments",)), results=((), *(("segments",),) * 4)),
)
series_efficiency: Final = lift(trap.series_efficiency, _reduced("efficiencies"))
single_best: Final = lift(trap.single_best, _reduced("efficiencies"))
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
texture_class: Final = lift(soil_properties.texture_class)
texture_k: Final = lift(erodibility.texture_k)
trap_drained_acres: Final = lift(trap.trap_drained_acres)
trap_required_area_ft2: Final = lift(trap.trap_required_area_ft2)
two_year_six_hour_r: Final = lift(rain_amounts.two_year_six_hour_r)
unit_energy: Final = lift(energy.unit_energy)
weighted_c: Final = lift(cover.weighted_c, _reduced("ei_share", "slr"))
