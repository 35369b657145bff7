"""Functions as values: which function a call means, and the values that a function carries along.

A name that may stand for several functions is asked which one it is. What `functools.partial`, a bound
method, a frozen default or a returned closure makes is a `Bound`: a function and the values that it is
always given, a plain tuple, so that adjoints reach these values as they reach any item of a tuple.

    y = f(x)               ->   if is_function(f, sin): y = sin(x)
                                else: y = cos(x)
    m = o.scale            ->   v = (o,); m = Bound(Box.scale, v, ())
    y = o.activation(x)    ->   activation = o.activation; y = activation(x)
    return g               ->   v = (k,); g_1 = Bound(lifted(g), v, ("k",)); return g_1
    o.step = g             ->   v = (k,); g_1 = Bound(lifted(g), v, ("k",)); o.step = g_1
    y = m(x)               ->   f = m.function; v = m.values; k = v[0]; y = f(k, x)
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

import gast
import numpy as np

from tapeless.analysis.facts import Facts
from tapeless.analysis.function_values import (
    built_in_class,
    built_in_method,
    is_bound,
    method_of_built_in,
    values_of_partial,
)
from tapeless.errors import TapelessError
from tapeless.kinds import (
    Dict,
    Function,
    Functions,
    Instance,
    Kind,
    List,
    Tuple,
    functions_in,
)
from tapeless.rules.declare import find_written
from tapeless.runtime import Bound, append_to, is_function, lifted
from tapeless.sorts import METHODS
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, const, name, quote, quote_expression
from tapeless.tree.classes import DISPLAYS, SLOTS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import captured_names, nodes
from tapeless.tree.trees import Expr, Stmt

_NONE_IS_CALLED = """
if f is None:
    raise TypeError("'NoneType' object is not callable")
