"""Loops over the iterators of `itertools`, written as loops over what these go through.

for v in islice(x, n): ...          ->   for k, v in zip(range(n), x): ...
for v in takewhile(p, x): ...       ->   for v in x: if not p(v): break; ...
for v in filterfalse(p, x): ...     ->   for v in x: if p(v): continue; ...
for v in starmap(f, rows): ...      ->   for row in rows: v = f(*row); ...
for v in repeat(e, n): ...          ->   for k in range(n): v = e; ...
for a, b in pairwise(x): ...        ->   for item in x: if it is the first: keep it, continue; ...
for v in accumulate(x, f): ...      ->   for item in x: total = f(total, item); v = total; ...

Each trip does what the iterator does before it gives its next item, so whatever functions do and the body
changes happens in the order of the original. Iterators that take whole iterables before they give anything
(`product`, `combinations`), and `chain`, stay: what they give is listed where it carries a derivative.
"""

from __future__ import annotations

import itertools
from typing import Any

import gast

from tapeless.errors import UnsupportedSyntaxError
from tapeless.externals import MISSING, entry_of, is_one_of
from tapeless.tree.build import assign, at_line_of, const, name, quote, target, unshared
from tapeless.tree.classes import SLOTS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes, reads
from tapeless.tree.trees import Expr, Stmt, Tree

STEPPED: tuple[Any, ...] = (
    itertools.islice, itertools.takewhile, itertools.dropwhile, itertools.filterfalse,
    itertools.starmap, itertools.repeat, itertools.pairwise, itertools.accumulate, itertools.compress,
)  # fmt: skip


def stepped(tree: Tree, function: CoreFunction) -> Any:
    """Return the iterator that a call makes, if it is one that is written as a loop; else `MISSING`."""
    if type(tree) is not gast.Call or any(type(a) is gast.Starred for a in tree.args):
        return MISSING
    found = function.resolve(tree.func)
    known = is_one_of(found, STEPPED)
    return found if known and any(k.arg is None for k in tree.keywords) is False else MISSING


def loop_over_steps(loop: Stmt, function: CoreFunction, names: Names) -> list[Any] | None:
    """Write a `for` over an iterator as one over what it goes through.

    Returns
    -------
    The statements; None where the loop is over something else.

    Examples
    --------
    >>> from tapeless.externals import constant
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.source.reader import parse_function
    >>> f = CoreFunction(
    ...     parse_function("def f(x, g):\\n    for s in accumulate(x, g):\\n        print(s)"),
    ...     {"accumulate": constant(itertools.accumulate, "accumulate")},
    ... )
    >>> made = loop_over_steps(f.tree.body[0], f, Names(f.names()))
    >>> print(unparse(gast.Module(made, [])).strip())
    first = True
    for v in x:
        if first:
            total = v
        else:
            total = g(total, v)
        first = False
        s = total
        print(s)
    """
    found = stepped(loop.iter, function)
    if found is MISSING:
        return None
    args = list(loop.iter.args)
    given = {k.arg: k.value for k in loop.iter.keywords}
    before: list[Any] = []
    for i in entry_of(found, _FUNCTIONS) or ():
        if i < len(args) and not isinstance(args[i], gast.Name | gast.Attribute | gast.Constant):
            key = names.fresh("f")
            before.append(assign(key, args[i]))
            args[i] = name(key)
    made = _WRITERS[found](_Loop(loop, names), args, given)
    return None if made is None else [*before, *made]


class _Loop:
    """A loop that is written anew: its target and body, and fresh names."""

    def __init__(self, loop: Stmt, names: Names) -> None:
        self.loop = loop
        self.names = names

    def over(self, place: Expr, iterable: Expr, first: list[Any], value: Expr = None) -> Any:
        """Write the loop, with statements before its body, the last of which binds its target."""
        bind = [] if value is None else [gast.Assign([self.loop.target], value, None)]
        place = target(place) if isinstance(place, str) else place
        return gast.For(place, iterable, [*first, *bind, *self.loop.body], self.loop.orelse, None)


