"""Operands: names and literals, in Python's order of evaluation.

What an operation is applied to is bound to a name of its own, unless it is one already. An index stays as
it is written if it reads names and shapes only. Where a later operand may change what an earlier one has
read, the earlier one is kept by a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

import gast
import numpy as np

import tapeless.runtime
from tapeless.errors import UnsupportedSyntaxError
from tapeless.externals import MISSING, External, constant
from tapeless.normalize.expand_assignments import Expander
from tapeless.normalize.expand_comprehensions import as_comprehension
from tapeless.normalize.iterators_by_place import places_of_iterators
from tapeless.normalize.plain import is_plain, is_zero_call
from tapeless.sorts import is_plain_object
from tapeless.tree.build import assign, at_line_of, name, slice_call
from tapeless.tree.classes import ATOMS, DOTTED
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, nodes, reads
from tapeless.tree.trees import Expr, Stmt, Tree
from tapeless.tree.truths import is_truth


class Atoms:
    """Binds the operands of one function to names, by statements that are `made` before them.

    How each class of expressions is brought to one operation on atoms, the `handlers` say, and how a
    block is, the class that follows.
    """

    def __init__(
        self, function: CoreFunction, handlers: Mapping[type, Callable[[Any, Tree], Any]]
    ) -> None:
        self.function = function
        self.handlers = handlers
        self.local = function.local
        self.names = Names(function.names())
        self.made: list[Any] = []
        self.operations: dict[str, Tree] = {}  # as the user wrote them, by their fresh names
        self.iterators = places_of_iterators(function, self.names)

    def block(self, statements: list[Stmt]) -> list[Any]:
        """Bring the statements of a block to one operation each."""
        raise NotImplementedError

    def lambda_name(self, tree: Tree) -> Any:
        """Define a function in place of a lambda; return its name."""
        raise NotImplementedError

    def helper(self, function: Any) -> Any:
        """Return the name by which the function reaches a runtime helper."""
        key = self.names.fresh(function.__name__)
        self.function.externals[key] = constant(function, function.__name__)
        return name(key)

    def write_out(self, statements: list[Stmt]) -> None:
        """Add statements of the user's Python, brought to the core language."""
        expander = Expander(self.function, self.names)
        for statement in statements:
            self.made += self.block(expander.listed([statement]))

    def refuse(self, tree: Tree, reason: str, fix: str) -> None:
        raise self.function.error(tree, reason, fix, UnsupportedSyntaxError)

    def test(self, tree: Tree) -> Any:
        return tree if is_plain(tree, self.function) else self.atom(tree)

    def index(self, tree: Tree, later: Iterable[Expr] = ()) -> Any:
        """Return an index that stays as it is while later operands are evaluated."""
        if type(tree) is gast.Tuple:
            rests = [[*tree.elts[i + 1 :], *later] for i in range(len(tree.elts))]
            items = [self.index(e, rest) for e, rest in zip(tree.elts, rests, strict=True)]
            return gast.Tuple(items, gast.Load())
        if type(tree) is gast.Slice:
            parts = (tree.lower, tree.upper, tree.step)
            rests = [[p for p in [*parts[i + 1 :], *later] if p is not None] for i in range(3)]
            return gast.Slice(
                *(
                    None if p is None else self.index(p, r)
                    for p, r in zip(parts, rests, strict=True)
                )
            )
        if not _is_steady(tree):
            return self.atom(tree)
        moved = rebound_by(later) & set(reads(tree))
        computed = type(tree) not in ATOMS
        if not moved and not (computed and any(map(self.may_change, later))):
            return tree
        fresh = self.names.fresh("i")
        self.made.append(assign(fresh, tree))
        return name(fresh)

    def flat_item(self, tree: Tree) -> Any:
        """Write `a.flat[i]` with one index per dimension; other items stay as they are."""
        owner = tree.value
        if type(owner) is not gast.Attribute or owner.attr != "flat":
            return tree
        array = self.atom(owner.value)
        index: Any = tree.slice
        if type(index) is gast.Slice:
            index = slice_call(index)
        at = self.names.fresh("at")
        call = gast.Call(self.helper(tapeless.runtime.flat_index), [array, self.atom(index)], [])
        self.made.append(assign(at, call))
        return gast.Subscript(array, name(at), tree.ctx)

    def place(self, tree: Tree, later: Expr | None = None) -> Any:
        """Return a place with its owner and index bound; they stay as they are while `later` runs."""
        if type(tree) is gast.Subscript:
            tree = self.flat_item(tree)
        rest = [] if later is None else [later]
        index = [tree.slice] if type(tree) is gast.Subscript else []
        value = self.steady_atom(tree.value, [*index, *rest])
        if type(tree) is gast.Subscript:
            return gast.Subscript(value, self.index(tree.slice, rest), tree.ctx)
        return gast.Attribute(value, tree.attr, tree.ctx)

    def may_change(self, tree: Tree) -> bool:
        """Whether evaluating an expression may change things: it calls what is not known."""
        calls = (part for part in nodes(tree) if type(part) is gast.Call)
        return any(not is_plain(gast.Call(c.func, [], c.keywords), self.function) for c in calls)

    def is_static(self, tree: Tree) -> bool:
        return type(tree) in DOTTED and self.function.resolve(tree) is not MISSING

    def by_own_name(self, tree: Tree) -> Any:
        """Name a mutable thing of a module or class: a store needs a name."""
        if type(tree) is not gast.Attribute:
            return tree
        module = self.function.resolve(tree.value)
        thing = self.function.resolve(tree)
        if not isinstance(thing, (np.ndarray, list, dict)) and not is_plain_object(thing):
            return tree
        if not isinstance(module, ModuleType):
            return self.bind(tree.attr, tree)
        externals = self.function.externals
        for key, external in externals.items():
            if external.owner is vars(module) and external.key == tree.attr:
                return name(key)
        key = self.names.fresh(tree.attr)
        externals[key] = External(vars(module), tree.attr)
        return name(key)

    def receiver(self, tree: Tree) -> Any:
        """Return what an attribute is taken from: an atom, or `super()` as it is written."""
        if type(tree) is gast.Call and self.function.resolve(tree.func) is super:
            return gast.Call(tree.func, [self.atom(a) for a in tree.args], [])
        return self.atom(tree)

    def atom(self, tree: Tree) -> Any:
        """Return a name or a literal for an expression, adding statements where needed."""
        if type(tree) in ATOMS or self.is_static(tree):
            return self.by_own_name(tree)
        if type(tree) is gast.UnaryOp and type(tree.operand) is gast.Constant:
            return tree
        if type(tree) is gast.Starred:
            made = as_comprehension(tree.value, self.function, self.names)
            value = tree.value if made is None else at_line_of(made, tree)
            return gast.Starred(self.atom(value), gast.Load())
        if type(tree) is gast.Lambda:
            return self.lambda_name(tree)
        value = self.operation(tree)
        if type(value) is gast.Name:
            return value
        found = self.bind("v", value)
        self.operations[found.id] = tree
        return found

    def bind(self, wish: str, value: Expr) -> Any:
        """Bind a value to a fresh name."""
        fresh = self.names.fresh(wish)
        self.made.append(assign(fresh, value))
        return name(fresh)

    def steady_atom(self, tree: Tree, later: list[Expr]) -> Any:
        """Return an atom that keeps its value where a later operand rebinds a name by `:=`."""
        found = self.atom(tree)
        if type(found) is not gast.Name or found.id not in rebound_by(later):
            return found
        return self.bind("v", found)

    def atoms(self, trees: list[Expr]) -> list[Any]:
        """Return atoms for operands that are evaluated in this order."""
        return [self.steady_atom(tree, trees[i + 1 :]) for i, tree in enumerate(trees)]

    def operation(self, tree: Tree) -> Any:
        """Return an expression of one operation on atoms."""
        if self.is_static(tree) or self.stayswhole_of(tree):
            return tree
        return self.handlers[type(tree)](self, tree)

    def stayswhole_of(self, tree: Tree) -> bool:
        inert = isinstance(tree, (gast.Compare, gast.JoinedStr, gast.Constant)) or is_zero_call(
            tree, self.function
        )
        if type(tree) is gast.UnaryOp:
            inert = type(tree.op) is gast.Not
        if type(tree) is gast.BoolOp:
            inert = all(is_truth(part) for part in tree.values)
        return inert and is_plain(tree, self.function)


def rebound_by(operands: Iterable[Expr]) -> set[str]:
    """Collect the names that operands rebind by `:=`."""
    parts = (part for operand in operands for part in nodes(operand))
    return set().union(*(binds(part.target) for part in parts if type(part) is gast.NamedExpr))


def _is_steady(tree: Tree) -> bool:
    """Whether an index reads names and shapes only, so that stores leave it as it is."""
    if type(tree) in ATOMS:
        return True
    if type(tree) is gast.BinOp:
        return _is_steady(tree.left) and _is_steady(tree.right)
    if type(tree) is gast.UnaryOp:
        return _is_steady(tree.operand)
    if type(tree) is gast.Call:
        called = type(tree.func) is gast.Name and tree.func.id == "len"
        return called and len(tree.args) == 1 and type(tree.args[0]) is gast.Name
    if type(tree) is gast.Subscript:
        tree = tree.value
        return type(tree) is gast.Attribute and tree.attr == "shape"
    return False
