"""Identities of arithmetic, in statements that the tool wrote.

What the user wrote stays as it is. The identities below do not change a rounding: they drop
factors of one, terms of zero and double signs, and let a sign move into the operator. A product
with `1.0` is also a copy and makes a float; it is dropped only where neither matters.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from operator import is_
from typing import Any, ClassVar

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.optimize.analyses import body_of, effects_of, generated_in
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.needed_copies import NeededCopies
from tapeless.optimize.powers_of_two import gather_powers_of_two, move_to_smaller
from tapeless.optimize.simplify_items import is_number, is_the_number, simplified_item
from tapeless.ranks import dims_of
from tapeless.runtime import (
    copied,
    dot_left_bar,
    dot_right_bar,
    matmul_left_bar,
    matmul_right_bar,
    summed,
)
from tapeless.tree.blocks import all_statements
from tapeless.tree.body import Body
from tapeless.tree.build import const, is_same_tree
from tapeless.tree.classes import ARITHMETIC, COMPUTED, DISPLAYS, MULTIPLICATIVE, SIMPLE
from tapeless.tree.fields import PART_FIELDS
from tapeless.tree.names import nodes, reads
from tapeless.tree.signs import is_negated
from tapeless.tree.trees import Stmt, Tree
from tapeless.tree.truths import decided

_OF_PRODUCTS = (matmul_left_bar, matmul_right_bar, dot_left_bar, dot_right_bar)
_OF_CALLS = (copied, np.array, math.prod, *_OF_PRODUCTS)
_WITHOUT_IDENTITIES = frozenset({gast.Lambda, gast.Constant, gast.Name})


def simplify(function: gast.FunctionDef, context: Context) -> bool:
    """Apply identities to generated statements.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x_bar, y):
    ...     v_bar = -1.0 * x_bar * y
    ...     w_bar = v_bar + -(x_bar / y)
    ...     w_bar += -v_bar
    ...     return w_bar
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key.endswith("_bar"), reverse=True)
    >>> simplify(function, context)
    True
    >>> print(unparse(function), end="")
    def f(x_bar, y):
        v_bar = -x_bar * y
        w_bar = v_bar - x_bar / y
        w_bar -= v_bar
        return w_bar
    """
    body = body_of(function, context)
    generated = generated_in(function, context)
    found = [
        s
        for s in all_statements(function.body)
        if id(s) in generated and type(s) in SIMPLE and _may_hold_identity(s, body, context)
    ]
    if not found:
        return False
    effects = effects_of(function, context)
    copies = NeededCopies(effects)
    changed = False
    for statement in found:
        changed = _simplify_statement(statement, effects, copies) or changed
    return changed


def _may_hold_identity(s: Stmt, body: Body, context: Context) -> bool:
    """Whether a statement holds a number, a sign, a sum or a call that an identity is about."""
    parts = body.of(s).by_class
    if gast.Constant in parts or gast.UnaryOp in parts:
        return True
    if any(type(part.op) is gast.Add for part in parts.get(gast.BinOp, ())):
        return True
    if any(part.attr == "T" for part in parts.get(gast.Attribute, ())):
        return True
    calls = parts.get(gast.Call, ())
    return any(is_one_of(context.resolve(call.func), _OF_CALLS) for call in calls)


def _simplify_statement(s: Stmt, effects: Effects, copies: NeededCopies) -> bool:
    before = getattr(s, "value", None)
    if before is None:
        return False
    made = _simplified(s, _Rewriter(effects), copies)
    changed = made is not before and not is_same_tree(made, before)
    if changed:
        s.value = made
    if type(s) is gast.AugAssign:
        return _move_sign(s) or changed
    if type(s) is gast.Return:
        return _return_uncopied(s, effects) or changed
    return changed


def _simplified(s: Stmt, rewriter: _Rewriter, copies: NeededCopies) -> Any:
    """Return the value of a statement with identities applied: the value itself where none does."""
    if type(s) is gast.AugAssign:
        return rewriter.inner(s.value)
    made = rewriter.inner(s.value)
    return made if copies.may_name_again(s, made) else rewriter.whole(s.value)


def _return_uncopied(s: Stmt, effects: Effects) -> bool:
    """Return `x_bar` for `np.array(x_bar)`, where nothing else shares the memory of `x_bar`."""
    items = s.value.elts if type(s.value) is gast.Tuple else [s.value]
    read = reads(s.value)

    def shown(tree: Tree) -> Any:
        held = tree.args[0] if _copies_array(tree, effects) else None
        if not isinstance(held, gast.Name) or not effects.alone(held.id):
            return tree
        return held if read.count(held.id) == 1 else tree

    made = [shown(item) for item in items]
    if all(map(is_, made, items)):
        return False
    s.value = gast.Tuple(made, gast.Load()) if type(s.value) is gast.Tuple else made[0]
    return True


def _copies_array(tree: Tree, effects: Effects) -> bool:
    """Whether an expression is `np.array(x)` of what is an array for sure."""
    if type(tree) is not gast.Call or len(tree.args) != 1 or tree.keywords:
        return False
    return effects.context.resolve(tree.func) is np.array and effects.is_array(tree.args[0])


def _move_sign(s: Stmt) -> bool:
    """Write `x += -g` as `x -= g`."""
    opposite = {gast.Add: gast.Sub, gast.Sub: gast.Add}
    value = s.value
    stripped = _without_sign(value) if type(s.op) in opposite else None
    if stripped is not None:
        s.op, s.value = opposite[type(s.op)](), stripped
    return stripped is not None


def _without_sign(tree: Tree) -> Any:
    """Return `g` for `-g` and `g * y` for `-g * y`; None where there is no sign in front."""
    if is_negated(tree):
        return tree.operand
    if type(tree) is gast.Constant and isinstance(tree.value, float) and tree.value < 0:
        return const(-tree.value)
    if type(tree) is gast.BinOp and type(tree.op) in MULTIPLICATIVE:
        left = _without_sign(tree.left)
        if left is not None:
            return gast.BinOp(left, tree.op, tree.right)
    return None


class _Rewriter:
    """Rewrites an expression from the inside to the outside until no identity applies.

    What it is given stays as it is, and is returned itself where nothing in it applies.
    """

    def __init__(self, effects: Effects) -> None:
        self.effects = effects

    def whole(self, tree: Tree) -> Any:
        """Rewrite an expression whose value must stay a copy if it is one."""
        if type(tree) in DISPLAYS:
            return _with_parts(tree, {"elts": [self.whole(item) for item in tree.elts]})
        made = self.inner(tree)
        if made is tree or self.effects.is_fresh(made) or self.effects.is_view(tree):
            return made
        return self.children(tree)

    def inner(self, tree: Tree) -> Any:
        """Rewrite an operand."""
        if type(tree) in _WITHOUT_IDENTITIES or not isinstance(tree, gast.expr):
            return tree
        tree = self.children(tree)
        while (made := self.once(tree)) is not None:
            tree = made
        return tree

    def children(self, tree: Tree) -> Any:
        made: dict[str, Any] = {}
        for field in PART_FIELDS[type(tree)]:
            value = getattr(tree, field, None)
            if isinstance(value, gast.expr):
                # an argument or an item keeps its memory to itself as it did, and so does what is
                # evaluated before something that may store into it
                operand = type(tree) in COMPUTED
                operand = operand and not (field == "left" and self.may_store_after(tree))
                made[field] = self.inner(value) if operand else self.whole(value)
            elif isinstance(value, list):
                read = type(tree) is gast.Call and self.effects.only_reads(tree)
                made[field] = [self.inner(v) if read else self.item(v) for v in value]
        return _with_parts(tree, made)

    def may_store_after(self, tree: Tree) -> bool:
        """Whether the operands after the first call something that may store."""
        after = [tree.right] if type(tree) is gast.BinOp else tree.comparators
        calls = [part for o in after for part in nodes(o) if type(part) is gast.Call]
        return not all(self.effects.is_pure_call(c) or self.effects.is_read_only(c) for c in calls)

    def item(self, tree: Tree) -> Any:
        if type(tree) is gast.keyword:
            return _with_parts(tree, {"value": self.whole(tree.value)})
        return self.whole(tree) if isinstance(tree, gast.expr) else tree

    def once(self, tree: Tree) -> Any:
        """Apply one identity at the root; None where none applies."""
        applied = self._identities.get(type(tree.op if type(tree) in ARITHMETIC else tree))
        return None if applied is None else applied(self, tree)

    def call(self, tree: Tree) -> Any:
        """Write `np.full_like(x, 1.0)` as `np.ones_like(x)`, copy nothing that is new, sum no literals."""
        found = self.effects.context.resolve(tree.func)
        if found is copied:
            return tree.args[0] if self.is_list_of_new_rows(tree.args[0]) else None
        if _copies_array(tree, self.effects):
            return tree.args[0] if self.effects.is_fresh(tree.args[0]) else None
        if found is np.sum and tree.args:
            return self.negated_sum(tree)
        if found is np.expand_dims:
            return self.new_axis(tree)
        if is_one_of(found, (np.shape, np.size)) and len(tree.args) == 1:
            alike = self.of_same_shape(tree.args[0])
            return None if alike is None else gast.Call(tree.func, [alike], [])
        if found is math.prod:
            return self.size(tree)
        if is_one_of(found, _OF_PRODUCTS):
            return self.of_square(tree)
        if found is summed:
            return tree.args[0] if type(tree.args[0]) is gast.Constant else None
        if found is not np.full_like or len(tree.args) != 2:
            return None
        short = {"1.0": "ones_like", "0.0": "zeros_like"}
        number = repr(getattr(tree.args[1], "value", None))
        if number not in short or type(tree.func) is not gast.Attribute:
            return None
        func = gast.Attribute(tree.func.value, short[number], gast.Load())
        return gast.Call(func, [tree.args[0]], tree.keywords)

    def of_square(self, tree: Tree) -> Any:
        """Write `matmul_left_bar(g, r, r)` as `g * r` for a number `g`: `r @ r` is one, and `r` a vector."""
        g, *operands = tree.args
        if tree.keywords or not is_same_tree(*operands) or not self.effects.is_scalar(g):
            return None
        return gast.BinOp(g, gast.Mult(), operands[0])

    def size(self, tree: Tree) -> Any:
        """Write `math.prod(np.shape(x))` as `np.size(x)`."""
        shape: Any = tree.args[0] if len(tree.args) == 1 and not tree.keywords else None
        if type(shape) is not gast.Call or type(shape.func) is not gast.Attribute:
            return None
        if self.effects.context.resolve(shape.func) is not np.shape:
            return None
        func = gast.Attribute(shape.func.value, "size", gast.Load())
        return gast.Call(func, shape.args, [])

    def transposed(self, tree: Tree) -> Any:
        """Write `x.T.T` as `x`, and `(a.T @ b).T` as `b.T @ a`."""
        inner: Any = tree.value
        if tree.attr != "T":
            return None
        if type(inner) is gast.BinOp and type(inner.op) is gast.MatMult:
            return self.transposed_product(inner)
        twice = type(inner) is gast.Attribute and inner.attr == "T"
        return inner.value if twice and self.effects.is_array(inner.value) else None

    def transposed_product(self, product: Tree) -> Any:
        """Write the transpose of a product of matrices one of which is a transpose itself."""
        sides = [product.right, product.left]
        plain = [s.value if type(s) is gast.Attribute and s.attr == "T" else None for s in sides]
        names = [s if inner is None else inner for s, inner in zip(sides, plain, strict=True)]
        if plain == [None, None] or not all(map(self.is_matrix, names)):
            return None
        made = [
            gast.Attribute(s, "T", gast.Load()) if inner is None else inner
            for s, inner in zip(sides, plain, strict=True)
        ]
        return gast.BinOp(made[0], gast.MatMult(), made[1])

    def is_matrix(self, tree: Tree) -> bool:
        return type(tree) is gast.Name and len(dims_of(self.effects.kind(tree.id)) or ()) == 2

    def new_axis(self, tree: Tree) -> Any:
        """Write `np.expand_dims(x, 1)` as `x[:, None]`."""
        axis = tree.args[1].value if len(tree.args) == 2 and _is_integer(tree.args[1]) else None
        if axis is not None and axis < 0 and type(tree.args[0]) is gast.Name:
            dims = dims_of(self.effects.kind(tree.args[0].id))
            axis = axis if dims is None else axis + len(dims) + 1
        if axis is None or axis < 0 or not axis and not self.effects.is_array(tree.args[0]):
            return None  # scalars have no index
        before = [gast.Slice(None, None, None) for _ in range(axis)]
        index: Any = gast.Constant(None, None)
        if before:
            index = gast.Tuple([*before, index], gast.Load())
        return gast.Subscript(tree.args[0], index, gast.Load())

    def negated_sum(self, tree: Tree) -> Any:
        """Write `np.sum(-x)` as `-np.sum(x)`: there is less to negate."""
        if len(tree.args) > 1 or any(k.arg not in ("axis", "keepdims") for k in tree.keywords):
            return None
        negated = _without_sign(tree.args[0])
        if negated is None or not self.effects.is_array(negated):
            return None
        return gast.UnaryOp(gast.USub(), gast.Call(tree.func, [negated], tree.keywords))

    def of_same_shape(self, tree: Tree) -> Any:
        """Return what an expression is computed from item by item, if that is one thing."""
        if is_negated(tree):
            return tree.operand
        if type(tree) is gast.BinOp:
            raised = type(tree.op) is gast.Pow  # of numbers and arrays only
            for number, other in ((tree.right, tree.left), (tree.left, tree.right)):
                if type(number) is gast.Constant and (raised or self.effects.is_array(other)):
                    return other
        if type(tree) is gast.Call and len(tree.args) == 1 and not tree.keywords:
            found = self.effects.context.resolve(tree.func)
            if isinstance(found, np.ufunc) and found.nin == found.nout == 1:
                return tree.args[0]
        return None

    def is_list_of_new_rows(self, tree: Tree) -> bool:
        """Whether an expression lists the rows of an array that was just computed."""
        if type(tree) is not gast.Call or len(tree.args) != 1 or tree.keywords:
            return False
        rows = tree.args[0]
        listed = self.effects.context.resolve(tree.func) is list
        return listed and type(rows) is gast.BinOp and not self.effects.is_listlike(rows)

    def negation(self, tree: Tree) -> Any:
        operand = tree.operand
        if is_negated(operand):
            return operand.operand
        if type(operand) is gast.Constant and is_number(operand):
            return const(-operand.value) if operand.value < 0 else None
        if type(operand) is gast.BinOp and type(operand.op) in MULTIPLICATIVE:
            left = _without_sign(operand.left)
            if left is not None:
                return gast.BinOp(left, operand.op, operand.right)
            if _is_factor(operand.left):
                return gast.BinOp(const(-operand.left.value), operand.op, operand.right)
        return None

    def product(self, tree: Tree) -> Any:
        for number, other in ((tree.left, tree.right), (tree.right, tree.left)):
            one, minus = is_the_number(number, 1.0), _is_minus_one(number)
            if type(other) is gast.Constant and (one or minus) and is_number(other):
                if isinstance(number, (gast.Constant, gast.UnaryOp)):
                    return const(float(other.value) * (-1.0 if minus else 1.0))
            if (one or minus) and self.effects.is_float(other):
                return other if one else gast.UnaryOp(gast.USub(), other)
        folded = _fold(tree) or gather_powers_of_two(tree, self.effects.is_float)
        folded = folded or move_to_smaller(tree, self.effects.is_scalar)
        if folded is not None:
            return folded
        for number, other in ((tree.left, tree.right), (tree.right, tree.left)):
            unsigned = _without_sign(other) if _is_factor(number) else None
            if unsigned is not None:
                return gast.BinOp(const(-number.value), gast.Mult(), unsigned)
        right = _without_sign(tree.right)
        if right is not None and type(tree.right) is not gast.Constant:
            return gast.UnaryOp(gast.USub(), gast.BinOp(tree.left, gast.Mult(), right))
        return None

    def quotient(self, tree: Tree) -> Any:
        if is_the_number(tree.right, 1.0) and self.effects.is_float(tree.left):
            return tree.left
        return None

    def sum(self, tree: Tree) -> Any:
        if is_the_number(tree.left, 0.0) and self.effects.is_float(tree.right):
            return tree.right
        if is_the_number(tree.right, 0.0) and self.effects.is_float(tree.left):
            return tree.left
        right = _without_sign(tree.right)
        if right is not None:
            return gast.BinOp(tree.left, gast.Sub(), right)
        if (folded := _fold(tree)) is not None:
            return folded
        before, last = None, tree.left
        if type(last) is gast.BinOp and type(last.op) is gast.Add:
            before, last = last.left, last.right
        same = any(is_same_tree(last, t) for t in (tree.right, _swapped(tree.right)))
        if same and self.effects.is_float(last) and self.effects.is_pure(last):
            twice = _doubled(last)
            return twice if before is None else gast.BinOp(before, gast.Add(), twice)
        return None

    def difference(self, tree: Tree) -> Any:
        right = _without_sign(tree.right)
        if right is not None:
            return gast.BinOp(tree.left, gast.Add(), right)
        if is_the_number(tree.right, 0.0) and self.effects.is_float(tree.left):
            return tree.left
        if is_the_number(tree.right, 0) and self.effects.is_integer(tree.left):
            return tree.left
        if is_the_number(tree.left, 0.0) and self.effects.is_float(tree.right):
            return gast.UnaryOp(gast.USub(), tree.right)
        return _fold(tree)

    def power(self, tree: Tree) -> Any:
        return (
            tree.left if is_the_number(tree.right, 1) and self.effects.is_float(tree.left) else None
        )

    def choice(self, tree: Tree) -> Any:
        truth = decided(tree.test)
        return None if truth is None else tree.body if truth else tree.orelse

    _identities: ClassVar[dict[type, Callable[..., Any]]] = {
        gast.USub: negation,
        gast.UAdd: lambda rewriter, tree: tree.operand,
        gast.Call: call,
        gast.Attribute: transposed,
        gast.IfExp: choice,
        gast.Subscript: lambda rewriter, tree: simplified_item(tree, rewriter.effects),
        gast.Mult: product,
        gast.Div: quotient,
        gast.Add: sum,
        gast.Sub: difference,
        gast.Pow: power,
    }


def _with_parts(tree: Tree, parts: dict[str, Any]) -> Any:
    """Return a tree with other parts; itself if they are those that it has."""
    for field, part in parts.items():
        old = getattr(tree, field)
        if not (all(map(is_, part, old)) if type(part) is list else part is old):
            cls: Any = type(tree)
            made = cls.__new__(cls)
            made.__dict__.update(tree.__dict__, **parts)
            return made
    return tree


def _swapped(tree: Tree) -> Any:
    """Write the factors of a product of two in the other order."""
    if type(tree) is not gast.BinOp or type(tree.op) is not gast.Mult:
        return tree
    return gast.BinOp(tree.right, tree.op, tree.left)


def _doubled(tree: Tree) -> Any:
    """Multiply the first factor of a product by two, which rounds nothing."""
    if type(tree) is gast.BinOp and type(tree.op) is gast.Mult:
        return gast.BinOp(_doubled(tree.left), gast.Mult(), tree.right)
    return gast.BinOp(const(2.0), gast.Mult(), tree)


def _fold(tree: Tree) -> Any:
    """Compute with two literals."""
    left, right, compute = tree.left, tree.right, _FOLDED.get(type(tree.op))
    if compute and type(left) is gast.Constant and type(right) is gast.Constant:
        if is_number(left) and is_number(right):
            return const(compute(left.value, right.value))
    return None


_FOLDED = {gast.Mult: operator.mul, gast.Add: operator.add, gast.Sub: operator.sub}


def _is_integer(tree: Tree) -> bool:
    """Whether an expression is a whole number."""
    return type(tree) is gast.Constant and type(tree.value) is int


def _is_factor(tree: Tree) -> bool:
    """Whether an expression is a positive literal that can take the sign of what it multiplies."""
    return type(tree) is gast.Constant and type(tree.value) is float and tree.value > 0


def _is_minus_one(tree: Tree) -> bool:
    if is_negated(tree):
        return is_the_number(tree.operand, 1.0)
    return is_the_number(tree, -1.0)
