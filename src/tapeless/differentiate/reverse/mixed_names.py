"""Names that stand for an array that is stored into, or for a number that varies.

The adjoint of the array is in the adjoint memory, found by the array itself; a number has a value adjoint,
and what would be added for it in the memory would be lost. Where one use may be of either, the text does
not say to which of the two the cotangent goes: that is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Callee
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import Array, Function, Kind, Number, Real, Tuple, regions_of
from tapeless.origins import is_generated
from tapeless.tree.blocks import bound, head_reads
from tapeless.tree.flow import Backward
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt

Path = tuple[int, ...]

_FIX = "give the number a name of its own"


def check_names(sweep: Sweep) -> None:
    """Refuse a number that reaches a use where its name may stand for an array in the memory.

    Raises
    ------
    GradientError
        If there is one, at the statement that binds it, or that comes first where it is a parameter.
    """
    mixed = _mixed_parts(sweep)
    if not mixed:
        return
    wanted = _WantedInMemory(sweep, mixed)
    for s in nodes(sweep.function.tree, nested=False):
        place = s.targets[0] if type(s) is gast.Assign else None
        if isinstance(place, gast.Name) and s in sweep.known.results:
            result = sweep.known.results[s]
            if place.id in wanted.after.get(s, ()) and (
                wanted.may_be_number(place.id, result) or _may_be_scalar(sweep, result)
            ):
                refuse_mixed(sweep, s, place.id)
        for key in sorted(wanted.before.get(s, ())):
            if wanted.may_be_number(key, sweep.known.before.get(s, {}).get(key, Value(Kind()))):
                refuse_mixed(sweep, s, key)


def check_attribute(sweep: Sweep, s: Stmt, place: Expr, owner: Kind) -> None:
    """Refuse a number put where an attribute may also hold an array in the memory."""
    held = [sweep.known.heap.get(r, {}).get(place.attr) for r in regions_of(owner)]
    mixed = any(v is not None and is_mixed(sweep, v.kind) for v in held)
    if mixed and type(s.value) is gast.Name:
        if is_plain_number(sweep, sweep.value(s, s.value.id)):
            refuse_mixed(sweep, s, f".{place.attr}")


def check_result(sweep: Sweep, s: Stmt, callee: Callee) -> None:
    """Refuse a call whose result is a number on one way and may be an array in the memory."""
    if not is_mixed(sweep, sweep.result(s).kind):
        return
    for part in nodes(callee.function.tree, nested=False):
        if type(part) is gast.Return and type(part.value) is gast.Name:
            found = callee.facts.before.get(part, {}).get(part.value.id, Value(Kind()))
            if is_plain_number(sweep, found):
                refuse_mixed(sweep, s, f"{callee.function.name}(...)")


def _mixed_parts(sweep: Sweep) -> dict[str, set[Path]]:
    """List the names that may be mixed somewhere, with the places of tuples that are."""
    found: dict[str, set[Path]] = {}
    held = {(key, v.kind) for key, v in sweep.known.met}
    for key, kind in held:
        for path, part in _parts(kind, ()):
            if is_mixed(sweep, part):
                found.setdefault(key, set()).add(path)
    return found


def _parts(kind: Kind, path: Path) -> Iterator[tuple[Path, Kind]]:
    """Return a kind and, for a tuple, those of its items, with the indices that lead there."""
    yield path, kind
    if isinstance(kind, Tuple):
        for i, item in enumerate(kind.items):
            yield from _parts(item, (*path, i))


def is_mixed(sweep: Sweep, kind: Kind) -> bool:
    """Whether a kind is that of a number, or of an array whose adjoint is in the memory."""
    mixed = isinstance(kind, Number) and not isinstance(kind.operand, Array)
    return mixed and sweep.has_shadow_in_memory(kind)


def is_plain_number(sweep: Sweep, value: Value) -> bool:
    """Whether a value surely is a number, and carries a derivative."""
    return isinstance(value.kind, Real) and sweep.varies(value)


def _may_be_scalar(sweep: Sweep, value: Value) -> bool:
    """Whether a value was joined from a scalar and an array, and carries a derivative.

    In a text that was generated the scalar is the 0.0 that stands for an adjoint which nothing has reached.
    """
    kind = value.kind
    if is_generated(sweep.function.filename):
        return False
    return isinstance(kind, Number) and kind.is_scalar_on_a_way and sweep.varies(value)


def refuse_mixed(sweep: Sweep, s: Stmt, label: str) -> None:
    """Refuse a name or attribute that is an array or a number."""
    shown = f"`{label}`" if not label.isidentifier() or sweep.wrote(label) else "what is made here"
    reason = f"whether {shown} is an array that is stored into or a number is not known here"
    sweep.refuse(s, reason, _FIX)


class _WantedInMemory(Backward[frozenset[str]]):
    """The names whose adjoints may be asked from the memory later, at a use that tells no more.

    A test asks for none, as it has no derivative, and neither does a function before it is called.
    """

    def __init__(self, sweep: Sweep, mixed: dict[str, set[Path]]) -> None:
        super().__init__(frozenset())
        self.sweep = sweep
        self.mixed = mixed
        self.block(sweep.function.tree.body, frozenset())

    def join(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return a | b

    def simple(self, s: Stmt, state: frozenset[str]) -> frozenset[str]:
        state -= bound(s)
        result = self.sweep.known.results.get(s)
        idle = type(s) is gast.Assign and result is not None and not self.sweep.varies(result)
        return state if idle or type(s) is gast.FunctionDef else state | self.asked_by(s)

    def opening(self, s: Stmt, state: frozenset[str]) -> frozenset[str]:
        return state | self.asked_by(s)

    def item(self, s: Stmt, state: frozenset[str]) -> frozenset[str]:
        return (state - bound(s)) | self.asked_by(s)

    def asked_by(self, s: Stmt) -> frozenset[str]:
        """Return the names to whose adjoints in the memory a statement adds."""
        read = set(head_reads(s))
        for key in sorted(read):
            kind = self.sweep.value(s, key).kind
            read |= set(kind.captured) if isinstance(kind, Function) else set()
        return frozenset(k for k in read if self._is_wanted(self.sweep.value(s, k)))

    def _is_wanted(self, value: Value) -> bool:
        parts = _parts(value.kind, ())
        return value.varied and any(is_mixed(self.sweep, part) for _, part in parts)

    def may_be_number(self, key: str, value: Value) -> bool:
        """Whether a value of a name, or an item of it, is a number where a use is mixed."""
        found = [
            Value(k, value.varied)
            for path, k in _parts(value.kind, ())
            if path in self.mixed.get(key, ())
        ]
        return any(is_plain_number(self.sweep, part) for part in found)
