"""Whether evaluating what is pure may raise all the same.

A statement of the user's that is dead is removed only if it cannot raise: the exception would be part of
what the function does. Shapes that broadcast together for sure do not raise, whatever they are.
"""

from __future__ import annotations

import math
from typing import Any

import gast
import numpy as np

from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import Dim, Integer, Real, Size, Tuple
from tapeless.optimize.values import Values
from tapeless.ranks import dims_of, same_dims
from tapeless.rules.traits import traits_of
from tapeless.runtime import DOTS, NORMS
from tapeless.tree.classes import ATOMS, DISPLAYS, MEMBERSHIP
from tapeless.tree.signs import integer
from tapeless.tree.trees import Expr, Tree

_TOTAL_OF_NUMBERS = (
    abs, min, max, math.fabs, math.erf, math.erfc, math.atan, math.tanh, math.asinh,
)  # fmt: skip
_OF_NUMBERS = (*DOTS.values(), *NORMS.values())  # that are doubles, wherever these are called


def may_raise(tree: Tree, values: Values) -> bool:
    """Whether evaluating a pure expression of the user's may raise."""
    if type(tree) in ATOMS:
        return False
    if type(tree) is gast.UnaryOp:
        return may_raise(tree.operand, values)
    if type(tree) in DISPLAYS:
        return any(may_raise(item, values) for item in tree.elts)
    if isinstance(tree, (gast.Compare, gast.BinOp)):
        return _operation_may_raise(tree, values)
    if type(tree) is gast.Call:
        return _call_may_raise(tree, values)
    if type(tree) is gast.Attribute:  # of a module, or found on one before
        return values.context.resolve(tree) is MISSING and not _is_field(tree, values)
    return True


def _is_field(tree: Expr, values: Values) -> bool:
    """Whether an attribute is surely a field of a named tuple."""
    kind = values.kind(tree.value.id) if type(tree.value) is gast.Name else None
    if not isinstance(kind, Tuple) or kind.or_none:
        return False
    return tree.attr in getattr(kind.cls, "_fields", ())


def _operation_may_raise(tree: Tree, values: Values) -> bool:
    if type(tree) is gast.Compare:
        operands = [tree.left, *tree.comparators]
        if any(type(o) in MEMBERSHIP for o in tree.ops):
            return True
    else:
        operands = [tree.left, tree.right]
        if isinstance(tree.op, (gast.Div, gast.Mod, gast.FloorDiv)):
            if not (values.is_array(tree.left) or values.is_array(tree.right)):
                right = tree.right
                if not (type(right) is gast.Constant and right.value):
                    return True
        elif type(tree.op) is gast.MatMult:
            raises = any(may_raise(o, values) for o in operands)
            return raises or not _inner_agree(tree.left, tree.right, values)
        elif not isinstance(tree.op, (gast.Add, gast.Sub, gast.Mult, gast.Pow)):
            return True
    return any(may_raise(o, values) for o in operands) or not _agree(operands, values)


def _inner_agree(left: Expr, right: Expr, values: Values) -> bool:
    """Whether vectors or matrices are multiplied whose sizes agree for sure."""
    p, q = _dims(left, values), _dims(right, values)
    if not p or not q or len(p) > 2 or len(q) > 2:
        return False
    return p[-1] == (q[0] if len(q) == 1 else q[-2])


def _agree(operands: list[Expr], values: Values) -> bool:
    """Whether operands broadcast together for sure."""
    arrays = [o for o in operands if not values.is_scalar(o)]
    if any(values.is_listlike(a) for a in arrays):
        return False
    if len(arrays) < 2:
        return True
    if all(type(a) is gast.Name for a in arrays) and len({a.id for a in arrays}) == 1:
        return True
    dims = [_dims(a, values) for a in arrays]
    return all(d == () or _fits(dims[0], d) for d in dims[1:])


def _dims(tree: Tree, values: Values) -> tuple[Dim, ...] | None:
    """Return the dimensions of an expression whose operands agree, None where not known."""
    if type(tree) is gast.Name:
        return dims_of(values.kind(tree.id))
    if type(tree) is gast.BinOp:
        operands = [tree.left, tree.right]
    elif type(tree) is gast.Call:
        operands = list(tree.args)
        if not isinstance(values.context.resolve(tree.func), np.ufunc):
            return None
    else:
        return None
    arrays = [o for o in operands if not values.is_scalar(o)]
    return _dims(arrays[0], values) if arrays else ()


