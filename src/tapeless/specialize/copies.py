"""`copy.copy` and `copy.deepcopy`, written out by what they copy.

v = copy.copy(items)         ->   v = items.copy()
v = copy.deepcopy(x)         ->   v = np.copy(x)                       where x is an array
v = copy.deepcopy(rows)      ->   check_unshared(rows); v = []; for row in rows: ...; v.append(...)
v = copy.deepcopy(unlike)    ->   v = {}; for key in unlike: if key == "w": ...; v["w"] = ...
v = copy.copy(model)         ->   v = object.__new__(Model); v.w = model.w
v = copy.copy(own)           ->   v = own.__copy__()

A deep copy keeps together what is one thing at two places of the original; written out it would come
apart, so that is checked when it runs.
"""

from __future__ import annotations

import copy
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import any_slot, join_all, reachable
from tapeless.analysis.interpret.containers import keys_of
from tapeless.analysis.interpret.special_calls import has_method
from tapeless.kinds import (
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    Kind,
    Number,
    Real,
    Region,
    Sequence,
    Tuple,
    Unreached,
    is_container,
    may_change,
    regions_of,
)
from tapeless.runtime import check_unshared
from tapeless.runtime.adjoints import slot_names
from tapeless.sorts import stores_by_code
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, call, const, name, quote, quote_expression, target
from tapeless.tree.classes import Plainly
from tapeless.tree.trees import Expr
from tapeless.variables import is_variable

_OWN_COPIES = (
    "__deepcopy__",
    "__reduce__",
    "__getstate__",
    "__setstate__",
    "__getnewargs__",
)


def copied(specializer: Specializer, tree: Expr, deep: bool, to: str) -> list[Any] | None:
    """Write `to = copy.copy(x)` or `to = copy.deepcopy(x)`; None where the kind is not known."""
    if len(tree.args) != 1 or tree.keywords:
        return None
    [source] = tree.args
    value, method = specializer.value(source), "__deepcopy__" if deep else "__copy__"
    if has_method(value.kind, method):
        return specializer.called(source, method, [gast.Dict([], [])] if deep else [], to)
    copier = _Copier(specializer, tree, deep)
    made = copier.copy(source, value.kind, to, ())
    if made is None and is_container(value.kind) and specializer.facts.carries_derivative(value):
        copier.refuse("is not surely an object of the attributes that it has here")
    if made is not None and deep and copier.nested:
        check = gast.Expr(call(name(specializer.external(check_unshared)), source))
        return [check, *made]
    return made


