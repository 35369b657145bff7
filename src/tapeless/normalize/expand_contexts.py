"""`with` over objects of the user's classes becomes calls of `__enter__` and `__exit__`.

They are methods like others, and what they compute may vary. A manager that holds no such thing is
entered and left around the statements as it is written; so is one of a library, which is not looked into,
and a generator, unless it changes what functions may read: it is written around the block
(`managers_in_place`), or refused.

    with Scaled(x) as s:            manager = Scaled(x)
        y = s * x                   s = manager.__enter__()
                                    try:
                              ->        y = s * x
                                    except BaseException as error:
                                        manager.__exit__(type(error), error, error.__traceback__)
                                        raise
                                    else:
                                        manager.__exit__(None, None, None)

`contextlib.suppress` is a `try`, and `contextlib.nullcontext(x)` is `x`.
"""

from __future__ import annotations

import contextlib
import inspect
import types
from typing import Any

import gast

from tapeless.errors import GradientError
from tapeless.externals import MISSING
from tapeless.normalize.hidden_builtins import hidden_builtins
from tapeless.normalize.manager_texts import (
    changed_outside,
    hands_over,
    is_of_library,
    may_swallow,
)
from tapeless.normalize.managers_in_place import jumps, result_apart
from tapeless.set_in_texts import taking_part
from tapeless.tree.build import assign, at_line_of, const, name, quote
from tapeless.tree.endings import blocks_of
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree


def expand_contexts(function: CoreFunction) -> CoreFunction:
    """Write out `with` blocks whose managers are not known to do nothing but their own business.

    Examples
    --------
    >>> from tapeless.externals import constant
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.source.reader import parse_function
    >>> tree = parse_function('def f(x):\\n    with suppress(KeyError):\\n        x = d[x]\\n    return x')
    >>> externals = {"suppress": constant(contextlib.suppress, "suppress")}
    >>> print(unparse(expand_contexts(CoreFunction(tree, externals)).tree).strip())
    def f(x):
        try:
            x = d[x]
        except KeyError:
            pass
        return x
    """
    expander = _Expander(function)
    return function.with_body(expander.listed(function.tree.body))


