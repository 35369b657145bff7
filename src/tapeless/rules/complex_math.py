"""Functions of the cmath module: complex numbers one by one, also where the argument is real.

They are analytic where they are smooth, so that each partial is the complex derivative, and the
cotangent of a real operand is the real part of its product. Across a branch cut nothing is
differentiable: there the derivative is that of the side on which the cut lies.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from tapeless.rules.declare import built_in_zero, elementwise, written_out
from tapeless.rules.results import scalars

_COMPLEX = scalars.complex_scalar


@elementwise(cmath.sqrt, kind=_COMPLEX)
def cmath_sqrt(y: Any, z: Any) -> Any:
    return np.divide(0.5, y)


@elementwise(cmath.exp, kind=_COMPLEX)
def cmath_exp(y: Any, z: Any) -> Any:
    return y


@elementwise(cmath.log, kind=_COMPLEX)
def cmath_log(y: Any, z: Any, base: Any = None) -> Any:
    if base is None:
        return np.divide(1.0, z), None
    return 1.0 / (z * cmath.log(base)), -y / (base * cmath.log(base))


@elementwise(cmath.log10, kind=_COMPLEX)
def cmath_log10(y: Any, z: Any) -> Any:
    return np.divide(1.0, z * math.log(10.0))


@elementwise(cmath.sin, kind=_COMPLEX)
def cmath_sin(y: Any, z: Any) -> Any:
    return cmath.cos(z)


@elementwise(cmath.cos, kind=_COMPLEX)
def cmath_cos(y: Any, z: Any) -> Any:
    return -cmath.sin(z)


@elementwise(cmath.tan, kind=_COMPLEX)
def cmath_tan(y: Any, z: Any) -> Any:
    return 1.0 + y**2


@elementwise(cmath.asin, kind=_COMPLEX)
def cmath_asin(y: Any, z: Any) -> Any:
    return np.divide(1.0, cmath.sqrt(1.0 - z) * cmath.sqrt(1.0 + z))


@elementwise(cmath.acos, kind=_COMPLEX)
def cmath_acos(y: Any, z: Any) -> Any:
    return np.divide(-1.0, cmath.sqrt(1.0 - z) * cmath.sqrt(1.0 + z))


@elementwise(cmath.atan, kind=_COMPLEX)
def cmath_atan(y: Any, z: Any) -> Any:
    return np.divide(1.0, 1.0 + z**2)


@elementwise(cmath.sinh, kind=_COMPLEX)
def cmath_sinh(y: Any, z: Any) -> Any:
    return cmath.cosh(z)


@elementwise(cmath.cosh, kind=_COMPLEX)
def cmath_cosh(y: Any, z: Any) -> Any:
    return cmath.sinh(z)


@elementwise(cmath.tanh, kind=_COMPLEX)
def cmath_tanh(y: Any, z: Any) -> Any:
    return 1.0 - y**2


@elementwise(cmath.asinh, kind=_COMPLEX)
def cmath_asinh(y: Any, z: Any) -> Any:
    return np.divide(1.0, cmath.sqrt(1.0 + 1j * z) * cmath.sqrt(1.0 - 1j * z))


@elementwise(cmath.acosh, kind=_COMPLEX)
def cmath_acosh(y: Any, z: Any) -> Any:
    return np.divide(1.0, cmath.sqrt(z - 1.0) * cmath.sqrt(z + 1.0))


@elementwise(cmath.atanh, kind=_COMPLEX)
def cmath_atanh(y: Any, z: Any) -> Any:
    return np.divide(1.0, 1.0 - z**2)


def cmath_phase(z: Any, /) -> Any:
    return math.atan2(z.imag, z.real)


def cmath_polar(z: Any, /) -> Any:
    return abs(z), math.atan2(z.imag, z.real)


def cmath_rect(r: Any, phi: Any, /) -> Any:
    return complex(r * math.cos(phi), r * math.sin(phi))


written_out(cmath.phase, cmath_phase)
written_out(cmath.polar, cmath_polar)
written_out(cmath.rect, cmath_rect)
built_in_zero(
    cmath.isnan, cmath.isinf, cmath.isfinite, cmath.isclose, kind=scalars.truth, tests=True
)
