"""Structures of gradients: lists, tuples, dicts and dataclasses, and their leaves.

A *leaf* is anything that is none of these. The leaves of a dict come in the order of its sorted keys, as
users of custom gradients write them down.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeless.runtime.adjoints import unmade
from tapeless.runtime.boundary import dict_like
from tapeless.variables import Variable


def parts_of(tree: Any) -> list[tuple[Any, Any]] | None:
    """List the parts of a structure with their keys, dicts by sorted keys; None for a leaf.

    Examples
    --------
    >>> parts_of({"w": 1.0, "b": 2.0}), parts_of(3.0)
    ([('b', 2.0), ('w', 1.0)], None)
    """
    if isinstance(tree, Mapping):
        try:
            return [(key, tree[key]) for key in sorted(tree)]
        except TypeError:
            return list(tree.items())
    if isinstance(tree, (list, tuple)):
        return list(enumerate(tree))
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [(field.name, getattr(tree, field.name)) for field in dataclasses.fields(tree)]
    return None


def leaves_of(tree: Any) -> list[Any]:
    """List the leaves of a structure.

    Examples
    --------
    >>> leaves_of({"w": [1.0, 2.0], "b": None})
    [None, 1.0, 2.0]
    """
    parts = parts_of(tree)
    return [tree] if parts is None else [leaf for _, part in parts for leaf in leaves_of(part)]


def rebuilt(like: Any, parts: dict[Any, Any]) -> Any:
    """Make a structure of the type of another one from new parts."""
    if isinstance(like, Mapping):
        return dict_like(like, {key: parts[key] for key in like})
    if isinstance(like, (list, tuple)):
        items = [parts[i] for i in range(len(like))]
        return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)
    made_object = unmade(type(like))
    for key, part in parts.items():
        object.__setattr__(made_object, key, part)
    return made_object


def with_leaves(like: Any, leaves: list[Any]) -> Any:
    """Make a structure like another one, taking its leaves from the front of a list.

    Examples
    --------
    >>> with_leaves({"w": (0, 0), "b": 0}, [1.0, 2.0, 3.0])
    {'w': (2.0, 3.0), 'b': 1.0}
    """
    parts = parts_of(like)
    if parts is None:
        return leaves.pop(0)
    return rebuilt(like, {key: with_leaves(part, leaves) for key, part in parts})


def has_derivative(x: Any) -> bool:
    """Whether a value can carry a derivative: a float, an array of floats, or a part that is."""
    if isinstance(x, (np.ndarray, Variable)):
        return x.dtype.kind in "fcO"
    parts = parts_of(x)
    if parts is not None:
        return any(has_derivative(part) for _, part in parts)
    return isinstance(x, (float, complex, np.inexact))


def part_at(tree: Any, key: Any) -> Any:
    """Return a part of a structure; of a mapping that has none there, None."""
    if isinstance(tree, Mapping):
        return tree.get(key)
    return tree[key] if isinstance(tree, (list, tuple)) else getattr(tree, key)
