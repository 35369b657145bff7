"""What the rules in a pullback read of the world outside: looked at once, and compared later."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.externals import External, place_key
from tapeless.sorts import CONTAINERS, Sort, attribute_names, sort_of
from tapeless.variables import Variable

Own = dict[tuple[int | None, str | None], Any]  # what is changed: a thing, an attribute, or both


class Outside:
    """What rules read of the world outside: where they look it up, and what they change themselves.

    Attributes
    ----------
    places
        Where something is looked up, each with the name of the function whose rule does.
    own
        What rules change: a thing, an attribute of one, or an attribute of any.
    """

    def __init__(self, places: Sequence[tuple[str, External]], own: Own) -> None:
        self.own = own
        self.places = [(label, place) for label, place in places if not self.changes(place)]

    def changes(self, place: External) -> bool:
        """Whether rules bind a place anew."""
        return place_key(place) in self.own

    def seen(self) -> Seen:
        """Look at all that the rules read, as it is now."""
        return Seen(self, [self.contents(place.value) for _, place in self.places])

    def contents(self, value: Any) -> list[tuple[Any, ...]]:
        """Return what can be compared with what will be found later, and keeps what it stands for alive."""
        found: list[tuple[Any, ...]] = []
        met: set[int] = set()
        todo = [value]
        while todo:
            x = todo.pop()
            if isinstance(x, (bool, int, float, complex, str, bytes, np.generic)):
                found.append((type(x).__name__, repr(x)))
                continue
            found.append((_Same(x),))
            if id(x) in met or (id(x), None) in self.own:
                continue
            met.add(id(x))
            if isinstance(x, Variable):
                todo.append(x.held)
            elif isinstance(x, types.MethodType):
                todo.append(x.__self__)
            elif isinstance(x, np.ndarray) and not x.dtype.hasobject:
                found.append((x.shape, x.dtype.str, x.tobytes()))
            elif sort_of(x) in CONTAINERS:
                keys, items = self.slots(x)
                found.append((keys,))
                todo += items
        return found

    def slots(self, x: Any) -> tuple[str, list[Any]]:
        """Return what a container or object holds, but for the attributes that rules change."""
        if sort_of(x) is Sort.OBJECT:
            own = {key for thing, key in self.own if thing is None or thing == id(x)}
            keys = [key for key in attribute_names(x) if key not in own]
            return repr(keys), [getattr(x, key) for key in keys]
        if isinstance(x, dict):
            return repr(list(x)), list(x.values())
        return str(len(x)), list(x)


@dataclass(frozen=True, eq=False)
class _Same:
    """A thing that is compared by identity."""

    thing: Any

    def __eq__(self, other: object) -> bool:
        """Whether both are one thing."""
        return isinstance(other, _Same) and self.thing is other.thing


@dataclass(frozen=True, eq=False)
class Seen:
    """What rules read of the world outside, as it was at one moment."""

    outside: Outside
    contents: list[list[tuple[Any, ...]]]

    def check(self) -> None:
        """Refuse to go on where something is no longer what it was.

        Raises
        ------
        GradientError
            If a rule would read what it has not read in the forward sweep.
        """
        for (label, place), then in zip(self.outside.places, self.contents, strict=True):
            if self.outside.contents(place.value) != then:
                raise GradientError(
                    f"`{place.key}`, which the gradient function of '{label}' reads from outside, "
                    "has changed since the forward sweep",
                    fix=f"run the pullback before, or let '{label}' take it as an argument",
                )
