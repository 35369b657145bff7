"""Comprehensions, generators and lazy built-ins, written as the loops that they abbreviate.

[e for v in x if c]          ->   items = []; for v in x: if c: items.append(e)
any(e for v in x)            ->   found = False; for v in x: if e: found = True; break
list(map(f, x))              ->   [f(v) for v in x]
for v in filter(f, x): ...   ->   for v in x: if not f(v): continue; ...

A generator is written out where it is consumed at once. One that is bound to a name runs later, in
step with what consumes it, and is refused.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter, OrderedDict
from typing import Any

import gast

from tapeless.externals import MISSING, is_one_of
from tapeless.normalize.iterators_as_loops import stepped
from tapeless.tree.build import assign, call, const, name, quote, target
from tapeless.tree.endings import own_jumps
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names
from tapeless.tree.trees import Expr, Stmt, Tree

# Built-in functions that run through the whole of their first argument before anything else.
CONSUMERS: tuple[Any, ...] = (
    list, tuple, sum, max, min, sorted, set, frozenset, dict, OrderedDict, Counter, math.fsum,
    math.prod,
)  # fmt: skip


# They go through all of each argument before they give anything.
READ_FIRST: tuple[Any, ...] = (
    itertools.product, itertools.combinations, itertools.combinations_with_replacement,
    itertools.permutations,
)  # fmt: skip


def built_list(tree: Tree, names: Names) -> tuple[list[Any], Any]:
    """Write a list, set or dict comprehension as a loop; return the loop and what it built."""
    if type(tree) is gast.DictComp:
        found = names.fresh("table")
        start: Any = gast.Dict([], [])
        inner: Any = assign(gast.Subscript(name(found), tree.key, gast.Store()), tree.value)
    else:
        found = names.fresh("items")
        start = gast.List([], gast.Load())
        inner = gast.Expr(call(gast.Attribute(name(found), "append", gast.Load()), tree.elt))
    loops = nested(tree.generators, [inner])
    return [assign(found, start), *loops], name(found)


def nested(generators: list[Any], body: list[Any], leave: Any = None) -> list[Any]:
    """Nest the loops of a comprehension around a body; `leave` says when all of them are done."""
    for generator in reversed(generators):
        for condition in reversed(generator.ifs):
            body = [gast.If(condition, body, [])]
        if leave is not None:
            body = [*body, gast.If(leave, [gast.Break()], [])]
        body = [gast.For(generator.target, generator.iter, body, [], None)]
    return body


def searched(tree: Tree, kind: str, default: Expr, names: Names) -> tuple[list[Any], Any]:
    """Write `any`, `all` or `next` of a generator: it runs only until the answer is known."""
    found, done = names.fresh("found"), names.fresh("done")
    if kind == "next":
        first = [assign(done, const(False))]
        if default is not None:
            first.append(assign(found, default))
        hit = [assign(found, tree.elt), assign(done, const(True))]
        loops = nested(tree.generators, hit, name(done))
        if default is None:
            loops += quote("if not done:\n    raise StopIteration", done=done)
        return [*first, *loops], name(found)
    test = tree.elt if kind == "any" else gast.UnaryOp(gast.Not(), tree.elt)
    hit = [gast.If(test, [assign(found, const(kind == "any"))], [])]
    leave = name(found) if kind == "any" else gast.UnaryOp(gast.Not(), name(found))
    first = [assign(found, const(kind != "any"))]
    return [*first, *nested(tree.generators, hit, leave)], name(found)


def as_comprehension(tree: Tree, function: CoreFunction, names: Names) -> Any:
    """Return the list comprehension that consumes a lazy expression; None for any other."""
    if type(tree) is gast.GeneratorExp:
        return gast.ListComp(tree.elt, tree.generators)
    if type(tree) is not gast.Call:
        return None
    rows = _rows(tree, function)
    if rows is not None:
        row, item = names.fresh("row"), names.fresh("v")
        inner = gast.comprehension(target(item), name(row), [], 0)
        return gast.ListComp(name(item), [gast.comprehension(target(row), rows, [], 0), inner])
    if any(type(a) is gast.Starred for a in tree.args):
        return None
    if type(tree.func) is gast.Attribute and not tree.args and not tree.keywords:
        if tree.func.attr in ("values", "items"):
            count = 1 if tree.func.attr == "values" else 2
            return _copying(tree, ["v"] if count == 1 else ["key", "v"], names)
        return None
    if stepped(tree, function) is not MISSING:
        return _copying(tree, ["v"], names)
    called = function.resolve(tree.func)
    if called is map and len(tree.args) > 1 and not tree.keywords:
        keys = [names.fresh("v") for _ in tree.args[1:]]
        elt = gast.Call(tree.args[0], [name(k) for k in keys], [])
        return gast.ListComp(elt, [_over(keys, tree.args[1:])])
    if called is filter and len(tree.args) == 2:
        key = names.fresh("v")
        keep = _kept(tree.args[0], name(key))
        generator = gast.comprehension(target(key), tree.args[1], [keep], 0)
        return gast.ListComp(name(key), [generator])
    if called is zip and tree.args:
        return _copying(tree, ["v"] * len(tree.args), names, always_tuple=True)
    if called is enumerate and tree.args:
        return _copying(tree, ["i", "v"], names)
    if called is iter and len(tree.args) == 1 and not tree.keywords:
        return _copying(tree.args[0], ["v"], names)
    if called is reversed and len(tree.args) == 1:
        return _copying(tree, ["v"], names)
    return None


def _rows(tree: Expr, function: CoreFunction) -> Any:
    """Return what `chain.from_iterable(rows)` or `chain(*rows)` goes through; None for anything else."""
    called = function.resolve(tree.func)
    if len(tree.args) != 1 or tree.keywords:
        return None
    [rows] = tree.args
    if called is itertools.chain and type(rows) is gast.Starred:
        lazy = type(rows.value) is gast.GeneratorExp  # a star asks for all of them at once
        return gast.ListComp(rows.value.elt, rows.value.generators) if lazy else rows.value
    joined = is_one_of(called, (itertools.chain.from_iterable,)) and type(rows) is not gast.Starred
    return rows if joined else None


def as_copy(tree: Tree, names: Names) -> Any:
    """Return the comprehension that lists what an iterable gives."""
    return _copying(tree, ["v"], names)


def _copying(tree: Tree, wishes: list[str], names: Names, always_tuple: bool = False) -> Any:
    keys = [names.fresh(wish) for wish in wishes]
    if len(keys) == 1 and not always_tuple:
        place: Any = target(keys[0])
        elt: Any = name(keys[0])
    else:
        place = gast.Tuple([target(k) for k in keys], gast.Store())
        elt = gast.Tuple([name(k) for k in keys], gast.Load())
    return gast.ListComp(elt, [gast.comprehension(place, tree, [], 0)])


def _over(keys: list[str], iterables: list[Any]) -> Any:
    if len(keys) == 1:
        return gast.comprehension(target(keys[0]), iterables[0], [], 0)
    place = gast.Tuple([target(k) for k in keys], gast.Store())
    return gast.comprehension(place, gast.Call(name("zip"), iterables, []), [], 0)


def _kept(function: Any, value: Expr) -> Any:
    if type(function) is gast.Constant and function.value is None:
        return value
    return gast.Call(function, [value], [])


def stepwise(loop: Stmt, function: CoreFunction, names: Names) -> Any:
    """Write a `for` over a generator, `map` or `filter` as one over what these run through.

    Returns
    -------
    None where the loop is over something else, or has loops inside that it may leave.
    """
    tree = loop.iter
    lazy = type(tree) is gast.GeneratorExp
    if type(tree) is gast.Call:
        known = is_one_of(function.resolve(tree.func), (map, filter))
        lazy = known or _rows(tree, function) is not None
    made = as_comprehension(tree, function, names) if lazy else None
    if made is None or (len(made.generators) > 1 and _may_be_left(loop)):
        return None
    body: list[Any] = [gast.Assign([loop.target], made.elt, None), *loop.body]
    for generator in reversed(made.generators):
        left_out: list[Any] = [
            gast.If(gast.UnaryOp(gast.Not(), condition), [gast.Continue()], [])
            for condition in generator.ifs
        ]
        body = [gast.For(generator.target, generator.iter, [*left_out, *body], [], None)]
    return gast.For(body[0].target, body[0].iter, body[0].body, loop.orelse, None)


def _may_be_left(loop: Stmt) -> bool:
    """Whether a loop has a `break` of its own, or does something where there was none."""
    breaks = any(type(jump) is gast.Break for s in loop.body for jump in own_jumps(s))
    return bool(loop.orelse) or breaks


def consumes(called: Any) -> bool:
    """Whether a function runs through its first argument at once."""
    return is_one_of(called, CONSUMERS)


def is_reduction(called: Any) -> bool:
    """Whether a function runs through its second argument at once."""
    return called is functools.reduce
