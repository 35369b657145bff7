"""Arrays of which each trip uses its own entry become numbers; of which it uses its own row, rows.

    for i in range(n):                     for i in range(n):
        v[i] = x[i] * x[i]          ->         v = x[i] * x[i]
        y[i] = v[i] + 1.0                      y[i] = v + 1.0

An axis goes where all that touches the array stands in one loop, and indexes the axis by the variable
of that loop or of one around it. The entries of a block are all written before one is read, so nothing
of another trip is ever read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tapeless.lower.affine import Affine
from tapeless.lower.loops import (
    Alloc,
    Assign,
    Cell,
    Expr,
    Loop,
    Op,
    Product,
    Program,
    Reduce,
    Stmt,
    Store,
    Var,
    blocks,
    change_expressions,
    parts,
    values,
    walk,
)


@dataclass
class _Uses:
    """Where an array is touched: at which indices, and the loops around all of these places."""

    indices: set[tuple[Affine, ...]] = field(default_factory=set)
    around: tuple[Loop, ...] | None = None
    is_whole: bool = False

    def add(self, index: tuple[Affine, ...], around: tuple[Loop, ...]) -> None:
        self.indices.add(index)
        if self.around is None:
            self.around = around
            return
        common = 0
        for p, q in zip(self.around, around, strict=False):
            if p is not q:
                break
            common += 1
        self.around = self.around[:common]


def promote(program: Program) -> None:
    """Drop the axes of arrays that every trip uses by itself."""
    uses: dict[str, _Uses] = {}
    _collect(program.body, (), uses)
    gone: dict[str, frozenset[int]] = {}
    for s in walk(program.body):
        if isinstance(s, Alloc) and s.array in uses and not uses[s.array].is_whole:
            axes = _own_axes(uses[s.array])
            if axes:
                gone[s.array] = axes
    if gone:
        _rewrite(program, gone)


def _own_axes(uses: _Uses) -> frozenset[int]:
    """Return the axes that are indexed by the variable of a loop around all uses."""
    variables = {loop.var for loop in uses.around or () if loop.made}
    first = next(iter(uses.indices))
    return frozenset(
        axis
        for axis in range(len(first))
        if len({index[axis] for index in uses.indices}) == 1
        and first[axis].symbols
        and first[axis].symbols <= variables
    ) | frozenset(
        axis for axis in range(len(first)) if all(index[axis] == Affine() for index in uses.indices)
    )


def _collect(body: list[Stmt], around: tuple[Loop, ...], uses: dict[str, _Uses]) -> None:
    for s in body:
        cells = [e for value in values(s) for e in parts(value) if isinstance(e, Cell)]
        if isinstance(s, Store):
            cells.append(s.cell)
        if isinstance(s, Reduce) and isinstance(s.target, Cell):
            cells.append(s.target)
        for cell in cells:
            uses.setdefault(cell.array, _Uses()).add(cell.index, around)
        for value in values(s):
            for e in parts(value):
                if not isinstance(e, Cell) and hasattr(e, "array"):
                    uses.setdefault(e.array, _Uses()).is_whole = True
        if isinstance(s, Product):
            uses.setdefault(s.array, _Uses()).is_whole = True
        inside = (*around, s) if isinstance(s, Loop) else around
        for block in blocks(s):
            _collect(block, inside, uses)


def _rewrite(program: Program, gone: dict[str, frozenset[int]]) -> None:
    def change(e: Expr) -> Expr:
        if not isinstance(e, Cell) or e.array not in gone:
            return e
        kept = tuple(form for k, form in enumerate(e.index) if k not in gone[e.array])
        return Cell(e.array, kept) if kept else Var(e.array)

    for key, axes in gone.items():
        dims = program.arrays[key]
        program.arrays[key] = tuple(d for k, d in enumerate(dims) if k not in axes)
    program.body = _rewritten(program.body, program, change)


def _rewritten(body: list[Stmt], program: Program, change: object) -> list[Stmt]:
    made: list[Stmt] = []
    for s in body:
        if isinstance(s, Alloc):
            s.dims = program.arrays[s.array]
            if not s.dims:
                continue
        for block in blocks(s):
            block[:] = _rewritten(block, program, change)
        made.append(_changed(s, change))
    return made


def _changed(s: Stmt, change: object) -> Stmt:
    assert callable(change)
    if isinstance(s, Store):
        target = change(s.cell)
        if isinstance(target, Var):
            made = Assign(target.name, s.value, s.line)
            change_expressions(made, change)
            if s.sign:
                made.value = Op(s.sign, (target, made.value))
            return made
    change_expressions(s, change)
    return s
