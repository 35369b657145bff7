"""A context manager made of a generator is written around the block, which stands where it yields.

    @contextmanager                     with timed(log, "fit"):       start = perf_counter()
    def timed(times, key):                  y = f(x)                  try:
        start = perf_counter()                                  ->        y = f(x)
        try:                                                          finally:
            yield                                                         log["fit"] = perf_counter() - start
        finally:
            times[key] = perf_counter() - start

What interrupts the block interrupts the generator there, so each `try` and `finally` of the generator means
to the block what it means where it stands. A block that is left by `return`, `break` or `continue` lets the
generator run to its end, too. One whose effects are its own business is left as it is.
"""

from __future__ import annotations

import contextlib
import types
from dataclasses import dataclass, replace
from typing import Any

import gast

from tapeless.externals import External, Externals, adopted, constant
from tapeless.normalize.manager_methods import ManagerMethod, is_manager, manager_method
from tapeless.normalize.manager_texts import changed_outside, hands_over, may_swallow
from tapeless.runtime import finds_method
from tapeless.set_in_texts import taking_part
from tapeless.source.texts import text_of
from tapeless.tree.build import assign, at_line_of, const, name, quote_expression, unshared
from tapeless.tree.classes import ATOMS, DEFINITIONS, FUNCTIONS, LEAVING, YIELDS
from tapeless.tree.endings import blocks_of
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds_in_block, free_names, nodes, parameters, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

_KEPT_OUT = frozenset({*FUNCTIONS, gast.ClassDef, gast.Global, gast.Return, gast.YieldFrom})


def managers_in_place(function: CoreFunction) -> CoreFunction:
    """Write context managers made of generators around their blocks, but those that do nothing to these.

    Examples
    --------
    >>> from tapeless.externals import constant
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.source.reader import parse_function
    >>> tree = parse_function('''
    ... def f(x):
    ...     @contextmanager
    ...     def scaled(by):
    ...         yield x * by
    ...     with scaled(2.0) as y:
    ...         z = y + x
    ...     return z
    ... ''')
    >>> externals = {"contextmanager": constant(contextlib.contextmanager, "contextmanager")}
    >>> print(unparse(managers_in_place(CoreFunction(tree, externals)).tree).strip())
    def f(x):
        by_1 = 2.0
        y = x * by_1
        z = y + x
        return z
    """
    if not any(type(part) is gast.With for part in nodes(function.tree)):
        return function
    writer = _Writer(function)
    made = function.with_body(writer.listed(function.tree.body))
    return _without_idle(replace(made, externals=writer.naming.externals))


