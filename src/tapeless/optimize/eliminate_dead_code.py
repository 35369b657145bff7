"""What nobody reads is not computed and not kept.

    h = np.tanh(z)                 h = np.tanh(z)
    y = np.sum(h)          ->
    h_bar = 1.0 - h**2             h_bar = 1.0 - h**2

A statement goes if what it binds is dead and evaluating it has no effect; one of the user's must
also be unable to raise, or read what is surely read again. Of a stack that the tool made go the
parts that no `pop` reads, and the stack when no part is left.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Set
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.optimize.analyses import (
    calls_stacks,
    effects_of,
    generated_in,
    liveness_of,
    version_of,
)
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.made_again import MadeAgain
from tapeless.optimize.raising import may_raise, unpacks
from tapeless.optimize.stack_places import Places, makes, places_of
from tapeless.optimize.values import is_stack_call
from tapeless.tree.blocks import (
    all_blocks,
    all_statements,
    bound,
    inner_blocks,
    is_errstate,
    stored_names,
)
from tapeless.tree.build import name
from tapeless.tree.classes import ASSIGNMENTS, BRANCHING, DISPLAYS
from tapeless.tree.comments import Role, is_comment, role_of
from tapeless.tree.liveness import Liveness
from tapeless.tree.trees import Expr, Stmt, Tree


def eliminate_dead_code(function: gast.FunctionDef, context: Context) -> bool:
    """Remove assignments that are never read and branches with nothing in them.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x):
    ...     trips = 0
    ...     for i in range(3):
    ...         trips += 1
    ...         x = 2.0 * x
    ...     y = x * x
    ...     return x
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key == "trips")
    >>> eliminate_dead_code(function, context)
    True
    >>> print(unparse(function), end="")
    def f(x):
        for i in range(3):
            x = 2.0 * x
        return x
    """
    effects = effects_of(function, context)
    generated = generated_in(function, context)
    rules = _Rules(effects, generated)
    liveness = Liveness(function, rules.removable, body=effects.body)
    before = list(all_statements(function.body))
    for block in list(all_blocks(function.body)):
        block[:] = [
            s for s in block if is_comment(s) or not rules.removable(s, liveness.live_after(s))
        ]
    _drop_empty_blocks(function.body, effects, generated, liveness)
    _drop_stale_comments(function.body)
    if not function.body:
        function.body.append(gast.Pass())
    return list(all_statements(function.body)) != before


class _Rules:
    """Says which statements can go, given what is live after them."""

    def __init__(self, effects: Effects, generated: Set[int]) -> None:
        self.effects = effects
        self.generated = generated
        self.saves = _saves_before_stores(effects.function, effects)
        self.own_lists = _own_lists(effects)
        self.again = MadeAgain(effects)

    def removable(self, s: Stmt, live: Set[str]) -> bool:
        if type(s) is gast.Assign:
            return self._assignment(s, live)
        if type(s) is gast.AugAssign:
            return self._update(s, live)
        if type(s) is gast.Expr and not is_comment(s) and id(s) in self.generated:
            return self.effects.is_pure(s.value) or self._dead_pop(s.value, live)
        return False

    def _dead_pop(self, call: Expr, live: Set[str]) -> bool:
        """Whether a call only shortens a list that nobody looks at any more."""
        if type(call) is not gast.Call or not is_stack_call(call) or call.args:
            return False
        key = call.func.value.id
        return key not in live and key in self.own_lists

    def _may_go(self, s: Stmt, value: Expr) -> bool:
        if not self.effects.is_pure(value):
            return False
        if id(s) in self.generated or bound(s) <= self.effects.context.tangents:
            return True
        return not self._raises(s, value)

    def _raises(self, s: Stmt, value: Expr) -> bool:
        places = s.targets if type(s) is gast.Assign else [s.target]
        own = all(self.effects.context.temporaries(k) for p in places for k in stored_names(p))
        if own and id(s) in self.saves:
            return False
        if own and type(s) is gast.AugAssign:
            return type(s.value) is not gast.Constant
        if not may_raise(value, self.effects):
            return False
        return type(s) is not gast.Assign or not self.again.surely(s)

    def _assignment(self, s: Stmt, live: Set[str]) -> bool:
        if not all(_only_names(place) for place in s.targets):
            return self._dead_store(s, s.targets, live)
        place = s.targets[0]
        if type(place) is gast.Name and type(s.value) is gast.Name:
            if place.id == s.value.id:
                return True
        if bound(s) & live:
            return False
        if type(place) is not gast.Name and id(s) not in self.generated:
            return False
        return self._may_go(s, s.value)

    def _update(self, s: Stmt, live: Set[str]) -> bool:
        if type(s.target) is not gast.Name:
            return self._dead_store(s, [s.target], live)
        key = s.target.id
        if key in live:
            return False
        alone = self.effects.alone(key) and not self.effects.is_kept(key)
        if not (self.effects.is_scalar_name(key) or alone):
            return False
        operation = gast.BinOp(name(key), s.op, s.value)
        return self._may_go(s, s.value if self._own_counter(s) else operation)

    def _own_counter(self, s: Stmt) -> bool:
        return self.effects.context.temporaries(s.target.id) and type(s.value) is gast.Constant

    def _dead_store(self, s: Stmt, places: list[Any], live: Set[str]) -> bool:
        """Whether a statement only stores into what nobody looks at any more."""
        if id(s) not in self.generated or not self.effects.is_pure(s.value):
            return False
        for place in places:
            owner = place.value if isinstance(place, gast.Subscript) else None
            if not isinstance(owner, gast.Name) or owner.id in live:
                return False
            if self.effects.is_kept(owner.id):
                return False
            if not self.effects.alone(owner.id) or not self.effects.is_pure(place.slice):
                return False
        return True


def _own_lists(effects: Effects) -> set[str]:
    """Collect the names of lists made here of which there is no other reference."""
    lists = (gast.List, gast.ListComp)
    filled = [part for part in effects.parts(gast.Assign) if isinstance(part.value, lists)]
    looked_at = [part.value for part in effects.parts(gast.Subscript)]
    looked_at += [part.iter for part in effects.parts(gast.For, gast.comprehension)]
    for part in effects.parts(gast.Call):
        found = effects.context.resolve(part.func)
        if is_stack_call(part):
            looked_at.append(part.func.value)
        elif is_one_of(found, (len, reversed, zip, enumerate)):
            looked_at += part.args
    made = _count_names(place for part in filled for place in part.targets)
    allowed = _count_names(looked_at)
    occurrences = effects.body.mentions
    kept = effects.parameters | effects.scoped
    return {k for k in made if occurrences[k] == made[k] + allowed[k] and k not in kept}


def _count_names(trees: Iterable[Any]) -> Counter[str]:
    return Counter(tree.id for tree in trees if type(tree) is gast.Name)


def _saves_before_stores(function: Tree, effects: Effects) -> set[int]:
    """Collect the statements that keep what the next one overwrites, which raises if they do."""
    found: set[int] = set()
    for block in all_blocks(function.body):
        for s, after in itertools.pairwise(block):
            if type(s) is not gast.Assign:
                continue
            kept, place = _copied(s.value, effects), _stored_place(after, effects)
            if type(kept) is gast.Subscript and place is not None:
                parts = [(kept.value, place[0]), (kept.slice, place[1])]
                if all(gast.dump(a) == gast.dump(b) for a, b in parts):
                    found.add(id(s))
    return found


def _copied(tree: Expr, effects: Effects) -> Any:
    """Return what an expression is a copy of, or itself."""
    if type(tree) is not gast.Call:
        return tree
    if is_one_of(effects.context.resolve(tree.func), (np.array,)):
        return tree.args[0] if len(tree.args) == 1 and not tree.keywords else tree
    return tree.func.value if getattr(tree.func, "attr", None) == "copy" else tree


def _stored_place(s: Stmt, effects: Effects) -> tuple[Expr, Expr] | None:
    """Return the owner and the index of the place that a statement stores into."""
    if type(s) is gast.Expr and type(s.value) is gast.Call and effects.is_added_at(s.value):
        owner, index, _ = s.value.args
        return owner, index
    if type(s) not in ASSIGNMENTS:
        return None
    place = s.targets[0] if type(s) is gast.Assign else s.target
    return (place.value, place.slice) if type(place) is gast.Subscript else None


def _only_names(place: Expr) -> bool:
    if type(place) in DISPLAYS:
        return all(_only_names(item) for item in place.elts)
    return type(place) is gast.Name


def _drop_empty_blocks(
    block: list[Any], effects: Effects, generated: Set[int], liveness: Liveness
) -> None:
    """Remove `if`s and loops in which nothing is left, and `pass` beside what is."""
    kept: list[Any] = []
    for s in (part for part in block if type(part) is not gast.Pass):
        if is_errstate(s):
            _drop_empty_blocks(s.body, effects, generated, liveness)
            if s.body:
                kept.append(s)
            continue
        if type(s) not in BRANCHING:
            kept.append(s)
            continue
        _drop_empty_blocks(s.body, effects, generated, liveness)
        _drop_empty_blocks(s.orelse, effects, generated, liveness)
        own = id(s) in generated
        if type(s) is gast.If:
            test = s.test
            if not s.body and not s.orelse:
                quiet = type(test) is gast.Name or own or not may_raise(test, effects)
                if effects.is_pure(test) and quiet:
                    continue
            elif not s.body:
                s.test, s.body, s.orelse = opposite(test), s.orelse, []
        elif type(s) is gast.For and _is_idle(s) and effects.is_pure(s.iter):
            quiet = own or unpacks(s.iter, s.target, effects)
            if quiet and not bound(s) & liveness.live_after(s):
                continue
        if not s.body:
            s.body.append(gast.Pass())
        kept.append(s)
    block[:] = kept


def _is_idle(loop: Stmt) -> bool:
    return not loop.body and not loop.orelse


def opposite(test: Expr) -> Any:
    """Write the negation of a test."""
    swap = {
        gast.Eq: gast.NotEq,
        gast.NotEq: gast.Eq,
        gast.In: gast.NotIn,
        gast.NotIn: gast.In,
        gast.Is: gast.IsNot,
        gast.IsNot: gast.Is,
    }
    if type(test) is gast.UnaryOp and type(test.op) is gast.Not:
        return test.operand
    if type(test) is gast.Compare and len(test.ops) == 1 and type(test.ops[0]) in swap:
        return gast.Compare(test.left, [swap[type(test.ops[0])]()], test.comparators)
    return gast.UnaryOp(gast.Not(), test)


def _drop_stale_comments(block: list[Any]) -> None:
    """Remove the announcement of a sweep of which nothing is left."""
    kept: list[Any] = []
    for s in block:
        if kept and _is_sweep(s) and _is_sweep(kept[-1]):
            kept.pop()
        kept.append(s)
    block[:] = kept


def _is_sweep(statement: Stmt) -> bool:
    return role_of(statement) in (Role.FORWARD, Role.REVERSE)


def eliminate_dead_saves(function: gast.FunctionDef, context: Context) -> bool:
    """Keep of each stack only what is read after a `pop`.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, n):
    ...     saved = []
    ...     for i in range(n):
    ...         saved.append((x, i))
    ...         x = np.sin(x)
    ...     for i in range(n):
    ...         x, k = saved.pop()
    ...         g(x)
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key in ("saved", "k"))
    >>> eliminate_dead_saves(function, context)
    True
    >>> print(unparse(function), end="")
    def f(x, n):
        saved = []
        for i in range(n):
            saved.append(x)
            x = np.sin(x)
        for i in range(n):
            x = saved.pop()
            g(x)
    """
    if not calls_stacks(function, context):
        return False
    effects = effects_of(function, context)
    stacks = sorted(effects.stacks)
    changed = False
    if not stacks:
        return False
    found, liveness = places_of(function), liveness_of(function, context)
    for stack in stacks:
        if _trim(function, found[stack], effects, liveness):
            version_of(function, context)
            effects, liveness = effects_of(function, context), liveness_of(function, context)
            changed = True
    return changed


def _trim(function: Tree, places: Places, effects: Effects, liveness: Liveness) -> bool:
    """Drop what is not read of a stack; say whether anything was dropped."""
    if not places.all_known() or not places.pushes:
        return False
    wanted = places.wanted(liveness.live_after, effects.is_pure)
    if wanted is None or all(wanted):
        return False
    if any(wanted):
        places.keep(wanted)
        return True
    if places.tests:
        return False
    statements = [s for _, s in [*places.pushes, *places.pops]]
    gone = {id(s) for s in [*statements, *places.bare_pops]}
    for block in all_blocks(function.body):
        block[:] = [s for s in block if id(s) not in gone and not makes(s, places.stack)]
    _fill_empty(function.body)
    return True


def _fill_empty(block: list[Any]) -> None:
    for s in block:
        blocks = inner_blocks(s)
        if blocks and not s.body:
            s.body.append(gast.Pass())
        for inner in blocks:
            _fill_empty(inner)
