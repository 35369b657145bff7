"""Matrices that are made of fewer numbers, and systems with them.

Each entry is one of the numbers, so that its cotangent is the sum over the entries that it fills.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.results.matrices import circular, diagonal_of_sequence, structured
from tapeless.rules.traits import traits
from tapeless.runtime import block_diagonal_bars, full_items, kron_left_bar, kron_right_bar
from tapeless.runtime.matrices import (
    block_diagonal,
    diagonal_sums,
    first_column_bar,
    first_row_bar,
    single,
    sum_of_pairs,
    toeplitz_bar,
    toeplitz_of,
    transposed_toeplitz,
)

traits(first_column_bar, first_row_bar, diagonal_sums, says_more=True)


@register_gradient(linalg.block_diag, kind=structured(2), of_sequence=block_diagonal)
def linalg_block_diag(*arrs: Any) -> Any:
    """The blocks are cut out of the cotangent."""
    y = linalg.block_diag(*arrs)

    def grad(y_bar: Any) -> Any:
        bars = block_diagonal_bars(y_bar, arrs)
        return (*bars,)

    def jvp(*arrs_dot: Any) -> Any:
        return linalg.block_diag(*arrs_dot)

    return y, grad, jvp


@register_gradient(block_diagonal, kind=diagonal_of_sequence, takes_sequences=True)
def block_diagonal_of_sequence(blocks: Any) -> Any:
    """The blocks are cut out of the cotangent."""
    y = block_diagonal(blocks)

    def grad(y_bar: Any) -> Any:
        return block_diagonal_bars(y_bar, blocks)

    def jvp(blocks_dot: Any) -> Any:
        return block_diagonal(blocks_dot)

    return y, grad, jvp


@register_gradient(
    block_diagonal_bars, linear=("y_bar",), asks_form=(1,), pieces=True, says_more=True
)
def block_diagonal_bars_rule(y_bar: Any, blocks: Any) -> Any:
    """The pieces are put back."""
    bars = block_diagonal_bars(y_bar, blocks)

    def grad(bars_bar: Any) -> Any:
        return block_diagonal(full_items(bars_bar, blocks)), None

    return bars, grad


@register_gradient(linalg.toeplitz, kind=structured(1))
def linalg_toeplitz(c: Any, r: Any = None) -> Any:
    """Constant along the diagonals."""
    if np.ndim(c) != 1 or np.iscomplexobj(c):
        raise GradientError("scipy.linalg.toeplitz is differentiated for one real column and row")
    y = linalg.toeplitz(c, r)

    def grad(y_bar: Any) -> Any:
        if r is None:
            return first_column_bar(y_bar) + first_row_bar(y_bar), None
        return first_column_bar(y_bar), first_row_bar(y_bar)

    def jvp(c_dot: Any, r_dot: Any = 0.0) -> Any:
        if r is None:
            return linalg.toeplitz(c_dot)
        return linalg.toeplitz(c_dot, r_dot)

    return y, grad, jvp


@register_gradient(linalg.hankel, kind=structured(1))
def linalg_hankel(c: Any, r: Any = None) -> Any:
    """Constant along the diagonals that rise."""
    if np.ndim(c) != 1:
        raise GradientError("scipy.linalg.hankel is differentiated for one column and row")
    y = linalg.hankel(c, r)

    def grad(y_bar: Any) -> Any:
        sums = diagonal_sums(y_bar[:, ::-1])
        size = np.shape(y_bar)[0]
        if r is None:
            return sums[:size], None
        return sums[:size], np.concatenate([0.0 * sums[:1], sums[size:]])

    def jvp(c_dot: Any, r_dot: Any = 0.0) -> Any:
        if r is None:
            return linalg.hankel(c_dot)
        r_change = np.concatenate([c_dot[-1:], r_dot[1:]])
        return linalg.hankel(c_dot, r_change)

    return y, grad, jvp


@register_gradient(linalg.circulant, kind=circular)
def linalg_circulant(c: Any) -> Any:
    """Each column is the one before, turned by one place."""
    if np.ndim(c) != 1:
        raise GradientError("scipy.linalg.circulant is differentiated for one column")
    y = linalg.circulant(c)

    def grad(y_bar: Any) -> Any:
        places = np.arange(np.shape(y_bar)[0])
        turned = (places[:, None] + places) % np.shape(y_bar)[0]
        return np.sum(y_bar[turned, places], axis=1)

    def jvp(c_dot: Any) -> Any:
        return linalg.circulant(c_dot)

    return y, grad, jvp


@register_gradient(linalg.companion)
def linalg_companion(a: Any) -> Any:
    """The first row is -a[1:] / a[0]."""
    if np.ndim(a) != 1:
        raise GradientError("scipy.linalg.companion is differentiated for one polynomial")
    y = linalg.companion(a)

    def grad(y_bar: Any) -> Any:
        row_bar = y_bar[0] / a[0]
        return -np.concatenate([np.reshape(row_bar @ y[0], (1,)), row_bar])

    def jvp(a_dot: Any) -> Any:
        row = -(a_dot[1:] + a_dot[0] * y[0]) / a[0]
        return np.concatenate([row[None, :], np.zeros_like(y[1:])])

    return y, grad, jvp


@register_gradient(linalg.solve_toeplitz, takes_sequences=True)
def linalg_solve_toeplitz(c_or_cr: Any, b: Any, *, check_finite: Any = True) -> Any:
    """The adjoint solves with the transpose, which is Toeplitz as well."""
    x = linalg.solve_toeplitz(c_or_cr, b, check_finite=check_finite)

    def grad(x_bar: Any) -> Any:
        b_bar = linalg.solve_toeplitz(
            transposed_toeplitz(c_or_cr), x_bar, check_finite=check_finite
        )
        return toeplitz_bar(-sum_of_pairs(b_bar, x), c_or_cr), b_bar, None

    def jvp(c_or_cr_dot: Any, b_dot: Any) -> Any:
        return linalg.solve_toeplitz(
            c_or_cr, b_dot - toeplitz_of(c_or_cr_dot) @ x, check_finite=check_finite
        )

    return x, grad, jvp


def linalg_solve_circulant(
    c: Any, b: Any, singular: Any = "raise", tol: Any = None, caxis: Any = -1, baxis: Any = 0,
    outaxis: Any = 0,
) -> Any:  # fmt: skip
    """A Fourier transform makes the matrix diagonal."""
    if np.ndim(c) != 1 or baxis != 0 or outaxis != 0 or singular != "raise":
        raise GradientError(
            "solve_circulant is differentiated for one matrix, along the first axis"
        )
    x = np.fft.ifft(np.fft.fft(b.T) / np.fft.fft(c)).T
    return x if np.iscomplexobj(c) or np.iscomplexobj(b) else np.real(x)


def linalg_khatri_rao(a: Any, b: Any) -> Any:
    """Each column is the Kronecker product of two, of stacks since SciPy 1.16."""
    products = a[..., :, None, :] * b[..., None, :, :]
    return np.reshape(products, (*np.shape(products)[:-3], -1, np.shape(products)[-1]))


def linalg_matmul_toeplitz(
    c_or_cr: Any, x: Any, check_finite: Any = False, workers: Any = None
) -> Any:
    if isinstance(c_or_cr, tuple):
        return single(linalg.toeplitz(c_or_cr[0], c_or_cr[1])) @ x
    return single(linalg.toeplitz(c_or_cr)) @ x


written_out(linalg.matmul_toeplitz, linalg_matmul_toeplitz)
written_out(linalg.solve_circulant, linalg_solve_circulant)
written_out(linalg.khatri_rao, linalg_khatri_rao)

if hasattr(linalg, "kron"):  # until SciPy 1.16

    @register_gradient(linalg.kron)
    def linalg_kron(a: Any, b: Any) -> Any:
        """As `np.kron`."""
        y = linalg.kron(single(a), single(b))

        def grad(y_bar: Any) -> Any:
            return kron_left_bar(y_bar, a, b), kron_right_bar(y_bar, a, b)

        def jvp(a_dot: Any, b_dot: Any) -> Any:
            return linalg.kron(a_dot, b) + linalg.kron(a, b_dot)

        return y, grad, jvp
