"""A loop unpacks its items where it receives them.

    for item in bonds:
        i, j = item            ->      for i, j in bonds:

This is done last: what is differentiated again, or searched for saves, has loops over single names.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.context import Context
from tapeless.tree.blocks import all_statements
from tapeless.tree.liveness import Liveness
from tapeless.tree.trees import Stmt


def unpack_in_loops(function: gast.FunctionDef, context: Context) -> None:
    """Unpack the items of loops, where nothing else reads them, in the loops' heads.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(bonds, x):
    ...     s = 0.0
    ...     for v in bonds:
    ...         i, j = v
    ...         s = s + x[i] * x[j]
    ...     for v in bonds:
    ...         i, j = v
    ...         s = s + v[0]
    ... ''').body[0]
    >>> unpack_in_loops(function, Context(temporaries=lambda key: key == "v"))
    >>> print(unparse(function), end="")
    def f(bonds, x):
        s = 0.0
        for i, j in bonds:
            s = s + x[i] * x[j]
        for v in bonds:
            i, j = v
            s = s + v[0]
    """
    found = [s for s in all_statements(function.body) if type(s) is gast.For and _is_unpacked(s)]
    live = Liveness(function) if found else None
    for loop in found:
        key, first = loop.target.id, loop.body[0]
        if live and context.temporaries(key) and key not in live.live_after(first):
            loop.target = first.targets[0]
            loop.body = loop.body[1:] or [gast.Pass()]


def _is_unpacked(loop: Any) -> bool:
    """Whether a loop begins by unpacking its item into names."""
    first: Stmt = loop.body[0]
    if type(loop.target) is not gast.Name or type(first) is not gast.Assign:
        return False
    place: Any = first.targets[0] if len(first.targets) == 1 else None
    plain = type(place) is gast.Tuple and all(type(e) is gast.Name for e in place.elts)
    own = getattr(first.value, "id", None) == loop.target.id
    return plain and own and all(e.id != loop.target.id for e in place.elts)
