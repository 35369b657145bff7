"""Complex numbers: sizes, directions, parts and conjugates.

A cotangent pairs with a tangent without conjugation, so the cotangent of a real loss is dL/dx - i dL/dy.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tapeless.rules.declare import register_gradient
from tapeless.rules.results import entrywise, shapes
from tapeless.runtime import complex_sign, direction, imaginary_part, real_part


@register_gradient(np.absolute, kind=entrywise.magnitude)
@register_gradient((operator.abs, abs))
def np_absolute(x: Any, /) -> Any:
    y = np.absolute(x)

    def grad(y_bar: Any) -> Any:
        return y_bar * direction(x, y)

    def jvp(x_dot: Any) -> Any:
        return real_part(direction(x, y) * x_dot)

    return y, grad, jvp


@register_gradient(complex_sign)
def np_complex_sign(z: Any) -> Any:
    """Return the part of dz / |z| that is across z: along z the sign is constant."""
    y = complex_sign(z)
    size = np.absolute(z)

    def grad(y_bar: Any) -> Any:
        across = y_bar - np.real(y_bar * y) * np.conj(y)
        return across / np.where(size == 0.0, np.inf, size)

    def jvp(z_dot: Any) -> Any:
        across = z_dot - np.real(np.conj(y) * z_dot) * y
        return across / np.where(size == 0.0, np.inf, size)

    return y, grad, jvp


@register_gradient(np.real, kind=shapes.real_part_of, view="always", linear=True)
def np_real(val: Any) -> Any:
    y = np.real(val)

    def grad(y_bar: Any) -> Any:
        return y_bar

    return y, grad


@register_gradient(imaginary_part, linear=True)
@register_gradient(np.imag, kind=shapes.real_part_of, view="always", linear=True)
def np_imag(val: Any) -> Any:
    y = np.imag(val)

    def grad(y_bar: Any) -> Any:
        return -1j * y_bar if np.iscomplexobj(val) else 0.0 * y_bar

    return y, grad


@register_gradient(np.ndarray.real, kind=shapes.real_part_of, view="always")
def ndarray_real(self: Any) -> Any:
    y = self.real

    def grad(y_bar: Any) -> Any:
        return y_bar

    def jvp(self_dot: Any) -> Any:
        return np.real(self_dot)

    return y, grad, jvp


@register_gradient(np.ndarray.imag, kind=shapes.real_part_of, view="always")
def ndarray_imag(self: Any) -> Any:
    y = self.imag

    def grad(y_bar: Any) -> Any:
        return -1j * y_bar if np.iscomplexobj(self) else 0.0 * y_bar

    def jvp(self_dot: Any) -> Any:
        return np.imag(self_dot)

    return y, grad, jvp


@register_gradient(np.conjugate, kind=shapes.same_shape)
def np_conjugate(x: Any, /) -> Any:
    y = np.conjugate(x)

    def grad(y_bar: Any) -> Any:
        return np.conj(y_bar)

    def jvp(x_dot: Any) -> Any:
        return np.conj(x_dot)

    return y, grad, jvp


@register_gradient(
    (np.ndarray.conj, np.ndarray.conjugate), kind=shapes.conjugated, view="sometimes"
)
def ndarray_conj(self: Any) -> Any:
    y = np.conjugate(self)

    def grad(y_bar: Any) -> Any:
        return np.conj(y_bar)

    def jvp(self_dot: Any) -> Any:
        return np.conj(self_dot)

    return y, grad, jvp


@register_gradient(np.angle, kind=entrywise.of_first)
def np_angle(z: Any, deg: bool = False) -> Any:
    y = np.angle(z, deg=deg)

    def grad(y_bar: Any) -> Any:
        if not np.iscomplexobj(z):
            return 0.0 * y_bar, None
        if deg:
            return np.degrees(y_bar) * -1j / z, None
        return y_bar * -1j / z, None

    def jvp(z_dot: Any) -> Any:
        if deg:
            return np.degrees(np.imag(z_dot / z))
        return np.imag(z_dot / z)

    return y, grad, jvp


@register_gradient(np.real_if_close, view="sometimes")
def np_real_if_close(a: Any, tol: float = 100) -> Any:
    y = np.real_if_close(a, tol=tol)

    def grad(y_bar: Any) -> Any:
        return y_bar, None

    def jvp(a_dot: Any) -> Any:
        if np.iscomplexobj(y):
            return a_dot
        return np.real(a_dot)

    return y, grad, jvp
