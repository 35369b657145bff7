"""Eigenvalues, singular values, least squares and norms: the formulas are those for NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tapeless.errors import GradientError
from tapeless.rules.arguments import as_given
from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import linalg as kinds
from tapeless.rules.results import shapes
from tapeless.rules.results.matrices import (
    eigenpairs,
    eigenvectors,
    least_squares,
    of_tridiagonal,
    pair_of_tridiagonal,
    polar_factors,
    symmetric_values,
    three_factors,
)
from tapeless.rules.traits import traits
from tapeless.runtime import (
    conjugate,
    divide_or_zero,
    eig_bar,
    eig_dot,
    expand_reduced,
    lstsq_bar,
    lstsq_dot,
    norm_slope,
    over_gaps,
    real_for_real,
    real_part,
    svd_bar,
    svd_dot,
    symmetric,
    transpose,
)
from tapeless.runtime.matrices import (
    over_all_gaps,
    pair_bars,
    pair_dots,
    polar_bar,
    polar_dot,
    real_matrix,
    single,
    tall_matrix,
    tridiagonal_bars,
    tridiagonal_times,
)

traits(pair_bars, pair_dots, polar_bar, polar_dot, tridiagonal_bars, says_more=True)
traits(tridiagonal_times, over_all_gaps, says_more=True)

_TURNED = "it is a basis of a space, which is determined up to a rotation only"
no_derivative(_TURNED, linalg.null_space, linalg.orth)
no_derivative(
    "its factors jump where the matrix changes: take scipy.linalg.eig, eigh or cholesky",
    linalg.schur,
    linalg.ldl,
    linalg.cossin,
)


@register_gradient(linalg.eigh, kind=eigenpairs)
def linalg_eigh(
    a: Any, b: Any = None, *, lower: Any = True, eigvals_only: Any = False, check_finite: Any = True,
    subset_by_index: Any = None, subset_by_value: Any = None, driver: Any = None,
) -> Any:  # fmt: skip
    """Of A, or of the pair A, B with A V = B V diag(w) and V^T B V = 1 (Giles 3.1)."""
    y = linalg.eigh(a, b, lower=lower, subset_by_index=subset_by_index,
                    subset_by_value=subset_by_value, driver=driver, check_finite=check_finite)  # fmt: skip
    w = y[0]
    v = y[1]
    if eigvals_only:
        w = linalg.eigh(a, b, lower=lower, eigvals_only=True, subset_by_index=subset_by_index,
                        subset_by_value=subset_by_value, driver=driver,
                        check_finite=check_finite)  # fmt: skip
    if b is not None and (subset_by_index is not None or subset_by_value is not None):
        raise GradientError(
            "eigh of a pair is differentiated with all of its eigenvalues", fix="slice its result"
        )

    def grad(*y_bars: Any) -> Any:
        more = None, None, None, None, None, None, None
        if b is None and eigvals_only:
            return (v * y_bars[0]) @ transpose(v), *more
        # Vectors of a subset turn towards all others, too, which are computed with their derivative.
        if subset_by_index is not None or subset_by_value is not None:
            every = linalg.eigh(real_matrix(single(a)), lower=lower, check_finite=check_finite)
            turned = over_all_gaps(transpose(every[1]) @ y_bars[1], w, every[0])
            return symmetric((v * y_bars[0] + every[1] @ turned) @ transpose(v)), *more
        if b is None:
            turned = over_gaps(transpose(real_matrix(single(v))) @ y_bars[1], w)
            return symmetric((v * y_bars[0] + v @ turned) @ transpose(v)), *more
        v_bar = np.zeros_like(v) if eigvals_only else y_bars[1]
        bars = pair_bars(y_bars[0], v_bar, w, real_matrix(single(v)))
        return bars[0], bars[1], *more[1:]

    def jvp(a_dot: Any, b_dot: Any = 0.0) -> Any:
        if b is None:
            moved = symmetric(a_dot) @ real_matrix(single(v))
            values = np.sum(v * moved, axis=0)
            if eigvals_only:
                return values
            if subset_by_index is not None or subset_by_value is not None:
                every = linalg.eigh(single(a), lower=lower, check_finite=check_finite)
                turned = over_all_gaps(transpose(every[1]) @ moved, w, every[0])
                return values, every[1] @ turned
            return values, v @ over_gaps(transpose(v) @ moved, w)
        dots = pair_dots(a_dot, b_dot, w, real_matrix(single(v)))
        return dots[0] if eigvals_only else dots

    return w if eigvals_only else y, grad, jvp


@register_gradient(linalg.eigvalsh, kind=symmetric_values)
def linalg_eigvalsh(
    a: Any, b: Any = None, *, lower: Any = True, check_finite: Any = True,
    subset_by_index: Any = None, subset_by_value: Any = None, driver: Any = None,
) -> Any:  # fmt: skip
    """Here dw = diag(V^T (dA - dB diag(w)) V) (Giles 3.1)."""
    asked = as_given(
        subset_by_index=subset_by_index, subset_by_value=subset_by_value, driver=driver
    )
    w = linalg.eigvalsh(a, b, lower=lower, check_finite=check_finite, **asked)

    def grad(w_bar: Any) -> Any:
        y = linalg.eigh(
            a, b, lower=lower, check_finite=check_finite, subset_by_index=subset_by_index,
            subset_by_value=subset_by_value,
        )  # fmt: skip
        v = real_matrix(single(y[1]))
        a_bar = (v * w_bar) @ transpose(v)
        b_bar = None if b is None else -(v * (w_bar * w)) @ transpose(v)
        return a_bar, b_bar, None, None, None, None, None

    def jvp(a_dot: Any, b_dot: Any = 0.0) -> Any:
        y = linalg.eigh(
            a, b, lower=lower, check_finite=check_finite, subset_by_index=subset_by_index,
            subset_by_value=subset_by_value,
        )  # fmt: skip
        v = real_matrix(single(y[1]))
        moved = symmetric(a_dot) @ v
        if b is not None:
            moved = moved - symmetric(b_dot) @ v * w
        return np.sum(v * moved, axis=-2)

    return w, grad, jvp


@register_gradient(linalg.eig, kind=eigenvectors)
def linalg_eig(a: Any, *, check_finite: Any = True) -> Any:
    """With P = V^-1 dA V: dw = diag(P), and V turns as `eig_dot` says (Giles 3.1)."""
    y = linalg.eig(a, check_finite=check_finite)
    w = y[0]
    v = y[1]

    def grad(w_bar: Any, v_bar: Any) -> Any:
        return real_for_real(eig_bar(w_bar, v_bar, w, single(v)), a), None

    def jvp(a_dot: Any) -> Any:
        return eig_dot(a_dot, w, single(v))

    return y, grad, jvp


@register_gradient(linalg.eigvals, kind=kinds.eigenvalues)
def linalg_eigvals(a: Any, *, check_finite: Any = True) -> Any:
    """Here dw = diag(V^-1 dA V) (Giles 3.1)."""
    w = linalg.eigvals(a, check_finite=check_finite)

    def grad(w_bar: Any) -> Any:
        v_t = transpose(single(linalg.eig(a, check_finite=check_finite)[1]))
        return real_for_real(np.linalg.solve(v_t, np.expand_dims(w_bar, -1) * v_t), a), None

    def jvp(a_dot: Any) -> Any:
        v = single(linalg.eig(a, check_finite=check_finite)[1])
        return np.diagonal(np.linalg.solve(v, a_dot @ v))

    return w, grad, jvp


@register_gradient(linalg.svd, kind=three_factors)
def linalg_svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, *, check_finite: Any = True,
    lapack_driver: Any = "gesdd",
) -> Any:  # fmt: skip
    """With P = U^T dA V: ds = diag(P) (Giles 3.2); the vectors turn as `svd_dot` says."""
    y = linalg.svd(
        a, full_matrices=full_matrices, compute_uv=compute_uv, check_finite=check_finite,
        lapack_driver=lapack_driver,
    )  # fmt: skip

    def grad(*y_bars: Any) -> Any:
        if compute_uv:
            vh = real_matrix(y[2])
            a_bar = svd_bar(y_bars[0], y_bars[1], y_bars[2], y[0], y[1], vh)
            return a_bar, None, None, None, None
        u, _, vh = linalg.svd(real_matrix(a), full_matrices=False, check_finite=check_finite)
        return (u * np.expand_dims(y_bars[0], -2)) @ vh, None, None, None, None

    def jvp(a_dot: Any) -> Any:
        if compute_uv:
            return svd_dot(a_dot, y[0], y[1], real_matrix(y[2]))
        u, _, vh = linalg.svd(real_matrix(a), full_matrices=False, check_finite=check_finite)
        return np.sum(u * (a_dot @ transpose(vh)), axis=-2)

    return y, grad, jvp


@register_gradient(linalg.svdvals, kind=kinds.singular_values)
def linalg_svdvals(a: Any, *, check_finite: Any = True) -> Any:
    """Here ds = diag(U^T dA V) (Giles 3.2)."""
    s = linalg.svdvals(a, check_finite=check_finite)

    def grad(s_bar: Any) -> Any:
        u, _, vh = linalg.svd(real_matrix(a), full_matrices=False, check_finite=check_finite)
        return (u * np.expand_dims(s_bar, -2)) @ vh, None

    def jvp(a_dot: Any) -> Any:
        u, _, vh = linalg.svd(real_matrix(a), full_matrices=False, check_finite=check_finite)
        return np.sum(u * (a_dot @ transpose(vh)), axis=-2)

    return s, grad, jvp


@register_gradient(linalg.lstsq, kind=least_squares)
def linalg_lstsq(
    a: Any, b: Any, cond: Any = None, *, check_finite: Any = True, lapack_driver: Any = None
) -> Any:
    """The solution is A^+ B; the sums of squared residuals change by 2 (dB - dA X) R."""
    y = linalg.lstsq(a, b, cond=cond, check_finite=check_finite, lapack_driver=lapack_driver)
    x = y[0]
    residuals = y[1]

    def grad(x_bar: Any, residuals_bar: Any, rank_bar: Any, s_bar: Any) -> Any:
        matrix = real_matrix(single(a))
        bars = lstsq_bar(x_bar, residuals_bar, s_bar, matrix, b, x, residuals, cond)
        return bars[0], bars[1], None, None, None

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        return lstsq_dot(a_dot, b_dot, real_matrix(single(a)), b, x, residuals, cond)

    return y, grad, jvp


@register_gradient(linalg.pinv, kind=kinds.pinv)
def linalg_pinv(a: Any, *, atol: Any = None, rtol: Any = None, check_finite: Any = True) -> Any:
    """Here dY = -Y dA Y + Y Y^T dA^T (1 - A Y) + (1 - Y A) dA^T Y^T Y (Golub, Pereyra 1973)."""
    y = linalg.pinv(a, atol=atol, rtol=rtol, check_finite=check_finite)

    def grad(y_bar: Any) -> Any:
        g = transpose(y_bar)
        y_t = transpose(real_matrix(y))
        left = (g - a @ (y @ g)) @ y @ y_t
        right = y_t @ y @ (g - (g @ y) @ a)
        return left + right - y_t @ y_bar @ y_t, None, None, None

    def jvp(a_dot: Any) -> Any:
        h = transpose(a_dot)
        y_t = transpose(real_matrix(y))
        left = y @ y_t @ (h - (h @ a) @ y)
        right = (h - y @ (a @ h)) @ y_t @ y
        return left + right - y @ a_dot @ y

    return y, grad, jvp


@register_gradient(linalg.pinvh, kind=shapes.same_shape)
def linalg_pinvh(
    a: Any, atol: Any = None, rtol: Any = None, lower: Any = True, *, check_finite: Any = True
) -> Any:
    """As of `pinv`, for a symmetric matrix."""
    y = linalg.pinvh(a, atol=atol, rtol=rtol, lower=lower, check_finite=check_finite)

    def grad(y_bar: Any) -> Any:
        g, y_t = symmetric(y_bar), single(real_matrix(y))
        beside = (g - a @ (y_t @ g)) @ y_t @ y_t
        return 2.0 * symmetric(beside) - y_t @ g @ y_t, None, None, None, None

    def jvp(a_dot: Any) -> Any:
        h, y_t = symmetric(a_dot), single(real_matrix(y))
        beside = (h - a @ (y_t @ h)) @ y_t @ y_t
        return 2.0 * symmetric(beside) - y_t @ h @ y_t

    return y, grad, jvp


@register_gradient(linalg.eigh_tridiagonal, kind=pair_of_tridiagonal)
def linalg_eigh_tridiagonal(d: Any, e: Any, *, check_finite: Any = True) -> Any:
    """The formulas are those of `eigh`, and only the diagonals of the cotangent are computed."""
    y = linalg.eigh_tridiagonal(d, e, check_finite=check_finite)

    def grad(w_bar: Any, v_bar: Any) -> Any:
        return *tridiagonal_bars(w_bar, v_bar, y[0], single(y[1])), None

    def jvp(d_dot: Any, e_dot: Any) -> Any:
        inner = transpose(single(y[1])) @ tridiagonal_times(d_dot, e_dot, y[1])
        return np.diag(inner), y[1] @ over_gaps(inner, y[0])

    return y, grad, jvp


@register_gradient(linalg.eigvalsh_tridiagonal, kind=of_tridiagonal)
def linalg_eigvalsh_tridiagonal(
    d: Any, e: Any, select: Any = "a", select_range: Any = None, check_finite: Any = True
) -> Any:
    """Here dw = diag(V^T dA V) (Giles 3.1)."""
    w = linalg.eigvalsh_tridiagonal(d, e, select, select_range, check_finite)

    def grad(w_bar: Any) -> Any:
        y = linalg.eigh_tridiagonal(
            d, e, select=select, select_range=select_range, check_finite=check_finite
        )
        v = single(y[1])
        return (v * v) @ w_bar, 2.0 * (v[:-1] * v[1:]) @ w_bar, None, None, None

    def jvp(d_dot: Any, e_dot: Any) -> Any:
        y = linalg.eigh_tridiagonal(
            d, e, select=select, select_range=select_range, check_finite=check_finite
        )
        v = single(y[1])
        return np.sum(v * tridiagonal_times(d_dot, e_dot, v), axis=0)

    return w, grad, jvp


@register_gradient(linalg.polar, kind=polar_factors)
def linalg_polar(a: Any, side: Any = "right") -> Any:
    """A = U P, or P U; U turns so that P stays symmetric, as an equation of Sylvester's says."""
    y = linalg.polar(a, side=side)

    def grad(u_bar: Any, p_bar: Any) -> Any:
        if side == "left":
            u = tall_matrix(transpose(y[0]))
            return transpose(polar_bar(transpose(u_bar), transpose(p_bar), u, y[1])), None
        return polar_bar(u_bar, p_bar, tall_matrix(y[0]), y[1]), None

    def jvp(a_dot: Any) -> Any:
        if side == "left":
            dots = polar_dot(transpose(a_dot), tall_matrix(transpose(y[0])), y[1])
            return transpose(dots[0]), dots[1]
        return polar_dot(a_dot, tall_matrix(y[0]), y[1])

    return y, grad, jvp


