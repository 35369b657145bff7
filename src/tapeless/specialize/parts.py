"""Structures that are taken apart into numbers and arrays, and put together again, written out.

form = form_of(state)              stays as it is
parts = parts_of(state, form)      ->   v = state["u"]; u = v.copy(); parts = (u,)
state = from_parts(parts, form)    ->   v = parts[0]; u = v.copy(); state = {"u": u}
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.interpret.parts import form_in
from tapeless.kinds import (
    Array,
    Function,
    Inert,
    Integer,
    Kind,
    Number,
    Real,
    Tuple,
    Unreached,
)
from tapeless.runtime import Form, from_parts, parts_of
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, const, name, quote, quote_expression
from tapeless.tree.trees import Expr


def written_parts(specializer: Specializer, tree: Expr, found: Any, to: str) -> list[Any] | None:
    """Write a call that takes a structure apart or puts one together; None for another function."""
    if found is not parts_of and found is not from_parts:
        return None
    thing, form = tree.args
    apart = found is parts_of
    form = form_in(specializer.kind(form))
    if form is ...:
        return None
    parts = specializer.value(tree).kind if apart else specializer.kind(thing)
    return _Copier(specializer, apart).copy(thing, parts, form, to)


class _Copier:
    """Copies what a structure or the tuple of its parts holds, into the other one."""

    def __init__(self, specializer: Specializer, apart: bool) -> None:
        self.specializer = specializer
        self.apart = apart

    def copy(self, x: Any, parts: Kind, form: Form | None, to: str) -> list[Any] | None:
        """Write the copy of a thing, of which the parts are of some kinds."""
        if form is None:
            return copied_leaf(self.specializer, x, parts, to)
        if not isinstance(parts, Tuple):
            return None
        made: list[Any] = []
        copies: list[str] = []
        for i, (key, kind, inner) in enumerate(
            zip(form.keys, parts.items, form.items, strict=True)
        ):
            read, copied = self.specializer.names.fresh("v"), self.specializer.names.fresh("v")
            place = self.place(x, key, form.cls) if self.apart else self.place(x, i, tuple)
            written = self.copy(name(read), kind, inner, copied)
            if written is None:
                return None
            made += [assign(read, place), *written]
            copies.append(copied)
        return [*made, assign(to, self.whole(form, [name(key) for key in copies]))]

    def place(self, x: Any, key: Any, cls: type) -> Any:
        """Write what stands at a place of a structure."""
        if issubclass(cls, (tuple, dict)):
            return gast.Subscript(x, const(key), gast.Load())
        return gast.Attribute(x, key, gast.Load())

    def whole(self, form: Form, items: list[Any]) -> Any:
        """Write the structure, or the tuple, that holds some items."""
        cls = form.cls
        if cls is tuple or self.apart and not issubclass(cls, tuple):
            return gast.Tuple(items, gast.Load())
        if cls is dict:
            return gast.Dict([const(key) for key in form.keys], items)
        return gast.Call(name(self.specializer.external(cls)), items, [])


def copied_leaf(specializer: Specializer, x: Any, kind: Kind, to: str) -> list[Any] | None:
    """Write the copy of a number or an array; None for a structure."""
    if isinstance(kind, Array):
        return [assign(to, quote_expression("x.copy()", x=x))]
    if isinstance(kind, Number):
        text = "if isinstance(x, np.ndarray):\n    y = x.copy()\nelse:\n    y = x"
        return quote(text, np=specializer.external(np), x=x, y=to)
    if isinstance(kind, (Real, Integer, Inert, Function, Unreached)):
        return [assign(to, x)]
    return None
