"""Cholesky, LU and QR factorizations, and solving with them.

The factors that the forward sweep made are those with which the reverse sweep solves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import shapes
from tapeless.rules.results.matrices import (
    economic_qr,
    factor_and_flag,
    factor_and_pivots,
    permuted_factors,
    solved_with_factors,
)
from tapeless.rules.traits import traits
from tapeless.runtime import qr_bar, qr_dot, transpose
from tapeless.runtime.matrices import (
    cholesky_bar,
    cholesky_dot,
    lu_bar,
    lu_dot,
    not_taller_than_wide,
    of_cholesky_product_bar,
    of_cholesky_product_dot,
    of_lu_product_bar,
    of_lu_product_dot,
    pivoted_order,
    real_matrix,
    rows_below,
    single,
    square_factor,
    sum_of_pairs,
    unit_lower,
)

built_in_zero(pivoted_order)
no_derivative("take the qr of the transposed matrix with its rows reversed", linalg.rq)
no_derivative(
    "the reflections that make it are not differentiated; take eigvals", linalg.hessenberg
)
traits(cholesky_bar, cholesky_dot, of_cholesky_product_bar, of_cholesky_product_dot, says_more=True)
traits(lu_bar, lu_dot, of_lu_product_bar, of_lu_product_dot, unit_lower, says_more=True)


@register_gradient(linalg.cholesky, kind=shapes.same_shape)
def linalg_cholesky(a: Any, lower: Any = False, *, check_finite: Any = True) -> Any:
    """The factor L or U with A = L L^T = U^T U (Murray 2016)."""
    y = linalg.cholesky(a, lower=lower, check_finite=check_finite)

    def grad(y_bar: Any) -> Any:
        return cholesky_bar(y_bar, real_matrix(single(y)), lower), None, None

    def jvp(a_dot: Any) -> Any:
        return cholesky_dot(a_dot, real_matrix(single(y)), lower)

    return y, grad, jvp


@register_gradient(linalg.cho_factor, kind=factor_and_flag)
def linalg_cho_factor(a: Any, lower: Any = False, *, check_finite: Any = True) -> Any:
    """As `cholesky`; what stands in the other triangle has no meaning, and no derivative."""
    y = linalg.cho_factor(a, lower=lower, check_finite=check_finite)
    c = y[0]

    def grad(c_bar: Any, lower_bar: Any) -> Any:
        return cholesky_bar(c_bar, real_matrix(single(c)), lower), None, None

    def jvp(a_dot: Any) -> Any:
        return cholesky_dot(a_dot, real_matrix(single(c)), lower), lower

    return y, grad, jvp


@register_gradient(linalg.cho_solve, kind=solved_with_factors, takes_sequences=True)
def linalg_cho_solve(c_and_lower: Any, b: Any, *, check_finite: Any = True) -> Any:
    """The adjoint is solved with the same factor, which stands for the matrix."""
    x = linalg.cho_solve(c_and_lower, b, check_finite=check_finite)

    def grad(x_bar: Any) -> Any:
        b_bar = linalg.cho_solve(c_and_lower, x_bar, check_finite=check_finite)
        a_bar = -sum_of_pairs(b_bar, x)
        c = real_matrix(single(c_and_lower[0]))
        return (of_cholesky_product_bar(a_bar, c, c_and_lower[1]), None), b_bar, None

    def jvp(c_and_lower_dot: Any, b_dot: Any) -> Any:
        c = real_matrix(single(c_and_lower[0]))
        change = of_cholesky_product_dot(c_and_lower_dot[0], c, c_and_lower[1])
        return linalg.cho_solve(c_and_lower, b_dot - change @ x, check_finite=check_finite)

    return x, grad, jvp


@register_gradient(linalg.lu_factor, kind=factor_and_pivots)
def linalg_lu_factor(a: Any, *, check_finite: Any = True) -> Any:
    """Both factors in one matrix, of the rows in the order of the pivots (Walter, Lehmann 2010)."""
    y = linalg.lu_factor(a, check_finite=check_finite)
    lu = y[0]
    pivots = y[1]

    def grad(lu_both_bar: Any, pivots_bar: Any) -> Any:
        left = unit_lower(square_factor(single(lu)))
        ordered_bar = lu_bar(np.tril(lu_both_bar, -1), np.triu(lu_both_bar), left, np.triu(lu))
        return ordered_bar[np.argsort(pivoted_order(pivots))], None

    def jvp(a_dot: Any) -> Any:
        left = unit_lower(square_factor(single(lu)))
        left_dot, upper_dot = lu_dot(a_dot[pivoted_order(pivots)], left, np.triu(lu))
        return left_dot + upper_dot, 0 * pivots

    return y, grad, jvp


@register_gradient(linalg.lu_solve, kind=solved_with_factors, takes_sequences=True)
def linalg_lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, *, check_finite: Any = True) -> Any:
    """The adjoint is solved with the same factors, transposed."""
    x = linalg.lu_solve(lu_and_piv, b, trans=trans, check_finite=check_finite)

    def grad(x_bar: Any) -> Any:
        lu = real_matrix(single(lu_and_piv[0]))
        if trans == 0:
            b_bar = linalg.lu_solve(lu_and_piv, x_bar, trans=1, check_finite=check_finite)
            a_bar = -sum_of_pairs(b_bar, x)
            return (
                (of_lu_product_bar(a_bar, lu, lu_and_piv[1]), None),
                b_bar,
                None,
                None,
            )
        b_bar = linalg.lu_solve(lu_and_piv, x_bar, check_finite=check_finite)
        a_bar = -sum_of_pairs(x, b_bar)
        return (of_lu_product_bar(a_bar, lu, lu_and_piv[1]), None), b_bar, None, None

    def jvp(lu_and_piv_dot: Any, b_dot: Any) -> Any:
        lu = real_matrix(single(lu_and_piv[0]))
        change = of_lu_product_dot(lu_and_piv_dot[0], lu, lu_and_piv[1])
        if trans == 0:
            return linalg.lu_solve(lu_and_piv, b_dot - change @ x, check_finite=check_finite)
        return linalg.lu_solve(
            lu_and_piv, b_dot - transpose(change) @ x, trans=trans, check_finite=check_finite
        )

    return x, grad, jvp


@register_gradient(linalg.lu, kind=permuted_factors)
def linalg_lu(a: Any, *, check_finite: Any = True) -> Any:
    """A = P L U for a square matrix; P is constant (Walter, Lehmann 2010)."""
    y = linalg.lu(a, check_finite=check_finite)
    p = y[0]
    left = y[1]
    upper = y[2]

    def grad(p_bar: Any, left_bar: Any, upper_bar: Any) -> Any:
        return p @ lu_bar(left_bar, upper_bar, square_factor(left), square_factor(upper)), None

    def jvp(a_dot: Any) -> Any:
        dots = lu_dot(transpose(p) @ a_dot, square_factor(left), square_factor(upper))
        return 0.0 * p, dots[0], dots[1]

    return y, grad, jvp


@register_gradient(linalg.qr, kind=economic_qr)
def linalg_qr(a: Any, *, mode: Any = "full", check_finite: Any = True) -> Any:
    """As `np.linalg.qr`: in economic form, which is the full one of a matrix that is not tall."""
    if mode not in ("full", "economic", "r"):
        raise GradientError(
            "the reflections of scipy.linalg.qr are not differentiated", fix='pass mode="economic"'
        )
    y = linalg.qr(a, mode=mode, check_finite=check_finite)

    def grad(*y_bars: Any) -> Any:
        if mode == "r":
            q, r = linalg.qr(single(a), mode="economic", check_finite=check_finite)
            r_bar = y_bars[0][..., : np.shape(r)[-2], :]
            return qr_bar(np.zeros_like(q), r_bar, q, r), None, None
        return qr_bar(y_bars[0], y_bars[1], y[0], not_taller_than_wide(y[1])), None, None

    def jvp(a_dot: Any) -> Any:
        if mode == "r":
            q, r = linalg.qr(single(a), mode="economic", check_finite=check_finite)
            return (rows_below(qr_dot(a_dot, q, r)[1], y[0]),)
        return qr_dot(a_dot, y[0], not_taller_than_wide(y[1]))

    return y, grad, jvp
