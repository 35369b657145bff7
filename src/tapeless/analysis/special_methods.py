"""Special methods that Python calls where the text shows no call, and that change what is read.

    class Counted:
        def __len__(self):
            self.scale *= 2.0
            return 3
    ...
    n = len(c)          # stores into `c.scale`

Of such a call only the value is looked at: nothing undoes what it stores, and no derivative goes
through. Where the function reads what it stores, that is refused.
"""

from __future__ import annotations

import dis
import inspect
import itertools
import types
from collections.abc import Iterator, Set
from typing import Any

import gast

from tapeless.analysis.abstract import is_adjoint_memory, reachable
from tapeless.analysis.asked_methods import (
    ANYTHING,
    ASKED,
    OF_METHODS,
    answering,
    asked_by_function,
    asked_in_text,
    operands_asked,
)
from tapeless.analysis.facts import Facts, facts_within
from tapeless.analysis.interpret.changes_by_customs import changed_place
from tapeless.analysis.reached import code_reached, names_in, rebound_by
from tapeless.analysis.repeatable import head_of, statements_of
from tapeless.externals import MISSING, package_of
from tapeless.kinds import Instance, Kind, regions_of
from tapeless.sorts import is_of_a_library
from tapeless.source.texts import text_of
from tapeless.tree.classes import SLOTS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt, Tree

_MAKING = {"__init__", "__post_init__"}
_STORING = {
    "__setitem__", "__setattr__", "__delitem__", "__delattr__", "__set__", "__delete__", "__set_name__",
    *(f"__i{key}__" for key in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and",
                                "or", "xor", "lshift", "rshift")),
}  # fmt: skip
_KEEPING = {"append", "insert", "extend", "setdefault", "update"}


def check_special_methods(root: Facts) -> None:
    """Refuse special methods that store into what the function reads, and that are called unseen.

    Raises
    ------
    GradientError
        At the statement that makes Python call one.
    """
    everywhere = facts_within(root)
    for facts in everywhere:
        for s in statements_of(facts.function.tree):
            for cls, methods in _asked(s, facts):
                for method, stored in _storing_methods(cls):
                    asked = method in answering(cls, methods)
                    read = stored & _read_in(everywhere) if asked else set()
                    if read:
                        shown = ", ".join(f"`{key}`" for key in sorted(read))
                        raise facts.function.error(
                            s, f"Python calls `{method}` of class {cls.__name__} here, which "
                            f"changes {shown}, read by what is differentiated",
                            "call a method of your own in its place",
                        )  # fmt: skip


def asks_what_stores(s: Stmt, facts: Facts) -> bool:
    """Whether a statement calls, unseen, a special method that stores into anything."""
    return any(
        method in answering(cls, methods)
        for cls, methods in _asked(s, facts)
        for method, _ in _storing_methods(cls)
    )


def _asked(s: Stmt, facts: Facts) -> Iterator[tuple[type, Set[str]]]:
    """List the classes of which a statement may call special methods unseen, and which methods."""
    if s not in facts.before or s in facts.callees:
        return
    for tree, methods, inside in _used(s, facts):
        yield from ((cls, methods) for cls in _classes_in(tree, s, facts, inside))
    for part in nodes(head_of(s)):
        if type(part) is gast.Call:
            yield from _asked_by_call(part, s, facts)


def _kinds_in(tree: Tree, s: Stmt, facts: Facts) -> list[Kind]:
    """List the kinds that an operand may have, or that the items of its display may have."""
    if type(tree) is gast.Name:
        if tree.id in facts.before[s]:
            return [facts.kind(s, tree.id)]
        return []
    if type(tree) in SLOTS:
        owners = {r for kind in _kinds_in(tree.value, s, facts) for r in regions_of(kind)}
        slots = [v for r in owners for v in facts.heap.get(r, {}).items()]
        wanted = tree.attr if type(tree) is gast.Attribute else None
        return [v.kind for key, v in slots if wanted is None or key == wanted]
    if isinstance(tree, (gast.List, gast.Tuple, gast.Set)):
        return [kind for item in tree.elts for kind in _kinds_in(item, s, facts)]
    return []


def _classes_in(tree: Tree, s: Stmt, facts: Facts, inside: bool) -> Iterator[type]:
    """List the classes of the objects that an operand may be, or what it holds."""
    kinds = _kinds_in(tree, s, facts)
    held = reachable(kinds, facts.heap) if inside else ()
    kinds += [v.kind for r in held for v in facts.heap.get(r, {}).values()]
    for part in kinds:
        if isinstance(part, Instance):
            yield from (each.cls for each in part.alternatives)


def _used(s: Stmt, facts: Facts) -> Iterator[tuple[Any, Set[str], bool]]:
    """List the operands of a statement that Python asks, what for, and whether what they hold too."""
    for part in {s: None, **dict.fromkeys(nodes(head_of(s)))}:
        of_memory = type(part) is gast.Subscript and any(
            map(is_adjoint_memory, _kinds_in(part.value, s, facts))
        )
        if not of_memory:  # it asks for `id`
            yield from operands_asked(part)


