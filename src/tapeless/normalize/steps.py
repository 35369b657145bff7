"""The iterators of `itertools` that give an item at each step of another iterable, written in Python.

Each is a generator with one loop, and yields an item as the last thing of a trip. A loop over one becomes
that loop (`iterators_as_loops.py`): what stands before the `yield` is done before the body of the user's,
whatever functions do and the body changes happens in the order of the original.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def islice(
    iterable: Iterable[Any], start: int | None, stop: int | None, step: int | None = None
) -> Iterator[Any]:
    """Yield the items from one index on, before another one, at equal distances."""
    for k, v in enumerate(iterable) if stop is None else zip(range(stop), iterable):
        if start is not None:
            if k < start:
                continue
        if step is not None:
            if (k - (0 if start is None else start)) % step != 0:
                continue
        yield v


def islice_to(iterable: Iterable[Any], stop: int | None) -> Iterator[Any]:
    """Yield the first items."""
    for _k, v in enumerate(iterable) if stop is None else zip(range(stop), iterable):
        yield v


def takewhile(predicate: Callable[[Any], bool], iterable: Iterable[Any]) -> Iterator[Any]:
    """Yield items as long as they pass a test."""
    for v in iterable:
        if not predicate(v):
            break
        yield v


def dropwhile(predicate: Callable[[Any], bool], iterable: Iterable[Any]) -> Iterator[Any]:
    """Yield items from the first one on that fails a test."""
    dropping = True
    for v in iterable:
        if dropping:
            if predicate(v):
                continue
            dropping = False
        yield v


def filterfalse(predicate: Callable[[Any], bool] | None, iterable: Iterable[Any]) -> Iterator[Any]:
    """Yield the items that fail a test."""
    for v in iterable:
        if v if predicate is None else predicate(v):
            continue
        yield v


def starmap(function: Callable[..., Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """Yield what a function makes of each row of arguments."""
    for row in iterable:
        yield function(*row)


def repeat(object: Any, times: int) -> Iterator[Any]:
    """Yield one thing several times."""
    v = object
    for _k in range(times):
        yield v


def pairwise(iterable: Iterable[Any], /) -> Iterator[Any]:
    """Yield each item but the first with the one before."""
    first = True
    for v in iterable:
        if first:
            last = v
            first = False
            continue
        pair = (last, v)
        last = v
        yield pair


def accumulate(
    iterable: Iterable[Any], func: Callable[[Any, Any], Any] | None = None
) -> Iterator[Any]:
    """Yield the sums of the items so far."""
    first = True
    for v in iterable:
        if first:
            total = v
        else:
            total = total + v if func is None else func(total, v)
        first = False
        yield total


def compress(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    """Yield the items beside which something true stands."""
    for v, chosen in zip(data, selectors):
        if not chosen:
            continue
        yield v


MODELS: dict[Any, tuple[Callable[..., Iterator[Any]], ...]] = {
    itertools.islice: (islice_to, islice),
    itertools.takewhile: (takewhile,),
    itertools.dropwhile: (dropwhile,),
    itertools.filterfalse: (filterfalse,),
    itertools.starmap: (starmap,),
    itertools.repeat: (repeat,),
    itertools.pairwise: (pairwise,),
    itertools.accumulate: (accumulate,),
    itertools.compress: (compress,),
}
