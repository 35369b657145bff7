"""A deque as a class written in Python: over a list, so that what it holds is followed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any


class Queue:
    """A queue with two ends, with the methods of `collections.deque`.

    Attributes
    ----------
    items
        What it holds.
    maxlen
        How many items it holds at most: another one at one end pushes one out at the other.

    Examples
    --------
    >>> q = Queue([1.0, 2.0, 3.0], 2)
    >>> q.append(4.0)
    >>> q[0], len(q), sum(q)
    (3.0, 2, 7.0)
    """

    def __init__(self, iterable: Any = None, maxlen: int | None = None) -> None:
        self.items = [] if iterable is None else list(iterable)
        self.maxlen = maxlen
        if maxlen is not None:
            while len(self.items) > maxlen:
                self.items.pop(0)

    def append(self, x: Any) -> None:
        self.items.append(x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, x: Any) -> None:
        self.items.insert(0, x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop()

    def extend(self, iterable: Any) -> None:
        for x in iterable:
            self.append(x)

    def extendleft(self, iterable: Any) -> None:
        for x in iterable:
            self.appendleft(x)

    def insert(self, i: int, x: Any) -> None:
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(i, x)

    def pop(self) -> Any:
        return self.items.pop()

    def popleft(self) -> Any:
        return self.items.pop(0)

    def clear(self) -> None:
        self.items.clear()

    def copy(self) -> Queue:
        return Queue(self.items, self.maxlen)

    def __copy__(self) -> Queue:
        return Queue(self.items, self.maxlen)

    def count(self, x: Any) -> int:
        return self.items.count(x)

    def index(self, x: Any) -> int:
        return self.items.index(x)

    def remove(self, x: Any) -> None:
        self.items.remove(x)

    def reverse(self) -> None:
        self.items.reverse()

    def rotate(self, n: int = 1) -> None:
        start = -n % max(len(self.items), 1)
        self.items[:] = self.items[start:] + self.items[:start]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Any:
        return self.items[index]

    def __setitem__(self, index: int, x: Any) -> None:
        self.items[index] = x

    def __delitem__(self, index: int) -> None:
        del self.items[index]

    def __contains__(self, x: Any) -> bool:
        return x in self.items

    def __repr__(self) -> str:
        end = "" if self.maxlen is None else f", maxlen={self.maxlen}"
        return f"deque({self.items!r}{end})"

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)


def class_shown(cls: type) -> type:
    """Return the class that the objects of a class are for the user: another one where it stands for that.

    Examples
    --------
    >>> class_shown(Queue), class_shown(int)
    (<class 'collections.deque'>, <class 'int'>)
    """
    return deque if cls is Queue else cls
