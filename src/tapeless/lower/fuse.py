"""Loops over the same entries become one loop.

    for i in range(n):                     for i in range(n):
        v[i] = x[i] * x[i]          ->         v[i] = x[i] * x[i]
    for i in range(n):                         y[i] = v[i] + 1.0
        y[i] = v[i] + 1.0

Two loops may be joined where no trip of one touches what another trip of the other does: for every array
that one of them writes and the other touches there is an axis along which both index it by the loop variable,
with the same offset. What stands between them must allow the second to be moved up.

A loop that computes functions that run on several numbers at once stays apart from one with loops inside:
joined they would run number by number.
"""

from __future__ import annotations

from tapeless.lower.affine import Affine, symbol
from tapeless.lower.loops import Loop, Program, Stmt, blocks, renamed
from tapeless.lower.touched import Index, Touched, touched
from tapeless.lower.vector_math import calls_vectors

FARTHEST = 60  # statements that a loop is moved over


def fuse(program: Program) -> None:
    """Join loops, from the outermost inward."""
    program.body = _fused(program.body)


def _fused(body: list[Stmt]) -> list[Stmt]:
    made: list[Stmt] = []
    found: list[Touched] = []
    for s in body:
        touches = touched(s)
        if not isinstance(s, Loop) or not s.made or not _joined(s, touches, made, found):
            made.append(s)
            found.append(touches)
    for s in made:
        for block in blocks(s):
            block[:] = _fused(block)
    return made


def _joined(s: Loop, touches: Touched, made: list[Stmt], found: list[Touched]) -> bool:
    """Join a loop with one above, if there is one that allows it."""
    along: list[int] = []  # statements that have to be moved up with it
    for i in range(len(made) - 1, max(len(made) - FARTHEST, 0) - 1, -1):
        above = made[i]
        if isinstance(above, Loop) and _alike(above, s):
            apart = not any(found[i].conflicts(found[k]) for k in along)
            if apart and _may_join(above, found[i], s, touches):
                _move(along, i, made, found)
                _append(above, s)
                found[i + len(along)].add(touched(s))
                return True
        moving = [touches, *(found[k] for k in along)]
        if any(found[i].conflicts(each) for each in moving):
            if found[i].is_fixed:
                return False
            along.append(i)
    return False


def _alike(a: Loop, b: Loop) -> bool:
    same = (a.start, a.stop, a.step) == (b.start, b.stop, b.step)
    return a.made and same and not _only_one_runs_at_once(a, b)


def _only_one_runs_at_once(a: Loop, b: Loop) -> bool:
    """Whether one of two loops has loops inside, and the other calls functions of several numbers."""
    inner = [any(blocks(s) for s in loop.body) for loop in (a, b)]
    calls = [any(map(calls_vectors, loop.body)) for loop in (a, b)]
    return inner == [True, False] and calls[1] or inner == [False, True] and calls[0]


def _move(along: list[int], to: int, made: list[Stmt], found: list[Touched]) -> None:
    """Move statements up before another, in their order."""
    places = sorted(along)
    moved = [(made[k], found[k]) for k in places]
    for k in reversed(places):
        del made[k], found[k]
    made[to:to] = [s for s, _ in moved]
    found[to:to] = [t for _, t in moved]


def _append(above: Loop, s: Loop) -> None:
    put = {s.var: symbol(above.var)}
    for inner in s.body:
        renamed(inner, put)
    s.var = above.var
    above.body += s.body


def _may_join(a: Loop, in_a: Touched, b: Loop, in_b: Touched) -> bool:
    own_a, own_b = in_a.writes - {a.var}, in_b.writes - {b.var}
    if own_a & (in_b.reads | in_b.writes) or own_b & in_a.reads:
        return False
    shared = in_a.written_cells.keys() & (in_b.written_cells.keys() | in_b.read_cells.keys())
    shared |= in_b.written_cells.keys() & in_a.read_cells.keys()
    return all(_keeps_to_trips(key, a, in_a, b, in_b) for key in shared)


def _keeps_to_trips(key: str, a: Loop, in_a: Touched, b: Loop, in_b: Touched) -> bool:
    """Whether each trip of both loops touches entries of an array that no other trip touches."""
    all_a, all_b = _indices(key, in_a), _indices(key, in_b)
    if None in all_a or None in all_b:
        return False
    first = next(iter(all_a))
    assert first is not None
    return any(
        _offsets(all_a, a.var, axis) == _offsets(all_b, b.var, axis) != None  # noqa: E711
        for axis in range(len(first))
    )


def _indices(key: str, found: Touched) -> set[Index]:
    return found.read_cells.get(key, set()) | found.written_cells.get(key, set())


def _offsets(indices: set[Index], var: str, axis: int) -> Affine | None:
    """Return the offset to the loop variable along an axis, None where it is not one."""
    offsets = {index[axis] - symbol(var) for index in indices if index is not None}
    if len(offsets) != 1:
        return None
    (offset,) = offsets
    return offset if offset.is_const else None
