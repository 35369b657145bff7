"""Tangents of structures: like their primals, with zeros where nothing is said.

A tangent shares memory exactly where its primal does, for a store through one name must be seen through
the other.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NoReturn

import numpy as np

from tapeless.runtime.adjoints import (
    AdjointRecord,
    attributes_of,
    is_code,
)
from tapeless.runtime.boundary import (
    private,
)
from tapeless.runtime.sparse import given_entries, is_sparse


def zero_tangent(x: Any) -> Any:
    """Return the zero tangent of a value: of its structure, with None for what has no derivative.

    Examples
    --------
    >>> zero_tangent({"w": np.ones(2), "n": 3, "label": "a"})
    {'w': array([0., 0.]), 'n': 0.0, 'label': None}
    """
    return _tangent_of(x, None, {})


def private_tangent(x_dot: Any, x: Any) -> Any:
    """Return a copy of a tangent with the structure of its primal, zeros where it says nothing.

    Examples
    --------
    >>> private_tangent({"w": np.ones(2), "n": None}, {"w": np.ones(2), "n": 3})
    {'w': array([1., 1.]), 'n': 0.0}
    """
    return _tangent_of(x, x_dot, {})


def _tangent_of(x: Any, given: Any, met: dict[int, tuple[Any, Any]]) -> Any:
    if isinstance(x, (bool, int, float, complex, np.generic)):
        return 0.0 if given is None else given
    if x is None or isinstance(x, (str, bytes)):
        return None
    if isinstance(x, range):
        return np.zeros(len(x))  # where NumPy makes an array of it
    if isinstance(x, tuple):
        return tuple(_tangent_of(item, _part(given, i), met) for i, item in enumerate(x))
    if id(x) in met:
        known = met[id(x)][1]
        if isinstance(x, np.ndarray) and not np.all(known == (0.0 if given is None else given)):
            _refuse_two_tangents(x)
        return known
    made: Any = None
    if isinstance(x, np.ndarray):
        made = private(x) if x.dtype.kind in "fc" else np.zeros(x.shape)
        made[...] = 0.0 if given is None else given
        met[id(x)] = x, made
    elif is_sparse(x):
        made = np.zeros_like(x.data) if given is None else given_entries(given, x)
        met[id(x)] = x, made
    elif isinstance(x, list):
        made = []
        met[id(x)] = x, made
        made += [_tangent_of(item, _part(given, i), met) for i, item in enumerate(x)]
    elif isinstance(x, dict):
        made = _empty_beside(x)
        met[id(x)] = x, made
        for key, item in x.items():
            inner = None if given is None or isinstance(given, float) else given.get(key)
            made[key] = _tangent_of(item, inner, met)
    elif (attributes := attributes_of(x)) is not None and not is_code(x):
        made = AdjointRecord()
        met[id(x)] = x, made
        for key, item in attributes.items():
            setattr(made, key, _tangent_of(item, _attribute(given, key), met))
    return made


def _empty_beside(x: dict[Any, Any]) -> dict[Any, Any]:
    """Return the dict for the tangents of another: an entry that this makes, that one makes too."""
    factory = x.default_factory if isinstance(x, defaultdict) else None
    return {} if factory is None else defaultdict(lambda: zero_tangent(factory()))


def _refuse_two_tangents(x: np.ndarray) -> NoReturn:
    from tapeless.errors import GradientError

    raise GradientError(
        f"one array of shape {x.shape} stands in two places of the arguments, with two tangents",
        fix="pass a copy in one of them",
    )


def _part(given: Any, i: int) -> Any:
    return None if given is None or isinstance(given, float) else given[i]


def _attribute(given: Any, key: str) -> Any:
    return None if given is None or isinstance(given, float) else getattr(given, key, None)


def broadcast_like(g: Any, y: Any) -> Any:
    """Return `g` at the full shape of `y`, as an array that may be stored into.

    Examples
    --------
    >>> broadcast_like(2.0, np.ones(3))
    array([2., 2., 2.])

    What else `y` is made of may have a higher precision than `g`, and no tangent.

    >>> broadcast_like(np.float32(2.0), np.ones(3)).dtype
    dtype('float64')
    """
    if not isinstance(y, np.ndarray):
        return g
    dtype = np.result_type(g, y) if y.dtype.kind in "fc" else None
    return np.array(np.broadcast_to(g, y.shape), dtype)


def array_alike(g: Any, y: Any) -> Any:
    """Return a tangent as an array exactly if `y` is one: NumPy computes no arrays of rank 0.

    Examples
    --------
    >>> array_alike(2.0, np.array(3.0))
    array(2.)
    >>> array_alike(2.0, 3.0)
    2.0
    """
    return np.asarray(g) if isinstance(y, np.ndarray) else g


def shared_alike(y_dot: Any, y: Any, x_dot: Any, x: Any) -> Any:
    """Return a tangent that shares memory with that of `x` exactly if `y` shares memory with `x`.

    Raises
    ------
    GradientError
        If that cannot be had, because the tangent of `x` has another layout than `x`.
    """
    if y is x:
        return x_dot
    shared = np.may_share_memory(x, y)
    if np.may_share_memory(x_dot, y_dot) == shared:
        return y_dot
    if not shared:
        return y_dot.copy()
    from tapeless.errors import GradientError

    raise GradientError(
        f"a view of an array of shape {x.shape} is stored into, and its tangent has another layout",
        fix="copy the array, or store into it by its own indices",
    )
