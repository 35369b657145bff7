"""Which exceptions a handler catches."""

from __future__ import annotations

import builtins
from typing import Any

import gast

from tapeless.externals import MISSING
from tapeless.tree.function import CoreFunction

Exceptions = tuple[type[BaseException], ...]


def caught(function: CoreFunction, handlers: list[Any]) -> Exceptions:
    """Return the classes of the exceptions that some handlers catch; all, where it is not known."""
    found: list[type[BaseException]] = []
    for handler in handlers:
        parts = handler.type.elts if type(handler.type) is gast.Tuple else [handler.type]
        for part in parts:
            cls = MISSING if part is None else function.resolve(part)
            if cls is MISSING and type(part) is gast.Name and part.id not in function.local:
                cls = getattr(builtins, part.id, MISSING)
            known = isinstance(cls, type) and issubclass(cls, BaseException)
            found.append(cls if known else BaseException)
    return tuple(found)


def may_catch(raised: Exceptions, classes: Exceptions) -> bool:
    """Whether something of some classes, or of their children, is caught."""
    return any(issubclass(r, c) or issubclass(c, r) for r in raised for c in classes)
