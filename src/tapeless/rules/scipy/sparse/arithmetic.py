"""Sums of sparse arrays, and their products with numbers and dense arrays, entry by entry."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.results import sparse
from tapeless.runtime.sparse import (
    complete,
    difference_of_sparse,
    divided_sparse,
    gathered,
    is_compressed,
    negated_sparse,
    ones_at,
    sampled,
    sampled_sparse,
    scaled_sparse,
    sparse_over_dense,
    sparse_scaled_by,
    sparse_weighted_by,
    sum_of_sparse,
    weighted_sparse,
    with_entries,
)

built_in_zero(is_compressed, kind=sparse.compressed, asks_form=(0,))


@register_gradient(negated_sparse, kind=sparse.alike)
def negated_sparse_rule(a: Any) -> Any:
    b = -a

    def grad(b_bar: Any) -> Any:
        return -b_bar

    def jvp(a_dot: Any) -> Any:
        return -a_dot

    return b, grad, jvp


@register_gradient(scaled_sparse, kind=sparse.scaled, says_more=True)
def scaled_sparse_rule(a: Any, s: Any) -> Any:
    """SciPy 1.13 makes CSR of other formats."""
    b = a * s

    def grad(b_bar: Any) -> Any:
        if is_compressed(a):
            return b_bar * s, np.sum(b_bar * a.data)
        g = with_entries(complete(b, ones_at(a).asformat(b.format)), b_bar)
        g_data = sampled_sparse(a, g)
        return g_data * s, np.sum(g_data * a.data)

    def jvp(a_dot: Any, s_dot: Any) -> Any:
        if is_compressed(a):
            return a_dot * s + a.data * s_dot
        whole = complete(b, ones_at(a).asformat(b.format))
        return sampled_sparse(whole, with_entries(a, a_dot * s + a.data * s_dot).asformat(b.format))

    return b, grad, jvp


@register_gradient(sparse_scaled_by, kind=sparse.scaled_by, says_more=True)
def sparse_scaled_by_rule(s: Any, a: Any) -> Any:
    b = s * a

    def grad(b_bar: Any) -> Any:
        if is_compressed(a):
            return np.sum(b_bar * a.data), s * b_bar
        g = with_entries(complete(b, ones_at(a).asformat(b.format)), b_bar)
        g_data = sampled_sparse(a, g)
        return np.sum(g_data * a.data), s * g_data

    def jvp(s_dot: Any, a_dot: Any) -> Any:
        if is_compressed(a):
            return s_dot * a.data + s * a_dot
        whole = complete(b, ones_at(a).asformat(b.format))
        return sampled_sparse(whole, with_entries(a, s_dot * a.data + s * a_dot).asformat(b.format))

    return b, grad, jvp


@register_gradient(divided_sparse, kind=sparse.alike, says_more=True)
def divided_sparse_rule(a: Any, s: Any) -> Any:
    b = a / s

    def grad(b_bar: Any) -> Any:
        return b_bar / s, -np.sum(b_bar * b.data) / s

    def jvp(a_dot: Any, s_dot: Any) -> Any:
        return (a_dot - b.data * s_dot) / s

    return b, grad, jvp


@register_gradient(sum_of_sparse, kind=sparse.joined, says_more=True)
def sum_of_sparse_rule(a: Any, b: Any) -> Any:
    c = a + b

    def grad(c_bar: Any) -> Any:
        g = with_entries(complete(c, ones_at(a) + ones_at(b)), c_bar)
        return sampled_sparse(a, g), sampled_sparse(b, g)

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        whole = complete(c, ones_at(a) + ones_at(b))
        by_first = sampled_sparse(whole, with_entries(a, a_dot))
        return by_first + sampled_sparse(whole, with_entries(b, b_dot))

    return c, grad, jvp


@register_gradient(difference_of_sparse, kind=sparse.joined, says_more=True)
def difference_of_sparse_rule(a: Any, b: Any) -> Any:
    c = a - b

    def grad(c_bar: Any) -> Any:
        g = with_entries(complete(c, ones_at(a) + ones_at(b)), c_bar)
        return sampled_sparse(a, g), -sampled_sparse(b, g)

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        whole = complete(c, ones_at(a) + ones_at(b))
        by_first = sampled_sparse(whole, with_entries(a, a_dot))
        return by_first - sampled_sparse(whole, with_entries(b, b_dot))

    return c, grad, jvp


@register_gradient(weighted_sparse, kind=sparse.weighted, says_more=True)
def weighted_sparse_rule(a: Any, x: Any) -> Any:
    """What `a` does not store stays zero, whatever `x` is there."""
    b = a.multiply(x)

    def grad(b_bar: Any) -> Any:
        g = sampled_sparse(a, with_entries(b, b_bar))
        return g * sampled(a, x), gathered(a, g * a.data, np.shape(x))

    def jvp(a_dot: Any, x_dot: Any) -> Any:
        moved = a_dot * sampled(a, x) + a.data * sampled(a, x_dot)
        return sampled_sparse(b, with_entries(a, moved))

    return b, grad, jvp


@register_gradient(sparse_weighted_by, kind=sparse.weighted_by, says_more=True)
def sparse_weighted_by_rule(x: Any, a: Any) -> Any:
    b = a.multiply(x)

    def grad(b_bar: Any) -> Any:
        g = sampled_sparse(a, with_entries(b, b_bar))
        return gathered(a, g * a.data, np.shape(x)), g * sampled(a, x)

    def jvp(x_dot: Any, a_dot: Any) -> Any:
        moved = a_dot * sampled(a, x) + a.data * sampled(a, x_dot)
        return sampled_sparse(b, with_entries(a, moved))

    return b, grad, jvp


@register_gradient(sparse_over_dense, kind=sparse.weighted, says_more=True)
def sparse_over_dense_rule(a: Any, x: Any) -> Any:
    """Where `a` stores nothing there is no quotient, though `x` be zero there."""
    b = a / x

    def grad(b_bar: Any) -> Any:
        divisors = sampled(a, x)
        g = sampled_sparse(a, with_entries(b, b_bar)) / divisors
        return g, gathered(a, -g * a.data / divisors, np.shape(x))

    def jvp(a_dot: Any, x_dot: Any) -> Any:
        divisors = sampled(a, x)
        moved = (a_dot - a.data * sampled(a, x_dot) / divisors) / divisors
        return sampled_sparse(b, with_entries(a, moved))

    return b, grad, jvp
