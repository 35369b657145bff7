"""What statements read and write: scalars by name, arrays by the entries."""

from __future__ import annotations

from dataclasses import dataclass, field

from tapeless.lower.affine import Affine
from tapeless.lower.loops import (
    Alloc,
    Assign,
    Cell,
    Check,
    Expr,
    Jump,
    Loop,
    Product,
    Reduce,
    Return,
    Stmt,
    Store,
    Var,
    Whole,
    Window,
    blocks,
    forms,
    parts,
    values,
)

Index = tuple[Affine, ...] | None  # None for a whole array


@dataclass
class Touched:
    """What a statement touches, with all inside.

    Attributes
    ----------
    reads, writes
        Scalars.
    read_cells, written_cells
        For each array the indices at which it is read or written, each once.
    is_fixed
        Whether it must stay where it is: a jump, a return, a check before an index is used. Another check
        may come later than what it is about: where it fails nothing of what was computed is used.
    """

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    read_cells: dict[str, set[Index]] = field(default_factory=dict)
    written_cells: dict[str, set[Index]] = field(default_factory=dict)
    is_fixed: bool = False

    def conflicts(self, other: Touched) -> bool:
        """Whether the order of two statements counts."""
        if self.is_fixed and (other.is_fixed or other.written_cells or other.writes):
            return True
        if other.is_fixed and (self.written_cells or self.writes):
            return True
        if self.writes & (other.reads | other.writes) or other.writes & self.reads:
            return True
        mine, theirs = self.written_cells.keys(), other.written_cells.keys()
        return bool(mine & (other.read_cells.keys() | theirs) or theirs & self.read_cells.keys())

    def add(self, other: Touched) -> None:
        """Add what another statement touches."""
        self.reads |= other.reads
        self.writes |= other.writes
        self.is_fixed |= other.is_fixed
        for mine, theirs in (
            (self.read_cells, other.read_cells),
            (self.written_cells, other.written_cells),
        ):
            for key, indices in theirs.items():
                mine.setdefault(key, set()).update(indices)


def touched(s: Stmt) -> Touched:
    """Find what a statement touches."""
    found = Touched()
    _add(s, found)
    return found


def _add(s: Stmt, found: Touched) -> None:
    for e in values(s):
        _add_reads(e, found)
    for form in forms(s):
        found.reads |= form.symbols
    if isinstance(s, Assign):
        found.writes.add(s.name)
    elif isinstance(s, Store):
        _add_cell(s.cell, found, bool(s.sign))
    elif isinstance(s, Reduce):
        _add_target(s.target, found)
    elif isinstance(s, (Product, Alloc)):
        found.written_cells.setdefault(s.array, set()).add(None)
    elif isinstance(s, (Return, Jump)) or isinstance(s, Check) and s.error == "IndexError":
        found.is_fixed = True
    elif isinstance(s, Loop):
        found.writes.add(s.var)
    for block in blocks(s):
        for inner in block:
            _add(inner, found)


def _add_reads(e: Expr, found: Touched) -> None:
    for part in parts(e):
        if isinstance(part, Cell):
            found.read_cells.setdefault(part.array, set()).add(part.index)
            for form in part.index:
                found.reads |= form.symbols
        elif isinstance(part, Var):
            found.reads.add(part.name)
        elif isinstance(part, Whole):
            found.reads |= part.form.symbols
        elif isinstance(part, Window):
            found.read_cells.setdefault(part.array, set()).add(None)
            for form in part.at:
                found.reads |= form.symbols


def _add_target(target: Var | Cell, found: Touched) -> None:
    if isinstance(target, Var):
        found.reads.add(target.name)
        found.writes.add(target.name)
    else:
        _add_cell(target, found, True)


def _add_cell(cell: Cell, found: Touched, is_read: bool) -> None:
    found.written_cells.setdefault(cell.array, set()).add(cell.index)
    if is_read:
        found.read_cells.setdefault(cell.array, set()).add(cell.index)
    for form in cell.index:
        found.reads |= form.symbols


def reads_of(e: Expr) -> Touched:
    """Find what an expression reads."""
    found = Touched()
    _add_reads(e, found)
    return found
