"""What derivatives of products of sparse arrays call: SciPy leaves out entries of a product that are zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.sparse import (
    IN_ONE_STEP,
    LEFT_OUT,
    complete,
    is_compressed,
    ones_at,
    refuse,
    sampled,
    sampled_sparse,
    with_entries,
)


def storing(a: Any, b: Any) -> Any:
    """Return a sparse array, which has to store the places at which another one is not zero.

    Raises
    ------
    GradientError
        If it does not: a tangent there would be lost.

    Examples
    --------
    >>> from scipy import sparse
    >>> storing(sparse.csr_array(np.eye(2)), sparse.csr_array(np.diag([0.0, 3.0]))).nnz
    2
    """
    lost = np.count_nonzero(b.data) - np.count_nonzero(sampled_sparse(a, b))
    if lost > 0:
        refuse(f"{lost} entries of a sparse array {LEFT_OUT}", IN_ONE_STEP)
    return a


def left_factor(a: Any, b: Any, c: Any) -> Any:
    """Return the first factor of ``c = a @ b`` as the cotangent of the second meets it.

    Where the product leaves out entries that are zero because of zeros that the factor stores, these count
    as not stored: whatever the other factor is, they add nothing.

    Raises
    ------
    GradientError
        If the product leaves out others.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(([0.0, 1.0], ([0, 1], [0, 1])), shape=(2, 2))
    >>> b = sparse.eye_array(2, format="csr")
    >>> left_factor(b, b, b @ b).nnz, left_factor(a, b, a @ b).nnz
    (2, 1)
    """
    if c.nnz >= (ones_at(a) @ ones_at(b)).nnz:
        return a
    shown = _without_zeros(a)
    complete(c, ones_at(shown) @ ones_at(b))
    return shown


def right_factor(a: Any, b: Any, c: Any) -> Any:
    """Return the second factor of ``c = a @ b`` as the cotangent of the first meets it."""
    if c.nnz >= (ones_at(a) @ ones_at(b)).nnz:
        return b
    shown = _without_zeros(b)
    complete(c, ones_at(a) @ ones_at(shown))
    return shown


def at_reach(a: Any, dense: Any) -> Any:
    """Return the entries of a dense array at the places where a power of a sparse one may store some.

    A function of a matrix has entries there, and zeros elsewhere, whatever the entries of the matrix are.

    Examples
    --------
    >>> from scipy import sparse
    >>> at_reach(sparse.csr_array(np.eye(3, k=1)), np.ones((3, 3))).toarray()
    array([[1., 1., 1.],
           [0., 1., 1.],
           [0., 0., 1.]])
    """
    if not is_compressed(a):
        refuse("a function of a sparse matrix is differentiated for CSC and CSR", "use a.tocsc()")
    reach = _reach(a)
    return with_entries(reach, sampled(reach, dense))


def _reach(a: Any) -> Any:
    """Return the places of all powers of a sparse array, with those of the identity."""
    places = type(a)(ones_at(a) + type(a)(np.eye(a.shape[0])))
    while True:
        more = places @ places
        more.data[:] = 1.0
        if more.nnz == places.nnz:
            more.sort_indices()
            return more
        places = more


def _without_zeros(a: Any) -> Any:
    made = a.tocsr(copy=True)
    made.eliminate_zeros()
    return made
