"""A tuple that is unpacked as soon as it is received is unpacked where it is received.

p, saved = polar_fwd(x)
r, angle = p                   ->      (r, angle), saved = polar_fwd(x)
"""

from __future__ import annotations

import gast

from tapeless.optimize.analyses import liveness_of
from tapeless.optimize.context import Context
from tapeless.tree.blocks import Block, all_blocks, may_read
from tapeless.tree.trees import Expr, Stmt


def unpack_at_once(function: gast.FunctionDef, context: Context) -> bool:
    """Unpack what is read for nothing else in the statement that binds it.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x):
    ...     p, saved = polar_fwd(x)
    ...     r, angle = p
    ...     return r * angle, saved
    ... ''').body[0]
    >>> unpack_at_once(function, Context())
    True
    >>> print(unparse(function), end="")
    def f(x):
        (r, angle), saved = polar_fwd(x)
        return r * angle, saved
    """
    changed = False
    for block in all_blocks(function.body):
        for i in range(len(block) - 2, -1, -1):
            key = _unpacked(block, i + 1)
            part = None if key is None else _received(block[i], key)
            if key is None or part is None or key in may_read(block[i]):
                continue
            if key not in liveness_of(function, context).live_after(block[i + 1]):
                items = block[i].targets[0].elts
                items[part] = block[i + 1].targets[0]
                del block[i + 1]
                changed = True
    return changed


def _unpacked(block: Block, i: int) -> str | None:
    """Return the name that the i-th statement does nothing but unpack."""
    s = block[i]
    if type(s) is not gast.Assign or type(s.value) is not gast.Name:
        return None
    place = s.targets[0]
    plain = type(place) is gast.Tuple and all(type(e) is gast.Name for e in place.elts)
    return str(s.value.id) if plain and s.value.id not in _names(place) else None


def _received(s: Stmt, key: str) -> int | None:
    """Return the place of a name among those that a statement unpacks."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Tuple:
        return None
    found = [i for i, e in enumerate(s.targets[0].elts) if type(e) is gast.Name and e.id == key]
    return found[0] if len(found) == 1 else None


def _names(place: Expr) -> list[str]:
    return [e.id for e in place.elts]
