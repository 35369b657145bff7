"""Short vectors taken apart into numbers, and put together again: each is the other's transpose."""

from __future__ import annotations

from typing import Any

from tapeless.rules.declare import register_gradient
from tapeless.rules.results import small_vectors as kinds
from tapeless.runtime import divisor, floats_of, vector_of


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
    divisor, kind=kinds.divisor, says_more=True, shows=(), pure=True, floating=True, total=True
)
def divisor_rule(m: Any) -> Any:
    y = divisor(m)

    def grad(y_bar: Any) -> Any:
        return y_bar

    def jvp(m_dot: Any) -> Any:
        return m_dot

    return y, grad, jvp