"""


def chosen_call(
    specializer: Specializer, tree: Expr, kind: Functions, to: str | None
) -> list[Any] | None:
    """Write a call of one of several functions as a choice between calls; first what None raises."""
    if kind.or_none:
        raised = quote(_NONE_IS_CALLED, f=tree.func, TypeError=specializer.external(TypeError))
        return [*raised, gast.Expr(tree) if to is None else assign(to, tree)]
    options = [
        reference(specializer, option) or (tree.func if _is_told_by_name(option, kind) else None)
        for option in kind.options
    ]
    if None in options:
        return None
    made: list[Any] = []
    for i, option in reversed(list(enumerate(options))):
        call = gast.Call(option, tree.args, tree.keywords)
        branch = gast.Expr(call) if to is None else assign(to, call)
        if i == len(options) - 1:
            made = [branch]
            continue
        local = isinstance(
            kind.options[i].value, (gast.FunctionDef, CoreFunction)
        )  # not bound here
        other = const(kind.options[i].value.name) if local else option
        asked = quote_expression(
            "f(g, h)", f=specializer.external(is_function), g=tree.func, h=other
        )
        made = [gast.If(asked, [branch], made)]
    return made


def _is_told_by_name(option: Function, kind: Functions) -> bool:
    """Whether a local function can be called through the value that is asked whether it is that one.

    Where it is out of reach of its name, what calls it knows by the test which function the value is.
    """
    local = isinstance(option.value, (gast.FunctionDef, CoreFunction))
    if not local or option.captured or option.again:
        return False
    named = [getattr(each.value, "name", None) for each in kind.choices]
    return named.count(option.value.name) == 1


def reference(specializer: Specializer, kind: Function) -> Any:
    """Return an expression for a function that is known by its kind; None where there is none."""
    value: Any = kind.value
    if type(value) is gast.FunctionDef:
        known = (specializer.env or {}).get(value.name)
        return name(value.name) if known is not None and known.kind == kind else None
    if isinstance(value, CoreFunction) or kind.again:
        return None
    label = str(getattr(value, "__name__", ""))
    if not label and not isinstance(value, functools.partial):
        return None
    if label and getattr(np, label, None) is value:
        return gast.Attribute(name(specializer.external(np)), label, gast.Load())
    return name(specializer.external(value))


def bound_method(specializer: Specializer, tree: Expr, to: str) -> list[Any] | None:
    """Write a method that is taken from its object without being called."""
    owner = specializer.kind(tree.value)
    if isinstance(owner, List) and tree.attr == "append":
        return bound(specializer, name(specializer.external(append_to)), [tree.value], [], to)
    cls = built_in_class(owner)
    if cls is not None and built_in_method(cls, tree.attr) is not None:
        method = gast.Attribute(name(specializer.external(cls)), tree.attr, gast.Load())
        return bound(specializer, method, [tree.value], [], to)
    if not isinstance(owner, Instance):
        return None
    static = inspect.getattr_static(owner.cls, tree.attr, None)
    if not isinstance(static, types.FunctionType) or _hides(specializer, owner, tree.attr, static):
        return None
    cls = next(c for c in owner.cls.__mro__ if tree.attr in vars(c))
    method = gast.Attribute(name(specializer.external(cls)), tree.attr, gast.Load())
    return bound(specializer, method, [tree.value], [], to)


def method_call(
    specializer: Specializer, tree: Expr, kind: Kind, to: str | None
) -> list[Any] | None:
    """Write the call of a method that is bound to an object as one of the plain function, on the object."""
    found = kind.value if isinstance(kind, Function) else None
    if not isinstance(found, types.MethodType) or isinstance(found.__self__, type):
        return None
    if find_written(found) is not None:
        return None  # it is written out for this object
    plain = reference(specializer, Function(found.__func__))
    if plain is None:
        return None
    owner = specializer.names.fresh("owner")
    call = gast.Call(plain, [name(owner), *tree.args], tree.keywords)
    taken = assign(owner, gast.Attribute(tree.func, "__self__", gast.Load()))
    return [taken, gast.Expr(call) if to is None else assign(to, call)]


def built_in_method_call(
    specializer: Specializer, tree: Expr, kind: Kind, to: str | None
) -> list[Any] | None:
    """Write `dict.get(d, k)`, by whatever name the method goes, as `d.get(k)`."""
    known = kind.value if isinstance(kind, Function) else specializer.function.resolve(tree.func)
    found = method_of_built_in(known)
    if found is None or not tree.args or type(tree.args[0]) is gast.Starred:
        return None
    method = gast.Attribute(tree.args[0], found, gast.Load())
    call = gast.Call(method, tree.args[1:], tree.keywords)
    return [gast.Expr(call) if to is None else assign(to, call)]


def held_function(specializer: Specializer, tree: Expr, owner: Kind) -> bool:
    """Whether an attribute that is called is a function, or a callable object, that the object holds."""
    if isinstance(owner, Tuple):
        return tree.attr in getattr(owner.cls, "_fields", ())
    if not isinstance(owner, Instance):
        return False
    static = inspect.getattr_static(owner.cls, tree.attr, None)
    if isinstance(static, METHODS) and not _hides(specializer, owner, tree.attr, static):
        return False
    kind = specializer.kind(tree)
    return isinstance(kind, (Function, Functions, Instance)) or is_bound(kind)


def _hides(specializer: Specializer, owner: Instance, attribute: str, static: Any) -> bool:
    """Whether objects hold an attribute of their own where their class has one, such as a default.

    Members of an enumeration, into which nothing is stored, hold none.
    """
    slots = [specializer.facts.heap.get(region, {}) for region in owner.regions]
    own = bool(slots) and all(attribute in held for held in slots)
    return own and not hasattr(type(static), "__set__")


def bound(
    specializer: Specializer, function: Any, values: list[Any], keys: list[str], to: str
) -> list[Any]:
    """Write a function with values of its own, the last of them by keyword."""
    v = specializer.names.fresh("v")
    labels = gast.Tuple([const(key) for key in keys], gast.Load())
    call = quote_expression("b(f, v, k)", b=specializer.external(Bound), f=function, v=v, k=labels)
    return [assign(v, gast.Tuple(values, gast.Load())), assign(to, call)]


def partial_call(specializer: Specializer, tree: Expr, to: str) -> list[Any] | None:
    """Write `functools.partial(f, a, k=b)`."""
    starred = any(type(a) is gast.Starred for a in tree.args)
    if starred or not tree.args or any(k.arg is None for k in tree.keywords):
        return None
    values = [*tree.args[1:], *(k.value for k in tree.keywords)]
    return bound(specializer, tree.args[0], values, [k.arg for k in tree.keywords], to)


def call_of_bound(
    specializer: Specializer, tree: Expr, kind: Tuple, to: str | None
) -> list[Any] | None:
    """Write a call of a function with values of its own."""
    function, values, keys = kind.items
    if not isinstance(values, Tuple) or not isinstance(keys, Tuple):
        return None
    labels = [getattr(key, "value", None) for key in keys.items]
    if None in labels or any(type(a) is gast.Starred for a in tree.args):
        return None
    if any(k.arg is None for k in tree.keywords):
        return None
    f, v = specializer.names.fresh("f"), specializer.names.fresh("v")
    made = [
        assign(f, gast.Attribute(tree.func, "function", gast.Load())),
        assign(v, gast.Attribute(tree.func, "values", gast.Load())),
    ]
    first = len(values.items) - len(labels)
    given = {k.arg for k in tree.keywords}
    given |= set(_positional(specializer, function)[: first + len(tree.args)])
    arguments: list[Any] = []
    keywords = list(tree.keywords)
    for i, label in enumerate([None] * first + labels):
        if label in given:
            continue
        item = specializer.names.fresh(label or "v")
        made.append(assign(item, gast.Subscript(name(v), const(i), gast.Load())))
        if label is None:
            arguments.append(name(item))
        else:
            keywords.append(gast.keyword(label, name(item)))
    call = gast.Call(name(f), [*arguments, *tree.args], keywords)
    return [*made, gast.Expr(call) if to is None else assign(to, call)]


def call_of_partial(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Any] | None:
    """Write a call of a `functools.partial` outside as one of its function."""
    if not isinstance(found, functools.partial):
        return None
    function = reference(specializer, Function(found.func))
    if function is None:
        return None
    own, own_keys = values_of_partial(tree.func, found)
    own_keys = {
        k: v for k, v in own_keys.items() if k not in {given.arg for given in tree.keywords}
    }
    keys = [specializer.names.fresh(label) for label in [*["v"] * len(own), *own_keys]]
    made = [assign(key, v) for key, v in zip(keys, [*own, *own_keys.values()], strict=True)]
    held = list(map(name, keys))
    named = [gast.keyword(k, v) for k, v in zip(own_keys, held[len(own) :], strict=True)]
    call = gast.Call(function, [*held[: len(own)], *tree.args], [*named, *tree.keywords])
    return [*made, gast.Expr(call) if to is None else assign(to, call)]


def _positional(specializer: Specializer, kind: Kind) -> list[str]:
    """Return the names of the parameters that a call may give by position."""
    value = kind.value if isinstance(kind, Function) else None
    core = value if isinstance(value, CoreFunction) else None
    program = specializer.interpreter.program
    if type(value) is gast.FunctionDef:
        core = program.cores[value]
    elif isinstance(value, types.FunctionType):
        try:
            core = program.core(value)
        except TapelessError:
            return []
    if core is None:
        return []
    a = core.tree.args
    return [p.id for p in [*a.posonlyargs, *a.args] if p.id not in core.captured]


def returned_closure(specializer: Specializer, s: Stmt) -> list[Any] | None:
    """Let a local function that is returned take along what it captures.

    The call that defines it is over: what it captures keeps the value that it has now.
    """
    kind = specializer.kind(s.value)
    if _capturing(kind) is None:
        return None
    made, closed = _closed(specializer, s.value, kind)
    return None if closed is None else [*made, gast.Return(closed)]


def brings_closures(facts: Facts) -> bool:
    """Whether a function meets local functions, its own or others', that could be kept."""
    return any(f.captured and f.settled for _, v in facts.met for f in functions_in(v.kind))


