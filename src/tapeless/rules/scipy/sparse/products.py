"""Products and powers of sparse arrays: the cotangent of one is sampled at the places that it stores."""

from __future__ import annotations

from typing import Any

import scipy.linalg
from scipy.sparse import linalg

from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.results import sparse
from tapeless.runtime.sparse import (
    common_of_sparse,
    complete,
    is_sparse,
    ones_at,
    product_of_sparse,
    product_with_sparse,
    sampled_product,
    sampled_sparse,
    sparse_product,
    with_entries,
)
from tapeless.runtime.sparse_products import at_reach, left_factor, right_factor, storing


@register_gradient(sparse_product, kind=sparse.product, says_more=True)
def sparse_product_rule(a: Any, x: Any) -> Any:
    y = a @ x

    def grad(y_bar: Any) -> Any:
        return sampled_product(a, y_bar, x), a.T @ y_bar

    def jvp(a_dot: Any, x_dot: Any) -> Any:
        return with_entries(a, a_dot) @ x + a @ x_dot

    return y, grad, jvp


@register_gradient(product_with_sparse, kind=sparse.product, says_more=True)
def product_with_sparse_rule(x: Any, a: Any) -> Any:
    y = x @ a

    def grad(y_bar: Any) -> Any:
        return y_bar @ a.T, sampled_product(a, x.T, y_bar.T)

    def jvp(x_dot: Any, a_dot: Any) -> Any:
        return x @ with_entries(a, a_dot) + x_dot @ a

    return y, grad, jvp


@register_gradient(product_of_sparse, kind=sparse.product, says_more=True)
def product_of_sparse_rule(a: Any, b: Any) -> Any:
    """The cotangent of the product is as sparse as the product: no entry that counts may be left out."""
    c = a @ b

    def grad(c_bar: Any) -> Any:
        g = with_entries(c, c_bar)
        by_right = g @ right_factor(a, b, c).T
        by_left = left_factor(a, b, c).T @ g
        return sampled_sparse(a, by_right), sampled_sparse(b, by_left)

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        moved = with_entries(a, a_dot) @ b + a @ with_entries(b, b_dot)
        return sampled_sparse(storing(c, moved), moved)

    return c, grad, jvp


@register_gradient(common_of_sparse, kind=sparse.common, says_more=True)
def common_of_sparse_rule(a: Any, b: Any) -> Any:
    """The product of each two entries at one place."""
    c = a.multiply(b)

    def grad(c_bar: Any) -> Any:
        g = with_entries(complete(c, ones_at(a).multiply(ones_at(b))), c_bar)
        return sampled_sparse(a, g.multiply(b)), sampled_sparse(b, g.multiply(a))

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        whole = complete(c, ones_at(a).multiply(ones_at(b)))
        by_first = sampled_sparse(whole, with_entries(a, a_dot).multiply(b))
        return by_first + sampled_sparse(whole, a.multiply(with_entries(b, b_dot)))

    return c, grad, jvp


@register_gradient(at_reach, kind=sparse.rebuilt_like, says_more=True)
def at_reach_rule(a: Any, dense: Any) -> Any:
    """The places are those of the array, which stay."""
    c = at_reach(a, dense)

    def grad(c_bar: Any) -> Any:
        return None, with_entries(c, c_bar).toarray()

    def jvp(dense_dot: Any) -> Any:
        return at_reach(a, dense_dot).data

    return c, grad, jvp


def sparse_expm(A: Any) -> Any:
    """Most entries of an exponential are not zero: it is computed as that of a dense matrix."""
    if is_sparse(A):
        return at_reach(A, scipy.linalg.expm(A.toarray()))
    return scipy.linalg.expm(A)


written_out(linalg.expm, sparse_expm)
