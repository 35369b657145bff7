"""What derivatives of `scipy.linalg` are made of: factors, diagonals, functions of matrices.

A factorization that was made in the forward sweep serves in the reverse sweep, too; what is triangular
is solved as that. The helpers are imported by the rules for `scipy.linalg` alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tapeless.errors import GradientError
from tapeless.runtime.linalg import half_tril, over_gaps, symmetric
from tapeless.runtime.products import outer
from tapeless.runtime.shapes import transpose


def single(a: Any) -> Any:
    """Return a matrix as it is; a stack of matrices is refused.

    Examples
    --------
    >>> single(np.eye(2)).shape
    (2, 2)
    """
    if np.ndim(a) != 2:
        raise GradientError(
            "functions of scipy.linalg are differentiated for single matrices",
            fix="call it for each matrix, or use np.linalg, which takes stacks",
        )
    return a


def real_matrix(a: Any) -> Any:
    """Return a real matrix as it is; a complex one is refused.

    Examples
    --------
    >>> real_matrix(np.eye(1))
    array([[1.]])
    """
    if np.iscomplexobj(a):
        raise GradientError("this factorization is differentiated for real matrices only")
    return a


def sum_of_pairs(u: Any, v: Any) -> Any:
    """Return ``u @ v.T``, the sum over right-hand sides; of vectors the outer product.

    Examples
    --------
    >>> sum_of_pairs(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    if np.ndim(u) == 1:
        return outer(u, v)
    return u @ transpose(v)


def triangle(a: Any, lower: Any, unit_diagonal: Any = False) -> Any:
    """Return one triangle of a matrix, without the diagonal where that counts as ones.

    Examples
    --------
    >>> triangle(np.ones((2, 2)), True, unit_diagonal=True)
    array([[0., 0.],
           [1., 0.]])
    """
    if unit_diagonal:
        return np.tril(a, -1) if lower else np.triu(a, 1)
    return np.tril(a) if lower else np.triu(a)


def entries_read(a: Any, assume_a: Any) -> Any:
    """Return the entries of a matrix that count where it is assumed to be of some form.

    Examples
    --------
    >>> entries_read(np.ones((2, 2)), "diagonal")
    array([[1., 0.],
           [0., 1.]])
    """
    if assume_a == "upper triangular":
        return np.triu(a)
    if assume_a == "lower triangular":
        return np.tril(a)
    if assume_a == "diagonal":
        return np.triu(np.tril(a))
    if assume_a == "tridiagonal":
        return np.triu(np.tril(a, 1), -1)
    return a


# Cholesky factors


def cholesky_bar(factor_bar: Any, factor: Any, lower: Any) -> Any:
    """Return the cotangent of a matrix, a symmetric one, from that of its Cholesky factor.

    For ``a = l @ l.T`` that is the symmetric part of ``inv(l).T @ p(l.T @ l_bar) @ inv(l)``, where ``p``
    takes the lower triangle and half of the diagonal (Murray, "Differentiation of the Cholesky
    decomposition", 2016).
    """
    left = np.tril(factor) if lower else transpose(np.triu(factor))
    left_bar = np.tril(factor_bar) if lower else transpose(np.triu(factor_bar))
    inner = half_tril(transpose(left) @ left_bar)
    half = linalg.solve_triangular(left, inner, trans=1, lower=True, check_finite=False)
    return symmetric(
        linalg.solve_triangular(left, transpose(half), trans=1, lower=True, check_finite=False)
    )


def cholesky_dot(a_dot: Any, factor: Any, lower: Any) -> Any:
    """Return the tangent of a Cholesky factor: ``l @ p(inv(l) @ a_dot @ inv(l).T)``."""
    left = np.tril(factor) if lower else transpose(np.triu(factor))
    half = linalg.solve_triangular(left, symmetric(a_dot), lower=True, check_finite=False)
    inner = linalg.solve_triangular(left, transpose(half), lower=True, check_finite=False)
    left_dot = left @ half_tril(inner)
    return left_dot if lower else transpose(left_dot)


def of_cholesky_product_bar(a_bar: Any, factor: Any, lower: Any) -> Any:
    """Return the cotangent of a Cholesky factor from that of the matrix that it stands for."""
    both = a_bar + transpose(a_bar)
    if lower:
        return np.tril(both @ np.tril(factor))
    return np.triu(np.triu(factor) @ both)


def of_cholesky_product_dot(factor_dot: Any, factor: Any, lower: Any) -> Any:
    """Return the tangent of the matrix that a Cholesky factor stands for."""
    if lower:
        half = np.tril(factor_dot) @ transpose(np.tril(factor))
    else:
        half = transpose(np.triu(factor_dot)) @ np.triu(factor)
    return half + transpose(half)


# LU factors


def pivoted_order(pivots: Any) -> Any:
    """Return the order of rows that the exchanges of an LU factorization lead to.

    Examples
    --------
    >>> pivoted_order(np.array([1, 1]))
    array([1, 0])
    """
    order = np.arange(len(pivots))
    for i, k in enumerate(pivots):
        order[[i, k]] = order[[k, i]]
    return order


def lu_bar(left_bar: Any, upper_bar: Any, left: Any, upper: Any) -> Any:
    """Return the cotangent of a square ``left @ upper`` from those of its factors.

    With ``f = inv(left) @ da @ inv(upper)`` the factors change by ``left @ tril(f, -1)`` and
    ``triu(f) @ upper`` (Walter and Lehmann, "Algorithmic differentiation of linear algebra functions
    with application in optimum experimental design", 2010).
    """
    inner = np.tril(transpose(left) @ left_bar, -1) + np.triu(upper_bar @ transpose(upper))
    half = linalg.solve_triangular(
        left, inner, trans=1, lower=True, unit_diagonal=True, check_finite=False
    )
    return transpose(linalg.solve_triangular(upper, transpose(half), check_finite=False))


def lu_dot(a_dot: Any, left: Any, upper: Any) -> tuple[Any, Any]:
    """Return the tangents of the factors of a square ``left @ upper``."""
    half = linalg.solve_triangular(left, a_dot, lower=True, unit_diagonal=True, check_finite=False)
    inner = transpose(linalg.solve_triangular(upper, transpose(half), trans=1, check_finite=False))
    return left @ np.tril(inner, -1), np.triu(inner) @ upper


def unit_lower(lu: Any) -> Any:
    """Return the left factor out of the matrix that holds both.

    Examples
    --------
    >>> unit_lower(np.array([[2.0, 3.0], [0.5, 4.0]]))
    array([[1. , 0. ],
           [0.5, 1. ]])
    """
    return np.tril(lu, -1) + np.eye(np.shape(lu)[-1], dtype=np.result_type(lu))


def of_lu_product_bar(a_bar: Any, lu: Any, pivots: Any) -> Any:
    """Return the cotangent of packed factors from that of the matrix that they stand for."""
    ordered = a_bar[pivoted_order(pivots)]
    below = np.tril(ordered @ transpose(np.triu(lu)), -1)
    return below + np.triu(transpose(unit_lower(lu)) @ ordered)


def of_lu_product_dot(lu_dot: Any, lu: Any, pivots: Any) -> Any:
    """Return the tangent of the matrix that packed factors stand for."""
    ordered = np.tril(lu_dot, -1) @ np.triu(lu) + unit_lower(lu) @ np.triu(lu_dot)
    return ordered[np.argsort(pivoted_order(pivots))]


def square_factor(r: Any) -> Any:
    """Return a square factor as it is; another is refused."""
    if np.shape(r)[-1] != np.shape(r)[-2]:
        raise GradientError(
            "this factorization is differentiated for square matrices",
            fix="factor the square part",
        )
    return r


# QR factors


def not_taller_than_wide(r: Any) -> Any:
    """Return a factor R as it is; one that belongs to a complete Q of a tall matrix is refused."""
    if np.shape(r)[-2] > np.shape(r)[-1]:
        raise GradientError(
            "the columns that complete Q are determined up to a rotation only",
            fix='pass mode="economic"',
        )
    return r


def rows_below(r: Any, like: Any) -> Any:
    """Return a factor with rows of zeros below it, so that it has as many as another.

    Examples
    --------
    >>> rows_below(np.ones((1, 2)), np.zeros((2, 2)))
    array([[1., 1.],
           [0., 0.]])
    """
    return np.concatenate([r, np.zeros_like(like[..., np.shape(r)[-2] :, :])], axis=-2)


# Eigenvalues of pairs


def pair_bars(w_bar: Any, v_bar: Any, w: Any, v: Any) -> tuple[Any, Any]:
    """Return the cotangents of `a` and `b` in ``w, v = scipy.linalg.eigh(a, b)``.

    From ``a @ v == b @ v * w`` and ``v.T @ b @ v == 1``: with ``s = v.T @ (da @ v - db @ v * w)`` the
    values change by its diagonal, and the vectors turn by ``v @ (s / gaps)``, less half of the diagonal
    of ``v.T @ db @ v``.
    """
    left = transpose(v) @ v_bar
    inner = over_gaps(left, w) + np.diag(w_bar)
    b_inner = inner * w + 0.5 * np.diag(np.diag(left))
    return symmetric(v @ inner @ transpose(v)), -symmetric(v @ b_inner @ transpose(v))


def pair_dots(a_dot: Any, b_dot: Any, w: Any, v: Any) -> tuple[Any, Any]:
    """Return the tangents of ``w, v = scipy.linalg.eigh(a, b)``."""
    b_inner = transpose(v) @ symmetric(b_dot) @ v
    inner = transpose(v) @ symmetric(a_dot) @ v - b_inner * w
    return np.array(np.diag(inner)), v @ (over_gaps(inner, w) - 0.5 * np.diag(np.diag(b_inner)))


def over_all_gaps(m: Any, w: Any, every: Any) -> Any:
    """Divide ``m[i, j]`` by ``w[j] - every[i]``, with 0 where an eigenvalue stands for itself.

    The eigenvalues `w` are some of all, one after the other.

    Examples
    --------
    >>> over_all_gaps(np.ones((3, 1)), np.array([2.0]), np.array([1.0, 2.0, 4.0]))
    array([[ 1. ],
           [ 0. ],
           [-0.5]])
    """
    gaps = w - every[:, None]
    first = np.argmin(np.abs(every[:, None] - w[:1]))
    own = np.arange(np.shape(every)[0])[:, None] - first == np.arange(np.shape(w)[0])
    mute = own | ((gaps == 0) & (m == 0))
    return np.where(mute, 0.0, m / np.where(mute, 1.0, gaps))


def tridiagonal_bars(w_bar: Any, v_bar: Any, w: Any, v: Any) -> tuple[Any, Any]:
    """Return the cotangents of both diagonals in ``w, v = scipy.linalg.eigh_tridiagonal(d, e)``."""
    m = v * w_bar + v @ over_gaps(transpose(v) @ v_bar, w)
    beside = np.sum(m[:-1] * v[1:] + m[1:] * v[:-1], axis=1)
    return np.sum(m * v, axis=1), beside


def tridiagonal_times(d: Any, e: Any, v: Any) -> Any:
    """Return the product of a symmetric matrix of three diagonals and another.

    Examples
    --------
    >>> tridiagonal_times(np.array([1.0, 2.0]), np.array([3.0]), np.eye(2))
    array([[1., 3.],
           [3., 2.]])
    """
    above, below = e[:, None] * v[1:], e[:, None] * v[:-1]
    none = np.zeros_like(v[:1])
    return d[:, None] * v + np.concatenate([above, none]) + np.concatenate([none, below])


# Polar factors


def polar_bar(u_bar: Any, p_bar: Any, u: Any, p: Any) -> Any:
    """Return the cotangent of ``a == u @ p``, not of lower rank, from those of its polar factors.

    The turn ``s = u.T @ du`` is antisymmetric, so that ``p @ s + s @ p`` is the antisymmetric part of
    twice ``u.T @ da``: an equation of Sylvester's.
    """
    inner = transpose(u) @ u_bar
    turn = inner - p_bar @ p
    a_bar = u @ (linalg.solve_sylvester(p, p, turn - transpose(turn)) + p_bar)
    if np.shape(u)[0] == np.shape(u)[1]:
        return a_bar
    return a_bar + transpose(np.linalg.solve(p, transpose(u_bar - u @ inner)))


def polar_dot(a_dot: Any, u: Any, p: Any) -> tuple[Any, Any]:
    """Return the tangents of the polar factors of ``a == u @ p``."""
    inner = transpose(u) @ a_dot
    turn = linalg.solve_sylvester(p, p, inner - transpose(inner))
    beside = transpose(np.linalg.solve(p, transpose(a_dot - u @ inner)))
    return u @ turn + beside, inner - turn @ p


def tall_matrix(a: Any) -> Any:
    """Return a real matrix with as many rows as columns, or more, as it is; another is refused."""
    if np.shape(a)[0] < np.shape(a)[1]:
        raise GradientError(
            "the polar factors of a wide matrix are not differentiated", fix="transpose the matrix"
        )
    return real_matrix(a)


# Functions of matrices


def block_matrix(a: Any, e: Any) -> Any:
    """Return ``[[a, e], [0, a]]``: a function of it has its derivative in the upper right block.

    Mathias, "A chain rule for matrix functions and applications" (1996).

    Examples
    --------
    >>> block_matrix(np.array([[2.0]]), np.array([[3.0]]))
    array([[2., 3.],
           [0., 2.]])
    """
    upper = np.concatenate([a, e], axis=-1)
    lower = np.concatenate([np.zeros_like(a), a], axis=-1)
    return np.concatenate([upper, lower], axis=-2)


def upper_right(m: Any) -> Any:
    """Return the upper right block.

    Examples
    --------
    >>> upper_right(np.array([[2.0, 3.0], [0.0, 2.0]]))
    array([[3.]])
    """
    size = np.shape(m)[-1] // 2
    return m[..., :size, size:]


def expm_change(a: Any, e: Any) -> Any:
    """Return the change of ``expm(a)`` for a change `e` (Al-Mohy and Higham 2009); of stacks by blocks.

    Examples
    --------
    >>> expm_change(np.zeros((1, 1)), np.array([[2.0]]))
    array([[2.]])
    """
    if np.ndim(a) == 2 and np.result_type(a, e) in (np.float64, np.complex128):
        return linalg.expm_frechet(a, e, compute_expm=False, check_finite=False)
    return upper_right(linalg.expm(block_matrix(a, e)))


# Constant along diagonals


def diagonal_sums(m: Any) -> Any:
    """Return the sums along the diagonals, from the upper right corner to the lower left one.

    Examples
    --------
    >>> diagonal_sums(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([2., 5., 3.])
    """
    count, width = np.shape(m)
    columns = np.arange(width)
    rows = np.arange(1 - width, count)[:, None] + columns
    present = (rows >= 0) & (rows < count)
    return np.sum(np.where(present, m[np.clip(rows, 0, count - 1), columns], 0.0), axis=1)


def first_column_bar(m: Any) -> Any:
    """Return the cotangent of the first column of a Toeplitz matrix from that of the matrix."""
    return diagonal_sums(m)[np.shape(m)[1] - 1 :]


def first_row_bar(m: Any) -> Any:
    """Return the cotangent of the first row of a Toeplitz matrix; its first entry is not read."""
    return first_column_bar(transpose(m)) * (np.arange(np.shape(m)[1]) > 0)


def toeplitz_bar(m: Any, given: Any) -> Any:
    """Return the cotangent of a column, or of column and row, from that of their Toeplitz matrix."""
    if isinstance(given, tuple):
        return first_column_bar(m), first_row_bar(m)
    return first_column_bar(m) + first_row_bar(m)


def toeplitz_of(given: Any) -> Any:
    """Return the Toeplitz matrix of a column, or of column and row."""
    if isinstance(given, tuple):
        return linalg.toeplitz(given[0], given[1])
    return linalg.toeplitz(given)


def transposed_toeplitz(given: Any) -> Any:
    """Return column and row of the transpose of a Toeplitz matrix, of which the same are given."""
    if isinstance(given, tuple):
        first = np.arange(np.shape(given[1])[0]) == 0
        return np.where(first, given[0][0], given[1]), given[0]
    return given


def block_diagonal(blocks: Any) -> Any:
    """Return the matrix with these blocks along its diagonal, as many as there are.

    Examples
    --------
    >>> block_diagonal([np.eye(1), [[2.0, 3.0]]])
    array([[1., 0., 0.],
           [0., 2., 3.]])
    """
    return linalg.block_diag(*blocks)
