"""An iterator that is bound to a name and read once, right away, is written where it is read.

pairs = zip(a, b)              for p, q in zip(a, b):
for p, q in pairs:        ->       ...
    ...

squares = map(f, xs)      ->   t = 0.0
t = 0.0                        return sum(map(f, xs))
return sum(squares)

Nothing that could change what the iterator reads, or that reads what it changes, may stand between:
only names bound to numbers and texts that are written out.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import gast

from tapeless.externals import MISSING, is_one_of
from tapeless.tree.blocks import all_blocks
from tapeless.tree.build import fill
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt, Tree

_LAZY = (
    zip, map, filter, enumerate, reversed, itertools.accumulate, itertools.chain,
    itertools.combinations, itertools.combinations_with_replacement, itertools.groupby, itertools.islice,
    itertools.pairwise, itertools.permutations, itertools.product, itertools.starmap,
    itertools.takewhile, itertools.zip_longest,
)  # fmt: skip
_AT_ONCE = (gast.Assign, gast.AugAssign, gast.Return, gast.Expr)


def _is_lazy(function: CoreFunction, tree: Expr) -> bool:
    if type(tree) is gast.GeneratorExp:
        return True
    found = function.resolve(tree.func) if type(tree) is gast.Call else MISSING
    return found is not MISSING and is_one_of(found, _LAZY)


def _in_order(tree: Any) -> Iterator[Tree]:
    """Yield the names of an expression as they are read, up to where something else is done.

    What `next` takes from is left: the rest of it may be meant.
    """
    if type(tree) is gast.Call and not tree.keywords and getattr(tree.func, "id", "") != "next":
        for part in [tree.func, *tree.args]:
            yield from _in_order(part)
            if type(part) not in (gast.Name, gast.Attribute, gast.Constant, gast.Lambda):
                return
    elif type(tree) is gast.Attribute:
        yield from _in_order(tree.value)
    elif type(tree) is gast.Name:
        yield tree


def _read_first(statement: Stmt, key: str) -> bool:
    """Whether a statement reads a name before it does anything."""
    if type(statement) is gast.For:
        return any(part.id == key for part in _in_order(statement.iter))
    return type(statement) in _AT_ONCE and any(
        part.id == key for part in _in_order(statement.value)
    )


def _passes_by(statement: Stmt, names: set[str]) -> bool:
    """Whether a statement only binds other names to numbers or texts that are written out."""
    if type(statement) is not gast.Assign or type(statement.value) is not gast.Constant:
        return False
    return all(type(t) is gast.Name and t.id not in names for t in statement.targets)


def _use_of(block: list[Any], at: int, key: str) -> int | None:
    """Return the place in a block of the statement that an iterator can be written into."""
    names = {p.id for p in gast.walk(block[at]) if type(p) is gast.Name}
    for place in range(at + 1, len(block)):
        if _read_first(block[place], key):
            return place
        if not _passes_by(block[place], names):
            break
    return None


def iterators_at_their_use(function: CoreFunction) -> CoreFunction:
    """Write iterators where they are used up, in place of the names that they are bound to.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(x):\\n    z = zip(x, x)\\n    return list(z)'))
    >>> print(unparse(iterators_at_their_use(f).tree).strip())
    def f(x):
        return list(zip(x, x))
    """
    counted: Counter[str] | None = None
    for block in list(all_blocks(function.tree.body)):
        for at in reversed(range(len(block))):
            made = block[at]
            if type(made) is not gast.Assign or not _is_lazy(function, made.value):
                continue
            if counted is None:
                counted = Counter(p.id for p in nodes(function.tree) if type(p) is gast.Name)
            key = getattr(made.targets[0], "id", None)
            if len(made.targets) > 1 or key is None or counted[key] != 2:
                continue
            place = _use_of(block, at, key)
            if place is not None:
                block[place] = fill(block[place], {key: made.value})
                del block[at]
    return function
