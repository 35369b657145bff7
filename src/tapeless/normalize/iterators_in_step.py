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
from tapeless.normalize.expand_comprehensions import stepwise
from tapeless.normalize.iterators_as_loops import loop_over_steps, stepped
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
    called = function.resolve(loop.iter.func) if type(loop.iter) is gast.Call else MISSING
    if not is_one_of(called, (zip,)) or loop.iter.keywords:
        return None
    given = loop.iter.args
    apart = _places(loop.target, given)
    places = apart or [target(names.fresh("v")) for _ in given]
    alone = [as_trips(arg, p, function, names) for arg, p in zip(given, places, strict=True)]
    if not any(alone):
        return None
    trips = [part[-1] if part else None for part in alone]
    header = [t.target if t else p for t, p in zip(trips, places, strict=True)]
    sources = [t.iter if t else arg for t, arg in zip(trips, given, strict=True)]
    bound = [s for t in trips if t for s in t.body]
    if not apart:
        items = gast.Tuple([name(p.id) for p in places], gast.Load())
        bound.append(gast.Assign([loop.target], items, None))
    both = gast.copy_location(gast.Call(loop.iter.func, sources, []), loop.iter)
    body = [*bound, *loop.body]
    trip = gast.For(gast.Tuple(header, gast.Store()), both, body, loop.orelse, None)
    return [*(s for part in alone if part for s in part[:-1]), trip]


def as_trips(tree: Expr, place: Expr, function: CoreFunction, names: Names) -> list[Any] | None:
    """Write a loop that binds the items of a lazy iterator, one in each trip.

    Returns
    -------
    The statements, the loop last; None for what is not lazy, or leaves items out.
    """
    loop = gast.For(place, tree, [], [], None)
    writers = (loop_over_steps, counted, in_step, _one_loop)
    made = next(filter(None, (write(loop, function, names) for write in writers)), None)
    if made is None or any(
        type(p) in (gast.Break, gast.Continue, gast.For) for s in made[-1].body for p in nodes(s)
    ):
        return None
    return made


def _one_loop(loop: Stmt, function: CoreFunction, names: Names) -> list[Any] | None:
    made = stepwise(loop, function, names)
    return None if made is None else [made]


def _places(place: Expr, given: list[Any]) -> list[Any]:
    """Return the places of the items one by one; none where they have to be bound together.

    A generator may read what the trip before has bound.
    """
    if type(place) not in DISPLAYS or len(place.elts) != len(given):
        return []
    if any(type(part) is gast.Starred for part in place.elts):
        return []
    lazily_read = {key for arg in given for key in reads(arg)}
    return list(place.elts) if lazily_read.isdisjoint(binds(place)) else []


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
    if (
        not _is_lazy(inner, function)
        or len(starts) > 1
        or type(loop.target) not in (gast.Tuple, gast.List)
    ):
        return None
    if len(loop.target.elts) != 2 or any(type(p) is gast.Starred for p in loop.target.elts):
        return None
    count, place = names.fresh("k"), loop.target
    body = [gast.Assign([place.elts[0]], name(count), None), *quote("k = k + 1", k=count)]
    made = gast.For(place.elts[1], inner, [*body, *loop.body], loop.orelse, None)
    return [assign(count, starts[0] if starts else const(0)), made]


def _is_lazy(tree: Tree, function: CoreFunction) -> bool:
    """Whether an iterator computes its items, or some of them, when they are asked for."""
    if type(tree) is not gast.Call:
        return type(tree) is gast.GeneratorExp
    called = function.resolve(tree.func)
    if is_one_of(called, (map, filter)) or stepped(tree, function) is not MISSING:
        return True
    inner = tree.args if is_one_of(called, (zip, enumerate)) else []
    return any(_is_lazy(arg, function) for arg in inner)


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
