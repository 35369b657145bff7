"""Linear systems with sparse arrays, by factors that both sweeps solve with."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tapeless.runtime.sparse import complete, is_compressed, refuse, with_entries

_HELD_BY_ONE = 3  # by what owns it, and twice by the one who asks


def factored(a: Any) -> Any:
    """Return the LU factors of a sparse array, as `scipy.sparse.linalg.splu` does.

    A solver of SciPy sorts the entries of an array that does not keep them in order where they stand:
    in the array that it was made of, too. Here they are sorted in a copy, and where it makes a
    difference nothing is answered.

    Raises
    ------
    GradientError
        If the entries are in no order, and may be read by another name.

    Examples
    --------
    >>> from scipy import sparse
    >>> factored(sparse.csc_array(np.diag([2.0, 4.0]))).solve(np.ones(2))
    array([0.5 , 0.25])
    """
    from scipy.sparse import linalg

    if a.format not in ("csc", "csr") or a.has_canonical_format:
        return linalg.splu(a.tocsc())
    if _is_held_elsewhere(a):
        refuse(
            "the entries of the sparse array are in no order: the solver sorts them where they stand, "
            "and what holds them by another name would change",
            "make it of entries by row and column, csc_array((data, (i, j)), shape=(m, n))",
        )
    return linalg.splu(a.copy().tocsc())


def _is_held_elsewhere(a: Any) -> bool:
    """Whether the memory of the entries of a sparse array can be read other than by this array."""
    held = a.data
    while isinstance(held, np.ndarray):
        if sys.getrefcount(held) > _HELD_BY_ONE:
            return True
        held = held.base
    return held is not None


def solve_factored(factor: Any, a: Any, b: Any, trans: Any = "N") -> Any:
    """Return the solution of ``a @ x = b`` by the factors of `a`, with ``a.T`` for ``trans="T"``.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[2.0, 0.0], [2.0, 4.0]]))
    >>> solve_factored(factored(a), a, np.ones(2)), solve_factored(factored(a), a, np.ones(2), "T")
    (array([0.5, 0. ]), array([0.25, 0.25]))
    """
    b = np.asarray(b, dtype=np.result_type(b, a.dtype))
    if np.iscomplexobj(b) and a.dtype.kind != "c":
        real, imaginary = np.ascontiguousarray(b.real), np.ascontiguousarray(b.imag)
        return factor.solve(real, trans) + 1j * factor.solve(imaginary, trans)
    return factor.solve(b.astype(a.dtype), trans).astype(b.dtype)


def has_one_column(b: Any) -> bool:
    """Whether a sparse array has one column: SciPy takes such a right-hand side as a vector.

    Examples
    --------
    >>> from scipy import sparse
    >>> has_one_column(sparse.csc_array((3, 1))), has_one_column(sparse.csc_array((3, 2)))
    (True, False)
    """
    return b.shape[1] == 1  # type: ignore[no-any-return]


def solve_sparse(factor: Any, a: Any, b: Any, trans: Any = "N") -> Any:
    """Return the sparse solution of ``a @ x = b`` for a sparse array `b`, column by column as SciPy.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[2.0, 0.0], [2.0, 4.0]]))
    >>> solve_sparse(factored(a), a, sparse.eye_array(2, format="csc")).toarray()
    array([[ 0.5 ,  0.  ],
           [-0.25,  0.25]])
    """
    if not is_compressed(a):
        refuse("a system with a sparse right-hand side is solved of CSC or CSR", "use a.tocsc()")
    if has_one_column(b):
        refuse(
            "the solution for a sparse right-hand side of one column is a vector, and the number of "
            "columns was not known when the derivative was written",
            "pass b.toarray()[:, 0]",
        )
    columns, values, rows, counts = b.tocsc(), [np.zeros(0, a.dtype)], [np.zeros(0, int)], []
    for j in range(b.shape[1]):
        x = solve_factored(factor, a, columns[:, [j]].toarray()[:, 0], trans)
        rows.append(np.flatnonzero(x))
        values.append(x[rows[-1]])
        counts.append(len(rows[-1]))
    places = np.concatenate(rows), np.repeat(np.arange(b.shape[1]), counts)
    return type(a)((np.concatenate(values), places), shape=b.shape)


def whole_solution(x: Any, a: Any, b: Any, trans: Any) -> Any:
    """Return a sparse solution, which has to store all entries that may be other than zero.

    These are what it stores with any other entries of `a` and `b` at their places.

    Raises
    ------
    GradientError
        If it does not: how the others change is not known.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.csr_array(np.array([[2.0, 0.0], [2.0, 4.0]]))
    >>> whole_solution(a, a, a, "N").nnz
    3
    """
    if x.nnz == x.shape[0] * x.shape[1]:
        return x
    rng = np.random.default_rng(0)
    a, b = (with_entries(y, rng.uniform(1.0, 2.0, y.data.shape)) for y in (a, b))
    return complete(x, solve_sparse(factored(a), a, b, trans))
