"""Powers in compiled code, in steps that the compiler turns into vector instructions.

The equations stand in `sedcalc.factors.slope_kernels`, with ``kernel_power``. numpy computes that by ``**``; here
compiled code gets a version of its own, since the C library's power is called for one number at a time and was nine
tenths of the time of LS.

Logarithm and exponential are the plain power series on small ranges, where what is left out is under 5e-13: the
logarithm of a mantissa m in [sqrt(1/2), sqrt(2)) is 2 atanh((m - 1)/(m + 1)), and e^x is 2^n e^r with abs(r) up to
ln(2)/2. The power 0.8 is x times the inverse of its fifth root, which two steps of the binomial series find from a
guess made of its bits. Multiplication and addition in one rounding (fma) are asked for by name, so that the bits do
not depend on what the compiler contracts.
"""

import math
from typing import Any, Final

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic, overload, register_jitable

from sedcalc.factors import slope_kernels
from sedcalc.terrain.jit import inner

_SQRT_HALF_BITS: Final = 0x3FE6A09E667F3BCD
_MANTISSA_BITS: Final = 52
_LN2: Final = math.log(2.0)
# ln 2 in two parts, the first short enough that its product with an exponent is exact.
_LN2_HIGH: Final = float.fromhex("0x1.62e42fee00000p-1")
_LN2_LOW: Final = float.fromhex("0x1.a39ef35793c76p-33")
_ROUND: Final = 1.5 * 2.0**_MANTISSA_BITS  # adding it leaves a whole number in the lowest bits
# Bits rise with the logarithm, nearly in a line; the last term halves the largest error of the guess, to 3.2 %.
_FIFTH_ROOT_BITS: Final = 1.2 * 0x3FF0000000000000 - 0.059 * 2.0**_MANTISSA_BITS
_SMALLEST: Final = 1e-60  # far below any sine but 0

_intrinsic: Any = intrinsic  # its own type counts the typing context as an argument

for _function in (slope_kernels.kernel_mean_l, slope_kernels.kernel_sin):  # other kernels call them
    register_jitable(_function)


@_intrinsic  # type: ignore[untyped-decorator]
def _bits(typing_context: Any, number: Any) -> Any:
    """Return the bits of a float64 as an int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), generate


@_intrinsic  # type: ignore[untyped-decorator]
def _float(typing_context: Any, bits: Any) -> Any:
    """Return the float64 of these bits."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), generate


@_intrinsic  # type: ignore[untyped-decorator]
def _fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a*b + c, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), generate


@inner
def _log(x: Any) -> Any:
    """Return the natural logarithm of a positive number; about -709 for 0."""
    exponent = (_bits(x) - _SQRT_HALF_BITS) >> _MANTISSA_BITS
    m = _float(_bits(x) - (exponent << _MANTISSA_BITS))
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    tail = _fma(q, 1.0 / 13.0, 1.0 / 11.0)
    tail = _fma(tail, q, 1.0 / 9.0)
    tail = _fma(tail, q, 1.0 / 7.0)
    tail = _fma(tail, q, 1.0 / 5.0)
    tail = _fma(tail, q, 1.0 / 3.0)
    twice = s + s
    return _fma(float(exponent), _LN2, _fma(twice * q, tail, twice))


@inner
def _exp(x: Any) -> Any:
    """Return e to a power between -700 and 700."""
    shifted = _fma(x, 1.0 / _LN2, _ROUND)
    n = shifted - _ROUND
    r = _fma(n, -_LN2_LOW, _fma(n, -_LN2_HIGH, x))
    p = _fma(r, 1.0 / 3628800.0, 1.0 / 362880.0)
    p = _fma(p, r, 1.0 / 40320.0)
    p = _fma(p, r, 1.0 / 5040.0)
    p = _fma(p, r, 1.0 / 720.0)
    p = _fma(p, r, 1.0 / 120.0)
    p = _fma(p, r, 1.0 / 24.0)
    p = _fma(p, r, 1.0 / 6.0)
    p = _fma(p, r, 0.5)
    p = _fma(p, r, 1.0)
    p = _fma(p, r, 1.0)
    return _float(_bits(p) + (_bits(shifted) << _MANTISSA_BITS))


@inner
def _inverse_fifth_root(x: Any) -> Any:
    """Return x^-0.2 of a positive number."""
    y = _float(np.int64(_FIFTH_ROOT_BITS - 0.2 * float(_bits(x))))
    # (1 - e)^-0.2 = 1 + e/5 + 3 e^2/25 + 11 e^3/125 + 44 e^4/625 + ..., with e = 1 - x y^5
    e = _fma(-(x * y), (y * y) * (y * y), 1.0)
    y = y * _fma(_fma(_fma(_fma(e, 44.0 / 625.0, 11.0 / 125.0), e, 3.0 / 25.0), e, 0.2), e, 1.0)
    e = _fma(-(x * y), (y * y) * (y * y), 1.0)
    return y * _fma(_fma(e, 3.0 / 25.0, 0.2), e, 1.0)


@overload(slope_kernels.kernel_four_fifths)
def _compiled_four_fifths(base: Any) -> Any:
    """Give compiled code `slope_kernels.kernel_four_fifths`, for bases that are 0 or over 1e-60."""

    def power(base: Any) -> Any:
        return base * _inverse_fifth_root(max(base, _SMALLEST))

    return power


@overload(slope_kernels.kernel_power)
def _compiled_power(base: Any, exponent: Any) -> Any:
    """Give compiled code `slope_kernels.kernel_power`.

    Notes
    -----
    For bases that are 0 or normal, and powers between e^-700 and e^700. A base of 0 counts as 2^-1023.
    """

    def power(base: Any, exponent: Any) -> Any:
        return _exp(exponent * _log(base))

    return power
