"""Entries at places: of a dense array, of another sparse array, of a diagonal.

Of the array that tells the places nothing else counts: its entries have no derivative here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from tapeless.rules.declare import built_in_zero, importable_as, register_gradient
from tapeless.rules.results import sparse
from tapeless.runtime.sparse import (
    complete,
    entries,
    gathered,
    is_sparse,
    ones_at,
    sampled,
    sampled_product,
    sampled_sparse,
    sparse_gradient,
    spread_diagonal,
    with_each_entry,
    with_entries,
    within,
)
from tapeless.runtime.sparse_products import left_factor, right_factor, storing

built_in_zero(is_sparse, issparse, kind=sparse.truth)
built_in_zero(complete, storing, kind=sparse.moved, says_more=True)
built_in_zero(ones_at, kind=sparse.alike, asks_form=(0,), says_more=True)


@register_gradient(entries, kind=sparse.entries)
def entries_rule(a: Any) -> Any:
    data = a.data

    def grad(data_bar: Any) -> Any:
        return data_bar

    def jvp(a_dot: Any) -> Any:
        return a_dot

    return data, grad, jvp


def _register_rebuilt(rebuilt: Any) -> None:
    """Register the rule of a function that gives an array other entries."""

    @importable_as(f"{rebuilt.__name__}_rule")
    @register_gradient(rebuilt, kind=sparse.rebuilt, asks_form=(0,), says_more=True)
    def rebuilt_rule(a: Any, data: Any) -> Any:
        b = rebuilt(a, data)

        def grad(b_bar: Any) -> Any:
            return None, b_bar

        def jvp(data_dot: Any) -> Any:
            return data_dot

        return b, grad, jvp


_register_rebuilt(with_entries)
_register_rebuilt(with_each_entry)


@register_gradient(sparse_gradient, kind=sparse.copied, asks_form=(0,), says_more=True)
def sparse_gradient_rule(a: Any, g: Any) -> Any:
    y = sparse_gradient(a, g)

    def grad(y_bar: Any) -> Any:
        return None, y_bar

    def jvp(g_dot: Any) -> Any:
        return g_dot

    return y, grad, jvp


@register_gradient(within, kind=sparse.like_second, asks_form=(0,), says_more=True)
def within_rule(a: Any, g: Any) -> Any:
    y = within(a, g)

    def grad(y_bar: Any) -> Any:
        return None, within(a, y_bar)

    def jvp(g_dot: Any) -> Any:
        return within(a, g_dot)

    return y, grad, jvp


@register_gradient(sampled_product, kind=sparse.entries_of, asks_form=(0,), says_more=True)
def sampled_product_rule(a: Any, u: Any, v: Any) -> Any:
    g = sampled_product(a, u, v)

    def grad(g_bar: Any) -> Any:
        b = with_entries(a, g_bar)
        return None, b @ v, b.T @ u

    def jvp(u_dot: Any, v_dot: Any) -> Any:
        return sampled_product(a, u_dot, v) + sampled_product(a, u, v_dot)

    return g, grad, jvp


@register_gradient(sampled, kind=sparse.entries_of, asks_form=(0,), says_more=True)
def sampled_rule(a: Any, g: Any) -> Any:
    y = sampled(a, g)

    def grad(y_bar: Any) -> Any:
        return None, gathered(a, y_bar, np.shape(g))

    def jvp(g_dot: Any) -> Any:
        return sampled(a, g_dot)

    return y, grad, jvp


@register_gradient(gathered, kind=sparse.of_shape, asks_form=(0,), says_more=True)
def gathered_rule(a: Any, data: Any, shape: Any) -> Any:
    y = gathered(a, data, shape)

    def grad(y_bar: Any) -> Any:
        return None, sampled(a, y_bar), None

    def jvp(data_dot: Any) -> Any:
        return gathered(a, data_dot, shape)

    return y, grad, jvp


@register_gradient(left_factor, kind=sparse.left_factor, says_more=True)
def left_factor_rule(a: Any, b: Any, c: Any) -> Any:
    """Zeros that do not count have no derivative, so all have to count."""
    y = left_factor(a, b, c)

    def grad(y_bar: Any) -> Any:
        return sampled_sparse(a, with_entries(complete(y, a), y_bar)), None, None

    def jvp(a_dot: Any) -> Any:
        return sampled_sparse(complete(y, a), with_entries(a, a_dot))

    return y, grad, jvp


@register_gradient(right_factor, kind=sparse.right_factor, says_more=True)
def right_factor_rule(a: Any, b: Any, c: Any) -> Any:
    """Zeros that do not count have no derivative, so all have to count."""
    y = right_factor(a, b, c)

    def grad(y_bar: Any) -> Any:
        return None, sampled_sparse(b, with_entries(complete(y, b), y_bar)), None

    def jvp(b_dot: Any) -> Any:
        return sampled_sparse(complete(y, b), with_entries(b, b_dot))

    return y, grad, jvp


@register_gradient(sampled_sparse, kind=sparse.entries_of, asks_form=(0,), says_more=True)
def sampled_sparse_rule(a: Any, b: Any) -> Any:
    y = sampled_sparse(a, b)

    def grad(y_bar: Any) -> Any:
        return None, sampled_sparse(b, with_entries(a, y_bar))

    def jvp(b_dot: Any) -> Any:
        return sampled_sparse(a, with_entries(b, b_dot))

    return y, grad, jvp


@register_gradient(spread_diagonal, kind=sparse.entries_of, asks_form=(0,), says_more=True)
def spread_diagonal_rule(a: Any, g: Any, k: Any = 0) -> Any:
    y = spread_diagonal(a, g, k)

    def grad(y_bar: Any) -> Any:
        return None, with_entries(a, y_bar).diagonal(k), None

    def jvp(g_dot: Any) -> Any:
        return spread_diagonal(a, g_dot, k)

    return y, grad, jvp
