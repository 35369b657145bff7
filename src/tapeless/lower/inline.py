"""Arrays that are computed for one use stand where they are used; names of the author of the text stay.

    for i in range(n):                     for i in range(n):
        v[i] = 0.02 * w[i]          ->         y[i] = 0.02 * w[i] + z[i]
    for i in range(n):
        y[i] = v[i] + z[i]

The entry is computed where it is read, as often as before: under the same number of loops. Nothing between
may write what it reads.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tapeless.lower.affine import Affine
from tapeless.lower.loops import (
    Cell,
    Expr,
    Loop,
    Program,
    Reduce,
    Stmt,
    Store,
    Var,
    Whole,
    blocks,
    change_expressions,
    parts,
    rebuilt,
    values,
    walk,
)
from tapeless.lower.touched import Touched, touched


@dataclass
class _Entry:
    """An array that waits for its use: where its nest stands, and what that does."""

    place: int
    store: Store
    depth: int
    touches: Touched


def inline(program: Program) -> None:
    """Put the entries of arrays where they are used."""
    uses: Counter[str] = Counter()
    for s in walk(program.body):
        for e in (p for v in values(s) for p in parts(v)):
            if not isinstance(e, Cell) and hasattr(e, "array"):
                uses[e.array] += 2  # a whole array
            elif isinstance(e, Cell):
                uses[e.array] += 1
        if isinstance(s, (Store, Reduce)):
            cell = s.cell if isinstance(s, Store) else s.target
            if isinstance(cell, Cell) and (isinstance(s, Reduce) or s.sign):
                uses[cell.array] += 2
    stores = Counter(s.cell.array for s in walk(program.body) if isinstance(s, Store))
    once = {k for k, n in uses.items() if n == 1 and stores[k] == 1 and k not in program.own}
    program.body = _inlined(program.body, once - set(program.parameters))


def _nest(s: Stmt) -> tuple[Stmt, int]:
    """Return the one statement of a nest, and the number of loops around it."""
    depth = 0
    while isinstance(s, Loop) and s.made and len(s.body) == 1:
        s, depth = s.body[0], depth + 1
    return s, depth


def _inlined(body: list[Stmt], once: set[str]) -> list[Stmt]:
    gone: set[int] = set()
    waiting: dict[str, _Entry] = {}
    for place, s in enumerate(body):
        inner, depth = _nest(s)
        for block in blocks(inner):
            block[:] = _inlined(block, once)
        does = touched(s)
        for key in [k for k in waiting if k in does.read_cells]:
            entry = waiting.pop(key)
            if entry.depth == depth and _put(inner, key, entry):
                gone.add(entry.place)
        does = touched(s)
        for key in [k for k, e in waiting.items() if does.conflicts(e.touches)]:
            del waiting[key]
        if isinstance(inner, Store) and inner.cell.array in once and not inner.sign:
            waiting[inner.cell.array] = _Entry(place, inner, depth, does)
    return [s for place, s in enumerate(body) if place not in gone]


def _put(s: Stmt, key: str, entry: _Entry) -> bool:
    """Put the value of an entry into a statement of single entries."""
    if not isinstance(s, (Store, Reduce)):
        return False
    [cell] = [p for p in parts(s.value) if isinstance(p, Cell) and p.array == key]
    put: dict[str, Affine] = {}
    for form, at in zip(entry.store.cell.index, cell.index, strict=True):
        if form.terms:
            (name,) = form.symbols
            put[name] = at
    if len({str(at) for at in put.values()}) != len(put) or not all(
        at.terms for at in put.values()
    ):
        return False

    def move(e: Expr) -> Expr:
        if isinstance(e, Cell):
            return Cell(e.array, tuple(form.put(put) for form in e.index))
        return Whole(e.form.put(put)) if isinstance(e, Whole) else e

    value = rebuilt(entry.store.value, move)
    target = s.cell if isinstance(s, Store) else s.target
    if any(isinstance(p, Cell) and _is_overwritten(p, target) for p in parts(value)):
        return False
    change_expressions(s, lambda e: value if e == cell else e)
    return True


def _is_overwritten(read: Cell, target: Var | Cell) -> bool:
    """Whether another trip of the nest may write an entry before it is read."""
    return isinstance(target, Cell) and read.array == target.array and read != target
