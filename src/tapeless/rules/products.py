"""Products of arrays: bilinear functions of two operands, and multilinear ones of many.

A product is linear in each operand, so that the tangent of the value is the sum of the products
with one operand replaced by its tangent, and the cotangent of an operand is the product of the
cotangent of the value with the other operands, over the axes that the operand lacks. For matrices,
Y = A B gives A_bar = Y_bar B^T and B_bar = A^T Y_bar (Giles 2008, 2.2.1); the other ranks are told
apart in the helpers. Nothing is conjugated: the pairing of cotangents and tangents is bilinear.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient
from tapeless.rules.results import parts, products
from tapeless.runtime import (
    conjugate,
    cross_left_bar,
    cross_right_bar,
    dot_left_bar,
    dot_right_bar,
    einsum_bar,
    einsum_bar_bars,
    einsum_bar_dot,
    einsum_bars,
    einsum_dot,
    einsum_dot_bars,
    einsum_dot_dot,
    einsum_left_bar,
    einsum_right_bar,
    if_inexact,
    inner_left_bar,
    inner_right_bar,
    kron_left_bar,
    kron_right_bar,
    matmul_left_bar,
    matmul_right_bar,
    multi_dot_bars,
    outer_left_bar,
    outer_right_bar,
    tangent_in,
    tensordot_left_bar,
    tensordot_right_bar,
    transpose,
    unbroadcast,
)


@register_gradient((operator.matmul, np.matmul), kind=products.matmul)
@register_gradient(np.ndarray.__matmul__)
def np_matmul(a: Any, b: Any, /) -> Any:
    """Here dY = dA B + A dB."""
    y = a @ b

    def grad(y_bar: Any) -> Any:
        return matmul_left_bar(y_bar, a, b), matmul_right_bar(y_bar, a, b)

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        return a_dot @ b + a @ b_dot

    return y, grad, jvp


@register_gradient(np.ndarray.__rmatmul__)
def array_rmatmul(b: Any, a: Any, /) -> Any:
    """As `matmul`, with the right operand first."""
    y = a @ b

    def grad(y_bar: Any) -> Any:
        return matmul_right_bar(y_bar, a, b), matmul_left_bar(y_bar, a, b)

    def jvp(b_dot: Any, a_dot: Any) -> Any:
        return a_dot @ b + a @ b_dot

    return y, grad, jvp


@register_gradient((np.dot, np.ndarray.dot), kind=products.dot)
def np_dot(a: Any, b: Any) -> Any:
    """As `matmul` up to rank 2; above, the last axis of a against the last but one of b."""
    y = np.dot(a, b)

    def grad(y_bar: Any) -> Any:
        return dot_left_bar(y_bar, a, b), dot_right_bar(y_bar, a, b)

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        return np.dot(a_dot, b) + np.dot(a, b_dot)

    return y, grad, jvp


@register_gradient(np.inner, kind=products.inner)
def np_inner(a: Any, b: Any, /) -> Any:
    """Here y[i, j] = sum_k a[i, k] b[j, k]: the last axes of both are contracted."""
    y = np.inner(a, b)

    def grad(y_bar: Any) -> Any:
        return inner_left_bar(y_bar, a, b), inner_right_bar(y_bar, a, b)

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        return np.inner(a_dot, b) + np.inner(a, b_dot)

    return y, grad, jvp


@register_gradient(np.outer, kind=products.outer)
def np_outer(a: Any, b: Any) -> Any:
    """Here y[i, j] = a[i] b[j] of the raveled operands, so a_bar = y_bar b and b_bar = a y_bar."""
    y = np.outer(a, b)

    def grad(y_bar: Any) -> Any:
        return outer_left_bar(y_bar, a, b), outer_right_bar(y_bar, a, b)

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        return np.outer(a_dot, b) + np.outer(a, b_dot)

    return y, grad, jvp


@register_gradient(np.vdot, kind=products.number_of_product)
def np_vdot(a: Any, b: Any, /) -> Any:
    """Here y = sum conj(a) b of the raveled operands; conj makes a_bar = conj(y_bar b)."""
    y = np.vdot(a, b)

    def grad(y_bar: Any) -> Any:
        a_bar = np.reshape(conjugate(y_bar * b), np.shape(a))
        return a_bar, np.reshape(y_bar * conjugate(a), np.shape(b))

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        return np.vdot(a_dot, b) + np.vdot(a, b_dot)

    return y, grad, jvp


@register_gradient(np.tensordot, kind=products.tensordot)
def np_tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The cotangent of an operand is y_bar contracted with the other one's free axes."""
    y = np.tensordot(a, b, axes=axes)

    def grad(y_bar: Any) -> Any:
        a_bar = tensordot_left_bar(y_bar, a, b, axes)
        return a_bar, tensordot_right_bar(y_bar, a, b, axes), None

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        return np.tensordot(a_dot, b, axes=axes) + np.tensordot(a, b_dot, axes=axes)

    return y, grad, jvp


