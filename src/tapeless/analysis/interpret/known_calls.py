"""Calls of functions that are known by identity, and which way each goes.

A function with a rule is not looked into, a user's function is interpreted, a class is constructed, a
derivative operator is applied. Anything else of a library is opaque.
"""

from __future__ import annotations

import copy
import functools
import heapq
import inspect
import logging
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, as_items, literal_kind
from tapeless.analysis.derived import Derived, call_of_derived, call_of_operator
from tapeless.analysis.facts import Environment
from tapeless.analysis.function_values import method_of_built_in, values_of_partial
from tapeless.analysis.interpret.attributes import refuse_attributes_by_key
from tapeless.analysis.interpret.callbacks import note_callbacks
from tapeless.analysis.interpret.closures import unknown_result
from tapeless.analysis.interpret.construction import Made, bare_object, construct
from tapeless.analysis.interpret.copying import copy_of
from tapeless.analysis.interpret.custom_calls import call_custom, reads_variables
from tapeless.analysis.interpret.draws import draw, draws_from, makes_generator
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.iterators import iterator_kind
from tapeless.analysis.interpret.rule_calls import OPAQUE, call_rule
from tapeless.analysis.interpret.special_calls import BUILT_IN, has_method, special_call
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.summaries import call_core
from tapeless.analysis.interpret.unseen import may_store, note_unseen
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.analysis.interpret.variables import values_read, variables_listed
from tapeless.externals import MISSING, is_one_of, is_runtime
from tapeless.kinds import (
    LOG,
    NONE,
    UNKNOWN,
    Array,
    Function,
    Functions,
    Inert,
    Instance,
    Integer,
    List,
    Sequence,
    Tuple,
    is_container,
    regions_of,
)
from tapeless.protocol import author_of, variables_read_by
from tapeless.recompute import recomputed_function
from tapeless.rules.declare import find_rule
from tapeless.runtime import (
    Bound,
    heap_ordered,
    heap_popped,
    heap_pushed,
    heap_pushed_and_popped,
    heap_replaced,
    largest,
    lifted,
    reduced,
    sequence,
    set_slot,
    slot,
    smallest,
    sorted_items,
    unit,
    values_of,
)
from tapeless.sorts import compiled_from
from tapeless.tree.function import CoreFunction


def call_known(
    interpreter: Interpreter, kind: Function, args: Any, values: Any, key_args: Any,
    key_values: Any, tree: Any, env: Environment,
) -> Value:  # fmt: skip
    """Interpret a call of what is a function by its kind: a local one, or one known by identity."""
    if isinstance(kind.value, gast.FunctionDef):
        captured = [gast.Name(c, gast.Load(), None, None) for c in kind.captured]
        core = interpreter.program.cores[kind.value]
        extra = [env.get(c, NOTHING) for c in kind.captured]
        if kind.value.decorator_list:
            return call_custom(
                interpreter, core, args, values, key_args, key_values, tree, captured, extra
            )
        return call_core(
            interpreter, core, args, values, key_args, key_values, tree, captured, extra, kind.again
        )
    if isinstance(kind.value, CoreFunction):
        return call_core(interpreter, kind.value, args, values, key_args, key_values, tree, [], [])
    if isinstance(kind.value, Derived):
        return call_of_derived(interpreter, kind, args, values, key_args, key_values, tree)
    if isinstance(kind.value, Made):
        given = [*values, *key_values.values()]
        note_callbacks(interpreter, [*map(Value, kind.value.callbacks), *given])
        return unknown_result(interpreter, given)
    return call_object(interpreter, kind.value, args, values, key_args, key_values, tree, env)


@dataclass(frozen=True)
class _Call:
    """A call of an object that exists already: its expressions, and what is known of their values."""

    found: Any
    args: Any
    values: Any
    key_args: Any
    key_values: Any
    tree: Any
    env: Environment
    varied: bool

    def of(self, interpreter: Interpreter, function: Any) -> Value:
        """Interpret the call of another function in its place."""
        return self.of_bound(interpreter, function, [], [])

    def of_bound(
        self, interpreter: Interpreter, function: Any, owner: Any, owner_value: Any
    ) -> Value:
        """Interpret the call of another function that takes an owner before the arguments."""
        args, values = [*owner, *self.args], [*owner_value, *self.values]
        return call_function(
            interpreter, function, args, values, self.key_args, self.key_values, self.tree
        )


