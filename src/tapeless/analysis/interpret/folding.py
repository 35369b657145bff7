"""Tests and integers that are known without running the program.

Sizes are integers or symbols. Of two of them, equality and order are decided where every run agrees,
and an `if` on such a test has one branch. What is not certain stays a test.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from tapeless.kinds import (
    BOOL,
    NONE,
    Array,
    Dict,
    Function,
    Functions,
    Inert,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    Size,
    Sparse,
    Tuple,
    is_number,
)
from tapeless.ranks import literal, may_be_truth
from tapeless.tree.classes import IDENTITY, MEMBERSHIP
from tapeless.tree.trees import Tree


def folded_integer(operator: str, a: Integer, b: Integer) -> Kind:
    """Return the kind of the result of an operator on two integers."""
    if operator == "Div":
        return Real()
    p, q, numpy = a.value, b.value, a.of_numpy or b.of_numpy
    if operator == "Pow" and isinstance(q, int) and q < 0:
        return Real()
    if isinstance(p, int) and isinstance(q, int):
        table = {"Add": lambda: p + q, "Sub": lambda: p - q, "Mult": lambda: p * q,
                 "FloorDiv": lambda: p // q if q else None, "Mod": lambda: p % q if q else None}  # fmt: skip
        return Integer(table[operator](), numpy) if operator in table else Integer(None, numpy)
    if isinstance(p, Size) and isinstance(q, int) and operator in ("Add", "Sub"):
        cut = p.cut + (q if operator == "Sub" else -q)
        return Integer(replace(p, cut=cut), numpy) if cut >= 0 else Integer(None, numpy)
    return Integer(None, numpy)


def folded_identity(tree: Tree, kinds: list[Kind]) -> Kind:
    """Decide `x is None` and `x is True` where the kind of `x` tells."""
    if len(kinds) == 2 and type(tree.ops[0]) in IDENTITY:
        same = _is_same(*kinds)
        if same is not None:
            return Inert("bool", same is (type(tree.ops[0]) is gast.Is))
    identity = len(kinds) == 2 and type(tree.ops[0]) in IDENTITY
    if identity and all(isinstance(kind, Array) for kind in kinds):
        if len(kinds[0].dims) != len(kinds[1].dims):  # type: ignore[attr-defined]
            return Inert("bool", type(tree.ops[0]) is gast.IsNot)
    if identity and all(isinstance(_class_of(kind), type) for kind in kinds):
        return Inert("bool", (kinds[0] == kinds[1]) == (type(tree.ops[0]) is gast.Is))
    if len(kinds) == 2 and type(tree.ops[0]) in MEMBERSHIP:
        return _contained(kinds[0], kinds[1], type(tree.ops[0]) is gast.In)
    return BOOL


def _is_same(a: Kind, b: Kind) -> bool | None:
    """Whether two values are one of None, True and False, and the same; None where that is not known.

    Examples
    --------
    >>> _is_same(Inert("bool", True), Inert("bool", True)), _is_same(NONE, Inert("str"))
    (True, False)
    >>> _is_same(Inert("str"), Inert("str")) is None, _is_same(BOOL, Inert("bool", True)) is None
    (True, True)
    """
    for one, other in ((a, b), (b, a)):
        if one == NONE and (other == NONE or _is_not_none(other)):
            return other == NONE
        if isinstance(one, Inert) and isinstance(one.value, bool):
            if isinstance(other, Inert) and other.what == "bool":
                return None if other.value is None else one.value is other.value
            if other == NONE or _is_not_none(other) and not may_be_truth(other):
                return False
    return None


def _is_not_none(kind: Kind) -> bool:
    """Whether a value is known to be something else than None; a truth value may be one of NumPy's."""
    if isinstance(kind, Inert):
        return kind.what in ("bool", "str", "module")
    if isinstance(kind, (List, Dict, Tuple, Functions)):
        return not kind.or_none
    known = is_number(kind) and not isinstance(kind, Number)
    return known or isinstance(kind, (Sequence, Function, Sparse))


def truth_of(kind: Kind) -> bool | None:
    """Return whether a value counts as true where it is known; None where it is not.

    Examples
    --------
    >>> truth_of(Tuple((Real(),))), truth_of(Tuple(())), truth_of(Real()) is None
    (True, False, True)
    """
    if isinstance(kind, Tuple) and kind.cls is tuple and not kind.or_none:
        return bool(kind.items)
    if isinstance(kind, Function) and not _tells_its_truth(kind):
        return True
    if isinstance(kind, Functions) and not kind.or_none:
        return None if any(map(_tells_its_truth, kind.options)) else True
    value = literal(kind)
    return bool(value) if value is None or isinstance(value, (bool, int, str)) else None


def _tells_its_truth(function: Function) -> bool:
    """Whether code decides if a function, which is an object of the user's then, counts as true."""
    return any(hasattr(type(function.value), method) for method in ("__bool__", "__len__"))


def _class_of(kind: Kind) -> Any:
    """Return the class that a kind stands for."""
    return kind.value if isinstance(kind, Function) else None


def equal_shapes(a: Kind, b: Kind) -> bool | None:
    """Compare two shapes, or two sizes, by their symbols."""
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        if len(a.items) != len(b.items):
            return False
        parts = [equal_shapes(p, q) for p, q in zip(a.items, b.items, strict=True)]
        if any(part is False for part in parts):
            return False
        return True if all(part is True for part in parts) else None
    if isinstance(a, Integer) and isinstance(b, Integer) and a.value is not None:
        if a.value == b.value:
            return True
        if isinstance(a.value, int) and isinstance(b.value, int):
            return False
    return None


def _contained(item: Kind, owner: Kind, positive: bool) -> Kind:
    """Decide `1 in np.shape(x)` where the sizes tell, and `"C" in ("C", "F")`.

    Examples
    --------
    >>> orders = Tuple((Inert("str", "C"), Inert("str", "F")))
    >>> _contained(Inert("str", "K"), orders, True).value
    False
    """
    among = literal(owner)
    if isinstance(literal(item), str) and isinstance(among, tuple):
        return Inert("bool", (literal(item) in among) is positive)
    if not isinstance(owner, Tuple) or not isinstance(literal(item), int):
        return BOOL
    wanted = literal(item)
    found = [_is_size(part, wanted) for part in owner.items]
    if any(answer is True for answer in found):
        return Inert("bool", positive)
    if all(answer is False for answer in found):
        return Inert("bool", not positive)
    return BOOL


def _is_size(kind: Kind, wanted: int) -> bool | None:
    if not isinstance(kind, Integer) or kind.value is None:
        return None
    if isinstance(kind.value, int):
        return kind.value == wanted
    return False if wanted == 1 and not kind.value.broadcastable else None


def compared(op: Any, a: Any, b: Any) -> bool | None:
    """Compare two objects, where they can be compared."""
    table = {
        gast.Eq: lambda: a == b, gast.NotEq: lambda: a != b, gast.Lt: lambda: a < b,
        gast.LtE: lambda: a <= b, gast.Gt: lambda: a > b, gast.GtE: lambda: a >= b,
    }  # fmt: skip
    try:
        return bool(table[type(op)]())
    except (KeyError, TypeError):
        return None
