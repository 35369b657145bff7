"""The functions of `heapq`, written out: they move the items of a list about by comparing them.

They compare and move the same items in the same order as those of the standard library, so that the
heap is the same. Written as loops they are differentiated like the user's code.
"""

from __future__ import annotations

from typing import Any


def heap_pushed(heap: Any, item: Any) -> None:
    """Put an item into a heap, as `heapq.heappush` does.

    Examples
    --------
    >>> heap = [2.0, 3.0]
    >>> heap_pushed(heap, 1.0)
    >>> heap
    [1.0, 3.0, 2.0]
    """
    heap.append(item)
    risen(heap, 0, len(heap) - 1)


def heap_popped(heap: Any) -> Any:
    """Take the least item out of a heap, as `heapq.heappop` does.

    Examples
    --------
    >>> heap_popped([1.0, 3.0, 2.0])
    1.0
    """
    item = heap.pop()
    if len(heap) > 0:
        least = heap[0]
        heap[0] = item
        sunk(heap, 0)
        item = least
    return item


def heap_replaced(heap: Any, item: Any) -> Any:
    """Take the least item out and put another one in, as `heapq.heapreplace` does."""
    least = heap[0]
    heap[0] = item
    sunk(heap, 0)
    return least


def heap_pushed_and_popped(heap: Any, item: Any) -> Any:
    """Put an item in and take the least out, as `heapq.heappushpop` does."""
    least = item
    if len(heap) > 0 and heap[0] < item:
        least = heap[0]
        heap[0] = item
        sunk(heap, 0)
    return least


def heap_ordered(heap: Any) -> None:
    """Make a heap of a list, as `heapq.heapify` does.

    Examples
    --------
    >>> heap = [3.0, 2.0, 1.0]
    >>> heap_ordered(heap)
    >>> heap
    [1.0, 2.0, 3.0]
    """
    for i in range(len(heap) // 2 - 1, -1, -1):
        sunk(heap, i)


def risen(heap: Any, start: int, at: int) -> None:
    """Let an item rise above those of its parents that are greater."""
    item = heap[at]
    rising = at > start
    while rising:
        above = (at - 1) // 2
        parent = heap[above]
        rising = item < parent
        if rising:
            heap[at] = parent
            at = above
            rising = at > start
    heap[at] = item


def sunk(heap: Any, at: int) -> None:
    """Let an item sink to the bottom below the lesser of its children, then rise to its place."""
    start = at
    item = heap[at]
    child = 2 * at + 1
    while child < len(heap):
        right = child + 1
        if right < len(heap) and not heap[child] < heap[right]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    risen(heap, start, at)
