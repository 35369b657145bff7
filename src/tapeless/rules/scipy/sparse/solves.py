"""Linear systems with sparse arrays: the adjoint is solved with the transposed array.

From A x = b follows A dx = db - dA x, so that b_bar solves with the transpose, and A_bar is
-b_bar x^T, at the places that A stores (Giles 2008, 2.3.1). Factors serve both sweeps; an iteration is
run again with the transposed array and the same tolerances, and its derivative is as exact as these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, importable_as, register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import sparse_solves as kinds
from tapeless.rules.results.sparse import moved
from tapeless.rules.traits import traits
from tapeless.runtime.sparse import is_sparse, sampled_product, sampled_sparse, with_entries
from tapeless.runtime.sparse_products import storing
from tapeless.runtime.sparse_solves import (
    factored,
    has_one_column,
    solve_factored,
    solve_sparse,
    whole_solution,
)

built_in_zero(factored, kind=kinds.factors)
built_in_zero(whole_solution, kind=moved, says_more=True)
built_in_zero(has_one_column, kind=kinds.one_column, asks_form=(0,))
traits(linalg.splu, kind=kinds.factors)
no_derivative("take scipy.sparse.linalg.splu, whose factors are exact", linalg.spilu)
no_derivative(
    "take numpy.linalg.eigh(A.toarray()), or write a rule for the eigenvalues that you need",
    linalg.lobpcg,
)
no_derivative("take numpy.linalg.eig(A.toarray())", linalg.eigs)
no_derivative("take numpy.linalg.svd(A.toarray())", linalg.svds)
no_derivative("solve the normal equations by scipy.sparse.linalg.spsolve", linalg.lsqr, linalg.lsmr)


no_derivative(
    "solve y' = A y by scipy.integrate.solve_ivp, or take scipy.linalg.expm(A.toarray()) @ B",
    linalg.expm_multiply,
    parameter="A",
)


@register_gradient(linalg.expm_multiply, kind=kinds.like_second)
def linalg_expm_multiply(A: Any, B: Any) -> Any:
    """Linear in `B`: the adjoint is multiplied by the exponential of the transposed array."""
    y = linalg.expm_multiply(A, B)

    def grad(y_bar: Any) -> Any:
        return None, linalg.expm_multiply(A.T, y_bar)

    def jvp(B_dot: Any) -> Any:
        return linalg.expm_multiply(A, B_dot)

    return y, grad, jvp


def sparse_norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    if ord not in (None, "fro") or axis is not None:
        raise GradientError(
            "the norm of a sparse array is differentiated for ord='fro'",
            fix="write it with `abs`, `.multiply` and `.sum`",
        )
    return np.linalg.norm(x.tocsr().data)


written_out(linalg.norm, sparse_norm)


@register_gradient(solve_factored, kind=kinds.like_right_side, says_more=True)
def solve_factored_rule(factor: Any, a: Any, b: Any, trans: Any = "N") -> Any:
    x = solve_factored(factor, a, b, trans)

    def grad(x_bar: Any) -> Any:
        if trans == "N":
            b_bar = solve_factored(factor, a, x_bar, "T")
            return None, -sampled_product(a, b_bar, x), b_bar, None
        b_bar = solve_factored(factor, a, x_bar)
        return None, -sampled_product(a, x, b_bar), b_bar, None

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        if trans == "N":
            return solve_factored(factor, a, b_dot - with_entries(a, a_dot) @ x)
        return solve_factored(factor, a, b_dot - with_entries(a, a_dot).T @ x, trans)

    return x, grad, jvp


@register_gradient(solve_sparse, kind=kinds.sparse_solution, says_more=True)
def solve_sparse_rule(factor: Any, a: Any, b: Any, trans: Any = "N") -> Any:
    x = solve_sparse(factor, a, b, trans)

    def grad(x_bar: Any) -> Any:
        g = with_entries(whole_solution(x, a, b, trans), x_bar)
        if trans == "N":
            pulled = solve_sparse(factor, a, g, "T")
            return None, -sampled_sparse(a, pulled @ x.T), sampled_sparse(b, pulled), None
        pulled = solve_sparse(factor, a, g)
        return None, -sampled_sparse(a, x @ pulled.T), sampled_sparse(b, pulled), None

    def jvp(a_dot: Any, b_dot: Any) -> Any:
        change = with_entries(a, a_dot)
        change = change @ x if trans == "N" else change.T @ x
        x_dot = solve_sparse(factor, a, with_entries(b, b_dot) - change, trans)
        return sampled_sparse(storing(x, x_dot), x_dot)

    return x, grad, jvp


@register_gradient(linalg.spsolve_triangular, kind=kinds.like_right_side_of_two)
def linalg_spsolve_triangular(
    A: Any, b: Any, lower: Any = True, overwrite_A: Any = False, overwrite_b: Any = False,
    unit_diagonal: Any = False,
) -> Any:  # fmt: skip
    if unit_diagonal is not False:
        raise GradientError(
            "a triangular system is differentiated with the diagonal that is stored"
        )
    x = linalg.spsolve_triangular(A, b, lower)

    def grad(x_bar: Any) -> Any:
        b_bar = linalg.spsolve_triangular(A.T.tocsr(), x_bar, not lower)
        return -sampled_product(A, b_bar, x), b_bar, None, None, None, None

    def jvp(A_dot: Any, b_dot: Any) -> Any:
        return linalg.spsolve_triangular(A, b_dot - with_entries(A, A_dot) @ x, lower)

    return x, grad, jvp


def sparse_spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    if is_sparse(b):
        if has_one_column(b):
            return solve_factored(factored(A), A, b.toarray()[:, 0])
        return solve_sparse(factored(A), A, b)
    if np.ndim(b) == 2 and np.shape(b)[1] == 1:
        return solve_factored(factored(A), A, b[:, 0])
    return solve_factored(factored(A), A, b)


def sparse_inv(A: Any) -> Any:
    return solve_sparse(factored(A), A, sparse.eye_array(A.shape[0], dtype=A.dtype, format="csc"))


@dataclass
class Factored:
    """A sparse array with its LU factors, as `splu` and `factorized` return them."""

    a: Any
    factor: Any

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        """Return the solution of a linear system, with the transposed array for ``trans="T"``."""
        if trans == "N":
            return solve_factored(self.factor, self.a, rhs)
        if trans == "T":
            return solve_factored(self.factor, self.a, rhs, "T")
        raise GradientError("the solution is differentiated for trans='N' and 'T'")

    def __call__(self, rhs: Any) -> Any:
        """Return the solution of a linear system."""
        return solve_factored(self.factor, self.a, rhs)


def sparse_splu(
    A: Any, permc_spec: Any = None, diag_pivot_thresh: Any = None, relax: Any = None,
    panel_size: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    return Factored(A, factored(A))


def sparse_factorized(A: Any) -> Any:
    return Factored(A, factored(A))


written_out(linalg.spsolve, sparse_spsolve)
written_out(linalg.inv, sparse_inv)
written_out(linalg.splu, sparse_splu)
written_out(linalg.factorized, sparse_factorized)


_SuperLU: Any = type(linalg.splu(sparse.csc_array(np.eye(1))))


@register_gradient(_SuperLU.solve, kind=kinds.like_second)
def superlu_solve(self: Any, rhs: Any, trans: Any = "N") -> Any:
    """The factors are constant: what they are made of does not vary."""
    x = self.solve(rhs, trans)

    def grad(x_bar: Any) -> Any:
        if trans == "N":
            return None, self.solve(x_bar, "T"), None
        return None, self.solve(x_bar), None

    def jvp(rhs_dot: Any) -> Any:
        return self.solve(rhs_dot, trans)

    return x, grad, jvp


def _register_iteration(solver: Any) -> None:
    """Register the rule of a solver that iterates, which returns a solution and whether it is one."""

    @importable_as(f"linalg_{solver.__name__}")
    @register_gradient(solver, kind=kinds.solution_and_flag)
    def solved(
        A: Any, b: Any, x0: Any = None, *, rtol: Any = 1e-5, atol: Any = 0.0, maxiter: Any = None,
        M: Any = None,
    ) -> Any:  # fmt: skip
        y = solver(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M)
        x = y[0]

        def grad(x_bar: Any, info_bar: Any) -> Any:
            transposed = None if M is None else M.T
            b_bar = solver(A.T, x_bar, rtol=rtol, atol=atol, maxiter=maxiter, M=transposed)[0]
            if is_sparse(A):
                return -sampled_product(A, b_bar, x), b_bar, None, None, None, None, None
            return -np.outer(b_bar, x), b_bar, None, None, None, None, None

        def jvp(A_dot: Any, b_dot: Any) -> Any:
            change = with_entries(A, A_dot) @ x if is_sparse(A) else A_dot @ x
            x_dot = solver(A, b_dot - change, rtol=rtol, atol=atol, maxiter=maxiter, M=M)[0]
            return x_dot, 0

        return y, grad, jvp


for _solver in (linalg.cg, linalg.bicg, linalg.bicgstab, linalg.cgs, linalg.gmres):
    _register_iteration(_solver)
