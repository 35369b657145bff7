"""From the user's Python to the core language: one desugaring per file."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from tapeless.errors import TapelessError
from tapeless.normalize.bind_imports import bind_imports
from tapeless.normalize.box_nonlocals import box_nonlocals
from tapeless.normalize.expand_assignments import expand_assignments
from tapeless.normalize.expand_match import expand_match
from tapeless.normalize.refuse_unsupported import refuse_unsupported
from tapeless.normalize.scope_comprehensions import scope_comprehensions
from tapeless.normalize.three_address import three_address
from tapeless.normalize.unshadow_builtins import unshadow_builtins
from tapeless.source.externals import externals_of
from tapeless.source.reader import read
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import free_names, parameters
from tapeless.tree.trace import passed

Pass = Callable[[CoreFunction], CoreFunction]
NORMALIZE: tuple[Pass, ...] = (
    refuse_unsupported,
    bind_imports,
    expand_match,
    scope_comprehensions,
    box_nonlocals,
    unshadow_builtins,
    expand_assignments,
    three_address,
)


def core_function(function: Callable[..., Any]) -> CoreFunction:
    """Read a Python function and bring it to the core language."""
    source = read(function)
    raw = CoreFunction(source.tree, {}, source.filename, source.lines, function)
    free = free_names(raw.tree)
    core = CoreFunction(
        source.tree,
        externals_of(function, free),
        source.filename,
        source.lines,
        function,
        own_names=frozenset(raw.names()),
    )
    return normalized(core)


def normalized(core: CoreFunction) -> CoreFunction:
    """Run the desugarings, in order."""
    for desugar in NORMALIZE:
        core = desugar(core)
        passed(desugar.__name__, core.tree, "core" if desugar is NORMALIZE[-1] else "python")
    return core


def local_function(tree: gast.FunctionDef, outer: CoreFunction) -> CoreFunction:
    """Lift a nested function: the names that it captures become its last parameters."""
    free = sorted(free_names(tree) & outer.local)
    arguments = gast.arguments(
        [*tree.args.args, *(_parameter(name) for name in free)],
        tree.args.posonlyargs, tree.args.vararg, tree.args.kwonlyargs, tree.args.kw_defaults,
        tree.args.kwarg, tree.args.defaults,
    )  # fmt: skip
    lifted = gast.FunctionDef(tree.name, arguments, tree.body, [], None, None, [])
    return CoreFunction(
        lifted,
        outer.externals,
        outer.filename,
        outer.lines,
        captured=tuple(free),
        own_names=outer.own_names,
    )


def local_custom(tree: gast.FunctionDef, outer: CoreFunction) -> CoreFunction:
    """Bring a nested custom gradient to the core language, where it can be said there.

    Its body is run and not differentiated: what cannot be said is left as it is written.
    """
    plain = gast.FunctionDef(tree.name, tree.args, tree.body, [], None, None, [])
    plain.lineno = getattr(tree, "lineno", None)
    try:
        inner = normalized(replace(outer, tree=copy.deepcopy(plain))).tree
    except TapelessError:
        inner = plain
    inner.args = tree.args
    return local_function(inner, outer)


def _parameter(name: str) -> gast.Name:
    return gast.Name(name, gast.Param(), None, None)


__all__ = ["core_function", "local_custom", "local_function", "normalized", "parameters"]
