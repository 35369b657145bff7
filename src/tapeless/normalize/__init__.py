"""From the user's Python to the core language: one desugaring per file."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from tapeless.errors import TapelessError, UnsupportedSyntaxError
from tapeless.externals import externals_of
from tapeless.normalize.apply_decorators import apply_decorators
from tapeless.normalize.attributes_at_once import attributes_at_once
from tapeless.normalize.attributes_by_key import attributes_by_key
from tapeless.normalize.bind_imports import bind_imports
from tapeless.normalize.box_nonlocals import box_nonlocals
from tapeless.normalize.caches_as_dicts import caches_as_dicts
from tapeless.normalize.classes_made_inside import classes_made_inside
from tapeless.normalize.dataclass_constructors import written_constructor
from tapeless.normalize.defaults_of_recursions import defaults_of_recursions
from tapeless.normalize.drop_annotations import drop_annotations
from tapeless.normalize.evaluated_texts import evaluated_texts
from tapeless.normalize.expand_assignments import expand_assignments
from tapeless.normalize.expand_contexts import expand_contexts
from tapeless.normalize.expand_match import expand_match
from tapeless.normalize.fields_by_name import fields_by_name
from tapeless.normalize.generators_as_lists import generators_as_lists
from tapeless.normalize.generators_handed_on import generators_handed_on
from tapeless.normalize.getters_as_lambdas import getters_as_lambdas
from tapeless.normalize.globals_as_attributes import globals_as_attributes, note_names_of_modules
from tapeless.normalize.iterators_at_their_use import iterators_at_their_use
from tapeless.normalize.iterators_returned import iterators_returned
from tapeless.normalize.kept_properties import kept_properties
from tapeless.normalize.managers_in_place import managers_in_place
from tapeless.normalize.queues_as_lists import queues_as_lists
from tapeless.normalize.refuse_unsupported import refuse_unsupported
from tapeless.normalize.returns_behind_finally import returns_behind_finally
from tapeless.normalize.returns_behind_loops import returns_behind_loops
from tapeless.normalize.scope_comprehensions import scope_comprehensions
from tapeless.normalize.split_tuples import split_tuples
from tapeless.normalize.tables_as_dicts import tables_as_dicts
from tapeless.normalize.three_address import three_address, without_defaults
from tapeless.normalize.unpacked_comprehensions import unpacked_comprehensions
from tapeless.normalize.unshadow_builtins import unshadow_builtins
from tapeless.source.reader import read
from tapeless.source.trace import passed, passed_within
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import free_names, nodes, parameters

Pass = Callable[[CoreFunction], CoreFunction]
NORMALIZE: tuple[Pass, ...] = (
    globals_as_attributes,
    classes_made_inside,
    kept_properties,
    evaluated_texts,
    fields_by_name,
    attributes_at_once,
    attributes_by_key,
    caches_as_dicts,
    unpacked_comprehensions,
    managers_in_place,
    generators_handed_on,
    iterators_returned,
    generators_as_lists,
    refuse_unsupported,
    bind_imports,
    getters_as_lambdas,
    iterators_at_their_use,
    apply_decorators,
    drop_annotations,
    expand_contexts,
    expand_match,
    returns_behind_finally,
    returns_behind_loops,
    scope_comprehensions,
    box_nonlocals,
    defaults_of_recursions,
    unshadow_builtins,
    queues_as_lists,
    tables_as_dicts,
    expand_assignments,
    three_address,
    split_tuples,
)


def core_function(function: Callable[..., Any]) -> CoreFunction:
    """Read a Python function and bring it to the core language."""
    source = read(function, generators=True)
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


def refuse_generator(function: Callable[..., Any], core: CoreFunction) -> None:
    """Refuse to differentiate a generator function itself, or one that returns an iterator."""
    if inspect.isgeneratorfunction(function):
        read(function)
    if core.yields:
        raise core.error(
            core.tree,
            "functions that return iterators cannot be differentiated",
            "collect the values in a list and return it",
            UnsupportedSyntaxError,
        )


def normalized(core: CoreFunction) -> CoreFunction:
    """Run the desugarings, in order."""
    for desugar in NORMALIZE:
        core = desugar(core)
        if desugar is NORMALIZE[-1]:
            passed(desugar.__name__, core.tree, "core")
        else:
            passed_within(desugar.__name__, core.tree, "python")
    note_names_of_modules(core)
    return core


def _handed_on(tree: gast.FunctionDef) -> Any:
    """Return where a function does more with itself than to call it, or to name it; None if it does not."""
    parts = nodes(tree)[1:]
    called = {id(p.func) for p in parts if type(p) is gast.Call}
    bindings = [p for p in parts if type(p) is gast.Assign and type(p.value) is gast.Name]
    named = {id(s.value) for s in bindings if type(s.targets[0]) is gast.Name}
    itself = {tree.name}
    itself |= {
        s.targets[0].id for s in bindings if id(s.value) in named and s.value.id == tree.name
    }
    read = [
        p for p in parts if type(p) is gast.Name and type(p.ctx) is gast.Load and p.id in itself
    ]
    return next((p for p in read if id(p) not in called | named), None)


def local_function(tree: gast.FunctionDef, outer: CoreFunction) -> CoreFunction:
    """Lift a nested function: the names that it captures become its last parameters."""
    plain = gast.FunctionDef(tree.name, without_defaults(tree.args), tree.body, [], None, None, [])
    captured = free_names(plain) & outer.local
    if tree.name in captured and _is_assigned(tree.name, outer):
        raise outer.error(
            tree,
            f"'{tree.name}' calls itself by a name that is also assigned to",
            "give the function a name of its own",
        )
    given = _handed_on(tree) if tree.name in captured else None
    if given is not None:
        raise outer.error(
            given,
            f"'{tree.name}' is handed on by itself, which is not followed",
            "define it outside of the function, and pass what it uses as arguments",
        )
    free = sorted(captured - {tree.name})
    arguments = gast.arguments(
        [*tree.args.args, *(_parameter(name) for name in free)],
        tree.args.posonlyargs, tree.args.vararg, tree.args.kwonlyargs, tree.args.kw_defaults,
        tree.args.kwarg, tree.args.defaults,
    )  # fmt: skip
    lifted = gast.FunctionDef(tree.name, arguments, tree.body, [], None, None, [])
    lifted.lineno = getattr(tree, "lineno", None)
    return CoreFunction(
        lifted,
        outer.externals,
        outer.filename,
        outer.lines,
        captured=tuple(free),
        own_names=outer.own_names,
        definition=tree,
        generators=outer.generators,
        items=outer.items,
    )


def _is_assigned(key: str, function: CoreFunction) -> bool:
    """Whether a name is bound in a function by other statements than definitions."""
    named = [p for p in nodes(function.tree, nested=False) if type(p) is gast.Name]
    return any(p.id == key and type(p.ctx) is not gast.Load for p in named)


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


def dataclass_constructor(cls: Any, passed: frozenset[str]) -> CoreFunction:
    """Write the `__init__` that `dataclass` made for a call that passes certain fields."""
    return normalized(written_constructor(cls, passed))


def _parameter(name: str) -> gast.Name:
    return gast.Name(name, gast.Param(), None, None)


__all__ = ["core_function", "local_custom", "local_function", "normalized", "parameters"]
