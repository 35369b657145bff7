"""Attributes: of objects, of named tuples, of arrays; properties, and hooks.

An attribute of an object is a slot of its region. A property is a call of its function. Any other code
that Python runs instead of a look-up or a store is a hook: it is not followed, and refused where what
varies would pass through it.
"""

from __future__ import annotations

import enum
import functools
import inspect
import types
from typing import Any, NoReturn

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, join_all, join_values, taken_out
from tapeless.analysis.asked_attributes import (
    asks_for_attributes,
    is_asked_for,
    sets_at_construction,
)
from tapeless.analysis.facts import Environment
from tapeless.analysis.function_values import Made, built_in_class, built_in_method
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.class_values import (
    class_of,
    classes_of_number,
    held_by_class,
    held_now,
    holder_set_in_texts,
    keep_what_class_holds,
    regions_stored,
    show_what_class_holds,
)
from tapeless.analysis.interpret.containers import refuse_memory
from tapeless.analysis.interpret.items import in_slot, item_of
from tapeless.analysis.interpret.sparse import sparse_attribute
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.unseen import part_of_unknown
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.analysis.interpret.variables import as_value
from tapeless.details import FIXED, Outside
from tapeless.externals import MISSING
from tapeless.joins import as_array
from tapeless.kinds import (
    INTEGER_LIMITS,
    REAL_LIMITS,
    UNKNOWN,
    UNREACHED,
    Dict,
    Dtype,
    Function,
    Functions,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Member,
    Opaque,
    Real,
    Sparse,
    Tuple,
    is_number,
    regions_of,
)
from tapeless.normalize.kept_properties import getter_of, keeps_in
from tapeless.origins import is_of_the_tool
from tapeless.ranks import dtype_of
from tapeless.regions import UNSEEN
from tapeless.rules.results.call import Call
from tapeless.rules.results.of_calls import kind_of_call
from tapeless.runtime import AdjointRecord, Bound
from tapeless.sorts import is_of_a_library, overrides, stores_by_code
from tapeless.tree.trees import Expr
from tapeless.variables import is_variable

# What objects of these classes hold around a function stays as it was given.
_HELD_AROUND: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (functools.partial, ("args", "keywords")),
    (types.BuiltinMethodType, ("__self__",)),
    (types.MethodType, ("__self__",)),
    (np.vectorize, ("pyfunc", "signature", "excluded", "otypes")),
)


def attribute_of(interpreter: Interpreter, tree: Expr, env: Environment) -> Value:
    """Interpret `x.name`, whatever `x` is."""
    found = interpreter.function.resolve(tree)
    if found is not MISSING:
        return interpreter.external(tree, gast.dump(tree))
    owner = interpreter.eval(tree.value, env)
    if is_variable(owner.kind) and tree.attr in ("name", "trainable"):
        return Value(Inert(tree.attr))
    if is_variable(owner.kind) and tree.attr != "value":
        owner = as_value(interpreter, owner)
    kind = owner.kind
    holder = holder_set_in_texts(kind, tree.attr)
    if holder is not None:
        return held_now(interpreter, holder, tree.attr, interpreter.point(tree))
    if isinstance(kind, Instance):
        read = [
            attribute_of_instance(interpreter, Value(each, owner.varied), each, tree)
            for each in kind.alternatives
        ]
        return join_all(read, interpreter.point(tree))
    told = _attribute_of_named_tuple(interpreter, owner, tree) if isinstance(kind, Tuple) else None
    if told is not None:
        return told
    if isinstance(kind, Member) and all(hasattr(each, tree.attr) for each in kind.cls):  # type: ignore[attr-defined]
        return _attribute_of_member(interpreter, kind.cls, tree)
    if isinstance(kind, Sparse):
        return sparse_attribute(interpreter, owner, tree)
    if tree.attr in ("shape", "ndim", "size", "T", "mT", "real", "imag", "flat"):
        call = Call([as_array(kind)], {}, interpreter.point(tree), interpreter.fresh(tree))
        made = kind_of_call(getattr(np.ndarray, tree.attr), "general", call)
        return Value(made, interpreter.is_varied(owner) and tree.attr not in ("shape", "ndim"))
    if kind in (REAL_LIMITS, INTEGER_LIMITS):
        return Value(Real() if kind == REAL_LIMITS else Integer())
    if is_number(kind):
        return _attribute_of_number(interpreter, owner, tree.attr)
    told = _attribute_of_function(interpreter, kind, tree) if isinstance(kind, Function) else None
    if told is not None:
        return told
    cls = built_in_class(kind)
    method = None if cls is None else built_in_method(cls, tree.attr)
    if method is not None:
        taken = Tuple((Function(method), Tuple((kind,)), Tuple(())), Bound)
        return Value(taken, interpreter.holds_varied(owner))  # it is spelled out as this
    if isinstance(kind, (List, Dict, Tuple)) and interpreter.holds_varied(owner):
        _refuse_unseen_attribute(interpreter, kind, tree)
    known = isinstance(kind, Inert) and kind.what != "module" and not isinstance(kind, Opaque)
    return Value(Inert() if known else part_of_unknown(interpreter, kind), owner.varied)


