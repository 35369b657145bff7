"""What nobody reads is not computed.

    v = x[i] * 2.0
    w[i] = v                  is dropped where neither `w` nor `v` is read later

A store never ends the life of an array, as it writes one entry; an assignment ends that of a number. Most
of what the reverse sweep saves is dropped here: it is saved, and restored into what is not read again.
"""

from __future__ import annotations

from dataclasses import dataclass

from tapeless.lower.loops import (
    Alloc,
    Assign,
    Cell,
    If,
    Jump,
    Loop,
    Product,
    Program,
    Reduce,
    Stmt,
    Store,
    Var,
    While,
    forms,
    values,
)
from tapeless.lower.touched import reads_of

Live = frozenset[str]


def drop_dead(program: Program) -> None:
    """Drop what has no effect on the result and on the arguments."""
    pass_ = _Backward()
    program.body, _ = pass_.block(program.body, frozenset(program.stored))


@dataclass
class _Backward:
    """Walks blocks from their end with the names that are read later; `jump` holds those of a jump."""

    jump: Live = frozenset()

    def block(self, body: list[Stmt], live: Live) -> tuple[list[Stmt], Live]:
        kept: list[Stmt] = []
        for s in reversed(body):
            if isinstance(s, (Loop, While)):
                live = self.loop(s, live)
                if s.body:
                    kept.append(s)
            elif isinstance(s, If):
                live = self.branch(s, live)
                if s.body or s.orelse:
                    kept.append(s)
            elif isinstance(s, Jump):
                kept.append(s)
                live = self.jump
            elif _written(s) is None or _written(s) in live:
                kept.append(s)
                if isinstance(s, (Assign, Alloc)):
                    live -= {str(_written(s))}
                live |= _read(s)
        return kept[::-1], live

    def loop(self, s: Loop | While, live: Live) -> Live:
        outer = self.jump
        around = live | _read(s)
        while True:
            self.jump = around
            found = _copy(self, s.body, around) | around
            if found == around:
                break
            around = found
        s.body, _ = self.block(s.body, around)
        self.jump = outer
        return (around if s.body else live) - ({s.var} if isinstance(s, Loop) else frozenset())

    def branch(self, s: If, live: Live) -> Live:
        s.body, first = self.block(s.body, live)
        s.orelse, second = self.block(s.orelse, live)
        return first | second | _read(s) if s.body or s.orelse else live


def _copy(walker: _Backward, body: list[Stmt], live: Live) -> Live:
    """Return what is live before a block, which stays as it is."""
    for s in reversed(body):
        if isinstance(s, (Loop, While)):
            outer, around = walker.jump, live | _read(s)
            while True:
                walker.jump = around
                found = _copy(walker, s.body, around) | around
                if found == around:
                    break
                around = found
            walker.jump = outer
            live = around
        elif isinstance(s, If):
            live = _copy(walker, s.body, live) | _copy(walker, s.orelse, live) | _read(s)
        elif isinstance(s, Jump):
            live = walker.jump
        elif _written(s) is None or _written(s) in live:
            if isinstance(s, (Assign, Alloc)):
                live -= {str(_written(s))}
            live |= _read(s)
    return live


def _written(s: Stmt) -> str | None:
    """Return the one name that a statement writes; None for what has another effect."""
    if isinstance(s, Assign):
        return s.name
    if isinstance(s, Store):
        return s.cell.array
    if isinstance(s, Reduce):
        return s.target.name if isinstance(s.target, Var) else s.target.array
    return s.array if isinstance(s, (Alloc, Product)) else None


def _read(s: Stmt) -> Live:
    """Return the names that a statement itself reads; of a loop those of its bounds or test."""
    found: set[str] = set()
    cells = [s.cell] if isinstance(s, Store) else []
    if isinstance(s, Reduce):
        if isinstance(s.target, Cell):
            cells.append(s.target)
        else:
            found.add(s.target.name)
    for e in [*values(s), *cells]:
        touched = reads_of(e)
        found |= touched.reads
        if e not in cells or isinstance(s, Reduce):
            found |= touched.read_cells.keys()
    for form in forms(s):
        found |= form.symbols
    return frozenset(found)
