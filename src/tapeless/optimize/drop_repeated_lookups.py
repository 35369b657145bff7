"""An adjoint that was looked up in the adjoint memory is not looked up again."""

from __future__ import annotations

from collections.abc import Collection

import gast

from tapeless.optimize.analyses import body_of
from tapeless.optimize.context import Context
from tapeless.tree.blocks import all_blocks
from tapeless.tree.known_names import KnownNames
from tapeless.tree.trees import Stmt

Known = dict[str, str]


def drop_repeated_lookups(function: gast.FunctionDef, context: Context) -> bool:
    """Drop `x_bar = bars[x]` where `x_bar` is that already.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(bars, x, y):
    ...     x_bar = bars[x]
    ...     x_bar += y
    ...     for i in range(3):
    ...         x_bar = bars[x]
    ...         x_bar[i] += 1.0
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key in ("bars", "x_bar"))
    >>> drop_repeated_lookups(function, context)
    True
    >>> print(unparse(function), end="")
    def f(bars, x, y):
        x_bar = bars[x]
        x_bar += y
        for i in range(3):
            x_bar[i] += 1.0
    """
    if not any(_lookup(s, context) for s in body_of(function, context).parts(gast.Assign)):
        return False
    looked_up = _LookedUp(function, context)
    dropped = False
    for block in list(all_blocks(function.body)):
        kept = [s for s in block if not looked_up.is_repeated(s)]
        if len(kept) < len(block):
            dropped = True
            block[:] = kept or [gast.Pass()]
    return dropped


class _LookedUp(KnownNames[str]):
    """Which names were looked up before, and where."""

    def __init__(self, function: gast.FunctionDef, context: Context) -> None:
        super().__init__()
        self.context = context
        self.block(function.body, {})

    def is_repeated(self, s: Stmt) -> bool:
        """Whether a statement looks up what its name is already."""
        lookup = _lookup(s, self.context)
        return lookup is not None and self.before.get(s, {}).get(lookup[0]) == lookup[1]

    def without(self, state: Known, names: Collection[str]) -> Known:
        return {k: text for k, text in state.items() if not {k, *text.split()} & set(names)}

    def simple(self, s: Stmt, state: Known) -> Known:
        # `x_bar += g` works on the buffer itself
        return state if type(s) is gast.AugAssign else super().simple(s, state)

    def learnt(self, s: Stmt, state: Known) -> Known:
        lookup = _lookup(s, self.context)
        return {} if lookup is None else {lookup[0]: lookup[1]}


def _lookup(s: Stmt, context: Context) -> tuple[str, str] | None:
    """Return the name and the text of a look-up in the adjoint memory."""
    if type(s) is not gast.Assign or len(s.targets) != 1:
        return None
    place, value = s.targets[0], s.value
    if type(place) is not gast.Name or type(value) is not gast.Subscript:
        return None
    memory, thing = value.value, value.slice
    if type(memory) is not gast.Name or type(thing) is not gast.Name:
        return None
    if not memory.id.startswith("bars") or not context.temporaries(memory.id):
        return None
    return place.id, f"{memory.id} {thing.id}"