def _attribute_of_named_tuple(interpreter: Interpreter, owner: Value, tree: Expr) -> Value | None:
    """Interpret a field or property of a named tuple; None for what all tuples have."""
    cls: Any = owner.kind.cls  # type: ignore[attr-defined]
    fields = getattr(cls, "_fields", None)
    if fields is None:
        return None
    if tree.attr in fields:
        return item_of(interpreter, owner, Integer(fields.index(tree.attr)), tree)
    if isinstance(inspect.getattr_static(cls, tree.attr, None), property):
        return Value(UNKNOWN, owner.varied)  # it is spelled out as a call
    named = tree.attr == "_fields"
    return Value(interpreter.abstract(fields, ("external", id(fields)), FIXED)) if named else None


def _attribute_of_number(interpreter: Interpreter, owner: Value, attribute: str) -> Value:
    """Interpret an attribute of a number or array that is not computed from its entries."""
    if attribute in _INERT_OF_ARRAYS:
        code = dtype_of(owner.kind)
        return Value(Dtype(code=code) if attribute == "dtype" else Inert(attribute))
    classes = classes_of_number(owner.kind) if attribute == "__class__" else ()
    if classes:
        return Value(Functions(frozenset(map(Function, classes))))
    return Value(UNKNOWN, interpreter.is_varied(owner))


def _attribute_of_function(interpreter: Interpreter, kind: Function, tree: Expr) -> Value | None:
    """Interpret an attribute of a class, or of what holds a function; None for what all functions have."""
    if _lacks(interpreter, kind, tree.attr):
        return Value(UNREACHED)  # an AttributeError is raised
    around = kind.value
    if tree.attr == "__name__" and kind.is_told_by_identity:
        places = frozenset([Outside.of(around, tree.attr)])
        return Value(interpreter.abstract(around.__name__, ("external", id(around)), places))
    held = (
        inspect.getattr_static(around, tree.attr, MISSING) if isinstance(around, type) else MISSING
    )
    if not (held is MISSING or callable(held) or hasattr(type(held), "__get__")):
        return interpreter.known_outside(held, tree, f"{id(around)}.{tree.attr}")
    if isinstance(around, Made) and around.cls is np.vectorize and around.callbacks:
        if tree.attr == "pyfunc":
            return Value(around.callbacks[0])
    if any(isinstance(around, cls) and tree.attr in names for cls, names in _HELD_AROUND):
        given = getattr(around, tree.attr)
        return Value(interpreter.abstract(given, ("external", id(given))))
    return None


def _lacks(interpreter: Interpreter, kind: Function, attribute: str) -> bool:
    """Whether a function known outside has no such attribute, and gets none here."""
    known = kind.is_told_by_identity and UNSEEN not in interpreter.stored
    return known and not hasattr(kind.value, attribute)


