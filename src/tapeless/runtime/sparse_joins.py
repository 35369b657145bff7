"""What derivatives of joined sparse arrays and of Kronecker products call.

An array may store several entries at one place, as those do that finite elements are assembled in. Where
what is made of it keeps them apart, each keeps its own cotangent: they are taken in the order of storage.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.sparse import (
    check_sparse,
    sampled_sparse,
    stored_places,
    with_entries,
    within,
)


def empty_block(beside: Any, below: Any) -> Any:
    """Return a sparse matrix that stores nothing, as high as one block and as wide as another.

    Examples
    --------
    >>> empty_block(np.eye(2), np.eye(3)).shape
    (2, 3)
    """
    from scipy import sparse

    return sparse.coo_matrix((beside.shape[0], below.shape[1]))


def entries_below(a: Any, a_bar: Any, blocks: Any) -> list[Any]:
    """Return the entries of the blocks of an array that `scipy.sparse.vstack` joined.

    Examples
    --------
    >>> from scipy import sparse
    >>> blocks = [sparse.csr_array(np.array([[1.0, 0.0]])), sparse.csr_array(np.array([[2.0, 3.0]]))]
    >>> entries_below(sparse.vstack(blocks), np.array([4.0, 5.0, 6.0]), blocks)
    [array([4.]), array([5., 6.])]
    """
    return _entries_of_blocks(a, a_bar, blocks, 1, 0)


def entries_beside(a: Any, a_bar: Any, blocks: Any) -> list[Any]:
    """Return the entries of the blocks of an array that `scipy.sparse.hstack` joined."""
    return _entries_of_blocks(a, a_bar, blocks, 0, 1)


def entries_on_diagonal(a: Any, a_bar: Any, blocks: Any) -> list[Any]:
    """Return the entries of the blocks of an array that `scipy.sparse.block_diag` joined."""
    return _entries_of_blocks(a, a_bar, blocks, 1, 1)


def joined_below(a: Any, data: Any, blocks: Any) -> Any:
    """Return entries for an array that `scipy.sparse.vstack` joined, of those for its blocks.

    Examples
    --------
    >>> from scipy import sparse
    >>> blocks = [sparse.csr_array(np.array([[1.0, 0.0]])), sparse.csr_array(np.array([[2.0, 3.0]]))]
    >>> joined_below(sparse.vstack(blocks), [np.array([4.0]), np.array([5.0, 6.0])], blocks)
    array([4., 5., 6.])
    """
    return _joined_entries(a, data, blocks, 1, 0)


def joined_beside(a: Any, data: Any, blocks: Any) -> Any:
    """Return entries for an array that `scipy.sparse.hstack` joined, of those for its blocks."""
    return _joined_entries(a, data, blocks, 0, 1)


def joined_on_diagonal(a: Any, data: Any, blocks: Any) -> Any:
    """Return entries for an array that `scipy.sparse.block_diag` joined, of those for its blocks."""
    return _joined_entries(a, data, blocks, 1, 1)


def _entries_of_blocks(a: Any, a_bar: Any, blocks: Any, down: int, across: int) -> list[Any]:
    rows, columns = _places_in_blocks(blocks, down, across)
    taken = entries_at(a, a_bar, rows, columns)
    pieces = np.split(taken, np.cumsum([block.data.size for block in blocks])[:-1])
    return [
        within(block, np.reshape(piece, block.data.shape))
        for piece, block in zip(pieces, blocks, strict=True)
    ]


def _joined_entries(a: Any, data: Any, blocks: Any, down: int, across: int) -> Any:
    rows, columns = _places_in_blocks(blocks, down, across)
    whole = [np.broadcast_to(part, b.data.shape) for part, b in zip(data, blocks, strict=True)]
    given = [np.ravel(within(b, part)) for part, b in zip(whole, blocks, strict=True)]
    return entries_placed(a, np.concatenate(given), rows, columns)


def _places_in_blocks(blocks: Any, down: int, across: int) -> tuple[Any, Any]:
    """Return the places of the entries of all blocks in what they are joined to."""
    row, column, rows, columns = 0, 0, [], []
    for block in blocks:
        check_sparse(block)
        inner_rows, inner_columns = stored_places(block)
        rows.append(np.ravel(inner_rows) + row)
        columns.append(np.ravel(inner_columns) + column)
        row, column = row + down * block.shape[0], column + across * block.shape[1]
    return np.concatenate(rows), np.concatenate(columns)


def entries_at(a: Any, data: Any, rows: Any, columns: Any) -> Any:
    """Return entries for a sparse array at some places, of which it stores all.

    Where it keeps apart what was stored at one place, the places are given as often, in its order.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])))
    >>> entries_at(a, np.array([4.0, 5.0, 6.0]), np.array([1, 0, 0]), np.array([0, 1, 1]))
    array([6., 4., 5.])
    """
    order = _order_of_entries(a, rows, columns)
    if order is None:
        return np.asarray(with_entries(a, data).tocsr()[rows, columns])
    return np.ravel(data)[order]


def entries_placed(a: Any, values: Any, rows: Any, columns: Any) -> Any:
    """Return the entries of a sparse array that has some values at some places, of which it stores all.

    Examples
    --------
    >>> from scipy import sparse
    >>> a = sparse.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])))
    >>> entries_placed(a, np.array([6.0, 4.0, 5.0]), np.array([1, 0, 0]), np.array([0, 1, 1]))
    array([4., 5., 6.])
    """
    order = _order_of_entries(a, rows, columns)
    if order is None:
        placed = type(a.tocoo())((values, (rows, columns)), shape=a.shape)
        return sampled_sparse(a, placed.tocsr())
    data = np.empty(values.size, dtype=values.dtype)
    data[order] = values
    return np.reshape(data, a.data.shape)


def _order_of_entries(a: Any, rows: Any, columns: Any) -> Any:
    """Return which entry of an array stands at each of some places, None where they are not its own."""
    own_rows, own_columns = (np.ravel(places) for places in stored_places(a))
    if own_rows.size != rows.size:
        return None
    own, asked = np.lexsort((own_columns, own_rows)), np.lexsort((columns, rows))
    alike = np.array_equal(own_rows[own], rows[asked])
    if not alike or not np.array_equal(own_columns[own], columns[asked]):
        return None
    order = np.empty(rows.size, dtype=np.intp)
    order[asked] = own
    return order


def pairs_of_kron(c: Any, data: Any, a: Any, b: Any) -> Any:
    """Return entries of a Kronecker product, one row for each entry of the first factor.

    Examples
    --------
    >>> from scipy import sparse
    >>> a, b = sparse.coo_array(np.array([[1.0, 2.0]])), sparse.coo_array(np.array([[3.0], [4.0]]))
    >>> c = sparse.kron(a, b)
    >>> pairs_of_kron(c, c.data, a, b)
    array([[3., 4.],
           [6., 8.]])
    """
    rows, columns = _places_of_pairs(a, b)
    return np.reshape(entries_at(c, data, np.ravel(rows), np.ravel(columns)), rows.shape)


def kron_of_pairs(c: Any, pairs: Any, a: Any, b: Any) -> Any:
    """Return the entries of a Kronecker product, given those for each two entries of its factors."""
    rows, columns = _places_of_pairs(a, b)
    return entries_placed(c, np.ravel(pairs), np.ravel(rows), np.ravel(columns))


def _places_of_pairs(a: Any, b: Any) -> tuple[Any, Any]:
    check_sparse(a)
    check_sparse(b)
    (i, j), (k, m) = (map(np.ravel, stored_places(x)) for x in (a, b))
    return i[:, None] * b.shape[0] + k, j[:, None] * b.shape[1] + m
