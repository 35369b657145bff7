"""Loops over the iterators of `itertools`, written as loops over what these go through.

for v in islice(x, n): ...          ->   for k, v in zip(range(n), x): ...
for v in takewhile(p, x): ...       ->   for v in x: if not p(v): break; ...
for v in filterfalse(p, x): ...     ->   for v in x: if p(v): continue; ...
for v in starmap(f, rows): ...      ->   for row in rows: v = f(*row); ...
for v in repeat(e, n): ...          ->   for k in range(n): v = e; ...
for a, b in pairwise(x): ...        ->   for item in x: if it is the first: keep it, continue; ...
for v in accumulate(x, f): ...      ->   for item in x: total = f(total, item); v = total; ...

What each of them does stands in `steps.py`, as a generator: the body of the loop takes the place of its
`yield`. Iterators that take whole iterables before they give anything (`product`, `combinations`), and
`chain`, stay: what they give is listed where it carries a derivative.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import gast

from tapeless.errors import TapelessError, UnsupportedSyntaxError
from tapeless.externals import MISSING, entry_of, is_one_of
from tapeless.normalize.steps import MODELS
from tapeless.rules.declare import find_rule
from tapeless.tree.build import assign, at_line_of, const, name, quote
from tapeless.tree.classes import DOTTED, SLOTS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, binds_in_block, nodes, reads
from tapeless.tree.trees import Expr, Stmt, Tree


def stepped(tree: Tree, function: CoreFunction) -> Any:
    """Return the iterator that a call makes, if it is one that is written as a loop; else `MISSING`."""
    if type(tree) is not gast.Call or any(type(a) is gast.Starred for a in tree.args):
        return MISSING
    found = function.resolve(tree.func)
    known = is_one_of(found, MODELS)
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
    models = () if found is MISSING else entry_of(found, MODELS) or ()
    call = _with_start_first(loop.iter) if found is itertools.accumulate else loop.iter
    fitting = ((model, _arguments(model, call)) for model in models)
    return next((_inlined(m, given, loop, names) for m, given in fitting if given), None)


def _with_start_first(tree: Expr) -> Any:
    """Write `accumulate(x, f, initial=c)` as `accumulate([c, *x], f)`."""
    others = [k for k in tree.keywords if k.arg != "initial"]
    starts = [k.value for k in tree.keywords if k.arg == "initial" and not _is_none(k.value)]
    if not starts or not tree.args:
        return tree
    first, *rest = tree.args
    items = gast.List([*starts, gast.Starred(first, gast.Load())], gast.Load())
    return gast.copy_location(gast.Call(tree.func, [items, *rest], others), tree)


def _inlined(
    model: Callable[..., Any], given: dict[str, Expr], loop: Stmt, names: Names
) -> list[Any] | None:
    """Write the loop of a generator with the body of another loop in the place of its `yield`."""
    missing = frozenset(key for key, arg in given.items() if _is_none(arg))
    text = _body_of(model, missing)
    own, trip = quote(text), quote(text)[-1]
    if loop.orelse and any(type(part) is gast.Break for part in nodes(trip)):
        return None  # it leaves its loop where the iterable has not come to its end
    rebound = {*binds(loop.target), *binds_in_block(loop.body)}
    every_trip = {key for s in trip.body for key in reads(s)}
    holes: dict[str, Any] = {k: names.fresh(k.strip("_")) for k in sorted(binds_in_block(own))}
    before: list[Any] = []
    for key, arg in given.items():
        dotted = type(arg) in DOTTED and rebound.isdisjoint(reads(arg))
        steady = dotted or type(arg) is gast.Constant
        holes[key] = arg if steady or key not in every_trip else name(names.fresh("f"))
        if holes[key] is not arg:
            before.append(assign(holes[key].id, arg))
    *start, made = quote(text, **holes)
    bind = gast.Assign([loop.target], made.body[-1].value.value, None)
    return [*before, *start, gast.For(made.target, made.iter, [*made.body[:-1], bind, *loop.body],
                                      loop.orelse, None)]  # fmt: skip


def _arguments(model: Callable[..., Any], call: Expr) -> dict[str, Expr] | None:
    """Return the arguments of a call by the parameters of a generator, None where they do not fit."""
    signature = inspect.signature(model)
    try:
        given = signature.bind(*call.args, **{k.arg: k.value for k in call.keywords
                                              if not _is_none(k.value)})  # fmt: skip
    except TypeError:
        return None
    return {key: given.arguments.get(key, const(None)) for key in signature.parameters}


def _is_none(arg: Expr) -> bool:
    return type(arg) is gast.Constant and arg.value is None


@functools.cache
def _body_of(model: Callable[..., Any], missing: frozenset[str]) -> str:
    """Return what a generator does where some of its arguments are None."""
    tree: Any = ast.parse(inspect.getsource(model)).body[0]
    return ast.unparse(_Folder(missing).visit(ast.Module(tree.body[1:], [])))


class _Folder(ast.NodeTransformer):
    """Takes the side of each test `x is None` that the arguments decide."""

    def __init__(self, missing: frozenset[str]) -> None:
        self.missing = missing

    def visit_If(self, tree: ast.If) -> Any:
        return self.side(tree)

    def visit_IfExp(self, tree: ast.IfExp) -> Any:
        return self.side(tree)

    def side(self, tree: Any) -> Any:
        self.generic_visit(tree)
        test = tree.test
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Is, ast.IsNot)):
            return tree
        key: Any = test.left
        holds = (key.id in self.missing) is isinstance(test.ops[0], ast.Is)
        return tree.body if holds else tree.orelse


def listed_beside_others(loop: Stmt, function: CoreFunction) -> Any:
    """Return what a loop goes through, with lists for the iterators in `zip`, `enumerate` or `chain`.

    A list is made before the loop starts. Where the body may change what the iterator reads on the way,
    that would be another thing.

    Raises
    ------
    UnsupportedSyntaxError
        If it may.
    """
    return _with_lists(loop.iter, loop, function)


def _with_lists(tree: Any, loop: Stmt, function: CoreFunction) -> Any:
    """Write lists for the iterators in `zip`, `enumerate` or `chain`, also of one in another."""
    called = function.resolve(tree.func) if type(tree) is gast.Call else MISSING
    if not is_one_of(called, (zip, enumerate, itertools.chain)):
        return tree
    args = [_with_lists(part, loop, function) for part in tree.args]
    lazy = (map, filter, reversed) if called is itertools.chain else (map, filter)
    for i, part in enumerate(args):
        quiet = _is_quiet(loop.body, _sources(part, function), function.wrote)
        if _is_finite(part, function):
            if not quiet:
                raise _reads_on(part, loop, function)
        elif not quiet or not _is_finite(part, function, lazy) or not calls_rules(part, function):
            continue
        args[i] = at_line_of(gast.Call(name("list"), [part], []), loop)
    if all(a is b for a, b in zip(args, tree.args, strict=True)):
        return tree
    return gast.copy_location(gast.Call(tree.func, args, tree.keywords), tree)


def _sources(tree: Any, function: CoreFunction) -> set[str]:
    """Collect the names that an iterator reads, also in the local functions that it calls."""
    local = {p.name: p for p in nodes(function.tree) if type(p) is gast.FunctionDef}
    for p in nodes(function.tree):
        if type(p) is gast.Assign and type(p.value) is gast.Lambda:
            local |= {place.id: p.value for place in p.targets if type(place) is gast.Name}
    found, todo = set[str](), [tree]
    while todo:
        new = set(reads(todo.pop())) - found
        found |= new
        todo += [local[key] for key in new if key in local]
    return found


def calls_rules(tree: Any, function: CoreFunction) -> bool:
    """Whether all that an iterator calls has a rule: it changes nothing, and reads what it is given."""
    called = [p.func for p in nodes(tree) if type(p) is gast.Call and p is not tree]
    called += [
        arg for arg in getattr(tree, "args", [])[:1] if type(arg) in DOTTED and len(tree.args) > 1
    ]
    found = [function.resolve(func) for func in called]
    return all(each is not MISSING and find_rule(each) is not None for each in found)


def _reads_on(part: Any, loop: Stmt, function: CoreFunction) -> TapelessError:
    """Return the error for an iterator that would have to be listed before the loop."""
    lazy = type(part) is gast.GeneratorExp
    label = "a generator" if lazy else f"`{gast.unparse(part.func).strip()}`"
    return function.error(
        loop,
        f"{label} reads on while the loop runs, and the loop may change what it reads",
        "put `list(...)` around it, if it may read everything first",
        UnsupportedSyntaxError,
    )


def _is_finite(tree: Tree, function: CoreFunction, lazy: tuple[Any, ...] = ()) -> bool:
    """Whether an expression makes an iterator, a `lazy` one too, that surely comes to an end."""
    found = stepped(tree, function)
    if type(tree) is gast.GeneratorExp:
        found = None
    if type(tree) is gast.Call and is_one_of(function.resolve(tree.func), lazy):
        found = None
    if found is MISSING or found is itertools.islice:
        return found is not MISSING
    if found is itertools.repeat:
        return len(tree.args) > 1
    inner = [function.resolve(p.func) for p in nodes(tree) if type(p) is gast.Call]
    return not any(
        f is itertools.count or f is itertools.cycle or f is itertools.repeat for f in inner
    )


def _is_quiet(body: list[Any], sources: set[str], wrote: Callable[[str], bool]) -> bool:
    """Whether statements change nothing but their own names, and lists and tables that they fill.

    A table whose name the user did not write is that of a comprehension: nothing else has it yet.
    """
    for part in (p for s in body for p in nodes(s)):
        if type(part) in SLOTS and type(part.ctx) is not gast.Load:
            if type(part.value) is not gast.Name or wrote(part.value.id):
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