def _attribute_of_member(interpreter: Interpreter, cls: Any, tree: Expr) -> Value:
    """Interpret an attribute of one of the members of an enumeration."""
    held = [getattr(each, tree.attr) for each in cls]
    read = [Value(interpreter.abstract(v, ("external", id(v)))) for v in held]
    return join_all(read, interpreter.point(tree))


def _is_of_members(cls: Any, attribute: str) -> bool:
    """Whether a class is an enumeration all members of which have an attribute."""
    return issubclass(cls, enum.Enum) and all(hasattr(each, attribute) for each in cls)


def _refuse_unseen_attribute(interpreter: Interpreter, kind: Kind, tree: Expr) -> None:
    """Refuse an attribute that a class derived from a list, dict or tuple adds to what varies."""
    what, plain = {List: ("a list", list), Dict: ("a dict", dict)}.get(
        type(kind), ("a tuple", tuple)
    )
    if hasattr(kind.cls if isinstance(kind, Tuple) else plain, tree.attr):
        return
    fix = f'write `["{tree.attr}"]`' if isinstance(kind, Dict) else "take the numbers out by index"
    interpreter.refuse(tree, f"`.{tree.attr}` of {what} that varies is not followed", fix)


def attribute_of_instance(
    interpreter: Interpreter, owner: Value, kind: Instance, tree: Expr
) -> Value:
    """Interpret an attribute of an object: a slot, a property, or what its class holds."""
    if tree.attr == "__dict__":
        refuse_attributes_by_key(interpreter, owner)
    asked = class_of(kind) if tree.attr == "__class__" else None
    if asked is not None:
        return asked
    static = inspect.getattr_static(kind.cls, tree.attr, MISSING)
    if isinstance(static, enum.property) and static.fget.__module__ == "enum":
        return _attribute_of_member(interpreter, kind.cls, tree)
    if static is MISSING and _is_of_members(kind.cls, tree.attr):
        return _attribute_of_member(interpreter, kind.cls, tree)
    if _is_said_by_code(interpreter, owner, kind, static, tree):
        return Value(UNKNOWN)
    getter = getter_of(static)
    if getter is not None and not is_variable(kind) and keeps_in(interpreter.function) != tree.attr:
        interpreter.program.methods.add((kind.cls, tree.attr))
        return call_function(interpreter, getter, CallSite(tree, (Argument(tree.value, owner),)))
    found, of_class = NOTHING, False
    for region in sorted(kind.regions, key=repr):
        slots = interpreter.heap.get(region, {})
        if tree.attr in slots:
            found = join_values(found, slots[tree.attr], interpreter.point(tree))
        else:
            of_class = static is not MISSING
    if found is not NOTHING:
        if static is MISSING:
            _refuse_asked_perhaps(interpreter, owner, kind, tree)
        if of_class:
            shared = held_by_class(interpreter, owner, kind, tree.attr, static)
            found = join_values(found, shared, interpreter.point(tree))
        # other attributes of the object may vary where this one does not
        return taken_out(found, interpreter.point(tree))
    if getter is not None and kind.regions and kind.regions <= interpreter.heap.keys():
        return NOTHING  # what it keeps is asked for where it is set, and it was never set
    interpreter.program.methods.add((kind.cls, tree.attr))
    if kind.cls is AdjointRecord:
        return Value(Real())
    if static is MISSING and is_of_a_library(kind.cls):
        return Value(UNKNOWN)  # its attributes are not looked at
    if is_asked_for(interpreter.heap, kind, tree.attr):
        interpreter.program.asked.add((kind.cls, tree.attr))
        return Value(UNKNOWN, interpreter.holds_varied(owner))  # it is spelled out as a call
    if static is MISSING:
        hook = "__getattr__" if hasattr(kind.cls, "__getattr__") else None
        refuse_hidden_code(interpreter, owner, hook, tree.attr)
        return NOTHING if hook is None else Value(UNKNOWN)
    return held_by_class(interpreter, owner, kind, tree.attr, static)


