"""Linear algebra: inverses, determinants, factorizations and norms.

The formulas follow from differentiating the equation that defines the value, and transposing what
results: d(A X) = 0 for the inverse, A = L L^T for Cholesky, A V = V diag(w) for eigenvalues. Most
are in M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008), cited by section. All work on stacks of matrices.

Functions of a symmetric matrix read one triangle of it. Their cotangent is given as a symmetric
matrix, the gradient within the symmetric matrices; and of a tangent they take the symmetric part.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.arguments import as_given
from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.results import linalg, shapes
from tapeless.runtime import (
    adjoint,
    check_phases,
    check_qr,
    check_svd,
    cofactors,
    cond_slope,
    conjugate,
    diagonal_bar,
    divide_or_zero,
    eig_bar,
    eig_dot,
    expand_reduced,
    for_each_matrix,
    half_tril,
    lstsq_bar,
    lstsq_dot,
    matrix_power_change,
    norm_slope,
    over_gaps,
    qr_bar,
    qr_dot,
    real_for_real,
    real_part,
    solve_left_bar,
    solve_right,
    solve_right_bar,
    svd_bar,
    svd_dot,
    symmetric,
    trace_bar,
    transpose,
    unbroadcast,
    unturned,
    vector_norm_slope,
)

built_in_zero(check_svd, check_phases, check_qr)

_COMPLEX = "this factorization is differentiated for real matrices only"


@register_gradient(np.linalg.norm, kind=linalg.norm)
def np_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """Here y^2 = sum |x|^2 gives dy = x dx / y, 0 where y = 0; other norms by their partials."""
    y = np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        if ord is None or ord == "fro":
            scale = expand_reduced(divide_or_zero(y_bar, y), axis, keepdims)
            return scale * conjugate(x), None, None, None
        slope = norm_slope(x, y, ord, axis, keepdims)
        return expand_reduced(y_bar, axis, keepdims) * slope, None, None, None

    def jvp(x_dot: Any) -> Any:
        change = real_part(norm_slope(x, y, ord, axis, keepdims) * x_dot)
        return np.sum(change, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(np.linalg.inv, kind=shapes.same_shape)
def np_inv(a: Any) -> Any:
    """Here dY = -Y dA Y (Giles 2.2.3)."""
    y = np.linalg.inv(a)

    def grad(y_bar: Any) -> Any:
        return -transpose(y) @ y_bar @ transpose(y)

    def jvp(a_dot: Any) -> Any:
        return -y @ a_dot @ y

    return y, grad, jvp


@register_gradient(np.linalg.solve, kind=linalg.solve)
def np_solve(a: Any, b: Any) -> Any:
    """A dX = dB - dA X, so B_bar = A^-T X_bar and A_bar = -B_bar X^T (Giles 2.3.1)."""
    x = np.linalg.solve(a, b)

    def grad(x_bar: Any) -> Any:
        b_bar = solve_right_bar(x_bar, a, b)
        return solve_left_bar(b_bar, x, a, b), unbroadcast(b_bar, b)

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        if np.ndim(b) == 1 and np.ndim(a) == 2:
            return np.linalg.solve(a, b_dot - a_dot @ x)
        if np.ndim(b) == 1:
            return np.linalg.solve(a, b_dot[:, None] - a_dot @ x[..., None])[..., 0]
        return np.linalg.solve(a, b_dot - a_dot @ x)

    return x, grad, jvp


@register_gradient(np.linalg.det, kind=linalg.stacked_scalar)
def np_det(a: Any) -> Any:
    """Here dy = y trace(A^-1 dA) (Giles 2.2.4), by cofactors, which singular matrices have too."""
    y = np.linalg.det(a)

    def grad(y_bar: Any) -> Any:
        return for_each_matrix(y_bar, a) * cofactors(a, y)

    def jvp(a_dot: Any) -> Any:
        return np.sum(cofactors(a, y) * a_dot, axis=(-2, -1))

    return y, grad, jvp


@register_gradient(np.linalg.slogdet, kind=linalg.slogdet)
def np_slogdet(a: Any) -> Any:
    """Here d log|det A| = trace(A^-1 dA) (Giles 2.2.4); the sign is constant."""
    if np.iscomplexobj(a):
        raise GradientError("np.linalg.slogdet is differentiated for real matrices only")
    y = np.linalg.slogdet(a)

    def grad(sign_bar: Any, logabsdet_bar: Any) -> Any:
        if np.ndim(a) == 2:
            return logabsdet_bar * transpose(np.linalg.inv(a))
        return logabsdet_bar[..., None, None] * transpose(np.linalg.inv(a))

    def jvp(a_dot: Any) -> Any:
        change = np.sum(transpose(np.linalg.inv(a)) * a_dot, axis=(-2, -1))
        return np.zeros_like(change), change

    return y, grad, jvp


@register_gradient(np.linalg.cholesky, kind=shapes.same_shape)
def np_cholesky(a: Any, /, *, upper: Any = False) -> Any:
    """A = L L^T gives dL = L P(L^-1 dA L^-T), where P takes the lower triangle, half the diagonal.

    Transposed, A_bar is the symmetric part of L^-T P(L^T L_bar) L^-1.
    """
    y = np.linalg.cholesky(a, upper=upper)

    def grad(y_bar: Any) -> Any:
        lower = adjoint(y) if upper else y
        lower_bar = adjoint(y_bar) if upper else y_bar
        inner = np.linalg.solve(transpose(lower), half_tril(transpose(lower) @ lower_bar))
        return symmetric(solve_right(conjugate(lower), inner)), None

    def jvp(a_dot: Any) -> Any:
        lower = adjoint(y) if upper else y
        inner = solve_right(adjoint(lower), np.linalg.solve(lower, symmetric(a_dot)))
        lower_dot = lower @ half_tril(inner)
        return adjoint(lower_dot) if upper else lower_dot

    return y, grad, jvp


@register_gradient(np.linalg.pinv, kind=linalg.pinv)
def np_pinv(a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = None) -> Any:
    """Here dY = -Y dA Y + Y Y^H dA^H (1 - A Y) + (1 - Y A) dA^H Y^H Y, at constant rank.

    The formula is that of Golub and Pereyra (1973).
    """
    y = np.linalg.pinv(a, rcond=rcond, hermitian=hermitian, **as_given(rtol=rtol))

    def grad(y_bar: Any) -> Any:
        g = transpose(y_bar)
        y_h = adjoint(y)
        left = (g - a @ (y @ g)) @ y @ y_h
        right = y_h @ y @ (g - (g @ y) @ a)
        a_bar = conjugate(left + right) - transpose(y) @ y_bar @ transpose(y)
        return symmetric(a_bar) if hermitian else a_bar, None, None, None

    def jvp(a_dot: Any) -> Any:
        moved = symmetric(a_dot) if hermitian else a_dot
        h = adjoint(moved)
        y_h = adjoint(y)
        left = y @ y_h @ (h - (h @ a) @ y)
        right = (h - y @ (a @ h)) @ y_h @ y
        return left + right - y @ moved @ y

    return y, grad, jvp


@register_gradient(
    np.linalg.matrix_power,
    kind=shapes.unchanged_by(1, 1, "n", shapes.same_shape),
    view="sometimes",
)
def np_matrix_power(a: Any, n: Any) -> Any:
    """Here dY = sum A^k dA A^(n - 1 - k); its transpose is the same with A^T."""
    y = np.linalg.matrix_power(a, n)

    def grad(y_bar: Any) -> Any:
        return matrix_power_change(transpose(a), y_bar, n), None

    def jvp(a_dot: Any) -> Any:
        return matrix_power_change(a, a_dot, n)

    return y, grad, jvp


@register_gradient(np.linalg.eigh, kind=linalg.eigh)
def np_eigh(a: Any, UPLO: Any = "L") -> Any:
    """With D = V^H dA V: dw = diag(D) and dV = V (D / (w[j] - w[i])) (Giles 3.1)."""
    y = np.linalg.eigh(a, UPLO=UPLO)
    w = y[0]
    v = y[1]

    def grad(w_bar: Any, v_bar: Any) -> Any:
        inner = unturned(transpose(v) @ v_bar)
        turned = conjugate(v) @ over_gaps(inner, w)
        straight = conjugate(v) * np.expand_dims(w_bar, -2)
        return symmetric((straight + turned) @ transpose(v)), None

    def jvp(a_dot: Any) -> Any:
        inner = adjoint(v) @ symmetric(a_dot) @ v
        return real_part(np.diagonal(inner, axis1=-2, axis2=-1)), v @ over_gaps(inner, w)

    return y, grad, jvp


@register_gradient(np.linalg.eigvalsh, kind=linalg.eigvalsh)
def np_eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    """Here dw = diag(V^H dA V) (Giles 3.1)."""
    w = np.linalg.eigvalsh(a, UPLO=UPLO)

    def grad(w_bar: Any) -> Any:
        v = np.linalg.eigh(a, UPLO=UPLO)[1]
        return (conjugate(v) * np.expand_dims(w_bar, -2)) @ transpose(v), None

    def jvp(a_dot: Any) -> Any:
        v = np.linalg.eigh(a, UPLO=UPLO)[1]
        return np.sum(real_part(conjugate(v) * (symmetric(a_dot) @ v)), axis=-2)

    return w, grad, jvp


@register_gradient(np.linalg.svd, kind=linalg.svd)
def np_svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False
) -> Any:
    """With P = U^H dA V: ds = diag(P) (Giles 3.2); the vectors turn as `svd_dot` says.

    Of a matrix that is said to be Hermitian one triangle is read.
    """
    y = np.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv, hermitian=hermitian)

    def grad(*y_bars: Any) -> Any:
        if compute_uv:
            a_bar = svd_bar(y_bars[0], y_bars[1], y_bars[2], y[0], y[1], y[2])
            return symmetric(a_bar) if hermitian else a_bar, None, None, None
        u, _, vh = np.linalg.svd(a, full_matrices=False, hermitian=hermitian)
        a_bar = conjugate((u * np.expand_dims(y_bars[0], -2)) @ vh)
        return symmetric(a_bar) if hermitian else a_bar, None, None, None

    def jvp(a_dot: Any) -> Any:
        moved = symmetric(a_dot) if hermitian else a_dot
        if compute_uv:
            return svd_dot(moved, y[0], y[1], y[2])
        u, _, vh = np.linalg.svd(a, full_matrices=False, hermitian=hermitian)
        return np.sum(real_part(conjugate(u) * (moved @ adjoint(vh))), axis=-2)

    return y, grad, jvp


@register_gradient(np.linalg.qr, kind=linalg.qr)
def np_qr(a: Any, mode: Any = "reduced") -> Any:
    """With C = Q^H dA R^-1 and W its lower triangle made skew: dR = (C - W) R.

    What remains of dA R^-1 outside the columns of Q, and Q W inside, is dQ. Transposed, A_bar =
    (Q_bar + Q S) R^-H, where S is M = R R_bar^H - Q_bar^H Q with its lower triangle mirrored.
    """
    if mode == "raw":
        raise GradientError(
            "the reflections of np.linalg.qr are not differentiated", fix='pass mode="reduced"'
        )
    y = np.linalg.qr(a, mode=mode)

    def grad(*y_bars: Any) -> Any:
        if mode == "r":
            q = np.linalg.qr(a)[0]
            return qr_bar(np.zeros_like(q), y_bars[0], q, y), None
        return qr_bar(y_bars[0], y_bars[1], y[0], y[1]), None

    def jvp(a_dot: Any) -> Any:
        if mode == "r":
            return qr_dot(a_dot, np.linalg.qr(a)[0], y)[1]
        return qr_dot(a_dot, y[0], y[1])

    return y, grad, jvp


@register_gradient(np.linalg.trace, kind=shapes.trace, selects=True, linear=True)
def linalg_trace(x: Any, /, *, offset: Any = 0) -> Any:
    """The sum of the diagonals of the last two axes."""
    y = np.linalg.trace(x, offset=offset)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        return trace_bar(y_bar, shape, offset, -2, -1), None

    return y, grad


@register_gradient(
    np.linalg.diagonal, kind=shapes.diagonal_of_matrices, view="always", selects=True, linear=True
)
def linalg_diagonal(x: Any, /, *, offset: Any = 0) -> Any:
    """The diagonals of the last two axes."""
    y = np.linalg.diagonal(x, offset=offset)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        return diagonal_bar(y_bar, shape, offset, -2, -1), None

    return y, grad


@register_gradient(np.linalg.svdvals, kind=linalg.singular_values)
def np_svdvals(x: Any, /) -> Any:
    """Here ds = diag(U^T dA V) (Giles 3.2)."""
    s = np.linalg.svdvals(x)

    def grad(s_bar: Any) -> Any:
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        return conjugate((u * np.expand_dims(s_bar, -2)) @ vh)

    def jvp(x_dot: Any) -> Any:
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        return np.sum(real_part(conjugate(u) * (x_dot @ adjoint(vh))), axis=-2)

    return s, grad, jvp


@register_gradient(np.linalg.eig, kind=linalg.eig)
def np_eig(a: Any) -> Any:
    """With P = V^-1 dA V: dw = diag(P), and V turns as `eig_dot` says (Giles 3.1)."""
    y = np.linalg.eig(a)
    w = y[0]
    v = y[1]

    def grad(w_bar: Any, v_bar: Any) -> Any:
        return real_for_real(eig_bar(w_bar, v_bar, w, v), a)

    def jvp(a_dot: Any) -> Any:
        return eig_dot(a_dot, w, v)

    return y, grad, jvp


@register_gradient(np.linalg.eigvals, kind=linalg.eigenvalues)
def np_eigvals(a: Any) -> Any:
    """Here dw = diag(V^-1 dA V) (Giles 3.1)."""
    w = np.linalg.eigvals(a)

    def grad(w_bar: Any) -> Any:
        v_t = transpose(np.linalg.eig(a)[1])
        return real_for_real(np.linalg.solve(v_t, np.expand_dims(w_bar, -1) * v_t), a)

    def jvp(a_dot: Any) -> Any:
        v = np.linalg.eig(a)[1]
        return np.diagonal(np.linalg.solve(v, a_dot @ v), axis1=-2, axis2=-1)

    return w, grad, jvp


@register_gradient(np.linalg.lstsq, kind=linalg.lstsq)
def np_lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """The solution is A^+ B; the sums of squared residuals change by 2 (dB - dA X) R."""
    if np.iscomplexobj(a):
        raise GradientError("np.linalg.lstsq is differentiated for real matrices only")
    y = np.linalg.lstsq(a, b, rcond=rcond)
    x = y[0]
    residuals = y[1]

    def grad(x_bar: Any, residuals_bar: Any, rank_bar: Any, s_bar: Any) -> Any:
        bars = lstsq_bar(x_bar, residuals_bar, s_bar, a, b, x, residuals, rcond)
        return bars[0], bars[1], None

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        return lstsq_dot(a_dot, b_dot, a, b, x, residuals, rcond)

    return y, grad, jvp


@register_gradient(np.linalg.cond, kind=linalg.condition)
def np_cond(x: Any, p: Any = None) -> Any:
    """The product of the norms of the matrix and its inverse; of two singular values by default."""
    if np.iscomplexobj(x):
        raise GradientError(_COMPLEX)
    y = np.linalg.cond(x, p)

    def grad(y_bar: Any) -> Any:
        return for_each_matrix(y_bar, x) * cond_slope(x, y, p), None

    def jvp(x_dot: Any) -> Any:
        return np.sum(cond_slope(x, y, p) * x_dot, axis=(-2, -1))

    return y, grad, jvp


@register_gradient(np.linalg.tensorsolve, kind=linalg.tensorsolve)
def np_tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """As `solve`, of the raveled unknowns; `axes` are moved behind the others before."""
    x = np.linalg.tensorsolve(a, b, axes=axes)
    ends = () if axes is None else tuple(range(-len(axes), 0))

    def grad(x_bar: Any) -> Any:
        ordered = a if axes is None else np.moveaxis(a, axes, ends)
        square = np.reshape(ordered, (np.size(b), np.size(b)))
        b_bar = np.linalg.solve(square.T, np.ravel(x_bar))
        ordered_bar = np.reshape(-np.outer(b_bar, np.ravel(x)), np.shape(ordered))
        a_bar = ordered_bar if axes is None else np.moveaxis(ordered_bar, ends, axes)
        return a_bar, np.reshape(b_bar, np.shape(b)), None

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        ordered_dot = a_dot if axes is None else np.moveaxis(a_dot, axes, ends)
        change = b_dot - np.tensordot(ordered_dot, x, axes=np.ndim(x))
        return np.linalg.tensorsolve(a, change, axes=axes)

    return x, grad, jvp


@register_gradient(np.linalg.tensorinv)
def np_tensorinv(a: Any, ind: Any = 2) -> Any:
    """As `inv`, of the first `ind` axes against the others."""
    y = np.linalg.tensorinv(a, ind=ind)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        size = math.prod(shape[:ind])
        square = np.reshape(y, (size, size))
        a_bar = -square.T @ np.reshape(y_bar, (size, size)) @ square.T
        return np.reshape(a_bar, shape), None

    def jvp(a_dot: Any) -> Any:
        size = math.prod(shape[:ind])
        square = np.reshape(y, (size, size))
        return np.reshape(-square @ np.reshape(a_dot, (size, size)) @ square, np.shape(y))

    return y, grad, jvp


@register_gradient(np.linalg.vector_norm, kind=linalg.vector_norm)
def np_vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    """As `norm`, of all entries as one vector."""
    y = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)

    def grad(y_bar: Any) -> Any:
        slope = vector_norm_slope(x, y, ord, axis, keepdims)
        return expand_reduced(y_bar, axis, keepdims) * slope, None, None, None

    def jvp(x_dot: Any) -> Any:
        change = real_part(vector_norm_slope(x, y, ord, axis, keepdims) * x_dot)
        return np.sum(change, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(np.linalg.matrix_norm, kind=linalg.matrix_norm)
def np_matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    """As `norm`, of the last two axes."""
    y = np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)

    def grad(y_bar: Any) -> Any:
        slope = norm_slope(x, y, ord, (-2, -1), keepdims)
        return expand_reduced(y_bar, (-2, -1), keepdims) * slope, None, None

    def jvp(x_dot: Any) -> Any:
        change = real_part(norm_slope(x, y, ord, (-2, -1), keepdims) * x_dot)
        return np.sum(change, axis=(-2, -1), keepdims=keepdims)

    return y, grad, jvp
