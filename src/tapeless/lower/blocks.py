"""Sums in blocks: the error of a long sum stays small, and the order does not depend on the machine.

    for i in range(n):                     for start in range(0, n, 128):
        total += x[i]           ->             stop = min(start + 128, n)
                                               part = 0.0
                                               for i in range(start, stop):
                                                   part += x[i]
                                               total += part

The error of a sum of n numbers is at most ``(128 + n / 128) u`` times the sum of their magnitudes, where
u is half the distance from 1 to the next number (1.1e-16); added one by one it would be ``n u``. NumPy adds
in blocks of 128, too, and the blocks by pairs. So sums are not equal to NumPy's to the last bit.

Here, too, steps of extrema become tests. Both are last, when loops are joined.
"""

from __future__ import annotations

from tapeless.lower.affine import Affine, symbol
from tapeless.lower.loops import (
    Alloc,
    Assign,
    Call,
    Cell,
    Expr,
    If,
    Loop,
    Num,
    Op,
    Program,
    Reduce,
    Stmt,
    Store,
    Var,
    Whole,
    blocks,
    walk,
)
from tapeless.lower.precision import cast
from tapeless.lower.vector_math import calls_vectors
from tapeless.tree.names import Names

BLOCK = 128


def write_reductions(program: Program, names: Names) -> None:
    """Write sums in blocks, and the steps of other reductions as statements."""
    program.body = _written(_in_blocks(program.body, names), names)


def _in_blocks(body: list[Stmt], names: Names) -> list[Stmt]:
    made: list[Stmt] = []
    for s in body:
        for block in blocks(s):
            block[:] = _in_blocks(block, names)
        made += _blocked(s, names) if isinstance(s, Loop) and s.made else [s]
    return made


def _blocked(s: Loop, names: Names) -> list[Stmt]:
    own = _begun(s.body)
    sums = [
        r
        for r in s.body
        if isinstance(r, Reduce)
        and r.how == "+"
        and not _follows(r, s.var)
        and _label(r) not in own
    ]
    length = s.stop - s.start
    if not sums or length.is_const and length.const <= BLOCK or s.step != 1:
        return [s]
    first, stop = names.fresh("start"), names.fresh("stop")
    body: list[Stmt] = []
    last: list[Stmt] = []
    for r in sums:
        part = names.fresh(f"{_label(r)}_part")
        body.append(Assign(part, cast(Num(0.0), None, r.dtype)))
        last.append(Reduce(r.target, "+", Var(part), r.line, r.dtype))
        r.target = Var(part)
    end = Call("min", (Whole(symbol(first) + BLOCK), Whole(s.stop)))
    body.append(Assign(stop, end))
    inner = Loop(s.var, symbol(first), symbol(stop), s.body, line=s.line)
    made, buffers = _apart(inner, sums, first, names)
    return [*buffers, Loop(first, s.start, s.stop, [*body, *made, *last], BLOCK, line=s.line)]


def _apart(s: Loop, sums: list[Reduce], first: str, names: Names) -> tuple[list[Stmt], list[Stmt]]:
    """Add up in a loop of its own what a loop computes by functions that run on several numbers at once.

    A sum keeps its order, so a loop with a sum in it runs number by number.
    """
    simple = all(isinstance(r, (Assign, Store, Reduce)) for r in s.body)
    if not simple or not any(calls_vectors(r) for r in s.body):
        return [s], []
    stores = {id(r): r.cell for r in s.body if isinstance(r, Store)}
    buffers: list[Stmt] = []
    adding: list[Stmt] = []
    body: list[Stmt] = []
    for place, r in enumerate(s.body):
        if not isinstance(r, Reduce) or r not in sums:
            body.append(r)
            continue
        before, after = (
            {stores[id(q)] for q in part if id(q) in stores}
            for part in (s.body[:place], s.body[place:])
        )
        same = {
            cell
            for cell in before | after
            if isinstance(r.value, Cell) and cell.array == r.value.array
        }
        is_settled = r.value in before - after and same == {r.value}
        if not is_settled:
            cell = Cell(names.fresh(f"{_label(r)}s"), (symbol(s.var) - symbol(first),))
            buffers.append(Alloc(cell.array, (Affine(BLOCK),), r.dtype))
            body.append(Store(cell, r.value, line=r.line))
            r.value = cell
        adding.append(r)
    loop = Loop(s.var, s.start, s.stop, body, line=s.line)
    return [loop, Loop(s.var, s.start, s.stop, adding, line=s.line)], buffers


def _label(r: Reduce) -> str:
    return r.target.name if isinstance(r.target, Var) else r.target.array


def _begun(body: list[Stmt]) -> set[str]:
    """Return what begins anew in every trip."""
    found = {s.name for s in walk(body) if isinstance(s, Assign)}
    return found | {s.cell.array for s in walk(body) if isinstance(s, Store) and not s.sign}


def _follows(r: Reduce, var: str) -> bool:
    """Whether each trip of a loop adds to an entry of its own."""
    return not isinstance(r.target, Var) and any(var in form.symbols for form in r.target.index)


def _written(body: list[Stmt], names: Names) -> list[Stmt]:
    made: list[Stmt] = []
    for s in body:
        for block in blocks(s):
            block[:] = _written(block, names)
        made += _step(s, names) if isinstance(s, Reduce) else [s]
    return made


def _step(s: Reduce, names: Names) -> list[Stmt]:
    if s.how in ("+", "*"):
        return [_set(s, Op(s.how, (s.target, s.value)), s.how)]
    value: Expr = s.value
    before: list[Stmt] = []
    if isinstance(value, (Op, Call)):
        name = names.fresh("entry")
        before = [Assign(name, value, s.line)]
        value = Var(name)
    sign = ">" if s.how == "max" else "<"
    test = Op("or", (Op(sign, (value, s.target)), Op("!=", (value, value))))
    s.value = value
    return [*before, If(test, [_set(s, value, "")], [], s.line)]


def _set(s: Reduce, value: Expr, sign: str) -> Stmt:
    if isinstance(s.target, Var):
        return Assign(s.target.name, value, s.line)
    return Store(s.target, s.value, sign, s.line)
