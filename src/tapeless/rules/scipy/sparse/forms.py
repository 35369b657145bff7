"""Other forms of a sparse array: transposed, of another format, dense, a diagonal, sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.results import sparse
from tapeless.runtime.sparse import (
    complete,
    copy_of_sparse,
    dense_of_sparse,
    diagonal_of_sparse,
    in_format,
    keeps_order,
    mean_of_entries,
    ones_at,
    sampled,
    sampled_sparse,
    spread_diagonal,
    sum_of_entries,
    trace_of_sparse,
    transposed_sparse,
    with_entries,
)

built_in_zero(keeps_order, kind=sparse.order_kept, asks_form=(0,))


@register_gradient(transposed_sparse, kind=sparse.transposed)
def transposed_sparse_rule(a: Any, axes: Any = None, copy: Any = False) -> Any:
    """Most formats keep the order of the entries; DIA shifts them."""
    b = a.T

    def grad(b_bar: Any) -> Any:
        if keeps_order(a):
            return b_bar, None, None
        return sampled_sparse(a, with_entries(b, b_bar).T), None, None

    def jvp(a_dot: Any) -> Any:
        if keeps_order(a):
            return a_dot
        return sampled_sparse(b, with_entries(a, a_dot).T)

    return b, grad, jvp


@register_gradient(in_format, kind=sparse.in_format)
def in_format_rule(a: Any, format: Any, copy: Any = False) -> Any:
    """DIA leaves out the entries that are zero when it is converted."""
    b = a.asformat(format)

    def grad(b_bar: Any) -> Any:
        if keeps_order(a):
            return sampled_sparse(a, with_entries(b, b_bar)), None, None
        g = with_entries(complete(b, ones_at(a).asformat(format)), b_bar)
        return sampled_sparse(a, g), None, None

    def jvp(a_dot: Any) -> Any:
        if keeps_order(a):
            return sampled_sparse(b, with_entries(a, a_dot).asformat(format))
        whole = complete(b, ones_at(a).asformat(format))
        return sampled_sparse(whole, with_entries(a, a_dot).asformat(format))

    return b, grad, jvp


@register_gradient(copy_of_sparse, kind=sparse.alike)
def copy_of_sparse_rule(a: Any) -> Any:
    b = a.copy()

    def grad(b_bar: Any) -> Any:
        return b_bar

    def jvp(a_dot: Any) -> Any:
        return a_dot

    return b, grad, jvp


@register_gradient(dense_of_sparse, kind=sparse.dense)
def dense_of_sparse_rule(a: Any, order: Any = None) -> Any:
    y = a.toarray(order=order)

    def grad(y_bar: Any) -> Any:
        return sampled(a, y_bar), None

    def jvp(a_dot: Any) -> Any:
        return with_entries(a, a_dot).toarray()

    return y, grad, jvp


@register_gradient(diagonal_of_sparse, kind=sparse.diagonal)
def diagonal_of_sparse_rule(a: Any, k: Any = 0) -> Any:
    y = a.diagonal(k)

    def grad(y_bar: Any) -> Any:
        return spread_diagonal(a, y_bar, k), None

    def jvp(a_dot: Any) -> Any:
        return with_entries(a, a_dot).diagonal(k)

    return y, grad, jvp


@register_gradient(sum_of_entries, kind=sparse.summed)
def sum_of_entries_rule(a: Any, axis: Any = None) -> Any:
    y = a.sum(axis=axis)

    def grad(y_bar: Any) -> Any:
        if axis is None or axis == 0 or axis == -2:
            return sampled(a, y_bar), None
        return sampled(a, y_bar[:, None]), None

    def jvp(a_dot: Any) -> Any:
        return with_entries(a, a_dot).sum(axis=axis)

    return y, grad, jvp


@register_gradient(mean_of_entries, kind=sparse.summed)
def mean_of_entries_rule(a: Any, axis: Any = None) -> Any:
    y = a.mean(axis=axis)

    def grad(y_bar: Any) -> Any:
        if axis is None:
            return sampled(a, y_bar / (a.shape[0] * a.shape[1])), None
        if axis == 0 or axis == -2:
            return sampled(a, y_bar / a.shape[0]), None
        return sampled(a, y_bar[:, None] / a.shape[1]), None

    def jvp(a_dot: Any) -> Any:
        return with_entries(a, a_dot).mean(axis=axis)

    return y, grad, jvp


@register_gradient(trace_of_sparse, kind=sparse.trace)
def trace_of_sparse_rule(a: Any, offset: Any = 0) -> Any:
    y = a.trace(offset)

    def grad(y_bar: Any) -> Any:
        return spread_diagonal(a, np.full(min(a.shape), y_bar), offset), None

    def jvp(a_dot: Any) -> Any:
        return with_entries(a, a_dot).trace(offset)

    return y, grad, jvp
