"""Who wants to see what each pass leaves."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

Watcher = Callable[[str, Any], None]
WATCHERS: ContextVar[tuple[Watcher, ...]] = ContextVar("watchers", default=())


def is_watched() -> bool:
    """Return whether somebody asked to see the passes."""
    return bool(WATCHERS.get())
