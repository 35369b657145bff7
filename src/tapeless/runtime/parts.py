"""Structures taken apart into numbers and arrays, and put together again.

Dicts and dataclasses are things that change: what is known of one is known of it, not of what it
holds. A loop that hands its state on in parts hands on values. The *form* says what they are the parts of.
Every array is copied on the way, so that whoever gets a structure may store into it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

LEAVES = (int, float, complex, str, bytes, np.generic, type(None))


@dataclass(frozen=True)
class Form:
    """What a structure is apart from the numbers and arrays in it.

    Attributes
    ----------
    cls
        The class of a tuple, dict or dataclass.
    keys
        Its places: numbers, keys, or the names of fields.
    items
        The forms of what stands there; None for a number or an array.
    """

    cls: type
    keys: tuple[Hashable, ...]
    items: tuple[Form | None, ...]


def form_of(x: Any) -> Form | None:
    """Return the form of a structure; None for a number or an array.

    Raises
    ------
    TypeError
        If it holds anything but numbers, arrays, tuples, dicts and dataclasses.

    Examples
    --------
    >>> form_of({"u": np.ones(2), "t": 0.0}).keys
    ('u', 't')
    """
    if isinstance(x, (np.ndarray, *LEAVES)):
        return None
    keys = keys_of(type(x), x)
    if keys is None:
        raise TypeError(
            f"a state of class {type(x).__name__} cannot be taken apart: let it hold numbers and "
            "arrays, in tuples, dicts or dataclasses"
        )
    return Form(type(x), keys, tuple(form_of(_item(x, key)) for key in keys))


def keys_of(cls: type, x: Any = ()) -> tuple[Any, ...] | None:
    """Return the places of a structure; None for what has none, or more than its constructor fills."""
    if cls is tuple or issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return tuple(range(len(x)))
    if cls is dict:
        return tuple(x)
    if dataclasses.is_dataclass(cls):
        fields = dataclasses.fields(cls)
        return tuple(f.name for f in fields) if all(f.init for f in fields) else None
    return None


def _item(x: Any, key: Any) -> Any:
    return getattr(x, key) if dataclasses.is_dataclass(x) else x[key]


def parts_of(x: Any, form: Form | None = None) -> Any:
    """Return the numbers and arrays of a structure, copied, in tuples; a tuple keeps its class.

    Raises
    ------
    TypeError
        If the structure has not the form that it should have.

    Examples
    --------
    >>> parts_of({"u": np.ones(2), "t": 0.0}, form_of({"u": 0.0, "t": 0.0}))
    (array([1., 1.]), 0.0)
    """
    if (
        form is None
        and not isinstance(x, (np.ndarray, *LEAVES))
        or form
        and type(x) is not form.cls
    ):
        raise TypeError(_changed(x, form))
    if form is None:
        return x.copy() if isinstance(x, np.ndarray) else x
    if keys_of(form.cls, x) != form.keys:
        raise TypeError(_changed(x, form))
    items = [parts_of(_item(x, k), f) for k, f in zip(form.keys, form.items, strict=True)]
    return form.cls(*items) if hasattr(form.cls, "_fields") else tuple(items)


def _changed(x: Any, form: Form | None) -> str:
    before = "a number or an array" if form is None else f"a {form.cls.__name__} of {form.keys}"
    keys = keys_of(type(x), x)
    after = f"a {type(x).__name__}" + ("" if keys is None else f" of {keys}")
    return f"a state that was {before} became {after}"


def from_parts(parts: Any, form: Form | None) -> Any:
    """Put a structure together from its parts; arrays are copied.

    Examples
    --------
    >>> from_parts((1.0, 2.0), form_of({"u": 0.0, "t": 0.0}))
    {'u': 1.0, 't': 2.0}
    """
    if form is None:
        return parts.copy() if isinstance(parts, np.ndarray) else parts
    items = [from_parts(part, inner) for part, inner in zip(parts, form.items, strict=True)]
    if form.cls is tuple:
        return tuple(items)
    if form.cls is dict:
        return dict(zip(form.keys, items, strict=True))
    return form.cls(*items)