class _Copier:
    def __init__(self, specializer: Specializer, tree: Expr, deep: bool) -> None:
        self.specializer = specializer
        self.tree = tree
        self.deep = deep
        self.nested = False

    def copy(self, x: Any, kind: Kind, to: str, above: tuple[Region, ...]) -> list[Any] | None:
        """Write the copy of a value of a kind; `above` are the regions that it is held by."""
        if _is_immutable(kind):
            return [assign(to, x)]
        self.nested = self.nested or bool(above)
        if isinstance(kind, Array):
            return [assign(to, call(f"{self.numpy()}.copy", x))]
        if isinstance(kind, Number):
            text = "if isinstance(x, np.ndarray):\n    y = np.copy(x)\nelse:\n    y = x"
            return quote(text, np=self.numpy(), x=x, y=to)
        if isinstance(kind, (Tuple, Sequence)) and not self.deep:
            return [assign(to, x)]
        if isinstance(kind, Tuple):
            return self.tuple(x, kind, to, above)
        if isinstance(kind, Inert) and above:
            copier = self.specializer.external(copy.deepcopy if self.deep else copy.copy)
            return [assign(to, call(copier, x))]
        if not is_container(kind) or is_variable(kind):
            return None
        if regions_of(kind) & set(above):
            self.refuse("holds itself")
        above = (*above, *regions_of(kind))
        if isinstance(kind, Instance):
            return self.object(x, kind, to, above)
        if not self.deep:
            return [assign(to, quote_expression("x.copy()", x=x))]
        return self.filled(x, kind, to, above)

    def numpy(self) -> str:
        return str(self.specializer.external(np))

    def refuse(self, what: str) -> None:
        self.specializer.refuse(
            self.tree,
            f"what is copied here {what}",
            "write the copy out, as a function of your own",
        )

    def tuple(self, x: Any, kind: Tuple, to: str, above: Any) -> list[Any] | None:
        """A tuple of copies."""
        keys = [self.specializer.names.fresh("v") for _ in kind.items]
        made: list[Any] = []
        for i, (key, item) in enumerate(zip(keys, kind.items, strict=True)):
            read = self.specializer.names.fresh("item")
            inner = self.copy(name(read), item, key, (*above, ("item",)))
            if inner is None:
                return None
            made += [assign(read, quote_expression(f"x[{i}]", x=x)), *inner]
        items = [name(key) for key in keys]
        whole: Any = gast.Tuple(items, gast.Load())
        if kind.cls is not tuple:
            whole = gast.Call(name(self.specializer.external(kind.cls)), items, [])
        return [*made, assign(to, whole)]

    def filled(self, x: Any, kind: Kind, to: str, above: Any) -> list[Any] | None:
        """A list or dict that is filled with copies, in order."""
        slot = any_slot(self.specializer.facts.heap, regions_of(kind), "copied").kind
        if _is_immutable(slot):
            return [assign(to, quote_expression("x.copy()", x=x))]
        key, item, made = (self.specializer.names.fresh(wish) for wish in ("key", "item", "v"))
        inner = self.copy(name(item), slot, made, above)
        if inner is None:
            return self.filled_by_key(x, kind, to, above)
        if isinstance(kind, Dict):
            read = assign(item, quote_expression("x[k]", x=x, k=key))
            body = [read, *inner, *quote("y[k] = v", y=to, k=key, v=made)]
            return [assign(to, gast.Dict([], [])), gast.For(target(key), x, body, [], None)]
        body = [*inner, *quote("y.append(v)", y=to, v=made)]
        start = assign(to, gast.List([], gast.Load()))
        return [start, gast.For(target(item), x, body, [], None)]

    def filled_by_key(self, x: Any, kind: Kind, to: str, above: Any) -> list[Any] | None:
        """A dict of unlike things that is filled with copies, in order: its keys tell them apart."""
        heap = self.specializer.facts.heap
        key = self.specializer.names.fresh("key")
        block: list[Any] = []
        for label in reversed(keys_of(heap, kind) or []):
            slots = [heap[r][label] for r in regions_of(kind) if label in heap.get(r, {})]
            item, made = (self.specializer.names.fresh(wish) for wish in ("item", "v"))
            inner = self.copy(name(item), join_all(slots, "copied").kind, made, above)
            if inner is None:
                return None
            read = assign(item, quote_expression("x[k]", x=x, k=const(label)))
            branch = [read, *inner, *quote("y[k] = v", y=to, k=const(label), v=made)]
            test = gast.Compare(name(key), [gast.Eq()], [const(label)])
            block = [gast.If(test, branch, block)] if block else branch
        start = assign(to, gast.Dict([], []))
        return [start, gast.For(target(key), x, block, [], None)] if block else None

    def object(self, x: Any, kind: Instance, to: str, above: Any) -> list[Any] | None:
        """An object with the same attributes, or with copies of them."""
        cls, heap = kind.cls, self.specializer.facts.heap
        hooks = _OWN_COPIES if self.deep else ("__copy__", *_OWN_COPIES)
        own = [m for m in hooks if getattr(cls, m, None) is not getattr(object, m, None)]
        alike = len({frozenset(heap.get(region, ())) for region in regions_of(kind)}) == 1
        if own or not alike or self.deep and len(regions_of(kind)) != 1:
            return None
        region = min(regions_of(kind), key=repr)
        slots = heap.get(region, {})  # of a shallow copy only the names are asked
        hidden = [k for k in slots if not isinstance(k, str) or not k.isidentifier()]
        told = stores_by_code(cls) and slot_names(cls)  # a copy's slots are set by it
        if hidden or told:
            return None
        if self.deep and region in reachable([v.kind for v in slots.values()], heap):
            self.refuse("holds itself")
        new = quote_expression("object.__new__(c)", c=self.specializer.external(cls))
        made: list[Any] = [assign(to, new)]
        for attribute, value in slots.items():
            read = self.specializer.names.fresh("item")
            made.append(assign(read, gast.Attribute(x, str(attribute), gast.Load())))
            put = read
            if self.deep:
                put = self.specializer.names.fresh("v")
                inner = self.copy(name(read), value.kind, put, above)
                if inner is None:
                    return None
                made += inner
            store = quote(f"y.{attribute} = v", y=to, v=put)
            store[0].targets[0].ctx = Plainly()
            made += store
        return made


def _is_immutable(kind: Kind) -> bool:
    """Whether a value of this kind is its own copy."""
    return isinstance(kind, (Real, Integer, Inert, Function, Unreached)) and not may_change(kind)
