"""Short vectors taken apart into numbers, and put together again: each is the other's transpose.

What is computed of them whole (a product, a norm) is computed of the numbers, so that its adjoints are
numbers, too.
"""

from __future__ import annotations

from typing import Any

from tapeless.rules.declare import register_gradient
from tapeless.rules.results import small_vectors as kinds
from tapeless.runtime import (
    divide_or_zero,
    divisor,
    dot_2,
    dot_3,
    floats_of,
    norm_2,
    norm_3,
    vector_of,
)


@register_gradient(
    floats_of, kind=kinds.floats_of, linear=True, says_more=True, shows=(), pure=True, floating=True,
    total=True,
)  # fmt: skip
def floats_of_rule(y: Any) -> Any:
    numbers = floats_of(y)

    def grad(*numbers_bar: Any) -> Any:
        return vector_of(numbers_bar)

    return numbers, grad


@register_gradient(
    vector_of, kind=kinds.vector_of, linear=True, says_more=True, shows=(), pure=True, floating=True,
    total=True,
)  # fmt: skip
def vector_of_rule(numbers: Any) -> Any:
    y = vector_of(numbers)

    def grad(y_bar: Any) -> Any:
        return floats_of(y_bar)

    return y, grad


@register_gradient(
    divisor, kind=kinds.number, says_more=True, shows=(), pure=True, floating=True, total=True
)
def divisor_rule(m: Any) -> Any:
    y = divisor(m)

    def grad(y_bar: Any) -> Any:
        return y_bar

    def jvp(m_dot: Any) -> Any:
        return m_dot

    return y, grad, jvp


@register_gradient(
    dot_2, kind=kinds.number, says_more=True, shows=(), pure=True, floating=True, total=True
)
def dot_2_rule(a_0: Any, a_1: Any, b_0: Any, b_1: Any) -> Any:
    y = dot_2(a_0, a_1, b_0, b_1)

    def grad(y_bar: Any) -> Any:
        return y_bar * b_0, y_bar * b_1, y_bar * a_0, y_bar * a_1

    def jvp(a_0_dot: Any, a_1_dot: Any, b_0_dot: Any, b_1_dot: Any) -> Any:
        return a_0_dot * b_0 + a_1_dot * b_1 + a_0 * b_0_dot + a_1 * b_1_dot

    return y, grad, jvp


@register_gradient(
    dot_3, kind=kinds.number, says_more=True, shows=(), pure=True, floating=True, total=True
)
def dot_3_rule(a_0: Any, a_1: Any, a_2: Any, b_0: Any, b_1: Any, b_2: Any) -> Any:
    y = dot_3(a_0, a_1, a_2, b_0, b_1, b_2)

    def grad(y_bar: Any) -> Any:
        return (
            y_bar * b_0, y_bar * b_1, y_bar * b_2,
            y_bar * a_0, y_bar * a_1, y_bar * a_2,
        )  # fmt: skip

    def jvp(
        a_0_dot: Any, a_1_dot: Any, a_2_dot: Any, b_0_dot: Any, b_1_dot: Any, b_2_dot: Any
    ) -> Any:
        from_a = a_0_dot * b_0 + a_1_dot * b_1 + a_2_dot * b_2
        return from_a + a_0 * b_0_dot + a_1 * b_1_dot + a_2 * b_2_dot

    return y, grad, jvp


@register_gradient(
    norm_2, kind=kinds.number, says_more=True, shows=(), pure=True, floating=True, total=True
)
def norm_2_rule(a_0: Any, a_1: Any) -> Any:
    """Here y dy = a . da, and 0 where y = 0."""
    y = norm_2(a_0, a_1)

    def grad(y_bar: Any) -> Any:
        scale = divide_or_zero(y_bar, y)
        return scale * a_0, scale * a_1

    def jvp(a_0_dot: Any, a_1_dot: Any) -> Any:
        return divide_or_zero(a_0 * a_0_dot + a_1 * a_1_dot, y)

    return y, grad, jvp


@register_gradient(
    norm_3, kind=kinds.number, says_more=True, shows=(), pure=True, floating=True, total=True
)
def norm_3_rule(a_0: Any, a_1: Any, a_2: Any) -> Any:
    """Here y dy = a . da, and 0 where y = 0."""
    y = norm_3(a_0, a_1, a_2)

    def grad(y_bar: Any) -> Any:
        scale = divide_or_zero(y_bar, y)
        return scale * a_0, scale * a_1, scale * a_2

    def jvp(a_0_dot: Any, a_1_dot: Any, a_2_dot: Any) -> Any:
        return divide_or_zero(a_0 * a_0_dot + a_1 * a_1_dot + a_2 * a_2_dot, y)

    return y, grad, jvp
