"""What a sparse matrix of SciPy's gives as a `numpy.matrix`, written out in Python.

    v = K.sum(axis=1)         ->   v = sums_of_matrix(K, axis=1)
    d = np.asarray(v)              d = np.asarray(v)                 of which the array in it is taken

Such an object stands for the matrix where the sparse one varies. It does what programs do with such a
matrix first: it becomes an array. Its operators are left out, for they are those of matrices.
"""

# ruff: noqa: N801, N802

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


class matrix:
    """A `numpy.matrix` that varies."""

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


def sums_of_matrix(a: Any, axis: Any) -> Any:
    """Return the sums along an axis, which the matrix keeps."""
    return matrix(np.expand_dims(sparse.csr_array(a).sum(axis=axis), axis))


def means_of_matrix(a: Any, axis: Any) -> Any:
    """Return the means along an axis, which the matrix keeps."""
    return matrix(np.expand_dims(sparse.csr_array(a).mean(axis=axis), axis))


def dense_matrix(a: Any) -> Any:
    """Return the matrix with all of its zeros."""
    return matrix(a.toarray())


GIVING_MATRICES = {"sum": sums_of_matrix, "mean": means_of_matrix, "todense": dense_matrix}
