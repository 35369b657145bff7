"""Call expressions: their arguments, stars spread, and what it is that they call.

What is called is known by identity where it comes from outside. Where it is a local name or a method,
the kind of the name or of the owner says which function is meant.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, is_adjoint_memory, join_all
from tapeless.analysis.facts import Environment
from tapeless.analysis.function_values import is_bound
from tapeless.analysis.interpret.attributes import attribute_of_instance
from tapeless.analysis.interpret.containers import (
    container_method,
    refuse_memory,
    spread_items,
    spread_keywords,
)
from tapeless.analysis.interpret.draws import GENERATORS, draw, draw_of_python, drawing_method
from tapeless.analysis.interpret.known_calls import call_known, call_object
from tapeless.analysis.interpret.rule_calls import call_rule
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.unseen import note_unseen
from tapeless.analysis.interpret.user_calls import call_function, unknown_call
from tapeless.analysis.interpret.variables import as_value, assigned
from tapeless.analysis.ranks import literal
from tapeless.externals import MISSING
from tapeless.kinds import (
    LOG,
    NONE,
    TEXT_OF_VARIED,
    UNKNOWN,
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    List,
    Tuple,
    regions_of,
)
from tapeless.rules.declare import find_rule
from tapeless.variables import ASSIGNING, is_variable


def call_expression(interpreter: Interpreter, tree: Any, env: Environment) -> Value:
    """Interpret a call."""
    args, values = [], []
    for part in tree.args:
        if isinstance(part, gast.Starred):
            spread = spread_items(interpreter, part.value, env)
            args += [a for a, _ in spread]
            values += [v for _, v in spread]
        else:
            args.append(part)
            values.append(interpreter.eval(part, env))
    key_args = {k.arg: k.value for k in tree.keywords if k.arg}
    key_values = {k: interpreter.eval(v, env) for k, v in key_args.items()}
    for keyword in tree.keywords:
        if keyword.arg is None:
            spread_keys = spread_keywords(interpreter, keyword.value, env)
            if spread_keys is None:
                spread_value = interpreter.eval(keyword.value, env)
                return unknown_call(
                    interpreter, None, [*values, *key_values.values(), spread_value]
                )
            for key, (slot, value) in spread_keys.items():
                key_args[key], key_values[key] = slot, value
    given = [*values, *key_values.values()]
    found = interpreter.function.resolve(tree.func)
    if found is not MISSING:
        return call_object(interpreter, found, args, values, key_args, key_values, tree, env)
    if isinstance(tree.func, gast.Name):
        kind = env.get(tree.func.id, NOTHING).kind
        if isinstance(kind, Function):
            return call_known(interpreter, kind, args, values, key_args, key_values, tree, env)
        if is_bound(kind):
            return _call_bound(interpreter, kind, args, values, key_args, key_values, tree, env)
        if isinstance(kind, Instance):
            calls = [
                call_function(
                    interpreter, inspect.getattr_static(each.cls, "__call__", None),
                    [tree.func, *args], [Value(each, env[tree.func.id].varied), *values],
                    key_args, key_values, tree,
                )
                for each in kind.alternatives
            ]  # fmt: skip
            return join_all(calls, interpreter.place(tree))
        called = env.get(tree.func.id, NOTHING)
        return unknown_call(interpreter, None, [called, *given])
    if isinstance(tree.func, gast.Attribute):
        owner = interpreter.eval(tree.func.value, env)
        return call_method(interpreter, owner, tree, args, values, key_args, key_values, env)
    return unknown_call(interpreter, None, [interpreter.eval(tree.func, env), *given])


def _call_bound(
    interpreter: Interpreter, kind: Tuple, args: Any, values: Any, key_args: Any,
    key_values: Any, tree: Any, env: Environment,
) -> Value:  # fmt: skip
    """Interpret a call of a function with values of its own, before it is spelled out."""
    function, held, keys = kind.items
    labels = literal(keys)
    if not isinstance(function, Function) or not isinstance(held, Tuple) or labels is ...:
        return Value(UNKNOWN, True)
    own = [Value(item, env[tree.func.id].varied) for item in held.items]
    first = len(own) - len(labels)
    own_keys = {k: v for k, v in zip(labels, own[first:], strict=True) if k not in key_values}
    return call_known(
        interpreter, function, [None] * first + args, own[:first] + values,
        {**dict.fromkeys(own_keys), **key_args}, {**own_keys, **key_values}, tree, env,
    )  # fmt: skip


def _record_method(
    interpreter: Interpreter, owner: Value, kind: Tuple, tree: Any, args: Any, values: Any,
    key_args: Any, key_values: Any,
) -> Value | None:  # fmt: skip
    """Interpret a method of a named tuple before it is spelled out; None for one of all tuples."""
    method, fields = tree.func.attr, kind.cls._fields  # type: ignore[attr-defined]
    if method == "_replace" and not args and set(key_values) <= set(fields):
        held = dict(zip(fields, kind.items, strict=True)) | {
            k: v.kind for k, v in key_values.items()
        }
        varied = [owner, *key_values.values()]
        made = dataclasses.replace(kind, items=tuple(held[key] for key in fields))
        return Value(made, any(map(interpreter.is_varied, varied)))
    static = inspect.getattr_static(kind.cls, method, None)
    if not isinstance(static, types.FunctionType) or method.startswith("_"):
        return None
    given = [tree.func.value, *args], [owner, *values]
    return call_function(interpreter, static, *given, key_args, key_values, tree)


def call_method(
    interpreter: Interpreter, owner: Value, tree: Any, args: Any, values: Any, key_args: Any,
    key_values: Any, env: Environment,
) -> Value:  # fmt: skip
    """Interpret `owner.name(...)`, where what `owner.name` is follows from the kind of the owner."""
    if is_variable(owner.kind):
        if tree.func.attr in ASSIGNING:
            return assigned(interpreter, owner, values or list(key_values.values()))
        owner = as_value(interpreter, owner)
    kind, method = owner.kind, tree.func.attr
    if isinstance(kind, Instance) and kind.choices:
        calls = [
            call_method(
                interpreter,
                Value(each, owner.varied),
                tree,
                args,
                values,
                key_args,
                key_values,
                env,
            )
            for each in kind.alternatives
        ]
        return join_all(calls, interpreter.place(tree))
    if is_adjoint_memory(kind):
        refuse_memory(interpreter, tree)
    if isinstance(kind, Instance):
        slot = attribute_of_instance(interpreter, owner, kind, tree.func)
        static = inspect.getattr_static(kind.cls, method, None)
        own = [r for r in kind.regions if method in interpreter.heap.get(r, {})]
        if own and static is not None and len(own) < len(kind.regions):
            interpreter.refuse(
                tree,
                f"`{method}` is an attribute of some of these objects and a method of the others",
                "give the function a name that no method has",
            )
        if isinstance(slot.kind, Function) and (own or static is None):
            return call_known(interpreter, slot.kind, args, values, key_args, key_values, tree, env)
        if own:
            return unknown_call(interpreter, None, [owner, slot, *values, *key_values.values()])
        if isinstance(static, staticmethod):
            return call_function(
                interpreter, static.__func__, args, values, key_args, key_values, tree
            )
        interpreter.program.methods.add((kind.cls, method))
        if isinstance(static, types.FunctionType):
            return call_function(
                interpreter,
                static,
                [tree.func.value, *args],
                [owner, *values],
                key_args,
                key_values,
                tree,
            )
        return unknown_call(interpreter, static, [owner, slot, *values, *key_values.values()])
    if isinstance(kind, List | Dict):
        return container_method(interpreter, owner, method, values, key_values, tree)
    if isinstance(kind, Tuple) and hasattr(kind.cls, "_fields"):
        found = _record_method(interpreter, owner, kind, tree, args, values, key_args, key_values)
        if found is not None:
            return found
    given = any(interpreter.is_varied(v) for v in [*values, *key_values.values()])
    varied = given or interpreter.is_varied(owner)
    if isinstance(kind, Inert) and kind.what in GENERATORS:
        stretches = drawing_method(kind, method) is not None
        if "out" in key_values or method == "shuffle":
            note_unseen(interpreter, [*values, *key_values.values()])
        label = draw_of_python(method) if kind.what == "Random" else method
        known = (
            None if given and not stretches else draw(interpreter, label, values, key_values, tree)
        )
        return Value(UNKNOWN if known is None else known, varied)
    text = isinstance(kind, Inert) and kind.what == "str"
    if kind == TEXT_OF_VARIED or (text and (given or _hold_text_of_varied(interpreter, values))):
        return Value(TEXT_OF_VARIED)
    if isinstance(kind, Inert | Integer | Tuple):
        inert = not varied or kind == LOG or method in ("index", "count")
        return Value(Inert()) if inert else Value(UNKNOWN, True)
    if method in ("fill", "sort", "put", "partition", "resize"):
        interpreter.stored |= regions_of(kind)
        if given:
            interpreter.varied |= regions_of(kind)
        return Value(NONE)
    out = key_values.get("out", NOTHING)
    if isinstance(kind, Array) and isinstance(out.kind, Array) and "where" not in key_values:
        interpreter.stored |= regions_of(out.kind)
        if varied:
            interpreter.varied |= regions_of(out.kind)
        return Value(out.kind, varied)  # a store, which is written out
    found = getattr(np.ndarray, method, None)
    rule = find_rule(found) if found is not None else None
    if rule is None and kind == UNKNOWN or method in _CHANGING_ARRAYS:
        return unknown_call(interpreter, None, [owner, *values, *key_values.values()])
    if rule is None:
        return Value(UNKNOWN, varied)
    return call_rule(interpreter, found, rule, [owner, *values], key_values, tree)


_CHANGING_ARRAYS = ("setfield", "setflags", "byteswap")


def _hold_text_of_varied(interpreter: Interpreter, values: list[Value]) -> bool:
    """Whether arguments are lists that hold texts of what varies: `",".join(texts)`."""
    regions = [region for v in values for region in regions_of(v.kind)]
    held = [v.kind for r in regions for v in interpreter.heap.get(r, {}).values()]
    return TEXT_OF_VARIED in [*held, *(v.kind for v in values)]