def listed_beside_others(loop: Stmt, function: CoreFunction) -> Any:
    """Return what a loop goes through, with lists for the iterators that stand in `zip` or `enumerate`.

    A list is made before the loop starts. Where the body may change what the iterator reads on the way,
    that would be another thing.

    Raises
    ------
    UnsupportedSyntaxError
        If it may.
    """
    tree = loop.iter
    called = function.resolve(tree.func) if type(tree) is gast.Call else MISSING
    if not is_one_of(called, (zip, enumerate)) or not any(
        _is_finite(a, function) for a in tree.args
    ):
        return tree
    args = []
    for part in tree.args:
        if _is_finite(part, function):
            if not _is_quiet(loop.body, set(reads(part))):
                raise function.error(
                    loop,
                    f"`{gast.unparse(part.func).strip()}` reads on while the loop runs, and the "
                    "loop may change what it reads",
                    "put `list(...)` around it, if it may read everything first",
                    UnsupportedSyntaxError,
                )
            part = at_line_of(gast.Call(name("list"), [part], []), loop)
        args.append(part)
    return gast.copy_location(gast.Call(tree.func, args, tree.keywords), tree)


def _is_finite(tree: Tree, function: CoreFunction) -> bool:
    """Whether an expression makes an iterator that surely comes to an end."""
    found = stepped(tree, function)
    if found is MISSING or found is itertools.islice:
        return found is not MISSING
    if found is itertools.repeat:
        return len(tree.args) > 1
    inner = [function.resolve(p.func) for p in nodes(tree) if type(p) is gast.Call]
    return not any(
        f is itertools.count or f is itertools.cycle or f is itertools.repeat for f in inner
    )


def _is_quiet(body: list[Any], sources: set[str]) -> bool:
    """Whether statements change nothing but their own names, and lists that they fill."""
    for part in (p for s in body for p in nodes(s)):
        if type(part) in SLOTS:
            if type(part.ctx) is not gast.Load:
                return False
        if type(part) is gast.Name and type(part.ctx) is not gast.Load:
            if part.id in sources:
                return False
        if type(part) is gast.Expr and type(part.value) is gast.Call:
            func = part.value.func
            owner = func.value if isinstance(func, gast.Attribute) else None
            fills = (
                isinstance(owner, gast.Name) and func.attr == "append" and owner.id not in sources
            )
            if not fills:
                return False
    return True


def _call(function: Any, *args: Any) -> Any:
    return gast.Call(unshared(function), list(args), [])


def _islice(loop: _Loop, args: list[Any], given: dict[str, Expr]) -> list[Any] | None:
    if given or not 2 <= len(args) <= 4:
        return None
    bounds = args[1:]
    k = loop.names.fresh("k")
    if len(bounds) == 1:
        start, stop, step = None, bounds[0], None
    else:
        start, stop, step = (*bounds, None)[:3]
    endless = type(stop) is gast.Constant and stop.value is None
    counted = gast.Call(name("enumerate"), [args[0]], [])
    if not endless:
        counted = gast.Call(name("zip"), [gast.Call(name("range"), [stop], []), args[0]], [])
    item = loop.names.fresh("v")
    first: list[Any] = []
    if start is not None:
        first += quote("if k < n: continue", k=k, n=start)
    if step is not None:
        first += quote("if (k - n) % m != 0: continue", k=k, n=start, m=step)
    place = gast.Tuple([target(k), target(item)], gast.Store())
    return [loop.over(place, counted, first, name(item))]


def _takewhile(loop: _Loop, args: list[Any], given: dict[str, Expr]) -> list[Any] | None:
    if given or len(args) != 2 or loop.loop.orelse:
        return None
    item = loop.names.fresh("v")
    leave = gast.If(gast.UnaryOp(gast.Not(), _call(args[0], name(item))), [gast.Break()], [])
    return [loop.over(item, args[1], [leave], name(item))]


def _dropwhile(loop: _Loop, args: list[Any], given: dict[str, Expr]) -> list[Any] | None:
    if given or len(args) != 2:
        return None
    item, dropping = loop.names.fresh("v"), loop.names.fresh("dropping")
    test = _call(args[0], name(item))
    skip = quote("if d:\n    if p:\n        continue\n    d = False", d=dropping, p=test)
    return [assign(dropping, const(True)), loop.over(item, args[1], skip, name(item))]


