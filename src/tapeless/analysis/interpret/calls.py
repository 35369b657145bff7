"""Call expressions: their arguments, stars spread, and what it is that they call.

What is called is known by identity where it comes from outside. Where it is a local name or a method,
the kind of the name or of the owner says which function is meant.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, is_adjoint_memory, join_all
from tapeless.analysis.facts import Environment
from tapeless.analysis.function_values import is_bound, is_told, method_of_record
from tapeless.analysis.inert import is_generator
from tapeless.analysis.interpret.attributes import attribute_of_instance
from tapeless.analysis.interpret.cached import call_of_cached_method
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.containers import (
    container_method,
    method_of_counter,
    refuse_memory,
    spread_items,
    spread_keywords,
)
from tapeless.analysis.interpret.draws import draw, draw_of_python, drawing_method
from tapeless.analysis.interpret.known_calls import call_known, call_object
from tapeless.analysis.interpret.rule_calls import call_rule
from tapeless.analysis.interpret.sparse import factors_method, sparse_method
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.superclasses import call_behind_super, calls_super
from tapeless.analysis.interpret.texts import COUNTING, method_of_text
from tapeless.analysis.interpret.unseen import note_unseen
from tapeless.analysis.interpret.user_calls import call_function, unknown_call
from tapeless.analysis.interpret.variables import as_value, assigned
from tapeless.externals import MISSING, package_of
from tapeless.kinds import (
    HASHABLE,
    LOG,
    NONE,
    SETS,
    SOMETHING,
    TEXT_OF_VARIED,
    UNKNOWN,
    UNREACHED,
    Array,
    Dict,
    Function,
    Functions,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Opaque,
    Sequence,
    Tuple,
    in_order,
    regions_of,
)
from tapeless.ranks import literal
from tapeless.rules.declare import find_rule, find_written, find_written_method
from tapeless.sorts import CACHED, METHODS
from tapeless.tree.trees import Expr
from tapeless.variables import ASSIGNING, is_variable


def call_expression(interpreter: Interpreter, tree: Expr, env: Environment) -> Value:
    """Interpret a call."""
    arguments = [given for part in tree.args for given in _positional(interpreter, part, env)]
    keywords = {
        k.arg: Argument(k.value, interpreter.eval(k.value, env)) for k in tree.keywords if k.arg
    }
    for keyword in tree.keywords:
        if keyword.arg is None:
            spread = spread_keywords(interpreter, keyword.value, env)
            if spread is None:
                given = [argument.value for argument in [*arguments, *keywords.values()]]
                return unknown_call(
                    interpreter, None, [*given, interpreter.eval(keyword.value, env)]
                )
            keywords |= spread
    site = CallSite(tree, tuple(arguments), keywords, env)
    found = interpreter.function.resolve(tree.func)
    if found is not MISSING:
        _note(interpreter, tree, found, NOTHING)
        return call_object(interpreter, found, site)
    if type(tree.func) is gast.Name:
        called = env.get(tree.func.id, NOTHING)
        _note(interpreter, tree, MISSING, called)
        if tree.func.id in env and called.kind == UNREACHED:
            return NOTHING  # what would have made it raises
        return _call_of_name(interpreter, called, site)
    if calls_super(tree, interpreter.function):
        inherited = call_behind_super(interpreter, site, env)
        if inherited is not None:
            return inherited
    if type(tree.func) is gast.Attribute:
        owner = interpreter.eval(tree.func.value, env)
        _note(interpreter, tree, MISSING, owner)
        if owner.kind == UNREACHED and getattr(tree.func.value, "id", None) in env:
            return NOTHING
        return call_method(interpreter, owner, site)
    return unknown_call(interpreter, None, [interpreter.eval(tree.func, env), *site.given])


def _note(interpreter: Interpreter, tree: Expr, found: Any, of: Value) -> None:
    """Remember what a call calls: the last time that it is interpreted tells what is known of it."""
    interpreter.called[tree] = interpreter.statement, found, of.kind


def _positional(interpreter: Interpreter, part: Expr, env: Environment) -> list[Argument]:
    """Return what a positional argument passes: the items of a starred tuple are passed one by one."""
    if type(part) is gast.Starred:
        return spread_items(interpreter, part.value, env)
    return [Argument(part, interpreter.eval(part, env))]


def _call_of_name(interpreter: Interpreter, called: Value, site: CallSite) -> Value:
    """Interpret the call of what a local name stands for."""
    kind = called.kind
    if isinstance(kind, Function):
        return call_known(interpreter, kind, site)
    if isinstance(kind, Functions) and all(isinstance(o.value, type) for o in kind.choices):
        calls = [call_known(interpreter, option, site) for option in in_order(kind.choices)]
        return _one_of_several(interpreter, calls, site)
    if is_bound(kind):
        return _call_of_bound(interpreter, called, kind, site)
    if isinstance(kind, Instance):
        calls = [
            call_function(
                interpreter,
                _called_of(each.cls),
                site.of(Argument(site.tree.func, Value(each, called.varied))),
            )
            for each in kind.alternatives
        ]
        calls += [call_known(interpreter, each, site) for each in in_order(kind.functions)]
        return _one_of_several(interpreter, calls, site)
    method = method_of_record(kind, "__call__") if isinstance(kind, Tuple) else None
    if method is not None:
        return call_function(interpreter, method, site.of(Argument(site.tree.func, called)))
    return unknown_call(interpreter, None, [called, *site.given])


def _called_of(cls: type) -> Any:
    """Return what is called where an object of a class is, or what was written out for it."""
    static = inspect.getattr_static(cls, "__call__", None)
    return find_written(static) or static


def _call_of_bound(interpreter: Interpreter, called: Value, kind: Tuple, site: CallSite) -> Value:
    """Interpret a call of a function with values of its own, before it is spelled out."""
    if not is_told(kind):
        return unknown_call(interpreter, None, [called, *site.given])
    function, held, keys = kind.items
    own = [Argument(None, Value(item, called.varied)) for item in held.items]  # type: ignore[attr-defined]
    labels = literal(keys)
    first = len(own) - len(labels)
    named = zip(labels, own[first:], strict=True)
    keywords = {key: argument for key, argument in named if key not in site.keywords}
    spelled_out = replace(site, keywords={**keywords, **site.keywords}).of(*own[:first])
    return _call_of_name(interpreter, Value(function, called.varied), spelled_out)


def call_method(interpreter: Interpreter, owner: Value, site: CallSite) -> Value:
    """Interpret `owner.name(...)`, where what `owner.name` is follows from the kind of the owner."""
    if is_variable(owner.kind):
        if site.tree.func.attr in ASSIGNING:
            return assigned(interpreter, owner, site.given)
        owner = as_value(interpreter, owner)
    for meaning in _METHODS:
        found = meaning(interpreter, owner, site)
        if found is not None:
            return found
    return _method_of_array(interpreter, owner, site)


def _method_of_object(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Interpret a method of an object: of each class that it may have."""
    if not isinstance(owner.kind, Instance):
        return None
    if not owner.kind.choices:
        [kind] = owner.kind.alternatives
        return _method_of_instance(interpreter, Value(kind, owner.varied), kind, site)
    calls = [
        call_method(interpreter, Value(each, owner.varied), site)
        for each in owner.kind.alternatives
    ]
    return _one_of_several(interpreter, calls, site)


