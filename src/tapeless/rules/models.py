"""Functions of Python that move items about, or call functions: loops in Python stand for them.

What stands for `heapq` and `reduce` does so for constants, too: what varies may come into a heap later,
and a function that is folded may change things.
"""

from __future__ import annotations

import collections
import collections.abc
import functools
import heapq
import itertools
from typing import Any

from tapeless.rules.declare import written_out
from tapeless.runtime import (
    Queue,
    counted_in_addition,
    counted_off,
    dict_of_keys,
    elements_counted,
    greatest_items,
    grouped,
    heap_ordered,
    heap_popped,
    heap_pushed,
    heap_pushed_and_popped,
    heap_replaced,
    items_of_mapping,
    items_of_sequence,
    keys_of_mapping,
    least_items,
    most_counted,
    reduced,
    sorted_items,
    total_counted,
    values_of_mapping,
)


def queue(iterable: Any = None, maxlen: Any = None) -> Any:
    """Make what stands for a deque."""
    return Queue(iterable, maxlen)


written_out(functools.reduce, reduced, always=True)
written_out(heapq.heappush, heap_pushed, always=True)
written_out(heapq.heappop, heap_popped, always=True)
written_out(heapq.heapreplace, heap_replaced, always=True)
written_out(heapq.heappushpop, heap_pushed_and_popped, always=True)
written_out(heapq.heapify, heap_ordered, always=True)
written_out(heapq.nlargest, greatest_items)
written_out(heapq.nsmallest, least_items)
written_out(sorted, sorted_items)
written_out(itertools.groupby, grouped)
written_out(collections.abc.Mapping.keys, keys_of_mapping, always=True)
written_out(collections.abc.Mapping.values, values_of_mapping, always=True)
written_out(collections.abc.Mapping.items, items_of_mapping, always=True)
written_out(collections.abc.Sequence.__iter__, items_of_sequence, always=True)
written_out(dict.fromkeys, dict_of_keys, always=True)
written_out(collections.Counter.most_common, most_counted, always=True)
written_out(collections.Counter.total, total_counted, always=True)
written_out(collections.Counter.elements, elements_counted, always=True)
written_out(collections.Counter.update, counted_in_addition, always=True)
written_out(collections.Counter.subtract, counted_off, always=True)
written_out(collections.deque, queue, always=True)