def linalg_orthogonal_procrustes(A: Any, B: Any, check_finite: Any = True) -> Any:
    """The turn is a polar factor, and the scale the sum of the singular values."""
    turn, scale = linalg.polar(np.transpose(single(A)) @ B)
    return turn, np.trace(scale)


written_out(linalg.orthogonal_procrustes, linalg_orthogonal_procrustes)


@register_gradient(linalg.norm, kind=kinds.norm)
def linalg_norm(
    a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True
) -> Any:
    """Here y^2 = sum |a|^2 gives dy = a da / y, 0 where y = 0; other norms by their partials."""
    y = linalg.norm(a, ord=ord, axis=axis, keepdims=keepdims, check_finite=check_finite)

    def grad(y_bar: Any) -> Any:
        if ord is None or ord == "fro":
            scale = expand_reduced(divide_or_zero(y_bar, y), axis, keepdims)
            return scale * conjugate(a), None, None, None, None
        slope = norm_slope(a, y, ord, axis, keepdims)
        return expand_reduced(y_bar, axis, keepdims) * slope, None, None, None, None

    def jvp(a_dot: Any) -> Any:
        change = real_part(norm_slope(a, y, ord, axis, keepdims) * a_dot)
        return np.sum(change, axis=axis, keepdims=keepdims)

    return y, grad, jvp


def linalg_subspace_angles(A: Any, B: Any) -> Any:
    """Return the angles between the spaces of the columns (Knyazev and Argentati 2002), the largest first.

    Their cosines are singular values, and so are their sines: both together have a slope at all angles
    but 0, where it counts as 0, as that of an absolute value does.
    """
    if (
        np.linalg.matrix_rank(single(A)) < np.shape(A)[1]
        or np.linalg.matrix_rank(B) < np.shape(B)[1]
    ):
        raise GradientError(
            "subspace_angles is differentiated for columns that are linearly independent",
            fix="leave out the columns that depend on the others",
        )
    more, fewer = np.linalg.qr(A)[0], np.linalg.qr(B)[0]
    if np.shape(A)[1] < np.shape(B)[1]:
        more, fewer = fewer, more
    common = np.conj(more.T) @ fewer
    cosines, sines = linalg.svdvals(common), linalg.svdvals(fewer - more @ common)
    apart = np.where(sines > 64.0 * np.finfo(sines.dtype).eps, sines, 0.0)
    return np.arctan2(apart, cosines[::-1])


written_out(linalg.subspace_angles, linalg_subspace_angles)
