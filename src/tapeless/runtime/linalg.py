"""Matrices: solving, determinants, powers, decompositions, norms.

A stack of matrices is a stack of problems: the last two axes are the matrix. Formulas that would divide
by a determinant or by a gap between singular values say what stands in for it where that is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.broadcasting import unbroadcast
from tapeless.runtime.elementwise import (
    conjugate,
    divide_or_zero,
)
from tapeless.runtime.products import outer
from tapeless.runtime.reductions import (
    expand_reduced,
    product_of_others,
    share_ties,
)
from tapeless.runtime.shapes import (
    transpose,
)


def adjoint(a: Any) -> Any:
    """Return the conjugate transpose of the matrices in a stack."""
    return transpose(conjugate(a))


def symmetric(a: Any) -> Any:
    """Return the symmetric part of the matrices in a stack, the Hermitian part of complex ones."""
    return 0.5 * (a + adjoint(a))


def half_tril(a: Any) -> Any:
    """Return the lower triangle with half of the diagonal.

    Examples
    --------
    >>> half_tril(np.full((2, 2), 4.0))
    array([[2., 0.],
           [4., 2.]])
    """
    return 0.5 * (np.tril(a) + np.tril(a, -1))


def solve_right(a: Any, b: Any) -> Any:
    """Solve ``x @ a == b`` for `x`.

    Examples
    --------
    >>> solve_right(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([[2.0, 8.0]]))
    array([[1., 2.]])
    """
    return transpose(np.linalg.solve(transpose(a), transpose(b)))


def for_each_matrix(y_bar: Any, a: Any) -> Any:
    """Return the cotangent of a number per matrix of a stack, to be multiplied with their entries.

    Examples
    --------
    >>> for_each_matrix(2.0, np.eye(2)), for_each_matrix(np.ones(3), np.ones((3, 2, 2))).shape
    (2.0, (3, 1, 1))
    """
    if np.ndim(a) == 2:
        return y_bar
    return np.expand_dims(y_bar, (-2, -1))


def solve_right_bar(x_bar: Any, a: Any, b: Any) -> Any:
    """Return the cotangents of `b` in ``x = np.linalg.solve(a, b)``, one for each matrix of a stack."""
    if np.ndim(b) == 1 and np.ndim(a) != 2:
        return np.linalg.solve(transpose(a), x_bar[..., None])[..., 0]
    return np.linalg.solve(transpose(a), x_bar)


def solve_left_bar(b_bar: Any, x: Any, a: Any, b: Any) -> Any:
    """Return the cotangent of `a` in ``x = np.linalg.solve(a, b)``, from those of `b`."""
    if np.ndim(b) == 1:
        return -outer(b_bar, x)
    return unbroadcast(-b_bar @ transpose(x), a)


def cofactors(a: Any, determinant: Any) -> Any:
    """Return the partials of the determinant: its product with the transposed inverse.

    Those of a matrix of two rows are its entries. Where a larger one is singular, or nearly so, they
    come from the singular values, without dividing: ``det(u) det(vh) u diag(d) vh``, where d holds the
    products of the others.

    Examples
    --------
    >>> cofactors(np.array([[1.0, 2.0], [3.0, 4.0]]), -2.0)
    array([[ 4., -3.],
           [-2.,  1.]])
    """
    if np.shape(a)[-1] == 2:
        return a[..., ::-1, ::-1] * np.array([[1, -1], [-1, 1]], dtype=np.int8)
    if np.all(determinant != 0):
        inverse = np.linalg.inv(a)
        reach = np.sum(np.abs(a), axis=(-2, -1)) * np.sum(np.abs(inverse), axis=(-2, -1))
        if not np.any(reach >= 1e10):  # what is not a number has no rank to ask about
            return np.expand_dims(determinant, (-2, -1)) * transpose(inverse)
    u, s, vh = np.linalg.svd(a)
    turn = np.expand_dims(np.linalg.det(u) * np.linalg.det(vh), (-2, -1))
    return turn * conjugate(u * np.expand_dims(product_of_others(s, -1), -2) @ vh)


def matrix_power_change(a: Any, change: Any, n: int) -> Any:
    """Apply the derivative of ``np.linalg.matrix_power(a, n)`` to a change of `a`.

    The power of the block matrix ``[[a, change], [0, a]]`` has it in its upper right block (Higham
    2008, Functions of Matrices, theorem 3.6), at the cost of one power of twice the size.
    """
    upper = np.concatenate([a, change], axis=-1)
    lower = np.concatenate([np.zeros_like(a), a], axis=-1)
    power = np.linalg.matrix_power(np.concatenate([upper, lower], axis=-2), n)
    size = np.shape(a)[-1]
    return power[..., :size, size:]


def over_gaps(m: Any, w: Any) -> Any:
    """Divide ``m[i, j]`` by ``w[j] - w[i]``, with 0 on the diagonal and for 0 / 0.

    Examples
    --------
    >>> over_gaps(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 2.0]))
    array([[ 0.,  2.],
           [-3.,  0.]])
    """
    gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    mute = np.eye(np.shape(w)[-1], dtype=bool) | ((gaps == 0) & (m == 0))
    return np.where(mute, 0.0, m / np.where(mute, 1.0, gaps))


def check_svd(u: Any, vh: Any) -> None:
    """Refuse the full singular vectors of an oblong matrix, which it does not determine."""
    if np.shape(u)[-1] != np.shape(vh)[-2]:
        from tapeless.errors import GradientError

        raise GradientError(
            "the full singular vectors of an oblong matrix are not determined by it",
            fix="pass full_matrices=False",
        )


def check_phases(phases: Any, scale: Any) -> None:
    """Refuse cotangents of complex vectors that depend on their phases, which nothing determines."""
    if np.any(
        np.abs(phases) > np.sqrt(np.finfo(np.result_type(phases)).eps) * np.max(np.abs(scale))
    ):
        from tapeless.errors import GradientError

        raise GradientError(
            "the result depends on the phases of the vectors, which the matrix does not determine",
            fix="use the vectors in products in which their phases cancel, as in v @ v.conj().T",
        )


def unturned(inner: Any) -> Any:
    """Return products of vectors with their cotangents; refuse those that depend on phases."""
    if np.iscomplexobj(inner):
        check_phases(np.imag(diagonals(inner)), inner)
    return inner


def diagonals(a: Any) -> Any:
    """Return the diagonals of the matrices in a stack."""
    return np.diagonal(a, axis1=-2, axis2=-1)


def check_qr(r: Any) -> None:
    """Refuse the complete factors of a matrix with more rows than columns."""
    if np.shape(r)[-2] > np.shape(r)[-1]:
        from tapeless.errors import GradientError

        raise GradientError(
            "the columns that complete Q are determined up to a rotation only",
            fix='pass mode="reduced"',
        )


def qr_bar(q_bar: Any, r_bar: Any, q: Any, r: Any) -> Any:
    """Return the cotangent of `a` in ``q, r = np.linalg.qr(a)``.

    With more columns than rows the first ones determine `q`, and the others are `q` times what
    remains of `r`.
    """
    check_qr(r)
    n = np.shape(q)[-1]
    square, g = r[..., :n], conjugate(r_bar[..., :n])
    pulled = conjugate(q_bar)
    if np.shape(r)[-1] > n:
        pulled = pulled + (q @ r[..., n:]) @ transpose(r_bar[..., n:])
    m = square @ adjoint(g) - adjoint(pulled) @ q
    mirrored = np.tril(m, -1) + adjoint(np.tril(m, -1))
    mirrored = mirrored + np.eye(n, dtype=m.dtype) * np.expand_dims(np.real(diagonals(m)), -2)
    a_bar = conjugate(solve_right(adjoint(square), pulled + q @ mirrored))
    if np.shape(r)[-1] > n:
        return np.concatenate([a_bar, conjugate(q) @ r_bar[..., n:]], axis=-1)
    return a_bar


def qr_dot(a_dot: Any, q: Any, r: Any) -> tuple[Any, Any]:
    """Apply the derivative of ``q, r = np.linalg.qr(a)``."""
    check_qr(r)
    n = np.shape(q)[-1]
    square = r[..., :n]
    change = solve_right(square, a_dot[..., :n])
    inner = adjoint(q) @ change
    skew = np.tril(inner, -1) - adjoint(np.tril(inner, -1))
    if np.iscomplexobj(inner):
        skew = skew + np.eye(n, dtype=inner.dtype) * np.expand_dims(
            1j * np.imag(diagonals(inner)), -2
        )
    q_dot, r_dot = change - q @ (inner - skew), (inner - skew) @ square
    if np.shape(r)[-1] > n:
        rest = adjoint(q_dot) @ (q @ r[..., n:]) + adjoint(q) @ a_dot[..., n:]
        return q_dot, np.concatenate([r_dot, rest], axis=-1)
    return q_dot, r_dot


def svd_bar(u_bar: Any, s_bar: Any, vh_bar: Any, u: Any, s: Any, vh: Any) -> Any:
    """Return the cotangent of `a` in the reduced ``u, s, vh = np.linalg.svd(a)``.

    Rotations within the singular vectors turn with ``1 / (s[j]**2 - s[i]**2)``; what leaves the
    space that they span, for an oblong matrix, with ``1 / s``. Of complex vectors only the phase
    between a left and a right one is determined.

    Raises
    ------
    GradientError
        If the vectors are those of the full form, which an oblong matrix does not determine, or if
        the cotangents depend on the phases of complex ones.
    """
    check_svd(u, vh)
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    pulled, v_bar = conjugate(u_bar), transpose(vh_bar)
    left = adjoint(u) @ pulled
    right = vh @ v_bar
    inner = over_gaps(left - adjoint(left), s * s) * row
    inner = inner + column * over_gaps(right - adjoint(right), s * s)
    if np.iscomplexobj(inner):
        turns = np.imag(diagonals(left)), np.imag(diagonals(right))
        check_phases(turns[0] + turns[1], np.abs(left) + np.abs(right))
        phase = np.expand_dims(0.5j * (turns[0] - turns[1]) / s, -2)
        inner = inner + np.eye(np.shape(s)[-1], dtype=inner.dtype) * phase
    a_bar = (u * np.expand_dims(s_bar, -2) + u @ inner) @ vh
    if np.shape(u)[-2] > np.shape(u)[-1]:
        a_bar = a_bar + ((pulled - u @ left) / row) @ vh
    if np.shape(vh)[-1] > np.shape(vh)[-2]:
        a_bar = a_bar + u @ adjoint((v_bar - adjoint(vh) @ right) / row)
    return conjugate(a_bar)


def svd_dot(a_dot: Any, u: Any, s: Any, vh: Any) -> tuple[Any, Any, Any]:
    """Apply the derivative of the reduced ``u, s, vh = np.linalg.svd(a)``."""
    check_svd(u, vh)
    row, column, v = np.expand_dims(s, -2), np.expand_dims(s, -1), adjoint(vh)
    inner = adjoint(u) @ a_dot @ v
    flipped = adjoint(inner)
    u_dot = u @ over_gaps(inner * row + column * flipped, s * s)
    v_dot = v @ over_gaps(column * inner + flipped * row, s * s)
    if np.iscomplexobj(inner):
        phase = np.expand_dims(0.5j * np.imag(diagonals(inner)) / s, -2)
        u_dot, v_dot = u_dot + u * phase, v_dot - v * phase
    if np.shape(u)[-2] > np.shape(u)[-1]:
        u_dot = u_dot + (a_dot @ v - u @ inner) / row
    if np.shape(vh)[-1] > np.shape(vh)[-2]:
        v_dot = v_dot + (adjoint(a_dot) @ u - v @ flipped) / row
    return u_dot, np.array(np.real(diagonals(inner))), adjoint(v_dot)


def norm_slope(x: Any, y: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the partials of ``y = np.linalg.norm(x, ord, axis)``, 0 where all entries are 0.

    Examples
    --------
    >>> norm_slope(np.array([3.0, -4.0]), 7.0, 1)
    array([ 1., -1.])
    """
    full = expand_reduced(y, axis, keepdims)
    if ord is None or ord == "fro":
        return divide_or_zero(conjugate(x), full)
    if np.ndim(axis) == 1 and len(axis) == 2:
        return matrix_norm_slope(x, ord, axis)
    if axis is None and np.ndim(x) == 2:
        return matrix_norm_slope(x, ord, (0, 1))
    return entrywise_norm_slope(x, full, ord, axis)


