"""Calls that change what they are given, in whatever position they stand.

What such a call changes does not depend on what becomes of its value. So it is written as a statement
of its own, in the plain form of the same where there is one, and its value is bound afterwards.

    y = z.sort()                ->   z.sort(); y = None
    y = np.put(z, i, v)         ->   np.put(z, i, v); y = None
    y = operator.iadd(a, b)     ->   y = a; y += b
    a.__setitem__(i, v)         ->   a[i] = v
    list.append(z, v)           ->   z.append(v)
    bisect.insort(z, v)         ->   i = bisect.bisect_right(z, v); z.insert(i, v)
"""

from __future__ import annotations

import bisect
import inspect
import operator
import types
from typing import Any

import gast
import numpy as np

from tapeless.analysis.interpret.attribute_calls import SETTERS
from tapeless.analysis.interpret.unseen import may_store
from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import Array, Dict, Function, Inert, Instance, Kind, List, Number
from tapeless.rules.declare import find_rule
from tapeless.rules.reasons import understood
from tapeless.rules.streams import draws_itself
from tapeless.rules.traits import traits_of
from tapeless.runtime import reordered, set_attribute, shuffled_order, update_attributes
from tapeless.specialize.function_values import reference
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import asked_place
from tapeless.tree.build import as_store, assign, const, name, quote, quote_expression
from tapeless.tree.classes import Plainly
from tapeless.tree.function import CoreFunction
from tapeless.tree.trees import Expr

_OPERATORS: dict[str, type] = {
    "iadd": gast.Add, "isub": gast.Sub, "imul": gast.Mult, "itruediv": gast.Div, "ipow": gast.Pow,
    "imod": gast.Mod, "ifloordiv": gast.FloorDiv, "imatmul": gast.MatMult, "iand": gast.BitAnd,
    "ior": gast.BitOr, "ixor": gast.BitXor, "ilshift": gast.LShift, "irshift": gast.RShift,
    "iconcat": gast.Add,
}  # fmt: skip
_METHODS = ["__setitem__", *(f"__{key}__" for key in _OPERATORS if key != "iconcat")]
understood(
    "written as the statement that calls it", *(getattr(np.ndarray, key) for key in _METHODS)
)
_CLASSES: dict[type[Kind], type] = {Array: np.ndarray, Number: np.ndarray, List: list, Dict: dict}


def in_place_call(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Any] | None:
    """Write a call that changes what it is given as statements; None where it stands as it is."""
    starred = any(type(a) is gast.Starred for a in tree.args)
    if starred or any(k.arg is None for k in tree.keywords):
        return None
    kind = specializer.kind(tree.func) if type(tree.func) is gast.Name else Kind()
    if found is MISSING and isinstance(kind, Function) and _is_library(kind.value):
        called = reference(specializer, kind)  # by its own name
        if called is not None:
            found, tree = kind.value, gast.Call(called, tree.args, tree.keywords)
            renamed = [gast.Expr(tree) if to is None else assign(to, tree)]
            return in_place_call(specializer, tree, found, to) or renamed
    by_method = _of_described_method(specializer, tree, found)
    if by_method is not None:
        return [gast.Expr(by_method) if to is None else assign(to, by_method)]
    plain = _operator(specializer, tree, found, to) or _inserted(specializer, tree, found)
    if plain is None:
        plain = _attribute_set(specializer, tree, found) or _attributes_set(
            specializer, tree, found
        )
        plain = plain or _into_out(specializer, tree, found, to)
    if plain is None and is_shuffle(found, tree.func, specializer):
        plain = _shuffled(specializer, tree)
    if plain is None and to is not None and gives_nothing(specializer, tree, found):
        plain = [gast.Expr(tree)]
    if plain is None:
        return None
    bound = to is None or _binds(plain, to)
    return plain if bound else [*plain, assign(str(to), const(None))]


