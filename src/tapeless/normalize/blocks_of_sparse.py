"""Sparse arrays joined of blocks that are written out, as rows of them one below the other.

S = bmat([[A, B], [C, None]])     ->   e = empty_block(C, B)
                                       v = hstack([A, B]); v_1 = hstack([C, e]); v_2 = vstack([v, v_1])
                                       S = v_2.asformat("coo")
"""

from __future__ import annotations

import sys
from typing import Any

import gast

import tapeless.runtime as runtime
from tapeless.externals import is_one_of
from tapeless.normalize.atoms import Atoms
from tapeless.tree.build import const
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.trees import Expr


def joined_blocks(flat: Atoms, tree: Expr, found: Any) -> Any:
    """Write `bmat` and `block_array` as rows; None for another call, or where no rows are written out."""
    sparse = sys.modules.get("scipy.sparse")
    known = [getattr(sparse, label, None) for label in ("bmat", "block_array")]
    if sparse is None or not is_one_of(found, known):
        return None
    rows = _rows_written_out(tree.args[0]) if tree.args else None
    told = [*tree.args[1:], *(k.value for k in tree.keywords)]
    if rows is None or len(told) > 1 or any(k.arg != "format" for k in tree.keywords):
        return None
    empty = [[_is_none(block) for block in row] for row in rows]
    if any(map(all, empty)) or any(map(all, zip(*empty, strict=True))):
        return None
    atoms = [[None if _is_none(block) else flat.atom(block) for block in row] for row in rows]
    forms = list(map(flat.atom, told))
    joined = [_beside(flat, sparse, atoms, row) for row in atoms]
    whole = joined[0]
    if len(joined) > 1:
        whole = gast.Call(flat.helper(sparse.vstack), [_listed(map(flat.atom, joined))], [])
    if found is not sparse.bmat:
        whole = gast.Call(flat.helper(sparse.coo_array), [flat.atom(whole)], [])
    if not forms and len(rows) > 1 and len(rows[0]) > 1:
        forms = [const("coo")]
    if forms:
        convert = gast.Attribute(flat.atom(whole), "asformat", gast.Load())
        whole = gast.Call(convert, forms, [])
    return whole


def _beside(flat: Atoms, sparse: Any, atoms: Any, row: Any) -> Any:
    """Write a row of blocks as one array; where nothing stands is an empty block of that size."""
    if len(row) == 1:
        return row[0]
    parts = []
    for j, block in enumerate(row):
        if block is None:
            mates = [next(b for b in line if b is not None) for line in (row, _column(atoms, j))]
            block = flat.atom(gast.Call(flat.helper(runtime.empty_block), mates, []))
        parts.append(block)
    return gast.Call(flat.helper(sparse.hstack), [_listed(parts)], [])


def _column(atoms: Any, j: int) -> list[Any]:
    return [row[j] for row in atoms]


def _listed(items: Any) -> Expr:
    return gast.Tuple(list(items), gast.Load())


def _rows_written_out(tree: Expr) -> list[list[Expr]] | None:
    """Return the rows of a display of displays that are equally long; None for another thing."""
    if type(tree) not in DISPLAYS or any(type(row) not in DISPLAYS for row in tree.elts):
        return None
    rows = [row.elts for row in tree.elts]
    starred = any(type(block) is gast.Starred for row in rows for block in row)
    if starred or not rows or not rows[0] or {len(row) for row in rows} != {len(rows[0])}:
        return None
    return rows


def _is_none(tree: Expr) -> bool:
    return type(tree) is gast.Constant and tree.value is None
