"""A line on stderr while a derivative is being written that takes long to write.

Who waits at a terminal is told what for. Where nobody may be waiting, in a pipeline or a test, nothing is
said, unless the command line asks for it.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from tapeless.disk.functions import lines_of

SECONDS = 2.0
_asked: ContextVar[bool] = ContextVar("asked", default=False)


@contextlib.contextmanager
def telling() -> Iterator[None]:
    """Tell what takes long, whether stderr is a terminal or not."""
    token = _asked.set(True)
    try:
        yield
    finally:
        _asked.reset(token)


@contextlib.contextmanager
def told_if_slow(label: str, function: Callable[..., Any]) -> Iterator[None]:
    """Tell on stderr that a derivative is being written, once that has taken some time."""
    if not _asked.get() and not _is_terminal():
        yield
        return
    timer = threading.Timer(SECONDS, _tell, (label, function))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _is_terminal() -> bool:
    try:
        return bool(sys.stderr.isatty())
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _tell(label: str, function: Any) -> None:
    with contextlib.suppress(Exception):  # a message is no reason to fail
        count = len(lines_of(function))
        lines = f" ({count} lines)" if count > 1 else ""
        print(
            f"tapeless: writing the derivative of {label}{lines} ...", file=sys.stderr, flush=True
        )
