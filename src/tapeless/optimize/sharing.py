"""Which names may share memory, and which values nothing else sees.

Memory is named by classes of names that may share it. The classes do not depend on the place in the
text: an assignment joins the names that it binds with those whose memory its value may show, wherever
it stands. A value is *fresh* if nothing but the name that it is assigned to sees it.
"""

from __future__ import annotations

import functools
from typing import Any

import gast
import numpy as np

from tapeless.externals import MISSING, is_one_of, is_runtime
from tapeless.kinds import Array, List, Real, Region
from tapeless.optimize.context import Context
from tapeless.optimize.purity import is_module_function, is_pure_method
from tapeless.optimize.values import Values, is_adjoint, is_stack_call
from tapeless.rules.traits import traits_of, traits_of_method
from tapeless.tree.body import Body
from tapeless.tree.build import name
from tapeless.tree.classes import SLOTS
from tapeless.tree.names import children, nodes
from tapeless.tree.trees import Expr, Tree

OUTSIDE = "·outside"
_SHOWING_NOTHING = frozenset({gast.Constant, gast.Compare, gast.JoinedStr, gast.UnaryOp})


class Sharing(Values):
    """The names of one function that may share memory."""

    def __init__(self, function: Tree, context: Context, body: Body | None = None) -> None:
        super().__init__(function, context, body)
        self._parent: dict[str, str] = {}
        self._share()

    def root(self, key: str) -> str:
        """Return the representative of the names that may share memory with a name."""
        while key in self._parent:
            key = self._parent[key]
        return key

    def _join(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        if a != b:
            self._parent[max(a, b)] = min(a, b)

    def meet(self, some: set[str], others: set[str]) -> bool:
        """Whether what some names hold may share memory with what others hold."""
        return not {self.root(k) for k in some}.isdisjoint(self.root(k) for k in others)

    def alone(self, key: str) -> bool:
        """Whether nothing else may share memory with what a name holds."""
        if key in self.parameters or key in self.scoped or key not in self.values:
            return False
        root = self.root(key)
        return not any(self.root(k) == root for k in [*self._all_names, OUTSIDE] if k != key)

    def is_kept(self, key: str) -> bool:
        """Whether what a name holds may also stand in a stack, from where the same name gets it again."""
        return self.root(key) in self._roots_kept

    @functools.cached_property
    def _roots_kept(self) -> set[str]:
        pushed = [value for values in self._values_pushed.values() for value in values]
        return {self.root(key) for value in pushed for key in self.seen_through(value)}

    def _share(self) -> None:
        self._all_names = set(self.body.mentions)
        for key in self._all_names:
            if key in self.parameters or key not in self.values or key in self.scoped:
                self._enter(key)
        for part in self.parts(gast.Assign):
            for place in part.targets:
                self._bind(place, part.value)
        for part in self.parts(gast.For, gast.comprehension):
            self._bind(part.target, part.iter)
        for part in self.parts(gast.AugAssign):
            if self.is_listlike(part.target) or self.is_listlike(part.value):
                self._bind(part.target, part.value)
        for part in self.parts(gast.With):
            for item in part.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, item.context_expr)
        for part in self.parts(gast.Call):
            self._bind_call(part)
        self._join_by_region()

    def _join_by_region(self) -> None:
        """Let the names that may hold one of the arrays that nothing else reads share memory."""
        together: dict[Region, set[str]] = {}
        for key, regions in self.context.private.held.items():
            for region in regions if key in self._all_names else ():
                together.setdefault(region, set()).add(key)
        for keys in together.values():
            self._join_all(keys, set())

    def _enter(self, key: str) -> None:
        """Let a name that comes from outside share memory with all others that do."""
        if is_adjoint(key, self.context) and key in self.parameters:
            self._join(key, OUTSIDE + " adjoint")
        elif not self.says_scalar(key):
            self._join(key, OUTSIDE)

    def _bind(self, place: Tree, value: Expr) -> None:
        if _are_pairs(place, value):
            for p, v in zip(place.elts, value.elts, strict=True):
                self._bind(p, v)
            return
        if saves := self._taken_apart(place, value):
            for save in saves:
                self._bind(place, save)
            return
        if type(place) is gast.Name:
            self._join_all({place.id}, self.seen_through(value))
            return
        owners = {p.id for p in nodes(place) if type(p) is gast.Name}
        if type(place) is gast.Tuple and getattr(value, "id", None) in self.parameters:
            owners -= self.context.private.only
        if type(place) in SLOTS:
            owners = self.seen_through(place.value)
            base = place.value
            if type(base) is gast.Name and isinstance(self.kind(base.id), Array):
                return  # a store into an array copies
            if type(place) is gast.Subscript and _is_slice(place.slice):
                if not any(self.is_listlike(name(o)) for o in owners):
                    return
        self._join_all(owners, self.seen_through(value))

    def _taken_apart(self, place: Tree, value: Expr) -> list[Any]:
        """List the saves that a `pop` may take apart, if all that is ever pushed is known."""
        if type(value) is not gast.Call or not is_stack_call(value) or value.args:
            return []
        stack = value.func.value.id
        if stack not in self.stacks or stack not in self._made_as_lists:
            return []
        saves = self._values_pushed.get(stack, [])
        return saves if all(_are_pairs(place, save) for save in saves) else []

    def _bind_call(self, call: Expr) -> None:
        if is_stack_call(call) and call.func.value.id in self.stacks:
            return
        if self.is_pure_call(call) or self.is_added_at(call):
            return
        arguments = [*call.args, *(k.value for k in call.keywords)]
        seen = set().union(*(self.seen_through(a) for a in arguments))
        if type(call.func) is gast.Attribute:
            seen |= self.seen_through(call.func.value)
        self._join_all(seen, set())

    def _join_all(self, owners: set[str], seen: set[str]) -> None:
        if len(owners) + len(seen) < 2 or owners <= self._scalars:
            return
        together = [k for k in owners | seen if k not in self._scalars]
        if len(together) > 1:
            first = min(together)
            for key in together:
                self._join(first, key)

    def seen_through(self, tree: Tree) -> set[str]:
        """Collect the names whose memory the value of an expression may show."""
        cls = type(tree)
        if cls is gast.Name:
            return set() if tree.id in self._scalars else {tree.id}
        if cls is gast.BinOp:
            if self.is_listlike(tree.left) or self.is_listlike(tree.right):
                return self.seen_through(tree.left) | self.seen_through(tree.right)
            return set()
        if tree is None or cls in _SHOWING_NOTHING:
            return set()
        if cls is gast.Subscript:
            copied = self.is_item(tree) or self.is_gathered(tree)
            return set() if copied else self.seen_through(tree.value)
        if cls is gast.Attribute or cls is gast.Starred:
            found = self.context.resolve(tree) if cls is gast.Attribute else MISSING
            return self.seen_through(tree.value) if found is MISSING else {OUTSIDE}
        if cls is gast.IfExp:
            return self.seen_through(tree.body) | self.seen_through(tree.orelse)
        if cls is gast.Call:
            return self._seen_through_call(tree)
        if cls is gast.ListComp:
            return self.seen_through(tree.elt)  # its names share what is gone through themselves
        return set().union(*(self.seen_through(p) for p in children(tree)))

    def _seen_through_call(self, call: Expr) -> set[str]:
        if is_stack_call(call) and call.func.value.id in self.stacks:
            return self._pushed(call.func.value.id)
        if is_stack_call(call) and isinstance(self.kind(call.func.value.id), List):
            return self.seen_through(call.func.value) if not call.args else set()
        arguments = [*call.args, *(k.value for k in call.keywords)]
        seen = set().union(*(self.seen_through(a) for a in arguments))
        found = self.context.resolve(call.func)
        if found is MISSING:
            if type(call.func) is not gast.Attribute:
                return seen | {OUTSIDE}
            owner = self.seen_through(call.func.value)
            method = call.func.attr
            pure = is_pure_method(method)
            if pure and not traits_of_method(method).may_be_view:
                listlike = self.is_listlike(call.func.value)
                known = all(isinstance(self.kind(o), (Array, Real)) for o in owner)
                return owner if listlike or (method == "copy" and not known) else set()
            return seen | owner | (set() if pure else {OUTSIDE})
        if is_one_of(found, (len, float, int, bool, range, abs, isinstance)):
            return set()
        if is_runtime(found):
            shown = traits_of(found).shows
            if shown is not None and call.args:
                return set().union(*(self.seen_through(call.args[i]) for i in shown))
            return seen
        if is_module_function(found):
            return seen if traits_of(found).may_be_view else set()
        if self.is_pure_call(call):
            return seen
        return seen | {OUTSIDE}

    def _pushed(self, stack: str) -> set[str]:
        found: set[str] = set() if stack in self._made_as_lists else {OUTSIDE}
        for value in self._values_pushed.get(stack, ()):
            found |= self.seen_through(value)
        return found

    @functools.cached_property
    def _made_as_lists(self) -> set[str]:
        """The names that are bound to a list display."""
        made = [part.targets for part in self.parts(gast.Assign) if type(part.value) is gast.List]
        return {place.id for places in made for place in places if type(place) is gast.Name}

    @functools.cached_property
    def _values_pushed(self) -> dict[str, list[Any]]:
        """What is appended to each name."""
        found: dict[str, list[Any]] = {}
        for part in self.parts(gast.Call):
            if is_stack_call(part) and part.args:
                found.setdefault(part.func.value.id, []).append(part.args[0])
        return found

    def is_fresh(self, tree: Tree) -> bool:
        """Whether nothing else sees the value of an expression."""
        if isinstance(tree, (gast.Constant, gast.BinOp, gast.UnaryOp, gast.Compare, gast.Call)):
            return self.is_scalar(tree) or not self.seen_through(tree)
        if type(tree) is gast.Subscript and self.is_gathered(tree):
            return True
        return self.is_scalar(tree)

    def is_view(self, tree: Tree) -> bool:
        """Whether the value of an expression is part of other memory for sure."""
        if type(tree) is gast.Call:
            return self.context.resolve(tree.func) is np.expand_dims
        return type(tree) in SLOTS


def _are_pairs(place: Tree, value: Expr) -> bool:
    both = type(place) is gast.Tuple and type(value) is gast.Tuple
    return both and len(place.elts) == len(value.elts)


def _is_slice(index: Expr) -> bool:
    parts = index.elts if type(index) is gast.Tuple else [index]
    return any(
        type(p) is gast.Slice or (type(p) is gast.Constant and p.value is Ellipsis) for p in parts
    )
