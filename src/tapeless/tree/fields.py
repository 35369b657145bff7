"""The fields of trees, fetched at once.

Walking over trees is most of what this library does. To ask a tree for all its fields in one call is
several times as fast as to ask for each by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import gast

Getter = Callable[[Any], tuple[Any, ...]]

_OF_NO_PARTS = ("ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment", "annotation")
_SAYS_NOTHING = ("ctx", "kind", "type_comment", "annotation")


def getter(fields: Sequence[str]) -> Getter:
    """Give what lists some fields of a tree, None for one that is not there.

    Examples
    --------
    >>> part = gast.BinOp(gast.Constant(1, None), gast.Add(), gast.Constant(2, None))
    >>> [type(x).__name__ for x in getter(["left", "op"])(part)]
    ['Constant', 'Add']
    >>> getter(["body"])(part), getter([])(part)
    ((None,), ())
    """
    fetch: Any = attrgetter(*fields) if len(fields) > 1 else None

    def fetched(part: Any) -> tuple[Any, ...]:
        if fetch is not None:
            try:
                found: tuple[Any, ...] = fetch(part)
            except AttributeError:
                pass
            else:
                return found
        return tuple([getattr(part, field, None) for field in fields])

    return fetched


def _getters(left_out: Sequence[str], nothing_of: Sequence[type] = ()) -> dict[type, Getter]:
    classes: list[Any] = [
        c for c in vars(gast).values() if isinstance(c, type) and issubclass(c, gast.AST)
    ]
    kept = {c: [f for f in c._fields if f not in left_out] for c in classes}
    return {c: getter(() if c in nothing_of else fields) for c, fields in kept.items()}


# For each class of tree what lists its parts that have parts or names.
PARTS = _getters(_OF_NO_PARTS, [gast.Constant])
# For each class of tree what lists all that it says.
SAID = _getters(_SAYS_NOTHING)