def _asked_by_call(call: Expr, s: Stmt, facts: Facts) -> Iterator[tuple[type, Set[str]]]:
    """List what a call of a function of Python's or of a library may ask."""
    found = facts.function.resolve(call.func)
    method = call.func.attr if type(call.func) is gast.Attribute else None
    if found is MISSING and method in _KEEPING:
        return
    if found is not MISSING and _is_made_or_of_the_tool(found):
        return
    methods = asked_by_function(found)
    given = [*call.args, *(k.value for k in call.keywords)]
    if found is MISSING and method is not None and not _is_object(call.func.value, s, facts):
        given.append(call.func.value)
        methods = OF_METHODS
    for tree in given:
        inside = found is not len
        yield from ((cls, methods) for cls in _classes_in(tree, s, facts, inside))


def _is_made_or_of_the_tool(found: Any) -> bool:
    """Whether a call constructs an object, or is one of those that derivatives make."""
    if package_of(found) == "tapeless":
        return True
    return isinstance(found, type) and "__init__" in vars(found) and found.__module__ != "builtins"


def _is_object(tree: Tree, s: Stmt, facts: Facts) -> bool:
    return type(tree) is gast.Name and isinstance(facts.kind(s, tree.id), Instance)


def _storing_methods(cls: type) -> Iterator[tuple[str, set[str]]]:
    """List the special methods of a class that store, with the names of what they store into.

    Those of libraries that are not entered store into what is their own.
    """
    for base in cls.__mro__:
        if is_of_a_library(base):
            continue
        for key, method in vars(base).items():
            if key in ASKED and isinstance(method, types.FunctionType):
                stored = {label for f in _with_own_methods(method, cls) for label in _stored_by(f)}
                if stored:
                    yield key, stored


def stores_something(cls: type, method: str) -> bool:
    """Whether a special method of a class, or what it calls, may store into anything."""
    return any(key == method for key, _ in _storing_methods(cls))


def stores_when_read(cls: type, place: Expr) -> bool:
    """Whether reading an item or an attribute of an object runs code that may store into anything."""
    if type(place) is gast.Subscript:
        return stores_something(cls, "__getitem__")
    static = inspect.getattr_static(cls, place.attr, None)
    getter = static.fget if isinstance(static, property) else None
    if not isinstance(getter, types.FunctionType):
        return False
    return any(label for f in _with_own_methods(getter, cls) for label in _stored_by(f))


def _with_own_methods(method: Any, cls: type) -> list[Any]:
    """List the functions that a method may run: those it reaches, and methods of the classes among them.

    Of a class these are the ones that are named somewhere, those that make its objects, and those that an
    operation in one of the functions asks. What stores at the look of it, such as `__setitem__`, is seen
    where it is done.
    """
    found, classes, names, asked = [method], {cls}, set[str](), set[Set[str]]()
    for function in found:
        new = code_reached(function)
        names |= names_in(function)
        asked |= asked_in_text(function)
        classes |= {x for x in new if isinstance(x, type)}
        new += [m for each in classes for m in _methods_run(each, names, asked)]
        found += [f for f in new if isinstance(f, types.FunctionType) and f not in found]
    return found


def _methods_run(cls: type, names: set[str], asked: set[Set[str]]) -> list[Any]:
    """List the methods and properties of a class that have one of some names, or run by themselves."""
    come_to = {method for methods in asked for method in answering(cls, methods)}
    others = ANYTHING | _STORING
    own = [
        key for key in dir(cls) if key in names | come_to or _is_special(key) and key not in others
    ]
    static = [inspect.getattr_static(cls, key, None) for key in own]
    return [getattr(m, "fget", None) or getattr(m, "__func__", None) or m for m in static]


def _is_special(key: str) -> bool:
    return key.startswith("__") and key.endswith("__")


def _stored_by(function: Any) -> Iterator[str]:
    """List the attributes and names that a function binds anew, or its text stores into."""
    yield from (place.key for place in rebound_by(function))
    text = text_of(function)
    if text is None:
        made = _new_object_in(function)
        steps = itertools.pairwise(dis.get_instructions(function))
        stored = [(owner, s) for owner, s in steps if s.opname == "STORE_ATTR"]
        yield from (str(s.argval) for owner, s in stored if _last_loaded(owner) not in made)
    for part in nodes(text.tree) if text is not None else ():
        found = changed_place(part, lambda place: MISSING)
        if found is None:
            continue
        place = part if type(part) is gast.Attribute else found[0]
        while type(place) is gast.Subscript:
            place = place.value
        label = place.attr if type(place) is gast.Attribute else getattr(place, "id", None)
        if label is not None and not _is_of_new_object(function, part):
            yield label


def _last_loaded(step: dis.Instruction) -> Any:
    """Return the name that an instruction puts on top of the stack, also one that loads two."""
    return step.argval[-1] if isinstance(step.argval, tuple) else step.argval


def _is_of_new_object(function: Any, place: Tree) -> bool:
    """Whether a place is an attribute that a constructor gives to the object that it makes."""
    owner: Any = place.value if type(place) is gast.Attribute else None
    return type(owner) is gast.Name and owner.id in _new_object_in(function)


def _new_object_in(function: Any) -> tuple[str, ...]:
    """Return the name of the object that a constructor makes; nothing for another function."""
    return function.__code__.co_varnames[:1] if function.__name__ in _MAKING else ()


def _read_in(everywhere: list[Facts]) -> set[str]:
    """List the attributes and the names outside that functions read."""
    found: set[str] = set()
    for facts in everywhere:
        for part in nodes(facts.function.tree):
            if type(part) is gast.Attribute and type(part.ctx) is gast.Load:
                found.add(part.attr)
            elif type(part) is gast.Name and part.id in facts.function.externals:
                found.add(part.id)
    return found
