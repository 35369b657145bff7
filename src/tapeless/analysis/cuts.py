"""Which cotangents may hold exact zeros because something cut them.

The partial of a root, a quotient or a logarithm may be infinite. That is right where the result
depends on the value, and wrong where it does not: `np.where(x > 0, np.sqrt(x), 0.0)` does not depend
on the root of 0, but zero times infinity is not zero. A cotangent is *cut* where the text shows that
the result may not depend on all of a value: a part of it is read, a condition or a mask selects, a
maximum is taken, a branch or a loop that reads it may not run.

Backward through a function, each name has a state: nothing depends on it yet, or something depends on
all of it (`FULL`), or it may be cut (`CUT`). What is read twice is cut only if both reads cut it; what
is read on one of two paths is cut. What mutable things hold is always counted as cut.

In `np.where(c, 1.0 - t, t)` the result depends on each entry of `t`, in one way or the other. So a name of
which something depends where a condition holds (a `Half`) is not cut once something else depends on it
where the condition does not hold. That is so through any number of functions that act entry by entry:
by the rules of broadcasting an entry of the result meets the same entry of a name on all ways.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING
from tapeless.analysis.calls import RuleCall
from tapeless.analysis.facts import Callee, Facts
from tapeless.externals import MISSING
from tapeless.kinds import Array, Inert
from tapeless.rules.declare import find_rule
from tapeless.rules.traits import traits_of_callee
from tapeless.tree.classes import ADDITIVE
from tapeless.tree.flow import Backward
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds, nodes, reads
from tapeless.tree.trees import Stmt


class State(Enum):
    """How the result depends on a value."""

    FULL = 1
    CUT = 2


@dataclass(frozen=True)
class Half:
    """Something depends on a value where the condition of a `np.where` holds, or where it does not."""

    selection: Stmt
    where: bool

    @property
    def other(self) -> Half:
        """The rest of the entries."""
        return Half(self.selection, not self.where)


Part = State | Half
States = dict[str, Part]


@dataclass
class Cuts:
    """What was found about one function.

    Attributes
    ----------
    statements
        The statements whose result has a cotangent that may be cut.
    parameters
        The state of each parameter; None for one that nothing depends on.
    calls
        For each call of a user's function that the result depends on, the state of its seed.
    """

    statements: set[Any] = field(default_factory=set)
    parameters: list[State | None] = field(default_factory=list)
    calls: list[tuple[Callee, State]] = field(default_factory=list)


def cuts_of(
    function: CoreFunction,
    facts: Facts,
    seed: State,
    parameters_of: Callable[[Callee], list[State | None]],
) -> Cuts:
    """Find the cut cotangents of a function.

    Parameters
    ----------
    function, facts
        The function in the core language, and what is known of it.
    seed
        Whether the cotangent of its result may be cut.
    parameters_of
        Returns what is known so far of the parameters of a callee.
    """
    return _Cuts(function, facts, seed, parameters_of).run()


def joined(a: Part | None, b: Part | None) -> Part | None:
    """Return the state of a value after which either of two paths may follow."""
    return a if a == b else State.CUT


def whole(part: Part | None) -> State | None:
    """Return whether a value may be cut, if anything depends on it."""
    return State.CUT if isinstance(part, Half) else part


class _Cuts(Backward[States | None]):
    """The walk that finds them; a state of None stands for what no path reaches."""

    def __init__(
        self, function: CoreFunction, facts: Facts, seed: State,
        parameters_of: Callable[[Callee], list[State | None]],
    ) -> None:  # fmt: skip
        super().__init__(None)
        self.function = function
        self.facts = facts
        self.seed = seed
        self.parameters_of = parameters_of
        self.found = Cuts()

    @functools.cached_property
    def masks(self) -> set[str]:
        """The masks of the function, looked for when first asked for."""
        return masks_of(self.function, self.facts)

    def run(self) -> Cuts:
        body = self.function.tree.body
        states = self.block(body, {}) or {}
        mutable = {
            key
            for key, value in self.facts.before.get(body[0], {}).items()
            if self.facts.has_shadow(value.kind)
        }
        self.found.parameters = [
            State.CUT if p in mutable else whole(states.get(p)) for p in self.function.parameters
        ]
        return self.found

    def join(self, a: States | None, b: States | None) -> States | None:
        if a is None or b is None:
            return b if a is None else a
        keys = dict.fromkeys([*a, *b])
        return {k: s for k in keys if (s := joined(a.get(k), b.get(k))) is not None}

    def simple(self, s: Stmt, state: States | None) -> States | None:
        if type(s) is gast.Return:
            state = {} if state is None else state
        transfer = self._transfers.get(type(s))
        return state if state is None or transfer is None else transfer(self, s, dict(state))

    def opening(self, s: Stmt, state: States | None) -> States | None:
        if type(s) is not gast.For or state is None:
            return state
        after = dict(state)
        for key in reads(s.iter):
            self.depend(after, key, State.CUT)
        return after

    def item(self, s: Stmt, state: States | None) -> States | None:
        bound = binds(s.target)
        return None if state is None else {k: v for k, v in state.items() if k not in bound}

    def interrupted(self, before: States | None, raised: States | None) -> States | None:
        """Return what holds before a statement: of an interrupted body nothing is reversed."""
        return before

    def returned(self, s: Stmt, after: States) -> States:
        for key in reads(s.value) if s.value else ():
            after[key] = self.seed
        return after

    def updated(self, s: Stmt, after: States) -> States:
        place = s.target
        if type(place) is not gast.Name:
            return self.stored(s, after, [place, s.value])
        if self.facts.has_shadow(self.facts.kind(s, place.id)):
            return self.stored(s, after, [s.value])
        return self.bound(s, place.id, gast.BinOp(place, s.op, s.value), after)

    def evaluated(self, s: Stmt, after: States) -> States:
        return self.stored(s, after, [s.value])

    def assigned(self, s: Stmt, after: States) -> States:
        place = s.targets[0]
        if type(place) is gast.Name:
            return self.bound(s, place.id, s.value, after)
        if type(place) is not gast.Tuple:
            return self.stored(s, after, [s.value])
        found = [after.pop(item.id, None) for item in place.elts if type(item) is gast.Name]
        if any(found):
            full = all(state is State.FULL for state in found)
            self.use(s, s.value, State.FULL if full else State.CUT, after)
        return after

    def stored(self, s: Stmt, after: States, trees: list[Any]) -> States:
        """Parts of mutable things, and calls made for their effect: what they read may be cut."""
        self.found.statements.add(s)
        if s in self.facts.callees:
            self.found.calls.append((self.facts.callees[s], State.CUT))
        for tree in trees:
            for key in reads(tree):
                self.depend(after, key, State.CUT)
        return after

    def bound(self, s: Stmt, key: str, value: Any, after: States) -> States:
        state = after.pop(key, None)
        result = self.facts.results.get(s, NOTHING)
        if self.facts.has_shadow(result.kind):
            state = State.CUT
        if state is None or not self.facts.carries_derivative(result):
            return after
        if state is not State.FULL:
            self.found.statements.add(s)
        self.use(s, value, state, after)
        return after

    # Expressions

    def depend(self, states: States, key: str, part: Part) -> None:
        """Something depends on a name: on all of it if this does, or anything else, or both together."""
        known = states.get(key)
        if isinstance(part, Half) and known == part.other:
            states[key] = State.FULL
        elif known is None or known is State.CUT or part is State.FULL:
            states[key] = part

    def use(self, s: Stmt, tree: Any, state: Part, states: States) -> None:
        """The value of a statement is used: so is what it is computed from."""
        if s in self.facts.callees:
            seed = State.FULL if state is State.FULL else State.CUT
            self.use_call(self.facts.callees[s], s, seed, states)
            return
        if type(tree) is gast.Call:
            rule = find_rule(self.function.resolve(tree.func))
            if rule is not None and rule.form == "zero":
                return
            if self.function.resolve(tree.func) is np.where and len(tree.args) == 3:
                self.use_selection(s, tree, state, states)
                return
        for key in dict.fromkeys(reads(tree)):
            kept = state is State.FULL or isinstance(state, Half) and self.is_entrywise(tree)
            cut = not kept or selects(self.function, self.masks, tree, key)
            self.depend(states, key, State.CUT if cut else state)

    def use_selection(self, s: Stmt, tree: Any, state: Part, states: States) -> None:
        """One of two values is used, where the condition holds and where it does not."""
        for key, part in states.items():
            if isinstance(part, Half) and part.selection is s:
                states[key] = State.CUT  # in another trip of a loop
        for arg, where in zip(tree.args[1:], (True, False), strict=True):
            for key in reads(arg):
                self.depend(states, key, Half(s, where) if state is State.FULL else State.CUT)

    def is_entrywise(self, tree: Any) -> bool:
        """Whether each entry of an expression depends on the entries at its own place alone."""
        if type(tree) is gast.Call:
            called = self.facts.calls.get(tree)
            rule = called.rule if isinstance(called, RuleCall) else None
            return rule is not None and rule.form == "elementwise"
        if type(tree) is gast.BinOp:
            return type(tree.op) is not gast.MatMult
        return isinstance(tree, (gast.UnaryOp, gast.Name))

    def use_call(self, callee: Callee, s: Stmt, state: State, states: States) -> None:
        self.found.calls.append((callee, state))
        known = self.parameters_of(callee)
        for arg, inner in zip(callee.arguments, known, strict=True):
            if type(arg) is gast.Name:
                if inner is not None:
                    cut = State.CUT in (state, inner)
                    self.depend(states, arg.id, State.CUT if cut else State.FULL)
                continue
            parts = arg.values() if isinstance(arg, dict) else arg
            for part in parts if isinstance(arg, (list, dict)) else [arg]:
                for key in reads(part) if isinstance(part, gast.AST) else ():
                    self.depend(states, key, State.CUT)

    _transfers: ClassVar[dict[type, Callable[..., States]]] = {
        gast.Return: returned,
        gast.AugAssign: updated,
        gast.Expr: evaluated,
        gast.Assign: assigned,
    }


def operation_of(s: Stmt) -> Any:
    """Return what an assignment computes; None for another statement.

    Examples
    --------
    >>> [gast.unparse(operation_of(s)) for s in gast.parse("y = x[1:]\\ny *= mask").body]
    ['x[1:]', 'y * mask']
    """
    if type(s) is gast.AugAssign:
        return gast.BinOp(s.target, s.op, s.value)
    return s.value if type(s) is gast.Assign else None


def selects(function: CoreFunction, masks: set[str], tree: Any, key: str) -> bool:
    """Whether an expression may not depend on all of what a name in it holds."""
    if type(tree) is gast.Subscript:
        return not keeps_all(tree.slice)
    if type(tree) is gast.Attribute:
        return bool(tree.attr != "T")
    masked = any(other in masks for other in reads(tree) if other != key)
    if type(tree) is gast.BinOp:
        return masked and type(tree.op) not in ADDITIVE
    if type(tree) is gast.Call:
        return masked or traits_of_callee(tree.func, function.resolve(tree.func)).selects
    return isinstance(tree, (gast.IfExp, gast.BoolOp))


def keeps_all(index: Any) -> bool:
    """Whether an index leaves out no entry: it gives new axes, or turns some round.

    Examples
    --------
    >>> [keeps_all(gast.parse(text).body[0].value.slice) for text in ("x[:, None]", "x[::-1]", "x[:1]")]
    [True, True, False]
    """
    items = index.elts if type(index) is gast.Tuple else [index]
    return all(_keeps_axis(item) for item in items)


def _keeps_axis(item: Any) -> bool:
    if type(item) is gast.Slice:
        turned = type(item.step) is gast.UnaryOp and getattr(item.step.operand, "value", None) == 1
        return item.lower is item.upper is None and (item.step is None or turned)
    return type(item) is gast.Constant and (item.value is None or item.value is ...)


def masks_of(function: CoreFunction, facts: Facts) -> set[str]:
    """Return the names that hold nothing but what comparisons give: truth values, ones and zeros."""
    values: dict[str, list[Any]] = {}
    for s in nodes(gast.Module(function.tree.body, [])):
        if type(s) is gast.Assign:
            for target in s.targets:
                for key in binds(target):
                    whole = type(target) is gast.Name
                    values.setdefault(key, []).append(s.value if whole else None)
        elif isinstance(s, (gast.AugAssign, gast.For)):
            for key in binds(s.target):
                values.setdefault(key, []).append(None)
    truths = {
        key
        for key, value in facts.met
        if isinstance(value.kind, Array)
        and value.kind.dtype == "b"
        or isinstance(value.kind, Inert)
        and value.kind.what == "bool"
    }
    masks = set(truths)
    while True:
        more = {
            key
            for key, found in values.items()
            if key not in masks and all(_is_mask(v, masks, function) for v in found)
        }
        if not more:
            return masks
        masks |= more


def _is_mask(tree: Any, masks: set[str], function: CoreFunction) -> bool:
    if type(tree) is gast.Name:
        return tree.id in masks
    if type(tree) is gast.Constant:
        return False
    if type(tree) is gast.Compare:
        return True
    if type(tree) is gast.UnaryOp:
        return _is_mask(tree.operand, masks, function)
    if type(tree) is gast.BinOp:
        parts = [tree.left, tree.right]
        some = any(_is_mask(p, masks, function) for p in parts)
        return some and all(type(p) is gast.Constant or _is_mask(p, masks, function) for p in parts)
    if type(tree) is gast.Call:
        found = function.resolve(tree.func)
        known = traits_of_callee(tree.func, found)
        if known.tests:
            return True
        if found is np.where and len(tree.args) == 3:
            return all(type(a) is gast.Constant for a in tree.args[1:])
        if known.recasts:
            owner = tree.func.value if found is MISSING and not tree.args[1:] else None
            whole = owner if type(owner) is gast.Name else next(iter(tree.args), None)
            return _is_mask(whole, masks, function)
    return False
