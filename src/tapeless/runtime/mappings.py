"""Dicts that are made of something else, and what classes inherit from `collections.abc` to be gone through.

A view of a mapping visits its items as they are when it is gone through: as a generator does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def keys_of_mapping(mapping: Any) -> Iterator[Any]:
    """Yield the keys of a mapping, as going through `mapping.keys()` does."""
    yield from mapping


def values_of_mapping(mapping: Any) -> Iterator[Any]:
    """Yield the values of a mapping, as going through `mapping.values()` does."""
    for key in mapping:
        yield mapping[key]


def items_of_mapping(mapping: Any) -> Iterator[Any]:
    """Yield the pairs of keys and values of a mapping, as going through `mapping.items()` does."""
    for key in mapping:
        yield key, mapping[key]


def items_of_sequence(sequence: Any) -> Iterator[Any]:
    """Yield the items of a sequence in order, as many as it has."""
    for i in range(len(sequence)):
        yield sequence[i]


def dict_of_mapping(mapping: Any) -> dict[Any, Any]:
    """Return ``dict(mapping)`` of an object that has keys: each is looked up."""
    found = {}
    for key in mapping.keys():  # noqa: SIM118  # as `dict` does: the object itself may visit others
        found[key] = mapping[key]
    return found


def dict_of_keys(keys: Iterable[Any], value: Any = None) -> dict[Any, Any]:
    """Return ``dict.fromkeys(keys, value)``: one value for all keys, the same object."""
    return {key: value for key in keys}  # a loop, which is differentiated
