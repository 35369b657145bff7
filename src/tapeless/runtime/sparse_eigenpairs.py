"""Eigenvalues and eigenvectors of sparse arrays, some of all: what their derivatives are solved with."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.sparse import is_sparse, sampled_product, with_entries


def product_at(a: Any, u: Any, v: Any) -> Any:
    """Return ``u @ v.T``, of a sparse array the entries at the places that it stores.

    Examples
    --------
    >>> product_at(np.eye(2), np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]]))
    array([[3., 4.],
           [6., 8.]])
    """
    return sampled_product(a, u, v) if is_sparse(a) else u @ np.transpose(v)


def change_of(a: Any, a_dot: Any) -> Any:
    """Return the tangent of an array as one that multiplies as the array does."""
    return with_entries(a, a_dot) if is_sparse(a) else a_dot


def weighed(m: Any, v: Any) -> Any:
    """Return ``m @ v``, where no `m` stands for the identity."""
    return v if m is None else m @ v


def eigenvectors_in_order(found: Any, w: Any, v: Any) -> Any:
    """Return the eigenvectors that belong to the eigenvalues `w`, in the order of `found`.

    Examples
    --------
    >>> eigenvectors_in_order(np.array([2.0, 1.0]), np.array([1.0, 2.0]), np.eye(2))
    array([[0., 1.],
           [1., 0.]])
    """
    return v[:, np.argsort(w)[np.argsort(np.argsort(found))]]


def eigenpairs_found(a: Any, m: Any, w: Any, v: Any) -> Any:
    """Return eigenvalues and eigenvectors that were found of an array, or pair of arrays.

    Their derivative is that of the array and its mass `m`, by the equations that they satisfy.
    """
    return np.array(w), np.array(v)


def eigenvalues_found(a: Any, m: Any, w: Any, v: Any) -> Any:
    """Return eigenvalues that were found of an array, with these eigenvectors."""
    return np.array(w)


def solve_beside(a: Any, m: Any, w: Any, v: Any, g: Any) -> Any:
    """Return `z` with ``(a - w m) z = g`` but for what is along ``m v``, and ``v.T m z = 0``, by column.

    The array is singular, and that with ``m v`` as its border is not: so eigenvectors change, whatever the
    others are (Nelson 1976, Simplified calculation of eigenvector derivatives).

    Examples
    --------
    >>> a, v = np.diag([1.0, 3.0]), np.array([[1.0], [0.0]])
    >>> solve_beside(a, None, np.array([1.0]), v, np.array([[5.0], [4.0]]))
    array([[0.],
           [2.]])
    """
    columns = [_beside_one(a, m, w[i], weighed(m, v[:, i]), g[:, i]) for i in range(np.shape(v)[1])]
    return np.stack(columns, axis=1).astype(g.dtype)


def _beside_one(a: Any, m: Any, w: Any, border: Any, g: Any) -> Any:
    if not np.any(g):
        return np.zeros(len(g))
    right = np.append(g, 0.0)
    if not is_sparse(a):
        mass = np.eye(len(g)) if m is None else m
        whole = np.block([[a - w * mass, border[:, None]], [border, np.zeros(1)]])
        return np.linalg.solve(whole, right)[:-1]
    from scipy import sparse
    from scipy.sparse import linalg

    mass = sparse.eye_array(len(g)) if m is None else m
    column = sparse.csc_array(border[:, None].astype(float))
    whole = sparse.block_array([[sparse.csc_array(a - w * mass), column], [column.T, None]])
    return linalg.splu(whole.tocsc()).solve(right)[:-1]
