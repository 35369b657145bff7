"""Calls of functions that are known by identity, and which way each goes.

A function with a rule is not looked into, a user's function is interpreted, a class is constructed, a
derivative operator is applied. Anything else of a library is opaque.
"""

from __future__ import annotations

import copy
import functools
import inspect
import logging
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value, as_items, literal_kind
from tapeless.analysis.derived import Derived, call_of_derived, call_of_operator
from tapeless.analysis.facts import is_stand_in
from tapeless.analysis.function_values import Made, method_of_built_in, values_of_partial
from tapeless.analysis.interpret.attribute_calls import ATTRIBUTE_CALLS, slot_by_name
from tapeless.analysis.interpret.attributes import refuse_attributes_by_key
from tapeless.analysis.interpret.cached import call_of_cached
from tapeless.analysis.interpret.call_sites import Argument, CallSite, captured_in
from tapeless.analysis.interpret.callbacks import note_callbacks
from tapeless.analysis.interpret.class_values import HIDDEN_CLASS, class_of
from tapeless.analysis.interpret.closures import closes_over_varied, unknown_result
from tapeless.analysis.interpret.construction import construct, uninitialized_object
from tapeless.analysis.interpret.containers import copied_items, sorted_items
from tapeless.analysis.interpret.copying import copy_of
from tapeless.analysis.interpret.custom_calls import call_custom, reads_variables
from tapeless.analysis.interpret.dispatched import call_of_dispatch
from tapeless.analysis.interpret.draws import draw, draws_from, makes_generator
from tapeless.analysis.interpret.fields import fields_copied, fields_named, fields_replaced
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.iteration import is_listed_first, visited
from tapeless.analysis.interpret.iterators import of_iterators
from tapeless.analysis.interpret.parts import taken_apart
from tapeless.analysis.interpret.rule_calls import OPAQUE, call_rule
from tapeless.analysis.interpret.sparse import bound_to_factors, entrywise_call
from tapeless.analysis.interpret.special_calls import (
    BUILT_IN,
    has_method,
    is_made_array_of,
    is_own_iterator,
    is_sequence_like,
    operator_function_call,
    special_call,
)
from tapeless.analysis.interpret.spread_arguments import ask_how_many
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.summaries import call_core
from tapeless.analysis.interpret.unseen import arrays_filled, may_store, note_unseen
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.analysis.interpret.variables import values_read, variables_listed
from tapeless.externals import is_one_of, is_runtime, package_of
from tapeless.kinds import (
    LOG,
    NONE,
    UNKNOWN,
    Array,
    Function,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Sequence,
    Tuple,
    is_structure,
    regions_of,
)
from tapeless.protocol.authors import author_of
from tapeless.protocol.pullbacks import variables_read_by
from tapeless.recompute import recomputed_function
from tapeless.rules.declare import find_rule, find_written, kind_of_constants, stands_always
from tapeless.rules.results.call import Call
from tapeless.rules.traits import ADDING_AT, traits_of
from tapeless.runtime import (
    Bound,
    largest,
    lifted,
    sequence,
    set_slot,
    slot,
    smallest,
    total_of,
    total_of_objects,
    unit,
    values_of,
)
from tapeless.sorts import compiled_from
from tapeless.tree.function import CoreFunction
from tapeless.tree.trees import Expr


def call_known(interpreter: Interpreter, kind: Function, site: CallSite) -> Value:
    """Interpret a call of what is a function by its kind: a local one, or one known by identity."""
    if type(kind.value) is gast.FunctionDef:
        core, captured = interpreter.program.cores[kind.value], captured_in(site.env, kind.captured)
        if kind.value.decorator_list:
            return call_custom(interpreter, core, site, captured)
        return call_core(interpreter, core, site, captured, kind.again)
    if isinstance(kind.value, CoreFunction):
        return call_core(interpreter, kind.value, site)
    if isinstance(kind.value, Derived):
        return call_of_derived(interpreter, kind, site)
    if isinstance(kind.value, Made):
        called = _written_call(kind.value.cls)
        if called is not None and any(map(interpreter.is_varied, site.given)):
            owner = Argument(site.tree.func, Value(kind))
            return call_function(interpreter, called, site.of(owner))
        note_callbacks(interpreter, [*map(Value, kind.value.callbacks), *site.given])
        return unknown_result(interpreter, site.given)
    return call_object(interpreter, kind.value, site)


def call_object(interpreter: Interpreter, found: Any, site: CallSite) -> Value:
    """Interpret a call of an object that exists already."""
    for meaning in _MEANINGS:
        value = meaning(interpreter, found, site)
        if value is not None:
            return value
    return call_function(interpreter, found, site)


def _varies(interpreter: Interpreter, site: CallSite) -> bool:
    return any(map(interpreter.is_varied, site.given))


