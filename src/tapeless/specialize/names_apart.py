"""A name that stands for several arrays, of which some are changed in place, becomes several names.

    u = u.copy()                       u_1 = u.copy()
    u[0] = 2.0 * u[1]          ->      u_1[0] = 2.0 * u_1[1]
    return np.sum(u)                   return np.sum(u_1)

The adjoint of what is changed in place is reached by its name, so this must stand for one thing. Bindings
that some statement may read one or the other of keep one name: they are a *web*. In a loop, what a trip makes
and changes is a thing of its own until the trip ends:

    for k in range(n):                 for k in range(n):
        u = u * k                          u_1 = u * k
        u[0] = 0.0             ->          u_1[0] = 0.0
                                           u = u_1

References
----------
.. [1] S. S. Muchnick, "Advanced Compiler Design and Implementation", 1997, section 16.3.3 (webs).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from tapeless.analysis.facts import Facts
from tapeless.kinds import Array
from tapeless.specialize.entry_forms import head_of
from tapeless.tree.build import assign, at_line_of, name, unshared
from tapeless.tree.classes import ASSIGNMENTS, COMPOUND, LOOPS
from tapeless.tree.endings import own_jumps
from tapeless.tree.flow import Forward
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, binds_in_block, captured_names, nodes, reads
from tapeless.tree.trees import Stmt, Tree

Binding = tuple[str, int]
"""A name and the number of the statement that binds it; -1 for the caller."""

Reaching = frozenset[Binding]

_BLOCKS = ("body", "orelse", "finalbody", "handlers")


def with_names_apart(function: CoreFunction, facts: Facts) -> CoreFunction | None:
    """Give the arrays that a name stands for in turn names of their own; None where there are none.

    Examples
    --------
    >>> from tapeless.analysis.abstract import Value
    >>> from tapeless.kinds import Size
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.specialize.program import AnalysedProgram
    >>> program = AnalysedProgram()
    >>> facts = program.analyse(program.core(_changed), (Value(Array((Size("n"),))),), {})
    >>> print(unparse(facts.function.tree), end="")
    def _changed(u: Any):
        u_1 = u.copy()
        v_1 = u_1[1]
        v_2 = 2.0 * v_1
        u_1[0] = v_2
        return u_1
    """
    keys = _told_apart(function, facts)
    if not keys:
        return None
    names = Names(function.names())
    return _webs_apart(function, keys, names) or _trips_apart(function, keys, names)


def _changed(u: Any) -> Any:
    u = u.copy()
    u[0] = 2.0 * u[1]
    return u


def _told_apart(function: CoreFunction, facts: Facts) -> set[str]:
    """Return the names, bound several times, that stand for arrays which are stored into."""
    parts = nodes(function.tree, nested=False)
    simple = [s for s in parts if type(s) is gast.Assign and type(s.targets[0]) is gast.Name]
    bound = Counter(s.targets[0].id for s in simple)
    bound.update(function.parameters)
    keys = {key for key, n in bound.items() if n > 1} - captured_names(function.tree)
    stored = {k for k, v in facts.met if isinstance(v.kind, Array) and facts.is_stored(v.kind)}
    keys &= stored
    if not keys:
        return keys
    plain = {id(s.targets[0]) for s in simple}
    plain |= {id(s.target) for s in parts if type(s) is gast.AugAssign}
    otherwise = {
        part.id
        for part in parts
        if type(part) is gast.Name and type(part.ctx) not in (gast.Load, gast.Param)
        if id(part) not in plain
    }
    return keys - otherwise


class _Reaching(Forward[Reaching]):
    """Finds which bindings of some names reach a place."""

    def __init__(self, keys: set[str]) -> None:
        super().__init__()
        self.keys = keys
        self.tested: dict[Stmt, Reaching] = {}

    def join(self, a: Reaching, b: Reaching) -> Reaching:
        return a | b

    def test(self, s: Stmt, state: Reaching) -> Reaching:
        self.tested[s] = self.tested.get(s, frozenset()) | state
        return state

    def simple(self, s: Stmt, state: Reaching) -> Reaching:
        bound = binds(s) & self.keys if type(s) is gast.Assign else set()
        if not bound:
            return state
        kept = {binding for binding in state if binding[0] not in bound}
        return frozenset(kept | {(key, id(s)) for key in bound})


@dataclass
class _Renaming:
    """Writes statements with other names.

    Attributes
    ----------
    read, bound
        By statement, the names to write for those that it reads and binds.
    dropped
        The statements that are left out.
    ends
        By loop, what is put at the end of its body.
    """

    read: dict[int, dict[str, str]] = field(default_factory=dict)
    bound: dict[int, dict[str, str]] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    ends: dict[int, Any] = field(default_factory=dict)

    def block(self, block: list[Any]) -> list[Any]:
        return [self.statement(s) for s in block if id(s) not in self.dropped]

    def statement(self, s: Tree) -> Any:
        if type(s) is gast.FunctionDef:
            return s  # what it captures is not told apart, and its own names are others
        read, bound = self.read.get(id(s), {}), self.bound.get(id(s), {})
        if type(s) not in COMPOUND and type(s) is not gast.ExceptHandler:
            return _renamed(unshared(s), read, bound) if read or bound else s
        fields = {}
        for key in s._fields:
            part = getattr(s, key)
            if key in _BLOCKS:
                end = [self.ends[id(s)]] if key == "body" and id(s) in self.ends else []
                fields[key] = [*self.block(part), *end]
            else:
                fields[key] = _renamed(unshared(part), read, bound)
        return gast.copy_location(type(s)(**fields), s)


def _renamed(tree: Tree, read: dict[str, str], bound: dict[str, str]) -> Any:
    """Rename in place."""
    for root in tree if isinstance(tree, list) else [tree]:
        for part in nodes(root) if isinstance(root, gast.AST) else ():
            if type(part) is gast.Name:
                names = read if type(part.ctx) is gast.Load else bound
                part.id = names.get(part.id, part.id)
    return tree


def _webs_apart(function: CoreFunction, keys: set[str], names: Names) -> CoreFunction | None:
    """Give each web of bindings a name of its own."""
    walk = _Reaching(keys)
    entering = frozenset((key, -1) for key in keys & set(function.parameters))
    walk.block(function.tree.body, entering)
    webs = _Webs()
    reached: dict[int, Reaching] = {}
    for s, state in walk.before.items():
        reached[id(s)] = walk.tested.get(s, state)
    for s in walk.before:
        for key in _read_at(s) & keys:
            webs.join([b for b in reached[id(s)] if b[0] == key])
    bindings = [*sorted(entering), *((k, id(s)) for s in walk.before for k in _bound_by(s) & keys)]
    chosen = _names_of_webs(webs, bindings, names)
    if not chosen:
        return None
    renaming = _Renaming()
    for s in walk.before:
        for key in _bound_by(s) & keys:
            to = chosen.get(webs.of((key, id(s))))
            if to is not None:
                renaming.bound.setdefault(id(s), {})[key] = to
        for binding in reached[id(s)]:
            to = chosen.get(webs.of(binding))
            if to is not None and binding[0] in _read_at(s):
                renaming.read.setdefault(id(s), {})[binding[0]] = to
                if type(s) is gast.AugAssign:
                    renaming.bound.setdefault(id(s), {})[binding[0]] = to
    _name_at_once(function, renaming, list(walk.before))
    return _with_new_names(function, renaming.block(function.tree.body), set(chosen.values()))


def _read_at(s: Stmt) -> set[str]:
    """Return the names that a statement reads by itself; what is updated is read."""
    if type(s) is gast.FunctionDef:
        return set()
    if type(s) not in COMPOUND:
        updated = binds(s) if type(s) is gast.AugAssign else set()
        return set(reads(s)) | updated
    return {
        part.id for part in head_of(s) if type(part) is gast.Name and type(part.ctx) is gast.Load
    }


def _bound_by(s: Stmt) -> set[str]:
    return binds(s) if type(s) is gast.Assign else set()


class _Webs:
    """Sets of bindings of which some statement may read one or the other."""

    def __init__(self) -> None:
        self.parent: dict[Binding, Binding] = {}

    def of(self, binding: Binding) -> Binding:
        """Return the binding that stands for the web."""
        while binding in self.parent:
            binding = self.parent[binding]
        return binding

    def join(self, bindings: list[Binding]) -> None:
        """Make one web of those of some bindings."""
        for other in bindings[1:]:
            a, b = self.of(bindings[0]), self.of(other)
            if a != b:
                self.parent[max(a, b)] = min(a, b)


def _names_of_webs(webs: _Webs, bindings: list[Binding], names: Names) -> dict[Binding, str]:
    """Choose a name for each web but the first of a name."""
    chosen: dict[Binding, str] = {}
    seen: dict[str, Binding] = {}
    for binding in bindings:
        web = webs.of(binding)
        if seen.setdefault(binding[0], web) != web and web not in chosen:
            chosen[web] = names.fresh(binding[0])
    return chosen


def _name_at_once(function: CoreFunction, renaming: _Renaming, statements: list[Any]) -> None:
    """Write `u_1 = a * b` for `v = a * b; u_1 = v`, where the tool named `v` and nothing else reads it.

    A name that is bound in several places is left: what it stood for before may be read in between.
    """
    read = Counter(key for s in statements for key in _each_read(s))
    makers: dict[str, list[Any]] = {}
    for s in statements:
        for key in binds(s) if type(s) in ASSIGNMENTS else ():
            makers.setdefault(key, []).append(s)
    new = [s for s in statements if type(s) is gast.Assign and id(s) in renaming.bound]
    bound = Counter(to for s in new for to in renaming.bound[id(s)].values())
    for s in new:
        other = s.value.id if type(s.value) is gast.Name else ""
        [to] = renaming.bound[id(s)].values()
        made = makers.get(other, [])
        if bound[to] > 1 or read[other] != 1 or len(made) != 1 or function.wrote(other):
            continue
        if type(made[0]) is gast.Assign:
            renaming.bound.setdefault(id(made[0]), {})[other] = to
            renaming.dropped.add(id(s))


def _each_read(s: Stmt) -> list[str]:
    return reads(s) if type(s) not in COMPOUND else list(_read_at(s))


def _with_new_names(function: CoreFunction, body: list[Any], made: set[str]) -> CoreFunction:
    return replace(function.with_body(body), items=function.items | made)


def _trips_apart(function: CoreFunction, keys: set[str], names: Names) -> CoreFunction | None:
    """Give what each trip of a loop makes, and changes, a name that it has until the trip ends."""
    parts = nodes(function.tree, nested=False)
    if any(type(part) is gast.Try for part in parts):
        return None  # an exception may end the trip anywhere
    for loop in parts:
        if type(loop) not in LOOPS or _own_jumps_within(loop):
            continue
        for i, s in enumerate(loop.body):
            key = s.targets[0].id if type(s) is gast.Assign and binds(s) & keys else None
            if key is None or not _is_changed(loop.body[i + 1 :], key):
                continue
            if sum(key in binds_in_block([part]) for part in loop.body) == 1:
                return _trip_apart(function, loop, i, key, names)
    return None


def _own_jumps_within(loop: Stmt) -> bool:
    return any(type(j) is not gast.Return for s in loop.body for j in own_jumps(s))


def _is_changed(block: list[Any], key: str) -> bool:
    """Whether a block stores into the items of a name."""
    for part in (p for s in block for p in nodes(s, nested=False)):
        of_one: list[Any] = [getattr(part, "target", None)]
        places = part.targets if type(part) is gast.Assign else of_one
        if any(type(p) is gast.Subscript and key in reads(p.value) for p in places):
            return True
    return False


def _trip_apart(function: CoreFunction, loop: Stmt, i: int, key: str, names: Names) -> CoreFunction:
    to = names.fresh(key)
    renaming = _Renaming(bound={id(loop.body[i]): {key: to}})
    for part in (p for s in loop.body[i + 1 :] for p in nodes(s)):
        renaming.read[id(part)] = {key: to}
        if type(part) is gast.AugAssign:
            renaming.bound[id(part)] = {key: to}
    statements = [part for part in nodes(function.tree) if isinstance(part, gast.stmt)]
    _name_at_once(function, renaming, statements)
    renaming.ends[id(loop)] = at_line_of(assign(key, name(to)), loop.body[-1])
    return _with_new_names(function, renaming.block(function.tree.body), {to})
