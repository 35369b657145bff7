"""Products that are only summed are not made.

    np.sum(a * b, axis=0)               ->   np.einsum("ij,ij->j", a, b)
    np.sum(a[:, None] * b, axis=2)      ->   np.einsum("ik,ijk->ij", a, b)

The sum runs over both operands at once, where the product would be an array of their full shape. It is
added up in another order, so this is done in the reverse sweep only, and for arrays of doubles whose ranks
are known: an axis of size 1 is broadcast by `einsum` as it is by the product.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from itertools import count
from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array, Integer, Real
from tapeless.optimize.analyses import effects_of, generated_in, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_blocks, all_statements, bound, is_whole
from tapeless.tree.build import assign, const, name, unshared
from tapeless.tree.classes import POLYNOMIAL, SIMPLE
from tapeless.tree.names import nodes, reads
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Replacer, Transformer
from tapeless.tree.trees import Expr, Stmt

_MOST_AXES = 4
_OPPOSITE: dict[type, type] = {gast.Add: gast.Sub, gast.Sub: gast.Add}


def sum_products(function: gast.FunctionDef, context: Context) -> bool:
    """Sum products of two arrays without making them.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import UNKNOWN, Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(y_bar, d, s):
    ...     p_bar = (2.0 * y_bar)[:, :, None] * d
    ...     x_bar = np.sum(p_bar, axis=1) - np.sum(p_bar, axis=0)
    ...     s_bar = np.sum(y_bar * s, axis=1, keepdims=True)
    ...     return x_bar, s_bar
    ... ''').body[0]
    >>> ranks = {"y_bar": 2, "s": 2, "d": 3, "p_bar": 3}
    >>> kinds = {key: Array(tuple(Size(i) for i in range(n))) for key, n in ranks.items()}
    >>> resolve = lambda tree: np.sum if gast.unparse(tree) == "np.sum" else None
    >>> names = lambda key: key.endswith("bar")
    >>> context = Context(resolve, names, lambda key: kinds.get(key, UNKNOWN), reverse=True)
    >>> sum_products(function, context)
    True
    >>> print(unparse(function), end="")
    def f(y_bar, d, s):
        x_bar = 2.0 * np.einsum("ij,ijk->ik", y_bar, d) - 2.0 * np.einsum("ij,ijk->jk", y_bar, d)
        s_bar = np.einsum("ij,ij->i", y_bar, s)[:, None]
        return x_bar, s_bar
    """
    generated = generated_in(function, context)
    summing = [
        s
        for s in all_statements(function.body)
        if id(s) in generated and type(s) in SIMPLE and any(is_sum(p, context) for p in nodes(s))
    ]
    if not summing:
        return False
    effects = effects_of(function, context)
    for block in all_blocks(function.body):
        for s in [s for s in block if id(s) in generated]:
            _write_where_summed(block, s, effects)
    writer = _Writer(effects)
    for s in summing:
        s.value = writer.visit(s.value)
    version_of(function, context)
    return True


def is_sum(tree: Any, context: Context) -> bool:
    """Whether an expression is a sum over axes that are written out."""
    if type(tree) is not gast.Call or type(tree.func) is not gast.Attribute or len(tree.args) != 1:
        return False
    labels = {k.arg for k in tree.keywords}
    if "axis" not in labels or not labels <= {"axis", "keepdims"}:
        return False
    return context.resolve(tree.func) is np.sum


@dataclass
class Factors:
    """A product as numbers and two arrays, with the axes that each of them has of the product's."""

    numbers: list[Any]
    arrays: list[tuple[Any, list[int]]]
    negative: bool
    rank: int


def factors_of(tree: Expr, effects: Effects) -> Factors | None:
    """Take a product of two arrays apart; None for anything else."""
    numbers: list[Any] = []
    found: list[Any] = []
    negative = _collect(tree, effects, numbers, found)
    if len(found) != 2:
        return None
    arrays, ranks = [], []
    for part in found:
        made = _with_axes(part, effects, numbers)
        if made is None:
            return None
        operand, axes, rank = made
        arrays.append((operand, axes))
        ranks.append(rank)
    rank = max(ranks)
    placed = [
        (operand, [axis + rank - own for axis in axes])
        for (operand, axes), own in zip(arrays, ranks, strict=True)
    ]
    if {axis for _, axes in placed for axis in axes} != set(range(rank)):
        return None
    return Factors(numbers, placed, negative, rank) if 2 <= rank <= _MOST_AXES else None


def _collect(tree: Expr, effects: Effects, numbers: list[Any], arrays: list[Any]) -> bool:
    """Sort the factors of a product into numbers and arrays; return whether it is negative."""
    if is_negated(tree):
        return not _collect(tree.operand, effects, numbers, arrays)
    if type(tree) is gast.BinOp and type(tree.op) is gast.Mult:
        left = _collect(tree.left, effects, numbers, arrays)
        return left != _collect(tree.right, effects, numbers, arrays)
    (numbers if rank_of(tree, effects) == 0 else arrays).append(tree)
    return False


def _with_axes(
    tree: Expr, effects: Effects, numbers: list[Any]
) -> tuple[Any, list[int], int] | None:
    """Return an operand, the axes of the product that it has, and the rank that it is given.

    That of `x[:, None]` is `x`. Numbers that it is multiplied by are taken out.
    """
    if type(tree) is not gast.Subscript or not _is_spread(tree.slice):
        rank = rank_of(tree, effects)
        return (tree, list(range(rank)), rank) if rank else None
    inner: list[Any] = []
    before: list[Any] = []
    if _collect(tree.value, effects, before, inner):
        inner = []
    base = inner[0] if len(inner) == 1 else tree.value
    rank = rank_of(base, effects)
    if not rank:
        return None
    numbers += before if len(inner) == 1 else []
    items = _items(tree.slice)
    whole = [i for i, item in enumerate(items) if is_whole(item)]
    full = len(items) + rank - len(whole)
    return base, [*whole, *range(len(items), full)][:rank], full


def _items(index: Expr) -> list[Any]:
    return list(index.elts) if type(index) is gast.Tuple else [index]


def _is_spread(index: Expr) -> bool:
    """Whether an index only adds axes: `:, None`."""
    items = _items(index)
    return any(map(_is_none, items)) and all(is_whole(i) or _is_none(i) for i in items)


def _is_none(tree: Expr) -> bool:
    return type(tree) is gast.Constant and tree.value is None


def rank_of(tree: Expr, effects: Effects) -> int | None:
    """Return the rank of an expression of doubles; None where it is not known to be one."""
    if type(tree) is gast.Constant:
        return 0 if type(tree.value) in (int, float) else None
    if type(tree) is gast.Name:
        kind = effects.kind(tree.id)
        if isinstance(kind, Array):
            return len(kind.dims) if kind.dtype == "f8" else None
        return 0 if isinstance(kind, Integer) or kind == Real("f8") else None
    if type(tree) is gast.UnaryOp:
        return rank_of(tree.operand, effects) if type(tree.op) is gast.USub else None
    if type(tree) is gast.BinOp and type(tree.op) in (*POLYNOMIAL, gast.Div, gast.Pow):
        return _common_rank([tree.left, tree.right], effects)
    if type(tree) is gast.Subscript and _is_spread(tree.slice):
        rank = rank_of(tree.value, effects)
        return None if rank is None else rank + sum(map(_is_none, _items(tree.slice)))
    if type(tree) is gast.Call and not tree.keywords:
        if isinstance(effects.context.resolve(tree.func), np.ufunc):
            return _common_rank(tree.args, effects)
    return None


def _common_rank(parts: list[Any], effects: Effects) -> int | None:
    ranks = [rank_of(part, effects) for part in parts]
    return None if None in ranks else max(ranks, key=lambda rank: rank or 0)


class Signed(Transformer):
    """Writes signs as one does by hand."""

    def visit_UnaryOp(self, tree: Expr) -> Any:
        """Write `-(2.0 * s)` as `-2.0 * s`, and `--s` as `s`."""
        self.generic_visit(tree)
        inner = tree.operand
        if type(tree.op) is not gast.USub:
            return tree
        if is_negated(inner):
            return inner.operand
        if type(inner) is gast.BinOp and type(inner.op) is gast.Mult:
            if type(inner.left) is gast.Constant:
                return gast.BinOp(const(-inner.left.value), inner.op, inner.right)
        return tree

    def visit_BinOp(self, tree: Expr) -> Any:
        """Write `a + -s` as `a - s`."""
        self.generic_visit(tree)
        right, opposite = tree.right, _OPPOSITE.get(type(tree.op))
        if opposite and is_negated(right):
            tree.op, tree.right = opposite(), right.operand
        return tree


class _Writer(Signed):
    """Writes sums of products."""

    def __init__(self, effects: Effects) -> None:
        self.effects = effects

    def visit_Call(self, tree: Expr) -> Any:
        self.generic_visit(tree)
        if not is_sum(tree, self.effects.context):
            return tree
        factors = factors_of(tree.args[0], self.effects)
        return tree if factors is None else summed(tree, factors) or tree


def summed(tree: Expr, factors: Factors, negated: bool = False) -> Any:
    """Write the sum of a product; None where its axes are not written out, or all are summed."""
    given = {k.arg: k.value for k in tree.keywords}
    axes = axes_of(given["axis"], factors.rank)
    kept = getattr(given.get("keepdims"), "value", False)
    if axes is None or len(axes) == factors.rank or type(kept) is not bool:
        return None
    left = [axis for axis in range(factors.rank) if axis not in axes]
    labels = string.ascii_lowercase[8:]
    parts = ["".join(labels[axis] for axis in own) for _, own in factors.arrays]
    subscripts = f"{parts[0]},{parts[1]}->{''.join(labels[axis] for axis in left)}"
    func = gast.Attribute(unshared(tree.func.value), "einsum", gast.Load())
    made: Any = gast.Call(func, [const(subscripts), *(unshared(x) for x, _ in factors.arrays)], [])
    if kept:
        whole = gast.Slice(None, None, None)
        items = [const(None) if i in axes else unshared(whole) for i in range(factors.rank)]
        made = gast.Subscript(made, gast.Tuple(items, gast.Load()), gast.Load())
    for number in reversed(factors.numbers):
        made = gast.BinOp(unshared(number), gast.Mult(), made)
    return gast.UnaryOp(gast.USub(), made) if factors.negative != negated else made


def axes_of(tree: Expr, rank: int) -> set[int] | None:
    """Return the axes that an argument `axis` names; None where they are not written out."""
    try:
        given = gast.literal_eval(tree)
    except ValueError:
        return None
    axes = given if isinstance(given, tuple) else (given,)
    if not all(type(axis) is int and -rank <= axis < rank for axis in axes):
        return None
    return {axis % rank for axis in axes}


def _write_where_summed(block: list[Any], s: Stmt, effects: Effects) -> None:
    """Write a product that has a name where it is summed, if nothing else reads it."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
        return
    key = s.targets[0].id
    factors = factors_of(s.value, effects) if type(s.value) is gast.BinOp else None
    if factors is None:
        return
    if key in effects.scoped or len(effects.values.get(key, ())) != 1:
        return
    if not effects.context.temporaries(key):
        return
    mentions = sum(p.id == key for p in effects.parts(gast.Name)) - 1
    start = next(i for i, other in enumerate(block) if other is s)
    operands, memory = set(reads(s.value)), effects.touch(s.value).reads
    sums: list[Any] = []
    for following in block[start + 1 :]:
        if len(sums) == mentions:
            break
        if type(following) not in SIMPLE:
            return
        sums += [
            p
            for p in nodes(following)
            if is_sum(p, effects.context) and reads(p.args[0]) == [key] and _is_name(p.args[0])
        ]
        stored = bound(following) & operands or effects.collide(memory, effects.touch(following))
        if stored and len(sums) < mentions:
            return
    unnamed = [place for place, (x, _) in enumerate(factors.arrays) if type(x) is not gast.Name]
    if not sums or len(sums) != mentions or len(unnamed) > 1:
        return
    kept = [_named(factors, place, fresh_name(effects)) for place in unnamed]
    made = {id(p): summed(p, factors, type(p.args[0]) is gast.UnaryOp) for p in sums}
    if None in made.values():
        return
    for following in block[start + 1 :]:
        if getattr(following, "value", None) is not None:
            following.value = _SigningReplacer(made).visit(following.value)
    block[start : start + 1] = kept


def _named(factors: Factors, place: int, key: str) -> Any:
    """Let a name stand for what is computed in a product; return the statement that binds it."""
    operand, axes = factors.arrays[place]
    factors.arrays[place] = name(key), axes
    if factors.negative:
        operand, factors.negative = gast.UnaryOp(gast.USub(), operand), False
    return assign(key, Signed().visit(operand))


def fresh_name(effects: Effects) -> str:
    """Return a name that the function does not have, and that is not returned again."""
    key = next(key for i in count() if (key := f"v_{i}") not in effects.taken)
    effects.taken.add(key)
    return key


class _SigningReplacer(Replacer, Signed):
    """Puts other expressions in the place of some, and writes the signs around them by hand."""


def _is_name(tree: Expr) -> bool:
    inner = tree.operand if type(tree) is gast.UnaryOp else tree
    return type(inner) is gast.Name