def _written_in_python(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the function in Python that stands for a built-in one which moves or calls things."""
    selects = is_one_of(found, (max, min)) and len(site.arguments) == 1
    moves = selects and (
        bool(site.keywords) or is_structure(_item_in(interpreter, site.values[0], site.tree))
    )
    varied = _varies(interpreter, site) or any(
        closes_over_varied(interpreter, v.kind) for v in site.given
    )
    written = _sum_of_objects(interpreter, found, site) or _written_out(found, moves, varied)
    if written is not None:
        return call_function(interpreter, written, site)
    if found is sorted and len(site.values) == 1 and not site.is_starred and not varied:
        return sorted_items(interpreter, site.values[0], site.tree)
    of_constants = None if varied else kind_of_constants(found)
    if of_constants is None:
        return None
    named = {key: value.kind for key, value in site.named.items()}
    place = interpreter.point(site.tree), interpreter.fresh(site.tree)
    return Value(of_constants(Call([v.kind for v in site.values], named, *place)))


def _special(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `abs`, `float`, `round` or `next` of an object as a call of its special method."""
    if not site.arguments or site.keywords:
        return None
    owner, varied = site.values[0].kind, _varies(interpreter, site)
    method = next((label for known, label in BUILT_IN.items() if found is known), None)
    if method is None or not isinstance(owner, Instance) or found is next and site.values[1:]:
        return None
    if not all(has_method(kind, method) for kind in owner.alternatives):
        return None
    return special_call(interpreter, method, site) or Value(UNKNOWN, varied)


def _through_object(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a call that goes through an object as one that goes through what the object gives."""
    if not site.arguments or not _is_statement(interpreter, site):
        return None
    if package_of(found) == "numpy" and any(is_sequence_like(v.kind) for v in site.given):
        return _of_arrays_of_objects(interpreter, found, site)
    owner, *others = site.arguments
    if is_made_array_of(found, owner.value.kind):
        asked = special_call(interpreter, "__array__", CallSite(site.tree, (owner,), {}, site.env))
        interpreter.callees.pop(interpreter.statement, None)  # the text does not show it yet
        given = Value(UNKNOWN, owner.value.varied) if asked is None else asked
        called = replace(site, arguments=(Argument(owner.tree, given), *others))
        return call_object(interpreter, found, called)
    if owner.is_starred or not is_listed_first(found, owner.value.kind):
        return None
    given = visited(interpreter, owner.value, site.tree, site.env)
    if is_own_iterator(given.kind):
        return Value(UNKNOWN, True)  # what it gives is listed first
    called = replace(site, arguments=(Argument(owner.tree, given), *others))
    return call_object(interpreter, found, called)


def _of_arrays_of_objects(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a call of a function of NumPy that makes arrays of objects, which are sequences."""

    def listed(value: Value) -> Value:
        if not is_sequence_like(value.kind):
            return value
        return copied_items(
            interpreter, list, visited(interpreter, value, site.tree, site.env), site.tree
        )

    return call_object(interpreter, found, site.passing(listed))


def _is_statement(interpreter: Interpreter, site: CallSite) -> bool:
    """Whether a call is all that the present statement does but bind it: other calls are not spelled out."""
    s = interpreter.statement
    return site.tree is s or site.tree is getattr(s, "value", None)


def _reading_by_text(interpreter: Interpreter, found: Any, site: CallSite) -> None:
    """Refuse what reads names or attributes that the text does not show."""
    if found is vars and site.arguments and isinstance(site.values[0].kind, Instance):
        refuse_attributes_by_key(interpreter, site.values[0])
    if not is_one_of(found, _READ_BY_TEXT) or (found is vars and site.arguments):
        return
    if any(interpreter.is_varied(v) for v in site.env.values()):
        interpreter.refuse_here(
            f"what `{found.__name__}` reads is not seen in the text",
            "name what it reads, and pass it as an argument",
        )


def _drawn(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a draw: of a distribution with a rule, or one whose parameters do not vary."""
    of_draw, varied = draws_from(found), _varies(interpreter, site)
    if of_draw is None or (varied and find_rule(found) is None):
        return None
    known = draw(interpreter, of_draw, site)
    return Value(UNKNOWN if known is None else known, varied)


def _ruled(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret what has a rule, or lists Variables."""
    if found is variables_read_by:
        return variables_listed(interpreter, site.values, site.tree)
    rule = find_rule(found)
    if rule is not None and rule.form != "zero" and site.is_starred:
        ask_how_many(interpreter, found, rule, site)
        return Value(UNKNOWN, _varies(interpreter, site))
    return None if rule is None else call_rule(interpreter, found, rule, site)


def _made(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the making of an iterator, a copy, a log or a generator of draws."""
    values = site.values
    visited = of_iterators(interpreter, found, site)
    if visited is not None:
        return visited
    if is_one_of(found, (copy.copy, copy.deepcopy)) and len(values) == 1 and not site.keywords:
        return copy_of(interpreter, values[0], found is copy.deepcopy, site.tree)
    if found is logging.getLogger:
        return Value(LOG)
    made = makes_generator(found)
    return None if made is None else Value(Inert(made))


def _derived(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a compiled or recomputed function, a derivative operator, or what one made."""
    varied = _varies(interpreter, site)
    if recomputed_function(found) is not None:
        return call_function(interpreter, found, site)
    compiled = compiled_from(found)
    if compiled is not None and author_of(found) is None:
        reached = varied or any(regions_of(v.kind) for v in site.values)
        return call_function(interpreter, compiled, site) if reached else Value(UNKNOWN)
    return call_of_operator(interpreter, found, site)


def _partial(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `functools.partial(f, ...)` as what it is spelled out as."""
    starred = any(type(a) is gast.Starred for a in getattr(site.tree, "args", []))
    spread = any(k.arg is None for k in getattr(site.tree, "keywords", []))
    if found is not functools.partial or not site.arguments or starred or spread:
        return None
    keys = Tuple(tuple(literal_kind(key) for key in site.keywords))
    held = Tuple(tuple(v.kind for v in site.given[1:]))
    return Value(Tuple((site.values[0].kind, held, keys), Bound), _varies(interpreter, site))


def _partial_outside(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a call of what `functools.partial` made outside, which is spelled out as well."""
    if not isinstance(found, functools.partial):
        return None
    own, named = values_of_partial(site.tree.func, found)
    first = [Argument(v, interpreter.eval(v, site.env)) for v in own]
    keywords = {
        k: Argument(v, interpreter.eval(v, site.env))
        for k, v in named.items()
        if k not in site.keywords
    }
    called = replace(site, keywords={**keywords, **site.keywords}).of(*first)
    return call_object(interpreter, found.func, called)


def _of_generated_text(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret what the text of a derivative calls, read again."""
    values = site.values
    if is_one_of(found, ADDING_AT) and not values[0].kind.among:
        interpreter.stored |= regions_of(values[0].kind)
        if values[-1].varied:
            interpreter.varied |= regions_of(values[0].kind)
        return Value(NONE)
    if found is sequence and isinstance(values[0].kind, (Array, List, Tuple, Sequence)):
        return Value(values[0].kind, values[0].varied)
    if found is lifted:
        return Value(interpreter.program.lifted(values[0].kind))
    if is_one_of(found, (slot, set_slot)) and isinstance(values[0].kind, Instance):
        return slot_by_name(interpreter, found, values[0].kind, site)
    if found is values_of:
        return values_read(interpreter, values[0], site.tree)
    if found is unit:
        given = site.given[2:]
        author = values[1].kind.value if isinstance(values[1].kind, Function) else None
        reading = reads_variables(interpreter, author_of(author), None, given, interpreter.varied)
        return Value(values[0].kind, reading or any(v.varied for v in given))
    return None


def _object_written_out(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the call of an object of a library, such as a spline, as the function that stands for it."""
    called = _written_call(type(found)) if _varies(interpreter, site) else None
    if called is None:
        return None
    owner = Argument(site.tree.func, Value(Function(found)))  # it is known by itself
    return call_function(interpreter, called, site.of(owner))


def _opaque(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a function of a library that is not entered."""
    if not _is_library(found):
        return None
    if may_store(found):
        note_unseen(interpreter, site.given, arrays_filled(found, site))
    if isinstance(found, np.vectorize):
        note_callbacks(interpreter, [Value(Function(found.pyfunc)), *site.values])
    made = call_rule(interpreter, found, OPAQUE, site)
    if may_store(found) and traits_of(found).kind is None:
        return Value(UNKNOWN, made.varied)  # it may be what it is given: `operator.iadd(z, x)`
    return made


def _of_built_in_class(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `dict.get(d, k)` as the method of its first argument, which it is spelled out as."""
    method = method_of_built_in(found)
    if method is None or not site.arguments or site.arguments[0].is_starred:
        return None
    owner, *others = site.arguments
    tree = gast.Call(
        gast.Attribute(owner.tree, method, gast.Load()), [other.tree for other in others], []
    )
    called = replace(site, tree=tree, arguments=tuple(others))
    return interpreter.call_method(owner.value, called)


def _class_asked(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `type(o)` of an object."""
    if found is not type or len(site.values) != 1:
        return None
    if is_stand_in(site.values[0].kind):
        interpreter.refuse_here(*HIDDEN_CLASS)
    return class_of(site.values[0].kind)


def _constructed(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the call of a class."""
    values = site.values
    if found is object.__new__ and len(values) == 1 and isinstance(values[0].kind, Function):
        return uninitialized_object(interpreter, values[0].kind.value, site.tree)
    if not isinstance(found, type):
        return None
    return construct(interpreter, found, site)


def _bound(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the call of a method that is bound to an object or to a class."""
    if not isinstance(found, types.MethodType):
        return None
    function, owner, func = found.__func__, found.__self__, site.tree.func
    tree = gast.Attribute(func, "__self__", gast.Load())
    if isinstance(owner, type):
        cls = Argument(getattr(func, "value", tree), Value(Function(owner)))
        return call_function(interpreter, function, site.of(cls))
    known = interpreter.eval(tree, site.env)
    made = call_function(interpreter, function, site.of(Argument(tree, known)))
    if interpreter.held_by([known.kind]) & interpreter.stored:
        interpreter.refuse_here(
            f"the object of the bound method `{gast.unparse(func).strip()}` is stored into",
            "call the method on its object",
        )
    return made


def _callable(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the call of an object whose class says how: `__call__`, perhaps with a custom gradient."""
    method, func = inspect.getattr_static(type(found), "__call__", None), site.tree.func
    if inspect.isroutine(found):
        return None
    if author_of(method) is not None:
        owner = interpreter.eval(func, site.env)
    elif inspect.isroutine(method):
        owner = interpreter.external(func, gast.dump(func))
    else:
        return None
    return call_function(interpreter, method, site.of(Argument(func, owner)))


_MEANINGS: tuple[Callable[[Interpreter, Any, CallSite], Value | None], ...] = (
    _of_built_in_class,
    _special,
    _through_object,
    operator_function_call,
    _written_in_python,
    _reading_by_text,
    _drawn,
    bound_to_factors,
    entrywise_call,
    taken_apart,
    fields_copied,
    fields_named,
    fields_replaced,
    _class_asked,
    _ruled,
    _made,
    call_of_cached,
    call_of_dispatch,
    _derived,
    _partial,
    _partial_outside,
    *ATTRIBUTE_CALLS,
    _of_generated_text,
    _object_written_out,
    _opaque,
    _constructed,
    _bound,
    _callable,
)


def _written_call(cls: type) -> Any:
    """Return the function in Python that stands for what an object of a class does when it is called."""
    method = inspect.getattr_static(cls, "__call__", None)
    return find_written(method) if inspect.isroutine(method) else None


def _item_in(interpreter: Interpreter, items: Value, tree: Expr) -> Kind:
    """Return the kind of what is one of the items of a sequence."""
    held = as_items(items.kind, interpreter.heap, interpreter.point(tree))
    return item_of(interpreter, Value(held), Integer(), tree).kind


def _sum_of_objects(interpreter: Interpreter, found: Any, site: CallSite) -> Any:
    """Return what stands for a `sum` of objects or lists: from one on, or from 0 on, by `__radd__`."""
    if found is not sum or site.is_starred or not site.values:
        return None
    start = site.named.get("start", site.values[1] if len(site.values) == 2 else None)
    if start is not None:
        joins = isinstance(start.kind, (List, Sequence, Tuple))
        return total_of if joins or _has_methods(start.kind, "__add__") else None
    item = _item_in(interpreter, site.values[0], site.tree)
    return total_of_objects if _has_methods(item, "__add__", "__radd__") else None


def _has_methods(kind: Kind, *methods: str) -> bool:
    """Whether a value is an object or named tuple for sure that has some methods."""
    objects = kind.alternatives if isinstance(kind, Instance) else [kind]
    doubtful = getattr(kind, "or_none", False) or getattr(kind, "functions", None)
    return not doubtful and all(has_method(each, m) for each in objects for m in methods)


def _written_out(found: Any, moves: bool, varied: bool) -> Any:
    """Return the function in Python that stands for a built-in one where it moves or calls things."""
    written = find_written(found)
    if written is not None and (varied or stands_always(written)):
        return written
    if moves and varied:
        return largest if found is max else smallest
    return None


_READ_BY_TEXT = (eval, exec, locals, vars)
_LIBRARIES = {"numpy", "scipy", "math", "tapeless", "_operator"}


def _is_library(found: Any) -> bool:
    """Whether a function belongs to a library that is not entered."""
    module = getattr(found, "__module__", None)
    if isinstance(found, type) or author_of(found) is not None:
        return False
    if is_runtime(found) or str(module).startswith(("tapeless.rules.", "tapeless.solvers.")):
        return False  # written to be read like a user's function
    outermost = str(getattr(found, "__qualname__", "")).partition(".")[0]
    if isinstance(found, types.FunctionType) and not hasattr(
        sys.modules.get(str(module)), outermost
    ):
        return False  # it only says that it is of that module
    if package_of(found) in _LIBRARIES:
        return True
    return str(module) in sys.stdlib_module_names  # what `collections.abc` mixes in is entered
