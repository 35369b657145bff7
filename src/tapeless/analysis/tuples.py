"""Tuples as values: a tuple varies if an item does, and then tells which of its items do not.

What a loop binds side by side, or a sweep hands to the other one, is often a constant beside what varies.
Memory may come to vary later, by a store: who asks for an item asks its regions too. Of a tuple that
does not vary nothing is told: it is like any other when it is joined with one that does.
"""

from __future__ import annotations

from collections.abc import Iterable

from tapeless.analysis.abstract import Value
from tapeless.kinds import Tuple


def tuple_of(values: Iterable[Value], cls: type = tuple) -> Value:
    """Return what is known of a tuple with these items.

    Examples
    --------
    >>> from tapeless.kinds import Real
    >>> made = tuple_of([Value(Real()), Value(Real(), True)])
    >>> made.varied, made.kind.still
    (True, frozenset({0}))
    """
    items = list(values)
    varied = any(item.varied for item in items)
    still = frozenset(i for i, item in enumerate(items) if varied and not item.varied)
    return Value(Tuple(tuple(item.kind for item in items), cls, still=still), varied)


def items_of(whole: Value) -> list[Value]:
    """Return what the items of a tuple are known to be.

    Examples
    --------
    >>> from tapeless.kinds import Real
    >>> [item.varied for item in items_of(tuple_of([Value(Real()), Value(Real(), True)]))]
    [False, True]
    """
    kind = whole.kind
    assert isinstance(kind, Tuple)
    return [Value(item, whole.varied and i not in kind.still) for i, item in enumerate(kind.items)]
