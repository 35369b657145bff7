"""Parts of sparse arrays: what an index takes out of one, triangles, and the array in another order."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.results import sparse as kinds
from tapeless.rules.results import sparse_parts
from tapeless.runtime.sparse import sampled_sparse, with_entries
from tapeless.runtime.sparse_parts import (
    entries_of_item,
    entries_of_triangle,
    item_of_sparse,
    spread_item,
    spread_triangle,
    tidied,
    triangle_of_sparse,
)


@register_gradient(item_of_sparse, kind=sparse_parts.item)
def item_of_sparse_rule(a: Any, index: Any) -> Any:
    y = a[index]

    def grad(y_bar: Any) -> Any:
        return spread_item(a, y_bar, index), None

    def jvp(a_dot: Any) -> Any:
        return entries_of_item(a, a_dot, index)

    return y, grad, jvp


@register_gradient(
    spread_item, kind=kinds.entries_like, linear=("g",), asks_form=(0,), says_more=True
)
def spread_item_rule(a: Any, g: Any, index: Any) -> Any:
    y = spread_item(a, g, index)

    def grad(y_bar: Any) -> Any:
        return None, entries_of_item(a, y_bar, index), None

    return y, grad


@register_gradient(
    entries_of_item,
    kind=sparse_parts.entries_in_item,
    linear=("data",),
    asks_form=(0,),
    says_more=True,
)
def entries_of_item_rule(a: Any, data: Any, index: Any) -> Any:
    y = entries_of_item(a, data, index)

    def grad(y_bar: Any) -> Any:
        return None, spread_item(a, y_bar, index), None

    return y, grad


@register_gradient(triangle_of_sparse, kind=sparse_parts.triangle, says_more=True)
def triangle_of_sparse_rule(a: Any, k: Any, lower: Any) -> Any:
    y = triangle_of_sparse(a, k, lower)

    def grad(y_bar: Any) -> Any:
        return spread_triangle(a, y_bar, k, lower), None, None

    def jvp(a_dot: Any) -> Any:
        return entries_of_triangle(a, a_dot, k, lower)

    return y, grad, jvp


@register_gradient(
    spread_triangle, kind=kinds.entries_like, linear=("g",), asks_form=(0,), says_more=True
)
def spread_triangle_rule(a: Any, g: Any, k: Any, lower: Any) -> Any:
    y = spread_triangle(a, g, k, lower)

    def grad(y_bar: Any) -> Any:
        return None, entries_of_triangle(a, y_bar, k, lower), None, None

    return y, grad


@register_gradient(
    entries_of_triangle, kind=kinds.some_entries, linear=("data",), asks_form=(0,), says_more=True
)
def entries_of_triangle_rule(a: Any, data: Any, k: Any, lower: Any) -> Any:
    y = entries_of_triangle(a, data, k, lower)

    def grad(y_bar: Any) -> Any:
        return None, spread_triangle(a, y_bar, k, lower), None, None

    return y, grad


@register_gradient(tidied, kind=kinds.alike, says_more=True)
def tidied_rule(a: Any, method: Any) -> Any:
    b = tidied(a, method)

    def grad(b_bar: Any) -> Any:
        return sampled_sparse(a, with_entries(b, b_bar)), None

    def jvp(a_dot: Any) -> Any:
        return sampled_sparse(b, with_entries(a, a_dot).tocsr())

    return b, grad, jvp


def sparse_tril(A: Any, k: Any = 0, format: Any = None) -> Any:
    made = triangle_of_sparse(A, k, True)
    return made if format is None else made.asformat(format)


def sparse_triu(A: Any, k: Any = 0, format: Any = None) -> Any:
    made = triangle_of_sparse(A, k, False)
    return made if format is None else made.asformat(format)


written_out(sparse.tril, sparse_tril)
written_out(sparse.triu, sparse_triu)
