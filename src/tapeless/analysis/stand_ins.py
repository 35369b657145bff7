"""Objects that stand for those of a class that is not written in Python: they stay inside the function.

    self.seen = deque(maxlen=3)         a `Queue` of tapeless stands for it while the derivative runs
    return self.seen                    here it would be seen that it is none

A deque does what the class in Python does, so what a function computes with one is the same. Whoever gets
the thing itself would get another one: what leaves the function is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from tapeless.analysis.abstract import Heap, Value, reachable
from tapeless.analysis.facts import Facts, is_stand_in
from tapeless.kinds import Instance, Kind, Sequence, Tuple
from tapeless.regions import is_outside
from tapeless.runtime import class_shown


def check_stand_ins(root: Facts, values: Iterable[Value], heap: Heap) -> None:
    """Refuse a thing that stands for another where it is returned, or kept when the function is left.

    Raises
    ------
    GradientError
        At the function.
    """
    if not root.makes_stand_ins:
        return
    outside = {r for r in root.heap if is_outside(r)}
    given = reachable([v.kind for v in values], heap)
    kept = [v.kind for r in outside | given for v in root.heap.get(r, {}).values()]
    start = [root.returned.kind, *kept]
    held = [v.kind for r in reachable(start, root.heap) for v in root.heap.get(r, {}).values()]
    for kind in [part for whole in [*start, *held] for part in _parts(whole)]:
        if is_stand_in(kind):
            assert isinstance(kind, Instance)
            shown = " or ".join(
                sorted(class_shown(each.cls).__name__ for each in kind.alternatives)
            )
            raise root.function.error(
                root.function.tree, f"a {shown} that is made here is returned, or kept outside",
                "return a list of what it holds, or make it outside",
            )  # fmt: skip


def _parts(kind: Kind) -> list[Kind]:
    """List a kind and, of a tuple, those of its items."""
    items = kind.items if isinstance(kind, Tuple) else ()
    items = (kind.item,) if isinstance(kind, Sequence) else items
    return [kind, *(part for item in items for part in _parts(item))]
