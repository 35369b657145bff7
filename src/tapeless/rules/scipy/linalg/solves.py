"""Inverses, determinants and linear systems: general, symmetric and triangular ones.

From A X = B follows A dX = dB - dA X, so that B_bar solves with the transpose, A_bar = -B_bar X^T
(Giles 2.3.1), and of A_bar those entries are kept that the function reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tapeless.rules.declare import register_gradient
from tapeless.rules.results import linalg as kinds
from tapeless.rules.results import shapes
from tapeless.rules.results.matrices import determinant
from tapeless.runtime import cofactors, conjugate, symmetric, transpose
from tapeless.runtime.matrices import (
    entries_read,
    real_matrix,
    single,
    sum_of_pairs,
    triangle,
)


@register_gradient(linalg.inv, kind=shapes.same_shape)
def linalg_inv(
    a: Any, *, check_finite: Any = True, assume_a: Any = None, lower: Any = False
) -> Any:
    """Here dY = -Y dA Y (Giles 2.2.3), of the entries of A that are read."""
    assumed = {"assume_a": assume_a, "lower": lower} if assume_a is not None else {}
    y = linalg.inv(a, check_finite=check_finite, **assumed)

    def grad(y_bar: Any) -> Any:
        a_bar = -transpose(y) @ y_bar @ transpose(y)
        if assume_a in ("pos", "positive definite", "sym", "symmetric", "her", "hermitian"):
            return symmetric(a_bar), None, None, None
        return a_bar if assume_a is None else entries_read(a_bar, assume_a), None, None, None

    def jvp(a_dot: Any) -> Any:
        if assume_a in ("pos", "positive definite", "sym", "symmetric", "her", "hermitian"):
            return -y @ symmetric(a_dot) @ y
        return -y @ (a_dot if assume_a is None else entries_read(a_dot, assume_a)) @ y

    return y, grad, jvp


@register_gradient(linalg.det, kind=determinant)
def linalg_det(a: Any, *, check_finite: Any = True) -> Any:
    """Here dy = y trace(A^-1 dA) (Giles 2.2.4), by cofactors, which singular matrices have too."""
    y = linalg.det(a, check_finite=check_finite)

    def grad(y_bar: Any) -> Any:
        if np.ndim(a) == 2:
            return y_bar * cofactors(a, y), None
        return y_bar[..., None, None] * cofactors(a, y), None

    def jvp(a_dot: Any) -> Any:
        return np.sum(cofactors(a, y) * a_dot, axis=(-2, -1))

    return y, grad, jvp


@register_gradient(linalg.solve, kind=kinds.solve)
def linalg_solve(
    a: Any, b: Any, lower: Any = False, *, check_finite: Any = True, assume_a: Any = "gen",
    transposed: Any = False,
) -> Any:  # fmt: skip
    """With `assume_a` the adjoint equation is solved as what `a` is assumed to be."""
    x = linalg.solve(a, b, lower=lower, assume_a=assume_a, transposed=transposed,
                     check_finite=check_finite)  # fmt: skip

    def grad(x_bar: Any) -> Any:
        if assume_a in ("pos", "positive definite", "sym", "symmetric", "her", "hermitian"):
            b_bar = linalg.solve(real_matrix(single(a)), x_bar, lower=lower, assume_a=assume_a,
                                 check_finite=check_finite)  # fmt: skip
            return symmetric(-sum_of_pairs(b_bar, x)), b_bar, None, None, None, None
        if assume_a in ("upper triangular", "lower triangular"):
            turned = 0 if transposed else 1
            below = assume_a == "lower triangular"
            b_bar = linalg.solve_triangular(single(a), x_bar, trans=turned, lower=below,
                                            check_finite=check_finite)  # fmt: skip
        elif transposed:
            b_bar = linalg.solve(single(a), x_bar, assume_a=assume_a, check_finite=check_finite)
        elif assume_a in (None, "gen", "general"):
            b_bar = linalg.solve(transpose(single(a)), x_bar, check_finite=check_finite)
        else:
            b_bar = linalg.solve(transpose(single(a)), x_bar, assume_a=assume_a,
                                 check_finite=check_finite)  # fmt: skip
        if transposed:
            return entries_read(-sum_of_pairs(x, b_bar), assume_a), b_bar, None, None, None, None
        return entries_read(-sum_of_pairs(b_bar, x), assume_a), b_bar, None, None, None, None

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        if assume_a in ("pos", "positive definite", "sym", "symmetric", "her", "hermitian"):
            moved = b_dot - symmetric(a_dot) @ x
            return linalg.solve(real_matrix(single(a)), moved, lower=lower, assume_a=assume_a,
                                check_finite=check_finite)  # fmt: skip
        change = entries_read(a_dot, assume_a)
        if transposed:
            moved = b_dot - transpose(change) @ x
            return linalg.solve(
                single(a), moved, assume_a=assume_a, transposed=True, check_finite=check_finite
            )
        if assume_a in (None, "gen", "general"):
            return linalg.solve(single(a), b_dot - change @ x, check_finite=check_finite)
        return linalg.solve(
            single(a), b_dot - change @ x, assume_a=assume_a, check_finite=check_finite
        )

    return x, grad, jvp


@register_gradient(linalg.solve_triangular, kind=kinds.solve)
def linalg_solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False, *,
    check_finite: Any = True,
) -> Any:  # fmt: skip
    """The other triangle is not read, nor a diagonal of ones."""
    x = linalg.solve_triangular(
        a, b, trans=trans, lower=lower, unit_diagonal=unit_diagonal, check_finite=check_finite
    )

    def grad(x_bar: Any) -> Any:
        if trans in (0, "N"):
            b_bar = linalg.solve_triangular(
                single(a), x_bar, trans=1, lower=lower, unit_diagonal=unit_diagonal,
                check_finite=check_finite,
            )  # fmt: skip
            a_bar = triangle(-sum_of_pairs(b_bar, x), lower, unit_diagonal)
            return a_bar, b_bar, None, None, None, None
        if trans in (1, "T"):
            b_bar = linalg.solve_triangular(
                single(a), x_bar, lower=lower, unit_diagonal=unit_diagonal, check_finite=check_finite
            )  # fmt: skip
            a_bar = triangle(-sum_of_pairs(x, b_bar), lower, unit_diagonal)
            return a_bar, b_bar, None, None, None, None
        b_bar = linalg.solve_triangular(
            conjugate(single(a)), x_bar, lower=lower, unit_diagonal=unit_diagonal,
            check_finite=check_finite,
        )  # fmt: skip
        a_bar = triangle(-conjugate(sum_of_pairs(x, b_bar)), lower, unit_diagonal)
        return a_bar, b_bar, None, None, None, None

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        change = triangle(a_dot, lower, unit_diagonal)
        if trans in (0, "N"):
            moved = b_dot - change @ x
        elif trans in (1, "T"):
            moved = b_dot - transpose(change) @ x
        else:
            moved = b_dot - conjugate(transpose(change)) @ x
        return linalg.solve_triangular(
            single(a), moved, trans=trans, lower=lower, unit_diagonal=unit_diagonal,
            check_finite=check_finite,
        )  # fmt: skip

    return x, grad, jvp
