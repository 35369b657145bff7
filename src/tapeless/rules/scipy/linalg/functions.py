"""Functions of matrices: exponentials, logarithms, roots and trigonometric functions.

The derivative of f at A in the direction E, the Frechet derivative L(A, E), is the upper right block
of f([[A, E], [0, A]]) (Mathias 1996; Higham, "Functions of Matrices", 2008, theorem 3.6). Its
transpose is L(A^T, .). For the exponential there is the algorithm of Al-Mohy and Higham, "Computing
the Frechet derivative of the matrix exponential" (2009), that shares the powers of A; for the root a
Sylvester equation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tapeless.rules.declare import importable_as, register_gradient
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import shapes
from tapeless.rules.results.matrices import exponential_and_change, of_matrix
from tapeless.runtime import real_for_real, transpose
from tapeless.runtime.matrices import block_matrix, expm_change, single, upper_right

no_derivative(
    "take the function of a matrix by its name, such as scipy.linalg.expm or sqrtm",
    linalg.funm,
    linalg.signm,
)


@register_gradient(linalg.expm, kind=shapes.same_shape)
def linalg_expm(A: Any) -> Any:
    """Al-Mohy and Higham (2009)."""
    y = linalg.expm(A)

    def grad(y_bar: Any) -> Any:
        return expm_change(transpose(A), y_bar)

    def jvp(A_dot: Any) -> Any:
        return expm_change(A, A_dot)

    return y, grad, jvp


@register_gradient(linalg.expm_frechet, kind=exponential_and_change)
def linalg_expm_frechet(
    A: Any, E: Any, method: Any = None, compute_expm: Any = True, check_finite: Any = True
) -> Any:
    """It is a block of the exponential of a block matrix, and so are its derivatives."""
    y = linalg.expm_frechet(A, E, method, compute_expm, check_finite)

    def grad(*y_bars: Any) -> Any:
        size = np.shape(A)[0]
        change_bar = y_bars[1] if compute_expm else y_bars[0]
        pulled = linalg.expm_frechet(
            transpose(block_matrix(A, E)),
            block_matrix(np.zeros_like(change_bar), change_bar),
            compute_expm=False,
            check_finite=check_finite,
        )
        A_bar = pulled[:size, :size] + pulled[size:, size:]
        if compute_expm:
            A_bar = A_bar + expm_change(transpose(A), y_bars[0])
        return A_bar, pulled[:size, size:], None, None, None

    def jvp(A_dot: Any, E_dot: Any) -> Any:
        pushed = linalg.expm_frechet(
            block_matrix(A, E),
            block_matrix(A_dot, E_dot),
            compute_expm=False,
            check_finite=check_finite,
        )
        return (expm_change(A, A_dot), upper_right(pushed)) if compute_expm else upper_right(pushed)

    return y, grad, jvp


@register_gradient(linalg.logm, kind=of_matrix)
def linalg_logm(A: Any) -> Any:
    """The logarithm of the block matrix."""
    y = linalg.logm(A)

    def grad(y_bar: Any) -> Any:
        change = upper_right(linalg.logm(block_matrix(transpose(single(A)), y_bar)))
        return real_for_real(change, A)

    def jvp(A_dot: Any) -> Any:
        return upper_right(linalg.logm(block_matrix(single(A), A_dot)))

    return y, grad, jvp


@register_gradient(linalg.sqrtm, kind=of_matrix)
def linalg_sqrtm(A: Any) -> Any:
    """Y Y = A gives Y dY + dY Y = dA."""
    y = linalg.sqrtm(A)

    def grad(y_bar: Any) -> Any:
        root = transpose(single(y))
        return real_for_real(linalg.solve_sylvester(root, root, y_bar), A)

    def jvp(A_dot: Any) -> Any:
        return linalg.solve_sylvester(single(y), y, A_dot)

    return y, grad, jvp


@register_gradient(linalg.fractional_matrix_power)
def linalg_fractional_matrix_power(A: Any, t: Any) -> Any:
    """The power of the block matrix; in the exponent dY = log(A) Y dt."""
    y = linalg.fractional_matrix_power(A, t)

    def grad(y_bar: Any) -> Any:
        blocks = block_matrix(transpose(single(A)), y_bar)
        change = upper_right(linalg.fractional_matrix_power(blocks, t))
        return real_for_real(change, A), real_for_real(np.sum(y_bar * (linalg.logm(A) @ y)), t)

    def jvp(A_dot: Any, t_dot: Any) -> Any:
        blocks = block_matrix(single(A), A_dot)
        change = upper_right(linalg.fractional_matrix_power(blocks, t))
        return change + linalg.logm(A) @ y * t_dot

    return y, grad, jvp


def _register_by_blocks(function: Any) -> None:
    """Register the rule of a function that is applied to the block matrix as it stands."""

    @importable_as(f"linalg_{function.__name__}")
    @register_gradient(function, kind=shapes.same_shape)
    def of_matrix(A: Any) -> Any:
        y = function(A)

        def grad(y_bar: Any) -> Any:
            return upper_right(function(block_matrix(transpose(single(A)), y_bar)))

        def jvp(A_dot: Any) -> Any:
            return upper_right(function(block_matrix(single(A), A_dot)))

        return y, grad, jvp


for _function in (
    linalg.sinm, linalg.cosm, linalg.tanm, linalg.sinhm, linalg.coshm, linalg.tanhm,
):  # fmt: skip
    _register_by_blocks(_function)
