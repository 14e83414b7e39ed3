"""Scalars and arrays in, the same kind out, and the range check that every factor shares."""

import sys
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sedcalc.findings import InputError, input_error

FloatArray: TypeAlias = NDArray[np.floating[Any]]
Floats: TypeAlias = float | FloatArray
"""A number, or an array of numbers; a function given numbers only returns a Python float."""

Texts: TypeAlias = str | NDArray[np.str_]


def float_arrays(**values: Floats) -> tuple[FloatArray, ...]:
    """Return the named values as arrays of one floating type: float32 if every array is, else float64.

    A scalar takes the type of the arrays it meets, so that float32 grids stay float32.

    Raises
    ------
    InputError
        A value is not numeric, or is a masked array (its mask would be lost).
    """
    arrays = []
    for name, value in values.items():
        if _is_masked(value):
            raise input_error("masked-array", "is a masked array; fill it with NaN first", name)
        array = np.asarray(value)
        if array.dtype.kind not in "fiu":
            raise input_error("not-a-number", f"must be numeric, not {value!r:.60}", name)
        arrays.append(array)
    shaped = [a.dtype for a in arrays if a.ndim]
    dtype = np.float32 if shaped and all(t == np.float32 for t in shaped) else np.float64
    return tuple(a.astype(dtype, copy=False) for a in arrays)


def _is_masked(value: object) -> bool:
    """Whether a value is a masked array; numpy.ma, which is slow to load, is loaded where there are any."""
    return "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray)


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
        place = f" (at index {index}; {int(bad.sum())} of {bad.size} values)"
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
    # fmin and fmax skip NaN and make no temporaries: the usual case costs two passes.
    least, most = float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
    low_ok = least > low if above else least >= low
    if values.ndim and np.isnan(least):
        return
    if low_ok and most <= high and np.isfinite(least) and np.isfinite(most):
        return
    bad = (values <= low) if above else (values < low)
    bad = bad | (values > high) | np.isinf(values)
    if values.ndim == 0:
        bad = bad | np.isnan(values)
    limits = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} and more"
    says = f"is outside {'above ' if above else ''}{limits} {unit}".rstrip()
    raise outside_error(f"{name.replace('_', '-')}-out-of-range", name, values, bad, says, remedy)