def _one_of_several(interpreter: Interpreter, calls: list[Value], site: CallSite) -> Value:
    """Join what each function gives that a call may enter; which one it does is spelled out first."""
    if len(calls) > 1:
        interpreter.callees.pop(interpreter.statement, None)
    return join_all(calls, interpreter.point(site.tree))


def _method_of_instance(
    interpreter: Interpreter, owner: Value, kind: Instance, site: CallSite
) -> Value:
    """Interpret a method of an object of one class, or a call of what one of its attributes holds."""
    tree, method = site.tree, site.tree.func.attr
    slot = attribute_of_instance(interpreter, owner, kind, tree.func)
    static = inspect.getattr_static(kind.cls, method, None)
    is_method = isinstance(static, METHODS)
    own = [r for r in kind.regions if method in interpreter.heap.get(r, {})]
    if own and is_method and len(own) < len(kind.regions):
        interpreter.refuse(
            tree,
            f"`{method}` is an attribute of some of these objects and a method of the others",
            "give the function a name that no method has",
        )
    called = isinstance(slot.kind, (Function, Instance)) or is_bound(slot.kind)
    if called and (own or not is_method):
        return _call_of_name(interpreter, slot, site)
    if own:
        return unknown_call(interpreter, None, [owner, slot, *site.given])
    if isinstance(static, (staticmethod, classmethod)):
        return call_object(interpreter, getattr(kind.cls, method), site)
    interpreter.program.methods.add((kind.cls, method))
    found = find_written(static) or static
    spelled_out = site.of(Argument(tree.func.value, owner))
    if isinstance(found, types.FunctionType):
        return call_function(interpreter, found, spelled_out)
    if isinstance(found, CACHED):
        return call_of_cached_method(interpreter, found, spelled_out)
    return unknown_call(interpreter, static, [owner, slot, *site.given])