def kept_closures(specializer: Specializer, s: Stmt) -> list[Any] | None:
    """Let local functions that leave in a slot or a display take along what they capture.

    What they capture is bound once and for all, so that it may be asked now.
    """
    value: Any = getattr(s, "value", None)
    made: list[Any] = []
    place: Any = s.targets[0] if type(s) is gast.Assign else None
    if type(place) in SLOTS:
        value = _kept(specializer, value, made)
    elif type(value) in DISPLAYS and type(place) is gast.Name and _leaves(specializer, place.id):
        value = type(value)([_kept(specializer, v, made) for v in value.elts], gast.Load())
    elif (
        type(value) is gast.Dict
        and type(place) is gast.Name
        and (_leaves(specializer, place.id) or _is_gone_through(specializer, place.id))
    ):
        value = gast.Dict(value.keys, [_kept(specializer, v, made) for v in value.values])
    elif type(place) is gast.Name and _makes_named_tuple(specializer, value):
        args = [_kept(specializer, v, made) for v in value.args]
        named = [gast.keyword(k.arg, _kept(specializer, k.value, made)) for k in value.keywords]
        value = gast.Call(value.func, args, named)
    elif type(value) is gast.Call and s in specializer.facts.callees:
        first = _count_before_rest(specializer.facts.callees[s].function)
        rest = [] if first is None else [_kept(specializer, v, made) for v in value.args[first:]]
        value = gast.Call(value.func, [*value.args[:first], *rest], value.keywords)
    elif type(value) is gast.Call and type(value.func) is gast.Attribute:
        owner = value.func.value
        if isinstance(specializer.kind(owner), (List, Dict)) and _leaves(specializer, owner.id):
            args = [_kept(specializer, v, made) for v in value.args]
            value = gast.Call(value.func, args, value.keywords)
    if not made:
        return None
    return [*made, gast.Expr(value) if place is None else gast.Assign([place], value, None)]


