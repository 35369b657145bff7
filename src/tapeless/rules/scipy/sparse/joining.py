"""Sparse arrays joined out of blocks, and Kronecker products.

What is joined stores the entries of its blocks, so each cotangent is the block of the whole one, at the
places that the block stores. A Kronecker product stores the product of each two entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, importable_as, register_gradient, written_out
from tapeless.rules.results import sparse_creation
from tapeless.rules.results.sparse import entries_of
from tapeless.runtime.sparse import sampled_sparse, with_entries, within
from tapeless.runtime.sparse_joins import (
    empty_block,
    entries_below,
    entries_beside,
    entries_on_diagonal,
    joined_below,
    joined_beside,
    joined_on_diagonal,
    kron_of_pairs,
    pairs_of_kron,
)

built_in_zero(empty_block, kind=sparse_creation.constant(is_matrix=True))


def _register_joined(join: Any, cut: Any, put: Any) -> None:
    """Register the rule of a function that joins blocks.

    `cut` takes the entries of the blocks out of those of the whole, and `put` puts them there.
    """

    @importable_as(f"sparse_{join.__name__}")
    @register_gradient(join, kind=sparse_creation.joined, takes_sequences=True)
    def sparse_joined(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
        a = join(blocks, format, dtype)

        def grad(a_bar: Any) -> Any:
            return cut(a, a_bar, blocks), None, None

        def jvp(blocks_dot: Any) -> Any:
            return put(a, blocks_dot, blocks)

        return a, grad, jvp


@register_gradient(sparse.block_diag, kind=sparse_creation.joined, takes_sequences=True)
def sparse_block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    a = sparse.block_diag(mats, format, dtype)

    def grad(a_bar: Any) -> Any:
        return entries_on_diagonal(a, a_bar, mats), None, None

    def jvp(mats_dot: Any) -> Any:
        return joined_on_diagonal(a, mats_dot, mats)

    return a, grad, jvp


def _register_cut(cut: Any, put: Any) -> None:
    """Register the rules of what the gradients and tangents of joined arrays call."""

    @importable_as(f"{cut.__name__}_rule")
    @register_gradient(cut, linear=("a_bar",), asks_form=(0, 2), pieces=True, says_more=True)
    def cut_rule(a: Any, a_bar: Any, blocks: Any) -> Any:
        bars = cut(a, a_bar, blocks)

        def grad(bars_bar: Any) -> Any:
            return None, put(a, bars_bar, blocks), None

        return bars, grad

    @importable_as(f"{put.__name__}_rule")
    @register_gradient(
        put,
        kind=entries_of,
        linear=("data",),
        asks_form=(0, 2),
        says_more=True,
        takes_sequences=True,
    )
    def put_rule(a: Any, data: Any, blocks: Any) -> Any:
        y = put(a, data, blocks)

        def grad(y_bar: Any) -> Any:
            return None, cut(a, y_bar, blocks), None

        return y, grad


@register_gradient(sparse.kron, kind=sparse_creation.kronecker)
def sparse_kron(A: Any, B: Any, format: Any = None) -> Any:
    c = sparse.kron(A, B, format)

    def grad(c_bar: Any) -> Any:
        pairs = pairs_of_kron(c, c_bar, A, B)
        A_bar = np.reshape(pairs @ np.ravel(within(B, B.data)), np.shape(A.data))
        B_bar = np.reshape(np.ravel(within(A, A.data)) @ pairs, np.shape(B.data))
        return within(A, A_bar), within(B, B_bar), None

    def jvp(A_dot: Any, B_dot: Any) -> Any:
        by_first = sampled_sparse(c, sparse.kron(with_entries(A, A_dot), B))
        return by_first + sampled_sparse(c, sparse.kron(A, with_entries(B, B_dot)))

    return c, grad, jvp


_register_joined(sparse.vstack, entries_below, joined_below)
_register_joined(sparse.hstack, entries_beside, joined_beside)
_register_cut(entries_below, joined_below)
_register_cut(entries_beside, joined_beside)
_register_cut(entries_on_diagonal, joined_on_diagonal)


def rows_of_blocks(blocks: Any, format: Any, dtype: Any) -> Any:
    """Join blocks that are in lists by rows, and these one below the other."""
    if dtype is not None:
        raise GradientError("blocks are differentiated in the dtype that they have")
    whole = sparse.vstack([sparse.hstack(row) for row in blocks])
    if format is None and len(blocks) > 1 and len(blocks[0]) > 1:
        return whole.asformat("coo")
    return whole if format is None else whole.asformat(format)


def sparse_bmat(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return rows_of_blocks(blocks, format, dtype)


def sparse_block_array(blocks: Any, *, format: Any = None, dtype: Any = None) -> Any:
    whole = rows_of_blocks(blocks, format, dtype)
    return sparse.coo_array(whole).asformat(whole.format)


written_out(sparse.bmat, sparse_bmat)
written_out(sparse.block_array, sparse_block_array)


# What the gradients above call, for derivatives of higher order


@register_gradient(
    pairs_of_kron, kind=sparse_creation.pairs, linear=("data",), asks_form=(0, 2, 3), says_more=True
)
def pairs_of_kron_rule(c: Any, data: Any, a: Any, b: Any) -> Any:
    y = pairs_of_kron(c, data, a, b)

    def grad(y_bar: Any) -> Any:
        return None, kron_of_pairs(c, y_bar, a, b), None, None

    return y, grad


@register_gradient(
    kron_of_pairs, kind=entries_of, linear=("pairs",), asks_form=(0, 2, 3), says_more=True
)
def kron_of_pairs_rule(c: Any, pairs: Any, a: Any, b: Any) -> Any:
    y = kron_of_pairs(c, pairs, a, b)

    def grad(y_bar: Any) -> Any:
        return None, pairs_of_kron(c, y_bar, a, b), None, None

    return y, grad
