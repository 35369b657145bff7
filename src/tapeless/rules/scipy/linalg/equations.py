"""Matrix equations: Sylvester, Lyapunov, Riccati.

The derivative of a solution solves a linear equation of the same sort, and the adjoint one with
transposed coefficients (for Sylvester's and Lyapunov's, Giles 2.3; for Riccati's, Kao and Hennequin,
"Automatic differentiation of Sylvester, Lyapunov, and algebraic Riccati equations", 2020).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tapeless.rules.declare import register_gradient
from tapeless.runtime import symmetric, transpose
from tapeless.runtime.matrices import real_matrix, single


@register_gradient(linalg.solve_sylvester)
def linalg_solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """A X + X B = Q."""
    x = linalg.solve_sylvester(a, b, q)

    def grad(x_bar: Any) -> Any:
        q_bar = linalg.solve_sylvester(transpose(single(a)), transpose(single(b)), x_bar)
        return -q_bar @ transpose(x), -transpose(x) @ q_bar, q_bar

    def jvp(a_dot: Any, b_dot: Any, q_dot: Any) -> Any:
        return linalg.solve_sylvester(single(a), single(b), q_dot - a_dot @ x - x @ b_dot)

    return x, grad, jvp


@register_gradient(linalg.solve_continuous_lyapunov)
def linalg_solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """A X + X A^T = Q."""
    x = linalg.solve_continuous_lyapunov(a, q)

    def grad(x_bar: Any) -> Any:
        q_bar = linalg.solve_continuous_lyapunov(transpose(real_matrix(single(a))), x_bar)
        return -q_bar @ transpose(x) - transpose(q_bar) @ x, q_bar

    def jvp(a_dot: Any, q_dot: Any) -> Any:
        moved = q_dot - a_dot @ x - x @ transpose(a_dot)
        return linalg.solve_continuous_lyapunov(real_matrix(single(a)), moved)

    return x, grad, jvp


@register_gradient(linalg.solve_discrete_lyapunov)
def linalg_solve_discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    """X = A X A^T + Q."""
    x = linalg.solve_discrete_lyapunov(a, q, method=method)

    def grad(x_bar: Any) -> Any:
        matrix = real_matrix(single(a))
        q_bar = linalg.solve_discrete_lyapunov(transpose(matrix), x_bar, method=method)
        moved = matrix @ transpose(x)
        return q_bar @ moved + transpose(q_bar) @ matrix @ x, q_bar, None

    def jvp(a_dot: Any, q_dot: Any) -> Any:
        matrix = real_matrix(single(a))
        moved = a_dot @ x @ transpose(matrix) + matrix @ x @ transpose(a_dot)
        return linalg.solve_discrete_lyapunov(matrix, moved + q_dot, method=method)

    return x, grad, jvp


@register_gradient(linalg.solve_continuous_are)
def linalg_solve_continuous_are(a: Any, b: Any, q: Any, r: Any) -> Any:
    """A^T X + X A - X B R^-1 B^T X + Q = 0: a Lyapunov equation with A - B K, K = R^-1 B^T X."""
    x = linalg.solve_continuous_are(a, b, q, r)

    def grad(x_bar: Any) -> Any:
        gain = np.linalg.solve(real_matrix(single(r)), transpose(b) @ x)
        z = symmetric(linalg.solve_continuous_lyapunov(a - b @ gain, -x_bar))
        a_bar = 2.0 * x @ z
        return a_bar, -a_bar @ transpose(gain), z, gain @ z @ transpose(gain)

    def jvp(a_dot: Any, b_dot: Any, q_dot: Any, r_dot: Any) -> Any:
        gain = np.linalg.solve(real_matrix(single(r)), transpose(b) @ x)
        half = x @ (a_dot - b_dot @ gain)
        moved = half + transpose(half) + symmetric(q_dot)
        moved = moved + transpose(gain) @ symmetric(r_dot) @ gain
        return linalg.solve_continuous_lyapunov(transpose(a - b @ gain), -moved)

    return x, grad, jvp


@register_gradient(linalg.solve_discrete_are)
def linalg_solve_discrete_are(a: Any, b: Any, q: Any, r: Any) -> Any:
    """X = A^T X (A - B K) + Q with K = (R + B^T X B)^-1 B^T X A: a Lyapunov equation with A - B K."""
    x = linalg.solve_discrete_are(a, b, q, r)

    def grad(x_bar: Any) -> Any:
        weighted = transpose(b) @ x
        gain = np.linalg.solve(real_matrix(single(r)) + weighted @ b, weighted @ a)
        closed = a - b @ gain
        z = symmetric(linalg.solve_discrete_lyapunov(closed, x_bar))
        a_bar = 2.0 * x @ closed @ z
        return a_bar, -a_bar @ transpose(gain), z, gain @ z @ transpose(gain)

    def jvp(a_dot: Any, b_dot: Any, q_dot: Any, r_dot: Any) -> Any:
        weighted = transpose(b) @ x
        gain = np.linalg.solve(real_matrix(single(r)) + weighted @ b, weighted @ a)
        closed = a - b @ gain
        half = transpose(closed) @ x @ (a_dot - b_dot @ gain)
        moved = half + transpose(half) + symmetric(q_dot)
        moved = moved + transpose(gain) @ symmetric(r_dot) @ gain
        return linalg.solve_discrete_lyapunov(transpose(closed), moved)

    return x, grad, jvp