@register_gradient(np.kron, kind=parts.kron)
def np_kron(a: Any, b: Any) -> Any:
    """The block y_ij is a[i, j] b, so a_bar[i, j] = sum y_bar_ij b, b_bar = sum a_ij y_bar_ij."""
    y = np.kron(a, b)

    def grad(y_bar: Any) -> Any:
        return kron_left_bar(y_bar, a, b), kron_right_bar(y_bar, a, b)

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        return np.kron(a_dot, b) + np.kron(a, b_dot)

    return y, grad, jvp


@register_gradient(np.einsum, kind=products.einsum, view="sometimes")
def np_einsum(
    subscripts: Any, /, *operands: Any, dtype: Any = None, order: Any = "K",
    casting: Any = "safe", optimize: Any = False,
) -> Any:  # fmt: skip
    """Linear in each operand; the cotangent of one is the einsum of y_bar with the others."""
    if not isinstance(subscripts, str):
        raise GradientError(
            "np.einsum is differentiated with its subscripts given as a string",
            fix='write np.einsum("ij,jk->ik", a, b)',
        )
    y = np.einsum(
        subscripts, *operands, dtype=dtype, order=order, casting=casting, optimize=optimize
    )
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        if len(operands) == 1:
            return None, einsum_bar(seed, subscripts, operands, 0), None, None, None, None
        if len(operands) == 2:
            return (
                None,
                einsum_left_bar(seed, subscripts, operands[0], operands[1]),
                einsum_right_bar(seed, subscripts, operands[0], operands[1]),
                *(None,) * 4,
            )
        bars = einsum_bars(seed, subscripts, operands)
        return (None, *bars, None, None, None, None)

    def jvp(*operands_dot: Any) -> Any:
        if len(operands) == 1:
            y_dot = np.einsum(subscripts, operands_dot[0])
        elif len(operands) == 2:
            first = np.einsum(subscripts, operands_dot[0], operands[1])
            y_dot = first + np.einsum(subscripts, operands[0], operands_dot[1])
        else:
            y_dot = einsum_dot(subscripts, operands, operands_dot)
        return y_dot if dtype is None else tangent_in(y_dot, kept)

    return y, grad, jvp


@register_gradient(einsum_bar, kind=products.einsum_bar)
def einsum_bar_rule(y_bar: Any, subscripts: Any, operands: Any, i: Any) -> Any:
    """Linear in the cotangent and in each other operand: the transpose of the sum itself.

    Paired with a cotangent `a_bar_bar` it is the sum with that in the place of operand `i`, paired with
    `y_bar`.
    """
    a_bar = einsum_bar(y_bar, subscripts, operands, i)

    def grad(a_bar_bar: Any) -> Any:
        y_bar_bar, operand_bars = einsum_bar_bars(a_bar_bar, y_bar, subscripts, operands, i)
        return y_bar_bar, None, operand_bars, None

    def jvp(y_bar_dot: Any, operand_dots: Any) -> Any:
        moved = einsum_bar(y_bar_dot, subscripts, operands, i)
        return moved + einsum_bar_dot(y_bar, subscripts, operands, operand_dots, i)

    return a_bar, grad, jvp


@register_gradient(einsum_dot, kind=products.einsum_dot)
def einsum_dot_rule(subscripts: Any, operands: Any, operand_dots: Any) -> Any:
    """Linear in the tangents; linear in each operand, where one of the others is its tangent."""
    y_dot = einsum_dot(subscripts, operands, operand_dots)

    def grad(y_dot_bar: Any) -> Any:
        operand_bars = einsum_dot_bars(y_dot_bar, subscripts, operands, operand_dots)
        return None, operand_bars, einsum_bars(y_dot_bar, subscripts, operands)

    def jvp(operands_dot: Any, operand_dots_dot: Any) -> Any:
        moved = einsum_dot(subscripts, operands, operand_dots_dot)
        return moved + einsum_dot_dot(subscripts, operands, operand_dots, operands_dot)

    return y_dot, grad, jvp