def entrywise_norm_slope(x: Any, full: Any, ord: Any, axis: Any) -> Any:
    """Return the partials of a norm of vectors, which stands beside each of its entries."""
    if ord == 2:
        return divide_or_zero(conjugate(x), full)
    direction = conjugate(np.sign(x))
    if ord == 1:
        return direction
    if ord == np.inf or ord == -np.inf:
        return share_ties(np.abs(x) == full, axis, full.dtype) * direction
    if ord == 0:
        return direction * 0.0
    return direction * divide_or_zero(np.abs(x), full) ** (ord - 1)


def matrix_norm_slope(x: Any, ord: Any, axis: tuple[int, int]) -> Any:
    """Return the partials of the norm `ord` of the matrices along the two axes."""
    if ord == "nuc" or ord == 2 or ord == -2:
        u, s, vh = np.linalg.svd(np.moveaxis(x, axis, (-2, -1)), full_matrices=False)
        if ord == "nuc":
            share = np.sign(s)
        else:
            extreme = s[..., :1] if ord == 2 else s[..., -1:]
            share = np.sign(s) * share_ties(s == extreme, -1, s.dtype)
            u = np.where(np.expand_dims(s == extreme, -2), u, 0.0)  # others may have no slope
            vh = np.where(np.expand_dims(s == extreme, -1), vh, 0.0)
        return np.moveaxis(conjugate(u * np.expand_dims(share, -2) @ vh), (-2, -1), axis)
    summed, compared = axis if ord == 1 or ord == -1 else (axis[1], axis[0])
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    extreme = np.max(sums, axis=compared, keepdims=True)
    if ord < 0:
        extreme = np.min(sums, axis=compared, keepdims=True)
    return share_ties(sums == extreme, compared, sums.dtype) * conjugate(np.sign(x))