class _Expander(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.names = Names(function.names())
        self.hidden = hidden_builtins(function, self.names)

    def visit_With(self, tree: Tree) -> Any:
        first, *rest = tree.items
        body = tree.body
        if rest:
            body = [at_line_of(gast.With(rest, body, None), tree)]
        body = self.listed(body)
        return [at_line_of(s, tree) for s in self.block(first, body)]

    def block(self, item: Tree, body: list[Any]) -> list[Any]:
        """Write one manager around a block."""
        called = item.context_expr
        found = MISSING
        if type(called) is gast.Call:
            found = self.function.resolve(called.func)
            if found is contextlib.suppress:
                bound = [item.optional_vars] if item.optional_vars else []
                return [
                    *(gast.Assign([b], const(None), None) for b in bound),
                    *_suppressing(called.args, body),
                ]
            if found is contextlib.nullcontext and called.args and item.optional_vars:
                return [gast.Assign([item.optional_vars], called.args[0], None), *body]
        manager = _class_of(self.function, called)
        if inspect.isgeneratorfunction(manager):
            self.check_generator(called, manager)
        if manager is not None and not _is_users(manager) and not may_swallow(manager):
            return [self.entered(item, body)]
        return self.written_out(item, manager, body)

    def check_generator(self, tree: Tree, generator: Any) -> None:
        """Refuse a generator that changes what it is handed, or what a function reads of its module.

        It runs as it is written, and is not followed.
        """
        for place, changed in changed_outside(generator, set()):
            if place is None and not hands_over(tree, generator):
                continue
            error = self.function.error(
                tree,
                f"this generator may change `{changed}`, and what that holds here is not followed",
                "write the context manager as a class with `__enter__` and `__exit__`",
                GradientError,
            )
            if place is None:
                raise error
            taking_part().unfollowed[place] = error

    def entered(self, item: Tree, body: list[Any]) -> Any:
        """Enter a manager as it is written; what is no name of its own is bound by a statement."""
        place = item.optional_vars
        own = type(place) is gast.Name and not self.is_bound_elsewhere(place.id)
        if place is not None and not own:
            key = self.names.fresh("entered")
            body = [gast.Assign([place], name(key), None), *body]
            item = gast.withitem(item.context_expr, gast.Name(key, gast.Store(), None, None))
        return gast.With([item], body, None)

    def is_bound_elsewhere(self, key: str) -> bool:
        stores = (part for part in nodes(self.function.tree) if type(part) is gast.Name)
        count = sum(part.id == key and type(part.ctx) is gast.Store for part in stores)
        return count > 1 or key in self.function.parameters

    def written_out(self, item: Tree, manager: Expr, body: list[Any]) -> list[Any]:
        key = self.names.fresh("manager")
        enter = quote("m.__enter__()", m=key)[0].value
        entered = gast.Expr(enter)
        if item.optional_vars is not None:
            entered = gast.Assign([item.optional_vars], enter, None)
        body, last = result_apart(self.names, body)
        swallows = manager is None or may_swallow(manager)
        made = self.attempt(key, body, swallows)
        return [assign(key, item.context_expr), entered, *made, *last]

    def attempt(self, key: str, body: list[Any], swallows: bool) -> list[Any]:
        error = self.names.fresh("error")
        told = quote("m.__exit__(type(e), e, e.__traceback__)", m=key, e=error, **self.hidden)
        if swallows:
            swallowed = self.names.fresh("swallowed")
            handled = [assign(swallowed, told[0].value)]
            handled += quote("if not swallowed:\n    raise", swallowed=swallowed)
        else:
            handled = [*told, gast.Raise(None, None)]
        leave = quote("m.__exit__(None, None, None)", m=key)
        caught = gast.ExceptHandler(
            name("BaseException"), gast.Name(error, gast.Store(), None, None), handled
        )
        if not any(map(jumps, body)):
            return [gast.Try(body, [caught], leave, [])]
        interrupted = self.names.fresh("interrupted")
        caught.body = [assign(interrupted, const(True)), *handled]
        final = gast.If(gast.UnaryOp(gast.Not(), name(interrupted)), leave, [])
        return [assign(interrupted, const(False)), gast.Try(body, [caught], [], [final])]


def _suppressing(classes: list[Any], body: list[Any]) -> list[Any]:
    if not classes:
        return body
    caught = classes[0] if len(classes) == 1 else gast.Tuple(classes, gast.Load())
    return [gast.Try(body, [gast.ExceptHandler(caught, None, [gast.Pass()])], [], [])]


def _class_of(function: CoreFunction, tree: Tree) -> Any:
    """Return the class of a manager, or the generator that makes it; None where it is not known."""
    if type(tree) is gast.Name and tree.id in function.local:
        tree = _bound_to(function, tree.id)
    if type(tree) is not gast.Call:
        found = MISSING if tree is None else function.resolve(tree)
        return None if found is MISSING else type(found)
    found = function.resolve(tree.func)
    if isinstance(found, type):
        return found
    generator = getattr(found, "__wrapped__", None)
    if generator is not None and inspect.isgeneratorfunction(generator):
        return generator
    if isinstance(found, types.BuiltinFunctionType) or is_of_library(found):
        return found
    return None


def _bound_to(function: CoreFunction, key: str) -> Any:
    """Return what a local name stands for, if the function binds it once; None otherwise."""
    bindings = [s for s in nodes(function.tree) if isinstance(s, gast.stmt) and key in binds(s)]
    simple = [s for s in bindings if not blocks_of(s)]
    if len(simple) != 1 or type(simple[0]) is not gast.Assign or key in function.parameters:
        return None
    [s] = simple
    alone = len(s.targets) == 1 and type(s.targets[0]) is gast.Name
    bound_by_block = any(key in _bound_by_head(b) for b in bindings if blocks_of(b))
    return s.value if alone and not bound_by_block else None


def _bound_by_head(s: Stmt) -> set[str]:
    """Collect the names that a compound statement itself binds: targets of loops, `as`, handlers."""
    heads = [getattr(s, "target", None), *(item.optional_vars for item in getattr(s, "items", []))]
    heads += [handler.name for handler in getattr(s, "handlers", [])]
    return set().union(*(binds(part) for part in heads if part is not None))


def _is_users(manager: Expr) -> bool:
    """Whether a manager is an object of a class of the user's."""
    if not isinstance(manager, type):
        return False
    methods = [getattr(manager, key, None) for key in ("__enter__", "__exit__")]
    return any(isinstance(m, types.FunctionType) and not is_of_library(m) for m in methods)
