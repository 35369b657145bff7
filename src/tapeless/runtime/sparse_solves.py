"""Linear systems with sparse arrays, by factors that both sweeps solve with."""

from __future__ import annotations

from typing import Any

import numpy as np


def factored(a: Any) -> Any:
    """Return the LU factors of a sparse array, as `scipy.sparse.linalg.splu` does.

    Examples
    --------
    >>> from scipy import sparse
    >>> factored(sparse.csc_array(np.diag([2.0, 4.0]))).solve(np.ones(2))
    array([0.5 , 0.25])
    """
    from scipy.sparse import linalg

    return linalg.splu(a.tocsc())


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
