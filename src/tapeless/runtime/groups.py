"""`itertools.groupby`, written out: a generator, which is differentiated like the user's code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def grouped(iterable: Any, key: Any = None) -> Iterator[Any]:
    """Yield runs of items with one key, as `itertools.groupby` does; each as a list.

    Examples
    --------
    >>> list(grouped([1.0, 3.0, 2.0], key=lambda x: x > 2.0))
    [(False, [1.0]), (True, [3.0]), (False, [2.0])]
    """
    keys: list[Any] = []
    group: list[Any] = []
    for item in iterable:
        of_item = item if key is None else key(item)
        if len(group) > 0 and of_item != keys[-1]:
            yield keys[-1], group
            group = []
        keys.append(of_item)
        group.append(item)
    if len(group) > 0:
        yield keys[-1], group
