"""Places that loops read from arrays of integers are Python's.

    for i, j in bonds:                        for i, j in bonds.tolist():
        d = x[i] - x[j]             ->            d = x[i] - x[j]

NumPy makes a number of its own of each entry, and Python counts faster with its own. Both mean the same
place. So this is done where nothing but items in these places is asked for: what is pushed is taken by such
names. A loop that goes through an array must not store into one of integers, and go through to the end.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from tapeless.kinds import Array, Integer, Real
from tapeless.optimize.context import Context
from tapeless.optimize.number_flow import NumberFlow
from tapeless.optimize.purity import Purity
from tapeless.optimize.rows import is_place, items_of
from tapeless.optimize.values import is_adjoint, is_stack_call
from tapeless.tree.blocks import all_statements
from tapeless.tree.build import call
from tapeless.tree.classes import LOOPS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr

_LEAVING = (gast.Break, gast.Return, gast.Raise)


def plain_places(function: gast.FunctionDef, context: Context) -> None:
    """List the integers by which loops do nothing but read, and store, items.

    Examples
    --------
    >>> from tapeless.kinds import Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, bonds, weights):
    ...     s = 0.0
    ...     for i, j in bonds:
    ...         s = s + x[i] * x[j]
    ...     for i, w in weights:
    ...         s = s + x[i] * w
    ... ''').body[0]
    >>> kinds = {"x": Array((Size(0),)), **dict.fromkeys(("bonds", "weights"), Array((Size(1), 2), "i"))}
    >>> plain_places(function, Context(lambda tree: None, kind_of=kinds.get))
    >>> print(unparse(function), end="")  # `w` is a number
    def f(x, bonds, weights):
        s = 0.0
        for i, j in bonds.tolist():
            s = s + x[i] * x[j]
        for i, w in weights:
            s = s + x[i] * w
    """
    sites = [
        (s, field)
        for s, field in _sites(function)
        if _gives_places(s, field, context) and (field == "value" or _goes_through(s, context))
    ]
    if not sites:
        return
    places = _Places(function, context).names
    for s, field in sites:
        target = s.target if type(s) is gast.For else s.targets[0]
        if all(item.id in places for item in items_of(target)):
            setattr(s, field, call(gast.Attribute(getattr(s, field), "tolist", gast.Load())))


def _sites(function: Any) -> list[tuple[Any, str]]:
    """List the loops, and what is unpacked in loops, with the field that holds what is taken apart."""
    found: list[tuple[Any, str]] = []
    for loop in all_statements(function.body):
        if type(loop) not in LOOPS:
            continue
        if type(loop) is gast.For:
            found.append((loop, "iter"))
        unpacked = [s for s in all_statements(loop.body) if type(s) is gast.Assign]
        found += [(s, "value") for s in unpacked if type(s.targets[0]) is gast.Tuple]
    return list({id(s): (s, field) for s, field in found}.values())


def _gives_places(s: Any, field: str, context: Context) -> bool:
    """Whether names are bound to the entries of an array of integers."""
    value, target = getattr(s, field), s.target if field == "iter" else s.targets[0]
    row = type(value) is gast.Subscript and is_place(value.slice, context)
    owner = value.value if row else value
    kind = context.kind_of(owner.id) if type(owner) is gast.Name else None
    if not isinstance(kind, Array) or kind.dtype != "i":
        return False
    axes = (field == "iter") + (type(target) is gast.Tuple)
    return len(kind.dims) - row == axes and all(
        type(each) is gast.Name for each in items_of(target)
    )


def _goes_through(loop: Any, context: Context) -> bool:
    """Whether a loop goes through an array to its end, and stores into none of integers."""
    purity = Purity(context)
    for part in nodes(loop):
        cls = type(part)
        if cls in _LEAVING:
            return False
        if cls is gast.Call and not (is_stack_call(part) or purity.is_pure_call(part)):
            return False
        place = part.target if cls is gast.AugAssign else part
        if cls is gast.AugAssign or cls is gast.Subscript and type(part.ctx) is not gast.Load:
            owner = place.value if type(place) is gast.Subscript else place
            if type(owner) is not gast.Name or not _is_apart(owner.id, context):
                return False
    return True


def _is_apart(key: str, context: Context) -> bool:
    """Whether what is stored into under a name is no array of integers."""
    kind = context.kind_of(key)
    floating = isinstance(kind, Array) and kind.dtype[0] in "fc"
    return floating or isinstance(kind, (Real, Integer)) or is_adjoint(key, context)


class _Places:
    """Finds the names that nothing is asked of but items in their places.

    Attributes
    ----------
    names
        The largest such set.
    """

    def __init__(self, function: Any, context: Context) -> None:
        self.context, self.flow = context, NumberFlow(function, context)
        asked = Counter(
            p.id for p in self.flow.parts if type(p) is gast.Name and type(p.ctx) is gast.Load
        )
        self.names = set(asked)
        known = self._known()
        while lost := {key for key in self.names if asked[key] != known[key]}:
            self.names -= lost
            known = self._known()

    def _known(self) -> Counter[str]:
        """Count how often names are read as places, or handed to names that are."""
        found: Counter[str] = Counter()
        for part in self.flow.parts:
            if type(part) is gast.Subscript and self._has_places(part.value):
                found.update(item.id for item in items_of(part.slice) if type(item) is gast.Name)
        for stack, pushed in self.flow.pushed.items():
            for given in pushed:
                for i, item in enumerate(items_of(given)):
                    taken = self.flow.takers[stack].get(i, set()) <= self.names
                    found.update([item.id] if type(item) is gast.Name and taken else [])
        return found

    def _has_places(self, owner: Expr) -> bool:
        """Whether what a name holds is asked for by places."""
        if type(owner) is not gast.Name:
            return False
        return isinstance(self.context.kind_of(owner.id), Array) or is_adjoint(
            owner.id, self.context
        )
