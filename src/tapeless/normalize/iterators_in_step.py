"""Generators side by side in `zip`, whose items are computed in the body of the loop.

for a, b in zip((f(v) for v in x), y): ...   ->   for v, b in zip(x, y): a = f(v); ...
for a, b in zip(map(f, x), y): ...           ->   for v, b in zip(x, y): a = f(v); ...

An item is computed when the loop comes to it: what it changes is there for the trip that takes it, and it
reads what the trips before have changed. A list that is made before the loop would do neither. So this is
done to those that give one item for each of what they go through; what leaves items out, or has loops
within its loop, is listed (`iterators_as_loops.py`).
"""

from __future__ import annotations

import itertools
from typing import Any

import gast

from tapeless.externals import MISSING, is_one_of
from tapeless.normalize.expand_comprehensions import as_comprehension
from tapeless.normalize.iterators_as_loops import stepped
from tapeless.tree.build import assign, const, name, quote, target
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, binds_in_block, nodes, reads
from tapeless.tree.trees import Expr, Stmt, Tree


def in_step(loop: Stmt, function: CoreFunction, names: Names) -> list[Any] | None:
    """Write a `for` over generators in `zip` as one over what they go through.

    Returns
    -------
    The statements; None where the loop is over something else.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.source.reader import parse_function
    >>> f = CoreFunction(parse_function("def f(x, y):\\n    for a, b in zip((u * u for u in x), y): g(a, b)"))
    >>> print(unparse(gast.Module(in_step(f.tree.body[0], f, Names(f.names())), [])).strip())
    for u, b in zip(x, y):
        a = u * u
        g(a, b)
    """
    lazy = _lazy_ones(loop.iter, function, names)
    if not any(lazy):
        return None
    places = _places(loop.target, lazy)
    header: list[Any] = []
    sources: list[Any] = []
    items: list[Any] = []
    for k, (part, source) in enumerate(zip(lazy, loop.iter.args, strict=True)):
        if part is None:
            header.append(places[k] if places else target(names.fresh("v")))
            sources.append(source)
            items.append(None if places else name(header[-1].id))
        else:
            header.append(part.generators[0].target)
            sources.append(part.generators[0].iter)
            items.append(part.elt)
    if places:
        pairs = zip(places, items, strict=True)
        bound = [gast.Assign([place], item, None) for place, item in pairs if item is not None]
    else:
        bound = [gast.Assign([loop.target], gast.Tuple(items, gast.Load()), None)]
    both = gast.copy_location(gast.Call(loop.iter.func, sources, []), loop.iter)
    body = [*bound, *loop.body]
    return [gast.For(gast.Tuple(header, gast.Store()), both, body, loop.orelse, None)]


def _lazy_ones(tree: Tree, function: CoreFunction, names: Names) -> list[Any]:
    """Return for each argument of `zip` the comprehension that lists it, None where it is not lazy."""
    called = function.resolve(tree.func) if type(tree) is gast.Call else MISSING
    if not is_one_of(called, (zip,)) or tree.keywords:
        return []
    return [_item_by_item(arg, function, names) for arg in tree.args]


def _item_by_item(tree: Expr, function: CoreFunction, names: Names) -> Any:
    """Return the comprehension of a generator or `map` that gives an item for each it goes through."""
    if type(tree) is gast.Call and not is_one_of(function.resolve(tree.func), (map,)):
        return None
    lazy = type(tree) in (gast.GeneratorExp, gast.Call)
    made = as_comprehension(tree, function, names) if lazy else None
    once = made is not None and len(made.generators) == 1 and not made.generators[0].ifs
    return made if once else None