def _is_said_by_code(
    interpreter: Interpreter, owner: Value, kind: Instance, static: Any, tree: Expr
) -> bool:
    """Whether a `__getattribute__` of the user's says what an attribute is; refused where that may vary."""
    hook = reading_hook(kind.cls, static)
    refuse_hidden_code(interpreter, owner, hook, tree.attr)
    return hook == "__getattribute__" and built_in_base(kind.cls) is None


def _refuse_asked_perhaps(
    interpreter: Interpreter, owner: Value, kind: Instance, tree: Expr
) -> None:
    """Refuse an attribute that `__getattr__` may be asked for where it is not set yet, or no longer."""
    if not asks_for_attributes(kind.cls):
        return
    program = interpreter.program
    gone = tree.attr in program.taken_away or (kind.cls, tree.attr) in program.asked
    if (gone or not sets_at_construction(kind.cls, tree.attr)) and interpreter.holds_varied(owner):
        _refuse_set_and_asked(interpreter, kind.cls, tree.attr)


def _refuse_set_and_asked(interpreter: Interpreter, cls: type, attribute: str) -> NoReturn:
    interpreter.refuse_here(
        f"`.{attribute}` of {cls.__name__} is found where it is set, and elsewhere `__getattr__` is asked: "
        "which of them is not known here",
        "set it in `__init__`, or leave it to `__getattr__`",
    )


def store_attribute(
    interpreter: Interpreter, owner: Value, attribute: str, value: Value, plainly: bool = False
) -> None:
    """Interpret `x.name = value`, or one past the `__setattr__` of the class.

    One that the class has in Python is spelled out as a call of it; until then it is taken for a plain
    store.
    """
    if isinstance(owner.kind, (List, Dict, Tuple)) and value.varied:
        interpreter.refuse_here(
            f"`.{attribute}` of a list, dict or tuple is not followed", "store it into an item"
        )
    for each in owner.kind.alternatives if isinstance(owner.kind, Instance) else []:
        if _has_setter(each.cls, attribute):
            return  # it is spelled out as a call of the setter
        if (each.cls, attribute) in interpreter.program.asked:
            _refuse_set_and_asked(interpreter, each.cls, attribute)
        hook = storing_hook(each.cls, attribute, plainly)
        refuse_hidden_code(interpreter, Value(each, owner.varied), hook, attribute, value.varied)
    regions = regions_stored(interpreter, owner.kind, attribute)
    interpreter.stored |= regions or {UNSEEN}
    if value.varied:
        interpreter.varied |= regions
    adjoint = isinstance(owner.kind, Instance) and owner.kind.cls is AdjointRecord
    for each in owner.kind.alternatives if isinstance(owner.kind, Instance) else []:
        keep_what_class_holds(interpreter, owner, each, attribute)
    for region in sorted(regions, key=repr):
        held = in_slot(interpreter, region, attribute, value) if adjoint else value
        interpreter.put(frozenset([region]), attribute, held)


def take_attribute_away(
    interpreter: Interpreter, owner: Value, attribute: str, plainly: bool = False
) -> None:
    """Interpret `del x.name`: what the attribute holds on other ways it may hold still."""
    for each in owner.kind.alternatives if isinstance(owner.kind, Instance) else []:
        static = inspect.getattr_static(each.cls, attribute, None)
        plain = isinstance(static, types.MemberDescriptorType) or not any(
            hasattr(type(static), method) for method in ("__set__", "__delete__")
        )
        if not plain or not plainly and overrides(each.cls, "__delattr__"):
            interpreter.refuse_here(
                f"`{attribute}` of {each.cls.__name__} is deleted by code of its own, which is not "
                "followed",
                "bind the attribute to None",
            )
        show_what_class_holds(interpreter, owner, each, attribute)
    interpreter.stored |= regions_of(owner.kind)
    interpreter.program.taken_away.add(attribute)