def _is_library(found: Any) -> bool:
    known = not isinstance(found, (gast.FunctionDef, types.FunctionType, CoreFunction))
    return known and may_store(found) and find_rule(found) is None


def _binds(statements: list[Any], to: str) -> bool:
    return any(
        type(s) is gast.Assign and type(s.targets[0]) is gast.Name and s.targets[0].id == to
        for s in statements
    )


def gives_nothing(specializer: Specializer, tree: Expr, found: Any) -> bool:
    """Whether a call changes what it is given and returns None."""
    if found is not MISSING:
        known = traits_of(found)
        return bool(known.stores and known.returns_nothing) or is_ufunc_at(found)
    if type(tree.func) is not gast.Attribute:
        return False
    method, owner = tree.func.attr, specializer.kind(tree.func.value)
    cls = next((cls for kind, cls in _CLASSES.items() if isinstance(owner, kind)), None)
    return traits_of(getattr(cls, method, None)).returns_nothing


def is_ufunc_at(found: Any) -> bool:
    """Whether a function is `np.add.at` or its like."""
    return isinstance(getattr(found, "__self__", None), np.ufunc) and found.__name__ == "at"


def _of_described_method(specializer: Specializer, tree: Expr, found: Any) -> Any:
    """Write `list.append(z, v)` as `z.append(v)`."""
    kinds = {list: List, dict: Dict, np.ndarray: Array}
    described = isinstance(found, (types.MethodDescriptorType, types.WrapperDescriptorType))
    if not described or not tree.args or found.__objclass__ not in kinds:
        return None
    if not isinstance(specializer.kind(tree.args[0]), kinds[found.__objclass__]):
        return None
    return gast.Call(
        gast.Attribute(tree.args[0], found.__name__, gast.Load()), tree.args[1:], tree.keywords
    )


def _operator(specializer: Specializer, tree: Expr, found: Any, to: str | None) -> list[Any] | None:
    """Write a function of `operator`, or the method behind an operator, as the operator."""
    if found is not MISSING:
        known = getattr(found, "__module__", "") == operator.__name__.replace("op", "_op")
        label, given = getattr(found, "__name__", "") if known else "", tree.args
    elif type(tree.func) is gast.Attribute:
        owner = specializer.kind(tree.func.value)
        special = isinstance(owner, (Array, Number, List, Dict))
        label = tree.func.attr.strip("_") if special and tree.func.attr[:2] == "__" else ""
        given = [tree.func.value, *tree.args]
    else:
        return None
    if tree.keywords:
        return None
    if label in _OPERATORS and len(given) == 2:
        key = specializer.names.fresh("v") if to is None else to
        return [
            assign(key, given[0]),
            gast.AugAssign(as_store(name(key)), _OPERATORS[label](), given[1]),
        ]
    if label == "setitem" and len(given) == 3:
        return quote("a[i] = v", a=given[0], i=given[1], v=given[2])
    if (
        label == "delitem"
        and len(given) == 2
        and isinstance(specializer.kind(given[0]), (List, Dict))
    ):
        if specializer.kind(given[1]) != Inert("slice"):
            return quote("a.pop(i)", a=given[0], i=asked_place(specializer, given[1]))
    return None


def _attribute_set(specializer: Specializer, tree: Expr, found: Any) -> list[Any] | None:
    """Write `setattr(o, "p", v)`, and what a class inherits for it, as `o.p = v`.

    `object.__setattr__(o, "p", v)` goes past what the class has for stores.
    """
    given = tree.args
    context: Any = Plainly() if is_one_of(found, SETTERS[1:]) else gast.Store()
    if found is MISSING and getattr(tree.func, "attr", "") == "__setattr__":
        given = [tree.func.value, *given]
        kind = specializer.kind(given[0])
        plain = isinstance(kind, Instance) and all(
            inspect.getattr_static(each.cls, "__setattr__") is object.__setattr__
            for each in kind.alternatives
        )
    else:
        plain = is_one_of(found, SETTERS)
    if not plain or len(given) != 3 or not isinstance(specializer.kind(given[0]), Instance):
        return None
    label = given[1]
    if type(label) is not gast.Constant or not isinstance(label.value, str):
        return None
    return [gast.Assign([gast.Attribute(given[0], label.value, context)], given[2], None)]


