"""What the methods of a `collections.Counter` do, in the words of a dict.

An entry that is missing counts 0; what is computed with the counts is as smooth as the counts themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def most_counted(counter: Any, n: Any = None) -> list[tuple[Any, Any]]:
    """Return ``counter.most_common(n)``: pairs of keys and counts, the greatest first.

    Examples
    --------
    >>> most_counted({"a": 1, "b": 3, "c": 3}, 2)
    [('b', 3), ('c', 3)]
    """
    pairs = sorted(counter.items(), key=lambda pair: pair[1], reverse=True)
    return pairs if n is None else pairs[: max(n, 0)]


def total_counted(counter: Any) -> Any:
    """Return ``counter.total()``, the sum of the counts."""
    return sum(counter.values())


def elements_counted(counter: Any) -> Iterator[Any]:
    """Yield each key as often as it is counted."""
    for key, count in counter.items():
        for _ in range(count):
            yield key


def counted_in_addition(counter: Any, iterable: Any) -> None:
    """Count more, as ``counter.update(iterable)`` does: keys, or the counts of another counter or dict."""
    if isinstance(iterable, dict):
        for key, count in iterable.items():
            counter[key] = counter.get(key, 0) + count
    else:
        for key in iterable:
            counter[key] = counter.get(key, 0) + 1


def counted_off(counter: Any, iterable: Any) -> None:
    """Count less, as ``counter.subtract(iterable)`` does."""
    if isinstance(iterable, dict):
        for key, count in iterable.items():
            counter[key] = counter.get(key, 0) - count
    else:
        for key in iterable:
            counter[key] = counter.get(key, 0) - 1