def _filterfalse(loop: _Loop, args: list[Any], given: dict[str, Expr]) -> list[Any] | None:
    if given or len(args) != 2:
        return None
    item = loop.names.fresh("v")
    plain = type(args[0]) is gast.Constant
    test = name(item) if plain else _call(args[0], name(item))
    return [loop.over(item, args[1], [gast.If(test, [gast.Continue()], [])], name(item))]


def _starmap(loop: _Loop, args: list[Any], given: dict[str, Expr]) -> list[Any] | None:
    if given or len(args) != 2:
        return None
    row = loop.names.fresh("row")
    value = _call(args[0], gast.Starred(name(row), gast.Load()))
    return [loop.over(row, args[1], [], value)]


def _repeat(loop: _Loop, args: list[Any], given: dict[str, Expr]) -> list[Any] | None:
    times = [*args[1:], *([given["times"]] if "times" in given else [])]
    if len(args) < 1 or len(times) != 1 or set(given) - {"times"}:
        return None
    value, k = loop.names.fresh("v"), loop.names.fresh("k")
    count = gast.Call(name("range"), times, [])
    return [assign(value, args[0]), loop.over(k, count, [], name(value))]


def _pairwise(loop: _Loop, args: list[Any], given: dict[str, Expr]) -> list[Any] | None:
    if given or len(args) != 1:
        return None
    item, last, pair, first = (loop.names.fresh(w) for w in ("v", "last", "pair", "first"))
    begin = quote(
        "if f:\n    l = v\n    f = False\n    continue\np = (l, v)\nl = v",
        f=first, l=last, v=item, p=pair,
    )  # fmt: skip
    return [assign(first, const(True)), loop.over(item, args[0], begin, name(pair))]


def _accumulate(loop: _Loop, args: list[Any], given: dict[str, Expr]) -> list[Any] | None:
    functions = [*args[1:2], *([given["func"]] if "func" in given else [])]
    if not args or len(functions) > 1 or len(args) > 2 or set(given) - {"func", "initial"}:
        return None
    none = not functions or type(functions[0]) is gast.Constant
    initial = given.get("initial")
    if initial is not None and type(initial) is not gast.Constant:
        initial_known = True
    else:
        initial_known = initial is not None and initial.value is not None
    if initial_known:
        return None  # its first item is none of the iterable: listed
    item, total, first = (loop.names.fresh(w) for w in ("v", "total", "first"))
    added = (
        gast.BinOp(name(total), gast.Add(), name(item))
        if none
        else _call(functions[0], name(total), name(item))
    )
    step = quote("if f:\n    t = v\nelse:\n    t = a\nf = False", f=first, t=total, v=item, a=added)
    return [assign(first, const(True)), loop.over(item, args[0], step, name(total))]


def _compress(loop: _Loop, args: list[Any], given: dict[str, Expr]) -> list[Any] | None:
    if given or len(args) != 2:
        return None
    item, chosen = loop.names.fresh("v"), loop.names.fresh("chosen")
    pairs = gast.Call(name("zip"), args, [])
    place = gast.Tuple([target(item), target(chosen)], gast.Store())
    skip = quote("if not c:\n    continue", c=chosen)
    return [loop.over(place, pairs, skip, name(item))]


# The places of functions among the arguments: they are evaluated once, before the loop.
_FUNCTIONS = {
    itertools.takewhile: (0,),
    itertools.dropwhile: (0,),
    itertools.filterfalse: (0,),
    itertools.starmap: (0,),
    itertools.accumulate: (1,),
}
_WRITERS: dict[Any, Any] = {
    itertools.islice: _islice,
    itertools.takewhile: _takewhile,
    itertools.dropwhile: _dropwhile,
    itertools.filterfalse: _filterfalse,
    itertools.starmap: _starmap,
    itertools.repeat: _repeat,
    itertools.pairwise: _pairwise,
    itertools.accumulate: _accumulate,
    itertools.compress: _compress,
}
