"""Numbers that are used once stand where they are used; names of the author of the text stay.

    v = x[i] * x[i]
    y[i] = v + 1.0            ->        y[i] = x[i] * x[i] + 1.0

A value moves down to its use over statements that do not write what it reads. A copy of a number is the
number.
"""

from __future__ import annotations

from collections import Counter

from tapeless.lower.loops import (
    Assign,
    Cell,
    Expr,
    Loop,
    Num,
    Program,
    Reduce,
    Stmt,
    Store,
    Var,
    Whole,
    blocks,
    change_expressions,
    forms,
    parts,
    values,
    walk,
)
from tapeless.lower.touched import Touched, reads_of, touched


def fold(program: Program) -> None:
    """Put values where they are used."""
    _propagate_copies(program)
    uses, assigned, fixed = _count(program)
    once = {
        key
        for key, count in uses.items()
        if count == 1 and assigned[key] == 1 and key not in program.own and key not in fixed
    }
    program.body = _folded(program.body, once)


def _count(program: Program) -> tuple[Counter[str], Counter[str], set[str]]:
    """Count uses and assignments of variables; `fixed` are those that bounds and indices read."""
    uses: Counter[str] = Counter()
    assigned = Counter(program.parameters)
    fixed: set[str] = set()
    for s in walk(program.body):
        cells: list[Expr] = [s.cell] if isinstance(s, Store) else []
        if isinstance(s, Reduce):
            cells.append(s.target)
            if isinstance(s.target, Var):
                assigned[s.target.name] += 2
        if isinstance(s, Assign):
            assigned[s.name] += 1
        if isinstance(s, Loop):
            assigned[s.var] += 1
        for form in forms(s):
            fixed |= form.symbols
        for value in [*values(s), *cells]:
            for e in parts(value):
                if isinstance(e, Var):
                    uses[e.name] += 1
                elif isinstance(e, Whole):
                    fixed |= e.form.symbols
                elif isinstance(e, Cell):
                    fixed |= {key for form in e.index for key in form.symbols}
    return uses, assigned, fixed


def _propagate_copies(program: Program) -> None:
    _, assigned, fixed = _count(program)
    copies: dict[str, Expr] = {}
    for s in walk(program.body):
        if not isinstance(s, Assign) or assigned[s.name] != 1 or s.name in fixed:
            continue
        source = s.value
        if isinstance(source, Var):
            source = copies.get(source.name, source)
        is_stable = isinstance(source, Var) and assigned[source.name] <= 1
        if is_stable or isinstance(source, Num):
            copies[s.name] = source
    if copies:
        program.body = _replaced(program.body, copies)


def _replaced(body: list[Stmt], copies: dict[str, Expr]) -> list[Stmt]:
    kept: list[Stmt] = []
    for s in body:
        if isinstance(s, Assign) and s.name in copies:
            continue
        change_expressions(s, lambda e: copies.get(e.name, e) if isinstance(e, Var) else e)
        for block in blocks(s):
            block[:] = _replaced(block, copies)
        kept.append(s)
    return kept


def _folded(body: list[Stmt], once: set[str]) -> list[Stmt]:
    made: list[Stmt] = []
    waiting: dict[str, tuple[Assign, Touched]] = {}

    def release(keys: list[str]) -> None:
        made.extend(waiting.pop(key)[0] for key in keys)

    for s in body:
        inside = blocks(s)
        if inside:
            needed = touched(s).reads
            release([key for key in waiting if key in needed])

        def put(e: Expr) -> Expr:
            return waiting.pop(e.name)[0].value if isinstance(e, Var) and e.name in waiting else e

        change_expressions(s, put)
        does = touched(s)
        release([key for key, (_, reads) in waiting.items() if does.conflicts(reads)])
        for block in inside:
            block[:] = _folded(block, once)
        if isinstance(s, Assign) and s.name in once:
            waiting[s.name] = s, reads_of(s.value)
        else:
            made.append(s)
    release(list(waiting))
    return made
