"""Some eigenvalues and eigenvectors of a sparse array.

The other ones are not known. How an eigenvector changes is solved of the array with a border instead
(Nelson 1976), so eigenvalues must be simple.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import linalg

from tapeless.errors import GradientError
from tapeless.rules.declare import held_fixed, register_gradient, written_out
from tapeless.rules.results import sparse_eigenpairs as kinds
from tapeless.runtime.sparse_eigenpairs import (
    change_of,
    eigenpairs_found,
    eigenvalues_found,
    eigenvectors_in_order,
    product_at,
    solve_beside,
    weighed,
)

_eigsh = held_fixed(linalg.eigsh, kind=kinds.eigenpairs)


def sparse_eigsh(
    A: Any, k: Any = 6, M: Any = None, sigma: Any = None, which: Any = "LM", v0: Any = None,
    ncv: Any = None, maxiter: Any = None, tol: Any = 0, return_eigenvectors: Any = True,
) -> Any:  # fmt: skip
    """What is found is found once: another call would find eigenvectors of another sign."""
    if np.iscomplexobj(A):
        raise GradientError(
            "scipy.sparse.linalg.eigsh is differentiated for real arrays",
            fix="take numpy.linalg.eigh(A.toarray())",
        )
    w, v = _eigsh(A, k, M, sigma, which, v0, ncv, maxiter, tol)
    if return_eigenvectors:
        return eigenpairs_found(A, M, w, v)
    found = _eigsh(A, k, M, sigma, which, v0, ncv, maxiter, tol, False)
    return eigenvalues_found(A, M, found, eigenvectors_in_order(found, w, v))


written_out(linalg.eigsh, sparse_eigsh)


@register_gradient(eigenvalues_found, kind=kinds.of_found_values, says_more=True)
def eigenvalues_found_rule(a: Any, m: Any, w: Any, v: Any) -> Any:
    """From a v = w m v and v^T m v = 1 follows dw = v^T (da - w dm) v."""
    y = eigenvalues_found(a, m, w, v)

    def grad(y_bar: Any) -> Any:
        left = v * y_bar
        if m is None:
            return product_at(a, left, v), None, None, None
        return product_at(a, left, v), product_at(m, -left * w, v), None, None

    def jvp(a_dot: Any, m_dot: Any = 0.0) -> Any:
        r = change_of(a, a_dot) @ v
        if m is not None:
            r = r - (change_of(m, m_dot) @ v) * w
        return np.sum(v * r, axis=0)

    return y, grad, jvp


@register_gradient(eigenpairs_found, kind=kinds.of_found_pairs, says_more=True)
def eigenpairs_found_rule(a: Any, m: Any, w: Any, v: Any) -> Any:
    """With r = (da - w dm) v: dw = v^T r, (a - w m) dv = m v dw - r, and v^T m dv = -v^T dm v / 2."""
    y = eigenpairs_found(a, m, w, v)

    def grad(w_bar: Any, v_bar: Any) -> Any:
        left = v * w_bar - solve_beside(a, m, w, v, v_bar)
        if m is None:
            return product_at(a, left, v), None, None, None
        by_length = 0.5 * v * np.sum(v * v_bar, axis=0)
        return product_at(a, left, v), -product_at(m, left * w + by_length, v), None, None

    def jvp(a_dot: Any, m_dot: Any = 0.0) -> Any:
        r = change_of(a, a_dot) @ v
        if m is None:
            return np.sum(v * r, axis=0), -solve_beside(a, m, w, v, r)
        mass_dot = change_of(m, m_dot) @ v
        r = r - mass_dot * w
        longer = 0.5 * v * np.sum(v * mass_dot, axis=0)
        return np.sum(v * r, axis=0), -solve_beside(a, m, w, v, r) - longer

    return y, grad, jvp


@register_gradient(solve_beside, kind=kinds.beside, says_more=True)
def solve_beside_rule(a: Any, m: Any, w: Any, v: Any, g: Any) -> Any:
    """With c = v^T g the equations are (a - w m) z = g - m v c and v^T m z = 0; they are symmetric."""
    z = solve_beside(a, m, w, v, g)

    def grad(z_bar: Any) -> Any:
        p = solve_beside(a, m, w, v, z_bar)
        c = np.sum(v * g, axis=0)
        q = np.sum(v * z_bar, axis=0)
        a_bar = -product_at(a, p, z)
        w_bar = np.sum(p * weighed(m, z), axis=0)
        v_bar = -(weighed(m, p) * c + weighed(m, z) * q)
        if m is None:
            return a_bar, None, w_bar, v_bar, p
        m_bar = product_at(m, p * w - v * q, z) - product_at(m, p * c, v)
        return a_bar, m_bar, w_bar, v_bar, p

    def jvp(a_dot: Any, w_dot: Any, v_dot: Any, g_dot: Any, m_dot: Any = 0.0) -> Any:
        c = np.sum(v * g, axis=0)
        r = g_dot - change_of(a, a_dot) @ z + weighed(m, z) * w_dot - weighed(m, v_dot) * c
        along = np.sum(v_dot * weighed(m, z), axis=0)
        if m is not None:
            r = r + change_of(m, m_dot) @ z * w - change_of(m, m_dot) @ v * c
            along = along + np.sum(v * (change_of(m, m_dot) @ z), axis=0)
        return solve_beside(a, m, w, v, r) - v * along

    return z, grad, jvp
