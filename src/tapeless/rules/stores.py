"""What functions and methods store into: the argument, or object, that is another one afterwards.

None of these has a derivative of its own: the stages write stores out, or see that something unseen is
stored into. Where the class of an object is not known, its method counts as storing if the method of
that name does in any of these classes.
"""

from __future__ import annotations

import bisect
import heapq
from collections import deque

import numpy as np

from tapeless.rules.traits import traits, traits_of
from tapeless.runtime import set_attribute, update_attributes

_CLASSES = (np.ndarray, list, dict, set, deque, bytearray, object)

traits(
    np.put, np.place, np.putmask, np.copyto, np.fill_diagonal, np.put_along_axis,
    np.ndarray.fill, np.ndarray.sort, np.ndarray.put, np.ndarray.partition, np.ndarray.resize,
    np.ndarray.setfield, np.ndarray.setflags,
    list.append, list.extend, list.insert, list.remove, list.clear, list.reverse, list.sort,
    dict.update, dict.clear,
    stores=(0,), returns_nothing=True,
)  # fmt: skip
traits(list.pop, dict.pop, dict.popitem, dict.setdefault, stores=(0,))
traits(
    set.add, set.discard, set.remove, set.pop, set.clear, set.update, set.difference_update,
    set.intersection_update, set.symmetric_difference_update, bytearray.append, bytearray.extend,
    bytearray.insert, bytearray.reverse, deque.append, deque.appendleft, deque.pop, deque.popleft,
    deque.extend, deque.extendleft, deque.insert, deque.remove, deque.clear, deque.reverse,
    deque.rotate, stores=(0,),
)  # fmt: skip
traits(list.__setitem__, list.__delitem__, object.__setattr__, setattr, delattr, stores=(0,))
traits(update_attributes, set_attribute, stores=(0,), returns_nothing=True)
traits(heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, stores=(0,))
traits(heapq.heappushpop, bisect.insort_left, bisect.insort_right, stores=(0,))


def method_stores(label: str, classes: tuple[type, ...] = _CLASSES) -> bool:
    """Whether a method of this name stores into its object, in any of some classes.

    Examples
    --------
    >>> method_stores("append"), method_stores("sum"), method_stores("add", (list,))
    (True, False, False)
    """
    return any(traits_of(getattr(cls, label, None)).stores for cls in classes)
