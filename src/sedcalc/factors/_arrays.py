"""Scalars and arrays in, the same kind out, and the checks of ranges and names that every factor shares."""

import math
import sys
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import InputError, count_of, input_error

FloatArray: TypeAlias = NDArray[np.floating[Any]]
Floats: TypeAlias = float | FloatArray
"""A number, or an array of numbers; a function given numbers only returns a Python float."""

Texts: TypeAlias = str | NDArray[np.str_]


def float_arrays(**values: Floats) -> tuple[FloatArray, ...]:
    """Return the named values as arrays of one floating type, which must broadcast: float32 if every array is.

    A scalar takes the type of the arrays it meets, so that float32 grids stay float32; all else is float64.

    Raises
    ------
    InputError
        A value is not numeric, or is a masked array (its mask would be lost), or the shapes do not broadcast.
    """
    arrays = float_arrays_any_shape(**values)
    broadcast_shape(**dict(zip(values, arrays, strict=True)))
    return arrays


def float_arrays_any_shape(**values: Floats) -> tuple[FloatArray, ...]:
    """Return the named values as `float_arrays` does, whatever their shapes: for lists beside rasters."""
    arrays = []
    for name, value in values.items():
        refuse_masked(name, value, "fill it with NaN first")
        try:
            array = np.asarray(value)
        except ValueError:  # lists of unequal lengths
            raise input_error("not-a-number", f"must be numeric, not {shown(value)}", name) from None
        if array.dtype.kind not in "fiu":
            raise input_error("not-a-number", f"must be numeric, not {shown(value)}", name)
        arrays.append(array)
    shaped = [a.dtype for a in arrays if a.ndim]
    dtype = np.float32 if shaped and all(t == np.float32 for t in shaped) else np.float64
    return tuple(a.astype(dtype, copy=False) for a in arrays)


def broadcast_shape(**arrays: NDArray[Any]) -> tuple[int, ...]:
    """Return the shape that arrays broadcast to, or raise `InputError`."""
    try:
        return np.broadcast(*arrays.values()).shape
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in arrays.items())
        message = f"the shapes do not broadcast: {shapes}; give numbers, or arrays of one shape"
        raise input_error("shapes-differ", message, next(iter(arrays))) from None


def paired_arrays(**values: Floats) -> tuple[FloatArray, ...]:
    """Return two lists of equal length along the last axis, as `float_arrays` does.

    A list of one beside a list of several would be taken for each of them where it is multiplied, and once where it is
    added up: it is refused.

    Raises
    ------
    InputError
        As in `float_arrays`; or one of them is a number, they are empty, or their last axes differ.
    """
    arrays = float_arrays_any_shape(**values)
    lengths = {a.shape[-1] if a.ndim else None for a in arrays}
    if len(lengths) > 1 or not lengths.isdisjoint({None, 0}):
        shapes = ", ".join(f"{name} {a.shape}" for name, a in zip(values, arrays, strict=True))
        message = f"must be lists of one length, at least 1, along the last axis; the shapes are: {shapes}"
        raise input_error("lists-differ", message, ", ".join(values))
    broadcast_shape(**dict(zip(values, arrays, strict=True)))
    return arrays


def shown(value: object) -> str:
    """Return the start of a value on one line, for a message."""
    return " ".join(repr(value).split())[:60]


def refuse_masked(name: str, value: object, remedy: str) -> None:
    """Raise `InputError` for a masked array; numpy.ma, which is slow to load, is loaded where there are any."""
    if "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray):
        raise input_error("masked-array", f"is a masked array; {remedy}", name)


def check_name(
    value: str,
    allowed: Collection[str],
    name: str,
    elsewhere: Mapping[str, str] = MappingProxyType({}),
    hint: str = "",
) -> None:
    """Raise `InputError` unless a value is one of the names allowed: one text, and no array of them.

    Parameters
    ----------
    name
        Of the parameter, for the message.
    elsewhere
        The names allowed by those that others use.
    hint
        What else the message says.
    """
    if isinstance(value, str) and value in allowed:
        return
    names = ", ".join(map(repr, allowed))
    if not isinstance(value, str):
        says = f"must be one name, not {shown(value)}; use one of {names}"
    else:
        says = f"{value!r} is unknown; use one of {names}"
        if value in elsewhere:
            says += f"; what is {value!r} elsewhere is {elsewhere[value]!r} here"
    raise input_error(f"unknown-{name.replace('_', '-')}", says + hint, name)


def scalar_or_array(result: Any) -> Floats:
    """Return a Python float for a result without dimensions, else the array."""
    array: FloatArray = np.asarray(result)
    return array.item() if array.ndim == 0 else array


def outside_error(
    code: str, name: str, values: NDArray[Any], bad: NDArray[np.bool_], says: str, remedy: str
) -> InputError:
    """Return the error for the values where ``bad`` is true: the first of them, its place, and how many."""
    bad = np.broadcast_to(bad, np.broadcast_shapes(np.shape(bad), values.shape))
    values = np.broadcast_to(values, bad.shape)
    first = np.unravel_index(int(np.argmax(bad)), bad.shape)
    place = ""
    if bad.ndim:
        index = ", ".join(str(int(i)) for i in first)
        place = f" (at index {index}; {int(bad.sum())} of {count_of(bad.size, 'value')})"
    return input_error(code, f"{values[first].item():g}{place} {says}; {remedy}", name)


def check_range(
    name: str,
    values: FloatArray,
    low: float,
    high: float,
    unit: str,
    remedy: str,
    *,
    above: bool = False,
) -> None:
    """Raise `InputError` unless all values are finite and in ``low`` to ``high``.

    In arrays NaN is a missing value and passes; as a scalar it is a mistake.

    Parameters
    ----------
    name, unit, remedy
        For the message.
    above
        The lower limit itself is outside too.
    """
    if values.size == 0:
        return
    # A limit is met by its own nearest float32, which may lie beyond it.
    low, high = float(values.dtype.type(low)), float(values.dtype.type(high))
    if values.ndim == 0:
        least = most = values.item()
    else:  # fmin and fmax skip NaN and make no temporaries: the usual case costs two passes.
        least, most = float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
        if math.isnan(least):
            return
    low_ok = least > low if above else least >= low
    if low_ok and most <= high and math.isfinite(least) and math.isfinite(most):
        return
    bad = (values <= low) if above else (values < low)
    bad = bad | (values > high) | np.isinf(values)
    if values.ndim == 0:
        bad = bad | np.isnan(values)
    limits = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} and more"
    says = f"is outside {'above ' if above else ''}{limits} {unit}".rstrip()
    raise outside_error(f"{name.replace('_', '-')}-out-of-range", name, values, bad, says, remedy)
