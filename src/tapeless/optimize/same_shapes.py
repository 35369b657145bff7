"""A cotangent that has the shape of its operand is not summed to it, whatever that shape is.

    z = np.sin(x)                            z = np.sin(x)
    z_bar = unbroadcast(y_bar * z, z)   ->   z_bar = y_bar * z         where `y_bar` has the shape of `x`
    x_bar = unbroadcast(z_bar * c, x)        x_bar = z_bar * c

Ranks may be unknown: what is computed entry by entry has the shape to which its operands broadcast, so a
shape is written as the set of names whose shapes broadcast to it. Two expressions with one set have one
shape. A name stands in a set for itself if it is bound once, outside of loops; one that is computed
entry by entry, wherever it is bound, for the names that it is computed from. Numbers add nothing.

A cotangent that is spread over a shape only to be multiplied with an array of this shape, or chosen from
by a condition of this shape, is left to broadcast there.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import HASHABLE, SOMETHING, UNKNOWN, Array, Integer, Number, Real
from tapeless.optimize.analyses import body_of, effects_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.runtime import full, reduced_size, unbroadcast, unreduce, zeros
from tapeless.tree.blocks import all_statements
from tapeless.tree.body import Body
from tapeless.tree.build import const, quote_expression
from tapeless.tree.classes import LOOPS, ORDERING
from tapeless.tree.names import nodes
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree

Shape = frozenset[str]
SCALAR: Shape = frozenset()
_BY_ENTRY = frozenset({
    gast.Add, gast.Sub, gast.Mult, gast.Div, gast.Pow, gast.Mod, gast.FloorDiv,
})  # fmt: skip
_ARITHMETIC = frozenset({gast.Add, gast.Sub, gast.Mult, gast.Div, gast.USub})


def drop_broadcasts(function: gast.FunctionDef, context: Context) -> bool:
    """Leave cotangents as they are that have the shape of their operands.

    Examples
    --------
    >>> import gast
    >>> from tapeless import runtime
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, w):
    ...     z = np.sin(x)
    ...     y = z * w
    ...     y_bar = unreduce(2.0, np.shape(y), None, False)
    ...     z_bar = unbroadcast(unbroadcast(y_bar * y, y) * w, z)
    ...     x_bar = unbroadcast(z_bar * 0.5, x)
    ...     return x_bar
    ... ''').body[0]
    >>> found = {"np.sin": np.sin, "np.shape": np.shape, **vars(runtime)}
    >>> drop_broadcasts(function, Context(lambda tree: found.get(gast.unparse(tree))))
    True
    >>> print(unparse(function), end="")
    def f(x, w):
        z = np.sin(x)
        y = z * w
        y_bar = 2.0
        z_bar = unbroadcast(y_bar * y * w, z)
        x_bar = z_bar * 0.5
        return x_bar
    """
    calls = [p for p in body_of(function, context).parts(gast.Call) if type(p.func) is gast.Name]
    if not any(
        is_one_of(context.resolve(p.func), (unbroadcast, unreduce, reduced_size)) for p in calls
    ):
        return False
    dropper = _Dropper(Shapes(function, effects_of(function, context)))
    dropper.leave_spread_names(function)
    for s in all_statements(function.body):
        if type(s) in (gast.Assign, gast.AugAssign, gast.Return) and s.value is not None:
            s.value = dropper.visit(s.value)
    return dropper.dropped


class Shapes:
    """What the expressions of a function broadcast from."""

    def __init__(self, function: Tree, effects: Effects) -> None:
        self.effects, self.context = effects, effects.context
        self.function = function
        self.known: dict[str, Shape | None] = {}

    @functools.cached_property
    def repeated(self) -> set[str]:
        """The names that are bound in loops."""
        return set(_bound_in_loops(self.function))

    def of(self, tree: Expr, here: bool = False) -> Shape | None:
        """Return the names whose shapes broadcast to that of an expression; None where it is unknown.

        Read at one place, `here`, each name has one shape, however often it is bound elsewhere.
        """
        if type(tree) is gast.Constant:
            return SCALAR if type(tree.value) in (int, float, complex) else None
        if type(tree) is gast.Name:
            return self.of_name(tree.id, here)
        if type(tree) is gast.UnaryOp:
            return None if type(tree.op) is gast.Not else self.of(tree.operand, here)
        if type(tree) is gast.BinOp:
            parts = [tree.left, tree.right] if type(tree.op) in _BY_ENTRY else []
            return self.united(parts, here)
        if type(tree) is gast.Compare:
            ordered = len(tree.ops) == 1 and type(tree.ops[0]) in ORDERING
            return self.united([tree.left, *tree.comparators], here) if ordered else None
        if type(tree) is gast.Call:
            return self.of_call(tree, here)
        return self.of_item(tree) if type(tree) is gast.Subscript else None

    def united(self, parts: list[Expr], here: bool) -> Shape | None:
        """Return what several operands broadcast to together."""
        found: Shape = SCALAR
        for part in parts:
            shape = self.of(part, here)
            if shape is None:
                return None
            found |= shape
        return found if parts else None

    def of_name(self, key: str, here: bool) -> Shape | None:
        if self.effects.is_scalar_name(key) or getattr(self.effects.kind(key), "dims", None) == ():
            return SCALAR
        if not self.holds_entries(key):
            return None
        if key not in self.known:
            self.known[key] = None  # while it is looked for
            self.known[key] = self.where_bound(key)
        shape = self.known[key]
        return frozenset([key]) if shape is None and here else shape

    def holds_entries(self, key: str) -> bool:
        """Whether what a name holds is a number or an array, as far as anything is known of it."""
        kind = self.effects.kind(key)
        if kind in (SOMETHING, HASHABLE):
            return all(type(v) is gast.Compare for v in self.effects.values.get(key, [None]))
        plain = kind == UNKNOWN or isinstance(kind, (Real, Integer, Number, Array))
        return plain and key not in self.effects.scoped and key not in self.effects.lists

    def where_bound(self, key: str) -> Shape | None:
        """Return the shape that a name has wherever it is read; None where it may have several."""
        values = self.effects.values.get(key, [])
        if key in self.effects.parameters:
            return None if values else frozenset([key])
        anew = [v for v in values if v is None or not self.updates(key, v)]
        shapes = {None if v is None else self.of(v) for v in anew}
        shape = shapes.pop() if len(shapes) == 1 else None
        if shape is None:
            once = len(values) == 1 and key not in self.repeated
            return frozenset([key]) if once else None
        before = dict(self.known)
        self.known[key] = shape
        if all(self.of(v) == shape for v in values if v is not None):
            return shape
        self.known = before  # without what was found as if the updates left it at that
        return None

    @staticmethod
    def updates(key: str, value: Expr) -> bool:
        return any(type(part) is gast.Name and part.id == key for part in nodes(value))

    def of_item(self, tree: Expr) -> Shape | None:
        """Return what stands for the items of an array that are of one shape: `x[0]` and `x[1]`."""
        if type(tree.value) is not gast.Name or type(tree.slice) is not gast.Constant:
            return None
        owner = tree.value.id
        listed = self.of_name(owner, here=False) == frozenset([owner])
        if not listed or not isinstance(self.effects.kind(owner), (Array, Number)):
            return None
        return frozenset([f"{owner}[]"]) if type(tree.slice.value) is int else None

    def of_call(self, call: Expr, here: bool) -> Shape | None:
        found = self.context.resolve(call.func)
        if call.keywords or any(type(a) is gast.Starred for a in call.args):
            return None
        if isinstance(found, np.ufunc):
            by_entry = found.nout == 1 and found.signature is None
            return (
                self.united(call.args, here) if by_entry and len(call.args) == found.nin else None
            )
        if is_one_of(found, (unbroadcast, full)):
            return self.of(call.args[1], here)
        if found is zeros:
            return self.of(call.args[0], here)
        if found is np.where:
            return self.united(call.args, here) if len(call.args) == 3 else None
        if is_one_of(found, (reduced_size, len)) or (found is np.sum and len(call.args) == 1):
            return SCALAR
        return self.of_spread(call, here)

    def of_spread(self, call: Expr, here: bool) -> Shape | None:
        """Return the shape over which `unreduce(v, np.shape(x), None, False)` spreads a number."""
        if self.context.resolve(call.func) is not unreduce or len(call.args) != 4:
            return None
        axis, keepdims = (getattr(a, "value", "") for a in call.args[2:])
        shape = call.args[1]
        if type(shape) is gast.Name:
            made = self.effects.values.get(shape.id, [])
            shape, here = made[0] if len(made) == 1 else None, False
        asked = type(shape) is gast.Call and self.context.resolve(shape.func) is np.shape
        return self.of(shape.args[0], here) if asked and axis is None and not keepdims else None


def _bound_in_loops(function: Tree) -> Iterator[str]:
    for loop in nodes(function):
        if type(loop) in LOOPS:
            for part in nodes(loop):
                if type(part) is gast.Name and type(part.ctx) is gast.Store:
                    yield part.id


class _Dropper(Transformer):
    """Takes away what changes no shape."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.dropped = False
        read = shapes.effects.body.parts(gast.Name)
        self.numpy = next((p.id for p in read if shapes.context.resolve(p) is np), None)

    def leave_spread_names(self, function: Tree) -> None:
        """Leave names numbers that are spread over a shape, where what they meet has this shape anyway."""
        body, values = self.shapes.effects.body, self.shapes.effects.values
        spread = {
            key
            for key, made in values.items()
            if len(made) == 1 and type(made[0]) is gast.Call
            if self.shapes.of_spread(made[0], here=False)
        }
        met: Counter[str] = Counter()
        for root in self.roots(body) if spread else ():
            met.update(self.spread_for_nothing(root, spread))
        for s in all_statements(function.body):
            if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name or s.targets[1:]:
                continue
            place = s.targets[0]
            if place.id in spread and body.mentions[place.id] == met[place.id] + 1 > 1:
                s.value = s.value.args[0]
                self.shapes.known[place.id] = SCALAR
                self.dropped = True

    def spread_for_nothing(self, root: Expr, spread: set[str]) -> list[str]:
        """List the mentions of spread names that may all be numbers, and the expression has its shape."""
        left: list[tuple[_Place, Expr]] = []
        for place in list(self.operands(root)):
            operand = place.get()
            if type(operand) is gast.Name and operand.id in spread and self.needs_no(place, root):
                left.append((place, operand))
                place.put(const(1.0))  # so that another one must have the shape from elsewhere
        for place, operand in left:
            place.put(operand)
        return [operand.id for _, operand in left]

    def needs_no(self, place: _Place, root: Expr) -> bool:
        """Whether an expression has the same shape with a number as one of its operands."""
        whole, operand = self.shapes.of(root, here=True), place.get()
        place.put(const(1.0))
        alike = whole is not None and self.shapes.of(root, here=True) == whole
        place.put(operand)
        return alike

    def visit_Call(self, tree: Expr) -> Any:
        if self.chooses(tree):
            return self.without_spread(tree)
        self.generic_visit(tree)
        found = self.shapes.context.resolve(tree.func)
        if found is reduced_size:
            return self.size(tree)
        if found is not unbroadcast or len(tree.args) != 2:
            return tree
        g, x = (self.shapes.of(part, here=True) for part in tree.args)
        if g is None or not (g == x or (x == SCALAR and self.numpy)):
            return tree
        self.dropped = True
        if g == x:
            return tree.args[0]
        return quote_expression("np.sum(g)", np=self.numpy, g=tree.args[0])

    def size(self, tree: Expr) -> Expr:
        """Write how many entries all axes have together."""
        shape, *axes = tree.args
        of_all = all(type(axis) is gast.Constant and axis.value is None for axis in axes)
        if not of_all or type(shape) is not gast.Call or type(shape.func) is not gast.Attribute:
            return tree
        if self.shapes.context.resolve(shape.func) is not np.shape:
            return tree
        self.dropped = True
        shape.func.attr = "size"
        return shape

    def visit_BinOp(self, tree: Expr) -> Any:
        return self.without_spread(tree) if _is_arithmetic(tree) else self.generic_visit(tree)

    def without_spread(self, tree: Expr) -> Any:
        """Leave numbers to broadcast that are operands of what has the same shape without them."""
        places = list(self.operands(tree))
        for place in places:
            place.put(self.visit(place.get()))
        for place in places:
            operand = place.get()
            spread = type(operand) is gast.Call and self.shapes.of_spread(operand, here=True)
            if spread and self.needs_no(place, tree):
                place.put(operand.args[0])
                self.dropped = True
        return tree

    def chooses(self, tree: Tree) -> bool:
        """Whether an expression is `np.where(condition, x, y)`."""
        if type(tree) is not gast.Call or len(tree.args) != 3 or tree.keywords:
            return False
        return self.shapes.context.resolve(tree.func) is np.where

    def is_by_entry(self, tree: Tree) -> bool:
        return _is_arithmetic(tree) or self.chooses(tree)

    def operands(self, tree: Expr) -> Iterator[_Place]:
        """Walk the operands of all sums, products and choices that an expression is made of."""
        for place in _places(tree):
            part = place.get()
            if self.is_by_entry(part):
                yield from self.operands(part)
            else:
                yield place

    def roots(self, body: Body) -> list[Any]:
        """List the sums, products and choices that are not operands of another."""
        parts = [*body.parts(gast.BinOp), *body.parts(gast.Call)]
        found = [tree for tree in parts if self.is_by_entry(tree)]
        inner = {id(_unsigned(place.get())) for tree in found for place in _places(tree)}
        return [tree for tree in found if id(tree) not in inner]


@dataclass(frozen=True)
class _Place:
    """Where an operand stands in an expression, or among the arguments of one."""

    tree: Any
    field: str
    index: int | None = None

    def get(self) -> Any:
        """Return the operand."""
        held = getattr(self.tree, self.field)
        return held if self.index is None else held[self.index]

    def put(self, operand: Expr) -> None:
        """Put another one there."""
        if self.index is None:
            setattr(self.tree, self.field, operand)
        else:
            getattr(self.tree, self.field)[self.index] = operand


def _places(tree: Expr) -> list[_Place]:
    """List the operands of an operation, or the arguments of a call."""
    if type(tree) is gast.Call:
        return [_Place(tree, "args", i) for i in range(len(tree.args))]
    fields = ("left", "right") if type(tree) is gast.BinOp else ("operand",)
    return [_Place(tree, field) for field in fields]


def _is_arithmetic(tree: Expr) -> bool:
    return type(tree) in (gast.BinOp, gast.UnaryOp) and type(tree.op) in _ARITHMETIC


def _unsigned(tree: Expr) -> Expr:
    while is_negated(tree):
        tree = tree.operand
    return tree
