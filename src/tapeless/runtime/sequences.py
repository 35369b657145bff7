"""Built-in functions over sequences, written out: they move items about, or call functions.

Written as loops they are differentiated like the user's code, where a rule could not see into a key or
into the function that is folded.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.runtime.broadcasting import unbroadcast
from tapeless.variables import Variable


def values_of(xs: Any) -> Any:
    """Return a list or tuple with its Variables replaced by their values."""
    items = [x.value if isinstance(x, Variable) else x for x in xs]
    return items if isinstance(xs, list) else tuple(items)


def sequence(x: Any) -> Any:
    """Return what has the items of an iterable at their places: the thing itself, if it is a sequence.

    Examples
    --------
    >>> sequence({"a": 1, "b": 2})
    ['a', 'b']
    """
    return x if isinstance(x, (list, tuple, np.ndarray)) else list(x)


def single_index(i: Any) -> int:
    """Return an index of a list or tuple that was taken to name one item; a slice does not.

    Raises
    ------
    GradientError
        Where it is a slice: what it cuts out is a list, and derivatives were written for an item.

    Examples
    --------
    >>> single_index(np.int64(3))
    3
    """
    if isinstance(i, slice):
        raise GradientError(
            "an index of a list or tuple, of which nothing was known, is a slice",
            fix="write it where the list is: items[a:b]",
        )
    return operator.index(i)


def items_by_place(x: Any) -> list[Any]:
    """Return what Python visits of an object without `__iter__`: its items, up to an `IndexError`.

    Examples
    --------
    >>> class Squares:
    ...     def __getitem__(self, i):
    ...         if i > 2:
    ...             raise IndexError(i)
    ...         return i * i
    >>> items_by_place(Squares())
    [0, 1, 4]
    """
    items = []
    i = 0
    while True:
        try:
            item = x[i]
        except IndexError:
            break
        items.append(item)
        i = i + 1
    return items


def items_left(x: Any) -> list[Any]:
    """Return what an iterator gives until it comes to its end.

    Examples
    --------
    >>> items_left(iter((1, 2)))
    [1, 2]
    """
    items = []
    while True:
        try:
            item = x.__next__()
        except StopIteration:
            break
        items.append(item)
    return items


def zipped(rows: Any) -> list[Any]:
    """Return the columns of rows, as `list(zip(*rows))` does.

    Examples
    --------
    >>> zipped([[1, 2], [3, 4]])
    [(1, 3), (2, 4)]
    """
    count = shortest(rows)
    columns = []
    for i in range(count):
        column = []
        for row in rows:
            column.append(row[i])
        columns.append(tuple(column))
    return columns


def shortest(rows: Any) -> int:
    """Return the length of the shortest of some rows, 0 where there are none."""
    return min((len(row) for row in rows), default=0)


def sorted_items(items: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    """Return the items in order, as `sorted` does.

    Examples
    --------
    >>> sorted_items([3.0, 1.0, 2.0], reverse=True)
    [3.0, 2.0, 1.0]
    """
    found = []
    for i in order_of(items, key, reverse):
        found.append(items[i])
    return found


def greatest_items(n: Any, items: Any, key: Any = None) -> list[Any]:
    """Return the greatest items, the first of them first, as `heapq.nlargest` does.

    Examples
    --------
    >>> greatest_items(2, [3.0, 1.0, 2.0])
    [3.0, 2.0]
    """
    found = []
    for i in order_of(items, key, True)[: max(n, 0)]:
        found.append(items[i])
    return found


def least_items(n: Any, items: Any, key: Any = None) -> list[Any]:
    """Return the least items, the first of them first, as `heapq.nsmallest` does.

    Examples
    --------
    >>> least_items(2, [3.0, 1.0, 2.0])
    [1.0, 2.0]
    """
    found = []
    for i in order_of(items, key, False)[: max(n, 0)]:
        found.append(items[i])
    return found


def reordered(items: Any, order: Any) -> list[Any]:
    """Return the items of a list in another order.

    Examples
    --------
    >>> reordered([3.0, 1.0, 2.0], [1, 2, 0])
    [1.0, 2.0, 3.0]
    """
    found = []
    for i in order:
        found.append(items[i])
    return found


def order_of(items: Any, key: Any = None, reverse: bool = False) -> list[int]:
    """Return the indices of items in their order."""
    keys = list(items) if key is None else [key(item) for item in items]
    return sorted(range(len(keys)), key=lambda i: keys[i], reverse=reverse)


def largest(items: Any, *, key: Any = None, default: Any = None) -> Any:
    """Return the item with the greatest key, as `max` of one argument does."""
    if len(items) == 0 and default is not None:
        return default
    return items[index_of_extreme(items, key, True)]


def smallest(items: Any, *, key: Any = None, default: Any = None) -> Any:
    """Return the item with the least key, as `min` of one argument does."""
    if len(items) == 0 and default is not None:
        return default
    return items[index_of_extreme(items, key, False)]


def total_of(items: Any, start: Any) -> Any:
    """Return the sum of objects from a first one on, as `sum` does.

    Examples
    --------
    >>> total_of([(1, 2), (3,)], ())
    (1, 2, 3)
    """
    total = start
    for item in items:
        total = total + item
    return total


def total_of_objects(items: Any) -> Any:
    """Return the sum of objects that can be added to 0, as `sum` does.

    Examples
    --------
    >>> total_of_objects([1.0, 2.0])
    3.0
    """
    if len(items) == 0:
        raise ValueError("the sum of no objects is the number 0, and no object")
    total = 0 + items[0]
    for item in items[1:]:
        total = total + item
    return total


def index_of_extreme(items: Any, key: Any, greatest: bool) -> int:
    """Return the first index at which the key is greatest, or least."""
    keys = list(items) if key is None else [key(item) for item in items]
    return keys.index(max(keys) if greatest else min(keys))


def reduced(function: Any, items: Any, *initial: Any) -> Any:
    """Fold items into one value, as `functools.reduce` does.

    Examples
    --------
    >>> reduced(lambda a, b: 10 * a + b, [1, 2, 3])
    123
    """
    if len(initial) == 1:
        value, others = initial[0], items
    else:
        value, others = items[0], items[1:]
    for item in others:
        value = function(value, item)
    return value


def cotangents_of_sum(g: Any, xs: Any) -> Any:
    """Share out the cotangent of ``sum(xs)`` over the items of `xs`.

    Examples
    --------
    >>> cotangents_of_sum(2.0, [1.0, 3.0])
    [2.0, 2.0]
    """
    if isinstance(xs, np.ndarray):
        return np.broadcast_to(g, np.shape(xs))
    if isinstance(g, float):
        return [g if isinstance(x, float) else unbroadcast(g, x) for x in xs]
    return [unbroadcast(g, x) for x in xs]


def at_item(g: Any, i: int, xs: Any) -> Any:
    """Return the cotangents of the sequence `xs` whose item `i` alone was selected.

    Examples
    --------
    >>> at_item(2.0, 1, [5.0, 7.0])
    [0.0, 2.0]
    """
    if isinstance(xs, np.ndarray):
        return np.where(np.arange(len(xs)) == i, g, np.zeros_like(xs))
    return [g if k == i else 0.0 for k in range(len(xs))]
