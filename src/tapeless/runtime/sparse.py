"""Sparse arrays of SciPy: the entries that they store, and the places where those stand.

A sparse array is linear in its entries, and the places are fixed. So its tangent and its cotangent are
arrays of entries, in the shape and order of its `data`. The cotangent of `a` in `a @ x` has
`y_bar[i] * x[j]` where `a` stores the place `(i, j)`, and nothing elsewhere: no dense array is made.

The functions ask an array for its format, and need no import of SciPy.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from tapeless.runtime.elementwise import real_part
from tapeless.runtime.selection import add_at


def refuse(reason: str, fix: str) -> NoReturn:
    """Refuse at run time what a sparse array has no derivative for."""
    from tapeless.errors import GradientError

    raise GradientError(reason, fix=fix)


def is_sparse(x: Any) -> bool:
    """Whether a value is a sparse array, or matrix, of SciPy.

    Examples
    --------
    >>> is_sparse(np.eye(2))
    False
    """
    cls = type(x)
    return cls.__module__.startswith("scipy.sparse") and hasattr(cls, "asformat")


def multiplies_as_matrix(a: Any) -> bool:
    """Whether a sparse array is a matrix, for which `*` is the product of matrices.

    Examples
    --------
    >>> from scipy import sparse
    >>> multiplies_as_matrix(sparse.csr_matrix((2, 2))), multiplies_as_matrix(sparse.csr_array((2, 2)))
    (True, False)
    """
    return any(cls.__name__ == "spmatrix" for cls in type(a).__mro__)


def entries(a: Any) -> Any:
    """Return the entries that a sparse array stores."""
    _check_format(a)
    return a.data


def with_entries(a: Any, data: Any) -> Any:
    """Return a sparse array with other entries at the same places.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    >>> with_entries(a, np.array([4.0, 5.0, 6.0])).toarray()
    array([[4., 0.],
           [5., 6.]])
    """
    _check_format(a)
    if a.format == "coo":
        return type(a)((data, a.coords), shape=a.shape)
    if a.format == "dia":
        return type(a)((data, a.offsets), shape=a.shape)
    return type(a)((data, a.indices, a.indptr), shape=a.shape)


def sparse_gradient(a: Any, g: Any) -> Any:
    """Return the gradient with respect to a sparse array: with the same places, in memory of its own.

    Parameters
    ----------
    a, g
        The array, and an array of one number for each of its entries, or an untouched 0.0.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]], dtype=np.float32))
    >>> sparse_gradient(a, np.ones(3)).data
    array([1., 1., 1.], dtype=float32)
    """
    made = with_entries(a, np.zeros_like(a.data)).copy()
    made.data[...] = g if np.iscomplexobj(made.data) else real_part(g)
    return made


def _check_format(a: Any) -> None:
    if a.format in ("lil", "dok"):
        refuse(
            f"a sparse array of format '{a.format}' does not keep its entries in one array",
            "convert it: a.tocsr()",
        )


def given_entries(g: Any, a: Any) -> Any:
    """Return the entries of a tangent or cotangent that was given for a sparse array.

    Raises
    ------
    GradientError
        If it is no sparse array with the same places, and no array of as many entries.
    """
    if is_sparse(g):
        _check_format(a)
        alike = g.format == a.format and g.shape == a.shape and g.data.shape == a.data.shape
        pairs = zip(stored_places(g), stored_places(a), strict=True) if alike else ()
        if alike and all(np.array_equal(p, q) for p, q in pairs):
            return np.array(g.data, dtype=np.result_type(g.data, a.data))
    elif np.shape(g) == a.data.shape:
        return np.array(g, dtype=np.result_type(np.asarray(g), a.data))
    return refuse(
        "a tangent or cotangent was given for a sparse array that stores other places",
        "give an array of entries, like its `.data`, or a sparse array with the same places",
    )


def stored_places(a: Any) -> tuple[Any, Any]:
    """Return the row and the column of each entry, in the shape of the entries.

    Where a format pads, as DIA does, what stands outside has a place inside: `within` leaves it out.

    Examples
    --------
    >>> from scipy import sparse
    >>> rows, columns = stored_places(sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]])))
    >>> rows.tolist(), columns.tolist()
    ([0, 1, 1], [0, 0, 1])
    """
    _check_format(a)
    if a.ndim != 2:
        refuse("a sparse array of one dimension is not supported", "give it the shape (1, n)")
    if a.format == "coo":
        rows, columns = a.coords
        return rows, columns
    if a.format == "dia":
        columns = np.arange(a.data.shape[1])
        rows = columns - a.offsets[:, None]
        columns = np.broadcast_to(columns, rows.shape)
        return np.clip(rows, 0, a.shape[0] - 1), np.clip(columns, 0, a.shape[1] - 1)
    outer = np.repeat(np.arange(len(a.indptr) - 1), np.diff(a.indptr))
    if a.format == "bsr":
        high, wide = a.blocksize
        rows = (outer * high)[:, None, None] + np.arange(high)[:, None]
        columns = (a.indices * wide)[:, None, None] + np.arange(wide)
        return np.broadcast_to(rows, a.data.shape), np.broadcast_to(columns, a.data.shape)
    return (outer, a.indices) if a.format == "csr" else (a.indices, outer)


def within(a: Any, g: Any) -> Any:
    """Return entries for a sparse array, with zeros for those that stand outside of it.

    Examples
    --------
    >>> from scipy import sparse
    >>> within(sparse.dia_array((np.ones((1, 3)), [1]), shape=(3, 3)), np.ones((1, 3)))
    array([[0., 1., 1.]])
    """
    if a.format != "dia":
        return g
    rows = np.arange(a.data.shape[1]) - a.offsets[:, None]
    inside = (rows >= 0) & (rows < a.shape[0]) & (np.arange(a.data.shape[1]) < a.shape[1])
    return np.where(inside, g, 0.0)


def sampled_product(a: Any, u: Any, v: Any) -> Any:
    """Return the entries of `u @ v.T` at the places that a sparse array stores.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    >>> sampled_product(a, np.array([1.0, 10.0]), np.array([2.0, 3.0]))
    array([ 2., 20., 30.])
    """
    rows, columns = stored_places(a)
    products = u[rows] * v[columns]
    return within(a, products if np.ndim(u) == 1 else np.sum(products, axis=-1))


def sampled(a: Any, g: Any) -> Any:
    """Return the entries of a dense array, broadcast, at the places that a sparse array stores.

    Examples
    --------
    >>> from scipy import sparse
    >>> sampled(sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]])), np.array([4.0, 5.0]))
    array([4., 4., 5.])
    """
    return within(a, np.broadcast_to(g, a.shape)[stored_places(a)])


def gathered(a: Any, data: Any, shape: tuple[int, ...]) -> Any:
    """Return what `sampled` takes its entries from, as sums of entries: of this shape.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    >>> gathered(a, a.data, (2,)), gathered(a, a.data, (2, 1))
    (array([3., 3.]), array([[1.],
           [5.]]))
    """
    index: Any = 0
    for place, size in zip(stored_places(a)[2 - len(shape) :], shape, strict=True):
        index = index * size + (place if size > 1 else 0)
    return add_at(within(a, data), np.broadcast_to(index, data.shape), shape)


def sampled_sparse(a: Any, b: Any) -> Any:
    """Return the entries of a sparse array at the places that another one stores.

    Raises
    ------
    GradientError
        If it stores two entries at one place.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    >>> sampled_sparse(a, sparse.csc_array(np.array([[4.0, 5.0], [0.0, 6.0]])))
    array([4., 0., 6.])
    """
    _check_format(a)
    found = b.asformat(a.format)
    if _stores_alike(a, found):
        return found.data
    found = b.tocsr()
    single = found.copy()
    single.sum_duplicates()
    if single.nnz < found.nnz:
        refuse("a sparse array stores two entries at one place", "call its sum_duplicates() first")
    rows, columns = stored_places(a)
    values = np.asarray(single[np.ravel(rows), np.ravel(columns)])
    return within(a, np.reshape(values, a.data.shape))


def _stores_alike(a: Any, b: Any) -> bool:
    """Whether two sparse arrays of one format store the same places in the same order."""
    if a.data.shape != b.data.shape:
        return False
    if a.format == "coo":
        return all(np.array_equal(p, q) for p, q in zip(a.coords, b.coords, strict=True))
    if a.format == "dia":
        return np.array_equal(a.offsets, b.offsets)
    return np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices)


def ones_at(a: Any) -> Any:
    """Return a sparse array of ones at the places that another one stores."""
    return with_entries(a, np.ones(a.data.shape))


def complete(a: Any, pattern: Any) -> Any:
    """Return a sparse array, which has to store as many entries as another one with its places.

    SciPy leaves out what comes to zero. Where that is so, no derivative is known at these places.

    Raises
    ------
    GradientError
        If it stores fewer.
    """
    if a.nnz < pattern.nnz:
        refuse(f"{pattern.nnz - a.nnz} entries of a sparse array {LEFT_OUT}", IN_ONE_STEP)
    return a


LEFT_OUT = "are zero, and SciPy leaves them out: how they change is not known"
IN_ONE_STEP = "make it in one step of its entries and places: coo_array((data, (i, j)))"


def spread_diagonal(a: Any, g: Any, k: Any = 0) -> Any:
    """Return the entries of a sparse array with a given diagonal, at the places that it stores.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    >>> spread_diagonal(a, np.array([4.0, 5.0]))
    array([4., 0., 5.])
    """
    rows, columns = stored_places(a)
    on = columns - rows == k
    return within(a, np.where(on, g[np.where(on, np.minimum(rows, columns), 0)], 0.0))


def sparse_product(a: Any, x: Any) -> Any:
    """Return the product of a sparse and a dense array."""
    return a @ x


def product_with_sparse(x: Any, a: Any) -> Any:
    """Return the product of a dense and a sparse array."""
    return x @ a


def product_of_sparse(a: Any, b: Any) -> Any:
    """Return the product of two sparse arrays, which is sparse."""
    return a @ b


def negated_sparse(a: Any) -> Any:
    """Return a sparse array with the entries of the other sign."""
    return -a


def scaled_sparse(a: Any, s: Any) -> Any:
    """Return a sparse array times a number."""
    return a * s


def sparse_scaled_by(s: Any, a: Any) -> Any:
    """Return a number times a sparse array."""
    return s * a


def divided_sparse(a: Any, s: Any) -> Any:
    """Return a sparse array divided by a number."""
    return a / s


def sparse_over_dense(a: Any, x: Any) -> Any:
    """Return the quotients of the entries of a sparse array by those of a dense one."""
    return a / x


def weighted_sparse(a: Any, x: Any) -> Any:
    """Return the products of the entries of a sparse array with those of a dense one."""
    return a.multiply(x)


def sparse_weighted_by(x: Any, a: Any) -> Any:
    """Return the products of the entries of a dense array with those of a sparse one."""
    return a.multiply(x)


def common_of_sparse(a: Any, b: Any) -> Any:
    """Return the products of the entries of two sparse arrays, where both store one."""
    return a.multiply(b)


def sum_of_sparse(a: Any, b: Any) -> Any:
    """Return the sum of two sparse arrays."""
    return a + b


def difference_of_sparse(a: Any, b: Any) -> Any:
    """Return the difference of two sparse arrays."""
    return a - b


def transposed_sparse(a: Any, axes: Any = None, copy: Any = False) -> Any:
    """Return a sparse array with rows and columns exchanged."""
    return a.transpose(copy=copy)


def dense_of_sparse(a: Any, order: Any = None) -> Any:
    """Return a dense array of the same entries."""
    return a.toarray(order=order)


def sum_of_entries(a: Any, axis: Any = None) -> Any:
    """Return the sum of the entries of a sparse array, over all places or along one axis."""
    return a.sum(axis=axis)


def mean_of_entries(a: Any, axis: Any = None) -> Any:
    """Return the mean of all places of a sparse array, or of those along one axis."""
    return a.mean(axis=axis)


def trace_of_sparse(a: Any, offset: Any = 0) -> Any:
    """Return the sum of a diagonal of a sparse array."""
    return a.trace(offset)


def is_compressed(a: Any) -> bool:
    """Whether a sparse array keeps its entries by row or by column."""
    return a.format in ("csr", "csc")


def keeps_order(a: Any) -> bool:
    """Whether the entries of a sparse array keep their order when it is transposed."""
    return a.format in ("csr", "csc", "coo")


def in_format(a: Any, format: Any, copy: Any = False) -> Any:
    """Return a sparse array in another format."""
    return a.asformat(format, copy=copy)


def copy_of_sparse(a: Any) -> Any:
    """Return a copy of a sparse array."""
    return a.copy()


def diagonal_of_sparse(a: Any, k: Any = 0) -> Any:
    """Return a diagonal of a sparse array."""
    return a.diagonal(k)


def of_diagonal(cls: Any, d: Any, k: Any) -> Any:
    """Return a square sparse array, of a class that keeps diagonals, with one diagonal.

    Examples
    --------
    >>> from scipy import sparse
    >>> of_diagonal(sparse.dia_array, np.array([1.0, 2.0]), 1).toarray()
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    size = len(d) + abs(k)
    data = np.zeros((1, size - max(-k, 0)), dtype=np.result_type(d))
    data[0, max(k, 0) :] = d
    return cls((data, [k]), shape=(size, size))


def check_sparse(a: Any) -> None:
    """Refuse a dense array among sparse ones."""
    if not is_sparse(a):
        refuse("sparse and dense arrays are joined", "make all of them sparse: csr_array(x)")


def with_each_entry(a: Any, data: Any) -> Any:
    """Return a sparse array with other entries, computed of its own one by one.

    Raises
    ------
    GradientError
        If it stores two entries at one place: SciPy adds them up first.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    >>> with_each_entry(a, np.sqrt(a.data)).nnz
    3
    """
    check_apart(a)
    return with_entries(a, data)


def check_apart(a: Any) -> None:
    """Refuse a sparse array that stores two entries at one place."""
    single = a.tocsr(copy=True)
    single.sum_duplicates()
    if single.nnz < a.nnz:
        refuse("a sparse array stores two entries at one place", "add them up first: a.tocsr()")
