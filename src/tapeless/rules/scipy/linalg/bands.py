"""Systems with matrices of few diagonals, and their Cholesky factors.

The formulas are those of `solve` and of `cholesky`; of the cotangent the diagonals are computed that are
given.
"""

from __future__ import annotations

from typing import Any

from scipy import linalg

from tapeless.rules.declare import register_gradient
from tapeless.rules.results import shapes
from tapeless.rules.results.matrices import band_solution, solved_with_factors
from tapeless.rules.traits import traits
from tapeless.runtime.bands import (
    band_of_pairs,
    band_times,
    banded_cholesky_bar,
    banded_cholesky_dot,
    of_banded_product_bar,
    of_banded_product_dot,
    symmetric_band_bar,
    symmetric_band_times,
    transposed_band,
)
from tapeless.runtime.matrices import real_matrix, single

traits(band_of_pairs, band_times, transposed_band, says_more=True)
traits(symmetric_band_bar, symmetric_band_times, says_more=True)
traits(banded_cholesky_bar, banded_cholesky_dot, says_more=True)
traits(of_banded_product_bar, of_banded_product_dot, says_more=True)


@register_gradient(linalg.solve_banded, kind=band_solution(1))
def linalg_solve_banded(l_and_u: Any, ab: Any, b: Any, *, check_finite: Any = True) -> Any:
    """The matrix is given by its diagonals, and so is its cotangent."""
    x = linalg.solve_banded(l_and_u, ab, b, check_finite=check_finite)

    def grad(x_bar: Any) -> Any:
        flipped = transposed_band(single(ab), l_and_u[0], l_and_u[1])
        b_bar = linalg.solve_banded(
            (l_and_u[1], l_and_u[0]), flipped, x_bar, check_finite=check_finite
        )
        return None, -band_of_pairs(b_bar, x, l_and_u[0], l_and_u[1]), b_bar, None

    def jvp(ab_dot: Any, b_dot: Any) -> Any:
        moved = b_dot - band_times(ab_dot, x, l_and_u[0], l_and_u[1])
        return linalg.solve_banded(l_and_u, single(ab), moved, check_finite=check_finite)

    return x, grad, jvp


@register_gradient(linalg.solveh_banded, kind=band_solution(0))
def linalg_solveh_banded(ab: Any, b: Any, *, lower: Any = False, check_finite: Any = True) -> Any:
    """Half of the diagonals are given, and each entry stands for two."""
    x = linalg.solveh_banded(ab, b, lower=lower, check_finite=check_finite)

    def grad(x_bar: Any) -> Any:
        b_bar = linalg.solveh_banded(single(ab), x_bar, lower=lower, check_finite=check_finite)
        return -symmetric_band_bar(b_bar, x, ab, lower), b_bar, None, None

    def jvp(ab_dot: Any, b_dot: Any) -> Any:
        moved = b_dot - symmetric_band_times(ab_dot, x, lower)
        return linalg.solveh_banded(single(ab), moved, lower=lower, check_finite=check_finite)

    return x, grad, jvp


@register_gradient(linalg.cholesky_banded, kind=shapes.same_shape)
def linalg_cholesky_banded(ab: Any, *, lower: Any = False, check_finite: Any = True) -> Any:
    """The steps of the factorization, reversed (Smith 1995); each entry stands for two."""
    c = linalg.cholesky_banded(ab, lower=lower, check_finite=check_finite)

    def grad(c_bar: Any) -> Any:
        return banded_cholesky_bar(c_bar, real_matrix(single(c)), lower), None, None

    def jvp(ab_dot: Any) -> Any:
        return banded_cholesky_dot(ab_dot, real_matrix(single(c)), lower)

    return c, grad, jvp


@register_gradient(linalg.cho_solve_banded, kind=solved_with_factors, takes_sequences=True)
def linalg_cho_solve_banded(cb_and_lower: Any, b: Any, *, check_finite: Any = True) -> Any:
    """The adjoint is solved with the same factor, which stands for the matrix."""
    x = linalg.cho_solve_banded(cb_and_lower, b, check_finite=check_finite)

    def grad(x_bar: Any) -> Any:
        b_bar = linalg.cho_solve_banded(cb_and_lower, x_bar, check_finite=check_finite)
        c = real_matrix(single(cb_and_lower[0]))
        c_bar = -of_banded_product_bar(b_bar, x, c, cb_and_lower[1])
        return (c_bar, None), b_bar, None

    def jvp(cb_and_lower_dot: Any, b_dot: Any) -> Any:
        c = real_matrix(single(cb_and_lower[0]))
        change = of_banded_product_dot(cb_and_lower_dot[0], x, c, cb_and_lower[1])
        return linalg.cho_solve_banded(cb_and_lower, b_dot - change, check_finite=check_finite)

    return x, grad, jvp