def _count_before_rest(function: CoreFunction) -> int | None:
    """Return how many arguments come before those that `*rest` receives; None where it receives none."""
    a = function.tree.args
    own = [p for p in [*a.posonlyargs, *a.args] if p.id not in function.captured]
    return None if a.vararg is None else len(own)


def _kept(specializer: Specializer, tree: Expr, made: list[Any]) -> Any:
    kind = specializer.kind(tree) if type(tree) is gast.Name else Kind()
    function = _capturing(kind)
    if function is None or not function.settled:
        return tree
    first, value = _closed(specializer, tree, kind)
    made.extend([] if value is None else first)
    return tree if value is None else value


def _makes_named_tuple(specializer: Specializer, tree: Expr) -> bool:
    """Whether a call makes a named tuple of the user's: a function with values of its own is called."""
    found = specializer.facts.object_called(tree) if type(tree) is gast.Call else None
    if not isinstance(found, type) or issubclass(found, Bound):
        return False
    return issubclass(found, tuple) and hasattr(found, "_fields")


def _leaves(specializer: Specializer, key: str) -> bool:
    """Whether what a name holds may come to where the names of this function mean nothing."""
    parts = _own_parts(specializer, key)
    inside = {id(p.value) for p in parts if type(p) in SLOTS}
    inside |= {id(p.iter) for p in parts if type(p) is gast.For}
    found = [p for p in parts if type(p) is gast.Name and p.id == key and id(p) not in inside]
    return key in specializer.function.parameters or any(type(p.ctx) is gast.Load for p in found)


def _is_gone_through(specializer: Specializer, key: str) -> bool:
    """Whether items of a dict are taken otherwise than by a key."""
    parts = _own_parts(specializer, key)
    plain = {id(p.value) for p in parts if type(p) is gast.Subscript}
    named = [p for p in parts if type(p) is gast.Name and p.id == key]
    return any(type(p.ctx) is gast.Load and id(p) not in plain for p in named)


def _own_parts(specializer: Specializer, key: str) -> list[Any]:
    """List the parts of a function where a name is its own, and not that of a function within."""
    tree = specializer.function.tree
    return nodes(tree, nested=key in captured_names(tree))


def _closed(
    specializer: Specializer, tree: Expr, kind: Kind, around: tuple[Function, ...] = ()
) -> tuple[list[Any], Any]:
    """Write a local function with what it captures, beside the values of its own that it has already.

    `around` are the functions that capture it.
    """
    function = _capturing(kind)
    found = None if function is None else _values_captured(specializer, function, around)
    if found is None or function is None:
        return [], None
    made, values = found
    labels = list(specializer.interpreter.program.cores[function.value].captured)
    if function is not kind:
        held, labels = _values_held(tree, kind, labels)
        made, values = [*made], [*held, *values]
        tree = gast.Attribute(tree, "function", gast.Load())
    f, to = specializer.names.fresh("f"), specializer.names.fresh("closure")
    made.append(assign(f, quote_expression("f(g)", f=specializer.external(lifted), g=tree)))
    made += bound(specializer, name(f), values, labels, to)
    return made, name(to)


def _values_held(tree: Expr, kind: Any, labels: list[str]) -> tuple[list[Any], list[str]]:
    """Return the values of its own that a function has, and the labels of these and of others."""
    _, values, keys = kind.items
    held = [quote_expression("f.values[i]", f=tree, i=const(i)) for i in range(len(values.items))]
    return held, [*(key.value for key in keys.items), *labels]


def _values_captured(
    specializer: Specializer, kind: Function, around: tuple[Function, ...]
) -> tuple[list[Any], list[Any]] | None:
    """Return what a local function captures, and the statements that make it; None if it may call itself."""
    around = (*around, kind)
    made: list[Any] = []
    values: list[Any] = []
    env = specializer.env or {}
    for captured in kind.captured:
        if captured not in env:
            return None
        inner = env[captured].kind
        value: Any = name(captured)
        if isinstance(inner, Function) and inner.captured:
            if inner in around:
                return None
            first, value = _closed(specializer, value, inner, around)
            if value is None:
                return None
            made += first
        values.append(value)
    return made, values


def _capturing(kind: Kind) -> Function | None:
    """Return the local function that a value is, perhaps with values of its own, if it captures anything."""
    if is_bound(kind):
        kind, values, keys = kind.items
        if not isinstance(values, Tuple) or not isinstance(keys, Tuple):
            return None
        if any(getattr(key, "value", None) is None for key in keys.items):
            return None
    if not isinstance(kind, Function) or not kind.captured:
        return None
    decorated = type(kind.value) is gast.FunctionDef and kind.value.decorator_list
    return None if decorated else kind
