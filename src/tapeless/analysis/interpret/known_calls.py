"""Calls of functions that are known by identity, and which way each goes.

A function with a rule is not looked into, a user's function is interpreted, a class is constructed, a
derivative operator is applied. Anything else of a library is opaque.
"""

from __future__ import annotations

import copy
import functools
import inspect
import sys
import types
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, as_items
from tapeless.analysis.derived import Derived, call_of_derived, call_of_operator
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.attributes import refuse_attributes_by_key
from tapeless.analysis.interpret.construction import bare_object, construct
from tapeless.analysis.interpret.copying import copy_of
from tapeless.analysis.interpret.custom_calls import call_custom, reads_variables
from tapeless.analysis.interpret.draws import draw, draws_from, makes_generator
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.iterators import iterator_kind
from tapeless.analysis.interpret.rule_calls import OPAQUE, call_rule
from tapeless.analysis.interpret.summaries import call_core
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.analysis.interpret.variables import values_read, variables_listed
from tapeless.custom import author_of
from tapeless.kinds import (
    NONE,
    UNKNOWN,
    Function,
    Inert,
    Instance,
    Integer,
    Items,
    Sequence,
    is_container,
    regions_of,
)
from tapeless.protocol import variables_read_by
from tapeless.recompute import recomputed_function
from tapeless.rules.declare import find_rule
from tapeless.runtime import (
    largest,
    lifted,
    reduced,
    set_slot,
    slot,
    smallest,
    sorted_items,
    unit,
    values_of,
)
from tapeless.source.externals import is_runtime
from tapeless.tree.function import CoreFunction

if TYPE_CHECKING:
    from tapeless.analysis.interpret.interpreter import Interpreter


def call_known(
    interpreter: Interpreter, kind: Function, args: Any, values: Any, key_args: Any,
    key_values: Any, tree: Any, env: Environment,
) -> Value:  # fmt: skip
    """Interpret a call of what is a function by its kind: a local one, or one known by identity."""
    if isinstance(kind.value, gast.FunctionDef):
        captured = [gast.Name(c, gast.Load(), None, None) for c in kind.captured]
        core = interpreter.effects.cores[kind.value]
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
    return call_object(interpreter, kind.value, args, values, key_args, key_values, tree, env)


def call_object(
    interpreter: Interpreter, found: Any, args: Any, values: Any, key_args: Any,
    key_values: Any, tree: Any, env: Environment,
) -> Value:  # fmt: skip
    """Interpret a call of an object that exists already."""
    varied = any(map(interpreter.is_varied, [*values, *key_values.values()]))
    selects = found in (max, min) and len(values) == 1
    moves = selects and (bool(key_args) or _holds_structures(interpreter, values[0], tree))
    written = _written_out(found, moves, varied)
    if written is not None:
        return call_function(interpreter, written, args, values, key_args, key_values, tree)
    if found is vars and values and isinstance(values[0].kind, Instance):
        refuse_attributes_by_key(interpreter, values[0])
    if found in _READ_BY_TEXT and (found is not vars or not values):
        if any(interpreter.is_varied(v) for v in env.values()):
            interpreter.refuse_here(
                f"what `{found.__name__}` reads is not seen in the text",
                "name what it reads, and pass it as an argument",
            )
    if found is variables_read_by:
        return variables_listed(interpreter, values, tree)
    rule = find_rule(found)
    of_draw = draws_from(found)
    if of_draw is not None and (rule is not None or not varied):
        known = draw(interpreter, of_draw, values, key_values, tree)
        return Value(UNKNOWN if known is None else known, varied)
    if rule is not None:
        return call_rule(interpreter, found, rule, values, key_values, tree)
    if not varied:
        visited = iterator_kind(interpreter, found, values, key_values, tree)
        if visited is not None:
            return Value(visited)
    if found in (copy.copy, copy.deepcopy) and len(values) == 1 and not key_values:
        return copy_of(interpreter, values[0], found is copy.deepcopy, tree)
    made = makes_generator(found)
    if made is not None:
        return Value(Inert(made))
    if recomputed_function(found) is not None:
        return call_function(interpreter, found, args, values, key_args, key_values, tree)
    derived = call_of_operator(interpreter, found, args, values, key_args, key_values, tree)
    if derived is not None:
        return derived
    if found == np.add.at:
        interpreter.stored |= regions_of(values[0].kind)
        if values[-1].varied:
            interpreter.varied |= regions_of(values[0].kind)
        return Value(NONE)
    if found is object.__new__ and len(values) == 1 and isinstance(values[0].kind, Function):
        return bare_object(interpreter, values[0].kind.value, tree)
    if found is lifted:
        return Value(interpreter.effects.lifted(values[0].kind))
    if found in (slot, set_slot) and isinstance(values[0].kind, Instance):
        interpreter.refuse_here(
            "a derivative that makes attributes and takes them away cannot be differentiated again",
            "make all attributes at the start of the constructor",
        )
    if found is values_of:
        return values_read(interpreter, values[0], tree)
    if found is unit:
        given = [*values[2:], *key_values.values()]
        author = values[1].kind.value if isinstance(values[1].kind, Function) else None
        reading = reads_variables(interpreter, author_of(author), None, given, interpreter.varied)
        return Value(values[0].kind, reading or any(v.varied for v in given))
    if _is_library(found):
        return call_rule(interpreter, found, OPAQUE, values, key_values, tree)
    if isinstance(found, type):
        return construct(interpreter, found, args, values, key_args, key_values, tree)
    if isinstance(found, types.MethodType) and isinstance(found.__self__, type):
        return call_function(
            interpreter, found.__func__, [tree.func.value, *args],
            [Value(Function(found.__self__)), *values],
            key_args, key_values, tree,
        )  # fmt: skip
    method = inspect.getattr_static(type(found), "__call__", None)
    if not inspect.isroutine(found) and author_of(method) is not None:
        owner = interpreter.eval(tree.func, env)
        return call_function(
            interpreter, method, [tree.func, *args], [owner, *values], key_args, key_values, tree
        )
    if isinstance(found, types.MethodType):
        owner = interpreter.external(gast.Constant(None, None), f"self of {id(found)}")
        return call_function(
            interpreter, found.__func__, [None, *args], [owner, *values], key_args, key_values, tree
        )
    method = inspect.getattr_static(type(found), "__call__", None)
    if not inspect.isroutine(found) and inspect.isroutine(method):
        owner = interpreter.external(tree.func, gast.dump(tree.func))
        return call_function(
            interpreter, method, [tree.func, *args], [owner, *values], key_args, key_values, tree
        )
    return call_function(interpreter, found, args, values, key_args, key_values, tree)


def _holds_structures(interpreter: Interpreter, items: Value, tree: Any) -> bool:
    """Say whether the items of a sequence are tuples or containers themselves."""
    held = as_items(items.kind, interpreter.heap, interpreter.place(tree))
    item = item_of(interpreter, Value(held), Integer(), tree).kind
    return isinstance(item, Items | Sequence) or is_container(item)


def _written_out(found: Any, moves: bool, varied: bool) -> Any:
    """Give the function in Python that stands for a built-in one where it moves or calls things."""
    if found is functools.reduce:
        return reduced
    if not varied:
        return None
    if found is sorted:
        return sorted_items
    if moves:
        return largest if found is max else smallest
    return None


_READ_BY_TEXT = (eval, exec, locals, vars)
_LIBRARIES = {"numpy", "scipy", "math", "tapeless", "_operator"}


def _is_library(found: Any) -> bool:
    """Say whether a function belongs to a library that is not entered."""
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
