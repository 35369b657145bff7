"""What the size of an axis stands for.

A text serves arrays of any size, as far as broadcasting is the same. What has one entry is repeated; and a
slice of a short axis may have one entry, where one of a longer axis has not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LARGE = 8
MOST_ENTRIES = 16  # of a vector that becomes numbers side by side
_any_size: ContextVar[bool] = ContextVar("any_size", default=False)


def least(size: int) -> int:
    """Return what a size stands for: 1, or that it is 0 or at least 2, or 0 or at least `LARGE`.

    Examples
    --------
    >>> [least(n) for n in (0, 1, 2, 7, 8, 1000)]
    [8, 1, 2, 2, 8, 8]
    """
    if size == 1:
        return 1
    return 2 if 1 < size < LARGE or _any_size.get() else LARGE


def counts(size: int) -> bool:
    """Whether it is asked how long an axis is: it is short, and the text serves the arguments at hand.

    Examples
    --------
    >>> [counts(n) for n in (1, 2, 16, 17)]
    [False, True, True, False]
    """
    return 1 < size <= MOST_ENTRIES and for_arguments_at_hand()


def for_arguments_at_hand() -> bool:
    """Whether a text serves the arguments at hand: another is written where they are others.

    Examples
    --------
    >>> with of_any_size():
    ...     for_arguments_at_hand()
    False
    """
    return not _any_size.get()


@contextmanager
def of_any_size() -> Iterator[None]:
    """Let large arrays stand for all that have no axis of length 1: for texts that are sent along.

    Examples
    --------
    >>> with of_any_size():
    ...     [least(n) for n in (0, 1, 2, 1000)]
    [2, 1, 2, 2]
    """
    token = _any_size.set(True)
    try:
        yield
    finally:
        _any_size.reset(token)
