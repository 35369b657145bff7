"""What a scalar result says of the ranks of the parameters.

A gradient is taken of a scalar. Broadcasting never lowers a rank, so where an elementwise operation gives a
scalar its operands are scalars; and what is a scalar where it is indexed by one integer has rank 1.

    def energy(x, k):                 of `x` and `k` nothing is promised; as `e` is a scalar,
        e = 0.0                       `k * v * v` is one, so `k` and `v` are, so `x[i]` is,
        for i in range(len(x) - 1):   so `x` has rank 1
            v = x[i + 1] - x[i]
            e += k * v * v
        return e

The walk goes from the end to the start, and keeps for each name the rank that its value must have. Of two
ways that lead on from a place one may say nothing: a loop may make no trip. If it does not read the value,
its rank is of no importance there, and what the other way says is kept, but is not *sure*: it is forgotten
again where something before it may ask for the rank, as `np.sum(x)` or `if np.ndim(x) == 0` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import literal_kind
from tapeless.analysis.calls import RuleCall
from tapeless.analysis.facts import Facts
from tapeless.analysis.needed_ranks import (
    COMPARED,
    UNREAD,
    Items,
    Needed,
    Parts,
    Rank,
    Sizes,
    on_both,
    on_either,
    unsure,
)
from tapeless.externals import is_one_of
from tapeless.kinds import UNKNOWN, Integer, Kind, List, is_number, regions_of
from tapeless.ranks import rank
from tapeless.rules.declare import find_rule
from tapeless.rules.results.entrywise import BROADCASTING
from tapeless.rules.traits import traits_of
from tapeless.runtime import as_in_place
from tapeless.tree.flow import Backward
from tapeless.tree.names import captured_names, children, nodes
from tapeless.tree.signs import is_negated
from tapeless.tree.trees import Expr, Stmt, Tree

_CONVERTING = (float, int, bool)  # give a number of an array of one entry, too
_BROADCASTING = (abs, np.where)
_COMPARING = frozenset({gast.Compare, gast.BinOp, gast.UnaryOp, gast.BoolOp, gast.Constant})


State = dict[str, Needed]
"""What must hold of the values that may still be read, by name."""


def ranks_needed(facts: Facts, result: Needed) -> Mapping[str, Needed]:
    """Return what must hold of the parameters of a function that returns what is needed.

    Parameters
    ----------
    facts
        What is known of the function.
    result
        What is known of its result.

    Examples
    --------
    >>> from tapeless.analysis.abstract import Value
    >>> from tapeless.kinds import Number
    >>> from tapeless.specialize.program import AnalysedProgram
    >>> program = AnalysedProgram(one_exit=True)
    >>> values = tuple(Value(Number(frozenset([(key,)])), varied=True) for key in "xk")
    >>> facts = program.analyse(program.core(_energy), values, {})
    >>> {key: needed.number for key, needed in ranks_needed(facts, Rank(0)).items()}
    {'x': 1, 'k': 0}
    """
    return _needed(facts, result, frozenset())


def _energy(x: Any, k: Any) -> Any:
    e = 0.0
    for i in range(len(x) - 1):
        e += k * (x[i + 1] - x[i]) ** 2
    return e


def _needed(facts: Facts, result: Needed, within: frozenset[int]) -> Mapping[str, Needed]:
    walk = _Walk(facts, result, within)
    found = walk.block(facts.function.tree.body, None) or {}
    return {key: found[key] for key in facts.function.parameters if key in found}


class _Walk(Backward[State | None]):
    """What must hold of each name, in front of and behind each statement.

    Attributes
    ----------
    within
        The functions that are asked already, and this one: a call of one of them says nothing.
    items
        What must hold of the items that each loop visits.
    """

    def __init__(self, facts: Facts, result: Needed, within: frozenset[int]) -> None:
        super().__init__(None)
        self.facts = facts
        self.result = result
        self.within = within | {id(facts)}
        self.captured = captured_names(facts.function.tree)
        self.items: dict[Stmt, Needed] = {}
        self.called: dict[tuple[Stmt, Needed], Mapping[str, Needed]] = {}

    def join(self, a: State | None, b: State | None) -> State | None:
        if a is None or b is None:
            return b if a is None else a
        found = {key: on_either(a[key], b[key]) for key in a if key in b}
        for key in a.keys() ^ b.keys():
            one = a[key] if key in a else b[key]
            found[key] = None if key in self.captured else unsure(one)
        return found

    def simple(self, s: Stmt, state: State | None) -> State | None:
        if type(s) is gast.Return:
            return self.give(s, s.value, self.result, {})
        if state is None or type(s) is gast.Raise:
            return None
        if type(s) is gast.Assign:
            place = s.targets[0]
            state, needed = _taken(place, state)
            if type(place) is gast.Subscript and self.is_entry(s, place):
                needed = Rank(0)
            return self.read(place, self.give(s, s.value, needed, state))
        if type(s) is gast.AugAssign and type(s.target) is gast.Name:
            state, needed = _taken(s.target, state)
            old = gast.Name(s.target.id, gast.Load(), None, None)
            return self.give(s, gast.BinOp(old, s.op, s.value), needed, state)
        if type(s) is gast.AugAssign and self.is_entry(s, s.target):
            return self.read(s.target, self.give(s, s.value, Rank(0), state))
        appended = self.appended(s, state)
        return self.read(s, state) if appended is None else appended

    def test(self, s: Stmt, state: State | None) -> State | None:
        return None if state is None else self.decide(s.test, state)

    def item(self, s: Stmt, state: State | None) -> State | None:
        if state is None:
            return None
        state, self.items[s] = _taken(s.target, state)
        return state

    def opening(self, s: Stmt, state: State | None) -> State | None:
        if state is None:
            return None
        if type(s) is gast.For:
            return self.visit(s, s.iter, unsure(self.items.get(s, UNREAD)), state)
        for part in s.items:
            state = self.read(part, state)
        return state

    # Expressions

    def read(self, tree: Tree, state: State) -> State:
        """Read all names in a tree, in a way that may ask for the rank."""
        return _with(state, [(key, None) for key in self.names_in(tree)])

    def decide(self, tree: Expr, state: State) -> State:
        """Evaluate a test: what compares numbers has no use for their ranks."""
        if type(tree) is gast.Name:
            return _with(state, [(tree.id, COMPARED)])
        if type(tree) is gast.Subscript:
            return self.decide(tree.value, self.read(tree.slice, state))
        if type(tree) not in _COMPARING and not self.is_elementwise(tree):
            return self.read(tree, state)
        for part in children(tree):
            if isinstance(part, gast.expr):
                state = self.decide(part, state)
        return state

    def is_elementwise(self, tree: Expr) -> bool:
        """Whether an expression is a call of what broadcasts its arguments, and computes entry by entry."""
        if type(tree) is not gast.Call or tree.keywords:
            return False
        found = self.facts.object_called(tree)
        kind, rule = traits_of(found).kind, find_rule(found)
        of_form = kind is None and rule is not None and rule.form == "elementwise"
        return of_form or kind in BROADCASTING or is_one_of(found, _BROADCASTING)

    def names_in(self, tree: Tree) -> Iterator[str]:
        """Walk the names that are read in a tree, but for those that only a length is asked of."""
        if type(tree) is gast.Name:
            if type(tree.ctx) is gast.Load:
                yield tree.id
        elif not self.asks_length(tree):
            for part in children(tree):
                yield from self.names_in(part)

    def asks_length(self, tree: Tree) -> bool:
        """Whether an expression is `len(x)`, `x.size` or `x.shape[0]`, which have no use for a rank."""
        if type(tree) is gast.Call and len(tree.args) == 1:
            return type(tree.args[0]) is gast.Name and self.facts.object_called(tree) is len
        label = "size"
        if type(tree) is gast.Subscript and type(tree.slice) is gast.Constant:
            tree, label = tree.value, "shape"
        named = type(tree) is gast.Attribute and type(tree.value) is gast.Name
        return named and tree.attr == label

    def give(self, s: Stmt, tree: Expr, needed: Needed, state: State) -> State:
        """Evaluate an expression that must give what is needed."""
        if needed == UNREAD and self.has_no_effect(tree):
            return state
        if needed == COMPARED:
            return self.decide(tree, state)
        asked = self.operands(s, tree, None if needed == UNREAD else needed)
        given = [(part.id, wanted) for part, wanted in asked if type(part) is gast.Name]
        others = [key for key in self.names_in(tree) if all(key != own for own, _ in given)]
        return _with(state, [*given, *((key, None) for key in others)])

    def has_no_effect(self, tree: Expr) -> bool:
        """Whether an expression does nothing but give a value."""
        calls = [part for part in nodes(tree) if type(part) is gast.Call]
        return all(isinstance(self.facts.calls.get(call), RuleCall) for call in calls)

    def operands(self, s: Stmt, tree: Expr, needed: Needed) -> list[tuple[Expr, Needed]]:
        """Return the operands of which is known what must hold."""
        if type(tree) is gast.Subscript:
            return self.indexed(s, tree, needed)
        if needed is None:
            return []
        if type(tree) is gast.Name:
            return [(tree, needed)]
        if type(tree) is gast.Attribute and tree.attr == "shape":
            wanted = Rank(len(needed.items)) if isinstance(needed, Parts) else Sizes()
            return [] if isinstance(needed, Rank) else [(tree.value, wanted)]
        if s in self.facts.callees:
            return self.passed(s, needed)
        if type(tree) is gast.Tuple:
            parts = needed.items if isinstance(needed, Parts) else ()
            if isinstance(needed, Rank) and needed.number:  # of the array that is made of it
                parts = (Rank(needed.number - 1, needed.sure),) * len(tree.elts)
            return list(zip(tree.elts, parts, strict=True)) if len(parts) == len(tree.elts) else []
        return self.computed(s, tree, needed) if isinstance(needed, Rank) else []

    def computed(self, s: Stmt, tree: Expr, needed: Rank) -> list[tuple[Expr, Needed]]:
        """Return the operands of an operation on numbers of which the rank is known."""
        if type(tree) is gast.UnaryOp and type(tree.op) is not gast.Not:
            return self.spread(s, [tree.operand], needed)
        if type(tree) is gast.BinOp:
            operands = [tree.left, tree.right]
            if type(tree.op) is gast.MatMult:
                wanted = Rank(1, needed.sure)
                return [] if needed.number else [(operand, wanted) for operand in operands]
            return self.spread(s, operands, needed)
        called = self.facts.calls.get(tree)
        if not isinstance(called, RuleCall) or tree.keywords:
            return []
        operands = called.operands(tree.args)
        if self.is_elementwise(tree):
            return self.spread(s, operands, needed)
        if is_one_of(called.found, (max, min)) and len(operands) > 1 and needed.number == 0:
            return self.spread(s, operands, Rank(0, sure=False))  # one of them has the rank
        if called.found is sum and len(operands) == 1:
            return [(operands[0], Items(needed))] if needed.number == 0 else []
        if called.found is as_in_place:
            return self.spread(s, operands if needed.number == 0 else operands[1:], needed)
        if traits_of(called.found).recasts and not is_one_of(called.found, _CONVERTING):
            return [(operands[0], needed)]
        return []

    def spread(self, s: Stmt, operands: list[Expr], needed: Rank) -> list[tuple[Expr, Needed]]:
        """Return the operands of what broadcasts them to a rank, where they tell which has it."""
        kinds = [self.kind(s, operand) for operand in operands]
        if not all(map(is_number, kinds)):
            return []
        ranks = {gast.unparse(tree): rank(kind) for tree, kind in zip(operands, kinds, strict=True)}
        if needed.number:
            lower = [r for r in ranks.values() if r is not None and r < needed.number]
            if len(lower) != len(ranks) - 1:
                return []
        return [(x, needed) for x, kind in zip(operands, kinds, strict=True) if rank(kind) is None]

    def indexed(self, s: Stmt, tree: Expr, needed: Needed) -> list[tuple[Expr, Needed]]:
        """Return of which rank an array is whose part has a rank: each integer takes away one axis."""
        parts = tree.slice.elts if type(tree.slice) is gast.Tuple else [tree.slice]
        if not is_number(self.kind(s, tree.value)):
            plain = type(tree.value) is gast.Name and type(tree.slice) is gast.Constant
            return [(tree.value, Sizes())] if plain else []
        taken = [part for part in parts if type(part) is not gast.Slice]
        if not isinstance(needed, Rank) or not all(self.is_integer(s, part) for part in taken):
            return []
        return [(tree.value, Rank(needed.number + len(taken), needed.sure))]

    def is_integer(self, s: Stmt, tree: Expr) -> bool:
        """Whether an index is an integer."""
        if type(tree) is gast.BinOp and type(tree.op) is not gast.Div:
            return self.is_integer(s, tree.left) and self.is_integer(s, tree.right)
        if is_negated(tree):
            return self.is_integer(s, tree.operand)
        if type(tree) is gast.Call:
            return self.facts.object_called(tree) is len
        return isinstance(self.kind(s, tree), Integer)

    def kind(self, s: Stmt, tree: Expr) -> Kind:
        """Return the kind of an operand."""
        if type(tree) is gast.Constant:
            return literal_kind(tree.value)
        if type(tree) is gast.Name and tree.id in self.facts.function.local:
            return self.facts.kind(s, tree.id)
        found = self.facts.function.resolve(tree)
        return literal_kind(found) if isinstance(found, (int, float)) else UNKNOWN

    def passed(self, s: Stmt, needed: Needed) -> list[tuple[Expr, Needed]]:
        """Return the arguments of a call of which the function tells what must hold."""
        callee = self.facts.callees[s]
        if id(callee.facts) in self.within:
            return []
        if (s, needed) not in self.called:
            self.called[s, needed] = _needed(callee.facts, needed, self.within)
        found = self.called[s, needed]
        pairs = zip(callee.function.parameters, callee.arguments, strict=False)
        return [(argument, found[key]) for key, argument in pairs if key in found]

    def visit(self, s: Stmt, tree: Expr, needed: Needed, state: State) -> State:
        """Go through the items of what a loop visits."""
        if type(tree) is gast.Name and isinstance(needed, Rank) and is_number(self.kind(s, tree)):
            wanted = Rank(needed.number + 1, needed.sure)
            return _with(state, [(tree.id, wanted)])
        if type(tree) is gast.Name and needed == UNREAD:
            return state
        items = needed.items if isinstance(needed, Parts) else ()
        if type(tree) is gast.Call and not tree.keywords:
            called = self.facts.object_called(tree)
            if called is range:
                return self.count(tree, state)
            if called is enumerate and len(tree.args) == 1 and len(items) == 2:
                return self.visit(s, tree.args[0], items[1], state)
            if called is reversed:
                return self.visit(s, tree.args[0], needed, state)
            if called is zip and len(items) == len(tree.args):
                for argument, item in zip(tree.args, items, strict=True):
                    state = self.visit(s, argument, item, state)
                return state
        return self.read(tree, state)

    def count(self, tree: Expr, state: State) -> State:
        """Go through a range: each name in it is an integer."""
        for argument in tree.args:
            if type(argument) is gast.Name:
                state = _with(state, [(argument.id, Rank(0, counts=True))])
            else:
                state = self.read(argument, state)
        return state

    # Slots

    def is_entry(self, s: Stmt, place: Expr) -> bool:
        """Whether a place is one entry of an array: it takes scalars only."""
        if type(place) is not gast.Subscript:
            return False
        parts = place.slice.elts if type(place.slice) is gast.Tuple else [place.slice]
        whole = rank(self.kind(s, place.value)) == len(parts)
        return whole and all(self.is_integer(s, part) for part in parts)

    def appended(self, s: Stmt, state: State) -> State | None:
        """Append to a list of which is known what its items must be; None for any other statement."""
        call: Any = s.value if type(s) is gast.Expr else None
        if type(call) is not gast.Call or type(call.func) is not gast.Attribute:
            return None
        owner = call.func.value
        if call.func.attr != "append" or len(call.args) != 1 or type(owner) is not gast.Name:
            return None
        needed = state.get(owner.id)
        if not isinstance(needed, Items) or not self.has_one_name(s, owner.id):
            return None
        return self.give(s, call.args[0], needed.item, state)

    def has_one_name(self, s: Stmt, key: str) -> bool:
        """Whether a list is known by one name only."""
        kind = self.facts.kind(s, key)
        regions = regions_of(kind)
        others = (v.kind for other, v in self.facts.met if other != key)
        return isinstance(kind, List) and not any(regions & regions_of(k) for k in others)


def _with(state: State, needed: list[tuple[str, Needed]]) -> State:
    """Return what must hold in front of where names are read."""
    found = dict(state)
    for key, wanted in needed:
        made = on_both(found.get(key, UNREAD), wanted)
        if made != UNREAD:
            found[key] = made
    return found


def _taken(place: Expr, state: State) -> tuple[State, Needed]:
    """Return a state in front of a binding, and what must hold of what is bound."""
    if type(place) is gast.Name:
        rest = {key: needed for key, needed in state.items() if key != place.id}
        return rest, state.get(place.id, UNREAD)
    if type(place) is not gast.Tuple or any(type(part) is gast.Starred for part in place.elts):
        return state, None
    items = []
    for part in place.elts:
        state, needed = _taken(part, state)
        items.append(needed)
    return state, Parts(tuple(items))