@register_gradient(np.cross, kind=parts.crossed)
def np_cross(
    a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Any:
    """(a x b) . y_bar = a . (b x y_bar) = b . (y_bar x a): the triple product is cyclic."""
    y = np.cross(a, b, axisa=axisa, axisb=axisb, axisc=axisc, axis=axis)
    along_a = axisa if axis is None else axis
    along_b = axisb if axis is None else axis
    along_y = axisc if axis is None else axis

    def grad(y_bar: Any) -> Any:
        a_bar = cross_left_bar(y_bar, a, b, along_a, along_b, along_y)
        b_bar = cross_right_bar(y_bar, a, b, along_a, along_b, along_y)
        return a_bar, b_bar, None, None, None, None

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        first = np.cross(a_dot, b, axisa=axisa, axisb=axisb, axisc=axisc, axis=axis)
        return first + np.cross(a, b_dot, axisa=axisa, axisb=axisb, axisc=axisc, axis=axis)

    return y, grad, jvp


@register_gradient(cross_left_bar, says_more=True)
def cross_left_bar_rule(y_bar: Any, a: Any, b: Any, a_axis: Any, b_axis: Any, y_axis: Any) -> Any:
    """Here a_bar = b x y_bar, and g . (b x y_bar) = y_bar . (g x b) = b . (y_bar x g)."""
    a_bar = cross_left_bar(y_bar, a, b, a_axis, b_axis, y_axis)

    def grad(g: Any) -> Any:
        y_bar_bar = np.cross(g, b, axisa=a_axis, axisb=b_axis, axisc=y_axis)
        b_bar = cross_right_bar(y_bar, g, b, a_axis, b_axis, y_axis)
        return y_bar_bar, None, b_bar, None, None, None

    def jvp(y_bar_dot: Any, b_dot: Any) -> Any:
        moved = cross_left_bar(y_bar_dot, a, b, a_axis, b_axis, y_axis)
        return moved + cross_left_bar(y_bar, a, b_dot, a_axis, b_axis, y_axis)

    return a_bar, grad, jvp


@register_gradient(cross_right_bar, says_more=True)
def cross_right_bar_rule(y_bar: Any, a: Any, b: Any, a_axis: Any, b_axis: Any, y_axis: Any) -> Any:
    """Here b_bar = y_bar x a, and g . (y_bar x a) = y_bar . (a x g) = a . (g x y_bar)."""
    b_bar = cross_right_bar(y_bar, a, b, a_axis, b_axis, y_axis)

    def grad(g: Any) -> Any:
        y_bar_bar = np.cross(a, g, axisa=a_axis, axisb=b_axis, axisc=y_axis)
        return (
            y_bar_bar, cross_left_bar(y_bar, a, g, a_axis, b_axis, y_axis), None, None, None, None
        )  # fmt: skip

    def jvp(y_bar_dot: Any, a_dot: Any) -> Any:
        moved = cross_right_bar(y_bar_dot, a, b, a_axis, b_axis, y_axis)
        return moved + cross_right_bar(y_bar, a_dot, b, a_axis, b_axis, y_axis)

    return b_bar, grad, jvp


@register_gradient(np.linalg.multi_dot, kind=parts.chained, takes_sequences=True)
def np_multi_dot(arrays: Any) -> Any:
    """For Y = L A R, A_bar = L^T Y_bar R^T, for each factor A in turn."""
    y = np.linalg.multi_dot(arrays)

    def grad(y_bar: Any) -> Any:
        return multi_dot_bars(y_bar, arrays)

    def jvp(arrays_dot: Any) -> Any:
        terms = [
            np.linalg.multi_dot([*arrays[:i], arrays_dot[i], *arrays[i + 1 :]])
            for i in range(len(arrays))
        ]
        return sum(terms[1:], terms[0])

    return y, grad, jvp


@register_gradient(np.linalg.matmul, kind=products.matmul)
def linalg_matmul(x1: Any, x2: Any, /) -> Any:
    """As `@`."""
    y = x1 @ x2

    def grad(y_bar: Any) -> Any:
        return matmul_left_bar(y_bar, x1, x2), matmul_right_bar(y_bar, x1, x2)

    def jvp(x1_dot: Any, x2_dot: Any) -> Any:
        return x1_dot @ x2 + x1 @ x2_dot

    return y, grad, jvp


@register_gradient(np.linalg.outer, kind=products.outer)
def linalg_outer(x1: Any, x2: Any, /) -> Any:
    """As `np.outer`, of two vectors."""
    y = np.linalg.outer(x1, x2)

    def grad(y_bar: Any) -> Any:
        return y_bar @ x2, x1 @ y_bar

    def jvp(x1_dot: Any, x2_dot: Any) -> Any:
        return np.outer(x1_dot, x2) + np.outer(x1, x2_dot)

    return y, grad, jvp


@register_gradient(np.linalg.tensordot, kind=products.tensordot)
def linalg_tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """As `np.tensordot`."""
    y = np.tensordot(x1, x2, axes=axes)

    def grad(y_bar: Any) -> Any:
        x1_bar = tensordot_left_bar(y_bar, x1, x2, axes)
        return x1_bar, tensordot_right_bar(y_bar, x1, x2, axes), None

    def jvp(x1_dot: Any, x2_dot: Any) -> Any:
        return np.tensordot(x1_dot, x2, axes=axes) + np.tensordot(x1, x2_dot, axes=axes)

    return y, grad, jvp


@register_gradient(np.linalg.cross, kind=parts.crossed)
def linalg_cross(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    """As `np.cross`, of vectors of three components."""
    y = np.linalg.cross(x1, x2, axis=axis)

    def grad(y_bar: Any) -> Any:
        if axis == -1:
            x1_bar = unbroadcast(np.linalg.cross(x2, y_bar), x1)
            return x1_bar, unbroadcast(np.linalg.cross(y_bar, x1), x2), None
        x1_bar = cross_left_bar(y_bar, x1, x2, axis, axis, axis)
        return x1_bar, cross_right_bar(y_bar, x1, x2, axis, axis, axis), None

    def jvp(x1_dot: Any, x2_dot: Any) -> Any:
        first = np.linalg.cross(x1_dot, x2, axis=axis)
        return first + np.linalg.cross(x1, x2_dot, axis=axis)

    return y, grad, jvp


# Products along the last axes of stacks; those that begin with a vector conjugate it


@register_gradient((np.vecdot, np.linalg.vecdot), kind=products.vecdot)
def np_vecdot(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    """Here y = sum conj(x1) x2."""
    y = np.vecdot(x1, x2, axis=axis)  # type: ignore[call-overload]

    def grad(y_bar: Any) -> Any:
        if axis == -1:
            g = np.expand_dims(y_bar, -1)
            x1_bar = unbroadcast(conjugate(g * x2), x1)
            return x1_bar, unbroadcast(g * conjugate(x1), x2), None
        g = np.expand_dims(y_bar, -1)
        a = np.moveaxis(x1, axis, -1)
        b = np.moveaxis(x2, axis, -1)
        x1_bar = np.moveaxis(unbroadcast(conjugate(g * b), a), -1, axis)
        return x1_bar, np.moveaxis(unbroadcast(g * conjugate(a), b), -1, axis), None

    def jvp(x1_dot: Any, x2_dot: Any) -> Any:
        first = np.vecdot(x1_dot, x2, axis=axis)  # type: ignore[call-overload]
        return first + np.vecdot(x1, x2_dot, axis=axis)  # type: ignore[call-overload]

    return y, grad, jvp


if hasattr(np, "matvec"):  # since NumPy 2.2

    @register_gradient(np.matvec, kind=products.matvec)
    def np_matvec(x1: Any, x2: Any, /) -> Any:
        """Here y = A x, so A_bar = y_bar x^T and x_bar = A^T y_bar."""
        y = np.matvec(x1, x2)

        def grad(y_bar: Any) -> Any:
            x1_bar = unbroadcast(np.expand_dims(y_bar, -1) * np.expand_dims(x2, -2), x1)
            return x1_bar, unbroadcast(np.matvec(transpose(x1), y_bar), x2)

        def jvp(x1_dot: Any, x2_dot: Any) -> Any:
            return np.matvec(x1_dot, x2) + np.matvec(x1, x2_dot)

        return y, grad, jvp


if hasattr(np, "vecmat"):  # since NumPy 2.2

    @register_gradient(np.vecmat, kind=products.vecmat)
    def np_vecmat(x1: Any, x2: Any, /) -> Any:
        """Here y = conj(x)^T A, so x_bar = conj(A y_bar) and A_bar = conj(x) y_bar^T."""
        y = np.vecmat(x1, x2)

        def grad(y_bar: Any) -> Any:
            x1_bar = unbroadcast(conjugate(np.matvec(x2, y_bar)), x1)
            spread = np.expand_dims(conjugate(x1), -1) * np.expand_dims(y_bar, -2)
            return x1_bar, unbroadcast(spread, x2)

        def jvp(x1_dot: Any, x2_dot: Any) -> Any:
            return np.vecmat(x1_dot, x2) + np.vecmat(x1, x2_dot)

        return y, grad, jvp
