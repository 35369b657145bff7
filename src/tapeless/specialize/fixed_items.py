"""What is known as items that are alike, however many, is never changed: as a tuple it has no memory.

Functions that take arrays apart give lists of unknown length, of which only the kind of the items is
known.

    parts = np.split(x, 2); parts[0] = y        refused: the items have no place for their cotangents
    parts += more                               refused: the list changes under its other names, too
    parts = [p for p in np.split(x, 2)]         a list of the function's own
"""

from __future__ import annotations

import gast

from tapeless.kinds import Array, Number, Real, Sequence
from tapeless.specialize.state import Specializer
from tapeless.tree.build import as_load
from tapeless.tree.trees import Expr, Stmt

_CHANGING = frozenset(vars(list)) - frozenset(vars(tuple)) - {"copy"}


def check_fixed_items(specializer: Specializer, s: Stmt) -> None:
    """Refuse a statement that changes the items of a list of unknown length that a function gave."""
    for owner in _changed(specializer, s):
        kind = specializer.kind(owner)
        if isinstance(kind, Sequence) and (kind.may_be_list or not _is_rebound(s)):
            specializer.refuse(
                s,
                "this changes a list that a function of a library made",
                "make a list of your own of it: `[part for part in ...]`",
            )


def _is_rebound(s: Stmt) -> bool:
    """Whether a statement is `name op= value`, which changes a list and makes a tuple anew."""
    return isinstance(s, gast.AugAssign) and isinstance(s.target, gast.Name)


def _changed(specializer: Specializer, s: Stmt) -> list[Expr]:
    """List what a statement changes the items of; an array beside a list makes an array of both."""
    called = getattr(s, "value", None)
    if isinstance(called, gast.Call) and isinstance(called.func, gast.Attribute):
        if called.func.attr in _CHANGING:
            return [called.func.value]
    if _is_rebound(s):
        return (
            []
            if isinstance(specializer.kind(s.value), (Array, Number, Real))
            else [as_load(s.target)]
        )
    places = [s.target] if isinstance(s, gast.AugAssign) else getattr(s, "targets", [])
    return [place.value for place in places if isinstance(place, gast.Subscript)]