# Why a record of adjoints is not gone through of which it is not known what is in it
ADJOINTS_BY_NAME = (
    "a derivative that adds up adjoints of an object, of which the attributes are not known, cannot be "
    "differentiated again",
    "use tapeless.hvp or tapeless.jvp for this derivative",
)


def refuse_attributes_by_key(interpreter: Interpreter, owner: Value) -> NoReturn:
    """Refuse the dict of an object's attributes: stores into it would not be seen."""
    label = owner.kind.cls.__name__  # type: ignore[attr-defined]
    if owner.kind.cls is AdjointRecord:  # type: ignore[attr-defined]
        interpreter.refuse_here(*ADJOINTS_BY_NAME)
    if is_of_the_tool(interpreter.function.filename):  # a function of derivatives, and not the user
        refuse_memory(interpreter, interpreter.statement)
    interpreter.refuse_here(
        f"the attributes of {label} are reached by `__dict__` or `vars`, which is not followed",
        "name the attributes, or use getattr and setattr with a name that is known",
    )


def refuse_hidden_code(
    interpreter: Interpreter, owner: Value, hook: str | None, attribute: str, varied: bool = False
) -> None:
    """Refuse an attribute of what varies that a hook computes: its code is not followed."""
    if hook is not None and (varied or interpreter.holds_varied(owner)):
        label = owner.kind.cls.__name__  # type: ignore[attr-defined]
        base = built_in_base(owner.kind.cls)  # type: ignore[attr-defined]
        if base is not None:
            shown = (
                f"'{label}'"
                if base.__name__ == label
                else f"'{label}', a {base.__name__} of its own,"
            )
            plain = base.__name__ if base in (list, dict, tuple) else "list or array"
            interpreter.refuse_here(
                f"what an object of class {shown} holds is not followed",
                f"use a plain {plain}, or a class that holds one in an attribute",
            )
        interpreter.refuse_here(
            f"`.{attribute}` of {label} goes through `{hook}`, which is not followed",
            "use a plain attribute, an @property that is only read, or a method",
        )


def built_in_base(cls: type) -> type | None:
    """Return the built-in class that a class is derived from, and whose items its look-ups find."""
    owner = next(c for c in cls.__mro__ if "__getattribute__" in vars(c))
    written = isinstance(vars(owner)["__getattribute__"], types.FunctionType)
    return None if owner in (object, types.SimpleNamespace) or written else owner


def reading_hook(cls: type, static: Any) -> str | None:
    """Name what runs instead of a plain look-up when an attribute of a class is read.

    A property is no such hook: it is a call of its function. A missing attribute is not looked at.
    """
    if overrides(cls, "__getattribute__"):
        return "__getattribute__"
    followed = (property, staticmethod, classmethod, types.MemberDescriptorType)
    if getter_of(static) is not None:
        return None
    if hasattr(type(static), "__get__") and not isinstance(static, followed):
        return None if callable(static) else type(static).__name__
    return None


def storing_hook(cls: type, attribute: str, plainly: bool) -> str | None:
    """Name what runs instead of a plain store, and is not followed, when an attribute is stored into."""
    if stores_by_code(cls) and not plainly and written_setter(cls) is None:
        return "__setattr__"
    static = inspect.getattr_static(cls, attribute, None)
    if hasattr(type(static), "__set__") and not isinstance(static, types.MemberDescriptorType):
        return f"{type(static).__name__}.__set__"
    return None


def _has_setter(cls: type, attribute: str) -> bool:
    """Whether an attribute is a property whose setter is written in Python."""
    static = inspect.getattr_static(cls, attribute, None)
    return isinstance(static, property) and isinstance(static.fset, types.FunctionType)


def written_setter(cls: type) -> Any:
    """Return the `__setattr__` of a class that somebody wrote in Python; None for any other."""
    found = inspect.getattr_static(cls, "__setattr__")
    known = isinstance(found, types.FunctionType) and found.__code__.co_filename != "<string>"
    return found if known else None


_INERT_OF_ARRAYS = {"dtype", "itemsize", "nbytes", "strides", "flags", "ctypes", "device"}
