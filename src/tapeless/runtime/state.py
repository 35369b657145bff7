"""What the forward sweep remembers of containers and objects, so that stores can be undone."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeless.runtime.adjoints import held_by, hold, is_code, slot_names


class _Empty(type):
    """The class of a mark that has no items: its adjoint, that of a list or dict, has none either."""

    def __len__(cls) -> int:
        return 0

    def __iter__(cls) -> Iterator[Any]:
        return iter(())


ABSENT: Any = _Empty("ABSENT", (), {})  # the class itself: private copies share it


def slot(x: Any, key: Any) -> Any:
    """Return what a slot of a dict or object holds, or a mark that there is none."""
    if isinstance(x, dict):
        return x.get(key, ABSENT)
    return getattr(x, key) if is_set(x, key) else ABSENT


def set_slot(x: Any, key: Any, value: Any) -> None:
    """Put back what `slot` gave: a slot that was not there is taken away again."""
    if isinstance(x, dict):
        if value is ABSENT:
            x.pop(key, None)
        else:
            x[key] = value
    elif value is ABSENT:
        _past_the_class(x, "__delattr__")(x, key)
    else:
        _past_the_class(x, "__setattr__")(x, key, value)


def give_attributes_back(x: Any, held: dict[str, Any]) -> None:
    """Return an object, class or module what it held, in the order in which an object did."""
    now = held_by(x) or {}
    if is_code(x):  # what else it holds by then is none of ours
        for key in {**held, **now}:
            if now.get(key, ABSENT) is not held.get(key, ABSENT):
                set_slot(x, key, held.get(key, ABSENT))
        return
    for key in list(now) if list(now) != list(held) else []:
        object.__delattr__(x, key)
    for key, item in held.items():
        hold(x, key, item)


def _past_the_class(x: Any, method: str) -> Any:
    """Return what stores or deletes an attribute as objects do whose class says nothing of it."""
    own = getattr(type(x), method)
    return getattr(object, method) if isinstance(own, types.FunctionType) else own


def is_set(x: Any, name: str) -> bool:
    """Whether an object itself has an attribute, whatever its class has by that name."""
    cls: Any = type(x)
    held = getattr(x, "__dict__", {})
    return name in held or name in slot_names(cls) and hasattr(x, name)


def field_names(x: Any) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass, or of an object of one."""
    return tuple(field.name for field in dataclasses.fields(x))


def set_attribute(x: Any, key: str, value: Any) -> None:
    """Put a value into the dict of an object's attributes."""
    x.__dict__[key] = value


def update_attributes(x: Any, given: Any) -> None:
    """Put what a dict holds into the dict of an object's attributes."""
    for key in given:
        x.__dict__[key] = given[key]


def own_attribute(x: Any, key: str) -> Any:
    """Return what the dict of an object's attributes holds."""
    return vars(x)[key]


def own_names(x: Any) -> tuple[str, ...]:
    """Return the names of the attributes in an object's own dict, in its order."""
    return tuple(vars(x))


def own_attributes(x: Any) -> dict[str, Any]:
    """Return a copy of the dict of an object's attributes."""
    return dict(vars(x))


def item_place(items: Any, i: int) -> int:
    """Return the index, counted from the start, of the item that `i` stands for."""
    return i if i >= 0 else len(items) + i


def insert_place(items: Any, i: int) -> int:
    """Return the index at which `items.insert(i, ...)` puts the new item."""
    return max(0, len(items) + i) if i < 0 else min(i, len(items))


def slice_place(items: Any, start: Any, stop: Any) -> int:
    """Return the index at which the items of a store into a slice start."""
    return slice(start, stop).indices(len(items))[0]


def shuffled_order(shuffle: Any, x: Any) -> Any:
    """Return the order into which `shuffle` puts the entries of an array, or the items of a list.

    The same draws are made as for the thing itself.
    """
    order: Any = np.arange(len(x)) if isinstance(x, np.ndarray) else list(range(len(x)))
    shuffle(order)
    return np.asarray(order, dtype=int)