def call_object(
    interpreter: Interpreter, found: Any, args: Any, values: Any, key_args: Any,
    key_values: Any, tree: Any, env: Environment,
) -> Value:  # fmt: skip
    """Interpret a call of an object that exists already."""
    varied = any(map(interpreter.is_varied, [*values, *key_values.values()]))
    call = _Call(found, args, values, key_args, key_values, tree, env, varied)
    for meaning in _MEANINGS:
        value = meaning(interpreter, call)
        if value is not None:
            return value
    return call.of(interpreter, found)


def _written_in_python(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret the function in Python that stands for a built-in one which moves or calls things."""
    selects = is_one_of(call.found, (max, min)) and len(call.values) == 1
    moves = selects and (
        bool(call.key_args) or _holds_structures(interpreter, call.values[0], call.tree)
    )
    written = _written_out(call.found, moves, call.varied)
    return None if written is None else call.of(interpreter, written)


def _special(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret `abs`, `float` or `round` of an object as a call of its special method."""
    if not call.values or call.key_args or not isinstance(call.values[0].kind, Instance):
        return None
    method = next((label for known, label in BUILT_IN.items() if call.found is known), None)
    if method is None or not all(has_method(k, method) for k in call.values[0].kind.alternatives):
        return None
    found = special_call(interpreter, method, call.args, call.values, call.tree)
    return found or Value(UNKNOWN, call.varied)


def _reading_by_text(interpreter: Interpreter, call: _Call) -> None:
    """Refuse what reads names or attributes that the text does not show."""
    found = call.found
    if found is vars and call.values and isinstance(call.values[0].kind, Instance):
        refuse_attributes_by_key(interpreter, call.values[0])
    if not is_one_of(found, _READ_BY_TEXT) or (found is vars and call.values):
        return
    if any(interpreter.is_varied(v) for v in call.env.values()):
        interpreter.refuse_here(
            f"what `{found.__name__}` reads is not seen in the text",
            "name what it reads, and pass it as an argument",
        )


def _drawn(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret a draw: of a distribution with a rule, or one whose parameters do not vary."""
    of_draw = draws_from(call.found)
    if of_draw is None or (call.varied and find_rule(call.found) is None):
        return None
    known = draw(interpreter, of_draw, call.values, call.key_values, call.tree)
    return Value(UNKNOWN if known is None else known, call.varied)


def _ruled(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret what has a rule, or lists Variables."""
    if call.found is variables_read_by:
        return variables_listed(interpreter, call.values, call.tree)
    rule = find_rule(call.found)
    if rule is None:
        return None
    if rule.form != "zero" and any(isinstance(arg, gast.Starred) for arg in call.args):
        return Value(UNKNOWN, call.varied)  # how many operands there are is not known
    return call_rule(interpreter, call.found, rule, call.values, call.key_values, call.tree)


def _made(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret the making of an iterator, a copy, a log or a generator of draws."""
    found, values = call.found, call.values
    visited = iterator_kind(interpreter, found, values, call.key_values, call.tree)
    if visited is not None:
        return Value(visited, call.varied)
    if is_one_of(found, (copy.copy, copy.deepcopy)) and len(values) == 1 and not call.key_values:
        return copy_of(interpreter, values[0], found is copy.deepcopy, call.tree)
    if found is logging.getLogger:
        return Value(LOG)
    made = makes_generator(found)
    return None if made is None else Value(Inert(made))


def _derived(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret a cached, compiled or recomputed function, a derivative operator, or what one made."""
    if isinstance(call.found, _Cached) and call.varied:
        # what is kept for one derivative is of no use to another, and must not be found by a plain call
        return call.of(interpreter, call.found.__wrapped__)
    if recomputed_function(call.found) is not None:
        return call.of(interpreter, call.found)
    compiled = compiled_from(call.found)
    if compiled is not None and author_of(call.found) is None:
        reached = call.varied or any(regions_of(v.kind) for v in call.values)
        return call.of(interpreter, compiled) if reached else Value(UNKNOWN)
    return call_of_operator(
        interpreter, call.found, call.args, call.values, call.key_args, call.key_values, call.tree
    )


def _partial(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret `functools.partial(f, ...)` as what it is spelled out as."""
    starred = any(isinstance(a, gast.Starred) for a in getattr(call.tree, "args", []))
    spread = any(k.arg is None for k in getattr(call.tree, "keywords", []))
    if call.found is not functools.partial or not call.values or starred or spread:
        return None
    keys = Tuple(tuple(literal_kind(key) for key in call.key_args))
    held = Tuple(tuple(v.kind for v in [*call.values[1:], *call.key_values.values()]))
    return Value(Tuple((call.values[0].kind, held, keys), Bound), call.varied)


def _partial_outside(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret a call of what `functools.partial` made outside, which is spelled out as well."""
    if not isinstance(call.found, functools.partial):
        return None
    own, named = values_of_partial(call.tree.func, call.found)
    own_keys = {k: v for k, v in named.items() if k not in call.key_args}
    return call_object(
        interpreter, call.found.func, [*own, *call.args],
        [*(interpreter.eval(v, call.env) for v in own), *call.values], {**own_keys, **call.key_args},
        {**{k: interpreter.eval(v, call.env) for k, v in own_keys.items()}, **call.key_values},
        call.tree, call.env,
    )  # fmt: skip


def _of_generated_text(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret what the text of a derivative calls, read again."""
    found, values = call.found, call.values
    if is_one_of(found, (np.add.at,)):
        interpreter.stored |= regions_of(values[0].kind)
        if values[-1].varied:
            interpreter.varied |= regions_of(values[0].kind)
        return Value(NONE)
    if found is sequence and isinstance(values[0].kind, Array | List | Tuple | Sequence):
        return Value(values[0].kind, values[0].varied)
    if found is lifted:
        return Value(interpreter.program.lifted(values[0].kind))
    if is_one_of(found, (slot, set_slot)) and isinstance(values[0].kind, Instance):
        interpreter.refuse_here(
            "a derivative that makes attributes and takes them away cannot be differentiated again",
            "make all attributes at the start of the constructor",
        )
    if found is values_of:
        return values_read(interpreter, values[0], call.tree)
    if found is unit:
        given = [*values[2:], *call.key_values.values()]
        author = values[1].kind.value if isinstance(values[1].kind, Function) else None
        reading = reads_variables(interpreter, author_of(author), None, given, interpreter.varied)
        return Value(values[0].kind, reading or any(v.varied for v in given))
    return None


def _opaque(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret a function of a library that is not entered."""
    if not _is_library(call.found):
        return None
    if may_store(call.found):
        note_unseen(interpreter, [*call.values, *call.key_values.values()])
    if isinstance(call.found, np.vectorize):
        note_callbacks(interpreter, [Value(Function(call.found.pyfunc)), *call.values])
    return call_rule(interpreter, call.found, OPAQUE, call.values, call.key_values, call.tree)


def _of_built_in_class(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret `dict.get(d, k)` as the method of its first argument, which it is spelled out as."""
    method = method_of_built_in(call.found)
    if method is None or not call.values or isinstance(call.args[0], gast.Starred):
        return None
    tree = gast.Call(gast.Attribute(call.args[0], method, gast.Load()), call.args[1:], [])
    return interpreter.call_method(
        call.values[0], tree, call.args[1:], call.values[1:], call.key_args, call.key_values,
        call.env,
    )  # fmt: skip


def _constructed(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret the call of a class."""
    found, values = call.found, call.values
    if found is object.__new__ and len(values) == 1 and isinstance(values[0].kind, Function):
        return bare_object(interpreter, values[0].kind.value, call.tree)
    if found is type and len(values) == 1 and isinstance(values[0].kind, Instance):
        classes = [Function(each.cls) for each in values[0].kind.alternatives]
        return Value(classes[0] if len(classes) == 1 else Functions(frozenset(classes)))
    if not isinstance(found, type):
        return None
    return construct(
        interpreter, found, call.args, values, call.key_args, call.key_values, call.tree
    )


def _bound(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret the call of a method that is bound to an object or to a class."""
    if not isinstance(call.found, types.MethodType):
        return None
    function, owner = call.found.__func__, call.found.__self__
    if isinstance(owner, type):
        known = Value(Function(owner))
        taken = gast.Attribute(call.tree.func, "__self__", gast.Load())
        cls = getattr(call.tree.func, "value", taken)
        return call.of_bound(interpreter, function, [cls], [known])
    tree = gast.Attribute(call.tree.func, "__self__", gast.Load())
    if interpreter.function.resolve(tree) is MISSING:
        called = gast.unparse(call.tree.func).strip()
        interpreter.refuse_here(
            f"`{called}` is a method of an object that the function does not see",
            "pass the object, and call its method",
        )
    known = interpreter.external(tree, gast.dump(tree))
    made = call.of_bound(interpreter, function, [tree], [known])
    if interpreter.held_by([known.kind]) & interpreter.stored:
        interpreter.refuse_here(
            f"the object of the bound method `{gast.unparse(call.tree.func).strip()}` is stored into",
            "call the method on its object",
        )
    return made


def _callable(interpreter: Interpreter, call: _Call) -> Value | None:
    """Interpret the call of an object whose class says how: `__call__`, perhaps with a custom gradient."""
    method = inspect.getattr_static(type(call.found), "__call__", None)
    if inspect.isroutine(call.found):
        return None
    if author_of(method) is not None:
        owner = interpreter.eval(call.tree.func, call.env)
    elif inspect.isroutine(method):
        owner = interpreter.external(call.tree.func, gast.dump(call.tree.func))
    else:
        return None
    return call.of_bound(interpreter, method, [call.tree.func], [owner])


_MEANINGS: tuple[Callable[[Interpreter, _Call], Value | None], ...] = (
    _of_built_in_class,
    _special,
    _written_in_python,
    _reading_by_text,
    _drawn,
    _ruled,
    _made,
    _derived,
    _partial,
    _partial_outside,
    _of_generated_text,
    _opaque,
    _constructed,
    _bound,
    _callable,
)


def _holds_structures(interpreter: Interpreter, items: Value, tree: Any) -> bool:
    """Whether the items of a sequence are tuples or containers themselves."""
    held = as_items(items.kind, interpreter.heap, interpreter.place(tree))
    item = item_of(interpreter, Value(held), Integer(), tree).kind
    return isinstance(item, Tuple | Sequence) or is_container(item)


def _written_out(found: Any, moves: bool, varied: bool) -> Any:
    """Return the function in Python that stands for a built-in one where it moves or calls things."""
    if found is functools.reduce:
        return reduced
    for function, written in _ON_HEAPS:
        if found is function:
            return written
    if not varied:
        return None
    if found is sorted:
        return sorted_items
    if moves:
        return largest if found is max else smallest
    return None


_ON_HEAPS: tuple[tuple[Any, Any], ...] = (
    (heapq.heappush, heap_pushed),
    (heapq.heappop, heap_popped),
    (heapq.heapreplace, heap_replaced),
    (heapq.heappushpop, heap_pushed_and_popped),
    (heapq.heapify, heap_ordered),
)
_Cached: Any = type(functools.cache(len))
_READ_BY_TEXT = (eval, exec, locals, vars)
_LIBRARIES = {"numpy", "scipy", "math", "tapeless", "_operator"}


def _is_library(found: Any) -> bool:
    """Whether a function belongs to a library that is not entered."""
    module = getattr(found, "__module__", None)
    if isinstance(found, type) or author_of(found) is not None:
        return False
    if is_runtime(found) or str(module).startswith("tapeless.rules."):
        return False  # written to be read like a user's function
    outermost = str(getattr(found, "__qualname__", "")).partition(".")[0]
    if isinstance(found, types.FunctionType) and not hasattr(
        sys.modules.get(str(module)), outermost
    ):
        return False  # it only says that it is of that module
    return str(module).split(".")[0] in _LIBRARIES or str(module) in sys.stdlib_module_names
