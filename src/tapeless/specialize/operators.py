"""Operators: calls of special methods, and lists and tuples that count as arrays.

w = u + v           ->   w = u.__add__(v)               where u is an object
u += v              ->   u = u.__iadd__(v)
w = [1.0] + a       ->   v = np.array([1.0]); w = v + a where a is an array
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.interpret.special_calls import BINARY, has_method
from tapeless.analysis.special_methods import stores_when_read
from tapeless.joins import are_joined_tuples, as_array, is_tuple
from tapeless.kinds import (
    UNKNOWN,
    Array,
    Dict,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sparse,
    is_container,
    is_listed,
    is_truth,
)
from tapeless.specialize.containers import (
    updated,
    whole,
)
from tapeless.specialize.rebinding import bound_anew
from tapeless.specialize.sparse import power_of_sparse_array
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import (
    is_set_by_code,
    spread_index,
)
from tapeless.tree.build import (
    as_load,
    as_store,
    assign,
    name,
    quote_expression,
)
from tapeless.tree.trees import Expr, Stmt


def binary(specializer: Specializer, tree: Expr, to: str | None) -> list[Stmt] | None:
    """Write an operator between two operands as the call that it makes."""
    stem = BINARY[type(tree.op).__name__]
    left, right = specializer.kind(tree.left), specializer.kind(tree.right)
    if has_method(left, f"__{stem}__"):
        return specializer.called(tree.left, f"__{stem}__", [tree.right], to)
    if left != UNKNOWN and has_method(right, f"__r{stem}__"):
        check_reflected(specializer, tree, left, right)
        return specializer.called(tree.right, f"__r{stem}__", [tree.left], to)
    plain = _is_literal(tree.left) or _is_literal(tree.right)  # a number of Python's: that raises
    if to is not None and not plain and joins_array(left, right, tree.op):
        return with_array(specializer, tree, to, 0 if is_listed(left) else 1)
    if stem == "pow" and isinstance(left, Sparse):
        return power_of_sparse_array(specializer, tree, to)
    if stem == "add" and to is not None and are_joined_tuples(left, right):
        items: list[Any] = [gast.Starred(part, gast.Load()) for part in (tree.left, tree.right)]
        return [assign(to, gast.Tuple(items, gast.Load()))]
    if stem == "or" and isinstance(left, Dict) and isinstance(right, Dict) and to is not None:
        copied = assign(to, quote_expression("d.copy()", d=tree.left))
        return [copied, *updated(specializer, name(to), tree.right)]
    return None


def with_array(specializer: Specializer, tree: Expr, to: str, listed: int) -> list[Stmt]:
    """Make an array of a list or tuple that stands beside one, as NumPy does."""
    sides = [tree.left, tree.right]
    key = specializer.names.fresh("v")
    made = quote_expression("np.array(x)", np=specializer.external(np), x=sides[listed])
    sides[listed] = name(key)
    return [assign(key, made), assign(to, gast.BinOp(sides[0], tree.op, sides[1]))]


def _is_literal(tree: Expr) -> bool:
    """Whether an atom is written out: a number may have a sign."""
    return type(tree) in (gast.Constant, gast.UnaryOp)


def check_reflected(specializer: Specializer, tree: Expr, left: Kind, right: Expr) -> None:
    """NumPy's numbers take an object that looks like a sequence for an array."""
    if _is_literal(tree.left) or isinstance(left, (Integer, Instance)):
        return
    if getattr(right.cls, "__array_ufunc__", ...) is None:
        return
    sequence = any(hasattr(right.cls, m) for m in ("__len__", "__getitem__", "__array__"))
    if sequence or isinstance(left, Array):
        specializer.refuse(
            tree,
            f"NumPy may take an object of class {right.cls.__name__} for an array here",
            "write the object on the left, or give its class `__array_ufunc__ = None`",
        )


