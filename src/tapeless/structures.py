"""Structures: numbers and float arrays in lists, tuples, dictionaries and records.

A function of containers is a function of their leaves. What follows takes a structure apart into its
leaves, in the order in which they stand, and makes one like it of others.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeless.runtime.functions import Bound


def is_leaf(x: Any) -> bool:
    """Whether a value is a real or complex number or an array of them.

    Examples
    --------
    >>> is_leaf(1.0), is_leaf(np.zeros(2)), is_leaf(1), is_leaf([1.0])
    (True, True, False, False)
    """
    return isinstance(x, (float, complex, np.inexact)) or (
        isinstance(x, np.ndarray) and x.dtype.kind in "fc"
    )


def fields(x: Any) -> list[str]:
    """Name the fields of a dataclass; of anything else, none."""
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return [field.name for field in dataclasses.fields(x)]
    return []


def children(x: Any) -> list[tuple[str, Any]]:
    """Return the items of a container with their places; a function holds nothing that is seen.

    Examples
    --------
    >>> children({"w": 1.0, "b": 2.0})
    [("['w']", 1.0), ("['b']", 2.0)]
    """
    if isinstance(x, Bound):
        return []
    if isinstance(x, dict):
        return [(f"[{key!r}]", item) for key, item in x.items()]
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return [(f".{name}", getattr(x, name)) for name in x._fields]
    if isinstance(x, (list, tuple)):
        return [(f"[{i}]", item) for i, item in enumerate(x)]
    return [(f".{name}", getattr(x, name)) for name in fields(x)]


def leaves_of(x: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Return every leaf of a structure with its place.

    Examples
    --------
    >>> list(leaves_of([1.0, (2.0, 3)], "x"))
    [('x[0]', 1.0), ('x[1][0]', 2.0)]
    """
    if is_leaf(x):
        yield path, x
    else:
        for place, child in children(x):
            yield from leaves_of(child, path + place)


def rebuild(
    x: Any, new: Iterator[Any], constant: Callable[[Any], Any] = lambda value: value
) -> Any:
    """Make a structure like `x` of other leaves; `constant` says what stands for what is no leaf.

    Examples
    --------
    >>> rebuild({"w": 1.0, "n": 3}, iter([5.0]))
    {'w': 5.0, 'n': 3}
    """
    if is_leaf(x):
        return next(new)
    if isinstance(x, Bound):
        return constant(x)
    if isinstance(x, dict):
        made = copy.copy(x)  # what it makes of missing keys stays
        made.update({key: rebuild(item, new, constant) for key, item in x.items()})
        return made
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[rebuild(item, new, constant) for item in x])
    if isinstance(x, (list, tuple)):
        return type(x)([rebuild(item, new, constant) for item in x])
    if fields(x):
        changed = copy.copy(x)
        for name in fields(x):
            object.__setattr__(changed, name, rebuild(getattr(x, name), new, constant))
        return changed
    return constant(x)


def tangent_like(x: Any, new: Iterator[Any]) -> Any:
    """Make a tangent for `x` of its leaves, with zero in the place of an integer.

    Examples
    --------
    >>> tangent_like([1.0, 3], iter([0.5]))
    [0.5, 0.0]
    """
    return rebuild(x, new, lambda value: 0.0 if isinstance(value, int) else value)


def aligned(x: Any, g: Any, path: str, mismatch: Callable[[str], Exception]) -> Iterator[Any]:
    """Return the leaf of a cotangent or tangent `g` for every leaf of `x`; zeros where it has none."""
    if is_leaf(x):
        if g is None or (np.ndim(g) == 0 and not isinstance(g, np.ndarray) and not np.any(g)):
            zero = np.zeros(np.shape(x), np.asarray(x).dtype)  # a plain 0.0: no contribution
            yield zero if isinstance(x, np.ndarray) else zero[()]
            return
        if np.shape(g) != np.shape(x):
            raise mismatch(
                f"the cotangent of {path} has shape {np.shape(g)}, "
                f"the argument has shape {np.shape(x)}"
            )
        yield g
        return
    items = children(x)
    if not items:
        return
    if g is None:
        parts = [None] * len(items)
    elif isinstance(g, dict):
        parts = [g[key] for key in x]
    elif isinstance(g, (list, tuple, np.ndarray)):
        parts = list(g)
    else:
        parts = [item for _, item in children(g)] or [
            getattr(g, place.removeprefix("."), None) for place, _ in items
        ]
    if len(parts) != len(items):
        raise mismatch(f"{path} has {len(items)} items, its cotangent has {len(parts)}")
    for (place, child), part in zip(items, parts, strict=True):
        yield from aligned(child, part, path + place, mismatch)
