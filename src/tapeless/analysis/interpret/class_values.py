"""What objects find in their class under a name, as long as they have nothing of their own there.

    class Walker:
        speed = None                    # found by an object that nobody gave a speed

        def run(self, x):
            if self.speed is None:      # not decided by the store that stands below
                self.speed = x * x

A slot of a region says what an object may hold. So what the class holds is put there too wherever
objects that have the attribute and objects that have not may be one: before a store, and where a value
may be one of several objects.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Hashable, Iterable, Iterator, Set
from typing import Any

import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, join_values, reachable
from tapeless.analysis.constructors import stores_first
from tapeless.analysis.facts import Facts
from tapeless.analysis.interpret.state import Interpreter
from tapeless.details import Outside
from tapeless.externals import MISSING
from tapeless.kinds import (
    UNKNOWN,
    Array,
    Function,
    Functions,
    Inert,
    Instance,
    Kind,
    List,
    Real,
    Region,
    Regions,
    Sequence,
    Tuple,
    regions_of,
)
from tapeless.normalize.kept_properties import getter_of
from tapeless.regions import attributes_of, is_holder
from tapeless.runtime import Bound
from tapeless.set_in_texts import is_set_in_text
from tapeless.texts import of_any_value
from tapeless.tree.build import name
from tapeless.variables import Variable, is_variable

Holder = type | types.ModuleType
HIDDEN_CLASS = (
    "the class of a deque that is made here is asked for", "ask `isinstance(q, deque)`"
)  # fmt: skip


def class_of(kind: Kind) -> Value | None:
    """Return what is known of the class of an object, list or tuple; None for anything else."""
    if isinstance(kind, (List, Tuple)) and not kind.or_none:
        return Value(Function(kind.cls if isinstance(kind, Tuple) else list))
    if not isinstance(kind, Instance) or kind.functions or kind.or_none:
        return None
    classes = [Function(each.cls) for each in kind.alternatives]
    return Value(classes[0] if len(classes) == 1 else Functions(frozenset(classes)))


def classes_of_number(kind: Kind) -> tuple[type, ...]:
    """Return the classes that a number or array can be of; none where that is not known.

    Examples
    --------
    >>> classes_of_number(Real())
    (<class 'float'>, <class 'numpy.float64'>)
    """
    if isinstance(kind, Array) and kind.dims:
        return (np.ndarray, np.memmap)
    return (float, np.float64) if kind == Real() else ()


def holder_set_in_texts(kind: Kind, attribute: str) -> Holder | None:
    """Return the class or module that a kind is, if texts store into its attribute; None for all else."""
    owner = kind.value if isinstance(kind, (Function, Inert)) else None
    return owner if is_set_in_text(owner, attribute) else None


def region_of_holder(interpreter: Interpreter, owner: Holder) -> Region:
    """Return the region of the attributes of a class or module that texts store into."""
    region = attributes_of(owner)
    interpreter.program.known[id(owner)] = owner, region  # whoever names it may read them
    if id(owner) not in (names := interpreter.program.outside.setdefault(region, {})):
        found = interpreter.function.externals.items()
        tree = next((name(key) for key, external in found if external.value is owner), None)
        if tree is not None:
            names[id(owner)] = interpreter.function, tree, owner
    return region


def regions_stored(interpreter: Interpreter, kind: Kind, attribute: str) -> Regions:
    """Return where a store into an attribute stores: of a class or module if a text says so."""
    holder = holder_set_in_texts(kind, attribute)
    return (
        regions_of(kind) if holder is None else frozenset([region_of_holder(interpreter, holder)])
    )


def as_object(kind: Kind, holders: Set[Region]) -> Kind:
    """Return the kind of a class or module as an object, if it is one of the `holders`; else its kind."""
    owner = kind.value if isinstance(kind, (Function, Inert)) else None
    if not isinstance(owner, (type, types.ModuleType)):
        return kind
    regions = frozenset([attributes_of(owner)])
    return Instance(object, regions) if regions & holders else kind  # no class says more of it


def holders_of_what_varies(facts: Facts) -> frozenset[Region]:
    """Return the regions of the classes and modules that hold what varies, at any time."""
    return frozenset(
        region
        for region, slots in facts.heap.items()
        if is_holder(region)
        if any(v.varied or reachable([v.kind], facts.heap) & facts.varied for v in slots.values())
    )


def held_now(interpreter: Interpreter, owner: Holder, attribute: str, point: Hashable) -> Value:
    """Return what a class or module that texts store into holds by a name, or what was stored since."""
    found, variable = NOTHING, None
    for each in owner.__mro__ if isinstance(owner, type) else (owner,):
        region = region_of_holder(interpreter, each)
        slots = interpreter.heap.setdefault(region, {})
        if attribute in vars(each):
            held = of_any_value(interpreter.abstract(vars(each)[attribute], (*region, attribute)))
            variable = held if isinstance(vars(each)[attribute], Variable) else None
            interpreter.put(frozenset([region]), attribute, Value(held))
        found = join_values(found, slots.get(attribute, NOTHING), (point, region))
        if attribute in vars(each):
            break
    if found.kind != variable and isinstance(owner, type) and attribute not in vars(owner):
        refuse_if_varied(interpreter, owner, attribute, found)
    return found


def refuse_if_varied(interpreter: Interpreter, owner: type, attribute: str, found: Value) -> None:
    """Refuse to read what varies in a class in another way than by the name of the class that holds it."""
    if interpreter.holds_varied(found):
        interpreter.refuse_here(
            f"what `{owner.__name__}.{attribute}` holds here varies, and is found through an object or "
            "a subclass",
            "store and read it by the name of the class that holds it, or keep it in an object",
        )


def held_by_class(
    interpreter: Interpreter, owner: Value, kind: Instance, attribute: str, static: Any
) -> Value:
    """Return what an object finds in its class under a name."""
    if isinstance(static, types.FunctionType):
        taken = Tuple((Function(static), Tuple((kind,)), Tuple(())), Bound)
        return Value(taken, interpreter.is_varied(owner))  # it is spelled out as this
    if isinstance(static, (staticmethod, classmethod)):
        return Value(UNKNOWN, interpreter.is_varied(owner))
    if is_set_in_text(kind.cls, attribute):
        found = held_now(interpreter, kind.cls, attribute, interpreter.point(interpreter.statement))
        if not is_variable(found.kind):
            refuse_if_varied(interpreter, kind.cls, attribute, found)
        return found
    held, places = getattr(kind.cls, attribute), frozenset([Outside.of(kind.cls, attribute)])
    return Value(interpreter.abstract(held, ("class", attribute), places))


def keep_what_class_holds(
    interpreter: Interpreter, owner: Value, kind: Instance, attribute: str
) -> None:
    """Note what objects find in their class under a name that is stored into, as long as it is not.

    It is stored into for good where a constructor does so first of all.
    """
    static = inspect.getattr_static(kind.cls, attribute, MISSING)
    if not _can_be_hidden(static):
        return
    function = interpreter.function
    if function.initializes and stores_first(function.tree.body, function.parameters[0], attribute):
        return
    shared = held_by_class(interpreter, owner, kind, attribute, static)
    for region in kind.regions:
        if attribute not in interpreter.heap.get(region, {}):
            interpreter.put(frozenset([region]), attribute, shared)


def show_what_class_holds(
    interpreter: Interpreter, owner: Value, kind: Instance, attribute: str
) -> None:
    """Note that objects find in their class again what was taken away from them."""
    static = inspect.getattr_static(kind.cls, attribute, MISSING)
    if _can_be_hidden(static):
        shared = held_by_class(interpreter, owner, kind, attribute, static)
        interpreter.put(kind.regions, attribute, shared)


def keep_of_classes(interpreter: Interpreter, values: Iterable[Value]) -> None:
    """Note what the classes hold of objects that a callee cannot tell apart.

    These are objects of which a value may be any, among the arguments and among all that is held.
    """
    kinds = [v.kind for v in values]
    kinds += [v.kind for slots in interpreter.heap.values() for v in slots.values()]
    together = sorted({each for kind in kinds for each in _one_of_several(kind)}, key=repr)
    more = True
    while more:  # what one class holds may be hidden in objects of another
        more = any([_keep_of_class(interpreter, each) for each in together])


def _keep_of_class(interpreter: Interpreter, kind: Instance) -> bool:
    """Note what a class holds of some of its objects; whether it was not known of one of them."""
    found = False
    slots = {region: interpreter.heap.get(region, {}).keys() for region in kind.regions}
    for attribute in sorted({str(key) for held in slots.values() for key in held}):
        without = frozenset(region for region, held in slots.items() if attribute not in held)
        if not without:
            continue
        static = inspect.getattr_static(kind.cls, attribute, MISSING)
        if _can_be_hidden(static):
            owner = Value(kind)
            shared = held_by_class(interpreter, owner, kind, attribute, static)
            interpreter.put(without, attribute, shared)
            found = True
    return found


def _one_of_several(kind: Kind) -> Iterator[Instance]:
    """Find the objects, of each class, of which a value may be one."""
    if isinstance(kind, Tuple):
        for item in kind.items:
            yield from _one_of_several(item)
    elif isinstance(kind, Sequence):
        yield from _one_of_several(kind.item)
    elif isinstance(kind, Instance) and len(kind.regions) > 1:
        yield from kind.alternatives


def _can_be_hidden(static: Any) -> bool:
    """Whether an attribute of an object may take the place of what its class holds."""
    return (
        static is not MISSING and not hasattr(type(static), "__set__") and getter_of(static) is None
    )
