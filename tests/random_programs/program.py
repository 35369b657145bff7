"""A program: its text, loaded as a module of its own, and the state outside that it may change.

The text is written to a file, since that is where the source of a function is read from. What the
module holds as data (lists, arrays, objects, class attributes) can be put back to what it was, so
that every call of the function begins with the same state.
"""

from __future__ import annotations

import copy
import importlib.util
import itertools
import linecache
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Program:
    """The text of a module that holds a function `entry` and `samples()`, its arguments."""

    label: str
    text: str
    entry: str = "f"
    samples: str = "samples"

    def with_text(self, text: str, label: str | None = None) -> Program:
        return replace(self, text=text, label=self.label if label is None else label)


@dataclass
class Loaded:
    """A program whose module was executed."""

    function: Callable[..., Any]
    samples: list[tuple[Any, ...]]
    outside: OutsideState


@contextmanager
def loaded(program: Program, folder: Path) -> Iterator[Loaded]:
    """Load a program from a file in the folder; forget its module afterwards."""
    name = f"random_program_{next(_NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(program.text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        samples = [tuple(one) for one in getattr(module, program.samples)()]
        yield Loaded(getattr(module, program.entry), samples, OutsideState(module))
    finally:
        del sys.modules[name]
        path.unlink()
        linecache.cache.pop(str(path), None)


class OutsideState:
    """The data that a module holds outside of its functions."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module
        self._places = dict(_data_of(module))
        for name, value in vars(module).items():
            if isinstance(value, type) and value.__module__ == module.__name__:
                self._places |= {(name, key): found for (_, key), found in _data_of(value)}
        self._places = {p: value for p, value in self._places.items() if _can_be_copied(value)}
        self._first = self.snapshot()
        self.is_changed = True
        """Whether the function changes it; while that is not known, it may."""

    def _owner(self, place: tuple[str, str]) -> Any:
        return getattr(self._module, place[0]) if place[0] else self._module

    def snapshot(self) -> dict[tuple[str, str], Any]:
        """Copy what is there now."""
        current = {place: getattr(self._owner(place), place[1], None) for place in self._places}
        return copy.deepcopy(current)

    def restore(self) -> None:
        """Put back what was there first, in place where it can be."""
        if not self.is_changed:
            return
        first = copy.deepcopy(self._first)
        for place, kept in self._places.items():
            if not _refill(kept, first[place]):
                kept = first[place]
            setattr(self._owner(place), place[1], kept)

    def difference(self, other: dict[tuple[str, str], Any]) -> str | None:
        """Return where the state differs from a snapshot, if it does."""
        now = self.snapshot()
        for place in self._places:
            found = difference(now[place], other[place])
            if found is not None:
                return f"{place[1]}{found}"
        return None


def _can_be_copied(value: Any) -> bool:
    try:
        copy.deepcopy(value)
    except Exception:  # a lock, an open file: no program changes them
        return False
    return True


def _data_of(owner: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    for name, value in list(vars(owner).items()):
        is_code = isinstance(value, (types.ModuleType, type, property, staticmethod, classmethod))
        if not (name.startswith("__") or name == "CASES" or is_code or callable(value)):
            if not isinstance(value, (types.GetSetDescriptorType, types.MemberDescriptorType)):
                yield ("", name), value


def _refill(kept: Any, first: Any) -> bool:
    """Put its first content back into a mutable thing; False if it has to be replaced."""
    if type(kept) is not type(first):
        return False
    if isinstance(kept, list):
        kept[:] = first
    elif isinstance(kept, (dict, set)):
        kept.clear()
        kept.update(first)
    elif isinstance(kept, np.ndarray) and kept.flags.writeable and kept.shape == first.shape:
        kept[...] = first
    elif hasattr(kept, "__dict__"):
        vars(kept).clear()
        vars(kept).update(vars(first))
    else:
        slots = [name for c in type(kept).__mro__ for name in getattr(c, "__slots__", ())]
        if not slots or not type(kept).__module__.startswith("random_program"):
            return False
        for name in slots:
            if hasattr(first, name):
                setattr(kept, name, getattr(first, name))
    return True


def contents_of(value: Any, met: dict[int, tuple[Any, Any]] | None = None) -> list[tuple[Any, Any]]:
    """List all that is mutable in a value, each with a copy of what it holds now."""
    met = {} if met is None else met
    if id(value) not in met:
        if isinstance(value, np.ndarray) or _parts(value) is not None:
            met[id(value)] = value, copy.copy(value)
        for part in (_parts(value) or {}).values():
            contents_of(part, met)
    return list(met.values())


def put_back(contents: list[tuple[Any, Any]]) -> None:
    """Let things hold again what they held when their contents were listed."""
    for kept, first in contents:
        _refill(kept, first)


def difference(a: Any, b: Any, depth: int = 0) -> str | None:
    """Return where two values are not the same, bit for bit; None if they are."""
    if a is b or depth > 20:
        return None
    if callable(a) and callable(b):
        return None  # a function that is made anew in each call is another one
    if type(a) is not type(b):
        return f": {a!r} instead of {b!r}"
    if isinstance(a, (bool, int, float, complex, np.generic, np.ndarray)):
        x, y = np.asarray(a), np.asarray(b)
        same = (x.dtype, x.shape) == (y.dtype, y.shape)
        if x.dtype == object:
            return None
        return None if same and x.tobytes() == y.tobytes() else f": {a!r} instead of {b!r}"
    parts, others = _parts(a), _parts(b)
    if parts is None or others is None:
        return None
    if list(parts) != list(others):
        return f" has {list(parts)} instead of {list(others)}"
    for key in parts:
        found = difference(parts[key], others[key], depth + 1)
        if found is not None:
            return f"[{key!r}]{found}"
    return None


def _parts(value: Any) -> dict[Any, Any] | None:
    if isinstance(value, dict):
        return value
    if isinstance(value, (list, tuple)):
        return dict(enumerate(value))
    if callable(value) or isinstance(value, type):
        return None
    if hasattr(value, "__dict__"):
        return vars(value)
    slots = [name for c in type(value).__mro__ for name in getattr(c, "__slots__", ())]
    return {name: getattr(value, name) for name in slots if hasattr(value, name)} or None
