"""Iterators of libraries over what carries no derivative: what one item of each is.

`np.ndindex` and the iterators of `itertools` visit indices, names and constants. A loop over one is
reversed over the items that it kept, so nothing but the kind of an item has to be known: an integer is an
index, and what is read at it is a number. Over items that carry a derivative they are written out
(`tapeless.runtime.iterators`).
"""

from __future__ import annotations

import itertools
import math
from collections import OrderedDict
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from tapeless.analysis.abstract import Value, join_values
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.closures import closes_over_varied
from tapeless.analysis.interpret.items import item_of, key_of
from tapeless.analysis.interpret.state import Interpreter
from tapeless.externals import entry_of, is_one_of
from tapeless.joins import join
from tapeless.kinds import (
    NONE,
    UNKNOWN,
    UNREACHED,
    Dict,
    Integer,
    Iterator,
    Kind,
    List,
    Sequence,
    Tuple,
    differentiable,
)
from tapeless.ranks import literal
from tapeless.tree.trees import Expr

Given = dict[str, Kind]
_Visited = Callable[[list[Kind], Given, list[Kind]], Kind]


# Functions of Python's that go through all of what they are given first.
AT_ONCE = (
    list, tuple, sum, max, min, sorted, set, frozenset, dict, OrderedDict, math.fsum, math.prod,
)  # fmt: skip
# Iterators that are written as lists where what they give carries a derivative.
LISTED: tuple[Any, ...] = (
    itertools.chain, itertools.chain.from_iterable, itertools.product, itertools.combinations,
    itertools.combinations_with_replacement, itertools.permutations, itertools.zip_longest,
)  # fmt: skip


def of_iterators(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the making of an iterator of a library, or what `next` takes of one; None for all else."""
    if found is next and site.values and isinstance(site.values[0].kind, (Iterator, List)):
        first, *default = site.values
        taken = item_of(interpreter, first, Integer(), site.tree)
        return reduce(lambda a, b: join_values(a, b, interpreter.point(site.tree)), default, taken)
    visited = _iterator_kind(interpreter, found, site)
    return None if visited is None else Value(visited, any(map(interpreter.is_varied, site.given)))


def _iterator_kind(interpreter: Interpreter, found: Any, site: CallSite) -> Kind | None:
    """Return the kind of an iterator of a library, None for what is not one.

    One that gives what varies is known as the list of what it gives: it will be written as one.
    """
    visited = entry_of(found, _VISITED)
    if is_one_of(found, (itertools.chain.from_iterable,)):
        visited = _of_inner
    if visited is None:
        return None
    tree, values = site.tree, site.values
    items = [_item(interpreter, value, tree) for value in values]
    if visited is _of_inner:
        items = [_item(interpreter, Value(items[0]), tree)]
    given = {key: value.kind for key, value in site.named.items()}
    item = visited([value.kind for value in values], given, items)
    calls_varied = any(closes_over_varied(interpreter, value.kind) for value in site.given)
    if not calls_varied and not any(map(interpreter.holds_varied, site.given)):
        return Iterator(item)
    if not is_one_of(found, LISTED):
        return None
    made = List(interpreter.fresh(tree))
    interpreter.heap.setdefault(next(iter(made.regions)), {})
    interpreter.put(made.regions, "*", Value(item, differentiable(item)))
    return made


def _item(interpreter: Interpreter, owner: Value, tree: Expr) -> Kind:
    if isinstance(owner.kind, Dict):
        return key_of(interpreter, owner.kind).kind
    return item_of(interpreter, owner, Integer(), tree).kind


def _index(kinds: list[Kind], given: Given, items: list[Kind]) -> Kind:
    """The indices of an array: as many integers as it has dimensions."""
    if len(kinds) == 1 and isinstance(kinds[0], Tuple):
        return Tuple((Integer(),) * len(kinds[0].items))
    if all(isinstance(kind, Integer) for kind in kinds):
        return Tuple((Integer(),) * len(kinds))
    return Sequence(Integer())


def _all_pairs(kinds: list[Kind], given: Given, items: list[Kind]) -> Kind:
    """One item of each of several iterables, all of them several times with `repeat`."""
    times = literal(given.get("repeat", Integer(1)))
    return Tuple(tuple(items) * times) if isinstance(times, int) else Sequence(_any(items))


def _chosen(kinds: list[Kind], given: Given, items: list[Kind]) -> Kind:
    """Some items of one iterable."""
    count = literal(kinds[1] if len(kinds) > 1 else given.get("r", NONE))
    return Tuple((items[0],) * count) if isinstance(count, int) else Sequence(items[0])


def _filled(kinds: list[Kind], given: Given, items: list[Kind]) -> Kind:
    """Items side by side, with a value for those that have come to an end."""
    fill = given.get("fillvalue", NONE)
    return Tuple(tuple(join(item, fill, "fillvalue") for item in items))


def _counted(kinds: list[Kind], given: Given, items: list[Kind]) -> Kind:
    """Numbers at equal distances."""
    numbers = [*kinds, *given.values()]
    return Integer() if all(isinstance(kind, Integer) for kind in numbers) else UNKNOWN


def _of_inner(kinds: list[Kind], given: Given, items: list[Kind]) -> Kind:
    return items[0]


def _any(items: list[Kind]) -> Kind:
    found: Kind = UNREACHED
    for item in items:
        found = join(found, item, "iterated")
    return found


_VISITED: dict[Any, _Visited] = {
    np.ndindex: _index,
    itertools.product: _all_pairs,
    itertools.combinations: _chosen,
    itertools.combinations_with_replacement: _chosen,
    itertools.permutations: _chosen,
    itertools.zip_longest: _filled,
    itertools.count: _counted,
    itertools.repeat: lambda kinds, given, items: kinds[0],
    itertools.chain: lambda kinds, given, items: _any(items),
    itertools.pairwise: lambda kinds, given, items: Tuple((items[0], items[0])),
    itertools.cycle: lambda kinds, given, items: items[0],
    itertools.islice: lambda kinds, given, items: items[0],
    itertools.compress: lambda kinds, given, items: items[0],
    itertools.takewhile: lambda kinds, given, items: items[1],
    itertools.dropwhile: lambda kinds, given, items: items[1],
    itertools.filterfalse: lambda kinds, given, items: items[1],
}