def counted(loop: Stmt, function: CoreFunction, names: Names) -> list[Any] | None:
    """Write `enumerate` of what is gone through in step as a loop over that, with a counter.

    Returns
    -------
    The statements; None where the loop is over something else.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.source.reader import parse_function
    >>> f = CoreFunction(parse_function("def f(x):\\n    for i, v in enumerate(u * u for u in x): g(i, v)"))
    >>> print(unparse(gast.Module(counted(f.tree.body[0], f, Names(f.names())), [])).strip())
    k = 0
    for v in (u * u for u in x):
        i = k
        k = k + 1
        g(i, v)
    """
    tree = loop.iter
    if type(tree) is not gast.Call or not is_one_of(function.resolve(tree.func), (enumerate,)):
        return None
    starts = [*tree.args[1:], *(k.value for k in tree.keywords)]
    inner = tree.args[0] if tree.args else None
    lazy = type(inner) is gast.GeneratorExp or stepped(inner, function) is not MISSING
    lazy = lazy or any(_lazy_ones(inner, function, names))
    if not lazy or len(starts) > 1 or type(loop.target) not in (gast.Tuple, gast.List):
        return None
    if len(loop.target.elts) != 2 or any(type(p) is gast.Starred for p in loop.target.elts):
        return None
    count, place = names.fresh("k"), loop.target
    body = [gast.Assign([place.elts[0]], name(count), None), *quote("k = k + 1", k=count)]
    made = gast.For(place.elts[1], inner, [*body, *loop.body], loop.orelse, None)
    return [assign(count, starts[0] if starts else const(0)), made]


def mapped_by_name(loop: Stmt, function: CoreFunction, names: Names) -> list[Any] | None:
    """Bind the functions of `map` and `filter` before a loop that would find others later.

    They are looked up once, and called in each trip.

    Returns
    -------
    The statements; None where all are found again.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.source.reader import parse_function
    >>> f = CoreFunction(parse_function("def f(x, g):\\n    for v in map(g, x): g = v"))
    >>> made = mapped_by_name(f.tree.body[0], f, Names(f.names()))
    >>> print(unparse(gast.Module(made, [])).strip())
    f_1 = g
    for v in map(f_1, x):
        g = v
    """
    lazy = [call for call in _mapping(loop.iter, function) if _is_another_later(call.args[0], loop)]
    held = [names.fresh("f") for _ in lazy]
    before = [assign(key, call.args[0]) for key, call in zip(held, lazy, strict=True)]
    for key, call in zip(held, lazy, strict=True):
        call.args = [name(key), *call.args[1:]]
    return [*before, loop] if before else None


def _mapping(tree: Expr, function: CoreFunction) -> list[Any]:
    """Collect the `map` and `filter` that a loop goes through, also side by side or one in another."""
    if type(tree) is not gast.Call:
        return []
    called = function.resolve(tree.func)
    if not is_one_of(called, (zip, enumerate, map, filter, itertools.chain)):
        return []
    inner = [call for arg in tree.args for call in _mapping(arg, function)]
    return [tree, *inner] if is_one_of(called, (map, filter)) and tree.args else inner


def _is_another_later(func: Expr, loop: Stmt) -> bool:
    """Whether an expression may stand for something else, or do something again, within a loop."""
    if type(func) in (gast.Lambda, gast.Constant):
        return False
    inside = [p for s in (loop.target, *loop.body) for p in nodes(s)]
    stored = {p.attr for p in inside if type(p) is gast.Attribute and type(p.ctx) is not gast.Load}
    bound = {*binds(loop.target), *binds_in_block(loop.body)}
    looked_up = nodes(func)
    return not bound.isdisjoint(reads(func)) or any(
        type(p) in (gast.Call, gast.Subscript) or (type(p) is gast.Attribute and p.attr in stored)
        for p in looked_up
    )


def _places(place: Expr, lazy: list[Any]) -> list[Any]:
    """Return the places of the items one by one; none where they have to be bound together.

    A generator may read what the trip before has bound.
    """
    if type(place) not in DISPLAYS or len(place.elts) != len(lazy):
        return []
    if any(type(part) is gast.Starred for part in place.elts):
        return []
    bound = set(binds(place))
    apart = all(bound.isdisjoint(reads(part.elt)) for part in lazy if part)
    return place.elts if apart else []