def augmented(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write `u += v` as the call that it makes; an item or attribute that it changes gets a name."""
    place = as_load(s.target)
    changed = specializer.value(place).kind
    value = specializer.kind(s.value)
    if not is_listed(changed) and joins_array(changed, value, s.op):
        key = specializer.names.fresh("v")
        made = quote_expression("np.array(x)", np=specializer.external(np), x=s.value)
        return [assign(key, made), gast.AugAssign(s.target, s.op, name(key))]
    extended = isinstance(changed, List) and type(s.op) is gast.Add  # which a number does not do
    if is_listed(changed) and isinstance(value, (Array, Number, Real)):
        if extended and isinstance(value, Real):
            specializer.refuse(
                s,
                "a list, tuple or dict stands beside this operator",
                "make an array of it first: np.array(items)",
            )
        return _joined_anew(specializer, s, place)
    if type(place) is gast.Name:
        return _augmented_name(specializer, s, place)
    if type(place) is gast.Subscript:
        spread = spread_index(specializer, place)
        if spread is not None:
            return [*spread[0], gast.AugAssign(as_store(spread[1]), s.op, s.value)]
    owner = specializer.kind(place.value)
    slot = as_array(specializer.value(place).kind)
    v = specializer.names.fresh("v")
    change = gast.AugAssign(as_store(name(v)), s.op, s.value)
    if (
        is_container(owner)
        and isinstance(slot, (Array, List, Dict))
        and not is_set_by_code(owner, place)
    ):
        return [assign(v, place), change]  # the slot holds the same thing afterwards
    numbers = isinstance(slot, (Real, Integer)) or is_truth(slot)
    numbers = numbers and not isinstance(specializer.kind(s.value), Instance)
    if isinstance(owner, (Array, Number)) or (numbers and not is_set_by_code(owner, place)):
        return None
    if not is_container(owner) or isinstance(slot, Number):
        return None
    _check_order(specializer, s, owner)
    first: list[Any] = []
    if type(place) is gast.Subscript:
        first, place.slice = specializer.index(place.slice)
    return [*first, assign(v, place), change, assign(place, name(v))]


def _check_order(specializer: Specializer, s: Stmt, owner: Kind) -> None:
    """Refuse what changes its own operand: Python reads the place first, here the operand is known first."""
    if type(s.value) is gast.Constant or not isinstance(owner, Instance):
        return
    if any(stores_when_read(each.cls, s.target) for each in owner.alternatives):
        specializer.refuse(
            s,
            "reading what is updated here stores into an object, perhaps into what stands beside it",
            "write it in two lines: read it into a name of its own, then store the sum",
        )


def _joined_anew(specializer: Specializer, s: Stmt, place: Expr) -> list[Stmt]:
    """Write `items += x` as NumPy's arrays and numbers have it: a list becomes an array, another thing."""
    first: list[Any] = []
    if type(place) is gast.Subscript:
        first, place.slice = specializer.index(place.slice)
    old, new = specializer.names.fresh("v"), specializer.names.fresh("v")
    made = gast.BinOp(name(old), s.op, s.value)
    return [*first, assign(old, place), assign(new, made), assign(as_load(place), name(new))]


def _augmented_name(specializer: Specializer, s: Stmt, place: Expr) -> list[Stmt] | None:
    stem = BINARY[type(s.op).__name__]
    kind = specializer.kind(place)
    v = specializer.names.fresh("v")
    if has_method(kind, f"__i{stem}__"):
        return [*specializer.called(place, f"__i{stem}__", [s.value], v), assign(place, name(v))]
    if isinstance(kind, Instance) or (
        kind != UNKNOWN and isinstance(specializer.kind(s.value), Instance)
    ):
        return [assign(v, gast.BinOp(place, s.op, s.value)), assign(place, name(v))]
    if stem == "or" and isinstance(kind, Dict):
        return updated(specializer, place, s.value)
    if stem == "add" and is_tuple(kind):
        return [assign(v, gast.BinOp(place, s.op, s.value)), assign(place, name(v))]
    if stem == "mul" and isinstance(kind, List):
        return whole(specializer, place, gast.BinOp(place, gast.Mult(), s.value))
    return bound_anew(specializer, s)


def joins_array(left: Kind, right: Kind, operator: Any) -> bool:
    """Whether one operand is a list or tuple that counts as an array, for the other is one.

    What may be an array or a number is no list: it can only be added to one as an array. A number beside
    a list is one of NumPy's, for Python has no such operator; neither of them repeats a list.
    """
    if is_listed(left) == is_listed(right):
        return False
    other = right if is_listed(left) else left
    repeats = type(operator) is gast.Mult
    return isinstance(other, Array) or (isinstance(other, (Number, Real)) and not repeats)
