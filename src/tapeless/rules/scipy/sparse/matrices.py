"""What a sparse matrix of SciPy's gives as a `numpy.matrix`, written out in Python.

    v = K.sum(axis=1)         ->   v = sums_of_matrix(K, axis=1)
    d = np.asarray(v)              d = np.asarray(v)                 of which the array in it is taken

Such an object stands for the matrix where the sparse one varies. It does what programs do with such a
matrix first: it becomes an array, or is what the entries of others are divided by. Its products are left
out, for they are those of matrices.
"""

# ruff: noqa: N801, N802

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tapeless.runtime.sparse import is_sparse


class matrix:
    """A `numpy.matrix` that varies."""

    __array_ufunc__ = None  # the operators are those below, on both sides

    def __init__(self, entries: Any):
        self.entries = entries

    def __array__(self) -> Any:
        """Return what `np.asarray` makes of it."""
        return self.entries

    @property
    def A(self) -> Any:
        """Return it as an array."""
        return self.entries

    @property
    def A1(self) -> Any:
        """Return it as an array of one dimension."""
        return np.ravel(self.entries)

    @property
    def T(self) -> Any:
        """Return the transposed matrix."""
        return matrix(np.transpose(self.entries))

    @property
    def shape(self) -> Any:
        """Return its shape."""
        return np.shape(self.entries)

    def getA(self) -> Any:
        """Return it as an array."""
        return self.entries

    def getA1(self) -> Any:
        """Return it as an array of one dimension."""
        return np.ravel(self.entries)

    def flatten(self) -> Any:
        """Return a matrix of one row."""
        return matrix(np.reshape(self.entries, (1, -1)))

    def ravel(self) -> Any:
        """Return a matrix of one row."""
        return matrix(np.reshape(self.entries, (1, -1)))

    def transpose(self) -> Any:
        """Return the transposed matrix."""
        return matrix(np.transpose(self.entries))

    def __truediv__(self, other: Any) -> Any:
        return matrix(self.entries / np.asarray(other))

    def __rtruediv__(self, other: Any) -> Any:
        if is_sparse(other):
            return other / self.entries
        return matrix(np.asarray(other) / self.entries)

    def __add__(self, other: Any) -> Any:
        return matrix(self.entries + np.asarray(other))

    def __radd__(self, other: Any) -> Any:
        return matrix(np.asarray(other) + self.entries)

    def __sub__(self, other: Any) -> Any:
        return matrix(self.entries - np.asarray(other))

    def __rsub__(self, other: Any) -> Any:
        return matrix(np.asarray(other) - self.entries)

    def __neg__(self) -> Any:
        return matrix(-self.entries)


def sums_of_matrix(a: Any, axis: Any) -> Any:
    """Return the sums along an axis, which the matrix keeps."""
    if axis in (0, -2):
        return matrix(np.reshape(sparse.csr_array(a).sum(axis=0), (1, -1)))
    return matrix(np.reshape(sparse.csr_array(a).sum(axis=1), (-1, 1)))


def means_of_matrix(a: Any, axis: Any) -> Any:
    """Return the means along an axis, which the matrix keeps."""
    if axis in (0, -2):
        return matrix(np.reshape(sparse.csr_array(a).mean(axis=0), (1, -1)))
    return matrix(np.reshape(sparse.csr_array(a).mean(axis=1), (-1, 1)))


def dense_matrix(a: Any) -> Any:
    """Return the matrix with all of its zeros."""
    return matrix(a.toarray())


GIVING_MATRICES = {"sum": sums_of_matrix, "mean": means_of_matrix, "todense": dense_matrix}
