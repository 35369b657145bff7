"""Blocks are made once, before the first statement that touches them; loops and sizes get short names."""

from __future__ import annotations

from collections import Counter

from tapeless.lower.affine import Affine, symbol
from tapeless.lower.loops import (
    Alloc,
    Cell,
    Loop,
    Num,
    Program,
    Stmt,
    Store,
    Whole,
    blocks,
    forms,
    parts,
    renamed,
    values,
    walk,
)
from tapeless.lower.touched import touched
from tapeless.tree.names import Names

LETTERS = "ijklpqrst"
SIZES = ("n", "m")
ZEROS = (Num(0.0), Num(0.0, single=True))


def hoist(program: Program, entry: frozenset[str]) -> None:
    """Move all blocks whose sizes are known at entry to the beginning."""
    moved: list[Stmt] = []
    kept = _without(program.body, entry, moved)
    program.body = [*moved, *kept]


def _without(body: list[Stmt], entry: frozenset[str], moved: list[Stmt]) -> list[Stmt]:
    kept: list[Stmt] = []
    for s in body:
        for block in blocks(s):
            block[:] = _without(block, entry, moved)
        if isinstance(s, Alloc) and all(dim.symbols <= entry for dim in s.dims):
            moved.append(s)
        else:
            kept.append(s)
    return kept


def sink(program: Program) -> None:
    """Move blocks down to their first use; one that begins as zeros is made of zeros."""
    first = [s for s in program.body if isinstance(s, Alloc)]
    waiting = {s.array: s for s in first}
    made: list[Stmt] = []
    for s in program.body:
        if isinstance(s, Alloc):
            continue
        does = touched(s)
        for key in [k for k in waiting if k in does.written_cells or k in does.read_cells]:
            made.append(waiting.pop(key))
        zeroed = _zeroed(s)
        alloc = made[-1] if made else None
        if zeroed is not None and isinstance(alloc, Alloc) and alloc.array == zeroed.array:
            if tuple(zeroed.index) and _covers(s, zeroed, alloc.dims):
                alloc.zeros, alloc.line = True, s.line
                continue
        made.append(s)
    program.body = made


def _zeroed(s: Stmt) -> Cell | None:
    """Return the entry that a nest sets to zero, if it does nothing else."""
    while isinstance(s, Loop) and s.made and len(s.body) == 1:
        s = s.body[0]
    is_zero = isinstance(s, Store) and s.value in ZEROS and not s.sign
    return s.cell if is_zero and isinstance(s, Store) else None


def _covers(s: Stmt, cell: Cell, dims: tuple[Affine, ...]) -> bool:
    """Whether a nest visits every entry of an array once."""
    limits: dict[str, Affine] = {}
    while isinstance(s, Loop):
        if s.start != Affine() or s.step != 1:
            return False
        limits[s.var] = s.stop
        s = s.body[0]
    for form, dim in zip(cell.index, dims, strict=True):
        if dim == Affine(1) and form == Affine():
            continue
        keys = [key for key, stop in limits.items() if form == symbol(key) and stop == dim]
        if not keys:
            return False
        del limits[keys[0]]
    return not limits


def name_loops(program: Program, names: Names) -> None:
    """Give the loops over entries the letters i, j, k, as far as they are free."""
    made = {s.var for s in walk(program.body) if isinstance(s, Loop) and s.made}
    taken = {key for s in walk(program.body) for key in _names_of(s)} - made
    taken |= set(program.parameters) | program.arrays.keys()
    free = [letter for letter in LETTERS if letter not in taken]
    _name(program.body, free)


def _names_of(s: Stmt) -> set[str]:
    found = touched(s)
    return found.reads | found.writes


def _name(body: list[Stmt], free: list[str]) -> None:
    for s in body:
        left = free
        if isinstance(s, Loop) and s.made and s.step == 1:
            old, s.var = s.var, free[0]
            for inner in s.body:
                renamed(inner, {old: symbol(free[0])})
            left = free[1:]
        for block in blocks(s):
            _name(block, left)


def name_sizes(program: Program, names: Names) -> list[tuple[str, str]]:
    """Give the sizes names, and return what each of them names, in their order."""
    counts: Counter[str] = Counter()
    for s in walk(program.body):
        found = list(forms(s))
        cells = [s.cell] if isinstance(s, Store) else []
        for e in (p for v in [*values(s), *cells] for p in parts(v)):
            if isinstance(e, Whole):
                found.append(e.form)
            elif isinstance(e, Cell):
                found += e.index
        counts.update(key for form in found for key in form.symbols if ".shape[" in key)
    wanted = [key for key in sorted(counts) if counts[key]]
    made: list[tuple[str, str]] = []
    for key in wanted:
        hint = next((h for h in SIZES if h not in names.taken), f"n_{key.partition('.')[0]}")
        made.append((names.fresh(hint), key))
    put = {key: symbol(name) for name, key in made}
    for s in program.body:
        renamed(s, put)
    return made