def _call_may_raise(call: Expr, values: Values) -> bool:
    found = values.context.resolve(call.func)
    if any(may_raise(a, values) for a in call.args):
        return True
    if _is_of_constants(call, found, values):
        return False
    if found is np.squeeze:
        return not _squeezes_one(call, values)
    if call.keywords:
        return not (traits_of(found).total and _has_axes(call, values))
    if isinstance(found, np.ufunc):
        if found.signature is not None:
            return True
        return len(call.args) != found.nin or not _agree(call.args, values)
    if traits_of(found).total:
        return len(call.args) != 1 and not is_one_of(found, _OF_NUMBERS)
    if found is float or found is np.float64:
        return (
            len(call.args) != 1
            or not values.is_scalar(call.args[0])
            or not values.is_float(call.args[0])
        )
    if found is np.where:
        return len(call.args) != 3 or not _agree(call.args, values)
    if found is math.sin or found is math.cos:
        return False
    if found is len:
        return len(call.args) != 1 or not values.is_finite_sequence(call.args[0])
    if is_one_of(found, _TOTAL_OF_NUMBERS):
        least, most = (2, math.inf) if found is min or found is max else (1, 2)
        numbers = all(_is_real(a, values) for a in call.args)
        return not (numbers and least <= len(call.args) <= most)
    return True


def _is_of_constants(call: Expr, found: Any, values: Values) -> bool:
    """Whether a function of `math` is called with numbers that the text says, and gives a number."""
    if getattr(found, "__module__", "") != "math" or call.keywords:
        return False
    try:
        found(*[_number(a, values) for a in call.args])
    except (ArithmeticError, TypeError, ValueError):
        return False
    return True


def _number(tree: Expr, values: Values) -> Any:
    """Return the number that an expression of constants gives; None for any other."""
    if type(tree) is gast.Attribute:
        return values.context.resolve(tree)
    if type(tree) is gast.BinOp and type(tree.op) is gast.Mult:
        return _number(tree.left, values) * _number(tree.right, values)
    return tree.value if type(tree) is gast.Constant else None


def _is_real(tree: Expr, values: Values) -> bool:
    """Whether an expression of numbers gives a real one for sure."""
    if type(tree) is gast.Name:
        return isinstance(values.kind(tree.id), (Real, Integer))
    if type(tree) is gast.Constant:
        return type(tree.value) in (int, float)
    if type(tree) is gast.UnaryOp:
        return _is_real(tree.operand, values)
    if type(tree) is gast.BinOp:
        return _is_real(tree.left, values) and _is_real(tree.right, values)
    return False


def _has_axes(call: Expr, values: Values) -> bool:
    """Whether a reduction is along axes that its operand surely has."""
    asked = {k.arg: k.value for k in call.keywords}
    dims = _dims(call.args[0], values) if len(call.args) == 1 else None
    if dims is None or asked.keys() - {"axis", "keepdims"}:
        return False
    if any(type(value) is not gast.Constant for value in asked.values()):
        return False
    axis = asked["axis"].value if "axis" in asked else None
    return axis is None or type(axis) is int and 0 <= axis < len(dims)


def _squeezes_one(call: Expr, values: Values) -> bool:
    """Whether an axis is taken away that surely is of size 1, as those are that a reduction keeps."""
    dims = _dims(call.args[0], values) if len(call.args) == 1 else None
    if dims is None or [k.arg for k in call.keywords] != ["axis"]:
        return False
    axis = integer(call.keywords[0].value)
    return axis is not None and -len(dims) <= axis < len(dims) and dims[axis] == 1


def unpacks(iterable: Expr, place: Tree, values: Values) -> bool:
    """Whether a loop over an expression binds its names for sure: nothing can raise."""
    if type(place) is gast.Name:
        return _iterates(iterable, values)
    if type(place) is not gast.Tuple or type(iterable) is not gast.Call:
        return False
    if not all(type(part) is gast.Name for part in place.elts):
        return False
    found = values.context.resolve(iterable.func)
    width = 2 if found is enumerate else len(iterable.args) if found is zip else None
    return len(place.elts) == width and _iterates(iterable, values)


def _iterates(tree: Tree, values: Values) -> bool:
    """Whether iterating over an expression can neither raise nor go on for ever."""
    if type(tree) is not gast.Call:
        return values.is_finite_sequence(tree)
    found = values.context.resolve(tree.func)
    if tree.keywords or not tree.args:
        return False
    if found is range:
        step = tree.args[2] if len(tree.args) > 2 else None
        moves = step is None or type(step) is gast.Constant and bool(step.value)
        return moves and all(values.is_integer(a) for a in tree.args)
    if found is zip or found is enumerate and len(tree.args) == 1:
        return all(_iterates(a, values) for a in tree.args)
    if found is reversed:
        return len(tree.args) == 1 and values.is_finite_sequence(tree.args[0])
    return False


def _fits(a: tuple[Dim, ...] | None, b: tuple[Dim, ...] | None) -> bool:
    """Whether shapes of one rank are taken to broadcast: a length that is written out may not."""
    if a is None or b is None or not same_dims(a, b):
        return False
    return all(
        p == q or isinstance(p, Size) and isinstance(q, Size) for p, q in zip(a, b, strict=True)
    )
