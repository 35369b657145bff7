"""Construction: what a call of a class makes.

A named tuple is a tuple; an object is a region, whose slots its `__init__` fills. For a dataclass the
`__init__` that nobody wrote fills them from the arguments.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, any_slot, join_all
from tapeless.analysis.function_values import Made
from tapeless.analysis.inert import kind_of_class
from tapeless.analysis.interpret.attributes import store_attribute
from tapeless.analysis.interpret.binding import is_rest
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.callbacks import (
    callbacks_in,
    changed_by_callbacks,
    core_of,
)
from tapeless.analysis.interpret.closures import (
    closes_over_varied,
    unknown_result,
)
from tapeless.analysis.interpret.containers import copied_items
from tapeless.analysis.interpret.copying import dict_of
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.summaries import call_core
from tapeless.analysis.interpret.unseen import note_unseen
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.analysis.keys import AnyKey
from tapeless.analysis.tuples import tuple_of
from tapeless.details import FIXED
from tapeless.externals import package_of
from tapeless.kinds import (
    UNKNOWN,
    UNREACHED,
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    Iterator,
    Kind,
    List,
    Memory,
    Number,
    Opaque,
    Real,
    Sequence,
    Tuple,
    functions_in,
    regions_of,
)
from tapeless.normalize.dataclass_constructors import (
    fields_passed,
    has_generated_init,
    runs_code,
)
from tapeless.runtime import AdjointMemory
from tapeless.sorts import PLAIN_DEFAULTS, is_namespace, is_of_a_library
from tapeless.tree.names import all_names
from tapeless.tree.trees import Expr, Stmt
from tapeless.variables import is_variable


def construct(interpreter: Interpreter, cls: type, site: CallSite) -> Value:
    """Interpret the call of a class."""
    tree, values, given = site.tree, site.values, site.given
    if cls is AdjointMemory:
        return Value(Memory())
    if is_variable(cls):
        reason = "a Variable is made in a function that is differentiated"
        interpreter.refuse(tree, reason, "make it outside")
    holds = cls.__module__ != "builtins" or cls in (list, tuple, dict)
    spread = site.is_starred and not _passes_rest(interpreter, cls, site)
    if spread and _is_written_in_python(cls):
        return _filled_later(interpreter, cls, site)
    if holds and spread:
        note_unseen(interpreter, given)  # what it holds is not known before the call is written out
        return unknown_result(interpreter, given)
    if issubclass(cls, enum.Enum):
        return item_of(interpreter, Value(Function(cls)), UNKNOWN, tree)  # one of its members
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(interpreter, cls, site)
    varied = any(interpreter.is_varied(v) or closes_over_varied(interpreter, v.kind) for v in given)
    if issubclass(cls, BaseException):
        return Value(Opaque(cls=cls))
    if cls in (list, tuple) and len(values) == 1 and not _is_opaque(values[0].kind):
        return copied_items(interpreter, cls, values[0], tree)
    pairs = [v.kind for v in values]
    if cls in (dict, OrderedDict) and all(
        isinstance(k, (Dict, List, Sequence, Tuple)) for k in pairs
    ):
        return dict_of(interpreter, site)
    if cls is defaultdict and plain_default(pairs) is not None and not site.named:
        return _with_default(interpreter, plain_default(pairs), tree)
    if cls is Counter and not any(map(interpreter.holds_varied, given)):
        return _counter(interpreter, site)
    if cls in (set, frozenset) and pairs and all(isinstance(k, Dict) for k in pairs):
        return Value(kind_of_class(cls))  # its keys: what varies is no key
    if cls in (map, filter):
        _refuse_kept_changes(interpreter, cls, given, tree)
    if cls.__module__ == "builtins":
        known = not varied and cls not in (list, tuple, dict)
        return Value(kind_of_class(cls) if known else UNKNOWN, varied)
    if package_of(cls) in ("numpy", "scipy"):
        _refuse_kept_changes(interpreter, cls, given, tree)
        callbacks = tuple(v.kind for v in given if callbacks_in(interpreter, v.kind))
        known = inspect.isfunction(inspect.getattr_static(cls, "__call__", None)) and not varied
        # its code is not entered
        return Value(Function(Made(cls, callbacks)) if known else UNKNOWN, varied)
    return _instance(interpreter, cls, site, varied)


def _passes_rest(interpreter: Interpreter, cls: type, site: CallSite) -> bool:
    """Whether a starred argument is what `*args` of an `__init__` holds."""
    init = inspect.getattr_static(cls, "__init__", None)
    known = _is_written_in_python(cls) and not has_generated_init(cls)
    core = core_of(interpreter, Function(init)) if known else None
    if core is None or core.tree.args.vararg is None:
        return False
    a = core.tree.args
    own = [p for p in [*a.posonlyargs, *a.args] if p.id not in core.captured]
    return is_rest(site.arguments, len(own) - 1)


def _filled_later(interpreter: Interpreter, cls: type, site: CallSite) -> Value:
    """Interpret a construction of which it is not known how many arguments a star passes.

    It is written out later; what stands as it is until the end is refused where it is reversed.
    """
    made = uninitialized_object(interpreter, cls, site.tree)
    varied = any(map(interpreter.is_varied, site.given)) or any(
        map(interpreter.holds_varied, site.given)
    )
    if varied:
        interpreter.varied |= regions_of(made.kind)
    return Value(made.kind, varied)


def _is_written_in_python(cls: type) -> bool:
    """Whether objects of a class are no others than those that its `__init__`, in Python, fills."""
    built_in = issubclass(cls, (tuple, list, dict, BaseException, np.ndarray, enum.Enum))
    init = inspect.getattr_static(cls, "__init__", None)
    return not built_in and isinstance(init, types.FunctionType) and not is_of_a_library(cls)


def plain_default(given: list[Kind]) -> Any:
    """Return the factory that alone is given to a default dict, if that is a plain one; None otherwise."""
    factory = given[0].value if len(given) == 1 and isinstance(given[0], Function) else None
    return factory if factory in PLAIN_DEFAULTS else None


def _counter(interpreter: Interpreter, site: CallSite) -> Value:
    """Return a counter of whatever it is given, with 0 for the rest."""
    region, point = interpreter.fresh(site.tree), interpreter.point(site.tree)
    tables = [regions_of(v.kind) for v in site.values if isinstance(v.kind, Dict)]
    held = [any_slot(interpreter.heap, regions, point) for regions in tables]
    counts = [Value(Integer()), *held, *site.named.values()]
    interpreter.put(region, "?", join_all(counts, point))
    return Value(Dict(region, counts=True))


def _with_default(interpreter: Interpreter, factory: Any, tree: Expr) -> Value:
    """Return an empty dict in which an entry that is missing is what a factory makes."""
    [region] = interpreter.fresh(tree)
    inner = (*region[:-1], (region[-1], "default"))
    own = frozenset([inner])
    made: dict[Any, Kind] = {list: List(own), dict: Dict(own), float: Real(), int: Integer()}
    interpreter.heap.setdefault(region, {})
    if factory in (list, dict):
        interpreter.heap.setdefault(inner, {})
    interpreter.put(frozenset([region]), AnyKey(UNREACHED), Value(made[factory]))
    return Value(Dict(frozenset([region]), fills_gaps=True))


def _instance(interpreter: Interpreter, cls: type, site: CallSite, varied: bool) -> Value:
    """Interpret the construction of an object: its `__init__` fills the slots."""
    made = uninitialized_object(interpreter, cls, site.tree)
    filling = site.of(Argument(None, made))
    if dataclasses.is_dataclass(cls) and has_generated_init(cls):
        keeps_closures = any(f.captured for v in site.given for f in functions_in(v.kind))
        if runs_code(cls) or keeps_closures:  # what is captured is handed on with the function
            passed = fields_passed(cls, len(site.arguments), set(site.named))
            core = interpreter.program.constructor(cls, passed)
            call_core(interpreter, interpreter.program.initializing(core), filling)
        else:
            _fill_fields(interpreter, cls, made, site)
    else:
        interpreter.program.methods.add((cls, "__init__"))
        init = inspect.getattr_static(cls, "__init__", None)
        if isinstance(init, types.FunctionType):
            call_function(interpreter, init, filling, uninitialized=True)
        elif is_namespace(cls):
            for key, value in site.named.items():  # until the stores are written out
                store_attribute(interpreter, made, key, value)
        elif varied:  # what it does with it is not seen
            interpreter.varied |= regions_of(made.kind)
            return Value(made.kind, True)
    return Value(made.kind, any(v.varied for v in site.given))


def _refuse_kept_changes(
    interpreter: Interpreter, cls: type, given: list[Value], tree: Expr
) -> None:
    """Refuse an object that keeps a function which changes what is outside it, to call it later.

    Of an object of a library the calls are seen, and what they change is known but for what is captured.
    """
    later = cls in (map, filter)
    for function in (f for v in given for f in functions_in(v.kind)):
        if (function.captured or later) and changed_by_callbacks(interpreter, [Value(function)]):
            label = getattr(
                function.value, "name", getattr(function.value, "__name__", "a function")
            )
            interpreter.refuse(
                tree,
                f"`{cls.__name__}` keeps '{label}', which changes what is outside it, and may call "
                "it unseen",
                f"let '{label}' return what it finds, and store that where it is called",
            )


def _named_tuple(interpreter: Interpreter, cls: Any, site: CallSite) -> Value:
    bound = dict(zip(cls._fields, site.values, strict=False)) | site.named
    for f in set(cls._field_defaults) - set(bound):
        region = ("default", cls.__qualname__, f)
        bound[f] = Value(interpreter.abstract(cls._field_defaults[f], region, FIXED))
    return tuple_of((bound.get(f, NOTHING) for f in cls._fields), cls)


def uninitialized_object(interpreter: Interpreter, cls: type, tree: Expr) -> Value:
    """Interpret `cls.__new__(cls)`: an object that has no attribute yet."""
    made = Value(Instance(cls, interpreter.fresh(tree)))
    interpreter.heap.setdefault(next(iter(regions_of(made.kind))), {})
    return made


def still_uninitialized(interpreter: Interpreter, statement: Stmt) -> str | None:
    """Return the name of an object that surely has no attribute yet after a statement."""
    if type(statement) is gast.Assign and type(statement.targets[0]) is gast.Name:
        made = statement.value
        if type(made) is gast.Call:
            if interpreter.function.resolve(made.func) is object.__new__:
                return str(statement.targets[0].id)
    touched = interpreter.uninitialized is not None and interpreter.uninitialized in all_names(
        statement
    )
    return None if touched else interpreter.uninitialized


def _fill_fields(interpreter: Interpreter, cls: Any, made: Value, site: CallSite) -> None:
    """Interpret the `__init__` of a dataclass that nobody wrote."""
    names = [f.name for f in dataclasses.fields(cls) if f.init]
    bound = dict(zip(names, site.values, strict=False)) | site.named
    for f in dataclasses.fields(cls):
        value = bound.get(f.name)
        if value is None:
            value = _value_of_default(interpreter, cls, f, site.tree)
        if value.varied:
            interpreter.varied |= regions_of(made.kind)
        if value is not NOTHING:
            interpreter.put(regions_of(made.kind), f.name, value)


def _value_of_default(interpreter: Interpreter, cls: Any, f: Any, tree: Expr) -> Value:
    """Return what is known of a field that a call does not pass."""
    if f.default is not dataclasses.MISSING:
        held = interpreter.abstract(f.default, ("default", cls.__qualname__, f.name), FIXED)
        return Value(held)
    if f.default_factory is dataclasses.MISSING:
        return NOTHING
    if f.default_factory not in (list, dict):
        return Value(UNKNOWN)
    [region] = interpreter.fresh(tree)
    own = frozenset([(*region[:-1], (region[-1], f.name))])
    interpreter.heap.setdefault(next(iter(own)), {})
    return Value(List(own) if f.default_factory is list else Dict(own))


def _is_opaque(kind: Kind) -> bool:
    """Whether the items of a thing are not known."""
    known = Array | Number | Tuple | Sequence | List | Dict | Inert | Iterator
    return not isinstance(kind, known)
