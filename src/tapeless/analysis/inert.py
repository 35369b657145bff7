"""Values that carry no derivative, and what is known of them by their classes.

What is of one of the classes below is no array, and neither are its attributes, its items and what its
methods return. Of an object of any other class nothing is known: a tree of points that a library built
holds arrays of numbers.
"""

from __future__ import annotations

import datetime
import enum
import logging
import pathlib
import random
import re
import threading
import types
from typing import Any

import numpy as np

from tapeless.details import Places, Text
from tapeless.kinds import LOG, NONE, STR, Dtype, Inert, Instance, Kind, Member, Opaque, dtype_code

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
_WITHOUT_ARRAYS = frozenset({  # of sets it is asked what is taken out
    *GENERATORS, set, frozenset, bytes, bytearray, range, slice, type, types.EllipsisType, types.CodeType,
    types.FrameType, types.TracebackType, re.Match, re.Pattern, type(threading.Lock()),
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta, pathlib.PosixPath,
    pathlib.WindowsPath,
})  # fmt: skip


def inert_kind(value: Any, places: Places | None = None) -> Kind:
    """Return the kind of a value that carries no derivative and that nothing is stored into.

    Of a text it is known what it says where it is known which `places` say so.

    Examples
    --------
    >>> inert_kind("text") == STR, inert_kind(slice(2)).what, inert_kind(memoryview(b"")).cls
    (True, 'slice', <class 'memoryview'>)
    >>> inert_kind("mse", frozenset()).text.value
    'mse'
    """
    if value is None:
        return NONE
    if isinstance(value, str):
        if places is None or type(value) is not str:
            return STR
        return Inert("str", text=Text(value, places))
    if isinstance(value, types.ModuleType):
        return Inert("module", value)
    if isinstance(value, np.dtype):
        return Dtype(code=dtype_code(value))
    if isinstance(value, (logging.Logger, logging.LoggerAdapter)):
        return LOG
    if isinstance(value, enum.Enum):
        return Member("member", cls=type(value))
    if isinstance(value, (types.GenericAlias, types.UnionType)):
        return Inert("annotation")
    return Inert("dtype") if isinstance(value, np.dtype) else kind_of_class(type(value))


def kind_of_class(cls: type) -> Inert:
    """Return the kind of an object of a class without derivative."""
    return Inert(cls.__name__) if cls in _WITHOUT_ARRAYS else Opaque(cls=cls)


def is_generator(kind: Kind) -> bool:
    """Whether a value is a generator of random numbers, or may be one.

    Examples
    --------
    >>> is_generator(inert_kind(np.random.default_rng())), is_generator(STR)
    (True, False)
    """
    cls: type = object
    if type(kind) is Inert:
        cls = next((c for c in GENERATORS if c.__name__ == kind.what), object)
    elif isinstance(kind, (Instance, Opaque)):
        cls = kind.cls
    return issubclass(cls, GENERATORS)
