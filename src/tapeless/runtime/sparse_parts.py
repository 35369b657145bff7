"""Parts of sparse arrays: what an index, a triangle or a method that tidies up takes out of one.

Each entry of such a part is one entry of the whole. Which one it is, is found by taking the same part of an
array that stores the numbers of the entries, from one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeless.runtime.selection import add_at
from tapeless.runtime.sparse import check_apart, complete, is_sparse, ones_at, with_entries


def item_of_sparse(a: Any, index: Any) -> Any:
    """Return what an index takes out of a sparse array: one entry, some of them, or a sparse array."""
    return a[index]


def spread_item(a: Any, g: Any, index: Any) -> Any:
    """Return the entries of a sparse array with a given cotangent of ``a[index]``: zeros elsewhere.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    >>> spread_item(a, np.array([4.0, 5.0]), [1]), spread_item(a, 6.0, (1, 0))
    (array([0., 4., 5.]), array([0., 6., 0.]))
    """
    return _spread(a, g, _numbers(a, lambda b: b[index]))


def entries_of_item(a: Any, data: Any, index: Any) -> Any:
    """Return the entries of ``a[index]``, or its values where it is dense, given those of the array.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    >>> entries_of_item(a, np.array([4.0, 5.0, 6.0]), [1])
    array([5., 6.])
    """
    return _taken(data, _numbers(a, lambda b: b[index]))


def triangle_of_sparse(a: Any, k: Any, lower: bool) -> Any:
    """Return the lower, or upper, triangle of a sparse array, in the format COO."""
    from scipy import sparse

    return sparse.tril(a, k) if lower else sparse.triu(a, k)


def spread_triangle(a: Any, g: Any, k: Any, lower: bool) -> Any:
    """Return the entries of a sparse array, given those of a triangle: zeros in the other one.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 4.0], [2.0, 3.0]]))
    >>> spread_triangle(a, np.array([5.0, 6.0, 7.0]), 0, True)
    array([5., 0., 6., 7.])
    """
    return _spread(a, g, _numbers(a, lambda b: triangle_of_sparse(b, k, lower)))


def entries_of_triangle(a: Any, data: Any, k: Any, lower: bool) -> Any:
    """Return the entries of a triangle, given those of the whole array."""
    return _taken(data, _numbers(a, lambda b: triangle_of_sparse(b, k, lower)))


def tidied(a: Any, method: str) -> Any:
    """Return a copy of a sparse array that `sum_duplicates`, or another such method, was called on.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    >>> tidied(a, "sum_duplicates").data
    array([3., 3.])
    """
    b = a.copy()
    getattr(b, method)()
    return complete(b, _summed(ones_at(a))) if method == "eliminate_zeros" else b


def _summed(a: Any) -> Any:
    a.sum_duplicates()
    return a


def _numbers(a: Any, part: Callable[[Any], Any]) -> Any:
    """Return which entry of an array each of a part of it is, from one; zero where none is stored."""
    check_apart(a)
    numbers = np.arange(1.0, a.data.size + 1.0).reshape(a.data.shape)
    taken = part(with_entries(a, numbers))
    return np.asarray(taken.data if is_sparse(taken) else taken).astype(np.intp)


def _spread(a: Any, g: Any, numbers: Any) -> Any:
    values = np.broadcast_to(g, numbers.shape)
    sums = add_at(np.ravel(values), np.ravel(numbers), (a.data.size + 1,))
    return np.reshape(sums[1:], a.data.shape)


def _taken(data: Any, numbers: Any) -> Any:
    flat = np.concatenate([np.zeros(1, dtype=data.dtype), np.ravel(data)])
    return flat[numbers]
