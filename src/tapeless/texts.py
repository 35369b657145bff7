"""What the kind of a text says of it, for the arguments at hand.

A literal has a value, by which tests are decided. What comes from outside says what it is where that is
known, and where it stands (`details`): only what makes use of it rests on it.
"""

from __future__ import annotations

from dataclasses import replace

from tapeless.details import Text
from tapeless.kinds import Inert, Integer, Kind, Tuple


def text_of(kind: Kind) -> Text | None:
    """Return what is known of what a text says; None for anything else, and where nothing is.

    Examples
    --------
    >>> text_of(Inert("str", "sin")).value, text_of(Inert("str"))
    ('sin', None)
    """
    if not isinstance(kind, Inert):
        return None
    return kind.text or (Text(kind.value) if isinstance(kind.value, str) else None)


def in_slot(kind: Kind) -> Kind:
    """Return the kind of what a slot holds, where other things may come to stand."""
    text = text_of(kind)
    if text is not None:
        return replace(kind, text=replace(text, held=True))  # type: ignore[call-arg]
    if isinstance(kind, Tuple):
        items = tuple(map(in_slot, kind.items))
        return kind if items == kind.items else replace(kind, items=items)
    return kind


def of_any_value(kind: Kind) -> Kind:
    """Return the kind of a text, truth or integer of which it is not known which it is.

    Examples
    --------
    >>> of_any_value(Tuple((Inert("str", "sin"), Integer(2)))) == Tuple((Inert("str"), Integer()))
    True
    """
    if isinstance(kind, Integer):
        return Integer()
    if isinstance(kind, Inert) and kind.what in ("str", "bool"):
        return Inert(kind.what)
    if isinstance(kind, Tuple):
        items = tuple(map(of_any_value, kind.items))
        return kind if items == kind.items else replace(kind, items=items)
    return kind
