"""What is made of a function is kept with it, so that asking again gives the same."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable
from typing import Any

LOCK = threading.RLock()


def named_object(f: Any) -> Any:
    """Return the object that stands under the module and qualified name of `f`, None if none does."""
    found: Any = sys.modules.get(getattr(f, "__module__", None) or "")
    for part in getattr(f, "__qualname__", "").split("."):
        found = getattr(found, part, None)
    return found


def remembered(f: Any, key: Any, make: Callable[[], Any]) -> Any:
    """Keep what is made of a function with the function: the same for the same key.

    Derivatives keep what is made of them as functions do; objects of the user's with a `__call__` do not.
    """
    if not inspect.isfunction(f) and not getattr(type(f), "keeps_what_is_made", False):
        return make()
    owner, known = f.__dict__.get("__tapeless_memo__", (None, {}))
    if owner is f and key in known:
        return known[key]
    with LOCK:
        owner, known = f.__dict__.get("__tapeless_memo__", (None, {}))
        if owner is not f:  # copied from another function by functools.wraps
            known = {}
            f.__dict__["__tapeless_memo__"] = f, known
        if key not in known:
            known[key] = make()
        return known[key]