class _Writer(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.naming = Naming(function)

    def visit_With(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        for i in range(len(tree.items)):
            made = self.around(tree, i)
            if made is not None:
                before = tree.items[:i]
                made = [gast.With(before, made, None)] if before else made
                return [at_line_of(s, tree) for s in made]
        return tree

    def around(self, tree: Tree, i: int) -> list[Any] | None:
        """Write one manager of a `with` around the rest of it; None where it is left as it is."""
        item, rest = tree.items[i], tree.items[i + 1 :]
        method = manager_method(self.function, item.context_expr)
        if method is None:
            generator = generator_of(self.function, item.context_expr)
        else:
            generator = generator_within(method.made)
        if generator is None or method is None and not self.takes_part(generator, item):
            return None
        body = self.listed([gast.With(rest, tree.body, None)]) if rest else tree.body
        if method is None:
            return written_around(generator, self.function, self.naming, item, body)
        return self.around_if_known(method, generator, item, body)

    def around_if_known(
        self, method: ManagerMethod, generator: Generator, item: Tree, body: list[Any]
    ) -> list[Any] | None:
        """Write a method around a block if it is that of the class that the text names."""
        if any(type(part) in DEFINITIONS for s in body for part in nodes(s)):
            return None
        call, copy = item.context_expr, unshared(gast.Module(body, []))
        given = gast.Call(call.func, [method.owner, *call.args], call.keywords)
        called = gast.withitem(given, item.optional_vars)
        made = written_around(generator, self.function, self.naming, called, copy.body)
        if made is None:
            return None
        is_known = quote_expression(
            "f(x, label, method)", f=self.outer(finds_method), x=method.owner,
            label=const(method.label), method=self.outer(method.made),
        )  # fmt: skip
        return [gast.If(is_known, made, [gast.With([item], body, None)])]

    def outer(self, value: Any) -> Any:
        """Return a name for what is known outside."""
        return name(self.naming.adopted(value.__name__, constant(value, value.__name__)))

    def takes_part(self, generator: Generator, item: Tree) -> bool:
        """Whether a generator gives something to the block, or changes what may be read there or later."""
        made = generator.function
        if generator.place is None:
            return False
        if made is None or item.optional_vars is not None or may_swallow(made):
            return True
        changed = {place for place, _ in changed_outside(made, set())}
        is_handed = None in changed and hands_over(item.context_expr, made)
        return is_handed or not changed.isdisjoint(taking_part().followed)


@dataclass(frozen=True)
class Generator:
    """The text of a generator that a context manager is made of, and what its free names stand for.

    One that is defined in the function itself has no `function`, and its names are those of the function.
    """

    tree: gast.FunctionDef
    externals: Externals
    function: types.FunctionType | None

    @property
    def place(self) -> Any:
        """The one statement that yields, if it surely runs once and all behind it runs, too; or None."""
        inside = [part for part in nodes(self.tree) if part is not self.tree]
        yields = [part for part in inside if type(part) in YIELDS]
        if any(type(part) in _KEPT_OUT for part in inside) or len(yields) != 1:
            return None
        block = self.tree.body
        while True:
            [around] = [s for s in block if yields[0] in nodes(s)]
            if type(around) in (gast.Expr, gast.Assign) and around.value is yields[0]:
                return around
            within = type(around) is gast.Try and yields[0] in nodes(gast.Module(around.body, []))
            if not within or around.orelse:
                return None
            block = around.body


class Naming:
    """Names that a function takes over from a generator: its own anew, others for what they stand for."""

    def __init__(self, function: CoreFunction) -> None:
        self.names = Names(function.names())
        self.local = function.local
        self.externals = dict(function.externals)

    def adopted(self, key: str, outer: External) -> str:
        """Return the name by which the function reaches what a generator calls `key`."""
        return adopted(key, outer, self.externals, self.local, self.names.fresh)


def generator_within(made: Any) -> Generator | None:
    """Return the generator that `contextmanager` made a function of; None where there is no text of it."""
    text = text_of(made.__wrapped__, generators=True) if hasattr(made, "__wrapped__") else None
    return None if text is None else Generator(text.tree, text.externals, made.__wrapped__)


def generator_of(function: CoreFunction, called: Expr) -> Generator | None:
    """Return the generator that a call of a context manager runs; None where it is not known."""
    found = function.resolve(called.func) if type(called) is gast.Call else None
    if is_manager(found):
        return generator_within(found)
    key = getattr(called.func, "id", None) if type(called) is gast.Call else None
    inside = [part for part in nodes(function.tree) if part is not function.tree]
    defined = [part for part in inside if type(part) is gast.FunctionDef and part.name == key]
    bound = [part for part in inside if type(part) is gast.Name and part.id == key]
    if len(defined) != 1 or any(type(part.ctx) is not gast.Load for part in bound):
        return None
    [local] = defined
    return Generator(local, {}, None) if _is_manager(function, local) else None


def written_around(
    generator: Generator, function: CoreFunction, naming: Naming, item: Tree, body: list[Any]
) -> list[Any] | None:
    """Write a generator around a block; None where the block cannot stand in it.

    Parameters
    ----------
    generator
        What the manager is made of.
    function, naming
        Where the block stands, and the names that are taken there.
    item, body
        The manager, as `with` has it, and the block.
    """
    place, tree = generator.place, generator.tree
    given = _given(tree, item.context_expr)
    if place is None or given is None or _hides_builtins(generator, function):
        return None
    lent: set[str] = {
        key for part in nodes(tree) if type(part) is gast.Nonlocal for key in part.names
    }
    renamed = {key: naming.names.fresh(key) for key in sorted(_local(tree) - lent)}
    renamed |= {key: naming.adopted(key, outer) for key, outer in generator.externals.items()}
    start = [assign(renamed[key], unshared(value)) for key, value in given.items()]
    written = unshared(gast.Module(tree.body, []))
    for part in nodes(written):
        if type(part) is gast.Name:
            part.id = renamed.get(part.id, part.id)
    [place] = [s for s in nodes(written) if type(getattr(s, "value", None)) is gast.Yield]
    body, last = result_apart(naming.names, body)
    entered = [*_entered(item, place), *body, *_left(place)]
    interrupted = naming.names.fresh("interrupted") if any(map(jumps, body)) else None
    return [*start, *_with_block(written.body, place, entered, interrupted), *last]


def _with_block(
    body: list[Any], place: Any, block: list[Any], interrupted: str | None
) -> list[Any]:
    """Return statements of a generator with a block in the place of the one that yields.

    Where the block may be left, what follows is run on each way but that of an exception.
    """
    [at] = [i for i, s in enumerate(body) if place in nodes(s)]
    before, around, after = body[:at], body[at], body[at + 1 :]
    if around is not place:
        inner = _with_block(around.body, place, block, interrupted)
        block = [gast.Try(inner, around.handlers, [], around.finalbody)]
    before, after = ([s for s in part if not _says_nothing(s)] for part in (before, after))
    if interrupted is None or not after:
        return [*before, *block, *after]
    return [*before, *_then(block, after, interrupted)]


def _then(block: list[Any], after: list[Any], interrupted: str) -> list[Any]:
    """Run statements after a block that may be left, unless an exception leaves it."""
    caught = gast.ExceptHandler(
        name("BaseException"), None, [assign(interrupted, const(True)), gast.Raise(None, None)]
    )
    final = gast.If(gast.UnaryOp(gast.Not(), name(interrupted)), after, [])
    return [assign(interrupted, const(False)), gast.Try(block, [caught], [], [final])]


def _says_nothing(s: Stmt) -> bool:
    return type(s) is gast.Nonlocal or type(s) is gast.Expr and type(s.value) is gast.Constant


def _entered(item: Tree, place: Any) -> list[Any]:
    """Bind what a manager gives to the block; evaluate it where nobody takes it."""
    given = place.value.value or gast.Constant(None, None)
    if item.optional_vars is not None:
        return [gast.Assign([item.optional_vars], given, None)]
    return [] if type(given) in ATOMS else [gast.Expr(given)]


def _left(place: Any) -> list[Any]:
    """Bind what `yield` gives to the generator when the block is left."""
    return [gast.Assign(place.targets, const(None), None)] if type(place) is gast.Assign else []


def _local(tree: Tree) -> set[str]:
    return binds_in_block(tree.body) | set(parameters(tree))


def _hides_builtins(generator: Generator, function: CoreFunction) -> bool:
    """Whether a generator from elsewhere reads a builtin by a name that the function binds."""
    if generator.function is None:
        return False
    return bool((free_names(generator.tree) - set(generator.externals)) & function.local)


def _given(tree: Tree, call: Expr) -> dict[str, Any] | None:
    """Return what each parameter is given by a call; None where the text of both does not say."""
    a = tree.args
    if a.vararg or a.kwarg or any(type(v) is gast.Starred for v in call.args):
        return None
    positional = [p.id for p in [*a.posonlyargs, *a.args]]
    named = {k.arg: k.value for k in call.keywords}
    if len(call.args) > len(positional) or None in named:
        return None
    given = dict(zip(positional, call.args, strict=False))
    only = [p.id for p in a.kwonlyargs]
    defaults = dict(zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True))
    defaults |= {key: v for key, v in zip(only, a.kw_defaults, strict=True) if v is not None}
    if named.keys() & given.keys() or not named.keys() <= {*positional, *only}:
        return None
    given |= named
    left = {key: defaults.get(key) for key in [*positional, *only] if key not in given}
    if not all(type(v) is gast.Constant for v in left.values()):
        return None  # a default is what it was when the generator was defined
    return given | left


def _without_idle(function: CoreFunction) -> CoreFunction:
    """Leave out context managers that are defined in a function, and of which nothing is left to be run."""
    idle = {
        s
        for s in function.tree.body
        if type(s) is gast.FunctionDef and s.decorator_list and _is_manager(function, s)
        and not any(s.name in reads(other) for other in function.tree.body if other is not s)
    }  # fmt: skip
    return (
        function.with_body([s for s in function.tree.body if s not in idle]) if idle else function
    )


def _is_manager(function: CoreFunction, tree: Tree) -> bool:
    return [function.resolve(d) for d in tree.decorator_list] == [contextlib.contextmanager]


def result_apart(names: Names, body: list[Any]) -> tuple[list[Any], list[Any]]:
    """Let a block that ends by returning something be followed by the `return`."""
    if type(body[-1]) is not gast.Return or body[-1].value is None:
        return body, []
    result = names.fresh("result")
    bound = at_line_of(assign(result, body[-1].value), body[-1])
    return [*body[:-1], bound], [at_line_of(gast.Return(name(result)), body[-1])]


def jumps(s: Stmt) -> bool:
    """Whether a statement, or one in it, may leave the block that it stands in."""
    if type(s) is gast.FunctionDef:
        return False
    if type(s) in LEAVING:
        return True
    return any(jumps(part) for block in blocks_of(s) for part in block)