_STORED_BY_KEY = """
for k in d:
    item = d[k]
    put(o, k, item)
"""


def _attributes_set(specializer: Specializer, tree: Expr, found: Any) -> list[Any] | None:
    """Write what puts a dict into an object's own as stores by its keys."""
    if found is not update_attributes:
        return None
    owner, given = tree.args
    key, item = specializer.names.fresh("key"), specializer.names.fresh("item")
    put = specializer.external(set_attribute)
    return quote(_STORED_BY_KEY, k=key, item=item, d=given, o=owner, put=put)


def _into_out(specializer: Specializer, tree: Expr, found: Any, to: str | None) -> list[Any] | None:
    """Write `x.cumsum(out=z)` as a store of what the method gives."""
    given = {k.arg: k.value for k in tree.keywords}
    if found is not MISSING or type(given.get("out")) is not gast.Name:
        return None
    if type(tree.func) is not gast.Attribute or "where" in given:
        return None
    if not isinstance(specializer.kind(tree.func.value), Array):
        return None
    if not isinstance(specializer.kind(given["out"]), Array):
        return None
    key = specializer.names.fresh("v")
    call = gast.Call(tree.func, tree.args, [k for k in tree.keywords if k.arg != "out"])
    made = [assign(key, call), *quote("x[...] = v", x=given["out"], v=key)]
    return made if to is None else [*made, assign(to, given["out"])]


def _inserted(specializer: Specializer, tree: Expr, found: Any) -> list[Any] | None:
    """Write `bisect.insort(z, v)` as an insertion at the place that `bisect` finds."""
    places = {bisect.insort_right: bisect.bisect_right, bisect.insort_left: bisect.bisect_left}
    place = next((finder for store, finder in places.items() if store is found), None)
    if place is None or len(tree.args) < 2 or "key" in {k.arg for k in tree.keywords}:
        return None
    at = specializer.names.fresh("at")
    finder = gast.Call(name(specializer.external(place)), tree.args, tree.keywords)
    return [assign(at, finder), *quote("z.insert(i, v)", z=tree.args[0], i=at, v=tree.args[1])]


def is_shuffle(found: Any, func: Any, specializer: Specializer) -> bool:
    """Whether a call puts what it is given into a random order."""
    if found is not MISSING:
        return getattr(found, "__name__", "") == "shuffle" and draws_itself(found)
    if type(func) is not gast.Attribute or func.attr != "shuffle":
        return False
    owner: Kind = specializer.kind(func.value)
    return isinstance(owner, Inert) or isinstance(owner, Instance) and _is_random(owner.cls)


def _is_random(cls: type) -> bool:
    return cls.__module__ == "random"


def _shuffled(specializer: Specializer, tree: Expr) -> list[Any] | None:
    """Write a shuffle as a store of the items in the order that the draws give."""
    if len(tree.args) != 1 or tree.keywords:
        return None
    owner = tree.args[0]
    kind = specializer.kind(owner)
    if not isinstance(kind, (Array, List)):
        return None
    shuffle, order, moved = (specializer.names.fresh(wish) for wish in ("shuffle", "order", "v"))
    draw = quote_expression("f(s, x)", f=specializer.external(shuffled_order), s=shuffle, x=owner)
    if isinstance(kind, Array):
        taken = quote_expression("x[i]", x=owner, i=order)
        store = quote("x[...] = v", x=owner, v=moved)
    else:
        taken = quote_expression("f(x, i)", f=specializer.external(reordered), x=owner, i=order)
        store = quote("x[:] = v", x=owner, v=moved)
    return [assign(shuffle, tree.func), assign(order, draw), assign(moved, taken), *store]
