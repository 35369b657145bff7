"""Numbers among the factors of a product are gathered where multiplying by them costs least.

    0.5 * k * (2.0 * x)          ->   k * x
    0.001 * (2.0 * w)            ->   0.002 * w
    1.0 / n * (2.0 * r)          ->   2.0 / n * r
    a[:, None] * (2.0 * x)       ->   (2.0 * a)[:, None] * x

Scaling by a power of two is exact (IEEE 754), so where it happens in a product does not matter, but for
numbers at the ends of the range. A number is multiplied with what is smaller than the product if
there is such a factor: a scalar, or what is broadcast along a new axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gast

from tapeless.analysis.cuts import keeps_all
from tapeless.tree.build import const, unshared
from tapeless.tree.signs import is_negated
from tapeless.tree.trees import Expr


def gather_powers_of_two(tree: Expr, is_float: Callable[[Expr], bool]) -> Any:
    """Write a product with one literal instead of several, if all but one are powers of two.

    Parameters
    ----------
    tree
        A product; it is not changed.
    is_float
        Whether an expression gives floating-point numbers for sure, so that `1.0 *` can be left out.

    Returns
    -------
    The shorter product; None where there is none.

    Examples
    --------
    >>> def gathered(text):
    ...     made = gather_powers_of_two(gast.parse(text).body[0].value, lambda tree: True)
    ...     return made and gast.unparse(made).strip()
    >>> gathered("0.5 * k * (2.0 * x)"), gathered("a * 0.3 * (4.0 * b)"), gathered("0.1 * (0.3 * w)")
    ('k * x', 'a * 1.2 * b', None)
    >>> gathered("-(0.5 * a)[:, None] * (2.0 * x)"), gathered("1.0 / n * (2.0 * r)")
    ('-a[:, None] * x', '2.0 / n * r')
    """
    literals = [f for f in _factors(tree) if type(f) is gast.Constant]
    if len(literals) < 2 or not all(type(f.value) is float for f in literals):
        return None
    others = [f for f in literals if abs(math.frexp(f.value)[0]) != 0.5]
    if len(others) > 1:
        return None
    value = math.prod(f.value for f in literals)
    if value == 0.0 or not math.isfinite(value):
        return None
    if value == 1.0:
        made = _without(tree, literals)
        return made if made is not None and is_float(made) and _is_shorter(made, tree) else None
    kept = next((f for f in _numerators(tree) if any(f is one for one in literals)), None)
    kept = kept or (others[0] if others else literals[0])
    made = _put(_without(tree, [f for f in literals if f is not kept]), kept, value)
    return made if _is_shorter(made, tree) else None


def move_to_smaller(tree: Expr, is_scalar: Callable[[Expr], bool]) -> Any:
    """Multiply by a literal what is smaller than a product; None where that is done or cannot be.

    Examples
    --------
    >>> def moved(text):
    ...     made = move_to_smaller(gast.parse(text).body[0].value, lambda tree: tree.id == "k")
    ...     return made and gast.unparse(made).strip()
    >>> moved("a[:, None] * (3.0 * x)"), moved("k * (2.0 * x)"), moved("g * (2.0 * x)")
    ('(3.0 * a)[:, None] * x', '2.0 * k * x', None)
    """
    left, right = tree.left, tree.right
    if type(right) is not gast.BinOp or type(right.op) is not gast.Mult:
        return None
    number = right.left
    if type(number) is not gast.Constant or type(number.value) is not float:
        return None
    if _is_widened(left):
        inner = gast.BinOp(number, gast.Mult(), left.value)
        smaller = gast.Subscript(inner, left.slice, gast.Load())
        return gast.BinOp(smaller, gast.Mult(), right.right)
    if type(left) is gast.Name and is_scalar(left) and not is_scalar(right.right):
        return gast.BinOp(gast.BinOp(number, gast.Mult(), left), gast.Mult(), right.right)
    return None


def _is_widened(tree: Expr) -> bool:
    """Whether an expression gives new axes to what is in it, and leaves all entries there."""
    return type(tree) is gast.Subscript and keeps_all(tree.slice)


def _inside(tree: Expr) -> Any:
    """Return the name of the field in which a sign, a quotient or a view has its factors."""
    if is_negated(tree):
        return "operand"
    if type(tree) is gast.BinOp and type(tree.op) is gast.Div:
        return "left"
    return "value" if _is_widened(tree) else None


def _factors(tree: Expr) -> list[Any]:
    if type(tree) is gast.BinOp and type(tree.op) is gast.Mult:
        return [*_factors(tree.left), *_factors(tree.right)]
    field = _inside(tree)
    return [tree] if field is None else _factors(getattr(tree, field))


def _numerators(tree: Expr) -> list[Any]:
    """List the factors of a product that stand above a line or are smaller than the product."""
    if type(tree) is gast.BinOp and type(tree.op) is gast.Mult:
        return [*_numerators(tree.left), *_numerators(tree.right)]
    return [] if _inside(tree) in (None, "operand") else _factors(tree)


def _without(tree: Expr, dropped: list[Any]) -> Any:
    """Return a product without some of its factors; None if none is left."""
    if any(tree is factor for factor in dropped):
        return None
    field = _inside(tree)
    if field is not None:
        inner = _without(getattr(tree, field), dropped)
        return _with(tree, field, const(1.0) if inner is None else inner)
    if type(tree) is not gast.BinOp or type(tree.op) is not gast.Mult:
        return tree
    left, right = _without(tree.left, dropped), _without(tree.right, dropped)
    if left is None or right is None:
        return right if left is None else left
    return gast.BinOp(left, tree.op, right)


def _put(tree: Expr, literal: Expr, value: float) -> Any:
    """Return a product with another number in the place of a literal."""
    if tree is literal:
        return const(value)
    field = _inside(tree)
    if field is not None:
        return _with(tree, field, _put(getattr(tree, field), literal, value))
    if type(tree) is not gast.BinOp or type(tree.op) is not gast.Mult:
        return unshared(tree)
    return gast.BinOp(_put(tree.left, literal, value), tree.op, _put(tree.right, literal, value))


def _with(tree: Expr, field: str, inner: Expr) -> Any:
    """Return an expression with something else in a field."""
    parts = {name: getattr(tree, name) for name in tree._fields} | {field: inner}
    return type(tree)(**parts)


def _is_shorter(made: Expr, tree: Expr) -> bool:
    """Whether fewer numbers are left among the factors: a line keeps a 1 above it."""

    def count(product: Expr) -> int:
        return sum(type(f) is gast.Constant for f in _factors(product))

    return count(made) < count(tree)