def _method_written_out(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Interpret a method that is the same function for all objects of its class, written out."""
    cls = getattr(owner.kind, "cls", None)
    written = find_written_method(cls, site.tree.func.attr) if isinstance(cls, type) else None
    return None if written is None else call_function(interpreter, written, site)


def _method_of_memory(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Refuse a method of the adjoint memory."""
    return refuse_memory(interpreter, site.tree) if is_adjoint_memory(owner.kind) else None


def _method_of_class(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Interpret what a class holds, called, before the class is spelled out."""
    cls = owner.kind.value if isinstance(owner.kind, Function) else None
    found = getattr(cls, site.tree.func.attr, None) if isinstance(cls, type) else None
    return None if found is None else call_object(interpreter, found, site)


def _method_of_container(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Interpret a method of a list or dict."""
    if not isinstance(owner.kind, (List, Dict)):
        return None
    counted = method_of_counter(owner.kind, site.tree.func.attr)
    if counted is not None:
        return call_function(interpreter, counted, site.of(Argument(site.tree.func.value, owner)))
    return container_method(interpreter, owner, site.tree.func.attr, site)


def _method_of_record(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Interpret a method of a named tuple before it is spelled out; None for one of all tuples."""
    kind, method = owner.kind, site.tree.func.attr
    if not isinstance(kind, Tuple) or not hasattr(kind.cls, "_fields"):
        return None
    fields = kind.cls._fields
    if method == "_replace" and not site.arguments and set(site.keywords) <= set(fields):
        held = dict(zip(fields, kind.items, strict=True)) | {
            k: v.kind for k, v in site.named.items()
        }
        made = replace(kind, items=tuple(held[key] for key in fields))
        return Value(made, any(map(interpreter.is_varied, [owner, *site.given])))
    if method == "_asdict" and not site.given:
        return _dict_of_record(interpreter, owner, dict(zip(fields, kind.items, strict=True)), site)
    function = method_of_record(kind, method)
    if function is None:
        return None
    return call_function(interpreter, function, site.of(Argument(site.tree.func.value, owner)))


def _dict_of_record(
    interpreter: Interpreter, owner: Value, items: dict[str, Kind], site: CallSite
) -> Value:
    """Interpret `p._asdict()`: a new dict of what a named tuple holds."""
    region = interpreter.fresh(site.tree)
    for field, item in items.items():
        interpreter.put(region, field, Value(item, owner.varied))
    if interpreter.holds_varied(owner):
        interpreter.varied |= region
    return Value(Dict(region))


def _method_of_generator(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Interpret a draw: the method of a generator of random numbers."""
    kind, method = owner.kind, site.tree.func.attr
    if not isinstance(kind, Inert) or not is_generator(kind):
        return None
    given = any(map(interpreter.is_varied, site.given))
    varied = given or interpreter.is_varied(owner)
    if "out" in site.keywords or method == "shuffle":
        note_unseen(interpreter, site.given)
    if given and find_rule(drawing_method(kind, method)) is None:
        return Value(UNKNOWN, varied)
    label = draw_of_python(method) if kind.what == "Random" else method
    return Value(draw(interpreter, label, site) or UNKNOWN, varied)


def _method_of_constant(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Interpret a method of a text, a number or a tuple: it changes nothing."""
    kind = owner.kind
    given = any(map(interpreter.is_varied, site.given))
    text = isinstance(kind, Inert) and kind.what == "str"
    if kind == TEXT_OF_VARIED or (
        text and (given or _hold_text_of_varied(interpreter, site.values))
    ):
        return Value(TEXT_OF_VARIED)
    if isinstance(kind, (Tuple, Sequence)) and site.tree.func.attr in COUNTING:
        return Value(Integer())
    if not isinstance(kind, (Inert, Integer, Tuple)):
        return None
    varied = given or interpreter.is_varied(owner)
    inert = not varied or kind == LOG
    if inert and isinstance(kind, Opaque):  # such as the points of a tree that a library built
        own = package_of(kind.cls) in ("numpy", "scipy")
        return Value(UNKNOWN) if own else unknown_call(interpreter, None, [owner, *site.given])
    if inert and kind in SETS:
        return Value(HASHABLE if site.tree.func.attr == "pop" else SOMETHING)
    if inert and text and not site.keywords and not site.is_starred:
        return Value(method_of_text(interpreter, owner, site.tree.func.attr, site.values))
    return Value(Inert()) if inert else Value(UNKNOWN, True)


_METHODS: tuple[Callable[[Interpreter, Value, CallSite], Value | None], ...] = (
    _method_of_memory,
    _method_written_out,
    _method_of_object,
    _method_of_class,
    _method_of_container,
    _method_of_record,
    _method_of_generator,
    factors_method,
    _method_of_constant,
    sparse_method,
)


def _method_of_array(interpreter: Interpreter, owner: Value, site: CallSite) -> Value:
    """Interpret a method of an array, or of what may be one."""
    kind, method = owner.kind, site.tree.func.attr
    given = any(map(interpreter.is_varied, site.given))
    varied = given or interpreter.is_varied(owner)
    if kind.among and (method in _STORING_INTO_ARRAYS or _is_written_in_one(kind, method)):
        return unknown_call(interpreter, None, [owner, *site.given])
    if method in _STORING_INTO_ARRAYS:
        interpreter.stored |= regions_of(kind)
        if given:
            interpreter.varied |= regions_of(kind)
        return Value(NONE)
    out = site.named.get("out", NOTHING)
    if isinstance(kind, Array) and isinstance(out.kind, Array) and "where" not in site.keywords:
        interpreter.stored |= regions_of(out.kind)
        if varied:
            interpreter.varied |= regions_of(out.kind)
        return Value(out.kind, varied)  # a store, which is written out
    found = getattr(np.ndarray, method, None)
    rule = find_rule(found) if found is not None else None
    if rule is None and kind == UNKNOWN or method in _CHANGING_ARRAYS:
        return unknown_call(interpreter, None, [owner, *site.given])
    if rule is None:
        return Value(UNKNOWN, varied)
    called = site.of(Argument(site.tree.func.value, owner))
    return call_rule(interpreter, found, rule, called)


def _is_written_in_one(kind: Kind, method: str) -> bool:
    """Whether one of the classes that a value may have has a method of its own: it may change the object."""
    found = (inspect.getattr_static(cls, method, None) for cls in kind.may_be)
    return any(isinstance(each, types.FunctionType) for each in found)


_STORING_INTO_ARRAYS = ("fill", "sort", "put", "partition", "resize")
_CHANGING_ARRAYS = ("setfield", "setflags", "byteswap")


def _hold_text_of_varied(interpreter: Interpreter, values: list[Value]) -> bool:
    """Whether arguments are lists that hold texts of what varies: `",".join(texts)`."""
    regions = [region for v in values for region in regions_of(v.kind)]
    held = [v.kind for r in regions for v in interpreter.heap.get(r, {}).values()]
    return TEXT_OF_VARIED in [*held, *(v.kind for v in values)]
