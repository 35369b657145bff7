"""Sums are taken before what is linear in them.

    b_bar = a @ m + c * w                 ->   sum_a = np.sum(a, axis=0)
    x_bar = np.sum(b_bar, axis=0)              x_bar = sum_a @ m + np.sum(c * w, axis=0)

A cotangent that is only summed need not be made. The sum of a matrix product along its rows is a product
with the sum of the rows, a factor without the axis of a sum stands before it, and a sum of products is
the sum of their sums, each of which needs no product (`sum_products.py`). It is added up in another order,
so this is done in the reverse sweep only, for arrays of doubles. A term that is broadcast is not summed by
itself: every term has all axes of the whole, for sure.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array, Dim, not_one
from tapeless.optimize.analyses import effects_of, generated_in, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.sum_products import (
    Signed,
    axes_of,
    factors_of,
    fresh_name,
    is_sum,
    rank_of,
)
from tapeless.ranks import broadcast_dims, same_dims
from tapeless.source.printer import unparse
from tapeless.tree.blocks import after, all_blocks, all_statements, binds_one_name, bound, is_whole
from tapeless.tree.build import assign, const, name, unshared
from tapeless.tree.classes import POLYNOMIAL, SIMPLE
from tapeless.tree.names import nodes, reads
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Replacer, Transformer
from tapeless.tree.trees import Expr, Stmt

Dims = tuple[Dim, ...]
_MOST_SUMS = 4
_LINEAR = (gast.Add, gast.Sub)
_COMPUTED = (gast.BinOp, gast.Call)


def sum_early(function: gast.FunctionDef, context: Context) -> bool:
    """Sum before multiplying.

    Examples
    --------
    >>> import gast
    >>> import numpy as np
    >>> from tapeless.kinds import UNKNOWN, Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(a, m, w, d):
    ...     b_bar = a @ m + d * w
    ...     x_bar = -np.sum(b_bar, axis=0)
    ...     c_bar = w[:, None] * m
    ...     c_bar -= m * d
    ...     y_bar = np.sum(c_bar, axis=0) - np.sum(c_bar, axis=1)
    ...     return x_bar, y_bar
    ... ''').body[0]
    >>> n = Size("n", least=2)
    >>> ranks = {"a": 2, "m": 2, "w": 1, "d": 2, "b_bar": 2, "c_bar": 2}
    >>> kinds = {key: Array((n,) * rank) for key, rank in ranks.items()}
    >>> resolve = lambda tree: np.sum if gast.unparse(tree) == "np.sum" else None
    >>> names = lambda key: key.endswith("bar")
    >>> context = Context(resolve, names, lambda key: kinds.get(key, UNKNOWN), reverse=True)
    >>> sum_early(function, context)
    True
    >>> print(unparse(function), end="")
    def f(a, m, w, d):
        x_bar = -(np.sum(a, axis=0) @ m + np.sum(d, axis=0) * w)
        y_bar = (
            np.sum(w[:, None] * m, axis=0)
            - np.sum(m * d, axis=0)
            - w * np.sum(m, axis=1)
            + np.sum(m * d, axis=1)
        )
        return x_bar, y_bar
    """
    generated = generated_in(function, context)
    candidates = (s for s in all_statements(function.body) if id(s) in generated)
    if not any(_sums_what_is_computed(s, context) for s in candidates):
        return False
    effects = effects_of(function, context)
    changed = False
    for block in all_blocks(function.body):
        for s in [s for s in block if id(s) in generated]:
            changed |= _sum_where_read(block, s, effects) or _sum_within(block, s, effects)
    version_of(function, context)
    return changed


def _sums_what_is_computed(s: Stmt, context: Context) -> bool:
    """Whether a statement sums a name, or what is computed in it."""
    return type(s) in SIMPLE and any(
        is_sum(p, context) and type(_unsigned(p.args[0])) in {gast.Name, *_COMPUTED}
        for p in nodes(s)
    )


@dataclass
class _Named:
    """A name that is only summed: its terms with their signs, and the statements that sum it."""

    terms: list[tuple[Expr, int]]
    updates: list[Stmt] = field(default_factory=list)
    users: list[Stmt] = field(default_factory=list)
    sums: list[Expr] = field(default_factory=list)


def _sum_where_read(block: list[Any], s: Stmt, effects: Effects) -> bool:
    """Sum the terms of what a statement binds, if it is only read to be summed."""
    if not binds_one_name(s):
        return False
    key = s.targets[0].id
    kind = effects.kind(key)
    if not isinstance(kind, Array) or kind.dtype != "f8" or len(kind.dims) not in (2, 3, 4):
        return False
    if key in effects.scoped or not effects.context.temporaries(key):
        return False
    found = _terms_and_sums(block, s, key, effects)
    if found is None or not 0 < len(found.sums) * len(found.terms) <= _MOST_SUMS:
        return False
    if not all(_is_worth_it(term, found, effects) for term, _ in found.terms):
        return False
    if not all(same_dims(dims_of(term, effects), kind.dims) for term, _ in found.terms):
        return False
    made = {id(p): _sum_of_terms(p, found.terms, kind.dims, effects) for p in found.sums}
    if None in made.values():
        return False
    for user in found.users:
        _replace(block, user, made, effects)
    block[:] = [other for other in block if other is not s and other not in found.updates]
    return True


def _sum_within(block: list[Any], s: Stmt, effects: Effects) -> bool:
    """Sum the terms of what a statement sums without a name."""
    made: dict[int, Any] = {}
    for p in nodes(s) if type(s) in SIMPLE else ():
        if not is_sum(p, effects.context) or type(_unsigned(p.args[0])) not in _COMPUTED:
            continue
        dims, found = dims_of(p.args[0], effects), _Named(_terms_of(p.args[0]), sums=[p])
        alike = dims and all(same_dims(dims_of(term, effects), dims) for term, _ in found.terms)
        if dims and alike and all(_is_worth_it(term, found, effects) for term, _ in found.terms):
            part = _sum_of_terms(p, found.terms, dims, effects)
            made |= {} if part is None else {id(p): part}
    if made:
        _replace(block, s, made, effects)
    return bool(made)


def _replace(block: list[Any], s: Any, made: dict[int, Any], effects: Effects) -> None:
    """Put other expressions in the place of the sums of a statement."""
    parts = {id(part) for part in made.values()}
    s.value = Signed().visit(_Flat(parts).visit(Replacer(made).visit(s.value)))
    _name_once(block, s, effects)


class _Flat(Transformer):
    """Writes `x - (a + b)` as `x - a - b` where the sum was put there."""

    def __init__(self, parts: set[int]) -> None:
        self.parts = parts

    def visit_BinOp(self, tree: Expr) -> Any:
        """Write all terms in a row."""
        flat = type(tree.op) in _LINEAR and id(tree.right) in self.parts
        self.generic_visit(tree)
        if not flat:
            return tree
        sign = 1 if type(tree.op) is gast.Add else -1
        return _in_a_row([(tree.left, 1), *_terms_of(tree.right, sign)])


def _in_a_row(terms: list[tuple[Any, int]]) -> Any:
    (first, sign), *others = terms
    made = first if sign > 0 else gast.UnaryOp(gast.USub(), first)
    for term, sign in others:
        made = gast.BinOp(made, gast.Add() if sign > 0 else gast.Sub(), term)
    return made


def _terms_and_sums(block: list[Any], s: Any, key: str, effects: Effects) -> _Named | None:
    """Follow a name from where it is bound to where it is summed; None where it is read otherwise."""
    found = _Named(_terms_of(s.value))
    mentions = sum(p.id == key for p in effects.parts(gast.Name)) - 1
    operands, memory = set(reads(s.value)), effects.touch(s.value).reads
    for following in after(block, s):
        if not mentions:
            break
        if type(following) not in SIMPLE:
            return None
        if _updates(following, key) and not found.sums:
            sign = 1 if type(following.op) is gast.Add else -1
            found.terms += [(term, sign * own) for term, own in _terms_of(following.value)]
            found.updates.append(following)
            operands |= set(reads(following.value))
            memory |= effects.touch(following.value).reads
            mentions -= 1
            continue
        sums = [
            p
            for p in nodes(following)
            if is_sum(p, effects.context) and reads(_unsigned(p.args[0])) == [key]
            if type(_unsigned(p.args[0])) is gast.Name
        ]
        if sums:
            found.users.append(following)
            found.sums += sums
            mentions -= len(sums)
        if mentions and (
            bound(following) & operands or effects.collide(memory, effects.touch(following))
        ):
            return None
    return None if mentions else found


def _updates(s: Stmt, key: str) -> bool:
    """Whether a statement adds something else to a name."""
    if type(s) is not gast.AugAssign or type(s.op) not in _LINEAR:
        return False
    return type(s.target) is gast.Name and s.target.id == key and key not in reads(s.value)


def _terms_of(tree: Expr, sign: int = 1) -> list[tuple[Expr, int]]:
    if is_negated(tree):
        return _terms_of(tree.operand, -sign)
    if type(tree) is gast.BinOp and type(tree.op) in _LINEAR:
        right = sign if type(tree.op) is gast.Add else -sign
        return _terms_of(tree.left, sign) + _terms_of(tree.right, right)
    return [(tree, sign)]


def _is_worth_it(term: Expr, found: _Named, effects: Effects) -> bool:
    """Whether summing a term by itself saves making it; what has no name is computed only once."""
    inner = _untransposed(term)
    if type(inner) is gast.BinOp and type(inner.op) is gast.MatMult:
        return len(found.sums) == 1
    factors = factors_of(term, effects)
    if factors is None:
        return False
    return len(found.sums) == 1 or all(type(x) is gast.Name for x, _ in factors.arrays)


def _sum_of_terms(call: Expr, terms: list[tuple[Expr, int]], dims: Dims, effects: Effects) -> Any:
    """Write the sum of a name as that of its terms; None where its axes are not written out."""
    given = {k.arg: k.value for k in call.keywords}
    axes = axes_of(given["axis"], len(dims))
    if axes is None or len(axes) == len(dims) or "keepdims" in given:
        return None
    whole = _Sums(effects, call.func, dims, several=len(terms) > 1)
    parts = [(whole.of(term, axes), sign) for term, sign in terms]
    if any(part is None for part, _ in parts):
        return None
    made = _in_a_row(parts)
    return gast.UnaryOp(gast.USub(), made) if type(call.args[0]) is gast.UnaryOp else made


@dataclass
class _Sums:
    """Writes sums of terms that have certain dimensions; one product is left as it is."""

    effects: Effects
    func: Expr
    dims: Dims
    several: bool

    def of(self, tree: Expr, axes: set[int]) -> Any:
        """Write the sum of an expression along axes; None where it is none that this knows."""
        order = _order(tree, len(self.dims))
        if order is not None:
            inner = _before_transposing(order, axes)
            return None if inner is None else self.of(tree.func.value, inner)
        if type(tree) is gast.BinOp and type(tree.op) is gast.MatMult:
            return self.of_product(tree, axes)
        return self.before_factors(tree, axes) or (self.plain(tree, axes) if self.several else None)

    def plain(self, tree: Expr, axes: set[int]) -> Any:
        """Write a call of `np.sum`; what is transposed is summed as it was before."""
        dims = dims_of(tree, self.effects)
        order = None if dims is None else _order(tree, len(dims))
        inner = None if order is None else _before_transposing(order, axes)
        if inner is not None:
            return self.plain(tree.func.value, inner)
        listed = sorted(axes)
        axis = (
            const(listed[0]) if len(listed) == 1 else gast.Tuple([*map(const, listed)], gast.Load())
        )
        return gast.Call(unshared(self.func), [unshared(tree)], [gast.keyword("axis", axis)])

    def of_product(self, tree: Expr, axes: set[int]) -> Any:
        """Write the sum of the rows of a matrix product, `sum(a) @ m`, or of its columns."""
        left, right = (dims_of(p, self.effects) for p in (tree.left, tree.right))
        if left is None or right is None or len(axes) != 1:
            return None
        ranks, [axis] = (len(left), len(right)), axes
        rank = max(ranks)
        if axis < rank - 2 or rank > 3:
            return None
        if axis == rank - 2 and ranks[0] == rank:
            operands = [self.plain(tree.left, {axis}), unshared(tree.right)]
            if ranks[1] == 2:
                return gast.BinOp(operands[0], gast.MatMult(), operands[1])
            return self.einsum("ij,ijk->ik", operands)
        if axis == rank - 1 and ranks[0] == ranks[1]:
            operands = [unshared(tree.left), self.plain(tree.right, {axis})]
            if rank == 2:
                return gast.BinOp(operands[0], gast.MatMult(), operands[1])
            return self.einsum("ijk,ik->ij", operands)
        return None

    def einsum(self, subscripts: str, operands: list[Any]) -> Any:
        """Write a sum of products of stacks."""
        func = gast.Attribute(unshared(self.func.value), "einsum", gast.Load())
        return gast.Call(func, [const(subscripts), *operands], [])

    def before_factors(self, tree: Expr, axes: set[int]) -> Any:
        """Write a product before whose sum the factors stand that do not have its axes."""
        factors = factors_of(tree, self.effects)
        if factors is None or factors.rank != len(self.dims):
            return None
        for place, (operand, own) in enumerate(factors.arrays):
            other, its_own = factors.arrays[1 - place]
            if set(own) & axes or its_own != list(range(factors.rank)):
                continue
            dims = dims_of(other, self.effects)
            if dims is None or not all(map(not_one, dims)) or not _trail(own, axes, factors.rank):
                continue
            summed = self.plain(other, axes)
            pair = (summed, unshared(operand)) if place else (unshared(operand), summed)
            made: Any = gast.BinOp(pair[0], gast.Mult(), pair[1])
            for number in reversed(factors.numbers):
                made = gast.BinOp(unshared(number), gast.Mult(), made)
            return gast.UnaryOp(gast.USub(), made) if factors.negative else made
        return None


def _trail(own: list[int], axes: set[int], rank: int) -> bool:
    """Whether the axes of a factor are the last ones of those that are left."""
    left = [axis for axis in range(rank) if axis not in axes]
    return bool(own) and left[len(left) - len(own) :] == own


def dims_of(tree: Expr, effects: Effects) -> Dims | None:
    """Return the dimensions of an expression of doubles; None where they are not known."""
    if type(tree) is gast.Name:
        kind = effects.kind(tree.id)
        if isinstance(kind, Array):
            return kind.dims if kind.dtype == "f8" else None
    if rank_of(tree, effects) == 0:
        return ()
    if is_negated(tree):
        return dims_of(tree.operand, effects)
    if type(tree) is gast.Subscript:
        dims = dims_of(tree.value, effects)
        return None if dims is None or rank_of(tree, effects) is None else _spread(tree, dims)
    if type(tree) is gast.Attribute and tree.attr == "T":
        inner = dims_of(tree.value, effects)
        return None if inner is None else inner[::-1]
    if type(tree) is gast.Call and _is_transposing(tree):
        inner = dims_of(tree.func.value, effects)
        order = None if inner is None else _order(tree, len(inner))
        return None if inner is None or order is None else tuple(inner[axis] for axis in order)
    if type(tree) is gast.BinOp and type(tree.op) is gast.MatMult:
        left, right = dims_of(tree.left, effects), dims_of(tree.right, effects)
        if left is None or right is None or len(left) < 2 or len(right) < 2:
            return None
        return (*broadcast_dims(left[:-2], right[:-2]), left[-2], right[-1])
    return _dims_by_entry(tree, effects)


def _dims_by_entry(tree: Expr, effects: Effects) -> Dims | None:
    """Return the dimensions of what is computed entry by entry."""
    operands: list[Any] = []
    if type(tree) is gast.BinOp and type(tree.op) in (*POLYNOMIAL, gast.Div, gast.Pow):
        operands = [tree.left, tree.right]
    elif type(tree) is gast.Call and not tree.keywords:
        found = effects.context.resolve(tree.func)
        by_entry = isinstance(found, np.ufunc) and found.signature is None and found.nout == 1
        operands = tree.args if by_entry and len(tree.args) == found.nin else []
    dims: Dims = ()
    for operand in operands:
        own = dims_of(operand, effects)
        if own is None:
            return None
        dims = broadcast_dims(dims, own)
    return dims if operands else None


def _spread(tree: Expr, dims: Dims) -> Dims:
    """Return the dimensions of `x[:, None]`."""
    items = tree.slice.elts if type(tree.slice) is gast.Tuple else [tree.slice]
    left = list(dims)
    made = [left.pop(0) if is_whole(item) else 1 for item in items]
    return (*made, *left)


def _is_transposing(tree: Expr) -> bool:
    return type(tree.func) is gast.Attribute and tree.func.attr == "transpose" and bool(tree.args)


def _order(tree: Expr, rank: int) -> list[int] | None:
    """Return where the axes of `x.transpose(1, 0, 2)` come from; None for anything else."""
    if type(tree) is not gast.Call or not _is_transposing(tree) or tree.keywords:
        return None
    order = [getattr(argument, "value", None) for argument in tree.args]
    return order if sorted(order, key=str) == [*range(rank)] else None  # type: ignore[return-value]


def _before_transposing(order: list[int], axes: set[int]) -> set[int] | None:
    """Return which axes are summed of what is transposed; None where the sum would be transposed, too."""
    kept = [axis for place, axis in enumerate(order) if place not in axes]
    return {order[axis] for axis in axes} if kept == sorted(kept) else None


def _untransposed(tree: Expr) -> Expr:
    while type(tree) is gast.Call and _is_transposing(tree):
        tree = tree.func.value
    return tree


def _unsigned(tree: Expr) -> Expr:
    return tree.operand if is_negated(tree) else tree


def _name_once(block: list[Any], s: Stmt, effects: Effects) -> None:
    """Give a sum that a statement takes twice a name before it."""
    sums = [p for p in nodes(s) if is_sum(p, effects.context)]
    written = Counter(unparse(p) for p in sums)
    twice = [p for p in sums if written[unparse(p)] > 1 and type(p.args[0]) is gast.Name]
    if not twice:
        return
    key, text = fresh_name(effects), unparse(twice[0])
    made = {id(p): name(key) for p in twice if unparse(p) == text}
    place = next(i for i, other in enumerate(block) if other is s)
    block.insert(place, assign(key, unshared(twice[0])))
    s.value = Replacer(made).visit(s.value)
