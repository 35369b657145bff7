"""What closures took along when they left a call must be what their names hold when they are called.

    def scaled(f): return lambda v: 2.0 * f(v)

    b = x[0]
    g = scaled(lambda v: b * v)     # takes `b` along
    b = x[1]
    y = g(x[2])                     # refused: Python reads the new `b`

A function that is returned takes the values of what it captures along, also those of names of callers that
are still at work. From where it comes back, the names that may hold it are followed along all ways: once
such a name of theirs is bound anew, nobody may read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import gast

from tapeless.kinds import Array, Integer, Kind, Number, Real, functions_in
from tapeless.origins import is_generated
from tapeless.specialize.state import Specializer
from tapeless.tree.flow import Forward
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds, bound_for_good, free_names, nodes, reads
from tapeless.tree.trees import Expr, Stmt

Changing = Mapping[Any, frozenset[str]]
"""Of the local functions, by definition, the names that they capture and that may be bound anew."""


def check_taken_along(specializer: Specializer) -> None:
    """Refuse closures that are read after a name was bound anew whose value they took along."""
    function, cores = specializer.function, specializer.interpreter.program.cores
    if is_generated(function.filename):
        return  # it says itself which values are taken along
    _check_bound(specializer)
    often = function.local - bound_for_good(function.tree) - set(function.captured)
    inside = [s for s in nodes(function.tree)[1:] if type(s) is gast.FunctionDef and s in cores]
    changing = {s: frozenset(often.intersection(cores[s].captured)) for s in inside}
    changing = {s: names for s, names in changing.items() if names}
    if any(_taken(v.kind, changing) for v in specializer.facts.results.values()):
        for names in set(changing.values()):
            for key in sorted(names):
                _Following(specializer, key, changing).block(function.tree.body, _Holders())


def _check_bound(specializer: Specializer) -> None:
    """Refuse to hand a local function to a call before what it captures is bound."""
    for s in specializer.facts.callees:
        env = specializer.facts.before.get(s, {})
        call: Any = getattr(s, "value", None)
        given = [*call.args, *(k.value for k in call.keywords)] if type(call) is gast.Call else []
        for key in [key for part in given for key in reads(part) if key in env]:
            captured = [c for f in functions_in(env[key].kind) for c in f.captured]
            unbound = next((c for c in captured if c not in env), None)
            if unbound is not None:
                specializer.refuse(
                    s,
                    f"this is handed a function that captures `{unbound}`, which is bound later",
                    f"bind `{unbound}` before",
                )


def _taken(kind: Kind, changing: Changing) -> frozenset[str]:
    """Return the names whose values the functions within a value took along."""
    made = [f.value.definition for f in functions_in(kind) if isinstance(f.value, CoreFunction)]
    return frozenset().union(*(changing[s] for s in made if s in changing))


@dataclass(frozen=True)
class _Holders:
    """The names that may hold what took the value of a name along.

    Attributes
    ----------
    fresh, stale
        Those whose value is still that of the name, and those whose value is not.
    kept
        Whether a container may hold it too.
    """

    fresh: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    kept: bool = False

    def without(self, names: set[str]) -> _Holders:
        return replace(self, fresh=self.fresh - names, stale=self.stale - names)


class _Following(Forward[_Holders]):
    """Follows the names that hold functions that took the value of one name along."""

    def __init__(self, specializer: Specializer, key: str, changing: Changing) -> None:
        super().__init__()
        self.specializer, self.key, self.changing = specializer, key, changing
        self.facts = specializer.facts
        self.makers = {s.name for s, names in changing.items() if key in names}
        slots = [v.kind for held in self.facts.heap.values() for v in held.values()]
        self.in_containers = any(map(self._takes, slots))

    def join(self, a: _Holders, b: _Holders) -> _Holders:
        return _Holders(a.fresh | b.fresh, a.stale | b.stale, a.kept or b.kept)

    def test(self, s: Stmt, state: _Holders) -> _Holders:
        self._check(s, s.test, state)
        return state

    def opening(self, s: Stmt, state: _Holders) -> _Holders:
        parts = [s.iter] if type(s) is gast.For else [item.context_expr for item in s.items]
        for part in parts:
            self._check(s, part, state)
        return state

    def item(self, s: Stmt, state: _Holders) -> _Holders:
        held = self._check(s, s.iter, state)
        return self._bound(s, state.without(binds(s.target)), binds(s.target), held)

    def simple(self, s: Stmt, state: _Holders) -> _Holders:
        bound, held = binds(s), self._check(s, s, state)
        if self.in_containers and (held or self.makers & self._read(s, s)):
            state = replace(state, kept=True)
        if type(s) is gast.AugAssign:
            changed = isinstance(self.facts.kind(s, s.target.id), Array) if bound else True
            return state if changed else self._bound(s, state, bound, False)
        if type(s) is gast.Assign and s in self.facts.results:
            kind = self.facts.results[s].kind
            returned = s in self.facts.callees and self._takes(kind)
            held = returned or (held and not isinstance(kind, NUMERIC))
        return self._bound(s, state.without(bound), bound, held)

    def _bound(self, s: Stmt, state: _Holders, names: set[str], held: bool) -> _Holders:
        """Return what holds after names were bound, to what took the value along or to something else."""
        if self.key in names:
            if state.kept:
                self._refuse(s)
            state = _Holders(frozenset(), state.fresh | state.stale)
        return replace(state, fresh=state.fresh | names) if held else state

    def _takes(self, kind: Kind) -> bool:
        return self.key in _taken(kind, self.changing)

    def _read(self, s: Stmt, tree: Expr) -> set[str]:
        """Collect the names that are read, also by the local functions that are."""
        env = self.facts.before.get(s, {})
        found = set(free_names(tree) if type(tree) is gast.FunctionDef else reads(tree))
        todo = list(found)
        for key in todo:
            functions = functions_in(env[key].kind) if key in env else []
            more = {c for f in functions for c in f.captured} - found
            found |= more
            todo += more
        return found

    def _check(self, s: Stmt, tree: Any, state: _Holders) -> bool:
        """Refuse what reads a function whose value is old; return whether it reads one whose value is not."""
        found = self._read(s, tree)
        if found & state.stale:
            self._refuse(s)
        return bool(found & state.fresh)

    def _refuse(self, s: Stmt) -> NoReturn:
        self.specializer.refuse(
            s,
            f"a function that was returned took `{self.key}` along, which is bound anew before it is called",
            f"give what `{self.key}` is bound to later another name, or capture what it holds now by "
            f"a default: `{self.key}={self.key}`",
        )


NUMERIC = (Array, Integer, Number, Real)
