"""Sparse arrays made of their entries and places, in one step: the cotangent of the entries is at hand.

Where an array is made of entries by row and column, those at one place are added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tapeless.errors import GradientError
from tapeless.rules.declare import importable_as, register_gradient
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import sparse_creation
from tapeless.runtime.sparse import is_sparse, sampled, sampled_sparse, with_entries

_OF_DENSE = (
    "a sparse array is made of a dense one with zeros: how it changes at these places is not known"
)
_OF_ENTRIES = "make it of its entries and their places: csr_array((data, (i, j)), shape=(m, n))"


def _register_compressed(cls: Any) -> None:
    """Register the rule of a class that keeps its entries by row or by column."""

    @importable_as(f"sparse_{cls.__name__}")
    @register_gradient(cls, kind=sparse_creation.made(cls))
    def sparse_made(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
        if isinstance(arg1, np.ndarray) and np.count_nonzero(arg1) < np.size(arg1):
            raise GradientError(_OF_DENSE, fix=_OF_ENTRIES)
        a = cls(arg1, shape=shape, dtype=dtype, copy=copy)

        def grad(a_bar: Any) -> Any:
            if is_sparse(arg1):
                return sampled_sparse(arg1, with_entries(a, a_bar)), None, None, None
            if isinstance(arg1, np.ndarray):
                return np.reshape(with_entries(a, a_bar).toarray(), arg1.shape), None, None, None
            if len(arg1) == 3:
                return (a_bar, None, None), None, None, None
            given = sparse.coo_array(
                (np.ones_like(arg1[0]), arg1[1]), a.shape
            )  # whose places count
            data_bar = sampled_sparse(given, with_entries(a, a_bar))
            return (data_bar, None), None, None, None

        def jvp(arg1_dot: Any) -> Any:
            if is_sparse(arg1):
                return sampled_sparse(a, with_entries(arg1, arg1_dot))
            if isinstance(arg1, np.ndarray):
                return sampled(a, np.reshape(arg1_dot, a.shape))
            if len(arg1) == 3:
                return arg1_dot[0]
            return sampled_sparse(
                a, sparse.coo_array((arg1_dot[0], arg1[1]), a.shape).asformat(a.format)
            )

        return a, grad, jvp


def _register_listed(cls: Any) -> None:
    """Register the rule of a class that keeps the entries as they are given."""

    @importable_as(f"sparse_{cls.__name__}")
    @register_gradient(cls, kind=sparse_creation.made(cls))
    def sparse_made(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
        if isinstance(arg1, np.ndarray) and np.count_nonzero(arg1) < np.size(arg1):
            raise GradientError(_OF_DENSE, fix=_OF_ENTRIES)
        a = cls(arg1, shape=shape, dtype=dtype, copy=copy)

        def grad(a_bar: Any) -> Any:
            if is_sparse(arg1):
                return sampled_sparse(arg1, with_entries(a, a_bar)), None, None, None
            if isinstance(arg1, np.ndarray):
                return np.reshape(with_entries(a, a_bar).toarray(), arg1.shape), None, None, None
            return (a_bar, None), None, None, None

        def jvp(arg1_dot: Any) -> Any:
            if is_sparse(arg1):
                return sampled_sparse(a, with_entries(arg1, arg1_dot))
            if isinstance(arg1, np.ndarray):
                return sampled(a, np.reshape(arg1_dot, a.shape))
            if isinstance(arg1[0], np.ndarray):
                return arg1_dot[0]
            return np.array(arg1_dot[0])

        return a, grad, jvp


def _register_diagonals(cls: Any) -> None:
    """Register the rule of a class that keeps diagonals as they are given, or one of them."""

    @importable_as(f"sparse_{cls.__name__}")
    @register_gradient(cls, kind=sparse_creation.made(cls))
    def sparse_made(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
        if isinstance(arg1, np.ndarray):
            raise GradientError(_OF_DENSE, fix=_OF_ENTRIES)
        a = cls(arg1, shape=shape, dtype=dtype, copy=copy)

        def grad(a_bar: Any) -> Any:
            if is_sparse(arg1):
                return sampled_sparse(arg1, with_entries(a, a_bar)), None, None, None
            data_bar = np.reshape(a_bar, np.shape(arg1[0]))
            return (data_bar, None), None, None, None

        def jvp(arg1_dot: Any) -> Any:
            if is_sparse(arg1):
                return sampled_sparse(a, with_entries(arg1, arg1_dot))
            return np.reshape(arg1_dot[0], a.data.shape)

        return a, grad, jvp


for _cls in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix):
    _register_compressed(_cls)
for _cls in (sparse.coo_array, sparse.coo_matrix):
    _register_listed(_cls)


def _register_stored_into(cls: Any) -> None:
    """Register a class of arrays that are stored into entry by entry: none of these may vary."""
    no_derivative(f"its entries stand in no single array; {_OF_ENTRIES}", cls, parameter="arg1")

    @importable_as(f"sparse_{cls.__name__}")
    @register_gradient(cls, kind=sparse_creation.made(cls))
    def sparse_made(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
        a = cls(arg1, shape=shape, dtype=dtype, copy=copy)

        def grad(a_bar: Any) -> Any:
            return None, None, None, None

        return a, grad


for _cls in (sparse.dia_array, sparse.dia_matrix):
    _register_diagonals(_cls)
for _cls in (sparse.lil_array, sparse.lil_matrix, sparse.dok_array, sparse.dok_matrix):
    _register_stored_into(_cls)