def vector_norm_slope(
    x: Any, y: Any, ord: Any = 2, axis: Any = None, keepdims: bool = False
) -> Any:
    """Return the partials of ``y = np.linalg.vector_norm(x, axis=axis, ord=ord)``.

    Examples
    --------
    >>> vector_norm_slope(np.array([[3.0, -4.0]]), 5.0)
    array([[ 0.6, -0.8]])
    """
    return entrywise_norm_slope(x, expand_reduced(y, axis, keepdims), ord, axis)


def lstsq_bar(
    x_bar: Any, residuals_bar: Any, s_bar: Any, a: Any, b: Any, x: Any, residuals: Any, rcond: Any
) -> tuple[Any, Any]:
    """Return the cotangents of `a` and `b` in ``x, residuals, rank, s = np.linalg.lstsq(a, b)``.

    The solution is ``pinv(a) @ b``, whose derivative at constant rank is that of Golub and Pereyra
    (1973); the residual is orthogonal to what `a` spans, so that `x` changes no sum of its squares.
    """
    inverse = np.linalg.pinv(a, rcond=lstsq_cutoff(a, rcond))
    columns = (np.shape(x)[0], np.size(x) // max(np.shape(x)[0], 1))
    solution, g = np.reshape(x, columns), np.reshape(x_bar, columns)
    rest = np.reshape(b, (np.shape(a)[0], columns[1])) - a @ solution
    b_bar = transpose(inverse) @ g
    a_bar = rest @ transpose(inverse @ b_bar) - b_bar @ transpose(solution)
    beyond = g - transpose(a) @ b_bar
    a_bar = a_bar + transpose(inverse) @ solution @ transpose(beyond)
    if np.size(residuals):
        pulled = 2.0 * rest * residuals_bar
        b_bar = b_bar + pulled
        a_bar = a_bar - pulled @ transpose(solution)
    if np.any(s_bar):
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        a_bar = a_bar + (u * s_bar) @ vh
    return a_bar, np.reshape(b_bar, np.shape(b))


def lstsq_dot(
    a_dot: Any, b_dot: Any, a: Any, b: Any, x: Any, residuals: Any, rcond: Any
) -> tuple[Any, Any, Any, Any]:
    """Apply the derivative of ``x, residuals, rank, s = np.linalg.lstsq(a, b)``."""
    inverse = np.linalg.pinv(a, rcond=lstsq_cutoff(a, rcond))
    rest = b - a @ x
    moved = b_dot - a_dot @ x
    x_dot = inverse @ (moved + transpose(inverse) @ (transpose(a_dot) @ rest))
    kept = transpose(a_dot) @ (transpose(inverse) @ x)
    x_dot = x_dot + kept - inverse @ (a @ kept)
    residuals_dot = np.zeros_like(residuals)
    if np.size(residuals):
        residuals_dot = np.reshape(2.0 * np.sum(rest * moved, axis=0), np.shape(residuals))
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return x_dot, residuals_dot, 0, np.sum(u * (a_dot @ transpose(vh)), axis=0)


def lstsq_cutoff(a: Any, rcond: Any) -> Any:
    """Return the ratio below which `np.linalg.lstsq` takes singular values for zero."""
    if rcond is None:
        return np.finfo(np.result_type(a, np.float32)).eps * max(np.shape(a))
    return rcond


def cond_slope(x: Any, y: Any, p: Any) -> Any:
    """Return the partials of ``y = np.linalg.cond(x, p)``."""
    full = np.expand_dims(y, (-2, -1))
    if p is None or p == 2 or p == -2:
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        first, last = s[..., :1, None], s[..., -1:, None]
        outer_part = u[..., :, :1] @ vh[..., :1, :] / first
        change = full * (outer_part - u[..., :, -1:] @ vh[..., -1:, :] / last)
        return -change if p == -2 else change
    inverse = np.linalg.inv(x)
    size = np.linalg.norm(x, p, axis=(-2, -1), keepdims=True)
    size_of_inverse = np.linalg.norm(inverse, p, axis=(-2, -1), keepdims=True)
    slope = norm_slope(inverse, size_of_inverse, p, (-2, -1), True)
    pulled = transpose(inverse) @ slope @ transpose(inverse)
    return size_of_inverse * norm_slope(x, size, p, (-2, -1), True) - size * pulled


def eig_bar(w_bar: Any, v_bar: Any, w: Any, v: Any) -> Any:
    """Return the cotangent of `a` in ``w, v = np.linalg.eig(a)``.

    With ``p = inv(v) @ da @ v``: ``dw = diag(p)``, and `v` turns by ``u = v @ (p / gaps)``, less what
    would change the length of a vector or the phase of its largest entry, which is real.
    """
    pull = v_bar
    stretch = np.sum(v_bar * v, axis=-2, keepdims=True)
    pull = pull - np.real(stretch) * conjugate(v)
    if np.iscomplexobj(v):
        largest = np.abs(v) == np.max(np.abs(v), axis=-2, keepdims=True)
        largest = largest & (np.cumsum(largest, axis=-2) == 1)
        pull = pull - 1j * np.imag(stretch) * np.where(largest, 1.0 / np.where(largest, v, 1.0), 0)
    inner = over_gaps(transpose(v) @ pull, w)
    size = np.shape(w)[-1]
    inner = inner + np.eye(size, dtype=np.result_type(w)) * np.expand_dims(w_bar, -2)
    return np.linalg.solve(transpose(v), inner @ transpose(v))


def eig_dot(a_dot: Any, w: Any, v: Any) -> tuple[Any, Any]:
    """Apply the derivative of ``w, v = np.linalg.eig(a)``."""
    inner = np.linalg.solve(v, a_dot @ v)
    turn = v @ over_gaps(inner, w)
    stretch = np.real(np.sum(conjugate(v) * turn, axis=-2, keepdims=True))
    if np.iscomplexobj(v):
        largest = np.abs(v) == np.max(np.abs(v), axis=-2, keepdims=True)
        largest = largest & (np.cumsum(largest, axis=-2) == 1)
        phase = np.where(largest, np.imag(turn) / np.where(largest, np.real(v), 1.0), 0.0)
        stretch = stretch + 1j * np.sum(phase, axis=-2, keepdims=True)
    return np.array(diagonals(inner)), turn - v * stretch
